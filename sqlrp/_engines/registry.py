"""The registry of engines, with one line for each engine; `register` adds an engine of your own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from sqlrp._connectors.connector import Connector
from sqlrp._core.alchemy import engine_of, is_dialect
from sqlrp._core.errors import ParameterError, nearest, shorten
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect

_TABLE: dict[str, tuple[str, str | None]] = {
    "duckdb": ("duckdb.dialect.DuckDB", "duckdb.adbc.AnyDuckDBConnector"),
    "postgresql": ("postgresql.dialect.PostgreSQL", "postgresql.drivers.AnyPostgreSQLConnector"),
    "sqlite": ("sqlite.dialect.SQLite", "sqlite.connector.SQLiteConnector"),
    "mariadb": ("mariadb.dialect.MariaDB", "mariadb.connector.MariaDBConnector"),
    "mysql": ("mysql.dialect.MySQL", "mysql.connector.MySQLConnector"),
    "clickhouse": ("clickhouse.dialect.ClickHouse", "clickhouse.connector.ClickHouseConnector"),
    "spark": ("spark.dialect.Spark", "spark.connector.SparkConnector"),
    "snowflake": ("snowflake.Snowflake", "warehouses.connector.WarehouseConnector"),
    "bigquery": ("bigquery.BigQuery", "warehouses.connector.WarehouseConnector"),
    "redshift": ("redshift.dialect.Redshift", "redshift.connector.RedshiftConnector"),
    "databricks": ("databricks.Databricks", "warehouses.connector.DescribedConnector"),
    "trino": ("trino.dialect.Trino", "trino.connector.TrinoConnector"),
    "sqlserver": ("sqlserver.dialect.SQLServer", "sqlserver.connector.SQLServerConnector"),
    "oracle": ("oracle.dialect.Oracle", "oracle.connector.OracleConnector"),
    "generic": ("generic.dialect.Generic", "generic.connector.AnyConnector"),
}
"""Every engine of the package by its name: the classes of its dialect and of its connector, in `sqlrp._engines`.

None in place of a connector: an engine of text alone. What SQLAlchemy connects to it, the generic connector serves.
The first engine that recognises a connection serves it."""

_CONNECTED = {name: connector for name, (_, connector) in _TABLE.items() if connector is not None}

_Made = TypeVar("_Made")


class _Engines(MutableMapping[str, _Made]):
    """Values by the names of engines. Those of the table are made when they are asked for: a call imports its own."""

    def __init__(self, make: Callable[[str], _Made], names: Iterable[str] = _TABLE) -> None:
        """`make` keeps what it made. None stands for a value of the table."""
        self._make = make
        self._given: dict[str, _Made | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> _Made:
        given = self._given[name]
        return self._make(name) if given is None else given

    def __setitem__(self, name: str, value: _Made) -> None:
        self._given[name] = value

    def __delitem__(self, name: str) -> None:
        del self._given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def __contains__(self, name: object) -> bool:
        return name in self._given


def _class(path: str) -> Any:
    """The class at a path such as `sqlite.dialect.SQLite`."""
    module, _, called = path.rpartition(".")
    return getattr(import_module(f"sqlrp._engines.{module}"), called)


@cache
def _dialect(name: str) -> Dialect:
    made: Dialect = _class(_TABLE[name][0])()
    if made.name != name:
        raise TypeError(f"{_TABLE[name][0]} has the name {made.name!r}, and stands in the table as {name!r}: use one")
    return made


@cache
def _connector(name: str) -> Connector:
    made: Connector = _class(_CONNECTED[name])(_dialect(name))
    return made


_OTHER_NAMES = {
    "postgres": "postgresql",
    "chdb": "clickhouse",
    "sqlite3": "sqlite",
    "pyspark": "spark",
    "presto": "trino",
}
"""Names of drivers and relatives, with the engine that is meant."""

RELATIVES = {
    "mssql": "sqlserver",
    "azuresql": "sqlserver",
    "fabric": "relatives.Fabric",
    "athena": "relatives.Athena",
    "cockroachdb": "relatives.Cockroach",
    "greenplum": "relatives.Greenplum",
    "yugabytedb": "relatives.Yugabyte",
    "timescaledb": "postgresql",
    "neon": "postgresql",
    "motherduck": "duckdb",
}
"""Names of databases that speak an engine's dialect: the engine, or the class of the dialect with what differs."""

