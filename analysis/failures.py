"""Where runs fail (paper V-A, Fig. 6): at the installation, at the first command, or in what they print; with examples from recordings."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

import pandas as pd
from matplotlib.figure import Figure

from analysis import examples
from analysis.answer import Answer, Question
from analysis.figures import PAGE, legend_below, new_figure
from analysis.frame import label
from analysis.tables import Table, number

STAGES: Final = {
    "no build": "#B2182B",
    "build, Exec 0": "#EF8A62",
    "Exec above 0, SM 0": "#FDDBC7",
    "SM in part": "#92C5DE",
    "SM full": "#2166AC",
}
"""In the order of the gates; colours from red to blue, told apart by lightness as well."""


def answer(question: Question) -> Answer:
    """Shares of the stages, over all runs and by configuration."""
    frame = question.frame
    stages = stage(frame.runs)
    known = stages.notna()
    rows = [["all", "all", *_shares(stages[known])]]
    shares = {}
    for model, framework in frame.configurations:
        part = stages[known & (frame.runs["model"] == model) & (frame.runs["framework"] == framework)]
        rows.append([model, framework, *_shares(part)])
        shares[label((model, framework))] = part.value_counts(normalize=True).reindex(list(STAGES)).fillna(0.0)
    columns = ["model", "framework", "runs", *(name.replace(",", "").replace(" ", "_").lower() for name in STAGES)]
    table = Table("failure_stages", "Share of runs in percent that end at each stage.", pd.DataFrame(rows, columns=columns))
    total = stages[known].value_counts(normalize=True).reindex(list(STAGES)).fillna(0.0)
    share = {name: number(100 * total[name], 1) for name in STAGES}
    sentences = [
        f"{share['no build']} % of the runs do not build, {share['build, Exec 0']} % build and never exit as the oracle does (Exec 0), "
        f"{share['Exec above 0, SM 0']} % run and never print what the oracle prints (SM 0); {share['SM full']} % are right in every case."
    ]
    tables = [table]
    if frame.evidence is not None:
        shown = examples.examples(frame.evidence, frame.runs, stages, frame.judge)
        tables.append(Table("failure_examples", "Examples of each stage, from stored recordings.", shown))
        sentences += [_told(row) for row in shown.drop_duplicates("stage").to_dict("records")]
    else:
        sentences.append("These results hold no recordings to show examples from.")
    figures = {"fig6_failure_stages": bars(shares)} if question.settings.figures else {}
    return Answer("Failures (V-A, Fig. 6)", tuple(sentences), tuple(tables), figures)


def _told(row: dict[Hashable, Any]) -> str:
    got = " ".join(str(row["actual"] or row["stderr"]).split())
    what = f"`{row['command'] or row['case']}`: " if row["command"] or row["case"] else ""
    expected = f", expected `{' '.join(str(row['expected']).split())}`" if row["expected"] else ""
    actual = f", got `{got}`" if got else ""
    return f"Example of {row['stage']!r} ({row['model']} / {row['framework']}, {row['task']}): {what}{row['reason']}{expected}{actual}."


def stage(runs: pd.DataFrame) -> pd.Series:
    """The stage of STAGES at which each run ends; missing where its scores are."""
    result = pd.Series("SM in part", index=runs.index, dtype=object)
    result[runs["sm"] >= 1 - 1e-6] = "SM full"
    result[runs["sm"] == 0] = "Exec above 0, SM 0"
    result[runs["exec"] == 0] = "build, Exec 0"
    result[runs["build"] == 0] = "no build"
    result[runs["build"].isna() | ((runs["build"] > 0) & runs["sm"].isna())] = None
    return result


def bars(shares: dict[str, pd.Series]) -> Figure:
    """Fig. 6: a bar a configuration, cut into stages."""
    figure = new_figure(PAGE / 2 + 0.6, 0.9 + 0.19 * max(3, len(shares)))
    axes = figure.add_subplot()
    names = list(shares)[::-1]
    left = pd.Series(0.0, index=names)
    for name, colour in STAGES.items():
        width = pd.Series({row: 100 * float(shares[row][name]) for row in names})
        axes.barh(names, width, left=left, color=colour, edgecolor="white", linewidth=0.4, label=name, height=0.8)
        left = left + width
    axes.set_xlim(0, 100)
    axes.set_xlabel("Runs (%)")
    axes.tick_params(axis="y", labelsize=6.5, length=0)
    legend_below(figure, [axes], columns=3)
    return figure


def _shares(stages: pd.Series) -> list[str]:
    counts = stages.value_counts(normalize=True).reindex(list(STAGES)).fillna(0.0)
    return [str(len(stages)), *(number(100 * counts[name]) for name in STAGES)]


if __name__ == "__main__":
    from analysis.app import main

    main("failures")
