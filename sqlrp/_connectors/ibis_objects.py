"""What ibis hands in: a table of a database stands for its name, and a backend for the connection in it.

The package is recognised by its names and is not imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlrp._core.errors import ParameterError
from sqlrp._core.sources import Standardized, TableName


def is_ibis_table(value: object) -> bool:
    """Whether it is a table or another expression of rows of ibis."""
    kind = type(value)
    return kind.__name__ in ("Table", "CachedTable") and kind.__module__ == "ibis.expr.types.relations"


def is_ibis_backend(value: object) -> bool:
    """Whether it is a backend of ibis."""
    return type(value).__name__ == "Backend" and type(value).__module__.startswith("ibis.backends.")


def handed_in(args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The arguments of a call; tables of ibis by their names, and their backends by the connections in them.

    A table without a connection or an engine's name stays as it is. Raises ParameterError for a table of another
    connection, and for an expression that is no table of the database.
    """
    given = [*args, *kwargs.values()]
    held = [value.source if isinstance(value, Standardized) else value for value in given]  # a frame's is a column
    if not any(is_ibis_backend(value) or is_ibis_table(value) for value in held):
        return args, kwargs
    rest = [value for value in given if not is_ibis_table(value)]

    def read(value: Any) -> Any:
        if is_ibis_table(value):
            return _named(value, rest)
        if isinstance(value, Standardized) and is_ibis_table(value.source):
            return replace(value, source=_named(value.source, rest))
        return _connection(value) if is_ibis_backend(value) else value

    return [read(value) for value in args], {key: read(value) for key, value in kwargs.items()}


def _named(table: Any, given: Sequence[Any]) -> Any:
    """The name of a table whose connection is given, in the form of a source; the table itself if none is."""
    own = _backend(table)
    mine = (own, None if own is None else _connection(own))
    if not any(value is not None and any(value is each for each in mine) for value in given):
        if any(_connects(value) for value in given):
            raise ParameterError(
                "the ibis table is of another connection: pass table.get_backend() as the connection, or the table's "
                "name in this one"
            )
        return table
    op = table.op()
    if type(op).__name__ != "DatabaseTable":
        raise ParameterError(
            "an ibis expression that is no table of the database has no name there: make a view of it, "
            "backend.create_view('name', table), and pass that, or pass its rows, table.to_pyarrow()"
        )
    parts = (op.namespace.catalog, op.namespace.database, op.name)
    return str(TableName(tuple(part for part in parts if part)))


def _backend(table: Any) -> Any:
    """The backend of a table; None for a table that belongs to none, for which ibis raises an error of its own."""
    try:
        return table.get_backend()
    except Exception:
        return None


def _connection(backend: Any) -> Any:
    """The connection in a backend; the backend itself if it has none."""
    for name in ("_session", "con", "_context"):  # those of Spark, of most, and of polars
        found = getattr(backend, name, None)
        if found is not None:
            return found
    return backend


def _connects(value: Any) -> bool:
    """Whether it is a connection of any package."""
    return is_ibis_backend(value) or any(hasattr(value, name) for name in ("cursor", "connect", "exec_driver_sql"))
