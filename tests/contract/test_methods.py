"""Every method in the database: the contract, groups, SQL functions, JSON and the catalogue, one vector, fitting."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import duckdb
import numpy as np
import pandas as pd
import pytest
from cases import GROUPED, LISTED, METHODS, PLAIN, WEIGHTED, D, X, grouped
from cover import pairwise
from evaluate import evaluate
from helpers import ASKED, LAYOUTS, OUTPUTS, assert_close, assert_one_line, cells, load, oracle, z_of

import sqlrp
from sqlrp import Array, Long, Projection, Wide
from sqlrp._core.draw import hash_name
from sqlrp._projections import REGISTRY
from sqlrp._projections.projection import SeededProjection
from sqlrp._store.functions import FUNCTIONS
from sqlrp._store.method_data import WRITERS
from sqlrp.stages import Products, SignedSums, Stage, products_of

Connection = duckdb.DuckDBPyConnection


@pytest.fixture(scope="module")
def shared() -> Iterator[Connection]:
    """One database with the rows in every layout."""
    with duckdb.connect(config={"threads": "1"}) as con:
        for layout in LAYOUTS:
            load(con, layout, X.tolist(), table=layout)
        sqlrp.install(con)
        yield con


def source_of(layout: str) -> Wide | Array | Long:
    return {"wide": Wide("wide"), "array": Array("array", "x"), "long": Long("long", n_features=D)}[layout]


def test_every_method_is_here() -> None:
    here = {type(m) for m in (*METHODS.values(), *GROUPED.values())} | {sqlrp.SparseProjection}
    assert here == set(REGISTRY)


# -- the contract -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
@pytest.mark.parametrize("layout", ["wide", "array"])
@pytest.mark.parametrize("method", sorted(WEIGHTED))
def test_lists_of_weights_without_numbers(con: Connection, method: str, layout: str, kind: str) -> None:
    """NULL, NaN and infinity, where a weight is 0 too, as the oracle has them; a whole array may be NULL."""
    rows: list[list[Any]] = X.tolist()
    rows[2][4] = rows[5][0] = None
    rows[7][3], rows[8][1], rows[9][2] = math.inf, math.nan, -math.inf
    source, projection, blank = load(con, layout, rows, kind), METHODS[method], [2, 5]
    if layout == "array":
        con.execute("UPDATE t SET x = NULL WHERE id = 11")
        rows[11], blank = [None] * D, [2, 5, 11]
    want = oracle(projection, np.array([[0.0 if v is None else v for v in row] for row in rows]))
    for nulls, output in itertools.product(("propagate", "zero"), OUTPUTS):
        options: dict[str, Any] = {"nulls": nulls, "output": output, "lowering": "indexed"}
        found = cells(sqlrp.project(projection, source, con, **options), output, projection.k)
        got = np.array([found[i] for i in range(len(X))], dtype=object)
        gone = got == None  # noqa: E711  # element by element
        assert gone.all(axis=1).nonzero()[0].tolist() == (blank if nulls == "propagate" else [])
        assert gone.sum() == gone.all(axis=1).sum() * projection.k
        there = ~gone.any(axis=1)
        size = np.abs(want[np.isfinite(want)]).max()
        np.testing.assert_allclose(
            got[there].astype(float), want[there], rtol=1e-9 if kind == "DOUBLE" else 1e-4, atol=size * 1e-5
        )


@pairwise(grouped(["wide", "array"], ASKED, OUTPUTS))
def test_groups(shared: Connection, method: str, layout: str, lowering: str, output: str) -> None:
    projection = GROUPED[method]
    shared.execute(f'CREATE OR REPLACE TABLE grouped AS SELECT id // 5 AS image, * EXCLUDE (id) FROM "{layout}"')
    source = replace(source_of(layout), table="grouped", key="image")
    groups = np.arange(len(X)) // 5
    want = evaluate(projection.stages(D), X, np.arange(D), groups) * projection.factor(D)
    result = sqlrp.project(projection, source, shared, output=output, lowering=lowering)  # type: ignore[arg-type]
    assert_close(cells(result, output, projection.k, "image"), want, np.full(3, np.abs(want).max()))
    if output == "columns":
        frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)])
        frame.insert(0, "image", groups)
        pooled = sqlrp.project(projection, frame, key="image")
        assert np.allclose(pooled.drop(columns="image").to_numpy(), want, rtol=1e-12)
        assert pooled["image"].tolist() == [0, 1, 2]


def test_groups_with_null(shared: Connection) -> None:
    shared.execute("CREATE OR REPLACE TABLE g (image INTEGER, a DOUBLE, b DOUBLE)")
    shared.execute("INSERT INTO g VALUES (1, 1, 2), (1, NULL, 1), (2, 3, 4), (NULL, 1, 1), (NULL, 2, 2), (3, 0, 0)")
    for method, projection in GROUPED.items():
        small = replace(projection, k=2)
        if isinstance(projection, sqlrp.FullBilinearPooling):
            small = replace(projection, k=1 if projection.split else 4)
        if small.parameters()["split"]:
            small = replace(small, split=1)  # type: ignore[call-arg]
        want = {}
        for lowering in (low for low in ASKED if low != "indexed" or method in LISTED):
            rows = sqlrp.project(small, Wide("g", key="image"), shared, lowering=lowering).to_pylist()
            got = {row["image"]: (row["z0"], row[f"z{small.k - 1}"]) for row in rows}
            assert len(rows) == 4
            assert got[1] == (None, None)
            assert got[3] == (0.0, 0.0)
            want = want or got
            assert all(g is None or math.isclose(g, w) for k in got for g, w in zip(got[k], want[k], strict=True))
        frame = shared.execute("FROM g").to_arrow_table()
        plain = sqlrp.project(small, frame, key="image").to_pylist()
        assert {row["image"]: row["z0"] is None for row in plain} == {1: True, 2: False, None: False, 3: False}


@pytest.mark.parametrize(
    "source", [Wide("wide", key=None), Wide("wide", features=["f1", "f2"], keep=["f0"]), Long("long", n_features=D)]
)
def test_groups_need_a_key_and_rows(shared: Connection, source: Any) -> None:
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.project(GROUPED["pooling"], source, shared)
    assert_one_line(caught, "BilinearPooling sums the rows of a group", "key")


def test_whole_numbers_stay_exact(shared: Connection) -> None:
    rows = np.random.default_rng(1).integers(-(2**15), 2**15, (4, D))
    for name, projection in METHODS.items():
        exact = all(stage.exact for stage in projection.stages(D))
        for layout in LAYOUTS:
            source = load(shared, layout, rows.tolist(), "SMALLINT", table=f"int_{layout}")
            want = evaluate(projection.stages(D), rows.astype(object), np.arange(D)) if exact else None
            for lowering in ("relational",) if layout == "long" else ("inline", "relational"):
                result = sqlrp.project(projection, source, shared, scale=False, lowering=lowering)
                got = cells(result, "columns", projection.k)
                if want is not None and want.dtype == object:
                    assert [got[i] for i in range(4)] == want.tolist(), (name, layout, lowering)
                else:
                    assert isinstance(got[0][0], float)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("nystroem", "kg-rp", "korp", "kpca-rp")])
def test_an_open_vocabulary(shared: Connection, method: str) -> None:
    # Words are hashed in the query; a method that must know its features says so.
    shared.execute("CREATE OR REPLACE TABLE words AS SELECT id, 'w' || feature AS word, value FROM long")
    projection, source = METHODS[method], Long("words", feature="word")
    if isinstance(projection, (sqlrp.SparseEmbedding, sqlrp.RandomMaclaurin, sqlrp.TensorSketch)) or method in (
        "d2pk",
        "d2pk-one",
    ):
        numbers = np.array([hash_name(f"w{j}") for j in range(D)])
        want = evaluate(projection.stages(None), X, numbers) * projection.factor(None)
        got = cells(sqlrp.project(projection, source, shared), "columns", projection.k)
        assert_close(got, want, np.full(len(X), np.abs(want).max()))
    else:
        with pytest.raises((sqlrp.ParameterError, sqlrp.SourceError)):
            sqlrp.project(projection, source, shared)


# -- the table functions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [*PLAIN, *GROUPED])
def test_functions_are_the_methods(shared: Connection, method: str) -> None:
    projection = {**PLAIN, **GROUPED}[method]
    values = {n: v for n, v in projection.parameters().items() if v is not None}
    if method == "gaussian":
        values["vectors"] = "gaussian"
    if method in GROUPED:
        values["group_by"] = "id"
    given = ", ".join(f"{n} := {repr(v).lower() if isinstance(v, bool) else repr(v)}" for n, v in values.items())
    got = shared.execute(f"FROM {projection.function}('wide', {given}) ORDER BY id").fetchall()
    want = sqlrp.project(projection, "wide", shared).sort_by("id").to_pylist()
    np.testing.assert_allclose(got, [list(row.values()) for row in want], rtol=1e-9, atol=1e-9)


def test_functions_have_their_defaults(shared: Connection) -> None:
    for function, cls in FUNCTIONS.items():
        if function in ("rs_project", "fbp_project"):
            continue  # 64 of 9 features, and of 81 products
        got = shared.execute(f"FROM {function}('wide') ORDER BY id").fetchall()
        want = sqlrp.project(cls(), "wide", shared).sort_by("id").to_pylist()
        atol = 1e-7 if cls.key_argument else 1e-9  # the root of a sum of 1e-17 that is 0 in another order
        np.testing.assert_allclose(got, [list(row.values()) for row in want], rtol=1e-9, atol=atol, err_msg=function)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("d2pk_project('wide', m := 3)", "m = 3 must be 1 or even"),
        ("rs_project('wide', k := 10)", "k = 10 must be at most the number of features = 9"),
        ("rs_project('wide', k := 2, densify := 'hadamard')", "densify = 'hadamard' must be 'householder'"),
        ("rs_project('wide', k := 10, stratified := true)", "k = 10 must be at most the number of features = 9"),
        ("rs_project('wide', k := 2, stratified := 2)", "stratified = 2 must be true or false"),
        ("cw_project('wide', k := 10, nnz_per_feature := 3)", "k = 10 must be a multiple of nnz_per_feature = 3"),
        (
            "cw_project('wide', k := 10, nnz_per_feature := 2, buckets := 3)",
            "k = 10 must be a multiple of nnz_per_feature * buckets = 6, as its blocks are of one size: use k = 6",
        ),
        ("cw_project('wide', buckets := 0)", "buckets = 0 must be a whole number >= 1"),
        ("rp_project('wide', vectors := 'x')", "vectors = 'x' must be one of sign, gaussian"),
        ("pk_project('wide', vectors := 'x')", "vectors = 'x' must be one of sign, gaussian"),
        ("ts_project('wide', degree := 0)", "degree = 0 must be a whole number >= 1"),
        ("ep_project('wide', degree := 12)", "monomials of degree 12, more than the 20,000"),
        ("cbp_project('wide', p := 1)", "p = 1 must be at least degree * t = 8"),
        ("fht_project('wide', padding := 'x')", "padding = 'x' must be one of power_of_two, least"),
        ("fht_project('wide', replacement := 1)", "replacement = 1 must be true or false"),
        ("project_with('nothing', 'wide')", "no projection 'nothing' is saved here"),
        ("project_with(NULL, 'wide')", "projection"),
    ],
)
def test_errors_in_sql(shared: Connection, call: str, words: str) -> None:
    with pytest.raises(duckdb.Error) as caught:
        shared.execute(f"FROM {call}")
    assert words in str(caught.value)


def test_padding_is_said(shared: Connection) -> None:
    said = {"hadamard": "9 features padded with zeros to 16", "hadamard-least": "9 features padded with zeros to 12"}
    for method, words in said.items():
        assert words in str(sqlrp.explain(PLAIN[method], "wide", shared))


# -- JSON and the catalogue ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [*METHODS, *GROUPED])
def test_json_round_trip(method: str) -> None:
    projection = {**METHODS, **GROUPED}[method]
    again = sqlrp.from_json(projection.to_json())
    assert again == projection
    assert again.fingerprint == projection.fingerprint
    assert hash(again) == hash(projection)
    z, w = (evaluate(p.stages(D), X, np.arange(D)) for p in (projection, again))
    assert np.array_equal(z, w)


@pytest.mark.parametrize("method", METHODS)
def test_saved_and_applied_by_name(shared: Connection, method: str) -> None:
    projection = METHODS[method]
    name = f'it\'s "{method}"'
    kept = sqlrp.save(projection, shared, name, source="wide")
    assert kept.bound_to is not None
    assert sqlrp.load(shared, name) == kept
    quoted = name.replace("'", "''")
    got = shared.execute(f"FROM project_with('{quoted}', 'wide', output := 'array') ORDER BY id").fetchall()
    want = sqlrp.project(projection, "wide", shared, output="array").sort_by("id").to_pylist()
    np.testing.assert_allclose([z for _, z in got], [row["z"] for row in want], rtol=1e-9, atol=1e-9)


def test_the_catalogue(tmp_path: Any) -> None:
    path = str(tmp_path / "shop.duckdb")
    first, second = sqlrp.SparseProjection(k=2, s=1), sqlrp.SparseProjection(k=3, s=1)
    with duckdb.connect(path) as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS id, 2.0 AS a, 3.0 AS b")
        assert sqlrp.saved(con) == {}
        sqlrp.install(con)
        sqlrp.save(first, con, "mine")
        sqlrp.save(second, con, "mine", replace=True)
        sqlrp.uninstall(con)
        assert sqlrp.saved(con) == {"mine": second}
    with duckdb.connect(path) as con:
        sqlrp.install(con)
        assert len(con.execute("FROM project_with('mine', 't')").fetchall()[0]) == 4
        with pytest.raises(sqlrp.SourceError) as caught:
            sqlrp.load(con, "mina")
        assert_one_line(caught, "'mina'", "did you mean 'mine'?", "saved are mine")
        for bad in ("", " ", None, "x" * 201):
            with pytest.raises(sqlrp.ParameterError, match="name = "):
                sqlrp.save(first, con, bad)  # type: ignore[arg-type]
        with pytest.raises(sqlrp.ParameterError, match="not fitted"):
            sqlrp.save(sqlrp.PrincipalComponents(k=2), con, "pca")
        with pytest.raises(sqlrp.ParameterError, match="not a projection"):
            sqlrp.save("x", con, "y")  # type: ignore[arg-type]


def test_features_are_checked_by_name(shared: Connection) -> None:
    shared.execute("CREATE OR REPLACE TABLE named AS SELECT 1 AS id, 2.0 AS a, 3.0 AS b, 4.0 AS c")
    kept = sqlrp.save(sqlrp.SparseProjection(k=2, s=1), shared, "abc", source="named")
    assert kept.bound_to == ("a", "b", "c")
    shared.execute("ALTER TABLE named RENAME c TO d; ALTER TABLE named ADD COLUMN e DOUBLE")
    for call in (
        lambda: sqlrp.project(kept, "named", shared),
        lambda: shared.execute("FROM project_with('abc', 'named')"),
    ):
        with pytest.raises((sqlrp.SourceError, duckdb.Error)) as caught:
            call()
        for word in ("1 missing: ['c']", "2 extra: ['d', 'e']", "name the projection's own in features"):
            assert word in str(caught.value)
    turned = sqlrp.project(kept.bound(["b", "a"]), Wide("named", features=["a", "b"]), shared)
    assert turned.equals(sqlrp.project(kept.bound(None), Wide("named", features=["b", "a"]), shared))
    with pytest.raises(sqlrp.SourceError, match="holds for 3 features, the source has 9"):
        sqlrp.project(kept, Array("array", "x"), shared)


# -- one vector --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_one_vector(shared: Connection, method: str) -> None:
    projection = METHODS[method]
    want = oracle(projection, X[:1])[0]
    assert np.allclose(sqlrp.project_vector(projection, X[0].tolist()), want, rtol=1e-12)
    again = sqlrp.project_vector(projection, X[1].tolist())  # by what the first call drew
    assert np.allclose(again, oracle(projection, X[1:2])[0], rtol=1e-12)
    row = shared.execute(sqlrp.vector_sql(projection, X[0].tolist(), "duckdb")).fetchall()[0]
    assert np.allclose(row, want, rtol=1e-9, atol=1e-12 * np.abs(want).max())


def test_one_vector_by_name() -> None:
    p = sqlrp.SparseProjection(k=2, s=1).bound(["a", "b"])
    assert sqlrp.project_vector(p, {"b": 2.0, "a": 1.0}).tolist() == sqlrp.project_vector(p, [1.0, 2.0]).tolist()
    with pytest.raises(sqlrp.SourceError, match=r"1 missing: \['b'\] and 1 extra: \['c'\]"):
        sqlrp.project_vector(p, {"a": 1.0, "c": 2.0})
    with pytest.raises(sqlrp.SourceError, match="holds for 2 features, the source has 3"):
        sqlrp.project_vector(p, [1.0, 2.0, 3.0])
    with pytest.raises(sqlrp.ParameterError, match="which an open vocabulary does not have"):
        sqlrp.project_vector(sqlrp.HadamardProjection(k=2), {"a": 1.0})
    with pytest.raises(sqlrp.ParameterError, match="bound to names"):
        sqlrp.vector_sql(sqlrp.SparseProjection(k=2), {"a": 1.0}, "duckdb")
    with pytest.raises(sqlrp.ParameterError, match="which an open vocabulary does not have"):
        sqlrp.project_vector(sqlrp.SparseProjection(k=2), {"a": 1.0})
    for bad in ([], "abc", [[1.0]], None):
        with pytest.raises(sqlrp.ParameterError, match="values = "):
            sqlrp.project_vector(p, bad)  # type: ignore[arg-type]


# -- one method ------------------------------------------------------------------------------------------------------


def test_only_the_butterflies_that_are_needed(shared: Connection) -> None:
    one = sqlrp.sql(sqlrp.HadamardProjection(k=1), "wide", shared, lowering="inline")
    assert one.count("+") + one.count("-") <= D - 1 + 4  # 9 features have 8 sums; signs in front
    assert sqlrp.HadamardProjection(k=3).padded(1) == 1
    assert sqlrp.HadamardProjection(k=3).padded(16) == 16


@dataclass(frozen=True)
class Pairs(SeededProjection):
    """A method of one's own: each component is a sum of a fixed number of products of neighbours."""

    each: ClassVar[int] = 1

    function: ClassVar[str] = "pairs_project"

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        def neighbours(c: Any, j: Any) -> tuple[Any, Any]:
            first = self.each * c + j
            return 1, (first, first + 1)

        return SignedSums(self.each * self.k + 1, 1, self.seed), products_of(self.k, self.each, neighbours)

    def factor(self, n_features: int | None) -> float:
        return 1.0


