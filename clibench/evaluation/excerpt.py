"""The first place where two texts part, short enough to show in a table.

Texts are shown line by line in the form in which they were compared, under the line number of the expected side as the tool printed it;
binary data is shown from the first differing byte. Control characters and undecodable bytes are escaped, so that an excerpt is safe in any
terminal, page or log.
"""

from __future__ import annotations

from typing import Final

from clibench.evaluation.normalise import strip_ansi
from clibench.evaluation.verdict import Difference

WIDTH: Final = 200
"""Characters shown of either side."""
BEFORE: Final = 40
"""Characters shown before the first that differs."""


def first_difference(where: str, expected: bytes, actual: bytes, *, binary: bool = False) -> Difference | None:
    """`where:LINE` (from 1) and both lines, or `where:byte OFFSET`; None for texts that are equal in comparable form."""
    if binary:
        return _first_byte(where, expected, actual)
    left, right = _numbered(expected), _numbered(actual)
    for (number, line), (_, other) in zip(left, right, strict=False):
        if line != other:
            return Difference(f"{where}:{number}", *_around(line, other))
    if len(left) == len(right):
        return None
    shorter = min(len(left), len(right))
    if len(left) > shorter:
        number, line = left[shorter]
        return Difference(f"{where}:{number}", *_around(line, None))
    number = left[-1][0] + 1 if left else 1
    return Difference(f"{where}:{number}", *_around(None, right[shorter][1]))


def exact_difference(where: str, expected: bytes, actual: bytes) -> Difference | None:
    """As `first_difference`, but blanks, line ends and escape sequences count: for the content of files."""
    if b"\0" in expected or b"\0" in actual:
        return _first_byte(where, expected, actual)
    left, right = expected.split(b"\n"), actual.split(b"\n")
    for number, (line, other) in enumerate(zip(left, right, strict=False), 1):
        if line != other:
            return Difference(f"{where}:{number}", *_around(line, other))
    shorter = min(len(left), len(right))
    if len(left) == len(right):
        return None
    ends = (left[shorter], None) if len(left) > shorter else (None, right[shorter])
    return Difference(f"{where}:{shorter + 1}", *_around(*ends))


def visible(data: bytes) -> str:
    """Printable form of bytes: UTF-8 where it is, everything else and all control characters escaped."""
    text = data.decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def _numbered(data: bytes) -> list[tuple[int, bytes]]:
    """Lines in comparable form, with the number of each in the data."""
    lines = ((number, b" ".join(raw.split())) for number, raw in enumerate(strip_ansi(data).splitlines(), 1))
    return [(number, line) for number, line in lines if line]


def _around(expected: bytes | None, actual: bytes | None) -> tuple[str, str]:
    """Both sides from a little before the first differing character; None is an end of text."""
    sides = ["<end of output>" if side is None else visible(side) for side in (expected, actual)]
    start = max(0, _parting(*sides) - BEFORE)
    return _clip(sides[0], start), _clip(sides[1], start)


def _clip(text: str, start: int) -> str:
    head = "…" if start else ""
    tail = "…" if len(text) > start + WIDTH else ""
    return head + text[start : start + WIDTH] + tail


def _parting(a: str, b: str) -> int:
    for place, (left, right) in enumerate(zip(a, b, strict=False)):
        if left != right:
            return place
    return min(len(a), len(b))


def _first_byte(where: str, expected: bytes, actual: bytes) -> Difference | None:
    if expected == actual:
        return None
    size = min(len(expected), len(actual))
    low, high = 0, size
    while low < high:  # longest common prefix, by halves
        middle = (low + high + 1) // 2
        low, high = (middle, high) if expected[low:middle] == actual[low:middle] else (low, middle - 1)
    start = max(0, low - 16)
    shown = [visible(side[start : start + 64]) or "<end of output>" for side in (expected, actual)]
    return Difference(f"{where}:byte {low}", *(text[:WIDTH] for text in shown))
