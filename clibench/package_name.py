"""Which names and versions a registry can know: what is none of them must not reach its client, which would read an option or a path."""

from __future__ import annotations

import re
from typing import Final

NAMES: Final = {
    "pypi": re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?"),
    "npm": re.compile(r"(@[A-Za-z0-9_~][\w.~-]*/)?[A-Za-z0-9_~][\w.~-]*", re.ASCII),
    "go": re.compile(r"(?!.*(^|/)\.)[A-Za-z0-9_][\w.~-]*(/[\w.~+-]+)*", re.ASCII),
}
VERSION: Final = re.compile(r"[A-Za-z0-9][\w.+!~-]*", re.ASCII)
_RELEASES: Final = {
    "pypi": re.compile(r"v?\d[\w.+!-]*", re.ASCII),
    "npm": re.compile(r"\d+\.\d+\.\d+([-+][\w.+-]+)?", re.ASCII),
    "go": re.compile(r"v\d+\.\d+\.\d+([-+][\w.+-]+)?", re.ASCII),
}
"""One release each. What else a client takes (`latest`, a branch, `1.2`) is another release tomorrow."""


def fault_of_name(registry: str, name: str, version: str) -> str | None:
    """What is wrong with a package's name or its version, which may be empty; None where a registry could have it."""
    pattern = NAMES.get(registry)
    if pattern is not None and not pattern.fullmatch(name):
        return f"no {registry} package can have the name {name!r}"
    if version and not VERSION.fullmatch(version):
        return f"{version!r} is no single version"
    return None


def fault_of_pin(registry: str, name: str, version: str) -> str | None:
    """What keeps a package from being pinned: a fault of its name, or a version that does not name one release for good."""
    fault = fault_of_name(registry, name, version)
    release = _RELEASES.get(registry)
    if fault is None and version and release is not None and not release.fullmatch(version):
        example = {"pypi": "1.2.0", "npm": "1.2.0", "go": "v1.2.0"}[registry]
        return f"{version!r} does not name one release of {name} for good, as {example} would"
    return fault
