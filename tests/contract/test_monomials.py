"""The explicit polynomial features: monomials by their numbers, their weights, and those too many to write."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pytest
from cases import DRAWN, MANY, UNWRITTEN, D, X
from evaluate import evaluate
from formulas import by_formula
from helpers import LAYOUTS, assert_one_line, load

import sqlrp
from sqlrp._core import monomials
from sqlrp._evaluator import Entries, program, run, sum_operations
from sqlrp._projections import explicit
from sqlrp._stages import monomial_sums
from sqlrp.stages import GivenProducts, MonomialSums, SignedSums

Connection = duckdb.DuckDBPyConnection


def test_monomials_are_found_by_their_numbers() -> None:
    """In the order of itertools; and drawn ones are as near to the kernel as 1/√k of the rows' lengths allows."""
    for d, degree in ((5, 3), (6, 2), (4, 1), (1, 4), (3, 5)):
        every = list(itertools.combinations_with_replacement(range(d), degree))
        assert monomials.monomials(np.arange(len(every)), d, degree).tolist() == list(map(list, every))
        counts = [math.factorial(degree) // math.prod(math.factorial(m.count(j)) for j in set(m)) for m in every]
        assert np.allclose(monomials.ways(np.array(every)), counts)
    x = np.random.default_rng(0).normal(size=(12, 617))  # as many features as ISOLET has
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    found = []
    for seed in range(4):
        method = sqlrp.ExplicitPolynomialProjection(k=500, seed=seed)
        assert (method.n_monomials(617), method.n_drawn(617)) == (190_653, 437)
        z = evaluate(method.stages(617), x, np.arange(617)) * method.factor(617)
        found.append(z @ z.T)
    assert np.abs(np.mean(found, axis=0) - (x @ x.T) ** 2).max() < 4 / math.sqrt(4 * 500)


def assert_formula(
    con: Connection, method: sqlrp.ExplicitPolynomialProjection, x: Any, factor: float, lowerings: tuple[str, ...]
) -> None:
    """Every layout by the lowerings, and a call by the saved name, give the formula."""
    want = np.array([[float(z) for z in by_formula(method, list(map(Fraction, row)))] for row in x.tolist()])
    want *= math.sqrt(factor)
    assert np.abs(want).max() > 1
    for layout, lowering in itertools.product(LAYOUTS, lowerings):
        if (layout, lowering) != ("long", "inline"):
            source = load(con, layout, x.tolist(), table=layout)
            found = sqlrp.project(method, source, con, output="array", lowering=lowering).sort_by("id").to_pydict()["z"]
            np.testing.assert_allclose(found, want, rtol=1e-9, atol=1e-9)
    sqlrp.install(con)
    sqlrp.save(method, con, "drawn", source="wide", replace=True)
    kept = con.execute("SELECT z FROM project_with('drawn', 'wide', output := 'array') ORDER BY id").fetchall()
    np.testing.assert_allclose([z for (z,) in kept], want, rtol=1e-9, atol=1e-9)


def test_many_monomials_are_their_formula(con: Connection) -> None:
    assert_formula(con, DRAWN, MANY, 20_475 / 16, ("inline", "relational", "native"))


@pytest.mark.slow
def test_weights_of_many_monomials_are_their_formula(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """As expressions, 495 monomials that count as many: DuckDB takes half a minute for the text of 20,475."""
    assert_formula(con, UNWRITTEN, MANY[:2], 1 / 3, ("relational", "native"))
    monkeypatch.setattr(explicit, "MOST_MONOMIALS", 494)
    few = MANY[:, :D]
    assert isinstance(UNWRITTEN.stages(D)[0], MonomialSums)
    assert_formula(con, UNWRITTEN, few, 1 / 3, ("inline", "relational", "native"))


def test_monomials_that_are_too_many_to_write_are_summed_part_by_part(
    con: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the signs that each monomial's number gives; no value is lost where 0 meets infinity."""
    monkeypatch.setattr(explicit, "MOST_TERMS", 0)
    monkeypatch.setattr(sum_operations, "_PART", 5_000)
    method = sqlrp.ExplicitPolynomialProjection(k=3, degree=4, s=3, seed=2)
    n, numbers = method.n_monomials(25), np.arange(25)
    signed = explicit.all_monomials(n, 25, 4), SignedSums(3, 3, seed=2)
    want = evaluate(signed, MANY, numbers)
    assert np.allclose(program_of(method, MANY), want, rtol=1e-9, atol=1e-9)
    great = MANY.copy()
    great[1, 4], great[2] = math.inf, 0
    found, want = program_of(method, great), evaluate(signed, great, numbers)
    assert not np.isfinite(want[1]).all()
    np.testing.assert_allclose(found, want, rtol=1e-9, atol=1e-9)
    # A database is told so many terms, or refuses; rows that Python evaluates do not need them.
    monkeypatch.setattr(monomial_sums, "MOST_WRITTEN", 1_000)
    source = load(con, "wide", MANY.tolist(), table="wide")
    with pytest.raises(sqlrp.LimitError) as caught:
        sqlrp.project(method, source, con, lowering="relational")
    assert_one_line(caught, "20,475 monomials for each of k = 3 components", "lower k")
    found = np.array(sqlrp.project(method, source, con, output="array").sort_by("id")["z"].to_pylist())
    assert np.allclose(found, evaluate(signed, MANY, numbers), rtol=1e-9, atol=1e-9)


def program_of(method: sqlrp.Projection, x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The rows by the evaluator, without the factor."""
    stages = method.stages(x.shape[1])
    made = program(stages, np.arange(x.shape[1]), [np.float64] * (len(stages) + 1))
    return run(made, Entries(np.ascontiguousarray(x.T)), by_rows=True)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (sqlrp.ExplicitPolynomialProjection(degree=12), "9 features"),
        (
            sqlrp.ExplicitPolynomialProjection(k=1000, degree=6, s=1),
            "869,107,785 monomials for each of k = 1,000 components are more than 100,000,000,000 weights",
        ),
    ],
)
def test_too_many_monomials_are_refused(method: sqlrp.ExplicitPolynomialProjection, words: str) -> None:
    with pytest.raises(sqlrp.LimitError) as caught:
        method.stages(90)
    assert_one_line(caught, words.replace("9 features", "90 features"), "use PolynomialKernelProjection")


def test_explicit_monomials_are_the_feature_space() -> None:
    method = sqlrp.ExplicitPolynomialProjection(k=2, degree=3, s=1)
    phi = evaluate(method.stages(D)[:1], X, np.arange(D))
    assert phi.shape[1] == math.comb(D + 2, 3)
    assert np.allclose(phi @ phi.T, (X @ X.T) ** 3)


@pytest.mark.parametrize(("d", "degree"), [(1, 1), (9, 2), (5, 5), (2, 18), (3, 19), (3, 60)])
def test_weights_of_monomials_are_the_roots_of_whole_numbers(d: int, degree: int) -> None:
    # Coefficients of high degrees have more digits than a float, or than 64 bits.
    written = sqlrp.ExplicitPolynomialProjection(k=2, degree=degree).stages(d)[0]
    assert isinstance(written, GivenProducts)
    chosen = list(itertools.combinations_with_replacement(range(d), degree))
    assert written.factors.tolist() == [list(monomial) for monomial in chosen]
    runs = [math.prod(math.factorial(monomial.count(f)) for f in set(monomial)) for monomial in chosen]
    assert written.weights.tolist() == [math.sqrt(math.factorial(degree) // run) for run in runs]
