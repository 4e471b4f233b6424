"""The Docker back end: one container a build, one container an open session.

A build's container has no capability, a read-only root and an ordinary user; it writes to a scratch folder of the host and to the prefix,
and reaches the network only where the request says so. Nothing that a build can write is seen by another one: a shared download cache would
let one submission poison the next. A session's container has no network and holds the capabilities that the runner needs to give each trial
its own namespaces; what is tested gets none of them.

Both end with their client: when this process is killed, the container's standard input ends and so does its first process. What even then
stays is removed at the next start (`reap`).
"""

from __future__ import annotations

import csv
import io
import json
import logging
import os
import secrets
import shutil
import subprocess
import threading
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from clibench.errors import SandboxError
from clibench.sandbox.daemon import docker, docker_error, server_version
from clibench.sandbox.image import Image, ensure_image, user_image
from clibench.sandbox.installation import BUILD_ENVIRONMENT, FREE_BYTES, CappedLog, copy_source, disk_use, give_to, tidy_prefix
from clibench.sandbox.interface import PREFIX, BuildRequest, BuildResult, Limits, Session, TrialFault
from clibench.sandbox.reap import OUTPUTS_LABEL, OWNER_LABEL, Owner, reap_scratch, scratch_folder
from clibench.sandbox.registries import host_certificates, offline_settings, registry_settings
from clibench.sandbox.runner import runner_digest
from clibench.sandbox.session import PipeSession, RunnerPlace, contract_digest
from clibench.sandbox.settings import SandboxConfig
from clibench.tasks.case import Case, Fixture

log = logging.getLogger(__name__)

_HERE: Final = Path(__file__).parent
_STEP: Final = "/usr/local/lib/clibench-build-step.py"
_CERTIFICATES: Final = "/usr/local/lib/clibench-certificates.pem"
_RUNNER: Final = "/usr/local/lib/clibench-runner.py"
_START_RUNNER: Final = ("/usr/bin/python3", "-I", "-S", _RUNNER)
_RUNNER_MB: Final = 256
"""Memory of the runner itself, beside its trials."""
_RUNNER_CAPABILITIES: Final = ("SYS_ADMIN", "SYS_CHROOT", "SETUID", "SETGID", "CHOWN", "FOWNER", "DAC_OVERRIDE", "MKNOD")
"""What mounting, changing root and user, and writing fixtures of any owner take; MKNOD for whiteouts on kernels before 5.8."""
SESSION_LABEL: Final = "clibench.session"

# What every container of ours has. The log driver would keep what a build prints on the daemon's disk, without a bound.
_COMMON: Final = (
    "--rm",
    "--interactive",
    "--pull=never",
    "--log-driver=none",
    "--read-only",
    "--hostname=sandbox",
    "--ulimit=core=0",
)
_REMOVAL_POLLS: Final = 300
_REMOVAL_POLL_S: Final = 0.1
"""The daemon does not say when a removal that it is at has ended; half a minute is ample."""

_GRACE_S: Final = 60.0
"""Beyond a build's own time limit, until the container is killed from outside."""


