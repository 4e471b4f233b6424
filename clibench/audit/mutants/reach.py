"""Which parts of the oracle's source a case runs: what is not run can't be noticed, and a case that does not run it need not be tried.

Each language's own instrument writes a file during the trial, which is recorded like any other: a line monitor for Python, V8's coverage
for JavaScript, `go build -cover` for Go. All become byte ranges here. A case whose instrument wrote nothing (the process was killed) counts
as one that may run everything.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Any, Final

from clibench.audit.mutants.edit import Edit, Sources
from clibench.recording import Recording

VERSION: Final = 2
"""Of the instruments and of what is made of their files."""

Ranges = tuple[tuple[int, int], ...]
Covered = Mapping[str, Ranges]
"""What one case ran: sorted byte ranges that do not touch, by file; a file that is not there was not loaded."""

PLACE: Final = "/tmp/clibench-reach"  # noqa: S108 - a path inside the sandbox
"""Where an instrument writes."""


@dataclass(frozen=True)
class Reach:
    """By case id; None where it is not known."""

    cases: Mapping[str, Covered | None]

    def of(self, edit: Edit) -> tuple[str, ...]:
        """The cases that may run the edit, in their order."""
        return tuple(case for case, covered in self.cases.items() if covered is None or _touches(covered.get(edit.file, ()), edit.trigger))

    def is_known(self, edit: Edit) -> bool:
        """Whether a case is known to run the edit, and does not only count as if it did."""
        known = [covered for covered in self.cases.values() if covered is not None]
        return not known or any(_touches(covered.get(edit.file, ()), edit.trigger) for covered in known)


def _touches(ranges: Ranges, trigger: tuple[int, int]) -> bool:
    place = bisect_right(ranges, trigger[0], key=itemgetter(1))
    return place < len(ranges) and ranges[place][0] < trigger[1]


def _written(recording: Recording) -> list[bytes]:
    return [
        change.content
        for change in recording.changes
        if change.path.startswith(PLACE) and change.type == "file" and change.content is not None
    ]


def python_reach(recording: Recording, sources: Sources) -> Covered | None:
    """From lines `file:1,2,3` that the monitor wrote."""
    hit: dict[str, set[int]] = {}
    written = _written(recording)
    for content in written:
        for line in content.decode("utf-8", "surrogateescape").splitlines():
            file, _, numbers = line.rpartition(":")
            if file in sources and numbers:
                hit.setdefault(file, set()).update(map(int, numbers.split(",")))
    return {file: _lines(sources[file], numbers) for file, numbers in hit.items()} if written else None


def _lines(source: bytes, numbers: Iterable[int]) -> Ranges:
    starts = [0, *(match.end() for match in re.finditer(rb"\r\n|\r|\n", source)), len(source)]
    return merged((starts[number - 1], starts[number]) for number in numbers if 0 < number < len(starts))


def javascript_reach(recording: Recording, sources: Sources, root: str) -> Covered | None:
    """From V8's reports: functions and blocks with a count, the inner ones overruling the outer. `root` is the sources' folder."""
    ran: dict[str, list[tuple[int, int]]] = {}
    known = False
    for content in _written(recording):
        try:
            scripts: list[dict[str, Any]] = json.loads(content)["result"]
        except (ValueError, KeyError, TypeError):
            continue
        known = True
        for script in scripts:
            file = str(script["url"]).removeprefix(f"file://{root}/")
            if file in sources:
                ran.setdefault(file, []).extend(_counted(sources[file], script["functions"]))
    return {file: merged(ranges) for file, ranges in ran.items()} if known else None


def _counted(source: bytes, functions: list[dict[str, Any]]) -> list[tuple[int, int]]:
    ranges = sorted(
        ((row["startOffset"], row["endOffset"], row["count"]) for function in functions for row in function["ranges"]),
        key=lambda row: (row[0], -row[1]),
    )
    edges = sorted({edge for start, end, _ in ranges for edge in (start, end)})
    to_byte = _offsets(source, edges)
    ran: list[tuple[int, int]] = []
    inside: list[tuple[int, int, int]] = []
    rest = list(reversed(ranges))
    for start, end in pairwise(edges):
        while inside and inside[-1][1] <= start:
            inside.pop()
        while rest and rest[-1][0] <= start:
            inside.append(rest.pop())
        if inside and inside[-1][2]:
            ran.append((to_byte[start], to_byte[end]))
    return ran


def _offsets(source: bytes, edges: Sequence[int]) -> Mapping[int, int]:
    """Byte offsets of offsets in UTF-16 units."""
    if source.isascii():
        return {edge: edge for edge in edges}
    wide = source.decode("utf-8", "replace").encode("utf-16-le", "surrogatepass")
    found, byte, unit = {}, 0, 0
    for edge in edges:
        byte += len(wide[2 * unit : 2 * edge].decode("utf-16-le", "replace").encode("utf-8", "replace"))
        unit = edge
        found[edge] = byte
    return found


_GO_BLOCK: Final = re.compile(rb"^(.+):(\d+)\.(\d+),(\d+)\.(\d+) \d+ (\d+)$", re.MULTILINE)


def go_reach(recording: Recording, sources: Sources) -> Covered | None:
    """From a profile in Go's text form. What is in no block (constants, variables of a package) always runs."""
    blocks: dict[str, dict[tuple[int, int], bool]] = {}
    starts: dict[str, list[int]] = {}
    for content in _written(recording):
        for name, line, column, last_line, last_column, count in _GO_BLOCK.findall(content):
            file = name.decode("utf-8", "replace")
            if file not in sources:
                continue
            begins = starts.setdefault(file, [0, *(match.end() for match in re.finditer(rb"\n", sources[file]))])
            span = (begins[int(line) - 1] + int(column) - 1, begins[int(last_line) - 1] + int(last_column) - 1)
            known = blocks.setdefault(file, {})
            known[span] = known.get(span, False) or count != b"0"
    if not blocks:
        return None
    covered: dict[str, Ranges] = {}
    for file, source in sources.items():
        spans = blocks.get(file, {})
        outside, place = [], 0
        for start, end in merged(spans):
            outside.append((place, start))
            place = end
        outside.append((place, len(source)))
        covered[file] = merged([*outside, *(span for span, ran in spans.items() if ran)])
    return covered


def merged(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The same bytes as sorted ranges that do not touch."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(span for span in ranges if span[0] < span[1]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)


def encode_reach(reach: Reach) -> bytes:
    """For the store."""
    return json.dumps(reach.cases, separators=(",", ":")).encode()


def decode_reach(data: bytes) -> Reach:
    """Inverse of `encode_reach`."""
    body: dict[str, dict[str, list[list[int]]] | None] = json.loads(data)
    return Reach(
        {
            case: None if covered is None else {file: tuple((start, end) for start, end in ranges) for file, ranges in covered.items()}
            for case, covered in body.items()
        }
    )