ENGINES: MutableMapping[str, Dialect] = _Engines(_dialect)
"""The dialects by the name of their engine."""

CONNECTORS: MutableMapping[str, Connector] = _Engines(_connector, _CONNECTED)
"""The connectors by the name of their engine; a text-only engine has none."""

_REGISTERED: list[tuple[Callable[[Any], bool], Connector]] = []
"""The added connectors, last one first, each with the function that recognises its connections."""


def register(engine: Connector | Dialect, recognises: Callable[[Any], bool] | None = None) -> None:
    """Add an engine: a connector with its dialect, or only a dialect for a text-only engine.

    A connector serves every connection that it recognises. `recognises` replaces the connector's own test.
    The engine that was registered last is asked first, before the engines of this package. It replaces another engine
    of the same name.
    Raises ParameterError for anything else.

        >>> from sqlrp._engines.trino.dialect import Trino
        >>> class Presto(Trino):
        ...     name = "presto"
        ...
        >>> sqlrp.engines.register(Presto())
        >>> sqlrp.sql(rp, sqlrp.Wide("points", features=["a", "b"]), "presto").split()[0]
        'SELECT'
    """
    if not isinstance(engine, (Connector, Dialect)):
        raise ParameterError(
            f"engine {shorten(engine)} must be an Engine: an instance of a Connector or of a Dialect, not a class"
        )
    dialect = engine.dialect if isinstance(engine, Connector) else engine
    ENGINES[dialect.name] = dialect
    CONNECTORS.pop(dialect.name, None)
    if isinstance(engine, Connector):
        CONNECTORS[dialect.name] = engine
        _REGISTERED.insert(0, (recognises or engine.recognises, engine))


def dialect_named(name: str) -> Dialect:
    """The dialect of the named engine. Raises ParameterError for an unknown name."""
    dialect = ENGINES.get(name) or relative(name)
    if dialect is None:
        raise ParameterError(f"engine {shorten(name)} is unknown{meant(name)}: one of {', '.join(ENGINES)}")
    return dialect


def relative(name: str) -> Dialect | None:
    """The dialect of a database that speaks another one's, such as "athena" or "neon"; None for any other name."""
    of = RELATIVES.get(name) if isinstance(name, str) else None
    if of is None or of in ENGINES:
        return None if of is None else ENGINES[of]
    made: Dialect = _class(of)()
    return made


def meant(name: str) -> str:
    """` (did you mean 'mariadb'?)` for another name of an engine, or a name that is like an engine's; or empty."""
    known = _OTHER_NAMES.get(name.casefold()) if isinstance(name, str) else None
    return nearest(name, ENGINES) if known is None else f" (did you mean {known!r}?)"


def connector_of(connection: Any) -> Connector:
    """The connector for a connection; the generic one for a SQLAlchemy dialect without a file in this package.

    Raises ParameterError for anything that is not a connection, and UnreachableError if only the server knows which
    engine it is and does not answer.
    """
    return connector_for(connection).reached(connection)


def dialect_for(engine: Any) -> Dialect:
    """The dialect of text for an engine of SQLAlchemy, which is not connected for it."""
    return connector_for(engine).dialect


@dataclass(frozen=True)
class PlanTarget:
    """What a source is planned for: an engine, and the connector and the connection if there is one."""

    dialect: Dialect
    connector: Connector | None = None
    connection: Any = None

    @staticmethod
    def of(connector: Connector, connection: Any) -> PlanTarget:
        """That of a connection."""
        return PlanTarget(connector.dialect, connector, connection)


