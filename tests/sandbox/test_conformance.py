"""The conformance suite holds in every sandbox, and notices one that does not keep its promises."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clibench.recording import Change, End, Output, Recording, Status
from clibench.sandbox.conformance import CHECKS, Result, result, run_conformance
from clibench.sandbox.interface import TrialFault
from tests.sandbox.conftest import PLACES, sandbox_of

NOTHING = Recording(Status(End.EXIT, 0), Output.of(b""), Output.of(b""))


@pytest.mark.parametrize("place", PLACES)
def test_every_sandbox_conforms(place: str) -> None:
    sandbox = sandbox_of(place)
    results = list(run_conformance(sandbox))
    sandbox.close()
    assert [one for one in results if not one.passed] == []
    assert sorted(one.name for one in results) == sorted(check.name for check in CHECKS)


def test_no_check_accepts_a_program_that_was_not_contained() -> None:
    escaped = replace(NOTHING, changes=(Change("/usr/x", "created", "file", size=1 << 30),))
    assert [check.name for check in CHECKS if result(check, escaped).passed] == []


def test_a_fault_fails_the_check_and_says_why_and_what_to_do() -> None:
    failed = result(CHECKS[0], TrialFault("the worker died"))
    assert failed == Result(CHECKS[0].name, False, "the worker died", CHECKS[0].fix)
    assert failed.fix


def test_what_was_seen_instead_is_told() -> None:
    seen = replace(NOTHING, status=Status(End.EXIT, 3), stderr=Output.of(b"no such luck\n"))
    assert result(CHECKS[0], seen).reason == "exit 3; no such luck"
