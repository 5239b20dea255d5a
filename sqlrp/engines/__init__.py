"""The registry of engines: one line each."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from duckdb import DuckDBPyConnection

from sqlrp.engines.base import Engine
from sqlrp.engines.duckdb import DuckDB
from sqlrp.engines.mariadb import MariaDB
from sqlrp.engines.postgresql import PostgreSQL
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
    raise ParameterError(
        f"connection {shorten(connection)} is not one that sqlrp knows: pass a duckdb connection, or a SQLAlchemy "
        f"engine or connection of {', '.join(_DIALECTS)}"
    )