class TwoPairs(Pairs):
    each: ClassVar[int] = 2


@pytest.mark.parametrize("method", [Pairs, TwoPairs])
def test_a_function_has_all_products_of_a_rule(con: Connection, method: type[Pairs]) -> None:
    sqlrp.install(con)
    con.execute(WRITERS["duckdb"].composing(method, "pairs", "k, seed"))
    ((text,),) = con.execute("SELECT pairs(3, 1, '4')['stages'][2]['text']").fetchall()
    found = con.execute(f"SELECT c, v FROM ({text}) ORDER BY i").fetchall()
    _, products = method(k=3, seed=1).stages(4)
    assert isinstance(products, Products)
    assert len(found) == 3 * method.each
    assert found == list(zip(products.components.tolist(), products.factors.tolist(), strict=True))


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (sqlrp.BilinearPooling(split=9), "split = 9 must be below the number of features = 9"),
        (sqlrp.FullBilinearPooling(k=9), "k = 9 must be the number of all products of 9 and 9 features: use k = 81"),
        (
            sqlrp.FullBilinearPooling(split=3),
            "k = 64 must be the number of all products of 3 and 6 features: use k = 18",
        ),
        (sqlrp.FullBilinearPooling(split=12), "split = 12 must be below the number of features = 9"),
    ],
)
def test_pooling_that_does_not_fit_is_refused(shared: Connection, method: Projection, words: str) -> None:
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.project(method, "wide", shared)
    assert_one_line(caught, words)
    values = ", ".join(f"{n} := {v}" for n, v in method.parameters().items() if n in ("k", "split") and v)
    with pytest.raises(duckdb.Error, match=words.split(":", maxsplit=1)[0]):
        shared.execute(f"FROM {method.function}('wide', {values}, group_by := 'id')")
    with pytest.raises(sqlrp.ParameterError, match="split = 0 must be a whole number >= 1"):
        replace(method, split=0)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", GROUPED)