def open_target(target: Any) -> PlanTarget:
    """Find the engine of an engine's name, a dialect, a dialect object of SQLAlchemy, or a connection."""
    if isinstance(target, PlanTarget):
        return target
    if isinstance(target, str):
        return PlanTarget(dialect_named(target))
    if isinstance(target, Dialect):
        return PlanTarget(target)
    if is_dialect(target):
        return PlanTarget(dialect_for(engine_of(target)))
    return PlanTarget.of(connector_of(target), target)


def connector_for(connection: Any) -> Connector:
    """The connector for a connection, or for an engine as its name has it, which is not connected for it.

    Raises ParameterError for anything that is not a connection.
    """
    for recognises, connector in _REGISTERED:
        if recognises(connection):
            return connector.serving(connection)
    for name in _CONNECTED:
        connector = _connector(name)
        if connector.recognises(connection):
            return CONNECTORS.get(name, connector).serving(connection)
    if isinstance(connection, str) and (connection in ENGINES or relative(connection)):
        raise ParameterError(_unconnected(connection))
    raise ParameterError(
        f"connection {shorten(connection)} is not one that sqlrp knows: pass "
        + (
            _instead(connection)
            or "a duckdb connection, a SQLAlchemy engine or connection, a connection of psycopg, a client of "
            "clickhouse-connect, or a session of chdb, pyspark, DataFusion, Polars or Daft"
        )
    )


_DRIVERS = {
    "psycopg": "postgresql+psycopg",
    "psycopg2": "postgresql+psycopg2",
    "asyncpg": "postgresql+asyncpg",
    "pg8000": "postgresql+pg8000",
    "pymysql": "mysql+pymysql",
    "MySQLdb": "mysql+mysqldb",
    "mysql": "mysql+mysqlconnector",
    "mariadb": "mariadb+mariadbconnector",
    "sqlite3": "sqlite",
    "aiosqlite": "sqlite+aiosqlite",
    "oracledb": "oracle+oracledb",
    "pyodbc": "mssql+pyodbc",
    "pymssql": "mssql+pymssql",
    "snowflake": "snowflake",
    "trino": "trino",
}
"""The beginning of SQLAlchemy's URL for the packages of drivers."""


_LEADING = {
    "sqlalchemy.orm": "session.connection(), which is in the session's transaction",
    "ibis.backends": "the connection in it, such as backend.con of DuckDB or PostgreSQL, with table.get_name()",
    "adbc_driver": "an open one to DuckDB or PostgreSQL, or the engine's own connection, or only the rows, "
    "sqlrp.project(projection, cursor.fetch_arrow_table())",
}
"""What to pass in place of an object, by how the name of its module begins."""


def _instead(connection: Any) -> str:
    """What to pass instead of an object of a package that leads to a database; empty for any other value."""
    module = type(connection).__module__
    package = module.partition(".")[0]
    if module.startswith("sqlalchemy.ext.asyncio"):
        opened = "" if type(connection).__name__ == "AsyncConnection" else "async with engine.connect() as connection: "
        return f"what run_sync gives: {opened}await connection.run_sync(lambda c: sqlrp.project(projection, source, c))"
    for begin, other in _LEADING.items():
        if module.startswith(begin):
            return other
    if callable(connection) and getattr(connection, "__name__", "") == "default_connection":
        return "what it returns, duckdb.default_connection()"
    if package in _DRIVERS:
        return f"an engine of SQLAlchemy to the same database, sqlalchemy.create_engine('{_DRIVERS[package]}://…')"
    return ""


def _unconnected(name: str) -> str:
    """The remedy if an engine's name is given in place of a connection."""
    return (
        f"{name} is an engine's name and no connection: sqlrp.sql(…, {name!r}) gives the text and sqlrp.export its "
        "files; pass a connection to run it"
    )
