"""Changes between two refreshes, and objects that refer to a replaced table, are found before anything is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from cases import DATABASES as NAMES
from databases import DOUBLES, FAMILY, Database, database
from helpers import METHODS, assert_one_line
from sqlalchemy.pool import StaticPool
from statements import before_each

import sqlrp
from sqlrp import SourceError, Wide
from sqlrp._core.errors import StatementError
from sqlrp._core.sources import TableName
from sqlrp._store import stored

LINEAR = METHODS["linear"]
X = np.random.default_rng(1).normal(size=(4, 3)).round(3).tolist()

each = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def db(name: str, databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A database that is empty again after each test; to open one for each would take longer."""
    found = database(databases, name, tmp_path_factory)
    yield found
    empty(found)


def empty(db: Database) -> None:
    if db.name in ("postgresql", *FAMILY):
        kind, use = ("SCHEMA", "SET search_path TO") if db.name == "postgresql" else ("DATABASE", "USE")
        cascade = " CASCADE" if db.name == "postgresql" else ""
        for statement in (f"DROP {kind} {db.schema}{cascade}", f"CREATE {kind} {db.schema}", f"{use} {db.schema}"):
            db.run(statement)
        return
    if db.name == "sqlite":
        db.run("PRAGMA foreign_keys = OFF")
        listed = "SELECT name, type = 'view' FROM sqlite_master WHERE type IN ('table', 'view')"
    else:
        listed = (
            "SELECT table_name AS name, table_type LIKE '%VIEW%' AS is_view FROM information_schema.tables "
            f"WHERE table_schema = '{db.schema}'"
        )
    # Views first, then the tables that refer to others, which have capital letters.
    for table, is_view in sorted(read(db, listed), key=lambda row: (not row[1], row[0])):
        noun = "VIEW" if is_view and db.name != "clickhouse" else "TABLE"
        db.run(f"DROP {noun} {db.engine.quote(table)}")


def made(db: Database, columns: dict[str, str], rows: list[list[Any]], table: str = "t") -> None:
    db.make(table, list(columns.items()), rows)


def read(db: Database, query: str) -> list[tuple[Any, ...]]:
    found = db.connector.fetch(db.connection, query)
    return [tuple(row.values()) for row in found.to_pylist()]


# -- types -----------------------------------------------------------------------------------------------

INTEGER, TEXT, DOUBLE = "BIGINT", "VARCHAR(20)", "DOUBLE"
CHANGES = {
    "text key": ("id", INTEGER, TEXT, [1, 2], ["01", "2"]),
    "whole key": ("id", TEXT, INTEGER, ["1", "2"], [1, 2]),
    "broken key": ("id", INTEGER, DOUBLE, [1, 2], [1.0, 1.4]),
    "text kept": ("label", INTEGER, TEXT, [1, 2], ["01", "x"]),
    "broken kept": ("label", INTEGER, DOUBLE, [1, 2], [1.4, 2.6]),
    "whole kept": ("label", DOUBLE, INTEGER, [1.4, 2.6], [1, 2]),
    "whole feature": ("f0", DOUBLE, INTEGER, [1.4, 2.6], [1, 2]),
    "broken feature": ("f0", INTEGER, DOUBLE, [1, 2], [1.4, 2.6]),
}


