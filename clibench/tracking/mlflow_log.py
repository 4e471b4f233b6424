"""Log a finished job to MLflow: one run, with a nested run a task.

MLflow is a view of the results, never their only home: everything logged here is read from the job's result and the store, so a job can
be logged again at any time. A run is found by its tag `clibench.job_key` and brought up to date, so that doing a job twice, or being
killed while logging, makes no second run. Processes of a sweep log one at a time (a lock under outputs/), as SQLite has one writer, and
two processes that create its tables at once destroy each other's migration.

MLflow is imported late (seconds), and told to keep quiet and to send nothing anywhere but to the tracking server.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clibench import __version__
from clibench.digest import digest_json
from clibench.errors import StoreError, TrackingError, UserError
from clibench.evaluation.verdict import METRICS
from clibench.outcome import OUTCOMES
from clibench.results import JobResult, TaskResult, job_to_json
from clibench.store import Store
from clibench.tracking.fields import ARTIFACTS, flatten, job_metrics, job_name, job_note, job_params, task_metrics, task_params
from clibench.tracking.settings import SCORES_VIEW, TrackingConfig, tracking_uri
from clibench.tracking.traces import log_trace, trace_of

if TYPE_CHECKING:
    from mlflow.entities import Run
    from mlflow.tracking import MlflowClient

_log = logging.getLogger(__name__)

JOB_KEY: Final = "clibench.job_key"
_TASK: Final = "clibench.task"
_KIND: Final = "clibench.kind"
_TRACE: Final = "clibench.trace"
"""Id of the trace that shows the run's model calls."""
_STATE: Final = "clibench.logged"
"""Digest of the result that a run shows; it is set last, so that a run without it is one whose logging was cut short."""

_ENVIRONMENT: Final = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_CONFIGURE_LOGGING": "false",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "3",  # seven, with back-off, would be four minutes of silence
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "60",
    "GIT_PYTHON_REFRESH": "quiet",
}
"""Set unless the user has set them."""


def log_job(job: JobResult, store: Store, config: TrackingConfig) -> str | None:
    """Make the run of `job` in MLflow, or bring it up to date, and return its id; None where tracking is off.

    The outputs folder is the one that `store` is in. Raises TrackingError where the store or server can't be reached: the result is on
    disk, and is logged by the next call.
    """
    if not config.enabled:
        return None
    outputs = store.root.parent
    uri = tracking_uri(config, outputs)
    with store.claim("tracking", "mlflow"), _explained(uri):
        client = _client(uri)
        experiment = _experiment(client, config, outputs)
        return _log_job(client, experiment, job, store)


def check_tracking(config: TrackingConfig, outputs: Path) -> None:
    """Ask the store or server whether it answers, making the local one where it is not there. Raises TrackingError where it does not."""
    uri = tracking_uri(config, outputs)
    with Store(outputs / "store").claim("tracking", "mlflow"), _explained(uri):
        _client(uri).search_experiments(max_results=1)


def _log_job(client: MlflowClient, experiment: str, job: JobResult, store: Store) -> str:
    state = digest_json({"job": job_to_json(job), "version": __version__})
    run = _find(client, experiment, {JOB_KEY: job.key, _KIND: "job"})
    if run is not None and run.data.tags.get(_STATE) == state:
        return _id(run)
    ended = int(time.time() * 1000)
    if run is None:
        tags = {JOB_KEY: job.key, _KIND: "job", "mlflow.runName": job_name(job), "mlflow.source.name": f"clibench {__version__}"}
        run = client.create_run(experiment, start_time=ended - _milliseconds(*job.tasks), tags=tags)
        _log_dataset(client, _id(run), job)
    known = {task.data.tags.get(_TASK, ""): task for task in _search(client, experiment, {"mlflow.parentRunId": _id(run)})}
    for task in job.tasks:
        _log_task(client, experiment, job, task, store, parent=_id(run), run=known.get(task.task))
    _log_values(client, run, job_params(job), job_metrics(job), ended)
    client.log_text(_id(run), json.dumps(job_to_json(replace(job, config=flatten(job.config))), indent=1), "result.json")
    client.set_tag(_id(run), "mlflow.note.content", job_note(job))
    client.set_terminated(_id(run), "FAILED" if job.missing_tasks else "FINISHED", end_time=ended)
    client.set_tag(_id(run), _STATE, state)
    return _id(run)


