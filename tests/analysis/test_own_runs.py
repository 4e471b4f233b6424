"""One's own runs give the same tables through the report and through MLflow, and nothing of them is mixed or lost on the way."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis import app, mlflow_runs, outputs
from analysis.settings import AnalysisConfig, Compare, Source
from clibench.errors import UserError
from clibench.report.write import write_report
from clibench.result_files import write_job
from clibench.results import JobResult
from clibench.store import Store
from clibench.tracking.mlflow_log import log_job
from clibench.tracking.settings import TrackingConfig
from tests.synthetic import failed_build, make_job, missing_task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three jobs over four tasks; of one a task did not build, of another a task is missing."""
    made = tmp_path_factory.mktemp("outputs")
    careful = make_job(made, "a" * 64, seed=1, tasks=4, label="careful")
    careless = make_job(made, "b" * 64, seed=50, tasks=4, label="careless")
    third = make_job(made, "c" * 64, seed=90, tasks=4, label="", framework="gold")
    store = Store(made / "store")
    careless = replace(careless, tasks=(*careless.tasks[:3], failed_build(store, "task3")))
    third = replace(third, tasks=(missing_task("task0"), *third.tasks[1:]), missing_tasks=1)
    for job in (careless, third):
        write_job(made, job)
    for job in (careful, careless, third):
        log_job(job, store, TrackingConfig())
    write_report(made, made / "report")
    return made


SUFFIXES = (".csv", ".md", ".tex")


def tables(settings: AnalysisConfig) -> dict[str, bytes]:
    out = app.run(settings)
    return {path.name: path.read_bytes() for path in sorted(out.iterdir()) if path.suffix in SUFFIXES and path.stem != "summary"}


def test_outputs_and_mlflow_give_equal_tables(folder: Path, tmp_path: Path) -> None:
    made = {
        source: tables(AnalysisConfig(results=source, input=where, out=str(tmp_path / source.value), resamples=500, figures=False))
        for source, where in ((Source.outputs, str(folder)), (Source.mlflow, str(folder)))
    }
    assert {"table2_overall.csv", "significance.csv", "failure_stages.csv", "failure_examples.csv"} <= set(made[Source.outputs])
    differing = [name for name, body in made[Source.outputs].items() if made[Source.mlflow].get(name) != body]
    assert differing == []
    assert set(made[Source.outputs]) == set(made[Source.mlflow])


def test_the_scores_are_those_of_the_jobs(folder: Path) -> None:
    frame = outputs.read(folder)
    assert frame.configurations == [("none", "gold"), ("none", "replay:careful"), ("none", "replay:careless")]
    runs: Any = frame.runs.set_index(["framework", "task"])
    assert runs.loc[("replay:careless", "task3"), ["build", "exec", "sm"]].tolist() == [0.0, 0.0, 0.0]
    assert runs.loc[("gold", "task0"), ["build", "exec", "sm"]].isna().all()
    assert frame.judge == "rules"
    assert any("1 runs have no score" in note for note in frame.notes)


def test_a_submission_that_did_not_build_fails_every_case_and_a_missing_task_is_missing(folder: Path) -> None:
    verdicts = outputs.read(folder).verdicts
    assert verdicts is not None
    place = {name: index for index, name in enumerate(verdicts.configurations)}
    of_task = {name: verdicts.passed[verdicts.task_of == index] for index, name in enumerate(verdicts.tasks)}
    assert (of_task["task3"][:, place["none", "replay:careless"]] == 0).all()
    assert pd.isna(of_task["task0"][:, place["none", "gold"]]).all()
    assert not pd.isna(of_task["task0"][:, place["none", "replay:careful"]]).all()


def test_examples_of_failure_show_what_was_run_and_what_came_out(folder: Path, tmp_path: Path) -> None:
    app.run(AnalysisConfig(results=Source.outputs, input=str(folder), out=str(tmp_path), resamples=500, figures=False), ("failures",))
    shown = pd.read_csv(tmp_path / "failure_examples.csv", keep_default_na=False)
    build = shown[shown["stage"] == "no build"].iloc[0]
    assert "no setup.py" in build["actual"]


