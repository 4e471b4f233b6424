"""Read the published results of CLI-Tool-Bench (analysis/published/, see its README) into the frame."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pandas as pd

from analysis.frame import DIFFICULTIES, Frame, validate
from clibench.errors import UserError

FOLDER: Final = Path(__file__).resolve().parent / "published"
NAMES: Final = {
    "task": "instance_id",
    "model": "model_name",
    "cost_usd": "cost",
    "seconds": "time",
    "oracle_seconds": "oracle_time",
}
"""Our name of a column: theirs, where it differs."""


def read(folder: Path | None = None) -> Frame:
    """The published frame, from `folder` or the packaged copy; raises UserError naming file and fault."""
    place = folder or FOLDER
    path = place / "results.csv"
    raw = read_csv(path)
    categories = read_csv(place / "categories.csv")
    for name, table, needed in (
        ("results.csv", raw, "oracle_loc"),
        ("results.csv", raw, "instance_id"),
        ("categories.csv", categories, "category"),
    ):
        if needed not in table.columns:
            raise UserError(f"missing column {needed}", where=str(place / name), fix=f"It has: {', '.join(map(str, table.columns))}.")
    runs = raw.rename(columns={theirs: ours for ours, theirs in NAMES.items()})
    runs["category"] = runs["task"].map(dict(zip(categories["instance_id"], categories["category"], strict=True)))
    lines = pd.to_numeric(runs["oracle_loc"], errors="coerce")
    runs["difficulty"] = pd.cut(lines, [-1, 1500, 4000, float("inf")], labels=list(DIFFICULTIES)).astype(object)
    shown = f"published results ({path.name})" if folder is None else str(path)
    return validate(runs, shown, names=NAMES, ordered=True, judge="llm (as published)")


def read_csv(path: Path) -> pd.DataFrame:
    """A CSV file as text and numbers; raises UserError where it is missing, empty, not UTF-8 or not a table."""
    try:
        return pd.read_csv(path, keep_default_na=False, na_values=[""])  # "null" and "none" are names
    except FileNotFoundError as error:
        raise UserError("no such file", where=str(path), fix="Set `input` to the folder that holds it.") from error
    except pd.errors.EmptyDataError as error:
        raise UserError("the file is empty", where=str(path), fix="Point `input` at finished results.") from error
    except (pd.errors.ParserError, UnicodeDecodeError) as error:
        raise UserError(f"not a CSV table ({str(error).splitlines()[0]})", where=str(path), fix="Write it again.") from error
    except OSError as error:
        raise UserError(f"can't be read ({error.strerror})", where=str(path), fix="Check the path and its permissions.") from error
