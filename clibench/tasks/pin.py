"""Pin an oracle: resolve name and version to a lock with the hash of every package, and fetch its sources to measure them.

The registries' own clients do it, in the sandbox: installing a package can run its code. A lock that is there already for the same
version is kept, so that a task frozen again next year installs what it installed the first time.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clibench.errors import TaskError
from clibench.sandbox.interface import PREFIX, BuildRequest, Sandbox
from clibench.sandbox.reap import scratch_folder
from clibench.synthesis.spec import OracleSpec
from clibench.tasks.measure import lines_of_code
from clibench.tasks.oracle_lock import go_lock, npm_lock, pypi_lock
from clibench.tasks.task import Language

PYTHON_VERSIONS: Final = ("3.11", "3.12", "3.13", "3.14")
"""A lock holds the artefacts for each: compiled wheels differ, and the image's Python is not that of every host."""


@dataclass(frozen=True)
class Pin:
    """What is known of an oracle once its registry was asked."""

    lock: str
    loc: int


def pin_oracle(sandbox: Sandbox, oracle: OracleSpec, language: Language, *, timeout_s: float = 600.0) -> Pin:
    """Resolve and measure; raises TaskError with the client's last lines where the registry has no such release."""
    with scratch_folder("pin") as scratch:
        destination = scratch / "prefix"
        destination.mkdir()
        return fetch_oracle(sandbox, oracle, language, destination, timeout_s=timeout_s)


def fetch_oracle(sandbox: Sandbox, oracle: OracleSpec, language: Language, destination: Path, *, timeout_s: float = 600.0) -> Pin:
    """As `pin_oracle`; the package as its registry ships it is left in <destination>/source. `destination` is an empty folder."""
    with scratch_folder("pin") as scratch:
        source = scratch / "source"
        source.mkdir()
        for name, content in _files(oracle).items():
            (source / name).write_text(content)
        commands = tuple(("sh", "-euc", script) for script in _scripts(oracle))
        result = sandbox.build(BuildRequest(language.value, source, commands, destination, network=True, timeout_s=timeout_s))
        if not result.ok:
            tail = " | ".join(line.strip() for line in result.log.decode("utf-8", "replace").splitlines()[-6:] if line.strip())
            raise TaskError(f"{oracle.registry} gives no {oracle.name} {oracle.version}: {result.reason}: {tail}", where="oracle")
        return Pin(_lock(oracle, destination), lines_of_code(destination / "source", language))


def _files(oracle: OracleSpec) -> dict[str, str]:
    match oracle.registry:
        case "npm":
            return {"package.json": json.dumps({"name": "oracle", "version": "0.0.0", "dependencies": {oracle.name: oracle.version}})}
        case "go":
            # An old language version: `go get` raises it to what the oracle needs, and not to what this machine has.
            return {"go.mod": "module oracle\n\ngo 1.21\n"}
        case _:
            return {}


def _scripts(oracle: OracleSpec) -> list[str]:
    name, version = shlex.quote(oracle.name), shlex.quote(oracle.version)
    match oracle.registry:
        case "pypi":
            extras = f"[{','.join(oracle.extras)}]" if oracle.extras else ""
            wanted = shlex.quote(f"{oracle.name}{extras}=={oracle.version}")
            pip = "/build/venv/bin/python -m pip install -q"
            resolve = f"{pip} --dry-run --ignore-installed --report {PREFIX}/report"
            return [
                "python3 -m venv /build/venv",
                f"{resolve}-own.json {wanted}",
                # An older pip answers for another Python only with a target, which a dry run never makes. Some oracles have none of it.
                *(
                    f"{resolve}-{python}.json --python-version {python} --only-binary :all: --target /build/none {wanted} || true"
                    for python in PYTHON_VERSIONS
                ),
                f"{pip} --no-deps --no-compile --target {PREFIX}/source {name}=={version}",
            ]
        case "npm":
            return [
                "npm install --ignore-scripts --omit-lockfile-registry-resolved",
                f"cp package-lock.json {PREFIX}/",
                f"cp -rL node_modules/{name} {PREFIX}/source",
            ]
        case _:
            return [
                f"go get {name}@{version}",
                f"cp go.mod go.sum {PREFIX}/",
                f"cp -r \"$(go list -f '{{{{.Module.Dir}}}}' {name})\" {PREFIX}/source && chmod -R u+w {PREFIX}/source",
            ]


def _lock(oracle: OracleSpec, destination: Path) -> str:
    match oracle.registry:
        case "pypi":
            reports = {version: destination / f"report-{version}.json" for version in PYTHON_VERSIONS}
            own = json.loads((destination / "report-own.json").read_text())
            return pypi_lock(own, {name: json.loads(file.read_text()) for name, file in reports.items() if file.is_file()})
        case "npm":
            return npm_lock((destination / "package-lock.json").read_text())
        case _:
            return go_lock((destination / "go.mod").read_text(), (destination / "go.sum").read_text())
