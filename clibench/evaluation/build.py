"""Install a submission or an oracle, and make it answer to the task's alias.

How each language installs is a table: what a user would type in the repository's root (`pip install .`, `npm install -g .`,
`go install ./...`), with what it takes to get real copies below the prefix and nothing else. What counts as the tool is decided here:
the executable that is named as the alias, else the only one that the installation created. Anything else is a failed build, with what
was found.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from clibench.errors import SandboxError, TaskError, UserError, did_you_mean
from clibench.sandbox.interface import PREFIX, BuildRequest, BuildResult, Sandbox
from clibench.sandbox.reap import scratch_folder
from clibench.tasks.oracle_lock import installation_files
from clibench.tasks.task import Oracle

Commands = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Recipe:
    """How repositories of one language are installed."""

    typed: str
    """What a person would type."""
    manifests: tuple[str, ...]
    """One of these has to be in the root."""
    commands: Commands
    created: Callable[[Path], list[str]]
    """Names in <prefix>/bin that the installation of the repository itself created."""
    probe: tuple[str, ...]
    """Succeeds where the registry answers."""
    env: Mapping[str, str] = field(default_factory=dict)


def executables(prefix: Path) -> list[str]:
    """Names of all executables in <prefix>/bin."""
    return sorted(path.name for path in (prefix / "bin").glob("*") if is_executable(prefix, path))


def _python_scripts(prefix: Path) -> list[str]:
    """Scripts of the distribution that was installed from /build: pip says so in direct_url.json (PEP 610), and RECORD lists its files.

    The rest of a virtual environment's bin is Python's, or belongs to dependencies.
    """
    names = set()
    for mark in prefix.glob("lib/python3*/site-packages/*.dist-info/direct_url.json"):
        try:
            if json.loads(mark.read_bytes())["url"].rstrip("/") != "file:///build":
                continue
            with (mark.parent / "RECORD").open(newline="", encoding="utf-8", errors="replace") as stream:
                names |= {Path(row[0]).name for row in csv.reader(stream) if row and Path(row[0]).parent.name == "bin"}
        except (OSError, csv.Error, ValueError, KeyError, TypeError, AttributeError):
            continue
    return [name for name in executables(prefix) if name in names]


VENV: Final = ("python3", "-m", "venv", "--without-pip", PREFIX)
PIP: Final = ("python3", "-m", "pip", "--python", f"{PREFIX}/bin/python", "install", "--no-cache-dir")

_PIP_PROBE: Final = ("python3", "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--dest", "/tmp", "setuptools")  # noqa: S108

# What pip, npm and Go print when they reach nobody, or somebody who has no time for them.
UNREACHED: Final = re.compile(
    rb"name resolution|Max retries exceeded|Connection(?:Error| refused| reset| timed out)|Read timed out|ENOTFOUND|EAI_AGAIN|ETIMEDOUT"
    rb"|ECONNREFUSED|ECONNRESET|dial tcp|i/o timeout|TLS handshake|429 Too Many|50[0234] (?:Server Error|Bad Gateway|Service|Gateway)"
)

# The image brings a compiled standard library, which is linked into a cache of the build's own (in memory there: these are thousands of
# small files). A folder with vendored modules is built from them; otherwise a go.sum that is missing or incomplete is made up for.
GO_CACHE: Final = "if test -d /usr/local/share/go-build; then export GOCACHE=/run/go-build; cp -as /usr/local/share/go-build /run; fi;"
_GO_INSTALL: Final = f'{GO_CACHE} test -f vendor/modules.txt || export GOFLAGS="$GOFLAGS -mod=mod"; exec go install -trimpath ./...'
_GO_BUILD: Final = f'{GO_CACHE} exec go build -mod=readonly -trimpath -o "$1" "$2"'
GO_ENV: Final = {"GOFLAGS": "-buildvcs=false -modcacherw"}

_NO_NEWS: Final = re.compile(r"complete log of this run|^\[?notice|^(npm (error|ERR!)|error:|╰─>|note:)?$|^note:|^hint:", re.IGNORECASE)
"""Lines at the end of a build's log that say nothing of why it failed."""

