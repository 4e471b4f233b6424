"""One defect: a replacement in one file of the oracle's source, of one of six kinds.

Edits are by byte offset, so that what is not changed keeps its bytes, and a survivor's diff is the line that a reader knows.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

from clibench.digest import digest_bytes, digest_json
from clibench.evaluation.excerpt import visible

Sources = Mapping[str, bytes]
"""The files that may get a defect, by their path below the oracle's source folder."""

SHOWN: Final = 160
"""Characters of a line that are shown, around the edit where it is longer (a bundle is one line)."""


class Kind(StrEnum):
    """What a defect is like, in the order in which kinds take turns."""

    COMPARISON = "comparison"
    """Another comparison or connective: < and <=, == and !=, in and not in, and and or."""
    FLAG = "flag"
    """A condition or boolean that is dropped or turned around."""
    OFF_BY_ONE = "off-by-one"
    """A whole number, one more."""
    DEFAULT = "default"
    """Another default value."""
    WRITE = "write"
    """A call that prints, stores or collects something is skipped."""
    MESSAGE = "message"
    """A text says something else."""


@dataclass(frozen=True)
class Edit:
    """Bytes `start` to `end` of `file` become `replacement`."""

    file: str
    kind: Kind
    start: int
    end: int
    replacement: bytes
    trigger: tuple[int, int]
    """Bytes of the source of which some have to run for the edit to matter."""

    def apply(self, source: bytes) -> bytes:
        """The source with the defect."""
        return source[: self.start] + self.replacement + source[self.end :]

    def line(self, source: bytes) -> int:
        """Number of the line where the edit starts, from 1."""
        return bisect_left(_line_ends(source), self.start) + 1

    def key(self, source: bytes) -> str:
        """What the defect is, for keys and ranks."""
        return digest_json(
            {
                "file": self.file,
                "kind": self.kind.value,
                "span": [self.start, self.end],
                "to": digest_bytes(self.replacement),
                "source": _digest(source),
            }
        )

    def diff(self, source: bytes) -> tuple[str, str]:
        """The lines that the edit touches, before and after; long ones are cut around it."""
        first = source.rfind(b"\n", 0, self.start) + 1
        last = source.find(b"\n", self.end)
        last = len(source) if last < 0 else last
        before, place = source[first:last], self.start - first
        after = before[:place] + self.replacement + before[self.end - first :]
        return _shown(before, place), _shown(after, place)

    def to_json(self, source: bytes) -> dict[str, Any]:
        """For audit.json."""
        before, after = self.diff(source)
        return {"kind": self.kind.value, "file": self.file, "line": self.line(source), "before": before, "after": after}


# A file has up to tens of thousands of places for a defect, and a generated one megabytes: neither is worked out anew for each of them.
@lru_cache(maxsize=64)
def _digest(source: bytes) -> str:
    return digest_bytes(source)


@lru_cache(maxsize=64)
def _line_ends(source: bytes) -> tuple[int, ...]:
    return tuple(match.start() for match in re.finditer(b"\n", source))


def _shown(line: bytes, place: int) -> str:
    start = 0 if len(line) <= SHOWN else max(0, min(place - SHOWN // 4, len(line) - SHOWN))
    cut = line[start : start + SHOWN]
    text = visible(cut.strip().replace(b"\n", b"\\n"))
    return ("…" if start else "") + text + ("…" if start + SHOWN < len(line) else "")
