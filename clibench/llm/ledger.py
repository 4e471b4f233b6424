"""The ledger: one JSON line for every attempt to call a model, appended by any number of processes, never rewritten.

A retried call is several lines with one `id`. What was refused used nothing; what broke off in the middle used an unknown amount (None),
which sums report as `unknown` and never take for zero. A line cut short by a kill is skipped and counted as `damaged`.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from clibench.errors import StoreError
from clibench.llm.prices import Price, cost_usd
from clibench.llm.tokens import Tokens

_log = logging.getLogger(__name__)

Level = Literal["all", "sweep", "job", "task", "run"]
LEVELS: Final[tuple[Level, ...]] = ("all", "sweep", "job", "task", "run")


@dataclass(frozen=True)
class Scope:
    """What a call was made for."""

    sweep: str = ""
    job: str = ""
    task: str = ""
    run: str = ""
    """One attempt at one generation."""
    purpose: str = "generate"
    """generate, judge, synthesize."""


@dataclass(frozen=True)
class Line:
    """One attempt."""

    id: str
    attempt: int
    at: str
    """UTC, ISO 8601."""
    scope: Scope
    model: str
    model_id: str
    dialect: str
    outcome: str
    """ok, replayed, or the kind of the fault."""
    tokens: Tokens | None
    """None where it is unknown what was used."""
    cost_usd: float | None
    price: dict[str, Any] | None
    latency_s: float
    status: int | None = None
    detail: str = ""


def now() -> str:
    """The time of a line."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def priced(tokens: Tokens | None, price: Price | None) -> tuple[float | None, dict[str, Any] | None]:
    """Cost and price of a line."""
    if tokens is not None and tokens.total == 0:
        return 0.0, price.to_json() if price else None
    return (None if tokens is None else cost_usd(tokens, price)), price.to_json() if price else None


@dataclass(frozen=True)
class Totals:
    """Sums over lines."""

    calls: int = 0
    """Distinct calls that were answered by a model."""
    attempts: int = 0
    failed: int = 0
    replayed: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    known_usd: float = 0.0
    unknown: int = 0
    """Attempts whose tokens or price are unknown: the true sums are at least these."""

    @property
    def cost_usd(self) -> float | None:
        """The sum of dollars, None where a part of it is unknown."""
        return None if self.unknown else self.known_usd

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens."""
        return self.prompt_tokens + self.completion_tokens

    def plus(self, line: Line) -> Totals:
        """With one more line."""
        used = line.tokens or Tokens()
        answered = line.outcome == "ok"
        return Totals(
            calls=self.calls + answered,
            attempts=self.attempts + (line.outcome != "replayed"),
            failed=self.failed + (line.outcome not in ("ok", "replayed")),
            replayed=self.replayed + (line.outcome == "replayed"),
            prompt_tokens=self.prompt_tokens + used.prompt,
            cached_tokens=self.cached_tokens + used.cached,
            cache_write_tokens=self.cache_write_tokens + used.cache_write,
            completion_tokens=self.completion_tokens + used.completion,
            reasoning_tokens=self.reasoning_tokens + used.reasoning,
            known_usd=self.known_usd + (line.cost_usd or 0.0),
            unknown=self.unknown + (line.cost_usd is None),
        )

    def since(self, before: Totals) -> Totals:
        """What has come since `before`."""
        return Totals(**{name: value - getattr(before, name) for name, value in vars(self).items()})

    def __str__(self) -> str:
        unknown = f" and {self.unknown} of unknown cost" if self.unknown else ""
        return f"{self.tokens:,} tokens, ${self.known_usd:.4f}{unknown}"


class Ledger:
    """The file. Cheap to ask again and again: only what was appended since is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        self._offset = 0
        self._sums: dict[tuple[str, ...], Totals] = {}
        self._lock = threading.Lock()

    def append(self, line: Line) -> None:
        """Add one line; raises StoreError where it can't be written (the call it stands for has been made: the message says so)."""
        data = (json.dumps(_body(line), separators=(",", ":")) + "\n").encode()
        try:
            handle = self._open()
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                end = os.lseek(handle, 0, os.SEEK_END)
                # A writer that was killed half-way must not take our line down with its own.
                torn = end > 0 and os.pread(handle, 1, end - 1) != b"\n"
                data = b"\n" + data if torn else data
                written = os.write(handle, data)
                if written < len(data):
                    os.ftruncate(handle, end)
                    raise OSError(28, "no space left")
            finally:
                os.close(handle)
        except OSError as error:
            raise StoreError(
                f"the ledger can't be written ({error.strerror}); the last model call is not in it",
                where=str(self.path),
                fix="Free space and rerun.",
            ) from error

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        try:
            return os.open(self.path, flags, 0o644)
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self.path, flags, 0o644)

    def lines(self) -> Iterator[Line]:
        """All lines, in the order of writing; damaged ones are left out."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"the ledger can't be read ({error.strerror})", where=str(self.path)) from error
        for raw in data[: data.rfind(b"\n") + 1].splitlines():
            if line := _parse(raw):
                yield line

    def totals(self, level: Level = "all", scope: Scope | None = None) -> Totals:
        """Sums over the lines of the same sweep, job, task or run as `scope`, or of all."""
        with self._lock:
            self._refresh()
            return self._sums.get(level_key(level, scope or Scope()), Totals())

    def _refresh(self) -> None:
        try:
            if self.path.stat().st_size == self._offset:
                return
            with self.path.open("rb") as stream:
                stream.seek(self._offset)
                data = stream.read()
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"the ledger can't be read ({error.strerror})", where=str(self.path)) from error
        whole = data.rfind(b"\n") + 1
        self._offset += whole
        known = self.damaged
        for raw in data[:whole].splitlines():
            line = _parse(raw)
            if line is None:
                self.damaged += 1
                continue
            for level in LEVELS:
                key = level_key(level, line.scope)
                self._sums[key] = self._sums.get(key, Totals()).plus(line)
        if self.damaged > known:
            _log.warning("%s: lines that can't be read, and are in no sum: %d", self.path, self.damaged)


def level_key(level: Level, scope: Scope) -> tuple[str, ...]:
    """Jobs count within their sweep, tasks within their job."""
    parts = {"all": (), "sweep": (scope.sweep,), "job": (scope.sweep, scope.job), "task": (scope.sweep, scope.job, scope.task)}
    return (level, *parts.get(level, (scope.run,)))


def _body(line: Line) -> dict[str, Any]:
    """As `dataclasses.asdict`, which copies every leaf, at a tenth of its price."""
    return {**vars(line), "scope": vars(line.scope), "tokens": None if line.tokens is None else vars(line.tokens)}


def _parse(raw: bytes) -> Line | None:
    try:
        body = json.loads(raw)
        tokens = body.pop("tokens")
        scope = Scope(**body.pop("scope"))
        return Line(**body, scope=scope, tokens=None if tokens is None else Tokens(**tokens))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
