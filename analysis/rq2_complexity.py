"""RQ2: do larger tools score lower? SM by difficulty, Fig. 3, and a test of the U shape that the paper sees."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis import caveats, stats, trends
from analysis.answer import Answer, Question
from analysis.figures import COLUMN, DIFFICULTY_STYLE, legend_below, new_figure
from analysis.frame import DIFFICULTIES, METRICS
from analysis.tables import Table, number, p_value, percent

MIN_TASKS = 8
"""Tasks with known oracle size below which no curve is drawn or tested."""


def answer(question: Question) -> Answer:
    """SM by difficulty and model, the smooth curve over oracle size, and what the data say of a U."""
    frame = question.frame
    present = [name for name in DIFFICULTIES if (frame.runs["difficulty"] == name).any()]
    grouped = frame.runs.groupby("difficulty")[list(METRICS)].mean().reindex(present)
    counts = frame.tasks["difficulty"].value_counts()
    means = dict(zip(present, grouped.to_numpy(dtype=np.float64), strict=True))
    rows = [[name, str(counts[name]), *(percent(value) for value in means[name])] for name in present]
    kept = caveats.without(frame, question.suspects, "sm").groupby(frame.runs["difficulty"]).mean().reindex(present)
    rows = [[*row, percent(value)] for row, value in zip(rows, kept, strict=True)]
    by_difficulty = pd.DataFrame(rows, columns=["difficulty", "tasks", *METRICS, "sm_clean"])
    by_model = frame.runs.groupby(["model", "difficulty"])["sm"].mean().unstack().reindex(index=frame.models, columns=present)
    models = by_model.rename_axis(columns=None).map(percent).reset_index()
    tables = [
        Table("difficulty_overall", "Scores in percent by difficulty.", by_difficulty),
        Table("difficulty_by_model", "SM in percent by model and difficulty.", models),
    ]
    listed = ", ".join(f"{name} {percent(means[name][METRICS.index('sm')])} % ({counts[name]} tasks)" for name in present)
    sentences = [f"SM by difficulty: {listed}."]
    trend, said = difficulty_trend(question)
    tables += [trend] if trend is not None else []
    sentences += said
    points = sized_tasks(question)
    figures = {}
    if question.settings.figures and len(points) >= MIN_TASKS:
        figures["fig3_complexity"] = scatter(points, question.settings.seed)
    return Answer("RQ2: complexity (Fig. 3)", tuple(sentences), tuple(tables), figures)


def sized_tasks(question: Question) -> pd.DataFrame:
    """Tasks whose oracle's size is known, with `sm`: the mean over all runs."""
    tasks = question.frame.tasks.set_index("task")
    tasks["sm"] = question.frame.runs.groupby("task")["sm"].mean()
    return tasks[(tasks["oracle_loc"] > 0) & tasks["sm"].notna()]


def difficulty_trend(question: Question) -> tuple[Table | None, list[str]]:
    """Contrasts of the three classes and the U test, over tasks (a task's SM is its mean over runs, so each counts once)."""
    tasks = question.frame.tasks.set_index("task")
    tasks["sm"] = question.frame.runs.groupby("task")["sm"].mean()
    tasks = tasks[tasks["sm"].notna()]
    groups = {name: tasks.loc[tasks["difficulty"] == name, "sm"].to_numpy(dtype=np.float64) for name in DIFFICULTIES}
    rows, said = _class_rows(groups)
    points = sized_tasks(question)
    if len(points) >= MIN_TASKS:
        more, shapes, sentence = _curve_rows(points)
        rows += more
        said.append(sentence)
        said.append(_verdict(groups, shapes))
    if not rows:
        return None, said
    frame = pd.DataFrame(rows, columns=["question", "method", "estimate", "low", "high", "p"])
    return Table("difficulty_trend", "Tests of a trend over difficulty, over tasks; differences in points of SM.", frame), said


def _class_rows(groups: dict[str, stats.Floats]) -> tuple[list[list[str]], list[str]]:
    pairs = (("easy", "medium"), ("hard", "medium"), ("easy", "hard"))
    found = {pair: trends.welch(groups[pair[0]], groups[pair[1]]) for pair in pairs}
    rows = [
        [f"{first} minus {second}", "Welch", percent(one.difference), percent(one.low), percent(one.high), p_value(one.p)]
        for (first, second), one in found.items()
        if not np.isnan(one.p)
    ]
    fall, rise = found["easy", "medium"], found["hard", "medium"]
    if np.isnan(fall.p) or np.isnan(rise.p):
        return rows, []
    both = max(_one_sided(fall), _one_sided(rise))
    rows.append(["U by classes: easy and hard both above medium", "intersection-union", "", "", "", p_value(both)])
    said = (
        f"Easy is above medium by {percent(fall.difference)} points (95 % interval {percent(fall.low)} to {percent(fall.high)}), "
        f"hard above medium by {percent(rise.difference)} ({percent(rise.low)} to {percent(rise.high)}); for both p = {p_value(both)}."
    )
    return rows, [said]


