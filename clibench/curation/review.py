"""The review queue: a sheet for each of two annotators, a page to fill it in, and the way back.

Both see the same facts, each in an order of their own, and neither sees the other's votes. A vote is accept or reject, with a reason that a
rejection must have.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from clibench.curation.decisions import Vote
from clibench.curation.table import Row, Status, to_csv
from clibench.curation.trial import Finding
from clibench.curation.unreadable import UNREADABLE, unreadable
from clibench.errors import UserError
from clibench.report.page import inert_json
from clibench.tasks.task import Difficulty

ANNOTATORS: Final = ("a", "b")
COLUMNS: Final = ("id", "entry", "version", "language", "difficulty", "loc", "licence", "notes", "help", "decision", "reason")
PAGE: Final = "review.html"
_HELP: Final = 2000
"""Characters of help in a sheet; the page has more."""
_ACCEPT: Final = frozenset({"accept", "a", "yes", "y", "1"})
_REJECT: Final = frozenset({"reject", "r", "no", "n", "0"})


def sheet_name(annotator: str) -> str:
    """File name of an annotator's sheet."""
    return f"annotator_{annotator}.csv"


def queue(rows: Iterable[Row]) -> list[Row]:
    """What people have to look at: candidates that passed filter and trial, and disputes."""
    return [row for row in rows if row.status in (Status.QUEUED, Status.DISPUTED) and row.finding is not None]


def sheets(rows: Sequence[Row], seed: int) -> dict[str, str]:
    """The files of the queue by name: two sheets and the page."""
    made = {}
    for annotator in ANNOTATORS:
        order = sorted(rows, key=lambda row: row.id)
        random.Random(f"{seed} {annotator}").shuffle(order)  # noqa: S311 - an order, no secret
        made[sheet_name(annotator)] = to_csv(COLUMNS, [[*facts(row, _HELP).values(), "", ""] for row in order])
    made[PAGE] = page(rows)
    return made


def page(rows: Sequence[Row]) -> str:
    """review.html: self-contained, loads nothing. What a tool printed is shown as text and can't become markup."""
    shown: list[dict[str, Any]] = []
    for row in sorted(rows, key=lambda row: row.id):
        finding = row.finding or Finding()
        more = {"repository": row.candidate.repository, "others": " ".join(finding.others), "readme": finding.readme[:8000]}
        shown.append(facts(row, len(finding.help)) | more)
    text = files("clibench.curation").joinpath("review.html").read_text("utf-8")
    return text.replace("%%QUEUE%%", inert_json(shown))


def read_sheet(path: Path) -> dict[str, Vote]:
    """The votes of an annotator by candidate, without those that are still open.

    Raises UserError, naming the row, for a vote that is none, a rejection without a reason, and a candidate that stands twice.
    """
    votes: dict[str, Vote | None] = {}
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.DictReader(stream, strict=True)
            for row in reader:
                where = f"{path}:{reader.line_num}"
                if any(row.get(name) is None for name in ("id", "decision", "reason")):
                    raise UserError("needs the columns id, decision and reason", where=where, fix=f"It has: {', '.join(map(str, row))}.")
                name = row["id"].lstrip("'")
                if name in votes:
                    raise UserError(f"{name} stands twice", where=where, fix="Leave one row for each candidate.")
                votes[name] = _vote(row["decision"], row["reason"], where)
    except FileNotFoundError:
        raise UserError("no such sheet", where=str(path), fix="Write it with step=review, or name the sheets (sheets=[A,B]).") from None
    except UNREADABLE as error:
        raise unreadable(error, path) from None
    return {name: vote for name, vote in votes.items() if vote is not None}


def is_answered(path: Path) -> bool:
    """Whether a sheet is there and holds a vote, so that it must not be overwritten."""
    return path.is_file() and bool(read_sheet(path))


def _vote(decision: str, reason: str, where: str) -> Vote | None:
    word, why = decision.strip().lower(), reason.strip().lstrip("'")
    if not word:
        return None
    if word not in _ACCEPT | _REJECT:
        raise UserError(f"'{decision}' is no decision", where=where, fix="Write accept or reject, or leave it empty.")
    if word in _REJECT and not why:
        raise UserError("a rejection without a reason", where=where, fix="Say why in the column `reason`.")
    return Vote(word in _ACCEPT, why)


def facts(row: Row, help_chars: int) -> dict[str, Any]:
    """What an annotator sees, in the order of the columns."""
    finding = row.finding or Finding()
    return {
        "id": row.id,
        "entry": finding.entry,
        "version": finding.version,
        "language": row.candidate.package.language.value,
        "difficulty": "" if finding.loc is None else Difficulty.of(finding.loc).value,
        "loc": finding.loc,
        "licence": row.candidate.licence,
        "notes": "; ".join(finding.notes),
        "help": finding.help[:help_chars],
    }
