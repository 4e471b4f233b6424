"""candidates.csv: a row a candidate, with what became of it and why. Columns are stable; an empty cell is not known."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from clibench.curation import static
from clibench.curation.candidates import Candidate
from clibench.curation.decisions import Decision
from clibench.curation.settings import StaticConfig
from clibench.curation.trial import Finding
from clibench.tasks.task import Difficulty

COLUMNS: Final = (
    *("id", "status", "stage", "reason", "detail", "repository", "registry", "package", "version", "language", "entry", "entry_package"),
    *("match", "score", "help", "notes", "unknown", "licence", "stars", "share", "loc", "difficulty", "files", "directories", "depth"),
    *("readme_chars", "others"),
)
_FORMULA: Final = ("=", "+", "-", "@", "\t")
"""First characters that a spreadsheet takes for a formula."""


class Status(StrEnum):
    """What became of a candidate."""

    REJECTED = "rejected"
    QUEUED = "queued"
    """Waits for the annotators."""
    ACCEPTED = "accepted"
    DISPUTED = "disputed"


@dataclass(frozen=True)
class Row:
    """A candidate with all that is known of it."""

    candidate: Candidate
    finding: Finding | None
    """None where the static filter rejected it before it was tried."""
    status: Status
    stage: str = ""
    """static, dynamic or review: where the status comes from."""
    reason: str = ""
    detail: str = ""

    @property
    def id(self) -> str:
        """Of the candidate."""
        return self.candidate.id


def judge(candidate: Candidate, finding: Finding | None, settings: StaticConfig, decision: Decision | None) -> Row:
    """The row of a candidate. `finding` is None before it was tried; what it showed fills gaps in the metadata."""
    full, readme = completed(candidate, finding)
    if found := static.faults(full, settings, readme):
        reasons = "; ".join(fault.criterion for fault in found)
        return Row(full, finding, Status.REJECTED, "static", reasons, "; ".join(f"{fault.criterion}: {fault.detail}" for fault in found))
    if finding is None:
        return Row(full, None, Status.QUEUED, "static")
    if finding.reason:
        return Row(full, finding, Status.REJECTED, "dynamic", finding.reason, finding.detail)
    if decision is not None:
        return Row(full, finding, Status(_OUTCOMES[decision.decision]), "review", decision.reason)
    return Row(full, finding, Status.QUEUED, "dynamic")


_OUTCOMES: Final = {"accept": Status.ACCEPTED, "reject": Status.REJECTED, "disputed": Status.DISPUTED}


def completed(candidate: Candidate, finding: Finding | None) -> tuple[Candidate, str]:
    """The candidate with what its installation told where the list does not, and its summary and README."""
    if finding is None or finding.loc is None:
        return candidate, ""
    full = replace(candidate, licence=candidate.licence or finding.licence, shares=candidate.shares or finding.shares)
    return full, f"{finding.about}\n{finding.readme}".strip()


def encode(rows: Iterable[Row], settings: StaticConfig) -> str:
    """candidates.csv."""
    return to_csv(COLUMNS, [_cells(row, settings) for row in rows])


def to_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A CSV file; text that a spreadsheet would run as a formula is quoted."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([cell(value) for value in row] for row in rows)
    return text.getvalue()


def cell(value: object) -> str:
    """A value as a cell."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) and not isinstance(value, int | float) else text


def _cells(row: Row, settings: StaticConfig) -> list[object]:
    candidate, finding = row.candidate, row.finding or Finding()
    package = candidate.package
    share = candidate.shares.get(package.language.value)
    values: dict[str, object] = {
        "id": row.id,
        "status": row.status.value,
        "stage": row.stage,
        "reason": row.reason,
        "detail": row.detail,
        "repository": candidate.repository,
        "registry": package.registry,
        "package": package.name,
        "version": finding.version or package.version,
        "language": package.language.value,
        "entry": finding.entry,
        "entry_package": finding.entry_package,
        "match": finding.match,
        "score": finding.score or None,
        "help": f"{finding.entry} {finding.help_words}".strip(),
        "notes": "; ".join((*finding.notes, *(("package presumed from the repository's name",) if candidate.presumed else ()))),
        "unknown": "; ".join(static.unknown(candidate, settings, finding.readme)),
        "licence": static.spdx(candidate.licence),
        "stars": candidate.stars,
        "share": None if share is None else round(share, 3),
        "loc": finding.loc,
        "difficulty": "" if finding.loc is None else Difficulty.of(finding.loc).value,
        "files": finding.files,
        "directories": finding.directories,
        "depth": finding.depth,
        "readme_chars": finding.readme_chars if finding.loc is not None else None,
        "others": " ".join(finding.others),
    }
    return [values[column] for column in COLUMNS]
