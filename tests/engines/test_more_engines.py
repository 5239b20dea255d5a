"""Engines and dialects that sqlrp was not written for: each is right, or refused by name before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from cases import EVERY
from cases import X as ROWS
from helpers import assert_one_line, assert_projected, oracle
from hypers import hyper_database
from sqlalchemy.dialects import registry
from strangers import fill, with_packages

import sqlrp
from sqlrp import Long, SparseProjection, UnsupportedError, Wide
from sqlrp._engines.registry import connector_of

pytestmark = pytest.mark.slow

WIDE, LONG = Wide("w", key="id"), Long("cells", n_features=ROWS.shape[1])
P = SparseProjection(k=2, s=1, seed=1)


@pytest.fixture(scope="module")
def hyper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sa.Engine]:
    with hyper_database(tmp_path_factory.mktemp("hyper")) as engine:
        fill(engine, "DOUBLE PRECISION")
        yield engine


@pytest.mark.parametrize("lowering", ["inline", "relational"])
@pytest.mark.parametrize("method", EVERY)
def test_hyper_is_right(hyper: sa.Engine, method: str, lowering: Any) -> None:
    for source in (WIDE, LONG):
        assert_projected(sqlrp.project(EVERY[method], source, hyper, lowering=lowering), oracle(EVERY[method], ROWS))


def test_what_hyper_keeps_not_is_told(hyper: sa.Engine) -> None:
    dialect: Any = connector_of(hyper).dialect
    assert (dialect.answers.relations, dialect.answers.merges, dialect.answers.statements <= 40) == ("", False, True)
    for call in (lambda: sqlrp.materialize(P, WIDE, hyper, "made"), lambda: sqlrp.save(P, hyper, "mine")):
        with pytest.raises(UnsupportedError) as caught:
            call()
        assert_one_line(caught, "hyper refuses a table with a key and with long texts", "PRIMARY KEY", "kept in it")
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.diagnose(P, WIDE, hyper)
    assert_one_line(caught, "refuses a temporary table which this call needs", "mixing DDL and DML", "dataframe")
    assert sa.inspect(hyper).get_table_names() == ["w", "cells"]


def test_another_dialect_of_duckdb(tmp_path: Path) -> None:
    """It hides the connection of duckdb, whose methods are no methods of the wrapper."""
    with with_packages("duckdb-sqlalchemy", ("duckdb-sqlalchemy==1.5.6.5",)):
        registry.register("duckdb.duckdb_sqlalchemy", "duckdb_sqlalchemy", "Dialect")
        engine = sa.create_engine(f"duckdb+duckdb_sqlalchemy:///{tmp_path}/made.duckdb")
        fill(engine)
        for method in ("linear-s1", "fourier"):
            assert_projected(sqlrp.project(EVERY[method], LONG, engine), oracle(EVERY[method], ROWS))
        assert sqlrp.materialize(P, WIDE, engine, "made") == len(ROWS)
        with engine.connect() as connection:
            result = connection.exec_driver_sql("SELECT id FROM w ORDER BY id")
            first = result.fetchone()
            assert sqlrp.search(connection, "made", ROWS[4], n=1)["id"].to_pylist() == [4]
            assert [first, *result.fetchall()] == [(i,) for i in range(len(ROWS))]  # it loses no row to ours
        engine.dispose()
