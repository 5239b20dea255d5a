"""What other tools hand in: drivers, addresses, names and types that are not the usual ones. None is a raw error."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import sqlalchemy as sa
from databases import DOUBLES, Database
from helpers import assert_one_line
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import Session

import sqlrp
from sqlrp import Array, SourceError, SqlrpError, Wide
from sqlrp._core.passwords import scrubbed
from sqlrp._dialects.dialect import ColumnType
from sqlrp._projections import REGISTRY

ENGINES = ("duckdb", "postgresql", "sqlite", "mariadb", "clickhouse")
P = sqlrp.SparseProjection(k=2, s=1, seed=3)

# -- types ------------------------------------------------------------------------------------------------

ARRAYS: dict[str, dict[str, tuple[str, Any]]] = {
    "duckdb": {
        "BOOLEAN": ("[true, false]", [1, 0]),
        "TINYINT": ("[-7, 5]", [-7, 5]),
        "FLOAT": ("[1.5, 2.5]", [1.5, 2.5]),
        "HUGEINT": ("[7, -3]", [7, -3]),
        "UHUGEINT": ("[9, 4]", [9, 4]),
        "DECIMAL(38,0)": ("[8, 2]", [8, 2]),
        "DECIMAL(38,38)": ("[0.5, 0.25]", [0.5, 0.25]),
    },
    "clickhouse": {
        "Bool": ("[true, false]", [1, 0]),
        "Int8": ("[-7, 5]", [-7, 5]),
        "Float32": ("[1.5, 2.5]", [1.5, 2.5]),
        "Int128": ("[7, -3]", [7, -3]),
        "UInt128": ("[9, 4]", [9, 4]),
        "Int256": ("[9, 4]", [9, 4]),
        "Decimal(38, 37)": ("[0.5, 0.25]", [0.5, 0.25]),
        "Decimal(76, 10)": ("[2.5, 0.25]", [2.5, 0.25]),
    },
    "postgresql": {
        "smallint": ("'{-7,5}'", [-7, 5]),
        "real": ("'{1.5,2.5}'", [1.5, 2.5]),
        "numeric(38,37)": ("'{0.5,0.25}'", [0.5, 0.25]),
        "numeric": ("'{9,0.25}'", [9, 0.25]),
    },
}
"""Types of elements, with two elements in the engine's words and as numbers."""


@pytest.mark.parametrize("name", ARRAYS)
def test_two_arrays_of_any_two_types(db: Database, name: str) -> None:
    """One type often holds both only as DOUBLE; each pair stands in a table of its own columns."""
    kinds = ARRAYS[name]
    quote = db.engine.quote
    columns = [
        f"{quote(f'x{i}')} {kind + '[]' if name != 'clickhouse' else f'Array({kind})'}" for i, kind in enumerate(kinds)
    ]
    end = " ENGINE = MergeTree ORDER BY id" if name == "clickhouse" else ""
    db.run("DROP TABLE IF EXISTS pairs")
    db.run(f"CREATE TABLE pairs (id INTEGER, {', '.join(columns)}){end}")
    db.run(f"INSERT INTO pairs VALUES (1, {', '.join(text for text, _ in kinds.values())})")
    signs = sqlrp.signs(4, 2, s=1, seed=3)["sign"].to_numpy().reshape(2, 4).T
    for (i, one), (j, two) in itertools.permutations(enumerate(kinds.values()), 2):
        want = np.array([*one[1], *two[1]], dtype=np.float64) @ signs / np.sqrt(2)
        rows = sqlrp.project(P, Array("pairs", [f"x{i}", f"x{j}"]), db.connection).to_pylist()
        assert [rows[0]["z0"], rows[0]["z1"]] == pytest.approx(want.tolist(), rel=1e-6), (
            list(kinds)[i],
            list(kinds)[j],
        )


