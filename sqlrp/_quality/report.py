"""The result of `sqlrp.diagnose`: the measures of a projection on a sample, to print, tabulate or plot."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import field
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from sqlrp._core.errors import ParameterError, nearest, shorten
from sqlrp._core.extras import needs
from sqlrp._core.numbers import FLOAT
from sqlrp._core.reprs import short_repr
from sqlrp._core.values import dataclass
from sqlrp._lowering.job import Job
from sqlrp._projections.bounds import expected_distortion
from sqlrp._projections.projection import Projection
from sqlrp._quality.apart import EXACT, SINGLE, RoundingBound
from sqlrp._quality.charts import KINDS, charts
from sqlrp._quality.measures import Interval, Summary, auc, interval, q_nx_of, r_nx, recall_of
from sqlrp.kernels import LINEAR, Kernel

_UNITS = {False: "rows", True: "groups"}
NOT_FINITE = "a sampled row is not finite, or its distances overflow: clean the rows, or scale them down"


@dataclass(frozen=True)
class SampleMeasures:
    """The measures that SQL or numpy computes from the rows: sums over rows and pairs."""

    __repr__ = short_repr

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
    n_features: int | None
    """the number of features of the rows; None for an open vocabulary"""
    by_row: Sequence[tuple[float, ...]]
    """for each row the number of its pairs, and the sums of their distortions and ratios"""
    sizes: Sequence[int] = ()
    """the lengths of the source's array columns"""


def check_kernel(projection: Projection, grouped: bool) -> None:
    """Raise ParameterError unless `kernel` returns a kernel: of groups if the method sums groups, else of rows."""
    kernel = projection.kernel()
    if not isinstance(kernel, Kernel):
        raise ParameterError(
            f"{type(projection).__name__}.kernel() returns {kernel!r} and must return a kernel of sqlrp.kernels, "
            "such as Polynomial(2), or Unknown() if none is known"
        )
    if kernel.known and kernel.grouped != grouped:
        one, other = _UNITS[kernel.grouped], _UNITS[grouped]
        raise ParameterError(
            f"the kernel of {type(projection).__name__} compares {one}, and its results are of {other}: what it "
            "estimates is not known, so that there is nothing to measure by; let its method kernel say it, or return "
            "Unknown()"
        )


def too_few(rows: int, grouped: bool) -> str:
    """The message for a sample that is too small."""
    units = _UNITS[grouped]
    return f"the sample has {rows} {units} without NULL and must have at least 3: raise sample, or clean the rows"


def rounding_of(job: Job) -> RoundingBound:
    """The rounding of projected rows."""
    return SINGLE if job.result == FLOAT else EXACT


LOW = 0.9
"""The recall below which advice is due: a search then has to rank what it finds again by the whole rows."""
_CLOSE = 1.25
"""How many times the wanted distortion is close to it."""
_SMALL = 0.02
"""The distortion below which a sentence needs a digit after the point."""


@dataclass(frozen=True)
class Verdict:
    """A sentence on whether a projection serves, and whether something is to be changed."""

    serves: bool
    text: str


