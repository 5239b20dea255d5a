"""The rows that a model is learnt from, opened: added up by key below a join, or projected."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlrp._core.errors import ParameterError
from sqlrp._core.options import Options
from sqlrp._core.sources import Join, Source, Standardized
from sqlrp._engines.registry import PlanTarget, connector_of
from sqlrp._learning.folds import Settings
from sqlrp._learning.join_sums import sums_by_key
from sqlrp._learning.row_sums import RowSums, SumRequest, summing
from sqlrp._learning.star import JoinSums
from sqlrp._learning.target import Target, Task, check_task
from sqlrp._run.frames.kinds import is_dataframe
from sqlrp._run.statistics import plain
from sqlrp._run.table_input import table_input


@contextmanager
def opened_rows(
    settings: Settings,
    source: Source | Standardized | Join | str,
    connection: Any,
    task: Task,
    folds: int,
    lowering: str,
    again: bool = False,
    by: str | None = None,
) -> Iterator[RowSums | JoinSums]:
    """The rows to learn from. `again`: whether they are needed again, after their sums. `by`: the column of groups."""
    if is_dataframe(source):
        raise ParameterError("scikit-learn learns from dataframes: put a transformer of sqlrp.sklearn in a pipeline")
    connector = connector_of(connection)
    with connector.working(connection) as session:
        found = Target.of(connector, session, source, settings.target, settings.labels, folds, settings.sample_weight)
        if by is not None:
            found = found.grouped(connector, session, by, settings.projection.k, folds)
        projection, plain_source = plain(settings.projection, found.source, session)
        classifier = found.is_class if task == "auto" else task == "classifier"
        options = Options("columns", True, settings.nulls, lowering)
        asked = SumRequest(
            table_input(plain_source, PlanTarget.of(connector, session)),
            projection,
            found.labels,
            classifier,
            found.key,
            folds,
            settings.seed,
            options,
            classifier and settings.class_weight is not None,
            again,
            None if settings.privacy is None else settings.privacy.clipping(projection.k),
        )
        check_task(settings, classifier)
        if settings.privacy is not None and classifier:
            settings.privacy.check_type(found.column)
        of_join = sums_by_key(asked)
        if of_join is not None:
            yield of_join
            return
        with summing(asked) as rows:
            yield rows


__all__ = ["opened_rows"]
