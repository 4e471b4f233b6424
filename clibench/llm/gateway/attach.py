"""What the rest of clibench asks of the gateway: find or start the process, register a run, hear how it went.

One connection a process, opened at the first use; it is what keeps the gateway alive, and its end, by whatever cause, ends the runs that
came over it. The provider's key crosses it (a socket in a folder that only its owner can enter) and is in no environment and no file.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from clibench.errors import InfraError, UserError
from clibench.llm.gateway.runs import ClosedBy, RunLimits
from clibench.llm.gateway.runtime import reap_runtimes, start_held
from clibench.llm.ledger import Scope, Totals
from clibench.llm.models import ModelConfig
from clibench.llm.settings import LlmSettings, ModelSettings

_START_S: Final = 60.0


@dataclass(frozen=True)
class Account:
    """How a run went, by the gateway's own books."""

    closed_by: ClosedBy
    """Empty while it may still call. limit, budget: used up. outage: the provider failed. replay: nothing recorded."""
    closed_why: str
    closed_level: str
    """Of a spent budget: call, task, job, sweep."""
    passing: bool
    """Of an outage: whether a new run may fare better at once."""
    totals: Totals


@dataclass(frozen=True)
class Lease:
    """A registered run. A context manager: its token is worth nothing afterwards."""

    gateway: Gateway
    token: str
    url: str
    """Root address on loopback, for loops on the host (`/v1` comes after it for OpenAI clients)."""
    socket_folder: Path
    """Folder that holds `llm.sock`, to be bind-mounted."""
    log: Path
    """JSON lines of the run's calls."""

    def account(self) -> Account:
        """How it went until now."""
        return self.gateway.account(self.token, "account")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.gateway.account(self.token, "close")


class Gateway:
    """This process's connection to the gateway of an outputs folder."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._stream = connection.makefile("rwb")
        self._lock = threading.Lock()

    def greet(self) -> int:
        """Its process id."""
        return int(self._ask({"op": "hello"})["hello"])

    def register(self, scope: Scope, model: ModelSettings, config: ModelConfig, llm: LlmSettings, limits: RunLimits) -> Lease:
        """Open a run of `scope` for the model (its key is looked up now: MissingKeyError)."""
        settings = replace(model, base_url=config.base_url)
        body = {"op": "register", "scope": asdict(scope), "model": asdict(settings), "llm": asdict(llm), "limits": asdict(limits)}
        answer = self._ask({**body, "key": config.key()})
        return Lease(self, answer["token"], answer["url"], Path(answer["socket"]), Path(answer["log"]))

    def account(self, token: str, op: str) -> Account:
        """Ask for, or close, a run."""
        answer = self._ask({"op": op, "token": token})
        return Account(**{**answer, "totals": Totals(**answer["totals"])})

    def close(self) -> None:
        """Let go of it: the runs that were registered here end."""
        self._stream.close()
        self._connection.close()

    def _ask(self, body: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            try:
                self._stream.write(json.dumps(body).encode() + b"\n")
                self._stream.flush()
                line = self._stream.readline()
            except (OSError, ValueError) as error:
                raise _gone() from error
        if not line:
            raise _gone()
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise (UserError if answer["exit_code"] == 2 else InfraError)(answer["error"])
        return answer


def _gone() -> InfraError:
    return InfraError("the model gateway has ended", fix="See gateway/gateway.log under the outputs, then run again: what is done is kept.")


def attach(outputs: Path) -> Gateway:
    """The gateway of an outputs folder, started where it does not run yet. Raises InfraError."""
    deadline = time.monotonic() + _START_S
    with start_held(outputs) as runtime:
        reap_runtimes(but=runtime)
        while time.monotonic() < deadline:
            gateway = _connect(runtime)
            if gateway is not None:
                return gateway
            _start(runtime, outputs)
    raise InfraError("the model gateway did not start", where=str(outputs / "gateway" / "gateway.log"))


def _connect(runtime: Path) -> Gateway | None:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(runtime / "control.sock"))
    except OSError:
        connection.close()
        return None
    gateway = Gateway(connection)
    try:
        gateway.greet()  # one that is just ending accepts a connection and closes it
    except InfraError:
        gateway.close()
        return None
    return gateway


def _start(runtime: Path, outputs: Path) -> None:
    log = outputs / "gateway" / "gateway.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    readable, writable = os.pipe()
    try:
        with log.open("ab") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", "clibench.llm.gateway.server", str(runtime), str(outputs.resolve()), str(writable)],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                pass_fds=(writable,),
                start_new_session=True,  # Ctrl-C is for its owner; it ends when its owners have ended
            )
    finally:
        os.close(writable)
    with os.fdopen(readable, "rb") as ready:
        if ready.read(1) != b"1" and process.wait() != 0:
            raise InfraError(f"the model gateway ended at its start with status {process.returncode}", where=str(log))
