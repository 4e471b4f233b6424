"""`tasks`: what a dataset holds."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from omegaconf import DictConfig, OmegaConf
from rich.table import Table

from clibench.audit.stored import State, read_audit
from clibench.config import OutputChoice, TasksConfig
from clibench.selection import select_tasks
from clibench.tables import console
from clibench.tasks.task import Task


def list_tasks(config: DictConfig) -> None:
    """Print the chosen tasks as a table or as JSON."""
    settings = OmegaConf.to_object(config)
    assert isinstance(settings, TasksConfig)  # noqa: S101 - named by conf/tasks.yaml
    tasks = select_tasks(settings)
    if settings.output is OutputChoice.json:
        sys.stdout.write(json.dumps([_row(task) for task in tasks], indent=2) + "\n")
    else:
        _show(tasks)


def _row(task: Task) -> dict[str, str | int | None]:
    audit = read_audit(task)
    failing = sum(not recording.status.ok for recording in task.recordings.values())
    return {
        "task": task.id,
        "language": task.language.value,
        "difficulty": task.difficulty.value,
        "category": task.category,
        "loc": task.loc,
        "patterns": len(task.patterns),
        "cases": len(task.cases),
        "effective": audit.effective,
        "audit": audit.state.value,
        "rejected": failing,
        "quarantined": len(task.quarantined),
        "mutants": None if audit.mutants is None else audit.mutants["changed"],
        "killed": None if audit.mutants is None else audit.mutants["killed"],
    }


def _show(tasks: Sequence[Task]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    rows = [_row(task) for task in tasks]
    for column, value in rows[0].items():
        if column not in ("audit", "mutants"):
            table.add_column(
                "mutants killed" if column == "killed" else column, justify="left" if isinstance(value, str) else "right", no_wrap=True
            )
    for row in rows:
        audit = str(row.pop("audit"))
        row["effective"] = row["effective"] if audit == State.FRESH else "-" if audit == State.MISSING else audit
        mutants = row.pop("mutants")
        row["killed"] = "-" if mutants is None else f"{row['killed']}/{mutants}"
        table.add_row(*map(str, row.values()))
    out = console()
    out.print(table)
    out.print(f"{len(rows)} tasks, {sum(len(task.patterns) for task in tasks)} patterns, {sum(len(task.cases) for task in tasks)} cases")
