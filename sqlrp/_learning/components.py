"""Projections that are fitted on all rows of a source: their sums are added up where the rows are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import LimitError, ParameterError, SourceError, StatementError, shorten
from sqlrp._core.options import Options
from sqlrp._core.sources import Join, Source, as_source
from sqlrp._core.values import dataclass
from sqlrp._engines.registry import connector_of
from sqlrp._learning.features import Features, SummedFeatures
from sqlrp._learning.row_sums import RowSums, SumRequest, summing
from sqlrp._learning.star import JoinSums, Star
from sqlrp._learning.target import Target, keeping
from sqlrp._lowering.job import NULL_SAID
from sqlrp._lowering.join import names_of_join
from sqlrp._lowering.lowerings import AUTO
from sqlrp._lowering.sums_sql import Labels
from sqlrp._projections.prepared import Prepared
from sqlrp._projections.principal import PrincipalComponents
from sqlrp._projections.supervised import SupervisedProjection, TargetSums
from sqlrp._run.bind import look
from sqlrp._run.frames.kinds import is_dataframe, without_connection
from sqlrp._run.table_input import JoinInput

MOST = 2_000
"""The most features of which the products of all pairs are added up: 32 MB."""


@dataclass(frozen=True)
class Targets:
    """The columns of the targets of a supervised projection."""

    columns: tuple[str, ...]
    table: str | None
    """the table that has them, if the source has not"""
    of_classes: bool

    @staticmethod
    def named(projection: SupervisedProjection, source: Any, target: object, table: str | None) -> Targets:
        """The columns that a call names.

        Raises ParameterError for none, for several ones of classes, and for a dataframe.
        """
        columns = tuple(target) if isinstance(target, (list, tuple)) else () if target is None else (target,)
        said = type(projection).__name__
        if not columns or not all(isinstance(name, str) and name for name in columns):
            raise ParameterError(f"{said} learns from targets: pass target, the name of a column")
        if projection.of_classes and len(columns) > 1:
            raise ParameterError(f"{said} learns from one column of classes: target = {shorten(target)} names several")
        if len(set(columns)) < len(columns):
            raise ParameterError(f"target = {shorten(target)} names a column twice: name each once")
        if is_dataframe(source):
            raise ParameterError(
                f"{said} learns from tables: register the dataframe with DuckDB, or take scikit-learn's own and "
                "sqlrp.from_sklearn"
            )
        return Targets(columns, table, projection.of_classes)

    def kept(self, source: Any) -> Any:
        """The source with the targets among the columns that pass through, if it has them: they are no features."""
        return as_source(source) if self.table is not None else keeping(as_source(source), *self.columns)

    def of(self, connector: Connector, session: Any, source: Source | Join) -> tuple[Source | Join, Labels]:
        """The source that keeps them, and where they are. Raises SourceError for a column that has no numbers."""
        first, *others = self.columns
        found = Target.of(connector, session, source, first, self.table, 1, others=others)
        if not self.of_classes:
            for name, column in zip(self.columns, (found.column, *found.others), strict=True):
                if column.type.number is None:
                    raise SourceError(f"target = {name!r} is {column.type.text}: it must be a column of numbers")
        return found.source, found.labels


_Looked = tuple[RowSums | JoinSums, Sequence[str] | int, int]
"""Rows that are ready to be added up, the names of their features, or their number, and their number."""


@contextmanager
def _looked(
    source: Source | Join | str | Any, connection: Any, prepared: Prepared | None, targets: Targets | None = None
) -> Iterator[_Looked]:
    """The features of all rows, ready to be added up; their names, or their number; and their number.

    `prepared`: a projection with the preparation of the rows, if there is one. Raises SourceError for an open
    vocabulary, and for rows with NULL.
    """
    if connection is None:
        raise without_connection(source)
    connector = connector_of(connection)
    source = source if isinstance(source, Join) else as_source(source)
    with connector.working(connection) as session:
        labels, classes = Labels(None), targets is not None and targets.of_classes
        if targets is not None:
            source, labels = targets.of(connector, session, source)
        options = Options("columns", True, "error", AUTO)
        asked = SumRequest.whole(connector, session, source, Features(k=1), options)
        asked = replace(asked, labels=labels, classifier=classes)
        if isinstance(source, Join):
            assert isinstance(asked.rows, JoinInput)
            with _of_join(asked, asked.rows) as looked:
                yield looked
            return
        frame = look(connector, session, source, bound_to=None if prepared is None else prepared.bound_to)
        d = frame.n_features
        if d is None or frame.text_features:
            raise SourceError(
                "an open vocabulary cannot be learnt from: pass n_features, and whole numbers as features"
            )
        names = frame.names if frame.layout == "wide" else d
        features = Features(k=d)
        of = features if prepared is None else prepared.around(features)
        with _without_null(frame.table), summing(replace(asked, projection=of)) as rows:
            yield rows, names, d


@contextmanager
def _without_null(table: object) -> Iterator[None]:
    """Raise SourceError for a statement that meets NULL."""
    try:
        yield
    except StatementError as error:
        if NULL_SAID not in str(error):
            raise
        raise SourceError(
            f"a row of {table} holds NULL, which nothing can be learnt from: clean such rows, or keep them "
            "out by a view"
        ) from error


@contextmanager
def _of_join(asked: SumRequest, rows: JoinInput) -> Iterator[_Looked]:
    """The features of a join's rows: added up by key where that can be, otherwise those of the joined rows."""
    frames = rows.frames
    d = sum(frame.width for frame in frames)
    names = names_of_join(rows.source, frames) or d
    with _without_null(frames[0].table):
        star = Star.of(asked, frames) if d <= MOST else None
        sums = None if star is None else star.moments()
        if sums is not None:
            yield JoinSums(asked, sums), names, d
            return
        with summing(replace(asked, projection=SummedFeatures(k=d))) as sums_of_rows:
            yield sums_of_rows, names, d


def components_of_all(
    projection: PrincipalComponents,
    source: Source | Join | str | Any,
    connection: Any,
    prepared: Prepared | None = None,
) -> PrincipalComponents:
    """The principal components of all rows of a source, bound to its features.

    `prepared`: a projection with the preparation of the rows, if there is one. Raises SourceError for an open
    vocabulary, and for rows with NULL, NaN or infinity.
    """
    with _looked(source, connection, prepared) as (rows, names, d):
        bound = replace(projection, bound_to=names, state=None)
        if d > MOST and isinstance(rows, RowSums):
            return bound.fit_sketch(rows.crossed, d)
        (sums,) = rows.sums()
    return bound.fit_scatter(sums.count, sums.mean, sums.scatter)


def supervised_of_all(
    projection: SupervisedProjection,
    source: Source | Join | str | Any,
    connection: Any,
    targets: Targets,
    prepared: Prepared | None = None,
) -> SupervisedProjection:
    """The projection that is solved from the sums of all rows with a target, bound to the source's features.

    `prepared`: as in `components_of_all`. Raises LimitError for too many features, and SourceError as
    `components_of_all`.
    """
    with _looked(source, connection, prepared, targets) as (rows, names, d):
        if d > MOST:
            raise LimitError(
                f"the source has {d:,} features, more than the {MOST:,} whose products are added up: reduce them, "
                "and fit on the materialized table"
            )
        (sums,) = rows.sums()
    if not sums.count:
        raise SourceError("no row has a target: there is nothing to learn from")
    return projection.fit_sums(TargetSums.of(sums, d), names)


__all__ = ["MOST", "Targets", "components_of_all", "supervised_of_all"]
