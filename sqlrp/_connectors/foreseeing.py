"""One round trip for what a call asks: where the same call asked it one by one before, it is now asked at once.

Only the questions are those of the last time; the answers are of now. An answer is taken once: who asks again asks the
database. A statement that may change the answers drops those that are left. What was not foreseen is asked alone.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

Rows = list[tuple[Any, ...]]
_HELD = 256  # calls whose questions are kept for a database


class Unforeseen(Exception):  # noqa: N818  # no error of a caller's: it means that the call begins again
    """The questions of the last time cannot be asked at once any more, and asking them has ended the transaction."""


@dataclass(frozen=True)
class Question:
    """A query about the database, and the number of its columns."""

    text: str
    columns: int


@dataclass
class _Call:
    """A call of a public function."""

    name: tuple[str, ...]
    """the function, and the tables and names that it was given"""
    sessions: int = 0
    """how many sessions it has begun"""
    wrote: bool = False
    """whether it has run a statement that is no query: it cannot begin again then"""


_CALL: ContextVar[_Call | None] = ContextVar("sqlrp_call", default=None)
_Held = OrderedDict[tuple[Any, ...], list[list[Question]]]
_QUESTIONS: WeakKeyDictionary[Any, _Held] = WeakKeyDictionary()
"""By the pool of connections: what a session of a call asked the last time, by stages."""
_TURN = threading.Lock()


def foreseen(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """A public function whose questions are foreseen, but for a call within another one."""

    @wraps(function)
    def called(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        given = [*args, *kwargs.values()]
        if _CALL.get() is not None or any(isinstance(value, Iterator) for value in given):
            return function(*args, **kwargs)
        named = (getattr(value, "table", value) for value in given)
        call = _Call((function.__name__, *(name for name in named if isinstance(name, str))))
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


@dataclass
class Foresight:
    """What a session is expected to ask, what is answered already, and what it does ask."""

    pool: Any
    call: _Call
    key: tuple[Any, ...]
    own: bool
    """whether an error may end the transaction, as it is of sqlrp's own"""
    expected: Sequence[Sequence[Question]]
    answers: dict[Question, Rows] = field(default_factory=dict)
    asked: list[list[Question]] = field(default_factory=list)
    ended: bool = False
    """whether a statement was run that may change answers"""

    @staticmethod
    def of(pool: Any, own: bool) -> Foresight | None:
        """That of the next session of the call; None outside one."""
        call = _CALL.get()
        if call is None:
            return None
        key = (call.name, call.sessions)
        call.sessions += 1
        with _TURN:
            expected = [] if call.wrote else _QUESTIONS.get(pool, _Held()).get(key, [])
            return Foresight(pool, call, key, own, expected)

    def stage(self) -> Sequence[Question]:
        """Begin the next stage: the questions that it is expected to ask."""
        self.asked.append([])
        at = len(self.asked) - 1
        return self.expected[at] if at < len(self.expected) and not self.ended else ()

    def answered(self, text: str) -> Rows | None:
        """The answer, which is given once; None if there is none."""
        question = next((question for question in self.answers if question.text == text), None)
        if question is None:
            return None
        self.note(question)
        return self.answers.pop(question)

    def note(self, question: Question) -> None:
        """Note a question, which the next session of the kind asks at once. One that is asked again is fresh."""
        if not self.ended and self.asked and not any(question in stage for stage in self.asked):
            self.asked[-1].append(question)

    def end(self) -> None:
        """Foresee nothing from here on, as a statement may change the answers."""
        self.ended = self.call.wrote = True
        self.answers.clear()

    def keep(self) -> None:
        """Expect of the next session what this one asked."""
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


__all__ = ["Foresight", "Question", "Unforeseen", "foreseen"]
