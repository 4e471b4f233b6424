"""One attempt at one call: straight to a provider that speaks the agent's dialect, else a chat completion through litellm.

What comes back is whole and checked: a stream that ends early, falls silent or is not what it says it is raises a CallError, of the kind
that `faults.py` has a policy for. The provider's key is put into the request here and nowhere else, and cut out of every error.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

import aiohttp

from clibench.llm.client import NO_RETRIES, explain, load_litellm
from clibench.llm.faults import CallError, kind_of_status, retry_after
from clibench.llm.gateway.wire import WIRES, Body, chat_events, event_bodies
from clibench.llm.models import ModelConfig
from clibench.llm.settings import LlmSettings
from clibench.llm.tokens import Tokens

OnEvent = Callable[[bytes], Awaitable[None]]

_BASES: Final = {
    "openai_chat": "https://api.openai.com/v1",
    "openai_responses": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com",
}
_PASSED_ON: Final = ("anthropic-version", "anthropic-beta", "openai-beta")
_CHAT_PARAMS: Final = (
    *("messages", "tools", "tool_choice", "parallel_tool_calls", "response_format", "stop", "seed"),
    *("temperature", "top_p", "max_tokens", "max_completion_tokens", "reasoning_effort", "thinking"),
    *("presence_penalty", "frequency_penalty", "logit_bias"),
)
"""What of an agent's chat request goes to a provider behind litellm; the rest is talk between agents and OpenAI."""


@dataclass(frozen=True)
class Whole:
    """A complete answer: as a body, and where it was asked for as a stream also as events."""

    body: Body
    events: tuple[bytes, ...] = ()
    tokens: Tokens | None = None


@dataclass(frozen=True)
class Attempt:
    """What is asked of the provider."""

    model: ModelConfig
    key: str
    dialect: str
    body: Body
    stream: bool
    headers: Mapping[str, str]
    settings: LlmSettings


async def attempt_native(http: aiohttp.ClientSession, attempt: Attempt, on_event: OnEvent | None) -> Whole:
    """Straight to the provider; `on_event` gets each event of a stream as it comes. Raises CallError."""
    where = f"model '{attempt.model.name}'"
    timeout = aiohttp.ClientTimeout(total=attempt.settings.timeout_s, sock_read=attempt.settings.stall_s, sock_connect=30)
    events: list[bytes] = []
    try:
        async with http.post(
            _address(attempt), data=json.dumps(_request(attempt)), headers=_headers(attempt), timeout=timeout, allow_redirects=False
        ) as answer:
            if answer.status != 200:
                text = _without_key(await answer.text(errors="replace"), attempt.key)
                raise _refusal(answer.status, text, answer.headers, where)
            if not attempt.stream:
                return _checked(attempt.dialect, await answer.read(), where)
            if answer.content_type != "text/event-stream":
                raise CallError("garbage", f"the provider answered with {answer.content_type} instead of a stream", where=where)
            async for event in _events(answer.content):
                events.append(event)
                if on_event:
                    await on_event(event)
    except TimeoutError as error:
        stalled = isinstance(error, aiohttp.SocketTimeoutError)
        what = (
            f"the provider was silent for {attempt.settings.stall_s:g} s" if stalled else f"no answer in {attempt.settings.timeout_s:g} s"
        )
        raise CallError("stall" if stalled else "timeout", what, where=where) from error
    except aiohttp.ClientConnectorError as error:
        raise CallError("connection", f"no connection to the provider ({error.strerror or error})", where=where) from error
    except (aiohttp.ClientError, ConnectionError) as error:
        raise CallError("cut", f"the provider closed the connection ({type(error).__name__})", where=where) from error
    return _streamed(attempt.dialect, events, where)


async def attempt_litellm(attempt: Attempt) -> Whole:
    """A chat completion through litellm, asked for whole (litellm then knows all its tokens) and said as a stream where one is wanted."""
    litellm = load_litellm()
    asked = {name: value for name, value in attempt.body.items() if name in _CHAT_PARAMS and value is not None}
    try:
        response = await asyncio.wait_for(
            litellm.acompletion(
                model=attempt.model.id,
                **{**asked, **attempt.model.params},
                api_key=attempt.key,
                base_url=attempt.model.base_url,
                timeout=attempt.settings.timeout_s,
                **NO_RETRIES,
            ),
            attempt.settings.timeout_s,
        )
    except TimeoutError as error:
        raise CallError("timeout", f"no answer in {attempt.settings.timeout_s:g} s", where=f"model '{attempt.model.name}'") from error
    except Exception as error:  # litellm wraps providers' errors in dozens of types; `explain` sorts them
        raise explain(error, attempt.model, attempt.key) from error
    body: Body = response.model_dump(mode="json")
    if not body.get("choices"):
        raise CallError("garbage", "the provider's answer holds no choice", where=f"model '{attempt.model.name}'")
    return Whole(body, tuple(chat_events(body)) if attempt.stream else (), WIRES["openai_chat"].usage(body))


