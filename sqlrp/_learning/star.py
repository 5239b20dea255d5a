"""The sums of the rows of a star join, from sums of its tables by key: the joined rows are never made.

The products of all pairs of features are wanted, of the fact table and of its dimensions. Those of the fact's own
features are sums of its rows. For a dimension the fact's rows are added up by its key: their number, their features,
and the features of the later dimensions. The products with the dimension's features are then sums over its keys, which
are fewer than the rows (Schleich, Olteanu and Ciucanu 2016, Learning linear regression models over factorized joins).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sqlrp._core.draw import Ints
from sqlrp._core.errors import SourceError
from sqlrp._core.names import Names
from sqlrp._core.numbers import DOUBLE, FLOAT
from sqlrp._core.options import Options
from sqlrp._core.sources import Array, Join, Wide
from sqlrp._core.values import dataclass
from sqlrp._evaluator.moments import Matrix, Moments
from sqlrp._evaluator.moments import total as whole
from sqlrp._evaluator.tile_sources import rounded
from sqlrp._learning.features import Features
from sqlrp._learning.row_sums import SumRequest, summing
from sqlrp._learning.target import owner_of
from sqlrp._lowering.endpoints import component_names
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.lowerings import SQL
from sqlrp._lowering.sums_sql import NUMBER, fold_text
from sqlrp._lowering.tallies import plain_class
from sqlrp._run.table_input import planned, table_input

_BATCH = 1 << 22
"""The numbers of a batch of keys."""
_FOLD = "sqlrp_fold"
"""The column of a row's fold."""
REFERS = (
    "a row of {table} refers to no row of {other}, or to one that holds NULL, which nothing can be learnt from: clean "
    "such rows, or keep them out by a view"
)


@dataclass(frozen=True)
class JoinSums:
    """The sums of the rows of a join, added up by key."""

    asked: SumRequest
    moments: Sequence[Moments]
    """of each fold"""
    terms: int = 0
    """the additions and multiplications that project one row"""

    how = "each table is added up by key; the rows are not joined"
    features = None
    named = (None, None)
    said = None
    moved = None

    def sums(self) -> list[Moments]:
        """The moments of each fold, as `RowSums.sums` gives them."""
        return list(self.moments)


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


