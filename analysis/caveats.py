"""Results that look wrong: detectors, each a pure function from a frame to the runs that it suspects and the metrics that it puts in doubt.

A suspect run is never dropped from a number: it stands in it as the source has it, and a second column shows the number without. A
detector decides by what can't be so (a gate that fails while a later one passes, a whole language at zero) or by what is very unlikely
(many runs in a row without a single file); it does not decide by whether a score is low. Leaving out by a rule that looks at the score
would bias what is left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pandas as pd

from analysis.frame import METRICS, Frame

TOLERANCE: Final = 2e-6
"""Published decimals are cut after six digits, so equal scores may differ by one in the last."""
MIN_GATE_RUNS: Final = 10
"""Runs in which a metric's gate is passed before "all zero" is suspicious by itself."""
MIN_BLOCK: Final = 5
"""Neighbouring runs without any file that are one suspicious block. Single ones happen: an agent refuses, or works elsewhere."""
MAX_FILES: Final = 40
"""Files of one submission above which installed packages must have been counted; agents' own repositories stay below."""
PRICE_TOLERANCE: Final = 0.02
"""Relative distance of a cost from tokens x price, and one in the sixth decimal, that counts as equal."""
GATES: Final = (("exec", "build"), ("sp", "exec"), ("em", "sp"), ("fm", "sp"), ("sm", "sp"), ("em", "fm"), ("em", "sm"))
"""(metric, its gate): the first can't exceed the second. An EM pass is an FM pass and an SM pass."""
COLUMNS: Final = ["detector", "task", "model", "framework", "metrics", "detail"]

Suspects = pd.DataFrame
"""Columns COLUMNS; `metrics` is a tuple of the frame's columns in doubt (empty: a remark only)."""


def find(frame: Frame) -> Suspects:
    """What all detectors suspect, in their order."""
    parts: list[Suspects] = []
    for detect in DETECTORS.values():
        parts.append(detect(frame, pd.concat(parts) if parts else _none()))
    return pd.concat([part for part in parts if not part.empty] or [_none()], ignore_index=True)


def without(frame: Frame, suspects: Suspects, column: str) -> pd.Series:
    """`column` of the frame's runs, NaN where a detector puts it in doubt."""
    doubted = suspects[[column in metrics for metrics in suspects["metrics"]]] if len(suspects) else suspects
    keys = pd.MultiIndex.from_frame(frame.runs[["task", "model", "framework"]])
    return frame.runs[column].mask(keys.isin(pd.MultiIndex.from_frame(doubted[["task", "model", "framework"]])))


def zero_metric(frame: Frame, _: Suspects) -> Suspects:
    """A metric that is 0 in every run of a language and framework although its gate was passed in many, or a later metric in some."""
    found = []
    for (language, framework), cell in frame.runs.groupby(["language", "framework"], sort=True):
        for metric, gate in (("exec", "build"), ("sp", "exec"), ("fm", "sp"), ("sm", "sp")):
            values = cell[metric].dropna()
            if values.empty or (values > 0).any():
                continue
            later = METRICS[METRICS.index(metric) + 1 :]
            passed_gate, passed_later = int((cell[gate] > 0).sum()), int((cell[list(later)] > 0).any(axis=1).sum())
            if passed_gate >= MIN_GATE_RUNS or passed_later:
                detail = f"{metric} is 0 in all {len(values)} {language} runs under {framework}; {gate} is above 0 in {passed_gate}"
                found.append(_rows("zero metric", cell, (metric,), detail))
                break
    return _join(found)


def empty_block(frame: Frame, _: Suspects) -> Suspects:
    """Neighbouring runs of one framework that neither built nor hold a file: output that was lost rather than tools that don't build."""
    if not frame.ordered:
        return _none()
    found = []
    for _framework, runs in frame.runs.groupby("framework", sort=True):
        empty = (runs["files"] == 0) & (runs["build"] == 0)
        number = (empty != empty.shift()).cumsum()
        for _number, block in runs[empty].groupby(number[empty]):
            if len(block) >= MIN_BLOCK:
                models = " and ".join(dict.fromkeys(block["model"]))
                detail = f"{len(block)} runs in a row without any file ({models})"
                found.append(_rows("empty block", block, (*METRICS, "loc", "files"), detail))
    return _join(found)


def gate_order(frame: Frame, earlier: Suspects) -> Suspects:
    """A score above that of its gate (EM above FM, SM above SP, ...), where the gate's own value is not already in doubt."""
    found = []
    for metric, gate in GATES:
        left, right = without(frame, earlier, metric), without(frame, earlier, gate)
        over = frame.runs[left > right + TOLERANCE]
        if not over.empty:
            most = float((left - right).max())
            detail = f"{metric} above {gate} (by up to {most:.3f})"
            found.append(_rows(f"{metric} above {gate}", over, (metric, gate), detail))
    return _join(found)


