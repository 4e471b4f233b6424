"""stdout belongs to results: progress is told on stderr, a line a task where nobody watches."""

from __future__ import annotations

import pytest

from clibench.config import ProgressChoice
from clibench.outcome import Outcome
from clibench.progress import make_progress
from clibench.results import Score, TaskResult

PASSED = TaskResult(
    "words",
    "go",
    "easy",
    "text",
    Outcome.PASS,
    "",
    {"build": Score(1.0), "exec": Score(1.0), "sm": Score(0.5)},
    durations={"build": 2.0, "record": 1.4},
)
BROKEN = TaskResult("lines", "go", "easy", "text", Outcome.BUILD_FAIL, "no go.mod", {"build": Score(0.0), "exec": Score(0.0)})


def test_where_nobody_watches_a_line_tells_of_each_task_that_ended(capsys: pytest.CaptureFixture[str]) -> None:
    with make_progress(ProgressChoice.auto, "gold", {"words": 6, "lines": 4}) as progress:
        progress.step("words", "build")
        progress.cases("words", 6)
        progress.end(PASSED)
        progress.end(BROKEN)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "gold: 2 tasks, 10 cases",
        "gold: 1/2 words: pass, exec 1.00 sm 0.50 (3 s)",
        "gold: 2/2 lines: build-fail, no go.mod (0 s)",
    ]


def test_bars_count_cases_and_those_of_a_failed_build_as_done(capsys: pytest.CaptureFixture[str]) -> None:
    with make_progress(ProgressChoice.bars, "gold", {"words": 6, "lines": 4}) as progress:
        progress.step("words", "record")
        progress.cases("words", 6)
        progress.end(PASSED)
        progress.end(BROKEN)
    out, err = capsys.readouterr()
    assert out == ""
    assert "10/10" in err and "lines: build-fail, no go.mod" in err


def test_progress_can_be_switched_off(capsys: pytest.CaptureFixture[str]) -> None:
    with make_progress(ProgressChoice.off, "gold", {"words": 6}) as progress:
        progress.end(PASSED)
    assert capsys.readouterr() == ("", "")
