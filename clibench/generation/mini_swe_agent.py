"""mini-swe-agent, the real library: its loop runs on the host, each of its commands in the container without network.

The library gets the run's token and never a key, so its trajectory can hold none; and an environment of ours, so that its prompts see
nothing of the host's variables (its own local environment would hand them all to the templates). Prompts and templates are those that it
ships (mini.yaml), as in the paper.
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import time
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Final

import yaml

from clibench.errors import SandboxError, UserError
from clibench.generation.agent import Agent, AgentEnd, AgentLimits, AgentRun
from clibench.generation.agent_sandbox import WORKSPACE, AgentSandbox, AgentSandboxSettings, Placement, require_docker
from clibench.generation.context import AgentContext
from clibench.llm.client import reach_this_machine_directly
from clibench.sandbox.image import ensure_image, user_image
from clibench.sandbox.reap import scratch_folder
from clibench.tasks.task import Task

_DONE: Final = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_NO_TIMEOUT_S: Final = 10 * 24 * 3600.0
"""The gateway has the time-outs and the retries."""


@dataclass
class MiniSweAgent:
    """Parameters of the library and of its container."""

    limits: AgentLimits = field(default_factory=AgentLimits)
    command_timeout_s: float = 120.0
    """Of one command; then it is killed with all that it started, and the agent is told."""
    config: str = "mini.yaml"
    """Which of the configurations that the library ships, or a path."""
    sandbox: AgentSandboxSettings = field(default_factory=AgentSandboxSettings)

    name: ClassVar[str] = "mini_swe_agent"
    label: ClassVar[str] = ""
    uses_model: ClassVar[bool] = True

    def bind(self, context: AgentContext) -> Agent:
        """Able to generate."""
        return Agent(self, context)

    def identity(self) -> dict[str, Any]:
        """Version, prompts and the time limit of commands."""
        return {
            "name": self.name,
            "version": version("mini-swe-agent"),
            "config": self._config(),
            "command_timeout_s": self.command_timeout_s,
            **self.sandbox.identity(),
        }

    def ready(self, context: AgentContext) -> None:
        """The library and a Docker daemon have to be there."""
        if importlib.util.find_spec("minisweagent") is None:
            raise UserError(
                "the package mini-swe-agent is not installed", where="framework=mini_swe_agent", fix="pip install 'clibench[agents]'."
            )
        self._config()
        try:
            require_docker()
        except SandboxError as error:
            raise UserError(f"its commands run in Docker: {error.what}", where="framework=mini_swe_agent", fix=error.fix) from error

    def prepare(self, context: AgentContext) -> str:
        """The library, which takes seconds to import, and the sandbox's own image."""
        _quiet()
        settings = context.sandbox
        return (user_image(settings.image) if settings.image else ensure_image(settings.base_image)).name

    def drive(self, run: AgentRun, task: Task, workspace: Path) -> AgentEnd:
        """One run of the library's own agent class."""
        from minisweagent.agents.default import DefaultAgent
        from minisweagent.models.litellm_model import LitellmModel

        config = self._config()
        arguments = {**config["model"].get("model_kwargs", {}), "api_base": f"{run.lease.url}/v1", "api_key": run.lease.token}
        model = LitellmModel(
            **{
                **config["model"],
                "model_name": f"custom_openai/{run.model.upstream_name}",
                "model_kwargs": {**arguments, "timeout": _NO_TIMEOUT_S, "max_retries": 0},
                "cost_tracking": "ignore_errors",
            }
        )
        placement = Placement(run.image, workspace, run.lease.socket_folder, run.context.outputs, self.sandbox, task.oracle)
        with AgentSandbox(placement) as sandbox:
            environment = Environment(sandbox, self.command_timeout_s, self.limits.wall_s, config["environment"].get("env", {}))
            templates = {name: config["agent"][name] for name in ("system_template", "instance_template")}
            agent = DefaultAgent(model, environment, **templates, step_limit=0, cost_limit=0)
            try:
                status = str(agent.run(task=task.prompt).get("exit_status", ""))
            except SandboxError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever ends the agent, what it delivered is graded; the account tells outages
                status = f"{type(error).__name__}: {str(error).splitlines()[0][:200] if str(error) else ''}"
            sandbox.settle()
            elsewhere, downloads = sandbox.written_elsewhere(), sandbox.downloads
        raw = json.dumps(agent.serialize(), default=str).replace(run.lease.token, "<token>").encode()
        reason = "" if status == "Submitted" else f"ended by {status}"
        return AgentEnd(reason, environment.limit, _counted(agent.messages), tuple(elsewhere), {"mini_swe_agent.json": raw}, downloads)

    def _config(self) -> dict[str, Any]:
        path = Path(self.config)
        if not path.is_file():
            spec = importlib.util.find_spec("minisweagent")
            if spec is None or not spec.submodule_search_locations:
                raise UserError(
                    "the package mini-swe-agent is not installed", where="framework=mini_swe_agent", fix="pip install 'clibench[agents]'."
                )
            path = Path(spec.submodule_search_locations[0]) / "config" / self.config
        try:
            body = yaml.safe_load(path.read_text(encoding="utf-8"))
            return {"agent": body["agent"], "model": body.get("model") or {}, "environment": body.get("environment") or {}}
        except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
            raise UserError(f"not a configuration of mini-swe-agent: {error}", where=f"framework.config={self.config}") from error


