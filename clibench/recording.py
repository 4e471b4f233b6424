"""What one execution did: `<C_ret, dS, O_std>` (paper II-C), as bytes.

Nothing is decoded or normalised here; that belongs to the comparers. Exit, signal, time-out and out-of-memory are four different ends.
Paths and argv are `str` with surrogateescape for bytes that are not UTF-8; JSON keeps them as escaped lone surrogates.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from clibench.digest import digest_bytes, digest_json


class End(StrEnum):
    """How the process under test ended."""

    EXIT = "exit"
    SIGNAL = "signal"
    TIMEOUT = "timeout"
    OOM = "oom"


@dataclass(frozen=True)
class Status:
    """The exit status: `code` is the exit code for EXIT, the signal number for SIGNAL, 0 otherwise."""

    end: End
    code: int = 0

    @property
    def ok(self) -> bool:
        """Exited by itself with code 0."""
        return self.end is End.EXIT and self.code == 0

    def __str__(self) -> str:
        return f"{self.end} {self.code}" if self.end in (End.EXIT, End.SIGNAL) else str(self.end)


@dataclass(frozen=True)
class Output:
    """One captured stream. `data` is at most the cap's first bytes; `size` and `sha256` are of all that was written up to the kill."""

    data: bytes
    size: int
    sha256: str
    truncated: bool = False

    @classmethod
    def of(cls, data: bytes) -> Output:
        """A whole, untruncated stream."""
        return cls(data, len(data), digest_bytes(data))


EntryType = Literal["file", "dir", "symlink", "fifo", "socket", "device"]
ChangeKind = Literal["created", "modified", "deleted"]


@dataclass(frozen=True, order=True)
class Change:
    """One path that a trial left different from the state it started from. A file rewritten with the same bytes and mode is no change."""

    path: str
    """Absolute path as the process saw it, for example /workspace/out.txt."""
    kind: ChangeKind
    type: EntryType
    """Type after the trial; for a deletion, the type before."""
    mode: int = 0
    """Permission bits (0o7777) after the trial; 0 for a deletion or symlink."""
    size: int = 0
    sha256: str | None = None
    """Of the content, for a file that exists after the trial."""
    target: str | None = None
    """Of a symlink."""
    content: bytes | None = None
    """The file's bytes where they are within the recorder's cap per file and per trial, else None (size and sha256 still hold)."""


@dataclass(frozen=True)
class Resources:
    """What the trial used. Never part of a digest or a verdict: it varies from run to run."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    max_rss_kb: int = 0


@dataclass(frozen=True)
class Recording:
    """One execution of one case."""

    status: Status
    stdout: Output
    stderr: Output
    changes: tuple[Change, ...] = ()
    """Sorted by path."""
    resources: Resources = Resources()

    def digest(self) -> str:
        """Digest of what the execution did, without what it used."""
        body = to_json(self)
        del body["resources"]
        return digest_json(body)


def to_json(recording: Recording) -> dict[str, Any]:
    """JSON form; bytes are text where they are plain ASCII or UTF-8 without loss, else {"b64": ...}."""
    return {
        "status": [recording.status.end.value, recording.status.code],
        "stdout": _output_to_json(recording.stdout),
        "stderr": _output_to_json(recording.stderr),
        "changes": [_change_to_json(change) for change in recording.changes],
        "resources": [round(recording.resources.wall_s, 6), round(recording.resources.cpu_s, 6), recording.resources.max_rss_kb],
    }


def from_json(body: dict[str, Any]) -> Recording:
    """Inverse of `to_json`; raises KeyError, TypeError or ValueError for a body that is not one."""
    end, code = body["status"]
    wall_s, cpu_s, max_rss_kb = body["resources"]
    return Recording(
        status=Status(End(end), int(code)),
        stdout=_output_from_json(body["stdout"]),
        stderr=_output_from_json(body["stderr"]),
        changes=tuple(_change_from_json(change) for change in body["changes"]),
        resources=Resources(float(wall_s), float(cpu_s), int(max_rss_kb)),
    )


def bytes_to_json(data: bytes) -> str | dict[str, str]:
    """Text where `data` is UTF-8, else {"b64": base64}; one of the two for given bytes, and lossless."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(data).decode("ascii")}


def bytes_from_json(value: str | dict[str, str]) -> bytes:
    """Inverse of `bytes_to_json`."""
    return value.encode("utf-8") if isinstance(value, str) else base64.b64decode(value["b64"], validate=True)


def _output_to_json(output: Output) -> dict[str, Any]:
    body: dict[str, Any] = {"data": bytes_to_json(output.data)}
    if output.truncated or output.size != len(output.data):
        body |= {"size": output.size, "sha256": output.sha256, "truncated": output.truncated}
    return body


def _output_from_json(body: dict[str, Any]) -> Output:
    data = bytes_from_json(body["data"])
    if "size" not in body:
        return Output.of(data)
    return Output(data, int(body["size"]), str(body["sha256"]), bool(body["truncated"]))


def _change_to_json(change: Change) -> dict[str, Any]:
    body: dict[str, Any] = {"path": change.path, "kind": change.kind, "type": change.type}
    if change.kind != "deleted":
        body["mode"] = change.mode
    if change.sha256 is not None:
        body |= {"size": change.size, "sha256": change.sha256}
    if change.target is not None:
        body["target"] = change.target
    if change.content is not None:
        body["content"] = bytes_to_json(change.content)
    return body


def _change_from_json(body: dict[str, Any]) -> Change:
    return Change(
        path=body["path"],
        kind=body["kind"],
        type=body["type"],
        mode=int(body.get("mode", 0)),
        size=int(body.get("size", 0)),
        sha256=body.get("sha256"),
        target=body.get("target"),
        content=bytes_from_json(body["content"]) if "content" in body else None,
    )
