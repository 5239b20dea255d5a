"""Every type of an engine's own catalogue, as a feature, key and kept column: its number, or a refusal in our words.

A type that is new in an engine's next release fails `test_every_type_of_the_catalogue_is_tried`: give it a value here.
"""

from __future__ import annotations

from typing import Any

import pytest
from databases import Database
from helpers import assert_one_line

import sqlrp
from sqlrp import SqlrpError, StatementError, Wide

P = sqlrp.SparseProjection(k=1, s=1, seed=3)
CATALOGUES = {
    "duckdb": "SELECT DISTINCT logical_type FROM duckdb_types()",
    "postgresql": (
        "SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r', 'm') "
        "AND typcategory NOT IN ('A', 'P', 'Z')"
    ),
    "clickhouse": "SELECT name FROM system.data_type_families WHERE alias_to = ''",
}
"""The query of the types. MariaDB and SQLite have no such catalogue: their names are those of the manuals."""

Value = tuple[str, str, float | None]
"""The type as a table declares it, a value as an expression, and the number that it is as a feature, if it is one."""


def numbers(kinds: str, text: str = "5", number: float = 5) -> dict[str, Value]:
    return {kind: (kind, text, number) for kind in kinds.split()}


def texts(kinds: str, text: str) -> dict[str, Value]:
    return {kind: (kind, text, None) for kind in kinds.split()}


def untried(why: str, kinds: str) -> dict[str, str]:
    return dict.fromkeys(kinds.split(), why)


UNITS = "Nanosecond Microsecond Millisecond Second Minute Hour Day Week Month Quarter Year"
INTERVALS = " ".join(f"Interval{unit}" for unit in UNITS.split())


