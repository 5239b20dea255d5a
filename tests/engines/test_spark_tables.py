"""Tables of Parquet on Spark that are kept without partitions: rows are added, or the whole table is written again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from helpers import assert_close, cells, oracle
from sparks import end_at, needs_spark

import sqlrp
from sqlrp import Array, Long, ParameterError, SourceError, SparseProjection, Wide
from sqlrp._core.errors import StatementError
from sqlrp._engines.spark.connector import ParquetConnector

needs_spark()

P = SparseProjection(k=3, s=1, seed=1)
D = 4
Rows = dict[int, list[float]]
RNG = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def clean(spark: Any, interpreted: None) -> Iterator[None]:
    """Drop all tables and views afterwards."""
    yield
    for row in spark.sql("SHOW TABLES").collect():
        spark.sql(f"DROP {'VIEW' if row.isTemporary else 'TABLE'} `{row.tableName}`")


def some(*keys: int) -> Rows:
    return {key: RNG.normal(size=D).round(3).tolist() for key in keys}


def put(spark: Any, rows: Rows, layout: str = "wide") -> Any:
    """A view of the rows, and the source that reads it."""
    if layout == "long":
        found: list[Any] = [(key, f"w{j}", value) for key, row in rows.items() for j, value in enumerate(row)]
        spark.createDataFrame(found, "id BIGINT, feature STRING, value DOUBLE").createOrReplaceTempView("t")
        return Long("t")
    columns = "x ARRAY<DOUBLE>" if layout == "array" else ", ".join(f"f{j} DOUBLE" for j in range(D))
    values = [(key, version, *([row] if layout == "array" else row)) for version, (key, row) in enumerate(rows.items())]
    spark.createDataFrame(values, f"id BIGINT, version BIGINT, {columns}").createOrReplaceTempView("t")
    return Array("t", "x") if layout == "array" else Wide("t", features=[f"f{j}" for j in range(D)])


def held(spark: Any, rows: Rows, output: str = "columns", projection: Any = P) -> None:
    """The table has the oracle's numbers of these rows, each once."""
    found = spark.table("kept").toArrow()
    names = ("id", "component", "value", "z", *(f"z{c}" for c in range(projection.k)))
    of = cells(found.select([name for name in names if name in found.column_names]), output, projection.k)
    want = oracle(projection, np.array(list(rows.values())))
    assert found.num_rows == len(rows) * (projection.k if output == "long" else 1)
    assert_close({i: of[key] for i, key in enumerate(rows)}, want, np.full(len(want), np.abs(want).max()))


def tables(spark: Any) -> list[str]:
    return sorted(row.tableName for row in spark.sql("SHOW TABLES").collect() if not row.isTemporary)


@pytest.mark.parametrize(
    ("layout", "output", "track"),
    [("wide", "columns", "rows"), ("wide", "long", "version"), ("array", "array", "rows")],
)
def test_a_table_follows_its_source(spark: Any, layout: str, output: Any, track: str) -> None:
    rows = some(1, 2, 3, 4)
    source = put(spark, rows, layout)
    assert sqlrp.materialize(P, source, spark, "kept", output=output, track=track) == 4
    held(spark, rows, output)
    before = files(spark)
    rows |= some(5, 6)
    put(spark, rows, layout)
    assert repr(sqlrp.refresh(spark, "kept")) == "Refreshed(added=2, changed=0, removed=0)"
    held(spark, rows, output)
    assert before < files(spark), "rows were added, and no file was written again"
    rows = {key: row for key, row in rows.items() if key != 2} | {7: some(7)[7]}
    rows[4] = some(4)[4]
    rows[4] = rows.pop(4)  # the last row has a version that it did not have
    put(spark, rows, layout)
    done = sqlrp.refresh(spark, "kept")
    assert (done.added, done.removed, done.changed >= 1) == (1, 1, True)
    held(spark, rows, output)
    assert sqlrp.refresh(spark, "kept") == 0
    assert sqlrp.refresh(spark, "kept", everything=True) == 6
    held(spark, rows, output)
    assert sqlrp.check(spark) == []
    assert tables(spark) == ["kept"]
    found = sqlrp.search(spark, "kept", rows[7], n=1) if output != "long" else None
    assert found is None or found.column("id").to_pylist() == [7]


def files(spark: Any) -> set[str]:
    return {row.file for row in spark.sql("SELECT DISTINCT _metadata.file_name AS file FROM kept").collect()}


def test_an_untracked_table_is_added_to(spark: Any) -> None:
    rows = some(1, 2)
    sqlrp.materialize(P, put(spark, rows), spark, "kept")
    put(spark, {1: [9.0] * D} | (new := some(3)))
    assert repr(sqlrp.refresh(spark, "kept")) == "Refreshed(added=1, changed=0, removed=0)"
    held(spark, rows | new)