@pytest.mark.parametrize(
    ("change", "recorded"),
    [
        *((change, True) for change in CHANGES),
        # A record of before the types of keys and kept columns were in it.
        *((change, False) for change in CHANGES if "feature" not in change),
    ],
)
@each
def test_a_type_that_changed(db: Database, name: str, change: str, recorded: bool) -> None:
    column, before, after, old, new = CHANGES[change]
    types = {"id": INTEGER, "label": INTEGER, "f0": DOUBLE, "f1": DOUBLE}
    rows = [{"id": i, "label": i, "f0": float(i), "f1": 2.0} for i in (1, 2)]
    named = {kind: DOUBLES[name] if kind == DOUBLE else kind for kind in (INTEGER, TEXT, DOUBLE)}

    def make(kind: str, values: Any) -> None:
        columns = {n: named[t] for n, t in (types | {column: kind}).items()}
        made(db, columns, [list((row | {column: value}).values()) for row, value in zip(rows, values, strict=True)])

    make(before, old)
    source = Wide("t", keep=["label"], features=["f0", "f1"])
    assert sqlrp.materialize(LINEAR, source, db.connection, "images_pk") == 2
    if not recorded:
        forget_types(db, ("id", "label"))
    held = read(db, "SELECT * FROM images_pk ORDER BY id")
    make(after, new)
    with pytest.raises(SourceError) as caught:
        sqlrp.refresh(db.connection, "images_pk")
    assert_one_line(caught, repr(column), "everything=True")
    if recorded:
        assert f"was {db_type(db, named[before])}" in str(caught.value)
    assert read(db, "SELECT * FROM images_pk ORDER BY id") == held
    assert sqlrp.refresh(db.connection, "images_pk", everything=True) == 2
    assert sqlrp.refresh(db.connection, "images_pk") == 0
    assert len(read(db, "SELECT id FROM images_pk")) == 2
    if column != "f0":
        assert sorted(row[0] for row in read(db, f"SELECT {column} FROM images_pk")) == sorted(new)


def forget_types(db: Database, columns: tuple[str, ...]) -> None:
    """Take the types of columns out of the record, so that only those of the table are left to compare."""
    where = "kind = 'materialized'"
    [(definition,)] = read(db, f"SELECT definition FROM sqlrp_catalogue WHERE {where}")
    plain, _ = stored.unsealed(definition)
    for name in columns:
        del plain["features"][name]
    db.run(db.engine.updating("sqlrp_catalogue", f"definition = {db.engine.string(stored.sealed(plain))}", where))


def db_type(db: Database, declared: str) -> str:
    """A type by the name that the engine has for it."""
    db.make("typed", [("one", declared)], [])
    return db.connector.columns(db.connection, TableName(("typed",)))[0].type.text


@each
def test_the_made_table_s_own_key_was_altered(db: Database, name: str) -> None:
    db.load("wide", X)
    sqlrp.materialize(LINEAR, "t", db.connection, "images_pk")
    if name == "sqlite":  # which alters no types
        place = TableName(("main", "images_pk"))
        mark = db.connector.mark_of(db.connection, place)
        db.run("ALTER TABLE images_pk RENAME TO made")
        components = ", ".join(f"z{i}" for i in range(LINEAR.k))
        declared = ", ".join(f"z{i} REAL" for i in range(LINEAR.k))
        db.run(f"CREATE TABLE images_pk (id TEXT, {declared})")
        db.run(f"INSERT INTO images_pk SELECT id, {components} FROM made")
        db.run("DROP TABLE made")
        db.run(db.engine.marking(place, mark, "TABLE"))
    else:
        db.run(
            {
                "duckdb": "ALTER TABLE images_pk ALTER id TYPE VARCHAR",
                "postgresql": "ALTER TABLE images_pk ALTER id TYPE text",
                **dict.fromkeys(FAMILY, "ALTER TABLE images_pk MODIFY id VARCHAR(20)"),
                "clickhouse": "ALTER TABLE images_pk MODIFY COLUMN id Nullable(String)",
            }[name]
        )
    with pytest.raises(SourceError) as caught:
        sqlrp.refresh(db.connection, "images_pk")
    assert_one_line(caught, "'id'", "everything=True")
    assert len(read(db, "SELECT id FROM images_pk")) == len(X)


