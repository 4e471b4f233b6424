"""What of a delivered folder is the submission: the files that git would carry, with the modes that git would give them.

Left out are version control and caches (JUNK), empty directories, special files, and symlinks that lead out of the folder: following one
would copy the host's files into a submission. A link that stays inside is kept as a link. What is nested deeper, or is larger, than any
repository is left out too: it could not be copied, or would fill the host's disk. Each thing left out for a reason that its author
may not expect is noted. `dist/`, `build/` and `node_modules/` stay: a submission may be what is in them.
"""

from __future__ import annotations

import io
import os
import shutil
import stat
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from clibench.digest import digest_file, digest_json
from clibench.errors import UserError

JUNK: Final = (
    ".git",
    ".hg",
    ".svn",
    ".DS_Store",
    "__pycache__",
    "*.py[co]",
    "*.egg-info",
    ".eggs",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".npm",
    ".nyc_output",
)
"""Names of files and folders that are never part of a submission."""


DEEPEST: Final = 128
"""Folders in one another."""
LONGEST: Final = 1024
"""Bytes of a path, and of a link's target: the kernel takes 4,096 together with the place that it is copied to."""
LARGEST: Final = 256 << 20
"""Bytes of a file."""
WHOLE: Final = 1 << 30
"""Bytes of all files."""


@dataclass(frozen=True)
class Delivered:
    """One path of a submission: a file, or a symlink that stays inside."""

    path: str
    """Relative, with forward slashes; undecodable bytes by surrogateescape."""
    executable: bool = False
    target: str | None = None
    """Of a symlink."""


@dataclass(frozen=True)
class Listing:
    """What a folder delivers, sorted by path, and what was left out with its reason."""

    entries: tuple[Delivered, ...]
    notes: tuple[str, ...]


def listing(folder: Path) -> Listing:
    """Look through `folder` without following a single link. Raises UserError where it can't be read."""
    try:
        return _listing(folder.resolve())
    except PermissionError as error:
        raise UserError("can't be read", where=str(error.filename), fix="Make the submission readable for this user.") from error


def _listing(root: Path) -> Listing:
    entries: list[Delivered] = []
    notes: list[str] = []
    left = WHOLE
    for path, name in _walk(root, "", notes):
        found = path.lstat()
        mode = found.st_mode
        if stat.S_ISREG(mode) and found.st_size > min(LARGEST, left):
            notes.append(f"{name}: too large ({found.st_size} bytes), left out")
        elif stat.S_ISREG(mode):
            left -= found.st_size
            entries.append(Delivered(name, executable=bool(mode & 0o111)))
        elif stat.S_ISLNK(mode):
            target = str(path.readlink())
            if _stays_inside(name, target):
                entries.append(Delivered(name, target=target))
            else:
                notes.append(f"{name}: symlink out of the submission ({target[:200]}), left out")
        else:
            notes.append(f"{name}: special file, left out")
    return Listing(tuple(sorted(entries, key=lambda entry: entry.path)), tuple(sorted(notes)))


def collect(source: Path, destination: Path) -> tuple[str, ...]:
    """Copy the submission in `source` into the empty folder `destination` and return the notes."""
    found = listing(source)
    for entry in found.entries:
        place = destination / entry.path
        place.parent.mkdir(parents=True, exist_ok=True)
        if entry.target is not None:
            place.symlink_to(entry.target)
        else:
            shutil.copyfile(source / entry.path, place, follow_symlinks=False)
            place.chmod(0o755 if entry.executable else 0o644)
    return found.notes


def tree_digest(folder: Path) -> str:
    """Digest of the submission in `folder`: paths, executable bits, contents and links; equal on every machine."""
    rows = [
        [entry.path, entry.executable, entry.target, None if entry.target is not None else digest_file(folder / entry.path)]
        for entry in listing(folder).entries
    ]
    return digest_json(rows)


def pack(folder: Path) -> bytes:
    """The submission in `folder` as a tar; equal submissions give equal bytes (no owner, no time, sorted)."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for entry in listing(folder).entries:
            member = tarfile.TarInfo(entry.path)
            if entry.target is not None:
                member.type, member.linkname, member.mode = tarfile.SYMTYPE, entry.target, 0o777
                archive.addfile(member)
                continue
            member.mode = 0o755 if entry.executable else 0o644
            with (folder / entry.path).open("rb") as stream:
                member.size = os.fstat(stream.fileno()).st_size
                archive.addfile(member, stream)
    return buffer.getvalue()


def unpack(archive: bytes, folder: Path) -> None:
    """Write what `pack` packed into the empty `folder`."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        members.extractall(folder, filter="tar")


def size(folder: Path) -> dict[str, int]:
    """Files, directories and depth (of the deepest file; 1 is the top) of the submission in `folder`."""
    paths = [Path(entry.path) for entry in listing(folder).entries]
    directories = {parent for path in paths for parent in path.parents if parent != Path()}
    return {"files": len(paths), "directories": len(directories), "depth": max((len(path.parts) for path in paths), default=0)}


def _walk(folder: Path, prefix: str, notes: list[str]) -> Iterator[tuple[Path, str]]:
    """Each path below `folder` that is no directory, with its relative name; a note about each folder that is not gone into."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if any(fnmatchcase(entry.name, pattern) for pattern in JUNK):
                continue
            if entry.is_dir(follow_symlinks=False):
                if prefix.count("/") >= DEEPEST or len(os.fsencode(f"{prefix}{entry.name}/")) > LONGEST:
                    notes.append(f"{prefix[:200]}...: folders nested too deep, left out")
                    continue
                yield from _walk(Path(entry.path), f"{prefix}{entry.name}/", notes)
            else:
                yield Path(entry.path), f"{prefix}{entry.name}"


def _stays_inside(name: str, target: str) -> bool:
    """Whether the link `name` with `target` leads to a place below the root, as written; a place that no file system could hold is none."""
    if target.startswith("/") or len(os.fsencode(target)) > LONGEST or any(len(os.fsencode(part)) > 255 for part in target.split("/")):
        return False
    return not os.path.normpath(f"{os.path.dirname(name)}/{target}" if "/" in name else target).startswith("..")  # noqa: PTH120
