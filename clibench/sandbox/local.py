"""The back end without Docker and without root: user namespaces on the host.

A trial sees a small root folder made for it: the host's system folders (/usr and what belongs to it) with nothing of them writable, a /etc
of its own, an empty /tmp, workspace and home. The rest of the host, /root and /home first of all, is not there. The toolchains are those
that the host has; one that is missing is an error for the languages that need it, and no other.

Started as root, it gives root up for an unprivileged user before anything of a submission runs.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from clibench.digest import digest_json
from clibench.errors import InfraError, SandboxError, UserError
from clibench.recording import End, Recording
from clibench.sandbox import runner
from clibench.sandbox.installation import BUILD_ENVIRONMENT, FREE_BYTES, CappedLog, copy_source, give_to, tidy_prefix
from clibench.sandbox.interface import BuildRequest, BuildResult, Limits, TrialFault
from clibench.sandbox.reap import reap_scratch, scratch_folder
from clibench.sandbox.registries import host_certificates, offline_settings, registry_settings
from clibench.sandbox.session import PipeSession, RunnerPlace, contract_digest
from clibench.sandbox.settings import SandboxConfig
from clibench.tasks.case import HOME, Case, Fixture

UNPRIVILEGED: Final = 62_789
"""The user that root gives itself up for; nothing on the host belongs to it."""
_BUILD_SHM_MB: Final = 1024
_LOG_BYTES: Final = 8 << 20
_CERTIFICATES: Final = "/etc/clibench-certificates.pem"

_SYSTEM: Final = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC: Final = (
    "alternatives",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "os-release",
    "protocols",
    "services",
)
_ETC_NETWORK: Final = ("ca-certificates", "hosts", "nsswitch.conf", "pki", "resolv.conf", "ssl/certs", "ssl/openssl.cnf")
_PATH_FOLDERS: Final = ("/usr/local/bin", "/usr/bin", "/bin")


@dataclass(frozen=True)
class Toolchain:
    """What a language needs of the host."""

    commands: tuple[str, ...]
    package: str


TOOLCHAINS: Final = {
    "python": Toolchain(("python3",), "python3-pip python3-venv"),
    "javascript": Toolchain(("node", "npm"), "nodejs npm"),
    "go": Toolchain(("go",), "golang-go"),
}


@dataclass(frozen=True)
class Found:
    """A command of a toolchain: the real file, and the folder that has to be visible for it (empty where it lies below /usr)."""

    command: str
    file: Path
    folder: Path | None


class LocalSandbox:
    """Implements `interface.Sandbox`. `isolation` is auto, overlay or copy; builds are bounded by `build_*`."""

    def __init__(self, config: SandboxConfig) -> None:
        self._config = config
        self._sessions: list[PipeSession] = []
        self._described: dict[str, str] | None = None
        reap_scratch()

    def describe(self) -> dict[str, str]:
        """Identity for results and keys. Starts a runner once, to see what isolation this machine allows."""
        if self._described is None:
            with self._session(self._place(None), Limits(), 1) as session:
                ready = session.ready
            toolchains = {command.command: version(command) for name in TOOLCHAINS for command in find_toolchain(name)}
            self._described = {
                "backend": "local",
                "isolation": str(ready["isolation"]),
                "image": digest_json({"toolchains": toolchains, "system": system_name()}),
                "runner": runner.runner_digest(),
                "contract": contract_digest(),
                "toolchains": ", ".join(f"{name} {text}" for name, text in sorted(toolchains.items())),
                "system": system_name(),
            }
        return dict(self._described)

    def open(self, *, language: str, prefix: Path, limits: Limits, workers: int) -> PipeSession:
        """A session over the installation in `prefix`; UserError where the language's toolchain is missing."""
        require_toolchain(language)
        return self._session(self._place(prefix), limits, workers)

    def build(self, request: BuildRequest) -> BuildResult:
        """Install into `request.destination`, seen at /opt/tool, from a copy of the source at /build."""
        require_toolchain(request.language)
        started = time.monotonic()
        uid, gid = (UNPRIVILEGED, UNPRIVILEGED) if runner.is_root() else (os.getuid(), os.getgid())
        with scratch_folder("build") as scratch:
            copy_source(request.source, scratch / "build")
            for name in ("home", "tmp"):
                (scratch / name).mkdir()
            give_to(scratch, uid, gid)
            request.destination.mkdir(parents=True, exist_ok=True)
            give_to(request.destination, uid, gid)
            place = replace(
                self._place(request.destination, network=request.network),
                binds=((str(scratch / "build"), "/build"), (str(scratch / "home"), HOME), (str(scratch / "tmp"), "/tmp")),  # noqa: S108
                prefix_writable=True,
                network=request.network,
                record=False,
            )
            outcome = self._run_build(request, place)
            tidy_prefix(request.destination)
            if not isinstance(outcome, Recording):
                raise SandboxError(outcome.reason, where="sandbox=local, build")
            if not outcome.status.ok and shutil.disk_usage(scratch).free < FREE_BYTES:
                raise SandboxError("no space left for the build", where=str(scratch), fix="Free space, or set TMPDIR to another place.")
        log = CappedLog()
        log.add(outcome.stdout.data)
        return BuildResult(outcome.status.ok, log.content(), build_reason(outcome, request.timeout_s), time.monotonic() - started)

    def _run_build(self, request: BuildRequest, place: RunnerPlace) -> Recording | TrialFault:
        certificates = host_certificates() if request.network else None
        if certificates is not None:
            place = replace(place, system=(*place.system, {"target": _CERTIFICATES, "copy": str(certificates)}))
        registries = registry_settings(_CERTIFICATES if certificates else None) if request.network else offline_settings()
        path = BUILD_ENVIRONMENT["PATH"]
        environment = {**BUILD_ENVIRONMENT, "PATH": f"/opt/toolchain/bin:{path}" if place.toolchain else path, **registries, **request.env}
        limits = Limits(
            wall_s=request.timeout_s,
            memory_mb=self._config.build_memory_mb,
            processes=self._config.build_processes,
            disk_mb=_BUILD_SHM_MB,
            output_bytes=_LOG_BYTES,
            output_kill_bytes=1 << 30,
        )
        fixture = Fixture()
        case = Case("build/01", "build", ("sh", "-c", build_script(request.commands)), fixture.digest(), b"", environment, "/build")
        with self._session(place, limits, 1) as session:
            return next(outcome for _, outcome in session.run([case], {case.fixture: fixture}))

    def close(self) -> None:
        """End all sessions."""
        while self._sessions:
            self._sessions.pop().close()

    def _session(self, place: RunnerPlace, limits: Limits, workers: int) -> PipeSession:
        session = PipeSession(
            (sys.executable, "-I", "-S", str(Path(runner.__file__).resolve())),
            place,
            limits=limits,
            workers=workers,
            env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        )
        self._sessions = [session, *(other for other in self._sessions if other.is_open)]
        return session

    def _place(self, prefix: Path | None, *, network: bool = False) -> RunnerPlace:
        items = system_items(network=network)
        return RunnerPlace(
            backend="local",
            prefix=str(prefix.resolve()) if prefix is not None else None,
            isolation=self._config.isolation,
            system=tuple(items),
            drop_to=UNPRIVILEGED if runner.is_root() else None,
            toolchain=any(item["target"].startswith("/opt/toolchain/") for item in items),
        )


