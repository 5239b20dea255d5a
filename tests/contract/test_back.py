"""Back projection: the transposed sums on every engine, their error against theory, and k larger than d."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import DATABASES as ENGINES
from cases import METHODS as EVERY_METHOD
from databases import FAMILY, Database
from helpers import assert_one_line

import sqlrp
from sqlrp import (
    Array,
    DataTunedProjection,
    GaussianProjection,
    HadamardProjection,
    Long,
    ParameterError,
    PolynomialKernelProjection,
    PrincipalComponents,
    Projection,
    RandomSubspace,
    SourceError,
    SparseEmbedding,
    SparseProjection,
    Standardized,
    UnsupportedError,
    Wide,
)
from sqlrp._projections.trained import TrainedProjection
from sqlrp._run.frames.matrix import project_array

LINEAR: dict[str, Projection] = {
    "sparse": SparseProjection(k=6, s=2, seed=1),
    "dense": SparseProjection(k=6, s=1, seed=1),
    "gaussian": GaussianProjection(k=6, seed=1),
    "subspace": RandomSubspace(k=6, seed=1),
    "householder": RandomSubspace(k=6, seed=1, densify="householder"),
    "hadamard": HadamardProjection(k=6, seed=1, replacement=True),
    "hadamard least": HadamardProjection(k=6, seed=1, padding="least", replacement=False),
    "hadamard again": HadamardProjection(k=6, seed=1, padding="least", replacement=True),
    "embedding": SparseEmbedding(k=6, nnz_per_feature=2, seed=1),
    "two levels": SparseEmbedding(k=6, nnz_per_feature=2, seed=1, buckets=3),
}
X = np.random.default_rng(4).normal(1, 2, (7, 9))
NAMES = ["p0", "a b", 'q"', "z1", "Id2", *(f"f{j}" for j in range(4))]


def by_unit_vectors(projection: Projection, d: int) -> Any:
    """The map of a linear projection as a matrix (d, k): what it does to the unit vectors."""
    return project_array(projection, np.eye(d))


@pytest.mark.parametrize("method", LINEAR)
@pytest.mark.parametrize("name", ENGINES)
def test_the_transposed_map(db: Database, name: str, method: str) -> None:
    projection = LINEAR[method]
    a = by_unit_vectors(projection, 9)
    z = X @ a
    columns = [("id", "BIGINT"), *((f"z{c}", "Float64" if name == "clickhouse" else "FLOAT(53)") for c in range(6))]
    columns = [(n, "DOUBLE" if name in ("duckdb", *FAMILY) and n != "id" else kind) for n, kind in columns]
    table = db.make("small", columns, [[i, *row] for i, row in enumerate(z.tolist())])
    result = sqlrp.back_project(projection, table, db.connection, features=NAMES)
    assert result.column_names == ["id", *NAMES]
    frame = result.to_pandas().sort_values("id")
    np.testing.assert_allclose(frame[NAMES].to_numpy(float), z @ a.T, rtol=1e-9, atol=1e-9)


def test_every_layout_and_output(con: Any) -> None:
    projection = LINEAR["sparse"].bound(NAMES)
    con.register("x", pd.DataFrame(X, columns=NAMES).assign(id=range(7)))
    a = by_unit_vectors(LINEAR["sparse"], 9)
    want = X @ a @ a.T
    sources = {"columns": "small_columns", "array": Array("small_array", "z")}
    sources["long"] = Long("small_long", feature="component", n_features=6)
    for made, source in sources.items():
        small = sqlrp.project(projection, Wide("x", features=NAMES), con, output=made)  # type: ignore[arg-type]
        con.register("small", small)
        con.execute(f"CREATE TABLE small_{made} AS FROM small")
        got = sqlrp.back_project(projection, source, con).to_pandas().sort_values("id")
        np.testing.assert_allclose(got[NAMES].to_numpy(), want, atol=1e-9)
    long = sqlrp.back_project(projection, "small_columns", con, output="long").to_pandas()
    np.testing.assert_allclose(long.sort_values(["id", "component"])["value"].to_numpy().reshape(7, 9), want, atol=1e-9)
    frame = con.sql("FROM small_columns").df()
    got = sqlrp.back_project(projection, frame)
    np.testing.assert_allclose(got[NAMES].to_numpy(), want, atol=1e-9)
    with pytest.raises(SourceError) as caught:
        sqlrp.back_project(projection, frame.drop(columns="z3"))
    assert_one_line(caught, "z3")


@pytest.mark.parametrize("method", LINEAR)
@pytest.mark.parametrize("shrink", [False, True])
def test_the_error_is_the_theory_s(method: str, shrink: bool) -> None:
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(300, 9)))
    seeds = range(60)
    found = [
        sqlrp.back_projection_error(replace(LINEAR[method], seed=i), frame, sample=300, shrink=shrink, key=None)  # type: ignore[call-arg]
        for i in seeds
    ]
    expected = found[0].expected
    assert expected is not None
    assert np.mean([e.measured for e in found]) == pytest.approx(expected, rel=0.1)
    assert all(e.rows == 300 for e in found)
    a = by_unit_vectors(LINEAR[method], 9)
    back = frame.to_numpy() @ a @ a.T / (1 + found[0].expected / (1 - found[0].expected) if shrink else 1)  # type: ignore[operator]
    own = sqlrp.back_projection_error(LINEAR[method], frame, sample=300, shrink=shrink, key=None)
    want = ((back - frame.to_numpy()) ** 2).sum() / (frame.to_numpy() ** 2).sum()
    assert own.measured == pytest.approx(want, rel=1e-9)
    assert f"{own.expected:.4g} expected" in str(own)


def test_statistics_and_means_are_taken_back(con: Any) -> None:
    frame = pd.DataFrame(X * [1, 2, 3, 4, 5, 6, 7, 8, 9] + 100, columns=NAMES)
    con.register("t", frame)
    every = sqlrp.fit(RandomSubspace(k=9), Standardized(Wide("t", key=None)), con)
    components = sqlrp.fit(PrincipalComponents(k=7), Wide("t", key=None), con)  # 7 rows: they span 6 directions
    both = sqlrp.fit(PrincipalComponents(k=7), Standardized(frame, "minmax"), key=None)
    for projection in (every, components, both):
        got = sqlrp.back_project(projection, sqlrp.project(projection, frame, key=None), key=None)
        assert list(got.columns) == NAMES
        np.testing.assert_allclose(got.to_numpy(), frame.to_numpy(), rtol=1e-9)
        assert sqlrp.back_projection_error(projection, frame, key=None).measured == pytest.approx(0, abs=1e-12)
    assert sqlrp.back_projection_error(components, Wide("t", key=None), con).expected is None


def test_a_tuned_table_is_transposed(con: Any) -> None:
    frame = pd.DataFrame(X, columns=NAMES)
    tuned = sqlrp.fit(DataTunedProjection(k=5, s=1, n_iter=20), frame, key=None)
    a = by_unit_vectors(tuned, 9)
    got = sqlrp.back_project(tuned, sqlrp.project(tuned, frame, key=None), key=None)
    np.testing.assert_allclose(got.to_numpy(), X @ a @ a.T, atol=1e-9)


def test_refusals(con: Any) -> None:
    con.execute("CREATE TABLE small AS SELECT 1 AS id, 2.0 AS z0, 3.0 AS z1")
    two = SparseProjection(k=2, s=1)
    frame = pd.DataFrame(X, columns=NAMES)
    l2 = sqlrp.fit(two, Standardized(frame, "l2"), key=None)
    unsupported = {
        "PolynomialKernelProjection is not linear": lambda: sqlrp.back_project(
            PolynomialKernelProjection(k=2), "small", con, features=3
        ),
        "'l2' divided every row by its norm": lambda: sqlrp.back_project(l2, "small", con),
        "'l2' divided": lambda: sqlrp.back_projection_error(l2, frame, key=None),
    }
    wrong = {
        "pass features = [names] or their number": lambda: sqlrp.back_project(two, "small", con),
        "features = 0 must be": lambda: sqlrp.back_project(two, "small", con, features=0),
        "features = ['a', 'a'] must be": lambda: sqlrp.back_project(two, "small", con, features=["a", "a"]),
        "sample = 0": lambda: sqlrp.back_projection_error(two, frame, sample=0),
    }
    sources = {
        "'z2'": lambda: sqlrp.back_project(replace(two, k=3), "small", con, features=4),
        "has an output column's name": lambda: sqlrp.back_project(two, "small", con, features=["id", "b"]),
        "squares sum to 0": lambda: sqlrp.back_projection_error(two, frame * 0, key=None),
    }
    for kind, cases in ((UnsupportedError, unsupported), (ParameterError, wrong), (SourceError, sources)):
        for words, call in cases.items():
            with pytest.raises(kind) as caught:
                call()
            assert_one_line(caught, words)


@pytest.mark.parametrize("method", [m for m, p in EVERY_METHOD.items() if p.bound_to is None])
def test_k_may_be_larger_than_d(con: Any, method: str) -> None:
    """Every method but those that pick or turn: k of d features, k of d directions."""
    sampled = {"sample": 40, "state": None} if isinstance(EVERY_METHOD[method], TrainedProjection) else {}
    projection = replace(EVERY_METHOD[method], bound_to=None, k=24, **sampled)  # type: ignore[arg-type]
    x = np.random.default_rng(2).normal(size=(40, 3))
    frame = pd.DataFrame(x, columns=list("abc"))
    con.register("t", frame.assign(id=range(40)))
    if isinstance(projection, (RandomSubspace, PrincipalComponents, sqlrp.OrthonormalProjection)):
        with pytest.raises((ParameterError, SourceError), match="k = 24 must be at most the number of features = 3"):
            sqlrp.fit(projection, frame, key=None) if isinstance(projection, TrainedProjection) else sqlrp.project(
                projection, frame, key=None
            )
        return
    if isinstance(projection, TrainedProjection):
        projection = sqlrp.fit(projection, frame)
    got = sqlrp.project(projection, "t", con).to_pandas().sort_values("id")
    want = project_array(projection, x)
    assert want.shape == (40, 24)
    np.testing.assert_allclose(got.filter(regex=r"^z").to_numpy(), want, atol=1e-9 * np.abs(want).max())