def test_pooling_s_gradient_is_the_finite_difference(name: str) -> None:
    method: Any = replace(GROUPED[name], normalise=False)  # type: ignore[call-arg]
    x, upstream = X[:4], np.random.default_rng(2).normal(0, 1, method.k)

    def loss(rows: Any) -> float:
        z = evaluate(method.stages(D), rows, np.arange(D), np.zeros(len(rows), dtype=int)) * method.factor(D)
        return float(z[0] @ upstream)

    got = method.gradient(x, upstream)
    step = 1e-5
    for i, j in itertools.product(range(4), range(D)):
        shift = np.zeros_like(x)
        shift[i, j] = step
        assert math.isclose(got[i, j], (loss(x + shift) - loss(x - shift)) / (2 * step), rel_tol=1e-6, abs_tol=1e-6)


@pytest.mark.parametrize("name", ["pooling", "pooling-two", "pooling-maclaurin", "pooling-sketch-two", "pooling-full"])
def test_pooling_s_gradient_in_sql(shared: Connection, name: str) -> None:
    method: Any = GROUPED[name]
    shared.execute("CREATE OR REPLACE TABLE parts AS SELECT id // 5 AS image, * FROM wide")
    upstream = np.random.default_rng(2).normal(0, 1, (3, method.k))
    lines = ", ".join(f"({i}, {c}, {float(upstream[i, c])!r})" for i in range(3) for c in range(method.k))
    shared.execute(f"CREATE OR REPLACE TABLE upstream AS FROM (VALUES {lines}) v(image, component, value)")
    text = sqlrp.gradient_sql(method, Wide("parts", key="image", keep=["id"]), "upstream", shared)
    rows = shared.execute(f"SELECT id, feature, value FROM ({text}) ORDER BY id, feature").fetchall()
    got = np.array([value for _, _, value in rows]).reshape(len(X), D)
    want = np.concatenate([method.gradient(X[i * 5 : i * 5 + 5], upstream[i]) for i in range(3)])
    assert np.allclose(got, want, rtol=1e-9, atol=1e-12)
    with pytest.raises(sqlrp.ParameterError, match="must be a BilinearPooling"):
        sqlrp.gradient_sql(sqlrp.SparseProjection(), "parts", "upstream", shared)  # type: ignore[arg-type]
    with pytest.raises(sqlrp.ParameterError, match="name the group's column as key"):
        sqlrp.gradient_sql(GROUPED["pooling"], Wide("parts", key=None), "upstream", shared)  # type: ignore[arg-type]


