"""Distances, neighbours and the report far from 0, against a brute force in long double."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from databases import Database
from evaluate import evaluate
from helpers import LAYOUTS, assert_same, load

import sqlrp
from sqlrp import Projection, quality
from sqlrp._quality.apart import apart
from sqlrp.kernels import Cosine, CrossTerms, Kernel, KernelPhrases, Polynomial, ProductOfParts, Radial, SumOverPairs
from sqlrp.stages import Stage, SumOverGroup

Floats = npt.NDArray[Any]
OFFSETS = (0.0, 1e4, 1e6, 1e8)
N, D = 24, 6
X = np.round(np.random.default_rng(0).normal(size=(N, D)).round(2) * 64) / 64
"""A grid that doubles hold exactly at every offset."""
X[7] = X[3]  # two equal rows
GROUPS = np.array([g for g in range(8) for _ in range(3)])
UNEVEN = np.array([g for g in range(8) for _ in range(g % 3 + 1)] + [8] * (N - 15))

NAMES = ("distortion, mean", "ratio, mean", "recall@3")
METHODS: dict[str, Projection] = {
    "sparse": sqlrp.SparseProjection(k=4, s=1, seed=1),
    "dense": sqlrp.GaussianProjection(k=4, seed=1),
    "polynomial-2": sqlrp.PolynomialKernelProjection(k=5, s=1, t=2, degree=2, seed=2),
    "polynomial-3": sqlrp.PolynomialKernelProjection(k=5, s=1, t=2, degree=3, c=2.0, seed=2),
    "maclaurin-4": sqlrp.RandomMaclaurin(k=5, degree=4, seed=3),
    "tensor-sketch": sqlrp.TensorSketch(k=8, degree=2, seed=3),
    "fourier": sqlrp.RandomFourierFeatures(k=6, gamma=0.05, seed=4),
    "cross-terms": sqlrp.Degree2KernelProjection(k=4, s=1, modified=True, seed=2),
}


def exact(kernel: Kernel, x: Floats, y: Floats) -> Any:
    """K(x,x) + K(y,y) - 2K(x,y) of points of the grid: by whole numbers, or in long double where there are none."""
    if isinstance(kernel, Radial):
        return -2 * np.expm1(-kernel.gamma * ((x - y) ** 2).sum())
    if isinstance(kernel, Cosine):
        return ((x / np.sqrt(x @ x) - y / np.sqrt(y @ y)) ** 2).sum()
    a, b = (np.array([round(float(v) * 64) for v in row], dtype=object) for row in (x, y))
    found = value(kernel, a, a) + value(kernel, b, b) - 2 * value(kernel, a, b)
    degree = kernel.degree if isinstance(kernel, Polynomial) else 2
    scale = kernel.scale if isinstance(kernel, Polynomial) else 1
    return np.longdouble(scale) * np.longdouble(found) / np.longdouble(64) ** (2 * degree)


def value(kernel: Kernel, a: Floats, b: Floats) -> int:
    """The kernel of points of the grid, without its scale, in units of the grid."""
    if isinstance(kernel, Polynomial):
        return (int(a @ b) + int(kernel.c * 64**2)) ** kernel.degree
    if isinstance(kernel, CrossTerms):
        return int(a @ b) ** 2 - int((a * a) @ (b * b))
    assert isinstance(kernel, ProductOfParts)
    return int(a[: kernel.split] @ b[: kernel.split]) * int(a[kernel.split :] @ b[kernel.split :])


def brute_force(true: Floats, got: Floats, at: int) -> dict[str, float]:
    """The measures of distances of all pairs, shape (n, n): the distortions, the ratios, and the expected recall."""
    pairs = np.triu_indices(len(true), 1)
    different = true[pairs] > 0
    t, g = true[pairs][different], got[pairs][different]
    shared = 0.0
    for i in range(len(true)):
        others = [j for j in range(len(true)) if j != i]
        chances = []
        for far in (true[i, others], got[i, others]):
            near = far[:, None] - far[None, :]
            tied = np.abs(near) <= 1e-12 * np.maximum(far[:, None], far[None, :])
            nearer = ((near > 0) & ~tied).sum(axis=1)
            chances.append(np.clip((at - nearer) / tied.sum(axis=1), 0, 1))
        shared += float((chances[0] * chances[1]).sum())
    return {
        "distortion, mean": float((np.abs(g - t) / t).mean()),
        "ratio, mean": float(np.sqrt(g / t).mean()),
        f"recall@{at}": shared / (at * len(true)),
    }


def expected(method: Projection, x: Floats, at: int = 3) -> dict[str, float]:
    """The brute force of a method on rows in long double."""
    wide = x.astype(np.longdouble)
    z = evaluate(method.stages(x.shape[1]), wide, np.arange(x.shape[1])) * np.longdouble(method.factor(x.shape[1]))
    kernel, n = method.kernel(), len(x)
    true, got = np.zeros((n, n), dtype=np.longdouble), np.zeros((n, n), dtype=np.longdouble)
    for i, j in itertools.permutations(range(n), 2):
        true[i, j], got[i, j] = exact(kernel, wide[i], wide[j]), ((z[i] - z[j]) ** 2).sum()
    return brute_force(true, got, at)


def frame_of(x: Floats) -> pd.DataFrame:
    return pd.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])]).assign(id=np.arange(len(x)))


def assert_right(report: sqlrp.Report, want: dict[str, float]) -> None:
    found = report.measures()
    for name, value in want.items():
        assert found[name] == pytest.approx(value, rel=1e-6), name


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("name", METHODS)
def test_a_diagnosis_far_from_zero(con: duckdb.DuckDBPyConnection, name: str, offset: float) -> None:
    x, method = X + offset, METHODS[name]
    want = expected(method, x)
    assert_right(sqlrp.diagnose(method, frame_of(x), at=3), want)
    for layout in LAYOUTS if offset in (0.0, 1e8) else LAYOUTS[:1]:
        assert_right(sqlrp.diagnose(method, load(con, layout, x.tolist()), con, at=3), want)


@pytest.mark.parametrize("name", ["sqlite", "postgresql", "mariadb"])
def test_a_diagnosis_far_from_zero_on_engines(db: Database, name: str) -> None:
    for offset in (1e4, 1e8):
        x = X + offset
        source = db.load("wide", x.tolist())
        for method in ("sparse", "polynomial-2", "polynomial-3", "fourier", "cross-terms"):
            assert_right(sqlrp.diagnose(METHODS[method], source, db.connection, at=3), expected(METHODS[method], x))


@pytest.mark.parametrize("offset", OFFSETS)
def test_rows_that_are_far_from_each_other_too(con: duckdb.DuckDBPyConnection, offset: float) -> None:
    """The mean is far from every row: half of them are at 0."""
    x = X.copy()
    x[::2] += offset
    for name in ("sparse", "polynomial-2", "fourier"):
        want = expected(METHODS[name], x)
        assert_right(sqlrp.diagnose(METHODS[name], frame_of(x), at=3), want)
        assert_right(sqlrp.diagnose(METHODS[name], load(con, "wide", x.tolist()), con, at=3), want)


@pytest.mark.parametrize("offset", OFFSETS)
def test_a_long_table_without_its_zeros(con: duckdb.DuckDBPyConnection, offset: float) -> None:
    x = np.where(np.random.default_rng(1).random(X.shape) < 0.6, 0.0, X + offset)
    x[:, 0] = X[:, 0] + offset
    source = load(con, "long", x.tolist())
    for name in ("sparse", "polynomial-2"):
        want = expected(METHODS[name], x)
        assert_right(sqlrp.diagnose(METHODS[name], source, con, at=3), want)
        assert_right(sqlrp.diagnose(METHODS[name], frame_of(x), at=3), want)


@pytest.mark.parametrize("offset", OFFSETS)
def test_fitted_methods(con: duckdb.DuckDBPyConnection, offset: float) -> None:
    """Principal components: the frame and the table say the same, which an offset does not change."""
    frame = frame_of(X + offset)
    fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=3), frame)
    at_zero = sqlrp.diagnose(sqlrp.fit(sqlrp.PrincipalComponents(k=3), frame_of(X)), frame_of(X), at=3)
    for found in (
        sqlrp.diagnose(fitted, frame, at=3),
        sqlrp.diagnose(fitted, load(con, "wide", (X + offset).tolist()), con, at=3),
    ):
        assert_right(found, {name: at_zero.measures()[name] for name in NAMES})


LEARNING: dict[str, Projection] = {
    "nystroem": sqlrp.NystroemProjection(k=8, kernel_name="rbf", sample=20, seed=1),
    "nystroem, narrow": sqlrp.NystroemProjection(k=6, kernel_name="rbf", gamma=4.0, sample=20, seed=1),
    **{
        variant: sqlrp.KernelGaussianProjection(k=5, kernel_name="rbf", sample=20, t=3, variant=variant, seed=2)
        for variant in ("gaussian", "orthonormal", "kpca")
    },
    "components": sqlrp.PrincipalComponents(k=3),
    "tuned": sqlrp.DataTunedProjection(k=3, s=1, n_iter=50, sample=20, seed=3),
}
"""Methods whose features, or whose features' differences from row to row, are the same at every offset."""


