"""MySQL by SQLAlchemy, whose dialect `mysql` may reach MariaDB, too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from sqlrp._connectors.connector import Connector
from sqlrp._connectors.foreseen import read_answer
from sqlrp._connectors.foresight import Absent, Answer, QuestionStage
from sqlrp._core.alchemy import sa
from sqlrp._core.errors import StatementError, UnsupportedError
from sqlrp._core.script import Setup, drops_as_one, drops_of
from sqlrp._core.sources import TableName
from sqlrp._engines.generic.connector import AnyConnector
from sqlrp._engines.generic.dialect import Generic
from sqlrp._engines.mariadb.connector import LONG, MariaDBConnector, asked, is_temporary, of_temporary
from sqlrp._engines.mariadb.dialect import NOT_THERE, MariaDB
from sqlrp._engines.mysql.dialect import MySQL

_WORD = re.compile(
    r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|(?P<name>`(?:[^`]|``)*`|\w+)(?P<of>\s*\.)?""", re.DOTALL
)
"""A string, or a name and whether it qualifies another one."""
_IN_TRANSACTION = 1
"""The protocol's SERVER_STATUS_IN_TRANS."""
MULTI_STATEMENTS = 1 << 16
"""The protocol's CLIENTMULTI_STATEMENTS: the client has asked the server to take several statements as one."""
_OTHERS = re.compile("tidb|oceanbase|starrocks|doris|singlestore|databend|clickhouse|vitess|dolt", re.IGNORECASE)
"""Words of servers that speak MySQL's protocol and are other engines."""
_TELLING_STATE = ("in_transaction", "server_status")
"""Attributes of drivers that say whether a transaction is open: those of mysql-connector-python and pymysql."""
_SERVERS: WeakKeyDictionary[sa.Pool, str | None] = WeakKeyDictionary()
"""What the servers of pools of connections say of themselves: the version that their drivers read, and the comment.

None by a driver that does not say whether a transaction is open, such as one of ODBC: the engine is asked, too."""
_TABLE, _ROWS = 2, 9
"""The places of the table's name and of the rows in a line of EXPLAIN."""
_HELD = "sqlrp_temporary"
"""The key, in what SQLAlchemy keeps with a connection, of the temporary tables and the number of their copies."""


