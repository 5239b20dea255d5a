"""HNSW indexes of ClickHouse and of DuckDB's extension vss on codes, beside one on all numbers: size, time, and recall.

The rows are those of `codes.py`. ClickHouse has an index `vector_similarity`, which stores the numbers as 32-bit
floats, or rounded to 16 or 8 bits, or as signs (`b1`). It is built on the embeddings, and its signs also on the
embeddings that `sqlrp.materialize` has rotated. vss stores 32-bit floats: of the embeddings, of 192 components of the
rotation, and of as many principal ones. Recall is the share of the true ten among so many candidates, which a second
ranking by all numbers puts first. The size is what the index takes in memory, and CPU seconds count its building.

Run it with `python tests/bench/codes_indexes.py`. For vss, the package duckdb-extension-vss must have the extension for
the version of duckdb; otherwise a line says what is left out.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from codes import CANDIDATES, NEAREST, SAMPLE, SETS, D, Rows, patches
from pairs import processor

import sqlrp

KINDS = (("f32", "e"), ("bf16", "e"), ("i8", "e"), ("b1", "e"), ("b1", "z"))
"""How ClickHouse's index stores the numbers, and of which column."""
NAMES = {"e": "embeddings", "z": "rotated"}
K = 192
Found = Callable[[Rows, int], list[int]]
"""The keys of the nearest so many rows of a query, by an index."""


def hadamard(k: int) -> sqlrp.Projection:
    """A rotation, of which k components are kept."""
    return sqlrp.HadamardProjection(k=k, seed=7, padding="least")


class Task:
    """The rows and the queries, and the nearest rows of each query."""

    def __init__(self, rows: int, queries: int, noise: str) -> None:
        """Make them; `noise`: one of SETS."""
        batches = patches(rows, queries, noise)
        self.asked = next(batches)
        self.rows = np.concatenate(list(batches))
        self.nearest = np.argsort(-self.asked @ self.rows.T, axis=1)[:, :NEAREST]

    def table(self) -> pa.Table:
        """The rows with their keys."""
        numbers = pa.FixedSizeListArray.from_arrays(pa.array(self.rows.reshape(-1)), D)
        return pa.table({"id": np.arange(len(self.rows)), "e": numbers})

    def line(self, name: str, size: float, seconds: float, asked: Rows, found: Found) -> str:
        """The line of an index."""
        cells = [name, f"{size / 1e6:,.2f} MB", f"{seconds:,.1f} s"]
        for count in CANDIDATES:
            near = [found(query, min(count, len(self.rows))) for query in asked]
            cells.append(f"{np.mean([np.isin(n, f).mean() for f, n in zip(near, self.nearest, strict=True)]):.3f}")
        return f"| {' | '.join(cells)} |"


