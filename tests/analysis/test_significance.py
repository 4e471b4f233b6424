"""The pairwise table says what it compared, what it left out, and when it can't tell."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from analysis import pairs, published, significance
from analysis.answer import Answer
from analysis.frame import validate
from analysis.verdicts import from_rows
from tests.analysis.samples import question, rows, verdict_rows, with_verdicts


@pytest.fixture(scope="module")
def of_published() -> Answer:
    return significance.answer(question(published.read()))


def table(answer_of: Answer, name: str = "significance") -> pd.DataFrame:
    return next(item.csv for item in answer_of.tables if item.name == name)


def test_all_91_published_pairs_are_there_with_the_difference_of_their_means(of_published: Answer) -> None:
    frame = published.read()
    got = table(of_published)
    assert len(got) == 91
    means = 100 * frame.runs.groupby(["model", "framework"])["sm"].mean()
    for row in got.to_dict("records"):
        first, second = (row["first_model"], row["first_framework"]), (row["second_model"], row["second_framework"])
        assert float(row["difference"]) == pytest.approx(means[first] - means[second], abs=0.0051)
        low, high = float(row["clustered_low"]), float(row["clustered_high"])
        assert (row["resolved"] == "not resolved") == (low <= 0 <= high)
        assert float(row["mcnemar_holm"]) >= float(row["mcnemar_p"])


def test_published_intervals_are_those_of_the_leaderboard(of_published: Answer) -> None:
    got = table(of_published, "intervals")
    best = got.iloc[0]
    assert (best["model"], best["framework"], best["sm"], best["sd"], best["half90"]) == (
        "kimi-k2.5",
        "Mini-SWE-Agent",
        "51.16",
        "0.377",
        "6.40",
    )
    assert got.iloc[-1]["sm"] == "7.21"


def test_mcnemar_at_task_level_counts_tasks_at_the_threshold() -> None:
    frame = published.read()
    got = pairs.compare(frame, threshold=0.5, resamples=200, seed=0)
    scores = frame.matrix("sm").to_numpy()
    passed = scores >= 0.5
    for k, (i, j) in enumerate(itertools.combinations(range(14), 2)):
        b, c = int((passed[:, i] & ~passed[:, j]).sum()), int((~passed[:, i] & passed[:, j]).sum())
        assert (got.only_first[k], got.only_second[k]) == (b, c)
        assert got.mcnemar[k] == pytest.approx(scipy_stats.binomtest(b, b + c, 0.5).pvalue if b + c else 1.0)


def test_one_configuration_alone_has_nothing_to_compare_and_says_so() -> None:
    got = significance.answer(question(rows(models=("alpha",))))
    assert [item.name for item in got.tables] == ["intervals"]
    assert "one configuration only (alpha / one): nothing to compare" in got.sentences[0]


def test_a_task_that_one_configuration_lacks_is_left_out_of_its_pairs_and_counted() -> None:
    raw = rows(models=("alpha", "beta", "gamma")).drop(index=5).reset_index(drop=True)
    got = significance.answer(question(raw))
    left = table(got).set_index(["first_model", "second_model"])["tasks_left_out"]
    assert left.to_dict() == {("alpha", "beta"): 1, ("alpha", "gamma"): 1, ("beta", "gamma"): 0}
    assert any("2 pairs leave out what one of the two lacks: up to 1 of 12 tasks" in sentence for sentence in got.sentences)
    frame = validate(raw, "x")
    matrix = frame.matrix("sm").dropna()
    difference = matrix[("alpha", "one")].mean() - matrix[("beta", "one")].mean()
    assert pairs.compare(frame, threshold=0.5, resamples=200, seed=0).difference[0] == pytest.approx(difference)


def test_equal_configurations_are_not_resolved() -> None:
    raw = rows()
    twin = raw[raw["model"] == "alpha"].assign(model="beta")
    got = table(significance.answer(question(pd.concat([raw[raw["model"] == "alpha"], twin]))))
    assert got["resolved"].tolist() == ["not resolved"]
    assert got[["mcnemar_p", "permutation_p"]].iloc[0].tolist() == ["1", "1"]


def test_with_stored_verdicts_mcnemar_counts_test_cases() -> None:
    frame, made = with_verdicts(rows())
    got = pairs.compare(frame, threshold=0.5, resamples=2000, seed=0)
    wide = made.pivot(index=["task", "case"], columns="model", values="passed")
    b, c = int(((wide["alpha"] == 1) & (wide["beta"] == 0)).sum()), int(((wide["alpha"] == 0) & (wide["beta"] == 1)).sum())
    assert got.unit == "test case"
    assert (int(got.units[0]), int(got.only_first[0]), int(got.only_second[0])) == (12 * 20, b, c)
    assert got.difference[0] == pytest.approx(wide["alpha"].mean() - wide["beta"].mean())
    assert got.plain[0][0] < got.difference[0] < got.plain[1][0]


def test_a_case_that_could_not_be_run_is_left_out_of_both_sides() -> None:
    raw = rows()
    made = verdict_rows(raw)
    made.loc[0, "passed"] = np.nan
    made = made.drop(index=1)
    verdicts = from_rows(made)
    assert np.isnan(verdicts.passed).sum() == 2
    assert pairs.count(verdicts.passed[:, [0]] - verdicts.passed[:, [1]]).tolist() == [238]


def test_the_plan_says_what_a_number_of_tasks_can_find(of_published: Answer) -> None:
    got = table(of_published, "planning")
    detectable = got[got["sd_of_pairs"] == "median"].set_index("tasks")["detectable"].astype(float)
    assert detectable["94"] == pytest.approx(9.5, abs=0.5)
    assert detectable.is_monotonic_decreasing
    assert (got["detectable_in_family"].astype(float) > got["detectable"].astype(float)).all()


def test_the_same_seed_gives_the_same_table_and_another_one_another() -> None:
    raw = rows(models=("alpha", "beta", "gamma"))
    first, again, other = (table(significance.answer(question(raw, seed=seed))) for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)
