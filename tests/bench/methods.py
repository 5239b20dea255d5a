"""The cases of every method, and of growth in n, d, k, p and t."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import duckdb
import numpy as np
from case import Bar, Bench, Call, Case, Place
from dense import WIDE, bar, both_ways, cleared, copy, points, project, shape
from peers import fetched, fitted, numpy_maclaurin, numpy_pk, sparse
from sklearn.cross_decomposition import CCA, PLSRegression
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem, PolynomialCountSketch
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

import sqlrp
from sqlrp._projections import REGISTRY
from sqlrp._projections.supervised import SupervisedProjection

Peer = Callable[[int], Any]


def method(
    make_method: Callable[[int], sqlrp.Projection], peer: Peer | None, features: int, lowering: str = "auto"
) -> Callable[[Place], Bench]:
    """10,000 rows to 256 components by one method, beside its peer where there is one."""

    def make(place: Place) -> Bench:
        n, d, k = place.rows(10_000), place.size(features), place.size(256)
        con = points(place, n, d)
        projection = make_method(k)
        if projection.learns:
            projection = sqlrp.fit(projection, WIDE, con)
        name = projection.name.split("(")[0] + (", SQL" if lowering == "sql" else "")
        jobs = {name: project(con, projection, WIDE, lowering=lowering)}
        if peer is not None:
            jobs |= both_ways(con, type(peer(k)).__name__, fitted(peer(k), 1000))
        if isinstance(projection, sqlrp.RandomMaclaurin):
            jobs |= both_ways(con, "numpy products", numpy_maclaurin(projection, d))
        jobs["plain copy"] = copy(con, d, k)
        return Bench(jobs, cleared(con), shape(con))

    return make


def _pooled(place: Place) -> Bench:
    """A group of ten rows each."""
    n, d, k = place.rows(10_000), place.size(784), place.size(256)
    con = points(place, n, d)
    con.execute("CREATE TEMPORARY TABLE grouped AS SELECT id // 10 AS id, * EXCLUDE (id) FROM points")
    return Bench({"BilinearPooling": project(con, sqlrp.BilinearPooling(k=k), "grouped")}, cleared(con), shape(con))


def _fit(place: Place) -> Bench:
    """Principal components of all rows, beside fetching them for scikit-learn; nothing is written."""
    n, d, k = place.rows(200_000), place.size(784), place.size(64)
    con = points(place, n, d)

    def peer() -> object:
        return PCA(k).fit(np.column_stack(list(con.execute("SELECT * EXCLUDE (id) FROM points").fetchnumpy().values())))

    jobs: dict[str, Call] = {
        "fit": lambda: sqlrp.fit(sqlrp.PrincipalComponents(k), WIDE, con),
        "fetch, PCA": peer,
    }
    return Bench(jobs, shape=lambda: (d, k))  # of the components


def _fit_to_targets(method: type[SupervisedProjection], peer: Any) -> Callable[[Place], Bench]:
    """A method that learns from eight numbers, or from nine classes, a row, beside fetching both for scikit-learn."""
    targets = ["y0"] if method.of_classes else [f"y{j}" for j in range(8)]

    def make(place: Place) -> Bench:
        n, d, k = max(place.rows(200_000), 200), place.size(196), 8
        con = points(place, n, d)
        made = (
            "id % 9 AS y0" if method.of_classes else ", ".join(f"f{j} + random() AS {y}" for j, y in enumerate(targets))
        )
        con.execute(f"CREATE TEMPORARY TABLE told AS SELECT *, {made} FROM points")
        source, named = sqlrp.Wide("told", features=[f"f{j}" for j in range(d)]), ", ".join(targets)

        def fetch() -> object:
            x = np.column_stack(list(con.execute(f"SELECT * EXCLUDE (id, {named}) FROM told").fetchnumpy().values()))
            y = np.column_stack(list(con.execute(f"SELECT {named} FROM told").fetchnumpy().values()))
            return peer(k).fit(x, y.ravel() if method.of_classes else y)

        jobs: dict[str, Call] = {
            "fit": lambda: sqlrp.fit(method(k), source, con, target=targets if len(targets) > 1 else targets[0]),
            f"fetch, {type(peer(k)).__name__}": fetch,
        }
        return Bench(jobs, shape=lambda: (d, k))

    return make


def _polynomial(k: int) -> Any:
    return PolynomialCountSketch(n_components=k)


PEERS: dict[str, Peer] = {
    "SparseProjection": SparseRandomProjection,
    "GaussianProjection": GaussianRandomProjection,
    "PolynomialKernelProjection": _polynomial,
    "Degree2KernelProjection": _polynomial,
    "HadamardProjection": SparseRandomProjection,
    "SparseEmbedding": SparseRandomProjection,
    "RandomMaclaurin": _polynomial,
    "TensorSketch": _polynomial,
    "DataTunedProjection": SparseRandomProjection,
    "NystroemProjection": lambda k: Nystroem("poly", n_components=k, degree=2),
    "PrincipalComponents": PCA,
}
"""The nearest method of scikit-learn, where there is one."""
FEATURES = {"TensorSketch": 196, "ExplicitPolynomialProjection": 64}
"""Fewer than 784, of methods whose work grows with more than their number."""
PARAMETERS = {"DataTunedProjection": {"n_iter": 5, "sample": 200}}
METHODS: dict[str, tuple[Callable[[int], sqlrp.Projection], Peer | None, int]] = {
    cls.__name__: (
        lambda k, cls=cls: cls(k=k, **PARAMETERS.get(cls.__name__, {"sample": 1000} if cls.learns else {})),
        PEERS.get(cls.__name__),
        FEATURES.get(cls.__name__, 784),
    )
    for cls in REGISTRY
    if cls.transforms and not issubclass(cls, SupervisedProjection)
}
SUPERVISED: dict[str, Any] = {
    "LinearDiscriminants": lambda k: LinearDiscriminantAnalysis("eigen", n_components=k),
    "CanonicalCorrelation": CCA,
    "PartialLeastSquares": PLSRegression,
}
"""The same of scikit-learn, for each method that learns from targets."""


BARRED = ("GaussianProjection", "PrincipalComponents", "NystroemProjection", "RandomMaclaurin", "TensorSketch")
"""The methods that must be at least as fast as their peer."""
IN_SQL = ("RandomMaclaurin", "TensorSketch")
"""The methods of products that are measured in plain SQL, too."""


def _bar_of(name: str, peer: Peer | None) -> tuple[Bar, ...]:
    if name not in BARRED or peer is None:
        return ()
    return (bar(f"10,000 rows to 256 components by {name}", name, type(peer(2)).__name__, 1.0),)


def cells(place: Place, values: int, settings: Mapping[str, str] | None = None) -> duckdb.DuckDBPyConnection:
    """cells(id, feature, value) of rows of 100 values of 30,000 features."""
    made = (
        "CREATE TABLE cells AS SELECT range // 100 AS id, CAST(floor(random() * 30000) AS INTEGER) AS feature, "
        f"1 + floor(random() * 5) AS value FROM range({(place.rows(values) // 100 + 1) * 100})"
    )
    return place.duckdb(f"cells_{values}", [made], settings)


def sparse_rows(values: int, outputs: tuple[str, ...]) -> Callable[[Place], Bench]:
    """Rows of 100 values of 30,000 features to 256 components, in each shape of the result."""

    def make(place: Place) -> Bench:
        d, k = 30_000, place.size(256)
        con = cells(place, values)
        source, projection = sqlrp.Long("cells", n_features=d), sqlrp.SparseProjection(k=k)
        jobs: dict[str, Call] = {}
        for output in outputs:
            jobs[f"SparseProjection, {output}"] = project(con, projection, source, output=output)
            jobs[f"fetch, scipy, write, {output}"] = sparse(con, "cells", d, k, output)
        plain = ", ".join(f"sum(value) + {c} AS z{c}" for c in range(k))
        jobs["plain copy"] = lambda: con.execute(f"CREATE TABLE out AS SELECT id, {plain} FROM cells GROUP BY id")
        return Bench(
            jobs,
            cleared(con),
            shape(con),
            # How many zeros long rows leave out hangs on the draw, which is each side's own.
            alike=lambda job: "columns" if job == "plain copy" else job if "long" in job else job.rsplit(", ", 1)[1],
        )

    return make


# -- growth ----------------------------------------------------------------------------------------------


def _growth(name: str, counts: tuple[int, ...], peers: bool = True) -> Callable[[Place], Bench]:
    """One size grows, the others stay at n = 10,000, d = 784, k = 128."""

    def make(place: Place) -> Bench:
        jobs: dict[str, Call] = {}
        drawn: dict[str, tuple[str, float]] = {}
        most = place.rows(max(counts) if name == "n" else 10_000)
        d = place.size(max(counts) if name == "d" else 784)
        con = points(place, most, d)
        for count in counts:
            rows = place.rows(count if name == "n" else 10_000)
            features = place.size(count if name == "d" else 784)
            k = place.size(count if name == "k" else 128)
            source = sqlrp.Wide(f"points_{rows}", features=[f"f{j}" for j in range(features)])
            con.execute(f"CREATE TEMPORARY VIEW IF NOT EXISTS points_{rows} AS SELECT * FROM points WHERE id < {rows}")
            projection: Any = sqlrp.SparseProjection(k=k)
            transformer: Any = SparseRandomProjection(k, random_state=0)
            fresh = fitted(transformer)
            if name in "pt":
                p, t = (place.size(count), 4) if name == "p" else (place.size(256), count)
                projection = sqlrp.PolynomialKernelProjection(k=k, p=max(p, 2 * t), t=t)
                fresh = numpy_pk(projection, features)
            named = ", ".join(["id", *(source.features or ())])
            query = f"SELECT {named} FROM points_{rows}"
            series = {type(projection).__name__: project(con, projection, source)}
            if peers:
                other = "numpy PK-RP" if name in "pt" else type(transformer).__name__
                series[f"fetch, {other}, write"] = fetched(con, query, fresh)
            for title, job in series.items():
                jobs[f"{title}, {name} = {count:,}"] = job
                drawn[f"{title}, {name} = {count:,}"] = (title, float(count))
        return Bench(jobs, cleared(con), shape(con), lambda job: job.rsplit(", ", 1)[1], points=drawn)

    return make


GROWTH: dict[str, tuple[int, ...]] = {
    "n": (5_000, 50_000, 500_000),
    "d": (98, 196, 392, 784, 1568),
    "k": (32, 64, 128, 256, 512, 1024),
    "p": (64, 128, 256, 512, 1024),
    "t": (1, 2, 4, 10, 20, 30),
}

CASES = (
    Case(
        "sparse-10m",
        "sparse long: 10 million values, d = 30,000, to 256 components, s = √d",
        sparse_rows(10_000_000, ("columns", "array", "long")),
        tuple(
            Bar(
                f"sparse long 10 million values -> 256, s = √d, output {output}",
                f"SparseProjection, {output}",
                (f"fetch, scipy, write, {output}",),
                1.2,
            )
            for output in ("columns", "array", "long")
        ),
        rounds=3,
    ),
    Case(
        "sparse-100m",
        "sparse long: 100 million values, d = 30,000, to 256 components, s = √d",
        sparse_rows(100_000_000, ("columns",)),
        (
            Bar(
                "sparse long 100 million values -> 256, s = √d, output columns",
                "SparseProjection, columns",
                ("fetch, scipy, write, columns",),
                1.2,
            ),
        ),
        rounds=2,
    ),
    *(
        Case(f"method-{n}", f"10,000 x {d} to 256 by {n}", method(m, p, d), _bar_of(n, p), rounds=3)
        for n, (m, p, d) in METHODS.items()
    ),
    *(
        Case(
            f"sql-{n}",
            f"10,000 x {METHODS[n][2]} to 256 by {n} in plain SQL",
            method(*METHODS[n], lowering="sql"),
            rounds=3,
        )
        for n in IN_SQL
    ),
    Case(
        "fit-PrincipalComponents",
        "principal components of all rows, 200,000 x 784 -> 64, fitted",
        _fit,
        (Bar("principal components of all rows, 200,000 x 784 -> 64", "fit", ("fetch, PCA",), 1.0),),
        rounds=3,
    ),
    *(
        Case(
            f"fit-{cls.__name__}",
            f"{cls.__name__} of all rows and their targets, 200,000 x 196 -> 8, fitted",
            _fit_to_targets(cls, SUPERVISED[cls.__name__]),
            rounds=3,
        )
        for cls in REGISTRY
        if issubclass(cls, SupervisedProjection)
    ),
    Case("method-BilinearPooling", "10,000 x 784 to 1,000 groups of 256 by BilinearPooling", _pooled, rounds=3),
    *(
        Case(
            f"growth-{name}",
            f"growth in {name}, from n = 10,000, d = 784, k = 128 (p = 256, t = 4)",
            _growth(name, counts),
            (
                Bar(
                    "time at 10 n over time at n, from 50,000 rows",
                    "SparseProjection, n = 500,000",
                    ("SparseProjection, n = 50,000",),
                    10.5,
                    False,
                ),
            )
            if name == "n"
            else (),
            rounds=3,
            axis=name,
        )
        for name, counts in GROWTH.items()
    ),
)
