"""A sweep logs from several processes into one SQLite file, is killed in between and done again: MLflow must end with one run a job.

These tests use a real MLflow store and, for an address that does not answer, a real socket.
"""

from __future__ import annotations

import gzip
import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mlflow.entities import Run
from mlflow.tracking import MlflowClient

from clibench.digest import digest_json
from clibench.errors import TrackingError, UserError
from clibench.evaluation.stored import decode_verdicts
from clibench.outcome import Outcome
from clibench.results import JobResult
from clibench.store import Store
from clibench.tracking import mlflow_log
from clibench.tracking.mlflow_log import check_tracking, log_job
from clibench.tracking.settings import TrackingConfig, tracking_uri
from tests.synthetic import failed_build, make_job, missing_task

KEY = digest_json("job")
fork = multiprocessing.get_context("fork")
"""For stores that this process has not opened: a connection of SQLite must not be used after a fork."""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An outputs folder whose MLflow store has its tables. Making them takes seconds, so tests share it, each with a job of its own."""
    folder = tmp_path_factory.mktemp("outputs")
    MlflowClient(tracking_uri(TrackingConfig(), folder)).search_experiments()
    return folder


def _client(outputs: Path) -> MlflowClient:
    return MlflowClient(tracking_uri(TrackingConfig(), outputs))


def _runs(outputs: Path, **tags: str) -> list[Run]:
    client = _client(outputs)
    experiment = client.get_experiment_by_name("clibench")
    assert experiment is not None
    query = " and ".join(f"tags.`{name.replace('__', '.')}` = '{value}'" for name, value in tags.items())
    return list(client.search_runs([experiment.experiment_id], query))


def _log(job: JobResult, outputs: Path, **settings: Any) -> str:
    run = log_job(job, Store(outputs / "store"), TrackingConfig(**settings))
    assert run is not None
    return run


def test_a_job_is_a_run_with_a_nested_run_a_task(outputs: Path) -> None:
    job = make_job(outputs, KEY)
    run = _client(outputs).get_run(_log(job, outputs))
    assert run.info.run_name == "none · replay:careful · python"
    assert run.info.status == "FINISHED"
    assert run.data.metrics["exec"] == job.scores["exec"].value
    assert run.data.params["framework"] == "replay"
    assert run.data.params["model.api_key"] == "***"
    assert "sk-very-secret" not in str(run.to_dictionary())
    assert run.inputs is not None
    (dataset,) = run.inputs.dataset_inputs
    assert dataset.dataset.name == "sample"
    nested = {child.info.run_name: child for child in _runs(outputs, mlflow__parentRunId=run.info.run_id)}
    assert sorted(nested) == ["task0", "task1"]
    assert nested["task1"].data.metrics["sp"] == job.tasks[1].scores["sp"].value
    assert nested["task1"].data.params["framework"] == "replay"


def test_recordings_verdicts_build_log_and_trajectory_are_artifacts_under_outputs(outputs: Path, tmp_path: Path) -> None:
    job = make_job(outputs, digest_json("artifacts"), seed=50)
    run = _log(job, outputs)
    (child,) = [child for child in _runs(outputs, mlflow__parentRunId=run) if child.info.run_name == "task0"]
    client = _client(outputs)
    names = {file.path for file in client.list_artifacts(child.info.run_id)}
    assert names == {"recordings.jsonl.gz", "verdicts.jsonl.gz", "build.log", "trajectory.json", "cases.jsonl.gz"}
    verdicts = Path(client.download_artifacts(child.info.run_id, "verdicts.jsonl.gz", str(tmp_path)))
    assert len(decode_verdicts(gzip.decompress(verdicts.read_bytes()))) == job.tasks[0].cases
    assert child.info.artifact_uri is not None
    assert child.info.artifact_uri.startswith((outputs / "mlartifacts").as_uri())


def test_the_result_among_the_artifacts_holds_no_secret(outputs: Path) -> None:
    run = _client(outputs).get_run(_log(make_job(outputs, digest_json("secret")), outputs))
    folder = outputs / "mlartifacts" / run.info.run_id
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["result.json"]
    assert "sk-very-secret" not in next(folder.rglob("result.json")).read_text()


def test_logging_a_job_again_adds_no_run_and_brings_the_run_up_to_date(outputs: Path) -> None:
    key = digest_json("again")
    job = make_job(outputs, key)
    done = job.tasks
    partial = replace(job, tasks=(done[0], missing_task("task1")), missing_tasks=1)
    first = _log(partial, outputs)
    run = _client(outputs).get_run(first)
    assert run.info.status == "FAILED"
    assert run.data.metrics["tasks_missing"] == 1

    assert _log(job, outputs) == first
    assert _log(job, outputs) == first
    run = _client(outputs).get_run(first)
    assert run.info.status == "FINISHED"
    assert run.data.metrics["tasks_missing"] == 0
    assert len(_runs(outputs, clibench__job_key=key)) == 1
    nested = _runs(outputs, mlflow__parentRunId=first)
    assert sorted(child.info.run_name or "" for child in nested) == ["task0", "task1"]
    assert {child.data.tags["outcome"] for child in nested} == {Outcome.PASS.value}


def test_a_build_failure_counts_and_keeps_its_log(outputs: Path) -> None:
    job = make_job(outputs, digest_json("build failure"))
    job = replace(job, tasks=(failed_build(Store(outputs / "store"), "bad"),))
    (child,) = _runs(outputs, mlflow__parentRunId=_log(job, outputs))
    assert child.info.status == "FINISHED"
    assert child.data.tags["outcome"] == "build-fail"
    assert child.data.metrics["build"] == 0.0
    assert [file.path for file in _client(outputs).list_artifacts(child.info.run_id)] == ["build.log"]


def test_an_artifact_that_is_gone_from_the_store_is_left_out_with_a_warning(outputs: Path, caplog: pytest.LogCaptureFixture) -> None:
    job = make_job(outputs, digest_json("gone"), seed=900, tasks=1)
    next((outputs / "store").rglob(f"{job.tasks[0].refs['recordings']}*")).unlink()
    (child,) = _runs(outputs, mlflow__parentRunId=_log(job, outputs))
    assert "recordings.jsonl.gz is left out" in caplog.text
    assert "verdicts.jsonl.gz" in {file.path for file in _client(outputs).list_artifacts(child.info.run_id)}


def test_a_process_killed_while_it_logs_leaves_a_run_that_the_next_one_completes(outputs: Path, tmp_path: Path) -> None:
    shutil.copy(outputs / "mlflow.db", tmp_path)
    outputs = tmp_path
    jobs = {calls: make_job(outputs, digest_json(["killed", calls]), tasks=1) for calls in (1, 2, 3, 4, 6, 8, 10)}
    for calls, job in jobs.items():
        process = fork.Process(target=_log_and_die, args=(job, outputs, calls))
        process.start()
        process.join(120)
        assert process.exitcode == -signal.SIGKILL
    for job in jobs.values():
        run = _log(job, outputs)
        assert len(_runs(outputs, clibench__job_key=job.key)) == 1
        assert len(_runs(outputs, mlflow__parentRunId=run)) == 1
        assert _client(outputs).get_run(run).data.metrics["exec"] == job.scores["exec"].value


def test_processes_that_log_at_once_into_a_new_store_all_succeed(tmp_path: Path) -> None:
    """Each makes tables and experiment where they are not there: without the lock they destroy each other's migration."""
    jobs = [make_job(tmp_path, digest_json(n), seed=n, tasks=1) for n in range(4)]
    workers = [fork.Process(target=_log_all, args=([job, jobs[0]], tmp_path)) for job in jobs]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(240)
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert sorted(run.data.tags["clibench.job_key"] for run in _runs(tmp_path, clibench__kind="job")) == sorted(job.key for job in jobs)
    assert len(_runs(tmp_path, clibench__kind="task")) == 4


