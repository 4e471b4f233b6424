"""The one table that every question is asked of: a row a run, that is one task under one configuration.

Published results, a sweep's own outputs and a tracking server all end here, validated: the same columns, types and ranges, one row a
(task, model, framework). What can't be known is missing (NaN), never zero. A wrong file is refused with its row, column and value; it is
never repaired in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.evidence import Evidence
from analysis.verdicts import Verdicts
from clibench.errors import UserError, did_you_mean

METRICS: Final = ("build", "exec", "sp", "em", "fm", "sm")
"""The paper's metrics, in its order."""
METRIC_NAMES: Final = {"build": "Build", "exec": "Exec", "sp": "SP", "em": "EM", "fm": "FM", "sm": "SM"}
DIFFICULTIES: Final = ("easy", "medium", "hard")
CONFIGURATION: Final = ["model", "framework"]


@dataclass(frozen=True)
class Column:
    """What a column holds."""

    kind: str
    """text, score (in [0, 1]), count (whole, not negative) or amount (not negative)."""
    required: bool = False
    """Every row has a value. Else NaN is allowed, and the column itself may be absent."""


SCHEMA: Final[dict[str, Column]] = {
    "task": Column("text", True),
    "language": Column("text", True),
    "category": Column("text", True),
    "difficulty": Column("text", True),
    "model": Column("text", True),
    "framework": Column("text", True),
    **{metric: Column("score") for metric in METRICS},
    "reject": Column("score"),
    "steps": Column("count"),
    "prompt_tokens": Column("count"),
    "completion_tokens": Column("count"),
    "cost_usd": Column("amount"),
    "loc": Column("count"),
    "files": Column("count"),
    "directories": Column("count"),
    "depth": Column("count"),
    "oracle_loc": Column("count"),
    "oracle_files": Column("count"),
    "seconds": Column("amount"),
    "oracle_seconds": Column("amount"),
}


@dataclass(frozen=True)
class Frame:
    """Validated results and where they come from."""

    runs: pd.DataFrame
    """Columns of SCHEMA plus `tokens` (prompt + completion), in the order of the source."""
    source: str
    """What a reader is told: a file, folder or address."""
    ordered: bool = False
    """The rows stand in the order in which they were run, so that neighbours mean something."""
    verdicts: Verdicts | None = None
    """Pass or fail of each test case, where it is stored."""
    judge: str = ""
    """Who judged SM, where known."""
    evidence: Evidence | None = None
    """Recordings and verdicts behind the scores, where they are at hand."""
    notes: tuple[str, ...] = field(default=())
    """What the reader of any number of this frame must know."""

    @property
    def models(self) -> list[str]:
        """In the order of the source."""
        return list(dict.fromkeys(self.runs["model"]))

    @property
    def frameworks(self) -> list[str]:
        """In the order of the source."""
        return list(dict.fromkeys(self.runs["framework"]))

    @property
    def configurations(self) -> list[tuple[str, str]]:
        """(model, framework), models in the order of the source."""
        return [
            (model, framework)
            for model in self.models
            for framework in self.frameworks
            if ((self.runs["model"] == model) & (self.runs["framework"] == framework)).any()
        ]

    @property
    def series(self) -> pd.Series:
        """What a figure sets apart, by run: models, or frameworks where there is but one model (gold, null and replay have none)."""
        return self.runs["framework" if len(self.models) == 1 and len(self.frameworks) > 1 else "model"]

    @property
    def tasks(self) -> pd.DataFrame:
        """One row a task: task, language, category, difficulty, oracle_loc, oracle_files."""
        columns = ["task", "language", "category", "difficulty", "oracle_loc", "oracle_files"]
        return self.runs[columns].drop_duplicates("task", ignore_index=True)

    def matrix(self, metric: str) -> pd.DataFrame:
        """`metric` with a row a task and a column a configuration, NaN where a run is missing."""
        wide = self.runs.pivot(index="task", columns=CONFIGURATION, values=metric)
        return wide.reindex(index=self.tasks["task"], columns=pd.MultiIndex.from_tuples(self.configurations, names=CONFIGURATION))


def floats(values: pd.Series) -> npt.NDArray[np.float64]:
    """A column as an array."""
    return values.to_numpy(dtype=np.float64)


def label(configuration: tuple[str, str]) -> str:
    """How a configuration is called in text."""
    return " / ".join(configuration)


