"""What a user may choose about the sandbox: the group `sandbox` of the configuration.

Plain data with checked values, so that it can be read from YAML and from a sweep's overrides without any back end being imported. What of
it can change a result (limits, isolation, image) enters the resume key through `Sandbox.describe` and `Limits`; the rest does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from clibench.bounds import refuse_less_than, refuse_up_to_0
from clibench.errors import UserError, did_you_mean
from clibench.sandbox.interface import Limits

BACKENDS: Final = ("auto", "docker", "local")
ISOLATIONS: Final = ("auto", "overlay", "copy")


@dataclass
class SandboxConfig:
    """Where submissions are built and run. Raises UserError for a value that is not one of the choices or out of range."""

    backend: str = "auto"
    """docker, local, or auto: Docker where a daemon answers, else local user namespaces."""
    isolation: str = "auto"
    """overlay, copy, or auto: overlay where the kernel mounts one, else the slower copy with the same results."""
    image: str | None = None
    """A Docker image of one's own, with the toolchains; None builds ours. Docker back end only."""
    base_image: str = "debian:trixie-slim"
    """What ours is built FROM; made with debootstrap where no image registry is reachable."""
    workers: int = 0
    """Trials at once; 0 takes the number of processors."""
    build_network: bool = True
    """Builds may reach the package registries. Trials never may."""
    build_timeout_s: float = 600.0
    build_memory_mb: int = 2048
    build_processes: int = 1024
    build_disk_mb: int = 4096
    limits: Limits = field(default_factory=Limits)
    """Bounds of one trial."""

    def __post_init__(self) -> None:
        for name, value, valid in (("backend", self.backend, BACKENDS), ("isolation", self.isolation, ISOLATIONS)):
            if value not in valid:
                raise UserError(f"unknown value '{value}'", where=f"sandbox.{name}", fix=did_you_mean(str(value), valid))
        if self.workers < 0:
            raise UserError(f"must be 0 (all processors) or more, is {self.workers}", where="sandbox.workers")
        build = ("build_timeout_s", "build_memory_mb", "build_processes", "build_disk_mb")
        trial = ("wall_s", "memory_mb", "processes", "disk_mb", "output_kill_bytes")
        refuse_up_to_0({f"sandbox.{name}": getattr(self, name) for name in build})
        refuse_up_to_0({f"sandbox.limits.{name}": getattr(self.limits, name) for name in trial})
        refuse_less_than(0, {f"sandbox.limits.{name}": getattr(self.limits, name) for name in ("output_bytes", "content_bytes")})
