"""How well the rules read help texts: precision and recall over a corpus of texts with schemas written by hand.

A corpus is a folder of pairs `<id>.txt` (what the tool printed) and `<id>.yaml`:

    command: tool sub          # words that lead to the command
    style: click
    options: {-o --output: FILE, -v --verbose: ~}    # names, and the metavar (~ for a flag)
    commands: [add, remove]
    positionals: {path: "*"}   # 1, ?, + or *
    exclusive: [[--json, --yaml]]
    more: {-o: {type: path, default: out.txt}}       # further fields of an option

An option is found when a read option has exactly its names and agrees on whether a value follows; so a wrong name costs both a miss and an
invention. Commands are found by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from clibench.errors import UserError
from clibench.synthesis.schema import Command, Option, Positional, SchemaExtractor

ARITY = {"1": (1, 1), "?": (0, 1), "+": (1, None), "*": (0, None)}
_KEYS = {"command", "style", "options", "commands", "positionals", "exclusive", "more"}


@dataclass(frozen=True)
class Expected:
    """A help text and the schema that a person read from it."""

    id: str
    text: str
    command: str
    style: str
    options: tuple[tuple[frozenset[str], str | None], ...]
    """Names, and the metavar; None for a flag."""
    commands: frozenset[str]
    positionals: frozenset[tuple[str, int, int | None]]
    exclusive: frozenset[frozenset[str]]
    more: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Tally:
    """Counts of what is right, what was missed and what was invented."""

    right: int = 0
    missed: tuple[str, ...] = ()
    invented: tuple[str, ...] = ()

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.right + other.right, self.missed + other.missed, self.invented + other.invented)

    @property
    def precision(self) -> float:
        """right / (right + invented); 1 when nothing was read."""
        return self.right / (self.right + len(self.invented)) if self.right or self.invented else 1.0

    @property
    def recall(self) -> float:
        """right / (right + missed); 1 when there was nothing to find."""
        return self.right / (self.right + len(self.missed)) if self.right or self.missed else 1.0


@dataclass(frozen=True)
class Measured:
    """One text's result, or the sum of several."""

    options: Tally = Tally()
    commands: Tally = Tally()
    positionals: Tally = Tally()
    details: Tally = Tally()
    """Metavars, exclusive groups and the fields under `more`."""

    def __add__(self, other: Measured) -> Measured:
        return Measured(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


def read_corpus(folder: Path) -> tuple[Expected, ...]:
    """All pairs of a corpus, by id. Raises UserError for a schema without a text or with an unknown key."""
    return tuple(_read(path) for path in sorted(folder.glob("*.yaml")))


def _read(path: Path) -> Expected:
    body = yaml.safe_load(path.read_text(encoding="utf-8"))
    if unknown := set(body) - _KEYS:
        raise UserError(f"unknown keys {sorted(unknown)}", where=str(path), fix=f"Known are {sorted(_KEYS)}.")
    text = path.with_suffix(".txt")
    if not text.is_file():
        raise UserError("the help text is missing", where=str(text), fix="Record what the tool printed there.")
    return Expected(
        id=path.stem,
        text=text.read_text(encoding="utf-8"),
        command=body["command"],
        style=body["style"],
        options=tuple((frozenset(names.split()), metavar) for names, metavar in body["options"].items()),
        commands=frozenset(body.get("commands", ())),
        positionals=frozenset((name, *ARITY[arity]) for name, arity in body.get("positionals", {}).items()),
        exclusive=frozenset(frozenset(group) for group in body.get("exclusive", ())),
        more=body.get("more", {}),
    )


def measure(expected: Expected, extractor: SchemaExtractor) -> Measured:
    """What the extractor made of one text, against what a person read."""
    found = extractor.extract(expected.command, expected.text)
    return Measured(
        options=_tally(
            ((" ".join(sorted(names)), metavar is not None) for names, metavar in expected.options),
            ((" ".join(sorted(option.names)), option.takes_value) for option in found.options),
        ),
        commands=_tally(expected.commands, (" ".join(path) for path, _ in found.walk() if path)),
        positionals=_tally(expected.positionals, ((each.name, each.min, each.max) for each in found.positionals)),
        details=_tally(_expected_details(expected), _found_details(expected, found)),
    )


def _tally(expected: Iterable[object], found: Iterable[object]) -> Tally:
    wanted, got = set(expected), set(found)
    return Tally(len(wanted & got), tuple(sorted(map(str, wanted - got))), tuple(sorted(map(str, got - wanted))))


def _expected_details(expected: Expected) -> Iterator[tuple[str, str, str]]:
    for names, metavar in expected.options:
        if metavar is not None:
            yield min(names), "metavar", _plain(metavar)
    for group in expected.exclusive:
        yield " ".join(sorted(group)), "exclusive", ""
    for name, told in expected.more.items():
        for key, value in told.items():
            yield name, key, str(tuple(value)) if isinstance(value, list) else str(value)


def _found_details(expected: Expected, found: Command) -> Iterator[tuple[str, str, str]]:
    for names, metavar in expected.options:
        option = found.option(min(names))
        if metavar is not None and option is not None and option.metavar is not None:
            yield min(names), "metavar", _plain(option.metavar)
    for group in found.exclusive:
        yield " ".join(sorted(group)), "exclusive", ""
    for name, told in expected.more.items():
        thing: Option | Positional | None = found.option(name) or next((each for each in found.positionals if each.name == name), None)
        for key in told:
            if thing is not None:
                yield name, key, str(getattr(thing, key))


def _plain(metavar: str) -> str:
    return metavar.replace(",...", "").replace("...", "")
