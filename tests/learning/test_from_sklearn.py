"""from_sklearn: the numbers of scikit-learn's transform, on the engines, and refusals of other estimators."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from databases import Database
from estimators import TAKEN, D
from estimators import X as FITTED_ON
from helpers import assert_one_line
from sklearn.base import clone
from sklearn.decomposition import NMF, PCA, TruncatedSVD
from sklearn.ensemble import RandomForestRegressor
from sklearn.kernel_approximation import Nystroem, PolynomialCountSketch
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import StandardScaler

import sqlrp
import sqlrp.sklearn

X = np.where(np.random.default_rng(3).random(FITTED_ON.shape) < 0.3, 0, FITTED_ON)


def transformed(fitted: Any, x: Any = X) -> Any:
    z = fitted.transform(x)
    return z.toarray() if hasattr(z, "toarray") else z


@pytest.mark.parametrize("taken", TAKEN)
@pytest.mark.parametrize("name", ["duckdb", "postgresql", "sqlite"])
def test_the_numbers_of_transform(db: Database, name: str, taken: str) -> None:
    projection = sqlrp.from_sklearn(TAKEN[taken])
    want = transformed(TAKEN[taken])
    for lowering in ("inline", "relational"):
        got = db.projected(projection, db.load("wide", X.tolist()), lowering=lowering)
        rows = np.array([got[i] for i in range(len(X))], dtype=float)
        assert np.abs(rows - want).max() <= 1e-9 * np.abs(want).max()


@pytest.mark.parametrize("taken", TAKEN)
def test_it_survives_being_saved(con: duckdb.DuckDBPyConnection, taken: str) -> None:
    projection = sqlrp.from_sklearn(TAKEN[taken])
    assert projection.bound_to == D
    sqlrp.save(projection, con, taken)
    kept = sqlrp.load(con, taken)
    assert kept == projection
    assert np.allclose(sqlrp.project_vector(kept, X[1].tolist()), transformed(TAKEN[taken])[1], rtol=1e-9, atol=1e-12)


def test_signs_stay_signs() -> None:
    for taken in ("sparse", "sparse-dense", "count-sketch"):
        assert all(stage.exact for stage in sqlrp.from_sklearn(TAKEN[taken]).stages(D))
    text = sqlrp.sql(sqlrp.from_sklearn(TAKEN["sparse"]), sqlrp.Wide("t", features=list("abcdefghi")), "duckdb")
    assert text.count("*") == 5  # the scale of each component


def test_names_are_held_and_frames_taken() -> None:
    frame = pd.DataFrame(X, columns=list("abcdefghi"))
    projection = sqlrp.from_sklearn(PCA(2).fit(frame))
    assert projection.bound_to == tuple("abcdefghi")
    turned = frame[list("ihgfedcba")].assign(more=1.0)
    assert sqlrp.project(projection, turned, key=None).equals(sqlrp.project(projection, frame, key=None))
    own = sqlrp.sklearn.SparseProjection(3, random_state=1).fit(frame)
    assert sqlrp.from_sklearn(own) == own.projection_


def test_float32_and_subclasses() -> None:
    class Own(PCA):  # type: ignore[misc]  # untyped
        pass

    fitted = Own(3).fit(X.astype(np.float32))
    z = sqlrp.project(sqlrp.from_sklearn(fitted), pd.DataFrame(X), key=None).to_numpy()
    assert np.allclose(z, fitted.transform(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("fitted", "error", "words"),
    [
        (PCA(2), sqlrp.ParameterError, ["PCA(n_components=2)", "not fitted"]),
        (Nystroem(), sqlrp.ParameterError, ["Nystroem()", "call its fit"]),
        (sqlrp.sklearn.SparseProjection(), sqlrp.ParameterError, ["not fitted"]),
        (NMF(2), sqlrp.UnsupportedError, ["NMF", "SparseRandomProjection", "Nystroem"]),
        (17, sqlrp.UnsupportedError, ["17", "PCA"]),
        (Nystroem(kernel="sigmoid", n_components=4).fit(X), sqlrp.UnsupportedError, ["'sigmoid'", "'rbf'"]),
        (Nystroem(kernel="poly", degree=1.5, n_components=4).fit(abs(X)), sqlrp.UnsupportedError, ["degree = 1.5"]),
        (Nystroem(kernel="poly", coef0=-1, degree=2, n_components=4).fit(X), sqlrp.UnsupportedError, ["coef0 = -1"]),
        (PolynomialCountSketch(gamma=0, coef0=1, n_components=4).fit(X), sqlrp.UnsupportedError, ["gamma = 0.0"]),
    ],
    ids=str,
)
def test_what_cannot_be_taken(fitted: Any, error: type[Exception], words: list[str]) -> None:
    with pytest.raises(error) as caught:
        sqlrp.from_sklearn(fitted)
    assert_one_line(caught, *words)


def test_each_estimator_is_told_what_is_true_of_it() -> None:
    """Fitted or not, of a class that can be taken or not, of scikit-learn's or ours; and where a projection is due."""
    taken: list[Any] = [PCA(2), TruncatedSVD(2), Nystroem(n_components=3), sqlrp.sklearn.SparseProjection(2)]
    others: list[Any] = [NMF(2), StandardScaler(), RandomForestRegressor(3), LinearRegression()]
    for estimator in taken + others:
        for fitted in (clone(estimator), clone(estimator).fit(np.abs(X), X[:, 0])):
            known = any(type(estimator) is type(one) for one in taken)
            done = len(vars(fitted)) > len(fitted.get_params(deep=False))
            if known and done:
                assert isinstance(sqlrp.from_sklearn(fitted), sqlrp.Projection)
            else:
                with pytest.raises(sqlrp.UnsupportedError if not known else sqlrp.ParameterError) as caught:
                    sqlrp.from_sklearn(fitted)
                assert ("not fitted" in str(caught.value)) == known
            with pytest.raises(sqlrp.ParameterError) as passed:
                sqlrp.project(fitted, pd.DataFrame(X), key=None)
            assert_one_line(passed, "is not a projection of sqlrp")
            # The way out is not what was passed: SparseProjection(…) may be the transformer's repr, too.
            advice = str(passed.value).split(" is not a projection of sqlrp: ")[1]
            wanted = "its projection_" if hasattr(fitted, "projection_") else "sqlrp.from_sklearn"
            assert (wanted in advice) == hasattr(fitted, "transform")
            assert "such as sqlrp.SparseProjection" not in advice or not hasattr(fitted, "transform")


