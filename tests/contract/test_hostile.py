"""Thousands of hostile names and values on one connection: projected as in numpy or refused, and never run as SQL."""

from __future__ import annotations

from functools import cache
from typing import Any

import duckdb
import pytest
from databases import DOUBLES, Database, database
from helpers import assert_one_line
from hostile import (
    PROJECTION,
    Tries,
    attacks,
    tables,
)
from hypothesis import given, settings

import sqlrp
from sqlrp import SparseProjection, Wide
from sqlrp._core.errors import SourceError, StatementError

EXAMPLES = 85


@cache
def cases() -> list[dict[str, Any]]:
    """What every engine is tried with, drawn once: the drawing takes as long as DuckDB does."""
    drawn: list[dict[str, Any]] = []

    @settings(max_examples=EXAMPLES)
    @given(case=attacks())
    def keep(case: dict[str, Any]) -> None:
        drawn.append(case)

    keep()
    assert len(drawn) >= EXAMPLES
    return drawn


@pytest.mark.slow
@pytest.mark.parametrize("name", ["duckdb", "postgresql", "sqlite"])
def test_2000_names_and_values_are_projected_or_refused(db: Database, name: str) -> None:
    db.run("CREATE TABLE canary AS SELECT 42 AS alive")
    db.run("CREATE TABLE base AS SELECT 1 AS id, 2 AS a")
    sqlrp.save(PROJECTION, db.connection, "first")  # makes the catalogue
    before = tables(db)
    tries = Tries(db)
    for case in cases():
        try:
            tries.names(case["words"], case["values"])
            tries.words(case["words"][::2])
            tries.saved(case["kept"])
            assert tables(db) == before
            assert db.run_query("SELECT alive FROM canary") == [(42,)]
        except BaseException as error:
            error.add_note(f"{case}")
            raise
    assert len(tries.done) >= 2000


@pytest.mark.parametrize("text", ["abc", "12abc", "", "1; DROP TABLE t", "🙂"])
@pytest.mark.parametrize("nulls", ["propagate", "zero", "error"])
def test_text_in_a_number_s_place_of_sqlite_fails(
    databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, text: str, nulls: str
) -> None:
    # SQLite keeps what it cannot read as a number, whatever the type declared; a cast would take it for 0.
    db = database(databases, "sqlite", tmp_path_factory)
    wide, long = db.load("wide", [[1.0, text], [None, 2.0]]), db.load("long", [[1.0, text], [3.0, 2.0]], table="l")
    for source, lowering in ((wide, "inline"), (wide, "relational"), (long, "relational")):
        with pytest.raises(StatementError) as caught:
            sqlrp.project(PROJECTION, source, db.connection, nulls=nulls, lowering=lowering)  # type: ignore[arg-type]
        assert_one_line(caught, "is text, not a number", "value" if source is long else "f1")


@pytest.mark.parametrize("name", [name for name in DOUBLES if name != "sqlite"])
def test_a_column_of_text_is_no_feature(db: Database, name: str) -> None:
    db.make("t", [("id", "BIGINT"), ("f", "VARCHAR(9)")], [[0, "1"]])
    with pytest.raises(SourceError) as caught:
        sqlrp.project(PROJECTION, Wide("t", features=["f"]), db.connection)
    assert_one_line(caught, "feature 'f'", "not a number")


TWINS = ("Straße", "straße", "STRASSE", "straße ", "Strase\u0301")


@pytest.mark.slow
@pytest.mark.parametrize("name", [*DOUBLES])
def test_names_of_saved_projections_that_look_alike(db: Database, name: str) -> None:
    # DuckDB takes names in two cases for one, and MariaDB text with other accents or trailing spaces.
    if name == "duckdb":
        sqlrp.install(db.connection)
    kept = {twin: SparseProjection(k=k, seed=k) for k, twin in enumerate(TWINS, 1)}
    for twin, projection in kept.items():
        sqlrp.save(projection, db.connection, twin)
    for twin, projection in kept.items():
        assert sqlrp.load(db.connection, twin) == projection
    if name == "duckdb":
        db.run("CREATE OR REPLACE TABLE t AS SELECT 1 AS id, 1.0 AS a, 2.0 AS b")
        for twin, projection in kept.items():
            found = db.connection.sql(f"FROM project_with('{twin}', 't')").to_arrow_table()
            assert found.equals(sqlrp.project(projection, "t", db.connection))
        with pytest.raises(duckdb.Error, match="no projection 'StraSSe' is saved here"):
            db.connection.sql("FROM project_with('StraSSe', 't')")