def test_float_weights_are_said(shared: Connection) -> None:
    for name, projection in METHODS.items():
        drawn = ("gaussian", "orthonormal", "pk-gaussian", "explicit-gaussian")
        floats = name in (*drawn, "nystroem", "kg-rp", "korp", "kpca-rp", "pca", "given", "given-radial")
        floats = floats or name in ("whitened", "discriminants", "canonical", "least-squares")
        floats = floats or name in ("nystroem-rbf", "nystroem-cosine", "kg-rbf", "fourier", "given-fourier")
        assert ("every term is a multiplication" in str(sqlrp.explain(projection, "wide", shared))) == floats, name


# -- fitting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_sample_is_drawn_in_the_database(shared: Connection, layout: str) -> None:
    method = sqlrp.DataTunedProjection(k=3, s=1, n_iter=5, sample=6, seed=2)
    fitted = sqlrp.fit(method, source_of(layout), shared)
    again = sqlrp.fit(method, source_of(layout), shared)
    assert fitted == again
    assert fitted.bound_to == (tuple(f"f{j}" for j in range(D)) if layout == "wide" else D)
    x, _ = sqlrp._run.row_sample.sample(source_of(layout), shared, 6, 2)  # type: ignore[attr-defined]
    assert x.shape == (6, D)
    assert {tuple(row) for row in x} <= {tuple(row) for row in X}
    assert len({tuple(row) for row in x}) == 6
    other, _ = sqlrp._run.row_sample.sample(source_of(layout), shared, 6, 3)  # type: ignore[attr-defined]
    assert {tuple(row) for row in other} != {tuple(row) for row in x}


