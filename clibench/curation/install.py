"""Install a candidate in the sandbox and read its executables from what the installation left behind.

Which executables are the package's own and which came with its dependencies is told by the registry's records: pip's RECORD, npm's
package.json, Go's main packages. Only the own ones can be an oracle's entry. Nothing of the package runs outside the sandbox.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.parser import BytesParser
from pathlib import Path
from typing import Any, Final

from clibench.curation.package import Package, Reason, RejectedError
from clibench.evaluation.build import GO_CACHE, GO_ENV, PIP, RECIPES, UNREACHED, VENV, executables, is_executable, require_registry
from clibench.sandbox.interface import PREFIX, BuildRequest, BuildResult, Sandbox
from clibench.sandbox.reap import scratch_folder

_BEFORE: Final = ".executables-before"
_MAINS: Final = ".main-packages"
_VERSION: Final = ".version"
_SOURCE: Final = "source"
_LIST: Final = ("sh", "-c", f"ls {PREFIX}/bin > {PREFIX}/{_BEFORE}")

# A module whose root is a command offers that one, as `go install MODULE@VERSION` does; otherwise all commands below it count, but for
# examples and what its authors alone use. A command that does not build leaves the others.
_GO_SCRIPT: Final = f"""
go get "$1@$2"
format='{{{{if eq .Name "main"}}}}{{{{.ImportPath}}}}{{{{end}}}}'
mains=$(go list -e -f "$format" "$1")
aside='/(internal|_?examples?|testdata|tests?|hack|scripts)(/|$)'
test -n "$mains" || mains=$(go list -e -f "$format" "$1/..." | grep -vE "$aside" | head -n 12)
mkdir -p {PREFIX}/bin {PREFIX}/{_SOURCE}
for main in $mains; do
    go build -trimpath -o {PREFIX}/bin/ "$main" || continue
    for name in $(ls {PREFIX}/bin); do
        grep -q "^$name " {PREFIX}/{_MAINS} 2>/dev/null || echo "$name $main" >> {PREFIX}/{_MAINS}
    done
done
module=$(go list -m -f '{{{{.Path}}}}' all | awk -v p="$1" 'index(p "/", $1 "/") == 1 && length($1) > length(m) {{m = $1}} END {{print m}}')
go list -m -f '{{{{.Version}}}}' "$module" > {PREFIX}/{_VERSION}
cp -r "$(go list -m -f '{{{{.Dir}}}}' "$module")/." {PREFIX}/{_SOURCE}
chmod -R u+w {PREFIX}/{_SOURCE}
"""

_LIMITS: Final = r"did not end|out of memory|was killed|wrote more"
"""What a build's reason tells that its log does not."""

_ABSENT: Final = re.compile(
    r"No matching distribution found for (\S+)|404 Not Found - GET \S+/(\S+)|No matching version found for (\S+)"
    r"|go: (?:module )?(\S+?)[@:].*?(?:404 |410 Gone|no matching versions|unknown revision|invalid version|not found|cannot find)",
    re.IGNORECASE,
)
_REFUSED: Final = re.compile(r"40[13] \w+ - GET \S+/(\S+)|go: (?:module )?(\S+?)[@:].*?\b40[13] ", re.IGNORECASE)
"""A registry, or whoever stands before it, that does not say whether it has the package."""


@dataclass(frozen=True)
class Program:
    """An executable that the installation of a package created for itself."""

    name: str
    """In <prefix>/bin."""
    package: str
    """What to install to get it: the package; for Go, the path of its main package."""


@dataclass(frozen=True)
class Installed:
    """A candidate in a prefix."""

    package: Package
    version: str
    programs: tuple[Program, ...]
    """Never empty."""
    others: tuple[str, ...]
    """Executables that the dependencies brought."""
    source: Path
    """Its own sources, for measuring."""
    licence: str
    """As the package states it; empty where it does not."""
    readme: str
    about: str = ""
    """Summary and keywords, as the package states them."""


def install(sandbox: Sandbox, prefix: Path, package: Package, *, timeout_s: float = 600.0, network: bool = True) -> Installed:
    """Install into the empty folder `prefix`, whose `bin` then holds the executables.

    Raises RejectedError for a package that is not there, does not install or creates no executable, SandboxError for faults of the harness.
    """
    if package.folder is not None:
        return _install_folder(sandbox, prefix, package, package.folder, timeout_s=timeout_s, network=network)
    commands, env = _COMMANDS[package.registry](package)
    with scratch_folder("candidate") as source:
        for name, content in _FILES.get(package.registry, {}).items():
            (source / name).write_text(content)
        built = sandbox.build(BuildRequest(package.language.value, source, commands, prefix, network, timeout_s, env))
    if not built.ok:
        raise _failure(sandbox, package, built, network=network)
    found = _READERS[package.registry](prefix, package)
    if not found.source.resolve().is_relative_to(prefix.resolve()):
        raise RejectedError(Reason.INSTALL, "its files lead out of the sandbox", where=str(package))
    return _with_programs(found, built)


