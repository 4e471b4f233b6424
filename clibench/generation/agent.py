"""What all real agents share: a run at the gateway, an end that becomes an outcome, a bill, a trajectory.

A framework that drives a model is a dataclass of its parameters with two methods of its own, `ready` and `drive` (see `Driver`); bound to
an AgentContext it becomes an `Agent`, which is a Framework. As in the paper: the task's prompt and an empty workspace, one trajectory, it
ends when the agent ends it, nothing is fed back from tests, and there are no limits unless someone sets them.
"""

from __future__ import annotations

import json
import re
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

from clibench.errors import InfraError
from clibench.generation.context import AgentContext
from clibench.generation.evidence import download_signs, evidence
from clibench.generation.framework import Generation, Usage
from clibench.generation.packages import Download
from clibench.generation.trajectory import read_log, tool_arguments, trajectory
from clibench.llm.budget import check_budget, require_price
from clibench.llm.gateway import Account, Gateway, Lease, RunLimits, attach
from clibench.llm.ledger import Ledger, Scope, Totals
from clibench.llm.models import ModelConfig, resolve, serving
from clibench.outcome import Outcome
from clibench.tasks.task import Task


@dataclass
class AgentLimits:
    """Bounds of one generation. Null is no limit, as in the paper; reaching one is `agent-limit`, and what was delivered is graded."""

    wall_s: float | None = None
    steps: int | None = None
    """Model calls."""
    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True)
class AgentRun:
    """What a driver works with."""

    lease: Lease
    model: ModelConfig
    context: AgentContext
    limits: AgentLimits
    scope: Scope
    image: str
    """What `Driver.prepare` named."""


@dataclass(frozen=True)
class AgentEnd:
    """How the agent ended, as far as its driver can tell; the gateway's account goes over it."""

    reason: str = ""
    """Worth telling in the results: what it said of itself, an exit status, evidence."""
    limit: str = ""
    """The limit that ended it, where the driver enforces one (wall time)."""
    counted: Mapping[str, int] = field(default_factory=dict)
    """The agent's own token count: prompt_tokens, completion_tokens."""
    elsewhere: tuple[str, ...] = ()
    """Files that it wrote outside the workspace."""
    artifacts: dict[str, bytes] = field(default_factory=dict)
    downloads: tuple[Download, ...] | None = None
    """What it asked of the package registries; None where it could not reach them."""


class Driver(Protocol):
    """The parameters of one framework, and how it is driven."""

    limits: AgentLimits

    @property
    def name(self) -> str:
        """As in tables."""
        ...

    def identity(self) -> dict[str, Any]:
        """What of it can change a result: parameters and versions, without name and limits."""
        ...

    def ready(self, context: AgentContext) -> None:
        """Raise a UserError where something that it needs is missing."""
        ...

    def prepare(self, context: AgentContext) -> str:
        """What is made once and is no part of a run's time: the image that it works in, by name; empty where it needs none."""
        ...

    def drive(self, run: AgentRun, task: Task, workspace: Path) -> AgentEnd:
        """Let the agent work in the host folder `workspace`; nothing of it runs any more on return. Raises InfraError."""
        ...


@dataclass(frozen=True)
class Agent:
    """A driver bound to its context: a Framework."""

    driver: Driver
    context: AgentContext

    label: str = ""
    uses_model: bool = True

    @property
    def name(self) -> str:
        """As in tables."""
        return self.driver.name

    def check(self, tasks: tuple[Task, ...], known: frozenset[str]) -> tuple[Task, ...]:
        """All tasks; raises UserError for a model without key, address or price, and for what the framework lacks."""
        model = resolve(self.context.model)
        if not self.context.plan_only:
            model.key()
        check_budget(self.context.llm.budget, model)
        if self.driver.limits.usd is not None:
            require_price(model, "framework.limits.usd", "framework.limits.tokens")
        self.driver.ready(self.context)
        return tasks

    def identity(self, task: Task) -> dict[str, Any]:
        """Model, framework and what bounds a generation."""
        body = {
            "model": resolve(self.context.model).identity(),
            "agent": self.driver.identity(),
            "limits": asdict(self.driver.limits),
        }
        budget = self.context.llm.budget.of_a_generation()
        return body | {"budget": budget} if budget else body

    def generate(self, task: Task, workspace: Path) -> Generation:
        """One run of the agent. Raises InfraError where the provider, the gateway or the sandbox failed."""
        context, limits = self.context, self.driver.limits
        scope = Scope(context.sweep, context.job, task.id, _run_id(context.job, task.id))
        model = serving(context.model)
        image = self.driver.prepare(context)
        gateway = gateway_of(context.outputs)
        started = time.monotonic()
        settings = replace(context.model, base_url=model.base_url)
        bounds = RunLimits(limits.steps, limits.tokens, limits.usd)
        with gateway.register(scope, settings, model, context.llm, bounds) as lease:
            end = self.driver.drive(AgentRun(lease, model, context, limits, scope, image), task, workspace)
            account = lease.account()
        log = read_log(lease.log)
        spent = Ledger(context.outputs / "ledger.jsonl").totals("task", scope)
        if end.downloads is not None:
            end = replace(end, artifacts={**end.artifacts, "downloads.jsonl": _json_lines(end.downloads)})
        _keep_beside(lease.log, end.artifacts)  # what was paid for is kept, whether or not it counts in the end
        signs = [
            *evidence(task, workspace, end.elsewhere, tool_arguments(log)),
            *download_signs(task.oracle, end.downloads or ()),
            *_before(account, spent),
        ]
        outcome, reason = outcome_of(account, end, signs, earlier=spent.attempts > account.totals.attempts)
        usage = _usage(account, time.monotonic() - started)
        raw = lease.log.read_bytes() if lease.log.exists() else b""
        told = trajectory(
            log,
            run=scope.run,
            task=task.id,
            framework=self.driver.identity(),
            model=model.identity(),
            outcome=outcome.value,
            reason=reason,
            usage=asdict(usage),
            counted_by_agent=dict(end.counted),
        )
        return Generation(outcome, reason=reason, usage=usage, trajectory=told, artifacts={**end.artifacts, "calls.jsonl": raw})


