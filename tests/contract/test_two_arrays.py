"""Rows whose features are in several array columns, such as two descriptors of different networks (thesis, eq. 2.20).

The contract has every method over two array columns, on every engine with arrays.
"""

from __future__ import annotations

import csv
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import ARRAYS
from click.testing import CliRunner
from databases import Database
from evaluate import evaluate
from helpers import ASKED, OUTPUTS, assert_close, assert_one_line, cells
from taking_part import need_package

import sqlrp
from sqlrp import Array, ParameterError, SourceError, StatementError, UnsupportedError
from sqlrp._cli.app import cli

Connection = duckdb.DuckDBPyConnection

RNG = np.random.default_rng(6)
A, B = RNG.normal(size=(9, 3)), RNG.normal(size=(9, 2))
IMAGES = np.repeat([2, 0, 1], 3)
NAMES = ['a"b', "b"]
SOURCE = Array("places", NAMES, key="image")
PRODUCTS = sqlrp.FullBilinearPooling(k=6, normalise=False)
SPARSE = sqlrp.SparseProjection(k=4, s=1, seed=2)


def pooled() -> dict[int, Any]:
    """The sums of the outer products of both descriptors, by image."""
    return {int(i): (A[i == IMAGES].T @ B[i == IMAGES]).reshape(-1) for i in np.unique(IMAGES)}


def places(con: Connection, fixed: bool = False) -> None:
    """The descriptors as a table."""
    sizes = ("[3]", "[2]") if fixed else ("[]", "[]")
    con.execute(f'CREATE TABLE places (image BIGINT, "a""b" DOUBLE{sizes[0]}, b FLOAT{sizes[1]}, row INTEGER)')
    rows = zip(IMAGES.tolist(), A.tolist(), B.tolist(), range(9), strict=True)
    con.executemany("INSERT INTO places VALUES (?, ?, ?, ?)", list(rows))


def assert_pooled(result: Any, output: str = "columns") -> None:
    found, want = cells(result, output, 6, "image"), pooled()
    assert_close(found, np.array([want[i] for i in sorted(want)]), np.full(3, 9.0), rtol=1e-6)  # b is of 32 bits


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("lowering", [low for low in ASKED if low != "indexed"])
def test_two_descriptors_are_their_products(con: Connection, lowering: str, fixed: bool) -> None:
    places(con, fixed)
    for output in OUTPUTS:
        assert_pooled(sqlrp.project(PRODUCTS, SOURCE, con, output=output, lowering=lowering), output)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "method",
    [sqlrp.BilinearPooling(k=5, p=8, t=2), sqlrp.MaclaurinPooling(k=5), sqlrp.SketchPooling(k=5), PRODUCTS],
    ids=lambda method: type(method).__name__,
)
def test_the_lengths_say_where_the_second_descriptor_starts(con: Connection, method: Any) -> None:
    places(con)
    con.execute('CREATE VIEW joined AS SELECT image, list_concat("a""b", b) AS v FROM places')
    named = method.over_arrays([3, 2])
    assert named.split == 3
    want = sqlrp.project(named, Array("joined", "v", key="image"), con).sort_by("image")
    for each in (method, named):
        got = sqlrp.project(each, SOURCE, con).sort_by("image")
        assert np.allclose(got.to_pandas(), want.to_pandas(), rtol=1e-12)
    report, same = (
        sqlrp.diagnose(m, s, con, sample=3, at=1)
        for m, s in ((method, SOURCE), (named, Array("joined", "v", key="image")))
    )
    assert report.distortion == same.distortion
    assert report.projection == same.projection == named


def test_the_calls_that_take_a_source(con: Connection, tmp_path: Path) -> None:
    places(con)
    assert "5 features -> 6 components" in str(sqlrp.explain(PRODUCTS, SOURCE, con))
    assert_pooled(con.sql(sqlrp.sql(PRODUCTS, SOURCE, con)).to_arrow_table())
    sqlrp.export(PRODUCTS, SOURCE, con, tmp_path / "view", into="exported")
    con.execute((tmp_path / "view" / "01_query.sql").read_text())
    assert_pooled(con.sql("FROM exported").to_arrow_table())
    sqlrp.materialize(PRODUCTS, SOURCE, con, "kept")
    assert_pooled(con.sql("FROM kept").to_arrow_table())
    con.execute("INSERT INTO places VALUES (8, [1, 2, 3], [1, 0], 9)")
    sqlrp.refresh(con, "kept", everything=True)
    found = con.sql("SELECT [z0, z1, z2, z3, z4, z5] FROM kept WHERE image = 8").fetchall()
    assert found == [([1, 0, 2, 0, 3, 0],)]
    bound = sqlrp.save(PRODUCTS, con, "products", source=SOURCE)
    assert (bound.bound_to, bound.parameters()["split"]) == (5, 3)
    with pytest.raises(UnsupportedError, match="a function takes one array"):
        sqlrp.export(SPARSE, SOURCE, con, tmp_path / "function", kind="function")


