"""Bodies, events, errors and token counts of the four dialects, as far as the gateway has to understand them.

Pure functions. A stream is assembled into the same body that a call without streaming would have had, so that metering, the log of a run
and its trajectory know only whole answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clibench.llm.tokens import Tokens, from_anthropic, from_gemini, from_openai_chat, from_openai_responses

Body = dict[str, Any]


@dataclass(frozen=True)
class Wire:
    """What one dialect looks like."""

    usage: Callable[[Mapping[str, Any]], Tokens | None]
    """Of a whole answer; None where it has none."""
    assemble: Callable[[Sequence[Body]], Body | None]
    """The whole answer that the events of a stream make; None where the stream is not complete."""
    params: Callable[[Body, Mapping[str, Any]], Body]
    """The request with the model's parameters set."""
    error: Callable[[int, str], Body]
    items: str
    """The request's list of messages."""
    holds: tuple[str, ...]
    """A whole answer has one of these, and not empty."""


def usage_openai_chat(body: Mapping[str, Any]) -> Tokens | None:
    """Tokens of a chat completion."""
    return from_openai_chat(body["usage"]) if isinstance(body.get("usage"), Mapping) else None


def _usage_responses(body: Mapping[str, Any]) -> Tokens | None:
    return from_openai_responses(body["usage"]) if isinstance(body.get("usage"), Mapping) else None


def _usage_anthropic(body: Mapping[str, Any]) -> Tokens | None:
    return from_anthropic(body["usage"]) if isinstance(body.get("usage"), Mapping) else None


def _usage_gemini(body: Mapping[str, Any]) -> Tokens | None:
    return from_gemini(body["usageMetadata"]) if isinstance(body.get("usageMetadata"), Mapping) else None


