"""What a user installs is the wheel: it must carry the configuration and the sample tasks, and work from any folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from clibench.paths import PACKAGE


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's content, as pip would lay it out."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(folder), str(PACKAGE.parent)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def clibench(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, run in `folder` with the installed package and nothing of the checkout."""
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-P", "-m", "clibench", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_wheel_lists_all_tasks_in_any_folder_and_writes_nothing_there(installed: Path, tmp_path: Path) -> None:
    done = clibench(installed, tmp_path, "tasks", "dataset=full", "output=json")
    assert (done.returncode, done.stderr) == (0, "")
    assert [row["task"] for row in json.loads(done.stdout)] == sorted(path.parent.name for path in PACKAGE.parent.glob("tasks/*/task.yaml"))
    assert list(tmp_path.iterdir()) == []


def test_the_wheel_takes_everything_from_itself(installed: Path, tmp_path: Path) -> None:
    done = clibench(installed, tmp_path, "--cfg", "job", "--resolve", "framework=replay_careful")
    assert done.returncode == 0, done.stderr
    assert f"submissions: {installed}/clibench/_data/tasks/submissions/careful" in done.stdout


def test_the_wheel_brings_the_command_and_the_sweeper(installed: Path, tmp_path: Path) -> None:
    (points,) = installed.glob("*.dist-info/entry_points.txt")
    assert "clibench = clibench.__main__:main" in points.read_text()
    done = clibench(installed, tmp_path, "-m", "framework=gold,gild")
    assert (done.returncode, "Did you mean 'gold'?" in done.stderr) == (2, True)
