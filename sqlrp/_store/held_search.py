"""A search that was read once, and what proves at each query that it still is that of its table.

An engine on a server answers in the statement of the query: the rows of the catalogue about the table, the mark, the
columns of the table and of its source, and whether the catalogue is a plain table. One statement sees all of it at one
time. In DuckDB a statement takes no round trip, and a large one is planned slowly. So it is asked about the tables
before the query, which then cannot fail by what has become of them and break a transaction, and about the rows of the
catalogue after it: who replaces the table meanwhile writes other rows.

Rows of a catalogue must not be read before it is known to be a plain table, as a view runs its owner's code. Where they
are read in one statement with the kept table, both are in one schema: who could replace the catalogue since it was
asked could replace the kept table, too.
"""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import pyarrow as pa

from sqlrp._connectors.connector import Connector, ProofQuestions
from sqlrp._core.errors import StatementError, UnreachableError
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._lowering.distances_sql import Metric
from sqlrp._lowering.search import PROOF, TOLD, Search
from sqlrp._run.bind import look
from sqlrp._store.ownership import check_source_place
from sqlrp._store.records import Record, TableDefinition
from sqlrp._store.search_queries import Query
from sqlrp._store.source_state import check_made
from sqlrp._store.steady import TRIES
from sqlrp._store.table import FORMATS, MAKING, RECORDED, TABLE, Catalogue, Row

_MOST = 8
"""How many searches of a connection are held."""
_HELD: WeakKeyDictionary[Any, OrderedDict[Hashable, HeldSearch]] = WeakKeyDictionary()
_TURN = threading.Lock()


@dataclass(frozen=True)
class HeldSearch:
    """A search as it was read."""

    search: Search
    made: TableDefinition
    asked: ProofQuestions | None
    """what is asked again at each query; None where it cannot be"""
    answers: str = ""
    """what must be answered"""
    records: str = ""
    """the same of the rows of the catalogue, where they are asked apart"""

    @staticmethod
    def read(
        catalogue: Catalogue,
        place: TableName,
        row: Row,
        metric: Metric,
        again: bool,
        named: Sequence[TableName] = (),
    ) -> HeldSearch:
        """The search of a row. `named`: how the caller names the table, if that is to mean the same at each query.

        What is proved later is read first: if anything changes meanwhile, the next query is answered otherwise.
        """
        connector, session = catalogue.connector, catalogue.session
        record = Record.of(row)
        asked = _proof(catalogue, place, record.made, named)
        answers = connector.proof(session, asked) if asked else ""
        records = ""
        if asked and connector.dialect.proves_apart:
            records = connector.proof_of_records(session, asked)
            if not records:
                asked = dataclasses.replace(asked, all_records="")
                records = connector.proof_of_records(session, asked)
        made = search_of_kept(catalogue, place, record, metric, again)
        return HeldSearch(made, record.made, asked, answers, records)

    def found(self, connector: Connector, session: Any, query: Query) -> list[pa.Table] | None:
        """The rows of each statement of a query; None if the table is not the one that was read."""
        assert self.asked is not None
        if connector.dialect.proves_apart:
            return self._found_apart(connector, session, query, self.asked)
        found, proof = [], connector.dialect.in_one(self.asked.every)
        texts = query.texts(connector, session, self.search, self.made, proof)
        for at, text in enumerate(texts, start=1):
            rows, answer = answered((connector.fetch_last if at == len(texts) else connector.fetch)(session, text))
            if answer != self.answers:
                return None
            found.append(rows)
        return found

    def _found_apart(
        self, connector: Connector, session: Any, query: Query, asked: ProofQuestions
    ) -> list[pa.Table] | None:
        if connector.proof(session, asked) != self.answers:
            return None
        texts = query.texts(connector, session, self.search, self.made)
        found = [connector.fetch_few(session, text) for text in texts]
        return found if connector.proof_of_records(session, asked) == self.records else None


def found_steadily(
    connector: Connector, connection: Any, own: HeldSearch | None, read: Callable[[], HeldSearch], query: Query
) -> tuple[HeldSearch, list[pa.Table]] | None:
    """The rows of each statement of a query, and the search that found them, which was read again if it had to be.

    None where nothing can be asked, and for a table that others replace at every try.
    """
    for _ in range(TRIES):
        own = own or read()
        if own.asked is None:
            return None
        try:
            with connector.session(connection) as session:
                found = own.found(connector, session, query)
        except UnreachableError:
            raise
        except StatementError as error:
            own = _after(error, own, read)
            continue
        if found is not None:
            return own, found
        own = None
    return None


