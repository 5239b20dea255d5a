"""Open the databases and files that a command names, and close them at the end. Passwords are never shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

import click
import duckdb
from click.core import ParameterSource

from sqlrp._cli.option_fields import check_written, gathered, option_field
from sqlrp._cli.pipes import NAME, STDIN, spooled
from sqlrp._core.alchemy import sa
from sqlrp._core.errors import ParameterError, SourceError, one_line, shorten
from sqlrp._core.passwords import holds_password
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._engines.registry import CONNECTORS, ENGINES
from sqlrp._run.database_url import connect, shown
from sqlrp._run.files_read import files_read

ARROW = (".arrow", ".feather", ".ipc")
_CSV = re.compile(r"\.(csv|tsv|txt)(\.gz|\.zst)?$", re.IGNORECASE)


@dataclass(frozen=True)
class SourcePlace:
    """Where a source is: a database (None: DuckDB in memory, for files), and the table's name in it."""

    db: str | None
    name: str
    arrow: str | None = None
    """the Arrow file that is registered under that name"""
    piped: bool = False
    """whether the rows come through a pipe"""
    csv: Mapping[str, str | list[str]] = field(default_factory=dict)
    """how a CSV file is read, if not in the usual way: a view with the name of the file reads it"""

    @property
    def passes(self) -> bool:
        """Whether nothing but this command can read the source by its name."""
        return self.piped or bool(self.csv)

    @property
    def is_server(self) -> bool:
        """Whether the database is reached through SQLAlchemy."""
        return is_server(self.db)


def is_server(db: str | None) -> bool:
    """Whether the database is reached through SQLAlchemy; otherwise it is a DuckDB file."""
    return db is not None and "://" in db and not db.startswith("duckdb://")


def ends_in(path: str, endings: str | tuple[str, ...]) -> bool:
    """Whether a path has one of the endings, in small or in capital letters."""
    return path.lower().endswith(endings)


def place(source: str | None, db: str | None, table: str | None, csv: Mapping[str, str | list[str]]) -> SourcePlace:
    """Where a source is: a file, `shop.duckdb::images`, or a table of --db. Raises UsageError for none, or for two.

    `csv`: how a CSV file is read, in the arguments of DuckDB's `read_csv`.
    """
    found = _place(_files_of(source) if db is None else source, db, table)
    if not csv:
        return found
    if found.db is not None or found.piped or not _CSV.search(str(source)):
        raise click.UsageError(
            f"--decimal, --thousands, --na and --encoding are for a CSV file, and {shorten(source or table)} is none: "
            "leave them out"
        )
    return SourcePlace(None, str(TableName((str(source),))), csv=csv)


def _files_of(source: str | None) -> str | None:
    """A folder's files of Parquet as DuckDB names them; any other source as it is. Raises UsageError for no file."""
    if source is not None and not source.strip():
        raise click.UsageError(f"SOURCE {source!r} is empty: name a file, a folder, or . for this folder")
    if source is None or not Path(source).is_dir():
        return source
    whole = Path(source).resolve()
    if whole == whole.parent:
        raise click.UsageError(f"the folder {source!r} is the whole file system: name a folder in it, or a file")
    if next(Path(source).rglob("*.parquet"), None) is None:
        raise click.UsageError(f"the folder {source!r} holds no file of Parquet (*.parquet): name a file")
    if any(sign in source for sign in "*?["):
        raise click.UsageError(
            f"the name of the folder {source!r} holds a sign of a pattern: rename it, or name a file"
        )
    return f"{source.rstrip('/')}/**/*.parquet"


def _place(source: str | None, db: str | None, table: str | None) -> SourcePlace:
    check_names(("SOURCE", source), ("--table", table))
    if source is not None and table is not None:
        raise click.UsageError(f"SOURCE {source!r} and --table {table!r} both name a table: give one")
    from_environment = click.get_current_context().get_parameter_source("db") is ParameterSource.ENVIRONMENT
    written_db = None if from_environment else db  # as the command line has it
    if source in STDIN:
        if written_db is not None:
            raise click.UsageError(f"SOURCE {source} is a pipe, and --db a database: give one")
        return SourcePlace(None, str(TableName((NAME,))), piped=True)
    if source is not None and "::" in source:
        if written_db is not None:
            raise click.UsageError(f"SOURCE {source!r} names a database, and so does --db: give one")
        path, _, name = source.partition("::")
        return SourcePlace(path, name)
    if source is not None and written_db is None and ends_in(source, ARROW):
        return SourcePlace(None, str(TableName((source,))), arrow=source)
    if source is not None and written_db is None and TableName.parse(source).is_file:
        return SourcePlace(None, source)
    named = source if table is None else table
    if db is None:
        said = "no SOURCE" if named is None else f"{named!r} is no file that is known by its ending"
        raise click.UsageError(
            f"{said}: name a .parquet, .csv or .arrow file, a folder, - for a pipe, shop.duckdb::images, or --db and "
            "--table"
        )
    if named is None:
        raise click.UsageError("--db without a table: name it with --table")
    return SourcePlace(db, named)


