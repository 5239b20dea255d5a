"""Codes of text embeddings at equal bytes: signs, their asymmetric distance, few bits of each component, bytes, floats.

The embeddings are made of the word counts of Reuters-21578, as text models were before neural ones. Of each pair of
words the positive pointwise mutual information of sharing a story is taken. Its singular vectors of the 300 largest
singular values, times their roots, are the words' vectors (Levy and Goldberg 2014). A story is the mean of its words'
vectors, weighted by term frequency times inverse document frequency, and made of length 1. Stories with equal vectors
count once.

The codes are compared at 40, 80 and 160 bytes a row:

- bits: the signs of the components, compared by the bits that differ: without a rotation, after a Hadamard rotation of
  the rows or of the rows without their mean, or of more sums with drawn signs than there are numbers;
- asymmetric: the same bits, and the query's components in full: the sum of those where the bit is 1, minus the rest;
- 2, 4 and 8 bits: components of a Hadamard rotation, or principal ones, that `sqlrp.rounded` rounds;
- floats: so many components in 32 bits.

Recall is the share of the true ten among the nearest rows by code. Queries are stories that are left out, and
everything that is fitted has not seen them. Run it with `python tests/bench/codes_text.py --data FOLDER`, a folder with
reuters.npz, whose format `examples/papers/README.md` states.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd

import sqlrp
from sqlrp._projections.chained import Scaling

D, NEAREST, SIZES = 300, 10, (40, 80, 160)
CANDIDATES = (10, 100, 300)
BITS: tuple[Literal[2, 4, 8], ...] = (2, 4, 8)
LEAST = 20
"""Words in fewer stories are left out."""
Floats = npt.NDArray[np.float64]


def embeddings(folder: Path, queries: int) -> tuple[Floats, Floats]:
    """The rows and the queries, of length 1, shape (stories, 300)."""
    with np.load(folder / "reuters.npz") as held:
        counts = sp.csr_matrix(
            (held["data"].astype(float), held["indices"], held["indptr"]), shape=tuple(held["shape"])
        )
    rng = np.random.default_rng(0)
    counts = counts[rng.permutation(counts.shape[0])]
    there = counts[queries:] > 0
    kept = np.flatnonzero(np.asarray(there.sum(axis=0)).ravel() >= LEAST)
    counts, there = counts[:, kept], there[:, kept].astype(float)
    frequency = np.asarray(there.sum(axis=0)).ravel()
    together = np.asarray((there.T @ there).todense(), dtype=np.float32)  # as a dense matrix its products are faster
    with np.errstate(divide="ignore"):
        information = np.log(together * (there.shape[0] / np.outer(frequency, frequency)).astype(np.float32))
    np.fill_diagonal(information, 0)
    left, sizes, _ = randomized_svd(np.maximum(information, 0), D, n_iter=3, random_state=0)
    words = left * np.sqrt(sizes)
    weighted = counts.multiply(np.log(there.shape[0] / frequency)[None, :]).tocsr()
    x = np.asarray(weighted @ words)
    lengths = np.linalg.norm(x, axis=1)
    asked = x[:queries][lengths[:queries] > 0] / lengths[:queries][lengths[:queries] > 0, None]
    rows = x[queries:][lengths[queries:] > 0] / lengths[queries:][lengths[queries:] > 0, None]
    return np.unique(rows.round(9), axis=0), asked


def projected(projection: sqlrp.Projection, *sets: Floats) -> list[Floats]:
    """The components of some sets of rows."""
    return [np.asarray(sqlrp.project(projection, x)) for x in sets]


def hadamard(k: int) -> sqlrp.Projection:
    """A rotation, of which k components are kept."""
    return sqlrp.HadamardProjection(k=k, seed=7, padding="least")


def principal(rows: Floats, k: int) -> sqlrp.Projection:
    """k principal components of the rows."""
    return sqlrp.PrincipalComponents(k=k).fit(rows)


def apart(z: Floats, q: Floats) -> Floats:
    """Numbers that order the rows by the Euclidean distance, shape (queries, rows)."""
    return np.asarray((z**2).sum(axis=1)[None, :] - 2 * q @ z.T)


def signs(projection: sqlrp.Projection, rows: Floats, asked: Floats, asymmetric: bool) -> Floats:
    """The same by the signs of the components."""
    z, q = projected(projection, rows, asked)
    bits = np.where(z > 0, 1.0, -1.0)
    return -(q if asymmetric else np.where(q > 0, 1.0, -1.0)) @ bits.T


def levels(projection: sqlrp.Projection, bits: Literal[2, 4, 8], rows: Floats, asked: Floats) -> Floats:
    """The same by components that `sqlrp.rounded` rounds, and those of the queries, which are not rounded."""
    made = sqlrp.rounded(projection, pd.DataFrame(rows), key=None, bits=bits)
    return apart(*projected(made, rows), *projected(made.unrounded, asked))


def shares(of: Floats, nearest: npt.NDArray[np.intp], counts: Sequence[int]) -> Floats:
    """The share of the nearest rows of each query among so many candidates, shape (queries, counts)."""
    order = np.argsort(of, axis=1, kind="stable")[:, : max(counts)]
    there = (order[:, :, None] == nearest[:, None, :]).any(axis=2)
    return np.stack([there[:, :count].sum(axis=1) / nearest.shape[1] for count in counts], axis=1)


def methods(rows: Floats, asked: Floats, size: int) -> Iterator[tuple[str, Callable[[], Floats]]]:
    """The codes of so many bytes."""
    if size == SIZES[0]:
        plain = sqlrp.GivenProjection.of(np.eye(D))
        for asymmetric, said in ((False, "bits"), (True, "bits, asymmetric")):
            yield f"{said}, no rotation, k = {D}", partial(signs, plain, rows, asked, asymmetric)
    centred = Scaling.of(rows.mean(axis=0), np.ones(D))
    of = hadamard(8 * size) if size == SIZES[0] else sqlrp.SparseProjection(k=8 * size, s=1, seed=7)
    drawn = "Hadamard" if size == SIZES[0] else "drawn signs"
    for name, made in ((drawn, of), (f"centred, {drawn}", sqlrp.Chained(of=(centred, of)))):
        for asymmetric, said in ((False, "bits"), (True, "bits, asymmetric")):
            yield f"{said}, {name}, k = {8 * size:,}", partial(signs, made, rows, asked, asymmetric)
    for bits in BITS:
        k = 8 * size // bits
        if k <= D:
            for name, made in (("Hadamard", hadamard(k)), ("principal components", principal(rows, k))):
                yield f"{bits} bits each, {name}, k = {k}", partial(levels, made, bits, rows, asked)
    k = size // 4
    yield f"floats, Hadamard, k = {k}", lambda: apart(*projected(hadamard(k), rows, asked))
    yield (
        f"floats, principal components, k = {k}",
        lambda: apart(*projected(principal(rows, k), rows, asked)),
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of reuters.npz")
    parser.add_argument("--queries", type=int, default=500, help="how many queries (%(default)s)")
    given = parser.parse_args()
    rows, asked = embeddings(given.data, given.queries)
    nearest = np.argpartition(apart(rows, asked), NEAREST, axis=1)[:, :NEAREST]
    print(f"{len(rows):,} stories of {D} numbers, {len(asked)} queries\n")
    print(f"| bytes | code | {' | '.join(f'{count} candidates' for count in CANDIDATES)} |")
    print(f"|---|---|{'---|' * len(CANDIDATES)}")
    for size in SIZES:
        for name, of in methods(rows, asked, size):
            recalls = (f"{share:.3f}" for share in shares(of(), nearest, CANDIDATES).mean(axis=0))
            print(f"| {size} | {name} | {' | '.join(recalls)} |", flush=True)


if __name__ == "__main__":
    main()
