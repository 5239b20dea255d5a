"""Warehouses by their own SQLAlchemy dialects, over stand-ins: every way, and the numbers of DuckDB."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import sqlalchemy as sa
from cases import GROUPED, METHODS
from click.testing import CliRunner
from cover import factors, pairwise
from helpers import assert_close, assert_one_line, cells, load, oracle
from standins import DATABASES, URLS, WAREHOUSES, Warehouse, opened
from translating import refused

import sqlrp
from sqlrp import Array, Long, ParameterError, SourceError, SparseProjection, StatementError, UnsupportedError, Wide
from sqlrp._cli.app import cli
from sqlrp._core.numbers import DOUBLE, WHOLE
from sqlrp._core.sources import Source
from sqlrp._engines.registry import ENGINES, connector_of

D = 9
X = np.random.default_rng(3).normal(0, 1, (12, D)).round(3)
X[:, 0] += 1
WIDTH = 768
EMBEDDINGS = np.random.default_rng(8).normal(size=(7, WIDTH)).round(4)
LINEAR = SparseProjection(k=4, s=3, seed=1)
SOURCES: dict[str, Source] = {
    "wide": Wide("t_wide"),
    "array": Array("t_array", "x"),
    "arrays": Array("t_arrays", ["a", "b"]),
    "long": Long("t_long", n_features=D),
}
ASKED = re.compile("SELECT|WITH|CREATE|INSERT|UPDATE|DELETE|DROP")
"""Statements for a grammar: the others are calls of procedures."""

RECORD = re.compile("sqlrp_catalogue", re.IGNORECASE)

each = pytest.mark.parametrize("name", WAREHOUSES)


@pytest.fixture(scope="module")
def warehouses() -> Iterator[dict[str, Warehouse]]:
    """One of each kind, with the rows in every layout."""
    with ExitStack() as stack:
        found = {}
        for name in WAREHOUSES:
            found[name] = stack.enter_context(opened(name))
            for layout in SOURCES:
                found[name].make(f"t_{layout}", layout, X.tolist())
        yield found
        for name in DATABASES:
            asked = [text for text in found[name].statements if ASKED.match(text)]
            assert {text: why for text in asked if (why := refused(text, name))} == {}


@pytest.fixture
def warehouse(warehouses: dict[str, Warehouse], request: pytest.FixtureRequest) -> Warehouse:
    return warehouses[request.getfixturevalue("name")]


def of_duckdb(projection: sqlrp.Projection, rows: Any, output: str = "array") -> dict[Any, Any]:
    with duckdb.connect(config={"threads": "1"}) as con:
        source = load(con, "array", rows.tolist())
        return cells(sqlrp.project(projection, source, con, output=output), "array", projection.k)  # type: ignore[arg-type]


def assert_equal(found: dict[Any, Any], want: dict[Any, Any], precision: float = 1e-9) -> None:
    assert found.keys() == want.keys()
    size = np.abs(np.array(list(want.values()), dtype=float)).max()
    for key, row in want.items():
        np.testing.assert_allclose(found[key], row, rtol=0, atol=precision * size)


@each
def test_an_embedding_is_projected_kept_and_refreshed(warehouse: Warehouse, name: str) -> None:
    projection, source = SparseProjection(k=8, seed=5), Array("docs", "x")
    warehouse.make("docs", "array", EMBEDDINGS[:5])
    want = of_duckdb(projection, EMBEDDINGS, "vector")
    got = sqlrp.project(projection, source, warehouse.engine, output="vector")
    assert pa.types.is_list(got.schema.field("z").type)
    first = {i: z for i, z in want.items() if i < 5}
    assert_equal(cells(got, "array", 8), first, 1e-6)
    assert sqlrp.materialize(projection, source, warehouse.engine, "docs_rp", output="vector") == 5
    warehouse.add("docs", "array", EMBEDDINGS[5:], first=5)
    assert sqlrp.refresh(warehouse.engine, "docs_rp") == 2
    assert_equal(kept(warehouse, "docs_rp"), want, 1e-6)


def kept(warehouse: Warehouse, table: str) -> dict[Any, Any]:
    """The rows of a table of vectors."""
    with warehouse.engine.connect() as connection:
        found = connection.exec_driver_sql(f"SELECT id, z FROM {table}").fetchall()
    return {int(i): json.loads(z) if isinstance(z, str) else list(z) for i, z in found}


@each
def test_a_table_is_replaced_and_made_again(warehouse: Warehouse, name: str) -> None:
    source, first, other = SOURCES["array"], SparseProjection(k=3, s=1, seed=1), SparseProjection(k=3, s=1, seed=2)
    assert sqlrp.materialize(first, source, warehouse.engine, "small", output="vector") == len(X)
    assert sqlrp.refresh(warehouse.engine, "small") == 0
    with pytest.raises(ParameterError, match="replace=True"):
        sqlrp.materialize(other, source, warehouse.engine, "small", output="vector")
    assert sqlrp.materialize(other, source, warehouse.engine, "small", output="vector", replace=True) == len(X)
    assert_equal(kept(warehouse, "small"), of_duckdb(other, X, "vector"), 1e-6)
    assert sqlrp.refresh(warehouse.engine, "small", everything=True) == len(X)
    # A table of vectors is a source too.
    again = cells(
        sqlrp.project(sqlrp.GivenProjection.of(np.eye(3)), Array("small", "z"), warehouse.engine), "columns", 3
    )
    assert_equal(again, of_duckdb(other, X, "vector"), 1e-6)
    assert sqlrp.check(warehouse.engine) == []


def usable(layout: str, lowering: str, **_: Any) -> bool:
    return layout != "long" or lowering == "relational"


@pairwise(
    factors(
        usable,
        name=list(WAREHOUSES),
        method=list(METHODS),
        layout=list(SOURCES),
        lowering=["inline", "relational"],
        output=["columns", "array", "vector", "long"],
    )
)
def test_methods(warehouse: Warehouse, name: str, method: str, layout: str, lowering: str, output: str) -> None:
    projection = METHODS[method]
    got = sqlrp.project(projection, SOURCES[layout], warehouse.engine, output=output, lowering=lowering)  # type: ignore[arg-type]
    want = oracle(projection, X)
    shape = "array" if output == "vector" else output
    rows = cells(got, shape, projection.k, sparse=layout == "long" and output == "long")
    single = output == "vector" and ENGINES[name].vectors_are_single
    assert_close(rows, want, np.full(len(X), np.abs(want).max()), rtol=1e-6 if single else 1e-9)


@each
def test_words(warehouse: Warehouse, name: str) -> None:
    dialect, source = ENGINES[name], Long("t_words", "id", "word", "value")
    whole, text, number = dialect.type_name(WHOLE), dialect.text_type(250), dialect.type_name(DOUBLE)
    warehouse.run(f"CREATE TABLE t_words (id {whole}, word {text}, value {number})")
    rows = [(i, word, i + j + 1.5) for i in range(4) for j, word in enumerate(["cat", "dog", "schön Ω", f"w{i}"])]
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t_words (id BIGINT, word VARCHAR, value DOUBLE)")
        for i, word, value in rows:
            line = f"INSERT INTO t_words VALUES ({i}, '{word}', {value})"
            _ = warehouse.run(line) if warehouse.con is None else warehouse.con.execute(line)
            con.execute(line)
        want = cells(sqlrp.project(LINEAR, source, con), "columns", 4)
    assert_equal(cells(sqlrp.project(LINEAR, source, warehouse.engine), "columns", 4), want)


@each
def test_rows_come_as_arrow_where_the_driver_has_it(warehouse: Warehouse, name: str) -> None:
    before = len(warehouse.arrow_rows)
    got = sqlrp.project(LINEAR, "t_wide", warehouse.engine)
    assert got.schema.types == [pa.int64(), *[pa.float64()] * 4]
    assert_equal(cells(got, "columns", 4), of_duckdb(LINEAR, X))
    fetched = list(warehouse.arrow_rows[before:])
    assert (sum(fetched) >= len(X)) == (name in ("snowflake", "databricks", "bigquery"))
    warehouse.make("nothing", "wide", X[:1].tolist())
    warehouse.run("DELETE FROM nothing WHERE id = 0")
    assert sqlrp.project(LINEAR, "nothing", warehouse.engine).num_rows == 0


@each
def test_a_saved_projection(warehouse: Warehouse, name: str) -> None:
    fitted = METHODS["nystroem"]
    sqlrp.save(fitted, warehouse.engine, "kept")
    assert sqlrp.load(warehouse.engine, "kept") == fitted
    with pytest.raises(ParameterError, match="replace=True"):
        sqlrp.save(LINEAR, warehouse.engine, "kept")
    sqlrp.save(LINEAR, warehouse.engine, "kept", replace=True)
    assert sqlrp.saved(warehouse.engine) == {"kept": LINEAR}
    with pytest.raises(SourceError, match=r"no projection 'kepd'.* 'kept'"):
        sqlrp.load(warehouse.engine, "kepd")


@each
def test_its_own_text_limits_and_types(warehouse: Warehouse, name: str) -> None:
    connector = connector_of(warehouse.engine)
    assert connector.dialect.name == name
    found = sqlrp.explain(LINEAR, "t_wide", warehouse.engine)
    assert found.plan.job.dialect.name == name
    assert found.plan.job.frame.n_features == D
    assert "9 features -> 4 components" in str(found)
    text = sqlrp.sql(LINEAR, "t_wide", warehouse.engine)
    upper = name in ("snowflake", "oracle")
    features = [f"F{j}" if upper else f"f{j}" for j in range(D)]
    source = Wide("T_WIDE" if upper else "t_wide", key="ID" if upper else "id", features=features)
    assert text == sqlrp.sql(LINEAR, source, name)
    with warehouse.engine.connect() as connection:
        assert sqlrp.project(LINEAR, "t_wide", connection).num_rows == len(X)


@each
def test_diagnose(warehouse: Warehouse, name: str) -> None:
    with duckdb.connect() as con:
        want = sqlrp.diagnose(LINEAR, load(con, "array", X.tolist()), con, sample=6, at=2)
    for layout in ("array",) if name != "redshift" else SOURCES:
        found = sqlrp.diagnose(LINEAR, SOURCES[layout], warehouse.engine, sample=6, at=2)
        assert found.sampled.distortion.mean == pytest.approx(want.sampled.distortion.mean)


@each
def test_learn(warehouse: Warehouse, name: str) -> None:
    """A ridge regression with folds, as DuckDB's."""
    source = Wide("t_wide", features=[f"f{j}" for j in range(D - 1)])
    found = sqlrp.learn(LINEAR, source, warehouse.engine, target=f"f{D - 1}", folds=2, task="regressor")
    with duckdb.connect() as con:
        load(con, "wide", X.tolist())
        source = Wide("t", features=source.features)
        want = sqlrp.learn(LINEAR, source, con, target=f"f{D - 1}", folds=2, task="regressor")
    assert found.rows == len(X)
    np.testing.assert_allclose(found.coef_, want.coef_)
    np.testing.assert_allclose(found.cv_score, want.cv_score)


