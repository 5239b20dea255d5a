"""Every method is compared with its own kernel, and ties do not matter: for dataframes and on every engine."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from cases import DATABASES as NAMES
from cases import FITTED, GIVEN, GROUPED, PLAIN
from databases import Database
from estimators import TAKEN
from estimators import X as TAKEN_X
from evaluate import evaluate
from helpers import assert_one_line, assert_same, squared_distances

import sqlrp
from sqlrp import ParameterError, Standardized, quality
from sqlrp._projections import REGISTRY
from sqlrp._run.frames.matrix import project_array
from sqlrp.kernels import LINEAR, Kernel, Polynomial, SumOverPairs, Unknown
from sqlrp.stages import SignedRoot, Stage, SumOverGroup

Floats = npt.NDArray[np.float64]
D = 9
X = np.random.default_rng(7).normal(0, 1, (14, D)).round(3)
X[np.random.default_rng(8).random(X.shape) < 0.2] = 0
FRAME = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)]).assign(id=range(len(X)))
GROUPS = np.array([5, 1, 1, 7, 5, 5, 0, 3, 3, 9, 9, 2, 8, 0])


# -- kernels ------------------------------------------------------------------------------------------

Oracle = Callable[[Floats, Floats], float]


def dot(x: Floats, y: Floats) -> float:
    return float(sum(a * b for a, b in zip(x, y, strict=True)))


def power(degree: int, c: float = 0.0, gamma: float = 1.0) -> Oracle:
    return lambda x, y: (gamma * dot(x, y) + c) ** degree


def radial(gamma: float) -> Oracle:
    return lambda x, y: float(np.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, y, strict=True))))


def cosine(x: Floats, y: Floats) -> float:
    return dot(x, y) / (dot(x, x) * dot(y, y)) ** 0.5


def cross(x: Floats, y: Floats) -> float:
    """The monomials x_i·x_j of two different features, each twice (degree-2 paper, eq. 12)."""
    return float(2 * sum(x[i] * x[j] * y[i] * y[j] for i, j in itertools.combinations(range(len(x)), 2)))


def rescaled(degree: int, c: float, scale: float) -> Oracle:
    return lambda x, y: scale**2 * (dot(x, y) + c) ** degree


TRUE: dict[str, Oracle] = {
    "d2pk": power(2),
    "d2pk-one": power(2),
    "d2pk-modified": cross,
    "maclaurin": power(3),
    "tensor-sketch": power(2),
    "tensor-sketch-3": power(3),
    "tensor-sketch-24": power(3),
    "explicit": power(2),
    "explicit-gaussian": power(2),
    "fourier": radial(0.3),
    "given-fourier": radial(0.5),
    "pk-gaussian": power(2, 1.0),
    "nystroem": power(3, 1.0),
    "kg-rp": power(2),
    "korp": power(2),
    "kpca-rp": power(2),
    "nystroem-rbf": radial(0.2),
    "nystroem-cosine": cosine,
    "kg-rbf": radial(1 / D),
    "given-sketch": rescaled(2, 0.25, 0.3),
    "given-radial": radial(0.2),
    "count-sketch-taken": power(2),
    "count-sketch-3-taken": power(3, 2.0, 0.3),
    "fourier-taken": radial(0.2),
    "fourier-scale-taken": radial(1 / (D * TAKEN_X.var())),
    "nystroem-rbf-taken": radial(1 / D),
    "nystroem-cosine-taken": cosine,
    "nystroem-poly-taken": power(3, 1.0, 1 / D),
    "nystroem-poly-2-taken": power(2, 0.0, 0.5),
    "nystroem-params-taken": power(2, 3.0, 1 / D),
}
"""The kernel of each method whose distances are not those of rows, written out."""
ELSEWHERE = {"pca", "given", "pca-taken", "pca-whitened-taken", "kg-rp", "korp", "kpca-rp", "kg-rbf"}
"""Those that subtract something from the rows: their inner products are about another origin."""
_TAKEN = {f"{name}-taken": sqlrp.from_sklearn(t) for name, t in TAKEN.items() if name != "nystroem-rbf-gamma"}
METHODS = {**PLAIN, **FITTED, **GIVEN, **_TAKEN}
"""Without a radial kernel that is so narrow that its values are rounding."""


def oracle_matrix(kernel: Oracle, x: Floats) -> Floats:
    return np.array([[kernel(a, b) for b in x] for a in x])


def assert_measured(report: sqlrp.Report, z: Floats, kernel: Floats, placed: bool = True) -> None:
    """The measures of a report are those of projected rows against a kernel matrix."""
    true, got = (
        np.array([g[i, i] + g[j, j] - 2 * g[i, j] for i, j in itertools.combinations(range(len(g)), 2)])
        for g in (kernel, z @ z.T)
    )
    assert report.sampled.rows == len(z)
    assert report.distortion.mean == pytest.approx(np.mean(np.abs(got - true) / true), rel=1e-8)
    assert report.ratio.median == pytest.approx(np.median(np.sqrt(got / true)), rel=1e-8)
    if placed:
        error = np.linalg.norm(z @ z.T - kernel) / np.linalg.norm(kernel)
        assert report.sampled.kernel_error == pytest.approx(error, rel=1e-8)
    else:
        assert report.sampled.kernel_error is None
        assert "kernel error" not in report.measures()
        assert "its distances alone" in str(report)
    assert report.q_nx == pytest.approx(expected_q_nx(true, got), rel=1e-8)


def expected_q_nx(true: Floats, got: Floats) -> list[float]:
    """The definition: for each row, size and neighbour the product of the chances to be among the nearest."""
    n = round((1 + (1 + 8 * len(true)) ** 0.5) / 2)
    squares = []
    for values in (true, got):
        full = np.zeros((n, n))
        full[np.triu_indices(n, 1)] = values
        squares.append(full + full.T)
    found = []
    for size in range(1, n):
        shared = 0.0
        for i in range(n):
            others = [j for j in range(n) if j != i]
            chances = [[chance(full[i, others], j, size) for j in range(n - 1)] for full in squares]
            shared += sum(a * b for a, b in zip(*chances, strict=True))
        found.append(shared / (n * size))
    return found


def chance(values: Floats, j: int, size: int) -> float:
    """That entry j is among the `size` least, ties broken at random."""
    scale = values.max()
    nearer = sum(values < values[j] - 1e-12 * scale)
    tied = sum(np.abs(values - values[j]) <= 1e-12 * scale)
    return float(min(max((size - nearer) / tied, 0), 1))


def test_every_method_has_its_kernel_here() -> None:
    assert {type(m) for m in (*METHODS.values(), *GROUPED.values())} | {sqlrp.SparseProjection} == set(REGISTRY)
    assert set(TRUE) | ELSEWHERE <= set(METHODS)
    linear = {name for name, m in METHODS.items() if m.kernel() == LINEAR}
    unknown = {name for name, m in METHODS.items() if not m.kernel().known}
    assert linear == set(METHODS) - set(TRUE) - ELSEWHERE - unknown, "write the kernel of a new method into TRUE"


@pytest.mark.parametrize("method", METHODS)
def test_a_method_is_compared_with_its_kernel(con: duckdb.DuckDBPyConnection, method: str) -> None:
    projection = METHODS[method]
    by_frame = sqlrp.diagnose(projection, FRAME)
    z = evaluate(projection.stages(D), X, np.arange(D)) * projection.factor(D)
    if projection.kernel().known:
        assert_measured(by_frame, z, oracle_matrix(TRUE.get(method, dot), X), method not in ELSEWHERE)
    else:
        assert_unnamed(by_frame, z, X)
    con.execute("CREATE TABLE t AS FROM FRAME")
    assert_same(sqlrp.diagnose(projection, "t", con), by_frame)


MODIFIED = sqlrp.Degree2KernelProjection(k=400, s=1, modified=True, seed=2)
STATED = ("d2pk-modified", "given-radial", "given-sketch", "pca", "nystroem-poly-2-taken")
"""A method of every form that a kernel's SQL has."""


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_kernel_is_the_same_on_every_engine(db: Database, name: str) -> None:
    source = db.load("wide", X.tolist())
    for projection in (METHODS[method] for method in STATED):
        assert_same(sqlrp.diagnose(projection, source, db.connection), sqlrp.diagnose(projection, FRAME))


