"""The gateway as agents meet it: a real process, real sockets, the OpenAI library, and the scripted server as the provider."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import openai
import psutil
import pytest

from clibench.errors import MissingKeyError
from clibench.llm.gateway import Gateway, Lease, RunLimits, attach
from clibench.llm.gateway.runtime import end_held, remove_runtime, runtime_folder, start_held
from clibench.llm.ledger import Ledger, Line, Scope
from clibench.llm.models import resolve
from clibench.llm.scripted import Fault, ScriptedServer, ScriptedUsage, Scripts, Turn
from clibench.llm.settings import BudgetSettings, LlmSettings, RetrySettings
from tests.llm.support import model_settings
from tests.llm.test_scripted import REQUESTS

WEB = httpx.Client(timeout=280, limits=httpx.Limits(max_connections=None))
QUICK = RetrySettings(attempts=3, first_wait_s=0.01, max_wait_s=0.02)
USAGE = ScriptedUsage(prompt_tokens=1000, cached_tokens=400, completion_tokens=50, reasoning_tokens=20)
SMALL = ScriptedUsage(prompt_tokens=90, cached_tokens=40, completion_tokens=5)


@dataclass
class Bench:
    """One gateway for the whole module, a sweep of its own for each test."""

    gateway: Gateway
    outputs: Path
    sweep: str = ""

    def register(self, server: ScriptedServer, *, name: str = "scripted", run: str = "r", **more: Any) -> Lease:
        limits, llm = more.pop("limits", RunLimits()), more.pop("llm", LlmSettings(retry=QUICK))
        settings = model_settings(name, base_url=server.root if name == "claude" else server.url, **more)
        scope = Scope(sweep=self.sweep, job="j", task="t", run=f"{self.sweep}-{run}")
        return self.gateway.register(scope, settings, resolve(settings), llm, limits)

    def register_at(self, url: str, **more: Any) -> Lease:
        settings = model_settings("scripted", base_url=url, **{"native": ["openai_chat"], **more})
        scope = Scope(sweep=self.sweep, job="j", task="t", run=self.sweep)
        return self.gateway.register(scope, settings, resolve(settings), LlmSettings(retry=QUICK), RunLimits())

    def lines(self) -> list[Line]:
        return [line for line in Ledger(self.outputs / "ledger.jsonl").lines() if line.scope.sweep == self.sweep]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    outputs = tmp_path_factory.mktemp("outputs")
    bench = Bench(attach(outputs), outputs)
    yield bench
    pid = bench.gateway.greet()
    bench.gateway.close()
    psutil.Process(pid).wait(30)


@pytest.fixture
def bench(running: Bench) -> Bench:
    running.sweep = uuid.uuid4().hex[:8]
    return running


def ask(lease: Lease, dialect: str, *, stream: bool = False) -> httpx.Response:
    path, body = REQUESTS[dialect]
    if dialect == "gemini":
        path = path.replace("generateContent", "streamGenerateContent?alt=sse") if stream else path
    else:
        body = {**body, "stream": stream, **({"max_tokens": 100} if dialect == "anthropic" else {})}
    return WEB.post(lease.url + path, json=body, headers={"x-api-key": lease.token})


def openai_client(lease: Lease) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{lease.url}/v1", api_key=lease.token, max_retries=0, timeout=280)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", REQUESTS)
def test_each_dialect_reaches_a_provider_that_speaks_only_chat_and_is_billed_once(dialect: str, stream: bool, bench: Bench) -> None:
    with ScriptedServer(Scripts.of(Turn(text="hi there", run="ls -l", usage=USAGE))) as server:
        lease = bench.register(server)
        answer = ask(lease, dialect, stream=stream)
        served = server.totals()
    assert answer.status_code == 200
    assert "hi there" in answer.text
    assert "ls -l" in answer.text
    totals = lease.account().totals
    assert (totals.calls, totals.attempts) == (1, 1)
    assert totals.prompt_tokens == served["prompt_tokens"] == 1000
    assert totals.cached_tokens == served["cached_tokens"] == 400
    assert totals.completion_tokens == served["completion_tokens"] == 50
    assert totals.reasoning_tokens == served["reasoning_tokens"] == 20
    assert totals.cost_usd == pytest.approx((600 * 1.0 + 400 * 0.1 + 50 * 2.0) / 1e6)
    (line,) = bench.lines()
    assert line.dialect == dialect


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", REQUESTS)
def test_a_dialect_that_the_provider_speaks_goes_to_it_unchanged(dialect: str, stream: bool, bench: Bench) -> None:
    with ScriptedServer(
        Scripts.of(Turn(text="hi there", usage=ScriptedUsage(prompt_tokens=90, cached_tokens=40, completion_tokens=5)))
    ) as server:
        lease = bench.register(server, native=[dialect], params={"temperature": 0.25})
        answer = ask(lease, dialect, stream=stream)
    assert "hi there" in answer.text
    assert [call.dialect for call in server.calls] == [dialect]
    totals = lease.account().totals
    assert (totals.prompt_tokens, totals.cached_tokens, totals.completion_tokens) == (90, 40, 5)
    sent = server.requests[0]
    assert (sent["generationConfig"] if dialect == "gemini" else sent)["temperature"] == 0.25


def test_the_paper_s_claude_is_reached_in_openai_s_dialect_by_translation(bench: Bench) -> None:
    with ScriptedServer(
        Scripts.of(Turn(text="bonjour", usage=ScriptedUsage(prompt_tokens=90, cached_tokens=40, completion_tokens=5)))
    ) as server:
        lease = bench.register(server, name="claude")
        said = openai_client(lease).chat.completions.create(model="anything", messages=[{"role": "user", "content": "hello"}])
    assert said.choices[0].message.content == "bonjour"
    assert [call.dialect for call in server.calls] == ["anthropic"]
    totals = lease.account().totals
    assert (totals.prompt_tokens, totals.cached_tokens, totals.completion_tokens) == (90, 40, 5)


@pytest.mark.parametrize("hold", [True, False])
def test_a_stream_that_openai_s_own_library_reads_is_whole(hold: bool, bench: Bench) -> None:
    with ScriptedServer(Scripts.of(Turn(text="word " * 500))) as server:
        lease = bench.register(server, llm=LlmSettings(retry=QUICK, hold_streams=hold))
        chunks = openai_client(lease).chat.completions.create(model="m", messages=[{"role": "user", "content": "go"}], stream=True)
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == "word " * 500


@pytest.mark.parametrize("kind", ["rate_limit", "server_error", "cut", "garbage", "stall"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("native", [True, False], ids=["spoken", "translated"])
@pytest.mark.parametrize("dialect", REQUESTS)
def test_a_passing_fault_of_the_provider_is_retried_here_and_never_reaches_the_agent(
    dialect: str, native: bool, stream: bool, kind: str, bench: Bench
) -> None:
    fault = Fault.model_validate({"kind": kind, "times": 2})
    with ScriptedServer(Scripts.of(Turn(text="at last", fault=fault))) as server:
        lease = bench.register(server, llm=LlmSettings(retry=QUICK, stall_s=0.3), native=[dialect if native else "openai_chat"])
        answer = ask(lease, dialect, stream=stream)
    assert "at last" in answer.text
    assert [line.outcome for line in bench.lines()] == [kind, kind, "ok"]
    assert [call.fault for call in server.calls] == [kind, kind, ""]


@pytest.mark.parametrize("kind", ["cut", "stall"])
@pytest.mark.parametrize("dialect", REQUESTS)
def test_a_break_of_a_stream_that_is_passed_on_as_it_comes_is_the_agent_s_to_handle(dialect: str, kind: str, bench: Bench) -> None:
    fault = Fault.model_validate({"kind": kind, "times": 1})
    with ScriptedServer(Scripts.of(Turn(text="word " * 99, fault=fault))) as server:
        lease = bench.register(server, native=[dialect], llm=LlmSettings(retry=QUICK, stall_s=0.3, hold_streams=False))
        with pytest.raises(httpx.TransportError):
            ask(lease, dialect, stream=True)
        assert ask(lease, dialect, stream=True).status_code == 200
    assert [(line.outcome, line.tokens is None) for line in bench.lines()] == [(kind, True), ("ok", False)]
    assert lease.account().closed_by == ""


def test_a_retry_after_header_goes_before_the_gateway_s_own_pause(bench: Bench) -> None:
    with ScriptedServer(Scripts.of(Turn(text="at last", fault=Fault(kind="rate_limit", retry_after=1.25)))) as server:
        answer = ask(bench.register(server), "openai_chat")
    assert "at last" in answer.text
    refused, answered = bench.lines()
    pause = datetime.fromisoformat(answered.at) - datetime.fromisoformat(refused.at)
    assert (refused.outcome, answered.outcome) == ("rate_limit", "ok")
    assert pause.total_seconds() > 1.0, "its own would be of milliseconds"


ODD = {
    "malformed tool call": (Turn(run="ls -l", fault=Fault(kind="malformed_tool_call", times=-1)), ""),
    "refusal": (Turn(text="I will not.", refusal=True), "I will not."),
    "early stop": (Turn(text="word " * 99, cut_at=12), "word word"),
    "huge output": (Turn(text="0123456789abcdef", repeat=1 << 14), "0123456789abcdef" * 100),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", REQUESTS)
@pytest.mark.parametrize("name", ODD)
def test_an_odd_answer_is_the_agent_s_to_handle_and_billed_once(name: str, dialect: str, stream: bool, bench: Bench) -> None:
    turn, words = ODD[name]
    with ScriptedServer(Scripts.of(turn)) as server:
        lease = bench.register(server)
        answer = ask(lease, dialect, stream=stream)
        served = server.totals()
    assert answer.status_code == 200
    assert words in "".join(answer.text.split("\n")) or stream, "a stream comes in pieces"
    totals = lease.account().totals
    assert (lease.account().closed_by, totals.calls, totals.attempts) == ("", 1, 1)
    assert (totals.prompt_tokens, totals.completion_tokens) == (served["prompt_tokens"], served["completion_tokens"])


@pytest.mark.parametrize("kind", ["rate_limit", "server_error", "auth"])
@pytest.mark.parametrize("dialect", REQUESTS)
def test_a_fault_that_stays_closes_the_run_as_an_outage_so_that_no_agent_keeps_asking(kind: str, dialect: str, bench: Bench) -> None:
    with ScriptedServer(Scripts.of(Turn(text="x", fault=Fault.model_validate({"kind": kind, "times": -1})))) as server:
        lease = bench.register(server)
        first, second = ask(lease, dialect), ask(lease, dialect)
        asked = len(server.calls)
    assert first.status_code in (403, 503)
    assert second.status_code == 403
    assert asked == (1 if kind == "auth" else 3)
    assert (lease.account().closed_by, lease.account().passing) == ("outage", kind != "auth")


def test_a_request_that_the_provider_refuses_is_the_agent_s_own_and_closes_nothing(bench: Bench) -> None:
    with ScriptedServer(Scripts.of(Turn(text="x", fault=Fault(kind="server_error", status=400)))) as server:
        lease = bench.register(server)
        refused, fine = ask(lease, "openai_chat"), ask(lease, "openai_chat")
    assert (refused.status_code, fine.status_code) == (400, 200)
    assert lease.account().closed_by == ""


class Answering(BaseHTTPRequestHandler):
    """A provider that answers everything with what its server was told to."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        status, headers, body = self.server.answer  # type: ignore[attr-defined]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Nothing."""


