"""Which library wrote a help text, by what only that library writes.

A table of marks a style; the style with the most marks wins, the earlier one on a tie. The style decides little, since one grammar reads
all of them: it tells the readers of reports what they look at, and the few rules that hold for one library alone ask for it.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from clibench.synthesis.help.page import Page


class Style(StrEnum):
    """The library behind a help text; `plain` is a hand-written one."""

    ARGPARSE = "argparse"
    TYPER = "typer"
    CLICK = "click"
    COBRA = "cobra"
    URFAVE = "urfave"
    GO_FLAG = "go-flag"
    KONG = "kong"
    COMMANDER = "commander"
    YARGS = "yargs"
    OCLIF = "oclif"
    MEOW = "meow"
    CLAP = "clap"
    DOCOPT = "docopt"
    PLAIN = "plain"


def _marks(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.MULTILINE) for pattern in patterns)


_MARKS: Final = {
    Style.ARGPARSE: _marks(
        r"^usage: ",
        r"^usage: \S+.*\[-h\]|-h\]",
        r"show this help message and exit",
        r"^(positional|optional) arguments:$",
        r"^options:$",
        r"show program's version number and exit",
    ),
    Style.CLICK: _marks(
        r"^ ?Usage: .*\[OPTIONS\]", r"Show this message and exit\.", r"Show the version and exit\.", r"COMMAND \[ARGS\]\.\.\."
    ),
    Style.COBRA: _marks(
        r"^Flags:$",
        r"^Available Commands:$",
        r"help for \S+$",
        r'^Use "\S+.* --help" for more information',
        r"^Global Flags:$",
        r"^    -{1,2}[\w, -]+=[^ ]*:$",
        r"^Usage:  \S+ ",
        r"^Aliases:$",
        r"^Run '\S+ .*--help' for more information",
        r"^ +--[\w-]+ (string|list|int|stringArray|strings)  ",
    ),
    Style.URFAVE: _marks(
        r"^NAME:$|^Name:$",
        r"^USAGE:$|^Usage:$",
        r"^(GLOBAL )?OPTIONS:$",
        r"--help, -h +show help",
        r"Shows a list of commands or help for one command",
        r"^ +--[\w-]+ value, -\w value",
    ),
    Style.GO_FLAG: _marks(r"^Usage of ", r"^  -[\w.-]+( \w+)?\n {8}\S", r"^  -\w {5,}\S", r"^  -\w[\w-]+( \w+)?\n {8}\S.*(default|$)"),
    Style.KONG: _marks(
        r"Show context-sensitive help\.", r"^Usage: \S+ .*\[flags\]", r"^Flags:$", r'^Run "\S+ .*--help" for more information'
    ),
    Style.COMMANDER: _marks(
        r"display help for command",
        r"output (the )?(current )?version( number)?",
        r"output usage information",
        r"^Usage: \S+ \[options\]",
        r"\(choices: ",
    ),
    Style.YARGS: _marks(
        r"  \[(boolean|string|number|array|count)\]",
        r" \[(boolean|string|number|array|count)\]( \[|$)",
        r"Show version number",
        r"\[choices: ",
    ),
    Style.OCLIF: _marks(r"^USAGE$", r"^  \$ \S+", r"^(FLAGS|ARGUMENTS|COMMANDS|TOPICS|DESCRIPTION|EXAMPLES|VERSION)$", r"<options: "),
    Style.MEOW: _marks(r"^  Usage:?\n +\$ ", r"^  Options:?$", r"^  Examples?:?$"),
    Style.CLAP: _marks(r"^Usage: \S+ .*\[OPTIONS\]", r"Print help", r"Print version", r"\[possible values: "),
    Style.DOCOPT: _marks(
        r"^Usage:\n  +\S+", r"^ +-\w --\w", r"^ +-\w,? --[\w-]+=<", r"^  \S+ .*\(.* \| ", r"^ {2,4}\S+ \(?(-h|--version|\[options\])"
    ),
}


def style_of(page: Page) -> Style:
    """The style with the most marks, `plain` when there are fewer than two."""
    counts = {style: sum(bool(mark.search(page.text)) for mark in marks) for style, marks in _MARKS.items()}
    best = max(counts, key=lambda style: counts[style])
    if best is Style.CLICK and page.boxed:
        return Style.TYPER
    return best if counts[best] >= 2 else Style.PLAIN
