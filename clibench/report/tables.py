"""The score tables: a row a job (scores.csv), a row a task and job (tasks.csv).

Scores are in [0, 1] with six decimals. An empty cell is unknown or does not apply; it is never zero. Where something is missing, the
columns `<metric>_low`, `<metric>_high` and `<metric>_missing` (cases) bound the value. The label that sets jobs of one framework apart is
part of the framework's name, as in `replay:careful`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any, Final

from clibench.evaluation.verdict import METRICS
from clibench.results import JobResult, Score, TaskResult, labelled
from clibench.tracking.fields import total_usage

_USAGE: Final = ("prompt_tokens", "completion_tokens", "cost_usd", "steps")
_BOUNDS: Final = tuple(f"{metric}_{bound}" for metric in METRICS for bound in ("low", "high", "missing"))
_JOB: Final = ("model", "framework", "dataset", "language", "difficulty", "sandbox", "judge")
_STEPS: Final = ("generate_s", "build_s", "record_s", "judge_s")

_SIZES: Final = ("loc", "files", "directories", "depth")

SCORE_COLUMNS: Final = (*_JOB, "tasks", "missing", *METRICS, *_USAGE, *_BOUNDS, "job")
TASK_COLUMNS: Final = (
    *_JOB,
    "task",
    "category",
    "outcome",
    "reason",
    "patterns",
    "cases",
    *METRICS,
    *_USAGE,
    *_BOUNDS,
    *_STEPS,
    *_SIZES,
    "oracle_loc",
    "job",
)


def scores_csv(jobs: Iterable[JobResult]) -> str:
    """The text of scores.csv."""
    return _csv(SCORE_COLUMNS, (_score_row(job) for job in jobs))


def tasks_csv(jobs: Iterable[JobResult]) -> str:
    """The text of tasks.csv."""
    return _csv(TASK_COLUMNS, (_task_row(job, task) for job in jobs for task in job.tasks))


def _score_row(job: JobResult) -> dict[str, Any]:
    return {
        **_of_job(job),
        "tasks": len(job.tasks),
        "missing": job.missing_tasks,
        **_scores(job.scores),
        **_usage(job.tasks),
    }


def _task_row(job: JobResult, task: TaskResult) -> dict[str, Any]:
    return {
        **_of_job(job),
        "language": task.language,
        "difficulty": task.difficulty,
        "task": task.task,
        "category": task.category,
        "outcome": task.outcome.value,
        "reason": " ".join(task.reason.split()),
        "patterns": len(task.patterns),
        "cases": task.cases,
        **_scores(task.scores),
        **_usage((task,)),
        **{f"{step}_s": _number(seconds) for step, seconds in task.durations.items() if f"{step}_s" in _STEPS},
        **{name: size for name, size in task.submission.items() if name in _SIZES},
        "oracle_loc": task.oracle.get("loc", ""),
    }


def _of_job(job: JobResult) -> dict[str, Any]:
    return {
        "model": job.model,
        "framework": labelled(job.framework, job.label),
        "dataset": job.dataset,
        "language": job.language,
        "difficulty": job.difficulty,
        "sandbox": job.sandbox,
        "judge": job.judge,
        "job": job.key,
    }


def _scores(scores: dict[str, Score]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for metric, score in scores.items():
        if metric not in METRICS:
            continue
        row[metric] = _number(score.value)
        if score.missing:
            row |= {f"{metric}_low": _number(score.low), f"{metric}_high": _number(score.high), f"{metric}_missing": score.missing}
    return row


def _usage(tasks: Sequence[TaskResult]) -> dict[str, Any]:
    return {name: _number(value) for name, value in total_usage(tasks).items() if name in _USAGE}


def _number(value: float | None) -> float | int | str:
    return "" if value is None else value if isinstance(value, int) else round(value, 6)


def _csv(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
