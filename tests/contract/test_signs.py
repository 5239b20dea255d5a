"""The portable draw: golden values, a slow rewrite of its definition, SQL twins, and the table of `sqlrp.signs`."""

from __future__ import annotations

import math
import re
import sqlite3
import tracemalloc
from contextlib import closing
from decimal import Decimal, getcontext
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pytest
from cases import SEEDS
from helpers import assert_one_line
from hypothesis import given
from hypothesis import strategies as st

import sqlrp
from sqlrp import ParameterError, SparseProjection
from sqlrp._core import draw
from sqlrp._core.draw import (
    CONSTANT_FEATURE,
    CONSTANTS,
    SEED_BOUND,
    P,
    Purpose,
    draw_index_table,
    draw_signs,
    hash_name,
    hashes,
    purpose_of,
    seed_coefficients,
    thresholds,
)
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering.cells import horner
from sqlrp._projections import REGISTRY
from sqlrp.stages import BlockSums, NormalSums, SignedSums


def ints(*values: int) -> npt.NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


# -- golden values -------------------------------------------------------------------------------
# Published: whoever changes one of these breaks every stored projection.

GOLDEN_CONSTANTS: list[int] = [889516851, 1572067138, 506952121, 1386740381]
GOLDEN_HASHES: dict[tuple[int, int], list[list[int]]] = {
    (0, 0): [
        [1833410075, 2110693715, 445145311, 488943037, 1337811699],
        [1602568818, 386600978, 1539953378, 639686309, 1644286458],
        [643895005, 207300548, 230238565, 1888002596, 1381988349],
    ],
    (0, 1): [
        [1572918289, 1163758262, 44562811, 1772463510, 1057382619],
        [1311888079, 1032199132, 1782247662, 519845899, 71588922],
        [333049792, 73499233, 289129627, 598283015, 211859746],
    ],
    (1, 0): [
        [1496043970, 655387337, 948344688, 1600499187, 1970260087],
        [531284616, 7351038, 1947060056, 487100441, 1541129949],
        [1900037127, 239674595, 795301260, 1334069813, 340822297],
    ],
    (2147483647, 0): [
        [364948633, 2033766030, 994993776, 1247515531, 182349729],
        [1503938036, 924097367, 228020198, 1127262074, 1243235534],
        [757862636, 266044059, 1023300331, 1405942526, 1893231238],
    ],
    (9007199254740991, 3): [
        [101610630, 1642733870, 1938118113, 1432437926, 277496067],
        [813054099, 55625148, 1592685686, 1446484204, 1851220031],
        [1797569221, 34429888, 1358389869, 13500562, 1917389662],
    ],
}
GOLDEN_SIGNS: dict[tuple[int, float], list[str]] = {
    (0, 1): ["--+--++-+++++--+-+-+-+--", "-+--++--+-+++---++++-++-", "--++++--++++--+-+++--+-+"],
    (0, 3): ["00-00++0+0-0+00+00000000", "0-00--0000+--000+00-0-+0", "000+0+00--+-00000-+00+0-"],
    (7, 4.5): ["0-00-0+0000-000-+-00+-00", "-000-0-000000+0+000-000+", "00000000000000000000+000"],
    (9007199254740991, 1): ["++--++++--+++------+-+++", "+----++++-+-+-++-+--+++-", "-+-+++++++-+++-++------+"],
}
GOLDEN_TABLES: dict[tuple[int, int, int, int, bool], list[list[int]]] = {
    (6, 6, 2, 3, True): [[2, 3, 0, 1, 4, 5], [4, 2, 5, 1, 0, 3]],
    (8, 4, 3, 0, False): [[2, 7, 5, 1], [4, 1, 3, 0], [5, 2, 4, 7]],
    (8, 4, 5, 0, True): [[2, 7, 5, 1], [0, 3, 6, 4], [4, 1, 3, 0], [6, 7, 2, 5], [5, 2, 4, 7]],
    (9, 4, 5, 0, True): [[2, 7, 5, 1], [0, 3, 6, 8], [4, 1, 3, 0], [4, 6, 7, 8], [2, 5, 4, 7]],
    (9, 4, 5, 1, True): [[6, 5, 3, 0], [2, 7, 1, 8], [4, 8, 1, 5], [4, 2, 6, 7], [3, 0, 4, 6]],
}
GOLDEN_NAMES: dict[str, int] = {
    "": 1308061270,
    "Größe": 1798244726,
    'it\'s "quoted"': 1103392526,
    "word": 932950805,
    "日本語": 189257389,
    "🙂": 424900698,
}


