"""What the rest of clibench asks of a sandbox, whichever back end serves it.

A `Sandbox` installs (build) and opens sessions; a `Session` runs trials of one installation. The installation is a folder, the *prefix*,
seen at /opt/tool inside every sandbox and read-only during trials; its `bin` comes first on PATH. An installation knows nothing of
the place where it was made, so a prefix built once serves any number of sessions of the same back end and image.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from clibench.recording import Recording
from clibench.tasks.case import Case, Fixture

PREFIX = "/opt/tool"


@dataclass(frozen=True)
class Limits:
    """Bounds of one trial. Each is enforced by the kernel or the runner, and part of the recording's key."""

    wall_s: float = 10.0
    memory_mb: int = 512
    processes: int = 64
    disk_mb: int = 64
    output_bytes: int = 1 << 20
    """Kept of each stream; what is beyond is counted and hashed, not stored."""
    output_kill_bytes: int = 1 << 28
    """A stream that exceeds this ends the trial (as a time-out would)."""
    content_bytes: int = 1 << 18
    """Kept of each changed file; beyond it only size and hash are recorded."""


@dataclass(frozen=True)
class BuildRequest:
    """An installation to make: `commands` run one after the other in the source folder until one fails."""

    language: str
    source: Path
    """Host folder; its copy is seen, writable, at /build inside the sandbox."""
    commands: tuple[tuple[str, ...], ...]
    destination: Path
    """Host folder, empty: becomes the prefix."""
    network: bool = False
    """May reach the package registries."""
    timeout_s: float = 600.0
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BuildResult:
    """How an installation ended. `reason` is empty where it succeeded."""

    ok: bool
    log: bytes
    reason: str = ""
    wall_s: float = 0.0


@dataclass(frozen=True)
class TrialFault:
    """A trial that the harness could not carry out (outcome infra): wrong state at its start, the runner died, a full disk."""

    reason: str


class Session(Protocol):
    """Trials of one installation. A context manager: nothing of it is left after exit."""

    def run(
        self, cases: Iterable[Case], fixtures: Mapping[str, Fixture], *, stability: int | None = None
    ) -> Iterator[tuple[Case, Recording | TrialFault]]:
        """Run each case once, several at a time, and yield each as it ends (any order).

        `stability` is None for the determinism contract; 0, 1, 2... for the numbered variation of it (clock, locale, host name, PID,
        hash seed, user, order) that the stability check asks for.
        """
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...


class Sandbox(Protocol):
    """A back end."""

    def describe(self) -> dict[str, str]:
        """Identity for results and keys: backend (docker, local), isolation (overlay, copy), image and runner (digests), versions."""
        ...

    def build(self, request: BuildRequest) -> BuildResult:
        """Install a submission or an oracle. Raises SandboxError only for faults of the harness."""
        ...

    def open(self, *, language: str, prefix: Path, limits: Limits, workers: int) -> Session:
        """A session over the installation in the host folder `prefix`."""
        ...

    def close(self) -> None:
        """Remove everything of this back end that is still there."""
        ...
