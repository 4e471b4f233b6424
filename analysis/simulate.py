"""Results whose truth is known, to see whether intervals and tests keep what they promise (tests and scripts/bench_analysis.py use it)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analysis import stats
from analysis.pairs import discordant
from analysis.stats import Floats


@dataclass(frozen=True)
class Coverage:
    """Shares of simulated results whose 95 % interval holds the true difference."""

    clustered: float
    plain: float


@dataclass(frozen=True)
class FamilyErrors:
    """Shares of tables of equal configurations with at least one pair below 0.05."""

    permutation: float
    """Permutation test over tasks, after Holm."""
    mcnemar: float
    """McNemar over tasks, after Holm."""
    permutation_uncorrected: float


def paired_coverage(*, tasks: int, simulations: int, resamples: int, seed: int) -> float:
    """Coverage of the paired bootstrap over tasks for scores as skewed as the published ones: two beta variables that share a difficulty.

    Scores are a common part and one's own, so that pairs correlate; the true difference is 0.1.
    """
    rng = np.random.default_rng(seed)
    common = rng.beta(0.5, 1.0, size=(tasks, simulations))
    first, second = rng.beta(0.6, 0.6, size=(tasks, simulations)), rng.beta(0.5, 0.9, size=(tasks, simulations))
    differences = 0.5 * (common + first) - 0.5 * (common + second)
    truth = 0.5 * (0.5 - 0.5 / 1.4)
    low, high = stats.percentile_interval(stats.bootstrap_means(differences, resamples=resamples, seed=seed + 1), tasks)
    return float(((low <= truth) & (truth <= high)).mean())


def clustered_coverage(*, tasks: int, cases: int, likeness: float, simulations: int, resamples: int, seed: int) -> Coverage:
    """Coverage of the difference of two configurations' pass rates where cases of a task are alike.

    Each configuration has its own pass probability in each task, from a beta distribution with intra-class correlation `likeness` about
    means 0.45 and 0.35; cases are drawn from it.
    """
    rng = np.random.default_rng(seed)
    passed = [rng.random((tasks, cases, simulations)) < _rates(rng, mean, likeness, (tasks, 1, simulations)) for mean in (0.45, 0.35)]
    differences = passed[0].astype(np.float32) - passed[1].astype(np.float32)
    truth = 0.1
    by_task = stats.bootstrap_means(differences.mean(axis=1).astype(np.float64), resamples=resamples, seed=seed + 1)
    low, high = stats.percentile_interval(by_task, tasks)
    clustered = ((low <= truth) & (truth <= high)).mean()
    by_case = stats.bootstrap_means(differences.reshape(tasks * cases, simulations).astype(np.float64), resamples=resamples, seed=seed + 2)
    low, high = stats.percentile_interval(by_case, tasks * cases)
    return Coverage(float(clustered), float(((low <= truth) & (truth <= high)).mean()))


def family_errors(*, configurations: int, tasks: int, tables: int, resamples: int, seed: int) -> FamilyErrors:
    """How often the whole pairwise table of equal configurations claims a difference; tasks differ in difficulty, as real ones do."""
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(configurations), 2))
    first, second = np.array([i for i, _ in pairs], dtype=np.int64), np.array([j for _, j in pairs], dtype=np.int64)
    hits = np.zeros(3)
    for table in range(tables):
        difficulty = rng.beta(0.6, 1.0, size=(tasks, 1))
        scores = np.clip(difficulty + rng.normal(0, 0.25, size=(tasks, configurations)), 0, 1)
        permutation = stats.sign_flip(scores[:, first] - scores[:, second], resamples=resamples, seed=seed + table)
        mcnemar = stats.mcnemar_exact(*discordant((scores >= 0.5).astype(np.float64), first, second))
        hits += [(stats.holm(permutation) < 0.05).any(), (stats.holm(mcnemar) < 0.05).any(), (permutation < 0.05).any()]
    return FamilyErrors(*map(float, hits / tables))


def table_of_nothing(rng: np.random.Generator, *, configurations: int, tasks: int, cases: int, likeness: float) -> Floats:
    """Verdicts (tasks, cases, configurations) of configurations with one and the same distribution, cases of a task being alike."""
    rates = _rates(rng, 0.4, likeness, (tasks, 1, configurations))
    return np.asarray(rng.random((tasks, cases, configurations)) < rates, dtype=np.float64)


def _rates(rng: np.random.Generator, mean: float, likeness: float, shape: tuple[int, ...]) -> Floats:
    if likeness == 0:
        return np.full(shape, mean)
    size = (1 - likeness) / likeness
    return np.asarray(rng.beta(mean * size, (1 - mean) * size, size=shape), dtype=np.float64)
