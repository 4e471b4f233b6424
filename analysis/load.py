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
        case Source.outputs:
            from analysis import outputs

            return outputs.read(Path(settings.input or "outputs"), judge=settings.judge, sandbox=settings.sandbox)
        case Source.mlflow:
            from analysis import mlflow_runs

            return mlflow_runs.read(settings.input, experiment=settings.experiment, judge=settings.judge, sandbox=settings.sandbox)
    raise UserError(f"unknown results '{settings.results}'")
