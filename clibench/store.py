"""The content-addressed store under outputs/: what was computed once is never computed again, and never half there.

Four things live in it, each with one rule:

- *blobs*, bytes under the digest of their content, gzip at rest (`zcat` shows one), verified whenever they are read;
- *units*, small JSON records that say a unit of work (kind, key) is done; written last, so that a record implies all that it refers to, and
  verified as well;
- *folders*, whole directory trees (an installed prefix), there completely or not at all;
- *scratch*, temporary folders and half-written files, swept when the process that made them is dead.

Every write goes to a locked temporary file, is fsync'ed and then renamed, so a process that is killed at any instruction leaves either
the old state or the new one. Any number of processes and threads may share a store. It decides nothing about what a key is made of.
"""

from __future__ import annotations

import ctypes
import errno
import gzip
import json
import logging
import os
import re
import secrets
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clibench.digest import canonical_json, digest_bytes, digest_json
from clibench.errors import OutputsError, StoreError
from clibench.lock import acquire, locked

_log = logging.getLogger(__name__)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LOCK = ".lock"
_SUM = "_digest"
"""Key in a unit's record that holds the digest of the others."""


@dataclass(frozen=True)
class Store:
    """The store in the folder `root` (by convention `<outputs>/store`), which is made with the first write.

    Every method raises StoreError for what is there and can't be read, OutputsError where the disk is full or the folder not writable.
    """

    root: Path

    def put(self, data: bytes) -> str:
        """Keep `data` and return its digest. Equal data is kept once; a damaged blob of the same digest is replaced."""
        digest = digest_bytes(data)
        path = self._blob(digest)
        if not _is_intact(path, digest):
            self._write(path, gzip.compress(data, 6, mtime=0))
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes of a digest. Raises StoreError where they are missing or are not what the digest says."""
        path = self._blob(digest)
        try:
            data = _unpack(path)
        except FileNotFoundError:
            raise StoreError("blob is missing from the store", where=str(path), fix=_AGAIN) from None
        except _DAMAGED as error:
            raise StoreError(f"blob is damaged ({error})", where=str(path), fix=f"Delete this file. {_AGAIN}") from error
        except OSError as error:
            raise explained(error, path) from error
        if digest_bytes(data) != digest:
            raise StoreError("blob is damaged (its content has another digest)", where=str(path), fix=f"Delete this file. {_AGAIN}")
        return data

    def has(self, digest: str) -> bool:
        """Whether the blob is there; its content is verified only by `get`."""
        return self._blob(digest).is_file()

    def lookup(self, kind: str, key: str) -> dict[str, Any] | None:
        """The record of a finished unit, None where it is not done.

        A record whose `refs` (its digests of blobs, by name, where it has any) are not all there any more does not count as done.
        """
        path = self._unit(kind, key)
        try:
            body = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise StoreError(f"unit record is damaged ({error})", where=str(path), fix=f"Delete this file. {_AGAIN}") from error
        except OSError as error:
            raise explained(error, path) from error
        if not isinstance(body, dict):
            raise StoreError("unit record is damaged (not a JSON object)", where=str(path), fix=f"Delete this file. {_AGAIN}")
        told = body.pop(_SUM, None)  # not in records of before 0.1, whose work is not to be paid for again
        if told != digest_json(body) and (told is not None or not body):
            raise StoreError("unit record is damaged (its content has another digest)", where=str(path), fix=f"Delete this file. {_AGAIN}")
        refs = body.get("refs")
        if isinstance(refs, dict) and not all(self.has(ref) for ref in refs.values()):
            return None
        return body

    def finish(self, kind: str, key: str, body: dict[str, Any]) -> None:
        """Record that a unit is done. Put what it refers to before. The last record of a key wins; the same one twice is no write."""
        path = self._unit(kind, key)
        data = canonical_json({**body, _SUM: digest_json(body)})
        try:
            if path.read_bytes() == data:
                return
        except OSError:
            pass  # not there yet, or unreadable: written anew
        self._write(path, data)

    @contextmanager
    def claim(self, kind: str, key: str) -> Iterator[None]:
        """Hold one unit, so that no other process or thread works on it. Waits; look the unit up again once inside. Not re-entrant."""
        path = self.root / "locks" / _name(kind) / f"{_name(key)}{_LOCK}"
        context = locked(path)
        with explaining(path):
            context.__enter__()
        try:
            yield
        finally:
            context.__exit__(None, None, None)

    def publish(self, kind: str, key: str, folder: Path) -> Path:
        """Move `folder` into the store as (kind, key) and return its new place; where one is there already, `folder` goes."""
        target = self._folder(kind, key)
        with explaining(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.is_dir():
                _remove(folder)
                return target
            with self.scratch("publish") as near:
                if folder.stat().st_dev != near.stat().st_dev:  # a rename is atomic only inside one file system
                    shutil.copytree(folder, near / "copy", symlinks=True)
                    _remove(folder)
                    folder = near / "copy"
                _sync_file_system(folder)
                try:
                    folder.rename(target)
                except OSError as error:
                    if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                        raise
                    _remove(folder)  # another process was first
                _sync_folder(target.parent)
        return target

    def folder(self, kind: str, key: str) -> Path | None:
        """Where a published folder is, None where it is not. Read only: it is shared."""
        path = self._folder(kind, key)
        return path if path.is_dir() else None

    @contextmanager
    def scratch(self, prefix: str) -> Iterator[Path]:
        """An empty temporary folder on the store's file system, removed on exit; left by a killed process, it is swept later."""
        path = self.root / "scratch" / f"{_name(prefix)}-{os.getpid()}-{secrets.token_hex(6)}"
        owner = path.with_name(path.name + _LOCK)
        with explaining(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = acquire(owner, wait=True)  # before the folder, so that no folder is ever seen without its owner
            assert descriptor is not None  # noqa: S101 - waited for
            path.mkdir()
        try:
            yield path
        finally:
            _remove_or_warn(path)
            owner.unlink(missing_ok=True)
            os.close(descriptor)

    def sweep(self) -> int:
        """Remove the scratch of dead processes and return how many things went. To be called at the start of every run."""
        swept = 0
        for path in sorted((self.root / "scratch").glob("*")):
            if not os.path.lexists(path):
                continue  # went with its folder, or with another sweep
            # A folder is owned through the lock beside it, a half-written file through itself.
            owner = path.with_name(path.name + _LOCK) if path.is_dir() else path
            with explaining(path):
                descriptor = acquire(owner, wait=False)
                if descriptor is None:
                    continue
                _remove_or_warn(owner.with_name(owner.name.removesuffix(_LOCK)))
                owner.unlink(missing_ok=True)
                os.close(descriptor)
                swept += 1
        return swept

    def _blob(self, digest: str) -> Path:
        if not _DIGEST.fullmatch(digest):
            raise ValueError(f"not a digest: {digest!r}")
        return self.root / "blobs" / digest[:2] / f"{digest}.gz"

    def _unit(self, kind: str, key: str) -> Path:
        return self.root / "units" / _name(kind) / f"{_name(key)}.json"

    def _folder(self, kind: str, key: str) -> Path:
        return self.root / "folders" / _name(kind) / _name(key)

    def _write(self, path: Path, data: bytes) -> None:
        write_file(path, data, temporary=self.root / "scratch" / f"{path.parent.name}-{path.name}.part")


def write_file(path: Path, data: bytes, *, temporary: Path | None = None) -> None:
    """Replace the file at `path` by `data`, at once and durably; a kill leaves the old file or the new one.

    `temporary` is on the same file system, by default a hidden sibling. Writers of one path take turns by locking it, which also tells
    the sweep that it is in use. Raises OutputsError where the disk is full or the folder not writable.
    """
    temporary = temporary or path.with_name(f".{path.name}.part")
    with explaining(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.parent.mkdir(parents=True, exist_ok=True)
        descriptor = acquire(temporary, wait=True)
        assert descriptor is not None  # noqa: S101 - waited for
        try:
            _fill(descriptor, data)
            temporary.rename(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)
        _sync_folder(path.parent)


_AGAIN = "Run the same command again: the unit that made it is repeated."
_DAMAGED = (zlib.error, EOFError, gzip.BadGzipFile)


def _fill(descriptor: int, data: bytes) -> None:
    os.ftruncate(descriptor, 0)
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)


def _unpack(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes())


def _is_intact(path: Path, digest: str) -> bool:
    try:
        return digest_bytes(_unpack(path)) == digest
    except (*_DAMAGED, OSError):
        return False


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError(f"not a name for the store (letters, digits, '.', '_', '-'): {text!r}")
    return text


@contextmanager
def explaining(path: Path) -> Iterator[None]:
    """Turn an operating-system error about `path` into one that says what to do."""
    try:
        yield
    except OSError as error:
        raise explained(error, path) from error


def explained(error: OSError, path: Path) -> StoreError:
    where = str(error.filename or path)
    reason = (error.strerror or str(error)).lower()
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return OutputsError(
            f"cannot write: {reason}", where=where, fix="Free some space, then run the same command again: nothing finished is lost."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
        return OutputsError(f"cannot be used: {reason}", where=where, fix="Make it writable, or choose another folder with outputs=DIR.")
    return StoreError(f"the store failed: {reason}", where=where, fix="Check the disk, then run the same command again.")


def _remove(path: Path) -> None:
    """Remove a tree, also one with read-only folders (as Go's module cache has), or nested deeper than Python can recurse (an agent's
    work); what is not there is fine.
    """
    if not path.is_dir() or path.is_symlink():
        path.unlink(missing_ok=True)
        return
    try:
        shutil.rmtree(path)
    except (PermissionError, RecursionError):
        subprocess.run(("chmod", "-R", "u+rwX", "--", str(path)), capture_output=True, check=False)
        done = subprocess.run(("rm", "-rf", "--", str(path)), capture_output=True, check=False)
        if done.returncode:
            raise OSError(errno.EACCES, done.stderr.decode(errors="replace").strip()[:500] or "rm failed", str(path)) from None


def _remove_or_warn(path: Path) -> None:
    """Remove scratch; what can't be removed (files of another user) must not end a run, and stays for the next sweep to try."""
    try:
        _remove(path)
    except OSError as error:
        _log.warning("left behind, as it could not be removed: %s (%s)", path, error)


def _sync_folder(folder: Path) -> None:
    """Make a rename inside `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_file_system(folder: Path) -> None:
    """Make all that was written below `folder` durable: one syncfs(2), where an fsync of each of thousands of files takes many seconds."""
    syncfs = getattr(ctypes.CDLL(None), "syncfs", None)
    if syncfs is None:
        os.sync()
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        syncfs(descriptor)
    finally:
        os.close(descriptor)
