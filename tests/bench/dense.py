"""The cases of dense rows in DuckDB: wide tables, embedding columns, local descriptors, one vector."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from case import Bar, Bench, Call, Case, Place
from peers import Transform, fetched, fitted, numpy_pk, shaped
from sklearn.kernel_approximation import PolynomialCountSketch
from sklearn.random_projection import SparseRandomProjection

import sqlrp
from sqlrp._core.options import Options
from sqlrp._core.sources import Source
from sqlrp._engines.registry import connector_of
from sqlrp._run.execution import ready
from sqlrp._run.frames.matrix import project_array
from sqlrp._run.table_input import planned

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from helpers import mean_distortion, squared_distances

WIDE = sqlrp.Wide("points")
BATCH = 10_000


def points(
    place: Place, rows: int, features: int, settings: Mapping[str, str] | None = None
) -> duckdb.DuckDBPyConnection:
    """points(id, f0 …) of random DOUBLE columns."""
    values = ", ".join(f"random() - 0.5 AS f{j}" for j in range(features))
    made = f"CREATE TABLE points AS SELECT range AS id, {values} FROM range({rows})"
    return place.duckdb(f"points_{rows}_{features}", [made], settings)


def project(con: Any, projection: sqlrp.Projection, source: Source | str, **options: Any) -> Call:
    """CREATE TABLE out AS the projection, planned again each time, as a user's first call would, and as `materialize`.

    In the session that `materialize` runs in too: PostgreSQL's without jit.
    """

    def call() -> None:
        connector = connector_of(con)
        with connector.session(con) as session:
            chosen = planned(projection, source, session, Options(**options), here=True)
            with ready(connector, session, chosen) as query:
                connector.execute(session, f"CREATE TABLE out AS {query}")

    return call


def cleared(con: duckdb.DuckDBPyConnection) -> Call:
    """Before a job: without the last one's table."""

    def call() -> None:
        con.execute("DROP TABLE IF EXISTS out")
        con.execute("CHECKPOINT")

    return call


def shape(con: duckdb.DuckDBPyConnection) -> Callable[[], tuple[int, int]]:
    """Rows and columns of the table out."""

    def call() -> tuple[int, int]:
        relation = con.sql("FROM out")
        return relation.shape

    return call


def copy(con: duckdb.DuckDBPyConnection, d: int, k: int) -> Call:
    """All d columns read, k written: those past the k are added to the others, or some are written again."""
    columns = [f"{' + '.join(f'f{j % d}' for j in range(c, max(d, c + 1), k))} AS z{c}" for c in range(k)]
    return lambda: con.execute(f"CREATE TABLE out AS SELECT id, {', '.join(columns)} FROM points")


def both_ways(con: Any, name: str, fresh: Callable[[], Transform], output: str = "columns") -> dict[str, Call]:
    """Fetched whole, as is usual, and in a stream of batches, where reading, summing and writing overlap."""
    return {
        f"fetch, {name}, write": fetched(con, "FROM points", fresh, output),
        f"fetch, {name}, write, in batches": fetched(con, "FROM points", fresh, output, BATCH),
    }


def distortions(con: duckdb.DuckDBPyConnection, d: int, methods: dict[str, sqlrp.Projection]) -> dict[str, float]:
    """The mean distortion of each method over the pairs of 300 rows and 20 seeds."""
    x = np.column_stack(list(con.execute("SELECT * EXCLUDE (id) FROM points LIMIT 300").fetchnumpy().values()))
    true = squared_distances(x @ x.T)

    def one(method: Any, seed: int) -> float:
        return mean_distortion(project_array(dataclasses.replace(method, seed=seed), x), true)

    return {name: float(np.mean([one(method, seed) for seed in range(20)])) for name, method in methods.items()}


# -- cases -----------------------------------------------------------------------------------------------


def wide(rows: int, in_memory: bool = False) -> Callable[[Place], Bench]:
    """rows x 784 to 488 components, by the methods of random projection, in a file or in memory."""

    def make(place: Place) -> Bench:
        n, d, k = place.rows(rows), place.size(784), place.size(488)
        con = points(place, n, d)
        if in_memory:
            other = place.stack.enter_context(duckdb.connect())
            other.register("given", con.sql("FROM points").to_arrow_table())
            other.execute("CREATE TABLE points AS FROM given")
            other.unregister("given")
            con = other
        methods: dict[str, sqlrp.Projection] = {
            "SparseProjection": sqlrp.SparseProjection(k=k),
            "SparseEmbedding": sqlrp.SparseEmbedding(k=k),
            "HadamardProjection": sqlrp.HadamardProjection(k=k),
            "RandomSubspace, Householder": sqlrp.RandomSubspace(k=k, densify="householder"),
        }
        jobs = {name: project(con, method, WIDE) for name, method in methods.items()}
        jobs["SparseProjection, SQL"] = project(con, methods["SparseProjection"], WIDE, lowering="sql")
        jobs |= both_ways(con, "SparseRandomProjection", fitted(SparseRandomProjection(k, random_state=0)))
        jobs["plain copy"] = copy(con, d, k)
        jobs["copy of k columns"] = lambda: con.execute(
            f"CREATE TABLE out AS SELECT id, {', '.join(f'f{c} AS z{c}' for c in range(k))} FROM points"
        )
        facts = {}
        if rows <= 50_000:
            facts["mean distortion"] = distortions(
                con, d, {name: methods[name] for name in ("SparseProjection", "SparseEmbedding")}
            )
        return Bench(jobs, cleared(con), shape(con), facts=facts)

    return make


