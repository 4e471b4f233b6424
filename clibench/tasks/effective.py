"""What the cases of a pattern are worth, and which of them is shown: read from the oracle's recordings, before anything is graded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clibench.evaluation.params import DEFAULT_IGNORE
from clibench.evaluation.side_effects import effective
from clibench.errors import TaskError
from clibench.recording import Recording
from clibench.synthesis.expand import Expansion
from clibench.synthesis.prompt import Example
from clibench.synthesis.spec import Spec
from clibench.tasks.case import Case

SHOWN_OUTPUT = 1500
"""Bytes of standard output up to which a case is preferred as the prompt's example."""


@dataclass(frozen=True)
class PatternReport:
    """How much a pattern tests."""

    cases: int
    valid: int
    ok: int
    """Cases whose oracle exits 0."""
    distinct: int
    """Different results (status, output, side effects) among the cases: fifty commands with one result test as much as one."""


def pattern_reports(
    spec: Spec, expansion: Expansion, cases: Sequence[Case], recordings: Mapping[str, Recording]
) -> dict[str, PatternReport]:
    """A report by pattern."""
    reports = {}
    for pattern in spec.patterns:
        own = [case for case in cases if case.pattern == pattern.id]
        reports[pattern.id] = PatternReport(
            cases=len(own),
            valid=sum(expansion.classes[case.id] == "valid" for case in own),
            ok=sum(recordings[case.id].status.ok for case in own),
            distinct=len({_result(recordings[case.id]) for case in own}),
        )
    return reports


def _result(recording: Recording) -> tuple[Any, ...]:
    """What is compared of a recording: standard error is not."""
    return (recording.status, recording.stdout.sha256, tuple(effective(recording.changes, DEFAULT_IGNORE)))


def choose_examples(spec: Spec, expansion: Expansion, cases: Sequence[Case], recordings: Mapping[str, Recording]) -> dict[str, Example]:
    """The example of each pattern: the first valid case that succeeds, does something that can be seen, and is short enough to show."""
    found: dict[str, Example] = {}
    for pattern in spec.patterns:
        own = [case for case in cases if case.pattern == pattern.id]
        if not own:
            raise TaskError(f"the pattern '{pattern.id}' has no stable case", where="spec.yaml", fix="See the reasons, or leave it out.")
        ranked = sorted(
            own,
            key=lambda case: (
                not recordings[case.id].status.ok,
                expansion.classes[case.id] != "valid",
                not (recordings[case.id].stdout.size or effective(recordings[case.id].changes, DEFAULT_IGNORE)),
                recordings[case.id].stdout.size > SHOWN_OUTPUT,
                case.id,
            ),
        )
        case = ranked[0]
        found[pattern.id] = Example(case, expansion.fixtures[case.fixture], recordings[case.id])
    return found
