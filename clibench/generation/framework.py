"""The protocol of an agent framework: a task's prompt and an empty workspace go in, a delivered repository comes out.

Small on purpose. What a framework is told is the prompt and nothing else of the task: no case, no recording, no oracle. `gold` and `null`
are the two ends of the scale and belong here too, so that the whole way is checked with every run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from clibench.outcome import Outcome
from clibench.tasks.task import Task


@dataclass(frozen=True)
class Usage:
    """What a generation used. None is unknown, which is not zero."""

    steps: int | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    wall_s: float = 0.0


@dataclass(frozen=True)
class Generation:
    """How a generation ended. The delivered repository is what is in the workspace, unless `deliver` says that it is the oracle itself."""

    outcome: Outcome
    """PASS: delivered. AGENT_LIMIT: a limit ended it, what is there is graded. INFRA: try again."""
    deliver: Literal["workspace", "oracle"] = "workspace"
    reason: str = ""
    usage: Usage = Usage()
    trajectory: dict[str, Any] | None = None
    artifacts: dict[str, bytes] = field(default_factory=dict)
    """Further files worth keeping (raw trajectory, logs), by name."""


class Framework(Protocol):
    """One agent framework, as configured.

    An implementation is a dataclass whose fields are its parameters in conf/framework/*.yaml: that types them.
    """

    @property
    def name(self) -> str:
        """As in tables and columns."""
        ...

    @property
    def label(self) -> str:
        """Sets apart jobs of one framework (for `replay` the name of the set), else empty."""
        ...

    @property
    def uses_model(self) -> bool:
        """Whether the chosen model takes part; if not, results say model `none`."""
        ...

    def check(self, tasks: tuple[Task, ...], known: frozenset[str]) -> tuple[Task, ...]:
        """The tasks that it takes part in, of `tasks`; `known` are the ids of all tasks, those that a filter left out included.

        Raise a UserError, before any work starts, where something that it needs is missing (a key, a folder, a package).
        """
        ...

    def identity(self, task: Task) -> dict[str, Any]:
        """Everything of the framework and model that can change the result for this task, and nothing else: part of the resume key."""
        ...

    def generate(self, task: Task, workspace: Path) -> Generation:
        """Fill the empty host folder `workspace`. Faults of the harness are returned as INFRA or raised as InfraError."""
        ...
