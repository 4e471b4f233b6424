"""Which recordings of an oracle can be compared: what a result must not depend on is changed, what then differs is masked or left out.

Each case has several recordings, made under changed clock, locale, host name, PID, hash seed, user and order. They are compared as a
submission would be: status, effective side effects and standard output (standard error is never compared). Where they differ, the first
normaliser, or else pair of them, that makes all equal is named for the case; where none does, the case is quarantined. So is a case that
ended by time or memory: how far it came depends on the machine. The mistake that is accepted: a difference that none of the runs showed,
but for the year (`_tells_year`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import combinations
from typing import Final

from clibench.evaluation.normalise import Chain, resolve
from clibench.evaluation.params import CompareParams
from clibench.evaluation.side_effects import compare_side_effects, effective
from clibench.recording import End, Recording
from clibench.tasks.case import Case, Fixture

CANDIDATES: Final = (
    "timestamp", "date", "time", "epoch", "duration", "temp_path", "pid", "address", "uuid", "unordered_lines", "version",
)  # fmt: skip
"""Normalisers in the order in which they are tried: the most particular first."""


@dataclass(frozen=True)
class Stability:
    """What the repeated runs showed."""

    normalisers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Further ones that a case needs, by case id."""
    quarantined: Mapping[str, str] = field(default_factory=dict)
    """Reason, by case id."""


def judge_stability(
    runs: Mapping[str, Sequence[Recording]], cases: Mapping[str, tuple[Case, Fixture]], base: Mapping[str, Sequence[str]], alias: str
) -> Stability:
    """Compare the recordings of each case, of which the first is the one to freeze. `cases` with their fixtures, and `base`, the normalisers
    that the spec names, are by case too."""
    normalisers: dict[str, tuple[str, ...]] = {}
    quarantined: dict[str, str] = {}
    year = datetime.now(UTC).year
    for case, recordings in runs.items():
        fixture = cases[case][1]
        ended = next((run.status for run in recordings if run.status.end in (End.TIMEOUT, End.OOM)), None)
        if ended is not None:
            quarantined[case] = f"ended by {ended}"
            continue
        needed = _needed(recordings, fixture, base[case], alias)
        if needed is None:
            quarantined[case] = f"not the same in every run: {difference(recordings, resolve(base[case], alias=alias), fixture)}"
        elif _tells_year(*cases[case], recordings[0], resolve((*base[case], *needed), alias=alias), year):
            quarantined[case] = f"prints the year {year}, in which it was run"
        elif needed:
            normalisers[case] = needed
    return Stability(normalisers, quarantined)


def _tells_year(case: Case, fixture: Fixture, recording: Recording, chain: Chain, year: int) -> bool:
    """Whether an output holds the current year and nothing that the case gives does: next year's would be another. No run of this year shows
    it where the clock can't be changed, as for Go programs. The mistake that is accepted: a year that the tool always prints."""
    word = re.compile(rf"(?<![\w+.-]){year}(?!\w)".encode())
    seen = effective(recording.changes, CompareParams().ignore)
    outputs = [recording.stdout.data, *(change.content or b"" for change in seen)]
    return any(word.search(chain(output)) for output in outputs) and str(year) not in repr((case.argv, case.stdin, case.env, fixture))


def _needed(recordings: Sequence[Recording], fixture: Fixture, base: Sequence[str], alias: str) -> tuple[str, ...] | None:
    if difference(recordings, resolve(base, alias=alias), fixture) is None:
        return ()
    for size in (1, 2):
        for names in combinations(CANDIDATES, size):
            if difference(recordings, resolve((*base, *names), alias=alias), fixture) is None:
                return names
    return None


def difference(recordings: Sequence[Recording], chain: Chain, fixture: Fixture) -> str | None:
    """What differs first between the first recording and the others after `chain`, or None."""
    first = recordings[0]
    for other in recordings[1:]:
        if first.status != other.status:
            return f"status {first.status} and {other.status}"
        if first.stdout != other.stdout and (first.stdout.truncated or chain(first.stdout.data) != chain(other.stdout.data)):
            return "standard output"
        mismatches = compare_side_effects(first.changes, other.changes, chain, CompareParams(), fixture)
        if mismatches:
            return f"{mismatches[0].path}: {mismatches[0].reason}"
    return None
