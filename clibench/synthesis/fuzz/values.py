"""Plans for the value of an option or argument, by its name, metavar, type, help and default: the likeliest first.

values.yaml is a table of words: the rows that fit give the plans, and what an option's help names itself (choices, a default, an example)
goes before them. None of it has to be right: what the tool refuses, or what changes nothing, is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Final

import yaml

from clibench.synthesis.fuzz.contents import Kind, kind_of_path
from clibench.synthesis.fuzz.domain import kinds_in
from clibench.synthesis.fuzz.draft import Plan
from clibench.synthesis.fuzz.files import file_plan, folder_plan, here_plan, named_file_plan, two_files_plan
from clibench.synthesis.schema import Option, Positional, ValueType

ENOUGH: Final = 6
"""Documented values that give cases enough."""
CLASSES: Final = {
    "plain words": ["river stone", "x", "New York", "HELLO World", "a small lamp", "Copper and paper", "winter harbor 42"],
    "names as in code": ["snake_case_word", "kebab-case-word", "PascalCaseWord", "alphaBeta gamma", "_lamp_ post", "v1.20.3", "a-b_c.d/e"],
    "signs and accents": [
        "caf\u00e9 na\u00efve", "don't stop!", "one, two; three", "ein \u00dcberblick", "42 is 7 * 6", "tab\there", "  two  blanks ",
        "50 % (half)",
    ],
}  # fmt: skip
"""Texts that a tool for texts treats each in its way, by what it may look at."""
WORDS: Final = ["alpha", "beta", "gamma", "river", "stone", "lamp", "copper", "winter"]


@dataclass(frozen=True)
class _Row:
    """A row of values.yaml."""

    label: str
    words: re.Pattern[str]
    value: Any


@cache
def _table() -> tuple[_Row, ...]:
    rows = yaml.safe_load((Path(__file__).parent / "values.yaml").read_text("utf-8"))
    return tuple(
        _Row(row["label"], re.compile(row["words"]), row.get("value") or {"type": "choice", "values": list(map(str, row["values"]))})
        for row in rows
    )


_OUTPUT: Final = re.compile(r"out\w*|dest\w*|target|save|write(?:-?to)?|to-?file|o|result|report|export(?:-?to)?|log-?file", re.IGNORECASE)
_FOLDER: Final = re.compile(
    r"(?:.*[-_ ])?(?:dirs?|director(?:y|ies)|folders?|root|workspace|project|outdir|tree|repo\w*)(?:[-_ ].*)?|outdir", re.IGNORECASE
)
_FILE: Final = re.compile(
    r"(?:.*[-_ .])?(?:files?|filenames?|paths?|inputs?|sources?|src|infile|documents?|json|ya?ml|csv|toml|html?|xml|md|markdown|sql|script|"
    r"config|conf|cfg|schema|data|dataset|baseline|left|right|old|new|before|after|ref\w*|hyp\w*|target|image|svg|css|from-?file|template|"
    r"manifest|spec|notebook|tmpl|log|first|second|a|b|t1|t2|file[12])s?\d?(?:[-_ .].*)?",
    re.IGNORECASE,
)


def value_plans(option: Option, domain: Sequence[Kind], suggested: Sequence[str] = ()) -> list[Plan]:
    """Plans for an option's value. `suggested` are values that documented examples give it."""
    label = option.name.lstrip("-")
    word = " ".join((label, *(name.lstrip("-") for name in option.names), option.metavar or ""))
    return _unique(_plans(label, word, option.metavar or "", option.type, option.choices, option.default, option.help, domain, suggested))


def operand_plans(positional: Positional, domain: Sequence[Kind], suggested: Sequence[str] = ()) -> list[Plan]:
    """Plans for an argument without a name."""
    name = positional.name.strip("<>[]().").lower()
    plans = _unique(
        _plans(name, name, name, positional.type, positional.choices, positional.default, positional.help, domain, suggested, operand=True)
    )
    return [plan for plan in plans if "output" not in plan.label] + [plan for plan in plans if "output" in plan.label]


