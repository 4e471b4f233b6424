"""Listings of paths without an order, and tree drawings.

Whether the order of a listing means something can't be seen from the output alone, so it is taken to mean something unless all of this
holds: every line is one path; the expected lines are in no recognisable order (plain, case-blind, natural, by folder, forwards or
backwards); and they are not in the order of something that the command read or was given. What is left is the order in which a file system
happens to enumerate a folder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

from clibench.evaluation.tokens import path_form, same_text

_PATH_LINE: Final = re.compile(r"^(?:\.{0,2}/)?[^\s/:|,;\"'<>=(){}\[\]]+(?:/[^\s/:|,;\"'<>=(){}\[\]]+)*/?$")
_LOOKS_LIKE_PATH: Final = re.compile(r"/|\.[A-Za-z][A-Za-z0-9]{0,9}$")
_BRANCH: Final = re.compile(r"^(?P<depth>(?:[ \u00a0]{2,})?(?:[│|┃][ \u00a0]+)*)(?:[├└┣┗╰╠╚]|[|+`\\](?=-))[─━═-]{1,3}[ \u00a0]?")

_ORDERS: Final[tuple[Callable[[str], Any], ...]] = (
    lambda path: path,
    str.casefold,
    lambda path: path.split("/"),
    lambda path: path.casefold().split("/"),
    lambda path: [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", path) if part],
    lambda path: (path.count("/"), path),
    lambda path: path.rpartition("/")[2],
    lambda path: path.rpartition(".")[2],
    len,
)


def same_listing(expected: str, actual: str, inputs: Iterable[bytes]) -> bool:
    """Whether both are listings of the same paths, and the expected one has no order that the other could break."""
    left, right = _paths(expected), _paths(actual)
    return left is not None and right is not None and Counter(left) == Counter(right) and not has_order(left, inputs)


def has_order(paths: list[str], inputs: Iterable[bytes]) -> bool:
    """Whether the order of `paths` is a sorted one or that of an input."""
    for key in _ORDERS:
        keys = [key(path) for path in paths]
        rising = sorted(keys)
        if rising[0] != rising[-1] and keys in (rising, rising[::-1]):
            return True
    return any(_follows(paths, data.decode("utf-8", "replace")) for data in inputs)


def tree_mismatch(expected: str, actual: str) -> str | None:
    """None where both draw the same tree; empty where the expected text draws none."""
    left = _tree(expected)
    if left is None:
        return ""
    right = _tree(actual)
    if right is None:
        return "the output draws no tree"
    for number, ((depth, name), (other_depth, other)) in enumerate(zip(left, right, strict=False), 1):
        if depth != other_depth or not same_text(name, other):
            return f"line {number} differs"
    return None if len(left) == len(right) else f"{len(left)} lines are not {len(right)}"


def _paths(text: str) -> list[str] | None:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or not all(_PATH_LINE.match(line) for line in lines):
        return None
    if not all(_LOOKS_LIKE_PATH.search(line) for line in lines):
        return None
    return [path_form(line) for line in lines]


def _follows(paths: list[str], text: str) -> bool:
    """Whether all paths occur in `text`, one after the other."""
    place = 0
    for path in paths:
        place = text.find(path, place)
        if place < 0:
            return False
        place += len(path)
    return True


def _tree(text: str) -> list[tuple[int, str]] | None:
    """Depth and name of each line; None for a text with fewer than two branches."""
    rows, branches = [], 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        match = _BRANCH.match(line)
        if match is None:
            rows.append((0, line.strip()))
        else:
            branches += 1
            rows.append((1 + _levels(match["depth"]), line[match.end() :].strip()))
    return rows if branches >= 2 else None


def _levels(prefix: str) -> int:
    """Levels of a prefix: bars with their blanks, or runs of blanks, as long as in common styles (4, seldom 3)."""
    width = 4 if len(prefix) % 4 == 0 else 3 if len(prefix) % 3 == 0 else 1
    return len(prefix) // width
