"""RQ1: how well do models and frameworks build CLI tools? Table II and Fig. 2."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis import caveats
from analysis.answer import Answer, Question
from analysis.dataset import by_count
from analysis.figures import legend_below, model_styles, new_figure
from analysis.frame import METRIC_NAMES, METRICS, Frame
from analysis.tables import Table, percent

AVERAGE = "Average"
LANGUAGE_NAMES = {"go": "Go", "python": "Python", "javascript": "JavaScript"}


def answer(question: Question) -> Answer:
    """Table II as the source has it, and once more without what looks wrong; SM by language, as a radar."""
    frame = question.frame
    means = overall(frame.runs, frame)
    undoubted = frame.runs.assign(**{metric: caveats.without(frame, question.suspects, metric) for metric in METRICS})
    clean = overall(undoubted, frame)
    csv = means[["model", "framework"]].copy()
    for metric in METRICS:
        csv[metric] = [percent(value) for value in means[metric]]
    csv["runs"] = means["runs"]
    csv["missing"] = means["missing"]
    for metric in METRICS:
        csv[f"{metric}_clean"] = [percent(value) for value in clean[metric]]
    series = frame.series
    by_language = frame.runs.groupby([series, "language"], sort=False)["sm"].mean().unstack()
    by_language = by_language.loc[list(dict.fromkeys(series)), by_count(frame.tasks["language"])]
    languages = by_language.rename_axis(columns=None).map(percent).reset_index()
    shown, bold = wide(means, frame)
    shown_clean, bold_clean = wide(clean, frame)
    tables = (
        Table(
            "table2_overall",
            "Scores of each model and framework in percent; averages are macro-averages; the best of each column is bold.",
            csv,
            shown,
            bold,
        ),
        Table(
            "table2_overall_clean",
            "As table2_overall, without the runs that a detector suspects (caveats.csv).",
            _clean_csv(clean),
            shown_clean,
            bold_clean,
        ),
        Table("fig2_language", "SM in percent by model and language (Fig. 2).", languages),
    )
    figures = {"fig2_language": radar(by_language)} if question.settings.figures else {}
    return Answer("RQ1: overall performance (Table II, Fig. 2)", _sentences(frame, means, undoubted), tables, figures)


def overall(runs: pd.DataFrame, frame: Frame) -> pd.DataFrame:
    """Mean of every metric (shares) by configuration, then macro-averages: by model, by framework and over all configurations.

    Columns model, framework, METRICS, runs, missing. A macro-average is the mean of configuration means, each counting the same.
    """
    cells = runs.groupby(["model", "framework"], sort=False)[list(METRICS)].mean()
    cells["runs"] = runs.groupby(["model", "framework"], sort=False).size()
    cells["missing"] = runs["build"].isna().groupby([runs["model"], runs["framework"]], sort=False).sum()
    known = dict(zip(cells.index, cells.to_numpy(dtype=np.float64), strict=True))
    rows: list[list[object]] = [[*name, *known[name]] for name in frame.configurations]
    blocks = [
        *[(model, AVERAGE, [c for c in frame.configurations if c[0] == model]) for model in frame.models],
        *[(AVERAGE, framework, [c for c in frame.configurations if c[1] == framework]) for framework in frame.frameworks],
        (AVERAGE, AVERAGE, frame.configurations),
    ]
    for model, framework, members in blocks:
        part = cells.loc[members]
        rows.append([model, framework, *part[list(METRICS)].mean(), part["runs"].sum(), part["missing"].sum()])
    return pd.DataFrame(rows, columns=["model", "framework", *METRICS, "runs", "missing"]).astype({"runs": int, "missing": int})


def wide(means: pd.DataFrame, frame: Frame) -> tuple[pd.DataFrame, frozenset[tuple[int, int]]]:
    """The table for the eye: a row a model and the average last, a group of columns a framework, the average last; and its bold cells."""
    values = means.set_index(["model", "framework"])
    rows = [*frame.models, AVERAGE]
    groups = [*frame.frameworks, AVERAGE]
    columns: dict[tuple[str, str], list[str]] = {("", "Model"): rows}
    bold: set[tuple[int, int]] = set()
    for group in groups:
        for metric in METRICS:
            numbers = np.array([values[metric].get((model, group), np.nan) for model in rows], dtype=np.float64)
            text = [percent(value) for value in numbers]
            best = percent(np.nanmax(numbers[:-1])) if not np.isnan(numbers[:-1]).all() else ""
            bold |= {(row, len(columns)) for row, cell in enumerate(text[:-1]) if cell and cell == best and len(frame.models) > 1}
            columns[(group, METRIC_NAMES[metric])] = text
    return pd.DataFrame(columns), frozenset(bold)


def radar(by_language: pd.DataFrame) -> Figure:
    """Fig. 2: SM in percent by language, a polygon a model; bars where there are fewer than three languages to span one."""
    styles = model_styles(list(map(str, by_language.index)))
    languages = list(by_language.columns)
    figure = new_figure(3.5, 3.6)
    if len(languages) < 3:
        axes = figure.add_subplot()
        width = 0.8 / len(by_language)
        for row, model in enumerate(by_language.index):
            at = np.arange(len(languages)) + (row - (len(by_language) - 1) / 2) * width
            axes.bar(at, 100 * by_language.loc[model], width, color=styles[model].colour, label=model)
        axes.set_xticks(range(len(languages)), languages)
        axes.set_ylabel("SM (%)")
    else:
        axes = figure.add_subplot(projection="polar")
        angles = np.linspace(0, 2 * np.pi, len(languages), endpoint=False)
        for model in by_language.index:
            values = 100 * by_language.loc[model].to_numpy(dtype=np.float64)
            style = styles[model]
            axes.plot(
                np.append(angles, angles[0]),
                np.append(values, values[0]),
                color=style.colour,
                marker=style.marker,
                linestyle=style.line,
                label=model,
            )
        axes.set_theta_zero_location("N")  # type: ignore[attr-defined]
        axes.set_xticks(angles, [LANGUAGE_NAMES.get(language, language) for language in languages])
        axes.set_ylim(0, max(10.0, float(np.ceil(np.nanmax(by_language.to_numpy()) * 10) * 10)))
        axes.set_rlabel_position(180)  # type: ignore[attr-defined]
        axes.tick_params(axis="x", pad=7)
        axes.grid(linewidth=0.5, color="#CCCCCC")
        axes.spines["polar"].set(linewidth=0.5, color="#999999")
        axes.set_title("SM (%) by language", pad=4)
    legend_below(figure, [axes], columns=2)
    return figure


def _clean_csv(clean: pd.DataFrame) -> pd.DataFrame:
    csv = clean[["model", "framework"]].copy()
    for metric in METRICS:
        csv[metric] = [percent(value) for value in clean[metric]]
    return csv


def _sentences(frame: Frame, means: pd.DataFrame, undoubted: pd.DataFrame) -> tuple[str, ...]:
    total, without = frame.runs[list(METRICS)].mean(), undoubted[list(METRICS)].mean()
    cells = means[(means["model"] != AVERAGE) & (means["framework"] != AVERAGE)]
    listed = ", ".join(f"{METRIC_NAMES[metric]} {percent(total[metric])}" for metric in METRICS)
    changed = [metric for metric in METRICS if percent(total[metric]) != percent(without[metric])]
    sentences = [f"Over all {len(frame.runs):,} runs the means are, in %: {listed}."]
    if changed:
        listed = ", ".join(f"{METRIC_NAMES[metric]} {percent(without[metric])}" for metric in changed)
        sentences.append(f"Without the runs that look wrong they become: {listed}.")
    if len(cells) > 1:
        ranked = cells.sort_values("sm", ascending=False, kind="stable")
        best, worst = ranked.iloc[0], ranked.iloc[-1]
        sentences.append(
            f"The best configuration by SM is {best['model']} / {best['framework']} with {percent(best['sm'])} %, "
            f"the last {worst['model']} / {worst['framework']} with {percent(worst['sm'])} %."
        )
    if len(frame.models) > 1:
        models = means[(means["framework"] == AVERAGE) & (means["model"] != AVERAGE)].sort_values("sm", ascending=False)
        listed = ", ".join(f"{row['model']} {percent(row['sm'])}" for row in models.to_dict("records"))
        sentences.append(f"SM by model, frameworks averaged: {listed}.")
    languages = frame.runs.groupby("language")["sm"].mean().sort_values(ascending=False)
    sentences.append("SM by language: " + ", ".join(f"{language} {percent(value)}" for language, value in languages.items()) + ".")
    missing = int(means["missing"].iloc[-1])
    if missing:
        low, high = frame.runs["sm"].fillna(0.0).mean(), frame.runs["sm"].fillna(1.0).mean()
        sentences.append(
            f"{missing} runs are missing and left out; had all failed, SM would be {percent(low)} %, had all passed, {percent(high)} %."
        )
    return tuple(sentences)


if __name__ == "__main__":
    from analysis.app import main

    main("rq1_overall")
