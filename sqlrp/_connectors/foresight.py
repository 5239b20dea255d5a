"""One round trip for what a call asks: where the same call asked it one by one before, it is now asked at once.

Only the questions are those of the last time; the answers are of now. An answer is taken once: who asks again asks the
database. A statement that may change the answers drops those that are left. What was not foreseen is asked alone.

A session asks in stages, as some questions are safe only once others are answered: the rows of a catalogue are not read
before its rights are known. An engine that can run a query on a condition asks several stages in one statement: it
reads those of the next stage only if the answers of this one are those of the last time, which were found good then.

On an engine that goes on after an error, a statement that writes begins a new stage, which is asked after it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import field, replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from sqlrp._connectors.ibis_objects import handed_in
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Absent:
    """The answer that there is no such table: the number of the engine's error, and its words."""

    number: int
    words: str


Answer = Rows | Absent
_HELD = 256  # calls whose questions are kept for a database


class Unforeseen(Exception):  # noqa: N818  # no error of a caller's: it means that the call begins again
    """The questions of the last time cannot be asked at once any more, and asking them has ended the transaction."""


@dataclass(frozen=True)
class Question:
    """A query about the database, and the number of its columns."""

    text: str
    columns: int
    joined: bool = True
    """whether it can be a part of another query, with its answer as JSON"""
    reads: TableName | None = None
    """the table without which it fails, if it is about one"""


@dataclass
class QuestionStage:
    """What a session asked before it went on to what depends on the answers."""

    answers: dict[Question, Answer] = field(default_factory=dict)
    """the questions in their order, and what they were answered"""
    alone: bool = False
    """whether another statement was run in it, so that the next stage may depend on more than these answers"""
    written: bool = False
    """whether it begins with a statement that writes, so that it is not asked before"""


@dataclass
class _PublicCall:
    """A call of a public function."""

    name: tuple[str, ...]
    """the function, and the tables and names that it was given"""
    sessions: int = 0
    """how many sessions it has begun"""
    wrote: bool = False
    """whether it has run a statement that is no query: it cannot begin again then"""
    known: dict[Any, Any] = field(default_factory=dict)
    """what it asks once"""


_CALL: ContextVar[_PublicCall | None] = ContextVar("sqlrp_call", default=None)
_Held = OrderedDict[tuple[Any, ...], list[QuestionStage]]
_QUESTIONS: WeakKeyDictionary[Any, _Held] = WeakKeyDictionary()
"""By the pool of connections: what a session of a call asked the last time, by stages."""
_TURN = threading.Lock()


