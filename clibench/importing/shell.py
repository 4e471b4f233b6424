"""Read a shell command of the artifact as one call of the tool: argv, standard input, working folder, and what has to be done before.

The published tests hand a line to `sh -c`; a case here is an argv. What a line may hold and still be one call: folders changed and files
prepared before it (`cd X && ...`, `mkdir d && ...`), assignments, input from `echo`, `printf` or a file, and "$(cat FILE)" of a known file.
All else (output that is redirected or piped on, other expansions, several calls) is no case of this model, and says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_OPERATORS: Final = re.compile(r"&&|\|\||;|\n|&>|&|\||\d*>>|\d*>&\d|\d*>|<<|<|\(|\)")
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_CONTENT: Final = re.compile(r"\$\(\s*cat\s+([\w./@%+=:,-]+|'[^']*')\s*\)")
"""The content of a file, as a word."""
_NOTHING: Final[Mapping[str, bytes]] = {}


class UnsupportedError(Exception):
    """A line that is no single call; the text says what stands in the way."""


@dataclass(frozen=True)
class Word:
    """A word without its quotes."""

    text: str
    dynamic: str = ""
    """What a shell would still do with it: an expansion, a pattern."""
    end: int = 0
    """Where it ends in the line."""


@dataclass(frozen=True)
class Operator:
    """A token that is no word."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Call:
    """One call of the tool."""

    argv: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()
    stdin: bytes = b""
    stdin_file: str = ""
    """A file whose content is the standard input."""
    cwd: str = ""
    setup: str = ""
    """Shell commands to run before."""


def read_call(line: str, tool: str | None = None, files: Mapping[str, bytes] = _NOTHING) -> Call:
    """The call in a line; `tool` is the name that its last command has to have, `files` are known contents. Raises UnsupportedError."""
    tokens = list(tokens_of(line.strip(), files))
    commands, ends = _sequence(tokens)
    last = commands[-1]
    cwd, setup = _before(line.strip(), commands[:-1], ends, tool)
    stages = _split(last, "|")
    stdin, stdin_file = b"", ""
    if len(stages) > 2:
        raise UnsupportedError("a pipe of several commands")
    if len(stages) == 2:
        stdin, stdin_file = _fed(stages[0])
    words, redirected = _redirections(stages[-1])
    if redirected:
        stdin, stdin_file = b"", redirected
    env = []
    while words and (assignment := _ASSIGNMENT.fullmatch(words[0].text)) and not words[0].dynamic:
        env.append((assignment[1], assignment[2]))
        words = words[1:]
    if not words:
        raise UnsupportedError("no command")
    for word in words:
        if word.dynamic:
            raise UnsupportedError(word.dynamic)
        if "\0" in word.text:
            raise UnsupportedError("a NUL byte in an argument")
    argv = tuple(word.text for word in words)
    if tool is not None and argv[0] != tool:
        raise UnsupportedError(f"it calls {argv[0][:40]!r} and not {tool!r}")
    return Call(argv, tuple(env), stdin, stdin_file, cwd, setup)


def written(script: str) -> dict[str, bytes]:
    """The files that a preparation script writes whole, by `echo`, `printf` or from nothing, and does not touch otherwise."""
    found: dict[str, bytes] = {}
    try:
        commands, _ = _sequence(list(tokens_of(script.strip())))
    except UnsupportedError:
        return {}
    for command in commands:
        if len(command) < 3 or not isinstance(target := command[-1], Word) or target.dynamic:
            continue
        arrow = command[-2]
        if isinstance(arrow, Operator) and arrow.text == ">" and len(re.findall(rf"(?<!\S){re.escape(target.text)}(?!\S)", script)) == 1:
            try:
                content, source = _fed(command[:-2])
            except UnsupportedError:
                continue
            if not source:
                found[target.text] = content
    return found


def tokens_of(line: str, files: Mapping[str, bytes] = _NOTHING) -> Iterator[Word | Operator]:
    """Words and operators, as POSIX has them (2.2, 2.3). Raises UnsupportedError for a quote that does not end."""
    position = 0
    while position < len(line):
        if line[position] in " \t":
            position += 1
        elif operator := _OPERATORS.match(line, position):
            yield Operator(operator[0], position, operator.end())
            position = operator.end()
        elif line[position] == "#":
            position = (line + "\n").index("\n", position)
        else:
            word = _word(line, position, files)
            yield word
            position = word.end


def _word(line: str, position: int, files: Mapping[str, bytes]) -> Word:
    text, dynamic = [], ""
    start = position
    while position < len(line) and line[position] not in " \t\n;|&<>()":
        character = line[position]
        if character == "'":
            end = line.find("'", position + 1)
            if end < 0:
                raise UnsupportedError("a quote that does not end")
            text.append(line[position + 1 : end])
            position = end + 1
        elif character == '"':
            part, expands, position = _double_quoted(line, position + 1, files)
            text.append(part)
            dynamic = dynamic or expands
        elif character == "\\":
            text.append("" if line[position + 1 : position + 2] == "\n" else line[position + 1 : position + 2])
            position += 2
        else:
            dynamic = dynamic or _expansion(line, position, first=position == start)
            text.append(character)
            position += 1
    return Word("".join(text), dynamic, position)


