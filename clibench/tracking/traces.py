"""From a trajectory to an MLflow trace: a span for the generation, and one below it for every answered call of the model.

Made from what is stored when the generation is over, so that it can be made again at any time and is then the same trace. A call's span
shows what was new in it, as a chat, and not the whole conversation once more. Texts are bounded: the whole of them is in trajectory.json.
Tokens and dollars are the ledger's, in the attributes that MLflow's own pages add up; what is unknown is left out. Calls that failed are in
no trajectory; what they used is in the usage of the whole generation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from clibench.digest import digest_json

if TYPE_CHECKING:
    from mlflow.tracking import MlflowClient

MOST_CHARS: Final = 8_000
"""Of one text in a span."""
_PREVIEW: Final = 1_000
"""MLflow's own limit."""


@dataclass(frozen=True)
class Call:
    """One answered call of a model, as a chat."""

    start_ns: int
    end_ns: int
    asked: list[dict[str, Any]]
    """Messages that are new since the call before."""
    answered: dict[str, Any]
    usage: dict[str, int]
    """By MLflow's names; empty where it is unknown."""
    cost_usd: float | None


@dataclass(frozen=True)
class Trace:
    """A generation."""

    id: str
    name: str
    model: str
    calls: tuple[Call, ...]
    about: dict[str, Any]
    """The trajectory without its steps."""

    @property
    def usage(self) -> dict[str, int]:
        """Sums over the calls."""
        return {name: sum(call.usage.get(name, 0) for call in self.calls) for call in self.calls for name in call.usage}

    @property
    def cost_usd(self) -> float | None:
        """Sum over the calls; None where one is unknown."""
        costs = [call.cost_usd for call in self.calls if call.cost_usd is not None]
        return sum(costs) if len(costs) == len(self.calls) else None


def trace_of(trajectory: Mapping[str, Any], run: str) -> Trace | None:
    """The trace of a trajectory for an MLflow run; None where no model was called."""
    calls: list[Call] = []
    asked: list[dict[str, Any]] = []
    for step in trajectory.get("steps", ()):
        if step["source"] != "agent" or not step.get("at"):
            asked.append(_message(step["source"], step["message"]))
        else:
            calls.append(_call(step, asked))
            asked = []
        asked += [{"role": "tool", "tool_call_id": str(row["call"]), "content": bounded(row["content"])} for row in step["observation"]]
    if not calls:
        return None
    about = {name: value for name, value in trajectory.items() if name != "steps"}
    identity = digest_json({"run": run, "trajectory": trajectory})[:32]
    name = f"{(about.get('framework') or {}).get('name', 'agent')} · {about.get('task', '')}"
    return Trace(identity, name, str((about.get("model") or {}).get("id", "")), tuple(calls), about)


def bounded(text: str) -> str:
    """A text, its middle left out where it is long."""
    if len(text) <= MOST_CHARS:
        return text
    half = MOST_CHARS // 2
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out; trajectory.json has them ...\n{text[-half:]}"


def _call(step: Mapping[str, Any], asked: list[dict[str, Any]]) -> Call:
    end = round(datetime.fromisoformat(step["at"]).timestamp() * 1000) * 1_000_000
    tokens = step.get("tokens")
    usage: dict[str, int] = {}
    if tokens is not None:
        usage = {
            "input_tokens": tokens["prompt"],
            "output_tokens": tokens["completion"],
            "total_tokens": tokens["prompt"] + tokens["completion"],
            "cache_read_input_tokens": tokens["cached"],
            "cache_creation_input_tokens": tokens["cache_write"],
        }
    return Call(end - int((step.get("seconds") or 0.0) * 1e9), end, asked, _answer(step), usage, step.get("cost_usd"))


def _message(source: str, text: str) -> dict[str, Any]:
    return {"role": {"agent": "assistant"}.get(source, source), "content": bounded(text)}


def _answer(step: Mapping[str, Any]) -> dict[str, Any]:
    message = _message("agent", step["message"])
    if step.get("reasoning"):
        message["reasoning_content"] = bounded(step["reasoning"])
    if step["tool_calls"]:
        message["tool_calls"] = [
            {"id": str(call["id"]), "type": "function", "function": {"name": str(call["name"]), "arguments": _arguments(call["arguments"])}}
            for call in step["tool_calls"]
        ]
    return {"choices": [{"index": 0, "message": message}]}


