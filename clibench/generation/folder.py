"""Submit one repository, for every task asked: what `grade` does with one task."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from clibench.errors import UserError
from clibench.generation.delivery import collect, tree_digest
from clibench.generation.framework import Generation
from clibench.outcome import Outcome
from clibench.tasks.task import Task


@dataclass(frozen=True)
class Folder:
    """Where the repository is."""

    submission: str

    name: ClassVar[str] = "folder"
    uses_model: ClassVar[bool] = False

    @property
    def label(self) -> str:
        """Name of the folder."""
        return self._path.resolve().name

    @property
    def _path(self) -> Path:
        return Path(self.submission).expanduser()

    def check(self, tasks: tuple[Task, ...], known: frozenset[str]) -> tuple[Task, ...]:
        """All of them; raises UserError where the folder is missing."""
        if not self._path.is_dir():
            raise UserError("no such folder", where=f"submission={self.submission}", fix="Give the folder of the repository to grade.")
        return tasks

    def identity(self, task: Task) -> dict[str, Any]:
        """The content of the repository, not where it lies."""
        return {"tree": tree_digest(self._path)}

    def generate(self, task: Task, workspace: Path) -> Generation:
        """Copy the repository."""
        return Generation(Outcome.PASS, reason="; ".join(collect(self._path, workspace)))
