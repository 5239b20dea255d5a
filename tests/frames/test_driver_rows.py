"""Values of Python, which drivers give, arrive in Arrow: those of any columns, in batches of any size."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

import sqlrp
from sqlrp._connectors.driver_rows import in_batch, in_table

FLOATS = st.floats(allow_nan=False)
COLUMNS = (
    FLOATS,
    st.one_of(FLOATS, st.none()),
    st.one_of(FLOATS, st.integers(-(2**62), 2**62)),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(0, 2**64 - 1),
    st.integers(-(2**80), 2**80),
    st.one_of(FLOATS, st.text(max_size=2)),
    st.one_of(st.none(), st.booleans()),
    st.one_of(st.binary(max_size=2), FLOATS),
    st.decimals(-1000, 1000, places=3),
    st.dates(),
    st.just(None),
)
"""What the values of a column are drawn from."""


@st.composite
def rows(draw: Any) -> tuple[list[tuple[Any, ...]], int]:
    """Rows of a few columns, often of floats side by side, and the size of their batches."""
    kinds = draw(st.lists(st.sampled_from((*COLUMNS[:1] * 12, *COLUMNS)), min_size=1, max_size=24))
    count = draw(st.integers(0, 6))
    return [tuple(draw(kind) for kind in kinds) for _ in range(count)], draw(st.integers(1, 4))


def arrives(got: Any, value: Any) -> bool:
    """Whether a value is as it was: a whole number among floats is the nearest one, and what is mixed is text."""
    if isinstance(got, str) and not isinstance(value, str):
        return got == str(value)
    if isinstance(got, float) and isinstance(value, int):
        return got == float(value)
    if isinstance(got, Decimal) and isinstance(value, int):
        return int(got) == value
    return bool(got == value and type(got) is type(value))


@given(rows())
def test_every_value_arrives(drawn: tuple[list[tuple[Any, ...]], int]) -> None:
    found, size = drawn
    if not found:
        return
    names = [f"c{i}" for i in range(len(found[0]))]
    batches = [found[at : at + size] for at in range(0, len(found), size)]
    tables = [in_table(names, [None] * len(names), batches)]
    tables += [pa.Table.from_batches([in_batch(names, [None] * len(names), batch)]) for batch in batches]
    for table, wanted in zip(tables, [found, *batches], strict=True):
        got = [table.column(name).to_pylist() for name in names]
        for column, values in zip(got, zip(*wanted, strict=True), strict=True):
            assert all(map(arrives, column, values)), (column, values)


def test_a_column_has_the_type_of_all_its_values() -> None:
    """Of each batch alone it would be another."""
    batches = [[(1.5,) * 9 + (1,)], [(None, *(2.5,) * 8, 2.5)], [("x", *(3.5,) * 8, None)]]
    table = in_table([f"c{i}" for i in range(10)], [None] * 10, batches)
    assert table.column("c0").to_pylist() == ["1.5", None, "x"]
    assert {str(table.column(f"c{i}").type) for i in range(1, 10)} == {"double"}
    declared = in_table(["a", "b"], [pa.int64(), pa.date32()], [[(1, datetime.date(2020, 1, 2)), (None, None)]])
    assert [str(field.type) for field in declared.schema] == ["int64", "date32[day]"]
    assert in_table(["a"], [pa.int64()], []).schema == pa.schema([("a", pa.int64())])
    assert in_table([], [], [[(1, "x")]]).column_names == ["0", "1"]


def test_infinity_and_nan_stay() -> None:
    table = in_table([f"c{i}" for i in range(9)], [None] * 9, [[(math.inf, -math.inf, math.nan, *(0.0,) * 6)]])
    first, second, third = (table.column(i)[0].as_py() for i in range(3))
    assert (first, second) == (math.inf, -math.inf)
    assert math.isnan(third)


@pytest.mark.parametrize("value", [2**53 + 1, 2**62])
def test_a_kept_column_of_sqlite_may_hold_floats_and_great_numbers(value: int) -> None:
    with sa.create_engine("sqlite://").connect() as connection:
        connection.exec_driver_sql("CREATE TABLE t (id INTEGER PRIMARY KEY, odd, a REAL, b REAL)")
        connection.exec_driver_sql(f"INSERT INTO t VALUES (1, 1.5, 1, 2), (2, {value}, 3, 4)")
        source = sqlrp.Wide("t", features=["a", "b"], keep=["odd"])
        found = sqlrp.project(sqlrp.SparseProjection(k=1, s=1), source, connection)
    assert found.sort_by("id").column("odd").to_pylist() == [1.5, float(value)]