def test_the_modified_kernel_of_few_features_is_met() -> None:
    report = sqlrp.diagnose(replace(MODIFIED, k=20_000), FRAME)
    assert report.sampled.kernel_error is not None
    assert report.sampled.kernel_error < 0.05
    assert "compared with ⟨x, y⟩² - ⟨x², y²⟩" in str(report)


@pytest.mark.parametrize("how", ["standard", "minmax", "l2"])
@pytest.mark.parametrize("method", ["d2pk-modified", "given-radial", "pk-gaussian"])
def test_prepared_rows(con: duckdb.DuckDBPyConnection, method: str, how: Any) -> None:
    con.execute("CREATE TABLE t AS FROM FRAME")
    projection = METHODS[method]
    by_frame = sqlrp.diagnose(projection, Standardized(FRAME, how))
    x = {
        "standard": (X - X.mean(axis=0)) / X.std(axis=0),
        "minmax": (X - X.min(axis=0)) / np.ptp(X, axis=0),
        "l2": X / np.linalg.norm(X, axis=1, keepdims=True),
    }[how]
    z = evaluate(projection.stages(D), x, np.arange(D)) * projection.factor(D)
    assert_measured(by_frame, z, oracle_matrix(TRUE[method], x))
    assert_same(sqlrp.diagnose(projection, Standardized("t", how), con), by_frame)


