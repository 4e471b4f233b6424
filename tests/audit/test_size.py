"""Fifty commands with one and the same result test as much as one."""

from __future__ import annotations

import json

import pytest

from clibench.audit.size import Size, size_of, sizes, total
from clibench.evaluation.params import CompareParams
from clibench.paths import sample_tasks_dir
from clibench.tasks.load import load_task
from tests.evaluation.samples import file, make_task, ran

PARAMS = CompareParams()


def test_equal_recordings_count_once_whatever_command_made_them() -> None:
    size = size_of([ran(b"a\n")] * 48 + [ran(b"b\n"), ran(b"a\n", changes=[file("/workspace/x")])], PARAMS)
    assert (size.cases, size.effective, size.duplicates, size.largest) == (50, 3, 47, 48)


def test_messages_on_standard_error_make_no_difference_that_is_compared() -> None:
    size = size_of([ran(b"", 2, stderr=b"no such file a"), ran(b"", 2, stderr=b"no such file b"), ran(b"", 1)], PARAMS)
    assert (size.recordings, size.effective, size.negative) == (3, 2, 3)


def test_side_effects_that_are_ignored_are_none() -> None:
    size = size_of([ran(changes=[file("/workspace/a")]), ran(changes=[file("/workspace/a.pyc")]), ran(b"x")], PARAMS)
    assert size.side_effects == 1


def test_sums_are_over_patterns_and_patterns_do_not_share() -> None:
    made = sizes(make_task({"p/1": ran(b"a"), "p/2": ran(b"a"), "q/1": ran(b"a"), "q/2": ran(b"", 1)}), PARAMS)
    assert made == {"p": Size(2, 1, 1, 2, 0, 0), "q": Size(2, 2, 2, 1, 1, 0)}
    assert total(made.values()) == Size(4, 3, 3, 2, 1, 0)
    assert total([]) == Size()


@pytest.mark.parametrize("name", ["envsubst", "replace-in-files"])
def test_a_real_task_has_the_effective_size_that_freezing_counted(name: str) -> None:
    task = load_task(sample_tasks_dir() / name)
    frozen = json.loads((sample_tasks_dir() / name / "lock.json").read_text())["patterns"]
    made = sizes(task, PARAMS)
    assert {pattern: size.effective for pattern, size in made.items()} == {pattern: row["distinct"] for pattern, row in frozen.items()}
    assert {pattern: size.cases - size.negative for pattern, size in made.items()} == {
        pattern: row["ok"] for pattern, row in frozen.items()
    }