class DockerSandbox:
    """A back end (`clibench.sandbox.interface.Sandbox`). Raises SandboxError where no daemon answers or the image can't be made."""

    def __init__(self, config: SandboxConfig, outputs: Path | None = None) -> None:
        self._config = config
        self._labels = {OWNER_LABEL: Owner.current().token, OUTPUTS_LABEL: str((outputs or Path("outputs")).absolute())}
        reap_containers()
        reap_scratch()
        self._image: Image = user_image(config.image) if config.image else ensure_image(config.base_image)

    def describe(self) -> dict[str, str]:
        """Identity for results and keys. Raises SandboxError where no trial can be run with it."""
        return {
            "backend": "docker",
            "image": self._image.digest,
            "runner": runner_digest(),
            "contract": contract_digest(),
            **self._found,
        }

    def build(self, request: BuildRequest) -> BuildResult:
        """Install a submission or an oracle in a container of its own. Raises SandboxError only for faults of the harness."""
        started = time.monotonic()
        uid, gid = _build_user()
        with scratch_folder("build") as scratch:
            copy_source(request.source, scratch / "build")
            for name in ("home", "tmp"):
                (scratch / name).mkdir()
            give_to(scratch / "build", uid, gid)
            for folder in (scratch / "home", scratch / "tmp", request.destination):
                if os.getuid() == 0:
                    os.chown(folder, uid, gid)
            end = self._run_build(request, scratch)
            tidy_prefix(request.destination)
            reason = self._reason(request, end)
            if reason and shutil.disk_usage(scratch).free < FREE_BYTES:
                raise SandboxError("no space left for the build", where=str(scratch), fix="Free space, or set TMPDIR to another place.")
        return BuildResult(not reason, end.log, reason, time.monotonic() - started)

    def open(self, *, language: str, prefix: Path, limits: Limits, workers: int) -> Session:  # noqa: ARG002 - one image has all languages
        """A session over the installation in the host folder `prefix`; its container starts on entry."""
        return self._session(prefix, limits, workers)

    def close(self) -> None:
        """Remove the containers of this process that are still there."""
        remove_containers(f"{OWNER_LABEL}={self._labels[OWNER_LABEL]}")

    @cached_property
    def _found(self) -> dict[str, str]:
        """What only a trial can tell: the isolation that the kernel allows, and the versions of the toolchains."""
        fixture = Fixture()
        script = "python3 --version | cut -d' ' -f2; node --version | tr -d v; go env GOVERSION | sed s/go//"
        case = Case("describe/00", "describe", ("sh", "-c", script), fixture.digest(), timeout_s=60.0)
        names = ("python", "node", "go")
        with scratch_folder("describe") as prefix, self._session(prefix, Limits(), 1) as session:
            (_, result), *_ = session.run([case], {case.fixture: fixture})
            isolation = str(session.ready["isolation"])
        if isinstance(result, TrialFault):
            raise SandboxError(f"no trial can be run: {result.reason}", where=f"image {self._image.name}")
        versions = result.stdout.data.decode(errors="replace").split()
        if len(versions) != len(names):
            raise SandboxError(
                f"it has not all of {', '.join(names)}", where=f"image {self._image.name}", fix="Add them, or leave sandbox.image empty."
            )
        return {"isolation": isolation, **dict(zip(names, versions, strict=True))}

    @cached_property
    def _has_apparmor(self) -> bool:
        return "apparmor" in docker("info", "--format", "{{.SecurityOptions}}")

    def _label_flags(self) -> list[str]:
        return [f"--label={name}={value}" for name, value in self._labels.items()]

    def _session(self, prefix: Path, limits: Limits, workers: int) -> PipeSession:
        label = f"{SESSION_LABEL}={secrets.token_hex(6)}"
        argv = ("docker", "run", f"--label={label}", *self._session_flags(prefix, limits, workers), self._image.name, *_START_RUNNER)
        place = RunnerPlace(backend="docker", isolation=self._config.isolation)
        return DockerSession(argv, place, limits=limits, workers=workers, on_close=lambda: remove_containers(label))

    def _session_flags(self, prefix: Path, limits: Limits, workers: int) -> list[str]:
        memory = f"{workers * limits.memory_mb + _RUNNER_MB + workers * 2 * limits.disk_mb}m"
        return [
            *_COMMON,
            *self._label_flags(),
            "--network=none",
            "--cap-drop=ALL",
            *(f"--cap-add={capability}" for capability in _RUNNER_CAPABILITIES),
            *(("--security-opt=apparmor=unconfined",) if self._has_apparmor else ()),
            f"--memory={memory}",
            f"--memory-swap={memory}",
            f"--pids-limit={workers * limits.processes + 64}",
            "--user=0:0",
            _mount(prefix, PREFIX, readonly=True),
            _mount(_HERE / "runner.py", _RUNNER, readonly=True),
        ]

    def _run_build(self, request: BuildRequest, scratch: Path) -> _BuildEnd:
        name = f"clibench-build-{secrets.token_hex(6)}"
        orders = json.dumps({"commands": request.commands, "timeout_s": request.timeout_s})
        command = [
            "docker",
            "run",
            f"--name={name}",
            *self._build_flags(request, scratch),
            self._image.name,
            "python3",
            "-I",
            "-S",
            _STEP,
            orders,
        ]
        log, control = CappedLog(), CappedLog()
        limit = self._config.build_disk_mb << 20
        too_big = False
        # In a session of its own: Ctrl-C is for this process, which then ends the container itself.
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True) as client:
            assert client.stdout is not None and client.stderr is not None  # noqa: S101 - pipes were asked for
            readers = [
                threading.Thread(target=kept.read_all, args=(stream,), daemon=True)
                for kept, stream in ((log, client.stdout), (control, client.stderr))
            ]
            for reader in readers:
                reader.start()
            try:
                deadline = time.monotonic() + request.timeout_s + _GRACE_S
                while True:
                    try:
                        client.wait(timeout=1.0)
                        break
                    except subprocess.TimeoutExpired:
                        too_big = too_big or disk_use((scratch, request.destination)) > limit
                        if too_big or time.monotonic() > deadline:
                            docker("kill", name)
                            client.wait(timeout=_GRACE_S)
                            break
            except BaseException:
                client.kill()
                remove_containers_named(name)  # before the folders that it writes to are removed
                raise
            finally:
                client.kill()
                for reader in readers:
                    reader.join()
        return _BuildEnd(log.content(), control.content(), client.returncode, too_big)

    def _build_flags(self, request: BuildRequest, scratch: Path) -> list[str]:
        uid, gid = _build_user()
        memory = f"{self._config.build_memory_mb}m"
        certificates = host_certificates() if request.network else None
        mounts = [
            _mount(scratch / "build", "/build"),
            _mount(scratch / "home", "/home/user"),
            _mount(scratch / "tmp", "/tmp"),  # noqa: S108
            _mount(request.destination, PREFIX),
            _mount(_HERE / "build_step.py", _STEP, readonly=True),
        ]
        if certificates is not None:
            mounts.append(_mount(certificates, _CERTIFICATES, readonly=True))
        network = registry_settings(_CERTIFICATES if certificates else None) if request.network else offline_settings()
        environment = {**BUILD_ENVIRONMENT, **network, **request.env}
        return [
            *_COMMON,
            *self._label_flags(),
            "--cap-drop=ALL",
            "--security-opt=no-new-privileges",
            "--workdir=/build",
            f"--user={uid}:{gid}",
            f"--tmpfs=/run:uid={uid},gid={gid},size=1g",  # a mode would be overruled by that of the folder in the image
            f"--network={'bridge' if request.network else 'none'}",
            f"--memory={memory}",
            f"--memory-swap={memory}",
            f"--pids-limit={self._config.build_processes}",
            *mounts,
            *(f"--env={name}={value}" for name, value in environment.items()),
        ]

    def _reason(self, request: BuildRequest, end: _BuildEnd) -> str:
        """Why the build failed; empty where it did not. Raises SandboxError where the harness failed."""
        if end.too_big:
            return f"wrote more than {self._config.build_disk_mb} MB"
        result = end.result()
        if result is None:
            if end.status in (137, 143):  # killed from outside: by us after the time limit, or by the kernel for its memory
                return f"was killed: more than {self._config.build_memory_mb} MB of memory, or no end after {request.timeout_s:.0f} s"
            raise docker_error("docker run", end.control.decode(errors="replace"))
        if result["failed"] is None:
            return ""
        command = " ".join(request.commands[result["failed"]])
        command = command if len(command) <= 100 else f"{command[:97]}..."
        if result["timed_out"]:
            return f"`{command}` did not end in {request.timeout_s:.0f} s"
        memory = f", out of memory ({self._config.build_memory_mb} MB)" if result["oom"] else ""
        return f"`{command}` failed with status {result['status']}{memory}"


