"""What sqlrp's SQL functions in DuckDB cost beyond Python's text: `python tests/bench/functions.py`.

A file has the functions, and one row of 784 features. A call of `rp_project` draws and writes its text in SQL every
time it is used. The second column is the time in which Python writes a text of the same numbers, and the text runs on
the same row. The second table compares a SELECT of that row with `rp_vector`, and with a function of `create_function`,
whose text is written once. All seconds are those of processors, the least of several.

`… methods` calls every drawn method over 1,000 arrays of FLOAT in plain SQL, beside the better of Python's inline and
indexed texts, for each number of features and k. `… views` opens a file and counts the rows of a view that calls a
function, with the extension. Beside it stands a view of Python's text.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import duckdb
import numpy as np
from common import markdown
from duckdb_calls import arguments
from extensions import compiled

import sqlrp
from sqlrp._core.errors import SqlrpError
from sqlrp._projections import FUNCTIONS

FEATURES = 784
MOST = {64: 0.2, 488: 0.6}
"""The bars: by k, the seconds that SQL may take beyond Python."""
TWICE = 2.0


def least(job: Callable[[], object], runs: int) -> float:
    """The least seconds of processors of several calls, after one that is not counted."""
    job()
    found = []
    for _ in range(runs):
        begun = time.process_time()
        job()
        found.append(time.process_time() - begun)
    return min(found)


def running(con: duckdb.DuckDBPyConnection, sql: str, values: list[list[float]] | None = None) -> Callable[[], object]:
    """What runs a query and fetches its rows."""
    return lambda: con.execute(sql, values).fetchall()


def in_arrow(con: duckdb.DuckDBPyConnection, sql: str) -> Callable[[], object]:
    """The same with the rows as a table of Arrow."""
    return lambda: con.execute(sql).to_arrow_table()


def texts(con: duckdb.DuckDBPyConnection, runs: int) -> list[list[str]]:
    """For each k: the function, Python's text and a run of it, the difference, and the bar."""
    lines = []
    for k, most in MOST.items():
        call = f"SELECT * FROM rp_project('points', k := {k}, s := 3, seed := 7)"
        projection = sqlrp.SparseProjection(k=k, s=3, seed=7)

        def of_python(projection: sqlrp.SparseProjection = projection) -> list[tuple[float, ...]]:
            return con.execute(sqlrp.sql(projection, "points", con, lowering="sql")).fetchall()

        of_sql = running(con, call)
        np.testing.assert_allclose(
            np.array(con.execute(call).fetchall())[0, 1:], np.array(of_python())[0, 1:], rtol=1e-9, atol=1e-9
        )
        here, there = least(of_sql, runs), least(of_python, runs)
        lines.append([str(k), f"{here:.3f} s", f"{there:.3f} s", f"{here - there:.3f} s", f"{most} s"])
    return lines


def vectors(con: duckdb.DuckDBPyConnection, runs: int) -> list[list[str]]:
    """For each k: a call of a function of a vector, a SELECT of one row, their ratio, and the bar."""
    lines = []
    row = [float(value) for value in np.random.default_rng(1).normal(size=FEATURES)]
    for k in MOST:
        made = f"made_{k}"
        sqlrp.create_function(sqlrp.SparseProjection(k=k, s=3, seed=7), con, made, n_features=FEATURES)
        called = {"rp_vector": f"rp_vector($1, k := {k}, s := 3, seed := 7)", "create_function": f"{made}($1)"}
        select = "SELECT * FROM points WHERE id = 0"
        one = least(running(con, select), runs * 5)
        for said, call in called.items():
            seconds = least(running(con, f"SELECT {call}", [row]), runs * 5)
            cells = [f"{seconds * 1e3:.1f} ms", f"{one * 1e3:.1f} ms", f"{seconds / one:.1f}", f"{TWICE:.0f}"]
            lines.append([str(k), said, *cells])
    return lines


WIDTHS, SIZES = (64, 768, 1536, 3072), (16, 256)
"""Features, and components, of the table of methods."""


def projections(d: int, k: int) -> Iterator[sqlrp.Projection]:
    """A projection of each drawn method over d features, to k components or as near as it can."""
    for cls in FUNCTIONS.values():
        if cls.transforms and cls is not sqlrp.ExplicitPolynomialProjection:  # its k is that of all monomials
            yield cls(k=k)
    yield sqlrp.HadamardProjection(k=k, padding="least")