def _arguments(value: Any) -> str:
    return bounded(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def log_trace(client: MlflowClient, experiment: str, run: str, trace: Trace) -> str:
    """Log a trace that belongs to a run, or bring it to its end where an earlier call was cut short; its id in MLflow.

    Raises what MLflow's client raises.
    """
    from mlflow.entities import Span, TraceInfo
    from mlflow.entities.trace_data import TraceData
    from mlflow.entities.trace_location import TraceLocation
    from mlflow.entities.trace_state import TraceState
    from mlflow.tracing.client import TracingClient
    from mlflow.tracing.constant import TRACE_SCHEMA_VERSION, TRACE_SCHEMA_VERSION_KEY, TraceMetadataKey, TraceTagKey

    start, end = min(call.start_ns for call in trace.calls), max(call.end_ns for call in trace.calls)
    metadata = {TraceMetadataKey.SOURCE_RUN: run, TRACE_SCHEMA_VERSION_KEY: str(TRACE_SCHEMA_VERSION)}
    if trace.usage:
        metadata[TraceMetadataKey.TOKEN_USAGE] = json.dumps(trace.usage)
    if trace.cost_usd is not None:
        metadata[TraceMetadataKey.COST] = json.dumps({"total_cost": trace.cost_usd})
    info = TraceInfo(
        trace_id=f"tr-{trace.id}",
        trace_location=TraceLocation.from_experiment_id(experiment),
        request_time=start // 1_000_000,
        execution_duration=(end - start) // 1_000_000,
        state=TraceState.OK,
        request_preview=_preview(trace.calls[0].asked),
        response_preview=_preview([trace.calls[-1].answered["choices"][0]["message"]]),
        trace_metadata=metadata,
        tags={TraceTagKey.TRACE_NAME: trace.name},
    )
    tracing = TracingClient(client.tracking_uri)
    known = tracing.start_trace(info)
    spans = [Span.from_dict(body) for body in span_bodies(trace, start, end)]
    try:
        tracing.log_spans(experiment, spans)
    except NotImplementedError:  # folders of files, and servers before 3.4: MLflow's own exporter then does this
        tracing._upload_trace_data(known, TraceData(spans))
    return info.trace_id


def span_bodies(trace: Trace, start: int, end: int) -> list[dict[str, Any]]:
    """The spans in MLflow's own form: the generation's, then one a call."""
    root = _span(trace, 0, trace.name, (start, end), "AGENT", trace.calls[0].asked, trace.calls[-1].answered)
    root["attributes"]["clibench.usage"] = json.dumps(trace.about.get("usage"))
    bodies = [root]
    for number, call in enumerate(trace.calls, 1):
        body = _span(trace, number, f"call {number}", (call.start_ns, call.end_ns), "CHAT_MODEL", call.asked, call.answered)
        own: dict[str, Any] = {"mlflow.llm.model": trace.model, "mlflow.llm.provider": trace.model.partition("/")[0]}
        if call.usage:
            own["mlflow.chat.tokenUsage"] = call.usage
        if call.cost_usd is not None:
            own["mlflow.llm.cost"] = {"total_cost": call.cost_usd}
        body["attributes"] |= {name: json.dumps(value) for name, value in own.items()}
        bodies.append(body)
    return bodies


def _span(
    trace: Trace, number: int, name: str, times: tuple[int, int], kind: str, asked: Sequence[Mapping[str, Any]], answered: Mapping[str, Any]
) -> dict[str, Any]:
    attributes = {
        "mlflow.traceRequestId": f"tr-{trace.id}",
        "mlflow.spanType": kind,
        "mlflow.spanInputs": {"messages": asked},
        "mlflow.spanOutputs": answered,
        "mlflow.message.format": "openai",
    }
    return {
        "trace_id": f"tr-{trace.id}",
        "span_id": _span_id(trace, number),
        "parent_span_id": _span_id(trace, 0) if number else None,
        "name": name,
        "start_time_unix_nano": times[0],
        "end_time_unix_nano": times[1],
        "events": [],
        "status": {"code": "STATUS_CODE_OK", "message": ""},
        "attributes": {key: json.dumps(value, ensure_ascii=False) for key, value in attributes.items()},
    }


def _span_id(trace: Trace, number: int) -> str:
    return digest_json([trace.id, number])[:16]


def _preview(messages: Sequence[Mapping[str, Any]]) -> str:
    told = [str(message["content"]) for message in messages if message.get("content")]
    return (told[-1] if told else "")[:_PREVIEW]
