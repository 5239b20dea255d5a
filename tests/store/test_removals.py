"""What a refresh may remove: rows that are hidden from a role, or that a source lacks while it is loaded, stay."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from cases import DATABASES as NAMES
from databases import Database, opened, server

import sqlrp
from sqlrp import ParameterError, SourceError

RP = sqlrp.SparseProjection(k=2, s=1, seed=3)
N = 12


@pytest.fixture
def db(name: str, tmp_path: Path) -> Iterator[Database]:
    yield from opened(name, tmp_path)


def ids(db: Database) -> list[int]:
    return sorted(int(i) for (i,) in db.run_query("SELECT id FROM kept"))


def deleted(db: Database, where: str) -> None:
    extra = " SETTINGS mutations_sync = 2" if db.name == "clickhouse" else ""
    verb = "ALTER TABLE t DELETE" if db.name == "clickhouse" else "DELETE FROM t"
    db.run(f"{verb} WHERE {where}{extra}")


@pytest.mark.parametrize("name", NAMES)
def test_a_refresh_asks_before_it_removes_most_rows(db: Database, name: str) -> None:
    """Half goes without a word; more, or all, only by name, and the count says how many went."""
    source = db.load("wide", [[float(i), float(i % 5), 1.0] for i in range(N)])
    sqlrp.materialize(RP, source, db.connection, "kept", track="rows")
    deleted(db, "id >= 6")
    assert sqlrp.refresh(db.connection, "kept").removed == 6
    deleted(db, "id >= 2")
    for options in ({}, {"everything": True}, {"removals": 0.5}, {"removals": 0.5, "everything": True}):
        with pytest.raises(SourceError, match=r"4 of the 6 rows of .* would be removed.*pass removals=1"):
            sqlrp.refresh(db.connection, "kept", **options)
        assert ids(db) == list(range(6))
    assert sqlrp.refresh(db.connection, "kept", remove=False).removed == 0
    assert sqlrp.refresh(db.connection, "kept", removals=1).removed == 4
    assert ids(db) == [0, 1]
    deleted(db, "id >= 0")
    for everything in (False, True):
        with pytest.raises(SourceError, match="2 of the 2 rows"):
            sqlrp.refresh(db.connection, "kept", everything=everything)
    assert sqlrp.refresh(db.connection, "kept", everything=True, removals=1).removed == 2
    assert ids(db) == []
    for wrong in (-0.1, 1.1, True, "all", float("nan")):
        with pytest.raises(ParameterError, match="removals = "):
            sqlrp.refresh(db.connection, "kept", removals=wrong)  # type: ignore[arg-type]


def test_rows_that_a_role_does_not_see_stay(tmp_path: Path) -> None:
    """Row security on the table, or below a view that asks with the reader's rights, of any policy."""
    for db in opened("postgresql", tmp_path):
        schema = str(db.run_query("SELECT current_schema()")[0][0])
        role = f"{schema}_loader"
        db.load("wide", [[float(i), float(i % 2), 1.0] for i in range(N)])
        db.run(f"CREATE ROLE {role} LOGIN")
        db.run(f"GRANT ALL ON SCHEMA {schema} TO {role}")
        db.run(f"GRANT ALL ON t TO {role}")
        db.run("CREATE VIEW seen WITH (security_invoker = true) AS SELECT * FROM t")
        db.run(f"GRANT ALL ON seen TO {role}")
        url = server("postgresql").set(username=role)
        engine = sa.create_engine(url, poolclass=sa.pool.NullPool, connect_args={"options": f"-c search_path={schema}"})
        with engine.connect() as con, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for table in ("t", "seen"):
                source = sqlrp.Wide(table, key="id", features=["f0", "f1"])
                sqlrp.materialize(RP, source, con, f"kept_{table}", track="rows")
            con.commit()
            db.run("ALTER TABLE t ENABLE ROW LEVEL SECURITY")
            db.run("CREATE POLICY of_a_team ON t USING (f1 = 1)")

            def count(table: str) -> Any:
                found = con.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar()
                con.commit()
                return found

            before = con.exec_driver_sql("SHOW row_security").scalar()
            con.commit()
            for table in ("kept_t", "kept_seen"):
                for options in ({}, {"everything": True}):
                    with pytest.raises(SourceError, match=r"does not see all rows .*remove=False .*removals=1"):
                        sqlrp.refresh(con, table, **options)  # type: ignore[arg-type]
                    con.rollback()
                    assert count(table) == N
                assert sqlrp.refresh(con, table, remove=False).removed == 0
                con.commit()
                assert count(table) == N
                assert sqlrp.refresh(con, table, removals=0.5).removed == N // 2
                con.commit()
                assert count(table) == N // 2
            assert con.exec_driver_sql("SHOW row_security").scalar() == before
        engine.dispose()
        db.run(f"DROP OWNED BY {role} CASCADE")
        db.run(f"DROP ROLE {role}")
