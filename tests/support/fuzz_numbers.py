"""Random cases of numbers, as `fuzz` draws them, and their check against exact formulas."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from databases import DOUBLES, Database
from formulas import by_formula
from hypothesis import strategies as st

import sqlrp
from sqlrp import Projection, UnsupportedError
from sqlrp._core.errors import StatementError
from sqlrp._dialects.dialect import OUT_OF_RANGE
from sqlrp._projections import REGISTRY

ENGINES = tuple(DOUBLES)
Case = dict[str, Any]
"""One case, as JSON has it."""

KINDS: dict[str, dict[str, tuple[int, int] | None]] = {
    "duckdb": {
        "DOUBLE": None,
        "FLOAT": None,
        "BOOLEAN": (0, 1),
        "UTINYINT": (0, 2**8 - 1),
        "SMALLINT": (-(2**15), 2**15 - 1),
        "INTEGER": (-(2**31), 2**31 - 1),
        "BIGINT": (-(2**63), 2**63 - 1),
        "UBIGINT": (0, 2**64 - 1),
        "HUGEINT": (-(2**127), 2**127 - 1),
        "UHUGEINT": (0, 2**128 - 1),
        "DECIMAL(9,2)": (-(10**9) + 1, 10**9 - 1),
    },
    "postgresql": {
        "double precision": None,
        "real": None,
        "SMALLINT": (-(2**15), 2**15 - 1),
        "INTEGER": (-(2**31), 2**31 - 1),
        "BIGINT": (-(2**63), 2**63 - 1),
        "NUMERIC(9,2)": (-(10**9) + 1, 10**9 - 1),
    },
    "sqlite": {"REAL": None, "INTEGER": (-(2**63), 2**63 - 1), "BIGINT": (-(2**63), 2**63 - 1), "BOOLEAN": (0, 1)},
    "mariadb": {
        "DOUBLE": None,
        "FLOAT": None,
        "TINYINT UNSIGNED": (0, 255),
        "INT": (-(2**31), 2**31 - 1),
        "BIGINT": (-(2**63), 2**63 - 1),
        "BIGINT UNSIGNED": (0, 2**64 - 1),
        "DECIMAL(9,2)": (-(10**9) + 1, 10**9 - 1),
    },
    "clickhouse": {
        "Float64": None,
        "Float32": None,
        "UInt8": (0, 255),
        "Int32": (-(2**31), 2**31 - 1),
        "Int64": (-(2**63), 2**63 - 1),
        "UInt64": (0, 2**64 - 1),
        "Int128": (-(2**127), 2**127 - 1),
        "Decimal(9,2)": (-(10**9) + 1, 10**9 - 1),
    },
    "spark": {
        "double": None,
        "float": None,
        "boolean": (0, 1),
        "tinyint": (-(2**7), 2**7 - 1),
        "int": (-(2**31), 2**31 - 1),
        "bigint": (-(2**63), 2**63 - 1),
        "decimal(9,2)": (-(10**9) + 1, 10**9 - 1),
    },
}
KINDS["mysql"] = KINDS["mariadb"]
"""The types of every engine's features, with the bounds of whole numbers; a DECIMAL's in its last digit."""

SINGLE = {
    "duckdb": "FLOAT",
    "postgresql": "real",
    "mariadb": "FLOAT",
    "mysql": "FLOAT",
    "clickhouse": "Float32",
    "spark": "float",
}
MOST_SINGLE = float(np.finfo(np.float32).max)
NEAR_MOST = MOST_SINGLE * (1 - 1e-6)
VECTORS = ("duckdb", "clickhouse", "spark")
NATIVE = ("duckdb", "spark")


def readable(value: float) -> float:
    """A number whose products keep their digits: PostgreSQL fails where a product of two is too small for a double."""
    return value if abs(value) >= 1e-6 else 0.0


FINITE = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-6, 1e6]), st.floats(-1e6, 1e6).map(readable))
PARAMETERS: dict[str, st.SearchStrategy[Any]] = {
    "seed": st.one_of(st.integers(0, 9), st.integers(0, 2**53 - 1)),
    "s": st.sampled_from([1, 1, 1.5, 3, "sqrt", 28]),
    "degree": st.integers(1, 3),
    "t": st.integers(1, 3),
    "c": st.sampled_from([0.0, 0.0, 1.0, 2.25]),
    "minimise_repetition": st.booleans(),
    "m": st.sampled_from([1, 2, 4]),
    "modified": st.booleans(),
    "densify": st.sampled_from([None, "householder"]),
    "stratified": st.booleans(),
    "nnz_per_feature": st.integers(1, 3),
    "buckets": st.sampled_from([1, 1, 2, 3]),
    "normalise": st.just(False),
    "padding": st.sampled_from(["power_of_two", "least"]),
    "replacement": st.booleans(),
}


@st.composite
def projections(draw: Any, n_features: int) -> Projection:
    """A projection of any method that is drawn, with small parameters."""
    cls = draw(st.sampled_from([cls for cls in REGISTRY if not cls.needs_state]))
    given_ = {f: draw(PARAMETERS[f]) for f in cls.__dataclass_fields__ if f in PARAMETERS}
    k = draw(st.integers(1, 5))
    split = draw(st.sampled_from([None, *range(1, n_features)])) if "split" in cls.__dataclass_fields__ else None
    if split:
        given_["split"] = split
    if cls is sqlrp.FullBilinearPooling:
        k = split * (n_features - split) if split else n_features**2
    k = (
        min(k, n_features)
        if cls in (sqlrp.RandomSubspace, sqlrp.OrthonormalProjection)
        else k * given_.get("nnz_per_feature", 1) * given_.get("buckets", 1)
    )
    return cls(k=k, **given_)  # type: ignore[no-any-return]


def numbers_of(kind: str, bounds: tuple[int, int] | None) -> st.SearchStrategy[Any]:
    """Cells of a type, as JSON: numbers, and a DECIMAL's as text."""
    if bounds is None:
        return st.floats(-1e6, 1e6, width=32).map(readable) if kind in SINGLE.values() else FINITE
    whole = st.one_of(st.sampled_from([0, 1, *bounds]), st.integers(*bounds), st.integers(0, min(9, bounds[1])))
    if "(" in kind:
        return whole.map(
            lambda n: f"{n // 100 if n >= 0 else -(-n // 100)}.{abs(n) % 100:02}" if abs(n) >= 100 else "0.00"
        )
    return whole


