"""Agents that are commands, described by YAML alone: the shipped ones make sense, and a small one of ten lines goes the whole way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from clibench.errors import InfraError, UserError
from clibench.generation.agent import Agent
from clibench.generation.choose import make_framework
from clibench.generation.command_line import CommandLineAgent, UsageRule, counted_by
from clibench.generation.context import AgentContext
from clibench.llm.scripted import Fault, ScriptedServer, Scripts, Turn
from clibench.llm.settings import LlmSettings
from clibench.outcome import Outcome
from clibench.sandbox.settings import SandboxConfig
from tests.generation.support import QUICK, TASK, workspace_in
from tests.llm.support import CONF, model_settings

SHIPPED = sorted(path.stem for path in (CONF / "framework").glob("*.yaml") if "CommandLineAgent" in path.read_text(encoding="utf-8"))

# An agent in a few lines: asks the model once, writes what it says, and prints what it used.
SCRIPT = """
import json, os, sys, urllib.request
body = {"model": "{{ model }}", "messages": [{"role": "user", "content": sys.stdin.read()}]}
headers = {"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"}
request = urllib.request.Request("{{ openai_url }}/chat/completions", json.dumps(body).encode(), headers)
answer = json.load(urllib.request.urlopen(request))
open("answer.txt", "w").write(answer["choices"][0]["message"]["content"])
os.chmod("answer.txt", 0o600)
open("{{ home }}/usage.jsonl", "w").write(json.dumps({"kind": "end", "used": answer["usage"]}))
print("token was", os.environ["TOKEN"])
"""


def small(server: ScriptedServer, outputs: Path, **changes: Any) -> Agent:
    body: dict[str, Any] = {
        "name": "small",
        "command": ["python3", "{{ home }}/agent.py"],
        "files": {"agent.py": SCRIPT},
        "env": {"TOKEN": "{{ token }}"},
        "stdin": "{{ prompt }}",
        "usage": {
            "source": "usage.jsonl",
            "form": "jsonl",
            "where": {"kind": "end"},
            "prompt": ["used.prompt_tokens"],
            "completion": ["used.completion_tokens"],
        },
        "_target_": "clibench.generation.command_line.CommandLineAgent",
        **changes,
    }
    driver = make_framework(body)
    assert isinstance(driver, CommandLineAgent)
    return driver.bind(
        AgentContext(model_settings("scripted", base_url=server.url), LlmSettings(retry=QUICK), SandboxConfig(), outputs, "job")
    )


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_description_is_complete_and_pins_what_it_installs(name: str, tmp_path: Path) -> None:
    driver = make_framework(yaml.safe_load((CONF / "framework" / f"{name}.yaml").read_text(encoding="utf-8")))
    assert isinstance(driver, CommandLineAgent)
    assert driver.name == name
    driver.ready(
        AgentContext(model_settings("scripted", base_url="http://127.0.0.1:1/v1"), LlmSettings(), SandboxConfig(), tmp_path, "job")
    )
    packages = [line for line in driver.install if "npm install" in line or "pip install" in line]
    assert any("@0." in line or "@1." in line or "@2." in line or "==" in line for line in packages)
    assert "{{ token }}" in json.dumps([driver.env, driver.files])


def test_a_command_goes_from_prompt_to_delivery_with_its_own_count_checked(tmp_path: Path, outputs: Path) -> None:
    workspace = workspace_in(tmp_path)
    with ScriptedServer(Scripts.of(Turn(text="forty-two"))) as server:
        generation = small(server, outputs).generate(TASK, workspace)
    assert (generation.outcome, generation.reason) == (Outcome.PASS, "")
    assert (workspace / "answer.txt").read_text() == "forty-two"
    assert generation.trajectory is not None
    assert generation.trajectory["counted_by_agent"]["prompt_tokens"] == generation.usage.prompt_tokens
    assert generation.trajectory["steps"][0]["message"].strip() == TASK.prompt
    assert generation.artifacts["small.stdout"] == b"token was <token>\n"


def test_what_the_agent_counts_otherwise_and_says_of_itself_is_reported(tmp_path: Path, outputs: Path) -> None:
    wrong = (
        SCRIPT.replace('"used": answer["usage"]', '"used": {"prompt_tokens": 7, "completion_tokens": 1}') + "\nsys.exit('it went wrong')\n"
    )
    signs = [{"pattern": "token was", "means": "it shows its token"}]
    with ScriptedServer(Scripts.of(Turn(text="one"))) as server:
        generation = small(server, outputs, files={"agent.py": wrong}, signs=signs).generate(TASK, workspace_in(tmp_path))
    assert generation.outcome is Outcome.PASS
    for note in ("exited with status 1 (it went wrong)", "it shows its token", "the agent counted 7 prompt tokens, the gateway"):
        assert note in generation.reason


def test_an_agent_that_exits_with_0_though_its_provider_failed_is_an_outage_by_the_gateway_s_word(tmp_path: Path, outputs: Path) -> None:
    lying = f"import sys\ntry:\n    exec({SCRIPT!r})\nexcept Exception:\n    sys.exit(0)\n"
    with ScriptedServer(Scripts.of(Turn(text="x", fault=Fault(kind="rate_limit", times=-1)))) as server:
        agent = small(server, outputs, files={"agent.py": lying})
        with pytest.raises(InfraError, match="rate_limit"):
            agent.generate(TASK, workspace_in(tmp_path))


def test_an_agent_that_never_calls_the_model_did_not_start(tmp_path: Path, outputs: Path) -> None:
    with ScriptedServer(Scripts.of(Turn(text="x"))) as server:
        agent = small(server, outputs, command=["no-such-agent"])
        with pytest.raises(InfraError, match=r"without calling the model.*no-such-agent"):
            agent.generate(TASK, workspace_in(tmp_path))


def test_an_agent_that_hangs_is_ended_by_its_wall_time_with_all_that_it_started(tmp_path: Path, outputs: Path) -> None:
    hanging = SCRIPT + "\nimport subprocess, time\nsubprocess.Popen(['sleep', '4321'], start_new_session=True)\ntime.sleep(4321)\n"
    with ScriptedServer(Scripts.of(Turn(text="x"))) as server:
        limits = {"wall_s": 8.0}
        generation = small(server, outputs, files={"agent.py": hanging}, limits=limits).generate(TASK, workspace_in(tmp_path))
    assert generation.outcome is Outcome.AGENT_LIMIT
    assert "its limit of 8 s is reached" in generation.reason


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"command": ["x", "{{ promt }}"]}, "promt"),
        ({"command": ["x", "{{ prompt "]}, "template"),
        ({"signs": [{"pattern": "(", "means": "x"}]}, "not a regular expression"),
        ({"usage": {"form": "jsonn"}}, "Did you mean 'json'?"),
    ],
)
def test_a_description_that_makes_no_sense_is_refused_before_any_work(changes: dict[str, Any], fault: str, tmp_path: Path) -> None:
    with ScriptedServer(Scripts.of(Turn(text="x"))) as server:
        agent = small(server, tmp_path, **changes)
        with pytest.raises(UserError) as caught:
            agent.check((TASK,), frozenset())
    assert fault in caught.value.message


@pytest.mark.parametrize(
    ("rule", "text", "counted"),
    [
        (UsageRule(prompt=["u.in", "u.cached"], completion=["u.out"]), 'noise\n{"u": {"in": 3, "cached": 4, "out": 5}}\n', (7, 5)),
        (UsageRule(prompt=["*.m.*.p"], completion=["*.m.*.c"]), '[{"m": {"a": {"p": 1, "c": 2}, "b": {"p": 10, "c": 20}}}]', (11, 22)),
        (
            UsageRule(form="jsonl", where={"type": "done"}, prompt=["p"], completion=["c"]),
            '{"type": "start", "p": 99}\nnot json\n{"type": "done", "p": 1, "c": 2}\n{"type": "done", "p": 1, "c": 2}\n',
            (2, 4),
        ),
    ],
)
def test_token_counts_are_found_in_what_agents_print(rule: UsageRule, text: str, counted: tuple[int, int]) -> None:
    assert counted_by(rule, text.encode()) == {"prompt_tokens": counted[0], "completion_tokens": counted[1]}
    assert counted_by(rule, b"nothing to see") == {}
