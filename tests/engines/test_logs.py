"""The logger `sqlrp`: statements at DEBUG, choices at INFO, and no password."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from cases import DATABASES as ENGINES
from databases import Database

import sqlrp
from sqlrp._core.logs import LOG, log_statement

SECRET = "hunter2"


@pytest.mark.parametrize("name", ENGINES)
def test_statements_and_choices(db: Database, name: str, caplog: pytest.LogCaptureFixture) -> None:
    source = db.load("wide", [[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])
    rp = sqlrp.SparseProjection(k=2, s=1)
    query = sqlrp.sql(rp, source, db.connection, lowering="inline")
    with caplog.at_level(logging.DEBUG, "sqlrp"):
        caplog.clear()
        sqlrp.project(rp, source, db.connection, lowering="inline")
    statements = [r.getMessage() for r in caplog.records if r.levelno == logging.DEBUG]
    assert [text for text in statements if query[:60] in text]
    assert all(
        text.startswith(("duckdb: ", "postgresql: ", "sqlite: ", "mysql: ", "mariadb: ", "clickhouse: "))
        for text in statements
    )
    (choice,) = (r.getMessage() for r in caplog.records if r.levelno == logging.INFO)
    assert choice == f'{rp.name} of "t": inline, as SQL of {name}, as asked for'
    with caplog.at_level(logging.INFO, "sqlrp"):
        caplog.clear()
        sqlrp.project(rp, source, db.connection)
    assert [r.levelno for r in caplog.records] == [logging.INFO]
    assert "the fastest estimate, " in caplog.records[0].getMessage()
    with caplog.at_level(logging.WARNING, "sqlrp"):
        caplog.clear()
        sqlrp.project(rp, source, db.connection)
    assert caplog.records == []


def test_no_password_is_logged(con: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "sqlrp"):
        log_statement(
            "duckdb", f"ATTACH 'postgresql://me:{SECRET}@host/db'; FROM 's3://me:{SECRET}@host/x'; password={SECRET}"
        )
        log_statement("duckdb", f"{'x' * 1_990} postgresql://me:{SECRET}@host/db")  # the cut does not uncover it
        LOG.info("%s of %s", "P", f"https://me:{SECRET}@host/x.parquet")
        with pytest.raises(sqlrp.SourceError):
            sqlrp.project(sqlrp.SparseProjection(k=2), f"https://me:{SECRET}@localhost:1/x.parquet", con)
    assert len(caplog.records) > 3
    assert SECRET not in caplog.text
    assert "hunter" not in caplog.text


def test_a_long_statement_is_cut(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "sqlrp"):
        log_statement("duckdb", "SELECT " + "1 + " * 1_000_000)
    (record,) = caplog.records
    assert len(record.getMessage()) < 2_100
    assert record.getMessage().endswith("… 3,998,007 characters more")
