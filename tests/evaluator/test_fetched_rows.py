"""Rows that `project` fetches from an engine in this process, SQLite or chdb, and evaluates here."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import sqlalchemy as sa
from cover import factors, pairwise
from databases import Database
from helpers import METHODS, assert_one_line

import sqlrp
from sqlrp import GaussianProjection, Long, PolynomialKernelProjection, SparseProjection, UnsupportedError, Wide
from sqlrp._core.errors import SqlrpError

DRAW = np.random.default_rng(3)
KINDS = {
    "sqlite": ("REAL", "INTEGER", "NUMERIC", "BOOLEAN", "DECIMAL(9,2)"),
    "clickhouse": ("Float64", "Float32", "Int8", "Int64", "Decimal(9,2)", "Bool"),
}
EXACT = ("INTEGER", "BOOLEAN", "Int8", "Int64", "Bool")
OUTPUTS = ("columns", "array", "long", "bits")


def has_output(name: str, kind: str, output: str, **_: Any) -> bool:
    return kind in KINDS[name] and (name != "sqlite" or output != "array")


def called(projection: sqlrp.Projection, source: Any, connection: Any, **options: Any) -> pa.Table | str:
    """The rows in their order, or the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = sqlrp.project(projection, source, connection, **options)
        except SqlrpError as error:
            return f"{type(error).__name__}: {error}"
    return found.sort_by([(name, "ascending") for name in ("id", "component") if name in found.column_names])


def flat(table: pa.Table) -> tuple[list[tuple[str, str]], list[Any]]:
    """The names and types, without what says whether NULL may be, and the values, NULL as text.

    ClickHouse gives a sum of few whole numbers fewer bits.
    """
    kinds = [
        (field.name, "whole" if pa.types.is_integer(field.type) else str(field.type).replace(" not null", ""))
        for field in table.schema
    ]
    lists = itertools.chain.from_iterable(table.column(name).to_pylist() for name in table.column_names)
    values = itertools.chain.from_iterable(value if isinstance(value, list) else [value] for value in lists)
    return kinds, ["NULL" if value is None else value for value in values]


def assert_same(got: pa.Table | str, want: pa.Table | str) -> None:
    """One result by both roads. Of several NULLs each may name another."""
    if isinstance(got, str) or isinstance(want, str):
        first, other = (str(each).partition("'error'")[0].partition(" [in")[0] for each in (got, want))
        assert first == other
        return
    (kinds, found), (wanted_kinds, wanted) = flat(got), flat(want)
    assert kinds == wanted_kinds
    assert [value if isinstance(value, str) else None for value in found] == [
        value if isinstance(value, str) else None for value in wanted
    ]
    numbers = [float(value) for value in found if not isinstance(value, str)]
    assert numbers == pytest.approx([float(value) for value in wanted if not isinstance(value, str)], 1e-6, 1e-6, True)


@pairwise(
    *(
        factors(
            has_output,
            name=[name],
            kind=KINDS[name],
            method=list(METHODS),
            output=OUTPUTS,
            nulls=["propagate", "zero", "error"],
            scale=[True, False],
            hole=[True, False],
        )
        for name in KINDS
    )
)
def test_both_roads_give_one_result(
    db: Database, kind: str, method: str, output: str, nulls: str, scale: bool, hole: bool, name: str
) -> None:
    projection = METHODS[method]
    numbers = DRAW.integers(0, 2, (7, 6)) if kind in ("BOOLEAN", "Bool") else DRAW.integers(-5, 6, (7, 6))
    rows: list[list[Any]] = [
        [int(n) if kind in EXACT else Decimal(int(n)) / 4 if kind.startswith("D") else int(n) / 4 for n in row]
        for row in numbers
    ]
    if hole:
        rows[3][2] = None
    columns = [("id", "BIGINT"), ("part", "TEXT"), *((f"f{j}", kind) for j in range(6))]
    if name == "clickhouse":
        columns = [(n, k.replace("BIGINT", "Int64").replace("TEXT", "String")) for n, k in columns]
    table = db.make("t", columns, [[i, f"p{i % 2}", *row] for i, row in enumerate(rows)])
    source = Wide(table, features=[f"f{j}" for j in range(6)], keep=["part"])
    options = {"output": output, "nulls": nulls, "scale": scale}
    want = called(projection, source, db.connection, lowering="sql", **options)
    got = called(projection, source, db.connection, lowering="native", **options)
    if isinstance(got, str) and got.startswith("UnsupportedError: lowering = 'native' is not supported here"):
        assert any(said in got for said in ("decimals of its results", "not evaluated in batches")), got
        return
    assert_same(got, want)


