"""Run trials: the one file that works inside a sandbox, standard library only, over framed messages on standard input and output.

It is started once for a session and answers `hello` with `ready`; then each `trial` with a `result` or a `fault`. It never raises a
program's misbehaviour: whatever the program under test does is a result. A `fault` is the harness' own: wrong state, no space, no rights.

How a trial runs. A server process (small, so that forking is cheap) hands trials to worker processes, one trial at a time each. A worker

1. mounts a fresh tmpfs of the disk quota's size and on it the root of the trial: an overlay of the system (`/` of the container, or a
   skeleton with the host's system folders), the fixture's layer, and an empty upper directory; or, in `copy` isolation, a copy of the
   fixture's tree;
2. verifies that the state is the fixture's, and dates the entries that have an age;
3. clones a process that is PID 1 of new PID, mount, IPC and UTS namespaces; this forks the program, which joins the worker's user namespace
   (that is what makes the limit of processes count for this trial alone), gets a network namespace of its own, and gives up all rights;
4. reads its output until PID 1 has ended, and with it, by the kernel's rule, every process of the trial;
5. compares the upper directory with the view below it: the differences are the side effects.

Nothing outlives the runner: all mounts belong to its private mount namespace and all its processes die with it (PR_SET_PDEATHSIG), and it
ends at the end of its input.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import gc
import hashlib
import json
import os
import platform
import resource
import select
import shutil
import signal
import socket
import stat
import struct
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

PROTOCOL: Final = 1
TOOL: Final = "opt/tool"
PASSED_ON: Final = 1 << 20
"""Bytes moved at once."""


class Fault(Exception):  # noqa: N818 - the vocabulary of the interface (TrialFault)
    """The harness can't do what was asked; `fix` says what the user can do."""

    def __init__(self, reason: str, fix: str = "") -> None:
        self.reason, self.fix = reason, fix
        super().__init__(reason)


# ---------------------------------------------------------------------------------------------------------------------------- messages
# A frame: lengths of the JSON text and of the blobs, the JSON text, the blobs. Bytes stand in the JSON as {"$b": [offset, length]}.

_LENGTHS: Final = struct.Struct(">II")


def pack(message: dict[str, Any]) -> bytes:
    """The frame of a message; `bytes` anywhere in it travel as they are."""
    blobs: list[bytes] = []
    size = 0

    def blob(value: object) -> dict[str, list[int]]:
        nonlocal size
        if not isinstance(value, bytes):
            raise TypeError(f"can't send a {type(value).__name__}")
        blobs.append(value)
        size += len(value)
        return {"$b": [size - len(value), len(value)]}

    text = json.dumps(message, default=blob, separators=(",", ":")).encode("ascii")
    return b"".join([_LENGTHS.pack(len(text), size), text, *blobs])


def unpack(frame: bytes) -> dict[str, Any]:
    """Inverse of `pack`."""
    length, _ = _LENGTHS.unpack_from(frame)
    blobs = _LENGTHS.size + length

    def blob(value: dict[str, Any]) -> Any:
        place = value.get("$b")
        if len(value) == 1 and isinstance(place, list):
            return frame[blobs + place[0] : blobs + place[0] + place[1]]
        return value

    message: dict[str, Any] = json.loads(frame[_LENGTHS.size : blobs], object_hook=blob)
    return message


class FrameReader:
    """Cuts a stream of bytes into frames."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that are complete with `data`."""
        self._data += data
        frames = []
        while len(self._data) >= _LENGTHS.size:
            length = _LENGTHS.size + sum(_LENGTHS.unpack_from(self._data))
            if len(self._data) < length:
                break
            frames.append(bytes(self._data[:length]))
            del self._data[:length]
        return frames


def read_frame(fd: int) -> bytes | None:
    """The next frame of a blocking descriptor, None at its end."""
    head = _read_exactly(fd, _LENGTHS.size)
    if head is None:
        return None
    body = _read_exactly(fd, sum(_LENGTHS.unpack(head)))
    return None if body is None else head + body


