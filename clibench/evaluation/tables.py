"""Tables: CSV and TSV, box drawing, Markdown and aligned columns, as rows of cells.

Borders and padding are decoration; rows, columns and their order are not. A table is only what has at least two rows with the same number
of cells; anything else is left to be read as lines.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from typing import Final

from clibench.evaluation.tokens import same_text

Rows = list[list[str]]

_BARS: Final = "│┃║|"
_BORDER: Final = frozenset(" \t+-=_─━═┄┈╌┌┐└┘├┤┬┴┼╭╮╰╯╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋┡┩╇╞╡╪╤╧╟╢╫╥╨┠┨┯┷┿|:┃│║")
_DASHES: Final = re.compile(r"[-=_─━═┄┈╌]{2}")
_BAR: Final = re.compile(f"[{_BARS}]")
_COLUMNS: Final = re.compile(r"\t+| {2,}")


def parse_csv(text: str) -> tuple[str, Rows] | None:
    """Delimiter and rows of a CSV, TSV or semicolon-separated text; None where it is none."""
    lines = [line + "\n" for line in text.removesuffix("\n").split("\n")]
    for delimiter in ("\t", ",", ";"):
        if delimiter not in text:
            continue
        try:
            rows = [row for row in csv.reader(lines, delimiter=delimiter, strict=True) if row]
        except csv.Error:
            continue
        if len(rows) >= 2 and len(rows[0]) >= 2 and all(len(row) == len(rows[0]) for row in rows):
            return delimiter, rows
    return None


def is_rule(line: str) -> bool:
    """A line of border characters alone."""
    bare = line.strip()
    return len(bare) >= 3 and _BORDER.issuperset(bare) and _DASHES.search(bare) is not None


def is_bar_row(line: str) -> bool:
    """A line that may be a row between bars."""
    return _BAR.search(line) is not None


def parse_bars(lines: list[str]) -> Rows | None:
    """Rows of a table drawn with bars, borders dropped; None where the lines are none.

    Bars between words are no table yet (`a|b` may be an expression): there has to be a rule, or a bar at both ends of each row.
    """
    body = [line.strip() for line in lines if not is_rule(line)]
    if len(body) == len(lines) and not all(line[0] in _BARS and line[-1] in _BARS for line in body):
        return None
    rows = [_cells(line) for line in body]
    boxed = any(char in line for line in lines for char in "│┃║")
    if len(rows) >= 2 and all(len(row) == len(rows[0]) for row in rows) and (len(rows[0]) >= 2 or boxed):
        return rows
    return None


def parse_columns(lines: list[str]) -> Rows | None:
    """Rows of columns set apart by two blanks or a tab; None where the lines are none, or a cell is empty and can't be seen."""
    rows = [_COLUMNS.split(line.strip()) for line in lines if not is_rule(line)]
    if len(rows) >= 2 and len(rows[0]) >= 2 and all(len(row) == len(rows[0]) for row in rows):
        return rows
    return None


def table_ends(lines: list[str]) -> tuple[list[int], list[int]]:
    """For each line the end of the table with bars, and of the one with columns, that begins there; 0 where none does.

    A table with bars reaches to the first line without one, a table with columns to the first blank line. Both are told for all lines in
    one pass from the end, since reading a long paragraph anew from each of its lines would take its length squared.
    """
    bars, columns = [0] * len(lines), [0] * len(lines)
    barred, plain = _Run(), _Run()
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        rule = is_rule(line)
        if rule or is_bar_row(line):
            bare = line.strip()
            barred = barred.before(at, None if rule else len(_cells(line)), closed=rule or (bare[0] in _BARS and bare[-1] in _BARS))
            barred.boxed = barred.boxed or any(char in line for char in "│┃║")
            if barred.even and (barred.rules or barred.closed) and (barred.cells >= 2 or barred.boxed):
                bars[at] = barred.end
        else:
            barred = _Run()
        if line.strip():
            plain = plain.before(at, None if rule else len(_COLUMNS.split(line.strip())))
            if plain.even and plain.cells >= 2:
                columns[at] = plain.end
        else:
            plain = _Run()
    return bars, columns


@dataclass
class _Run:
    """What is known of a run of lines that could be a table, from its end up."""

    end: int = 0
    rows: int = 0
    cells: int = 0
    """In each row; -1 where they differ."""
    rules: bool = False
    closed: bool = True
    """Whether each row has a bar at both ends."""
    boxed: bool = False

    @property
    def even(self) -> bool:
        """Whether there are two rows or more, all with as many cells."""
        return self.rows >= 2 and self.cells > 0

    def before(self, at: int, cells: int | None, *, closed: bool = True) -> _Run:
        """With the line `at` before it, which has so many cells, or is a rule."""
        end = self.end or at + 1
        if cells is None:
            return replace(self, end=end, rules=True)
        alike = cells if self.rows == 0 or self.cells == cells else -1
        return replace(self, end=end, rows=self.rows + 1, cells=alike, closed=self.closed and closed)


def rows_mismatch(expected: Rows, actual: Rows) -> str | None:
    """Where two tables part; None where every cell says the same."""
    for number, (left, right) in enumerate(zip(expected, actual, strict=False), 1):
        if len(left) != len(right):
            return f"row {number}: {len(left)} cells are not {len(right)}"
        for column, (cell, other) in enumerate(zip(left, right, strict=True), 1):
            if not same_text(cell, other):
                return f"row {number}, column {column}: {cell[:80]!r} is not {other[:80]!r}"
    return None if len(expected) == len(actual) else f"{len(expected)} rows are not {len(actual)}"


def _cells(line: str) -> list[str]:
    parts = _BAR.split(line.strip())
    start = 1 if parts and not parts[0].strip() else 0
    end = len(parts) - 1 if len(parts) > 1 and not parts[-1].strip() else len(parts)
    return [part.strip() for part in parts[start:end]]