def test_the_calls_that_learn(con: Connection) -> None:
    places(con)
    con.execute('CREATE VIEW joined AS SELECT row, image, list_concat("a""b", b) AS v FROM places')
    two, one = Array("places", NAMES, key="row"), Array("joined", "v", key="row")
    components = [sqlrp.fit(sqlrp.PrincipalComponents(k=2), source, con) for source in (two, one)]
    assert components[0] == components[1]
    for how in ("standard", "minmax", "l2"):
        scaled = [
            sqlrp.project(SPARSE, sqlrp.Standardized(source, how), con).sort_by("row")  # type: ignore[arg-type]
            for source in (two, one)
        ]
        assert np.allclose(scaled[0].to_pandas(), scaled[1].to_pandas(), rtol=1e-12)
    models = [sqlrp.learn(SPARSE, source, con, target="image", folds=2) for source in (two, one)]
    assert np.allclose(models[0].coef_, models[1].coef_)
    reports = [sqlrp.diagnose(SPARSE, source, con) for source in (two, one)]
    assert reports[0].distortion == reports[1].distortion


# -- frames ----------------------------------------------------------------------------------------------


def frame_of(con: Connection, kind: str, fixed: bool) -> Any:
    """The descriptors as a frame of the kind."""
    places(con, fixed)
    table = con.sql("SELECT * EXCLUDE (row) FROM places").to_arrow_table()
    if kind == "ibis":
        need_package("ibis", "ibis-framework")
        return importlib.import_module("ibis").duckdb.from_connection(con).table("places").drop("row")
    made: dict[str, Callable[[], Any]] = {
        "arrow": lambda: table,
        "pandas": table.to_pandas,
        "polars": lambda: pl.from_arrow(table),
        "polars lazy": lambda: pl.from_arrow(table).lazy(),  # type: ignore[union-attr]
        "relation": lambda: con.sql("SELECT * EXCLUDE (row) FROM places"),
    }
    return made[kind]()


def arrow(frame: Any) -> pa.Table:
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pd.DataFrame):
        return pa.Table.from_pandas(frame, preserve_index=False)
    to_arrow = next(name for name in ("to_arrow_table", "to_arrow", "to_pyarrow", "select") if hasattr(frame, name))
    return frame if to_arrow == "select" else getattr(frame, to_arrow)()


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars", "polars lazy", "relation", "ibis"])
def test_frames(con: Connection, kind: str, fixed: bool) -> None:
    frame = frame_of(con, kind, fixed)
    sizes = [3, 2] if kind == "ibis" else None  # whose schema states no length
    assert_pooled(arrow(sqlrp.project(PRODUCTS, Array(frame, NAMES, key="image", n_features=sizes))))
    if kind != "ibis":
        assert_pooled(arrow(sqlrp.project(PRODUCTS, frame, key="image", array_column=NAMES)))


def test_measures_of_frames(con: Connection) -> None:
    places(con)
    frame = con.sql("FROM places").df()
    two, one = (
        Array(frame, NAMES, key="row"),
        frame.assign(v=[np.append(*row) for row in zip(frame['a"b'], frame["b"], strict=True)]),
    )
    want = sqlrp.diagnose(SPARSE, Array(one, "v", key="row"))
    assert sqlrp.diagnose(SPARSE, two).distortion == want.distortion
    assert sqlrp.fit(sqlrp.PrincipalComponents(k=2), two) == sqlrp.fit(
        sqlrp.PrincipalComponents(k=2), Array(one, "v", key="row")
    )
    by_image = sqlrp.diagnose(PRODUCTS, Array(frame, NAMES, key="image"), sample=3, at=1)
    assert by_image.projection == PRODUCTS.over_arrays([3, 2])
    assert by_image.distortion.most < 1e-12  # all products keep every distance
    assert sqlrp.diagnose(PRODUCTS, SOURCE, con, sample=3, at=1).distortion.most < 1e-12


