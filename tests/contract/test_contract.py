"""The contract: methods × layouts × outputs × lowerings against the numpy oracle; a refusal is asserted.

The oracle is `evaluate.evaluate`, which shares no code with the lowerings.
"""

from __future__ import annotations

import itertools
from typing import Any

import duckdb
import numpy as np
import pytest
from cases import EVERY, SERVED, SMALL, TYPES, D, contract, some_rows, uses
from contract import assert_contract
from cover import pairwise
from databases import JIT, database
from helpers import (
    ASKED,
    LAYOUTS,
    LOWERINGS,
    METHODS,
    OUTPUTS,
    Cell,
    assert_close,
    assert_one_line,
    cells,
    holding,
    load,
    magnitude,
    oracle,
    projected,
)

import sqlrp
from sqlrp import (
    Long,
    SparseProjection,
    StatementError,
    UnsupportedError,
    Wide,
)

Connection = duckdb.DuckDBPyConnection

REFUSED = [(layout, low) for layout in LAYOUTS for low in ASKED if low not in holding(layout)]


@pairwise(*(contract(name) for name in ("duckdb", *SERVED)))
def test_contract(
    databases: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
    engine: str,
    method: str,
    lowering: str,
    layout: str,
    output: str,
    nulls: str,
    kind: str,
    scale: bool,
) -> None:
    db, projection = database(databases, engine, tmp_path_factory), EVERY[method]
    case = {"method": method, "nulls": nulls, "kind": kind, "scale": scale}

    def project(holes: bool) -> dict[Any, list[Cell]]:
        source = db.kept(layout, kind, holes)
        result = sqlrp.project(
            projection,
            source,
            db.connection,
            output=output,  # type: ignore[arg-type]
            nulls=nulls,  # type: ignore[arg-type]
            scale=scale,
            lowering=lowering,
        )
        assert str(result.schema.field("id").type) == "int64"
        last = str(result.schema.field(result.num_columns - 1).type)
        if method in SMALL and kind in ("double", "float"):
            assert ("float" if engine == "duckdb" and kind == "float" else "double") in last
        if engine == "duckdb":
            assert (output == "array") == ("fixed_size_list" in last)
        if output == "long":
            assert result.column_names == ["id", "component", "value"]
            assert str(result.schema.field("component").type) == "int64"
        return cells(result, output, projection.k, sparse=layout == "long")

    assert_contract(case, project)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_numbers_are_the_same_where_clickhouse_compiles(
    databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, layout: str
) -> None:
    db = database(databases, "clickhouse", tmp_path_factory)
    at_once = ("min_count_to_compile_expression", "min_count_to_compile_aggregate_expression")
    counted = "SELECT sum(value) FROM system.events WHERE event = 'CompileFunction'"

    def project(holes: bool) -> dict[Any, list[Cell]]:
        source = db.kept(layout, "double", holes)
        return db.projected(EVERY[method], source, nulls="zero")  # type: ignore[no-any-return]

    ((before,),) = db.run_query(counted)
    db.run(f"SET {', '.join([*(f'{name} = 1' for name in JIT), *(f'{name} = 0' for name in at_once)])}")
    try:
        for method in METHODS:
            assert_contract({"method": method, "nulls": "zero", "kind": "double", "scale": True}, project)
    finally:
        db.run(f"SET {', '.join([*(f'{name} = 0' for name in JIT), *(f'{name} = 3' for name in at_once)])}")
    ((after,),) = db.run_query(counted)
    assert after > before


