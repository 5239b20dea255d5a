"""How a table is made where nothing is renamed: it is made empty, and one transaction adds its rows and its record.

A row of kind 'materializing' announces the table before it is made, and goes with that transaction. So a table with
such a row and no record is one that an interruption left, and it is empty (`records.settle`). A table that is replaced
keeps its name and its columns: one transaction puts the new rows in the place of the old ones.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import SourceError, StatementError, UnsupportedError
from sqlrp._core.sources import TableName
from sqlrp._lowering import batches_sql
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan_kept
from sqlrp._run.execution import ready
from sqlrp._store.auxiliary_names import temporary_name
from sqlrp._store.records import Record, TableDefinition, announcing, new_mark, settle, write_record
from sqlrp._store.row_changes import Marks
from sqlrp._store.table import MAKING, Catalogue
from sqlrp._store.table_checks import MadeRows, check_made_keys, types


def build_filled(
    catalogue: Catalogue, table: TableName, made: TableDefinition, job: Job, marks: Marks | None, old: Record | None
) -> MadeRows:
    """Make a table, or fill the old one again. Returns its rows."""
    connector, session, dialect = catalogue.connector, catalogue.session, catalogue.connector.dialect
    if old is not None and old.made.kind != "table":
        raise _unreplaced(catalogue, table, "is a view")
    around = str if marks is None else marks.around(job, dialect.table(job.frame.table))
    columns = None if marks is not None and marks.grouped else _columns(job)
    with ready(connector, session, plan_kept(job, made.options.lowering), around) as q, _making(catalogue, table, made):
        if old is None:
            connector.execute(session, dialect.emptied(table, q, columns))
            mark = new_mark()
            marked = connector.put_mark(session, table, mark, dialect.quote(job.output_names[-1]))
            made = dataclasses.replace(made, mark=mark if marked else "")
        else:
            new = temporary_name(table)
            connector.execute(session, dialect.emptied(new, q, columns))
            wanted = types(connector, session, new)
            connector.execute(session, f"DROP TABLE {dialect.table(new)}")
            if list(wanted.items()) != list(types(connector, session, table).items()):
                raise _unreplaced(catalogue, table, "has other columns, or other types")
            made = dataclasses.replace(made, mark=old.made.mark)
            connector.execute(session, f"DELETE FROM {dialect.table(table)}")
        least = _rows_of(connector, session, job)
        connector.execute(session, f"INSERT INTO {dialect.table(table)} {q}")
        kept = check_made_keys(connector, session, job, table)
        if kept.rows < min(least, _rows_of(connector, session, job)):  # others may add and remove some
            raise StatementError(
                "",
                f"{dialect.name} kept {kept.rows} of {least} rows: the session bounds them, or others remove some",
            )
        made = dataclasses.replace(made, columns=list(types(connector, session, table)))
        _record(catalogue, table, made)
    return kept


def build_view(
    catalogue: Catalogue, table: TableName, made: TableDefinition, job: Job, old: Record | None, statement: str
) -> MadeRows:
    """Make a view by the statement, which stores no rows. Returns its rows."""
    connector, session = catalogue.connector, catalogue.session
    if not connector.dialect.keeping_view:
        raise UnsupportedError(f"{connector.dialect.name} has no views: leave kind out, for a table")
    if old is not None:
        raise _unreplaced(catalogue, table, "would be missing for a moment")
    with _making(catalogue, table, made):
        connector.execute(session, statement)
        rows = check_made_keys(connector, session, job, table, view=True)
        made = dataclasses.replace(made, columns=list(types(connector, session, table)))
        _record(catalogue, table, made)
    return rows


@contextmanager
def _making(catalogue: Catalogue, table: TableName, made: TableDefinition) -> Iterator[None]:
    """Announce a table, and clear what is left of it if the block fails."""
    connector, session = catalogue.connector, catalogue.session
    connector.execute(session, announcing(catalogue, table, made))
    try:
        yield
    except BaseException:
        with suppress(StatementError, SourceError):  # the first error is raised; the next call settles the table
            connector.rolled_back(session)
            settle(catalogue, table, clear=True)
            connector.committed(session)
        raise


def _record(catalogue: Catalogue, table: TableName, made: TableDefinition) -> None:
    """Record the table in the place of its announcement, in the transaction that filled it, and commit that."""
    write_record(catalogue, table, made)
    catalogue.delete(MAKING, catalogue.key(table))
    catalogue.connector.committed(catalogue.session)


def _rows_of(connector: Connector, connection: Any, job: Job) -> int:
    """How many rows a source has where each is one of the result; otherwise 0."""
    if job.grouped or job.frame.layout == "long":
        return 0
    query = f"SELECT COUNT(*) AS n FROM {job.frame.relation(job.dialect)}"
    return int(connector.cells(connection, query)[0][0])


def _columns(job: Job) -> dict[str, str]:
    """The columns of the result with the names of their types."""
    kept = {column.name: column.type.text for column in job.frame.passing}
    return {name: kept[name] for name in job.frame.kept} | batches_sql.types(job)


def _unreplaced(catalogue: Catalogue, table: TableName, why: str) -> UnsupportedError:
    dialect = catalogue.connector.dialect
    return UnsupportedError(
        f"{table} {why}, and sqlrp renames nothing in {dialect.name}, so that it cannot be replaced in one step: drop "
        "it first, or choose another name"
    )


__all__ = ["build_filled", "build_view"]
