"""The cases of the functions in native code, by DuckDB's extension: beside scikit-learn and plain copies."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
from case import COPY, Bar, Bench, Call, Case, Place
from dense import both_ways, cleared, copy, points, shape
from methods import METHODS, cells
from peers import fitted, sparse
from sklearn.kernel_approximation import PolynomialCountSketch
from sklearn.random_projection import SparseRandomProjection

import sqlrp

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from extensions import compiled

SPARSE, SKETCH = "SparseRandomProjection", "PolynomialCountSketch"
LOADS = {"allow_unsigned_extensions": "true"}
LEARNING = {"GaussianProjection": 1.0, "PrincipalComponents": 1.0, "NystroemProjection": 1.0}
"""The methods of dense weights, and the bar of each: beside its own peer in scikit-learn."""


def with_extension(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The connection with the functions in native code."""
    con.execute(f"LOAD '{compiled()}'")
    return con


def wide_points(place: Place, rows: int, features: int) -> duckdb.DuckDBPyConnection:
    """points(id, f0 …) of random DOUBLE columns, with the functions in native code."""
    return with_extension(points(place, rows, features, LOADS))


def made(con: duckdb.DuckDBPyConnection, call: str) -> Call:
    """CREATE TABLE out AS the call."""
    return lambda: con.execute(f"CREATE TABLE out AS FROM {call}")


def peers(of: str) -> tuple[str, str]:
    """Fetching whole, and in batches."""
    return f"fetch, {of}, write", f"fetch, {of}, write, in batches"


def wide(rows: int, components: int) -> Callable[[Place], Bench]:
    """rows x 784 columns to columns, and to an array."""

    def make(place: Place) -> Bench:
        n, d, k = place.rows(rows), place.size(784), place.size(components)
        con = wide_points(place, n, d)
        call = f"rp_project('points', k := {k}"
        few = ", ".join(f"f{c} AS z{c}" for c in range(k))
        jobs: dict[str, Call] = {
            "columns": made(con, f"{call})"),
            "array": made(con, f"{call}, output := 'array')"),
            **both_ways(con, SPARSE, fitted(SparseRandomProjection(k, random_state=0))),
            COPY: made(con, f"(SELECT id, {few} FROM points)"),
            "plain copy": copy(con, d, k),
        }
        return Bench(jobs, cleared(con), shape(con), lambda job: job if job == "array" else "columns")

    return make


def embedding(size: int) -> Callable[[Place], Bench]:
    """An embedding column FLOAT[size] to FLOAT[128]."""

    def make(place: Place) -> Bench:
        n, d, k = place.rows(200_000), place.size(size), place.size(128)
        values = ", ".join(["random() - 0.5"] * d)
        table = f"CREATE TABLE points AS SELECT range AS id, CAST([{values}] AS FLOAT[{d}]) AS x FROM range({n})"
        con = with_extension(place.duckdb(f"embedding_{size}", [table], LOADS))
        jobs: dict[str, Call] = {
            "array": made(con, f"rp_project('points', k := {k}, array_column := 'x', output := 'array')"),
            **both_ways(con, SPARSE, fitted(SparseRandomProjection(k, random_state=0)), "array"),
            COPY: made(con, f"(SELECT id, CAST(x[1:{k}] AS FLOAT[{k}]) AS z FROM points)"),
        }
        return Bench(jobs, cleared(con), shape(con))

    return make


def functions(place: Place) -> Bench:
    """The other methods of signs, 50,000 x 784 DOUBLE columns."""
    n, d = place.rows(50_000), place.size(784)
    con = wide_points(place, n, d)
    k, p, features = place.size(488), max(place.size(488), 20), place.size(500)
    jobs: dict[str, Call] = {
        "cw_project": made(con, f"cw_project('points', k := {k})"),
        "fht_project": made(con, f"fht_project('points', k := {k})"),
        "pk_project": made(con, f"pk_project('points', k := {features}, p := {p}, t := 10)"),
        **both_ways(con, SPARSE, fitted(SparseRandomProjection(k, random_state=0))),
        **both_ways(con, SKETCH, fitted(PolynomialCountSketch(n_components=features, random_state=0))),
        "plain copy": copy(con, d, k),
    }
    return Bench(jobs, cleared(con), shape(con), lambda job: "pk" if job == "pk_project" or SKETCH in job else "rp")


