"""Charts drawn by matplotlib, for pictures in files and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from sqlrp._core.whole_files import beside, check_place
from sqlrp._quality.charts import Chart, Mark, number

_COLOURS = {"first": "#1f66b0", "second": "#b4531a", "guide": "#59636f", "wanted": "#a85b00"}
_EACH = 4.4  # inches of width per chart


def figure_of(charts: Sequence[Chart], title: str) -> Figure:
    """The charts side by side under a title."""
    figure = Figure(figsize=(_EACH * len(charts), 4.4), layout="constrained")
    for axes, chart in zip(figure.subplots(1, len(charts), squeeze=False)[0], charts, strict=True):
        _draw(axes, chart)
    figure.suptitle(title, fontsize=11)
    return figure


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure completely or not at all, as PNG if the path has no ending. Raises SourceError."""
    path = Path(path)
    path = path if path.suffix else path.with_name(f"{path.name}.png")
    check_place(path)
    with beside(path) as made:
        figure.savefig(made, dpi=120)


def _draw(axes: Any, chart: Chart) -> None:
    for mark in chart.marks:
        _add(axes, mark)
    axes.set(xscale="log" if chart.log else "linear", xlim=chart.x, ylim=chart.y)
    axes.set(xlabel=chart.x_name, ylabel=chart.y_name)
    x, y = chart.ticks()
    axes.set_xticks(x, [number(value) for value in x])
    axes.set_yticks(y, [number(value) for value in y])
    axes.minorticks_off()
    axes.grid(color="#dde2e8", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    # The legend is between the title and the chart, in rows of two.
    names = sum(bool(mark.name) for mark in chart.marks)
    axes.legend(
        frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncol=2, fontsize=9, borderaxespad=0.2, handlelength=1.5
    )
    axes.set_title(chart.title, loc="left", fontweight="bold", pad=8 + 15 * ((names + 1) // 2))


def _add(axes: Any, mark: Mark) -> None:
    x, y = zip(*mark.points, strict=True)
    colour, name = _COLOURS[mark.colour], mark.name or None
    if mark.kind == "bars":
        axes.bar(x, y, width=mark.width, align="edge", alpha=0.7, color=colour, label=name)
    elif mark.kind == "dot":
        axes.plot(x, y, "o", color=colour, label=name)
    else:
        axes.plot(x, y, color=colour, linestyle="--" if mark.kind == "dashed" else "-", label=name)
