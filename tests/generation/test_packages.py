"""Which names are the oracle, in the words of each registry."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from clibench.generation.evidence import download_signs
from clibench.generation.packages import Download, is_oracle, looks_like_oracle
from clibench.tasks.load import load_task
from clibench.tasks.task import Oracle

TASKS = Path(__file__).parents[2] / "tasks"
PYTHON = Oracle("pypi", "real-greeter", "1.0", "realgreet", "MIT", "", "0" * 64)


@pytest.mark.parametrize(
    ("registry", "name", "own"),
    [
        ("pypi", "real-greeter", True),
        ("pypi", "Real_Greeter", True),
        ("pypi", "real.greeter", True),
        ("npm", "real-greeter", True),
        ("pypi", "real-greeter-plugin", False),
        ("pypi", "greeter", False),
        ("go", "example.com/real-greeter", False),
    ],
)
def test_a_name_is_the_oracle_s_in_every_spelling_and_no_other(registry: str, name: str, own: bool) -> None:
    assert is_oracle(PYTHON, registry, name) is own


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("mvdan.cc/sh/v3", True),
        ("mvdan.cc/sh", True),
        ("mvdan.cc/sh/v2", True),
        ("mvdan.cc/sh/moreinterp", True),
        ("mvdan.cc", False),
        ("mvdan.cc/shx", False),
        ("mvdan.cc/editorconfig", False),
    ],
)
def test_a_go_oracle_is_its_module_in_any_major_version(name: str, own: bool) -> None:
    oracle = load_task(TASKS / "shfmt").oracle
    assert is_oracle(oracle, "go", name) is own


def test_a_go_oracle_without_a_readable_lock_is_its_own_path() -> None:
    oracle = Oracle("go", "github.com/Some/Tool/cmd/tool", "v1", "tool", "MIT", "", "0" * 64)
    assert is_oracle(oracle, "go", "github.com/some/tool/cmd/tool")
    assert not is_oracle(oracle, "go", "github.com/some")


@pytest.mark.parametrize(
    ("name", "alike"), [("shfmt-py", True), ("@someone/shfmt", True), ("sh-syntax", False), ("pyshfmter", False), ("mvdan-shfmt.bin", True)]
)
def test_a_package_with_the_tool_s_name_among_its_words_is_told(name: str, alike: bool) -> None:
    assert looks_like_oracle(load_task(TASKS / "shfmt").oracle, name) is alike


def test_what_was_asked_of_the_registries_is_evidence() -> None:
    row = Download("now", "pypi", "six", "six-1.whl", "fetched", 10)
    rows = [
        row,
        replace(row, file="six-2.whl"),
        replace(row, package="realgreet-bin"),
        replace(row, package="real-greeter", outcome="refused"),
    ]
    assert download_signs(PYTHON, rows) == [
        "asked for the oracle's package, and was refused: pypi real-greeter",
        "downloaded a package that may be the oracle: pypi realgreet-bin",
        "downloaded 2 packages: pypi six, pypi realgreet-bin",
    ]
    assert download_signs(PYTHON, []) == []
