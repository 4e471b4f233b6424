"""The lower end of the scale: delivers an empty workspace, which must score 0 everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from clibench.generation.framework import Generation
from clibench.outcome import Outcome
from clibench.tasks.task import Task


@dataclass(frozen=True)
class Null:
    """Nothing to set."""

    name: ClassVar[str] = "null"
    label: ClassVar[str] = ""
    uses_model: ClassVar[bool] = False

    def check(self, tasks: tuple[Task, ...], known: frozenset[str]) -> tuple[Task, ...]:
        """All of them: it needs nothing."""
        return tasks

    def identity(self, task: Task) -> dict[str, Any]:
        """Always the same nothing."""
        return {}

    def generate(self, task: Task, workspace: Path) -> Generation:
        """Leave the workspace empty."""
        return Generation(Outcome.PASS, reason="delivered nothing")
