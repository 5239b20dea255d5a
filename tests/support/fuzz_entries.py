"""Random tables that other packages made, given to every entry of sqlrp, as `fuzz` draws them, against exact formulas.

A case says who makes the table (numpy, scipy, pandas, polars, pyarrow), of which types, cut and ordered how, by which
door it comes in (a frame, a registered view, a function in SQL, a file, a transformer, another database) and under
which settings. The rows repeat up to the sizes at which the code changes its road.
"""

from __future__ import annotations

import math
import tempfile
import warnings
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import sqlalchemy as sa
from fuzz_numbers import Case, assert_row, expected, projections, readable, whole_weights
from hypothesis import strategies as st
from scipy import sparse

import sqlrp
import sqlrp.sklearn
from sqlrp._core.errors import SqlrpError, StatementError
from sqlrp._dialects.dialect import OUT_OF_RANGE

SIZES = (1, 2, 3, 100, 1_024, 2_047, 2_048, 2_049, 4_096, 10_000, 122_880, 122_881)
"""Numbers of rows: DuckDB's vectors have 2,048, its row groups 122,880, and a file's batches come in others."""
NAMES = (
    "a",
    "b c",
    "É",
    'q"uote',
    "select",
    "0",
    "key",
    "value",
    "ok",
    "x.y",
    "Z0",
    "row",
    "f'g",
    "ß",
    "%s",
    ":p",
    "{d}",
)
BOUNDS: dict[str, tuple[int, int] | None] = {
    "float64": None,
    "float32": None,
    "float16": (-2048, 2048),
    "bool": (0, 1),
    **{f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
    "decimal": (-(10**9) + 1, 10**9 - 1),
}
"""What every package has, with the bounds of whole numbers; a decimal's in its second digit after the point."""
PLAIN = tuple(kind for kind in BOUNDS if kind != "decimal")
WRAPPED: dict[str, tuple[str, ...]] = {
    "numpy": ("",),
    "scipy": ("",),
    "pandas": ("", "nullable", "category", "sparse", "arrow", "object"),
    "polars": ("",),
    "arrow": ("", "dictionary", "runs"),
}
"""How a package may hold the same numbers."""
DOORS: dict[str, tuple[str, ...]] = {
    "numpy": ("given", "transformer", "vector"),
    "scipy": ("given", "transformer"),
    "pandas": ("given", "registered", "function", "with", "parquet", "csv", "sqlite", "transformer", "kept"),
    "polars": ("given", "lazy", "registered", "function", "with", "parquet", "csv", "transformer", "kept"),
    "arrow": ("given", "reader", "dataset", "registered", "function", "with", "parquet", "csv", "kept"),
}
_IN_DUCKDB = {"float16": "float32", "sparse": ""}
WRITTEN: dict[str, dict[str, str]] = {
    **dict.fromkeys(("registered", "function", "with", "kept"), _IN_DUCKDB),
    "parquet": {"sparse": "", "runs": ""},
    "csv": {"runs": ""},
    "sqlite": {"uint64": "float64", "decimal": "float64", "category": "", "object": ""},
}
"""What the makers cannot write, or DuckDB cannot read, and what is written in its place."""
SETTINGS = {
    "threads": (1, 2),
    "preserve_insertion_order": (True, False),
    "default_null_order": ("NULLS FIRST", "NULLS LAST"),
    "default_order": ("ASC", "DESC"),
    "integer_division": (True, False),
    "default_collation": ("", "NOCASE"),
    "old_implicit_casting": (True, False),
    "produce_arrow_string_view": (True, False),
    "arrow_large_buffer_size": (True, False),
    "ieee_floating_point_ops": (True, False),
    "python_enable_replacements": (True, False),
}
ORDERS = ("C", "F", "reversed", "strided", "swapped", "masked", "readonly", "list")
SPARSE = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")


def cells_of(kind: str) -> st.SearchStrategy[Any]:
    """Cells of a type, as JSON has them; a decimal's as text."""
    bounds = BOUNDS[kind]
    if bounds is None:
        return st.floats(-1e6, 1e6, width=32 if kind == "float32" else 64).map(readable)
    whole = st.one_of(st.sampled_from([0, 1, *bounds]), st.integers(*bounds), st.integers(0, min(9, bounds[1])))
    return whole.map(lambda n: str(Decimal(n).scaleb(-2))) if kind == "decimal" else whole


@st.composite
def entry_cases(draw: Any) -> Case:
    """A table, and how it comes in."""
    maker = draw(st.sampled_from(sorted(DOORS)))
    d = draw(st.integers(1, 5))
    alike = maker in ("numpy", "scipy")
    kinds = PLAIN if alike or draw(st.booleans()) else tuple(BOUNDS)
    if maker == "scipy":
        kinds = tuple(kind for kind in kinds if kind != "float16")
    kind = st.sampled_from(kinds)
    columns = [draw(kind)] * d if alike else draw(st.lists(kind, min_size=d, max_size=d))
    rows = draw(st.lists(st.tuples(*map(cells_of, columns)).map(list), min_size=1, max_size=3))
    if not alike and draw(st.booleans()) and len(rows) > 1:  # a column of a CSV file needs a value to have a type
        rows[-1][draw(st.integers(0, d - 1))] = None
    return {
        "maker": maker,
        "door": draw(st.sampled_from(DOORS[maker])),
        "kinds": columns,
        "wrapped": [draw(st.sampled_from(WRAPPED[maker])) for _ in columns],
        "names": draw(st.lists(st.sampled_from(NAMES), min_size=d, max_size=d, unique=True)),
        "rows": rows,
        "size": draw(st.sampled_from((0, 0, 0, *(size for size in SIZES if size >= len(rows))))),
        "cut": draw(st.sampled_from(["", "chunks", "slice"])),
        "order": draw(st.sampled_from(SPARSE if maker == "scipy" else ORDERS)),
        "settings": draw(st.fixed_dictionaries({}, optional={n: st.sampled_from(v) for n, v in SETTINGS.items()})),
        "nulls": draw(st.sampled_from(["propagate", "zero", "error"])),
        "scale": draw(st.booleans()),
        "output": draw(st.sampled_from(["columns", "columns", "array", "long"])),
        "projection": draw(projections(d).filter(lambda p: not p.key_argument)).to_json(),
    }


# -- the tables -------------------------------------------------------------------------------------------

NUMPY = {kind: np.dtype(kind) for kind in PLAIN}
ARROW = {**{kind: pa.from_numpy_dtype(kind) for kind in PLAIN}, "decimal": pa.decimal128(18, 2)}


def value_of(cell: Any) -> Any:
    """A cell as Python has it."""
    return Decimal(cell) if isinstance(cell, str) else cell


def arrow_column(kind: str, values: Sequence[Any], wrapped: str) -> pa.Array:
    """A column as pyarrow makes it."""
    typed = [np.float16(v) if kind == "float16" and v is not None else v for v in values]
    if kind == "bool":
        typed = [None if v is None else bool(v) for v in values]
    made = pa.array(typed, ARROW[kind])
    if wrapped == "dictionary" and kind != "float16":  # which pyarrow does not encode
        return made.dictionary_encode()
    if wrapped == "runs":
        ends = pa.array(range(1, len(made) + 1), pa.int32())
        return pa.RunEndEncodedArray.from_arrays(ends, made)
    return made


NULLABLE = {kind: kind.replace("uint", "UInt").replace("int", "Int").replace("float", "Float") for kind in PLAIN}
NULLABLE["bool"] = "boolean"
"""The types of pandas that have NULL, each with its numpy type."""


def pandas_column(kind: str, values: Sequence[Any], wrapped: str) -> Any:
    """A column as pandas makes it."""
    if wrapped == "object" or kind == "decimal":
        return pd.Series(list(values), dtype=object)
    if wrapped == "arrow":
        return pd.Series(pd.array(arrow_column(kind, values, ""), dtype=pd.ArrowDtype(ARROW[kind])))
    if wrapped == "nullable" and kind != "float16":
        return pd.Series(list(values), dtype=NULLABLE[kind])
    absent = any(v is None for v in values)
    plain = pd.Series([math.nan if v is None else v for v in values], dtype="float64" if absent else kind)
    if wrapped == "category" and kind != "float16":  # which pandas has no index of
        return plain.astype("category")
    if wrapped == "sparse":
        return plain.astype(pd.SparseDtype(plain.dtype))
    return plain


POLARS = {
    "float64": pl.Float64, "float32": pl.Float32, "float16": pl.Float32, "bool": pl.Boolean,
    "decimal": pl.Decimal(18, 2), **{f"int{b}": getattr(pl, f"Int{b}") for b in (8, 16, 32, 64)},
    **{f"uint{b}": getattr(pl, f"UInt{b}") for b in (8, 16, 32, 64)},
}  # fmt: skip


def tiled(values: Sequence[Any], size: int) -> list[Any]:
    """Values repeated up to a size; 0 is as many as there are."""
    size = size or len(values)
    return (list(values) * (size // len(values) + 1))[:size]


def frame_of(case: Case) -> Any:
    """The table, with a key `id`, as its maker makes it."""
    rows = [[value_of(v) for v in row] for row in case["rows"]]
    size = case["size"] or len(rows)
    columns = [tiled([row[j] for row in rows], size) for j in range(len(case["kinds"]))]
    maker, extra = case["maker"], 2 if case["cut"] == "slice" else 0
    if extra:
        columns = [[column[-1], column[-1], *column, column[0]] for column in columns]
    ids = [*range(-extra, size), *([size] if extra else [])]
    kinds = [WRITTEN.get(case["door"], {}).get(kind, kind) for kind in case["kinds"]]
    wrapped = [WRITTEN.get(case["door"], {}).get(w, w) for w in case["wrapped"]]
    named = list(zip(case["names"], kinds, columns, wrapped, strict=True))
    if maker == "pandas":
        frame = pd.DataFrame({"id": ids, **{n: pandas_column(k, v, w) for n, k, v, w in named}})
        frame = frame.iloc[extra : extra + size] if extra else frame
        return pd.concat([frame.iloc[: size // 2], frame.iloc[size // 2 :]]) if case["cut"] == "chunks" else frame
    if maker == "polars":
        made = pl.DataFrame({"id": ids, **{
            n: pl.Series([None if v is None else bool(v) if k == "bool" else v for v in values], dtype=POLARS[k])
            for n, k, values, _ in named
        }})  # fmt: skip
        made = made.slice(extra, size) if extra else made
        return pl.concat([made[: size // 2], made[size // 2 :]], rechunk=False) if case["cut"] == "chunks" else made
    table = pa.table({"id": ids, **{n: arrow_column(k, v, w) for n, k, v, w in named}})
    table = table.slice(extra, size) if extra else table
    return pa.concat_tables([table.slice(0, size // 2), table.slice(size // 2)]) if case["cut"] == "chunks" else table


def matrix_of(case: Case) -> Any:
    """The rows without names, as numpy or scipy makes them."""
    kind, order = NUMPY[case["kinds"][0]], case["order"]
    x = np.array(tiled(case["rows"], case["size"]), dtype=object).astype(kind)
    if case["maker"] == "scipy":
        made = sparse.csr_array(x) if case["cut"] else sparse.csr_matrix(x)
        return made.asformat(order)
    if order == "F":
        return np.asfortranarray(x)
    if order == "reversed":
        return x[::-1, ::-1].copy()[::-1, ::-1]
    if order == "strided":
        return np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3]
    if order == "swapped":
        return x.astype(kind.newbyteorder())
    if order == "masked":
        return np.ma.array(x)
    if order == "list":
        return x.tolist()
    if order == "readonly":
        x.flags.writeable = False
    return x


# -- the doors --------------------------------------------------------------------------------------------


class Doors:
    """A database of DuckDB, and a folder for files."""

    def __init__(self) -> None:
        self._folder, self.turn = tempfile.TemporaryDirectory(), 0
        self.connection = duckdb.connect()
        sqlrp.install(self.connection)
        self.defaults = {n: self.connection.execute(f"SELECT current_setting('{n}')").fetchone()[0] for n in SETTINGS}

    def numbers(self, case: Case) -> list[list[Any]]:
        """The rows of the result by their key, a list for each row."""
        self.turn += 1
        for name, value in {**self.defaults, **case["settings"]}.items():
            self.connection.execute(f"SET {name} = {str(value).lower() if not isinstance(value, str) else repr(value)}")
        projection = sqlrp.from_json(case["projection"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if case["maker"] in ("numpy", "scipy"):
                return self._of_matrix(projection, matrix_of(case), case)
            return self._of_frame(projection, frame_of(case), case)

    def _of_matrix(self, projection: sqlrp.Projection, x: Any, case: Case) -> list[list[Any]]:
        options = {"nulls": case["nulls"], "scale": case["scale"]}
        if case["door"] == "vector":
            return [list(sqlrp.project_vector(projection, row)) for row in tiled(x, min(len(x), 5))]
        if case["door"] == "transformer":
            return rows_of(transformer_of(projection).fit_transform(x))
        return rows_of(sqlrp.project(projection, x, **options))

    def _of_frame(self, projection: sqlrp.Projection, frame: Any, case: Case) -> list[list[Any]]:
        door = case["door"]
        if door == "transformer":
            features = frame.drop(columns=["id"]) if isinstance(frame, pd.DataFrame) else frame.drop("id")
            return rows_of(transformer_of(projection).fit_transform(features))
        if door in ("function", "with", "kept"):
            return self._in_sql(projection, frame, case)
        options = {"nulls": case["nulls"], "scale": case["scale"], "output": case["output"]}
        source, connection = self._source(frame, door)
        try:
            result = sqlrp.project(projection, source, connection, **options)
            return by_key(result, case["output"])
        finally:
            if isinstance(connection, sa.engine.Engine):
                connection.dispose()

    def _source(self, frame: Any, door: str) -> tuple[Any, Any]:
        """What is given to `project`, with its connection."""
        if door == "registered":
            self.connection.register("given", frame)
            return "given", self.connection
        if door == "sqlite":
            engine = sa.create_engine("sqlite://", poolclass=sa.pool.StaticPool)
            frame.to_sql("given", engine, index=False)
            return "given", engine
        if door in ("parquet", "csv"):
            return str(self._written(frame, door)), self.connection
        if door == "lazy":
            return frame.lazy(), None
        if door == "reader":
            return frame.to_reader(max_chunksize=1_000), None
        if door == "dataset":
            return ds.dataset(frame), None
        return frame, None

    def _written(self, frame: Any, door: str) -> Path:
        """A file as the frame's own package writes it."""
        path = Path(self._folder.name) / f"{self.turn}.{door}"
        if isinstance(frame, pd.DataFrame):
            frame.to_csv(path, index=False) if door == "csv" else frame.to_parquet(path)
        elif isinstance(frame, pl.DataFrame):
            {"csv": frame.write_csv, "parquet": frame.write_parquet}[door](path)
        elif door == "csv":
            arrow_csv.write_csv(frame, path)
        else:
            pq.write_table(frame, path, row_group_size=1_000)
        return path

    def _in_sql(self, projection: sqlrp.Projection, frame: Any, case: Case) -> list[list[Any]]:
        """By a function that stays in the database, by a saved projection, or in a table that is kept."""
        con, door, d = self.connection, case["door"], len(case["kinds"])
        con.register("given", frame)
        if door == "kept":
            sqlrp.materialize(
                projection, "given", con, "made", replace=True,
                output=case["output"], scale=case["scale"], nulls=case["nulls"],
            )  # fmt: skip
            try:
                return by_key(con.sql("FROM made").to_arrow_table(), case["output"])
            finally:
                con.execute("DROP TABLE made")
                sqlrp.check(con, repair=True)
        if door == "with":
            sqlrp.save(projection, con, "saved", source="given", replace=True)
            return by_key(con.sql("FROM project_with('saved', 'given')").to_arrow_table(), "columns")
        sqlrp.create_function(
            projection, con, "made_rp", n_features=d, scale=case["scale"], nulls=case["nulls"], replace=True
        )
        cells = ", ".join(f'"{name.replace(chr(34), chr(34) * 2)}"::DOUBLE' for name in case["names"])
        return by_key(con.sql(f"SELECT id, made_rp([{cells}]) AS z FROM given").to_arrow_table(), "array")


def transformer_of(projection: sqlrp.Projection) -> Any:
    """The transformer of the same method and parameters."""
    cls = getattr(sqlrp.sklearn, type(projection).__name__)
    given = {name: getattr(projection, name) for name in cls().get_params() if hasattr(projection, name)}
    return cls(**{**given, "n_components": projection.k, "random_state": projection.seed})


def rows_of(result: Any) -> list[list[Any]]:
    """The rows of a matrix, whichever package's."""
    if hasattr(result, "toarray"):
        result = result.toarray()
    return [list(row) for row in np.asarray(result).tolist()]


def by_key(result: Any, output: str) -> list[list[Any]]:
    """The rows of a frame in the order of its key."""
    if hasattr(result, "collect"):
        result = result.collect()
    if isinstance(result, pd.DataFrame):
        table = pa.Table.from_pandas(result, preserve_index=False)
    else:
        table = result.to_arrow() if hasattr(result, "to_arrow") else result
    table = table.sort_by(
        [(table.column_names[0], "ascending"), *([("component", "ascending")] if output == "long" else [])]
    )
    if output == "array":
        return list(table.column("z").to_pylist())
    if output == "long":
        rows: dict[Any, list[Any]] = {}
        for key, value in zip(table.column(0).to_pylist(), table.column("value").to_pylist(), strict=True):
            rows.setdefault(key, []).append(value)
        return list(rows.values())
    names = [name for name in table.column_names if name.startswith("z") and name[1:].isdigit()]
    return [list(row) for row in zip(*(table.column(name).to_pylist() for name in names), strict=True)]


# -- the check --------------------------------------------------------------------------------------------


def check_entry(doors: Doors, case: Case, seen: Counter[str]) -> None:
    """The rows are the formula's, or the call fails in words of sqlrp."""
    projection = sqlrp.from_json(case["projection"])
    rows = [[value_of(v) for v in row] for row in case["rows"]]
    nulls, scale = case["nulls"], case["scale"]
    if case["door"] in ("transformer", "with", "vector"):
        nulls, scale = "propagate", True
    want, bound, null = expected(projection, rows, nulls)
    absent = any(v is None for row in rows for v in row)
    try:
        got = doors.numbers(case)
    except (SqlrpError, duckdb.Error) as error:
        if not isinstance(error, SqlrpError) and "sqlrp: " not in str(error):
            raise
        if nulls == "error" and absent:
            seen["failed as asked"] += 1
            return
        if isinstance(error, StatementError) and OUT_OF_RANGE in str(error):
            seen["failed beyond the range"] += 1
            return
        seen["refused"] += 1
        seen[f"  {case['maker']} {case['door']}: {str(error)[:90]} {{*case['kinds'], *case['wrapped']}}"] += 1
        return
    except ValueError as error:
        if case["door"] == "transformer" and "NaN" in str(error) and absent:  # as scikit-learn has it
            seen["failed as asked"] += 1
            return
        raise
    assert not (nulls == "error" and absent), "a NULL must fail"
    size = case["size"] or len(rows)
    assert len(got) in (size, min(size, 5)), (len(got), size)
    factor = projection.factor(len(rows[0])) if scale else None
    single = any(kind in ("float32", "float16") for kind in case["kinds"])
    whole = all(float(v or 0).is_integer() for row in rows for v in row) and whole_weights(projection)
    for i, found in enumerate(got[: len(rows)]):
        if null[i]:
            assert found is None or all(v is None or math.isnan(v) for v in found), (i, found)
            continue
        largest = max(abs(float(v or 0)) for v in rows[i])
        assert len(found) == projection.k
        assert_row(found, want[i], bound[i], factor, single, single, whole and not single, largest)
    for i, found in enumerate(got[len(rows) :], len(rows)):
        first = got[i % len(rows)]
        largest = max(map(float, bound[i % len(rows)])) * abs(factor or 1.0)
        assert alike(found, first, largest), (i, found, first)
    seen["cases"] += 1


def alike(found: Any, first: Any, largest: float) -> bool:
    """Whether two results of one row are the same numbers. Products of matrices may differ in the last digit."""
    if found is None or first is None:
        return found is first
    pairs = [(math.nan if u is None else u, math.nan if v is None else v) for u, v in zip(found, first, strict=True)]
    return all((u != u and v != v) or abs(float(u) - float(v)) <= 1e-12 * largest for u, v in pairs)
