"""Nothing outlives its owner: what a killed process left behind is removed at the next start.

Containers and scratch folders carry the *owner token* of the process that made them: process id, its start time (ids are used again), boot
and PID namespace, and host. Something is removed only where its owner is certainly dead. A token of another host, or of another PID
namespace of this boot, says nothing that can be checked from here, so it counts as alive: leaving rubbish is the smaller mistake than
ending the trials of a colleague who shares the daemon.
"""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from clibench.errors import SandboxError
from clibench.lock import acquire, locked

log = logging.getLogger(__name__)

OWNER_LABEL = "clibench.owner"
OUTPUTS_LABEL = "clibench.outputs"


@dataclass(frozen=True)
class Owner:
    """A process, named so that no other process at any time on any machine has the same name."""

    pid: int
    start: int
    """Clock ticks from boot to the start of the process."""
    boot: str
    namespace: str
    """Of process ids."""
    host: str

    @classmethod
    def current(cls) -> Self:
        """This process."""
        pid = os.getpid()
        start = _start_of(pid)
        return cls(pid, start if start is not None else 0, _boot(), _namespace(), socket.gethostname())

    @property
    def token(self) -> str:
        """One word, valid as a label and as a file name."""
        return "_".join((str(self.pid), str(self.start), self.boot, self.namespace, self.host))

    @classmethod
    def parse(cls, token: str) -> Self | None:
        """Inverse of `token`; None for what is not one."""
        parts = token.split("_", 4)
        if len(parts) != 5 or not parts[0].isdigit() or not parts[1].isdigit():
            return None
        return cls(int(parts[0]), int(parts[1]), *parts[2:])

    def is_dead(self) -> bool:
        """True where this process certainly no longer exists."""
        if self.host != socket.gethostname():
            return False
        if self.boot != _boot():
            return True
        return self.namespace == _namespace() and _start_of(self.pid) != self.start


def scratch_root() -> Path:
    """Where the scratch of all sandboxes of this user lies."""
    return Path(tempfile.gettempdir()) / f"clibench-{os.getuid()}"


@contextmanager
def scratch_folder(purpose: str) -> Iterator[Path]:
    """A folder that is removed at the end, or by the next start where the end never came. Raises SandboxError for a full disk."""
    try:
        folder = _made(purpose)
    except OSError as error:
        raise SandboxError(
            f"can't make a scratch folder: {error.strerror}", where=str(scratch_root()), fix="Free space, or set TMPDIR to another place."
        ) from error
    try:
        yield folder
    finally:
        remove_tree(folder)
        _remove_empty_root()


@contextmanager
def scratch_lock(name: str) -> Iterator[None]:
    """Keep other processes of this user out of what `name` stands for, waiting for them. Raises SandboxError for a full disk."""
    with scratch_folder("lock"), locked(scratch_root() / f"{name}.lock"):  # the folder keeps the root from being removed meanwhile
        yield


def _made(purpose: str) -> Path:
    while True:
        scratch_root().mkdir(mode=0o700, exist_ok=True)
        try:
            return Path(tempfile.mkdtemp(prefix=f"{purpose}-", suffix=f"-{Owner.current().token}", dir=scratch_root()))
        except FileNotFoundError:  # another process has just removed the root, which was empty
            continue


def _remove_empty_root() -> None:
    with suppress(OSError):  # in use, or gone already
        scratch_root().rmdir()


def reap_scratch() -> int:
    """Remove the scratch of dead processes; the number of folders removed."""
    removed = 0
    for folder in sorted(scratch_root().glob("*-*-*")):
        owner = Owner.parse(folder.name.split("-", 2)[2])
        if owner is not None and owner.is_dead():
            remove_tree(folder)
            removed += 1
    for path in scratch_root().glob("*.lock"):
        descriptor = acquire(path, wait=False)
        if descriptor is not None:  # nobody holds it
            path.unlink(missing_ok=True)
            os.close(descriptor)
    _remove_empty_root()
    if removed:
        log.info("removed %d scratch folder(s) of runs that were killed", removed)
    return removed


def remove_tree(folder: Path) -> None:
    """Remove a folder that a build has written; what can't be removed is left to the next start, and said.

    The system's own commands do it: such a tree may hold closed folders, and be nested deeper than Python can recurse.
    """
    if os.getuid() != 0:
        subprocess.run(("chmod", "-R", "u+rwX", "--", str(folder)), capture_output=True, check=False)
    done = subprocess.run(("rm", "-rf", "--", str(folder)), capture_output=True, check=False)
    if done.returncode:
        log.warning("left behind, as it can't be removed: %s", done.stderr.decode(errors="replace").strip()[:500])


def _boot() -> str:
    return _read("/proc/sys/kernel/random/boot_id").strip().replace("-", "") or "unknown"


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink()).strip("pid:[]")
    except OSError:
        return "0"


def _start_of(pid: int) -> int | None:
    """Start time of a process from field 22 of /proc/PID/stat; None where there is no such process, or where it is a zombie."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if len(fields) < 20 or fields[0] in ("Z", "X"):
        return None
    return int(fields[19])


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
