"""A wrong table is refused with its row, column and value, in one line; a right one keeps its types and its order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis import published
from analysis.frame import SCHEMA, select, validate
from clibench.errors import UserError
from tests.analysis.samples import rows


def refused(raw: pd.DataFrame) -> str:
    with pytest.raises(UserError) as caught:
        validate(raw, "here.csv")
    assert "\n" not in caught.value.message
    assert caught.value.message.startswith("here.csv: ")
    return caught.value.message


def test_a_right_table_has_all_columns_as_numbers_or_text() -> None:
    frame = validate(rows(), "here.csv")
    assert list(frame.runs.columns) == [*SCHEMA, "tokens"]
    for name, column in SCHEMA.items():
        assert frame.runs[name].dtype == (object if column.kind == "text" else np.float64)
    assert (frame.runs["tokens"] == frame.runs["prompt_tokens"] + frame.runs["completion_tokens"]).all()
    assert frame.configurations == [("alpha", "one"), ("beta", "one")]


def test_missing_columns_are_named() -> None:
    message = refused(rows().drop(columns=["sm", "language"]))
    assert "missing columns language, sm" in message
    assert "It has: task, model, framework, category, difficulty" in message


def test_an_empty_table_is_refused() -> None:
    assert "no results in it" in refused(rows().iloc[:0])


@pytest.mark.parametrize(
    ("column", "value", "fault"),
    [
        ("sm", 1.2, "row 3: sm 1.2 is outside [0, 1]"),
        ("em", -0.01, "row 3: em -0.01 is outside [0, 1]"),
        ("exec", "high", "row 3: exec high is not a number"),
        ("exec", float("inf"), "row 3: exec inf is not finite"),
        ("steps", -1, "row 3: steps -1 is negative"),
        ("files", 1.5, "row 3: files 1.5 is not a whole number"),
        ("cost_usd", -0.1, "row 3: cost_usd -0.1 is negative"),
        ("model", None, "row 3: model is empty"),
        ("model", "  ", "row 3: model is empty"),
        ("difficulty", "medum", "row 3: unknown difficulty 'medum'"),
    ],
)
def test_a_wrong_value_is_named_with_its_row_and_column(column: str, value: object, fault: str) -> None:
    raw: Any = rows().astype(object)
    raw.loc[2, column] = value
    assert fault in refused(raw)


def test_a_wrong_difficulty_gets_a_suggestion() -> None:
    raw: Any = rows()
    raw.loc[0, "difficulty"] = "medum"
    assert "Did you mean 'medium'?" in refused(raw)


def test_duplicate_runs_are_named_with_their_rows() -> None:
    raw: Any = rows()
    message = refused(pd.concat([raw, raw.iloc[[4]]]))
    assert "duplicate runs of task04 by alpha / one in rows 5, 25" in message


def test_a_task_described_in_two_ways_is_refused() -> None:
    raw: Any = rows()
    raw.loc[0, "language"] = "python"
    assert "task task00 has more than one language" in refused(raw)


def test_a_missing_score_is_missing_and_not_zero() -> None:
    raw: Any = rows()
    raw.loc[0, ["build", "exec", "sp", "em", "fm", "sm"]] = np.nan
    frame = validate(raw, "here.csv")
    assert frame.runs["sm"].isna().sum() == 1
    assert frame.matrix("sm").isna().sum().tolist() == [1, 0]


def test_an_unknown_model_or_framework_is_answered_with_the_nearest() -> None:
    frame = validate(rows(), "here.csv")
    with pytest.raises(UserError, match=r"unknown model 'alpa'. Did you mean 'alpha'\? Valid: alpha, beta"):
        select(frame, ["alpa"], None)
    with pytest.raises(UserError, match=r"unknown framework 'two'. Valid: one"):
        select(frame, None, ["two"])
    assert select(frame, ["beta"], ["one"]).configurations == [("beta", "one")]


def test_a_missing_or_empty_or_unreadable_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"results.csv: no such file"):
        published.read(tmp_path)
    (tmp_path / "results.csv").write_text("")
    with pytest.raises(UserError, match=r"results.csv: the file is empty"):
        published.read(tmp_path)
    (tmp_path / "results.csv").write_bytes(b"a,b\n\xff\xfe,1\n")
    with pytest.raises(UserError, match=r"results.csv: not a CSV table"):
        published.read(tmp_path)
    (tmp_path / "results.csv").write_text("instance_id,language\n")
    (tmp_path / "categories.csv").write_text("instance_id,category\n")
    with pytest.raises(UserError, match="missing column oracle_loc"):
        published.read(tmp_path)


def test_a_published_task_without_a_category_is_named(tmp_path: Path) -> None:
    for name in ("results.csv", "categories.csv"):
        (tmp_path / name).write_bytes((published.FOLDER / name).read_bytes())
    lines = (tmp_path / "categories.csv").read_text().splitlines()
    (tmp_path / "categories.csv").write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(UserError, match=r"row \d+: category is empty"):
        published.read(tmp_path)


def test_the_published_frame_keeps_the_order_and_the_classes_of_the_paper() -> None:
    frame = published.read()
    assert (len(frame.runs), len(frame.tasks), len(frame.configurations)) == (1316, 94, 14)
    assert frame.tasks["difficulty"].value_counts().to_dict() == {"easy": 40, "hard": 33, "medium": 21}
    assert frame.tasks["language"].value_counts().to_dict() == {"go": 45, "python": 34, "javascript": 15}
    assert frame.tasks["category"].nunique() == 9
    assert frame.runs["seconds"].isna().sum() == 480
