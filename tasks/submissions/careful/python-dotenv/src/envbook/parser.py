"""Parsing of files of environment variables."""

import re
from dataclasses import dataclass
from typing import Iterator, Mapping

_EMPTY_LINE = re.compile(r"[^\S\r\n]*(?:\r\n|\n|\r)")
_BLANKS = re.compile(r"[^\S\r\n]*")
_EXPORT = re.compile(r"export[^\S\r\n]+(?=[^\s=#])")
_QUOTED_KEY = re.compile(r"'([^']+)'")
_KEY = re.compile(r"[^\s=#'\"]+")
_SINGLE_QUOTED = re.compile(r"'((?:\\[\\']|[^'])*+)'")
_DOUBLE_QUOTED = re.compile(r'"((?:\\[\s\S]|[^"\\])*+)"')
_SINGLE_ESCAPE = re.compile(r"\\([\\'])")
_DOUBLE_ESCAPE = re.compile(r"\\([\\'\"abfnrtv])")
_BARE = re.compile(r"[^\r\n]*")
_BARE_COMMENT = re.compile(r"\s#.*", re.DOTALL)
_END = re.compile(r"(?:[^\S\r\n]*#[^\r\n]*)?[^\S\r\n]*(?:\r\n|\n|\r|\Z)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_VARIABLE = re.compile(r"\$\{([^}:]*)(?::-([^}]*))?\}")
_CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@dataclass
class Part:
    """A part of a file: a binding, or (with no key) a line of another kind."""

    text: str
    key: str | None = None
    value: str | None = None
    bad: bool = False


def parse(text: str) -> Iterator[Part]:
    """Yield the parts of a file, one after the other and without a gap."""
    pos = 0
    while pos < len(text):
        part, end = _parse_part(text, pos)
        yield part
        pos = end


def _parse_part(text: str, start: int) -> tuple[Part, int]:
    if match := _EMPTY_LINE.match(text, start):
        return Part(match[0]), match.end()
    pos = _BLANKS.match(text, start).end()
    key = value = None
    found = None
    if pos < len(text) and text[pos] != "#":
        if match := _EXPORT.match(text, pos):
            pos = match.end()
        found = _parse_binding(text, pos)
        if found is None:
            line = _LINE.match(text, start)
            return Part(line[0], bad=True), line.end()
        key, value, pos = found
    match = _END.match(text, pos)
    if match is None:
        line = _LINE.match(text, start)
        return Part(line[0], bad=True), line.end()
    return Part(text[start : match.end()], key, value), match.end()


def _parse_binding(text: str, pos: int) -> tuple[str, str | None, int] | None:
    """Return the key, the value and the end of both."""
    if match := _QUOTED_KEY.match(text, pos):
        key = match[1]
    elif match := _KEY.match(text, pos):
        key = match[0]
    else:
        return None
    pos = match.end()
    equals = _BLANKS.match(text, pos).end()
    if text[equals : equals + 1] != "=":
        return key, None, pos
    pos = equals + 1
    begin = _BLANKS.match(text, pos).end()
    first = text[begin : begin + 1]
    if first == "'":
        match = _SINGLE_QUOTED.match(text, begin)
        return match and (key, _SINGLE_ESCAPE.sub(r"\1", match[1]), match.end())
    if first == '"':
        match = _DOUBLE_QUOTED.match(text, begin)
        return match and (key, _DOUBLE_ESCAPE.sub(_unescape, match[1]), match.end())
    match = _BARE.match(text, pos)
    return key, _BARE_COMMENT.sub("", match[0]).strip(), match.end()


def _unescape(match: re.Match) -> str:
    return _CONTROLS.get(match[1], match[1])


def resolve(
    parts: Iterator[Part], environment: Mapping[str, str], environment_first: bool = False
) -> dict[str, str | None]:
    """Return the values of all keys, with variables in them replaced."""
    values: dict[str, str | None] = {}

    def lookup(match: re.Match) -> str:
        name, default = match[1], match[2] or ""
        sources = (environment, values) if environment_first else (values, environment)
        for source in sources:
            if name in source:
                return source[name] or ""
        return default

    for part in parts:
        if part.key is not None:
            value = part.value
            values[part.key] = value if value is None else _VARIABLE.sub(lookup, value)
    return values
