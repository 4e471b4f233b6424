"""Sandboxes that tests share. A machine where one can't be started fails the tests that need it: they are never skipped."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from clibench.sandbox.docker import DockerSandbox
from clibench.sandbox.local import LocalSandbox
from clibench.sandbox.settings import SandboxConfig


@pytest.fixture(scope="session")
def docker_sandbox() -> Iterator[DockerSandbox]:
    """The Docker back end with its defaults."""
    sandbox = DockerSandbox(SandboxConfig(backend="docker"))
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="session")
def local_sandbox() -> Iterator[LocalSandbox]:
    """The back end that needs neither Docker nor root, with its defaults."""
    sandbox = LocalSandbox(SandboxConfig(backend="local"))
    yield sandbox
    sandbox.close()


@pytest.fixture
def deep_path(tmp_path: Path) -> Iterator[Path]:
    """A folder for trees deeper than Python recurses: pytest, which removes old folders by recursion, must not find a failed one."""
    yield tmp_path
    subprocess.run(("rm", "-rf", tmp_path), check=True)
