"""The inline lowering, cut into steps: the same numbers, every step within the limit, and nothing left behind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pytest
from cases import some_rows
from cover import factors, pairwise
from helpers import (
    OUTPUTS,
    assert_close,
    assert_one_line,
    load,
    magnitude,
    oracle,
    projected,
)

import sqlrp
from sqlrp import (
    Long,
    PolynomialKernelProjection,
    Projection,
    SparseProjection,
    StatementError,
)
from sqlrp._engines.duckdb.connector import DuckDBConnector
from sqlrp._engines.duckdb.dialect import DuckDB
from sqlrp._engines.registry import CONNECTORS
from sqlrp._run.execution import run

Connection = duckdb.DuckDBPyConnection


@pytest.fixture
def few_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine whose statements hold 40 terms."""
    monkeypatch.setattr(DuckDB, "limits", replace(DuckDB.limits, terms=40))


CUT: dict[str, Projection] = {
    "linear": SparseProjection(k=30, s=1, seed=5),
    "degree2": PolynomialKernelProjection(k=20, s=1, t=3, degree=2, seed=11),
    "degree3-c": PolynomialKernelProjection(k=20, s=3, t=2, degree=3, c=2, seed=2),
}


def temporary(con: Connection) -> list[str]:
    """The temporary tables and views of the connection."""
    found = con.execute(
        "SELECT table_name FROM duckdb_tables() WHERE temporary UNION ALL "
        "SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal ORDER BY 1"
    ).fetchall()
    return [name for (name,) in found]


@pytest.mark.usefixtures("few_terms")
@pairwise(factors(method=list(CUT), layout=["wide", "array"], output=OUTPUTS, nulls=["propagate", "zero"]))
def test_steps_give_the_same_numbers(con: Connection, method: str, layout: str, output: str, nulls: str) -> None:
    projection, x = CUT[method], some_rows()
    rows: list[list[float | None]] = [*x.tolist(), [None, *[1.0] * 8]]
    source = load(con, layout, rows)
    explanation = sqlrp.explain(projection, source, con, output=output, lowering="inline")  # type: ignore[arg-type]
    assert len(explanation.script.setup) > 2
    assert f"{len(explanation.script.setup) + 1} steps" in str(explanation)
    full = np.vstack([x, [0.0, *[1.0] * 8]])
    null = np.arange(9) == 8
    got = projected(con, projection, source, output, lowering="inline", nulls=nulls)
    want = oracle(projection, full)
    assert_close(got, want, magnitude(projection, full), null=null if nulls == "propagate" else None)
    assert temporary(con) == []
    text = sqlrp.sql(projection, source, con, output=output, lowering="inline")  # type: ignore[arg-type]
    assert text.count(";\n") == len(explanation.script.setup) * 2 + 1
    con.execute(text)
    assert temporary(con) == []


@pytest.mark.usefixtures("few_terms")
def test_every_step_holds_the_limit(con: Connection) -> None:
    source = load(con, "wide", some_rows().tolist())
    for projection in CUT.values():
        script = sqlrp.explain(projection, source, con, lowering="inline").script
        for step in script.setup[1:]:
            # Names and joins hold none of these; one output of more terms than the limit stands alone.
            assert sum(step.count(sign) for sign in "+-*") <= 40 + 30


@pytest.mark.usefixtures("few_terms")
def test_a_failing_first_step_leaves_nothing(con: Connection) -> None:
    source = load(con, "wide", [[None, 1.0], [1.0, 2.0]])
    with pytest.raises(StatementError) as caught:
        projected(con, CUT["linear"], source, lowering="inline", nulls="error")
    assert_one_line(caught, "nulls = 'error'")
    assert temporary(con) == []
    assert con.execute("SELECT count(*) FROM t").fetchall() == [(2,)]


@pytest.mark.usefixtures("few_terms")
@pytest.mark.parametrize("transaction", [False, True])
@pytest.mark.parametrize("at", [1, 2, -1])
def test_a_failing_later_step_leaves_nothing(con: Connection, at: int, transaction: bool) -> None:
    source = load(con, "wide", some_rows().tolist())
    script = sqlrp.explain(CUT["degree2"], source, con, lowering="inline").script
    steps = list(script.steps)
    steps[at] = replace(steps[at], text=steps[at].text.replace("SELECT", "SELECT error('stopped'),", 1))
    if transaction:
        con.begin()
    with pytest.raises(StatementError) as caught:
        run(CONNECTORS["duckdb"], con, replace(script, steps=tuple(steps)))
    assert_one_line(caught, "stopped")
    if transaction:
        con.rollback()
    assert temporary(con) == []


@pytest.mark.usefixtures("few_terms")
def test_a_failing_query_leaves_nothing(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    source = load(con, "wide", some_rows().tolist())

    def broken(self: DuckDBConnector, connection: Any, sql: str) -> Any:
        raise StatementError(sql, "broken")

    monkeypatch.setattr(DuckDBConnector, "fetch", broken)
    with pytest.raises(StatementError, match="broken"):
        projected(con, CUT["linear"], source, lowering="inline")
    assert temporary(con) == []


def test_a_long_source_is_never_cut(con: Connection, few_terms: None) -> None:
    x = some_rows()
    source = load(con, "long", x.tolist())
    assert isinstance(source, Long)
    projection = CUT["linear"]
    assert sqlrp.explain(projection, source, con).script.setup == ()
    assert_close(projected(con, projection, source), oracle(projection, x), magnitude(projection, x))