# -- groups -------------------------------------------------------------------------------------------


def pooled(x: Floats, groups: Floats, split: int | None) -> Floats:
    """Σ ⟨x_l, y_m⟩² of all groups, in the order of their first rows; of two descriptors the product of both."""
    order = list(dict.fromkeys(groups.tolist()))
    parts = [x[groups == g] for g in order]

    def each(a: Floats, b: Floats) -> float:
        return dot(a, b) ** 2 if split is None else dot(a[:split], b[:split]) * dot(a[split:], b[split:])

    return np.array([[sum(each(a, b) for a in p for b in q) for q in parts] for p in parts])


@pytest.mark.parametrize("method", GROUPED)
def test_groups_are_compared_by_the_kernel_of_sums(con: duckdb.DuckDBPyConnection, method: str) -> None:
    projection: Any = GROUPED[method]
    for groups in (GROUPS, np.arange(len(X))):
        frame = FRAME.assign(id=groups)
        by_frame = sqlrp.diagnose(projection, frame)
        plain = replace(projection, normalise=False)
        first = np.array([list(dict.fromkeys(groups.tolist())).index(g) for g in groups])
        z = evaluate(plain.stages(D), X, np.arange(D), first) * plain.factor(D)
        assert_measured(by_frame, z, pooled(X, groups, projection.split))
        assert ("before the last steps" in str(by_frame)) == projection.normalise
        con.execute("CREATE OR REPLACE TABLE t AS FROM frame")
        assert_same(sqlrp.diagnose(projection, "t", con), by_frame)


@pytest.mark.parametrize("name", NAMES[1:])
def test_groups_on_every_engine(db: Database, name: str) -> None:
    for method, layout in (("pooling", "array"), ("pooling", "wide"), ("pooling-two", "wide")):
        if layout == "wide" or db.engine.has_arrays:
            want = sqlrp.diagnose(GROUPED[method], FRAME.assign(id=GROUPS))
            source = db.load(layout, X.tolist(), ids=GROUPS.tolist())
            assert_same(sqlrp.diagnose(GROUPED[method], source, db.connection), want)


@pytest.mark.parametrize("sample", [4, 500])
def test_a_sample_of_groups(con: duckdb.DuckDBPyConnection, sample: int) -> None:
    frame = FRAME.assign(id=[f"image {g}" for g in GROUPS])
    frame.loc[3, "f2"] = None  # the only row of its group
    frame.loc[5, "f2"] = None  # one of three
    con.execute("CREATE TABLE t AS FROM frame")
    for projection in (GROUPED["pooling"], sqlrp.BilinearPooling(k=9, t=1, seed=3)):
        by_frame = sqlrp.diagnose(projection, frame, sample=sample, at=1)
        assert by_frame.sampled.rows == 6 if sample == 500 else by_frame.sampled.rows <= 4
        assert_same(sqlrp.diagnose(projection, "t", con, sample=sample, at=1), by_frame)
        prepared = sqlrp.diagnose(projection, Standardized(frame, "l2"), sample=sample, at=1)
        assert_same(sqlrp.diagnose(projection, Standardized("t", "l2"), con, sample=sample, at=1), prepared)


def test_pooling_comes_near_with_more_components() -> None:
    frame = FRAME.assign(id=GROUPS)
    errors = [
        sqlrp.diagnose(sqlrp.BilinearPooling(k=k, s=1, p=4 * k, seed=1), frame).sampled.kernel_error for k in (50, 5000)
    ]
    assert errors[1] < 0.1 < errors[0]


@dataclass(frozen=True)
class Summing(sqlrp.SparseProjection):
    """A method of one's own that sums groups, and does not say what that estimates."""

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        return (*super().stages(n_features), SumOverGroup())


@dataclass(frozen=True)
class Said(Summing):
    def kernel(self) -> Kernel:
        return SumOverPairs(Polynomial())


