"""Hyper, the engine of Tableau's extracts, in a process of its own: an engine that sqlrp has no file for.

The package tableauhyperapi brings it, and no driver for SQLAlchemy: this is what a user writes who needs one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import sqlalchemy as sa
from sqlalchemy.dialects import registry
from sqlalchemy.engine.default import DefaultDialect
from strangers import with_packages

_PACKAGES = ("tableauhyperapi==0.0.26963", "cffi==2.1.1")


class _Error(Exception):
    """An error of the driver."""


class _Cursor:
    """A cursor of DB-API."""

    arraysize, rowcount, lastrowid = 1, -1, None

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.description: list[tuple[Any, ...]] | None = None
        self.rows: list[tuple[Any, ...]] = []

    def execute(self, sql: str, parameters: tuple[()] = ()) -> None:
        assert not parameters
        self.description, self.rows = None, []
        try:
            with self.connection.execute_query(sql) as found:
                columns = found.schema.columns
                if columns:
                    self.description = [(each.name.unescaped, str(each.type), *[None] * 5) for each in columns]
                    self.rows = [tuple(row) for row in found]
        except import_module("tableauhyperapi").HyperException as error:
            raise _Error(str(error)) from error

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self.fetchmany(len(self.rows))

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        found, self.rows = self.rows[:size], self.rows[size:]
        return found

    def fetchone(self) -> tuple[Any, ...] | None:
        return self.rows.pop(0) if self.rows else None

    def close(self) -> None:
        self.rows = []


class _Connection:
    """A connection of DB-API, in which a cursor begins a transaction."""

    def __init__(self, made: Any) -> None:
        self.made, self.begun = made, False

    def cursor(self) -> _Cursor:
        self._ends("" if self.begun else "BEGIN", True)
        return _Cursor(self.made)

    def commit(self) -> None:
        self._ends("COMMIT" if self.begun else "", False)

    def rollback(self) -> None:
        self._ends("ROLLBACK" if self.begun else "", False)

    def close(self) -> None:
        self.made.close()

    def _ends(self, command: str, begun: bool) -> None:
        if command:
            self.made.execute_command(command)
        self.begun = begun


_DRIVER = SimpleNamespace(paramstyle="qmark", Error=_Error, DatabaseError=_Error)


class HyperDialect(DefaultDialect):
    name = "hyper"
    driver = "tableauhyperapi"
    supports_statement_cache = True
    max_identifier_length = 63
    kinds: ClassVar[dict[str, Any]] = {"BIG_INT": sa.BigInteger, "INT": sa.Integer, "DOUBLE": sa.Double}

    def get_columns(self, connection: Any, table_name: str, schema: str | None = None, **_: Any) -> list[Any]:
        if table_name not in self.get_table_names(connection):
            raise sa.exc.NoSuchTableError(table_name)
        quoted = self.identifier_preparer.quote_identifier(table_name)
        found = connection.exec_driver_sql(f"SELECT * FROM {quoted} LIMIT 0").cursor.description
        kinds = [(name, self.kinds.get(kind, sa.types.NullType)()) for name, kind, *_ in found]
        return [{"name": name, "type": kind, "nullable": True, "default": None} for name, kind in kinds]

    def get_table_names(self, connection: Any, schema: str | None = None, **_: Any) -> list[str]:
        named = "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = 'public'"
        return [name for (name,) in connection.exec_driver_sql(named)]

    def has_table(self, connection: Any, table_name: str, schema: str | None = None, **_: Any) -> bool:
        return table_name in self.get_table_names(connection)


registry.register(HyperDialect.name, __name__, HyperDialect.__name__)


@contextmanager
def hyper_database(folder: Path) -> Iterator[sa.Engine]:
    """An engine of SQLAlchemy to a new database. Skips the test without the package."""
    with with_packages("hyper", _PACKAGES):
        hyper: Any = import_module("tableauhyperapi")
        quiet = hyper.Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU
        with hyper.HyperProcess(quiet, parameters={"log_config": ""}) as process:
            file, mode = folder / "made.hyper", hyper.CreateMode.CREATE_IF_NOT_EXISTS

            def connect() -> _Connection:
                return _Connection(hyper.Connection(process.endpoint, file, mode))

            engine = sa.create_engine("hyper://", creator=connect, module=_DRIVER)
            yield engine
            engine.dispose()