VALUES: dict[str, dict[str, Value]] = {
    "duckdb": {
        **numbers("TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT BIGNUM"),
        **numbers("FLOAT DOUBLE", "2.5", 2.5),
        "DECIMAL": ("DECIMAL(9,2)", "2.25", 2.25),
        "BOOLEAN": ("BOOLEAN", "true", 1),
        "VARCHAR": ("VARCHAR", "'a'", None),
        "ENUM": ("ENUM('a', 'b')", "'b'", None),
        "UUID": ("UUID", "'00000000-0000-0000-0000-000000000001'", None),
        "BLOB": ("BLOB", "'a'", None),
        "BIT": ("BIT", "'101'", None),
        "DATE": ("DATE", "'2020-02-29'", None),
        **texts("TIMESTAMP TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS", "'2020-02-29 01:02:03'"),
        "TIMESTAMP WITH TIME ZONE": ("TIMESTAMP WITH TIME ZONE", "'2020-02-29 01:02:03+00'", None),
        **texts("TIME TIME_NS", "'01:02:03'"),
        "TIME WITH TIME ZONE": ("TIME WITH TIME ZONE", "'01:02:03+00'", None),
        "INTERVAL": ("INTERVAL", "INTERVAL 1 DAY", None),
        "LIST": ("DOUBLE[]", "[1.5]", None),
        "LIST of BIGNUM": ("BIGNUM[]", "[5::BIGNUM]", None),
        "ARRAY": ("DOUBLE[1]", "[1.5]", None),
        "STRUCT": ("STRUCT(u DOUBLE)", "{'u': 1.5}", None),
        "MAP": ("MAP(VARCHAR, DOUBLE)", "MAP {'u': 1.5}", None),
        "UNION": ("UNION(n DOUBLE)", "2.5", None),
        "VARIANT": ("VARIANT", "2.5", None),
    },
    "postgresql": {
        **numbers("int2 int4 int8 numeric"),
        **numbers("float4 float8", "2.5", 2.5),
        **{f"numeric {text}": ("numeric", f"'{text}'", float(text)) for text in ("NaN", "Infinity", "1e90")},
        "bool": ("bool", "true", 1),
        **texts("text varchar bpchar name xml refcursor", "'a'"),
        "char": ('"char"', "'a'", None),
        **texts("bytea", "'\\x01'"),
        **texts("bit varbit", "B'1'"),
        **texts("date timestamp timestamptz", "'2020-02-29'"),
        **texts("time timetz", "'01:02:03'"),
        "interval": ("interval", "'1 day'", None),
        "money": ("money", "'1.50'", None),
        **texts("json jsonb", "'{\"u\": 1.5}'"),
        "jsonpath": ("jsonpath", "'$.u'", None),
        "uuid": ("uuid", "'00000000-0000-0000-0000-000000000001'", None),
        **texts("cidr inet", "'10.0.0.1'"),
        "macaddr": ("macaddr", "'08:00:2b:01:02:03'", None),
        "macaddr8": ("macaddr8", "'08:00:2b:01:02:03:04:05'", None),
        **texts("point", "'(1,2)'"),
        "line": ("line", "'{1,2,3}'", None),
        **texts("lseg box path", "'((0,0),(1,1))'"),
        "polygon": ("polygon", "'((0,0),(1,1),(1,0))'", None),
        "circle": ("circle", "'<(0,0),1>'", None),
        **texts("int4range int8range numrange", "'[1,3)'"),
        **texts("daterange tsrange tstzrange", "'[2020-01-01,2020-01-03)'"),
        **texts("int4multirange int8multirange nummultirange", "'{[1,3)}'"),
        **texts("datemultirange tsmultirange tstzmultirange", "'{[2020-01-01,2020-01-03)}'"),
        "tsvector": ("tsvector", "'a'", None),
        "tsquery": ("tsquery", "'a'", None),
        **texts("oid regclass regtype regrole regproc regprocedure regnamespace regoper regoperator", "0::oid"),
        **texts("regcollation regconfig regdictionary", "0::oid"),
        **texts("xid cid", "'1'"),
        "xid8": ("xid8", "'1'", None),
        "tid": ("tid", "'(0,1)'", None),
        "pg_lsn": ("pg_lsn", "'0/1'", None),
        **texts("pg_snapshot txid_snapshot", "'1:1:'"),
        "aclitem": ("aclitem", "'postgres=r/postgres'", None),
    },
    "clickhouse": {
        **numbers("Int8 Int16 Int32 Int64 Int128 Int256 UInt8 UInt16 UInt32 UInt64 UInt128 UInt256"),
        **numbers("Float32 Float64 BFloat16", "2.5", 2.5),
        **{f"Decimal{bits}": (f"Decimal{bits}(2)", "2.25", 2.25) for bits in (32, 64, 128, 256)},
        "Decimal": ("Decimal(9, 2)", "2.25", 2.25),
        "Bool": ("Bool", "true", 1),
        "Nullable": ("Nullable(Float64)", "2.5", 2.5),
        "LowCardinality": ("LowCardinality(String)", "'a'", None),
        "SimpleAggregateFunction": ("SimpleAggregateFunction(sum, Float64)", "2.5", 2.5),
        "String": ("String", "'a'", None),
        "FixedString": ("FixedString(2)", "'ab'", None),
        **{name: (f"{name}('a' = 1, 'b' = 2)", "'b'", None) for name in ("Enum", "Enum8", "Enum16")},
        "UUID": ("UUID", "'00000000-0000-0000-0000-000000000001'", None),
        "IPv4": ("IPv4", "'1.2.3.4'", None),
        "IPv6": ("IPv6", "'::1'", None),
        **texts("Date Date32", "'2020-02-29'"),
        **texts("DateTime DateTime32", "'2020-02-29 01:02:03'"),
        "DateTime64": ("DateTime64(3)", "'2020-02-29 01:02:03'", None),
        "Array": ("Array(Float64)", "[1.5]", None),
        "Tuple": ("Tuple(Float64, String)", "(1.5, 'a')", None),
        "Map": ("Map(String, Float64)", "map('a', 1.5)", None),
    },
    "mariadb": {
        **numbers("TINYINT SMALLINT MEDIUMINT INT BIGINT"),
        "BIGINT UNSIGNED": ("BIGINT UNSIGNED", "18446744073709551615", 2.0**64),
        **numbers("FLOAT DOUBLE", "2.5", 2.5),
        "DECIMAL": ("DECIMAL(9,2)", "2.25", 2.25),
        **{f"BIT({n})": (f"BIT({n})", "b'1'", 1) for n in (1, 8, 63)},
        "BIT(64)": ("BIT(64)", "b'1'", None),
        "YEAR": ("YEAR", "2024", 2024),
        "BOOLEAN": ("BOOLEAN", "true", 1),
        **texts("CHAR(2) VARCHAR(9) TEXT", "'a'"),
        **texts("BINARY(2) VARBINARY(9) BLOB", "'a'"),
        "ENUM": ("ENUM('a', 'b')", "'b'", None),
        "SET": ("SET('a', 'b')", "'a,b'", None),
        **texts("DATE DATETIME TIMESTAMP", "'2020-02-29'"),
        "TIME": ("TIME", "'01:02:03'", None),
        "JSON": ("JSON", "'{}'", None),
        "UUID": ("UUID", "'00000000-0000-0000-0000-000000000001'", None),
        "INET6": ("INET6", "'::1'", None),
        "POINT": ("POINT", "POINT(1, 2)", None),
    },
    "sqlite": {
        **numbers("INTEGER INT TINYINT SMALLINT BIGINT INT2 INT8 INTEGER64"),
        "UNSIGNED BIG INT": ("UNSIGNED BIG INT", "5", 5),
        **numbers("REAL DOUBLE FLOAT FLOAT64 NUMERIC NUMBER DEC MONEY CURRENCY FIXED", "2.5", 2.5),
        "DOUBLE PRECISION": ("DOUBLE PRECISION", "2.5", 2.5),
        "DECIMAL(9,2)": ("DECIMAL(9,2)", "2.25", 2.25),
        **numbers("BOOLEAN BOOL BIT", "1", 1),
        "": ("", "2.5", 2.5),
        **texts("TEXT VARCHAR(9) CLOB STRING", "'a'"),
        "BLOB": ("BLOB", "x'01'", None),
        **texts("DATE DATETIME", "'2020-02-29'"),
        "JSON": ("JSON", "'{}'", None),
    },
}
UNTRIED: dict[str, dict[str, str]] = {
    "duckdb": {
        **untried("no column has it", "NULL TYPE TUPLE"),
        **untried("needs an extension", "GEOMETRY"),
        **untried("not in every release", "TIMESTAMPTZ_NS"),
    },
    "postgresql": untried(
        "internal: no value can be written",
        "gtsvector pg_brin_bloom_summary pg_brin_minmax_multi_summary pg_dependencies pg_mcv_list pg_ndistinct "
        "pg_node_tree",
    ),
    "clickhouse": {
        **untried("no column has it", "Nothing"),
        **untried("no column of a table has it", INTERVALS),
        **untried("its columns are arrays", "Nested"),
        **untried("states, and no values", "AggregateFunction"),
        **untried("has a test of its own", "QBit"),
        **untried("needs a setting", "Dynamic JSON Variant Time Time64"),
        **untried("arrays, tuples and variants of them", "Geometry"),
        **untried("arrays and tuples", "Point Ring LineString MultiLineString Polygon MultiPoint MultiPolygon"),
    },
}
"""The types that have no value here, each with the reason."""


