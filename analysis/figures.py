"""How all figures look, and how they are saved: same colours for a model everywhere, and the same bytes for the same input.

Colours are Okabe and Ito's and Tol's, told apart by readers with any colour vision; a marker and a line style say the same again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from clibench.errors import OutputsError

COLUMN: Final = 3.5
"""Inches: the width of a column of the paper."""
PAGE: Final = 7.16
"""Inches: the width of both columns."""
DIFFICULTY_STYLE: Final = {"easy": ("#009E73", "o"), "medium": ("#E69F00", "s"), "hard": ("#B2182B", "^")}
"""Green, orange and red as in the paper, in shades that differ in lightness too."""

_PALETTE: Final = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
    "#882255", "#44AA99", "#999933", "#332288", "#AA4499", "#117733", "#DDCC77", "#88CCEE", "#666666",
)  # fmt: skip
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d", "8", "H", ".")
_LINES: Final = ("-", "--", "-.", ":")
_PAPER_MODELS: Final = ("kimi-k2.5", "minimax-2.5", "glm-5", "gpt-5.4", "qwen3.5-plus", "DeepSeek-V3.2", "claude-sonnet-4-6")
"""These keep their colours whatever else is in the results."""

RC: Final[Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.labelsize": 7.5,
    "legend.fontsize": 6.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "figure.dpi": 100,
    "savefig.dpi": 300,
    "svg.hashsalt": "clibench",
    "pdf.fonttype": 42,
}
_METADATA: Final[dict[str, dict[str, Any]]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""No date and no version: the bytes depend on the picture alone."""


@dataclass(frozen=True)
class Style:
    """How a model is drawn."""

    colour: str
    marker: str
    line: str


def model_styles(models: Sequence[str]) -> dict[str, Style]:
    """A style for each model: the paper's models have fixed ones, others the next free ones by name."""
    order = [*_PAPER_MODELS, *sorted(set(models) - set(_PAPER_MODELS), key=str.casefold)]
    if not set(models) & set(_PAPER_MODELS):
        order = order[len(_PAPER_MODELS) :]
    place = {name: index for index, name in enumerate(order)}
    return {
        name: Style(_PALETTE[place[name] % len(_PALETTE)], _MARKERS[place[name] % len(_MARKERS)], _LINES[place[name] % len(_LINES)])
        for name in models
    }


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of the given size in inches, laid out by constraint; drawn under `RC`."""
    mpl.rcParams.update(RC)  # text and ticks take their looks when they are made, lines when they are drawn
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def legend_below(figure: Figure, panels: Sequence[Axes], columns: int) -> None:
    """One legend under all panels; a label that several have stands once."""
    entries: dict[str, Any] = {}
    for axes in panels:
        for handle, text in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(text, handle)
    figure.legend(list(entries.values()), list(entries), loc="outside lower center", ncols=columns, handlelength=2.2)


def render(figure: Figure, suffix: str) -> bytes:
    """The figure as PNG, SVG or PDF; the same bytes for the same figure."""
    stream = BytesIO()
    with mpl.rc_context(RC):
        figure.savefig(stream, format=suffix, metadata=_METADATA[suffix])
    return stream.getvalue()


def write_figure(figure: Figure, name: str, folder: Path) -> list[Path]:
    """Write `name`.pdf, .png and .svg; raises OutputsError where the folder can't be written."""
    paths = []
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # the places are found; finding them again for each format takes most of the time
    for suffix in _METADATA:
        path = folder / f"{name}.{suffix}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(render(figure, suffix))
        except OSError as error:
            raise OutputsError(
                f"can't be written ({error.strerror})", where=str(path), fix="Choose another folder by out=DIR, or make room."
            ) from error
        paths.append(path)
    return paths