def test_fit_errors(shared: Connection) -> None:
    with pytest.raises(sqlrp.ParameterError, match="does not learn from data"):
        sqlrp.fit(sqlrp.SparseProjection(), "wide", shared)  # type: ignore[arg-type]
    with pytest.raises(
        sqlrp.SourceError, match="the sample has 12 rows, a landmark for each component needs at least 13"
    ):
        sqlrp.fit(sqlrp.NystroemProjection(k=13), "wide", shared)
    with pytest.raises(sqlrp.ParameterError, match="is not fitted"):
        sqlrp.project(sqlrp.PrincipalComponents(k=2), "wide", shared)
    shared.execute("CREATE OR REPLACE TABLE holes AS SELECT id, f0, nullif(f1, f1) AS f1 FROM wide")
    with pytest.raises(sqlrp.SourceError, match="holds NULL, which nothing can be learnt from"):
        sqlrp.fit(sqlrp.PrincipalComponents(k=1), "holes", shared)
    with pytest.raises(sqlrp.SourceError, match="NULL, NaN or infinity"):
        sqlrp.fit(sqlrp.PrincipalComponents(k=1, sample=5), "holes", shared)
    with pytest.raises(sqlrp.ParameterError, match="state cannot be read"):
        sqlrp.PrincipalComponents(state="xyz")
    with pytest.raises(sqlrp.ParameterError, match="variant = 'x' must be one of"):
        sqlrp.KernelGaussianProjection(variant="x")


def test_fit_on_a_dataframe() -> None:
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)])
    frame.insert(0, "id", range(len(X)))
    fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=3, sample=100), frame)
    assert np.allclose(z_of(fitted, X), z_of(sqlrp.PrincipalComponents(k=3).fit(X), X))
    projected = sqlrp.project(fitted, frame)
    assert np.allclose(projected.drop(columns="id").to_numpy(), z_of(fitted, X))
