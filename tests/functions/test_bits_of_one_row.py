"""Signed sums of one row by bits, which a search function of DuckDB takes: they are those of position lists."""

from __future__ import annotations

import math

import duckdb
import numpy as np
import pytest

import sqlrp
from sqlrp._core.numbers import DOUBLE, WHOLE
from sqlrp._engines.duckdb.dialect import DuckDB

RNG = np.random.default_rng(2)
ROW = [1.5, -2.0, 0.25, 4.0, -0.125, 3.0, 8.0]
ROWS = {
    "plain": ROW,
    "all missing": [None] * len(ROW),
    "infinite": [math.inf, *ROW[1:]],
    "nan": [*ROW[:-1], math.nan],
    "missing": [None, *ROW[1:]],
}
SIGNS = {
    "whole": RNG.choice([-1, 1], size=(7, 70)),
    "a third": RNG.choice([-1, 0, 0, 1], size=(7, 70)),
    "one": np.ones((7, 1), dtype=int),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
@pytest.mark.parametrize("said", SIGNS)
def test_bits_say_what_lists_say(said: str, row: list[float | None]) -> None:
    dialect, signs = DuckDB(), SIGNS[said]
    plus, minus = ([column.nonzero()[0].tolist() for column in side.T] for side in (signs > 0, signs < 0))
    by_bits = dialect.sums_by_bits("x", signs, DOUBLE, 3)
    assert by_bits is not None
    by_lists = [dialect.index_lists(plus), dialect.index_lists(minus)], dialect.signed_sums("x", "l3", "l4", DOUBLE)
    given = ", ".join("NULL" if value is None else f"'{value}'" for value in row)
    found = []
    for texts, value in (by_bits, by_lists):
        constants = ", ".join(f"{text} AS l{at}" for at, text in enumerate(texts, start=3))
        table = f"(SELECT [{given}]::DOUBLE[] AS x, {constants}{dialect.lists_from})"
        [(sums,)] = duckdb.sql(f"SELECT {value} FROM {table}").fetchall()
        found.append(sums)
    np.testing.assert_array_equal(*np.array(found, dtype=float))


def test_few_signs_and_whole_numbers_take_positions() -> None:
    assert DuckDB().sums_by_bits("x", SIGNS["whole"], WHOLE, 0) is None
    assert DuckDB().sums_by_bits("x", np.eye(9, dtype=int), DOUBLE, 0) is None


@pytest.mark.parametrize("s", [1, 3, 8])
def test_a_function_finds_what_a_search_finds(s: int) -> None:
    x = np.random.default_rng(s).normal(size=(300, 24))
    with duckdb.connect(config={"threads": "1"}) as con:
        con.execute("CREATE TABLE t (id BIGINT, e DOUBLE[24])")
        con.executemany("INSERT INTO t VALUES (?, ?)", [[i, row] for i, row in enumerate(x.tolist())])
        projection = sqlrp.SparseProjection(k=130, s=s, seed=4)
        sqlrp.materialize(projection, sqlrp.Array("t", "e"), con, "codes", output="bits", search="near")
        ((text,),) = con.execute(
            "SELECT macro_definition FROM duckdb_functions() WHERE function_name = 'near'"
        ).fetchall()
        assert ("get_bit" in text) == (s < 8)
        for row in x[:5]:
            asked = (row + 0.01).tolist()
            found = con.execute("FROM near($1, n := 5, candidates := 20)", [asked]).fetchall()
            there = sqlrp.search(con, "codes", asked, 5, candidates=20).to_pydict()
            assert [key for key, _ in found] == there["id"]
