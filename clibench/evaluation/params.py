"""The parameters of the comparers: everything beside the recordings and the semantic judge that a verdict depends on.

They are part of the key of a verdict, not of a recording: changing one re-judges stored recordings and runs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from clibench.digest import digest_json
from clibench.errors import UserError

VERSIONS: Final = {"status": 1, "side_effects": 1, "exact": 1, "fuzzy": 1}
"""Raise one when its comparer's answers change: verdicts of the older version are then judged anew."""

DEFAULT_IGNORE: Final = (
    # Hidden caches.
    ".*cache*",  # .cache, .pytest_cache, .mypy_cache, .ruff_cache, .parcel-cache, .eslintcache
    "~/.npm",
    "~/.yarn",
    "~/.node_repl_history",
    "~/.python_history",
    "/tmp/node-compile-cache",  # noqa: S108 - a path inside the sandbox
    # Build artefacts of the languages.
    "__pycache__",
    "*.py[co]",
    "*.egg-info",
    "node_modules/.cache",
    "node_modules/.package-lock.json",
    ".nyc_output",
    ".coverage",
    "go-build*",
    "~/.config/go/telemetry",
)
"""Not part of the effective side effects. See `clibench.evaluation.side_effects` for the language of the patterns."""


@dataclass(frozen=True)
class CompareParams:
    """How recordings are compared."""

    fuzzy_threshold: float = 0.8
    """FM passes at this normalised Levenshtein similarity or more (paper: tau = 0.8)."""
    ignore: tuple[str, ...] = DEFAULT_IGNORE
    """Patterns of paths that are no side effect."""
    mode: Literal["executable", "full", "none"] = "executable"
    """Which permission bits belong to a side effect: whether anybody may execute it, all twelve, or none."""
    normalisers: tuple[str, ...] = ()
    """Applied to every case, beside those that its task names."""

    def __post_init__(self) -> None:
        if not 0.0 < self.fuzzy_threshold <= 1.0:
            raise UserError(f"fuzzy_threshold is {self.fuzzy_threshold}", where="judge", fix="Give a number above 0 and up to 1.")
        if self.mode not in ("executable", "full", "none"):
            raise UserError(f"mode is '{self.mode}'", where="judge", fix="Valid: executable, full, none.")

    def judge_name(self, semantic: str) -> str:
        """What the judge is called in tables: the semantic judge, and each parameter that is not the usual one. No two are mixed up."""
        usual = CompareParams()
        told = [
            f"fm{self.fuzzy_threshold:g}" if self.fuzzy_threshold != usual.fuzzy_threshold else "",
            f"mode-{self.mode}" if self.mode != usual.mode else "",
            f"ignore-{digest_json(self.ignore)[:6]}" if set(self.ignore) != set(usual.ignore) else "",
            *(f"mask-{name}" for name in self.normalisers),
        ]
        return "/".join([semantic, *(word for word in told if word)])

    def identity(self) -> dict[str, Any]:
        """What can change a verdict, for keys: parameters and comparer versions."""
        return {
            "versions": dict(VERSIONS),
            "fuzzy_threshold": self.fuzzy_threshold,
            "ignore": sorted(set(self.ignore)),
            "mode": self.mode,
            "normalisers": sorted(set(self.normalisers)),
        }
