"""Compare side effects: what two executions left different in the file system (dS, paper II-C2).

Two executions have equal *effective* side effects when, after what the ignore list names is taken away, the same paths were created,
modified and deleted, with the same type, executable bit, content and symlink target. Order and time play no part.

An ignore pattern is a path of globs. One without a leading `/` or `~/` matches a name (or some names in a row) anywhere, one with it is
anchored at the root or at the home folder; what is below a matching folder is ignored with it: `__pycache__`, `*.pyc`, `~/.npm`,
`node_modules/.cache`. A folder that was created only to hold what is ignored is ignored too. `*` and `?` do not cross a `/`.

Masks among the normalisers apply to paths and symlink targets, all normalisers to file contents, where both contents were kept by the
recorder; contents beyond its cap are compared by hash. A file that was rewritten with what the fixture put there is no change, whatever
became of those permission bits that are not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from clibench.digest import digest_bytes
from clibench.evaluation.excerpt import exact_difference
from clibench.evaluation.normalise import Chain
from clibench.evaluation.params import CompareParams
from clibench.evaluation.verdict import Difference
from clibench.recording import Change
from clibench.tasks.case import HOME, WORKSPACE, Fixture

PERMISSIONS: Final = {"executable": 0o111, "full": 0o7777, "none": 0}
"""Bits that are compared, by `CompareParams.mode`; `executable` asks only whether any of them is set."""


@dataclass(frozen=True)
class Mismatch:
    """One path whose effect is not the same, and why."""

    path: str
    reason: str
    difference: Difference


def compare_side_effects(
    expected: Sequence[Change], actual: Sequence[Change], chain: Chain, params: CompareParams, fixture: Fixture | None = None
) -> list[Mismatch]:
    """Every path whose effect differs, in the order of paths; empty where the effective side effects are equal."""
    if expected == actual:
        return []
    before = _fixture_files(fixture) if fixture is not None else {}
    left, right = (_by_path(effective(_real(side, before, params), params.ignore), chain) for side in (expected, actual))
    mismatches = []
    for path in sorted(left.keys() | right.keys()):
        mismatches += _compare_path(path, left.get(path, []), right.get(path, []), chain, params)
    return mismatches


def effective(changes: Iterable[Change], ignore: tuple[str, ...]) -> list[Change]:
    """`changes` without what the ignore list names and without folders that were created only to hold it."""
    pattern = _compile(ignore)
    if pattern is None:
        return list(changes)
    kept: list[Change] = []
    ignored: list[str] = []
    for change in changes:
        if pattern.search(change.path):
            ignored.append(change.path)
        else:
            kept.append(change)
    if not ignored:
        return kept
    # From the deepest path up: a new folder stays unless all that is in it was ignored, and something was.
    holders = {parent for path in ignored for parent in _parents(path)}
    needed: set[str] = set()
    result = []
    for change in sorted(kept, key=lambda change: change.path, reverse=True):
        only_a_holder = change.kind == "created" and change.type == "dir" and change.path in holders and change.path not in needed
        if not only_a_holder:
            needed.update(_parents(change.path))
            result.append(change)
    return sorted(result, key=lambda change: change.path)


def executable(change: Change) -> bool:
    """Whether anybody may execute it."""
    return bool(change.mode & 0o111)


def _real(changes: Iterable[Change], before: Mapping[str, tuple[str, bool]], params: CompareParams) -> list[Change]:
    """Without files that hold what the fixture put there: a rewrite through a temporary file changes bits that are not compared."""
    if not before or params.mode == "full":
        return list(changes)

    def same(change: Change) -> bool:
        if change.kind != "modified" or change.type != "file" or change.path not in before:
            return False
        digest, runs = before[change.path]
        return change.sha256 == digest and (params.mode == "none" or executable(change) == runs)

    return [change for change in changes if not same(change)]


@lru_cache(maxsize=1024)
def _fixture_files(fixture: Fixture) -> dict[str, tuple[str, bool]]:
    """Digest and executable bit of each file of the fixture; nothing where a preparation command may have changed it."""
    if fixture.prepare is not None:
        return {}
    return {
        _absolute(entry.path): (digest_bytes(entry.content), bool((entry.mode or 0) & 0o111))
        for entry in fixture.entries
        if entry.type == "file"
    }


def _absolute(path: str) -> str:
    return f"{HOME}/{path[2:]}" if path.startswith("~/") else f"{WORKSPACE}/{path.removeprefix('./')}"


def _by_path(changes: Iterable[Change], chain: Chain) -> dict[str, list[Change]]:
    """Changes by normalised path. A mask may give several paths one name; they are then compared as a bag."""
    grouped: dict[str, list[Change]] = {}
    for change in changes:
        grouped.setdefault(chain.value(change.path), []).append(change)
    return grouped


def _compare_path(path: str, expected: list[Change], actual: list[Change], chain: Chain, params: CompareParams) -> list[Mismatch]:
    if len(expected) > 1 or len(actual) > 1:
        return _compare_bag(path, expected, actual, chain, params)
    if not actual:
        return [_mismatch(path, f"missing: should have been {expected[0].kind}", _describe(expected[0]), "unchanged")]
    if not expected:
        return [_mismatch(path, f"unexpected: {actual[0].kind}", "unchanged", _describe(actual[0]))]
    return _compare_change(path, expected[0], actual[0], chain, params)


def _compare_bag(path: str, expected: list[Change], actual: list[Change], chain: Chain, params: CompareParams) -> list[Mismatch]:
    """Each change needs a partner of its own; masks leave nothing to tell them apart by but what they are."""
    rest = list(actual)
    alone = []
    for change in expected:
        partner = next((other for other in rest if not _compare_change(path, change, other, chain, params)), None)
        if partner is None:
            alone.append(change)
        else:
            rest.remove(partner)
    if not alone and not rest:
        return []
    described = ["; ".join(map(_describe, side)) or "nothing more" for side in (alone, rest)]
    return [_mismatch(path, f"{len(expected)} changes of this name expected, {len(actual)} made", *described)]


def _compare_change(path: str, expected: Change, actual: Change, chain: Chain, params: CompareParams) -> list[Mismatch]:
    if expected.kind != actual.kind:
        return [_mismatch(path, f"should have been {expected.kind}, was {actual.kind}", _describe(expected), _describe(actual))]
    if expected.type != actual.type:
        return [_mismatch(path, "type differs", expected.type, actual.type)]
    if expected.kind == "deleted":
        return []
    if expected.type == "symlink":
        targets = expected.target or "", actual.target or ""
        return [] if chain.value(targets[0]) == chain.value(targets[1]) else [_mismatch(path, "symlink target differs", *targets)]
    if expected.type == "file" and (difference := _content_difference(path, expected, actual, chain)) is not None:
        return [difference]
    if _bits(expected, params) != _bits(actual, params):
        what = "executable bit differs" if params.mode == "executable" else "mode differs"
        return [_mismatch(path, what, f"{expected.mode:04o}", f"{actual.mode:04o}")]
    return []


def _content_difference(path: str, expected: Change, actual: Change, chain: Chain) -> Mismatch | None:
    if expected.sha256 == actual.sha256:
        return None
    if expected.content is None or actual.content is None:
        note = " (too large to keep: compared by hash)"
        return _mismatch(path, "content differs" + note, *(f"{side.size} bytes, sha256 {side.sha256}" for side in (expected, actual)))
    left, right = chain(expected.content), chain(actual.content)
    if left == right:
        return None
    difference = exact_difference(path, left, right)
    return Mismatch(path, "content differs", difference or Difference(path, f"{len(left)} bytes", f"{len(right)} bytes"))


def _bits(change: Change, params: CompareParams) -> int:
    bits = change.mode & PERMISSIONS[params.mode]
    return int(bool(bits)) if params.mode == "executable" else bits


def _mismatch(path: str, reason: str, expected: str, actual: str) -> Mismatch:
    return Mismatch(path, reason, Difference(path, expected[:400], actual[:400]))


def _describe(change: Change) -> str:
    parts = [f"{change.type} {change.kind}"]
    if change.target is not None:
        parts.append(f"-> {change.target}")
    if change.sha256 is not None:
        parts.append(f"{change.size} bytes")
    if executable(change) and change.type == "file":
        parts.append("executable")
    return ", ".join(parts)


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(2, len(parts))]


@lru_cache(maxsize=64)
def _compile(ignore: tuple[str, ...]) -> re.Pattern[str] | None:
    """One expression for all patterns, searched in an absolute path."""
    return re.compile("|".join(_expression(pattern) for pattern in ignore), re.DOTALL) if ignore else None


def _expression(pattern: str) -> str:
    anchored = pattern.startswith(("/", "~/"))
    if pattern.startswith("~/"):
        pattern = f"{HOME}/{pattern[2:]}"
    body = "/".join(_glob(part) for part in pattern.strip("/").split("/"))
    return f"{'^/' if anchored else '(?:^|/)'}{body}(?:/|$)"


def _glob(part: str) -> str:
    """One path component: `*`, `?` and `[...]` within it."""
    out = []
    place = 0
    while place < len(part):
        char = part[place]
        end = part.find("]", place + 2) if char == "[" else -1
        if char == "*":
            out.append("[^/]*")
        elif char == "?":
            out.append("[^/]")
        elif end > 0:
            inside = part[place + 1 : end].replace("\\", "\\\\")
            out.append(f"[{'^' + inside[1:] if inside.startswith('!') else inside}]")
            place = end
        else:
            out.append(re.escape(char))
        place += 1
    return "".join(out)
