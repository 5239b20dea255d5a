"""The registry of engines: one line each."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from duckdb import DuckDBPyConnection

from sqlrp.engines.base import Engine
from sqlrp.engines.clickhouse import ClickHouse
from sqlrp.engines.duckdb import DuckDB
from sqlrp.engines.mariadb import MariaDB
from sqlrp.engines.postgresql import PostgreSQL
from sqlrp.engines.spark import Spark
from sqlrp.engines.sqlite import SQLite
from sqlrp.engines.warehouses import BigQuery, Databricks, Redshift, Snowflake, Trino
from sqlrp.errors import ParameterError, nearest, shorten

ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        DuckDB(),
        PostgreSQL(),
        SQLite(),
        MariaDB(),
        ClickHouse(),
        Spark(),
        Snowflake(),
        BigQuery(),
        Redshift(),
        Databricks(),
        Trino(),
    )
}
"""Every engine by its name."""

_DIALECTS = {"postgresql": "postgresql", "sqlite": "sqlite", "mariadb": "mariadb", "mysql": "mariadb"}
"""The engine behind each dialect of SQLAlchemy's."""

_PACKAGES = {"chdb": "clickhouse", "pyspark": "spark"}
"""The engine behind the sessions of an optional package, which is told by its name and not imported."""


def engine_named(name: str) -> Engine:
    """The engine of that name; raises ParameterError for an unknown one."""
    engine = ENGINES.get(name)
    if engine is None:
        raise ParameterError(f"engine {shorten(name)} is unknown{nearest(name, ENGINES)}: one of {', '.join(ENGINES)}")
    return engine


def engine_of(connection: Any) -> Engine:
    """The engine behind a connection; raises ParameterError for what is none."""
    if isinstance(connection, DuckDBPyConnection):
        return ENGINES["duckdb"]
    if isinstance(connection, (sa.Engine, sa.Connection)) and connection.dialect.name in _DIALECTS:
        return ENGINES[_DIALECTS[connection.dialect.name]]
    for module, name in _PACKAGES.items():
        if any(kind.__module__.split(".")[0] == module for kind in type(connection).__mro__):
            return ENGINES[name]
    raise ParameterError(
        f"connection {shorten(connection)} is not one that sqlrp knows: pass a duckdb connection, a SQLAlchemy "
        f"engine or connection of {', '.join(_DIALECTS)}, or a session of {', '.join(_PACKAGES)}"
    )
