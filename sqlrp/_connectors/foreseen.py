"""Connections whose questions are foreseen: those of a call are asked at once, as `foresight` says."""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import takewhile
from typing import Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from sqlrp._connectors.connector import Connector
from sqlrp._connectors.foresight import Absent, Answer, Foresight, Question, QuestionStage, Rows, Unforeseen
from sqlrp._core.errors import StatementError, UnreachableError
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column

_Answer = TypeVar("_Answer")
_ANSWERS: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()
"""What the catalogue has answered within the session of a connection. A statement that may change it forgets that."""
_FORESEEN: WeakKeyDictionary[Any, Foresight] = WeakKeyDictionary()
"""What a session within a public call is expected to ask."""
_NOT_IN_TURN: WeakSet[Any] = WeakSet()
"""The pools of servers that have failed to ask one thing on the condition of another."""
_IN_XML = re.compile("<x>([0-9a-f]*)</x>")


def read_answer(answer: Any) -> Rows:
    """The rows of one answer."""
    return [tuple(row) for row in json.loads(answer or "[]")]


def _parted(text: str, stages: Sequence[QuestionStage]) -> list[list[Rows]]:
    """The answers of the stages that were asked, which are the first ones."""
    found: list[list[Rows]] = []
    while text:
        values = json.loads(text)
        count = len(stages[len(found)].answers)
        found.append([read_answer(answer) for answer in values[:count]])
        coded = _IN_XML.search(values[count] or "") if len(values) > count else None
        text = bytes.fromhex(coded[1]).decode() if coded else ""
    return found


class AbsentError(StatementError):
    """There is no such table, as a foreseen answer says."""

    def __init__(self, sql: str, answer: Absent) -> None:
        super().__init__(sql, answer.words)
        self.number = answer.number


