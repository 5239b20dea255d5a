"""ClickHouse: in process by chdb, or a server by a client of clickhouse-connect or by SQLAlchemy.

SQLAlchemy's connections are `clickhousedb://` (clickhouse-connect), `clickhouse+http://` and `clickhouse+native://`
(clickhouse-sqlalchemy). Statements go to the client in them: a cursor of these drivers has no Arrow, keeps no session
between two statements, or sends no settings. The packages are recognised by their names and are not imported.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, ClassVar, TypeVar
from uuid import uuid4

import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._connectors.driver_rows import inferred
from sqlrp._connectors.foreseen import ForesightConnector
from sqlrp._connectors.foresight import Answer, Foresight, QuestionStage, Rows
from sqlrp._connectors.sqlalchemy import OpeningConnector
from sqlrp._core.alchemy import sa
from sqlrp._core.errors import StatementError, UnreachableError
from sqlrp._core.logs import log_statement
from sqlrp._core.sources import TableName
from sqlrp._engines.clickhouse.chdb import ChdbConnector, of_package, said

_ARROW = {
    "Bool": pa.bool_(),
    "String": pa.string(),
    "Float32": pa.float32(),
    "Float64": pa.float64(),
    **{f"{'U' * unsigned}Int{bits}": pa.type_for_alias(f"{'u' * unsigned}int{bits}") for bits in (8, 16, 32, 64)
       for unsigned in (0, 1)},
}  # fmt: skip
"""Arrow types by the names of ClickHouse's types. The values decide the type of any other column."""
_NESTED = ("Nullable(", "LowCardinality(", "Array(")
_FIXED = re.compile(
    r"Cannot modify '\w+' setting in readonly mode|unknown or readonly|Setting \w+ should not be changed"
)
"""What a server, or the client of clickhouse-connect, says of a setting that the user may not make."""

Found = TypeVar("Found")


class Link(ABC):
    """A session of a server. `settings` go with every statement: SET would need a session that all drivers keep."""

    in_arrow = True
    """whether rows come as Arrow, so that lists have their types"""

    def __init__(self, client: Any, settings: Mapping[str, Any], pool: Any) -> None:
        """`client`: of the driver. `settings` by name. `pool`: what all links to the database share."""
        self.client, self.pool = client, pool
        self.settings = dict(settings)
        self.own: dict[str, Any] = {}
        """the settings that every user may make"""

    def asked(self, ask: Callable[[str], Found], sql: str) -> Found:
        """The answer of `run` or `table`; without the settings from where the user may not make them."""
        try:
            return ask(sql)
        except Exception as error:
            if self.settings == self.own or not _FIXED.search(str(error)):
                raise
        self.settings = dict(self.own)
        return ask(sql)

    @abstractmethod
    def run(self, sql: str) -> None:
        """Run a statement."""

    @abstractmethod
    def table(self, sql: str) -> pa.Table:
        """The rows of a query."""


class _ClientLink(Link):
    """A client of clickhouse-connect."""

    def run(self, sql: str) -> None:
        self.client.command(sql, settings=self.settings)

    def table(self, sql: str) -> pa.Table:
        return _read(self.client.raw_query(sql, settings=self.settings, fmt="ArrowStream"))


class _HttpLink(Link):
    """The HTTP transport of clickhouse-sqlalchemy, with a session of its own, as temporary tables need one."""

    def __init__(self, transport: Any, settings: Mapping[str, Any], pool: Any) -> None:
        own = {"session_id": uuid4().hex, **transport.ch_settings}
        super().__init__(transport, {**own, **settings}, pool)
        self.own = own

    def run(self, sql: str) -> None:
        self._asked(sql, "TabSeparated")

    def table(self, sql: str) -> pa.Table:
        return _read(self._asked(sql, "ArrowStream"))

    def _asked(self, sql: str, form: str) -> bytes:
        way = self.client
        answer = way.http.post(
            way.db_url,
            params={**self.settings, "database": way.db_name, "default_format": form},
            data=sql.encode(),
            auth=way.auth if way.auth[0] else None,
            timeout=way.timeout,
            headers=way.headers,
            verify=way.verify,
            cert=way.cert,
        )
        if answer.status_code != 200:
            raise StatementError(sql, said(answer.text))
        return bytes(answer.content)


