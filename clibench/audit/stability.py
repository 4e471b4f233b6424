"""What freezing found of the oracle's stability, read back from the frozen task: its repeated runs are not done again here."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from clibench.tasks.folder import LOCK
from clibench.tasks.task import Task


def stability_to_json(task: Task) -> dict[str, Any]:
    """Number of runs (None where it is not known), cases by the normalisers that mask what varied in them, and quarantined cases.

    `masked` counts those that the repeated runs asked for; `declared` are masks that the spec names for all cases.
    """
    frozen: dict[str, Any] = {}
    if task.folder is not None:
        try:
            frozen = json.loads((task.folder / LOCK).read_bytes())["stability"]
        except (OSError, ValueError, KeyError, TypeError):
            frozen = {}
    masked = frozen.get("masked")
    if masked is None:
        masked = Counter("+".join(names) for names in task.case_normalisers.values())
    return {
        "runs": frozen.get("runs"),
        "declared": list(task.normalisers),
        "masked": dict(sorted(masked.items())),
        "quarantined": dict(sorted(task.quarantined.items())),
    }
