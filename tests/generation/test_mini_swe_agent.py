"""mini-swe-agent, the real library, with its commands in a real container, against the scripted model with every fault."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from clibench.errors import InfraError
from clibench.llm.ledger import Ledger, Scope
from clibench.llm.scripted import Fault, ScriptedServer, Scripts, Turn
from clibench.llm.settings import LlmSettings
from clibench.outcome import Outcome
from tests.generation.support import DONE, FILES, QUICK, TASK, TRY, WRITE, agent_on, workspace_in

NO_LIMITS: dict[str, Any] = {"wall_s": None, "steps": None, "tokens": None, "usd": None}


def containers(outputs: Path) -> str:
    command = ["docker", "ps", "--all", "--quiet", f"--filter=label=clibench.outputs={outputs}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_it_builds_the_tool_and_every_count_is_one_and_the_same(tmp_path: Path, outputs: Path) -> None:
    workspace = workspace_in(tmp_path)
    faulty = TRY.model_copy(update={"fault": Fault(kind="cut")})
    with ScriptedServer(Scripts.of(WRITE, faulty, DONE)) as server:
        generation = agent_on(server, outputs, "mini_swe_agent", job="counted").generate(TASK, workspace)
        served = server.totals()
    assert (generation.outcome, generation.reason) == (Outcome.PASS, "")
    assert {path.name: path.read_text() for path in workspace.iterdir() if path.is_file()} == FILES
    usage, ledger = generation.usage, Ledger(outputs / "ledger.jsonl").totals("job", Scope("sweep", "counted"))
    assert usage.prompt_tokens == served["prompt_tokens"] == ledger.prompt_tokens
    assert usage.completion_tokens == served["completion_tokens"] == ledger.completion_tokens
    assert (usage.steps, served["calls"], ledger.attempts) == (3, 4, 4)
    assert usage.cost_usd is None  # what the call that broke off has cost is unknown, and unknown is not zero
    trajectory = generation.trajectory
    assert trajectory is not None
    assert trajectory["counted_by_agent"] == {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
    agent_steps = [step for step in trajectory["steps"] if step["source"] == "agent"]
    assert [step["tool_calls"][0]["name"] for step in agent_steps] == ["bash"] * 3
    assert "hello you" in agent_steps[1]["observation"][0]["content"]
    assert json.loads(generation.artifacts["mini_swe_agent.json"])["info"]["exit_status"] == "Submitted"
    assert not containers(outputs)


@pytest.mark.parametrize("kind", ["rate_limit", "server_error", "stall", "malformed_tool_call"])
def test_a_passing_fault_does_not_keep_it_from_building_the_tool(kind: str, tmp_path: Path, outputs: Path) -> None:
    workspace = workspace_in(tmp_path)
    turn = WRITE.model_copy(update={"fault": Fault.model_validate({"kind": kind, "retry_after": 0.01})})
    with ScriptedServer(Scripts.of(turn, WRITE, DONE)) as server:
        llm = LlmSettings(retry=QUICK, stall_s=0.5)
        generation = agent_on(server, outputs, "mini_swe_agent", llm=llm).generate(TASK, workspace)
    assert generation.outcome is Outcome.PASS
    assert (workspace / "greet.py").read_text() == FILES["greet.py"]


def test_one_that_loops_for_ever_is_ended_by_its_limit_of_steps_and_graded(
    tmp_path: Path, outputs: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    workspace = workspace_in(tmp_path)
    with ScriptedServer(Scripts.of(WRITE, then="again")) as server:
        generation = agent_on(server, outputs, "mini_swe_agent", limits=NO_LIMITS | {"steps": 4}).generate(TASK, workspace)
        assert len(server.calls) == 4
    assert generation.outcome is Outcome.AGENT_LIMIT
    assert "4 steps" in generation.reason
    assert (workspace / "greet.py").exists()
    assert capfd.readouterr().out == "", "standard output is for results"


def test_a_command_that_hangs_is_killed_with_its_children_and_the_agent_goes_on(tmp_path: Path, outputs: Path) -> None:
    workspace = workspace_in(tmp_path)
    hang = Turn(run="(setsid sleep 4321 &) ; sleep 4321")
    look = Turn(run="cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep 432[1]' > alive; true")
    with ScriptedServer(Scripts.of(hang, look, DONE)) as server:
        generation = agent_on(server, outputs, "mini_swe_agent", command_timeout_s=1).generate(TASK, workspace)
    assert generation.outcome is Outcome.PASS
    assert (workspace / "alive").read_text().strip() == "0"
    assert generation.trajectory is not None
    assert "was killed" in str(generation.trajectory["steps"])


def test_wall_time_is_a_limit_too_and_what_there_is_is_graded(tmp_path: Path, outputs: Path) -> None:
    workspace = workspace_in(tmp_path)
    with ScriptedServer(Scripts.of(WRITE, Turn(run="sleep 4321"))) as server:
        generation = agent_on(server, outputs, "mini_swe_agent", limits=NO_LIMITS | {"wall_s": 3}).generate(TASK, workspace)
    assert generation.outcome is Outcome.AGENT_LIMIT
    assert "limit of 3 s" in generation.reason


@pytest.mark.parametrize(
    ("turns", "note"),
    [
        ((Turn(text="I refuse.", refusal=True),), "RepeatedFormatError"),
        ((Turn(run="mkdir -p /tmp/tool && echo x > /tmp/tool/greet.py"), DONE), "built elsewhere: /tmp/tool/greet.py"),
        ((Turn(run="echo x > /usr/bin/greet; true"), DONE), "zero files"),
        ((Turn(run="pip install real-greeter; cp /bin/true greet"), DONE), "tried to install the oracle: pip install real-greeter"),
        ((Turn(run="cp /bin/true greet"), DONE), "prebuilt binary (ELF): greet"),
    ],
)
def test_what_is_odd_about_a_delivery_is_told_as_evidence_and_not_failed(
    turns: tuple[Turn, ...], note: str, tmp_path: Path, outputs: Path
) -> None:
    with ScriptedServer(Scripts.of(*turns)) as server:
        generation = agent_on(server, outputs, "mini_swe_agent").generate(TASK, workspace_in(tmp_path))
    assert generation.outcome is Outcome.PASS
    assert note in generation.reason


def test_an_outage_in_the_middle_is_raised_for_a_retry_and_leaves_nothing_running(tmp_path: Path, outputs: Path) -> None:
    with ScriptedServer(Scripts.of(WRITE, Turn(text="x", fault=Fault(kind="server_error", times=-1)))) as server:
        with pytest.raises(InfraError, match="server_error"):
            agent_on(server, outputs, "mini_swe_agent").generate(TASK, workspace_in(tmp_path))
        assert len(server.calls) == 1 + 3
    assert not containers(outputs)


def test_a_planted_key_is_in_no_output_and_nowhere_in_the_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = "sk-planted-5550100"
    monkeypatch.setenv("SCRIPTED_KEY", planted)
    workspace = workspace_in(tmp_path)
    environments = "cat /proc/*/environ | tr '\\0' '\\n' > env.txt"
    search = Turn(run=f"{environments}; grep -rs planted /home /tmp /run /etc /workspace > found.txt; true")
    with ScriptedServer(Scripts.of(search, WRITE, DONE)) as server:
        agent = agent_on(server, tmp_path, "mini_swe_agent")
        agent.context.model.key_env = "SCRIPTED_KEY"
        generation = agent.generate(TASK, workspace)
        assert server.keys == {planted}
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    shown = repr(generation).encode() + b"".join(generation.artifacts.values()) + json.dumps(generation.trajectory).encode()
    assert (workspace / "env.txt").stat().st_size > 0
    assert planted.encode() not in written + shown


def test_its_commands_reach_the_gateway_and_no_other_address(tmp_path: Path, outputs: Path) -> None:
    workspace = workspace_in(tmp_path)
    with ScriptedServer(Scripts.of(WRITE, DONE)) as probe:
        port = probe.root.rpartition(":")[2]
        code = f"""
import socket
def reach(*a):
    try:
        socket.create_connection(a, 3).close(); return "yes"
    except OSError as e:
        return "no"
print(reach("127.0.0.1", 8199), reach("127.0.0.1", {port}), reach("172.17.0.1", {port}), reach("1.1.1.1", 443))
"""
        tried = Turn(files={"probe.py": code}, run="python3 probe.py > reached.txt; ls /sys/class/net >> reached.txt")
        with ScriptedServer(Scripts.of(tried, DONE)) as server:
            agent_on(server, outputs, "mini_swe_agent").generate(TASK, workspace)
    assert (workspace / "reached.txt").read_text().split() == ["yes", "no", "no", "no", "lo"]
