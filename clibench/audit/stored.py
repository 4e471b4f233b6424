"""audit.json, beside the task that it is about.

It is no part of the frozen task: lock.json does not name it, and it changes no result. It names the digest of the task that it was made
from, so that an audit of an earlier freeze is known for what it is.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from clibench.audit.audit import VERSION, TaskAudit, audit_to_json
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


@dataclass(frozen=True)
class StoredAudit:
    """What a listing shows of audit.json; `effective` only of a fresh one."""

    state: State
    effective: int | None = None


def write_audit(folder: Path, audit: TaskAudit) -> Path:
    """Write audit.json; the same audit gives the same bytes. Raises OutputsError where the folder can't be written."""
    path = folder / AUDIT
    partial = folder / f".{AUDIT}.{os.getpid()}"
    try:
        partial.write_bytes(encode_json(audit_to_json(audit)))
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        reason = (error.strerror or str(error)).lower()
        raise OutputsError(f"can't be written: {reason}", where=str(path), fix="Free space, or allow writing.") from error
    return path


def read_audit(task: Task) -> StoredAudit:
    """What is stored with the task; never an error, since nothing depends on it."""
    if task.folder is None:
        return StoredAudit(State.MISSING)
    try:
        body = json.loads((task.folder / AUDIT).read_bytes())
        made_from = (int(body["version"]), str(body["task_digest"]))
        effective = int(body["total"]["effective"])
    except FileNotFoundError:
        return StoredAudit(State.MISSING)
    except (OSError, ValueError, KeyError, TypeError):
        return StoredAudit(State.FAULTY)
    if made_from != (VERSION, task.digest):
        return StoredAudit(State.STALE)
    return StoredAudit(State.FRESH, effective)