class MySQLConnector(MariaDBConnector):
    """A connection of SQLAlchemy's dialect `mysql`."""

    names: ClassVar[tuple[str, ...]] = ("mysql",)
    dialect: MySQL

    def serving(self, connection: sa.Engine | sa.Connection) -> Connector:
        """SQLAlchemy's dialect knows that the server is MariaDB once it is connected."""
        return MariaDBConnector(MariaDB()) if getattr(connection.dialect, "is_mariadb", False) else self

    def reached(self, connection: sa.Engine | sa.Connection) -> Connector:
        """Connect an engine that never was: only the server says which one it is. Other engines are asked."""
        pool = connection.engine.pool
        if pool not in _SERVERS:
            with self._opened(connection) as opened:
                begun = opened.in_transaction()
                told = getattr(opened.connection.driver_connection, "get_server_info", str)
                mariadb = getattr(opened.dialect, "is_mariadb", False)
                driver = opened.connection.driver_connection
                tells = mariadb or any(hasattr(driver, name) for name in _TELLING_STATE)
                comment = "" if mariadb else self.fresh(opened, self.dialect.comment_query)[0][0]
                _SERVERS[pool] = f"{told()} {comment}" if tells else None
                if not begun:  # the question began a transaction, which is none of the caller's
                    opened.rollback()
        server = _SERVERS[pool]
        if server is None or _OTHERS.search(server):
            return AnyConnector(Generic()).reached(connection)
        return self.serving(connection)

    def transacting(self, connection: sa.Connection) -> bool:
        """The driver knows it from the answer to its last statement."""
        self.execute(connection, self.dialect.transacting_query)
        driver = connection.connection.driver_connection
        found = getattr(driver, "in_transaction", None)  # mysql-connector-python
        if found is None:
            status = getattr(driver, "server_status", None)  # pymysql
            found = None if status is None else status & _IN_TRANSACTION
        if found is None:
            raise UnsupportedError(
                f"the driver {connection.dialect.driver} does not say whether a transaction is open: use the URL "
                "mysql+pymysql://…"
            )
        return bool(found)

    def count(self, connection: sa.Engine | sa.Connection, name: TableName) -> int | None:
        """The rows that the plan of a table expects; None for a view, whose plan may name others.

        None for a temporary table of the user's, too: for few rows the plan may be one that reads the table twice.
        """

        def ask() -> int | None:
            plan = self.rows(connection, self.dialect.count_query(name))
            if len(plan) != 1 or plan[0][_TABLE] != name.parts[-1] or self._is_users(connection, name):
                return None
            return int(plan[0][_ROWS])

        return self.remembered(connection, ("count", name), ask)

    def _is_users(self, connection: sa.Engine | sa.Connection, name: TableName) -> bool:
        """Whether it is a temporary table that sqlrp has not made."""
        if isinstance(connection, sa.Connection) and name.parts[-1] in connection.info.get(_HELD, {}):
            return False

        def ask() -> bool:
            return is_temporary(self.rows(connection, self.dialect.definition_query(name)))

        return self.remembered(connection, of_temporary(name), ask)

    # -- several statements as one, where the client has said so -------------------------------------

    def together(self, connection: Any) -> bool:
        """If the driver was told so, as pymysql is by `client_flag=65536`."""
        # One that was interrupted has no driver's connection: what is asked of it next says so.
        if not isinstance(connection, sa.Connection) or connection.closed or connection.invalidated:
            return False
        return bool(getattr(connection.connection.driver_connection, "client_flag", 0) & MULTI_STATEMENTS)

    def stands_alone(self, sql: str, kinds: Sequence[object]) -> bool:
        """A plan, too: it has texts of another kind."""
        return sql.startswith(self.dialect.planning) or super().stands_alone(sql, kinds)

    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement, or several as one."""
        if self.dialect.is_block(sql):
            self.forget(connection)
            self.run_block(connection, sql)
        else:
            super().execute(connection, sql)

    def run_block(self, opened: sa.Connection, text: str) -> None:
        """Read all results of a block, of which each may be an error."""
        if self.dialect.is_block(text):
            self.result_sets(opened, text)
        else:
            super().run_block(opened, text)

    def result_sets(self, connection: sa.Connection, text: str) -> list[tuple[Sequence[Sequence[Any]], Sequence[Any]]]:
        """Without the row of the query that stands first in a block."""
        return super().result_sets(connection, text)[self.dialect.is_block(text) :]

    def blocks(self, connection: Any, statements: Iterable[str]) -> list[str]:
        """The statements as one. Each reads a temporary table once."""
        texts = list(statements)
        if len(texts) < 2 or not self.together(connection) or sum(map(len, texts)) > LONG:
            return texts
        return super().blocks(connection, [each for text in texts for each in self._reading_once(connection, text)])

    def answers_of(
        self, connection: sa.Connection, stages: Sequence[QuestionStage]
    ) -> Sequence[Sequence[Answer | None]]:
        """By a block."""
        if not self.takes_blocks(connection):
            return super().answers_of(connection, stages)
        copies: list[str] = []
        asking: list[list[tuple[str, int, str | None]]] = []
        for stage in asked(stages):
            asking.append([])
            for query, columns, answer in stage:
                *made, written = self._reading_once(connection, query)
                copies += made
                asking[-1].append((written, columns, answer))
        results = iter(self.result_sets(connection, self.dialect.asking(asking, copies)))
        found: list[list[Answer | None]] = []
        for each in stages:
            if found and not next(results)[1][0][0]:  # the answers before it are others
                break
            found.append(_answers(each, results))
        return found

    # -- a statement reads a temporary table once -------------------------------------------------

    def store(self, connection: sa.Connection, setup: Setup) -> None:
        """Note the name of the temporary table."""
        super().store(connection, setup)
        _note(connection, setup)

    def store_all(self, connection: Any, steps: Sequence[Setup]) -> None:
        """As one, too."""
        text = self._stored(connection, steps)
        if text:
            self.execute(connection, text)
            return
        self.drop_all(connection, steps)
        for step in steps:
            self.store(connection, step)

    def drop_all(self, connection: Any, steps: Sequence[Setup]) -> None:
        """All tables and their copies by one statement, which every client may send. If it fails, each by its own."""
        drops = drops_of(steps)
        if self.together(connection) or not isinstance(connection, sa.Connection) or len(drops) < 2:
            super().drop_all(connection, steps)
            return
        with self._opened(connection):
            held = connection.info.setdefault(_HELD, {})
            before = dict(held)
            every = [each for drop in drops for each in self._reading_once(connection, drop)]
            try:
                self.execute(connection, drops_as_one(every, self.dialect.dropping_temporary))
            except BaseException:  # after an interruption others still run
                held.update(before)
                with suppress(StatementError):
                    self._drop_each(connection, steps)
                raise

    def store_and_ask(self, connection: Any, steps: Sequence[Setup], query: str) -> list[tuple[Any, ...]]:
        """As one, too."""
        text = self._stored(connection, steps, query)
        if not text:
            return Connector.store_and_ask(self, connection, steps, query)
        self.forget(connection)
        return [tuple(row) for row in self.result_sets(connection, text)[-1][1]]

    def _stored(self, connection: Any, steps: Sequence[Setup], query: str = "") -> str:
        """The text that drops and makes temporary tables, and asks; empty if it cannot be one."""
        drops = drops_of(steps)
        size = sum(map(len, [*drops, *(step.text for step in steps), query]))
        if not steps or not self.together(connection) or size > LONG:
            return ""
        texts = [each for drop in drops for each in self._reading_once(connection, drop)]
        for step in steps:
            texts += self._reading_once(connection, step.text)
            _note(connection, step)
        texts += self._reading_once(connection, query) if query else []
        return self.dialect.block.format(statements=";\n".join(texts))

    def _run(self, connection: sa.Connection, sql: str) -> sa.CursorResult[Any]:
        """A statement reads a temporary table a second time as a copy of it, which is dropped with the table."""
        *before, last = [sql] if self.dialect.is_block(sql) else self._reading_once(connection, sql)
        for text in before:
            super()._run(connection, text).close()
        return super()._run(connection, last)

    def _reading_once(self, connection: sa.Connection, sql: str) -> list[str]:
        """A statement of which no part reads a temporary table again, after those that make or drop copies."""
        held: dict[str, int] = connection.info.get(_HELD, {})
        if not held:
            return [sql]
        if sql.startswith(self.dialect.dropping_temporary):
            name = _bare(sql[len(self.dialect.dropping_temporary) :].strip())
            copies = (self._copy(name, number) for number in range(held.pop(name, 0)))
            return [*(f"{self.dialect.dropping_temporary} {copy}" for copy in copies), sql]
        seen: Counter[str] = Counter()

        def read(match: re.Match[str]) -> str:
            name = _bare(match["name"] or "")
            if name not in held or match["of"]:
                return match[0]
            seen[name] += 1
            return match[0] if seen[name] == 1 else self._copy(name, seen[name] - 2)

        written = _WORD.sub(read, sql)
        made = []
        for name, times in seen.items():
            while held[name] < times - 1:
                made.append(self.dialect.copying(name, self._copy(name, held[name])).text)
                held[name] += 1
        return [*made, written]

    def _copy(self, name: str, number: int) -> str:
        """The quoted name of a copy of a temporary table."""
        return self.dialect.quote(f"{name}_{number}")


def _bare(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def _note(connection: sa.Connection, setup: Setup) -> None:
    """Note the name of a temporary table, which has no copies."""
    if setup.name:
        connection.info.setdefault(_HELD, {})[_bare(setup.name)] = 0


def _answers(
    stage: QuestionStage, results: Iterator[tuple[Sequence[Sequence[Any]], Sequence[Any]]]
) -> list[Answer | None]:
    """The answers of a stage from the results that come; None for a warning that is about no missing table."""
    found: dict[Any, Answer | None] = {}
    gone = {question: before for question, before in stage.answers.items() if isinstance(before, Absent)}
    for question, before in gone.items():
        next(results)
        codes = [code for _, code, _ in next(results)[1]]
        if not codes:
            found[question] = [tuple(row) for row in next(results)[1]]
            continue
        found[question] = Absent(codes[0], before.words) if codes[0] in NOT_THERE else None
    joined = [question for question in stage.answers if question.joined]
    for question in [question for question in stage.answers if question not in gone and not question.joined]:
        found[question] = [tuple(row) for row in next(results)[1]]
    if joined:
        found |= zip(joined, map(read_answer, next(results)[1][0]), strict=True)
    return [found[question] for question in stage.answers]
