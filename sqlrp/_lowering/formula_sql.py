"""Formulas of stages as SQL, in the phrases of a dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlrp._core.errors import UnsupportedError
from sqlrp._core.numbers import Number
from sqlrp._core.symbols import Symbol
from sqlrp._dialects.dialect import Dialect
from sqlrp._stages.formulas import Formula


def written(formula: Formula, dialect: Dialect, x: str, kind: Number) -> str:
    """The formula over the expression `x`, whose numbers are of the type `kind`. It may read x more than once."""
    return x if formula.of is None else _WRITTEN[formula.function](formula.of, formula.value, dialect, x, kind)


def _value(value: Any, dialect: Dialect, x: str, kind: Number) -> str:
    """The other number of a formula. A symbol becomes a mark: the functions in databases have a parameter there."""
    if isinstance(value, Formula):
        return written(value, dialect, x, kind)
    return f"{value}" if isinstance(value, Symbol) else dialect.literal(value, kind)


def _power(of: Formula, degree: Any, dialect: Dialect, x: str, kind: Number) -> str:
    if isinstance(degree, Symbol):
        raise UnsupportedError("a power is written out, so its degree is no parameter of a function in a database")
    return "*".join([written(of, dialect, x, kind)] * int(degree))


def _odd(of: Formula, _: Any, dialect: Dialect, x: str, kind: Number) -> str:
    opposite = x[1:] if x.startswith("-") else f"-{x}"  # two minus signs would begin a comment
    below, above = written(of, dialect, opposite, kind), written(of, dialect, x, kind)
    negative = f"-{below}" if below[0].isalpha() else f"-({below})"
    return f"CASE WHEN {x} < 0 THEN {negative} ELSE {above} END"


def _within(of: Formula, bound: Any, dialect: Dialect, x: str, kind: Number) -> str:
    value, high = written(of, dialect, x, kind), _value(bound, dialect, x, kind)
    low = f"(-{high})" if isinstance(bound, Symbol) else f"-{high}"
    # Where a comparison with NaN is false, and where NaN is the greatest number, it comes to the last branch.
    inside = f"WHEN {value}<{low} THEN {low} WHEN {value}<={high} THEN {value}"
    return f"CASE {inside} WHEN {value} IS NOT NULL THEN {high} END"


def _at_least(of: Formula, bound: Any, dialect: Dialect, x: str, kind: Number) -> str:
    value, low = written(of, dialect, x, kind), _value(bound, dialect, x, kind)
    return f"CASE WHEN {value}<{low} THEN {low} ELSE {value} END"


def _at_most(of: Formula, bound: Any, dialect: Dialect, x: str, kind: Number) -> str:
    value, high = written(of, dialect, x, kind), _value(bound, dialect, x, kind)
    return f"CASE WHEN {value}<={high} THEN {value} WHEN {value} IS NOT NULL THEN {high} END"


_Written = Callable[[Formula, Any, Dialect, str, Number], str]


def _called(phrase: Callable[[Dialect, str], str]) -> _Written:
    return lambda of, _, dialect, x, kind: phrase(dialect, written(of, dialect, x, kind))


_WRITTEN: dict[str, _Written] = {
    "plus": lambda of, c, dialect, x, kind: f"({written(of, dialect, x, kind)}+{_value(c, dialect, x, kind)})",
    "times": lambda of, c, dialect, x, kind: f"({written(of, dialect, x, kind)}*{_value(c, dialect, x, kind)})",
    "over": lambda of, c, dialect, x, kind: f"({written(of, dialect, x, kind)}/{_value(c, dialect, x, kind)})",
    "under": lambda of, c, dialect, x, kind: f"({_value(c, dialect, x, kind)}/{written(of, dialect, x, kind)})",
    "power": _power,
    "at_least": _at_least,
    "at_most": _at_most,
    "abs": _called(lambda dialect, x: dialect.absolute(x)),
    "sqrt": _called(lambda dialect, x: dialect.sqrt(x)),
    "exp": _called(lambda dialect, x: dialect.exp(x)),
    "cos": _called(lambda dialect, x: dialect.cos(x)),
    "floor": _called(lambda dialect, x: dialect.floor(x)),
    "within": _within,
    "odd": _odd,
}
"""Each function of formulas as SQL."""