def test_jobs_of_two_judges_are_not_mixed(folder: Path, tmp_path: Path) -> None:
    job = make_job(tmp_path, "d" * 64, judge="rules")
    make_job(tmp_path, "e" * 64, judge="llm")
    write_report(tmp_path, tmp_path / "report")
    with pytest.raises(UserError, match=r"jobs of 2 judges \(llm, rules\).*judge=NAME"):
        outputs.read(tmp_path)
    assert len(outputs.read(tmp_path, judge="llm").runs) == len(job.tasks)
    with pytest.raises(UserError, match="no jobs of judge 'ruls'. Did you mean 'rules'"):
        outputs.read(tmp_path, judge="ruls")


def test_the_same_runs_in_two_sandboxes_need_a_choice(tmp_path: Path) -> None:
    make_job(tmp_path, "d" * 64, sandbox="docker/overlay")
    make_job(tmp_path, "e" * 64, sandbox="local/overlay")
    write_report(tmp_path, tmp_path / "report")
    with pytest.raises(UserError, match="the same runs in 2 sandboxes"):
        outputs.read(tmp_path)
    assert len(outputs.read(tmp_path, sandbox="local/overlay").runs) == 2


def test_a_folder_without_a_report_or_a_store_without_runs_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such folder"):
        outputs.read(tmp_path / "nothing")
    with pytest.raises(UserError, match="no report of results"):
        outputs.read(tmp_path)
    with pytest.raises(UserError, match="no such MLflow store"):
        mlflow_runs.read(f"sqlite:///{tmp_path / 'mlflow.db'}")
    assert not (tmp_path / "mlflow.db").exists()


def test_a_model_and_a_framework_may_be_called_none_and_null(tmp_path: Path) -> None:
    make_job(tmp_path, "d" * 64, model="none", framework="null", label="")
    write_report(tmp_path, tmp_path / "report")
    assert outputs.read(tmp_path).configurations == [("none", "null")]


def test_the_users_numbers_stand_beside_the_papers(tmp_path: Path) -> None:
    job: JobResult = make_job(tmp_path, "d" * 64, model="openai/GPT-5.4", framework="mini_swe_agent", label="")
    write_report(tmp_path, tmp_path / "report")
    settings = AnalysisConfig(
        results=Source.outputs, input=str(tmp_path), out=str(tmp_path / "out"), compare=Compare.published, figures=False, resamples=500
    )
    app.run(settings)
    table: Any = pd.read_csv(tmp_path / "out" / "compare.csv").set_index(["what", "metric"])
    row = table.loc[("openai/GPT-5.4 / mini_swe_agent", "sm")]
    assert row["published"] == 31.82
    assert row["here"] == pytest.approx(100 * float(job.scores["sm"].value or 0), abs=0.006)
    assert row["difference"] == pytest.approx(row["here"] - row["published"], abs=0.011)
    assert "0 of 2 tasks are also in the published results" in (tmp_path / "out" / "summary.md").read_text()


def test_the_summary_of_one_task_that_nobody_delivered_has_no_hole(tmp_path: Path) -> None:
    for key, framework in (("d", "gold"), ("e", "null")):
        job = make_job(tmp_path, key * 64, framework=framework, label="", tasks=1)
        write_job(tmp_path, replace(job, tasks=(replace(job.tasks[0], submission={"files": 0}),)))
    write_report(tmp_path, tmp_path / "report")
    out = app.run(AnalysisConfig(results=Source.outputs, input=str(tmp_path), out=str(tmp_path / "out"), resamples=200, figures=False))
    summary = (out / "summary.md").read_text()
    assert "Of 2 submissions 2 hold no file." in summary
    assert not re.search(r"nan|\binf\b|  (points|files|%)|mean ,|got ``", summary)
