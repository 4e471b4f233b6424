"""What a description says about its option beyond prose: type, choices, default, required, repeatable.

Only marks with a fixed form are read (`[default: 3]`, `(choices: "a", "b")`, `[required]`, `(can be used multiple times)`), as help
generators write them and people copy them. Prose such as "defaults to the current folder" is left alone, since its value is a description.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from clibench.synthesis.help.declaration import Declaration
from clibench.synthesis.schema import Option, ValueType

_DEFAULT: Final = re.compile(
    r"[\[(][^\[\]()]{0,80}?\bdefault(?:s to|:| is|=)?:?\s+(?P<value>"
    r"\"(?:[^\"\\]|\\.)*\"(?=\s*[\]),;])|'[^']*'(?=\s*[\]),;])|\[[^\]]*\]|[^\])(]{0,300}?(?:\([^)]{0,100}\))?)"
    r"\s*(?:[;,]\s*(?:required|env)[^\])]{0,100})?[\])]",
    re.IGNORECASE,
)
_CHOICES: Final = (
    re.compile(r"[\[(](?:choices|possible values|options|allowed values|one of):?\s*(?P<all>[^\])]+)[\])]", re.IGNORECASE),
    re.compile(r"<options:\s*(?P<all>[^>]+)>"),
    re.compile(r"\bOne of:? [\[({]?(?P<all>[\w-]+(?:(?:, (?:or )?|\|)[\w-]+)+)"),
    re.compile(r"^\((?P<all>[\w-]+(?:\|[\w-]+)+)\)"),
)
_REQUIRED: Final = re.compile(
    r"\[required\]|\(required\)|^\(required\b|\[required[;,]|; required\]|\[[^\]]*\brequired\]|^REQUIRED\b|^Required\.", re.IGNORECASE
)
_REPEATABLE: Final = re.compile(
    r"\[array\]|\bmultiple times\b|\bmore than once\b|\brepeatable\b|\bcan be repeated\b|\bmay be repeated\b|\[ -{1,2}\S+ \S+ \]|\(s\)$",
    re.IGNORECASE,
)
_YARGS_TYPE: Final = re.compile(r"\[(boolean|string|number|array|count)\]")

_BY_WORD: Final = (
    (
        ValueType.INTEGER,
        re.compile(r"^(u?int(eger)?(8|16|32|64)?|n|num|number of \w+|count|port|lines|width|depth|columns|integer range)$"),
    ),
    (ValueType.NUMBER, re.compile(r"^(float(32|64)?|double|decimal|number)$")),
    (ValueType.PATH, re.compile(r"^.*(file|path|dir|directory|folder|filename|filepath|dirname)s?$")),
    (ValueType.URL, re.compile(r"^(url|uri)s?$")),
    (ValueType.DATE, re.compile(r"^(date|datetime|timestamp|time)$")),
    (ValueType.DURATION, re.compile(r"^(duration|timeout|interval)$")),
    (ValueType.BOOLEAN, re.compile(r"^bool(ean)?$")),
)


def complete(found: Declaration, description: str, text: str = "") -> Option:
    """The option that a declaration and its description make; `text` is the whole help, whose examples may show a value."""
    metavar = found.metavar
    if metavar is None and any(re.search(rf"(?<![\w-]){re.escape(name)}=(?!true\b|false\b)[\w'\"<\[/#$:]", text) for name in found.names):
        metavar = "value"
    yargs = set(_YARGS_TYPE.findall(description))
    if metavar is None and yargs & {"string", "number", "array"}:
        metavar = "number" if "number" in yargs else "string"
    choices = choices_in(metavar) or choices_of(description)
    if metavar is None and choices and "boolean" not in yargs and _CHOICES[0].search(description):
        metavar = "string"
    default = found.default if found.default is not None else default_of(description)
    if metavar is None and default not in (None, "true", "false") and not yargs and _YARGS_TYPE.search(text):
        metavar = "value"  # yargs shows no type for an option that was given a default only
    if metavar is None and default is not None and re.fullmatch(r"-?\d+(?:\.\d+)?", default):
        metavar = "value"  # written by hand: what has a number for its default takes one
    option = Option(
        names=found.names,
        metavar=metavar,
        type=value_type(metavar, choices) if metavar is not None else None,
        choices=choices if metavar is not None else (),
        default=default,
        required=bool(_REQUIRED.search(description)),
        repeatable=found.repeatable or "count" in yargs or bool(_REPEATABLE.search(description)),
        value_optional=found.value_optional,
        negation=found.negation,
        help=description,
    )
    return _bare_negation(option)


def _bare_negation(option: Option) -> Option:
    """`--color` with a default of true can be turned off where the help shows the negated name only; nothing else is guessed."""
    if option.negation is None and len(option.names) > 1:
        for name in option.names:
            if name.startswith("--no-") and f"--{name[5:]}" in option.names:
                return replace(option, names=tuple(other for other in option.names if other != name), negation=name)
    return option


def value_type(metavar: str, choices: tuple[str, ...]) -> ValueType:
    """What a value's name says of its form."""
    if choices:
        return ValueType.CHOICE
    word = metavar.strip("[]<>").lower()
    return next((kind for kind, pattern in _BY_WORD if pattern.search(word)), ValueType.STRING)


def choices_in(metavar: str | None) -> tuple[str, ...]:
    """`a|b|c` and `a,b,c` in braces, as a metavar."""
    if metavar is None:
        return ()
    for mark in ("|", ","):
        parts = [part.strip() for part in metavar.split(mark)]
        if len(parts) > 1 and all(re.fullmatch(r"[\w.+-]+", part) for part in parts):
            return tuple(parts)
    return ()


def choices_of(description: str) -> tuple[str, ...]:
    """Values that a description lists in one of the known forms."""
    for pattern in _CHOICES:
        if found := pattern.search(description):
            listed = re.sub(r";?\s*default:.*$", "", found["all"])
            parts = re.split(r"\s*[,|]\s*(?:or\s+)?", listed)
            return tuple(part.strip().strip("\"'`") for part in parts if part.strip())
    return ()


def default_of(description: str) -> str | None:
    """The default that a description marks, without quotes; None when there is none."""
    found = _DEFAULT.search(description)
    if found is None:
        return None
    value = re.sub(r"; .*$", "", found["value"].strip()) if '"' not in found["value"] else found["value"].strip()
    if re.search(r"default\s+[^\s\"'\[]+\s", found[0], re.IGNORECASE):
        return None  # prose: (default shows only what runs)
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value or None
