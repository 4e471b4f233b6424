"""What a sweep will use, before it runs: from earlier results, else from the paper's counts, else unknown."""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from clibench.estimate import PUBLISHED, estimate, published_usage
from clibench.generation.framework import Usage
from clibench.llm.prices import Price, Rates
from clibench.results import TaskResult
from tests.synthetic import missing_task

PRICE = Price(Rates(2e-6, 10e-6, 0.2e-6, 2e-6), "invented")
SCRIPT = Path(__file__).parents[1] / "scripts" / "sweep_cost.py"


def row(usage: Usage) -> TaskResult:
    return replace(missing_task("t"), usage=usage)


def test_earlier_results_go_before_the_paper_s() -> None:
    earlier = [
        row(Usage(prompt_tokens=100, completion_tokens=10, cost_usd=0.5, wall_s=60.0)),
        row(Usage(prompt_tokens=300, completion_tokens=30)),
    ]
    found = estimate("gpt", "mini_swe_agent", PRICE, earlier, 4)
    assert (found.tokens, found.least_usd, found.most_usd, found.wall_s) == (880, 2.0, 2.0, 120.0)
    assert str(found) == "estimated tokens: 880, cost: 2.00 USD (mean of earlier tasks of gpt with mini_swe_agent)"


def test_without_any_the_paper_s_counts_give_a_range_of_cost() -> None:
    found = estimate("gpt", "mini_swe_agent", PRICE, [], 2)
    use = published_usage()["mini_swe_agent"]["gpt"]
    assert found.tokens == pytest.approx(2 * (use.prompt_tokens + use.completion_tokens))
    assert found.least_usd == pytest.approx(2 * (use.prompt_tokens * 0.2e-6 + use.completion_tokens * 10e-6), rel=1e-3)
    assert found.most_usd == pytest.approx(2 * (use.prompt_tokens * 2e-6 + use.completion_tokens * 10e-6), rel=1e-3)
    assert " to " in str(found)


def test_what_is_unknown_stays_unknown_and_nothing_left_is_zero() -> None:
    assert "tokens: unknown, cost: unknown" in str(estimate("gpt", "aider", PRICE, [], 2))
    assert "cost: unknown" in str(estimate("gpt", "openhands", None, [], 2))
    assert "tokens: 0, cost: 0.00 USD" in str(estimate("gpt", "aider", None, [], 0))


def test_the_paper_s_means_are_those_of_its_published_runs() -> None:
    assert runpy.run_path(str(SCRIPT))["usage"]() == PUBLISHED.read_text(encoding="utf-8")