class DockerSession(PipeSession):
    """A session whose runner is in a container: when it can't be started, it is Docker that has to explain."""

    def _connect(self) -> None:
        try:
            super()._connect()
        except SandboxError as error:
            server_version()  # raises what to do where the daemon is gone
            if "status 127" in error.what:
                raise SandboxError(
                    "it has no /usr/bin/python3", where="sandbox.image", fix="Add it, or leave sandbox.image empty."
                ) from error
            raise


@dataclass(frozen=True)
class _BuildEnd:
    """What is known of a build when its container is gone."""

    log: bytes
    control: bytes
    status: int
    too_big: bool

    def result(self) -> dict[str, Any] | None:
        """The last line of the control channel, as `build_step` writes it; None where it never came to that."""
        lines = self.control.strip().splitlines()
        try:
            found = json.loads(lines[-1]) if lines else None
        except ValueError:
            return None
        return found if isinstance(found, dict) and found.keys() >= {"failed", "status", "timed_out", "oom"} else None


def reap_containers() -> int:
    """Remove containers whose owner is certainly dead; how many. Raises SandboxError where no daemon answers."""
    listed = docker("ps", "--all", "--no-trunc", f"--filter=label={OWNER_LABEL}", "--format", f'{{{{.ID}}}} {{{{.Label "{OWNER_LABEL}"}}}}')
    dead = []
    for line in listed.splitlines():
        container, _, token = line.partition(" ")
        owner = Owner.parse(token)
        if owner is not None and owner.is_dead():
            dead.append(container)
    _remove(dead)
    return len(dead)


