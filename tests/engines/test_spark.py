"""The contract on Spark, whose results are lazy DataFrames: the numpy oracle, NULLs, names, refusals.

Without pyspark the tests are skipped; with SQLRP_REQUIRE_ENGINES=1 they fail.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benched import CASES, runs
from cases import GROUPED, HOSTILE, contract, exact_signs, some_rows
from cases import X as ROWS
from contract import stored
from cover import factors, pairwise
from evaluate import evaluate
from faults import Watch, watching
from helpers import METHODS, assert_close, assert_one_line, assert_same, cells, exact, magnitude, oracle
from pages import EXAMPLES, check
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler
from sklearn.svm import LinearSVC
from sparks import ContractRows, in_one_part, interpreting, load, needs_spark, projected, show

import sqlrp
from sqlrp import (
    Array,
    Join,
    Long,
    PolynomialKernelProjection,
    Projection,
    SourceError,
    SparseProjection,
    Standardized,
    Wide,
)
from sqlrp._core.draw import hash_name
from sqlrp._core.errors import ParameterError, SqlrpError, UnreachableError, UnsupportedError
from sqlrp._core.script import Setup
from sqlrp._engines.registry import ENGINES, connector_of
from sqlrp._run.frames.matrix import project_array

needs_spark()

LOWERINGS = ("inline", "indexed", "relational")
LONG = ("indexed", "relational")


@pytest.fixture(scope="module")
def rows(spark: Any) -> ContractRows:
    return ContractRows(spark, in_one=True)


# Each method twice: Sail, which is faster, meets each with every other value, of text that differs in a few words.
@pairwise(replace(contract("spark"), twice="method"))
def test_contract(
    rows: ContractRows,
    request: pytest.FixtureRequest,
    engine: str,
    method: str,
    lowering: str,
    layout: str,
    output: str,
    nulls: str,
    kind: str,
    scale: bool,
) -> None:
    # To compile what differs in numbers alone takes long, and other tests compile the aggregates of long rows.
    if lowering == "relational" or layout == "long" or method not in METHODS:
        request.getfixturevalue("interpreted")
    rows.check(method, layout, kind, nulls, scale, output=output, lowering=lowering)


@pytest.mark.parametrize("lowering", [*LOWERINGS, "native"])
def test_bits(spark: Any, interpreted: None, lowering: str) -> None:
    projection = SparseProjection(k=130, s=2, seed=3)
    source = load(spark, "wide", stored("integer", True), pa.int32())
    result = sqlrp.project(projection, source, spark, output="bits", lowering=lowering)
    assert [field.simpleString() for field in result.schema.fields[1:]] == ["b0:bigint", "b1:bigint", "b2:bigint"]
    frame = pd.DataFrame(stored("integer", True), columns=[f"f{j}" for j in range(ROWS.shape[1])])
    want = sqlrp.project(projection, frame.astype("Int32"), output="bits", key=None)
    rows = sorted(result.collect(), key=lambda row: row["id"])
    for name in ("b0", "b1", "b2"):
        words = [None if row is pd.NA else int(row) for row in want[name]]
        assert [row[name] for row in rows] == words


@pytest.mark.parametrize("lowering", ["inline", "relational"])
def test_statistics(spark: Any, interpreted: None, lowering: str) -> None:
    projection, x = METHODS["linear"], ROWS + 100
    scaled = (x - x.mean(axis=0)) / np.where(x.std(axis=0) < 1e-9, 1, x.std(axis=0))
    got = projected(spark, projection, Standardized(load(spark, "wide", x.tolist())), lowering=lowering)
    assert_close(got, oracle(projection, scaled), magnitude(projection, scaled), rtol=1e-8)
    idf = np.log((1 + len(ROWS)) / (1 + np.count_nonzero(ROWS, axis=0))) + 1
    norms = np.linalg.norm(ROWS * idf, axis=1, keepdims=True)
    weighted = ROWS * idf / np.where(norms == 0, 1, norms)
    got = projected(spark, projection, Standardized(load(spark, "long", ROWS.tolist()), "tfidf"))
    assert_close(got, oracle(projection, weighted), np.full(len(ROWS), 1.0))


@pytest.mark.parametrize("lowering", ["inline", "relational"])
def test_a_whole_pipeline(spark: Any, interpreted: None, lowering: str) -> None:
    """Scaled rows, a projection, its components scaled and divided by their norm, and a calibrated classifier."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, ROWS.shape[1]))
    model = make_pipeline(
        StandardScaler(),
        PCA(3, random_state=0),
        MinMaxScaler(),
        Normalizer(),
        CalibratedClassifierCV(LinearSVC(random_state=0), cv=2),
    ).fit(x, (x[:, 0] + 2 * x[:, 1] > 0) + (x[:, 2] > 1))
    got = (
        sqlrp.score(model, load(spark, "wide", x[:12].tolist()), spark, lowering=lowering).toPandas().sort_values("id")
    )
    assert got["class"].tolist() == model.predict(x[:12]).tolist()
    assert np.abs(got.filter(like="probability").to_numpy() - model.predict_proba(x[:12])).max() <= 1e-9


