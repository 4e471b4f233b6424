"""The client of the runner: trials over a pipe to a process that serves `runner.py`, wherever it runs.

Back ends differ in how they start that process and in what they put into `hello`; all else is here: several trials in flight (at most two a
worker, so that a slow consumer holds the runner back), fixtures sent once, and what becomes of a runner that dies or falls silent: the
trials in flight end as `TrialFault`, a new runner is started for the others, and where that fails too it is a `SandboxError`.
"""

from __future__ import annotations

import os
import select
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import TracebackType
from typing import IO, Any, Final, Self

from clibench.digest import digest_json
from clibench.errors import SandboxError
from clibench.recording import Change, End, Output, Recording, Resources, Status
from clibench.sandbox.contract import CONTRACT, SOURCE_DATE_EPOCH, UMASK, Conditions, conditions
from clibench.sandbox.interface import Limits, TrialFault
from clibench.sandbox.runner import PROTOCOL, FrameReader, pack, unpack
from clibench.tasks.case import Case, Fixture

IN_FLIGHT_PER_WORKER: Final = 2
SILENCE_S: Final = 60.0
"""Beyond a trial's own time limit, how long a runner may say nothing."""
RESTARTS: Final = 3


@dataclass(frozen=True)
class RunnerPlace:
    """What a back end says in `hello` about the place where its runner runs."""

    backend: str
    """`docker`: the root of the container is the lower layer. `local`: a skeleton with the host's system folders is."""
    prefix: str | None = "/opt/tool"
    """Where the runner finds the installation; it is seen at /opt/tool in trials."""
    isolation: str = "auto"
    """auto, overlay or copy."""
    uid: int = 1000
    """The user of the runner's own user namespace that trials run as (they see themselves as the contract's)."""
    system: tuple[dict[str, Any], ...] = ()
    """Local only: the folders and links that make up the system (see `local.system_folders`)."""
    drop_to: int | None = None
    """Local only, when started as root: the unprivileged user that the runner becomes first."""
    toolchain: bool = False
    """Local only: /opt/toolchain/bin comes second on PATH."""
    binds: tuple[tuple[str, str], ...] = ()
    """Local only: (folder of the host, where it is seen), writable; for an installation."""
    prefix_writable: bool = False
    """For an installation."""
    network: bool = False
    """For an installation: stay in the network that the runner was started in."""
    record: bool = True
    """Whether side effects are asked for."""


