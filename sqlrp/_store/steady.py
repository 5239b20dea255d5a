"""Reading a kept table while others replace it: its record, its mark and its rows belong to one table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, fields
from typing import Any, Generic, TypeVar

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import SourceError, SqlrpError, StatementError, UnreachableError
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._store.ownership import place_to_write
from sqlrp._store.records import Record, dropped, names_recorded, not_made, valid_row
from sqlrp._store.table import MAKING, RECORDED, Catalogue, Row

Result = TypeVar("Result")

TRIES = 20
"""How often a table is read while others replace it. One replacement takes longer than one reading."""


class _FailedError(Exception):
    """A reading failed."""


@dataclass(frozen=True)
class SteadyReading(Generic[Result]):
    """What a reading gave by statements that have seen the row of the table, the same as before."""

    result: Result


def row_question(catalogue: Catalogue, place: TableName) -> str:
    """What a statement asks about the row of a table (`Dialect.in_one`), for `is_row`; empty where no trip is saved."""
    dialect, key = catalogue.connector.dialect, catalogue.key(place)
    if not (dialect.asks_at_once and dialect.answers_in_one):
        return ""
    kinds = (RECORDED,) if dialect.transactional else (MAKING, RECORDED)
    return dialect.in_one([(catalogue.query(kind, key), len(fields(Row))) for kind in kinds])


def is_row(answer: object, row: Row) -> bool:
    """Whether `row_question` was answered with that row, of a table that nobody is making."""
    try:
        found = json.loads(str(answer).removeprefix("- "))  # what is said of a row of a table that is being made
    except ValueError:  # no row, or such a row, or MariaDB has cut the text
        return False
    return bool(found == [list(astuple(row))])


def read_steadily(
    connector: Connector,
    connection: Any,
    table: TableName,
    read: Callable[[Catalogue, TableName, Row], Result | SteadyReading[Result]],
) -> Result:
    """What `read` gives for a table and its row of the catalogue, if that row stays the same meanwhile.

    A replacement writes another row. So if the row is the same before and after, all that was read between belongs to
    one table. Otherwise the result, or the error, is of two tables, and `read` is called again.
    Raises SourceError for a table that `materialize` did not make or that others replace at every try.
    """
    before: tuple[Row, str] | None = None
    for at in range(TRIES):
        failed: SqlrpError | None = None
        with suppress(_FailedError), connector.session(connection) as session:
            if at:
                connector.forget(session)
            catalogue = Catalogue.found(connector, session)
            place, row = located(catalogue, table)
            try:
                result = read(catalogue, place, row)
                if isinstance(result, SteadyReading):
                    return result.result
                if valid_row(catalogue, catalogue.key(place)) == row:
                    return result
            except UnreachableError:
                raise
            except (SourceError, StatementError) as error:
                failed = error
                raise _FailedError from error  # so that the session knows of it
        if failed is not None:  # the statement may have broken the transaction, or it may see no later row
            again = session is not connection and any(words in str(failed) for words in connector.dialect.parted)
            try:
                there, now = _now(connector, connection, table, place)
            except StatementError:  # a broken transaction of the caller's answers no question
                raise failed from None
            if now == row and not there:
                raise dropped(table) from failed
            said, before = before, (row, str(failed))
            # What a reading finds wrong, another one finds too, unless the table was made again in its course.
            if now == row and not again and (isinstance(failed, StatementError) or said == before):
                raise failed
    raise SourceError(f"{table} was replaced {TRIES} times while it was read: try again")


def _now(connector: Connector, connection: Any, table: TableName, place: TableName) -> tuple[bool, Row | None]:
    """Whether a table is there, and its row of the catalogue; no row if both change meanwhile.

    The table comes before its row, as who makes it writes another row.
    """
    with connector.session(connection) as session:
        connector.forget(session)
        try:
            there = connector.exists(session, place) or connector.is_unseen(session, place)
            return there, located(Catalogue.found(connector, session), table)[1]
        except UnreachableError:
            raise
        except StatementError:
            return True, None


@contextmanager
def naming_dropped(connector: Connector, connection: Any, table: TableName) -> Iterator[list[str]]:
    """Let an error in this block say that the table was dropped or replaced meanwhile, if it was.

    The block appends the mark of the table that it reads. It stands outside the block's transaction, so that it is
    asked what is there now.
    """
    marks: list[str] = []
    try:
        yield marks
    except UnreachableError:
        raise
    except (SourceError, StatementError) as error:
        there, recorded, mark = True, False, ""
        with suppress(SqlrpError), connector.session(connection) as session:
            connector.forget(session)
            # Before its row, as in `_now`.
            there = connector.exists(session, table) or connector.is_unseen(session, table)
            _, row = located(Catalogue.found(connector, session), table)
            recorded = True
            mark = Record.of(row).made.mark
        if recorded and not there:
            raise dropped(table) from error
        if connector.dialect.transactional and marks and mark not in ("", marks[0]):
            raise SourceError(f"{table} was replaced while it was refreshed: try again") from error
        raise


def located(catalogue: Catalogue, table: TableName) -> tuple[TableName, Row]:
    """The name in full and the row of a table. Raises SourceError if `materialize` did not make it."""
    place = place_to_write(catalogue, table)
    for _ in range(TRIES):
        row = valid_row(catalogue, catalogue.key(place))
        if row is not None:
            return place, row
        if catalogue.key(place) not in names_recorded(catalogue):  # else it has been recorded since
            break
    raise not_made(catalogue, place, table)