def validate(
    raw: pd.DataFrame,
    where: str,
    *,
    names: dict[str, str] | None = None,
    ordered: bool = False,
    judge: str = "",
) -> Frame:
    """The frame of `raw`; raises UserError naming `where`, the row and the column at the first fault.

    `names` maps a column of SCHEMA to its name in the source, for messages. Rows are counted from 1, without the header.
    """
    names = names or {}
    if raw.empty:
        raise UserError("no results in it", where=where, fix="Point `input` at a finished run, or run a job first.")
    needed = [*[name for name, column in SCHEMA.items() if column.required], *METRICS]
    absent = [names.get(name, name) for name in needed if name not in raw.columns]
    if absent:
        raise UserError(
            f"missing column{'s' * (len(absent) > 1)} {', '.join(absent)}", where=where, fix=f"It has: {', '.join(map(str, raw.columns))}."
        )
    runs = pd.DataFrame({name: _column(raw, name, column, where, names.get(name, name)) for name, column in SCHEMA.items()})
    runs["tokens"] = runs["prompt_tokens"] + runs["completion_tokens"]
    _known(runs, "difficulty", DIFFICULTIES, where)
    twice = runs.duplicated(["task", *CONFIGURATION], keep=False)
    if twice.any():
        first = runs[twice].iloc[0]
        rows = (runs.index[(runs[["task", *CONFIGURATION]] == first[["task", *CONFIGURATION]]).all(axis=1)] + 1).tolist()
        raise UserError(
            f"duplicate runs of {first['task']} by {first['model']} / {first['framework']} in rows {', '.join(map(str, rows))}",
            where=where,
            fix="A task and configuration may have one run; leave one out.",
        )
    for name in ("language", "category", "difficulty"):
        differing = runs.groupby("task")[name].nunique()
        if (differing > 1).any():
            raise UserError(
                f"task {differing.idxmax()} has more than one {name}", where=where, fix="A task's description must be the same in all rows."
            )
    return Frame(runs, where, ordered, judge=judge)


def select(frame: Frame, models: Sequence[str] | None, frameworks: Sequence[str] | None) -> Frame:
    """Only the given models and frameworks (None is all); a name that the results do not have is a UserError with the nearest one."""
    runs = frame.runs
    for column, wanted, have in (("model", models, frame.models), ("framework", frameworks, frame.frameworks)):
        if wanted is None:
            continue
        for name in wanted:
            if name not in have:
                raise UserError(f"unknown {column} '{name}'", where=frame.source, fix=did_you_mean(name, have))
        runs = runs[runs[column].isin(list(wanted))]
    if runs.empty:
        raise UserError("no run is left of the chosen models and frameworks", where=frame.source, fix="Choose a combination that was run.")
    kept = list(dict.fromkeys(zip(runs["model"], runs["framework"], strict=True)))
    verdicts = None if frame.verdicts is None else frame.verdicts.select(kept)
    return replace(frame, runs=runs.reset_index(drop=True), verdicts=verdicts)


def _column(raw: pd.DataFrame, name: str, column: Column, where: str, shown: str) -> pd.Series:
    if name not in raw.columns:
        return pd.Series(np.nan, index=range(len(raw)), dtype="float64")
    values = raw[name].reset_index(drop=True)
    if column.kind == "text":
        text = values.astype("string").str.strip()
        _refuse(text.isna() | (text == ""), text, where, shown, "is empty", "Every run needs one.")
        return text.astype(object)
    numbers = pd.to_numeric(values, errors="coerce").astype("float64")
    _refuse(numbers.isna() & values.notna() & (values.astype("string").str.strip() != ""), values, where, shown, "is not a number", "")
    _refuse(numbers.isin([np.inf, -np.inf]), values, where, shown, "is not finite", "")
    if column.kind == "score":
        _refuse((numbers < 0) | (numbers > 1), values, where, shown, "is outside [0, 1]", "Scores are shares, not percent.")
    else:
        _refuse(numbers < 0, values, where, shown, "is negative", "")
        if column.kind == "count":
            _refuse(numbers.notna() & (numbers != numbers.round()), values, where, shown, "is not a whole number", "")
    return numbers


def _refuse(bad: pd.Series, values: pd.Series, where: str, shown: str, fault: str, fix: str) -> None:
    if bad.any():
        row = int(np.flatnonzero(bad.to_numpy())[0])
        value = values.iloc[row]
        shown_value = "" if pd.isna(value) or not str(value).strip() else f" {value}"
        more = f" (and in {int(bad.sum()) - 1} more rows)" if bad.sum() > 1 else ""
        raise UserError(f"row {row + 1}: {shown}{shown_value} {fault}{more}", where=where, fix=fix)


def _known(runs: pd.DataFrame, column: str, valid: Iterable[str], where: str) -> None:
    names = list(valid)
    unknown = runs[~runs[column].isin(names)]
    if not unknown.empty:
        value = str(unknown[column].iloc[0])
        raise UserError(f"row {int(unknown.index[0]) + 1}: unknown {column} '{value}'", where=where, fix=did_you_mean(value, names))
