"""The main job beside what a user would do without sqlrp: DuckDB table to DuckDB table.

python tests/bench/main_job.py [--rows 50000] [--repeat 3]

50,000 x 784 DOUBLE columns to 488 components (and to 500 polynomial-kernel features), written by CREATE TABLE AS;
beside the same work fetched by Arrow, done by scikit-learn in numpy, and written back by Arrow: fetched whole,
as is usual, and in a stream of batches, which is faster because reading, summing and writing overlap.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from sklearn.kernel_approximation import PolynomialCountSketch
from sklearn.random_projection import SparseRandomProjection

import sqlrp

sys.path.insert(0, str(Path(__file__).parent))
from common import interleaved, markdown, peak_rss, verdict

SOURCE = sqlrp.Wide("points")
SPARSE = sqlrp.SparseProjection(k=488, s="sqrt")
POLYNOMIAL = sqlrp.PolynomialKernelProjection(p=488, t=10, k=500, degree=2, s="sqrt")


def make(con: duckdb.DuckDBPyConnection, rows: int, features: int) -> None:
    """points(id, f0 ...) of random numbers, and plain_<n> tables of the results' shapes to copy."""
    for name, columns in (("points", features), ("plain_488", 488), ("plain_500", 500)):
        selected = ", ".join(f"random() - 0.5 AS f{j}" for j in range(columns))
        con.execute(f"CREATE TABLE {name} AS SELECT range AS id, {selected} FROM range({rows})")
    con.execute("CHECKPOINT")


def in_database(con: duckdb.DuckDBPyConnection, projection: sqlrp.Projection) -> None:
    """The text and its run."""
    con.execute(f"CREATE TABLE out AS {sqlrp.sql(projection, SOURCE, con)}")


def fetched(con: duckdb.DuckDBPyConnection, transformer: Any, batch: int | None) -> None:
    """Arrow to numpy, scikit-learn, numpy to Arrow, in batches of rows (None: in one).

    One copy each way: a column of DuckDB's is a row of the (features, rows) matrix whose transpose, in Fortran order,
    scikit-learn takes as it is; its result's columns are made contiguous and handed to Arrow without a copy.
    """
    if batch is None:
        con.register("projected", _transformed(con.sql("FROM points").to_arrow_table(), transformer))
        con.execute("CREATE TABLE out AS FROM projected")
    else:
        reader = con.cursor().sql("FROM points").to_arrow_reader(batch)
        first = _transformed(reader.read_next_batch(), transformer)
        rest = (_transformed(part, transformer) for part in reader)
        parts = (part for whole in ([first], rest) for table in whole for part in table.to_batches())
        con.register("projected", pa.RecordBatchReader.from_batches(first.schema, parts))
        con.execute("CREATE TABLE out AS FROM projected")
    con.unregister("projected")


def _transformed(table: Any, transformer: Any) -> pa.Table:
    x = np.empty((table.num_columns - 1, table.num_rows))
    for j in range(len(x)):
        column = table.column(j + 1)
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        at = 0
        for chunk in chunks:
            x[j, at : at + len(chunk)] = chunk.to_numpy(zero_copy_only=True)
            at += len(chunk)
    if not hasattr(transformer, "n_features_in_"):
        transformer.fit(x.T)
    z = np.ascontiguousarray(transformer.transform(x.T).T)
    return pa.table([table.column(0), *z], names=["id", *(f"z{c}" for c in range(len(z)))])


def plain(con: duckdb.DuckDBPyConnection, columns: int) -> None:
    """The copy of a table of the result's shape: what writing alone costs."""
    con.execute(f"CREATE TABLE out AS FROM plain_{columns}")


def main() -> None:
    """Measure and print; the exit code is 0 whatever the bars say."""
    parser = argparse.ArgumentParser(description="The main job beside scikit-learn.")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--features", type=int, default=784)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument(
        "--batch", type=int, nargs="*", default=[10_000], help="rows a batch, which the peer also tries"
    )
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message="Arrow output on a DB-API result")
    with tempfile.TemporaryDirectory(prefix="sqlrp_main_job_") as folder:
        con = duckdb.connect(str(Path(folder) / "bench.duckdb"))
        make(con, options.rows, options.features)
        print(f"{options.rows:,} x {options.features} DOUBLE columns, DuckDB {duckdb.__version__}, file database\n")
        print(sqlrp.explain(SPARSE, SOURCE, con), "\n")
        print(sqlrp.explain(POLYNOMIAL, SOURCE, con), "\n")

        def sparse() -> Any:
            return SparseRandomProjection(n_components=488, density="auto", random_state=0)

        def sketch() -> Any:
            return PolynomialCountSketch(degree=2, n_components=500, random_state=0)

        for title, projection, peer, columns, said, bar in (
            ("(a) SparseProjection", SPARSE, sparse, 488, "at most 1.2 times as long", lambda r: r <= 1.2),
            (
                "(b) PolynomialKernelProjection",
                POLYNOMIAL,
                sketch,
                500,
                "at most half as long",
                lambda r: r <= 0.5,
            ),
        ):
            compare(con, options, title, projection, peer, columns, said, bar)
        print(f"peak memory of all of it: {peak_rss() / 1e9:.2f} GB")
        con.close()


def compare(
    con: duckdb.DuckDBPyConnection,
    options: argparse.Namespace,
    title: str,
    projection: sqlrp.Projection,
    peer: Callable[[], Any],
    columns: int,
    said: str,
    bar: Callable[[float], bool],
) -> None:
    """One projection beside its peer and the plain copy."""
    name = type(peer()).__name__
    jobs: dict[str, Callable[[], object]] = {
        "sqlrp": lambda: in_database(con, projection),
        f"{name}, whole": lambda: fetched(con, peer(), None),
    }
    for batch in options.batch:
        jobs[f"{name}, batches of {batch:,}"] = lambda batch=batch: fetched(con, peer(), batch)
    jobs["plain copy of the result"] = lambda: plain(con, columns)

    def reset() -> None:
        con.execute("DROP TABLE IF EXISTS out")
        con.execute("CHECKPOINT")

    timings = interleaved(jobs, options.repeat, reset)
    reset()
    rows = [
        [n, f"{t.median:.2f}", f"±{t.spread / 2:.0%}", f"{timings['sqlrp'].ratio(t):.2f}"] for n, t in timings.items()
    ]
    print(title)
    print(markdown(["job", "seconds", "spread", "sqlrp takes as long, times"], rows))
    ratio = timings["sqlrp"].ratio(timings[f"{name}, whole"])
    print(f"bar, {said} as {name}, whole: {ratio:.2f} times ({1 / ratio:.2f} times as fast): {verdict(bar(ratio))}")
    print()


if __name__ == "__main__":
    main()