def largest_of(kind: str, bounds: tuple[int, int] | None) -> list[Any]:
    """The largest cells of a type, and those near where other types end."""
    if bounds is None:
        singles = [1234567.0, 16777217.0, 1e20, -1e30, MOST_SINGLE, -MOST_SINGLE, float(np.float32(0.1))]
        return [float(np.float32(v)) for v in singles] if kind in SINGLE.values() else [*singles, 2.0**53, -1e60, 1e80]
    low, high = bounds
    if "(" in kind:
        return [f"{'-' if n < 0 else ''}{abs(n) // 100}.{abs(n) % 100:02}" for n in (low, high)]
    near = [2**24 + 1, -(2**24) - 1, 2**31, 2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**63]
    return [low, low, high, high, *(n for n in near if low <= n <= high)]


@st.composite
def number_cases(draw: Any, engine: str) -> Case:
    """A table and a few projections of it. One of its rows has a NULL, and one has the largest values."""
    has_arrays = engine in ("duckdb", "postgresql", "clickhouse", "spark")
    layout = draw(st.sampled_from(["wide", "wide", "long", *(["array"] if has_arrays else [])]))
    # A list of DuckDB cannot be written with the largest UHUGEINT beside other numbers.
    kind = draw(st.sampled_from(sorted(KINDS[engine].keys() - ({"UHUGEINT"} if layout == "array" else set()))))
    d = draw(st.integers(1, 6))
    cell = numbers_of(kind, KINDS[engine][kind])
    rows = draw(st.lists(st.lists(cell, min_size=d, max_size=d), min_size=1, max_size=2))
    largest = st.sampled_from(largest_of(kind, KINDS[engine][kind]))
    absent = draw(st.lists(cell, min_size=d, max_size=d))
    absent[draw(st.integers(0, d - 1))] = None
    rows += [draw(st.lists(largest, min_size=d, max_size=d)), absent]
    # Another column of a wide table is FLOAT.
    single = SINGLE.get(engine) if layout == "wide" else None
    if single:
        floats = numbers_of(single, None) | st.sampled_from(largest_of(single, None)[:3])
        rows = [[*row, draw(floats)] for row in rows]
    calls = []
    for _ in range(10):
        projection = draw(projections(len(rows[0])))
        outputs = [*(["array"] if has_arrays else []), *(["vector"] if engine in VECTORS else [])]
        lowerings = ["auto", "auto", "inline", "relational", "indexed", *(["native"] * 2 * (engine in NATIVE))]
        output = draw(st.sampled_from(["columns", "long", *outputs]))
        call = {
            "projection": projection.to_json(),
            "output": output,
            "lowering": draw(st.sampled_from(lowerings)),
            "scale": draw(st.booleans()),
            "nulls": draw(st.sampled_from(["propagate", "propagate", "zero", "zero", "error"])),
            "dtype": draw(st.sampled_from(["auto", "float32"] if engine in SINGLE else ["auto"])),
        }
        calls.append(call)
    case = {"engine": engine, "layout": layout, "kind": kind, "rows": rows, "calls": calls}
    return {
        **case,
        **({"single": single} if single else {}),
        **({"ansi": draw(st.booleans())} if engine == "spark" else {}),
    }


