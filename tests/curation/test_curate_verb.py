"""`curate` from the command line: what is rejected and why, what is not done twice, and the way through the review."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

import clibench.curating
from clibench.__main__ import run
from tests.curation.packages import HELPFUL, go_package, python_package


class Curation:
    """A folder with a list of candidates and the command line."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self.list = folder / "list.yaml"
        self.review = folder / "outputs" / "curation" / "review"
        self.decisions = folder / "kept" / "decisions.csv"

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit status, stdout, stderr."""
        fixed = (
            f"candidates={self.list}",
            f"outputs={self.folder / 'outputs'}",
            f"decisions={self.decisions}",
            "sandbox.build_network=false",
        )
        status = run(["curate", *fixed, *arguments])
        return status, *self._capsys.readouterr()

    def rows(self) -> dict[str, dict[str, str]]:
        """candidates.csv, by the name of the folder."""
        with (self.folder / "outputs" / "curation" / "candidates.csv").open(newline="") as stream:
            return {row["id"].removeprefix("folder:"): row for row in csv.DictReader(stream)}

    def vote(self, annotator: str, **votes: str) -> None:
        """Fill in a sheet: accept, or the reason of a rejection."""
        path = self.review / f"annotator_{annotator}.csv"
        with path.open(newline="") as stream:
            sheet = list(csv.DictReader(stream))
        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, sheet[0])
            writer.writeheader()
            for row in sheet:
                said = votes[row["id"].removeprefix("folder:")]
                writer.writerow(row | {"decision": "accept" if said == "accept" else "reject", "reason": "" if said == "accept" else said})


@pytest.fixture
def curation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Curation:
    return Curation(tmp_path, capsys)


GO = """
    import "flag"

    func main() {
        flag.Bool("upper", false, "shout")
        flag.Parse()
    }
"""


def prepare(curation: Curation) -> None:
    python_package(curation.folder / "good", {"good": HELPFUL})
    go_package(curation.folder / "gopher", {"main.go": GO}, module="example.com/gopher")
    python_package(curation.folder / "mute", {"mute": "pass"})
    python_package(curation.folder / "unloved", {"unloved": HELPFUL})
    curation.list.write_text(
        "- {path: good, stars: 99, keywords: cli}\n- {path: gopher, keywords: cli}\n- {path: mute, keywords: cli}\n"
        "- {path: unloved, stars: 3, keywords: cli}\n"
    )


def test_candidates_are_filtered_tried_measured_and_not_tried_twice(curation: Curation, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(curation)
    status, out, err = curation()
    assert status == 0, err
    rows = curation.rows()
    assert {name: (row["status"], row["stage"], row["reason"]) for name, row in rows.items()} == {
        "good": ("queued", "dynamic", ""),
        "gopher": ("queued", "dynamic", ""),
        "mute": ("rejected", "dynamic", "prints no help"),
        "unloved": ("rejected", "static", "stars"),
    }
    assert rows["unloved"]["detail"] == "stars: 3, fewer than 10"
    assert rows["unloved"]["loc"] == "", "it was never installed"
    good, gopher = rows["good"], rows["gopher"]
    assert (good["entry"], good["match"], good["help"], good["difficulty"], good["licence"]) == ("good", "exact", "good --help", "easy", "")
    assert (good["files"], good["directories"], good["depth"]) == ("3", "0", "1")
    assert int(good["loc"]) > 4
    assert (gopher["language"], gopher["share"], gopher["notes"], gopher["unknown"]) == ("go", "1.0", "on standard error", "stars; licence")
    assert "4 candidates: 2 queued, 2 rejected" in out
    assert len(err.splitlines()) == 4

    def none(*_: object) -> None:
        raise AssertionError("a sandbox was made though everything was tried")

    monkeypatch.setattr(clibench.curating, "make_sandbox", none)
    assert curation()[0] == 0
    assert curation.rows() == rows
    with pytest.raises(AssertionError, match="a sandbox was made"):
        curation("static.min_stars=null")  # what a threshold kept out is tried now


def test_two_annotators_review_the_queue_and_their_decisions_come_back_into_the_table(curation: Curation) -> None:
    prepare(curation)
    status, out, err = curation("step=review")
    assert status == 0, err
    assert "2 candidates to review" in out
    assert sorted(path.name for path in curation.review.iterdir()) == ["annotator_a.csv", "annotator_b.csv", "review.html"]
    curation.vote("a", good="accept", gopher="accept")
    curation.vote("b", good="accept", gopher="does nothing")

    status, out, err = curation("step=review")
    assert (status, "holds votes already" in err) == (2, True)

    status, out, err = curation("step=agree")
    assert status == 0, err
    assert "2 candidates with both votes; the annotators agree on 50.0 % of them" in out
    assert "Cohen's kappa 0.000" in out
    assert "a accept, b reject (does nothing)" in out
    with curation.decisions.open(newline="") as stream:
        kept = {row["id"].removeprefix("folder:"): row for row in csv.DictReader(stream)}
    assert {name: row["decision"] for name, row in kept.items()} == {"good": "accept", "gopher": "disputed"}
    assert kept["good"]["entry"] == "good"

    curation.decisions.write_text(curation.decisions.read_text().replace("disputed", "reject"))
    assert curation()[0] == 0
    rows = curation.rows()
    assert {name: (rows[name]["status"], rows[name]["stage"]) for name in ("good", "gopher")} == {
        "good": ("accepted", "review"),
        "gopher": ("rejected", "review"),
    }
    assert rows["gopher"]["reason"] == "does nothing"
    shutil.copy(curation.review / "annotator_a.csv", curation.folder / "a.csv")
    assert curation("step=agree", f"sheets=[{curation.folder / 'a.csv'},{curation.folder / 'nowhere.csv'}]")[0] == 2


def test_a_mistake_in_list_sheet_or_decisions_is_one_line(curation: Curation) -> None:
    for arguments, told in (
        ((), "list.yaml: not YAML: "),
        (("step=agree",), "annotator_a.csv: no such sheet"),
        (("step=agre",), "step"),
        (("static.min_star=3",), "Did you mean 'min_stars'?"),
    ):
        status, out, err = curation(*arguments)
        assert (status, out, err.count("\n")) == (2, "", 1), err
        assert told in err
