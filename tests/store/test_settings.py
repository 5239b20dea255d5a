"""Settings of a session that change what SQL means leave what sqlrp gives as it is, or are refused in words of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import duckdb
import numpy as np
import pytest
import sqlalchemy as sa
from databases import server
from taking_part import takes_part

import sqlrp
from sqlrp import Array, SparseProjection, Wide

SETTINGS = (
    "default_order = 'DESC'",
    "default_null_order = 'NULLS FIRST'",
    "default_null_order = 'NULLS_FIRST_ON_ASC_LAST_ON_DESC'",
    "default_collation = 'NOCASE'",
    "default_collation = 'NOACCENT'",
    "integer_division = true",
    "preserve_insertion_order = false",
    "ieee_floating_point_ops = false",
    "order_by_non_integer_literal = true",
    "scalar_subquery_error_on_multiple_rows = false",
    "preserve_identifier_case = false",
    "arrow_lossless_conversion = true",
    "arrow_output_list_view = true",
    "arrow_large_buffer_size = true",
)
X = np.random.default_rng(5).integers(-9, 9, size=(40, 6)).astype(float)
PLAIN, BITS = SparseProjection(k=4, s=1, seed=2), SparseProjection(k=64, s=1, seed=2)


def known(con: Any, setting: str) -> bool:
    """Whether this version of DuckDB has the setting."""
    name = setting.partition(" =")[0]
    return bool(con.execute("SELECT 1 FROM duckdb_settings() WHERE name = ?", [name]).fetchall())


def everything(setting: str) -> list[Any]:
    """What the calls of one session give, as values."""
    with duckdb.connect() as con:
        if setting and known(con, setting):
            con.execute(f"SET {setting}")
        con.execute("CREATE TABLE t (id BIGINT, x DOUBLE[6])")
        con.executemany("INSERT INTO t VALUES (?, ?)", [(i, row.tolist()) for i, row in enumerate(X)])
        source, found = Array("t", "x"), []
        for lowering in ("inline", "indexed", "relational"):
            table = sqlrp.project(PLAIN, source, con, output="array", lowering=lowering)
            rows = table.fetchall() if hasattr(table, "fetchall") else [tuple(r.values()) for r in table.to_pylist()]
            found.append(sorted(rows))
        sqlrp.save(PLAIN, con, "a")
        sqlrp.save(BITS, con, "A")
        found.append((sqlrp.load(con, "a").k, sqlrp.load(con, "A").k, sorted(sqlrp.saved(con))))
        sqlrp.materialize(BITS, source, con, into="m", output="bits", track="rows")
        con.execute("INSERT INTO t SELECT id + 100, x FROM t WHERE id < 3")
        found.append(repr(sqlrp.refresh(con, "m")))
        for q in (X[7], X[:3]):
            near = sqlrp.search(con, "m", q, n=1, candidates=30)
            found.append(sorted(set(near.column("distance").to_pylist())))
        found.append(sqlrp.check(con))
        found.append(repr(sqlrp.diagnose(PLAIN, source, con, sample=20)))
        return found


@pytest.mark.slow
def test_settings_of_duckdb_change_nothing() -> None:
    want = everything("")
    assert want[5] == [0.0]
    for setting in SETTINGS:
        assert everything(setting) == want, setting


ROWS = X / 7
POSTGRESQL = (
    "standard_conforming_strings = off",
    "quote_all_identifiers = on",
    "backslash_quote = on",
    "escape_string_warning = off",
    "\"DateStyle\" = 'German, DMY'",
    "\"IntervalStyle\" = 'sql_standard'",
    "\"TimeZone\" = 'Asia/Kathmandu'",
    "extra_float_digits = 3",
    "extra_float_digits = -15",
    "bytea_output = 'escape'",
    "row_security = off",
    "transform_null_equals = on",
    "array_nulls = off",
    "default_transaction_isolation = 'serializable'",
    "enable_hashjoin = off",
    "enable_seqscan = off",
    "client_encoding = 'LATIN1'",
    "check_function_bodies = off",
)
MARIADB = (
    "sql_mode = 'ANSI_QUOTES'",
    "sql_mode = 'NO_BACKSLASH_ESCAPES'",
    "sql_mode = 'PIPES_AS_CONCAT'",
    "sql_mode = 'IGNORE_SPACE'",
    "sql_mode = 'NO_UNSIGNED_SUBTRACTION'",
    "sql_mode = 'HIGH_NOT_PRECEDENCE'",
    "sql_mode = 'REAL_AS_FLOAT'",
    "sql_mode = 'PAD_CHAR_TO_FULL_LENGTH'",
    "sql_mode = ''",
    "div_precision_increment = 0",
    "group_concat_max_len = 4",
    "collation_connection = latin1_swedish_ci",
    "max_sort_length = 8",
    "tx_isolation = 'SERIALIZABLE'",
    "optimizer_switch = 'derived_merge=off'",
    "default_storage_engine = MyISAM",
    "sql_notes = 0",
    "time_zone = '+05:45'",
    "sql_mode = 'ONLY_FULL_GROUP_BY,NO_ZERO_DATE,STRICT_ALL_TABLES'",
    "sql_mode = 'EMPTY_STRING_IS_NULL'",
    "sql_quote_show_create = 0",
    "character_set_connection = latin1",
    "max_recursive_iterations = 2",
    "max_statement_time = 100",
)
MYSQL = (
    "sql_mode = 'ANSI'",
    "sql_mode = 'NO_BACKSLASH_ESCAPES'",
    "sql_mode = 'PAD_CHAR_TO_FULL_LENGTH,HIGH_NOT_PRECEDENCE,NO_UNSIGNED_SUBTRACTION'",
    "sql_mode = ''",
    "default_storage_engine = MyISAM",
    "time_zone = '+05:45'",
    "collation_connection = latin1_swedish_ci",
    "group_concat_max_len = 4",
    "div_precision_increment = 0",
    "max_execution_time = 100000",
    "explain_format = TREE",
    "sql_generate_invisible_primary_key = 1",
    "information_schema_stats_expiry = 0",
    "default_collation_for_utf8mb4 = utf8mb4_general_ci",
    "cte_max_recursion_depth = 3",
)
REFUSED = {"sql_mode = 'ORACLE'": "sql_mode has ORACLE", "sql_select_limit = 5": "sql_select_limit = 5 cuts"}


@contextmanager
def session(name: str, setting: str) -> Iterator[Any]:
    """A connection with a database of its own, which has a table, and with the setting."""
    engine, place = sa.create_engine(server(name), isolation_level="AUTOCOMMIT"), f"sqlrp_set_{uuid4().hex[:8]}"
    noun, use = ("SCHEMA", "SET search_path =") if name == "postgresql" else ("DATABASE", "USE")
    double = "double precision" if name == "postgresql" else "DOUBLE"
    with engine.connect() as con:
        con.exec_driver_sql(f"CREATE {noun} {place}")
        try:
            con.exec_driver_sql(f"{use} {place}")
            columns = ", ".join(f"f{j} {double}" for j in range(6))
            con.exec_driver_sql(f"CREATE TABLE t (id BIGINT, label VARCHAR(20), {columns})")
            lines = (f"({i}, 'it''s {i}', {', '.join(repr(float(x)) for x in row)})" for i, row in enumerate(ROWS))
            con.exec_driver_sql(f"INSERT INTO t VALUES {', '.join(lines)}")
            if setting:
                con.exec_driver_sql(f"SET {'' if name == 'postgresql' else 'SESSION '}{setting}")
            yield con
        finally:
            con.exec_driver_sql(f"DROP {noun} {place}{' CASCADE' if name == 'postgresql' else ''}")
    engine.dispose()


def listed(table: Any) -> list[Any]:
    """The rows of a table, in the order of their keys, their numbers without the last digits."""
    rows = sorted(table.to_pylist(), key=lambda row: row["id"])
    return [[round(value, 9) if isinstance(value, float) else value for value in row.values()] for row in rows]


def answers(name: str, setting: str) -> list[Any]:
    """What the calls of one session give, as values."""
    with session(name, setting) as con:
        source = Wide("t", features=[f"f{j}" for j in range(6)], keep=["label"])
        found: list[Any] = [
            listed(sqlrp.project(PLAIN, source, con, lowering=road)) for road in ("inline", "relational")
        ]  # type: ignore[call-overload]
        sqlrp.save(PLAIN, con, "it's \\ a")
        sqlrp.save(BITS, con, "A")
        found.append((sqlrp.load(con, "it's \\ a").k, sqlrp.load(con, "A").k, sorted(sqlrp.saved(con))))
        sqlrp.materialize(BITS, source, con, into="m", output="bits", track="rows")
        con.exec_driver_sql("INSERT INTO t SELECT id + 100, label, f0, f1, f2, f3, f4, f5 FROM t WHERE id < 3")
        con.exec_driver_sql("UPDATE t SET label = 'other' WHERE id = 7")
        con.exec_driver_sql("DELETE FROM t WHERE id = 9")
        found += [repr(sqlrp.refresh(con, "m")), repr(sqlrp.refresh(con, "m", everything=True))]
        for query in (ROWS[7], ROWS[:3]):
            near = sqlrp.search(con, "m", query, n=2, candidates=30).column("distance").to_pylist()
            found.append([round(distance, 9) for distance in near])
        found.append(round(sqlrp.diagnose(PLAIN, source, con, sample=20).expected_distortion, 9))
        if name == "postgresql":
            found += functions(con)
        found.append(sqlrp.check(con))
        return found


def functions(con: Any) -> list[Any]:
    """What functions of the database give, those of `install` and others."""
    sqlrp.install(con)
    sqlrp.create_function(PLAIN, con, "f", n_features=6)
    sqlrp.create_search(con, "m", "m_search")
    con.exec_driver_sql("RESET extra_float_digits")  # the rows below are read by this test
    options = "k => 4, s => 1, seed => 2, features => '{f0,f1,f2,f3,f4,f5}'"
    calls = [
        f"SELECT z FROM rp_project('t', {options}, lowering => '{road}') WHERE key = '5'"
        for road in ("inline", "relational")
    ]
    calls += [
        "SELECT z FROM pk_project('t', k => 4, features => '{f0,f1}') WHERE key = '5'",
        "SELECT z FROM rff_project('t', k => 4, features => '{f0,f1}') WHERE key = '5'",
        "SELECT rp_vector(ARRAY[1.5, 2, 3]::double precision[], k => 4)",
        "SELECT f(ARRAY[f0, f1, f2, f3, f4, f5]) FROM t WHERE id = 5",
        f"SELECT array_agg(distance) FROM m_search(ARRAY{ROWS[7].tolist()}::double precision[], n => 2)",
    ]
    return [[round(value, 9) for value in con.exec_driver_sql(call).scalar()] for call in calls]


MATRIX = {"postgresql": POSTGRESQL, "mariadb": MARIADB, "mysql": MYSQL}
PAIRS = [(name, setting) for name, settings in MATRIX.items() for setting in settings]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "setting"), [pair for pair in PAIRS if takes_part(pair[0])])
def test_settings_of_a_server_change_nothing(name: str, setting: str, plain: dict[str, Any]) -> None:
    if name not in plain:
        plain[name] = answers(name, "")
    assert answers(name, setting) == plain[name]


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    """The answers without a setting, by engine."""
    return {}


@pytest.mark.parametrize("setting", REFUSED if takes_part("mariadb") else [])
def test_settings_that_cut_results_or_change_the_language_are_refused(setting: str) -> None:
    with session("mariadb", setting) as con:
        for call in (
            lambda: sqlrp.project(PLAIN, "t", con),
            lambda: sqlrp.save(PLAIN, con, "a"),
            lambda: sqlrp.materialize(PLAIN, "t", con, into="m"),
            lambda: sqlrp.check(con),
            lambda: sqlrp.saved(con),
        ):
            with pytest.raises(sqlrp.UnsupportedError, match=REFUSED[setting]):
                call()


@pytest.mark.parametrize("name", [name for name in ("mariadb", "mysql") if takes_part(name)])
def test_safe_updates_are_refused_with_the_remedy_and_change_nothing(name: str) -> None:
    with session(name, "") as con:
        sqlrp.materialize(PLAIN, Wide("t", features=["f0", "f1"]), con, into="m", track="rows")
        con.exec_driver_sql("DELETE FROM t WHERE id = 7")
        con.exec_driver_sql("SET SESSION sql_safe_updates = 1")
        before = con.exec_driver_sql("SELECT * FROM m ORDER BY id").fetchall()
        with pytest.raises(sqlrp.StatementError, match="SET SESSION sql_safe_updates = 0"):
            sqlrp.refresh(con, "m")
        assert con.exec_driver_sql("SELECT * FROM m ORDER BY id").fetchall() == before
        con.exec_driver_sql("SET SESSION sql_safe_updates = 0")
        assert "1" in repr(sqlrp.refresh(con, "m"))


@pytest.mark.parametrize("name", [name for name in ("mysql",) if takes_part(name)])
def test_a_key_that_every_table_must_have_is_refused_with_the_remedy(name: str) -> None:
    """Nothing is made by a refused call, and either remedy helps."""
    source = Wide("t", features=["f0", "f1"])
    with session(name, "sql_require_primary_key = ON") as con:
        with pytest.raises(sqlrp.StatementError, match="SET SESSION sql_require_primary_key = OFF"):
            sqlrp.materialize(PLAIN, source, con, into="m")
        assert sqlrp.check(con) == []
        assert con.exec_driver_sql("SHOW TABLES LIKE 'm'").fetchall() == []
        for setting in ("sql_generate_invisible_primary_key = ON", "sql_require_primary_key = OFF"):
            con.exec_driver_sql(f"SET SESSION {setting}")
            sqlrp.materialize(PLAIN, source, con, into="m", replace=True)
            assert len(con.exec_driver_sql("SELECT * FROM m").fetchall()) == len(ROWS)
