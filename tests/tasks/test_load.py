"""A task that is not what was frozen is refused, with the file, the line and what to do."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from clibench.digest import digest_file
from clibench.errors import TaskError
from clibench.tasks.folder import LOCKED, decode_recordings, encode_recordings
from clibench.tasks.freeze import freeze_task
from clibench.tasks.load import load_task, load_tasks
from tests.tasks.scripted_sandbox import ScriptedSandbox
from tests.tasks.test_freeze import SPEC, tool


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    task = tmp_path / "words"
    task.mkdir()
    (task / "spec.yaml").write_text(SPEC)
    (task / "context.md").write_text("`linetool` counts words.\n")
    freeze_task(task, ScriptedSandbox(tool))
    return task


def relock(folder: Path, name: str) -> None:
    """Make the lock agree with a changed file, so that its form is what is judged."""
    lock = json.loads((folder / "lock.json").read_text())
    lock["files"][name] = digest_file(folder / name)
    (folder / "lock.json").write_text(json.dumps(lock))


def fault_of(folder: Path) -> str:
    with pytest.raises(TaskError) as caught:
        load_task(folder)
    return caught.value.message


@pytest.mark.parametrize("name", LOCKED)
def test_a_file_that_changed_since_the_freeze_is_named(folder: Path, name: str) -> None:
    with (folder / name).open("ab") as stream:
        stream.write(b"\n")
    assert f"{name}: changed since the task was frozen (digest mismatch). Freeze the task again" in fault_of(folder)


@pytest.mark.parametrize("name", ["task.yaml", "lock.json", "cases.jsonl", "spec.yaml"])
def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(folder: Path, name: str) -> None:
    (folder / name).unlink()
    os.mkfifo(folder / name)
    assert f"{name}: is no regular file" in fault_of(folder)


def test_a_recording_that_was_changed_is_found_even_where_it_is_well_formed(folder: Path) -> None:
    recordings = decode_recordings((folder / "recordings.jsonl.xz").read_bytes())
    recordings["count/01"], recordings["count/02"] = recordings["count/02"], recordings["count/01"]
    (folder / "recordings.jsonl.xz").write_bytes(encode_recordings(recordings))
    assert "recordings.jsonl.xz: changed since the task was frozen" in fault_of(folder)


def test_a_spec_that_was_edited_into_a_fault_is_answered_with_the_fault(folder: Path) -> None:
    (folder / "spec.yaml").write_text(SPEC.replace("type: int", "type: itn"))
    assert "spec.yaml:12: unknown type 'itn'. Did you mean 'int'?" in fault_of(folder)


def test_a_malformed_task_file_names_its_line(folder: Path) -> None:
    text = (folder / "task.yaml").read_text()
    (folder / "task.yaml").write_text(text.replace("loc: 2", "loc: many"))
    assert "task.yaml:" in fault_of(folder)
    assert "loc: input should be a valid integer" in fault_of(folder)
    (folder / "task.yaml").write_text(text.replace("alias:", "alais:"))
    assert "unknown key 'alais'. Did you mean 'alias'?" in fault_of(folder)


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("cases.jsonl", b'{"id": "count/11"}\n', "cases.jsonl:14: not of its form (KeyError: 'pattern')"),
        ("cases.jsonl", b"not json\n", "cases.jsonl:14: not of its form (JSONDecodeError"),
        ("cases.jsonl", b'{"id":"a/1","pattern":"zzz","argv":["linetool"],"fixture":"0"}\n', "cases.jsonl:14: case a/1 is of the unknown"),
        (
            "cases.jsonl",
            b'{"id":"a/1","pattern":"count","argv":["linetool"],"fixture":"0"}\n',
            "cases.jsonl:14: case a/1 needs the fixture 0",
        ),
        ("fixtures.jsonl", b"[]\n", "fixtures.jsonl:2: not of its form"),
    ],
)
def test_a_malformed_line_is_named(folder: Path, name: str, line: bytes, message: str) -> None:
    with (folder / name).open("ab") as stream:
        stream.write(line)
    relock(folder, name)
    assert message in fault_of(folder)


def test_recordings_that_are_no_xz_data_or_lack_a_case_are_named(folder: Path) -> None:
    file = folder / "recordings.jsonl.xz"
    recordings = decode_recordings(file.read_bytes())
    del recordings["count/03"]
    file.write_bytes(encode_recordings(recordings))
    relock(folder, file.name)
    assert "recordings.jsonl.xz: no recording of case count/03" in fault_of(folder)
    file.write_bytes(b"plain")
    relock(folder, file.name)
    assert "recordings.jsonl.xz:1: not xz data" in fault_of(folder)


def test_a_missing_or_broken_lock_is_named(folder: Path) -> None:
    (folder / "lock.json").write_text("{\n\n oops")
    assert "lock.json:3: not JSON" in fault_of(folder)
    (folder / "lock.json").write_text("{}")
    assert "lock.json: not a lock" in fault_of(folder)
    (folder / "lock.json").unlink()
    assert "lock.json: no such file. Freeze the task." in fault_of(folder)


def test_an_oracle_lock_of_another_installation_is_refused(folder: Path) -> None:
    (folder / "oracle.lock").write_text("some-tool==1.0 --hash=sha256:" + "1" * 64 + "\n")
    relock(folder, "oracle.lock")
    assert "oracle.lock: is not the lock that task.yaml names" in fault_of(folder)


def test_tasks_are_found_by_name_and_a_typo_is_answered_with_the_nearest(folder: Path) -> None:
    root = folder.parent
    (root / "submissions").mkdir()
    (root / "draft").mkdir()
    (root / "draft" / "spec.yaml").write_text(SPEC)
    assert [task.id for task in load_tasks(root)] == ["words"]
    assert [task.id for task in load_tasks(root, ["words"])] == ["words"]
    with pytest.raises(TaskError, match="unknown task 'wrods'. Did you mean 'words'?"):
        load_tasks(root, ["wrods"])
    with pytest.raises(TaskError, match="the task is not frozen yet. Run: python -m clibench freeze task=draft"):
        load_tasks(root, ["draft"])
    with pytest.raises(TaskError, match="no folder of tasks: No such file or directory"):
        load_tasks(root / "nowhere")


def test_a_folder_with_another_name_than_the_task_is_refused(folder: Path) -> None:
    assert "the id is 'words' and the folder's name 'other'" in fault_of(folder.rename(folder.parent / "other"))


def test_the_digest_follows_what_can_change_a_result_and_nothing_else(folder: Path) -> None:
    before = load_task(folder).digest
    text = (folder / "task.yaml").read_text()
    (folder / "task.yaml").write_text(text.replace("category: Text", "category: Other"))
    relock(folder, "task.yaml")
    assert load_task(folder).digest == before
    (folder / "task.yaml").write_text(text + "normalisers: [ansi]\n")
    relock(folder, "task.yaml")
    assert load_task(folder).digest != before
