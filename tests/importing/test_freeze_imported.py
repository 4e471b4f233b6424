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
    assert rows["a8m/envsubst"]["frozen"] == "frozen: 4 cases, 1 quarantined"
    assert rows["a8m/other"]["frozen"].startswith("not frozen: the module's path is presumed from the repository; no version or commit")

    task = load_task(out / "imported" / "tasks" / "a8m-envsubst")
    assert (task.alias, task.oracle.version, [pattern.id for pattern in task.patterns]) == (
        "envsubst",
        "v1.4.3",
        ["echo-text-envsubst", "envsubst-i-in-o-out"],
    )
    outputs = {case.id: task.recordings[case.id].stdout.data for case in task.cases}
    assert outputs["echo-text-envsubst/02"] == b"a v1 1\n"
    written = task.recordings["envsubst-i-in-o-out/01"].changes
    assert [(change.path, change.content) for change in written] == [("/workspace/out.txt", b"{X}")]
    assert "could not be run" in task.quarantined["envsubst-i-in/01"]

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
