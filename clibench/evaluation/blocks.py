"""A text as a row of blocks: tables, key-value lines, embedded JSON, and plain lines between them.

Two texts match when their blocks match one by one. Key-value lines form one block while they follow each other with the same indentation
and every key is new; within it order means nothing. A line that only opens a group (`name:`) is a plain line, so that the same key in two
groups is never mixed up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from clibench.evaluation.documents import Value, first_mismatch, parse_json_at
from clibench.evaluation.tables import Rows, parse_bars, parse_columns, rows_mismatch, table_ends
from clibench.evaluation.tokens import same_text

JSON_TRIES: Final = 200
"""Places in a text where embedded JSON is looked for."""

_PAIR: Final = re.compile(r"^(?P<indent>\s*)(?P<key>[A-Za-z_][\w .()/-]{0,39}?)\s*(?P<separator>:(?=\s)|=)\s*(?P<value>\S.*)$")


@dataclass(frozen=True)
class Line:
    """A plain line."""

    text: str


@dataclass(frozen=True)
class Table:
    """Rows of cells."""

    rows: Rows


@dataclass(frozen=True)
class Pairs:
    """Key-value lines with unique keys."""

    values: dict[str, str]
    separator: str


@dataclass(frozen=True)
class Json:
    """A JSON object or array that fills whole lines."""

    value: Value


Block: TypeAlias = Line | Table | Pairs | Json


def read_blocks(text: str) -> list[Block]:
    """The blocks of a text, in order; blank lines part blocks and are dropped."""
    lines = [line + "\n" for line in text.split("\n")]
    starts, offset = [], 0
    for line in lines:
        starts.append(offset)
        offset += len(line)
    blocks: list[Block] = []
    bars, columns = table_ends(lines)
    at, tries = 0, 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
            continue
        if line.lstrip().startswith(("{", "[")) and tries < JSON_TRIES:
            tries += 1
            if (found := _json(text, lines, starts, at)) is not None:
                block, at = found
                blocks.append(block)
                continue
        found_here, at = _table(lines, at, bars[at], columns[at]) or _pairs(lines, at) or ([Line(line.strip())], at + 1)
        blocks += found_here
    return blocks


def blocks_mismatch(expected: list[Block], actual: list[Block]) -> str | None:
    """Where two rows of blocks part; None where they match, empty where the expected text is plain lines only."""
    if all(isinstance(block, Line) for block in expected):
        return ""
    for number, (left, right) in enumerate(zip(expected, actual, strict=False), 1):
        if (found := _mismatch(left, right)) is not None:
            return f"block {number}: {found}"
    return None if len(expected) == len(actual) else f"{len(expected)} blocks are not {len(actual)}"


def _mismatch(expected: Block, actual: Block) -> str | None:
    if isinstance(expected, Line) and isinstance(actual, Line):
        return None if same_text(expected.text, actual.text) else f"{expected.text[:80]!r} is not {actual.text[:80]!r}"
    if isinstance(expected, Table) and isinstance(actual, Table):
        return rows_mismatch(expected.rows, actual.rows)
    if isinstance(expected, Json) and isinstance(actual, Json):
        return first_mismatch(expected.value, actual.value)
    if isinstance(expected, Pairs) and isinstance(actual, Pairs):
        return _pairs_mismatch(expected, actual)
    return f"{type(expected).__name__.lower()} is not {type(actual).__name__.lower()}"


def _pairs_mismatch(expected: Pairs, actual: Pairs) -> str | None:
    if expected.separator != actual.separator:
        return f"separator {expected.separator!r} is not {actual.separator!r}"
    if expected.values.keys() != actual.values.keys():
        odd = sorted(expected.values.keys() ^ actual.values.keys())[0]
        return f"key {odd!r} is on one side alone"
    for key, value in expected.values.items():
        if not same_text(value, actual.values[key]):
            return f"{key}: {value[:80]!r} is not {actual.values[key][:80]!r}"
    return None


def _json(text: str, lines: list[str], starts: list[int], at: int) -> tuple[Block, int] | None:
    start = starts[at] + len(lines[at]) - len(lines[at].lstrip())
    found = parse_json_at(text, start)
    if found is None:
        return None
    value, end = found
    rest_of_line = text[end:].partition("\n")[0] if end < len(text) else ""
    if rest_of_line.strip():
        return None
    after = at + 1
    while after < len(lines) and starts[after] < end:
        after += 1
    return Json(value), after


def _table(lines: list[str], at: int, bars: int, columns: int) -> tuple[list[Block], int] | None:
    """The table that begins at a line, where `table_ends` tells of one."""
    if bars and (rows := parse_bars(lines[at:bars])) is not None:
        return [Table(rows)], bars
    if columns and (rows := parse_columns(lines[at:columns])) is not None:
        return [Table(rows)], columns
    return None


def _pairs(lines: list[str], at: int) -> tuple[list[Block], int] | None:
    """A run of key-value lines: a block where order means nothing, else plain lines.

    A key that comes twice makes the run a log, a value that mentions another key makes it a program: order means something in both.
    """
    run: list[re.Match[str]] = []
    while at + len(run) < len(lines) and (match := _PAIR.match(lines[at + len(run)].rstrip())) is not None:
        if run and (match["indent"], match["separator"]) != (run[0]["indent"], run[0]["separator"]):
            break
        run.append(match)
    if len(run) < 2:
        return None
    values = {match["key"]: match["value"] for match in run}
    words = {word for value in values.values() for word in re.findall(r"\w+", value)}
    if len(values) < len(run) or any(key in words for key in values):
        return [Line(match[0].strip()) for match in run], at + len(run)
    return [Pairs(values, run[0]["separator"])], at + len(run)
