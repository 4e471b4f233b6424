"""A tool of three commands as a Python function, in a sandbox in memory: a task is synthesised of it without a daemon or a registry."""

from __future__ import annotations

from pathlib import Path

from clibench.recording import Change, Output, Recording, Resources, Status
from clibench.recording import End as Ended
from clibench.sandbox.interface import BuildRequest, BuildResult, Limits, TrialFault
from clibench.tasks.case import WORKSPACE, Case, Fixture
from tests.tasks.scripted_sandbox import ScriptedSandbox, ScriptedSession, Tool

README = """\
# some-tool

[![build](https://img.shields.io/x.svg)](https://ci.dev/x)

Some-Tool counts and sorts the lines of text files. Written by Jane Doe.

## Usage

Give it a text file:

    slt sort --reverse notes.txt

## Installation

pip install some-tool

## License

MIT, see https://host.dev/jane/some-tool
"""

METADATA = f"""\
Metadata-Version: 2.4
Name: some-tool
Version: 1.0
Summary: Count and sort lines of text
Author-email: Jane Doe <jane@host.dev>
License-Expression: MIT
Project-URL: Homepage, https://github.com/janedoe/some-tool

{README}"""

ROOT = """\
usage: slt [-h] {count,sort,pick} ...

Works on lines.

positional arguments:
  {count,sort,pick}
    count     count the lines of a file
    sort      sort the lines of a file
    pick      print one line

options:
  -h, --help  show this help message and exit
"""

COUNT = """\
usage: slt count [-h] [--words] [--by {line,char}] [-o FILE] file

Count the lines of a file.

positional arguments:
  file                  text file

options:
  -h, --help            show this help message and exit
  --words               count words
  --by {line,char}      what to count
  -o FILE, --output FILE
                        write the result to this file
"""

SORT = """\
usage: slt sort [-h] [-r] [--limit N] [--key {a,b}] [file]

Sort the lines of a file, or of standard input.

positional arguments:
  file             text file

options:
  -h, --help       show this help message and exit
  -r, --reverse    reverse the order
  --limit N        print at most N lines
  --upper          print capitals; needs --limit
"""

PICK = """\
usage: slt pick [-h] --line N file

positional arguments:
  file        text file

options:
  -h, --help  show this help message and exit
  --line N    number of the line
"""


def _of(code: int, out: bytes = b"", err: bytes = b"", changes: tuple[Change, ...] = ()) -> Recording:
    return Recording(Status(Ended.EXIT, code), Output.of(out), Output.of(err), changes, Resources())


def tool(case: Case, fixture: Fixture, variation: int) -> Recording | TrialFault:
    """What `slt` does."""
    words = list(case.argv[1:])
    files = {entry.path: entry.content for entry in fixture.entries if entry.type == "file"}
    if not words or words[0] in ("-h", "--help"):
        return _of(0, ROOT.encode())
    command, *rest = words
    helps = {"count": COUNT, "sort": SORT, "pick": PICK}
    if command not in helps:
        return _of(2, err=f"slt: error: invalid choice: '{command}' (choose from 'count', 'sort', 'pick')\n".encode())
    if "--help" in rest or "-h" in rest:
        return _of(0, helps[command].encode())
    options, operands, fault = _parsed(rest)
    if fault:
        return _of(2, err=fault.encode())
    if len(operands) > 1:
        return _of(2, err=f"slt: error: unrecognized arguments: {operands[1]}\n".encode())
    if operands:
        if operands[0] not in files:
            return _of(1, err=f"[Errno 2] No such file or directory: '{operands[0]}'\n".encode())
        data = files[operands[0]]
    elif command == "sort":
        data = case.stdin
    else:
        return _of(2, err=b"slt: error: the following arguments are required: file\n")
    return _command(command, options, data)


def _parsed(rest: list[str]) -> tuple[dict[str, str], list[str], str]:
    names = {"-o": "--output", "-r": "--reverse"}
    options: dict[str, str] = {}
    operands: list[str] = []
    words = iter(rest)
    for word in words:
        name = names.get(word, word)
        if name in ("--words", "--reverse", "--upper"):
            options[name] = ""
        elif name in ("--by", "--output", "--limit", "--line"):
            value = next(words, None)
            if value is None:
                return {}, [], f"slt: error: argument {name}: expected one argument\n"
            if name in ("--limit", "--line") and not value.isdigit():
                return {}, [], f"slt: error: argument {name}: invalid int value: '{value}'\n"
            if name == "--by" and value not in ("line", "char"):
                return {}, [], f"slt: error: argument --by: invalid choice: '{value}' (choose from 'line', 'char')\n"
            options[name] = value
        elif word.startswith("-"):
            return {}, [], f"slt: error: unrecognized arguments: {word}\n"
        else:
            operands.append(word)
    return options, operands, ""


def _command(command: str, options: dict[str, str], data: bytes) -> Recording:
    lines = data.splitlines()
    if command == "count":
        number = len(data.split()) if "--words" in options else len(data) if options.get("--by") == "char" else len(lines)
        text = f"{number} {len(data)}\n".encode()
        if "--output" in options:
            change = Change(f"{WORKSPACE}/{options['--output']}", "created", "file", 0o644, len(text), Output.of(text).sha256, content=text)
            return _of(0, changes=(change,))
        return _of(0, text)
    if command == "pick":
        if "--line" not in options:
            return _of(2, err=b"slt: error: the following arguments are required: --line\n")
        number = int(options["--line"])
        return _of(0, lines[number - 1] + b"\n") if 0 < number <= len(lines) else _of(1, err=b"slt: no such line\n")
    if "--upper" in options and "--limit" not in options:
        return _of(2, err=b"slt: error: --upper requires --limit\n")
    lines = sorted(lines, reverse="--reverse" in options)
    lines = lines[: int(options["--limit"])] if "--limit" in options else lines
    text = b"".join(line + b"\n" for line in lines)
    return _of(0, text.upper() if "--upper" in options else text)


class FactorySandbox(ScriptedSandbox):
    """Answers a build with the package's metadata too; `packaged` changes what the package ships."""

    def __init__(self, tool: Tool = tool, *, metadata: str = METADATA, scripts: str = "[console_scripts]\nslt = tool:main\n") -> None:
        super().__init__(tool)
        self.metadata = metadata
        self.scripts = scripts

    def build(self, request: BuildRequest) -> BuildResult:
        result = super().build(request)
        source = request.destination / "source"
        if source.is_dir():
            info = source / "some_tool-1.0.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(self.metadata)
            (info / "entry_points.txt").write_text(self.scripts)
        return result

    def open(self, *, language: str, prefix: Path, limits: Limits, workers: int) -> ScriptedSession:
        return ScriptedSession(self)
