"""One form of trajectory for every framework, made from what the gateway logged of a run and not from what the agent says of itself.

The form follows Harbor's ATIF: an ordered list of steps; a step is what one side said (`system`, `user`, `agent`), an agent's step carries
its tool calls, what came back (`observation`) and what the call used. All four dialects end up here. What a framework keeps in a form of
its own is stored beside it, raw.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from clibench.errors import StoreError

SCHEMA: Final = "clibench-trajectory/1"


@dataclass
class Step:
    """One step."""

    source: str
    """system, user, agent."""
    message: str = ""
    reasoning: str = ""
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    """id, name, arguments (parsed where they are JSON, else the text)."""
    observation: list[dict[str, Any]] = field(default_factory=list)
    """call (id), content."""
    at: str = ""
    seconds: float | None = None
    tokens: dict[str, int] | None = None
    cost_usd: float | None = None


def read_log(path: Path) -> list[dict[str, Any]]:
    """The lines of a run's log, an unfinished last one left out. Raises StoreError."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(f"the run's log can't be read ({error.strerror})", where=str(path)) from error
    return [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]


def trajectory(log: Iterable[Mapping[str, Any]], **about: Any) -> dict[str, Any]:
    """The trajectory of a run; `about` says what it is of (task, framework, model, ...)."""
    steps: list[Step] = []
    for line in log:
        reader = _READERS[line["dialect"]]
        new = [step for step in reader.said(line) if step.source != "agent"]
        for step in new:
            if step.observation and steps and steps[-1].source == "agent":
                steps[-1].observation.extend(step.observation)
            elif step.message:
                steps.append(step)
        answer = reader.answered(line["answer"])
        answer.at, answer.seconds, answer.tokens, answer.cost_usd = line["at"], line["seconds"], line["tokens"], line["cost_usd"]
        steps.append(answer)
    return {"schema": SCHEMA, **about, "steps": [{"step": number, **asdict(step)} for number, step in enumerate(steps, 1)]}


def tool_arguments(log: Iterable[Mapping[str, Any]]) -> list[str]:
    """All text that the model gave to tools: commands, and what it wrote to files."""
    calls = (call for line in log for call in _READERS[line["dialect"]].answered(line["answer"]).tool_calls)
    return [text for call in calls for text in _leaves(call["arguments"])]


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _leaves(item)


@dataclass(frozen=True)
class _Reader:
    said: Callable[[Mapping[str, Any]], list[Step]]
    answered: Callable[[Mapping[str, Any]], Step]


def _text(content: Any) -> str:
    """The text of a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (_text(part.get("text") or part.get("content")) for part in content if isinstance(part, Mapping))
        return "\n".join(part for part in parts if part)
    return "" if content is None else json.dumps(content)


def _arguments(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _chat_said(line: Mapping[str, Any]) -> list[Step]:
    steps = []
    for message in line["items"]:
        role, text = message.get("role"), _text(message.get("content"))
        if role == "tool":
            steps.append(Step("user", observation=[{"call": message.get("tool_call_id"), "content": text}]))
        else:
            source = {"assistant": "agent", "system": "system", "developer": "system"}.get(role, "user")
            steps.append(Step(source, text))
    return steps


def _chat_answered(answer: Mapping[str, Any]) -> Step:
    message = answer["choices"][0].get("message") or {}
    calls = [
        {"id": call.get("id"), "name": call["function"].get("name"), "arguments": _arguments(call["function"].get("arguments"))}
        for call in message.get("tool_calls") or []
    ]
    text = _text(message.get("content")) or _text(message.get("refusal"))
    return Step("agent", text, _text(message.get("reasoning_content")), calls)


def _responses_said(line: Mapping[str, Any]) -> list[Step]:
    steps = [Step("system", line["head"]["instructions"])] if (line.get("head") or {}).get("instructions") else []
    for item in line["items"]:
        if isinstance(item, str):
            steps.append(Step("user", item))
        elif str(item.get("type", "")).endswith("_call_output"):
            steps.append(Step("user", observation=[{"call": item.get("call_id"), "content": _text(item.get("output"))}]))
        elif item.get("type", "message") == "message":
            source = {"assistant": "agent", "system": "system", "developer": "system"}.get(item.get("role", "user"), "user")
            steps.append(Step(source, _text(item.get("content"))))
    return steps


def _responses_answered(answer: Mapping[str, Any]) -> Step:
    step = Step("agent")
    for item in answer.get("output") or []:
        if item.get("type") == "message":
            step.message += _text(item.get("content"))
        elif item.get("type") == "reasoning":
            step.reasoning += _text(item.get("summary"))
        elif str(item.get("type", "")).endswith("_call"):
            step.tool_calls.append(
                {
                    "id": item.get("call_id"),
                    "name": item.get("name") or item["type"],
                    "arguments": _arguments(item.get("arguments") or item.get("input") or item.get("action")),
                }
            )
    return step


def _anthropic_said(line: Mapping[str, Any]) -> list[Step]:
    system = _text((line.get("head") or {}).get("system"))
    steps = [Step("system", system)] if system else []
    for message in line["items"]:
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        results = [block for block in blocks if block.get("type") == "tool_result"]
        if results:
            steps.append(
                Step("user", observation=[{"call": block.get("tool_use_id"), "content": _text(block.get("content"))} for block in results])
            )
        text = _text([block for block in blocks if block.get("type") == "text"])
        if text:
            steps.append(Step("agent" if message.get("role") == "assistant" else "user", text))
    return steps


def _anthropic_answered(answer: Mapping[str, Any]) -> Step:
    step = Step("agent")
    for block in answer.get("content") or []:
        if block.get("type") == "text":
            step.message += block.get("text") or ""
        elif block.get("type") == "thinking":
            step.reasoning += block.get("thinking") or ""
        elif block.get("type") == "tool_use":
            step.tool_calls.append({"id": block.get("id"), "name": block.get("name"), "arguments": block.get("input")})
    return step


def _gemini_said(line: Mapping[str, Any]) -> list[Step]:
    head = line.get("head") or {}
    system = _text((head.get("systemInstruction") or {}).get("parts"))
    steps = [Step("system", system)] if system else []
    for content in line["items"]:
        parts = content.get("parts") or []
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if results:
            observation = [
                {"call": result.get("id") or result.get("name"), "content": json.dumps(result.get("response"))} for result in results
            ]
            steps.append(Step("user", observation=observation))
        text = _text(parts)
        if text:
            steps.append(Step("agent" if content.get("role") == "model" else "user", text))
    return steps


def _gemini_answered(answer: Mapping[str, Any]) -> Step:
    step = Step("agent")
    for candidate in (answer.get("candidates") or [])[:1]:
        for part in (candidate.get("content") or {}).get("parts") or []:
            if "functionCall" in part:
                call = part["functionCall"]
                step.tool_calls.append({"id": call.get("id") or call.get("name"), "name": call.get("name"), "arguments": call.get("args")})
            elif part.get("thought"):
                step.reasoning += part.get("text") or ""
            else:
                step.message += part.get("text") or ""
    return step


_READERS: Final = {
    "openai_chat": _Reader(_chat_said, _chat_answered),
    "openai_responses": _Reader(_responses_said, _responses_answered),
    "anthropic": _Reader(_anthropic_said, _anthropic_answered),
    "gemini": _Reader(_gemini_said, _gemini_answered),
}
