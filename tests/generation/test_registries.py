"""An agent whose sandbox may reach the package registries: pip, npm and Go get what they ask for, but not the oracle, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from clibench.errors import UserError
from clibench.generation.agent_sandbox import AgentSandbox, AgentSandboxSettings, Placement
from clibench.generation.registry_mirror import PORT
from clibench.llm.scripted import ScriptedServer, Scripts, Turn
from clibench.sandbox.image import ensure_image
from clibench.sandbox.settings import SandboxConfig
from clibench.tasks.task import Oracle
from tests.generation.registries import ORACLE, registries
from tests.generation.support import DONE, FILES, TASK, agent_on, workspace_in

GO_ORACLE = Oracle("go", "example.com/greeter", "v1.0.0", "greeter", "MIT", "", "0" * 64)
FETCH = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=60).read().decode())"
ABSOLUTE = """
import socket, sys
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
connection.sendall(f"GET {sys.argv[2]} HTTP/1.0\\r\\n\\r\\n".encode())
print(connection.makefile().read())
"""
MIRROR = f"http://127.0.0.1:{PORT}"


@pytest.fixture
def upstream(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[str]]]:
    """The host is told to use our registries: their address, and the paths that were asked for."""
    with registries() as (root, asked):
        monkeypatch.setenv("PIP_INDEX_URL", f"{root}/py/simple/")
        monkeypatch.setenv("npm_config_registry", f"{root}/npm/")
        monkeypatch.setenv("GOPROXY", f"{root}/go,direct")
        monkeypatch.setenv("GOSUMDB", "off")
        yield root, asked


class Container:
    """A container with the registries, for one oracle."""

    def __init__(self, folder: Path, oracle: Oracle) -> None:
        (folder / "llm").mkdir()
        settings = AgentSandboxSettings(network="registries")
        image = ensure_image(SandboxConfig().base_image).name
        self.sandbox = AgentSandbox(Placement(image, workspace_in(folder), folder / "llm", folder, settings, oracle))

    def said(self, command: str) -> tuple[int, str]:
        end = self.sandbox.run(["bash", "-c", command], merge=True, timeout_s=200)
        return end.status, end.stdout.decode()

    def noted(self) -> list[tuple[str, str, str]]:
        return [(row.registry, row.package, row.outcome) for row in self.sandbox.downloads or ()]


def test_pip_and_npm_get_a_package_but_not_the_oracle_and_every_download_is_noted(tmp_path: Path, upstream: tuple[str, list[str]]) -> None:
    container = Container(tmp_path, TASK.oracle)
    with container.sandbox:
        status, text = container.said(
            "pip install --target /tmp/py Small_Library && PYTHONPATH=/tmp/py python3 -c 'import small_library as s; print(s.WORD)'"
        )
        assert (status, text.splitlines()[-1]) == (0, "from the index")
        assert container.said("pip install --target /tmp/py Real.Greeter")[0] != 0
        status, text = container.said("npm install small-library && node -p 'require(`small-library`)'")
        assert (status, text.splitlines()[-1]) == (0, "from the registry")
        assert str(PORT) not in container.said("cat package-lock.json")[1]
        for alias in (ORACLE, f"other@npm:{ORACLE}"):
            status, text = container.said(f"npm install {alias}")
            assert (status != 0, "is the tool that is to be built" in text) == (True, True)
    assert container.noted() == [
        ("pypi", "small-library", "fetched"),
        ("pypi", "real-greeter", "refused"),
        ("npm", "small-library", "fetched"),
        ("npm", ORACLE, "refused"),
    ]
    assert not [path for path in upstream[1] if ORACLE in path]


def test_go_gets_a_module_but_not_the_oracle_s(tmp_path: Path, upstream: tuple[str, list[str]]) -> None:
    container = Container(tmp_path, GO_ORACLE)
    with container.sandbox:
        status, text = container.said("go mod init x && go get example.com/Library@v1.0.0 && go list -m all")
        assert (status, text.splitlines()[-1]) == (0, "example.com/Library v1.0.0")
        status, text = container.said("go get example.com/greeter@v1.0.0; go install example.com/greeter@v1.0.0")
        assert (status != 0, "is the tool that is to be built" in text) == (True, True)
    assert container.noted() == [("go", "example.com/Library", "fetched"), ("go", "example.com/greeter", "refused")]


def test_nothing_but_packages_is_to_be_had_by_any_path(tmp_path: Path, upstream: tuple[str, list[str]]) -> None:
    root, asked = upstream
    container = Container(tmp_path, TASK.oracle)
    paths = (
        "/secret",
        "/pypi/simple/../../secret/",
        "/pypi/simple/%2e%2e%2f%2e%2e%2fsecret/",
        "/npm/..%2fsecret",
        "/npm/-/v1/search?text=x",
        "/go/../secret/@latest",
        "/go/sumdb/127.0.0.1/latest",
        "/files/0123456789abcdef01234567/x.whl",
    )
    with container.sandbox:
        for address in (f"{root}/secret", *(MIRROR + path for path in paths)):
            status, text = container.said(f"python3 -c '{FETCH}' '{address}'")
            assert (status, "nothing of a registry" in text) == (1, False), address
        status, text = container.said(f"python3 -c '{ABSOLUTE}' {PORT} {root}/secret")
        assert (status, "400" in text, "nothing of a registry" in text) == (0, True, False)
    assert asked == []


def test_what_an_agent_fetched_is_in_the_record_of_its_generation(tmp_path: Path, outputs: Path, upstream: tuple[str, list[str]]) -> None:
    fetch = Turn(run=f"pip install --target /tmp/py small-library; pip install --target /tmp/py {ORACLE}", files=FILES)
    with ScriptedServer(Scripts.of(fetch, DONE)) as server:
        agent = agent_on(server, outputs, "mini_swe_agent", sandbox={"network": "registries"})
        generation = agent.generate(TASK, workspace_in(tmp_path))
    rows = [json.loads(line) for line in generation.artifacts["downloads.jsonl"].splitlines()]
    assert [(row["package"], row["outcome"], row["size"] > 0) for row in rows] == [
        ("small-library", "fetched", True),
        (ORACLE, "refused", False),
    ]
    assert f"asked for the oracle's package, and was refused: pypi {ORACLE}" in generation.reason
    assert "downloaded 1 packages: pypi small-library" in generation.reason


def test_the_network_of_a_sandbox_is_part_of_what_can_change_a_result(tmp_path: Path) -> None:
    def identity(**sandbox: Any) -> Any:
        return agent_on(server, tmp_path, "codex", sandbox=sandbox).identity(TASK)["agent"]

    with ScriptedServer(Scripts.of(DONE)) as server:
        assert identity(network="registries") != identity(network="none") == identity(memory_mb=99)


def test_an_unknown_network_is_a_typo() -> None:
    with pytest.raises(UserError, match="registries"):
        OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(AgentSandboxSettings), {"network": "registry"}))