@contextmanager
def answering(status: int, headers: dict[str, str], body: bytes) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        server.answer = (status, headers, body)  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()


HOLLOW = {
    "openai_chat": b'{"choices": [], "usage": {"prompt_tokens": 1}}',
    "openai_responses": b'{"message": "hello"}',
    "anthropic": b'{"message": "hello"}',
    "gemini": b'{"message": "hello"}',
}


@pytest.mark.parametrize("dialect", HOLLOW)
def test_an_answer_of_status_200_that_holds_nothing_is_no_answer(dialect: str, bench: Bench) -> None:
    with answering(200, {"Content-Type": "application/json"}, HOLLOW[dialect]) as url:
        lease = bench.register_at(url, native=[dialect])
        assert ask(lease, dialect).status_code == 403
    assert [line.outcome for line in bench.lines()] == ["garbage"] * 3
    assert lease.account().closed_by == "outage"


@pytest.mark.parametrize("status", [301, 308, 404, 405])
def test_a_wrong_address_is_an_outage_and_no_fault_of_the_agent(status: int, bench: Bench) -> None:
    with answering(status, {"Location": "http://127.0.0.1:1/"}, b"moved") as url:
        lease = bench.register_at(url)
        assert ask(lease, "openai_chat").status_code == 403
    assert [line.outcome for line in bench.lines()] == ["not_found"]
    assert lease.account().closed_by == "outage"