@pytest.mark.parametrize("name", ["clickhouse"])
def test_enumerations_and_addresses_are_what_clickhouse_shows(db: Database, name: str) -> None:
    """As keys, kept columns, classes and labels of scores; Arrow has their numbers."""
    kinds = {
        "e": ("Enum8('no' = -1, 'it''s\\\\n' = 2)", ["no", "it's\\n"]),
        "n": ("Nullable(Enum16('a' = 300, 'b' = 301))", ["a", None]),
        "i": ("IPv4", ["1.2.3.4", "5.6.7.8"]),
        "j": ("IPv6", ["::1", "2001:db8::2"]),
    }
    db.run("DROP TABLE IF EXISTS shown")
    db.run(
        f"CREATE TABLE shown (id UInt32, {', '.join(f'{c} {kind}' for c, (kind, _) in kinds.items())}, "
        "a Nullable(Float64), b Float64) ENGINE = MergeTree ORDER BY id"
    )
    for row in range(2):
        cells = ["NULL" if own[row] is None else db.engine.string(own[row]) for _, own in kinds.values()]
        db.run(f"INSERT INTO shown VALUES ({row}, {', '.join(cells)}, {['1.5', 'NULL'][row]}, {row})")
    features = ["a", "b"]
    for output in ("columns", "array", "vector", "long"):
        kept = (
            sqlrp.project(P, Wide("shown", features=features, keep=list(kinds)), db.connection, output=output)
            if output != "long"
            else None
        )
        for column, (_, own) in kinds.items():
            if kept is not None:
                assert kept.sort_by("id")[column].to_pylist() == own
            if column != "n":
                rows = sqlrp.project(P, Wide("shown", key=column, features=features), db.connection, output=output)
                assert set(rows[column].to_pylist()) == set(own)
                if output in ("array", "vector"):  # a row of NULL is NULL, though ClickHouse has no NULL array
                    assert [row["z"] for row in rows.to_pylist() if row[column] == own[1]] == [None]
    source = Wide("shown", features=["b"], keep=["e"])
    for k in (2, 50):
        rp = sqlrp.SparseProjection(k=k, s=1, seed=3)
        model = sqlrp.learn(rp, source, db.connection, target="e", ridge=0.1)
        assert set(model.classes_) == {"no", "it's\\n"}
        scored = sqlrp.score(model, source, db.connection).to_pylist()
        assert all(row["class"] == row["e"] for row in scored)


# -- texts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["clickhouse"])
def test_columns_that_have_no_value_are_not_read(db: Database, name: str) -> None:
    """EPHEMERAL columns are only written, and a state of an aggregate holds addresses of memory."""
    columns = "id UInt8, a Float64, b Float64 ALIAS a * 2, e Float64 EPHEMERAL, s AggregateFunction(sum, Float64)"
    db.run("DROP TABLE IF EXISTS valueless")
    db.run(f"CREATE TABLE valueless ({columns}) ENGINE = MergeTree ORDER BY id")
    db.run("INSERT INTO valueless (id, a, s) SELECT 1, 5, sumState(1.5)")
    found = sqlrp.project(P, "valueless", db.connection).to_pylist()
    assert found == sqlrp.project(P, pa.table({"id": [1], "a": [5.0], "b": [10.0]})).to_pylist()
    with pytest.raises(SourceError) as caught:
        sqlrp.project(P, Wide("valueless", keep=["s"]), db.connection)
    assert_one_line(caught, "column 's' holds states of an aggregate function", "finalizeAggregation")


@pytest.mark.parametrize("name", ["sqlite", "duckdb"])
def test_a_vector_s_text_has_one_with(db: Database, name: str) -> None:
    """Of every method, where the engine's text names parts ahead."""
    for method in REGISTRY:
        if method.needs_state or "Pooling" in method.__name__:
            continue
        for k, d in ((4, 16), (8, 16)):
            projection, x = method(k=k), np.linspace(-1, 2, d).tolist()
            text = sqlrp.vector_sql(projection, x, name)
            (row,) = db.run_query(text)
            assert list(row) == pytest.approx(sqlrp.project_vector(projection, x).tolist(), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ENGINES)
def test_rows_without_a_sign_are_zero(db: Database, name: str) -> None:
    """No column is read then: neither a feature, nor a key."""
    double = {"clickhouse": "Float64", "mariadb": "DOUBLE"}.get(name, "DOUBLE PRECISION")
    table = db.make("unsigned", [("a", double), ("b", double)], [[1.5, None], [2.5, 3.0]])
    for projection in (sqlrp.SparseProjection(k=2, s=1e9), sqlrp.PolynomialKernelProjection(k=2, s=1e9)):
        rows = sqlrp.project(projection, Wide(table, key=None), db.connection, nulls="zero", lowering="inline")
        assert rows.to_pylist() == [{"z0": 0, "z1": 0}] * 2


@pytest.mark.parametrize("name", ENGINES)
def test_a_query_in_the_place_of_a_name_is_named_so(db: Database, name: str) -> None:
    for text in ("SELECT * FROM t", " (select 1 AS a)", "FROM t", "with x as (select 1) from x"):
        with pytest.raises(SourceError) as caught:
            sqlrp.project(P, text, db.connection)
        assert_one_line(caught, "and this is a query: make a view of it, and name that")
    if name == "duckdb":
        sqlrp.install(db.connection)
        with pytest.raises(Exception, match="and this is a query: make a view of it, and name that"):
            db.connection.execute("FROM rp_project('SELECT * FROM t')")
    made = db.make("select x", [("id", "INTEGER"), ("a", "INTEGER"), ("b", "INTEGER")], [[1, 2, 3]])
    assert sqlrp.project(P, made, db.connection).num_rows == 1  # a name may begin so


