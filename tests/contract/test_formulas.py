"""Formulas of stages as SQL beside their values in numpy, over expressions that begin with a sign or without one."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

from sqlrp._core.numbers import DOUBLE
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering.formula_sql import written
from sqlrp._stages.formulas import FUNCTIONS, Formula, X, cos, exp, floor, odd, sqrt, within

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
