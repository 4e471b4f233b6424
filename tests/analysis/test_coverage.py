"""Intervals and tests on data whose truth is known: they cover it as often as they say, and find nothing where there is nothing.

Small simulations with fixed seeds; `scripts/bench_analysis.py coverage=true` runs them at length.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from analysis import stats
from analysis.pairs import discordant
from analysis.simulate import clustered_coverage, family_errors, paired_coverage, table_of_nothing


def test_the_paired_interval_covers_the_true_difference_in_94_to_96_of_100() -> None:
    coverage = paired_coverage(tasks=94, simulations=4000, resamples=2000, seed=1)
    assert 0.94 <= coverage <= 0.96


def test_with_nine_tasks_the_interval_still_covers_the_true_difference() -> None:
    assert 0.93 <= paired_coverage(tasks=9, simulations=4000, resamples=2000, seed=2) <= 0.97


def test_under_strong_likeness_within_tasks_the_clustered_interval_covers_and_the_plain_one_fails() -> None:
    coverage = clustered_coverage(tasks=94, cases=30, likeness=0.6, simulations=1000, resamples=1000, seed=3)
    assert 0.94 <= coverage.clustered <= 0.96
    assert coverage.plain < 0.75


def test_without_likeness_both_intervals_cover() -> None:
    coverage = clustered_coverage(tasks=94, cases=30, likeness=0.0, simulations=1000, resamples=1000, seed=4)
    assert 0.94 <= coverage.clustered <= 0.96
    assert 0.93 <= coverage.plain <= 0.97


def test_in_a_table_of_equal_configurations_holm_lets_a_false_finding_through_in_at_most_5_of_100() -> None:
    errors = family_errors(configurations=14, tasks=94, tables=200, resamples=4000, seed=5)
    assert errors.permutation <= 0.05
    assert errors.mcnemar <= 0.05
    assert errors.permutation_uncorrected > 0.3


def test_mcnemar_over_alike_test_cases_is_what_goes_wrong_and_over_tasks_is_not() -> None:
    scores = table_of_nothing(np.random.default_rng(6), configurations=6, tasks=60, cases=40, likeness=0.6)
    pairs = list(combinations(range(6), 2))
    first, second = np.array([i for i, _ in pairs]), np.array([j for _, j in pairs])
    cases = scores.reshape(-1, 6)
    over_cases = stats.mcnemar_exact(*discordant(cases, first, second))
    over_tasks = stats.sign_flip((scores[:, :, first] - scores[:, :, second]).mean(axis=1), resamples=4000, seed=7)
    assert (stats.holm(over_cases) < 0.05).any()
    assert not (stats.holm(over_tasks) < 0.05).any()


@pytest.mark.parametrize("n", [5, 30, 94])
def test_the_expansion_makes_the_interval_of_a_normal_mean_that_of_students_t(n: int) -> None:
    from scipy import special
    from scipy import stats as scipy_stats

    grid = special.ndtri((np.arange(200_000) + 0.5) / 200_000)[:, None] * np.sqrt((n - 1) / n)  # the bootstrap means of sd 1, times sqrt(n)
    low, high = stats.percentile_interval(grid, n)
    assert high[0] == pytest.approx(scipy_stats.t.ppf(0.975, n - 1), rel=0.01)
    assert low[0] == pytest.approx(-high[0], rel=1e-6)
