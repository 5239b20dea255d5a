"""The sums of the rows of a star join, from sums of its tables by key: the joined rows are never made.

The products of all pairs of features are wanted, of the fact table and of its dimensions. Those of the fact's own
features are sums of its rows. For a dimension the fact's rows are added up by its key: their number, their features,
and the features of the later dimensions. The products with the dimension's features are then sums over its keys, which
are fewer than the rows (Schleich, Olteanu and Ciucanu 2016, Learning linear regression models over factorized joins).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sqlrp._core.errors import SourceError
from sqlrp._core.names import Names
from sqlrp._core.numbers import DOUBLE, FLOAT
from sqlrp._core.options import Options
from sqlrp._core.sources import Array, Join, Wide
from sqlrp._core.values import dataclass
from sqlrp._evaluator.moments import Matrix, Moments
from sqlrp._evaluator.tile_sources import rounded
from sqlrp._learning.features import Features
from sqlrp._learning.row_sums import SumRequest, summing
from sqlrp._lowering.endpoints import component_names
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.lowerings import SQL
from sqlrp._run.table_input import planned

_BATCH = 1 << 22
"""The numbers of a batch of keys."""
REFERS = (
    "a row of {table} refers to no row of {other}, or to one that holds NULL, which nothing can be learnt from: clean "
    "such rows, or keep them out by a view"
)


@dataclass(frozen=True)
class _Table:
    """A table of the star."""

    relation: str
    """as text after FROM"""
    columns: tuple[str, ...]
    """the names of its features there"""
    frame: Frame
    at: slice
    """its features among those of the join"""
    reference: str = ""
    """of a dimension the column of the fact that refers to its key"""
    shift: Matrix = field(default_factory=lambda: np.zeros(0))
    """of a dimension a point near the mean of its rows"""


@dataclass(frozen=True)
class Star:
    """A star join, ready to be added up by key."""

    asked: SumRequest
    """the rows of the fact table, with their targets"""
    fact: _Table
    dimensions: tuple[_Table, ...]
    """the one of the most features first"""

    @staticmethod
    def of(asked: SumRequest, frames: Sequence[Frame]) -> Star | None:
        """The star of a Join; None if its rows have to be joined, as those of arrays and on workers do."""
        source, dialect = asked.source, asked.connector.dialect
        assert isinstance(source, Join)
        widest = sum(frame.width for frame in frames) + 2
        bounded = dialect.limits.columns is not None and widest > dialect.limits.columns
        plainly = all(frame.layout == "wide" and frame.width for frame in frames)
        if not plainly or bounded or dialect.has_workers or asked.labels.renamed or asked.classifier:
            return None
        assert isinstance(source.fact, Wide)
        foreign = [name for name in source.dimensions if name not in (source.fact.key, *source.fact.keep)]
        fact = replace(source.fact, features=frames[0].names, keep=[*source.fact.keep, *foreign])
        tables: list[_Table] = []
        at = 0
        for reference, table, frame in zip(
            ("", *source.dimensions), (fact, *source.dimensions.values()), frames, strict=True
        ):
            given = replace(table, features=frame.names)  # type: ignore[arg-type]  # a Wide
            relation = _relation(asked, given, frame)
            if relation is None:
                return None
            own = slice(at, at + frame.width)
            at += frame.width
            tables.append(_Table(*relation, frame, own, reference))
        first, *others = tables
        ordered = sorted(others, key=lambda table: -table.frame.width)
        return Star(replace(asked, source=fact, projection=Features(k=frames[0].width)), first, tuple(ordered))

    def sums(self) -> list[Moments]:
        """The moments of all rows, as `RowSums.sums` gives them."""
        return [self.moments()]

    def moments(self) -> Moments:
        """The moments of the joined rows, and last of their targets.

        Raises SourceError for a row that refers to nothing, and for NULL, NaN and infinity.
        """
        with summing(self.asked) as rows:
            (own,) = rows.sums()
        q, d = len(self.asked.labels.names), self.fact.frame.width + sum(t.frame.width for t in self.dimensions)
        mean, scatter = np.zeros(d + q), np.zeros((d + q, d + q))
        of_fact = np.r_[np.arange(self.fact.frame.width), np.arange(d, d + q)]
        mean[of_fact], scatter[np.ix_(of_fact, of_fact)] = own.mean, own.scatter
        found = Moments(own.count, mean, scatter)
        if own.count:
            shifted = [replace(table, shift=self._near(table)) for table in self.dimensions]
            for i, table in enumerate(shifted):
                self._add(found, own.mean, table, shifted[i + 1 :], of_fact)
        if not np.isfinite(scatter).all():
            raise SourceError("a feature or a target is NaN or infinite: clean the rows, or keep them out by a view")
        return found

    def _near(self, table: _Table) -> Matrix:
        """The mean of the rows of a dimension, which is near that of the joined rows."""
        sums = ", ".join(f"avg({value})" for value in self._numbers("t", table))
        (row,) = self.asked.connector.rows(self.asked.session, f"SELECT {sums} FROM {table.relation} t")
        found = np.array([0.0 if value is None else float(value) for value in row])
        return np.where(np.isfinite(found), found, 0.0)

    def _numbers(self, name: str, table: _Table) -> list[str]:
        """The features of a table, which has a name in the query, as DOUBLE."""
        return [self.asked.connector.dialect.cast(f"{name}.{column}", DOUBLE) for column in table.columns]

    def _add(self, into: Moments, mean: Matrix, table: _Table, later: Sequence[_Table], of_fact: Any) -> None:
        """Add the products of a dimension with itself, the fact and the later dimensions. `mean`: of the fact."""
        width = [len(mean), *(other.frame.width for other in later)]
        ends = np.cumsum([1, *width])
        n, squares = 0.0, np.zeros((table.frame.width, table.frame.width))
        total, sums = np.zeros(table.frame.width), np.zeros(int(ends[-1]) - 1)
        crossed = np.zeros((table.frame.width, int(ends[-1]) - 1))
        size = max(_BATCH // (int(ends[-1]) + table.frame.width), 1)
        with self.asked.connector.stream(self.asked.session, self._by_key(mean, table, later), size) as read:
            for batch in read.each:
                rows = self._rows(pa.Table.from_batches([batch]), table)
                count, by_key, x = rows[:, 0], rows[:, 1 : ends[-1]], rows[:, ends[-1] :]
                with np.errstate(over="ignore", invalid="ignore"):  # the caller looks for NaN and infinity
                    n += float(count.sum())
                    total += count @ x
                    sums += by_key.sum(axis=0)
                    squares += (x * count[:, None]).T @ x
                    crossed += x.T @ by_key
        if n != into.count:
            raise SourceError(REFERS.format(table=self.fact.frame.table, other=table.frame.table))
        into.mean[table.at] = table.shift + total / n
        with np.errstate(over="ignore", invalid="ignore"):
            into.scatter[table.at, table.at] = squares - np.outer(total, total) / n
            crossed -= np.outer(total, sums) / n
        columns = [of_fact, *(np.arange(other.at.start, other.at.stop) for other in later)]
        for start, end, theirs in zip(ends[:-1] - 1, ends[1:] - 1, columns, strict=True):
            own = np.arange(table.at.start, table.at.stop)
            into.scatter[np.ix_(own, theirs)] = crossed[:, start:end]
            into.scatter[np.ix_(theirs, own)] = crossed[:, start:end].T

    def _rows(self, found: pa.Table, table: _Table) -> Matrix:
        """The numbers of a batch of keys. Raises SourceError for NULL."""
        if any(column.null_count for column in found.columns):
            raise SourceError(REFERS.format(table=self.fact.frame.table, other=table.frame.table))
        return np.column_stack([pc.fill_null(rounded(column), 0.0).to_numpy() for column in found.columns])

    def _by_key(self, mean: Matrix, table: _Table, later: Sequence[_Table]) -> str:
        """The query of a row for each key: the fact's rows, sums of their features and of later ones, and its own."""
        dialect, kept = self.asked.connector.dialect, self.fact.frame.kept
        foreign = Names(kept, dialect.folding)

        def column(name: str) -> str:
            return f"t0.{dialect.quote(foreign.find(name) or name)}"

        def less(value: str, by: float) -> str:
            return f"{value} - ({dialect.literal(float(by), DOUBLE)})"

        targets = [dialect.cast(f"t0.{dialect.quote(name)}", DOUBLE) for name in self.asked.labels.names]
        own = self._numbers("t0", self.fact) + targets
        added = [less(value, by) for value, by in zip(own, mean, strict=True)]
        joins = f"{self.fact.relation} t0"
        for at, other in enumerate(later, 1):
            key = dialect.quote(other.frame.key or "")
            joins += f" JOIN {other.relation} t{at} ON t{at}.{key} = {column(other.reference)}"
            added += map(less, self._numbers(f"t{at}", other), other.shift)
        there = [f"{column(table.reference)} IS NOT NULL"]
        there += [f"t0.{dialect.quote(name)} IS NOT NULL" for name in self.asked.labels.names]
        sums = ", ".join(f"sum({value}) AS s{i}" for i, value in enumerate(added))
        by = f"SELECT {column(table.reference)} AS g, count(*) AS n, {sums} FROM {joins} WHERE {' AND '.join(there)}"
        grouped = f"({by} GROUP BY {column(table.reference)}) g"
        outputs = ["g.n AS n", *(f"g.s{i} AS s{i}" for i in range(len(added)))]
        own = list(map(less, self._numbers("d", table), table.shift))
        outputs += [f"{value} AS d{i}" for i, value in enumerate(own)]
        key = dialect.quote(table.frame.key or "")
        return f"SELECT {', '.join(outputs)} FROM {grouped} JOIN {table.relation} d ON d.{key} = g.g"


def _relation(asked: SumRequest, table: Wide | Array, frame: Frame) -> tuple[str, tuple[str, ...]] | None:
    """The text after FROM of a table's features, and their names there; None if it takes several statements.

    Floats are read as they stand. Others, such as booleans, are read as every projection reads them.
    """
    dialect = asked.connector.dialect
    if all(number in (DOUBLE, FLOAT) for number in frame.numbers):
        return dialect.table(frame.table), tuple(map(dialect.quote, frame.names))
    options = Options("columns", True, "propagate", SQL)
    script = planned(Features(k=frame.width), table, asked.session, options, quiet=True).script()
    if script.steps:
        return None
    return f"({script.statement.inner}{dialect.fence})", tuple(component_names(dialect, frame.width))


__all__ = ["Star"]