@each
def test_groups(warehouse: Warehouse, name: str) -> None:
    projection = GROUPED["pooling"]
    got = cells(sqlrp.project(projection, "t_wide", warehouse.engine), "columns", projection.k)
    with duckdb.connect() as con:
        want = cells(sqlrp.project(projection, load(con, "wide", X.tolist()), con), "columns", projection.k)
    assert_equal(got, want)


@each
def test_a_failure_leaves_no_table(warehouse: Warehouse, name: str) -> None:
    warehouse.make("twice", "wide", X[:3].tolist())
    warehouse.add("twice", "wide", X[:1].tolist())
    with pytest.raises(SourceError, match="comes more than once"):
        sqlrp.materialize(LINEAR, "twice", warehouse.engine, "of_twice")
    assert not connector_of(warehouse.engine).exists(warehouse.engine, sqlrp._core.sources.TableName(("of_twice",)))
    with pytest.raises(SourceError, match="cannot be read: there is no such table"):
        sqlrp.project(LINEAR, "missing", warehouse.engine)
    with pytest.raises(StatementError):
        connector_of(warehouse.engine).execute(warehouse.engine, "SELECT * FROM missing")
    assert sqlrp.check(warehouse.engine) == []


@each
def test_a_table_follows_changes_and_deletions(warehouse: Warehouse, name: str) -> None:
    """By fingerprints where the warehouse has a hash of a row; otherwise by a column that grows with every change."""
    with_versions = np.hstack([X, np.ones((len(X), 1))])
    warehouse.make("changing", "wide", with_versions.tolist())
    hashes, engine, last = name not in ("trino", "redshift"), warehouse.engine, f"f{D}"
    source = Wide("changing", features=[f"f{j}" for j in range(D)])
    if not hashes:
        with pytest.raises(UnsupportedError, match="track a column that grows"):
            sqlrp.materialize(LINEAR, source, engine, "followed", track="rows")
    assert sqlrp.materialize(LINEAR, source, engine, "followed", track="rows" if hashes else last) == len(X)
    warehouse.run("DELETE FROM changing WHERE id IN (2, 5)")
    kind = "DOUBLE PRECISION" if name == "redshift" else "FLOAT64" if name == "bigquery" else "DOUBLE"
    for key in (3, 4):
        warehouse.run(f"UPDATE changing SET f1 = CAST(7 AS {kind}), {last} = CAST(2 AS {kind}) WHERE id = {key}")
    warehouse.add("changing", "wide", with_versions[:1].tolist(), first=len(X))
    done = sqlrp.refresh(engine, "followed")
    assert (done.added, done.changed, done.removed) == (1, 2, 2)
    assert sqlrp.refresh(engine, "followed") == 0
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT id, z0, z1, z2, z3 FROM followed").fetchall()
    changed = {i: row for i, row in enumerate([*X, X[0]]) if i not in (2, 5)}
    changed |= {i: np.where(np.arange(D) == 1, 7, X[i]) for i in (3, 4)}
    want = dict(zip(changed, oracle(LINEAR, np.array(list(changed.values()))), strict=True))
    assert_equal({int(i): list(z) for i, *z in rows}, {i: list(z) for i, z in want.items()})