def _curve_rows(points: pd.DataFrame) -> tuple[list[list[str]], list[trends.UShape], str]:
    x, y = np.log10(points["oracle_loc"].to_numpy(dtype=np.float64)), points["sm"].to_numpy(dtype=np.float64)
    languages = pd.get_dummies(points["language"], drop_first=True).to_numpy(dtype=np.float64)
    plain, adjusted = trends.u_shape(x, y), trends.u_shape(x, y, languages)
    rank = stats.spearman(x, y)
    rows = []
    for name, shape in (("", plain), (", language held constant", adjusted)):
        rows.append([f"curvature over log10 lines{name}", "OLS, HC3", number(shape.curvature, 4), "", "", p_value(shape.curvature_p)])
        rows.append([f"U: falls at the low end, rises at the high end{name}", "Lind-Mehlum", "", "", "", p_value(shape.p)])
    rows.append(
        ["Spearman of oracle lines with SM", "rank", number(rank.rho, 3), number(rank.low, 3), number(rank.high, 3), p_value(rank.p)]
    )
    said = (
        f"A quadratic over log10 lines of code has curvature {number(plain.curvature, 4)} (p = {p_value(plain.curvature_p)}), with "
        f"language held constant {number(adjusted.curvature, 4)} (p = {p_value(adjusted.curvature_p)}); the U test gives "
        f"p = {p_value(plain.p)} and {p_value(adjusted.p)}; Spearman of size and SM is {number(rank.rho, 3)} (p = {p_value(rank.p)})."
    )
    return rows, [plain, adjusted], said


def _verdict(groups: dict[str, stats.Floats], shapes: list[trends.UShape]) -> str:
    fall, rise = trends.welch(groups["easy"], groups["medium"]), trends.welch(groups["hard"], groups["medium"])
    if all(shape.p < 0.05 for shape in shapes) and _one_sided(fall) < 0.05 and _one_sided(rise) < 0.05:
        return (
            "The data support a U shape: easy and hard are above medium, and the curve falls and rises, also with language held constant."
        )
    if all(values.size for values in groups.values()) and groups["easy"].mean() > groups["medium"].mean() < groups["hard"].mean():
        return (
            "The class means lie in the order of a U, but the data do not establish one: with these tasks it can't be told from no trend, "
            "nor from a plain decline."
        )
    return "The data do not support a U shape."


def scatter(points: pd.DataFrame, seed: int) -> Figure:
    """Fig. 3: a point a task, SM over the oracle's lines of code (log scale), LOESS and its bootstrap band."""
    figure = new_figure(COLUMN, 2.7)
    axes = figure.add_subplot()
    x, y = np.log10(points["oracle_loc"].to_numpy(dtype=np.float64)), 100 * points["sm"].to_numpy(dtype=np.float64)
    at = np.linspace(x.min(), x.max(), 80)
    low, high = trends.loess_band(x, y, at, seed=seed)
    axes.fill_between(
        10**at, np.clip(low, 0, 100), np.clip(high, 0, 100), color="#9A9A9A", alpha=0.35, linewidth=0, label="95 % bootstrap band"
    )
    axes.plot(10**at, trends.loess(x, y, at), color="black", linewidth=1.4, label="LOESS")
    for name, (colour, marker) in DIFFICULTY_STYLE.items():
        part = points[points["difficulty"] == name]
        axes.scatter(
            part["oracle_loc"],
            100 * part["sm"],
            s=13,
            color=colour,
            marker=marker,
            linewidths=0.3,
            edgecolors="white",
            label=name,
            zorder=3,
        )
    for limit in (1500, 4000):  # where medium begins, and hard
        axes.axvline(limit, color="#777777", linewidth=0.6, linestyle=":")
        axes.annotate(
            f"{limit:,}",
            (limit, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            size="small",
        )
    axes.set_xscale("log")
    axes.set_ylim(-2, 102)
    axes.set_xlabel("Lines of code of the oracle")
    axes.set_ylabel("SM (%), mean over runs")
    legend_below(figure, [axes], columns=3)
    return figure


def _one_sided(contrast: trends.Contrast) -> float:
    return contrast.p / 2 if contrast.difference > 0 else 1 - contrast.p / 2


if __name__ == "__main__":
    from analysis.app import main

    main("rq2_complexity")
