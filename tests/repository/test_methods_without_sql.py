"""A method states its parameters once, in Python: no method file holds SQL, and both hosts' functions come from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sqlrp
from sqlrp._projections import FUNCTIONS
from sqlrp._store.method_data import WRITERS, statement

FILES = sorted((Path(sqlrp.__file__).parent / "_projections").glob("*.py"))
SQL = re.compile(
    r"\b(CREATE OR REPLACE|CASE WHEN|UNION ALL|CROSS JOIN|GROUP BY|ORDER BY|LANGUAGE plpgsql|PARTITION BY)\b"
    r"|\bSELECT\b.*\bFROM\b|\bCAST\(|\bsqlrp_[a-z]"
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_method_file_holds_sql(path: Path) -> None:
    found = [line for line in path.read_text(encoding="utf-8").splitlines() if SQL.search(line)]
    assert found == []


def test_the_pattern_finds_sql() -> None:
    for text in ("SELECT f AS c FROM d", "sqrt(CAST(k AS DOUBLE))", "sqlrp_pipeline([…], 1)", "CASE WHEN k > n"):
        assert SQL.search(text)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_number_and_flag_of_a_function_is_checked(function: str) -> None:
    cls = FUNCTIONS[function]
    said = statement(cls)
    texts = " ".join(str(part) for _, text, _ in said.refusals for part in text if isinstance(part, str))
    for name in cls().parameters() if function != "fbp_project" else ("k", "normalise", "split"):
        assert name in said.checks or f"{name} = " in texts, name


@pytest.mark.parametrize("host", WRITERS)
def test_a_rule_is_said_once_for_both_hosts(host: str) -> None:
    text = WRITERS[host].composing(sqlrp.SparseEmbedding, "f", "k, nnz_per_feature, seed, buckets")
    divided = "//" if host == "duckdb" else "/"
    assert f"(k {divided} (nnz_per_feature * buckets))" in text
    assert "as its blocks are of one size: use k = " in text
