"""Read one's own runs from an MLflow tracking server or store: the nested run of each task, and its verdicts, as clibench logs them."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from analysis import evidence
from analysis.evidence import Run
from analysis.frame import Frame
from analysis.own_runs import JOB, SIZES, to_frame
from clibench.errors import TrackingError, UserError, did_you_mean
from clibench.results import labelled
from clibench.tracking.fields import ARTIFACTS

if TYPE_CHECKING:
    from mlflow.entities import Run as MlflowRun
    from mlflow.tracking import MlflowClient

DEFAULT: Final = Path("outputs/mlflow.db")
_DESCRIPTION: Final = ("task", "language", "difficulty", "category", *JOB)


@dataclass(frozen=True)
class LoggedEvidence:
    """Evidence in the artifacts of task runs."""

    client: MlflowClient
    ids: Mapping[Run, str]
    """MLflow's run id."""
    address: str

    def runs(self) -> list[Run]:
        """Sorted."""
        return sorted(self.ids)

    def blob(self, run: Run, name: str) -> bytes | None:
        """Download one artifact; None where it was not logged. Raises TrackingError where the server fails."""
        file = ARTIFACTS.get(name)
        if file is None or run not in self.ids:
            return None
        with _explained(self.address), tempfile.TemporaryDirectory() as folder:
            if file not in {item.path for item in self.client.list_artifacts(self.ids[run])}:
                return None
            data = Path(self.client.download_artifacts(self.ids[run], file, folder)).read_bytes()
        return gzip.decompress(data) if file.endswith(".gz") else data


def read(uri: str | None, *, experiment: str | None = None, judge: str | None = None, sandbox: str | None = None) -> Frame:
    """The frame of all task runs on the server at `uri` (null is outputs/mlflow.db); an outputs folder or an SQLite file will do as well.

    Raises UserError where there is nothing to read, TrackingError where the server can't be reached.
    """
    address = _address(uri)
    from clibench.tracking.mlflow_log import quieten_mlflow

    quieten_mlflow()
    from mlflow.tracking import MlflowClient

    with _explained(address):
        client = MlflowClient(address, registry_uri=address)
        found = _task_runs(client, address, experiment)
    rows = [_row(run) for run in found]
    logged = LoggedEvidence(
        client,
        {_name(row): str(run.info.run_id) for run, row in zip(found, rows, strict=True) if sandbox in (None, row["sandbox"])},
        address,
    )
    chosen = [row for row in rows if judge in (None, row["judge"]) and sandbox in (None, row["sandbox"])]
    verdicts = [case for row in chosen for case in _verdict_rows(logged, row)]
    return to_frame(pd.DataFrame(rows), pd.DataFrame(verdicts), address, evidence=logged, judge=judge, sandbox=sandbox)


def _address(uri: str | None) -> str:
    """The tracking URI that is meant. MLflow would make a new, empty database where there is none, so a missing one is an error here."""
    if uri is not None and "://" in uri and not uri.startswith("sqlite:///"):
        return uri
    path = Path(uri.removeprefix("sqlite:///")) if uri else DEFAULT
    if path.is_dir():
        path = path / DEFAULT.name
    if not path.is_file():
        raise UserError(
            "no such MLflow store",
            where=str(path),
            fix="Set `input` to an outputs folder, an SQLite file or a tracking URI, or run a job with tracking first.",
        )
    return f"sqlite:///{path.absolute()}"


def _task_runs(client: MlflowClient, address: str, experiment: str | None) -> list[MlflowRun]:
    experiments = {item.name: item.experiment_id for item in _pages(client.search_experiments)}
    if experiment is not None and experiment not in experiments:
        raise UserError(f"no experiment '{experiment}'", where=address, fix=did_you_mean(experiment, experiments))
    chosen = list(experiments.values()) if experiment is None else [experiments[experiment]]
    query = "tags.`clibench.kind` = 'task'"
    runs: list[MlflowRun] = _pages(lambda **page: client.search_runs(chosen, query, **page)) if chosen else []
    if not runs:
        raise UserError("no clibench runs in it", where=address, fix="Run a job with tracking first, or choose another `experiment`.")
    return runs


def _pages(search: Callable[..., Any]) -> list[Any]:
    found: list[Any] = []
    token = None
    while True:
        page = search(max_results=1000, page_token=token)
        found += page
        token = page.token
        if not token:
            return found


def _row(run: MlflowRun) -> dict[str, Any]:
    params, metrics = run.data.params, run.data.metrics
    sizes = {name: metrics.get(f"submission_{name}") for name in SIZES}
    about = {name: params.get(name, "") for name in _DESCRIPTION}
    about["framework"] = labelled(about["framework"], params.get("label"))
    return dict(metrics) | sizes | about


def _name(row: Mapping[str, Any]) -> Run:
    return (str(row["task"]), str(row["model"]), str(row["framework"]), str(row["judge"]))


def _verdict_rows(logged: LoggedEvidence, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    job = {name: row[name] for name in ("task", *JOB)}
    return [
        job | {"pattern": verdict.pattern, "case": verdict.case, "passed": None if verdict.infra else verdict.passed("sm")}
        for verdict in evidence.verdicts(logged, _name(row))
        if verdict.oracle_ok
    ]


@contextmanager
def _explained(address: str) -> Iterator[None]:
    from mlflow.exceptions import MlflowException
    from requests import RequestException
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (MlflowException, RequestException, SQLAlchemyError, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        raise TrackingError(f"can't be read ({reason})", where=address, fix="Check `input`, and that the server answers.") from error
