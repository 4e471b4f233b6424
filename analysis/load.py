"""Find and read the results that the settings name."""

from __future__ import annotations

from pathlib import Path

from analysis.frame import Frame
from analysis.settings import AnalysisConfig, Source
from clibench.errors import UserError


def load(settings: AnalysisConfig) -> Frame:
    """The validated frame; raises UserError where the results are missing or wrong."""
    match settings.results:
        case Source.published:
            from analysis import published

            return published.read(Path(settings.input) if settings.input else None)
    raise UserError(f"unknown results '{settings.results}'")
