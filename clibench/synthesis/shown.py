"""Fixtures, outputs and changes as the Markdown of a prompt shows them: whole where they are small, cut with a note where not."""

from __future__ import annotations

import re
import shlex
from typing import Final

from clibench.evaluation.normalise import Chain
from clibench.recording import Change, Output
from clibench.tasks.case import WORKSPACE, Entry, Fixture

SHOWN_CHARACTERS: Final = 3000
"""Of one file or output."""


def change_text(change: Change, rename: Chain) -> str:
    path = rename.value(change.path.removeprefix(WORKSPACE + "/"))
    kind = {"file": "file", "dir": "folder", "symlink": "symbolic link"}.get(change.type, change.type)
    line = f"{change.kind.capitalize()}: {kind} `{path}`"
    if change.target is not None and change.kind != "deleted":
        line += f", which leads to `{change.target}`"
    if change.type == "file" and change.kind != "deleted":
        line += ", executable" if change.mode & 0o111 else ""
        if change.content is not None:
            return f"{line}:\n\n{data_text(rename(change.content))}"
        line += f" of {change.size} bytes"
    return line + "."


def fixture_text(letter: str, fixture: Fixture) -> str:
    """The files as they are: a name that the alias took the place of here would make the example false."""
    parts = [f"### Files {letter}", *(_entry(entry) for entry in fixture.entries)]
    if fixture.prepare is not None:
        parts += ["Then, in this folder:", fence(shlex.join(fixture.prepare), "sh")]
    return "\n\n".join(parts).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _entry(entry: Entry) -> str:
    notes = [f"mode {entry.mode:04o}"] if entry.mode is not None else []
    notes += [f"modified {_span(entry.age_s)} ago"] if entry.age_s is not None else []
    note = f" ({', '.join(notes)})" if notes else ""
    if entry.type == "dir":
        return f"Folder `{entry.path}/`{note}."
    if entry.type == "symlink":
        return f"Symbolic link `{entry.path}`{note}, which leads to `{entry.target}`."
    if not entry.content:
        return f"`{entry.path}`{note}, empty."
    return f"`{entry.path}`{note}:\n\n{data_text(entry.content)}"


def _span(seconds: float) -> str:
    for name, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:g} {name}"
    return f"{seconds:g} seconds"


def output_text(output: Output, rename: Chain) -> str:
    return data_text(rename(output.data))


def data_text(data: bytes) -> str:
    """Text in a fence; what is no text as a hex dump's first lines."""
    try:
        text = data.decode("utf-8")
        binary = "\0" in text
    except UnicodeDecodeError:
        binary = True
    if binary:
        note = " (the first 256)" if len(data) > 256 else ""
        return f"{len(data)} bytes of binary data, as hexadecimal digits{note}:\n\n{fence(data[:256].hex(' '))}"
    if len(text) > SHOWN_CHARACTERS:
        return f"{fence(text[:SHOWN_CHARACTERS])}\n\n(cut here: {len(data)} bytes in all)"
    ending = "" if text.endswith("\n") or not text else "\n\n(no line feed at the end)"
    return fence(text) + ending


def fence(text: str, kind: str = "text") -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"
