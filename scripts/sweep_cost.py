"""What the paper's whole sweep (94 tasks, one generation each) costs, by its published token counts at today's prices.

The published counts do not tell cached prompt tokens apart, so each cell is a range in US dollars: all of the prompt read from the
provider's cache, none of it. Prices are those of conf/model, else litellm's table. They are taken for calls of a run's mean length (its
prompt tokens by its steps), since some providers ask more for long prompts.

    python scripts/sweep_cost.py
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import yaml

import clibench
from clibench.llm.prices import Price, cost_usd, price_of
from clibench.llm.settings import PriceSettings
from clibench.llm.tokens import Tokens

ROOT = Path(clibench.__file__).parent.parent
MODELS = ("gpt", "claude", "deepseek", "qwen", "glm", "minimax", "kimi")


def main() -> None:
    """A row a framework, a column a model."""
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    prices = {name: price_in(name) for name in MODELS}
    unknown = [name for name, price in prices.items() if price is None]
    with (ROOT / "analysis" / "published" / "results.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            model = next(name for name in MODELS if row["model_name"].lower().startswith(name))
            steps = max(1.0, float(row["steps"] or 1))
            prompt, completion = float(row["prompt_tokens"] or 0), float(row["completion_tokens"] or 0)
            for place, cached in enumerate((1.0, 0.0)):
                call = Tokens(prompt=round(prompt / steps), cached=round(cached * prompt / steps), completion=round(completion / steps))
                sums[row["framework"], model][place] += steps * (cost_usd(call, prices[model]) or 0.0)
    print("| | " + " | ".join(f"`{name}`" for name in MODELS) + " |")
    print("| --- |" + " --- |" * len(MODELS))
    for framework in sorted({framework for framework, _ in sums}):
        cells = [shown(*sums[framework, name]) if name not in unknown else "unknown" for name in MODELS]
        print(f"| {framework} | " + " | ".join(cells) + " |")


def price_in(name: str) -> Price | None:
    """The price of a model of conf/model."""
    body = yaml.safe_load((ROOT / "conf" / "model" / f"{name}.yaml").read_text(encoding="utf-8"))
    return price_of(body["id"], PriceSettings(**body.get("price", {})))


def shown(low: float, high: float) -> str:
    """A range, or one number where both ends are one."""
    return f"{low:.0f}" if round(low) == round(high) else f"{low:.0f}-{high:.0f}"


if __name__ == "__main__":
    main()
