"""An imported task whose oracle is pinned becomes a task like any other: frozen, loaded, and its own oracle scores 1 in it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from clibench.__main__ import run
from clibench.tasks.load import load_task
from tests.importing.artifacts import HEAD, SHARED

ENVSUBST = (
    HEAD
    + """
class EnvsubstAdapter(BaseRepoAdapter):
    base_image = "golang:latest"

    def install_oracle(self, container):
        container.exec_run("go install github.com/a8m/envsubst/cmd/envsubst@v1.4.3")

    def generate_test_cases(self):
        cases = [TestCase(f"echo 'a ${{X}} {n}' | envsubst", "echo '<text>' | envsubst", env_vars={"X": f"v{n}"}) for n in range(3)]
        cases.append(TestCase("envsubst -i /test_data/in.txt -o /test_data/out.txt", "envsubst -i <in> -o <out>", "", {"in.txt": "{X}"}))
        cases.append(TestCase("envsubst -i /test_data/in.txt", "envsubst -i <in>", "exit 3", {"in.txt": "x"}))
        before = "cd /test_data && echo 'a ${X}' > t && X=1 envsubst -i t -o made && rm t && mkdir -p d/e"
        cases.append(TestCase("envsubst -i /test_data/made", "envsubst <made>", before, {"old": "x"}))
        cases.append(TestCase("envsubst -i /test_data/old", "envsubst <made>", "envsubst -i /test_data/none", {"old": "x"}))
        return cases
"""
)
BRANCH = ENVSUBST.replace(
    "go install github.com/a8m/envsubst/cmd/envsubst@v1.4.3", "git clone https://github.com/a8m/other && cd other && go install ."
)


def checkout(root: Path) -> Path:
    tests = root / "run_differential_test"
    for name, text in (("a8m/envsubst", ENVSUBST), ("a8m/other", BRANCH)):
        (tests / "repo" / name).mkdir(parents=True)
        (tests / "repo" / name / "start.py").write_text(text)
        (root / "agent_prompt" / name).mkdir(parents=True)
        (root / "agent_prompt" / name / "agent_prompt.txt").write_text("**CLI Tool Name**: envsubst\n")
    for name, text in SHARED.items():
        (tests / name).write_text(text)
    return root


def test_a_task_whose_oracle_is_pinned_is_frozen_and_one_whose_is_not_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["import", f"path={checkout(tmp_path / 'checkout')}", f"outputs={out}", "freeze=true"]) == 0
    with (out / "imported" / "import.csv").open(newline="") as stream:
        rows = {row["repository"]: row for row in csv.DictReader(stream)}
    assert rows["a8m/envsubst"]["frozen"] == "frozen: 5 cases, 2 quarantined"
    assert rows["a8m/other"]["frozen"].startswith("not frozen: the module's path is presumed from the repository; no version or commit")

    task = load_task(out / "imported" / "tasks" / "a8m-envsubst")
    assert (task.alias, task.oracle.version, [pattern.id for pattern in task.patterns]) == (
        "envsubst",
        "v1.4.3",
        ["echo-text-envsubst", "envsubst-i-in-o-out", "envsubst-made"],
    )
    outputs = {case.id: task.recordings[case.id].stdout.data for case in task.cases}
    assert outputs["echo-text-envsubst/02"] == b"a v1 1\n"
    written = task.recordings["envsubst-i-in-o-out/01"].changes
    assert [(change.path, change.content) for change in written] == [("/workspace/out.txt", b"{X}")]
    assert "could not be run" in task.quarantined["envsubst-i-in/01"]

    made = next(case for case in task.cases if case.id == "envsubst-made/01")
    start = task.fixtures[made.fixture]
    assert start.prepare is None, "what the tool prepares is kept as files: a submission's own start would differ"
    assert [(entry.path, entry.type, entry.content) for entry in start.entries] == [
        ("old", "file", b"x"),
        ("d", "dir", b""),
        ("d/e", "dir", b""),
        ("made", "file", b"a 1\n"),
    ]
    assert outputs[made.id] == b"a 1\n"
    assert "could not be prepared by the tool: exit 1" in task.quarantined["envsubst-made/02"]

    capsys.readouterr()
    grading = ["run", "framework=gold", f"tasks_dir={out / 'imported' / 'tasks'}", "dataset=full", f"outputs={out}", "tracking=none"]
    assert run([*grading, "progress=plain"]) == 0
    assert "1.000" in capsys.readouterr().out


def test_a_file_of_pins_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pins = tmp_path / "pins.yaml"
    pins.write_text("pins:\n  a8m/other: {registry: go, name: x, verison: v1}\n")
    assert run(["import", f"path={checkout(tmp_path / 'checkout')}", f"outputs={tmp_path}", f"pins={pins}"]) == 2
    err = capsys.readouterr().err
    assert "pins.yaml:2: " in err and "verison" in err