def build_script(commands: tuple[tuple[str, ...], ...]) -> str:
    """A shell script that runs the commands until one fails, says which it runs, and joins both streams in the order written."""
    lines = ["exec 2>&1"]
    for command in commands:
        text = shlex.join(command)
        lines += [f"printf '%s\\n' {shlex.quote('$ ' + text)}", f"{text} || exit $?"]
    return "\n".join(lines)


def build_reason(recording: Recording, timeout_s: float) -> str:
    """How the installation ended, in words; empty where it succeeded."""
    status = recording.status
    if status.ok:
        return ""
    if status.end is End.TIMEOUT:
        return f"the installation did not end in {timeout_s:.0f} s"
    if status.end is End.OOM:
        return "the installation ran out of memory"
    last = [line for line in recording.stdout.data.decode("utf-8", "replace").splitlines() if line.startswith("$ ")]
    return f"`{last[-1][2:100] if last else 'sh'}` failed: {status}"


def system_items(*, network: bool) -> list[dict[str, Any]]:
    """What the root folder of a trial is made of, in the runner's terms: `source` is shown, `copy` copied, `link` and `script` written."""
    items: list[dict[str, Any]] = []
    for name in _SYSTEM:
        path = Path("/") / name
        if path.is_symlink():
            items.append({"target": str(path), "link": str(path.readlink())})
        elif path.is_dir():
            items.append({"target": str(path), "source": str(path)})
    items += [{"target": f"/etc/{name}", "copy": f"/etc/{name}"} for name in _ETC if Path(f"/etc/{name}").exists()]
    if network:
        items += [{"target": f"/etc/{name}", "copy": f"/etc/{name}"} for name in _ETC_NETWORK if Path(f"/etc/{name}").exists()]
    folders: set[Path] = set()
    for language in TOOLCHAINS:
        for found in find_toolchain(language):
            if found.folder is not None and found.folder not in folders:
                folders.add(found.folder)
                items.append({"target": str(found.folder), "source": str(found.folder)})
            if found.command == "python3" and str(found.file) not in ("/usr/bin/python3", str(Path("/usr/bin/python3").resolve())):
                # A script, since an environment made through a symlink looks for its library beside the symlink.
                items.append({"target": "/opt/toolchain/bin/python3", "script": f'#!/bin/sh\nexec {shlex.quote(str(found.file))} "$@"\n'})
            elif found.command != "python3" and not on_path(found):
                items.append({"target": f"/opt/toolchain/bin/{found.command}", "link": str(found.file)})
    return items


