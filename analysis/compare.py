"""`compare=published`: the user's numbers beside the paper's."""

from __future__ import annotations

import re

import pandas as pd

from analysis import published
from analysis.answer import Answer, Question
from analysis.frame import METRIC_NAMES, METRICS, Frame, label
from analysis.tables import Table, percent


def answer(question: Question) -> Answer:
    """Means over all runs, and by configuration where the paper has one of the same name, on all tasks and on the tasks that both have."""
    mine, theirs = question.frame, published.read()
    shared = sorted(set(mine.tasks["task"]) & set(theirs.tasks["task"]))
    rows = [*_rows("all", mine.runs, theirs.runs)]
    matches = matched(mine, theirs)
    for ours, paper in matches.items():
        rows += _rows(label(ours), _of(mine, ours), _of(theirs, paper))
        if shared and len(shared) < max(len(mine.tasks), len(theirs.tasks)):
            left, right = _of(mine, ours), _of(theirs, paper)
            rows += _rows(f"{label(ours)}, {len(shared)} shared tasks", left[left["task"].isin(shared)], right[right["task"].isin(shared)])
    table = Table(
        "compare",
        "These results beside the published ones, in percent.",
        pd.DataFrame(rows, columns=["what", "metric", "here", "published", "difference"]),
    )
    said = [
        f"{len(shared)} of {len(mine.tasks)} tasks are also in the published results"
        + (": the means are over different tasks and show an order of size, not a difference." if not shared else ".")
    ]
    for what in dict.fromkeys(row[0] for row in rows):
        listed = ", ".join(f"{METRIC_NAMES[metric]} {here} ({paper})" for name, metric, here, paper, _ in rows if name == what)
        said.append(f"{what}, here and (published): {listed}.")
    absent = [label(name) for name in mine.configurations if name not in matches]
    if absent:
        said.append(f"Not in the published results: {', '.join(absent)}.")
    return Answer("Beside the paper", tuple(said), (table,))


def matched(mine: Frame, theirs: Frame) -> dict[tuple[str, str], tuple[str, str]]:
    """Our configurations that the paper has too; names are compared by letters and digits alone, in any case."""
    known = {(_plain(model), _plain(framework)): (model, framework) for model, framework in theirs.configurations}
    return {ours: known[key] for ours in mine.configurations if (key := (_plain(ours[0]), _plain(ours[1]))) in known}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.rpartition("/")[2].lower())


def _of(frame: Frame, configuration: tuple[str, str]) -> pd.DataFrame:
    return frame.runs[(frame.runs["model"] == configuration[0]) & (frame.runs["framework"] == configuration[1])]


def _rows(what: str, mine: pd.DataFrame, theirs: pd.DataFrame) -> list[list[str]]:
    rows = []
    for metric in METRICS:
        here, paper = mine[metric].mean(), theirs[metric].mean()
        rows.append([what, metric, percent(here), percent(paper), percent(here - paper)])
    return rows
