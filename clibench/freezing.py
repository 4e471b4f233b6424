"""`freeze task=ID` (or a folder): run the oracle of a task and write its cases and recordings, with what was masked or left out and why."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from omegaconf import DictConfig, OmegaConf
from rich.markup import escape
from rich.table import Table

from clibench.config import FreezeConfig
from clibench.errors import UserError, did_you_mean
from clibench.experiment import prepare_folder
from clibench.sandbox.choose import make_sandbox
from clibench.tables import console
from clibench.tasks.freeze import FreezeReport, freeze_task


def freeze(config: DictConfig) -> None:
    """Freeze and show. Raises UserError for a folder that is none, TaskError for what can't be frozen."""
    settings = OmegaConf.to_object(config)
    assert isinstance(settings, FreezeConfig)  # noqa: S101 - named by conf/freeze.yaml
    tasks_dir = Path(settings.tasks_dir).expanduser()
    folder = tasks_dir / settings.task
    if "/" in settings.task and (Path(settings.task).expanduser() / "spec.yaml").is_file():
        folder = Path(settings.task).expanduser().resolve()
    if not (folder / "spec.yaml").is_file():
        drafts = sorted(path.parent.name for path in tasks_dir.glob("*/spec.yaml"))
        raise UserError("no folder with a spec.yaml", where=str(folder), fix=did_you_mean(settings.task, drafts))
    prepare_folder(folder, "tasks_dir")
    sandbox = make_sandbox(settings.sandbox, Path(settings.outputs).expanduser())
    try:
        report = freeze_task(
            folder,
            sandbox,
            runs=settings.runs,
            workers=settings.sandbox.workers or os.cpu_count() or 1,
            limits=settings.sandbox.limits,
            say=lambda text: print(f"{folder.name}: {text}", file=sys.stderr, flush=True),  # noqa: T201 - progress
        )
    finally:
        sandbox.close()
    show(report)


def show(report: FreezeReport) -> None:
    """Print what came out."""
    out = console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("pattern", no_wrap=True)
    for column in ("cases", "valid", "oracle exits 0", "distinct results"):
        table.add_column(column, justify="right")
    for pattern, row in report.patterns.items():
        table.add_row(escape(pattern), str(row.cases), str(row.valid), str(row.ok), str(row.distinct))
    out.print(table)
    out.print(f"{report.task}: {report.cases} cases, oracle of {report.loc} lines")
    for line in report.shortfalls:
        out.print(line, markup=False)
    if report.normalisers:
        out.print(f"masked in every case: {', '.join(report.normalisers)}", markup=False)
    for case, names in sorted(report.masked.items()):
        out.print(f"masked in {case}: {', '.join(names)}", markup=False)
    for case, reason in sorted(report.quarantined.items()):
        out.print(f"left out {case}: {reason}", markup=False)