@pytest.mark.parametrize("lowering", ["inline", "relational"])
def test_a_join(spark: Any, interpreted: None, lowering: str) -> None:
    rng, projection = np.random.default_rng(1), METHODS["degree2"]
    buyer, good, buyers, goods = (
        rng.integers(0, 3, 6),
        rng.integers(0, 2, 6),
        rng.normal(size=(3, 4)),
        rng.normal(size=(2, 3)),
    )
    show(spark, "fact", {"id": list(range(6)), "buyer": buyer.tolist(), "good": [None, *good[1:].tolist()]})
    for table, values in (("buyers", buyers), ("goods", goods)):
        columns = {f"{table[0]}{j}": pa.array(values[:, j]) for j in range(values.shape[1])}
        show(spark, table, {"id": list(range(len(values))), **columns})
    joined = np.hstack([buyers[buyer], goods[good]])
    got = projected(
        spark, projection, Join(Wide("fact"), {"buyer": Wide("buyers"), "good": Wide("goods")}), lowering=lowering
    )
    assert_close(got, oracle(projection, joined), magnitude(projection, joined), null=np.arange(6) == 0)


@pytest.mark.parametrize(
    ("method", "lowering"), list(zip(GROUPED, itertools.cycle(["inline", "relational"]), strict=False))
)
def test_groups(spark: Any, interpreted: None, method: str, lowering: str) -> None:
    projection, groups = GROUPED[method], np.repeat(np.arange(3), 5)[: len(ROWS)]
    source = load(spark, "wide", ROWS.tolist(), ids=groups.tolist())
    want = evaluate(projection.stages(ROWS.shape[1]), ROWS, np.arange(ROWS.shape[1]), groups)
    want = want * projection.factor(ROWS.shape[1])
    assert_close(projected(spark, projection, source, lowering=lowering), want, np.full(3, np.abs(want).max()))


@pytest.mark.parametrize("lowering", ["inline", "relational"])
def test_groups_of_the_largest_integers(spark: Any, interpreted: None, lowering: str) -> None:
    low = -(2**31)
    source = load(spark, "wide", [[low, 1]] * 4, pa.int32(), ids=[0, 0, 1, 1])
    projection = sqlrp.FullBilinearPooling(k=4, normalise=False)
    got = projected(spark, projection, source, scale=False, lowering=lowering)
    assert got == {i: [2 * low * low, 2 * low, 2 * low, 2] for i in (0, 1)}


