"""The cases of the SQL functions: beside the text that Python writes for the same job, and beside scikit-learn."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
from case import Bar, Bench, Call, Case, Place
from dense import both_ways, cleared, copy, points, project, shape
from peers import fitted
from sklearn.kernel_approximation import PolynomialCountSketch
from sklearn.random_projection import SparseRandomProjection

import sqlrp
from sqlrp._core.sources import Source
from sqlrp._projections import FUNCTIONS

FUNCTION, TEXT = "function", "materialize, SQL"


def table(place: Place, rows: int, features: int) -> duckdb.DuckDBPyConnection:
    """points(id, f0 …) of random FLOAT columns, with the functions."""
    values = ", ".join(f"CAST(random() - 0.5 AS FLOAT) AS f{j}" for j in range(features))
    con = place.duckdb(
        f"calls_{rows}_{features}", [f"CREATE TABLE points AS SELECT range AS id, {values} FROM range({rows})"]
    )
    sqlrp.install(con)
    return con


def arrays(place: Place, rows: int, features: int) -> duckdb.DuckDBPyConnection:
    """points(id, x FLOAT[features]), with the functions."""
    values = ", ".join(["random() - 0.5"] * features)
    made = f"CREATE TABLE points AS SELECT range AS id, CAST([{values}] AS FLOAT[{features}]) AS x FROM range({rows})"
    con = place.duckdb(f"calls_arrays_{rows}_{features}", [made])
    sqlrp.install(con)
    return con


def called(function: str, rows: int, features: int, k: int, array: bool = False) -> Callable[[Place], Bench]:
    """A function to a table, beside `materialize` with lowering "sql" of the same job."""

    def make(place: Place) -> Bench:
        n, d, size = place.rows(rows), place.size(features), place.size(k)
        con = (arrays if array else table)(place, n, d)
        source: Source = sqlrp.Array("points", "x") if array else sqlrp.Wide("points")
        more = ", array_column := 'x'" if array else ""
        statement = f"CREATE TABLE out AS FROM {function}('points', k := {size}{more})"
        jobs: dict[str, Call] = {
            FUNCTION: lambda: con.execute(statement),
            TEXT: project(con, FUNCTIONS[function](k=size), source, lowering="sql"),
        }
        return Bench(jobs, cleared(con), shape(con))

    return make


VIEWED = {
    "sum(z0)": "SELECT id % 2 AS id, sum(z0) AS z FROM {} GROUP BY ALL",
    "count(*)": "SELECT id % 2 AS id, count(*) AS z FROM {} GROUP BY ALL",
    "a filter": "SELECT id, z0 FROM {} WHERE z0 > 0.5 OR id < 3 ORDER BY z1 LIMIT 3",
}
"""What is asked of a view: little of what it could compute."""


def viewed(place: Place) -> Bench:
    """Questions to a view over a function, and to one over the text."""
    n, d, k = place.rows(100_000), place.size(784), place.size(64)
    con = table(place, n, d)
    con.execute(f"CREATE OR REPLACE TEMP VIEW called AS FROM rp_project('points', k := {k})")
    text = sqlrp.sql(sqlrp.SparseProjection(k=k), "points", con, lowering="inline")
    con.execute(f"CREATE OR REPLACE TEMP VIEW written AS {text}")

    def ask(query: str, view: str) -> Call:
        return lambda: con.execute(f"CREATE TABLE out AS {query.format(view)}")

    jobs = {
        f"{said}, view of {name}": ask(query, view)
        for said, query in VIEWED.items()
        for name, view in (("the function", "called"), ("the text", "written"))
    }
    return Bench(jobs, cleared(con), shape(con), lambda job: job.split(",")[0])


def beside_library(place: Place) -> Bench:
    """Functions of DOUBLE columns to a table, beside fetching the rows, a library and writing back, as in README."""
    n, d = place.rows(50_000), place.size(784)
    con = points(place, n, d)
    sqlrp.install(con)
    k, p, wide = place.size(488), max(place.size(488), 20), place.size(500)
    calls = {function: f"{function}('points', k := {k})" for function in ("rp_project", "cw_project", "fht_project")}
    calls["pk_project"] = f"pk_project('points', k := {wide}, p := {p}, t := 10)"

    def made(call: str) -> Call:
        return lambda: con.execute(f"CREATE TABLE out AS FROM {call}")

    jobs = {
        **{function: made(call) for function, call in calls.items()},
        **both_ways(con, "SparseRandomProjection", fitted(SparseRandomProjection(k, random_state=0))),
        **both_ways(con, "PolynomialCountSketch", fitted(PolynomialCountSketch(n_components=wide, random_state=0))),
        "plain copy": copy(con, d, k),
    }
    return Bench(jobs, cleared(con), shape(con), lambda job: "pk" if job == "pk_project" or "Poly" in job else "rp")


def small(place: Place) -> Bench:
    """A call and a view at few rows, where nearly all of the time is spent on writing and binding the text."""
    n, d, k = place.rows(1_000), place.size(784), place.size(64)
    con = table(place, n, d)
    con.execute(f"CREATE OR REPLACE TEMP VIEW called AS FROM rp_project('points', k := {k})")
    jobs: dict[str, Call] = {
        FUNCTION: lambda: con.execute(f"CREATE TABLE out AS FROM rp_project('points', k := {k})"),
        "view": lambda: con.execute("CREATE TABLE out AS FROM called"),
        TEXT: project(con, sqlrp.SparseProjection(k=k), sqlrp.Wide("points"), lowering="sql"),
    }
    return Bench(jobs, cleared(con), shape(con))


def _case(function: str, rows: int, features: int, k: int, bound: float, array: bool = False) -> Case:
    kind = "array" if array else "wide"
    said = f"{function} {rows:,} x {features} -> {k}{', array' * array}, beside materialize in SQL"
    name = f"call-{function.removesuffix('_project')}-{kind}-{features}-{k}"
    return Case(name, said, called(function, rows, features, k, array), (Bar(said, FUNCTION, [TEXT], bound, False),))


CASES = (
    _case("rp_project", 100_000, 64, 16, 1.25),
    _case("rp_project", 100_000, 784, 64, 1.25),
    _case("rp_project", 50_000, 784, 488, 1.5),
    _case("rp_project", 100_000, 768, 128, 1.25, array=True),
    _case("pk_project", 20_000, 64, 256, 1.25),
    _case("cw_project", 50_000, 784, 488, 1.5),
    _case("fht_project", 50_000, 784, 488, 1.5),
    Case(
        "call-views",
        "a view of rp_project 100,000 x 784 -> 64, beside a view of the text",
        viewed,
        tuple(
            Bar(
                f"{said} of a view of rp_project 100,000 x 784 -> 64",
                f"{said}, view of the function",
                [f"{said}, view of the text"],
                3,
                False,
            )
            for said in VIEWED
        ),
    ),
    Case("call-small", "rp_project 1,000 x 784 -> 64", small),
    Case("call-library", "SQL functions of 50,000 x 784 DOUBLE columns, beside scikit-learn", beside_library),
)
"""The cases of the functions that `sqlrp.install` leaves in DuckDB."""
