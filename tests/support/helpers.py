"""Functions that the tests share: tables in three layouts, results from three outputs, and the numpy oracle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from evaluate import evaluate

import sqlrp
from sqlrp import (
    Array,
    LimitError,
    Long,
    PolynomialKernelProjection,
    Projection,
    SparseProjection,
    UnsupportedError,
    Wide,
)
from sqlrp._core.draw import CONSTANT_FEATURE, Ints
from sqlrp._core.errors import SqlrpError
from sqlrp._core.sources import Source
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import Plan, plan
from sqlrp._projections.fixed_stages import FixedStages
from sqlrp._run.bind import resolve
from sqlrp.stages import AppendConstant, Linear

LAYOUTS = ("wide", "array", "long")
SHAPES = (*LAYOUTS, "arrays")
"""The layouts, and an array of each row in two columns."""
TWO = ('a"b', "b")
"""The names of these columns."""
AT = 4
"""How many elements the first of them has."""
OUTPUTS = ("columns", "array", "long")
LOWERINGS = ("inline", "indexed", "relational")
ASKED = (*LOWERINGS, "native")
"""The lowerings of DuckDB: those in plain SQL, and the one that is only ever asked for."""

METHODS: dict[str, Projection] = {
    "linear": SparseProjection(k=7, s=3, seed=5),
    "linear-s1": SparseProjection(k=3, s=1, seed=8),
    "degree2": PolynomialKernelProjection(k=6, s=1, t=3, degree=2, seed=11),
    "degree3-c": PolynomialKernelProjection(k=5, s=3, t=2, degree=3, c=2.0, seed=2),
    "degree1-repeat": PolynomialKernelProjection(k=4, t=3, degree=1, seed=4, minimise_repetition=False),
}

Matrix = npt.NDArray[Any]
Cell = float | int | Decimal | None


def has_layout(name: str, layout: str, **_: Any) -> bool:
    """Whether an engine has tables of the layout, as a condition of a cover."""
    return layout != "array" or ENGINES[name].has_arrays


class Staged(FixedStages):
    """Stages as a method; its text names its temporary tables."""

    def to_json(self) -> str:
        return repr(self.made)


def holding(layout: str) -> tuple[str, ...]:
    """The lowerings of DuckDB that hold for a layout, by rule."""
    return ("relational", "native") if layout == "long" else ASKED


COMBINATIONS = [(layout, lowering) for layout in LAYOUTS for lowering in holding(layout)]
"""Every layout with each lowering of DuckDB that holds for it."""


# -- tables ------------------------------------------------------------------------------------


def quoted(name: str) -> str:
    """A name in double quotes, as SQL and `TableName.parse` read it."""
    return '"' + name.replace('"', '""') + '"'


def load(
    con: Any,
    layout: str,
    rows: Sequence[Sequence[Any]],
    kind: str = "DOUBLE",
    table: str = "t",
    ragged: bool = False,
) -> Source:
    """Make a table of the rows (ids from 0) in the layout, and the source that reads it.

    In the long layout zeros are left out, but for the first feature of a row, so that no row vanishes. The cells go to
    DuckDB as one parameter of strings, so that nan, inf and 128-bit integers arrive as they are: it reads a literal of
    SQL in 20 µs, and one of these in 1.
    """
    d, name, ids = len(rows[0]), quoted(table), list(range(len(rows)))
    texts = [[None if value is None else str(value) for value in row] for row in rows]
    if layout == "wide":
        declared = [f"f{j} {kind}" for j in range(d)]
        read = [f"CAST(r[{j + 1}] AS {kind})" for j in range(d)]
        source: Source = Wide(name)
    elif layout == "array":
        declared, read = [f"x {kind}[{'' if ragged else d}]"], [f"CAST(r AS {kind}[])"]
        source = Array(name, "x")
    elif layout == "arrays":
        declared = [f"{quoted(n)} {kind}[{size}]" for n, size in zip(TWO, ("", d - AT), strict=True)]
        read = [f"CAST({part} AS {kind}[])" for part in (f"r[:{AT}]", f"r[{AT + 1}:]")]
        source = Array(name, TWO)
    else:
        declared, read = ["feature INTEGER", f"value {kind}"], ["CAST(r[1] AS INTEGER)", f"CAST(r[2] AS {kind})"]
        kept = [(i, j) for i in ids for j in range(d) if j == 0 or rows[i][j] is None or rows[i][j] != 0]
        ids, texts = [i for i, _ in kept], [[str(j), texts[i][j]] for i, j in kept]
        source = Long(name, n_features=d)
    con.execute(f"CREATE OR REPLACE TABLE {name} (id BIGINT, {', '.join(declared)})")
    cells = "SELECT unnest($1::BIGINT[]) AS i, unnest($2::VARCHAR[][]) AS r"
    con.execute(f"INSERT INTO {name} SELECT i, {', '.join(read)} FROM ({cells})", [ids, texts])
    return source


# -- results -----------------------------------------------------------------------------------


def cells(result: pa.Table, output: str, k: int, key: str = "id", sparse: bool = False) -> dict[Any, list[Cell]]:
    """The k outputs of every key, whatever the shape of the result; keys must be distinct.

    `sparse`: long output of a long source, from which zeros are absent but for the first component's.
    Asserts that the columns of the shape, and no others besides kept ones, are there.
    """
    keys = result.column(key).to_pylist()
    if output == "columns":
        names = [f"z{c}" for c in range(k)]
        assert result.column_names[-k:] == names
        rows = list(zip(*(result.column(name).to_pylist() for name in names), strict=True))
        found = {i: list(row) for i, row in zip(keys, rows, strict=True)}
    elif output in ("array", "vector"):
        assert result.column_names[-1] == "z"
        found = {
            i: [None] * k if z is None else list(z) for i, z in zip(keys, result.column("z").to_pylist(), strict=True)
        }
    else:
        assert result.column_names[-2:] == ["component", "value"]
        parts: dict[Any, dict[int, Cell]] = {}
        columns = (result.column(name).to_pylist() for name in ("component", "value"))
        for i, component, value in zip(keys, *columns, strict=True):
            of_row = parts.setdefault(i, {})
            assert component not in of_row, f"component {component} of row {i} came twice"
            of_row[component] = value
        if sparse:
            assert all(value != 0 or c == 0 for of_row in parts.values() for c, value in of_row.items())
            parts = {i: dict.fromkeys(range(k), 0.0) | of_row for i, of_row in parts.items()}
        assert all(sorted(of_row) == list(range(k)) for of_row in parts.values())
        found = {i: [of_row[c] for c in range(k)] for i, of_row in parts.items()}
    assert output == "long" or len(found) == len(keys), "a key came twice"
    assert all(len(row) == k for row in found.values())
    return found


def projected(
    con: Any, projection: Projection, source: Source | str, output: str = "columns", **options: Any
) -> dict[Any, list[Cell]]:
    """The projected rows by key."""
    result = sqlrp.project(projection, source, con, output=output, **options)  # type: ignore[arg-type]
    return cells(result, output, projection.k, sparse=isinstance(source, Long))


# -- the oracle --------------------------------------------------------------------------------


def exact(rows: Sequence[Sequence[Any]]) -> Matrix:
    """Rows of integers or decimals as an array of Python objects."""
    out = np.empty((len(rows), len(rows[0])), dtype=object)
    out[...] = [list(row) for row in rows]
    return out


def oracle(projection: Projection, x: Matrix, scale: bool = True, features: Ints | None = None) -> Matrix:
    """The stages by `evaluate.evaluate`, times the factor: float64, or objects for exact sums."""
    d = x.shape[1]
    numbers = np.arange(d, dtype=np.int64) if features is None else features
    z = evaluate(projection.stages(d), x, numbers)
    return z.astype(np.float64) * projection.factor(d) if scale else z


def magnitude(projection: Projection, x: Matrix, scale: bool = True, features: Ints | None = None) -> Matrix:
    """For each row a bound on what its outputs add up: the scale that rounding errors are relative to."""
    d = x.shape[1]
    numbers = np.arange(d, dtype=np.int64) if features is None else features
    with np.errstate(invalid="ignore", over="ignore"):
        a = np.abs(np.where(np.isfinite(x.astype(np.float64)), x.astype(np.float64), 0.0))
        for stage in projection.stages(d):
            if isinstance(stage, AppendConstant):
                a = np.concatenate([a, np.full((len(a), 1), abs(stage.value))], axis=1)
                numbers = np.append(numbers, np.int64(CONSTANT_FEATURE))
            elif isinstance(stage, Linear):
                a = a @ np.abs(stage.matrix(numbers).astype(np.float64))
            else:
                a = a[:, stage.table].prod(axis=3).sum(axis=2)
        return a.max(axis=1, initial=0.0) * (projection.factor(d) if scale else 1.0)


def assert_close(
    got: dict[Any, list[Cell]],
    want: Matrix,
    row_scale: Matrix,
    rtol: float = 1e-9,
    null: npt.NDArray[np.bool_] | None = None,
) -> None:
    """Every row near its oracle, relative to the row's scale; NaN, inf and NULL (`null`: rows) alike."""
    assert sorted(got) == list(range(len(want)))
    for i, row in got.items():
        if null is not None and null[i]:
            assert row == [None] * len(row), f"row {i} holds a NULL: {row}"
            continue
        assert None not in row, f"row {i} holds no NULL: {row}"
        for c, (value, target) in enumerate(zip(row, want[i], strict=True)):
            a, b = float(value), float(target)  # type: ignore[arg-type]
            if math.isfinite(b):
                assert abs(a - b) <= rtol * row_scale[i], f"row {i}, z{c}: {a!r}, not {b!r}"
            else:
                assert a == b or (math.isnan(a) and math.isnan(b)), f"row {i}, z{c}: {a!r}, not {b!r}"


