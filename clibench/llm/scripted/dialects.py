"""The four dialects in which agents talk to models: how a request is read, and how an answer is said, whole or streamed.

Pure functions between JSON and `Request` / `Reply`. Each dialect is one `Dialect` in DIALECTS; streams are lists of server-sent events,
so that the server can stop between two of them.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clibench.llm.scripted.script import Reply

Event = tuple[str | None, dict[str, Any] | str]
"""Name (None where the dialect has none) and data of a server-sent event."""


@dataclass(frozen=True)
class Request:
    """What the server needs of a request."""

    dialect: str
    model: str
    stream: bool
    text: str
    """All text of it, for matching and counting."""
    answers: int
    """Turns of the model that the conversation holds already."""
    tools: tuple[str, ...]


@dataclass(frozen=True)
class Dialect:
    """One dialect."""

    name: str
    read: Callable[[dict[str, Any]], Request]
    whole: Callable[[Reply], dict[str, Any]]
    events: Callable[[Reply], list[Event]]
    error: Callable[[int, str], dict[str, Any]]


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _text(*values: Any) -> str:
    return "\n".join(itertools.chain.from_iterable(_strings(value) for value in values))


SEEDED: Final = re.compile(r"Got it\. Thanks for the context!|Ok\.|Ok, .*", re.DOTALL)
"""Answers that agents themselves put into the model's mouth before the first call (Gemini CLI, Qwen Code, aider): not of the script."""


def _is_answer(message: dict[str, Any], role: str) -> bool:
    return message.get("role") == role and not SEEDED.fullmatch(_text(message.get("content"), message.get("parts")).strip())


def _groups(flags: Iterable[bool]) -> int:
    """Runs of True: several items in a row are one turn of the model."""
    return sum(1 for mine, _ in itertools.groupby(flags) if mine)


def _pieces(text: str, size: int = 400) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


# --- OpenAI chat completions -------------------------------------------------------------------------------------------------------------


def _chat_read(body: dict[str, Any]) -> Request:
    messages = body.get("messages") or []
    tools = tuple(str((tool.get("function") or tool).get("name", "")) for tool in body.get("tools") or [])
    answers = _groups(_is_answer(message, "assistant") for message in messages)
    return Request("openai_chat", str(body.get("model", "")), bool(body.get("stream")), _text(messages), answers, tools)


_CHAT_FINISH: Final = {"stop": "stop", "length": "length", "tool": "tool_calls", "refusal": "content_filter"}


def _chat_usage(reply: Reply) -> dict[str, Any]:
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "total_tokens": reply.prompt_tokens + reply.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": reply.reasoning_tokens},
    }


def _chat_calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {"id": f"call_{reply.id}_{place}", "type": "function", "function": {"name": call.name, "arguments": reply.arguments(call)}}
        for place, call in enumerate(reply.tools)
    ]


def _chat_whole(reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or (None if reply.tools else "")}
    if reply.tools:
        message["tool_calls"] = _chat_calls(reply)
    if reply.finish == "refusal":
        message["refusal"] = reply.text
    return {
        "id": f"chatcmpl-{reply.id}",
        "object": "chat.completion",
        "created": 0,
        "model": reply.model,
        "choices": [{"index": 0, "message": message, "finish_reason": _CHAT_FINISH[reply.finish]}],
        "usage": _chat_usage(reply),
    }


def _chat_events(reply: Reply) -> list[Event]:
    head = {"id": f"chatcmpl-{reply.id}", "object": "chat.completion.chunk", "created": 0, "model": reply.model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> Event:
        return None, {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"content": piece}) for piece in _pieces(reply.text)]
    for place, call in enumerate(_chat_calls(reply)):
        function = {"name": call["function"]["name"], "arguments": ""}
        events.append(chunk({"tool_calls": [{**call, "index": place, "function": function}]}))
        events += [
            chunk({"tool_calls": [{"index": place, "function": {"arguments": piece}}]}) for piece in _pieces(call["function"]["arguments"])
        ]
    events.append(chunk({}, _CHAT_FINISH[reply.finish]))
    events.append((None, {**head, "choices": [], "usage": _chat_usage(reply)}))
    events.append((None, "[DONE]"))
    return events


def _openai_error(status: int, message: str) -> dict[str, Any]:
    kind = {429: "rate_limit_exceeded", 401: "invalid_api_key", 403: "permission_denied"}.get(status, "server_error")
    return {"error": {"message": message, "type": kind, "code": kind, "param": None}}


# --- OpenAI Responses --------------------------------------------------------------------------------------------------------------------


