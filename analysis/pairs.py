"""Compare every pair of configurations on the tasks and test cases that both have: the numbers behind significance.csv.

Where verdicts of test cases are stored, McNemar's test counts test cases and the plain bootstrap draws them. That is what the paper does;
it takes alike cases of one task for independent, so both are too sure of themselves. The clustered interval and the permutation test draw
whole tasks, and they alone decide what is resolved. Where only scores exist, a task counts as passed from a threshold on, and the plain
interval is the clustered one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analysis import stats
from analysis.frame import Frame, floats
from analysis.stats import Floats, Ints
from analysis.verdicts import Verdicts

Configuration = tuple[str, str]


@dataclass(frozen=True)
class Pairs:
    """One entry a pair in every array; differences are first minus second, in shares of 1."""

    first: list[Configuration]
    second: list[Configuration]
    tasks: Ints
    """Tasks that both have."""
    tasks_left_out: Ints
    difference: Floats
    """Mean of the tasks' differences of SM."""
    clustered: tuple[Floats, Floats]
    """95 % interval that draws tasks."""
    plain: tuple[Floats, Floats]
    """95 % interval that draws test cases, where there are any, each with its weight in the macro-average."""
    unit: str
    """What McNemar's test counts."""
    units: Ints
    units_left_out: Ints
    only_first: Ints
    only_second: Ints
    mcnemar: Floats
    permutation: Floats
    dz: Floats
    g: Floats

    @property
    def resolved(self) -> list[bool]:
        """Whether the clustered interval excludes zero."""
        low, high = self.clustered
        return [bool(value) for value in (low > 0) | (high < 0)]


def compare(frame: Frame, *, threshold: float, resamples: int, seed: int) -> Pairs:
    """All pairs of the frame's configurations. Vectorised: all pairs share the resamples."""
    configurations = frame.configurations
    places = list(combinations(range(len(configurations)), 2))
    first, second = np.array([i for i, _ in places], dtype=np.int64), np.array([j for _, j in places], dtype=np.int64)
    scores = np.column_stack([floats(column) for _name, column in frame.matrix("sm").items()])
    differences = scores[:, first] - scores[:, second]
    paired = count(differences)
    clustered = interval(scores, first, second, None, resamples, seed)
    if frame.verdicts is not None:
        unit, passed = "test case", aligned(frame.verdicts, configurations)
        both = passed[:, first] - passed[:, second]
        units = count(both)
        weights = stats.macro_weights(frame.verdicts.task_of, frame.verdicts.pattern_of)
        plain = interval(passed, first, second, weights, resamples, seed)
    else:
        unit = f"task, SM >= {threshold:g}"
        passed = np.where(np.isnan(scores), np.nan, (scores >= threshold - 1e-12).astype(np.float64))
        units, plain = paired, clustered
    only_first, only_second = discordant(passed, first, second)
    permutation = stats.sign_flip(differences, resamples=resamples, seed=seed + 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = np.nansum(differences, axis=0) / paired
    return Pairs(
        [configurations[i] for i, _ in places],
        [configurations[j] for _, j in places],
        paired,
        scores.shape[0] - paired,
        difference,
        clustered,
        plain,
        unit,
        units,
        passed.shape[0] - units,
        only_first,
        only_second,
        stats.mcnemar_exact(only_first, only_second),
        np.where(paired > 0, permutation, np.nan),
        stats.cohen_dz(differences),
        stats.cohen_g(only_first, only_second),
    )


def aligned(verdicts: Verdicts, configurations: list[Configuration]) -> Floats:
    """The verdict matrix with its columns in the given order; NaN for a configuration without stored verdicts."""
    place = {name: index for index, name in enumerate(verdicts.configurations)}
    nothing = np.full(verdicts.passed.shape[0], np.nan)
    return np.column_stack([verdicts.passed[:, place[name]] if name in place else nothing for name in configurations])


def discordant(passed: Floats, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Over the columns `first` and `second` of 1, 0 and NaN: rows that only the first passed, and only the second, by pair."""
    won, lost = (passed == 1).astype(np.float64), (passed == 0).astype(np.float64)
    table = np.rint(won.T @ lost).astype(np.int64)
    return table[first, second], table[second, first]


def count(differences: Floats) -> Ints:
    """Rows that are not NaN, by column."""
    return np.asarray((~np.isnan(differences)).sum(axis=0), dtype=np.int64)


def interval(values: Floats, first: Ints, second: Ints, weights: Floats | None, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """95 % bootstrap intervals of the mean difference of the columns `first` and `second`, over the rows that both have.

    Where no value is missing, the mean of a difference is the difference of means, so that the columns are resampled and not the many
    pairs. A pair with fewer rows gets its own expansion; NaN under two rows.
    """
    units = count(values[:, first] - values[:, second])
    low, high = np.full(units.size, np.nan), np.full(units.size, np.nan)
    if values.shape[0] < 2:
        return low, high
    if np.isnan(values).any():
        samples = stats.bootstrap_means(values[:, first] - values[:, second], weights=weights, resamples=resamples, seed=seed)
    else:
        means = stats.bootstrap_means(values, weights=weights, resamples=resamples, seed=seed)
        samples = means[:, first] - means[:, second]
    for n in np.unique(units[units > 1]):
        same = units == n
        low[same], high[same] = stats.percentile_interval(samples[:, same], int(n))
    return low, high


def spread(frame: Frame) -> Floats:
    """Standard deviation over tasks of the difference of SM, by pair that has at least two tasks."""
    scores = np.column_stack([floats(column) for _name, column in frame.matrix("sm").items()])
    found = []
    for i, j in combinations(range(scores.shape[1]), 2):
        d = scores[:, i] - scores[:, j]
        d = d[~np.isnan(d)]
        if d.size > 1:
            found.append(float(d.std(ddof=1)))
    return np.array(found)
