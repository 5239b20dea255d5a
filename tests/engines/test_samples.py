"""One seed draws the same sample of a table and of a dataframe, on every engine, whatever the keys are."""

from __future__ import annotations

import datetime
import hashlib
import math
import uuid
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import TYPES
from databases import Database

import sqlrp
from sqlrp import Wide
from sqlrp._core.draw import P, Purpose, seed_coefficients
from sqlrp._core.numbers import DOUBLE
from sqlrp._dialects.dialect import Column, ColumnType
from sqlrp._engines.registry import ENGINES
from sqlrp._run.bind import resolve
from sqlrp._run.row_sample import drawn, sample

N, D, SEED, DRAWN = 300, 4, 3, 40
X = np.round(np.random.default_rng(0).normal(size=(N, D)), 6)
NAMES = [f"f{j}" for j in range(D)]
WHOLE: list[Any] = [(i - N // 2) * (2**53 + 111) for i in range(N - 3)] + [-(2**63) + 1, 2**63 - 1, None]
"""Negative, beyond 2^53, and such as share a remainder; the last row has no key."""
TEXT: list[Any] = [f"clé '{i}' 漢字 \\ {'ß' * (i % 3)}" for i in range(N - 2)] + ["7", None]
DATES: list[Any] = [datetime.date(1900, 1, 1) + datetime.timedelta(days=97 * i) for i in range(N)]
UUIDS: list[Any] = [str(uuid.uuid5(uuid.NAMESPACE_URL, str(i))) for i in range(N)]
UNSIGNED: list[Any] = [2**64 - 1 - 7 * i for i in range(N)]
FLOATS: list[Any] = [float(i) if i % 3 == 0 else i * 0.625 - 9.75 for i in range(N - 4)] + [
    3.5e17,
    -3.5e17,
    1e300,
    None,
]
"""Whole and with fractions, whose text differs by the engine, and such as no whole number holds."""
DECIMALS: list[Any] = [Decimal(i * 37 - 999) / 100 for i in range(N - 1)] + [None]
KEYS = {
    "whole": WHOLE,
    "word": TEXT,
    "day": DATES,
    "uu": UUIDS,
    "unsigned": UNSIGNED,
    "fraction": FLOATS,
    "money": DECIMALS,
}
DAYS = {"sqlite": "TEXT", "clickhouse": "Date32"}
IDS = {"duckdb": "UUID", "postgresql": "UUID", "clickhouse": "UUID"}
HUGE = {"duckdb": "UBIGINT", "postgresql": "NUMERIC(20)", "clickhouse": "UInt64"}
WORDS = {"duckdb": "VARCHAR", "postgresql": "TEXT", "clickhouse": "String", "sqlite": "TEXT"}
NUMBERS = {"clickhouse": "Int64"}
MONEY = {"sqlite": "NUMERIC"}


def number(key: Any) -> int:
    if isinstance(key, int):
        return key % P
    if isinstance(key, (float, Decimal)):
        exact = Fraction(float(key))
        steps = exact if exact.denominator == 1 else exact * 1024
        return math.floor(steps) % P if abs(exact) < 2**52 else 0
    return int(hashlib.md5(str(key).encode()).hexdigest()[:15], 16) % (P - 1)


def order_of(keys: list[Any], seed: int) -> list[int]:
    """The rows with a key, by the polynomial of degree 7 in Python's whole numbers."""
    b = [row[0] for row in seed_coefficients(seed, Purpose.SAMPLE)]

    def place(i: int) -> tuple[int, int, Any]:
        n = number(keys[i])
        return sum(b[j] * n**j for j in range(8)) % P, n, keys[i]

    return sorted((i for i in range(len(keys)) if keys[i] is not None), key=place)


SAMPLED: dict[str, Any] = {
    "nystroem": sqlrp.NystroemProjection(k=4, seed=SEED, sample=DRAWN),
    "kernel": sqlrp.KernelGaussianProjection(k=4, t=3, seed=SEED, sample=DRAWN),
    "components": sqlrp.PrincipalComponents(k=2, seed=SEED, sample=DRAWN),
    "components of all rows": sqlrp.PrincipalComponents(k=2, seed=SEED, sample=N - 1),
    "whitened": sqlrp.WhitenedComponents(k=2, seed=SEED, sample=DRAWN),
    "tuned": sqlrp.DataTunedProjection(k=3, s=1, n_iter=20, seed=SEED, sample=DRAWN),
}
OWN = ["duckdb", "postgresql", "sqlite", "mariadb", "clickhouse"]


def frame_of(name: str, kind: str) -> Any:
    keys = KEYS[name]
    if name == "unsigned":
        keys = pa.array(keys, pa.uint64())
    elif name == "money":
        keys = pa.array(keys, pa.decimal128(9, 2))
    table = pa.table({name: keys, **{each: X[:, j] for j, each in enumerate(NAMES)}})
    return {"arrow": lambda: table, "polars": lambda: pl.from_arrow(table), "pandas": lambda: _pandas(table)}[kind]()


def _pandas(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def table_of(db: Database) -> list[str]:
    """A table of all keys, in another order of the rows than the frames', and the keys that the engine can have."""
    name = db.name
    word = WORDS.get(name, "VARCHAR(60) CHARACTER SET utf8mb4")
    kinds = {
        "whole": NUMBERS.get(name, "BIGINT"),
        "word": word,
        "day": DAYS.get(name, "DATE"),
        "uu": IDS.get(name, word),
        "unsigned": HUGE.get(name, "BIGINT UNSIGNED"),
        "fraction": TYPES[name]["double"],
        "money": MONEY.get(name, "DECIMAL(9, 2)"),
    }
    if name == "sqlite":
        del kinds["unsigned"]
    columns = [*kinds.items(), *((each, TYPES[name]["double"]) for each in NAMES)]
    rows = [[*(_stored(KEYS[each][i]) for each in kinds), *X[i].tolist()] for i in reversed(range(N))]
    db.make("sampled", columns, rows)
    return list(kinds)


def _stored(key: Any) -> Any:
    return key if key is None or isinstance(key, (int, float)) else str(key)


def arrays(fitted: Any) -> list[np.ndarray[Any, Any]]:
    return [np.asarray(value) for _, value in sorted(fitted.arrays.items())]


def test_every_method_that_learns_is_tried() -> None:
    learning = {each for each in vars(sqlrp._projections.methods).values() if getattr(each, "learns", False)}  # type: ignore[attr-defined]
    assert learning == {type(method) for method in SAMPLED.values()}


@pytest.mark.parametrize("kind", ["arrow", "polars", "pandas"])
def test_frames_are_sampled_by_the_hash_of_the_key(kind: str) -> None:
    for name, keys in KEYS.items():
        for seed in (SEED, 2**53 - 1):
            x, _ = sample(frame_of(name, kind), None, DRAWN, seed, key=name, keep=[])
            np.testing.assert_array_equal(x, X[order_of(keys, seed)[:DRAWN]], name)


@pytest.mark.parametrize("name", OWN)
def test_tables_give_the_rows_and_the_state_of_frames(name: str, db: Database) -> None:
    for key in table_of(db):
        source = Wide("sampled", key=key, features=NAMES)
        x, _ = sample(source, db.connection, DRAWN, SEED)
        np.testing.assert_array_equal(x, X[order_of(KEYS[key], SEED)[:DRAWN]], key)
    for key in ("whole", "word", "fraction"):
        source, frame = Wide("sampled", key=key, features=NAMES), frame_of(key, "arrow")
        for method in SAMPLED.values():
            here = arrays(sqlrp.fit(method, frame, key=key))
            there = arrays(sqlrp.fit(method, source, db.connection))
            for ours, theirs in zip(here, there, strict=True):
                np.testing.assert_allclose(theirs, ours, rtol=1e-9, atol=1e-9)
        rp = sqlrp.SparseProjection(k=3, s=1, seed=SEED)
        ours = sqlrp.diagnose(rp, frame, key=key, sample=DRAWN).measures()
        theirs = sqlrp.diagnose(rp, source, db.connection, sample=DRAWN).measures()
        assert theirs == pytest.approx(ours, rel=1e-9, abs=1e-9)


def test_an_index_of_pandas_is_a_key_and_rows_without_one_are_drawn_by_position() -> None:
    frame = pd.DataFrame(X, columns=NAMES)
    indexed = frame.set_axis(pd.Index(KEYS["day"], name="day"))
    x, _ = sample(indexed, None, DRAWN, SEED)
    np.testing.assert_array_equal(x, X[order_of(DATES, SEED)[:DRAWN]])
    x, _ = sample(frame, None, DRAWN, SEED, key=None)
    np.testing.assert_array_equal(x, X[order_of(list(range(N)), SEED)[:DRAWN]])


def test_an_engine_without_md5_says_that_a_text_key_is_replaced_by_positions() -> None:
    connector: Any = SimpleNamespace(dialect=ENGINES["generic"])
    for kind, key in (("VARCHAR(9)", "word"), ("BIGINT", "whole")):
        columns = [Column(key, ENGINES["generic"].read_type(kind)), Column("f0", ColumnType("DOUBLE", DOUBLE))]
        frame = resolve(Wide("t", key=key), columns, ENGINES["generic"])
        if key == "whole":
            assert "row_number() OVER ()" not in drawn(connector, None, frame, 1, 5).query()
            continue
        with pytest.warns(sqlrp.SqlrpWarning, match="knows no md5.*'word'.*whole numbers"):
            found = drawn(connector, None, frame, 1, 5)
        assert "row_number() OVER" in found.query()
