"""Which files a call reads, so that it does not write over one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlrp._core.sources import Array, Join, Long, Standardized, TableName, Wide
from sqlrp._engines.registry import open_target


def files_read(target: Any, *sources: object) -> list[str]:
    """The files of the sources' tables, and of the databases of `target`: a connection, an engine or its name, or None.

    A dataframe is in no file.
    """
    tables = [table for source in sources for table in _tables(source)]
    connector = None if target is None else open_target(target).connector
    if connector is None:
        return [table.parts[0] for table in tables if table.is_file]
    with connector.session(target) as session:
        return connector.files(session, tables)


def _tables(source: object) -> Iterator[TableName]:
    if isinstance(source, Standardized):
        yield from _tables(source.source)
    elif isinstance(source, Join):
        for part in (source.fact, *source.dimensions.values()):
            yield from _tables(part)
    elif isinstance(source, (Wide, Array, Long)):
        yield from _tables(source.table)
    elif isinstance(source, str):
        yield TableName.parse(source)
