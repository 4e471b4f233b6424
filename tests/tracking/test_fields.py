"""Columns of different sweeps must compare, unknown must not become zero, and no key may leave the machine with a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from clibench.generation.framework import Usage
from clibench.results import Score
from clibench.tracking.fields import flatten, job_metrics, job_name, job_note, job_params, task_metrics
from tests.synthetic import failed_build, make_job, missing_task


def test_metrics_have_the_names_of_the_paper_and_bounds_only_where_something_is_missing(tmp_path: Path) -> None:
    job = replace(
        make_job(tmp_path, "k"),
        scores={"build": Score(1.0, n=9), "exec": Score(0.5, 0.25, 0.75, 6, 2), "reject": Score(None)},
    )
    metrics = job_metrics(job)
    assert {name: value for name, value in metrics.items() if name.split("_")[0] in ("build", "exec", "reject") and name != "build_s"} == {
        "build": 1.0,
        "exec": 0.5,
        "exec_low": 0.25,
        "exec_high": 0.75,
        "exec_missing": 2.0,
    }


def test_what_the_tasks_used_is_summed(tmp_path: Path) -> None:
    metrics = job_metrics(make_job(tmp_path, "k", tasks=3))
    assert metrics["prompt_tokens"] == 3000
    assert metrics["cost_usd"] == pytest.approx(0.75)
    assert metrics["steps"] == 9
    assert metrics["generate_s"] == pytest.approx(37.5)
    assert (metrics["tasks"], metrics["tasks_pass"], metrics["cases"]) == (3, 3, 60)


def test_a_total_with_an_unknown_part_is_unknown_and_not_a_smaller_number(tmp_path: Path) -> None:
    job = make_job(tmp_path, "k")
    job = replace(job, tasks=(job.tasks[0], replace(job.tasks[1], usage=Usage(steps=2, prompt_tokens=0))))
    metrics = job_metrics(job)
    assert "cost_usd" not in metrics
    assert metrics["prompt_tokens"] == 1000
    assert metrics["steps"] == 5


def test_outcomes_are_counted_by_name(tmp_path: Path) -> None:
    job = make_job(tmp_path, "k")
    from clibench.store import Store

    job = replace(job, tasks=(*job.tasks, failed_build(Store(tmp_path / "store"), "bad"), missing_task("gone")), missing_tasks=1)
    metrics = job_metrics(job)
    assert (metrics["tasks"], metrics["tasks_missing"]) == (4, 1)
    assert (metrics["tasks_pass"], metrics["tasks_build_fail"], metrics["tasks_infra"]) == (2, 1, 1)
    note = job_note(job)
    assert "| bad | build-fail | 0.000 |" in note
    assert "| gone | infra | – |" in note


def test_a_task_has_its_own_numbers(tmp_path: Path) -> None:
    task = make_job(tmp_path, "k").tasks[0]
    metrics = task_metrics(task)
    assert metrics["sp"] == task.scores["sp"].value
    assert (metrics["cases"], metrics["patterns"], metrics["submission_loc"], metrics["build_s"]) == (20, 2, 120, 3.0)


@pytest.mark.parametrize(
    ("label", "difficulty", "name"),
    [
        ("careful", "all", "none · replay:careful · python"),
        ("", "all", "none · replay · python"),
        ("", "hard", "none · replay · python · hard"),
    ],
)
def test_a_run_is_named_by_what_tells_jobs_apart(tmp_path: Path, label: str, difficulty: str, name: str) -> None:
    assert job_name(make_job(tmp_path, "k", label=label, difficulty=difficulty)) == name


def test_the_configuration_is_flattened_without_secrets() -> None:
    flat = flatten(
        {
            "model": {
                "name": "x",
                "api_key": "sk-1",
                "apikey": "sk-2",
                "max_tokens": 5,
                "api_key_env": "OPENAI_API_KEY",
                "extra": {"token": "t", "password": None},
            },
            "tracking": {"uri": "https://user:pass@host/path"},
            "ids": ["a", "b"],
            "a=b": True,
        }
    )
    assert flat == {
        "model.name": "x",
        "model.api_key": "***",
        "model.apikey": "***",
        "model.max_tokens": "5",
        "model.api_key_env": "OPENAI_API_KEY",
        "model.extra.token": "***",
        "model.extra.password": "None",
        "tracking.uri": "https://***@host/path",
        "ids": '["a", "b"]',
        "a_b": "True",
    }


def test_parameters_are_what_the_table_shows_and_the_configuration(tmp_path: Path) -> None:
    params = job_params(make_job(tmp_path, "k"))
    assert params["framework"] == "replay"
    assert params["label"] == "careful"
    assert params["sandbox.workers"] == "2"
    assert params["model.api_key"] == "***"