@dataclass
class ProcessChannel:
    """Frames to and from a process' standard input and output. Its standard error is kept for the reason of its death."""

    argv: Sequence[str]
    env: Mapping[str, str] | None = None
    _process: subprocess.Popen[bytes] | None = None
    _stderr: IO[bytes] | None = None
    _reader: FrameReader = field(default_factory=FrameReader)
    _waiting: list[bytes] = field(default_factory=list)

    def start(self) -> None:
        """Start the process; SandboxError where there is none to start."""
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        try:
            self._process = subprocess.Popen(
                list(self.argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr, env=self.env, start_new_session=True
            )
        except OSError as error:
            self._stderr.close()
            raise SandboxError(f"could not start {self.argv[0]}: {error.strerror}", where="sandbox") from error
        for fd in self._pipes():
            os.set_blocking(fd, False)

    def send(self, frame: bytes, *, timeout: float = SILENCE_S) -> None:
        """Write a whole frame, reading what arrives meanwhile, so that two full pipes never wait for each other."""
        stdin, stdout = self._pipes()
        rest = memoryview(frame)
        deadline = time.monotonic() + timeout
        while rest:
            readable, writable = _ready(stdout, stdin, deadline)
            if readable:
                self._fill()
            if writable:
                try:
                    rest = rest[os.write(stdin, rest[: 1 << 20]) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise SandboxError(self.death(), where="sandbox") from error
            elif not readable:
                raise SandboxError(f"the runner took no input for {timeout:.0f} s", where="sandbox")

    def receive(self, *, timeout: float) -> bytes:
        """The next frame; SandboxError where the process ends or says nothing for `timeout` seconds."""
        _, stdout = self._pipes()
        deadline = time.monotonic() + timeout
        while not self._waiting:
            readable, _ = _ready(stdout, None, deadline)
            if not readable:
                raise SandboxError(f"the runner said nothing for {timeout:.0f} s", where="sandbox")
            self._fill()
        return self._waiting.pop(0)

    def close(self) -> None:
        """End the process: by the end of its input, then by SIGKILL. Its trials die with it."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self._stderr is not None:
            self._stderr.close()

    def death(self) -> str:
        """Why the process is gone, as far as it said."""
        process = self._process
        if process is None or self._stderr is None:
            return "the runner is closed"
        try:
            code = process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return "the runner closed its output"
        self._stderr.seek(0)
        said = self._stderr.read()[-2000:].decode("utf-8", "replace").strip()
        return f"the runner ended with status {code}" + (f": {said.splitlines()[-1]}" if said else "")

    def _pipes(self) -> tuple[int, int]:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise SandboxError("the runner is closed", where="sandbox")
        return process.stdin.fileno(), process.stdout.fileno()

    def _fill(self) -> None:
        try:
            data = os.read(self._pipes()[1], 1 << 20)
        except BlockingIOError:
            return
        except OSError as error:
            raise SandboxError(self.death(), where="sandbox") from error
        if not data:
            raise SandboxError(self.death(), where="sandbox")
        self._waiting.extend(self._reader.feed(data))


def _ready(readable: int, writable: int | None, deadline: float) -> tuple[bool, bool]:
    """Wait until one can be read or the other written to; (False, False) after the deadline."""
    poll = select.poll()
    poll.register(readable, select.POLLIN)
    if writable is not None:
        poll.register(writable, select.POLLOUT)
    ready = dict(poll.poll(max(0.0, deadline - time.monotonic()) * 1000))
    return readable in ready, writable in ready


class PipeSession:
    """Implements `interface.Session` over a process that serves the runner's protocol.

    `argv` starts that process (`docker exec -i ID python3 -I -S /path/runner.py`, or the same file on the host); `on_close` is called once,
    after it has ended, to remove what the back end made for the session. The runner is started, and greeted, on entry.
    """

    def __init__(
        self,
        argv: Sequence[str],
        place: RunnerPlace,
        *,
        limits: Limits,
        workers: int,
        env: Mapping[str, str] | None = None,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self._argv, self._env, self._place, self._limits, self._workers = argv, env, place, limits, max(1, workers)
        self._on_close = on_close
        self._closed = False
        self._channel: ProcessChannel | None = None
        self._known: set[str] = set()
        self._number = 0
        self._restarts = 0
        self.ready: dict[str, Any] = {}
        """What the runner said of itself: isolation, cgroup, kernel, python, faketime."""

    def __enter__(self) -> Self:
        try:
            self._connect()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        """Whether there is anything to close."""
        return not self._closed

    def close(self) -> None:
        """End the runner and its trials, then what the back end made. May be called twice."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if not self._closed:
            self._closed = True
            self._on_close()

    def run(
        self, cases: Iterable[Case], fixtures: Mapping[str, Fixture], *, stability: int | None = None
    ) -> Iterator[tuple[Case, Recording | TrialFault]]:
        """As in `interface.Session`. One run at a time; one that is left early costs the next nothing but its trials in flight."""
        under = conditions(stability)
        flying: dict[int, Case] = {}
        waiting = iter(cases)
        more = True
        while more or flying:
            try:
                while more and len(flying) < IN_FLIGHT_PER_WORKER * self._workers:
                    case = next(waiting, None)
                    if case is None:
                        more = False
                        break
                    fixture = fixtures.get(case.fixture)
                    if fixture is None:
                        yield case, TrialFault(f"case {case.id}: there is no fixture {case.fixture[:12]}")
                        continue
                    self._number += 1
                    flying[self._number] = case
                    self._send_trial(self._number, case, fixture, under)
                if not flying:
                    break
                result = self._receive(self._patience(flying.values()))
            except SandboxError as error:
                for case in flying.values():
                    yield case, TrialFault(error.message)
                flying.clear()
                if more:
                    self._reconnect(error)
                continue
            if result.get("n") in flying:
                case = flying.pop(result["n"])
                yield case, outcome(result)

    def _patience(self, flying: Iterable[Case]) -> float:
        longest = max((case.timeout_s or self._limits.wall_s for case in flying), default=self._limits.wall_s)
        # A trial may wait for one other of its worker, and for the preparation of its fixture.
        return (IN_FLIGHT_PER_WORKER + 1) * longest + SILENCE_S

    def _send_trial(self, number: int, case: Case, fixture: Fixture, under: Conditions) -> None:
        if case.fixture not in self._known:
            self._open_channel().send(pack(fixture_message(case.fixture, fixture)))
            self._known.add(case.fixture)
        self._open_channel().send(pack(trial_message(number, case, under, toolchain=self._place.toolchain)))

    def _receive(self, timeout: float) -> dict[str, Any]:
        return unpack(self._open_channel().receive(timeout=timeout))

    def _open_channel(self) -> ProcessChannel:
        if self._channel is None:
            raise SandboxError("the session is closed", where=f"sandbox={self._place.backend}")
        return self._channel

    def _connect(self) -> None:
        self._known.clear()
        self._channel = ProcessChannel(self._argv, self._env)
        self._channel.start()
        self._channel.send(pack(hello_message(self._place, self._limits, self._workers)))
        answer = self._receive(SILENCE_S)
        if answer.get("type") != "ready":
            raise SandboxError(
                answer.get("reason", "the runner gave no answer"), where=f"sandbox={self._place.backend}", fix=answer.get("fix", "")
            )
        self.ready = answer

    def _reconnect(self, cause: SandboxError) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        self._restarts += 1
        if self._restarts > RESTARTS:
            raise SandboxError(
                f"the runner died {self._restarts} times, last: {cause.what}", where=f"sandbox={self._place.backend}"
            ) from cause
        self._connect()


def hello_message(place: RunnerPlace, limits: Limits, workers: int) -> dict[str, Any]:
    """The first message: who the runner serves, and how."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "workers": workers,
        "limits": asdict(limits),
        "epoch": SOURCE_DATE_EPOCH,
        "umask": UMASK,
        "conditions": CONTRACT.to_json(),
        **asdict(place),
    }


def fixture_message(digest: str, fixture: Fixture) -> dict[str, Any]:
    """A fixture, with bytes as bytes."""
    return {
        "type": "fixture",
        "digest": digest,
        "entries": [asdict(entry) for entry in fixture.entries],
        "prepare": list(fixture.prepare) if fixture.prepare is not None else None,
    }


def trial_message(number: int, case: Case, under: Conditions, *, toolchain: bool = False) -> dict[str, Any]:
    """A trial; `n` comes back with its result."""
    path = under.environment["PATH"]
    if toolchain:
        path = path.replace("/opt/tool/bin:", "/opt/tool/bin:/opt/toolchain/bin:", 1)
    return {
        "type": "trial",
        "n": number,
        "argv": list(case.argv),
        "stdin": case.stdin,
        "env": {**under.environment, "PATH": path, "PWD": case.cwd, **case.env},
        "cwd": case.cwd,
        "timeout_s": case.timeout_s,
        "fixture": case.fixture,
        "conditions": under.to_json(),
    }


def outcome(result: Mapping[str, Any]) -> Recording | TrialFault:
    """The recording in a `result` message, or the fault."""
    if result.get("type") != "result":
        return TrialFault(str(result.get("reason", "the runner gave no reason")))
    end, code = result["status"]
    wall_s, cpu_s, max_rss_kb = result["resources"]
    return Recording(
        status=Status(End(end), code),
        stdout=Output(**result["stdout"]),
        stderr=Output(**result["stderr"]),
        changes=tuple(sorted((Change(**change) for change in result["changes"]), key=lambda change: change.path)),
        resources=Resources(wall_s, cpu_s, max_rss_kb),
    )


def contract_digest() -> str:
    """Digest of the determinism contract, for keys."""
    return digest_json(CONTRACT.to_json())
