"""What `search` holds of a table in DuckDB: it says what a first search says, after all that may change the answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import sqlrp
from sqlrp._engines.duckdb.connector import _FEW_RECORDS, DuckDBConnector
from sqlrp._engines.registry import connector_of
from sqlrp._store import held_search, table_search

X = np.random.default_rng(3).normal(size=(20, 4)).round(3)


@pytest.fixture
def con(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(tmp_path / "test.db", config={"threads": "1"}) as opened:
        opened.execute("CREATE TABLE t (id BIGINT, f0 DOUBLE, f1 DOUBLE, f2 DOUBLE, f3 DOUBLE)")
        opened.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [[i, *row] for i, row in enumerate(X.tolist())])
        _make(opened, 1)
        yield opened


def _make(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    sqlrp.materialize(sqlrp.SparseProjection(k=3, s=1, seed=seed), "t", con, "kept", replace=True)


QUERIES: list[dict[str, Any]] = [
    {"vector": X[3] + 0.01},
    {"vector": X[3:5] + 0.01, "again": False},
    {"like": 3, "again": False},
    {"vector": X[3], "keep": ["f1"], "where": "f0 > -9", "offset": 1},
]


def _said(con: duckdb.DuckDBPyConnection, query: dict[str, Any]) -> Any:
    try:
        return sqlrp.search(con, "kept", n=4, **query).to_pydict()
    except sqlrp.SqlrpError as error:
        return f"{type(error).__name__}: {error}"


CHANGES = [
    "CREATE SCHEMA other; USE other",
    "USE main",
    "CREATE TEMP TABLE kept AS SELECT 1 AS id",
    "DROP TABLE temp.kept",
    "CREATE TEMP VIEW kept AS SELECT 1 AS id",
    "DROP VIEW temp.kept",
    "CREATE TEMP TABLE t AS SELECT 1 AS id",
    "DROP TABLE temp.t",
    "CREATE TEMP VIEW sqlrp_catalogue AS SELECT 1 AS id",
    "DROP VIEW temp.sqlrp_catalogue",
    "CREATE TABLE other.kept AS FROM main.kept; CREATE TABLE other.t AS FROM main.t; USE other",
    "SET search_path = 'main'",
    "ALTER TABLE t RENAME TO away",
    "CREATE TABLE t AS FROM away WHERE id > 5",
    "DROP TABLE t; ALTER TABLE away RENAME TO t",
    "ALTER TABLE t ALTER f0 TYPE FLOAT",
    "ALTER TABLE t ALTER f0 TYPE VARCHAR",
    "ALTER TABLE t ALTER f0 TYPE DOUBLE",
    "UPDATE t SET f0 = 100 WHERE id = 3",
    "INSERT INTO t SELECT 99, f0, f1, f2, f3 FROM t WHERE id = 4",
    "COMMENT ON TABLE kept IS 'mine'",
    "make",
    "ALTER TABLE kept RENAME TO away; CREATE TABLE kept AS FROM away",
    "DROP TABLE kept; ALTER TABLE away RENAME TO kept",
    "make",
    "INSERT INTO sqlrp_catalogue (kind, name) VALUES ('format', '99')",
    "DELETE FROM sqlrp_catalogue WHERE name = '99'",
    "ALTER TABLE sqlrp_catalogue RENAME TO real; CREATE VIEW sqlrp_catalogue AS FROM real",
    "DROP VIEW sqlrp_catalogue; ALTER TABLE real RENAME TO sqlrp_catalogue",
    "UPDATE sqlrp_catalogue SET definition = replace(definition, '\"seed\": 2', '\"seed\": 5')",
    "make",
    "DELETE FROM sqlrp_catalogue WHERE kind = 'materialized'",
    "make",
    "DROP TABLE kept",
]


def test_a_held_search_says_what_a_first_one_says(con: duckdb.DuckDBPyConnection) -> None:
    said = []
    for change in ["SELECT 1", *CHANGES]:
        if change == "make":
            con.execute("DROP TABLE IF EXISTS kept")
            _make(con, 2)
        else:
            con.execute(change)
        of_held = [_said(con, query) for query in QUERIES]
        held_search._HELD.clear()
        assert of_held == [_said(con, query) for query in QUERIES], change
        assert of_held == [_said(con, query) for query in QUERIES], change
        said.append(of_held)
    assert sum(one != other for one, other in pairwise(said)) > len(CHANGES) // 2


def test_a_second_search_reads_nothing_again(con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    first = [_said(con, query) for query in QUERIES]
    monkeypatch.setattr(table_search, "read_steadily", None)
    assert [_said(con, query) for query in QUERIES] == first


def test_a_search_beside_many_rows_of_the_catalogue(
    con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are read as a whole while they are few. When there are many, the table is read once more, and then held."""
    near = sqlrp.open_search(con, "kept")
    first, rows = (
        near(X[3], n=4),
        "INSERT INTO sqlrp_catalogue (kind, name) SELECT 'search', 'x' || i FROM range({}) r(i)",
    )
    whole = 'SELECT kind, name, definition, fingerprint FROM "test"."main"."sqlrp_catalogue"'
    ran: list[str] = []
    fresh = DuckDBConnector.fresh
    monkeypatch.setattr(DuckDBConnector, "fresh", lambda own, to, sql: ran.append(sql) or fresh(own, to, sql))
    for added in (_FEW_RECORDS // 2, _FEW_RECORDS):
        con.execute("DELETE FROM sqlrp_catalogue WHERE name LIKE 'x%'")
        con.execute(rows.format(added))
        assert near(X[3], n=4) == first
        ran.clear()
        assert near(X[3], n=4) == first
        assert [sql for sql in ran if sql == whole] == [whole] * (added < _FEW_RECORDS)
        assert len(ran) == 2
        con.execute("UPDATE sqlrp_catalogue SET definition = 'x' || definition WHERE kind = 'materialized'")
        with pytest.raises(sqlrp.SourceError):
            near(X[3], n=4)
        con.execute("UPDATE sqlrp_catalogue SET definition = ltrim(definition, 'x') WHERE kind = 'materialized'")


def test_the_default_connection_of_the_package_plans_nothing(tmp_path: Path) -> None:
    """It may be another one at the next call."""
    before = duckdb.default_connection()
    for file in ("first.db", "second.db"):
        with duckdb.connect(tmp_path / file) as opened:
            duckdb.set_default_connection(opened)
            duckdb.execute("CREATE TABLE t AS SELECT range AS id, range % 7 AS f0, range % 5 AS f1 FROM range(30)")
            sqlrp.materialize(sqlrp.SparseProjection(k=3, s=1, seed=1), "t", duckdb, "kept")
            for _ in range(2):
                assert sqlrp.search(duckdb, "kept", [1, 2], n=2).num_rows == 2
            assert not duckdb.execute("SELECT name FROM duckdb_prepared_statements()").fetchall()
            duckdb.set_default_connection(before)


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("change", ["DROP TABLE kept", "DROP TABLE t", "ALTER TABLE t ALTER f0 TYPE VARCHAR"])
def test_what_has_changed_does_not_break_a_transaction(
    con: duckdb.DuckDBPyConnection, change: str, opened: bool
) -> None:
    near = sqlrp.open_search(con, "kept") if opened else lambda x: sqlrp.search(con, "kept", x)
    near(X[3])
    con.execute(f"UPDATE t SET id = id; BEGIN; {change}")
    with pytest.raises(sqlrp.SqlrpError, match=r"dropped|no source|not a number"):
        near(X[3])
    assert con.execute("SELECT 1").fetchall() == [(1,)]
    con.execute("ROLLBACK")
    assert near(X[3]).num_rows == 10


def test_few_rows_are_those_of_arrow(con: duckdb.DuckDBPyConnection) -> None:
    connector = connector_of(con)
    signed, reals = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT"], ["FLOAT", "DOUBLE"]
    others = ["BOOLEAN", "VARCHAR", "HUGEINT", "BIGNUM", "BIGNUM[]", "DATE", "DECIMAL(9, 2)"]
    values = {"DATE": "'2024-02-29'", "BOOLEAN": "true", "VARCHAR": "'ü'", "BIGNUM[]": "[7]"}
    for kind in [*signed, *(f"U{kind}" for kind in signed), *reals, *others]:
        given = ["'nan'", "'inf'", "0.1"] if kind in reals else [values.get(kind, "7")]
        rows = " UNION ALL ".join(f"SELECT CAST({value} AS {kind}) AS c, 1.5e0 AS d" for value in [*given, "NULL"])
        for query in (rows, f"{rows} LIMIT 0"):
            few, plain = connector.fetch_few(con, query), connector.fetch(con, query)
            assert few.schema == plain.schema
            assert str(few.to_pylist()) == str(plain.to_pylist())


def test_a_listing_that_was_deallocated_is_planned_again(con: duckdb.DuckDBPyConnection) -> None:
    wanted = _said(con, QUERIES[0])
    for _ in range(2):
        assert _said(con, QUERIES[0]) == wanted
        con.execute("DEALLOCATE sqlrp_tables_and_views")
    assert _said(con, QUERIES[0]) == wanted