@pytest.mark.parametrize("name", CATALOGUES)
def test_every_type_of_the_catalogue_is_tried(db: Database, name: str) -> None:
    found = {str(kind) for (kind,) in db.run_query(CATALOGUES[name])}
    assert found - VALUES[name].keys() - UNTRIED[name].keys() == set()


@pytest.mark.parametrize("name", VALUES)
def test_every_type_is_its_number_or_is_refused_in_our_words(db: Database, name: str) -> None:
    wrong = [
        f"{kind or '(none)'}: {why}"
        for at, (kind, value) in enumerate(VALUES[name].items())
        for why in faults(db, f"every{at}", value)
    ]
    assert wrong == []


def faults(db: Database, table: str, value: Value) -> list[str]:
    """What is wrong with a type. Its table has a key, the column x of the type, and two features.

    A table of its own, as psycopg prepares a statement that comes often, with the types that it had.
    """
    declared, text, number = value
    double = {"clickhouse": "Float64", "mariadb": "DOUBLE"}.get(db.name, "DOUBLE PRECISION")
    end = " ENGINE = MergeTree ORDER BY id" if db.name == "clickhouse" else ""
    quoted = db.engine.quote(table)
    db.run(f"DROP TABLE IF EXISTS {quoted}")
    db.run(f"CREATE TABLE {quoted} (id INTEGER, x {declared}, a {double}, b {double}){end}")
    db.run(f"INSERT INTO {quoted} VALUES (1, {text}, 1, 3)")
    found = [
        *(f"as a feature: {why}" for why in _feature(db, table, number)),
        *(f"left out: {why}" for why in _left_out(db, table, number)),
        *(f"as a key: {why}" for why in _passing(db, Wide(table, key="x", features=["a", "b"]), number)),
        *(f"kept: {why}" for why in _passing(db, Wide(table, features=["a", "b"], keep=["x"]), number)),
    ]
    db.run(f"DROP TABLE {quoted}")
    return found