def hashed(name: str, layout: str, output: str, **_: Any) -> bool:
    """Whether the engine has a hash of such rows. Oracle's takes no vectors, and SQL Server keeps an array as text."""
    return (
        name not in ("trino", "redshift")
        and (name, layout) != ("oracle", "array")
        and (name, output) != ("sqlserver", "array")
    )


@pairwise(
    factors(
        hashed, name=list(WAREHOUSES), layout=["wide", "array", "long"], output=["columns", "array", "long", "vector"]
    )
)
def test_one_merge_takes_over_what_changed(warehouse: Warehouse, name: str, layout: str, output: Any) -> None:
    """Rows with a key that is gone or changed leave, and new ones come, whatever the number of rows for a key."""
    table, into, engine = f"of_{layout}", f"merged_{layout}_{output}", warehouse.engine
    if connector_of(engine).exists(engine, sqlrp._core.sources.TableName((table,))):
        warehouse.run(f"DROP TABLE {table}")
    warehouse.make(table, layout, X[:6].tolist())
    source = {"wide": Wide(table), "array": Array(table, "x"), "long": Long(table, n_features=D)}[layout]
    assert sqlrp.materialize(LINEAR, source, engine, into, output=output, track="rows", replace=True) == 6
    warehouse.run(f"DELETE FROM {table} WHERE id IN (1, 4)")
    warehouse.add(table, layout, X[7:8].tolist(), first=4)
    warehouse.add(table, layout, X[8:9].tolist(), first=6)
    before = len(warehouse.statements)
    done = sqlrp.refresh(engine, into)
    assert (done.added, done.changed, done.removed) == (1, 1, 1)
    run = [
        text.split()[0] for text in warehouse.statements[before:] if into in text.lower() and not RECORD.search(text)
    ]
    assert [verb for verb in run if verb in ("INSERT", "UPDATE", "DELETE", "MERGE")] == ["MERGE"]
    assert sqlrp.refresh(engine, into) == 0
    want = {i: X[i] for i in (0, 2, 3, 5)} | {4: X[7], 6: X[8]}
    rows = cells(sqlrp.project(sqlrp.GivenProjection.of(np.eye(4)), kept_source(into, output), engine), "columns", 4)
    assert_equal(rows, dict(zip(want, oracle(LINEAR, np.array(list(want.values()))), strict=True)), 1e-6)


