"""Randomness that is the same on every machine and every Python version.

`random` promises its sequence for `random()` alone, not for `choice` or `sample`. Here a stream is SHA-256 in counter mode over a key made
of labels, and every number is drawn from its bits by rejection, so that the cases of a task depend on its spec and on nothing else.
A child stream has a label of its own: what one parameter draws does not shift when another one is added.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_PARTS = 1_000_000
"""Resolution of a probability."""


class Stream:
    """A reproducible stream of choices, named by `labels`."""

    def __init__(self, *labels: str | int) -> None:
        # A length before each label, so that ("ab", "c") and ("a", "bc") are two streams.
        text = "".join(f"{len(part)}:{part}" for part in map(str, labels))
        self._key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        self._counter = 0
        self._pool = b""

    def child(self, *labels: str | int) -> Stream:
        """A stream of its own for `labels`; drawing from it does not move this one."""
        return Stream(self._key.hex(), *labels)

    def below(self, bound: int) -> int:
        """A whole number in [0, bound); raises ValueError where there is none."""
        if bound < 1:
            raise ValueError(f"no number below {bound}")
        size = ((bound - 1).bit_length() + 7) // 8
        if size == 0:
            return 0
        ceiling = (1 << (8 * size)) // bound * bound
        while True:
            number = int.from_bytes(self._take(size), "big")
            if number < ceiling:
                return number % bound

    def between(self, low: int, high: int) -> int:
        """A whole number in [low, high]."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """True with `probability`, to a millionth."""
        return self.below(_PARTS) < round(probability * _PARTS)

    def pick(self, items: Sequence[T]) -> T:
        """One of `items`; raises ValueError where there is none."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """`items` in another order (Fisher-Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result

    def _take(self, size: int) -> bytes:
        while len(self._pool) < size:
            self._pool += hashlib.sha256(self._key + self._counter.to_bytes(8, "big")).digest()
            self._counter += 1
        taken, self._pool = self._pool[:size], self._pool[size:]
        return taken
