"""What looks wrong is found, in the published file and in made-up ones, and what is merely bad is left alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis import caveats, published
from analysis.frame import Frame, validate
from tests.analysis.samples import rows


@pytest.fixture(scope="module")
def frame() -> Frame:
    return published.read()


def found(frame: Frame, detector: str) -> int:
    suspects = caveats.find(frame)
    return int((suspects["detector"] == detector).sum())


def test_the_published_faults_are_found(frame: Frame) -> None:
    suspects = caveats.find(frame)
    counts = suspects.groupby("detector").size().to_dict()
    assert counts == {"zero metric": 105, "empty block": 31, "sm above sp": 45, "counted dependencies": 34, "flat price": 7}
    blocks = suspects[suspects["detector"] == "empty block"].groupby("detail", sort=False).size()
    assert blocks.to_dict() == {
        "8 runs in a row without any file (claude-sonnet-4-6)": 8,
        "10 runs in a row without any file (qwen3.5-plus and glm-5)": 10,
        "13 runs in a row without any file (minimax-2.5)": 13,
    }
    zero = frame.runs.merge(suspects[suspects["detector"] == "zero metric"], on=["task", "model", "framework"])
    assert set(zero["language"]) == {"javascript"}
    assert set(zero["framework"]) == {"OpenHands"}
    assert set(zero["metrics"]) == {("sp",)}


def test_without_its_uncomputed_runs_the_published_sp_is_higher(frame: Frame) -> None:
    suspects = caveats.find(frame)
    zero = suspects[suspects["detector"] == "zero metric"]
    assert 100 * frame.runs["sp"].mean() == pytest.approx(45.66, abs=0.005)
    assert 100 * caveats.without(frame, zero, "sp").mean() == pytest.approx(49.62, abs=0.005)
    javascript = frame.runs[(frame.runs["language"] == "javascript") & (frame.runs["framework"] == "Mini-SWE-Agent")]
    assert javascript["sp"].mean() == pytest.approx(0.675, abs=0.0005)
    assert caveats.without(frame, suspects, "steps").equals(frame.runs["steps"])


def test_a_clean_table_raises_no_suspicion() -> None:
    assert caveats.find(validate(rows(tasks=30), "x")).empty


def test_an_agent_that_fails_everything_is_bad_and_not_suspect() -> None:
    raw: Any = rows(tasks=30)
    raw.loc[raw["model"] == "beta", ["build", "exec", "sp", "em", "fm", "sm"]] = 0.0
    assert caveats.find(validate(raw, "x")).empty


def test_a_text_match_above_its_weaker_form_is_found() -> None:
    raw: Any = rows()
    raw.loc[3, "em"] = raw.loc[3, "fm"] + 1e-7
    assert found(validate(raw, "x"), "em above fm") == 0
    raw.loc[3, "em"] = min(1.0, raw.loc[3, "fm"] + 0.01)
    assert found(validate(raw, "x"), "em above fm") == 1


def test_runs_without_files_count_only_in_a_row_and_only_where_rows_have_an_order() -> None:
    raw: Any = rows(tasks=30)
    raw.loc[[1, 3, 5, 7, 9, 11, 13], ["build", "exec", "sp", "em", "fm", "sm", "files"]] = 0.0
    assert found(validate(raw, "x", ordered=True), "empty block") == 0
    raw.loc[14:17, ["build", "exec", "sp", "em", "fm", "sm", "files"]] = 0.0
    frame = validate(raw, "x", ordered=True)
    assert found(frame, "empty block") == 5
    assert found(replace(frame, ordered=False), "empty block") == 0


def test_a_cost_that_does_not_follow_from_the_tokens_is_found() -> None:
    raw: Any = rows(tasks=30)
    raw["cost_usd"] = 3e-6 * raw["prompt_tokens"] + 15e-6 * raw["completion_tokens"]
    assert found(validate(raw, "x"), "cost mismatch") == 0
    assert found(validate(raw, "x"), "flat price") == 2
    raw.loc[4, "cost_usd"] *= 1.5
    raw.loc[8, "cost_usd"] = 0.0
    assert found(validate(raw, "x"), "cost mismatch") == 2


def test_unknown_costs_and_files_are_no_fault() -> None:
    raw: Any = rows(tasks=30)
    raw[["cost_usd", "files", "loc", "steps"]] = np.nan
    assert caveats.find(validate(raw, "x", ordered=True)).empty


def test_equal_runs_tell_no_price() -> None:
    raw = rows(tasks=30).assign(prompt_tokens=1000, completion_tokens=200, cost_usd=0.25)
    assert caveats.find(validate(raw, "x")).empty
