"""Write results to files as a stream, with a progress bar."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn

from sqlrp.cli.databases import ARROW
from sqlrp.core.errors import LimitError, ParameterError, StatementError, one_line
from sqlrp.core.extras import needs
from sqlrp.core.writing import check_place
from sqlrp.engines import CONNECTORS, ENGINES
from sqlrp.lowering.planner import Plan
from sqlrp.lowering.streaming import writing
from sqlrp.run.running import set_up
from sqlrp.run.streaming import evaluated

T = TypeVar("T")

_FORMATS = {
    ".parquet": "FORMAT parquet",
    ".csv": "FORMAT csv, HEADER",
    ".csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".jsonl": "FORMAT json",
}
"""The options of COPY for each ending of a file name."""

_SHARE = 32  # a Parquet row group takes at most 1/32 of the memory, as every thread keeps one or two
_BATCH = 10_000  # rows of an Arrow batch
_POLL = 0.1  # seconds
_KNOWN = 0.05  # show the time left once this share of the work was seen to be done
_SEEN = 1.0  # and after this many seconds
_PICTURES = (".png", ".svg", ".pdf")


def check_file(path: Path) -> None:
    """Raise ParameterError or SourceError if the file cannot be written, before anything runs."""
    known = (*_FORMATS, *ARROW)
    if not path.name.lower().endswith(known):
        raise ParameterError(f"file {str(path)!r} must end in one of {', '.join(known)}: the ending says the format")
    check_place(path)


def check_picture(path: Path) -> None:
    """Raise ParameterError for a file that is no picture, and ImportError without what draws it."""
    if path.suffix.lower() not in _PICTURES:
        raise ParameterError(f"--plot {str(path)!r} must end in one of {', '.join(_PICTURES)}")
    check_place(path)
    if find_spec("matplotlib") is None:
        raise ImportError(needs("--plot", "matplotlib", "plot"))


def write(connection: duckdb.DuckDBPyConnection, plan: Plan, path: Path, width: int) -> int:
    """Stream the rows of a plan into a file; return the number of rows.

    `width` is the number of values per row. It determines the number of rows per row group.
    """
    connector = CONNECTORS["duckdb"]
    if not plan.streamed:
        script = plan.script()
        with set_up(connector, connection, script.steps, script.calls):
            return copy(connection, script.query, path, width)
    with evaluated(connector, connection, plan.job) as rows:
        if _is_arrow(path):
            return _write_batches(rows.schema, rows.each, path)
        # One connection reads while the other one writes. Only the first has to see the source.
        with connection.cursor() as other, connector.lent(other, rows) as relation:
            return copy(other, writing(plan.job, relation, rows.schema), path, width)


def copy(connection: duckdb.DuckDBPyConnection, query: str, path: Path, width: int) -> int:
    """Stream the result of a query into a file; `width` and the result as for `write`."""
    connector = CONNECTORS["duckdb"]
    query = _exact(connection, query)
    if _is_arrow(path):
        return _write_arrow(connection, query, path)
    ending = next(e for e in sorted(_FORMATS, key=len, reverse=True) if path.name.lower().endswith(e))
    options = _FORMATS[ending]
    if ending == ".parquet":
        rows = connector.memory(connection) // (_SHARE * 8 * width)
        options += f", ROW_GROUP_SIZE {min(max(rows, 2_048), 122_880)}"
    statement = f"COPY ({query}) TO {connector.dialect.string(str(path))} ({options})"
    try:
        return int(connection.execute(statement).fetchall()[0][0])
    except duckdb.OutOfMemoryException as error:
        remedy = "raise --memory-limit, lower --threads or -k, or give the input smaller row groups"
        raise LimitError(f"this does not fit in DuckDB's memory: {remedy}; {one_line(str(error))}") from error
    except duckdb.Error as error:
        raise StatementError(statement, str(error)) from error


def _is_arrow(path: Path) -> bool:
    return path.name.lower().endswith(ARROW)


def _exact(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    """The query with types that files support: Parquet would round a HUGEINT to a DOUBLE, and Arrow has no BIGNUM."""
    casts = {"HUGEINT": "DECIMAL(38,0)", "BIGNUM": "VARCHAR"}
    quote, changed = ENGINES["duckdb"].quote, []
    try:
        described = connection.execute(f"DESCRIBE {query}").fetchall()
    except duckdb.Error as error:
        raise StatementError(query, str(error)) from error
    for name, kind, *_ in described:
        element, bracket, size = kind.partition("[")
        if element in casts:
            changed.append(f"CAST({quote(name)} AS {casts[element]}{bracket}{size}) AS {quote(name)}")
    return f"SELECT * REPLACE ({', '.join(changed)}) FROM ({query})" if changed else query


def _write_arrow(connection: duckdb.DuckDBPyConnection, query: str, path: Path) -> int:
    try:
        with warnings.catch_warnings():
            # The warning suggests a relation, which would plan the query twice.
            warnings.filterwarnings("ignore", message="Arrow output on a DB-API result")
            reader: Any = connection.execute(query).to_arrow_reader(_BATCH)
        return _write_batches(reader.schema, reader, path)
    except duckdb.Error as error:
        raise StatementError(query, str(error)) from error


def _write_batches(schema: pa.Schema, batches: Iterable[pa.RecordBatch], path: Path) -> int:
    rows = 0
    try:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
                rows += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        raise StatementError("", str(error)) from error
    return rows


# -- progress --------------------------------------------------------------------------------------------


class Bar:
    """A progress bar on stderr, shown only if that is a terminal."""

    def __init__(self, description: str, total: int | None, unit: str) -> None:
        """`total` is the number of `unit`s; if it is None, the bar only shows the percentage."""
        self._total = total
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[said]}"),
        )
        self._bar = Progress(
            *columns,
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._unit = unit
        self._first: tuple[float, float] | None = None
        """the time of the first report, and its share"""
        self._task: TaskID = self._bar.add_task(description, total=None, said="")

    def __enter__(self) -> Bar:
        """Start the bar."""
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the bar."""
        self._bar.stop()

    def show(self, part: float, more: str = "") -> None:
        """Show the share that is done, from 0 to 1. A share of 0 or less means that it is not known yet."""
        if part <= 0:
            return
        said = f"{int(part * self._total):,} of {self._total:,} {self._unit}" if self._total else ""
        now = time.monotonic()
        if self._first is None:
            self._first = (now, part)
        begun, before = self._first
        left = seconds_left(part, part - before, now - begun)
        when = "" if left is None else f" {timedelta(seconds=round(left))} left"
        self._bar.update(self._task, total=1, completed=part, said=f"{said}{more}{when}")


