"""Which package a name is, and whether it is the oracle itself: what an agent that may reach the registries must not fetch.

Names are compared as their registries do: PyPI's without case and with `-`, `_` and `.` alike, npm's without case, Go's module paths
without case and major version (`/v2`, `.v2`), since an older major version of the oracle is the oracle too. What only looks like it (a
wheel that carries the tool's binary, a port) is fetched and told: nobody but a person can say what it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from clibench.errors import TaskError
from clibench.tasks.oracle_lock import installation_files
from clibench.tasks.task import Oracle

NAMES: Final = {
    "pypi": re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"),
    "npm": re.compile(r"(?:@[A-Za-z0-9~][\w.~-]*/)?[A-Za-z0-9~_-][\w.~-]*"),
    "go": re.compile(r"[a-z0-9][\w.~-]*(?:/[\w~-][\w.~-]*)*"),
}
"""What may be asked of a registry: nothing else is passed on."""

_MAJOR: Final = re.compile(r"/v\d+(?=/|$)|\.v\d+$")
_REQUIRED: Final = re.compile(r"^\s*(?:require\s+)?([\w.~/-]+)\s+v[\w.+-]+", re.MULTILINE)


@dataclass(frozen=True)
class Download:
    """One thing that an agent asked the registries for."""

    at: str
    """UTC, ISO 8601."""
    registry: str
    package: str
    file: str
    outcome: str
    """fetched, refused (it is the oracle), failed."""
    size: int = 0
    """Bytes that were passed on."""
    detail: str = ""


def canonical(registry: str, name: str) -> str:
    """The form in which two names of one package are equal."""
    if registry == "pypi":
        return re.sub(r"[-_.]+", "-", name).lower()
    return _MAJOR.sub("", name.lower()) if registry == "go" else name.lower()


def is_oracle(oracle: Oracle, registry: str, name: str) -> bool:
    """Whether the package (for Go the module) is the oracle's own."""
    if registry == "go":
        if oracle.registry != "go":
            return False
        own, asked = canonical("go", _module(oracle)), canonical("go", name)
        return asked == own or asked.startswith(f"{own}/")
    return oracle.registry != "go" and canonical("pypi", name) == canonical("pypi", oracle.name)


def looks_like_oracle(oracle: Oracle, name: str) -> bool:
    """Whether a package has the oracle's name, or its command's, among the words of its own."""
    own = {canonical("pypi", word) for word in (_stem(oracle), oracle.entry) if len(word) > 2}
    asked = re.sub(r"[^a-z0-9]+", "-", name.lower())
    return any(re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", asked) for word in own)


def _stem(oracle: Oracle) -> str:
    """The last word of the name: of `@scope/tool` and `host/owner/tool/cmd/tool` it is `tool`."""
    return canonical(oracle.registry, oracle.name).rpartition("/")[2]


def _module(oracle: Oracle) -> str:
    """The module that holds the oracle's package: the longest one that its lock requires and that the package's path starts with."""
    try:
        required = _REQUIRED.findall(installation_files("go", oracle.lock)["go.mod"])
    except TaskError:
        required = []
    holding = [path for path in required if oracle.name == path or oracle.name.startswith(f"{path}/")]
    return max(holding, key=len, default=oracle.name)
