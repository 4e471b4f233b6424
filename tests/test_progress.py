"""stdout belongs to results: progress is told on stderr, a line a task where nobody watches."""

from __future__ import annotations

from pathlib import Path

import pytest

from clibench.config import ProgressChoice
from clibench.evaluation.verdict import METRICS
from clibench.llm.ledger import Totals
from clibench.outcome import Outcome
from clibench.progress import make_progress
from clibench.results import Score, TaskResult
from clibench.tables import score_table
from tests.synthetic import make_job

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
        "gold: 2/2 lines: build-fail, no go.mod (stored)",
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


def test_what_the_model_calls_have_used_is_told_as_they_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    spent = [Totals()]
    with make_progress(ProgressChoice.plain, "gpt", {"words": 6}, lambda: spent[0]) as progress:
        spent[0] = Totals(prompt_tokens=1200, completion_tokens=34, known_usd=0.0125, unknown=1)
        progress.end(PASSED)
    assert capsys.readouterr().err.splitlines()[-1].endswith("(stored; job: 1,234 tokens, $0.0125 and 1 of unknown cost)")
    with make_progress(ProgressChoice.bars, "gpt", {"words": 6}, lambda: spent[0]):
        pass
    assert "1,234 tokens, $0.0125" in capsys.readouterr().err


def test_progress_can_be_switched_off(capsys: pytest.CaptureFixture[str]) -> None:
    with make_progress(ProgressChoice.off, "gold", {"words": 6}) as progress:
        progress.end(PASSED)
    assert capsys.readouterr() == ("", "")


def test_a_task_whose_cases_could_not_be_run_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    scores = {"build": Score(1.0), "exec": Score(None, missing=6)}
    gone = TaskResult("words", "go", "easy", "text", Outcome.INFRA, "6 cases could not be run: no Docker daemon answers", scores)
    with make_progress(ProgressChoice.plain, "gold", {"words": 6}) as progress:
        progress.end(gone)
    assert capsys.readouterr().err.splitlines()[1] == "gold: 1/1 words: infra, 6 cases could not be run: no Docker daemon answers (stored)"


def test_a_table_in_a_pipe_shows_every_name_and_interval_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    partly = {metric: Score(0.5, 0.25, 0.75, 100, 50) for metric in METRICS}
    score_table([make_job(tmp_path, "d" * 64, scores=partly, missing_tasks=2, framework="mini_swe_agent", model="openai_compatible")])
    header, row = capsys.readouterr().out.splitlines()
    assert header.split()[:3] == ["model", "framework", "dataset"]
    assert row.split()[:2] == ["openai_compatible", "mini_swe_agent:careful"]
    assert row.split()[-len(METRICS) :] == ["0.250..0.750"] * len(METRICS)
