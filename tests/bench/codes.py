"""Search of tables of codes beside a scan of the embeddings, in DuckDB: bytes a row, recall, and time.

The rows are patches of 16 × 32 pixels and 3 colours of the two photographs of scikit-learn, 1,536 numbers each, from
all places, as they are and mirrored; centred, and of length 1. Each has noise, which `--sets` chooses:

- `near`: white noise of length 0.02, so little that a patch and the one a pixel away stay near-tied. Most rows of the
  sky are nearer to each other than what bits tell apart.
- `spread`: 0.3 times the difference of two patches drawn at random, made as long as a patch. This noise has the
  directions of the patches, as embeddings differ along few directions. It moves rows apart.

The queries are patches that are left out, with noise of the same kind. The nearest candidates by codes are ranked again
by all numbers. The codes are the signs of rotated rows, those of the rows as they are, and as many bytes of principal
components, fitted on a sample of the rows: few of them as floats, and four times as many rounded to bytes. A time is
the median over the queries, and contains the reading of the record; the ratio is of two medians of one run. Run it with
`python tests/bench/codes.py`; it takes 7 GB of a disk.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

import sqlrp
from sqlrp._core.options import Output

NEAREST, BATCH = 10, 20_000
CANDIDATES = (100, 300, 1000)
D = 16 * 32 * 3
COMPONENTS, BYTES = 48, 192
"""The principal components as floats and as bytes: as many bytes as bits of all numbers."""
SAMPLE = 10_000
"""The rows that the principal components are fitted on."""
SETS = {"near": 0.02, "spread": 0.3}
"""The length of the noise of each set, where a patch has length 1."""
KINDS = ("bits", "floats", "bytes")
"""What the codes consist of."""
Rows = npt.NDArray[np.float32]


def patches(rows: int, queries: int, noise: str) -> Iterator[Rows]:
    """The queries, then batches of the other rows, in a random order; the rest is left out. `noise`: one of SETS."""
    from sklearn.datasets import load_sample_images

    images = [turned for image in load_sample_images().images for turned in (image, image[:, ::-1])]
    windows = [np.lib.stride_tricks.sliding_window_view(image, (16, 32, 3))[:, :, 0] for image in images]
    places = np.concatenate(
        [[(i, a, b) for a in range(w.shape[0]) for b in range(w.shape[1])] for i, w in enumerate(windows)]
    )
    rng = np.random.default_rng(0)
    order = rng.permutation(len(places))
    if rows + queries > len(places):
        raise ValueError(f"there are {len(places):,} patches: ask for at most {len(places) - queries:,} rows")

    def taken(which: npt.NDArray[np.int64]) -> Rows:
        x = np.empty((len(which), 16, 32, 3), dtype=np.float32)
        for at, (i, a, b) in enumerate(places[which].tolist()):
            x[at] = windows[i][a, b]
        return x.reshape(-1, D)

    mean = taken(order[:5000]).mean(axis=0)
    for first, last in (
        (0, queries),
        *((i, min(i + BATCH, rows + queries)) for i in range(queries, rows + queries, BATCH)),
    ):
        x = unit(taken(order[first:last]) - mean)
        if noise == "near":
            x += rng.normal(0, SETS[noise] / D**0.5, x.shape).astype(np.float32)
        else:
            some = rng.integers(0, len(places), (2, len(x)))
            x += np.float32(SETS[noise]) * unit(taken(some[0]) - taken(some[1]))
        yield unit(x)


def unit(x: Rows) -> Rows:
    """The rows, each of length 1."""
    return np.asarray(x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12), dtype=np.float32)


def load(con: duckdb.DuckDBPyConnection, rows: int, queries: int, noise: str) -> tuple[Rows, list[list[int]]]:
    """Fill the table docs. Returns the queries and the keys of their nearest rows."""
    con.execute(f"CREATE TABLE docs (id BIGINT, e FLOAT[{D}])")
    batches = patches(rows, queries, noise)
    asked, first = next(batches), 0
    near, keys = np.full((queries, 0), 0, dtype=np.float32), np.zeros((queries, 0), dtype=np.int64)
    for x in batches:
        made = np.arange(first, first + len(x))
        batch = pa.table({"id": made, "e": pa.FixedSizeListArray.from_arrays(pa.array(x.reshape(-1)), D)})
        con.register("batch", batch)
        con.execute("INSERT INTO docs FROM batch")
        near = np.concatenate([near, -asked @ x.T], axis=1)  # the order of distances, as all rows have length 1
        keys = np.concatenate([keys, np.tile(made, (queries, 1))], axis=1)
        best = np.argsort(near, axis=1)[:, :NEAREST]
        near, keys, first = np.take_along_axis(near, best, 1), np.take_along_axis(keys, best, 1), first + len(x)
    con.execute("CHECKPOINT")
    return asked, keys.tolist()


def stored(con: duckdb.DuckDBPyConnection, table: str) -> int:
    """The bytes of the blocks that the table fills in its file."""
    con.execute("CHECKPOINT")
    query = f"SELECT count(DISTINCT block_id) FROM pragma_storage_info('{table}') WHERE block_id >= 0"
    [(blocks,)] = con.execute(query).fetchall()
    return int(blocks) * 262_144


def median(asked: Rows, run: Callable[[Rows], object]) -> float:
    """The median time of a query, in seconds."""
    seconds = []
    for query in asked:
        begun = time.perf_counter()
        run(query)
        seconds.append(time.perf_counter() - begun)
    return float(np.median(seconds))


def measure(
    con: duckdb.DuckDBPyConnection, rows: int, queries: int, timed: int, noise: str, wanted: Sequence[str] = KINDS
) -> list[str]:
    """The lines of the table. `wanted`: some of KINDS."""
    asked, nearest = load(con, rows, queries, noise)
    scan = f"SELECT id FROM docs ORDER BY array_distance(e, $q::FLOAT[{D}]) LIMIT {NEAREST}"
    floats = median(asked[:timed], lambda q: con.execute(scan, {"q": q.tolist()}).fetchall())
    lines = [f"| all {D:,} numbers | {stored(con, 'docs') / rows:,.0f} | 1.000 | {floats * 1e3:,.0f} ms | 1.0 |"]
    source = sqlrp.Array("docs", "e")

    def components(k: int) -> sqlrp.Projection:
        return sqlrp.fit(sqlrp.PrincipalComponents(k=min(k, rows), sample=SAMPLE), source, con)

    def hadamard(k: int) -> sqlrp.Projection:
        return sqlrp.HadamardProjection(k=k, seed=7, padding="least")

    most = min(BYTES, rows)
    methods: dict[str, tuple[Callable[[], sqlrp.Projection], Output]] = {
        f"bits, Hadamard, k = {D:,}": (lambda: hadamard(D), "bits"),
        f"bits, no rotation, k = {D:,}": (lambda: sqlrp.GivenProjection.of(np.eye(D)), "bits"),
        f"{COMPONENTS} floats, Hadamard": (lambda: hadamard(COMPONENTS), "vector"),
        f"{COMPONENTS} floats, principal components": (lambda: components(COMPONENTS), "vector"),
        f"{most} bytes, principal components": (lambda: sqlrp.rounded(components(BYTES), source, con), "vector"),
    }
    for name, (of, output) in methods.items():
        if not any(kind in name for kind in wanted):
            continue
        projection = of()
        sqlrp.materialize(projection, source, con, "docs_codes", output=output, replace=True)
        size = stored(con, "docs_codes") / rows
        for candidates in CANDIDATES:
            found: list[list[int]] = []

            def search(query: Rows, candidates: int = candidates, found: list[list[int]] = found) -> None:
                made = sqlrp.search(con, "docs_codes", query, NEAREST, candidates=candidates)
                found.append(made.column("id").to_pylist())

            seconds = median(asked, search)
            recall = np.mean([len({*f} & {*n}) / NEAREST for f, n in zip(found, nearest, strict=True)])
            lines.append(
                f"| {name}, {candidates:,} candidates | {size:,.0f} | {recall:.3f} | {seconds * 1e3:,.0f} ms | "
                f"{floats / seconds:.1f} |"
            )
    return lines


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="how many rows (%(default)s)")
    parser.add_argument("--queries", type=int, default=200, help="how many queries (%(default)s)")
    parser.add_argument("--timed", type=int, default=9, help="how many of them are timed by a scan (%(default)s)")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), help="the kinds of noise (all)")
    parser.add_argument("--codes", nargs="+", choices=KINDS, default=list(KINDS), help="the codes to measure (all)")
    given = parser.parse_args()
    for noise in given.sets:
        with tempfile.TemporaryDirectory() as folder, duckdb.connect(Path(folder) / "codes.duckdb") as con:
            lines = measure(con, given.rows, given.queries, given.timed, noise, given.codes)
        print(f"{given.rows:,} rows with the noise {noise!r}, {given.queries} queries\n")
        print(f"| search | bytes a row | recall@{NEAREST} | time | times as fast |")
        print("|---|---|---|---|---|")
        print("\n".join(lines) + "\n", flush=True)


if __name__ == "__main__":
    main()
