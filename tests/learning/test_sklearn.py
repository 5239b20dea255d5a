"""sqlrp.sklearn: scikit-learn's own checks, the numbers of the SQL, sparse rows, and pipelines."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
import warnings
from dataclasses import fields
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers import assert_one_line, cells
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.random_projection import johnson_lindenstrauss_min_dim
from sklearn.utils.estimator_checks import check_estimator

import sqlrp
import sqlrp.sklearn
from sqlrp._evaluator import tiles
from sqlrp._projections import REGISTRY
from sqlrp._projections.given import ArrayProjection
from sqlrp._projections.pooling import PooledProjection
from sqlrp._projections.supervised import SupervisedProjection
from sqlrp.sklearn import TRANSFORMERS, Transformer

D = 12
X = np.random.default_rng(5).normal(0, 1, (40, D)).round(3)
X[np.random.default_rng(6).random(X.shape) < 0.6] = 0
FRAME = pd.DataFrame(X, columns=[f"p{j}" for j in range(D)])

SMALL: dict[str, dict[str, Any]] = {
    "PolynomialKernelProjection": {"c": 1.0, "degree": 3, "t": 2},
    "RandomSubspace": {"densify": "householder"},
    "Degree2KernelProjection": {"modified": True},
    "SparseEmbedding": {"nnz_per_feature": 2},
    "DataTunedProjection": {"n_iter": 5},
    "KernelGaussianProjection": {"t": 2, "sample": 20},
    "NystroemProjection": {"c": 1.0},
}
each = pytest.mark.parametrize("cls", [c for c in TRANSFORMERS if not c.supervised], ids=lambda cls: cls.__name__)


def made(cls: type[Transformer], k: int = 4, **parameters: Any) -> Transformer:
    return cls(**{"n_components": k, "random_state": 7, **SMALL.get(cls.__name__, {}), **parameters})


def test_every_method_is_here_but_the_one_that_sums_rows_and_those_that_are_given() -> None:
    given = {c for c in REGISTRY if issubclass(c, ArrayProjection) and not issubclass(c, SupervisedProjection)}
    left_out = given | {c for c in REGISTRY if issubclass(c, PooledProjection)}
    assert {c for c in REGISTRY if not c.transforms} == left_out
    assert [cls.method for cls in TRANSFORMERS] == [c for c in REGISTRY if c.transforms]
    assert all(getattr(sqlrp.sklearn, cls.__name__) is cls for cls in TRANSFORMERS)
    assert all(cls.__name__ == cls.method.__name__ for cls in TRANSFORMERS)


@each
def test_rows_are_found_back_where_a_method_is_linear(cls: type[Transformer]) -> None:
    fitted = made(cls).fit(X + 5)
    linear = {"Sparse", "Gaussian", "Orthonormal", "RandomSubspace", "Hadamard", "SparseEmbedding", "DataTuned"}
    linear |= {"PrincipalComponents", "WhitenedComponents"}
    name = cls.__name__.removesuffix("Projection")
    assert hasattr(fitted, "components_") == hasattr(fitted, "inverse_transform") == (name in linear)
    if name not in linear:
        return
    z = fitted.transform(X)
    assert np.allclose(z, (X - X[:1]) @ fitted.components_.T + z[:1], atol=1e-9)
    assert np.allclose(fitted.transform(fitted.inverse_transform(z)), z, atol=1e-9)
    with pytest.raises(ValueError, match="X has 3 columns"):
        fitted.inverse_transform(z[:, :3])


@pytest.mark.parametrize("whiten", [False, True])
def test_components_find_the_rows_that_scikit_learn_finds(whiten: bool) -> None:
    ours = made(sqlrp.sklearn.WhitenedComponents if whiten else sqlrp.sklearn.PrincipalComponents).fit(X + 5)
    theirs = PCA(4, whiten=whiten).fit(X + 5)
    assert np.allclose(
        ours.inverse_transform(ours.transform(X)), theirs.inverse_transform(theirs.transform(X)), atol=1e-9
    )


@each
def test_the_parameters_and_their_defaults_are_the_projection_s(cls: type[Transformer]) -> None:
    renamed = {"k": "n_components", "seed": "random_state"}
    own = {renamed.get(f.name, f.name): f.default for f in fields(cls.method) if f.name not in ("bound_to", "state")}
    # None: drawn again, or chosen for the rows.
    by_themselves = {name: None for name, value in cls().get_params().items() if value is None}
    given = {name: value for name, value in cls().get_params().items() if name != "eps"}
    assert given == own | by_themselves
    assert by_themselves.keys() <= {
        "random_state",
        "n_components",
        "nnz_per_feature",
        "densify",
        "p",
        "gamma",
        "sample",
    }
    assert set(inspect.signature(cls).parameters) == set(cls().get_params())


@each
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_s_own_checks(cls: type[Transformer]) -> None:
    found = check_estimator(cls(n_iter=5) if cls is sqlrp.sklearn.DataTunedProjection else cls())
    if found is not None:  # since 1.6 they are listed
        assert {check["check_name"] for check in found if check["status"] != "passed"} <= {"check_array_api_input"}
        assert len(found) > 30


@each
def test_the_numbers_are_the_sql_s(cls: type[Transformer], con: duckdb.DuckDBPyConnection) -> None:
    con.from_df(FRAME.assign(id=range(len(X)))).create("t")
    fitted = made(cls).fit(FRAME)
    projection = fitted.projection_
    assert projection.bound_to == tuple(FRAME.columns)
    want = fitted.transform(FRAME)
    got = cells(sqlrp.project(projection, "t", con), "columns", projection.k)
    assert np.allclose([got[i] for i in range(len(X))], want, rtol=1e-9, atol=1e-12 * np.abs(want).max())
    if hasattr(projection, "state"):
        unfitted = cls.method(**{**projection.parameters(), "state": None, "bound_to": None})  # type: ignore[arg-type]
        learnt = sqlrp.fit(unfitted, FRAME, key=None)
        assert learnt == projection
    else:
        assert projection.parameters()["seed"] == 7


@each
def test_sparse_rows(cls: type[Transformer], monkeypatch: pytest.MonkeyPatch) -> None:
    want = made(cls).fit(X).transform(X)
    for tile in (1 << 10, 1):  # in one piece, and row by row
        monkeypatch.setattr(tiles, "_size", lambda *given, tile=tile: tile)
        for rows in (X, sparse.csr_matrix(X), sparse.csc_array(X)):
            got = made(cls).fit(rows).transform(rows)
            assert np.allclose(got, want, rtol=1e-12, atol=1e-12 * np.abs(want).max())


def test_sparse_rows_of_many_features_stay_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = sparse.random_array((50, 10**7), density=1e-6, format="csr", rng=np.random.default_rng(0))
    monkeypatch.setattr(sparse.csr_array, "toarray", None)
    z = sqlrp.sklearn.SparseEmbedding(8, random_state=1).fit_transform(wide)
    kept = np.unique(wide.indices)
    stage = sqlrp.SparseEmbedding(k=8, seed=1).stages(10**7)[0]
    assert np.allclose(z, wide[:, kept] @ stage.matrix(kept.astype(np.int64)).astype(float) / 2)  # type: ignore[attr-defined]
    with pytest.raises(sqlrp.LimitError) as caught:
        sqlrp.sklearn.PrincipalComponents(2, sample=500).fit(wide)
    assert_one_line(caught, "50 sparse rows of 10,000,000 features", "lower sample = 500")
    with pytest.raises(sqlrp.LimitError) as caught:
        sqlrp.sklearn.PrincipalComponents(2).fit(wide)
    assert_one_line(caught, "a sketch of 104 numbers of 10,000,000 features", "pass a number of rows as sample")


def test_components_of_many_sparse_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """They come from sums, and the rows stay sparse. A sketch of as many numbers as features finds them exactly."""
    rows = sparse.random_array((900, 120), density=0.1, format="csr", rng=np.random.default_rng(0))
    want = sqlrp.sklearn.PrincipalComponents(10).fit(rows).projection_
    monkeypatch.setattr("sqlrp.sklearn._SAMPLE", 1000)
    monkeypatch.setattr(type(rows), "toarray", None)
    got = sqlrp.sklearn.PrincipalComponents(10).fit(rows).projection_
    assert np.allclose(got.arrays["weights"], want.arrays["weights"], atol=1e-7)
    assert got.arrays["scale"] == pytest.approx(want.arrays["scale"], rel=1e-9)


@each
def test_float32_stays_float32(cls: type[Transformer]) -> None:
    """The result has the type of the rows, dense or sparse, and is computed in float64."""
    narrow = X.astype(np.float32)
    fitted = made(cls).fit(narrow)
    want = fitted.transform(narrow.astype(np.float64))
    assert want.dtype == np.float64
    for rows in (narrow, np.asfortranarray(narrow), sparse.csr_matrix(narrow)):
        got = fitted.transform(rows)
        assert got.dtype == np.float32
        assert np.allclose(got, want, rtol=1e-6, atol=1e-6 * np.abs(want).max())
    assert fitted.transform(np.arange(2 * D).reshape(2, D)).dtype == np.float64


def test_all_names_the_transformers() -> None:
    assert set(sqlrp.sklearn.__all__) >= {cls.__name__ for cls in TRANSFORMERS}
    assert all(hasattr(sqlrp.sklearn, name) for name in sqlrp.sklearn.__all__)


@each
def test_names_frames_pickling_and_cloning(cls: type[Transformer]) -> None:
    transformer = made(cls).fit(FRAME)
    names = [f"{cls.__name__.lower()}{c}" for c in range(4)]
    want = transformer.transform(FRAME)
    assert transformer.get_feature_names_out().tolist() == names
    as_pandas = clone(transformer).set_output(transform="pandas").fit_transform(FRAME)
    assert list(as_pandas.columns) == names
    assert np.array_equal(as_pandas.to_numpy(), want)
    as_polars = clone(transformer).set_output(transform="polars").fit_transform(pl.from_pandas(FRAME))
    assert as_polars.columns == names
    assert np.array_equal(as_polars.to_numpy(), want)
    copy = pickle.loads(pickle.dumps(transformer))
    assert copy.projection_ == transformer.projection_
    assert np.array_equal(copy.transform(FRAME), want)
    assert not hasattr(clone(transformer), "projection_")


def test_as_many_components_as_features_are_warned_of_as_by_project() -> None:
    for k, cls in ((D, sqlrp.sklearn.SparseProjection), (2 * D, sqlrp.sklearn.GaussianProjection)):
        with pytest.warns(sqlrp.SqlrpWarning, match=f"^n_components = {k} is not below the number of ") as told:
            projection = cls(k).fit(X).projection_
        renamed = projection.caution(D).replace("k = ", "n_components = ").replace("lower k", "lower n_components")
        assert [str(w.message) for w in told] == [renamed]
        assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sqlrp.sklearn.SparseProjection(D - 1).fit(X)
        sqlrp.sklearn.TensorSketch(D).fit(X)


def test_random_state() -> None:
    seeds = []
    for state in (5, np.int64(5), np.random.RandomState(5), np.random.RandomState(5), None, None):
        seeds.append(sqlrp.sklearn.SparseProjection(3, random_state=state).fit(X).projection_.seed)  # type: ignore[attr-defined]
    assert seeds[:2] == [5, 5]
    assert seeds[2] == seeds[3] != 5
    assert len(set(seeds[4:])) == 2
    with pytest.raises(ValueError, match="abc"):
        sqlrp.sklearn.SparseProjection(3, random_state="abc").fit(X)


def test_auto_is_the_bound_of_johnson_and_lindenstrauss() -> None:
    rows = np.ones((20, 500))
    bound = johnson_lindenstrauss_min_dim(20, eps=0.5)
    for cls in (sqlrp.sklearn.SparseProjection, sqlrp.sklearn.RandomMaclaurin, sqlrp.sklearn.SparseEmbedding):
        k = cls("auto", eps=0.5).fit(rows).projection_.k
        assert bound <= k <= bound + 4
        assert k % 4 == 0 or cls is not sqlrp.sklearn.SparseEmbedding
    assert sqlrp.sklearn.RandomMaclaurin("auto", eps=0.5).fit(X).projection_.k > D
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.sklearn.SparseProjection("auto").fit(X)
    assert_one_line(caught, "'auto'", "eps = 0.1", "more than the 12 features", "raise eps")
    with pytest.raises(sqlrp.ParameterError, match="n_components = 'auto'"):
        sqlrp.sklearn.PrincipalComponents("auto").fit(X)  # type: ignore[arg-type]


def test_pipelines_and_grid_search() -> None:
    y = X[:, 0] * X[:, 1] > 0
    pipeline = make_pipeline(
        sqlrp.sklearn.PolynomialKernelProjection(16, s=1, random_state=0), LogisticRegression(max_iter=500)
    )
    grid = {"polynomialkernelprojection__degree": [1, 2], "polynomialkernelprojection__n_components": [8, 16]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_estimator_[0].projection_.k == search.best_params_["polynomialkernelprojection__n_components"]


def test_none_takes_what_holds() -> None:
    def k(transformer: Transformer) -> int:
        return transformer.fit(X).projection_.k

    assert k(sqlrp.sklearn.RandomSubspace()) == k(sqlrp.sklearn.PrincipalComponents()) == D
    assert k(sqlrp.sklearn.NystroemProjection()) == len(X)
    assert k(sqlrp.sklearn.NystroemProjection(sample=9)) == k(sqlrp.sklearn.PrincipalComponents(sample=9)) == 9
    for components, per_feature in ((64, 4), (6, 2), (5, 1)):
        fitted = sqlrp.sklearn.SparseEmbedding(components).fit(X)
        assert fitted.projection_.parameters()["nnz_per_feature"] == per_feature


def test_bad_parameters_are_told_at_fit() -> None:
    for transformer, words in (
        (sqlrp.sklearn.SparseProjection(0), ["n_components = 0"]),
        (sqlrp.sklearn.SparseProjection(2, s=0.5), ["s = 0.5"]),
        (sqlrp.sklearn.RandomSubspace(13), ["n_components = 13", "12"]),
        (sqlrp.sklearn.SparseProjection(2, random_state=-1), ["random_state = -1"]),
    ):
        with pytest.raises(sqlrp.ParameterError) as caught:
            transformer.fit(X)
        assert_one_line(caught, *words)


def test_without_scikit_learn_the_extra_is_named() -> None:
    code = "import sys; sys.modules['sklearn.base'] = None; sys.modules['sklearn'] = None; import sqlrp, sqlrp.sklearn"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "sqlrp.sklearn needs scikit-learn: pip install " in done.stderr
