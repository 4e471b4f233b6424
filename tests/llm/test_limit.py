"""How many calls are in flight to a provider: fewer when it says `too many`, more again while all goes well."""

from __future__ import annotations

import asyncio
import time

import pytest

from clibench.llm.limit import AdaptiveLimit, TaskLimiter


def test_calls_that_are_turned_away_together_halve_it_once_and_later_ones_again() -> None:
    limit = AdaptiveLimit(16)
    begun = time.monotonic()
    for _ in range(16):
        limit.throttled(begun)
    assert limit.current == 8
    limit.throttled(time.monotonic() + 1)
    assert limit.current == 4


def test_as_many_answers_as_may_be_in_flight_allow_one_more_up_to_the_bound() -> None:
    limit = AdaptiveLimit(4)
    limit.throttled(time.monotonic())
    limit.answered()
    assert limit.current == 2
    limit.answered()
    assert limit.current == 3
    for _ in range(100):
        limit.answered()
    assert limit.current == 4


def test_no_more_than_the_limit_are_in_flight_and_a_cancelled_call_frees_its_place() -> None:
    async def main() -> None:
        limiter = TaskLimiter(2)
        inside: set[int] = set()
        most = 0

        async def call(number: int, until: asyncio.Event) -> None:
            nonlocal most
            async with limiter.slot():
                inside.add(number)
                most = max(most, len(inside))
                try:
                    await until.wait()
                finally:
                    inside.discard(number)

        never, now = asyncio.Event(), asyncio.Event()
        now.set()
        held = [asyncio.ensure_future(call(number, never)) for number in range(2)]
        waiting = [asyncio.ensure_future(call(number, now)) for number in range(2, 6)]
        while len(inside) < 2:
            await asyncio.sleep(0)
        assert not any(task.done() for task in waiting)
        for task in (*held, waiting[0]):
            task.cancel()
            task.cancel()
        await asyncio.gather(*waiting[1:])
        with pytest.raises(asyncio.CancelledError):
            await held[0]
        assert (most, inside) == (2, set())

    asyncio.run(asyncio.wait_for(main(), 60))
