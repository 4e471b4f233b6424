"""Choose the back end: Docker where a daemon answers, else user namespaces on the host, unless the configuration says which."""

from __future__ import annotations

import logging
from pathlib import Path

from clibench.errors import SandboxError
from clibench.sandbox.daemon import server_version
from clibench.sandbox.interface import Sandbox
from clibench.sandbox.settings import SandboxConfig

log = logging.getLogger(__name__)


def make_sandbox(config: SandboxConfig, outputs: Path | None = None) -> Sandbox:
    """The sandbox that the configuration asks for; it says which one that is. The caller closes it.

    `outputs` is only written on what the sandbox makes, to tell whose it is. Raises SandboxError where the back end can't work here.
    """
    if config.backend == "local":
        return _local(config, "as asked for")
    try:
        version = server_version()
    except SandboxError as error:
        if config.backend == "docker":
            raise
        return _local(config, f"since {error.what}")
    from clibench.sandbox.docker import DockerSandbox

    log.info("sandbox: Docker %s", version)
    return DockerSandbox(config, outputs)


def _local(config: SandboxConfig, why: str) -> Sandbox:
    from clibench.sandbox.local import LocalSandbox

    log.info("sandbox: local user namespaces, %s", why)
    return LocalSandbox(config)
