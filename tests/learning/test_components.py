"""Principal components of all rows, added up where the rows are: those of scikit-learn, on every engine and layout."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from databases import Database
from learnt import ENGINES
from numpy.typing import NDArray
from sklearn.decomposition import PCA

import sqlrp
from sqlrp._evaluator.moments import SketchMoments
from sqlrp._projections.principal import PrincipalComponents

RNG = np.random.default_rng(5)
N, D, K = 60, 12, 4
X = (RNG.normal(size=(N, D)) * np.arange(1, D + 1) ** -0.8) @ RNG.normal(size=(D, D)) + np.arange(D) * 1e3
FAR = X + 1e7
TWIN = np.hstack([X[:, :6], X[:, :6]])


def assert_components(fitted: Any, x: NDArray[np.float64], rtol: float = 1e-9) -> None:
    """The same components, signs, mean and scale as scikit-learn's."""
    want = PCA(fitted.k, svd_solver="full").fit(x)
    weights = fitted.arrays["weights"]
    assert np.allclose(weights[:-1], want.components_.T, atol=rtol)
    assert np.allclose(fitted.arrays["mean"], want.mean_, rtol=1e-12)
    assert np.allclose(weights[-1], -want.components_ @ want.mean_, rtol=rtol, atol=rtol * np.abs(x).max())
    assert fitted.arrays["scale"] == pytest.approx(want.explained_variance_ratio_.sum() ** -0.5, rel=rtol)


def components(x: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    return PCA(k, svd_solver="full").fit(x).components_.T


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        (name, layout)
        for name in ENGINES
        for layout in ["wide", "long"] + ["array"] * sqlrp._engines.registry.ENGINES[name].has_arrays
    ],
)
def test_all_rows(db: Database, name: str, layout: str) -> None:
    for at, x in enumerate((X, FAR)):
        source = db.load(layout, x.tolist(), table=f"t{at}")
        fitted = sqlrp.fit(PrincipalComponents(k=K), source, db.connection)
        assert_components(fitted, x, 1e-9 if at == 0 else 1e-6)
        assert fitted.bound_to == (tuple(f"f{j}" for j in range(D)) if layout == "wide" else D)


@pytest.mark.parametrize("name", ENGINES)
def test_prepared_rows(db: Database, name: str) -> None:
    fitted = sqlrp.fit(PrincipalComponents(k=K), sqlrp.Standardized(db.load("wide", X.tolist())), db.connection)
    assert_components(fitted.of, (X - X.mean(axis=0)) / X.std(axis=0))


@pytest.mark.parametrize("name", ENGINES)
def test_rows_with_null_are_refused(db: Database, name: str) -> None:
    holes = [*X.tolist(), [None, *X[0, 1:].tolist()]]
    with pytest.raises(sqlrp.SourceError, match="holds NULL, which nothing can be learnt from: clean such rows"):
        sqlrp.fit(PrincipalComponents(k=K), db.load("wide", holes), db.connection)


@pytest.mark.parametrize("layout", ["wide", "long", "array"])
@pytest.mark.parametrize("kind", ["table", "view"])
def test_a_sketch_finds_them_in_two_scans(monkeypatch: pytest.MonkeyPatch, layout: str, kind: str) -> None:
    """If the sketch is as wide as the rows, it finds them exactly; a view is projected by SQL."""
    monkeypatch.setattr("sqlrp._learning.components.MOST", 5)
    wide = np.hstack([X, X @ RNG.normal(size=(D, 50 - D))])  # of rank D, with more features than SQL adds up itself
    with duckdb.connect(config={"threads": "1"}) as con:
        frame = pd.DataFrame({"id": range(N), "v": wide.tolist()})
        con.register("frame", frame)
        con.execute("CREATE TABLE a AS SELECT id, v::DOUBLE[50] AS v FROM frame")
        if layout == "wide":
            columns = ", ".join(f"v[{j + 1}] AS f{j}" for j in range(50))
            con.execute(f"CREATE TABLE t AS SELECT id, {columns} FROM a")
            source: Any = sqlrp.Wide
        elif layout == "array":
            con.execute("CREATE TABLE t AS FROM a")
            source = lambda name: sqlrp.Array(name, "v")  # noqa: E731
        else:
            con.execute("CREATE TABLE t AS SELECT id, unnest(range(50)) AS feature, unnest(v) AS value FROM a")
            source = lambda name: sqlrp.Long(name, key="id", n_features=50)  # noqa: E731
        con.execute("CREATE VIEW seen AS FROM t")
        fitted = sqlrp.fit(PrincipalComponents(k=K), source("t" if kind == "table" else "seen"), con)
    assert_components(fitted, wide, 1e-7)


