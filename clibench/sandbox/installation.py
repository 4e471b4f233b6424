"""What both back ends do around an installation: copy the source in, keep its log, bound its disk, tidy the prefix.

The source was written by an agent: it may hold links that lead out of it, device files, odd modes, folders that can't be read. Links are
copied as links (they then mean a path inside the sandbox), everything that is neither file, folder nor link is left out.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from clibench.errors import SandboxError

# Seen by every build, on both back ends; what a language adds is in the table of recipes.
BUILD_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/home/user",
    "USER": "user",
    "TMPDIR": "/tmp",  # noqa: S108 - inside the sandbox
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "TERM": "dumb",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "PIP_PROGRESS_BAR": "off",
    "PIP_ROOT_USER_ACTION": "ignore",
    "npm_config_update_notifier": "false",
    "npm_config_audit": "false",
    "npm_config_fund": "false",
    "npm_config_progress": "false",
    "GOTOOLCHAIN": "auto",
}

FREE_BYTES = 64 << 20
"""With less than this free, a failed build is blamed on the disk and not on the submission."""


class CappedLog:
    """The first and the last part of a stream of any length."""

    def __init__(self, head: int = 64 << 10, tail: int = 192 << 10) -> None:
        self._head_size, self._tail_size = head, tail
        self._head, self._tail, self._left_out = b"", bytearray(), 0

    def add(self, data: bytes) -> None:
        """Take in the next part of the stream."""
        room = self._head_size - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room < len(data) else b""
        if (excess := len(self._tail) - self._tail_size) > 0:
            del self._tail[:excess]
            self._left_out += excess

    def read_all(self, stream: IO[bytes]) -> None:
        """Take in everything until the stream's end."""
        while data := os.read(stream.fileno(), 1 << 16):
            self.add(data)

    def content(self) -> bytes:
        """What was kept, with a line that says how much was not."""
        gap = f"\n[... {self._left_out} bytes left out ...]\n".encode() if self._left_out else b""
        return self._head + gap + bytes(self._tail)


def copy_source(source: Path, target: Path) -> None:
    """Copy the delivered repository to `target`, which must not exist. Raises SandboxError where it can't be read or written."""

    def special(folder: str, names: list[str]) -> Iterable[str]:
        def kind(name: str) -> int:
            return stat.S_IFMT((Path(folder) / name).lstat().st_mode)

        return [name for name in names if kind(name) not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)]

    try:
        shutil.copytree(source, target, symlinks=True, ignore=special)
    except (shutil.Error, OSError) as error:
        first = error.args[0][0][2] if isinstance(error, shutil.Error) else error
        raise SandboxError(f"the submission can't be copied: {first}", where=str(source), fix="Free space, or make it readable.") from error


def give_to(folder: Path, uid: int, gid: int) -> None:
    """Make everything below the folder owned by a user and writable for it."""
    if os.getuid() == 0:
        _over_all(folder, "chown", "-hR", f"{uid}:{gid}")
    _over_all(folder, "chmod", "-R", "u+rwX,a-st")


def tidy_prefix(prefix: Path) -> None:
    """Make an installation readable by every user, owned by this one, without set-user-id bits: it is shared by sessions from now on."""
    if os.getuid() == 0:
        _over_all(prefix, "chown", "-hR", f"{os.getuid()}:{os.getgid()}")
    _over_all(prefix, "chmod", "-R", "u=rwX,go=rX,a-st")


def disk_use(folders: Iterable[Path]) -> int:
    """Bytes that the folders take; what vanishes while it is looked at counts nothing."""
    counted = subprocess.run(("du", "-sk", "--", *folders), capture_output=True, check=False).stdout
    return sum(int(line.split()[0]) << 10 for line in counted.splitlines())


def _over_all(folder: Path, *command: str) -> None:
    """Run chown or chmod over a tree. The system's own, since a hostile tree may be nested deeper than Python can recurse or name paths."""
    done = subprocess.run((*command, "--", str(folder)), capture_output=True, check=False)
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise SandboxError(f"{command[0]} failed: {lines[-1] if lines else done.returncode}", where=str(folder))