def foreseen(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """A public function whose questions are foreseen, but for a call within another one. It takes ibis's objects."""

    @wraps(function)
    def called(*given_args: Parameters.args, **given_kwargs: Parameters.kwargs) -> Result:
        args, kwargs = handed_in(given_args, given_kwargs)
        given = [*args, *kwargs.values()]
        if _CALL.get() is not None or any(isinstance(value, Iterator) for value in given):
            return function(*args, **kwargs)
        named = (getattr(value, "table", value) for value in given)
        call = _PublicCall((function.__name__, *(name for name in named if isinstance(name, str))))
        token = _CALL.set(call)
        try:
            with suppress(Unforeseen):
                return function(*args, **kwargs)
            # Nothing was written, and what cannot be foreseen is forgotten.
            call.sessions = 0
            return function(*args, **kwargs)
        finally:
            _CALL.reset(token)

    return called


def once(what: Any, ask: Callable[[], Result]) -> Result:
    """The answer to a question that a public call asks once, until `again`."""
    call = _CALL.get()
    if call is None:
        return ask()
    if what not in call.known:
        call.known[what] = ask()
    answer: Result = call.known[what]
    return answer


def again(what: Any) -> None:
    """Ask a question again."""
    call = _CALL.get()
    if call is not None:
        call.known.pop(what, None)


@dataclass
class Foresight:
    """What a session is expected to ask, what is answered already, and what it does ask."""

    pool: Any
    call: _PublicCall
    key: tuple[Any, ...]
    own: bool
    """whether an error may end the transaction, as it is of sqlrp's own"""
    resumes: bool
    """whether a statement that writes begins a new stage: an error of a question leaves what was written"""
    expected: Sequence[QuestionStage]
    answers: dict[Question, Answer] = field(default_factory=dict)
    asked: list[QuestionStage] = field(default_factory=list)
    ahead: int = 0
    """the number of the first stages that have been asked"""
    ended: bool = False
    """whether a statement was run that may change answers, and nothing is foreseen after it"""

    @staticmethod
    def of(pool: Any, own: bool, resumes: bool) -> Foresight | None:
        """That of the next session of the call; None outside one."""
        call = _CALL.get()
        if call is None:
            return None
        key = (call.name, call.sessions)
        call.sessions += 1
        with _TURN:
            expected = [] if call.wrote and not resumes else _QUESTIONS.get(pool, _Held()).get(key, [])
            return Foresight(pool, call, key, own, resumes, expected)

    def stages(self) -> list[QuestionStage]:
        """Begin the next stage. What it is expected to ask, and those after it that depend on these answers alone."""
        self.asked.append(QuestionStage())
        return self._coming()

    def stages_of(self, text: str) -> list[QuestionStage]:
        """The same of a stage that begins with a statement that writes, if this is its first question."""
        if not (self.asked and self.asked[-1].written and not self.asked[-1].answers):
            return []
        found = self._coming()
        return found if found and next(iter(found[0].answers), Question("", 0)).text == text else []

    def _coming(self) -> list[QuestionStage]:
        found: list[QuestionStage] = []
        if not self.ended and len(self.asked) > self.ahead:
            for stage in self.expected[len(self.asked) - 1 :]:
                if found and stage.written:
                    break
                found.append(stage)
                if stage.alone:
                    break
        return found

    def answered(self, text: str) -> Answer | None:
        """The answer, which is given once; None if there is none."""
        question = next((question for question in self.answers if question.text == text), None)
        if question is None:
            return None
        answer = self.answers.pop(question)
        self.note(question, answer)
        return answer

    def note(self, question: Question, answer: Answer) -> None:
        """Note a question, which the next session of the kind asks at once. One that is asked again is fresh."""
        if self.ended or not self.asked:
            return
        for stage in reversed(self.asked):
            if question in stage.answers:
                return
            if stage.written:
                break
        self.asked[-1].answers[question] = answer

    @property
    def alone(self) -> bool:
        """Whether this stage has run a statement that is no question."""
        return bool(self.asked) and self.asked[-1].alone

    @alone.setter
    def alone(self, value: bool) -> None:
        if self.asked:
            self.asked[-1].alone = value

    def asked_ahead(self, count: int) -> None:
        """Note that this stage, and so many with it, have their answers. The statement of these is no other one."""
        self.ahead = len(self.asked) - 1 + count
        self.alone = False

    def end(self) -> None:
        """Forget the answers, as a statement may change them, and foresee nothing more or begin a new stage."""
        self.call.wrote = True
        self.answers.clear()
        if self.resumes and not self.ended:
            if not (self.asked and self.asked[-1].written and not self.asked[-1].answers):  # of several, the last
                self.asked.append(QuestionStage(written=True))
            self.ahead = len(self.asked) - 1
        else:
            self.ended = True

    def keep(self, answers: bool = True) -> None:
        """Expect of the next session what this one asked. `answers`: and keep what it was answered, to compare it."""
        if not answers:
            self.asked = [replace(stage, answers={question: [] for question in stage.answers}) for stage in self.asked]
        with _TURN:
            kept = _QUESTIONS.setdefault(self.pool, _Held())
            kept[self.key] = self.asked
            kept.move_to_end(self.key)
            while len(kept) > _HELD:
                kept.popitem(last=False)

    def drop(self) -> None:
        """Expect nothing of this session, nor of the next one."""
        self.ended = True
        self.answers.clear()
        with _TURN:
            _QUESTIONS.get(self.pool, _Held()).pop(self.key, None)


__all__ = [
    "Absent",
    "Answer",
    "Foresight",
    "Question",
    "QuestionStage",
    "Rows",
    "Unforeseen",
    "again",
    "foreseen",
    "once",
]