class ForesightConnector(Connector):
    """Connections of which each session asks at once what the same call asked the last time."""

    compares_answers: ClassVar[bool] = True
    """whether a stage may be asked on the condition that those before it are answered as the last time"""

    @contextmanager
    def foreseeing(self, connection: Any, foresight: Foresight | None) -> Iterator[None]:
        """A session of a connection."""
        _ANSWERS[connection] = {}
        if foresight is not None:
            _FORESEEN[connection] = foresight
        try:
            yield
            if foresight is not None:
                foresight.keep(self.compares_answers)
        finally:
            _ANSWERS.pop(connection, None)
            _FORESEEN.pop(connection, None)

    def not_foreseen(self, connection: Any) -> None:
        """Note that a statement is run, on whose answer the next stage may depend."""
        if connection in _FORESEEN:
            _FORESEEN[connection].alone = True

    def within(self, connection: Any) -> bool:
        """Whether it is the connection of a session that has not ended."""
        try:
            return connection in _ANSWERS
        except TypeError:  # it has no weak references
            return False

    @abstractmethod
    def pool_of(self, connection: Any) -> Any:
        """What all connections of the same database share, by which their questions are kept."""

    @abstractmethod
    def fresh(self, connection: Any, sql: str) -> Rows:
        """The rows of a query, now: for one that does something, such as to take a lock or to set a value."""

    @abstractmethod
    def told(self, connection: Any, sql: str) -> tuple[list[Any], Rows]:
        """The driver's kinds of the columns of a query, and its rows."""

    def remembered(self, connection: Any, question: tuple[Any, ...], ask: Callable[[], _Answer]) -> _Answer:
        """The answer of the catalogue: within a session it is asked once, until a statement may change it."""
        if not self.within(connection):
            return ask()
        answers = _ANSWERS[connection]
        if question not in answers:
            answers[question] = ask()
        answer: _Answer = answers[question]
        return answer

    def knows(self, connection: Any, question: tuple[Any, ...]) -> bool:
        """Whether an answer is remembered."""
        return self.within(connection) and question in _ANSWERS[connection]

    def noted(self, connection: Any, question: tuple[Any, ...], answer: _Answer) -> _Answer:
        """The answer, which is remembered from now on."""
        if self.within(connection):
            _ANSWERS[connection][question] = answer
        return answer

    def forget(self, connection: Any) -> None:
        """Ask the catalogue again, and foresee no more of its answers."""
        if self.within(connection):
            _ANSWERS[connection].clear()
            if connection in _FORESEEN:
                _FORESEEN[connection].end()

    @contextmanager
    def keeping_answers(self, connection: Any) -> Iterator[None]:
        """Remember what is remembered, for a statement that does not change it."""
        answers = dict(_ANSWERS[connection]) if self.within(connection) else {}
        yield
        if answers:
            _ANSWERS[connection].update(answers)

    def foresee(self, connection: Any) -> None:
        """Ask at once what the same call asked from here on the last time.

        Raises Unforeseen if that fails in a transaction of sqlrp's, which ends by it.
        """
        foresight = _FORESEEN.get(connection)
        if foresight is not None:
            self._ask_ahead(connection, foresight, foresight.stages())

    def _ask_ahead(self, connection: Any, foresight: Foresight, coming: Sequence[QuestionStage]) -> None:
        """Ask the questions of the stages that come, as far as this can be done at once."""
        stages = list(coming[:1])
        if self.pool_of(connection) not in _NOT_IN_TURN:
            stages += takewhile(partial(self.in_turn, connection), coming[1:])
        asking = [stage for stage in stages if stage.answers]
        if sum(len(stage.answers) for stage in asking) < 2:
            return
        try:
            with nullcontext() if foresight.own else self.attempting(connection):
                found = self.answers_of(connection, asking)
        except UnreachableError:
            raise
        except StatementError as error:
            foresight.drop()
            if len(asking) > 1:  # a relative of the engine may lack what it takes
                _NOT_IN_TURN.add(self.pool_of(connection))
            if foresight.own and not foresight.call.wrote:
                raise Unforeseen from error
            if self.undoes(error):
                raise
            return
        except ValueError:  # MariaDB cuts a long text
            foresight.drop()
            return
        for stage, answers in zip(asking, found, strict=False):
            given = zip(stage.answers, answers, strict=True)
            foresight.answers.update((question, answer) for question, answer in given if answer is not None)
        whole = len(found) == len(asking)
        foresight.asked_ahead(len(stages) if whole else stages.index(asking[len(found)]))

    def undoes(self, error: StatementError) -> bool:
        """Whether the engine has undone the transaction because of the error."""
        return False

    def takes_blocks(self, connection: Any) -> bool:
        """Whether the server and the driver run several queries as one statement, each with a result of its own."""
        return False

    def stands_alone(self, sql: str, kinds: Sequence[object]) -> bool:
        """Whether a question can be one of a block. `kinds`: the driver's codes of its columns."""
        return False

    def answers_of(self, connection: Any, stages: Sequence[QuestionStage]) -> Sequence[Sequence[Answer | None]]:
        """The answers of the first stage, and of each later one whose condition was met. One may be missing."""
        row = self.fresh(connection, self._at_once(stages))[0]
        return _parted(str(row[0]), stages) if len(stages) > 1 else [list(map(read_answer, row))]

    def in_turn(self, connection: Any, stage: QuestionStage) -> bool:
        """Whether a stage can be asked if another one is answered as before: a query within a query locks no rows."""
        lock = self.dialect.for_update
        locks = bool(lock) and any(question.text.endswith(lock) for question in stage.answers)
        return self.dialect.asks_in_turn and not locks

    def _at_once(self, stages: Sequence[QuestionStage]) -> str:
        """The query of all stages: of each after the first, if the one before is answered as it was."""
        text = ""
        for stage in reversed(stages):
            questions = [(question.text, question.columns) for question in stage.answers]
            if len(stages) == 1:
                return self.dialect.at_once(questions)
            answered = json.dumps(list(stage.answers.values()), ensure_ascii=False)
            text = self.dialect.in_turn(questions, answered, text)
        return text

    def describe(self, connection: Any, name: TableName) -> list[Column]:
        """The columns of a table or view, in table order; empty if there is no such table."""

        def ask() -> list[Column]:
            return super(ForesightConnector, self).describe(connection, name)

        return list(self.remembered(connection, ("columns", name), ask))

    def count(self, connection: Any, name: TableName) -> int | None:
        """The approximate number of rows of a table; None if counting needs a scan."""

        def asked() -> int | None:
            return super(ForesightConnector, self).count(connection, name)

        return self.remembered(connection, ("count", name), asked)

    def listed(self, connection: Any, name: TableName) -> list[Column]:
        """The columns as they are listed now: others may have replaced the table within the session."""
        if self.within(connection):
            _ANSWERS[connection].pop(("columns", name), None)
        return super().listed(connection, name)

    def rows(self, connection: Any, sql: str, reads: TableName | None = None) -> Rows:
        """The rows of a query about the database, which changes nothing. Raises StatementError.

        `reads`: the table without which the query fails, where an error would break a transaction.
        """
        foresight = _FORESEEN.get(connection) if self.within(connection) else None
        if foresight is None:
            return self.fresh(connection, sql)
        answer = foresight.answered(sql)
        if answer is None:
            self._ask_ahead(connection, foresight, foresight.stages_of(sql))
            answer = foresight.answered(sql)
        if isinstance(answer, Absent):
            raise AbsentError(sql, answer)
        return self._noted(connection, foresight, sql, reads) if answer is None else answer

    def _noted(self, connection: Any, foresight: Foresight, sql: str, reads: TableName | None) -> Rows:
        """The rows of a query that was not foreseen. The next call of the kind asks it with others."""
        alone = foresight.alone
        try:
            kinds, found = self.told(connection, sql)
        except StatementError as error:
            number = self.absent(error)
            if foresight.resumes and number:
                foresight.note(Question(sql, 0, joined=False), Absent(number, error.words))
                foresight.alone = alone
            raise
        joined = self.joins(sql, kinds, found, reads)
        if joined or (foresight.resumes and self.stands_alone(sql, kinds)):
            foresight.note(Question(sql, len(kinds), joined, reads), found)
            foresight.alone = alone
        return found

    def expect(self, connection: Any, sql: str, columns: int, reads: TableName | None = None) -> None:
        """Note it as a question without an answer."""
        foresight = _FORESEEN.get(connection) if self.within(connection) else None
        joined = self.joins(sql, (), [], reads)
        if foresight is not None and (joined or foresight.resumes):
            foresight.note(Question(sql, columns, joined, reads), [])

    def joins(self, sql: str, kinds: Sequence[object], rows: Rows, reads: TableName | None) -> bool:
        """Whether a question can be a part of another query. See `Dialect.joinable` and `rows`."""
        return self.dialect.joinable(sql, kinds, rows)

    def absent(self, error: StatementError) -> int:
        """The engine's number of an error that says that there is no such table; 0 for another one."""
        return 0

    def cells(self, connection: Any, sql: str) -> Rows:
        """The rows: drivers read a text, or fail."""
        return self.rows(connection, sql)
