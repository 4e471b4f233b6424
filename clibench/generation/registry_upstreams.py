"""Which registries an agent's packages come from: those that pip, npm and Go would take on this host, asked of the clients themselves.

The clients of the agent's image are asked, with the host's settings and without a network; so a mirror that the host is told to use is
used here too, and where it is told of none, it is the clients' own default. No address is written down in clibench.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from clibench.sandbox.daemon import docker
from clibench.sandbox.registries import registry_settings

_ASK: Final = r"""
export COLUMNS=1000 HOME=/nonexistent PIP_DISABLE_PIP_VERSION_CHECK=1
echo "pypi $(python3 -m pip install --help 2>/dev/null | grep -A1 -e '--index-url' | tr -d '\n')"
echo "npm $(npm config get registry 2>/dev/null)"
echo "go $(GOCACHE=/tmp/go go env GOPROXY 2>/dev/null)"
echo "sumdb $(GOCACHE=/tmp/go go env GOSUMDB 2>/dev/null)"
echo "nosumdb $(GOCACHE=/tmp/go go env GONOSUMDB 2>/dev/null)"
"""
_URL: Final = re.compile(r"https?://[^\s,|)]+")


@dataclass(frozen=True)
class Upstreams:
    """Addresses without a slash at the end; several are tried in turn. None of a kind: there is no such registry."""

    pypi: tuple[str, ...]
    npm: tuple[str, ...]
    go: tuple[str, ...]
    sumdb: str = ""
    """As GOSUMDB has it; empty where it is off."""
    nosumdb: str = ""
    """As GONOSUMDB has it."""

    @property
    def sumdb_host(self) -> str:
        """Name of the checksum database: `NAME[+KEY] [URL]`."""
        return self.sumdb.split(" ")[0].split("+")[0]


def upstreams(image: str) -> Upstreams:
    """Ask the clients in an image. Raises SandboxError."""
    settings = registry_settings(None)
    return _asked(image, json.dumps(settings, sort_keys=True))


@cache
def _asked(image: str, settings: str) -> Upstreams:
    host: dict[str, str] = json.loads(settings)
    flags = [f"--env={name}={value}" for name, value in host.items()]
    text = docker("run", "--rm", "--network=none", "--pull=never", *flags, "--entrypoint=bash", image, "-c", _ASK, timeout_s=120)
    said = dict(line.partition(" ")[::2] for line in text.splitlines())
    sumdb = said.get("sumdb", "")
    extra = host.get("PIP_EXTRA_INDEX_URL", "")
    return Upstreams(
        pypi=_addresses(f"{said.get('pypi', '')} {extra}"),
        npm=_addresses(said.get("npm", "")),
        go=_addresses(said.get("go", "")),
        sumdb="" if sumdb == "off" else sumdb,
        nosumdb=said.get("nosumdb", ""),
    )


def _addresses(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found.rstrip("/") for found in _URL.findall(text)))
