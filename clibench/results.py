"""Results of a job: what scoring writes, and MLflow, report and analysis read.

Everything here is plain named metrics and counts, so that another suite (projects, web) can fill the same frame.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from clibench.generation.framework import Usage
from clibench.outcome import Outcome


@dataclass(frozen=True)
class Score:
    """One metric's value, with what it rests on."""

    value: float | None
    """Macro-average in [0, 1] over what is not missing; None where nothing counts (no failing oracle, for `reject`)."""
    low: float | None = None
    """What it would be if everything missing had failed."""
    high: float | None = None
    """What it would be if everything missing had passed."""
    n: int = 0
    """Denominator: cases that count."""
    missing: int = 0
    """Cases that would count and could not be run or judged."""


@dataclass(frozen=True)
class PatternResult:
    """Scores of one command pattern, P_m(c)."""

    pattern: str
    scores: dict[str, Score]
    cases: int


@dataclass(frozen=True)
class TaskResult:
    """One task of a job."""

    task: str
    language: str
    difficulty: str
    category: str
    outcome: Outcome
    reason: str
    scores: dict[str, Score]
    """By metric (METRICS); Score_m(task)."""
    patterns: tuple[PatternResult, ...] = ()
    cases: int = 0
    usage: Usage = field(default_factory=Usage)
    submission: dict[str, int] = field(default_factory=dict)
    """Size of what was delivered: files, directories, depth, loc."""
    durations: dict[str, float] = field(default_factory=dict)
    """Seconds, by step: generate, build, record, judge."""
    refs: dict[str, str] = field(default_factory=dict)
    """Digests in the store: submission, build_log, recordings, verdicts, trajectory, cases."""
    oracle: dict[str, int] = field(default_factory=dict)
    """Size of the oracle, as far as it was measured: loc."""


def labelled(framework: str, label: str | None) -> str:
    """What a framework is called wherever jobs are shown: what sets jobs of one framework apart is part of its name."""
    return f"{framework}:{label}" if label else framework


@dataclass(frozen=True)
class JobResult:
    """One point of the sweep on one dataset."""

    key: str
    model: str
    framework: str
    dataset: str
    language: str
    difficulty: str
    sandbox: str
    """Back end and isolation, for example docker/overlay."""
    judge: str
    tasks: tuple[TaskResult, ...]
    scores: dict[str, Score]
    """Means over tasks."""
    missing_tasks: int = 0
    label: str = ""
    """Set apart jobs of one framework (for `replay`, the name of the submission set)."""
    config: dict[str, Any] = field(default_factory=dict)
    """The composed configuration, without secrets."""


def job_to_json(job: JobResult) -> dict[str, Any]:
    """JSON form of a job's result."""
    return asdict(job)


def job_from_json(body: dict[str, Any]) -> JobResult:
    """Inverse of `job_to_json`; raises KeyError, TypeError or ValueError for a body that is not one."""
    return JobResult(**{**body, "tasks": tuple(_task_from_json(task) for task in body["tasks"]), "scores": _scores(body["scores"])})


def _scores(body: dict[str, Any]) -> dict[str, Score]:
    return {name: Score(**score) for name, score in body.items()}


def _task_from_json(body: dict[str, Any]) -> TaskResult:
    patterns = tuple(PatternResult(row["pattern"], _scores(row["scores"]), row["cases"]) for row in body["patterns"])
    return TaskResult(
        **{
            **body,
            "outcome": Outcome(body["outcome"]),
            "scores": _scores(body["scores"]),
            "patterns": patterns,
            "usage": Usage(**body["usage"]),
        }
    )
