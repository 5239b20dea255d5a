"""The registry of engines: one line each; `register` adds one of your own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from duckdb import DuckDBPyConnection

from sqlrp.core.errors import ParameterError, nearest, shorten
from sqlrp.engines.base import Engine
from sqlrp.engines.clickhouse import ClickHouse
from sqlrp.engines.duckdb import DuckDB
from sqlrp.engines.generic import Generic
from sqlrp.engines.mariadb import MariaDB
from sqlrp.engines.postgresql import PostgreSQL
from sqlrp.engines.spark import Spark
from sqlrp.engines.sqlite import SQLite
from sqlrp.engines.warehouses import BigQuery, Databricks, Redshift, Snowflake, Trino

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
        Generic(),
    )
}
"""Every engine by its name."""

_DIALECTS = {"postgresql": "postgresql", "sqlite": "sqlite", "mariadb": "mariadb", "mysql": "mariadb"}
"""The engine behind each dialect of SQLAlchemy's."""

_PACKAGES = {"chdb": "clickhouse", "pyspark": "spark"}
"""The engine behind the sessions of an optional package, which is told by its name and not imported."""


_REGISTERED: list[tuple[Callable[[Any], bool], Engine]] = []
"""Engines that were added, each with the test of a connection; the last one first."""


def register(engine: Engine, recognises: Callable[[Any], bool]) -> None:
    """Add an engine, by its name, for every connection that `recognises` says is one of its own.

    What was registered last is asked first, before the engines of this package; another engine of the name gives way.
    Raises ParameterError for what is no engine.
    """
    if not isinstance(engine, Engine):
        raise ParameterError(f"engine {shorten(engine)} must be an Engine: an instance, not its class")
    ENGINES[engine.name] = engine
    _REGISTERED.insert(0, (recognises, engine))


def engine_named(name: str) -> Engine:
    """The engine of that name; raises ParameterError for an unknown one."""
    engine = ENGINES.get(name)
    if engine is None:
        raise ParameterError(f"engine {shorten(name)} is unknown{nearest(name, ENGINES)}: one of {', '.join(ENGINES)}")
    return engine


def engine_of(connection: Any) -> Engine:
    """The engine behind a connection; of a SQLAlchemy dialect without a file of its own the generic one.

    Raises ParameterError for what is no connection.
    """
    for recognises, engine in _REGISTERED:
        if recognises(connection):
            return engine
    if isinstance(connection, DuckDBPyConnection):
        return ENGINES["duckdb"]
    if isinstance(connection, (sa.Engine, sa.Connection)):
        name = _DIALECTS.get(connection.dialect.name)
        return Generic(connection.dialect) if name is None else ENGINES[name]
    for module, name in _PACKAGES.items():
        if any(kind.__module__.split(".")[0] == module for kind in type(connection).__mro__):
            return ENGINES[name]
    raise ParameterError(
        f"connection {shorten(connection)} is not one that sqlrp knows: pass a duckdb connection, a SQLAlchemy "
        f"engine or connection, or a session of {', '.join(_PACKAGES)}"
    )
