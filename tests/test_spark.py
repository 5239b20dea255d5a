"""The contract on Spark, whose results are lazy DataFrames: the numpy oracle, NULLs, names, refusals, a cluster.

Without pyspark the tests are skipped; with SQLRP_REQUIRE_ENGINES=1 they fail.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from helpers import METHODS, assert_close, assert_one_line, cells, exact, magnitude, oracle
from test_bench import CASES, runs
from test_engines import HOSTILE, exact_signs, some_rows
from test_methods import GROUPED, INDEXED
from test_methods import METHODS as EVERY_METHOD
from test_methods import X as ROWS

import sqlrp
from sqlrp import Array, Long, PolynomialKernelProjection, Projection, SourceError, SparseProjection, Wide
from sqlrp.engines import ENGINES
from sqlrp.errors import UnsupportedError
from sqlrp.evaluate import evaluate
from sqlrp.layouts import Source
from sqlrp.signs import hash_name

if os.environ.get("SQLRP_REQUIRE_ENGINES") != "1":
    pytest.importorskip("pyspark", reason="pyspark is not installed")

LOWERINGS = ("inline", "indexed", "relational")


def started(master: str) -> Any:
    from pyspark.sql import SparkSession

    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "OFF",
        "spark.sql.adaptive.enabled": "false",  # which plans every stage of a small query anew
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    session = started("local[2]")
    yield session
    session.stop()


def load(
    spark: Any, layout: str, rows: Sequence[Sequence[Any]], kind: Any = None, ids: Sequence[int] | None = None
) -> Source:
    """A view of the rows in the layout, and the source that reads it."""
    kind, ids = kind or pa.float64(), list(range(len(rows)) if ids is None else ids)
    number = pa.array(ids, pa.int64())
    if layout == "wide":
        columns = {f"f{j}": pa.array([row[j] for row in rows], kind) for j in range(len(rows[0]))}
        show(spark, "t", {"id": number, **columns})
        return Wide("t")
    if layout == "array":
        show(spark, "t", {"id": number, "x": pa.array([list(row) for row in rows], pa.list_(kind))})
        return Array("t", "x")
    found = [(i, j, v) for i, row in zip(ids, rows, strict=True) for j, v in enumerate(row) if j == 0 or v != 0]
    key, feature, value = zip(*found, strict=True)
    types = {"id": pa.array(key, pa.int64()), "feature": pa.array(feature, pa.int32()), "value": pa.array(value, kind)}
    show(spark, "t", types)
    return Long("t", n_features=len(rows[0]))


def show(spark: Any, name: str, columns: dict[str, Any]) -> None:
    spark.createDataFrame(pa.table(columns)).createOrReplaceTempView(ENGINES["spark"].quote(name))


def projected(spark: Any, projection: Projection, source: Any, output: str = "columns", **options: Any) -> Any:
    result = sqlrp.project(projection, source, spark, output=output, **options)  # type: ignore[arg-type]
    return cells(result.toArrow(), output, projection.k)


def holding(method: str, layout: str) -> list[str]:
    kernel = method in METHODS  # signed sums and products of them
    return [
        name
        for name in LOWERINGS
        if (name == "relational" or layout != "long") and (name != "indexed" or kernel or method in INDEXED)
    ]


# Every method, every pair of a layout and a lowering, but not each with each: a query takes half a second or more.
COMBINATIONS = [
    (method, layout, lowering, bool(i % 2))
    for i, method in enumerate({**METHODS, **EVERY_METHOD})
    for layout in (("wide", "array", "long")[i % 3],)
    for lowering in holding(method, layout)
]


@pytest.mark.parametrize(("method", "layout", "lowering", "scale"), COMBINATIONS)
def test_contract(spark: Any, method: str, layout: str, lowering: str, scale: bool) -> None:
    projection = {**METHODS, **EVERY_METHOD}[method]
    source = load(spark, layout, ROWS.tolist())
    output = ("columns", "array", "long")[len(method + layout) % 3]
    want = oracle(projection, ROWS, scale)
    got = projected(spark, projection, source, output, lowering=lowering, scale=scale)
    assert_close(got, want, np.full(len(ROWS), np.abs(want).max()))


@pytest.mark.parametrize("layout", ["wide", "array", "long"])
@pytest.mark.parametrize("lowering", LOWERINGS)
def test_outputs(spark: Any, layout: str, lowering: str) -> None:
    source = load(spark, layout, ROWS.tolist())
    if layout == "long" and lowering != "relational":
        with pytest.raises(UnsupportedError, match="long rows"):
            sqlrp.project(METHODS["linear"], source, spark, lowering=lowering)
        return
    for output in ("columns", "array", "long"):
        got = projected(spark, METHODS["linear"], source, output, lowering=lowering)
        assert_close(got, oracle(METHODS["linear"], ROWS), magnitude(METHODS["linear"], ROWS))


@pytest.mark.parametrize("method", GROUPED)
@pytest.mark.parametrize("lowering", ["inline", "relational"])
def test_groups(spark: Any, method: str, lowering: str) -> None:
    projection, groups = GROUPED[method], np.repeat(np.arange(3), 5)[: len(ROWS)]
    source = load(spark, "wide", ROWS.tolist(), ids=groups.tolist())
    want = evaluate(projection.stages(ROWS.shape[1]), ROWS, np.arange(ROWS.shape[1]), groups)
    want = want * projection.factor(ROWS.shape[1])
    assert_close(projected(spark, projection, source, lowering=lowering), want, np.full(3, np.abs(want).max()))


def test_the_result_is_lazy(spark: Any) -> None:
    from pyspark.sql import DataFrame

    source = load(spark, "wide", [[1.0, None]])
    result = sqlrp.project(METHODS["linear"], source, spark, nulls="error")
    assert isinstance(result, DataFrame)
    with pytest.raises(Exception, match="sqlrp: a feature is NULL and nulls = 'error': clean the row"):
        result.collect()


def test_drawn_signs_are_numpy_s(spark: Any) -> None:
    d, k = 23, 19
    source = load(spark, "long", np.eye(d, dtype=int).tolist(), pa.int64())
    for seed in range(10):
        projection = SparseProjection(k=k, s=3 if seed % 2 else 1, seed=seed * 12345678901)
        got = projected(spark, projection, source, "array", scale=False)
        assert np.array_equal(np.array([got[i] for i in range(d)]), exact_signs(projection, d)), seed


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.int64()])
@pytest.mark.parametrize("layout", ["wide", "array", "long"])
def test_integers_are_exact(spark: Any, layout: str, kind: Any) -> None:
    top = 2 ** (kind.bit_width - 1) - 1
    rows = [[top, top - 1, top], [-top, top, -top], [1, 0, -top], [0, 0, 0]]
    source = load(spark, layout, rows, kind)
    projections: list[Projection] = [SparseProjection(k=5, s=1, seed=3)]
    if kind != pa.int64():  # whose products are taken in DOUBLE
        projections += [PolynomialKernelProjection(k=3, s=1, degree=2, t=2, c=4, seed=1)]
    for projection in projections:
        want = oracle(projection, exact(rows), scale=False)
        for lowering in LOWERINGS if layout != "long" else ("relational",):
            got = projected(spark, projection, source, scale=False, lowering=lowering)
            if isinstance(projection, PolynomialKernelProjection) and kind == pa.int32():  # beyond 63 bits: DOUBLE
                assert_close(got, want.astype(float), magnitude(projection, exact(rows), scale=False))
            else:
                assert got == {i: list(row) for i, row in enumerate(want)}, lowering


@pytest.mark.parametrize("layout", ["wide", "array", "long"])
def test_nulls(spark: Any, layout: str) -> None:
    x = some_rows()
    rows: list[list[Any]] = x.tolist()
    rows[1][0] = rows[6][8] = None
    rows[3] = [None] * 9
    x[1, 0] = x[6, 8] = x[3] = 0
    null = np.isin(np.arange(8), [1, 3, 6])
    source = load(spark, layout, rows)
    projection = METHODS["degree3-c"]
    for lowering in LOWERINGS if layout != "long" else ("relational",):
        for nulls, output in (("propagate", "array"), ("propagate", "columns"), ("zero", "columns")):
            got = projected(spark, projection, source, output, nulls=nulls, lowering=lowering)
            assert_close(
                got, oracle(projection, x), magnitude(projection, x), null=null if nulls == "propagate" else None
            )
        with pytest.raises(Exception, match="nulls = 'error'"):
            projected(spark, projection, source, nulls="error", lowering=lowering)


@pytest.mark.parametrize("method", ["linear", "degree2"])
def test_nan_and_infinity(spark: Any, method: str) -> None:
    projection = METHODS[method]
    x = np.array([[np.inf, 1.0, 0], [1.0, np.nan, 2], [-np.inf, np.inf, 1], [1.0, 2.0, 3]])
    with np.errstate(all="ignore"):
        want, row_scale = oracle(projection, x), magnitude(projection, x)
    source = load(spark, "wide", x.tolist())
    for lowering in LOWERINGS:
        assert_close(projected(spark, projection, source, lowering=lowering), want, row_scale)


def test_hostile_names(spark: Any) -> None:
    x = some_rows(len(HOSTILE), 4)
    columns = {name: pa.array(x[:, j]) for j, name in enumerate(HOSTILE)}
    show(
        spark,
        "tab`le ';",
        {"key; '": pa.array(range(4)), **columns, "keep %d\\": pa.array([f"k{i}" for i in range(4)])},
    )
    source = Wide('"tab`le \';"', key="key; '", keep=["keep %d\\"])
    for lowering in LOWERINGS:
        result = sqlrp.project(METHODS["linear"], source, spark, lowering=lowering).toArrow()
        got = cells(result, "columns", METHODS["linear"].k, "key; '")
        assert_close(got, oracle(METHODS["linear"], x), magnitude(METHODS["linear"], x))
        assert result.column("keep %d\\").to_pylist() == [f"k{i}" for i in result.column("key; '").to_pylist()]


def test_text_features_are_hashed(spark: Any) -> None:
    words = ["cat", "Cat", "dög", "", " ", "x" * 60]
    x = some_rows(len(words), 5)
    cells_ = [(i, w, float(x[i, j])) for i in range(5) for j, w in enumerate(words)]
    names = ("id", "feature", "value")
    show(spark, "t", {n: pa.array(list(c)) for n, c in zip(names, zip(*cells_, strict=True), strict=True)})
    numbers = np.array([hash_name(w) for w in words], dtype=np.int64)
    got = projected(spark, METHODS["linear"], Long("t"))
    assert_close(got, oracle(METHODS["linear"], x, features=numbers), magnitude(METHODS["linear"], x, features=numbers))


def test_a_sample_is_every_engine_s(spark: Any) -> None:
    source = load(spark, "wide", ROWS.tolist())
    frame = pa.table({"id": range(len(ROWS)), **{f"f{j}": ROWS[:, j] for j in range(ROWS.shape[1])}})
    method = sqlrp.PrincipalComponents(k=3, sample=8, seed=1)
    import duckdb

    with duckdb.connect() as con:
        con.register("t", frame)
        assert sqlrp.fit(method, source, spark) == sqlrp.fit(method, "t", con)


def test_rows_without_a_key_stay_whole(spark: Any) -> None:
    x = np.random.default_rng(4).normal(size=(300, 4))
    columns = {f"f{j}": pa.array(x[:, j]) for j in range(4)}
    frame = spark.createDataFrame(pa.table({"label": pa.array(range(300)), **columns}))
    frame.repartition(5).createOrReplaceTempView("t")
    source = Wide("t", key=None, keep=["label"])
    for lowering in LOWERINGS:
        result = sqlrp.project(METHODS["degree2"], source, spark, lowering=lowering).toArrow()
        got = cells(result, "columns", METHODS["degree2"].k, "label")
        assert_close(got, oracle(METHODS["degree2"], x), magnitude(METHODS["degree2"], x))


def test_refusals(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    source = load(spark, "wide", ROWS.tolist())
    monkeypatch.setattr(type(ENGINES["spark"]), "limits", replace(ENGINES["spark"].limits, terms=10))
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.project(METHODS["linear"], source, spark, lowering="inline")
    assert_one_line(caught, "spark has no temporary tables")
    assert sqlrp.explain(METHODS["linear"], source, spark).lowering == "indexed"
    with pytest.raises(UnsupportedError, match="spark reads no files"):
        sqlrp.project(METHODS["linear"], "t.parquet", spark)
    with pytest.raises(SourceError) as missing:
        sqlrp.project(METHODS["linear"], "no_such", spark)
    assert_one_line(missing, "no_such", "cannot be read")
    with pytest.raises(Exception, match="positions count from 0"):
        projected(spark, METHODS["linear"], replace(load(spark, "long", ROWS.tolist()), n_features=8))
    show(spark, "t", {"id": pa.array([0, 1]), "x": pa.array([[1.0, 2.0], [1.0]])})
    with pytest.raises(Exception, match="a list in 'x' has not the 2 elements of the others"):
        projected(spark, METHODS["linear"], Array("t", "x"))


def test_a_cluster_writes_the_result(spark: Any, tmp_path: Path) -> None:
    # Last, as it ends the session of the others: two workers of one core each, and none but they read the rows.
    spark.stop()
    cluster = started("local-cluster[2,1,1024]")
    try:
        source = load(cluster, "wide", ROWS.tolist())
        sqlrp.project(METHODS["degree2"], source, cluster).write.parquet(str(tmp_path / "z"))
        got = cells(cluster.read.parquet(str(tmp_path / "z")).toArrow(), "columns", METHODS["degree2"].k)
        assert_close(got, oracle(METHODS["degree2"], ROWS), magnitude(METHODS["degree2"], ROWS))
    finally:
        cluster.stop()


def test_the_benchmark_s_case(spark: Any, tmp_path: Path) -> None:
    runs(CASES["spark"], tmp_path)
