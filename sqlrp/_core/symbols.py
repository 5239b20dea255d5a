"""Symbols in place of parameters: a method's own Python, run with them, tells its checks and stages as expressions.

The functions in a database need the checks, derived values and stages of a method as SQL. `stated` runs the code of
the class with a `Symbol` for each parameter and for the number of features. Operators build expressions. Where the
code asks a condition, both answers are tried, so each refusal and each value is found with its conditions. An error
text holds its symbols as marks. `sqlrp._store.method_data` writes all this as SQL.

Python decides `is None`, `math.sqrt`, `min`, `max` and numpy by itself. A method takes `present`, `is_text`, `root`,
`least`, `greatest` and `where` from here instead, and `stated_call` marks a function that the databases have under its
name.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, fields, is_dataclass, replace
from typing import Any, ParamSpec, TypeGuard, TypeVar

from sqlrp._core.values import dataclass

T = TypeVar("T")
P = ParamSpec("P")
_MARK = re.compile("⟦([0-9]+)⟧")


class OpenCondition(BaseException):
    """The code asks a condition to which no answer is given yet."""

    def __init__(self, condition: Symbol) -> None:
        super().__init__()
        self.condition = condition


@dataclass(eq=False, frozen=True)
class Symbol:
    """An expression: an operation and what it is of. A name is the operation "name"."""

    op: str
    of: tuple[Any, ...]
    kind: type = int

    @property
    def key(self) -> Any:
        """What equal expressions share."""
        return (self.op, *(_key(part) for part in self.of))

    @property
    def late(self) -> bool:
        """Whether the value depends on the number of features."""
        if self.op == "present":
            return False
        return (self.op, self.of) == ("name", ("n",)) or any(is_late(part) for part in self.of)

    @property
    def n_outputs(self) -> Any:
        """The number of entries that a stage leaves: the first argument of the function that makes it."""
        return self.of[0]

    def __bool__(self) -> bool:
        """The answer that is given to the condition; raises Undecided if there is none."""
        asked = self if self.kind is bool else Symbol("!=", (self, 0), bool)
        if asked.key not in _Trace.now.answers:
            raise OpenCondition(asked)
        return bool(_Trace.now.answers[asked.key])

    def __iter__(self) -> Iterator[Symbol]:
        """One item, which stands for all stages of a list."""
        yield Symbol("spread", (self,))

    def __format__(self, spec: str) -> str:
        """A mark within a text."""
        _Trace.now.marks.append(Symbol("grouped", (self,), str) if spec == "," else self)
        return f"⟦{len(_Trace.now.marks) - 1}⟧"

    def __repr__(self) -> str:
        """A mark of the value as an error shows it."""
        return f"{Symbol('shown', (self,), str)}"

    __hash__ = object.__hash__


def _operation(op: str, kind: type | None = None, swapped: bool = False) -> Any:
    def made(self: Symbol, other: Any) -> Any:
        if is_dataclass(other) and not isinstance(other, Symbol):
            return NotImplemented  # a formula of an entry, which takes a symbol as a number
        of = (other, self) if swapped else (self, other)
        numbers = {part.kind if isinstance(part, Symbol) else type(part) for part in of}
        return Symbol(op, of, kind or (float if float in numbers else int))

    return made


for _name, _op in (("add", "+"), ("sub", "-"), ("mul", "*"), ("floordiv", "//"), ("mod", "%")):
    setattr(Symbol, f"__{_name}__", _operation(_op))
    setattr(Symbol, f"__r{_name}__", _operation(_op, swapped=True))
setattr(Symbol, "__truediv__", _operation("/", float))  # noqa: B010  # as the operators above
setattr(Symbol, "__rtruediv__", _operation("/", float, swapped=True))  # noqa: B010
for _name, _op in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("eq", "=="), ("ne", "!=")):
    setattr(Symbol, f"__{_name}__", _operation(_op, bool))


def is_late(value: Any) -> bool:
    """Whether a value, an expression or a stage depends on the number of features."""
    if isinstance(value, Symbol):
        return value.late
    if isinstance(value, (tuple, list)):
        return any(map(is_late, value))
    return is_dataclass(value) and any(is_late(getattr(value, f.name)) for f in fields(value))


def _key(value: Any) -> Any:
    if isinstance(value, Symbol):
        return value.key
    if isinstance(value, (tuple, list)):
        return tuple(map(_key, value))
    if is_dataclass(value):
        return (type(value), *(_key(getattr(value, f.name)) for f in fields(value)))
    return value


# -- what a method's code takes in place of Python's own --------------------------------------------------------------


def present(value: T | None) -> TypeGuard[T]:
    """Whether a value is not None."""
    return bool(Symbol("present", (value,), bool)) if isinstance(value, Symbol) else value is not None


def is_text(value: object, text: str) -> bool:
    """Whether a value is this text. A value of another type, whose == may give an array, is not."""
    return bool(value == text) if isinstance(value, (str, Symbol)) else False


def root(value: float) -> float:
    """The square root of a number."""
    found: float = _either("sqrt", math.sqrt, float)(value)
    return found


def least(one: int, other: int) -> int:
    """The smaller of two numbers."""
    found: int = _either("least", min, int)(one, other)
    return found


def greatest(one: int, other: int) -> int:
    """The larger of two numbers."""
    found: int = _either("greatest", max, int)(one, other)
    return found


def where(condition: Any, one: Any, other: Any) -> Any:
    """One of two values for each entry, as numpy's `where`."""
    import numpy as np  # here, as the command line's help imports this module and waits for no library

    return _either("where", np.where, int)(condition, one, other)


