"""A framework that calls a model, and so needs the model's key; for tests of what is said when there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from clibench.generation.context import AgentContext
from clibench.generation.framework import Framework, Generation
from clibench.llm.models import resolve
from clibench.outcome import Outcome
from clibench.tasks.task import Task


@dataclass
class Needy:
    """Nothing to set."""

    name: ClassVar[str] = "needy"
    label: ClassVar[str] = ""
    uses_model: ClassVar[bool] = True
    contexts: list[Any] = field(default_factory=list)

    def bind(self, context: AgentContext) -> Framework:
        """Remember the model."""
        self.contexts.append(context)
        return self

    def check(self, tasks: tuple[Task, ...], known: frozenset[str]) -> tuple[Task, ...]:
        """Ask for the key."""
        resolve(self.contexts[0].model).key()
        return tasks

    def identity(self, task: Task) -> dict[str, Any]:
        """The model."""
        return resolve(self.contexts[0].model).identity()

    def generate(self, task: Task, workspace: Path) -> Generation:
        """Deliver nothing."""
        return Generation(Outcome.PASS)