def _responses_read(body: dict[str, Any]) -> Request:
    raw = body.get("input")
    items: Sequence[dict[str, Any]] = [{"role": "user", "content": raw}] if isinstance(raw, str) else raw or []
    mine = [
        item.get("role") == "assistant" or item.get("type") in ("function_call", "custom_tool_call", "reasoning", "local_shell_call")
        for item in items
    ]
    tools = tuple(str(tool.get("name") or tool.get("type", "")) for tool in body.get("tools") or [])
    text = _text(body.get("instructions"), list(items))
    return Request("openai_responses", str(body.get("model", "")), bool(body.get("stream")), text, _groups(mine), tools)


def _responses_output(reply: Reply) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if reply.text or not reply.tools:
        content: dict[str, Any] = {"type": "output_text", "text": reply.text, "annotations": []}
        if reply.finish == "refusal":
            content = {"type": "refusal", "refusal": reply.text}
        items.append({"type": "message", "id": f"msg_{reply.id}", "role": "assistant", "status": "completed", "content": [content]})
    for place, call in enumerate(reply.tools):
        ids = {"id": f"fc_{reply.id}_{place}", "call_id": f"call_{reply.id}_{place}"}
        items.append({"type": "function_call", **ids, "name": call.name, "arguments": reply.arguments(call), "status": "completed"})
    return items


def _responses_whole(reply: Reply, *, status: str | None = None) -> dict[str, Any]:
    cut = reply.finish == "length"
    return {
        "id": f"resp_{reply.id}",
        "object": "response",
        "created_at": 0,
        "model": reply.model,
        "status": status or ("incomplete" if cut else "completed"),
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": None,
        "top_p": None,
        "tool_choice": "auto",
        "tools": [],
        "output": [] if status == "in_progress" else _responses_output(reply),
        "usage": None
        if status == "in_progress"
        else {
            "input_tokens": reply.prompt_tokens,
            "input_tokens_details": {"cached_tokens": reply.cached_tokens},
            "output_tokens": reply.completion_tokens,
            "output_tokens_details": {"reasoning_tokens": reply.reasoning_tokens},
            "total_tokens": reply.prompt_tokens + reply.completion_tokens,
        },
    }


def _responses_events(reply: Reply) -> list[Event]:
    bodies: list[dict[str, Any]] = [{"type": "response.created", "response": _responses_whole(reply, status="in_progress")}]
    for place, item in enumerate(_responses_output(reply)):
        at = {"output_index": place, "item_id": item["id"]}
        if item["type"] == "message":
            part = {"content_index": 0, "part": {"type": "output_text", "text": "", "annotations": []}}
            bodies.append({"type": "response.output_item.added", "output_index": place, "item": {**item, "content": []}})
            bodies.append({"type": "response.content_part.added", **at, **part})
            bodies += [{"type": "response.output_text.delta", **at, "content_index": 0, "delta": piece} for piece in _pieces(reply.text)]
            bodies.append({"type": "response.output_text.done", **at, "content_index": 0, "text": reply.text})
            bodies.append({"type": "response.content_part.done", **at, "content_index": 0, "part": item["content"][0]})
        else:
            bodies.append({"type": "response.output_item.added", "output_index": place, "item": {**item, "arguments": ""}})
            bodies += [{"type": "response.function_call_arguments.delta", **at, "delta": piece} for piece in _pieces(item["arguments"])]
            bodies.append({"type": "response.function_call_arguments.done", **at, "arguments": item["arguments"]})
        bodies.append({"type": "response.output_item.done", "output_index": place, "item": item})
    whole = _responses_whole(reply)
    bodies.append({"type": f"response.{whole['status']}", "response": whole})
    return [(body["type"], {**body, "sequence_number": number}) for number, body in enumerate(bodies)]


# --- Anthropic Messages ------------------------------------------------------------------------------------------------------------------


def _anthropic_read(body: dict[str, Any]) -> Request:
    messages = body.get("messages") or []
    tools = tuple(str(tool.get("name", "")) for tool in body.get("tools") or [])
    answers = _groups(_is_answer(message, "assistant") for message in messages)
    text = _text(body.get("system"), messages)
    return Request("anthropic", str(body.get("model", "")), bool(body.get("stream")), text, answers, tools)


_ANTHROPIC_FINISH: Final = {"stop": "end_turn", "length": "max_tokens", "tool": "tool_use", "refusal": "refusal"}


def _anthropic_usage(reply: Reply) -> dict[str, Any]:
    # Anthropic counts what came from the cache apart from input_tokens.
    return {
        "input_tokens": reply.prompt_tokens - reply.cached_tokens,
        "cache_read_input_tokens": reply.cached_tokens,
        "cache_creation_input_tokens": 0,
        "output_tokens": reply.completion_tokens,
    }


def _anthropic_content(reply: Reply) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text or not reply.tools else []
    blocks += [
        {"type": "tool_use", "id": f"toolu_{reply.id}_{place}", "name": call.name, "input": {} if reply.malformed else call.arguments}
        for place, call in enumerate(reply.tools)
    ]
    return blocks


