"""Is the Levenshtein distance of two texts at most a given number? Exact where it can be, with proved bounds where it can't.

The exact algorithm takes quadratic time: seconds for 1 MB, hours for 10 MB. So the question is narrowed first. Common ends cost nothing
and change nothing. The difference in length, and what the bags of characters and of character pairs do not share, are lower bounds of
the distance; the cost of any one alignment (`alignment`) is an upper bound.

`Bounds.low > allowed` proves that the texts are too far apart, `Bounds.high <= allowed` that they are near enough. What remains (a large
text whose best alignment was not found and which the lower bounds do not rule out) is undecided, and the caller must say so in its verdict.
Texts whose lengths multiply to at most `EXACT_CELLS` are never undecided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import Levenshtein

from clibench.evaluation.alignment import Codes, Text, aligned_cost, codes, without_common_ends

REPORT_CELLS: Final = 1 << 28
"""Up to this product of lengths the distance itself is computed (about 15 ms), so that a verdict can show it."""
EXACT_CELLS: Final = 1 << 34
"""Up to this product of lengths the question is decided exactly (at most about a second)."""


@dataclass(frozen=True)
class Bounds:
    """The distance is at least `low` and at most `high`."""

    low: int
    high: int

    def decide(self, allowed: int) -> bool | None:
        """Whether the distance is at most `allowed`; None where the bounds do not tell."""
        return True if self.high <= allowed else False if self.low > allowed else None


def bounded_distance(a: Text, b: Text, allowed: int) -> Bounds:
    """Bounds of the Levenshtein distance that, wherever possible, decide whether it is at most `allowed`."""
    if a == b:
        return Bounds(0, 0)
    a, b = without_common_ends(a, b)
    longest, gap = max(len(a), len(b)), abs(len(a) - len(b))
    if not a or not b:
        return Bounds(longest, longest)
    cells = len(a) * len(b)
    if cells <= REPORT_CELLS:
        distance = Levenshtein.distance(a, b)
        return Bounds(distance, distance)
    if gap > allowed or longest <= allowed:
        return Bounds(gap, longest)
    low = max(gap, _bag_bound(a, b))
    if low > allowed:
        return Bounds(low, longest)
    if cells <= EXACT_CELLS:
        distance = Levenshtein.distance(a, b, score_cutoff=allowed)
        return Bounds(distance, distance) if distance <= allowed else Bounds(allowed + 1, longest)
    return Bounds(low, min(longest, aligned_cost(a, b, allowed)))


def _bag_bound(a: Text, b: Text) -> int:
    """A lower bound from what the bags of characters, and of pairs of neighbours, do not share.

    One edit changes one character of either bag, so the larger one-sided surplus is a bound; it touches at most two pairs of either
    side, so the larger one-sided surplus of pairs is at most twice the distance (q-gram lemma, q = 2, Ukkonen 1992). Pairs are hashed into
    2^16 buckets: a collision can only lower the bound.
    """
    import numpy as np

    def surplus(x: Codes, y: Codes) -> int:
        difference = np.bincount(x & 0xFFFF, minlength=1 << 16) - np.bincount(y & 0xFFFF, minlength=1 << 16)
        return int(max(difference[difference > 0].sum(), -difference[difference < 0].sum()))

    x, y = codes(a), codes(b)
    singles = surplus(x, y)
    pairs = surplus(x[:-1] * np.uint32(257) + x[1:], y[:-1] * np.uint32(257) + y[1:])
    return max(singles, -(-pairs // 2))