def sketches(place: Place) -> Bench:
    """Tensor sketches of 10,000 x 196 DOUBLE columns."""
    n, d, k = place.rows(10_000), place.size(196), place.size(256)
    con = wide_points(place, n, d)
    jobs: dict[str, Call] = {
        "ts_project": made(con, f"ts_project('points', k := {k})"),
        **both_ways(con, SKETCH, fitted(PolynomialCountSketch(n_components=k, random_state=0))),
        "plain copy": copy(con, d, k),
    }
    return Bench(jobs, cleared(con), shape(con))


def sparse_cells(place: Place) -> Bench:
    """Rows of 100 values of 30,000 features to 256 components: long rows, as two lists for the kernel."""
    d, k = 30_000, place.size(256)
    con = with_extension(cells(place, 10_000_000, LOADS))
    call = f"rp_project('cells', k := {k}, feature := 'feature', value := 'value', n_features := {d}"
    jobs: dict[str, Call] = {}
    for output in ("array", "long"):
        jobs[f"rp_project, {output}"] = made(con, f"{call}, output := '{output}')")
        jobs[f"fetch, scipy, write, {output}"] = sparse(con, "cells", d, k, output)
    return Bench(jobs, cleared(con), shape(con), lambda job: job if "long" in job else "array")


def learned(name: str) -> Callable[[Place], Bench]:
    """A method of dense weights, saved: 10,000 x 784 DOUBLE columns to 256."""

    def make(place: Place) -> Bench:
        n, d, k = place.rows(10_000), place.size(784), place.size(256)
        con = wide_points(place, n, d)
        sqlrp.install(con)
        build, peer, _ = METHODS[name]
        projection = build(k)
        sqlrp.save(sqlrp.fit(projection, "points", con) if projection.learns else projection, con, "mine", replace=True)
        assert peer is not None
        jobs: dict[str, Call] = {
            "project_with": made(con, "project_with('mine', 'points')"),
            **both_ways(con, "scikit-learn", fitted(peer(k), 1000)),
            "plain copy": copy(con, d, k),
        }
        return Bench(jobs, cleared(con), shape(con))

    return make


def _wide(rows: int, components: int, faster: float, copies: float) -> Case:
    said = f"native rp_project {rows:,} x 784 -> {components}"
    bars = [
        bar
        for job in ("columns", "array")
        for bar in (
            Bar(f"{said}, {job}", job, peers(SPARSE), faster),
            Bar(f"{said}, {job}, beside a copy", job, (COPY,), copies, False),
        )
    ]
    return Case(f"native-wide-{components}", f"{said}, DOUBLE columns", wide(rows, components), tuple(bars))


def _embedding(size: int) -> Case:
    said = f"native rp_project FLOAT[{size}] x 200,000 -> 128"
    bars = (
        Bar(said, "array", peers(SPARSE), 3.0),
        Bar(f"{said}, beside a copy", "array", (COPY,), 1.5, False),
    )
    return Case(f"native-embedding-{size}", said, embedding(size), bars)


def _named(job: str, peer: str, bound: float, said: str = "") -> Bar:
    return Bar(f"native {said or job} beside {peer}", job, peers(peer), bound)


CASES: tuple[Case, ...] = (
    _wide(50_000, 488, 1.3, 2.2),
    _wide(100_000, 64, 2.0, 3.0),
    _embedding(768),
    _embedding(1536),
    Case(
        "native-functions",
        "native cw, fht and pk, 50,000 x 784",
        functions,
        (
            _named("cw_project", SPARSE, 2.0),
            _named("fht_project", SPARSE, 2.0),
            _named("pk_project", SKETCH, 2.0),
        ),
    ),
    Case("native-sketch", "native ts_project 10,000 x 196 -> 256", sketches, (_named("ts_project", SKETCH, 2.0),)),
    Case(
        "native-sparse-10m",
        "rp_project of 10 million cells of long rows, d = 30,000, to 256 components, s = √d, with the extension",
        sparse_cells,
        tuple(
            Bar(
                f"rp_project, sparse long 10 million values -> 256, output {output}",
                f"rp_project, {output}",
                (f"fetch, scipy, write, {output}",),
                1.2,
            )
            for output in ("array", "long")
        ),
        rounds=2,
    ),
    *(
        Case(
            f"native-{name}",
            f"native {name} 10,000 x 784 -> 256",
            learned(name),
            (_named("project_with", "scikit-learn", bound, name),),
        )
        for name, bound in LEARNING.items()
    ),
)
"""The cases of the extension."""
