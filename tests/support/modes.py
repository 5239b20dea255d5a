"""Rights and modes in which a database may only be read, or written in part: each gives a connection to a `Ground`."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import sqlalchemy as sa
from databases import DOUBLES, Database, opened

import sqlrp
from sqlrp import Long, PolynomialKernelProjection, SparseProjection, Wide

FEW = SparseProjection(k=2, s=1, seed=3)
BITS = SparseProjection(k=64, s=1, seed=1)
MANY = PolynomialKernelProjection(k=40, t=2, seed=2)
"""It learns with so many components that they are fetched."""
T = Wide("t", features=["a", "b", "c"])
CELLS = Long("cells", n_features=3)
ROWS = 40


@dataclass
class Ground:
    """A database in which everything is kept that the calls read, and a connection that may do all."""

    name: str
    db: Database
    folder: Path


def fill(db: Database) -> None:
    """The source, a saved projection, a saved model, kept tables and what searches them."""
    kind = DOUBLES[db.name]
    rows = [
        [i, (i * 7 % 11) / 3.0, (i * 5 % 13) - 6.0, (i * i % 17) / 2.0, float(i % 5) + i / 7]
        for i in range(1, ROWS + 1)
    ]
    cells = [(i, j, row[j + 1]) for i, row in enumerate(rows) for j in range(3) if row[j + 1] or j == 0]
    db.make("cells", [("id", "BIGINT"), ("feature", "INTEGER"), ("value", kind)], cells)
    columns = [("id", "BIGINT"), ("a", kind), ("b", kind), ("c", kind), ("label", kind)]
    db.make("t", columns, rows)
    pairs = [(i, i * i % ROWS + 1, float(i % 5)) for i in range(1, ROWS + 1)]
    db.make("near", [("id", "BIGINT"), ("neighbour", "BIGINT"), ("distance", kind)], pairs)
    sqlrp.save(FEW, db.connection, "few", source=T)
    sqlrp.save_model(sqlrp.learn(FEW, T, db.connection, folds=2), db.connection, "model")
    sqlrp.materialize(BITS, T, db.connection, into="bits", output="bits")
    sqlrp.materialize(FEW, T, db.connection, into="kept")
    db.run(f"INSERT INTO t VALUES ({ROWS + 1}, 1.5, 2.5, 3.5, 4.5)")


@contextmanager
def ground(name: str, folder: Path, read: Callable[[Database], Any]) -> Iterator[tuple[Ground, Any]]:
    """A filled database, and what `read` finds there. No one has DuckDB's file open."""
    for db in opened(name, folder):
        fill(db)
        found = read(db)
        if name == "duckdb":
            db.connection.close()
        yield Ground(name, db, folder), found
        if name == "duckdb":
            db.connection = duckdb.connect()


@contextmanager
def role(found: Ground, *grants: str, temporary: bool = True) -> Iterator[sa.URL]:
    """The address for a new role of PostgreSQL, or a user of MariaDB, with these rights."""
    db, name, password = found.db, f"sqlrp_{uuid.uuid4().hex[:12]}", "secret"
    url = db.connection.engine.url
    if found.name == "postgresql":
        db.run(f"CREATE ROLE {name} LOGIN PASSWORD '{password}'")
        ((database,),) = db.run_query("SELECT current_database()")
        db.run(f"GRANT USAGE ON SCHEMA {db.schema} TO {name}")
        if not temporary:
            db.run(f"REVOKE TEMP ON DATABASE {database} FROM PUBLIC")
        for grant in grants:
            db.run(f"{grant.format(schema=db.schema)} TO {name}")
        url = url.update_query_dict({"options": f"-csearch_path={db.schema}"})
        away = (f"GRANT TEMP ON DATABASE {database} TO PUBLIC", f"DROP OWNED BY {name} CASCADE", f"DROP ROLE {name}")
    else:
        db.run(f"CREATE USER {name}@'%' IDENTIFIED BY '{password}'")
        for grant in grants:
            db.run(f"{grant.format(schema=db.schema)} TO {name}@'%'")
        url = url.set(database=db.schema)
        away = (f"DROP USER {name}@'%'",)
    try:
        yield url.set(username=name, password=password)
    finally:
        for statement in away:
            db.run(statement)


@contextmanager
def connected(url: sa.URL, **options: Any) -> Iterator[sa.Engine]:
    engine = sa.create_engine(url, **options)
    try:
        yield engine
    finally:
        engine.dispose()


def own(found: Ground) -> sa.URL:
    """The address of the ground, for its owner."""
    return found.db.pool().url


# -- PostgreSQL --------------------------------------------------------------------------------------------


@contextmanager
def read_only_server(found: Ground) -> Iterator[sa.Engine]:
    """As on a standby: no transaction writes."""
    url = own(found)
    options = f"{url.query['options']} -cdefault_transaction_read_only=on"
    with connected(url.update_query_dict({"options": options})) as engine:
        yield engine


@contextmanager
def read_only_transaction(found: Ground) -> Iterator[sa.Connection]:
    """The caller's open transaction, which may only read. It must stay whole."""
    with connected(own(found)) as engine, engine.connect() as connection:
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")
        yield connection
        connection.exec_driver_sql("SELECT 1")


