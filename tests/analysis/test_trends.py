"""Curves and trends agree with statsmodels and scipy, and find a U where there is one."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats as scipy_stats
from statsmodels.nonparametric.smoothers_lowess import lowess

from analysis import trends


def data(n: int = 94, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(1.8, 5.4, n))
    return x, np.clip(0.3 + 0.1 * (x - 3.5) ** 2 + rng.normal(0, 0.1, n), 0, 1)


@pytest.mark.parametrize("fraction", [0.3, 0.6, 1.0])
def test_loess_is_that_of_statsmodels(fraction: float) -> None:
    x, y = data()
    at = np.linspace(x.min(), x.max(), 50)
    assert trends.loess(x, y, at, fraction=fraction) == pytest.approx(lowess(y, x, frac=fraction, it=0, xvals=at), abs=1e-3)


def test_the_bootstrap_band_is_that_of_smoothing_each_resample() -> None:
    x, y = data()
    at = np.linspace(2.2, 5.0, 7)
    low, high = trends.loess_band(x, y, at, resamples=1000, seed=3)
    rng = np.random.default_rng(4)
    curves = []
    for _ in range(1000):
        drawn = rng.integers(0, x.size, x.size)
        curves.append(lowess(y[drawn], x[drawn], frac=0.6, it=0, xvals=at))
    expected = np.nanquantile(np.array(curves), [0.025, 0.975], axis=0)
    assert low == pytest.approx(expected[0], abs=0.015)
    assert high == pytest.approx(expected[1], abs=0.015)


def test_the_quadratic_has_the_coefficient_and_p_value_of_statsmodels_hc3() -> None:
    x, y = data(40)
    group = (np.arange(40) % 2).astype(float)
    design = sm.add_constant(np.column_stack([x - x.mean(), (x - x.mean()) ** 2, group]))
    theirs = sm.OLS(y, design).fit(cov_type="HC3", use_t=True)
    ours = trends.u_shape(x, y, group[:, None])
    assert (ours.curvature, ours.curvature_p) == pytest.approx((theirs.params[2], theirs.pvalues[2]), rel=1e-6)
    low, high = theirs.t_test([0, 1, 2 * (x.min() - x.mean()), 0]), theirs.t_test([0, 1, 2 * (x.max() - x.mean()), 0])
    assert (ours.slope_low, ours.slope_high) == pytest.approx((low.effect[0], high.effect[0]))
    one_sided = max(scipy_stats.t.cdf(low.tvalue.item(), theirs.df_resid), scipy_stats.t.sf(high.tvalue.item(), theirs.df_resid))
    assert ours.p == pytest.approx(one_sided, rel=1e-6)


def test_a_u_is_found_and_a_bent_decline_is_not_taken_for_one() -> None:
    x, y = data()
    assert trends.u_shape(x, y).p < 0.001
    falling = trends.u_shape(x, (x - 5.6) ** 2 + np.random.default_rng(2).normal(0, 0.3, x.size))
    assert falling.curvature_p < 0.001
    assert falling.slope_low < 0
    assert falling.p > 0.05


def test_the_u_test_finds_a_u_in_at_most_one_of_twenty_data_sets_without_one() -> None:
    rng = np.random.default_rng(7)
    x = rng.uniform(0, 1, 94)
    assert np.mean([trends.u_shape(x, rng.beta(0.4, 0.9, 94)).p < 0.05 for _ in range(400)]) <= 0.05


def test_contrasts_of_groups_are_welchs() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.random(40), rng.random(21) ** 2
    theirs = scipy_stats.ttest_ind(a, b, equal_var=False)
    ours = trends.welch(a, b)
    interval = theirs.confidence_interval(0.95)
    assert (ours.difference, ours.low, ours.high, ours.p) == pytest.approx(
        (a.mean() - b.mean(), interval.low, interval.high, theirs.pvalue)
    )


def test_the_pareto_front_keeps_what_nothing_beats() -> None:
    cost, gain = np.array([1.0, 2.0, 2.0, 3.0, 4.0]), np.array([0.2, 0.5, 0.4, 0.5, 0.9])
    assert trends.pareto_front(cost, gain).tolist() == [True, True, False, False, True]