@pytest.mark.parametrize(
    ("lowering", "layout", "output"),
    [
        ("inline", "wide", "columns"),
        ("indexed", "array", "vector"),
        ("relational", "wide", "vector"),
        ("indexed", "long", "long"),
        ("native", "array", "vector"),
        ("native", "wide", "array"),
    ],
)
def test_floats_of_32_bits(spark: Any, interpreted: None, lowering: str, layout: str, output: Any) -> None:
    projection, x = METHODS["degree3-c"], some_rows()
    source = load(spark, layout, x.tolist())
    options = {} if output == "vector" else {"dtype": "float32"}
    found = sqlrp.project(projection, source, spark, output=output, lowering=lowering, **options).toArrow()
    kind = found.schema.types[-1]
    assert (kind.value_type if output in ("array", "vector") else kind) == pa.float32()
    shape = "array" if output == "vector" else output
    rows = cells(found, shape, projection.k, sparse=layout == "long")
    assert_close(rows, oracle(projection, x), magnitude(projection, x), rtol=2.0**-22)


@pytest.mark.parametrize(("ansi", "columns"), [("true", ["x", "y"]), ("false", ["x"])], ids=str)
def test_a_missing_array_makes_a_row_null(spark: Any, interpreted: None, ansi: str, columns: list[str]) -> None:
    """Without ANSI mode, the size of NULL is -1, which is no other length. Databricks' text runs on Spark as it is."""
    x = [[1.0, 2.0], None, [3.0, None], [5.0, 6.0]]
    arrays = {name: pa.array(x, pa.list_(pa.float64())) for name in columns}
    show(spark, "holes", {"id": pa.array(range(4)), **arrays})
    source = Array("holes", columns, key="id", n_features=2 if len(columns) == 1 else None)
    projection = METHODS["linear"]
    rows = np.array([[1.0, 2.0] * len(columns), [5.0, 6.0] * len(columns)])
    want = oracle(projection, rows)
    before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        for lowering in (*LOWERINGS, "native"):
            got = projected(spark, projection, source, "array", lowering=lowering)
            assert got[1] == got[2] == [None] * projection.k, lowering
            assert_close({0: got[0], 1: got[3]}, want, magnitude(projection, rows))
            short = {"id": pa.array([0, 1]), **{name: pa.array([[1.0], [1.0, 2.0]]) for name in columns}}
            show(spark, "short", short)
            odd = Array("short", columns, key="id", n_features=[2] * len(columns) if len(columns) > 1 else 2)
            with pytest.raises(Exception, match="has not the 2 elements of the others"):
                projected(spark, projection, odd, "array", lowering=lowering)
        named = replace(source, n_features=[2] * len(columns) if len(columns) > 1 else 2)
        text = sqlrp.sql(projection, named, "databricks", output="array", lowering="inline")
        got = {row["id"]: row["z"] for row in spark.sql(text).toArrow().to_pylist()}
        assert got[1] is None
        assert_close({0: got[0], 1: got[3]}, want, magnitude(projection, rows))
    finally:
        spark.conf.set("spark.sql.ansi.enabled", before)


def test_a_function_by_name(spark: Any) -> None:
    projection, x = METHODS["degree3-c"], some_rows()
    source = load(spark, "array", x.tolist(), table="docs")
    d = x.shape[1]
    sqlrp.create_function(projection, spark, "docs_rp", n_features=d)
    query = ",".join(repr(float(v)) for v in x[2])
    rows = spark.sql(f"SELECT id, docs_rp(x) AS z, docs_rp(array({query})) AS q FROM {source.table}").toArrow()
    found = cells(rows.select(["id", "z"]), "array", projection.k)
    assert_close(found, oracle(projection, x), magnitude(projection, x))
    assert all(q == found[2] for q in rows.column("q").to_pylist())
    other = METHODS["linear"]
    with pytest.raises(ParameterError) as caught:
        sqlrp.create_function(other, spark, "docs_rp", n_features=d)
    assert_one_line(caught, "docs_rp", "replace=True")
    sqlrp.create_function(other, spark, "docs_rp", n_features=d, returns="vector", replace=True)
    (again,) = spark.sql(f"SELECT docs_rp(x) AS z FROM {source.table} WHERE id = 1").toArrow().column("z")
    assert np.allclose(again.as_py(), oracle(other, x)[1], rtol=1e-6, atol=1e-6)
    sqlrp.drop_function(spark, "docs_rp")
    assert not spark.catalog.functionExists("docs_rp")