class Environment:
    """What the library runs its commands in (its protocol is duck-typed)."""

    def __init__(self, sandbox: AgentSandbox, timeout_s: float, wall_s: float | None, env: dict[str, str]) -> None:
        self._sandbox = sandbox
        self._timeout_s = timeout_s
        self._wall_s = wall_s
        self._deadline = None if wall_s is None else time.monotonic() + wall_s
        self._env = dict(env)
        self.config = {"cwd": WORKSPACE, "timeout": timeout_s, "env": self._env}
        self.limit = ""

    def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
        """Run one command; raises the library's Submitted where it says that the task is done, TimeExceeded at the wall-time limit."""
        from minisweagent.exceptions import Submitted, TimeExceeded

        command = str(action.get("command", ""))
        left = self._timeout_s if self._deadline is None else min(self._timeout_s, self._deadline - time.monotonic())
        output: dict[str, Any] = {"output": "", "returncode": -1, "exception_info": ""}
        if left > 0:
            end = self._sandbox.run(["bash", "-c", command], env=self._env, cwd=cwd or WORKSPACE, timeout_s=left, keep=1 << 20, merge=True)
            output = {"output": end.stdout.decode("utf-8", "replace"), "returncode": end.status, "exception_info": ""}
            if end.timed_out:
                note = f"The command did not end in {left:.0f} s and was killed, with all that it had started."
                output |= {"returncode": -1, "exception_info": note}
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self.limit = f"its limit of {self._wall_s:g} s is reached"
            raise TimeExceeded({"role": "exit", "content": "TimeExceeded", "extra": {"exit_status": "TimeExceeded", "submission": ""}})
        first, _, rest = output["output"].lstrip().partition("\n")
        if first.strip() == _DONE and output["returncode"] == 0:
            raise Submitted({"role": "exit", "content": rest, "extra": {"exit_status": "Submitted", "submission": rest}})
        return output

    def get_template_vars(self, **more: Any) -> dict[str, Any]:
        """What the templates may say of the system: the container's, nothing of the host's environment."""
        return {**self.config, **platform.uname()._asdict(), "node": "sandbox", **more}

    def serialize(self) -> dict[str, Any]:
        """For the library's own trajectory."""
        return {"info": {"config": {"environment": self.config, "environment_type": f"{__name__}.Environment"}}}


def _counted(messages: list[dict[str, Any]]) -> dict[str, int]:
    """The library's own count: the sum over the responses that it keeps, those of format errors too."""
    usages = [((message.get("extra") or {}).get("response") or {}).get("usage") or {} for message in messages if isinstance(message, dict)]
    return {name: sum(int(usage.get(name) or 0) for usage in usages) for name in ("prompt_tokens", "completion_tokens")}


def _quiet() -> None:
    """The library prints, makes a folder and reads a file of settings when it is imported: none of that here."""
    os.environ.setdefault("MSWEA_SILENT_STARTUP", "1")
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    reach_this_machine_directly()
    os.environ["MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT"] = "1"  # the gateway retries, and its refusals are final
    with scratch_folder("settings") as folder:  # made at the import, and never used again
        os.environ.setdefault("MSWEA_GLOBAL_CONFIG_DIR", str(folder))
        import litellm
        import minisweagent  # noqa: F401
    litellm.suppress_debug_info = True  # it prints advice on standard output, which belongs to results
    import logging

    for name in ("minisweagent", "litellm_model", "agent", "LiteLLM"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
