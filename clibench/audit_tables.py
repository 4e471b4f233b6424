"""An audit as tables: sizes, null tools, what freezing masked, mutants. Read from the form that is stored and printed as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.markup import escape
from rich.table import Table

from clibench.audit.audit import TaskAudit, rates
from clibench.audit.null_tools import COMPARERS, Rate
from clibench.audit.size import Size, total
from clibench.tables import console

SHOWN: Final = 20
"""Survivors that are listed of one task."""
_TIERS: Final = ("exec", "sp", "em", "reject")


def show(audits: Sequence[TaskAudit], bodies: Sequence[Mapping[str, Any]]) -> None:
    """A row a task, or a row a pattern where there is one task; then null tools, stability, mutants, and what is weak."""
    out = console()
    if len(audits) == 1:
        only = audits[0]
        rows = [(pattern, size, len(only.nulls[pattern].trivial), len(only.nulls[pattern].flagged)) for pattern, size in only.size.items()]
        out.print(_sizes("pattern", rows))
    else:
        out.print(_sizes("task", [(each.task, each.total, each.trivial, len(each.flagged)) for each in audits]))
    out.print("\nFalse accepts of tools that know nothing, as shares of the cases that count (trivial ones aside):")
    out.print(_nulls(audits))
    out.print("\nThe oracle, run again under changed conditions:")
    out.print(_oracle(bodies))
    tried = [body for body in bodies if body.get("mutants")]
    if tried:
        out.print("\nMutants, defects in the oracle's own source: how many the cases kill, and at which metric at the latest:")
        out.print(_mutants(tried))
    out.print()
    for line in (line for body in bodies for line in _remarks(body)):
        out.print(line, markup=False, soft_wrap=True)
    weak = [(each.task, *found) for each in audits for found in each.weak()]
    for task, pattern, tool, share in weak:
        out.print(
            f"weak: {task} {pattern}: '{tool}' passes {share.passed} of {share.of} successful cases at SM", markup=False, soft_wrap=True
        )
    cases = sum(each.total.cases for each in audits)
    effective = sum(each.total.effective for each in audits)
    out.print(f"{len(audits)} tasks, {cases} cases, effective size {effective}, {len(weak)} weak patterns", markup=False)


def _oracle(bodies: Sequence[Mapping[str, Any]]) -> Table:
    """What freezing masked and left out, and where the oracle was checked anew, whether it still does what is frozen."""
    table = _table("task", "runs", "masked", "quarantined", "reproduced", "identical", "unstable", "by normaliser")
    for body in bodies:
        frozen, check = body["stability"], body.get("oracle_check")
        fresh = (f"{check['reproduced']}/{check['cases']}", str(check["identical"]), str(len(check["unstable"]))) if check else ("-",) * 3
        names = ", ".join(f"{name} {number}" for name, number in frozen["masked"].items())
        every = ", ".join(f"{name} in all" for name in frozen["declared"])
        counts = (str(frozen["runs"] or "-"), str(sum(frozen["masked"].values())), str(len(frozen["quarantined"])))
        table.add_row(escape(body["task"]), *counts, *fresh, escape(", ".join(filter(None, (names, every)))))
    return table


def _mutants(bodies: Sequence[Mapping[str, Any]]) -> Table:
    """A row a task, or a row a kind and a pattern where there is one task."""
    table = _table(
        "task" if len(bodies) > 1 else "kind", "run", "changed", "compared", *_TIERS, "killed", "of changed", "of compared", "of run"
    )
    if len(bodies) == 1:
        for kind, row in bodies[0]["mutants"]["kinds"].items():
            if row["run"]:
                table.add_row(kind, *_counts(row))
    for body in bodies:
        table.add_row(escape(body["task"]), *_counts(body["mutants"]), style="bold" if len(bodies) == 1 else "")
    if len(bodies) > 1:
        rows = [body["mutants"] for body in bodies]
        sums: dict[str, Any] = {name: sum(row[name] for row in rows) for name in ("run", "changed", "compared", "killed")}
        sums["tiers"] = {tier: sum(row["tiers"][tier] for row in rows) for tier in _TIERS}
        table.add_row("total", *_counts(sums), style="bold")
    return table


def _counts(row: Mapping[str, Any]) -> list[str]:
    numbers = [row["run"], row["changed"], row["compared"], *(row["tiers"][tier] for tier in _TIERS), row["killed"]]
    return [*map(str, numbers), *(_percent(row["killed"], row[name]) for name in ("changed", "compared", "run"))]


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"


def _remarks(body: Mapping[str, Any]) -> list[str]:
    task = body["task"]
    lines = [f"left out: {task} {case}: {reason}" for case, reason in body["stability"]["quarantined"].items()]
    check = body.get("oracle_check")
    if check:
        lines += [f"not reproduced: {task} {case}: {reason}" for case, reason in check["differing"].items()]
        lines += [f"unstable: {task} {case}: {reason}" for case, reason in check["unstable"].items()]
    mutants = body.get("mutants")
    if not mutants:
        return lines
    lines += [f"not used: {task} {case}: the oracle itself does not pass: {reason}" for case, reason in mutants["unsteady"].items()]
    for row in mutants["survivors"][:SHOWN]:
        lines.append(f"survived: {task} {row['file']}:{row['line']} ({row['kind']}), changes {row['differs']} in {row['cases']} cases")
        lines += [f"  - {row['before']}", f"  + {row['after']}"]
    if len(mutants["survivors"]) > SHOWN:
        lines.append(f"survived: {task}: {len(mutants['survivors']) - SHOWN} more, see output=json")
    lines += [f"no mutant killed: {task} {pattern}" for pattern in mutants["unkilled"]]
    if mutants["not_built"] or mutants["missing"]:
        lines.append(f"no mutants: {task}: {mutants['not_built']} do not compile, {mutants['missing']} could not be run")
    return lines


def _table(first: str, *columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="left" if column == "by normaliser" else "right", no_wrap=column != "by normaliser")
    return table


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
