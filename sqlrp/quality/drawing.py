"""The plots of the report as SVG text. The page's style sheet sets their colours, for light and dark.

Classes: `line`, `second` and `bar` are data, `guide` is a reference to compare with, `grid` and `axis` the frame.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np

from sqlrp.projections.bounds import expected_distortion
from sqlrp.quality.measures import Summary
from sqlrp.quality.report import Report, bin_width

WIDTH, HEIGHT = 360, 262
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 48, 40
_LEGEND = 33
_POINTS = 200
"""The largest number of points per line, as more cannot be seen."""

Points = Sequence[tuple[float, float]]


def plots(report: Report, wanted: float, n_features: int | None) -> Iterator[tuple[str, str]]:
    """Each plot with its caption."""
    found, k, at = report.distortion, report.projection.k, report.at
    yield (
        _distortion(report, wanted),
        f"The squared distance is off by less than {found.median:.1%} for half of the pairs, and by less than "
        f"{found.q95:.1%} for 95%. A Gaussian projection to {k:,} components has a mean of "
        f"{report.expected_distortion:.1%}.",
    )
    yield (
        _neighbours(report),
        f"{report.recall:.1%} of the {at} nearest neighbours stay among the {at} nearest. R_NX is the same measure, "
        f"scaled so that chance is 0 and a perfect result 1. The area under it is {report.auc:.3f}.",
    )
    yield (
        _ratios(report),
        f"On average a distance is {report.ratio.mean:.3f} times as long as before. For 90% of the pairs it is between "
        f"{report.ratio.q05:.3f} and {report.ratio.q95:.3f} times as long.",
    )
    c, reflected = report.sampled.regularity, report.sampled.reflected
    if c is not None and reflected is not None and n_features is not None and n_features > 1:
        yield (
            _regularity(c, reflected, n_features),
            f"1 means that two rows differ by the same amount in every feature, {n_features:,} that they differ in one "
            f"only. Half of the sampled pairs are below {c.median:.3g}, and the largest is {c.most:.3g}. After "
            f"Householder's reflection half are below {reflected.median:.3g}, and the largest is {reflected.most:.3g}.",
        )


def _distortion(report: Report, wanted: float) -> str:
    k, found = report.projection.k, report.distortion
    ks = np.geomspace(max(k / 8, 1), max(k, 2) * 8, 60)
    top = 1.15 * max(found.q95, expected_distortion(k), wanted)
    axes = _Axes("Distortion", "components k", "distortion", (ks[0], ks[-1]), (0, top), log=True)
    axes.line([(x, 2 / math.sqrt(math.pi * x)) for x in ks], "guide")
    axes.rule(y=wanted, label=f"wanted {wanted:.3g}", css="dashed")
    axes.line([(k, found.q05), (k, found.q95)], "line")
    axes.dot(k, found.mean)
    axes.label(k, found.q95, f"mean {found.mean:.3g}")
    axes.legend([("dot", "measured, 5 to 95%"), ("guide", "Gaussian, 2/√(πk)")])
    return axes.svg()


def _neighbours(report: Report) -> str:
    low = min(0.0, *report.r_nx)
    axes = _Axes("Neighbours kept", "neighbours K", "share kept", (1, len(report.q_nx)), (low, 1.02), log=True)
    axes.line(_thinned(report.q_nx), "second")
    axes.line(_thinned(report.r_nx), "line")
    axes.dot(report.at, report.recall, css="dot second")
    axes.label(report.at, report.recall, f"recall@{report.at} {report.recall:.3g}", up=18)
    axes.legend([("second", "recall@K"), ("line", "R_NX")])
    return axes.svg()


def _ratios(report: Report) -> str:
    width, bins = bin_width(report.projection.k), report.sampled.ratio_histogram
    edges, counts = zip(*bins, strict=True)
    span = (min(edges[0], 1 - width), max(edges[-1] + width, 1 + width))
    axes = _Axes("Ratios of distances", "distance after / before", "pairs", span, (0, 1.05 * max(counts)))
    for edge, count in bins:
        axes.bar(edge, edge + width, count)
    axes.rule(x=1, css="guide")
    for at in (report.ratio.q05, report.ratio.q95):
        axes.rule(x=at, css="dashed")
    axes.legend([("guide", "kept exactly"), ("dashed", "5 and 95%")])
    return axes.svg()


def _regularity(c: Summary, reflected: Summary, d: int) -> str:
    span = (1.0, max(float(d), 1.1))
    axes = _Axes("Regularity of differences", "c, from 1 to the number of features", "", span, (0, 3), log=True)
    for y, name, found in ((2, "c, as they are", c), (1, "c', reflected", reflected)):
        axes.line([(found.q05, y), (found.q95, y)], "line" if y == 2 else "second")
        axes.dot(found.mean, y, css="dot" if y == 2 else "dot second")
        axes.label(span[0], y + 0.3, f"{name}: {found.q05:.3g} to {found.q95:.3g}, mean {found.mean:.3g}")
    return axes.svg()


def _thinned(values: Sequence[float]) -> Points:
    """Points (K, value), spaced evenly over the logarithm of K."""
    at = np.unique(np.geomspace(1, len(values), _POINTS).round().astype(int))
    return [(float(i), values[i - 1]) for i in at]


@dataclass
class _Axes:
    """One plot. Coordinates are in the units of the data."""

    title: str
    x_name: str
    y_name: str
    x: tuple[float, float]
    y: tuple[float, float]
    log: bool = False
    drawn: list[str] = field(default_factory=list)

    def line(self, points: Points, css: str) -> None:
        path = " ".join(f"{self._x(x):.1f},{self._y(y):.1f}" for x, y in points)
        self.drawn.append(f'<polyline class="{css}" points="{path}"/>')

    def dot(self, x: float, y: float, css: str = "dot") -> None:
        self.drawn.append(f'<circle class="{css}" cx="{self._x(x):.1f}" cy="{self._y(y):.1f}" r="4"/>')

    def label(self, x: float, y: float, text: str, up: float = 0) -> None:
        """Text next to a point, on the side with more room, `up` pixels above it."""
        left = self._x(x) > WIDTH * 0.6
        at, end = self._x(x) + (-8 if left else 8), ' text-anchor="end"' if left else ""
        self.drawn.append(f'<text x="{at:.1f}" y="{self._y(y) + 4 - up:.1f}"{end}>{escape(text)}</text>')

    def bar(self, left: float, right: float, y: float) -> None:
        x, top = self._x(left), self._y(y)
        self.drawn.append(
            f'<rect class="bar" x="{x:.1f}" y="{top:.1f}" width="{max(self._x(right) - x, 0.5):.1f}" '
            f'height="{self._y(self.y[0]) - top:.1f}"/>'
        )

    def rule(self, css: str, x: float | None = None, y: float | None = None, label: str = "") -> None:
        """A line across the plot, at x or at y."""
        self.line(
            [(x, self.y[0]), (x, self.y[1])] if x is not None else [(self.x[0], y or 0), (self.x[1], y or 0)], css
        )
        if label:
            self.label(self.x[0], y or 0, label, up=-12)

    def legend(self, entries: Sequence[tuple[str, str]]) -> None:
        """Draw the legend between the title and the plot."""
        x = float(_LEFT)
        for css, text in entries:
            mark = f'<line class="{css}" x1="{x:.0f}" x2="{x + 18:.0f}" y1="{_LEGEND}" y2="{_LEGEND}"/>'
            if css == "dot":
                mark = f'<circle class="dot" cx="{x + 9:.0f}" cy="{_LEGEND}" r="4"/>'
            self.drawn.append(f'{mark}<text x="{x + 24:.0f}" y="{_LEGEND + 4}">{escape(text)}</text>')
            x += 40 + 6.3 * len(text)

    def svg(self) -> str:
        """The whole plot."""
        bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
        parts = [f'<text class="title" x="{_LEFT}" y="14">{escape(self.title)}</text>']
        for value in self._ticks(self.x, self.log):
            at = self._x(value)
            parts.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{bottom}"/>')
            end, at = ("end", WIDTH - 2) if at > right - 12 else ("middle", at)  # the last label must fit
            parts.append(f'<text x="{at:.1f}" y="{bottom + 15}" text-anchor="{end}">{_number(value)}</text>')
        for value in self._ticks(self.y, False) if self.y_name else []:
            at = self._y(value)
            parts.append(f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}"/>')
            parts.append(f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{_number(value)}</text>')
        parts.append(f'<line class="axis" x1="{_LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}"/>')
        middle = (_LEFT + right) / 2
        parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 6}" text-anchor="middle">{escape(self.x_name)}</text>')
        return (
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(self.title)}">'
            f"{''.join(parts)}{''.join(self.drawn)}</svg>"
        )

    def _x(self, value: float) -> float:
        low, high = self.x
        part = (
            math.log(value / low) / math.log(high / low)
            if self.log and high > low
            else (value - low) / (high - low or 1)
        )
        return _LEFT + min(max(part, 0), 1) * (WIDTH - _LEFT - _RIGHT)

    def _y(self, value: float) -> float:
        low, high = self.y
        part = min(max((value - low) / (high - low), 0), 1)
        return HEIGHT - _BOTTOM - part * (HEIGHT - _BOTTOM - _TOP)

    @staticmethod
    def _ticks(span: tuple[float, float], log: bool) -> list[float]:
        low, high = span
        if log:
            decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            found = [m * 10.0**e for e in decades for m in ((1, 2, 5) if high / low < 1000 else (1,))]
        else:
            raw = (high - low) / 4
            step = 10 ** math.floor(math.log10(raw))
            step *= next(m for m in (1, 2, 5, 10) if m * step >= raw)
            found = [i * step for i in range(math.ceil(low / step), math.floor(high / step) + 1)]
        return [v for v in found if low - 1e-9 * abs(low) <= v <= high * (1 + 1e-9)]


def _number(value: float) -> str:
    return f"{value / 1e6:g}M" if value >= 1e6 else f"{value / 1e3:g}k" if value >= 1e4 else f"{value:,.6g}"