def _double_quoted(line: str, position: int, files: Mapping[str, bytes]) -> tuple[str, str, int]:
    text: list[str] = []
    dynamic = ""
    while True:
        if position >= len(line):
            raise UnsupportedError("a quote that does not end")
        character = line[position]
        if character == '"':
            return "".join(text), dynamic, position + 1
        if character == "\\" and line[position + 1 : position + 2] in tuple('$`"\\\n'):
            text.append("" if line[position + 1] == "\n" else line[position + 1])
            position += 2
            continue
        content = _CONTENT.match(line, position)
        if content and (known := files.get(content[1].strip("'"))) is not None and b"\0" not in known:
            text.append(known.decode("utf-8", "surrogateescape").rstrip("\n"))
            position = content.end()
            continue
        if character in "$`":
            dynamic = dynamic or _expansion(line, position, first=False)
        text.append(character)
        position += 1


def _expansion(line: str, position: int, *, first: bool) -> str:
    """What a shell would make of an unquoted character."""
    character, following = line[position], line[position + 1 : position + 2]
    if character == "`" or (character == "$" and following == "("):
        return "a command substitution"
    if character == "$" and re.match(r"[A-Za-z0-9_{?@*#$!-]", following):
        return "a variable"
    if character in "*?[":
        return "a file name pattern"
    return "a home folder" if character == "~" and first else ""


def _sequence(tokens: list[Word | Operator]) -> tuple[list[list[Word | Operator]], list[int]]:
    """Commands joined by `&&`, `;` and line ends, and where each ends in the line."""
    commands: list[list[Word | Operator]] = [[]]
    ends = []
    for token in tokens:
        if isinstance(token, Operator) and token.text in ("&&", ";", "\n"):
            ends.append(token.start)
            commands.append([])
        elif isinstance(token, Operator) and token.text in ("||", "&", "(", ")", "<<", "&>"):
            raise UnsupportedError(f"the operator {token.text}")
        else:
            commands[-1].append(token)
    kept = [(command, end) for command, end in zip(commands, [*ends, -1], strict=True) if command]
    if not kept:
        raise UnsupportedError("no command")
    return [command for command, _ in kept], [end for _, end in kept]


def _before(line: str, commands: list[list[Word | Operator]], ends: list[int], tool: str | None) -> tuple[str, str]:
    """Working folder and set-up that the commands before the call make."""
    cwd, setup = "", ""
    for command, end in zip(commands, ends, strict=False):
        words = [token for token in command if isinstance(token, Word)]
        if tool is not None and any(word.text == tool for word in words):
            raise UnsupportedError("several calls of the tool")
        if words and words[0].text == "cd" and len(words) == 2 and not words[1].dynamic:
            cwd = words[1].text if words[1].text.startswith("/") or not cwd else f"{cwd}/{words[1].text}"
        else:
            setup = line[:end].strip()
    return cwd, setup


def _split(tokens: list[Word | Operator], operator: str) -> list[list[Word | Operator]]:
    parts: list[list[Word | Operator]] = [[]]
    for token in tokens:
        if isinstance(token, Operator) and token.text == operator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _redirections(tokens: list[Word | Operator]) -> tuple[list[Word], str]:
    """The words, and the file that standard input comes from. Standard error may be thrown away or joined: it is not compared."""
    words: list[Word] = []
    source = ""
    rest = iter(tokens)
    for token in rest:
        if isinstance(token, Word):
            words.append(token)
            continue
        if token.text.endswith(">&1") and token.text.startswith("2"):
            raise UnsupportedError("standard error joined to standard output")
        target = next(rest, None)
        if token.text == "<" and isinstance(target, Word) and not target.dynamic:
            source = target.text
        elif not (token.text.startswith("2>") and isinstance(target, Word) and target.text == "/dev/null"):
            raise UnsupportedError("output that goes to a file")
    return words, source


def _fed(tokens: list[Word | Operator]) -> tuple[bytes, str]:
    """What a command before the pipe prints: text of echo or printf, or the content of a file."""
    words, source = _redirections(tokens)
    if any(word.dynamic for word in words) or source:
        raise UnsupportedError("input from a command")
    name, *arguments = [word.text for word in words] or [""]
    if name == "cat" and len(arguments) == 1 and not arguments[0].startswith("-"):
        return b"", arguments[0]
    if name == "echo":
        end = "\n"
        if arguments[:1] == ["-n"]:
            arguments, end = arguments[1:], ""
        return _escaped(" ".join(arguments) + end), ""
    if name == "printf" and arguments and not arguments[0].startswith("-"):
        return _printed(arguments[0], arguments[1:]), ""
    raise UnsupportedError(f"input from the command {name[:40]!r}")


_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def _printed(form: str, arguments: list[str]) -> bytes:
    """As the printf of dash prints it: the form is used again until no argument is left."""
    parts = re.findall(r"%.?|\\[0-7]{1,3}|\\.|[^%\\]+|\\$", form, re.DOTALL)
    if any(part == "\\c" or (part[0] == "%" and part not in ("%s", "%%")) for part in parts):
        raise UnsupportedError("a printf with other conversions than %s")
    rest = list(arguments)
    out = []
    while True:
        before = len(rest)
        for part in parts:
            if part == "%s":
                out.append(rest.pop(0) if rest else "")
            elif part[0] == "\\" and part[1:].isdigit():
                out.append(chr(int(part[1:], 8)))
            else:
                out.append("%" if part == "%%" else _ESCAPES.get(part[1:], part) if part[0] == "\\" else part)
        if not rest or len(rest) == before:
            return "".join(out).encode("utf-8", "surrogateescape")


def _escaped(text: str) -> bytes:
    """As the echo of dash, the `sh` of the published images, prints it: backslash escapes are read."""
    if "\\c" in text or re.search(r"\\0[0-7]", text):
        raise UnsupportedError("an octal escape or \\c in echo")
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), text, flags=re.DOTALL).encode("utf-8", "surrogateescape")