def test_golden_constants() -> None:
    assert CONSTANTS[:4] == GOLDEN_CONSTANTS
    assert (P, SEED_BOUND, CONSTANT_FEATURE) == (2147483647, 9007199254740992, 2147483646)
    assert [(p.name, p.value) for p in Purpose][:3] == [("SIGNS", 0), ("INDEX", 1), ("SUBSPACE", 2)]


@pytest.mark.parametrize(("seed", "purpose"), GOLDEN_HASHES)
def test_golden_hashes(seed: int, purpose: int) -> None:
    drawn = hashes(seed, Purpose(purpose), ints(0, 1, 1000), ints(0, 1, 2, 99999, CONSTANT_FEATURE))
    assert drawn.tolist() == GOLDEN_HASHES[seed, purpose]


@pytest.mark.parametrize(("seed", "s"), GOLDEN_SIGNS)
def test_golden_signs(seed: int, s: float) -> None:
    drawn = draw_signs(np.arange(24), 3, s, seed).T
    assert ["".join("-0+"[v + 1] for v in row) for row in drawn] == GOLDEN_SIGNS[seed, s]


@pytest.mark.parametrize(("p", "size", "k", "seed", "minimise"), GOLDEN_TABLES)
def test_golden_index_tables(p: int, size: int, k: int, seed: int, minimise: bool) -> None:
    assert draw_index_table(p, size, k, seed, minimise).tolist() == GOLDEN_TABLES[p, size, k, seed, minimise]


def test_golden_names() -> None:
    assert {name: hash_name(name) for name in GOLDEN_NAMES} == GOLDEN_NAMES


# -- the definition, slowly ------------------------------------------------------------------------


def slow_constants() -> list[list[int]]:
    """The first 31 bits after the point of √2, √3, √5, …: four polynomials of eight coefficients."""
    getcontext().prec = 60
    primes = [n for n in range(2, 140) if all(n % q for q in range(2, n))][:32]
    bits = [int((Decimal(n).sqrt() % 1) * 2**31) for n in primes]
    return [bits[i : i + 8] for i in range(0, 32, 8)]


def polynomial(coefficients: list[int], x: int) -> int:
    return sum(a * pow(x, j) for j, a in enumerate(coefficients)) % P


def slow_entry(seed: int, purpose: int, component: int, feature: int) -> int:
    """One entry from the docstring of `sqlrp.signs`, with powers of unbounded integers."""
    q = slow_constants()
    low, high = seed % P, seed // P
    m = [polynomial(q[i], polynomial(q[i], low) + high) for i in (0, 1)]

    def g(n: int) -> int:
        return (polynomial(q[2], m[0] + n) + polynomial(q[3], m[1] + n)) % P

    b = [polynomial([g(64 * purpose + 8 * i + j) for j in range(8)], component) for i in range(8)]
    return polynomial(b, feature)


@given(
    seed=st.integers(0, SEED_BOUND - 1),
    purpose=st.sampled_from([*Purpose, *(purpose_of("sp_project", i) for i in (1, 2, 9))]),
    component=st.integers(0, P - 1),
    feature=st.integers(0, P - 1),
)
def test_any_entry_is_as_defined_and_computable_alone(seed: int, purpose: int, component: int, feature: int) -> None:
    assert hashes(seed, purpose, ints(component), ints(feature)).tolist() == [
        [slow_entry(seed, purpose, component, feature)]
    ]


