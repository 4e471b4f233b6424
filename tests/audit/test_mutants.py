"""Mutants are worth their time only if a kill is a kill: of a case that the oracle passes, by a defect, and never by a fault of ours."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clibench.audit.mutants.audit import Plan, audit_mutants, choose_cases
from clibench.audit.mutants.tally import audit_to_json
from clibench.audit.mutants.workshop import Tools
from clibench.errors import SandboxError, TaskError
from clibench.evaluation.params import CompareParams
from clibench.recording import Output, Recording
from clibench.sandbox.interface import TrialFault
from clibench.sandbox.settings import SandboxConfig
from clibench.store import Store
from clibench.tasks.case import Case
from clibench.tasks.task import Task
from tests.audit.printing_oracle import PrintingSandbox, PrintingSession, printing_task

SOURCE = """\
a = 1  # p
b = c < d  # q
e = f == g  # nobody
print('to standard error')  # q err
"""
PARAMS = CompareParams()
EVERYTHING = Plan(20, None)


class Bench:
    """Audits of one oracle, each in a sandbox of its own over one store."""

    def __init__(self, path: Path, source: str = SOURCE) -> None:
        self.path, self.source, self.task = path, source, printing_task(source)
        self.sandbox = PrintingSandbox(source)

    def __call__(self, *, task: Task | None = None, plan: Plan = EVERYTHING) -> dict[str, Any]:
        tools = Tools(Store(self.path / "store"), self.sandbox, SandboxConfig(), self.sandbox.describe(), 2)
        return audit_to_json(audit_mutants(task or self.task, tools, plan, PARAMS))

    def again(self) -> PrintingSandbox:
        """From now on a new sandbox over the same store."""
        self.sandbox = PrintingSandbox(self.source)
        return self.sandbox


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def lines(rows: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return sorted((row["kind"], row["line"]) for row in rows)


def test_what_a_case_prints_is_killed_and_what_only_standard_error_says_survives(bench: Bench) -> None:
    found = bench()
    assert lines(found["kills"]) == [("comparison", 2), ("off-by-one", 1)]
    assert {row["by"] for row in found["kills"]} == {"em"}
    assert lines(found["survivors"]) == [("message", 4), ("write", 4)]
    assert {row["differs"] for row in found["survivors"]} == {"standard error only"}
    assert (found["run"], found["changed"], found["compared"], found["killed"]) == (4, 4, 2, 2)
    assert found["tiers"] == {"exec": 0, "sp": 0, "em": 2, "reject": 0}
    kill = next(row for row in found["kills"] if row["kind"] == "comparison")
    assert (kill["before"], kill["after"], kill["file"]) == ("b = c < d  # q", "b = c <= d  # q", "words/cli.py")


def test_code_that_no_case_runs_and_code_of_dependencies_is_left_alone(bench: Bench) -> None:
    found = bench()
    assert found["sites"] == {"found": 5, "reached": 4}
    assert not any(row["line"] == 3 or row["file"] != "words/cli.py" for row in found["kills"] + found["survivors"])


def test_a_mutant_is_run_with_the_cases_that_reach_it_and_no_other(bench: Bench) -> None:
    found = bench()
    mutated = {case for case, source in bench.sandbox.trials if "a = 2" in source}
    assert mutated == {"p/00", "p/01", "p/02"}
    assert found["patterns"]["p"] == {"reached": 1, "changed": 1, "killed": 1}
    assert found["patterns"]["q"] == {"reached": 3, "changed": 3, "killed": 1}


def test_a_pattern_that_kills_nothing_is_named(bench: Bench) -> None:
    assert bench()["unkilled"] == []
    assert Bench(bench.path / "weak", "a = 1  # p\nprint('to standard error')  # q err\n")()["unkilled"] == ["q"]


def test_a_mutant_that_changes_nothing_counts_in_the_raw_share_alone(tmp_path: Path) -> None:
    found = Bench(tmp_path, "a = 1  # p\nb = 2  # p quiet\n")()
    assert (found["run"], found["changed"], found["compared"], found["killed"]) == (2, 1, 1, 1)
    assert [(row["line"], row["differs"], row["changed_in"]) for row in found["survivors"]] == [(2, "nothing", [])]


def test_a_defect_that_a_normaliser_hides_survives_although_what_is_compared_changed(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "a = 1577880000  # p\n")
    assert bench()["killed"] == 1
    found = bench(task=replace(bench.task, normalisers=("epoch",)))
    assert (found["run"], found["compared"], found["killed"]) == (1, 1, 0)
    assert [row["differs"] for row in found["survivors"]] == ["compared output"]


@pytest.mark.parametrize("digits", [10, 3])
def test_what_varies_in_the_oracle_is_no_change_of_a_mutant(tmp_path: Path, digits: int) -> None:
    """Ten digits are a time, for which there is a mask; for three there is none, and then only a verdict tells."""
    bench = Bench(tmp_path, "a = 1  # p\nprint('to standard error')  # p err\n")
    plain = PrintingSession._trial

    def trial(session: PrintingSession, case: Case) -> Recording | TrialFault:
        recording = plain(session, case)
        assert isinstance(recording, Recording)
        now = str(1_577_880_000 + len(bench.sandbox.trials))[-digits:].encode()
        return replace(recording, stderr=Output.of(now + b" " + recording.stderr.data))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PrintingSession, "_trial", trial)
        frozen = {case: replace(each, stderr=Output.of(b"1677880000 " + each.stderr.data)) for case, each in bench.task.recordings.items()}
        found = bench(task=replace(bench.task, recordings=frozen))
    told = digits == 10
    assert (found["run"], found["changed"], found["killed"]) == (3, 3 if told else 1, 1)
    differs = "standard error only" if told else "nothing, where the oracle itself does not vary"
    assert {row["differs"] for row in found["survivors"]} == {differs}


def test_the_same_seed_gives_the_same_bytes_and_another_one_another_choice(bench: Bench, tmp_path: Path) -> None:
    plan = Plan(2, 2, 7)
    first = json.dumps(bench(plan=plan))
    assert json.dumps(Bench(tmp_path / "anew")(plan=plan)) == first
    assert [case.id for case in choose_cases(bench.task, plan)] == [case.id for case in choose_cases(bench.task, plan)]
    choices = {tuple(case.id for case in choose_cases(bench.task, Plan(2, 2, seed))) for seed in range(8)}
    assert len(choices) > 1
    assert {case.pattern for case in choose_cases(bench.task, Plan(2, 1))} == {"p", "q"}


def test_what_is_in_the_store_is_not_run_again(bench: Bench) -> None:
    first = bench()
    anew = bench.again()
    assert bench() == first
    assert (anew.builds, anew.sessions, anew.trials) == (0, 0, [])


def test_an_audit_that_was_killed_goes_on_behind_the_last_mutant_that_was_finished(bench: Bench) -> None:
    whole = Bench(bench.path / "whole")
    wanted = whole()
    mutants = [source for _, source in whole.sandbox.trials if source != SOURCE]
    third = list(dict.fromkeys(mutants))[2]

    def killed(case: str, source: str) -> bool:
        if source == third:
            raise KeyboardInterrupt
        return False

    bench.sandbox.fault = killed
    with pytest.raises(KeyboardInterrupt):
        bench()
    anew = bench.again()
    assert bench() == wanted
    assert {source for _, source in anew.trials} == set(dict.fromkeys(mutants)) - set(list(dict.fromkeys(mutants))[:2])
    assert not list((bench.path / "store" / "scratch").glob("mutants*"))


def test_a_fault_of_the_harness_is_no_kill_and_is_tried_again_the_next_time(bench: Bench) -> None:
    whole = Bench(bench.path / "whole")()
    bench.sandbox.fault = lambda case, source: "a = 2" in source and case == "p/01"
    found = bench()
    assert (found["missing"], found["run"], found["killed"]) == (1, 3, 1)
    assert [row["reason"] for row in found["left_out"]] == ["words: case p/01 could not be run: the disk is full"]
    bench.again()
    assert bench() == whole


def test_a_fault_that_goes_away_costs_nothing(bench: Bench) -> None:
    failed: list[str] = []

    def once(case: str, source: str) -> bool:
        failed.append(case)
        return failed.count(case) == 1

    whole = Bench(bench.path / "whole")()
    bench.sandbox.fault = once
    assert bench() == whole


def test_a_harness_that_fails_again_and_again_ends_the_audit(bench: Bench) -> None:
    bench.sandbox.fault = lambda case, source: source != SOURCE and "clibench" not in source
    with pytest.raises(SandboxError, match="3 mutants in a row could not be run"):
        bench()


def test_a_case_that_the_oracle_itself_does_not_pass_kills_nothing_and_is_named(bench: Bench) -> None:
    other = replace(bench.task.recordings["q/01"], stdout=Output.of(b"something else\n"))
    task = replace(bench.task, recordings={**bench.task.recordings, "q/01": other})
    found = bench(task=task)
    assert found["unsteady"] == {"q/01": "stdout differs"}
    assert lines(found["survivors"]) == [("message", 4), ("write", 4)]
    assert next(row for row in found["kills"] if row["kind"] == "comparison")["cases"] == 2


def test_a_mutant_that_hangs_is_stopped_early_and_is_killed_at_exec(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "a = 1  # p hang\n")
    task = printing_task(bench.source, patterns=("p",), cases=12)
    found = bench(task=task)
    assert [(row["by"], row["cases"], row["hangs"]) for row in found["kills"]] == [("exec", 2, True)]
    assert found["tiers"] == {"exec": 1, "sp": 1, "em": 1, "reject": 0}
    assert sum("a = 2" in source for _, source in bench.sandbox.trials) == 4, "two cases, each believed when it shows twice"


def test_an_oracle_without_sources_is_one_clear_line(bench: Bench) -> None:
    task = replace(bench.task, oracle=replace(bench.task.oracle, name="elsewhere"))
    with pytest.raises(TaskError, match="no source file of the oracle's own was found"):
        bench(task=task)
