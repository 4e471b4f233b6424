"""One metered call of a run: open? within its limits? within the budgets? known already? else attempts until one is whole.

Every attempt leaves one line in the ledger, those that nobody waited for included. A fault that stays and is the provider's closes the run
(`outage`): its agent stops, the generation is an infrastructure fault, nothing is scored.
"""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import aiohttp

from clibench.llm.budget import Budget, BudgetExceededError
from clibench.llm.cache import ReplayMissError
from clibench.llm.client import CHARACTERS_PER_TOKEN
from clibench.llm.faults import CallError, wait_s, worth_a_retry
from clibench.llm.gateway.runs import Run, RunClosedError, RunLimits
from clibench.llm.gateway.upstream import Attempt, OnEvent, Whole, attempt_litellm, attempt_native
from clibench.llm.gateway.wire import WIRES, Body
from clibench.llm.ledger import Ledger, Line, now, priced
from clibench.llm.limit import TaskLimiter
from clibench.llm.tokens import Tokens


@dataclass(frozen=True)
class Asked:
    """One request of an agent, in a dialect that `Calls` can send."""

    dialect: str
    spoken: str
    """The dialect that the agent itself spoke."""
    body: Body
    size: int
    """Bytes of the request as it came: what its tokens are estimated by."""
    stream: bool
    headers: Mapping[str, str]
    on_event: OnEvent | None = None
    """Given where events are to be passed on as they come; from then on a fault is not retried."""


class Calls:
    """All calls of one gateway."""

    def __init__(self, near: aiohttp.ClientSession, far: aiohttp.ClientSession, ledger: Ledger) -> None:
        """`near` for providers on this machine, `far` for all others, by the host's proxy."""
        self._near = near
        self._far = far
        self._ledger = ledger
        self._budget = Budget(ledger)
        self._limiters: dict[tuple[str, str | None], TaskLimiter] = {}
        self._draw = random.Random()  # noqa: S311 - jitter, not a secret

    async def answer(self, run: Run, asked: Asked) -> Whole:
        """The whole answer. Raises RunClosedError, or CallError for what the agent is to see as the provider's refusal."""
        run.check_open()
        self._check_limits(run)
        recorded = {
            **asked.body,
            "model": run.model.id,
            "params": dict(run.model.params),
            "dialect": asked.dialect,
            "streamed": asked.stream,
            **run.model.place,
        }
        started = time.monotonic()
        try:
            kept = run.cache.find(recorded)
            if kept is not None:
                whole = Whole(kept["body"], tuple(event.encode() for event in kept["events"]), Tokens())
                self._write(run, asked, uuid.uuid4().hex, 0, "replayed", Tokens(), 0.0)
                await _pass_on(whole, asked)
            else:
                whole = await self._attempts(run, asked)
                run.cache.keep(recorded, {"body": whole.body, "events": [event.decode() for event in whole.events]})
        except BudgetExceededError as error:
            run.close("budget", error.message, level=error.level)
            raise RunClosedError(error.message) from error
        except ReplayMissError as error:
            run.close("replay", error.message)
            raise RunClosedError(error.message) from error
        cost, _ = priced(whole.tokens, run.model.price)
        run.log.add(
            spoken=asked.spoken,
            dialect=asked.dialect,
            request=asked.body,
            answer=whole.body,
            tokens=whole.tokens,
            cost_usd=cost,
            seconds=time.monotonic() - started,
        )
        return whole

    def _check_limits(self, run: Run) -> None:
        if run.limits == RunLimits():
            return
        used = self._ledger.totals("run", run.scope)
        limits = run.limits
        reached = (
            (limits.steps is not None and used.calls + used.replayed >= limits.steps, f"{limits.steps} steps"),
            (limits.tokens is not None and used.tokens >= limits.tokens, f"{limits.tokens} tokens"),
            (limits.usd is not None and used.known_usd >= limits.usd, f"${limits.usd}"),
        )
        for hit, what in reached:
            if hit:
                run.close("limit", f"its limit of {what} is reached")
                run.check_open()

    async def _attempts(self, run: Run, asked: Asked) -> Whole:
        limiter = self._limiters.setdefault((run.model.provider, run.model.base_url), TaskLimiter(run.settings.concurrency))
        native = asked.dialect in run.model.native
        attempt = Attempt(run.model, run.key, asked.dialect, asked.body, asked.stream, asked.headers, run.settings)
        passed_on = False

        async def pass_on(event: bytes) -> None:
            nonlocal passed_on
            passed_on = True
            if asked.on_event:
                await asked.on_event(event)

        estimate = asked.size // CHARACTERS_PER_TOKEN
        most = most_completion({**asked.body, **run.model.params})
        http = self._near if run.model.local else self._far
        call_id = uuid.uuid4().hex
        retry = run.settings.retry
        for number in range(1, retry.attempts + 1):
            async with limiter.slot():
                with self._budget.admit(run.settings.budget, run.scope, run.model, estimate, most):
                    started = time.monotonic()
                    try:
                        if native:
                            whole = await attempt_native(http, attempt, pass_on if asked.on_event else None)
                        else:
                            whole = await attempt_litellm(attempt)
                    except CallError as error:
                        used = None if error.policy.billed else Tokens()
                        self._write(run, asked, call_id, number, error.kind, used, time.monotonic() - started, error)
                        if error.kind == "rate_limit":
                            limiter.limit.throttled(started)
                        failure = error
                    except asyncio.CancelledError:
                        self._write(run, asked, call_id, number, "abandoned", None, time.monotonic() - started)
                        raise
                    else:
                        limiter.limit.answered()
                        self._write(run, asked, call_id, number, "ok", whole.tokens, time.monotonic() - started)
                        if not native:
                            await _pass_on(whole, asked)
                        return whole
            if passed_on or not worth_a_retry(number, failure, retry):
                if failure.policy.outage and not passed_on:
                    run.close("outage", failure.message, passing=failure.passing)
                raise failure
            await asyncio.sleep(wait_s(number, failure, retry, self._draw))
        raise AssertionError("unreachable")

    def _write(
        self,
        run: Run,
        asked: Asked,
        call_id: str,
        attempt: int,
        outcome: str,
        tokens: Tokens | None,
        seconds: float,
        error: CallError | None = None,
    ) -> None:
        cost, price = priced(tokens, run.model.price)
        self._ledger.append(
            Line(
                id=call_id,
                attempt=attempt,
                at=now(),
                scope=run.scope,
                model=run.model.name,
                model_id=run.model.id,
                dialect=asked.spoken,
                outcome=outcome,
                tokens=tokens,
                cost_usd=cost,
                price=price,
                latency_s=round(seconds, 6),
                status=error.status if error else None,
                detail=error.what[:300] if error else "",
            )
        )


def most_completion(request: Body) -> int:
    """How many tokens a request lets the model generate; 0 where it does not say."""
    named = {**(request.get("generationConfig") or {}), **request}
    return next((int(named[name]) for name in _MOST if isinstance(named.get(name), int)), 0)


_MOST: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")


async def _pass_on(whole: Whole, asked: Asked) -> None:
    if asked.on_event:
        for event in whole.events:
            await asked.on_event(event)


def error_body(dialect: str, status: int, message: str) -> Body:
    """An error as the agent's dialect words it."""
    return WIRES[dialect].error(status, message)
