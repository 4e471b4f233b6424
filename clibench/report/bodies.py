"""The body of a failed case, as the page shows it: command, fixture, and both sides next to each other from the first difference on.

Everything that a submission printed is made visible here (control characters and undecodable bytes escaped) and cut to what a reader can
take in; the page then only ever sets it as text. Long outputs are cut around the first difference, which the verdict names.
"""

from __future__ import annotations

import re
import shlex
from typing import Any, Final

from clibench.evaluation.excerpt import visible
from clibench.evaluation.verdict import METRICS, Difference
from clibench.recording import Change, Recording
from clibench.report.graded import Graded
from clibench.sandbox.interface import TrialFault
from clibench.tasks.case import WORKSPACE, Entry, Fixture

BEFORE: Final = 10
"""Lines shown before the first difference of an output that is cut."""
LINES: Final = 80
"""Lines shown of one output."""
WIDTH: Final = 400
"""Characters shown of one line."""
_PREVIEW: Final = 2000
"""Bytes shown of stdin, stderr and a fixture's file."""

_LINE = re.compile(r"^stdout:(\d+)$")


def case_body(graded: Graded) -> dict[str, Any]:
    """What the page needs of one case; every string in it is safe to set as text."""
    case, verdict, expected = graded.case, graded.verdict, graded.expected
    actual = graded.actual if isinstance(graded.actual, Recording) else None
    difference = next((check.difference for check in verdict.checks.values() if check.passed is False and check.difference), None)
    body: dict[str, Any] = {
        "id": verdict.case,
        "command": text(shlex.join(case.argv)),
        "fixture": case.fixture,
        "checks": [[metric, check.passed, text(check.reason)] for metric in METRICS if (check := verdict.checks.get(metric)) is not None],
    }
    if case.stdin:
        body["stdin"] = preview(case.stdin)
    if case.env:
        body["env"] = [text(f"{name}={value}") for name, value in sorted(case.env.items())]
    if case.cwd != WORKSPACE:
        body["cwd"] = text(case.cwd)
    if verdict.infra or isinstance(graded.actual, TrialFault):
        body["infra"] = text(verdict.infra or getattr(graded.actual, "reason", ""))
    if difference is not None:
        body["difference"] = [text(difference.where), text(difference.expected), text(difference.actual)]
    if expected is None:
        return body
    body["status"] = [str(expected.status), str(actual.status) if actual else None]
    body["stdout"] = side_by_side(expected.stdout.data, actual.stdout.data if actual else None, _line_of(difference))
    body["sizes"] = [_size(expected), _size(actual) if actual else None]
    if expected.stderr.data or (actual and actual.stderr.data):
        body["stderr"] = [preview(expected.stderr.data), preview(actual.stderr.data) if actual else None]
    effects = _effects(expected.changes, actual.changes if actual else None, difference)
    if effects:
        body["effects"] = effects
    return body


def fixture_body(fixture: Fixture) -> dict[str, Any]:
    """What the page needs of a fixture."""
    body: dict[str, Any] = {"entries": [_entry(entry) for entry in fixture.entries]}
    if fixture.prepare is not None:
        body["prepare"] = text(shlex.join(fixture.prepare))
    return body


def side_by_side(expected: bytes, actual: bytes | None, first: int | None = None) -> dict[str, Any]:
    """Both outputs by lines, from line `from` (1-based) on, with the line `first` where they part (None: nowhere) and the number of lines.

    `first` is taken from the verdict where it names a line: lines before it may differ in what the comparer passes over.
    """
    left, right = _lines(expected), _lines(actual or b"")
    if first is None and actual is not None:
        first = _first(left, right)
    start = max(0, first - 1 - BEFORE) if first is not None and max(len(left), len(right)) > LINES else 0
    shown = [
        [_cut(line, other) for line, other in _paired(side[start : start + LINES], others[start:])]
        for side, others in ((left, right), (right, left))
    ]
    return {
        "from": start + 1,
        "first": first,
        "lines": [len(left), len(right)],
        "expected": shown[0],
        "actual": shown[1] if actual is not None else None,
    }