def in_clickhouse(task: Task, session: Any) -> Iterator[str]:
    """The lines of ClickHouse."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "docs.parquet"
        pq.write_table(task.table(), file)
        session.query("CREATE TABLE docs (id Int64, e Array(Float32)) ENGINE = MergeTree ORDER BY id")
        session.query(f"INSERT INTO docs SELECT id, e FROM file('{file}')")
    sqlrp.materialize(hadamard(D), sqlrp.Array("docs", "e"), session, into="rotated", output="vector")
    for table in ("docs", "rotated"):
        session.query(f"OPTIMIZE TABLE {table} FINAL")
    for kind, column in KINDS:
        table = {"e": "docs", "z": "rotated"}[column]
        index = f"TYPE vector_similarity('hnsw', 'cosineDistance', {D}, '{kind}', 16, 64) GRANULARITY 100000000"
        session.query(f"ALTER TABLE {table} ADD INDEX near {column} {index}")
        begun = processor()
        session.query(f"ALTER TABLE {table} MATERIALIZE INDEX near SETTINGS mutations_sync = 2")
        seconds = processor() - begun
        of = f"FROM system.data_skipping_indices WHERE table = '{table}'"
        size = float(str(session.query(f"SELECT sum(data_uncompressed_bytes) {of}", "TSV")))

        def found(query: Rows, count: int, table: str = table, column: str = column) -> list[int]:
            text = f"SELECT id FROM {table} ORDER BY cosineDistance({column}, {query.tolist()}) LIMIT {count}"
            text += f" SETTINGS hnsw_candidate_list_size_for_search = {count}"
            if "vector_similarity" not in str(session.query(f"EXPLAIN indexes = 1 {text}", "TSV")):
                raise RuntimeError(f"no index is used for {count} rows of {table}")
            return [int(line) for line in str(session.query(text, "TSV")).split()]

        asked = task.asked if column == "e" else np.asarray(sqlrp.project(hadamard(D), task.asked))
        yield task.line(f"ClickHouse | {kind}, {NAMES[column]}", size, seconds, asked, found)
        session.query(f"ALTER TABLE {table} DROP INDEX near SETTINGS mutations_sync = 2")


def extension() -> Path | None:
    """The file of vss for this version of duckdb; None without it."""
    try:
        file = (
            resources.files("duckdb_extension_vss") / "extensions" / f"v{duckdb.__version__}" / "vss.duckdb_extension"
        )
    except ModuleNotFoundError:
        return None
    return Path(str(file)) if file.is_file() else None


def in_duckdb(task: Task, con: duckdb.DuckDBPyConnection, vss: Path) -> Iterator[str]:
    """The lines of vss."""
    con.execute(f"LOAD '{vss}'")
    con.register("loaded", task.table())
    con.execute("CREATE TABLE docs AS FROM loaded")
    source = sqlrp.Array("docs", "e")
    k = min(K, len(task.rows))
    projections: dict[str, sqlrp.Projection | None] = {
        "embeddings": None,
        f"Hadamard, k = {k}": hadamard(k),
        f"principal components, k = {k}": sqlrp.fit(sqlrp.PrincipalComponents(k=k, sample=SAMPLE), source, con),
    }
    for name, projection in projections.items():
        table, column, size = ("docs", "e", D) if projection is None else ("short", "z", k)
        asked = task.asked
        if projection is not None:
            sqlrp.materialize(projection, source, con, into="short", output="vector", replace=True)
            asked = np.asarray(sqlrp.project(projection, asked))
        begun = processor()
        con.execute(f"CREATE INDEX near ON {table} USING HNSW ({column}) WITH (M = 16, ef_construction = 64)")
        seconds = processor() - begun
        [(memory,)] = con.sql("SELECT approx_memory_usage FROM pragma_hnsw_index_info()").fetchall()

        def found(query: Rows, count: int, table: str = table, column: str = column, size: int = size) -> list[int]:
            con.execute(f"SET hnsw_ef_search = {count}")
            order = f"array_distance({column}, {query.tolist()}::FLOAT[{size}])"
            text = f"SELECT id FROM {table} ORDER BY {order} LIMIT {count}"
            if "HNSW_INDEX_SCAN" not in str(con.sql(f"EXPLAIN {text}").fetchall()):
                raise RuntimeError(f"no index is used for {count} rows of {table}")
            return [row[0] for row in con.sql(text).fetchall()]

        yield task.line(f"vss, DuckDB {duckdb.__version__} | f32, {name}", memory, seconds, asked, found)
        con.execute("DROP INDEX near")


def lines(task: Task, engines: Sequence[str]) -> Iterator[str]:
    """The lines of the table."""
    if "clickhouse" in engines:
        from chdb.session import Session

        with Session() as session:
            yield from in_clickhouse(task, session)
    if "duckdb" in engines:
        vss = extension()
        if vss is None:
            yield f"| vss: left out, as duckdb-extension-vss has none for DuckDB {duckdb.__version__} | | | | | | |"
            return
        with duckdb.connect() as con:
            yield from in_duckdb(task, con, vss)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000, help="how many rows (%(default)s)")
    parser.add_argument("--queries", type=int, default=100, help="how many queries (%(default)s)")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=["spread"], help="the kinds of noise (spread)")
    parser.add_argument("--engines", nargs="+", choices=("clickhouse", "duckdb"), default=("clickhouse", "duckdb"))
    given = parser.parse_args()
    for noise in given.sets:
        task = Task(given.rows, given.queries, noise)
        print(f"{given.rows:,} rows with the noise {noise!r}, {given.queries} queries\n")
        print(f"| engine | index | size | built in | {' | '.join(f'{count:,} candidates' for count in CANDIDATES)} |")
        print(f"|{'---|' * 7}")
        for line in lines(task, given.engines):
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
