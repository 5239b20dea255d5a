"""A source that comes through a pipe, and a result that goes into one: `-`, `/dev/stdin` and `/dev/stdout`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, BinaryIO

import click
import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import SourceError, one_line

STDIN, STDOUT = ("-", "/dev/stdin"), ("-", "/dev/stdout")
NAME = "-"
"""The name of the pipe's rows in the database."""

_PART = 1 << 18  # bytes
_PATIENCE = 1.0  # seconds that an interrupted command waits for a reader that reads nothing
_BEGINNINGS = {
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\xff\xff\xff\xff": ".arrows",
    b"\x1f\x8b": ".csv.gz",
    b"{": ".jsonl",
}
"""The ending of a file by its first bytes; any other text is CSV."""


@contextmanager
def temporary_folder(what: str) -> Iterator[Path]:
    """A folder that is removed at the end. Raises SourceError where none can be made: `what` would wait there."""
    try:
        made = TemporaryDirectory(prefix="sqlrp_")
    except OSError as error:
        raise SourceError(
            f"no temporary folder can be made, in which {what} waits: set TMPDIR to a folder that can be written "
            f"({one_line(str(error))})"
        ) from error
    with made as folder:
        yield Path(folder)


@contextmanager
def spooled(connector: Connector, connection: Any) -> Iterator[None]:
    """Keep what comes through the pipe in a file of the temporary folder, as rows named `-`, until the body ends.

    A command reads its source several times, and a pipe only once. Raises SourceError for an empty pipe, and for rows
    that cannot be read.
    """
    stream = sys.stdin.buffer
    if stream.isatty():
        raise click.UsageError("SOURCE - is a pipe, and this is a terminal: run `cat a.csv | sqlrp …`, or name a file")
    with temporary_folder("the pipe of SOURCE -") as folder:
        head = stream.read(8)
        if not head:
            raise SourceError("nothing came through the pipe of SOURCE -: the command before it wrote no row")
        ending = next((e for b, e in _BEGINNINGS.items() if head.lstrip(b" \r\n").startswith(b)), ".csv")
        path = Path(folder, f"rows{ending}")
        try:
            with path.open("wb") as file:
                file.write(head)
                shutil.copyfileobj(stream, file, _PART)
        except OSError as error:
            raise SourceError(
                f"the pipe of SOURCE - does not fit in {path.parent.parent}: {error.strerror}; set TMPDIR to a folder "
                "with more room"
            ) from error
        try:
            if ending == ".arrows":
                path = _as_file(path)
            if ending.startswith(".arrow"):
                from pyarrow import dataset  # it imports pandas, which takes as long as all else together

                connection.register(NAME, dataset.dataset(path, format="ipc"))
        except (pa.ArrowException, OSError) as error:
            raise SourceError(f"the Arrow rows of SOURCE - cannot be read: {one_line(str(error))}") from error
        if not ending.startswith(".arrow"):
            name, text = connector.dialect.quote(NAME), connector.dialect.string(str(path))
            try:
                connector.execute(connection, f"CREATE TEMP VIEW {name} AS FROM {text}")
            except Exception as error:
                words = (
                    one_line(str(error))
                    .replace(str(path), NAME)
                    .partition(" [in: ")[0]
                    .partition(" Possible Solution")[0]
                )
                raise SourceError(f"SOURCE - cannot be read as {ending[1:]}: {words}") from error
        yield


def _as_file(path: Path) -> Path:
    """A stream of Arrow as a file, which can be read several times and by columns."""
    made = path.with_suffix(".arrow")
    with (
        pa.OSFile(str(path)) as source,
        pa.ipc.open_stream(source) as reader,
        pa.OSFile(str(made), "wb") as sink,
        pa.ipc.new_file(sink, reader.schema) as writer,
    ):
        for batch in reader:
            writer.write_batch(batch)
    path.unlink()
    return made


@contextmanager
def to_stdout() -> Iterator[Path]:
    """Yield a path; what is written there goes to the standard output at once.

    Raises BrokenPipeError if the reader closed it, as `head` does. The path is a pipe of its own: the standard output
    itself may be a file at whose end is written, which opening it by a path would empty.
    """
    sink = sys.stdout.buffer
    reading, writing = os.pipe()
    broken: list[OSError] = []
    thread = Thread(target=_pass_on, args=(reading, sink, broken), daemon=True)
    thread.start()
    failed: Exception | None = None
    patience: float | None = _PATIENCE
    try:
        try:
            yield Path(f"/dev/fd/{writing}")
        except Exception as error:
            failed = error
        patience = None
    finally:
        os.close(writing)
        thread.join(patience)
    if broken:
        raise broken[0]
    if failed is not None:
        raise failed


def _pass_on(reading: int, sink: BinaryIO, broken: list[OSError]) -> None:
    """Pass on what comes through a pipe. It closes the pipe if the sink is closed, which ends the writer."""
    with os.fdopen(reading, "rb", buffering=0) as source:
        try:
            while part := source.read(_PART):
                sink.write(part)
            sink.flush()
        except OSError as error:
            broken.append(error)