def _read_exactly(fd: int, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        part = os.read(fd, min(PASSED_ON, size - len(data)))
        if not part:
            return None
        data += part
    return bytes(data)


def write_all(fd: int, data: bytes) -> None:
    """All of `data` to a blocking descriptor."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest[:PASSED_ON]) :]


# ------------------------------------------------------------------------------------------------------------------------ system calls

_libc = ctypes.CDLL(None, use_errno=True)
# PyDLL keeps the interpreter's lock: a fork by hand must not leave it with another thread. There is none, but it is also faster.
_fork_libc = ctypes.PyDLL(None, use_errno=True)

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWUTS: Final = 0x04000000
CLONE_NEWIPC: Final = 0x08000000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000
CLONE_NEWNET: Final = 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
MNT_DETACH: Final = 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SIOCSIFFLAGS, IFF_UP = 0x8914, 1

# The few calls made by number: (clone, capset).
_NUMBERS: Final[dict[str, dict[str, int]]] = {
    "x86_64": {"clone": 56, "capset": 126},
    "aarch64": {"clone": 220, "capset": 91},
}


def _check(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def mount(source: str, target: str, kind: str | None = None, flags: int = 0, options: str | None = None) -> None:
    """mount(2)."""
    _check(
        _libc.mount(
            os.fsencode(source),
            os.fsencode(target),
            kind.encode() if kind else None,
            ctypes.c_ulong(flags),
            os.fsencode(options) if options else None,
        ),
        f"mount {kind or 'bind'} on {target}",
    )


def unmount(target: str) -> None:
    """Detach a mount, and those below it."""
    _check(_libc.umount2(os.fsencode(target), MNT_DETACH), f"umount {target}")


def bind(source: str, target: str, *, read_only: bool = False) -> None:
    """Show `source` at `target` too."""
    mount(source, target, None, MS_BIND)
    if read_only:
        remount_read_only(target)


def remount_read_only(target: str) -> None:
    """Make a bind mount read-only, keeping the flags that a user namespace is not allowed to drop (they are locked)."""
    kept = os.statvfs(target).f_flag & (MS_NOSUID | MS_NODEV | MS_NOEXEC | os.ST_NOATIME | os.ST_NODIRATIME | os.ST_RELATIME)
    flags = kept & (MS_NOSUID | MS_NODEV | MS_NOEXEC)
    for seen, wanted in ((os.ST_NOATIME, 1024), (os.ST_NODIRATIME, 2048), (os.ST_RELATIME, 1 << 21)):
        flags |= wanted if kept & seen else 0
    mount("none", target, None, MS_REMOUNT | MS_BIND | MS_RDONLY | flags)


def unshare(flags: int) -> None:
    """unshare(2)."""
    _check(_libc.unshare(flags), "unshare")


def clone(flags: int) -> int:
    """fork(2) into new namespaces. Only for a process with one thread."""
    return _check(_fork_libc.syscall(_NUMBERS[platform.machine()]["clone"], ctypes.c_ulong(flags | signal.SIGCHLD), 0, 0, 0, 0), "clone")


def prctl(option: int, argument: int) -> None:
    """prctl(2) with one argument."""
    _check(_libc.prctl(option, ctypes.c_ulong(argument), 0, 0, 0), f"prctl {option}")


def drop_capabilities() -> None:
    """Empty the permitted, effective and inheritable sets."""
    header = struct.pack("=Ii", 0x20080522, 0)
    _check(_libc.syscall(_NUMBERS[platform.machine()]["capset"], header, bytes(24)), "capset")


def loopback_up() -> None:
    """Switch on `lo` of this network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", IFF_UP))


# What a program under test may not call: ways to new namespaces and mounts, keys that outlive it, and kernel surface that no tool needs.
# By number, for (x86_64, aarch64). Docker's own filter, made when the container starts, stays in force too.
_FORBIDDEN: Final[dict[str, tuple[int, int]]] = {
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "io_uring_setup": (425, 425),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "swapon": (167, 224),
    "reboot": (169, 142),
}
_AUDIT: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CLONE3: Final = 435


def seccomp_program() -> bytes:
    """The BPF program: EPERM for what is forbidden and for clone into a new user namespace, ENOSYS for clone3 (its flags can't be seen).

    The numbers are searched as a tree: the kernel tries the program on every number when it is installed, so a list costs every trial.
    """
    machine = platform.machine()
    load, equal, greater, bits, give = 0x20, 0x15, 0x25, 0x45, 0x06
    verdicts = {"allow": 0x7FFF0000, "deny": 0x00050000 | errno.EPERM, "unknown": 0x00050000 | errno.ENOSYS, "kill": 0x80000000}
    goals = {pair[0 if machine == "x86_64" else 1]: "deny" for pair in _FORBIDDEN.values()}
    goals |= {_CLONE3: "unknown", _NUMBERS[machine]["clone"]: "clone"}
    code: list[tuple[str, int, int, str, str]] = [
        ("", load, 4, "", ""),
        ("", equal, _AUDIT[machine], "numbers", "kill"),
        ("numbers", load, 0, "", ""),
    ]
    if machine == "x86_64":  # the x32 calls have numbers of their own, from 1 << 30
        code.append(("", greater, (1 << 30) - 1, "deny", "tree0"))

    def tree(numbers: list[int], label: str) -> None:
        if len(numbers) == 1:
            code.append((label, equal, numbers[0], goals[numbers[0]], "allow"))
            return
        middle = len(numbers) // 2
        code.append((label, greater, numbers[middle - 1], f"{label}r", f"{label}l"))
        tree(numbers[:middle], f"{label}l")
        tree(numbers[middle:], f"{label}r")

    tree(sorted(goals), "tree0")
    code += [("clone", load, 16, "", ""), ("", bits, CLONE_NEWUSER, "deny", "allow")]
    code += [(name, give, value, "", "") for name, value in verdicts.items()]
    places = {line[0]: place for place, line in enumerate(code) if line[0]}

    def jump(label: str, place: int) -> int:
        return places[label] - place - 1 if label else 0

    return b"".join(
        struct.pack("=HBBI", kind, jump(yes, place), jump(no, place), value) for place, (_, kind, value, yes, no) in enumerate(code)
    )


def install_filter(program: bytes) -> None:
    """Seccomp for this process and what it becomes; needs no_new_privs."""
    text = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    head = Program(len(program) // 8, ctypes.cast(text, ctypes.c_void_p))
    _check(_libc.prctl(PR_SET_SECCOMP, ctypes.c_ulong(2), ctypes.byref(head), 0, 0), "seccomp")


# ------------------------------------------------------------------------------------------------------------------------------- trees


def write_file(path: str, data: bytes, mode: int = 0o644) -> None:
    """A new or overwritten file."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        write_all(fd, data)
        os.fchmod(fd, mode)
    finally:
        os.close(fd)


def copy_tree(source: str, target: str) -> None:
    """Copy an entry with all below it: content, mode, owner, times; into an existing folder, its content."""
    before = os.lstat(source)
    if stat.S_ISLNK(before.st_mode):
        os.symlink(os.readlink(source), target)
    elif stat.S_ISDIR(before.st_mode):
        if not os.path.isdir(target):
            os.mkdir(target, 0o700)
        for name in os.listdir(source):
            copy_tree(f"{source}/{name}", f"{target}/{name}")
    elif stat.S_ISREG(before.st_mode):
        shutil.copyfile(source, target, follow_symlinks=False)
    elif stat.S_ISFIFO(before.st_mode):
        os.mkfifo(target)
    else:
        return
    if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        try:
            os.chown(target, before.st_uid, before.st_gid, follow_symlinks=False)
        except OSError as error:  # an owner that this user namespace does not know
            if error.errno not in (errno.EPERM, errno.EINVAL):
                raise
    if not stat.S_ISLNK(before.st_mode):
        os.chmod(target, stat.S_IMODE(before.st_mode))
    os.utime(target, ns=(before.st_mtime_ns, before.st_mtime_ns), follow_symlinks=False)


def digest_tree(roots: Iterable[str], base: str, *, content_bytes: int = 1 << 20) -> str:
    """Digest of what is below `roots` in `base`: names, types, modes, sizes, times, targets, and contents of up to `content_bytes` in all.

    Cheap on purpose: it is taken before every trial. Larger contents can't have changed, since nobody else can write to a layer.
    """
    parts: list[bytes] = []
    left = content_bytes

    def walk(path: str, name: str) -> None:
        nonlocal left
        found = os.lstat(path)
        kind = stat.S_IFMT(found.st_mode)
        plain = kind == stat.S_IFREG
        size, moment = found.st_size if plain else 0, found.st_mtime_ns if kind != stat.S_IFLNK else 0
        parts.append(f"\n{name!a} {found.st_mode:o} {size} {moment} ".encode())
        if kind == stat.S_IFLNK:
            parts.append(os.fsencode(os.readlink(path)))
        elif kind == stat.S_IFDIR:
            for entry in sorted(os.listdir(path)):
                walk(f"{path}/{entry}", f"{name}/{entry}")
        elif plain and found.st_size <= left:
            left -= found.st_size
            parts.append(hashlib.sha256(_read(path)).digest())

    for root in roots:
        walk(f"{base}/{root}", root)
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(fd, PASSED_ON):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(fd)


_TYPES: Final = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "dir",
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


DEEPEST: Final = 256
LONGEST: Final = 2048


def _bottom(path: str) -> bool:
    """Whether a folder is so deep that what is below it is not looked at: a trial can nest more than the kernel takes in one path (4,096
    bytes, with the mount point and a name), or than this program can follow. The folder itself is a side effect like any other.
    """
    return path.count("/") > DEEPEST or len(os.fsencode(path)) > LONGEST


@dataclass
class Differ:
    """Finds side effects: what is there after the trial against what was before, as the process saw it."""

    content_bytes: int
    """Kept of one file."""
    total_bytes: int
    """Kept of all files of the trial."""
    hash_bytes: int
    """Files above this are not read: they are holes, since the quota holds no such file."""
    changes: list[dict[str, Any]] = field(default_factory=list)

    def compare(self, after: str, before: str | None, path: str) -> None:
        """Everything that differs between two whole trees. `before` may be missing."""
        new = _lstat(after)
        old = _lstat(before) if before is not None else None
        if new is None:
            if old is not None and before is not None:
                self.deleted(before, path)
            return
        self._entry(after, new, before if old is not None else None, old, path)
        if _bottom(path):
            return
        new_names = set(os.listdir(after)) if stat.S_ISDIR(new.st_mode) else set()
        old_names = set(os.listdir(before)) if old is not None and before is not None and stat.S_ISDIR(old.st_mode) else set()
        for name in sorted(new_names | old_names):
            self.compare(f"{after}/{name}", f"{before}/{name}" if name in old_names else None, f"{path.rstrip('/')}/{name}")

    def upper(self, upper: str, merged: str, view: str, path: str) -> None:
        """The same, led by an overlay's upper directory: only what it holds is looked at."""
        for name in sorted(os.listdir(upper)) if not _bottom(path) else ():
            above, after, before = f"{upper}/{name}", f"{merged}/{name}", f"{view}/{name}"
            place = f"{path.rstrip('/')}/{name}"
            found = os.lstat(above)
            if stat.S_ISCHR(found.st_mode) and found.st_rdev == 0:
                if _lstat(before) is not None:
                    self.deleted(before, place)
                continue
            old = _lstat(before)
            both = stat.S_ISDIR(found.st_mode) and old is not None and stat.S_ISDIR(old.st_mode)
            if both and not _covers(above):
                self._entry(after, found, before, old, place)
                self.upper(above, after, before, place)
            else:
                self.compare(after, before if old is not None else None, place)

    def deleted(self, before: str, path: str) -> None:
        """An entry that is gone, with all that was below it."""
        old = os.lstat(before)
        self.changes.append({"path": path, "kind": "deleted", "type": _TYPES[stat.S_IFMT(old.st_mode)]})
        if stat.S_ISDIR(old.st_mode) and not _bottom(path):
            for name in sorted(os.listdir(before)):
                self.deleted(f"{before}/{name}", f"{path}/{name}")

    def _entry(self, after: str, new: os.stat_result, before: str | None, old: os.stat_result | None, path: str) -> None:
        kind = stat.S_IFMT(new.st_mode)
        if before is not None and old is not None and stat.S_IFMT(old.st_mode) == kind and _same(after, new, before, old):
            return
        change: dict[str, Any] = {"path": path, "kind": "created" if old is None else "modified", "type": _TYPES[kind]}
        if kind == stat.S_IFLNK:
            change["target"] = os.readlink(after)
        else:
            change["mode"] = stat.S_IMODE(new.st_mode)
        if kind == stat.S_IFREG:
            change["size"] = new.st_size
            if new.st_size <= self.hash_bytes:
                change |= self._content(after)
        self.changes.append(change)

    def _content(self, path: str) -> dict[str, Any]:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0) as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > min(self.content_bytes, self.total_bytes):
                return {"sha256": hashlib.file_digest(stream, "sha256").hexdigest()}
            data = stream.readall()
        self.total_bytes -= len(data)
        return {"sha256": hashlib.sha256(data).hexdigest(), "content": data}


def _lstat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _covers(path: str) -> bool:
    """Whether a folder of an upper directory hides what is below it (opaque), or shows it under a new name (redirect)."""
    return any(name.endswith((".overlay.opaque", ".overlay.redirect")) for name in os.listxattr(path, follow_symlinks=False))


def _same(after: str, new: os.stat_result, before: str, old: os.stat_result) -> bool:
    if stat.S_ISLNK(new.st_mode):
        return os.readlink(after) == os.readlink(before)
    if stat.S_IMODE(new.st_mode) != stat.S_IMODE(old.st_mode):
        return False
    if not stat.S_ISREG(new.st_mode):
        return True
    if new.st_size != old.st_size:
        return False
    with open(after, "rb", buffering=0) as one, open(before, "rb", buffering=0) as other:
        while True:
            part = one.read(PASSED_ON)
            if part != other.read(PASSED_ON):
                return False
            if not part:
                return True


# ------------------------------------------------------------------------------------------------------------------------------- place

WRITABLE: Final = ("workspace", "home", "tmp", "var/tmp")
"""What is verified before a trial. In an overlay all of / is watched; but only these, and /dev/shm, can be written to."""
SCRATCH_POINTS: Final = ("/mnt", "/media", "/srv", "/tmp")


@dataclass
class Place:
    """Where this runner works, after it has entered its namespaces."""

    hello: dict[str, Any]
    scratch: str = ""
    isolation: str = "overlay"
    overlay_options: str = ""
    """Of trials' overlays, beyond the directories."""
    reason: str = ""
    """Why the isolation is `copy`, where nobody asked for it."""
    systems: list[tuple[str, str]] = field(default_factory=list)
    """Local: (staged source, target without leading slash) of each system folder."""
    uid: int = 1000
    oom_counter: int = -1

    @property
    def local(self) -> bool:
        """On the host in user namespaces, not in a container."""
        return bool(self.hello["backend"] == "local")

    @property
    def limits(self) -> dict[str, Any]:
        """As `interface.Limits`."""
        limits: dict[str, Any] = self.hello["limits"]
        return limits

    def base(self, conditions: dict[str, Any]) -> str:
        """The layer with /etc/passwd and the like for the conditions' user and host; made when first asked for."""
        name = hashlib.sha256(f"{conditions['user']}:{conditions['uid']}:{conditions['host']}".encode()).hexdigest()[:16]
        path = f"{self.scratch}/base/{name}"
        if not os.path.isdir(path):
            making = f"{path}.{os.getpid()}"
            self._make_base(making, conditions)
            try:
                os.rename(making, path)
            except OSError:  # another worker was first
                shutil.rmtree(making)
        return path

    def _make_base(self, path: str, conditions: dict[str, Any]) -> None:
        user, uid, host = conditions["user"], conditions["uid"], conditions["host"]
        folders = {"etc": 0o755, "dev": 0o755, "proc": 0o555, "sys": 0o555, "opt": 0o755, "opt/tool": 0o755, "var": 0o755}
        os.makedirs(path)
        for folder, mode in folders.items():
            os.mkdir(f"{path}/{folder}", mode)
        for folder, mode in (
            ("workspace", 0o755),
            ("home", 0o755),
            ("home/user", 0o755),
            ("tmp", 0o1777),
            ("var/tmp", 0o1777),
            ("run", 0o755),
        ):
            os.mkdir(f"{path}/{folder}")
            os.chmod(f"{path}/{folder}", mode)
        for folder in ("workspace", "home/user"):
            os.chown(f"{path}/{folder}", self.uid, self.uid)
        files = {
            "passwd": "root:x:0:0:root:/root:/bin/sh\n"
            f"{user}:x:{uid}:{uid}::/home/user:/bin/sh\n"
            "nobody:x:65534:65534:nobody:/:/bin/false\n",
            "group": f"root:x:0:\n{user}:x:{uid}:\nnogroup:x:65534:\n",
            "hostname": f"{host}\n",
            "hosts": f"127.0.0.1\tlocalhost\n127.0.1.1\t{host}\n",
            "resolv.conf": "",
            "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
            "machine-id": "",
        }
        for name, text in files.items():
            write_file(f"{path}/etc/{name}", text.encode())
        if self.local:
            self._make_skeleton(path)
        elif self.isolation == "overlay":
            # What the image has in these is not part of the state, nor are the marks of the container.
            for folder in ("workspace", "home", "tmp", "var/tmp", "run"):
                os.setxattr(f"{path}/{folder}", "trusted.overlay.opaque", b"y")
            for name in (".dockerenv", "build"):
                if os.path.lexists(f"/{name}"):
                    os.mknod(f"{path}/{name}", 0o644 | stat.S_IFCHR, 0)
        for folder, names, entries in os.walk(path):
            for name in (*names, *entries):
                os.utime(f"{folder}/{name}", (self.hello["epoch"],) * 2, follow_symlinks=False)

    def _make_skeleton(self, path: str) -> None:
        for item in self.hello["system"]:
            target = f"{path}/{item['target'].lstrip('/')}"
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if "link" in item:
                os.symlink(item["link"], target)
            elif "script" in item:
                write_file(target, item["script"].encode(), 0o755)
            elif "copy" in item:
                with contextlib.suppress(OSError):  # what this user may not read, no program of theirs needs
                    copy_tree(item["copy"], target)
            else:
                os.makedirs(target, exist_ok=True)
        for folder in ("root", "boot", "mnt", "srv", "media", *(target.lstrip("/") for _, target in self.hello["binds"])):
            os.makedirs(f"{path}/{folder}", exist_ok=True)
        # The user of the trial owns these, there being no other user; so that they are as closed as in a container, nobody may write.
        for at, names, files in os.walk(f"{path}/etc"):
            for name in (*names, *files):
                found = os.lstat(f"{at}/{name}")
                if not stat.S_ISLNK(found.st_mode):
                    os.chmod(f"{at}/{name}", stat.S_IMODE(found.st_mode) & 0o555)
        for folder in ("etc", "home", "opt", "run", "boot", "mnt", "srv", "media", "var", "dev", ""):
            os.chmod(f"{path}/{folder}", 0o555)
        os.chmod(f"{path}/root", 0o111)


def _sources(hello: dict[str, Any]) -> dict[str, str]:
    """What is shown from outside the namespaces, by the name under which it is staged."""
    sources = {str(number): item["source"] for number, item in enumerate(hello["system"]) if "source" in item}
    if hello["prefix"]:
        sources["prefix"] = hello["prefix"]
    return sources | {f"bind{number}": source for number, (source, _) in enumerate(hello["binds"])}


def enter_place(hello: dict[str, Any]) -> Place:
    """Private namespaces and the scratch tmpfs. In `local`, returns in a child that is root of a new user namespace and PID 1."""
    place = Place(hello, uid=int(hello["uid"]), oom_counter=open_oom_counter())
    point = next((path for path in SCRATCH_POINTS if os.path.isdir(path)), None)
    if point is None:
        raise Fault("there is no folder to mount on", f"make one of {', '.join(SCRATCH_POINTS)}")
    sources = _sources(hello)
    if place.local:
        if hello["drop_to"] is not None:
            sources = _give_up_root(hello, point, sources)
        _enter_user_namespace()
        place.uid = 0
    else:
        try:
            unshare(CLONE_NEWNS)
            mount("none", "/", None, MS_REC | MS_PRIVATE)
        except OSError as error:
            raise Fault(f"no right to make namespaces ({error.strerror})", "start the container with --cap-add SYS_ADMIN") from error
    held = _hold(sources)
    place.scratch = point
    try:
        mount("clibench", point, "tmpfs", MS_NOSUID, "mode=0711")
    except OSError as error:
        raise Fault(
            f"no right to mount ({error.strerror})", "where AppArmor is on, start the container with --security-opt apparmor=unconfined"
        ) from error
    for folder in ("proc", "dev", "base", "fixtures", "slots", "system", *held):
        os.mkdir(f"{point}/{folder}")
    try:
        mount("proc", f"{point}/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    except OSError as error:
        raise Fault(f"can't mount /proc ({error.strerror})", "parts of /proc are hidden here (a container in a container?)") from error
    for name, fd in held.items():
        writable = name.startswith("bind") or (name == "prefix" and hello["prefix_writable"])
        bind(f"/proc/self/fd/{fd}", f"{point}/{name}", read_only=not writable)
        if name.isdigit():
            place.systems.append((f"{point}/{name}", hello["system"][int(name)]["target"].lstrip("/")))
        os.close(fd)
    _make_dev(f"{point}/dev")
    if not place.local:
        _detach_others(point)
    return place


def _detach_others(point: str) -> None:
    """Take the container's other mounts out of this private namespace: each trial would have to copy them and take them down."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    for path in sorted((line.split()[4] for line in lines), reverse=True):
        if path != "/" and path != point and not path.startswith(f"{point}/"):
            with contextlib.suppress(OSError):
                unmount(path)


def _hold(sources: dict[str, str]) -> dict[str, int]:
    """Keep hold of folders that a mount may soon hide."""
    held = {}
    for name, source in sources.items():
        try:
            held[name] = os.open(source, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise Fault(f"can't reach the folder {source} ({error.strerror})") from error
    return held


def _give_up_root(hello: dict[str, Any], point: str, sources: dict[str, str]) -> dict[str, str]:
    """Stage the folders that only root may reach; then give root up for good, before any program runs. Returns where they are staged."""
    uid = int(hello["drop_to"])
    unshare(CLONE_NEWNS)
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    held = _hold(sources)
    mount("clibench", point, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755")
    for name, fd in held.items():
        os.mkdir(f"{point}/{name}")
        bind(f"/proc/self/fd/{fd}", f"{point}/{name}")
        os.close(fd)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    prctl(PR_SET_DUMPABLE, 1)  # else /proc/self belongs to root
    os.chdir("/")
    return {name: f"{point}/{name}" for name in sources}


def is_root() -> bool:
    """Whether this process is root indeed, and not an ordinary user who is called root in a user namespace of theirs."""
    if os.getuid() != 0:
        return False
    inside, outside, count = Path("/proc/self/uid_map").read_text().split("\n")[0].split()
    return outside == "0" or inside != "0" or int(count) > 1


def _enter_user_namespace() -> None:
    uid, gid = os.getuid(), os.getgid()
    try:
        unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS)
        write_existing("/proc/self/setgroups", "deny")
        write_existing("/proc/self/uid_map", f"0 {uid} 1")
        write_existing("/proc/self/gid_map", f"0 {gid} 1")
        mount("none", "/", None, MS_REC | MS_PRIVATE)
    except OSError as error:
        raise Fault(
            f"user namespaces are not allowed here ({error.strerror})",
            "allow them as root: sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1 "
            "kernel.apparmor_restrict_unprivileged_userns=0 (those that exist), or use sandbox=docker",
        ) from error
    child = os.fork()
    if child == 0:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        return
    for fd in (0, 1):
        os.close(fd)
    _, status = os.waitpid(child, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def write_existing(path: str, text: str) -> None:
    """Write to a file of /proc, /sys or a cgroup: in one call, creating nothing."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


DEVICES: Final = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9), "tty": (5, 0)}


