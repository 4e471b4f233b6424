"""The image is named by what goes into it, and can be made without an image registry."""

import os
from pathlib import Path

import pytest

from clibench.errors import SandboxError
from clibench.sandbox import image
from clibench.sandbox.image import bootstrap, debian_mirror, ensure_base, ensure_image


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
