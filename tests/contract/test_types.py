"""The types that dialects read and name hold what they should: against the engines, and the digits they document."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from databases import Database
from frozen import job

from sqlrp import Long, PolynomialKernelProjection, SparseProjection, Wide
from sqlrp._core.numbers import BOOLEAN, Number
from sqlrp._dialects.dialect import HASHED, Column
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering.job import Job
from sqlrp._run.bind import resolve
from sqlrp.stages import AppendConstant, products_of, run

INTEGERS = {
    "duckdb": ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"],
    "postgresql": ["smallint", "integer", "bigint"],
    "mariadb": ["tinyint", "smallint", "mediumint", "int", "bigint"],
    "clickhouse": ["Int8", "Int16", "Int32", "Int64", "Int128", "Int256"],
}
INTEGERS["duckdb"] += [f"U{kind}" for kind in INTEGERS["duckdb"]]
INTEGERS["mariadb"] += [f"{kind} unsigned" for kind in INTEGERS["mariadb"]]
INTEGERS["mysql"] = INTEGERS["mariadb"]
INTEGERS["clickhouse"] += [f"U{kind}" for kind in INTEGERS["clickhouse"]]
DIGITS = {"duckdb": 38, "postgresql": 76, "mariadb": 65, "mysql": 65, "clickhouse": 76, "spark": 38}
"""The most digits of a decimal by the documentation of each engine; PostgreSQL's has more than Arrow's decimals."""


TEXTS = {
    "duckdb": ["VARCHAR", "ENUM('a', 'b')"],
    "postgresql": ["text", "character varying(9)", "character(3)", "name"],
    "mariadb": ["char(3)", "varchar(9)", "text", "longtext", "enum('a','b')"],
    "mysql": ["char(3)", "varchar(9)", "text", "longtext", "enum('a','b')"],
    "sqlite": ["TEXT", "VARCHAR(9)", "CLOB"],
    "clickhouse": ["String", "FixedString(3)"],
    "spark": ["string", "varchar(9)"],
}
NEITHER = {
    "duckdb": ["DATE", "TIMESTAMP", "BLOB", "UUID"],
    "postgresql": ["date", "timestamp without time zone", "bytea", "uuid"],
    "mariadb": ["date", "datetime", "blob", "time"],
    "mysql": ["date", "datetime", "blob", "time", "vector(3)"],
    "sqlite": ["BLOB", "DATE"],
    "clickhouse": ["Date", "DateTime64(3)", "UUID"],
    "spark": ["date", "timestamp", "binary"],
}
"""Types that are neither numbers nor text."""


def comes_back(db: Database, kind: str, value: int) -> bool:
    """Whether a column of the type takes the number and gives it back."""
    try:
        db.make("n", [("x", kind)], [[str(value)]])  # as text: some read long numbers as floats
        return int(db.run_query(f"SELECT {db.engine.as_text(chr(120))} FROM n")[0][0]) == value
    except Exception:  # the engine's own
        return False


@pytest.mark.parametrize("name", INTEGERS)
def test_an_integer_type_holds_its_bits_and_no_more(db: Database, name: str) -> None:
    for kind in INTEGERS[name]:
        number = db.engine.read_type(kind).number
        assert number is not None
        if name == "clickhouse" and kind.endswith("256"):
            assert number.kind == "double"  # the longest Decimal has fewer digits
            continue
        assert number.kind == "int"
        assert comes_back(db, kind, 2**number.bits - 1), kind
        assert not comes_back(db, kind, 2**number.bits), kind


@pytest.mark.parametrize(
    ("kind", "elsewhere"),
    [
        *((kind, f"{kind} unsigned") for kind in ("TINYINT", "SMALLINT", "MEDIUMINT")),
        ("INT2", "SMALLINT unsigned"),
        ("INT8", "BIGINT"),
        ("BIGINT", "BIGINT"),
        ("INTEGER", "INT"),
    ],
)
def test_an_integer_of_sqlite_has_the_bits_that_its_name_has_elsewhere(kind: str, elsewhere: str) -> None:
    # SQLite stores any 64-bit integer under each name.
    assert ENGINES["sqlite"].read_type(kind).number == ENGINES["mariadb"].read_type(elsewhere).number


@pytest.mark.parametrize("kind", ["SMALLINT", "INTEGER", "INT", "BIGINT"])
def test_an_integer_of_an_unknown_engine_may_be_unsigned(kind: str) -> None:
    elsewhere = f"{kind.replace('INTEGER', 'INT')} unsigned"
    assert ENGINES["generic"].read_type(kind).number == ENGINES["mariadb"].read_type(elsewhere).number


def holds(name: str, kind: str, bits: int) -> bool:
    """Whether the type holds every whole number below 2^bits, by its words."""
    digits = re.search(r"\((\d+), ?\d+\)", kind)
    if digits:
        return 2**bits - 1 < 10 ** int(digits[1])
    if kind == "BIGNUM":
        return True
    if kind == "numeric":
        return len(str(2**bits - 1)) <= DIGITS[name]
    whole = {"INT": 31, "INTEGER": 63 if name == "sqlite" else 31, "HUGEINT": 127}
    return bits <= whole.get(kind.upper(), 63)


@pytest.mark.parametrize("kind", ["int", "decimal"])
@pytest.mark.parametrize("name", ENGINES)
def test_a_size_has_the_first_type_that_holds_it(name: str, kind: Any) -> None:
    engine, before = ENGINES[name], []
    for bits in range(1, 300):
        found = engine.type_name(Number(kind, bits, 0 if kind == "int" else 3))
        if found is None:
            assert bits > 63 or kind == "decimal"
            assert name not in DIGITS or len(str(2**bits - 1)) > DIGITS[name]
            continue
        assert holds(name, found, bits)
        if found not in before:
            assert not any(holds(name, narrower, bits) for narrower in before)
            before.append(found)
    assert before or kind == "decimal"


@pytest.mark.parametrize("name", INTEGERS)
def test_the_engine_agrees_about_the_largest_numbers(db: Database, name: str) -> None:
    named = [db.engine.type_name(Number("int", bits)) for bits in range(1, 300)]
    for kind in filter(None, dict.fromkeys(named)):
        bits = len(named) - named[::-1].index(kind)
        assert comes_back(db, kind.replace("SIGNED", "BIGINT"), 2**bits - 1), (kind, bits)


@pytest.mark.parametrize("digits", range(9))
def test_sums_of_spark_s_decimals_keep_six_digits(digits: int) -> None:
    # Spark's documentation: an operation whose result needs more than 38 digits keeps at least six after the point.
    assert (ENGINES["spark"].type_name(Number("decimal", 60, digits)) is not None) == (digits <= 6)


BYTES = {"tinyint": 1, "smallint": 2, "int": 4, "integer": 4, "bigint": 8}
WITHOUT_SERVERS = {
    "spark": ["tinyint", "smallint", "int", "bigint"],
    "databricks": ["tinyint", "smallint", "int", "bigint"],
    "redshift": ["smallint", "integer", "bigint"],
}


@pytest.mark.parametrize("name", WITHOUT_SERVERS)
def test_an_integer_of_an_engine_without_a_server_has_a_bit_less_than_its_bytes(name: str) -> None:
    for kind in WITHOUT_SERVERS[name]:
        assert ENGINES[name].read_type(kind).number == Number("int", 8 * BYTES[kind] - 1)
    assert ENGINES[name].read_type("boolean").number == BOOLEAN


@pytest.mark.parametrize("name", TEXTS)
def test_text_is_text_and_dates_and_bytes_are_neither_text_nor_numbers(name: str) -> None:
    read = ENGINES[name].read_type
    for kind in TEXTS[name]:
        assert (read(kind).is_text, read(kind).number, read(kind).is_array) == (True, None, False), kind
    for kind in NEITHER[name]:
        assert (read(kind).is_text, read(kind).number, read(kind).is_array) == (False, None, False), kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("duckdb", "DECIMAL({},{})"),
        ("postgresql", "numeric({},{})"),
        ("mariadb", "decimal({},{})"),
        ("mysql", "decimal({},{})"),
        ("clickhouse", "Decimal({}, {})"),
        ("spark", "decimal({},{})"),
    ],
)
def test_a_decimal_has_the_bits_of_its_digits(name: str, kind: str) -> None:
    for digits, behind in ((9, 3), (18, 0), (38, 6), (1, 1)):
        number = ENGINES[name].read_type(kind.format(digits, behind)).number
        assert number == Number("decimal", (10**digits - 1).bit_length(), behind)


@pytest.mark.parametrize("digits", range(13))
@pytest.mark.parametrize("value", [1.0, 5.0, 4096.0])
def test_a_constant_beside_decimals_widens_their_type_as_far_as_it_must(value: float, digits: int) -> None:
    units = int(value) * 10**digits
    for bits in (1, 20, 60):
        after = AppendConstant(value).result_type(Number("decimal", bits, digits), 3)
        assert after == Number("decimal", max(bits, units.bit_length()), digits)


@pytest.mark.parametrize("terms", [1, 2, 3, 4, 5])
@pytest.mark.parametrize(("bits", "factors"), [(15, 2), (21, 3), (31, 1), (31, 2), (63, 1)])
def test_a_sum_of_products_is_no_wider_than_it_must_be(bits: int, factors: int, terms: int) -> None:
    stage = products_of(2, terms, lambda c, _: (1, run(0 * c, factors)))
    largest = terms * (2**bits - 1) ** factors
    assert stage.result_type(Number("int", bits), factors) == Number("int", largest.bit_length())


@pytest.mark.parametrize("power", [2, 3, 4, 5])
def test_a_sum_of_features_and_a_constant_is_no_wider_than_it_must_be(power: int) -> None:
    d = 2**power - 2
    features = [Column(f"f{j}", ENGINES["duckdb"].read_type("INTEGER")) for j in range(d)]
    frame = resolve(Wide("t", key=None), features, ENGINES["duckdb"])
    found = Job(PolynomialKernelProjection(k=2, s=1, t=1, c=1), frame, ENGINES["duckdb"], scale=False)
    assert found.stages[0].appends
    largest = (d + 1) * (2**31 - 1)
    assert found.kinds[2] == Number("int", largest.bit_length())


@pytest.mark.parametrize(("bits", "kind"), [(60, "int"), (61, "double")])
def test_sums_of_up_to_64_bits_are_whole_numbers_before_a_scale(bits: int, kind: str) -> None:
    # The sum of four features and a constant has three bits more, and the sign is another one.
    found = job(SparseProjection(k=2, s=2, seed=1), "wide", Number("int", bits), ENGINES["duckdb"])
    assert {number.kind for number in found.kinds} == {kind}


def test_small_sums_are_narrow_beside_a_wide_feature_that_no_sum_has() -> None:
    duckdb = ENGINES["duckdb"]
    projection = next(p for seed in range(99) if _unused(p := SparseProjection(k=1, s=3, seed=seed)) == 1)
    for kind, narrow in (("SMALLINT", True), ("BIGINT", True), ("HUGEINT", False)):
        types = ["TINYINT", kind, "TINYINT", "TINYINT"]
        columns = [Column(f"f{j}", duckdb.read_type(type_)) for j, type_ in enumerate(types)]
        found = Job(projection, resolve(Wide("t", key=None), columns, duckdb), duckdb, scale=False)
        assert (found.narrow is not None) == narrow, kind


def _unused(projection: SparseProjection) -> int | None:
    """The one feature of four that no sum has."""
    unused = np.flatnonzero(projection.stages(4)[0].matrix(np.arange(4))[:, 0] == 0)
    return int(unused[0]) if len(unused) == 1 else None


def test_the_modulus_of_the_hashes_that_tables_keep_is_that_of_earlier_versions() -> None:
    assert HASHED == 2_305_843_009_213_693_951  # the prime 2^61 - 1


@pytest.mark.parametrize("digits", [9, 37, 38, 39])
def test_products_of_mariadb_s_decimals_keep_38_digits(digits: int) -> None:
    # MariaDB's documentation: a decimal has at most 38 digits after the point.
    number = Number("decimal", 150, digits)
    assert ENGINES["mariadb"].multiplies(number) == (digits <= 38)


@pytest.mark.parametrize(
    ("kind", "largest"),
    [("bit", 1), ("tinyint", 255), ("smallint", 32_767), ("int", 2_147_483_647), ("bigint", 9_223_372_036_854_775_807)],
)
def test_integers_of_sql_server_have_the_range_that_its_documentation_says(kind: str, largest: int) -> None:
    assert ENGINES["sqlserver"].read_type(kind).number == Number("int", largest.bit_length())


@pytest.mark.parametrize(("kind", "exact"), [("INTEGER", True), ("UINTEGER", False)])
def test_integers_of_an_open_vocabulary_are_summed_exactly_if_63_bits_hold_them(kind: str, exact: bool) -> None:
    """It may have 2^31 features, so a sum has up to 32 bits more than a value, and is scaled."""
    engine = ENGINES["duckdb"]
    columns = [
        Column(name, engine.read_type(text)) for name, text in (("doc", "BIGINT"), ("word", "VARCHAR"), ("n", kind))
    ]
    frame = resolve(Long("words", "doc", "word", "n"), columns, engine)
    assert (Job(SparseProjection(k=2, s=3), frame, engine).kinds[0].kind == "int") == exact
