"""Each statistic agrees with an independent implementation, and with data whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from analysis import stats


def test_mcnemar_is_the_two_sided_binomial_test_of_the_discordant_pairs() -> None:
    only_first = np.array([0, 3, 10, 25, 7, 400])
    only_second = np.array([0, 3, 2, 40, 0, 460])
    ours = stats.mcnemar_exact(only_first, only_second)
    assert ours[0] == 1.0
    for p, b, c in list(zip(ours, only_first, only_second, strict=True))[1:]:
        assert p == pytest.approx(scipy_stats.binomtest(int(b), int(b + c), 0.5).pvalue, rel=1e-10)
        assert p == pytest.approx(statsmodels_mcnemar([[5, b], [c, 9]], exact=True).pvalue, rel=1e-10)


def test_mcnemar_follows_the_formula_by_hand() -> None:
    # b = 1, c = 7: 2 * (C(8,0) + C(8,1)) / 2^8
    assert stats.mcnemar_exact(np.array([1]), np.array([7]))[0] == pytest.approx(2 * (1 + 8) / 256)


def test_holm_is_that_of_statsmodels_and_leaves_out_missing_values() -> None:
    p = np.array([0.01, 0.04, np.nan, 0.03, 0.005, 0.9, 0.04])
    valid = ~np.isnan(p)
    ours = stats.holm(p)
    assert np.isnan(ours[2])
    assert ours[valid] == pytest.approx(multipletests(p[valid], method="holm")[1])


def test_spearman_is_that_of_scipy_with_ties() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 12, 60).astype(float), rng.integers(0, 9, 60).astype(float)
    y[:20] += x[:20]
    theirs = scipy_stats.spearmanr(x, y)
    ours = stats.spearman(x, y)
    assert (ours.rho, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
    assert stats.ranks(x) == pytest.approx(scipy_stats.rankdata(x))


def test_spearman_of_a_constant_is_unknown_and_of_a_monotone_is_one() -> None:
    x = np.arange(10.0)
    assert math.isnan(stats.spearman(x, np.ones(10)).rho)
    assert stats.spearman(x, np.exp(x)).rho == pytest.approx(1.0)


def test_clustered_spearman_has_the_width_of_the_clusters_and_not_of_the_rows() -> None:
    rng = np.random.default_rng(5)
    one_x, one_y = rng.normal(size=40), rng.normal(size=40)
    x, y, clusters = np.tile(one_x, 25), np.tile(one_y, 25), np.tile(np.arange(40), 25)
    low, high = stats.clustered_spearman(x, y, clusters, resamples=4000, seed=1)
    single = stats.spearman(one_x, one_y)
    assert high - low == pytest.approx(single.high - single.low, rel=0.25)
    assert low < single.rho < high


def test_kappa_and_its_sampling_weights_agree_with_statsmodels() -> None:
    rng = np.random.default_rng(8)
    first = rng.random(300) < 0.6
    second = np.where(rng.random(300) < 0.85, first, ~first)
    table = np.array([[(first & second).sum(), (first & ~second).sum()], [(~first & second).sum(), (~first & ~second).sum()]])
    theirs = cohens_kappa(table)
    ours = stats.cohen_kappa(first, second, resamples=4000)
    assert ours.kappa == pytest.approx(theirs.kappa)
    assert (ours.low, ours.high) == pytest.approx((theirs.kappa_low, theirs.kappa_upp), abs=0.015)
    weights = rng.integers(1, 4, 300)
    assert stats.cohen_kappa(first, second, weights=weights.astype(float), resamples=200).kappa == pytest.approx(
        stats.cohen_kappa(np.repeat(first, weights), np.repeat(second, weights), resamples=200).kappa
    )


def test_kappa_of_two_raters_who_always_agree_on_one_label_is_one() -> None:
    always = np.ones(20, dtype=bool)
    assert stats.cohen_kappa(always, always, resamples=200).kappa == 1.0


def test_detectable_difference_is_what_the_power_of_the_t_test_says() -> None:
    for n, sd, alpha in ((9, 0.3, 0.05), (94, 0.33, 0.05), (94, 0.33, 0.05 / 91), (1000, 0.2, 0.05)):
        delta = stats.detectable_difference(sd, n, alpha=alpha)
        assert TTestPower().power(delta / sd, n, alpha) == pytest.approx(0.8, abs=1e-6)


def test_detectable_difference_is_found_four_times_out_of_five() -> None:
    n, sd = 40, 0.3
    delta = stats.detectable_difference(sd, n)
    draws = np.random.default_rng(11).normal(delta, sd, size=(20_000, n))
    assert (scipy_stats.ttest_1samp(draws, 0.0, axis=1).pvalue < 0.05).mean() == pytest.approx(0.8, abs=0.01)


def test_effect_sizes_follow_their_formulas_and_ignore_what_is_missing() -> None:
    d = np.array([0.1, 0.3, -0.1, 0.5, np.nan])
    kept = d[:4]
    assert stats.cohen_dz(d[:, None])[0] == pytest.approx(kept.mean() / kept.std(ddof=1))
    assert stats.cohen_g(np.array([30, 0, 5]), np.array([10, 0, 5])) == pytest.approx([0.25, 0.0, 0.0])


def test_sign_flip_is_scipys_permutation_test_where_all_signs_can_be_tried() -> None:
    d = np.array([0.4, 0.1, -0.2, 0.5, 0.3, 0.2, -0.1, 0.6, 0.05, 0.35])
    exact = scipy_stats.permutation_test((d,), lambda x, axis: np.abs(x.mean(axis=axis)), permutation_type="samples", alternative="greater",
                                         vectorized=True, n_resamples=np.inf).pvalue  # fmt: skip
    assert stats.sign_flip(d[:, None], resamples=40_000, seed=2)[0] == pytest.approx(exact, abs=0.004)


def test_the_bootstrap_interval_is_scipys_once_the_expansion_is_taken_off() -> None:
    values = np.random.default_rng(4).beta(0.4, 0.8, size=400)
    samples = stats.bootstrap_means(values[:, None], resamples=20_000, seed=6)
    theirs = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(7)
    ).confidence_interval
    low, high = stats.percentile_interval(samples, values.size)
    assert (low[0], high[0]) == pytest.approx((theirs.low, theirs.high), abs=0.002)


def test_a_weighted_bootstrap_mean_leaves_missing_rows_out_of_both_sums() -> None:
    values = np.array([[1.0, np.nan], [0.0, 0.0], [1.0, 1.0]])
    weights = np.array([2.0, 1.0, 1.0])
    samples = stats.bootstrap_means(values, weights=weights, resamples=2000, seed=0)
    counts = np.concatenate(list(stats.resample_counts(3, 2000, 0))).astype(float)
    with np.errstate(invalid="ignore"):
        expected = (counts[:, 2]) / (counts[:, 1] + counts[:, 2])
    assert samples[:, 1] == pytest.approx(expected, nan_ok=True)
    assert samples[:, 0] == pytest.approx((2 * counts[:, 0] + counts[:, 2]) / (2 * counts[:, 0] + counts[:, 1] + counts[:, 2]))


def test_the_difference_of_two_columns_is_paired() -> None:
    rng = np.random.default_rng(9)
    base = rng.random(94)
    values = np.column_stack([base, base - 0.1])
    samples = stats.bootstrap_means(values, resamples=500)
    assert (samples[:, 0] - samples[:, 1]) == pytest.approx(0.1, abs=1e-6)


def test_macro_weights_give_the_mean_over_cases_then_patterns_then_tasks() -> None:
    tasks = np.array([0, 0, 0, 1, 1, 1, 1])
    patterns = np.array([0, 0, 1, 2, 2, 2, 2])
    passed = np.array([1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    assert stats.macro_weights(tasks, patterns) @ passed == pytest.approx(((0.5 + 1.0) / 2 + 0.75) / 2)


def test_summary_has_the_leaderboards_interval() -> None:
    values = np.array([0.0, 0.5, 1.0, 0.25])
    got = stats.summarise(np.append(values, np.nan))
    assert (got.n, got.mean, got.sd) == pytest.approx((4, values.mean(), values.std(ddof=1)))
    assert got.half90 == pytest.approx(scipy_stats.norm.ppf(0.95) * got.sd / 2)
    assert got.half95 == pytest.approx(scipy_stats.norm.ppf(0.975) * got.sd / 2)


def test_group_means_leave_missing_values_out() -> None:
    values = np.array([[1.0, np.nan], [0.0, np.nan], [np.nan, 0.5]])
    assert stats.group_means(values, np.array([0, 0, 1])) == pytest.approx(np.array([[0.5, np.nan], [np.nan, 0.5]]), nan_ok=True)
