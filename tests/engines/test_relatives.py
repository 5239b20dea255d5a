"""Databases that speak another one's dialect: the text of that engine, with what differs."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sqlglot
from helpers import assert_one_line
from translating import refused

import sqlrp
from sqlrp import Array, LimitError, Long, ParameterError, SparseProjection, UnsupportedError, Wide
from sqlrp._engines.registry import ENGINES, RELATIVES, dialect_named

P = SparseProjection(k=3, s=1, seed=1)
SOURCES = {
    "wide": Wide("t", features=["a", "b", "ö"]),
    "array": Array("t", "x", n_features=3),
    "long": Long("t", n_features=3),
    "words": Long("t", "id", "word", "value"),
}
OF = {
    "mssql": "sqlserver",
    "azuresql": "sqlserver",
    "fabric": "sqlserver",
    "athena": "trino",
    "cockroachdb": "postgresql",
    "greenplum": "postgresql",
    "yugabytedb": "postgresql",
    "timescaledb": "postgresql",
    "neon": "postgresql",
    "motherduck": "duckdb",
}
GRAMMARS = {"sqlserver": "tsql", "postgresql": "postgres", "trino": "trino", "duckdb": "duckdb"}
DIFFERS = {
    "fabric": lambda text: re.sub(r"\bN(VARCHAR|')", r"\1", text),
    "greenplum": lambda text: text.replace("AS MATERIALIZED (", "AS ("),
    "yugabytedb": lambda text: text.replace("AS MATERIALIZED (", "AS ("),
}
"""How the text is made of the engine's."""


@pytest.mark.parametrize("layout", SOURCES)
@pytest.mark.parametrize("name", RELATIVES)
def test_the_text_is_the_engine_s_with_what_differs(name: str, layout: str) -> None:
    for lowering in ("inline", "relational") if layout in ("wide", "array") else ("relational",):
        for output in ("columns", "array", "long"):
            options: dict[str, Any] = {"lowering": lowering, "output": output}
            text = sqlrp.sql(P, SOURCES[layout], name, **options)
            assert text == DIFFERS.get(name, str)(sqlrp.sql(P, SOURCES[layout], OF[name], **options))
            assert all(sqlglot.parse(text, read=GRAMMARS[OF[name]]))
            assert OF[name] != "sqlserver" or refused(text, "sqlserver") == []


def test_every_name_is_known() -> None:
    assert set(OF) == set(RELATIVES)
    assert not set(OF) & set(ENGINES)
    for name in OF:
        assert dialect_named(name).limits.source
        with pytest.raises(ParameterError) as caught:
            sqlrp.project(P, "t", name)
        assert_one_line(caught, name, "sqlrp.sql", "pass a connection")
    with pytest.raises(ParameterError, match="unknown"):
        sqlrp.sql(P, SOURCES["wide"], "athens")


def test_what_they_lack_is_refused() -> None:
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.sql(P, SOURCES["array"], "fabric", output="vector")
    assert_one_line(caught, "no type of vectors of fabric")
    with pytest.raises(UnsupportedError, match="athena has no functions"):
        sqlrp.function_sql(P, "athena", "f", n_features=3)
    pixels = Wide("t", features=[f"p{j}" for j in range(784)])
    dense = sqlrp.GaussianProjection(k=64, seed=1)
    with pytest.raises(LimitError, match="262,144"):
        sqlrp.sql(dense, pixels, "athena", lowering="relational")
    assert len(sqlrp.sql(SparseProjection(k=64, seed=1), pixels, "athena")) < 262_144
    with pytest.raises(UnsupportedError, match="cockroachdb has no temporary tables"):
        sqlrp.sql(sqlrp.GaussianProjection(k=200, seed=1), pixels, "cockroachdb", lowering="inline")
