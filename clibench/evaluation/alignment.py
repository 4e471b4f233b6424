"""A good alignment of two large texts, in about linear time: its cost is an upper bound of their Levenshtein distance.

Anchors first: stretches of text that occur once on either side, the longest chain of them that rises on both (patience diff, on windows
of characters instead of lines, so that a text without lines is no special case). They are found among a sample of all windows, chosen by
their hash and hence alike on both sides; the gaps between anchors are treated in the same way, sampled more densely. Gaps without anchors
are aligned by a sliding window while the budget of work lasts; what is then left counts as wholly different. Every step can only
overestimate.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from rapidfuzz.distance import Levenshtein

if TYPE_CHECKING:
    import numpy as np

Codes: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint32]]"

Text = TypeVar("Text", str, bytes)

WORK: Final = 1 << 33
"""Cells of the distance matrix that may be filled in all, some tenths of a second."""
SMALL: Final = 1 << 21
"""A gap of at most this many cells is measured exactly."""
SAMPLE: Final = 1 << 17
"""Windows that are looked at in one gap, at most about."""
RARE: Final = (6, 4, 2, 0)
"""Of how many windows, as a power of two, one is looked at: in the whole, in its gaps, in their gaps... Where more levels were needed, the
texts have much in common, but in another order, and no cheap alignment."""
ANCHORS: Final = (16, 8)
"""Lengths of an anchor in characters (powers of two); the shorter where the longer gives none."""
WINDOW: Final = 1024
"""Characters that the sliding window aligns at once; half of them are kept, so a shift of up to half of it is followed."""


@dataclass
class _Budget:
    """What may still be spent."""

    cells: int
    cost: int
    """Cost beyond which the bound is of no use."""
    level: int = 0
    """Of gaps within gaps."""


def aligned_cost(a: Text, b: Text, allowed: int) -> int:
    """Upper bound of the distance of `a` and `b`. Beyond `allowed` the bound is not made any tighter."""
    return min(_cost(a, b, _Budget(WORK, allowed)), max(len(a), len(b)))


def without_common_ends(a: Text, b: Text) -> tuple[Text, Text]:
    """Both texts without the prefix and the suffix that they share: this leaves the distance as it is."""
    start = _common_prefix(a, b)
    a, b = a[start:], b[start:]
    end = _common_suffix(a, b)
    return a[: len(a) - end], b[: len(b) - end]


def codes(text: str | bytes) -> Codes:
    """Code points, or bytes."""
    import numpy as np

    if isinstance(text, bytes):
        return np.frombuffer(text, dtype=np.uint8).astype(np.uint32)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _cost(a: Text, b: Text, budget: _Budget) -> int:
    longest, cells = max(len(a), len(b)), len(a) * len(b)
    if cells == 0 or budget.cost < 0:
        return longest
    if cells <= SMALL:
        budget.cells -= cells
        return int(Levenshtein.distance(a, b)) if budget.cells > 0 else longest
    a, b = without_common_ends(a, b)
    if len(a) * len(b) <= SMALL:
        return _cost(a, b, budget)
    if len(a) == len(b) and (substitutions := _substitutions(a, b)) * 5 <= len(a):
        return substitutions
    for length in ANCHORS if budget.level < len(RARE) else ():
        if chain := _anchors(a, b, length, RARE[budget.level]):
            return _cost_between(a, b, chain, length, budget)
    return _window_cost(a, b, budget)


def _cost_between(a: Text, b: Text, chain: list[tuple[int, int]], length: int, budget: _Budget) -> int:
    """Cost of the gaps before, between and after anchors."""
    before = budget.cost
    budget.level += 1
    at_a = at_b = 0
    for i, j in chain:
        overlaps = i < at_a or j < at_b
        if a[i : i + length] != b[j : j + length] or (overlaps and i - j != at_a - at_b):
            continue  # a collision of hashes, or an anchor that another one contradicts
        if not overlaps:
            budget.cost -= _cost(a[at_a:i], b[at_b:j], budget)
        if budget.cost < 0:
            break
        at_a, at_b = i + length, j + length
    budget.cost -= _cost(a[at_a:], b[at_b:], budget)
    budget.level -= 1
    spent, budget.cost = before - budget.cost, before
    return spent


def _anchors(a: Text, b: Text, length: int, rare: int) -> list[tuple[int, int]]:
    """Places of windows that occur once in the sample of either side, rising on both."""
    import numpy as np

    rare = max(rare, (min(len(a), len(b)) // SAMPLE).bit_length())
    hashes_a, places_a = _sample(codes(a), length, rare)
    hashes_b, places_b = _sample(codes(b), length, rare)
    _, in_a, in_b = np.intersect1d(hashes_a, hashes_b, assume_unique=True, return_indices=True)
    at_a, at_b = places_a[in_a], places_b[in_b]
    order = np.argsort(at_a)
    return _rising(at_a[order].tolist(), at_b[order].tolist())


def _sample(text: Codes, length: int, rare: int) -> tuple[Codes, Codes]:
    """Hash and place of windows: of one in 2^rare, and of those the ones that come once."""
    import numpy as np

    if len(text) < length:
        return text[:0], text[:0]
    hashes = text * np.uint32(0x9E3779B1)
    width = 1
    while width < length:  # two windows of half the width, side by side
        hashes = hashes[:-width] * np.uint32(0x85EBCA6B + 2 * width) + hashes[width:]
        width *= 2
    hashes ^= hashes >> np.uint32(15)
    hashes *= np.uint32(0x2C1B3C6D)
    hashes ^= hashes >> np.uint32(13)
    places = np.flatnonzero((hashes & np.uint32((1 << rare) - 1)) == 0)
    found, first, counts = np.unique(hashes[places], return_index=True, return_counts=True)
    once = counts == 1
    return found[once], places[first[once]].astype(np.uint32)


def _rising(at_a: list[int], at_b: list[int]) -> list[tuple[int, int]]:
    """The longest chain of pairs that rises in `at_b` (`at_a` rises already)."""
    tails: list[int] = []
    tail_of: list[int] = []
    before: list[int] = []
    for index, place in enumerate(at_b):
        rank = bisect_left(tails, place)
        before.append(tail_of[rank - 1] if rank else -1)
        tails[rank : rank + 1] = [place]
        tail_of[rank : rank + 1] = [index]
    chain: list[tuple[int, int]] = []
    index = tail_of[-1] if tail_of else -1
    while index >= 0:
        chain.append((at_a[index], at_b[index]))
        index = before[index]
    return chain[::-1]


def _window_cost(a: Text, b: Text, budget: _Budget) -> int:
    """Align window by window: the first half of each window's best alignment is kept, the rest is aligned anew with what follows."""
    cost, i, j = 0, 0, 0
    while cost <= budget.cost and budget.cells > 0 and len(a) - i > WINDOW and len(b) - j > WINDOW:
        left, right = a[i : i + WINDOW], b[j : j + WINDOW]
        if left == right:
            i, j = i + WINDOW, j + WINDOW
            continue
        budget.cells -= 4 * WINDOW * WINDOW
        step_a, step_b = _first_half(left, right)
        cost += Levenshtein.distance(left[:step_a], right[:step_b])
        i, j = i + step_a, j + step_b
    rest_a, rest_b = a[i:], b[j:]
    if cost <= budget.cost and 0 < len(rest_a) * len(rest_b) <= min(SMALL, budget.cells):
        return cost + int(Levenshtein.distance(rest_a, rest_b))
    return cost + max(len(rest_a), len(rest_b))