@pytest.mark.parametrize("name", TYPES)
def test_every_lowering_that_is_not_usable_is_refused(name: str) -> None:
    """Of the combinations that the contract leaves out, each."""
    sources = {"wide": Wide("t", features=[f"f{j}" for j in range(D)]), "long": Long("t", n_features=D)}
    refused = 0
    for method, layout, lowering in itertools.product(EVERY, sources, (*LOWERINGS, "native")):
        usable = lowering in contract(name).factors["lowering"] and uses(name, method, layout, lowering)
        if lowering == "native" or usable:
            continue
        with pytest.raises(UnsupportedError) as caught:
            sqlrp.sql(EVERY[method], sources[layout], name, lowering=lowering)
        assert_one_line(caught, lowering, *(["is not supported here"] if name == "duckdb" else []))
        refused += 1
    assert refused


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("method", METHODS)
def test_the_planner_s_choice_keeps_the_contract(con: Connection, method: str, layout: str) -> None:
    projection, x = METHODS[method], some_rows()
    source = load(con, layout, x.tolist())
    for output in OUTPUTS:
        got = projected(con, projection, source, output)
        assert_close(got, oracle(projection, x), magnitude(projection, x))


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(("layout", "lowering"), REFUSED)
@pytest.mark.parametrize("method", METHODS)
def test_refusals(con: Connection, method: str, layout: str, lowering: str, output: str) -> None:
    source = load(con, layout, some_rows().tolist())
    for call in (sqlrp.project, sqlrp.sql, sqlrp.explain):
        with pytest.raises(UnsupportedError) as caught:
            call(METHODS[method], source, con, output=output, lowering=lowering)  # type: ignore[operator]
        assert_one_line(caught, lowering, "long rows", "lowering = 'auto'")


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("lowering", ASKED)
def test_lists_are_arrays(con: Connection, lowering: str, output: str) -> None:
    for method, projection in METHODS.items():
        x = some_rows()
        source = load(con, "array", x.tolist(), table=method, ragged=True)
        got = projected(con, projection, source, output, lowering=lowering)
        assert_close(got, oracle(projection, x), magnitude(projection, x))


@pytest.mark.parametrize("lowering", LOWERINGS)
def test_sql_text_is_what_project_runs(con: Connection, lowering: str) -> None:
    x = some_rows()
    source = load(con, "wide", x.tolist())
    for projection in METHODS.values():
        text = sqlrp.sql(projection, source, con, lowering=lowering)
        got = cells(con.sql(text).to_arrow_table(), "columns", projection.k)
        assert_close(got, oracle(projection, x), magnitude(projection, x))
        con.execute(f"CREATE OR REPLACE VIEW v AS {text}")
        kept = cells(con.sql("FROM v").to_arrow_table(), "columns", projection.k)
        assert_close(kept, oracle(projection, x), magnitude(projection, x))


@pytest.mark.parametrize("lowering", ASKED)
def test_more_rows_than_a_vector_or_a_batch_of_duckdb(con: Connection, lowering: str) -> None:
    # 2,048 rows a vector; ids must stay with their rows.
    con.execute("CREATE TABLE t AS SELECT range AS id, CAST(range AS DOUBLE) AS a, 1.0::DOUBLE AS b FROM range(5000)")
    p = SparseProjection(k=3, s=1, seed=1)
    x = np.column_stack([np.arange(5000.0), np.ones(5000)])
    assert_close(projected(con, p, "t", lowering=lowering), oracle(p, x), magnitude(p, x))


def test_keep_and_key_pass_through_every_lowering_and_output(con: Connection) -> None:
    con.execute(
        "CREATE TABLE t AS SELECT range AS id, 'name' || range AS name, DATE '2024-01-01' + CAST(range AS INTEGER) "
        "AS day, {'a': range} AS s, range * 1.5::DOUBLE AS f, range::DOUBLE AS g FROM range(4)"
    )
    source = Wide("t", keep=["name", "day", "s"])
    want = con.execute("SELECT id, name, day, s FROM t ORDER BY id").fetchall()
    for lowering in ASKED:
        for output in OUTPUTS:
            result = sqlrp.project(SparseProjection(k=3, s=1), source, con, output=output, lowering=lowering)  # type: ignore[arg-type]
            assert result.column_names[:4] == ["id", "name", "day", "s"]
            kept = sorted({str(row) for row in zip(*(result.column(i).to_pylist() for i in range(4)), strict=True)})
            assert kept == sorted(str(row) for row in want)


