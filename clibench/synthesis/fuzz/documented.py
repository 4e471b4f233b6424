"""Examples that help and README give: which commands and options they use with which values, and whole command lines to try.

A line counts when it runs the tool: `tool sort -r a.txt > b.txt`, `cat a.json | tool .name`, `$ tool --flag`. Files that it names become
fixtures with content of their kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from clibench.synthesis.fuzz.contents import Kind, kind_of_path
from clibench.synthesis.fuzz.draft import Draft, Plan, content
from clibench.synthesis.fuzz.files import packages_plan
from clibench.synthesis.fuzz.shell_line import Line, read_line
from clibench.synthesis.fuzz.values import literal
from clibench.synthesis.schema import Command, Option

MOST: Final = 40
_PROMPT: Final = re.compile(r"^\s*(?:\$|>|%|#|C:\\>|PS>)\s+")
_BLANK: Final = re.compile(r"<[A-Za-z](?:[\w .|-]*[\w.|-])?>|\[[A-Za-z-][\w .|-]*\](?!\S)|(?<!/)\.\.\.|…")
"""A place that the reader is to fill in: a usage line and no example. (`./...` names Go packages.)"""


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
    runs = re.compile(rf"(?:^|[|;&`]\s*|\s)(?:npx |python3? -m |\./|uvx )?(?:{'|'.join(map(re.escape, names))})(?=\s|$)")
    for text in joined:
        lines = list(code_lines(text))
        for number, raw in enumerate(lines):
            raw = _PROMPT.sub("", raw.strip()).strip("`").strip()
            if not runs.search(raw) or len(raw) > 300 or _BLANK.search(raw) or not re.match(r"[\w./\"'{<-]", raw):
                continue
            line = read_line(raw, names, _here(raw, lines[number + 1 :]))
            if line is not None:
                found.setdefault(line)
    return tuple(found)[:MOST]


def _here(raw: str, following: Sequence[str]) -> str:
    """The here-document that a line begins."""
    mark = re.search(r"<<-?\s*['\"]?(\w+)['\"]?", raw)
    if mark is None:
        return ""
    body: list[str] = []
    for line in following:
        if line.strip() == mark[1]:
            return "".join(f"{kept}\n" for kept in body)
        body.append(line)
    return ""


def code_lines(text: str) -> Iterator[str]:
    """Lines that are code rather than prose: fenced, indented, after a prompt sign, or in backquotes as a whole."""
    fenced = False
    for line in text.splitlines():
        if re.match(r"\s*(?:```|~~~)", line):
            fenced = not fenced
        elif fenced or re.match(r"\s{2,}\S|\t|\s*(?:\$|>|%)\s|\s*`[^`]+`\s*$", line):
            yield line


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


def with_shown_options(root: Command, lines: Sequence[Line]) -> Command:
    """A tool whose help tells no option, with those that its examples show: `--name=value` takes a value, `--name` and `-n` do not."""
    if any(command.options for _, command in root.walk()):
        return root
    found: dict[str, Option] = {}
    for word in (word for line in lines for word in line.words):
        if given := re.fullmatch(r"(--?[A-Za-z][\w-]*)(=.+)?", word, re.DOTALL):
            option = Option((given[1],), metavar="VALUE" if given[2] else None, value_optional=bool(given[2]))
            if given[1] not in found or given[2]:
                found[given[1]] = option
    return replace(root, options=tuple(found.values()))


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


def line_draft(line: Line, root: Command, domain: Sequence[Kind], shown: Mapping[str, Kind] = MappingProxyType({})) -> Draft:
    """A documented line as a draft: its words as they are, its files with content that varies. `shown` are documents to take in the place
    of those of a kind, by the kind's name."""
    path, command, rest = locate(line.words, root)
    plans: list[Plan] = []
    params: dict[str, Any]
    number = 0
    after_output = False
    for word in rest:
        path_ = word.removeprefix("./")
        if re.fullmatch(r"(?:[\w-]+/)*\*", path_):  # all that is there
            path_ += next((suffix for suffix in domain[0].suffixes if suffix.startswith(".")), ".txt")
        kind = kind_of_path(path_) if re.fullmatch(r"(?:[\w*-]+/)*[\w*-][\w.*-]*\.\w+", path_) else None
        option, _ = option_of(word, command, root)
        if word == "./...":
            plans.append(packages_plan())
        elif kind is not None and not after_output:
            named = [path_.replace("**", "sub").replace("*", stem) for stem in ("first", "second")] if "*" in path_ else [path_]
            files, params = {}, {}
            for name in named:
                files[name], more = content(shown.get(kind.name, kind), number)
                params |= more
                number += 1
            plans.append(Plan(word, (word,), params, files))
        else:
            plans.append(literal(word, word))
        after_output = (
            option is not None and bool(re.fullmatch(r"-o|--out\w*(?:-\w+)*|--dest\w*|--write-to", option.name)) and option.takes_value
        )
    stdin = None
    if line.stdin_file is not None:
        kind = kind_of_path(line.stdin_file) or domain[0]
        template, params = content(shown.get(kind.name, kind), number)
        stdin = Plan("documented file on standard input", (), params, {}, template)
    elif line.stdin_text is not None:
        stdin = Plan("documented text on standard input", (), {}, {}, literal("", line.stdin_text).words[0])
    if line.env:
        env = {name: literal("", value).words[0] for name, value in line.env}
        plans.append(Plan("environment", env=env))
    return Draft(path, (), tuple(plans), stdin)


def commands_of(root: Command) -> Iterator[tuple[tuple[str, ...], Command]]:
    """Commands that may do something themselves: leaves, others that take arguments, and the tool itself."""
    for path, command in root.walk():
        if not command.commands or not path or command.positionals:
            yield path, command
