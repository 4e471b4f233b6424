"""Documents that a README shows, as kinds of content of their own: a tool with a format of its own takes no other JSON than such.

What may vary in one is found in its text: a value that stands there once becomes a drawn word or number, so that every case has another
document of the same form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from clibench.synthesis.fuzz.contents import Kind, breakable, fault_of, kinds

MOST: Final = 2
LONGEST: Final = 2500
SHORTEST: Final = 30
_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*([\w.+-]*)[^\n]*\n(.*?)^[ \t]*(?:```|~~~)[ \t]*$", re.MULTILINE | re.DOTALL)
_NAMES: Final = {"yml": "yaml", "js": "javascript", "md": "markdown", "golang": "go", "py": "python", "sh": "shell", "textproto": "proto"}
_DATA: Final = frozenset({"json", "yaml", "toml", "csv", "xml", "sql", "markdown", "html", "css", "proto", "diff", "svg", "tsv"})
"""Code blocks of other languages mostly show how a library is used."""


def samples(readme: str, likely: Sequence[Kind]) -> tuple[Kind, ...]:
    """Kinds for the documents that the README shows, the first of each format that is among the `likely` ones."""
    found: dict[str, Kind] = {}
    for language, text in _blocks(readme):
        if kinds()[language] not in likely or language in found or len(found) >= MOST:
            continue
        kind = kinds()[language]
        template, params = _varied(language, text)
        if params:
            params |= fault_of(language, kind.broken)
            found[language] = Kind(
                f"documented {language}", kind.suffixes, kind.words, breakable(language, template, kind.broken), params, kind.broken
            )
    return tuple(found.values())


def documents(readme: str) -> dict[str, Kind]:
    """By format, the first document of it that the README shows, program text too: what its examples are most likely run on."""
    found: dict[str, Kind] = {}
    for language, text in _blocks(readme, frozenset(kinds()) - {"shell", "text"}):
        if language not in found:
            kind = kinds()[language]
            found[language] = Kind(f"documented {language}", kind.suffixes, kind.words, *_varied(language, text), kind.broken)
    return found


def _blocks(readme: str, languages: Collection[str] = _DATA) -> Iterator[tuple[str, str]]:
    for match in _FENCE.finditer(readme):
        language = _NAMES.get(match[1].lower(), match[1].lower())
        text = _dedented(match[2])
        if not SHORTEST <= len(text) <= LONGEST:
            continue
        if language in languages:
            yield language, text
        elif text.lstrip()[:1] in "{[" and _is_json(text):
            yield "json", text


def _dedented(text: str) -> str:
    lines = text.split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines).rstrip() + "\n"


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def _varied(language: str, text: str) -> tuple[str, dict[str, Any]]:
    """The text with placeholders in the place of values that stand in it once."""
    if language == "json" and not _is_json(text):
        return text, {}
    shared = kinds()["log"].params
    values = r'(?<=[:,\[] )"([A-Za-z][A-Za-z ]{2,30})"(?=\s*[,\]}\n])' if language == "json" else r"(?<=: )([A-Za-z]{3,20})(?=\n)"
    if language in ("csv", "tsv"):
        values = r"(?<=[,\t\n])([A-Za-z]{3,20})(?=[,\t\n])"
    elif language in ("markdown", "html", "xml", "svg"):
        values = r"(?<=[ >])([A-Za-z]{4,20})(?=[ <.\n])"
    words = [match[1] for match in re.finditer(values, text)]
    once = [word for word in dict.fromkeys(words) if len(re.findall(rf"(?<!\w){re.escape(word)}(?!\w)", text)) == 1][:8]
    escaped = re.sub(r"\{([A-Za-z_][\w-]*(?:#\d+)?(?:\.[\w-]+)?)\}", r"{{\1}}", text)
    params: dict[str, Any] = {}
    for number, word in enumerate(once, start=51):
        escaped = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", f"{{word#{number}}}", escaped, count=1)
        params["word"] = shared["word"]
    numbers = re.findall(r"(?<=: )(\d{2,4})(?=[,\s}])", escaped)
    for place, value in enumerate([one for one in dict.fromkeys(numbers) if numbers.count(one) == 1][:4], start=51):
        escaped = re.sub(rf"(?<=: ){value}(?=[,\s}}])", f"{{num#{place}}}", escaped, count=1)
        params["num"] = shared["num"]
    return escaped, params
