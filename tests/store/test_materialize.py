"""Tables that `materialize` makes and `refresh` keeps: what comes in, what is refused, and views."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from cases import DATABASES as NAMES
from databases import DOUBLES, FAMILY, Database, opened
from helpers import METHODS, assert_close, assert_one_line, cells, load, magnitude, oracle
from materializing import LINEAR, X, add, holds, kept, tables

import sqlrp
from sqlrp import (
    LimitError,
    Long,
    ParameterError,
    SourceError,
    SparseProjection,
    UnsupportedError,
    Wide,
)
from sqlrp._core.sources import TableName

each = pytest.mark.parametrize("name", NAMES)
layouts = pytest.mark.parametrize(
    ("name", "layout"),
    [
        (n, o)
        for n in NAMES
        for o in ("wide", "long", "array")
        if o != "array" or n in ("duckdb", "postgresql", "clickhouse")
    ],
)


@pytest.fixture
def db(name: str, tmp_path: Path) -> Iterator[Database]:  # a database a test: what one leaves is not the next one's
    yield from opened(name, tmp_path)


# -- what comes in ---------------------------------------------------------------------------------------


@layouts
def test_new_rows_come_in_and_everything_on_demand(db: Database, name: str, layout: str) -> None:
    for output in ("columns", "long", *(["array"] if db.engine.has_arrays else [])):
        source = db.load(layout, X[:3].tolist(), table=f"t_{output}")
        into = f"made_{output}"
        assert sqlrp.materialize(LINEAR, source, db.connection, into, output=output) == 3  # type: ignore[arg-type]
        holds(db, X[:3], into, output, layout == "long")
        assert sqlrp.refresh(db.connection, into) == 0
        add(db, source, 3, X[3:6])
        assert sqlrp.refresh(db.connection, into) == 3
        assert sqlrp.refresh(db.connection, into) == 0
        holds(db, X[:6], into, output, layout == "long")
        quoted = db.engine.table(TableName.parse(source.table))
        db.run(f"DELETE FROM {quoted} WHERE id >= 3")
        add(db, source, 3, X[4:8])
        assert sqlrp.refresh(db.connection, into) == 1
        assert sqlrp.refresh(db.connection, into, everything=True) == 7
        holds(db, np.vstack([X[:3], X[4:8]]), into, output, layout == "long")
    expected = {"sqlrp_catalogue", *(f"{p}_{o}" for o in ("columns", "long", "array") for p in ("t", "made"))}
    assert tables(db) <= expected


@each
def test_every_method_scale_and_nulls(db: Database, name: str) -> None:
    for method, projection in METHODS.items():
        source = db.load("wide", [*X[:3].tolist(), [None, *X[3, 1:].tolist()]])
        into = f'"made {method}"'
        for nulls in ("propagate", "zero"):
            sqlrp.materialize(projection, source, db.connection, into, scale=False, nulls=nulls, replace=True)
        add(db, source, 4, X[4:])
        assert sqlrp.refresh(db.connection, into) == 4
        x = X.copy()
        x[3, 0] = 0
        want = oracle(projection, x, scale=False)
        assert_close(kept(db, into, k=projection.k), want, magnitude(projection, x, scale=False))


@each
def test_steps(db: Database, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(db.engine), "limits", replace(db.engine.limits, terms=6))
    source = db.load("wide", X[:3].tolist())
    assert len(sqlrp.explain(LINEAR, source, db.connection, lowering="inline").script.setup) > 1
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk", lowering="inline")
    add(db, source, 3, X[3:])
    assert sqlrp.refresh(db.connection, "images_pk") == 5
    holds(db, X)
    assert sqlrp.refresh(db.connection, "images_pk", everything=True) == 8
    holds(db, X)
    assert tables(db) == {"t", "images_pk", "sqlrp_catalogue"}


@each
def test_kept_columns_text_keys_and_added_columns(db: Database, name: str) -> None:
    double = DOUBLES[name]
    columns = [("name", "VARCHAR(20)"), ("day", "DATE"), ("a", double), ("b", double)]
    db.make("t", columns, [["x's", "2024-01-31", 1.0, 2.0], ["y\\", None, 3.0, 4.0]])
    source = Wide("t", key="name", keep=["day"])
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk")
    db.run(f"ALTER TABLE t ADD COLUMN later {double}")
    db.run("INSERT INTO t VALUES ('z', NULL, 5.0, 6.0, 7.0)")
    assert sqlrp.refresh(db.connection, "images_pk") == 1
    found = db.connector.fetch(db.connection, "SELECT * FROM images_pk")
    x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    got = cells(found, "columns", LINEAR.k, "name")
    assert_close({i: got[key] for i, key in enumerate(["x's", "y\\", "z"])}, oracle(LINEAR, x), magnitude(LINEAR, x))
    assert found.column_names[:2] == ["name", "day"]


@each
def test_an_empty_source_that_grows(db: Database, name: str) -> None:
    db.make("t", [("id", "BIGINT"), *((f"f{j}", DOUBLES[name]) for j in range(5))], [])
    assert sqlrp.materialize(LINEAR, "t", db.connection, "images_pk") == 0
    add(db, Wide("t"), 0, X)
    assert sqlrp.refresh(db.connection, "images_pk") == 8
    holds(db, X)
    assert sqlrp.refresh(db.connection, "images_pk") == 0


@each
def test_hostile_names_and_schemas(db: Database, name: str) -> None:
    hostile = '"; DROP TABLE t; --\'""`\\ %s :x"'
    source = db.load("wide", X[:3].tolist(), table="t'\"`;")
    for into in (hostile, f"{db.schema}.plain", f'{db.schema}."a.b"', '"select"'):
        assert sqlrp.materialize(LINEAR, source, db.connection, into) == 3
        add(db, source, 3, X[3:4])
        assert sqlrp.refresh(db.connection, into) == 1
        assert sqlrp.refresh(db.connection, into, everything=True) == 4
        holds(db, X[:4], into)
        db.run(f"DELETE FROM {db.engine.table(TableName.parse(source.table))} WHERE id = 3")
        assert sqlrp.materialize(LINEAR, source, db.connection, into, replace=True) == 3
        holds(db, X[:3], into)


@each
def test_a_view_over_the_table_stands(db: Database, name: str) -> None:
    source = db.load("wide", X.tolist())
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk")
    db.run("CREATE VIEW reading AS SELECT id FROM images_pk")
    if name == "postgresql":
        with pytest.raises(SourceError) as caught:
            sqlrp.refresh(db.connection, "images_pk", everything=True)
        assert_one_line(caught, "view reading", "drop them first")
    else:
        sqlrp.refresh(db.connection, "images_pk", everything=True)
    assert db.connector.fetch(db.connection, "SELECT * FROM reading").num_rows == 8
    holds(db, X)


# -- what is refused -------------------------------------------------------------------------------------


@each
def test_a_table_of_others_is_never_overwritten(db: Database, name: str) -> None:
    source = db.load("wide", X.tolist())
    db.make("images_pk", [("id", "BIGINT")], [[7]])
    for replaced in (False, True):
        with pytest.raises(ParameterError) as caught:
            sqlrp.materialize(LINEAR, source, db.connection, "images_pk", replace=replaced)
        assert_one_line(caught, '"images_pk"', "did not make")
    with pytest.raises(SourceError) as missing:
        sqlrp.refresh(db.connection, "images_pk")
    assert_one_line(missing, "was not made by sqlrp.materialize")
    db.run("DROP TABLE images_pk")
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk")
    db.run("DROP TABLE images_pk")
    with pytest.raises(SourceError) as gone:
        sqlrp.refresh(db.connection, "images_pk")
    assert_one_line(gone, "was dropped")
    db.make("images_pk", [("id", "BIGINT")], [[7]])  # the name of ours, but not the table of ours
    with pytest.raises(ParameterError, match="did not make"):
        sqlrp.materialize(LINEAR, source, db.connection, "images_pk", replace=True)
    for everything in (False, True):
        with pytest.raises(SourceError, match="is not the table that sqlrp made"):
            sqlrp.refresh(db.connection, "images_pk", everything=everything)
    assert db.connector.fetch(db.connection, "SELECT id FROM images_pk").column(0).to_pylist() == [7]


@each
def test_another_projection_is_found(db: Database, name: str) -> None:
    source = db.load("wide", X.tolist())
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk")
    for projection, word in ((LINEAR, "the same projection"), (SparseProjection(k=4), "another projection, ")):
        with pytest.raises(ParameterError) as caught:
            sqlrp.materialize(projection, source, db.connection, "images_pk")
        assert_one_line(caught, word, "replace=True", "sqlrp.refresh")
    definition = db.connector.fetch(
        db.connection, "SELECT definition FROM sqlrp_catalogue WHERE kind = 'materialized' AND name = 'images_pk'"
    )
    plain = json.loads(definition.column(0).to_pylist()[0])
    plain["projection"]["seed"] = 99
    db.run(db.engine.updating("sqlrp_catalogue", f"definition = {db.engine.string(json.dumps(plain))}", "1 = 1"))
    for everything in (False, True):
        with pytest.raises(SourceError) as changed:
            sqlrp.refresh(db.connection, "images_pk", everything=everything)
        assert_one_line(changed, "fingerprint", LINEAR.fingerprint, "replace=True")
    holds(db, X)
    assert sqlrp.materialize(SparseProjection(k=4), source, db.connection, "images_pk", replace=True) == 8
    assert len(kept(db, k=4)) == 8


@each
def test_keys_that_are_null_or_come_twice(db: Database, name: str) -> None:
    source = db.load("wide", X.tolist())
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk")
    add(db, source, 4, X[4:])
    calls: list[Any] = [
        lambda: sqlrp.materialize(LINEAR, source, db.connection, "second"),
        lambda: sqlrp.refresh(db.connection, "images_pk"),
        lambda: sqlrp.refresh(db.connection, "images_pk", everything=True),
    ]
    for call in calls:
        with pytest.raises(SourceError) as caught:
            call()
        assert_one_line(caught, "key 'id'", "more than once: 4, 5, 6, …")
    db.run(db.engine.updating("t", "id = NULL", "id > 3"))
    for call in calls:
        with pytest.raises(SourceError) as nulls:
            call()
        assert_one_line(nulls, "key 'id'", "is NULL in 8 rows")
    holds(db, X)
    assert "second" not in tables(db)


@each
def test_a_source_without_a_key_knows_everything_only(db: Database, name: str) -> None:
    db.load("wide", X.tolist())
    source = Wide("t", key=None, features=[f"f{j}" for j in range(5)], keep=["id"])
    assert sqlrp.materialize(LINEAR, source, db.connection, "images_pk") == 8
    with pytest.raises(ParameterError) as caught:
        sqlrp.refresh(db.connection, "images_pk")
    assert_one_line(caught, "no key", "everything=True")
    assert sqlrp.refresh(db.connection, "images_pk", everything=True) == 8
    holds(db, X)


@each
def test_a_source_that_changed(db: Database, name: str) -> None:
    source = db.load("wide", X.round().tolist(), "INTEGER")
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk", scale=False)
    columns = [("id", "BIGINT"), *((f"f{j}", DOUBLES[name]) for j in range(5))]
    db.make("t", columns, [[i, *row] for i, row in enumerate(X.tolist())])
    with pytest.raises(SourceError) as caught:
        sqlrp.refresh(db.connection, "images_pk")
    assert_one_line(caught, "'f0' was", "and is", "everything=True")
    assert sqlrp.refresh(db.connection, "images_pk", everything=True) == 8
    assert_close(kept(db), oracle(LINEAR, X, scale=False), magnitude(LINEAR, X, scale=False))
    for names, words in (
        (["f0", "f1", "g2", "f3", "f4"], ("'f2'", "is not a column of")),
        (["f0", "f1", "f3", "f4"], ("'f2'", "is not a column of")),
    ):
        db.make("t", [("id", "BIGINT"), *((n, DOUBLES[name]) for n in names)], [])
        for everything in (False, True):
            with pytest.raises(SourceError) as dropped:
                sqlrp.refresh(db.connection, "images_pk", everything=everything)
            assert_one_line(dropped, *words)
    db.make("t", [("id", "BIGINT"), *((f"f{j}", "VARCHAR(9)" if j == 3 else DOUBLES[name]) for j in range(5))], [])
    with pytest.raises(SourceError) as text:
        sqlrp.refresh(db.connection, "images_pk", everything=True)
    assert_one_line(text, "'f3'", "not a number")
    assert len(kept(db)) == 8


@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_arrays_of_another_length(db: Database, name: str) -> None:
    source = db.load("array", X.tolist())
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk")
    db.load("array", X[:, :4].tolist())
    with pytest.raises(SourceError) as caught:
        sqlrp.refresh(db.connection, "images_pk", everything=True)
    assert_one_line(caught, "had 5 features and has 4")


@each
def test_groups_know_everything_only(db: Database, name: str) -> None:
    source = db.load("wide", X.tolist())
    db.run(db.engine.updating("t", "id = CASE WHEN id < 5 THEN 0 ELSE 1 END", "1 = 1"))
    projection = sqlrp.BilinearPooling(k=4, seed=1)
    assert sqlrp.materialize(projection, source, db.connection, "images_pk") == 2
    with pytest.raises(ParameterError, match="sums groups"):
        sqlrp.refresh(db.connection, "images_pk")
    assert sqlrp.refresh(db.connection, "images_pk", everything=True) == 2


@each
def test_refusals(db: Database, name: str) -> None:
    source = db.load("wide", X.tolist())
    for options, error, word in (
        ({"into": "x.parquet"}, ParameterError, "file's name"),
        ({"into": ""}, SourceError, "empty"),
        ({"kind": "index"}, ParameterError, "kind = 'index'"),
        ({"projection": 3}, ParameterError, "is not a projection"),
        *([({"kind": "view"}, UnsupportedError, "no materialized views")] if name in (*FAMILY, "sqlite") else []),
        *([({"projection": SparseProjection(k=1500)}, LimitError, "1501 columns")] if name == "postgresql" else []),
    ):
        arguments: dict[str, Any] = {"projection": LINEAR, "into": "images_pk", **options}
        with pytest.raises(error) as caught:
            sqlrp.materialize(source=source, connection=db.connection, **arguments)
        assert_one_line(caught, word)
    with pytest.raises(SourceError, match="made were none"):
        sqlrp.refresh(db.connection, "nothing")
    sqlrp.materialize(LINEAR, source, db.connection, "images_pk")
    with pytest.raises(SourceError) as near:
        sqlrp.refresh(db.connection, "image_pk")
    assert_one_line(near, "did you mean 'images_pk'?")


# -- views, and what one engine has of its own -------------------------------------------------------------


def test_a_materialized_view(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for db in opened("postgresql", tmp_path):
        source = db.load("wide", X[:4].tolist())
        assert sqlrp.materialize(LINEAR, source, db.connection, "images_pk", kind="view") == 4
        add(db, source, 4, X[4:6])
        assert sqlrp.refresh(db.connection, "images_pk") == 6
        name = TableName.parse("images_pk")
        assert db.connector.refreshing(db.connection, name) == 'REFRESH MATERIALIZED VIEW "images_pk"'
        holds(db, X[:6])
        db.run("CREATE UNIQUE INDEX by_id ON images_pk (id)")
        add(db, source, 6, X[6:])
        assert sqlrp.refresh(db.connection, "images_pk", everything=True) == 8
        assert "CONCURRENTLY" in db.connector.refreshing(db.connection, name)
        holds(db, X)
        monkeypatch.setattr(type(db.engine), "limits", replace(db.engine.limits, terms=6))
        with pytest.raises(UnsupportedError, match="fit neither a view"):
            sqlrp.materialize(LINEAR, source, db.connection, "images_pk", kind="view", lowering="inline", replace=True)
        sqlrp.materialize(LINEAR, source, db.connection, "images_pk", replace=True)
        holds(db, X)
        assert sqlrp.refresh(db.connection, "images_pk") == 0


def test_a_view_of_duckdb_is_its_text(tmp_path: Path) -> None:
    path = str(tmp_path / "shop.duckdb")
    with duckdb.connect(path) as con:
        source = load(con, "wide", X[:4].tolist())
        with pytest.raises(UnsupportedError, match=r"no materialized views.*kind = 'view'"):
            sqlrp.materialize(LINEAR, source, con, "images_pk", kind="materialized view")
        assert sqlrp.materialize(LINEAR, source, con, "images_pk", kind="view") == 4
        con.execute(f"INSERT INTO t VALUES (4, {str(X[4].tolist())[1:-1]})")
        assert repr(sqlrp.refresh(con, "images_pk")) == "Refreshed(added=0, changed=0, removed=0)"
    with duckdb.connect(path, read_only=True) as con:
        found = cells(con.sql("FROM images_pk").to_arrow_table(), "columns", LINEAR.k)
        assert_close(found, oracle(LINEAR, X[:5]), magnitude(LINEAR, X[:5]))
    with duckdb.connect(path) as con:
        assert sqlrp.refresh(con, "images_pk", everything=True) == 5
        assert sqlrp.check(con) == []
        for kind in ("table", "view", "view"):
            assert sqlrp.materialize(LINEAR, source, con, "images_pk", kind=kind, replace=True) == 5  # type: ignore[arg-type]


def test_a_view_of_clickhouse_computes_rows_as_they_are_inserted(tmp_path: Path) -> None:
    for db in opened("clickhouse", tmp_path):
        source = db.load("wide", X[:4].tolist())
        assert sqlrp.materialize(LINEAR, source, db.connection, "images_pk", kind="view") == 4
        add(db, source, 4, X[4:6])
        holds(db, X[:6])
        assert sqlrp.refresh(db.connection, "images_pk") == 0
        db.run("ALTER TABLE images_pk DELETE WHERE id > 3 SETTINGS mutations_sync = 1")  # as if it had missed them
        assert sqlrp.refresh(db.connection, "images_pk") == 2
        assert sqlrp.refresh(db.connection, "images_pk", everything=True) == 6
        add(db, source, 6, X[6:])
        holds(db, X)
        for kind in ("table", "view"):
            assert sqlrp.materialize(LINEAR, source, db.connection, "images_pk", kind=kind, replace=True) == len(X)  # type: ignore[arg-type]
        assert sqlrp.check(db.connection) == []
        with pytest.raises(UnsupportedError, match="sees the rows of one INSERT"):
            sqlrp.materialize(LINEAR, db.load("long", X.tolist(), table="cells"), db.connection, "other", kind="view")


def test_a_long_source_adds_new_keys_only(tmp_path: Path) -> None:
    for db in opened("duckdb", tmp_path):
        source = db.load("long", X[:3].tolist())
        assert isinstance(source, Long)
        sqlrp.materialize(LINEAR, source, db.connection, "images_pk")
        db.run("UPDATE t SET value = value + 1")
        assert sqlrp.refresh(db.connection, "images_pk") == 0
        holds(db, X[:3])


@pytest.mark.parametrize(
    ("name", "columns"),
    [("postgresql", ["id", "z"]), ("mariadb", ["id", "component", "value"]), ("mysql", ["id", "component", "value"])],
)
def test_auto_is_what_a_row_of_a_table_holds(db: Database, name: str, columns: list[str]) -> None:
    source, bound = db.load("wide", [[1.0, 2.0], [3.0, 4.0]]), db.engine.limits.stored
    assert bound is not None
    projection = SparseProjection(k=bound, s=1, seed=1)
    with pytest.raises(LimitError) as caught:
        sqlrp.materialize(projection, source, db.connection, into="auto_made")
    assert_one_line(caught, str(bound), "output = 'auto'")
    assert sqlrp.materialize(projection, source, db.connection, into="auto_made", output="auto") == 2
    assert [c.name for c in db.connector.columns(db.connection, TableName(("auto_made",)))] == columns
    db.run("INSERT INTO t VALUES (7, 5.0, 6.0)")
    assert sqlrp.refresh(db.connection, "auto_made") == 1
