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


def fault_of_name(registry: str, name: str, version: str) -> str | None:
    """What is wrong with a package's name or its version, which may be empty; None where a registry could have it."""
    pattern = NAMES.get(registry)
    if pattern is not None and not pattern.fullmatch(name):
        return f"no {registry} package can have the name {name!r}"
    if version and not VERSION.fullmatch(version):
        return f"{version!r} is no single version"
    return None
