"""A reader must see where two outputs part, however long they are, and a submission must not be able to draw on the page."""

from __future__ import annotations

import json
from dataclasses import replace

from clibench.evaluation.verdict import Check, Difference, Verdict
from clibench.recording import Change, End, Output, Recording, Status
from clibench.report.bodies import LINES, case_body, preview, side_by_side, text
from clibench.report.graded import Graded
from clibench.sandbox.interface import TrialFault
from clibench.tasks.case import Case

CASE = Case("p/01", "p", ("tool", "a b", "\udcff"), "0" * 64)


def _recording(stdout: bytes = b"", *changes: Change, code: int = 0) -> Recording:
    return Recording(Status(End.EXIT, code), Output.of(stdout), Output.of(b""), changes)


def _failed(metric: str, difference: Difference | None) -> Verdict:
    return Verdict("p/01", "p", True, {metric: Check(False, "differs", difference=difference)})


def test_the_first_line_that_differs_is_marked() -> None:
    pair = side_by_side(b"a\nb\nc\n", b"a\nB\nC\n")
    assert pair == {"from": 1, "first": 2, "lines": [3, 3], "expected": ["a", "b", "c"], "actual": ["a", "B", "C"]}


def test_an_output_that_ends_early_differs_where_it_ends() -> None:
    assert side_by_side(b"a\nb\n", b"a\n")["first"] == 2
    assert side_by_side(b"", b"x\n")["first"] == 1
    assert side_by_side(b"a\n", b"a\n")["first"] is None


def test_a_long_output_is_cut_around_the_first_difference() -> None:
    lines = [b"line %d" % n for n in range(1, 50_001)]
    other = [*lines[:39_999], b"other", *lines[40_000:]]
    pair = side_by_side(b"\n".join(lines), b"\n".join(other))
    assert pair["first"] == 40_000
    assert pair["lines"] == [50_000, 50_000]
    assert len(pair["expected"]) == LINES
    place = pair["first"] - pair["from"]
    assert (pair["expected"][place], pair["actual"][place]) == ("line 40000", "other")


def test_a_long_line_is_cut_around_its_first_difference() -> None:
    pair = side_by_side(b"x" * 100_000 + b"expected", b"x" * 100_000 + b"actual")
    assert "expected" in pair["expected"][0]
    assert "actual" in pair["actual"][0]
    assert len(pair["actual"][0]) < 1000


def test_the_line_of_the_verdict_is_marked_where_earlier_lines_differ_in_what_does_not_count() -> None:
    verdict = _failed("em", Difference("stdout:2", "b", "B"))
    body = case_body(Graded(CASE, verdict, _recording(b"2026-01-01\nb\n"), _recording(b"2026-01-02\nB\n")))
    assert body["stdout"]["first"] == 2
    assert body["difference"] == ["stdout:2", "b", "B"]


def test_side_effects_are_next_to_each_other_with_the_content_of_what_differs() -> None:
    same = Change("/workspace/same", "created", "dir", 0o755)
    expected = _recording(b"", Change("/workspace/out", "created", "file", 0o644, 2, "ab" * 32, content=b"a\n"), same)
    actual = _recording(b"", Change("/workspace/out", "created", "file", 0o600, 2, "cd" * 32, content=b"b\n"), same)
    missing = _recording(b"", same)
    verdict = _failed("sp", Difference("/workspace/out:1", "a", "b"))
    out, other = case_body(Graded(CASE, verdict, expected, actual))["effects"]
    assert out["expected"] == f"created file mode 0644 2 bytes, sha256 {'ab' * 6}"
    assert out["actual"].startswith("created file mode 0600")
    assert (out["differs"], out["first"], out["content"]["first"]) == (True, True, 1)
    assert (other["differs"], other["first"]) == (False, False)
    assert case_body(Graded(CASE, verdict, expected, missing))["effects"][0]["actual"] == "no change"


def test_control_characters_and_undecodable_bytes_are_escaped_everywhere() -> None:
    nasty = "\x1b]0;title\x07\u202egnp.exe\u2028\udcff"
    raw = nasty.encode("utf-8", "surrogateescape")
    verdict = _failed("em", Difference(f"stdout:{nasty}", nasty, nasty))
    case = replace(CASE, argv=("tool", nasty), env={"A": nasty}, stdin=raw, cwd=f"/{nasty}")
    recording = Recording(Status(End.EXIT), Output.of(raw), Output.of(raw), (Change(nasty, "created", "symlink", target=nasty),))
    body = case_body(Graded(case, replace(verdict, infra=nasty), recording, recording))
    strings = json.dumps(body, ensure_ascii=False)
    assert "title" in strings
    assert not set("\x1b\x07\u202e\u2028\udcff") & set(strings)


def test_a_case_that_was_not_run_says_why() -> None:
    body = case_body(Graded(CASE, Verdict("p/01", "p", True, infra="disk full"), _recording(b"x\n"), TrialFault("disk full")))
    assert body["infra"] == "disk full"
    assert body["status"] == ["exit 0", None]
    assert body["stdout"]["actual"] is None


def test_a_preview_says_how_much_there_is() -> None:
    assert preview(b"a\nb\x00") == "a\nb\\x00"
    assert preview(b"x" * 5000).endswith("… (5,000 bytes)")
    assert text("y" * 5000).endswith("… (5,000 characters)")
