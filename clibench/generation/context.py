"""What an agent framework is told beside the task: which model, how to call it, for which job, and where the sandbox stands.

Frameworks that need none of it (gold, null, replay) never see it. The others are bound to it once, before their first task.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from clibench.generation.framework import Framework
from clibench.llm.settings import LlmSettings, ModelSettings
from clibench.sandbox.settings import SandboxConfig


@dataclass(frozen=True)
class AgentContext:
    """The surroundings of a job's generations."""

    model: ModelSettings
    llm: LlmSettings
    sandbox: SandboxConfig
    outputs: Path
    """Ledger, recorded answers and the gateway's state live here."""
    job: str
    """Name of the job, the same when it is resumed: what a job's budget is counted by."""
    sweep: str = "sweep"
    """Name of the sweep, the same for all its jobs."""
    plan_only: bool = False
    """Nothing will be called: keys need not be there yet."""


@runtime_checkable
class Bindable(Protocol):
    """A framework that needs an AgentContext."""

    def bind(self, context: AgentContext) -> Framework:
        """The same framework, able to generate."""
        ...


def bound(framework: Framework, context: AgentContext) -> Framework:
    """The framework, bound where it asks for it."""
    return framework.bind(context) if isinstance(framework, Bindable) else framework
