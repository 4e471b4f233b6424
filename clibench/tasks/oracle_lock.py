"""oracle.lock: every package of an oracle with the hash of its artefact, in the registry client's own format.

| registry | content of oracle.lock | installed by |
| --- | --- | --- |
| pypi | a requirements file with hashes | `pip install --no-deps --require-hashes -r requirements.txt` |
| npm | a package-lock.json (version 3) without addresses; its root depends on the oracle alone | `npm ci` beside `package.json` |
| go | go.mod and go.sum, as two sections `-- NAME --`, as in Go's txtar | `go install PACKAGE` in the module that they make |

`installation_files` gives the files that the client wants to find; nothing here runs a client.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from clibench.digest import digest_json
from clibench.errors import TaskError

_SECTION: Final = re.compile(r"^-- (\S+) --\n", re.MULTILINE)


def installation_files(registry: str, lock: str) -> dict[str, str]:
    """Name to content of the files from which the registry's client installs; raises TaskError for a lock that is not of its form."""
    match registry:
        case "pypi":
            return {"requirements.txt": lock}
        case "npm":
            return {"package.json": _package_json(lock), "package-lock.json": lock}
        case "go":
            return _sections(lock)
        case _:
            raise TaskError(f"unknown registry '{registry}'", fix="Valid: go, npm, pypi.")


def lock_digest(registry: str, lock: str) -> str:
    """Digest of what is installed: names, versions and hashes, whatever the layout of the text."""
    match registry:
        case "pypi":
            joined = lock.replace("\\\n", " ")
            return digest_json(sorted(" ".join(line.split()) for line in joined.splitlines() if line.strip() and line[0] != "#"))
        case "npm":
            packages: dict[str, dict[str, Any]] = json.loads(lock)["packages"]
            return digest_json(sorted([path, row.get("version", ""), row.get("integrity", "")] for path, row in packages.items() if path))
        case _:
            return digest_json(sorted(_sections(lock)["go.sum"].split("\n")))


def go_lock(go_mod: str, go_sum: str) -> str:
    """The lock of a Go oracle."""
    return f"-- go.mod --\n{go_mod}-- go.sum --\n{go_sum}"


def pypi_lock(own: dict[str, Any], reports: dict[str, dict[str, Any]]) -> str:
    """The lock of a Python oracle, from pip's installation reports: `own` of the image's Python, `reports` by Python version.

    A release has a hash for each artefact that some version takes, and a marker where only some need it. A version that `own` does not
    choose too is left out. Raises TaskError where an artefact has no hash.
    """
    chosen = _artefacts(own)
    hashes = {release: {digest} for release, digest in chosen.items()}
    versions: dict[tuple[str, str], list[str]] = {}
    for python, report in sorted(reports.items()):
        found = _artefacts(report)
        if any(name == other and version != theirs for name, version in chosen for other, theirs in found):
            continue
        for release, digest in found.items():
            hashes.setdefault(release, set()).add(digest)
            versions.setdefault(release, []).append(python)
    lines = []
    for (name, version), digests in sorted(hashes.items()):
        marker = ""
        if (name, version) not in chosen:
            marker = " ; " + " or ".join(f'python_version == "{python}"' for python in versions[name, version])
        lines.append(f"{name}=={version}{marker}" + "".join(f" --hash=sha256:{digest}" for digest in sorted(digests)) + "\n")
    return "".join(lines)


def _artefacts(report: dict[str, Any]) -> dict[tuple[str, str], str]:
    """SHA-256 of what pip would install, by name and version."""
    found = {}
    for item in report["install"]:
        name, version = _canonical(item["metadata"]["name"]), item["metadata"]["version"]
        digest = item["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256")
        if not digest:
            raise TaskError(f"{name} {version} comes without a hash", fix="Pin a release of the registry, not a directory or repository.")
        found[name, version] = digest
    return found


def npm_lock(package_lock: str) -> str:
    """The lock of an npm oracle: a package-lock.json without addresses, so that it names no mirror."""
    body = json.loads(package_lock)
    for row in body["packages"].values():
        row.pop("resolved", None)
        row.pop("funding", None)
    return json.dumps(body, indent=1, sort_keys=True) + "\n"


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _package_json(lock: str) -> str:
    try:
        root = json.loads(lock)["packages"][""]
        return json.dumps({"name": "oracle", "version": "0.0.0", "private": True, "dependencies": root["dependencies"]}, indent=1) + "\n"
    except (ValueError, KeyError, TypeError) as error:
        raise TaskError(f"not a package-lock.json: {error!r}", where="oracle.lock") from None


def _sections(lock: str) -> dict[str, str]:
    parts = _SECTION.split(lock)
    found = dict(zip(parts[1::2], parts[2::2], strict=False))
    if set(found) != {"go.mod", "go.sum"}:
        raise TaskError("a lock of Go needs the sections go.mod and go.sum", where="oracle.lock")
    return found
