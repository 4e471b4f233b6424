"""The edge material of the paper's fuzzing (II-B): values that careless programs mistake.

An edge value is neither valid nor invalid in itself: what the tool does with it is what the oracle's recording says. Families `nul` and
`bytes` can't be part of an argument or of the environment (the kernel ends an argument at NUL; and arguments that are not UTF-8 test
the language's runtime rather than the tool), so they are for standard input and files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal

from clibench.synthesis.stream import Stream

Edge = Literal["empty", "blank", "newline", "traversal", "shell", "long", "nonascii", "dash", "quotes", "nul", "bytes", "out_of_range"]

DATA_ONLY: Final = frozenset({"nul", "bytes"})
"""Families that only standard input and files can hold."""

# No path of a system that exists: what is there differs from one image to the next, and is no business of a test.
_TRAVERSAL = ("../outside.txt", "../../nowhere/passwd", "a/../../b", "../workspace", "./missing/../x", "/nowhere/file", "../../../../x")
_SHELL = ("; echo hacked", "$(echo hacked)", "`echo hacked`", "a && b", "a | b", "$HOME", "*", "> out.txt", "a;b", "!!", "%s%n", "\\n")
_NONASCII = ("café", "naïve", "日本語", "Ünïcödé", "emoji 🎉", "ﬁligree", "e\u0301", "שלום", "Ω≈ç√", "zero\u200bwidth")
_DASH = ("-", "--", "-x", "--unknown", "-1", "---")
_QUOTES = ("'", '"', "it's", 'say "hi"', "\\", "a\\b", "'\"'", 'a\\"b')
_BLANK = (" ", "\t", "   ", " padded ", "two words")
_NEWLINE = ("\n", "a\nb", "a\r\nb", "trailing\n", "\nleading")


def _long(stream: Stream) -> str:
    return stream.pick(("a", "x1", "long-")) * stream.pick((300, 1000, 4096))


def _nul(stream: Stream) -> str:
    return stream.pick(("\0", "a\0b", "line\n\0\nline\n", "end\0"))


def _bytes(stream: Stream) -> str:
    raw = stream.pick((b"\xff\xfe", b"caf\xe9\n", b"\x80\x81\x82", b"ok \xc3( bad\n", b"\xed\xa0\x80"))
    return raw.decode("utf-8", "surrogateescape")


FAMILIES: Final[Mapping[str, Callable[[Stream], str]]] = MappingProxyType(
    {
        "empty": lambda _: "",
        "blank": lambda stream: stream.pick(_BLANK),
        "newline": lambda stream: stream.pick(_NEWLINE),
        "traversal": lambda stream: stream.pick(_TRAVERSAL),
        "shell": lambda stream: stream.pick(_SHELL),
        "long": _long,
        "nonascii": lambda stream: stream.pick(_NONASCII),
        "dash": lambda stream: stream.pick(_DASH),
        "quotes": lambda stream: stream.pick(_QUOTES),
        "nul": _nul,
        "bytes": _bytes,
    }
)
"""How a value of each family is drawn; `out_of_range` belongs to the number types themselves."""
