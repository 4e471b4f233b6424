"""Generate: a framework fills an empty workspace, and what git would carry of it is kept as the submission."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from clibench.errors import InfraError
from clibench.generation.delivery import collect, pack, size
from clibench.generation.framework import Generation, Usage
from clibench.outcome import OUTCOMES, Outcome
from clibench.steps.bench import Bench
from clibench.steps.keys import generate_key, oracle_source
from clibench.tasks.measure import lines_of_code
from clibench.tasks.task import Task

KIND = "generate"


@dataclass(frozen=True)
class Submission:
    """What was delivered."""

    outcome: Outcome
    reason: str
    oracle: bool
    """The oracle itself is to be installed."""
    archive: str | None
    """Digest of the tar in the store; None for the oracle."""
    usage: Usage = field(default_factory=Usage)
    size: dict[str, int] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    """Further blobs: trajectory, and the framework's own artifacts as `artifact_<name>`."""
    wall_s: float = 0.0

    def source(self, task: Task) -> str:
        """Name of what is to be installed, for keys."""
        return oracle_source(task) if self.archive is None else self.archive


def generate(bench: Bench, task: Task) -> Submission:
    """The submission of a task, from the store where it is there. Raises InfraError where the harness failed."""
    key = generate_key(bench.framework, task)
    with bench.store.claim(KIND, key):
        body = bench.store.lookup(KIND, key)
        if body is None:
            with bench.generating:
                body = bench.attempt(lambda: _generate(bench, task))
            bench.store.finish(KIND, key, body)
    return _from_body(body)


def stored(bench: Bench, task: Task) -> Submission | None:
    """The submission, if it is done."""
    body = bench.store.lookup(KIND, generate_key(bench.framework, task))
    return None if body is None else _from_body(body)


def _generate(bench: Bench, task: Task) -> dict[str, Any]:
    bench.progress.step(task.id, "generate")
    start = time.monotonic()
    with bench.store.scratch("generate") as folder:
        workspace, delivered = folder / "workspace", folder / "delivered"
        workspace.mkdir()
        delivered.mkdir()
        generation = bench.framework.generate(task, workspace)
        if OUTCOMES[generation.outcome].retry:
            raise InfraError(generation.reason or "the generation failed", where=task.id, fix="Run the same command again.")
        refs = _kept(bench, generation)
        notes = [generation.reason] if generation.reason else []
        sizes: dict[str, int] = {}
        if generation.deliver == "workspace":
            notes += collect(workspace, delivered)
            refs["submission"] = bench.store.put(pack(delivered))
            sizes = size(delivered) | {"loc": lines_of_code(delivered, task.language)}
    return {
        "outcome": generation.outcome.value,
        "reason": "; ".join(notes),
        "oracle": generation.deliver == "oracle",
        "usage": asdict(generation.usage),
        "size": sizes,
        "wall_s": round(time.monotonic() - start, 3),
        "refs": refs,
    }


def _kept(bench: Bench, generation: Generation) -> dict[str, str]:
    refs = {f"artifact_{name}": bench.store.put(data) for name, data in generation.artifacts.items()}
    if generation.trajectory is not None:
        refs["trajectory"] = bench.store.put(json.dumps(generation.trajectory, sort_keys=True).encode())
    return refs


def _from_body(body: dict[str, Any]) -> Submission:
    return Submission(
        outcome=Outcome(body["outcome"]),
        reason=body["reason"],
        oracle=body["oracle"],
        archive=body["refs"].get("submission"),
        usage=Usage(**body["usage"]),
        size=body["size"],
        refs=body["refs"],
        wall_s=body["wall_s"],
    )