RECIPES: Final[Mapping[str, Recipe]] = {
    "python": Recipe("pip install .", ("pyproject.toml", "setup.py"), (VENV, (*PIP, ".")), _python_scripts, _PIP_PROBE),
    # `npm install -g .` links to the folder that it is given, so the folder is put inside the prefix first; the dependencies of a linked
    # folder, and its `prepare` script, are the business of the install before.
    "javascript": Recipe(
        "npm install -g .",
        ("package.json",),
        (
            ("mkdir", f"{PREFIX}/src"),
            ("cp", "-a", "/build/.", f"{PREFIX}/src"),
            ("npm", "install", f"--prefix={PREFIX}/src"),
            ("npm", "install", "--global", f"--prefix={PREFIX}", "--install-links=false", "--ignore-scripts", f"{PREFIX}/src"),
        ),
        executables,
        ("npm", "view", "npm", "version"),
    ),
    "go": Recipe(
        "go install ./...",
        ("go.mod",),
        (("sh", "-c", _GO_INSTALL),),
        executables,
        ("go", "list", "-m", "golang.org/x/text@latest"),
        {**GO_ENV, "GOBIN": f"{PREFIX}/bin"},
    ),
}


def _headline(recipe: Recipe, built: BuildResult) -> str:
    """The reason of a failed build as its author would look for it: the command that is usual, and the last thing that it said."""
    command, found, end = built.reason.rpartition("` ")
    if not (found and command.startswith("`")):
        return built.reason
    lines = [line.strip() for line in built.log.decode("utf-8", "replace").splitlines()]
    said = [line for line in lines if line and not _NO_NEWS.search(line)]
    return f"`{recipe.typed}` {end}{f': {said[-1][:200]}' if said else ''}"


def build_submission(
    sandbox: Sandbox, language: str, source: Path, destination: Path, *, alias: str, network: bool, timeout_s: float
) -> BuildResult:
    """Install the repository `source` into the empty folder `destination`, so that <destination>/bin/<alias> runs it.

    A failure of the submission is a result; SandboxError is raised only for faults of the harness, UserError for an unknown language.
    """
    if language not in RECIPES:
        raise UserError(f"unknown language '{language}'", where="language", fix=did_you_mean(language, RECIPES))
    recipe = RECIPES[language]
    if not any((source / manifest).is_file() for manifest in recipe.manifests):
        return BuildResult(False, b"", f"no {' or '.join(recipe.manifests)} in the root of the repository")
    built = sandbox.build(BuildRequest(language, source, recipe.commands, destination, network, timeout_s, recipe.env))
    if not built.ok:
        if network and UNREACHED.search(built.log):
            require_registry(sandbox, language)
        return replace(built, reason=_headline(recipe, built))
    created = recipe.created(destination)
    if alias in created:
        return built
    if len(created) == 1:
        (destination / "bin" / alias).unlink(missing_ok=True)
        (destination / "bin" / alias).symlink_to(created[0])
        return built
    found = f"creates {', '.join(created[:20])}" if created else "creates no executable"
    return replace(built, ok=False, reason=f"the installation {found}, and none is named {alias}")


def require_registry(sandbox: Sandbox, language: str) -> None:
    """Raise SandboxError where the registry gives nobody an answer; where it does, whom the build missed is the submission's affair."""
    with scratch_folder("probe") as scratch:
        source, prefix = scratch / "source", scratch / "prefix"
        source.mkdir()
        prefix.mkdir()
        if not sandbox.build(BuildRequest(language, source, (RECIPES[language].probe,), prefix, network=True, timeout_s=120.0)).ok:
            raise SandboxError(
                f"the package registry of {language} does not answer",
                where="build",
                fix="Look at the network and the proxy and certificate settings of this host, then repeat the command.",
            )


