"""A section's lines as entries: what is declared, and the description that belongs to it, however it is wrapped.

An entry begins at a line that could declare something and stands to the left of the running description. Everything else continues the
entry above, so that a wrapped description that happens to begin with a dash stays a description.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from clibench.synthesis.help.declaration import Declaration, read_declaration
from clibench.synthesis.help.page import indent

_BULLET: Final = re.compile(r"^(?:[*•] +)(?=-)")
_GAP: Final = re.compile(r"\s{2,}|\s+(?:-|–|—|:)\s+|:\s+")


@dataclass
class Entry:
    """A declared option, and the lines of its description."""

    declared: Declaration
    indent: int
    starred: bool
    """Whether a star marks it, as typer marks what is required."""
    tail: list[str] = field(default_factory=list)

    @property
    def description(self) -> str:
        """In one line."""
        return " ".join(part for part in (self.declared.rest, *self.tail) if part)


def option_entries(lines: Iterable[str], *, boxed: bool = False) -> list[Entry]:
    """The entries whose heads begin with a dash."""
    found: list[Entry] = []
    column: int | None = None
    after_blank = True
    continued = False
    for line in lines:
        goes_on, continued = continued, line.endswith("\\")
        if goes_on:
            continue  # the rest of a shell command
        text = _BULLET.sub("", line.strip())
        if not text:
            after_blank = True
            continue
        here = len(line) - len(text)
        fits = column is None or here < column or (after_blank and here <= column)
        if fits and text.startswith("-") and (declared := read_declaration(text, boxed=boxed)):
            found.append(Entry(declared, here, line.strip().startswith("*")))
            column = len(line) - len(declared.rest) if declared.rest else None
        elif found and (indent(line) > found[-1].indent or not after_blank):
            found[-1].tail.append(text)
            column = indent(line) if column is None and indent(line) > found[-1].indent else column
        after_blank = False
    return found


def word_entries(lines: Iterable[str]) -> list[tuple[str, str]]:
    """(head, description) of a list of words, as of commands and arguments; the leftmost lines are the heads."""
    rows = [(indent(line), line.strip()) for line in lines if line.strip()]
    if not rows:
        return []
    left = min(where for where, _ in rows)
    found: list[list[str]] = []
    for where, text in rows:
        if where == left:
            gap = _GAP.search(text)
            found.append([text[: gap.start()], text[gap.end() :]] if gap else [text, ""])
        elif found:
            found[-1][1] = f"{found[-1][1]} {text}".strip()
    return [(head.strip(), description.strip()) for head, description in found]
