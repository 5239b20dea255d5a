"""What is kept in Spark's own catalogue besides tables: projections, models, views, and the records of functions."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spark_drivers
from databases import opened
from every_call import READS, WRITES, check_same
from helpers import assert_one_line, exact, oracle
from modes import BITS, fill
from sails import delta
from sparks import end_at, needs_spark

import sqlrp
from sqlrp import ParameterError, PrincipalComponents, SourceError, SparseProjection, UnsupportedError, Wide
from sqlrp._core.errors import StatementError
from sqlrp._engines.spark.connector import ParquetConnector
from sqlrp._store.catalogue import keeper
from sqlrp._store.table import Catalogue, TableRecords

needs_spark()

P, Q = SparseProjection(k=2, s=1, seed=1), SparseProjection(k=3, s=1, seed=2)
S = Wide("source", features=["a", "b", "c"])
NAMES = ["it's", 'a\nb \\ "`', "über 🙂", "x" * 200]


@pytest.fixture(autouse=True)
def clean(spark: Any, interpreted: None) -> Iterator[None]:
    """A database of its own, which is dropped afterwards."""
    spark.sql("CREATE DATABASE saved")
    spark.sql("USE saved")
    yield
    spark.sql("USE default")
    spark.sql("DROP DATABASE saved CASCADE")
    for row in spark.sql("SHOW TABLES").collect():
        spark.sql(f"DROP VIEW `{row.tableName}`")


@pytest.fixture
def source(spark: Any) -> Wide:
    """A table of the catalogue."""
    values = "id, id % 3 AS a, id * 0.5D AS b, id % 5 AS c"
    spark.sql(f"CREATE TABLE source USING PARQUET AS SELECT {values} FROM range(6)")
    return S


class Plain:
    """What `fill` takes for a database."""

    name = "duckdb"  # whose DOUBLE is Spark's

    def __init__(self, spark: Any) -> None:
        self.connection = spark

    def make(self, name: str, columns: list[tuple[str, str]], rows: list[Any]) -> None:
        named = ", ".join(f"{column} {kind}" for column, kind in columns)
        self.connection.createDataFrame([tuple(row) for row in rows], named).createOrReplaceTempView("made")
        self.run(f"CREATE TABLE {name} AS SELECT * FROM made")

    def run(self, sql: str) -> None:
        self.connection.sql(sql)


NEED = ("score", "score_sql", "check", "saved", "load", "load_model", "saved_models", "created_functions")
"""The calls that read what is kept. Those of tables have tests of their own."""


@pytest.mark.slow
def test_no_call_is_refused_but_install(spark: Any, tmp_path: Path) -> None:
    fill(Plain(spark))  # type: ignore[arg-type]
    for name in NEED:
        READS[name](spark, tmp_path)
    for name, call in WRITES.items():
        if name in ("install", "uninstall"):
            with pytest.raises(UnsupportedError, match="has no functions of sqlrp: run"):
                call(spark)
        else:
            call(spark)
    assert sqlrp.check(spark) == []
    assert set(sqlrp.saved(spark)) == {"few", "new"}
    assert set(sqlrp.saved_models(spark)) == {"model", "new"}


def test_projections_are_saved(spark: Any, source: Wide) -> None:
    with pytest.raises(SourceError, match="no projection 'first' is saved here: saved are none"):
        sqlrp.load(spark, "first")
    bound = sqlrp.save(P, spark, "first", source=source)
    assert bound.bound_to == ("a", "b", "c")
    assert sqlrp.load(spark, "first") == bound
    for name in NAMES:
        sqlrp.save(Q, spark, name)
    assert sqlrp.saved(spark) == {"first": bound, **dict.fromkeys(NAMES, Q)}
    with pytest.raises(ParameterError, match="replace=True puts"):
        sqlrp.save(P, spark, NAMES[0])
    sqlrp.save(P, spark, NAMES[0], replace=True)
    assert sqlrp.load(spark, NAMES[0]) == P
    model = sqlrp.kmeans(P, source, spark, clusters=2)
    sqlrp.save_model(model, spark, "first")  # models have names of their own
    assert list(sqlrp.saved_models(spark)) == ["first"]
    assert sqlrp.load(spark, "first") == bound
    assert sqlrp.check(spark) == []
    shown = {row.name: row.kind for row in spark.sql(f"SELECT * FROM {view_of(spark, 'first')}").collect()}
    assert shown == {"first": "projection"}, "whoever looks into a view sees what it is"


def view_of(spark: Any, name: str) -> str:
    catalogue = Catalogue.looked_up(keeper(spark), spark)
    assert isinstance(catalogue, TableRecords)
    return catalogue.connector.dialect.table(catalogue.view("projection", name))


def test_a_large_projection_is_saved_in_parts_and_replaced_by_a_small_one(spark: Any) -> None:
    large = PrincipalComponents(k=30).fit(np.random.default_rng(1).normal(size=(80, 60)))
    assert len(large.to_json()) > 10_000
    sqlrp.save(large, spark, "one")
    assert sqlrp.load(spark, "one") == large
    sqlrp.save(P, spark, "one", replace=True)
    assert sqlrp.load(spark, "one") == P
    sqlrp.create_function(large, spark, "large_rp")
    assert sqlrp.created_functions(spark) == {"large_rp": large}


def test_what_another_program_changed_is_found(spark: Any) -> None:
    for name in ("one", "two"):
        sqlrp.save(P, spark, name)
    spark.sql(f"ALTER VIEW {view_of(spark, 'one')} SET TBLPROPERTIES ('sqlrp.part.0' = 'x')")
    with pytest.raises(SourceError, match="it was changed, or cut"):
        sqlrp.load(spark, "one")
    assert [(found.kind, found.name) for found in sqlrp.check(spark)] == [("projection", "one")]
    sqlrp.save(P, spark, "one", replace=True)
    assert sqlrp.check(spark) == []
    spark.sql(f"DROP VIEW {view_of(spark, 'two')}")
    assert list(sqlrp.saved(spark)) == ["one"]
    spark.sql(f"CREATE VIEW {view_of(spark, 'two')} AS SELECT 1 AS theirs")
    assert list(sqlrp.saved(spark)) == ["one"]
    with pytest.raises(StatementError, match="already exists"):
        sqlrp.save(P, spark, "two", replace=True)
    assert spark.table(view_of(spark, "two")).columns == ["theirs"]


@pytest.mark.parametrize("same", [True, False])
def test_drivers_that_save_at_once_lose_nothing(spark: Any, same: bool) -> None:
    """They are sessions of one catalogue. One name is for the first of them, and the others are refused."""
    projections = [SparseProjection(k=2, s=1, seed=seed) for seed in range(4)]
    refused: list[Exception] = []

    def save(at: int) -> None:
        session = spark.newSession()
        session.sql("USE saved")
        try:
            sqlrp.save(projections[at], session, "one" if same else f"p{at}")
        except (ParameterError, StatementError) as error:
            refused.append(error)

    threads = [threading.Thread(target=save, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = sqlrp.saved(spark)
    if same:
        assert list(found) == ["one"]
        assert found["one"] in projections
        assert len(refused) == 3
    else:
        assert found == {f"p{at}": projection for at, projection in enumerate(projections)}
    assert sqlrp.check(spark) == []


@pytest.mark.parametrize("first", [False, True])
def test_a_name_that_another_driver_took_meanwhile_is_refused(
    spark: Any, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    """Before the statement is written, or before it runs."""
    cls, name = (TableRecords, "putting") if first else (ParquetConnector, "execute")
    original, done = getattr(cls, name), []

    def late(*arguments: Any) -> Any:
        if not done:
            done.append(1)
            sqlrp.save(Q, spark, "one")
        return original(*arguments)

    monkeypatch.setattr(cls, name, late)
    with pytest.raises(StatementError, match="already exists"):
        sqlrp.save(P, spark, "one")
    assert done
    assert sqlrp.saved(spark) == {"one": Q}


def test_a_view_follows_its_source(spark: Any, source: Wide) -> None:
    assert sqlrp.materialize(P, source, spark, "kept", kind="view", output="array") == 6
    wanted = {row.id: row.z for row in sqlrp.project(P, source, spark, output="array").collect()}
    assert {row.id: row.z for row in spark.table("kept").collect()} == wanted
    spark.sql("INSERT INTO source VALUES (9, 1, 2.0, 3)")
    assert spark.table("kept").count() == 7
    assert sqlrp.refresh(spark, "kept") == 0
    assert sqlrp.refresh(spark, "kept", everything=True) == 7
    assert sqlrp.check(spark) == []
    assert sqlrp.search(spark, "kept", [1.0, 2.0, 3.0], n=1).column("id").to_pylist() == [9]
    with pytest.raises(UnsupportedError, match="pass kind = 'view'"):
        sqlrp.materialize(P, source, spark, "other", kind="materialized view")
    source_of_session = Wide("shown", features=["a"])
    spark.sql("CREATE TEMPORARY VIEW shown AS SELECT 1 AS id, 2.0 AS a")
    with pytest.raises(StatementError, match="references to the temporary object"):
        sqlrp.materialize(P, source_of_session, spark, "other", kind="view")
    assert tables(spark) == {"source", "kept"}


def tables(spark: Any) -> set[str]:
    return {row.tableName for row in spark.sql("SHOW TABLES").collect() if not row.isTemporary}


@pytest.mark.slow
@pytest.mark.parametrize("at", ["CREATE VIEW", "sqlrp.part", "RENAME TO `sqlrp", "RENAME TO `kept`", "DROP"])
def test_a_view_that_replaces_a_table_is_there_as_a_whole_or_not_at_all(
    spark: Any, source: Wide, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """As if the process ended there: no later statement of the call runs."""
    sqlrp.materialize(P, source, spark, "kept")
    end_at(monkeypatch, at)
    with pytest.raises(StatementError, match="ended"):
        sqlrp.materialize(Q, source, spark, "kept", kind="view", replace=True)
    monkeypatch.undo()
    assert {finding.kind for finding in sqlrp.check(spark, repair=True)} <= {"left-over"}
    whole = Q if at == "DROP" else P  # the old one goes when the new one has its name
    assert sqlrp.refresh(spark, "kept") == 0  # which gives an old table its name back
    assert spark.table("kept").columns == ["id", *(f"z{c}" for c in range(whole.k))]
    sqlrp.refresh(spark, "kept", everything=True)
    assert tables(spark) == {"source", "kept"}
    sqlrp.materialize(P, source, spark, "kept", replace=True)
    assert sqlrp.check(spark) == []
    assert tables(spark) == {"source", "kept"}


def test_functions_have_their_records(spark: Any, source: Wide) -> None:
    sqlrp.create_function(P, spark, "first_rp", n_features=3)
    sqlrp.materialize(BITS, source, spark, "bits", output="bits", search="bits_near")
    assert sqlrp.created_functions(spark) == {"first_rp": P}
    with pytest.raises(ParameterError, match="exists already with another projection"):
        sqlrp.create_function(Q, spark, "first_rp", n_features=3)
    sqlrp.create_function(Q, spark, "first_rp", n_features=3, replace=True)
    assert sqlrp.created_functions(spark) == {"first_rp": Q}
    assert sqlrp.check(spark) == []
    spark.sql("CREATE FUNCTION theirs(x ARRAY<DOUBLE>) RETURNS ARRAY<DOUBLE> RETURN x")
    refused: list[tuple[type[Exception], Callable[[], None]]] = [
        (ParameterError, lambda: sqlrp.create_function(P, spark, "theirs", n_features=3, replace=True)),
        (SourceError, lambda: sqlrp.drop_function(spark, "theirs")),
        (ParameterError, lambda: sqlrp.create_function(P, spark, "bits_near", n_features=3, replace=True)),
        (SourceError, lambda: sqlrp.drop_search(spark, "first_rp")),
    ]
    for error, call in refused:
        with pytest.raises(error) as caught:
            call()
        assert_one_line(caught, "sqlrp.create_")
    sqlrp.drop_function(spark, "first_rp")
    assert sqlrp.created_functions(spark) == {}
    assert [row.function for row in spark.sql("SHOW USER FUNCTIONS").collect()] == [
        f"spark_catalog.saved.{name}" for name in ("bits_near", "theirs")
    ]


def test_every_call_that_reads_finds_what_duckdb_finds(tmp_path: Path) -> None:
    """On Sail, with tables of Delta Lake."""
    for db in opened("duckdb", tmp_path):
        fill(db)
        wanted = {name: READS[name](db.connection, tmp_path) for name in READS if name not in OTHERS}
    with delta(tmp_path) as sail:
        fill(Plain(sail))  # type: ignore[arg-type]
        for name, want in wanted.items():
            check_same(_fetched(READS[name](sail, tmp_path)), _fetched(want))


OTHERS = (
    "choose_codes",
    "sql",
    "explain",
    "score_sql",
    "export",
    "search_sql",
    "neighbours_sql",
    "drift_sql",
    "created_functions",
)
"""The calls that know more of DuckDB, or write text, and that of functions, which Sail has none of."""


def _fetched(found: Any) -> Any:
    return found.toArrow() if hasattr(found, "toArrow") else found


@pytest.mark.slow
def test_drivers_that_die_lose_nothing(tmp_path: Path) -> None:
    """One is killed while a table is written again, the next one between the two renamings of it."""
    program = Path(spark_drivers.__file__)

    def run(call: str) -> tuple[int, list[dict[str, Any]]]:
        command = [sys.executable, "-W", "ignore", str(program), str(tmp_path), call]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        assert lines, done.stderr[-2000:]
        return done.returncode, lines

    first, second = (
        [[i, *row] for i, row in enumerate(oracle(spark_drivers.P, exact(x), False))]
        for x in ([[i % 5 + more, i % 3] for i in range(6)] for more in (0, 10))
    )
    died, (made,) = run("insert")
    saved = next(name for name in made["tables"] if name.startswith("sqlrp_projection"))
    there = ["seen", "source", saved]
    assert died == -signal.SIGKILL
    assert made == {"findings": [], "tables": ["kept", *there], "saved": True, "kept": first}
    died, (found,) = run("rename")
    assert died == -signal.SIGKILL
    assert found == made | {"findings": ["left-over"]}, "the table is whole, and what was half-written goes"
    ended, (found, at_last) = run("end")
    assert not ended
    left = [name for name in found["tables"] if name.endswith("_old")]
    assert (found["kept"], found["saved"], len(left)) == (None, True, 1), "its old rows are not dropped by repair"
    assert at_last == made | {"done": [0, 6, 0], "kept": second}
