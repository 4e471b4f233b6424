"""Effective size: how many different things the cases of a pattern ask for.

Fifty command lines with one and the same recording test as much as one. Two counts are given: `recordings` are distinct in everything
that was recorded; `effective` leaves standard error out, which no comparer looks at, and is what freezing counts too. What counts is the
oracle's side only: two cases with equal results but different inputs can still tell submissions apart, so that the count is a lower bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from clibench.evaluation.params import CompareParams
from clibench.evaluation.side_effects import effective
from clibench.recording import Output, Recording
from clibench.tasks.task import Task

_NOTHING: Final = Output.of(b"")


@dataclass(frozen=True)
class Size:
    """Numbers of cases of one pattern, or sums over patterns."""

    cases: int = 0
    recordings: int = 0
    """Distinct recordings."""
    effective: int = 0
    """Distinct recordings, standard error left out."""
    largest: int = 0
    """Cases of the most frequent effective recording."""
    negative: int = 0
    """Cases whose oracle does not succeed."""
    side_effects: int = 0
    """Cases whose oracle leaves effective side effects."""

    @property
    def duplicates(self) -> int:
        """Cases that add nothing to the effective size."""
        return self.cases - self.effective


def size_of(recordings: Iterable[Recording], params: CompareParams) -> Size:
    """The size of the cases that an oracle has these recordings of."""
    made = tuple(recordings)
    results = Counter(replace(recording, stderr=_NOTHING).digest() for recording in made)
    return Size(
        cases=len(made),
        recordings=len({recording.digest() for recording in made}),
        effective=len(results),
        largest=max(results.values(), default=0),
        negative=sum(not recording.status.ok for recording in made),
        side_effects=sum(bool(effective(recording.changes, params.ignore)) for recording in made),
    )


def sizes(task: Task, params: CompareParams) -> dict[str, Size]:
    """By pattern."""
    return {
        pattern.id: size_of((task.recordings[case.id] for case in task.cases if case.pattern == pattern.id), params)
        for pattern in task.patterns
    }


def total(parts: Iterable[Size]) -> Size:
    """Sums; `largest` is the largest of them."""
    rows = tuple(parts)
    return Size(
        cases=sum(row.cases for row in rows),
        recordings=sum(row.recordings for row in rows),
        effective=sum(row.effective for row in rows),
        largest=max((row.largest for row in rows), default=0),
        negative=sum(row.negative for row in rows),
        side_effects=sum(row.side_effects for row in rows),
    )
