"""What lies behind a score: the stored verdicts, recordings, cases and build log of one task under one configuration.

Scores are enough for tables and figures. Examples of failures and the judge agreement study need the evidence; where it is not at hand
(published results) they say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from clibench.errors import StoreError
from clibench.evaluation.stored import decode_cases, decode_recordings, decode_verdicts
from clibench.evaluation.verdict import Verdict
from clibench.recording import Recording
from clibench.result_files import read_jobs
from clibench.results import labelled
from clibench.store import Store
from clibench.tasks.case import Case

Run = tuple[str, str, str, str]
"""(task, model, framework:label, judge)."""


class Evidence(Protocol):
    """Blobs by run and name, as `clibench.evaluation.stored` names them."""

    def runs(self) -> list[Run]:
        """All runs with evidence, in a fixed order."""
        ...

    def blob(self, run: Run, name: str) -> bytes | None:
        """One blob, or None where it was not stored."""
        ...


@dataclass(frozen=True)
class StoredEvidence:
    """Evidence in the store of an outputs folder."""

    store: Store
    refs: Mapping[Run, Mapping[str, str]]

    def runs(self) -> list[Run]:
        """Sorted."""
        return sorted(self.refs)

    def blob(self, run: Run, name: str) -> bytes | None:
        """From the store; None as well for a blob that was removed since."""
        digest = self.refs.get(run, {}).get(name)
        try:
            return None if digest is None else self.store.get(digest)
        except StoreError:
            return None


def of_outputs(outputs: Path, *, sandbox: str | None = None) -> StoredEvidence | None:
    """The evidence under `outputs`, of all judges; None where there is no store."""
    if not (outputs / "store").is_dir():
        return None
    refs = {
        (task.task, job.model, labelled(job.framework, job.label), job.judge): task.refs
        for job in read_jobs(outputs)
        if sandbox in (None, job.sandbox)
        for task in job.tasks
    }
    return StoredEvidence(Store(outputs / "store"), refs)


def verdicts(evidence: Evidence, run: Run) -> list[Verdict]:
    """The run's verdicts, none where it did not install."""
    blob = evidence.blob(run, "verdicts")
    return [] if blob is None else decode_verdicts(blob)


def recordings(evidence: Evidence, run: Run, name: str = "recordings") -> dict[str, Recording]:
    """The run's recordings by case (or, as `oracle_recordings`, the oracle's), without trials that the harness could not carry out."""
    blob = evidence.blob(run, name)
    return {} if blob is None else {case: made for case, made in decode_recordings(blob).items() if isinstance(made, Recording)}


def cases(evidence: Evidence, run: Run) -> dict[str, Case]:
    """The task's cases by id."""
    blob = evidence.blob(run, "cases")
    return {} if blob is None else {case.id: case for case in decode_cases(blob).cases}


def text(data: bytes, limit: int = 4000) -> str:
    """Bytes as a reader sees them: undecodable ones and control characters escaped, cut at `limit` characters with a mark."""
    decoded = data.decode("utf-8", errors="backslashreplace")
    shown = "".join(
        char if char in "\n\t" or char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in decoded[: limit + 1]
    )
    return shown if len(decoded) <= limit else f"{shown[:limit]}\n[... {len(data)} bytes in all]"
