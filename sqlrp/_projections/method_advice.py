"""Advice on a method's parameters: the measures that a method gets, and the advice that it returns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sqlrp._core.values import dataclass
from sqlrp._projections.bounds import min_k

if TYPE_CHECKING:
    from sqlrp._projections.projection import Projection

Measure = Callable[[Any], float]
"""A function that returns the mean distortion of sampled rows by a projection."""

ABOVE = 1.1
"""A mean distortion of more than this many times the expected one is not due to the draw alone."""
CHANCE = 0.05
"""The probability with which a bound on all distances may fail."""
THESIS = "López Sánchez, thesis, 4.4.1, Tables 4.2 to 4.4"


@dataclass(frozen=True)
class Advice:
    """One piece of advice."""

    kind: Literal["change", "keep", "note"]
    """whether to change something, to keep it, or only a remark"""
    text: str
    """what to do"""
    figure: str
    """the number behind it"""
    source: str
    """the paper and section behind it"""
    projection: Projection | None = None
    """the projection that is advised, if it was drawn and measured on sampled rows; unfitted if it learns"""


@dataclass(frozen=True)
class MethodMeasures:
    """The measures and the facts about the source that a method uses for its advice."""

    n_features: int | None
    """of the source; None for an open vocabulary"""
    rows: int | None
    """of the source; None if unknown"""
    wanted: float
    """the wanted mean distortion"""
    mean: float
    """the measured mean distortion"""
    expected: float
    """the mean distortion of a Gaussian projection to as many components"""
    sampled: int
    """the number of rows in the sample"""
    regularity: float | None
    """the largest c of all differences of sampled rows (random subspace paper, A.1); None if unknown"""
    reflected: float | None
    """the same after Householder's reflection"""

    @property
    def ratio(self) -> float:
        """The mean distortion, as a multiple of the expected one."""
        return self.mean / self.expected

    @property
    def fold(self) -> float:
        """How many times as many components are needed, if the distortion falls with √k."""
        return (self.mean / self.wanted) ** 2


def weights_of(laws: Sequence[Sequence[float]], squares: Sequence[float]) -> tuple[float, ...]:
    """The weights ≥ 0 whose sums with the terms of `laws` are nearest to `squares`, by their relative errors.

    `laws`: for each measured projection the terms of its squared distortion. A few terms have few subsets, so that
    each is fitted by least squares, and the best without a negative weight is kept.
    """
    terms, aims = np.asarray(laws) / np.asarray(squares)[:, None], np.ones(len(squares))
    best, least = np.zeros(terms.shape[1]), math.inf
    for chosen in range(1, 1 << terms.shape[1]):
        used = [j for j in range(terms.shape[1]) if chosen >> j & 1]
        weights = np.linalg.lstsq(terms[:, used], aims, rcond=None)[0]
        loss = float(((terms[:, used] @ weights - aims) ** 2).sum())
        if (weights >= 0).all() and loss < least:
            best, least = np.zeros(terms.shape[1]), loss
            best[used] = weights
    return tuple(best.tolist())


def every_distance(measured: MethodMeasures, proven: str = "") -> Advice | None:
    """The k that theory needs to keep all distances, not only their mean. `proven`: the parameters it is proven for."""
    rows, wanted = measured.rows, measured.wanted
    if rows is None or rows < 2:
        return None
    need = min_k(rows, wanted, CHANCE)
    text = f"The mean says little of the worst pair: {proven}with a chance of {1 - CHANCE:.0%} every squared "
    text += f"distance between any {rows:,} rows is kept within {wanted:.3g} from k = {need:,} on."
    figure = f"min_k({rows:,}, eps={wanted:.3g}, delta={CHANCE}) = {need:,}, for s = 1 or 3 and any data"
    return Advice("note", text, figure, "Achlioptas 2003, Theorem 1.1, with n^-β the chance that it fails")