def on_path(found: Found) -> bool:
    """Whether the contract's PATH finds the same command."""
    first = next((Path(folder) / found.command for folder in _PATH_FOLDERS if (Path(folder) / found.command).exists()), None)
    return first is not None and first.resolve() == found.file


def find_toolchain(language: str) -> tuple[Found, ...]:
    """The commands that the host has of a language's toolchain. For Python that is the interpreter that clibench itself runs on."""
    found = []
    for command in TOOLCHAINS[language].commands:
        if command == "python3":
            file, folder = Path(getattr(sys, "_base_executable", sys.executable)).resolve(), Path(sys.base_prefix).resolve()
        else:
            where = shutil.which(command)
            if where is None:
                continue
            file = Path(where).resolve()
            folder = file.parents[3] if "node_modules" in file.parts and command == "npm" else file.parent.parent
            if command == "npm":
                folder = next((parent.parent for parent in file.parents if parent.name == "lib"), folder)
        outside = not file.is_relative_to("/usr") or not folder.is_relative_to("/usr")
        found.append(Found(command, file, folder if outside else None))
    return tuple(found)


def require_toolchain(language: str) -> None:
    """Raise UserError where something that the language needs is missing."""
    chain = TOOLCHAINS.get(language)
    if chain is None:
        return
    have = {found.command: found for found in find_toolchain(language)}
    missing = [command for command in chain.commands if command not in have]
    if language == "python" and not _has_pip(have["python3"].file):
        missing.append("pip")
    if missing:
        raise UserError(
            f"{' and '.join(missing)} not found, needed for language={language}",
            where="sandbox=local",
            fix=f"Install it (Debian and Ubuntu: apt-get install {chain.package}), or use sandbox=docker.",
        )


@cache
def _has_pip(python: Path) -> bool:
    probe = "import importlib.util as u, sys; sys.exit(not (u.find_spec('pip') and u.find_spec('venv')))"
    return subprocess.run([str(python), "-I", "-c", probe], check=False, cwd="/").returncode == 0


def version(found: Found) -> str:
    """What a toolchain's command says of its version."""
    if found.command == "python3":
        return platform.python_version()
    argument = "version" if found.command == "go" else "--version"
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run([str(found.file), argument], capture_output=True, text=True, timeout=30, check=False, cwd="/")
        return done.stdout.strip()
    raise InfraError(f"{found.file} {argument} can't be run", where="sandbox=local")


def system_name() -> str:
    """The host's distribution and machine."""
    with suppress(OSError):
        release = platform.freedesktop_os_release()
        return f"{release.get('PRETTY_NAME', 'Linux')} {platform.machine()}"
    return f"Linux {platform.machine()}"
