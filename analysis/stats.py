"""Statistics of paired scores, as pure, vectorised functions.

Arrays go in, arrays come out; nothing is read, printed or random beyond the `seed` that is passed. Two rules hold throughout:

- Configurations are compared on the same tasks, so everything is *paired*: a resample draws tasks (or test cases) and keeps all the
  configurations' scores of what it drew.
- Test cases of one task resemble each other, so an interval that resamples test cases (`plain`) is too narrow. The honest unit is the
  task (`clustered`): resample tasks, each with its whole score.

Percentile intervals are *expanded* (Hesterberg 2015, The American Statistician 69:371): the plain percentile interval of n values is
too narrow by the factor sqrt((n-1)/n) * z/t, so its levels are widened until a normal mean of n values is covered exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

RESAMPLES: Final = 10_000
"""As in the paper."""
_CHUNK_CELLS: Final = 4_000_000
"""Counts held at once while resampling: 16 MB of float32 and twice 32 MB of indices."""


# --- resampling -----------------------------------------------------------------------------------------------------------------


def resample_counts(n: int, resamples: int, seed: int) -> Iterator[npt.NDArray[np.float32]]:
    """How often each of `n` units is drawn in each resample with replacement, in chunks of shape (resamples in the chunk, n)."""
    rng = np.random.default_rng(seed)
    rows = max(1, _CHUNK_CELLS // n)
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        drawn = rng.integers(0, n, size=(size, n), dtype=np.int64)
        drawn += np.arange(size, dtype=np.int64)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float32)


def bootstrap_means(values: Floats, *, weights: Floats | None = None, resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """Weighted means of the columns of `values` in each resample of its rows: shape (resamples, columns).

    All columns see the same resamples, so that a difference of two of them is a paired one. NaN is "not observed": the row then counts
    in neither sum of `sum(c w y) / sum(c w)`, c being the times that the row was drawn. A resample in which a column has no observed row
    gives NaN.
    """
    n = values.shape[0]
    w = np.ones(n) if weights is None else weights
    seen = ~np.isnan(values)
    numerator = (np.where(seen, values, 0.0) * w[:, None]).astype(np.float32)
    patterns, which = np.unique(seen, axis=1, return_inverse=True)
    denominator = (patterns * w[:, None]).astype(np.float32)
    parts: list[Floats] = []
    for counts in resample_counts(n, resamples, seed):
        below = (counts @ denominator).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            parts.append((counts @ numerator).astype(np.float64) / below[:, which.ravel()])
    return np.concatenate(parts)


def percentile_interval(samples: Floats, n: int, level: float = 0.95) -> tuple[Floats, Floats]:
    """Expanded percentile interval of each column of `samples` (resamples, columns), `n` being the units that were resampled.

    Lower level alpha'/2 = Phi(-sqrt(n / (n - 1)) t_{1 - alpha/2, n - 1}). With one unit there is no interval: NaN.
    """
    from scipy import special

    if n < 2:
        nothing = np.full(samples.shape[1], np.nan)
        return nothing, nothing
    t = special.stdtrit(n - 1, 1 - (1 - level) / 2)
    tail = float(special.ndtr(-math.sqrt(n / (n - 1)) * t))
    low, high = np.nanquantile(samples, [tail, 1 - tail], axis=0)
    return low, high


def group_means(values: Floats, groups: Ints) -> Floats:
    """Means of the rows of `values` within each group 0..g-1, NaN left out: shape (g, columns); NaN where a group has no value."""
    seen = ~np.isnan(values)
    size = int(groups.max()) + 1 if groups.size else 0
    sums = np.zeros((size, values.shape[1]))
    counts = np.zeros_like(sums)
    np.add.at(sums, groups, np.where(seen, values, 0.0))
    np.add.at(counts, groups, seen.astype(np.float64))
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums / counts


def macro_weights(tasks: Ints, patterns: Ints) -> Floats:
    """The weight of each test case in the macro-average: 1 / (cases of its pattern x patterns of its task x tasks).

    `patterns` numbers the patterns over all tasks. With these weights the mean of an indicator over cases is the paper's score: mean over
    cases of a pattern, over patterns of a task, over tasks.
    """
    cases = np.bincount(patterns)
    owner = np.zeros(cases.size, dtype=np.int64)
    owner[patterns] = tasks
    per_task = np.bincount(owner[cases > 0], minlength=int(tasks.max()) + 1)
    return np.asarray(1.0 / (cases[patterns] * per_task[tasks] * np.count_nonzero(per_task)), dtype=np.float64)


# --- tests ----------------------------------------------------------------------------------------------------------------------


def mcnemar_exact(only_first: Ints, only_second: Ints) -> Floats:
    """Two-sided exact McNemar test: p = min(1, 2 P(X <= min(b, c))), X ~ Bin(b + c, 1/2); 1 where b + c = 0.

    b and c count the pairs that only the first, only the second, passed.
    """
    from scipy import special

    discordant = only_first + only_second
    p = 2.0 * special.bdtr(np.minimum(only_first, only_second), discordant, 0.5)
    return np.asarray(np.minimum(1.0, np.where(discordant == 0, 1.0, p)), dtype=np.float64)


def sign_flip(differences: Floats, *, resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """Two-sided permutation test that paired differences (units, pairs) have mean 0, by swapping the two labels of whole units.

    p = (1 + #{|sum s d| >= |sum d|}) / (1 + resamples), s = +-1 (Phipson and Smyth 2010). NaN is "not paired" and counts as 0. Exact for
    exchangeable labels, whatever the distribution; with tasks as units it is not misled by the likeness of cases within a task.
    """
    d = np.nan_to_num(differences)
    observed = np.abs(d.sum(axis=0))
    rng = np.random.default_rng(seed)
    hits = np.zeros(d.shape[1])
    rows = max(1, _CHUNK_CELLS // max(1, max(d.shape)))
    for start in range(0, resamples, rows):
        signs = rng.integers(0, 2, size=(min(rows, resamples - start), d.shape[0]), dtype=np.int8) * 2.0 - 1.0
        hits += (np.abs(signs @ d) >= observed - 1e-12).sum(axis=0)
    return np.asarray((1.0 + hits) / (1.0 + resamples), dtype=np.float64)


def holm(p: Floats) -> Floats:
    """Holm's step-down adjusted p-values: max over j <= i of min(1, (m - j + 1) p_(j)); NaN stays NaN and is no member of the family."""
    adjusted = np.full(p.shape, np.nan)
    valid = np.flatnonzero(~np.isnan(p))
    order = valid[np.argsort(p[valid], kind="stable")]
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(order.size, 0, -1)))
    return adjusted


