"""`doctor`: what works on this machine, what does not, and what to do about it.

Each check looks at one thing and never raises: what it meets is its answer. A fault that only some uses meet (no Docker where local works,
no key) is a warning. The last two checks are the real thing: the conformance suite of the chosen sandbox, and one task graded with its own
oracle.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from omegaconf import DictConfig
from rich.markup import escape

from clibench import __version__
from clibench.config import DoctorConfig
from clibench.errors import ClibenchError, StoreError
from clibench.evaluation.verdict import METRICS
from clibench.experiment import bench, prepare, typed
from clibench.job import run_job
from clibench.sandbox.choose import make_sandbox
from clibench.sandbox.interface import Sandbox
from clibench.store import Store
from clibench.tables import console


class Level(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARN = "warn"
    FAIL = "FAIL"


COLOURS: Final = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "bold red"}

NEEDED_MB: Final = 2048
"""Free space below which a sweep of the sample may not fit."""


@dataclass(frozen=True)
class Finding:
    """What a check says."""

    level: Level
    what: str
    detail: str
    fix: str = ""


class UnwellError(ClibenchError):
    """Something that is needed does not work."""


def doctor(config: DictConfig) -> None:
    """Check, and show each finding as it is made. Raises UnwellError (exit status 1) where a needed thing does not work."""
    settings = typed(config)
    assert isinstance(settings, DoctorConfig)  # noqa: S101 - named by conf/doctor.yaml
    out = console()
    failed = 0
    for finding in findings(config, settings):
        failed += finding.level is Level.FAIL
        colour = COLOURS[finding.level]
        out.print(f"[{colour}]{finding.level:<4}[/{colour}]  {finding.what}: {escape(finding.detail)}", soft_wrap=True)
        if finding.fix and finding.level is not Level.OK:
            out.print(f"      {escape(finding.fix)}", soft_wrap=True)
    if failed:
        raise UnwellError(f"{failed} thing{'s' if failed > 1 else ''} to mend, see above")


def findings(config: DictConfig, settings: DoctorConfig) -> Iterator[Finding]:
    """All findings, one after the other."""
    outputs = Path(settings.outputs).expanduser()
    yield Finding(
        Level.OK, "clibench", f"{__version__}, Python {platform.python_version()}, {platform.platform()}, {os.cpu_count()} processors"
    )
    yield outputs_work(outputs)
    yield disk_space(outputs)
    yield docker_answers(needed=settings.sandbox.backend == "docker")
    yield from kernel_features()
    yield from toolchains(needed=settings.sandbox.backend == "local")
    yield mlflow_opens(settings, outputs)
    yield keys()
    try:
        sandbox = make_sandbox(settings.sandbox, outputs)
    except ClibenchError as error:
        yield Finding(Level.FAIL, "sandbox", error.what, error.fix)
        return
    try:
        yield Finding(Level.OK, "sandbox", ", ".join(f"{name} {value[:19]}" for name, value in sandbox.describe().items()))
        yield from conformance(sandbox)
    except ClibenchError as error:
        yield Finding(Level.FAIL, "sandbox", error.what, error.fix)
        return
    finally:
        sandbox.close()
    yield one_task(config)


def outputs_work(outputs: Path) -> Finding:
    """Whether the store can be written."""
    try:
        with Store(outputs / "store").scratch("doctor") as folder:
            (folder / "x").write_bytes(b"x")
    except StoreError as error:
        return Finding(Level.FAIL, "outputs", error.message)
    return Finding(Level.OK, "outputs", str(outputs.absolute()))


def disk_space(outputs: Path) -> Finding:
    """Free space where outputs lie."""
    folder = outputs.absolute()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free >> 20
    if free >= NEEDED_MB:
        return Finding(Level.OK, "disk space", f"{free} MB free")
    level = Level.WARN if free > 200 else Level.FAIL
    return Finding(level, "disk space", f"{free} MB free at {folder}", f"Free some, {NEEDED_MB} MB are good to have, or give outputs=DIR.")


def docker_answers(*, needed: bool) -> Finding:
    """Whether a Docker daemon answers."""
    from clibench.sandbox.daemon import server_version

    try:
        return Finding(Level.OK, "Docker", server_version())
    except ClibenchError as error:
        return Finding(Level.FAIL if needed else Level.WARN, "Docker", error.what, error.fix)


KERNEL_SWITCHES: Final = (
    # file below /proc/sys, value that forbids, how to allow
    ("kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"),
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
)
"""What distributions use to switch off the namespaces that sandbox=local needs."""


def kernel_features(proc: Path = Path("/proc")) -> Iterator[Finding]:
    """Overlay file system and user namespaces."""
    try:
        filesystems = (proc / "filesystems").read_text().split()
    except OSError:
        filesystems = []
    if "overlay" in filesystems:
        yield Finding(Level.OK, "overlay file system", "known to the kernel")
    else:
        yield Finding(Level.WARN, "overlay file system", "not loaded", "modprobe overlay; without it the slower copy isolation is used.")
    for name, forbidden, allow in KERNEL_SWITCHES:
        try:
            value = (proc / "sys" / name).read_text().strip()
        except OSError:
            continue
        if value == forbidden:
            fix = f"As root: {allow} (needed by sandbox=local only)."
            yield Finding(Level.WARN, "user namespaces", f"switched off: {name.replace('/', '.')}={value}", fix)
            return
    yield Finding(Level.OK, "user namespaces", "not switched off")


TOOLCHAINS: Final = {"python": ("python3", "python3 python3-venv"), "javascript": ("npm", "nodejs npm"), "go": ("go", "golang-go")}
"""By language: the command that sandbox=local calls, and the Debian packages that bring it."""


def toolchains(*, needed: bool) -> Iterator[Finding]:
    """What sandbox=local would use."""
    for language, (command, packages) in TOOLCHAINS.items():
        path = shutil.which(command)
        if path:
            yield Finding(Level.OK, f"{language} on this machine", path)
        else:
            fix = f"apt-get install {packages} (needed by sandbox=local only)."
            yield Finding(Level.FAIL if needed else Level.WARN, f"{language} on this machine", f"no {command}", fix)


def mlflow_opens(settings: DoctorConfig, outputs: Path) -> Finding:
    """Whether MLflow's store can be reached."""
    from clibench.tracking.mlflow_log import check_tracking
    from clibench.tracking.settings import tracking_uri

    if not settings.tracking.enabled:
        return Finding(Level.OK, "MLflow", "switched off")
    try:
        check_tracking(settings.tracking, outputs)
    except ClibenchError as error:
        return Finding(Level.FAIL, "MLflow", error.message)
    return Finding(Level.OK, "MLflow", tracking_uri(settings.tracking, outputs))