def preview(data: bytes) -> str:
    """The start of some bytes, as lines of visible text."""
    shown = "\n".join(visible(line) for line in data[:_PREVIEW].split(b"\n"))
    return f"{shown}\n… ({len(data):,} bytes)" if len(data) > _PREVIEW else shown


def text(value: str) -> str:
    """`value` with control characters and lone surrogates escaped, and no longer than a reader can use."""
    shown = visible(value[:4000].encode("utf-8", "surrogateescape" if _is_bytes(value) else "backslashreplace"))
    return f"{shown}… ({len(value):,} characters)" if len(value) > 4000 else shown


def _is_bytes(value: str) -> bool:
    return all(not 0xD800 <= ord(char) <= 0xDFFF or 0xDC80 <= ord(char) <= 0xDCFF for char in value[:4000])


def _line_of(difference: Difference | None) -> int | None:
    found = _LINE.match(difference.where) if difference else None
    return int(found.group(1)) if found else None


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    return lines[:-1] if lines and not lines[-1] else lines


def _first(left: list[bytes], right: list[bytes]) -> int | None:
    for number, (line, other) in enumerate(zip(left, right, strict=False), 1):
        if line != other:
            return number
    return None if len(left) == len(right) else min(len(left), len(right)) + 1


def _paired(lines: list[bytes], others: list[bytes]) -> list[tuple[bytes, bytes]]:
    return [(line, others[place] if place < len(others) else b"") for place, line in enumerate(lines)]


def _cut(line: bytes, other: bytes) -> str:
    """One line, cut around the first difference where it is long."""
    if len(line) <= WIDTH:
        return visible(line)
    place = next((place for place, (a, b) in enumerate(zip(line, other, strict=False)) if a != b), min(len(line), len(other)))
    start = max(0, min(place, len(line)) - WIDTH // 4)
    return ("…" if start else "") + visible(line[start : start + WIDTH]) + ("…" if len(line) > start + WIDTH else "")


def _size(recording: Recording) -> str:
    size = f"{recording.stdout.size:,} bytes"
    return f"{size}, cut by the recorder at {len(recording.stdout.data):,}" if recording.stdout.truncated else size


def _effects(expected: tuple[Change, ...], actual: tuple[Change, ...] | None, difference: Difference | None) -> list[dict[str, Any]]:
    left, right = {change.path: change for change in expected}, {change.path: change for change in actual or ()}
    rows = []
    for path in sorted(left.keys() | right.keys()):
        mine, other = left.get(path), right.get(path)
        row: dict[str, Any] = {"path": text(path), "expected": _change(mine), "actual": _change(other) if actual is not None else None}
        row["differs"] = actual is not None and mine != other
        row["first"] = difference is not None and (difference.where == path or difference.where.startswith(f"{path}:"))
        if row["differs"] and (contents := [change.content if change else None for change in (mine, other)]) != [None, None]:
            row["content"] = side_by_side(contents[0] or b"", contents[1] or b"")
        rows.append(row)
    return rows


def _change(change: Change | None) -> str:
    if change is None:
        return "no change"
    parts: list[str] = [change.kind, change.type]
    if change.kind != "deleted" and change.type != "symlink":
        parts.append(f"mode {change.mode:04o}")
    if change.sha256 is not None:
        parts.append(f"{change.size:,} bytes, sha256 {change.sha256[:12]}")
    if change.target is not None:
        parts.append(f"to {text(change.target)}")
    return " ".join(parts)


def _entry(entry: Entry) -> list[str]:
    what = entry.type if entry.mode is None else f"{entry.type} {entry.mode:04o}"
    content = preview(entry.content) if entry.type == "file" else text(f"to {entry.target}") if entry.target else ""
    return [text(entry.path), what, content]
