"""What the paper's whole sweep (94 tasks, one generation each) costs, by its published token counts at today's prices.

The published counts do not tell cached prompt tokens apart, so each cell is a range in US dollars: all of the prompt read from the
provider's cache, none of it. Prices are those of conf/model, else litellm's table. They are taken for calls of a run's mean length (its
prompt tokens by its steps), since some providers ask more for long prompts. `usage` prints clibench/published_usage.yaml instead, the means
that a plan's estimate rests on.

    python scripts/sweep_cost.py [usage]
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import yaml

import clibench
from clibench.estimate import PublishedUse
from clibench.llm.prices import Price, price_of
from clibench.llm.settings import PriceSettings

ROOT = Path(clibench.__file__).parent.parent
MODELS = ("gpt", "claude", "deepseek", "qwen", "glm", "minimax", "kimi")


def main() -> None:
    """A row a framework, a column a model."""
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    prices = {name: price_in(name) for name in MODELS}
    unknown = [name for name, price in prices.items() if price is None]
    for framework, model, use in published():
        for place, cached in enumerate((True, False)):
            sums[framework, model][place] += use.cost_usd(prices[model], cached=cached) or 0.0
    print("| | " + " | ".join(f"`{name}`" for name in MODELS) + " |")
    print("| --- |" + " --- |" * len(MODELS))
    for framework in sorted({framework for framework, _ in sums}):
        cells = [shown(*sums[framework, name]) if name not in unknown else "unknown" for name in MODELS]
        print(f"| {framework} | " + " | ".join(cells) + " |")


def published() -> Iterator[tuple[str, str, PublishedUse]]:
    """Framework, model and use of each published run."""
    with (ROOT / "analysis" / "published" / "results.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            model = next(name for name in MODELS if row["model_name"].lower().startswith(name))
            numbers = (float(row[name] or 0) for name in ("prompt_tokens", "completion_tokens", "steps"))
            prompt, completion, steps = numbers
            yield row["framework"], model, PublishedUse(prompt, completion, max(1.0, steps))


def usage() -> str:
    """The means as YAML: prompt tokens, completion tokens, steps of a task."""
    runs: dict[str, dict[str, list[PublishedUse]]] = defaultdict(lambda: defaultdict(list))
    for framework, model, use in published():
        runs[framework.lower().replace("-", "_")][model].append(use)
    lines = ["# The paper's means of a task: prompt tokens, completion tokens, steps. Made by scripts/sweep_cost.py usage."]
    for framework, models in sorted(runs.items()):
        lines.append(f"{framework}:")
        for model in MODELS:
            names = ("prompt_tokens", "completion_tokens", "steps")
            means = (fmean(getattr(use, name) for use in models[model]) for name in names)
            lines.append(f"  {model}: [{', '.join(f'{mean:.1f}' for mean in means)}]")
    return "\n".join(lines) + "\n"


def price_in(name: str) -> Price | None:
    """The price of a model of conf/model."""
    body = yaml.safe_load((ROOT / "conf" / "model" / f"{name}.yaml").read_text(encoding="utf-8"))
    return price_of(body["id"], PriceSettings(**body.get("price", {})))


def shown(low: float, high: float) -> str:
    """A range, or one number where both ends are one."""
    return f"{low:.0f}" if round(low) == round(high) else f"{low:.0f}-{high:.0f}"


if __name__ == "__main__":
    if sys.argv[1:] == ["usage"]:
        sys.stdout.write(usage())
    else:
        main()
