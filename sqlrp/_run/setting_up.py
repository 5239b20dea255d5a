"""The steps before a query, which are undone after it, and the names of its result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import SqlrpError, StatementError
from sqlrp._core.script import Setup


def named(rows: Any, names: list[str], engine: str) -> Any:
    """The rows of a query with our names, by position: drivers fold aliases, or give the name of a column below one.

    Raises StatementError if the rows have another number of columns.
    """
    if not isinstance(rows, pa.Table) or rows.column_names == names:
        return rows
    if rows.num_columns != len(names):
        raise StatementError(
            "",
            f"{engine} gave {rows.num_columns:,} columns for a query of {len(names):,}: "
            "use another driver, or pass a dataframe",
        )
    return rows.rename_columns(names)


@contextmanager
def set_up(connector: Connector, connection: Any, steps: Sequence[Setup], later: bool = False) -> Iterator[None]:
    """Run set-up statements, and drop their tables afterwards and those of an earlier failure before.

    `later`: they are run by `Connector.store_and_ask`.
    """
    try:
        if not later:
            connector.store_all(connection, steps)
        yield
        connector.drop_all(connection, steps)
    except BaseException:
        # Report the first error, such as that of a drop, which is tried again. If it broke a transaction, the rollback
        # drops the tables.
        with suppress(SqlrpError):
            connector.drop_all(connection, steps)
        raise


__all__ = ["named", "set_up"]