def _either(op: str, function: Callable[..., Any], kind: type) -> Callable[..., Any]:
    """The function, or its expression if an argument is one."""

    def made(*of: Any) -> Any:
        if not any(isinstance(part, Symbol) for part in of):
            return function(*of)
        kinds = {part.kind if isinstance(part, Symbol) else type(part) for part in of}
        return Symbol(op, of, float if float in kinds else kind)

    return made


def stated_call(kind: type = int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Mark a function that the databases have under its own name: with symbols it is an expression of that call."""

    def marked(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def called(*of: P.args, **named: P.kwargs) -> Any:
            given = (*of, *named.values())
            if any(isinstance(part, Symbol) or (is_dataclass(part) and _symbolic(part)) for part in given):
                return Symbol(function.__name__, given, kind)
            return function(*of, **named)

        return called

    return marked


def stated_check(function: Callable[P, None]) -> Callable[P, None]:
    """Mark a check that the databases have, as it is of a value's type: with a symbol it is only noted."""

    @functools.wraps(function)
    def checked(*of: P.args, **named: P.kwargs) -> None:
        if not any(isinstance(part, Symbol) for part in of):
            function(*of, **named)
            return
        symbol = next(part for part in of if isinstance(part, Symbol))
        found = (function.__name__.removeprefix("check_"), tuple(part for part in of if not isinstance(part, Symbol)))
        _Trace.now.checks.setdefault(symbol.of[0], found)

    return checked


def _symbolic(stage: Any) -> bool:
    return any(isinstance(getattr(stage, f.name), Symbol) for f in fields(stage))


# -- what the code says -----------------------------------------------------------------------------------------------


@dataclass
class FunctionBody:
    """What a function's code says: its refusals with their conditions, the checks of types, and its value."""

    refusals: list[tuple[tuple[Symbol, ...], tuple[Any, ...], bool]] = field(default_factory=list)
    """For each: the conditions together, the text in parts, and whether it is a limit."""
    checks: dict[str, tuple[str, tuple[Any, ...]]] = field(default_factory=dict)
    """By parameter: the check, and its other arguments."""
    value: Any = None
    """None if the code always refuses."""


@dataclass
class _Trace:
    answers: Mapping[Any, bool] = field(default_factory=dict)
    marks: list[Symbol] = field(default_factory=list)
    checks: dict[str, tuple[str, tuple[Any, ...]]] = field(default_factory=dict)

    now: Any = None


@contextmanager
def _tracing(answers: Mapping[Any, bool]) -> Iterator[_Trace]:
    before, _Trace.now = _Trace.now, _Trace(answers)
    try:
        yield _Trace.now
    finally:
        _Trace.now = before


def stated(code: Callable[[], Any], errors: type[Exception], limits: type[Exception]) -> FunctionBody:
    """What `code` says, with every answer to every condition. `errors`: its refusals; `limits`: some of them."""
    return _stated(code, errors, limits, {})


def _stated(
    code: Callable[[], Any], errors: type[Exception], limits: type[Exception], answers: Mapping[Any, bool]
) -> FunctionBody:
    with _tracing(answers) as trace:
        try:
            value = code()
        except errors as error:
            return FunctionBody([((), _parts(str(error), trace.marks), isinstance(error, limits))], trace.checks)
        except OpenCondition as undecided:
            condition = undecided.condition
        else:
            return FunctionBody([], trace.checks, value)
    yes, no = (_stated(code, errors, limits, {**answers, condition.key: answer}) for answer in (True, False))
    checks, opposite = yes.checks | no.checks, Symbol("not", (condition,), bool)
    for holds, one, other in ((condition, yes, no), (opposite, no, yes)):
        if one.value is None and len(one.refusals) == 1:  # what follows is reached only where this is not refused
            (refusal,) = one.refusals
            return FunctionBody([((holds, *refusal[0]), *refusal[1:]), *other.refusals], checks, other.value)
    common = 0
    while common < min(len(yes.refusals), len(no.refusals)) and _key(yes.refusals[~common]) == _key(
        no.refusals[~common]
    ):
        common += 1
    own = [(holds, said.refusals[: len(said.refusals) - common]) for holds, said in ((condition, yes), (opposite, no))]
    refusals = [((holds, *refusal[0]), *refusal[1:]) for holds, found in own for refusal in found]
    refusals += yes.refusals[len(yes.refusals) - common :]
    if yes.value is None or no.value is None:
        return FunctionBody(refusals, checks, no.value if yes.value is None else yes.value)
    return FunctionBody(refusals, checks, merged(condition, yes.value, no.value))


def merged(condition: Symbol, one: Any, other: Any) -> Any:
    """One value that is `one` where the condition holds, and else `other`; stages are merged field by field."""
    if _key(one) == _key(other):
        return one
    if all(isinstance(part, Symbol) and part.op == "choose" for part in (one, other)) and _key(one.of[0]) == _key(
        other.of[0]
    ):
        return merged(one.of[0], merged(condition, one.of[1], other.of[1]), merged(condition, one.of[2], other.of[2]))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return _merged_lists(condition, one, other)
    if type(one) is type(other) and is_dataclass(one) and not isinstance(one, Symbol):
        pairs = {f.name: (getattr(one, f.name), getattr(other, f.name)) for f in fields(one)}
        if not any(is_dataclass(part) and not isinstance(part, Symbol) for pair in pairs.values() for part in pair):
            return replace(one, **{name: merged(condition, *pair) for name, pair in pairs.items()})
    kinds = {part.kind if isinstance(part, Symbol) else type(part) for part in (one, other)}
    return Symbol("choose", (condition, one, other), float if float in kinds else kinds.pop())


def _merged_lists(condition: Symbol, one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(one) == len(other):
        return tuple(merged(condition, a, b) for a, b in zip(one, other, strict=True))
    head = 0
    while head < min(len(one), len(other)) and _key(one[head]) == _key(other[head]):
        head += 1
    tail = min(len(one), len(other)) - head  # what one list has more stands before the rest
    middle = Symbol("choose", (condition, one[head : len(one) - tail], other[head : len(other) - tail]), tuple)
    rest = _merged_lists(condition, one[len(one) - tail :], other[len(other) - tail :]) if tail else ()
    return (*one[:head], Symbol("spread", (middle,), tuple), *rest)


def texts_and_symbols(text: Callable[[], str]) -> tuple[Any, ...]:
    """What a function writes, as plain texts and the symbols that it formats."""
    with _tracing({}) as trace:
        return _parts(text(), trace.marks)


def _parts(text: str, marks: Sequence[Symbol]) -> tuple[Any, ...]:
    """A text with marks as plain texts and symbols."""
    found = _MARK.split(text)
    return tuple(marks[int(part)] if at % 2 else part for at, part in enumerate(found) if at % 2 or part)


__all__ = [
    "FunctionBody",
    "Symbol",
    "greatest",
    "is_late",
    "least",
    "merged",
    "present",
    "root",
    "stated",
    "stated_call",
    "texts_and_symbols",
]