@pytest.mark.slow
@given(seed=st.integers(0, SEED_BOUND - 1), s=st.floats(1, 1e6), n=st.integers(1, 12), p=st.integers(1, 5))
def test_signs_are_hashes_below_the_thresholds(seed: int, s: float, n: int, p: int) -> None:
    for f in range(n):
        for c in range(p):
            h = slow_entry(seed, Purpose.SIGNS, c, f)
            want = 1 if h < math.floor(P / (2 * s)) else -1 if h < math.floor(P / s) else 0
            assert draw_signs(np.arange(n), p, s, seed)[f, c] == want


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64])
def test_a_numpy_seed_draws_as_the_same_python_integer(kind: type[np.integer[Any]]) -> None:
    seed = kind(100)
    with np.errstate(over="raise"):
        assert (draw_signs(np.arange(50), 4, 1, seed) == draw_signs(np.arange(50), 4, 1, 100)).all()
        assert (draw_index_table(9, 4, 5, seed) == draw_index_table(9, 4, 5, 100)).all()


@given(n=st.integers(1, 40), more=st.integers(1, 40), p=st.integers(1, 20), extra=st.integers(1, 20))
def test_a_new_feature_or_vector_leaves_the_others(n: int, more: int, p: int, extra: int) -> None:
    table = draw_signs(np.arange(n), p, 3, 7)
    assert (draw_signs(np.arange(n + more), p, 3, 7)[:n] == table).all()
    assert (draw_signs(np.arange(n), p + extra, 3, 7)[:, :p] == table).all()
    constant = draw_signs(ints(CONSTANT_FEATURE), p, 3, 7)
    assert (draw_signs(np.append(np.arange(n), CONSTANT_FEATURE), p, 3, 7)[n:] == constant).all()


def test_tables_larger_than_a_block_are_seamless() -> None:
    # Blocks are of 2^16 entries: one table wider than a block, one taller.
    wide, tall = draw_signs(np.arange(70_000), 2, 3, 1), draw_signs(np.arange(7), 30_000, 3, 1)
    for f, c in ((0, 0), (65_535, 1), (65_536, 0), (69_999, 1)):
        assert wide[f, c] == draw_signs(ints(f), c + 1, 3, 1)[0, c]
    whole = hashes(1, Purpose.SIGNS, np.arange(30_000), np.arange(7))
    low, high = thresholds(3)
    assert (tall == np.where(whole < low, 1, np.where(whole < high, -1, 0)).T).all()