def kernel_features(place: Place) -> Bench:
    """Polynomial-kernel features of degree 2."""
    n, d = place.rows(50_000), place.size(784)
    con = points(place, n, d)
    projection = sqlrp.PolynomialKernelProjection(p=max(place.size(488), 20), t=10, k=place.size(500))
    k = projection.k
    sketch = PolynomialCountSketch(degree=2, n_components=k, random_state=0)
    jobs = {
        "PolynomialKernelProjection": project(con, projection, WIDE),
        "PolynomialKernelProjection, SQL": project(con, projection, WIDE, lowering="sql"),
        **both_ways(con, "PolynomialCountSketch", fitted(sketch)),
        **both_ways(con, "numpy PK-RP", numpy_pk(projection, d)),
        "plain copy": copy(con, d, k),
    }
    return Bench(jobs, cleared(con), shape(con))


def embedding(size: int) -> Callable[[Place], Bench]:
    """An embedding column FLOAT[size] to FLOAT[128]."""

    def make(place: Place) -> Bench:
        n, d, k = place.rows(200_000), place.size(size), place.size(128)
        values = ", ".join(["random() - 0.5"] * d)
        made = f"CREATE TABLE points AS SELECT range AS id, CAST([{values}] AS FLOAT[{d}]) AS x FROM range({n})"
        con = place.duckdb(f"embedding_{size}", [made])
        source, projection = sqlrp.Array("points", "x"), sqlrp.SparseProjection(k=k)
        jobs = {
            "SparseProjection": project(con, projection, source, output="array"),
            "SparseEmbedding": project(con, sqlrp.SparseEmbedding(k=k), source, output="array"),
            "SparseProjection, SQL": project(con, projection, source, output="array", lowering="sql"),
            **both_ways(con, "SparseRandomProjection", fitted(SparseRandomProjection(k, random_state=0)), "array"),
            "plain copy": lambda: con.execute(
                f"CREATE TABLE out AS SELECT id, CAST(x[1:{k}] AS FLOAT[{k}]) AS z FROM points"
            ),
        }
        return Bench(jobs, cleared(con), shape(con))

    return make


def pooling(place: Place) -> Bench:
    """1,000 images of 169 local descriptors of 512 features each to 512 pooled features."""
    images, each, d, k = place.rows(1_000), 169, place.size(512), place.size(512)
    values = ", ".join(["random() - 0.5"] * d)
    made = f"SELECT range // {each} AS id, CAST([{values}] AS FLOAT[{d}]) AS x FROM range({images * each})"
    con = place.duckdb("descriptors", [f"CREATE TABLE points AS {made}"])
    projection, source = sqlrp.BilinearPooling(k=k), sqlrp.Array("points", "x")
    sketch = fitted(PolynomialCountSketch(degree=2, n_components=k, random_state=0))

    def pooled() -> Transform:
        transform = sketch()

        def call(x: Any) -> Any:
            sums = transform(x).reshape(-1, each, k).sum(axis=1)
            root = np.sign(sums) * np.sqrt(np.abs(sums))
            return root / np.linalg.norm(root, axis=1, keepdims=True)

        return call

    def peer() -> None:
        table = con.sql("FROM points").to_arrow_table()
        arrays = table.column(1).combine_chunks()
        z = pooled()(arrays.flatten().to_numpy().reshape(len(arrays), d))
        con.register("projected", shaped(pa.array(np.arange(len(z))), z, "array"))
        con.execute("CREATE TABLE out AS FROM projected")
        con.unregister("projected")

    jobs: dict[str, Call] = {
        "BilinearPooling": project(con, projection, source, output="array"),
        "BilinearPooling, SQL": project(con, projection, source, output="array", lowering="sql"),
        "fetch, PolynomialCountSketch and numpy, write": peer,
        "plain copy": lambda: con.execute(
            f"CREATE TABLE out AS SELECT id, CAST(any_value(x)[1:{k}] AS FLOAT[{k}]) AS z FROM points GROUP BY id"
        ),
    }
    return Bench(jobs, cleared(con), shape(con))