def test_a_provider_that_asks_for_a_pause_of_a_day_is_not_waited_for(bench: Bench) -> None:
    with ScriptedServer(Scripts.of(Turn(text="x", fault=Fault(kind="rate_limit", times=-1, retry_after=86400)))) as server:
        lease = bench.register(server)
        assert ask(lease, "openai_chat").status_code == 403
        assert len(server.calls) == 1
    assert lease.account().closed_by == "outage"


def test_the_ledger_names_no_dialect_that_an_agent_makes_up(bench: Bench) -> None:
    with ScriptedServer(Scripts.of(Turn(text="x"))) as server:
        lease = bench.register(server)
        path, body = REQUESTS["openai_chat"]
        WEB.post(lease.url + path, json=body, headers={"x-api-key": lease.token, "x-clibench-spoken": "klingon"})
    assert [line.dialect for line in bench.lines()] == ["openai_chat"]


_BEHIND_A_PROXY = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
import httpx
from clibench.llm.client import Client
from clibench.llm.gateway import RunLimits, attach
from clibench.llm.ledger import Ledger, Scope
from clibench.llm.models import resolve
from clibench.llm.settings import LlmSettings, ModelSettings
from tests.llm.test_scripted import REQUESTS
settings = ModelSettings(name="m", id="custom_openai/m", base_url=sys.argv[2], native=["openai_chat"])
lease = attach(Path(sys.argv[1])).register(Scope(run="r"), settings, resolve(settings), LlmSettings(), RunLimits())
for dialect in ("openai_chat", "anthropic"):
    path, body = REQUESTS[dialect]
    answer = httpx.post(lease.url + path, json={**body, "max_tokens": 9}, headers={"x-api-key": lease.token}, trust_env=False, timeout=200)
    print(answer.status_code, flush=True)
