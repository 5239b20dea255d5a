"""Rows as Arrow from the cursors of drivers that pass them so: DuckDB's, Snowflake's, Databricks' and BigQuery's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

import pyarrow as pa

from sqlrp._core.quiet import hidden


def stored_type(kind: pa.DataType) -> pa.DataType:
    """The type in which the values of an extension type are stored, such as a list for an embedding or a tensor."""
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def arrow_tables(cursor: Any, rows: int, refused: type[Exception]) -> Iterator[pa.Table] | None:
    """The rows of an executed query in tables, of about so many rows where the driver can be told.

    None if the cursor has no such method, there are no rows, or the driver refuses with the error `refused`, as
    Snowflake's does for results that its server sends as JSON. The rows can then be fetched in the ordinary way.
    """
    for method, read in _READERS.items():
        if not hasattr(type(cursor), method):  # to read a property may ask the server
            continue
        with suppress(refused):
            found = read(cursor, rows)
            first = None if found is None else next(found, None)
            return None if found is None or first is None else map(_widened, chain([first], found))
    return None


def arrow_reader(result: Any, rows: int) -> pa.RecordBatchReader:
    """The rows of a relation or of an executed query of DuckDB, in batches of about so many."""
    # DuckDB 1.4 has the method under another name, which later versions no longer have, or warn about.
    read = getattr(result, "to_arrow_reader", None) or result.fetch_record_batch
    # For an executed query, 2.0 advises a relation, which plans the text twice. The copy is cheaper.
    with hidden("Arrow output on a DB-API result"):
        found = read(rows)
    if found is None:  # a thread of the caller's has run a statement on the connection meanwhile
        raise pa.ArrowInvalid("No open result set")
    return found


def _widened(table: pa.Table) -> pa.Table:
    """The table with whole numbers of 64 bits: Snowflake's driver gives those of a batch the fewest bits."""
    fields = [
        pa.field(f.name, pa.int64()) if pa.types.is_signed_integer(f.type) else pa.field(f.name, f.type)
        for f in table.schema
    ]
    return table.cast(pa.schema(fields))


def _of_databricks(cursor: Any, rows: int) -> Iterator[pa.Table]:
    while (table := cursor.fetchmany_arrow(rows)).num_rows:
        yield table


def _of_bigquery(cursor: Any, _: int) -> Iterator[pa.Table] | None:
    job = cursor.query_job
    if job is None:  # a short query that the service ran without a job
        return None
    return (pa.Table.from_batches([batch]) for batch in job.result().to_arrow_iterable())


_READERS: dict[str, Callable[[Any, int], Iterator[pa.Table] | None]] = {
    "fetch_arrow_batches": lambda cursor, rows: iter(cursor.fetch_arrow_batches()),
    "fetchmany_arrow": _of_databricks,
    "query_job": _of_bigquery,
}
"""How the rows are read, by the method that a driver's cursor has."""