def about(name: str, z: Floats) -> Floats:
    """The features, less the first row's of a method whose sums hold the offset."""
    return z - z[0] if name == "tuned" else z


def read_of(projection: Projection, rows: Any, *given: Any) -> Floats:
    found = sqlrp.project(projection, rows, *given)
    frame = found if isinstance(found, pd.DataFrame) else found.to_pandas()
    return frame.sort_values("id")[[c for c in frame.columns if c.startswith("z")]].to_numpy()


@pytest.mark.parametrize(
    "name",
    [
        "nystroem",
        "tuned",
        *(pytest.param(n, marks=pytest.mark.slow) for n in LEARNING if n not in ("nystroem", "tuned")),
    ],
)
def test_methods_that_learn_far_from_zero(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """The same features at every offset, of frames and of tables in each layout, by each lowering."""
    x = X[X[:, 0].argsort()]
    want = about(name, read_of(sqlrp.fit(LEARNING[name], frame_of(x)), frame_of(x)))
    for offset in OFFSETS:
        fitted = sqlrp.fit(LEARNING[name], frame_of(x + offset))
        found = [read_of(fitted, frame_of(x + offset))]
        for layout in LAYOUTS if offset == 1e6 else LAYOUTS[:1]:
            source = load(con, layout, (x + offset).tolist())
            found += [read_of(fitted, source, con), read_of(sqlrp.fit(LEARNING[name], source, con), source, con)]
            found.append(
                sqlrp.project(fitted, source, con, lowering="relational")
                .sort_by("id")
                .to_pandas()[[f"z{i}" for i in range(fitted.k)]]
            )
        for z in found:
            np.testing.assert_allclose(about(name, np.asarray(z)), want, rtol=1e-6, atol=1e-6)


def test_null_is_zero_far_from_zero(con: duckdb.DuckDBPyConnection) -> None:
    """With nulls = "zero", and not the landmarks' mean."""
    fitted = sqlrp.fit(LEARNING["nystroem"], frame_of(X[:, :1] + 1e6))
    con.execute("CREATE TABLE holed AS SELECT * FROM (VALUES (0, NULL), (1, 0.0), (2, 1e6)) v(id, f0)")
    for rows in (("holed", con), (con.sql("FROM holed").df(),)):
        found = sqlrp.project(fitted, *rows, nulls="zero")
        z = (found if isinstance(found, pd.DataFrame) else found.to_pandas()).sort_values("id").to_numpy()[:, 1:]
        assert (z[0] == z[1]).all()
        assert np.abs(z[2]).max() > 0.1 > 1e-9 > np.abs(z[0]).max()


@pytest.mark.parametrize("name", ["sqlite", "postgresql", "mariadb", "clickhouse"])
def test_methods_that_learn_far_from_zero_on_engines(db: Database, name: str) -> None:
    for method in ("nystroem", "gaussian", "components"):
        want = read_of(sqlrp.fit(LEARNING[method], frame_of(X)), frame_of(X))
        source = db.load("wide", (X + 1e6).tolist())
        found = read_of(sqlrp.fit(LEARNING[method], source, db.connection), source, db.connection)
        np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("offset", OFFSETS)
def test_given_radial_features_far_from_zero(offset: float) -> None:
    """Those of scikit-learn, whose own values lose their digits there, with rows that are prepared first, too."""
    from sklearn.kernel_approximation import Nystroem

    gamma = 0.2
    made = Nystroem(n_components=7, gamma=gamma, random_state=1).fit(X + offset)
    wide = (X + offset).astype(np.longdouble)
    apart = ((wide[:, None, :] - made.components_[None, :, :]) ** 2).sum(axis=2)
    want = np.exp(-gamma * apart).astype(np.float64) @ made.normalization_.T
    np.testing.assert_allclose(read_of(sqlrp.from_sklearn(made), frame_of(X + offset)), want, rtol=1e-6, atol=1e-7)
    given = sqlrp.GivenRadialFeatures.of(X[:5] * 1e-4 + 0.5, np.eye(5), gamma=1e8)  # far from 0, for such a gamma
    prepared = sqlrp.fit(given, sqlrp.Standardized(frame_of(X + offset), "minmax"))
    low, high = X.min(axis=0), X.max(axis=0)
    apart = (((X - low) / (high - low)).astype(np.longdouble)[:, None, :] - (X[:5] * 1e-4 + 0.5)[None]) ** 2
    want = np.exp(-1e8 * apart.sum(axis=2)).astype(np.float64)
    np.testing.assert_allclose(read_of(prepared, frame_of(X + offset)), want, rtol=1e-6, atol=1e-7)


KERNELS = [
    Polynomial(),
    Polynomial(2),
    Polynomial(2, 4.0),
    Polynomial(3, 1.5, 0.25),
    Polynomial(5, 1.0),
    CrossTerms(),
    ProductOfParts(2),
    Radial(0.1),
    Cosine(),
]


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_distances_of_every_kernel(kernel: Kernel, offset: float) -> None:
    x = X + offset
    got = x[:, :2]
    true = np.array([[exact(kernel, a, b) for b in x.astype(np.longdouble)] for a in x.astype(np.longdouble)])
    near = ((got[:, None, :] - got[None, :, :]) ** 2).sum(axis=2).astype(np.longdouble)
    want = brute_force(true, near, 3)["recall@3"]
    assert quality.recall(x, got, 3, kernel) == pytest.approx(want, rel=1e-6)
    assert np.allclose(apart(kernel, x).squared.astype(np.longdouble), true, rtol=1e-9, atol=0)
    assert np.allclose(apart(kernel, x[:5], x[5:]).squared.astype(np.longdouble), true[:5, 5:], rtol=1e-9, atol=0)


class Own(Kernel):
    """A kernel of one's own, of which only the values are known."""

    def of(self, dot: Floats, squares: Floats, own: Floats, other: Floats) -> Floats:
        return np.asarray(dot**2)

    def sql(self, dot: str, squares: str, own: str, other: str, phrases: KernelPhrases) -> str:
        return f"{dot} * {dot}"


@dataclass(frozen=True)
class Saying(sqlrp.SparseProjection):
    """A method that says that it estimates a kernel of these tests."""

    said: int = 0

    def kernel(self) -> Kernel:
        return [*KERNELS, Own()][self.said]


@dataclass(frozen=True)
class SayingOfGroups(Saying):
    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        return (*super().stages(n_features), SumOverGroup())

    def kernel(self) -> Kernel:
        return SumOverPairs(super().kernel())


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("number", range(len(KERNELS) + 1))
def test_sql_has_every_kernel(con: duckdb.DuckDBPyConnection, layout: str, number: int) -> None:
    method, kernel = Saying(k=3, s=1, seed=1, said=number), [*KERNELS, Own()][number]
    for offset in (0.0, 1e6):
        x = X + offset
        if layout == "long":
            x[:, 1:][np.random.default_rng(3).random((N, D - 1)) < 0.5] = 0
        source = load(con, layout, x.tolist())
        if isinstance(kernel, Own):
            assert_same(sqlrp.diagnose(method, source, con), sqlrp.diagnose(method, frame_of(x)))
            break
        want = expected(method, x)
        assert_right(sqlrp.diagnose(method, source, con, at=3), want)
        assert_right(sqlrp.diagnose(method, frame_of(x), at=3), want)


@pytest.mark.parametrize("number", range(len(KERNELS) + 1))
def test_sql_has_every_kernel_of_groups(con: duckdb.DuckDBPyConnection, number: int) -> None:
    method = SayingOfGroups(k=3, s=1, seed=1, said=number)
    frame = frame_of(X).assign(id=GROUPS)
    con.execute("CREATE TABLE t AS FROM frame")
    found = sqlrp.diagnose(method, frame, at=3)
    assert_same(sqlrp.diagnose(method, "t", con, at=3), found)
    kernel = method.kernel().matrix(X, GROUPS)
    true = np.diag(kernel)[:, None] + np.diag(kernel)[None, :] - 2 * kernel
    z = evaluate(method.stages(D), X, np.arange(D), GROUPS) * method.factor(D)
    assert_right(found, brute_force(true, ((z[:, None] - z[None, :]) ** 2).sum(axis=2), 3))


@pytest.mark.parametrize("offset", OFFSETS)
def test_measures_of_projected_rows_far_from_zero(offset: float) -> None:
    z = X[:, :3] + offset
    true = quality.squared_distances(X @ X.T)
    assert quality.mean_distortion(z, true) == pytest.approx(quality.mean_distortion(X[:, :3], true), rel=1e-9)
    assert quality.search_recall(X[:6] + offset, X[6:] + offset, z[:6], z[6:], 3) == pytest.approx(
        quality.search_recall(X[:6], X[6:], X[:6, :3], X[6:, :3], 3)
    )


# -- groups ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("groups", [GROUPS, UNEVEN], ids=["even", "uneven"])
@pytest.mark.parametrize("split", [None, 2])
def test_groups_far_from_zero(con: duckdb.DuckDBPyConnection, offset: float, groups: Floats, split: int | None) -> None:
    x, groups = X + offset, groups[: len(X)]
    method = sqlrp.BilinearPooling(k=6, s=1, t=2, seed=1, normalise=False, split=split)
    wide = x.astype(np.longdouble)
    z = evaluate(method.estimating().stages(D), wide, np.arange(D), groups) * np.longdouble(method.factor(D))
    sums = []  # of the products of all features, in whole numbers
    for g in range(groups.max() + 1):
        rows = np.array([[round(float(v) * 64) for v in row] for row in x[groups == g]], dtype=object)
        a, b = (rows, rows) if split is None else (rows[:, :split], rows[:, split:])
        sums.append((a[:, :, None] * b[:, None, :]).sum(axis=0).reshape(-1))
    n = len(sums)
    true, got = np.zeros((n, n), dtype=np.longdouble), np.zeros((n, n), dtype=np.longdouble)
    for i, j in itertools.permutations(range(n), 2):
        true[i, j] = np.longdouble(int(((sums[i] - sums[j]) ** 2).sum())) / np.longdouble(64) ** 4
        got[i, j] = ((z[i] - z[j]) ** 2).sum()
    want = brute_force(true, got, 3)
    frame = frame_of(x).assign(id=groups)
    assert_right(sqlrp.diagnose(method, frame, at=3), want)
    con.execute("CREATE OR REPLACE TABLE t AS FROM frame")
    assert_right(sqlrp.diagnose(method, "t", con, at=3), want)


# -- the report -----------------------------------------------------------------------------------------------------


def test_a_report_far_from_zero(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    x = np.round(np.random.default_rng(5).normal(size=(60, 10)) * 64) / 64
    pages = []
    for offset in (0.0, 1e8):
        source = load(con, "wide", (x + offset).tolist())
        for given in ((source, con), (frame_of(x + offset), None)):
            pages.append(sqlrp.report(METHODS["sparse"], *given, path=tmp_path / "page.html"))
    first, *others = pages
    for page in others:
        assert [each.text for each in page.advice] == [each.text for each in first.advice]
        assert page.report.recall == pytest.approx(first.report.recall)
        assert page.report.distortion.mean == pytest.approx(first.report.distortion.mean, rel=1e-6)


@pytest.mark.parametrize("method", [sqlrp.NystroemProjection, sqlrp.KernelGaussianProjection])
def test_features_of_inner_products_say_what_they_lose(method: Any, recwarn: pytest.WarningsRecorder) -> None:
    """Nothing is said of features that lose little, of differences, or about the mean."""
    for name, offset in itertools.product(("polynomial", "cosine", "rbf"), (1e2, 1e4, 1e6)):
        recwarn.clear()
        sqlrp.fit(method(k=5, kernel_name=name, sample=20, seed=1), pd.DataFrame(X + offset).reset_index(names="id"))
        said = [str(w.message) for w in recwarn if "are wrong by about" in str(w.message)]
        assert len(said) == (offset == 1e6 and name != "rbf")
        assert not said or "squared distances of the features are wrong by about 3e-04 of themselves" in said[0]
    recwarn.clear()
    sqlrp.fit(method(k=5, sample=20, seed=1), sqlrp.Standardized(pd.DataFrame(X + 1e6).reset_index(names="id")))
    assert not [w for w in recwarn if "are wrong by about" in str(w.message)]
