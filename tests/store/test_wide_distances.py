"""Distances of rows of many columns: the same as in exact arithmetic, where their text compares numbers or arrays."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from helpers import load

import sqlrp
from sqlrp._lowering import rows_apart

EDGE = rows_apart._LISTED
METRICS: tuple[Any, ...] = ("l2", "cosine", "inner")
KINDS = {
    "FLOAT": 1e3,
    "DOUBLE": 1e3,
    "BOOLEAN": 1,
    "BIGINT": 2**60,
    "HUGEINT": 2**100,
    "DECIMAL(30,6)": 10**9,
    "mixed": 2**60,
}
"""The types of the columns, and how large their numbers are. "mixed" has each of them in turn."""
MIXED = ("BIGINT", "FLOAT", "DECIMAL(30,6)", "BOOLEAN", "DOUBLE", "HUGEINT", "UBIGINT", "BIGNUM")
ROWS, NEAR, LIKE = 9, 5, [0, 2, 3]
CASES = [*product(KINDS, (EDGE - 1, EDGE)), *product(("FLOAT", "mixed"), (EDGE + 1, 70))]
P = sqlrp.SparseProjection(k=70, s=1, seed=3)
Row = list[float | None]


def made(con: Any, kind: str, d: int) -> tuple[sqlrp.Wide, list[Row]]:
    """A table of whole rows, and its numbers as doubles, as the database reads them."""
    rng, most = np.random.default_rng(d), KINDS[kind]
    rows = [[int(v) for v in row] for row in rng.integers(0, 1 << 60, (ROWS, d))]
    rows[-1] = rows[0]
    scaled = [[v % 2 if most == 1 else v * int(most) >> 60 for v in row] for row in rows]
    kinds = [MIXED[j % len(MIXED)] if kind == "mixed" else kind for j in range(d)]
    bits = [[v % 2 if of == "BOOLEAN" else v for v, of in zip(row, kinds, strict=True)] for row in scaled]
    load(con, "wide", bits, "HUGEINT", table="whole")
    columns = ", ".join(f"CAST(f{j} AS {of}) AS f{j}" for j, of in enumerate(kinds))
    if kind in ("FLOAT", "DOUBLE"):  # numbers that are not whole
        columns = ", ".join(f"CAST(f{j} / 7 - 50 AS {kind}) AS f{j}" for j in range(d))
    con.execute(f"CREATE OR REPLACE TABLE t AS SELECT id, {columns} FROM whole")
    return sqlrp.Wide("t", features=[f"f{j}" for j in range(d)]), numbers(con, d)


def numbers(con: Any, d: int) -> list[Row]:
    """The rows of the table, each number as a double."""
    read = ", ".join(f"CAST(f{j} AS DOUBLE)" for j in range(d))
    return [list(row) for row in con.execute(f"SELECT {read} FROM t ORDER BY id").fetchall()]


def assert_exact(found: float, x: Row, y: Row, metric: str) -> None:
    """A distance, beside that in exact arithmetic, is off by no more than sums of doubles are."""
    a, b = ([Fraction(v or 0.0) for v in side] for side in (x, y))
    unit = Fraction(2 * len(a) * math.ulp(1.0))
    inner, absolute = sum(p * q for p, q in zip(a, b, strict=True)), sum(abs(p * q) for p, q in zip(a, b, strict=True))
    if metric == "l2":
        want = math.sqrt(sum((p - q) ** 2 for p, q in zip(a, b, strict=True)))
        off = float(unit) * want
    elif metric == "inner":
        want, off = -float(inner), float(unit * absolute)
    else:
        both = math.sqrt(sum(p * p for p in a)) * math.sqrt(sum(q * q for q in b))
        want = 1 - float(inner) / both if both else 1.0
        off = float(2 * unit * absolute) / both + 2 * math.ulp(1.0) if both else 0.0
    assert abs(found - want) <= off, (metric, found, want, off)


Found = dict[tuple[str, str, Any, Any], float | None]


def distances(con: Any, source: sqlrp.Wide, asked: list[list[float]], nulls: Any) -> Found:
    """The distances that each call finds: by the call, the metric, and what is near what."""
    found: Found = {}
    options: dict[str, Any] = {"n": ROWS, "candidates": ROWS}
    for metric in METRICS:
        calls: dict[str, Any] = {
            "text": con.execute(sqlrp.search_sql(con, "codes", asked[0], metric=metric, **options)).fetchall(),
            "search": sqlrp.search(con, "codes", asked[0], metric=metric, **options),
        }
        sqlrp.create_search(con, "codes", "near", metric=metric, candidates=ROWS, replace=True)
        calls["function"] = con.execute("SELECT * FROM near(?, n := 99)", [asked[0]]).fetchall()
        for call, rows in calls.items():
            pairs = rows if isinstance(rows, list) else zip(*(c.to_pylist() for c in rows.columns), strict=True)
            found |= {(call, metric, "asked", key): far for key, far in pairs}
        several = {"vectors": {"vector": asked}, "like": {"like": LIKE}}
        for call, given in several.items():
            table = sqlrp.search(con, "codes", **given, metric=metric, **options)
            found |= {(call, metric, row[0], row[1]): row[2] for row in zip(*table.to_pydict().values(), strict=True)}
        text = sqlrp.neighbours_sql(con, "codes", n=NEAR, candidates=ROWS, metric=metric)
        found |= {("neighbours", metric, a, b): far for a, b, far in con.execute(text).fetchall()}
        if metric != "inner":
            of_metric: dict[str, Any] = {"all": {"within": 1.1}, "pairs": {"within": 1e-9}}
            if metric == "l2":
                of_metric = {"pairs": {"within": 1e300, "bits": 1}}
            for call, given in of_metric.items():
                text = sqlrp.pairs_sql(P, source, con, metric=metric, nulls=nulls, **given)
                assert ("sqlrp_hashed" in text) == (call == "pairs")
                found |= {(call, metric, a, b): far for a, b, far in con.execute(text).fetchall()}
    return found


@pytest.fixture
def by_columns(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What runs a call with texts that compare number by number, however many columns there are."""

    def run(call: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(rows_apart, "_LISTED", 1 << 30)
            return call()

    return run


@pytest.mark.parametrize(("kind", "d"), CASES)
def test_distances_are_those_of_exact_arithmetic(con: Any, kind: str, d: int) -> None:
    source, rows = made(con, kind, d)
    sqlrp.materialize(P, source, con, "codes", output="bits", replace=True)
    rng = np.random.default_rng(1)
    asked = (rng.normal(size=(2, d)) * float(KINDS[kind])).tolist()
    found = distances(con, source, asked, "propagate")
    for (call, metric, one, other), far in found.items():
        side = (
            asked[0]
            if one == "asked"
            else asked[one]
            if call == "vectors"
            else rows[LIKE[one] if call == "like" else one]
        )
        assert far is not None
        assert_exact(far, rows[other], side, metric)
    counted = Counter(call for call, *_ in found)
    each = len(METRICS) * ROWS
    assert {call: counted[call] for call in ("text", "search", "function")} == dict.fromkeys(
        ("text", "search", "function"), each
    )
    assert counted["vectors"] == 2 * each
    assert counted["neighbours"] == NEAR * each
    assert counted["all"] > ROWS
    assert counted["pairs"] >= 2
    assert 3 * (each - len(METRICS)) <= counted["like"] <= 3 * each
    text = sqlrp.search_sql(con, "codes", asked[0])
    assert ("lambda" in text) == (d >= EDGE)


def changed(kind: str) -> Iterator[str]:
    """What is put into columns of a table after its codes were made."""
    yield "UPDATE t SET f2 = NULL WHERE id = 1"
    yield "UPDATE t SET f0 = NULL, f1 = NULL WHERE id = 4"
    if kind in ("FLOAT", "DOUBLE"):
        for i, value in enumerate(("inf", "-inf", "nan")):
            yield f"UPDATE t SET f{i} = '{value}' WHERE id = {5 + i}"
        yield "UPDATE t SET f3 = 'inf', f4 = '-inf' WHERE id = 8"


@pytest.mark.parametrize("nulls", ["propagate", "zero"])
@pytest.mark.parametrize(("kind", "d"), product(("FLOAT", "DOUBLE", "mixed"), (EDGE, 40)))
def test_null_and_what_is_not_finite_are_as_in_fewer_columns(
    con: Any, by_columns: Any, kind: str, d: int, nulls: Any
) -> None:
    source, _ = made(con, kind, d)
    sqlrp.materialize(P, source, con, "codes", output="bits", nulls=nulls, replace=True)
    for statement in changed(kind):
        con.execute(statement)
    asked = np.random.default_rng(1).normal(size=(2, d)).tolist()

    def call() -> Found:
        return distances(con, source, asked, nulls)

    found, want = call(), by_columns(call)
    ranked = {key for key in want if key[0] != "neighbours"}  # of equal distances any may be among the nearest
    assert ranked == {key for key in found if key[0] != "neighbours"}
    assert any(far is None for far in want.values()) == (nulls == "propagate")
    for key in found.keys() & want.keys():
        one, other = found[key], want[key]
        assert (one is None) == (other is None), key
        if one is not None:
            assert np.isclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True), (key, one, other)


def test_columns_have_the_names_that_the_text_uses(con: Any) -> None:
    """Names of the lambda's parameter, of the query's tables, and such that are quoted."""
    names = ["r", "e", "s", "t", "v", "q", "sqlrp_row", 'a"b', "R_", "lambda", *(f"x{j}" for j in range(EDGE))]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    rows = np.random.default_rng(2).normal(size=(7, len(names)))
    con.execute(f"CREATE OR REPLACE TABLE t (id INTEGER, {', '.join(f'{name} DOUBLE' for name in quoted)})")
    con.executemany(
        f"INSERT INTO t VALUES ({', '.join('?' * (len(names) + 1))})", [[i, *r] for i, r in enumerate(rows)]
    )
    source = sqlrp.Wide("t", features=names)
    sqlrp.materialize(P, source, con, "codes", output="bits", search="near", replace=True)
    x = rows[3].tolist()
    want = np.sort(np.linalg.norm(rows - rows[3], axis=1))
    assert np.allclose(sqlrp.search(con, "codes", x).column("distance"), want)
    assert np.allclose([row[1] for row in con.execute("SELECT * FROM near(?)", [x]).fetchall()], want)
