"""`sandbox.backend=auto` takes Docker where a daemon answers and else works without, and always says so."""

import logging
import os
from pathlib import Path

import pytest

from clibench.errors import SandboxError
from clibench.sandbox.choose import make_sandbox
from clibench.sandbox.settings import SandboxConfig

NOWHERE = "unix:///nonexistent/docker.sock"


def test_auto_takes_docker_where_a_daemon_answers(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert make_sandbox(SandboxConfig()).describe()["backend"] == "docker"
    assert "sandbox: Docker" in caplog.text


def test_auto_takes_the_local_back_end_where_no_daemon_answers_and_says_why(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("DOCKER_HOST", NOWHERE)
    with caplog.at_level(logging.INFO):
        assert make_sandbox(SandboxConfig()).describe()["backend"] == "local"
    assert "sandbox: local user namespaces, since no Docker daemon answers" in caplog.text


def test_local_is_taken_where_it_is_asked_for_though_a_daemon_answers() -> None:
    assert make_sandbox(SandboxConfig(backend="local")).describe()["backend"] == "local"


def test_docker_that_was_asked_for_and_does_not_answer_is_an_error_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", NOWHERE)
    with pytest.raises(SandboxError) as caught:
        make_sandbox(SandboxConfig(backend="docker"))
    assert "Run scripts/setup_docker.sh as root, or choose sandbox.backend=local." in caught.value.message


def test_a_machine_without_the_docker_command_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    with pytest.raises(SandboxError, match="there is no docker command") as caught:
        make_sandbox(SandboxConfig(backend="docker"))
    assert caught.value.exit_code == 3
    assert os.environ["PATH"] == str(tmp_path)