def _first_half(a: Text, b: Text) -> tuple[int, int]:
    """Where the best alignment of two windows stands after half of `a`: how far to go on either side."""
    half = len(a) // 2
    for operation in Levenshtein.opcodes(a, b):
        if operation.src_end >= half:
            inside = half - operation.src_start
            return half, operation.dest_start + min(inside, operation.dest_end - operation.dest_start)
    return half, half


def _substitutions(a: Text, b: Text) -> int:
    """Number of places where two texts of one length differ."""
    import numpy as np

    return int(np.count_nonzero(codes(a) != codes(b)))


def _common_prefix(a: Text, b: Text) -> int:
    """Length of the common prefix: by blocks, then by halves, so that memcmp does the comparing."""
    most, block, done = min(len(a), len(b)), 1 << 14, 0
    if not most or a[0] != b[0]:
        return 0
    while done < most and a[done : done + block] == b[done : done + block]:
        done += block
    low, high = min(done, most), min(done + block, most)
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(a: Text, b: Text) -> int:
    """Length of the common suffix."""
    most, low, step = min(len(a), len(b)), 0, 1 << 14
    while low < most:
        length = min(step, most - low)
        if a[len(a) - low - length : len(a) - low] == b[len(b) - low - length : len(b) - low]:
            low += length
        elif length == 1:
            break
        else:
            step = length // 2
    return low