@pytest.mark.parametrize("name", ["sqlite"])
def test_values_that_have_types_of_their_own(db: Database, name: str) -> None:
    db.run("CREATE TABLE t (id, f0 REAL, f1 REAL)")
    db.run("INSERT INTO t VALUES (1, 1.0, 2.0), (2, 3.0, 4.0)")
    sqlrp.materialize(LINEAR, Wide("t", features=["f0", "f1"]), db.connection, "images_pk")
    db.run("INSERT INTO t VALUES (3.5, 5.0, 6.0)")
    assert sqlrp.refresh(db.connection, "images_pk") == 1
    db.run("UPDATE t SET id = CAST(id AS TEXT)")
    with pytest.raises(SourceError) as caught:
        sqlrp.refresh(db.connection, "images_pk")
    assert_one_line(caught, "text", "integer", "everything=True")
    assert len(read(db, "SELECT id FROM images_pk")) == 3
    assert sqlrp.refresh(db.connection, "images_pk", everything=True) == 3
    assert sqlrp.refresh(db.connection, "images_pk") == 0


# -- what refers to the table ----------------------------------------------------------------------------

KEYED = {
    "duckdb": ("ALTER TABLE images_pk ADD PRIMARY KEY (id)",),
    "postgresql": ("ALTER TABLE images_pk ADD PRIMARY KEY (id)",),
    **dict.fromkeys(FAMILY, ("ALTER TABLE images_pk ADD PRIMARY KEY (id)",)),
    "sqlite": ("CREATE UNIQUE INDEX by_id ON images_pk (id)", "PRAGMA foreign_keys = ON"),
}
KEYS = {**dict.fromkeys(KEYED, " ON DELETE CASCADE"), "duckdb": ""}
TRIGGERS = {
    "duckdb": ("CREATE TRIGGER watching AFTER INSERT ON images_pk FOR EACH STATEMENT INSERT INTO log VALUES (1)",),
    "postgresql": (
        "CREATE FUNCTION logged() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NEW; END$$",
        "CREATE TRIGGER watching AFTER INSERT ON images_pk FOR EACH ROW EXECUTE FUNCTION logged()",
    ),
    **dict.fromkeys(
        FAMILY, ("CREATE TRIGGER watching AFTER INSERT ON images_pk FOR EACH ROW INSERT INTO log VALUES (1)",)
    ),
    "sqlite": ("CREATE TRIGGER watching AFTER INSERT ON images_pk BEGIN INSERT INTO log VALUES (1); END",),
}
REPLACING: dict[str, Callable[[Any], int]] = {
    "refresh": lambda c: sqlrp.refresh(c, "images_pk", everything=True),
    "materialize": lambda c: sqlrp.materialize(LINEAR, "t", c, "images_pk", replace=True),
}


@pytest.mark.parametrize("call", REPLACING)
@pytest.mark.parametrize("reference", ["foreign key of table", "trigger"])
@pytest.mark.parametrize("name", KEYED)
def test_a_table_that_others_refer_to_stays(db: Database, name: str, reference: str, call: str) -> None:
    db.load("wide", X)
    sqlrp.materialize(LINEAR, "t", db.connection, "images_pk")
    db.make("log", [("n", "BIGINT")], [])
    if reference == "trigger":
        child, statements = "watching", TRIGGERS[name]
    else:
        child = "Labels of 'images'"
        quoted = db.engine.quote(child)
        key = f"FOREIGN KEY (image) REFERENCES images_pk (id){KEYS[name]}"
        statements = (
            *KEYED[name],
            f"CREATE TABLE {quoted} (image BIGINT, {key})",
            f"INSERT INTO {quoted} VALUES (0), (1)",
        )
    for statement in statements:
        db.run(statement)
    record = read(db, "SELECT definition, fingerprint FROM sqlrp_catalogue WHERE kind = 'materialized'")
    settings = pragmas(db)
    with pytest.raises(SourceError) as caught:
        REPLACING[call](db.connection)
    assert_one_line(caught, reference, child, "drop them first")
    if reference != "trigger":
        assert read(db, f"SELECT count(*) FROM {quoted}") == [(2,)]
    assert pragmas(db) == settings
    if name not in FAMILY:  # whose record may have another time
        assert read(db, "SELECT definition, fingerprint FROM sqlrp_catalogue WHERE kind = 'materialized'") == record
    # New rows come in by way of the table as it is, and the references hold.
    db.run("INSERT INTO t VALUES (9, 1.0, 2.0, 3.0)")
    assert sqlrp.refresh(db.connection, "images_pk") == 1
    gone = {"postgresql": "DROP TRIGGER watching ON images_pk"}.get(name, "DROP TRIGGER watching")
    if name == "duckdb":
        gone = "DROP TRIGGER watching ON images_pk"
    db.run(gone if reference == "trigger" else f"DROP TABLE {quoted}")
    assert REPLACING[call](db.connection) == len(X) + 1
    assert len(read(db, "SELECT id FROM images_pk")) == len(X) + 1
    assert pragmas(db) == settings


