"""A run: one attempt of one agent at one task, as the gateway sees it. Its token opens it, its limits and faults close it.

A closed run answers every further call with 403, which agents take as final, where a 429 or 503 would have them wait and ask again.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal

from clibench.errors import ClibenchError, StoreError
from clibench.llm.cache import AnswerCache
from clibench.llm.gateway.wire import WIRES, Body
from clibench.llm.ledger import Scope, now
from clibench.llm.models import ModelConfig
from clibench.llm.settings import LlmSettings
from clibench.llm.tokens import Tokens

ClosedBy = Literal["", "limit", "budget", "outage", "replay", "ended"]


@dataclass(frozen=True)
class RunLimits:
    """What one run may use. None is no limit, as in the paper."""

    steps: int | None = None
    """Answered model calls."""
    tokens: int | None = None
    usd: float | None = None


class RunClosedError(ClibenchError):
    """The run takes no more calls."""


@dataclass
class Run:
    """One registered run."""

    scope: Scope
    model: ModelConfig
    key: str = field(repr=False)
    settings: LlmSettings
    limits: RunLimits
    cache: AnswerCache
    log: RunLog
    token: str = field(default_factory=lambda: f"run-{secrets.token_urlsafe(24)}", repr=False)
    closed_by: ClosedBy = ""
    closed_why: str = ""
    closed_level: str = ""
    """Of a spent budget: call, task, job, sweep."""
    passing: bool = False
    """Of an outage: whether a new run may fare better at once."""

    def close(self, by: ClosedBy, why: str, *, level: str = "", passing: bool = False) -> None:
        """Refuse all further calls; the first reason stays."""
        if not self.closed_by:
            self.closed_by, self.closed_why, self.closed_level, self.passing = by, why, level, passing

    def check_open(self) -> None:
        """Raise RunClosedError where it takes no more calls."""
        if self.closed_by:
            raise RunClosedError(f"this run takes no more calls: {self.closed_why}")


class RunLog:
    """What was asked and answered, one JSON line a call: the source of the run's trajectory, out of the agent's reach.

    A conversation grows by a few messages a call: a line holds only what is new after the `prefix` messages that it shares with the line
    before, and the rest of the request (`head`: tools, system prompt, parameters) only where it changed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._items: list[Any] = []
        self._head: Body | None = None

    def add(
        self, *, spoken: str, dialect: str, request: Body, answer: Body, tokens: Tokens | None, cost_usd: float | None, seconds: float
    ) -> None:
        """Append one answered call; raises StoreError."""
        name = WIRES[dialect].items
        raw = request.get(name)
        items = raw if isinstance(raw, list) else [raw]
        prefix = next(
            (place for place, (old, new) in enumerate(zip(self._items, items, strict=False)) if old != new),
            min(len(self._items), len(items)),
        )
        head = {key: value for key, value in request.items() if key != name}
        line: dict[str, Any] = {"at": now(), "spoken": spoken, "dialect": dialect, "prefix": prefix, "items": items[prefix:]}
        if head != self._head:
            line["head"] = head
        self._items, self._head = items, head
        line |= {"answer": answer, "tokens": asdict(tokens) if tokens else None, "cost_usd": cost_usd, "seconds": round(seconds, 6)}
        try:
            with self._opened() as stream:
                stream.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        except OSError as error:
            raise StoreError(f"the run's log can't be written ({error.strerror})", where=str(self.path)) from error

    def forget(self) -> None:
        """Let go of the last conversation: no call comes any more."""
        self._items, self._head = [], None

    def _opened(self) -> BinaryIO:
        try:
            return self.path.open("ab")
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return self.path.open("ab")


def account_json(run: Run, totals: Mapping[str, Any]) -> dict[str, Any]:
    """What is told of a run to the process that registered it."""
    closed = {name: getattr(run, name) for name in ("closed_by", "closed_why", "closed_level", "passing")}
    return {**closed, "totals": dict(totals)}
