"""Do methods differ over several data sets? The Friedman test, and the tests after it (thesis, 3.4.4; Demšar 2006)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._core.errors import ParameterError, nearest, shorten
from sqlrp._core.extras import needs
from sqlrp._core.values import dataclass

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Against:
    """The comparison of one method with the control."""

    method: str
    difference: float
    """of the mean ranks: above 0 if the method is worse than the control"""
    p: float
    """without a correction for the number of comparisons"""
    bonferroni: float
    """by Bonferroni and Dunn"""
    holm: float
    hochberg: float


@dataclass(frozen=True)
class Ranks:
    """The result of `friedman`. Prints as a few lines.

    >>> from sqlrp.quality import Ranks, friedman
    >>> isinstance(friedman({"rp": [0.17, 0.12], "pk": [0.34, 0.35]}), Ranks)
    True
    """

    methods: tuple[str, ...]
    rows: int
    """the number of data sets"""
    mean_ranks: tuple[float, ...]
    """of each method; 1 is the best"""
    statistic: float
    """of Friedman, with a correction for ties; chi-square with methods - 1 degrees of freedom"""
    p: float
    """the probability of such a statistic if all methods are equally good"""
    pairs: Matrix
    """the probabilities of Nemenyi's test for each pair of methods, shape (methods, methods); 1 on the diagonal"""
    against: tuple[Against, ...]
    """the comparisons with the control, the least probable first; empty without a control"""

    def critical_difference(self, level: float = 0.05) -> float:
        """The difference of two mean ranks from which two methods differ at the level, by Nemenyi's test."""
        if not 0 < level < 1:
            raise ParameterError(f"level = {level!r} must be above 0 and below 1, such as 0.05")
        from scipy.optimize import brentq

        n, probability = len(self.methods), _stats().studentized_range.sf
        # The distribution's own inverse, isf, takes seconds.
        found = brentq(lambda gap: probability(gap, n, np.inf) - level, 0.0, 50.0)
        return float(found) / math.sqrt(2) * _deviation(n, self.rows)

    def table(self) -> pa.Table:
        """The methods with their mean ranks, the best first, and the comparisons with the control."""
        found = {each.method: each for each in self.against}
        order = sorted(range(len(self.methods)), key=lambda i: self.mean_ranks[i])
        names = [self.methods[i] for i in order]
        columns: dict[str, Any] = {"method": names, "mean_rank": [self.mean_ranks[i] for i in order]}
        if found:
            for name in ("p", "bonferroni", "holm", "hochberg"):
                columns[name] = [getattr(found[n], name) if n in found else None for n in names]
        return pa.table(columns)

    def __str__(self) -> str:
        """The test, the critical difference, and the mean ranks."""
        lines = [
            f"Friedman: {self.statistic:.3f} over {self.rows} rows and {len(self.methods)} methods, p = {self.p:.3g}",
            f"Nemenyi: two methods differ (p < 0.05) from a difference of {self.critical_difference():.3f} on",
        ]
        width = max(map(len, self.methods))
        for row in self.table().to_pylist():
            said = f"  {row['method']:<{width}}  {row['mean_rank']:.3f}"
            if row.get("holm") is not None:
                said += f"  p = {row['p']:.3g}, Holm {row['holm']:.3g}, Hochberg {row['hochberg']:.3g}"
            lines.append(said)
        return "\n".join(lines)


