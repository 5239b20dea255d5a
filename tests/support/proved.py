"""The table of what is proved: what each engine does, and what ran it, from the tests that are collected.

`python tests/support/proved.py` prints it; the page keeps it between two comments.
"""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from standins import WAREHOUSES

import sqlrp
from sqlrp import Array, Long, SparseProjection, Wide
from sqlrp._core.errors import SqlrpError, UnsupportedError
from sqlrp._dialects.dialect import Column, ColumnType
from sqlrp._engines.registry import CONNECTORS, ENGINES
from sqlrp._run.views import LAG, view_statement

TESTS = Path(__file__).parent.parent
P = SparseProjection(k=2, s=1, seed=1)
WIDE, ARRAY, LONG = Wide("t", features=["a", "b", "c"]), Array("t", "x", n_features=3), Long("t", n_features=3)


@dataclass(frozen=True)
class Run:
    """A test that runs something on its engines, in the cases with one value of a parameter."""

    test: str
    key: str = ""
    value: str = ""
    engine: str = ""
    """the engine of a test that is for one alone; otherwise a parameter names it"""


def everywhere(key: str, value: str) -> tuple[Run, ...]:
    """The tests of every method."""
    return (
        Run("contract/test_contract.py::test_contract", key, value),
        Run("engines/test_spark.py::test_contract", key, value, "spark"),
        Run("engines/test_connected.py::test_methods", key, value),
        Run("engines/test_generic.py::test_every_method", key, value, "generic"),
    )


KEPT = "engines/test_connected.py::test_an_embedding_is_projected_kept_and_refreshed"
ON_SPARK = Run("engines/test_spark_tables.py::test_a_table_follows_its_source", engine="spark")
NEW_ROWS = "store/test_materialize.py::test_new_rows_come_in_and_everything_on_demand"
RUNS: dict[str, tuple[Run, ...]] = {
    "wide": everywhere("layout", "wide"),
    "array": everywhere("layout", "array"),
    "long": everywhere("layout", "long"),
    "words": (
        Run("engines/test_engines.py::test_text_features_are_hashed"),
        Run("contract/test_nulls.py::test_text_features_are_hashed_by_name", engine="duckdb"),
        Run("engines/test_spark.py::test_text_features_are_hashed", engine="spark"),
        Run("engines/test_connected.py::test_words"),
    ),
    "columns": everywhere("output", "columns"),
    "array output": everywhere("output", "array"),
    "vector": (
        Run("contract/test_vectors.py::test_numbers_are_rounded_and_of_the_type_that_is_asked_for"),
        Run("engines/test_connected.py::test_methods", "output", "vector"),
    ),
    "materialize": (Run("store/test_materialize.py::test_every_method_scale_and_nulls"), Run(KEPT), ON_SPARK),
    "refresh": (Run(NEW_ROWS), Run(KEPT), ON_SPARK),
    "track": (
        Run("store/test_tracking.py::test_after_a_thousand_changes_the_table_is_that_of_a_fresh_projection"),
        Run("engines/test_connected.py::test_a_table_follows_changes_and_deletions"),
        ON_SPARK,
    ),
    "functions": (
        Run("functions/test_named_functions.py::test_every_method_gives_the_numbers_of_project_vector"),
        Run("functions/test_named_functions.py::test_a_warehouse_s_functions_give_the_numbers_of_project_vector"),
        Run("engines/test_spark.py::test_a_function_by_name", engine="spark"),
    ),
    "learn": (
        Run("learning/test_learn.py::test_every_engine_layout_and_way"),
        Run("engines/test_connected.py::test_learn"),
        Run("engines/test_spark_native.py::test_workers_add_up_what_a_model_is_learnt_from", engine="spark"),
    ),
    "views": (
        Run("store/test_materialize.py::test_a_materialized_view", engine="postgresql"),
        Run("store/test_materialize.py::test_a_view_of_duckdb_is_its_text", engine="duckdb"),
        Run(
            "store/test_materialize.py::test_a_view_of_clickhouse_computes_rows_as_they_are_inserted",
            engine="clickhouse",
        ),
        Run("engines/test_connected.py::test_a_view_follows_its_source"),
        Run("store/test_spark_saved.py::test_a_view_follows_its_source", engine="spark"),
    ),
}
"""What is told of each engine, with the tests that run it."""


def _kept(name: str) -> Any:
    if name not in CONNECTORS:
        raise UnsupportedError(f"{name} is text alone, so that no connection keeps a table in it")
    return CONNECTORS[name].keeping().transaction(None, "lock", False)


