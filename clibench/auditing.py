"""`audit [task=ID]`: what the cases of frozen tasks are worth, shown, and with save=true stored beside them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from omegaconf import DictConfig, OmegaConf
from rich.markup import escape
from rich.table import Table

from clibench.audit.audit import TaskAudit, audit_task, audit_to_json, rates
from clibench.audit.null_tools import COMPARERS, Rate
from clibench.audit.size import Size, total
from clibench.audit.stored import write_audit
from clibench.config import AuditConfig, JudgeChoice, OutputChoice
from clibench.errors import UserError
from clibench.experiment import compare_params
from clibench.selection import load_by_ids, select_tasks
from clibench.tables import console


def audit(config: DictConfig) -> None:
    """Audit, store where asked, and show. Raises UserError for a task that is not there or a judge that is a model."""
    settings = OmegaConf.to_object(config)
    assert isinstance(settings, AuditConfig)  # noqa: S101 - named by conf/audit.yaml
    if settings.judge.name is not JudgeChoice.rules:
        raise UserError("an audit asks no model", where=f"judge={settings.judge.name.value}", fix="Use judge=rules.")
    params = compare_params(settings.judge)
    tasks = select_tasks(settings) if settings.task is None else load_by_ids(settings.tasks_dir, (settings.task,))
    audits = []
    for task in tasks:
        audits.append(audit_task(task, params))
        if settings.save and task.folder is not None:
            write_audit(task.folder, audits[-1])
    if settings.output is OutputChoice.json:
        sys.stdout.write(json.dumps([audit_to_json(each) for each in audits], indent=2) + "\n")
    else:
        show(audits)


def show(audits: Sequence[TaskAudit]) -> None:
    """A row a task, or a row a pattern where there is one task; then the null tools, and the patterns that are weak."""
    out = console()
    if len(audits) == 1:
        only = audits[0]
        rows = [(pattern, size, len(only.nulls[pattern].trivial), len(only.nulls[pattern].flagged)) for pattern, size in only.size.items()]
        out.print(_sizes("pattern", rows))
    else:
        out.print(_sizes("task", [(each.task, each.total, each.trivial, len(each.flagged)) for each in audits]))
    out.print("\nFalse accepts of tools that know nothing, as shares of the cases that count (trivial ones aside):")
    out.print(_nulls(audits))
    out.print()
    weak = [(each.task, *found) for each in audits for found in each.weak()]
    for task, pattern, tool, share in weak:
        out.print(
            f"weak: {task} {pattern}: '{tool}' passes {share.passed} of {share.of} successful cases at SM", markup=False, soft_wrap=True
        )
    cases = sum(each.total.cases for each in audits)
    effective = sum(each.total.effective for each in audits)
    out.print(f"{len(audits)} tasks, {cases} cases, effective size {effective}, {len(weak)} weak patterns", markup=False)


def _sizes(what: str, rows: Sequence[tuple[str, Size, int, int]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(what, no_wrap=True)
    for column in ("cases", "effective", "duplicates", "negative", "side effects", "trivial", "flagged"):
        table.add_column(column, justify="right", no_wrap=True)
    sums = ("total", total(size for _, size, _, _ in rows), sum(row[2] for row in rows), sum(row[3] for row in rows))
    for name, size, trivial, flagged in (*rows, sums):
        negative = f"{size.negative / size.cases:.0%}" if size.cases else "-"
        numbers = (size.cases, size.effective, size.duplicates, negative, size.side_effects, trivial, flagged)
        table.add_row(escape(name), *map(str, numbers))
    return table


def _nulls(audits: Sequence[TaskAudit]) -> Table:
    """A row a tool over all tasks; where there are several tasks, `flagged in` names those in which it passes a case at EM or SM."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("tool", no_wrap=True)
    for metric in COMPARERS:
        table.add_column(metric, justify="right", no_wrap=True)
    table.add_column("flagged", justify="right", no_wrap=True)
    table.add_column("in")
    by_tool = rates(nulls for each in audits for nulls in each.nulls.values())
    for tool, by_metric in by_tool.items():
        places = {each.task: sum(tool in tools for tools in each.flagged.values()) for each in audits}
        shown = ", ".join(f"{task} {number}" for task, number in places.items() if number)
        table.add_row(tool, *(_shown(by_metric[metric]) for metric in COMPARERS), str(sum(places.values())), escape(shown))
    return table


def _shown(rate: Rate) -> str:
    return "-" if rate.value is None else f"{rate.value:.3f}"
