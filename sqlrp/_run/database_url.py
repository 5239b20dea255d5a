"""`connect`, which opens a database by its URL. What is missing is explained the same way here and by the commands."""

from __future__ import annotations

import re
from typing import Any

from sqlrp._core.alchemy import sa
from sqlrp._core.errors import ParameterError, nearest, one_line, shorten
from sqlrp._core.extras import command
from sqlrp._core.passwords import without_passwords
from sqlrp._engines.duckdb.connector import opened
from sqlrp._engines.registry import connector_for

_DRIVERS = {
    "postgres": ("postgresql+psycopg", "postgresql"),
    "postgresql": ("postgresql+psycopg", "postgresql"),
    "postgresql+psycopg": ("postgresql+psycopg", "postgresql"),
    "mysql": ("mysql+pymysql", "mysql"),
    "mysql+pymysql": ("mysql+pymysql", "mysql"),
    "mariadb": ("mariadb+pymysql", "mariadb"),
    "mariadb+pymysql": ("mariadb+pymysql", "mariadb"),
    "mssql": ("mssql+pyodbc", "sqlserver"),
    "mssql+pyodbc": ("mssql+pyodbc", "sqlserver"),
    "oracle": ("oracle+oracledb", "oracle"),
    "oracle+oracledb": ("oracle+oracledb", "oracle"),
}
"""The driver for a URL, and the extra that installs it."""

_DIALECTS = {
    "snowflake": "snowflake-sqlalchemy",
    "bigquery": "sqlalchemy-bigquery",
    "redshift": "sqlalchemy-redshift",
    "databricks": "databricks-sqlalchemy",
    "trino": "trino",
    "clickhousedb": "clickhouse-connect",
    "clickhouse": "clickhouse-sqlalchemy",
}
"""The package with SQLAlchemy's dialect for an engine, by the name of the dialect, which is also its extra."""

_SECRET = re.compile("pass|pwd|secret|token", re.IGNORECASE)


def connect(url: str) -> Any:
    """A SQLAlchemy engine for a database's URL, such as `postgresql://me@host/shop`, or a connection to a DuckDB file.

    A URL that names no driver gets the one that sqlrp is tested with. The commands open `--db` this way, too. Any other
    engine of SQLAlchemy does as well. The database is reached when the engine is first used.

    An engine of `mysql+pymysql` takes several statements as one, as PostgreSQL does, so that a call waits for fewer
    answers. Write `?client_flag=0` at the end of the URL for one that does not.

    A path that ends in .duckdb, .ddb or .db, or `:memory:`, is opened by `duckdb.connect`, with DuckDB's extension
    sqlrp if it was built (`make extension`) or is installed: loading it writes the functions of `install` into the
    file, if they are not there, and runs them in native code. A connection of `duckdb.connect` does as well.

    Raises ImportError for a missing driver, with the command that installs it, and ParameterError for any other text.

        >>> engine = sqlrp.connect("sqlite://")
        >>> engine.dialect.name
        'sqlite'
    """
    if isinstance(url, str) and "://" not in url and url.endswith((".duckdb", ".ddb", ".db", ":memory:")):
        return opened(url)
    if not isinstance(url, str) or "://" not in url or url.startswith("duckdb:"):
        remedy = "for DuckDB, pass duckdb.connect(…) where a connection is asked for"
        raise ParameterError(f"url = {shorten(url)} is no URL such as postgresql://me@host/shop: {remedy}")
    if url.count("@") > 1:
        raise ParameterError("the database's URL has more than one @: write an @ within a password as %40")
    extra, name = "", ""
    try:
        parts = sa.make_url(url)
        name = parts.get_backend_name()
        driver, extra = _DRIVERS.get(parts.drivername, (parts.drivername, name if name in _DIALECTS else ""))
        engine = sa.create_engine(_in_few_words(parts.set(drivername=driver)))
        connector_for(engine)
    except ModuleNotFoundError as error:
        raise ImportError(_needs(url, "driver", error.name or "", extra)) from error
    except sa.exc.NoSuchModuleError as error:
        if name in _DIALECTS:
            raise ImportError(_needs(url, "package", _DIALECTS[name], name)) from error
        raise ParameterError(
            f"no database is known by the first word of the URL, {shorten(name or url.partition('://')[0])}"
            f"{nearest(name, [*_DRIVERS, *_DIALECTS, 'sqlite'])}: write postgresql://, mariadb:// or sqlite://, or "
            "install the database's package for SQLAlchemy"
        ) from error
    except (sa.exc.ArgumentError, ValueError) as error:
        raise ParameterError(
            f"the database's URL cannot be read: {_port(error) or one_line(str(error))}; write it as postgresql://user@host:5432/name"
        ) from error
    return engine


def _in_few_words(url: sa.URL) -> sa.URL:
    """The URL, by which MySQL takes several statements as one. MariaDB does so without."""
    if url.drivername != "mysql+pymysql" or "client_flag" in url.query:
        return url
    from sqlrp._engines.mysql.connector import MULTI_STATEMENTS

    return url.update_query_dict({"client_flag": str(MULTI_STATEMENTS)})


def _port(error: Exception) -> str:
    """What is wrong with a port, of which SQLAlchemy passes on the words of `int`."""
    return "its port is no number" if "int()" in str(error) else ""


def _needs(url: str, what: str, package: str, extra: str) -> str:
    return f"{shown(url)} needs the {what} {package}: {command(package, extra)}"


def shown(db: str) -> str:
    """A database as it is shown: a file's path, or a URL without passwords."""
    try:
        url = sa.make_url(db) if "://" in db and not db.startswith("duckdb://") else None
    except (sa.exc.ArgumentError, ValueError):
        return "the database's URL"
    if url is None:
        return without_passwords(db)
    hidden = [key for key in url.query if _SECRET.search(key)]
    return without_passwords(url.difference_update_query(hidden).render_as_string(hide_password=True))