@dataclass(frozen=True)
class OracleRecipe:
    """How an oracle of one registry is installed, in a folder that holds the files of its lock (`clibench.tasks.oracle_lock`)."""

    commands: Callable[[Oracle], Commands]
    executable: str
    """Where the entry is then, relative to <prefix>/bin."""
    env: Mapping[str, str] = field(default_factory=dict)


ORACLE_RECIPES: Final[Mapping[str, OracleRecipe]] = {
    "pypi": OracleRecipe(lambda _: (VENV, (*PIP, "--require-hashes", "--no-deps", "--requirement", "requirements.txt")), "{entry}"),
    "npm": OracleRecipe(
        lambda _: (
            ("mkdir", f"{PREFIX}/bin", f"{PREFIX}/lib"),
            ("cp", "package.json", "package-lock.json", f"{PREFIX}/lib"),
            ("npm", "ci", f"--prefix={PREFIX}/lib", "--omit=dev"),
        ),
        "../lib/node_modules/.bin/{entry}",
    ),
    "go": OracleRecipe(lambda oracle: (("sh", "-c", _GO_BUILD, "sh", f"{PREFIX}/bin/{oracle.entry}", oracle.name),), "{entry}", GO_ENV),
}


def build_oracle(
    sandbox: Sandbox, language: str, oracle: Oracle, alias: str, destination: Path, *, network: bool = True, timeout_s: float = 600.0
) -> BuildResult:
    """Install exactly what the oracle's lock lists into the empty folder `destination`, and link <destination>/bin/<alias> to its entry.

    Raises SandboxError for faults of the harness, TaskError for a registry that is not known or a lock that is malformed.
    """
    recipe = ORACLE_RECIPES.get(oracle.registry)
    if recipe is None:
        raise TaskError(
            f"unknown registry '{oracle.registry}'", where=f"oracle {oracle.name}", fix=did_you_mean(oracle.registry, ORACLE_RECIPES)
        )
    with scratch_folder("oracle") as folder:
        for name, content in installation_files(oracle.registry, oracle.lock).items():
            (folder / name).write_text(content, encoding="utf-8")
        built = sandbox.build(BuildRequest(language, folder, recipe.commands(oracle), destination, network, timeout_s, recipe.env))
    if not built.ok:
        return built
    entry = recipe.executable.format(entry=oracle.entry)
    if not is_executable(destination, destination / "bin" / entry):
        path = destination / "bin" / entry
        made = [other.name for other in sorted(path.parent.glob("*")) if not _ENVIRONMENT.fullmatch(other.name)]
        reason = (
            f"what its installation made as {oracle.entry} is no program: a library has a path of its own for its command, if it has one"
            if path.exists()
            else f"the oracle's entry {oracle.entry} is not there after its installation, which created {', '.join(made[:20]) or 'nothing'}"
        )
        return replace(built, ok=False, reason=reason)
    if alias != oracle.entry or entry != oracle.entry:
        (destination / "bin" / alias).symlink_to(entry)
    return built


_ENVIRONMENT: Final = re.compile(r"(?i:activate)(?:\.\w+)?|python[\d.]*|pip[\d.]*")
"""What every Python environment has."""


def is_executable(prefix: Path, path: Path) -> bool:
    """Whether the path is an executable file as the sandbox sees it, where the prefix is at /opt/tool. Never asks outside the prefix."""
    for _ in range(10):
        if not path.is_symlink():
            return path.is_file() and os.access(path, os.X_OK)
        target = os.path.normpath(path.parent.absolute() / path.readlink())
        inside = Path(target.replace(PREFIX, str(prefix.absolute()), 1) if target.startswith(f"{PREFIX}/") else target)
        if not inside.is_relative_to(prefix.absolute()):
            return False
        path = inside
    return False
