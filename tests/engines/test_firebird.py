"""Firebird, which sqlrp has no file for: it is asked, and all it computes is compared with the numpy oracle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from cases import EVERY, NORMED, OPEN
from cases import X as ROWS
from firebirds import made
from helpers import assert_of_cells, assert_one_line, assert_projected, oracle

import sqlrp
from sqlrp import Long, Prepared, SourceError, StatementError, UnsupportedError, Wide
from sqlrp._engines.registry import connector_of

# A warning of a package that is not installed reaches no other process.
pytestmark = pytest.mark.filterwarnings("ignore:SQL warning code")

D = ROWS.shape[1]
SUMS = ("linear-s1", "gaussian", "count-sketch", "hadamard-least")
"""Methods whose relational text Firebird runs in a second or two: it merges WITH into each use."""
WIDE, LONG = Wide("w", key="id"), Long("cells", n_features=D)
OF_CELLS = Long("cells", n_features=D, value="VALUE")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sa.Engine]:
    """A database with the rows as a wide and as a long table, and one with hostile names."""
    with made(tmp_path_factory.mktemp("firebird")) as found:
        with found.begin() as connection:
            columns = ", ".join(f"f{j} DOUBLE PRECISION" for j in range(D))
            connection.exec_driver_sql(f"CREATE TABLE w (id BIGINT, {columns})")
            connection.exec_driver_sql('CREATE TABLE cells (id BIGINT, feature INTEGER, "VALUE" DOUBLE PRECISION)')
            columns = 'id BIGINT, "Value" DOUBLE PRECISION, "a b" INTEGER, "x""; --" DOUBLE PRECISION'
            connection.exec_driver_sql(f'CREATE TABLE "ta""ble; --" ({columns})')
        with found.begin() as connection:
            for i, row in enumerate(ROWS.tolist()):
                connection.exec_driver_sql(f"INSERT INTO w VALUES ({', '.join('?' * (D + 1))})", (i, *row))
                for j, value in enumerate(row):
                    connection.exec_driver_sql("INSERT INTO cells VALUES (?, ?, ?)", (i, j, value))
                connection.exec_driver_sql('INSERT INTO "ta""ble; --" VALUES (?, ?, ?, ?)', (i, row[0], i, row[2]))
        yield found


@pytest.mark.parametrize("method", EVERY)
def test_every_method_is_right_inline(engine: sa.Engine, method: str) -> None:
    for source in (WIDE, OF_CELLS):
        assert_projected(sqlrp.project(EVERY[method], source, engine, lowering="inline"), oracle(EVERY[method], ROWS))


@pytest.mark.parametrize("layout", ["wide", "long"])
@pytest.mark.parametrize("method", SUMS)
def test_sums_are_right_as_relations(engine: sa.Engine, method: str, layout: str) -> None:
    source = WIDE if layout == "wide" else OF_CELLS
    assert_projected(sqlrp.project(EVERY[method], source, engine, lowering="relational"), oracle(EVERY[method], ROWS))


@pytest.mark.parametrize("method", ["degree2", "maclaurin", "tensor-sketch", "fourier", "explicit", "nystroem"])
def test_products_as_relations_are_refused_by_name(engine: sa.Engine, method: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.project(EVERY[method], WIDE, engine, lowering="relational")
    assert_one_line(
        caught, "common table expressions are more than the 9 of a statement", "doubles: leave lowering out"
    )


@pytest.mark.parametrize("method", OPEN)
def test_an_open_vocabulary_is_right(engine: sa.Engine, method: str) -> None:
    assert_of_cells(engine, EVERY[method], "VALUE", ROWS)


@pytest.mark.parametrize("method", NORMED)
def test_normalised_rows_of_an_open_vocabulary_are_right(engine: sa.Engine, method: str) -> None:
    assert_of_cells(engine, Prepared(of=EVERY[method], how="l2"), "VALUE", ROWS)


def test_a_statement_that_is_too_large_is_told(engine: sa.Engine) -> None:
    projection = Prepared(of=EVERY["tensor-sketch-24"], how="l2")
    with pytest.raises(StatementError) as caught:
        sqlrp.project(projection, Long("cells", value="VALUE"), engine)
    assert_one_line(caught, "request size limit exceeded", "lower k, or pass a dataframe")


@pytest.mark.parametrize("output", ["columns", "long"])
def test_hostile_names_and_values(engine: sa.Engine, output: Any) -> None:
    projection, x = EVERY["linear-s1"], np.column_stack([ROWS[:, 0], np.arange(len(ROWS)), ROWS[:, 2]])
    source = Wide('"ta""ble; --"', key="id")
    got = sqlrp.project(projection, source, engine, output=output, lowering="inline")
    want = oracle(projection, x)
    if output == "columns":
        assert_projected(got, want)
        return
    assert got.column_names == ["id", "component", "value"]
    found = np.full_like(want, np.nan)
    found[got["id"].to_numpy(), got["component"].to_numpy()] = got["value"].to_numpy()
    assert np.allclose(found, want, rtol=1e-9)


def test_what_it_answered(engine: sa.Engine) -> None:
    dialect: Any = connector_of(engine).dialect
    answers = dialect.answers
    assert (answers.constants, answers.merges, answers.relations) == (" FROM RDB$DATABASE", True, "")
    assert answers.double == "CAST({x} AS DOUBLE PRECISION)"
    assert answers.limit == "{query} FETCH FIRST {rows} ROWS ONLY"
    assert answers.statements <= 45
    assert "is not known" in str(sqlrp.explain(EVERY["linear"], WIDE, engine))


def test_a_name_in_lower_case_is_told(engine: sa.Engine) -> None:
    """SQLAlchemy's dialect writes F0 as f0, and so `f0` as F0."""
    with engine.begin() as connection:
        connection.exec_driver_sql('CREATE TABLE twice (id BIGINT, F0 DOUBLE PRECISION, "f0" DOUBLE PRECISION)')
    with pytest.raises(SourceError) as caught:
        sqlrp.project(EVERY["linear-s1"], Wide("twice", key="id"), engine)
    assert_one_line(caught, "column 'f0' of \"twice\" was made in quotes", "takes its name for 'F0': read a view")


def test_a_long_table_of_other_names_is_told(engine: sa.Engine) -> None:
    with pytest.raises(SourceError) as caught:
        sqlrp.project(EVERY["linear"], LONG, engine)
    assert_one_line(caught, "column 'value' is not a column of", "VALUE")
