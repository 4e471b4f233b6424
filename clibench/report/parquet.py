"""cases.parquet: a row a case and job, for statistics on paired cases. It holds verdicts and numbers, no output."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clibench.evaluation.verdict import METRICS
from clibench.recording import Recording
from clibench.report.graded import Graded
from clibench.results import JobResult, TaskResult, labelled

if TYPE_CHECKING:
    import pyarrow

_TEXT: Final = (
    *(
        "job",
        "model",
        "framework",
        "dataset",
        "sandbox",
        "judge",
        "language",
        "difficulty",
        "category",
        "task",
        "pattern",
        "case",
        "command",
    ),
    *("status", "oracle_status", "reason", "infra"),
)
_CHECKS: Final = METRICS[1:]


class CaseTable:
    """A Parquet file that grows by one row group a task. A context manager."""

    def __init__(self, path: Path) -> None:
        import pyarrow
        import pyarrow.parquet

        self._schema = pyarrow.schema(
            [(name, pyarrow.string()) for name in _TEXT]
            + [("oracle_ok", pyarrow.bool_())]
            + [(metric, pyarrow.bool_()) for metric in _CHECKS]
            + [("similarity", pyarrow.float64()), ("stdout_bytes", pyarrow.int64()), ("wall_s", pyarrow.float64())]
        )
        self._writer = pyarrow.parquet.ParquetWriter(path, self._schema, compression="zstd")

    def add(self, job: JobResult, task: TaskResult, cases: Iterable[Graded]) -> None:
        """Append the cases of one task."""
        import pyarrow

        rows = [_row(job, task, graded) for graded in cases]
        if rows:
            table: pyarrow.Table = pyarrow.Table.from_pylist(rows, schema=self._schema)
            self._writer.write_table(table)

    def __enter__(self) -> CaseTable:
        return self

    def __exit__(self, *exception: object) -> None:
        self._writer.close()


def _row(job: JobResult, task: TaskResult, graded: Graded) -> dict[str, Any]:
    verdict, actual = graded.verdict, graded.actual
    first = next((verdict.checks[metric] for metric in graded.failed), None)
    fuzzy = verdict.checks.get("fm")
    row: dict[str, Any] = {
        "job": job.key,
        "model": job.model,
        "framework": labelled(job.framework, job.label),
        "dataset": job.dataset,
        "sandbox": job.sandbox,
        "judge": job.judge,
        "language": task.language,
        "difficulty": task.difficulty,
        "category": task.category,
        "task": task.task,
        "pattern": verdict.pattern,
        "case": verdict.case,
        "command": shlex.join(graded.case.argv),
        "status": str(actual.status) if isinstance(actual, Recording) else None,
        "oracle_status": str(graded.expected.status) if graded.expected else None,
        "reason": first.reason if first else "",
        "infra": verdict.infra,
    }
    row = {name: _storable(value) for name, value in row.items()}
    row |= {"oracle_ok": verdict.oracle_ok, "similarity": fuzzy.similarity if fuzzy else None}
    if isinstance(actual, Recording):
        row |= {"stdout_bytes": actual.stdout.size, "wall_s": actual.resources.wall_s}
    return row | {metric: verdict.passed(metric) for metric in _CHECKS}


def _storable(value: str | None) -> str | None:
    """Lone surrogates (bytes of an argv that are not UTF-8) escaped: Parquet's text is strict UTF-8."""
    return None if value is None else value.encode("utf-8", "backslashreplace").decode("utf-8")
