"""Small frames for tests, drawn with a seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from analysis import caveats
from analysis.answer import Question
from analysis.frame import METRICS, Frame, validate
from analysis.settings import AnalysisConfig
from analysis.verdicts import from_rows

LANGUAGES = ("go", "python", "javascript")
DIFFICULTIES = ("easy", "medium", "hard")


def rows(
    *, tasks: int = 12, models: tuple[str, ...] = ("alpha", "beta"), frameworks: tuple[str, ...] = ("one",), seed: int = 0
) -> pd.DataFrame:
    """A run a task and configuration; scores respect the order of the gates, models differ by their place."""
    rng = np.random.default_rng(seed)
    made = []
    for framework in frameworks:
        for place, model in enumerate(models):
            for number in range(tasks):
                scores = np.sort(rng.beta(1.5, 1 + place, size=4))[::-1]
                values = {"build": 1.0, "exec": scores[0], "sp": scores[1], "fm": scores[2], "sm": scores[2], "em": scores[3]}
                usage = {
                    "steps": number + 2,
                    "prompt_tokens": 1000 * (number + 1) * (place + 1),
                    "completion_tokens": 100 + int(rng.integers(99)),
                }
                about = {"category": f"kind {number % 2}", "difficulty": DIFFICULTIES[(number // 2) % 3], "language": LANGUAGES[number % 3]}
                size = {"loc": 100 + number, "files": 1 + number % 5, "oracle_loc": 200 * (number + 1), "oracle_files": 7}
                name = {"task": f"task{number:02}", "model": model, "framework": framework}
                made.append(name | about | values | usage | size | {"cost_usd": float(rng.random())})
    return pd.DataFrame(made)


def question(raw: pd.DataFrame | Frame, **settings: object) -> Question:
    """A question about `raw`, without figures unless asked for and with few resamples."""
    frame = raw if isinstance(raw, Frame) else validate(raw, "sample")
    config = AnalysisConfig(**({"figures": False, "resamples": 500} | settings))  # type: ignore[arg-type]
    return Question(frame, caveats.find(frame), config)


def verdict_rows(raw: pd.DataFrame, *, patterns: int = 2, cases: int = 10, seed: int = 1) -> pd.DataFrame:
    """Verdicts of every run of `raw`, and `raw`'s SM set to what they give."""
    rng = np.random.default_rng(seed)
    made = []
    for index, run in raw.iterrows():
        passed = rng.random((patterns, cases)) < run["sm"]
        for metric in METRICS[1:]:
            raw.loc[index, metric] = passed.mean()
        name = {column: run[column] for column in ("task", "model", "framework")}
        for p, c in np.ndindex(patterns, cases):
            made.append(name | {"pattern": f"p{p}", "case": f"p{p}/{c}", "passed": float(passed[p, c])})
    return pd.DataFrame(made)


def with_verdicts(raw: pd.DataFrame) -> tuple[Frame, pd.DataFrame]:
    """The frame of `raw` with verdicts that its SM is the score of, and their rows."""
    made = verdict_rows(raw)
    return replace(validate(raw, "sample"), verdicts=from_rows(made)), made
