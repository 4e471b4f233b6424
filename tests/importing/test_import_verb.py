"""A checkout of the artifact's shape is imported through a real sandbox: cases, pins, and what is wrong in it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from clibench.__main__ import run
from clibench.tasks.case import Case
from clibench.tasks.folder import decode_cases, decode_fixtures
from tests.importing.artifacts import write_artifact


class Import:
    """What an import of the checkout left behind."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = run(["import", f"path={write_artifact(folder / 'checkout')}", f"outputs={folder / 'out'}"])
        self.out = folder / "out" / "imported"

    def rows(self) -> dict[str, dict[str, str]]:
        with (self.out / "import.csv").open(newline="") as stream:
            return {row["repository"]: row for row in csv.DictReader(stream)}

    def description(self, task: str) -> dict[str, Any]:
        return dict(yaml.safe_load((self.out / "tasks" / task / "import.yaml").read_text()))

    def cases(self, task: str) -> tuple[Case, ...]:
        return decode_cases((self.out / "tasks" / task / "cases.jsonl").read_bytes())


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Import]:
    yield Import(tmp_path_factory.mktemp("import"))


def test_what_can_be_read_is_imported_and_what_cannot_is_a_row_with_its_reason(done: Import) -> None:
    assert done.status == 0
    rows = done.rows()
    assert {name: (row["status"], row["reason"]) for name, row in rows.items()} == {
        "acme/caser": ("imported", ""),
        "acme/json-tool": ("imported", ""),
        "Acme/Gopher": ("imported", ""),
        "acme/yamler": ("imported", ""),
        "acme/broken": ("failed", "NameError: name 'undefined_name' is not defined"),
        "acme/escaping": ("failed", "SystemExit: no adapter"),
    }
    assert not Path("/host-was-here").exists(), "the modules run inside the sandbox alone"
    assert sorted(path.name for path in (done.out / "tasks").iterdir()) == ["acme-caser", "acme-gopher", "acme-json-tool", "acme-yamler"]


def test_cases_have_argv_files_input_environment_folder_and_preparation(done: Import) -> None:
    cases = {case.id: case for case in done.cases("acme-caser")}
    fixtures = decode_fixtures((done.out / "tasks" / "acme-caser" / "fixtures.jsonl").read_bytes())
    one = cases["caser-file/01"]
    assert one.argv[:2] == ("caser", "/workspace/in_0.txt")
    assert one.argv[2] == "--suffix" and one.argv[3].endswith(" x")
    assert [(entry.path, bool(entry.content)) for entry in fixtures[one.fixture].entries] == [("in_0.txt", True)]
    piped = cases["echo-text-caser/01"]
    assert (piped.argv, piped.stdin, piped.env) == (("caser", "-"), b"a0\nb\n", {"CASER_MODE": "up"})
    folder = cases["cd-dir-caser-all/02"]
    assert (folder.argv, folder.cwd) == (("caser", "--all"), "/workspace/d")
    assert fixtures[folder.fixture].prepare == ("sh", "-c", "( mkdir -p /workspace/d && echo 1 > /workspace/d/x\n)")
    described = done.description("acme-caser")
    assert described["left_out"] == {"a variable": 1, "output that goes to a file": 1}
    assert [(each["id"], each["cases"]) for each in described["patterns"]] == [
        ("caser-file", 3),
        ("echo-text-caser", 3),
        ("cd-dir-caser-all", 3),
    ]
    assert (described["alias"], described["language"], described["category"]) == ("caser", "python", "Data Analysis & Processing")


def test_a_modules_library_is_there_and_what_a_preparation_or_a_file_holds_is_read(done: Import) -> None:
    content = "b:\n- 1\n- two\n"
    file, text, listed = done.cases("acme-yamler")
    assert (file.argv, text.argv) == (("yamler", "/workspace/a.yaml"), ("yamler", "-s", content.rstrip()))
    assert (listed.argv, listed.stdin) == (("yamler", "--list"), b"/workspace/a.yaml\nb\n")
    assert done.description("acme-yamler")["left_out"] == {"input from a file that is not mounted": 1}


def test_randomness_is_told_apart_seeded_unseeded_and_beyond_any_seed(done: Import) -> None:
    rows = done.rows()
    assert (rows["acme/caser"]["unseeded"], rows["acme/caser"]["unrepeatable"]) == ("0", "0"), "its author seeded it"
    faulty = rows["acme/json-tool"]
    assert faulty["unseeded"] == "5", "four random keys, and the time"
    assert faulty["unrepeatable"] == "1", "the time"
    assert (rows["Acme/Gopher"]["unseeded"], rows["Acme/Gopher"]["duplicates"]) == ("0", "0")


def test_duplicates_are_dropped_and_faults_of_the_prompt_counted(done: Import) -> None:
    rows = done.rows()
    faulty = rows["acme/json-tool"]
    assert (faulty["generated"], faulty["duplicates"], faulty["cases"]) == ("10", "4", "6")
    assert faulty["name_mismatch"] == "prompt: jsontool, tests: json-tool"
    assert faulty["absent_from_prompt"] == "2"
    assert faulty["code_lines"] == "12"
    assert faulty["sanitiser"] == "own"
    assert int(faulty["leaks"]) >= 2, "the owner and the address"
    assert (faulty["pin"], faulty["pin_missing"]) == ("npm:@acme/json-tool@2.1.0", "")
    assert rows["Acme/Gopher"]["leaks"] == "2", "two tests are shown beside the example"
    assert rows["acme/caser"]["name_mismatch"] == ""
    assert "no version or commit is named" in rows["acme/caser"]["pin_missing"]
    assert rows["Acme/Gopher"]["pin"] == "go:github.com/acme/gopher/cmd/gopher@0a1b2c3d"


def test_the_report_says_in_words_what_is_wrong(done: Import) -> None:
    text = (done.out / "import.md").read_text()
    assert "4 of 6 tasks were imported: 22 of 29 cases." in text
    assert "| duplicate cases, dropped | 1 | 4 |" in text
    for line in (
        "- `acme/broken`: NameError: name 'undefined_name' is not defined",
        "- `acme/untested`",
        "- unseeded randomness: another seed changes 5 of 10 cases",
        "- not repeatable: 1 cases differ under one seed, with another clock and hash seed",
        "- name mismatch: prompt: jsontool, tests: json-tool",
        "- not in the prompt: `json-tool get &lt;key>`",
        "- the prompt holds program text (12 lines that define or import something)",
        "- the module printed 1 lines, first: skipping one",
        "- 1 cases left out: output that goes to a file",
    ):
        assert line in text, text


def test_the_same_import_gives_the_same_bytes_where_the_module_lets_it(done: Import, tmp_path: Path) -> None:
    status = run(["import", f"path={done.folder / 'checkout'}", f"outputs={tmp_path}", "only=[acme/caser]"])
    assert status == 0
    for path in (tmp_path / "imported" / "tasks" / "acme-caser").iterdir():
        assert path.read_bytes() == (done.out / "tasks" / "acme-caser" / path.name).read_bytes()


def test_a_folder_that_is_no_checkout_and_a_task_that_is_not_there_are_one_line(
    done: Import, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, told in (
        ([f"path={tmp_path}"], "no run_differential_test/repo/<owner>/<name>/start.py in it"),
        ([f"path={done.folder / 'checkout'}", "only=[acme/casr]"], "Did you mean 'acme/caser'?"),
        ([], "import path=..."),
    ):
        assert run(["import", f"outputs={tmp_path}", *arguments]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1), err
        assert told in err
