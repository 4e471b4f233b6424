"""Who wrote a task's spec: the factory, both the factory and a hand, or a hand alone.

`synthesize` leaves synthesis.json beside the spec, with what it tried and the digest of the spec that it wrote. A spec of another digest was
edited since, or is a hand's that was set beside what the factory found.
"""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from clibench.digest import digest_file
from clibench.tasks.folder import SPEC

TRACE: Final = "synthesis.json"


class Origin(StrEnum):
    """How the spec came about."""

    HAND = "by hand"
    FACTORY = "synthesized"
    EDITED = "edited"
    """Not as the factory wrote it, whose record is there."""


def origin_of(folder: Path) -> Origin:
    """How the spec in the task's folder was made. Without a trace that can be read, nothing says that it was synthesized."""
    try:
        trace: Any = json.loads((folder / TRACE).read_bytes())
        spec = digest_file(folder / SPEC)
    except (OSError, ValueError):
        return Origin.HAND
    if not isinstance(trace, dict) or not trace.get("spec"):
        return Origin.HAND
    return Origin.FACTORY if trace["spec"] == spec else Origin.EDITED
