"""The results folder: one JSON file a job, `<outputs>/results/<job key>.json`, from which MLflow, report and analysis are (re)made."""

from __future__ import annotations

import json
from pathlib import Path

from clibench.digest import canonical_json
from clibench.errors import StoreError
from clibench.results import JobResult, job_from_json, job_to_json
from clibench.store import write_file


def job_path(outputs: Path, key: str) -> Path:
    """Where the result of a job is."""
    return outputs / "results" / f"{key}.json"


def write_job(outputs: Path, job: JobResult) -> Path:
    """Write the result of a job, replacing an earlier one of the same key. Raises OutputsError where the folder can't be written."""
    path = job_path(outputs, job.key)
    write_file(path, canonical_json(job_to_json(job)) + b"\n")
    return path


def read_jobs(outputs: Path) -> tuple[JobResult, ...]:
    """All results under `outputs`, sorted as in a table. Raises StoreError for a file that is not a result, naming it."""
    jobs = [_read(path) for path in sorted((outputs / "results").glob("*.json"))]
    return tuple(sorted(jobs, key=lambda job: (job.dataset, job.language, job.difficulty, job.model, job.framework, job.label, job.key)))


def _read(path: Path) -> JobResult:
    try:
        return job_from_json(json.loads(path.read_bytes()))
    except OSError as error:
        raise StoreError(
            f"cannot be read: {error.strerror}", where=str(path), fix="Check the folder's permissions and the disk."
        ) from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StoreError(
            f"not a result of this version of clibench ({type(error).__name__}: {error})",
            where=str(path),
            fix="Move this file away and run the job again; what is in the store is not repeated.",
        ) from error
