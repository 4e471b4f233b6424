"""RQ3: what does a repository cost, and does more buy more? Table III, Fig. 4 and rank correlations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import caveats, stats
from analysis.answer import Answer, Question
from analysis.figures import PAGE, Style, legend_below, model_styles, new_figure
from analysis.frame import CONFIGURATION, Frame, floats, label
from analysis.rq1_overall import AVERAGE
from analysis.tables import Table, number, p_value, percent
from analysis.trends import pareto_front

USAGE = {"steps": 2, "prompt_tokens": 0, "completion_tokens": 0, "tokens": 0, "cost_usd": 4}
"""Columns of Table III and their decimals."""
HEADS = {
    "steps": "Steps",
    "prompt_tokens": "Prompt tokens",
    "completion_tokens": "Completion tokens",
    "tokens": "Total tokens",
    "cost_usd": "Cost ($)",
}
QUADRANTS = {(0, 1): "efficient", (1, 1): "strong, costly", (0, 0): "cheap, weak", (1, 0): "wasteful"}
"""(more tokens than the mean, more SM than the mean): name."""


def answer(question: Question) -> Answer:
    """Means a repository by configuration, their correlation with SM, and the plane of tokens and SM."""
    frame = question.frame
    if frame.runs[["steps", "tokens", "cost_usd"]].isna().all(axis=None):
        return Answer("RQ3: cost (Table III, Fig. 4)", ("The results hold no steps, tokens or costs: no model was called.",))
    means = usage(frame)
    csv = means[["model", "framework"]].copy()
    shown = csv.set_axis(["Model", "Framework"], axis=1)
    for name, digits in USAGE.items():
        csv[name] = [number(value, digits) for value in means[name]]
        shown[HEADS[name]] = ["" if pd.isna(value) else f"{value:,.{2 if name == 'cost_usd' else digits}f}" for value in means[name]]
    kept = frame.runs.assign(cost_usd=caveats.without(frame, question.suspects, "cost_usd"))
    csv["cost_usd_clean"] = [number(value, USAGE["cost_usd"]) for value in usage(replace(frame, runs=kept))["cost_usd"]]
    correlations = correlation(question)
    tables = (
        Table("table3_cost", "Steps, tokens and dollars a repository: means by model and framework.", csv, shown),
        Table("correlation", "Spearman's rank correlation of tokens, steps and cost with SM.", correlations),
    )
    figures = {}
    if question.settings.figures and (frame.runs["tokens"] > 0).any():
        figures["fig4_cost"] = plane(frame)
    return Answer("RQ3: cost (Table III, Fig. 4)", _sentences(question, means, correlations), tables, figures)


def usage(frame: Frame) -> pd.DataFrame:
    """Means of USAGE by configuration, then macro-averages by model, framework and over all; NaN where nothing is known."""
    cells = frame.runs.groupby(CONFIGURATION, sort=False)[list(USAGE)].mean()
    blocks = [(name[0], name[1], [name]) for name in frame.configurations]
    blocks += [(model, AVERAGE, [name for name in frame.configurations if name[0] == model]) for model in frame.models]
    blocks += [(AVERAGE, framework, [name for name in frame.configurations if name[1] == framework]) for framework in frame.frameworks]
    blocks.append((AVERAGE, AVERAGE, frame.configurations))
    rows = [[model, framework, *cells.loc[members].mean().tolist()] for model, framework, members in blocks]
    return pd.DataFrame(rows, columns=["model", "framework", *USAGE])


def correlation(question: Question) -> pd.DataFrame:
    """Spearman's rho of tokens, steps and cost with SM: over configurations (their means), over all runs, and within each configuration.

    The interval over all runs is a bootstrap over tasks, since runs of one task are alike; its p-value is left empty for that reason.
    """
    frame = question.frame
    means = frame.runs.groupby(CONFIGURATION, sort=False)[["tokens", "steps", "cost_usd", "sm"]].mean()
    rows: list[list[str]] = []
    for name in ("tokens", "steps", "cost_usd"):
        rows.append(_row(("configurations", "", "", name), stats.spearman(floats(means[name]), floats(means["sm"]))))
        rows.append(_row(("all runs, by task", "", "", name), _clustered(question, name)))
        for model, framework in frame.configurations:
            part = frame.runs[(frame.runs["model"] == model) & (frame.runs["framework"] == framework)]
            rows.append(_row(("runs of one", model, framework, name), stats.spearman(floats(part[name]), floats(part["sm"]))))
    return pd.DataFrame(rows, columns=["over", "model", "framework", "with_sm", "n", "rho", "low", "high", "p"])


def plane(frame: Frame) -> Figure:
    """Fig. 4: SM over total tokens (log scale), a panel a framework."""
    used = [name for name in frame.frameworks if (frame.runs.loc[frame.runs["framework"] == name, "tokens"] > 0).any()]
    styles = model_styles(frame.models)
    across = min(len(used), 3)
    down = -(-len(used) // across)
    figure = new_figure(PAGE if across > 1 else PAGE / 2, 0.8 + 2.5 * down)
    panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel()
    for axes in panels[len(used) :]:
        axes.set_visible(False)
    for axes, framework in zip(panels, used, strict=False):
        _panel(axes, frame.runs[(frame.runs["framework"] == framework) & (frame.runs["tokens"] > 0)], styles)
        axes.set_title(framework)
        axes.set_xlabel("Total tokens (log scale)")
    for axes in panels[::across]:
        axes.set_ylabel("SM (%)")
    legend_below(figure, list(panels), columns=5)
    return figure


def _panel(axes: Axes, runs: pd.DataFrame, styles: dict[str, Style]) -> None:
    """Run points, model centroids, mean lines, quadrants and the Pareto front of the centroids (fewer tokens, more SM)."""
    means = runs.groupby("model", sort=False)[["tokens", "sm"]].mean()
    models, tokens, sm = [str(name) for name in means.index], floats(means["tokens"]), 100 * floats(means["sm"])
    for model in models:
        part, style = runs[runs["model"] == model], styles[model]
        look: dict[str, Any] = {"s": 5, "color": style.colour, "marker": style.marker, "alpha": 0.3, "linewidths": 0, "rasterized": True}
        axes.scatter(floats(part["tokens"]), 100 * floats(part["sm"]), **look)
    for place, model in enumerate(models):
        mark: dict[str, Any] = {
            "s": 55,
            "color": styles[model].colour,
            "marker": styles[model].marker,
            "edgecolors": "black",
            "linewidths": 0.8,
            "zorder": 4,
        }
        axes.scatter(tokens[place], sm[place], label=model, **mark)
    axes.axvline(float(tokens.mean()), color="#555555", linewidth=0.7, linestyle="--", label="mean of models")
    axes.axhline(float(np.nanmean(sm)), color="#555555", linewidth=0.7, linestyle="--")
    best = np.flatnonzero(pareto_front(tokens, sm))
    best = best[np.argsort(tokens[best], kind="stable")]
    axes.step(tokens[best], sm[best], where="post", color="black", linewidth=1.2, label="Pareto front", zorder=3)
    axes.set_xscale("log")
    axes.set_ylim(-3, 103)
    for (right, top), name in QUADRANTS.items():
        place_at: dict[str, Any] = {"ha": "right" if right else "left", "va": "top" if top else "bottom"}
        box = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 1}
        axes.text(
            0.015 + 0.97 * right, 0.015 + 0.97 * top, name, transform=axes.transAxes, fontsize=7, fontstyle="italic", bbox=box, **place_at
        )


def _row(names: tuple[str, ...], found: stats.Correlation) -> list[str]:
    return [*names, str(found.n), number(found.rho, 3), number(found.low, 3), number(found.high, 3), p_value(found.p)]


def _clustered(question: Question, name: str) -> stats.Correlation:
    runs = question.frame.runs[[name, "sm", "task"]].dropna()
    x, y = floats(runs[name]), floats(runs["sm"])
    tasks = runs.groupby("task").ngroup().to_numpy().astype(np.int64)
    low, high = stats.clustered_spearman(x, y, tasks, resamples=question.settings.resamples, seed=question.settings.seed)
    return stats.Correlation(int(x.size), stats.spearman(x, y).rho, float("nan"), low, high)


def _sentences(question: Question, means: pd.DataFrame, correlations: pd.DataFrame) -> tuple[str, ...]:
    said = _extremes(means[(means["model"] != AVERAGE) & (means["framework"] != AVERAGE)])
    for name, word in (("tokens", "Tokens"), ("steps", "Steps")):
        rows = {row["over"]: row for row in correlations[correlations["with_sm"] == name].to_dict("records")}
        over, runs = rows["configurations"], rows["all runs, by task"]
        if over["rho"]:
            said.append(
                f"{word} and SM have Spearman's rho {over['rho']} over {over['n']} configurations (95 % interval {over['low']} to "
                f"{over['high']}, p = {over['p']}) and {runs['rho']} ({runs['low']} to {runs['high']}) over {runs['n']} runs."
            )
    front = question.frame.runs.groupby(CONFIGURATION, sort=False)[["tokens", "sm"]].mean().dropna()
    if len(front):
        best = front[pareto_front(floats(front["tokens"]), floats(front["sm"]))].sort_values("tokens").reset_index().to_dict("records")
        listed = ", ".join(
            f"{label((row['model'], row['framework']))} ({row['tokens']:,.0f} tokens, SM {percent(row['sm'])} %)" for row in best
        )
        said.append(f"On the Pareto front of tokens and SM are: {listed}.")
    return tuple(said)


def _extremes(cells: pd.DataFrame) -> list[str]:
    rows = cells.to_dict("records")
    said = []
    priced = sorted((row for row in rows if not np.isnan(row["cost_usd"])), key=lambda row: float(row["cost_usd"]))
    if priced:
        low, high = priced[0], priced[-1]
        said.append(
            f"A repository costs from {number(low['cost_usd'])} dollars ({label((low['model'], low['framework']))}) "
            f"to {number(high['cost_usd'])} ({label((high['model'], high['framework']))})."
        )
    counted = sorted((row for row in rows if not np.isnan(row["tokens"])), key=lambda row: float(row["tokens"]))
    if counted:
        few, many = counted[0], counted[-1]
        said.append(
            f"{label((few['model'], few['framework']))} uses the fewest tokens, {few['tokens']:,.0f} in {number(few['steps'])} steps; "
            f"{label((many['model'], many['framework']))} the most, {many['tokens']:,.0f} in {number(many['steps'])} steps."
        )
    return said


if __name__ == "__main__":
    from analysis.app import main

    main("rq3_cost")
