"""Sandboxes to test in: each back end in each isolation, over a small installation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from clibench.recording import Recording
from clibench.sandbox.choose import make_sandbox
from clibench.sandbox.interface import Limits, Sandbox, TrialFault
from clibench.sandbox.session import PipeSession
from clibench.sandbox.settings import SandboxConfig
from clibench.tasks.case import Case, Entry, Fixture

PLACES = ("docker/overlay", "docker/copy", "local/overlay", "local/copy")
LIMITS = Limits(wall_s=60.0, memory_mb=256, processes=48, disk_mb=32)
EMPTY = Fixture()


def sandbox_of(place: str) -> Sandbox:
    """The back end and isolation that `place` names."""
    backend, isolation = place.split("/")
    return make_sandbox(SandboxConfig(backend=backend, isolation=isolation))


@dataclass
class Place:
    """An open session, and short ways to run in it."""

    name: str
    session: PipeSession

    def outcome(
        self,
        *argv: str,
        fixture: Fixture = EMPTY,
        stdin: bytes = b"",
        env: dict[str, str] | None = None,
        cwd: str = "/workspace",
        timeout_s: float | None = None,
        stability: int | None = None,
    ) -> Recording | TrialFault:
        """One trial."""
        case = Case("p/01", "p", argv, fixture.digest(), stdin, env or {}, cwd, timeout_s)
        return next(outcome for _, outcome in self.session.run([case], {case.fixture: fixture}, stability=stability))

    def run(self, *argv: str, fixture: Fixture = EMPTY, stdin: bytes = b"", timeout_s: float | None = None) -> Recording:
        """One trial that the harness has to manage."""
        outcome = self.outcome(*argv, fixture=fixture, stdin=stdin, timeout_s=timeout_s)
        assert isinstance(outcome, Recording), outcome
        return outcome

    def sh(self, script: str, fixture: Fixture = EMPTY) -> Recording:
        """A shell script."""
        return self.run("sh", "-c", script, fixture=fixture)

    def python(self, script: str, fixture: Fixture = EMPTY) -> Recording:
        """A Python script."""
        return self.run("python3", "-I", "-S", "-c", script, fixture=fixture)


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation of one tool, that says where it is."""
    folder = tmp_path_factory.mktemp("prefix")
    folder.chmod(0o755)
    (folder / "bin").mkdir()
    tool = folder / "bin" / "tool"
    tool.write_text('#!/bin/sh\necho "$0 $*"\n')
    tool.chmod(0o755)
    return folder


Opener = Callable[[str], Place]


@pytest.fixture(scope="session")
def open_place(prefix: Path) -> Iterator[Opener]:
    """A function that opens the session of a place, once for the whole run."""
    opened: dict[str, tuple[Sandbox, Place]] = {}

    def open_once(name: str) -> Place:
        if name not in opened:
            sandbox = sandbox_of(name)
            session = sandbox.open(language="python", prefix=prefix, limits=LIMITS, workers=2)
            assert isinstance(session, PipeSession)
            opened[name] = sandbox, Place(name, session.__enter__())
        return opened[name][1]

    yield open_once
    for sandbox, place in opened.values():
        place.session.close()
        sandbox.close()


@pytest.fixture(scope="session", params=PLACES)
def place(request: pytest.FixtureRequest, open_place: Opener) -> Place:
    """Each place in turn."""
    return open_place(request.param)


def files(**content: bytes) -> Fixture:
    """A fixture of plain files in the workspace."""
    return Fixture(tuple(Entry(name, content=data) for name, data in content.items()))


def changed(recording: Recording) -> dict[str, tuple[str, str]]:
    """Kind and type of each side effect."""
    return {change.path: (change.kind, change.type) for change in recording.changes}