@dataclass
class _Products:
    """Sums over the keys of a dimension: of the rows x of the dimension, and of what was added up by key."""

    total: Matrix
    """Σ n·x, for n rows of a key"""
    sums: Matrix
    """Σ s, for the sums s of a key"""
    crossed: Matrix
    """Σ x sᵀ"""
    count: float = 0.0
    squares: Matrix | float = 0.0
    """Σ n·x xᵀ"""

    def add(self, count: Matrix, sums: Matrix, x: Matrix) -> None:
        """Add some keys."""
        with np.errstate(over="ignore", invalid="ignore"):  # the caller looks for NaN and infinity
            self.count += float(count.sum())
            self.total += count @ x
            self.sums += sums.sum(axis=0)
            self.squares += (x * count[:, None]).T @ x
            self.crossed += x.T @ sums

    def put(self, into: Moments, table: _Table, columns: Ints) -> None:
        """Put the mean and the products into moments. `columns`: the entries that were added up by key."""
        if not self.count:
            return
        own = np.arange(table.at.start, table.at.stop)
        into.mean[table.at] = table.shift + self.total / self.count
        with np.errstate(over="ignore", invalid="ignore"):
            into.scatter[table.at, table.at] = self.squares - np.outer(self.total, self.total) / self.count
            crossed = self.crossed - np.outer(self.total, self.sums) / self.count
        into.scatter[np.ix_(own, columns)] = crossed
        into.scatter[np.ix_(columns, own)] = crossed.T


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
        plainly = frames[0].width and all(frame.layout == "wide" for frame in frames)
        apart = [name for name in asked.labels.names if owner_of(source, name)[0] is not None]
        if apart or not plainly or bounded or dialect.has_workers or asked.labels.renamed:
            return None
        assert isinstance(source.fact, Wide)
        foreign = [name for name in source.dimensions if name not in (source.fact.key, *source.fact.keep)]
        fact = replace(source.fact, features=frames[0].names, keep=[*source.fact.keep, *foreign])
        tables: list[_Table] = []
        at = 0
        for reference, table, frame in zip(
            ("", *source.dimensions), (fact, *source.dimensions.values()), frames, strict=True
        ):
            if not frame.width:
                continue
            given = replace(table, features=frame.names)  # type: ignore[arg-type]  # a Wide
            relation = _relation(asked, given, frame)
            if relation is None:
                return None
            own = slice(at, at + frame.width)
            at += frame.width
            tables.append(_Table(*relation, frame, own, reference))
        first, *others = tables
        own_rows = table_input(fact, asked.rows.target)
        ordered = sorted(others, key=lambda table: -table.frame.width)
        return Star(replace(asked, rows=own_rows, projection=Features(k=frames[0].width)), first, tuple(ordered))

    def moments(self) -> list[Moments] | None:
        """The moments of the joined rows of each fold, with their targets last, or with their classes.

        None if the engine groups texts of classes that are several here, such as those of another case. Raises
        SourceError for a row that refers to nothing or holds NULL, and for NaN and infinity.
        """
        with summing(self.asked) as rows:
            own = rows.sums()
        self._check_count(sum(part.count for part in own))
        found = [self._widened(part) for part in own]
        if not any(part.count for part in own):
            return found
        shift = whole(own).mean
        shifted = [replace(table, shift=self._near(table)) for table in self.dimensions]
        for i, table in enumerate(shifted):
            self._add(found, shift, table, shifted[i + 1 :])
            if self.asked.classifier and not self._add_classes(found, table):
                return None
        if not all(np.isfinite(part.scatter).all() for part in found):
            raise SourceError("a feature or a target is NaN or infinite: clean the rows, or keep them out by a view")
        return found

    @property
    def _of_fact(self) -> Ints:
        """The entries of a joined row that the fact table has: its features, and targets that are numbers."""
        d = self.fact.frame.width + sum(table.frame.width for table in self.dimensions)
        targets = 0 if self.asked.classifier else len(self.asked.labels.names)
        return np.arange(d + targets)[np.r_[: self.fact.frame.width, d : d + targets]]

    def _widened(self, own: Moments) -> Moments:
        """The moments of the fact's rows with room for the dimensions."""
        at = self._of_fact
        m = len(at) + sum(table.frame.width for table in self.dimensions)
        mean, scatter = np.zeros(m), np.zeros((m, m))
        mean[at], scatter[np.ix_(at, at)] = own.mean, own.scatter
        classes = {name: (count, np.r_[of, np.zeros(m - len(of))]) for name, (count, of) in own.classes.items()}
        return Moments(own.count, mean, scatter, classes)

    def _check_count(self, count: int) -> None:
        """Raise SourceError if rows with NULL were left out: all of a target are needed."""
        if self.asked.options.nulls == "error":  # they were refused
            return
        where = " AND ".join(self._targets_there()) or "1=1"
        query = f"SELECT count(*) FROM {self.fact.relation} t0 WHERE {where}"
        (row,) = self.asked.connector.rows(self.asked.session, query)
        if row[0] != count:
            raise SourceError(REFERS.format(table=self.fact.frame.table, other=self.fact.frame.table))

    def _targets_there(self) -> list[str]:
        """That no target of a row t0 is NULL."""
        return [f"t0.{self.asked.connector.dialect.quote(name)} IS NOT NULL" for name in self.asked.labels.names]

    def _column(self, name: str) -> str:
        """A column of a row t0 of the fact table."""
        dialect = self.asked.connector.dialect
        return f"t0.{dialect.quote(Names(self.fact.frame.kept, dialect.folding).find(name) or name)}"

    def _near(self, table: _Table) -> Matrix:
        """The mean of the rows of a dimension, which is near that of the joined rows."""
        sums = ", ".join(f"avg({value})" for value in self._numbers("t", table))
        (row,) = self.asked.connector.rows(self.asked.session, f"SELECT {sums} FROM {table.relation} t")
        found = np.array([0.0 if value is None else float(value) for value in row])
        return np.where(np.isfinite(found), found, 0.0)

    def _numbers(self, name: str, table: _Table) -> list[str]:
        """The features of a table, which has a name in the query, as DOUBLE."""
        return [self.asked.connector.dialect.cast(f"{name}.{column}", DOUBLE) for column in table.columns]

    def _add(self, into: Sequence[Moments], mean: Matrix, table: _Table, later: Sequence[_Table]) -> None:
        """Add the products of a dimension with itself, the fact and the later dimensions. `mean`: near the fact's."""
        columns = np.r_[self._of_fact, *(np.arange(other.at.start, other.at.stop) for other in later)]
        end, width = 2 + len(columns), table.frame.width
        parts = [_Products(np.zeros(width), np.zeros(len(columns)), np.zeros((width, len(columns)))) for _ in into]
        with self.asked.connector.stream(
            self.asked.session, self._by_key(mean, table, later), max(_BATCH // (end + width), 1)
        ) as read:
            for batch in read.each:
                rows = self._rows(pa.Table.from_batches([batch]), table)
                for fold in np.unique(rows[:, 0]).tolist():
                    mine = rows if len(into) == 1 else rows[rows[:, 0] == fold]
                    parts[int(fold)].add(mine[:, 1], mine[:, 2:end], mine[:, end:])
        for moments, part in zip(into, parts, strict=True):
            if part.count != moments.count:
                raise SourceError(REFERS.format(table=self.fact.frame.table, other=table.frame.table))
            part.put(moments, table, columns)

    def _add_classes(self, into: Sequence[Moments], table: _Table) -> bool:
        """Add the means of a dimension's features in each class. False if the engine tells other classes apart."""
        read = self.asked.connector.rows(self.asked.session, self._by_class(table))
        found = {(int(fold), plain_class(name)): (float(count), sums) for fold, name, count, *sums in read}
        own = {(i, name): of for i, part in enumerate(into) for name, of in part.classes.items()}
        if {at: count for at, (count, _) in found.items()} != {at: count for at, (count, _) in own.items()}:
            return False
        for at, (count, mean) in own.items():
            mean[table.at] = table.shift + np.array(found[at][1], dtype=np.float64) / count
        return True

    def _by_class(self, table: _Table) -> str:
        """The query of the number of rows of each class, and of the sums of a dimension's features."""
        dialect, own = self.asked.connector.dialect, self._column(table.reference)
        label, (relation, fold) = f"t0.{dialect.quote(self.asked.labels.names[0])}", self._folded()
        by = f"SELECT {own} AS g, {'0' if not fold else fold[0]} AS f, {label} AS y, count(*) AS n FROM {relation} t0"
        by += f" WHERE {own} IS NOT NULL AND {label} IS NOT NULL GROUP BY {', '.join([own, *fold, label])}"
        n, away = dialect.cast("g.n", DOUBLE), map(self._less, self._numbers("d", table), table.shift)
        sums = ", ".join(f"sum({n}*({value})) AS sum{i}" for i, value in enumerate(away))
        joined = f"({by}) g JOIN {table.relation} d ON d.{dialect.quote(table.frame.key or '')} = g.g"
        return f"SELECT g.f AS f, g.y AS y, sum({n}) AS w, {sums} FROM {joined} GROUP BY g.f, g.y"

    def _folded(self) -> tuple[str, list[str]]:
        """The rows t0 of the fact table, as text after FROM, and their fold, if there are several."""
        asked, relation, dialect = self.asked, self.fact.relation, self.asked.connector.dialect
        if asked.key is None:
            return relation, []
        number, fold = fold_text(dialect, asked.key, asked.folds, asked.seed)
        inner = f"(SELECT q.*, {number} AS {NUMBER} FROM {relation} q{dialect.fence})"
        return f"(SELECT q.*, {fold} AS {_FOLD} FROM {inner} q{dialect.fence})", [f"t0.{_FOLD}"]

    def _less(self, value: str, by: float) -> str:
        """The difference of a value from a number."""
        return f"{value} - ({self.asked.connector.dialect.literal(float(by), DOUBLE)})"

    def _rows(self, found: pa.Table, table: _Table) -> Matrix:
        """The numbers of a batch of keys. Raises SourceError for NULL."""
        if any(column.null_count for column in found.columns):
            raise SourceError(REFERS.format(table=self.fact.frame.table, other=table.frame.table))
        return np.column_stack([pc.fill_null(rounded(column), 0.0).to_numpy() for column in found.columns])

    def _by_key(self, mean: Matrix, table: _Table, later: Sequence[_Table]) -> str:
        """The query of a row for each key: the fact's rows, sums of their features and of later ones, and its own."""
        dialect, column, less = self.asked.connector.dialect, self._column, self._less
        own = self._numbers("t0", self.fact)
        if not self.asked.classifier:
            own += [dialect.cast(f"t0.{dialect.quote(name)}", DOUBLE) for name in self.asked.labels.names]
        added = [less(value, by) for value, by in zip(own, mean, strict=True)]
        relation, fold = self._folded()
        joins = f"{relation} t0"
        for at, other in enumerate(later, 1):
            key = dialect.quote(other.frame.key or "")
            joins += f" JOIN {other.relation} t{at} ON t{at}.{key} = {column(other.reference)}"
            added += map(less, self._numbers(f"t{at}", other), other.shift)
        there = [f"{column(table.reference)} IS NOT NULL", *self._targets_there()]
        sums = ", ".join(f"sum({value}) AS s{i}" for i, value in enumerate(added))
        by = f"SELECT {column(table.reference)} AS g, {'0' if not fold else fold[0]} AS f, count(*) AS n, {sums} "
        by += f"FROM {joins} WHERE {' AND '.join(there)} GROUP BY {', '.join([column(table.reference), *fold])}"
        grouped = f"({by}) g"
        outputs = ["g.f AS f", "g.n AS n", *(f"g.s{i} AS s{i}" for i in range(len(added)))]
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


__all__ = ["JoinSums", "Star"]
