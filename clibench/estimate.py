"""What generations will use, in tokens, dollars and time, before they run.

By the mean of earlier results of the same model and framework where there are any, else by the counts that the paper published for its
models and frameworks, at today's prices. Those do not tell cached prompt tokens apart, so their cost is a range: from all of the prompt
read from the provider's cache to none of it; of time they say nothing. Of anything else nothing is known, and the estimate says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import yaml

from clibench.llm.prices import Price, cost_usd
from clibench.llm.tokens import Tokens
from clibench.results import TaskResult

PUBLISHED: Final = Path(__file__).with_name("published_usage.yaml")


@dataclass(frozen=True)
class Estimate:
    """None is unknown."""

    tokens: float | None = None
    least_usd: float | None = None
    most_usd: float | None = None
    basis: str = "nothing is known of such a job"
    wall_s: float | None = None
    """Of all agents, one after another."""

    def __str__(self) -> str:
        tokens = "unknown" if self.tokens is None else f"{self.tokens:,.0f}"
        return f"estimated tokens: {tokens}, cost: {self._dollars()} ({self.basis})"

    def _dollars(self) -> str:
        if self.least_usd is None or self.most_usd is None:
            return "unknown"
        least, most = f"{self.least_usd:,.2f}", f"{self.most_usd:,.2f}"
        return f"{least} USD" if least == most else f"{least} to {most} USD"


@dataclass(frozen=True)
class PublishedUse:
    """The paper's means of one model with one framework, over its 94 tasks."""

    prompt_tokens: float
    completion_tokens: float
    steps: float

    def cost_usd(self, price: Price | None, *, cached: bool) -> float | None:
        """Of one task, taken for calls of its mean length: some providers ask more for long prompts."""
        prompt, completion = (round(number / self.steps) for number in (self.prompt_tokens, self.completion_tokens))
        call = cost_usd(Tokens(prompt=prompt, cached=prompt if cached else 0, completion=completion), price)
        return None if call is None else call * self.steps


def estimate(model: str, framework: str, price: Price | None, earlier: Sequence[TaskResult], count: int) -> Estimate:
    """For `count` tasks; `earlier` are results of the same model and framework."""
    if not count:
        return Estimate(0.0, 0.0, 0.0, "all is generated", 0.0)
    used = [row.usage.prompt_tokens + row.usage.completion_tokens for row in earlier if _counted(row)]  # type: ignore[operator]
    paid = [row.usage.cost_usd for row in earlier if row.usage.cost_usd is not None]
    if used:
        dollars = sum(paid) / len(paid) * count if paid else None
        walls = [row.usage.wall_s for row in earlier if _counted(row)]
        basis = f"mean of earlier tasks of {model} with {framework}"
        return Estimate(sum(used) / len(used) * count, dollars, dollars, basis, sum(walls) / len(walls) * count)
    published = published_usage().get(framework, {}).get(model)
    if published is None:
        return Estimate()
    least, most = (published.cost_usd(price, cached=cached) for cached in (True, False))
    return Estimate(
        (published.prompt_tokens + published.completion_tokens) * count,
        None if least is None else least * count,
        None if most is None else most * count,
        f"the paper's mean of {model} with {framework}, from all of the prompt cached to none of it",
    )


@cache
def published_usage() -> dict[str, dict[str, PublishedUse]]:
    """By framework and model; scripts/sweep_cost.py makes the file."""
    body = yaml.safe_load(PUBLISHED.read_text(encoding="utf-8"))
    return {framework: {model: PublishedUse(*numbers) for model, numbers in models.items()} for framework, models in body.items()}


def _counted(row: TaskResult) -> bool:
    return row.usage.prompt_tokens is not None and row.usage.completion_tokens is not None
