"""The five outcomes of a unit of work, and what each means for retries and scores.

One table decides; nothing else in the code may ask "is this an infrastructure error?" in another way. `infra` is ours to mend: it is
retried, then reported as missing with the best and worst score that it could have had; it is never a zero and never dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Outcome(StrEnum):
    """How a unit (a generation, a build, a case, a task) ended."""

    PASS = "pass"  # noqa: S105 - an outcome, not a password
    FAIL = "fail"
    BUILD_FAIL = "build-fail"
    AGENT_LIMIT = "agent-limit"
    INFRA = "infra"


@dataclass(frozen=True)
class Policy:
    """What follows from an outcome."""

    retry: bool
    """Try again, now or at the next start; only outcomes without it count as done for resume."""
    counts: bool
    """Part of the denominator of a score."""


OUTCOMES: Final[dict[Outcome, Policy]] = {
    #                           retry  counts
    Outcome.PASS: Policy(False, True),
    Outcome.FAIL: Policy(False, True),
    Outcome.BUILD_FAIL: Policy(False, True),  # a zero in every later metric (paper III-B)
    Outcome.AGENT_LIMIT: Policy(False, True),  # what was delivered until then is graded
    Outcome.INFRA: Policy(True, False),  # missing, with bounds
}