def remove_containers(label: str) -> None:
    """Remove all containers that carry a label. A failure must not spoil the results that are there: the next start tries again."""
    try:
        _remove(docker("ps", "--all", "--quiet", "--no-trunc", f"--filter=label={label}").split())
    except SandboxError as error:
        log.warning("left behind until the next start: containers with the label %s (%s)", label, error.message)


def remove_containers_named(name: str) -> None:
    """Remove the container of this name, if there is one."""
    try:
        _remove([name])
    except SandboxError as error:
        log.warning("left behind until the next start: container %s (%s)", name, error.message)


def _remove(containers: list[str]) -> None:
    for container in containers:
        try:
            docker("rm", "--force", "--volumes", container)
        except SandboxError as error:
            if "already in progress" in error.what.lower():  # its own --rm is at work
                _wait_until_gone(container)
            elif "no such container" not in error.what.lower():  # it went by itself in between
                raise


def _wait_until_gone(container: str) -> None:
    for _ in range(_REMOVAL_POLLS):
        try:
            docker("container", "inspect", "--format", "{{.Id}}", container)
        except SandboxError as error:
            if "no such container" in error.what.lower():
                return
            raise
        time.sleep(_REMOVAL_POLL_S)
    raise SandboxError(f"container {container} is still being removed", where="docker", fix="The next start removes what is left of it.")


def _mount(source: Path, target: str, *, readonly: bool = False) -> str:
    """A bind mount in the form that takes any path: fields of CSV."""
    fields = ["type=bind", f"source={source.resolve()}", f"target={target}", *(["readonly"] if readonly else [])]
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(fields)
    return f"--mount={line.getvalue()}"


def _build_user() -> tuple[int, int]:
    """Who runs a build: this user, so that what it writes is this user's; where this is root, the sandbox's own account."""
    return (os.getuid(), os.getgid()) if os.getuid() != 0 else (1000, 1000)
