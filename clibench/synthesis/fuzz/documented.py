"""Examples that help and README give: which commands and options they use with which values, and whole command lines to try.

A line counts when it runs the tool: `tool sort -r a.txt > b.txt`, `cat a.json | tool .name`, `$ tool --flag`. Files that it names become
fixtures with content of their kind.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from clibench.synthesis.fuzz.contents import Kind, kind_of_path
from clibench.synthesis.fuzz.draft import Draft, Plan, content
from clibench.synthesis.fuzz.values import literal
from clibench.synthesis.schema import Command, Option

MOST: Final = 40
_PROMPT: Final = re.compile(r"^\s*(?:\$|>|%|#|C:\\>|PS>)\s+")
_BLANK: Final = re.compile(r"<[A-Za-z][\w .|-]*>|\[[A-Za-z-][\w .|-]*\](?!\S)|\.\.\.|…")
"""A place that the reader is to fill in: a usage line and no example."""


@dataclass(frozen=True)
class Line:
    """One documented command line: the words after the tool's name, and what goes into it."""

    words: tuple[str, ...]
    stdin_file: str | None = None
    """A file that is piped or redirected in."""
    stdin_text: str | None = None


@dataclass(frozen=True)
class Documented:
    """What the examples tell."""

    lines: tuple[Line, ...] = ()
    values: Mapping[tuple[tuple[str, ...], str], tuple[str, ...]] = field(default_factory=dict)
    """By command path and option name: the values that examples give it."""
    operands: Mapping[tuple[str, ...], tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """By command path: for each place, the values that stand there."""


def read_lines(texts: Sequence[str], names: Sequence[str], declared: Sequence[str] = ()) -> tuple[Line, ...]:
    """The command lines in the texts that run one of `names`; those of the schema go first."""
    found: dict[Line, None] = {}
    joined = [re.sub(r"\\\n\s*", " ", text) for text in (*(f"    {line}" for line in declared), *texts)]
    runs = re.compile(rf"(?:^|[|;&`]\s*|\s)(?:npx |python -m |\./|uvx )?(?:{'|'.join(map(re.escape, names))})(?=\s|$)")
    for text in joined:
        for raw in code_lines(text):
            raw = _PROMPT.sub("", raw.strip()).strip("`").strip()
            if not runs.search(raw) or len(raw) > 300 or _BLANK.search(raw) or not re.match(r"[\w./\"'{<-]", raw):
                continue
            line = _line(raw, names)
            if line is not None:
                found.setdefault(line)
    return tuple(found)[:MOST]


def code_lines(text: str) -> Iterator[str]:
    """Lines that are code rather than prose: fenced, indented, after a prompt sign, or in backquotes as a whole."""
    fenced = False
    for line in text.splitlines():
        if re.match(r"\s*(?:```|~~~)", line):
            fenced = not fenced
        elif fenced or re.match(r"\s{2,}\S|\t|\s*(?:\$|>|%)\s|\s*`[^`]+`\s*$", line):
            yield line


def _line(raw: str, names: Sequence[str]) -> Line | None:
    raw = re.sub(r"\s#\s.*$", "", raw)
    try:
        lexer = shlex.shlex(raw, posix=True, punctuation_chars="|<>;&")
        lexer.whitespace_split = True
        tokens = list(lexer)
    except ValueError:
        return None
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token and set(token) <= set("|;&"):
            parts.append([])
        else:
            parts[-1].append(token)
    index = next((number for number, part in enumerate(parts) if _runs(part, names)), None)
    if index is None:
        return None
    words, stdin_file = _redirected(parts[index])
    start = next((number for number, word in enumerate(words) if word.rsplit("/", 1)[-1] in names), None)
    if start is None:
        return None
    words = words[start + 1 :]
    if any(re.search(r"[<\[][a-z][\w -]*[>\]]|\.\.\.|…|\$\(|`", word) for word in words) or len(words) > 14:
        return None
    stdin_text = None
    if index > 0 and stdin_file is None:
        before = parts[index - 1]
        if before[:1] == ["cat"] and len(before) == 2:
            stdin_file = before[1]
        elif before[:1] in (["echo"], ["printf"]) and len(before) >= 2:
            stdin_text = " ".join(word for word in before[1:] if word not in ("-n", "-e")) + "\n"
        else:
            return None
    return Line(tuple(words), stdin_file, stdin_text)


def _runs(part: Sequence[str], names: Sequence[str]) -> bool:
    words = [word for word in part if word not in ("npx", "python", "-m", "uvx", "sudo", "$")]
    return bool(words) and words[0].rsplit("/", 1)[-1] in names


def _redirected(part: Sequence[str]) -> tuple[list[str], str | None]:
    words: list[str] = []
    stdin_file = None
    tokens = iter(part)
    for token in tokens:
        if set(token) in ({"<"}, {">"}):
            target = next(tokens, None)
            if token[0] == "<":
                stdin_file = target
            if words and words[-1] in ("2", "1"):
                words.pop()
        else:
            words.append(token)
    return words, stdin_file


def understand(lines: Sequence[Line], root: Command) -> Documented:
    """Sort the words of the lines by what the schema says they are."""
    values: dict[tuple[tuple[str, ...], str], list[str]] = {}
    operands: dict[tuple[str, ...], list[list[str]]] = {}
    for line in lines:
        path, command, rest = locate(line.words, root)
        place = 0
        words = iter(rest)
        for word in words:
            option, value = option_of(word, command, root)
            if option is not None:
                if option.takes_value and value is None and not option.value_optional:
                    value = next(words, None)
                if value is not None and option.takes_value:
                    values.setdefault((path, option.name), []).append(value)
            elif not word.startswith("-") or word == "-":
                slots = operands.setdefault(path, [])
                while len(slots) <= place:
                    slots.append([])
                slots[place].append(word)
                place += 1
    return Documented(
        tuple(lines),
        {key: tuple(dict.fromkeys(found)) for key, found in values.items()},
        {path: tuple(tuple(dict.fromkeys(slot)) for slot in slots) for path, slots in operands.items()},
    )


def locate(words: Sequence[str], root: Command) -> tuple[tuple[str, ...], Command, list[str]]:
    """The command that the words lead to, and what is left of them."""
    path: list[str] = []
    command, rest = root, list(words)
    position = 0
    while position < len(rest):
        word = rest[position]
        child = next((child for child in command.commands if word == child.name or word in child.aliases), None)
        if child is None:
            if word.startswith("-") and not path and command.commands:
                option, value = option_of(word, command, root)
                position += 2 if option is not None and option.takes_value and value is None else 1
                continue
            break
        path.append(child.name)
        command = child
        rest.pop(position)
    return tuple(path), command, rest


def option_of(word: str, command: Command, root: Command) -> tuple[Option | None, str | None]:
    """The option that a word names, and the value within the word."""
    name, mark, value = word.partition("=")
    if not word.startswith("-") or word == "-":
        return None, None
    found = command.option(name) or root.option(name)
    if found is None and re.match(r"-[A-Za-z].", word) and not word.startswith("--"):
        found = command.option(word[:2]) or root.option(word[:2])
        return (found, word[2:]) if found is not None and found.takes_value else (None, None)
    return found, value if mark else None


def line_draft(line: Line, root: Command, domain: Sequence[Kind]) -> Draft:
    """A documented line as a draft: its words as they are, its files with content that varies."""
    path, command, rest = locate(line.words, root)
    plans: list[Plan] = []
    number = 0
    after_output = False
    for word in rest:
        kind = kind_of_path(word) if re.fullmatch(r"(?:[\w-]+/)*[\w.-]+\.\w+", word) and not word.startswith(("/", "~", "..")) else None
        option, _ = option_of(word, command, root)
        if kind is not None and not after_output:
            template, params = content(kind, number)
            plans.append(Plan(f"{word}", (word,), params, {word: template}))
            number += 1
        else:
            plans.append(literal(word, word))
        after_output = (
            option is not None and bool(re.fullmatch(r"-o|--out\w*(?:-\w+)*|--dest\w*|--write-to", option.name)) and option.takes_value
        )
    stdin = None
    if line.stdin_file is not None:
        template, params = content(kind_of_path(line.stdin_file) or domain[0], number)
        stdin = Plan("documented file on standard input", (), params, {}, template)
    elif line.stdin_text is not None:
        stdin = Plan("documented text on standard input", (), {}, {}, literal("", line.stdin_text).words[0])
    return Draft(path, (), tuple(plans), stdin)


def commands_of(root: Command) -> Iterator[tuple[tuple[str, ...], Command]]:
    """Commands that do something themselves: leaves, and the others that take arguments."""
    for path, command in root.walk():
        if not command.commands or (path and command.positionals):
            yield path, command
