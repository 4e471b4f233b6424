"""`grade task=ID submission=DIR`: one repository against one task; a table for people, or exact JSON for programs.

It is an ordinary job with one task and shares its store: grading the same repository again runs nothing.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any, TypeAlias

from omegaconf import DictConfig
from rich.markup import escape
from rich.table import Table

from clibench.config import GradeConfig, OutputChoice
from clibench.evaluation.stored import decode_verdicts
from clibench.evaluation.verdict import METRICS, Check, Verdict
from clibench.experiment import bench, missing, prepare, typed
from clibench.job import run_job
from clibench.outcome import Outcome
from clibench.results import Score, TaskResult
from clibench.store import Store
from clibench.tables import console, shown
from clibench.tasks.case import Case
from clibench.tasks.task import Task

SHOWN: int = 20
"""Failed cases in the table; JSON has all."""

BRIEF: int = 200
"""Bytes of a standard input that are shown."""

LOG_LINES: int = 15
"""Last lines of a failed build's log that are shown."""


Failure: TypeAlias = tuple[Case, Verdict, str, Check]
"""A failed case, its verdict, the first metric that failed, and why."""


@dataclass(frozen=True)
class Grade:
    """What came out."""

    task: Task
    result: TaskResult
    verdicts: list[Verdict]
    log: str
    """Last lines of the build's log."""

    def failures(self) -> list[Failure]:
        """The cases that failed, each with the first metric that did (by the gates' order; EM and FM alone are no failure)."""
        cases = {case.id: case for case in self.task.cases}
        found = []
        for verdict in self.verdicts:
            metric = next((name for name in ("exec", "sp", "sm", "reject") if verdict.passed(name) is False), None)
            if metric is not None:
                found.append((cases[verdict.case], verdict, metric, verdict.checks[metric]))
        return found


def grade(config: DictConfig) -> None:
    """Grade and print. Raises UserError for bad input, InfraError where cases are missing (after printing)."""
    settings = typed(config)
    assert isinstance(settings, GradeConfig)  # noqa: S101 - named by conf/grade.yaml
    job = prepare(config, settings)
    with bench(job, settings) as tools:
        tools.store.sweep()
        result = run_job(job, tools)
        made = _grade(job.tasks[0], result.tasks[0], tools.store)
    if settings.output is OutputChoice.json:
        sys.stdout.write(json.dumps(to_json(made), indent=2, sort_keys=True) + "\n")
    else:
        _show(made)
    problem = missing(job, result)
    if problem is not None:
        raise problem


def to_json(made: Grade) -> dict[str, Any]:
    """The JSON document."""
    cases = {case.id: case for case in made.task.cases}
    result = made.result
    return {
        "task": result.task,
        "outcome": result.outcome.value,
        "reason": result.reason,
        "scores": {metric: asdict(score) for metric, score in result.scores.items()},
        "patterns": [
            {"pattern": row.pattern, "cases": row.cases, "scores": {metric: asdict(score) for metric, score in row.scores.items()}}
            for row in result.patterns
        ],
        "cases": [
            {**asdict(verdict), "argv": list(case.argv), "stdin": case.stdin.decode(errors="replace"), "env": dict(case.env)}
            for verdict, case in ((verdict, cases[verdict.case]) for verdict in made.verdicts)
        ],
        "submission": result.submission,
        "build_log": made.log if result.outcome is Outcome.BUILD_FAIL else "",
        "quarantined": dict(made.task.quarantined),
    }


def _grade(task: Task, result: TaskResult, store: Store) -> Grade:
    verdicts = decode_verdicts(store.get(result.refs["verdicts"])) if "verdicts" in result.refs else []
    log = store.get(result.refs["build_log"]).decode(errors="replace") if "build_log" in result.refs else ""
    return Grade(task, result, verdicts, "\n".join(log.rstrip().splitlines()[-LOG_LINES:]))


def _show(made: Grade) -> None:
    out = console()
    result = made.result
    out.print(f"[bold]{escape(result.task)}[/bold]  {result.outcome}{f': {escape(result.reason)}' if result.reason else ''}")
    if result.outcome is Outcome.BUILD_FAIL:
        out.print(f"\nlast lines of the build's log:\n{made.log}", markup=False)
    out.print(_scores(result))
    failures = made.failures()
    if not failures:
        return
    out.print(f"\n[bold]{len(failures)} of {result.cases} cases failed[/bold]{f', {SHOWN} of them:' if len(failures) > SHOWN else ':'}")
    for case, verdict, metric, check in spread(failures)[:SHOWN]:
        out.print(f"\n{verdict.case}  {metric}: {check.reason or 'differs'}", markup=False)
        out.print(f"  $ {command(case)}", markup=False)
        if case.stdin:
            out.print(f"    standard input: {brief(case.stdin)}", markup=False)
        if check.difference is not None:
            difference = check.difference
            out.print(f"  {difference.where}\n    expected: {difference.expected!r}\n    actual:   {difference.actual!r}", markup=False)


def brief(data: bytes) -> str:
    """The beginning of a text, as a literal on one line."""
    text = repr(data[:BRIEF].decode(errors="replace"))
    return f"{text} and {len(data) - BRIEF} bytes more" if len(data) > BRIEF else text


def spread(failures: list[Failure]) -> list[Failure]:
    """The first failure of each pattern, then the second of each, and so on: what fails alike is shown once before it is shown again."""
    by_pattern: dict[str, list[Failure]] = {}
    for failure in failures:
        by_pattern.setdefault(failure[0].pattern, []).append(failure)
    rounds = zip_longest(*by_pattern.values())
    return [failure for row in rounds for failure in row if failure is not None]


def _scores(result: TaskResult) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("pattern", no_wrap=True)
    for column in ("cases", *METRICS):
        table.add_column(column, justify="right", no_wrap=True)
    for row in result.patterns:
        table.add_row(escape(row.pattern), str(row.cases), "", *(shown(row.scores.get(metric, Score(None))) for metric in METRICS[1:]))
    values = (shown(result.scores.get(metric, Score(None))) for metric in METRICS)
    table.add_row("all", str(result.cases), *values, style="bold")
    return table


def command(case: Case) -> str:
    """The command line as one would type it, with the case's environment and the size of its standard input; control characters escaped."""
    import shlex

    words = (*(f"{name}={value}" for name, value in case.env.items()), *case.argv)
    line = shlex.join(words).encode("unicode_escape", "surrogateescape").decode("ascii").replace("\\\\", "\\")
    if not case.stdin:
        return line
    return f"{line} < {len(case.stdin)} bytes of stdin"