def keys() -> Finding:
    """Which of the models that come with clibench could be called."""
    import yaml

    from clibench.paths import conf_dir

    models = [yaml.safe_load(path.read_text(encoding="utf-8")) or {} for path in sorted((conf_dir() / "model").glob("*.yaml"))]
    names = sorted({str(model["key_env"]) for model in models if model.get("key_env")})
    there = [name for name in names if os.environ.get(name)]
    if there:
        return Finding(Level.OK, "keys", ", ".join(there))
    return Finding(
        Level.WARN, "keys", "none is set", f"Only for frameworks and judges that call a model: export one of {', '.join(names)}."
    )


def conformance(sandbox: Sandbox) -> Iterator[Finding]:
    """Whether the sandbox isolates, records and limits as it must."""
    from clibench.sandbox.conformance import run_conformance

    for check in run_conformance(sandbox):
        level = Level.OK if check.passed else Level.FAIL
        yield Finding(level, f"sandbox, {check.name}", check.reason if not check.passed else "as it must be", check.fix)


def one_task(config: DictConfig) -> Finding:
    """The smallest task, graded with its own oracle: every metric has to be 1."""
    try:
        settings = typed(config)
        outputs = str(Path(settings.outputs).expanduser() / "doctor")  # apart: no result of the user's
        settings = replace(settings, framework={"_target_": "clibench.generation.gold.Gold"}, outputs=outputs)
        job = prepare(config, settings)
        job = replace(job, tasks=(min(job.tasks, key=lambda task: (task.loc, len(task.cases))),))
        with bench(job, settings, silent=True) as tools:
            result = run_job(job, tools).tasks[0]
    except ClibenchError as error:
        return Finding(Level.FAIL, "one task", error.what, error.fix)
    wrong = [metric for metric in METRICS if result.scores[metric].value not in (1.0, None)]
    if wrong or result.scores["build"].value is None:
        return Finding(
            Level.FAIL, "one task", f"{result.task}: {', '.join(wrong) or result.outcome} ({result.reason})", "Freeze the task again."
        )
    return Finding(Level.OK, "one task", f"{result.task}: the oracle scores 1 in every metric over {result.cases} cases")
