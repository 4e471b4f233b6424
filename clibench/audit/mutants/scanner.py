"""The tokens of JavaScript and Go, as far as it takes to tell code from strings, comments and regular expressions.

No parser: what a token means is guessed from its neighbours (`token_sites`), and whether a defect still compiles is the compiler's to say.
In JavaScript a slash opens a regular expression where a value can't have ended before it; after a brace that is a guess, and one that
is wrong shows as a file that ends inside a literal, which is then left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from clibench.tasks.task import Language

TokenKind = Literal["word", "number", "string", "op", "regex"]


@dataclass(frozen=True)
class Token:
    """Bytes `start` to `end`. A template without placeholders is a string; of one with, each part between placeholders is."""

    kind: TokenKind
    start: int
    end: int
    text: bytes
    newline: bool
    """Whether a line ends between the token before and this one."""


class ScanError(ValueError):
    """The text ends inside a literal or comment."""


_GO_OPS: Final = (
    "<<= >>= &^= ... && || <- ++ -- == != <= >= := += -= *= /= %= &= |= ^= << >> &^ + - * / % & | ^ < > = ! ( ) [ ] { } , ; . : ~ ? @ #"
)
_JS_OPS: Final = (
    ">>>= ... === !== **= <<= >>= >>> &&= ||= ??= => == != <= >= && || ?? ?. ++ -- += -= *= /= %= &= |= ^= << >> ** "
    "+ - * / % & | ^ < > = ! ~ ( ) [ ] { } , ; . : ? @ # \\"
)


def _operators(text: str) -> bytes:
    return b"|".join(re.escape(operator.encode()) for operator in text.split())


_COMMON: Final = (
    rb"(?P<word>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)|(?P<number>(?:0[xXbBoO][\w]*|\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?|\.\d+)\w*)"
)
_STRING: Final = rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_GO: Final = re.compile(_COMMON + rb"|(?P<string>`[^`]*`|" + _STRING + rb")|(?P<op>" + _operators(_GO_OPS) + rb")", re.DOTALL)
_JS: Final = re.compile(_COMMON + rb"|(?P<string>" + _STRING + rb")|(?P<op>" + _operators(_JS_OPS) + rb")", re.DOTALL)
_BLANK: Final = re.compile(rb"(?:\s|//[^\n]*|/\*.*?\*/|(?:(?<=\A)#![^\n]*))+", re.DOTALL)
_REGEX: Final = re.compile(rb"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_TEMPLATE: Final = re.compile(rb"(?:[^`\\$]|\\.|\$(?!\{))*", re.DOTALL)
_VALUE_WORDS: Final = frozenset(b"return typeof instanceof in of new delete void throw case do else yield await default".split())
"""After these a value starts, so that a slash is a regular expression."""


def scan(source: bytes, language: Language) -> list[Token]:
    """The tokens of a file. Raises ScanError."""
    return _Scanner(source, javascript=language is Language.JAVASCRIPT).scan()


class _Scanner:
    def __init__(self, source: bytes, *, javascript: bool) -> None:
        self._source, self._javascript = source, javascript
        self._pattern = _JS if javascript else _GO
        self._tokens: list[Token] = []
        self._open: list[bytes] = []
        """Brackets that are open; `${` for a placeholder of a template. A `(` of `if`, `for`, `while` and `with` is kept as `if(`."""
        self._after_head = False
        """Whether the token before is the `)` of such a head."""

    def scan(self) -> list[Token]:
        place, newline = 0, False
        source = self._source
        while place < len(source):
            blank = _BLANK.match(source, place)
            if blank is not None:
                newline = newline or b"\n" in blank[0]
                place = blank.end()
                continue
            start = place
            place = self._next(place, newline)
            if place == start:
                raise ScanError(f"byte {place} opens something that does not end")
            newline = False
        if self._open:
            raise ScanError(f"{self._open[-1].decode()} is never closed")
        return self._tokens

    def _next(self, place: int, newline: bool) -> int:
        source = self._source
        if self._javascript:
            if source[place : place + 1] == b"`":
                return self._template(place, place + 1, newline)
            if source[place : place + 1] == b"/" and self._value_may_start() and (regex := _REGEX.match(source, place)):
                return self._add("regex", place, regex.end(), newline)
        found = self._pattern.match(source, place)
        if found is None or source.startswith(b"/*", place):
            return place
        kind = found.lastgroup
        if kind == "op":
            closes_placeholder = found[0] == b"}" and self._open[-1:] == [b"${"]
            self._brackets(found[0])
            if closes_placeholder:
                return self._template(place, place + 1, newline)
            return self._add("op", place, found.end(), newline)
        if kind == "word":
            return self._add("word", place, found.end(), newline)
        return self._add("number" if kind == "number" else "string", place, found.end(), newline)

    def _template(self, start: int, place: int, newline: bool) -> int:
        """One part of a template, from a backtick or the end of a placeholder to the next placeholder or the last backtick."""
        end = _TEMPLATE.match(self._source, place)
        assert end is not None  # noqa: S101 - it matches nothing at least
        place = end.end()
        if self._source[place : place + 1] == b"`":
            return self._add("string", start, place + 1, newline)
        if self._source[place : place + 2] == b"${":
            self._add("string", start, place + 2, newline)
            self._open.append(b"${")
            return place + 2
        raise ScanError(f"the template at byte {start} does not end")

    def _brackets(self, op: bytes) -> None:
        self._after_head = False
        if op in (b"(", b"[", b"{"):
            head = op == b"(" and self._tokens and self._tokens[-1].text in (b"if", b"for", b"while", b"with")
            self._open.append(b"if(" if head else op)
        elif op in (b")", b"]", b"}"):
            if not self._open:
                raise ScanError(f"{op.decode()} closes nothing")
            opened = self._open.pop()
            if {b"(": b")", b"if(": b")", b"[": b"]", b"{": b"}", b"${": b"}"}[opened] != op:
                raise ScanError(f"{op.decode()} closes {opened.decode()}")
            self._after_head = opened == b"if("

    def _value_may_start(self) -> bool:
        if not self._tokens:
            return True
        last = self._tokens[-1]
        if last.kind == "word":
            return last.text in _VALUE_WORDS
        if last.kind == "op":
            return last.text not in (b")", b"]", b"++", b"--") or (last.text == b")" and self._after_head)
        return last.kind == "string" and last.text.endswith(b"${")

    def _add(self, kind: TokenKind, start: int, end: int, newline: bool) -> int:
        self._tokens.append(Token(kind, start, end, self._source[start:end], newline))
        return end