def _make_dev(path: str) -> None:
    """A read-only /dev. Its nodes are made where that is allowed, else bound from the host's: six more mounts for each trial to copy."""
    bound = []
    for name, (major, minor) in DEVICES.items():
        try:
            os.mknod(f"{path}/{name}", stat.S_IFCHR | 0o666, os.makedev(major, minor))
            os.chmod(f"{path}/{name}", 0o666)
            os.close(os.open(f"{path}/{name}", os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC))
        except OSError as error:
            if error.errno == errno.ENXIO:  # /dev/tty, where there is no terminal
                continue
            with contextlib.suppress(OSError):
                os.unlink(f"{path}/{name}")
            write_file(f"{path}/{name}", b"")
            bound.append(name)
    for name, target in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        os.symlink(f"/proc/self/{target}", f"{path}/{name}")
    os.mkdir(f"{path}/shm")
    os.chmod(path, 0o755)
    bind(path, path, read_only=True)
    for name in bound:
        bind(f"/dev/{name}", f"{path}/{name}")


# --------------------------------------------------------------------------------------------------------------------------- isolation


@dataclass
class Root:
    """The root folder of one trial, mounted, with what is needed to find its side effects."""

    slot: str
    merged: str
    uppers: list[tuple[str, str, str, str]]
    """(upper, merged, view, path) of each overlay."""
    trees: list[tuple[str, str, str]]
    """(after, before, path) of each tree to be compared whole."""

    def changes(self, differ: Differ) -> list[dict[str, Any]]:
        """The side effects, once every process has ended."""
        for upper, merged, view, path in self.uppers:
            differ.upper(upper, merged, view, path)
        for after, before, path in self.trees:
            differ.compare(after, before, path)
        for name in sorted(os.listdir(f"{self.slot}/shm")):
            differ.compare(f"{self.slot}/shm/{name}", None, f"/dev/shm/{name}")
        return differ.changes