@pytest.mark.parametrize("call", REPLACING)
@pytest.mark.parametrize("name", ["sqlite"])
def test_a_foreign_key_that_sqlite_does_not_enforce_counts_too(db: Database, name: str, call: str) -> None:
    db.load("wide", X)
    sqlrp.materialize(LINEAR, "t", db.connection, "images_pk")
    db.run("PRAGMA foreign_keys = OFF")
    db.run("CREATE UNIQUE INDEX by_id ON images_pk (id)")
    db.run('CREATE TABLE "Labels" (image INTEGER REFERENCES images_pk (id) ON DELETE CASCADE)')
    db.run('INSERT INTO "Labels" VALUES (0), (1)')
    with pytest.raises(SourceError) as caught:
        REPLACING[call](db.connection)
    assert_one_line(caught, "foreign key of table", "Labels", "drop them first")
    assert read(db, 'SELECT count(*) FROM "Labels"') == [(2,)]
    assert len(read(db, "SELECT id FROM images_pk")) == len(X)


@pytest.mark.parametrize("call", REPLACING)
@pytest.mark.parametrize("name", FAMILY)
def test_a_foreign_key_that_the_user_may_not_see(db: Database, name: str, call: str) -> None:
    """The old table cannot be dropped: it comes back under its name, with its record, and the key still holds."""
    db.load("wide", X)
    sqlrp.materialize(LINEAR, "t", db.connection, "images_pk")
    db.run("ALTER TABLE images_pk ADD PRIMARY KEY (id)")
    db.run("INSERT INTO t VALUES (9, 1.0, 2.0, 3.0)")
    other, user = f"{db.schema}_other", f"{db.schema}_user"
    db.run(f"CREATE DATABASE {other}")
    hosts = ("'%'", "localhost")
    try:
        db.run(f"CREATE TABLE {other}.labels (image BIGINT, FOREIGN KEY (image) REFERENCES {db.schema}.images_pk (id))")
        db.run(f"INSERT INTO {other}.labels VALUES (0), (1)")
        for host in hosts:
            db.run(f"CREATE USER {user}@{host} IDENTIFIED BY 'p'")
            db.run(f"GRANT ALL ON {db.schema}.* TO {user}@{host}")
        pool = sa.create_engine(db.pool().url.set(username=user, password="p"))
        with pytest.raises(StatementError, match="foreign key constraint"):
            REPLACING[call](pool)
        assert len(read(db, "SELECT id FROM images_pk")) == len(X)
        with pytest.raises(StatementError, match="foreign key constraint fails"):
            db.run(f"INSERT INTO {other}.labels VALUES (77)")
        db.run("DELETE FROM images_pk WHERE id = 3")
        with pytest.raises(StatementError, match="foreign key constraint fails"):
            db.run("DELETE FROM images_pk WHERE id = 1")
        left = f"SELECT table_name AS n FROM information_schema.tables WHERE table_schema = '{db.schema}' ORDER BY n"
        assert [n for (n,) in read(db, left)] == ["images_pk", "sqlrp_catalogue", "t"]
        assert sqlrp.refresh(pool, "images_pk") == 2
        pool.dispose()
    finally:
        db.run(f"DROP DATABASE {other}")
        for host in hosts:
            db.run(f"DROP USER IF EXISTS {user}@{host}")


