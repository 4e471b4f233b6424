"""Do two pieces of text say the same, word by word? Only numbers and paths may be spelled differently.

A number may be written with or without a fraction of zeros (1 and 1.0), and with more trailing zeros from the second decimal on (0.25 and
0.250). It may not where it could be something else: a version (3.1 is not 3.10), part of a date, a range or a name. A path may have a
`./` in front, doubled slashes and `/./`. Words, case, punctuation, units and rounding may not differ.
"""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = re.compile(r"(?<![\w./+-])(?<!\d:)-?(?:0|[1-9]\d*)(?:\.\d+)?(?!\.?\d)(?![-/:+]\d)(?!\w*\d)")
_VERSION: Final = re.compile(r"(?:\bversions?|\brelease|\bv|\bpython|\bnode|\bgo)[\s:=]*$", re.IGNORECASE)
_PATH: Final = re.compile(
    r"(?<![\w./:~@+-])(?:\.{1,2}/|~/|/)?[\w.@+~-]+(?:/+[\w.@+~-]+)+/?(?![\w/])|(?<![\w./:~@+-])\./[\w.@+~-]+/?(?![\w/])"
)


def same_text(expected: str, actual: str) -> bool:
    """Whether two lines or cells are the same but for blanks and the spelling of numbers and paths."""
    left, right = " ".join(expected.split()), " ".join(actual.split())
    return left == right or canonical(left) == canonical(right)


def canonical(line: str) -> str:
    """A line with numbers and paths in one spelling. Lines that are the same have one canonical form."""
    return _NUMBER.sub(lambda match: _number(match), _PATH.sub(lambda match: path_form(match[0]), line))


def path_form(path: str) -> str:
    """A path without `./` in front, doubled slashes and `/./`. `..` and a slash at the end are kept: they may mean something."""
    parts = path.split("/")
    kept = [part for place, part in enumerate(parts) if part != "." and (part or place in (0, len(parts) - 1))]
    return "/".join(kept) if kept else path


def _number(match: re.Match[str]) -> str:
    text = match[0]
    whole, point, fraction = text.partition(".")
    if not point or _VERSION.search(match.string[: match.start()][-24:]):
        return text
    if not fraction.strip("0"):
        return whole
    return f"{whole}.{fraction[:2]}{fraction[2:].rstrip('0')}"
