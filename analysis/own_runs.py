"""Turn rows of one's own runs, from wherever they are read, into the frame: one shape for outputs/ and for a tracking server.

Jobs whose SM was judged by different judges are never mixed. A submission that did not install failed every case, so its verdicts, which
nobody stored, are zeros and not missing. Numbers have six decimals, as in the report, so that both sources give the same tables.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pandas as pd

from analysis.evidence import Evidence
from analysis.frame import Frame, validate
from analysis.verdicts import from_rows
from clibench.errors import UserError, did_you_mean

JOB: Final = ("model", "framework", "dataset", "sandbox", "judge")
"""Columns that say which job a row belongs to."""
SIZES: Final = ("loc", "files", "directories", "depth")
VERDICTS: Final = ["task", "pattern", "case", "model", "framework", "passed"]


def to_frame(
    rows: pd.DataFrame, verdicts: pd.DataFrame, where: str, *, evidence: Evidence | None, judge: str | None, sandbox: str | None
) -> Frame:
    """The frame of `rows` (a row a task and job: JOB and the columns of the schema) and of `verdicts`.

    `verdicts` has a row a case and job whose oracle succeeds: task, pattern, case, passed (1, 0, NaN) and JOB; it may be empty. Raises
    UserError for what is missing or ambiguous.
    """
    absent = [name for name in ("task", *JOB) if name not in rows.columns]
    if absent:
        raise UserError(f"missing column {', '.join(absent)}", where=where, fix="Write it again with this version of clibench.")
    for column, wanted in (("judge", judge), ("sandbox", sandbox)):
        if wanted is not None:
            have = _distinct(rows[column])
            if wanted not in have:
                raise UserError(f"no jobs of {column} '{wanted}'", where=where, fix=did_you_mean(wanted, have))
            rows = rows[rows[column].astype(str) == wanted]
            verdicts = verdicts[verdicts[column].astype(str) == wanted] if len(verdicts) else verdicts
    judges, boxes = _distinct(rows["judge"]), _distinct(rows["sandbox"])
    if len(judges) > 1:
        listed = ", ".join(judges)
        raise UserError(f"jobs of {len(judges)} judges ({listed}), whose SM can't be compared", where=where, fix="Choose one: judge=NAME.")
    if len(boxes) > 1 and rows.duplicated(["task", "model", "framework"]).any():
        raise UserError(f"the same runs in {len(boxes)} sandboxes ({', '.join(boxes)})", where=where, fix="Choose one: sandbox=NAME.")
    rows = rows.assign(**{name: rows[name].round(6) for name in rows.select_dtypes("number").columns})
    frame = validate(rows, where, judge=", ".join(judges))
    runs = frame.runs.sort_values(["model", "framework", "task"], kind="stable", ignore_index=True)
    notes = [f"Sandbox: {', '.join(boxes)}."] if boxes else []
    missing = int(runs["sm"].isna().sum())
    if missing:
        notes.append(f"{missing} runs have no score (a fault of the harness, not of the submission): they are missing, not zero.")
    cases = _with_failed_builds(verdicts[VERDICTS], runs) if len(verdicts) else verdicts
    return replace(frame, runs=runs, verdicts=from_rows(cases) if len(cases) else None, evidence=evidence, notes=tuple(notes))


def _distinct(column: pd.Series) -> list[str]:
    return sorted(set(column.dropna().astype(str)) - {""})


def _with_failed_builds(verdicts: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """`verdicts` with a failure, for each run that did not install, of every case that counted for another run of its task."""
    failed = runs.loc[runs["build"] == 0, ["task", "model", "framework"]]
    keys = pd.MultiIndex.from_frame(verdicts[["task", "model", "framework"]])
    verdicts = verdicts[~keys.isin(pd.MultiIndex.from_frame(failed))]
    cases = verdicts[["task", "pattern", "case"]].drop_duplicates()
    return pd.concat([verdicts, failed.merge(cases, on="task").assign(passed=0.0)[VERDICTS]], ignore_index=True)
