"""Starting states that the tool itself prepares: made once, by the oracle, and kept as files.

A published preparation may call the tool (pack an archive, so that unpacking it can be tested). Run by the tool under test, a defect in
packing would give unpacking another start; a preparation here never sees the tool. So the oracle runs it, and what it leaves becomes the
fixture, the same for everybody.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from clibench.recording import Change, Recording
from clibench.sandbox.interface import Session, TrialFault
from clibench.tasks.case import HOME, WORKSPACE, Case, Entry, Fixture

_PLACES: Final = ((f"{WORKSPACE}/", ""), (f"{HOME}/", "~/"))


@dataclass(frozen=True)
class Baked:
    """Cases over fixtures whose preparation does not call the tool."""

    cases: tuple[Case, ...]
    fixtures: Mapping[str, Fixture]
    faults: Mapping[str, str]
    """Cases whose start could not be made, with the reason."""


class _UnsaidError(Exception):
    """A state that entries can't say; the text says why."""


def bake(session: Session, cases: Sequence[Case], fixtures: Mapping[str, Fixture], tool: str) -> Baked:
    """Have the oracle, which the session has as `tool`, run the preparations that call it. Raises SandboxError."""
    calling = {digest: fixture for digest, fixture in fixtures.items() if fixture.prepare and calls(fixture.prepare[-1], tool)}
    bare = {digest: replace(fixture, prepare=None) for digest, fixture in calling.items()}
    trials = [Case(f"prepare/{digest[:16]}", digest, fixture.prepare or (), bare[digest].digest()) for digest, fixture in calling.items()]
    made: dict[str, Fixture] = {}
    reasons: dict[str, str] = {}
    for trial, result in session.run(trials, {fixture.digest(): fixture for fixture in bare.values()}):
        try:
            made[trial.pattern] = _state(bare[trial.pattern], result)
        except _UnsaidError as error:
            reasons[trial.pattern] = f"could not be prepared by the tool: {error}"
    kept = tuple(
        replace(case, fixture=made[case.fixture].digest()) if case.fixture in made else case
        for case in cases
        if case.fixture not in reasons
    )
    faults = {case.id: reasons[case.fixture] for case in cases if case.fixture in reasons}
    rest = {digest: fixture for digest, fixture in fixtures.items() if digest not in calling}
    return Baked(kept, rest | {fixture.digest(): fixture for fixture in made.values()}, faults)


def calls(script: str, tool: str) -> bool:
    """Whether a shell script has the tool's name where a command may stand."""
    return re.search(rf"(?:^|[\s;&|(]){re.escape(tool)}(?=$|[\s;&|)])", script) is not None


def _state(start: Fixture, result: Recording | TrialFault) -> Fixture:
    if isinstance(result, TrialFault):
        raise _UnsaidError(result.reason)
    if not result.status.ok:
        said = result.stderr.data.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise _UnsaidError(f"{result.status}{f': {said[0][:200]}' if said else ''}")
    entries = {entry.path: entry for entry in start.entries}
    for change in sorted(result.changes, key=lambda change: change.path):
        path = _path(change)
        if change.kind == "deleted":
            entries = {name: entry for name, entry in entries.items() if name != path and not name.startswith(f"{path}/")}
        else:
            entries[path] = _entry(path, change)
    return Fixture(tuple(entries.values()))


def _path(change: Change) -> str:
    for place, name in _PLACES:
        if change.path.startswith(place):
            return name + change.path.removeprefix(place)
    raise _UnsaidError(f"it changes {change.path}, which is outside of the workspace and the home folder")


def _entry(path: str, change: Change) -> Entry:
    if change.type == "symlink":
        return Entry(path, "symlink", target=change.target)
    if change.type == "dir":
        return Entry(path, "dir", mode=change.mode)
    if change.type != "file" or change.content is None:
        raise _UnsaidError(f"{change.path} is {'too large' if change.type == 'file' else f'a {change.type}'}")
    return Entry(path, "file", change.content, change.mode)