client = Client(resolve(settings), Ledger(Path(sys.argv[1]) / "own.jsonl"), LlmSettings(), scope=Scope(), cache_dir=Path(sys.argv[1]))
print(client.complete([{"role": "user", "content": "hello"}]).text)
"""


def test_on_a_host_behind_a_proxy_what_is_on_this_machine_is_reached_without_it(tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9"
    proxied = dict.fromkeys(("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"), nowhere)
    environment = {name: value for name, value in os.environ.items() if name.lower() != "no_proxy"} | proxied
    with ScriptedServer(Scripts.of(Turn(text="near"))) as server:
        command = [sys.executable, "-c", _BEHIND_A_PROXY, str(tmp_path), server.url, str(Path(__file__).parents[2])]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["200", "200", "near"], done.stderr


@pytest.mark.parametrize(
    ("limits", "answered"), [(RunLimits(steps=2), 2), (RunLimits(tokens=2100), 2), (RunLimits(usd=0.0005), 1), (RunLimits(), 4)]
)
def test_a_run_s_limits_are_kept_before_the_call(limits: RunLimits, answered: int, bench: Bench) -> None:
    with ScriptedServer(Scripts.of(Turn(text="x", usage=USAGE))) as server:
        lease = bench.register(server, limits=limits)
        statuses = [ask(lease, "openai_chat").status_code for _ in range(4)]
        assert len(server.calls) == answered
    assert statuses == [200] * answered + [403] * (4 - answered)
    assert lease.account().closed_by == ("limit" if answered < 4 else "")


@pytest.mark.parametrize("unit", ["tokens", "usd"])
@pytest.mark.parametrize("level", ["call", "task", "job", "sweep"])
def test_a_spent_budget_of_any_level_is_answered_with_403_before_the_provider_is_asked(level: str, unit: str, bench: Bench) -> None:
    most = {"tokens": 2, "usd": 1e-9} if level == "call" else {"tokens": 2000, "usd": 0.0014}
    budget = BudgetSettings()
    setattr(budget, f"{level}_{unit}", most[unit])
    asked = 0 if level == "call" else 2  # each costs 1050 tokens or 0.00074 dollars
    with ScriptedServer(Scripts.of(Turn(text="x", usage=USAGE))) as server:
        leases = [bench.register(server, run=run, llm=LlmSettings(retry=QUICK, budget=budget)) for run in ("r1", "r2")]
        dialects = ("openai_chat", "openai_chat", "anthropic", "gemini", "openai_responses")
        statuses = [ask(leases[number % 2], dialect).status_code for number, dialect in enumerate(dialects)]
        assert len(server.calls) == asked
    assert statuses == [200] * asked + [403] * (len(dialects) - asked)
    account = leases[0].account()
    assert (account.closed_by, account.closed_level, account.passing) == ("budget", level, False)


def test_without_a_token_or_after_its_end_nothing_is_answered(bench: Bench) -> None:
    with ScriptedServer(Scripts.of(Turn(text="x"))) as server:
        with bench.register(server) as lease:
            assert ask(lease, "openai_chat").status_code == 200
        stranger = Lease(bench.gateway, "run-guessed", lease.url, lease.socket_folder, lease.log)
        assert ask(stranger, "openai_chat").status_code == 401
        assert httpx.get(f"{lease.url}/v1/models").status_code == 401
        assert ask(lease, "openai_chat").status_code == 403
        assert len(server.calls) == 1


def test_the_unix_socket_serves_what_loopback_serves(bench: Bench) -> None:
    with ScriptedServer(Scripts.of(Turn(text="by socket"))) as server:
        lease = bench.register(server)
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(lease.socket_folder / "llm.sock")), timeout=60) as client:
            path, body = REQUESTS["openai_chat"]
            answer = client.post(f"http://gateway{path}", json=body, headers={"Authorization": f"Bearer {lease.token}"})
    assert "by socket" in answer.text
    assert (lease.socket_folder.parent.stat().st_mode & 0o777) == 0o700


def test_a_recorded_run_is_replayed_without_the_provider_though_ids_and_dates_differ(bench: Bench) -> None:
    def talk(lease: Lease, tag: str) -> str:
        content = f"session {tag}-1111-2222-3333-444455556666, today is 2026-0{tag[0]}-01"
        said = openai_client(lease).chat.completions.create(
            model="m", messages=[{"role": "user", "content": content}], user=tag, stream=True
        )
        return "".join(chunk.choices[0].delta.content or "" for chunk in said if chunk.choices)

    with ScriptedServer(Scripts.of(Turn(text="recorded words", usage=USAGE))) as server:
        first = talk(bench.register(server, llm=LlmSettings(retry=QUICK, cache="record")), "1aaaaaaa")
        replaying = bench.register(server, run="r2", llm=LlmSettings(retry=QUICK, cache="replay"))
        second = talk(replaying, "2bbbbbbb")
        with pytest.raises(openai.PermissionDeniedError, match="no recorded answer"):
            openai_client(replaying).chat.completions.create(model="m", messages=[{"role": "user", "content": "something new"}])
        assert len(server.calls) == 1
    assert first == second == "recorded words"
    account = replaying.account()
    assert (account.closed_by, account.totals.replayed, account.totals.cost_usd) == ("replay", 1, 0.0)


def test_the_key_reaches_the_provider_and_nothing_else(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = "sk-planted-9876543210"
    monkeypatch.setenv("SCRIPTED_KEY", planted)
    turns = (Turn(text="fine"), Turn(text="x", fault=Fault(kind="auth", times=-1)))
    with ScriptedServer(Scripts.of(*turns)) as server:
        lease = bench.register(server, key_env="SCRIPTED_KEY")
        seen = ask(lease, "openai_chat").text + ask(lease, "anthropic", stream=True).text
        messages: Any = [{"role": "user", "content": "go"}, {"role": "assistant", "content": "fine"}, {"role": "user", "content": "on"}]
        with pytest.raises(openai.APIStatusError) as caught:
            openai_client(lease).chat.completions.create(model="m", messages=messages)
        assert server.keys == {planted}
    environment = Path(f"/proc/{bench.gateway.greet()}/environ").read_bytes()
    written = b"".join(path.read_bytes() for path in bench.outputs.rglob("*") if path.is_file())
    assert planted not in seen + caught.value.message
    assert planted.encode() not in written + environment


def test_a_missing_key_is_found_when_the_run_is_registered(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings = model_settings("gpt")
    with pytest.raises(MissingKeyError, match="OPENAI_API_KEY"):
        bench.gateway.register(Scope(run="r"), settings, resolve(settings), LlmSettings(), RunLimits())


def test_the_log_of_a_run_holds_each_message_once(bench: Bench) -> None:
    messages: list[Any] = [{"role": "user", "content": "first question"}]
    with ScriptedServer(Scripts.of(Turn(text="one"), Turn(text="two"), Turn(text="three"))) as server:
        lease = bench.register(server)
        for _ in range(3):
            said = openai_client(lease).chat.completions.create(model="m", messages=messages).choices[0].message.content
            messages += [{"role": "assistant", "content": said}, {"role": "user", "content": "and then?"}]
    lines = [json.loads(line) for line in lease.log.read_text().splitlines()]
    assert [line["prefix"] for line in lines] == [0, 1, 3]
    assert lease.log.read_text().count("first question") == 1
    assert [line["answer"]["choices"][0]["message"]["content"] for line in lines] == ["one", "two", "three"]
    assert "head" in lines[0]
    assert "head" not in lines[1]


def test_many_calls_at_once_are_all_answered_and_all_in_the_ledger(bench: Bench) -> None:
    with ScriptedServer(Scripts.of(Turn(text="x", usage=USAGE))) as server:
        lease = bench.register(server)
        with ThreadPoolExecutor(32) as pool:
            statuses = list(pool.map(lambda _: ask(lease, "openai_chat").status_code, range(64)))
    assert statuses == [200] * 64
    assert lease.account().totals.prompt_tokens == 64 * 1000


_OWNER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from clibench.llm.gateway import RunLimits, attach
from clibench.llm.ledger import Scope
from clibench.llm.models import resolve
from clibench.llm.settings import LlmSettings, ModelSettings
settings = ModelSettings(name="m", id="custom_openai/m", base_url=sys.argv[2], native=["openai_chat"])
gateway = attach(Path(sys.argv[1]))
lease = gateway.register(Scope(run="r"), settings, resolve(settings), LlmSettings(), RunLimits())
print(gateway.greet(), lease.url, lease.token, flush=True)
sys.stdin.read()
"""


