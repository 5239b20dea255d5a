"""Functions of Spark that search a projected table, against `sqlrp.search`; tables of Parquet hold no list of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sparks import needs_spark

import sqlrp
from sqlrp import Array, Projection, Wide

needs_spark()

D = 9
X = np.random.default_rng(3).normal(size=(12, D)).round(3)
QUERY = np.linspace(-1.5, 2.0, D)
P: dict[str, Projection] = {
    "bits": sqlrp.SparseProjection(k=70, s=1, seed=3),
    "columns": sqlrp.SparseProjection(k=5, s=1, seed=3),
    "array": sqlrp.HadamardProjection(k=4, seed=1),
}


@pytest.fixture(autouse=True)
def sources(spark: Any, interpreted: None) -> Iterator[None]:
    """The rows as columns and as arrays, and nothing afterwards."""
    columns = ", ".join(f"f{j} DOUBLE" for j in range(D))
    rows = [(i, i % 2, *row) for i, row in enumerate(X.tolist())]
    spark.createDataFrame(rows, f"id BIGINT, part BIGINT, {columns}").write.saveAsTable("wide")
    arrays = [(i, i % 2, row) for i, row in enumerate(X.tolist())]
    spark.createDataFrame(arrays, "id BIGINT, part BIGINT, x ARRAY<DOUBLE>").write.saveAsTable("arrays")
    yield
    for row in spark.sql("SHOW TABLES").collect():
        spark.sql(f"DROP TABLE {row.tableName}")
    for row in spark.sql("SHOW USER FUNCTIONS").collect():
        spark.sql(f"DROP FUNCTION {row.function}")


def source(layout: str) -> Any:
    return Array("arrays", "x") if layout == "array" else Wide("wide", features=[f"f{j}" for j in range(D)])


def called(spark: Any, vector: Any, more: str = "") -> list[tuple[Any, ...]]:
    numbers = vector
    if not isinstance(vector, str):
        numbers = f"array({', '.join('NULL' if v is None else f'{float(v)!r}D' for v in vector)})"
    return [tuple(row) for row in spark.sql(f"SELECT * FROM near({numbers}{more})").collect()]


@pytest.mark.parametrize(
    ("output", "layout"), [("bits", "wide"), ("columns", "array"), ("array", "wide"), ("array", "array")]
)
def test_functions_find_what_search_finds(spark: Any, output: Any, layout: str) -> None:
    options: dict[str, Any] = {"output": output, "partition_by": "part"}
    sqlrp.materialize(P[output], source(layout), spark, "made", search="near", **options)
    want = sqlrp.search(spark, "made", QUERY, n=4)
    assert np.allclose(want.column("distance"), np.sort(np.linalg.norm(X - QUERY, axis=1))[:4])
    found = called(spark, QUERY, ", n => 4")
    assert [key for key, _ in found] == want.column("id").to_pylist()
    assert np.allclose([far for _, far in found], want.column("distance"))
    assert len(called(spark, QUERY)) == 10
    assert len(called(spark, QUERY, ", 10, 2")) == 2
    wrong: list[tuple[Any, str]] = [
        (QUERY[:3], "the vector has not 9 elements"),
        ([*QUERY, 1.0], "the vector has not 9 elements"),
        ("CAST(array() AS ARRAY<DOUBLE>)", "the vector has not 9 elements"),
        ([*QUERY[:8], None], "the vector is NULL, or a number in it is"),
        ("NULL", "the vector is NULL"),
    ]
    for vector, words in wrong:
        with pytest.raises(Exception, match=words):
            called(spark, vector)
    sqlrp.drop_search(spark, "near")
    with pytest.raises(sqlrp.SourceError, match=r"was not made by sqlrp\.create_search"):
        sqlrp.drop_search(spark, "near")


def test_a_search_follows_its_table_and_others_are_kept(spark: Any) -> None:
    of = source("wide")
    sqlrp.materialize(P["bits"], of, spark, "made", partition_by="part", output="bits")
    sqlrp.create_search(spark, "made", "near", candidates=1)
    with pytest.raises(sqlrp.ParameterError, match="exists already: replace=True"):
        sqlrp.create_search(spark, "made", "near")
    other = sqlrp.SparseProjection(k=64, s=1, seed=9)
    sqlrp.materialize(other, of, spark, "made", partition_by="part", output="bits", replace=True)
    for i in (0, 7):  # the only candidate: a code of another seed would find another one
        assert called(spark, X[i]) == [(i, 0.0)]
    sqlrp.drop_search(spark, "near")
    spark.sql("CREATE FUNCTION near() RETURNS TABLE (one INT) RETURN SELECT 1 AS one")
    with pytest.raises(sqlrp.ParameterError, match="did not make it"):
        sqlrp.create_search(spark, "made", "near", replace=True)
    spark.sql("DROP FUNCTION near")


@pytest.mark.parametrize("output", ["columns", "array"])
def test_corrected_codes_are_those_of_duckdb(spark: Any, con: Any, output: Any) -> None:
    """The numbers next to each code, the estimates by them, and the nearest row of a function are the same."""
    con.execute(f"CREATE TABLE wide (id BIGINT, {', '.join(f'f{j} DOUBLE' for j in range(D))})")
    con.executemany(
        f"INSERT INTO wide VALUES ({', '.join('?' * (D + 1))})", [[i, *row] for i, row in enumerate(X.tolist())]
    )
    codes = sqlrp.rounded(sqlrp.PrincipalComponents(k=5).fit(X), Wide("wide"), con, bits=2, sample=12)
    found = {}
    for engine, more in ((con, {}), (spark, {"partition_by": "part"})):
        sqlrp.materialize(codes, source("wide"), engine, "made", output=output, search="near", replace=True, **more)  # type: ignore[arg-type]
        found[engine] = [sqlrp.search(engine, "made", QUERY, n=12, metric=m, again=False) for m in ("l2", "cosine")]
    for one, other in zip(*found.values(), strict=True):
        assert one["id"].to_pylist() == other["id"].to_pylist()
        assert np.allclose(one["distance"], other["distance"], rtol=1e-5)
    numbers = "SELECT sqlrp_factor, sqlrp_square FROM made ORDER BY id"
    want = con.sql(numbers).fetchall()
    assert np.allclose([tuple(row) for row in spark.sql(numbers).collect()], want, rtol=1e-6)
    [(key, _)] = called(spark, QUERY, ", n => 1, candidates => 1")
    assert key == found[con][0]["id"][0].as_py()


def test_a_function_says_which_rows_are_sure(spark: Any) -> None:
    codes = sqlrp.rounded(sqlrp.OrthonormalProjection(k=D, seed=1), source("wide"), spark, bits=8, sample=12)
    sqlrp.materialize(codes, source("wide"), spark, "made", output="columns", correct=True, partition_by="part")
    sqlrp.create_search(spark, "made", "near", candidates=5, sure=True)
    for vector in X[:3] + 0.3:
        want = sqlrp.search(spark, "made", vector, n=4, candidates=5, sure=True)
        found = sorted(called(spark, vector, ", n => 4"), key=lambda row: row[1])
        assert [row[0] for row in found] == want["id"].to_pylist()
        assert [row[2] for row in found] == want["sure"].to_pylist()