def test_purposes_are_frozen_and_apart() -> None:
    assert {purpose.name: int(purpose) for purpose in Purpose} == {
        **{"SIGNS": 0, "INDEX": 1, "SUBSPACE": 2, "FLIPS": 3, "SAMPLE": 4},
        **{"BLOCKS": 5, "SEARCH": 6, "NORMALS": 7, "FOLDS": 8, "PHASES": 9},
    }
    further = [purpose_of(method.function, number) for method in REGISTRY for number in range(1, 9)]
    own = {method.function for method in REGISTRY}
    assert len({*further, *map(int, Purpose)}) == 8 * len(own) + len(Purpose)
    assert all(max(Purpose) < purpose < P // 64 for purpose in further)
    assert purpose_of("sp_project", 1) == 2_484_716  # published, as the golden values are
    assert SparseProjection.purpose(1) == purpose_of("rp_project", 1)
    second = purpose_of("sp_project", 1)
    signs = [[-1, 1, -1, 1, -1, 1], [1, -1, -1, -1, -1, -1], [1, 1, 1, 1, -1, 1]]
    assert SignedSums(3, 1, 7, second).matrix(np.arange(6)).T.tolist() == signs
    for first, other in (
        (SignedSums(3, 1, 7), SignedSums(3, 1, 7, second)),
        (BlockSums(1, 4, 7), BlockSums(1, 4, 7, purpose=second)),
        (NormalSums(2, 7), NormalSums(2, 7, second)),
    ):
        assert (first.matrix(np.arange(6)) != other.matrix(np.arange(6))).any()


def test_a_hash_of_p_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    # One entry in 2^31 comes out of the last reduction as P: here by h = 1·f + (P-1) at f = 1.
    b = np.zeros((8, 1), dtype=np.int64)
    b[0], b[1] = P - 1, 1
    monkeypatch.setattr(draw, "component_coefficients", lambda *_: b)
    assert hashes(0, Purpose.SIGNS, ints(0), ints(0, 1, 2)).tolist() == [[P - 1, 0, 1]]
    assert draw_signs(ints(0, 1), 1, 1, 0).tolist() == [[-1], [1]]


# -- the twins in SQL --------------------------------------------------------------------------------

FEATURES = [*range(41), 84, 255, 1625, 65_535, 99_999, P - 2, CONSTANT_FEATURE]


def drawn_by_sql(seed: int, purpose: int, s: float, numbers: str, features: str, below: int) -> str:
    """The statement of the relational lowering, with the hash beside the sign."""
    b = ", ".join(
        f"{horner(ENGINES['duckdb'], [str(x) for x in a], 'c', 30)} AS b{i}"
        for i, a in enumerate(seed_coefficients(seed, purpose))
    )
    entry = horner(ENGINES["duckdb"], [f"b{i}" for i in range(8)], "f", below)
    low, high = thresholds(s)
    return f"""
        WITH components AS (SELECT c, {b} FROM ({numbers}) n),
             drawn AS (SELECT c, f, {entry} AS h FROM ({features}) x CROSS JOIN components)
        SELECT c, f, h, CASE WHEN h < {low} THEN 1 WHEN h < {high} THEN -1 ELSE 0 END FROM drawn ORDER BY c, f
    """


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
@pytest.mark.parametrize("below", [1, 24, 41, 85, 256, 1626, 65_536, P])
def test_sql_draws_the_same_bits(con: duckdb.DuckDBPyConnection, below: int, engine: str, seed: int) -> None:
    """The bounds on features are the largest that leave 7, 6 … 2 steps without a remainder, and the ends."""
    features = [f for f in FEATURES if f < below]
    rows = ", ".join(f"({f})" for f in features)
    numbers = ", ".join(f"({c})" for c in range(30))
    for purpose in (Purpose.SIGNS, Purpose.INDEX, purpose_of("sp_project", 1)):
        # A number in parentheses is an INTEGER in DuckDB; the lowering's own numbers are BIGINT.
        sql = drawn_by_sql(
            seed,
            purpose,
            3,
            f"SELECT CAST(column1 AS BIGINT) AS c FROM (VALUES {numbers})".replace(
                "column1", "col0" if engine == "duckdb" else "column1"
            ),
            f"SELECT CAST({'col0' if engine == 'duckdb' else 'column1'} AS BIGINT) AS f FROM (VALUES {rows})",
            below,
        )
        with closing(sqlite3.connect(":memory:")) as lite:
            drawn = np.array((con if engine == "duckdb" else lite).execute(sql).fetchall(), dtype=np.int64)
        want = hashes(seed, purpose, np.arange(30), ints(*features))
        assert (drawn[:, 2].reshape(30, -1) == want).all()
        signs = draw_signs(ints(*features), 30, 3, seed, purpose)
        assert (drawn[:, 3].reshape(30, -1) == signs.T).all()


LAST = re.compile(r"%\s*" + str(P))


class Reached(int):
    """An integer that keeps the largest result of its sums and products."""

    largest = 0

    def _kept(self, value: int) -> Reached:
        Reached.largest = max(Reached.largest, value)
        return Reached(value)

    def __add__(self, other: int) -> Reached:
        return self._kept(int(self) + int(other))

    def __mul__(self, other: int) -> Reached:
        return self._kept(int(self) * int(other))

    def __mod__(self, other: int) -> Reached:
        return Reached(P - 1)  # the largest remainder


def reached(text: str, below: int) -> int:
    """The largest number that the expression can reach, for coefficients and an x as large as they may be."""
    Reached.largest = 0
    names = {f"b{i}": Reached(P - 1) for i in range(8)}
    eval(text, {"__builtins__": {}}, names | {"f": Reached(below - 1)})
    return Reached.largest


def entry_below(below: int) -> str:
    return horner(ENGINES["duckdb"], [f"b{i}" for i in range(8)], "f", below)


def changes_of_remainders() -> list[int]:
    """The bounds on x from which an entry needs more remainders than for the bound before."""
    found, low = [], 1
    while low < P:
        high, count = P, len(LAST.findall(entry_below(low)))
        if len(LAST.findall(entry_below(high))) == count:
            break
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if len(LAST.findall(entry_below(middle))) == count else (low, middle)
        found.append(high)
        low = high
    return found


def test_remainders_are_taken_where_64_bits_would_overflow_and_nowhere_else() -> None:
    changes = changes_of_remainders()
    assert changes
    for below in {1, 2, P, *changes, *(change - 1 for change in changes)}:
        text = entry_below(below)
        assert reached(text, below) < 1 << 63
        for taken in list(LAST.finditer(text))[:-1]:  # the last one makes the entry
            assert reached(text[: taken.start()] + text[taken.end() :], below) >= 1 << 63, (below, text)


# -- sqlrp.signs -------------------------------------------------------------------------------------------


def test_signs_is_the_table_of_the_projection() -> None:
    table = sqlrp.signs(9, 5, s=3, seed=4)
    assert table.schema.names == ["component", "feature", "sign"]
    assert [str(t) for t in table.schema.types] == ["int32", "int32", "int8"]
    assert table["component"].to_pylist() == [c for c in range(5) for _ in range(9)]
    assert table["feature"].to_pylist() == list(range(9)) * 5
    matrix = SparseProjection(k=5, s=3, seed=4).stages(9)[0].matrix(np.arange(9))  # type: ignore[union-attr]
    assert table["sign"].to_pylist() == matrix.T.reshape(-1).tolist()


@pytest.mark.parametrize("s", [1, 3, 28, "sqrt"])
def test_signs_without_zeros(s: float | str) -> None:
    whole, sparse = sqlrp.signs(50, 20, s=s, seed=6), sqlrp.signs(50, 20, s=s, seed=6, zeros=False)
    assert sparse.schema == whole.schema
    assert sparse.to_pylist() == [row for row in whole.to_pylist() if row["sign"] != 0]


def test_signs_sqrt_is_the_root_of_the_features() -> None:
    assert sqlrp.signs(49, 8).equals(sqlrp.signs(49, 8, s=7))
    assert not sqlrp.signs(49, 8).equals(sqlrp.signs(49, 8, seed=1))


def test_signs_needs_memory_near_its_result() -> None:
    tracemalloc.start()
    try:
        table = sqlrp.signs(10_000, 1_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert table.num_rows == 10_000_000
    assert peak < 3 * table.nbytes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n_features": 0}, ["n_features = 0", "from 1 to 2^31 - 3"]),
        ({"n_features": -1}, ["n_features = -1"]),
        ({"n_features": 2.5}, ["n_features = 2.5"]),
        ({"n_features": "9"}, ["n_features = '9'"]),
        ({"n_features": 2**31 - 2}, ["n_features = 2147483646", "2^31 - 3"]),
        ({"n_features": True}, ["n_features = True"]),
        ({"n_vectors": 0}, ["n_vectors = 0"]),
        ({"n_vectors": None}, ["n_vectors = None"]),
        ({"s": 0.5}, ["s = 0.5", ">= 1", '"sqrt"']),
        ({"s": math.nan}, ["s = nan", ">= 1"]),
        ({"s": math.inf}, ["s = inf"]),
        ({"s": "root"}, ["s = 'root'", '"sqrt"']),
        ({"s": True}, ["s = True"]),
        ({"s": None}, ["s = None"]),
        ({"s": 10**400}, [">= 1"]),
        ({"seed": -1}, ["seed = -1", "0 to 2^53 - 1"]),
        ({"seed": 2**53}, ["seed = 9007199254740992", "2^53 - 1"]),
        ({"seed": 1.0}, ["seed = 1.0"]),
        ({"seed": False}, ["seed = False"]),
    ],
)
def test_signs_errors(arguments: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        sqlrp.signs(**{"n_features": 4, "n_vectors": 3, **arguments})
    assert_one_line(caught, *words)
