"""Ask a tool for the help of every command that it has, breadth first (paper II-B).

A command is asked with `--help`, and where that is no help with `-h` and `help`. Each text is read by an extractor, and the commands that
it names are asked next. What a crawl must not be caught by: a tool that prints its own help whatever the words (the text of a child is that
of an ancestor: the child has no help of its own), a command under two names (a text of a sibling: an alias), `help` commands, and trees
without an end, which depth and number bound.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from clibench.errors import UserError
from clibench.recording import End, Recording
from clibench.synthesis.fuzz.bench import Bench, shown_text
from clibench.synthesis.schema import Command, SchemaExtractor

MOST_COMMANDS: Final = 60
DEEPEST: Final = 4
_SKIPPED: Final = frozenset(
    {"help", "completion", "completions", "version", "autocomplete", "commands", "upgrade", "update", "install", "uninstall"}
)
"""Commands that tell of the tool itself or change its installation."""


@dataclass(frozen=True)
class HelpPage:
    """The help of one command."""

    path: tuple[str, ...]
    argv: tuple[str, ...]
    """Words that print it."""
    text: str
    """With the alias in the place of the tool's names."""
    status: int = 0


@dataclass(frozen=True)
class Crawl:
    """All help of a tool."""

    pages: tuple[HelpPage, ...]
    """The tool's own first."""
    command: Command
    """The whole tree."""
    cut: bool = False
    """Whether a bound was met."""
    missing: str = ""
    """Of a tool without help: what it does when it is asked for it."""


def crawl(bench: Bench, extractor: SchemaExtractor, readme: str = "") -> Crawl:
    """The help of the tool and of its commands; of one that prints none, what its README shows in its place. Raises UserError where that
    shows no use of it either."""
    root = _ask(bench, [()], extractor)[0]
    if root is None:
        first = bench.words([("--help",)])[0]
        reason = _why_no_help(first)
        # A tool that takes the word for a file, and crashes since there is none, may still be known by its README.
        broken = first.status.end is not End.EXIT or (_CRASH.search(shown_text(first)) and "--help" not in shown_text(first))
        told = None if broken else _told(bench, extractor, readme)
        if told is None:
            raise UserError(reason, where=bench.alias)
        return Crawl((), told, missing=reason)
    pages = [root]
    tree: dict[tuple[str, ...], Command] = {(): extractor.extract(bench.alias, root.text)}
    texts: dict[tuple[str, ...], str] = {(): _normal(root.text, ())}
    frontier: list[tuple[str, ...]] = [()]
    cut = False
    while frontier:
        asked: list[tuple[str, ...]] = []
        for path in frontier:
            for child in tree[path].commands:
                if child.name.lower() in _SKIPPED or not re.fullmatch(r"[A-Za-z0-9][\w:.+-]*", child.name):
                    continue
                if len(path) >= DEEPEST or len(pages) + len(asked) >= MOST_COMMANDS:
                    cut = True
                    continue
                asked.append((*path, child.name))
        frontier = []
        for path, page in zip(asked, _ask(bench, asked, extractor), strict=True):
            listed = next(child for child in tree[path[:-1]].commands if child.name == path[-1])
            if page is None:
                tree[path] = replace(listed, commands=())
                continue
            text = _normal(page.text, path)
            if any(_normal(page.text, path[:depth]) == texts[path[:depth]] for depth in range(len(path)) if path[:depth] in texts):
                tree[path] = replace(listed, commands=())  # prints an ancestor's help whatever it is asked
                continue
            plain = " ".join(page.text.split())
            twin = next(
                (row.path for row in pages if row.path[:-1] == path[:-1] and plain == " ".join(row.text.split()) and row.path != path), None
            )
            if twin is None:
                twin = next((other for other, known in texts.items() if known == text and other and other[:-1] == path[:-1]), None)
            if twin is not None:
                tree[twin] = replace(tree[twin], aliases=(*tree[twin].aliases, path[-1]))
                continue
            found = extractor.extract(" ".join((bench.alias, *path)), page.text)
            above = [{child.name for child in tree[path[:depth]].commands} for depth in range(len(path))]
            if found.commands and any({child.name for child in found.commands} <= names for names in above):
                found = replace(found, commands=())  # lists the tool's commands again
            tree[path] = replace(found, name=listed.name, summary=found.summary or listed.summary, aliases=listed.aliases)
            texts[path] = text
            pages.append(page)
            frontier.append(path)
    return Crawl(tuple(pages), _assembled(tree, ()), cut)