def pragmas(db: Database) -> list[Any]:
    """The settings of SQLite's connection."""
    if db.name != "sqlite":
        return []
    return [db.run_query(f"PRAGMA {which}") for which in ("legacy_alter_table", "foreign_keys", "defer_foreign_keys")]


@pytest.mark.parametrize("name", [*FAMILY, "clickhouse"])
def test_a_swap_that_is_refused_half_way_is_taken_back(
    db: Database, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a foreign key stands in a database that may not be looked at."""
    db.load("wide", X)
    sqlrp.materialize(LINEAR, "t", db.connection, "images_pk")
    db.run("INSERT INTO t VALUES (9, 1.0, 2.0, 3.0)")
    execute = type(db.connector).execute
    refused = 0

    def refusing(self: Any, connection: Any, sql: str) -> None:
        nonlocal refused
        if sql.startswith("DROP TABLE `") and not refused:
            refused += 1
            raise StatementError(sql, "a foreign key constraint fails")
        execute(self, connection, sql)

    for call in REPLACING.values():
        refused = 0
        monkeypatch.setattr(type(db.connector), "execute", refusing)
        with pytest.raises(StatementError, match="constraint fails"):
            call(db.connection)
        monkeypatch.setattr(type(db.connector), "execute", execute)
        assert refused
        assert len(read(db, "SELECT id FROM images_pk")) == len(X)
        left = f"SELECT table_name AS n FROM information_schema.tables WHERE table_schema = '{db.schema}' ORDER BY n"
        assert [n for (n,) in read(db, left)] == ["images_pk", "sqlrp_catalogue", "t"]
    assert sqlrp.refresh(db.connection, "images_pk") == 1  # not left unfinished


@pytest.mark.parametrize("name", ["sqlite"])
@pytest.mark.parametrize("before", ["ON", "OFF"])
def test_pragmas_are_put_back_on_a_connection_of_a_pool(
    db: Database, name: str, before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.load("wide", X)
    sqlrp.materialize(LINEAR, "t", db.connection, "images_pk")
    pool = sa.create_engine(db.connection.engine.url, poolclass=StaticPool)
    with pool.connect() as connection:
        connection.exec_driver_sql(f"PRAGMA legacy_alter_table = {before}")
    execute, word = type(db.connector).execute, ""

    def failing(self: Any, connection: Any, sql: str) -> None:
        if word and sql.startswith(word):
            raise KeyboardInterrupt
        execute(self, connection, sql)

    monkeypatch.setattr(type(db.connector), "execute", failing)
    for word in ("ALTER TABLE", "DROP TABLE", "PRAGMA", "COMMIT"):
        with pytest.raises(KeyboardInterrupt):
            sqlrp.refresh(pool, "images_pk", everything=True)
        assert put_back(pool) == (before == "ON"), word
        assert len(read(db, "SELECT id FROM images_pk")) == len(X)
    word = ""
    assert sqlrp.refresh(pool, "images_pk", everything=True) == len(X)
    assert put_back(pool) == (before == "ON")
    pool.dispose()


def put_back(pool: sa.Engine) -> bool:
    """The setting that a pool's next user finds."""
    with pool.connect() as connection:
        return bool(connection.exec_driver_sql("PRAGMA legacy_alter_table").scalar())


@each
def test_what_a_replaced_table_keeps(db: Database, name: str) -> None:
    """The facts that the documentation states: indexes and rights go with the old table, views by name stay."""
    db.load("wide", X)
    sqlrp.materialize(LINEAR, "t", db.connection, "images_pk")
    index = {
        "duckdb": ("CREATE INDEX by_id ON images_pk (id)", "SELECT count(*) FROM duckdb_indexes()"),
        "postgresql": (
            "CREATE INDEX by_id ON images_pk (id)",
            "SELECT count(*) FROM pg_indexes WHERE indexname = 'by_id' AND schemaname = current_schema()",
        ),
        "sqlite": ("CREATE INDEX by_id ON images_pk (id)", "SELECT count(*) FROM sqlite_master WHERE name = 'by_id'"),
        **dict.fromkeys(
            FAMILY,
            (
                "CREATE INDEX by_id ON images_pk (id)",
                "SELECT count(*) FROM information_schema.statistics "
                "WHERE index_name = 'by_id' AND table_schema = database()",
            ),
        ),
        "clickhouse": (
            "ALTER TABLE images_pk ADD INDEX by_id id TYPE minmax",
            "SELECT count(*) FROM system.data_skipping_indices WHERE name = 'by_id'",
        ),
    }[name]
    db.run(index[0])
    assert int(read(db, index[1])[0][0]) == 1 if name != "duckdb" else int(read(db, index[1])[0][0]) >= 1
    before = int(read(db, index[1])[0][0])
    db.run("INSERT INTO t VALUES (9, 1.0, 2.0, 3.0)")
    assert sqlrp.refresh(db.connection, "images_pk") == 1
    assert int(read(db, index[1])[0][0]) == before
    if name != "postgresql":
        db.run("CREATE VIEW reading AS SELECT id FROM images_pk")
    assert sqlrp.refresh(db.connection, "images_pk", everything=True) == len(X) + 1
    assert int(read(db, index[1])[0][0]) == before - 1
    if name != "postgresql":
        assert len(read(db, "SELECT * FROM reading")) == len(X) + 1


@pytest.mark.parametrize("name", ["postgresql", *FAMILY])
def test_rights(db: Database, name: str) -> None:
    """PostgreSQL's are the table's, MariaDB's and MySQL's are the name's."""
    db.load("wide", X)
    sqlrp.materialize(LINEAR, "t", db.connection, "images_pk")
    role = f"{db.schema}_role"
    db.run(f"CREATE ROLE {role}")
    try:
        db.run(f"GRANT SELECT ON images_pk TO {role}")
        count = {
            "postgresql": f"SELECT count(*) FROM information_schema.role_table_grants WHERE grantee = '{role}'",
            **dict.fromkeys(FAMILY, f"SELECT count(*) FROM mysql.tables_priv WHERE user = '{role}'"),
        }[name]
        assert read(db, count) == [(1,)]
        sqlrp.refresh(db.connection, "images_pk")
        assert read(db, count) == [(1,)]
        sqlrp.refresh(db.connection, "images_pk", everything=True)
        assert read(db, count) == [(0 if name == "postgresql" else 1,)]
    finally:
        if name == "postgresql":
            db.run(f"DROP OWNED BY {role}")
        db.run(f"DROP ROLE {role}")


@pytest.mark.parametrize("name", ["clickhouse"])
def test_a_materialized_view_of_clickhouse(db: Database, name: str) -> None:
    """It stays bound to the name; it sees inserts, and neither a refresh nor a replaced table is one."""
    db.load("wide", X)
    sqlrp.materialize(LINEAR, "t", db.connection, "images_pk")
    db.run("CREATE TABLE seen (id Int64) ENGINE = MergeTree ORDER BY tuple()")
    db.run("CREATE MATERIALIZED VIEW seeing TO seen AS SELECT assumeNotNull(id) AS id FROM images_pk")
    db.run("INSERT INTO t VALUES (9, 1.0, 2.0, 3.0)")
    assert sqlrp.refresh(db.connection, "images_pk") == 1
    assert sqlrp.refresh(db.connection, "images_pk", everything=True) == len(X) + 1
    assert read(db, "SELECT count(*) FROM seen") == [(0,)]
    db.run("INSERT INTO images_pk SELECT * FROM images_pk LIMIT 1")
    assert read(db, "SELECT count(*) FROM seen") == [(1,)]


# -- a row that comes in between the check and the table -------------------------------------------------


MAKING = ("CREATE TABLE", "CREATE TEMPORARY", "CREATE OR REPLACE TEMPORARY", "REFRESH")
"""What the statements begin with that read the source."""


@contextmanager
def pooled(db: Database) -> Iterator[Any]:
    """Connections as most have them: none commits by itself, and SQLite's do not wait for long."""
    pool = db.pool()
    if not isinstance(pool, sa.Engine):
        yield pool
        return
    made = sa.create_engine(pool.url, connect_args={"timeout": 0.05}) if db.name == "sqlite" else pool
    yield made
    made.dispose()


@pytest.mark.parametrize("value", [2, None], ids=["twice", "NULL"])
@pytest.mark.parametrize(
    ("name", "call", "output"),
    [
        *((name, call, "columns") for name in NAMES for call in ("materialize", "replace", "refresh", "everything")),
        *((name, call, "long") for name in NAMES for call in ("materialize", "refresh")),
        ("postgresql", "view", "columns"),
    ],
)
def test_a_key_that_comes_in_between(db: Database, name: str, value: int | None, call: str, output: Any) -> None:
    db.load("wide", X)
    kind: Any = "view" if call == "view" else "table"
    calls: dict[str, Callable[[Any], int]] = {
        "materialize": lambda c: sqlrp.materialize(LINEAR, "t", c, "images_pk", output=output),
        "replace": lambda c: sqlrp.materialize(LINEAR, "t", c, "images_pk", output=output, replace=True),
        "refresh": lambda c: sqlrp.refresh(c, "images_pk"),
        "everything": lambda c: sqlrp.refresh(c, "images_pk", everything=True),
        "view": lambda c: sqlrp.refresh(c, "images_pk"),
    }
    if call != "materialize":
        db.run(db.engine.updating("t", "id = 99", "id = 2"))
        sqlrp.materialize(LINEAR, "t", db.connection, "images_pk", output=output, kind=kind)
        db.run(db.engine.updating("t", "id = 2", "id = 99"))
    execute, came = type(db.connector).execute, False

    def between(connector: Any, sql: str) -> None:
        nonlocal came
        makes = any(statement.startswith(MAKING) for statement in sql.split(";\n"))
        if not came and makes and "CREATE TABLE IF NOT EXISTS" not in sql:
            came = True
            # SQLite's lock keeps other writers out.
            with suppress(StatementError) if name == "sqlite" else nullcontext(), pooled(db) as other:
                execute(connector, other, f"INSERT INTO t VALUES ({db.cell(value)}, 1.0, 2.0, 3.0)")

    failed = None
    with pooled(db) as pool, before_each(db.connector, between):
        try:
            calls[call](pool)
        except SourceError as error:
            failed = str(error)
    assert came, "no statement makes a table"
    there = db.connector.exists(db.connection, TableName(("images_pk",)))
    first = " WHERE component = 0" if output == "long" else ""
    keys = [key for (key,) in read(db, f"SELECT id FROM images_pk{first}")] if there else []
    assert len(set(keys)) == len(keys)
    assert None not in keys
    if failed is None:
        assert 2 in keys
    else:
        assert "comes more than once: 2" in failed or "is NULL in 1 rows" in failed
        assert there == (call != "materialize")
        assert 2 not in keys


@each
def test_a_table_is_not_replaced_by_its_own_projection(db: Database, name: str) -> None:
    made(db, dict.fromkeys("abc", DOUBLES[name]), X)
    sqlrp.materialize(LINEAR, Wide("t", key=None), db.connection, "made")
    before = read(db, "SELECT * FROM made")
    for source in (Wide("made", key=None), Wide('"made"', key=None, features=["z0"])):
        with pytest.raises(sqlrp.ParameterError, match="is the source, and would be lost") as caught:
            sqlrp.materialize(LINEAR, source, db.connection, "made", replace=True)
        assert_one_line(caught)
    assert read(db, "SELECT * FROM made") == before
