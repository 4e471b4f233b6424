"""The client against the scripted server, over real HTTP and through the real litellm.

The incident that the parametrised test prevents: for one of the paper's providers litellm dropped `max_retries`, and the client beneath it
retried unseen, so that the provider counted more attempts than the ledger.
"""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel

from clibench.errors import MissingKeyError
from clibench.llm.budget import BudgetExceededError
from clibench.llm.cache import ReplayMissError
from clibench.llm.client import UnusableAnswerError
from clibench.llm.faults import CallError
from clibench.llm.ledger import Ledger
from clibench.llm.models import resolve
from clibench.llm.scripted import Fault, ScriptedServer, ScriptedUsage, Scripts, Turn
from clibench.llm.settings import BudgetSettings, LlmSettings, RetrySettings
from tests.llm.support import PAPER_MODELS, client_on, model_settings

HELLO = [{"role": "user", "content": "hello, world"}]


class Verdict(BaseModel):
    equal: bool
    reason: str


@pytest.mark.parametrize("name", PAPER_MODELS)
def test_each_attempt_that_a_provider_sees_is_one_line_of_the_ledger(name: str, tmp_path: Path) -> None:
    turn = Turn(
        text="hi there", fault=Fault(kind="rate_limit"), usage=ScriptedUsage(prompt_tokens=100, cached_tokens=40, completion_tokens=7)
    )
    with ScriptedServer(Scripts.of(turn)) as server:
        client = client_on(server, tmp_path, model=name)
        answer = client.complete(HELLO)
    lines = list(Ledger(tmp_path / "ledger.jsonl").lines())
    assert answer.text == "hi there"
    assert [call.fault for call in server.calls] == ["rate_limit", ""]
    assert [line.outcome for line in lines] == ["rate_limit", "ok"]
    assert lines[0].id == lines[1].id
    assert (answer.tokens.prompt, answer.tokens.cached, answer.tokens.completion) == (100, 40, 7)
    rates = client.model.price.rates if client.model.price else None
    assert rates is not None
    assert answer.cost_usd == pytest.approx(60 * rates.prompt + 40 * rates.cached + 7 * rates.completion)


def test_a_retry_after_header_sets_the_pause(tmp_path: Path) -> None:
    pauses: list[float] = []
    turn = Turn(text="ok", fault=Fault(kind="rate_limit", retry_after=7))
    with ScriptedServer(Scripts.of(turn)) as server:
        client_on(server, tmp_path, pause=pauses.append).complete(HELLO)
    assert len(pauses) == 1
    assert 7 <= pauses[0] <= 7.7


def test_without_retry_after_the_pause_doubles_at_most_and_is_jittered(tmp_path: Path) -> None:
    pauses: list[float] = []
    settings = LlmSettings(retry=RetrySettings(attempts=5, first_wait_s=2, max_wait_s=5))
    with ScriptedServer(Scripts.of(Turn(text="ok", fault=Fault(kind="server_error", times=4)))) as server:
        client_on(server, tmp_path, settings=settings, pause=pauses.append, seed=1).complete(HELLO)
    assert len(pauses) == 4
    assert all(0 < pause <= ceiling for pause, ceiling in zip(pauses, (2, 4, 5, 5), strict=True))
    assert len(set(pauses)) == 4


@pytest.mark.parametrize(("kind", "attempts"), [("rate_limit", 3), ("server_error", 3), ("cut", 3), ("garbage", 3), ("auth", 1)])
def test_a_fault_that_stays_is_an_outage_after_its_attempts(kind: str, attempts: int, tmp_path: Path) -> None:
    turn = Turn(text="never", fault=Fault.model_validate({"kind": kind, "times": -1}))
    with ScriptedServer(Scripts.of(turn)) as server:
        client = client_on(server, tmp_path)
        with pytest.raises(CallError) as caught:
            client.complete(HELLO)
    assert caught.value.policy.outage
    assert caught.value.exit_code == 3
    assert len(server.calls) == attempts
    lines = list(Ledger(tmp_path / "ledger.jsonl").lines())
    assert [line.outcome for line in lines] == [kind] * attempts
    assert all((line.cost_usd is None) == (kind in ("cut", "garbage")) for line in lines)