def outcome_of(account: Account, end: AgentEnd, signs: Sequence[str] = (), *, earlier: bool = False) -> tuple[Outcome, str]:
    """What a run counts as, by this table, first row that holds (`earlier`: attempts before it have used a part of the task's budget):

    the provider failed, nothing recorded, the job's or sweep's budget spent,
    the task's budget spent, a part of it by earlier attempts                -> InfraError (missing, to be resumed)
    the call's or task's budget spent, a limit reached                       -> agent-limit (graded)
    the model was never reached                                              -> InfraError (the agent did not start)
    else                                                                     -> delivered (graded), whatever the agent says of itself
    """
    not_its_own = ("task", "job", "sweep") if earlier else ("job", "sweep")
    if account.closed_by in ("outage", "replay") or (account.closed_by == "budget" and account.closed_level in not_its_own):
        fault = InfraError(account.closed_why, where="generation")
        fault.passing = account.passing
        raise fault
    notes = [end.reason, *signs, *_differences(account, end)]
    if account.closed_by in ("budget", "limit"):
        return Outcome.AGENT_LIMIT, _joined(account.closed_why, *notes)
    if end.limit:
        return Outcome.AGENT_LIMIT, _joined(end.limit, *notes)
    if account.totals.attempts + account.totals.replayed == 0:
        said = end.reason or "no message"
        raise InfraError(f"the agent ended without calling the model ({said})", where="generation", fix=_WHERE)
    return Outcome.PASS, _joined(*notes)


_WHERE: Final = "What it printed is in the folder gateway under the outputs."


def _json_lines(rows: Sequence[Download]) -> bytes:
    return "".join(f"{json.dumps(asdict(row))}\n" for row in rows).encode()


def _keep_beside(log: Path, artifacts: Mapping[str, bytes]) -> None:
    """Files of a run, next to its log. Raises InfraError for a full disk."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        for name, data in artifacts.items():
            log.with_name(f"{log.stem}.{name}").write_bytes(data)
    except OSError as error:
        raise InfraError(
            f"what the agent printed can't be kept ({error.strerror})", where=str(log.parent), fix="Free space and rerun."
        ) from error


_GATEWAYS: Final[dict[Path, Gateway]] = {}
_GATEWAYS_LOCK: Final = threading.Lock()


def gateway_of(outputs: Path) -> Gateway:
    """This process's connection to the gateway, made at the first use and made again where it broke; it ends with the process."""
    place = outputs.resolve()
    with _GATEWAYS_LOCK:
        known = _GATEWAYS.get(place)
        if known is not None:
            try:
                known.greet()
            except InfraError:
                known.close()
            else:
                return known
        _GATEWAYS[place] = attach(place)
        return _GATEWAYS[place]


def _usage(account: Account, wall_s: float) -> Usage:
    totals = account.totals
    return Usage(
        steps=totals.calls + totals.replayed,
        prompt_tokens=totals.prompt_tokens,
        cached_tokens=totals.cached_tokens,
        completion_tokens=totals.completion_tokens,
        reasoning_tokens=totals.reasoning_tokens,
        cost_usd=totals.cost_usd,
        wall_s=round(wall_s, 3),
    )


def _before(account: Account, spent: Totals) -> list[str]:
    """What earlier attempts at the same task of the same job have cost: no part of this run's usage, and not forgotten."""
    tokens, dollars = spent.tokens - account.totals.tokens, spent.known_usd - account.totals.known_usd
    unknown = spent.unknown - account.totals.unknown
    if spent.attempts == account.totals.attempts:
        return []
    more = f" and {unknown} of unknown cost" if unknown else ""
    return [f"earlier attempts that did not count used {tokens} tokens, ${dollars:.4f}{more}"]


def _differences(account: Account, end: AgentEnd) -> list[str]:
    """Where the agent's own count is another one than the gateway's."""
    return [
        f"the agent counted {told} {name.replace('_', ' ')}, the gateway {getattr(account.totals, name)}"
        for name, told in end.counted.items()
        if told != getattr(account.totals, name)
    ]


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _run_id(job: str, task: str) -> str:
    words = re.sub(r"[^A-Za-z0-9_.-]+", "-", f"{job}-{task}").strip("-.")
    return f"{words[:80]}-{uuid.uuid4().hex[:8]}"
