"""Model calls as MLflow traces: linked to the task's run, with the ledger's tokens and dollars, the same however often it is logged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mlflow.entities import Trace
from mlflow.tracking import MlflowClient

from clibench.digest import digest_json
from clibench.results import JobResult
from clibench.store import Store
from clibench.tracking.mlflow_log import log_job
from clibench.tracking.settings import TrackingConfig, tracking_uri
from clibench.tracking.traces import MOST_CHARS, trace_of
from tests.synthetic import make_job

TOKENS = {"prompt": 100, "cached": 40, "cache_write": 0, "completion": 10, "reasoning": 3}
LONG = "requirement " * 5_000


def step(source: str, message: str, **more: Any) -> dict[str, Any]:
    none: dict[str, Any] = {
        "reasoning": "",
        "tool_calls": [],
        "observation": [],
        "at": "",
        "seconds": None,
        "tokens": None,
        "cost_usd": None,
    }
    return {"source": source, "message": message, **none, **more}


def answer(message: str, second: int, **more: Any) -> dict[str, Any]:
    return step(
        "agent", message, **{"at": f"2026-01-01T00:00:{second:02}.000+00:00", "seconds": 1.5, "tokens": TOKENS, "cost_usd": 0.25, **more}
    )


def told(*steps: dict[str, Any]) -> dict[str, Any]:
    return {
        "schema": "clibench-trajectory/1",
        "task": "task0",
        "framework": {"name": "mini_swe_agent"},
        "model": {"id": "openai/gpt-5.4"},
        "usage": {"prompt_tokens": 250},
        "steps": list(steps),
    }


CALL = {"id": "1", "name": "bash", "arguments": {"command": "ls é"}}
TRAJECTORY = told(
    step("system", "You are an agent."),
    step("user", LONG),
    answer("I look.", 10, tool_calls=[CALL], observation=[{"call": "1", "content": "a.py"}]),
    answer("Done.", 20, reasoning="That was all."),
)


def test_a_call_s_span_shows_what_was_new_in_it_and_long_texts_are_bounded() -> None:
    trace = trace_of(TRAJECTORY, "run")
    assert trace is not None
    first, second = trace.calls
    assert [message["role"] for message in first.asked] == ["system", "user"]
    assert len(first.asked[1]["content"]) < MOST_CHARS + 100
    assert f"{len(LONG) - MOST_CHARS} characters left out" in first.asked[1]["content"]
    assert first.answered["choices"][0]["message"]["tool_calls"][0]["function"] == {"name": "bash", "arguments": '{"command": "ls é"}'}
    assert second.asked == [{"role": "tool", "tool_call_id": "1", "content": "a.py"}]
    assert (second.end_ns - first.end_ns, second.end_ns - second.start_ns) == (10_000_000_000, 1_500_000_000)


def test_an_unknown_cost_stays_unknown_and_no_call_is_no_trace() -> None:
    trace = trace_of(told(answer("a", 1), answer("b", 2, cost_usd=None, tokens=None)), "run")
    assert trace is not None
    assert (trace.cost_usd, trace.usage["input_tokens"]) == (None, 100)
    assert trace_of(told(step("user", "hello")), "run") is None
    assert trace_of({"steps": []}, "run") is None


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("outputs")


def log(job: JobResult, outputs: Path) -> tuple[str, list[Trace]]:
    """Log a job; the run of its first task, and the traces that the store links to it."""
    parent = log_job(job, Store(outputs / "store"), TrackingConfig())
    client = MlflowClient(tracking_uri(TrackingConfig(), outputs))
    experiment = client.get_experiment_by_name("clibench")
    assert experiment is not None
    query = f"tags.`mlflow.parentRunId` = '{parent}' and tags.`clibench.task` = 'task0'"
    (run,) = client.search_runs([experiment.experiment_id], query)
    traces = client.search_traces(locations=[experiment.experiment_id], filter_string=f"attributes.run_id = '{run.info.run_id}'")
    return run.info.run_id, list(traces)


def with_trajectory(job: JobResult, outputs: Path, trajectory: dict[str, Any]) -> JobResult:
    digest = Store(outputs / "store").put(json.dumps(trajectory).encode())
    first, *rest = job.tasks
    return replace(job, tasks=(replace(first, refs={**first.refs, "trajectory": digest}), *rest))


def test_the_calls_are_a_trace_of_the_task_s_run_however_often_they_are_logged(outputs: Path) -> None:
    job = with_trajectory(make_job(outputs, digest_json("traced")), outputs, TRAJECTORY)
    run, traces = log(job, outputs)
    (trace,) = traces
    assert trace.info.trace_metadata["mlflow.sourceRun"] == run
    assert json.loads(trace.info.trace_metadata["mlflow.trace.tokenUsage"])["total_tokens"] == 220
    assert json.loads(trace.info.trace_metadata["mlflow.trace.cost"])["total_cost"] == 0.5
    assert (trace.info.execution_duration, trace.info.tags["mlflow.traceName"]) == (11_500, "mini_swe_agent · task0")
    root, first, second = trace.data.spans
    assert (root.span_type, first.span_type, first.parent_id, second.parent_id) == ("AGENT", "CHAT_MODEL", root.span_id, root.span_id)
    usage = first.get_attribute("mlflow.chat.tokenUsage")
    assert isinstance(usage, dict)
    assert (usage["input_tokens"], usage["cache_read_input_tokens"], usage["output_tokens"]) == (100, 40, 10)
    assert first.get_attribute("mlflow.llm.cost") == {"total_cost": 0.25}
    assert first.get_attribute("mlflow.llm.model") == "openai/gpt-5.4"
    assert second.outputs["choices"][0]["message"]["content"] == "Done."

    changed = replace(job, tasks=(replace(job.tasks[0], reason="told again"), *job.tasks[1:]))
    assert [other.info.trace_id for other in log(changed, outputs)[1]] == [trace.info.trace_id]


def test_a_trace_that_was_cut_short_is_completed_and_an_outdated_one_goes(outputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = with_trajectory(make_job(outputs, digest_json("cut short")), outputs, TRAJECTORY)
    with monkeypatch.context() as patch:
        patch.setattr("mlflow.tracing.client.TracingClient.log_spans", _killed)
        with pytest.raises(KeyboardInterrupt):
            log(job, outputs)
    _, (trace,) = log(job, outputs)
    assert len(trace.data.spans) == 3
    _, (newer,) = log(with_trajectory(job, outputs, told(answer("a new one", 5))), outputs)
    assert newer.info.trace_id != trace.info.trace_id
    assert len(newer.data.spans) == 2


def _killed(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt
