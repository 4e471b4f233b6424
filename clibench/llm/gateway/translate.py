"""The dialects that a provider does not speak: litellm turns the request into a chat completion, and the answer back.

The chat completion is sent to the gateway's own chat endpoint under the same token. So the call is metered, limited, retried and recorded
there, once and in one form, and what happens here is translation alone.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from clibench.llm.client import NO_RETRIES, load_litellm
from clibench.llm.gateway.runs import Run
from clibench.llm.gateway.wire import Body

SPOKEN_HEADER: Final = "x-clibench-spoken"
"""Tells the chat endpoint which dialect the agent spoke."""

_RESPONSES_PARAMS: Final = (
    *("input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "temperature", "top_p", "max_output_tokens", "reasoning"),
    "text",
)
_ANTHROPIC_PARAMS: Final = (
    *("messages", "system", "tools", "tool_choice", "max_tokens", "temperature", "top_p", "top_k", "stop_sequences", "thinking"),
)


def _target(run: Run, url: str, spoken: str) -> dict[str, Any]:
    return {
        "model": f"custom_openai/{run.model.upstream_name}",
        "api_base": f"{url}/v1",
        "api_key": run.token,
        "timeout": run.settings.timeout_s * run.settings.retry.attempts + run.settings.retry.max_wait_s * run.settings.retry.attempts,
        "extra_headers": {SPOKEN_HEADER: spoken},
        **NO_RETRIES,
    }


async def _anthropic(run: Run, url: str, body: Body, *, stream: bool) -> Any:
    asked = {name: body[name] for name in _ANTHROPIC_PARAMS if body.get(name) is not None}
    asked.setdefault("max_tokens", 8192)
    return await load_litellm().anthropic_messages(**asked, stream=stream, **_target(run, url, "anthropic"))


async def _responses(run: Run, url: str, body: Body, *, stream: bool) -> Any:
    asked = {name: body[name] for name in _RESPONSES_PARAMS if body.get(name) is not None}
    # Tools that only OpenAI's own servers run (web search and the like) have no form as a chat completion.
    asked["tools"] = [tool for tool in asked.get("tools") or [] if tool.get("type") == "function"]
    return await load_litellm().aresponses(**asked, stream=stream, **_target(run, url, "openai_responses"))


async def _gemini(run: Run, url: str, body: Body, *, stream: bool) -> Any:
    genai = load_litellm().google_genai
    call = genai.agenerate_content_stream if stream else genai.agenerate_content
    asked = {"contents": body.get("contents") or [], "config": dict(body.get("generationConfig") or {})}
    if body.get("tools"):
        asked["tools"] = body["tools"]
    system = body.get("systemInstruction") or body.get("system_instruction")
    if system:
        asked["systemInstruction"] = system
    return await call(**asked, **_target(run, url, "gemini"))


_TRANSLATORS: Final = {"anthropic": _anthropic, "openai_responses": _responses, "gemini": _gemini}


async def whole(run: Run, url: str, dialect: str, body: Body) -> Body:
    """The answer in the agent's dialect. Raises litellm's errors; `status_of` reads them."""
    return _plain(await _TRANSLATORS[dialect](run, url, body, stream=False))


async def events(run: Run, url: str, dialect: str, body: Body) -> AsyncIterator[bytes]:
    """The answer as the agent's dialect streams it."""
    async for item in await _TRANSLATORS[dialect](run, url, body, stream=True):
        if isinstance(item, bytes | str):
            yield item if isinstance(item, bytes) else item.encode()
        else:
            event = _plain(item)
            yield f"event: {event.get('type')}\ndata: {json.dumps(event)}\n\n".encode()


def _plain(item: Any) -> Body:
    body: Body = dict(item) if isinstance(item, Mapping) else item.model_dump(mode="json", exclude_none=True)
    return body


def status_of(error: Exception) -> int:
    """The HTTP status that a translated call failed with."""
    status = getattr(error, "status_code", None)
    return int(status) if isinstance(status, int | str) and str(status).isdigit() else 502