@pytest.mark.parametrize("lowering", ASKED)
@pytest.mark.parametrize("output", OUTPUTS)
def test_a_table_without_a_key(con: Connection, output: str, lowering: str) -> None:
    con.execute("CREATE TABLE t AS SELECT range::DOUBLE AS a, 2.0::DOUBLE AS b FROM range(6)")
    p = SparseProjection(k=2, s=1, seed=1)
    result = sqlrp.project(p, Wide("t", key=None), con, output=output, lowering=lowering)  # type: ignore[arg-type]
    want = oracle(p, np.column_stack([np.arange(6.0), np.full(6, 2.0)]))
    if output == "columns":
        got = np.column_stack([result.column("z0"), result.column("z1")])
    elif output == "array":
        assert result.column_names == ["z"]
        got = np.array(result.column("z").to_pylist())
    else:
        assert result.column_names == ["component", "value"]
        value, at = np.array(result.column("value")), np.array(result.column("component"))
        got = np.column_stack([np.sort(value[at == c]) for c in (0, 1)])
        want = np.sort(want, axis=0)
    assert np.allclose(got[np.lexsort(got.T)], want[np.lexsort(want.T)], rtol=1e-12)


def test_files_are_tables(con: Connection, tmp_path: Any) -> None:
    x = some_rows()
    load(con, "wide", x.tolist())
    p = METHODS["linear"]
    for suffix in ("parquet", "csv"):
        path = tmp_path / f"it's a 'file'.{suffix}"
        con.execute(f"COPY t TO '{str(path).replace(chr(39), chr(39) * 2)}' (FORMAT {suffix})")
        for lowering in ASKED:
            got = projected(con, p, Wide(str(path)), lowering=lowering)
            assert_close(got, oracle(p, x), magnitude(p, x))


def test_views_and_other_schemas(own: Connection) -> None:
    x = some_rows()
    load(own, "wide", x.tolist())
    own.execute("CREATE SCHEMA sch; CREATE TABLE sch.u AS FROM t; CREATE VIEW v AS FROM t; ATTACH ':memory:' AS other")
    own.execute("CREATE TABLE other.main.u AS FROM t; CREATE TEMPORARY TABLE tmp AS FROM t")
    p = METHODS["degree2"]
    for table in ("sch.u", "v", "other.main.u", "other.u", "tmp", "memory.sch.u", '"sch"."u"'):
        for lowering in ASKED:
            assert_close(projected(own, p, table, lowering=lowering), oracle(p, x), magnitude(p, x))


@pytest.mark.parametrize("k", [3, 600])
@pytest.mark.parametrize("nulls", ["propagate", "zero", "error"])
def test_sparse_rows_give_sparse_rows(con: Connection, k: int, nulls: str) -> None:
    """Zeros are absent but for component 0; a row without a sign stays, one with a NULL is NULL in every component."""
    projection = SparseProjection(k=k, s=30, seed=3)
    con.execute("CREATE TABLE t (id BIGINT, feature INTEGER, value DOUBLE)")
    con.execute("INSERT INTO t VALUES (0, 0, 1), (0, 5, 2), (1, 7, NULL), (1, 2, 3), (NULL, 3, 4), (3, 9, 0)")
    source = Long("t", n_features=10)
    if nulls == "error":
        for output in OUTPUTS:
            with pytest.raises(StatementError, match="a feature is NULL"):
                sqlrp.project(projection, source, con, output=output, nulls=nulls)  # type: ignore[arg-type]
        return
    x = np.zeros((4, 10))
    x[[0, 0, 1, 2], [0, 5, 2, 3]] = [1, 2, 3, 4]
    want = oracle(projection, x)
    for output in OUTPUTS:
        result = sqlrp.project(projection, source, con, output=output, nulls=nulls)  # type: ignore[arg-type]
        got = cells(result, output, k, sparse=output == "long")
        assert set(got) == {0, 1, None, 3}
        for i, key in enumerate((0, 1, None, 3)):
            hole = key == 1 and nulls == "propagate"
            assert got[key] == ([None] * k if hole else pytest.approx(want[i].tolist(), rel=1e-12))
        if output == "long":
            kept = np.count_nonzero(np.column_stack([np.ones(4), want[:, 1:]]), axis=1)
            kept[1] = k if nulls == "propagate" else kept[1]
            assert result.num_rows == kept.sum() < 4 * k
