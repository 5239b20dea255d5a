"""What sqlrp's SQL functions in DuckDB cost beyond Python's text: `python tests/bench/functions.py`.

A file has the functions, and one row of 784 features. A call of `rp_project` draws and writes its text in SQL every
time it is used. The second column is the time in which Python writes a text of the same numbers, and the text runs on
the same row. The second table compares a SELECT of that row with `rp_vector`, and with a function of `create_function`,
whose text is written once. All seconds are those of processors, the least of several.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import duckdb
import numpy as np
from common import markdown

import sqlrp

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


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
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