def _told(bench: Bench, extractor: SchemaExtractor, readme: str) -> Command | None:
    """The schema by what of a README declares the most: a code block, or the lines and words in backquotes; None where nothing runs the
    tool."""
    text = bench.rename(readme.encode("utf-8", "replace")).decode("utf-8", "replace")
    runs = _runs(bench.alias)
    blocks = [match[1] or match[2] or "" for match in _BLOCK.finditer(text)]
    quoted = [line for line in re.findall(r"`([^`\n]+)`", text) if runs.match(line) and " " in line.strip()]
    listed = [f"  {names}  {about}" for names, about in _LISTED.findall(text)]
    usage = [f"Usage: {line}\n" for line in quoted[:1]]
    helps = [block for block in blocks if bench.alias in block and _USAGE.search(block)]
    helps += ["\n".join((*usage, "", "Options:", *listed, ""))] if usage or listed else []
    found = [extractor.extract(bench.alias, block) for block in helps]
    size = {id(schema): len(schema.options) + len(schema.positionals) for schema in found}
    best = max(found, key=lambda schema: size[id(schema)], default=Command(bench.alias))
    return replace(best, commands=()) if quoted or any(map(runs.search, blocks)) or len(helps) > bool(usage or listed) else None


def _runs(name: str) -> re.Pattern[str]:
    """A line that runs the tool."""
    return re.compile(rf"^\s*(?:\$ |> |% )?(?:[^|\n]*\|\s*)?(?:npx )?{re.escape(name)}(?=\s|$)", re.MULTILINE)


def _assembled(tree: dict[tuple[str, ...], Command], path: tuple[str, ...]) -> Command:
    children = tuple(_assembled(tree, (*path, child.name)) for child in tree[path].commands if (*path, child.name) in tree)
    return replace(tree[path], commands=children)


def _ask(bench: Bench, paths: Sequence[tuple[str, ...]], extractor: SchemaExtractor) -> list[HelpPage | None]:
    """The help of each path, in the form in which it is given first."""
    found: dict[tuple[str, ...], HelpPage] = {}
    for form in range(4):
        missing = [path for path in paths if path not in found]
        lines = [_words(path, form) for path in missing]
        asked = [(path, line) for path, line in zip(missing, lines, strict=True) if line is not None]
        for (path, line), recording in zip(asked, bench.words(line for _, line in asked), strict=True):
            text = shown_text(recording, bench.rename)
            if is_help(recording, text, extractor, line, bench.alias):
                found[path] = HelpPage(path, line, text, recording.status.code)
    return [found.get(path) for path in paths]


def _words(path: tuple[str, ...], form: int) -> tuple[str, ...] | None:
    match form:
        case 0:
            return (*path, "--help")
        case 1:
            return (*path, "-h")
        case 2:
            return ("help", *path)
        case _:
            return path or None if path else ()


_USAGE: Final = re.compile(r"\busage\b|\boptions?:|\bflags?:|\bcommands?:|\barguments:", re.IGNORECASE)
_BLOCK: Final = re.compile(
    r"^[ \t]*(?:```|~~~)[^\n]*\n(.*?)^[ \t]*(?:```|~~~)[ \t]*$|((?:^(?: {4}|\t)[^\n]*\n|^\n)+)", re.MULTILINE | re.DOTALL
)
"""A code block of a README, fenced or indented."""
_LISTED: Final = re.compile(r"^[ \t]*(?:[*+|-][ \t]+|\|)?[*_]*`(--?[A-Za-z][^`\n]*)`[*_]*[ \t]*[:|-]*[ \t]*([^|\n]*)", re.MULTILINE)
"""An option that a README lists: in backquotes at the start of a line, a list item or a row of a table."""
_CRASH: Final = re.compile(r"^Traceback \(most recent call last\)|^panic: |^node:internal|^    at .+:\d+:\d+\)?$", re.MULTILINE)


def is_help(recording: Recording, text: str, extractor: SchemaExtractor, words: Sequence[str], name: str) -> bool:
    """Whether a run of the tool `name` printed a help text: it ended by itself, and its text has a usage, declares something or, where help
    was asked for, shows lines that run the tool."""
    if recording.status.end is not End.EXIT or len(text.strip()) < 20 or recording.stdout.truncated or _CRASH.search(text):
        return False
    if recording.status.ok and _USAGE.search(text):
        return True
    asked = words in (("--help",), ("-h",), ("help",))
    lines = len(text.strip().splitlines())
    if asked and recording.status.ok and lines > 1 and _runs(name).search(text):
        return True
    schema = extractor.extract("tool", text)
    declared = len(schema.options) + len(schema.positionals) + len(schema.commands)
    if recording.status.ok:
        return declared >= 2 and bool(words)
    # An error message often repeats the usage line; a help has more to say.
    return bool(_USAGE.search(text)) and (declared >= 2 or (declared >= 1 and lines >= 4))


def _why_no_help(first: Recording) -> str:
    if first.status.end is End.TIMEOUT:
        return "hangs on --help"
    text = shown_text(first).strip().splitlines()
    said = f": {text[-1].strip()[:200]}" if text else ""
    return f"prints no help for --help, -h and help ({first.status}){said}"


def _normal(text: str, path: tuple[str, ...]) -> str:
    """A help text for comparison: without blanks, and without the words that lead to it in its usage lines."""
    words = re.escape(" ".join(path))
    lines = (re.sub(rf"\b{words}\b", "", line) if path and re.search("usage", line, re.IGNORECASE) else line for line in text.splitlines())
    return " ".join(" ".join(lines).split())
