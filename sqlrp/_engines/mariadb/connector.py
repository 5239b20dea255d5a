"""MariaDB by SQLAlchemy."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar

import pyarrow as pa

from sqlrp._connectors.connector import Connector, Place
from sqlrp._connectors.foreseen import AbsentError, read_answer
from sqlrp._connectors.foresight import Absent, Answer, QuestionStage
from sqlrp._connectors.sqlalchemy import TransactingConnector
from sqlrp._core.alchemy import sa
from sqlrp._core.errors import StatementError, UnreachableError, UnsupportedError
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column
from sqlrp._engines.mariadb.dialect import ABSENT, IN_JSON, NOT_THERE, MariaDB

_CHECKED = "sqlrp_checked"
"""The key, in what SQLAlchemy keeps with a connection of the driver, of whether its settings were read.

A connection of pyodbc has no weak references."""
_ROWS = 2**40
"""Fewer rows than this may be those of a result."""
_FLOAT = 4
"""The protocol's type code of FLOAT, which the server writes as text of six digits."""
LONG = 1_000_000
"""So many characters fit in a packet (`max_allowed_packet`) with room to spare: its default is 16 MB."""
_DEADLOCK = 1213
"""The error number of a transaction that the server has undone, as it and another one wait for each other."""
_DENIED = 1142
"""That of a missing right, also for a table that is not there."""
_UNDEFINED = (*NOT_THERE, 1046, _DENIED, 1347, 1356)
"""Those of a name without a definition to see: no database is chosen, no right, no table, a broken view."""
_NUMBER = re.compile(r"\((\d{3,5})\)")
"""The server's number in an error's words."""
_ARROW = {1: pa.int64(), 2: pa.int64(), 3: pa.int64(), 9: pa.int64(), 5: pa.float64()}
"""Arrow types by the protocol's type codes. The values decide the type of 64-bit integers, which may be unsigned."""