@dataclass(frozen=True)
class Layer:
    """A fixture as it is on this runner: layers for overlays (topmost first), or a template to be copied."""

    layers: tuple[str, ...]
    template: str | None
    view: str
    digest: str
    aged: tuple[tuple[str, float], ...]
    size: int
    folders: bool
    """Has folders besides the writable roots themselves."""


def mount_slot(slot: str, size_mb: int) -> None:
    """A fresh tmpfs for one trial; the number of files is bounded too, since each costs the kernel memory."""
    mount("trial", slot, "tmpfs", MS_NOSUID | MS_NODEV, f"size={size_mb}m,nr_inodes={max(4096, size_mb * 256)},mode=0755")
    for folder in ("up", "work", "root", "shm"):
        os.mkdir(f"{slot}/{folder}")
    os.chmod(f"{slot}/shm", 0o1777)


def overlay_root(place: Place, slot: str, layers: tuple[str, ...], view: str | None) -> Root:
    """Mount an overlay over `layers` as the root of a trial."""
    merged = f"{slot}/root"
    # The root of an overlay takes its attributes from the upper directory.
    os.chmod(f"{slot}/up", stat.S_IMODE(os.lstat(layers[0]).st_mode))
    os.utime(f"{slot}/up", (place.hello["epoch"],) * 2)
    mount_overlay(place, layers, f"{slot}/up", f"{slot}/work", merged)
    root = Root(slot, merged, [], [])
    if view is not None:
        root.uppers.append((f"{slot}/up", merged, view, "/"))
    for number, (source, target) in enumerate(place.systems):
        up, work = f"{slot}/sys{number}", f"{slot}/syswork{number}"
        os.mkdir(up)
        os.chmod(up, stat.S_IMODE(os.lstat(source).st_mode) & 0o7555)
        os.mkdir(work)
        try:
            mount_overlay(place, (source,), up, work, f"{merged}/{target}")
            root.uppers.append((up, f"{merged}/{target}", source, f"/{target}"))
        except OSError:  # a system folder with mounts of its own below it
            bind(source, f"{merged}/{target}")
    return root


def mount_overlay(place: Place, layers: tuple[str, ...], upper: str, work: str, target: str) -> None:
    """An overlay with the options that this kernel takes."""
    options = f"lowerdir={':'.join(layers)},upperdir={upper},workdir={work}{place.overlay_options}"
    mount("trial", target, "overlay", MS_NOSUID | MS_NODEV, options)


def copy_root(place: Place, slot: str, template: str | None, base: str) -> Root:
    """A root folder of copies (what can be written) and bind mounts (the system)."""
    merged = f"{slot}/root"
    if place.local:
        copy_tree(base, merged)
        for source, target in place.systems:
            bind(source, f"{merged}/{target}")
    else:
        _bind_container(merged, base)
    roots = []
    for name in WRITABLE:
        if template is not None:
            shutil.rmtree(f"{merged}/{name}")
            os.mkdir(f"{merged}/{name}")
            copy_tree(f"{template}/{name}", f"{merged}/{name}")
            roots.append((f"{merged}/{name}", f"{template}/{name}", f"/{name}"))
    os.utime(merged, (place.hello["epoch"],) * 2)
    return Root(slot, merged, [], roots)


NOT_SHOWN: Final = frozenset({"workspace", "home", "tmp", "dev", "proc", "sys", "run", "mnt", "build", ".dockerenv"})
"""Folders of a container that copy isolation makes anew, or leaves out."""


def _bind_container(merged: str, base: str) -> None:
    covered = NOT_SHOWN | {"var", "opt", "etc"}
    for name in sorted(os.listdir("/")):
        found = os.lstat(f"/{name}")
        if stat.S_ISLNK(found.st_mode):
            os.symlink(os.readlink(f"/{name}"), f"{merged}/{name}")
        elif name not in covered and stat.S_ISDIR(found.st_mode):
            os.mkdir(f"{merged}/{name}")
            mount(f"/{name}", f"{merged}/{name}", None, MS_BIND | MS_REC)
    for name in ("dev", "proc", "sys", "run", "opt", "home", "workspace", "tmp"):
        copy_tree(f"{base}/{name}", f"{merged}/{name}")
    for name in ("etc", "var", "opt", "mnt"):
        os.makedirs(f"{merged}/{name}", exist_ok=True)
    for name in ("etc", "var", "opt"):
        for entry in sorted(os.listdir(f"/{name}") if os.path.isdir(f"/{name}") else ()):
            source, target = f"/{name}/{entry}", f"{merged}/{name}/{entry}"
            if (name, entry) in (("var", "tmp"), ("opt", "tool")):
                continue
            if os.path.lexists(f"{base}/{name}/{entry}"):
                continue
            if os.path.islink(source):
                os.symlink(os.readlink(source), target)
            elif os.path.isdir(source):
                os.mkdir(target)
                mount(source, target, None, MS_BIND | MS_REC)
            elif os.path.isfile(source):
                write_file(target, b"")
                bind(source, target)
    for entry in os.listdir(f"{base}/etc"):
        copy_tree(f"{base}/etc/{entry}", f"{merged}/etc/{entry}")
    copy_tree(f"{base}/var/tmp", f"{merged}/var/tmp")


def choose_isolation(place: Place) -> None:
    """Overlay where a real one works here, all the way to a replaced folder; else copy. A demand that can't be met is a fault."""
    wanted = place.hello["isolation"]
    if wanted == "copy":
        _use_copies(place)
        return
    slot = f"{place.scratch}/slots/probe"
    os.mkdir(slot)
    failure = ""
    for options in (",userxattr",) if place.local else (",redirect_dir=on", "", ",userxattr"):
        place.overlay_options = options
        mount_slot(slot, 4)
        try:
            _probe_overlay(place, slot)
            failure = ""
        except OSError as error:
            failure = str(error)
        finally:
            unmount(slot)
        if not failure:
            break
    if failure:
        if wanted == "overlay":
            raise Fault(f"no overlay can be mounted here ({failure})", "use sandbox.isolation=copy or auto")
        _use_copies(place)
        place.reason = failure


def _use_copies(place: Place) -> None:
    """Copy isolation shows the container's folders as they are, so what a trial could write to in them is closed beforehand.

    A container that was started read-only would say EROFS where an overlay says EACCES; so it is opened, for this runner's own mounts only.
    """
    place.isolation = "copy"
    if place.local:
        return
    with contextlib.suppress(OSError):
        mount("none", "/", None, MS_REMOUNT | MS_BIND)
    device = os.lstat("/").st_dev
    pending = [f"/{name}" for name in os.listdir("/") if name not in NOT_SHOWN]
    while pending:
        path = pending.pop()
        found = os.lstat(path)
        if found.st_dev != device or stat.S_ISLNK(found.st_mode):
            continue
        if found.st_mode & stat.S_IWOTH or found.st_uid == place.uid or found.st_gid == place.uid:
            bind(path, path, read_only=True)
        elif stat.S_ISDIR(found.st_mode):
            with os.scandir(path) as entries:
                pending += [
                    entry.path
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) or entry.stat(follow_symlinks=False).st_mode & stat.S_IWOTH
                ]


def _probe_overlay(place: Place, slot: str) -> None:
    lower = f"{slot}/lower"
    os.makedirs(f"{lower}/folder/inner")
    system = (place.systems[0][0],) if place.systems else ("/",)
    mount_overlay(place, (lower, *system), f"{slot}/up", f"{slot}/work", f"{slot}/root")
    shutil.rmtree(f"{slot}/root/folder")
    os.mkdir(f"{slot}/root/folder")
    if os.listdir(f"{slot}/root/folder") or not _covers(f"{slot}/up/folder"):
        raise OSError(errno.ENOTSUP, "a replaced folder is not marked as opaque")


