"""The paper's statements beside what its own published results give.

Each statement is a number as the paper or its leaderboard prints it, and how to compute it. It is supported where the computed number,
printed with as many digits, is the same; a number that only agrees when rounded further is named as such.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pandas as pd

from analysis import caveats, failures
from analysis.answer import Answer, Question
from analysis.frame import METRIC_NAMES, METRICS, Frame, label
from analysis.tables import Table


@dataclass(frozen=True)
class Claim:
    """One printed number."""

    statement: str
    printed: str
    """As the paper prints it; its digits say how exactly."""
    compute: Callable[[Frame], float]
    truncated: bool = False
    """The paper cuts the decimals instead of rounding."""


def _mean(column: str, **where: str) -> Callable[[Frame], float]:
    def compute(frame: Frame) -> float:
        runs = frame.runs
        for name, value in where.items():
            runs = runs[runs[name] == value]
        return float(runs[column].mean())

    return compute


def _percent(column: str, **where: str) -> Callable[[Frame], float]:
    mean = _mean(column, **where)
    return lambda frame: 100 * mean(frame)


def _stage(name: str) -> Callable[[Frame], float]:
    return lambda frame: 100 * float((failures.stage(frame.runs) == name).mean())


def _tasks(**where: str) -> Callable[[Frame], float]:
    def compute(frame: Frame) -> float:
        tasks = frame.tasks
        for name, value in where.items():
            tasks = tasks[tasks[name] == value]
        return float(len(tasks))

    return compute


def _sd(frame: Frame) -> float:
    return float(frame.matrix("sm")[("kimi-k2.5", "Mini-SWE-Agent")].std())


_MINI, _HANDS = "Mini-SWE-Agent", "OpenHands"
_MEANS = {"build": "76.75", "exec": "59.32", "sp": "45.66", "em": "23.50", "fm": "39.00", "sm": "29.64"}

CLAIMS: Final = (
    *(Claim(f"Mean {METRIC_NAMES[metric]} over all runs, %", _MEANS[metric], _percent(metric)) for metric in METRICS),
    Claim("SM of kimi-k2.5, both frameworks, %", "43.78", _percent("sm", model="kimi-k2.5")),
    Claim("SM of minimax-2.5, both frameworks, %", "34.59", _percent("sm", model="minimax-2.5")),
    Claim("SM of claude-sonnet-4-6, both frameworks, %", "10.61", _percent("sm", model="claude-sonnet-4-6")),
    Claim("SM of kimi-k2.5 with Mini-SWE-Agent, %", "51.16", _percent("sm", model="kimi-k2.5", framework=_MINI)),
    Claim("SD of SM of kimi-k2.5 with Mini-SWE-Agent", "0.377", _sd),
    Claim("SM of kimi-k2.5 with OpenHands, %", "36.41", _percent("sm", model="kimi-k2.5", framework=_HANDS)),
    Claim("SM of gpt-5.4 with Mini-SWE-Agent, %", "31.82", _percent("sm", model="gpt-5.4", framework=_MINI)),
    Claim("SM of claude-sonnet-4-6 with OpenHands, %", "7.21", _percent("sm", model="claude-sonnet-4-6", framework=_HANDS)),
    Claim("SM of easy tasks, %", "32.66", _percent("sm", difficulty="easy")),
    Claim("SM of medium tasks, %", "25.08", _percent("sm", difficulty="medium")),
    Claim("SM of hard tasks, %", "28.87", _percent("sm", difficulty="hard")),
    Claim("SM of gpt-5.4 on easy tasks, %", "34.60", _percent("sm", model="gpt-5.4", difficulty="easy")),
    Claim("SM of gpt-5.4 on medium tasks, %", "21.90", _percent("sm", model="gpt-5.4", difficulty="medium")),
    Claim("Easy tasks", "40", _tasks(difficulty="easy")),
    Claim("Medium tasks", "21", _tasks(difficulty="medium")),
    Claim("Hard tasks", "33", _tasks(difficulty="hard")),
    Claim("Go tasks", "45", _tasks(language="go")),
    Claim("Python tasks", "34", _tasks(language="python")),
    Claim("JavaScript tasks", "15", _tasks(language="javascript")),
    Claim("Repositories in the benchmark", "100", _tasks()),
    Claim("Runs that do not build, %", "23.3", _stage("no build")),
    Claim("Runs that build with Exec 0, %", "13.2", _stage("build, Exec 0")),
    Claim("Runs with Exec above 0 and SM 0, %", "6.7", _stage("Exec above 0, SM 0")),
    Claim("Cost of gpt-5.4 with Mini-SWE-Agent, dollars", "0.09", _mean("cost_usd", model="gpt-5.4", framework=_MINI)),
    Claim("Steps of gpt-5.4 with Mini-SWE-Agent", "2.33", _mean("steps", model="gpt-5.4", framework=_MINI)),
    Claim("Tokens of gpt-5.4 with Mini-SWE-Agent", "20892", _mean("tokens", model="gpt-5.4", framework=_MINI)),
    Claim("Steps of minimax-2.5 with OpenHands", "88.02", _mean("steps", model="minimax-2.5", framework=_HANDS)),
    Claim(
        "Tokens of minimax-2.5 with OpenHands, million",
        "4.24",
        lambda frame: _mean("tokens", model="minimax-2.5", framework=_HANDS)(frame) / 1e6,
    ),
)
"""From the paper's abstract and text and the artifact's leaderboard, as published/README.md lists them."""


BETWEEN: Final = ((29.0, 31.0), ("gpt-5.4", "qwen3.5-plus", "glm-5"))
"""The leaderboard gives these only as a range."""


def answer(question: Question) -> Answer:
    """The table of all statements, and sentences on those that the file does not support."""
    rows, said = [], []
    for claim in CLAIMS:
        value = claim.compute(question.frame)
        digits = len(claim.printed.partition(".")[2])
        verdict = support(claim.printed, value)
        rows.append([claim.statement, claim.printed, f"{value:.{digits}f}", verdict])
        if verdict != "yes":
            said.append(f"{claim.statement}: the paper has {claim.printed}, the file gives {value:.{digits}f} ({verdict}).")
    rows.append(_range_row(question.frame))
    said = [
        f"{sum(row[3] == 'yes' for row in rows)} of {len(rows)} printed numbers follow from the file to the last digit.",
        *said,
        *_further(question),
    ]
    table = Table(
        "claims",
        "The paper's numbers and what its published results give.",
        pd.DataFrame(rows, columns=["statement", "paper", "file", "supported"]),
    )
    return Answer("The paper's statements", tuple(said), (table,))


def _range_row(frame: Frame) -> list[str]:
    (low, high), models = BETWEEN
    values = [_percent("sm", model=model)(frame) for model in models]
    inside = all(low <= value <= high for value in values)
    listed = ", ".join(f"{value:.2f}" for value in values)
    return [f"SM of {', '.join(models)}, both frameworks, %", f"{low:.0f} to {high:.0f}", listed, "yes" if inside else "no"]


def support(printed: str, value: float) -> str:
    """yes, "only to n decimals", or no."""
    digits = len(printed.partition(".")[2])
    for kept in range(digits, 0, -1):
        if f"{value:.{kept}f}" == f"{float(printed):.{kept}f}":
            return "yes" if kept == digits else f"only to {kept} decimal{'s' * (kept > 1)}"
    return "yes" if digits == 0 and f"{value:.0f}" == printed else "no"


def _further(question: Question) -> list[str]:
    """Statements in words."""
    frame = question.frame
    by_model = 100 * frame.runs.groupby("model")["sm"].mean()
    by_configuration = 100 * frame.matrix("sm").mean()
    best = label(max(frame.configurations, key=lambda name: float(by_configuration[name])))
    said = []
    if by_model.max() >= 43:
        said.append(
            f"The abstract has top models under 43 %; the file's best model, over both frameworks, has {by_model.max():.2f} % "
            f"({by_model.idxmax()}) "
            f"and its best configuration {by_configuration.max():.2f} % ({best})."
        )
    sp = caveats.without(frame, question.suspects, "sp")
    zero = question.suspects[question.suspects["detector"] == "zero metric"]
    if len(zero):
        kept = frame.runs.index[caveats.without(frame, zero, "sp").notna()]
        said.append(
            f"The paper's mean SP of {100 * frame.runs['sp'].mean():.2f} % counts {len(zero)} runs whose SP was never computed; "
            "without them it is "
            f"{100 * frame.runs.loc[kept, 'sp'].mean():.2f} %, and without all suspect runs {100 * sp.mean():.2f} %."
        )
    return said