def _log_task(
    client: MlflowClient, experiment: str, job: JobResult, task: TaskResult, store: Store, *, parent: str, run: Run | None
) -> None:
    state = digest_json({"task": asdict(task), "version": __version__})
    if run is not None and run.data.tags.get(_STATE) == state:
        return
    ended = int(time.time() * 1000)
    if run is None:
        tags = {_TASK: task.task, _KIND: "task", "mlflow.parentRunId": parent, "mlflow.runName": task.task}
        run = client.create_run(experiment, start_time=ended - _milliseconds(task), tags=tags)
    _log_values(client, run, task_params(job, task), task_metrics(task), ended)
    for name, file in ARTIFACTS.items():
        if name in task.refs:
            _log_blob(client, _id(run), store, task.refs[name], file)
    if "trajectory" in task.refs:
        _log_calls(client, experiment, run, store, task.refs["trajectory"])
    client.set_tag(_id(run), "outcome", task.outcome.value)
    client.set_tag(_id(run), "mlflow.note.content", task.reason)
    client.set_terminated(_id(run), "FINISHED" if OUTCOMES[task.outcome].counts else "FAILED", end_time=ended)
    client.set_tag(_id(run), _STATE, state)


def _log_calls(client: MlflowClient, experiment: str, run: Run, store: Store, digest: str) -> None:
    """Show the model calls of a trajectory as a trace of the run; one of an earlier trajectory goes."""
    try:
        trace = trace_of(json.loads(store.get(digest)), _id(run))
    except (StoreError, ValueError) as error:
        _log.warning("the trace of the model's calls is left out: %s", error)
        return
    earlier = run.data.tags.get(_TRACE)
    if trace is None or earlier == f"tr-{trace.id}":
        return
    made = log_trace(client, experiment, _id(run), trace)
    if earlier:
        client.delete_traces(experiment, trace_ids=[earlier])
    client.set_tag(_id(run), _TRACE, made)


def _log_values(client: MlflowClient, run: Run, params: Mapping[str, str], metrics: Mapping[str, float], now: int) -> None:
    """Log what changed. A parameter can't change in MLflow; one that differs can't have changed the result, and stays as it was."""
    from mlflow.entities import Metric, Param

    new = [Param(name, value) for name, value in params.items() if name not in run.data.params]
    changed = [Metric(name, value, now, 0) for name, value in metrics.items() if run.data.metrics.get(name) != value]
    client.log_batch(_id(run), metrics=changed)
    for start in range(0, len(new), 100):  # the server's limit of parameters a call
        client.log_batch(_id(run), params=new[start : start + 100])


def _log_dataset(client: MlflowClient, run: str, job: JobResult) -> None:
    """Log the dataset as the run's input: its name, and a digest of its tasks and their cases."""
    from mlflow.entities import Dataset, DatasetInput, InputTag

    content = sorted([task.task, task.refs.get("cases", "")] for task in job.tasks)
    dataset = Dataset(
        name=job.dataset,
        digest=digest_json(content)[:16],
        source_type="local",
        source=json.dumps({"uri": f"clibench:{job.dataset}"}),
        profile=json.dumps({"tasks": len(job.tasks), "cases": sum(task.cases for task in job.tasks)}),
    )
    client.log_inputs(run, [DatasetInput(dataset, [InputTag("mlflow.data.context", "evaluation")])])


def _log_blob(client: MlflowClient, run: str, store: Store, digest: str, file: str) -> None:
    try:
        data = store.get(digest)
    except StoreError as error:
        _log.warning("artifact %s is left out: %s", file, error)
        return
    with store.scratch("artifact") as folder:
        path = folder / file
        path.write_bytes(gzip.compress(data, 6, mtime=0) if file.endswith(".gz") else data)
        client.log_artifact(run, str(path))