def vector(place: Place) -> Bench:
    """One vector, after the first call, beside the SELECT of one row by key."""
    n, d, k = place.rows(50_000), place.size(784), place.size(256)
    con = points(place, n, d)
    projection = sqlrp.SparseProjection(k=k)
    values = np.random.default_rng(0).normal(size=d)
    con.execute("CREATE TEMPORARY TABLE query AS FROM points LIMIT 1")
    con.execute(f"CREATE TEMPORARY VIEW projected AS {sqlrp.sql(projection, 'query', con)}")
    jobs: dict[str, Call] = {
        "project_vector": lambda: sqlrp.project_vector(projection, values),
        "project, a table of one row": lambda: sqlrp.project(projection, "query", con),
        "SELECT from a view of one row": lambda: con.execute("FROM projected").fetchall(),
        "SELECT of one row by key": lambda: con.execute("SELECT * FROM points WHERE id = ?", [n // 2]).fetchall(),
    }
    return Bench(jobs)


def threads(place: Place) -> Bench:
    """The same projection by one thread and by all."""
    con = points(place, place.rows(500_000), place.size(784))
    run = project(con, sqlrp.SparseProjection(k=place.size(488)), WIDE)
    [(cores,)] = con.execute("SELECT current_setting('threads')").fetchall()

    def by(count: int) -> Call:
        def call() -> None:
            con.execute(f"SET threads = {count}")
            run()

        return call

    return Bench({"1 thread": by(1), f"{max(int(cores), 2)} threads": by(max(int(cores), 2))}, cleared(con), shape(con))


def bar(said: str, job: str, peer: str, bound: float) -> Bar:
    """Against the faster of fetching the table whole, as is usual, and in batches, where the steps overlap."""
    whole = f"fetch, {peer}, write"
    return Bar(said, job, (whole, f"{whole}, in batches"), bound)


_SPARSE = "SparseRandomProjection"
_WHOLE = (f"fetch, {_SPARSE}, write",)
CASES = (
    Case(
        "wide-50k",
        "50,000 x 784 DOUBLE columns to 488 columns",
        wide(50_000),
        (
            bar("dense wide 50,000 x 784 -> 488, s = √d, file to file", "SparseProjection", _SPARSE, 1.3),
            bar("the same by SparseEmbedding", "SparseEmbedding", _SPARSE, 1.4),
            bar("the same by HadamardProjection", "HadamardProjection", _SPARSE, 1.4),
            Bar("the same in plain SQL, against fetching whole", "SparseProjection, SQL", _WHOLE, 1.1),
            Bar("its mean distortion", "SparseEmbedding", ("SparseProjection",), 1.03, False, "mean distortion"),
            Bar("butterfly 50,000 x 784 -> 488", "HadamardProjection", ("plain copy",), 3.0, False),
            Bar("RandomSubspace with Householder", "RandomSubspace, Householder", ("copy of k columns",), 2.0, False),
        ),
    ),
    Case(
        "wide-50k-memory",
        "50,000 x 784 DOUBLE columns to 488 columns, in memory",
        wide(50_000, in_memory=True),
        (bar("dense wide 50,000 x 784 -> 488, s = √d, in memory", "SparseProjection", _SPARSE, 1.5),),
    ),
    Case(
        "wide-500k",
        "500,000 x 784 DOUBLE columns to 488 columns",
        wide(500_000),
        (
            bar("dense wide 500,000 x 784 -> 488, s = √d", "SparseProjection", _SPARSE, 1.8),
            Bar("the same in plain SQL, against fetching whole", "SparseProjection, SQL", _WHOLE, 2.5),
        ),
        rounds=3,
    ),
    Case(
        "polynomial",
        "50,000 x 784 to PK-RP features, degree 2, p = 488, t = 10, k = 500",
        kernel_features,
        (bar("PK-RP degree 2, p = 488, t = 10, k = 500", "PolynomialKernelProjection", "PolynomialCountSketch", 1.7),),
    ),
    Case(
        "embedding-768",
        "an embedding column FLOAT[768] x 200,000 to FLOAT[128]",
        embedding(768),
        (bar("embedding column FLOAT[768] x 200,000 -> 128", "SparseProjection", _SPARSE, 1.3),),
    ),
    Case(
        "embedding-1536",
        "an embedding column FLOAT[1536] x 200,000 to FLOAT[128]",
        embedding(1536),
        (bar("embedding column FLOAT[1536] x 200,000 -> 128", "SparseProjection", _SPARSE, 1.3),),
        rounds=3,
    ),
    Case(
        "pooling",
        "1,000 images x 169 descriptors FLOAT[512] to 512 pooled features",
        pooling,
        (
            Bar(
                "bilinear pooling of 1,000 x 169 descriptors",
                "BilinearPooling",
                ("fetch, PolynomialCountSketch and numpy, write",),
                1.0,
            ),
        ),
        rounds=3,
    ),
    Case(
        "vector",
        "one vector, d = 784, k = 256, after the first call",
        vector,
        tuple(
            Bar(
                f"one vector, d = 784, k = 256, after the first call: {job}",
                job,
                ("SELECT of one row by key",),
                5.0,
                False,
            )
            for job in ("project_vector", "SELECT from a view of one row")
        ),
    ),
    Case("threads", "500,000 x 784 to 488 by one thread and by all", threads, rounds=3),
)