def test_the_result_is_lazy(spark: Any) -> None:
    from pyspark.sql import DataFrame

    source = load(spark, "wide", [[1.0, None]])
    result = sqlrp.project(METHODS["linear"], source, spark, nulls="error")
    assert isinstance(result, DataFrame)
    with pytest.raises(Exception, match=r"sqlrp: a feature is NULL and nulls = 'error'.*: clean the row"):
        result.collect()


def test_drawn_signs_are_numpy_s(spark: Any, interpreted: None) -> None:
    d, k = 23, 19
    source = load(spark, "long", np.eye(d, dtype=int).tolist(), pa.int64())
    for seed in range(4):  # both numbers of s, with both lowerings
        projection = SparseProjection(k=k, s=3 if seed % 2 else 1, seed=seed * 98765432109876)
        got = projected(spark, projection, source, "array", scale=False, lowering=LONG[seed // 2 % 2])
        assert np.array_equal(np.array([got[i] for i in range(d)]), exact_signs(projection, d)), seed


@pairwise(
    factors(
        lambda kind, method, layout, lowering, **_: (
            (method == "linear" or kind != pa.int64())  # whose products are taken in DOUBLE
            and (layout != "long" or lowering in LONG)
        ),
        kind=[pa.int8(), pa.int32(), pa.int64()],
        method=["linear", "degree2-c"],
        layout=["wide", "array", "long"],
        lowering=LOWERINGS,
    )
)
def test_integers_are_exact(spark: Any, kind: Any, method: str, layout: str, lowering: str) -> None:
    top = 2 ** (kind.bit_width - 1) - 1
    rows = [[top, top - 1, top], [-top, top, -top], [1, 0, -top], [0, 0, 0]]
    source = load(spark, layout, rows, kind)
    projections: dict[str, Projection] = {
        "linear": SparseProjection(k=5, s=1, seed=3),
        "degree2-c": PolynomialKernelProjection(k=3, s=1, degree=2, t=2, c=4, seed=1),
    }
    want = oracle(projections[method], exact(rows), scale=False)
    got = projected(spark, projections[method], source, scale=False, lowering=lowering)
    if method == "degree2-c" and kind == pa.int32():  # beyond 63 bits: DOUBLE
        assert_close(got, want.astype(float), magnitude(projections[method], exact(rows), scale=False))
    else:
        assert got == {i: list(row) for i, row in enumerate(want)}


def test_long_rows_with_every_oddity(spark: Any) -> None:
    x = np.array([[np.inf, 1.0, 0], [0, np.nan, 2], [0, 0, 0], [1.5, -2.0, 3]])
    rows = [(i, j, v) for i, row in enumerate(x) for j, v in enumerate(row) if j == 0 or v != 0]
    rows += [(3, 1, -1.0), (None, 2, 1.0)]  # a cell that comes twice is summed; NULL is a key
    key, feature, value = zip(*rows, strict=True)
    show(spark, "t", {"id": pa.array(key), "feature": pa.array(feature), "value": pa.array(value)})
    spark.table("t").repartition(3).createOrReplaceTempView("t")  # the cells of a row are in several parts
    x[3, 1] -= 1
    x = np.vstack([x, [[0, 0, 1.0]]])
    for method in ("linear", "degree3-c"):
        with np.errstate(all="ignore"):
            want, row_scale = oracle(METHODS[method], x), magnitude(METHODS[method], x)
        for lowering in LONG if method == "linear" else LONG[:1]:
            got = projected(spark, METHODS[method], Long("t", n_features=3), "array", lowering=lowering)
            assert_close({4 if key is None else key: row for key, row in got.items()}, want, row_scale)


@pytest.mark.parametrize("lowering", LOWERINGS)
def test_a_filter_over_the_text_is_planned(spark: Any, tmp_path: Path, lowering: str) -> None:
    """Spark puts aliases for columns into what it knows of the rows, in all combinations: some 2^40 where it can."""
    values = np.arange(120.0).reshape(3, 40)
    pq.write_table(pa.table({f"f{j}": values[:, j] for j in range(40)}), tmp_path / "rows.parquet")
    spark.read.parquet(str(tmp_path)).createOrReplaceTempView("constrained")
    text = sqlrp.sql(
        SparseProjection(k=3, s=1, seed=4), Wide("constrained", key=None), spark, output="long", lowering=lowering
    )
    rows = spark.sql(f"SELECT * FROM ({text}) s WHERE value <> 0.5")
    job = ThreadPoolExecutor(1).submit(rows.collect)
    assert len(job.result(timeout=100)) == 9


@pairwise(
    factors(
        lambda layout, lowering, **_: layout != "long" or lowering in LONG,
        layout=["wide", "array", "long"],
        lowering=LOWERINGS,
        output=["columns", "array", "long"],
    )
)
def test_no_function_of_python_s_and_nothing_collected(
    spark: Any, interpreted: None, layout: str, lowering: str, output: Any
) -> None:
    source = load(spark, layout, ROWS.tolist())
    group = f"test {layout} {lowering} {output}"
    spark.sparkContext.setJobGroup(group, group)
    result = sqlrp.project(METHODS["degree2"], source, spark, output=output, lowering=lowering)
    plan = result._jdf.queryExecution().toString()
    assert "Scan" in plan or "LocalTableScan" in plan or "LogicalRDD" in plan
    for foreign in ("Python", "InPandas", "InArrow", "ScalaUDF", "MapPartitions", "MapElements"):
        assert foreign not in plan, f"{foreign}: {plan}"
    # Only the look at an array's length runs anything.
    jobs = spark.sparkContext.statusTracker().getJobIdsForGroup(group)
    assert bool(jobs) == (layout == "array")
    if lowering == "relational":  # rows of a local table may need no job
        result.collect()
        assert len(spark.sparkContext.statusTracker().getJobIdsForGroup(group)) > len(jobs), "jobs are seen"


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
    for lowering in LONG:
        got = projected(spark, METHODS["linear"], Long("t"), lowering=lowering)
        want, row_scale = (f(METHODS["linear"], x, features=numbers) for f in (oracle, magnitude))
        assert_close(got, want, row_scale)


def test_a_sample_is_every_engine_s(spark: Any) -> None:
    source = load(spark, "wide", ROWS.tolist())
    frame = pa.table({"id": range(len(ROWS)), **{f"f{j}": ROWS[:, j] for j in range(ROWS.shape[1])}})
    method = sqlrp.PrincipalComponents(k=3, sample=8, seed=1)
    import duckdb

    with duckdb.connect() as con:
        con.register("t", frame)
        assert sqlrp.fit(method, source, spark) == sqlrp.fit(method, "t", con)


@pytest.mark.parametrize("layout", ["wide", "long", "array"])
@pytest.mark.parametrize("most", [2_000, 1])
def test_principal_components_of_all_rows(spark: Any, monkeypatch: pytest.MonkeyPatch, layout: str, most: int) -> None:
    monkeypatch.setattr("sqlrp._learning.components.MOST", most)
    source = load(spark, layout, ROWS.tolist())
    fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=3), source, spark)
    assert fitted.arrays["weights"] == pytest.approx(sqlrp.PrincipalComponents(k=3).fit(ROWS).arrays["weights"])


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_supervised_components_of_all_rows(spark: Any, layout: str) -> None:
    """The workers add up features and targets, of the rows' own columns or of a table of labels."""
    source = load(spark, layout, ROWS.tolist())
    told = pd.DataFrame({"id": range(len(ROWS)), "y": ROWS[:, 0] - ROWS[:, 3] ** 2, "w": ROWS[:, 1] * ROWS[:, 2]})
    spark.createDataFrame(told).createOrReplaceTempView("told")
    given: dict[str, Any] = {"target": ["y", "w"], "labels": "told"}
    if layout == "wide":
        spark.sql("SELECT * FROM t JOIN told USING (id)").createOrReplaceTempView("both")
        source, given = Wide("both"), {"target": ["y", "w"]}
    fitted = sqlrp.fit(sqlrp.PartialLeastSquares(k=3), source, spark, **given)
    peer = PLSRegression(3, tol=1e-28, max_iter=100_000).fit(ROWS, told[["y", "w"]])
    assert project_array(fitted, ROWS) == pytest.approx(peer.transform(ROWS), rel=1e-8, abs=1e-8)


