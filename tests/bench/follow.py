"""A table that follows its source, against projecting everything again: `python tests/bench/follow.py`.

A wide table of random numbers is materialized with `track="rows"`. Then some rows are changed, deleted and added, and
the time of `refresh` is printed beside those of its parts: the check of the keys, one scan that computes the
fingerprints, and a materialization of as many rows as were changed or added. `everything` projects all rows again.

The seconds are those of the processors; for PostgreSQL and MariaDB, of the clock.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from cases import DATABASES
from common import markdown
from databases import DOUBLES, Database, opened

import sqlrp
from sqlrp.core.options import Options
from sqlrp.run.api import job_of
from sqlrp.store.following import ROWS, marks_of

_AT_ONCE = 500  # rows of one INSERT


def timed(db: Database, work: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds, and the result: of the processors for an engine in this process, of the clock for a server."""
    clock = time.perf_counter if db.name in ("postgresql", "mariadb") else time.process_time
    begun = clock()
    result = work()
    return clock() - begun, result


def load(db: Database, table: str, ids: Any, features: int) -> None:
    """Add random rows."""
    rng = np.random.default_rng(int(ids[0]))
    for part in np.array_split(ids, max(1, len(ids) // _AT_ONCE)):
        x = rng.normal(size=(len(part), features)).round(4).tolist()
        lines = ", ".join(f"({i}, {', '.join(map(repr, row))})" for i, row in zip(part.tolist(), x, strict=True))
        db.run(f"INSERT INTO {table} VALUES {lines}")


def measure(db: Database, rows: int, features: int, changes: int, k: int) -> list[object]:
    """The line of an engine."""
    columns = [("id", "BIGINT"), *((f"f{j}", DOUBLES[db.name]) for j in range(features))]
    for table, count in (("t", rows), ("few", changes)):
        db.make(table, columns, [])
        load(db, table, np.arange(count), features)
    rp = sqlrp.SparseProjection(k=k, seed=1)
    made, _ = timed(db, lambda: sqlrp.materialize(rp, "t", db.connection, "made", track=ROWS))
    part = changes // 3
    changed = f"UPDATE t SET f0 = f0 + 1 WHERE id < {part}"
    db.run(db.engine.updating("t", "f0 = f0 + 1", f"id < {part}") if db.name == "clickhouse" else changed)
    db.run(f"DELETE FROM t WHERE id >= {rows - part}")
    load(db, "t", np.arange(rows, rows + changes - 2 * part), features)
    took, result = timed(db, lambda: sqlrp.refresh(db.connection, "made"))
    assert (result.added, result.changed, result.removed) == (changes - 2 * part, part, part)
    nothing, _ = timed(db, lambda: sqlrp.refresh(db.connection, "made"))
    job = job_of(rp, "t", db.connection, Options(), quiet=True)
    marks = marks_of(db.connector, db.connection, job, ROWS)
    assert marks is not None
    query = marks.of_source(db.engine, "id", "t")
    scan, _ = timed(
        db, lambda: db.connector.fetch(db.connection, f"SELECT count(*), max(sqlrp_fingerprint) FROM ({query}) s")
    )
    few, _ = timed(db, lambda: sqlrp.materialize(rp, "few", db.connection, "made_few"))
    again, _ = timed(db, lambda: sqlrp.refresh(db.connection, "made", everything=True))
    return [db.name, *(f"{seconds:.2f} s" for seconds in (made, took, nothing, scan, few, again))]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--changes", type=int, default=1_000)
    parser.add_argument("-k", type=int, default=32)
    parser.add_argument("--engines", nargs="+", default=list(DATABASES), choices=list(DATABASES))
    options = parser.parse_args()
    lines = []
    for name in options.engines:
        with tempfile.TemporaryDirectory() as folder, contextmanager(opened)(name, Path(folder)) as db:
            lines.append(measure(db, options.rows, options.features, options.changes, options.k))
    heads = [
        "engine",
        "materialize",
        "refresh",
        "refresh, no change",
        "one scan",
        "materialize the changes",
        "everything",
    ]
    print(markdown(heads, lines))


if __name__ == "__main__":
    main()