def assert_projected(got: pa.Table, want: Matrix) -> None:
    """The columns z0, z1 and so on have the numbers, of the row of each id, within 1e-9."""
    assert got.column_names == ["id", *(f"z{c}" for c in range(want.shape[1]))]
    order = np.argsort(got["id"].to_numpy())
    found = np.column_stack([got[name].to_numpy() for name in got.column_names[1:]])[order]
    assert np.abs(found - want).max() <= 1e-9 * max(1, np.abs(want).max())


def assert_of_cells(engine: Any, projection: Projection, value: str, x: Matrix) -> None:
    """The rows x are projected right from the cells of an open vocabulary. `value`: the column of their numbers."""
    assert_projected(sqlrp.project(projection, Long("cells", value=value), engine), oracle(projection, x))


def projected_or_refused(projection: Projection, source: Source, connection: Any) -> tuple[pa.Table | None, str]:
    """The projection, and the words of the error if it is refused."""
    try:
        return sqlrp.project(projection, source, connection), ""
    except (UnsupportedError, LimitError) as error:
        return None, str(error)


def z_of(projection: Projection, x: Any) -> Any:
    """The projected rows by the oracle, scaled."""
    return evaluate(projection.stages(x.shape[1]), x, np.arange(x.shape[1])) * projection.factor(x.shape[1])