def _install_folder(sandbox: Sandbox, prefix: Path, package: Package, folder: Path, *, timeout_s: float, network: bool) -> Installed:
    recipe = RECIPES[package.language.value]
    if not any((folder / manifest).is_file() for manifest in recipe.manifests):
        raise RejectedError(Reason.INSTALL, f"no {' or '.join(recipe.manifests)} in its root", where=str(package))
    built = sandbox.build(BuildRequest(package.language.value, folder, recipe.commands, prefix, network, timeout_s, recipe.env))
    if not built.ok:
        raise _failure(sandbox, package, built, network=network)
    own = recipe.created(prefix)
    programs = tuple(Program(name, package.name) for name in own)
    licence = _licence_of(folder)
    return _with_programs(Installed(package, package.version, programs, (), folder, licence, _readme(folder)), built)


def _with_programs(found: Installed, built: BuildResult) -> Installed:
    if found.programs:
        return found
    detail = f"its dependencies create {', '.join(found.others[:5])}" if found.others else ""
    if found.package.registry == "go" and b"\n# " in built.log:
        raise RejectedError(Reason.INSTALL, _telling_line(built.log), where=str(found.package))
    raise RejectedError(Reason.NO_EXECUTABLE, detail, where=str(found.package))


def _failure(sandbox: Sandbox, package: Package, built: BuildResult, *, network: bool) -> RejectedError:
    if network and UNREACHED.search(built.log):
        require_registry(sandbox, package.language.value)
    log = built.log.decode("utf-8", "replace")
    for pattern, reason in ((_ABSENT, Reason.MISSING), (_REFUSED, Reason.REFUSED)):
        for told in pattern.finditer(log):
            name = next(group for group in told.groups() if group).strip("'\"").replace("%2f", "/").lower()
            if name.startswith(package.name.lower()):
                return RejectedError(reason, _line_at(log, told.start()), where=str(package))
    if re.search(_LIMITS, built.reason):
        return RejectedError(Reason.INSTALL, built.reason, where=str(package))
    return RejectedError(Reason.INSTALL, _telling_line(built.log), where=str(package))


def _telling_line(log: bytes) -> str:
    """The last line that speaks of an error, else the last one."""
    lines = [line.strip() for line in log.decode("utf-8", "replace").splitlines() if line.strip() and not line.startswith("$ ")]
    told = [line for line in lines if re.search(r"error|fail|cannot|not found", line, re.IGNORECASE) and "A complete log" not in line]
    return _shown((told or lines or ["it printed nothing"])[-1])


def _line_at(text: str, position: int) -> str:
    return _shown(text[text.rfind("\n", 0, position) + 1 :].split("\n", 1)[0].strip())


def _shown(line: str) -> str:
    """Without addresses: they name the mirror of this machine, and the line may be kept with the data."""
    return re.sub(r"https?://\S+", "(address)", line)[:300]


# --- registries -----------------------------------------------------------------------------------------------------------------

Commands = tuple[tuple[str, ...], ...]


def _pypi(package: Package) -> tuple[Commands, Mapping[str, str]]:
    extras = f"[{','.join(package.extras)}]" if package.extras else ""
    wanted = f"{package.name}{extras}" + (f"=={package.version}" if package.version else "")
    return (VENV, _LIST, (*PIP, wanted)), {}


def _npm(package: Package) -> tuple[Commands, Mapping[str, str]]:
    wanted = f"{package.name}@{package.version or 'latest'}"
    return (("mkdir", f"{PREFIX}/bin", f"{PREFIX}/lib"), ("npm", "install", f"--prefix={PREFIX}/lib", "--omit=dev", wanted)), {}


def _go(package: Package) -> tuple[Commands, Mapping[str, str]]:
    script = f"{GO_CACHE}{_GO_SCRIPT}"
    return (("sh", "-euc", script, "sh", package.name, package.version or "latest"),), {
        **GO_ENV,
        "GOFLAGS": f"{GO_ENV['GOFLAGS']} -mod=mod",
    }


_COMMANDS: Final[Mapping[str, Callable[[Package], tuple[Commands, Mapping[str, str]]]]] = {"pypi": _pypi, "npm": _npm, "go": _go}

# An old language version: `go get` raises it to what the candidate needs, and not to what this machine has.
_FILES: Final[Mapping[str, Mapping[str, str]]] = {"go": {"go.mod": "module candidate\n\ngo 1.21\n"}}


