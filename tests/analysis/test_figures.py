"""Figures hold what they should (axes, points, legend), look the same for a model everywhere, and are the same bytes for the same input."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from analysis import caveats, failures, figures, published, rq1_overall, rq2_complexity, rq3_cost, rq4_structure
from analysis.answer import Question
from analysis.settings import AnalysisConfig
from tests.analysis.samples import question, rows


@pytest.fixture(scope="module")
def of_published() -> Question:
    frame = published.read()
    return Question(frame, caveats.find(frame), AnalysisConfig(resamples=500))


def drawn(question_of: Question) -> dict[str, Figure]:
    modules = (rq1_overall, rq2_complexity, rq3_cost, rq4_structure, failures)
    return {name: figure for module in modules for name, figure in module.answer(question_of).figures.items()}


@pytest.fixture(scope="module")
def pictures(of_published: Question) -> dict[str, Figure]:
    return drawn(of_published)


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for box in figure.legends for text in box.get_texts()]


def points(axes: Axes, size: float | None = None) -> int:
    found: list[Any] = [item for item in axes.collections if isinstance(item, PathCollection)]
    return sum(len(item.get_offsets()) for item in found if size is None or item.get_sizes()[0] == size)


def test_all_five_figures_are_drawn(pictures: dict[str, Figure]) -> None:
    assert list(pictures) == ["fig2_language", "fig3_complexity", "fig4_cost", "fig5_structure", "fig6_failure_stages"]


def test_the_radar_has_an_axis_a_language_and_a_closed_polygon_a_model(pictures: dict[str, Figure], of_published: Question) -> None:
    figure = pictures["fig2_language"]
    axes = figure.axes[0]
    assert axes.name == "polar"
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["Go", "Python", "JavaScript"]
    assert sorted(legend(figure)) == sorted(of_published.frame.models)
    kimi = next(line for line in axes.lines if line.get_label() == "kimi-k2.5")
    runs = of_published.frame.runs
    expected = [
        100 * runs[(runs["model"] == "kimi-k2.5") & (runs["language"] == name)]["sm"].mean() for name in ("go", "python", "javascript")
    ]
    assert np.asarray(kimi.get_ydata(), dtype=float) == pytest.approx([*expected, expected[0]])


def test_the_complexity_figure_has_a_point_a_task_by_difficulty_a_curve_and_a_band(pictures: dict[str, Figure]) -> None:
    figure = pictures["fig3_complexity"]
    axes = figure.axes[0]
    assert (axes.get_xscale(), axes.get_xlabel()) == ("log", "Lines of code of the oracle")
    assert points(axes) == 94
    clouds: list[Any] = [item for item in axes.collections if isinstance(item, PathCollection)]
    counts = {item.get_label(): len(item.get_offsets()) for item in clouds}
    assert counts == {"easy": 40, "medium": 21, "hard": 33}
    assert legend(figure) == ["95 % bootstrap band", "LOESS", "easy", "medium", "hard"]
    curve = next(line for line in axes.lines if line.get_label() == "LOESS")
    x, y = np.asarray(curve.get_xdata(), dtype=float), np.asarray(curve.get_ydata(), dtype=float)
    assert (x[0], x[-1]) == pytest.approx((60, 244230))
    assert y.min() < y[0]


def test_the_cost_figure_has_a_panel_a_framework_with_runs_centroids_means_quadrants_and_a_front(pictures: dict[str, Figure]) -> None:
    figure = pictures["fig4_cost"]
    assert [axes.get_title() for axes in figure.axes] == ["OpenHands", "Mini-SWE-Agent"]
    for axes in figure.axes:
        assert axes.get_xscale() == "log"
        assert points(axes, 5) == 658
        assert points(axes, 55) == 7
        assert {text.get_text() for text in axes.texts} == set(rq3_cost.QUADRANTS.values())
        assert len([line for line in axes.lines if line.get_linestyle() == "--"]) == 2
    front = next(line for line in figure.axes[1].lines if line.get_label() == "Pareto front")
    assert np.asarray(front.get_xdata()).size == 3
    assert {"mean of models", "Pareto front", "kimi-k2.5"} <= set(legend(figure))


def test_the_structure_figure_is_cut_at_20_with_stars_and_numbers_above(pictures: dict[str, Figure], of_published: Question) -> None:
    axes = pictures["fig5_structure"].axes[0]
    names = [tick.get_text().replace("\n", "") for tick in axes.get_xticklabels()]
    assert names == [*of_published.frame.models, "oracle"]
    runs, tasks = of_published.frame.runs, of_published.frame.tasks
    above = int((runs["files"] > 20).sum() + (tasks["oracle_files"] > 20).sum())
    assert points(axes, 16) == above
    assert points(axes, 4) == int((runs["files"] > 0).sum()) + 94 - above
    assert any("1,629" in text.get_text() for text in axes.texts)
    assert len(axes.patches) == 8


def test_the_failure_figure_stacks_every_configuration_to_100(pictures: dict[str, Figure]) -> None:
    figure = pictures["fig6_failure_stages"]
    axes = figure.axes[0]
    assert legend(figure) == list(failures.STAGES)
    assert len(axes.get_yticklabels()) == 14
    widths = np.array([[patch.get_width() for patch in bars] for bars in axes.containers])
    assert widths.sum(axis=0) == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("suffix", "modules"),
    [("png", (rq1_overall, rq2_complexity, rq3_cost, rq4_structure, failures)), ("svg", (rq2_complexity,)), ("pdf", (rq4_structure,))],
)
def test_the_same_input_gives_the_same_bytes(suffix: str, modules: tuple[ModuleType, ...]) -> None:
    asked = question(rows(tasks=30), figures=True)
    made = [[figures.render(figure, suffix) for module in modules for figure in module.answer(asked).figures.values()] for _ in range(2)]
    assert len(made[0]) == len(modules)
    assert made[0] == made[1]
    assert not [body for body in made[0] if b"Date" in body or b"Software" in body]


def test_a_model_has_one_colour_whatever_else_is_in_the_results() -> None:
    alone, many = figures.model_styles(["glm-5"]), figures.model_styles(["another", "gpt-5.4", "glm-5", "kimi-k2.5"])
    assert alone["glm-5"] == many["glm-5"]
    assert len({(style.colour, style.marker) for style in many.values()}) == 4


def test_fewer_than_three_languages_are_bars() -> None:
    raw = rows(tasks=12).query("language != 'javascript'")
    figure = rq1_overall.answer(question(raw, figures=True)).figures["fig2_language"]
    assert figure.axes[0].name == "rectilinear"
    assert len(figure.axes[0].patches) == 4


def test_where_there_is_one_model_its_frameworks_are_set_apart() -> None:
    answer = rq1_overall.answer(question(rows(tasks=12, models=("none",), frameworks=("gold", "null")), figures=True))
    assert legend(answer.figures["fig2_language"]) == ["gold", "null"]
