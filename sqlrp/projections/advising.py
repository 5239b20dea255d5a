"""Advice on a method's parameters: what a method is told of the measures, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlrp.projections.bounds import min_k

ABOVE = 1.1
"""A mean distortion of that many times the expected one is more than a draw's luck, with what the rows say."""
CHANCE = 0.05
"""The chance that theory may fail, in what it says of all distances."""
THESIS = "López Sánchez, thesis, 4.4.1, Tables 4.2 to 4.4"


@dataclass(frozen=True)
class Advice:
    """One thing to do, or to leave as it is."""

    kind: Literal["change", "keep", "note"]
    """whether to change something, to leave it, or only to know"""
    text: str
    """what to do"""
    figure: str
    """the number behind it"""
    source: str
    """the paper and section behind it"""


@dataclass(frozen=True)
class Measured:
    """What a method may know of the measures and of the source, to give advice."""

    n_features: int | None
    """of the source; None for an open vocabulary"""
    rows: int | None
    """of the source; None where that is not known"""
    wanted: float
    """the mean distortion that is wanted"""
    mean: float
    """the mean distortion measured"""
    expected: float
    """the mean distortion of a Gaussian projection to as many components"""
    sampled: int
    """rows of the sample"""
    regularity: float | None
    """the largest c of all differences of sampled rows (random subspace paper, A.1); None where it is not known"""
    reflected: float | None
    """the same after Householder's reflection"""

    @property
    def ratio(self) -> float:
        """The mean distortion, as a multiple of the expected one."""
        return self.mean / self.expected

    @property
    def fold(self) -> float:
        """How many times the components there are would be needed, for a distortion that falls with √k."""
        return (self.mean / self.wanted) ** 2


def every_distance(measured: Measured, proven: str = "") -> Advice | None:
    """What theory asks for all distances, rather than their mean; `proven`: for which parameters."""
    rows, wanted = measured.rows, measured.wanted
    if rows is None or rows < 2:
        return None
    need = min_k(rows, wanted, CHANCE)
    text = f"The mean says little of the worst pair: {proven}with a chance of {1 - CHANCE:.0%} every squared "
    text += f"distance between any {rows:,} rows is kept within {wanted:.3g} from k = {need:,} on."
    figure = f"min_k({rows:,}, eps={wanted:.3g}, delta={CHANCE}) = {need:,}, for s = 1 or 3 and any data"
    return Advice("note", text, figure, "Achlioptas 2003, Theorem 1.1, with n^-β the chance that it fails")
