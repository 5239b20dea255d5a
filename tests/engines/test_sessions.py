"""Sessions that are no connections of SQLAlchemy: DataFusion's SessionContext and Polars' SQLContext."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cases import EVERY
from cases import X as ROWS
from helpers import assert_one_line, assert_projected, oracle
from pages import EXAMPLES, check
from taking_part import need_package

import sqlrp
from sqlrp import Array, LimitError, Long, SourceError, SparseProjection, StatementError, UnsupportedError, Wide
from sqlrp._engines.generic.sessions import SessionConnector, complete
from sqlrp._engines.registry import connector_of

D = ROWS.shape[1]
P = SparseProjection(k=2, s=1, seed=1)
WIDE, LONG = Wide("w"), Long("cells", n_features=D)
ODD = 'a "b"; --'
TABLES = {
    "w": pa.table({"id": range(len(ROWS)), **{f"f{j}": ROWS[:, j] for j in range(D)}}),
    "cells": pa.table(
        {
            "id": np.repeat(np.arange(len(ROWS)), D),
            "feature": np.tile(np.arange(D), len(ROWS)).astype(np.int32),
            "value": ROWS.ravel(),
        }
    ),
    "Odd": pa.table(
        {
            "Id": ["x", "y", None],
            ODD: pa.array([1, -2, 3], pa.int8()),
            "flag": [True, False, None],
            "F": pa.array([0.5, 0.25, 2], pa.float32()),
        }
    ),
    "lists": pa.table({"id": [1], "x": [[1.0, 2.0]]}),
}


@pytest.fixture(scope="module", params=["datafusion", "polars", "daft"])
def session(request: pytest.FixtureRequest) -> Any:
    """A session with the tables."""
    need_package(request.param)
    if request.param == "datafusion":
        import datafusion

        made = datafusion.SessionContext()
        for name, table in TABLES.items():
            made.register_record_batches(f'"{name}"', [table.to_batches()])
        return made
    if request.param == "daft":
        import daft

        opened = daft.Session()
        for name, table in TABLES.items():
            opened.create_temp_table(name, daft.from_arrow(table))
        return opened
    import polars

    return polars.SQLContext({name: polars.from_arrow(table) for name, table in TABLES.items()})


@pytest.mark.parametrize("layout", ["wide", "long"])
@pytest.mark.parametrize("method", EVERY)
def test_every_method_is_right(session: Any, method: str, layout: str) -> None:
    source = WIDE if layout == "wide" else LONG
    assert_projected(sqlrp.project(EVERY[method], source, session), oracle(EVERY[method], ROWS))


@pytest.mark.parametrize("output", ["columns", "long", "bits"])
@pytest.mark.parametrize("lowering", ["inline", "relational"])
def test_outputs(session: Any, output: Any, lowering: Any) -> None:
    if "daft" in type(session).__module__ and lowering == "relational":
        with pytest.raises(UnsupportedError, match="no relational lowering"):
            sqlrp.project(P, WIDE, session, output=output, lowering=lowering)
        return
    got = sqlrp.project(P, WIDE, session, output=output, lowering=lowering)
    assert got.num_rows == len(ROWS) * (2 if output == "long" else 1)
    if output == "long":
        z = {(row["id"], row["component"]): row["value"] for row in got.to_pylist()}
        assert np.allclose([[z[i, c] for c in range(2)] for i in range(len(ROWS))], oracle(P, ROWS), rtol=1e-9)
    text = sqlrp.sql(P, WIDE, session, output=output, lowering=lowering)
    assert connector_of(session).fetch(session, text).num_rows == got.num_rows
    assert ("), FALSE) THEN" in text) == ("daft" in type(session).__module__)


def test_names_kinds_and_nulls(session: Any) -> None:
    with pytest.warns(sqlrp.SqlrpWarning, match="became NULL"):
        got = sqlrp.project(P, Wide("Odd", key="Id", features=[ODD, "flag", "F"]), session)
    rows = {row["Id"]: row for row in got.to_pylist()}
    z = oracle(P, np.array([[1, 1, 0.5], [-2, 0, 0.25]]))
    assert [rows["x"]["z0"], rows["y"]["z1"]] == pytest.approx([z[0, 0], z[1, 1]])
    assert rows[None]["z0"] is None


def test_the_engine_is_asked_once_and_compared(session: Any) -> None:
    connector = connector_of(session)
    assert isinstance(connector, SessionConnector)
    name = type(session).__module__.partition(".")[0]
    assert connector.dialect.name == name
    assert f"the engine {name} is not known: its SQL was asked" in str(sqlrp.explain(P, WIDE, session))
    assert connector_of(session).dialect.answers is connector.dialect.answers  # type: ignore[attr-defined]
    sqlrp.project(P, WIDE, session)
    assert connector.proved(session)


def test_what_cannot_be_is_refused_by_name(session: Any) -> None:
    name = type(session).__module__.partition(".")[0]
    for call in (
        lambda: sqlrp.project(P, Array("lists", "x", n_features=2), session),
        lambda: sqlrp.materialize(P, WIDE, session, "made"),
        lambda: sqlrp.save(P, session, "mine"),
        lambda: sqlrp.install(session),
        lambda: sqlrp.project(P, WIDE, session, nulls="error"),
    ):
        with pytest.raises((UnsupportedError, LimitError)) as caught:
            call()
        assert_one_line(caught, name)
    with pytest.raises(SourceError) as missing:
        sqlrp.project(P, Wide("nothing"), session)
    assert_one_line(missing, "nothing")
    with pytest.raises(StatementError) as wrong:
        connector_of(session).fetch(session, "SELECT no_such_function(1)")
    assert_one_line(wrong, "no_such_function")


def test_each_case_gets_its_else() -> None:
    text = """CASE WHEN a THEN CASE WHEN 'END ELSE' = "CASE" THEN 1 ELSE 2 END WHEN b THEN CASE WHEN c THEN 3 END END"""
    want = text.replace("THEN 3 END END", "THEN 3 ELSE NULL END ELSE NULL END")
    want = re.sub(r"WHEN ('END ELSE' = \"CASE\"|[abc]) THEN", r"WHEN coalesce(( \1 ), FALSE) THEN", want)
    assert complete(text) == want
    assert complete(want) == want


def test_the_page_of_other_engines_prints_what_it_shows(tmp_path: Path) -> None:
    for package in ("daft", "datafusion", "ibis", "polars", "sqlglot"):
        need_package(package)
    check(EXAMPLES / "other_engines.md", tmp_path)