def _experiment(client: MlflowClient, config: TrackingConfig, outputs: Path) -> str:
    found = client.get_experiment_by_name(config.experiment)
    view = json.dumps(_SCORES_VIEW)
    if found is not None and found.lifecycle_stage != "active":
        raise UserError(
            f"the MLflow experiment '{config.experiment}' was deleted",
            fix="Restore it in MLflow, or choose another: tracking.experiment=NAME.",
        )
    if found is not None:
        if found.tags.get(_SCORES_TAG) != view:
            client.set_experiment_tag(found.experiment_id, _SCORES_TAG, view)
        return str(found.experiment_id)
    # A server keeps artifacts where it was told to; beside our own SQLite file we say where.
    location = None if config.uri else (outputs.absolute() / "mlartifacts").as_uri()
    tags = {"mlflow.experimentKind": "custom_model_development", "mlflow.note.content": _EXPERIMENT_NOTE, _SCORES_TAG: view}
    return str(client.create_experiment(config.experiment, artifact_location=location, tags=tags))


_SCORES_TAG: Final = f"mlflow.sharedViewState.{SCORES_VIEW}"
_SCORES_VIEW: Final = {
    "selectedColumns": [f"params.`{name}`" for name in ("model", "framework", "label", "language", "difficulty")]
    + [f"metrics.`{name}`" for name in (*METRICS, "tasks", "tasks_missing", "cost_usd")]
}
"""MLflow's page shows no metric until its columns are chosen; this is the choice, kept where its own `Share` button keeps one."""

_EXPERIMENT_NOTE: Final = (
    "clibench: a run is one job (model x framework x language x difficulty); its nested runs are the tasks.\n\n"
    f"Metrics, in [0, 1], macro-averaged over patterns, then tasks: {', '.join(METRICS)}.\n"
    "exec: exits 0 where the oracle does; sp: and leaves the same side effects; em, fm, sm: and prints the same text, exactly, nearly, in "
    "meaning; reject: fails where the oracle fails. Where something is missing, *_low and *_high bound the score."
)


def _find(client: MlflowClient, experiment: str, tags: Mapping[str, str]) -> Run | None:
    found = _search(client, experiment, tags)
    return found[0] if found else None


def _search(client: MlflowClient, experiment: str, tags: Mapping[str, str]) -> list[Run]:
    query = " and ".join(f"tags.`{name}` = '{value}'" for name, value in tags.items())
    runs: list[Run] = []
    token: str | None = None
    while True:
        page = client.search_runs([experiment], query, max_results=1000, order_by=["attributes.start_time ASC"], page_token=token)
        runs += page
        token = page.token
        if not token:
            return runs


def quieten_mlflow() -> None:
    """To be called before the first import of mlflow: no telemetry, no progress bars, no log lines of migrations, no minutes of retries."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    for logger in ("mlflow", "alembic"):
        logging.getLogger(logger).setLevel(logging.WARNING)


def _client(uri: str) -> MlflowClient:
    _open_file(uri)
    quieten_mlflow()
    from mlflow.tracking import MlflowClient

    return MlflowClient(uri, registry_uri=uri)


def _open_file(uri: str) -> None:
    """Open a local SQLite store once, for what is wrong with it: MLflow tries again and again, for minutes. Raises sqlite3.Error."""
    kind, _, path = uri.partition(":///")
    if kind == "sqlite" and path and not path.startswith(":memory:") and "?" not in path:
        with closing(sqlite3.connect(path, timeout=60)) as connection:
            connection.execute("PRAGMA schema_version")


@contextmanager
def _explained(uri: str) -> Iterator[None]:
    """Turn whatever MLflow, its HTTP client or its database raise into an error that says that nothing is lost."""
    try:
        yield
    except Exception as error:
        from mlflow.exceptions import MlflowException
        from requests import RequestException
        from sqlalchemy.exc import SQLAlchemyError

        if not isinstance(error, (MlflowException, RequestException, SQLAlchemyError, sqlite3.Error, OSError)):
            raise
        reason = str(error).strip().splitlines()[0][:300]
        raise TrackingError(
            f"could not be logged: {reason}",
            where=f"MLflow at {uri}",
            fix="The results are safe in outputs/results: run the same command again once it answers, or use tracking.enabled=false.",
        ) from error


def _milliseconds(*tasks: TaskResult) -> int:
    """Time that the steps of these tasks took. MLflow shows a run's duration; the one of logging would tell nothing."""
    return int(sum(sum(task.durations.values()) for task in tasks) * 1000)


def _id(run: Run) -> str:
    return str(run.info.run_id)
