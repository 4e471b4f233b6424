"""Write the report of an outputs folder: scores.csv, tasks.csv, cases.parquet, and the page with its bodies.

The page opens from disk without a server, where a browser may not fetch files; so bodies are small scripts under cases/, loaded when a case
is opened. index.html holds the tables and one short row a failed case.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from clibench.errors import StoreError
from clibench.evaluation.verdict import METRICS
from clibench.report.bodies import case_body, fixture_body, text
from clibench.report.graded import Graded, GradedTask, build_log, graded_task
from clibench.report.page import inert_json, page
from clibench.report.parquet import CaseTable
from clibench.report.tables import scores_csv, tasks_csv
from clibench.result_files import read_jobs
from clibench.results import JobResult, Score, TaskResult, labelled
from clibench.store import Store, explaining, write_file

_log = logging.getLogger(__name__)

CHUNK: Final = 50
"""Failed cases in one file of bodies."""
BUILD_LOG_LINES: Final = 40
_COMMAND: Final = 120
"""Characters of a command in the list of cases."""


def write_report(outputs: Path, destination: Path, quality: Sequence[Mapping[str, Any]] = ()) -> None:
    """Write the report of all results under `outputs` into the folder `destination`, replacing an earlier one; other files stay.

    `quality` are the rows of `quality_rows`. Raises StoreError for results that can't be read, OutputsError where the disk is full or
    `destination` not writable. A task whose blobs are lost is listed without its cases, with the reason.
    """
    jobs = read_jobs(outputs)
    store = Store(outputs / "store")
    with explaining(destination):
        destination.mkdir(parents=True, exist_ok=True)
        new = destination / "cases.new"
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        with CaseTable(destination / "cases.parquet.new") as table:
            index = _Index(new, store, table)
            for job in jobs:
                index.add(job)
        (destination / "cases.parquet.new").replace(destination / "cases.parquet")
        shutil.rmtree(destination / "cases", ignore_errors=True)
        new.replace(destination / "cases")
    write_file(destination / "scores.csv", scores_csv(jobs).encode())
    write_file(destination / "tasks.csv", tasks_csv(jobs).encode())
    write_file(destination / "index.html", page(index.body() | {"quality": list(quality)}).encode())


class _Index:
    """Collects what index.html holds, while it writes bodies and rows of one task after the other."""

    def __init__(self, folder: Path, store: Store, table: CaseTable) -> None:
        self._folder, self._store, self._table = folder, store, table
        self._jobs: list[dict[str, Any]] = []
        self._tasks: list[dict[str, Any]] = []
        self._cases: list[list[Any]] = []

    def body(self) -> dict[str, Any]:
        """What the page's script reads."""
        return {"metrics": METRICS, "jobs": self._jobs, "tasks": self._tasks, "cases": self._cases}

    def add(self, job: JobResult) -> None:
        """Add a job and all its tasks."""
        for task in job.tasks:
            self._add_task(job, task)
        self._jobs.append(
            {
                "key": job.key,
                "model": text(job.model),
                "framework": text(labelled(job.framework, job.label)),
                "dataset": text(job.dataset),
                "language": job.language,
                "difficulty": job.difficulty,
                "sandbox": job.sandbox,
                "judge": job.judge,
                "tasks": len(job.tasks),
                "missing": job.missing_tasks,
                "scores": _scores(job.scores),
            }
        )

    def _add_task(self, job: JobResult, task: TaskResult) -> None:
        number = len(self._tasks)
        row: dict[str, Any] = {
            "job": len(self._jobs),
            "task": text(task.task),
            "language": task.language,
            "difficulty": task.difficulty,
            "category": text(task.category),
            "outcome": task.outcome.value,
            "reason": text(task.reason),
            "cases": task.cases,
            "scores": _scores(task.scores),
        }
        try:
            graded = graded_task(self._store, task)
        except StoreError as error:
            _log.warning("%s of %s is shown without its cases: %s", task.task, job.key, error)
            graded = GradedTask((), {})
            row["lost"] = text(error.message)
        failed_build = task.scores.get("build", Score(None)).value == 0
        if failed_build and (log := build_log(self._store, task, lines=BUILD_LOG_LINES)):
            row["log"] = True
            self._write(f"{number}-build", {"log": "\n".join(text(line) for line in log.split("\n"))})
        self._tasks.append(row)
        self._table.add(job, task, graded.cases)
        # Without a build no case ran: the log above says it once, and a body a case would only repeat it.
        shown = [] if failed_build else [one for one in graded.cases if one.failed or one.verdict.infra]
        for chunk, cases in enumerate(_batches(shown, CHUNK)):
            fixtures = {one.case.fixture for one in cases} & graded.fixtures.keys()
            self._write(
                f"{number}-{chunk}",
                {
                    "cases": [case_body(one) for one in cases],
                    "fixtures": {digest: fixture_body(graded.fixtures[digest]) for digest in sorted(fixtures)},
                },
            )
            self._cases += [_case_row(number, chunk, place, one) for place, one in enumerate(cases)]

    def _write(self, name: str, body: dict[str, Any]) -> None:
        (self._folder / f"{name}.js").write_text(f"clibench({inert_json(name)},{inert_json(body)});\n", "ascii")


def _case_row(task: int, chunk: int, place: int, graded: Graded) -> list[Any]:
    failed = sum(1 << METRICS.index(metric) for metric in graded.failed)
    command = text(" ".join(graded.case.argv)[:_COMMAND])
    return [task, chunk, place, graded.case.id, failed, command]


def _scores(scores: dict[str, Score]) -> dict[str, list[float | int | None]]:
    return {
        metric: [_rounded(score.value), _rounded(score.low), _rounded(score.high), score.missing, score.n]
        for metric, score in scores.items()
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _batches(cases: Sequence[Graded], size: int) -> Iterator[list[Graded]]:
    rest = iter(cases)
    while batch := list(islice(rest, size)):
        yield batch
