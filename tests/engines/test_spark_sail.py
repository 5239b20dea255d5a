"""Sail, an engine in Rust that speaks Spark Connect: the contract, and what it keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cases import EVERY, contract, uses
from contract import assert_contract, stored
from cover import alike, pairwise
from helpers import Cell, exact, oracle
from sails import plain
from sparks import load, projected

import sqlrp
from sqlrp import Long, SparseProjection
from sqlrp._core.sources import Source

KINDS = {"double": pa.float64(), "float": pa.float32(), "integer": pa.int32(), "decimal": pa.decimal128(9, 3)}
LOWERINGS = ("inline", "indexed", "relational", "native")
WHOLE = contract("spark")
COVER = replace(
    WHOLE,
    factors={**WHOLE.factors, "lowering": LOWERINGS},
    allowed=lambda method, layout, lowering, **_: uses("spark", method, layout, lowering),
    cost=alike,
)


@pytest.fixture(scope="module")
def sail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session whose default tables are of Parquet."""
    with plain(tmp_path_factory.mktemp("sail")) as session:
        yield session


@pytest.fixture(scope="module")
def tables() -> dict[tuple[str, str, bool], Source]:
    """The contract's rows, which are loaded once."""
    return {}


@pairwise(COVER)
def test_contract(
    sail: Any,
    tables: dict[tuple[str, str, bool], Source],
    engine: str,
    method: str,
    lowering: str,
    layout: str,
    output: str,
    nulls: str,
    kind: str,
    scale: bool,
) -> None:
    def project(holes: bool) -> dict[Any, list[Cell]]:
        key = (layout, kind, holes)
        if key not in tables:
            name = f"{layout}_{kind}_{holes}"
            tables[key] = load(sail, layout, stored(kind, holes), KINDS[kind], table=name)
        return projected(sail, EVERY[method], tables[key], output, nulls=nulls, lowering=lowering, scale=scale)

    assert_contract({"method": method, "nulls": nulls, "kind": kind, "scale": scale}, project)


def test_long_rows_meet_in_one_part(sail: Any) -> None:
    """More rows than one batch has, in several parts."""
    rows, d = 5_000, 6
    columns = f"id % {rows} AS id, CAST(id div {rows} AS INT) AS feature, CAST(id % 11 AS INT) AS value"
    cells = sail.sql(f"SELECT {columns} FROM range({rows * d})")
    cells.repartition(4).createOrReplaceTempView("cells_in_parts")
    source = Long("cells_in_parts", n_features=d)
    ids = np.arange(rows)
    x = np.stack([(ids + rows * j) % 11 for j in range(d)], axis=1)
    projection = SparseProjection(k=3, s=1, seed=1)
    want = oracle(projection, exact(x.tolist()), False)
    for lowering in ("native", "relational"):
        result = sqlrp.project(projection, source, sail, output="array", scale=False, lowering=lowering).toArrow()
        assert dict(zip(*result.to_pydict().values(), strict=True)) == {i: list(want[i]) for i in range(rows)}
