"""The charts of a report, as values: `svg` writes them into the page, and `plotting` draws them by matplotlib.

No text stands inside a chart: every value is in the legend above it, where nothing can collide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from sqlrp._core.values import dataclass
from sqlrp._projections.bounds import expected_distortion
from sqlrp._quality.measures import Summary, bin_width

if TYPE_CHECKING:
    from sqlrp._quality.report import Report

Points = tuple[tuple[float, float], ...]
Colour = Literal["first", "second", "guide", "wanted"]
"""`first` and `second` are data, `guide` is a reference to compare with, `wanted` marks a bound."""

_POINTS = 200
"""The largest number of points per line, as more cannot be seen."""


@dataclass(frozen=True)
class Mark:
    """Something drawn in a chart, in the units of the data, with its entry in the legend."""

    kind: Literal["line", "dashed", "dot", "bars"]
    colour: Colour
    points: Points
    """of a line its corners, of bars their left edges and heights"""
    name: str = ""
    """the entry in the legend; empty for none"""
    width: float = 0
    """of bars, in the units of x"""


@dataclass(frozen=True)
class Chart:
    """One chart and its caption."""

    title: str
    x_name: str
    y_name: str
    """empty for a chart whose height has no meaning"""
    x: tuple[float, float]
    """the range of x"""
    y: tuple[float, float]
    marks: tuple[Mark, ...]
    caption: str
    log: bool = False
    """whether x is on a logarithmic scale"""

    def ticks(self) -> tuple[list[float], list[float]]:
        """The places of the ticks of x and of y."""
        return _ticks(self.x, self.log), _ticks(self.y, False) if self.y_name else []


KINDS = ("distortion", "neighbours", "ratios", "regularity")
"""The names of the charts of a report, in their order."""


def charts(report: Report, wanted: float | None = None) -> tuple[Chart, ...]:
    """The charts of a report. `wanted`: the mean distortion to aim for, if one is."""
    return tuple(_charts(report, wanted))


def _charts(report: Report, wanted: float | None) -> Iterator[Chart]:
    yield _distortion(report, wanted)
    yield _neighbours(report)
    yield _ratios(report)
    c, reflected, d = report.sampled.regularity, report.sampled.reflected, report.sampled.n_features
    if c is not None and reflected is not None and d is not None and d > 1:
        yield _regularity(c, reflected, d)


def _distortion(report: Report, wanted: float | None) -> Chart:
    k, found = report.projection.k, report.distortion
    ks = np.geomspace(max(k / 8, 1), max(k, 2) * 8, 60)
    top = 1.15 * max(found.q95, expected_distortion(k), wanted or 0)
    gaussian = tuple((float(x), y) for x in ks if (y := 2 / math.sqrt(math.pi * x)) <= top)
    marks = [
        Mark("line", "guide", gaussian, "Gaussian, 2/√(πk)"),
        Mark("line", "first", ((k, found.q05), (k, found.q95)), "5 to 95%"),
        Mark("dot", "first", ((k, found.mean),), f"mean {found.mean:.3g}"),
    ]
    if wanted is not None:
        bound = Mark("dashed", "wanted", ((float(ks[0]), wanted), (float(ks[-1]), wanted)), f"wanted {wanted:.3g}")
        marks.insert(1, bound)
    return Chart(
        "Distortion",
        "components k",
        "distortion",
        (float(ks[0]), float(ks[-1])),
        (0, top),
        tuple(marks),
        f"The squared distance is off by less than {found.median:.1%} for half of the pairs, and by less than "
        f"{found.q95:.1%} for 95%. A Gaussian projection to {k:,} components has a mean of "
        f"{report.expected_distortion:.1%}.",
        log=True,
    )


def _neighbours(report: Report) -> Chart:
    at = report.at
    return Chart(
        "Neighbours kept",
        "neighbours K",
        "share kept",
        (1, len(report.q_nx)),
        (min(0.0, *report.r_nx), 1.02),
        (
            Mark("line", "second", _thinned(report.q_nx), "recall@K"),
            Mark("line", "first", _thinned(report.r_nx), f"R_NX, area {report.auc:.3g}"),
            Mark("dot", "second", ((at, report.recall),), f"recall@{at} {report.recall:.3g}"),
        ),
        f"{report.recall:.1%} of the {at} nearest neighbours stay among the {at} nearest. R_NX is the same measure, "
        f"scaled so that chance is 0 and a perfect result 1. The area under it is {report.auc:.3f}.",
        log=True,
    )


def _ratios(report: Report) -> Chart:
    width, bins = bin_width(report.projection.k), report.sampled.ratio_histogram
    most = 1.05 * max(count for _, count in bins)
    low, high = report.ratio.q05, report.ratio.q95
    return Chart(
        "Ratios of distances",
        "distance after / before",
        "pairs",
        (min(bins[0][0], 1 - width), max(bins[-1][0] + width, 1 + width)),
        (0, most),
        (
            Mark("bars", "first", tuple((edge, float(count)) for edge, count in bins), "pairs", width=width),
            Mark("line", "guide", ((1, 0), (1, most)), "kept exactly"),
            Mark("dashed", "wanted", ((low, 0), (low, most)), "5 and 95%"),
            Mark("dashed", "wanted", ((high, 0), (high, most))),
        ),
        f"On average a distance is {report.ratio.mean:.3f} times as long as before. For 90% of the pairs it is between "
        f"{low:.3f} and {high:.3f} times as long.",
    )


def _regularity(c: Summary, reflected: Summary, d: int) -> Chart:
    marks = (*_spread("first", 2, "c as it is", c), *_spread("second", 1, "c' reflected", reflected))
    return Chart(
        "Regularity of differences",
        "c, from 1 to the number of features",
        "",
        (1.0, max(float(d), 1.1)),
        (0, 3),
        marks,
        f"1 means that two rows differ by the same amount in every feature, {d:,} that they differ in one only. Half "
        f"of the sampled pairs are below {c.median:.3g}, and the largest is {c.most:.3g}. After Householder's "
        f"reflection half are below {reflected.median:.3g}, and the largest is {reflected.most:.3g}.",
        log=True,
    )


def _spread(colour: Colour, y: float, name: str, found: Summary) -> Iterator[Mark]:
    """A line at the height y from 5 to 95%, and a dot at the mean."""
    yield Mark("line", colour, ((found.q05, y), (found.q95, y)), f"{name}, 5 to 95%")
    yield Mark("dot", colour, ((found.mean, y),), f"mean {found.mean:.3g}")


def _thinned(values: Sequence[float]) -> Points:
    """Points (K, value), spaced evenly over the logarithm of K."""
    at = np.unique(np.geomspace(1, len(values), _POINTS).round().astype(int))
    return tuple((float(i), values[i - 1]) for i in at)


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


def number(value: float) -> str:
    """The label of a tick."""
    return f"{value / 1e6:g}M" if value >= 1e6 else f"{value / 1e3:g}k" if value >= 1e4 else f"{value:,.6g}"
