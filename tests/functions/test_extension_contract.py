"""The contract of the functions in DuckDB where the extension sqlrp is loaded: native code, and plain SQL.

The newest DuckDB runs every case of the covers. The older ones share them (`engines/test_older_duckdbs.py` asks for
those): each has every method, and every value of every other factor.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from cases import EVERY, GROUPED, TYPES, D
from contract import assert_contract, stored
from cover import COVERS, factors, pairwise
from duckdb_calls import arguments, is_native
from extensions import compiled
from helpers import LAYOUTS, OUTPUTS, Cell, cells, load
from other_duckdbs import OLDER

import sqlrp
from sqlrp._core.sources import Source
from sqlrp._engines.registry import CONNECTORS
from sqlrp._projections import FUNCTIONS

KINDS = TYPES["duckdb"]
METHODS = {name: method for name, method in EVERY.items() if name != "orthonormal"}
"""Those that a function can call: what is orthonormal needs the number of features when it is saved."""
SAVED = {name: method for name, method in METHODS.items() if FUNCTIONS.get(method.function) is not type(method)}
"""Those that project_with calls."""
NEWEST = "newest"
RUNNING = os.environ.get("SQLRP_OLDER_DUCKDB", NEWEST)
NO_SUMS_FIRST = {
    *("d2pk-modified", "subspace-householder", "subspace-strata-householder", "explicit", "explicit-gaussian"),
    *("nystroem-rbf", "nystroem-cosine", "kg-rbf", "given-radial", "ep_project"),
}
"""The methods that do not sum the features first, so that SQL alone runs their long rows."""
PRODUCTS = {name for name, method in METHODS.items() if any(stage.products for stage in method.stages(D))}
"""The methods of products."""
LARGE_OF = {False: ("decimal",), True: ("decimal", "integer")}
"""The numbers that may become too large for the kernel: of sums, and of products."""


class Loaded:
    """A database with the extension, the saved methods, and tables that are made once."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Save the methods."""
        self.connection = connection
        self.sources: dict[str, Source] = {}
        sqlrp.install(connection)
        for name, method in SAVED.items():
            sqlrp.save(method, connection, name)

    def source(self, layout: str, kind: str, holes: bool) -> Source:
        """The rows of the contract."""
        name = f"{layout}_{kind}_{holes}"
        if name not in self.sources:
            rows = stored("integer" if kind == "bigint" else kind, holes)
            self.sources[name] = load(self.connection, layout, rows, (KINDS | {"bigint": "BIGINT"})[kind], name)
        return self.sources[name]


def mine(at: int, running: str = RUNNING) -> bool:
    """Whether the running version has what stands at that place: the older ones take turns."""
    return running in (NEWEST, OLDER[at % len(OLDER)])


@pytest.fixture(scope="module")
def loaded() -> Iterator[Loaded]:
    with duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"}) as con:
        con.execute(f"LOAD '{compiled()}'")
        yield Loaded(con)


COVER = factors(
    lambda method, layout, lowering, kind, scale, **_: (
        lowering != "native"
        # C leaves whole numbers and decimals of more than 63 bits to SQL, which products that are not scaled may have.
        or (not (method in NO_SUMS_FIRST and layout == "long") and (scale or kind not in LARGE_OF[method in PRODUCTS]))
    ),
    cost=lambda kind, **_: 1.2 if kind == "integer" else 1,  # a call over whole numbers takes twice as long to bind
    twice="method",  # test_native compares the programs of all, and a call takes as long as ten of Python's
    method=list(METHODS),
    layout=LAYOUTS,
    output=OUTPUTS,
    nulls=["propagate", "zero", "error"],
    kind=list(KINDS),
    scale=[True, False],
    lowering=["native", "auto", "sql"],
)


