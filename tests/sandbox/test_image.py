"""The image is named by what goes into it, and can be made without an image registry."""

import os
import subprocess
from pathlib import Path

import pytest

from clibench.errors import SandboxError, UserError
from clibench.sandbox import image
from clibench.sandbox.daemon import docker
from clibench.sandbox.image import bootstrap, build_context, debian_mirror, ensure_base, ensure_image


def test_the_name_changes_with_the_base_and_with_the_dockerfile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(image, "_exists", lambda _: True)
    ours = ensure_image("debian:trixie-slim")
    assert ours == ensure_image("debian:trixie-slim")
    assert ours.name == f"clibench-sandbox:{ours.digest[:16]}"
    other_base = ensure_image("debian:sid-slim")
    (tmp_path / "Dockerfile").write_text("FROM scratch\n")
    monkeypatch.setattr(image, "_FOLDER", tmp_path)
    other_file = ensure_image("debian:trixie-slim")
    assert len({ours.digest, other_base.digest, other_file.digest}) == 3


def test_the_build_sees_how_the_host_reaches_registries_and_the_package_stays_as_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "ca.pem").write_text("certificates")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    monkeypatch.setenv("npm_config_registry", "http://npm.example/a b")
    monkeypatch.setenv("PIP_INDEX_URL", "http://user:secret@pip.example/")
    with build_context() as context:
        assert (context / "Dockerfile").is_file()
        assert (context / "host/certificates.pem").read_text() == "certificates"
        settings = (context / "host/registries.env").read_text()
        shell = 'set -eu; . "$1"; printf %s "$npm_config_registry"'
        said = subprocess.run(
            ("sh", "-c", shell, "sh", context / "host/registries.env"), capture_output=True, text=True, check=True, env={}
        )
        assert said.stdout == "http://npm.example/a b"
        assert "NODE_EXTRA_CA_CERTS=/host/certificates.pem" in settings
        assert "secret" not in settings
    assert not context.exists()
    assert [path.name for path in (image._FOLDER / "host").iterdir()] == ["registries.env"]


def test_node_starts_from_its_snapshot() -> None:
    """Without one a start takes four times as long, and with it every trial of a JavaScript tool."""
    script = "process.config.variables.node_use_node_snapshot && process.execPath"
    said = docker("run", "--rm", "--pull=never", ensure_image("debian:trixie-slim").name, "node", "-p", script)
    assert said.strip() == "/usr/local/bin/node"


def test_a_build_that_fails_leaves_no_stage_that_saw_the_hosts_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "host").mkdir()
    stage = f"ARG BASE\nFROM $BASE AS node\nLABEL clibench.stage=node\nCOPY host/ /host/\nRUN echo {tmp_path.name} > /seen\n"
    (tmp_path / "Dockerfile").write_text(f"{stage}FROM $BASE\nCOPY --from=node /seen /seen\nRUN false\n")
    monkeypatch.setattr(image, "_FOLDER", tmp_path)
    with pytest.raises(SandboxError):
        ensure_image("debian:trixie-slim")
    assert docker("image", "ls", "--quiet", "--filter", "label=clibench.stage") == ""


def test_a_daemon_that_goes_in_the_build_is_told_and_not_that_nothing_can_be_tidied(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "host").mkdir()
    (tmp_path / "Dockerfile").write_text("ARG BASE\nFROM $BASE\nRUN false\n")
    monkeypatch.setattr(image, "_FOLDER", tmp_path)

    def gone(*arguments: str, timeout_s: float = 60.0) -> str:
        if arguments[0] == "build":
            raise SandboxError("the Docker daemon went away", where="docker build")
        if arguments[:2] == ("image", "prune"):
            raise SandboxError("no Docker daemon answers", where="docker image")
        return docker(*arguments, timeout_s=timeout_s)

    monkeypatch.setattr(image, "docker", gone)
    with pytest.raises(SandboxError, match="docker build: the Docker daemon went away"):
        ensure_image("debian:trixie-slim")


def test_an_image_of_ones_own_that_there_is_not_is_the_users_to_mend() -> None:
    with pytest.raises(UserError, match=r"sandbox\.image=clibench-nowhere\.invalid/x: is not there and can't be pulled") as caught:
        image.user_image("clibench-nowhere.invalid/x")
    assert caught.value.exit_code == 2


def test_the_mirror_is_read_from_one_line_sources(tmp_path: Path) -> None:
    (tmp_path / "sources.list").write_text(
        "# deb http://old.example/debian bookworm main\n"
        "deb http://security.example/debian-security bookworm-security main\n"
        "deb [signed-by=/k.gpg] http://mirror.example/debian/ bookworm main\n"
    )
    assert debian_mirror(tmp_path) == "http://mirror.example/debian/"


def test_the_mirror_is_read_from_deb822_sources(tmp_path: Path) -> None:
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list.d/other.list").write_text("deb https://apt.example/docker bookworm stable\n")
    (tmp_path / "sources.list.d/debian.sources").write_text("Types: deb\nURIs: https://mirror.example/debian\nSuites: bookworm\n")
    assert debian_mirror(tmp_path) == "https://mirror.example/debian"


def test_a_host_without_debian_sources_leaves_the_choice_to_debootstrap(tmp_path: Path) -> None:
    (tmp_path / "sources.list").write_text("deb http://archive.example/ubuntu noble main\n")
    assert debian_mirror(tmp_path) is None


def test_making_the_base_without_root_says_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    with pytest.raises(SandboxError, match=r"needs root and debootstrap\. Run scripts/setup_docker\.sh as root"):
        bootstrap("trixie", "debian:trixie-slim")


def test_a_base_that_can_be_neither_pulled_nor_made_is_named() -> None:
    with pytest.raises(SandboxError, match=r"image localhost:9/none:1: can't be pulled.*Choose debian:trixie-slim"):
        ensure_base("localhost:9/none:1")
