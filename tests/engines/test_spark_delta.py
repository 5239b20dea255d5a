"""Tables of Delta Lake in a session of Spark Connect: kept, refreshed, tracked; projections are saved there, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from helpers import assert_close, assert_one_line, cells, oracle
from sails import delta

import sqlrp
from sqlrp import Array, ParameterError, SourceError, SparseProjection, Wide
from sqlrp._engines.registry import connector_of
from sqlrp._engines.spark.connector import DeltaConnector
from sqlrp._store.auxiliary_names import is_temporary

P = SparseProjection(k=3, s=1, seed=1)
POLYNOMIAL = sqlrp.PolynomialKernelProjection(k=3, s=1, t=2, degree=2, seed=2)
D = 4
X = np.random.default_rng(5).normal(size=(9, D)).round(3)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with delta(tmp_path_factory.mktemp("delta")) as spark:
        yield spark


def make(spark: Any, table: str, layout: str, rows: Any) -> Any:
    spark.sql(f"DROP TABLE IF EXISTS {table}").collect()
    columns = "x ARRAY<DOUBLE>" if layout == "array" else ", ".join(f"f{j} DOUBLE" for j in range(D))
    spark.sql(f"CREATE TABLE {table} (id BIGINT, {columns}) USING DELTA").collect()
    add(spark, table, layout, dict(enumerate(rows)))
    return Array(table, "x") if layout == "array" else Wide(table)


def add(spark: Any, table: str, layout: str, rows: dict[int, Any]) -> None:
    for key, row in rows.items():
        values = ", ".join(f"CAST({value!r} AS DOUBLE)" for value in row.tolist())
        spark.sql(f"INSERT INTO {table} SELECT {key}L, {f'array({values})' if layout == 'array' else values}").collect()


def held(spark: Any, table: str, output: str, rows: dict[int, Any], projection: Any = P) -> None:
    """The table has the oracle's numbers of these rows."""
    found = spark.sql(f"SELECT * FROM {table}").toArrow().drop_columns("sqlrp_fingerprint")
    want = oracle(projection, np.array(list(rows.values())))
    of = cells(found, output, projection.k)
    assert sorted(of) == sorted(rows)
    numbered = {i: of[key] for i, key in enumerate(rows)}
    assert_close(numbered, want, np.full(len(want), np.abs(want).max()))


@pytest.mark.parametrize(
    ("layout", "output", "projection"), [("wide", "columns", P), ("array", "array", POLYNOMIAL), ("wide", "long", P)]
)
def test_a_table_follows_its_source(session: Any, layout: str, output: Any, projection: Any) -> None:
    table, into = f"of_{layout}_{output}", f"kept_{layout}_{output}"
    source = make(session, table, layout, X[:6])
    options: dict[str, Any] = {"output": output, "lowering": "inline", "track": "rows"}
    assert sqlrp.materialize(projection, source, session, into, **options) == 6
    rows = dict(enumerate(X[:6]))
    held(session, into, output, rows, projection)
    for key in (1, 4):
        session.sql(f"DELETE FROM {table} WHERE id = {key}").collect()
    add(session, table, layout, {4: X[7], 6: X[8]})
    done = sqlrp.refresh(session, into)
    assert (done.added, done.changed, done.removed) == (1, 1, 1)
    del rows[1]
    held(session, into, output, rows | {4: X[7], 6: X[8]}, projection)
    assert sqlrp.refresh(session, into) == 0
    assert sqlrp.refresh(session, into, everything=True) == 6
    held(session, into, output, rows | {4: X[7], 6: X[8]}, projection)
    assert sqlrp.check(session) == []


@pytest.mark.parametrize("output", ["columns", "array", "long"])
@pytest.mark.parametrize("scale", [False, True])
def test_workers_evaluate_rows_where_there_is_no_classic_session(
    session: Any, monkeypatch: pytest.MonkeyPatch, output: Any, scale: bool
) -> None:
    """Types are named by this process: pyspark would ask a classic session, which a client of Connect has none of."""
    monkeypatch.delattr("pyspark.sql.types._parse_datatype_string")
    source = make(session, f"evaluated_{output}_{int(scale)}", "wide", X)
    found = sqlrp.project(P, source, session, output=output, scale=scale, lowering="native").toArrow()
    of = cells(found, output, P.k)
    want = oracle(P, X, scale=scale)
    assert_close(of, want, np.full(len(want), np.abs(want).max()))


def test_projections_are_saved(session: Any) -> None:
    sqlrp.save(P, session, "mine")
    assert sqlrp.load(session, "mine") == P
    with pytest.raises(ParameterError, match="replace=True"):
        sqlrp.save(POLYNOMIAL, session, "mine")
    sqlrp.save(POLYNOMIAL, session, "mine", replace=True)
    assert sqlrp.saved(session) == {"mine": POLYNOMIAL}


def test_what_is_there_is_kept(session: Any) -> None:
    source = make(session, "points", "wide", X[:3])
    make(session, "theirs", "wide", X[:2])
    with pytest.raises(ParameterError) as caught:
        sqlrp.materialize(P, source, session, "theirs", replace=True, lowering="inline")
    assert_one_line(caught, "theirs")
    assert session.sql("SELECT count(*) AS n FROM theirs").toArrow().to_pylist() == [{"n": 2}]
    with pytest.raises(sqlrp.UnsupportedError, match="lowering = 'native' is not supported here"):
        sqlrp.materialize(P, source, session, "made", lowering="native")
    with pytest.raises(SourceError, match="cannot be read"):
        sqlrp.materialize(P, "missing", session, "made", lowering="inline")


def test_a_view_of_the_text_is_kept(session: Any) -> None:
    source = make(session, "seen", "wide", X[:3])
    assert sqlrp.materialize(P, source, session, "kept_view", kind="view") == 3
    add(session, "seen", "wide", {7: X[4]})
    assert session.sql("SELECT count(*) AS n FROM kept_view").toArrow().to_pylist() == [{"n": 4}]
    assert sqlrp.refresh(session, "kept_view", everything=True) == 4
    assert sqlrp.check(session) == []


def test_another_projection_has_other_columns(session: Any) -> None:
    """Sail leaves the files of a dropped table, which has the name of the next new one."""
    source = make(session, "again", "wide", X[:3])
    for k in (2, 5, 3):
        assert sqlrp.materialize(SparseProjection(k=k, s=1), source, session, "kept_again", replace=True) == 3
        assert len(session.sql("SELECT * FROM kept_again").columns) == 1 + k


def test_only_a_session_with_delta_keeps_anything_on_sail(session: Any) -> None:
    assert isinstance(connector_of(session), DeltaConnector)
    source = make(session, "kept_nowhere", "wide", X[:3])
    session.conf.set("spark.sql.sources.default", "parquet")
    calls: list[Callable[[], object]] = [
        lambda: sqlrp.save(P, session, "mine"),
        lambda: sqlrp.materialize(P, source, session, "made", partition_by="f0"),
        lambda: sqlrp.create_function(P, session, "made", n_features=4),
    ]
    try:
        for call in calls:
            with pytest.raises(sqlrp.UnsupportedError) as caught:
                call()
            assert_one_line(caught, "Sail", "spark.sql.sources.default")
        names = [row["tableName"] for row in session.sql("SHOW TABLES").toArrow().to_pylist()]
        assert not {"made", *filter(is_temporary, names)} & {*names}, "nothing is half-written"
    finally:
        session.conf.set("spark.sql.sources.default", "delta")