class _NativeLink(Link):
    """A client of clickhouse-driver, which has no Arrow."""

    in_arrow = False

    def run(self, sql: str) -> None:
        self.client.execute(sql, settings=self.settings)

    def table(self, sql: str) -> pa.Table:
        columns, described = self.client.execute(sql, with_column_types=True, columnar=True, settings=self.settings)
        filled = columns or [[] for _ in described]
        arrays = [
            inferred(list(values)) if kind is None else pa.array(values, kind)
            for values, kind in zip(filled, (_arrow(text) for _, text in described), strict=True)
        ]
        return pa.Table.from_arrays(arrays, names=[name for name, _ in described])


class ClickHouseConnector(ForesightConnector, ChdbConnector, OpeningConnector):
    """A session of chdb, a client of clickhouse-connect, or an engine or a connection of SQLAlchemy.

    One of SQLAlchemy's dialect chdb (chdb-sqlalchemy) leads to a connection of chdb, which then does all.
    """

    names: ClassVar[tuple[str, ...]] = ("clickhouse", "clickhousedb", "chdb")

    def recognises(self, connection: Any) -> bool:
        """By the class, or by the name of SQLAlchemy's dialect."""
        own = isinstance(connection, Link) or _is_client(connection) or super().recognises(connection)
        return own or OpeningConnector.recognises(self, connection)

    @contextmanager
    def session(self, connection: Any) -> Iterator[Any]:
        """A session of chdb with higher limits on the text, or a `Link` that asks for them in each statement."""
        if of_package(connection, "chdb"):
            with super().session(connection) as session:
                yield session
        elif isinstance(connection, Link):
            yield connection
        elif _is_client(connection):
            with self._asking(_ClientLink(connection, self.dialect.room, connection)) as link:
                yield link
        else:
            with self._opened(connection) as opened:
                driver = opened.connection.driver_connection
                if opened.dialect.name == "chdb":
                    with super().session(_embedded(driver)) as session:
                        yield session
                else:
                    with self._asking(self._link(opened, driver)) as link:
                        yield link

    @contextmanager
    def _asking(self, link: Link) -> Iterator[Link]:
        """The session of a link. No statement breaks another one, as there are no transactions."""
        foresight = Foresight.of(link.pool, own=False, resumes=True) if link.in_arrow else None
        with self.foreseeing(link, foresight):
            self.foresee(link)
            yield link

    def _link(self, opened: sa.Connection, driver: Any) -> Link:
        """The link by the connection of a driver of SQLAlchemy."""
        if hasattr(driver, "client"):
            return _ClientLink(driver.client, self.dialect.room, opened.engine.pool)
        kind = _NativeLink if opened.dialect.driver == "native" else _HttpLink
        return kind(driver.transport, self.dialect.room, opened.engine.pool)

    def pool_of(self, connection: Any) -> Any:
        """The pool of the engine, or the client."""
        return connection.pool

    def fresh(self, connection: Any, sql: str) -> Rows:
        """The rows, now."""
        return Connector.rows(self, connection, sql)

    def told(self, connection: Any, sql: str) -> tuple[list[Any], Rows]:
        """The types of Arrow, and the rows."""
        found = self.fetch(connection, sql)
        return list(found.schema.types), [tuple(row.values()) for row in found.to_pylist()]

    def cells(self, connection: Any, sql: str) -> Rows:
        """The rows of a table that may hold anything: bytes that are no text, too."""
        try:
            return self.rows(connection, sql)
        except UnicodeDecodeError:
            return Connector.cells(self, connection, sql)

    def answers_of(self, connection: Any, stages: Sequence[QuestionStage]) -> Sequence[Sequence[Answer | None]]:
        """The answers of a stage, each as a list of tuples."""
        (stage,) = stages
        questions = [(question.text, question.columns) for question in stage.answers]
        ((*found,),) = self.fresh(connection, self.dialect.at_once(questions))
        return [[[tuple(row.values()) for row in answer] for answer in found]]

    def capacity(self, connection: Any) -> tuple[int, None]:
        """What is asked once in a session."""
        return self.remembered(connection, ("capacity",), lambda: ChdbConnector.capacity(self, connection))

    def fetch_all(self, connection: Any, queries: Sequence[str]) -> list[pa.Table]:
        """As one, but where the server has no names in tuples."""
        if isinstance(connection, Link) and connection.in_arrow:
            try:
                lists = self.fetch(connection, self.dialect.lists_of(queries))
                return [pa.Table.from_struct_array(column.combine_chunks().flatten()) for column in lists.columns]
            except UnreachableError:
                raise
            except StatementError:
                pass
        return super().fetch_all(connection, queries)

    def described_rows(self, connection: Any, name: TableName) -> Rows:
        """What is asked with other questions. A table that is not there has no rows, and DESCRIBE has an error."""
        plain = isinstance(connection, Link) and not (name.is_file or name.is_query)
        found = self.rows(connection, self.dialect.columns_question(name)) if plain else []
        return found or super().described_rows(connection, name)

    def exists(self, connection: Any, name: TableName) -> bool:
        """Whether there is a table or view of that name."""
        if isinstance(connection, Link) and not name.is_file:
            return bool(self.rows(connection, self.dialect.exists_question(name))[0][0])
        return super().exists(connection, name)

    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement."""
        with self._reached(connection) as reached:
            if not isinstance(reached, Link):
                super().execute(reached, sql)
                return
            self.forget(reached)
            self.not_foreseen(reached)
            with _heard(sql):
                reached.asked(reached.run, sql)

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query, by Arrow where the driver has it."""
        with self._reached(connection) as reached:
            if not isinstance(reached, Link):
                return super().fetch(reached, sql)
            self.not_foreseen(reached)
            with _heard(sql):
                found: pa.Table = reached.asked(reached.table, sql)
                return found

    def _reached(self, connection: Any) -> AbstractContextManager[Any]:
        """What runs one statement: a session of chdb as it is, or a `Link`."""
        return nullcontext(connection) if of_package(connection, "chdb") else self.session(connection)