def test_a_model_for_each_group(spark: Any) -> None:
    """The workers keep the sums of groups, and of pairs of a group and a class, apart."""
    load(spark, "wide", ROWS.tolist())
    signs = np.sign(ROWS[:, 1] - np.median(ROWS[:, 1]) + 1e-9)
    told = pd.DataFrame(
        {"id": range(len(ROWS)), "g": np.arange(len(ROWS)) % 2, "y": ROWS[:, 0] * 2, "c": signs.astype(int)}
    )
    spark.createDataFrame(told).createOrReplaceTempView("told")
    spark.sql("SELECT * FROM t JOIN told USING (id)").createOrReplaceTempView("both")
    features = [f"f{j}" for j in range(ROWS.shape[1])]
    given = sqlrp.GivenProjection.of(np.eye(len(features)))
    for target, peer in (("y", Ridge()), ("c", RidgeClassifier())):
        model = sqlrp.learn(given, Wide("both", features=features), spark, target, by="g")
        for group in (0, 1):
            mine = told["g"] == group
            want = peer.fit(ROWS[mine], told[target][mine])
            assert np.ravel(model[group].coef_) == pytest.approx(np.ravel(want.coef_), rel=1e-8, abs=1e-9)
            assert model[group].rows == mine.sum()
    found = sqlrp.score(model, Wide("both", features=features), spark).toPandas().set_index("id")
    want = [model[g].predict(row[None])[0] for g, row in zip(told["g"], ROWS, strict=True)]
    assert found["class"].loc[told["id"]].tolist() == want