def _after(error: StatementError, own: HeldSearch, read: Callable[[], HeldSearch]) -> HeldSearch:
    """The search as it is now. Raises the error of its statement if that has not failed by a change of the table."""
    try:
        now = read()
    except UnreachableError:
        raise
    except StatementError:  # a broken transaction of the caller's answers no question
        raise error from None
    if (now.answers, now.records) == (own.answers, own.records):
        raise error
    return now


def held(connection: Any, key: Hashable) -> HeldSearch | None:
    """What is held for a connection under a key, which is held no longer."""
    with _TURN:
        return _HELD.get(connection, OrderedDict()).pop(key, None)


def hold(connection: Any, key: Hashable, search: HeldSearch) -> None:
    """Hold a search for the next query."""
    with _TURN:
        searches = _HELD.setdefault(connection, OrderedDict())
        searches[key] = search
        while len(searches) > _MOST:
            searches.popitem(last=False)


def answered(rows: pa.Table) -> tuple[pa.Table, str]:
    """The rows of a search that was asked a question besides, and its answer."""
    import pyarrow.compute as pc  # here, as its import takes long and few processes search

    told = pc.equal(rows.column(TOLD), 1)
    [answer] = rows.column(PROOF).filter(told).to_pylist()
    return rows.filter(pc.invert(told)).drop_columns([TOLD, PROOF]), answer


def search_of_row(catalogue: Catalogue, place: TableName, row: Row, metric: Metric, again: bool = True) -> Search:
    """The search of the table of a row."""
    return search_of_kept(catalogue, place, Record.of(row), metric, again)


def search_of_kept(catalogue: Catalogue, place: TableName, record: Record, metric: Metric, again: bool) -> Search:
    """The same of its record."""
    check_made(catalogue, place, record, everything=False)
    if again:
        check_source_place(catalogue, record.made)
    return search_of_record(catalogue, place, record.made, metric, again)


def search_of_record(
    catalogue: Catalogue, place: TableName, made: TableDefinition, metric: Metric, again: bool
) -> Search:
    """The search of the table of a record, with the names of both tables in full."""
    connector, session = catalogue.connector, catalogue.session
    frame = look(connector, session, made.source, bound_to=made.projection.bound_to, planned=False)
    if made.place is not None:
        frame = dataclasses.replace(frame, table=catalogue.place_of(made.place))
    query = connector.dialect.vectors_query
    found = connector.rows(session, query) if query else []
    return Search(made.job(connector.dialect, frame), place, metric, again, str(found[0][0]) if found else "")


def _proof(
    catalogue: Catalogue, place: TableName, made: TableDefinition, named: Sequence[TableName]
) -> ProofQuestions | None:
    """What is asked of the tables that a search reads; None where it cannot, or must not, be asked."""
    connector = catalogue.connector
    dialect, at = connector.dialect, catalogue.place
    beside = len(at.parts) > 1 and at.parts[:-1] == place.parts[:-1]
    if not dialect.answers_in_one or made.kind != "table" or not beside or made.place is None:
        return None
    tables = [place, catalogue.place_of(made.place)]
    key = catalogue.key(place)
    if dialect.proves_apart:
        # Rows of other kinds hardly ever change. The session's collation can only add rows.
        condition = f"kind = {dialect.string(FORMATS)} OR name = {dialect.string(key)}"
    else:
        rows = (catalogue.at(FORMATS), *(catalogue.at(kind, key) for kind in (RECORDED, MAKING)))
        condition = " OR ".join(f"({row})" for row in rows)
    records = f"SELECT kind, name, definition, fingerprint FROM {catalogue.table}"
    others: list[tuple[str, int]] = []
    if not dialect.proves_apart:
        others += dialect.same_table_queries(at, place, connector.mark_of(catalogue.session, place))
        others += [(dialect.shape_query(name), 2) for name in tables]
    names = (TABLE, *named, made.source.table_name) if named else ()
    asked = (f"{records} WHERE {condition}", 4)
    return ProofQuestions(asked, tuple(others), (at, *tables), names, records, FORMATS, key)


__all__ = [
    "HeldSearch",
    "answered",
    "found_steadily",
    "held",
    "hold",
    "search_of_kept",
    "search_of_record",
    "search_of_row",
]
