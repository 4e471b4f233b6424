"""A run that is killed with SIGKILL while its agent works: all of it goes with it, and the bill is what was spent.

With the package registries there is more that could be left: their mirror's socket and threads.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from clibench.llm.gateway.runtime import runtime_folder
from clibench.llm.ledger import Ledger
from clibench.llm.scripted import Fault, ScriptedServer, Scripts, Turn
from clibench.llm.settings import LlmSettings
from clibench.sandbox.reap import Owner, scratch_root
from tests.generation.registries import registries
from tests.generation.support import DONE, FILES, QUICK, TASK, agent_on, workspace_in

_RUN = """
import sys
from pathlib import Path
from types import SimpleNamespace
sys.path.insert(0, sys.argv[3])
from clibench.generation.agent import gateway_of
from clibench.llm.settings import LlmSettings
from tests.generation.support import QUICK, TASK, agent_on
server = SimpleNamespace(url=sys.argv[2])
outputs = Path(sys.argv[1])
print(gateway_of(outputs).greet(), flush=True)
workspace = outputs / "workspace"
workspace.mkdir()
llm = LlmSettings(retry=QUICK, cache=sys.argv[5])
agent_on(server, outputs, "mini_swe_agent", llm=llm, job="killed", sandbox={"network": sys.argv[4]}).generate(TASK, workspace)
"""


def _containers(outputs: Path) -> list[str]:
    command = ["docker", "ps", "--all", "--quiet", "--no-trunc", f"--filter=label=clibench.outputs={outputs}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def _networks() -> set[str]:
    return set(subprocess.run(["docker", "network", "ls", "--quiet"], capture_output=True, text=True, check=True).stdout.split())


def _scratch_of(pid: int) -> list[str]:
    owners = [(folder.name, Owner.parse(folder.name.split("-", 2)[2])) for folder in scratch_root().glob("*-*-*")]
    return [name for name, owner in owners if owner is not None and owner.pid == pid]


@pytest.mark.parametrize(("network", "cache"), [("none", "off"), ("registries", "off"), ("none", "record")])
def test_a_killed_run_leaves_nothing_behind_and_no_call_unbilled(network: str, cache: str, tmp_path: Path) -> None:
    root = str(Path(__file__).parents[2])
    fetch = "pip install --quiet --target /tmp/py small-library; true" if network == "registries" else None
    turns = (Turn(text="I write the tool.", files=FILES, run=fetch), Turn(text="x", fault=Fault(kind="stall", times=1), run="true"), DONE)
    networks = _networks()
    with registries() as (address, asked), ScriptedServer(Scripts.of(*turns)) as server:
        command = [sys.executable, "-c", _RUN, str(tmp_path), server.url, root, network, cache]
        environment = {**os.environ, "PIP_INDEX_URL": f"{address}/py/simple/"}
        run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert run.stdout
        gateway = psutil.Process(int(run.stdout.readline()))
        while len(server.calls) < 2 and run.poll() is None:
            psutil.wait_procs([psutil.Process(run.pid)], timeout=0.1)
        (container,) = _containers(tmp_path)
        family = psutil.Process(run.pid).children(recursive=True)
        assert (network == "registries") == any("small_library" in path for path in asked)
        assert _scratch_of(run.pid)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        subprocess.run(["docker", "wait", container], capture_output=True, check=False)  # fails at once where it has gone already
        assert psutil.wait_procs([gateway, *family], timeout=60)[1] == []
        assert not runtime_folder(tmp_path).exists()
        assert [line.outcome for line in Ledger(tmp_path / "ledger.jsonl").lines()] == ["ok", "abandoned"]

        llm = LlmSettings(retry=QUICK, cache=cache)
        again = agent_on(server, tmp_path, "mini_swe_agent", llm=llm, job="killed").generate(TASK, workspace_in(tmp_path / "again"))
        assert _containers(tmp_path) == []
        assert _networks() <= networks
        assert _scratch_of(run.pid) == [], "removed at the next start"
        assert "earlier attempts that did not count used" in again.reason
        assert "and 1 of unknown cost" in again.reason
        first = "replayed" if cache == "record" else "ok"
        assert [call.fault for call in server.calls] == ["", "stall", *([""] if first == "ok" else []), "", ""]
    spent = [line for line in Ledger(tmp_path / "ledger.jsonl").lines() if line.scope.job == "killed"]
    assert [line.outcome for line in spent] == ["ok", "abandoned", first, "ok", "ok"], "recorded answers are not paid for again"
