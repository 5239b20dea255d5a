"""ClickHouse in process, by chdb. The package is recognised by its name and is not imported."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address
from threading import RLock
from typing import Any

import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import SourceError, StatementError, UnreachableError, UnsupportedError, one_line, shorten
from sqlrp._core.interruption import interruptible
from sqlrp._core.logs import log_statement
from sqlrp._core.script import Setup, drops_as_one, drops_of
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column
from sqlrp._engines.clickhouse.dialect import ClickHouse, bare

_SAID = re.compile(r"DB::Exception: (.*?)(: (?:while|While) executing .*|[:.]? In scope .*)?$", re.DOTALL)
_WIDE, _STATE = re.compile("U?Int(128|256)|BFloat16"), re.compile("AggregateFunction")
"""The types of numbers that Arrow gets as bytes, and that of states of aggregates, which hold addresses of memory."""
_TURN = RLock()
READONLY = "readonly"
"""The setting that is 1 in a session that may change no other one."""


class ChdbConnector(Connector):
    """A session or a connection of chdb."""

    dialect: ClickHouse

    def recognises(self, connection: Any) -> bool:
        """Whether its class comes from the package."""
        return of_package(connection, "chdb")

    def is_in_process(self, connection: Any) -> bool:
        """Whether it is no client of a server."""
        return of_package(connection, "chdb")

    @contextmanager
    def session(self, connection: Any) -> Iterator[Any]:
        """The session with higher limits on the text. Its own settings are restored at the end."""
        room = self.dialect.room
        found = self.rows(connection, self.dialect.settings_query([*room, READONLY]))
        if not found:
            raise UnsupportedError("the setting offset leaves out the first rows of every query: SET offset = 0")
        before = [value.decode() if isinstance(value, bytes) else value for value in found[0]]
        if before[-1] == 1:
            yield connection
            return
        put_back = self.dialect.set_values(dict(zip(room, before[:-1], strict=True)))
        try:
            self.execute(connection, self.dialect.set_values(room))
            yield connection
        except BaseException:
            with suppress(StatementError):  # report the first error
                self.execute(connection, put_back)
            raise
        self.execute(connection, put_back)

    @contextmanager
    def transaction(self, connection: Any, lock: str, makes: bool) -> Iterator[Any]:
        """A session: there are no transactions, and every statement takes effect at once.

        No other process has the data, and the threads of this process take turns.
        """
        with _TURN, self.session(connection) as session:
            yield session

    def capacity(self, connection: Any) -> tuple[int, None]:
        """The setting max_threads. The server's memory is not this statement's alone."""
        ((threads,),) = self.rows(connection, self.dialect.capacity_query)
        return int(threads), None

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The columns that can be read: EPHEMERAL ones are only written."""
        rows = self.described_rows(connection, name)
        return [self.dialect.described(*row) for row in rows if "EPHEMERAL" not in row[2:3]]

    def described_rows(self, connection: Any, name: TableName) -> list[tuple[Any, ...]]:
        """What DESCRIBE says."""
        return self.rows(connection, self.dialect.columns_query(name))

    def as_shown(self, rows: pa.Table, columns: Sequence[Column]) -> pa.Table:
        """Arrow has the numbers of enumerations and of addresses, and the bytes of some numbers."""
        for column in columns:
            text, at = column.type.text, rows.schema.get_field_index(column.name)
            if at >= 0 and _STATE.match(text):
                raise SourceError(
                    f"column {shorten(column.name)} holds states of an aggregate function, which are no values: keep "
                    "what finalizeAggregation gives in a view, or leave it out"
                )
            if at >= 0 and _WIDE.fullmatch(bare(text)):
                rows = rows.set_column(at, column.name, _numbers(rows.column(at), bare(text)))
            elif at >= 0 and self.dialect.encoded(text):
                names = self.dialect.names_of(text)
                coded = rows.column(at).combine_chunks().dictionary_encode()
                shown = pa.array([_shown(value, names, text) for value in coded.dictionary.to_pylist()], pa.string())
                rows = rows.set_column(at, column.name, shown.take(coded.indices))
        return rows

    def store_all(self, connection: Any, steps: Sequence[Setup]) -> None:
        """A table that is made replaces one that an earlier failure left."""
        if not all(step.text.startswith(self.dialect.making_again) for step in steps):
            super().store_all(connection, steps)
            return
        for step in steps:
            self.store(connection, step)

    def drop_all(self, connection: Any, steps: Sequence[Setup]) -> None:
        """As one statement, which servers take from version 24 on."""
        text = drops_as_one(drops_of(steps), self.dialect.dropping_temporary)
        if text:
            try:
                self.execute(connection, text)
                return
            except UnreachableError:
                raise
            except StatementError:
                pass
            except BaseException:  # after an interruption others still run
                with suppress(StatementError):
                    super().drop_all(connection, steps)
                raise
        super().drop_all(connection, steps)

    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement."""
        _asked(connection, sql)

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query, by Arrow."""
        with pa.ipc.open_stream(pa.py_buffer(_asked(connection, sql, "ArrowStream").bytes())) as reader:
            return reader.read_all()


def _numbers(column: pa.ChunkedArray, kind: str) -> pa.Array:
    """The numbers of their bytes: floats of two bytes, or whole numbers, as text if a decimal256 is too short."""
    there = column.to_pylist()
    if kind == "BFloat16":
        halves = [None if value is None else b"\0\0" + value for value in there]
        return pa.array([None if value is None else struct.unpack("<f", value)[0] for value in halves], pa.float32())
    whole = [None if v is None else int.from_bytes(v, "little", signed=kind[0] == "I") for v in there]
    long = any(value is not None and abs(value) >= 10**76 for value in whole)
    digits = pa.string() if long else pa.decimal256(76, 0)
    return pa.array([None if v is None else str(v) if long else Decimal(v) for v in whole], digits)


def _shown(value: Any, names: Mapping[int, str], text: str) -> str | None:
    """A value as ClickHouse shows it: the name of an enumeration's number, or an address."""
    if value is None or isinstance(value, str):
        return value
    if names:
        return names[value]
    return str(IPv4Address(value) if "IPv4" in text else IPv6Address(value))


def of_package(connection: Any, package: str) -> bool:
    """Whether a class of the connection comes from the package."""
    return any(kind.__module__.split(".")[0] == package for kind in type(connection).__mro__)


def _asked(connection: Any, sql: str, *form: str) -> Any:
    log_statement("clickhouse", sql)
    with interruptible():
        try:
            return connection.query(sql, *form)
        except AttributeError as error:  # chdb has no error of its own for a closed session
            raise UnreachableError(sql, "the session of chdb is closed: open a new one") from error
        except RuntimeError as error:
            raise StatementError(sql, said(str(error))) from error


def said(message: str) -> str:
    """The engine's message without its code and the expression, which may be as long as the statement."""
    found = _SAID.search(message.strip())
    return ClickHouse().said(one_line(found[1] if found else message))
