"""The neighbours of every row in DuckDB, by `sqlrp.neighbours_sql`: recall, and CPU seconds beside the exact join.

The rows are made from those of an .npz file with an array x, such as embeddings of sentences: each is a drawn row,
moved towards another one by a third of the way and by noise of `--noise` times its length, at length 1. So there may
be more rows than the file has. Their bits, those of a Hadamard rotation, are what `sqlrp.materialize` keeps. The exact
join compares some of the rows with all of them, and its CPU seconds are divided by their share. Recall is that of these
rows. Run it with `python tests/bench/neighbours.py --data FILE`.
"""

from __future__ import annotations

import argparse

import duckdb
import numpy as np
import pyarrow as pa
from codes_embeddings import Floats, given
from pairs import processor

import sqlrp

NEAREST = 10
EXACT = """
CREATE TABLE exact AS
SELECT id, unnest(near) AS neighbour
FROM (
    SELECT a.id AS id, min_by(b.id, array_distance(a.e, b.e), {n}) AS near
    FROM (FROM docs WHERE id < {sample}) a JOIN docs b ON b.id <> a.id GROUP BY a.id
)
"""


def enlarged(x: Floats, rows: int, noise: float) -> Floats:
    """So many rows made from others."""
    rng = np.random.default_rng(0)
    d, made = x.shape[1], np.empty((rows, x.shape[1]), dtype=np.float32)
    for first in range(0, rows, 10_000):
        n = min(10_000, rows - first)
        one, other = x[rng.integers(len(x), size=n)], x[rng.integers(len(x), size=n)]
        made[first : first + n] = one + (other - one) / 3 + rng.normal(0, noise / d**0.5, (n, d))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


def main() -> None:
    """Print the line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="an .npz file with an array x; else the docstrings of sqlrp.samples")
    parser.add_argument("--rows", type=int, default=100_000, help="how many rows (%(default)s)")
    parser.add_argument("--noise", type=float, default=0.3, help="the length of the noise (%(default)s)")
    parser.add_argument("--sample", type=int, default=500, help="how many rows the exact join takes (%(default)s)")
    parser.add_argument("--candidates", type=int, default=300, help="of `neighbours_sql` (%(default)s)")
    options = parser.parse_args()
    x, _ = given(options.data, 0)
    rows = enlarged(x, options.rows, options.noise)
    n, d = rows.shape
    with duckdb.connect() as con:
        lists = pa.FixedSizeListArray.from_arrays(pa.array(rows.reshape(-1)), d)
        con.register("given", pa.table({"id": np.arange(n), "e": lists}))
        con.execute("CREATE TABLE docs AS FROM given")
        start = processor()
        con.execute(EXACT.format(n=NEAREST, sample=options.sample))
        exact = (processor() - start) * n / options.sample
        start = processor()
        bits = sqlrp.HadamardProjection(k=d, seed=7, padding="least")
        sqlrp.materialize(bits, sqlrp.Array("docs", "e"), con, "codes", output="bits")
        con.execute(
            f"CREATE TABLE near AS {sqlrp.neighbours_sql(con, 'codes', NEAREST, candidates=options.candidates)}"
        )
        spent = processor() - start
        ((found,),) = con.execute("SELECT count(*) FROM exact JOIN near USING (id, neighbour)").fetchall()
    print("| rows | numbers | CPU s | exact join, CPU s | times as fast | recall@10 |")
    print("|---|---|---|---|---|---|")
    recall = found / (options.sample * NEAREST)
    print(f"| {n:,} | {d} | {spent:.0f} | {exact:,.0f} | {exact / spent:.1f} | {recall:.4f} |")


if __name__ == "__main__":
    main()
