"""Read one's own runs from an outputs folder: what `python -m clibench report` wrote there (tasks.csv, cases.parquet), and the store."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pandas as pd

from analysis import evidence
from analysis.frame import Frame
from analysis.own_runs import to_frame
from analysis.published import read_csv
from clibench.errors import UserError

CASE_COLUMNS: Final = ["model", "framework", "dataset", "sandbox", "judge", "task", "pattern", "case", "oracle_ok", "infra", "sm"]


def read(outputs: Path, *, judge: str | None = None, sandbox: str | None = None) -> Frame:
    """The frame of all jobs under `outputs`; raises UserError where there is no report, or one that can't be read."""
    report = outputs / "report"
    if not (report / "tasks.csv").is_file():
        what = "no report of results" if outputs.is_dir() else "no such folder"
        raise UserError(
            what, where=str(outputs), fix="Run jobs and `python -m clibench report` first, or set `input` to an outputs folder."
        )
    source = evidence.of_outputs(outputs, sandbox=sandbox)
    verdicts = _verdicts(report / "cases.parquet")
    return to_frame(read_csv(report / "tasks.csv"), verdicts, str(report / "tasks.csv"), evidence=source, judge=judge, sandbox=sandbox)


def _verdicts(path: Path) -> pd.DataFrame:
    """Rows of the cases whose oracle succeeds; none where the report has no cases."""
    if not path.is_file():
        return pd.DataFrame()
    import pyarrow
    import pyarrow.parquet

    try:
        rows: pd.DataFrame = pyarrow.parquet.read_table(path, columns=CASE_COLUMNS).to_pandas()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise UserError(
            f"can't be read ({str(error).splitlines()[0]})", where=str(path), fix="Write it again: python -m clibench report."
        ) from error
    rows = rows[rows["oracle_ok"].astype(bool)]
    passed = pd.to_numeric(rows["sm"].astype("boolean").astype("Float64"), errors="coerce")
    return rows.assign(passed=passed.mask(rows["infra"].fillna("") != "").astype("float64"))
