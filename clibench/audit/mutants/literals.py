"""How a literal of the source is changed, as bytes and for every language."""

from __future__ import annotations

import re

_WORDS = re.compile(rb"[A-Za-z]{2,}")
_NEWLINE = (rb"\n", b"\n")


def more(number: bytes) -> bytes | None:
    """A decimal whole number, one more; None where it is not one."""
    return b"%d" % (int(number) + 1) if re.fullmatch(rb"0|[1-9][0-9]{0,15}", number) else None


def other_default(literal: bytes) -> bytes | None:
    """Another value of the same type for a string, whole number or boolean in source form; None where the literal is none of them."""
    if literal in (b"true", b"false", b"True", b"False"):
        return {b"true": b"false", b"false": b"true", b"True": b"False", b"False": b"True"}[literal]
    if literal[-1:] in (b'"', b"'", b"`"):
        quote = literal[-1:]
        return quote + quote if literal.strip(b"rRbBuUfF") != quote * 2 else quote + b"x" + quote
    return more(literal)


def other_text(literal: bytes, *, quote: int = 1) -> tuple[int, bytes] | None:
    """Where in a string literal, closed by `quote` characters, something is put in and what, so that its text differs; None without words.

    Behind the text and before the line's end: an insertion breaks neither escapes nor placeholders.
    """
    if not _WORDS.search(re.sub(rb"%[a-z]|\\[a-z]|\$?\{[^}]*\}", b"", literal)):
        return None
    end = len(literal) - quote
    for newline in _NEWLINE:
        while literal[:end].endswith(newline) and not literal[:end].endswith(b"\\" + newline):
            end -= len(newline)
    return end, b"*"


def is_message(literal: bytes) -> bool:
    """Whether a string is a text for people: at least two words."""
    return len(_WORDS.findall(literal)) > 1 and b" " in literal.strip(b"\"'` ")
