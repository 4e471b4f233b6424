"""What the steps of a job work with, and how a fault of the harness is tried again."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from clibench.errors import InfraError, OutputsError
from clibench.evaluation.params import CompareParams
from clibench.evaluation.semantic import SemanticJudge
from clibench.generation.framework import Framework
from clibench.progress import Progress
from clibench.sandbox.interface import Sandbox
from clibench.sandbox.settings import SandboxConfig
from clibench.store import Store

T = TypeVar("T")

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""Of a file that a step writes: the disk is full or read-only, which trying again does not mend."""


class Stopped(Exception):  # noqa: N818 - no error: the run was told to stop
    """Raised in a worker thread once the run has been told to stop."""


@dataclass(frozen=True)
class Bench:
    """The tools of a job. Shared by the threads that work on its tasks."""

    store: Store
    sandbox: Sandbox
    settings: SandboxConfig
    identity: dict[str, str]
    """`sandbox.describe()`, asked once."""
    framework: Framework
    params: CompareParams
    semantic: SemanticJudge
    progress: Progress
    workers: int
    """Trials at once."""
    generations: int = 0
    """Agents at work at once; 0 takes as many as builds."""
    retries: int = 2
    pause_s: float = 1.0
    """Before the first further attempt; doubled for each one after."""
    stop: threading.Event = field(default_factory=threading.Event)
    recording: threading.Lock = field(default_factory=threading.Lock)
    """One task at a time has all workers; the builds of others go on beside it."""
    generating: threading.Semaphore = field(init=False)
    """Held by an agent at work."""
    building: threading.Semaphore = field(init=False)
    """Held by a build."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "generating", threading.Semaphore(self.agents))
        object.__setattr__(self, "building", threading.Semaphore(self.builds))

    @property
    def builds(self) -> int:
        """Builds at once."""
        return max(2, self.workers)

    @property
    def agents(self) -> int:
        """Agents at work at once."""
        return self.generations or self.builds

    @property
    def tasks(self) -> int:
        """Tasks at once."""
        return max(self.builds, self.generations)

    def attempt(self, step: Callable[[], T]) -> T:
        """`step()`, again after a pause where the harness failed. Raises the last fault, or the first that will not pass; for a full disk
        at once OutputsError."""
        for attempt in range(self.retries + 1):
            self.go_on()
            try:
                return step()
            except OutputsError:
                raise
            except InfraError as error:
                self.go_on()  # what fails because the run is stopping is not a fault
                if attempt == self.retries or not error.passing:
                    raise
                self.stop.wait(self.pause_s * 2**attempt)
            except OSError as error:
                if error.errno not in _FULL:
                    raise
                raise OutputsError(
                    f"cannot write: {(error.strerror or str(error)).lower()}",
                    where=str(error.filename or self.store.root),
                    fix="Free some space, then run the same command again: nothing finished is lost.",
                ) from error
        raise AssertionError("unreachable")

    def go_on(self) -> None:
        """Raise Stopped once the run has been told to stop."""
        if self.stop.is_set():
            raise Stopped
