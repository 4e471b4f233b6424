"""The first place where two texts part, short enough to show in a table.

Texts are shown line by line in the form in which they were compared, under the line number of the expected side as the tool printed it;
binary data is shown from the first differing byte. Control characters and undecodable bytes are escaped, so that an excerpt is safe in any
terminal, page or log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
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
    expected, actual = strip_ansi(expected), strip_ansi(actual)
    skipped = _common_lines(expected, actual)
    number = 1 + expected.count(b"\n", 0, skipped)
    left, right = _numbered(expected, skipped, number), _numbered(actual, skipped, number)
    for (number, line), (_, other) in zip_longest(left, right, fillvalue=_END):
        if line != other:
            return Difference(f"{where}:{number}" if line is not None else f"{where}:end", *_around(line, other))
    return None


_END: Final[tuple[int, bytes | None]] = (0, None)


def exact_difference(where: str, expected: bytes, actual: bytes) -> Difference | None:
    """As `first_difference`, but blanks, line ends and escape sequences count: for the content of files."""
    if b"\0" in expected or b"\0" in actual:
        return _first_byte(where, expected, actual)
    if expected == actual:
        return None
    shared = _common_bytes(expected, actual)
    start, number = expected.rfind(b"\n", 0, shared) + 1, 1 + expected.count(b"\n", 0, shared)
    left, right = (side[start:].partition(b"\n")[0] if start < len(side) else None for side in (expected, actual))
    return Difference(f"{where}:{number}", *_around(left, right))


def visible(data: bytes) -> str:
    """Printable form of bytes: UTF-8 where it is, everything else and all control characters escaped."""
    text = data.decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def _common_lines(expected: bytes, actual: bytes) -> int:
    """Length of the whole lines with which both begin; 0 where carriage returns make lines of their own."""
    shared = _common_bytes(expected, actual)
    end = expected.rfind(b"\n", 0, shared) + 1
    return 0 if b"\r" in expected[:end] else end


def _common_bytes(expected: bytes, actual: bytes) -> int:
    """Length of the common prefix, found by halves."""
    low, high = 0, min(len(expected), len(actual))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if expected[low:middle] == actual[low:middle] else (low, middle - 1)
    return low


def _numbered(data: bytes, start: int, number: int) -> Iterator[tuple[int, bytes | None]]:
    """Lines in comparable form from `start` on, with the number of each in the data; one by one, since few are asked for."""
    for match in _LINE.finditer(data, start):
        if line := b" ".join(match[0].split()):
            yield number, line
        number += 1


_LINE: Final = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|(?<=[^\r\n])\Z)")


def _around(expected: bytes | None, actual: bytes | None) -> tuple[str, str]:
    """Both sides from a little before the first differing byte; None is an end of text."""
    start = max(0, _common_bytes(expected or b"", actual or b"") - BEFORE)
    return _clip(expected, start), _clip(actual, start)


def _clip(side: bytes | None, start: int) -> str:
    if side is None:
        return "<end of output>"
    while 0 < start < len(side) and side[start] & 0xC0 == 0x80:  # not in the middle of a character
        start -= 1
    text = visible(side[start : start + 4 * WIDTH])
    cut = start + 4 * WIDTH < len(side) or len(text) > WIDTH
    return ("…" if start else "") + text[:WIDTH] + ("…" if cut else "")


def _first_byte(where: str, expected: bytes, actual: bytes) -> Difference | None:
    if expected == actual:
        return None
    low = _common_bytes(expected, actual)
    start = max(0, low - 16)
    shown = [visible(side[start : start + 64]) or "<end of output>" for side in (expected, actual)]
    return Difference(f"{where}:byte {low}", *(text[:WIDTH] for text in shown))
