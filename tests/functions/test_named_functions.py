"""Scalar functions by name: the numbers of `project_vector`, and an existing function is never lost."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlalchemy as sa
import sqlglot
import standins
from databases import Database, opened, pgvector_schema
from helpers import assert_one_line
from other_duckdbs import shell

import sqlrp
from sqlrp import ParameterError, SourceError, StatementError, UnsupportedError
from sqlrp._core.sources import TableName
from sqlrp._engines.registry import ENGINES as DIALECTS

D = 12
X = np.random.default_rng(3).normal(size=(6, D))
FITTED = np.random.default_rng(4).normal(size=(20, D))
METHODS = {
    "sparse": sqlrp.SparseProjection(k=5, s=3, seed=1),
    "embedding": sqlrp.SparseEmbedding(k=8, seed=2),
    "hadamard": sqlrp.HadamardProjection(k=4, seed=3),
    "gaussian": sqlrp.GaussianProjection(k=4, seed=4),
    "polynomial": sqlrp.PolynomialKernelProjection(k=4, degree=3, t=2, c=0.5, seed=5),
    "maclaurin": sqlrp.RandomMaclaurin(k=4, seed=6),
    "tensor_sketch": sqlrp.TensorSketch(k=4, degree=3, seed=7),  # of terms with fewer factors than others
    "nystroem": sqlrp.NystroemProjection(k=3, sample=6, seed=8).fit(FITTED),
    "principal": sqlrp.PrincipalComponents(k=3).fit(FITTED),
    "standardized": sqlrp.fit(
        sqlrp.SparseProjection(k=3, s=1, seed=9), sqlrp.Standardized(pd.DataFrame(FITTED)), key=None
    ),
}
ENGINES = ("duckdb", "postgresql", "clickhouse")
ARRAY = {"duckdb": "DOUBLE[]", "postgresql": "double precision[]", "clickhouse": "Array(Nullable(Float64))"}
"""The type of an array of features."""


def assert_equal(found: Any, expected: Any) -> None:
    """Equal to 1e-12 of the largest component."""
    scale = np.abs(np.asarray(expected)).max()
    np.testing.assert_allclose(np.asarray(found, dtype=float), expected, rtol=0, atol=1e-12 * scale)


@pytest.fixture(params=ENGINES)
def db(request: Any, tmp_path: Path) -> Iterator[Database]:
    yield from opened(request.param, tmp_path)


def called(db: Database, name: str, values: str) -> Any:
    return db.run_query(f"SELECT {name}(CAST({values} AS {ARRAY[db.name]}))")[0][0]


def listed(db: Database, x: Any) -> str:
    numbers = ",".join(repr(float(v)) for v in x)
    return f"'{{{numbers}}}'" if db.name == "postgresql" else f"[{numbers}]"


def test_every_method_gives_the_numbers_of_project_vector(db: Database) -> None:
    for name, projection in METHODS.items():
        sqlrp.create_function(projection, db.connection, f"{name}_rp", n_features=D)
        for x in X[:2]:
            expected = sqlrp.project_vector(projection, x)
            assert_equal(called(db, f"{name}_rp", listed(db, x)), expected)
    assert sqlrp.created_functions(db.connection) == {f"{name}_rp": projection for name, projection in METHODS.items()}


def test_a_table_and_a_vector_are_projected_in_one_statement(db: Database) -> None:
    source = db.load("array", X.tolist())
    projection = METHODS["sparse"]
    sqlrp.create_function(projection, db.connection, "docs_rp", n_features=D)
    query = f"CAST({listed(db, X[4])} AS {ARRAY[db.name]})"
    rows = db.run_query(f"SELECT id, docs_rp(x), docs_rp({query}) FROM t ORDER BY id")
    expected = db.projected(projection, source, "array")
    for i, z, of_query in rows:
        assert_equal(z, expected[i])
        assert list(of_query) == list(rows[4][1])


def test_null_gives_null_and_another_length_fails(db: Database) -> None:
    sqlrp.create_function(METHODS["polynomial"], db.connection, "docs_rp", n_features=D)
    if db.name != "clickhouse":  # whose arrays are never NULL
        assert called(db, "docs_rp", "NULL") is None
    with pytest.raises((duckdb.Error, StatementError), match=f"has not the {D} elements"):
        called(db, "docs_rp", listed(db, X[0][:-1]))
    holes = listed(db, X[0]).replace(repr(float(X[0][3])), "NULL")
    assert called(db, "docs_rp", holes) in (None, [None] * 4)
    sqlrp.create_function(METHODS["polynomial"], db.connection, "zero_rp", n_features=D, nulls="zero")
    whole = X[0].copy()
    whole[3] = 0
    expected = sqlrp.project_vector(METHODS["polynomial"], whole)
    assert_equal(called(db, "zero_rp", holes), expected)


def test_another_function_is_never_lost(db: Database) -> None:
    con, first, second = db.connection, METHODS["sparse"], METHODS["gaussian"]
    sqlrp.create_function(first, con, "docs_rp", n_features=D)
    sqlrp.create_function(first, con, "docs_rp", n_features=D)  # the same one
    with pytest.raises(ParameterError) as caught:
        sqlrp.create_function(second, con, "docs_rp", n_features=D)
    assert_one_line(caught, "docs_rp", "GaussianProjection", "replace=True")
    expected = sqlrp.project_vector(first, X[0])
    assert_equal(called(db, "docs_rp", listed(db, X[0])), expected)
    sqlrp.create_function(second, con, "docs_rp", n_features=D, replace=True)
    assert sqlrp.created_functions(con) == {"docs_rp": second}
    returning = "RETURNS double precision[] LANGUAGE sql AS 'SELECT a'"
    made = {
        "duckdb": "CREATE MACRO mine(a) AS a",
        "postgresql": f"CREATE FUNCTION mine(a double precision[]) {returning}",
        "clickhouse": "CREATE FUNCTION mine AS (a) -> a",
    }
    db.run(made[db.name])
    for replace in (False, True):
        with pytest.raises(ParameterError) as caught:
            sqlrp.create_function(first, con, "mine", n_features=D, replace=replace)
        assert_one_line(caught, "mine", "did not make it", "choose another name")
    assert list(called(db, "mine", listed(db, [1.5]))) == [1.5]


def test_a_function_is_dropped_and_only_one_of_its_own(db: Database) -> None:
    sqlrp.create_function(METHODS["sparse"], db.connection, "docs_rp", n_features=D)
    with pytest.raises(SourceError) as caught:
        sqlrp.drop_function(db.connection, "doc_rp")
    assert_one_line(caught, "doc_rp", "docs_rp", "create_function")
    sqlrp.drop_function(db.connection, "docs_rp")
    assert sqlrp.created_functions(db.connection) == {}
    with pytest.raises((duckdb.Error, StatementError)):
        called(db, "docs_rp", listed(db, X[0]))
    with pytest.raises(SourceError):
        sqlrp.drop_function(db.connection, "docs_rp")


def test_check_finds_a_missing_function(db: Database) -> None:
    sqlrp.create_function(METHODS["sparse"], db.connection, "docs_rp", n_features=D)
    assert sqlrp.check(db.connection) == []
    arguments = "(double precision[])" if db.name == "postgresql" else ""
    db.run(f"DROP {'MACRO' if db.name == 'duckdb' else 'FUNCTION'} docs_rp{arguments}")
    (finding,) = sqlrp.check(db.connection)
    assert str(finding).startswith("function 'docs_rp': it is listed and not there: sqlrp.create_function makes it")
    sqlrp.create_function(METHODS["sparse"], db.connection, "docs_rp", n_features=D)
    assert sqlrp.check(db.connection) == []


@pytest.mark.parametrize("name", ['a"b', "it's", "x); DROP TABLE canary; --", "sélect", "SELECT", "sqlrp_argument"])
def test_a_hostile_name_is_a_name(db: Database, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    sqlrp.create_function(METHODS["sparse"], db.connection, quoted, n_features=D)
    expected = sqlrp.project_vector(METHODS["sparse"], X[0])
    assert_equal(called(db, quoted, listed(db, X[0])), expected)
    sqlrp.drop_function(db.connection, quoted)


def test_a_failed_transaction_leaves_nothing(db: Database) -> None:
    if db.name == "clickhouse":  # which has no transactions
        return
    sqlrp.create_function(METHODS["sparse"], db.connection, "kept_rp", n_features=D)
    db.run("BEGIN")
    sqlrp.create_function(METHODS["gaussian"], db.connection, "docs_rp", n_features=D)
    sqlrp.create_function(METHODS["gaussian"], db.connection, "kept_rp", n_features=D, replace=True)
    db.run("ROLLBACK")
    assert sqlrp.created_functions(db.connection) == {"kept_rp": METHODS["sparse"]}
    expected = sqlrp.project_vector(METHODS["sparse"], X[0])
    assert_equal(called(db, "kept_rp", listed(db, X[0])), expected)


def test_the_length_must_be_known(db: Database) -> None:
    with pytest.raises(ParameterError) as caught:
        sqlrp.create_function(METHODS["sparse"], db.connection, "docs_rp")
    assert_one_line(caught, "n_features = None", "SparseProjection", "pass n_features")
    for wrong in (0, -1, 2.5, True, "12"):
        with pytest.raises(ParameterError) as caught:
            sqlrp.create_function(METHODS["sparse"], db.connection, "docs_rp", n_features=wrong)  # type: ignore[arg-type]
        assert_one_line(caught, "n_features", "at least 1")
    sqlrp.create_function(METHODS["nystroem"], db.connection, "fitted_rp")
    with pytest.raises(SourceError):
        sqlrp.create_function(METHODS["nystroem"], db.connection, "other_rp", n_features=D + 1)


def test_methods_of_groups_are_refused(db: Database) -> None:
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.create_function(sqlrp.BilinearPooling(k=3), db.connection, "docs_rp", n_features=D)
    assert_one_line(caught, "BilinearPooling", "one row")


@pytest.mark.parametrize("engine", ["sqlite", "mariadb", "mysql", "redshift"])
def test_engines_without_functions_say_so(engine: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.function_sql(METHODS["sparse"], engine, "docs_rp", n_features=D)
    why = {"redshift": "SELECT without FROM"}
    assert_one_line(caught, engine, "no functions", why.get(engine, "sqlrp.project"))


def test_the_nearest_rows_in_one_statement(db: Database) -> None:
    """The query is projected by the same function, in the same statement."""
    if db.name == "postgresql":
        return  # by pgvector, below
    db.load("array", X.tolist())
    sqlrp.create_function(METHODS["sparse"], db.connection, "docs_rp", n_features=D, returns="vector")
    query = X[4] + 0.01
    distance = "array_distance" if db.name == "duckdb" else "L2Distance"
    apart = f"{distance}(docs_rp(x), docs_rp({listed(db, query)}))"
    found = db.run_query(f"SELECT id FROM (SELECT id, {apart} AS d FROM t) s ORDER BY d LIMIT 3")
    assert [i for (i,) in found] == nearest(query)


def nearest(query: Any) -> list[int]:
    """The numbers of the three nearest rows of X, after the projection."""
    z = np.array([sqlrp.project_vector(METHODS["sparse"], x) for x in X])
    apart = ((z - sqlrp.project_vector(METHODS["sparse"], query)) ** 2).sum(axis=1)
    return [int(i) for i in np.argsort(apart)[:3]]


def test_the_nearest_rows_by_pgvector() -> None:
    with ExitStack() as stack:
        connection = pgvector_schema(stack)
        connection.exec_driver_sql("CREATE TABLE docs (id bigint, x double precision[])")
        for i, row in enumerate(X.tolist()):
            connection.exec_driver_sql(f"INSERT INTO docs VALUES ({i}, '{{{','.join(map(repr, row))}}}')")
        sqlrp.create_function(METHODS["sparse"], connection, "docs_rp", n_features=D, returns="vector")
        query = X[4] + 0.01
        text = "{" + ",".join(repr(float(v)) for v in query) + "}"
        order = f"docs_rp(x) <-> docs_rp('{text}')"
        found = connection.exec_driver_sql(f"SELECT id FROM docs ORDER BY {order} LIMIT 3").fetchall()
        assert [i for (i,) in found] == nearest(query)


@pytest.mark.parametrize(
    ("engine", "kind"),
    [("bigquery", "ARRAY<FLOAT64>"), ("snowflake", r"VECTOR(FLOAT, 5)"), ("databricks", "ARRAY<FLOAT>")],
)
def test_the_text_of_a_function_that_returns_a_vector(engine: str, kind: str) -> None:
    text = sqlrp.function_sql(METHODS["sparse"], engine, "docs_rp", n_features=D, returns="vector")
    assert f"RETURNS {kind}" in text
    (statement,) = sqlglot.parse(text, read=engine)
    assert isinstance(statement, sqlglot.exp.Create)
    with pytest.raises(ParameterError, match="'array', 'vector' or 'bits'"):
        sqlrp.function_sql(METHODS["sparse"], engine, "docs_rp", n_features=D, returns="columns")


HAVING = ("bigquery", "snowflake", "databricks", "trino")
"""The warehouses that have functions of an array."""


def asked(warehouse: standins.Warehouse, query: str) -> list[Any]:
    """The numbers of a column of arrays."""
    with warehouse.engine.connect() as connection:
        rows = connection.exec_driver_sql(query).fetchall()
    return [json.loads(z) if isinstance(z, str) else z for (z,) in rows]


@pytest.mark.parametrize("name", HAVING)
def test_a_warehouse_s_functions_give_the_numbers_of_project_vector(name: str) -> None:
    with standins.opened(name) as warehouse:
        warehouse.make("docs", "array", [*X.tolist(), X[0][:-1].tolist()])
        warehouse.con.execute("INSERT INTO docs VALUES (99, NULL)")
        for method, projection in METHODS.items():
            sqlrp.create_function(projection, warehouse.engine, f"{method}_rp", n_features=D)
            found = asked(warehouse, f"SELECT {method}_rp(x) AS z FROM docs WHERE id < {len(X)} ORDER BY id")
            assert_equal(found, [sqlrp.project_vector(projection, x) for x in X])
            with pytest.raises(sa.exc.DBAPIError, match=f"has not the {D} elements"):
                asked(warehouse, f"SELECT {method}_rp(x) AS z FROM docs WHERE id = {len(X)}")
            assert asked(warehouse, f"SELECT {method}_rp(x) AS z FROM docs WHERE id = 99") == [None]
        assert sqlrp.created_functions(warehouse.engine) == {f"{m}_rp": p for m, p in METHODS.items()}
        assert sqlrp.check(warehouse.engine) == []


@pytest.mark.parametrize("name", HAVING)
def test_a_warehouse_s_function_is_never_lost(name: str) -> None:
    first, second = METHODS["sparse"], METHODS["hadamard"]
    with standins.opened(name) as warehouse:
        engine = warehouse.engine
        warehouse.make("docs", "array", X.tolist())
        query = "SELECT docs_rp(x) AS z FROM docs ORDER BY id"
        sqlrp.create_function(first, engine, "docs_rp", n_features=D)
        sqlrp.create_function(first, engine, "docs_rp", n_features=D)  # the same one
        with pytest.raises(ParameterError) as caught:
            sqlrp.create_function(second, engine, "docs_rp", n_features=D)
        assert_one_line(caught, "docs_rp", "HadamardProjection", "replace=True")
        assert_equal(asked(warehouse, query), [sqlrp.project_vector(first, x) for x in X])
        sqlrp.create_function(second, engine, "docs_rp", n_features=D, replace=True)
        assert_equal(asked(warehouse, query), [sqlrp.project_vector(second, x) for x in X])
        sqlrp.drop_function(engine, "docs_rp")
        assert sqlrp.created_functions(engine) == {}
        warehouse.con.execute("CREATE MACRO docs_rp(a) AS a")  # the user's own
        for replace in (False, True):
            with pytest.raises(ParameterError) as caught:
                sqlrp.create_function(first, engine, "docs_rp", n_features=D, replace=replace)
            assert_one_line(caught, "docs_rp", "did not make it", "choose another name")
        assert_equal(asked(warehouse, query), X)


@pytest.mark.parametrize("engine", ["bigquery", "snowflake", "databricks"])
def test_the_text_for_a_warehouse_parses(engine: str) -> None:
    for projection in METHODS.values():
        text = sqlrp.function_sql(projection, engine, "shop.docs_rp", n_features=D)
        (statement,) = sqlglot.parse(text, read=engine)
        assert isinstance(statement, sqlglot.exp.Create), text
        assert statement.kind == "FUNCTION"


def in_duckdb(text: str, x: Any) -> Any:
    """What a function of Trino gives: its expression, translated to DuckDB."""
    head, body = text.split(" RETURN ", 1)
    assert head.startswith('CREATE OR REPLACE FUNCTION "docs_rp"(sqlrp_argument ARRAY(DOUBLE)) RETURNS ARRAY(DOUBLE) ')
    # reduce's last argument is a lambda that gives its own argument.
    unknown = sqlglot.ErrorLevel.IGNORE
    (query,) = sqlglot.transpile(f"SELECT {body}", read="trino", write="duckdb", unsupported_level=unknown)
    with duckdb.connect() as con:
        rows = con.execute(f"{query} FROM (SELECT CAST(? AS DOUBLE[]) AS sqlrp_argument)", [x]).fetchall()
    return rows[0][0]


@pytest.mark.parametrize("name", METHODS)
def test_a_function_of_trino_is_an_expression_without_a_query(name: str) -> None:
    projection = METHODS[name]
    text = sqlrp.function_sql(projection, "trino", "docs_rp", n_features=D)
    assert "SELECT" not in text
    for x in X[:2]:
        assert_equal(in_duckdb(text, x.tolist()), sqlrp.project_vector(projection, x))
    holes = [None if j == 3 else v for j, v in enumerate(X[0].tolist())]
    assert in_duckdb(text, None) is None
    assert in_duckdb(text, holes) is None
    with pytest.raises(duckdb.Error, match=f"has not the {D} elements"):
        in_duckdb(text, X[0][:-1].tolist())
    zero = sqlrp.function_sql(projection, "trino", "docs_rp", n_features=D, nulls="zero", scale=False)
    with duckdb.connect() as con:
        for x in (holes, None):
            con.execute(f"CREATE OR REPLACE TABLE docs AS SELECT 1 AS id, CAST(? AS DOUBLE[{D}]) AS x", [x])
            source = sqlrp.Array("docs", "x")
            (z,) = sqlrp.project(projection, source, con, output="array", nulls="zero", scale=False)["z"].to_pylist()
            np.testing.assert_allclose(in_duckdb(zero, x), np.array(z, dtype=float), rtol=1e-9, atol=1e-12)
    refused = sqlrp.function_sql(projection, "trino", "docs_rp", n_features=D, nulls="error")
    for x in (None, holes):
        with pytest.raises(duckdb.Error, match="a feature is NULL and nulls = 'error'"):
            in_duckdb(refused, x)


def test_what_a_function_of_trino_cannot_be() -> None:
    with pytest.raises(sqlrp.LimitError) as caught:
        sqlrp.function_sql(sqlrp.GaussianProjection(k=100), "trino", "docs_rp", n_features=1000)
    assert_one_line(caught, "characters", "1,000,000", "trino", "smaller k")
    with pytest.raises(UnsupportedError, match="ReflectedPick has no form in an expression without a query"):
        sqlrp.function_sql(sqlrp.RandomSubspace(k=3, densify="householder"), "trino", "docs_rp", n_features=D)
    text = sqlrp.function_sql(METHODS["sparse"], "trino", '"shop"."do""cs; --"', n_features=D)
    assert text.startswith('CREATE OR REPLACE FUNCTION "shop"."do""cs; --"(')


def test_a_file_answers_without_python(tmp_path: Path) -> None:
    path = tmp_path / "docs.db"
    with duckdb.connect(path, config={"storage_compatibility_version": "v1.4.0"}) as con:
        sqlrp.create_function(METHODS["polynomial"], con, "docs_rp", n_features=D)
        con.execute(f"CREATE VIEW projected AS SELECT docs_rp({[float(v) for v in X[0]]}) AS z")
    said = subprocess.run(
        [
            shell(),
            "-readonly",
            "-noheader",
            "-list",
            str(path),
            "SELECT z FROM projected",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    expected = sqlrp.project_vector(METHODS["polynomial"], X[0])
    assert_equal([float(v) for v in said.stdout.strip().strip("[]").split(",")], expected)


@pytest.mark.parametrize("held", ["", "$sqlrp$", "$sqlrp$ $sqlrp_$"])
def test_the_quotes_of_a_body_do_not_stand_in_it(held: str) -> None:
    body = f"SELECT {DIALECTS['postgresql'].string(held)}"
    text = DIALECTS["postgresql"].creating_function(TableName(("f",)), body, "text", "")
    quoted = re.search(r"AS (\$\w+\$)(.*)\1$", text)
    assert quoted
    assert quoted[1] not in held
    assert quoted[2] == body