def test_components_of_a_join(spark: Any) -> None:
    """Spark joins the rows, and its workers add them up."""
    x, shops = ROWS[:, :3], ROWS[:5, 3:6]
    columns = ["f0", "f1", "f2"]
    spark.createDataFrame(
        pd.DataFrame(x, columns=columns).assign(id=range(len(x)), shop=np.arange(len(x)) % 5)
    ).createOrReplaceTempView("entries")
    spark.createDataFrame(pd.DataFrame(shops, columns=["g0", "g1", "g2"]).assign(id=range(5))).createOrReplaceTempView(
        "shops"
    )
    join = sqlrp.Join(Wide("entries", features=columns), {"shop": Wide("shops")})
    fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=2), join, spark)
    joined = np.hstack([x, shops[np.arange(len(x)) % 5]])
    want = sqlrp.PrincipalComponents(k=2).fit(joined).arrays["weights"]
    assert fitted.arrays["weights"] == pytest.approx(want, rel=1e-8, abs=1e-8)


def test_columns_that_a_dimension_keeps(spark: Any) -> None:
    """Their names have a dot, which Spark's own reading of names takes for a field of a struct."""
    x, towns, size = ROWS[:, :3], ["Rome", "it's `5%`", None, "Rome"], ROWS[:4, 3]
    at = np.arange(len(x)) % 5  # the last of them refers to nothing
    fact = pd.DataFrame(x, columns=["f0", "f1", "f2"]).assign(id=range(len(x)), shop=at)
    spark.createDataFrame(fact).createOrReplaceTempView("entries")
    shops = pd.DataFrame({"id": range(4), "the `town`": towns, "size": size})
    spark.createDataFrame(shops).createOrReplaceTempView("shops")
    names = ["f0", "f1", "f2"]
    join = sqlrp.Join(Wide("entries", features=names), {"shop": Wide("shops", keep=["the `town`", "size"])})
    p = sqlrp.SparseProjection(k=3, s=1, seed=1)
    z = sqlrp.project(p, fact[names], key=None).to_numpy()
    for lowering in ("native", "inline"):
        found = sqlrp.project(p, join, spark, lowering=lowering).orderBy("id").toArrow()
        assert found.column_names[:3] == ["id", "shop.the `town`", "shop.size"]
        assert found["shop.the `town`"].to_pylist() == [[*towns, None][i] for i in at]
        assert found["z0"].to_pylist() == pytest.approx(z[:, 0])
        model = sqlrp.learn(p, join, spark, "shop.size", lowering=lowering)
        there = at < 4
        want = Ridge().fit(z[there], size[at[there]])
        assert model.rows == there.sum()
        assert model.coef_ == pytest.approx(want.coef_, rel=1e-8)
    groups = sqlrp.learn(p, join, spark, "shop.size", by="shop.the `town`")
    assert set(groups.models) == {"Rome", "it's `5%`"}
    found = sqlrp.score(groups, join, spark).orderBy("id").toArrow()
    assert found["prediction"].null_count == int((at == 2).sum() + (at == 4).sum())


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
    assert sqlrp.explain(METHODS["linear"], source, spark).lowering in ("indexed", "native")
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


