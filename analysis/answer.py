"""What a question is asked with, and what it gives back: sentences, tables and figures. Questions compute; `write.py` writes."""

from __future__ import annotations

from dataclasses import dataclass, field

from matplotlib.figure import Figure

from analysis.caveats import Suspects
from analysis.frame import Frame
from analysis.settings import AnalysisConfig
from analysis.tables import Table


@dataclass(frozen=True)
class Question:
    """The input of every question."""

    frame: Frame
    suspects: Suspects
    """Of `caveats.find`."""
    settings: AnalysisConfig


@dataclass(frozen=True)
class Answer:
    """The output of every question."""

    title: str
    """Head of its section in summary.md."""
    sentences: tuple[str, ...]
    """Findings, each with its numbers; they stand in summary.md in this order."""
    tables: tuple[Table, ...] = ()
    figures: dict[str, Figure] = field(default_factory=dict)
    """By file name without suffix."""
    files: dict[str, str] = field(default_factory=dict)
    """Further text files, by path in the output folder."""