def _unique(plans: Iterator[Plan]) -> list[Plan]:
    found: dict[str, Plan] = {}
    for plan in plans:
        found.setdefault(plan.label, plan)
    return list(found.values())


def _plans(
    label: str, word: str, metavar: str, kind: ValueType | None, choices: Sequence[str], default: str | None, help_text: str,
    domain: Sequence[Kind], suggested: Sequence[str], *, operand: bool = False,
) -> Iterator[Plan]:  # fmt: skip
    name = _parameter(label)
    if choices:
        yield _typed(name, "choices", {"type": "choice", "values": list(choices), "invalid": ["no-such-choice"]})
    file_like = (
        operand
        or kind is ValueType.PATH
        or bool(re.search(r"\b(?:file|path|filename|folder|director(?:y|ies))\b", help_text, re.IGNORECASE))
    )
    plain = [value for value in suggested if not _is_file(value)]
    files = [value for value in suggested if _is_file(value)]
    if plain:
        yield _typed(name, "documented values", {"type": "choice", "values": list(dict.fromkeys(plain))})
        if operand and not choices and kind in (None, ValueType.STRING) and len({*plain}) < ENOUGH and not all(map(_is_special, plain)):
            yield texts_plan(name, "documented values and others", [*plain, *chain(*CLASSES.values())])
            yield from (texts_plan(name, label, values) for label, values in CLASSES.items())
    for path in files[:1]:
        yield named_file_plan(path, kind_of_path(path) or domain[0], number=_own_number(path))
    named = quoted_values(help_text)
    if len(named) > 1:
        yield _typed(name, "values in the help", {"type": "choice", "values": named})
    tokens = set(re.split(r"[^a-z0-9]+", word.lower()))
    if kind is ValueType.BOOLEAN:
        yield _typed(name, "truth value", {"type": "bool"})
    folder = any(_FOLDER.fullmatch(part) for part in (label, metavar) if part)
    output = bool(_OUTPUT.fullmatch(label) or re.search(r"\b(?:output|write|save|destination|generated)\b", help_text, re.IGNORECASE)) and (
        kind is ValueType.PATH or file_like or bool(re.search(r"file|path|dir|folder", metavar + help_text, re.IGNORECASE))
    )
    if output and not operand:
        yield from _outputs(name, domain, folder=folder)
    elif _FILE.fullmatch(label) or _FILE.fullmatch(metavar) or folder or (file_like and kind in (None, ValueType.STRING, ValueType.PATH)):
        yield from _inputs(label, help_text, domain, folder=folder, operand=operand)
    if default not in (None, "", "true", "false", "[]", "null", "None") and len(default or "") < 60:
        yield from _around(name, str(default))
    if kind is ValueType.DATE:
        yield _typed(name, "date", {"type": "date"})
    if kind is ValueType.URL:
        yield _typed(name, "url", {"type": "url"})
    parts = (label.lower(), metavar.lower(), *sorted(tokens - {""}))
    for row in _table():
        if any(row.words.fullmatch(part) for part in parts) and (kind is not ValueType.INTEGER or row.value["type"] == "int"):
            yield _typed(name, row.label, row.value)
    if kind is ValueType.INTEGER:
        yield _typed(name, "whole number", {"type": "int", "min": "1", "max": "9"})
    elif kind is ValueType.NUMBER:
        yield _typed(name, "number", {"type": "float", "min": "0", "max": "9"})
    yield _typed(name, "words", {"type": "string", "words": WORDS, "max_length": "1"})
    yield _typed(name, "whole number", {"type": "int", "min": "1", "max": "9"})
    if operand:
        yield from _inputs(label, help_text, domain, folder=folder, operand=operand)


def _outputs(name: str, domain: Sequence[Kind], *, folder: bool) -> Iterator[Plan]:
    suffixes = [kind.suffixes[0] for kind in domain[:2] if kind.suffixes and kind.suffixes[0].startswith(".")] or [".txt"]
    paths = [f"out{suffix}" for suffix in suffixes] + [f"result{suffixes[0]}", f"new{suffixes[0]}"]
    there = Plan(
        "output folder", (f"{{{name}}}",), {name: {"type": "choice", "values": ["out", "build", "a-b"]}}, {"a-b/": {"dir": "true"}}
    )
    file = _typed(name, "output file", {"type": "choice", "values": list(dict.fromkeys(paths)), "invalid": ["no/such/folder/out.txt"]})
    yield from (there, file) if folder else (file, there)


