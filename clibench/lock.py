"""Cross-process locks that cannot be left behind.

A lock is `flock` on a file: the kernel releases it when its holder ends, however it ends, so a held lock means a live owner and a free
one a dead owner (across PID namespaces, and on network file systems across hosts, where process ids would say nothing). Lock files are
removed by their holder; whoever then gets the lock of a removed file notices, and tries again on the file that is there now.

Locks are not re-entrant: a thread that takes one twice waits for itself.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_log = logging.getLogger(__name__)


def acquire(path: Path, *, wait: bool) -> int | None:
    """Lock the file at `path`, made where it is not there, and return its open descriptor; None where another holds it and `wait` is false.

    The caller closes the descriptor, which releases the lock. Raises OSError where the file can't be made or locked.
    """
    said = False
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not wait:
                    os.close(descriptor)
                    return None
                if not said:
                    _log.info("waiting for another process that holds %s", path)
                    said = True
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock at `path`, waiting for it; the file is gone afterwards. Raises OSError where the file can't be made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = acquire(path, wait=True)
    assert descriptor is not None  # noqa: S101 - `acquire` returns None only where it does not wait
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
