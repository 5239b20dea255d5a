"""Open the databases and files that a command names, and close them at the end. Passwords are never shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import duckdb
from click.core import ParameterSource

from sqlrp.cli.options import option, taking
from sqlrp.core.alchemy import sa
from sqlrp.core.errors import ParameterError, SourceError, one_line
from sqlrp.core.extras import command
from sqlrp.core.passwords import holds_password, without_passwords
from sqlrp.core.sources import TableName
from sqlrp.engines import ENGINES, connector_of

_DRIVERS = {
    "postgres": ("postgresql+psycopg", "postgresql"),
    "postgresql": ("postgresql+psycopg", "postgresql"),
    "mysql": ("mysql+pymysql", "mariadb"),
    "mariadb": ("mariadb+pymysql", "mariadb"),
}
"""The driver for a URL that names none, and the extra that installs it."""

_DIALECTS = {
    "snowflake": "snowflake-sqlalchemy",
    "bigquery": "sqlalchemy-bigquery",
    "redshift": "sqlalchemy-redshift",
    "databricks": "databricks-sqlalchemy",
    "trino": "trino",
}
"""The package with SQLAlchemy's dialect for a warehouse, by the name of the warehouse, which is also its extra."""

_SECRET = re.compile("pass|pwd|secret|token", re.IGNORECASE)
ARROW = (".arrow", ".feather", ".ipc")


@dataclass(frozen=True)
class Place:
    """Where a source is: a database (None: DuckDB in memory, for files), and the table's name in it."""

    db: str | None
    name: str
    arrow: str | None = None
    """the Arrow file that is registered under that name"""

    @property
    def is_server(self) -> bool:
        """Whether the database is reached through SQLAlchemy."""
        return is_server(self.db)


def is_server(db: str | None) -> bool:
    """Whether the database is reached through SQLAlchemy; otherwise it is a DuckDB file."""
    return db is not None and "://" in db and not db.startswith("duckdb://")


def place(source: str | None, db: str | None, table: str | None) -> Place:
    """Where a source is: a file, `shop.duckdb::images`, or a table of --db. Raises UsageError for none, or for two."""
    check_names(("SOURCE", source), ("--table", table))
    if source is not None and table is not None:
        raise click.UsageError(f"SOURCE {source!r} and --table {table!r} both name a table: give one")
    from_environment = click.get_current_context().get_parameter_source("db") is ParameterSource.ENVIRONMENT
    elsewhere = None if from_environment else db  # the value of --db itself
    if source is not None and "::" in source:
        if elsewhere is not None:
            raise click.UsageError(f"SOURCE {source!r} names a database, and so does --db: give one")
        path, _, name = source.partition("::")
        return Place(path, name)
    if source is not None and elsewhere is None and source.lower().endswith(ARROW):
        return Place(None, str(TableName((source,))), arrow=source)
    if source is not None and elsewhere is None and TableName.parse(source).is_file:
        return Place(None, source)
    named = source if table is None else table
    if db is None:
        said = "no SOURCE" if named is None else f"{named!r} is no file that is known by its ending"
        raise click.UsageError(
            f"{said}: name a .parquet, .csv or .arrow file, shop.duckdb::images, or --db and --table"
        )
    if named is None:
        raise click.UsageError("--db without a table: name it with --table")
    return Place(db, named)


def check_names(*named: tuple[str, str | None]) -> None:
    """Raise UsageError if a table's name is a database's URL, so that SQL and results never contain a password."""
    for what, text in named:
        if text is not None and holds_password(text):
            raise click.UsageError(f"{what} is a database's URL: give it as --db, and the table as --table")


# -- opening ---------------------------------------------------------------------------------------------


limit_options = taking(
    option(
        "--memory-limit",
        section="Resources",
        metavar="SIZE",
        help="DuckDB's memory, such as 1GB; it spills the rest to disk  [80% of the machine's]",
    ),
    option("--threads", type=click.IntRange(1), section="Resources", help="DuckDB's threads  [all cores]"),
)