def _address(attempt: Attempt) -> str:
    base = (attempt.model.base_url or _BASES[attempt.dialect]).rstrip("/")
    root = base.removesuffix("/v1")
    if attempt.dialect == "openai_chat":
        return f"{base}/chat/completions"
    if attempt.dialect == "openai_responses":
        return f"{base}/responses"
    if attempt.dialect == "anthropic":
        return f"{root}/v1/messages"
    method = "streamGenerateContent?alt=sse" if attempt.stream else "generateContent"
    return f"{root}/v1beta/models/{attempt.model.upstream_name}:{method}"


def _request(attempt: Attempt) -> Body:
    body = WIRES[attempt.dialect].params(attempt.body, attempt.model.params)
    if attempt.dialect == "gemini":
        return {name: value for name, value in body.items() if name not in ("model", "stream")}
    body = {**body, "model": attempt.model.upstream_name}
    if attempt.dialect == "openai_chat" and attempt.stream:
        body["stream_options"] = {"include_usage": True}  # without it a stream does not say what it cost
    return body


def _headers(attempt: Attempt) -> dict[str, str]:
    headers = {name: value for name, value in attempt.headers.items() if name.lower() in _PASSED_ON}
    headers["Content-Type"] = "application/json"
    if attempt.dialect == "anthropic":
        headers.setdefault("anthropic-version", "2023-06-01")
        headers["x-api-key"] = attempt.key
    elif attempt.dialect == "gemini":
        headers["x-goog-api-key"] = attempt.key
    else:
        headers["Authorization"] = f"Bearer {attempt.key}"
    return headers


def _without_key(text: str, key: str) -> str:
    return text.replace(key, "<key>") if key else text


def _refusal(status: int, text: str, headers: Mapping[str, str], where: str) -> CallError:
    message = text
    try:
        error = json.loads(text)["error"]
        message = error["message"] if isinstance(error, dict) else str(error)
    except (ValueError, KeyError, TypeError):
        pass
    return CallError(kind_of_status(status, text), message[:500], where=where, status=status, retry_after_s=retry_after(headers))


async def _events(content: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    rest = b""
    async for chunk in content.iter_any():
        rest = (rest + chunk).replace(b"\r\n", b"\n")
        *whole, rest = rest.split(b"\n\n")
        for event in whole:
            if event.strip():
                yield event + b"\n\n"
    if rest.strip():
        yield rest + b"\n\n"


def _checked(dialect: str, data: bytes, where: str) -> Whole:
    try:
        body = json.loads(data)
        if not isinstance(body, dict):
            raise ValueError("not an object")
    except ValueError as error:
        raise CallError("garbage", "the provider's answer is not JSON", where=where) from error
    if not any(body.get(name) for name in WIRES[dialect].holds):
        raise CallError("garbage", f"the provider's answer holds no {WIRES[dialect].holds[0]}", where=where)
    return Whole(body, (), WIRES[dialect].usage(body))


def _streamed(dialect: str, events: list[bytes], where: str) -> Whole:
    try:
        bodies = event_bodies(events)
    except ValueError as error:
        raise CallError("garbage", "an event of the provider's stream is not JSON", where=where) from error
    failed = next((body for body in bodies if body.get("type") in ("error", "response.failed") or set(body) == {"error"}), None)
    if failed:
        detail = failed.get("error") or (failed.get("response") or {}).get("error") or {}
        message = detail.get("message") if isinstance(detail, dict) else detail
        raise CallError("server_error", f"the provider broke off its stream: {message}"[:500], where=where)
    body = WIRES[dialect].assemble(bodies)
    if body is None:
        raise CallError("cut", "the provider's stream ended early", where=where)
    return Whole(body, tuple(events), WIRES[dialect].usage(body))
