"""Connections of psycopg and psycopg2 themselves: the results of SQLAlchemy's, and the user's state untouched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import adbc_driver_postgresql.dbapi
import numpy as np
import psycopg
import psycopg2
import psycopg2.extras
import pytest
from databases import Database
from helpers import assert_one_line
from psycopg.rows import dict_row, scalar_row
from psycopg.types.numeric import FloatLoader
from taking_part import need_package

import sqlrp
from sqlrp import ParameterError, SourceError, StatementError, UnreachableError, UnsupportedError, Wide
from sqlrp._engines.duckdb.adbc import TRANSACTION_STATUS
from sqlrp._engines.registry import connector_of

P = sqlrp.SparseProjection(k=3, s=1, seed=3)
SOURCE = Wide("driven", keep=["word", "amount", "at", "x"], features=["a", "b", "c"])


class Plainer(psycopg.ClientCursor[Any]):
    """A cursor of the user's own."""


def opened(db: Database, driver: str, **state: Any) -> Any:
    """A connection of the driver to the database's schema, in the given state."""
    url = db.connection.engine.url
    given = {"host": url.host, "port": url.port, "user": url.username, "password": url.password, "dbname": url.database}
    options = f"-csearch_path={db.schema} -cjit=on -cwork_mem=5MB"
    if driver == "adbc":
        adbc: Any = adbc_driver_postgresql.dbapi
        address = psycopg.conninfo.make_conninfo(**{k: v for k, v in given.items() if v is not None}, options=options)
        return adbc.connect(address, autocommit=state.get("autocommit", False))
    own: Any = {"psycopg": psycopg, "psycopg2": psycopg2}[driver]
    connection = own.connect(**{k: v for k, v in given.items() if v is not None}, options=options)
    connection.autocommit = state.pop("autocommit", False)
    for name, value in state.items():
        setattr(connection, name, value)
    return connection


@contextmanager
def lent(db: Database, driver: str, **state: Any) -> Iterator[Any]:
    """The same, closed at the end."""
    connection = opened(db, driver, **state)
    try:
        yield connection
    finally:
        connection.close()


@pytest.fixture
def driven(db: Database) -> Database:
    kinds = {"id": "BIGINT", "word": "text", "amount": "numeric(9,2)", "at": "timestamp", "x": "real[]"}
    columns = [*kinds.items(), *((f, "double precision") for f in "abc")]
    rows = [
        [i, f"w{i % 3}", i / 4, f"2026-01-{1 + i % 28:02} 10:00:00", [i, 0.5], np.sin(i), np.cos(i), i % 5]
        for i in range(40)
    ]
    db.make("driven", columns, [[v.item() if isinstance(v, np.generic) else v for v in row] for row in rows])
    return db


def batches(connection: Any, sql: str) -> list[Any]:
    """The rows as they are read in batches: by COPY with psycopg, else by a cursor."""
    with connector_of(connection).stream(connection, sql, 10) as found:
        return [row for batch in found.each for row in batch.to_pylist()]


CALLS: dict[str, Callable[[Any], Any]] = {
    "project": lambda c: sqlrp.project(P, SOURCE, c).sort_by("id").to_pylist(),
    "long": lambda c: sorted(map(str, sqlrp.project(P, SOURCE, c, output="long").to_pylist())),
    "batches": lambda c: batches(c, "SELECT id, a, x FROM driven ORDER BY id"),
    "sql": lambda c: sqlrp.sql(P, SOURCE, c),
    "explain": lambda c: str(sqlrp.explain(P, SOURCE, c)),
    "materialize": lambda c: sqlrp.materialize(P, SOURCE, c, into="driven_rp", replace=True),
    "refresh": lambda c: sqlrp.refresh(c, "driven_rp"),
    "search": lambda c: sqlrp.search(c, "driven_rp", [1.0, 0.5, 2.0], n=3).to_pylist(),
    "check": sqlrp.check,
    "save": lambda c: sqlrp.save(P, c, "kept", replace=True) == sqlrp.load(c, "kept"),
    "fit": lambda c: sqlrp.fit(sqlrp.PrincipalComponents(k=2), SOURCE, c).to_json(),
    "learn": lambda c: sqlrp.learn(P, SOURCE, c, target="amount", ridge=0.1).to_json(),
    "diagnose": lambda c: str(sqlrp.diagnose(P, SOURCE, c)),
    "install": sqlrp.install,
    "uninstall": sqlrp.uninstall,
}


def state_of(connection: Any) -> list[Any]:
    """What is the user's own of a connection."""
    names = ("autocommit", "row_factory", "cursor_factory", "prepare_threshold", "_notice_handlers", "isolation_level")
    cursor = connection.cursor()
    cursor.execute("SELECT name || setting AS s FROM pg_settings WHERE name NOT LIKE 'plpgsql%' ORDER BY name")
    return [
        *(repr(getattr(connection, name, None)) for name in names),
        getattr(connection, "closed", None),
        *map(str, cursor),
    ]


