"""Trends of a score against size or cost: smooth curve, U shape, Pareto front. Pure functions of arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.stats import Bools, Floats, resample_counts


def loess(x: Floats, y: Floats, at: Floats, *, fraction: float = 0.6) -> Floats:
    """Locally weighted linear regression of y on x at the points `at` (Cleveland 1979; statsmodels' lowess with it=0).

    At each point: a line by least squares over the fraction of points that lie nearest, with tricube weights (1 - (d / h)^3)^3, h being the
    distance of the farthest of them.
    """
    return np.asarray(_local_lines(np.ones((1, x.size)), x, y, at, fraction)[0], dtype=np.float64)


def loess_band(
    x: Floats, y: Floats, at: Floats, *, fraction: float = 0.6, resamples: int = 2000, seed: int = 0, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Pointwise bootstrap band of `loess`: points are drawn as pairs, each resample is smoothed with the sample's own widths h."""
    curves = [_local_lines(counts.astype(np.float64), x, y, at, fraction) for counts in resample_counts(x.size, resamples, seed)]
    tail = (1 - level) / 2
    low, high = np.nanquantile(np.concatenate(curves), [tail, 1 - tail], axis=0)
    return low, high


def _local_lines(counts: Floats, x: Floats, y: Floats, at: Floats, fraction: float) -> Floats:
    """`loess` for each row of `counts` (resamples, points), which say how often a point was drawn: shape (resamples, len(at))."""
    distance = np.abs(x[:, None] - at[None, :])
    nearest = min(x.size, max(2, int(fraction * x.size + 1e-10)))
    width = np.maximum(np.partition(distance, nearest - 1, axis=0)[nearest - 1], 1e-12)
    weight = np.clip(1 - (distance / width) ** 3, 0, None) ** 3
    offset = x[:, None] - at[None, :]
    s0, s1, s2 = counts @ weight, counts @ (weight * offset), counts @ (weight * offset**2)
    t0, t1 = counts @ (weight * y[:, None]), counts @ (weight * offset * y[:, None])
    determinant = s0 * s2 - s1**2
    with np.errstate(invalid="ignore", divide="ignore"):
        line, level = (s2 * t0 - s1 * t1) / determinant, t0 / s0
    return np.asarray(np.where(determinant > 1e-12 * np.maximum(s0 * s2, 1e-300), line, level), dtype=np.float64)


def pareto_front(cost: Floats, gain: Floats) -> Bools:
    """Which points no other point beats: none has at most the cost and at least the gain with one of them strictly better."""
    no_worse = (cost[None, :] <= cost[:, None]) & (gain[None, :] >= gain[:, None])
    better = (cost[None, :] < cost[:, None]) | (gain[None, :] > gain[:, None])
    return np.asarray(~(no_worse & better).any(axis=1))


@dataclass(frozen=True)
class UShape:
    """A quadratic fit y = a + b x + c x^2 (+ covariates) and the test that it falls at the low end of x and rises at the high end."""

    n: int
    curvature: float
    """c; a U has c > 0."""
    curvature_p: float
    """Two-sided, of c = 0."""
    bottom: float
    """x of the extreme point, -b / 2c."""
    slope_low: float
    slope_high: float
    """Slopes b + 2 c x at the smallest and the largest x."""
    p: float
    """Of "no U": the larger of the one-sided p-values of slope_low < 0 and slope_high > 0 (Lind and Mehlum 2010; Sasabuchi 1980)."""


def u_shape(x: Floats, y: Floats, covariates: Floats | None = None) -> UShape:
    """Test of a U shape of y over x, with heteroscedasticity-consistent (HC3) standard errors and n - k degrees of freedom.

    HC3: (X'X)^-1 X' diag(e_i^2 / (1 - h_i)^2) X (X'X)^-1. `covariates` (n, k) are added to the regression, for example language dummies.
    A quadratic alone is no proof of a U: it may bend within the data and never turn, so both ends are tested. Even then a decline that
    levels off can look like a U to a quadratic (Simonsohn 2018), so a caller should ask for more, as the means of classes.
    """
    from scipy import special

    centre = float(x.mean())
    z = x - centre
    extra = np.empty((x.size, 0)) if covariates is None else covariates
    design = np.column_stack([np.ones(x.size), z, z**2, extra])
    inverse = np.linalg.pinv(design.T @ design)
    beta = inverse @ design.T @ y
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    scaled = (y - design @ beta) / np.maximum(1 - leverage, 1e-9)
    covariance = inverse @ (design.T * scaled**2) @ design @ inverse
    freedom = x.size - design.shape[1]

    def t_of(contrast: Floats) -> tuple[float, float]:
        error = math.sqrt(max(float(contrast @ covariance @ contrast), 0.0))
        value = float(contrast @ beta)
        return value, value / error if error > 0 else math.nan

    def at(point: float) -> Floats:
        return np.concatenate([[0.0, 1.0, 2.0 * (point - centre)], np.zeros(extra.shape[1])])

    curvature, t_curvature = t_of(np.concatenate([[0.0, 0.0, 1.0], np.zeros(extra.shape[1])]))
    slope_low, t_low = t_of(at(float(x.min())))
    slope_high, t_high = t_of(at(float(x.max())))
    p = max(float(special.stdtr(freedom, t_low)), float(special.stdtr(freedom, -t_high)))
    bottom = centre - float(beta[1]) / (2 * curvature) if curvature else math.nan
    return UShape(int(x.size), curvature, float(2 * special.stdtr(freedom, -abs(t_curvature))), bottom, slope_low, slope_high, p)


@dataclass(frozen=True)
class Contrast:
    """Difference of the means of two independent groups, with Welch's interval and two-sided p-value."""

    difference: float
    low: float
    high: float
    p: float


def welch(first: Floats, second: Floats) -> Contrast:
    """Mean of `first` minus mean of `second`: t = d / sqrt(s1^2/n1 + s2^2/n2), Welch-Satterthwaite degrees of freedom.

    NaN where a group has fewer than two values.
    """
    from scipy import special

    if min(first.size, second.size) < 2:
        return Contrast(math.nan, math.nan, math.nan, math.nan)
    a, b = float(first.var(ddof=1)) / first.size, float(second.var(ddof=1)) / second.size
    difference = float(first.mean() - second.mean())
    error = math.sqrt(a + b)
    if error == 0:
        return Contrast(difference, difference, difference, 1.0 if difference == 0 else 0.0)
    freedom = (a + b) ** 2 / (a**2 / (first.size - 1) + b**2 / (second.size - 1))
    half = float(special.stdtrit(freedom, 0.975)) * error
    return Contrast(difference, difference - half, difference + half, float(2 * special.stdtr(freedom, -abs(difference) / error)))
