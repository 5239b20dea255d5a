"""The native lowering on Spark, whose workers have numpy and pyarrow alone: the results of plain SQL, as lazy.

`test_worker_task.py` runs the contract on the same code without Spark, which takes a second for each of its jobs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cases import EVERY, GROUPED, HOSTILE, some_rows
from cases import X as ROWS
from evaluate import evaluate
from helpers import METHODS, OUTPUTS, assert_close, assert_one_line, cells, magnitude, oracle
from sklearn.linear_model import Ridge, RidgeClassifier
from sparks import load, show, started

import sqlrp
from sqlrp import Array, Long, SparseProjection, Standardized, Wide
from sqlrp._core.errors import UnsupportedError
from sqlrp._evaluator.row_keys import fold_of


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from bare_python import bare_python

    session = started("local[2]", python=bare_python(tmp_path_factory.mktemp("worker")))
    yield session
    session.stop()


def test_workers_have_numpy_and_pyarrow_alone(spark: Any) -> None:
    def look(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from importlib.util import find_spec

        names = [name for name in ("sqlrp", "pandas", "scipy", "numpy", "pyarrow") if find_spec(name)]
        yield pa.record_batch({"name": pa.array(names)})

    assert [name for (name,) in spark.range(1).coalesce(1).mapInArrow(look, "name string").collect()] == [
        "numpy",
        "pyarrow",
    ]


@pytest.mark.parametrize("layout", ["wide", "array", "long"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_the_same_as_plain_sql(spark: Any, layout: str, output: str) -> None:
    source, projection = load(spark, layout, ROWS.tolist()), METHODS["degree3-c"]
    plain, native = (
        sqlrp.project(projection, source, spark, output=output, lowering=lowering)  # type: ignore[arg-type]
        for lowering in ("sql", "native")
    )
    assert native.schema.simpleString() == plain.schema.simpleString()
    found = native.toArrow()
    got = cells(found, output, projection.k, sparse=layout == "long")
    assert_close(got, oracle(projection, ROWS), magnitude(projection, ROWS))
    if layout == output == "long":
        assert found.num_rows == sum(1 for row in got.values() for c, z in enumerate(row) if c == 0 or z != 0)


def test_types(spark: Any) -> None:
    holes = [[1, None], [3, -4], [5, 6]]
    for kind, said in (("tinyint", "int"), ("bigint", "decimal(38,0)"), ("decimal(9,3)", "decimal(38,3)")):
        for layout in ("wide", "array"):
            load(spark, layout, holes, pa.int64(), table="whole")
            cast = f"CAST(x AS ARRAY<{kind}>) AS x"
            cast = cast if layout == "array" else f"CAST(f0 AS {kind}) AS f0, CAST(f1 AS {kind}) AS f1"
            spark.sql(f"SELECT id, {cast} FROM whole").createOrReplaceTempView("t")
            source = Array("t", "x") if layout == "array" else Wide("t")
            projection = SparseProjection(k=2, s=1, seed=1)
            options: dict[str, Any] = {"scale": False, "output": "array", "nulls": "zero"}
            if kind == "bigint":
                with pytest.raises(UnsupportedError) as caught:
                    sqlrp.project(projection, source, spark, lowering="native", **options)
                assert_one_line(caught, "more than 63", "use lowering = 'auto'")
                continue
            plain, native = (
                sqlrp.project(projection, source, spark, lowering=lowering, **options) for lowering in ("sql", "native")
            )
            assert native.schema["z"].dataType.simpleString() == f"array<{said}>"
            assert native.schema.simpleString() == plain.schema.simpleString()
            if layout == "wide" or kind != "tinyint":
                assert sorted(native.collect()) == sorted(plain.collect())


@pytest.mark.parametrize("layout", ["wide", "array", "long"])
def test_null(spark: Any, layout: str) -> None:
    projection, rows = METHODS["linear"], [[1.0, 2.0, 3.0], [4.0, None, 6.0], [7.0, 8.0, 9.0]]
    source = load(spark, layout, rows)
    x = np.array([[v or 0.0 for v in row] for row in rows])
    for nulls, null in (("propagate", np.array([False, layout != "long" or True, False])), ("zero", None)):
        result = sqlrp.project(projection, source, spark, output="array", nulls=nulls, lowering="native")  # type: ignore[arg-type]
        assert_close(
            cells(result.toArrow(), "array", projection.k), oracle(projection, x), magnitude(projection, x), null=null
        )
    result = sqlrp.project(projection, source, spark, nulls="error", lowering="native")  # nothing is computed yet
    with pytest.raises(Exception, match=r"sqlrp: a feature is NULL and nulls = 'error'.*: clean the row"):
        result.collect()


@pytest.mark.parametrize("method", GROUPED)
def test_groups_in_many_partitions(spark: Any, method: str) -> None:
    projection, groups = GROUPED[method], np.arange(len(ROWS)) % 5
    load(spark, "wide", ROWS.tolist(), ids=groups.tolist(), table="whole")
    spark.table("whole").repartition(3).createOrReplaceTempView("t")
    result = sqlrp.project(projection, "t", spark, lowering="native")
    want = evaluate(projection.stages(ROWS.shape[1]), ROWS, np.arange(ROWS.shape[1]), groups)
    want = want * projection.factor(ROWS.shape[1])
    got = cells(result.toArrow(), "columns", projection.k)
    assert_close(got, want, np.full(5, np.abs(want).max()))


def test_hostile_names_and_what_is_kept(spark: Any) -> None:
    x, projection = some_rows(len(HOSTILE), 4), METHODS["linear"]
    kept: dict[str, Any] = {
        "keep %d\\": pa.array([f"k{i}" for i in range(4)]),
        "time": pa.array([0, 1, None, 3], pa.timestamp("us", "UTC")),
        "list": pa.array([["a"], [], None, [None, "b"]]),
        "decimal": pa.array([1, 2, 3, None], pa.decimal128(20, 2)),
    }
    columns = {name: pa.array(x[:, j]) for j, name in enumerate(HOSTILE)}
    show(spark, "tab`le ';", {"key; '": pa.array(range(4)), **columns, **kept})
    source = Wide('"tab`le \';"', key="key; '", keep=list(kept), features=HOSTILE)
    plain, native = (sqlrp.project(projection, source, spark, lowering=each) for each in ("sql", "native"))
    assert native.schema == plain.schema
    found = native.toArrow()
    assert_close(cells(found, "columns", projection.k, "key; '"), oracle(projection, x), magnitude(projection, x))
    same = plain.toArrow().sort_by("key; '").select(list(kept))
    assert found.sort_by("key; '").select(list(kept)).equals(same)


def test_what_does_not_pass_is_left_to_sql(spark: Any) -> None:
    load(spark, "wide", ROWS.tolist(), table="whole")
    spark.sql("SELECT *, make_interval(1) AS span FROM whole").createOrReplaceTempView("t")
    source = Wide("t", keep=["span"])
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.project(METHODS["linear"], source, spark, lowering="native")
    assert_one_line(caught, "'span' is interval", "does not pass through Arrow")
    assert sqlrp.explain(METHODS["linear"], source, spark).lowering != "native"
    with pytest.raises(UnsupportedError):
        sqlrp.sql(METHODS["linear"], "whole", spark, lowering="native")


def test_nothing_is_computed_until_it_is_read(spark: Any) -> None:
    source = load(spark, "wide", ROWS.tolist())
    spark.sparkContext.setJobGroup("lazy", "lazy")
    result = sqlrp.project(METHODS["linear"], source, spark, lowering="native").filter("id = 3").select("z0")
    assert not spark.sparkContext.statusTracker().getJobIdsForGroup("lazy")
    assert result.count() == 1
    assert spark.sparkContext.statusTracker().getJobIdsForGroup("lazy")


def test_standardized(spark: Any) -> None:
    projection, source = METHODS["linear"], Standardized(load(spark, "long", ROWS.tolist()), "l2")
    x = ROWS / np.linalg.norm(ROWS, axis=1, keepdims=True)
    got = cells(
        sqlrp.project(projection, source, spark, output="array", lowering="native").toArrow(), "array", projection.k
    )
    assert_close(got, oracle(projection, x), np.full(len(x), 1.0))


def test_many_cells_of_a_key(spark: Any) -> None:
    """Keys that are in several partitions and batches meet, and are not cut."""
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "64")
    try:
        spark.sql(
            "SELECT id % 37 AS id, CAST(id div 37 AS INT) AS feature, CAST(hash(id) % 1000 AS INT) AS value "
            "FROM range(0, 37 * 300, 1, 4)"
        ).createOrReplaceTempView("t")
        projection, x = SparseProjection(k=5, s=2, seed=3), np.zeros((37, 300))
        for cell in spark.table("t").toArrow().to_pylist():
            x[cell["id"], cell["feature"]] = cell["value"]
        source = Long("t", n_features=300)
        result = sqlrp.project(projection, source, spark, output="array", scale=False, lowering="native").toArrow()
        assert dict(zip(*(result.column(n).to_pylist() for n in ("id", "z")), strict=True)) == dict(
            enumerate(oracle(projection, x, scale=False).astype(int).tolist())
        )
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def test_the_planner_s_choice(spark: Any) -> None:
    spark.range(3).selectExpr("id", "transform(sequence(1, 784), i -> rand()) AS x").createOrReplaceTempView("t")
    source = Array("t", "x")
    said = str(sqlrp.explain(SparseProjection(k=256), source, spark))
    assert "lowering  native: the fastest estimate" in said
    assert "natively by the engine's workers, in batches" in said
    for lowering in ("sql", "indexed"):
        assert "workers" not in str(sqlrp.explain(SparseProjection(k=256), source, spark, lowering=lowering))
    assert "native" in {
        e.lowering for e in sqlrp.explain(EVERY["pca"], load(spark, "wide", ROWS.tolist()), spark).plan.estimates
    }


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_workers_add_up_what_has_drifted(spark: Any, layout: str) -> None:
    """The statistic of each group is that of the rows that this process projects; the text gives that of all rows."""
    projection = SparseProjection(k=3, s=1, seed=1)
    source, days = load(spark, layout, ROWS.tolist(), table="drifted"), np.arange(len(ROWS)) % 2
    number = pa.array(range(len(ROWS)), pa.int64())
    show(spark, "days", {"id": number, "day": pa.array([["2026-01-02", "2026-01-03"][day] for day in days])})
    found = sqlrp.drift(projection, source, source, spark, by="day", labels="days")
    assert "workers" in found.how
    z = np.asarray(oracle(projection, ROWS), dtype=np.float64)
    for day, group in enumerate(found.groups):
        own = z[days == day]
        both, gap = [z - z.mean(axis=0), own - own.mean(axis=0)], own.mean(axis=0) - z.mean(axis=0)
        freedom = len(z) + len(own) - 2
        pooled = sum(part.T @ part for part in both) / freedom
        statistic = gap @ np.linalg.solve(pooled, gap) * len(z) * len(own) / (len(z) + len(own))
        assert group.name == f"2026-01-0{day + 2}"
        assert group.compared is not None
        assert group.compared.statistic == pytest.approx(statistic, rel=1e-7)
    (row,) = spark.sql(sqlrp.drift_sql(found, source, spark)).collect()
    assert row["statistic"] == pytest.approx(0, abs=1e-9)
    assert row["drifted"] == 0


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_workers_add_up_what_a_model_is_learnt_from(spark: Any, layout: str) -> None:
    """Each worker sums its part, and counts the rows that the folds' models classify correctly."""
    projection, label = METHODS["degree2"], np.arange(len(ROWS)) % 3
    labels = ["a", "b", "c"]
    source = load(spark, layout, ROWS.tolist(), table="learnt")
    number = pa.array(range(len(ROWS)), pa.int64())
    show(spark, "labels", {"id": number, "label": pa.array([labels[i] for i in label]), "v": pa.array(ROWS[:, 0])})
    z = np.asarray(oracle(projection, ROWS), dtype=np.float64)
    named = np.array(labels)[label]
    model = sqlrp.learn(projection, source, spark, ridge=5.0, folds=2, labels="labels")
    assert "workers" in model.how
    want = RidgeClassifier(alpha=5.0).fit(z, named)
    assert np.allclose(model.coef_, want.coef_, rtol=1e-8, atol=1e-8 * np.abs(want.coef_).max())
    fold = fold_of(pa.chunked_array([number]), 2, 0)
    for found in model.scores:
        again = RidgeClassifier(alpha=5.0).fit(z[fold != found.fold], named[fold != found.fold])
        assert found.score == again.score(z[fold == found.fold], named[fold == found.fold])
    signs = np.where(named[:, None] == np.array(labels), 1.0, -1.0)
    moved = signs * np.maximum(1, signs * want.decision_function(z))
    model = sqlrp.learn(projection, source, spark, ridge=5.0, labels="labels", passes=2)
    want = Ridge(alpha=5.0).fit(z, moved)
    assert "workers" in model.how
    assert np.allclose(model.coef_, want.coef_, rtol=1e-8, atol=1e-8 * np.abs(want.coef_).max())
    assert np.allclose(model.intercept_, want.intercept_, rtol=1e-7)
    if layout == "wide":
        value = sqlrp.learn(projection, source, spark, "v", labels="labels", lowering="sql")
        assert "only the sums leave it" in value.how
        assert np.allclose(value.coef_, Ridge().fit(z, ROWS[:, 0]).coef_, rtol=1e-7)