def methods(con: duckdb.DuckDBPyConnection, runs: int) -> list[list[str]]:
    """For each method, d and k: the function, the better text of Python, and the ratio."""
    lines = []
    for d in WIDTHS:
        con.execute(
            "CREATE OR REPLACE TABLE rows AS SELECT range AS id, list_transform(range("
            f"{d}), lambda j: sin(range * 7 + j))::FLOAT[{d}] AS e FROM range(1000)"
        )
        source = sqlrp.Array("rows", "e")
        for k in SIZES:
            for projection in projections(d, k):
                times = {}
                for lowering in ("inline", "indexed"):

                    def of_python(projection: Any = projection, lowering: Any = lowering, source: Any = source) -> None:
                        text = sqlrp.sql(projection, source, con, lowering=lowering, output="array")
                        in_arrow(con, text)()

                    try:
                        times[lowering] = least(of_python, runs)
                    except (
                        SqlrpError,
                        duckdb.Error,
                    ):  # more features to pick than there are, or a text that is too long
                        continue
                if not times:
                    continue
                call = arguments(projection, source, output="array")
                here = least(in_arrow(con, f"FROM {call}"), runs)
                road = min(times, key=times.__getitem__)
                ratio = here / times[road]
                cells = [f"{here:.3f} s", f"{times[road]:.3f} s ({road})", f"{ratio:.1f}", f"{TWICE:.0f}"]
                lines.append([projection.name.split("(")[0], str(d), str(k), *cells])
                print(*lines[-1], file=sys.stderr, flush=True)
    return lines


def views(path: str, runs: int) -> list[list[str]]:
    """For each table: count(*) of a view of the function, and of the text, in a file that is opened for each."""
    lines = []
    allowed = {"allow_unsigned_extensions": "true", "threads": "1"}
    tables = {"100 x 3": ("range * 0.5e0 AS a, 1e0 AS b, sin(range) AS c", 2, 100)}
    tables["1,000 x 784"] = (", ".join(f"sin(range * {j}) AS f{j}" for j in range(784)), 64, 1000)
    for title, (columns, k, rows) in tables.items():
        with duckdb.connect(path, config=allowed) as con:
            con.execute(f"LOAD '{compiled()}'")
            con.execute(f"CREATE OR REPLACE TABLE narrow AS SELECT range AS id, {columns} FROM range({rows})")
            con.execute(f"CREATE OR REPLACE VIEW called AS FROM rp_project('narrow', k := {k}, seed := 7)")
            text = sqlrp.sql(sqlrp.SparseProjection(k=k, seed=7), "narrow", con, lowering="sql")
            con.execute(f"CREATE OR REPLACE VIEW written AS {text}")

        def counted(view: str) -> float:
            with duckdb.connect(path, config=allowed) as con:
                con.execute(f"LOAD '{compiled()}'")
                begun = time.process_time()
                con.execute(f"SELECT count(*) FROM {view}").fetchall()
                return time.process_time() - begun

        called, written = (min(counted(view) for _ in range(runs)) for view in ("called", "written"))
        cells = [f"{called * 1e3:.1f} ms", f"{written * 1e3:.1f} ms", f"{called / written:.1f}", "1.5"]
        lines.append([title, *cells])
    return lines


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("table", nargs="?", choices=["methods", "views"])
    given = parser.parse_args()
    runs = given.runs
    if given.table == "methods":
        with duckdb.connect(config={"threads": "1"}) as con:
            sqlrp.install(con)
            names = ["method", "features", "k", "function", "Python's text", "ratio", "at most"]
            print(markdown(names, methods(con, runs)))
        return
    if given.table == "views":
        with tempfile.TemporaryDirectory() as folder:
            found = views(str(Path(folder) / "views.duckdb"), runs)
            print(markdown(["table", "view of the function", "view of the text", "ratio", "at most"], found))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "points.duckdb")
        with duckdb.connect(path) as con:
            sqlrp.install(con)
            drawn = ", ".join(f"random() AS f{j}" for j in range(FEATURES))
            con.execute(f"CREATE TABLE points AS SELECT range AS id, {drawn} FROM range(1)")
        # Open the file again, so that it has no Python functions.
        with duckdb.connect(path, config={"threads": "1"}) as con:
            print(markdown(["k", "rp_project", "Python's text", "more", "at most"], texts(con, runs)))
            print()
            print(markdown(["k", "function", "of a vector", "SELECT of a row", "ratio", "at most"], vectors(con, runs)))


if __name__ == "__main__":
    main()
