"""The prompt of a task, in the paper's form (II-B): functional context, full help, and one verified example a command pattern.

Everything in it is true of the oracle: help and examples are what it printed in the sandbox, under its alias. Nothing in it says which tool
it is: `leaks.py` looks for names, addresses and further test cases, and a prompt that has any is not written.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from clibench.evaluation.normalise import Chain, resolve
from clibench.evaluation.params import DEFAULT_IGNORE
from clibench.evaluation.side_effects import effective
from clibench.recording import End, Recording
from clibench.synthesis.help.streams import help_streams
from clibench.synthesis.leaks import command_line, hide, own_names
from clibench.synthesis.shown import change_text, data_text, fence, fixture_text, output_text
from clibench.synthesis.spec import Spec
from clibench.tasks.case import WORKSPACE, Case, Fixture
from clibench.tasks.task import Language

_LANGUAGES: Final = {
    Language.PYTHON: (
        "Python (3.11 or later)",
        "`pip install .` in the root of the repository has to install the command `{alias}`: a `pyproject.toml` with the build back end "
        "setuptools and an entry under `[project.scripts]`.",
    ),
    Language.JAVASCRIPT: (
        "JavaScript (Node.js 20)",
        "`npm install -g .` in the root of the repository has to install the command `{alias}`: a `package.json` with an entry "
        "`{alias}` under `bin`, whose file starts with `#!/usr/bin/env node`.",
    ),
    Language.GO: (
        "Go (1.24)",
        "`go install ./...` in the root of the repository has to install the executable `{alias}`: a `go.mod`, and package `main` in "
        "the folder `cmd/{alias}` or in the root of a module whose path ends in `{alias}`.",
    ),
}
"""What a submission is written in, and how it is installed."""

_INTRODUCTION: Final = """\
# Build the command-line tool `{alias}`

Write a command-line tool named `{alias}` in {language}, from nothing, in the current, empty folder. What follows says what it does: its
context, its help, and for each way to use it an example with the result that was observed.

## Requirements

- Language: {language}. Rely on its standard library: further packages may be out of reach when the tool is installed.
- Installation: {installation}
- The tool is run in many ways beyond the examples, with valid and with invalid arguments, and its exit status, its standard output and the
  files that it creates, changes and deletes are compared with those of the reference. Where the reference fails, the tool has to fail too,
  with an exit status other than 0; the wording of messages on standard error is free.
- It runs without a terminal and without a network, in any working folder, and ends by itself.

## Context"""

_USAGE: Final = """\
## How it is used

Each example shows which files are there before (by letter, see the end), the command as one would type it into a shell, and what was
observed."""


@dataclass(frozen=True)
class Example:
    """A verified example of a pattern."""

    case: Case
    fixture: Fixture
    recording: Recording


SHOWN_CHANGES: Final = 60
"""Changed paths of an example that a prompt lists."""


@dataclass(frozen=True)
class HelpText:
    """What one help command printed."""

    argv: tuple[str, ...]
    recording: Recording


def renaming(spec: Spec) -> Chain:
    """Puts the alias in the place of the oracle's own names, as the comparers do on both sides."""
    return resolve([f"alias({name})" for name in own_names(spec)], alias=spec.task.alias)


def introduce(spec: Spec, context: str, helps: Sequence[HelpText]) -> str:
    """The part of the prompt before the examples: requirements, context and help."""
    alias, rename = spec.task.alias, renaming(spec)
    language, installation = _LANGUAGES[spec.task.language]
    parts = [
        _INTRODUCTION.format(alias=alias, language=language, installation=installation.format(alias=alias)),
        _demote(context.strip()),
        "## Help",
        *([_help(text, spec, rename) for text in helps] or ["No help text is given: context and examples say what the tool does."]),
    ]
    return "\n\n".join(parts) + "\n"


def write_prompt(spec: Spec, context: str, helps: Sequence[HelpText], examples: Mapping[str, Example]) -> str:
    """The whole prompt; `examples` by pattern id."""
    rename = renaming(spec)
    used = _unique(examples[pattern.id].fixture for pattern in spec.patterns)
    fixtures = {fixture.digest(): _letter(number) for number, fixture in enumerate(used)}
    patterns = [
        _pattern(number, pattern.description, examples[pattern.id], fixtures, rename)
        for number, pattern in enumerate(spec.patterns, start=1)
    ]
    parts = [introduce(spec, context, helps).rstrip("\n"), _USAGE, *patterns]
    shown = [(fixtures[fixture.digest()], fixture) for fixture in used if fixture.entries or fixture.prepare]
    if shown:
        parts.append("## Files of the examples")
        parts += [fixture_text(letter, fixture) for letter, fixture in shown]
    return "\n\n".join(parts) + "\n"


def _demote(markdown: str) -> str:
    """Headings of the context two levels down, so that they stay below ours; what looks like one in a block of code is none."""
    parts = re.split(r"(^ *(?:```|~~~).*?^ *(?:```|~~~) *$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if place % 2 else re.sub(r"^(#{1,4}) ", r"##\1 ", part, flags=re.MULTILINE) for place, part in enumerate(parts))


def _help(text: HelpText, spec: Spec, rename: Chain) -> str:
    recording = text.recording
    note = "" if recording.status.ok else f" (exit status {recording.status.code})"
    start = f"`{shlex.join((spec.task.alias, *text.argv))}` prints"
    parts = []
    for output in help_streams(recording):
        where = "" if output is recording.stdout else " on standard error"
        body = fence(hide(rename(output.data).decode("utf-8", "replace"), spec))
        parts.append(f"{start}{where}{note}:\n\n{body}")
        start, note = "and", ""
    return "\n\n".join(parts)


def _pattern(number: int, description: str, example: Example, fixtures: Mapping[str, str], rename: Chain) -> str:
    case, recording = example.case, example.recording
    has_files = bool(example.fixture.entries or example.fixture.prepare)
    before = f"Files {fixtures[example.fixture.digest()]}." if has_files else "An empty folder."
    if case.cwd != WORKSPACE:
        before += f" Working folder: `{case.cwd.removeprefix(WORKSPACE + '/')}`."
    parts = [f"### {number}. {description.strip()}", before, fence(command_line(case), "sh")]
    if case.stdin:
        parts += ["Standard input:", data_text(case.stdin)]
    status = f"Exit status {recording.status.code}" if recording.status.end is End.EXIT else f"Ended by {recording.status}"
    if recording.stdout.data:
        parts += [f"{status}. Standard output:", output_text(recording.stdout, rename)]
    else:
        parts.append(f"{status}. Nothing on standard output.")
    changes = effective(recording.changes, DEFAULT_IGNORE)  # a cache is nothing that an implementer has to make
    parts += [change_text(change, rename) for change in changes[:SHOWN_CHANGES]]
    if len(changes) > SHOWN_CHANGES:
        parts.append(f"And {len(changes) - SHOWN_CHANGES} more changes.")
    if not changes:
        parts.append("No file was changed.")
    return "\n\n".join(parts)


def _unique(fixtures: Iterable[Fixture]) -> list[Fixture]:
    """The different fixtures that hold something, in their order; the empty one last."""
    found = {fixture.digest(): fixture for fixture in fixtures}
    return sorted(found.values(), key=lambda fixture: not (fixture.entries or fixture.prepare))


def _letter(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else _letter(number // 26 - 1) + _letter(number % 26)