# -- NULL and wrong lengths --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "lowering"),
    [(name, low) for name in ARRAYS if name not in ("spark", "clickhouse") for low in ("inline", "relational")]
    + [("duckdb", "native")],
)
def test_a_row_with_null_for_one_array_is_null(db: Database, name: str, lowering: str) -> None:
    columns = [("id", "BIGINT"), *((column, db.array_of("real")) for column in NAMES)]
    rows = [[0, [1.0, 2.0], [3.0]], [1, None, [1.0]], [2, [1.0, 2.0], None], [3, None, None], [4, [1.0, None], [3.0]]]
    source = Array(db.make("t", columns, rows), NAMES)
    found = db.projected(SPARSE, source, lowering=lowering)
    assert {key for key, row in found.items() if row == [None] * 4} == {1, 2, 3, 4}
    zeros = db.projected(SPARSE, source, lowering=lowering, nulls="zero")
    assert {key for key, row in zeros.items() if row == [0] * 4} >= {1, 2, 3}
    assert zeros[0] == found[0]
    with pytest.raises(StatementError, match="a feature is NULL"):
        db.projected(SPARSE, source, lowering=lowering, nulls="error")


@pytest.mark.parametrize("name", [name for name in ARRAYS if name != "spark"])
@pytest.mark.parametrize("lengths", [(3, 2), (5, 4), (3, 5)])
def test_each_array_has_its_own_length(db: Database, name: str, lengths: tuple[int, int]) -> None:
    """The second row has as many numbers as the first, (4, 4), or one array as long: neither helps."""
    columns = [("id", "BIGINT"), *((column, db.array_of("real")) for column in NAMES)]
    rows = [[0, [1.0] * 4, [1.0] * 4], [1, [1.0] * lengths[0], [1.0] * lengths[1]]]
    source = Array(db.make("t", columns, rows), NAMES)
    for lowering in db.engine.lowerings + (("native",) if name == "duckdb" else ()):
        with pytest.raises(StatementError) as caught:
            db.projected(SPARSE, source, lowering=lowering)
        assert_one_line(caught, "sqlrp: a list in 'a\"b' has not the 4 elements of the others: pad it")
    frame = pa.table({"id": [0, 1], **{n: [[1.0] * 4, [1.0] * size] for n, size in zip(NAMES, lengths, strict=True)}})
    with pytest.raises(SourceError) as refused:
        sqlrp.project(SPARSE, Array(frame, NAMES))
    assert_one_line(refused, f"the row with id = 1 has {lengths[0]} elements in 'a\"b', and 4 are expected: pad it")


# -- without a connection, and refusals --------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["duckdb", "postgresql", "clickhouse", "spark", "snowflake", "redshift", "trino"])
def test_text_without_a_connection(engine: str) -> None:
    text = sqlrp.sql(PRODUCTS, Array("t", NAMES, key="image", n_features=[3, 2]), engine, lowering="inline")
    assert "the 3 elements" in text
    assert "the 2 elements" in text


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Array("t", ["a", "a"]), ParameterError, ["'a' twice"]),
        (lambda: Array("t", []), ParameterError, ["names no array column"]),
        (lambda: Array("t", ["a", "id"]), ParameterError, ["'id'", "both key and a feature"]),
        (lambda: Array("t", ["a", "b"], n_features=8), ParameterError, ["n_features = 8", "a list of 2 whole numbers"]),
        (lambda: Array("t", ["a", "b"], n_features=[4]), ParameterError, ["n_features = [4]", "a list of 2"]),
        (lambda: Array("t", "a", n_features=[4, 4]), ParameterError, ["n_features = [4, 4]", "a whole number"]),
        (lambda: Array("t", ["a", "b"], n_features=[4, 0]), ParameterError, ["n_features = 0"]),
        (lambda: sqlrp.sql(SPARSE, Array("t", ["a", "b"]), "duckdb"), ParameterError, ["length", "n_features"]),
        (
            lambda: sqlrp.sql(SPARSE, Array("t", ["a", "b"], n_features=[1, 1]), "mariadb"),
            UnsupportedError,
            ["no array columns"],
        ),
        (
            lambda: sqlrp.sql(sqlrp.BilinearPooling(k=4, split=2), Array("t", ["a", "b"], n_features=[3, 3]), "duckdb"),
            ParameterError,
            ["split = 2", "array columns of 3, 3 elements", "must be 3"],
        ),
        (
            lambda: sqlrp.sql(sqlrp.BilinearPooling(k=4), Array("t", ["a", "b", "c"], n_features=[3, 3, 2]), "duckdb"),
            ParameterError,
            ["split = None", "must be 3 or 6"],
        ),
    ],
)
def test_refusals(call: Callable[[], Any], error: type[Exception], words: list[str]) -> None:
    with pytest.raises(error) as caught:
        call()
    assert_one_line(caught, *words)