def test_when_its_owner_is_killed_the_gateway_drops_the_call_in_flight_and_ends_with_no_socket_left(tmp_path: Path) -> None:
    root = str(Path(__file__).parents[2])
    with ScriptedServer(Scripts.of(Turn(text="x", fault=Fault(kind="stall", times=-1)))) as server:
        owner = subprocess.Popen(
            [sys.executable, "-c", _OWNER, str(tmp_path), server.url, root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert owner.stdout
        pid, url, token = owner.stdout.readline().split()
        process = psutil.Process(int(pid))
        body = {"model": "m", "messages": [{"role": "user", "content": "go"}]}
        outcome: list[BaseException] = []

        def call() -> None:
            try:
                httpx.post(f"{url}/v1/chat/completions", json=body, headers={"x-api-key": token}, timeout=120)
            except httpx.HTTPError as error:
                outcome.append(error)

        caller = threading.Thread(target=call)
        caller.start()
        while not server.calls:
            caller.join(0.01)
        os.kill(owner.pid, signal.SIGKILL)
        owner.wait()
        process.wait(30)
        caller.join(30)
    assert outcome
    assert [line.outcome for line in Ledger(tmp_path / "ledger.jsonl").lines()] == ["abandoned"]
    assert not runtime_folder(tmp_path).exists()


def test_two_processes_share_one_gateway_and_one_leaving_does_not_end_the_other_s_run(bench: Bench) -> None:
    with ScriptedServer(Scripts.of(Turn(text="x"))) as server:
        other = attach(bench.outputs)
        assert other.greet() == bench.gateway.greet()
        mine = bench.register(server, run="mine")
        theirs = replace(bench, gateway=other).register(server, run="theirs")
        assert (ask(mine, "openai_chat").status_code, ask(theirs, "openai_chat").status_code) == (200, 200)
        other.close()
        assert ask(mine, "openai_chat").status_code == 200


def test_many_processes_that_start_and_end_at_once_share_gateways_and_leave_no_folder(tmp_path: Path) -> None:
    root = str(Path(__file__).parents[2])
    for _ in range(2):
        with ScriptedServer(Scripts.of(Turn(text="x"))) as server:
            command = [sys.executable, "-c", _OWNER, str(tmp_path), server.url, root]
            owners = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
            pids = []
            for owner in owners:
                assert owner.stdout and owner.stdin
                pids.append(int(owner.stdout.readline().split()[0]))
                owner.stdin.close()
            assert [owner.wait(60) for owner in owners] == [0] * 4
            psutil.wait_procs([psutil.Process(pid) for pid in set(pids) if psutil.pid_exists(pid)], timeout=60)
        assert not runtime_folder(tmp_path).exists()


def test_who_waits_for_the_start_lock_of_a_gateway_that_ends_gets_the_folder_that_is_there_then(tmp_path: Path) -> None:
    folder = runtime_folder(tmp_path)
    waiting, held = threading.Event(), []

    def start() -> None:
        waiting.set()
        with start_held(tmp_path) as made:
            held.append((made / "start.lock").stat().st_ino)

    with start_held(tmp_path):
        inode = (folder / "start.lock").stat().st_ino
        (tmp_path / "kept").hardlink_to(folder / "start.lock")  # so that its number is not given to another file
        starter = threading.Thread(target=start)
        starter.start()
        waiting.wait(30)
        with end_held(folder) as free:
            assert not free
        remove_runtime(folder)
    starter.join(30)
    assert held
    assert held[0] == (folder / "start.lock").stat().st_ino != inode
    with end_held(folder) as free:
        assert free
        remove_runtime(folder)


def test_what_a_killed_gateway_left_is_removed_at_the_next_start_of_any(tmp_path: Path) -> None:
    killed, other = tmp_path / "killed", tmp_path / "other"
    gateway = attach(killed)
    pid = gateway.greet()
    second = attach(other)
    assert runtime_folder(killed).exists()  # it runs: nobody touches it
    os.kill(pid, signal.SIGKILL)
    psutil.Process(pid).wait(30)
    assert runtime_folder(killed).exists()
    attach(other).close()
    assert not runtime_folder(killed).exists()
    ended = psutil.Process(second.greet())
    second.close()
    ended.wait(30)
    assert not runtime_folder(other).exists()