@contextmanager
def _heard(sql: str) -> Iterator[None]:
    """Turn a driver's errors into sqlrp's. An error without the server's words comes from the way to it."""
    log_statement("clickhouse", sql)
    try:
        yield
    except StatementError:
        raise
    except Exception as error:
        words = said(str(error))
        if "DB::Exception" in str(error) or isinstance(error, pa.ArrowException):
            raise StatementError(sql, words) from error
        raise UnreachableError(
            sql, f"the database cannot be reached (check that it runs, its address, name and user): {words}"
        ) from error


def _is_client(connection: Any) -> bool:
    return of_package(connection, "clickhouse_connect") and hasattr(connection, "query_arrow")


def _embedded(driver: Any) -> Any:
    """The connection of chdb within those of DBAPI."""
    while not type(driver).__module__.startswith("chdb.state."):
        driver = driver._conn
    return driver


def _read(stream: bytes) -> pa.Table:
    with pa.ipc.open_stream(pa.py_buffer(stream)) as reader:
        return reader.read_all()


def _arrow(text: str) -> pa.DataType | None:
    """The Arrow type of a column by its type in ClickHouse; None where the values decide."""
    for wrapper in _NESTED:
        if text.startswith(wrapper):
            inner = _arrow(text[len(wrapper) : -1])
            return pa.list_(inner) if wrapper == "Array(" and inner is not None else inner
    return _ARROW.get(text)
