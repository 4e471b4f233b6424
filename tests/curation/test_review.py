"""Two annotators judge alone; their agreement is Cohen's kappa, and what they decided stays in a file that people may edit."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from pathlib import Path

import pytest

from clibench.curation import review
from clibench.curation.agreement import agreement
from clibench.curation.candidates import Candidate
from clibench.curation.decisions import Vote, decide, merged
from clibench.curation.package import Package
from clibench.curation.review import read_sheet, sheets
from clibench.curation.table import Row, Status
from clibench.curation.trial import Finding
from clibench.errors import UserError


def row(name: str, help_text: str = "Usage: tool") -> Row:
    finding = Finding(version="1.0", entry=name, help=help_text, loc=100, licence="MIT", readme="# Read me")
    return Row(Candidate(Package("pypi", name, "1.0")), finding, Status.QUEUED)


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


ROWS = [row(f"tool{number}") for number in range(8)]


def test_both_sheets_hold_the_same_candidates_in_orders_of_their_own_and_no_votes() -> None:
    made = sheets(ROWS, seed=0)
    a, b = read(made["annotator_a.csv"]), read(made["annotator_b.csv"])
    assert sorted(each["id"] for each in a) == sorted(each["id"] for each in b) == [each.id for each in ROWS]
    assert [each["id"] for each in a] != [each["id"] for each in b]
    assert {(each["decision"], each["reason"]) for each in (*a, *b)} == {("", "")}
    assert made == sheets(list(reversed(ROWS)), seed=0), "the same queue gives the same bytes"
    assert made != sheets(ROWS, seed=1)


def test_what_a_tool_prints_is_neither_markup_in_the_page_nor_a_formula_in_the_sheet() -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    made = sheets([row("tool", evil), row("sum", "=1+1")], seed=0)
    assert evil not in made["review.html"]
    assert {each["help"] for each in read(made["annotator_a.csv"])} == {evil, "'=1+1"}
    data = re.search(r'<script id="data" type="application/json">(.*?)</script>', made["review.html"], re.DOTALL)
    assert data is not None
    assert {each["help"] for each in json.loads(data[1])} == {evil, "=1+1"}


def test_the_page_loads_nothing() -> None:
    text = sheets(ROWS, seed=0)["review.html"]
    assert "default-src 'none'" in text
    assert not re.search(r"""(?:src|href)=["']|url\(|@import""", text)


def write(path: Path, *rows: tuple[str, str, str]) -> Path:
    path.write_text("id,decision,reason\n" + "".join(",".join(each) + "\n" for each in rows))
    return path


def test_votes_are_read_back_without_those_that_are_open(tmp_path: Path) -> None:
    votes = read_sheet(write(tmp_path / "a.csv", ("x", "accept", ""), ("y", "Reject", "a server"), ("z", "", "")))
    assert votes == {"x": Vote(True, ""), "y": Vote(False, "a server")}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("x", "maybe", "")], "a.csv:2: 'maybe' is no decision. Write accept or reject"),
        ([("x", "reject", "")], "a.csv:2: a rejection without a reason"),
        ([("x", "accept", ""), ("x", "accept", "")], "a.csv:3: x stands twice"),
    ],
)
def test_a_vote_that_is_none_is_told_with_its_row(tmp_path: Path, rows: list[tuple[str, str, str]], told: str) -> None:
    with pytest.raises(UserError) as caught:
        read_sheet(write(tmp_path / "a.csv", *rows))
    assert told in caught.value.message


def votes(text: str) -> dict[str, Vote]:
    return {str(number): Vote(letter == "a", "") for number, letter in enumerate(text)}


def test_kappa_is_cohens() -> None:
    # Cohen 1960's form by hand: agreement 7/10, chance 0.6*0.5 + 0.4*0.5 = 0.5, kappa 0.4
    found = agreement(votes("aaaaaarrrr"), votes("aaaarrarrr"))
    assert found.n == 10
    assert found.agreement == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)
    assert found.low < 0.4 < found.high
    assert found.differing == ("4", "5", "6")


def test_two_who_always_accept_agree_fully() -> None:
    assert agreement(votes("aaa"), votes("aaa")).kappa == 1.0


def test_only_candidates_with_both_votes_count() -> None:
    assert agreement(votes("ar"), {"1": Vote(False, ""), "7": Vote(True, "")}).n == 1
    with pytest.raises(ValueError, match="no candidate has the votes of both"):
        agreement(votes("a"), {"7": Vote(True, "")})


def test_a_settled_dispute_stays_until_a_vote_changes() -> None:
    yes, no = Vote(True, ""), Vote(False, "needs a display")
    disputed = decide("x", "x", "1.0", yes, no)
    assert (disputed.decision, disputed.reason) == ("disputed", "needs a display")
    settled = {"x": disputed.__class__(**{**disputed.__dict__, "decision": "accept"})}
    assert merged(settled, [disputed])["x"].decision == "accept"
    assert merged(settled, [decide("x", "x", "1.0", no, no)])["x"].decision == "reject"
    assert review.ANNOTATORS == ("a", "b")


def in_a_browser(folder: Path, votes: dict[str, tuple[str, str]]) -> str:
    """The sheet that the page saves for annotator a who votes so; the browser is a stand-in, the page's script is the real one."""
    (folder / "review.html").write_text(sheets([row("one"), row("two")], seed=0)["review.html"])
    command = ("node", str(Path(__file__).parent / "dom.js"), str(folder / "review.html"), "a", json.dumps(votes))
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def test_the_sheet_that_the_page_saves_is_read_back(tmp_path: Path) -> None:
    saved = in_a_browser(tmp_path, {"pypi:one@1.0": ("accept", ""), "pypi:two@1.0": ("reject", '=needs "a" display, always')})
    (tmp_path / "a.csv").write_text(saved)
    assert read_sheet(tmp_path / "a.csv") == {"pypi:one@1.0": Vote(True, ""), "pypi:two@1.0": Vote(False, '=needs "a" display, always')}


def test_the_page_wants_a_reason_before_it_saves_a_rejection(tmp_path: Path) -> None:
    assert in_a_browser(tmp_path, {"pypi:two@1.0": ("reject", " ")}) == "alert: Say why you reject pypi:two@1.0\n"
