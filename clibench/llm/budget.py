"""Budgets: by call, task, job and sweep, in dollars and tokens, asked before each call and never after.

Spent is what the ledger says, so that all processes of a sweep share one purse, plus what this process has in flight (its prompts' price:
what will come back is unknown). A call that would start at or over a limit is refused; so a limit can be overshot by what was in flight.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from clibench.errors import InfraError, UserError
from clibench.llm.ledger import Ledger, Level, Scope, level_key
from clibench.llm.models import ModelConfig
from clibench.llm.prices import cost_usd
from clibench.llm.settings import BudgetSettings
from clibench.llm.tokens import Tokens

LEVELS: Final[tuple[Level, ...]] = ("task", "job", "sweep")


class BudgetExceededError(InfraError):
    """A call was refused. At level `call` or `task` that is the agent's limit; at `job` or `sweep` the work stops, to be resumed later."""

    passing = False

    def __init__(self, level: str, what: str) -> None:
        self.level = level
        super().__init__(what, fix=f"Raise llm.budget.{level}_usd or llm.budget.{level}_tokens and run again: what is done is kept.")


def check_budget(settings: BudgetSettings, model: ModelConfig) -> None:
    """Raise UserError where a budget in dollars is asked of a model without a price."""
    dollars = (settings.call_usd, settings.task_usd, settings.job_usd, settings.sweep_usd)
    if any(limit is not None for limit in dollars):
        require_price(model, "llm.budget.*_usd", "llm.budget.*_tokens")


def require_price(model: ModelConfig, limit: str, instead: str) -> None:
    """Raise UserError where the price of a model is unknown; `limit` is the key of a limit in dollars, `instead` one in tokens."""
    if model.price is None:
        raise UserError(
            f"the price of model '{model.name}' is unknown, so {limit} can't be kept",
            fix=f"Give model.price.prompt and model.price.completion (dollars per million tokens), or use {instead}.",
        )


class Budget:
    """The purse of one process."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._flying: dict[tuple[str, ...], tuple[float, int]] = {}

    @contextmanager
    def admit(
        self, limits: BudgetSettings, scope: Scope, model: ModelConfig, prompt_tokens: int, most_completion: int = 0
    ) -> Iterator[None]:
        """Hold the estimated price of a call while it is in flight; raises BudgetExceededError.

        `prompt_tokens` and `most_completion` are estimates, used for what is in flight and for the limit of a single call.
        """
        estimate = (cost_usd(Tokens(prompt=prompt_tokens), model.price) or 0.0, prompt_tokens)
        worst = Tokens(prompt=prompt_tokens, completion=most_completion)
        _refuse(limits, "call", cost_usd(worst, model.price) or 0.0, worst.total, strictly=True)
        keys = {level: level_key(level, scope) for level in LEVELS}
        with self._lock:
            for level, key in keys.items():
                if _limits(limits, level) == (None, None):
                    continue
                totals = self._ledger.totals(level, scope)
                flying = self._flying.get(key, (0.0, 0))
                _refuse(limits, level, totals.known_usd + flying[0], totals.tokens + flying[1])
            self._add(keys.values(), estimate, 1)
        try:
            yield
        finally:
            with self._lock:
                self._add(keys.values(), estimate, -1)

    def _add(self, keys: Iterable[tuple[str, ...]], estimate: tuple[float, int], sign: int) -> None:
        for key in keys:
            dollars, tokens = self._flying.get(key, (0.0, 0))
            self._flying[key] = (dollars + sign * estimate[0], tokens + sign * estimate[1])


def _limits(limits: BudgetSettings, level: str) -> tuple[float | None, int | None]:
    return getattr(limits, f"{level}_usd"), getattr(limits, f"{level}_tokens")


def _refuse(limits: BudgetSettings, level: str, dollars: float, tokens: int, *, strictly: bool = False) -> None:
    most_usd, most_tokens = _limits(limits, level)
    verb = "would be" if strictly else "is"
    if most_usd is not None and (dollars > most_usd or (dollars == most_usd and not strictly)):
        raise BudgetExceededError(level, f"the budget of this {level} {verb} spent (${dollars:.4f} of ${most_usd:.4f})")
    if most_tokens is not None and (tokens > most_tokens or (tokens == most_tokens and not strictly)):
        raise BudgetExceededError(level, f"the budget of this {level} {verb} spent ({tokens} of {most_tokens} tokens)")