def test_a_kernel_that_is_not_known_is_refused(con: duckdb.DuckDBPyConnection) -> None:
    frame = FRAME.assign(id=GROUPS)
    con.execute("CREATE TABLE t AS FROM frame")
    for arguments in ((frame,), ("t", con)):
        with pytest.raises(ParameterError) as caught:
            sqlrp.diagnose(Summing(k=5, s=1), *arguments)
        assert_one_line(caught, "the kernel of Summing compares rows", "groups", "not known")
    said = sqlrp.diagnose(Said(k=5, s=1), "t", con)
    assert_same(said, sqlrp.diagnose(Said(k=5, s=1), frame))
    sums = frame.groupby("id", sort=False).sum().reset_index()
    assert said.distortion.mean == pytest.approx(sqlrp.diagnose(sqlrp.SparseProjection(k=5, s=1), sums).distortion.mean)


@dataclass(frozen=True)
class Nameless(sqlrp.SparseProjection):
    """A method whose inner products estimate no known kernel: its components are roots of sums."""

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        return (*super().stages(n_features), SignedRoot())

    def kernel(self) -> Kernel:
        return Unknown()


@dataclass(frozen=True)
class NamelessGroups(Summing):
    def kernel(self) -> Kernel:
        return Unknown()


def to_scale(z: Floats, x: Floats) -> Floats:
    """Rows times the factor with which their squared distances have the sum of those of x."""
    spread = [((rows - rows.mean(axis=0)) ** 2).sum() for rows in (x, z)]  # in proportion to that sum
    return z * (spread[0] / spread[1]) ** 0.5


