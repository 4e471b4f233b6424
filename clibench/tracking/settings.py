"""The settings of tracking (config group `tracking`)."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clibench.errors import UserError

SCHEMES: Final = ("http", "https", "sqlite", "postgresql", "mysql", "mssql", "databricks")
"""Kinds of tracking servers and stores that hold a sweep's record."""
SCORES_VIEW: Final = "scores"
"""Name of the view of the experiment's page that shows parameters and scores as columns."""


@dataclass
class TrackingConfig:
    """Where experiments are recorded."""

    enabled: bool = True
    uri: str | None = None
    """An MLflow tracking server or store; null is an SQLite file, <outputs>/mlflow.db, with its artifacts in <outputs>/mlartifacts."""
    experiment: str = "clibench"
    """Name of the MLflow experiment that the runs belong to."""

    def __post_init__(self) -> None:
        """Refuse what is no address: MLflow takes it for a folder, and says so after all the work."""
        if self.uri is not None and not re.match(rf"(?:{'|'.join(SCHEMES)})(?:\+\w+)?://", self.uri) and self.uri != "databricks":
            raise UserError(
                f"'{self.uri}' is no address of an MLflow server or database",
                where="tracking.uri",
                fix=f"Write {', '.join(f'{scheme}://...' for scheme in SCHEMES)} (SQLite: sqlite:////absolute/path/mlflow.db).",
            )


def tracking_uri(config: TrackingConfig, outputs: Path) -> str:
    """The MLflow URI that `config` means for the folder `outputs`."""
    return config.uri or f"sqlite:///{outputs.absolute() / 'mlflow.db'}"


def ui_command(config: TrackingConfig, outputs: Path) -> str:
    """What to do to see the runs: what to type where they are in a local store, and the page to open."""
    uri = tracking_uri(config, outputs)
    if uri.startswith(("http://", "https://")):
        return f"open {uri.rstrip('/')} (experiment {config.experiment})"
    # One worker and no job runners: what a page for one user needs, a tenth of the memory of the defaults.
    return f"MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false {_mlflow()} ui --workers 1 --backend-store-uri {uri}   then open http://127.0.0.1:5000/#/experiments/1/runs?viewStateShareKey={SCORES_VIEW}"


def _mlflow() -> str:
    """How MLflow's command is typed here: by its name only where that finds the one of this environment."""
    ours = Path(sys.executable).with_name("mlflow")
    if shutil.which("mlflow") == str(ours):
        return "mlflow"
    return str(ours.relative_to(Path.cwd())) if ours.is_relative_to(Path.cwd()) else str(ours)
