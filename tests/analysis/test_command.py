"""`python -m analysis` writes everything, alone or by question, and answers a mistake in one line with exit status 2."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from analysis import app
from analysis.tables import Table, latex, markdown

ROOT = Path(__file__).resolve().parents[2]


Said = tuple[int, str, str]
"""Exit status, stdout, stderr."""


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Run one question as a command in an empty folder, in this process."""

    def run(*arguments: str) -> Said:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["analysis.dataset", *arguments])
        status = 0
        try:
            app.main("dataset")
        except SystemExit as stop:
            status = int(stop.code or 0)
        return status, *capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    line = [sys.executable, "-m", "analysis", "resamples=1000"]
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "published results analysed: outputs/analysis/published\n"
    return folder / "outputs" / "analysis" / "published"


TABLES = [
    *("table1_dataset", "table2_overall", "table2_overall_clean", "table3_cost", "difficulty_overall", "difficulty_by_model"),
    *("difficulty_trend", "correlation", "structure", "failure_stages", "intervals", "significance", "planning", "caveats", "claims"),
    "fig2_language",
]
FIGURES = ["fig2_language", "fig3_complexity", "fig4_cost", "fig5_structure", "fig6_failure_stages"]


def test_everything_is_written_in_every_form_and_nothing_else(published: Path) -> None:
    expected = {f"{name}.{suffix}" for name in TABLES for suffix in ("csv", "md", "tex")}
    expected |= {f"{name}.{suffix}" for name in FIGURES for suffix in ("pdf", "png", "svg")}
    assert {path.name for path in published.iterdir()} == expected | {"summary.md"}
    assert {path.name for path in published.parents[2].iterdir()} == {"outputs"}


def test_the_summary_tells_the_papers_findings_with_their_numbers(published: Path) -> None:
    text = (published / "summary.md").read_text()
    heads = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert heads[:6] == [
        "Dataset (Table I)",
        "RQ1: overall performance (Table II, Fig. 2)",
        "RQ2: complexity (Fig. 3)",
        "RQ3: cost (Table III, Fig. 4)",
        "RQ4: structure (Fig. 5)",
        "Failures (V-A, Fig. 6)",
    ]
    for sentence in (
        "Build 76.75, Exec 59.32, SP 45.66, EM 23.50, FM 39.00, SM 29.64",
        "kimi-k2.5 43.78, minimax-2.5 34.59, glm-5 30.89, gpt-5.4 30.35, qwen3.5-plus 29.81, DeepSeek-V3.2 27.43, claude-sonnet-4-6 10.61",
        "easy 32.66 % (40 tasks), medium 25.08 % (21 tasks), hard 28.87 % (33 tasks)",
        "45 go, 34 python, 15 javascript",
        "23.3 % of the runs do not build, 13.2 % build and never exit as the oracle does (Exec 0), 6.7 % run and never print",
        "uses the fewest tokens, 20,892 in 2.33 steps",
        "the most, 4,236,377 in 88.02 steps",
        "A repository costs from 0.09 dollars (gpt-5.4 / Mini-SWE-Agent)",
        "SM of gpt-5.4 on easy tasks, %: the paper has 34.60, the file gives 34.64",
        "do not establish one",
        "42 are not resolved",
    ):
        assert sentence in text


def test_table_three_has_steps_tokens_and_dollars(published: Path) -> None:
    rows = {(row["model"], row["framework"]): row for row in csv.DictReader((published / "table3_cost.csv").open())}
    row = rows["gpt-5.4", "Mini-SWE-Agent"]
    assert (row["steps"], row["tokens"], f"{float(row['cost_usd']):.2f}") == ("2.33", "20892", "0.09")
    assert int(row["prompt_tokens"]) + int(row["completion_tokens"]) == 20892
    assert rows["minimax-2.5", "OpenHands"]["steps"] == "88.02"


def test_one_question_runs_alone(tmp_path: Path, command: Callable[..., Said]) -> None:
    assert command("out=here") == (0, "published results analysed: here\n", "")
    assert sorted(path.name for path in (tmp_path / "here").iterdir()) == ["table1_dataset.csv", "table1_dataset.md", "table1_dataset.tex"]


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("resuls=outputs", "Did you mean 'results'?"),
        ("results=publishd", "expected one of [published, outputs, mlflow]"),
        ("models=[kimi]", "unknown model 'kimi'. Did you mean 'kimi-k2.5'?"),
        ("resamples=7", "resamples=7 is too few"),
        ("input=nowhere", "nowhere/results.csv: no such file"),
        ("results=outputs", "no such folder"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_2(tmp_path: Path, command: Callable[..., Said], argument: str, said: str) -> None:
    status, _, stderr = command(argument)
    assert status == 2
    assert said in stderr
    assert stderr.count("\n") == 1
    assert not (tmp_path / "outputs").exists()


def test_a_folder_that_can_not_be_written_is_one_line_and_exit_status_2(tmp_path: Path, command: Callable[..., Said]) -> None:
    (tmp_path / "file").write_text("")
    status, _, stderr = command("out=file/inside")
    assert (status, stderr.count("\n")) == (2, 1)
    assert "can't be written" in stderr


def test_latex_and_markdown_escape_what_would_break_them() -> None:
    table = Table("t", "100 % of a_b", pd.DataFrame({"name_x": ["a|b & c"], "n": ["1.50"]}), bold=frozenset({(0, 1)}))
    assert r"a\textbar{}b \& c & \textbf{1.50} \\" in latex(table)
    assert r"\caption{100 \% of a\_b}" in latex(table)
    assert r"\begin{tabular}{lr}" in latex(table)
    assert "| a\\|b & c | **1.50** |" in markdown(table)
