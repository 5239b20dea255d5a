"""The SQL text for Databricks, whose engine is Spark, runs on Spark as it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import some_rows
from helpers import METHODS, assert_close, oracle
from sparks import in_one_part, load, needs_spark

import sqlrp
from sqlrp import Array, Wide
from sqlrp._core.options import Options
from sqlrp._core.sources import Source
from sqlrp._engines.registry import ENGINES
from sqlrp._run.table_input import planned

needs_spark()

SHAPES: tuple[Any, ...] = ("columns", "array", "vector", "long")
TEXTS = [
    ("wide", "inline"),
    ("wide", "relational"),
    ("array", "inline"),
    ("array", "relational"),
    ("long", "relational"),
]


def as_lists(query: str, method: str, output: str, k: int) -> str:
    """The rows of a query in any output as a method, a key and a list of doubles."""
    if output == "long":
        values = "map_from_entries(collect_list(struct(CAST(component AS INT), value)))"
        listed = (
            f"transform(sequence(0, {k - 1}), c -> coalesce(element_at({values}, c), 0.0D))"  # zeros may be left out
        )
        return f"SELECT '{method}' AS m, id, {listed} AS z FROM ({query}) q GROUP BY id"
    z = f"array({', '.join(f'z{c}' for c in range(k))})" if output == "columns" else "z"
    return f"SELECT '{method}' AS m, id, CAST({z} AS ARRAY<DOUBLE>) AS z FROM ({query}) q"


def assert_of_every_method(rows: Any, methods: Any, x: Any, single: Any = ()) -> None:
    """The rows (method, key, list) are those of the oracle; those of the methods in `single` are floats."""
    found: dict[tuple[str, int], Any] = {(r["m"], r["id"]): r["z"] for r in rows.toArrow().to_pylist()}
    assert len(found) == len(methods) * len(x)
    for method in methods:
        want = oracle(METHODS[method], x)
        got = {i: found[method, i] for i in range(len(x))}
        bound = np.full(len(x), np.abs(want).max())
        assert_close(got, want, bound, rtol=1e-6 if method in single else 1e-9)


@pytest.mark.parametrize("at", range(len(TEXTS)), ids=["-".join(case) for case in TEXTS])
def test_the_text_for_databricks_runs_as_it_is(spark: Any, interpreted: None, at: int) -> None:
    """One statement runs the text of every method; the outputs change from method to method and from test to test."""
    (layout, lowering), x = TEXTS[at], some_rows()
    # Their tables take long to make, and most methods are met in the other tests.
    methods = list(METHODS)[at % 3 :: 3] if lowering == "relational" and layout != "long" else list(METHODS)
    loaded = load(spark, layout, x.tolist(), table="docs")
    in_one_part(spark, "docs")
    d = x.shape[1]
    sources: dict[str, Source] = {
        "wide": Wide("docs", key="id", features=[f"f{j}" for j in range(d)]),
        "array": Array("docs", "x", key="id", n_features=d),
        "long": loaded,
    }
    source = sources[layout]
    queries, steps, single = [], [], set()
    for i, method in enumerate(methods):
        output = SHAPES[(i + at) % len(SHAPES)]
        script = planned(METHODS[method], source, "databricks", Options(output, lowering=lowering)).script()
        for statement in script.setup:
            assert statement.startswith("CREATE TABLE ")
            steps.append(statement.split()[2])
            spark.sql(f"DROP TABLE IF EXISTS {steps[-1]}")
            spark.sql(statement)
        queries.append(as_lists(script.query, method, output, METHODS[method].k))
        if output == "vector":
            single.add(method)
    made = ENGINES["databricks"].create_table("`made`", "\nUNION ALL\n".join(queries))
    try:
        spark.sql("DROP TABLE IF EXISTS made")
        spark.sql(made)
        assert_of_every_method(spark.table("made"), methods, x, single)
    finally:
        for table in ("made", *steps):
            spark.sql(f"DROP TABLE IF EXISTS {table}")


def test_the_functions_for_databricks_run_as_they_are(spark: Any, interpreted: None) -> None:
    x, methods = some_rows(), list(METHODS)
    load(spark, "array", x.tolist(), table="docs")
    queries = []
    for i, method in enumerate(methods):
        returns: Any = ("array", "vector")[i % 2]
        name = f"of_{i}"
        spark.sql(sqlrp.function_sql(METHODS[method], "databricks", name, n_features=x.shape[1], returns=returns))
        queries.append(f"SELECT '{method}' AS m, id, CAST({name}(x) AS ARRAY<DOUBLE>) AS z FROM docs")
    try:
        assert_of_every_method(spark.sql("\nUNION ALL\n".join(queries)), methods, x, set(methods[1::2]))
    finally:
        for i in range(len(methods)):
            spark.sql(f"DROP FUNCTION IF EXISTS of_{i}")
