"""Cases of the artifact in the project's own form: argv, fixture, standard input, environment.

Mounted files lie in /test_data there and in the workspace here, so that name is replaced wherever it stands; a preparation script becomes
the fixture's preparation command. What this model can't say is counted with its reason and left out, never bent into something else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from clibench.importing.generate import Raw
from clibench.importing.shell import Call, UnsupportedError, Word, read_call, tokens_of, written
from clibench.tasks.case import WORKSPACE, Case, Entry, Fixture

_MOUNT: Final = re.compile(r"/test_data(?![\w-])")
_MOUNT_BYTES: Final = re.compile(rb"/test_data(?![\w-])")
_COMMON: Final = frozenset({"cd", "echo", "cat", "printf", "mkdir", "touch", "sh", "bash", "cp", "mv", "rm", "ls", "export", "git", "env"})


@dataclass(frozen=True)
class ImportedPattern:
    """A category of the artifact as a command pattern."""

    id: str
    description: str
    cases: int


@dataclass(frozen=True)
class Converted:
    """What of a task's cases could be said."""

    cases: tuple[Case, ...]
    fixtures: Mapping[str, Fixture]
    patterns: tuple[ImportedPattern, ...]
    left_out: Mapping[str, int]
    """Cases that could not be said, by reason."""


def relocated(text: str) -> str:
    """Text with the workspace in place of the artifact's folder of mounted files."""
    return _MOUNT.sub(WORKSPACE, text)


def tool_name(cases: Iterable[Raw]) -> str:
    """The command that most cases call; empty where none can be read."""
    names: Counter[str] = Counter()
    for case in cases:
        names.update(_called(case.command))
    return min(names, key=lambda name: (-names[name], name)) if names else ""


def _called(line: str) -> set[str]:
    """Names that stand where a shell expects a command, common ones aside."""
    found, expected = set(), True
    try:
        for token in tokens_of(line):
            if not isinstance(token, Word):
                expected = token.text in ("&&", ";", "|", "\n", "||")
            elif expected and not re.match(r"\w+=", token.text):
                found.add(token.text)
                expected = False
    except UnsupportedError:
        pass
    return found - _COMMON


def convert(raw: Sequence[Raw], tool: str) -> Converted:
    """The cases that can be said, numbered within their patterns, and why the others can't."""
    names = pattern_ids(case.category for case in raw)
    fixtures: dict[str, Fixture] = {}
    left_out: Counter[str] = Counter()
    cases: list[Case] = []
    keys: set[str] = set()
    numbers: Counter[str] = Counter()
    for each in raw:
        try:
            case, fixture = _case(each, names[each.category], tool)
        except UnsupportedError as error:
            left_out[str(error)] += 1
            continue
        if case.key() in keys:
            left_out["the same as another case once it is read"] += 1
            continue
        keys.add(case.key())
        numbers[case.pattern] += 1
        fixtures[case.fixture] = fixture
        number = f"{numbers[case.pattern]:02}"
        cases.append(Case(f"{case.pattern}/{number}", case.pattern, case.argv, case.fixture, case.stdin, case.env, case.cwd))
    patterns = tuple(ImportedPattern(name, category, numbers[name]) for category, name in names.items() if numbers[name])
    return Converted(tuple(cases), fixtures, patterns, dict(left_out))


def pattern_ids(categories: Iterable[str]) -> dict[str, str]:
    """An identifier for each category, in their order."""
    found: dict[str, str] = {}
    for category in dict.fromkeys(categories):
        name = re.sub(r"[^a-z0-9._]+", "-", category.lower()).strip("-._")[:60].strip("-._") or "pattern"
        taken = set(found.values())
        found[category] = next(each for each in (name, *(f"{name}-{n}" for n in range(2, 10_000))) if each not in taken)
    return found


def _case(raw: Raw, pattern: str, tool: str) -> tuple[Case, Fixture]:
    entries = tuple(_entry(path, content) for path, content in sorted(raw.mount_files.items()))
    before = relocated(raw.prep_script)
    known = {} if before.strip() else {f"{WORKSPACE}/{entry.path}": entry.content for entry in entries}
    call = read_call(relocated(raw.command), tool, known | written(before))
    if any("\0" in value for value in raw.env_vars.values()):
        raise UnsupportedError("a NUL byte in the environment")
    if len({entry.path for entry in entries}) < len(entries):
        raise UnsupportedError("two mounted files of one name")
    setup = " && ".join(f"( {part.strip()}\n)" for part in (before, call.setup) if part.strip())
    if "\0" in setup:
        raise UnsupportedError("a NUL byte in the preparation")
    fixture = Fixture(entries, ("sh", "-c", setup) if setup else None)
    env = {**raw.env_vars, **dict(call.env)}
    case = Case(
        "", pattern, call.argv, fixture.digest(), _stdin(call, entries, before), {k: relocated(v) for k, v in env.items()}, _cwd(call)
    )
    return case, fixture


def _entry(path: str, content: bytes) -> Entry:
    inner = PurePosixPath(_MOUNT.sub("", path).strip("/"))
    if (
        not inner.parts
        or ".." in inner.parts
        or "\0" in path
        or any(len(part.encode("utf-8", "surrogateescape")) > 255 for part in inner.parts)
    ):
        raise UnsupportedError("a mounted file without a usable name")
    return Entry(str(inner), content=_MOUNT_BYTES.sub(WORKSPACE.encode(), content))


def _cwd(call: Call) -> str:
    if not call.cwd:
        return WORKSPACE
    path = PurePosixPath(call.cwd if call.cwd.startswith("/") else f"{WORKSPACE}/{call.cwd}")
    if ".." in path.parts:
        raise UnsupportedError("a working folder with ..")
    return str(path)


def _stdin(call: Call, entries: Sequence[Entry], before: str) -> bytes:
    if not call.stdin_file:
        return call.stdin
    prepared = written(before)
    if call.stdin_file in prepared:
        return prepared[call.stdin_file]
    wanted = call.stdin_file.removeprefix(f"{WORKSPACE}/")
    for entry in entries:
        if entry.path == wanted:
            return entry.content
    raise UnsupportedError("input from a file that is not mounted")