def assert_unnamed(report: sqlrp.Report, z: Floats, x: Floats) -> None:
    assert report.sampled.kernel_error is None
    assert "no kernel" in str(report)
    true, got = (squared_distances(rows @ rows.T) for rows in (x, to_scale(z, x)))
    assert report.distortion.mean == pytest.approx(np.mean(np.abs(got - true) / true), rel=1e-8)
    assert report.ratio.median == pytest.approx(np.median(np.sqrt(got / true)), rel=1e-8)
    assert report.q_nx == pytest.approx(expected_q_nx(true, got), rel=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_a_method_without_a_kernel_is_compared_with_the_rows(db: Database, name: str) -> None:
    source = db.load("wide", X.tolist())
    method = Nameless(k=5, s=1, seed=2)
    by_frame = sqlrp.diagnose(method, FRAME)
    assert_unnamed(by_frame, project_array(method, X), X)
    assert_same(sqlrp.diagnose(method, source, db.connection), by_frame)


@pytest.mark.parametrize("name", NAMES)
def test_rows_that_are_far_apart_have_a_radial_kernel_of_zero(db: Database, name: str) -> None:
    rows = [[100.0 * i, 1.0, 2.0] for i in range(4)]
    method = sqlrp.RandomFourierFeatures(k=3, seed=1)
    want = sqlrp.diagnose(method, pd.DataFrame(rows), key=None, at=1)
    assert want.distortion.mean > 0
    assert_same(sqlrp.diagnose(method, db.load("wide", rows), db.connection, at=1), want)


def test_groups_without_a_kernel_are_compared_with_their_sums(con: duckdb.DuckDBPyConnection) -> None:
    frame = FRAME.assign(id=GROUPS)
    con.execute("CREATE TABLE t AS FROM frame")
    method = NamelessGroups(k=5, s=1, seed=2)
    by_frame, sums = sqlrp.diagnose(method, frame), frame.groupby("id", sort=False).sum().to_numpy()
    assert_unnamed(by_frame, project_array(sqlrp.SparseProjection(k=5, s=1, seed=2), sums), sums)
    assert_same(sqlrp.diagnose(method, "t", con), by_frame)


@pytest.mark.slow
def test_what_reads_a_kernel_takes_an_unknown_one(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    rows = pd.DataFrame(np.random.default_rng(3).normal(size=(30, D)), columns=list(FRAME)[:D]).assign(id=range(30))
    con.execute("CREATE TABLE t AS FROM rows")
    method = Nameless(k=4, s=1, seed=2)
    page = sqlrp.report(method, "t", con, path=tmp_path / "page.html")
    assert "names no kernel" in page.path.read_text(encoding="utf-8")
    assert page.advice
    found = quality.recalls([method], [(X[:4], X[4:])], at=2)
    assert 0 <= found[0, 0] <= 1
    grown = sqlrp.diagnose(replace(method, k=400), rows)
    assert grown.distortion.mean < sqlrp.diagnose(method, rows).distortion.mean
    con.execute("CREATE TABLE named AS SELECT *, f0 AS label FROM t")
    assert sqlrp.choose([method], "named", con, folds=2).best.projection.k == 4


@dataclass(frozen=True)
class Pair(sqlrp.SparseProjection):
    def kernel(self) -> Any:
        return 2, 0.5


def test_a_pair_is_no_kernel_of_a_method(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS FROM FRAME")
    for arguments in ((FRAME,), ("t", con)):
        with pytest.raises(ParameterError) as caught:
            sqlrp.diagnose(Pair(k=5, s=1), *arguments)
        assert_one_line(caught, "Pair.kernel() returns (2, 0.5)", "Polynomial(2)")


@pytest.mark.parametrize("kernel", [(0, 1.0), (2, float("nan")), (2,), "rbf", None])
def test_what_is_no_kernel(kernel: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        quality.kernel_matrix(X, kernel)
    assert_one_line(caught, "must be a kernel")


# -- ties ---------------------------------------------------------------------------------------------


def by_chance(x: Floats, z: Floats, draws: int) -> Floats:
    """Q_NX, the mean over ties broken at random, before and after apart."""
    rng, n = np.random.default_rng(0), len(x)
    total = np.zeros(n - 1)
    for _ in range(draws):
        for i in range(n):
            others = np.array([j for j in range(n) if j != i])
            nearest = []
            for rows in (x, z):
                far = ((rows[others] - rows[i]) ** 2).sum(axis=1)
                nearest.append(others[np.lexsort((rng.random(n - 1), far))])
            total += [len(set(nearest[0][:size]) & set(nearest[1][:size])) for size in range(1, n)]
    return total / (draws * n * np.arange(1, n))


def tied_rows(seed: int, n: int = 12) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (n, 4)).astype(float), rng.integers(-1, 2, (n, 2)).astype(float)


@pytest.mark.parametrize("seed", range(3))
def test_ties_count_as_their_expected_value(seed: int) -> None:
    x, z = tied_rows(seed)
    q = quality.q_nx(x, z)
    assert np.allclose(q, by_chance(x, z, 100), atol=0.06)
    squares = [((r[:, None] - r[None]) ** 2).sum(axis=2)[np.triu_indices(12, 1)] for r in (x, z)]
    assert q == pytest.approx(expected_q_nx(*squares))
    assert quality.recall(x, z, at=3) == q[2]


def test_the_order_of_rows_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    for seed in range(5):
        x = tied_rows(seed, 60)[0]
        z = x @ rng.choice([-1.0, 1.0], (4, 3)) * np.sqrt(1 / 3)
        want = quality.q_nx(x, z)
        for _ in range(5):
            order = rng.permutation(60)
            assert np.allclose(quality.q_nx(x[order], z[order]), want, rtol=1e-12)


def test_rounding_breaks_no_tie() -> None:
    # Distances of whole numbers, moved and turned: equal but for the last digits.
    x = tied_rows(1, 40)[0]
    turned = (x + 5) @ np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0] / 7
    assert quality.q_nx(x, turned) == pytest.approx(quality.q_nx(x, x))


def test_all_at_one_distance_is_chance() -> None:
    q = quality.q_nx(np.eye(10), np.random.default_rng(0).normal(size=(10, 3)))
    assert q == pytest.approx(np.arange(1, 10) / 9)
    assert quality.auc(quality.r_nx(q)) == pytest.approx(0)


@pytest.mark.parametrize("kind", ["INTEGER", "FLOAT", "DOUBLE"])
@pytest.mark.parametrize("layout", ["wide", "long"])
def test_ties_in_the_database(con: duckdb.DuckDBPyConnection, layout: str, kind: str) -> None:
    from helpers import load

    x = tied_rows(4, 40)[0]
    projection = sqlrp.SparseProjection(k=3, s=1, seed=2)
    z = evaluate(projection.stages(4), x, np.arange(4)) * projection.factor(4)
    want = quality.q_nx(x, z)
    source = load(con, layout, x.astype(int).tolist(), kind)
    for _ in range(3):
        assert sqlrp.diagnose(projection, source, con).q_nx == pytest.approx(tuple(want), rel=1e-9)
        con.execute("CREATE OR REPLACE TABLE t AS SELECT * FROM t ORDER BY random()")


@pytest.mark.parametrize("name", NAMES)
def test_ties_on_every_engine(db: Database, name: str) -> None:
    x = tied_rows(5, 30)[0]
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(4)]).assign(id=range(30))
    projection = sqlrp.SparseProjection(k=3, s=1, seed=2)
    report = sqlrp.diagnose(projection, db.load("wide", x.tolist()), db.connection)
    assert_same(report, sqlrp.diagnose(projection, frame))
    order = np.random.default_rng(1).permutation(30)
    assert_same(report, sqlrp.diagnose(projection, frame.iloc[order].assign(id=range(30))))
