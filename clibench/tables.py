"""Tables on stdout."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from clibench.evaluation.verdict import METRICS
from clibench.results import JobResult, Score, labelled

_PLAIN_WIDTH = 240
"""Where stdout is no terminal: wide enough for every column, with intervals where something is missing."""


def console() -> Console:
    """stdout, wide where it is a file or a pipe."""
    made = Console(highlight=False)
    return made if made.is_terminal else Console(highlight=False, width=_PLAIN_WIDTH)


def score_table(jobs: Sequence[JobResult]) -> None:
    """A row a job: how it is called, its tasks, its scores."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("model", "framework", "dataset", "language", "difficulty", "sandbox", "judge"):
        table.add_column(column, no_wrap=True)
    for column in ("tasks", "missing", *METRICS):
        table.add_column(column, justify="right", no_wrap=True)
    for job in jobs:
        names = (job.model, labelled(job.framework, job.label), job.dataset, job.language, job.difficulty, job.sandbox, job.judge)
        scores = [shown(job.scores[metric]) for metric in METRICS]
        table.add_row(*map(_plain, names), str(len(job.tasks)), str(job.missing_tasks), *scores)
    console().print(table)


def shown(score: Score) -> str:
    """A value with three decimals; an interval where something is missing; a dash where nothing counts."""
    if score.missing and score.low is not None and score.high is not None:
        return f"{score.low:.3f}..{score.high:.3f}"
    return "-" if score.value is None else f"{score.value:.3f}"


def _plain(text: str) -> str:
    return text.replace("[", r"\[")