class MariaDBConnector(TransactingConnector):
    """A connection of SQLAlchemy's dialect `mariadb`, or of its dialect `mysql` to such a server."""

    arrow_types: ClassVar[Mapping[Any, pa.DataType]] = _ARROW
    dialect: MariaDB
    takes_several: ClassVar[bool] = True

    @contextmanager
    def session(self, connection: Any) -> Iterator[sa.Connection]:
        """The session, after a look at settings that would cut what it reads, or make another language of SQL."""
        begun = self.within(connection)
        with super().session(connection) as opened:
            if not begun:
                self._check_settings(opened)
                self.foresee(opened)
            yield opened

    def _check_settings(self, opened: sa.Connection) -> None:
        """Look once for each connection of the driver, as every look is a round trip."""
        if _CHECKED in opened.info:
            return
        mode, limit = self.fresh(opened, self.dialect.reading_query)[0]
        if "ORACLE" in str(mode).split(","):
            raise UnsupportedError(
                "sql_mode has ORACLE, which reads another SQL than that of "
                f"{self.dialect.name}: SET SESSION sql_mode = DEFAULT"
            )
        if int(limit) < _ROWS:
            raise UnsupportedError(
                f"sql_select_limit = {limit} cuts what a query gives, and so what sqlrp reads of columns and rows: "
                "SET SESSION sql_select_limit = DEFAULT"
            )
        opened.info[_CHECKED] = True

    def commits_itself(self, connection: sa.Connection) -> bool:
        """As the server has said with its last answer, where the driver tells; otherwise ask it."""
        told = getattr(connection.connection.driver_connection, "get_autocommit", None)  # pymysql, mysqlclient
        return bool(told() if told else self.fresh(connection, self.dialect.committing_query)[0][0])

    def transacting(self, connection: sa.Connection) -> bool:
        """Ask the server."""
        return bool(self.fresh(connection, self.dialect.transacting_query)[0][0])

    def check_makes(self) -> None:
        """CREATE TABLE and RENAME TABLE commit the open transaction."""
        raise UnsupportedError(
            f"{self.dialect.name} commits an open transaction when a table is made: commit it first, or pass a "
            "SQLAlchemy engine"
        )

    def begin(self, connection: sa.Connection, lock: str, alone: bool) -> None:
        """Take the lock first, because it outlives the transaction."""
        self._check_settings(connection)
        wait = self.dialect.lock_query(lock)
        if self.fresh(connection, wait)[0][0] != 1:
            raise StatementError(wait, "another connection holds the lock of sqlrp: try again")
        if alone:
            self.execute(connection, self.dialect.begins)

    @contextmanager
    def making_catalogue(self, connection: sa.Connection, lock: str) -> Iterator[None]:
        """Others wait until it is committed."""
        self.begin(connection, lock, alone=False)
        try:
            yield
            self.execute(connection, self.dialect.commits)
            self.execute(connection, self.dialect.begins)
        finally:
            with suppress(StatementError):  # lost connection, or Ctrl-C in BEGIN: report the first error
                self.unlock(connection, lock)

    @contextmanager
    def holding(self, connection: sa.Connection, lock: str) -> Iterator[bool]:
        """A lock that is released at the end. What is asked under it is asked now."""
        held = self.fresh(connection, self.dialect.lock_query(lock, wait=False))[0][0] == 1
        self.forget(connection)
        try:
            yield held
        finally:
            if held:
                self.unlock(connection, lock)

    def asked(self, connection: sa.Connection, sql: str) -> sa.CursorResult[Any]:
        """Ask again if a column is FLOAT, for DOUBLE: only the answer has the types of a query's columns."""
        found = super().asked(connection, sql)
        columns = {str(column[0]): column[1] == _FLOAT for column in (found.cursor and found.cursor.description) or ()}
        if not any(columns.values()):
            return found
        found.close()
        return super().asked(connection, self.dialect.doubled(sql, columns))

    def restricted(self, connection: sa.Connection) -> str:
        """Try: the statements commit no transaction."""
        try:
            for text in self.blocks(connection, self.dialect.trying):  # which leave the catalogue's answers as they are
                with self._opened(connection, text) as opened:
                    self.run_block(opened, text)
        except UnreachableError:
            raise
        except StatementError as error:
            return error.words
        return ""

    def blocks(self, connection: Any, statements: Iterable[str]) -> list[str]:
        """The statements as one, if that is not too long for a packet; otherwise as they are."""
        texts = list(statements)
        if len(texts) < 2 or not self.together(connection) or sum(map(len, texts)) > LONG:
            return texts
        return [self.dialect.block.format(statements=";\n".join(texts))]

    def run_block(self, opened: sa.Connection, text: str) -> None:
        """Run statements that `blocks` has made one, or a statement."""
        self._run(opened, text).close()

    def execute_all(self, connection: Any, statements: Iterable[str]) -> None:
        """As one block."""
        super().execute_all(connection, self.blocks(connection, statements))

    def as_one(self, connection: Any, statements: Sequence[str], of_last: bool = False) -> str:
        """As one block."""
        if not isinstance(connection, sa.Connection) or not self.takes_blocks(connection):
            return ""
        first, *others = self.blocks(connection, statements)
        return first if len(statements) > 1 and not others else ""

    def fetch_all(self, connection: Any, queries: Sequence[str]) -> list[pa.Table]:
        """As one block, unless a column is FLOAT, which is asked for again."""
        text = self.as_one(connection, queries)
        found = self.results(connection, text) if text else []
        single = any(column[1] == _FLOAT for description, _ in found for column in description)
        if single or not text:
            return Connector.fetch_all(self, connection, queries)
        return [rows for _, rows in found]

    def takes_blocks(self, connection: sa.Connection) -> bool:
        """By a block, of which drivers for asyncio give one result only."""
        return self.together(connection) and not connection.dialect.is_async

    def stands_alone(self, sql: str, kinds: Sequence[object]) -> bool:
        """One about the database: a sum of a table's numbers, which may take long, is asked only where it is needed."""
        return bool(kinds) and IN_JSON.issuperset(kinds)

    def in_turn(self, connection: sa.Connection, stage: QuestionStage) -> bool:
        """In a block."""
        return self.takes_blocks(connection)

    def answers_of(
        self, connection: sa.Connection, stages: Sequence[QuestionStage]
    ) -> Sequence[Sequence[Answer | None]]:
        """By a block: a result for each question that stands alone, and one for the others of a stage."""
        if not self.takes_blocks(connection):
            return super().answers_of(connection, stages)
        results = iter(self.result_sets(connection, self.dialect.asking(asked(stages))))
        found: list[list[Answer]] = []
        for stage in stages:
            answers = _answers(stage, results)
            if answers is None:
                break
            found.append(answers)
        return found

    def absent(self, error: StatementError) -> int:
        """The number, if the database or the table is unknown."""
        code = _code(error)
        return code if isinstance(code, int) and code in NOT_THERE else 0

    def undoes(self, error: StatementError) -> bool:
        """A deadlock undoes the transaction; other errors undo the statement."""
        return _code(error) == _DEADLOCK

    def commit(self, connection: sa.Connection, lock: str) -> bool:
        """Commit and release the lock as one statement, where the server has blocks."""
        statements = [self.dialect.commits, self.dialect.unlocks(lock)]
        texts = self.blocks(connection, statements)
        if len(texts) == len(statements):
            return super().commit(connection, lock)
        self.execute(connection, texts[0])
        return True

    def unlock(self, connection: sa.Connection, lock: str) -> None:
        """Let the next transaction start."""
        self.execute(connection, self.dialect.unlocks(lock))

    def _placed(self, connection: Any, name: TableName, query: str | None) -> Place:
        """The place. Only the definition of a table says that it is temporary, and then it hides the other's."""
        place = super()._placed(connection, name, query)
        try:
            found = self.rows(connection, self.dialect.definition_query(name))
        except StatementError as error:
            unknown = _code(error) == _DENIED and not place.there  # perhaps there is a table that may not be seen
            if _code(error) not in _UNDEFINED or unknown:
                raise
            return place
        return replace(place, hidden=self.noted(connection, of_temporary(name), is_temporary(found)))

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table; none if there is no such table."""
        with self.session(connection) as opened:
            try:
                return super().describe(opened, name)
            except StatementError as error:
                if _code(error) in NOT_THERE:
                    return []
                raise


def asked(stages: Sequence[QuestionStage]) -> list[list[tuple[str, int, str | None]]]:
    """The questions of each stage as text and number of columns, and of what is joined the answer as JSON.

    One that was answered that there is no such table has no columns.
    """
    return [
        [
            (question.text, question.columns, json.dumps(answer, ensure_ascii=False))
            if question.joined
            else (question.text, int(not isinstance(answer, Absent)), None)
            for question, answer in stage.answers.items()
        ]
        for stage in stages
    ]


def _answers(
    stage: QuestionStage, results: Iterator[tuple[Sequence[Sequence[Any]], Sequence[Any]]]
) -> list[Answer] | None:
    """The answers of a stage from the results that come; None if it was not asked."""
    alone = [question for question in stage.answers if not question.joined]
    joined = [question for question in stage.answers if question.joined]
    given = list(islice(results, len(alone) + bool(joined)))
    if not given:
        return None
    found = {question: _alone(stage.answers[question], *each) for question, each in zip(alone, given, strict=False)}
    if joined:
        _, (row,) = given[-1]
        found |= zip(joined, map(read_answer, row), strict=True)
    return [found[question] for question in stage.answers]


def _alone(before: Answer, description: Sequence[Sequence[Any]], rows: Sequence[Any]) -> Answer:
    """The answer that a result of its own is. `before`: the answer of the last time."""
    if description[0][0] != ABSENT:
        return [tuple(row) for row in rows]
    return Absent(int(rows[0][0]), before.words if isinstance(before, Absent) else "there is no such table")


def of_temporary(name: TableName) -> tuple[object, ...]:
    """The question whether a table is a temporary one, as its answer is remembered."""
    return ("temporary", name)


def is_temporary(definition: Sequence[Sequence[Any]]) -> bool:
    """Whether the rows of a `definition_query` are of a temporary table."""
    return any("TEMPORARY TABLE" in str(cell)[:30] for row in definition for cell in row[1:2])


def _code(error: StatementError) -> object:
    """The server's number for an error."""
    if isinstance(error, AbsentError):
        return error.number
    given = getattr(getattr(error.__cause__, "orig", None), "args", ())
    if given and isinstance(given[0], str):  # ODBC begins with the state, and has the number in its words
        found = _NUMBER.findall(str(given[-1]))
        return int(found[-1]) if found else None
    return given[0] if given else None
