"""Speak to the Docker engine, through its own client.

The client and not an SDK: it knows contexts, rootless and remote engines as the user has set them up, its standard streams are plain pipes,
and importing nothing keeps the start short. All of its failures come out as SandboxError with a way to mend them.
"""

from __future__ import annotations

import subprocess
from typing import IO, Final

from clibench.errors import SandboxError

_SETUP = "Run scripts/setup_docker.sh as root, or choose sandbox.backend=local"

# What the client prints, in part -> (what is wrong, what to do).
_FAILURES: Final = (
    (
        "permission denied",
        "this user may not talk to the Docker daemon",
        "Add the user to the group docker, or choose sandbox.backend=local",
    ),
    ("cannot connect to the docker daemon", "no Docker daemon answers", _SETUP),
    ("error during connect", "no Docker daemon answers", _SETUP),
    ("is the docker daemon running", "no Docker daemon answers", _SETUP),
    ("unexpected eof", "the Docker daemon went away", "Start it again and repeat the command: what is done is not repeated"),
    ("connection reset by peer", "the Docker daemon went away", "Start it again and repeat the command: what is done is not repeated"),
    ("no space left on device", "the disk of the Docker daemon is full", "Free space (docker system df shows what uses it) and repeat"),
)


def docker(*arguments: str, stdin: IO[bytes] | None = None, timeout_s: float = 60.0) -> str:
    """Run a command of the Docker client and return what it printed. Raises SandboxError where it fails."""
    try:
        done = subprocess.run(
            ("docker", *arguments), stdin=stdin or subprocess.DEVNULL, capture_output=True, timeout=timeout_s, check=False
        )
    except FileNotFoundError as error:
        raise SandboxError("there is no docker command", where="docker", fix=f"{_SETUP}.") from error
    except subprocess.TimeoutExpired as error:
        raise SandboxError(f"no answer to 'docker {arguments[0]}' in {timeout_s:.0f} s", where="docker", fix=f"{_SETUP}.") from error
    if done.returncode:
        raise docker_error(f"docker {arguments[0]}", done.stderr.decode(errors="replace") or done.stdout.decode(errors="replace"))
    return done.stdout.decode(errors="replace")


def docker_error(where: str, printed: str) -> SandboxError:
    """The error that explains what the client printed when it failed."""
    lower = printed.lower()
    for part, what, fix in _FAILURES:
        if part in lower:
            return SandboxError(what, where=where, fix=f"{fix}.")
    lines = printed.strip().splitlines()
    return SandboxError(lines[-1] if lines else "failed without a message", where=where, fix="`docker info` may tell more.")


def server_version() -> str:
    """Version of the engine that answers. Raises SandboxError where none does."""
    return docker("version", "--format", "{{.Server.Version}}", timeout_s=20.0).strip()
