"""The cases in memory: dataframes and scikit-learn's transformers, without a database. Both sides are fitted before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from case import Bar, Bench, Call, Case, Place
from sklearn.decomposition import PCA
from sklearn.kernel_approximation import Nystroem, PolynomialCountSketch
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

import sqlrp
import sqlrp.sklearn

_FITTED = 500
"""The rows that both sides are fitted on."""


def rows(place: Place, n: int, d: int) -> Any:
    """Random rows."""
    return np.random.default_rng(0).normal(size=(place.rows(n), place.size(d)))


def measured(jobs: dict[str, Call]) -> Bench:
    """The jobs, and the shape of what the last one returned."""
    last: list[Any] = []

    def kept(job: Call) -> Call:
        def call() -> None:
            last[:] = [job()]

        return call

    return Bench({name: kept(job) for name, job in jobs.items()}, shape=lambda: last[0].shape)


def sparse(place: Place) -> Bench:
    """A pandas frame, and a transformer over the same rows, beside scikit-learn's."""
    x = rows(place, 50_000, 784)
    frame, k = pd.DataFrame(x).rename(columns="f{}".format), place.size(488)
    ours = sqlrp.sklearn.SparseProjection(k, random_state=0).fit(x[:_FITTED])
    peer = SparseRandomProjection(k, random_state=0).fit(x[:_FITTED])
    projection = sqlrp.SparseProjection(k=k)
    return measured(
        {
            "project(pandas)": lambda: sqlrp.project(projection, frame, key=None),
            "sqlrp.sklearn": lambda: ours.transform(x),
            "SparseRandomProjection": lambda: peer.transform(x),
        }
    )


def polynomial(place: Place) -> Bench:
    """The same for polynomial-kernel features."""
    x = rows(place, 50_000, 784)
    frame, k = pd.DataFrame(x).rename(columns="f{}".format), place.size(500)
    options: dict[str, Any] = {"p": place.size(488), "t": 10 if place.scale == "full" else 2}
    ours = sqlrp.sklearn.PolynomialKernelProjection(k, random_state=0, **options).fit(x[:_FITTED])
    peer = PolynomialCountSketch(degree=2, n_components=k, random_state=0).fit(x[:_FITTED])
    projection = sqlrp.PolynomialKernelProjection(k=k, **options)
    return measured(
        {
            "project(pandas)": lambda: sqlrp.project(projection, frame, key=None),
            "sqlrp.sklearn": lambda: ours.transform(x),
            "PolynomialCountSketch": lambda: peer.transform(x),
        }
    )


def transformer(ours: Callable[[int], Any], peer: Callable[[int], Any]) -> Callable[[Place], Bench]:
    """10,000 x 784 rows to 256 components by a transformer of ours and by scikit-learn's own."""

    def make(place: Place) -> Bench:
        x, k = rows(place, 10_000, 784), place.size(256)
        mine, theirs = ours(k).fit(x[:_FITTED]), peer(k).fit(x[:_FITTED])
        return measured({"sqlrp.sklearn": lambda: mine.transform(x), "scikit-learn": lambda: theirs.transform(x)})

    return make


def pooling(place: Place) -> Bench:
    """Bilinear pooling of 100 images of 169 descriptors each, beside a sketch and sums by numpy."""
    each, x = 169, rows(place, 100 * 169, 512)
    n, k = len(x), place.size(512)
    image = np.arange(n) // each
    frame = pd.DataFrame(x).rename(columns="f{}".format).assign(image=image)
    projection = sqlrp.BilinearPooling(k=k)
    sketch = PolynomialCountSketch(degree=2, n_components=k, random_state=0).fit(x[:_FITTED])

    def pooled() -> Any:
        sums = np.add.reduceat(sketch.transform(x), np.flatnonzero(np.diff(image, prepend=-1)))
        root = np.sign(sums) * np.sqrt(np.abs(sums))
        return root / np.linalg.norm(root, axis=1, keepdims=True)

    return measured(
        {
            "project(pandas)": lambda: sqlrp.project(projection, frame, key="image").drop(columns="image"),
            "PolynomialCountSketch and numpy": pooled,
        }
    )


def _bars(peer: str) -> tuple[Bar, ...]:
    jobs = {"project(pandas)": "a pandas frame", "sqlrp.sklearn": "a transformer"}
    return tuple(Bar(f"{said} in memory, 50,000 x 784, beside {peer}", job, (peer,), 2.0) for job, said in jobs.items())


_S = sqlrp.sklearn
_METHODS: dict[str, tuple[Callable[[int], Any], Callable[[int], Any]]] = {
    "Gaussian": (lambda k: _S.GaussianProjection(k, random_state=0), GaussianRandomProjection),
    "PrincipalComponents": (lambda k: _S.PrincipalComponents(k, random_state=0), PCA),
    "Nystroem": (
        lambda k: _S.NystroemProjection(k, degree=2, c=1.0, random_state=0),
        lambda k: Nystroem(kernel="polynomial", degree=2, gamma=1.0, coef0=1.0, n_components=k, random_state=0),
    ),
    "RandomMaclaurin": (
        lambda k: _S.RandomMaclaurin(k, degree=2, random_state=0),
        lambda k: PolynomialCountSketch(degree=2, n_components=k, random_state=0),
    ),
    "TensorSketch": (
        lambda k: _S.TensorSketch(k, degree=2, random_state=0),
        lambda k: PolynomialCountSketch(degree=2, n_components=k, random_state=0),
    ),
}
CASES = (
    Case(
        "memory-sparse",
        "50,000 x 784 rows in memory to 488 components",
        sparse,
        _bars("SparseRandomProjection"),
    ),
    Case(
        "memory-polynomial",
        "50,000 x 784 rows in memory to PK-RP features, degree 2, p = 488, t = 10, k = 500",
        polynomial,
        _bars("PolynomialCountSketch"),
    ),
    *(
        Case(
            f"memory-{name}",
            f"{name} in memory, 10,000 x 784 to 256",
            transformer(*pair),
            (Bar(f"{name} in memory beside scikit-learn's own", "sqlrp.sklearn", ("scikit-learn",), 1.0),),
        )
        for name, pair in _METHODS.items()
    ),
    Case(
        "memory-pooling",
        "100 images x 169 descriptors of 512 features in memory to 512 pooled features",
        pooling,
        (
            Bar(
                "bilinear pooling in memory beside scikit-learn's sketch and numpy",
                "project(pandas)",
                ("PolynomialCountSketch and numpy",),
                1.0,
            ),
        ),
    ),
)