def check_names(*named: tuple[str, str | None]) -> None:
    """Raise UsageError if a table's name is a database's URL, so that SQL and results never contain a password."""
    for what, text in named:
        if text is not None and holds_password(text):
            raise click.UsageError(f"{what} is a database's URL: give it as --db, and the table as --table")


# -- opening ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ResourceLimits:
    """The options that bound what DuckDB takes."""

    memory_limit: str | None = option_field(
        "DuckDB's memory, such as 1GB; it spills the rest to disk  [80% of the machine's]", metavar="SIZE"
    )
    threads: int | None = option_field("DuckDB's threads  [all cores]", type=click.IntRange(1))


NO_LIMITS = ResourceLimits()
limit_options = gathered("limits", ResourceLimits, "Resources")


@contextmanager
def opened(
    db: str | None,
    *,
    writes: bool = False,
    limits: ResourceLimits = NO_LIMITS,
    spill: Path | None = None,
) -> Iterator[Any]:
    """Open a database: a SQLAlchemy engine, or a DuckDB connection, in memory if there is no name.

    `writes` False opens a DuckDB file for reading, which several processes may do at once. DuckDB uses the folder
    `spill` for data that does not fit in memory. Raises SourceError if the database cannot be opened.
    """
    if is_server(db):
        if limits != NO_LIMITS:
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
    settings: dict[str, Any] = {"async_threads": 0, **asdict(limits)}
    settings["temp_directory"] = spill and str(spill)
    if limits.memory_limit is not None:
        # With prefetching the reader keeps two row groups of all columns in memory; without, one page of each column.
        settings["disable_parquet_prefetching"] = "true"
    with connection:
        known = {name for (name,) in connection.execute("SELECT name FROM duckdb_settings()").fetchall()}
        for name, value in settings.items():
            if value is not None and name in known:  # DuckDB 1.4 has no async_threads
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
def reading(
    where: SourcePlace, writes: bool = False, limits: ResourceLimits = NO_LIMITS, spill: Path | None = None
) -> Iterator[Any]:
    """Open a connection that can read the source. Raises ParameterError if the command would write over its input."""
    with opened(where.db and existing(where.db), writes=writes, limits=limits, spill=spill) as connection:
        if where.arrow is not None:
            import pyarrow as pa
            from pyarrow import dataset

            try:
                connection.register(where.arrow, dataset.dataset(where.arrow, format="ipc"))
            except (pa.ArrowException, OSError) as error:
                raise SourceError(f"{where.arrow} cannot be read: {one_line(str(error))}") from error
        if where.csv:
            _view_of_csv(connection, TableName.parse(where.name).parts[0], where.csv)
        labels = click.get_current_context().params.get("labels")
        check_written(lambda: files_read(connection, where.name, labels))
        with spooled(CONNECTORS["duckdb"], connection) if where.piped else nullcontext():
            yield connection


def _view_of_csv(connection: duckdb.DuckDBPyConnection, path: str, csv: Mapping[str, str | list[str]]) -> None:
    """A view of the file's name that reads the file as the options say."""
    dialect = ENGINES["duckdb"]

    def written(value: str | list[str]) -> str:
        return dialect.string(value) if isinstance(value, str) else f"[{', '.join(map(dialect.string, value))}]"

    told = "".join(f", {name} = {written(value)}" for name, value in csv.items())
    query = f"SELECT * FROM read_csv({dialect.string(path)}{told})"
    try:
        connection.execute(f"CREATE TEMPORARY VIEW {dialect.quote(path)} AS {query}")
        connection.execute(f"DESCRIBE {query}")
    except duckdb.Error as error:
        raise SourceError(f"{path} cannot be read as CSV{told}: {one_line(str(error))}") from error


@contextmanager
def _server(text: str) -> Iterator[sa.Engine]:
    engine = connect(text)
    try:
        try:
            engine.connect().close()
        except sa.exc.SQLAlchemyError as error:
            words = one_line(str(getattr(error, "orig", error)))
            raise SourceError(f"{shown(text)} cannot be reached: {words}") from error
        yield engine
    finally:
        engine.dispose()