def seconds_left(part: float, seen: float, elapsed: float) -> float | None:
    """The time left at the speed that was seen, at most 20 times `elapsed`; None as long as it cannot be estimated.

    `part` is the share that is done, from 0 to 1, `seen` the share since the first report, and `elapsed` the seconds
    since then. Before its first report a query plans and reads without counting, which says nothing about its speed.
    """
    if not (_KNOWN <= seen <= part <= 1 and elapsed >= _SEEN):
        return None
    return elapsed * (1 - part) / seen


class _Pace:
    """Estimates progress between DuckDB's reports, which come every 100,000 rows, from the speed so far."""

    def __init__(self) -> None:
        self._begun = self._at = time.monotonic()
        self._reported = self._step = self._shown = 0.0

    def part(self, reported: float) -> float:
        """The share that is done, from 0 to 1. It never decreases."""
        now = time.monotonic()
        if reported > self._reported:
            self._at, self._step, self._reported = now, reported - self._reported, reported
        elapsed = self._at - self._begun
        ahead = (now - self._at) * self._reported / elapsed if elapsed else 0.0
        self._shown = max(self._shown, min(self._reported + min(ahead, self._step), 0.99), reported)
        return self._shown


def watched(connection: Any, bar: Bar, work: Callable[[], T]) -> T:
    """Return the result of `work`, and show DuckDB's progress meanwhile. Ctrl-C interrupts the query and waits for it.

    The work runs in another thread, so that this one can draw and receive signals. There is no progress of servers.
    """
    if not isinstance(connection, duckdb.DuckDBPyConnection):
        return work()
    for setting in ("enable_progress_bar = true", "enable_progress_bar_print = false", "progress_bar_time = 0"):
        connection.execute(f"SET {setting}")
    pace = _Pace()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            while wait([future], _POLL).not_done:
                bar.show(pace.part(connection.query_progress() / 100))
        except BaseException:
            while wait([future], _POLL).not_done:
                connection.interrupt()
            raise
        return future.result()
