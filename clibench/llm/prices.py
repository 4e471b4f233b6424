"""What a call cost, and where its price comes from.

A price is given in conf/model, or read from the table that litellm ships (the file, without importing the library). An unknown price is
None and stays None through every sum; it is never zero. Prices that rise with the length of the prompt are kept as tiers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from clibench.llm.settings import PriceSettings
from clibench.llm.tokens import Tokens


@dataclass(frozen=True)
class Rates:
    """US dollars per token."""

    prompt: float
    completion: float
    cached: float
    cache_write: float


@dataclass(frozen=True)
class Price:
    """The price of a model's tokens."""

    rates: Rates
    source: str
    """For example `litellm 1.80.0` or the page that conf/model names."""
    date: str = ""
    tiers: tuple[tuple[int, Rates], ...] = ()
    """(prompt tokens above which it holds for the whole call, rates), ascending."""

    def at(self, prompt_tokens: int) -> Rates:
        """The rates of a call with that many prompt tokens."""
        rates = self.rates
        for above, tier in self.tiers:
            if prompt_tokens > above:
                rates = tier
        return rates

    def to_json(self) -> dict[str, Any]:
        """What a ledger line keeps of it."""
        return {**asdict(self.rates), "source": self.source, "date": self.date}


def cost_usd(tokens: Tokens, price: Price | None) -> float | None:
    """prompt x (uncached, cached, cache-write) + completion; None where the price is unknown."""
    if price is None:
        return None
    rates = price.at(tokens.prompt)
    plain = tokens.prompt - tokens.cached - tokens.cache_write
    return (
        plain * rates.prompt + tokens.cached * rates.cached + tokens.cache_write * rates.cache_write + tokens.completion * rates.completion
    )


def price_of(model_id: str, given: PriceSettings) -> Price | None:
    """The price of a model: the given one, else litellm's, else None."""
    if given.prompt is not None and given.completion is not None:
        per_token = [
            (given.prompt if dollars is None else dollars) / 1e6
            for dollars in (given.prompt, given.completion, given.cached, given.cache_write)
        ]
        return Price(Rates(*per_token), given.source or "configuration", given.date)
    row = _row(model_id)
    return _from_row(row) if row else None


@cache
def _table() -> Mapping[str, Any]:
    spec = find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return {}
    file = Path(spec.submodule_search_locations[0]) / "model_prices_and_context_window_backup.json"
    table: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return table


def _row(model_id: str) -> Mapping[str, Any] | None:
    provider, _, name = model_id.partition("/")
    table = _table()
    row = table.get(model_id)
    if row is None and name and (table.get(name) or {}).get("litellm_provider") == provider:
        row = table[name]
    return row


_ABOVE = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


def _from_row(row: Mapping[str, Any]) -> Price | None:
    source = f"litellm {version('litellm')}"
    if isinstance(row.get("tiered_pricing"), list):
        steps = [(int(tier["range"][0]), rates) for tier in row["tiered_pricing"] if (rates := _rates(tier, ""))]
        return Price(steps[0][1], source, tiers=tuple(sorted(steps[1:], key=lambda step: step[0]))) if steps else None
    rates = _rates(row, "")
    if rates is None:
        return None
    above = sorted(int(found[1]) for name in row if (found := _ABOVE.fullmatch(name)))
    tiers = [(thousands * 1000, tier) for thousands in above if (tier := _rates(row, f"_above_{thousands}k_tokens"))]
    return Price(rates, source, tiers=tuple(tiers))


def _rates(row: Mapping[str, Any], suffix: str) -> Rates | None:
    prompt, completion = row.get(f"input_cost_per_token{suffix}"), row.get(f"output_cost_per_token{suffix}")
    if prompt is None or completion is None:
        return None
    cached, written = row.get(f"cache_read_input_token_cost{suffix}"), row.get(f"cache_creation_input_token_cost{suffix}")
    # litellm's table says 0 where writing to the cache has no price of its own: such providers bill it as prompt.
    return Rates(float(prompt), float(completion), float(prompt if cached is None else cached), float(written or prompt))
