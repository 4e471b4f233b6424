"""Submit repositories that anyone delivered before: one sub-folder of `submissions` for each task, named by the task's id.

A task without a sub-folder is by default an error, since it is more often a wrong path than a missing answer: `missing=empty` grades it as
a delivery of nothing, `missing=skip` leaves the task out of the job. A sub-folder that is no task of the dataset is always an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from clibench.errors import UserError, did_you_mean
from clibench.generation.delivery import collect, tree_digest
from clibench.generation.framework import Generation
from clibench.outcome import Outcome
from clibench.tasks.task import Task


class Missing(StrEnum):
    """What becomes of a task without a submission."""

    fail = "fail"
    empty = "empty"
    skip = "skip"


@dataclass(frozen=True)
class Replay:
    """Where the submissions are."""

    submissions: str
    missing: Missing = Missing.fail
    set: str | None = None
    """Name of the set in tables; null takes the folder's name."""

    name: ClassVar[str] = "replay"
    uses_model: ClassVar[bool] = False

    @property
    def label(self) -> str:
        """Name of the set."""
        return self.set or self._folder.resolve().name

    @property
    def _folder(self) -> Path:
        return Path(self.submissions).expanduser()

    def check(self, tasks: tuple[Task, ...], known: frozenset[str]) -> tuple[Task, ...]:
        """All tasks, with `missing=skip` those that have a submission; raises UserError for a folder that fits no task."""
        if not self._folder.is_dir():
            if self.missing is Missing.skip:
                return ()
            raise UserError("no such folder", where=f"framework.submissions={self.submissions}", fix="Give the folder of the submissions.")
        for folder in sorted(path.name for path in self._folder.iterdir() if path.is_dir() and not path.name.startswith(".")):
            if folder not in known:
                raise UserError(f"'{folder}' is the id of no task", where=str(self._folder), fix=did_you_mean(folder, known))
        absent = {task.id for task in tasks if not (self._folder / task.id).is_dir()}
        if absent and self.missing is Missing.fail:
            raise UserError(
                f"no submission for {', '.join(sorted(absent))}",
                where=str(self._folder),
                fix="Add the sub-folders, or choose framework.missing=empty (graded as nothing) or framework.missing=skip (left out).",
            )
        return tuple(task for task in tasks if task.id not in absent) if self.missing is Missing.skip else tasks

    def identity(self, task: Task) -> dict[str, Any]:
        """The content of the submission, not where it lies."""
        folder = self._folder / task.id
        return {"tree": tree_digest(folder) if folder.is_dir() else None}

    def generate(self, task: Task, workspace: Path) -> Generation:
        """Copy the submission."""
        folder = self._folder / task.id
        if not folder.is_dir():
            return Generation(Outcome.PASS, reason="no submission")
        notes = collect(folder, workspace)
        return Generation(Outcome.PASS, reason="; ".join(notes))