@contextmanager
def without_temp(found: Ground) -> Iterator[sa.Engine]:
    """A role that may make tables, but no temporary ones."""
    rights = ("GRANT ALL ON SCHEMA {schema}", "GRANT SELECT ON ALL TABLES IN SCHEMA {schema}")
    with role(found, *rights, temporary=False) as url, connected(url) as engine:
        yield engine


@contextmanager
def reader(found: Ground) -> Iterator[sa.Engine]:
    """A role that may read the tables, and make temporary ones."""
    with role(found, "GRANT SELECT ON ALL TABLES IN SCHEMA {schema}") as url, connected(url) as engine:
        yield engine


@contextmanager
def bare_reader(found: Ground) -> Iterator[sa.Engine]:
    """A role that may read the tables, and do nothing else."""
    rights = "GRANT SELECT ON ALL TABLES IN SCHEMA {schema}"
    with role(found, rights, temporary=False) as url, connected(url) as engine:
        yield engine


@contextmanager
def pooler(found: Ground) -> Iterator[sa.Engine]:
    """As behind a pooler of transactions: what a statement leaves outside a transaction is lost, or others get it."""
    with connected(own(found), isolation_level="AUTOCOMMIT") as engine:
        left: list[Any] = []

        @sa.event.listens_for(engine, "after_cursor_execute")
        def lose(connection: sa.Connection, cursor: Any, statement: str, *_: Any) -> None:
            driver = connection.connection.driver_connection
            if driver.info.transaction_status == 0:  # idle
                own_cursor = driver.cursor()
                own_cursor.execute("SELECT name, setting FROM pg_settings WHERE source = 'session'")
                left.extend(row for row in own_cursor.fetchall() if row[0] != "search_path")
                own_cursor.execute("DISCARD TEMP")
                own_cursor.execute("RESET ALL")

        yield engine
        assert not left, f"others on the pool get these settings: {left}"


# -- MariaDB -----------------------------------------------------------------------------------------------


@contextmanager
def selecting(found: Ground) -> Iterator[sa.Engine]:
    """A user with SELECT only."""
    with role(found, "GRANT SELECT ON {schema}.*") as url, connected(url) as engine:
        yield engine


@contextmanager
def with_temporary(found: Ground) -> Iterator[sa.Engine]:
    """A user that may read the tables, and make temporary ones."""
    with role(found, "GRANT SELECT, CREATE TEMPORARY TABLES ON {schema}.*") as url, connected(url) as engine:
        yield engine


@contextmanager
def reading_session(found: Ground) -> Iterator[sa.Engine]:
    """Every transaction of the session is READ ONLY."""
    with connected(own(found), connect_args={"init_command": "SET SESSION TRANSACTION READ ONLY"}) as engine:
        yield engine


# -- DuckDB ------------------------------------------------------------------------------------------------


@contextmanager
def read_only_file(found: Ground) -> Iterator[Any]:
    """The file, opened to be read."""
    with duckdb.connect(found.folder / "test.db", read_only=True) as connection:
        yield connection


@contextmanager
def attached(found: Ground) -> Iterator[Any]:
    """The file, attached to be read."""
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{found.folder / 'test.db'}' AS there (READ_ONLY)")
        connection.execute("USE there")
        yield connection


@contextmanager
def locked(found: Ground) -> Iterator[Any]:
    """No access to the outside, and no setting that can be changed."""
    with duckdb.connect(found.folder / "test.db", config={"enable_external_access": "false"}) as connection:
        connection.execute("SET lock_configuration = true")
        yield connection


# -- SQLite ------------------------------------------------------------------------------------------------


@contextmanager
def query_only(found: Ground) -> Iterator[sa.Engine]:
    """PRAGMA query_only."""
    with connected(own(found)) as engine:

        @sa.event.listens_for(engine, "connect")
        def only(driver: Any, _: Any) -> None:
            driver.execute("PRAGMA query_only = ON")

        yield engine


@contextmanager
def read_only_uri(found: Ground) -> Iterator[sa.Engine]:
    """The file, opened with mode=ro."""
    with connected(sa.make_url(f"sqlite:///file:{found.folder / 'test.db'}?mode=ro&uri=true")) as engine:
        yield engine


# -- ClickHouse --------------------------------------------------------------------------------------------


def readonly(level: int) -> Callable[[Ground], Any]:
    """A session with the setting readonly, which it cannot take back: each takes a server of its own."""

    @contextmanager
    def session(found: Ground) -> Iterator[Any]:
        found.db.connection.query(f"SET readonly = {level}")
        yield found.db.connection

    return session


MODES: dict[str, dict[str, Callable[[Ground], Any]]] = {
    "postgresql": {
        f.__name__: f for f in (read_only_server, read_only_transaction, without_temp, reader, bare_reader, pooler)
    },
    "mariadb": {f.__name__: f for f in (selecting, with_temporary, reading_session)},
    "duckdb": {f.__name__: f for f in (read_only_file, attached, locked)},
    "sqlite": {f.__name__: f for f in (query_only, read_only_uri)},
    "clickhouse": {"readonly_1": readonly(1), "readonly_2": readonly(2)},
}
