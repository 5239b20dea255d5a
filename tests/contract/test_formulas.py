"""Formulas of stages as SQL beside their values in numpy, over expressions that begin with a sign or without one."""

from __future__ import annotations

import math

import duckdb
import numpy as np
import pytest

from sqlrp._core.errors import ParameterError, UnsupportedError
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.symbols import Symbol, texts_and_symbols
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering.formula_sql import written
from sqlrp._stages.formulas import FUNCTIONS, Formula, X, at_least, at_most, cos, exp, floor, odd, sqrt, within

EVERY = {
    "plus": X + 1.5,
    "power": X**3,
    "abs": abs(X),
    "sqrt": sqrt(abs(X)),
    "exp": exp(X),
    "cos": cos(X),
    "floor": floor(X),
    "within": within(X, 2.0),
    "odd": odd(sqrt(X)),
    "times": 0.25 * X,
    "over": X / (X * X + 1.0),
    "under": 2.0 / (X * X + 1.0),
    "at_least": at_least(X, X * 0.25),
    "at_most": at_most(X, -1.5),
}
COMPOSED = {
    "soft threshold": (odd(at_least(X - 1.0, 0.0)), [-3.0, -1.25, 0.0, 0.0, 0.0, 2.0, 8.0]),
    "leaky rectifier": (at_least(X, 0.5 * X), [-2.0, -1.125, -0.25, 0.0, 0.75, 3.0, 9.0]),
    "clip": (at_most(at_least(X, -1.0), 2.0), [-1.0, -1.0, -0.5, 0.0, 0.75, 2.0, 2.0]),
    "negative": (1.0 - -X, [-3.0, -1.25, 0.5, 1.0, 1.75, 4.0, 10.0]),
    "logistic": (
        -1.0 + 3.0 / (1 + exp(-X)),
        [-1 + 3 / (1 + math.exp(-x)) for x in (-4, -2.25, -0.5, 0, 0.75, 3, 9)],
    ),
    "signed square": (X * abs(X), [-16.0, -5.0625, -0.25, 0.0, 0.5625, 9.0, 81.0]),
}
NUMBERS = np.array([-4.0, -2.25, -0.5, 0.0, 0.75, 3.0, 9.0])


def test_every_function_is_tried() -> None:
    assert set(EVERY) == set(FUNCTIONS)


@pytest.mark.parametrize(("expression", "sign"), [("x", 1), ("-x", -1), ("-(x)", -1)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_text_has_the_values_of_the_formula(name: str, expression: str, sign: int) -> None:
    formula: Formula = EVERY[name]
    text = written(formula, ENGINES["duckdb"], expression, DOUBLE)
    numbers = ", ".join(f"({x}::DOUBLE)" for x in NUMBERS.tolist())
    rows = duckdb.sql(f"SELECT {text} FROM (VALUES {numbers}) t(x)").fetchall()
    assert "--" not in text  # it would begin a comment
    np.testing.assert_allclose([row[0] for row in rows], formula.at(sign * NUMBERS), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("name", COMPOSED)
def test_formulas_of_several_functions(name: str) -> None:
    formula, want = COMPOSED[name]
    assert formula.at(NUMBERS).tolist() == want
    text = written(formula, ENGINES["duckdb"], "x", DOUBLE)
    assert [duckdb.execute(f"SELECT {text} FROM (SELECT ?::DOUBLE AS x)", [x]).fetchone() for x in NUMBERS] == [
        (value,) for value in want
    ]


def test_a_parameter_of_a_formula_is_a_part_of_its_text() -> None:
    of = Symbol("name", ("slope",), float)
    parts = texts_and_symbols(lambda: written(at_least(X, of * X), ENGINES["duckdb"], "@", DOUBLE))
    assert parts == ("CASE WHEN @<(@*", of, ") THEN (@*", of, ") ELSE @ END")


@pytest.mark.parametrize("degree", [-1, 0, 0.5, 1.5])
def test_a_degree_that_is_no_whole_number_from_1_is_refused(degree: float) -> None:
    """As a power is a product, it would be another number."""
    with pytest.raises(ParameterError, match=rf"^degree = {degree} must be a whole number >= 1: take sqrt .* / for "):
        X**degree  # type: ignore[operator]


def test_a_degree_that_is_a_parameter_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="degree is no parameter of a function"):
        written(X ** Symbol("name", ("degree",)), ENGINES["duckdb"], "@", DOUBLE)
