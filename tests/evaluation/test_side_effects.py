"""Side effects: what is compared of each path, and what the ignore list takes away."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from clibench.evaluation.normalise import resolve
from clibench.evaluation.params import CompareParams
from clibench.evaluation.side_effects import compare_side_effects, effective
from clibench.recording import Change
from clibench.tasks.case import Entry, Fixture

from .samples import file, folder, gone

OUT = "/workspace/out"
LINK = Change(OUT, "created", "symlink", target="a")


def reasons(
    expected: list[Change],
    actual: list[Change],
    *names: str,
    mode: Literal["executable", "full", "none"] = "executable",
    state: Fixture | None = None,
) -> list[str]:
    found = compare_side_effects(tuple(expected), tuple(actual), resolve(names), CompareParams(mode=mode), state)
    return [f"{mismatch.path.removeprefix('/workspace/')}: {mismatch.reason}" for mismatch in found]


@pytest.mark.parametrize(
    ("expected", "actual", "reason"),
    [
        ([file(OUT)], [], "out: missing: should have been created"),
        ([gone(OUT)], [], "out: missing: should have been deleted"),
        ([], [file(OUT)], "out: unexpected: created"),
        ([file(OUT)], [folder(OUT)], "out: type differs"),
        ([file(OUT)], [file(OUT, kind="modified")], "out: should have been created, was modified"),
        ([file(OUT, b"a")], [file(OUT, b"b")], "out: content differs"),
        ([file(OUT, b"a")], [file(OUT, b"a ")], "out: content differs"),
        ([file(OUT, b"a", keep=False)], [file(OUT, b"b")], "out: content differs (too large to keep: compared by hash)"),
        ([file(OUT, mode=0o755)], [file(OUT)], "out: executable bit differs"),
        ([LINK], [replace(LINK, target="b")], "out: symlink target differs"),
        ([LINK], [file(OUT, b"a")], "out: type differs"),
    ],
)
def test_each_way_to_differ_is_found_from_both_sides_with_its_reason(expected: list[Change], actual: list[Change], reason: str) -> None:
    assert reasons(expected, actual) == [reason]
    assert len(reasons(actual, expected)) == 1
    assert reasons(expected, expected) == []


def test_every_path_that_differs_is_reported() -> None:
    assert (
        len(
            reasons(
                [file("/workspace/a"), file("/workspace/b"), gone("/workspace/c")], [file("/workspace/b", b"x"), folder("/workspace/d")]
            )
        )
        == 4
    )


def test_only_the_executable_bit_of_a_mode_counts_unless_all_of_it_is_asked_for() -> None:
    pair = [file(OUT, mode=0o644)], [file(OUT, mode=0o600)]
    assert reasons(*pair) == []
    assert reasons(*pair, mode="full") == ["out: mode differs"]
    assert reasons([file(OUT, mode=0o755)], [file(OUT)], mode="none") == []


def test_the_difference_of_a_content_names_the_line() -> None:
    found = compare_side_effects((file(OUT, b"a\nb\n"),), (file(OUT, b"a\nc\n"),), resolve(()), CompareParams())[0]
    assert (found.difference.where, found.difference.expected, found.difference.actual) == ("/workspace/out:2", "b", "c")


@pytest.mark.parametrize(
    "path",
    [
        "/home/user/.cache/tool/x",
        "/workspace/.pytest_cache/v/x",
        "/workspace/.mypy_cache",
        "/workspace/pkg/__pycache__/m.cpython-311.pyc",
        "/workspace/m.pyc",
        "/home/user/.npm/_logs/1.log",
        "/workspace/node_modules/.cache/x",
        "/tmp/node-compile-cache/x",
        "/home/user/.cache/go-build/ab/x",
        "/home/user/.config/go/telemetry/local/upload.token",
        "/workspace/tool.egg-info/PKG-INFO",
    ],
)
def test_caches_and_build_artefacts_are_no_side_effect(path: str) -> None:
    assert effective([file(path)], CompareParams().ignore) == []


@pytest.mark.parametrize(
    "path",
    [
        "/workspace/cache/x",
        "/workspace/.config",
        "/home/user/.toolrc",
        "/tmp/x",
        "/workspace/node_modules/a.js",
        "/workspace/dist/x",
        "/workspace/.npm",
        "/workspace/a.py",
    ],
)
def test_what_a_tool_may_be_asked_to_write_is_a_side_effect(path: str) -> None:
    assert effective([file(path)], CompareParams().ignore) == [file(path)]


def test_a_folder_that_was_created_only_to_hold_ignored_files_is_ignored() -> None:
    cache = [
        folder("/workspace/a"),
        folder("/workspace/a/b"),
        folder("/workspace/a/b/__pycache__"),
        file("/workspace/a/b/__pycache__/x.pyc"),
    ]
    ignore = CompareParams().ignore
    assert effective(cache, ignore) == []
    assert effective([*cache, file("/workspace/a/z")], ignore) == [folder("/workspace/a"), file("/workspace/a/z")]
    assert effective([folder("/workspace/a")], ignore) == [folder("/workspace/a")]


@pytest.mark.parametrize(
    ("pattern", "path", "ignored"),
    [
        ("*.log", "/workspace/a/b.log", True),
        ("*.log", "/workspace/b.log.txt", False),
        ("a/b", "/workspace/a/b/c", True),
        ("a/b", "/workspace/xa/b", False),
        ("a/*", "/workspace/a", False),
        ("/tmp", "/tmp/x", True),
        ("/tmp", "/workspace/tmp/x", False),
        ("~/.x", "/home/user/.x/y", True),
        ("~/.x", "/workspace/.x", False),
        ("lock?", "/workspace/lock1", True),
        ("lock?", "/workspace/lock/", False),
        ("[ab].txt", "/workspace/b.txt", True),
        ("[!ab].txt", "/workspace/b.txt", False),
        ("a.b", "/workspace/axb", False),
    ],
)
def test_patterns_are_globs_of_path_components(pattern: str, path: str, ignored: bool) -> None:
    assert (effective([file(path)], (pattern,)) == []) is ignored


def test_paths_that_a_mask_gives_one_name_are_compared_as_a_bag() -> None:
    def logs(*contents: bytes, day: int = 1) -> list[Change]:
        return [file(f"/workspace/2026-01-{day + place:02}.log", content) for place, content in enumerate(contents)]

    assert reasons(logs(b"a", b"b"), logs(b"b", b"a", day=20), "date") == []
    assert len(reasons(logs(b"a", b"b"), logs(b"b", b"b", day=20), "date")) == 1
    assert len(reasons(logs(b"a", b"b"), logs(b"a", day=20), "date")) == 1
    assert len(reasons(logs(b"a", b"b"), logs(b"b", b"a", day=20))) == 4


def test_normalisers_apply_to_contents_and_symlink_targets() -> None:
    assert reasons([file(OUT, b"pid 1\n")], [file(OUT, b"pid 22\n")], "pid") == []
    assert reasons([replace(LINK, target="run-2026-01-01")], [replace(LINK, target="run-2026-01-02")], "date") == []


def test_a_rewrite_of_what_the_fixture_holds_is_no_change_unless_preparation_may_have_changed_it() -> None:
    entries = (Entry("in.txt", content=b"x"), Entry("~/conf", content=b"y"), Entry("run.sh", content=b"z", mode=0o755))
    rewrites = [
        file("/workspace/in.txt", b"x", kind="modified", mode=0o600),
        file("/home/user/conf", b"y", kind="modified"),
        file("/workspace/run.sh", b"z", kind="modified", mode=0o700),
    ]
    assert reasons([], rewrites, state=Fixture(entries)) == []
    assert len(reasons([], rewrites, state=Fixture(entries, prepare=("sh", "-c", "true")))) == 3
    assert reasons([], [file("/workspace/in.txt", b"X", kind="modified")], state=Fixture(entries)) == ["in.txt: unexpected: modified"]
    assert reasons([], [file("/workspace/run.sh", b"z", kind="modified")], state=Fixture(entries)) == ["run.sh: unexpected: modified"]
