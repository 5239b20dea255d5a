"""Clusters of rows: the connected components of near pairs, by rounds that contract them where they are.

In each round a row takes the least number of its neighbours and of itself, under a new random order, and rows with one
number become one row (Bögeholz, Brand, Todor 2020: In-database connected component analysis). A third of the rows or
more are expected to go in each round, however the pairs lie.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._connectors.foresight import foreseen
from sqlrp._core.draw import P
from sqlrp._core.errors import ParameterError, SourceError, shorten
from sqlrp._core.names import Names, spelled
from sqlrp._core.numbers import DOUBLE, WHOLE
from sqlrp._core.script import Setup
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._engines.registry import connector_of

_NODES, _PAIRS, _EDGES, _LEAST, _HALF, _LABELS = (
    f"sqlrp_{name}" for name in ("nodes", "near_pairs", "edges", "least", "half", "labels")
)
_CLUSTER, _DISTANCE = "cluster", "distance"


@foreseen
def clusters(connection: Any, near: str, *, within: float) -> pa.Table:
    """Group rows by near pairs: each row with its cluster, and the distance to the nearest row of the cluster.

    `near` is the name of a table of pairs, as `CREATE TABLE near AS` makes with the text of `neighbours_sql` or
    `pairs_sql`: two keys and `distance`. Two rows are in one cluster if a chain of pairs joins them, of which none is
    more than `within` apart: clusters are the connected components, those of single linkage cut at `within`.

    Returns a pyarrow.Table: the key, with the name of the first of the two, `cluster`, the least key of the cluster,
    and `distance`, to the nearest row that the table pairs it with, NULL for a row that is alone. So near-duplicates
    are the rows with a distance, and those whose key is not their cluster may go. The rows of a cluster follow each
    other. Every key of the table has one row; NULL is no key.

    The database finds the clusters in temporary tables, in a number of rounds that grows with the logarithm of the rows
    (Bögeholz, Brand, Todor 2020), and drops them again. Where it makes none, this process does it with the near pairs.
    Raises ParameterError for a `within` that is no finite number, and SourceError for a table of other columns.

        >>> _ = sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), "points", con, "points_bits", output="bits")
        >>> _ = con.execute("CREATE TABLE near AS " + sqlrp.neighbours_sql(con, "points_bits", n=3))
        >>> sqlrp.clusters(con, "near", within=0.5).column_names
        ['id', 'cluster', 'distance']
    """
    if isinstance(within, bool) or not isinstance(within, (int, float)) or not math.isfinite(within):
        raise ParameterError(f"within = {shorten(within)} must be a finite number: the distance of near rows")
    connector = connector_of(connection)
    with connector.working(connection) as session:
        pairs = _PairTable.of(connector, session, near, float(within))
        lacks = not connector.dialect.has_temporary or bool(connector.restricted(session))
        rows = _here(connector, session, pairs) if lacks else _there(connector, session, pairs)
    return connector.named(rows, [pairs.name, _CLUSTER, _DISTANCE])


@dataclass(frozen=True)
class _PairTable:
    """A table of pairs."""

    table: str
    """as SQL, and so are the columns"""
    a: str
    b: str
    distance: str
    name: str
    """the name of the first key"""
    within: str

    @staticmethod
    def of(connector: Connector, session: Any, near: object, within: float) -> _PairTable:
        """Look at the table. Raises SourceError unless it has two keys and a distance."""
        if not isinstance(near, str):
            raise ParameterError(f"near = {shorten(near)} must be the name of a table of pairs")
        dialect, table = connector.dialect, TableName.parse(near)
        have = [column.name for column in connector.columns(session, table)]
        distance = Names(have, dialect.folding).find(_DISTANCE)
        keys = [name for name in have if name != distance]
        if distance is None or len(keys) != 2:
            raise SourceError(
                f"{near} has the columns {shorten(have)}, and a table of pairs has two keys and {_DISTANCE!r}: make it "
                "by CREATE TABLE near AS and the text of sqlrp.neighbours_sql or sqlrp.pairs_sql"
            )
        if spelled(keys[0]) in (_CLUSTER, _DISTANCE):
            raise SourceError(f"column {keys[0]!r} of {near} has the name of a column of the result: rename it")
        a, b, far = map(dialect.quote, (*keys, distance))
        return _PairTable(dialect.table(table), a, b, far, keys[0], dialect.literal(within, DOUBLE))

    def sides(self, connector: Connector) -> str:
        """The rows (k, distance) of both keys of each pair, with NULL for what is not near, as text after FROM."""
        near = f"CASE WHEN {self.distance} <= {self.within} THEN {self.distance} END"
        there = f"{self.a} IS NOT NULL AND {self.b} IS NOT NULL"
        keys = f"CASE WHEN d.i = 0 THEN {self.a} ELSE {self.b} END"
        two = _two(connector)
        return f"(SELECT {keys} AS k, {near} AS {_DISTANCE} FROM {self.table} CROSS JOIN {two} WHERE {there}) s"


def _two(connector: Connector) -> str:
    """A relation of 0 and 1: MySQL reads a temporary table once in a statement, and so no union of it."""
    end = connector.dialect.constants_from
    return f"(SELECT 0 AS i{end} UNION ALL SELECT 1{end}) d"


class _TemporaryTables:
    """The temporary tables of one call."""

    def __init__(self, connector: Connector, session: Any) -> None:
        self.connector, self.session, self.made = connector, session, list[Setup]()

    def __call__(self, name: str) -> str:
        """The name of a table as SQL."""
        return self.connector.dialect.temporary_name(name)

    def make(self, name: str, query: str) -> None:
        """Make a table of the rows of a query."""
        step = self.connector.dialect.temporary_table(self(name), query, numbered=False)
        self.made.append(step)
        self.connector.store_all(self.session, [step])

    def drop(self, *names: str) -> None:
        """Drop tables that nothing reads any more."""
        gone = [step for step in self.made if step.name in map(self, names)]
        self.connector.drop_all(self.session, gone)
        self.made[:] = [step for step in self.made if step not in gone]


def _there(connector: Connector, session: Any, pairs: _PairTable) -> pa.Table:
    """The clusters by the database."""
    tables, dialect = _TemporaryTables(connector, session), connector.dialect
    rng, two, turn = np.random.default_rng(0), _two(connector), 0
    with connector.set_up(session, tables.made, later=True):
        number = dialect.cast("row_number() OVER (ORDER BY k ASC)", WHOLE)
        tables.make(f"{_LABELS}0", f"SELECT k, {number} AS v FROM (SELECT DISTINCT k FROM {pairs.sides(connector)}) u")
        near = f"CASE WHEN {pairs.distance} <= {pairs.within} THEN 1 ELSE 0 END"
        joined = f"{pairs.table} p JOIN {tables(f'{_LABELS}0')} n ON n.k = p.{pairs.a}"
        there = f"p.{pairs.b} IS NOT NULL"
        tables.make(_HALF, f"SELECT n.v AS v, p.{pairs.b} AS k, {near} AS near FROM {joined} WHERE {there}")
        numbered = f"(SELECT h.v AS v, n.v AS w, h.near AS near FROM {tables(_HALF)} h "
        numbered += f"JOIN {tables(f'{_LABELS}0')} n ON n.k = h.k) e"
        own, other = "CASE WHEN d.i = 0 THEN e.v ELSE e.w END", "CASE WHEN d.i = e.near THEN e.v ELSE e.w END"
        tables.make(f"{_EDGES}0", f"SELECT DISTINCT {own} AS v, {other} AS w FROM {numbered} CROSS JOIN {two}")
        tables.drop(_HALF)
        while connector.rows(session, f"SELECT count(*) FROM {tables(f'{_EDGES}{turn}')} WHERE v <> w")[0][0]:
            times, plus = int(rng.integers(1, P)), int(rng.integers(0, P))
            _contract(tables, turn, lambda x, a=times, b=plus: dialect.remainder(f"({x}*{a}+{b})", P))
            turn += 1
        nearest = f"(SELECT k, min({_DISTANCE}) AS {_DISTANCE} FROM {pairs.sides(connector)} GROUP BY k) f"
        first = "first_value(l.k) OVER (PARTITION BY l.v ORDER BY l.k ASC)"
        found = f"SELECT l.k AS k, {first} AS c, f.{_DISTANCE} AS {_DISTANCE} "
        found += f"FROM {tables(f'{_LABELS}{turn}')} l JOIN {nearest} ON f.k = l.k"
        query = f"SELECT k, c, {_DISTANCE} FROM ({found}) r ORDER BY c ASC, k ASC{dialect.settings}"
        return connector.fetch(session, query)


def _contract(tables: _TemporaryTables, turn: int, moved: Any) -> None:
    """One round. `moved`: the number of a row in the order of this round, one to one."""
    edges, labels, least, half = (tables(name) for name in (f"{_EDGES}{turn}", f"{_LABELS}{turn}", _LEAST, _HALF))
    own = f"SELECT v, {moved('v')} AS h, min({moved('w')}) AS m FROM {edges} GROUP BY v"
    tables.make(_LEAST, f"SELECT v, CASE WHEN m < h THEN m ELSE h END AS r FROM ({own}) g")
    tables.make(_HALF, f"SELECT DISTINCT r.r AS v, e.w AS w FROM {edges} e JOIN {least} r ON r.v = e.v")
    joined = f"{half} e JOIN {least} r ON r.v = e.w"
    tables.make(f"{_EDGES}{turn + 1}", f"SELECT DISTINCT e.v AS v, r.r AS w FROM {joined}")
    tables.make(f"{_LABELS}{turn + 1}", f"SELECT l.k AS k, r.r AS v FROM {labels} l JOIN {least} r ON r.v = l.v")
    tables.drop(f"{_EDGES}{turn}", f"{_LABELS}{turn}", _LEAST, _HALF)


def _here(connector: Connector, session: Any, pairs: _PairTable) -> pa.Table:
    """The clusters by this process, of the near pairs."""
    settings = connector.dialect.settings
    nearest = f"SELECT k, min({_DISTANCE}) AS {_DISTANCE} FROM {pairs.sides(connector)} GROUP BY k ORDER BY k ASC"
    rows = connector.fetch(session, nearest + settings)
    near = f"{pairs.a} IS NOT NULL AND {pairs.b} IS NOT NULL AND {pairs.distance} <= {pairs.within}"
    found = connector.fetch(session, f"SELECT {pairs.a} AS a, {pairs.b} AS b FROM {pairs.table} WHERE {near}{settings}")
    at = {key: i for i, key in enumerate(rows.column(0).to_pylist())}
    a, b = (np.array([at[key] for key in column.to_pylist()], dtype=np.int64) for column in found.columns)
    least = np.arange(len(at))
    while True:
        before = least.copy()
        np.minimum.at(least, a, before[b])
        np.minimum.at(least, b, before[a])
        np.minimum.at(least, before, least.copy())  # the row that stood for another one follows it
        least = least[least]
        if (least == before).all():
            break
    order = np.lexsort((np.arange(len(least)), least))
    keys = rows.column(0)
    columns = [keys.take(order), keys.take(least[order]), rows.column(1).take(order)]
    return pa.table(dict(zip(("k", "c", _DISTANCE), columns, strict=True)))


__all__ = ["clusters"]
