"""What others do to the source of a kept table: `check` and `refresh` say it, and nothing kept is lost."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from cases import DATABASES as NAMES
from databases import Database, opened

import sqlrp
from sqlrp import SqlrpError, SqlrpWarning

RP = sqlrp.SparseProjection(k=2, s=1, seed=3)
N = 6
CHANGES = {
    "renamed": (["ALTER TABLE t RENAME TO other"], "was dropped or renamed"),
    "dropped": (["DROP TABLE t"], "was dropped or renamed"),
    "key renamed": (["ALTER TABLE t RENAME COLUMN id TO other"], "lacks its key"),
    "feature dropped": (["ALTER TABLE t DROP COLUMN f1"], "lacks 'f1'"),
    "feature renamed": (["ALTER TABLE t RENAME COLUMN f1 TO other"], "lacks 'f1'"),
    "feature retyped": (
        ["ALTER TABLE t DROP COLUMN f1", "ALTER TABLE t ADD COLUMN f1 VARCHAR(9)"],
        "have another type: 'f1' was",
    ),
    "feature added": (["ALTER TABLE t ADD COLUMN extra INTEGER"], "has new numbers, 'extra'"),
}
"""The statements, and what `check` says."""


def in_clickhouse(statement: str) -> str:
    return statement.replace("VARCHAR(9)", "String").replace("ALTER TABLE t RENAME TO", "RENAME TABLE t TO")


@pytest.fixture
def db(name: str, tmp_path: Path) -> Iterator[Database]:
    yield from opened(name, tmp_path)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", CHANGES)
def test_what_becomes_of_a_source_is_found(db: Database, name: str, change: str) -> None:
    source = db.load("wide", [[float(i), 1.0, float(i % 3)] for i in range(N)])
    sqlrp.materialize(RP, source, db.connection, "kept", track="rows")
    kinds = ["kept"]
    if name == "duckdb":  # a view of DuckDB is its text: one that reads what is gone cannot be read
        sqlrp.materialize(RP, source, db.connection, "seen", kind="view")
        kinds.append("seen")
    assert sqlrp.check(db.connection) == []
    statements, said = CHANGES[change]
    for statement in statements:
        db.run(in_clickhouse(statement) if name == "clickhouse" else statement)
    found = sqlrp.check(db.connection)
    assert [finding.name for finding in found] == kinds
    assert all(said in finding.wrong for finding in found), found
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if change == "feature added":
            assert sqlrp.refresh(db.connection, "kept") == 0
            assert any(
                "new columns of numbers, 'extra'" in str(w.message) for w in caught if w.category is SqlrpWarning
            )
        else:
            with pytest.raises(SqlrpError):
                sqlrp.refresh(db.connection, "kept")
    assert db.run_query("SELECT count(*) FROM kept")[0][0] == N


def test_features_that_were_named_may_have_company(tmp_path: Path) -> None:
    for db in opened("duckdb", tmp_path):
        db.load("wide", [[1.0, 2.0, 3.0]])
        sqlrp.materialize(RP, sqlrp.Wide("t", features=["f0", "f1"]), db.connection, "kept")
        db.run("ALTER TABLE t ADD COLUMN extra DOUBLE")
        assert sqlrp.check(db.connection) == []


def test_nothing_needs_the_outside() -> None:
    """SECURITY.md advises the setting; no call reads a folder under it."""
    with duckdb.connect(config={"enable_external_access": "false", "threads": "1"}) as con:
        con.execute("CREATE TABLE t AS SELECT range AS id, range % 7 AS x, range % 5 AS y FROM range(50)")
        want = sqlrp.project(RP, "t", con)
        sqlrp.install(con)
        assert con.execute("SELECT count(*) FROM rp_project('t', k := 2, seed := 3)").fetchall() == [(50,)]
        assert "2 features" in str(sqlrp.explain(RP, "t", con))
        assert sqlrp.diagnose(RP, "t", con, sample=20).recall > 0
        sqlrp.materialize(RP, "t", con, "kept", track="rows")
        assert sqlrp.refresh(con, "kept") == 0
        assert sqlrp.check(con) == []
        sqlrp.uninstall(con)
        assert want.num_rows == 50
