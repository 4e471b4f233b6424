"""The sheets of the judge agreement study: what two human annotators get, and how their answers are read back.

A sheet shows a command and the two outputs, and asks one question: do they say the same? It does not show what any judge answered, and each
annotator has the items in another order. Which item is which case, its stratum and the judges' answers stand in a key file apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from analysis.published import read_csv
from clibench.errors import UserError

SHEET_COLUMNS: Final = ["item", "task", "command", "expected", "actual", "same", "comment"]
KEY_COLUMNS: Final = ["item", "task", "case", "model", "framework", "language", "stratum", "weight"]
"""Then one column a judge, `judge:NAME`, of 1, 0 or empty (abstained)."""
ANNOTATORS: Final = ("a", "b")
_YES: Final = {"yes", "y", "1", "true", "same"}
_NO: Final = {"no", "n", "0", "false", "different"}
_FORMULA: Final = ("=", "+", "-", "@", "\t")
"""First characters that a spreadsheet takes for a formula."""


@dataclass(frozen=True)
class Pair:
    """Two outputs of one case that a judge of SM had to compare."""

    task: str
    case: str
    model: str
    framework: str
    language: str
    command: str
    expected: str
    actual: str
    judges: tuple[tuple[str, bool | None], ...]
    """Answers by judge."""

    @property
    def stratum(self) -> str:
        """Language, and what the judges and comparers said."""
        return " ".join([self.language, *(f"{name}={'?' if said is None else int(said)}" for name, said in self.judges)])


def draw(pairs: list[Pair], size: int, seed: int) -> list[tuple[Pair, float]]:
    """A stratified sample of at most `size` pairs without replacement, each with its weight (pairs in its stratum / drawn from it).

    Every stratum gets the same number as far as it has them (the rest goes to the larger ones), so that rare disagreements are seen; the
    weights undo this when agreement is estimated.
    """
    strata: dict[str, list[Pair]] = {}
    for pair in sorted(pairs, key=lambda pair: (pair.stratum, pair.task, pair.case, pair.model, pair.framework)):
        strata.setdefault(pair.stratum, []).append(pair)
    rng = np.random.default_rng(seed)
    taken = allocate({name: len(members) for name, members in strata.items()}, size)
    drawn: list[tuple[Pair, float]] = []
    for name, members in strata.items():
        chosen = rng.choice(len(members), size=taken[name], replace=False)
        drawn += [(members[int(index)], len(members) / taken[name]) for index in np.sort(chosen)]
    return drawn


def allocate(sizes: dict[str, int], total: int) -> dict[str, int]:
    """How many to take of each stratum: as equal as their sizes allow, `total` in all where there are so many."""
    taken = dict.fromkeys(sizes, 0)
    left = min(total, sum(sizes.values()))
    while left:
        open_strata = [name for name in sizes if taken[name] < sizes[name]]
        share = max(1, left // len(open_strata))
        for name in sorted(open_strata, key=lambda name: (-sizes[name], name)):
            more = min(share, sizes[name] - taken[name], left)
            taken[name] += more
            left -= more
    return taken


def sheets(sample: list[tuple[Pair, float]], seed: int) -> dict[str, str]:
    """The files of a sample by name: key.csv, and a sheet for each annotator in an order of its own."""
    names = [f"{number:04}" for number in range(1, len(sample) + 1)]
    judges = list(dict.fromkeys(name for pair, _ in sample for name, _said in pair.judges))
    key = pd.DataFrame(
        [
            [item, pair.task, pair.case, pair.model, pair.framework, pair.language, pair.stratum, repr(weight)]
            + [_answer(dict(pair.judges).get(judge)) for judge in judges]
            for item, (pair, weight) in zip(names, sample, strict=True)
        ],
        columns=[*KEY_COLUMNS, *(f"judge:{judge}" for judge in judges)],
    )
    rows = [
        [item, pair.task, *map(_cell, (pair.command, pair.expected, pair.actual)), "", ""]
        for item, (pair, _) in zip(names, sample, strict=True)
    ]
    sheet = pd.DataFrame(rows, columns=SHEET_COLUMNS)
    files = {"key.csv": key.to_csv(index=False, lineterminator="\n")}
    for number, annotator in enumerate(ANNOTATORS):
        order = np.random.default_rng([seed, number]).permutation(len(sheet))
        files[f"annotator_{annotator}.csv"] = sheet.iloc[order].to_csv(index=False, lineterminator="\n")
    return files


def read_key(path: Path) -> pd.DataFrame:
    """The key file, `weight` as a number; raises UserError for another file."""
    key = _text(path)
    _has(key, KEY_COLUMNS, path)
    key["weight"] = pd.to_numeric(key["weight"])
    return key.set_index("item")


def read_sheet(path: Path, items: Iterable[str]) -> dict[str, bool]:
    """The answers of one annotator by item, without the items that are still open.

    Raises UserError for an answer that is not yes or no, an item twice, and an item that was not drawn or is not there.
    """
    sheet = _text(path)
    _has(sheet, ["item", "same"], path)
    known, answers = set(items), {}
    for number, (item, same) in enumerate(zip(sheet["item"], sheet["same"], strict=True), start=1):
        name, word = item.strip().rjust(4, "0"), same.strip().lower()
        if name not in known:
            raise UserError(f"row {number}: item '{item}' was not drawn", where=str(path), fix="Use the sheet that `sample` wrote.")
        if name in answers:
            raise UserError(f"row {number}: item {item} stands twice", where=str(path), fix="Leave one answer for each item.")
        if word and word not in _YES | _NO:
            raise UserError(f"row {number}: '{same}' is no answer", where=str(path), fix="Write yes or no, or leave it empty.")
        answers[name] = word in _YES if word else None
    missing = sorted(known - set(answers))
    if missing:
        raise UserError(f"{len(missing)} items are gone, first {missing[0]}", where=str(path), fix="Use the sheet that `sample` wrote.")
    return {item: said for item, said in answers.items() if said is not None}


def is_annotated(path: Path) -> bool:
    """Whether a sheet is there and holds an answer, so that it must not be overwritten."""
    return path.is_file() and "same" in (sheet := _text(path)) and bool((sheet["same"].str.strip() != "").any())


def _text(path: Path) -> pd.DataFrame:
    read_csv(path)  # words the faults of a file that is no table
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _has(table: pd.DataFrame, columns: list[str], path: Path) -> None:
    absent = [name for name in columns if name not in table.columns]
    if absent:
        raise UserError(f"missing column {', '.join(absent)}", where=str(path), fix=f"It has: {', '.join(table.columns)}.")


def _answer(said: bool | None) -> str:
    return "" if said is None else str(int(said))


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
