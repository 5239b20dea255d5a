"""A search that is opened once: each call is one statement, which also proves that it read the table that was opened.

`search` reads the record, the mark and the columns before each query, and the record after it. An opened search asks
the same in the statement of its query: the rows of the catalogue about the table, the mark, the columns of the table
and of its source, and whether the catalogue is a plain table. One statement sees all of it at one time. If an answer is
another one than when the search was opened, its rows are thrown away, and all is read again. DuckDB is asked after the
query, as a statement takes no round trip there.

Rows of a catalogue must not be read before it is known to be a plain table, as a view runs its owner's code. Here they
are read in the same statement as the kept table. So that is done only where both are in one schema: who could replace
the catalogue since it was asked could replace the kept table, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import pyarrow as pa

from sqlrp._connectors.connector import Connector, ProofQuestions
from sqlrp._core.errors import StatementError, UnreachableError, check_choice
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._lowering.distances_sql import Metric
from sqlrp._lowering.search import Choice, Search
from sqlrp._projections.checks import check_whole
from sqlrp._store.catalogue import keeper_of_tables
from sqlrp._store.records import Record, TableDefinition, table_named
from sqlrp._store.row_choices import choice_of, chosen
from sqlrp._store.search_queries import Query
from sqlrp._store.steady import TRIES, read_steadily
from sqlrp._store.table import MAKING, RECORDED, Catalogue, Row
from sqlrp._store.table_search import answered, search, search_of_row


@dataclass(frozen=True)
class _Held:
    """A table as it was read."""

    search: Search
    made: TableDefinition
    asked: ProofQuestions | None
    """what is asked again of each query; None where it cannot be"""
    answers: str = ""
    """what must be answered"""


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
        self, connection: Any, into: str, candidates: int, metric: Metric, again: bool, choice: Choice
    ) -> None:
        """Read the table; see `open_search`."""
        check_choice("metric", metric, get_args(Metric))
        check_whole("candidates", candidates, 1)
        self._connection, self._table = connection, table_named(into)
        self._connector: Connector = keeper_of_tables(connection)
        self._into, self._candidates, self._metric, self._again = into, candidates, metric, again
        self._choice = choice
        self._held: _Held | None = self._read()

    def __repr__(self) -> str:
        """The table and the options."""
        options = f"candidates={self._candidates}, metric={self._metric!r}, again={self._again}"
        options += f", keep={list(self._choice.keep)}" if self._choice.keep else ""
        options += f", where={self._choice.where!r}" if self._choice.where else ""
        return f"OpenedSearch({self._into!r}, {options})"

    def __call__(
        self, vector: Any = None, n: int = 10, *, like: Any = None, vectors: Any = None, offset: int = 0
    ) -> pa.Table:
        """Find the rows nearest to a vector, to each of several or of a table, or to rows by key; see `search`."""
        choice = replace(self._choice, offset=choice_of((), None, offset).offset)
        query = Query.of(vector, like, vectors, n, self._candidates, choice)
        failed = ""
        for _ in range(TRIES):
            held, self._held = self._held or self._read(), None
            if held.asked is None:
                break
            try:
                found = self._proven(held, held.asked, query)
            except UnreachableError:
                raise
            except StatementError:
                # If the table is still the one that was read, its statement fails by itself.
                if failed == held.answers:
                    raise
                failed = held.answers
                continue
            if found is not None:
                self._held = held
                return query.shown(found, self._into, self._again)
        options: dict[str, Any] = {"candidates": self._candidates, "metric": self._metric, "again": self._again}
        options |= {"keep": choice.keep, "where": choice.where or None, "offset": offset}
        return search(self._connection, self._into, vector, n, like=like, vectors=vectors, **options)

    def _read(self) -> _Held:
        """The table as it is now. Raises an error as `search` does."""

        def read(catalogue: Catalogue, place: TableName, row: Row) -> _Held:
            made = search_of_row(catalogue, place, row, self._metric, self._again)
            connector, session, record = catalogue.connector, catalogue.session, Record.of(row).made
            asked = _proof(catalogue, place, row)
            answers = connector.proof(session, asked) if asked else ""
            chosen(connector, session, made, self._choice)
            return _Held(made, record, asked, answers)

        return read_steadily(self._connector, self._connection, self._table, read)

    def _proven(self, held: _Held, asked: ProofQuestions, query: Query) -> list[pa.Table] | None:
        """The rows of each statement; None if the table is not the one that was read."""
        connector, found = self._connector, []
        apart = connector.dialect.proves_apart
        with connector.session(self._connection) as session:
            proof = "" if apart else connector.dialect.in_one(asked.every)
            texts = query.texts(connector, session, held.search, held.made, proof)
            for at, text in enumerate(texts, start=1):
                last = at == len(texts) and not apart
                rows = (connector.fetch_last if last else connector.fetch)(session, text)
                if not apart:
                    rows, answer = answered(rows)
                    if answer != held.answers:
                        return None
                found.append(rows)
            # Each table that is made has a new mark. So one that has its mark after the query had it before, too.
            if apart and connector.proof(session, asked) != held.answers:
                return None
        return found


def open_search(
    connection: Any,
    into: str,
    *,
    keep: Sequence[str] = (),
    where: str | None = None,
    candidates: int = 100,
    metric: Metric = "l2",
    again: bool = True,
) -> OpenedSearch:
    """Open a search of a table that `materialize` made, for many queries: `s = open_search(…)`, then `s(vector, n=10)`.

    `s` gives what `search` gives, and takes one vector or several. `search` asks the database about the table before
    each query, which takes several round trips. `s` asks when it is opened. After that, each query is one statement,
    which also proves that the table, its record, its source and their columns are those that were read. In DuckDB two
    short statements after the query prove that. If others replaced the table meanwhile, `s` reads it again and answers
    from the new one. So an answer is always of one table.

    `keep`, `where`, `candidates`, `metric` and `again` are those of `search`. `s` takes `like`, `vectors` and `offset`
    too. The row of a key, and the vectors of a table, are read by a statement of their own. A table that is a view,
    whose source is a file or a temporary table, or that is in another schema than `sqlrp_catalogue`, is asked about
    before each query. `s` uses the connection that it was opened with, so it takes one thread at a time.
    Raises the errors of `search`.

        >>> _ = sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), "points", con, "points_bits", output="bits")
        >>> near = sqlrp.open_search(con, "points_bits")
        >>> near([1.0, 2.0, 0.0], n=2).column_names
        ['id', 'distance']
    """
    return OpenedSearch(connection, into, candidates, metric, again, choice_of(keep, where))


def _proof(catalogue: Catalogue, place: TableName, row: Row) -> ProofQuestions | None:
    """What is asked of the tables that a search reads; None where it cannot, or must not, be asked."""
    connector, made = catalogue.connector, Record.of(row).made
    dialect, at = connector.dialect, catalogue.place
    beside = len(at.parts) > 1 and at.parts[:-1] == place.parts[:-1]
    if not dialect.answers_in_one or made.kind != "table" or not beside or made.place is None:
        return None
    tables = [place, catalogue.place_of(made.place)]
    rows = (catalogue.at("format"), *(catalogue.at(kind, catalogue.key(place)) for kind in (RECORDED, MAKING)))
    named = f"SELECT kind, name, definition, fingerprint FROM {catalogue.table} WHERE ({') OR ('.join(rows)})"
    others: list[tuple[str, int]] = []
    if not dialect.proves_apart:
        others += dialect.same_table_queries(at, place, connector.mark_of(catalogue.session, place))
        others += [(dialect.shape_query(name), 2) for name in tables]
    return ProofQuestions((named, 4), tuple(others), (at, *tables))


__all__ = ["OpenedSearch", "open_search"]