def exact_oracle(projection: Projection, rows: list[list[Any]]) -> list[list[Any]]:
    """The oracle in unbounded integers, by way of the unit of the decimals."""
    digits = max((-int(v.as_tuple().exponent) for row in rows for v in row if isinstance(v, Decimal)), default=0)
    whole = [[int(v * 10**digits) for v in row] for row in rows]
    stages: Any = projection.stages(len(rows[0]))
    degree = 1
    if isinstance(projection, PolynomialKernelProjection):
        degree = projection.degree
        if projection.c and digits:
            stages = (replace(stages[0], value=stages[0].value * 10**digits), *stages[1:])
    z = evaluate(stages, exact(whole), np.arange(len(rows[0])))
    if not digits:
        return [[int(v) for v in row] for row in z]
    return [[Decimal(int(v)).scaleb(-digits * degree) for v in row] for row in z]


def planned(projection: Projection, d: int, rows: int | None, **options: Any) -> Plan:
    """The plan for a wide table of d features and as many rows."""
    frame = resolve(Wide("t", features=[f"f{j}" for j in range(d)]), None, ENGINES["duckdb"])
    return plan(Job(projection, replace(frame, rows=rows), ENGINES["duckdb"]), **options)


# -- errors ------------------------------------------------------------------------------------


def assert_one_line(caught: pytest.ExceptionInfo[BaseException], *words: str, longest: int = 700) -> None:
    """An error of sqlrp's, one line of bearable length, that has every one of the words."""
    message = str(caught.value)
    assert isinstance(caught.value, SqlrpError)
    assert message == message.strip() != ""
    assert len(message.splitlines()) == 1, message
    assert len(message) <= longest, message
    for word in words:
        assert word in message, f"{word!r} is not in {message!r}"


# -- distances ---------------------------------------------------------------------------------


def squared_distances(gram: Matrix) -> Matrix:
    """The squared distances of all pairs, from the matrix of inner products (or of kernel values).

    ‖φ(x)-φ(y)‖² = K(x,x)+K(y,y)-2K(x,y), with the sign that eq. 4.19 of the thesis lost.
    """
    own = np.diag(gram)
    pairs = np.triu_indices(len(gram), 1)
    return np.asarray((own[:, None] + own[None, :] - 2 * gram)[pairs])


def mean_distortion(z: Matrix, true: Matrix) -> float:
    """The mean relative error of the squared distances (thesis eq. 4.18), over all pairs."""
    return float(np.mean(np.abs(squared_distances(z @ z.T) - true) / true))


def assert_same(one: sqlrp.Report, other: sqlrp.Report) -> None:
    """Two reports alike, but for rounding."""
    found, want = one.measures(), other.measures()
    assert list(found) == list(want)
    for name, value in want.items():
        assert found[name] == pytest.approx(value, rel=1e-9), name
    assert one.q_nx == pytest.approx(other.q_nx, rel=1e-12)
    assert one.r_nx == pytest.approx(other.r_nx, rel=1e-9)
    assert [n for _, n in one.sampled.ratio_histogram] == [n for _, n in other.sampled.ratio_histogram]
