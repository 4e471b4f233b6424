"""A time-out counts against a tool only when it shows twice: a starved machine must not be read as a tool that hangs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Self

from clibench.recording import End, Output, Recording, Status
from clibench.sandbox.interface import TrialFault
from clibench.steps.record import CONFIRMED, steady
from clibench.tasks.case import Case, Fixture

LATE = Recording(Status(End.TIMEOUT), Output.of(b""), Output.of(b""))
DONE = Recording(Status(End.EXIT), Output.of(b"done\n"), Output.of(b""))
FIXTURE = Fixture()


class Script:
    """A session that gives each case the outcomes that are written for it, one a run; the last one again and again."""

    def __init__(self, outcomes: Mapping[str, list[Recording | TrialFault]]) -> None:
        self.outcomes = {case: list(found) for case, found in outcomes.items()}
        self.runs: list[str] = []

    def run(
        self, cases: Iterable[Case], fixtures: Mapping[str, Fixture], *, stability: int | None = None
    ) -> Iterator[tuple[Case, Recording | TrialFault]]:
        for case in cases:
            self.runs.append(case.id)
            found = self.outcomes[case.id]
            yield case, found.pop(0) if len(found) > 1 else found[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass


def outcomes(session: Script) -> dict[str, Recording | TrialFault]:
    cases = [Case(name, "p", ("tool",), FIXTURE.digest()) for name in session.outcomes]
    return {case.id: outcome for case, outcome in steady(session, cases, {FIXTURE.digest(): FIXTURE})}


def test_a_case_that_was_late_once_is_judged_by_its_second_run() -> None:
    session = Script({"p/01": [LATE, DONE], "p/02": [DONE]})

    assert outcomes(session) == {"p/01": DONE, "p/02": DONE}
    assert session.runs == ["p/01", "p/02", "p/01"]


def test_a_case_that_is_late_twice_has_run_out_of_time() -> None:
    assert outcomes(Script({"p/01": [LATE, LATE]})) == {"p/01": LATE}


def test_a_tool_that_always_hangs_is_not_run_twice_on_every_case() -> None:
    session = Script({f"p/{number:02}": [LATE] for number in range(40)})

    assert set(outcomes(session).values()) == {LATE}
    assert len(session.runs) == 40 + CONFIRMED


def test_a_fault_of_the_second_run_is_a_fault() -> None:
    fault = TrialFault("the runner died")

    assert outcomes(Script({"p/01": [LATE, fault]})) == {"p/01": fault}
