"""Parameters far out of bounds: an error at once, or a projection that works, and never much memory."""

from __future__ import annotations

import math
import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from databases import DOUBLES, database
from helpers import assert_one_line

import sqlrp
from sqlrp import LimitError, ParameterError, SourceError, UnsupportedError
from sqlrp._projections import FUNCTIONS, REGISTRY, Projection, from_json
from sqlrp._projections.projection import SIZES

EXTREMES: list[Any] = [
    *(10_000, 10**9, 2**31 - 2, 2**31, 2**53, 10**400, 10**5000, np.int64(10**9)),
    *(0, -1, -(10**9), -(10**400), 0.0, -0.0, 0.5, 1.5, 1e-320, -1e300, 1e300, 1e308),
    *(math.nan, math.inf, -math.inf, np.float32("nan"), np.float64("inf")),
    *(None, True, "", "x", "1", b"1", [], (1,), {}, np.arange(3), object()),
]
FRAME = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 3)), columns=list("abc"))
ROOM = 3 << 30
"""The bytes that a case may take besides those that this process has."""


@contextmanager
def bounded() -> Iterator[None]:
    """Let an allocation fail that takes more memory than `ROOM`."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def tried(method: type[Projection], values: dict[str, Any]) -> None:
    """Make the projection, fit it if it learns, project a row and pass it through JSON; or an error of one line."""
    said = ""
    try:
        made = method(**values)
        assert from_json(made.to_json()) == made
        if made.learns:
            made = sqlrp.fit(made, FRAME, progress=lambda done, loss: True)
        elif made.needs_state:
            return
        sqlrp.project_vector(made, [1.0, 2.0, 4.0])
        assert made.kernel() is not None
        said = made.caution(3)
    except (ParameterError, LimitError, SourceError, UnsupportedError) as error:
        said = str(error)
    assert len(said.splitlines()) <= 1
    assert len(said) < 400, said


PARAMETERS = [
    (method, own.name) for method in REGISTRY for own in fields(method) if own.name not in ("bound_to", "state")
]


@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
@pytest.mark.parametrize(("method", "name"), PARAMETERS, ids=lambda value: getattr(value, "__name__", value))
def test_a_parameter_far_out_of_bounds(method: type[Projection], name: str) -> None:
    with bounded():
        for value in EXTREMES:
            tried(method, {name: value})


@pytest.mark.parametrize("method", REGISTRY, ids=lambda method: method.__name__)
def test_two_parameters_that_are_large_together(method: type[Projection]) -> None:
    names = [name for cls, name in PARAMETERS if cls is method]
    with bounded():
        for pair in combinations(names, 2):
            for value in (100, 10**4, 10**9):
                tried(method, dict.fromkeys(pair, value))


@pytest.mark.parametrize(
    ("method", "values"),
    [
        (sqlrp.SparseProjection, {"k": 10**9}),
        (sqlrp.PolynomialKernelProjection, {"t": 10**9}),
        (sqlrp.PolynomialKernelProjection, {"k": 2**13, "t": 2**12}),
        (sqlrp.Degree2KernelProjection, {"m": 10**9}),
        (sqlrp.SparseEmbedding, {"k": 10**9}),
    ],
)
def test_what_takes_too_much_memory_is_refused_when_it_is_made(
    method: type[Projection], values: dict[str, int]
) -> None:
    with bounded(), pytest.raises(LimitError, match="at most 16,777,216: lower k") as caught:
        method(**values)
    assert_one_line(caught)


@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_functions_refuse_what_python_refuses(
    name: str, databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each parameter of each function alone, and the first two together, in the words of the constructor."""
    db = database(databases, name, tmp_path_factory)
    db.make("few", [("id", "INTEGER"), ("a", DOUBLES[name]), ("b", DOUBLES[name])], [[1, 1.5, 2.5]])
    sqlrp.install(db.connection)
    met = 0
    for function, method in FUNCTIONS.items():
        names = [own.name for own in fields(method) if own.name in SIZES]
        for values in [{n: 10**9} for n in names] + [dict.fromkeys(names[:2], 8192), dict.fromkeys(names, 10**9)]:
            try:
                method(**values)
                continue
            except LimitError as error:
                words = str(error)
            except ParameterError:
                continue
            given = ", ".join(f"{n} {':=' if name == 'duckdb' else '=>'} {value}" for n, value in values.items())
            with bounded(), pytest.raises(Exception, match=re.escape(words)):
                db.run_query(f"SELECT * FROM {function}('few', {given})")
            met += 1
    assert met > 20


def test_a_degree_whose_powers_no_float_holds() -> None:
    assert len(sqlrp.ExplicitPolynomialProjection(k=2, degree=1000).stages(2)) == 2
    with pytest.raises(LimitError, match="degree = 1000000 must be at most 1000: lower degree"):
        sqlrp.PolynomialKernelProjection(degree=10**6)
    large = sqlrp.PolynomialKernelProjection(degree=100, s=1e300)
    with pytest.raises(LimitError, match="too large for a float: lower degree") as caught:
        sqlrp.project_vector(large, [1.0, 2.0, 4.0])
    assert_one_line(caught)


@pytest.mark.parametrize("method", ["SparseProjection", "GaussianProjection", "SparseEmbedding", "RandomMaclaurin"])
def test_a_table_that_takes_too_much_memory_is_refused_when_it_is_drawn(method: str) -> None:
    many = getattr(sqlrp, method)(k=2**22)
    with bounded(), pytest.raises(LimitError, match="more than 2,147,483,648: lower k") as caught:
        sqlrp.project_vector(many, np.ones(2000))
    assert_one_line(caught)
