"""The comparison of a submission's recording with the oracle's: Exec, SP, EM, FM, SM, Reject, each with its reason.

Exec, SP and the output matches are gates in a row (paper II-C): SP needs Exec, and EM, FM and SM need SP. Only cases whose oracle exits 0
count for them; the others count for Reject alone. A check is True, False, or None where it does not apply or a judge abstained.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final

METRICS: Final = ("build", "exec", "sp", "em", "fm", "sm", "reject")
"""The metrics' names, in the paper's order, as everywhere in logs, columns and files. `reject` is clibench's own."""


@dataclass(frozen=True)
class Difference:
    """Where two things first part, short enough to show (each side at most a few hundred characters)."""

    where: str
    """stdout:LINE, a path, `exit status`."""
    expected: str
    actual: str


@dataclass(frozen=True)
class Check:
    """One metric's answer for one case."""

    passed: bool | None
    reason: str = ""
    similarity: float | None = None
    difference: Difference | None = None
    comparer: str = ""
    """Name and version of the comparer, for example `fuzzy/1`."""


@dataclass(frozen=True)
class Verdict:
    """All checks of one case. `checks` has a key for each metric of METRICS but `build`."""

    case: str
    pattern: str
    oracle_ok: bool
    checks: dict[str, Check] = field(default_factory=dict)
    infra: str = ""
    """Reason, where the case could not be run: then `checks` is empty and the case is missing."""

    def passed(self, metric: str) -> bool | None:
        """The answer of one metric, None where it does not apply or is missing."""
        check = self.checks.get(metric)
        return None if check is None else check.passed


def verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    """JSON form of a verdict."""
    return asdict(verdict)


def verdict_from_json(body: dict[str, Any]) -> Verdict:
    """Inverse of `verdict_to_json`."""
    checks = {
        name: Check(**{**check, "difference": Difference(**check["difference"]) if check["difference"] else None})
        for name, check in body["checks"].items()
    }
    return Verdict(body["case"], body["pattern"], bool(body["oracle_ok"]), checks, body["infra"])
