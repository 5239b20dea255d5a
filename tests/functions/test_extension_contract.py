"""The contract of the functions in DuckDB where the extension sqlrp is loaded: native code, and plain SQL.

The newest DuckDB runs every case of the cover, and an older one its share, which `engines/test_older_duckdbs.py` asks
for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from cases import EVERY, TYPES
from contract import assert_contract, stored
from cover import factors, pairwise
from duckdb_calls import arguments
from extensions import compiled
from helpers import LAYOUTS, OUTPUTS, Cell, cells, load
from other_duckdbs import OLDER

import sqlrp
from sqlrp.core.sources import Source
from sqlrp.engines import CONNECTORS
from sqlrp.projections import FUNCTIONS

KINDS = TYPES["duckdb"]
METHODS = {name: method for name, method in EVERY.items() if name != "orthonormal"}
"""Those that a function can call: what is orthonormal needs the number of features when it is saved."""
SAVED = {name: method for name, method in METHODS.items() if FUNCTIONS.get(method.function) is not type(method)}
"""Those that project_with calls."""
NEWEST = "newest"
RUNNING = os.environ.get("SQLRP_OLDER_DUCKDB", NEWEST)


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
            self.sources[name] = load(self.connection, layout, stored(kind, holes), KINDS[kind], name)
        return self.sources[name]


@pytest.fixture(scope="module")
def loaded() -> Iterator[Loaded]:
    with duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"}) as con:
        con.execute(f"LOAD '{compiled()}'")
        yield Loaded(con)


COVER = factors(
    lambda layout, lowering, **_: layout != "long" or lowering != "native",
    method=list(METHODS),
    layout=LAYOUTS,
    output=OUTPUTS,
    nulls=["propagate", "zero", "error"],
    kind=list(KINDS),
    scale=[True, False],
    lowering=["native", "auto", "sql"],
)
_CASES = COVER.cases()
_OF_METHODS = [[case for case in _CASES if case["method"] == method] for method in METHODS]
SHARES = {
    version: [case for at, cases in enumerate(_OF_METHODS) for case in cases[(at + i) % len(OLDER) :: len(OLDER)]]
    for i, version in enumerate(OLDER)
}
"""The cases of each older version: of each method those that the others leave."""


@pairwise(COVER, here=lambda **case: RUNNING == NEWEST or case in SHARES[RUNNING])
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
def test_an_older_version_meets_every_value(version: str) -> None:
    for name, values in COVER.factors.items():
        assert {case[name] for case in SHARES[version]} == set(values), name


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_native(loaded: Loaded, method: str) -> None:
    """Columns and arrays are, unasked."""
    saved = method if method in SAVED else None
    for layout in ("wide", "array"):
        call = arguments(METHODS[method], loaded.source(layout, "double", False), saved=saved)
        assert "_program" in str(loaded.connection.execute(f"EXPLAIN (FORMAT JSON) FROM {call}").fetchall())


def test_long_rows_say_why_they_are_not_native(loaded: Loaded) -> None:
    call = arguments(METHODS["linear"], loaded.source("long", "double", False), lowering="native")
    with pytest.raises(duckdb.Error, match="'native' is not supported here: long rows are joined"):
        loaded.connection.execute(f"FROM {call}")
