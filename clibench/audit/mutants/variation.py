"""What the oracle does differently from run to run, so that it is not taken for the doing of a mutant.

Its runs without a defect and the frozen recording, made on another day, are compared byte by byte, standard error included. Where they
differ, the first normaliser, or else pair of them, that makes all equal is put over both sides, as freezing does for what verdicts look at.
Where none does, nothing can be told of the case's bytes: only a verdict says then whether a mutant changed anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from clibench.audit.mutants.trials import Ground
from clibench.evaluation.normalise import Chain, resolve
from clibench.recording import Change, Output, Recording
from clibench.tasks.stability import CANDIDATES
from clibench.tasks.task import Task


def masks(task: Task, ground: Ground) -> dict[str, Chain | None]:
    """By case: what has to be put over its recordings, None where nothing helps."""
    return {
        case: _needed([*(run[case] for run in ground.runs), task.recordings[case]], task.case_normalisers.get(case, ()), task.alias)
        for case in ground.runs[0]
    }


def masked(recording: Recording, chain: Chain) -> Recording:
    """The recording after masks: standard output, standard error, and the content of files."""
    changes = tuple(_change(change, chain) for change in recording.changes)
    return replace(recording, stdout=_output(recording.stdout, chain), stderr=_output(recording.stderr, chain), changes=changes)


def _needed(recordings: Sequence[Recording], known: Sequence[str], alias: str) -> Chain | None:
    """The masks of a case that is known to vary are tried with the others, not instead of none: a mask hides mutants."""
    tries: list[tuple[str, ...]] = [(), tuple(known)]
    tries += [(*known, *names) for size in (1, 2) for names in combinations(CANDIDATES, size)]
    for names in tries:
        chain = resolve(names, alias=alias)
        if len({masked(recording, chain).digest() for recording in recordings}) == 1:
            return chain
    return None


def _output(output: Output, chain: Chain) -> Output:
    return output if output.truncated else Output.of(chain(output.data))


def _change(change: Change, chain: Chain) -> Change:
    return change if change.content is None else replace(change, content=chain(change.content), size=0, sha256=None)
