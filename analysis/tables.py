"""A table as CSV (for programs), Markdown (for readers) and LaTeX with booktabs (for papers), from the same strings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from clibench.errors import OutputsError

Cells = list[list[str]]


@dataclass(frozen=True)
class Table:
    """What is written under one name."""

    name: str
    """File name without suffix."""
    caption: str
    csv: pd.DataFrame
    """Rows and columns of the CSV file; strings are written as they are."""
    shown: pd.DataFrame | None = None
    """What Markdown and LaTeX show, where it is laid out for the eye; else `csv`. A column (group, name) has a head of two lines."""
    bold: frozenset[tuple[int, int]] = field(default=frozenset())
    """Cells (row, column) of what is shown that are set in bold."""


def percent(share: float, digits: int = 2) -> str:
    """A share in [0, 1] as percent without the sign; empty where it is missing."""
    return "" if pd.isna(share) else f"{100 * share:.{digits}f}"


def number(value: float, digits: int = 2) -> str:
    """A number with fixed decimals; empty where it is missing."""
    return "" if pd.isna(value) else f"{value:.{digits}f}"


def p_value(value: float) -> str:
    """A p-value with four significant digits; empty where it is missing."""
    return "" if pd.isna(value) else f"{value:.4g}"


def write_table(table: Table, folder: Path) -> list[Path]:
    """Write `name`.csv, .md and .tex; raises OutputsError where the folder can't be written."""
    text = {
        "csv": table.csv.to_csv(index=False, lineterminator="\n"),
        "md": f"{table.caption}\n\n{markdown(table)}",
        "tex": latex(table),
    }
    return [write_text(folder / f"{table.name}.{suffix}", body) for suffix, body in text.items()]


def write_text(path: Path, body: str) -> Path:
    """Write a text file, making its folder; raises OutputsError where that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8", newline="\n")
    except OSError as error:
        raise OutputsError(
            f"can't be written ({error.strerror})", where=str(path), fix="Choose another folder by out=DIR, or make room."
        ) from error
    return path


def markdown(table: Table) -> str:
    """The table in GitHub's Markdown."""
    frame, cells = _cells(table)
    heads = [" ".join(part for part in _head(column) if part).replace("|", "\\|") for column in frame.columns]
    right = _numeric(cells)
    rule = ["---:" if is_right else "---" for is_right in right]
    rows = [
        [f"**{text}**" if (row, column) in table.bold and text else text.replace("|", "\\|") for column, text in enumerate(line)]
        for row, line in enumerate(cells)
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in [heads, rule, *rows])


def latex(table: Table) -> str:
    """The table as a LaTeX float with booktabs rules; a wide one spans both columns."""
    frame, cells = _cells(table)
    heads = [_head(column) for column in frame.columns]
    align = "".join("r" if right else "l" for right in _numeric(cells))
    wide = len(heads) > 8
    lines = [
        "% \\usepackage{booktabs}" + (" \\usepackage{graphicx}" if wide else ""),
        f"\\begin{{table{'*' * wide}}}[t]",
        "\\centering",
        f"\\caption{{{escape(table.caption)}}}",
        f"\\label{{tab:{table.name}}}",
        "\\resizebox{\\textwidth}{!}{%" if wide else "\\small",
        f"\\begin{{tabular}}{{{align}}}",
        "\\toprule",
        *_head_lines(heads),
        "\\midrule",
    ]
    for row, line in enumerate(cells):
        shown = [
            f"\\textbf{{{escape(text)}}}" if (row, column) in table.bold and text else escape(text) for column, text in enumerate(line)
        ]
        lines.append(" & ".join(shown) + r" \\")
    lines += ["\\bottomrule", "\\end{tabular}" + ("}" if wide else ""), f"\\end{{table{'*' * wide}}}", ""]
    return "\n".join(lines)


def escape(text: str) -> str:
    """LaTeX's special characters made harmless."""
    table = {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
    return "".join(table.get(char, f"\\{char}" if char in "&%$#_{}" else char) for char in text)


def _cells(table: Table) -> tuple[pd.DataFrame, Cells]:
    frame = table.csv if table.shown is None else table.shown
    return frame, [["" if pd.isna(value) else str(value) for value in row] for row in frame.itertuples(index=False, name=None)]


def _head(column: object) -> tuple[str, str]:
    return (str(column[0]), str(column[1])) if isinstance(column, tuple) else ("", str(column))


def _numeric(cells: Cells) -> list[bool]:
    return [all(_is_number(text) for text in column) for column in zip(*cells, strict=True)]


def _is_number(text: str) -> bool:
    return not text or text.replace(",", "").lstrip("-+").split(" ")[0].replace(".", "", 1).isdigit()


def _head_lines(heads: list[tuple[str, str]]) -> Iterable[str]:
    if any(group for group, _ in heads):
        spans, rules, start = [], [], 0
        while start < len(heads):
            end = start
            while end + 1 < len(heads) and heads[end + 1][0] == heads[start][0] and heads[start][0]:
                end += 1
            group = heads[start][0]
            spans.append(f"\\multicolumn{{{end - start + 1}}}{{c}}{{{escape(group)}}}" if group else "")
            rules += [f"\\cmidrule(lr){{{start + 1}-{end + 1}}}"] if group else []
            start = end + 1
        yield " & ".join(spans) + r" \\"
        yield " ".join(rules)
    yield " & ".join(escape(name) for _, name in heads) + r" \\"
