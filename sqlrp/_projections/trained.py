"""The base class of methods that learn from a sample.

`sqlrp.fit` draws the sample inside the database and returns the fitted projection. Its learnt arrays are kept as text,
so it is saved, compared and applied like any other projection. Applying it is SQL and does not need the sample.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import SEED_BOUND
from sqlrp._core.errors import SourceError
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_whole
from sqlrp._projections.held_arrays import Holding
from sqlrp._projections.projection import DrawnProjection

Matrix = npt.NDArray[np.float64]
Progress = Callable[[int, float], bool]
"""A function that gets the number of iterations done and the loss, and returns True to stop."""


@dataclass(frozen=True)
class TrainedProjection(Holding, DrawnProjection):
    """A projection whose arrays `fit` learns from a sample."""

    sample: int | None = 500

    learns: ClassVar[bool] = True
    of_all: ClassVar[bool] = False
    """whether `sample` may be None, for all rows"""
    parameter_help: ClassVar[Mapping[str, str]] = {"sample": "rows to learn from, drawn in the database"}
    missing: ClassVar[str] = "learns from data and is not fitted: use sqlrp.fit(projection, source, con)"

    def check(self) -> None:
        """Check sample and state, then the parameters that the method adds."""
        if self.sample is not None or not self.of_all:
            check_whole("sample", self.sample, 2)
        super().check()
        self.check_own()

    @abstractmethod
    def check_own(self) -> None:
        """Check the parameters that the method adds."""

    @abstractmethod
    def fit(self, x: Matrix, progress: Progress | None = None) -> Self:
        """The projection fitted on the rows of x, shape (rows, features)."""

    @property
    def drawn_seeds(self) -> tuple[int, ...]:
        """None: the seed draws the sample that it learns from."""
        return ()

    @property
    def sample_size(self) -> int:
        return self.sample or 0

    @property
    def measuring_seed(self) -> int:
        """Another seed than that of the rows it was fitted on, which it keeps better than the others."""
        return (self.sampling_seed + 1) % SEED_BOUND

    def fitted_on(self, x: Matrix, bound_to: Sequence[str] | int | None, progress: Progress | None = None) -> Self:
        """The projection fitted on x, without what it learnt before."""
        return replace(self, bound_to=bound_to, state=None).fit(x, progress)


def check_rows(x: Matrix, needed: int, what: str) -> None:
    """Raise SourceError for a sample with too few rows, or with numbers that are not finite."""
    if len(x) < needed:
        raise SourceError(
            f"the sample has {len(x)} rows, {what} needs at least {needed}: take a larger sample or source"
        )
    if not np.isfinite(x).all():
        raise SourceError("the sample holds NULL, NaN or infinity, which nothing can be learnt from: clean those rows")
