"""SQLAlchemy, imported where it is first used: most commands and calls on DuckDB and dataframes never use it."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["engine_of", "is_alchemy", "is_dialect", "is_engine", "sa"]

if TYPE_CHECKING:
    import sqlalchemy as sa
else:

    class _Later:
        def __getattr__(self, name: str) -> Any:
            return getattr(import_module("sqlalchemy"), name)

    sa = _Later()


def is_alchemy(connection: object) -> bool:
    """Whether it is an engine or a connection of SQLAlchemy, which is imported already if it is."""
    return "sqlalchemy" in sys.modules and isinstance(connection, (sa.Engine, sa.Connection))


def is_engine(connection: object) -> bool:
    """Whether it is an engine of SQLAlchemy, which may never have been connected."""
    return is_alchemy(connection) and isinstance(connection, sa.Engine)


def is_dialect(value: object) -> bool:
    """Whether it is a dialect object of SQLAlchemy, such as `sqlalchemy.dialects.postgresql.dialect()`."""
    return "sqlalchemy" in sys.modules and isinstance(value, sa.Dialect)


def engine_of(dialect: sa.Dialect) -> sa.Engine:
    """An engine with the dialect, which cannot be connected."""

    def never() -> Any:
        raise RuntimeError("a dialect has no database")

    return sa.Engine(sa.pool.NullPool(never), dialect, sa.URL.create(dialect.name))
