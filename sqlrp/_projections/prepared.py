"""A projection that prepares its features by stored statistics; `sqlrp.Standardized` makes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from sqlrp._core.errors import ParameterError, UnsupportedError, check_choice, shorten
from sqlrp._core.sources import HOWS
from sqlrp._core.values import dataclass
from sqlrp._projections.held_arrays import Arrays, Shapes, features_of, unpack
from sqlrp._projections.projection import BackMap, Projection
from sqlrp._projections.sparse import SparseProjection
from sqlrp._stages import Normalise, Rescale, Stage
from sqlrp.kernels import Kernel

_SAID = {
    "standard": "features less their means, over their standard deviations",
    "minmax": "features less their minima, over their ranges",
    "l2": "rows over their Euclidean norms",
    "tfidf": "features times their inverse document frequencies, rows over their Euclidean norms",
}


@dataclass(frozen=True)
class Prepared(Projection):
    """The projection `of`, applied to rows that are prepared by the statistics in `state`; `sqlrp.fit` makes it.

    `how` is that of `sqlrp.Standardized`. The statistics are those of the rows it was fitted on. They are used for
    all rows, as in a fitted scikit-learn transformer. `k` is that of `of`.

    Raises ParameterError for another `how`, or if `of` is not a projection or is prepared already.

        >>> fitted = sqlrp.fit(rp, sqlrp.Standardized("points"), con)
        >>> type(fitted).__name__, fitted.how
        ('Prepared', 'standard')
    """

    of: Projection = SparseProjection()  # frozen
    how: str = "standard"
    state: str | None = None

    function: ClassVar[str] = "project_with"
    own_function: ClassVar[bool] = False
    parameter_help: ClassVar[Mapping[str, str]] = {"how": "how the features are scaled first"}

    def __post_init__(self) -> None:
        """Take k from the projection, then check the rest."""
        if not isinstance(self.of, Projection) or isinstance(self.of, Prepared):
            raise ParameterError(f"of = {shorten(self.of)} must be a projection that is not prepared yet")
        object.__setattr__(self, "k", self.of.k)
        super().__post_init__()

    def check(self) -> None:
        check_choice("how", self.how, HOWS)
        if self.state is not None:
            _ = self.statistics

    @cached_property
    def statistics(self) -> Arrays:
        """The computed statistics. Raises ParameterError if there are none and `how` needs them."""
        if self.state is None:
            raise ParameterError(
                f"how = {self.how!r} needs statistics: use sqlrp.fit(projection, Standardized(source), con)"
            )
        n = features_of(self) or "features"
        shapes: Shapes = {"offset": (n,), "size": (n,)}
        if self.how == "tfidf":  # a long source may lack some features, so the numbers of the present ones are stored
            shapes = {"df": ("terms",), "n": (), "features": ("terms",)}
        found = unpack(self.state, shapes, ("features",))
        wrong = found["size"] == 0 if "size" in found else (found["df"] < 0) | (found["n"] < 0)
        if wrong.any():
            raise ParameterError("state holds statistics that no rows have: fit the projection again")
        return found

    @property
    def unprepared(self) -> Projection:
        return self.of

    def reseeded(self, seed: int) -> Projection:
        """The method with another seed, for rows that are prepared as here."""
        return self.around(self.of.reseeded(seed))

    @property
    def drawn_seeds(self) -> tuple[int, ...]:
        """Those of the method."""
        return self.of.drawn_seeds

    @property
    def measuring_seed(self) -> int:
        """That of a method that learnt; else that of the statistics, which are those of all rows."""
        return self.of.measuring_seed if self.of.learns else self.sampling_seed

    def over_arrays(self, sizes: Sequence[int]) -> Projection:
        """The method over these arrays, for rows that are prepared as here."""
        return self.around(self.of.over_arrays(sizes))

    def around(self, method: Projection) -> Projection:
        """The method for rows that are prepared as here."""
        return replace(self, of=method)

    @property
    def preparation(self) -> tuple[Stage, ...]:
        if self.how == "l2":
            return (Normalise(),)
        found = self.statistics
        if self.how != "tfidf":
            return (Rescale(found["offset"], 1 / found["size"]),)
        n, df = int(found["n"]), found["df"]
        # Smoothed, as if one more document had every feature. So a feature in no document has a weight too.
        scale = np.log((1 + n) / (1 + df)) + 1
        return Rescale(np.zeros(len(df)), scale, found.get("features"), np.log(1 + n) + 1), Normalise()

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The preparation, then the stages of the projection."""
        return self.of.after(self.preparation, n_features)

    def factor(self, n_features: int | None) -> float:
        """That of the projection `of`."""
        return self.of.factor(n_features)

    def kernel(self) -> Kernel:
        """The kernel of the projection `of`, for prepared rows."""
        return self.of.kernel()

    def estimating(self) -> Projection:
        """The estimating projection of `of`, for prepared rows."""
        return replace(self, of=self.of.estimating())

    def remark(self, n_features: int | None) -> str:
        """How features are prepared, then the remark of the projection."""
        own = self.of.remark(n_features)
        return f"prepared ({self.how}): {_SAID[self.how]}" + (f"; {own}" if own else "")

    def caution(self, n_features: int | None) -> str:
        """That of the projection `of`."""
        return self.of.caution(n_features)

    @property
    def name(self) -> str:
        """The name of the projection, and how its rows are prepared."""
        return f"Prepared({self.of.name}, how={self.how!r})"

    def resolved_name(self, n_features: int | None) -> str:
        """That of the projection, and how its rows are prepared."""
        return f"Prepared({self.of.resolved_name(n_features)}, how={self.how!r})"

    @property
    def _loses_norms(self) -> bool:
        """Whether rows are divided by their norms."""
        return self.how in ("l2", "tfidf")

    def has_back_map(self, n_features: int) -> bool:
        """As `of`, unless rows are divided by norms."""
        return not self._loses_norms and self.of.has_back_map(n_features)

    def back_map(self, n_features: int) -> BackMap:
        """The map of `of`, with the preparation undone. Raises UnsupportedError if rows are divided by norms."""
        if self._loses_norms:
            raise UnsupportedError(
                f"how = {self.how!r} divided every row by its norm, which is gone: back_project takes 'standard' and "
                "'minmax' back"
            )
        weights, factor, offset = self.of.back_map(n_features)
        size, mean = self.statistics["size"], self.statistics["offset"]
        if len(size) != n_features:
            raise ParameterError(
                f"features = {n_features} must be the {len(size)} that the projection's statistics are of"
            )
        return weights * factor * size, 1.0, mean if offset is None else mean + offset * size

    def shrinking_error(self, n_features: int) -> float | None:
        """That of the projection `of`."""
        return self.of.shrinking_error(n_features)
