"""Sail, an engine in Rust that speaks Spark Connect: the contract, and what it keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cases import contract, uses
from cover import alike, pairwise
from helpers import exact, oracle
from sails import plain
from sparks import ContractRows

import sqlrp
from sqlrp import Long, SparseProjection

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
def rows(sail: Any) -> ContractRows:
    return ContractRows(sail)


@pairwise(COVER)
def test_contract(
    rows: ContractRows,
    engine: str,
    method: str,
    lowering: str,
    layout: str,
    output: str,
    nulls: str,
    kind: str,
    scale: bool,
) -> None:
    rows.check(method, layout, kind, nulls, scale, output=output, lowering=lowering)


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
