"""`dry_run=true`: what a job would do, what of it is done already, and what the rest will take.

Times rest on the results under outputs/ where there are any for the language, else on the defaults below, measured on two cores; the plan
says which. Tokens and dollars: see `estimate`. Nothing is generated, built or called, so keys need not be there; the plan names them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.table import Table

from clibench.estimate import Estimate, estimate
from clibench.job import Job
from clibench.llm.prices import Price, price_of
from clibench.llm.settings import PriceSettings
from clibench.result_files import read_jobs
from clibench.results import TaskResult
from clibench.steps import build as build_step
from clibench.steps import generate as generate_step
from clibench.steps.bench import Bench
from clibench.steps.keys import build_key
from clibench.steps.record import patterns, pending
from clibench.tables import console
from clibench.tasks.task import Task

DEFAULT_BUILD_S: Final = {"python": 15.0, "javascript": 10.0, "go": 25.0}
DEFAULT_CASE_S: Final = 0.05
"""Of one case, with its share of the overhead, on one worker."""


@dataclass(frozen=True)
class TaskPlan:
    """What one task needs."""

    task: str
    language: str
    difficulty: str
    patterns: int
    cases: int
    generated: bool
    built: bool | None
    """Whether it installs; None where that was not tried yet."""
    cases_left: int
    seconds: float


@dataclass(frozen=True)
class Plan:
    """What a job needs."""

    tasks: tuple[TaskPlan, ...]
    measured: bool
    """The times rest on earlier results, at least in part."""
    use: Estimate | None
    """Of generations; None where no model is called."""

    @property
    def seconds(self) -> float:
        """Estimated time of all that is left, but for the agents at work."""
        return sum(task.seconds for task in self.tasks)


def make_plan(job: Job, bench: Bench) -> Plan:
    """The plan of a job."""
    earlier = read_jobs(job.outputs)
    rows = [result for other in earlier for result in other.tasks]
    tasks = tuple(_plan_task(task, bench, rows) for task in job.tasks)
    left = sum(not task.generated for task in tasks)
    alike = [row for other in earlier if (other.model, other.framework) == (job.model, job.framework.name) for row in other.tasks]
    return Plan(
        tasks=tasks,
        measured=any(row.durations.get("record") for row in rows),
        use=estimate(job.model, job.framework.name, _price(job), alike, left) if job.framework.uses_model else None,
    )


def show_plan(job: Job, bench: Bench, keys: Sequence[str] = ()) -> None:
    """Print the plan; `keys` are the variables that a run reads keys from."""
    plan = make_plan(job, bench)
    table = Table(title=f"{job.title}, dataset {job.dataset}", title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column in ("task", "language", "difficulty"):
        table.add_column(column, no_wrap=True)
    for column in ("patterns", "cases", "generated", "built", "recorded", "time left"):
        table.add_column(column, justify="right")
    for task in plan.tasks:
        recorded = "-" if task.built is False else f"{task.cases - task.cases_left}/{task.cases}"
        done = ("yes" if task.generated else "no", _BUILT[task.built], recorded)
        table.add_row(task.task, task.language, task.difficulty, str(task.patterns), str(task.cases), *done, duration(task.seconds))
    out = console()
    out.print(table)
    source = "earlier results" if plan.measured else "defaults, nothing was measured yet"
    cases = sum(task.cases for task in plan.tasks)
    left = sum(task.cases_left for task in plan.tasks)
    out.print(f"{len(plan.tasks)} tasks, {sum(task.patterns for task in plan.tasks)} patterns, {cases} cases, {left} of them to run")
    out.print(f"estimated time: {duration(plan.seconds)} ({source}; {bench.workers} trials at once){_of_agents(plan, bench)}")
    out.print(str(plan.use) if plan.use else "tokens: 0, cost: 0 USD (no model is called)")
    for key in keys:
        out.print(f"needs a key: {key} ({'set' if os.environ.get(key) else 'not set'})")


def _of_agents(plan: Plan, bench: Bench) -> str:
    if plan.use is None:
        return ""
    time = "unknown" if plan.use.wall_s is None else duration(plan.use.wall_s / bench.agents)
    return f", agents: {time} ({bench.agents} at once)"


_BUILT: Final = {True: "yes", False: "failed", None: "no"}


def duration(seconds: float) -> str:
    """12 s, 3 min, 1.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _plan_task(task: Task, bench: Bench, earlier: Sequence[TaskResult]) -> TaskPlan:
    submission = generate_step.stored(bench, task)
    built = None
    cases_left = len(task.cases)
    if submission is not None:
        key = build_key(submission.source(task), task, bench.settings, bench.identity)
        built = build_step.stored(bench, key)
        if built is not None:
            cases_left = pending(bench, task, key) if built.ok else 0
    like = [row for row in earlier if row.language == task.language.value]
    seconds = 0.0 if built else _mean((row.durations.get("build") for row in like), DEFAULT_BUILD_S[task.language.value])
    # What a case took is measured with the workers that there were; the default is for one of them.
    seconds += cases_left * _mean((_case_s(row) for row in like), DEFAULT_CASE_S / bench.workers)
    return TaskPlan(
        task=task.id,
        language=task.language.value,
        difficulty=task.difficulty.value,
        patterns=len(patterns(task)),
        cases=len(task.cases),
        generated=submission is not None,
        built=None if built is None else built.ok,
        cases_left=cases_left,
        seconds=seconds,
    )


def _case_s(row: TaskResult) -> float | None:
    recorded = row.durations.get("record")
    return recorded / row.cases if recorded and row.cases else None


def _price(job: Job) -> Price | None:
    model = job.config["model"]
    return price_of(model["id"], PriceSettings(**model["price"]))


def _mean(values: Iterable[float | None], default: float) -> float:
    known = [value for value in values if value]
    return sum(known) / len(known) if known else default
