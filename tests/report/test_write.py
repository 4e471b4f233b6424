"""The report shows what untrusted programs printed, in a browser with access to the reader's disk: nothing of it may run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from clibench.errors import OutputsError, StoreError
from clibench.evaluation.stored import encode_cases, encode_recordings
from clibench.evaluation.verdict import METRICS
from clibench.report import write_report
from clibench.result_files import write_job
from clibench.results import JobResult
from clibench.store import Store
from tests.synthetic import FIXTURE, failed_build, make_job, missing_task


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A report of two jobs, one with a failed build and a missing task."""
    make_job(tmp_path, "a" * 64, framework="gold", label="")
    job = make_job(tmp_path, "b" * 64, seed=5, patterns=3, cases=40)
    write_job(
        tmp_path, replace(job, tasks=(*job.tasks, failed_build(Store(tmp_path / "store"), "bad"), missing_task("gone")), missing_tasks=1)
    )
    write_report(tmp_path, tmp_path / "report")
    return tmp_path / "report"


def _index(report: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="index">(.*?)</script>', (report / "index.html").read_text(), re.DOTALL)
    assert found is not None
    index = json.loads(found.group(1))
    assert isinstance(index, dict)
    return index


def _body(report: Path, name: str) -> Any:
    script = (report / "cases" / f"{name}.js").read_text("ascii")
    found = re.fullmatch(r'clibench\("([^"]+)",(.*)\);\n', script)
    assert found is not None
    assert found.group(1) == name
    return json.loads(found.group(2))


def test_what_the_cases_are_worth_is_on_the_page_as_text(tmp_path: Path) -> None:
    make_job(tmp_path, "a" * 64)
    row = {"task": "task0", "state": "fresh", "mutants": [20, 15, 13, 12], "survivors": [["f:1", "a < b", "</script><b>"]], "more": 0}
    write_report(tmp_path, tmp_path / "report", [row])
    assert _index(tmp_path / "report")["quality"] == [row]
    assert "</script><b>" not in (tmp_path / "report" / "index.html").read_text()


def test_everything_is_there_and_the_page_names_no_other_place(report: Path) -> None:
    assert sorted(path.name for path in report.iterdir()) == ["cases", "cases.parquet", "index.html", "scores.csv", "tasks.csv"]
    page = (report / "index.html").read_text()
    assert not re.search(r"https?://|//[a-z]+\.", page), "no external resource"
    assert set(re.findall(r'(?:src|href)="([^"]*)"', page)) == {"#cases", "scores.csv", "tasks.csv", "cases.parquet"}


def test_every_failed_or_missing_case_is_listed_and_has_its_body(report: Path) -> None:
    index = _index(report)
    table = pyarrow.parquet.read_table(report / "cases.parquet").to_pylist()
    failed = [row for row in table if row["infra"] or any(row[metric] is False for metric in METRICS[1:])]
    assert len(table) == 2 * 20 + 2 * 120
    assert 10 < len(failed) == len(index["cases"]) < len(table) / 2
    for task, chunk, place, case, _, _ in index["cases"]:
        body = _body(report, f"{task}-{chunk}")
        assert body["cases"][place]["id"] == case
        assert body["cases"][place]["fixture"] in body["fixtures"]


def test_the_list_says_which_metrics_a_case_fails(report: Path) -> None:
    index = _index(report)
    table = pyarrow.parquet.read_table(report / "cases.parquet").to_pylist()
    rows = {(row["job"], row["task"], row["case"]): row for row in table}
    for task, _, _, case, mask, command in index["cases"]:
        of = index["tasks"][task]
        row = rows[index["jobs"][of["job"]]["key"], of["task"], case]
        assert [metric for bit, metric in enumerate(METRICS) if mask >> bit & 1] == [m for m in METRICS[1:] if row[m] is False]
        assert command.startswith("tool --level=")


def test_nothing_that_a_submission_printed_can_become_markup_or_code(report: Path) -> None:
    page = (report / "index.html").read_text()
    bodies = [path.read_text("ascii") for path in (report / "cases").iterdir()]
    assert any("pwned" in body for body in bodies), "the hostile output is not in this report"
    assert not any("<" in body or ">" in body or "&" in body for body in bodies)
    inert = page[page.index('id="index">') + len('id="index">') : page.rindex("</script>", 0, page.rindex("<script>"))]
    assert not set("<>&") & set(inert)
    script = page[page.rindex("<script>") + len("<script>") : page.rindex("</script>")]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|setAttribute\(\"on", script)


def test_the_content_policy_allows_the_page_s_own_script_and_no_other(report: Path) -> None:
    page = (report / "index.html").read_text()
    script = page[page.rindex("<script>") + len("<script>") : page.rindex("</script>")]
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy.group(1)
    assert f"script-src 'sha256-{own}' 'self' file:;" in policy.group(1)


def test_hostile_names_do_not_break_the_page(tmp_path: Path) -> None:
    hostile = "</script><script>alert(1)</script>%%SCRIPT%%"
    job = make_job(tmp_path, "c" * 64, model=hostile, label=hostile)
    write_job(tmp_path, replace(job, tasks=(replace(job.tasks[0], reason=hostile),)))
    write_report(tmp_path, tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text()
    assert "alert(1)</script>" not in page
    assert _index(tmp_path / "report")["jobs"][0]["model"] == hostile
    assert page.count("</script>") == 2


def test_a_failed_build_shows_the_end_of_its_log_and_no_case_twice(report: Path) -> None:
    index = _index(report)
    (number,) = [number for number, task in enumerate(index["tasks"]) if task["task"] == "bad"]
    log = _body(report, f"{number}-build")["log"]
    assert log.endswith("line 99 of the build\nerror: <b>no setup.py</b>")
    assert len(log.splitlines()) == 40
    assert not [row for row in index["cases"] if row[0] == number]


def test_cases_of_a_failed_build_fail_in_the_table_where_they_are_known(tmp_path: Path) -> None:
    job = make_job(tmp_path, "d" * 64, tasks=1)
    refs = {name: digest for name, digest in job.tasks[0].refs.items() if name in ("cases", "oracle_recordings")}
    bad = failed_build(Store(tmp_path / "store"), "bad")
    write_job(tmp_path, replace(job, tasks=(replace(bad, refs=bad.refs | refs),)))
    write_report(tmp_path, tmp_path / "report")
    rows = pyarrow.parquet.read_table(tmp_path / "report" / "cases.parquet").to_pylist()
    assert len(rows) == 20
    for row in rows:
        assert row["exec"] is (False if row["oracle_ok"] else None)
        assert row["reject"] is (None if row["oracle_ok"] else False)
    assert {row["oracle_ok"] for row in rows} == {True, False}


def test_bounds_are_in_the_index_where_something_is_missing(report: Path) -> None:
    task = next(task for task in _index(report)["tasks"] if task["task"] == "gone")
    assert task["scores"]["exec"] == [None, 0.0, 1.0, 20, 0]


def test_a_task_whose_blobs_are_lost_is_listed_with_the_reason(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    job = make_job(tmp_path, "e" * 64)
    next((tmp_path / "store").rglob(f"{job.tasks[0].refs['verdicts']}*")).unlink()
    write_report(tmp_path, tmp_path / "report")
    index = _index(tmp_path / "report")
    assert "missing from the store" in index["tasks"][0]["lost"]
    assert "lost" not in index["tasks"][1]
    assert {row[0] for row in index["cases"]} == {1}
    assert "shown without its cases" in caplog.text


def test_a_second_report_replaces_the_first_and_leaves_other_files(tmp_path: Path) -> None:
    destination = tmp_path / "report"
    job = make_job(tmp_path, "f" * 64, seed=3, patterns=3, cases=40)
    write_report(tmp_path, destination)
    (destination / "figure.png").write_bytes(b"png")
    first = (destination / "scores.csv").read_bytes()
    many = len(list((destination / "cases").iterdir()))
    write_report(tmp_path, destination)
    assert (destination / "scores.csv").read_bytes() == first
    write_job(tmp_path, replace(job, tasks=job.tasks[:1]))
    write_report(tmp_path, destination)
    assert len(list((destination / "cases").iterdir())) < many
    assert (destination / "figure.png").exists()


def test_no_result_is_an_empty_report(tmp_path: Path) -> None:
    write_report(tmp_path, tmp_path / "report")
    assert _index(tmp_path / "report")["jobs"] == []
    assert len((tmp_path / "report" / "scores.csv").read_text().splitlines()) == 1


def test_a_result_that_is_none_is_named(tmp_path: Path) -> None:
    make_job(tmp_path, "a" * 64)
    (tmp_path / "results" / "bad.json").write_text('{"key": 1}')
    with pytest.raises(StoreError, match=r"results/bad\.json: not a result of this version.*Move this file away"):
        write_report(tmp_path, tmp_path / "report")


def test_a_destination_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    make_job(tmp_path, "a" * 64)
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputsError, match="cannot be used"):
        write_report(tmp_path, tmp_path / "file" / "report")


def test_a_large_report_keeps_bodies_out_of_the_page(tmp_path: Path) -> None:
    """What is opened first must stay small when outputs are large: every body is in a file of its own chunk."""
    job: JobResult = make_job(tmp_path, "a" * 64, tasks=1, patterns=1, cases=40)
    write_report(tmp_path, tmp_path / "report")
    small = (tmp_path / "report" / "index.html").stat().st_size
    store = Store(tmp_path / "store")
    from clibench.evaluation.stored import decode_cases, decode_recordings
    from clibench.recording import Output, Recording

    task = job.tasks[0]
    recordings = decode_recordings(store.get(task.refs["recordings"]))
    large = {
        case: replace(recording, stdout=Output.of(b"a line of output\n" * 10_000)) if isinstance(recording, Recording) else recording
        for case, recording in recordings.items()
    }
    cases = decode_cases(store.get(task.refs["cases"])).cases
    refs = task.refs | {
        "recordings": store.put(encode_recordings(large)),
        "cases": store.put(encode_cases(cases, {FIXTURE.digest(): FIXTURE})),
    }
    write_job(tmp_path, replace(job, tasks=(replace(task, refs=refs),)))
    write_report(tmp_path, tmp_path / "report")
    assert (tmp_path / "report" / "index.html").stat().st_size == small
    assert all(path.stat().st_size < 500_000 for path in (tmp_path / "report" / "cases").iterdir())
