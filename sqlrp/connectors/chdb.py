"""ClickHouse in process, by chdb, which is told by its name and not imported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import RLock
from typing import Any

import pyarrow as pa

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import StatementError, UnreachableError, one_line
from sqlrp.dialects.clickhouse import ClickHouse

_SAID = re.compile(r"^Code: \d+\. DB::Exception: (.*?)(: (?:while|While) executing .*|[:.]? In scope .*)?$", re.DOTALL)
_TURN = RLock()


class ChdbConnector(Connector):
    """A session or a connection of chdb."""

    dialect: ClickHouse

    def recognises(self, connection: Any) -> bool:
        """By the package of its class."""
        return of_package(connection, "chdb")

    @contextmanager
    def session(self, connection: Any) -> Iterator[Any]:
        """The session with room for the text; its own settings are back in the end."""
        room = self.dialect.room
        put_back = self.dialect.set_values(dict(self.rows(connection, self.dialect.settings_query(list(room)))))
        try:
            self.execute(connection, self.dialect.set_values(room))
            yield connection
        except BaseException:
            with suppress(StatementError):  # the first error is the one to tell
                self.execute(connection, put_back)
            raise
        self.execute(connection, put_back)

    @contextmanager
    def transaction(self, connection: Any, lock: str, makes: bool) -> Iterator[Any]:
        """There are none: every statement holds at once. The process is alone with the data; its threads take turns."""
        with _TURN, self.session(connection) as session:
            yield session

    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement."""
        _asked(connection, sql)

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query, by Arrow."""
        with pa.ipc.open_stream(pa.py_buffer(_asked(connection, sql, "ArrowStream").bytes())) as reader:
            return reader.read_all()


def of_package(connection: Any, package: str) -> bool:
    """Whether a class of the connection is of that package."""
    return any(kind.__module__.split(".")[0] == package for kind in type(connection).__mro__)


def _asked(connection: Any, sql: str, *form: str) -> Any:
    try:
        return connection.query(sql, *form)
    except AttributeError as error:  # chdb has no word of its own for a session that was closed
        raise UnreachableError(sql, "the session of chdb is closed: open a new one") from error
    except RuntimeError as error:
        raise StatementError(sql, _said(error)) from error


def _said(error: RuntimeError) -> str:
    """The engine's words, without its code and the expression, which may be as long as the statement."""
    said = _SAID.match(str(error).strip())
    return one_line(said[1] if said else str(error))