@pytest.mark.parametrize("name", ["clickhouse"])
def test_other_vectors_are_refused_with_their_cast(db: Database, name: str) -> None:
    """The view of the message is a source."""
    db.run("SET allow_experimental_qbit_type = 1")
    db.run("DROP TABLE IF EXISTS quantized")
    db.run("CREATE TABLE quantized (id UInt32, x QBit(Float32, 2)) ENGINE = MergeTree ORDER BY id")
    db.run("INSERT INTO quantized VALUES (1, [1.5, 2.5])")
    with pytest.raises(SourceError) as caught:
        sqlrp.project(P, Array("quantized", "x"), db.connection)
    assert_one_line(caught, "is QBit(Float32, 2), not an array of numbers: use Wide(…) for plain columns, or ")
    assert_one_line(caught, "make a view that casts it to Array(Float32)")
    db.run("CREATE OR REPLACE VIEW unquantized AS SELECT id, CAST(`x` AS Array(Float32)) AS x FROM quantized")
    assert sqlrp.project(P, Array("unquantized", "x"), db.connection).num_rows == 1


def test_a_sparse_vector_of_pgvector_is_cast_to_a_dense_one() -> None:
    dialect = sqlrp._engines.registry.ENGINES["postgresql"]
    read = dialect.as_array(ColumnType("sparsevec(4)"))
    assert read is not None
    assert (read.size, read.cast) == (4, "CAST(CAST({column} AS vector) AS real[])")
    assert "Long(…)" in dialect.array_for("sparsevec(20000)")
    assert dialect.array_for("text") == "real[]"


# -- drivers and addresses --------------------------------------------------------------------------------


def test_an_address_of_ipv6_stays_as_it_is() -> None:
    """Its colons separate no password."""
    for url in ("postgresql://postgres@[::1]/test", "postgresql://u@[2001:db8::2]:5433/test?sslmode=off"):
        assert scrubbed(f"{url} cannot be reached: server at ::1, port 5433", [url]) == (
            f"{url} cannot be reached: server at ::1, port 5433"
        )
    hidden = scrubbed("postgresql://u:hunter2@[::1]:1/x: hunter2", ["postgresql://u:hunter2@[::1]:1/x"])
    assert "hunter2" not in hidden
    assert "@[::1]:1/x" in hidden


CALLS: dict[str, Callable[[Any, str], Any]] = {
    "project": lambda c, s: sqlrp.project(P, "handed", c).to_pylist(),
    "materialize": lambda c, s: sqlrp.materialize(P, "handed", c, into="handed_rp"),
    "save": lambda c, s: sqlrp.save(P, c, "kept") == sqlrp.load(c, "kept"),
    "install": sqlrp.install,
    "uninstall": sqlrp.uninstall,
}


def prepared(connection: Any, schema: str) -> None:
    for text in (
        f"DROP SCHEMA IF EXISTS {schema} CASCADE",
        f"CREATE SCHEMA {schema}",
        f"SET search_path TO {schema}",
        "CREATE TABLE handed AS SELECT 1 AS id, CAST(2.0 AS double precision) AS a, CAST(3.0 AS double precision) AS b",
    ):
        connection.exec_driver_sql(text)


def called(connection: Any, schema: str) -> list[Any]:
    """The results of every call, then what a broken transaction says."""
    prepared(connection, schema)
    return [call(connection, schema) for call in CALLS.values()]


def broken(connection: Any, schema: str) -> str:
    """What sqlrp says in a transaction that an error has broken."""
    with suppress(sa.exc.DBAPIError):
        connection.exec_driver_sql("SELECT 1/0")
    try:
        sqlrp.save(P, connection, "broken")
    except sqlrp.SqlrpError as error:
        return str(error)
    return "saved"