def test_one_column_in_a_list_is_one_column() -> None:
    assert Array("t", ["a"], n_features=[4]) == Array("t", "a", n_features=4)


def test_columns_of_different_numbers_are_read_as_the_wider_kind(con: Connection) -> None:
    con.execute("CREATE TABLE t (id INTEGER, a SMALLINT[2], b BIGINT[], c DECIMAL(9, 2)[])")
    con.execute("INSERT INTO t VALUES (1, [1, -2], [10000000000], [1.25])")
    for lowering in ASKED:
        found = sqlrp.project(SPARSE, Array("t", ["a", "b", "c"]), con, scale=False, lowering=lowering)
        signs = SPARSE.stages(4)[0].matrix(np.arange(4))
        want = np.array([1, -2, 10000000000, 1.25]) @ signs
        assert [float(found.column(f"z{c}")[0].as_py()) for c in range(4)] == want.tolist()


def test_the_command(con: Connection, tmp_path: Path) -> None:
    places(con)
    con.execute(f"COPY places TO '{tmp_path / 'places.parquet'}'")
    columns = next(iter(csv.reader(['"a""b",b'])))
    assert columns == NAMES
    for given in (["--array-column", '"a""b",b'], ["--array-column", '"a""b"', "--array-column", "b"]):
        file = ["project", str(tmp_path / "places.parquet"), "-o", str(tmp_path / "out.parquet"), "--key", "image"]
        done = CliRunner().invoke(cli, [*file, *given, "--method", "fbp", "-k", "6"])
        assert done.exit_code == 0, done.output
        z = con.sql(f"FROM '{tmp_path / 'out.parquet'}'").to_arrow_table().to_pandas().set_index("image")
        want = {i: np.sign(v) * np.sqrt(abs(v)) for i, v in pooled().items()}
        assert np.allclose(z, [want[i] / np.linalg.norm(want[i]) for i in z.index], rtol=1e-6)
    text = CliRunner().invoke(
        cli,
        ["sql", str(tmp_path / "places.parquet"), *given, "--key", "row", "-k", "2", "--dialect", "snowflake"],
    )
    assert "ARRAY_CAT" in text.output


def test_the_gradient_of_both_descriptors(con: Connection) -> None:
    """By differences of the pooled sums, in numpy, and in SQL over the array columns."""
    places(con)
    x, step = np.hstack([A, B.astype(np.float32)])[:3], 1e-5
    con.execute("CREATE TABLE upstream (image BIGINT, component BIGINT, value DOUBLE)")
    method = sqlrp.BilinearPooling(k=4, p=8, t=2, s=1, normalise=False)
    named, upstream = method.over_arrays([3, 2]), RNG.normal(size=4)
    con.executemany("INSERT INTO upstream VALUES (2, ?, ?)", list(enumerate(upstream.tolist())))

    def loss(rows: Any) -> float:
        z = evaluate(named.stages(5), rows, np.arange(5), np.zeros(3, dtype=np.int64))[0]
        return float(z.astype(float) @ upstream * named.factor(5))

    want = named.gradient(x, upstream)
    for i, j in np.ndindex(x.shape):
        moved = np.zeros_like(x)
        moved[i, j] = step
        assert want[i, j] == pytest.approx((loss(x + moved) - loss(x - moved)) / (2 * step), abs=1e-6)
    source = Array("of_one", NAMES, key="image", keep=["row"])
    con.execute("CREATE VIEW of_one AS FROM places WHERE image = 2")
    text = sqlrp.gradient_sql(method, source, "upstream", con)
    got = con.sql(f"SELECT value FROM ({text}) ORDER BY row, feature").fetchnumpy()["value"]
    assert np.allclose(got.reshape(3, 5), want, rtol=1e-9, atol=1e-12)
