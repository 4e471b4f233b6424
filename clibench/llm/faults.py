"""What can go wrong with a model call, and what follows: one table, for the client and the gateway alike.

`retry` asks whether the same call may succeed a little later. `outage` asks whether it is the provider's fault: then a job waits or stops
(infra) and nothing is scored zero. What is neither (a request that is too long, say) is the agent's own failure.
"""

from __future__ import annotations

import email.utils
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from clibench.errors import InfraError
from clibench.llm.settings import RetrySettings


@dataclass(frozen=True)
class Policy:
    """What follows from a kind of fault."""

    retry: bool
    outage: bool
    billed: bool
    """Whether the provider may have counted tokens before it broke: then what was used is unknown."""
    fix: str = ""


FAULTS: Final[dict[str, Policy]] = {
    #                      retry  outage  billed
    "rate_limit": Policy(True, True, False, "Lower llm.concurrency, or wait and run again: what is done is kept."),
    "timeout": Policy(True, True, True, "Raise llm.timeout_s, or run again later."),
    "stall": Policy(True, True, True, "Raise llm.stall_s, or run again later."),
    "connection": Policy(True, True, False, "Check the address and the network, then run again."),
    "cut": Policy(True, True, True, "Run again later."),
    "server_error": Policy(True, True, False, "Run again later."),
    "garbage": Policy(True, True, True, "Check that model.base_url is an API and not a web page."),
    "auth": Policy(False, True, False, "Check the key in the environment."),
    "not_found": Policy(False, True, False, "Check model.id and model.base_url."),
    "quota": Policy(False, True, False, "Top up the account, then run again: what is done is kept."),
    "bad_request": Policy(False, False, False),
    "too_long": Policy(False, False, False),
    "refused": Policy(False, False, True),
    "abandoned": Policy(False, False, True),  # whoever asked has gone
}


class CallError(InfraError):
    """A model call that failed for good; `kind` is a key of FAULTS."""

    def __init__(self, kind: str, what: str, *, where: str = "", status: int | None = None, retry_after_s: float | None = None) -> None:
        self.kind = kind
        self.status = status
        self.retry_after_s = retry_after_s
        self.passing = FAULTS[kind].retry
        super().__init__(what, where=where, fix=FAULTS[kind].fix)

    @property
    def policy(self) -> Policy:
        """What follows from it."""
        return FAULTS[self.kind]


def kind_of_status(status: int, text: str = "") -> str:
    """The kind of an HTTP error answer."""
    lowered = text.lower()
    if status == 429:
        return "quota" if "insufficient_quota" in lowered or "exceeded your current quota" in lowered else "rate_limit"
    if status in (401, 403):
        return "auth"
    if status == 402:
        return "quota"
    if status in (404, 405) or 300 <= status < 400:
        return "not_found"  # a wrong address, and no fault of whoever asked
    if status == 408:
        return "timeout"
    if status >= 500:
        return "server_error"
    return "too_long" if "context length" in lowered or "context_length" in lowered or "too long" in lowered else "bad_request"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a Retry-After header asks for (a number or an HTTP date), or None."""
    value = next((value for name, value in headers.items() if name.lower() == "retry-after"), None)
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def worth_a_retry(attempt: int, error: CallError, settings: RetrySettings) -> bool:
    """Whether another attempt is to follow failed attempt number `attempt` (from 1)."""
    patient = error.retry_after_s is None or error.retry_after_s <= settings.longest_retry_after_s
    return error.policy.retry and attempt < settings.attempts and patient


def wait_s(attempt: int, error: CallError, settings: RetrySettings, draw: random.Random) -> float:
    """Seconds to wait after failed attempt number `attempt` (from 1): Retry-After where given, else uniform in (0, first * 2^(attempt-1)].

    Full jitter, so that many agents that were turned away together do not come back together. A Retry-After gets up to a tenth on top.
    """
    if error.retry_after_s is not None:
        return error.retry_after_s * (1 + 0.1 * draw.random())
    ceiling = min(settings.max_wait_s, settings.first_wait_s * 2.0 ** (attempt - 1))
    return ceiling * (1 - draw.random())
