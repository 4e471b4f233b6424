"""A run that is killed with SIGKILL while its agent works: the container goes with it, the gateway too, and the bill is what was spent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil

from clibench.llm.gateway.runtime import runtime_folder
from clibench.llm.ledger import Ledger
from clibench.llm.scripted import Fault, ScriptedServer, Scripts, Turn
from tests.generation.support import DONE, TASK, WRITE, agent_on, workspace_in

_RUN = """
import sys
from pathlib import Path
from types import SimpleNamespace
sys.path.insert(0, sys.argv[3])
from clibench.generation.agent import gateway_of
from tests.generation.support import TASK, agent_on
server = SimpleNamespace(url=sys.argv[2])
outputs = Path(sys.argv[1])
print(gateway_of(outputs).greet(), flush=True)
workspace = outputs / "workspace"
workspace.mkdir()
agent_on(server, outputs, "mini_swe_agent", job="killed").generate(TASK, workspace)
"""


def _containers(outputs: Path) -> list[str]:
    command = ["docker", "ps", "--quiet", "--no-trunc", f"--filter=label=clibench.outputs={outputs}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_a_killed_run_leaves_no_container_no_socket_and_no_call_unbilled(tmp_path: Path) -> None:
    root = str(Path(__file__).parents[2])
    turns = (WRITE, Turn(text="x", fault=Fault(kind="stall", times=1), run="true"), DONE)
    with ScriptedServer(Scripts.of(*turns)) as server:
        run = subprocess.Popen([sys.executable, "-c", _RUN, str(tmp_path), server.url, root], stdout=subprocess.PIPE, text=True)
        assert run.stdout
        gateway = psutil.Process(int(run.stdout.readline()))
        while len(server.calls) < 2 and run.poll() is None:
            psutil.wait_procs([psutil.Process(run.pid)], timeout=0.1)
        (container,) = _containers(tmp_path)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        subprocess.run(["docker", "wait", container], capture_output=True, check=False)  # fails at once where it has gone already
        gateway.wait(60)
        assert _containers(tmp_path) == []
        assert not runtime_folder(tmp_path).exists()
        assert [line.outcome for line in Ledger(tmp_path / "ledger.jsonl").lines()] == ["ok", "abandoned"]

        again = agent_on(server, tmp_path, "mini_swe_agent", job="killed").generate(TASK, workspace_in(tmp_path / "again"))
        assert "earlier attempts that did not count used" in again.reason
        assert "and 1 of unknown cost" in again.reason
        assert [call.fault for call in server.calls] == ["", "stall", "", "", ""]
    spent = [line for line in Ledger(tmp_path / "ledger.jsonl").lines() if line.scope.job == "killed"]
    assert [line.outcome for line in spent] == ["ok", "abandoned", "ok", "ok", "ok"]
