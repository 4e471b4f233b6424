"""Extract a command's schema from its help text by rules: the `rules` side of schema extraction (paper II-B).

Every family of help is read by the same steps: sections, then options wherever a line declares one, then listed commands, then the usage
lines for what only they say (arity, what is required, what excludes what, options that are not described). What the rules do not
understand they leave out: a missing option costs coverage, an invented one would cost wrong cases.
"""

from __future__ import annotations

import re
from dataclasses import replace

from clibench.synthesis.help.commands import read_arguments, read_commands
from clibench.synthesis.help.entries import Entry, option_entries
from clibench.synthesis.help.page import Kind, Page, read_page
from clibench.synthesis.help.remarks import complete, value_type
from clibench.synthesis.help.styles import Style, style_of
from clibench.synthesis.help.usage import Usage, read_usage, usage_lines
from clibench.synthesis.schema import Command, Option, Positional


class RulesExtractor:
    """`SchemaExtractor` by rules: deterministic, free, offline."""

    def extract(self, name: str, help_text: str) -> Command:
        """The schema of `name`: a program, or a program and the words of a subcommand, parted by blanks."""
        page = read_page(help_text)
        style = style_of(page)
        path = name.split()
        commands = read_commands(page, style, path)
        options = _options(page)
        lines = [line for section in page.of(Kind.USAGE) for line in section.lines] or _opening(page, path)
        usages = usage_lines(lines, path[1:])
        bracketed = [line for section in page.of(Kind.OPTIONS) for line in section.lines if line.startswith("[-")]
        by_name = {given: option for option in options for given in (*option.names, *([option.negation] if option.negation else []))}
        commands = commands or _commands_of_lines(usages, style)
        own = [line for line in usages if line.split(" ")[0] not in {command.name for command in commands}]
        usage = read_usage(_joined(own, bracketed), by_name.get, has_commands=bool(commands))
        if not commands:
            commands = _commands_of_braces(usage, usages)
        options = _with_usage(options, usage)
        names = {command.name for command in commands}
        return Command(
            name=path[-1] if path else name,
            summary=_summary(page),
            usage=tuple(usages),
            options=options,
            positionals=_positionals(page, usage, names),
            exclusive=tuple(dict.fromkeys(usage.exclusive)),
            examples=_examples(page, path[0] if path else name),
            commands=commands,
        )


def _opening(page: Page, path: list[str]) -> list[str]:
    """yargs begins with the usage line itself."""
    first = next((line for line in page.text.split("\n") if line.strip()), "")
    return [first] if path and first.startswith(f"{' '.join(path)} ") and re.search(r"[<\[]", first) else []


def _joined(usages: list[str], bracketed: list[str]) -> list[str]:
    """Usage lines with what npm's tools set apart: `[--dry-run] [--out <file>]` under "Options:"."""
    return [" ".join((line, *bracketed)) for line in usages] if bracketed else usages


def style(help_text: str) -> Style:
    """The library that wrote a help text."""
    return style_of(read_page(help_text))


def _options(page: Page) -> tuple[Option, ...]:
    """Each once, where a section of options declares it rather than where the prose mentions it."""
    found: dict[str, Option] = {}
    for section in sorted(page.sections, key=lambda section: section.kind is not Kind.OPTIONS):
        if section.kind in (Kind.EXAMPLES, Kind.ALIASES):
            continue
        for entry in option_entries(section.lines, boxed=page.boxed):
            option = _option(entry, page.text)
            if not any(name in found for name in option.names):
                found.update(dict.fromkeys(option.names, option))
    return _paired(tuple({id(option): option for option in found.values()}.values()))


def _option(entry: Entry, text: str) -> Option:
    option = complete(entry.declared, entry.description, text)
    return replace(option, required=True) if entry.starred and entry.declared.rest and not option.default else option


def _paired(options: tuple[Option, ...]) -> tuple[Option, ...]:
    """Kept as they are: `--color` and `--no-color` that are listed apart are two options that know of each other."""
    names = {name for option in options for name in option.names}
    return tuple(
        replace(option, negation=f"--no-{option.name[2:]}")
        if option.metavar is None and option.negation is None and f"--no-{option.name[2:]}" in names
        else option
        for option in options
    )


def _with_usage(options: tuple[Option, ...], usage: Usage) -> tuple[Option, ...]:
    known = {name for option in options for name in option.names}
    more: dict[str, Option] = {}
    for declared in usage.options:
        if not any(name in known or name in more for name in declared.names):
            option = complete(declared, "")
            more.update(dict.fromkeys(option.names, option))
    options = tuple(
        replace(option, metavar=value, type=value_type(value, ())) if (value := usage.values.get(option.name)) else option
        for option in options
    )
    return tuple(
        replace(option, required=True) if usage.required & set(option.names) and option.takes_value else option
        for option in (*options, *{id(option): option for option in more.values()}.values())
    )


def _commands_of_lines(lines: list[str], style: Style) -> tuple[Command, ...]:
    """docopt lists commands by usage lines: `tool add <name>`, `tool remove <name>`; at least two different words begin lines then."""
    if style not in (Style.DOCOPT, Style.PLAIN):
        return ()
    usages: dict[str, list[str]] = {}
    for line in lines:
        if first := re.match(r"[a-z][a-z0-9_-]*(?= |$)", line):
            usages.setdefault(first[0], []).append(line)
    if len(usages) < 2:
        return ()
    return tuple(Command(name, usage=tuple(listed)) for name, listed in usages.items())


def _commands_of_braces(usage: Usage, lines: list[str]) -> tuple[Command, ...]:
    """`{add,remove} ...` in a usage line names commands, where no list does."""
    for positional in usage.positionals:
        braces = "{" + ",".join(positional.choices) + "}"
        if positional.choices and any(f"{braces} ..." in line for line in lines):
            return tuple(Command(name) for name in positional.choices)
    return ()


def _positionals(page: Page, usage: Usage, commands: set[str]) -> tuple[Positional, ...]:
    told = read_arguments(page, commands)
    kept = []
    for positional in usage.positionals:
        if commands and (set(positional.choices) & commands or positional.name in commands):
            continue
        more = next((other for name, other in told.items() if name.lower() == positional.name.lower()), None)
        if more is not None:
            choices = positional.choices or more.choices
            positional = replace(positional, choices=choices, default=more.default, help=more.help, type=more.type)
        kept.append(positional)
    if not kept:
        kept = list(told.values())
    return tuple(kept)


def _summary(page: Page) -> str:
    """The first paragraph that stands before, or right after, the usage."""
    for section in page.sections:
        if section.kind is Kind.OTHER and (text := " ".join(line.strip() for line in section.lines[:12]).strip()):
            return re.split(r"(?<=\.)\s{2,}|\s{3,}", text)[0][:400]
    return ""


def _examples(page: Page, program: str) -> tuple[str, ...]:
    """Lines of example sections that run the program, a prompt sign taken off."""
    runs = re.compile(rf"^(?:.*[|;&] *)?(?:npx )?{re.escape(program)}(?:\s|$)")
    lines = (re.sub(r"^(\$|>|%)\s+", "", line.strip()) for section in page.of(Kind.EXAMPLES) for line in section.lines)
    return tuple(dict.fromkeys(line for line in lines if runs.match(line)))
