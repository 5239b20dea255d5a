"""The result of `sqlrp.diagnose`: the measures of a projection on a sample, to print, tabulate or plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sqlrp.core.brief import brief
from sqlrp.core.errors import ParameterError
from sqlrp.core.extras import needs
from sqlrp.core.numbers import FLOAT
from sqlrp.kernels import LINEAR, Kernel
from sqlrp.lowering.job import Job
from sqlrp.projections.base import Projection
from sqlrp.projections.bounds import expected_distortion
from sqlrp.quality.measures import ROUNDING, ROUNDING_FLOAT, Summary, auc, q_nx_of, r_nx, recall_of

_UNITS = {False: "rows", True: "groups"}
NOT_FINITE = "a sampled row is not finite, or its distances overflow: clean the rows, or scale them down"


@dataclass(frozen=True)
class Sampled:
    """The measures that SQL or numpy computes from the rows: sums over rows and pairs."""

    __repr__ = brief

    rows: int
    """number of compared rows: the sampled rows without NULL"""
    pairs: int
    """number of pairs of rows with a true distance above 0"""
    distortion: Summary
    ratio: Summary
    kernel_error: float | None
    """None if only the distances of the kernel are known"""
    shared_ranks: Sequence[float]
    """see `measures.shared_ranks`"""
    ratio_histogram: Sequence[tuple[float, int]]
    """see `measures.histogram`, with bins of width `bin_width(k)`"""
    regularity: Summary | None
    """c of the differences of rows, which bounds on distances need (random subspace paper, A.1).

    None if the distances are not those of the rows, or if the number of features is open."""
    reflected: Summary | None
    """c' of the differences, after the Householder reflection; None in the same cases"""


def check_kernel(projection: Projection, grouped: bool) -> None:
    """Raise ParameterError unless `kernel` returns a kernel: of groups if the method sums groups, else of rows."""
    kernel = projection.kernel()
    if not isinstance(kernel, Kernel):
        raise ParameterError(
            f"{type(projection).__name__}.kernel() returns {kernel!r} and must return a kernel of sqlrp.kernels, "
            "such as Polynomial(2)"
        )
    if kernel.grouped != grouped:
        one, other = _UNITS[kernel.grouped], _UNITS[grouped]
        raise ParameterError(
            f"the kernel of {type(projection).__name__} compares {one}, and its results are of {other}: what it "
            "estimates is not known, so that there is nothing to measure by; let its method kernel say it"
        )


def too_few(rows: int, grouped: bool) -> str:
    """The message for a sample that is too small."""
    units = _UNITS[grouped]
    return f"the sample has {rows} {units} without NULL and must have at least 3: raise sample, or clean the rows"


def rounding_of(job: Job) -> float:
    """The fraction of their lengths by which tied distances of projected rows may differ."""
    return ROUNDING_FLOAT if job.result == FLOAT else ROUNDING


def bin_width(k: int) -> float:
    """1/(8√k): a Gaussian projection's ratios have a standard deviation near 1/√(2k), nearly six bins."""
    return float(1 / (8 * np.sqrt(k)))