TURNS = {tuple(case.values()): at // len(METHODS) for at, case in enumerate(COVER.cases())}


def place(**case: Any) -> int:
    """Of a case of the cover: a method has one of its two cases in each older version."""
    return TURNS[tuple(case.values())]


@pairwise(COVER, here=lambda **case: mine(place(**case)))
def test_contract(
    loaded: Loaded, method: str, layout: str, output: str, nulls: str, kind: str, scale: bool, lowering: str
) -> None:
    assert RUNNING == NEWEST or duckdb.__version__.startswith(f"{RUNNING}.")
    projection = METHODS[method]
    options = {"output": output, "nulls": nulls, "scale": scale, "lowering": lowering}
    case = {"method": method, "nulls": nulls, "kind": kind, "scale": scale}

    def project(holes: bool) -> dict[Any, list[Cell]]:
        source = loaded.source(layout, kind, holes)
        call = arguments(projection, source, saved=method if method in SAVED else None, **options)
        result = CONNECTORS["duckdb"].fetch(loaded.connection, f"FROM {call}")
        return cells(result, output, projection.k, sparse=layout == "long")

    assert_contract(case, project)


@pytest.mark.parametrize("version", OLDER)
def test_an_older_version_has_every_value(version: str) -> None:
    ((cover, cases),) = COVERS[f"{__name__}.test_contract"]
    for factor, values in cover.factors.items():
        assert {case[factor] for case in cases if mine(place(**case), version)} == set(values), factor


OWN = {
    function: next(method for method in {**EVERY, **GROUPED}.values() if type(method) is cls)
    for function, cls in FUNCTIONS.items()
}
"""A projection of each function of the registry."""
POOLED = {function for function, method in OWN.items() if type(method) in map(type, GROUPED.values())}
"""Those that take no long rows."""
REFUSED = "the extension leaves this call to SQL"
"""How a call begins to be refused that plain SQL runs."""
LARGE = ("bigint", "integer", "decimal")
"""The types of numbers whose sums and products may have more than 63 bits."""
NUMBERS = [
    *((kind, False) for kind in ("double", "float", "integer", "decimal", "bigint")),
    *((kind, True) for kind in ("float", "integer", "decimal")),
]
"""The types of the numbers in the sources, and whether results are scaled. Scaled results are always floats."""


@pairwise(
    factors(
        lambda function, layout, **_: layout != "long" or function not in POOLED,
        twice="function",
        function=list(OWN),
        numbers=NUMBERS,
        layout=LAYOUTS,
        output=[*OUTPUTS, "vector", "bits"],
    ),
    here=lambda function, **_: RUNNING == NEWEST or function == "rp_project",  # the contract above has the others
)
def test_a_function_runs_natively_or_says_why_not(
    loaded: Loaded, function: str, numbers: tuple[str, bool], layout: str, output: str
) -> None:
    kind, scale = numbers
    source = loaded.source(layout, kind, False)

    def answer(lowering: str) -> tuple[list[str], dict[int, list[Any]]]:
        call = arguments(OWN[function], source, output=output, scale=scale, lowering=lowering)
        found = loaded.connection.execute(f"FROM {call}")
        types = [str(column[1]).replace("INTEGER", "BIGINT") for column in found.description]  # a sum of nothing
        types = [
            re.sub(r"DECIMAL\(\d+", "DECIMAL(", name) for name in types
        ]  # SQL alone adds digits to those of a guard
        rows: dict[int, list[Any]] = {}
        for key, *values in sorted(found.fetchall(), key=lambda row: row[: 1 + (output == "long")]):
            flat = values[0] if isinstance(values[0], list | tuple) else values
            rows.setdefault(key, []).extend(flat)
        return types, rows

    types, want = answer("sql")
    try:
        found, got = answer("native")
    except duckdb.Error as error:
        if REFUSED not in str(error):
            raise
        not_summed = layout == "long" and function in NO_SUMS_FIRST
        assert not_summed or (kind in LARGE and (not scale or output == "bits"))
        return
    assert found == types
    assert got.keys() == want.keys()
    exact = (kind in ("integer", "bigint", "decimal") and not scale) or output == "bits"
    for key, row in want.items():
        size = max((abs(value) for value in row if isinstance(value, float)), default=0)
        near = 1e-4 if "FLOAT" in str(types) or kind == "float" else 1e-9
        close = row if exact and "DOUBLE" not in str(types) else pytest.approx(row, rel=near, abs=near * size)
        assert got[key] == close, (key, row, got[key])


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_native(loaded: Loaded, method: str) -> None:
    """Columns and arrays, which take turns, are, unasked, and long rows if the features are summed first.

    `explain` says so. Every version has every method; the older ones share the layouts of each.
    """
    saved = method if method in SAVED else None
    at = list(METHODS).index(method)
    for i, layout in enumerate((LAYOUTS[at // 2 % 2], "long")):
        if not mine(at + i):
            continue
        source = loaded.source(layout, "double", False)
        call = arguments(METHODS[method], source, saved=saved)
        native = is_native(loaded.connection, f"FROM {call}")
        assert native == (layout != "long" or method not in NO_SUMS_FIRST)
        explained = str(sqlrp.explain(METHODS[method], source, loaded.connection))
        assert ("functions native" if native else "functions SQL alone") in explained


def test_long_rows_say_why_they_are_not_native(loaded: Loaded) -> None:
    """More normal weights than a table of the kernel holds. Unasked, SQL alone runs them. Signs need no table."""
    loaded.connection.execute("CREATE OR REPLACE TABLE numbers AS SELECT 1 AS id, 3 AS feature, 2e0 AS value")
    call = "FROM rp_project('numbers', feature := 'feature', output := 'array', k := 200, n_features := 90_000"
    with pytest.raises(duckdb.Error, match=rf"'native' is not supported here: {REFUSED}"):
        loaded.connection.execute(f"{call}, vectors := 'gaussian', lowering := 'native')")
    assert not is_native(loaded.connection, f"{call}, vectors := 'gaussian')")
    plan = str(loaded.connection.execute(f"EXPLAIN (FORMAT JSON) {call}, vectors := 'gaussian')").fetchall())
    assert "_numbers" in plan
    signs, alone = (
        loaded.connection.execute(f"{call}, s := 1, lowering := '{road}')").fetchall() for road in ("native", "sql")
    )
    assert signs == alone


def test_positions_of_long_rows_are_checked(loaded: Loaded) -> None:
    loaded.connection.execute("CREATE OR REPLACE TABLE far AS SELECT 1 AS id, 5 AS feature, 2e0 AS value")
    call = "FROM rp_project('far', k := 2, feature := 'feature', value := 'value', n_features := 5"
    for lowering in ("native", "sql"):
        with pytest.raises(duckdb.Error, match=r"a feature in 'feature' is outside 0 \.\.\. 4: positions count from 0"):
            loaded.connection.execute(f"{call}, lowering := '{lowering}')")
