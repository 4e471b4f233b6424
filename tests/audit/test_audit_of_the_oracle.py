"""What `audit` says of an oracle that it runs: mutants and the check are stored, kept and shown, and only as long as they are true."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clibench.__main__ import run
from clibench.audit.stored import read_audit
from clibench.recording import Output, Recording
from clibench.report.quality import quality_rows
from clibench.sandbox.interface import TrialFault
from clibench.tasks.case import Case
from clibench.tasks.load import load_task
from tests.audit.printing_oracle import PrintingSandbox, PrintingSession, printing_task
from tests.pipeline.fakes import write_task

SOURCE = "a = 1  # p\nb = c < d  # p\nprint('to standard error')  # q err\n"


class Command:
    """The command line over one task, with an oracle in memory."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self.sandbox, self._capsys = path, PrintingSandbox(SOURCE), capsys
        self.closed = 0
        self.folder = write_task(path / "tasks", printing_task(SOURCE))
        monkeypatch.setattr("clibench.sandbox.choose.make_sandbox", lambda config, outputs=None: self.sandbox)

    def __call__(self, *arguments: str, verb: str = "audit") -> tuple[int, str, str]:
        places = (f"tasks_dir={self.folder.parent}", f"outputs={self.path / 'outputs'}", "dataset=full")
        return run([verb, *places, *arguments]), *self._capsys.readouterr()

    def json(self, *arguments: str, verb: str = "audit") -> Any:
        status, out, err = self(*arguments, "output=json", verb=verb)
        assert status == 0, err
        (only,) = json.loads(out)
        return only


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(tmp_path, monkeypatch, capsys)


def test_mutants_are_made_unless_none_are_wanted(command: Command) -> None:
    assert command.json()["mutants"]["killed"] == 2
    assert "mutants" not in command.json("mutants=0")
    command.sandbox = PrintingSandbox(SOURCE)
    command("mutants=0")
    assert command.sandbox.builds == command.sandbox.sessions == 0


def test_the_table_has_shares_survivors_with_their_diff_and_patterns_that_kill_nothing(command: Command) -> None:
    status, out, err = command("task=words")
    assert status == 0
    total = next(line.split() for line in out.splitlines() if line.startswith("words") and "%" in line)
    assert total == ["words", "4", "4", "2", "0", "0", "2", "0", "2", "50%", "100%", "50%"]
    assert "survived: words words/cli.py:3 (message), changes standard error only in 3 cases\n  - print('to standard error')" in out
    assert "no mutant killed: words q" in out
    assert "words: run 1 of the oracle: 6 cases" in err


def test_the_list_of_tasks_and_the_report_show_what_is_stored(command: Command) -> None:
    task = load_task(command.folder)
    assert command.json(verb="tasks")["killed"] is None
    assert quality_rows(command.folder.parent, ["words", "gone"]) == [
        {"task": "gone", "state": "not there"},
        {"task": "words", "state": "missing"},
    ]
    command("save=true", "task=words")
    assert load_task(command.folder) == task
    row = command.json(verb="tasks")
    assert (row["mutants"], row["killed"], row["quarantined"]) == (4, 2, 0)
    assert command("output=table", verb="tasks")[1].splitlines()[1].split()[-1] == "2/4"
    (shown,) = quality_rows(command.folder.parent, ["words", "words"])
    assert (shown["mutants"], shown["tiers"], shown["unkilled"]) == ([4, 4, 2, 2], [0, 0, 2, 0], ["q"])
    assert [before for _, before, _ in shown["survivors"]] == ["print('to standard error')  # q err"] * 2


def test_an_audit_without_mutants_keeps_those_that_are_stored_and_still_true(command: Command) -> None:
    command("save=true")
    first = (command.folder / "audit.json").read_bytes()
    command("save=true", "mutants=0")
    assert (command.folder / "audit.json").read_bytes() == first
    command("save=true", "mutants=0", "judge.fuzzy_threshold=0.5")
    assert read_audit(load_task(command.folder)).mutants is None