# --- effect sizes and planning --------------------------------------------------------------------------------------------------


def cohen_dz(differences: Floats) -> Floats:
    """Standardised mean of paired differences, by column: mean(d) / sd(d), sd with n - 1; NaN where sd is 0 or fewer than two pairs."""
    n = (~np.isnan(differences)).sum(axis=0)
    total = np.nansum(differences, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / n
        spread = np.sqrt(np.nansum((differences - mean) ** 2, axis=0) / (n - 1))
        return np.asarray(np.where((n > 1) & (spread > 0), mean / spread, np.nan), dtype=np.float64)


def cohen_g(only_first: Ints, only_second: Ints) -> Floats:
    """Effect size of McNemar's test: b / (b + c) - 1/2, in [-0.5, 0.5]; 0 where nothing is discordant."""
    discordant = only_first + only_second
    return np.asarray(np.where(discordant > 0, only_first / np.maximum(discordant, 1) - 0.5, 0.0), dtype=np.float64)


def detectable_difference(sd: float, n: int, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Smallest true mean of n paired differences of standard deviation `sd` that a two-sided t test finds with the given power.

    Solves power = 1 - F(t_crit; n - 1, nc) + F(-t_crit; n - 1, nc) for delta, F being the noncentral t distribution,
    nc = delta sqrt(n) / sd.
    """
    from scipy import optimize, special

    if n < 2 or not sd > 0:
        return math.nan
    critical = float(special.stdtrit(n - 1, 1 - alpha / 2))

    def shortfall(nc: float) -> float:
        other_side = float(special.nctdtr(n - 1, nc, -critical))  # NaN where it is too small for scipy to compute
        return 1 - float(special.nctdtr(n - 1, nc, critical)) + (0.0 if math.isnan(other_side) else other_side) - power

    upper = 1.0
    while shortfall(upper) < 0:
        upper *= 2
    return float(optimize.brentq(shortfall, 0.0, upper, xtol=1e-10)) * sd / math.sqrt(n)


# --- means, correlation, agreement ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Summary:
    """Mean, standard deviation (n - 1) and half-widths of the normal intervals z sd / sqrt(n), as the published leaderboard has them."""

    n: int
    mean: float
    sd: float
    half90: float
    half95: float


def summarise(values: Floats) -> Summary:
    """Summary of a vector; NaN left out."""
    x = values[~np.isnan(values)]
    mean = float(x.mean()) if x.size else math.nan
    sd = float(x.std(ddof=1)) if x.size > 1 else math.nan
    error = sd / math.sqrt(x.size) if x.size else math.nan
    return Summary(int(x.size), mean, sd, 1.6448536269514722 * error, 1.959963984540054 * error)


def ranks(x: Floats) -> Floats:
    """Ranks from 1, ties sharing their mean rank."""
    _, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[place], dtype=np.float64)


@dataclass(frozen=True)
class Correlation:
    """Spearman's rho with its two-sided p-value (t approximation) and 95 % interval."""

    n: int
    rho: float
    p: float
    low: float
    high: float


def spearman(x: Floats, y: Floats) -> Correlation:
    """Pearson correlation of ranks over pairs without NaN.

    p from t = rho sqrt((n - 2) / (1 - rho^2)); interval tanh(atanh(rho) +- z sqrt((1 + rho^2 / 2) / (n - 3))) (Bonett and Wright 2000).
    NaN where fewer than four pairs are left or one side is constant.
    """
    from scipy import special

    keep = ~(np.isnan(x) | np.isnan(y))
    a, b = ranks(x[keep]), ranks(y[keep])
    n = int(a.size)
    if n < 4 or a.std() == 0 or b.std() == 0:
        return Correlation(n, math.nan, math.nan, math.nan, math.nan)
    rho = float(np.clip(np.corrcoef(a, b)[0, 1], -1.0, 1.0))
    if abs(rho) > 1 - 1e-12:
        return Correlation(n, rho, 0.0, rho, rho)
    t = rho * math.sqrt((n - 2) / (1 - rho**2))
    half = 1.959963984540054 * math.sqrt((1 + rho**2 / 2) / (n - 3))
    return Correlation(
        n, rho, float(2 * special.stdtr(n - 2, -abs(t))), math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)
    )


@dataclass(frozen=True)
class Kappa:
    """Cohen's kappa with its 95 % interval."""

    n: int
    agreement: float
    kappa: float
    low: float
    high: float


def cohen_kappa(first: Bools, second: Bools, *, weights: Floats | None = None, resamples: int = RESAMPLES, seed: int = 0) -> Kappa:
    """Agreement of two raters beyond chance: (p_o - p_e) / (1 - p_e), p_e = sum over labels of the product of the raters' shares.

    `weights` are sampling weights (a stratified sample estimates the population's kappa only with them). The interval is the expanded
    percentile bootstrap over items. Kappa is 1 where both raters always give one and the same label.
    """
    n = first.size
    if n == 0:
        return Kappa(0, math.nan, math.nan, math.nan, math.nan)
    w = np.ones(n) if weights is None else weights
    cells = np.stack([first & second, first & ~second, ~first & second, ~first & ~second], axis=1).astype(np.float64)

    def kappa(shares: Floats) -> Floats:
        agree = shares[:, 0] + shares[:, 3]
        a, b = shares[:, 0] + shares[:, 1], shares[:, 0] + shares[:, 2]
        chance = a * b + (1 - a) * (1 - b)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(1 - chance < 1e-9, 1.0, (agree - chance) / (1 - chance)), dtype=np.float64)

    point = np.average(cells, axis=0, weights=w)[None, :]
    samples = kappa(bootstrap_means(cells, weights=w, resamples=resamples, seed=seed))[:, None]
    low, high = percentile_interval(samples, n)
    return Kappa(n, float(point[0, 0] + point[0, 3]), float(kappa(point)[0]), float(low[0]), float(high[0]))


def clustered_spearman(
    x: Floats, y: Floats, clusters: Ints, *, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> tuple[float, float]:
    """Expanded percentile bootstrap interval of Spearman's rho where rows of one cluster (0..g-1) are drawn together.

    Ranks are those of the whole sample; each resample takes the correlation of the ranks drawn, weighted by how often.
    """
    groups = int(clusters.max()) + 1 if clusters.size else 0
    if groups < 2 or x.size < 4 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan, math.nan
    a, b = ranks(x), ranks(y)
    a, b = (a - a.mean()) / a.std(), (b - b.mean()) / b.std()
    sums = np.zeros((groups, 6))
    np.add.at(sums, clusters, np.column_stack([np.ones(a.size), a, b, a * a, b * b, a * b]))
    parts = [counts.astype(np.float64) @ sums for counts in resample_counts(groups, resamples, seed)]
    n, sa, sb, saa, sbb, sab = np.concatenate(parts).T
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = (n * sab - sa * sb) / np.sqrt((n * saa - sa**2) * (n * sbb - sb**2))
    low, high = percentile_interval(rho[:, None], groups, level)
    return float(low[0]), float(high[0])
