"""Circular convolutions by sums and differences: the same numbers as by all pairs, with fewer operations."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cases import DATABASES
from databases import Database
from helpers import LAYOUTS, OUTPUTS, Matrix, assert_close, load, oracle, projected

import sqlrp
from sqlrp._core.numbers import DOUBLE, FLOAT, Number
from sqlrp._core.options import Options
from sqlrp._engines.duckdb.dialect import DuckDB
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering import convolutions
from sqlrp._lowering.lowerings import find
from sqlrp._run.table_input import job_of
from sqlrp.stages import Convolved

SPLIT = ("duckdb",)
"""The engines with such sums; the others multiply all pairs."""
TWO, THREE = sqlrp.TensorSketch(k=24, seed=3), sqlrp.TensorSketch(k=32, degree=3, seed=3)
X: Matrix = np.random.default_rng(5).integers(-9, 9, (9, 12)) / 2.0


def by_pairs(a: list[float], b: list[float]) -> list[float]:
    n = len(a)
    return [sum(a[i] * b[(c - i) % n] for i in range(n)) for c in range(n)]


@pytest.mark.parametrize("n", [*range(1, 40), 48, 63, 64, 100, 128])
def test_numbers_and_count_of_operations(n: int) -> None:
    made = convolutions.written(n)
    assert len(made.operations) == convolutions.operations(n)
    values = np.random.default_rng(n).integers(-9, 9, 2 * n).astype(float).tolist()
    named = {i: repr(value) for i, value in enumerate(values)}
    for level in made.levels:  # a level reads names of the level before only
        named = {i: repr(eval(made.text(i, named, "0.5"))) for i in level}
    assert [eval(made.text(i, named, "0.5")) for i in made.outputs] == by_pairs(values[:n], values[n:])


def test_fewer_operations_than_pairs_where_they_are_split() -> None:
    split = [n for n in range(1, 300) if convolutions.splits(Convolved(n, 2), DOUBLE, ENGINES["duckdb"], None)]
    assert min(split) == 24
    assert {32, 64, 100, 128, 256} <= set(split)
    assert convolutions.operations(256) == 20_306  # 130,816 by pairs
    for kind in (FLOAT, Number("int", 20), Number("decimal", 40, 2)):
        assert not convolutions.splits(Convolved(256, 2), kind, ENGINES["duckdb"], None)
    found = [name for name, engine in ENGINES.items() if convolutions.splits(Convolved(24, 2), DOUBLE, engine, None)]
    assert sorted(found) == sorted(SPLIT)
    assert not convolutions.splits(Convolved(256, 2), DOUBLE, ENGINES["duckdb"], 1_600)
    assert convolutions.splits(Convolved(64, 2), DOUBLE, ENGINES["duckdb"], 1_600)


def test_the_planner_counts_what_is_written(con: Any) -> None:
    source = load(con, "wide", X.tolist())
    for projection in (TWO, THREE):
        job, k, stages = job_of(projection, source, con, Options()), projection.k, projection.degree - 1
        passed = 2 * k * sum(range(stages))
        assert job.inline_terms == job.stages[0].terms(12) + stages * convolutions.operations(k) + passed
        text = sqlrp.sql(projection, source, con, lowering="inline")
        assert text.count("*") < 0.8 * stages * k**2


@pytest.mark.parametrize("name", SPLIT)
@pytest.mark.parametrize("projection", [TWO, THREE], ids=["two", "three"])
def test_rows_with_null(db: Database, name: str, projection: sqlrp.TensorSketch) -> None:
    rows: list[list[Any]] = X.tolist()
    rows[2][4] = rows[5][0] = None
    source = db.load("wide", rows)
    for nulls in ("propagate", "zero"):
        want = oracle(projection, np.array([[0.0 if v is None else v for v in row] for row in rows]))
        null = np.isin(np.arange(len(rows)), [2, 5]) if nulls == "propagate" else None
        got = db.projected(projection, source, "columns", lowering="inline", nulls=nulls)
        assert_close(got, want, np.abs(want).max(axis=1), rtol=1e-12, null=null)


@pytest.mark.parametrize("name", SPLIT)
@pytest.mark.parametrize("projection", [TWO, THREE], ids=["two", "three"])
def test_rows_with_infinity_and_nan(db: Database, name: str, projection: sqlrp.TensorSketch) -> None:
    rows = X.copy()
    rows[1, 3], rows[2, 1], rows[4, 2], rows[6] = math.inf, math.nan, -math.inf, math.inf
    rows[7] *= 1e99 if projection.degree == 3 else 1e151  # whose sums would run over if they were multiplied
    with np.errstate(invalid="ignore"):
        want = oracle(projection, rows)
    got = db.projected(projection, db.load("wide", rows.tolist()), "columns", lowering="inline")
    assert np.isinf(want).any() == (projection is TWO)  # of three, all are NaN
    assert_close(got, want, np.abs(np.where(np.isfinite(want), want, 0)).max(axis=1), rtol=1e-12)


@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout != "long"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_steps_of_few_terms(con: Any, monkeypatch: pytest.MonkeyPatch, layout: str, output: str) -> None:
    monkeypatch.setattr(DuckDB, "limits", replace(DuckDB.limits, terms=300))
    rows = X.copy()
    rows[3, 3] = math.inf
    source = load(con, layout, rows.tolist())
    assert len(sqlrp.explain(THREE, source, con, lowering="inline").script.setup) > 2
    with np.errstate(invalid="ignore"):
        want = oracle(THREE, rows)
    got = projected(con, THREE, source, output, lowering="inline")
    assert_close(got, want, np.abs(np.where(np.isfinite(want), want, 0)).max(axis=1), rtol=1e-12)


def test_whole_numbers_in_doubles_are_exact(con: Any) -> None:
    rows = np.random.default_rng(1).integers(-1000, 1000, (5, 12))
    want = [[int(v) for v in row] for row in oracle(TWO, rows.astype(object), scale=False)]
    got = projected(con, TWO, load(con, "wide", rows.tolist()), lowering="inline")
    assert [got[i] for i in range(5)] == want
    bare = projected(con, TWO, load(con, "wide", rows.tolist(), "INTEGER"), scale=False, lowering="inline")
    assert [bare[i] for i in range(5)] == want


def test_a_pooled_sketch(con: Any) -> None:
    con.execute("CREATE TABLE g AS SELECT range // 3 AS image, sin(range) AS a, cos(range) AS b FROM range(9)")
    pooled = sqlrp.SketchPooling(k=24, normalise=False, seed=1)
    found = [
        [
            list(row.values())
            for row in sqlrp.project(pooled, sqlrp.Wide("g", key="image"), con, lowering=low).to_pylist()
        ]
        for low in ("inline", "relational")
    ]
    a, b = (np.array(sorted(rows)) for rows in found)
    assert np.allclose(a, b, rtol=1e-9, atol=1e-12)


LOWERINGS = ("inline", "indexed", "relational")


@pytest.mark.parametrize("lowering", LOWERINGS)
@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout != "long"])
@pytest.mark.parametrize("projection", [TWO, THREE], ids=["two", "three"])
def test_every_lowering(con: Any, projection: sqlrp.TensorSketch, layout: str, lowering: str) -> None:
    rows: list[list[Any]] = X.tolist()
    rows[2][4], rows[4][2] = None, math.inf
    null = np.isin(np.arange(len(rows)), [2])
    with np.errstate(invalid="ignore"):
        want = oracle(projection, np.array([[0.0 if v is None else v for v in row] for row in rows]))
    got = projected(con, projection, load(con, layout, rows), lowering=lowering)
    assert_close(got, want, np.abs(np.where(np.isfinite(want), want, 0)).max(axis=1), rtol=1e-12, null=null)


@pytest.mark.parametrize("name", [name for name in DATABASES if name != "duckdb"])
def test_a_convolution_as_a_join_on_every_engine(db: Database, name: str) -> None:
    want = oracle(THREE, X)
    got = db.projected(THREE, db.load("wide", X.tolist()), "columns", lowering="relational")
    assert_close(got, want, np.abs(want).max(axis=1), rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("k", [512, 1024, 4096])
def test_the_text_of_large_sketches_is_bounded(k: int) -> None:
    most = ENGINES["duckdb"].limits.terms
    source = sqlrp.Wide("t", features=[f"f{j}" for j in range(20)])
    for degree in (2, 3):
        projection = sqlrp.TensorSketch(k=k, degree=degree, seed=1)
        job = sqlrp.explain(projection, source, "duckdb", output="array").plan.job
        if job.inline_terms <= 4 * most:
            script = find("inline").lower(job)
            for statement in (script.query, *script.setup):
                assert statement.count("+") + statement.count("-") + statement.count("*") < 1.2 * most
        for lowering in ("indexed", "relational"):
            assert len(sqlrp.sql(projection, source, "duckdb", output="array", lowering=lowering)) < 200 * k  # type: ignore[call-overload]


def test_sketches_that_no_statement_holds_are_refused_as_text(con: Any) -> None:
    source = load(con, "wide", X.tolist())
    explained = sqlrp.explain(sqlrp.TensorSketch(k=4096), source, con, output="array", lowering="sql")
    assert explained.lowering == "indexed"
    assert "products are more than the 5,000,000 of 50 statements" in str(explained)
    view = sqlrp.explain(sqlrp.TensorSketch(k=1024), source, con, output="array", lowering="indexed")
    assert not view.script.setup


@pytest.mark.parametrize("lowering", ["inline", "indexed"])
def test_a_sketch_of_more_terms_than_a_statement_holds(con: Any, lowering: str) -> None:
    projection = sqlrp.TensorSketch(k=1024, seed=2)
    rows = X[:2]
    want = oracle(projection, rows)
    if lowering == "inline":
        assert len(sqlrp.explain(projection, load(con, "wide", rows.tolist()), con, lowering=lowering).script.setup) > 1
        return
    got = projected(con, projection, load(con, "wide", rows.tolist()), "array", lowering=lowering)
    assert_close(got, want, np.abs(want).max(axis=1), rtol=1e-12)
