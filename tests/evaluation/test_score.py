"""Scores: the macro-average of the paper, and what is missing."""

from __future__ import annotations

import pytest

from clibench.evaluation.judge import judge_task
from clibench.evaluation.params import CompareParams
from clibench.evaluation.score import CASE_METRICS, left_out, missing_tasks, score_job, score_task
from clibench.evaluation.semantic_rules import RulesJudge
from clibench.evaluation.verdict import Check, Verdict
from clibench.outcome import Outcome
from clibench.recording import Recording
from clibench.results import Score, TaskResult
from clibench.sandbox.interface import TrialFault
from clibench.tasks.task import Task

from .samples import make_task, ran


def judged(task: Task, actual: dict[str, Recording | TrialFault]) -> list[Verdict]:
    return judge_task(task, actual, CompareParams(), RulesJudge())


def shown(score: Score) -> tuple[float | None, float | None, float | None, int, int]:
    """Value, low, high to six digits, n and missing."""
    value, low, high = (None if number is None else round(number, 6) for number in (score.value, score.low, score.high))
    return value, low, high, score.n, score.missing


def result(scores: dict[str, Score], outcome: Outcome = Outcome.PASS, cases: int = 2) -> TaskResult:
    return TaskResult("t", "python", "easy", "Testing", outcome, "", scores, cases=cases)


def test_a_task_is_the_unweighted_mean_of_its_patterns_not_of_its_cases() -> None:
    task = make_task({"a/01": ran(b"x"), "b/01": ran(b"x"), "b/02": ran(b"x"), "b/03": ran(b"x")})
    scores, patterns = score_task(task, judged(task, {"a/01": ran(b"x"), "b/01": ran(b"y"), "b/02": ran(b"y"), "b/03": ran(b"x")}), True)
    assert [pattern.scores["em"].value for pattern in patterns] == [1.0, pytest.approx(1 / 3)]
    assert shown(scores["em"]) == (0.666667, 0.666667, 0.666667, 4, 0)
    assert scores["exec"].value == 1.0
    assert scores["build"] == Score(1.0, 1.0, 1.0, 1, 0)


def test_failing_oracles_count_for_reject_alone() -> None:
    task = make_task({"a/01": ran(b"x"), "a/02": ran(code=1), "a/03": ran(code=1)})
    scores, _ = score_task(task, judged(task, {"a/01": ran(b"x"), "a/02": ran(code=3), "a/03": ran()}), True)
    assert (scores["exec"].value, scores["exec"].n) == (1.0, 1)
    assert (scores["reject"].value, scores["reject"].n) == (0.5, 2)


def test_a_pattern_without_a_case_that_counts_is_left_out_and_named() -> None:
    task = make_task({"a/01": ran(b"x"), "b/01": ran(code=1)})
    scores, patterns = score_task(task, judged(task, {"a/01": ran(b"x"), "b/01": ran(code=1)}), True)
    assert scores["em"] == Score(1.0, 1.0, 1.0, 1, 0)
    assert patterns[1].scores["em"] == Score(None)
    assert left_out(patterns) == {**dict.fromkeys(("exec", "sp", "em", "fm", "sm"), ("b",)), "reject": ("a",)}


def test_a_failed_build_is_zero_everywhere_reject_too() -> None:
    task = make_task({"a/01": ran(b"x"), "a/02": ran(code=1)})
    scores, _ = score_task(task, None, False)
    assert {metric: scores[metric].value for metric in ("build", *CASE_METRICS)} == dict.fromkeys(("build", *CASE_METRICS), 0.0)
    assert scores["exec"] == Score(0.0, 0.0, 0.0, 1, 0)


def test_a_failed_build_says_nothing_about_metrics_without_cases() -> None:
    scores, _ = score_task(make_task({"a/01": ran(b"x")}), None, False)
    assert scores["reject"] == Score(None)


def test_an_infra_case_is_missing_with_bounds_and_never_a_zero() -> None:
    task = make_task({f"a/0{number}": ran(b"x") for number in range(1, 5)})
    actual: dict[str, Recording | TrialFault] = {"a/01": ran(b"x"), "a/02": ran(b"x"), "a/03": ran(b"!"), "a/04": TrialFault("gone")}
    scores, _ = score_task(task, judged(task, actual), True)
    assert shown(scores["em"]) == (0.666667, 0.5, 0.75, 4, 1)
    assert scores["exec"] == Score(1.0, 0.75, 1.0, 4, 1)


def test_an_abstention_is_missing_in_sm_alone() -> None:
    task = make_task({"a/01": ran(b"x"), "a/02": ran(b"x")})
    verdicts = judged(task, {"a/01": ran(b"x"), "a/02": ran(b"y")})
    verdicts[1].checks["sm"] = Check(None, "abstained")
    scores, _ = score_task(task, verdicts, True)
    assert scores["sm"] == Score(1.0, 0.5, 1.0, 2, 1)
    assert scores["em"] == Score(0.5, 0.5, 0.5, 2, 0)


def test_a_task_that_could_not_be_run_is_missing_as_a_whole() -> None:
    task = make_task({"a/01": ran(b"x"), "a/02": ran(b"x"), "b/01": ran(b"x")})
    scores, _ = score_task(task, None, None)
    assert scores["build"] == Score(None, 0.0, 1.0, 1, 1)
    assert scores["sm"] == Score(None, 0.0, 1.0, 3, 3)
    built, _ = score_task(task, None, True)
    assert built["build"].value == 1.0
    assert built["exec"] == Score(None, 0.0, 1.0, 3, 3)


def test_a_pattern_that_is_missing_altogether_widens_the_bounds_of_its_task() -> None:
    task = make_task({"a/01": ran(b"x"), "b/01": ran(b"x")})
    scores, _ = score_task(task, judged(task, {"a/01": ran(b"x"), "b/01": TrialFault("gone")}), True)
    assert scores["em"] == Score(1.0, 0.5, 1.0, 2, 1)


def test_a_job_is_the_mean_of_its_tasks_and_a_missing_task_is_in_the_bounds() -> None:
    one = result({"em": Score(1.0, 1.0, 1.0, 2, 0)})
    two = result({"em": Score(0.5, 0.25, 0.75, 4, 2)})
    lost = result({}, Outcome.INFRA, cases=10)
    job = score_job([one, two, lost])
    assert shown(job["em"]) == (0.75, 0.416667, 0.916667, 16, 12)
    assert missing_tasks([one, two, lost]) == 1


def test_a_task_without_failing_oracles_plays_no_part_in_a_jobs_reject() -> None:
    job = score_job([result({"reject": Score(None)}), result({"reject": Score(0.5, 0.5, 0.5, 2, 0)})])
    assert job["reject"] == Score(0.5, 0.5, 0.5, 2, 0)


def test_verdicts_of_another_task_are_refused() -> None:
    task = make_task({"a/01": ran(b"x")})
    with pytest.raises(ValueError, match="not those of the cases"):
        score_task(task, [], True)
