"""A help text as sections: what stands under which heading.

Terminal codes and the boxes that rich draws are taken off first. A heading is a short line that ends with a colon, or is in capitals, or is
one of the words that help writers use, with indented lines below it. A sentence that ends with a colon is taken for a heading too; it does
little harm, as options are known by their dashes wherever they stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

_ANSI: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|.\x08")
_BOX_TOP: Final = re.compile(r"^\s*[╭┌┏+][─━-]+\s*(.*?)\s*[─━-]*[╮┐┓+]\s*$")
_BOX_END: Final = re.compile(r"^\s*[╰└┗][─━].*$")
_BOX_LINE: Final = re.compile(r"^\s*[│┃](.*)[│┃]\s*$")

_COLON_HEADING: Final = re.compile(r"^[A-Za-z][\w'&/,.()\- ]{0,70}:$")
_CAPITALS: Final = re.compile(r"^[A-Z][A-Z &/\-]{2,40}:?$")
_WORDS: Final = re.compile(
    r"^((global|general|common|other|available|sub ?|optional|positional|basic|advanced|input|output|core|main)[ -]?)*"
    r"(usage|options?|flags?|commands?|subcommands?|examples?|arguments?|args|aliases|alias|topics|description)\b( \(.*\))?$",
    re.IGNORECASE,
)
_USAGE: Final = re.compile(r"^\s*usage(?::|\s+(?=\$)|$)\s*(.*)$", re.IGNORECASE)
_INLINE: Final = re.compile(r"^(examples?|aliases|alias):\s+(\S.*)$", re.IGNORECASE)

LONGEST: Final = 4000
"""Characters of a line that are read: what is longer is data that a program printed, and would only cost time."""


class Kind(StrEnum):
    """What a section holds, by its heading."""

    USAGE = "usage"
    COMMANDS = "commands"
    ARGUMENTS = "arguments"
    EXAMPLES = "examples"
    ALIASES = "aliases"
    OPTIONS = "options"
    OTHER = "other"


_KINDS: Final = (
    (re.compile(r"\bexamples?\b|\bsample usage\b", re.IGNORECASE), Kind.EXAMPLES),
    (re.compile(r"^usage\b", re.IGNORECASE), Kind.USAGE),
    (re.compile(r"\balias(es)?$", re.IGNORECASE), Kind.ALIASES),
    (re.compile(r"\b(options?|flags?|optional arguments|named arguments|switches)\b", re.IGNORECASE), Kind.OPTIONS),
    (re.compile(r"\b(sub-?)?commands?\b( \(.*\)| provided by.*)?$|^(topics|actions)$|^commands\b", re.IGNORECASE), Kind.COMMANDS),
    (re.compile(r"\b(arguments?|args|positionals?|parameters?)$", re.IGNORECASE), Kind.ARGUMENTS),
)  # the first that fits


@dataclass(frozen=True)
class Section:
    """A heading without its colon ("" for what stands before the first) and the lines below it, indentation kept."""

    title: str
    lines: tuple[str, ...]

    @property
    def kind(self) -> Kind:
        """What the heading promises."""
        return next((kind for pattern, kind in _KINDS if pattern.search(self.title)), Kind.OTHER)


@dataclass(frozen=True)
class Page:
    """A help text in sections, in its order."""

    text: str
    sections: tuple[Section, ...]
    boxed: bool
    """Whether rich drew boxes: cells of a row are then parted by blanks."""

    def of(self, *kinds: Kind) -> tuple[Section, ...]:
        """The sections of these kinds."""
        return tuple(section for section in self.sections if section.kind in kinds)


def read_page(text: str) -> Page:
    """The sections of a help text as it was printed."""
    raw = _ANSI.sub("", text).replace("\r\n", "\n").replace("\xa0", " ")
    lines = [line[:LONGEST].rstrip() for line in raw.split("\n")]
    boxed = any(_BOX_END.match(line) for line in lines)
    if boxed:
        lines = [_unbox(line) for line in lines]
    lines = [line.expandtabs(8) for line in lines]
    found: list[tuple[str, list[str]]] = [("", [])]
    beside = False
    for number, line in enumerate(lines):
        if re.match(r"\s*usage of \S+:$", line, re.IGNORECASE):
            found.append(("options", []))  # Go's flag package: what follows are options
            continue
        usage = _USAGE.match(line)
        if usage and indent(line) <= 4:
            beside = bool(usage[1])  # one block then, up to a blank line
            found.append(("usage", [usage[1]] if usage[1] else []))
        elif (inline := _INLINE.match(line)) and indent(line) <= 4:
            found.append((inline[1], [inline[2]]))
        elif _is_heading(lines, number):
            found.append((line.strip().rstrip(":"), []))
        else:
            if _is_prose_after(found[-1], line) or (beside and found[-1][0] == "usage" and line and not found[-1][1][-1]):
                found.append(("", []))
            found[-1][1].append(line)
    return Page("\n".join(lines), tuple(Section(title, tuple(body)) for title, body in found), boxed)


def indent(line: str) -> int:
    """Blanks before the first other character."""
    return len(line) - len(line.lstrip(" "))


def _unbox(line: str) -> str:
    if top := _BOX_TOP.match(line):
        return f"{top[1]}:" if top[1] else ""
    if _BOX_END.match(line):
        return ""
    inner = _BOX_LINE.match(line)
    return f" {inner[1].rstrip()}" if inner else line


def _is_prose_after(section: tuple[str, list[str]], line: str) -> bool:
    """A paragraph at the left margin, after a blank line, ends an indented section."""
    title, body = section
    if not title or not line or line[0] in " -" or not body or body[-1]:
        return False
    return any(other.startswith((" ", "-")) for other in body)


def _is_heading(lines: list[str], number: int) -> bool:
    line = lines[number].strip()
    if not line or indent(lines[number]) > 4:
        return False
    if _CAPITALS.match(line) and ":" not in line[:-1]:
        return _leads(lines, number, strictly=True)
    if _WORDS.match(line):
        return _leads(lines, number, strictly=True)
    return bool(_COLON_HEADING.match(line)) and len(line.split()) <= 9 and _leads(lines, number, strictly=False)


def _leads(lines: list[str], number: int, *, strictly: bool) -> bool:
    """Whether what follows is indented below the line, or (not strictly) is a list of options at its level or the end of the text."""
    for line in lines[number + 1 :]:
        if line.strip():
            return indent(line) > indent(lines[number]) or (not strictly and line.lstrip().startswith(("-", "[-")))
    return False
