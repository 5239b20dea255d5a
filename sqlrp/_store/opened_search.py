"""A search that is opened once: each call is one statement, which also proves that it read the table that was opened.

`search` reads the record, the mark and the columns before each query, and the record after it. An opened search asks
for proof instead (`sqlrp._store.held_search`). If an answer is another one than when the search was opened, all is read
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import check_choice
from sqlrp._core.sources import TableName
from sqlrp._lowering.distances_sql import Metric
from sqlrp._lowering.search import Choice
from sqlrp._store.catalogue import keeper
from sqlrp._store.held_search import HeldSearch, found_steadily
from sqlrp._store.records import table_named
from sqlrp._store.row_choices import check_candidates, choice_of, chosen
from sqlrp._store.search_queries import Query
from sqlrp._store.steady import read_steadily
from sqlrp._store.table import Catalogue, Row
from sqlrp._store.table_search import search


class OpenedSearch:
    """A search of one kept table, which `sqlrp.open_search` opened. Call it with a vector, or with several.

    >>> _ = sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), "points", con, "points_bits", output="bits")
    >>> near = sqlrp.open_search(con, "points_bits")
    >>> near
    OpenedSearch('points_bits', candidates=100, metric='l2', again=True)
    >>> near([[1.0, 2.0, 0.0], [0.0, 1.0, 2.0]], n=2).column_names
    ['query', 'id', 'distance']
    """

    def __init__(
        self, connection: Any, into: str, candidates: int | None, metric: Metric, again: bool, choice: Choice
    ) -> None:
        """Read the table; see `open_search`."""
        check_choice("metric", metric, get_args(Metric))
        check_candidates(candidates, choice)
        self._connection, self._table = connection, table_named(into)
        self._connector: Connector = keeper(connection)
        self._into, self._candidates, self._metric, self._again = into, candidates, metric, again
        self._choice = choice
        self._held: HeldSearch | None = self._read()

    def __repr__(self) -> str:
        """The table and the options."""
        options = f"candidates={self._candidates}, metric={self._metric!r}, again={self._again}"
        options += f", keep={list(self._choice.keep)}" if self._choice.keep else ""
        options += f", where={self._choice.where!r}" if self._choice.where else ""
        options += ", sure=True" if self._choice.sure else ""
        return f"OpenedSearch({self._into!r}, {options})"

    def __call__(
        self, vector: Any = None, n: int = 10, *, like: Any = None, vectors: Any = None, offset: int = 0
    ) -> pa.Table:
        """Find the rows nearest to a vector, to each of several or of a table, or to rows by key; see `search`."""
        choice = replace(self._choice, offset=choice_of((), None, offset).offset)
        query = Query.of(vector, like, vectors, n, self._candidates, choice)
        own, self._held = self._held, None
        found = found_steadily(self._connector, self._connection, own, self._read, query)
        if found is not None:
            self._held = found[0]
            return query.shown(found[1], self._into, self._again)
        options: dict[str, Any] = {"candidates": self._candidates, "metric": self._metric, "again": self._again}
        options |= {"keep": choice.keep, "where": choice.where or None, "offset": offset, "sure": choice.sure}
        return search(self._connection, self._into, vector, n, like=like, vectors=vectors, **options)

    def _read(self) -> HeldSearch:
        """The table as it is now. Raises an error as `search` does."""

        def read(catalogue: Catalogue, place: TableName, row: Row) -> HeldSearch:
            held = HeldSearch.read(catalogue, place, row, self._metric, self._again)
            chosen(catalogue.connector, catalogue.session, held.search, self._choice)
            return held

        return read_steadily(self._connector, self._connection, self._table, read)


def open_search(
    connection: Any,
    into: str,
    *,
    keep: Sequence[str] = (),
    where: str | None = None,
    candidates: int | None = 100,
    metric: Metric = "l2",
    again: bool = True,
    sure: bool = False,
) -> OpenedSearch:
    """Open a search of a table that `materialize` made, for many queries: `s = open_search(…)`, then `s(vector, n=10)`.

    `s` gives what `search` gives, and takes one vector or several. `search` asks the database about the table before
    each query, which takes several round trips. `s` asks when it is opened. After that, each query is one statement,
    which also proves that the table, its record, its source and their columns are those that were read. In DuckDB two
    short statements prove that. If others replaced the table meanwhile, `s` reads it again and answers from the new
    one. So an answer is always of one table.

    `keep`, `where`, `candidates`, `metric`, `again` and `sure` are those of `search`. `s` takes `like`, `vectors` and
    `offset` too. The row of a key, and the vectors of a table, are read by a statement of their own. A table that is a
    view, whose source is a file or a temporary table, or that is in another schema than `sqlrp_catalogue`, is asked
    about before each query. `s` uses the connection that it was opened with, so it takes one thread at a time.
    Raises the errors of `search`.

        >>> _ = sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), "points", con, "points_bits", output="bits")
        >>> near = sqlrp.open_search(con, "points_bits")
        >>> near([1.0, 2.0, 0.0], n=2).column_names
        ['id', 'distance']
    """
    return OpenedSearch(connection, into, candidates, metric, again, choice_of(keep, where, sure=sure))


__all__ = ["OpenedSearch", "open_search"]
