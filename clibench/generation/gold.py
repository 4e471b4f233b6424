"""The upper end of the scale: submits the oracle itself, which must score 1 everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from clibench.generation.framework import Generation
from clibench.outcome import Outcome
from clibench.tasks.task import Task


@dataclass(frozen=True)
class Gold:
    """Nothing to set."""

    name: ClassVar[str] = "gold"
    label: ClassVar[str] = ""
    uses_model: ClassVar[bool] = False

    def check(self, tasks: tuple[Task, ...], known: frozenset[str]) -> tuple[Task, ...]:
        """All of them: it needs nothing."""
        return tasks

    def identity(self, task: Task) -> dict[str, Any]:
        """The pinned oracle."""
        return {"oracle": task.oracle.digest}

    def generate(self, task: Task, workspace: Path) -> Generation:
        """Leave the workspace empty and say that the oracle is to be installed."""
        return Generation(Outcome.PASS, deliver="oracle")