def test_a_sketch_keeps_nearly_all_variance() -> None:
    """At least 99% of the best, of variances that fall as slowly as 1, 1/2, 1/3 …."""
    x = RNG.normal(size=(700, 400)) * np.arange(1, 401) ** -0.5
    away = x - x.mean(axis=0)
    for k in (1, 10, 64):
        fitted = PrincipalComponents(k=k).fit_sketch(lambda weights: SketchMoments.of(x, weights), 400)
        kept = fitted.arrays["weights"][:-1]
        best = components(x, k)
        assert np.allclose(kept.T @ kept, np.eye(k), atol=1e-12)
        assert 0.99 < np.square(away @ kept).sum() / np.square(away @ best).sum() <= 1 + 1e-12
        share = np.square(away).sum() / np.square(away @ kept).sum()
        assert fitted.arrays["scale"] == pytest.approx(share**0.5, rel=0.02)


def test_a_sketch_of_rows_of_low_rank() -> None:
    """Directions that no row has are at right angles to the others, and of no variance."""
    x = np.outer(np.arange(9.0), np.arange(30.0))
    fitted = PrincipalComponents(k=3).fit_sketch(lambda weights: SketchMoments.of(x, weights), 30)
    kept = fitted.arrays["weights"][:-1]
    assert np.allclose(kept.T @ kept, np.eye(3), atol=1e-9)
    assert np.allclose(kept[:, 0], np.arange(30.0) / np.linalg.norm(np.arange(30.0)))
    assert fitted.arrays["scale"] == pytest.approx(1)


@pytest.mark.parametrize("cut", [1, 17, 59])
def test_sums_of_parts_are_those_of_the_whole(cut: int) -> None:
    weights = RNG.normal(size=(D, 5))
    whole = SketchMoments.of(FAR, weights)
    parts = SketchMoments.of(FAR[:cut], weights) + SketchMoments.unpack(SketchMoments.of(FAR[cut:], weights).pack())
    away = FAR - FAR.mean(axis=0)
    for found in (whole, parts):
        assert found.count == N
        assert np.allclose(found.mean, FAR.mean(axis=0), rtol=1e-14)
        assert found.variance == pytest.approx(np.square(away).sum(), rel=1e-9)
        assert np.allclose(found.products, away.T @ (away @ weights), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("x", [X, np.vstack([X] * 5), FAR, TWIN], ids=["few", "many", "far", "twin"])
def test_a_dataframe(x: NDArray[np.float64]) -> None:
    """By the rows' decomposition if there are few of them, else by their products."""
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])])
    assert_components(sqlrp.fit(PrincipalComponents(k=K), frame, key=None), x, 1e-6)


def test_what_cannot_be_learnt_from() -> None:
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT range AS id, range * 2.0 AS a, range % 3 AS b FROM range(2)")
        con.execute("CREATE TABLE none AS FROM t LIMIT 0")
        con.execute("CREATE TABLE odd AS SELECT id, a, CASE WHEN id = 1 THEN 'nan'::DOUBLE ELSE b END AS b FROM t")
        for k, table, words in (
            (3, "t", "k = 3 must be at most the number of features = 2: lower k"),
            (1, "none", "0 rows are fewer than the 1 components: lower k, or take a larger source"),
            (1, "odd", "NaN or infinite: clean the rows"),
        ):
            with pytest.raises(sqlrp.SourceError, match=words):
                sqlrp.fit(PrincipalComponents(k=k), table, con)
    with pytest.raises(sqlrp.ParameterError, match="needs a connection"):
        sqlrp.fit(PrincipalComponents(k=1), "t")
    with pytest.raises(sqlrp.ParameterError, match="sample = 1 must be a whole number >= 2"):
        PrincipalComponents(k=1, sample=1)
    with pytest.raises(sqlrp.ParameterError, match="sample = None must be a whole number >= 2"):
        sqlrp.NystroemProjection(k=1, sample=None)


def test_a_sample_is_still_drawn() -> None:
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)])
    some, every = (sqlrp.fit(PrincipalComponents(k=2, sample=n), frame, key=None) for n in (20, None))
    assert some != every
    assert sqlrp.from_json(every.to_json()) == every