STATES: dict[str, tuple[str, dict[str, Any]]] = {
    "psycopg": ("psycopg", {}),
    "autocommit": ("psycopg", {"autocommit": True}),
    "dictionaries": ("psycopg", {"row_factory": dict_row, "cursor_factory": Plainer, "prepare_threshold": 0}),
    "scalars": ("psycopg", {"row_factory": scalar_row, "autocommit": True}),
    "psycopg2": ("psycopg2", {}),
    "adbc": ("adbc", {}),
    "adbc in autocommit": ("adbc", {"autocommit": True}),
    "psycopg2 of dictionaries": ("psycopg2", {"autocommit": True, "cursor_factory": psycopg2.extras.RealDictCursor}),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", ["postgresql"])
def test_every_call_does_what_it_does_by_sqlalchemy(driven: Database, name: str, state: str) -> None:
    driver, given = STATES[state]
    want = {call: run(driven.connection) for call, run in CALLS.items()}
    with lent(driven, driver, **given) as connection:
        if driver == "psycopg":
            connection.adapters.register_loader("numeric", FloatLoader)
        before = state_of(connection)
        for call, run in CALLS.items():
            connection.commit()
            assert run(connection) == want[call], call
            connection.commit()
        assert state_of(connection) == before


@pytest.mark.parametrize("driver", ["psycopg", "psycopg2", "adbc"])
@pytest.mark.parametrize("name", ["postgresql"])
def test_an_open_transaction_stays_the_user_s(driven: Database, name: str, driver: str) -> None:
    """Its rows are seen, nothing of it is committed, and its rollback takes back what sqlrp wrote in it."""
    seen = "SELECT count(*) FROM driven"
    with lent(driven, driver) as connection, lent(driven, driver, autocommit=True) as other:
        connection.cursor().execute("INSERT INTO driven (id, a, b, c) VALUES (100, 1, 1, 1)")
        assert sqlrp.project(P, SOURCE, connection).num_rows == 41
        assert sqlrp.materialize(P, SOURCE, connection, into="within") == 41
        sqlrp.save(P, connection, "within")
        assert sqlrp.project(P, SOURCE, other).num_rows == 40
        connection.rollback()
        assert driven.run_query(seen) == [(40,)]
        assert driven.run_query("SELECT to_regclass('within') IS NULL") == [(True,)]
        assert "within" not in sqlrp.saved(other)
        # Without a transaction, what is kept is committed, as it is on a connection of SQLAlchemy.
        assert sqlrp.materialize(P, SOURCE, connection, into="without", replace=True) == 40
        connection.rollback()
        assert sqlrp.check(other) == []
        assert sqlrp.project(P, Wide("without", features=["z0", "z1"]), other).num_rows == 40


@pytest.mark.parametrize("name", ["postgresql"])
def test_a_block_of_psycopg_s_is_the_user_s(driven: Database, name: str) -> None:
    with lent(driven, "psycopg", autocommit=True) as connection:
        with connection.transaction() as outer:
            connection.execute("DELETE FROM driven WHERE id < 10")
            with connection.transaction():
                assert sqlrp.materialize(P, SOURCE, connection, into="within") == 30
            raise psycopg.Rollback(outer)
        assert driven.run_query("SELECT count(*), to_regclass('within') FROM driven") == [(40, None)]
        with connection.pipeline(), pytest.raises(UnsupportedError) as caught:
            sqlrp.project(P, SOURCE, connection)
        assert_one_line(caught, "pipeline mode of psycopg", "call sqlrp after the block")


@pytest.mark.parametrize("driver", ["psycopg", "psycopg2", "adbc"])
@pytest.mark.parametrize("name", ["postgresql"])
def test_a_broken_and_a_closed_connection_are_named(driven: Database, name: str, driver: str) -> None:
    with lent(driven, driver) as connection:
        for failing in ("SELECT 1/0", "SELECT * FROM nowhere"):
            with pytest.raises((psycopg.Error, psycopg2.Error, adbc_driver_postgresql.dbapi.Error)):
                connection.cursor().execute(failing)
            for call in (lambda: sqlrp.project(P, SOURCE, connection), lambda: sqlrp.save(P, connection, "x")):
                with pytest.raises(StatementError) as caught:
                    call()
                assert_one_line(caught, "current transaction is aborted")
            if driver == "adbc":
                assert connection.adbc_connection.get_option(TRANSACTION_STATUS) == "inerror"
            else:
                assert connection.info.transaction_status == 3
            connection.rollback()
        assert sqlrp.project(P, SOURCE, connection).num_rows == 40
        connection.cursor().execute("CREATE TEMP VIEW failing AS SELECT id, 1 / (id - 5) AS a, b, c FROM driven")
        with pytest.raises(StatementError, match="division by zero"):
            sqlrp.project(P, Wide("failing", features=["a", "b", "c"]), connection)
        assert driver == "adbc" or not connection.closed
    lost = "the connection to the database is closed or lost (open a new one)"
    for run in CALLS.values():
        with pytest.raises((UnreachableError, ParameterError)) as closed:
            run(connection)
        # A closed connection of ADBC does not say which engine it was of.
        assert_one_line(closed, "pass an open one to DuckDB or PostgreSQL" if driver == "adbc" else lost)


OF_ADBC = {
    "numeric(9,2)": ("1.50", Decimal("1.50")),
    "numeric(9,2)[]": ("{1.50,NULL}", [Decimal("1.50"), None]),
    "jsonb": ('{"a": 1}', '{"a": 1}'),
    "uuid": ("00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000001"),
    "uuid[]": ("{00000000-0000-0000-0000-000000000001}", ["00000000-0000-0000-0000-000000000001"]),
    "text[]": ("{a,b}", ["a", "b"]),
    "bytea": ("x", b"x"),
    "inet": ("1.2.3.4", None),
    "money": ("3", None),
}
"""Values of PostgreSQL as they are kept by a connection of ADBC; None for a type that it has no value for."""


@pytest.mark.parametrize("kind", OF_ADBC)
@pytest.mark.parametrize("name", ["postgresql"])
def test_kept_columns_by_adbc(driven: Database, name: str, kind: str) -> None:
    text, value = OF_ADBC[kind]
    driven.run("DROP TABLE IF EXISTS typed")
    made = f"SELECT 1 AS id, CAST('{text}' AS {kind}) AS x, 2e0::float8 AS a, 1e0::float8 AS b"
    driven.run(f"CREATE TABLE typed AS {made}")
    with lent(driven, "adbc") as connection:
        kept = Wide("typed", features=["a", "b"], keep=["x"])
        if value is not None:
            assert sqlrp.project(P, kept, connection).column("x").to_pylist() == [value]
            return
        with pytest.raises(StatementError) as caught:
            sqlrp.project(P, kept, connection)
        assert_one_line(caught, f"ADBC gives bytes for the type {kind} of column 'x': read it as text, by a view")


def test_adbc_is_told_what_to_pass() -> None:
    """Other engines' connections, and closed ones. The rows are an Arrow table, which is a source."""
    made: Any = type("Connection", (SimpleNamespace,), {"__module__": "adbc_driver_manager.dbapi"})
    for connection in (made(adbc_get_info=lambda: {"vendor_name": "sqlite"}), made()):
        with pytest.raises(ParameterError) as caught:
            sqlrp.project(P, "t", connection)
        assert_one_line(caught, "pass an open one to DuckDB or PostgreSQL", "or only the rows, sqlrp.project(")


DUCKDB = """CREATE TABLE driven AS SELECT i AS id, 'w' || (i % 3) AS word, (i / 4)::DECIMAL(9,2) AS amount,
    TIMESTAMP '2026-01-01' + INTERVAL (i) DAY AS at, [i, 0.5]::FLOAT[] AS x,
    sin(i) AS a, cos(i) AS b, (i % 5)::DOUBLE AS c, i::BIGNUM AS n FROM range(40) r(i)"""


@pytest.mark.parametrize("autocommit", [True, False])
def test_duckdb_by_adbc_does_what_it_does_by_its_own(autocommit: bool, own: Any) -> None:
    """DuckDB says whether a transaction is open: what is written in one goes with the user's rollback."""
    need_package("adbc_driver_manager")
    import adbc_driver_duckdb.dbapi as adbc

    own.execute(DUCKDB)
    with adbc.connect(autocommit=autocommit) as connection:

        def run(sql: str) -> Any:
            with connection.cursor() as cursor:
                cursor.execute(sql)
                return cursor.fetchall()

        run(DUCKDB)
        if not autocommit:
            connection.commit()
        for call, asked in CALLS.items():
            want, found = asked(own), asked(connection)
            assert call == "explain" or found == want, call  # the instances differ in threads
        for lowering in ("native", "relational"):
            assert sqlrp.materialize(P, SOURCE, connection, into="made", replace=True, lowering=lowering) == 40
        kept = sqlrp.project(P, Wide("driven", features=["a"], keep=["n"]), connection)
        assert sorted(kept.column("n").to_pylist()) == list(range(40))
        with pytest.raises(SourceError, match="Table with name nowhere does not exist"):
            sqlrp.project(P, "nowhere", connection)
        if not autocommit:
            connection.rollback()
        assert ("kept" in sqlrp.saved(connection)) == autocommit
