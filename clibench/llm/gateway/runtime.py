"""The folder of the gateway's sockets and locks: made by whoever starts a gateway, removed by the gateway when it ends.

Both hold its start lock meanwhile. Whoever waited for that lock looks again whether the file that it locked is still the one at the path:
the folder may have been removed, and made anew, while it waited. What a killed gateway left is removed at the next start of any.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from clibench.digest import digest_bytes
from clibench.errors import InfraError
from clibench.lock import acquire

START_LOCK = "start.lock"
GATEWAY_LOCK = "gateway.lock"
"""Held by the gateway as long as it lives."""


def runtime_folder(outputs: Path) -> Path:
    """Where it is: short (a socket's path has at most 107 bytes), private to the user, one for each outputs folder. It need not exist."""
    return Path(tempfile.gettempdir()) / f"{_prefix()}{digest_bytes(os.fsencode(outputs.resolve()))[:12]}"


@contextmanager
def start_held(outputs: Path) -> Iterator[Path]:
    """The folder, made where it is missing, and nobody else starts or removes a gateway there meanwhile. Raises InfraError."""
    folder = runtime_folder(outputs)
    while True:
        folder.mkdir(mode=0o700, exist_ok=True)
        try:
            status = folder.lstat()
            if status.st_uid != os.getuid() or status.st_mode & 0o077:
                raise InfraError(
                    "the folder of the gateway's sockets is not ours alone", where=str(folder), fix="Remove it, or set TMPDIR."
                )
            descriptor = acquire(folder / START_LOCK, wait=True)
        except FileNotFoundError:  # the gateway that was there has just removed it
            continue
        assert descriptor is not None  # noqa: S101 - `acquire` returns None only where it does not wait
        try:
            yield folder
        finally:
            os.close(descriptor)
        return


@contextmanager
def end_held(folder: Path) -> Iterator[bool]:
    """Whether nobody is about to start a gateway in `folder` or to connect to the one there; then nobody can until the end of the block."""
    try:
        descriptor = acquire(folder / START_LOCK, wait=False)
    except FileNotFoundError:
        yield True  # somebody removed the folder: there is nothing that could be waited for
        return
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            os.close(descriptor)


def remove_runtime(folder: Path) -> None:
    """Remove the folder; to be called while `end_held` says yes."""
    shutil.rmtree(folder, ignore_errors=True)


def reap_runtimes(but: Path) -> None:
    """Remove the folders of gateways that were killed; `but` is the caller's own."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_prefix()}*"):
        if folder == but or folder.is_symlink() or not folder.is_dir():
            continue
        with suppress(OSError), end_held(folder) as free:
            if free and not _runs(folder):
                remove_runtime(folder)


def _runs(folder: Path) -> bool:
    descriptor = acquire(folder / GATEWAY_LOCK, wait=False)
    if descriptor is None:
        return True
    os.close(descriptor)
    return False


def _prefix() -> str:
    return f"clibench-{os.getuid()}-"