CELLS = (
    *("1.5", "'7'", "'abc'", "'7abc'", "''", "' 3 '", "'1e5'", "'0x10'", "'nan'", "'inf'", "x'00ff'", "NULL"),
    *("9223372036854775807", "-9223372036854775808", "9e999", "-9e999", "1e308", "-1e308"),
)
"""Values that SQLite keeps in a column of any type."""
FEW = (SparseProjection(k=3, s=1), PolynomialKernelProjection(k=3, s=1, t=2), GaussianProjection(k=2))


@pytest.fixture(scope="module")
def sqlite() -> Iterator[sa.Connection]:
    with sa.create_engine("sqlite://").connect() as connection:
        yield connection


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("kind", ["INTEGER", "REAL", "NUMERIC", "BOOLEAN", ""])
def test_only_sqlite_says_what_odd_values_become(sqlite: sa.Connection, kind: str, cell: str) -> None:
    run = sqlite.exec_driver_sql
    run("DROP TABLE IF EXISTS t")
    run(f"CREATE TABLE t (id INTEGER PRIMARY KEY, a {kind}, b {kind}, c {kind}, d {kind})")
    run(f"INSERT INTO t VALUES (1, 1, 2, 0, 1), (2, 1, {cell}, 0, 1), (3, {cell}, 1, 1, 1)")
    for projection, nulls in itertools.product(FEW, ("propagate", "zero", "error")):
        want, got = (
            called(projection, Wide("t", features=list("abcd")), sqlite, lowering=lowering, nulls=nulls)
            for lowering in ("sql", "native")
        )
        assert_same(got, want)


def test_the_planner_takes_what_is_faster(sqlite: sa.Connection) -> None:
    """Many sums of few features are computed here, few sums of many features by SQLite."""
    features = ", ".join(f"1.5 * n + {j} AS f{j}" for j in range(60))
    numbers = "WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < 9999) "
    sqlite.exec_driver_sql("DROP TABLE IF EXISTS many")
    sqlite.exec_driver_sql(f"CREATE TABLE many AS {numbers}SELECT n AS id, {features} FROM r")
    many, few = SparseProjection(k=50, s=1), SparseProjection(k=2, s=16)
    said = str(sqlrp.explain(many, "many", sqlite))
    assert "natively in this process, in batches, without SQL" in said
    assert sqlrp.explain(few, "many", sqlite).lowering == "inline"
    assert_same(called(many, "many", sqlite), called(many, "many", sqlite, lowering="sql"))
    assert sqlrp.explain(many, "many", sqlite, lowering="sql").lowering == "inline"
    assert "f59" in sqlrp.sql(many, "many", sqlite)


def test_a_kept_column_may_hold_anything(sqlite: sa.Connection) -> None:
    """Values of one batch are numbers, and those of another are texts."""
    numbers = "WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < 4999) "
    sqlite.exec_driver_sql("DROP TABLE IF EXISTS odd")
    sqlite.exec_driver_sql(
        f"CREATE TABLE odd AS {numbers}SELECT n AS id, CASE WHEN n > 4900 THEN 'x' ELSE n END AS part, "
        "CASE WHEN n > 3000 THEN n ELSE n + 0.5 END AS size, 0.5 * n AS a, 1.5 * n AS b, n + 0.25 AS c FROM r"
    )
    projection = SparseProjection(k=3, s=1)
    for keep in (["size"], ["part", "size"]):
        source = Wide("odd", features=["a", "b", "c"], keep=keep)
        want, got = (called(projection, source, sqlite, lowering=lowering) for lowering in ("sql", "native"))
        assert isinstance(got, pa.Table)
        assert_same(got, want)


def test_rows_that_belong_together_stay_in_the_engine(sqlite: sa.Connection) -> None:
    sqlite.exec_driver_sql("DROP TABLE IF EXISTS cells")
    sqlite.exec_driver_sql("CREATE TABLE cells AS SELECT 1 AS id, 0 AS feature, 2.5 AS value")
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.project(SparseProjection(k=2, s=1), Long("cells", n_features=3), sqlite, lowering="native")
    assert_one_line(caught, "sqlite passes rows in batches, of which each is evaluated alone", "lowering = 'auto'")


@pytest.mark.parametrize("value", [2**29, 2**31, 2**60, 2**62, 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("method", ["linear-s1", "degree3-c"])
def test_sums_of_more_than_64_bits_are_what_sqlite_says(method: str, value: int) -> None:
    """The kernel would wrap around, without a word."""
    with sa.create_engine("sqlite://").connect() as connection:
        connection.exec_driver_sql("CREATE TABLE t (id INTEGER, a BIGINT, b BIGINT, c BIGINT, d BIGINT)")
        connection.exec_driver_sql(f"INSERT INTO t VALUES (0, 1, 2, 3, 4), (1, {value}, {value}, {value}, {value})")
        said = [
            called(METHODS[method], "t", connection, scale=False, lowering=lowering)
            for lowering in ("inline", "native")
        ]
        assert said[0] == said[1]
