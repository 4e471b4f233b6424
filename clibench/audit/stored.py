"""audit.json, beside the task that it is about.

It is no part of the frozen task: lock.json does not name it, and it changes no result. It names the digest of the task that it was made
from, so that an audit of an earlier freeze is known for what it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from clibench.audit.audit import VERSION
from clibench.errors import OutputsError
from clibench.tasks.folder import encode_json
from clibench.tasks.task import Task

AUDIT: Final = "audit.json"


class State(StrEnum):
    """What a task's audit.json is worth."""

    FRESH = "fresh"
    STALE = "stale"
    """Made from another freeze of the task, or by another version of the audit."""
    MISSING = "missing"
    FAULTY = "faulty"
    """Not an audit."""


KEPT: Final = ("mutants", "oracle_check")
"""Parts that take a sandbox to make: an audit that was not asked for them keeps those of before, as long as they are of the same task."""


@dataclass(frozen=True)
class StoredAudit:
    """What is shown of audit.json. `body` is empty unless it is fresh; its form is the one that `audit` prints."""

    state: State
    body: Mapping[str, Any]

    @property
    def effective(self) -> int | None:
        """The effective size."""
        return self.body["total"]["effective"] if self.body else None

    @property
    def mutants(self) -> Mapping[str, Any] | None:
        """What became of the mutants; None where none were made."""
        return self.body.get("mutants")


def write_audit(folder: Path, body: Mapping[str, Any]) -> Path:
    """Write audit.json; the same audit gives the same bytes. Raises OutputsError where the folder can't be written."""
    path = folder / AUDIT
    partial = folder / f".{AUDIT}.{os.getpid()}"
    try:
        partial.write_bytes(encode_json(body))
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        reason = (error.strerror or str(error)).lower()
        raise OutputsError(f"can't be written: {reason}", where=str(path), fix="Free space, or allow writing.") from error
    return path


def read_audit(task: Task) -> StoredAudit:
    """What is stored with the task; never an error, since nothing depends on it."""
    if task.folder is None:
        return StoredAudit(State.MISSING, {})
    try:
        body = json.loads((task.folder / AUDIT).read_bytes())
        made_from = (int(body["version"]), str(body["task_digest"]))
        found = StoredAudit(State.FRESH, body)
        _check(found)
    except FileNotFoundError:
        return StoredAudit(State.MISSING, {})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return StoredAudit(State.FAULTY, {})
    if made_from != (VERSION, task.digest):
        return StoredAudit(State.STALE, {})
    return found


def kept(task: Task, made: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of the stored audit that `made`, an audit of the same task by the same comparers, does not have."""
    before = read_audit(task).body
    if not before or before.get("comparers") != made["comparers"]:
        return {}
    return {name: before[name] for name in KEPT if name in before and name not in made}


def _check(found: StoredAudit) -> None:
    """Raise KeyError, TypeError or ValueError where what is shown is not of its form."""
    int(found.body["total"]["effective"])
    if found.mutants is not None:
        for name in ("run", "changed", "compared", "killed"):
            int(found.mutants[name])
