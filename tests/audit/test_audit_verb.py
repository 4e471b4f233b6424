"""An audit that is no longer of the task it lies beside must not be shown as if it were."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from clibench.__main__ import run
from clibench.tasks.load import load_task
from tests.evaluation.samples import ran
from tests.pipeline.fakes import make_task, write_task


class Folder:
    """Two tasks and the command line."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path = path
        self._capsys = capsys
        self.task = make_task("words")
        write_task(path, make_task("lines"))
        write_task(path, self.task)

    def __call__(self, verb: str, *arguments: str) -> tuple[int, str, str]:
        """Exit status, stdout, stderr."""
        status = run([verb, f"tasks_dir={self.path}", "dataset=full", *arguments, *(("mutants=0",) if verb == "audit" else ())])
        return status, *self._capsys.readouterr()

    def json(self, verb: str, *arguments: str) -> Any:
        status, out, _ = self(verb, *arguments, "output=json")
        assert status == 0
        return json.loads(out)

    def refreeze(self) -> None:
        """From now on `path` is a later state: `words` frozen anew, its audit kept. (A folder's tasks are read once a process.)"""
        later = self.path.with_name("later")
        write_task(later, replace(self.task, recordings={case.id: ran(b"other\n") for case in self.task.cases}))
        copy(self.path / "words" / "audit.json", later / "words")
        self.path = later


@pytest.fixture
def tasks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Folder:
    return Folder(tmp_path / "tasks", capsys)


def listed(tasks: Folder) -> tuple[int | None, str]:
    row = next(row for row in tasks.json("tasks") if row["task"] == "words")
    return row["effective"], row["audit"]


def test_all_tasks_of_a_dataset_or_one_are_audited(tasks: Folder) -> None:
    assert [audit["task"] for audit in tasks.json("audit")] == ["lines", "words"]
    (audit,) = tasks.json("audit", "task=words")
    assert audit["task_digest"] == load_task(tasks.path / "words").digest
    assert audit["total"]["cases"] == len(tasks.task.cases)
    assert audit["total"]["negative"] == sum(not recording.status.ok for recording in tasks.task.recordings.values())
    assert list(audit["patterns"]) == ["p0", "p1"]


def test_the_table_has_a_row_a_task_and_a_total_or_a_row_a_pattern(tasks: Folder) -> None:
    for arguments, names in (((), ["task", "lines", "words", "total"]), (("task=words",), ["pattern", "p0", "p1", "total"])):
        status, out, _ = tasks("audit", *arguments)
        assert status == 0
        assert [line.split()[0] for line in out.splitlines()[:4]] == names
        assert "\x1b" not in out


def test_nothing_is_written_unless_it_is_asked_for(tasks: Folder) -> None:
    tasks("audit")
    assert not list(tasks.path.glob("*/audit.json"))
    assert listed(tasks) == (None, "missing")


def test_a_stored_audit_has_the_same_bytes_each_time_and_leaves_the_task_as_it_was(tasks: Folder) -> None:
    before = load_task(tasks.path / "words")
    bytes_of = []
    for _ in range(2):
        assert tasks("audit", "task=words", "save=true")[0] == 0
        bytes_of.append((tasks.path / "words" / "audit.json").read_bytes())
    assert bytes_of[0] == bytes_of[1]
    assert load_task(tasks.path / "words") == before
    assert not (tasks.path / "lines" / "audit.json").exists()


def test_the_list_of_tasks_shows_the_effective_size_of_a_fresh_audit_only(tasks: Folder) -> None:
    (audit,) = tasks.json("audit", "task=words", "save=true")
    assert listed(tasks) == (audit["total"]["effective"], "fresh")
    tasks.refreeze()
    assert listed(tasks) == (None, "stale")
    assert "stale" in tasks("tasks")[1].splitlines()[1]
    assert tasks("audit", "task=words", "save=true")[0] == 0
    assert listed(tasks) == (2, "fresh")


def test_the_list_of_tasks_ends_with_sums_over_the_tasks_that_have_an_audit(tasks: Folder) -> None:
    effective = 0
    for name, counts in {"lines": (5, 4, 3, 3), "words": (5, 4, 2, 1)}.items():
        (audit,) = tasks.json("audit", f"task={name}", "save=true")
        effective += audit["total"]["effective"]
        audit["mutants"] = dict(zip(("run", "changed", "compared", "killed"), counts, strict=True))
        (tasks.path / name / "audit.json").write_text(json.dumps(audit))
    assert tasks("tasks")[1].splitlines()[-2:] == [
        f"effective size {effective} of 12 cases in the 2 tasks whose audit is of this freeze",
        "mutants of 2 tasks: 4 killed, 50% of 8 that changed any byte, 80% of 5 that changed what a verdict looks at",
    ]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"version": 1, "task_digest": 3}', '{"version": "x"}'])
def test_an_audit_that_is_none_is_told_and_does_no_harm(tasks: Folder, content: str) -> None:
    (tasks.path / "words" / "audit.json").write_text(content)
    assert listed(tasks) == (None, "faulty")


def test_a_wrong_task_and_a_judge_that_costs_money_are_one_line(tasks: Folder) -> None:
    status, out, err = tasks("audit", "task=wrods")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "Did you mean 'words'?" in err
    status, out, err = tasks("audit", "judge=llm")
    assert (status, out) == (2, "")
    assert "judge=llm: an audit asks no model. Use judge=rules." in err


def test_a_folder_that_cannot_be_written_is_one_line(tasks: Folder) -> None:
    (tasks.path / "words" / "audit.json").mkdir()
    status, out, err = tasks("audit", "task=words", "save=true")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "audit.json: can't be written" in err
    assert not list((tasks.path / "words").glob(".audit*"))
