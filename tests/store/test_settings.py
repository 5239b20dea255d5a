"""Settings of a session that change what SQL means leave what sqlrp gives as it is."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np

import sqlrp
from sqlrp import Array, SparseProjection

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


def test_settings_of_duckdb_change_nothing() -> None:
    want = everything("")
    assert want[5] == [0.0]
    for setting in SETTINGS:
        assert everything(setting) == want, setting
