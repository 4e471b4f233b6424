"""One form of trajectory, whichever dialect the agent spoke."""

from __future__ import annotations

from typing import Any

import pytest

from clibench.generation.trajectory import trajectory
from clibench.llm.gateway.runs import RunLog
from clibench.llm.tokens import Tokens

CALL = {"command": "ls"}

TALKS: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "openai_chat": (
        [
            {"messages": [{"role": "system", "content": "be good"}, {"role": "user", "content": "go"}]},
            {
                "messages": [
                    {"role": "system", "content": "be good"},
                    {"role": "user", "content": "go"},
                    {"role": "assistant", "content": "I look.", "tool_calls": [{"id": "c1"}]},
                    {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
                ]
            },
        ],
        [
            {
                "choices": [
                    {
                        "message": {
                            "content": "I look.",
                            "tool_calls": [{"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}],
                        }
                    }
                ]
            },
            {"choices": [{"message": {"content": "Done."}}]},
        ],
    ),
    "openai_responses": (
        [
            {"instructions": "be good", "input": [{"role": "user", "content": [{"type": "input_text", "text": "go"}]}]},
            {
                "instructions": "be good",
                "input": [
                    {"role": "user", "content": [{"type": "input_text", "text": "go"}]},
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
                    {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"command": "ls"}'},
                    {"type": "function_call_output", "call_id": "c1", "output": "a.txt"},
                ],
            },
        ],
        [
            {
                "output": [
                    {"type": "message", "content": [{"type": "output_text", "text": "I look."}]},
                    {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"command": "ls"}'},
                ]
            },
            {"output": [{"type": "message", "content": [{"type": "output_text", "text": "Done."}]}]},
        ],
    ),
    "anthropic": (
        [
            {"system": [{"type": "text", "text": "be good"}], "messages": [{"role": "user", "content": "go"}]},
            {
                "system": [{"type": "text", "text": "be good"}],
                "messages": [
                    {"role": "user", "content": "go"},
                    {"role": "assistant", "content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "c1"}]},
                    {
                        "role": "user",
                        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "a.txt"}]}],
                    },
                ],
            },
        ],
        [
            {"content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "c1", "name": "bash", "input": CALL}]},
            {"content": [{"type": "text", "text": "Done."}]},
        ],
    ),
    "gemini": (
        [
            {"systemInstruction": {"parts": [{"text": "be good"}]}, "contents": [{"role": "user", "parts": [{"text": "go"}]}]},
            {
                "systemInstruction": {"parts": [{"text": "be good"}]},
                "contents": [
                    {"role": "user", "parts": [{"text": "go"}]},
                    {"role": "model", "parts": [{"text": "I look."}, {"functionCall": {"name": "bash", "args": CALL}}]},
                    {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "bash", "response": {"output": "a.txt"}}}]},
                ],
            },
        ],
        [
            {"candidates": [{"content": {"parts": [{"text": "I look."}, {"functionCall": {"id": "c1", "name": "bash", "args": CALL}}]}}]},
            {"candidates": [{"content": {"parts": [{"text": "Done."}]}}]},
        ],
    ),
}


@pytest.mark.parametrize("dialect", TALKS)
def test_the_same_conversation_is_the_same_trajectory_in_every_dialect(dialect: str, tmp_path: Any) -> None:
    from clibench.generation.trajectory import read_log

    log = RunLog(tmp_path / "run.jsonl")
    for request, answer in zip(*TALKS[dialect], strict=True):
        log.add(spoken=dialect, dialect=dialect, request=request, answer=answer, tokens=Tokens(10, 2, 0, 3, 0), cost_usd=0.5, seconds=1.0)
    steps = trajectory(read_log(log.path), task="t")["steps"]
    assert [(step["source"], step["message"]) for step in steps] == [
        ("system", "be good"),
        ("user", "go"),
        ("agent", "I look."),
        ("agent", "Done."),
    ]
    assert steps[2]["tool_calls"] == [{"id": "c1", "name": "bash", "arguments": CALL}]
    assert [seen["call"] for seen in steps[2]["observation"]] == ["c1"]
    assert "a.txt" in steps[2]["observation"][0]["content"]
    assert steps[3]["tokens"] == {"prompt": 10, "cached": 2, "cache_write": 0, "completion": 3, "reasoning": 0}