def _assemble_chat(events: Sequence[Body]) -> Body | None:
    message: Body = {"role": "assistant", "content": None}
    calls: dict[int, Body] = {}
    finish, usage = None, None
    for event in events:
        usage = event.get("usage") or usage
        for choice in event.get("choices") or []:
            finish = choice.get("finish_reason") or finish
            delta = choice.get("delta") or {}
            for name in ("content", "reasoning_content", "refusal"):
                if delta.get(name):
                    message[name] = (message.get(name) or "") + delta[name]
            for part in delta.get("tool_calls") or []:
                call = calls.setdefault(part.get("index", 0), {"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
                call["id"] = part.get("id") or call["id"]
                function = part.get("function") or {}
                call["function"]["name"] = function.get("name") or call["function"]["name"]
                call["function"]["arguments"] += function.get("arguments") or ""
    if finish is None:
        return None
    if calls:
        message["tool_calls"] = [calls[place] for place in sorted(calls)]
    head = {name: events[0].get(name) for name in ("id", "created", "model")}
    return {**head, "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}


def _assemble_responses(events: Sequence[Body]) -> Body | None:
    last = next((event for event in reversed(events) if event.get("type") in ("response.completed", "response.incomplete")), None)
    body: Body | None = last["response"] if last else None
    return body


def _assemble_anthropic(events: Sequence[Body]) -> Body | None:
    body: Body = {}
    blocks: dict[int, Body] = {}
    texts: dict[int, str] = {}
    for event in events:
        kind = event.get("type")
        if kind == "message_start":
            body = dict(event["message"])
        elif kind == "content_block_start":
            blocks[event["index"]] = dict(event["content_block"])
        elif kind == "content_block_delta":
            delta, place = event["delta"], event["index"]
            if "partial_json" in delta:
                texts[place] = texts.get(place, "") + delta["partial_json"]
            for name in ("text", "thinking", "signature"):
                if name in delta:
                    blocks[place][name] = blocks[place].get(name, "") + delta[name]
        elif kind == "message_delta":
            body |= {name: value for name, value in event["delta"].items() if value is not None}
            # What message_delta says of tokens is cumulative and goes over what message_start said.
            body["usage"] = {**(body.get("usage") or {}), **{k: v for k, v in (event.get("usage") or {}).items() if v is not None}}
    if not events or events[-1].get("type") != "message_stop":
        return None
    for place, text in texts.items():
        blocks[place]["input"] = _json_or_text(text)
    return {**body, "content": [blocks[place] for place in sorted(blocks)]}


def _assemble_gemini(events: Sequence[Body]) -> Body | None:
    parts: list[Body] = []
    finish, usage = None, None
    for event in events:
        usage = event.get("usageMetadata") or usage
        finish = (event.get("promptFeedback") or {}).get("blockReason") or finish  # a refusal has no candidate
        for candidate in event.get("candidates") or []:
            finish = candidate.get("finishReason") or finish
            parts += (candidate.get("content") or {}).get("parts") or []
    if finish is None:
        return None
    candidate = {"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": finish}
    return {"candidates": [candidate], "usageMetadata": usage}


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


def _params_chat(body: Body, params: Mapping[str, Any]) -> Body:
    return {**body, **params}


def _params_responses(body: Body, params: Mapping[str, Any]) -> Body:
    made = {**body, **{name: value for name, value in params.items() if name not in ("max_tokens", "reasoning_effort")}}
    if "max_tokens" in params:
        made["max_output_tokens"] = params["max_tokens"]
    if "reasoning_effort" in params:
        made["reasoning"] = {**(body.get("reasoning") or {}), "effort": params["reasoning_effort"]}
    return made


def _params_anthropic(body: Body, params: Mapping[str, Any]) -> Body:
    known = ("temperature", "top_p", "top_k", "max_tokens", "thinking")
    return {**body, **{name: value for name, value in params.items() if name in known}}


def _params_gemini(body: Body, params: Mapping[str, Any]) -> Body:
    names = {"temperature": "temperature", "top_p": "topP", "max_tokens": "maxOutputTokens", "seed": "seed"}
    given = {names[name]: value for name, value in params.items() if name in names}
    return {**body, "generationConfig": {**(body.get("generationConfig") or {}), **given}} if given else body


def _error_openai(status: int, message: str) -> Body:
    kinds = {400: "invalid_request_error", 401: "invalid_api_key", 403: "permission_denied", 429: "rate_limit_exceeded"}
    kind = kinds.get(status, "server_error")
    return {"error": {"message": message, "type": kind, "code": kind, "param": None}}


def _error_anthropic(status: int, message: str) -> Body:
    kinds = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
    return {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": message}}


def _error_gemini(status: int, message: str) -> Body:
    kinds = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
    return {"error": {"code": status, "message": message, "status": kinds.get(status, "INTERNAL")}}


WIRES: Final[dict[str, Wire]] = {
    "openai_chat": Wire(usage_openai_chat, _assemble_chat, _params_chat, _error_openai, "messages", ("choices",)),
    "openai_responses": Wire(_usage_responses, _assemble_responses, _params_responses, _error_openai, "input", ("output", "status")),
    "anthropic": Wire(_usage_anthropic, _assemble_anthropic, _params_anthropic, _error_anthropic, "messages", ("content", "stop_reason")),
    "gemini": Wire(_usage_gemini, _assemble_gemini, _params_gemini, _error_gemini, "contents", ("candidates", "promptFeedback")),
}


def event_bodies(events: Iterable[bytes]) -> list[Body]:
    """The JSON objects that server-sent events carry; raises ValueError where one is not JSON."""
    bodies = []
    for event in events:
        data = b"\n".join(line[5:].strip() for line in event.splitlines() if line.startswith(b"data:"))
        if data and data != b"[DONE]":
            body = json.loads(data)
            if isinstance(body, dict):
                bodies.append(body)
    return bodies


def chat_events(body: Mapping[str, Any]) -> list[bytes]:
    """A whole chat completion said as the stream that it would have been."""
    head = {"id": body.get("id"), "object": "chat.completion.chunk", "created": body.get("created"), "model": body.get("model")}
    choice = body["choices"][0]
    message = choice.get("message") or {}
    delta = {name: message[name] for name in ("role", "content", "reasoning_content", "refusal") if message.get(name)}
    delta["tool_calls"] = [{**call, "index": place} for place, call in enumerate(message.get("tool_calls") or [])]
    if not delta["tool_calls"]:
        del delta["tool_calls"]
    chunks: list[Body] = [
        {**head, "choices": [{"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice.get("finish_reason") or "stop"}]},
        {**head, "choices": [], "usage": body.get("usage")},
    ]
    return [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks] + [b"data: [DONE]\n\n"]