def _anthropic_whole(reply: Reply) -> dict[str, Any]:
    return {
        "id": f"msg_{reply.id}",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": _anthropic_content(reply),
        "stop_reason": _ANTHROPIC_FINISH[reply.finish],
        "stop_sequence": None,
        "usage": _anthropic_usage(reply),
    }


def _anthropic_events(reply: Reply) -> list[Event]:
    usage = _anthropic_usage(reply)
    start = {**_anthropic_whole(reply), "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    bodies: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    calls = iter(reply.tools)
    for place, block in enumerate(_anthropic_content(reply)):
        if block["type"] == "text":
            bodies.append({"type": "content_block_start", "index": place, "content_block": {"type": "text", "text": ""}})
            deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
        else:
            bodies.append({"type": "content_block_start", "index": place, "content_block": {**block, "input": {}}})
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(reply.arguments(next(calls)))]
        bodies += [{"type": "content_block_delta", "index": place, "delta": delta} for delta in deltas]
        bodies.append({"type": "content_block_stop", "index": place})
    delta = {"stop_reason": _ANTHROPIC_FINISH[reply.finish], "stop_sequence": None}
    bodies.append({"type": "message_delta", "delta": delta, "usage": usage})
    bodies.append({"type": "message_stop"})
    return [(body["type"], body) for body in bodies]


def _anthropic_error(status: int, message: str) -> dict[str, Any]:
    kind = {429: "rate_limit_error", 401: "authentication_error", 403: "permission_error", 529: "overloaded_error"}.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}}


# --- Gemini generateContent --------------------------------------------------------------------------------------------------------------


def _gemini_read(body: dict[str, Any]) -> Request:
    contents = body.get("contents") or []
    declared = [tool.get("functionDeclarations") or tool.get("function_declarations") or [] for tool in body.get("tools") or []]
    tools = tuple(str(function.get("name", "")) for group in declared for function in group)
    text = _text(body.get("systemInstruction"), contents)
    answers = _groups(_is_answer(content, "model") for content in contents)
    return Request("gemini", str(body.get("model", "")), bool(body.get("stream")), text, answers, tools)


_GEMINI_FINISH: Final = {"stop": "STOP", "length": "MAX_TOKENS", "tool": "STOP", "refusal": "SAFETY"}


def _gemini_usage(reply: Reply) -> dict[str, Any]:
    # Gemini counts thoughts apart from candidates.
    return {
        "promptTokenCount": reply.prompt_tokens,
        "cachedContentTokenCount": reply.cached_tokens,
        "candidatesTokenCount": reply.completion_tokens - reply.reasoning_tokens,
        "thoughtsTokenCount": reply.reasoning_tokens,
        "totalTokenCount": reply.prompt_tokens + reply.completion_tokens,
    }


def _gemini_body(reply: Reply, parts: list[dict[str, Any]], finish: str | None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
    body: dict[str, Any] = {"candidates": [candidate], "modelVersion": reply.model, "responseId": reply.id}
    if finish:
        candidate["finishReason"] = finish
        body["usageMetadata"] = _gemini_usage(reply)
    return body


def _gemini_calls(reply: Reply) -> list[dict[str, Any]]:
    return [{"functionCall": {"name": call.name, "args": {} if reply.malformed else call.arguments}} for call in reply.tools]


def _gemini_whole(reply: Reply) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": reply.text}] if reply.text or not reply.tools else []
    return _gemini_body(reply, [*parts, *_gemini_calls(reply)], _GEMINI_FINISH[reply.finish])


def _gemini_events(reply: Reply) -> list[Event]:
    events: list[Event] = [(None, _gemini_body(reply, [{"text": piece}], None)) for piece in _pieces(reply.text)]
    events.append((None, _gemini_body(reply, _gemini_calls(reply) or [{"text": ""}], _GEMINI_FINISH[reply.finish])))
    return events


def _gemini_error(status: int, message: str) -> dict[str, Any]:
    kind = {429: "RESOURCE_EXHAUSTED", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED"}.get(status, "INTERNAL")
    return {"error": {"code": status, "message": message, "status": kind}}


DIALECTS: Final[dict[str, Dialect]] = {
    "openai_chat": Dialect("openai_chat", _chat_read, _chat_whole, _chat_events, _openai_error),
    "openai_responses": Dialect("openai_responses", _responses_read, _responses_whole, _responses_events, _openai_error),
    "anthropic": Dialect("anthropic", _anthropic_read, _anthropic_whole, _anthropic_events, _anthropic_error),
    "gemini": Dialect("gemini", _gemini_read, _gemini_whole, _gemini_events, _gemini_error),
}


def encode_event(event: Event) -> bytes:
    """One server-sent event as bytes."""
    name, data = event
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()