def _read_pypi(prefix: Path, package: Package) -> Installed:
    before = set(_text(prefix / _BEFORE).split())
    created = [name for name in executables(prefix) if name not in before]
    own: set[str] = set()
    version = licence = readme = about = ""
    target = prefix / _SOURCE
    target.mkdir()
    for info in sorted(prefix.glob("lib/python3*/site-packages/*.dist-info")):
        if not info.resolve().is_relative_to(prefix.resolve()):
            continue
        metadata = BytesParser().parsebytes(_bytes(info / "METADATA"))
        if _canonical(str(metadata.get("Name", ""))) != _canonical(package.name):
            continue
        version, readme = str(metadata.get("Version", "")), str(metadata.get_payload() or "")
        about = f"{metadata.get('Summary', '')}\n{metadata.get('Keywords', '')}".strip()
        licence = str(metadata.get("License-Expression") or metadata.get("License") or "").strip().split("\n")[0]
        if not licence:
            classifiers = [str(value) for value in metadata.get_all("Classifier", [])]
            licence = "; ".join(value.rsplit(" :: ", 1)[-1] for value in classifiers if value.startswith("License :: "))
        for row in csv.reader(_text(info / "RECORD").splitlines()):
            path = Path(row[0]) if row else Path()
            if path.parent.name == "bin":
                own.add(path.name)
            elif ".." not in path.parts and not path.is_absolute() and "__pycache__" not in path.parts:
                _copy(info.parent / path, target / path)
    programs = tuple(Program(name, package.name) for name in created if name in own)
    return Installed(package, version, programs, tuple(name for name in created if name not in own), target, licence, readme, about)


def _read_npm(prefix: Path, package: Package) -> Installed:
    modules = prefix / "lib" / "node_modules"
    home = modules / package.name
    manifest = _json(home / "package.json")
    stated = manifest.get("bin") or {}
    if isinstance(stated, str):
        stated = {package.name.rsplit("/", 1)[-1]: stated}
    created = sorted(path.name for path in (modules / ".bin").glob("*"))
    own = []
    for name in created:
        if name in stated and is_executable(prefix, modules / ".bin" / name):
            own.append(name)
            (prefix / "bin" / name).symlink_to(f"../lib/node_modules/.bin/{name}")
    licence = manifest.get("license")
    licence = licence.get("type", "") if isinstance(licence, dict) else licence
    return Installed(
        package,
        str(manifest.get("version", "")),
        tuple(Program(name, package.name) for name in own),
        tuple(name for name in created if name not in own),
        home,
        licence if isinstance(licence, str) else "",
        _readme(home),
        _about(manifest),
    )


def _read_go(prefix: Path, package: Package) -> Installed:
    mains = dict(line.split(" ", 1) for line in _text(prefix / _MAINS).splitlines() if " " in line)
    programs = tuple(Program(name, mains.get(name, package.name)) for name in executables(prefix))
    source = prefix / _SOURCE
    return Installed(package, _text(prefix / _VERSION).strip(), programs, (), source, _licence_of(source), _readme(source))


_READERS: Final[Mapping[str, Callable[[Path, Package], Installed]]] = {"pypi": _read_pypi, "npm": _read_npm, "go": _read_go}


# --- what a package says of itself ----------------------------------------------------------------------------------------------

_LICENCES: Final = (
    ("MIT", r"Permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("Apache-2.0", r"Apache License\s+Version 2\.0"),
    ("MPL-2.0", r"Mozilla Public License,? (?:Version|v\.) ?2\.0"),
    ("AGPL-3.0", r"GNU AFFERO GENERAL PUBLIC LICENSE\s+Version 3"),
    ("LGPL-3.0", r"GNU LESSER GENERAL PUBLIC LICENSE\s+Version 3"),
    ("GPL-3.0", r"GNU GENERAL PUBLIC LICENSE\s+Version 3"),
    ("GPL-2.0", r"GNU GENERAL PUBLIC LICENSE\s+Version 2"),
    ("BSD-3-Clause", r"Neither the name of"),
    ("BSD-2-Clause", r"Redistribution and use in source and binary forms"),
    ("ISC", r"Permission to use, copy, modify, and(?:/or)? distribute this software for any\s+purpose"),
    ("Unlicense", r"This is free and unencumbered software released into the public domain"),
)
"""SPDX identifier and a sentence of the licence's text; the first that fits."""


def _licence_of(folder: Path) -> str:
    """From package.json or the licence file in the root."""
    stated = _json(folder / "package.json").get("license")
    if isinstance(stated, str) and stated:
        return stated
    for path in sorted(folder.glob("*")):
        if re.match(r"(licen[cs]e|copying|unlicense)", path.name, re.IGNORECASE) and path.is_file():
            text = " ".join(_text(path).split())
            return next((name for name, sentence in _LICENCES if re.search(sentence, text, re.IGNORECASE)), "")
    return ""


def _readme(folder: Path) -> str:
    found = [path for path in sorted(folder.glob("*")) if re.match(r"readme(\.|$)", path.name, re.IGNORECASE)]
    return _text(found[0]) if found else ""


def _about(manifest: dict[str, Any]) -> str:
    keywords = manifest.get("keywords")
    return "\n".join([str(manifest.get("description") or ""), *(map(str, keywords) if isinstance(keywords, list) else ())]).strip()


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _copy(path: Path, target: Path) -> None:
    if path.is_file() and not path.is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def _bytes(path: Path) -> bytes:
    """Content of a file that untrusted code wrote; a link, a folder or nothing counts as empty."""
    try:
        return b"" if path.is_symlink() else path.read_bytes()
    except OSError:
        return b""


def _text(path: Path) -> str:
    return _bytes(path).decode("utf-8", "replace")


def _json(path: Path) -> dict[str, Any]:
    try:
        body = json.loads(_bytes(path))
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
