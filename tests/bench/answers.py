"""How long a call of the functions takes on small tables, with DuckDB's extension: `python tests/bench/answers.py`.

`… before=FILE` measures another file of the extension beside this one, and `… sql` plain SQL, in turn. A number is the
median of the runs, in milliseconds of processors of one thread, which other processes disturb less, and of the clock.
A second table has `install`, which copies the functions from a file beside making them from their text.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from databases import macro_copy
from extensions import compiled
from functions import markdown

import sqlrp
from sqlrp._core import shipped_files

CALLS = {
    "100 × 3 DOUBLE, `rp_project`": "rp_project('doubles', k := 2)",
    "100 × 3 DOUBLE, `pk_project`": "pk_project('doubles', k := 4, p := 8, t := 2)",
    "100 × 3 DOUBLE, `ts_project`": "ts_project('doubles', k := 4)",
    "100 × 3 DOUBLE, `fht_project`": "fht_project('doubles', k := 4)",
    "100 × 3 INTEGER, `rp_project`": "rp_project('integers', k := 2)",
    "100 × 3 DECIMAL, `rp_project`": "rp_project('decimals', k := 2)",
    "100 × FLOAT[3], `rp_project`": "rp_project('arrays', array_column := 'e', k := 2)",
    "1,000 × 784 DOUBLE → 64, `rp_project`": "rp_project('wide', k := 64)",
    "1,000 × FLOAT[768] → 128, `rp_project`": "rp_project('embeddings', array_column := 'e', k := 128)",
}
TABLES = {
    "doubles": (100, "range % 7 * 1.5e0 AS a, range % 5 / 2 AS b, range % 3 * 0.5e0 AS c"),
    "integers": (100, "(range % 7)::INTEGER AS a, (range % 5)::INTEGER AS b, (range % 3)::INTEGER AS c"),
    "decimals": (
        100,
        "(range % 7)::DECIMAL(5, 2) AS a, (range % 5)::DECIMAL(5, 2) AS b, (range % 3)::DECIMAL(5, 2) AS c",
    ),
    "arrays": (100, "[range % 7, range % 5, range % 3]::FLOAT[3] AS e"),
    "wide": (1000, ", ".join(f"random() AS f{j}" for j in range(784))),
    "embeddings": (1000, f"[{', '.join(['random()'] * 768)}]::FLOAT[768] AS e"),
}


def connected(extension: str | None) -> duckdb.DuckDBPyConnection:
    """A database with the tables and the functions, of an extension or in plain SQL."""
    con = duckdb.connect(config={"allow_unsigned_extensions": extension is not None, "threads": "1"})
    if extension:
        con.execute(f"LOAD '{extension}'")
    else:
        sqlrp.install(con)
    for name, (rows, columns) in TABLES.items():
        con.execute(f"CREATE TABLE {name} AS SELECT range AS id, {columns} FROM range({rows})")
    return con


def taken(call: Callable[[], object]) -> tuple[float, float]:
    """The milliseconds of processors and of the clock that a call takes."""
    begun = time.process_time(), time.perf_counter()
    call()
    return (time.process_time() - begun[0]) * 1000, (time.perf_counter() - begun[1]) * 1000


def medians(found: list[tuple[float, float]]) -> tuple[float, float]:
    """Those of the runs but the first."""
    of_processors, of_clock = (statistics.median(times) for times in zip(*found[1:], strict=True))
    return of_processors, of_clock


def measured(con: duckdb.DuckDBPyConnection, call: str, runs: int) -> tuple[float, float]:
    """The milliseconds of a call and its rows."""
    return medians([taken(lambda: con.execute(f"FROM {call}").fetchall()) for _ in range(runs + 1)])


def installations(runs: int) -> list[str]:
    """The line of `install` into a new database, with a cell for the file and one for the text, in turn."""
    found: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder:
        macro_copy(Path(folder), shipped_files.text_of("duckdb.sql"))
        for _ in range(runs + 1):
            for copies, times in found.items():
                shipped_files.COPIES = Path(folder) if copies else Path()
                with duckdb.connect(config={"threads": "1"}) as con:
                    times.append(taken(lambda con=con: sqlrp.install(con)))  # type: ignore[misc]
    return ["`install`", *("{:.0f} ({:.0f})".format(*medians(times)) for times in found.values())]


def table(files: dict[str, str | None], runs: int) -> Iterator[list[str]]:
    """A line for each call, with a cell for each file."""
    places = {name: connected(file) for name, file in files.items()}
    for said, call in CALLS.items():
        times = [measured(con, call, runs) for con in places.values()]
        yield [said, *(f"{processors:.1f} ({clock:.1f})" for processors, clock in times)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("others", nargs="*", help="NAME=FILE of another extension, or sql")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    files: dict[str, str | None] = {"extension": str(compiled())}
    files |= {name: file or None for name, _, file in (other.partition("=") for other in given.others)}
    print(
        markdown(
            ["call", *(f"{name}, ms of processors (of the clock)" for name in files)], list(table(files, given.runs))
        )
    )
    print()
    print(markdown(["call", "copied from a file, ms", "from the text, ms"], [installations(given.runs)]))


if __name__ == "__main__":
    main()
