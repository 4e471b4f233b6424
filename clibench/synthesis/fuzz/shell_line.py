"""One line of shell as documentation shows it: which words a tool gets, and what reaches its standard input.

Only what examples use is read: pipes, redirections, here-documents, assignments before the command. What needs a shell to be carried out
(substitutions) is no example that a trial could run.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LONGEST: Final = 14
"""Words of an example."""
_RUNNERS: Final = frozenset({"npx", "python", "python3", "-m", "uvx", "uv", "pipx", "run", "sudo", "time", "$"})
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_ESCAPES: Final = {"\\n": "\n", "\\t": "\t", "\\r": "\r", "\\\\": "\\"}
_UNFIT: Final = re.compile(r"<[a-z][\w -]*>|\[[a-z][\w -]*\]|(?<!/)\.\.\.|…|\$\(|`|^\($|^[<>]\(")
"""A word that the reader is to fill in, or that a shell would have to work out."""


@dataclass(frozen=True)
class Line:
    """One documented command line: the words after the tool's name, and what goes into it."""

    words: tuple[str, ...]
    stdin_file: str | None = None
    """A file that is piped or redirected in; empty where another program's output is, of which only that it comes is known."""
    stdin_text: str | None = None
    env: tuple[tuple[str, str], ...] = ()


def read_line(raw: str, names: Sequence[str], here: str = "") -> Line | None:
    """The first run of one of `names` in a line of shell, None where there is none or it can't be repeated. `here` is the text of a
    here-document that the line begins."""
    if re.search(r"[<>]\(", raw):
        return None
    try:
        lexer = shlex.shlex(re.sub(r"\s#\s.*$", "", raw), posix=True, punctuation_chars="|<>;&")
        lexer.whitespace_split = True
        pieces = list(lexer)
    except ValueError:
        return None
    parts: list[list[str]] = [[]]
    joints: list[str] = []
    for piece in pieces:
        if piece and set(piece) <= set("|;&"):
            parts.append([])
            joints.append(piece)
        else:
            parts[-1].append(piece)
    for number, part in enumerate(parts):
        simple = _simple(part, here)
        start = _start(simple.words, names)
        if start is None:
            continue
        words = simple.words[start + 1 :]
        if any(_UNFIT.search(word) for word in words) or len(words) > LONGEST:
            return None
        if simple.stdin_file is None and simple.stdin_text is None and number and joints[number - 1] in ("|", "|&"):
            fed = _fed(_simple(parts[number - 1], here))
            return Line(words, fed.stdin_file, fed.stdin_text, simple.env)
        return Line(words, simple.stdin_file, simple.stdin_text, simple.env)
    return None


def _start(words: Sequence[str], names: Sequence[str]) -> int | None:
    """Where the tool's name stands, when nothing but a runner is before it."""
    for place, word in enumerate(words):
        if word.rsplit("/", 1)[-1] in names:
            return place
        if word not in _RUNNERS:
            return None
    return None


def _simple(part: Sequence[str], here: str) -> Line:
    """A simple command: its redirections and assignments taken out of its words."""
    words: list[str] = []
    env: list[tuple[str, str]] = []
    stdin_file = stdin_text = None
    pieces = iter(part)
    for piece in pieces:
        if piece and set(piece) <= set("<>&"):
            target = next(pieces, "")
            if piece == "<":
                stdin_file = target
            elif piece == "<<<":
                stdin_text = f"{target}\n"
            elif piece == "<<":
                stdin_text = here
            elif words and words[-1] in ("1", "2"):
                words.pop()  # 2>&1
        elif not words and (given := _ASSIGNMENT.fullmatch(piece)):
            env.append((given[1], given[2]))
        else:
            words.append(piece)
    return Line(tuple(words), stdin_file, stdin_text, tuple(env))


def _fed(feeder: Line) -> Line:
    """What a program on the left of a pipe hands on, as a line whose standard input it is."""
    name, *words = feeder.words or ("",)
    if name in ("cat", "type"):
        if feeder.stdin_text is not None:
            return feeder
        return Line((), next((word for word in words if not word.startswith("-")), feeder.stdin_file or ""))
    if name in ("echo", "printf"):
        flags = [word for word in words if word in ("-n", "-e", "-ne", "-en", "--")]
        text = " ".join(word for word in words if word not in flags)
        if name == "printf" or any("e" in flag for flag in flags):
            text = re.sub(r"\\[ntr\\]", lambda match: _ESCAPES[match[0]], text)
        ends = name == "echo" and not any("n" in flag for flag in flags)
        return Line((), None, f"{text}\n" if ends else text)
    # What is fetched is known by its address; of another program's output nothing is known.
    fetched = [word.rsplit("/", 1)[-1] for word in words if "://" in word] if name in ("curl", "wget", "http") else []
    return Line((), fetched[-1] if fetched else "")