def test_a_server_that_falls_silent_is_given_up_on_as_a_timeout_of_unknown_cost(tmp_path: Path) -> None:
    settings = LlmSettings(timeout_s=0.5, retry=RetrySettings(attempts=1))
    with ScriptedServer(Scripts.of(Turn(text="x", fault=Fault(kind="stall", times=-1)))) as server:
        client = client_on(server, tmp_path, settings=settings)
        with pytest.raises(CallError) as caught:
            client.complete(HELLO)
    assert caught.value.kind == "timeout"
    totals = Ledger(tmp_path / "ledger.jsonl").totals()
    assert totals.cost_usd is None
    assert totals.unknown == 1


def test_a_server_that_is_not_there_is_a_connection_fault_with_advice(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with ScriptedServer(Scripts.of(Turn(text="x"))) as server:
        client = client_on(server, tmp_path)
    client.model = replace(client.model, base_url=f"http://127.0.0.1:{port}/v1")
    with pytest.raises(CallError) as caught:
        client.complete(HELLO)
    assert caught.value.kind == "connection"
    assert "Check the address" in caught.value.message


def test_a_missing_key_is_named_before_anything_is_sent() -> None:
    with pytest.raises(MissingKeyError, match=r"model 'kimi' needs a key and MOONSHOT_API_KEY is not set"):
        resolve(model_settings("kimi")).key()


def test_the_key_is_in_no_error_no_ledger_and_no_dataclass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789")
    with ScriptedServer(Scripts.of(Turn(text="x", fault=Fault(kind="auth", times=-1)))) as server:
        client = client_on(server, tmp_path, model="gpt")
        with pytest.raises(CallError) as caught:
            client.complete(HELLO)
        assert server.keys == {"sk-planted-0123456789"}
    assert "planted" not in caught.value.message + repr(client.model) + (tmp_path / "ledger.jsonl").read_text()


def test_a_recorded_answer_is_replayed_for_nothing_and_a_new_question_is_refused(tmp_path: Path) -> None:
    with ScriptedServer(Scripts.of(Turn(text="first"))) as server:
        recorded = client_on(server, tmp_path, settings=LlmSettings(cache="record")).complete(HELLO)
        replaying = client_on(server, tmp_path, settings=LlmSettings(cache="replay"))
        again = replaying.complete(HELLO)
        with pytest.raises(ReplayMissError):
            replaying.complete([{"role": "user", "content": "hello, world, on 2024-01-02"}])
    assert (again.text, again.replayed, again.cost_usd) == (recorded.text, True, 0.0)
    assert len(server.calls) == 1
    totals = Ledger(tmp_path / "ledger.jsonl").totals()
    assert (totals.calls, totals.replayed) == (1, 1)


def test_a_spent_budget_refuses_before_the_call_is_made(tmp_path: Path) -> None:
    usage = ScriptedUsage(prompt_tokens=1000, completion_tokens=500)
    settings = LlmSettings(budget=BudgetSettings(task_usd=0.002))
    with ScriptedServer(Scripts.of(Turn(text="x", usage=usage))) as server:
        client = client_on(server, tmp_path, settings=settings)
        client.complete(HELLO)
        with pytest.raises(BudgetExceededError) as caught:
            client.complete(HELLO)
    assert caught.value.level == "task"
    assert len(server.calls) == 1


def test_an_answer_of_the_wrong_shape_is_asked_for_again_with_its_fault(tmp_path: Path) -> None:
    turns = (Turn(text='```json\n{"equal": "maybe"}\n```'), Turn(text='Sure: {"equal": true, "reason": "same"}'))
    with ScriptedServer(Scripts.of(*turns)) as server:
        shaped = client_on(server, tmp_path).ask(HELLO, Verdict)
    assert shaped.value == Verdict(equal=True, reason="same")
    assert "not valid" in str(server.requests[1]["messages"][-1]["content"])


@pytest.mark.parametrize("turn", [Turn(text="I can't help with that.", refusal=True), Turn(text='{"equal": tru', cut_at=9), Turn(text="")])
def test_a_refusal_or_an_answer_without_shape_is_unusable_and_billed(turn: Turn, tmp_path: Path) -> None:
    with ScriptedServer(Scripts.of(turn)) as server:
        with pytest.raises(UnusableAnswerError):
            client_on(server, tmp_path).ask(HELLO, Verdict)
        served = server.totals()
    totals = Ledger(tmp_path / "ledger.jsonl").totals()
    assert (totals.calls, totals.prompt_tokens, totals.completion_tokens) == (
        served["calls"],
        served["prompt_tokens"],
        served["completion_tokens"],
    )
