"""The first process of an agent's container: starts commands, ends them, carries sockets to ports. Standard library alone.

Its arguments are pairs: a port of 127.0.0.1 and the Unix socket that connections to it are carried to.

It speaks JSON lines with the harness over its standard streams and ends when they do, so that a container never outlives its run, however
the run ended. It says {"id": 0} when it is ready. Orders, each answered by one line with the same `id`:

    {"op": "run", "id": 1, "argv": [...], "cwd": "...", "env": {...}, "stdin": "...", "timeout_s": 60, "keep": 1048576, "merge": true}
        -> {"id": 1, "status": 0, "signal": null, "timed_out": false, "stdout": BASE64, "stderr": BASE64, "stdout_size": 9, ...}
    {"op": "scan", "id": 2, "roots": ["/home/user"], "since": UNIX TIME, "most": 200}
        -> {"id": 2, "files": [["/home/user/x", 120], ...], "more": false}
    {"op": "settle", "id": 3}
        -> {"id": 3}     every process of the container but this one is dead

A command is killed with all that it started, children that left its session included: each inherits a mark in its environment. Whoever
removes that mark is still reached by `settle`, which kills whatever there is.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

MARK = "CLIBENCH_COMMAND"
STARTING = threading.Lock()
WAITED: set[int] = set()
"""Commands whose status Popen has yet to take."""


class Kept:
    """What is kept of a stream: its first and its last half of `most` bytes."""

    def __init__(self, most: int) -> None:
        self._half = max(1, most // 2)
        self._head = b""
        self._tail = b""
        self.size = 0

    def read(self, stream: IO[bytes]) -> None:
        """Read to the end."""
        while chunk := os.read(stream.fileno(), 65536):
            self.size += len(chunk)
            room = self._half - len(self._head)
            self._head += chunk[:room]
            self._tail = (self._tail + chunk[room:])[-self._half :]

    def text(self) -> str:
        """As base64; a gap is told in its place."""
        gap = self.size - len(self._head) - len(self._tail)
        middle = f"\n... {gap} bytes left out ...\n".encode() if gap else b""
        return base64.b64encode(self._head + middle + self._tail).decode()


def run(order: dict[str, Any]) -> dict[str, Any]:
    """Run one command to its end or its time limit."""
    mark = f"{os.getpid()}-{order['id']}-{time.monotonic_ns()}"
    merged = order.get("merge", False)
    out, err = Kept(order["keep"]), Kept(order["keep"])
    try:
        with STARTING:
            process = subprocess.Popen(
                order["argv"],
                cwd=order.get("cwd") or None,
                env={**os.environ, **order.get("env", {}), MARK: mark},
                stdin=subprocess.PIPE if order.get("stdin") else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if merged else subprocess.PIPE,
                start_new_session=True,
            )
            WAITED.add(process.pid)
    except OSError as error:
        return {
            "status": 127,
            "signal": None,
            "timed_out": False,
            "stdout": "",
            "stderr": _b64(str(error)),
            "stdout_size": 0,
            "stderr_size": 0,
        }
    pairs = [(kept, stream) for kept, stream in ((out, process.stdout), (err, process.stderr)) if stream is not None]
    readers = [threading.Thread(target=_quietly, args=(kept, stream), daemon=True) for kept, stream in pairs]
    for reader in readers:
        reader.start()
    if process.stdin:
        threading.Thread(target=_feed, args=(process.stdin, order["stdin"].encode("utf-8", "surrogateescape")), daemon=True).start()
    timed_out = False
    try:
        process.wait(order.get("timeout_s"))
    except subprocess.TimeoutExpired:
        timed_out = True
        kill_marked(mark)
        process.wait()
    WAITED.discard(process.pid)
    # What it left in the background may hold its output open: that is no reason to wait for it.
    for reader in readers:
        reader.join(0.5)
    code = process.returncode
    return {
        "status": code if code >= 0 else 128 - code,
        "signal": -code if code < 0 else None,
        "timed_out": timed_out,
        "stdout": out.text(),
        "stderr": err.text(),
        "stdout_size": out.size,
        "stderr_size": err.size,
    }


def scan(order: dict[str, Any]) -> dict[str, Any]:
    """Regular files below `roots` that were written after `since`: [path, size]."""
    found: list[tuple[str, int]] = []
    for root in order["roots"]:
        for folder, _, names in os.walk(root):
            for name in names:
                path = f"{folder}/{name}"
                with contextlib.suppress(OSError):
                    status = os.lstat(path)
                    if stat.S_ISREG(status.st_mode) and status.st_mtime >= order["since"]:
                        found.append((path, status.st_size))
    found.sort()
    return {"files": found[: order["most"]], "more": len(found) > order["most"]}


def settle(_: dict[str, Any]) -> dict[str, Any]:
    """Kill every other process of the container."""
    while any(True for _ in _others()):
        for pid in _others():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
    return {}


def kill_marked(mark: str) -> None:
    """Kill every process that carries a mark, until there is none (one that forks meanwhile is met the next time round)."""
    needle = f"{MARK}={mark}".encode()
    while True:
        met = False
        for pid in _others():
            with contextlib.suppress(OSError):
                if needle in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    met = True
                    os.kill(pid, signal.SIGKILL)
        if not met:
            return
        time.sleep(0.01)


def _others() -> Iterator[int]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            with contextlib.suppress(OSError):
                state = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
                if state not in ("Z", "X"):
                    yield int(folder.name)


def _reap() -> None:
    """Orphans become children of the first process: collect the dead ones, but not the command that Popen waits for."""
    while True:
        time.sleep(1.0)
        with STARTING:
            for folder in Path("/proc").iterdir():
                if folder.name.isdigit() and int(folder.name) not in WAITED:
                    with contextlib.suppress(OSError):
                        os.waitpid(int(folder.name), os.WNOHANG)


def forward(port: int, path: str) -> None:
    """Carry connections to 127.0.0.1:port over to a Unix socket."""
    server = socket.create_server(("127.0.0.1", port), backlog=128)

    def serve() -> None:
        while True:
            client, _ = server.accept()
            threading.Thread(target=_join, args=(client, path), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()


def _join(client: socket.socket, path: str) -> None:
    upstream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        upstream.connect(path)
    except OSError:
        client.close()
        return
    back = threading.Thread(target=_pump, args=(upstream, client), daemon=True)
    back.start()
    _pump(client, upstream)
    back.join()
    client.close()
    upstream.close()


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for end, how in ((target, socket.SHUT_WR), (source, socket.SHUT_RD)):
        with contextlib.suppress(OSError):
            end.shutdown(how)


def _quietly(kept: Kept, stream: IO[bytes]) -> None:
    with contextlib.suppress(OSError, ValueError):
        kept.read(stream)


def _feed(stream: IO[bytes], data: bytes) -> None:
    with contextlib.suppress(OSError):
        stream.write(data)
        stream.close()


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


OPERATIONS = {"run": run, "scan": scan, "settle": settle}


def main() -> None:
    """Serve orders until standard input ends."""
    doors = list(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    os.umask(0o022)
    # Commands must not find the harness's streams among their own.
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    for port, path in doors:
        forward(int(port), path)
    threading.Thread(target=_reap, daemon=True).start()
    writing = threading.Lock()

    def say(body: dict[str, Any]) -> None:
        with writing, contextlib.suppress(OSError):
            answers.write(json.dumps(body).encode() + b"\n")
            answers.flush()

    def carry_out(order: dict[str, Any]) -> None:
        say({"id": order["id"], **OPERATIONS[order["op"]](order)})

    say({"id": 0})
    for line in orders:
        # Each in a thread of its own, so that `settle` can end a command that runs.
        threading.Thread(target=carry_out, args=(json.loads(line),), daemon=True).start()
    os._exit(0)


if __name__ == "__main__":
    main()
