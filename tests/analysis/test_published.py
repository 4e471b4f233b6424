"""The published file gives the paper's numbers, to the last printed digit; what it does not support is named."""

from __future__ import annotations

import pytest

from analysis import claims, published
from analysis.answer import Question
from analysis.caveats import find
from analysis.frame import METRICS, Frame
from analysis.rq1_overall import answer as overall_answer
from analysis.settings import AnalysisConfig

TABLE2 = {
    ("gpt-5.4", "OpenHands"): "79.79 59.66 38.83 21.47 38.55 28.88",
    ("gpt-5.4", "Mini-SWE-Agent"): "85.11 61.05 51.90 23.85 40.74 31.82",
    ("claude-sonnet-4-6", "OpenHands"): "37.23 18.42 12.34 5.95 9.36 7.21",
    ("claude-sonnet-4-6", "Mini-SWE-Agent"): "52.13 31.67 28.15 11.77 21.03 14.02",
    ("DeepSeek-V3.2", "OpenHands"): "80.85 61.82 41.53 21.48 37.72 27.44",
    ("DeepSeek-V3.2", "Mini-SWE-Agent"): "72.34 60.08 50.67 21.25 40.33 27.41",
    ("qwen3.5-plus", "OpenHands"): "73.40 58.96 42.71 23.50 38.34 28.86",
    ("qwen3.5-plus", "Mini-SWE-Agent"): "76.60 61.34 49.38 24.15 39.99 30.75",
    ("glm-5", "OpenHands"): "76.60 59.03 40.05 22.07 37.43 28.54",
    ("glm-5", "Mini-SWE-Agent"): "78.72 63.47 53.44 26.69 43.97 33.23",
    ("minimax-2.5", "OpenHands"): "79.79 66.10 42.01 22.98 42.27 30.11",
    ("minimax-2.5", "Mini-SWE-Agent"): "95.74 80.12 68.34 31.22 51.96 39.07",
    ("kimi-k2.5", "OpenHands"): "90.43 69.65 50.53 29.68 46.83 36.41",
    ("kimi-k2.5", "Mini-SWE-Agent"): "95.74 79.17 69.37 43.00 57.47 51.16",
    ("Average", "Average"): "76.75 59.32 45.66 23.50 39.00 29.64",
}


@pytest.fixture(scope="module")
def frame() -> Frame:
    return published.read()


@pytest.fixture(scope="module")
def question(frame: Frame) -> Question:
    return Question(frame, find(frame), AnalysisConfig(figures=False))


def test_table_two_has_every_configuration_to_two_decimals(question: Question) -> None:
    table = overall_answer(question).tables[0].csv
    assert list(table.columns[:8]) == ["model", "framework", *METRICS]
    got = {(row["model"], row["framework"]): " ".join(row[metric] for metric in METRICS) for row in table.to_dict("records")}
    assert {name: got[name] for name in TABLE2} == TABLE2


def test_every_printed_number_of_the_paper_follows_but_three(question: Question) -> None:
    table = claims.answer(question).tables[0].csv
    unsupported = table[table["supported"] != "yes"].set_index("statement")["file"].to_dict()
    assert unsupported == {
        "SM of gpt-5.4 on easy tasks, %": "34.64",
        "SM of gpt-5.4 on medium tasks, %": "21.87",
        "Repositories in the benchmark": "94",
    }
