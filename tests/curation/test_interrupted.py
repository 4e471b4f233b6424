"""A run that is stopped, or whose sandbox breaks, loses nothing that was found and records nothing that was not."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import clibench.curating
from clibench.__main__ import run
from clibench.curation.candidates import Candidate
from clibench.curation.trial import Finding
from clibench.errors import SandboxError


class Trials:
    """Stands in for trial installations: each candidate's next answer, an error or a finding."""

    def __init__(self, **answers: list[Finding | BaseException]) -> None:
        self.answers = answers
        self.tried: list[str] = []

    def __call__(self, _sandbox: object, candidate: Candidate, **_: Any) -> Finding:
        self.tried.append(candidate.package.name)
        answer = self.answers[candidate.package.name].pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def close(self) -> None:
        """Of the sandbox."""


USABLE = Finding(version="1.0", entry="tool", help="usage: tool", loc=10, licence="MIT", shares={"python": 1.0}, readme="A CLI.")


@pytest.mark.parametrize(("fault", "status"), [(KeyboardInterrupt("SIGTERM"), 143), (SandboxError("the daemon is gone"), 3)])
def test_the_same_command_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException, status: int
) -> None:
    trials = Trials(one=[USABLE], two=[fault, Finding("hangs", "`--help` did not end by itself")], three=[USABLE])
    monkeypatch.setattr(clibench.curating, "make_sandbox", lambda *_: trials)
    monkeypatch.setattr(clibench.curating, "try_candidate", trials)
    given = 'candidates=["pypi:one","pypi:two","pypi:three"]'
    words = ["curate", given, f"outputs={tmp_path}", f"decisions={tmp_path / 'd.csv'}"]

    assert run(words) == status
    assert rows(tmp_path) == {"pypi:one": ("queued", "")}, "what was found before is in the table, the fault is not"
    assert run(words) == 0
    assert trials.tried == ["one", "two", "two", "three"]
    assert rows(tmp_path) == {"pypi:one": ("queued", ""), "pypi:two": ("rejected", "hangs"), "pypi:three": ("queued", "")}


def rows(outputs: Path) -> dict[str, tuple[str, str]]:
    """Status and reason by candidate."""
    with (outputs / "curation" / "candidates.csv").open(newline="") as stream:
        return {row["id"]: (row["status"], row["reason"]) for row in csv.DictReader(stream)}
