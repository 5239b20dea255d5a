"""Back projection: estimate the original features from rows projected by a linear method, and measure the error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sqlrp._core.errors import ParameterError, SourceError, shorten
from sqlrp._core.options import Nulls
from sqlrp._core.sources import Output, Source, Standardized, Wide
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_whole
from sqlrp._projections.projection import BackMap, Projection
from sqlrp._projections.sparse import SparseProjection
from sqlrp._run.api import project
from sqlrp._run.frames.dataframes import FrameColumns
from sqlrp._run.frames.kinds import is_dataframe
from sqlrp._run.frames.matrix import project_array
from sqlrp._run.row_sample import sample as sampled_rows
from sqlrp._run.statistics import plain, prepared_rows
from sqlrp._stages import AppendConstant, Stage, WeightedSums


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
    key: str | None = "id",
    keep: Sequence[str] = (),
) -> Any:
    """Estimate the original features from projected rows; returns key, keep and one column per feature, as `project`.

    `source`: the scaled result of `project` or `materialize`, as a table's name or Wide (z0 … z{k-1}), Array,
    Long (feature "component"), or a dataframe. `features`: the names of the original features, or their number
    (f0, f1, …); not needed if the projection is bound to them. Output "long" has their positions as components.

    A drawn projection z = f·Rᵀx gives x̂ = f·R·z, signed sums over the transposed table. It is unbiased over the
    seeds, with a relative squared error near d/k, which is large for k < d. `shrink` divides x̂ by 1 + this error;
    among the multiples of x̂ the result has the smallest expected squared error. Principal components give the point
    in their subspace. The statistics of a `Standardized` source are undone. `back_projection_error` measures the error.

    Raises UnsupportedError for methods that are not linear and for norms ("l2", "tfidf"), which are lost;
    ParameterError if the features are not known.

        >>> pca = sqlrp.fit(sqlrp.PrincipalComponents(k=2), "points", con)
        >>> _ = sqlrp.materialize(pca, "points", con, "small")
        >>> sqlrp.back_project(pca, "small", con).column_names
        ['id', 'a', 'b', 'c']
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


def back_projection_error(
    projection: Projection,
    source: Source | Standardized | str | Any,
    connection: Any = None,
    *,
    sample: int = 500,
    shrink: bool = False,
    key: str | None = "id",
    keep: Sequence[str] = (),
) -> BackProjectionError:
    """Measure the error of `back_project` on `sample` rows of the original `source`, drawn in the database.

    The error is Σ‖x̂ - x‖² / Σ‖x‖² over the rows without NULL, or over prepared rows if the projection prepares them.
    `key` and `keep` name the columns of a dataframe that are not features.
    Raises the errors of `back_project`, and SourceError for a sample without a non-zero row.

        >>> pca = sqlrp.fit(sqlrp.PrincipalComponents(k=2), "points", con)
        >>> round(sqlrp.back_projection_error(pca, "points", con).measured, 3)
        0.032
    """
    check_whole("sample", sample, 1)
    projection, source = plain(projection, source, connection, FrameColumns(key, keep))
    x, _ = sampled_rows(source, connection, sample, projection.sampling_seed, projection.bound_to, key=key, keep=keep)
    x = x[~np.isnan(x).any(axis=1)]
    d = x.shape[1]
    z = project_array(projection, x)
    _ = projection.back_map(d)  # refuses a projection that has no way back
    x, projection = prepared_rows(projection, x), projection.unprepared
    back = BackProjection(of=projection, features=_features(projection, d), shrink=shrink)
    length = float((x * x).sum())
    if not length > 0 or not np.isfinite(length):
        raise SourceError(f"the sample has {len(x)} rows without NULL, whose squares sum to {length}: raise sample")
    measured = float(((project_array(back, z) - x) ** 2).sum() / length)
    return BackProjectionError(len(x), measured, expected_error(projection, d, shrink))


@dataclass(frozen=True)
class BackProjectionError:
    """The relative squared error of a back projection: 0 is perfect, 1 is the error of guessing zeros.

    >>> error = sqlrp.back_projection_error(rp, "points", con)
    >>> type(error).__name__
    'BackProjectionError'
    >>> error.rows, round(error.expected, 1)
    (50, 1.0)
    """

    rows: int
    """the number of compared rows"""
    measured: float
    """Σ‖x̂ - x‖² / Σ‖x‖²"""
    expected: float | None
    """the expectation over the seeds, for any rows; None if it depends on the data"""

    def __str__(self) -> str:
        """One line."""
        theory = "it depends on the data" if self.expected is None else f"{self.expected:.4g} expected"
        return f"relative squared error {self.measured:.4g} on {self.rows:,} rows ({theory})"


def expected_error(projection: Projection, n_features: int, shrink: bool = False) -> float | None:
    """The expected error E‖x̂ - x‖²/‖x‖² over the seeds, for any row x; None if it depends on the data."""
    found = projection.back_error(n_features)
    return found if found is None or not shrink else found / (1 + found)


@dataclass(frozen=True)
class BackProjection(Projection):
    """The map from the k components of a linear projection back to its d features. Its own k is d."""

    of: Projection = field(default_factory=SparseProjection)
    features: tuple[str, ...] = ()
    shrink: bool = False

    function: ClassVar[str] = "back_project"

    def __post_init__(self) -> None:
        """Take k from the features. Raises UnsupportedError for a projection that is not linear."""
        object.__setattr__(self, "k", len(self.features))
        if self.bound_to is None:
            object.__setattr__(self, "bound_to", self.of.k)
        super().__post_init__()
        _ = self._map

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the features."""
        return self.features

    @cached_property
    def _map(self) -> BackMap:
        return self.of.back_map(len(self.features))

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The sums over the transposed table, with an appended constant if means are added."""
        weights, factor, offset = self._map
        if offset is None:
            return (WeightedSums(np.ascontiguousarray(weights)),)
        shrunk = self._shrinking * factor
        return AppendConstant(1.0), WeightedSums(np.vstack([weights * shrunk, offset[None, :]]))

    def caution(self, n_features: int | None) -> str:
        """Empty: a back projection has more components than features by design."""
        return ""

    def factor(self, n_features: int | None) -> float:
        """The projection's own scale; 1 if the weights include it."""
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
