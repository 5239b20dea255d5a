"""Warnings of codes that no longer tell rows apart: bits of rows far from 0, and bytes at the ends of their range."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cover import factors, pairwise
from databases import Database

import sqlrp
from sqlrp import Array

ROWS = np.random.default_rng(3).normal(size=(80, 12)).round(3)
BITS = sqlrp.SparseProjection(k=70, s=1, seed=1)
ALIKE = "bits are the same in nearly all of 80 rows"
ENGINES = ["duckdb", "sqlite", "postgresql", "mariadb", "clickhouse"]


def told(call: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught if "bits are" in str(each.message) or "codes" in str(each.message)]


def filled(db: Database, name: str, rows: Any, first: int = 0) -> str:
    number = "Float64" if db.name == "clickhouse" else "DOUBLE PRECISION"
    whole = "Int64" if db.name == "clickhouse" else "BIGINT"
    columns = [("id", whole), *((f"f{j}", number) for j in range(rows.shape[1]))]
    if first == 0:
        db.make(name, columns, [[i, *row] for i, row in enumerate(rows.tolist())])
    else:
        values = ", ".join(str((first + i, *row)) for i, row in enumerate(rows.tolist()))
        db.run(f"INSERT INTO {name} VALUES {values}")
    return name


@pytest.mark.parametrize("name", ENGINES)
def test_bits_of_rows_far_from_0(db: Database, name: str) -> None:
    for mean, alike in ((0.0, False), (30.0, True)):
        source = filled(db, "moved", ROWS + mean)
        for call in (
            lambda source=source: sqlrp.project(BITS, source, db.connection, output="bits"),
            lambda source=source: sqlrp.materialize(
                BITS, source, db.connection, "bits_kept", output="bits", replace=True
            ),
        ):
            said = told(call)
            assert [ALIKE in each for each in said] == [True] * alike
            assert all("of 70 bits" in each and "principal components" in each for each in said)
    frame = pd.DataFrame(ROWS + 30.0)
    assert [ALIKE in each for each in told(lambda: sqlrp.project(BITS, frame, output="bits", key=None))] == [True]
    assert not told(lambda: sqlrp.project(BITS, frame[:10], output="bits", key=None))


def has_output(name: str, output: str, **_: Any) -> bool:
    return output == "columns" or (name in ("duckdb", "postgresql", "clickhouse") and (name, output) != VECTORS)


VECTORS = ("postgresql", "vector")
"""What needs pgvector."""
RANGES = {8: (-127, 127), 4: (-7, 7), 3: (-4, 3), 2: (-2, 1)}
"""The ends of the range of codes of so many bits."""


@pairwise(factors(has_output, name=list(ENGINES), output=["columns", "array", "vector"], bits=list(RANGES)))
def test_codes_of_rows_that_moved_are_counted(db: Database, name: str, output: Any, bits: Any) -> None:
    low, most = RANGES[bits]
    source = filled(db, "moved", ROWS)
    codes = sqlrp.rounded(sqlrp.SparseProjection(k=6, s=1, seed=1), source, db.connection, bits=bits)
    sqlrp.materialize(codes, source, db.connection, "codes_kept", output=output, replace=True)
    filled(db, "moved", ROWS[:40] + 0.01, first=100)
    assert not told(lambda: sqlrp.refresh(db.connection, "codes_kept"))
    assert not [found for found in sqlrp.check(db.connection) if found.name.endswith("codes_kept")]
    filled(db, "moved", np.tile(ROWS, (3, 1)) * 50, first=1000)
    [said] = told(lambda: sqlrp.refresh(db.connection, "codes_kept"))
    assert f"of the codes of 360 sampled rows are {low} or {most}, the ends of their range" in said
    [found] = [found for found in sqlrp.check(db.connection) if found.name.endswith("codes_kept")]
    assert found.wrong in said
    assert "sqlrp.rounded" in found.remedy


@pytest.mark.parametrize("name", ENGINES)
def test_packed_codes_of_rows_that_moved_are_counted(db: Database, name: str) -> None:
    source = filled(db, "moved", ROWS)
    codes = sqlrp.rounded(sqlrp.HadamardProjection(k=12, seed=1, padding="least"), source, db.connection, bytes=16)
    sqlrp.materialize(codes, source, db.connection, "packed_kept", output="bits", replace=True)
    filled(db, "moved", ROWS[:40] + 0.01, first=100)
    assert not told(lambda: sqlrp.refresh(db.connection, "packed_kept"))
    assert not sqlrp.diagnose("packed_kept", db.connection, sample=5).worn
    filled(db, "moved", ROWS * 50, first=1000)
    [said] = told(lambda: sqlrp.refresh(db.connection, "packed_kept"))
    [found] = [found for found in sqlrp.check(db.connection) if found.name.endswith("packed_kept")]
    assert found.wrong in said
    z = sqlrp.project(codes, np.vstack([ROWS, ROWS[:40] + 0.01, ROWS * 50]))
    half = np.exp2(codes.of[-1].arrays["widths"] - 1)
    share = float(((z == -half) | (z == half - 1))[:, half > 1].mean())
    assert f"{share:.0%} of the packed codes of 200 sampled rows are at the ends of their range" in found.wrong
    report = sqlrp.diagnose("packed_kept", db.connection, sample=5)
    assert found.remedy in report.verdict


def test_codes_of_arrays_are_counted(con: Any) -> None:
    con.execute("CREATE TABLE rows AS SELECT i AS id, [sin(i), cos(i), sin(i * 2)]::DOUBLE[3] AS x FROM range(60) t(i)")
    source = Array("rows", "x")
    codes = sqlrp.rounded(sqlrp.SparseProjection(k=3, s=1, seed=1), source, con)
    sqlrp.materialize(codes, source, con, "kept", output="vector")
    con.execute("INSERT INTO rows SELECT id + 1000, [x[1] * 99, x[2] * 99, x[3] * 99] FROM rows")
    [said] = told(lambda: sqlrp.refresh(con, "kept"))
    assert "kept" in said.partition(": ")[0]
    assert "the ends of their range" in said
