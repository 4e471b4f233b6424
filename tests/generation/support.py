"""What the tests of agents share: a task, the script that builds its tool, and a framework bound to a scripted server."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import yaml

from clibench.generation.agent import Agent
from clibench.generation.choose import make_framework
from clibench.generation.context import AgentContext, bound
from clibench.llm.scripted import ScriptedServer, Turn
from clibench.llm.settings import LlmSettings, RetrySettings
from clibench.sandbox.settings import SandboxConfig
from clibench.tasks.task import Difficulty, Language, Oracle, Task
from tests.llm.support import CONF, model_settings

QUICK = RetrySettings(attempts=3, first_wait_s=0.01, max_wait_s=0.02)

TASK = Task(
    id="greet",
    alias="greet",
    language=Language.PYTHON,
    category="text",
    difficulty=Difficulty.EASY,
    loc=10,
    oracle=Oracle("pypi", "real-greeter", "1.0", "realgreet", "MIT", "", "0" * 64),
    prompt="Build the command-line tool greet in Python: `greet NAME` prints `hello NAME`.",
    patterns=(),
    cases=(),
    fixtures={},
    recordings={},
)

FILES = {
    "pyproject.toml": '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
    '[project]\nname = "greet"\nversion = "0.1"\n[project.scripts]\ngreet = "greet:main"\n[tool.setuptools]\npy-modules = ["greet"]\n',
    "greet.py": "import sys\n\n\ndef main():\n    print('hello', *sys.argv[1:])\n",
}
WRITE = Turn(text="I write the tool.", files=FILES)
TRY = Turn(text="I try it.", run="python3 -c \"import sys; sys.argv[1:] = ['you']; import greet; greet.main()\"")
DONE = Turn(text="It is done.", done=True)


def agent_on(
    server: ScriptedServer, outputs: Path, framework: str, *, llm: LlmSettings | None = None, job: str = "", **parameters: Any
) -> Agent:
    """conf/framework/FRAMEWORK.yaml with changes, bound to the scripted model; a job of its own where none is named."""
    body = yaml.safe_load((CONF / "framework" / f"{framework}.yaml").read_text()) | parameters
    model, settings = model_settings("scripted", base_url=server.url), llm or LlmSettings(retry=QUICK)
    context = AgentContext(model, settings, SandboxConfig(), outputs, job or uuid.uuid4().hex[:8])
    agent = bound(make_framework(body), context)
    assert isinstance(agent, Agent)
    return agent


def workspace_in(folder: Path) -> Path:
    """An empty workspace."""
    made = folder / "workspace"
    made.mkdir(parents=True)
    return made