def value_of(cell: Any) -> Any:
    """A cell as Python has it."""
    return Decimal(cell) if isinstance(cell, str) else cell


def check_numbers(db: Database, case: Case, seen: Counter[str]) -> None:
    """Every call gives the formula's numbers, or is refused by rule."""
    rows = [[value_of(v) for v in row] for row in case["rows"]]
    kind, single = case["kind"], case.get("single")
    if "ansi" in case:
        db.connection.conf.set("spark.sql.ansi.enabled", str(case["ansi"]).lower())
    booleans = len(rows[0]) - bool(single) if kind.lower() == "boolean" and db.name != "sqlite" else 0
    typed = [[bool(v) if j < booleans and v is not None else v for j, v in enumerate(row)] for row in rows]
    kinds = [*[kind] * (len(rows[0]) - 1), single] if single else kind
    sources: dict[bool, Any] = {}
    for call in case["calls"]:
        projection = sqlrp.from_json(call["projection"])
        grouped = bool(projection.key_argument)
        if grouped and case["layout"] == "long":
            seen["refused"] += 1
            continue
        if grouped not in sources:
            ids = [i // 2 for i in range(len(rows))] if grouped else None
            sources[grouped] = db.load(case["layout"], typed, kinds, table=f"t{int(grouped)}", ids=ids)
        floats = db.name == "duckdb" and "FLOAT" in (kind, single)  # it computes in FLOAT, unless a type needs more
        check_call(db, sources[grouped], projection, rows, floats, call, seen)


def check_call(
    db: Database,
    source: Any,
    projection: Projection,
    rows: list[list[Any]],
    floats: bool,
    call: Case,
    seen: Counter[str],
) -> None:
    options = {name: call[name] for name in ("output", "lowering", "scale", "nulls")}
    single = call.get("dtype", "auto") == "float32" or (call["output"] == "vector" and db.engine.vectors_are_single)
    want, bound, null = expected(projection, rows, call["nulls"])
    factor = projection.factor(len(rows[0])) if call["scale"] else None
    absent = any(v is None for row in rows for v in row)
    wrong = call["nulls"] == "error" and absent
    try:
        got = db.projected(projection, source, dtype=call.get("dtype", "auto"), **options)
    except UnsupportedError:
        refused = True
    except Exception as error:
        if wrong and "a feature is NULL" in str(error):
            seen["failed as asked"] += 1
            return
        if not may_fail(db, error, want, bound, 1.0 if factor is None else factor, single):
            raise
        seen["failed beyond the range"] += 1
        return
    else:
        refused = False
    if refused:
        assert call["lowering"] != "auto", "the planner has a lowering for every method"
        seen["refused"] += 1
        return
    assert not wrong, "a NULL must fail"
    assert sorted(got) == list(range(len(want)))
    for i, row in got.items():
        if null[i]:
            assert row == [None] * projection.k, (i, row)
            continue
        whole = all(float(v or 0).is_integer() for values in rows for v in values) and whole_weights(projection)
        of_row = rows[2 * i : 2 * i + 2] if projection.key_argument else [rows[i]]
        largest = max(abs(float(v or 0)) for values in of_row for v in values)
        assert_row(row, want[i], bound[i], factor, floats, single, whole, largest)
    seen["cases"] += 1


def may_fail(
    db: Database,
    error: Exception,
    want: list[list[Fraction]],
    bound: list[list[Fraction]],
    factor: float,
    single: bool,
) -> bool:
    """Whether a statement fails by rule, in words of sqlrp: a number is beyond its type."""
    if not isinstance(error, StatementError):
        return False
    most = max(max(row) for row in bound)
    if "no exact whole number of 64 bits" in str(error):
        return db.name == "sqlite" and (most >= 2**63 - 1 or any(c.denominator > 1 for row in want for c in row))
    if OUT_OF_RANGE not in str(error):
        return False
    sizes = [abs(float(c) * factor) for row in want for c in row]
    largest = max(size + 1e-9 * float(b) for size, b in zip(sizes, (b for row in bound for b in row), strict=True))
    return single and (largest >= NEAR_MOST or any(0 < size < 1e-37 for size in sizes))


def expected(
    projection: Projection, rows: list[list[Any]], nulls: str
) -> tuple[list[list[Fraction]], list[list[Fraction]], list[bool]]:
    """By row, or group of two: the exact outputs, what they add up at most, and whether they are NULL."""
    grouped = bool(projection.key_argument)
    exact = [[Fraction(v) if v is not None else Fraction(0) for v in row] for row in rows]
    null = [nulls == "propagate" and any(v is None for v in row) for row in rows]
    want, bound = ([by_formula(projection, row, absolute) for row in exact] for absolute in (False, True))
    if grouped:
        pairs = [slice(i, i + 2) for i in range(0, len(rows), 2)]
        want, bound = (
            [[sum(c, Fraction(0)) for c in zip(*part[at], strict=True)] for at in pairs] for part in (want, bound)
        )
        null = [any(null[at]) for at in pairs]
    return want, bound, null


def assert_row(
    row: list[Any],
    want: list[Fraction],
    bound: list[Fraction],
    factor: float | None,
    floats: bool,
    single: bool,
    whole: bool,
    largest: float,
) -> None:
    """Decimals to the digit, and floats to the digit where they are `whole` and hold every sum; else near.

    `floats`: the engine computes in 32-bit floats. `single`: it writes them. `largest`: of the row's features.
    """
    for c, (value, exact, most) in enumerate(zip(row, want, bound, strict=True)):
        assert value is not None, (c, row)
        exactly = whole and most < 2 ** (24 if single else 53) and not floats
        if factor is None and (isinstance(value, (int, Decimal)) or exactly):
            assert Fraction(value) == exact, (c, value, exact)
            continue
        target = float(exact) * (1.0 if factor is None else factor)
        size = float(most) * abs(1.0 if factor is None else factor)
        if floats and not math.isfinite(value):
            assert largest > 1e12, (c, value, target)  # a sum or a product on the way may be infinite
            continue
        near = (1e-4 if floats else 1e-9) * size + (abs(target) * 2**-23 + 1e-44 if single else 0.0) + 1e-290
        if single and abs(value) >= NEAR_MOST:
            assert math.copysign(1.0, value) * target + near >= NEAR_MOST, (c, value, target)
            continue
        assert math.isfinite(value), (c, value, target)
        assert abs(float(value) - target) <= near, (c, value, target)


def whole_weights(projection: Projection) -> bool:
    """Whether the method keeps whole numbers whole."""
    constant = math.sqrt(getattr(projection, "c", 0.0)).is_integer()
    floats = (
        sqlrp.GaussianProjection,
        sqlrp.OrthonormalProjection,
        sqlrp.ExplicitPolynomialProjection,
        sqlrp.RandomFourierFeatures,
    )
    return constant and not isinstance(projection, floats)
