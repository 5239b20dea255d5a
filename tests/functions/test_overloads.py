"""Functions in PostgreSQL take pgvector's vectors, every array of numbers, and a vector as text."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
import pytest
import sqlalchemy as sa
from databases import with_pgvector

import sqlrp
from sqlrp import SparseProjection, Wide

FEW, BITS = SparseProjection(k=2, s=1, seed=3), SparseProjection(k=64, s=1, seed=1)
QUERY = [1, 2, 3]
GIVEN = {
    "double precision[]": "CAST('{1,2,3}' AS double precision[])",
    "real[]": "CAST('{1,2,3}' AS real[])",
    "numeric[]": "CAST('{1,2,3}' AS numeric[])",
    "integer[]": "ARRAY[1,2,3]",
    "bigint[]": "CAST('{1,2,3}' AS bigint[])",
    "numbers": "ARRAY[1.0,2,3]",
    "an array as text": "'{1,2,3}'",
    "a vector as text": "'[1, 2, 3]'",
    "text": "CAST('[1,2,3]' AS text)",
    "vector": "CAST('[1,2,3]' AS public.vector)",
    "vector of a length": "CAST('[1,2,3]' AS public.vector(3))",
    "halfvec": "CAST('[1,2,3]' AS public.halfvec)",
}


@pytest.fixture(scope="module")
def connection() -> Iterator[sa.Connection]:
    with ExitStack() as stack:
        connection = with_pgvector(stack)
        schema = f"sqlrp_test_{uuid.uuid4().hex[:12]}"
        stack.callback(connection.exec_driver_sql, f"DROP SCHEMA {schema} CASCADE")
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
        connection.exec_driver_sql(f"SET search_path TO {schema}, public")
        columns = ", ".join(f"CAST(sin(g * {j + 2}) AS double precision) AS f{j}" for j in range(3))
        connection.exec_driver_sql(
            f"CREATE TABLE t AS SELECT CAST(g AS bigint) AS id, {columns} FROM generate_series(1, 30) g"
        )
        sqlrp.create_function(FEW, connection, "few", n_features=3)
        sqlrp.materialize(BITS, Wide("t"), connection, into="bits", output="bits", search="found")
        yield connection


def functions(connection: sa.Connection, name: str) -> list[str]:
    where = f"proname = '{name}' AND pronamespace = CAST(current_schema() AS regnamespace)"
    query = f"SELECT pg_get_function_arguments(oid) FROM pg_proc WHERE {where}"
    return sorted(text.split(",")[0].split(" ", 1)[1] for (text,) in connection.exec_driver_sql(query))


@pytest.mark.parametrize("given", GIVEN)
def test_every_type_gives_the_same(given: str, connection: sa.Connection) -> None:
    wanted = sqlrp.project_vector(FEW, QUERY)
    assert np.allclose(connection.exec_driver_sql(f"SELECT few({GIVEN[given]})").scalar(), wanted)
    nearest = sqlrp.search(connection, "bits", QUERY, n=4).column("id").to_pylist()
    for more in ("n := 4", "4, 100"):
        rows = connection.exec_driver_sql(f"SELECT * FROM found({GIVEN[given]}, {more}) ORDER BY distance").fetchall()
        assert [key for key, _ in rows] == nearest


@pytest.mark.parametrize("value", ["{1,2,3}", "[1,2,3]", [1.0, 2.0, 3.0], [1, 2, 3]], ids=repr)
def test_parameters_of_a_driver(value: object, connection: sa.Connection) -> None:
    driver = connection.connection.driver_connection
    assert driver is not None
    (found,) = driver.execute("SELECT few(%s)", (value,)).fetchone()
    assert np.allclose(found, sqlrp.project_vector(FEW, QUERY))


def test_overloads_go_and_come_with_the_function(connection: sa.Connection) -> None:
    all_types = sorted(["double precision[]", "text", "vector", "halfvec"])
    assert functions(connection, "few") == functions(connection, "found") == all_types
    assert sqlrp.check(connection) == []
    sqlrp.create_function(SparseProjection(k=3, s=1), connection, "few", n_features=3, replace=True)
    sqlrp.materialize(BITS, Wide("t"), connection, into="bits", output="bits", replace=True)
    assert functions(connection, "few") == functions(connection, "found") == all_types
    connection.exec_driver_sql("DROP FUNCTION found(double precision[], bigint, bigint)")
    sqlrp.create_search(connection, "bits", "found")
    assert functions(connection, "found") == all_types
    sqlrp.drop_search(connection, "found")
    sqlrp.drop_function(connection, "few")
    assert functions(connection, "few") == functions(connection, "found") == []
    sqlrp.create_function(FEW, connection, "few", n_features=3)
    sqlrp.create_search(connection, "bits", "found")


@pytest.mark.parametrize("name", ['a"$sqlrp$', "o'$sqlrp$ $sqlrp_$", "Every (1, 2) double precision[]"])
def test_names_that_need_quotes(name: str, connection: sa.Connection) -> None:
    quoted = '"{}"'.format(name.replace('"', '""'))
    sqlrp.create_function(FEW, connection, quoted, n_features=3)
    wanted = sqlrp.project_vector(FEW, QUERY)
    for given in ("vector", "halfvec", "text"):
        assert np.allclose(connection.exec_driver_sql(f"SELECT {quoted}({GIVEN[given]})").scalar(), wanted)
    sqlrp.drop_function(connection, quoted)
    assert functions(connection, name.replace("'", "''")) == []


def test_a_function_of_the_user_stays(connection: sa.Connection) -> None:
    connection.exec_driver_sql("CREATE FUNCTION mine(v public.vector) RETURNS integer LANGUAGE sql AS 'SELECT 7'")
    with pytest.raises(sqlrp.SqlrpError, match="mine"):
        sqlrp.create_function(FEW, connection, "mine", n_features=3)
    assert functions(connection, "mine") == ["vector"]
    assert connection.exec_driver_sql("SELECT mine('[1]'::public.vector)").scalar() == 7


def test_a_view_that_calls_an_overload_is_not_in_the_way(connection: sa.Connection) -> None:
    """As a view of the array is not: the function is replaced, and the view gives the new numbers."""
    sqlrp.create_function(FEW, connection, "seen", n_features=3)
    for name, given in (("arrays", "double precision[]"), ("vectors", "vector")):
        connection.exec_driver_sql(f"CREATE VIEW {name} AS SELECT seen({GIVEN[given]}) AS z")
    try:
        other = SparseProjection(k=2, s=1, seed=4)
        sqlrp.create_function(other, connection, "seen", n_features=3, replace=True)
        for name in ("arrays", "vectors"):
            z = connection.exec_driver_sql(f"SELECT z FROM {name}").scalar()
            assert np.allclose(z, sqlrp.project_vector(other, QUERY))
    finally:
        connection.exec_driver_sql("DROP VIEW arrays, vectors")
    connection.exec_driver_sql("DROP FUNCTION seen(double precision[])")
    sqlrp.create_function(FEW, connection, "seen", n_features=3, returns="vector")
    found = connection.exec_driver_sql(f"SELECT CAST(seen({GIVEN['vector']}) AS real[])").scalar()
    assert np.allclose(found, sqlrp.project_vector(FEW, QUERY), rtol=1e-6)
    sqlrp.drop_function(connection, "seen")
    assert functions(connection, "seen") == []
