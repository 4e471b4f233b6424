"""What a command line tool offers: its commands, options and arguments, as far as its help says so.

Frozen data and its JSON form. Who fills it (rules over the help text, a model) is not known here. What a help does not say is None, empty
or the weakest reading: an option that is not said to be required is optional.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Protocol


class ValueType(StrEnum):
    """What a value looks like; `string` when nothing more is said."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    PATH = "path"
    URL = "url"
    DATE = "date"
    DURATION = "duration"
    CHOICE = "choice"


@dataclass(frozen=True)
class Option:
    """A named option; a flag when `metavar` is None."""

    names: tuple[str, ...]
    """As typed, in the help's order: `-o`, `--output`."""
    metavar: str | None = None
    """What stands for the value, without brackets; several values are parted by blanks. None for a flag."""
    type: ValueType | None = None
    choices: tuple[str, ...] = ()
    default: str | None = None
    required: bool = False
    repeatable: bool = False
    value_optional: bool = False
    """Whether the option may stand without its value: `--color[=WHEN]`."""
    negation: str | None = None
    """The name that turns the flag off: `--no-color`."""
    help: str = ""

    @property
    def takes_value(self) -> bool:
        """Whether a value follows."""
        return self.metavar is not None

    @property
    def name(self) -> str:
        """The longest name: what the option is called."""
        return max(self.names, key=len)


@dataclass(frozen=True)
class Positional:
    """An argument without a name: `min` to `max` values, where a `max` of None is no limit."""

    name: str
    min: int = 1
    max: int | None = 1
    choices: tuple[str, ...] = ()
    type: ValueType | None = None
    default: str | None = None
    help: str = ""


@dataclass(frozen=True)
class Command:
    """A tool or one of its subcommands."""

    name: str
    summary: str = ""
    aliases: tuple[str, ...] = ()
    usage: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    positionals: tuple[Positional, ...] = ()
    exclusive: tuple[tuple[str, ...], ...] = ()
    """Groups of option names of which at most one may be given."""
    examples: tuple[str, ...] = ()
    """Command lines that the help shows."""
    commands: tuple[Command, ...] = ()

    def option(self, name: str) -> Option | None:
        """The option that has this name, a negation included."""
        return next((option for option in self.options if name in option.names or name == option.negation), None)

    def walk(self, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Command]]:
        """This command and all below it, with the words that lead to it; depth first."""
        yield path, self
        for command in self.commands:
            yield from command.walk((*path, command.name))

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; `from_json` reads them back."""
        return asdict(self)

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Command:
        """The command that `to_json` wrote."""
        return cls(
            name=body["name"],
            summary=body["summary"],
            aliases=tuple(body["aliases"]),
            usage=tuple(body["usage"]),
            options=tuple(_option(option) for option in body["options"]),
            positionals=tuple(_positional(positional) for positional in body["positionals"]),
            exclusive=tuple(tuple(group) for group in body["exclusive"]),
            examples=tuple(body["examples"]),
            commands=tuple(cls.from_json(command) for command in body["commands"]),
        )


def _option(body: Mapping[str, Any]) -> Option:
    kind = body["type"] and ValueType(body["type"])
    return Option(**{**body, "names": tuple(body["names"]), "choices": tuple(body["choices"]), "type": kind})


def _positional(body: Mapping[str, Any]) -> Positional:
    kind = body["type"] and ValueType(body["type"])
    return Positional(**{**body, "choices": tuple(body["choices"]), "type": kind})


class SchemaExtractor(Protocol):
    """Reads one command's schema from its help text; subcommands are named, their own help is another call."""

    def extract(self, name: str, help_text: str) -> Command:
        """The schema of the command `name`; never fails: a text that is no help gives an empty schema."""
        ...