def kept_source(table: str, output: str) -> Source:
    """A kept table as a source of its own numbers."""
    if output == "long":
        return Long(table, feature="component", value="value", n_features=4)
    return Wide(table, features=[f"z{c}" for c in range(4)]) if output == "columns" else Array(table, "z")


def test_oracle_has_no_hash_of_a_vector(warehouses: dict[str, Warehouse]) -> None:
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.materialize(LINEAR, SOURCES["array"], warehouses["oracle"].engine, "hashed", track="rows")
    assert_one_line(caught, "STANDARD_HASH", "VECTOR", "track a column that grows")


@each
def test_a_view_follows_its_source(warehouse: Warehouse, name: str) -> None:
    """As the warehouse has it: a materialized view, or a dynamic table that a warehouse refreshes."""
    warehouse.make("viewing", "array", X[:5].tolist())
    source, engine = Array("viewing", "x"), warehouse.engine

    def keep(kind: Any, **options: Any) -> int:
        options |= {"warehouse": "small"} if name == "snowflake" else {}
        return sqlrp.materialize(LINEAR, source, engine, "viewed", output="vector", kind=kind, **options)

    if name in ("trino", *DATABASES):
        with pytest.raises(UnsupportedError) as caught:
            keep("view")
        assert_one_line(caught, name, "no materialized views", "leave kind out")
        return
    assert keep("materialized view", lag="10 minutes") == 5
    warehouse.add("viewing", "array", X[5:].tolist(), first=5)
    assert sqlrp.refresh(engine, "viewed") == len(X)
    assert_equal(kept(warehouse, "viewed"), of_duckdb(LINEAR, X, "vector"), 1e-6)
    assert keep("table", replace=True) == len(X)
    assert keep("view", replace=True) == keep("view", replace=True) == len(X)
    assert sqlrp.refresh(engine, "viewed", everything=True) == len(X)
    assert sqlrp.check(engine) == []
    if name == "snowflake":
        with pytest.raises(ParameterError, match="warehouse = None"):
            sqlrp.materialize(LINEAR, source, engine, "other", kind="view")


