"""One outputs folder, and so one gateway, for all tests of agents that do not look at the whole of it."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("agents")
