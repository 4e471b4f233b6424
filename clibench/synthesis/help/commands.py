"""The subcommands that a help lists, and the arguments that it describes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from clibench.synthesis.help.declaration import clean_metavar
from clibench.synthesis.help.entries import word_entries
from clibench.synthesis.help.page import Kind, Page, Section
from clibench.synthesis.help.remarks import choices_in, choices_of, default_of, value_type
from clibench.synthesis.help.styles import Style
from clibench.synthesis.schema import Command, Positional

_NAME: Final = r"[A-Za-z0-9_][\w:.+\-]*"
_HEAD: Final = re.compile(rf"^(?P<names>{_NAME}(?:\s*(?:,|\||/)\s*{_NAME})*(?:\s\({_NAME}(?:,\s*{_NAME})*\))?)\*?(?P<rest>(?:\s.*)?)$")
_ARGUMENT: Final = re.compile(r"^([<\[{(\-.\"']|[A-Z][A-Z0-9_.\-]*(?:\s|$|\.)|\.\.\.|$)")
_ANY_COMMAND: Final = re.compile(r"(?<![\w-])[<\[]?(sub)?command[>\]]?(?=\s|$)", re.IGNORECASE)
_BRACES: Final = re.compile(r"^\{([\w.:+\-]+(?:,[\w.:+\-]+)*)\}$")


def read_commands(page: Page, style: Style, program: Sequence[str]) -> tuple[Command, ...]:
    """The commands in the sections that list them, in order, each once."""
    found: dict[str, Command] = {}
    for section in page.of(Kind.COMMANDS, Kind.ARGUMENTS, Kind.OPTIONS, Kind.OTHER):
        if (listed := _subparsers(section)) is not None:
            commands: Iterable[tuple[str, str]] = listed
        elif section.kind is Kind.COMMANDS:
            commands = word_entries(line for line in section.lines if not line.lstrip().startswith("-"))
        else:
            continue
        for head, description in commands:
            path, command = _command(head, description, program, nested=style is Style.KONG)
            if command is not None:
                _add(found, path, command)
    if not found and any(_ANY_COMMAND.search(line) for section in page.of(Kind.USAGE) for line in section.lines):
        for section in page.of(Kind.OTHER):
            for name, summary in _listed(section):
                found.setdefault(name, Command(name, summary=summary))
    return tuple(found.values())


def _listed(section: Section) -> list[tuple[str, str]]:
    """`name  description` rows at one indentation, under whatever heading (git's "work on the current change")."""
    rows = [match for line in section.lines if (match := re.match(rf"^( {{2,}})({_NAME}) {{2,}}(\S.*)$", line))]
    left = {len(row[1]) for row in rows}
    return [(row[2], row[3]) for row in rows] if len(rows) > 1 and len(left) == 1 else []


def _subparsers(section: Section) -> list[tuple[str, str]] | None:
    """argparse's `{a,b}` with the commands indented below it; None when it is a plain choice or is not there."""
    rows = [line for line in section.lines if line.strip()]
    for number, line in enumerate(rows):
        words = line.split()
        braces = _BRACES.match(words[0])
        if braces is None:
            continue
        names = braces[1].split(",")
        left = len(line) - len(line.lstrip())
        below = []
        for other in rows[number + 1 :]:
            if len(other) - len(other.lstrip()) <= left:
                break
            below.append(other)
        heads = [other for other in below if re.match(r"[\w.:+\-]+", other.strip()) and other.split()[0] in names]
        if heads:
            start = min(len(other) - len(other.lstrip()) for other in heads)
            listed = word_entries(other for other in below if other in heads or len(other) - len(other.lstrip()) > start)
            told = {re.split(r"[ ,]", head)[0]: (head, text) for head, text in listed}
            aliases = {alias for head, _ in listed for alias in re.findall(r"[\w.:+\-]+", head)[1:]}
            return [told.get(name, (name, "")) for name in names if name in told or name not in aliases]
        if section.kind is Kind.COMMANDS:
            return [(name, "") for name in names]
    return None


def _command(head: str, description: str, program: Sequence[str], *, nested: bool) -> tuple[tuple[str, ...], Command | None]:
    """The path to a command below this one, and the command; None for a line that names none."""
    head = re.sub(r"^(\*|•|-|\$|>)\s+", "", head)
    words = head.split(" ")
    longest = next((n for n in range(len(program), 0, -1) if words[:n] == list(program[:n])), 0)
    below = tuple(program[1:])
    if not longest and below and len(words) > len(below) and tuple(words[: len(below)]) == below:
        longest = len(below)  # oclif names a topic's commands by their path
    head = " ".join(words[longest:])
    path: tuple[str, ...] = ()
    while nested and (deeper := re.match(rf"({_NAME}) (?={_NAME})", head)) and deeper[1].islower():
        path = (*path, deeper[1])
        head = head[deeper.end() :]
    found = _HEAD.match(head)
    if found is None or not _ARGUMENT.match(found["rest"].strip()):
        return (), None
    names = re.findall(_NAME, found["names"])
    if len(names) == 1 and description.startswith("-"):
        return (), None
    usage = (head,) if found["rest"].strip() else ()
    return path, Command(names[0].rstrip(":"), summary=description, aliases=tuple(names[1:]), usage=usage)


def _add(found: dict[str, Command], path: tuple[str, ...], command: Command) -> None:
    if not path:
        if command.name not in found:
            found[command.name] = command
        return
    parent = found.get(path[0], Command(path[0]))
    below = {child.name: child for child in parent.commands}
    _add(below, path[1:], command)
    found[path[0]] = Command(parent.name, parent.summary, parent.aliases, parent.usage, commands=tuple(below.values()))


def read_arguments(page: Page, skip: Iterable[str]) -> dict[str, Positional]:
    """The arguments that sections of their own describe, by name; `skip` names commands."""
    found: dict[str, Positional] = {}
    commands = set(skip)
    for section in page.of(Kind.ARGUMENTS):
        lines = [re.sub(r"^(\s*)\*(\s+)", r"\1 \2", line) for line in section.lines if not line.lstrip().startswith("-")]
        for head, description in word_entries(lines):
            if _BRACES.match(head) and commands & set(head.strip("{}").split(",")):
                continue
            name = clean_metavar(re.sub(r"\.{2,3}", "", head).strip()).strip("<>[]")
            if not re.fullmatch(r"[\w.\-/|]+", name) or name in commands:
                continue
            choices = choices_in(name) or choices_of(description)
            found[name] = Positional(
                name, min=0 if head.startswith("[") else 1, max=None if ".." in head else 1, choices=choices,
                type=value_type(name, choices), default=default_of(description), help=description,
            )  # fmt: skip
    return found
