"""Calls that read, while another connection replaces what they read: the old answer or the new one, and no complaint.

A reading is a series of statements. A replacement is made before the first, before the second, and so on, so that each
pair of statements is parted once.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from cover import factors, pairwise
from databases import FAMILY, Database, opened

import sqlrp
from sqlrp._core.logs import LOG
from sqlrp._engines.registry import connector_of

NAMES = ["duckdb", "postgresql", "sqlite", *FAMILY]
ROWS = [[float(i % 3), float(i % 5), float(i % 7)] for i in range(12)]
READINGS: dict[str, Callable[[Any], object]] = {
    "search": lambda con: sqlrp.search(con, "kept", [1.0, 2.0, 3.0], n=3).num_rows,
    "opened": lambda con: sqlrp.open_search(con, "kept")([1.0, 2.0, 3.0], n=3).num_rows,
    "check": lambda con: [str(finding) for finding in sqlrp.check(con)],
    "load": lambda con: type(sqlrp.load(con, "saved")).__name__,
    "saved": lambda con: sorted(sqlrp.saved(con)),
}
WANTED = {"search": 3, "opened": 3, "check": [], "load": "SparseProjection", "saved": ["saved"]}


@pytest.fixture
def db(name: str, tmp_path: Path) -> Iterator[Database]:
    yield from opened(name, tmp_path)


class Before(logging.Handler):
    """Calls a function before one of the statements that this thread runs."""

    def __init__(self, number: int, call: Callable[[], None]) -> None:
        super().__init__(logging.DEBUG)
        self.lock = None  # the writer's statements are logged, too, while this one waits for it
        self.left, self.call, self.thread = number, call, threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno == logging.DEBUG and threading.get_ident() == self.thread:
            self.left -= 1
            if self.left == -1:
                self.call()


@contextmanager
def heard(handler: Before) -> Iterator[None]:
    """The logger tells the handler of each statement."""
    level = LOG.level
    LOG.addHandler(handler)
    LOG.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        LOG.setLevel(level)
        LOG.removeHandler(handler)


def another(db: Database) -> Any:
    return db.connection.cursor() if db.name == "duckdb" else db.pool()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reading", READINGS)
def test_a_reading_is_of_one_table(db: Database, name: str, reading: str) -> None:
    source, writer, seeds = db.load("wide", ROWS), another(db), iter(range(1, 1000))

    def write() -> None:
        projection = sqlrp.SparseProjection(k=64, s=1, seed=next(seeds))
        sqlrp.materialize(projection, source, writer, "kept", output="bits", replace=True)
        sqlrp.save(projection, writer, "saved", replace=True)

    def beside() -> None:
        """A writer that has to wait goes on when the reading has ended."""
        thread = threading.Thread(target=write)
        writers.append(thread)
        thread.start()
        thread.join(timeout=0.3)

    write()
    reader: Any = db.connection.cursor() if name == "duckdb" else db.pool()
    writers: list[threading.Thread] = []
    parted = 0
    while True:
        handler = Before(parted, beside)
        with heard(handler):
            found = READINGS[reading](reader)
        for thread in writers:
            thread.join()
        assert found == WANTED[reading], f"replaced before statement {parted}"
        if handler.left >= 0:
            break
        parted += 1
    assert parted > 0  # a reading may be one statement


DROPPED = "is recorded but was dropped|recorded and not there"


@pytest.mark.slow
@pairwise(factors(name=NAMES, reading=["search", "check", "refresh"], again=[False, True]))
def test_a_table_that_is_dropped_meanwhile_is_said_to_be(db: Database, name: str, reading: str, again: bool) -> None:
    """Its user drops it before a statement of the reading, and perhaps makes it again at once."""
    source, writer = db.load("wide", ROWS), another(db)
    readings = {**READINGS, "refresh": lambda con: int(sqlrp.refresh(con, "kept"))}
    wanted = {**WANTED, "refresh": 0}

    def make() -> None:
        sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), source, writer, "kept", output="bits", track="rows")

    def drop() -> None:
        connector_of(writer).execute(writer, "DROP TABLE kept")
        if again:
            with suppress(sqlrp.SqlrpError):  # of the two that write, one may be refused
                make()

    def beside() -> None:
        thread = threading.Thread(target=drop)
        writers.append(thread)
        thread.start()
        thread.join(timeout=0.3)

    reader: Any = db.connection.cursor() if name == "duckdb" else db.pool()
    parted = 0
    while True:
        make()
        writers: list[threading.Thread] = []
        handler = Before(parted, beside)
        try:
            with heard(handler):
                found = str(readings[reading](reader))
        except sqlrp.SqlrpError as error:
            found = str(error)
        for thread in writers:
            thread.join()
        told = f"{DROPPED}|try again" if reading == "refresh" else DROPPED
        fine = found == str(wanted[reading]) or re.search(told, found)
        assert fine, (parted, found)
        if handler.left >= 0:
            break
        if again:
            db.run("DROP TABLE IF EXISTS kept")
        parted += 1 + again
    assert parted > 0  # a reading may be one statement


UNSEEN = "made or replaced after this transaction began|transaction began before the table was replaced"
CHANGED: dict[str, Callable[[Database, Any, Any], object]] = {
    "replaced": lambda db, source, writer: _kept(source, writer, replace=True),
    "made again": lambda db, source, writer: (db.run("DROP TABLE kept"), _kept(source, writer)),
    "projected again": lambda db, source, writer: sqlrp.refresh(writer, "kept", everything=True),
    "made with its source": lambda db, source, writer: (
        db.run("DROP TABLE kept"),
        db.run("DROP TABLE t"),
        db.load("wide", ROWS),
        _kept(source, writer),
    ),
}
"""What another connection does to the table after the caller's transaction began."""


def _kept(source: Any, connection: Any, **options: Any) -> None:
    sqlrp.materialize(sqlrp.SparseProjection(k=64, s=1), source, connection, "kept", output="bits", **options)


@pytest.mark.parametrize("change", CHANGED)
@pytest.mark.parametrize("name", ["postgresql", *FAMILY])
def test_a_transaction_that_reads_as_at_its_beginning_says_what_it_cannot_see(
    db: Database, name: str, change: str
) -> None:
    """The server finds tables by their names of now, and rows as they were: record, mark and rows are of two tables."""
    source, writer = db.load("wide", ROWS), another(db)
    _kept(source, writer)
    with db.pool().execution_options(isolation_level="REPEATABLE READ").connect() as reader:
        reader.exec_driver_sql("SELECT count(*) FROM sqlrp_catalogue").scalar()
        CHANGED[change](db, source, writer)
        assert sqlrp.check(reader) == []
        with pytest.raises(sqlrp.SqlrpError, match=UNSEEN):
            sqlrp.search(reader, "kept", [1.0, 2.0, 3.0], n=3)
        reader.rollback()
        assert sqlrp.search(reader, "kept", [1.0, 2.0, 3.0], n=3).num_rows == 3
