"""The text of `explain`: what it says and why, and how it counts terms and characters."""

from __future__ import annotations

import math
import re

import duckdb
import numpy as np
import pytest
from helpers import LOWERINGS, load, planned

import sqlrp
from sqlrp import (
    PolynomialKernelProjection,
    SparseProjection,
    Wide,
)
from sqlrp.stages import Linear

Connection = duckdb.DuckDBPyConnection


@pytest.mark.parametrize("layout", ["wide", "array", "long"])
def test_explain_says_what_and_why(con: Connection, layout: str) -> None:
    source = load(con, layout, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    projection = PolynomialKernelProjection(k=5, s=1, t=2, seed=3)
    explanation = sqlrp.explain(projection, source, con, nulls="zero")
    said = str(explanation)
    assert projection.name in said
    assert f"({layout}): 3 features -> 5 components" in said
    assert ("2 rows" in said) == (layout != "long")
    assert ("6 cells" in said) == (layout == "long")
    assert f"lowering  {explanation.lowering}: the fastest estimate among the usable lowerings" in said
    for e in explanation.plan.estimates:
        line = next(line for line in said.splitlines() if line.startswith(f"    {e.lowering}"))
        assert (e.refusal in line) if e.refusal else (f"about {e.seconds:.3g} s" in line)
    assert f"terms     {explanation.plan.job.terms:,} a row" in said
    assert f"text {len(explanation.text):,} characters in one statement" in said
    assert "double features, double results, nulls zero" in said
    assert explanation.text == sqlrp.sql(projection, source, con, nulls="zero")


def test_explain_counts_terms(con: Connection) -> None:
    source = load(con, "wide", [[1.0] * 30])
    for s, terms in ((1, 30 * 8), (3, 80), (30, 8)):
        explanation = sqlrp.explain(SparseProjection(k=8, s=s), source, con)
        assert explanation.plan.job.terms == terms
    pk = sqlrp.explain(PolynomialKernelProjection(k=8, s=1, t=3, p=10), source, con)
    assert pk.plan.job.terms == 30 * 10 + 8 * 3 * 2


@pytest.mark.parametrize("d", [30, 200])
@pytest.mark.parametrize("s", [1, 1.5, 3, 30])
@pytest.mark.parametrize("k", [8, 64, 300])
def test_the_terms_of_the_inline_lowering_are_its_operators(k: int, s: float, d: int) -> None:
    found = planned(SparseProjection(k=k, s=s, seed=1), d, 1000, lowering="inline")
    operators = len(re.findall(r"(?<![eE(])[-+*](?=[a-z(\"])", found.script().text))
    # Where signs are drawn, the terms are the expected ones; the scale takes one product a component.
    drawn = 0 if s == 1 else 4 * math.sqrt(k * d / s)
    assert abs(found.job.inline_terms - operators) <= drawn


@pytest.mark.parametrize(
    "projection",
    [
        SparseProjection(k=200, s=1),
        SparseProjection(k=200, s=3),
        sqlrp.GaussianProjection(k=10),
        sqlrp.SparseEmbedding(k=12, nnz_per_feature=4),
        sqlrp.SparseEmbedding(k=12, nnz_per_feature=2, buckets=3),
        sqlrp.BilinearPooling(k=100, t=2, s=1, split=20),
    ],
)
def test_the_expected_terms_of_sums_are_those_drawn(projection: sqlrp.Projection) -> None:
    d = 40
    stage = next(stage for stage in projection.stages(d) if isinstance(stage, Linear))
    drawn = np.count_nonzero(stage.matrix(np.arange(d)))
    assert abs(drawn - stage.terms(d)) <= 4 * math.sqrt(drawn)


def test_the_size_of_the_text(con: Connection) -> None:
    # Inline grows with the terms; relational states the seed's coefficients and does not.
    source = load(con, "wide", [[1.0] * 50])
    sizes = {
        low: [len(sqlrp.sql(SparseProjection(k=k, s=8), source, con, lowering=low, output="array")) for k in (8, 128)]
        for low in LOWERINGS
    }
    assert sizes["inline"][1] > 3 * sizes["inline"][0]
    assert sizes["relational"][1] < 1.1 * sizes["relational"][0]


def test_inline_trees_are_balanced() -> None:
    # Depth log2, not d: a chain of 5,000 additions would overrun the parser's stack.
    text = sqlrp.sql(
        SparseProjection(k=1, s=1), Wide("t", features=[f"f{j}" for j in range(5000)]), "duckdb", lowering="inline"
    )
    depth = deepest = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    assert depth == 0
    assert deepest < 30
