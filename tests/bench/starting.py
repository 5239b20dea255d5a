"""The first call in a new process beside the second one: what is imported, loaded, drawn and planned only once."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from case import Bar, Bench, Case, Place
from dense import points

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from extensions import compiled

MORE = "s more than the second call"
MOST = 0.3
CALLS = """
import json, sys, time
import duckdb, sqlrp
path, extension, k, road = sys.argv[1:]
con = duckdb.connect(path, config={"allow_unsigned_extensions": "true"})
con.execute("SET enable_progress_bar = false")
con.execute(f"LOAD '{extension}'")
con.execute("SELECT max(COLUMNS(*)) FROM points").fetchall()  # so that both calls find the rows in memory
taken = []
for _ in range(2):
    con.execute("DROP TABLE IF EXISTS out")
    con.execute("CHECKPOINT")
    begin = time.perf_counter()
    if road == "Python":
        sqlrp.materialize(sqlrp.SparseProjection(k=int(k)), "points", con, into="out")
    else:
        con.execute(f"CREATE TABLE out AS FROM rp_project('points', k := {k})")
    taken.append(time.perf_counter() - begin)
shape = con.sql("FROM out").shape
con.execute("DROP TABLE out")
print(json.dumps([*taken, *shape]))
"""
ROADS = {"Python": "materialize", "SQL": "rp_project with the extension"}


def first_calls(place: Place) -> Bench:
    """50,000 x 784 DOUBLE columns to 488, twice in a process of its own, whose rows are in memory before."""
    con = points(place, place.rows(50_000), place.size(784))
    found = con.execute("SELECT path FROM duckdb_databases() WHERE path IS NOT NULL").fetchone()
    assert found is not None
    con.close()  # so that the other process can open the file
    facts: dict[str, dict[str, float]] = {MORE: {}, "s of the first call": {}, "s of the second call": {}}
    last: list[int] = []

    def job(road: str) -> Callable[[], None]:
        times: list[tuple[float, float]] = []

        def call() -> None:
            command = [sys.executable, "-c", CALLS, found[0], str(compiled()), str(place.size(488)), road]
            # Compiled modules are kept, as those of an installation are: the first round writes them.
            kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
            done = subprocess.run(command, env=kept, check=True, capture_output=True, text=True)
            first, second, *last[:] = json.loads(done.stdout)
            times.append((first, second))
            facts[MORE][ROADS[road]] = statistics.median(one - other for one, other in times)
            facts["s of the first call"][ROADS[road]] = statistics.median(one for one, _ in times)
            facts["s of the second call"][ROADS[road]] = statistics.median(other for _, other in times)

        return call

    return Bench({said: job(road) for road, said in ROADS.items()}, shape=lambda: (last[0], last[1]), facts=facts)


CASES = (
    Case(
        "first-call",
        "the first call in a new process, 50,000 x 784 -> 488, beside the second",
        first_calls,
        tuple(
            Bar(f"the first call of {said} in a new process", said, (), MOST, False, MORE) for said in ROADS.values()
        ),
    ),
)
