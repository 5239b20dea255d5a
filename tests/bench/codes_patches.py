"""Codes of the patches of `examples/embeddings_codes.md`, with queries that are left out, in memory.

The first table is that of `sqlrp.choose_codes`. The second one has the share of the true ten among the first 10 and the
first 100 by code, and the standard error of that among 100, for two draws of queries: 50 of 5,000 patches, by which
these codes were first compared, and 1,000 others. The codes are one or two bits for each number, and fewer components
of several bits. Run it with `python tests/bench/codes_patches.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from codes_text import NEAREST, Floats, apart, hadamard, levels, shares, signs
from embeddings import photographs

import sqlrp
from sqlrp._projections.chained import Scaling

D, FEW = 1536, 50
CANDIDATES = (10, 100)
Comparison = Callable[[Floats, Floats], Floats]
"""Numbers that order the rows by their distance from each query."""


def codes() -> Iterator[tuple[str, int, Comparison]]:
    """The name of each code, its bytes, and how rows and queries are compared by it."""

    def bits(name: str, projection: sqlrp.Projection) -> tuple[str, int, Comparison]:
        return f"bits, {name}", projection.k // 8, partial(signs, projection, asymmetric=False)

    def rotation(seed: int) -> sqlrp.Projection:
        return sqlrp.HadamardProjection(k=D, seed=seed, padding="least")

    def centred(rows: Floats, asked: Floats) -> Floats:
        made = sqlrp.Chained(of=(Scaling.of(rows.mean(axis=0), np.ones(D)), rotation(7)))
        return signs(made, rows, asked, asymmetric=False)

    yield bits("no rotation", sqlrp.GivenProjection.of(np.eye(D)))
    for seed in (7, 1, 2):
        yield bits(f"Hadamard, k = {D:,}, seed {seed}", rotation(seed))
    yield f"bits, centred, Hadamard, k = {D:,}, seed 7", D // 8, centred
    yield f"bits, asymmetric, Hadamard, k = {D:,}, seed 7", D // 8, partial(signs, rotation(7), asymmetric=True)
    yield bits("Hadamard with zeros, k = 2,048", sqlrp.HadamardProjection(k=2048, seed=7))
    yield bits("drawn signs, k = 3,072", sqlrp.SparseProjection(k=2 * D, s=3, seed=7))
    yield "2 bits each, Hadamard, k = 768", 192, partial(levels, hadamard(768), 2)
    yield "4 bits each, Hadamard, k = 384", 192, partial(levels, hadamard(384), 4)
    yield "bytes, Hadamard, k = 192", 192, partial(levels, hadamard(192), 8)


def compared(rows: int, many: int) -> Iterator[str]:
    """The lines of the second table."""
    sets = []
    for drawn, queries in ((rows, FEW), (rows + many, many)):
        x = photographs(drawn).astype(np.float64)
        asked, docs = x[:queries], x[queries:]
        sets.append((docs, asked, np.argsort(apart(docs, asked), axis=1)[:, :NEAREST]))
    for name, size, comparison in codes():
        cells = [name, str(size)]
        for docs, asked, nearest in sets:
            found = shares(comparison(docs, asked), nearest, CANDIDATES)
            first, last = found.mean(axis=0)
            cells += [f"{first:.3f}", f"{last:.3f} ± {found[:, 1].std() / len(found) ** 0.5:.3f}"]
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5000, help="how many rows (%(default)s)")
    parser.add_argument("--queries", type=int, default=150, help="how many queries of the first table (%(default)s)")
    parser.add_argument("--many", type=int, default=1000, help="how many queries of the second draw (%(default)s)")
    given = parser.parse_args()
    frame = pd.DataFrame(photographs(given.rows + given.queries))
    print(sqlrp.choose_codes(frame, key=None, among=given.rows, queries=given.queries, candidates=(100, 300)))
    draws = (f"{FEW} queries: among {count}" for count in CANDIDATES)
    again = (f"{given.many:,} queries: among {count}" for count in CANDIDATES)
    print(f"\n| code | bytes | {' | '.join([*draws, *again])} |")
    print("|---|---|---|---|---|---|")
    for line in compared(given.rows, given.many):
        print(line, flush=True)


if __name__ == "__main__":
    main()
