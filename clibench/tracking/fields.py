"""What of a result goes to MLflow, and under which name: pure functions from results to parameters, metrics, names and notes.

Metrics have the paper's names (`exec`, `sp`, ...) so that columns of different sweeps compare. A value that is unknown is left out:
MLflow has no missing value, and a zero would be a lie. Parameters are the composed configuration, flattened, and hold no secret.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Final

from clibench.evaluation.verdict import METRICS
from clibench.generation.framework import Usage
from clibench.results import JobResult, Score, TaskResult, labelled

USAGE: Final = tuple(field.name for field in fields(Usage) if field.name != "wall_s")
"""Names of what a generation used: steps, tokens by sort, cost_usd."""

ARTIFACTS: Final = {
    # ref                file in the run
    "recordings": "recordings.jsonl.gz",
    "verdicts": "verdicts.jsonl.gz",
    "build_log": "build.log",
    "trajectory": "trajectory.json",
    "submission": "submission.tar.gz",
    "cases": "cases.jsonl.gz",
}

_SECRET = re.compile(r"(^|[._-])(api_?key|key|token|secret|password|passwd|credentials?|authorization)$", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_./: -]")


def job_name(job: JobResult) -> str:
    """`model · framework:label · language`, with the difficulty where it is not all of them."""
    difficulty = [] if job.difficulty in ("", "all") else [job.difficulty]
    return " · ".join([job.model, labelled(job.framework, job.label), job.language, *difficulty])


def job_params(job: JobResult) -> dict[str, str]:
    """Parameters of a job's run: what the table shows, then the composed configuration, flattened."""
    shown = {
        "model": job.model,
        "framework": job.framework,
        "label": job.label,
        "dataset": job.dataset,
        "language": job.language,
        "difficulty": job.difficulty,
        "sandbox": job.sandbox,
        "judge": job.judge,
    }
    return flatten(job.config) | {name: value for name, value in shown.items() if value}


def task_params(job: JobResult, task: TaskResult) -> dict[str, str]:
    """Parameters of a task's run, with those of its job that a comparison across jobs groups by."""
    own = {"task": task.task, "language": task.language, "difficulty": task.difficulty, "category": task.category}
    return {name: value for name, value in job_params(job).items() if name in _OF_THE_JOB} | {
        name: value for name, value in own.items() if value
    }


_OF_THE_JOB: Final = ("model", "framework", "label", "dataset", "sandbox", "judge")


def job_metrics(job: JobResult) -> dict[str, float]:
    """Metrics of a job's run: scores, then counts, durations (summed over tasks, in seconds) and what generation used."""
    outcomes = Counter(task.outcome.value.replace("-", "_") for task in job.tasks)
    return (
        _score_metrics(job.scores)
        | {"tasks": float(len(job.tasks)), "tasks_missing": float(job.missing_tasks), "cases": float(sum(task.cases for task in job.tasks))}
        | {f"tasks_{outcome}": float(count) for outcome, count in sorted(outcomes.items())}
        | _duration_metrics(job.tasks)
        | {name: float(value) for name, value in total_usage(job.tasks).items() if value is not None}
    )


def task_metrics(task: TaskResult) -> dict[str, float]:
    """Metrics of a task's run."""
    return (
        _score_metrics(task.scores)
        | {"cases": float(task.cases), "patterns": float(len(task.patterns))}
        | _duration_metrics((task,))
        | {name: float(value) for name, value in total_usage((task,)).items() if value is not None}
        | {f"submission_{name}": float(value) for name, value in task.submission.items()}
        | {f"oracle_{name}": float(value) for name, value in task.oracle.items()}
    )


def total_usage(tasks: Iterable[TaskResult]) -> dict[str, float | int | None]:
    """What generation used over all tasks; None where one of them is unknown, as the total then is."""
    tasks = tuple(tasks)
    totals: dict[str, float | int | None] = {}
    for name in USAGE:
        values = [getattr(task.usage, name) for task in tasks]
        totals[name] = None if not values or None in values else sum(values)
    return totals


def job_note(job: JobResult) -> str:
    """The description on the run's page, in Markdown: the score of each task."""
    lines = ["| task | outcome | " + " | ".join(METRICS) + " |", "| --- | --- |" + " ---: |" * len(METRICS)]
    for task in sorted(job.tasks, key=lambda task: task.task):
        values = [_shown(task.scores.get(metric)) for metric in METRICS]
        lines.append(f"| {_cell(task.task)} | {task.outcome} | " + " | ".join(values) + " |")
    return "\n".join(lines)


def flatten(config: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """`{"model": {"name": "x"}}` as `{"model.name": "x"}`; lists as JSON; secrets, by name or in the user part of a URL, as `***`."""
    flat: dict[str, str] = {}
    for key, value in config.items():
        name = _NOT_IN_A_NAME.sub("_", f"{prefix}{key}")[:250]
        if isinstance(value, Mapping):
            flat |= flatten(value, f"{prefix}{key}.")
        elif value is not None and _SECRET.search(str(key)):
            flat[name] = "***"
        elif isinstance(value, str):
            flat[name] = _USERINFO.sub("***@", value)
        elif isinstance(value, (list, tuple)):
            flat[name] = _USERINFO.sub("***@", json.dumps(value, default=str))
        else:
            flat[name] = str(value)
    return flat


def _score_metrics(scores: Mapping[str, Score]) -> dict[str, float]:
    metrics: dict[str, float] = {}
    for name, score in scores.items():
        if score.value is not None:
            metrics[name] = score.value
        if score.missing:
            bounds = {f"{name}_low": score.low, f"{name}_high": score.high, f"{name}_missing": float(score.missing)}
            metrics |= {bound: value for bound, value in bounds.items() if value is not None}
    return metrics


def _duration_metrics(tasks: Iterable[TaskResult]) -> dict[str, float]:
    seconds: dict[str, float] = {}
    for task in tasks:
        for step, duration in task.durations.items():
            seconds[f"{step}_s"] = seconds.get(f"{step}_s", 0.0) + duration
    return seconds


def _shown(score: Score | None) -> str:
    return "–" if score is None or score.value is None else f"{score.value:.3f}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
