"""The image of an agent: the sandbox's own image and one layer on top, made by the shell commands that the framework's YAML names.

Named by the digest of what goes in, so that a version of an agent is an image and a change of either makes another key. The layer is made
in a container that may reach the package registries the host's way; those settings are given to its commands and not to the container,
since an image remembers its container's environment.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from clibench.digest import digest_json
from clibench.errors import InfraError, SandboxError
from clibench.generation.agent_sandbox import discard, mount
from clibench.sandbox.daemon import docker
from clibench.sandbox.image import Image, ensure_image, user_image
from clibench.sandbox.reap import OWNER_LABEL, Owner, scratch_lock
from clibench.sandbox.registries import host_certificates, registry_settings
from clibench.sandbox.settings import SandboxConfig

log = logging.getLogger(__name__)

_CERTIFICATES: Final = "/usr/local/lib/clibench-certificates.pem"
_INSTALL_S: Final = 3600.0
_TIDY: Final = "rm -rf /root/.npm /root/.cache /tmp/* /var/tmp/*"


def agent_image(config: SandboxConfig, name: str, install: Sequence[str]) -> str:
    """Name of the image with the agent in it, made where it is missing (minutes, once). Raises SandboxError."""
    base = user_image(config.image) if config.image else ensure_image(config.base_image)
    if not install:
        return base.name
    digest = digest_json({"base": base.digest, "install": list(install)})
    image = f"clibench-agent-{name.replace('_', '-')}:{digest[:16]}"
    if _exists(image):
        return image
    with scratch_lock(digest[:16]):
        if not _exists(image):
            log.warning("building the image of %s: takes some minutes, once", name)
            _make(base, image, install)
    return image


def _make(base: Image, image: str, install: Sequence[str]) -> None:
    certificates = host_certificates()
    settings = registry_settings(_CERTIFICATES if certificates else None)
    label = f"clibench.agent-image={secrets.token_hex(6)}"
    flags = [
        "--detach",
        "--init",
        "--pull=never",
        "--log-driver=none",
        "--user=0:0",
        f"--label={label}",
        f"--label={OWNER_LABEL}={Owner.current().token}",
    ]
    if certificates is not None:
        flags.append(mount(Path(certificates), _CERTIFICATES, readonly=True))
    container = docker("run", *flags, base.name, "sleep", "infinity").strip()
    try:
        for command in (*install, _TIDY):
            _run(container, settings, command)
        # The labels of the container must not become the image's: what carries them is removed with its owner.
        cleared = [f"--change=LABEL {name}=" for name in (label.partition("=")[0], OWNER_LABEL)]
        docker("commit", *cleared, "--change=USER user", "--change=CMD []", container, image, timeout_s=_INSTALL_S)
    finally:
        discard(label)


def _run(container: str, settings: dict[str, str], command: str) -> None:
    env = [f"--env={name}={value}" for name, value in settings.items()]
    try:
        docker("exec", *env, container, "bash", "-c", f"set -eo pipefail; ({command}) 2>&1", timeout_s=_INSTALL_S)
    except SandboxError as error:
        raise InfraError(
            f"installing the agent failed: {error.what}", where=command[:200], fix="Check that the package registries are reachable."
        ) from error


def _exists(name: str) -> bool:
    return bool(docker("image", "ls", "--quiet", "--no-trunc", name).strip())