def trial_root(place: Place, slot: str, layer: Layer, base: str) -> Root:
    """The root of a trial over a fixture, in this runner's isolation; its disk quota leaves the fixture out where it is copied."""
    fixture_mb = -(-layer.size // (1 << 20))
    if layer.template is not None:
        mount_slot(slot, place.limits["disk_mb"] + fixture_mb + 1)
        return copy_root(place, slot, layer.template, base)
    copied = layer.folders and "redirect_dir" not in place.overlay_options
    mount_slot(slot, place.limits["disk_mb"] + (fixture_mb if copied else 0) + 1)
    if copied:
        _copy_folders(place, layer, slot)
    return overlay_root(place, slot, (*layer.layers, *lower_layers(place, base)), layer.view)


def lower_layers(place: Place, base: str) -> tuple[str, ...]:
    """What is below the fixture: the base layer, and in a container the image."""
    return (base,) if place.local else (base, "/")


def _copy_folders(place: Place, layer: Layer, slot: str) -> None:
    """Put the fixture's folders into the upper directory: without redirects, an overlay won't rename folders of a lower layer (EXDEV)."""
    opaque = "user.overlay.opaque" if "userxattr" in place.overlay_options else "trusted.overlay.opaque"
    for root in ("workspace", "home/user"):
        for name in os.listdir(f"{layer.view}/{root}"):
            if stat.S_ISDIR(os.lstat(f"{layer.view}/{root}/{name}").st_mode):
                above = ""
                for part in root.split("/"):
                    above = f"{above}/{part}"
                    if not os.path.isdir(f"{slot}/up{above}"):
                        os.mkdir(f"{slot}/up{above}")
                copy_tree(f"{layer.view}/{root}/{name}", f"{slot}/up/{root}/{name}")
                os.setxattr(f"{slot}/up/{root}/{name}", opaque, b"y")
    for above in ("workspace", "home/user", "home"):
        if os.path.isdir(f"{slot}/up/{above}"):
            old = os.lstat(f"{layer.view}/{above}")
            os.chown(f"{slot}/up/{above}", old.st_uid, old.st_gid)
            os.chmod(f"{slot}/up/{above}", stat.S_IMODE(old.st_mode))
            os.utime(f"{slot}/up/{above}", ns=(old.st_mtime_ns, old.st_mtime_ns))


# ----------------------------------------------------------------------------------------------------------------------------- program


@dataclass
class Stream:
    """One captured stream: its first bytes, and size and hash of all."""

    keep: int
    data: bytearray = field(default_factory=bytearray)
    size: int = 0
    sha: Any = field(default_factory=hashlib.sha256)

    def add(self, part: bytes) -> None:
        """Take in what was read."""
        self.size += len(part)
        self.sha.update(part)
        if len(self.data) < self.keep:
            self.data += part[: self.keep - len(self.data)]

    def result(self) -> dict[str, Any]:
        """As `recording.Output`."""
        return {"data": bytes(self.data), "size": self.size, "sha256": self.sha.hexdigest(), "truncated": self.size > len(self.data)}


@dataclass(frozen=True)
class Program:
    """What is executed, and under what."""

    argv: list[str]
    env: dict[str, str]
    cwd: str
    stdin: bytes
    host: str
    uid: int
    first_pid: int
    wall_s: float
    tool: bool
    """Whether the installation is there (a fixture's preparation must not depend on it)."""


@dataclass
class Execution:
    """How a program ended."""

    status: tuple[str, int]
    stdout: Stream
    stderr: Stream
    wall_s: float
    cpu_s: float
    max_rss_kb: int


class Executor:
    """Runs programs for one worker, one at a time."""

    def __init__(self, place: Place, memory: Memory) -> None:
        self._place = place
        self._memory = memory
        self._filter = seccomp_program()
        self._users: dict[tuple[int, int], int] = {}
        self._turn = 0
        self._in_own_network = False
        self._dying: deque[int] = deque()

    def user_namespace(self, uid: int) -> int:
        """A descriptor of a user namespace of this worker in which the trial's user is `uid`, and in which no process is left.

        Trials take turns in two of them: the first process of the trial before may not have ended yet, and would count.
        """
        while len(self._dying) > 1:
            os.waitpid(self._dying.popleft(), 0)
        self._turn = 1 - self._turn
        if (uid, self._turn) not in self._users:
            (self._users[uid, self._turn],) = self._make_namespaces(uid, "user")
        return self._users[uid, self._turn]

    def renew_network(self) -> None:
        """Put this worker, and so its trials, into a network namespace that no packet has gone through.

        One that stayed untouched can't be told from a new one and is kept: bringing up its loopback interface waits for the kernel's one
        network lock, tens of milliseconds on a busy machine.
        """
        if not self._place.hello["network"] and self._network_used():
            self._in_own_network = False
            user, network = self._make_namespaces(self._place.hello["conditions"]["uid"], "user", "net")
            _check(_libc.setns(network, CLONE_NEWNET), "setns")
            self._in_own_network = True
            os.close(user)
            os.close(network)

    def _network_used(self) -> bool:
        lines = Path(f"{self._place.scratch}/proc/self/net/dev").read_text().splitlines()[2:]
        counts = [line.split(":") for line in lines]
        # Before the first trial this is the runner's own network: of more than `lo`, or used, or down.
        fresh = len(counts) == 1 and counts[0][0].strip() == "lo" and counts[0][1].split()[1] == "0"
        return not (self._in_own_network and fresh)

    def _make_namespaces(self, uid: int, *kinds: str) -> list[int]:
        """Descriptors of a new user namespace in which this worker's user is `uid`, and where asked of a network namespace in it."""
        ready, told = os.pipe()
        go, wake = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(wake)
                os.close(ready)
                unshare(CLONE_NEWUSER)
                os.write(told, b"1")
                os.read(go, 1)
                if "net" in kinds:
                    unshare(CLONE_NEWNET)
                    loopback_up()
                os.write(told, b"2")
                os.read(go, 1)
            finally:
                os._exit(0)
        os.close(told)
        os.close(go)
        try:
            process = f"{self._place.scratch}/proc/{child}"
            if os.read(ready, 1) != b"1":
                raise Fault("can't make a user namespace", "raise user.max_user_namespaces")
            write_existing(f"{process}/uid_map", f"{uid} {self._place.uid} 1")
            if self._place.local:
                write_existing(f"{process}/setgroups", "deny")
            write_existing(f"{process}/gid_map", f"{uid} {self._place.uid} 1")
            os.write(wake, b"1")
            if os.read(ready, 1) != b"2":
                raise Fault("can't make a network namespace", "raise user.max_net_namespaces")
            return [os.open(f"{process}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC) for kind in kinds]
        finally:
            os.close(ready)
            os.close(wake)
            os.waitpid(child, 0)

    def rest(self) -> None:
        """What can be done between trials."""
        self.renew_network()

    def run(self, program: Program, root: Root, check: Callable[[], None]) -> Execution:
        """Run a program in a mounted root until every process of it has ended.

        `check` is called once the root is as the program will find it, while its first process still sets the stage; it may raise Fault.
        """
        if not self._in_own_network:
            self.renew_network()
        user = self.user_namespace(program.uid)
        limits = self._place.limits
        out, err = Stream(limits["output_bytes"]), Stream(limits["output_bytes"])
        out_r, out_w = os.pipe()
        err_r, err_w = os.pipe()
        told_r, told_w = os.pipe()
        if program.stdin:
            in_r, in_w = os.pipe()
        else:
            in_r, in_w = os.open(f"{self._place.scratch}/dev/null", os.O_RDONLY | os.O_CLOEXEC), -1
        go_r, go_w = os.pipe()
        init = clone(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS)
        if init == 0:
            for fd in (in_w, out_r, err_r, told_r, go_w):
                if fd >= 0:
                    os.close(fd)
            self._be_init(program, root, user, (in_r, out_w, err_w), told_w, go_r)
        for fd in (in_r, out_w, err_w, told_w, go_r):
            os.close(fd)
        try:
            check()
            with contextlib.suppress(BrokenPipeError):  # it has met a fault, and tells it
                os.write(go_w, b"1")
        except BaseException:
            for fd in (in_w, out_r, err_r, told_r):
                if fd >= 0:
                    os.close(fd)
            raise
        finally:
            os.close(go_w)  # without a word before, it gives up
            self._dying.append(init)
        self._memory.begin()
        start = time.monotonic()
        told = bytearray()
        end = self._watch(init, start + program.wall_s, program.stdin, in_w, {out_r: out, err_r: err}, told_r, told)
        if end is not None or not told:  # else it has seen all others end, and takes down its namespaces beside the next trial
            os.waitpid(init, 0)
            self._dying.remove(init)
        wall = time.monotonic() - start
        report = json.loads(told) if told else {}
        if "fault" in report:
            raise Fault(report["fault"])
        status, cpu_s, max_rss_kb = (report.get("status"), report.get("cpu_s", 0.0), report.get("max_rss_kb", 0))
        if self._memory.exceeded(max_rss_kb, status):
            end = "oom"
        if end is not None:
            status = (end, 0)
        elif status is None:
            raise Fault("the first process of the trial died")
        return Execution((status[0], status[1]), out, err, report.get("wall_s", wall), cpu_s, max_rss_kb)

    def _watch(
        self, init: int, deadline: float, stdin: bytes, in_w: int, streams: dict[int, Stream], told_r: int, told: bytearray
    ) -> str | None:
        """Move bytes until all is closed; kill the trial for its time, its output or its memory, and say which."""
        end: str | None = None
        poll = select.poll()
        open_fds = {told_r, *streams}
        for fd in open_fds:
            poll.register(fd, select.POLLIN)
        rest = memoryview(stdin)
        if in_w >= 0:
            os.set_blocking(in_w, False)
            poll.register(in_w, select.POLLOUT)
        limit = self._place.limits["output_kill_bytes"]
        while open_fds:
            now = time.monotonic()
            if end is None and now >= deadline:
                end = "timeout"
                os.kill(init, signal.SIGKILL)
            if end is None and self._memory.watch(init, now):
                end = "oom"
                os.kill(init, signal.SIGKILL)
            wait = max(0.0, deadline - now) if end is None else 10.0
            for fd, _ in poll.poll(int(min(wait, self._memory.interval_s) * 1000) + 1):
                if fd == in_w:
                    try:
                        rest = rest[os.write(in_w, rest[:65536]) :]
                    except BlockingIOError:
                        continue
                    except BrokenPipeError:
                        rest = rest[:0]
                    if not rest:
                        poll.unregister(in_w)
                        os.close(in_w)
                        in_w = -1
                    continue
                part = os.read(fd, PASSED_ON)
                if not part:
                    poll.unregister(fd)
                    os.close(fd)
                    open_fds.discard(fd)
                elif fd == told_r:
                    told += part
                    if told.endswith(b"\n"):  # all that there will be; its end comes with the end of the first process
                        poll.unregister(fd)
                        os.close(fd)
                        open_fds.discard(fd)
                else:
                    streams[fd].add(part)
                    if streams[fd].size > limit and end is None:
                        end = "timeout"
                        os.kill(init, signal.SIGKILL)
        if in_w >= 0:
            os.close(in_w)
        return end

    def _be_init(self, program: Program, root: Root, user: int, stdio: tuple[int, int, int], told: int, go: int) -> NoReturn:
        """PID 1 of the trial: sets the stage, gives up all rights, starts the program, reaps, ends all others, tells how it went.

        Where it is killed itself, the kernel kills the rest. It shares the user of the program, which can't harm it all the same: the first
        process of a PID namespace takes no signal from within, and one that is not dumpable can't be looked into.
        """
        try:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            self._set_stage(program, root)
            self._give_up_rights(program, user)
            if not os.read(go, 1):
                os._exit(0)
            report = self._start_and_reap(program, stdio)
        except BaseException as error:  # noqa: BLE001 - told to the worker; this process must never return into the worker's code
            report = {"fault": f"could not start the program: {error}"}
        try:
            os.write(told, json.dumps(report).encode() + b"\n")
        finally:
            os._exit(0)

    def _set_stage(self, program: Program, root: Root) -> None:
        merged, scratch = root.merged, self._place.scratch
        if program.tool and self._place.hello["prefix"]:
            mount(f"{scratch}/prefix", f"{merged}/{TOOL}", None, MS_BIND)
        for number, (_, target) in enumerate(self._place.hello["binds"]):
            mount(f"{scratch}/bind{number}", f"{merged}{target}", None, MS_BIND)
        mount(f"{scratch}/dev", f"{merged}/dev", None, MS_BIND | MS_REC)
        mount(f"{root.slot}/shm", f"{merged}/dev/shm", None, MS_BIND)
        mount("proc", f"{merged}/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=2")
        socket.sethostname(program.host)
        os.chroot(merged)
        os.chdir("/")
        if program.first_pid > 2:
            write_existing("/proc/sys/kernel/ns_last_pid", str(program.first_pid - 1))
        write_existing("/proc/self/oom_score_adj", "1000")

    def _give_up_rights(self, program: Program, user: int) -> None:
        if not self._place.local:  # there, the kernel forbids it, and there is no group to lose but the user's own
            os.setgroups([])
        _check(_libc.setns(user, CLONE_NEWUSER), "setns")
        os.setresgid(program.uid, program.uid, program.uid)
        os.setresuid(program.uid, program.uid, program.uid)
        drop_capabilities()
        prctl(PR_SET_DUMPABLE, 0)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # the change of user cleared it
        processes = self._place.limits["processes"] + 1  # this one counts too
        for name, value in ((resource.RLIMIT_NPROC, processes), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_NOFILE, 1024)):
            resource.setrlimit(name, (value, value))
        os.umask(self._place.hello["umask"])
        os.chdir(program.cwd)
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        install_filter(self._filter)

    def _start_and_reap(self, program: Program, stdio: tuple[int, int, int]) -> dict[str, Any]:
        start = time.monotonic()
        try:
            main = os.posix_spawn(
                find_executable(program.argv[0], program.env.get("PATH", "")),
                program.argv,
                program.env,
                file_actions=[(os.POSIX_SPAWN_DUP2, fd, target) for target, fd in enumerate(stdio)],
                setsid=True,
                setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
            )
        except OSError as error:
            # As a shell does, and as a shell would say it: that there is nothing to run is a fact about the submission.
            os.write(stdio[2], f"{program.argv[0]}: {os.strerror(error.errno or 0)}\n".encode("utf-8", "surrogateescape"))
            return {"status": ("exit", 127 if error.errno in (errno.ENOENT, errno.ENOTDIR) else 126)}
        for fd in stdio:
            os.close(fd)
        while True:
            pid, status, usage = os.wait4(-1, 0)
            if pid == main:
                break
        kill_all_others()
        code = os.waitstatus_to_exitcode(status)
        return {
            "status": ("exit", code) if code >= 0 else ("signal", -code),
            "wall_s": time.monotonic() - start,
            "cpu_s": usage.ru_utime + usage.ru_stime,
            "max_rss_kb": usage.ru_maxrss,
        }


def kill_all_others() -> None:
    """For PID 1: end every other process of the namespace, and see it end. Orphans become children of PID 1, so no one is missed."""
    while True:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def find_executable(name: str, path: str) -> str:
    """What a shell would run for `name`; raises the OSError that it would report."""
    if "/" in name:
        return name
    failure = errno.ENOENT
    for folder in path.split(":"):
        found = f"{folder}/{name}"
        if os.access(found, os.X_OK) and os.path.isfile(found):
            return found
        if os.path.lexists(found):
            failure = errno.EACCES
    raise OSError(failure, os.strerror(failure))


OOM_COUNTERS: Final = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control", "/proc/vmstat")
"""Where the kernel counts what it killed for lack of memory: in this container (cgroup v2, v1), else on this machine."""


def open_oom_counter() -> int:
    """A descriptor of the first counter there is, kept since its file system may be detached; -1 where there is none."""
    for path in OOM_COUNTERS:
        with contextlib.suppress(OSError):
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            if _oom_kills(fd) is not None:
                return fd
            os.close(fd)
    return -1


def _oom_kills(fd: int) -> int | None:
    if fd < 0:
        return None
    words = (line.split() for line in os.pread(fd, 1 << 15, 0).splitlines())
    return next((int(pair[1]) for pair in words if pair[:1] == [b"oom_kill"]), None)


class Memory:
    """Bounds the memory of a worker's trials by looking: resident memory is summed every few milliseconds.

    Pages shared between processes count once (the kernel's proportional set size), but are only looked at where the plain sum is over. This
    is the same with and without a cgroup, and tells trials of one container apart; the container's own limit stands behind it, and what
    the kernel kills for that is told from other kills by its counter.
    """

    interval_s = 0.02

    def __init__(self, limit_mb: int, proc: str, counter: int = -1) -> None:
        self._limit_kb = limit_mb << 10
        self._proc = proc
        self._next = 0.0
        self._counter = counter
        self._kills: int | None = None

    def begin(self) -> None:
        """A trial starts."""
        self._next = time.monotonic() + self.interval_s
        self._kills = _oom_kills(self._counter)

    def watch(self, init: int, now: float) -> bool:
        """Whether the trial of `init` is over the limit."""
        if now < self._next:
            return False
        self._next = now + self.interval_s
        page_kb = resource.getpagesize() >> 10
        processes = list(self._below(init))
        if sum(self._number(f"{self._proc}/{pid}/statm", 1) for pid in processes) * page_kb <= self._limit_kb:
            return False
        return sum(self._proportional(f"{self._proc}/{pid}/smaps_rollup") for pid in processes) > self._limit_kb

    def _below(self, parent: int) -> Iterator[int]:
        """All descendants; none is lost, since orphans become children of the trial's first process."""
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"{self._proc}/{parent}/task"):
                for child in Path(f"{self._proc}/{parent}/task/{thread}/children").read_text().split():
                    yield int(child)
                    yield from self._below(int(child))

    def exceeded(self, max_rss_kb: int, status: tuple[str, int] | None) -> bool:
        """Whether the trial that ended so had been over the limit, or was killed by the kernel for memory."""
        killed = status is not None and tuple(status) == ("signal", int(signal.SIGKILL))
        return max_rss_kb > self._limit_kb or (killed and _oom_kills(self._counter) != self._kills)

    @staticmethod
    def _number(path: str, field_: int) -> int:
        try:
            return int(Path(path).read_text().split()[field_])
        except (OSError, IndexError):
            return 0

    @staticmethod
    def _proportional(path: str) -> int:
        try:
            lines = Path(path).read_text().splitlines()
        except OSError:
            return 0
        return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


# ----------------------------------------------------------------------------------------------------------------------------- fixtures


class Fixtures:
    """Builds each fixture once for all workers, under a lock, on the scratch tmpfs."""

    def __init__(self, place: Place, executor: Executor) -> None:
        self._place, self._executor = place, executor
        self._built: dict[str, Layer] = {}

    def layer(self, digest: str, conditions: dict[str, Any], env: dict[str, str]) -> Layer:
        """The layer of a fixture that was announced."""
        key = f"{digest}{'-r' if conditions['reverse_entries'] else ''}-{os.path.basename(self._place.base(conditions))}"
        if key not in self._built:
            folder = f"{self._place.scratch}/fixtures/{key}"
            with open(f"{folder}.lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                ready = f"{folder}.json"
                if not os.path.exists(ready):
                    body = self._build(folder, digest, conditions, env)
                    write_file(f"{ready}.new", json.dumps(body).encode())
                    os.rename(f"{ready}.new", ready)
                body = json.loads(Path(ready).read_bytes())
            self._built[key] = Layer(
                tuple(body["layers"]),
                body["template"],
                body["view"],
                body["digest"],
                tuple((path, age) for path, age in body["aged"]),
                body["size"],
                body["folders"],
            )
        return self._built[key]

    def _build(self, folder: str, digest: str, conditions: dict[str, Any], env: dict[str, str]) -> dict[str, Any]:
        announced = f"{self._place.scratch}/fixtures/{digest}.frame"
        try:
            fixture = unpack(Path(announced).read_bytes())
        except FileNotFoundError:
            raise Fault(f"fixture {digest[:12]} was never announced") from None
        if os.path.isdir(folder):  # a worker died half-way
            for point in ("view", "slot/root", "slot"):
                with contextlib.suppress(OSError):
                    unmount(f"{folder}/{point}")
            shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        entries = f"{folder}/entries"
        os.mkdir(entries)
        base = self._place.base(conditions)
        if self._place.isolation == "copy":
            for name in WRITABLE:
                os.makedirs(f"{entries}/{os.path.dirname(name)}", exist_ok=True)
                copy_tree(f"{base}/{name}", f"{entries}/{name}")
        else:
            self._copy_folder_attributes(base, entries)
        aged = write_entries(entries, fixture["entries"], self._place.hello["epoch"], self._place.uid, conditions["reverse_entries"])
        layers = [entries]
        if fixture["prepare"] is not None:
            self._prepare(folder, layers, fixture["prepare"], digest, conditions, env)
        template: str | None = None
        view = f"{folder}/view"
        if self._place.isolation == "copy":
            template = view = entries
        else:
            os.mkdir(view)
            below = (*layers, *lower_layers(self._place, base))
            options = f"lowerdir={':'.join(below)}" + (",userxattr" if "userxattr" in self._place.overlay_options else "")
            mount("view", view, "overlay", MS_RDONLY | MS_NOSUID | MS_NODEV, options)
        size = sum(os.lstat(f"{at}/{name}").st_size for layer in layers for at, _, names in os.walk(layer) for name in names)
        folders = any(
            stat.S_ISDIR(os.lstat(f"{view}/{root}/{name}").st_mode)
            for root in ("workspace", "home/user")
            for name in os.listdir(f"{view}/{root}")
        )
        return {
            "layers": layers,
            "template": template,
            "view": view,
            "digest": digest_tree(WRITABLE, view),
            "aged": aged,
            "size": size,
            "folders": folders,
        }

    def _copy_folder_attributes(self, base: str, entries: str) -> None:
        for name in ("workspace", "home", "home/user"):
            os.mkdir(f"{entries}/{name}")
            found = os.lstat(f"{base}/{name}")
            os.chown(f"{entries}/{name}", found.st_uid, found.st_gid)
            os.chmod(f"{entries}/{name}", stat.S_IMODE(found.st_mode))
            os.utime(f"{entries}/{name}", ns=(found.st_mtime_ns, found.st_mtime_ns))
        os.chmod(entries, stat.S_IMODE(os.lstat(base if self._place.local else "/").st_mode))

    def _prepare(
        self, folder: str, layers: list[str], argv: list[str], digest: str, conditions: dict[str, Any], env: dict[str, str]
    ) -> None:
        slot = f"{folder}/slot"
        os.mkdir(slot)
        base = self._place.base(conditions)
        for name in ("up", "work", "root", "shm"):
            os.mkdir(f"{slot}/{name}")
        os.chmod(f"{slot}/shm", 0o1777)
        if self._place.isolation == "copy":
            root = copy_root(self._place, slot, layers[0], base)
        else:
            root = overlay_root(self._place, slot, (*layers, *lower_layers(self._place, base)), None)
        limits = self._place.limits
        program = Program(argv, env, "/workspace", b"", conditions["host"], conditions["uid"], 2, max(60.0, limits["wall_s"]), tool=False)
        start = time.time()
        ended = self._executor.run(program, root, lambda: None)
        if ended.status != ("exit", 0):
            said = bytes(ended.stderr.data or ended.stdout.data)[-400:].decode("utf-8", "replace").strip()
            raise Fault(
                f"fixture {digest[:12]}: its preparation `{' '.join(argv)[:200]}` ended with {ended.status[0]} {ended.status[1]}: {said}"
            )
        if self._place.isolation == "copy":
            for name in WRITABLE:
                shutil.rmtree(f"{layers[0]}/{name}")
                copy_tree(f"{root.merged}/{name}", f"{layers[0]}/{name}")
            self._redate(layers[0], start)
        for number, (_, target) in enumerate(self._place.systems):
            if os.path.isdir(f"{slot}/sys{number}"):
                unmount(f"{root.merged}/{target}")
        if self._place.isolation != "copy":
            unmount(root.merged)
            self._redate(f"{slot}/up", start)
            layers.insert(0, f"{slot}/up")

    def _redate(self, folder: str, start: float) -> None:
        """What the preparation wrote carries its date; give it the constant one, unless it set an earlier date on purpose."""
        for at, names, files in os.walk(folder, topdown=False):
            for name in (*names, *files):
                if os.lstat(f"{at}/{name}").st_mtime >= start - 1:
                    os.utime(f"{at}/{name}", (self._place.hello["epoch"],) * 2, follow_symlinks=False)


def write_entries(folder: str, entries: list[dict[str, Any]], epoch: int, uid: int, reverse: bool) -> list[tuple[str, float]]:
    """Write a fixture's entries below `folder`, which has workspace and home/user. Returns the path and age of those that have one.

    Every path is followed by hand, so that a symlink of the fixture never leads a later entry out of `folder`.
    """
    aged, touched = [], set()
    for entry in reversed(entries) if reverse else entries:
        path = _place_of(entry["path"])
        parent = ""
        for part in path.split("/")[:-1]:
            parent = f"{parent}/{part}"
            _fixture_folder(f"{folder}{parent}", uid)
            touched.add(parent)
        target = f"{folder}/{path}"
        kind = entry["type"]
        if kind == "dir":
            _fixture_folder(target, uid)
        elif os.path.lexists(target):
            raise Fault(f"a fixture has two entries at {entry['path']}")
        elif kind == "symlink":
            os.symlink(entry["target"] or "", target)
        elif kind == "file":
            write_file(target, entry["content"])
        else:
            raise Fault(f"a fixture has an entry of unknown type '{kind}' at {entry['path']}")
        os.chown(target, uid, uid, follow_symlinks=False)
        touched.add(f"/{path}")
        if entry["age_s"] is not None:
            aged.append((path, float(entry["age_s"])))
    for entry in entries:
        if entry["type"] != "symlink":
            default = 0o755 if entry["type"] == "dir" else 0o644
            os.chmod(f"{folder}/{_place_of(entry['path'])}", entry["mode"] if entry["mode"] is not None else default)
    for path in sorted(touched | {"/workspace", "/home", "/home/user"}, key=lambda path: (-path.count("/"), path)):
        os.utime(f"{folder}{path}", (epoch, epoch), follow_symlinks=False)
    return sorted(aged, key=lambda item: (-item[0].count("/"), item[0]))


def _fixture_folder(path: str, uid: int) -> None:
    found = _lstat(path)
    if found is None:
        os.mkdir(path, 0o755)
        os.chmod(path, 0o755)
        os.chown(path, uid, uid)
    elif not stat.S_ISDIR(found.st_mode):
        raise Fault(f"a fixture has an entry below {os.path.basename(path)}, which is no folder")


def _place_of(path: str) -> str:
    below = f"home/user/{path[2:]}" if path.startswith("~/") else f"workspace/{path}"
    parts = [part for part in below.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or len(parts) < 2:
        raise Fault(f"a fixture has an entry at '{path}', which is not below the workspace or the home folder")
    return "/".join(parts)


# ------------------------------------------------------------------------------------------------------------------------------ worker


class Sweeper:
    """A process beside a worker that takes down what its trials were mounted on.

    The kernel lets an unmount wait until every processor has passed through a quiet state: milliseconds in which the worker can already run
    the next trial, on another of its few slots.
    """

    def __init__(self, slots: list[str]) -> None:
        self._slots = slots
        self._free = deque(range(len(slots)))
        self._sock, theirs = socket.socketpair()
        if os.fork() == 0:
            try:
                prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
                self._sock.close()
                while order := theirs.recv(1):
                    with contextlib.suppress(OSError):
                        unmount(slots[order[0]])
                    theirs.send(order)
            finally:
                os._exit(0)
        theirs.close()

    def take(self) -> str:
        """A slot with nothing mounted on it."""
        if not self._free:
            self._free.extend(self._sock.recv(len(self._slots)))
        if not self._free:
            raise Fault("the process that unmounts died")
        return self._slots[self._free.popleft()]

    def give_back(self, slot: str) -> None:
        """Have a slot cleared."""
        self._sock.send(bytes([self._slots.index(slot)]))


SLOTS: Final = 3


class Worker:
    """Runs one trial after the other."""

    def __init__(self, place: Place, number: int) -> None:
        self._place = place
        slots = [f"{place.scratch}/slots/{number}.{slot}" for slot in range(SLOTS)]
        for slot in slots:
            os.makedirs(slot, exist_ok=True)
            with contextlib.suppress(OSError):  # what a worker of this number left when it died
                while True:
                    unmount(slot)
        self._sweeper = Sweeper(slots)
        self._executor = Executor(place, Memory(place.limits["memory_mb"], f"{place.scratch}/proc", place.oom_counter))
        self._fixtures = Fixtures(place, self._executor)

    def serve(self, fd: int) -> None:
        """Answer each trial of a socket until it closes."""
        while (frame := read_frame(fd)) is not None:
            trial = unpack(frame)
            write_all(fd, pack({"n": trial["n"], **self._answer(trial)}))
            with contextlib.suppress(Fault, OSError):  # the next trial meets it again, and tells it
                self._executor.rest()

    def _answer(self, trial: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._trial(trial)
        except Fault as fault:
            return {"type": "fault", "reason": fault.reason}
        except OSError as error:
            return {"type": "fault", "reason": f"the trial could not be run: {error}"}

    def _trial(self, trial: dict[str, Any]) -> dict[str, Any]:
        conditions = trial["conditions"]
        layer = self._fixtures.layer(trial["fixture"], conditions, trial["conditions"]["environment"])
        limits = self._place.limits
        slot = self._sweeper.take()
        try:
            root = trial_root(self._place, slot, layer, self._place.base(conditions))
            shift = self._clock_shift(conditions["clock_shift_s"], trial["argv"][0])
            program = Program(
                trial["argv"],
                shifted(trial["env"], shift),
                trial["cwd"],
                trial["stdin"],
                conditions["host"],
                conditions["uid"],
                conditions["first_pid"],
                trial["timeout_s"] or limits["wall_s"],
                tool=True,
            )
            ended = self._executor.run(program, root, lambda: self._check(layer, root, shift))
            differ = Differ(limits["content_bytes"], 16 * limits["content_bytes"], 2 * limits["disk_mb"] << 20)
            changes = root.changes(differ) if self._place.hello["record"] else []
        finally:
            self._sweeper.give_back(slot)
        return {
            "type": "result",
            "status": ended.status,
            "stdout": ended.stdout.result(),
            "stderr": ended.stderr.result(),
            "changes": changes,
            "resources": (ended.wall_s, ended.cpu_s, ended.max_rss_kb),
        }

    def _check(self, layer: Layer, root: Root, shift: int) -> None:
        """Verify that the state is the fixture's, and date what has an age."""
        if digest_tree(WRITABLE, root.merged) != layer.digest:
            raise Fault("the state at the start was not the fixture's")
        now = time.time() + shift
        for path, age in layer.aged:
            os.utime(f"{root.merged}/{path}", (now - age, now - age), follow_symlinks=False)

    def _clock_shift(self, seconds: int, tool: str) -> int:
        """By how much the clock of a tool can be moved: not at all where it asks the kernel itself, as Go programs do."""
        if not seconds or faketime() is None:
            return 0
        return 0 if asks_the_kernel(f"{self._place.scratch}/prefix", tool) else seconds


def asks_the_kernel(prefix: str, tool: str) -> bool:
    """Whether an installed tool is a program of Go, which does not use the C library's clock. Links are followed as trials see them."""
    path = f"{prefix}/bin/{tool}"
    for _ in range(10):
        if not os.path.islink(path):
            break
        target = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
        path = f"{prefix}{target[len(TOOL) + 1 :]}" if target.startswith(f"/{TOOL}/") else target
    try:
        with open(path, "rb") as stream:
            head = stream.read(1 << 13)
    except OSError:
        return False
    return head.startswith(b"\x7fELF") and b"Go\0\0" in head  # the name of the note that holds Go's build id


def faketime() -> str | None:
    """The library that shows dynamically linked programs another time, where the system has it."""
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"):
        if os.path.exists(path := f"{folder}/faketime/libfaketime.so.1"):
            return path
    return None


def shifted(env: dict[str, str], seconds: int) -> dict[str, str]:
    """An environment in which the clock is `seconds` ahead, where that can be done."""
    library = faketime() if seconds else None
    if library is None:
        return env
    # Its shared memory would stay in /dev/shm, as if the tool had created it, when a process that was faked executes another program.
    quiet = {"NO_FAKE_STAT": "1", "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DISABLE_SHM": "1"}
    return {**env, "LD_PRELOAD": library, "FAKETIME": f"+{seconds}s", **quiet}


# ------------------------------------------------------------------------------------------------------------------------------ server


@dataclass
class Hand:
    """A worker process as the server sees it."""

    pid: int
    sock: socket.socket
    reader: FrameReader = field(default_factory=FrameReader)
    out: bytearray = field(default_factory=bytearray)
    trial: int | None = None


class Server:
    """Hands trials to workers and their answers to the client. It never blocks: what can't be written yet is kept, which is bounded by
    the client's window."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._queue: deque[tuple[int, bytes]] = deque()
        self._out = bytearray()
        self._hands: list[Hand] = []

    def serve(self) -> None:
        """Until the end of the input."""
        for number in range(int(self._place.hello["workers"])):
            self._hands.append(self._hire(number))
        reader = FrameReader()
        os.set_blocking(0, False)
        os.set_blocking(1, False)
        poll = select.poll()
        while True:
            self._assign()
            poll.register(0, select.POLLIN)
            if self._out:
                poll.register(1, select.POLLOUT)
            else:
                with contextlib.suppress(KeyError):
                    poll.unregister(1)
            for hand in self._hands:
                poll.register(hand.sock, select.POLLIN | (select.POLLOUT if hand.out else 0))
            for fd, event in poll.poll():
                if fd == 0:
                    try:
                        data = os.read(0, PASSED_ON)
                    except BlockingIOError:
                        continue
                    if not data:
                        return
                    for frame in reader.feed(data):
                        self._take(frame)
                elif fd == 1:
                    with contextlib.suppress(OSError):
                        del self._out[: os.write(1, memoryview(bytes(self._out[:PASSED_ON])))]
                    if event & (select.POLLERR | select.POLLHUP):
                        return
                else:
                    self._talk(next(number for number, hand in enumerate(self._hands) if hand.sock.fileno() == fd), event, poll)

    def _take(self, frame: bytes) -> None:
        message = unpack(frame)
        if message["type"] == "fixture":
            write_file(f"{self._place.scratch}/fixtures/{message['digest']}.frame", frame)
        elif message["type"] == "trial":
            self._queue.append((message["n"], frame))

    def _assign(self) -> None:
        for hand in self._hands:
            if hand.trial is None and self._queue:
                hand.trial, frame = self._queue.popleft()
                hand.out += frame

    def _talk(self, number: int, event: int, poll: select.poll) -> None:
        hand = self._hands[number]
        try:
            if event & select.POLLOUT:
                del hand.out[: hand.sock.send(hand.out[:PASSED_ON])]
            data = hand.sock.recv(PASSED_ON) if event & (select.POLLIN | select.POLLHUP | select.POLLERR) else None
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data == b"":
            poll.unregister(hand.sock)
            self._replace(number)
        for frame in hand.reader.feed(data) if data else ():
            self._out += frame
            hand.trial = None

    def _replace(self, number: int) -> None:
        hand = self._hands[number]
        hand.sock.close()
        _, status = os.waitpid(hand.pid, 0)
        if hand.trial is not None:
            code = os.waitstatus_to_exitcode(status)
            self._out += pack({"type": "fault", "n": hand.trial, "reason": f"the worker of the trial died (status {code})"})
        self._hands[number] = self._hire(number)

    def _hire(self, number: int) -> Hand:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            try:
                prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
                ours.close()
                for hand in self._hands:
                    hand.sock.close()
                null = os.open(f"{self._place.scratch}/dev/null", os.O_RDWR)
                os.dup2(null, 0)
                os.dup2(null, 1)
                Worker(self._place, number).serve(theirs.fileno())
            finally:
                os._exit(1)
        theirs.close()
        ours.setblocking(False)
        return Hand(pid, ours)


def main() -> int:
    """Serve one client on standard input and output."""
    gc.disable()  # a collection would touch, and so copy, the memory that forked processes share
    frame = read_frame(0)
    if frame is None:
        return 0
    hello = unpack(frame)
    try:
        if hello["protocol"] != PROTOCOL:
            raise Fault(f"this runner speaks protocol {PROTOCOL}, not {hello['protocol']}", "rebuild the sandbox image")
        if platform.machine() not in _NUMBERS:
            raise Fault(f"no sandbox for {platform.machine()} yet", f"use one of {', '.join(_NUMBERS)}")
        place = enter_place(hello)
        choose_isolation(place)
    except (Fault, OSError) as error:
        fault = error if isinstance(error, Fault) else Fault(f"could not be set up: {error}")
        write_all(1, pack({"type": "fault", "reason": fault.reason, "fix": fault.fix}))
        return 1
    ready = {
        "type": "ready",
        "isolation": place.isolation,
        "why_copy": place.reason,
        "kernel": platform.release(),
        "python": platform.python_version(),
        "faketime": faketime() is not None,
    }
    write_all(1, pack(ready))
    Server(place).serve()
    return 0


def runner_digest() -> str:
    """SHA-256 of this file, part of every recording's key."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
