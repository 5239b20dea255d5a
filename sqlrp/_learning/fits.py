"""Fitting: a method that learns draws a sample inside the database and returns a fitted projection."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeGuard, TypeVar, overload

from sqlrp._connectors.foresight import foreseen
from sqlrp._core.errors import ParameterError, shorten
from sqlrp._core.sources import Join, Source, Standardized
from sqlrp._learning.components import Targets, components_of_all, supervised_of_all
from sqlrp._projections.data_tuned import DataTunedProjection
from sqlrp._projections.prepared import Prepared
from sqlrp._projections.principal import PrincipalComponents
from sqlrp._projections.projection import Projection
from sqlrp._projections.sparse import SparseProjection
from sqlrp._projections.supervised import SupervisedProjection
from sqlrp._projections.trained import Progress, TrainedProjection
from sqlrp._run.frames.dataframes import FrameColumns
from sqlrp._run.frames.kinds import is_dataframe
from sqlrp._run.frames.lazy import rows_of
from sqlrp._run.row_sample import sample
from sqlrp._run.statistics import prepare, prepared_rows

Fitted = TypeVar("Fitted", bound=TrainedProjection | SupervisedProjection)


@overload
def fit(
    projection: Projection,
    source: Standardized,
    connection: Any = None,
    *,
    target: str | Sequence[str] | None = None,
    labels: str | None = None,
    progress: bool | Progress = False,
    key: str | None = "id",
    keep: Sequence[str] = (),
) -> Prepared: ...


@overload
def fit(
    projection: Fitted,
    source: Source | Join | str | Any,
    connection: Any = None,
    *,
    target: str | Sequence[str] | None = None,
    labels: str | None = None,
    progress: bool | Progress = False,
    key: str | None = "id",
    keep: Sequence[str] = (),
) -> Fitted: ...


@overload
def fit(
    projection: Projection,
    source: Source | Join | str | Any,
    connection: Any = None,
    *,
    target: str | Sequence[str] | None = None,
    labels: str | None = None,
    progress: bool | Progress = False,
    key: str | None = "id",
    keep: Sequence[str] = (),
) -> Projection: ...


@foreseen
def fit(
    projection: Projection,
    source: Source | Standardized | Join | str | Any,
    connection: Any = None,
    *,
    target: str | Sequence[str] | None = None,
    labels: str | None = None,
    progress: bool | Progress = False,
    key: str | None = "id",
    keep: Sequence[str] = (),
) -> Projection:
    """Fit a projection on rows of a source, drawn inside the database, or of a dataframe.

    It learns from `projection.sample` rows. `PrincipalComponents` and `WhitenedComponents` learn from all rows if
    `sample` is None, and only sums of them are kept in memory.

    `LinearDiscriminants`, `CanonicalCorrelation` and `PartialLeastSquares` learn from all rows of a table and from
    their targets, by sums alone. `target`: the column of classes, or the columns of numbers. `labels`: the table that
    has it, if it is not the source's. It is joined by the source's key, as sparse rows (Long) need it. Rows whose
    target is NULL are left out.

    What learns from sums of all rows also takes a `Join`. The rows of the fact table are then added up by the keys of
    the dimensions, in the database, and each key meets the features of its dimension once: the joined rows are never
    made (Schleich, Olteanu and Ciucanu 2016). Targets are columns of the fact table, or of a dimension by a name such
    as customer_id.income. Arrays, Spark, and targets of a dimension, of another table or of a type that is read as
    text, need the joined rows.

    For a `Standardized` source the statistics of all rows are computed first, and the returned projection carries
    them. Any method can be fitted in this way; a method that learns then learns from prepared rows. Use the returned
    projection with the plain source.

    The rows are drawn, and ordered, by a hash of their keys and the seed. So the same rows give the same sample on
    every run, on every engine and in a dataframe, if the keys are unique numbers, texts, dates or UUIDs. Other keys
    are hashed as the text that the engine writes for them. A row whose key is NULL is not drawn. Without a key a
    row's position stands for it, and the same rows in another order give another sample. The feature names of a wide
    source are kept (`bound_to`): the projection takes its columns by name wherever it is used.
    `progress` True draws a bar with the loss on a terminal. A function of (iterations, loss) can stop the search by
    returning a true value. Ctrl-C stops it too. The best projection so far is then returned.
    `key` and `keep` name the columns of a dataframe that are not features, as in `sqlrp.project`.
    Raises ParameterError for a projection that does not learn, and for a target that is missing or not needed,
    SourceError for a sample that is too small, and for NULL, NaN or infinity in a feature.

        >>> pca = sqlrp.fit(sqlrp.PrincipalComponents(k=2), "points", con)
        >>> pca.bound_to
        ('a', 'b', 'c')
    """
    source = rows_of(source)
    if isinstance(projection, SupervisedProjection):
        return _supervised(projection, source, connection, target, labels, key, keep)
    if target is not None or labels is not None:
        given = "target" if target is not None else "labels"
        raise ParameterError(f"{type(projection).__name__} learns from rows without targets: leave out {given}")
    if isinstance(source, Standardized):
        prepared = prepare(projection, source, connection, FrameColumns(key, keep))
        if not projection.learns:
            return prepared
        if _from_all(projection, source.source):
            return replace(prepared, of=components_of_all(projection, source.source, connection, prepared))
        size, seed = projection.sample_size, projection.sampling_seed
        x, names = sample(source.source, connection, size, seed, prepared.bound_to, key=key, keep=keep)
        with _bar(projection.iterations, progress) as report:
            own = projection.fitted_on(prepared_rows(prepared, x), names, report)
        return replace(prepared, of=own)
    if not projection.learns:
        raise ParameterError(f"projection {shorten(projection)} does not learn from data: use it as it is")
    if _from_all(projection, source):
        return components_of_all(projection, source, connection)
    x, names = sample(source, connection, projection.sample_size, projection.sampling_seed, key=key, keep=keep)
    with _bar(projection.iterations, progress) as report:
        return projection.fitted_on(x, names, report)


def _supervised(
    projection: SupervisedProjection,
    source: Any,
    connection: Any,
    target: str | Sequence[str] | None,
    labels: str | None,
    key: str | None,
    keep: Sequence[str],
) -> Projection:
    """The projection fitted on rows and their targets; with the preparation of a standardized source."""
    own = source.source if isinstance(source, Standardized) else source
    targets = Targets.named(projection, own, target, labels)
    if not isinstance(source, Standardized):
        return supervised_of_all(projection, source, connection, targets)
    plainly = targets.kept(own)
    prepared = prepare(projection, replace(source, source=plainly), connection, FrameColumns(key, keep))
    return replace(prepared, of=supervised_of_all(projection, plainly, connection, targets, prepared))


def _from_all(projection: Projection, source: Any) -> TypeGuard[PrincipalComponents]:
    """Whether it learns from sums of all rows of a table. Those of a dataframe are in memory already."""
    return isinstance(projection, PrincipalComponents) and projection.sample is None and not is_dataframe(source)


def best_of(
    n: int,
    projection: DataTunedProjection,
    source: Source | str | Any,
    connection: Any = None,
    *,
    key: str | None = "id",
    keep: Sequence[str] = (),
) -> SparseProjection:
    """Find the best of n drawn tables on a sample (data-tuned paper, 4.2): a `SparseProjection` with its seed.

    >>> best = sqlrp.best_of(3, sqlrp.DataTunedProjection(k=2, s=1), "points", con)
    >>> best.k
    2
    """
    x, _ = sample(source, connection, projection.sample_size, projection.seed, key=key, keep=keep)
    return projection.best_of(n, x)


@contextmanager
def _bar(total: int, progress: bool | Progress) -> Iterator[Progress | None]:
    """The function to which the search reports its progress."""
    if not isinstance(progress, bool):
        yield progress
        return
    if not progress or not total or not sys.stderr.isatty():
        yield None
        return

    def draw(done: int, loss: float) -> bool:
        if done % 20 == 0 or done == total:
            filled = "#" * (30 * done // total)
            sys.stderr.write(f"\r[{filled:<30}] {done:,} of {total:,}, mean distortion {loss:.4f}")
            sys.stderr.flush()
        return False

    try:
        yield draw
    finally:
        sys.stderr.write("\n")


__all__ = ["best_of", "fit"]
