"""decisions.csv: what two annotators decided about candidates. It is data: it lies in the repository, and a person may edit it.

A decision on which the annotators differ is `disputed`; whoever settles it writes `accept` or `reject` in its place, and the settlement
stays for as long as both votes stay as they were.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clibench.curation.unreadable import UNREADABLE, unreadable
from clibench.errors import UserError, did_you_mean

COLUMNS: Final = ("id", "decision", "reason", "entry", "version", "a", "b", "reason_a", "reason_b")
DECISIONS: Final = ("accept", "reject", "disputed")


@dataclass(frozen=True)
class Vote:
    """What one annotator said of a candidate."""

    accept: bool
    reason: str

    @property
    def word(self) -> str:
        """accept or reject."""
        return "accept" if self.accept else "reject"


@dataclass(frozen=True)
class Decision:
    """A row of decisions.csv."""

    id: str
    decision: str
    """accept, reject or disputed."""
    reason: str
    entry: str
    version: str
    """That the annotators saw."""
    a: str
    b: str
    """The votes: accept or reject."""
    reason_a: str = ""
    reason_b: str = ""

    @property
    def settled(self) -> bool:
        """A person decided where the annotators differ."""
        return self.a != self.b and self.decision != "disputed"


def decide(candidate: str, entry: str, version: str, first: Vote, second: Vote) -> Decision:
    """The decision that two votes make."""
    agreed = first.accept == second.accept
    reasons = "; ".join(dict.fromkeys(vote.reason for vote in (first, second) if vote.reason))
    return Decision(
        candidate, first.word if agreed else "disputed", reasons, entry, version, first.word, second.word, first.reason, second.reason
    )


def merged(before: Mapping[str, Decision], now: Iterable[Decision]) -> dict[str, Decision]:
    """Earlier decisions with those of now in their place; a settled dispute stays where the votes are the same."""
    found = dict(before)
    for decision in now:
        old = found.get(decision.id)
        kept = old is not None and old.settled and (old.a, old.b) == (decision.a, decision.b)
        if not kept:
            found[decision.id] = decision
    return dict(sorted(found.items()))


def read_decisions(path: Path) -> dict[str, Decision]:
    """By candidate; empty where there is no such file. Raises UserError, naming the row, for a file that is none."""
    found: dict[str, Decision] = {}
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.DictReader(stream, strict=True)
            if reader.fieldnames and not set(COLUMNS) <= set(reader.fieldnames):  # also without a row: what is written next takes its place
                raise UserError("holds no decisions", where=str(path), fix=f"A table of them has the columns {', '.join(COLUMNS)}.")
            for row in reader:
                where = f"{path}:{reader.line_num}"
                if absent := [name for name in COLUMNS if row.get(name) is None]:
                    raise UserError(f"missing column {', '.join(absent)}", where=where, fix=f"It has: {', '.join(map(str, row))}.")
                decision = Decision(**{name: row[name].lstrip("'") for name in COLUMNS})
                if decision.decision not in DECISIONS:
                    raise UserError(f"unknown decision '{decision.decision}'", where=where, fix=did_you_mean(decision.decision, DECISIONS))
                if decision.id in found:
                    raise UserError(f"{decision.id} stands twice", where=where, fix="Leave one row for each candidate.")
                found[decision.id] = decision
    except FileNotFoundError:
        return {}
    except UNREADABLE as error:
        raise unreadable(error, path) from None
    return found