def test_sparse_rows_are_kept(spark: Any) -> None:
    rows = some(1, 2, 3)
    p = sqlrp.SparseEmbedding(k=4, nnz_per_feature=1, seed=1)
    sqlrp.materialize(p, put(spark, rows, "long"), spark, "kept", track="rows", output="array")
    rows = {1: rows[1], 2: some(2)[2], 4: some(4)[4]}
    source = put(spark, rows, "long")
    assert repr(sqlrp.refresh(spark, "kept", removals=1)) == "Refreshed(added=1, changed=1, removed=1)"
    want = sqlrp.project(p, source, spark, output="array").orderBy("id").collect()
    found = spark.table("kept").orderBy("id").collect()
    assert [row.id for row in found] == [row.id for row in want] == [1, 2, 4]
    assert np.allclose([row.z for row in found], [row.z for row in want])


@pytest.mark.parametrize("output", ["columns", "long"])
def test_rows_that_two_processes_add_are_kept_once(spark: Any, monkeypatch: pytest.MonkeyPatch, output: Any) -> None:
    """As if another process refreshed the table at the same time: the same rows are added twice."""
    rows = some(1, 2)
    sqlrp.materialize(P, put(spark, rows), spark, "kept", output=output, track="rows")
    rows |= some(3, 4)
    put(spark, rows)
    execute, added = ParquetConnector.execute, []

    def twice(self: ParquetConnector, connection: Any, sql: str) -> None:
        execute(self, connection, sql)
        if sql.startswith("INSERT INTO `kept`") and not added:
            added.append(sql)
            execute(self, connection, sql)

    monkeypatch.setattr(ParquetConnector, "execute", twice)
    assert repr(sqlrp.refresh(spark, "kept")) == "Refreshed(added=2, changed=0, removed=0)"
    assert added
    held(spark, rows, output)
    assert sqlrp.refresh(spark, "kept") == 0
    assert sqlrp.check(spark) == []
    assert tables(spark) == ["kept"]


ENDS = ["INSERT INTO", "sqlrp.part", "RENAME TO `sqlrp", "RENAME TO `kept`", "DROP TABLE `sqlrp"]


@pytest.mark.parametrize("at", ENDS)
@pytest.mark.parametrize("call", ["refresh", "replace"])
def test_a_call_that_ends_anywhere_leaves_a_whole_table(
    spark: Any, monkeypatch: pytest.MonkeyPatch, at: str, call: str
) -> None:
    """As if the process ended there: no later statement of the call runs."""
    rows = some(1, 2, 3)
    sqlrp.materialize(P, put(spark, rows), spark, "kept", track="rows")
    changed = rows | {2: some(2)[2]}
    source = put(spark, changed)
    other = SparseProjection(k=2, s=1, seed=9)
    end_at(monkeypatch, at)
    calls: dict[str, Callable[[], object]] = {
        "refresh": lambda: sqlrp.refresh(spark, "kept"),
        "replace": lambda: sqlrp.materialize(other, source, spark, "kept", track="rows", replace=True),
    }
    with pytest.raises(StatementError, match="ended"):
        calls[call]()
    monkeypatch.undo()
    done = at.startswith("DROP")  # the old table goes when the new one has its name
    sqlrp.refresh(spark, "kept")
    held(spark, changed, projection=other if done and call == "replace" else P)
    assert sqlrp.refresh(spark, "kept", everything=True) == 3
    assert tables(spark) == ["kept"]


def test_what_fails_leaves_the_table(spark: Any) -> None:
    rows = some(1, 2)
    sqlrp.materialize(P, put(spark, rows), spark, "kept", track="rows", nulls="error")
    bad: Any = [None, 1.0, 1.0, 1.0]
    put(spark, {1: [1.0] * D, 2: bad})
    for everything in (False, True):
        with pytest.raises(StatementError, match="NULL"):
            sqlrp.refresh(spark, "kept", everything=everything)
        held(spark, rows)


def test_what_is_there_is_kept(spark: Any) -> None:
    source = put(spark, some(1, 2))
    spark.sql("CREATE TABLE kept USING PARQUET AS SELECT 1 AS theirs")
    for replace in (False, True):
        with pytest.raises(ParameterError, match="sqlrp did not make it"):
            sqlrp.materialize(P, source, spark, "kept", replace=replace)
    with pytest.raises(SourceError, match="was not made by"):
        sqlrp.refresh(spark, "kept")
    assert spark.table("kept").columns == ["theirs"]
