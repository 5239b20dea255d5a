"""Near-duplicates of a table in DuckDB by `sqlrp.pairs_sql`: seconds, pairs compared, and the recall of planted ones.

The rows have independent normal numbers. To some a near copy is added, at 1 - the cosine drawn evenly from 0 to
`within`. Theory is the mean of `sqlrp.pairs_recall` over these distances. The bits are those of a Hadamard rotation,
which takes few sums and whose directions are orthogonal as long as there are as many features as bits in all, or of
drawn signs. CPU seconds count the statement, from its text to the pairs. Run it with `python tests/bench/pairs.py`.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import duckdb
import numpy as np
import pyarrow as pa

import sqlrp

BITS = 20
METHODS: dict[str, Callable[[int], sqlrp.Projection]] = {
    "hadamard": lambda k: sqlrp.HadamardProjection(k=k, seed=7, padding="least"),
    "sparse": lambda k: sqlrp.SparseProjection(k=k, s=3, seed=7),
}
BATCH = 100_000


def load(con: duckdb.DuckDBPyConnection, rows: int, features: int, planted: int, within: float) -> list[float]:
    """Fill the table docs: its last rows are copies of its first ones. Returns how far they are apart."""
    rng = np.random.default_rng(0)
    con.execute(f"CREATE TABLE docs (id BIGINT, e FLOAT[{features}])")
    apart = rng.uniform(0, within, planted)
    copies = np.empty((0, features), dtype=np.float32)
    for first in range(0, rows, BATCH):
        x = rng.normal(size=(min(BATCH, rows - first), features))
        if first == 0:
            turned = rng.normal(size=(planted, features))
            turned -= x[:planted] * ((turned * x[:planted]).sum(1) / (x[:planted] ** 2).sum(1))[:, None]
            turned *= (np.linalg.norm(x[:planted], axis=1) / np.linalg.norm(turned, axis=1))[:, None]
            copies = (1 - apart)[:, None] * x[:planted] + np.sqrt(1 - (1 - apart) ** 2)[:, None] * turned
        if first + len(x) == rows:
            x[-planted:] = copies
        flat = pa.array(x.astype(np.float32).reshape(-1))
        batch = pa.table(
            {"id": np.arange(first, first + len(x)), "e": pa.FixedSizeListArray.from_arrays(flat, features)}
        )
        con.register("batch", batch)
        con.execute("INSERT INTO docs FROM batch")
    return [float(each) for each in apart]


def processor() -> float:
    """The seconds that all processors have spent in this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print the line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="how many rows (%(default)s)")
    parser.add_argument("--features", type=int, default=128, help="how many numbers in each (%(default)s)")
    parser.add_argument("--planted", type=int, default=10_000, help="how many of them are near copies (%(default)s)")
    parser.add_argument("--within", type=float, default=0.01, help="1 - the cosine of near rows (%(default)s)")
    parser.add_argument("--method", choices=METHODS, default="hadamard", help="how rows are hashed (%(default)s)")
    parser.add_argument("--bands", type=int, default=6, help=f"how many bands of {BITS} bits (%(default)s)")
    given = parser.parse_args()
    k = BITS * given.bands
    if not 0 < given.planted <= min(given.rows // 2, BATCH):
        parser.error(f"--planted must be from 1 to {BATCH:,}, and at most half of the rows")
    projection = METHODS[given.method](k)
    with duckdb.connect() as con:
        apart = load(con, given.rows, given.features, given.planted, given.within)
        begun, spent = time.perf_counter(), processor()
        text = sqlrp.pairs_sql(projection, sqlrp.Array("docs", "e"), con, within=given.within, bits=BITS)
        found = con.sql(text).to_arrow_table()
        seconds, spent = time.perf_counter() - begun, processor() - spent
    pairs = set(zip(found.column("a").to_pylist(), found.column("b").to_pylist(), strict=True))
    planted = {(i, given.rows - given.planted + i) for i in range(given.planted)}
    theory = np.mean([sqlrp.pairs_recall(k, BITS, each) for each in apart])
    recall, others = len(pairs & planted) / given.planted, len(pairs - planted)
    heads = "rows | numbers | hashed by | bits × bands | seconds | CPU s | pairs | not planted | recall of planted"
    print(f"| {heads} | by theory |")
    print(f"|{'---|' * 10}")
    print(
        f"| {given.rows:,} | {given.features} | {given.method} | {BITS} × {given.bands} | {seconds:.1f} | "
        f"{spent:.1f} | {len(pairs):,} | {others:,} | {recall:.4f} | {theory:.4f} |"
    )


if __name__ == "__main__":
    main()
