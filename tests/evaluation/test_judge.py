"""Verdicts: the gates, what counts for which metric, and what a verdict tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from clibench.digest import digest_json
from clibench.evaluation.judge import GATED, judge_task
from clibench.evaluation.params import DEFAULT_IGNORE, CompareParams
from clibench.evaluation.semantic import Question
from clibench.evaluation.semantic_rules import RulesJudge
from clibench.evaluation.verdict import METRICS, Check, Verdict, verdict_from_json, verdict_to_json
from clibench.recording import Change, End, Output, Recording
from clibench.sandbox.interface import TrialFault
from clibench.tasks.case import Entry, Fixture

from .samples import cut, file, folder, gone, make_task, ran

PARAMS = CompareParams()


def verdict(
    expected: Recording, actual: Recording, *, params: CompareParams = PARAMS, fixture: Fixture | None = None, **task: Any
) -> Verdict:
    """The verdict of one case."""
    return judge_task(make_task({"p/01": expected}, fixture=fixture, **task), {"p/01": actual}, params, RulesJudge())[0]


def gates(found: Verdict) -> str:
    """The gated metrics that passed, for example `exec sp fm`."""
    return " ".join(metric for metric in GATED if found.passed(metric))


SAMPLES = [
    ran(),
    ran(b"hello\n"),
    ran(b"\xff\x00\xfe"),
    ran(b"a" * 5000),
    ran(b"x\n", changes=[file("/workspace/a", b"1"), folder("/workspace/d"), gone("/workspace/old")]),
    ran(b"", changes=[Change("/workspace/l", "created", "symlink", target="a")]),
    ran(b'{"a": [1, 2]}'),
    ran(code=2, stderr=b"usage"),
    Recording(ran().status, cut(b"z" * 100, 10), Output.of(b"")),
]


@pytest.mark.parametrize("recording", SAMPLES)
def test_the_oracle_passes_against_itself_in_every_metric_that_applies(recording: Recording) -> None:
    found = verdict(recording, recording)
    assert gates(found) == ("exec sp em fm sm" if recording.status.ok else "")
    assert found.passed("reject") is (None if recording.status.ok else True)
    assert set(found.checks) == set(METRICS) - {"build"}


@pytest.mark.parametrize("expected", SAMPLES)
@pytest.mark.parametrize("actual", SAMPLES)
def test_a_later_gate_never_passes_without_the_earlier_one_and_em_implies_fm_and_sm(expected: Recording, actual: Recording) -> None:
    found = verdict(expected, actual)
    if expected.status.ok:
        assert found.passed("exec") or not found.passed("sp")
        assert found.passed("sp") or not any(found.passed(metric) for metric in ("em", "fm", "sm"))
        assert not found.passed("em") or (found.passed("fm") and found.passed("sm"))
    else:
        assert all(found.passed(metric) is None for metric in GATED)


def test_a_submission_that_fails_where_the_oracle_succeeds_stops_at_exec() -> None:
    found = verdict(ran(b"ok"), ran(b"ok", code=1))
    assert gates(found) == ""
    assert found.checks["exec"].reason == "the submission ends with exit 1"
    assert found.checks["em"].reason == "exec failed"
    assert found.checks["exec"].difference is not None


@pytest.mark.parametrize("end", [End.SIGNAL, End.TIMEOUT, End.OOM])
def test_a_crash_a_hang_and_running_out_of_memory_are_no_success_and_no_rejection(end: End) -> None:
    actual = ran(end=end, code=9 if end is End.SIGNAL else 0)
    assert verdict(ran(), actual).passed("exec") is False
    assert verdict(ran(code=2), actual).passed("reject") is False


def test_any_other_exit_code_is_as_good_a_rejection() -> None:
    assert verdict(ran(code=2), ran(code=1)).passed("reject") is True


def test_a_submission_that_exits_0_where_the_oracle_fails_fails_reject_and_counts_for_nothing_else() -> None:
    found = verdict(ran(code=2), ran(b"done"))
    assert found.passed("reject") is False
    assert not found.oracle_ok
    assert all(found.passed(metric) is None for metric in GATED)


def test_a_missing_file_stops_at_side_effects_and_says_which() -> None:
    found = verdict(ran(b"ok", changes=[file("/workspace/out", b"1")]), ran(b"ok"))
    assert gates(found) == "exec"
    assert found.checks["sp"].reason == "/workspace/out: missing: should have been created"
    assert found.checks["sm"].reason == "sp failed"


def test_output_that_differs_only_in_blanks_is_an_exact_match() -> None:
    assert gates(verdict(ran(b"a  b\n\nc\n"), ran(b"  a b \r\nc"))) == "exec sp em fm sm"


def test_output_that_differs_by_a_tenth_is_a_fuzzy_match_alone() -> None:
    found = verdict(ran(b"abcdefghij"), ran(b"abcdefghiX"))
    assert gates(found) == "exec sp fm"
    assert found.checks["fm"].similarity == pytest.approx(0.9)
    assert found.checks["em"].difference is not None
    assert found.checks["em"].difference.where == "stdout:1"


def test_output_with_equal_data_in_another_layout_is_a_semantic_match() -> None:
    assert gates(verdict(ran(b'{"a": 1, "bb": [1, 2, 3]}'), ran(b'{"bb":[1,2,3],\n\n"a":1.0}'))) == "exec sp sm"


def test_stderr_is_never_compared() -> None:
    assert gates(verdict(ran(b"x", stderr=b"one"), ran(b"x", stderr=b"two"))) == "exec sp em fm sm"


def test_bytes_that_are_no_text_match_only_byte_by_byte() -> None:
    found = verdict(ran(b"\xff  \xfe"), ran(b"\xff \xfe"))
    assert found.passed("em") is False
    assert found.passed("sm") is False
    assert found.checks["em"].difference is not None
    assert found.checks["em"].difference.where == "stdout:byte 2"


def test_a_fault_and_a_missing_recording_are_infra_and_keep_what_the_oracle_did() -> None:
    task = make_task({"p/01": ran(), "p/02": ran(code=1), "p/03": ran()})
    found = judge_task(task, {"p/01": TrialFault("disk full"), "p/02": TrialFault("gone")}, PARAMS, RulesJudge())
    assert [(row.infra, row.oracle_ok, row.checks) for row in found] == [
        ("disk full", True, {}),
        ("gone", False, {}),
        ("no recording of this case", True, {}),
    ]


def test_a_tasks_normalisers_mask_both_sides_in_output_paths_and_contents() -> None:
    def at(stamp: bytes) -> Recording:
        path = f"/workspace/log-{stamp.decode()}.txt"
        return ran(b"written at " + stamp, changes=[file(path, b"start " + stamp)])

    first, second = at(b"2026-01-02"), at(b"2027-03-04")
    assert gates(verdict(first, second)) == "exec"
    assert gates(verdict(first, second, normalisers=("date",))) == "exec sp em fm sm"
    assert gates(verdict(first, second, case_normalisers={"p/01": ("date",)})) == "exec sp em fm sm"
    assert gates(verdict(first, second, case_normalisers={"p/02": ("date",)})) == "exec"
    assert gates(verdict(first, second, params=CompareParams(normalisers=("date",)))) == "exec sp em fm sm"
    assert "date/1" in verdict(first, second, normalisers=("date",)).checks["em"].comparer


def test_a_verdict_names_comparers_versions_and_parameters() -> None:
    checks = verdict(ran(b"abcdefghij"), ran(b"abcdefghiX"), params=CompareParams(fuzzy_threshold=0.7)).checks
    assert [checks[metric].comparer for metric in GATED] == [
        "status/1",
        f"side_effects/1 mode=executable ignore={digest_json(sorted(DEFAULT_IGNORE))[:8]}",
        "exact/1",
        "fuzzy/1 threshold=0.7",
        "rules/1",
    ]


def test_a_new_threshold_gives_another_verdict_from_the_same_recordings() -> None:
    pair = ran(b"abcdefghij"), ran(b"abcdefghiX")
    assert verdict(*pair, params=CompareParams(fuzzy_threshold=0.95)).passed("fm") is False
    assert verdict(*pair, params=CompareParams(fuzzy_threshold=0.9)).passed("fm") is True


def test_a_rewrite_of_a_fixture_file_with_its_own_bytes_is_no_change() -> None:
    state = Fixture((Entry("in.txt", content=b"same"),))
    rewritten = ran(changes=[file("/workspace/in.txt", b"same", kind="modified", mode=0o600)])
    assert verdict(ran(), rewritten, fixture=state).passed("sp") is True
    made_executable = ran(changes=[file("/workspace/in.txt", b"same", kind="modified", mode=0o755)])
    assert verdict(ran(), made_executable, fixture=state).passed("sp") is False


def test_two_cut_outputs_match_when_size_and_hash_of_the_whole_do() -> None:
    def long(data: bytes) -> Recording:
        return Recording(ran().status, cut(data, 100), Output.of(b""))

    whole = b"line\n" * 1000
    assert gates(verdict(long(whole), long(whole))) == "exec sp em fm sm"
    other = verdict(long(whole), long(whole[:-1] + b"!"))
    assert gates(other) == "exec sp fm"
    assert other.passed("sm") is None
    assert "part that was kept" in other.checks["fm"].reason
    much_longer = verdict(long(whole), long(whole * 2))
    assert much_longer.passed("fm") is False


class Counting:
    """A judge that passes everything and remembers what it was asked."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[Question] = []

    def identity(self) -> dict[str, Any]:
        return {"judge": self.name}

    def judge(self, questions: Sequence[Question]) -> list[Check]:
        self.asked += questions
        return [Check(True, comparer="counting/1") for _ in questions]


def test_the_semantic_judge_is_asked_once_for_each_different_question_and_never_for_an_exact_match() -> None:
    oracle = {f"p/{number:02}": ran(b"one") for number in range(1, 6)} | {"p/06": ran(code=1), "p/07": ran(b"text")}
    task = make_task(oracle)
    actual = {
        "p/01": ran(b"one"), "p/02": ran(b"two"), "p/03": ran(b"two"), "p/04": ran(code=1),
        "p/05": ran(b"one", changes=[folder("/workspace/x")]), "p/06": ran(b"x"), "p/07": ran(b""),
    }  # fmt: skip
    judge = Counting()
    found = judge_task(task, actual, PARAMS, judge)
    assert [(question.expected, question.actual) for question in judge.asked] == [(b"one", b"two"), (b"one", b"two")]
    assert [row.passed("sm") for row in found] == [True, True, True, False, False, None, False]


def test_a_verdict_survives_json() -> None:
    found = verdict(ran(b"a", changes=[file("/workspace/x")]), ran(b"b"))
    assert verdict_from_json(verdict_to_json(found)) == found
