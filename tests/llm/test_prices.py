"""Prices: where they come from, and that an unknown one stays unknown."""

from __future__ import annotations

import pytest

from clibench.errors import UserError
from clibench.llm.budget import check_budget
from clibench.llm.client import load_litellm
from clibench.llm.models import resolve
from clibench.llm.prices import cost_usd
from clibench.llm.settings import BudgetSettings
from clibench.llm.tokens import Tokens
from tests.llm.support import PAPER_MODELS, model_settings


@pytest.mark.parametrize("name", PAPER_MODELS)
@pytest.mark.parametrize(("prompt", "cached", "completion"), [(20_000, 0, 900), (20_000, 15_000, 900), (300_000, 1_000, 10)])
def test_a_paper_models_cost_is_what_litellm_computes(name: str, prompt: int, cached: int, completion: int) -> None:
    model = resolve(model_settings(name))
    litellm = load_litellm()
    theirs = sum(litellm.cost_per_token(model=model.id, prompt_tokens=prompt, completion_tokens=completion, cache_read_input_tokens=cached))
    assert model.price is not None
    assert model.price.source.startswith("litellm ")
    assert cost_usd(Tokens(prompt=prompt, cached=cached, completion=completion), model.price) == pytest.approx(theirs)


def test_a_given_price_goes_before_the_table_and_keeps_source_and_date() -> None:
    given = {"prompt": 3.0, "completion": 6.0, "cached": 0.5, "source": "an invoice", "date": "2026-02-03"}
    price = resolve(model_settings("gpt", price=given)).price
    assert price is not None
    assert (price.source, price.date) == ("an invoice", "2026-02-03")
    assert cost_usd(Tokens(prompt=1_000_000, cached=500_000, completion=1_000_000), price) == pytest.approx(1.5 + 0.25 + 6.0)


def test_a_server_on_this_machine_is_never_taken_for_the_provider_and_its_port_is_nothing() -> None:
    own, here, there = (resolve(model_settings("gpt", base_url=url)) for url in (None, "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"))
    assert own.identity() != here.identity() == there.identity()


def test_an_unknown_price_is_none_and_refuses_a_budget_in_dollars() -> None:
    model = resolve(model_settings("openai_compatible", name="mine", base_url="http://127.0.0.1:9/v1"))
    assert model.price is None
    assert cost_usd(Tokens(prompt=1), model.price) is None
    with pytest.raises(UserError, match="price of model 'mine' is unknown"):
        check_budget(BudgetSettings(job_usd=1.0), model)
    check_budget(BudgetSettings(job_tokens=1000), model)
