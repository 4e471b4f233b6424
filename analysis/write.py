"""Write answers into a folder: tables in three forms, figures in three, and the summary."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from analysis.answer import Answer
from analysis.figures import write_figure
from analysis.tables import write_table, write_text


def write_answers(answers: Sequence[Answer], out: Path) -> list[Path]:
    """Every table and figure; raises OutputsError where the folder can't be written."""
    written: list[Path] = []
    for answer in answers:
        for table in answer.tables:
            written += write_table(table, out)
        for name, figure in answer.figures.items():
            written += write_figure(figure, name, out)
        written += [write_text(out / name, body) for name, body in answer.files.items()]
    return written


def write_summary(text: str, out: Path) -> Path:
    """summary.md."""
    return write_text(out / "summary.md", text)
