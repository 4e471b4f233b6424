"""`tasks`: what a dataset holds."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from omegaconf import DictConfig, OmegaConf
from rich.table import Table

from clibench.audit.stored import State, read_audit
from clibench.config import OutputChoice, TasksConfig
from clibench.errors import TaskError, UserError
from clibench.selection import known_ids, select_tasks
from clibench.tables import console
from clibench.tasks.origin import origin_of
from clibench.tasks.task import Task


def list_tasks(config: DictConfig) -> None:
    """Print the chosen tasks as a table or as JSON."""
    settings = OmegaConf.to_object(config)
    assert isinstance(settings, TasksConfig)  # noqa: S101 - named by conf/tasks.yaml
    tasks, faults = _readable(settings)
    if settings.output is OutputChoice.json:
        sys.stdout.write(json.dumps([_row(task) for task in tasks], indent=2) + "\n")
    else:
        _show(tasks)
    if faults:
        more = f" ({len(faults) - 1} more tasks can't be read)" if len(faults) > 1 else ""
        raise TaskError(f"{faults[0].what}{more}", where=faults[0].where, fix=faults[0].fix) from faults[0]


def _readable(settings: TasksConfig) -> tuple[tuple[Task, ...], list[TaskError]]:
    """The chosen tasks, and what is wrong with those that can't be read: one of them must not hide the others."""
    try:
        return select_tasks(settings), []
    except TaskError:
        if settings.dataset.tasks is not None and not {*settings.dataset.tasks} <= known_ids(settings):
            raise
    tasks: list[Task] = []
    faults: list[TaskError] = []
    for name in sorted(settings.dataset.tasks or known_ids(settings)):
        alone = replace(settings, dataset=replace(settings.dataset, tasks=[name]))
        try:
            tasks += select_tasks(alone)
        except TaskError as fault:
            faults.append(fault)
        except UserError:
            continue  # of another language or difficulty
    if not tasks:
        raise faults[0]
    return tuple(tasks), faults


def _row(task: Task) -> dict[str, str | int | None]:
    audit = read_audit(task)
    failing = sum(not recording.status.ok for recording in task.recordings.values())
    return {
        "task": task.id,
        "language": task.language.value,
        "difficulty": task.difficulty.value,
        "category": task.category,
        "loc": task.loc,
        "spec": None if task.folder is None else origin_of(task.folder).value,
        "patterns": len(task.patterns),
        "cases": len(task.cases),
        "effective": audit.effective,
        "audit": audit.state.value,
        "rejected": failing,
        "quarantined": len(task.quarantined),
        "mutants": None if audit.mutants is None else audit.mutants["changed"],
        "compared": None if audit.mutants is None else audit.mutants["compared"],
        "killed": None if audit.mutants is None else audit.mutants["killed"],
    }


def _show(tasks: Sequence[Task]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    rows = [_row(task) for task in tasks]
    for column, value in rows[0].items():
        if column not in ("audit", "mutants", "compared"):
            table.add_column(
                "mutants killed" if column == "killed" else column, justify="left" if isinstance(value, str) else "right", no_wrap=True
            )
    for row in rows:
        shown = {name: value for name, value in row.items() if name not in ("audit", "mutants", "compared")}
        if row["audit"] != State.FRESH:
            shown["effective"] = "-" if row["audit"] == State.MISSING else row["audit"]
        shown["killed"] = "-" if row["killed"] is None else f"{row['killed']}/{row['mutants']}"
        table.add_row(*map(str, shown.values()))
    out = console()
    out.print(table)
    for line in _totals(rows):
        out.print(line, markup=False, soft_wrap=True)


def _totals(rows: Sequence[Mapping[str, str | int | None]]) -> Iterator[str]:
    """Sums over the tasks; those of audits over the tasks that have one."""
    patterns, cases, rejected = (sum(_numbers(rows, name)) for name in ("patterns", "cases", "rejected"))
    yield f"{len(rows)} tasks, {patterns} patterns, {cases} cases, {rejected} of them rejected by the oracle"
    audited = [row for row in rows if row["effective"] is not None]
    if audited:
        effective, cases = (sum(_numbers(audited, name)) for name in ("effective", "cases"))
        yield f"effective size {effective} of {cases} cases in the {len(audited)} tasks whose audit is of this freeze"
    tried = [row for row in rows if row["killed"] is not None]
    if tried:
        killed, changed, compared = (sum(_numbers(tried, name)) for name in ("killed", "mutants", "compared"))
        yield (
            f"mutants of {len(tried)} tasks: {killed} killed, {_share(killed, changed)} of {changed} that changed any byte, "
            f"{_share(killed, compared)} of {compared} that changed what a verdict looks at"
        )


def _numbers(rows: Sequence[Mapping[str, str | int | None]], name: str) -> Iterator[int]:
    return (int(row[name] or 0) for row in rows)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"
