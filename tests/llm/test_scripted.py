"""The scripted server as its users see it: four dialects, the same script in each, and scripts that are checked."""

from __future__ import annotations

import base64
import http.client
import json
import re
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from clibench.errors import UserError
from clibench.llm.scripted import ScriptedServer, ScriptedUsage, Scripts, Turn, load_scripts

TOOL = {"type": "object", "properties": {"command": {"type": "string"}}}
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "openai_chat": (
        "/v1/chat/completions",
        {"model": "m", "messages": [{"role": "user", "content": "go"}], "tools": [{"type": "function", "function": {"name": "bash"}}]},
    ),
    "openai_responses": ("/v1/responses", {"model": "m", "input": "go", "tools": [{"type": "function", "name": "bash"}]}),
    "anthropic": ("/v1/messages", {"model": "m", "messages": [{"role": "user", "content": "go"}], "tools": [{"name": "bash"}]}),
    "gemini": (
        "/v1beta/models/m:generateContent",
        {"contents": [{"role": "user", "parts": [{"text": "go"}]}], "tools": [{"functionDeclarations": [{"name": "bash"}]}]},
    ),
}


def _post(server: ScriptedServer, path: str, body: dict[str, Any]) -> str:
    request = urllib.request.Request(server.root + path, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        return str(answer.read().decode())


@pytest.mark.parametrize("dialect", REQUESTS)
def test_one_script_writes_its_file_with_the_tool_of_any_agent_in_any_dialect(dialect: str) -> None:
    path, body = REQUESTS[dialect]
    with ScriptedServer(Scripts.of(Turn(files={"a/tool.py": "print(1)\n"}, run="python a/tool.py"))) as server:
        answer = _post(server, path, body)
    assert base64.b64encode(b"print(1)\n").decode() in answer
    assert "python a/tool.py" in answer
    assert server.calls[0].dialect == dialect


@pytest.mark.parametrize("dialect", REQUESTS)
def test_a_streamed_answer_carries_the_same_token_counts_as_a_whole_one(dialect: str) -> None:
    path, body = REQUESTS[dialect]
    usage = ScriptedUsage(prompt_tokens=321, cached_tokens=21, completion_tokens=77)
    with ScriptedServer(Scripts.of(Turn(text="word " * 300, usage=usage))) as server:
        streamed = _post(server, path.replace("generateContent", "streamGenerateContent"), {**body, "stream": True})
        whole = _post(server, path, body)
    for answer in (streamed, whole):
        assert "300" in answer if dialect == "anthropic" else "321" in answer
        assert "77" in answer
    assert "data:" in streamed
    assert [(call.prompt_tokens, call.completion_tokens, call.stream) for call in server.calls] == [(321, 77, True), (321, 77, False)]


def test_the_turn_follows_from_the_conversation_and_not_from_the_number_of_requests() -> None:
    first = {"model": "m", "messages": [{"role": "user", "content": "go"}]}
    second = {"model": "m", "messages": [*first["messages"], {"role": "assistant", "content": "one"}, {"role": "user", "content": "on"}]}
    with ScriptedServer(Scripts.of(Turn(text="one"), Turn(text="two"))) as server:
        said = [
            json.loads(_post(server, "/v1/chat/completions", body))["choices"][0]["message"]["content"] for body in (first, first, second)
        ]
    assert said == ["one", "one", "two"]


def test_a_cut_connection_is_seen_as_one() -> None:
    scripts = Scripts.model_validate({"scripts": [{"turns": [{"text": "x", "fault": {"kind": "cut"}}]}]})
    with ScriptedServer(scripts) as server, pytest.raises((http.client.IncompleteRead, ConnectionError)):
        _post(server, *REQUESTS["openai_chat"])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("scripts: [", "not YAML or JSON"),
        ("scripts: [{turns: [{txt: hi}]}]", "scripts.0.turns.0.txt"),
        ("scripts: [{turns: [{text: hi, fault: {kind: fire}}]}]", "scripts.0.turns.0.fault.kind"),
    ],
)
def test_a_malformed_script_is_named_with_its_place(text: str, fault: str, tmp_path: Path) -> None:
    file = tmp_path / "script.yaml"
    file.write_text(text)
    with pytest.raises(UserError) as caught:
        load_scripts(file)
    assert fault in caught.value.message
    assert str(file) in caught.value.message


def test_the_readmes_script_is_one(tmp_path: Path) -> None:
    blocks = re.findall(r"^```yaml\n(scripts:\n.*?)^```$", (Path(__file__).parents[2] / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "script.yaml").write_text(blocks[0])
    first, last = load_scripts(tmp_path / "script.yaml").scripts[0].turns
    assert set(first.files) == {"go.mod", "main.go"}
    assert last.done