@pytest.mark.parametrize("driver", ["psycopg", "psycopg2", "asyncpg"])
@pytest.mark.parametrize("name", ["postgresql"])
def test_postgresql_by_every_driver(db: Database, name: str, driver: str) -> None:
    url = db.connection.engine.url.set(drivername=f"postgresql+{driver}")
    schema = f"handed_{driver}"
    if driver == "asyncpg":

        async def run() -> tuple[list[Any], str]:
            engine = create_async_engine(url)
            async with engine.connect() as connection:
                found = await connection.run_sync(called, schema)
                said = await connection.run_sync(broken, schema)
                await connection.rollback()
            await engine.dispose()
            return found, said

        found, said = asyncio.run(run())
    else:
        engine = sa.create_engine(url)
        with engine.connect() as connection:
            found, said = called(connection, schema), broken(connection, schema)
            connection.rollback()
        engine.dispose()
    assert found[:3] == [[{"id": 1, "z0": pytest.approx(5 / 2**0.5), "z1": pytest.approx(1 / 2**0.5)}], 1, True]
    assert "current transaction is aborted" in said
    assert "<class" not in said


def test_the_package_of_duckdb_is_its_default_connection() -> None:
    duckdb.sql(
        "CREATE OR REPLACE TABLE handed AS SELECT i AS id, sin(i) AS a, cos(i) AS b, i % 3 AS c FROM range(50) r(i)"
    )
    p = sqlrp.SparseProjection(k=2, s=1, seed=1)
    own = duckdb.default_connection()
    try:
        want = sqlrp.project(p, "handed", own).sort_by("id")
        for lowering in ("inline", "native"):
            found = sqlrp.project(p, "handed", duckdb, lowering=lowering).sort_by("id")
            np.testing.assert_allclose(found.column("z1"), want.column("z1"), rtol=1e-12, atol=1e-12)
        assert sqlrp.materialize(p, "handed", duckdb, "handed_rp") == 50
        assert sqlrp.refresh(duckdb, "handed_rp") == 0
        assert sqlrp.check(duckdb) == []
    finally:
        for name in ("handed_rp", "sqlrp_catalogue", "handed"):
            own.execute(f"DROP TABLE IF EXISTS {name}")


def test_what_is_no_connection_of_ours_is_told_what_to_pass() -> None:
    engine = create_async_engine("postgresql+psycopg://root@127.0.0.1/none")
    lite = sqlite3.connect(":memory:")
    for given, words in (
        (engine, "async with engine.connect() as connection: await connection.run_sync(lambda c: sqlrp.project("),
        (engine.connect(), "pass what run_sync gives: await connection.run_sync("),
        (Session(sa.create_engine("sqlite://")), "pass session.connection()"),
        (lite, "sqlalchemy.create_engine('sqlite://…')"),
        (lite.cursor(), "sqlalchemy.create_engine('sqlite://…')"),
        (duckdb.default_connection, "pass what it returns, duckdb.default_connection()"),
        (
            type("Backend", (), {"__module__": "ibis.backends.duckdb"})(),
            "pass the connection in it, such as backend.con",
        ),
        (3, "pass a duckdb connection, a SQLAlchemy engine or connection"),
    ):
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.project(P, "t", given)
        assert_one_line(caught, "is not one that sqlrp knows", words)
    lite.close()


@pytest.mark.parametrize("name", ["postgresql", "mariadb"])
def test_a_connection_whose_character_set_lacks_a_name(db: Database, name: str) -> None:
    """Its driver cannot write the name, and reads another: neither is Python's own error."""
    url = db.pool().url
    latin = {"postgresql": {"client_encoding": "latin1"}, "mariadb": {"charset": "latin1"}}[name]
    db.make("latin", [("id", "INTEGER"), ("é", DOUBLES[name]), ("b", DOUBLES[name])], [[1, 2.0, 3.0]])
    db.make("wide", [("id", "INTEGER"), ("名", DOUBLES[name]), ("b", DOUBLES[name])], [[1, 2.0, 3.0]])
    engine = sa.create_engine(url, connect_args=latin)
    projection, source = sqlrp.SparseProjection(k=2, s=1), Wide("latin", features=["é", "b"])
    try:
        assert sqlrp.project(projection, source, engine) == sqlrp.project(projection, source, db.connection)
        calls: list[Callable[[], Any]] = [
            lambda: sqlrp.project(projection, "名", engine),
            lambda: sqlrp.materialize(projection, source, engine, into="名"),
            lambda: sqlrp.save(projection, engine, "名"),
            lambda: sqlrp.project(projection, Wide("wide"), engine),
        ]
        for call in calls:
            with pytest.raises(SqlrpError) as caught:
                call()
            read = {"postgresql": "has no equivalent in encoding", "mariadb": "character set has not all: use utf8mb4"}
            assert_one_line(caught, read[name] if call is calls[-1] else "the connection's character set has no '名'")
    finally:
        engine.dispose()