@pytest.mark.parametrize("name", [name for name in WAREHOUSES if name != "redshift"])
def test_an_interrupted_replacement_is_unfinished(
    warehouse: Warehouse, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sqlrp.materialize(LINEAR, "t_wide", warehouse.engine, "half")
    connector = connector_of(warehouse.engine)

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(type(connector), "swap", stopped)
        with pytest.raises(KeyboardInterrupt):
            sqlrp.materialize(METHODS["gaussian"], "t_wide", warehouse.engine, "half", replace=True)
    with pytest.raises(SourceError) as caught:
        sqlrp.refresh(warehouse.engine, "half")
    assert_one_line(caught, "half", "left unfinished", "everything=True")
    assert sqlrp.refresh(warehouse.engine, "half", everything=True) == len(X)


@each
def test_the_command_line(warehouse: Warehouse, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(sa, "create_engine", lambda url, **_: warehouse.engine)
    db = ["--db", f"{name}://user:secret@host/shop", "--table", "t_array", "--array-column", "x", "-k", "3"]
    path = tmp_path / "made.parquet"
    result = CliRunner().invoke(cli, ["project", *db, "-o", str(path)])
    assert result.exit_code == 0, result.output
    assert duckdb.execute(f"SELECT count(*) FROM '{path}'").fetchall() == [(len(X),)]
    result = CliRunner().invoke(cli, ["explain", *db])
    assert result.exit_code == 0, result.output
    assert "9 features -> 3 components" in result.output
    result = CliRunner().invoke(cli, ["project", *db, "--into", "by_shell", "--output", "vector"])
    assert result.exit_code == 0, result.output
    result = CliRunner().invoke(cli, ["refresh", db[1], "by_shell"])
    assert result.exit_code == 0, result.output


@each
def test_a_missing_package_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = {"sqlserver": "pyodbc", "oracle": "oracledb"}.get(name)

    def missing(*_: Any, **__: Any) -> None:
        if driver:
            raise ModuleNotFoundError(name=driver)
        raise sa.exc.NoSuchModuleError(f"Can't load plugin: sqlalchemy.dialects:{name}")

    monkeypatch.setattr(sa, "create_engine", missing)
    url = URLS.get(name, f"{name}://u:secret@host/shop").replace("+standin", "")
    result = CliRunner().invoke(cli, ["project", "--db", url, "--table", "t", "-o", "x.csv"])
    assert result.exit_code != 0
    assert "pip install" in result.output
    assert (driver or name) in result.output
    assert "secret" not in result.output