@dataclass(frozen=True)
class Report:
    """The measures of a projection on a sample. Print it, or call `to_frame` or `plot`.

    >>> found = sqlrp.diagnose(rp, "points", con)
    >>> type(found).__name__
    'Report'
    >>> found.at, round(found.expected_distortion, 2)
    (5, 0.8)
    """

    __repr__ = short_repr

    projection: Projection
    sampled: SampleMeasures
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
    by_seed: tuple[float, ...] = ()
    """the mean distortions of the same rows by the projection's seed and the next ones; of its own seed alone, one"""

    @staticmethod
    def of(projection: Projection, sampled: SampleMeasures, at: int, by_seed: tuple[float, ...] = ()) -> Report:
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
            by_seed or (sampled.distortion.mean,),
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
    def distortion_interval(self) -> Interval:
        """The 95% interval of the mean distortion, for the choice of the sampled rows."""
        counts, distortions, _ = zip(*self.sampled.by_row, strict=True)
        return interval(counts, distortions)

    @property
    def ratio_interval(self) -> Interval:
        """The 95% interval of the mean ratio, for the choice of the sampled rows."""
        counts, _, ratios = zip(*self.sampled.by_row, strict=True)
        return interval(counts, ratios)

    def judged(self, wanted: float = 0.1, remedy: str = "`sqlrp.report` says what to change") -> Verdict:
        """The projection in the words of someone who decides whether to use it.

        `wanted` is the mean distortion to aim for, and `remedy` says what to do if the projection does not serve.
        """
        k, d, mean = self.projection.k, self.sampled.n_features, self.distortion.mean
        size = f"each row becomes {k:,} numbers" if d is None else f"{d:,} numbers per row become {k:,}"
        size += f", {k / d:.0%} of the size" if d is not None and k < d else ""
        digits = ".1%" if f"{mean:.0%}" == f"{wanted:.0%}" or mean < _SMALL else ".0%"
        exact = mean <= wanted
        aim = f"within the aim of {wanted:{digits}}" if exact else f"{wanted:{digits}} was the aim"
        found = f"squared distances between rows are off by {mean:{digits}} on average, {aim}, and "
        found += f"{self.recall:.0%} of the nearest neighbours stay the nearest"
        if exact and self.recall >= LOW:
            sure = self.reaches(wanted) is not None
            first = "This projection serves" if sure else "This projection seems to serve"
            return Verdict(True, f"{first}: {size}; {found}.{'' if sure else ' The sample is too small to be sure.'}")
        if mean > _CLOSE * wanted:
            first = "Do not rely on the distances yet"
        else:
            first = (
                "Let a search rank its candidates again by the whole rows" if self.recall < LOW else "The aim is close"
            )
        return Verdict(False, f"{first}: {size}; {found}. {remedy}.")

    def reaches(self, wanted: float) -> bool | None:
        """Whether the mean distortion of all rows is at most `wanted`; None if the sample is too small to tell.

        True and False need the whole interval on one side, so that they are wrong for at most 2.5 of 100 samples.
        `sample_for` says how many rows make the interval narrower. Raises ParameterError unless wanted is above 0.
        """
        if not wanted > 0:
            raise ParameterError(f"wanted = {wanted!r} must be above 0, such as 0.1")
        found = self.distortion_interval
        return True if found.high <= wanted else False if found.low > wanted else None

    def sample_for(self, width: float) -> int:
        """The number of rows to sample so that the interval of the mean distortion is about so wide.

        The width falls with the square root of the number of rows. Another seed of the projection changes the mean
        too, which no sample shows: see `seeds` of `sqlrp.diagnose`. Raises ParameterError unless width is above 0.
        """
        if not width > 0:
            raise ParameterError(f"width = {width!r} must be above 0")
        return max(math.ceil(self.sampled.rows * (self.distortion_interval.width / width) ** 2), 3)

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
            "distortion, mean from": self.distortion_interval.low,
            "distortion, mean to": self.distortion_interval.high,
            **({} if len(self.by_seed) < 2 else self._of_seeds()),
            "expected distortion": self.expected_distortion,
            **dict(_named("ratio", s.ratio)),
            "ratio, mean from": self.ratio_interval.low,
            "ratio, mean to": self.ratio_interval.high,
            **({} if s.kernel_error is None else {"kernel error": s.kernel_error}),
            f"recall@{self.at}": self.recall,
            "R_NX AUC": self.auc,
            **dict(_named("regularity c", s.regularity)),
            **dict(_named("regularity c'", s.reflected)),
        }

    def _of_seeds(self) -> dict[str, float]:
        n, found = len(self.by_seed), Summary.of(self.by_seed)
        return {
            f"distortion, least mean of {n:,} seeds": min(self.by_seed),
            f"distortion, mean of {n:,} seeds": found.mean,
            f"distortion, largest mean of {n:,} seeds": found.most,
        }

    def to_frame(self) -> pd.DataFrame:
        """A DataFrame with the columns measure and value."""
        found = self.measures()
        return pd.DataFrame({"measure": list(found), "value": [float(v) for v in found.values()]})

    def __str__(self) -> str:
        """A sentence on whether it serves, the projection, a line per measure, and the kernel of comparison."""
        found = {name: f"{v:,}" if isinstance(v, int) else f"{v:.4g}" for name, v in self.measures().items()}
        left, right = (max(map(len, part)) for part in (found, found.values()))
        lines = [
            self.judged().text,
            self.projection.name,
            *(f"  {name:<{left}}  {v:>{right}}" for name, v in found.items()),
        ]
        return "\n".join([*lines, f"  {self.compared}"] if self.compared else lines)

    def _repr_html_(self) -> str:
        """The table of measures, for notebooks."""
        first = f"{self.judged().text} {self.projection.name}"
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{value:,.4g}</td></tr>" for name, value in self.measures().items()
        )
        note = f'<tr><td colspan="2">{escape(self.compared)}</td></tr>' if self.compared else ""
        return f"<table><caption>{escape(first)}</caption>{rows}{note}</table>"

    def plot(self, path: str | Path | None = None, kind: str | None = None) -> Any:
        """Draw the charts of `sqlrp.report`; return the matplotlib Figure. With a path, also write the figure there.

        The charts are distortion against k, neighbours kept against K, the ratios of distances, and for linear methods
        the regularity of the differences. `kind` draws one of them: "distortion", "neighbours", "ratios" or
        "regularity". Raises ParameterError for another kind, or one that this report does not have, and ImportError
        without matplotlib.
        """
        try:
            import matplotlib.figure  # noqa: F401
        except ImportError as error:
            raise ImportError(needs("Report.plot", "matplotlib", "plot")) from error
        drawn = dict(zip(KINDS, charts(self), strict=False))
        if kind is not None and kind not in drawn:
            raise ParameterError(f"kind = {shorten(kind)} must be one of {', '.join(drawn)}{nearest(str(kind), drawn)}")
        from sqlrp._quality.matplotlib_charts import figure_of, save

        title = f"{self.projection.resolved_name(self.sampled.n_features)} on {self.sampled.rows:,} rows"
        figure = figure_of(list(drawn.values()) if kind is None else [drawn[kind]], title)
        if path is not None:
            save(figure, path)
        return figure


def _named(name: str, summary: Summary | None) -> Iterator[tuple[str, float]]:
    if summary is not None:
        yield f"{name}, mean", summary.mean
        yield f"{name}, 5%", summary.q05
        yield f"{name}, 50%", summary.median
        yield f"{name}, 95%", summary.q95
        yield f"{name}, largest", summary.most
