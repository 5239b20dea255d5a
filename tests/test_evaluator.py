"""The evaluator, with numba and without, against `sqlrp.stages.evaluate`, which shares no code with it, and SQL."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import duckdb
import pytest
from cases import EVERY, TYPES
from contract import assert_contract, stored
from cover import factors, pairwise
from helpers import LAYOUTS, OUTPUTS, Cell, cells, load

import sqlrp
from sqlrp import Projection
from sqlrp.core.options import Options
from sqlrp.evaluator import backend, running
from sqlrp.lowering.evaluation import Evaluation
from sqlrp.run.api import job_of

Connection = duckdb.DuckDBPyConnection
KINDS = ("numba", "numpy")


@pytest.fixture(scope="module")
def shared() -> Iterator[Connection]:
    with duckdb.connect() as connection:
        yield connection


def use(monkeypatch: pytest.MonkeyPatch, kind: str, tile: int | None = None) -> None:
    """Take numba's kernels or numpy for everything, with tiles of so many rows."""
    module = import_module("sqlrp.evaluator.kernels") if kind == "numba" else None
    monkeypatch.setattr(backend, "kernels", lambda work: module)
    if tile is not None:
        monkeypatch.setattr(running, "_size", lambda *given: tile)


def evaluated(con: Connection, projection: Projection, source: Any, threads: int | None = None, **options: Any) -> Any:
    """The job's result from the whole table as one batch, and the job."""
    job = job_of(projection, source, con, Options(**options))
    assert Evaluation.refusal(job) == ""
    return Evaluation(job, threads=threads)(con.sql(f"FROM {source.table}").to_arrow_table())


@pairwise(
    factors(
        by=list(KINDS),
        method=list(EVERY),
        layout=list(LAYOUTS),
        output=list(OUTPUTS),
        nulls=["propagate", "zero", "error"],
        kind=list(TYPES["duckdb"]),
        scale=[True, False],
        tile=[None, 1, 5],
        threads=[1, 2],
    )
)
def test_contract(
    shared: Connection,
    monkeypatch: pytest.MonkeyPatch,
    by: str,
    method: str,
    layout: str,
    output: str,
    nulls: str,
    kind: str,
    scale: bool,
    tile: int | None,
    threads: int,
) -> None:
    use(monkeypatch, by, tile)
    projection = EVERY[method]
    case = {"method": method, "nulls": nulls, "kind": kind, "scale": scale}

    def project(holes: bool) -> dict[Any, list[Cell]]:
        source = load(shared, layout, stored(kind, holes), TYPES["duckdb"][kind])
        options: dict[str, Any] = {"output": output, "nulls": nulls, "scale": scale}
        result = evaluated(shared, projection, source, threads, **options)
        if nulls != "error":
            by_sql = sqlrp.project(projection, source, shared, **options)
            assert result.column_names == by_sql.column_names
            for a, b in zip(result.schema.types, by_sql.schema.types, strict=True):
                # The digits before the point depend on the way in which SQL adds.
                assert a == b or (kind == "decimal" and "decimal" in str(a) and "decimal" in str(b))
        return cells(result, output, projection.k, sparse=layout == "long")

    assert_contract(case, project)
