"""Test cases and fixtures: what is run, and what exists before it runs.

A case is one concrete command line (argv, no shell) with its stdin, environment and the digest of its fixture. The first word of argv is
always the alias of the tool. Fixtures are declarative, so that a state can be built identically in any sandbox and named by a digest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from clibench.digest import digest_json
from clibench.recording import bytes_from_json, bytes_to_json

WORKSPACE = "/workspace"
HOME = "/home/user"


@dataclass(frozen=True)
class Entry:
    """One path of a fixture. Relative paths are below /workspace; `~/` is below the home folder; no other place is allowed."""

    path: str
    type: Literal["file", "dir", "symlink"] = "file"
    content: bytes = b""
    mode: int | None = None
    """Permission bits; None is 0644 for a file, 0755 for a directory."""
    target: str | None = None
    """Of a symlink."""
    age_s: float | None = None
    """Modification time, in seconds before the trial starts; None is SOURCE_DATE_EPOCH, the same on every day."""


@dataclass(frozen=True)
class Fixture:
    """Files and set-up that exist before the command runs."""

    entries: tuple[Entry, ...] = ()
    prepare: tuple[str, ...] | None = None
    """argv run once in the workspace, in the sandbox, after the entries are written; its effects belong to the fixture."""

    def digest(self) -> str:
        """Name of this state."""
        return digest_json(fixture_to_json(self))


@dataclass(frozen=True)
class Case:
    """One test case t in T_c."""

    id: str
    """`<pattern id>/<two-digit number>`, unique in a task."""
    pattern: str
    argv: tuple[str, ...]
    fixture: str
    """Digest of the fixture."""
    stdin: bytes = b""
    env: dict[str, str] = field(default_factory=dict)
    """Added to the determinism contract's environment."""
    cwd: str = WORKSPACE
    timeout_s: float | None = None
    """None takes the sandbox's limit."""

    def key(self) -> str:
        """Digest of what is run, without the id: two cases with one key are duplicates."""
        body = case_to_json(self)
        del body["id"], body["pattern"]
        return digest_json(body)


def case_to_json(case: Case) -> dict[str, Any]:
    """One line of cases.jsonl."""
    body: dict[str, Any] = {"id": case.id, "pattern": case.pattern, "argv": list(case.argv), "fixture": case.fixture}
    if case.stdin:
        body["stdin"] = bytes_to_json(case.stdin)
    if case.env:
        body["env"] = dict(sorted(case.env.items()))
    if case.cwd != WORKSPACE:
        body["cwd"] = case.cwd
    if case.timeout_s is not None:
        body["timeout_s"] = case.timeout_s
    return body


def case_from_json(body: dict[str, Any]) -> Case:
    """Inverse of `case_to_json`; raises KeyError, TypeError or ValueError for a body that is not one."""
    return Case(
        id=body["id"],
        pattern=body["pattern"],
        argv=tuple(body["argv"]),
        fixture=body["fixture"],
        stdin=bytes_from_json(body.get("stdin", "")),
        env=dict(body.get("env", {})),
        cwd=body.get("cwd", WORKSPACE),
        timeout_s=body.get("timeout_s"),
    )


def fixture_to_json(fixture: Fixture) -> dict[str, Any]:
    """JSON form of a fixture, what its digest is taken of."""
    body: dict[str, Any] = {"entries": [_entry_to_json(entry) for entry in fixture.entries]}
    if fixture.prepare is not None:
        body["prepare"] = list(fixture.prepare)
    return body


def fixture_from_json(body: dict[str, Any]) -> Fixture:
    """Inverse of `fixture_to_json`."""
    prepare = body.get("prepare")
    return Fixture(tuple(_entry_from_json(entry) for entry in body["entries"]), tuple(prepare) if prepare is not None else None)


def _entry_to_json(entry: Entry) -> dict[str, Any]:
    body: dict[str, Any] = {"path": entry.path, "type": entry.type}
    if entry.type == "file":
        body["content"] = bytes_to_json(entry.content)
    if entry.mode is not None:
        body["mode"] = entry.mode
    if entry.target is not None:
        body["target"] = entry.target
    if entry.age_s is not None:
        body["age_s"] = entry.age_s
    return body


def _entry_from_json(body: dict[str, Any]) -> Entry:
    return Entry(
        path=body["path"],
        type=body["type"],
        content=bytes_from_json(body.get("content", "")),
        mode=body.get("mode"),
        target=body.get("target"),
        age_s=body.get("age_s"),
    )
