"""What MySQL alone does: one engine behind a URL that may reach MariaDB, and temporary tables that are read once."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from databases import Database, server
from helpers import assert_close, assert_one_line, cells, magnitude, oracle

import sqlrp
from sqlrp import Long, StatementError, UnsupportedError, Wide
from sqlrp._engines.mysql.connector import MySQLConnector
from sqlrp._engines.mysql.dialect import MySQL
from sqlrp._engines.registry import connector_of

POLYNOMIAL = sqlrp.PolynomialKernelProjection(k=5, s=1, t=3, degree=3, c=1.0, seed=2)
LINEAR = sqlrp.SparseProjection(k=3, s=1, seed=1)
X = np.random.default_rng(0).integers(-9, 10, (6, 4)).astype(float)
here = pytest.mark.parametrize("name", ["mysql"])


@pytest.mark.parametrize("reached", ["mariadb", "mysql"])
def test_the_server_says_which_engine_it_is(reached: str) -> None:
    """SQLAlchemy's dialect mysql is that of both until it is connected."""
    url = server(reached).set(drivername="mysql+pymysql")
    engine = sa.create_engine(url)
    assert sqlrp.sql(LINEAR, Wide("t", features=["a"]), engine) == sqlrp.sql(LINEAR, Wide("t", features=["a"]), "mysql")
    assert connector_of(engine).dialect.name == reached
    with engine.connect() as connection:
        assert connector_of(connection).dialect.name == reached
    assert sqlrp.sql(LINEAR, Wide("t", features=["a"]), engine) == sqlrp.sql(LINEAR, Wide("t", features=["a"]), reached)
    engine.dispose()


@pytest.fixture
def held(db: Database) -> Iterator[Any]:
    """A temporary table of the connector's own."""
    connector = db.connector
    made = db.engine.temporary_table("sqlrp_held", "SELECT 1 AS id UNION ALL SELECT 2", numbered=False)
    connector.store(db.connection, made)
    yield connector
    connector.execute(db.connection, made.drop)


@here
def test_a_statement_reads_a_temporary_table_as_often_as_it_likes(db: Database, name: str, held: Any) -> None:
    words = "'sqlrp_held `sqlrp_held` it''s' AS `sqlrp_held of`"
    tables = "sqlrp_held JOIN `sqlrp_held` a JOIN sqlrp_held b"
    query = f"SELECT a.id, b.id, sqlrp_held.id, {words} FROM {tables} ORDER BY 1, 2, 3"
    told = "sqlrp_held `sqlrp_held` it's"
    assert held.rows(db.connection, query) == [(i, j, k, told) for i in (1, 2) for j in (1, 2) for k in (1, 2)]
    made = held.rows(db.connection, "SHOW CREATE TABLE `sqlrp_held_1`")
    assert made
    assert "TEMPORARY" in made[0][1]
    held.execute(db.connection, db.engine.temporary_table("sqlrp_held", "", numbered=False).drop)
    for gone in ("sqlrp_held", "sqlrp_held_0", "sqlrp_held_1"):
        with pytest.raises(StatementError, match="doesn't exist"):
            held.rows(db.connection, f"SELECT * FROM {gone}")


@here
def test_a_user_s_temporary_table_is_read_or_the_remedy_is_named(db: Database, name: str) -> None:
    db.load("wide", X.tolist(), table="plain")
    db.run("CREATE TEMPORARY TABLE passing AS SELECT * FROM plain")
    try:
        assert_close(db.projected(LINEAR, Wide("passing")), oracle(LINEAR, X), magnitude(LINEAR, X))
        with pytest.raises(StatementError) as caught:
            db.projected(LINEAR, Wide("passing"), lowering="relational")
        assert_one_line(caught, "reads a temporary table once in a statement: use a plain table")
    finally:
        db.run("DROP TEMPORARY TABLE passing")


@here
def test_vectors(db: Database, name: str) -> None:
    source = db.load("wide", [*X.tolist(), [None] * 4], table="pictures")
    for lowering in ("inline", "relational"):
        got = sqlrp.project(POLYNOMIAL, source, db.connection, output="vector", lowering=lowering)  # type: ignore[arg-type]
        want, size = oracle(POLYNOMIAL, np.vstack([X, 0 * X[:1]])), magnitude(POLYNOMIAL, X)
        null = np.arange(7) == 6
        assert_close(cells(got, "array", POLYNOMIAL.k), want, [*size, size[0]], rtol=2.0**-22, null=null)
    sqlrp.materialize(LINEAR, source, db.connection, "kept", output="vector")
    assert db.run_query("SHOW COLUMNS FROM kept LIKE 'z'")[0][1].startswith("vector")
    db.run("INSERT INTO pictures VALUES (99, 1, 2, 3, 4)")
    assert sqlrp.refresh(db.connection, "kept") == 1
    ((bytes_,),) = db.run_query("SELECT CAST(z AS BINARY) FROM kept WHERE id = 99")
    want = oracle(LINEAR, np.array([[1.0, 2, 3, 4]]))[0]
    np.testing.assert_allclose(np.frombuffer(bytes_, "<f4"), np.array(want, dtype=float), rtol=1e-6)


@here
def test_words_need_md5_and_the_component_is_named(db: Database, name: str) -> None:
    table = db.make("words", [("id", "BIGINT"), ("feature", "VARCHAR(20)"), ("value", "DOUBLE")], [[1, "schön", 2.0]])
    got = db.projected(LINEAR, Long(table, key="id"), "long")
    plain = sqlrp.project(LINEAR, Long(table, key="id"), db.connection, output="long")
    assert plain.num_rows
    assert got
    told = MySQL().said("FUNCTION x.md5 does not exist")
    assert "INSTALL COMPONENT 'file://component_classic_hashing'" in told
    assert "MySQL 9.0 or newer" in MySQL().said("FUNCTION x.STRING_TO_VECTOR does not exist")


@here
def test_the_rows_of_a_table_are_counted_as_they_are_now(db: Database, name: str) -> None:
    """information_schema may tell those of yesterday."""
    db.load("wide", X.tolist(), table="counted")
    place = sqlrp._core.sources.TableName(("counted",))
    assert db.connector.count(db.connection, place) == 6
    db.run("INSERT INTO counted SELECT id + 10, f0, f1, f2, f3 FROM counted")
    assert db.connector.count(db.connection, place) == 12
    db.run("CREATE VIEW of_counted AS SELECT f0 FROM counted GROUP BY f0")
    assert db.connector.count(db.connection, sqlrp._core.sources.TableName(("of_counted",))) is None


def test_a_driver_that_does_not_tell_whether_a_transaction_is_open_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MySQLConnector, "execute", lambda *_: None)
    for told, want in (
        (types.SimpleNamespace(in_transaction=True), True),
        (types.SimpleNamespace(server_status=2), False),
    ):
        assert MySQLConnector(MySQL()).transacting(_connection(told)) == want
    with pytest.raises(UnsupportedError, match=r"the driver mysqldb does not say .*: use the URL mysql\+pymysql"):
        MySQLConnector(MySQL()).transacting(_connection(object()))


def _connection(driver: object) -> Any:
    inner = types.SimpleNamespace(driver_connection=driver)
    return types.SimpleNamespace(connection=inner, dialect=types.SimpleNamespace(driver="mysqldb"))
