"""Small recordings and tasks for the tests of this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clibench.digest import digest_bytes
from clibench.recording import Change, ChangeKind, End, Output, Recording, Status
from clibench.tasks.case import Case, Fixture
from clibench.tasks.task import Difficulty, Language, Oracle, Pattern, Task


def ran(stdout: bytes = b"", code: int = 0, *, end: End = End.EXIT, changes: Sequence[Change] = (), stderr: bytes = b"") -> Recording:
    """One recording."""
    return Recording(Status(end, code), Output.of(stdout), Output.of(stderr), tuple(sorted(changes)))


def file(path: str, content: bytes = b"", *, kind: ChangeKind = "created", mode: int = 0o644, keep: bool = True) -> Change:
    """A file that was created or modified."""
    return Change(path, kind, "file", mode, len(content), digest_bytes(content), None, content if keep else None)


def folder(path: str) -> Change:
    """A folder that was created."""
    return Change(path, "created", "dir", 0o755)


def gone(path: str) -> Change:
    """A file that was deleted."""
    return Change(path, "deleted", "file")


def cut(data: bytes, kept: int) -> Output:
    """A stream of which only the first bytes were kept."""
    return Output(data[:kept], len(data), digest_bytes(data), truncated=len(data) > kept)


def make_task(
    oracle: Mapping[str, Recording],
    *,
    normalisers: tuple[str, ...] = (),
    case_normalisers: Mapping[str, tuple[str, ...]] | None = None,
    fixture: Fixture | None = None,
) -> Task:
    """A task with the given oracle recordings; case ids are `<pattern>/<number>`."""
    state = fixture or Fixture()
    cases = tuple(Case(name, name.partition("/")[0], ("tool", name), state.digest()) for name in oracle)
    patterns = tuple(Pattern(name, name) for name in dict.fromkeys(case.pattern for case in cases))
    pin = Oracle("pypi", "original", "1.0", "original", "MIT", "", "")
    return Task(
        "sample", "tool", Language.PYTHON, "Testing", Difficulty.EASY, 100, pin, "", patterns, cases, {state.digest(): state}, oracle,
        normalisers, case_normalisers or {},
    )  # fmt: skip
