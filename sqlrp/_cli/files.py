"""Write results to files as a stream, with a progress bar."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import click
import duckdb
import pyarrow as pa

from sqlrp._cli.databases import ARROW
from sqlrp._cli.pipes import STDOUT, temporary_folder, to_stdout
from sqlrp._cli.screen import Bar
from sqlrp._connectors.arrow_cursors import arrow_reader
from sqlrp._core.errors import LimitError, ParameterError, SourceError, StatementError, one_line
from sqlrp._core.extras import needs
from sqlrp._core.values import dataclass
from sqlrp._core.whole_files import beside, check_place
from sqlrp._engines.registry import CONNECTORS, ENGINES
from sqlrp._lowering.batches_sql import writing
from sqlrp._lowering.planner import Plan
from sqlrp._run.row_batches import evaluated

T = TypeVar("T")

_FORMATS = {
    ".parquet": "FORMAT parquet",
    ".csv": "FORMAT csv, HEADER",
    ".csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".jsonl": "FORMAT json",
}
"""The options of COPY for each ending of a file name."""

PIPED = ("csv", "tsv", "jsonl", "arrow", "parquet")
"""The formats of a pipe, the first one by default."""
_BINARY = (".arrow", ".parquet")

_SHARE = 32  # a Parquet row group takes at most 1/32 of the memory, as every thread keeps one or two
_BATCH = 10_000  # rows of an Arrow batch
_POLL = 0.1  # seconds
_PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Out:
    """Where a result goes: a file whose ending says the format, or the standard output."""

    path: Path | None
    """None for the standard output"""
    ending: str
    """one of the endings of a file"""
    piped: bool = False
    """whether `path` is a pipe"""

    @contextmanager
    def opened(self) -> Iterator[tuple[Out, Path | None]]:
        """Where to write, and a folder for what does not fit in memory. A file is complete, or not there.

        The folder is DuckDB's own (None) where no temporary one can be made.
        """
        if self.path is not None:
            with beside(self.path) as made:
                yield Out(made, self.ending), made.parent / "spill"
            return
        with ExitStack() as stack:
            folder: Path | None = None
            with suppress(SourceError):
                folder = stack.enter_context(temporary_folder("what does not fit in memory"))
            yield Out(stack.enter_context(to_stdout()), self.ending, piped=True), folder


def out_of(place: str, to: str | None) -> Out:
    """Where -o and --to say. Raises ParameterError or SourceError if it cannot be written, before anything runs."""
    if place in STDOUT:
        ending = f".{to or PIPED[0]}"
        if ending in _BINARY and sys.stdout.isatty():
            raise click.UsageError(f"--to {to} is not for a terminal: write a file, or into a pipe")
        return Out(None, ending)
    if to is not None:
        raise click.UsageError("--to is for -o -, the standard output: the ending of a file says its format")
    path, known = Path(place), (*_FORMATS, *ARROW)
    ending = next((e for e in sorted(known, key=len, reverse=True) if path.name.lower().endswith(e)), "")
    if not ending:
        raise ParameterError(
            f"file {place!r} must end in one of {', '.join(known)}: the ending says the format; - is stdout"
        )
    check_place(path)
    return Out(path, ending)


def check_text(out: Path | None, shown: Mapping[str, bool]) -> bool:
    """Check where a text goes, before anything runs; whether it goes to the standard output, as - says.

    `shown`: the options that print there, and whether they are given. Raises UsageError for both.
    """
    if out is None or str(out) not in STDOUT:
        if out is not None:
            check_place(out)
        return False
    for option, given in shown.items():
        if given:
            raise click.UsageError(
                f"{option} prints to the standard output, and so does -o -: write a file, or omit one"
            )
    return True


def write_text(out: Path, text: str) -> None:
    """Write a text to a file, whole or not at all, or to the standard output."""
    if str(out) in STDOUT:
        click.echo(text.rstrip("\n"))
        return
    with beside(out) as path:
        path.write_text(text, encoding="utf-8")


def on_screen(out: Out) -> bool:
    """Whether the rows appear on the terminal, where a bar would be between them."""
    return out.path is None and sys.stdout.isatty()


def check_picture(path: Path) -> None:
    """Raise ParameterError for a file that is no picture, and ImportError without what draws it."""
    if path.suffix.lower() not in _PICTURES:
        raise ParameterError(f"--plot {str(path)!r} must end in one of {', '.join(_PICTURES)}")
    check_place(path)
    if find_spec("matplotlib") is None:
        raise ImportError(needs("--plot", "matplotlib", "plot"))


def write(connection: duckdb.DuckDBPyConnection, plan: Plan, out: Out, width: int) -> int:
    """Stream the rows of a plan into a file; return the number of rows.

    `width` is the number of values per row. It determines the number of rows per row group.
    """
    connector = CONNECTORS["duckdb"]
    if not plan.streamed:
        script = plan.script()
        with connector.set_up(connection, script.steps):
            return copy(connection, script.query, out, width)
    with evaluated(connector, connection, plan.job) as rows:
        if out.ending in ARROW:
            return _write_batches(rows.schema, rows.each, out)
        # One connection reads while the other one writes. Only the first has to see the source.
        with connection.cursor() as other, connector.lent(other, rows) as relation:
            return copy(other, writing(plan.job, relation, rows.schema), out, width)


def copy(connection: duckdb.DuckDBPyConnection, query: str, out: Out, width: int) -> int:
    """Stream the result of a query into a file; `width` and the result as for `write`."""
    connector = CONNECTORS["duckdb"]
    query = _exact(connection, query)
    if out.ending in ARROW:
        return _write_arrow(connection, query, out)
    options = f"{_FORMATS[out.ending]}, USE_TMP_FILE false"  # the file is complete before it gets its name
    if out.ending == ".parquet":
        rows = connector.memory(connection) // (_SHARE * 8 * width)
        options += f", ROW_GROUP_SIZE {min(max(rows, 2_048), 122_880)}"
    statement = f"COPY ({query}) TO {connector.dialect.string(str(out.path))} ({options})"
    try:
        return int(connection.execute(statement).fetchall()[0][0])
    except duckdb.OutOfMemoryException as error:
        remedy = "raise --memory-limit, lower --threads or -k, or give the input smaller row groups"
        raise LimitError(f"this does not fit in DuckDB's memory: {remedy}; {one_line(str(error))}") from error
    except duckdb.Error as error:
        raise StatementError(statement, str(error)) from error


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


def _write_arrow(connection: duckdb.DuckDBPyConnection, query: str, out: Out) -> int:
    try:
        reader = arrow_reader(connection.execute(query), _BATCH)
        return _write_batches(reader.schema, reader, out)
    except duckdb.Error as error:
        raise StatementError(query, str(error)) from error


def _write_batches(schema: pa.Schema, batches: Iterable[pa.RecordBatch], out: Out) -> int:
    rows, form = 0, pa.ipc.new_stream if out.piped else pa.ipc.new_file
    try:
        with open(str(out.path), "wb") as sink, form(sink, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
                rows += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        raise StatementError("", str(error)) from error
    return rows


# -- progress --------------------------------------------------------------------------------------------


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
