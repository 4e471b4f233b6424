"""RQ4: how are the delivered repositories structured, beside the human-written ones? Fig. 5."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import caveats
from analysis.answer import Answer, Question
from analysis.figures import PAGE, model_styles, new_figure
from analysis.frame import floats
from analysis.stats import Floats
from analysis.tables import Table, number

CUT = 20
"""Files at which the axis of Fig. 5 ends (as in the paper)."""
ORACLE = "oracle"


def answer(question: Question) -> Answer:
    """Files, lines and folders of what was delivered (a run that delivered nothing is counted apart) and of the oracle."""
    frame = question.frame
    runs = frame.runs
    if runs["files"].isna().all():
        return Answer("RQ4: structure (Fig. 5)", ("The results do not hold the size of submissions.",))
    clean = {name: caveats.without(frame, question.suspects, name) for name in ("files", "loc")}
    rows = []
    for model in frame.models:
        for framework in frame.frameworks:
            part = runs[(runs["model"] == model) & (runs["framework"] == framework)]
            if len(part):
                rows.append(_row(model, framework, part, clean["files"][part.index], clean["loc"][part.index]))
    rows.append(_row("all", "all", runs, clean["files"], clean["loc"]))
    tasks = frame.tasks
    rows.append(_oracle_row(tasks))
    columns = [
        "model",
        "framework",
        "runs",
        "without_files",
        "single_file_percent",
        "median_files",
        "mean_files",
        "mean_files_clean",
        "median_loc",
        "mean_loc",
        "mean_loc_clean",
    ]
    table = Table(
        "structure",
        "Size of submissions that hold a file, and of the oracles; clean: without the runs in which installed packages were counted.",
        pd.DataFrame(rows, columns=columns),
    )
    delivered = runs[runs["files"] > 0]
    clean_mean = clean["files"][delivered.index].mean()
    sentences = [f"Of {int(runs['files'].notna().sum()):,} submissions {int((runs['files'] == 0).sum())} hold no file."]
    if len(delivered):
        sentences[0] += (
            f" The others have a median of {delivered['files'].median():.0f} files (mean {number(delivered['files'].mean())}, without "
            f"counted packages {number(clean_mean)}), {number(100 * (delivered['files'] == 1).mean())} % have a single one."
        )
    if tasks["oracle_files"].notna().any():
        sentences.append(
            f"The oracles have a median of {tasks['oracle_files'].median():.0f} files (mean {number(tasks['oracle_files'].mean())})."
        )
        paired = delivered[delivered["oracle_files"].notna()]
        if len(paired):
            fewer = 100 * (paired["files"] < paired["oracle_files"]).mean()
            sentences.append(f"In {number(fewer)} % of the runs that delivered files there are fewer of them than in the oracle.")
    figures = {"fig5_structure": boxes(question)} if question.settings.figures else {}
    return Answer("RQ4: structure (Fig. 5)", tuple(sentences), (table,), figures)


def boxes(question: Question) -> Figure:
    """Fig. 5: files a submission, box and strip by model beside the oracle's, cut at CUT; what lies above is a star with its number."""
    frame = question.frame
    names = list(dict.fromkeys(frame.series))
    styles = model_styles(names)
    delivered = frame.runs["files"] > 0
    groups = [(name, styles[name].colour, floats(frame.runs.loc[delivered & (frame.series == name), "files"])) for name in names]
    oracle = floats(frame.tasks["oracle_files"].dropna())
    if oracle.size:
        groups.append((ORACLE, "#555555", oracle))
    figure = new_figure(PAGE, 3.0)
    axes = figure.add_subplot()
    rng = np.random.default_rng(question.settings.seed)
    for place, (_name, colour, files) in enumerate(groups):
        if files.size:
            _group(axes, place, colour, files, rng)
    axes.axhline(CUT, color="#777777", linewidth=0.6, linestyle=":")
    axes.set_xticks(range(len(groups)), [name.replace("-", "-\n", 1) if len(name) > 13 else name for name, _colour, _files in groups])
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.set_ylim(0, CUT + 4.6)
    axes.set_yticks(range(0, CUT + 1, 5))
    axes.set_ylabel(f"Files (axis cut at {CUT})")
    return figure


def _group(axes: Axes, place: int, colour: str, files: Floats, rng: np.random.Generator) -> None:
    """One box (quartiles, whiskers to 1.5 times their distance), its points, and stars for the points above the cut."""
    inside, above = files[files <= CUT], files[files > CUT]
    scattered = place + rng.uniform(-0.3, 0.3, inside.size), inside + rng.uniform(-0.2, 0.2, inside.size)
    axes.scatter(*scattered, s=4, color=colour, alpha=0.35, linewidths=0)
    low, middle, high = np.percentile(files, [25, 50, 75])
    reach = 1.5 * (high - low)
    box = {
        "q1": min(low, CUT), "med": min(middle, CUT), "q3": min(high, CUT),
        "whislo": files[files >= low - reach].min(), "whishi": min(files[files <= high + reach].max(), CUT), "fliers": [],
    }  # fmt: skip
    faced = {"facecolor": (1, 1, 1, 0.55), "edgecolor": colour, "linewidth": 1.0}
    line = {"color": colour}
    axes.bxp(
        [box], positions=[place], widths=0.55, showfliers=False, patch_artist=True, manage_ticks=False,
        boxprops=faced, medianprops={"color": "black", "linewidth": 1.4}, whiskerprops=line, capprops=line,
    )  # fmt: skip
    if above.size:
        across = place + (np.linspace(-0.3, 0.3, above.size) if above.size > 1 else np.zeros(1))
        axes.scatter(across, np.full(above.size, CUT + 0.7), s=16, color=colour, marker="*", linewidths=0)
        axes.text(place, CUT + 1.5, _above(above), ha="center", va="bottom", fontsize=6, linespacing=1.05)


def _above(values: Floats) -> str:
    shown = sorted((int(value) for value in values), reverse=True)
    if len(shown) <= 3:
        return "\n".join(f"{value:,}" for value in shown)
    return f"{len(shown)} above:\n{shown[-1]:,} to\n{shown[0]:,}"


def _row(model: str, framework: str, runs: pd.DataFrame, clean_files: pd.Series, clean_loc: pd.Series) -> list[str]:
    delivered = runs[runs["files"] > 0]
    files, lines = delivered["files"], delivered["loc"]
    return [
        model, framework, str(len(runs)), str(int((runs["files"] == 0).sum())), number(100 * (files == 1).mean()),
        number(files.median(), 1), number(files.mean()), number(clean_files[delivered.index].mean()),
        number(lines.median(), 0), number(lines.mean(), 1), number(clean_loc[delivered.index].mean(), 1),
    ]  # fmt: skip


def _oracle_row(tasks: pd.DataFrame) -> list[str]:
    files, lines = tasks["oracle_files"], tasks["oracle_loc"]
    single = number(100 * (files == 1).mean()) if files.notna().any() else ""
    return [
        ORACLE,
        "",
        str(len(tasks)),
        "",
        single,
        number(files.median(), 1),
        number(files.mean()),
        "",
        number(lines.median(), 0),
        number(lines.mean(), 1),
        "",
    ]


if __name__ == "__main__":
    from analysis.app import main

    main("rq4_structure")
