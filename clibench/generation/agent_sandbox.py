"""The container that an agent works in: no network, no capability, nothing of clibench but the gateway's socket and its first process.

What the agent reaches is 127.0.0.1:PORT, carried over a Unix socket to the gateway on the host; with `network: registries` another port
too, carried to the package registries without the oracle (registry_mirror.py). The root is read-only; it writes to /workspace (the host's
folder of the submission), its home and /tmp. Labels and owner are those of every other container of clibench, so that what a killed run
leaves is removed at the next start; and the first process ends with its standard input, so that it leaves nothing.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import logging
import os
import queue
import secrets
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from clibench.errors import SandboxError, UserError, did_you_mean
from clibench.generation import registry_mirror
from clibench.generation.packages import Download
from clibench.generation.registry_mirror import RegistryMirror, agent_environment
from clibench.generation.registry_upstreams import upstreams
from clibench.sandbox.daemon import docker, docker_error
from clibench.sandbox.docker import reap_containers, remove_containers
from clibench.sandbox.installation import give_to
from clibench.sandbox.reap import OUTPUTS_LABEL, OWNER_LABEL, Owner, reap_scratch, scratch_folder
from clibench.tasks.task import Oracle

log = logging.getLogger(__name__)

PORT: Final = 8199
"""Where the gateway is found inside."""
WORKSPACE: Final = "/workspace"
HOME: Final = "/home/user"
_HOST: Final = "/usr/local/lib/clibench-agent-host.py"
_SOCKETS: Final = "/run/clibench"
_REGISTRIES: Final = "/run/clibench-registries"
NETWORKS: Final = ("none", "registries")
_POLL_S: Final = 2.0


@dataclass
class AgentSandboxSettings:
    """Bounds of an agent's container."""

    memory_mb: int = 4096
    processes: int = 1024
    cpus: float | None = None
    """Null is as many as there are."""
    network: str = "none"
    """What can be reached beside the model. none; registries: packages of PyPI, npm and Go, but not the oracle."""

    def __post_init__(self) -> None:
        if self.network not in NETWORKS:
            raise UserError(
                f"unknown value '{self.network}'", where="framework.sandbox.network", fix=did_you_mean(str(self.network), NETWORKS)
            )

    def identity(self) -> dict[str, Any]:
        """What of it can change a result."""
        return {} if self.network == "none" else {"network": self.network}


@dataclass(frozen=True)
class CommandEnd:
    """How a command in the container ended."""

    status: int
    """Exit status; 128 + number for a signal."""
    timed_out: bool
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True)
class Placement:
    """Where the container's outside is."""

    image: str
    workspace: Path
    socket_folder: Path
    outputs: Path
    settings: AgentSandboxSettings = field(default_factory=AgentSandboxSettings)
    oracle: Oracle | None = None
    """What the registries don't give."""


