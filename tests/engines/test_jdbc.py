"""H2, HSQLDB and Derby by JDBC, which sqlrp has no files for: they are asked, and lack or merge WITH."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import sqlalchemy as sa
from cases import EVERY, NORMED, OPEN
from cases import X as ROWS
from helpers import assert_of_cells, assert_one_line, assert_projected, oracle
from jdbcs import JDBCS, java_database

import sqlrp
from sqlrp import Long, Prepared, SparseProjection, UnsupportedError, Wide
from sqlrp._engines.registry import connector_of

pytestmark = pytest.mark.slow

D = ROWS.shape[1]
P = SparseProjection(k=3, s=1, seed=1)
WIDE, LONG = Wide("w", key="id"), Long("cells", value="x", n_features=D)


@pytest.fixture(scope="module", params=JDBCS)
def engine(request: pytest.FixtureRequest) -> Iterator[sa.Engine]:
    """A database with the rows as a wide and as a long table, and one of hostile names."""
    with java_database(request.param, "methods") as found:
        with found.begin() as connection:
            columns = ", ".join(f"f{j} DOUBLE PRECISION" for j in range(D))
            connection.exec_driver_sql(f"CREATE TABLE w (id BIGINT, {columns})")
            connection.exec_driver_sql("CREATE TABLE cells (id BIGINT, feature INTEGER, x DOUBLE PRECISION)")
            connection.exec_driver_sql('CREATE TABLE "o""dd; --" ("Id" BIGINT, "a b" INTEGER, "z""0" DOUBLE PRECISION)')
            for i, row in enumerate(ROWS.tolist()):
                connection.exec_driver_sql(f"INSERT INTO w VALUES ({i}, {', '.join(map(repr, row))})")
                connection.exec_driver_sql(f'INSERT INTO "o""dd; --" VALUES ({i}, {i}, {row[0]!r})')
                for j, value in enumerate(row):
                    connection.exec_driver_sql(f"INSERT INTO cells VALUES ({i}, {j}, {value!r})")
        yield found


@pytest.mark.parametrize("method", EVERY)
def test_every_method_is_right(engine: sa.Engine, method: str) -> None:
    for source in (WIDE, LONG):
        assert_projected(sqlrp.project(EVERY[method], source, engine), oracle(EVERY[method], ROWS))


@pytest.mark.parametrize("method", OPEN)
def test_an_open_vocabulary_is_right(engine: sa.Engine, method: str) -> None:
    """The relational text of products needs a chain of WITH, which H2 merges into each use and the others lack."""
    assert_of_cells(engine, EVERY[method], "x", ROWS)


@pytest.mark.parametrize("method", NORMED)
def test_normalised_rows_of_an_open_vocabulary_are_right(engine: sa.Engine, method: str) -> None:
    assert_of_cells(engine, Prepared(of=EVERY[method], how="l2"), "x", ROWS)


def test_what_they_answered(engine: sa.Engine) -> None:
    dialect: Any = connector_of(engine).dialect
    assert dialect.name == engine.dialect.name
    lacks = {"h2": "", "hsqldb": "windows (OVER)", "derby": "WITH"}[dialect.name]
    assert (dialect.answers.relations, dialect.answers.merges) == (lacks, not lacks)
    assert dialect.answers.statements <= 70
    assert "is not known: its SQL was asked" in str(sqlrp.explain(P, LONG, engine))


@pytest.mark.parametrize("output", ["columns", "long", "bits"])
def test_outputs_and_hostile_names(engine: sa.Engine, output: Any) -> None:
    table = pa.table({"Id": range(len(ROWS)), "a b": range(len(ROWS)), 'z"0': ROWS[:, 0]})
    want = sqlrp.project(P, table, key="Id", output=output).to_pylist()
    got = sqlrp.project(P, Wide('"o""dd; --"', key="Id"), engine, output=output).to_pylist()
    order = ("Id", "component")
    got, want = (sorted(rows, key=lambda row: [row.get(name, 0) for name in order]) for rows in (got, want))
    assert [row.keys() for row in got] == [row.keys() for row in want]
    assert all(a[name] == pytest.approx(b[name], rel=1e-9) for a, b in zip(got, want, strict=True) for name in a)


def test_a_model_is_learnt_in_the_engine(engine: sa.Engine) -> None:
    features = ["f0", "f1"]
    model = sqlrp.learn(P, Wide("w", key="id", features=features), engine, target="f2", lowering="sql")
    con = duckdb.connect()
    con.register("w", pa.table({name: ROWS[:, j] for j, name in enumerate([*features, "f2"])}))
    here = sqlrp.learn(P, Wide("w", key=None, features=features), con, target="f2")
    assert np.allclose(model.coef_, here.coef_, rtol=1e-9)


def test_what_takes_temporary_tables_is_refused(engine: sa.Engine) -> None:
    if engine.dialect.name == "h2":
        table = pa.table({"id": range(len(ROWS)), **{f"f{j}": ROWS[:, j] for j in range(D)}})
        assert sqlrp.diagnose(P, WIDE, engine).measures() == pytest.approx(sqlrp.diagnose(P, table).measures())
        return
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.diagnose(P, WIDE, engine)
    assert_one_line(caught, f"{engine.dialect.name} refuses a temporary table which this call needs", "dataframe")


def test_a_driver_that_reads_null_as_zero_is_refused() -> None:
    """The package that HSQLDB's dialect asks for does so."""
    with java_database("hsqldb", "lying", "jaydebeapi_hsqldb") as engine, pytest.raises(UnsupportedError) as caught:
        sqlrp.project(P, WIDE, engine)
    assert_one_line(caught, "the engine hsqldb computes wrongly", "0.0), and right is", "None)")
