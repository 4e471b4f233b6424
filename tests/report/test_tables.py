"""Analysis and readers trust these tables: their columns are a contract, and an empty cell must mean unknown."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

from clibench.report.tables import scores_csv, tasks_csv
from clibench.results import JobResult, Score
from tests.synthetic import make_job, missing_task

CONTRACT = (
    "model,framework,dataset,language,difficulty,sandbox,judge,tasks,missing,build,exec,sp,em,fm,sm,reject,"
    "prompt_tokens,completion_tokens,cost_usd,steps"
)


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def _job(tmp_path: Path) -> JobResult:
    job = make_job(tmp_path, "k1")
    return replace(
        job,
        tasks=(*job.tasks, replace(missing_task("gone"), reason="the daemon\nstopped, early")),
        missing_tasks=1,
        scores=job.scores | {"exec": Score(2 / 3, 0.5, 0.75, 30, 10), "reject": Score(None), "build": Score(1.0, n=3)},
    )


def test_the_columns_of_the_contract_come_first_and_in_order(tmp_path: Path) -> None:
    assert scores_csv([_job(tmp_path)]).startswith(CONTRACT + ",")


def test_a_row_a_job_with_bounds_only_where_something_is_missing(tmp_path: Path) -> None:
    (row,) = _rows(scores_csv([_job(tmp_path)]))
    assert (row["framework"], row["tasks"], row["missing"]) == ("replay:careful", "3", "1")
    assert (row["exec"], row["exec_low"], row["exec_high"], row["exec_missing"]) == ("0.666667", "0.5", "0.75", "10")
    assert (row["build"], row["build_low"]) == ("1.0", "")
    assert row["reject"] == ""


def test_what_is_unknown_of_one_task_is_unknown_of_the_job_and_never_zero(tmp_path: Path) -> None:
    job = _job(tmp_path)
    (row,) = _rows(scores_csv([job]))
    assert (row["cost_usd"], row["prompt_tokens"], row["steps"]) == ("", "", "")
    (row,) = _rows(scores_csv([replace(job, tasks=job.tasks[:2])]))
    assert (row["cost_usd"], row["prompt_tokens"], row["completion_tokens"], row["steps"]) == ("0.5", "2000", "400", "6")


def test_a_row_a_task_and_job(tmp_path: Path) -> None:
    job = _job(tmp_path)
    rows = _rows(tasks_csv([job, make_job(tmp_path, "k2", label="")]))
    assert [(row["framework"], row["task"]) for row in rows] == [
        ("replay:careful", "task0"),
        ("replay:careful", "task1"),
        ("replay:careful", "gone"),
        ("replay", "task0"),
        ("replay", "task1"),
    ]
    assert (rows[2]["outcome"], rows[2]["reason"], rows[2]["exec"], rows[2]["exec_high"]) == (
        "infra",
        "the daemon stopped, early",
        "",
        "1.0",
    )
    assert float(rows[0]["sp"]) == round(job.tasks[0].scores["sp"].value or 0, 6)
    assert (rows[0]["files"], rows[0]["directories"], rows[0]["oracle_loc"]) == ("3", "", "")
    assert (rows[0]["difficulty"], rows[0]["loc"], rows[0]["build_s"], rows[0]["cost_usd"]) == ("easy", "120", "3.0", "0.25")
