"""Charts as places in a picture, for the template of the page. The page's style sheet sets their colours."""

from __future__ import annotations

import math

from sqlrp._core.values import dataclass
from sqlrp._quality.charts import Chart, Mark, number

WIDTH, HEIGHT = 400, 300
_LEFT, _RIGHT, _BOTTOM = 50, 12, 44
_LEGEND, _LINE = 38, 18
"""The baseline of the legend's first row, and the height of a row."""
_KEY, _LETTER, _GAP = 24, 6.7, 16
"""The widths of a legend's sign, of a letter, and of the gap between two entries."""


@dataclass(frozen=True)
class LegendEntry:
    """An entry of the legend."""

    kind: str
    colour: str
    name: str
    x: float
    y: float


@dataclass(frozen=True)
class MarkShape:
    """A mark, in pixels."""

    kind: str
    colour: str
    path: str
    """of a line"""
    boxes: tuple[tuple[float, float, float, float], ...]
    """of bars: x, y, width, height"""
    x: float
    y: float
    """of a dot"""


class Picture:
    """A chart's places in pixels."""

    width, height, left = WIDTH, HEIGHT, _LEFT

    def __init__(self, chart: Chart) -> None:
        """Place the legend, whose rows decide how high the chart is."""
        self.chart = chart
        self.legend = tuple(self._legend())
        rows = round((self.legend[-1].y - _LEGEND) / _LINE) + 1 if self.legend else 0
        self.top, self.bottom, self.right = _LEGEND + _LINE * rows - 6, HEIGHT - _BOTTOM, WIDTH - _RIGHT
        self.middle = (_LEFT + self.right) / 2
        x, y = chart.ticks()
        self.x_ticks = [(self.x(value), number(value)) for value in x]
        self.y_ticks = [(self.y(value), number(value)) for value in y]
        self.shapes = [self._shape(mark) for mark in chart.marks]

    def anchor(self, x: float) -> str:
        """How the label of a tick is placed at x, so that the last one fits."""
        return "end" if x > self.right - 12 else "middle"

    def _legend(self) -> list[LegendEntry]:
        found: list[LegendEntry] = []
        x, y = float(_LEFT), float(_LEGEND)
        for mark in self.chart.marks:
            if not mark.name:
                continue
            size = _KEY + _LETTER * len(mark.name)
            if x > _LEFT and x + size > WIDTH:
                x, y = float(_LEFT), y + _LINE
            found.append(LegendEntry(mark.kind, mark.colour, mark.name, x, y))
            x += size + _GAP
        return found

    def _shape(self, mark: Mark) -> MarkShape:
        places = [(self.x(x), self.y(y)) for x, y in mark.points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        boxes: tuple[tuple[float, float, float, float], ...] = ()
        if mark.kind == "bars":
            boxes = tuple(
                (x, y, max(self.x(edge + mark.width) - x, 0.5), self.bottom - y)
                for (x, y), (edge, _) in zip(places, mark.points, strict=True)
            )
        return MarkShape(mark.kind, mark.colour, path, boxes, *places[0])

    def x(self, value: float) -> float:
        """The pixel of a value of x."""
        low, high = self.chart.x
        part = (
            math.log(value / low) / math.log(high / low)
            if self.chart.log and high > low
            else (value - low) / (high - low or 1)
        )
        return _LEFT + min(max(part, 0), 1) * (self.right - _LEFT)

    def y(self, value: float) -> float:
        """The pixel of a value of y."""
        low, high = self.chart.y
        part = min(max((value - low) / (high - low), 0), 1)
        return self.bottom - part * (self.bottom - self.top)