def _inputs(label: str, help_text: str, domain: Sequence[Kind], *, folder: bool, operand: bool) -> Iterator[Plan]:
    spoken = [*kinds_in(label), *kinds_in(help_text)]
    ranked = (
        list(dict.fromkeys([*spoken, *domain])) if not operand or kinds_in(label) else list(dict.fromkeys([*domain[:3], *spoken, *domain]))
    )
    stem = _parameter(label).removeprefix("v_")[:12]
    number = _own_number(stem)
    if folder:
        yield folder_plan(ranked[0])
        yield here_plan(ranked[0])
    for kind in ranked[:5]:
        yield file_plan(kind, stem=stem, number=number)
    if not folder:
        yield folder_plan(ranked[0])
        yield here_plan(ranked[0])
    if operand:
        yield two_files_plan(ranked[0])


def _own_number(name: str) -> int:
    """Which document of its kind a file holds: its own, the same for the same name. Two files that are to be compared must differ."""
    return sum(place * ord(letter) for place, letter in enumerate(name, start=1)) % 89 + 6


def _around(name: str, default: str) -> Iterator[Plan]:
    """The default itself is a value; a number has neighbours."""
    if re.fullmatch(r"\d{1,6}", default):
        number = int(default)
        yield _typed(name, "around the default", {"type": "int", "min": str(number // 2), "max": str(max(number * 2, number + 3))})
    elif re.fullmatch(r"\d*\.\d+", default):
        yield _typed(name, "around the default", {"type": "float", "min": "0", "max": str(max(1.0, 2 * float(default)))})


def quoted_values(text: str) -> list[str]:
    """Values that a help text names: 'a', "b" or `c`; or a list of words in brackets."""
    quoted = [
        value for pair in re.findall(r"(?<!\w)'([^'\s]{1,20})'|\"([^\"\s]{1,20})\"|`([^`\s]{1,20})`", text) for value in pair if value
    ]
    if len(quoted) > 1:
        return list(dict.fromkeys(value for value in quoted if not value.startswith("-")))
    listed = re.search(r"[(\[{:]\s*((?:[\w.+-]{1,20}\s*(?:,|\||/| or )\s*(?:or )?){1,12}[\w.+-]{1,20})\s*(?:[)\]};.]|$)", text)
    if listed is None:
        return []
    values = [part for part in re.split(r"\s*(?:,|\||/|\bor\b)\s*", listed[1]) if part]
    return values if all(" " not in value for value in values) else []


def _typed(name: str, label: str, value: Any) -> Plan:
    return Plan(label, (f"{{{name}}}",), {name: value})


def texts_plan(name: str, label: str, values: Sequence[str]) -> Plan:
    """One of the texts, or two of them in one argument: a few make many."""
    one_of = [[f"{{{name}}}"], [f"{{{name}}} {{{name}#2}}"]]
    return Plan(label, ({"one_of": one_of},), {name: {"type": "choice", "values": list(dict.fromkeys(values))}})


def _parameter(label: str) -> str:
    """A name of a parameter that no content uses."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", label).strip("_").lower() or "value"
    return f"v_{name}"


def _is_special(value: str) -> bool:
    """Whether a documented value is no free text: a number, a path, an expression."""
    return re.fullmatch(r"[A-Za-z\u00c0-\uffff][\w '!,.?&-]*", value) is None


def _is_file(value: str) -> bool:
    return bool(re.fullmatch(r"(?:[\w.-]+/)*[\w.-]+\.[A-Za-z]\w{0,9}", value)) and kind_of_path(value) is not None


def literal(label: str, *words: str) -> Plan:
    """Words as they are; braces are no placeholders."""
    escaped = tuple(re.sub(r"\{([A-Za-z_][\w-]*(?:#\d+)?(?:\.[\w-]+)?)\}", r"{{\1}}", word) for word in words)
    return Plan(label, escaped)