class AgentSandbox:
    """A context manager: inside it commands can be run, after it nothing of the container is left."""

    def __init__(self, placement: Placement) -> None:
        self._placement = placement
        self._label = f"clibench.agent={secrets.token_hex(6)}"
        self._stack = ExitStack()
        self._process: subprocess.Popen[bytes] | None = None
        self._orders = 0
        self._lock = threading.Lock()
        self._answers: dict[int, queue.SimpleQueue[dict[str, Any] | None]] = {}
        self._ended = False
        self._mirror: RegistryMirror | None = None
        self.started = 0.0

    def __enter__(self) -> Self:
        reap_containers()
        reap_scratch()
        uid, gid = agent_user()
        scratch = self._stack.enter_context(scratch_folder("agent"))
        try:
            for name in ("home", "tmp"):
                (scratch / name).mkdir()
                give_to(scratch / name, uid, gid)
            give_to(self._placement.workspace, uid, gid)
            if self._placement.settings.network == "registries":
                self._mirror = self._stack.enter_context(self._registries(scratch / "registries"))
            self._errors = self._stack.enter_context((scratch / "errors").open("w+b"))
            ready = self._expect(0)
            self._process = subprocess.Popen(self._command(scratch), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors)
            threading.Thread(target=self._read, name="agent-container", daemon=True).start()
            if ready.get() is None:
                raise self._broken()
            self.started = time.time() - 2
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop()

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str = WORKSPACE,
        stdin: str = "",
        timeout_s: float | None = None,
        keep: int = 1 << 23,
        merge: bool = False,
        stop: Callable[[], bool] | None = None,
    ) -> CommandEnd:
        """Run a command to its end; at the time limit it is killed with all that it started. `keep` is what is kept of each stream.

        `stop` is asked every other second: True kills everything in the container, and so ends the command.
        """
        order = {"op": "run", "argv": list(argv), "env": dict(env or {}), "cwd": cwd, "stdin": stdin, "timeout_s": timeout_s}
        body = self._ask({**order, "keep": keep, "merge": merge}, stop)
        return CommandEnd(body["status"], body["timed_out"], base64.b64decode(body["stdout"]), base64.b64decode(body["stderr"]))

    def settle(self) -> None:
        """Kill everything that still runs inside."""
        self._ask({"op": "settle"})

    def written_elsewhere(self, roots: Sequence[str] = (HOME, "/tmp"), most: int = 1000) -> list[str]:  # noqa: S108 - inside the container
        """Regular files that were written outside the workspace since the start."""
        return [path for path, _ in self._ask({"op": "scan", "roots": list(roots), "since": self.started, "most": most})["files"]]

    @property
    def downloads(self) -> tuple[Download, ...] | None:
        """What was asked of the package registries; None where they can't be reached."""
        return None if self._mirror is None else self._mirror.downloads

    def _registries(self, folder: Path) -> RegistryMirror:
        folder.mkdir()
        folder.chmod(0o755)
        return RegistryMirror(folder, self._placement.oracle, upstreams(self._placement.image))

    def _ask(self, order: dict[str, Any], stop: Callable[[], bool] | None = None) -> dict[str, Any]:
        with self._lock:
            self._orders += 1
            number = self._orders
            answers = self._expect(number)
            try:
                self._stdin.write(json.dumps({**order, "id": number}).encode() + b"\n")
                self._stdin.flush()
            except (OSError, ValueError) as error:
                raise self._broken() from error
        if self._ended:
            raise self._broken()
        while True:
            try:
                answer = answers.get(timeout=_POLL_S if stop else None)
            except queue.Empty:
                if stop and stop():
                    stop = None
                    self.settle()
                continue
            if answer is None:
                raise self._broken()
            return answer

    def _expect(self, number: int) -> queue.SimpleQueue[dict[str, Any] | None]:
        answers: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._answers[number] = answers
        return answers

    def _read(self) -> None:
        assert self._process and self._process.stdout  # noqa: S101
        try:
            for line in self._process.stdout:
                body = json.loads(line)
                self._answers.pop(body["id"]).put(body)
        except (OSError, ValueError, KeyError):
            pass
        self._ended = True
        for waiting in list(self._answers.values()):
            waiting.put(None)

    def _broken(self) -> SandboxError:
        self._errors.seek(0)
        printed = self._errors.read().decode(errors="replace")
        return (
            docker_error("the agent's container", printed)
            if printed.strip()
            else SandboxError("ended early", where="the agent's container")
        )

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process and self._process.stdin  # noqa: S101
        return self._process.stdin

    def _stop(self) -> None:
        try:
            if self._process is not None:
                self._process.kill()
                self._process.wait()
                for stream in (self._process.stdin, self._process.stdout):
                    if stream is not None:
                        stream.close()
            discard(self._label)
        finally:
            self._stack.close()

    def _command(self, scratch: Path) -> list[str]:
        uid, gid = agent_user()
        placement = self._placement
        settings = placement.settings
        mirror = self._mirror
        environment = _ENVIRONMENT | (agent_environment(mirror.upstreams) if mirror else {})
        doors = [(str(PORT), f"{_SOCKETS}/llm.sock")]
        if mirror:
            doors.append((str(registry_mirror.PORT), f"{_REGISTRIES}/{registry_mirror.SOCKET}"))
        labels = {OWNER_LABEL: Owner.current().token, OUTPUTS_LABEL: str(placement.outputs.absolute())}
        return [
            *("docker", "run", "--rm", "--interactive", "--pull=never", "--log-driver=none", "--read-only"),
            *("--network=none", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--hostname=sandbox", "--ulimit=core=0"),
            f"--label={self._label}",
            *(f"--label={name}={value}" for name, value in labels.items()),
            f"--user={uid}:{gid}",
            f"--workdir={WORKSPACE}",
            f"--memory={settings.memory_mb}m",
            f"--memory-swap={settings.memory_mb}m",
            f"--pids-limit={settings.processes}",
            *((f"--cpus={settings.cpus}",) if settings.cpus else ()),
            *(f"--env={name}={value}" for name, value in environment.items()),
            mount(placement.workspace, WORKSPACE),
            mount(scratch / "home", HOME),
            mount(scratch / "tmp", "/tmp"),  # noqa: S108 - inside the container
            mount(placement.socket_folder, _SOCKETS, readonly=True),
            *((mount(scratch / "registries", _REGISTRIES, readonly=True),) if mirror else ()),
            mount(Path(__file__).with_name("agent_host.py"), _HOST, readonly=True),
            placement.image,
            *("python3", "-I", "-S", _HOST, *(word for door in doors for word in door)),
        ]


_ENVIRONMENT: Final = {
    "HOME": HOME,
    "USER": "user",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "GOFLAGS": "-buildvcs=false",
    "GOTOOLCHAIN": "local",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "npm_config_update_notifier": "false",
}


def discard(label: str) -> None:
    """Remove containers as well as can be: what a slow or vanished daemon keeps is reaped at the next start, and no work is lost for it."""
    try:
        remove_containers(label)
    except SandboxError as error:
        log.warning("a container of an agent is left to the next start: %s", error.what)


def agent_user() -> tuple[int, int]:
    """Who an agent runs as: this user, so that what it writes is this user's; where this is root, the sandbox's own account."""
    return (os.getuid(), os.getgid()) if os.getuid() != 0 else (1000, 1000)


def mount(source: Path, target: str, *, readonly: bool = False) -> str:
    """A bind mount in the form that takes any path: fields of CSV."""
    line = io.StringIO()
    fields = ["type=bind", f"source={source.resolve()}", f"target={target}", *(["readonly"] if readonly else [])]
    csv.writer(line, lineterminator="").writerow(fields)
    return f"--mount={line.getvalue()}"


def require_docker() -> None:
    """Raise SandboxError where no daemon answers."""
    docker("version", "--format", "{{.Server.Version}}", timeout_s=20)
