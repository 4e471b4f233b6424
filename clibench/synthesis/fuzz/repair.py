"""What a tool's message says is wrong with a command line, as hints for the next attempt.

messages.yaml is a table of the phrases that argparse, click, cobra, Go's flag, commander, yargs and hand-written tools use. A hint only
chooses what is tried next; whether it was right is for the oracle to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import yaml

from clibench.tasks.case import WORKSPACE


@dataclass(frozen=True)
class Hints:
    """What the messages of failed cases ask for."""

    needs: tuple[str, ...] = ()
    """Options that are missing."""
    operands: tuple[str, ...] = ()
    """Arguments without a name that are missing."""
    choices: tuple[str, ...] = ()
    """Values that are allowed."""
    missing_files: tuple[str, ...] = ()
    folder: bool = False
    """A folder is wanted where a file was given."""
    file: bool = False
    """A file is wanted where a folder was given."""
    too_many: bool = False
    """An argument too many."""
    stdin: bool = False
    number: bool = False
    parse: bool = False
    """The content is not what it should be."""
    module: bool = False
    """Go source is wanted as part of a module."""
    packages: bool = False
    """Go packages are wanted where files were given."""
    equals: bool = False
    """--name=value is wanted."""
    conflict: bool = False
    """Options that exclude each other."""
    impossible: str = ""
    """Why no repair can help: a network or a terminal is needed."""


_OPTION: Final = r"(?P<option>-{1,2}[A-Za-z][\w-]*)"
_SIGNS: Final = ("folder", "file", "too_many", "stdin", "number", "parse", "module", "packages", "equals", "conflict")
"""Fields of `Hints` that are there or not."""


@cache
def _phrases(name: str) -> tuple[re.Pattern[str], ...]:
    """The phrases of one row of messages.yaml."""
    rows = yaml.safe_load((Path(__file__).parent / "messages.yaml").read_text("utf-8"))
    return tuple(re.compile(text.replace("OPTION", _OPTION), re.IGNORECASE) for text in rows[name])


def _matches(name: str, text: str) -> Iterator[re.Match[str]]:
    return (match for phrase in _phrases(name) for match in phrase.finditer(text))


def hints_of(errors: Sequence[str]) -> Hints:
    """What these messages ask for, all together."""
    text = "\n".join(errors)
    needs = [option[0] for match in _matches("either", text) for option in re.finditer(_OPTION, match["all"])]
    needs += [match["option"] for match in _matches("needs", text)]
    for match in _matches("flag_list", text):
        needs += [f"--{name}" for name in re.findall(r"[\w-]+", match["all"])]
    impossible = "needs a network" if any(_matches("network", text)) else "needs a terminal" if any(_matches("terminal", text)) else ""
    operands = [word.strip() for match in _matches("operands", text) for word in match["all"].split(",")]
    return Hints(
        needs=tuple(dict.fromkeys(needs)),
        operands=tuple(dict.fromkeys(filter(None, operands))),
        choices=_choices(text),
        missing_files=tuple(dict.fromkeys(filter(_inside, (_local(match["file"]) for match in _matches("missing_files", text))))),
        impossible=impossible,
        **{name: any(_matches(name, text)) for name in _SIGNS},
    )


def _choices(text: str) -> tuple[str, ...]:
    for match in _matches("choices", text):
        quoted = re.findall(r"['\"`]([^'\"`]+)['\"`]", match["all"])
        listed = quoted or [part.strip(" .[](){}") for part in re.split(r",|\||\bor\b|\band\b", match["all"])]
        values = [value for value in listed if value and " " not in value and len(value) <= 40 and not value.startswith("-")]
        if len(values) > 1:
            return tuple(dict.fromkeys(values))
    return ()


def _local(path: str) -> str:
    """As seen from the workspace."""
    return path.removeprefix(f"{WORKSPACE}/")


def _inside(path: str) -> bool:
    """Whether a fixture could hold the path, and no plan's mistake was meant."""
    plain = re.fullmatch(r"[\w.+@-]+(?:/[\w.+@-]+)*/?", path) is not None
    return plain and not path.startswith(("-", "no-such")) and not {".", ".."} & {*path.split("/")} and len(path) < 100