def _hashes(name: str) -> bool:
    """Whether a hash of a row tells changes; otherwise a column of the source does, and `track` names it."""
    try:
        return bool(ENGINES[name].row_hash([Column("a", ColumnType("BIGINT"))]))
    except UnsupportedError:
        return False


ASKED: dict[str, Callable[[str], Any]] = {
    "wide": lambda name: sqlrp.sql(P, WIDE, name),
    "array": lambda name: sqlrp.sql(P, ARRAY, name),
    "long": lambda name: sqlrp.sql(P, LONG, name),
    "words": lambda name: sqlrp.sql(P, Long("t", "id", "word", "value"), name),
    "columns": lambda name: sqlrp.sql(P, WIDE, name),
    "array output": lambda name: sqlrp.sql(P, WIDE, name, output="array"),
    "vector": lambda name: sqlrp.sql(P, WIDE, name, output="vector"),
    "materialize": _kept,
    "refresh": _kept,
    "track": _kept,
    "functions": lambda name: sqlrp.function_sql(P, name, "f", n_features=3),
    "views": lambda name: view_statement(
        ENGINES[name], sqlrp._core.sources.TableName(("v",)), "SELECT 1", LAG, "w" if name == "snowflake" else None
    ),
}
"""What refuses, where the engine has no such thing."""
TEXT = ("wide", "array", "long", "words", "columns", "array output", "vector", "functions")
"""What has a text, whether anything runs it or not."""


class Collected:
    """The tests that pytest collects, each with the values of its parameters."""

    def __init__(self) -> None:
        self.cases: list[tuple[str, dict[str, Any]]] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            params = getattr(getattr(item, "callspec", None), "params", {})
            self.cases.append((item.nodeid.partition("[")[0].removeprefix("tests/"), dict(params)))


def collected() -> dict[str, dict[str, str]]:
    """By what is told and by engine: the first test that runs it."""
    plugin, runs = Collected(), [run for each in RUNS.values() for run in each]
    files = sorted({str(TESTS / run.test.partition("::")[0]) for run in runs})
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(["--collect-only", "-q", "-n0", "-W", "ignore", *files], plugins=[plugin])
    by_test: dict[str, list[dict[str, Any]]] = {}
    for test, params in plugin.cases:
        by_test.setdefault(test, []).append(params)
    missing = [run.test for run in runs if run.test not in by_test]
    assert not missing, missing
    found: dict[str, dict[str, str]] = {}
    for told, each in RUNS.items():
        for run in each:
            for params in by_test[run.test]:
                if run.key and params.get(run.key) != run.value:
                    continue
                values = [value for value in params.values() if isinstance(value, str) and value in ENGINES]
                for engine in [run.engine] if run.engine else values:
                    found.setdefault(told, {}).setdefault(engine, run.test)
    return found


def refusal(told: str, name: str) -> str:
    """Why the engine refuses it, in the words of the error; empty if it does not."""
    try:
        ASKED.get(told, str)(name)
    except SqlrpError as error:
        words = str(error).replace(name, "it")
        subject, _, rest = words.partition(" is not supported: ")  # output = 'array' is not supported: …
        return re.split("[:;] ", rest if rest and " has no " not in subject else words)[0]
    return ""


def table() -> str:
    """The table, and the reasons of what is refused."""
    runs, reasons = collected(), list[str]()
    lines = [f"| engine | {' | '.join(RUNS)} |", f"|---|{'---|' * len(RUNS)}"]
    for name in ENGINES:
        cells = []
        for told in RUNS:
            why = refusal(told, name)
            if why:
                if why not in reasons:
                    reasons.append(why)
                cells.append(f"no ({reasons.index(why) + 1})")
            elif name in runs[told]:
                by = "" if told != "track" or _hashes(name) else ", by a column"
                cells.append(("stand-in" if name in WAREHOUSES else "yes") + by)
            else:
                cells.append("text only" if told in TEXT else "not tried")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    listed = "\n".join(f"{i}. {why}" for i, why in enumerate(reasons, 1))
    return "\n".join(lines) + f"\n\nRefused, because:\n\n{listed}\n"


def printed() -> str:
    """The table, from a process of its own: pytest collects once in a process."""
    done = subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, check=False, cwd=TESTS.parent, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def main(_: Sequence[str] = ()) -> None:
    """Print the table."""
    print(table(), end="")


if __name__ == "__main__":
    main()