def test_mutants_of_another_freeze_are_not_kept(command: Command, tmp_path: Path) -> None:
    command("save=true")
    later = printing_task("a = 2  # p\nb = c < d  # p\nprint('to standard error')  # q err\n")
    folder = write_task(tmp_path / "later", later)
    shutil.copy(command.folder / "audit.json", folder)
    command.folder = folder
    assert command.json(verb="tasks")["killed"] is None
    assert "mutants" not in command.json("mutants=0")


@pytest.mark.parametrize("part", ['{"run": 1}', "[]", '{"run": "x", "changed": 1, "killed": 1}'])
def test_a_stored_part_that_is_none_is_told_and_does_no_harm(command: Command, part: str) -> None:
    command("save=true")
    file = command.folder / "audit.json"
    file.write_text(json.dumps({**json.loads(file.read_bytes()), "mutants": json.loads(part)}))
    assert command.json(verb="tasks")["audit"] == "faulty"


def test_a_fault_of_one_task_leaves_the_others_their_mutants_and_is_told_in_the_end(command: Command) -> None:
    other = replace(printing_task(SOURCE), id="another")
    write_task(command.folder.parent, replace(other, oracle=replace(other.oracle, name="elsewhere")))
    status, _, err = command("save=true")
    assert (status, err.splitlines()[-1]) == (2, "clibench: another: no source file of the oracle's own was found in its installation")
    assert json.loads((command.folder / "audit.json").read_bytes())["mutants"]["killed"] == 2
    assert "mutants" not in json.loads((command.folder.parent / "another" / "audit.json").read_bytes())


@pytest.mark.parametrize("argument", ["mutants=-1", "mutant_cases=0"])
def test_numbers_that_make_no_sense_are_one_line(command: Command, argument: str) -> None:
    status, out, err = command(argument)
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_the_oracle_is_run_anew_under_changed_conditions_and_compared_with_what_is_frozen(command: Command) -> None:
    audit = command.json("mutants=0", "oracle_check=true")
    assert audit["oracle_check"] == {
        "runs": 5, "cases": 6, "reproduced": 6, "identical": 6, "differing": {}, "unstable": {}, "sandbox": "printing/none",
    }  # fmt: skip
    assert len(command.sandbox.trials) == 30


def test_an_oracle_that_does_something_else_or_varies_is_told_by_case(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = PrintingSession._trial
    trials: list[str] = []

    def trial(session: PrintingSession, case: Case) -> Recording | TrialFault:
        trials.append(case.id)
        recording = plain(session, case)
        assert isinstance(recording, Recording)
        if case.id == "p/00":
            return replace(recording, stdout=Output.of(b"something else\n"))
        if case.id == "p/01":
            return replace(recording, stdout=Output.of(b"at %d\n" % (1_577_880_000 + trials.count(case.id))))
        if case.id == "q/00":
            return replace(recording, stdout=Output.of(b"x" * trials.count(case.id)))
        if case.id == "q/01":
            return replace(recording, stderr=Output.of(b"other words"))
        return recording

    monkeypatch.setattr(PrintingSession, "_trial", trial)
    audit = command.json("mutants=0", "oracle_check=true", "save=true")
    check = audit["oracle_check"]
    assert (check["reproduced"], check["identical"]) == (3, 2)
    assert list(check["differing"]) == ["p/00", "p/01", "q/00"]
    assert check["unstable"] == {"p/01": "needs the normaliser epoch", "q/00": "not the same in every run: standard output"}
    out = command("mutants=0")[1]
    assert "not reproduced: words p/00: em: stdout differs" in out
    assert "unstable: words q/00: not the same in every run: standard output" in out


def test_what_freezing_masked_and_left_out_is_shown_with_its_reasons(command: Command) -> None:
    lock = command.folder / "lock.json"
    body = json.loads(lock.read_bytes())
    stability = {"runs": 5, "masked": {"date": 2, "pid+time": 1}, "quarantined": {"p/09": "ended by timeout"}}
    lock.write_text(json.dumps({**body, "stability": stability}))
    assert command.json("mutants=0")["stability"] == {"runs": 5, "declared": [], "masked": {"date": 2, "pid+time": 1}, "quarantined": {}}
    out = command("mutants=0")[1]
    assert next(line for line in out.splitlines() if "pid+time" in line).split() == [
        "words", "5", "3", "0", "-", "-", "-", "date", "2,", "pid+time", "1",
    ]  # fmt: skip
