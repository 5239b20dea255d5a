"""What a refresh of a table that follows its source costs: `python tests/bench/follow.py`.

A wide table of random numbers is materialized with `track="rows"`. Then some of its rows are changed, deleted and
added. The bar is one scan of the source that computes the fingerprints, and a materialization of as many rows as were
changed or added. `everything` projects all rows again.

All seconds are those of processors: of this process, and of the server's thread or process that runs the statements.
Each is the least of several runs. `--statements` prints the seconds of every statement of a refresh.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from cases import DATABASES
from clock import Clock
from common import markdown
from databases import DOUBLES, Database, opened

import sqlrp
from sqlrp._core.options import Options
from sqlrp._run.table_input import job_of
from sqlrp._store.row_changes import FINGERPRINT, ROWS, marks_of

ROW_COUNTS = {"duckdb": 500_000, "clickhouse": 500_000, "postgresql": 100_000, "mariadb": 50_000, "sqlite": 20_000}

_NUMBERS = {
    "duckdb": "SELECT range AS n FROM range({first}, {end})",
    "clickhouse": "SELECT toInt64(number) AS n FROM numbers({first}, {end} - {first})",
    "postgresql": "SELECT n FROM generate_series({first}, {end} - 1) s(n)",
    "mariadb": "SELECT seq AS n FROM seq_{first}_to_{last}",
    "sqlite": "WITH RECURSIVE s(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM s WHERE n < {last}) SELECT n FROM s",
}
"""The query of the whole numbers from `first` to before `end`."""
_RANDOM = {
    "duckdb": "random()",
    "clickhouse": "randCanonical({j})",
    "postgresql": "random()",
    "mariadb": "rand()",
    "sqlite": "random() / 1e18",
}
"""Another random number for every row and every column j."""


def load(db: Database, table: str, first: int, end: int, features: int) -> None:
    """Add random rows, which the engine itself makes."""
    numbers = _NUMBERS[db.name].format(first=first, end=end, last=end - 1)
    drawn = ", ".join(_RANDOM[db.name].format(j=j) for j in range(features))
    db.run(f"INSERT INTO {table} SELECT n, {drawn} FROM ({numbers}) numbered")


def change(db: Database, rows: int, features: int, changes: int, at: int) -> tuple[int, int, int]:
    """Change, delete and add rows; the run `at` takes other rows than those before. The numbers of each."""
    part = changes // 3
    which = f"id >= {at * part} AND id < {(at + 1) * part}"
    changed = "f0 = f0 + 1"
    db.run(db.engine.updating("t", changed, which))
    last = rows - at * part
    db.run(f"DELETE FROM t WHERE id >= {last - part} AND id < {last}")
    added = changes - 2 * part
    load(db, "t", rows + at * added, rows + (at + 1) * added, features)
    return added, part, part


def measure(db: Database, rows: int, features: int, changes: int, k: int, runs: int) -> list[object]:
    """The line of an engine."""
    columns = [("id", "BIGINT"), *((f"f{j}", DOUBLES[db.name]) for j in range(features))]
    for table, count in (("t", rows), ("few", changes)):
        db.make(table, columns, [])
        load(db, table, 0, count, features)
    clock = Clock(db)
    rp = sqlrp.SparseProjection(k=k, seed=1)
    made, _ = clock.timed(lambda: sqlrp.materialize(rp, "t", db.connection, "made", track=ROWS))
    refreshes, scans, parts = [], [], []
    for at in range(runs):
        counts = change(db, rows, features, changes, at)
        seconds, result = clock.timed(lambda: sqlrp.refresh(db.connection, "made"))
        assert (result.added, result.changed, result.removed) == counts
        refreshes.append(seconds)
        scans.append(clock.timed(lambda: scan(db, rp))[0])
        parts.append(clock.timed(lambda: sqlrp.materialize(rp, "few", db.connection, "made_few", replace=True))[0])
    nothing = min(clock.timed(lambda: sqlrp.refresh(db.connection, "made"))[0] for _ in range(runs))
    again, _ = clock.timed(lambda: sqlrp.refresh(db.connection, "made", everything=True))
    bar = min(scans) + min(parts)
    cells = (made, min(refreshes), nothing, min(scans), min(parts), again)
    return [db.name, f"{rows:,}", *(f"{s:.2f} s" for s in cells), f"{min(refreshes) / bar:.2f}"]


def scan(db: Database, rp: sqlrp.SparseProjection) -> None:
    """Compute the fingerprint of every row of the source."""
    job = job_of(rp, "t", db.connection, Options(), quiet=True)
    marks = marks_of(db.connector, db.connection, job, ROWS)
    assert marks is not None
    query = marks.of_source(db.engine, "id", "t")
    db.connector.fetch(db.connection, f"SELECT count(*), max({FINGERPRINT}) FROM ({query}) s")


def by_statement(db: Database, rows: int, features: int, changes: int, k: int) -> list[list[object]]:
    """The seconds of every statement of one refresh that take a hundredth of them."""
    clock = Clock(db)
    spent: list[tuple[float, str]] = []

    def watched(run: Callable[..., Any]) -> Callable[..., Any]:
        def call(connection: Any, sql: str, *others: Any) -> Any:
            seconds, result = clock.timed(lambda: run(connection, sql, *others))
            spent.append((seconds, sql))
            return result

        return call

    names = ("execute", "fetch", "rows")
    connector = db.connector
    change(db, rows, features, changes, 100)
    for name in names:
        setattr(connector, name, watched(getattr(connector, name)))
    try:
        whole, _ = clock.timed(lambda: sqlrp.refresh(db.connection, "made"))
    finally:
        for name in names:
            delattr(connector, name)
    lines = [[db.name, f"{s:.3f} s", " ".join(sql.split())[:160]] for s, sql in spent if s >= whole / 100]
    return [*lines, [db.name, f"{whole:.3f} s", "all"]]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, help="by default, as many as suit the engine")
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--changed", type=float, default=0.001, help="the share of rows that change")
    parser.add_argument("-k", type=int, default=32)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--statements", action="store_true")
    parser.add_argument("--engines", nargs="+", default=list(DATABASES), choices=list(DATABASES))
    options = parser.parse_args()
    lines, statements = [], []
    for name in options.engines:
        rows = options.rows or ROW_COUNTS[name]
        changes = int(rows * options.changed)
        with tempfile.TemporaryDirectory() as folder, contextmanager(opened)(name, Path(folder)) as db:
            lines.append(measure(db, rows, options.features, changes, options.k, options.runs))
            if options.statements:
                statements += by_statement(db, rows, options.features, changes, options.k)
    heads = [
        "engine",
        "rows",
        "materialize",
        "refresh",
        "refresh, no change",
        "one scan",
        "materialize the changes",
        "everything",
        "refresh / (scan + changes)",
    ]
    print(markdown(heads, lines))
    if statements:
        print(markdown(["engine", "seconds", "statement"], statements))


if __name__ == "__main__":
    main()
