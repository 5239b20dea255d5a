"""A table for the rows of one refresh, where no transaction can make a temporary one (`Facts.copies_rows`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from sqlrp._core.errors import SourceError, StatementError
from sqlrp._core.sources import TableName
from sqlrp._store.records import check_way, new_mark
from sqlrp._store.table import Catalogue


@contextmanager
def scratch(
    catalogue: Catalogue, name: TableName, table: TableName, query: str, columns: Mapping[str, str]
) -> Iterator[None]:
    """A table of the rows of a query for a kept table, dropped at the end. `columns`: the types of its columns.

    What makes or drops it commits, so it is made before the kept table changes. At the end that change is committed,
    or taken back after an error, and then the table goes.
    """
    connector, session, dialect = catalogue.connector, catalogue.session, catalogue.connector.dialect
    drop = f"DROP TABLE {dialect.table(name)}"
    if check_way(catalogue, name, table):
        connector.execute(session, drop)
    try:
        connector.execute(session, dialect.making_empty(name, columns))
        connector.put_mark(session, name, new_mark(), dialect.quote(next(iter(columns))))
        connector.execute(session, f"INSERT INTO {dialect.table(name)} {query}")
        yield
        connector.committed(session)
        connector.execute(session, drop)
    except BaseException:
        with suppress(StatementError, SourceError):  # report the first error
            connector.rolled_back(session)
            if connector.exists(session, name):
                connector.execute(session, drop)
        raise


__all__ = ["scratch"]
