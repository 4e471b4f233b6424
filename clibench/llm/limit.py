"""How many calls may be in flight to one provider: halved when it says `too many`, regained one by one (AIMD, as TCP does it).

Calls that were in flight together are turned away together: that is one `too many`, and halves once.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager


class AdaptiveLimit:
    """The number itself, between 1 and `most`."""

    def __init__(self, most: int) -> None:
        self.most = max(1, most)
        self.current = self.most
        self._good = 0
        self._halved = -math.inf

    def throttled(self, begun: float) -> None:
        """A rate limit was met by a call that was begun at `begun` (time.monotonic)."""
        if begun <= self._halved:
            return
        self._halved = time.monotonic()
        self.current = max(1, self.current // 2)
        self._good = 0

    def answered(self) -> None:
        """A call went through: after as many as are allowed at once, one more is."""
        self._good += 1
        if self._good >= self.current and self.current < self.most:
            self.current += 1
            self._good = 0


class ThreadLimiter:
    """AdaptiveLimit for threads."""

    def __init__(self, most: int) -> None:
        self.limit = AdaptiveLimit(most)
        self._flying = 0
        self._changed = threading.Condition()

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold a place while a call is in flight."""
        with self._changed:
            self._changed.wait_for(lambda: self._flying < self.limit.current)
            self._flying += 1
        try:
            yield
        finally:
            with self._changed:
                self._flying -= 1
                self._changed.notify_all()


class TaskLimiter:
    """AdaptiveLimit for asyncio tasks of one loop."""

    def __init__(self, most: int) -> None:
        self.limit = AdaptiveLimit(most)
        self._flying = 0
        self._freed = asyncio.Event()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold a place while a call is in flight."""
        while self._flying >= self.limit.current:
            self._freed.clear()
            await self._freed.wait()
        self._flying += 1
        try:
            yield
        finally:  # nothing is awaited here: a call that is cancelled twice frees its place too
            self._flying -= 1
            self._freed.set()
