"""Embeddings that a column holds as text, "[0.1, 0.2]", are arrays; the oracle reads the text by Python's json."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cases import DATABASES
from databases import Database, opened
from helpers import assert_close, cells, magnitude, oracle
from sparks import needs_spark

import sqlrp
from sqlrp import Array, Long
from sqlrp._core.sources import TableName

X = np.random.default_rng(5).normal(size=(20, 5)) * 10.0 ** np.arange(-2, 3)
TEXTS: list[str | None] = [json.dumps(row.tolist()) for row in X]
TEXTS[1] = "[1,-2.5,3e2,0,4]"
TEXTS[2] = "[1, null, 2, 3, 4]"
TEXTS[3] = None
READ = np.array([[0.0] * 5 if text is None else [v or 0.0 for v in json.loads(text)] for text in TEXTS])
NULL = np.array([text is None or "null" in text for text in TEXTS])
KINDS = {
    "duckdb": ("VARCHAR", "JSON"),
    "postgresql": ("text", "character varying(200)", "json", "jsonb"),
    "clickhouse": ("Nullable(String)",),
}
RP = sqlrp.SparseProjection(k=3, s=1, seed=1)
METHODS = (RP, sqlrp.PolynomialKernelProjection(k=3, c=1, seed=2))
BROKEN = ("abc", "", "[1,2", "[1,2,3,4]", "null", '{"a": 1}', '[1,2,3,4,"x"]', "[[1],[2],[3],[4],[5]]", "[]")


@pytest.fixture(params=[name for name in DATABASES if name in KINDS])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    yield from opened(request.param, tmp_path)


def _made(db: Database, kind: str, texts: list[str | None], table: str = "docs") -> None:
    db.run(f"DROP TABLE IF EXISTS {table}")
    end = " ENGINE = MergeTree ORDER BY tuple()" if db.name == "clickhouse" else ""
    db.run(f"CREATE TABLE {table} (id BIGINT, v {kind}){end}")
    for i, text in enumerate(texts):
        db.run(f"INSERT INTO {table} VALUES ({i}, {db.cell(text)})")


@pytest.mark.parametrize("projection", METHODS, ids=lambda p: type(p).__name__)
def test_a_text_is_an_array(db: Database, projection: sqlrp.Projection) -> None:
    for kind in KINDS[db.name]:
        _made(db, kind, TEXTS)
        for lowering in (*db.engine.lowerings, *(["native"] if db.engine.streams else [])):
            for nulls in ("propagate", "zero"):
                got: Any = sqlrp.project(projection, Array("docs", "v"), db.connection, lowering=lowering, nulls=nulls)  # type: ignore[arg-type]
                # A text that is NULL is a row of zeros; no array of ClickHouse is NULL.
                null = NULL if nulls == "propagate" else None
                assert_close(cells(got, "columns", 3), oracle(projection, READ), magnitude(projection, READ), null=null)


def test_a_text_that_is_no_array_is_refused_with_its_key(db: Database) -> None:
    for kind in KINDS[db.name][:1]:
        for broken in BROKEN:
            _made(db, kind, [*TEXTS, broken])
            said = rf"'v' of the row with id = {len(TEXTS)} is the text {re.escape(repr(broken))}, which"
            for lowering in ("inline", *(["native"] if db.engine.streams else [])):
                with pytest.raises(sqlrp.SqlrpError, match=said):
                    sqlrp.project(RP, Array("docs", "v"), db.connection, lowering=lowering)
            with pytest.raises(sqlrp.SqlrpError, match=said):
                sqlrp.materialize(RP, Array("docs", "v"), db.connection, into="kept")
            assert not db.connector.exists(db.connection, TableName(("kept",)))


def test_a_text_whose_length_nobody_says(db: Database) -> None:
    """The first text that is an array says it, or the source does."""
    _made(db, KINDS[db.name][0], ["broken", "[1,2]"])
    with pytest.raises(sqlrp.SqlrpError, match="id = 0 is the text 'broken'"):
        sqlrp.project(RP, Array("docs", "v"), db.connection)
    _made(db, KINDS[db.name][0], ["[1,2,3]"])
    with pytest.raises(sqlrp.SqlrpError, match="has not the 4"):
        sqlrp.project(RP, Array("docs", "v", n_features=4), db.connection)


def test_a_table_of_texts_is_kept_searched_and_learned_from(db: Database) -> None:
    whole = [text for text, null in zip(TEXTS, NULL, strict=True) if not null]
    _made(db, KINDS[db.name][0], whole)  # type: ignore[arg-type]
    x = np.array([json.loads(text) for text in whole if text])
    source = Array("docs", "v")
    sqlrp.materialize(RP, source, db.connection, into="kept", track="rows", output="array")
    changed = [1.0, 2.0, 3.0, 4.0, 5.0]
    if db.name == "clickhouse":
        db.run(f"ALTER TABLE docs UPDATE v = '{changed}' WHERE id = 7 SETTINGS mutations_sync = 2")
    else:
        db.run(f"UPDATE docs SET v = '{changed}' WHERE id = 7")
    x[7] = changed
    assert sqlrp.refresh(db.connection, "kept").changed == 1
    found = dict(db.run_query("SELECT id, z FROM kept"))
    assert_close(found, oracle(RP, x), magnitude(RP, x))
    near = sqlrp.search(db.connection, "kept", x[4], n=3)
    distances = np.linalg.norm(x - x[4], axis=1)
    assert near.column("id").to_pylist() == np.argsort(distances)[:3].tolist()
    pca = sqlrp.fit(sqlrp.PrincipalComponents(k=2), source, db.connection)
    z = sqlrp.project(pca, source, db.connection).sort_by("id")
    centred = x - x.mean(axis=0)
    along = centred @ np.linalg.svd(centred)[2][0]
    assert abs(np.corrcoef(z.column("z0").to_numpy(), along)[0, 1]) == pytest.approx(1, abs=1e-9)
    frame = pd.DataFrame({"id": range(len(x)), **{f"f{j}": column for j, column in enumerate(x.T)}})
    ours, arrays = sqlrp.diagnose(RP, source, db.connection), sqlrp.diagnose(RP, frame)
    assert (ours.recall, ours.q_nx) == (pytest.approx(arrays.recall), pytest.approx(arrays.q_nx))


@pytest.mark.parametrize("name", [name for name in DATABASES if name in ("sqlite", "mariadb", "mysql")])
def test_an_engine_without_arrays_says_which_view_reads_the_texts(name: str, tmp_path: Path) -> None:
    for db in opened(name, tmp_path):
        whole = [text for text, null in zip(TEXTS, NULL, strict=True) if not null]
        db.make("docs", [("id", "BIGINT"), ("v", "TEXT")], [[i, text] for i, text in enumerate(whole)])
        with pytest.raises(sqlrp.UnsupportedError, match="reads the view SELECT") as refused:
            sqlrp.project(RP, Array("docs", "v"), db.connection)
        db.run(f"CREATE VIEW numbers AS {str(refused.value).partition('reads the view ')[2]}")
        got = sqlrp.project(RP, Long("numbers", n_features=5), db.connection)
        x = np.array([json.loads(text) for text in whole if text])
        assert_close(cells(got, "columns", 3), oracle(RP, x), magnitude(RP, x))


def test_a_column_of_texts_that_is_left_out_is_named(tmp_path: Path) -> None:
    for db in opened("duckdb", tmp_path):
        db.make("docs", [("id", "BIGINT"), ("a", "DOUBLE"), ("v", "VARCHAR")], [[i, 1, t] for i, t in enumerate(TEXTS)])
        with pytest.warns(sqlrp.SqlrpWarning, match=r"'v' holds '.*', an array of numbers as text"):
            sqlrp.project(sqlrp.SparseProjection(k=1, s=1), "docs", db.connection)


@pytest.mark.slow
def test_spark_reads_arrays_as_text(request: pytest.FixtureRequest) -> None:
    needs_spark()
    spark = request.getfixturevalue("spark")
    table = pa.table({"id": pa.array(range(len(TEXTS)), pa.int64()), "v": pa.array(TEXTS, pa.string())})
    spark.createDataFrame(table).createOrReplaceTempView("docs_of_text")
    for lowering in ("inline", "indexed", "relational"):
        got = sqlrp.project(RP, Array("docs_of_text", "v"), spark, lowering=lowering).toArrow()
        assert_close(cells(got, "columns", 3), oracle(RP, READ), magnitude(RP, READ), null=NULL)
    broken = pa.table({"id": pa.array([0, 1], pa.int64()), "v": pa.array(["[1, 2]", "abc"])})
    spark.createDataFrame(broken).createOrReplaceTempView("broken_texts")
    with pytest.raises(Exception, match=r"abc|MALFORMED"):
        sqlrp.project(RP, Array("broken_texts", "v"), spark, lowering="inline").toArrow()
