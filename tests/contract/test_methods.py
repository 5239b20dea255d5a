"""Every method: the contract over layouts, outputs and lowerings, its distribution, and its use in the catalogue."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from cases import DRAWN, GROUPED, LISTED, MANY, METHODS, PLAIN, TRAINED, UNWRITTEN, WEIGHTED, D, X, grouped
from cover import pairwise
from evaluate import evaluate
from formulas import by_formula
from helpers import ASKED, LAYOUTS, OUTPUTS, assert_close, assert_one_line, cells, load, oracle
from sklearn.metrics.pairwise import cosine_similarity, polynomial_kernel, rbf_kernel

import sqlrp
from sqlrp import Array, Long, Projection, Wide
from sqlrp.core import monomials
from sqlrp.core.draw import Purpose, draw_permutation, draw_sample, draw_signs, draw_strata, hash_name, hashes
from sqlrp.evaluator import Entries, program, run
from sqlrp.evaluator import sums as evaluator_sums
from sqlrp.kernels import Radial
from sqlrp.projections import REGISTRY, explicit
from sqlrp.projections.base import Seeded
from sqlrp.projections.data_tuned import Search, squared_distances
from sqlrp.stages import GivenProducts, MonomialSums, Products, SignedSums, Stage, products_of
from sqlrp.stages import monomials as stage_of_monomials
from sqlrp.store.functions import FUNCTIONS
from sqlrp.store.stating import WRITERS

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
    with pytest.raises(sqlrp.SourceError, match="in another order"):
        sqlrp.project(kept.bound(["b", "a"]), Wide("named", features=["a", "b"]), shared)
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


# -- the law of each method -----------------------------------------------------------------------------------------


def z_of(projection: Projection, x: Any) -> Any:
    return evaluate(projection.stages(x.shape[1]), x, np.arange(x.shape[1])) * projection.factor(x.shape[1])


def kernels(method: Any, x: Any, seeds: int) -> tuple[Any, Any]:
    """The mean over seeds of the inner products of projected rows, and its standard error."""
    grams = np.array([z @ z.T for z in (z_of(replace(method, seed=s), x) for s in range(seeds))])
    return grams.mean(axis=0), grams.std(axis=0) / math.sqrt(seeds)


LAWS: list[tuple[Projection, Any]] = [
    (sqlrp.GaussianProjection(k=16), lambda g, _: g),
    (sqlrp.SparseEmbedding(k=32, nnz_per_feature=2), lambda g, _: g),
    (sqlrp.HadamardProjection(k=16), lambda g, _: g),
    (sqlrp.HadamardProjection(k=4, replacement=False), lambda g, _: g),
    (sqlrp.HadamardProjection(k=9, replacement=False), lambda g, _: g),
    (sqlrp.RandomSubspace(k=3), lambda g, _: g),
    (sqlrp.RandomSubspace(k=3, densify="householder"), lambda g, _: g),
    (sqlrp.RandomSubspace(k=3, stratified=True), lambda g, _: g),
    (sqlrp.RandomSubspace(k=2, densify="householder", stratified=True), lambda g, _: g),
    (sqlrp.SparseEmbedding(k=16, nnz_per_feature=2, buckets=4), lambda g, _: g),
    (sqlrp.RandomMaclaurin(k=16, degree=3), lambda g, _: g**3),
    (sqlrp.TensorSketch(k=32, degree=2), lambda g, _: g**2),
    (sqlrp.TensorSketch(k=16, degree=3), lambda g, _: g**3),
    (sqlrp.ExplicitPolynomialProjection(k=16, degree=2, s=1), lambda g, _: g**2),
    (sqlrp.PolynomialKernelProjection(k=16, t=2, vectors="gaussian", c=1), lambda g, _: (g + 1) ** 2),
    (sqlrp.Degree2KernelProjection(k=16, m=2, s=3), lambda g, _: g**2),
    (sqlrp.Degree2KernelProjection(k=16, m=4, s=1), lambda g, q: g**2 - q),
    (sqlrp.Degree2KernelProjection(k=16, m=2, s=5), lambda g, q: g**2 + q),
    (sqlrp.Degree2KernelProjection(k=16, m=1, s=3), lambda g, _: g**2 + np.outer(np.diag(g), np.diag(g)) / 2),
    (sqlrp.Degree2KernelProjection(k=16, m=1, s=2, modified=True), lambda g, q: g**2 - q),
    (sqlrp.Degree2KernelProjection(k=16, m=2, s=2, modified=True), lambda g, q: g**2 - q),
]


@pytest.mark.parametrize("at", range(len(LAWS)), ids=lambda at: LAWS[at][0].name[:60])
def test_inner_products_are_the_kernel_s_in_expectation(at: int) -> None:
    method, law = LAWS[at]
    x = np.random.default_rng(8).normal(0, 1, (4, 5))
    mean, error = kernels(method, x, min(12_000 // method.k, 1_500))
    want = law(x @ x.T, (x**2) @ (x**2).T)
    assert (np.abs(mean - want) <= 4 * error + 1e-9).all()


def test_the_squares_cancel_for_even_m_and_s_1() -> None:
    # A row with one feature has no cross terms.
    x = np.diag([1.0, 2.0, 3.0])
    assert np.array_equal(z_of(sqlrp.Degree2KernelProjection(k=4, m=2, s=1), x), np.zeros((3, 4)))


def test_the_reflection_is_orthogonal_and_its_own_inverse() -> None:
    whole = sqlrp.RandomSubspace(k=D, densify="householder", seed=1)
    order = np.argsort(whole.stages(D)[0].picked)
    h = z_of(whole, np.eye(D))[:, order]
    assert np.allclose(h @ h, np.eye(D), atol=1e-12)
    assert np.allclose(h, np.eye(D) - 2 / D, atol=1e-12)
    assert np.allclose(np.linalg.norm(z_of(whole, X), axis=1), np.linalg.norm(X, axis=1), rtol=1e-12)


def test_the_subspace_picks_without_replacement() -> None:
    picks = np.array([draw_sample(D, 3, s, replace=False) for s in range(2000)])
    assert all(len(set(row)) == 3 for row in picks.tolist())
    counts = np.bincount(picks.reshape(-1), minlength=D)
    assert (np.abs(counts - 2000 / 3) < 5 * math.sqrt(2000 / 3)).all()
    assert np.allclose(z_of(sqlrp.RandomSubspace(k=D), X) ** 2, (X**2)[:, draw_sample(D, D, 0, replace=False)])


def test_strata_pick_one_feature_of_each_part() -> None:
    picks = np.array([draw_strata(12, 3, s) for s in range(2000)])
    assert (picks // 4 == np.arange(3)).all()
    counts = np.bincount(picks.reshape(-1), minlength=12)
    assert (np.abs(counts - 500) < 5 * math.sqrt(500)).all()
    # The parts of 5 of 12 features are 2.4 long: every feature is drawn 5/12 times on average, no two parts cross.
    picks = np.array([draw_strata(12, 5, s) for s in range(4000)])
    assert (picks + 1 > np.arange(5) * 2.4).all()
    assert (picks < np.arange(1, 6) * 2.4).all()
    counts = np.bincount(picks.reshape(-1), minlength=12)
    assert (np.abs(counts - 4000 * 5 / 12) < 5 * math.sqrt(4000 * 5 / 12)).all()
    assert draw_strata(12, 12, 0).tolist() == list(range(12))
    # The estimate of a row has d/k times its picked features, and zeros elsewhere.
    assert sqlrp.RandomSubspace(k=5, stratified=True).back_error(12) is None
    some = [np.bincount(draw_strata(12, 3, s), minlength=12) for s in range(2000)]
    errors = ((4 * np.array(some) - 1) ** 2).mean(axis=0)
    assert np.allclose(errors, sqlrp.RandomSubspace(k=3, stratified=True).back_error(12), rtol=0.1)  # type: ignore[arg-type]


def test_strata_keep_the_distances_of_smooth_rows_better() -> None:
    x = np.sin(np.linspace(0, 3, 120) + np.arange(4)[:, None]) ** 2

    def spread(stratified: bool) -> float:
        rows = [z_of(sqlrp.RandomSubspace(k=8, seed=s, stratified=stratified), x) for s in range(50)]
        return float(np.std([(z**2).sum(axis=1) / (x**2).sum(axis=1) for z in rows]))

    assert spread(True) < spread(False) / 3


def test_the_butterfly_is_the_hadamard_matrix() -> None:
    h = np.array([[1.0]])
    for _ in range(4):
        h = np.block([[h, h], [h, -h]])
    every = sqlrp.HadamardProjection(k=400, seed=2)
    stage = every.stages(D)[0]
    flips = draw_signs(np.arange(D), 1, 1, 2, Purpose.FLIPS)[:, 0]
    padded = np.zeros((len(X), 16))
    padded[:, :D] = X * flips
    assert np.allclose(z_of(every, X), (padded @ h)[:, list(stage.sample)] / 20)  # type: ignore[attr-defined]
    # All of it keeps the norm: each entry once, over √D.
    assert np.allclose(np.linalg.norm(padded @ h, axis=1) / 4, np.linalg.norm(X, axis=1))


def test_only_the_butterflies_that_are_needed(shared: Connection) -> None:
    one = sqlrp.sql(sqlrp.HadamardProjection(k=1), "wide", shared, lowering="inline")
    assert one.count("+") + one.count("-") <= D - 1 + 4  # 9 features have 8 sums; signs in front
    assert sqlrp.HadamardProjection(k=3).padded(1) == 1
    assert sqlrp.HadamardProjection(k=3).padded(16) == 16


def test_the_embedding_has_one_sign_in_every_block() -> None:
    for a, k in ((1, 7), (2, 8), (4, 12)):
        matrix = sqlrp.SparseEmbedding(k=k, nnz_per_feature=a, seed=3).stages(500)[0].matrix(np.arange(500))  # type: ignore[attr-defined]
        blocks = matrix.reshape(500, a, k // a)
        assert (np.abs(blocks).sum(axis=2) == 1).all()
        assert abs(blocks.sum()) < 5 * math.sqrt(500 * a)
        counts = np.abs(blocks).sum(axis=0).reshape(-1)
        assert (np.abs(counts - 500 * a / k) < 5 * math.sqrt(500 * a / k)).all()


def test_two_levels_keep_the_features_of_buckets_apart() -> None:
    a, v, q = 2, 3, 5
    stage = sqlrp.SparseEmbedding(k=a * v * q, nnz_per_feature=a, buckets=q, seed=3).stages(500)[0]
    blocks = np.abs(stage.matrix(np.arange(500))).reshape(500, q, a, v)  # type: ignore[attr-defined]
    assert (blocks.sum(axis=3) == blocks.sum(axis=3)[:, :, :1]).all()  # all blocks of one bucket, or none
    assert (blocks.sum(axis=(1, 3)) == 1).all()
    counts = blocks.sum(axis=0).reshape(-1)
    assert (np.abs(counts - 500 / (q * v)) < 5 * math.sqrt(500 / (q * v))).all()


@dataclass(frozen=True)
class Pairs(Seeded):
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


def test_tensor_sketch_is_the_fourier_transform_s_convolution() -> None:
    for degree in (2, 3):
        method = sqlrp.TensorSketch(k=6, degree=degree, seed=4)
        counts = evaluate(method.stages(D)[:1], X, np.arange(D)).reshape(len(X), degree, 6)
        want = np.fft.ifft(np.fft.fft(counts, axis=2).prod(axis=1), axis=1).real
        assert np.allclose(z_of(method, X), want)


def test_monomials_are_found_by_their_numbers() -> None:
    """In the order of itertools; and drawn ones are as near to the kernel as 1/√k of the rows' lengths allows."""
    for d, degree in ((5, 3), (6, 2), (4, 1), (1, 4), (3, 5)):
        every = list(itertools.combinations_with_replacement(range(d), degree))
        assert monomials.monomials(np.arange(len(every)), d, degree).tolist() == list(map(list, every))
        counts = [math.factorial(degree) // math.prod(math.factorial(m.count(j)) for j in set(m)) for m in every]
        assert np.allclose(monomials.ways(np.array(every)), counts)
    x = np.random.default_rng(0).normal(size=(12, 617))  # as many features as ISOLET has
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    found = []
    for seed in range(4):
        method = sqlrp.ExplicitPolynomialProjection(k=500, seed=seed)
        assert (method.n_monomials(617), method.n_drawn(617)) == (190_653, 437)
        z = evaluate(method.stages(617), x, np.arange(617)) * method.factor(617)
        found.append(z @ z.T)
    assert np.abs(np.mean(found, axis=0) - (x @ x.T) ** 2).max() < 4 / math.sqrt(4 * 500)


def assert_formula(
    con: Connection, method: sqlrp.ExplicitPolynomialProjection, x: Any, factor: float, lowerings: tuple[str, ...]
) -> None:
    """Every layout by the lowerings, and a call by the saved name, give the formula."""
    want = np.array([[float(z) for z in by_formula(method, list(map(Fraction, row)))] for row in x.tolist()])
    want *= math.sqrt(factor)
    assert np.abs(want).max() > 1
    for layout, lowering in itertools.product(LAYOUTS, lowerings):
        if (layout, lowering) != ("long", "inline"):
            source = load(con, layout, x.tolist(), table=layout)
            found = sqlrp.project(method, source, con, output="array", lowering=lowering).sort_by("id").to_pydict()["z"]
            np.testing.assert_allclose(found, want, rtol=1e-9, atol=1e-9)
    sqlrp.install(con)
    sqlrp.save(method, con, "drawn", source="wide", replace=True)
    kept = con.execute("SELECT z FROM project_with('drawn', 'wide', output := 'array') ORDER BY id").fetchall()
    np.testing.assert_allclose([z for (z,) in kept], want, rtol=1e-9, atol=1e-9)


def test_many_monomials_are_their_formula(con: Connection) -> None:
    assert_formula(con, DRAWN, MANY, 20_475 / 16, ("inline", "relational", "native"))


def test_weights_of_many_monomials_are_their_formula(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """As expressions, 495 monomials that count as many: DuckDB takes half a minute for the text of 20,475."""
    assert_formula(con, UNWRITTEN, MANY[:2], 1 / 3, ("relational", "native"))
    monkeypatch.setattr(explicit, "MOST_MONOMIALS", 494)
    few = MANY[:, :D]
    assert isinstance(UNWRITTEN.stages(D)[0], MonomialSums)
    assert_formula(con, UNWRITTEN, few, 1 / 3, ("inline", "relational", "native"))


def test_monomials_that_are_too_many_to_write_are_summed_part_by_part(
    con: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the signs that each monomial's number gives; no value is lost where 0 meets infinity."""
    monkeypatch.setattr(explicit, "MOST_TERMS", 0)
    monkeypatch.setattr(evaluator_sums, "_PART", 5_000)
    method = sqlrp.ExplicitPolynomialProjection(k=3, degree=4, s=3, seed=2)
    n, numbers = method.n_monomials(25), np.arange(25)
    signed = explicit.all_monomials(n, 25, 4), SignedSums(3, 3, seed=2)
    want = evaluate(signed, MANY, numbers)
    assert np.allclose(program_of(method, MANY), want, rtol=1e-9, atol=1e-9)
    great = MANY.copy()
    great[1, 4], great[2] = math.inf, 0
    found, want = program_of(method, great), evaluate(signed, great, numbers)
    assert not np.isfinite(want[1]).all()
    np.testing.assert_allclose(found, want, rtol=1e-9, atol=1e-9)
    # A database is told so many terms, or refuses; rows that Python evaluates do not need them.
    monkeypatch.setattr(stage_of_monomials, "MOST_WRITTEN", 1_000)
    source = load(con, "wide", MANY.tolist(), table="wide")
    with pytest.raises(sqlrp.LimitError) as caught:
        sqlrp.project(method, source, con, lowering="relational")
    assert_one_line(caught, "20,475 monomials for each of k = 3 components", "lower k")
    found = np.array(sqlrp.project(method, source, con, output="array").sort_by("id")["z"].to_pylist())
    assert np.allclose(found, evaluate(signed, MANY, numbers), rtol=1e-9, atol=1e-9)


def program_of(method: sqlrp.Projection, x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The rows by the evaluator, without the factor."""
    stages = method.stages(x.shape[1])
    made = program(stages, np.arange(x.shape[1]), [np.float64] * (len(stages) + 1))
    return run(made, Entries(np.ascontiguousarray(x.T)), by_rows=True)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (sqlrp.ExplicitPolynomialProjection(degree=12), "9 features"),
        (
            sqlrp.ExplicitPolynomialProjection(k=1000, degree=6, s=1),
            "869,107,785 monomials for each of k = 1,000 components are more than 100,000,000,000 weights",
        ),
    ],
)
def test_too_many_monomials_are_refused(method: sqlrp.ExplicitPolynomialProjection, words: str) -> None:
    with pytest.raises(sqlrp.LimitError) as caught:
        method.stages(90)
    assert_one_line(caught, words.replace("9 features", "90 features"), "use PolynomialKernelProjection")


def test_explicit_monomials_are_the_feature_space() -> None:
    method = sqlrp.ExplicitPolynomialProjection(k=2, degree=3, s=1)
    phi = evaluate(method.stages(D)[:1], X, np.arange(D))
    assert phi.shape[1] == math.comb(D + 2, 3)
    assert np.allclose(phi @ phi.T, (X @ X.T) ** 3)


@pytest.mark.parametrize(("d", "degree"), [(1, 1), (9, 2), (5, 5), (2, 18), (3, 19), (3, 60)])
def test_weights_of_monomials_are_the_roots_of_whole_numbers(d: int, degree: int) -> None:
    # Coefficients of high degrees have more digits than a float, or than 64 bits.
    written = sqlrp.ExplicitPolynomialProjection(k=2, degree=degree).stages(d)[0]
    assert isinstance(written, GivenProducts)
    chosen = list(itertools.combinations_with_replacement(range(d), degree))
    assert written.factors.tolist() == [list(monomial) for monomial in chosen]
    runs = [math.prod(math.factorial(monomial.count(f)) for f in set(monomial)) for monomial in chosen]
    assert written.weights.tolist() == [math.sqrt(math.factorial(degree) // run) for run in runs]


def test_data_tuning_never_raises_the_loss_and_knows_it() -> None:
    x = np.random.default_rng(5).normal(0, 1, (40, 20))
    search = Search(x, 10, 3.0, 7)
    before, kept = search.loss, 0
    for _ in range(200):
        kept += search.step()
        assert search.loss <= before
        before = search.loss
        z = x @ search.signs * math.sqrt(3.0 / 10)
        pairs = np.triu_indices(40, 1)
        true, got = squared_distances(x)[pairs], squared_distances(z)[pairs]
        assert math.isclose(search.loss, float(np.mean(np.abs(got - true) / true)), rel_tol=1e-9)
    assert 0 < kept < 200
    assert set(np.unique(search.signs)) <= {-1, 0, 1}


def test_data_tuning_stops_on_demand_and_repeats_itself() -> None:
    x = np.random.default_rng(5).normal(0, 1, (30, 20))
    method = sqlrp.DataTunedProjection(k=8, n_iter=60, seed=3)
    seen: list[int] = []
    stopped = method.fit(x, lambda done, _: seen.append(done) is not None or done == 20)
    assert seen == list(range(1, 21))
    assert stopped.arrays["signs"].tolist() == replace(method, n_iter=20).fit(x).arrays["signs"].tolist()
    assert method.fit(x) == method.fit(x)
    assert method.fit(x) != replace(method, seed=4).fit(x)

    def interrupted(done: int, loss: float) -> bool:
        raise KeyboardInterrupt

    assert (
        method.fit(x, interrupted).arrays["signs"].tolist() == replace(method, n_iter=1).fit(x).arrays["signs"].tolist()
    )


def test_best_of_n_is_the_best() -> None:
    x = np.random.default_rng(5).normal(0, 1, (30, 20))
    method = sqlrp.DataTunedProjection(k=8, seed=3)
    losses = [Search(x, 8, math.sqrt(20), 3 + i).loss for i in range(6)]
    assert method.best_of(6, x) == sqlrp.SparseProjection(k=8, seed=3 + int(np.argmin(losses)))


def test_nystroem_is_exact_at_its_landmarks() -> None:
    method = replace(TRAINED["nystroem"], k=12).fit(X)
    z = z_of(method, X)
    assert np.allclose(z @ z.T, (X @ X.T + 1) ** 3, rtol=1e-6)


KERNELS: dict[str, Callable[..., Any]] = {
    "polynomial": lambda x, y: polynomial_kernel(x, y, degree=3, gamma=0.5, coef0=1),
    "rbf": lambda x, y: rbf_kernel(x, y, gamma=0.5),
    "cosine": cosine_similarity,
}
"""Scikit-learn's kernels, of the degree 3, c = 1 and γ = 1/2."""


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("variant", ["nystroem", "gaussian", "orthonormal", "kpca"])
def test_landmarks_take_scikit_learn_s_kernels(name: str, variant: str) -> None:
    options: dict[str, Any] = {"degree": 3, "c": 1.0, "kernel_name": name, "gamma": 0.5, "sample": 12, "seed": 3}
    if variant == "nystroem":
        method: Any = sqlrp.NystroemProjection(k=12, **options)
    else:
        k = 11 if variant == "orthonormal" else 12
        method = sqlrp.KernelGaussianProjection(k=k, t=3, variant=variant, **options)
    fitted, others = method.fit(X), np.random.default_rng(2).normal(size=(7, D))
    kernel = KERNELS[name]
    landmarks = X[draw_permutation(len(X), 3, Purpose.SAMPLE)] if variant == "nystroem" else X
    z = z_of(fitted, others)
    np.testing.assert_allclose(z, kernel(others, landmarks) @ fitted.arrays["weights"], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(fitted.kernel().matrix(others), kernel(others, others), rtol=1e-9, atol=1e-12)
    if variant in ("nystroem", "orthonormal"):  # with a direction for each landmark, all distances are kept
        at = z_of(fitted, X)
        np.testing.assert_allclose(apart(at @ at.T), apart(kernel(X, X)), rtol=1e-5, atol=1e-8)


def apart(inner: Any) -> Any:
    """The squared distances for a matrix of inner products."""
    return np.diag(inner)[:, None] + np.diag(inner) - 2 * inner


def test_the_default_of_gamma_is_scikit_learn_s() -> None:
    wide = sqlrp.NystroemProjection(k=3, kernel_name="rbf", sample=12).fit(X)
    assert np.allclose(wide.kernel().matrix(X), rbf_kernel(X))
    assert np.allclose(replace(TRAINED["nystroem"], c=0.0).fit(X).kernel().matrix(X), (X @ X.T) ** 3)
    narrow = sqlrp.NystroemProjection(k=2, kernel_name="rbf").fit(X[:, :1])
    assert narrow.kernel() == Radial(1.0)
    assert replace(wide, gamma=1 / D).kernel() == wide.kernel()
    with pytest.raises(
        sqlrp.ParameterError, match=r"gamma = 2.0 must be 0.111\d*, with which it was fitted: fit it again"
    ):
        replace(wide, gamma=2.0)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kernel_name": "tanh"}, "kernel_name = 'tanh' must be one of polynomial, rbf, cosine"),
        ({"gamma": 0}, "gamma = 0 must be a finite number > 0, or None for the default"),
        ({"gamma": math.inf}, "gamma = inf must be a finite number > 0"),
        ({"gamma": True}, "gamma = True"),
    ],
)
def test_other_kernels_are_refused(values: dict[str, Any], words: str) -> None:
    for method in (sqlrp.NystroemProjection, sqlrp.KernelGaussianProjection):
        with pytest.raises(sqlrp.ParameterError) as caught:
            method(**values)
        assert_one_line(caught, words)


def test_kernel_directions_are_orthonormal() -> None:
    method = replace(TRAINED["korp"], k=5).fit(X)
    w = method.arrays["weights"] * math.sqrt(5 / 11)
    assert np.allclose(w.sum(axis=0), 0, atol=1e-8)
    assert np.allclose(w.T @ ((X @ X.T) ** 2) @ w, np.eye(5), atol=1e-8)


def test_kernel_directions_are_those_of_kulis_and_grauman() -> None:
    """Section 3 of their paper, with the monomials written out: whitened means of t rows minus the mean of all."""
    fitted = sqlrp.KernelGaussianProjection(k=4, t=3, sample=12, seed=5).fit(X)
    numbers = hashes(5, Purpose.INDEX, np.arange(4, dtype=np.int64), np.arange(12, dtype=np.int64))
    rows = np.einsum("ni,nj->nij", X, X).reshape(12, -1)  # degree 2 without a constant
    about = rows - rows.mean(axis=0)
    values, vectors = np.linalg.eigh(about.T @ about / 11)
    kept = values > 1e-9 * values.max()
    whitening = vectors[:, kept] / np.sqrt(values[kept]) @ vectors[:, kept].T
    directions = [
        math.sqrt(3) * (rows[np.argsort(of_component)[:3]].mean(axis=0) - rows.mean(axis=0)) @ whitening
        for of_component in numbers
    ]
    assert np.allclose(z_of(fitted, X), rows @ np.array(directions).T / math.sqrt(4))


def test_a_projection_that_was_fitted_without_centring_stays() -> None:
    fitted = TRAINED["kg-rp"].fit(X)
    kept = {name: array for name, array in fitted.arrays.items() if name != "centred"}
    before = sqlrp.from_json(fitted.with_arrays(**kept).to_json())
    assert before.kernel().placed
    assert not fitted.kernel().placed
    assert np.array_equal(z_of(before, X), z_of(fitted, X))


def test_principal_components_are_numpy_s() -> None:
    z = z_of(TRAINED["pca"].fit(X), X)
    centred = X - X.mean(axis=0)
    values = np.linalg.eigvalsh(centred.T @ centred)[::-1]
    assert np.allclose((z**2).sum(axis=0), values[:4] * values.sum() / values[:4].sum())
    assert np.allclose(z.T @ z, np.diag((z**2).sum(axis=0)), atol=1e-9)
    assert math.isclose(squared_distances(z).mean(), squared_distances(X).mean())


def test_pooling_is_its_formula() -> None:
    """The sum of the formula of every row; of both descriptors the full one is the outer product (eq. 2.20)."""
    rows = [[Fraction(v) for v in row] for row in X[:5].tolist()]

    def pooled(method: Projection) -> Any:
        return evaluate(replace(method, normalise=False).stages(D), X[:5], np.arange(D), np.zeros(5, dtype=int))[0]  # type: ignore[call-arg]

    for name, method in GROUPED.items():
        want = np.sum([[float(z) for z in by_formula(method, row)] for row in rows], axis=0)
        np.testing.assert_allclose(pooled(method), want, rtol=1e-9, atol=1e-9, err_msg=name)
    assert np.allclose(pooled(GROUPED["pooling-full"]), (X[:5].T @ X[:5]).reshape(-1))
    assert np.allclose(pooled(GROUPED["pooling-full-two"]), (X[:5, :3].T @ X[:5, 3:]).reshape(-1))


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
    x, _ = sqlrp.run.sampling.sample(source_of(layout), shared, 6, 2)  # type: ignore[attr-defined]
    assert x.shape == (6, D)
    assert {tuple(row) for row in x} <= {tuple(row) for row in X}
    assert len({tuple(row) for row in x}) == 6
    other, _ = sqlrp.run.sampling.sample(source_of(layout), shared, 6, 3)  # type: ignore[attr-defined]
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