@pytest.mark.parametrize(
    ("given", "words"),
    [(PCA, ["is a class"]), (sqlrp.SparseProjection(k=2), ["a projection of sqlrp already", "use it as it is"])],
)
def test_what_is_no_transformer(given: Any, words: list[str]) -> None:
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.from_sklearn(given)
    assert_one_line(caught, *words)


def test_given_weights() -> None:
    w, b = np.arange(6).reshape(3, 2), np.array([1.0, -1.0])
    x = pd.DataFrame([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    assert np.array_equal(sqlrp.project(sqlrp.GivenProjection.of(w, b, 0.5), x, key=None), (x.to_numpy() @ w + b) / 2)
    whole = sqlrp.project(sqlrp.GivenProjection.of(w), x.astype(np.int16), scale=False, key=None)
    assert all(dtype.kind == "i" for dtype in whole.dtypes)
    assert np.array_equal(whole, x.to_numpy() @ w)
    for bad in (
        lambda: sqlrp.GivenProjection.of([1.0]),
        lambda: sqlrp.GivenProjection.of([[np.nan]]),
        lambda: sqlrp.GivenProjection.of([["a"]]),
        lambda: sqlrp.GivenProjection.of(w, [1.0]),
        lambda: sqlrp.GivenTensorSketch.of([[0, 4]], [[1, 1]], 4),
        lambda: sqlrp.GivenTensorSketch.of([[0, 1]], [[1, 2]], 4),
        lambda: sqlrp.GivenRadialFeatures.of(w, [[1.0]], 1.0),
    ):
        with pytest.raises(sqlrp.ParameterError) as caught:
            bad()
        assert_one_line(caught)
    with pytest.raises(sqlrp.ParameterError, match="holds no weights"):
        sqlrp.project(sqlrp.GivenProjection(), x, key=None)
