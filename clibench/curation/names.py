"""How well an executable's name fits its package's: the order in which the executables of an installation are tried.

A package that installs several programs mostly calls the main one as it is called itself, or by its initials; the rest are companions.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from rapidfuzz import fuzz

_AFFIXES: Final = ("python", "golang", "node", "cli", "cmd", "tool", "tools", "app", "bin", "py", "js", "go")
_HOSTS: Final = re.compile(r"/v\d+$|\.git$")
_MOST_SIMILAR: Final = 0.85
"""Similarity alone never beats an acronym."""


class Match(StrEnum):
    """Why a name fits, best first."""

    EXACT = "exact"
    AFFIX = "affix"
    ACRONYM = "acronym"
    SIMILAR = "similar"


def match(executable: str, package: str) -> tuple[Match, float]:
    """Kind and strength in [0, 1] of the fit of an executable to a package's name, path or scope included."""
    words = _words(_last(package))
    own, theirs = _plain(executable), "".join(words)
    if own == theirs:
        return Match.EXACT, 1.0
    if _bare(_words(executable)) == _bare(words):
        return Match.AFFIX, 0.95
    if len(words) > 1 and own in (_initials(words), _initials(_bare(words))):
        return Match.ACRONYM, 0.9
    return Match.SIMILAR, round(_MOST_SIMILAR * max(fuzz.ratio(own, theirs), 0.9 * fuzz.partial_ratio(own, theirs)) / 100, 4)


def _last(package: str) -> str:
    """The part of `@scope/name`, `host/owner/name/v2` that names the tool."""
    return _HOSTS.sub("", package.rstrip("/")).rsplit("/", 1)[-1]


def _words(name: str) -> tuple[str, ...]:
    """Words of a name in kebab, snake or camel case."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name)
    return tuple(word.lower() for word in re.split(r"[^A-Za-z0-9]+", parted) if word)


def _plain(name: str) -> str:
    return "".join(_words(name))


def _bare(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without words such as `py` and `cli`, where others are left."""
    return tuple(word for word in words if word not in _AFFIXES) or words


def _initials(words: tuple[str, ...]) -> str:
    return "".join(word[0] for word in words)
