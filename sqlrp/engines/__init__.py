"""The registry of engines: one line for each engine; `register` adds one of your own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlrp.connectors.base import Connector
from sqlrp.connectors.chdb import ChdbConnector
from sqlrp.connectors.duckdb import DuckDBConnector
from sqlrp.connectors.inspected import AnyConnector, InspectedConnector
from sqlrp.connectors.mariadb import MariaDBConnector
from sqlrp.connectors.postgresql import PostgreSQLConnector
from sqlrp.connectors.spark import SparkConnector
from sqlrp.connectors.sqlite import SQLiteConnector
from sqlrp.core.errors import ParameterError, UnsupportedError, nearest, shorten
from sqlrp.dialects.base import Dialect
from sqlrp.dialects.bigquery import BigQuery
from sqlrp.dialects.clickhouse import ClickHouse
from sqlrp.dialects.databricks import Databricks
from sqlrp.dialects.duckdb import DuckDB
from sqlrp.dialects.generic import Generic
from sqlrp.dialects.mariadb import MariaDB
from sqlrp.dialects.postgresql import PostgreSQL
from sqlrp.dialects.redshift import Redshift
from sqlrp.dialects.snowflake import Snowflake
from sqlrp.dialects.spark import Spark
from sqlrp.dialects.sqlite import SQLite
from sqlrp.dialects.trino import Trino

_TABLE: tuple[Connector, ...] = (
    DuckDBConnector(DuckDB()),
    PostgreSQLConnector(PostgreSQL()),
    SQLiteConnector(SQLite()),
    MariaDBConnector(MariaDB()),
    ChdbConnector(ClickHouse()),
    SparkConnector(Spark()),
    InspectedConnector(Snowflake()),
    InspectedConnector(BigQuery()),
    InspectedConnector(Redshift()),
    InspectedConnector(Databricks()),
    InspectedConnector(Trino()),
    AnyConnector(Generic()),
)
"""Every engine of the package: the first one that recognises a connection serves it."""

ENGINES: dict[str, Dialect] = {connector.dialect.name: connector.dialect for connector in _TABLE}
"""Every engine's dialect by the engine's name."""

CONNECTORS: dict[str, Connector] = {connector.dialect.name: connector for connector in _TABLE}
"""Every engine's connector by the engine's name; an engine that is text only has none."""

_REGISTERED: list[tuple[Callable[[Any], bool], Connector]] = []
"""Connectors that were added, each with the test of a connection; the last one first."""


def register(engine: Connector | Dialect, recognises: Callable[[Any], bool] | None = None) -> None:
    """Add an engine: a connector with its dialect, or a dialect alone for an engine that is text only.

    A connector serves every connection that it recognises; `recognises` is another test that takes its place.
    The engine that was registered last is asked first, before the engines of this package. It replaces another engine
    of the same name.
    Raises ParameterError for anything else.
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
    """The dialect of the engine of that name; raises ParameterError for an unknown one."""
    dialect = ENGINES.get(name)
    if dialect is None:
        raise ParameterError(f"engine {shorten(name)} is unknown{nearest(name, ENGINES)}: one of {', '.join(ENGINES)}")
    return dialect


def connector_named(name: str) -> Connector:
    """The connector of the engine of that name; raises UnsupportedError for an engine that is text only."""
    dialect = dialect_named(name)
    if name not in CONNECTORS:
        raise UnsupportedError(
            f"{dialect.name} is written for, not connected to: sqlrp.sql(…, {dialect.name!r}) gives the text, "
            "sqlrp.export its files"
        )
    return CONNECTORS[name]


def connector_of(connection: Any) -> Connector:
    """The connector for a connection; of a SQLAlchemy dialect without a file of its own the generic one.

    Raises ParameterError for anything that is no connection.
    """
    for recognises, connector in _REGISTERED:
        if recognises(connection):
            return connector.serving(connection)
    for connector in _TABLE:
        if connector.recognises(connection):
            return connector.serving(connection)
    raise ParameterError(
        f"connection {shorten(connection)} is not one that sqlrp knows: pass a duckdb connection, a SQLAlchemy "
        "engine or connection, or a session of chdb, pyspark"
    )
