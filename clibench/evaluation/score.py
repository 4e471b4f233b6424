"""From verdicts to scores: pattern, task, job.

    P_m(c)        = mean of the indicator over the cases of the pattern that count
    Score_m(task) = unweighted mean of P_m(c) over the patterns that have such cases   (paper II-C4)
    job           = mean of Score_m(task) over tasks

For exec, sp, em, fm and sm those cases count whose oracle exits 0, for reject the others. A pattern without a case that counts is left out
of that metric (`left_out` names it). A failed build is zero everywhere, reject too: what does not install rejects nothing.

What could not be run (`infra`) or judged (an abstention) is missing: never a zero, never dropped. The value is then that of the rest, and
`low` and `high` say what it would be had everything missing failed or passed. In every `Score`, `n` counts the cases that count, missing
ones included (for build: submissions), on each level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from clibench.evaluation.verdict import METRICS, Verdict
from clibench.outcome import OUTCOMES
from clibench.results import PatternResult, Score, TaskResult
from clibench.tasks.task import Task

CASE_METRICS: Final = METRICS[1:]
"""All but build, which is asked of a submission and not of a case."""


@dataclass(frozen=True)
class _Tally:
    """Cases of one pattern that count for one metric."""

    passed: int
    failed: int
    missing: int

    def score(self) -> Score:
        n, known = self.passed + self.failed + self.missing, self.passed + self.failed
        if n == 0:
            return Score(None)
        value = self.passed / known if known else None
        return Score(value, self.passed / n, (self.passed + self.missing) / n, n, self.missing)


def score_task(task: Task, verdicts: Sequence[Verdict] | None, build_ok: bool | None) -> tuple[dict[str, Score], tuple[PatternResult, ...]]:
    """Scores of a task by metric (METRICS), and of each of its patterns by metric (without build).

    `build_ok` is False for a submission that does not install (all zero), None where the harness failed before that was known (all
    missing). `verdicts` is None where no case could be run: after a build that succeeded, all cases are then missing. Raises ValueError
    for verdicts that are not those of the task's cases.
    """
    if build_ok and verdicts is not None:
        answer = _answers(task, verdicts)
    elif build_ok is False:
        answer = _always(False)
    else:
        answer = _always(None)
    cases: dict[str, list[str]] = {pattern.id: [] for pattern in task.patterns}
    for case in task.cases:
        cases[case.pattern].append(case.id)
    patterns = tuple(_pattern(task, pattern, ids, answer) for pattern, ids in cases.items())
    built = Score(None, 0.0, 1.0, 1, 1) if build_ok is None else Score(float(build_ok), float(build_ok), float(build_ok), 1, 0)
    scores = {"build": built} | {metric: _mean(pattern.scores[metric] for pattern in patterns) for metric in CASE_METRICS}
    return scores, patterns


def score_job(tasks: Sequence[TaskResult]) -> dict[str, Score]:
    """Means over tasks, by metric. A task that is missing widens the bounds; one where nothing counts for a metric plays no part in it."""
    return {metric: _mean(_task_score(task, metric) for task in tasks) for metric in METRICS}


def missing_tasks(tasks: Iterable[TaskResult]) -> int:
    """Number of tasks without a result that counts."""
    return sum(not OUTCOMES[task.outcome].counts for task in tasks)


def left_out(patterns: Iterable[PatternResult]) -> dict[str, tuple[str, ...]]:
    """By metric, the patterns that have no case that counts for it; metrics without such patterns are not named."""
    rows = tuple(patterns)
    found = {metric: tuple(row.pattern for row in rows if row.scores[metric].n == 0) for metric in CASE_METRICS}
    return {metric: names for metric, names in found.items() if names}


_Answer = Callable[[str, str], bool | None]
"""From case id and metric to passed, failed or missing."""


def _answers(task: Task, verdicts: Sequence[Verdict]) -> _Answer:
    by_case = {verdict.case: verdict for verdict in verdicts}
    if by_case.keys() != {case.id for case in task.cases} or len(by_case) != len(verdicts):
        raise ValueError(f"the verdicts are not those of the cases of {task.id}")
    return lambda case, metric: by_case[case].passed(metric)


def _always(answer: bool | None) -> _Answer:
    return lambda _case, _metric: answer


def _pattern(task: Task, pattern: str, cases: list[str], answer: _Answer) -> PatternResult:
    oracle_ok = [case for case in cases if task.recordings[case].status.ok]
    failing = [case for case in cases if not task.recordings[case].status.ok]
    scores = {}
    for metric in CASE_METRICS:
        answers = [answer(case, metric) for case in (failing if metric == "reject" else oracle_ok)]
        scores[metric] = _Tally(answers.count(True), answers.count(False), answers.count(None)).score()
    return PatternResult(pattern, scores, len(cases))


def _task_score(task: TaskResult, metric: str) -> Score:
    """A task that ended before it could be scored at all is missing as a whole."""
    if metric in task.scores:
        return task.scores[metric]
    return Score(None) if OUTCOMES[task.outcome].counts else Score(None, 0.0, 1.0, task.cases, task.cases)


def _mean(scores: Iterable[Score]) -> Score:
    """Unweighted mean. What has no case that counts plays no part; what is missing altogether is in the bounds alone."""
    parts = [score for score in scores if score.n or score.missing or score.low is not None]
    if not parts:
        return Score(None)
    values = [score.value for score in parts if score.value is not None]
    lows = [score.low if score.low is not None else score.value or 0.0 for score in parts]
    highs = [score.high if score.high is not None else score.value if score.value is not None else 1.0 for score in parts]
    return Score(
        value=sum(values) / len(values) if values else None,
        low=sum(lows) / len(parts),
        high=sum(highs) / len(parts),
        n=sum(score.n for score in parts),
        missing=sum(score.missing for score in parts),
    )
