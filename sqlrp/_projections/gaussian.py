"""Gaussian random projection: the baseline with float weights (Johnson and Lindenstrauss)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from sqlrp._core.symbols import root
from sqlrp._core.values import dataclass
from sqlrp._projections.method_advice import Advice, MethodMeasures, every_distance
from sqlrp._projections.projection import DrawnProjection, known_features
from sqlrp._stages import NormalSums, Stage


@dataclass(frozen=True)
class GaussianProjection(DrawnProjection):
    """k sums of the features weighted with N(0, 1) numbers, times 1/√k (Johnson and Lindenstrauss 1984).

    Squared distances are kept in expectation; their mean relative error is about 2/√(πk). In SQL it is
    `rp_project(…, vectors := 'gaussian')`. Every term is a multiplication; `SparseProjection` only adds and subtracts.
    The weights are drawn in Python and written into the SQL, so the number of features must be known.

    Raises ParameterError for k < 1, a seed outside 0 … 2⁵³-1, or an open vocabulary.

        >>> sqlrp.project_vector(sqlrp.GaussianProjection(k=2, seed=7), [1.0, 2.0, 0.0]).round(4)
        array([ 2.6557, -0.8719])
    """

    use: ClassVar[str] = "distances, where theory of normal weights is wanted"
    function: ClassVar[str] = "rp_project"
    own_function: ClassVar[bool] = False  # it uses that of SparseProjection

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One stage of weighted sums."""
        known_features(self, n_features)
        return (NormalSums(self.k, self.seed),)

    def factor(self, n_features: int | None) -> float:
        return 1 / root(self.k)

    def back_error(self, n_features: int) -> float | None:
        """(d + 1)/k, as for signed sums with s = 3."""
        return (n_features + 1) / self.k

    def advice(self, measured: MethodMeasures) -> Iterator[Advice]:
        """The k that theory needs to keep all distances."""
        note = every_distance(measured)
        if note is not None:
            yield note
