"""Where defects can be put into JavaScript and Go: found in the tokens and their neighbours, no more.

A defect is made so that it compiles wherever that can be had cheaply: what is switched off stays in the text (`if false { ... }`), since Go
refuses a variable or import that nothing uses. What still does not compile is no mutant.
"""

from __future__ import annotations

import re
from typing import Final

from clibench.audit.mutants.edit import Edit, Kind
from clibench.audit.mutants.literals import is_message, more, other_default, other_text
from clibench.audit.mutants.scanner import ScanError, Token, scan
from clibench.tasks.task import Language

_SWAPS: Final = {
    b"<": b"<=",
    b"<=": b"<",
    b">": b">=",
    b">=": b">",
    b"==": b"!=",
    b"!=": b"==",
    b"===": b"!==",
    b"!==": b"===",
    b"&&": b"||",
    b"||": b"&&",
}
_WRITES: Final = {
    Language.GO: re.compile(
        rb"(?:F?[Pp]rint|[Ww]rite|[Ee]mit|[Aa]ppend|[Aa]dd|[Ss]et|[Ll]og|[Ff]lush|[Ss]ort|[Pp]ush|Strings|Ints|Slice|Copy|Truncate)\w*"
    ),
    Language.JAVASCRIPT: re.compile(
        rb"(?:log|info|warn|error|write|push|unshift|add|set|append|print|emit|sort|reverse|rm|unlink|mkdir|copy|rename)\w*"
    ),
}
_PRINTS: Final = re.compile(rb"F?[Pp]rint\w*|Errorf?|Fatal\w*|New|[Ww]rite\w*|log|warn|error|info|Error|Usage|usage|message")
_FLAG_CALL: Final = re.compile(rb"(?:String|Bool|Int|Int64|Uint|Uint64|Float64|Duration)(?:Slice)?(Var)?(P)?")
_GO_EFFECTS: Final = frozenset(b"WriteFile Remove RemoveAll Rename Mkdir MkdirAll Chmod Symlink Truncate".split())
_ENDS: Final = frozenset((b")", b"}", b",", b";", b"]"))
_OPENS: Final = {b"(": b")", b"[": b"]", b"{": b"}"}


def token_sites(file: str, source: bytes, language: Language) -> list[Edit]:
    """All defects that can be put into one file, in the order of their places; none for a file whose tokens can't be told."""
    try:
        tokens = scan(source, language)
    except ScanError:
        return []
    return _Finder(file, source, tokens, language).find()


