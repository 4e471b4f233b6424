"""`report`: write the tables and the pages, and say where they are."""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from clibench.config import ReportConfig
from clibench.errors import UserError
from clibench.report import write_report
from clibench.report.quality import quality_rows
from clibench.result_files import read_jobs
from clibench.tables import console, score_table


def report(config: DictConfig) -> None:
    """Write and show. Raises UserError where there is nothing to report."""
    settings = OmegaConf.to_object(config)
    assert isinstance(settings, ReportConfig)  # noqa: S101 - named by conf/report.yaml
    outputs, destination = Path(settings.outputs).expanduser(), Path(settings.destination).expanduser()
    jobs = read_jobs(outputs)
    if not jobs:
        raise UserError("there are no results", where=str(outputs / "results"), fix="Run a job first, or give outputs=DIR.")
    quality = quality_rows(Path(settings.tasks_dir).expanduser(), (task.task for job in jobs for task in job.tasks))
    write_report(outputs, destination, quality)
    score_table(jobs)
    console().print(f"report: {destination / 'index.html'}", markup=False, soft_wrap=True)