def test_a_server_that_does_not_answer_is_infra_and_the_job_is_logged_later(outputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    job = make_job(outputs, digest_json("later"))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can answer there
        uri = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(TrackingError, match="could not be logged.*results are safe.*run the same command again") as caught:
            _log(job, outputs, uri=uri)
        with pytest.raises(TrackingError, match="could not be logged"):
            check_tracking(TrackingConfig(uri=uri), outputs)
    check_tracking(TrackingConfig(), outputs)
    assert caught.value.exit_code == 3
    assert uri in caught.value.message
    assert _client(outputs).get_run(_log(job, outputs)).info.status == "FINISHED"


@pytest.mark.parametrize(("kind", "reason"), [("text", "not a database"), ("folder", "unable to open database file")])
def test_a_database_that_is_none_is_a_clear_error_before_mlflow_tries_for_minutes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, reason: str
) -> None:
    job = make_job(tmp_path, KEY, tasks=1)
    if kind == "text":
        (tmp_path / "mlflow.db").write_text("this is not a database " * 100)
    else:
        (tmp_path / "mlflow.db").mkdir()
    monkeypatch.setattr("mlflow.tracking.MlflowClient", None)
    with pytest.raises(TrackingError, match=f"{reason}.*results are safe"):
        _log(job, tmp_path)


def test_an_experiment_that_was_deleted_is_a_clear_error(outputs: Path) -> None:
    job = make_job(outputs, digest_json("deleted"), tasks=1)
    _log(job, outputs, experiment="other")
    client = _client(outputs)
    experiment = client.get_experiment_by_name("other")
    assert experiment is not None
    client.delete_experiment(experiment.experiment_id)
    with pytest.raises(UserError, match=r"'other' was deleted.*tracking\.experiment=NAME"):
        _log(job, outputs, experiment="other")


def test_tracking_can_be_off(tmp_path: Path) -> None:
    assert log_job(make_job(tmp_path, KEY), Store(tmp_path / "store"), TrackingConfig(enabled=False)) is None
    assert not (tmp_path / "mlflow.db").exists()


def test_the_module_is_imported_without_mlflow() -> None:
    code = "import sys, clibench.tracking.mlflow_log; sys.exit('mlflow' in sys.modules or 'pandas' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def _log_all(jobs: list[JobResult], outputs: Path) -> None:
    for job in jobs:
        _log(job, outputs)


def _log_and_die(job: JobResult, outputs: Path, calls: int) -> None:
    """Log, and be killed right after the n-th thing that was written."""
    left = calls

    def counted(client: MlflowClient) -> MlflowClient:
        for name in ("create_run", "log_batch", "log_inputs", "log_artifact", "set_tag", "set_terminated"):
            setattr(client, name, _dying(getattr(client, name)))
        return client

    def _dying(method: Any) -> Any:
        def call(*arguments: Any, **keywords: Any) -> Any:
            nonlocal left
            result = method(*arguments, **keywords)
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return call

    make = mlflow_log._client
    mlflow_log._client = lambda uri: counted(make(uri))
    _log(job, outputs)