class _Finder:
    def __init__(self, file: str, source: bytes, tokens: list[Token], language: Language) -> None:
        self._file, self._source, self._tokens, self._language = file, source, tokens, language
        self._go = language is Language.GO
        self._found: dict[tuple[int, int, bytes], Edit] = {}
        self._taken: set[int] = set()
        """Literals that are a default, by index: no other kind takes them."""
        self._partner = _partners(tokens)
        words = () if self._go else (b"if", b"for", b"while", b"with")
        self._heads = {close for opening, close in self._partner.items() if self._text(opening - 1) in words}
        """The `)` of such a head, by index: what follows is not a statement that can be left out."""

    def find(self) -> list[Edit]:
        skipped = self._skipped()
        for index in range(len(self._tokens)):
            if index not in skipped:
                self._defaults(index)
        for index, token in enumerate(self._tokens):
            if index in skipped:
                continue
            self._condition(index)
            self._statement(index)
            match token.kind:
                case "op" if token.text in _SWAPS:
                    self._replace(Kind.COMPARISON, index, _SWAPS[token.text])
                case "number" if index not in self._taken and (changed := more(token.text)) is not None:
                    self._replace(Kind.OFF_BY_ONE, index, changed)
                case "word" if token.text in (b"true", b"false") and index not in self._taken and self._text(index - 1) != b".":
                    self._replace(Kind.FLAG, index, other_default(token.text) or b"false")
                case "string" if index not in self._taken:
                    self._message(index)
        return sorted(self._found.values(), key=lambda edit: (edit.start, edit.end, edit.replacement))

    def _skipped(self) -> set[int]:
        """Imports, Go's struct tags and what TypeScript's compiler adds: no behaviour of the tool's own is in them."""
        skipped: set[int] = set()
        for index, token in enumerate(self._tokens):
            if token.kind == "word" and token.text == b"import" and self._starts_statement(index):
                end = index + 1
                if self._go and self._text(end) == b"(":
                    end = self._partner.get(end, end)
                else:
                    while end + 1 < len(self._tokens) and self._tokens[end].kind != "string":
                        end += 1
                skipped |= set(range(index, end + 1))
            elif token.text in (b"Object", b"var") and not self._go:
                skipped |= self._generated(index)
            elif token.kind == "string":
                before = self._text(index - 1)
                call = before == b"(" and self._text(index - 2) in (b"require", b"import")
                tag = (
                    self._go
                    and token.text[:1] == b"`"
                    and not token.newline
                    and self._word(index - 1)
                    and re.search(rb'^`\w+:"', token.text)
                )
                directive = self._starts_statement(index) and not self._go and self._text(index + 1) in (b";", b"")
                if call or tag or directive or before == b"from":
                    skipped.add(index)
        return skipped

    def _generated(self, index: int) -> set[int]:
        """`Object.defineProperty(exports, ...)`, and helpers like `var __awaiter = (this && this.__awaiter) || ...`."""
        texts = [self._text(index + place) for place in range(5)]
        if texts[:4] == [b"Object", b".", b"defineProperty", b"("] and texts[4] in (b"exports", b"module"):
            return set(range(index, self._partner.get(index + 3, index) + 1))
        if texts[1].startswith(b"__") and texts[2:5] == [b"=", b"(", b"this"]:
            place = self._partner.get(index + 3, index) + 1
            while place < len(self._tokens) and not (
                self._text(place) == b"{" or (self._text(place) == b"(" and self._text(place - 1) == b"||")
            ):
                place = self._partner.get(place, place) + 1
            return set(range(index, self._partner.get(place, index) + 1))
        return set()

    def _defaults(self, index: int) -> None:
        token = self._tokens[index]
        after = self._text(index + 1)
        if token.kind == "word":
            match = _FLAG_CALL.fullmatch(token.text) if self._go else None
            if match is not None and after == b"(":
                arguments = self._arguments(index + 1)
                place = 1 + bool(match[1]) + bool(match[2])
                if place < len(arguments) and len(arguments[place]) == 1:
                    self._default(arguments[place][0])
            elif token.text in (b"Default", b"Value", b"default", b"defaultValue") and after == b":" and self._ends(index + 3):
                self._default(index + 2)
        elif token.kind == "op":
            assigns = token.text in ((b":=", b"=") if self._go else (b"=",)) and self._word(index - 1)
            falls_back = not self._go and token.text in (b"||", b"??")
            if (assigns or falls_back) and self._ends(index + 2):
                self._default(index + 1)

    def _default(self, index: int) -> None:
        if index >= len(self._tokens):
            return
        token = self._tokens[index]
        literal = token.kind == "number" or token.text in (b"true", b"false") or (token.kind == "string" and not is_message(token.text))
        changed = other_default(token.text) if literal and not (self._go and token.text[:1] == b"'") else None
        if changed is not None and not token.text.endswith(b"${") and not token.text.startswith(b"}"):
            self._taken.add(index)
            self._replace(Kind.DEFAULT, index, changed)

    def _condition(self, index: int) -> None:
        """`if NAME` can never hold; `!NAME` is turned around."""
        token = self._tokens[index]
        if token.text == b"!" and self._word(index + 1):
            self._edit(Kind.FLAG, token.start, token.end, b"", (token.start, self._tokens[index + 1].end))
        if token.kind != "word" or token.text != b"if":
            return
        first = index + 1
        if not self._go:
            if self._text(first) != b"(":
                return
            first += 1
        last = first + (self._text(first) == b"*")
        while self._word(last) and self._text(last + 1) in (b".", b"?."):
            last += 2
        if self._word(last) and self._text(last + 1) == (b"{" if self._go else b")"):
            end = self._tokens[last].end
            self._edit(Kind.FLAG, end, end, b" && false", (self._tokens[first].start, end))

    def _statement(self, index: int) -> None:
        """A call that writes: as a statement it is skipped, as a Go expression of an error it succeeds without doing anything."""
        token = self._tokens[index]
        if token.kind != "word":
            return
        if self._go and token.text == b"os" and self._text(index + 1) == b"." and self._text(index + 2) in _GO_EFFECTS:
            close = self._partner.get(index + 3)
            if self._text(index + 3) == b"(" and close is not None:
                start, end = token.start, self._tokens[close].end
                call = b"func() error { if false { return " + self._source[start:end] + b" }; return nil }()"
                self._edit(Kind.WRITE, start, end, call, (start, end))
        if not self._starts_statement(index) or token.text in (b"return", b"defer", b"go", b"if", b"for", b"func", b"function", b"case"):
            return
        place = index + (token.text == b"await")
        name = place
        while self._word(name) and self._text(name + 1) in (b".", b"?.") and self._word(name + 2):
            name += 2
        opening = name + 1
        if self._go and self._text(opening) == b"=" and self._text(opening + 1) == b"append" and self._text(opening + 2) == b"(":
            opening += 2
        elif not (self._word(name) and _WRITES[self._language].fullmatch(self._text(name)) and self._text(opening) == b"("):
            return
        close = self._partner.get(opening)
        if close is None or not self._ends_statement(close + 1):
            return
        start, end = token.start, self._tokens[close].end
        if self._go:
            self._edit(Kind.WRITE, start, end, b"if false { " + self._source[start:end] + b" }", (start, end))
        else:
            self._edit(Kind.WRITE, start, start, b"if (false) ", (start, end))

    def _message(self, index: int) -> None:
        token = self._tokens[index]
        if token.text.endswith(b"${") or (self._go and token.text[:1] == b"'"):
            return
        opening = self._text(index - 1) == b"(" and self._word(index - 2) and _PRINTS.fullmatch(self._text(index - 2))
        ends_template = token.text[:1] == b"}"
        change = other_text(token.text) if opening or ends_template or is_message(token.text) else None
        if change is not None:
            place, inserted = change
            self._edit(Kind.MESSAGE, token.start + place, token.start + place, inserted, (token.start, token.end))

    def _arguments(self, opening: int) -> list[list[int]]:
        """Indexes of the tokens of each argument of a call."""
        close = self._partner.get(opening)
        if close is None:
            return []
        arguments: list[list[int]] = [[]]
        index = opening + 1
        while index < close:
            if self._text(index) == b",":
                arguments.append([])
            else:
                last = self._partner.get(index, index) if self._text(index) in _OPENS else index
                arguments[-1] += range(index, last + 1)
                index = last
            index += 1
        return arguments

    def _starts_statement(self, index: int) -> bool:
        before = self._text(index - 1)
        if index == 0 or before in (b"{", b"}", b";"):
            return True
        if not self._tokens[index].newline:
            return False
        last = self._tokens[index - 1]
        return last.kind != "op" or (before in (b")", b"]", b"++", b"--") and index - 1 not in self._heads)

    def _ends_statement(self, index: int) -> bool:
        if index >= len(self._tokens) or self._text(index) in (b"}", b";"):
            return True
        token = self._tokens[index]
        return token.newline and (token.kind in ("word", "number") or token.text == b"{")

    def _ends(self, index: int) -> bool:
        return index >= len(self._tokens) or self._text(index) in _ENDS or self._tokens[index].newline

    def _text(self, index: int) -> bytes:
        return self._tokens[index].text if 0 <= index < len(self._tokens) else b""

    def _word(self, index: int) -> bool:
        return 0 <= index < len(self._tokens) and self._tokens[index].kind == "word"

    def _replace(self, kind: Kind, index: int, replacement: bytes) -> None:
        token = self._tokens[index]
        self._edit(kind, token.start, token.end, replacement, (token.start, token.end))

    def _edit(self, kind: Kind, start: int, end: int, replacement: bytes, trigger: tuple[int, int]) -> None:
        self._found.setdefault((start, end, replacement), Edit(self._file, kind, start, end, replacement, trigger))


def _partners(tokens: list[Token]) -> dict[int, int]:
    """The index of the closing bracket by that of the opening one."""
    partner: dict[int, int] = {}
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind == "op" and token.text in _OPENS:
            opened.append(index)
        elif token.kind == "op" and token.text in (b")", b"]", b"}") and opened:
            partner[opened.pop()] = index
    return partner
