"""How a build reaches the package registries: the host's own way, without the host's secrets.

A host behind a proxy, a mirror or a certificate authority of its own says so in environment variables and in the configuration of pip, npm
and Go. Builds get these settings when they run and images never do, so that an image stays the same everywhere. A setting that holds a
password is left out: what is built is untrusted code, which would only have to print it.
"""

from __future__ import annotations

import configparser
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

# Any of these names the bundle of certificates that the host trusts; inside a sandbox all of them name its copy.
_CA_VARIABLES: Final = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO")

_PASSED: Final = re.compile(
    r"(?:https?|all|no)_proxy"
    r"|pip_(?:index_url|extra_index_url|trusted_host|default_timeout|timeout|retries)"
    r"|uv_(?:index|default_index|index_url|extra_index_url|http_timeout|native_tls)"
    r"|npm_config_(?:registry|strict_ssl|https?_proxy|proxy|noproxy|fetch_.*)"
    r"|go(?:proxy|noproxy|sumdb|nosumdb|private|insecure|vcs)",
    re.IGNORECASE,
)
_SECRET: Final = re.compile(r"://[^/@\s]*@|token|password", re.IGNORECASE)


def host_certificates(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The bundle of certificates that the host's environment names; None where it names none that exists."""
    for name in _CA_VARIABLES:
        path = Path(environment.get(name) or "/nonexistent")
        if path.is_file():
            return path
    return None


def registry_settings(certificates: str | None, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Environment of a build that may reach the registries; `certificates` is the path of the host's bundle as the build sees it."""
    settings = {**_from_files(environment), **{name: value for name, value in environment.items() if _PASSED.fullmatch(name)}}
    settings = {name: value for name, value in settings.items() if value and not _SECRET.search(value)}
    if "PIP_INDEX_URL" in settings:
        settings.setdefault("UV_DEFAULT_INDEX", settings["PIP_INDEX_URL"])
    if certificates is not None:
        settings |= dict.fromkeys(_CA_VARIABLES, certificates)
    return settings


def offline_settings() -> dict[str, str]:
    """Environment of a build without a network: clients fail at once instead of trying again and again.

    pip still finds setuptools, which Debian packages as a wheel for this use; other build systems need the network.
    """
    return {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": "/usr/share/python-wheels",
        "npm_config_offline": "true",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
    }


def _from_files(environment: Mapping[str, str]) -> dict[str, str]:
    """What the host's configuration files say of pip's index, npm's registry and Go's proxy."""
    home = Path(environment.get("HOME", "/nonexistent"))
    found: dict[str, str] = {}
    for path in (Path("/etc/pip.conf"), home / ".pip/pip.conf", home / ".config/pip/pip.conf"):
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read(path)
        except (configparser.Error, OSError, UnicodeDecodeError):
            continue
        for option in ("index-url", "extra-index-url", "trusted-host"):
            if value := parser.get("global", option, fallback=""):
                found[f"PIP_{option.upper().replace('-', '_')}"] = " ".join(value.split())
    if registry := dict(_assignments(home / ".npmrc")).get("registry"):
        found["npm_config_registry"] = registry
    return found | {name: value for name, value in _assignments(home / ".config/go/env") if _PASSED.fullmatch(name)}


def _assignments(path: Path) -> list[tuple[str, str]]:
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    pairs = (line.partition("=") for line in lines if "=" in line and not line.lstrip().startswith(("#", ";")))
    return [(name.strip(), value.strip().strip('"')) for name, _, value in pairs]