def cost_mismatch(frame: Frame, _: Suspects) -> Suspects:
    """Costs that don't follow from the tokens: unknown or zero for used tokens, or off the flat price of the model's other runs."""
    runs = frame.runs
    used = runs["tokens"] > 0
    found = [
        _rows("cost mismatch", runs[used & (runs["cost_usd"] == 0)], ("cost_usd",), "tokens were used and the cost is 0"),
        _rows("cost mismatch", runs[~used & (runs["cost_usd"] > 0)], ("cost_usd",), "a cost without tokens"),
    ]
    for _model, group in runs[used & (runs["cost_usd"] > 0)].groupby("model", sort=True):
        price = flat_price(group)
        if price is None:
            continue
        expected = group["prompt_tokens"] * price[0] + group["completion_tokens"] * price[1]
        off = group[(group["cost_usd"] - expected).abs() > PRICE_TOLERANCE * expected + 2e-6]
        found.append(_rows("cost mismatch", off, ("cost_usd",), "the cost is not tokens times the price of the model's other runs"))
    return _join([part for part in found if not part.empty])


def flat_cost(frame: Frame, _: Suspects) -> Suspects:
    """A remark by model: its costs are tokens times one flat price, so that cached tokens were paid as new ones."""
    found = []
    for model, group in frame.runs[(frame.runs["cost_usd"] > 0) & (frame.runs["tokens"] > 0)].groupby("model", sort=False):
        price = flat_price(group)
        if price is not None:
            row = group.iloc[:1].assign(task="", framework="")
            detail = f"costs of {model} are tokens times {1e6 * price[0]:.2f} (prompt), {1e6 * price[1]:.2f} (completion) dollars a million"
            found.append(_rows("flat price", row, (), detail))
    return _join(found)


def flat_price(group: pd.DataFrame) -> tuple[float, float] | None:
    """Dollars a prompt token and a completion token, if one such pair explains at least 90 % of the costs of a model's runs; else None."""
    if len(group) < MIN_GATE_RUNS:
        return None
    tokens = group[["prompt_tokens", "completion_tokens"]].to_numpy(dtype=np.float64)
    cost = group["cost_usd"].to_numpy(dtype=np.float64)
    if np.linalg.matrix_rank(tokens) < 2:
        return None  # equal runs, or prompt and completion in proportion: two prices can't be told apart
    keep = np.ones(len(group), dtype=bool)
    for _attempt in range(5):
        if keep.sum() < MIN_GATE_RUNS:
            return None
        scale = 1.0 / cost[keep]
        price = np.linalg.lstsq(tokens[keep] * scale[:, None], np.ones(int(keep.sum())), rcond=None)[0]
        error = np.abs(tokens @ price - cost) / cost
        keep = error <= max(float(np.median(error)) * 3, 1e-3)
    if (error <= PRICE_TOLERANCE).mean() < 0.9:
        return None
    return float(price[0]), float(price[1])


def counted_dependencies(frame: Frame, _: Suspects) -> Suspects:
    """Submissions with so many files that installed packages must have been counted as source."""
    runs = frame.runs[frame.runs["files"] > MAX_FILES]
    if runs.empty:
        return _none()
    most = f"{int(runs['files'].max()):,} files, {int(runs['loc'].max()):,} lines"
    return _rows(
        "counted dependencies", runs, ("loc", "files"), f"installed packages counted as source: over {MAX_FILES} files (up to {most})"
    )


DETECTORS: Final[dict[str, Callable[[Frame, Suspects], Suspects]]] = {
    "zero metric": zero_metric,
    "empty block": empty_block,
    "gate order": gate_order,
    "cost mismatch": cost_mismatch,
    "flat price": flat_cost,
    "counted dependencies": counted_dependencies,
}
"""In this order: a later one sees what the earlier ones put in doubt."""


def _none() -> Suspects:
    return pd.DataFrame({name: pd.Series(dtype=object) for name in COLUMNS})


def _rows(detector: str, runs: pd.DataFrame, metrics: tuple[str, ...], detail: str) -> Suspects:
    if runs.empty:
        return _none()
    rows = runs[["task", "model", "framework"]].copy()
    rows.insert(0, "detector", detector)
    rows["metrics"] = [metrics] * len(rows)
    rows["detail"] = detail
    return rows


def _join(parts: list[Suspects]) -> Suspects:
    return pd.concat(parts) if parts else _none()