def friedman(
    results: Any, *, higher_is_better: bool = False, control: str | None = None, methods: Sequence[str] | None = None
) -> Ranks:
    """Test whether methods differ, from a table of their results on several data sets.

    `results`: a column for each method and a row for each data set, as a mapping, a DataFrame, a pyarrow.Table or an
    array with the names in `methods`. Columns that are not numbers are left out. `higher_is_better`: for accuracies;
    distortions and errors are better if they are low. `control`: compare every method with this one, or with the best
    one if it is "best", by the tests of Bonferroni and Dunn, Holm, and Hochberg. Methods with equal results share
    their ranks.

    `Ranks.pairs` has the probabilities of Nemenyi's test, which compares all pairs. Raises ParameterError for fewer
    than 2 rows or methods, for missing values, and for an unknown control, and ImportError without scipy, which the
    extra `fast` has.

        >>> from sqlrp.quality import friedman
        >>> friedman({"rp": [0.17, 0.12], "kg": [0.34, 0.35], "pk": [0.18, 0.13]}, control="best").mean_ranks
        (1.0, 3.0, 2.0)
    """
    names, values = _table(results, methods)
    n, m = values.shape
    if n < 2 or m < 2:
        raise ParameterError(f"results has {n} rows and {m} methods and must have at least 2 of each")
    if not np.isfinite(values).all():
        raise ParameterError("results has missing or infinite values: leave such rows out")
    stats = _stats()
    ranks = stats.rankdata(-values if higher_is_better else values, axis=1)
    mean = ranks.mean(axis=0)
    spread = ((ranks - (m + 1) / 2) ** 2).sum()
    statistic = 0.0 if not spread else float(n**2 * (m - 1) * ((mean - (m + 1) / 2) ** 2).sum() / spread)
    gaps = np.abs(mean[:, None] - mean[None, :]) / _deviation(m, n) * math.sqrt(2)
    pairs = stats.studentized_range.sf(gaps, m, np.inf)
    if control == "best" and "best" not in names:
        control = names[int(mean.argmin())]
    against = () if control is None else _against(names, mean, n, control)
    return Ranks(
        tuple(names), n, tuple(mean.tolist()), statistic, float(stats.chi2.sf(statistic, m - 1)), pairs, against
    )


def _table(results: Any, methods: Sequence[str] | None) -> tuple[list[str], Matrix]:
    """The names of the methods, and their results."""
    if methods is not None:
        values = np.asarray(results, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != len(methods):
            raise ParameterError(f"results has the shape {values.shape}, and methods names {len(methods)} columns")
        return [str(name) for name in methods], values
    if isinstance(results, pa.Table):
        results = results.to_pandas()
    columns = results.items() if isinstance(results, Mapping) or hasattr(results, "items") else None
    if columns is None:
        raise ParameterError(f"results {shorten(results)} has no names of methods: pass methods = [...]")
    found = {str(name): np.asarray(column) for name, column in columns}
    numbers = {name: column for name, column in found.items() if column.dtype.kind in "iufb"}
    if len({len(column) for column in numbers.values()}) > 1:
        raise ParameterError(f"the columns of results have different lengths: {shorten([*map(len, numbers.values())])}")
    if not numbers:
        raise ParameterError("results has no column of numbers: name a column for each method")
    return list(numbers), np.column_stack([column.astype(np.float64) for column in numbers.values()])


def _deviation(methods: int, rows: int) -> float:
    """The standard deviation of the difference of two mean ranks."""
    return math.sqrt(methods * (methods + 1) / (6 * rows))


def _against(names: Sequence[str], mean: Matrix, rows: int, control: str) -> tuple[Against, ...]:
    if control not in names:
        raise ParameterError(f"control = {control!r} is not a method{nearest(control, names)}: {shorten(list(names))}")
    base, m = mean[names.index(control)], len(names) - 1
    found = []
    for name, rank in zip(names, mean.tolist(), strict=True):
        if name != control:
            z = (rank - base) / _deviation(len(names), rows)
            found.append((math.erfc(abs(z) / math.sqrt(2)), name, rank - base))
    found.sort()
    holm = np.maximum.accumulate([min((m - i) * p, 1.0) for i, (p, *_) in enumerate(found)])
    hochberg = np.minimum.accumulate([min((m - i) * p, 1.0) for i, (p, *_) in enumerate(found)][::-1])[::-1]
    return tuple(
        Against(name, float(gap), p, min(m * p, 1.0), float(h), float(o))
        for (p, name, gap), h, o in zip(found, holm, hochberg, strict=True)
    )


def _stats() -> Any:
    """scipy's module of distributions."""
    try:
        import scipy.stats
    except ImportError as error:
        raise ImportError(needs("friedman", "scipy", "fast")) from error
    return scipy.stats


__all__ = ["Against", "Ranks", "friedman"]