def test_a_step_that_makes_no_table_runs_as_it_is(spark: Any) -> None:
    connector = connector_of(spark)
    connector.store(spark, Setup("CREATE OR REPLACE TEMPORARY VIEW sqlrp_step AS SELECT 7 AS x"))
    assert connector.fetch(spark, "SELECT x FROM sqlrp_step").to_pylist() == [{"x": 7}]
    connector.execute(spark, "DROP VIEW sqlrp_step")


@pytest.mark.parametrize("lost", [ConnectionRefusedError(111, "Connection refused"), "Py4JNetworkError"])
def test_a_session_whose_process_is_gone(lost: Any, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from py4j import protocol

    def refuse(self: Any, text: str) -> Any:
        raise getattr(protocol, lost)("Answer from Java side is empty") if isinstance(lost, str) else lost

    load(spark, "wide", [[1.0, 2.0]])
    monkeypatch.setattr(type(spark), "sql", refuse)
    for call in (sqlrp.project, sqlrp.explain):
        with pytest.raises(UnreachableError) as caught:
            call(METHODS["linear"], "t", spark)
        assert_one_line(caught, "cannot be reached", "start a new session")


def test_diagnose_by_sql_and_by_numpy(spark: Any) -> None:
    frame = pd.DataFrame(some_rows(4, 6), columns=[f"f{j}" for j in range(4)]).assign(id=range(6))
    source = load(spark, "wide", some_rows(4, 6).tolist())
    tables = {table.name for table in spark.catalog.listTables()}
    with interpreting(spark):
        report = sqlrp.diagnose(METHODS["linear"], source, spark, sample=5, at=2)
    assert_same(report, sqlrp.diagnose(METHODS["linear"], frame, sample=5, at=2))
    assert {table.name for table in spark.catalog.listTables()} == tables


@pytest.mark.parametrize(("k", "split"), [(8, False), (64, True)])
def test_spark_splits_the_code_of_many_terms(k: int, split: bool, spark: Any) -> None:
    """The JVM compiles no method of more than 8,000 bytes, and Spark writes one for a whole stage, marked by a star."""
    x = np.random.default_rng(5).normal(size=(3, 20)).round(3)
    projection = SparseProjection(k=k, s=2, seed=7)
    rows = [[None if (i, j) == (1, 4) else value for j, value in enumerate(row)] for i, row in enumerate(x.tolist())]
    load(spark, "wide", rows)
    spark.table("t").repartition(1).createOrReplaceTempView("t")  # else the driver computes the rows
    query = sqlrp.explain(projection, "t", spark, lowering="inline").script.query
    planned = spark.sql(query)._jdf.queryExecution().executedPlan().toString()
    assert planned.startswith("*") is not split
    got = projected(spark, projection, Wide("t"), lowering="inline")
    assert_close(got, oracle(projection, x), magnitude(projection, x), null=np.array([False, True, False]))


def test_a_temporary_table_is_computed_once(spark: Any) -> None:
    """Queries that read it neither compute its rows again nor have their plan."""
    connector, dialect = connector_of(spark), ENGINES["spark"]
    made = dialect.temporary_table("made_once", "SELECT id, rand() AS x FROM range(9)")
    connector.store(spark, made)
    first, again = (sorted(spark.table("made_once").collect()) for _ in range(2))
    assert first == again
    assert len({x for _, x in first}) == 9
    plan = spark.sql("SELECT x FROM made_once")._jdf.queryExecution().toString()
    assert "rand(" not in plan
    assert "range" not in plan.lower()
    connector.execute(spark, made.drop)
    assert not spark.catalog.tableExists("made_once")


SMALLEST = ["spark", "spark-sparse", "spark-wide-60-16", "spark-array-768-64", "spark-mllib", "spark-growth"]


@pytest.mark.parametrize("name", SMALLEST)
def test_the_benchmark_s_cases(spark: Any, interpreted: None, tmp_path: Path, name: str) -> None:
    runs(CASES[name], tmp_path)


def test_the_guide_s_page(spark: Any, tmp_path: Path) -> None:
    try:
        check(EXAMPLES / "spark.md", tmp_path)
    finally:
        for table in ("images_small", "visits", "visits_small"):
            spark.sql(f"DROP TABLE IF EXISTS {table}")


FAULTY: dict[str, Callable[[Any], Any]] = {
    "project": lambda s: sqlrp.project(sqlrp.SparseProjection(k=2, s=1), "faulty", s).collect(),
    "relational": lambda s: sqlrp.project(METHODS["linear"], "faulty", s, lowering="relational").collect(),
    "fit": lambda s: sqlrp.fit(sqlrp.PrincipalComponents(k=1), "faulty", s),
    "diagnose": lambda s: sqlrp.diagnose(sqlrp.SparseProjection(k=2, s=1), "faulty", s, sample=5, at=2),
    "standardized": lambda s: sqlrp.project(
        sqlrp.SparseProjection(k=2, s=1), Standardized(Wide("faulty"), "standard"), s
    ).collect(),
}


@pytest.mark.parametrize("call", FAULTY)
def test_a_fault_is_an_error_of_ours_and_leaves_no_view(spark: Any, interpreted: None, call: str) -> None:
    """A statement is refused, or Ctrl-C comes after it, at the first points and at the last."""
    numbers = {"id": range(8), "a": [i % 3 for i in range(8)], "b": [i % 5 for i in range(8)]}
    show(spark, "faulty", {name: pa.array(values, pa.int32()) for name, values in numbers.items()})
    in_one_part(spark, "faulty")

    def tables() -> set[str]:  # `listTables` needs compiled code
        return {row.tableName for row in spark.sql("SHOW TABLES").collect()}

    run = FAULTY[call]
    clean = Watch()
    with watching(clean):
        run(spark)
    assert clean.points
    before = tables()
    for kind in ("error", "interrupt"):
        drops = [at for at, text in enumerate(clean.points) if text.startswith("DROP")]
        for point in {0, len(clean.points) // 2, len(clean.points) - 1, *drops[-1:], *drops[len(drops) // 2 :][:1]}:
            watch = Watch(kind, point)
            with watching(watch), pytest.raises((SqlrpError, KeyboardInterrupt)) as caught:
                run(spark)
            assert watch.struck
            assert isinstance(caught.value, SqlrpError if kind == "error" else KeyboardInterrupt)
            assert tables() <= before
    run(spark)
    spark.catalog.dropTempView("faulty")
