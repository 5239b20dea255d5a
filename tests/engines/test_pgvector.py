"""pgvector's columns as sources, on a server that has the extension: the one of the tests, or an embedded one."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
import pytest
import sqlalchemy as sa
from databases import with_pgvector
from helpers import assert_close, cells, magnitude, oracle
from postgresql_functions import asking

import sqlrp

X = np.random.default_rng(3).normal(size=(20, 6)).astype(np.float32).astype(np.float64)
PROJECTIONS = (sqlrp.SparseProjection(k=4, s=2, seed=1), sqlrp.PolynomialKernelProjection(k=3, c=1, seed=2))
SCHEMA = f"sqlrp_test_{uuid.uuid4().hex[:12]}"


@pytest.fixture(scope="module")
def server() -> Iterator[sa.Connection]:
    """A connection to a schema with docs(id, label, plain, e vector(6), loose vector, half halfvec(6))."""
    with ExitStack() as stack:
        connection = with_pgvector(stack)
        run = connection.exec_driver_sql
        stack.callback(run, f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        run(f"CREATE SCHEMA {SCHEMA}")
        run(f"SET search_path TO {SCHEMA}, public")
        run("CREATE TABLE docs (id bigint, label text, e vector(6), loose vector, half halfvec(6))")
        for i, row in enumerate(X.tolist()):
            run(f"INSERT INTO docs VALUES ({i}, 'l{i}', '{row}', '{row}', '{[round(v * 4) for v in row]}')")
        run(f"INSERT INTO docs VALUES ({len(X)}, NULL, NULL, NULL, NULL)")
        sqlrp.install(connection, SCHEMA)
        yield connection


@pytest.mark.parametrize("column", ["e", "loose", "half"])
@pytest.mark.parametrize("lowering", ["inline", "relational"])
@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda p: type(p).__name__)
def test_a_vector_is_an_array(server: sa.Connection, projection: sqlrp.Projection, lowering: str, column: str) -> None:
    x = np.round(X * 4) if column == "half" else X
    null = np.arange(len(X) + 1) == len(X)
    x, source = np.vstack([x, np.zeros((1, x.shape[1]))]), sqlrp.Array("docs", column)
    want, size = oracle(projection, x), magnitude(projection, x)
    for output in ("columns", "array", "long"):
        result = sqlrp.project(projection, source, server, output=output, lowering=lowering)  # type: ignore[arg-type]
        assert_close(cells(result, output, projection.k), want, size, null=null)
    name = "rp_project" if isinstance(projection, sqlrp.SparseProjection) else "pk_project"
    own = "k => 4, s => 2, seed => 1" if name == "rp_project" else "k => 3, c => 1, seed => 2"
    call = f"SELECT key, z FROM {name}('docs', {own}, array_column => '{column}', lowering => '{lowering}')"
    found = {int(key): [None] * projection.k if z is None else z for key, z in server.exec_driver_sql(call)}
    assert_close(found, want, size, null=null)


@pytest.mark.parametrize(("dtype", "kind"), [("auto", "vector"), ("float32", "vector"), ("float16", "halfvec")])
@pytest.mark.parametrize("lowering", ["inline", "relational"])
def test_the_functions_write_vectors(server: sa.Connection, lowering: str, dtype: str, kind: str) -> None:
    """Also where the search_path has not the extension's schema."""
    projection, source = sqlrp.SparseProjection(k=4, s=2, seed=1), sqlrp.Array("docs", "e")
    given = f"array_column => 'e', output => 'vector', dtype => '{dtype}', lowering => '{lowering}'"
    text = server.exec_driver_sql(f"SELECT rp_project_sql('docs', k => 4, s => 2, seed => 1, {given})").scalar()
    server.exec_driver_sql(f"SET search_path TO {SCHEMA}")
    try:
        query = f"SELECT id, CAST(z AS real[]) AS z, public.vector_dims(z), pg_typeof(z)::text FROM ({text}) s"
        found = server.exec_driver_sql(query, execution_options={"no_parameters": True}).all()
    finally:
        server.exec_driver_sql(f"SET search_path TO {SCHEMA}, public")
    want = sqlrp.project(projection, source, server, output="vector", dtype=dtype, lowering=lowering)  # type: ignore[arg-type]
    assert {row[2] for row in found} == {4, None}
    assert {row[3].split(".")[-1] for row in found} == {kind}
    ours = {row.id: row.z for row in found}
    for i, z in zip(want["id"].to_pylist(), want["z"].to_pylist(), strict=True):
        assert ours[i] is None if z is None else np.array_equal(np.float32(ours[i]), np.float32(z))


@pytest.mark.parametrize("column", ["e", "loose", "half"])
@pytest.mark.parametrize("lowering", ["inline", "relational"])
@pytest.mark.parametrize("dtype", ["auto", "float32", "float16"])
def test_the_functions_write_python_s_text(server: sa.Connection, dtype: str, lowering: str, column: str) -> None:
    """But for the extension's schema, which is written before the type, as the search_path may not have it."""
    for projection in PROJECTIONS:
        source = sqlrp.Array(f"{SCHEMA}.docs", column, n_features=6)
        options = {"output": "vector", "dtype": dtype, "lowering": lowering}
        query = sa.text(f"SELECT {asking(projection, source, **options)}".replace(":", "\\:"))
        ours, theirs = str(server.execute(query).scalar()), sqlrp.sql(projection, source, server, **options)  # type: ignore[call-overload]
        assert " AS public." in ours
        assert ours.replace(" AS public.", " AS ") == theirs


@pytest.mark.parametrize("kind", ["table", "view"])
def test_a_projected_vector_is_kept(server: sa.Connection, kind: str) -> None:
    projection = sqlrp.SparseProjection(k=4, s=2, seed=1)
    source = sqlrp.Array("docs", "e", keep=["label"])
    into = f"kept_{kind}"
    assert sqlrp.materialize(projection, source, server, into=into, kind=kind, output="array") == len(X) + 1  # type: ignore[arg-type]
    found = server.exec_driver_sql(f"SELECT id, z FROM {into} WHERE label IS NOT NULL")
    assert_close({row.id: row.z for row in found}, oracle(projection, X), magnitude(projection, X))
    server.exec_driver_sql(f"INSERT INTO docs VALUES (99, 'new', '{[1] * 6}')")
    try:
        sqlrp.refresh(server, into)
        assert server.exec_driver_sql(f"SELECT count(z) FROM {into} WHERE id = 99").scalar() == 1
    finally:
        server.exec_driver_sql("DELETE FROM docs WHERE id = 99")
