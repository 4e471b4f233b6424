"""Pictures of MLflow's pages of an outputs folder: the table of runs that a run's last line leads to, and all of its jobs compared.

Needs a Chromium (`apt-get install chromium`). MLflow's server is started for it and ended after it.

    python scripts/mlflow_page.py OUTPUTS FILE.png      # and FILE.compare.png
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from clibench.errors import ClibenchError, InfraError, UserError
from clibench.tracking.mlflow_log import quieten_mlflow
from clibench.tracking.settings import SCORES_VIEW, TrackingConfig, tracking_uri

_START_S: Final = 180.0
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")


def pictures(outputs: Path, file: Path) -> list[Path]:
    """Take them. Raises UserError without a browser, InfraError where server or browser fail."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise UserError("no Chromium is installed", fix="apt-get install chromium")
    uri = tracking_uri(TrackingConfig(), outputs)
    compared = file.with_suffix(f".compare{file.suffix}")
    with _server(uri) as address:
        experiment, jobs = _jobs(address)
        runs = quote(json.dumps(jobs), safe="")
        _take(browser, f"{address}/#/experiments/{experiment}/runs?viewStateShareKey={SCORES_VIEW}", file)
        _take(browser, f"{address}/#/compare-runs?runs={runs}&experiments={quote(json.dumps([experiment]), safe='')}", compared)
    return [file, compared]


def _jobs(address: str) -> tuple[str, list[str]]:
    """The experiment, and its runs that are jobs: by way of the server, so that the picture shows what it serves."""
    quieten_mlflow()
    from mlflow.tracking import MlflowClient

    client = MlflowClient(address)
    experiment = client.get_experiment_by_name(TrackingConfig().experiment)
    if experiment is None:
        raise UserError("nothing is logged there", where=address)
    runs = client.search_runs([experiment.experiment_id], filter_string="tags.`clibench.kind` = 'job'", max_results=1000)
    return experiment.experiment_id, [run.info.run_id for run in runs]


@contextmanager
def _server(uri: str) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    mlflow = [sys.executable, "-m", "mlflow", "ui", "--workers", "1", "--port", str(port), "--backend-store-uri", uri]
    environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(mlflow, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=environment, start_new_session=True)
        try:
            _wait_for(f"{address}/health", process)
            yield address
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - the server started above
                return
        except (OSError, urllib.error.URLError):
            time.sleep(0.2)
    raise InfraError("MLflow's server did not start", where=url)


def _take(browser: str, url: str, file: Path) -> None:
    with tempfile.TemporaryDirectory() as profile:
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={profile}", "--hide-scrollbars"]
        shot = ["--window-size=1800,1100", "--virtual-time-budget=60000", f"--screenshot={file.absolute()}"]
        done = subprocess.run([browser, *flags, *shot, url], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode or not file.exists():
        raise InfraError(f"no picture was taken: {done.stderr.strip()[-300:]}", where=url)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        for taken in pictures(Path(sys.argv[1]), Path(sys.argv[2])):
            print(taken)
    except ClibenchError as error:
        sys.exit(f"mlflow_page: {error.message}")
