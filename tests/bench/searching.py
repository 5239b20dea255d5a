"""How long one search takes beside its own text: `python tests/bench/searching.py`.

A table of random numbers is materialized as bits. The text of `sqlrp.search_sql` runs as it stands. Beside it are an
opened search, `sqlrp.search`, and the function of `create_search` in plain SQL and with DuckDB's extension. Each is
asked for another vector at each call. All times are medians of CPU milliseconds a call, of this process and of the
server's process, and a ratio is the median of the ratios of calls side by side. Each call follows another of its kind,
as DuckDB frees the plan of a statement when the next one comes. DuckDB has one thread. The vector of a
function of DuckDB is a variable, so that its numbers are not parsed. What it takes to be bound is the time of EXPLAIN.

The last table is of many vectors in one search of DuckDB, as a list and as a table, compared with exact joins of the
vectors and the rows. A ratio is that to the faster of the two joins.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import duckdb
import numpy as np
import numpy.typing as npt
from clock import Clock
from common import markdown, verdict
from databases import Database, opened
from extensions import compiled

import sqlrp

Floats = npt.NDArray[np.float64]
TEXT, OPENED, SEARCH, PLAIN, EXTENSION = "text", "opened", "search", "function", "function, extension"
RATIOS = {OPENED: 1.2, SEARCH: 1.5}
"""The most times the time of the text."""
BINDING = {PLAIN: 12.0, EXTENSION: 6.0}
"""The most milliseconds that a function of DuckDB takes to be bound."""
Job = tuple[Callable[[], Any], Callable[[Any], Any]]
"""What makes a query, which is not timed, and what runs it."""


@dataclass(frozen=True)
class TableSize:
    """A table to be searched."""

    engine: str
    rows: int
    features: int
    k: int
    array: bool
    """whether the features are one column"""

    def __str__(self) -> str:
        of = f"array of {self.features}" if self.array else f"{self.features} columns"
        return f"{self.engine}, {self.rows:,} rows, {of} → {self.k} bits"

    @property
    def source(self) -> Any:
        return sqlrp.Array("docs", "e") if self.array else sqlrp.Wide("docs")


TABLES = (
    TableSize("duckdb", 1_000, 256, 192, array=True),
    TableSize("duckdb", 100_000, 256, 192, array=True),
    TableSize("duckdb", 60_000, 32, 32, array=False),
    TableSize("duckdb", 1_000, 256, 192, array=False),
    TableSize("postgresql", 10_000, 256, 192, array=True),
)
MANY, JOINED = 400, 0.3
"""The vectors of one search, and the most times that the exact join takes."""
MANY_OF = TableSize("duckdb", 6_000, 384, 384, array=True)
APART = "array_distance(s.e, v.e)"
EXACT = {
    "exact join, min_by": f"SELECT v.id, min_by(s.id, {APART}, 10) FROM vectors v, docs s GROUP BY v.id",
    "exact join, LATERAL": "SELECT v.id, f.id, f.apart FROM vectors v, LATERAL "
    f"(SELECT s.id, {APART} AS apart FROM docs s ORDER BY apart LIMIT 10) f",
}
"""The ten nearest rows of each vector."""


def load(db: Database, size: TableSize) -> None:
    """The table of random numbers, and its bits."""
    if db.name == "postgresql":
        numbers = f"ARRAY(SELECT (random() - 0.5)::real FROM generate_series(1, {size.features}) WHERE r > 0)"
        db.run(f"CREATE TABLE docs AS SELECT r AS id, {numbers} AS e FROM generate_series(1, {size.rows}) s(r)")
        db.run("ANALYZE docs")
    else:
        drawn = ["(random() - 0.5)::FLOAT"] * size.features
        named = ", ".join(f"{each} AS f{j}" for j, each in enumerate(drawn))
        columns = f"[{', '.join(drawn)}]::FLOAT[{size.features}] AS e" if size.array else named
        db.run(f"CREATE TABLE docs AS SELECT range AS id, {columns} FROM range({size.rows})")
    projection = sqlrp.HadamardProjection(k=size.k, seed=7, padding="least")
    sqlrp.materialize(projection, size.source, db.connection, into="codes", output="bits", search="near")


def searches(db: Database, drawn: Iterator[list[float]]) -> dict[str, Job]:
    """By the name of the search."""
    con = db.connection
    opened_once = sqlrp.open_search(con, "codes")

    def vector() -> list[float]:
        return next(drawn)

    return {
        TEXT: (lambda: sqlrp.search_sql(con, "codes", next(drawn)), db.run_query),
        OPENED: (vector, opened_once),
        SEARCH: (vector, lambda asked: sqlrp.search(con, "codes", asked)),
        PLAIN: (lambda: called(db, next(drawn)), db.run_query),
    }


def called(db: Database, asked: list[float]) -> str:
    """The call of the function."""
    if db.name != "duckdb":
        return f"SELECT * FROM near('{{{', '.join(map(repr, asked))}}}')"
    db.run(f"SET VARIABLE asked = {asked!r}::DOUBLE[]")
    return "SELECT * FROM near(getvariable('asked'))"


def bound(db: Database, drawn: Iterator[list[float]]) -> str:
    """What plans the call of the function, and does not run it."""
    return f"EXPLAIN {called(db, next(drawn))}"


def vectors(features: int) -> Iterator[list[float]]:
    """Random vectors without end."""
    rng = np.random.default_rng(1)
    while True:
        yield rng.normal(size=features).astype(np.float32).tolist()


def measured(size: TableSize, runs: int) -> dict[str, list[float]]:
    """CPU milliseconds of each call, by the name of the search. Those of one run are side by side."""
    found: dict[str, list[float]] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        places = opened(size.engine, folder)
        db = next(places)
        stack.callback(lambda: next(places, None))
        load(db, size)
        clock, drawn = Clock(db), vectors(size.features)
        jobs = searches(db, drawn)
        if size.engine == "duckdb":
            other = stack.enter_context(with_extension(db, folder / "extension.db"))
            jobs[EXTENSION] = (lambda: called(other, next(drawn)), other.run_query)
            for name, of in ((PLAIN, db), (EXTENSION, other)):
                jobs[f"{name}, bound"] = (partial(bound, of, drawn), of.run_query)
        for i in range(-2, runs):
            for name, (make, run) in jobs.items():
                before, given = make(), make()
                run(before)
                seconds, _ = clock.timed(partial(run, given))
                if i >= 0:
                    found.setdefault(name, []).append(seconds * 1e3)
    return found


def measured_many(runs: int) -> dict[str, list[float]]:
    """CPU milliseconds of each search of many vectors, by its name. Those of one run are side by side."""
    found: dict[str, list[float]] = {}
    with ExitStack() as stack:
        places = opened(MANY_OF.engine, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        db = next(places)
        stack.callback(lambda: next(places, None))
        load(db, MANY_OF)
        db.run(f"CREATE TABLE vectors AS FROM docs WHERE id < {MANY}")
        x = np.array([row for (row,) in db.run_query("SELECT e FROM vectors ORDER BY id")], dtype=np.float64)
        vectors = sqlrp.Array("vectors", "e")
        jobs: dict[str, Callable[[], Any]] = {name: partial(db.run_query, text) for name, text in EXACT.items()}
        jobs["search of a list"] = lambda: sqlrp.search(db.connection, "codes", x)
        jobs["search of a table"] = lambda: sqlrp.search(db.connection, "codes", vectors=vectors)
        clock = Clock(db)
        for i in range(-1, runs):
            for name, run in jobs.items():
                seconds, _ = clock.timed(run)
                if i >= 0:
                    found.setdefault(name, []).append(seconds * 1e3)
    return found


def lines_of_many(times: Mapping[str, list[float]]) -> Iterator[list[str]]:
    """The lines of their table."""
    exact = [min(each) for each in zip(*(times[name] for name in EXACT), strict=True)]
    for name, own in times.items():
        ratio = statistics.median(a / b for a, b in zip(own, exact, strict=True))
        bar = ["", ""] if name in EXACT else [f"{JOINED} times", verdict(ratio <= JOINED)]
        yield [name, f"{statistics.median(own):.0f}", f"{ratio:.2f}", *bar]


@contextmanager
def with_extension(db: Database, file: Path) -> Iterator[Database]:
    """The same tables in another file, with a function that was made where the extension was loaded."""
    ((old,),) = db.run_query("SELECT path FROM duckdb_databases() WHERE path IS NOT NULL")
    db.run("CHECKPOINT")
    shutil.copyfile(old, file)
    with duckdb.connect(file, config={"allow_unsigned_extensions": "true", "threads": "1"}) as con:
        con.execute(f"LOAD '{compiled()}'")
        sqlrp.create_search(con, "codes", "near", replace=True)
        yield Database("duckdb", con, "main")


def lines(times: Mapping[str, list[float]]) -> Iterator[list[str]]:
    """The lines of a table: each search, its milliseconds, how many times those of the text, and the bar."""
    for name, own in times.items():
        took = statistics.median(own)
        ratio = statistics.median(a / b for a, b in zip(own, times[TEXT], strict=True))
        bar, held = "", True
        if name in RATIOS:
            bar, held = f"{RATIOS[name]} times", ratio <= RATIOS[name]
        elif name.endswith(", bound"):
            most = BINDING[name.removesuffix(", bound")]
            bar, held = f"{most:.0f} ms", took <= most
        yield [name, f"{took:.2f}", f"{ratio:.2f}", bar, verdict(held) if bar else ""]


def main() -> None:
    """Print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=41)
    parser.add_argument("--only", default="", help="a part of a table's title, such as postgresql")
    given = parser.parse_args()
    for size in TABLES:
        if given.only in str(size):
            print(f"{size}:\n")
            header = ["search", "CPU ms", "times the text", "bar", "the bar"]
            print(markdown(header, list(lines(measured(size, given.runs)))), end="\n\n", flush=True)
    if given.only in f"{MANY_OF}, {MANY} vectors":
        print(f"{MANY_OF}, {MANY} vectors:\n")
        header = ["search", "CPU ms", "times the exact join", "bar", "the bar"]
        print(markdown(header, list(lines_of_many(measured_many(max(given.runs // 8, 3))))), flush=True)


if __name__ == "__main__":
    main()
