"""pgvector's columns as sources, on a server that has the extension: the one of the tests, or an embedded one."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
import pytest
import sqlalchemy as sa
from databases import pgvector_schema
from helpers import assert_close, cells, magnitude, oracle
from postgresql_functions import asking

import sqlrp
from sqlrp._core.sources import TableName
from sqlrp._dialects.distances import SearchFunction
from sqlrp._engines.registry import ENGINES, connector_of

X = np.random.default_rng(3).normal(size=(20, 6)).astype(np.float32).astype(np.float64)
PROJECTIONS = (sqlrp.SparseProjection(k=4, s=2, seed=1), sqlrp.PolynomialKernelProjection(k=3, c=1, seed=2))
SCHEMA = f"sqlrp_test_{uuid.uuid4().hex[:12]}"


@pytest.fixture(scope="module")
def server() -> Iterator[sa.Connection]:
    """A connection to a schema with docs(id, label, plain, e vector(6), loose vector, half halfvec(6))."""
    with ExitStack() as stack:
        connection = pgvector_schema(stack, SCHEMA)
        run = connection.exec_driver_sql
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


SPARSE = np.where(np.abs(X) > 1, np.round(X, 3), 0).astype(np.float32).astype(np.float64)


@pytest.mark.parametrize("kind", ["sparsevec(6)", "sparsevec", "bit(6)", "bit varying(9)"])
@pytest.mark.parametrize("lowering", ["inline", "relational"])
def test_sparse_vectors_and_bits_are_arrays(server: sa.Connection, kind: str, lowering: str) -> None:
    x = (SPARSE > 0).astype(float) if "bit" in kind else SPARSE
    run = server.exec_driver_sql
    run("DROP TABLE IF EXISTS sparse")
    run(f"CREATE TABLE sparse (id bigint, e {kind})")
    for i, row in enumerate(x):
        entries = ",".join(f"{j + 1}:{value}" for j, value in enumerate(row.tolist()) if value)
        written = "".join(map(str, row.astype(int))) if "bit" in kind else f"{{{entries}}}/6"
        run(f"INSERT INTO sparse VALUES ({i}, '{written}')")
    run(f"INSERT INTO sparse VALUES ({len(x)}, NULL)")
    null, x = np.arange(len(x) + 1) == len(x), np.vstack([x, np.zeros((1, x.shape[1]))])
    for projection in PROJECTIONS:
        result = sqlrp.project(projection, sqlrp.Array("sparse", "e"), server, lowering=lowering)
        got = cells(result, "columns", projection.k)
        assert_close(got, oracle(projection, x), magnitude(projection, x), null=null)


def test_a_long_sparse_vector_is_refused_with_what_to_do(server: sa.Connection) -> None:
    server.exec_driver_sql("DROP TABLE IF EXISTS long_sparse")
    server.exec_driver_sql("CREATE TABLE long_sparse (id bigint, e sparsevec(20000))")
    server.exec_driver_sql("INSERT INTO long_sparse VALUES (1, '{1:0.5,20000:2}/20000')")
    with pytest.raises(sqlrp.SourceError, match=r"is .*sparsevec\(20000\), not an array .* string_to_table"):
        sqlrp.project(PROJECTIONS[0], sqlrp.Array("long_sparse", "e"), server)
    cells_of = (
        "SELECT id, CAST(split_part(cell, ':', 1) AS bigint) - 1 AS feature, "
        "CAST(split_part(cell, ':', 2) AS double precision) AS value FROM long_sparse, "
        "string_to_table(trim('{' FROM split_part(CAST(e AS text), '}', 1)), ',') AS cell"
    )
    server.exec_driver_sql(f"CREATE OR REPLACE VIEW long_cells AS {cells_of}")
    result = sqlrp.project(PROJECTIONS[0], sqlrp.Long("long_cells", n_features=20_000), server)
    x = np.zeros((2, 20_000))
    x[1, [0, -1]] = 0.5, 2
    got = {0: [0.0] * 4, **cells(result, "columns", 4)}
    assert_close(got, oracle(PROJECTIONS[0], x), magnitude(PROJECTIONS[0], x), rtol=1e-6)


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


@pytest.fixture(scope="module")
def embeddings(server: sa.Connection) -> sqlrp.Array:
    """A table of 400 vectors of 70 numbers, one of them NULL."""
    rows = np.random.default_rng(8).normal(size=(400, 70)).astype(np.float32)
    rows[:, ::9] = np.maximum(rows[:, ::9], 0)  # a zero is a bit that is not set
    run = server.exec_driver_sql
    run(f"CREATE TABLE {SCHEMA}.embeddings (id bigint, e vector(70))")
    for i, row in enumerate(rows.tolist()):
        run(f"INSERT INTO {SCHEMA}.embeddings VALUES ({i}, '{row}')")
    run(f"INSERT INTO {SCHEMA}.embeddings VALUES (400, NULL)")
    return sqlrp.Array(f"{SCHEMA}.embeddings", "e")


@pytest.mark.parametrize(
    ("output", "dtype", "operators"),
    [("bits", "auto", "bit_hamming_ops"), ("vector", "auto", "vector_l2_ops"), ("vector", "float16", "halfvec_l2_ops")],
)
def test_many_vectors_use_the_index(
    server: sa.Connection, embeddings: sqlrp.Array, output: str, dtype: str, operators: str
) -> None:
    """Of the statement for many vectors, the plan has a scan of the index for each, and finds what one finds."""
    projection, run = sqlrp.HadamardProjection(k=64, seed=1), server.exec_driver_sql
    own = {"output": output, "dtype": dtype, "replace": True}
    sqlrp.materialize(projection, embeddings, server, f"{SCHEMA}.coded", **own)  # type: ignore[arg-type]
    run(f"CREATE INDEX coded_near ON {SCHEMA}.coded USING hnsw (z {operators})")
    asked = np.random.default_rng(9).normal(size=(5, 70))
    text = []
    with pytest.MonkeyPatch.context() as patched:
        kind = type(connector_of(server))
        fetch = kind.fetch
        patched.setattr(kind, "fetch", lambda self, held, sql: text.append(sql) or fetch(self, held, sql))
        run("SET enable_seqscan = off")
        run("SET hnsw.ef_search = 400")
        try:
            found = sqlrp.search(server, f"{SCHEMA}.coded", asked, n=4, candidates=400)
            query = text[-1]  # which proves the row of the table, too
            plan = "\n".join(row[0] for row in server.execute(sa.text("EXPLAIN " + query.replace(":", "\\:"))))
        finally:
            run("RESET enable_seqscan")
            run("RESET hnsw.ef_search")
    assert "Index Scan using coded_near" in plan
    x = np.array(
        [
            np.fromstring(row[0].strip("[]"), sep=",")
            for row in run(f"SELECT e::text FROM {SCHEMA}.embeddings WHERE id < 400 ORDER BY id")
        ]
    )
    for i, query in enumerate(asked):
        want = np.argsort(np.linalg.norm(x - query, axis=1))[:4]
        assert found.column("id").to_pylist()[4 * i : 4 * i + 4] == want.tolist()


def test_codes_are_compared_with_those_of_the_extension(server: sa.Connection, embeddings: sqlrp.Array) -> None:
    """Half floats and `binary_quantize` are lines of the table, which searches of the server are timed for."""
    found = sqlrp.choose_codes(embeddings, server, n=3, candidates=(20,), among=200, queries=20, timed=2)
    codes = {code.name: code for code in found.codes}
    quantised = next(code for name, code in codes.items() if "as binary_quantize" in name)
    halves = [code for name, code in codes.items() if name.startswith("half floats")]
    assert halves
    assert {code.dtype for code in halves} == {"float16"}
    assert all(code.milliseconds for code in (quantised, *halves))
    sqlrp.materialize(quantised.projection, embeddings, server, f"{SCHEMA}.signs", output="bits", replace=True)
    run = server.exec_driver_sql
    differing = (
        f"SELECT count(*), count(*) FILTER (WHERE s.z <> binary_quantize(d.e)) FROM {SCHEMA}.signs s "
        f"JOIN {SCHEMA}.embeddings d USING (id) WHERE d.e IS NOT NULL"
    )
    assert tuple(run(differing).one()) == (400, 0)
    for name, code in codes.items():
        if name.startswith("half floats"):
            sqlrp.materialize(
                code.projection, embeddings, server, f"{SCHEMA}.half", output="vector", dtype="float16", replace=True
            )
            z = sqlrp.project(code.projection, embeddings, server, output="array")
            kept = run(f"SELECT id, CAST(CAST(z AS vector) AS real[]) FROM {SCHEMA}.half WHERE z IS NOT NULL").all()
            want = dict(zip(z["id"].to_pylist(), z["z"].to_pylist(), strict=True))
            for i, row in kept:
                np.testing.assert_allclose(row, np.float16(want[i]), rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize(("candidates", "looked_at"), [(400, 400), (1_000, 1_000), (1_001, 1_000), (50_000, 1_000)])
def test_a_search_sets_what_pgvector_s_index_looks_at(candidates: int, looked_at: int) -> None:
    made = SearchFunction("id", "bigint", candidates, "public", "", "")
    text = ENGINES["postgresql"].creating_search(TableName(("searched",)), lambda *_: "SELECT 1", made)
    assert f"SET hnsw.ef_search = {looked_at} " in text