def _tried(db: Database, source: Any) -> tuple[Any, str]:
    """The result and no word, or no result and what is wrong with the error: nothing if it is ours."""
    try:
        return sqlrp.project(P, source, db.connection).to_pylist(), ""
    except StatementError as error:
        return None, f"the engine's error: {error}"
    except SqlrpError:
        return None, ""
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


def _feature(db: Database, table: str, number: float | None) -> list[str]:
    rows, why = _tried(db, Wide(table, features=["x", "a"]))
    if why or rows is None:
        return [why] if why else [] if number is None else ["refused"]
    want = None if number is None else number * _SIGNS[0] + _SIGNS[1]
    fine = want is not None and float(rows[0]["z0"]) == pytest.approx(want, rel=1e-6, nan_ok=True)
    return [] if fine else [f"{rows} for {want}"]


def _left_out(db: Database, table: str, number: float | None) -> list[str]:
    """Without names, it is a feature, or it is said to be left out; an array is refused with a question."""
    try:
        told = str(sqlrp.explain(P, Wide(table), db.connection))
    except SqlrpError as error:
        return [] if "'x'" in str(error) else [str(error)]
    line = next((line for line in told.splitlines() if line.startswith(_LINES[number is None])), "")
    return [] if "'x'" in line else [told]


def _passing(db: Database, source: Wide, number: float | None) -> list[str]:
    """A number stays one, but for the bits of MariaDB, which its drivers read as bytes."""
    rows, why = _tried(db, source)
    if why or rows is None:
        return [why] if why else []
    (value,) = (row["x"] for row in rows)
    bits = db.name == "mariadb" and isinstance(value, bytes)
    fine = value is not None if number is None or bits else float(value) == pytest.approx(number, nan_ok=True)
    return [] if fine else [str(rows)]


_LINES = ("  features ", "  left out ")
_SIGNS = sqlrp.signs(2, 1, s=1, seed=3)["sign"].to_pylist()


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "infinity"),
        ("date", "0044-03-15 BC"),
        ("timestamp", "infinity"),
        ("timestamptz", "-infinity"),
        ("timestamp", "20000-01-01"),
        ("time", "24:00"),
        ("interval", "1000000000 days"),
    ],
)
@pytest.mark.parametrize("name", ["postgresql"])
def test_what_python_has_no_value_for_is_read_as_text(db: Database, name: str, kind: str, value: str) -> None:
    db.run("DROP TABLE IF EXISTS beyond CASCADE")
    db.run(f"CREATE TABLE beyond AS SELECT CAST('{value}' AS {kind}) AS id, 1e0::float8 AS a, 3e0::float8 AS b")
    source = Wide("beyond", key="id", features=["a", "b"])
    with pytest.raises(StatementError) as caught:
        sqlrp.project(P, source, db.connection)
    assert_one_line(caught, "(Python has no such value: read the column as text, by a view with CAST(… AS text))")
    assert sqlrp.materialize(P, source, db.connection, into="beyond_rp", replace=True) == 1
    db.run("CREATE VIEW beyond_text AS SELECT CAST(id AS text) AS id, a, b FROM beyond")
    found = sqlrp.project(P, Wide("beyond_text", key="id", features=["a", "b"]), db.connection)
    assert [(i,) for i in found.column("id").to_pylist()] == db.run_query("SELECT CAST(id AS text) FROM beyond")
