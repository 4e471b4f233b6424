"""Is the Levenshtein distance of two texts at most a given number? Exact where it can be, with proved bounds where it can't.

The exact algorithm takes quadratic time: seconds for 1 MB, hours for 10 MB. So the question is narrowed first. Common ends cost nothing
and change nothing. The difference in length, and what the bags of characters and of character pairs do not share, are lower bounds of
the distance; the cost of any one alignment is an upper bound. For large texts an alignment is found by anchors (lines that occur once on
either side, in common order) and, between anchors, by a sliding window.

`Bounds.low > allowed` proves that the texts are too far apart, `Bounds.high <= allowed` that they are near enough. What remains (a large
text, without anchors, whose best alignment was not found and which the lower bounds do not rule out) is undecided, and the caller must say
so in its verdict. Texts of up to `EXACT_CELLS` are never undecided.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from rapidfuzz.distance import Levenshtein

Text = TypeVar("Text", str, bytes)

REPORT_CELLS: Final = 1 << 28
"""Up to this product of lengths the distance itself is computed (about 15 ms), so that a verdict can show it."""
EXACT_CELLS: Final = 1 << 34
"""Up to this product of lengths the question is decided exactly (at most about a second)."""
WINDOW: Final = 2048
"""Characters that the sliding window aligns at once; half of them are kept, so an insertion of up to half of it is followed."""


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
    a, b = _without_common_ends(a, b)
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
    return Bounds(low, min(longest, _aligned_cost(a, b, allowed)))


def _without_common_ends(a: Text, b: Text) -> tuple[Text, Text]:
    """Both texts without the prefix and the suffix that they share: this leaves the distance as it is."""
    start = _common(a, b, min(len(a), len(b)))
    a, b = a[start:], b[start:]
    end = _common_end(a, b)
    return a[: len(a) - end], b[: len(b) - end]


def _common(a: Text, b: Text, most: int) -> int:
    """Length of the common prefix: by blocks, then by halves, so that the comparing is done by memcmp."""
    block, done = 1 << 16, 0
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


def _common_end(a: Text, b: Text) -> int:
    """Length of the common suffix."""
    most, low = min(len(a), len(b)), 0
    step = 1 << 16
    while low < most:
        length = min(step, most - low)
        if a[len(a) - low - length : len(a) - low] == b[len(b) - low - length : len(b) - low]:
            low += length
        elif length == 1:
            break
        else:
            step = length // 2
    return low


def _bag_bound(a: Text, b: Text) -> int:
    """A lower bound from what the bags of characters, and of pairs of neighbours, do not share.

    One edit changes one character of either bag, so the larger one-sided surplus is a bound; it touches at most two pairs of either
    side, so the larger one-sided surplus of pairs is at most twice the distance (q-gram lemma, q = 2, Ukkonen 1992). Pairs are hashed into
    2^16 buckets: a collision can only lower the bound.
    """
    import numpy as np

    def codes(text: Text) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
        if isinstance(text, bytes):
            return np.frombuffer(text, dtype=np.uint8).astype(np.uint32)
        return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)

    def surplus(x: np.ndarray[tuple[int], np.dtype[np.uint32]], y: np.ndarray[tuple[int], np.dtype[np.uint32]]) -> int:
        difference = np.bincount(x & 0xFFFF, minlength=1 << 16) - np.bincount(y & 0xFFFF, minlength=1 << 16)
        return int(max(difference[difference > 0].sum(), -difference[difference < 0].sum()))

    x, y = codes(a), codes(b)
    singles = surplus(x, y)
    pairs = surplus(x[:-1] * np.uint32(257) + x[1:], y[:-1] * np.uint32(257) + y[1:])
    return max(singles, -(-pairs // 2))


def _aligned_cost(a: Text, b: Text, allowed: int) -> int:
    """Cost of one good alignment: an upper bound of the distance. Stops early, with a number above `allowed`, once it exceeds it."""
    lines_a: list[Text] = a.splitlines(True)
    lines_b: list[Text] = b.splitlines(True)
    cost, at_a, at_b = 0, 0, 0
    starts_a, starts_b = _starts(lines_a), _starts(lines_b)
    for i, j in [*_anchors(lines_a, lines_b), (len(lines_a), len(lines_b))]:
        cost += _gap_cost(a[at_a : starts_a[i]], b[at_b : starts_b[j]], allowed - cost)
        if cost > allowed:
            return max(len(a), len(b))
        if i < len(lines_a):
            at_a, at_b = starts_a[i + 1], starts_b[j + 1]
    return cost


def _starts(lines: Sequence[Text]) -> list[int]:
    """Offset of each line, and of the end."""
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return starts


def _anchors(lines_a: Sequence[Text], lines_b: Sequence[Text]) -> list[tuple[int, int]]:
    """Pairs of equal lines, rising on both sides: the longest chain of lines that occur once on either side (patience diff)."""
    once_a = {line for line, count in Counter(lines_a).items() if count == 1}
    where_b = {line: place for place, line in enumerate(lines_b)}
    once_b = {line for line, count in Counter(lines_b).items() if count == 1}
    pairs = [(place, where_b[line]) for place, line in enumerate(lines_a) if line in once_a and line in once_b]
    tails: list[int] = []
    tail_pair: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        place = bisect_left(tails, j)
        before.append(tail_pair[place - 1] if place else -1)
        tails[place : place + 1] = [j]
        tail_pair[place : place + 1] = [index]
    chain: list[tuple[int, int]] = []
    index = tail_pair[-1] if tail_pair else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def _gap_cost(a: Text, b: Text, allowed: int) -> int:
    """Upper bound of the distance between two anchors; exact where the gap is small."""
    if a == b:
        return 0
    if not a or not b or abs(len(a) - len(b)) > allowed:
        return max(len(a), len(b))
    if len(a) * len(b) <= 4 * WINDOW * WINDOW:
        return int(Levenshtein.distance(a, b))
    return _window_cost(a, b, allowed)


def _window_cost(a: Text, b: Text, allowed: int) -> int:
    """Align window by window: the first half of each window's best alignment is kept, the rest is aligned anew with what follows."""
    cost, i, j = 0, 0, 0
    while cost <= allowed and len(a) - i > WINDOW and len(b) - j > WINDOW:
        if a[i : i + WINDOW] == b[j : j + WINDOW]:
            i, j = i + WINDOW, j + WINDOW
            continue
        step_a, step_b = _first_half(a[i : i + WINDOW], b[j : j + WINDOW])
        cost += Levenshtein.distance(a[i : i + step_a], b[j : j + step_b])
        i, j = i + step_a, j + step_b
    rest = max(len(a) - i, len(b) - j)
    if cost <= allowed and min(len(a) - i, len(b) - j) <= 2 * WINDOW and rest <= 16 * WINDOW:
        return cost + int(Levenshtein.distance(a[i:], b[j:]))
    return cost + rest


def _first_half(a: Text, b: Text) -> tuple[int, int]:
    """Where the best alignment of two windows stands after half of `a`: how far to go on either side (at least one)."""
    half = len(a) // 2
    for operation in Levenshtein.opcodes(a, b):
        if operation.src_end >= half:
            inside = half - operation.src_start
            step_b = operation.dest_start + min(inside, operation.dest_end - operation.dest_start)
            return half, max(step_b, 1)
    return half, half
