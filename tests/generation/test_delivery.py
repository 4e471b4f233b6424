"""A delivered folder is hostile until shown otherwise: a link in it must not bring the host's files into a submission."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from clibench.generation.delivery import collect, listing, pack, size, tree_digest, unpack
from clibench.sandbox.reap import remove_tree
from clibench.tasks.measure import lines_of_code
from clibench.tasks.task import Language


def write(folder: Path, **files: str) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())


def test_links_that_lead_out_are_left_out_with_a_note_and_nothing_is_read_through_them(tmp_path: Path) -> None:
    secret = write(tmp_path / "host", hosts="s3cret")
    source = write(tmp_path / "source", src__main="x")
    (source / "absolute").symlink_to(secret / "hosts")
    (source / "up").symlink_to("../host/hosts")
    (source / "folder").symlink_to(secret)
    (source / "src" / "sideways").symlink_to("../../host")
    (source / "src" / "inside").symlink_to("../src/main")
    (tmp_path / "out").mkdir()
    notes = collect(source, tmp_path / "out")
    assert names(tmp_path / "out") == ["src/inside", "src/main"]
    assert os.readlink(tmp_path / "out" / "src" / "inside") == "../src/main"  # noqa: PTH115
    assert [note.partition(":")[0] for note in notes] == ["absolute", "folder", "src/sideways", "up"]
    assert b"s3cret" not in pack(source)


def test_modes_are_those_that_git_would_keep(tmp_path: Path) -> None:
    source = write(tmp_path / "source", run="x", data="y", private="z")
    for name, mode in (("run", 0o4711), ("data", 0o666), ("private", 0o600)):
        (source / name).chmod(mode)
    (tmp_path / "out").mkdir()
    collect(source, tmp_path / "out")
    assert {name: (tmp_path / "out" / name).stat().st_mode & 0o7777 for name in names(tmp_path / "out")} == {
        "run": 0o755,
        "data": 0o644,
        "private": 0o644,
    }


def test_version_control_caches_and_empty_folders_are_no_part_of_it(tmp_path: Path) -> None:
    source = write(tmp_path, main="x", **{".git__config": "x", ".venv__bin__python": "x", "dist__tool.js": "x"})
    (source / "pkg" / "__pycache__").mkdir(parents=True)
    (source / "pkg" / "__pycache__" / "m.pyc").write_text("x")
    (source / "empty").mkdir()
    assert [entry.path for entry in listing(source).entries] == ["dist/tool.js", "main"]


def test_special_files_are_left_out_without_being_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found = listing(tmp_path)
    assert (found.entries, len(found.notes)) == ((), 1)


def test_equal_submissions_have_equal_bytes_wherever_and_whenever_they_were_made(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a", x="1", d__y="2"), write(tmp_path / "b" / "c", d__y="2", x="1")
    os.utime(second / "x", (0, 0))
    assert pack(first) == pack(second)
    assert tree_digest(first) == tree_digest(second)


@pytest.mark.parametrize("change", ["content", "executable", "name", "link"])
def test_any_change_of_a_submission_changes_its_digest(tmp_path: Path, change: str) -> None:
    source = write(tmp_path, x="1", y="2")
    (source / "l").symlink_to("x")
    before, packed = tree_digest(source), pack(source)
    match change:
        case "content":
            (source / "x").write_text("3")
        case "executable":
            (source / "x").chmod(0o755)
        case "name":
            (source / "x").rename(source / "z")
        case "link":
            (source / "l").unlink()
            (source / "l").symlink_to("y")
    assert tree_digest(source) != before
    assert pack(source) != packed


def test_what_is_packed_comes_back(tmp_path: Path) -> None:
    source = write(tmp_path / "source", d__run="#!/bin/sh", x="1")
    (source / "d" / "run").chmod(0o755)
    (source / "l").symlink_to("d/run")
    (source / "caf\udce9").write_text("bytes")
    (tmp_path / "out").mkdir()
    unpack(pack(source), tmp_path / "out")
    assert tree_digest(tmp_path / "out") == tree_digest(source)
    assert os.access(tmp_path / "out" / "d" / "run", os.X_OK)


def test_size_counts_files_folders_and_depth(tmp_path: Path) -> None:
    assert size(write(tmp_path, x="1", a__b__y="2")) == {"files": 2, "directories": 2, "depth": 3}
    assert size(tmp_path / "a") == {"files": 1, "directories": 1, "depth": 2}


@pytest.mark.parametrize(("name", "times"), [("d", 1900), ("d" * 200, 100)])
def test_folders_nested_too_deep_are_left_out_with_a_note(deep_path: Path, name: str, times: int) -> None:
    source = write(deep_path / "source", main="x", d__near="y")
    here = os.open(source, os.O_RDONLY)
    for _ in range(times):
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("bottom", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    (deep_path / "out").mkdir()
    notes = collect(source, deep_path / "out")
    assert names(deep_path / "out") == ["d/near", "main"]
    assert len(notes) == 1
    assert notes[0].endswith("nested too deep, left out")
    assert lines_of_code(deep_path / "out", Language.PYTHON) == 0
    remove_tree(source)
    assert not source.exists()


def test_files_larger_than_a_repository_holds_are_left_out_without_being_read(tmp_path: Path) -> None:
    source = write(tmp_path / "source", main="x")
    for number, size_ in enumerate([1 << 42, *[200 << 20] * 6]):
        with (source / f"large-{number}").open("wb") as stream:
            stream.truncate(size_)
    found = listing(source)
    assert [entry.path for entry in found.entries] == ["large-1", "large-2", "large-3", "large-4", "large-5", "main"]
    assert [note.partition(":")[0] for note in found.notes] == ["large-0", "large-6"]


def test_a_link_to_what_no_file_system_could_hold_is_left_out(tmp_path: Path) -> None:
    source = write(tmp_path / "source", main="x")
    (source / "go.mod").symlink_to("x" * 4000)
    (source / "name").symlink_to("y" * 300)
    (tmp_path / "out").mkdir()
    assert len(collect(source, tmp_path / "out")) == 2
    assert names(tmp_path / "out") == ["main"]
    assert lines_of_code(source, Language.GO) == 0
