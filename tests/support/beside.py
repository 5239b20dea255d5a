"""Readers beside writers: `python tests/support/beside.py --engine postgresql --seconds 300`.

Threads with connections of their own search, project, load, check and refresh, while another one replaces what they
read, refreshes it, saves over it, drops it and makes it again. An answer must be the old one or the new one. A call may
complain that a table is not there while it is not, and of nothing else.
The exit code is 1 for a wrong answer, for words that are false, and for an engine's error that nobody explained.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from databases import FAMILY, Database, opened

import sqlrp

READS = ("search", "opened", "project", "check", "saved")
ENGINES = ("duckdb", "postgresql", "sqlite", *FAMILY)
ROWS, FEATURES = 60, ("f0", "f1", "f2")
X = np.random.default_rng(4).normal(size=(ROWS, 3))
ABSENT = re.compile("SourceError: .* is recorded but was dropped|kept it is recorded and not there")
"""What may be said while a table is not there."""
WAITED = re.compile("try again")
"""What a writer may be told of another one; a reader is never told it."""


@dataclass
class Run:
    """What the threads share."""

    db: Database
    source: Any
    until: float
    said: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    gaps: list[list[float]] = field(default_factory=list)
    """the times from which and to which there was no table"""

    def another(self) -> Any:
        return self.db.connection.cursor() if self.db.name == "duckdb" else self.db.pool()

    def absent(self, since: float) -> bool:
        """Whether there was a time without the table from `since` on."""
        return any(end >= since for _, end in self.gaps)

    def tried(self, what: str, call: Callable[[], str | None]) -> None:
        """Make a call; what it returns is wrong."""
        since = time.monotonic()
        try:
            wrong = call()
        except Exception as error:
            wrong = f"{type(error).__name__}: {' '.join(str(error).split())}"
        self.done[what] += 1
        if wrong is None:
            return
        gone = ABSENT.search(wrong) and self.absent(since)
        told = self.said if gone or (what not in READS and WAITED.search(wrong)) else self.wrong
        told[f"{what}: {_short(wrong)}"] += 1


def _short(words: str) -> str:
    return re.sub(r"sqlrp_test_\w+|[0-9a-f]{8,}|\d+(\.\d+)?", "…", words)[:420]


def _search(search: Callable[..., Any]) -> str | None:
    found = search(X[7], n=4)
    near = np.argsort(np.linalg.norm(X - X[7], axis=1))[:4].tolist()
    return None if found.column("id").to_pylist() == near else f"found {found.column('id').to_pylist()}, not {near}"


def _project(run: Run, con: Any) -> str | None:
    projection = sqlrp.load(con, "saved")
    found = sqlrp.project(projection, run.source, con).sort_by("id")
    z = np.stack([found.column(f"z{i}").to_numpy() for i in range(projection.k)], axis=1)
    return None if np.allclose(z, sqlrp.project(projection, X)) else "other numbers"


def _check(con: Any) -> str | None:
    return "; ".join(f"{found.name} {found.wrong}" for found in sqlrp.check(con)) or None


def _refresh(con: Any) -> str | None:
    found = sqlrp.refresh(con, "kept")
    return None if int(found) == 0 else f"projected {int(found)} rows that nobody changed"


@contextmanager
def _gap(run: Run) -> Any:
    mine = [time.monotonic(), float("inf")]
    run.gaps.append(mine)
    try:
        yield
    finally:
        mine[1] = time.monotonic()
        del run.gaps[:-50]


def _write(run: Run, con: Any, draw: random.Random) -> None:
    def over() -> None:
        rp = sqlrp.SparseProjection(k=64, s=1, seed=draw.randrange(10**6))
        sqlrp.materialize(rp, run.source, con, into="kept", output="bits", replace=True, track="rows")

    def save() -> None:
        sqlrp.save(sqlrp.SparseProjection(k=3, s=1, seed=draw.randrange(10**6)), con, "saved", replace=True)

    def drop() -> None:
        with _gap(run):
            run.db.connector.execute(con, "DROP TABLE kept")
            over()

    calls = {"replace": over, "save over": save, "refresh": lambda: _refresh(con), "everything": None, "drop": drop}
    calls["everything"] = lambda: sqlrp.refresh(con, "kept", everything=True) and None
    while time.monotonic() < run.until:
        (what,) = draw.choices(list(calls), (6, 3, 2, 2, 1))
        run.tried(what, calls[what])  # type: ignore[arg-type]
        if what == "drop" and not run.db.connector.exists(con, sqlrp._core.sources.TableName(("kept",))):  # type: ignore[attr-defined]
            with _gap(run):
                run.tried("drop, again", over)  # type: ignore[arg-type]


def _read(run: Run, con: Any, draw: random.Random, refreshing: bool, near: Callable[..., Any]) -> None:
    calls: dict[str, Callable[[], str | None]] = {
        "search": lambda: _search(partial(sqlrp.search, con, "kept")),
        "opened": lambda: _search(near),
        "project": lambda: _project(run, con),
        "check": lambda: _check(con),
        "saved": lambda: None if set(sqlrp.saved(con)) == {"saved"} else "the saved one is missing",
    }
    if refreshing:
        calls["refresh beside"] = lambda: _refresh(con)
    while time.monotonic() < run.until:
        what = draw.choice(list(calls))
        run.tried(what, calls[what])


def beside(name: str, seconds: float, readers: int, seed: int, folder: Path) -> Run:
    """Let the threads run."""
    with contextmanager(opened)(name, folder) as db:
        source = db.load("wide", X.tolist())
        run = Run(db, source, time.monotonic() + seconds)
        rp = sqlrp.SparseProjection(k=64, s=1, seed=1)
        sqlrp.materialize(rp, source, db.connection, into="kept", output="bits", track="rows")
        sqlrp.save(rp, db.connection, "saved")
        draws = [random.Random(f"{seed} {i}") for i in range(readers + 1)]
        threads = [threading.Thread(target=_write, args=(run, run.another(), draws[-1]))]
        for i in range(readers):
            con = run.another()
            opened_search = sqlrp.open_search(con, "kept")
            threads.append(threading.Thread(target=_read, args=(run, con, draws[i], i == 0, opened_search)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with suppress(sqlrp.SqlrpError):
            sqlrp.check(db.connection, repair=True)
        run.until = 0
        run.gaps.clear()
        run.tried("check at the end", lambda: _check(db.connection))
    return run


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--engine", choices=ENGINES, required=True)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--readers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        run = beside(given.engine, given.seconds, given.readers, given.seed, Path(folder))
    calls = ", ".join(f"{n:,} {what}" for what, n in run.done.items())
    print(given.engine, f"{sum(run.done.values()):,} calls: {calls}")
    for title, found in (("said", run.said), ("WRONG", run.wrong)):
        for words, n in found.most_common(30):
            print(f"  {title}, {n:,} times: {words}")
    return 1 if run.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