@contextmanager
def opened(
    db: str | None,
    *,
    writes: bool = False,
    memory_limit: str | None = None,
    threads: int | None = None,
    spill: Path | None = None,
) -> Iterator[Any]:
    """Open a database: a SQLAlchemy engine, or a DuckDB connection, in memory if there is no name.

    `writes` False opens a DuckDB file for reading, which several processes may do at once. DuckDB uses the folder
    `spill` for data that does not fit in memory. Raises SourceError if the database cannot be opened.
    """
    if is_server(db):
        if memory_limit or threads:
            raise click.UsageError("--memory-limit and --threads are for DuckDB: a server has its own settings")
        with _server(str(db)) as engine:
            yield engine
        return
    path = ":memory:" if db is None else re.sub("^duckdb:///", "", db)
    try:
        connection = duckdb.connect(path, read_only=db is not None and not writes)
    except duckdb.Error as error:
        raise SourceError(f"{path} cannot be opened: {one_line(str(error))}") from error
    # DuckDB 2.0's asynchronous writer may wait for itself for ever if memory is short.
    settings: dict[str, Any] = {"async_threads": 0, "memory_limit": memory_limit, "threads": threads}
    settings["temp_directory"] = spill and str(spill)
    if memory_limit is not None:
        # With prefetching the reader keeps two row groups of all columns in memory; without, one page of each column.
        settings["disable_parquet_prefetching"] = "true"
    with connection:
        for name, value in settings.items():
            if value is not None:
                try:
                    connection.execute(f"SET {name} = {ENGINES['duckdb'].string(str(value))}")
                except duckdb.Error as error:
                    raise ParameterError(f"{name} = {value!r} is refused: {one_line(str(error))}") from error
        yield connection


def existing(db: str) -> str:
    """The database, if it exists; raises SourceError otherwise, as DuckDB would create the file."""
    path = re.sub("^duckdb:///", "", db)
    if not is_server(db) and not Path(path).is_file():
        raise SourceError(f"there is no DuckDB file {path!r}: name one, or a URL such as postgresql://user@host/name")
    return db


@contextmanager
def reading(where: Place, **settings: Any) -> Iterator[Any]:
    """Open a connection that can read the source."""
    with opened(where.db and existing(where.db), **settings) as connection:
        if where.arrow is not None:
            import pyarrow as pa
            from pyarrow import dataset

            try:
                connection.register(where.arrow, dataset.dataset(where.arrow, format="ipc"))
            except (pa.ArrowException, OSError) as error:
                raise SourceError(f"{where.arrow} cannot be read: {one_line(str(error))}") from error
        yield connection


@contextmanager
def _server(text: str) -> Iterator[sa.Engine]:
    if text.count("@") > 1:
        raise click.UsageError("the database's URL has more than one @: write an @ within a password as %40")
    extra = ""
    try:
        url = sa.make_url(text)
        driver, extra = _DRIVERS.get(url.drivername, (url.drivername, ""))
        engine = sa.create_engine(url.set(drivername=driver))
        connector_of(engine)
    except sa.exc.NoSuchModuleError as error:
        name = url.get_backend_name()
        if name not in _DIALECTS:
            raise ParameterError(f"the database's URL does not do: {one_line(str(error))}") from error
        remedy = command(_DIALECTS[name], name)
        raise SourceError(f"{shown(text)} needs the package {_DIALECTS[name]}: {remedy}") from error
    except (sa.exc.ArgumentError, ValueError) as error:
        raise ParameterError(f"the database's URL does not do: {one_line(str(error))}") from error
    except ModuleNotFoundError as error:
        remedy = command(error.name or "", extra)
        raise SourceError(f"{shown(text)} needs the driver {error.name}: {remedy}") from error
    try:
        try:
            engine.connect().close()
        except sa.exc.SQLAlchemyError as error:
            words = one_line(str(getattr(error, "orig", error)))
            raise SourceError(f"{shown(text)} cannot be reached: {words}") from error
        yield engine
    finally:
        engine.dispose()


# -- passwords -------------------------------------------------------------------------------------------


def shown(db: str) -> str:
    """A database as it is shown: a file's path, or a URL without passwords."""
    if not is_server(db):
        return without_passwords(db)
    try:
        url = sa.make_url(db)
    except (sa.exc.ArgumentError, ValueError):
        return "the database's URL"
    hidden = [key for key in url.query if _SECRET.search(key)]
    return without_passwords(url.difference_update_query(hidden).render_as_string(hide_password=True))
