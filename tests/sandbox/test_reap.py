"""What a dead process left behind goes; what belongs to a living one, or to one that can't be seen from here, stays."""

import dataclasses
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clibench.errors import SandboxError
from clibench.lock import acquire
from clibench.sandbox import reap
from clibench.sandbox.daemon import docker
from clibench.sandbox.docker import DockerSandbox, reap_containers
from clibench.sandbox.reap import OWNER_LABEL, Owner, reap_scratch, remove_tree, scratch_folder, scratch_lock

ME = Owner.current()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch root of this test's own."""
    monkeypatch.setattr(reap, "scratch_root", lambda: tmp_path / "scratch")
    return tmp_path / "scratch"


def ended() -> Owner:
    """A process that has ended."""
    script = "from clibench.sandbox.reap import Owner; print(Owner.current().token)"
    owner = Owner.parse(subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, check=True).stdout.strip())
    assert owner is not None
    return owner


def test_a_token_can_be_read_back() -> None:
    assert Owner.parse(ME.token) == ME
    assert Owner.parse(dataclasses.replace(ME, host="a-host.with_all.of-it").token) == dataclasses.replace(ME, host="a-host.with_all.of-it")


@pytest.mark.parametrize("token", ["", "x", "1_2_3", "a_1_b_c_d"])
def test_what_is_no_token_names_no_owner(token: str) -> None:
    assert Owner.parse(token) is None


def test_this_process_is_alive_and_one_that_ended_is_dead() -> None:
    assert not ME.is_dead()
    assert ended().is_dead()


def test_a_process_id_that_is_used_again_is_another_process() -> None:
    assert dataclasses.replace(ME, start=ME.start - 1).is_dead()


def test_a_process_before_the_last_boot_is_dead() -> None:
    assert dataclasses.replace(ME, boot="0" * 32).is_dead()


def test_a_process_that_cannot_be_seen_from_here_counts_as_alive() -> None:
    assert not dataclasses.replace(ended(), host="another").is_dead()
    assert not dataclasses.replace(ended(), namespace="1").is_dead()


def test_scratch_is_removed_at_the_end_even_after_an_error(root: Path) -> None:
    with pytest.raises(ValueError, match="x"), scratch_folder("build") as folder:
        (folder / "file").write_text("x")
        raise ValueError("x")
    assert not root.exists()


def test_the_root_stays_while_another_uses_it(root: Path) -> None:
    with scratch_folder("build") as folder:
        with scratch_folder("pin"), scratch_lock("image"):
            pass
        assert list(root.iterdir()) == [folder]
    assert not root.exists()


def test_a_lock_keeps_another_process_out_and_leaves_nothing(root: Path) -> None:
    with scratch_lock("image"):
        assert acquire(root / "image.lock", wait=False) is None
    assert not root.exists()


def test_a_lock_file_of_a_killed_process_is_swept_and_one_that_is_held_is_not(root: Path) -> None:
    root.mkdir()
    (root / "killed.lock").touch()
    with scratch_lock("held"):
        reap_scratch()
        assert not (root / "killed.lock").exists()
        assert (root / "held.lock").exists()


def test_only_scratch_of_dead_owners_is_swept(root: Path) -> None:
    kept = [f"build-a-{ME.token}", f"build-b-{dataclasses.replace(ended(), host='another').token}", "something-of-others"]
    for name in (*kept, f"build-c-{ended().token}", f"debootstrap-d-{ended().token}"):
        (root / name).mkdir(parents=True)
        (root / name / "file").write_text("x")
    assert reap_scratch() == 2
    assert sorted(path.name for path in root.iterdir()) == sorted(kept)


def test_a_tree_with_closed_folders_is_removed(tmp_path: Path) -> None:
    inner = tmp_path / "tree/a/b"
    inner.mkdir(parents=True)
    (inner / "file").write_text("x")
    (tmp_path / "outside").mkdir(mode=0o500)
    (inner / "link").symlink_to(tmp_path / "outside")
    inner.chmod(0o500)
    inner.parent.chmod(0)
    remove_tree(tmp_path / "tree")
    assert not (tmp_path / "tree").exists()
    assert (tmp_path / "outside").stat().st_mode & 0o777 == 0o500


def test_no_space_for_scratch_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setattr(reap, "scratch_root", lambda: tmp_path / "file" / "scratch")
    with pytest.raises(SandboxError, match="set TMPDIR to another place"), scratch_folder("build"):
        pass


@pytest.fixture
def image(docker_sandbox: DockerSandbox) -> str:
    return f"clibench-sandbox:{docker_sandbox.describe()['image'][:16]}"


@pytest.fixture
def made(image: str) -> Iterator[dict[str, str]]:
    """Containers of a dead owner, of a living one and of one elsewhere, by name."""
    owners = {
        "dead": ended(),
        "living": dataclasses.replace(ME, pid=os.getppid()),
        "elsewhere": dataclasses.replace(ended(), host="another"),
    }
    parent = reap._start_of(os.getppid())
    assert parent is not None
    owners["living"] = dataclasses.replace(owners["living"], start=parent)
    ids = {name: docker("create", f"--label={OWNER_LABEL}={owner.token}", image, "true").strip() for name, owner in owners.items()}
    yield ids
    for container in docker("ps", "--all", "--quiet", "--no-trunc").split():
        if container in ids.values():
            docker("rm", "--force", container)


def test_only_containers_of_dead_owners_are_removed(made: dict[str, str]) -> None:
    assert reap_containers() >= 1
    left = docker("ps", "--all", "--quiet", "--no-trunc").split()
    assert {name for name, container in made.items() if container in left} == {"living", "elsewhere"}
