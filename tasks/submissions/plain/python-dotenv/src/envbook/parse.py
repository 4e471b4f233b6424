"""Read bindings from the text of a file."""

import re
import sys
from typing import NamedTuple, Optional

EOL = r"(?:\r\n|\n|\r|\Z)"
BLANK = re.compile(rf"[^\S\r\n]*(?:\#[^\r\n]*)?{EOL}")
EXPORT = re.compile(r"export[^\S\r\n]+(?=[^\s=#])")
KEY = re.compile(r"'(?P<quoted>[^']+)'|(?P<bare>[^\s=#'\"]+)")
SPACE = re.compile(r"[^\S\r\n]*")
SINGLE = re.compile(r"'((?:\\'|\\\\|[^'])*)'")
DOUBLE = re.compile(r'"((?:\\.|[^"\\])*)"', re.DOTALL)
REST = re.compile(r"[^\r\n]*")
LINE = re.compile(rf"[^\r\n]*{EOL}")
VARIABLE = re.compile(r"\$\{(?P<name>[^}:]*)(?::-(?P<default>[^}]*))?\}")

ESCAPES = {
    "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b",
    "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}


class Binding(NamedTuple):
    key: Optional[str]  # None for comments, empty lines and lines in error
    value: Optional[str]
    text: str  # the source, with the end of the line
    error: bool = False


def parse_value(text, pos):
    """Return the value at pos and the position behind it, or None."""
    start = SPACE.match(text, pos).end()
    first = text[start:start + 1]
    if first == "'":
        m = SINGLE.match(text, start)
        return m and (re.sub(r"\\([\\'])", r"\1", m.group(1)), m.end())
    if first == '"':
        m = DOUBLE.match(text, start)
        return m and (re.sub(r"\\([\\'\"abfnrtv])", lambda e: ESCAPES[e.group(1)], m.group(1)), m.end())
    m = REST.match(text, pos)
    return re.sub(r"\s#.*", "", m.group()).strip(), m.end()


def parse_binding(text, start):
    pos = SPACE.match(text, start).end()
    m = EXPORT.match(text, pos)
    if m:
        pos = m.end()
    m = KEY.match(text, pos)
    if not m:
        return None
    key = m.group("quoted") or m.group("bare")
    pos = SPACE.match(text, m.end()).end()
    value = None
    if text[pos:pos + 1] == "=":
        result = parse_value(text, pos + 1)
        if result is None:
            return None
        value, pos = result
    m = BLANK.match(text, pos)
    if not m:
        return None
    return Binding(key, value, text[start:m.end()])


def parse(text):
    pos = 0
    number = 1
    while pos < len(text):
        m = BLANK.match(text, pos)
        if m:
            binding = Binding(None, None, m.group())
        else:
            binding = parse_binding(text, pos)
            if binding is None:
                binding = Binding(None, None, LINE.match(text, pos).group(), True)
                print(f"envbook could not parse the statement at line {number}", file=sys.stderr)
        yield binding
        pos += len(binding.text)
        number += len(re.findall(r"\r\n|\n|\r", binding.text))


def resolve(bindings, environ, override=True):
    """Fill variables into the values."""
    values = {}
    for binding in bindings:
        if binding.key is None:
            continue
        value = binding.value
        if value is not None:
            known = {**environ, **values} if override else {**values, **environ}

            def fill(m):
                default = m.group("default") or ""
                found = known.get(m.group("name"), default)
                return "" if found is None else found

            value = VARIABLE.sub(fill, value)
        values[binding.key] = value
    return values
