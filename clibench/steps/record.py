"""Record: run the cases of a task with an installation. The cases of one pattern are a unit, so that a killed run loses a second of work.

A case that the harness could not run is tried again on its own. What still fails is handed on as a fault: its pattern is then not finished,
and the next start tries it again. A time-out is believed when it shows twice: on a machine that is starved of processor time every tool is
too slow now and then, and that is no property of the tool.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clibench.errors import InfraError, OutputsError
from clibench.evaluation.stored import decode_recordings, encode_recordings
from clibench.recording import End, Recording
from clibench.sandbox.interface import Session, TrialFault
from clibench.steps.bench import Bench
from clibench.steps.build import Build, prefix
from clibench.steps.generate import Submission
from clibench.steps.keys import record_key
from clibench.tasks.case import Case, Fixture
from clibench.tasks.task import Task

KIND = "record"

CONFIRMED: Final = 5
"""Time-outs in a row that showed again, after which a tool is known to hang, and its other time-outs are believed at once."""


@dataclass
class Recordings:
    """What the cases of a task did, so far."""

    by_case: dict[str, Recording | TrialFault] = field(default_factory=dict)
    wall_s: float = 0.0

    @property
    def faults(self) -> list[str]:
        """Reasons of the cases that could not be run."""
        return [outcome.reason for outcome in self.by_case.values() if isinstance(outcome, TrialFault)]


def record(bench: Bench, task: Task, submission: Submission, done: Build) -> Recordings:
    """Recordings of all cases; faults of the harness are in their place, after the attempts that the bench allows."""
    with bench.store.claim(KIND, done.key):
        recordings = Recordings()
        waiting = _from_store(bench, task, done, recordings)
        if waiting:
            _run(bench, task, submission, done, waiting, recordings)
    return recordings


def patterns(task: Task) -> dict[str, tuple[Case, ...]]:
    """The cases of each pattern, in the task's order."""
    groups: dict[str, list[Case]] = {}
    for case in task.cases:
        groups.setdefault(case.pattern, []).append(case)
    return {pattern: tuple(cases) for pattern, cases in groups.items()}


def pending(bench: Bench, task: Task, build: str) -> int:
    """Number of cases that still have to be run with the installation of this key."""
    return sum(
        len(cases)
        for cases in patterns(task).values()
        if bench.store.lookup(KIND, record_key(build, cases, bench.settings, bench.identity)) is None
    )


def _from_store(bench: Bench, task: Task, done: Build, recordings: Recordings) -> dict[str, tuple[Case, ...]]:
    """Take what is done; the patterns that are not, with their cases."""
    waiting = {}
    for pattern, cases in patterns(task).items():
        body = bench.store.lookup(KIND, record_key(done.key, cases, bench.settings, bench.identity))
        if body is None:
            waiting[pattern] = cases
            continue
        recordings.by_case |= decode_recordings(bench.store.get(body["refs"]["recordings"]))
        recordings.wall_s += body["wall_s"]
    bench.progress.cases(task.id, len(recordings.by_case))
    return waiting


def _run(
    bench: Bench, task: Task, submission: Submission, done: Build, waiting: dict[str, tuple[Case, ...]], recordings: Recordings
) -> None:
    folder = prefix(bench, task, submission, done)
    left = {case.id: case for cases in waiting.values() for case in cases}

    def attempt() -> None:
        """Run what is left; raises InfraError while something is."""
        with bench.recording:
            bench.go_on()
            bench.progress.step(task.id, "record")
            clock = time.monotonic()
            with bench.sandbox.open(
                language=task.language.value, prefix=folder, limits=bench.settings.limits, workers=bench.workers
            ) as session:
                for case, outcome in steady(session, tuple(left.values()), task.fixtures):
                    bench.go_on()
                    recordings.by_case[case.id] = outcome
                    if isinstance(outcome, TrialFault):
                        continue
                    del left[case.id]
                    bench.progress.cases(task.id, 1)
                    if not any(other.pattern == case.pattern for other in left.values()):
                        clock = _finish(bench, done, waiting[case.pattern], recordings, clock)
        if left:
            raise InfraError(_first_reason(recordings, left))

    try:
        bench.attempt(attempt)
    except OutputsError:
        raise
    except InfraError as error:
        for case in left:
            recordings.by_case.setdefault(case, TrialFault(error.message))


def _finish(bench: Bench, done: Build, cases: tuple[Case, ...], recordings: Recordings, clock: float) -> float:
    """Keep the recordings of a pattern that is complete; the time is what has passed since the one before."""
    now = time.monotonic()
    wall_s = round(now - clock, 3)
    blob = encode_recordings({case.id: recordings.by_case[case.id] for case in cases})
    body: dict[str, Any] = {"wall_s": wall_s, "cases": len(cases), "refs": {"recordings": bench.store.put(blob)}}
    bench.store.finish(KIND, record_key(done.key, cases, bench.settings, bench.identity), body)
    recordings.wall_s += wall_s
    return now


def steady(session: Session, cases: Sequence[Case], fixtures: Mapping[str, Fixture]) -> Iterator[tuple[Case, Recording | TrialFault]]:
    """Run each case and yield what it did; one that ran out of time runs once more, alone, and the second outcome holds."""
    late: list[tuple[Case, Recording | TrialFault]] = []
    for case, outcome in session.run(cases, fixtures):
        if _late(outcome):
            late.append((case, outcome))
        else:
            yield case, outcome
    confirmed = 0
    for case, first in late:
        outcome = first
        if confirmed < CONFIRMED:
            ((_, outcome),) = session.run((case,), fixtures)
            confirmed = confirmed + 1 if _late(outcome) else 0
        yield case, outcome


def _late(outcome: Recording | TrialFault) -> bool:
    return isinstance(outcome, Recording) and outcome.status.end is End.TIMEOUT


def _first_reason(recordings: Recordings, left: Iterable[str]) -> str:
    for case in left:
        outcome = recordings.by_case.get(case)
        if isinstance(outcome, TrialFault):
            return outcome.reason
    return "the sandbox ended before all cases were run"