@dataclass(frozen=True)
class Report:
    """The measures of a projection on a sample. Print it, or call `to_frame` or `plot`."""

    __repr__ = brief

    projection: Projection
    sampled: Sampled
    at: int
    """the number of neighbours for `recall`"""
    recall: float
    """the share of a row's `at` nearest neighbours that stay among its `at` nearest; with ties, the expected value"""
    q_nx: tuple[float, ...] = field(repr=False)
    """the same share for 1, 2, … n-1 neighbours"""
    r_nx: tuple[float, ...] = field(repr=False)
    """`q_nx` scaled so that chance is 0 and perfect 1, for 1, 2, … n-2 neighbours"""
    auc: float
    """the area under `r_nx` over the logarithm of the number of neighbours"""
    expected_distortion: float
    """2/√(πk), the mean distortion of a Gaussian projection"""

    @staticmethod
    def of(projection: Projection, sampled: Sampled, at: int) -> Report:
        """Add the measures that follow from the sampled ones; raises ParameterError for `at` > rows - 1."""
        q = q_nx_of(sampled.shared_ranks)
        r = r_nx(q)
        return Report(
            projection,
            sampled,
            at,
            recall_of(q, at),
            tuple(q.tolist()),
            tuple(r.tolist()),
            auc(r),
            expected_distortion(projection.k),
        )

    @property
    def distortion(self) -> Summary:
        """For all pairs: | ‖f(x)-f(y)‖² - ‖φ(x)-φ(y)‖² | / ‖φ(x)-φ(y)‖²."""
        return self.sampled.distortion

    @property
    def ratio(self) -> Summary:
        """For all pairs: ‖f(x)-f(y)‖ / ‖φ(x)-φ(y)‖."""
        return self.sampled.ratio

    @property
    def compared(self) -> str:
        """The kernel that the projected rows are compared with; empty for plain distances and inner products."""
        kernel, same = self.projection.kernel(), self.projection.estimating() == self.projection
        said = "" if kernel == LINEAR else f"compared with {kernel}"
        return said if same else f"{said}, before the last steps, which change inner products"

    def measures(self) -> dict[str, float]:
        """All measures by name, in the order of the table."""
        s = self.sampled
        return {
            "rows": s.rows,
            "pairs": s.pairs,
            **dict(_named("distortion", s.distortion)),
            "expected distortion": self.expected_distortion,
            **dict(_named("ratio", s.ratio)),
            **({} if s.kernel_error is None else {"kernel error": s.kernel_error}),
            f"recall@{self.at}": self.recall,
            "R_NX AUC": self.auc,
            **dict(_named("regularity c", s.regularity)),
            **dict(_named("regularity c'", s.reflected)),
        }

    def to_frame(self) -> pd.DataFrame:
        """A DataFrame with the columns measure and value."""
        found = self.measures()
        return pd.DataFrame({"measure": list(found), "value": [float(v) for v in found.values()]})

    def __str__(self) -> str:
        """The projection, one line per measure, and the kernel that it is compared with."""
        found = {name: f"{v:,}" if isinstance(v, int) else f"{v:.4g}" for name, v in self.measures().items()}
        left, right = (max(map(len, part)) for part in (found, found.values()))
        lines = [self.projection.name, *(f"  {name:<{left}}  {v:>{right}}" for name, v in found.items())]
        return "\n".join([*lines, f"  {self.compared}"] if self.compared else lines)

    def _repr_html_(self) -> str:
        """The table of measures, for notebooks."""
        first, *_ = str(self).split("\n")
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{value:,.4g}</td></tr>" for name, value in self.measures().items()
        )
        note = f'<tr><td colspan="2">{escape(self.compared)}</td></tr>' if self.compared else ""
        return f"<table><caption>{escape(first)}</caption>{rows}{note}</table>"

    def plot(self, path: str | Path | None = None) -> Any:
        """Plot distortion against k, R_NX against K and the ratios; return the matplotlib Figure.

        With a path, also write the figure there. Raises ImportError without matplotlib.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise ImportError(needs("Report.plot", "matplotlib", "plot")) from error
        figure = Figure(figsize=(13, 4), layout="constrained")
        distortion, neighbours, ratios = figure.subplots(1, 3)
        self._draw_distortion(distortion)
        self._draw_neighbours(neighbours)
        self._draw_ratios(ratios)
        for axes in (distortion, neighbours, ratios):
            axes.spines[["top", "right"]].set_visible(False)
        figure.suptitle(f"{self.projection.name} on {self.sampled.rows:,} rows", fontsize=11)
        if path is not None:
            figure.savefig(path, dpi=120)
        return figure

    def _draw_distortion(self, axes: Any) -> None:
        k, found = self.projection.k, self.distortion
        ks = np.geomspace(max(k / 8, 1), max(k, 2) * 8, 100)
        axes.plot(ks, 2 / np.sqrt(np.pi * ks), color="0.5", label="Gaussian projection, 2/√(πk)")
        spread = [[found.mean - found.q05], [found.q95 - found.mean]]
        axes.errorbar([k], [found.mean], yerr=np.maximum(spread, 0), fmt="o", capsize=3, label="mean, 5 to 95%")
        axes.set(xscale="log", xlabel="components k", ylabel="distortion", title="Distortion")
        axes.set_ylim(0, 1.3 * axes.get_ylim()[1])  # room for the legend above the bar
        axes.legend(frameon=False, loc="upper right")

    def _draw_neighbours(self, axes: Any) -> None:
        axes.plot(np.arange(1, len(self.r_nx) + 1), self.r_nx, label=f"AUC {self.auc:.3f}")
        axes.axhline(0, color="0.5", linewidth=0.8, linestyle=":", label="chance")
        axes.set(xscale="log", xlabel="neighbours K", ylabel="R_NX", title="Neighbours kept", ylim=(None, 1.02))
        axes.legend(frameon=False)

    def _draw_ratios(self, axes: Any) -> None:
        edges, counts = zip(*self.sampled.ratio_histogram, strict=True)
        axes.bar(edges, counts, width=bin_width(self.projection.k), align="edge", alpha=0.7)
        for at, label in ((self.ratio.q05, "5 and 95%"), (self.ratio.q95, None)):
            axes.axvline(at, color="0.3", linewidth=0.8, linestyle="--", label=label)
        axes.axvline(1, color="0.5", linewidth=0.8, linestyle=":", label="kept exactly")
        axes.set(xlabel="distance after / before", ylabel="pairs", title="Ratios of distances")
        axes.legend(frameon=False)


def _named(name: str, summary: Summary | None) -> Iterator[tuple[str, float]]:
    if summary is not None:
        yield f"{name}, mean", summary.mean
        yield f"{name}, 5%", summary.q05
        yield f"{name}, 50%", summary.median
        yield f"{name}, 95%", summary.q95
        yield f"{name}, largest", summary.most
