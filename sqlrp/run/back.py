"""Back projection: the linear methods' estimate of the original features from projected rows, and its error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sqlrp.core.errors import ParameterError, SourceError, shorten
from sqlrp.core.moved import renamed
from sqlrp.core.options import Nulls
from sqlrp.core.sources import Output, Source, Standardized, Wide
from sqlrp.projections.base import BackMap, Projection
from sqlrp.projections.checks import check_whole
from sqlrp.projections.sparse import SparseProjection
from sqlrp.run.api import project
from sqlrp.run.fitting import sample as sampled_rows
from sqlrp.run.memory import is_dataframe, project_array
from sqlrp.run.preparing import plain, prepared_rows
from sqlrp.stages import AppendConstant, Stage, WeightedSums


def back_project(
    projection: Projection,
    source: Source | str | Any,
    connection: Any = None,
    *,
    features: Sequence[str] | int | None = None,
    shrink: bool = False,
    output: Output = "columns",
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    key: str | None = None,
    keep: Sequence[str] = (),
) -> Any:
    """The estimate of the original features from projected rows: key, keep and a column a feature, as `project` gives.

    `source`: what `project` or `materialize` made with its scale: a table's name or Wide (its z0 … z{k-1}), Array,
    Long (feature "component"), or a dataframe. `features`: the original features' names, or their number (f0, f1, …);
    left out where the projection is bound to them. Output "long" gives their positions as components.

    A drawn projection z = f·Rᵀx gives x̂ = f·R·z, signed sums over the transposed table: unbiased over the seeds, with
    a relative squared error near d/k, which is large for k < d. `shrink` divides it by 1 + that, which among the
    multiples of x̂ has the least expected squared error. Principal components give the point of their subspace.
    Statistics of a `Standardized` source are taken back. `back_projection_error` measures.

    Raises UnsupportedError for methods that are not linear, and norms ("l2", "tfidf"), which are gone; ParameterError
    where the features are not known.
    """
    back = BackProjection(of=projection, features=_features(projection, features), shrink=shrink)
    names = [f"z{c}" for c in range(projection.k)]
    if is_dataframe(source):
        back = replace(back, bound_to=names)
    elif isinstance(source, str):
        source = Wide(source, features=names)
    elif isinstance(source, Wide) and source.features is None:
        source = replace(source, features=names)
    return project(
        back, source, connection, output=output, nulls=nulls, lowering=lowering, key=key, keep=keep, scale=True
    )


@renamed(size="sample")
def back_projection_error(
    projection: Projection,
    source: Source | Standardized | str | Any,
    connection: Any = None,
    *,
    sample: int = 500,
    shrink: bool = False,
) -> BackProjectionError:
    """How far `back_project` is from the original rows of `source`, on `sample` rows drawn in the database.

    Σ‖x̂ - x‖² / Σ‖x‖² over the rows without NULL; of prepared rows where the projection prepares them. Raises what
    `back_project` does, and SourceError for a sample without a row that is not 0.
    """
    check_whole("sample", sample, 1)
    projection, source = plain(projection, source, connection)
    x, _ = sampled_rows(source, connection, sample, projection.sampling_seed, projection.bound_to)
    x = x[~np.isnan(x).any(axis=1)]
    d = x.shape[1]
    z = project_array(projection, x)
    _ = projection.back_map(d)  # refuses what cannot be taken back
    x, projection = prepared_rows(projection, x), projection.unprepared
    back = BackProjection(of=projection, features=_features(projection, d), shrink=shrink)
    length = float((x * x).sum())
    if not length > 0 or not np.isfinite(length):
        raise SourceError(f"the sample has {len(x)} rows without NULL, whose squares sum to {length}: raise sample")
    measured = float(((project_array(back, z) - x) ** 2).sum() / length)
    return BackProjectionError(len(x), measured, expected_error(projection, d, shrink))


@dataclass(frozen=True)
class BackProjectionError:
    """The relative squared error of a back projection: 0 is perfect, 1 that of guessing zeros."""

    rows: int
    """rows compared"""
    measured: float
    """Σ‖x̂ - x‖² / Σ‖x‖²"""
    expected: float | None
    """its expectation over the seeds, for any rows; None where it depends on the data"""

    def __str__(self) -> str:
        """One line."""
        theory = "it depends on the data" if self.expected is None else f"{self.expected:.4g} expected"
        return f"relative squared error {self.measured:.4g} on {self.rows:,} rows ({theory})"


def expected_error(projection: Projection, n_features: int, shrink: bool = False) -> float | None:
    """E‖x̂ - x‖²/‖x‖² over the seeds, for any row x; None where it depends on the data."""
    found = projection.back_error(n_features)
    return found if found is None or not shrink else found / (1 + found)


@dataclass(frozen=True)
class BackProjection(Projection):
    """The map from the k components of a linear projection back to its d features: its own k is d."""

    of: Projection = field(default_factory=SparseProjection)
    features: tuple[str, ...] = ()
    shrink: bool = False

    function: ClassVar[str] = "back_project"

    def __post_init__(self) -> None:
        """Take k from the features; raises UnsupportedError for a projection that is not linear."""
        object.__setattr__(self, "k", len(self.features))
        if self.bound_to is None:
            object.__setattr__(self, "bound_to", self.of.k)
        super().__post_init__()
        _ = self._map

    @property
    def outputs(self) -> tuple[str, ...]:
        """The features' names."""
        return self.features

    @cached_property
    def _map(self) -> BackMap:
        return self.of.back_map(len(self.features))

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The transposed sums; with a constant where means are added."""
        weights, factor, offset = self._map
        if offset is None:
            return (WeightedSums(np.ascontiguousarray(weights)),)
        shrunk = self._shrinking * factor
        return AppendConstant(1.0), WeightedSums(np.vstack([weights * shrunk, offset[None, :]]))

    def caution(self, n_features: int | None) -> str:
        """Nothing: it is to have more components than it reads."""
        return ""

    def factor(self, n_features: int | None) -> float:
        """The projection's own; 1 where the weights hold it."""
        _, factor, offset = self._map
        return factor * self._shrinking if offset is None else 1.0

    @property
    def _shrinking(self) -> float:
        error = self.of.shrinking_error(len(self.features)) if self.shrink else None
        return 1.0 if error is None else 1 / (1 + error)


def _features(projection: Projection, features: Sequence[str] | int | None) -> tuple[str, ...]:
    """The names of the original features."""
    given: Sequence[str] | int | None = projection.bound_to if features is None else features
    if given is None:
        raise ParameterError(
            "the original features are not known: pass features = [names] or their number, or save the projection "
            "with its source, which binds it to them"
        )
    if isinstance(given, (int, np.integer)):
        check_whole("features", given, 1)
        return tuple(f"f{j}" for j in range(int(given)))
    names = tuple(given)
    if isinstance(given, str) or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ParameterError(f"features = {shorten(given)} must be a list of distinct names, or a number")
    projection.check_features(names, len(names))
    return names


__all__ = ["BackProjection", "BackProjectionError", "back_project", "back_projection_error", "expected_error"]
