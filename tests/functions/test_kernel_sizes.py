"""The sizes at which the kernel in C changes its road: at each, one below and one above, the numbers are exact.

`constants` finds the numbers in the sources of C. Each stands in `SIZES`, with what is varied around it, or in
`OTHERS`, by what it is instead. The rows are small whole numbers and the signs are not scaled, so that the
sums are exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import duckdb
import numpy as np
import pytest
from databases import need_native_library
from extensions import ROOT, compiled
from helpers import oracle

import sqlrp


def constants() -> dict[str, str]:
    """The numbers that the sources define, as they are written, by name."""
    found = {}
    for path in sorted((ROOT / "native").glob("*.[ch]")):
        for name, value in re.findall(r"^#define (\w+)[ \t]+(.*?)(?:/\*.*)?$", path.read_text("utf-8"), re.MULTILINE):
            number = re.sub(r"\(?u?int\d+_t\)?", "", value).strip()
            if re.search(r"\d", number) and not re.search(r'[";]|__', number):
                found[name] = number
    return found


C = constants()


def of_c(name: str) -> int:
    """The value of a constant that is written by numbers and shifts."""
    left, _, shift = C[name].strip("()").partition("<<")
    return int(left) << int(shift or 0)


BLOCK, SIDE, LEAST_TILE, MOST_TILE = map(of_c, ("BLOCK", "SIDE", "LEAST_TILE", "MOST_TILE"))
TILES = [LEAST_TILE << i for i in range((MOST_TILE // LEAST_TILE).bit_length())]
SIZES = {
    "BLOCK": ("rows", BLOCK),
    "SIDE": ("components", SIDE),
    "SIDE BLOCK": ("rows", SIDE * BLOCK),
    "LEAST_TILE": ("rows", LEAST_TILE),
    "MOST_TILE": ("rows", MOST_TILE),
    "FITTING_MEMORY": ("features", *(of_c("FITTING_MEMORY") // 32 // tile for tile in TILES)),
    "FEW_NUMBERS": ("features", of_c("FEW_NUMBERS") // 5),
    "MOST_FIELDS": ("components", of_c("MOST_FIELDS")),
    "MOST_KEPT": ("kept", of_c("MOST_KEPT")),
    "SQLRP_MOST_DIGITS": ("digits", of_c("SQLRP_MOST_DIGITS")),
    "many names": ("features", 4_097),
}
"""What is varied around a constant, and the sizes: sums of SIDE components are added for BLOCK rows at once, a tile has
as many rows as fit into FITTING_MEMORY with 32 bytes a number, and the macros do what keeps more than MOST_KEPT. Up to
FEW_NUMBERS are drawn where the kernel takes them."""
OTHERS = {
    "a bound of memory or time, above which a call is refused or left to the macros": """
        LARGEST MOST_DECIMAL_BITS MOST_DEPTH MOST_DRAWN MOST_ENTRIES MOST_FEATURES MOST_FIELDS_GIVEN MOST_MEMORY
        MOST_OPERATIONS MOST_PARAMETERS MOST_ROWS MOST_STAGES MOST_TEXT MOST_WEIGHTS SQLRP_MOST_DEGREE""",
    "a number that the result or a format is defined by": """
        CONSTANT_FEATURE OF_BYTES PRIME SQLRP_DRAWN SQLRP_FORMAT""",
    "a room for words of an error": "ERROR_SIZE",
}


def test_every_constant_is_known() -> None:
    """A new one stands with what is varied around it, or with what it is."""
    known = [name for name in SIZES if " " not in name] + [name for names in OTHERS.values() for name in names.split()]
    assert sorted(C) == sorted(known)


def cases() -> list[tuple[str, int]]:
    """What is varied, and its value: each size, one below and one above."""
    return sorted({(what, size + step) for what, *sizes in SIZES.values() for size in sizes for step in (-1, 0, 1)})


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with the extension."""
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as connection:
        connection.execute(f"LOAD '{compiled()}'")
        yield connection


def rows_of(n: int, d: int) -> np.ndarray:
    """Small whole numbers, some of them 0."""
    return np.random.default_rng(n * 10_000 + d).integers(-4, 5, (n, d)).astype(np.float64)


@pytest.mark.parametrize(("what", "value"), [case for case in cases() if case[0] in ("rows", "components", "features")])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_arrays_of_each_size_are_projected_exactly(what: str, value: int, kind: type) -> None:
    """By the library that Python calls."""
    need_native_library()
    given = {"rows": 40, "features": 9, "components": 5, what: value}
    x = rows_of(given["rows"], given["features"])
    for s in (1, 3):
        projection = sqlrp.SparseProjection(k=given["components"], s=s, seed=3)
        z = sqlrp.project(projection, x.astype(kind), scale=False)
        np.testing.assert_array_equal(z, oracle(projection, x, scale=False))


@pytest.mark.parametrize(("what", "value"), cases())
@pytest.mark.slow
def test_tables_of_each_size_are_projected_exactly(con: duckdb.DuckDBPyConnection, what: str, value: int) -> None:
    """By the extension's functions, from columns, beside kept columns, and from an array."""
    given = {"rows": 300, "features": 9, "components": 5, "kept": 1, "digits": 0, what: value}
    n, d, k = given["rows"], given["features"], given["components"]
    x = rows_of(n, d)
    kind = f"DECIMAL({min(38, given['digits'] + 3)}, {given['digits']})" if given["digits"] else "DOUBLE"
    con.register("given", {"id": np.arange(n), **{f"f{j}": x[:, j] for j in range(d)}})
    features, kept = [f"f{j}" for j in range(d)], [f"kept{i}" for i in range(given["kept"])]
    typed = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name in features)
    others = ", ".join(f"id + {i} AS {name}" for i, name in enumerate(kept))
    con.execute(f"CREATE OR REPLACE TABLE points AS SELECT id, {typed}, {others} FROM given")
    con.execute(f"CREATE OR REPLACE TABLE arrays AS SELECT id, [{', '.join(features)}]::DOUBLE[{d}] AS e FROM given")
    con.unregister("given")
    wants = {s: oracle(sqlrp.SparseProjection(k=k, s=s, seed=3), x, scale=False) for s in (1, 3)}
    asked = f"k := {k}, seed := 3, scale := false"
    # What a size changes is the same for each s, and a call takes longer to bind than to run.
    found = np.array(
        con.execute(
            f"FROM rp_project('points', {asked}, s := 1, features := {features}, keep := {kept}) ORDER BY id"
        ).fetchall()
    ).astype(np.float64)
    np.testing.assert_array_equal(found[:, 1 : 1 + len(kept)], found[:, :1] + np.arange(len(kept)))
    np.testing.assert_array_equal(found[:, 1 + len(kept) :], wants[1])
    of_array = con.execute(f"FROM rp_project('arrays', {asked}, s := 3, array_column := 'e') ORDER BY id").fetchall()
    np.testing.assert_array_equal(np.array(of_array, dtype=np.float64)[:, 1:], wants[3])
