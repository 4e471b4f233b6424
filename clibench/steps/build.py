"""Build: install what was delivered, once. A failed installation is a result; only a fault of the harness is an error."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clibench.evaluation.build import build_oracle, build_submission
from clibench.generation.delivery import unpack
from clibench.sandbox.interface import BuildResult
from clibench.steps.bench import Bench
from clibench.steps.generate import Submission
from clibench.steps.keys import build_key
from clibench.tasks.task import Task

KIND = "build"
PREFIX = "prefix"


@dataclass(frozen=True)
class Build:
    """How an installation ended."""

    key: str
    ok: bool
    reason: str
    wall_s: float
    log: str
    """Digest of the log in the store."""


def build(bench: Bench, task: Task, submission: Submission) -> Build:
    """The installation of a submission, from the store where it is there. Raises InfraError where the harness failed."""
    key = build_key(submission.source(task), task, bench.settings, bench.identity)
    with bench.store.claim(KIND, key):
        return stored(bench, key) or _build(bench, task, submission, key)


def stored(bench: Bench, key: str) -> Build | None:
    """The installation, if it is done. Its prefix may be gone all the same."""
    body = bench.store.lookup(KIND, key)
    return None if body is None else _from_body(key, body)


def prefix(bench: Bench, task: Task, submission: Submission, done: Build) -> Path:
    """Folder of a successful installation; made again where somebody removed it to save space."""
    with bench.store.claim(KIND, done.key):
        folder = bench.store.folder(PREFIX, done.key)
        if folder is None:
            _build(bench, task, submission, done.key)
            folder = bench.store.folder(PREFIX, done.key)
    assert folder is not None  # noqa: S101 - the same installation succeeded before
    return folder


def _build(bench: Bench, task: Task, submission: Submission, key: str) -> Build:
    with bench.building:
        bench.progress.step(task.id, "build")
        result = bench.attempt(lambda: _install(bench, task, submission, key))
    body = {
        "ok": result.ok,
        "reason": result.reason,
        "wall_s": round(result.wall_s, 3),
        "language": task.language.value,
        "refs": {"build_log": bench.store.put(result.log)},
    }
    bench.store.finish(KIND, key, body)
    return _from_body(key, body)


def _install(bench: Bench, task: Task, submission: Submission, key: str) -> BuildResult:
    settings = bench.settings
    with bench.store.scratch("build") as folder:
        source, destination = folder / "source", folder / "prefix"
        source.mkdir()
        destination.mkdir()
        if submission.archive is None:
            result = build_oracle(
                bench.sandbox,
                task.language,
                task.oracle,
                task.alias,
                destination,
                network=settings.build_network,
                timeout_s=settings.build_timeout_s,
            )
        else:
            unpack(bench.store.get(submission.archive), source)
            result = build_submission(
                bench.sandbox,
                task.language,
                source,
                destination,
                alias=task.alias,
                network=settings.build_network,
                timeout_s=settings.build_timeout_s,
            )
        if result.ok:
            bench.store.publish(PREFIX, key, destination)
    return result


def _from_body(key: str, body: dict[str, Any]) -> Build:
    return Build(key, body["ok"], body["reason"], body["wall_s"], body["refs"]["build_log"])
