"""Which configurations differ, and what can a number of tasks resolve? Intervals, the pairwise table, and planning."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from analysis import caveats, pairs, stats
from analysis.answer import Answer, Question
from analysis.frame import Frame, floats, label
from analysis.pairs import Pairs
from analysis.tables import Table, number, p_value, percent

NOT_RESOLVED: Final = "not resolved"
PLANNED_TASKS: Final = (9, 20, 47, 94, 200, 500, 1000)
CAPTIONS: Final = {
    "intervals": "SM by configuration in percent: mean, standard deviation over tasks (share), half-widths of the normal 90 % and 95 % "
    "intervals as on the published leaderboard, and the 95 % bootstrap interval over tasks.",
    "significance": "Every pair of configurations: difference of SM (first minus second, points), 95 % intervals that draw tasks "
    "(clustered) and test cases (plain), McNemar's exact test and a permutation test over tasks, both also with Holm's correction; "
    "effect sizes.",
    "planning": "Minimum detectable difference of SM in points (two-sided paired t test over tasks, power 80 %), for one comparison and "
    "with Bonferroni over all pairs.",
}


def answer(question: Question) -> Answer:
    """Intervals by configuration, the pairwise table, and the minimum detectable difference."""
    frame, settings = question.frame, question.settings
    own = Table("intervals", CAPTIONS["intervals"], intervals(question))
    if len(frame.configurations) < 2:
        said = f"There is one configuration only ({label(frame.configurations[0])}): nothing to compare."
        return Answer("Significance", (said,), (own,))
    found = pairs.compare(frame, threshold=settings.threshold, resamples=settings.resamples, seed=settings.seed)
    holm = stats.holm(found.mcnemar), stats.holm(found.permutation)
    spread = pairs.spread(frame)
    tables = (
        own,
        Table("significance", CAPTIONS["significance"], pairwise(found, *holm)),
        Table("planning", CAPTIONS["planning"], plan(spread, len(found.first))),
    )
    return Answer("Significance", tuple(_sentences(frame, found, holm, spread)), tables)


def intervals(question: Question) -> pd.DataFrame:
    """Mean, SD and intervals of SM by configuration, best first; `sm_clean` is the mean without suspect runs."""
    frame, resamples, seed = question.frame, question.settings.resamples, question.settings.seed
    clean = caveats.without(frame, question.suspects, "sm")
    kept = dict(replace(frame, runs=frame.runs.assign(sm=clean)).matrix("sm").mean().items())
    rows: list[tuple[float, list[str]]] = []
    for name, column in frame.matrix("sm").items():
        values = floats(column.dropna())
        got = stats.summarise(values)
        low, high = np.array([np.nan]), np.array([np.nan])
        if values.size > 1:
            samples = stats.bootstrap_means(values[:, None], resamples=resamples, seed=seed)
            low, high = stats.percentile_interval(samples, values.size)
        numbers = [
            percent(got.mean),
            number(got.sd, 3),
            percent(got.half90),
            percent(got.half95),
            percent(low[0]),
            percent(high[0]),
            percent(kept[name]),
        ]
        rows.append((got.mean, [*map(str, name if isinstance(name, tuple) else (name,)), str(got.n), *numbers]))
    rows.sort(key=lambda row: 1.0 if np.isnan(row[0]) else -row[0])
    columns = ["model", "framework", "n", "sm", "sd", "half90", "half95", "boot95_low", "boot95_high", "sm_clean"]
    return pd.DataFrame([row for _, row in rows], columns=columns)


def pairwise(found: Pairs, mcnemar_holm: stats.Floats, permutation_holm: stats.Floats) -> pd.DataFrame:
    """The table of all pairs, as it is written."""
    count = range(len(found.first))
    return pd.DataFrame(
        {
            "first_model": [name[0] for name in found.first],
            "first_framework": [name[1] for name in found.first],
            "second_model": [name[0] for name in found.second],
            "second_framework": [name[1] for name in found.second],
            "tasks": found.tasks,
            "tasks_left_out": found.tasks_left_out,
            "difference": [percent(value) for value in found.difference],
            "clustered_low": [percent(value) for value in found.clustered[0]],
            "clustered_high": [percent(value) for value in found.clustered[1]],
            "plain_low": [percent(value) for value in found.plain[0]],
            "plain_high": [percent(value) for value in found.plain[1]],
            "mcnemar_unit": found.unit,
            "units": found.units,
            "units_left_out": found.units_left_out,
            "only_first": found.only_first,
            "only_second": found.only_second,
            "mcnemar_p": [p_value(value) for value in found.mcnemar],
            "mcnemar_holm": [p_value(value) for value in mcnemar_holm],
            "permutation_p": [p_value(value) for value in found.permutation],
            "permutation_holm": [p_value(value) for value in permutation_holm],
            "effect_dz": [number(value, 3) for value in found.dz],
            "effect_g": [number(value, 3) for value in found.g],
            "resolved": [_resolved(found, k) for k in count],
        }
    )


def plan(spread: stats.Floats, comparisons: int) -> pd.DataFrame:
    """Minimum detectable difference for numbers of tasks, from the median and the largest SD of paired differences."""
    rows = []
    kinds = (("median", float(np.median(spread))), ("largest", float(spread.max()))) if spread.size else ()
    for n in PLANNED_TASKS:
        for kind, sd in kinds:
            one = stats.detectable_difference(sd, n)
            family = stats.detectable_difference(sd, n, alpha=0.05 / comparisons)
            rows.append([str(n), kind, number(sd, 4), percent(one), percent(family)])
    return pd.DataFrame(rows, columns=["tasks", "sd_of_pairs", "sd", "detectable", "detectable_in_family"])


def _resolved(found: Pairs, k: int) -> str:
    if not found.resolved[k]:
        return NOT_RESOLVED
    return f"{label(found.first[k] if found.difference[k] > 0 else found.second[k])} is better"


def _sentences(frame: Frame, found: Pairs, holm: tuple[stats.Floats, stats.Floats], spread: stats.Floats) -> list[str]:
    total, resolved = len(found.first), sum(found.resolved)
    said = [
        f"Of {total} pairs of configurations the 95 % interval clustered by task excludes zero in {resolved}; {total - resolved} are not "
        f"resolved. After Holm over all pairs {int((holm[1] < 0.05).sum())} differ by the permutation test over tasks and "
        f"{int((holm[0] < 0.05).sum())} by McNemar's exact test ({found.unit})."
    ]
    means = frame.matrix("sm").mean()
    best, runner = sorted(frame.configurations, key=lambda name: -float(np.nan_to_num(means[name])))[:2]
    k = next(k for k in range(total) if {found.first[k], found.second[k]} == {best, runner})
    said.append(
        f"Between the two best, {label(best)} and {label(runner)}, the difference is {percent(abs(found.difference[k]))} points "
        f"(Holm p = {p_value(holm[1][k])}): {_resolved(found, k)}."
    )
    if found.unit == "test case":
        plain, clustered = found.plain[1] - found.plain[0], found.clustered[1] - found.clustered[0]
        wide = np.isfinite(plain) & (clustered > 0)  # false where both agree on every task, or one task is all there is
        if wide.any():
            narrower = float(np.median(plain[wide] / clustered[wide]))
            said.append(
                f"Plain intervals, which take test cases for independent, are {number(narrower)} times as wide as the clustered ones "
                "(median)."
            )
    short = int(((found.tasks_left_out > 0) | (found.units_left_out > 0)).sum())
    if short:
        said.append(
            f"{short} pairs leave out what one of the two lacks: up to {int(found.tasks_left_out.max())} of {len(frame.tasks)} tasks "
            f"and {int(found.units_left_out.max())} of {int((found.units + found.units_left_out).max())} units of McNemar's test."
        )
    sd, tasks = float(np.median(spread)) if spread.size else math.nan, len(frame.tasks)
    one, family = stats.detectable_difference(sd, tasks), stats.detectable_difference(sd, tasks, alpha=0.05 / total)
    if math.isfinite(one) and math.isfinite(family):  # not with one task, or where all pairs agree on every task
        said.append(
            f"With {tasks} tasks and the median spread of pairs, the smallest difference found with 80 % power is {percent(one)} points, "
            f"and {percent(family)} if it has to stand among all {total} pairs (planning.csv has other numbers of tasks)."
        )
    return said


if __name__ == "__main__":
    from analysis.app import main

    main("significance")
