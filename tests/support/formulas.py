"""The formula of every drawn method in exact arithmetic: a reference that shares only the draw with the package.

A row is a list of numbers, read as exact fractions. With `absolute` every sign is plus. The result then bounds the sum
of absolute values in an output, and rounding errors are compared with it.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import sqlrp
from sqlrp import Projection
from sqlrp._core.draw import (
    CONSTANT_FEATURE,
    P,
    Purpose,
    draw_index_table,
    draw_normals,
    draw_sample,
    draw_signs,
    hashes,
    resolve_s,
)

Row = Sequence[Fraction]
Formula = Callable[[Any, Row, bool], list[Fraction]]


def sums(table: Any, x: Row, absolute: bool) -> list[Fraction]:
    """Σ_f w(f, c)·x_f for every column c of a table of weights, shape (features, columns)."""
    if absolute:
        table, x = np.abs(table), [abs(v) for v in x]
    return [
        sum((Fraction(w) * v for w, v in zip(column, x, strict=True) if w), Fraction(0))
        for column in np.asarray(table).T.tolist()
    ]


def signed(n: int, s: float | str, seed: int, x: Row, absolute: bool, constant: float = 0.0) -> list[Fraction]:
    """n signed sums of x, to which a constant is appended where it is not 0."""
    s, features = resolve_s(s, len(x)), np.arange(len(x), dtype=np.int64)
    if constant:
        x, features = [*x, Fraction(constant)], np.append(features, CONSTANT_FEATURE)
    return sums(draw_signs(features, n, s, seed), x, absolute)


def sparse(p: sqlrp.SparseProjection, x: Row, absolute: bool) -> list[Fraction]:
    """Achlioptas 2003: K[c]."""
    return signed(p.k, p.s, p.seed, x, absolute)


def gaussian(p: sqlrp.GaussianProjection, x: Row, absolute: bool) -> list[Fraction]:
    """Weights of N(0, 1)."""
    return sums(draw_normals(np.arange(len(x), dtype=np.int64), p.k, p.seed), x, absolute)


def fourier(p: sqlrp.RandomFourierFeatures, x: Row, absolute: bool) -> list[Fraction]:
    """Rahimi and Recht 2007: cos(⟨w, x⟩ + b). A cosine is at most 1, and off by no more than its angle is."""
    weights = draw_normals(np.arange(len(x), dtype=np.int64), p.k, p.seed) * math.sqrt(2 * p.gamma)
    turns = hashes(p.seed, Purpose.PHASES, np.arange(p.k, dtype=np.int64), np.zeros(1, dtype=np.int64))[:, 0].tolist()
    angles = [a + Fraction(2 * math.pi * (h + 0.5) / P) for a, h in zip(sums(weights, x, absolute), turns, strict=True)]
    return angles if absolute else [Fraction(math.cos(angle)) for angle in angles]


def orthonormal(p: sqlrp.OrthonormalProjection, x: Row, absolute: bool) -> list[Fraction]:
    """The weights of the Gaussian projection by Gram and Schmidt's process, with the same span of the first ones."""
    made: list[Any] = []
    for column in draw_normals(np.arange(len(x), dtype=np.int64), p.k, p.seed).T:
        rest = column
        for _ in range(2):
            rest = rest - sum((rest @ q) * q for q in made)
        made.append(rest / np.linalg.norm(rest))
    return sums(np.array(made).T, x, absolute)


def polynomial(p: sqlrp.PolynomialKernelProjection, x: Row, absolute: bool) -> list[Fraction]:
    """Thesis, eq. 4.10: Σ_{i<t} Π_{j<degree} K[I[c, degree·i + j]]."""
    K = signed(p.n_vectors, p.s, p.seed, x, absolute, math.sqrt(p.c))
    table = draw_index_table(p.n_vectors, p.degree * p.t, p.k, p.seed, p.minimise_repetition)
    return [
        sum((math.prod(K[v] for v in product) for product in row.reshape(p.t, p.degree).tolist()), Fraction(0))
        for row in table
    ]


def degree2(p: sqlrp.Degree2KernelProjection, x: Row, absolute: bool) -> list[Fraction]:
    """Σ_l σ_l·K_l²; modified (eq. 12): less Σ_j r²_lj x_j² of every square."""
    features = np.arange(len(x), dtype=np.int64)
    signs = draw_signs(features, p.m * p.k, resolve_s(p.s, len(x)), p.seed)
    K = sums(signs, x, absolute)
    squares = sums(signs.astype(int) ** 2, [v * v for v in x], absolute)
    out = []
    for c in range(p.k):
        flips = [1 if absolute or p.m == 1 or i < p.m // 2 else -1 for i in range(p.m)]
        own = range(c * p.m, (c + 1) * p.m)
        removed = [(squares[i] if absolute else -squares[i]) if p.modified else Fraction(0) for i in own]
        out.append(sum((f * (K[i] ** 2 + r) for f, i, r in zip(flips, own, removed, strict=True)), Fraction(0)))
    return out


def subspace(p: sqlrp.RandomSubspace, x: Row, absolute: bool) -> list[Fraction]:
    """x_j of the picked features; reflected: d·x_j - 2·Σx."""
    picked = strata(len(x), p.k, p.seed) if p.stratified else draw_sample(len(x), p.k, p.seed, replace=False).tolist()
    if not p.densify:
        return [abs(x[j]) if absolute else x[j] for j in picked]
    d = len(x)
    if absolute:
        return [d * abs(x[j]) + 2 * sum(map(abs, x), Fraction(0)) for j in picked]
    return [d * x[j] - 2 * sum(x, Fraction(0)) for j in picked]


def strata(d: int, k: int, seed: int) -> list[int]:
    """The feature at a random place of each of k parts of d/k features, which a real number from 0 to d points to."""
    h = hashes(seed, Purpose.SUBSPACE, np.zeros(1, dtype=np.int64), np.arange(k, dtype=np.int64))[0].tolist()
    return [
        math.floor((i + Fraction(math.floor(Fraction(value * d, P)), d)) * Fraction(d, k)) for i, value in enumerate(h)
    ]


def hadamard(p: sqlrp.HadamardProjection, x: Row, absolute: bool) -> list[Fraction]:
    """SVM paper, eq. 10: Σ_f flip(f)·H[sample[c], f]·x_f, for Hadamard's matrix H."""
    h = sylvester(1 << math.ceil(math.log2(len(x)))) if p.padding == "power_of_two" else least(len(x))
    flips = draw_signs(np.arange(len(x), dtype=np.int64), 1, 1, p.seed, Purpose.FLIPS)[:, 0]
    drawn = draw_sample(len(h), p.k, p.seed, replace=p.replacement).tolist()
    sample = [drawn[c % len(drawn)] for c in range(p.k)]
    return sums(h[sample, : len(x)].T * flips[:, None], x, absolute)


def sylvester(order: int) -> Any:
    """Hadamard's matrix of an order that is a power of two, by doubling."""
    h = np.array([[1]])
    while len(h) < order:
        h = np.block([[h, h], [h, -h]])
    return h


def least(n: int) -> Any:
    """Hadamard's matrix of the least order from n on that Paley's blocks and doubling reach."""
    order = n
    while True:
        for block in (1, 12, 20, 28, 36):
            power, rest = divmod(order, block)
            if rest == 0 and power & (power - 1) == 0:
                return np.kron(paley(block), sylvester(power))
        order += 1


def paley(order: int) -> Any:
    """Paley 1933, entry by entry: a number is a square of the field if its power (q - 1)/2 is 1 (Euler)."""
    if order == 1:
        return np.array([[1]])
    q = {12: 5, 20: 19, 28: 13, 36: 17}[order]

    def character(a: int) -> int:
        power = pow(a % q, (q - 1) // 2, q)
        return -1 if power == q - 1 else power

    def entry(i: int, j: int) -> int:
        if i == j:
            return 0
        if i == 0 or j == 0:
            return 1 if i == 0 or q % 4 == 1 else -1
        return character(i - j)

    if q % 4 == 3:
        return np.array([[entry(i, j) or 1 for j in range(order)] for i in range(order)])
    signs = {1: [[1, 1], [1, -1]], -1: [[-1, -1], [-1, 1]], 0: [[1, -1], [-1, -1]]}
    return np.block([[np.array(signs[entry(i, j)]) for j in range(q + 1)] for i in range(q + 1)])


def buckets(blocks: int, size: int, seed: int, x: Row, absolute: bool) -> list[list[Fraction]]:
    """The count sketches of x: block by block, `size` sums each."""
    h = hashes(seed, Purpose.BLOCKS, np.arange(blocks, dtype=np.int64), np.arange(len(x), dtype=np.int64)).tolist()
    out = [[Fraction(0)] * size for _ in range(blocks)]
    for block, row in enumerate(h):
        for value, v in zip(row, x, strict=True):
            out[block][value // 2 % size] += abs(v) if absolute else v * (1 - 2 * (value % 2))
    return out


def embedding(p: sqlrp.SparseEmbedding, x: Row, absolute: bool) -> list[Fraction]:
    """Kane and Nelson 2014: every feature goes, with a sign, into one sum of each block."""
    a = p.nnz_per_feature
    if p.buckets > 1:
        return two_levels(p, x, absolute)
    return list(itertools.chain(*buckets(a, p.k // a, p.seed, x, absolute)))


def two_levels(p: sqlrp.SparseEmbedding, x: Row, absolute: bool) -> list[Fraction]:
    """SVM paper, section 2: the embedding of the features of each bucket, one after another."""
    a, numbers = p.nnz_per_feature, np.arange(len(x), dtype=np.int64)
    bucket = hashes(p.seed, Purpose.BLOCKS, np.array([a]), numbers)[0] % p.buckets
    out: list[Fraction] = []
    for own in range(p.buckets):
        inside = [v if b == own else Fraction(0) for v, b in zip(x, bucket.tolist(), strict=True)]
        out += itertools.chain(*buckets(a, p.k // (a * p.buckets), p.seed, inside, absolute))
    return out


def maclaurin(p: sqlrp.RandomMaclaurin, x: Row, absolute: bool) -> list[Fraction]:
    """Π_j K, with vectors of its own for every factor (thesis 5.2)."""
    K = signed(p.k * p.degree, 1, p.seed, x, absolute)
    return [math.prod(K[c * p.degree : (c + 1) * p.degree]) for c in range(p.k)]


def tensor_sketch(p: sqlrp.TensorSketch, x: Row, absolute: bool) -> list[Fraction]:
    """The circular convolution of `degree` count sketches (Pham and Pagh 2013)."""
    first, *rest = buckets(p.degree, p.k, p.seed, x, absolute)
    for other in rest:
        out = [Fraction(0)] * p.k
        for (i, a), (j, b) in itertools.product(enumerate(first), enumerate(other)):
            out[(i + j) % p.k] += a * b
        first = out
    return first


def explicit(p: sqlrp.ExplicitPolynomialProjection, x: Row, absolute: bool) -> list[Fraction]:
    """All monomials of the degree, each times the root of its multinomial coefficient; then signed sums."""
    n = math.comb(len(x) + p.degree - 1, p.degree)
    if n > 20_000 and p.vectors == "sign":
        return drawn_monomials(p, n, x, absolute)
    monomials = []
    for chosen in itertools.combinations_with_replacement(range(len(x)), p.degree):
        ways = math.factorial(p.degree) // math.prod(map(math.factorial, Counter(chosen).values()))
        monomials.append(math.prod(x[j] for j in chosen) * Fraction(math.sqrt(ways)))
    if p.vectors == "gaussian":
        return sums(draw_normals(np.arange(n, dtype=np.int64), p.k, p.seed), monomials, absolute)
    return signed(p.k, p.s, p.seed, monomials, absolute)


def drawn_monomials(p: sqlrp.ExplicitPolynomialProjection, n: int, x: Row, absolute: bool) -> list[Fraction]:
    """The same of n/s drawn monomials, which are found in the list of all by their numbers."""
    m = round(n / resolve_s(p.s, n))
    h = hashes(p.seed, Purpose.SIGNS, np.arange(p.k), np.arange(3 * m)).tolist()
    every = list(itertools.combinations_with_replacement(range(len(x)), p.degree))
    out = []
    for row in h:
        total = Fraction(0)
        for a, b, c in zip(row[:m], row[m : 2 * m], row[2 * m :], strict=True):
            chosen = every[math.floor(n * Fraction(a * P + b, P * P))]
            ways = math.factorial(p.degree) // math.prod(map(math.factorial, Counter(chosen).values()))
            value = math.prod(x[j] for j in chosen) * Fraction(math.sqrt(ways)) * (1 - 2 * (c % 2))
            total += abs(value) if absolute else value
        out.append(total)
    return out


def halves(p: Any, x: Row) -> tuple[Row, Row]:
    """The two descriptors of a row, each with zeros for the other; both are the row where there is one."""
    at = p.split
    if at is None:
        return x, x
    zero = Fraction(0)
    return [*x[:at], *(zero for _ in x[at:])], [*(zero for _ in x[:at]), *x[at:]]


def pooling(p: sqlrp.BilinearPooling, x: Row, absolute: bool) -> list[Fraction]:
    """Thesis, eq. 5.7, of one row: Σ_{i<t} ⟨r_2i, x⟩·⟨r_2i+1, x⟩, or with two descriptors ⟨r_2i, x⟩·⟨q_2i+1, u⟩."""
    n = p.n_vectors
    first, second = (signed(n if p.split is None else 2 * n, p.s, p.seed, part, absolute) for part in halves(p, x))
    table = draw_index_table(n, 2 * p.t, p.k, p.seed, True)
    return [
        sum((first[a] * second[b - n if p.split is None else b] for a, b in row.reshape(p.t, 2).tolist()), Fraction(0))
        for row in table + np.array([0, n] * p.t)
    ]


def pooled_maclaurin(p: sqlrp.MaclaurinPooling, x: Row, absolute: bool) -> list[Fraction]:
    """The products of two sums of a row; with two descriptors vectors c and k + c."""
    if p.split is None:
        return maclaurin(sqlrp.RandomMaclaurin(k=p.k, seed=p.seed), x, absolute)
    first, second = (signed(2 * p.k, 1, p.seed, part, absolute) for part in halves(p, x))
    return [first[c] * second[p.k + c] for c in range(p.k)]


def pooled_sketch(p: sqlrp.SketchPooling, x: Row, absolute: bool) -> list[Fraction]:
    """The circular convolution of the count sketches of both descriptors."""
    (first, _), (_, second) = (buckets(2, p.k, p.seed, part, absolute) for part in halves(p, x))
    out = [Fraction(0)] * p.k
    for i, j in itertools.product(range(p.k), range(p.k)):
        out[(i + j) % p.k] += first[i] * second[j]
    return out


def outer(p: sqlrp.FullBilinearPooling, x: Row, absolute: bool) -> list[Fraction]:
    """x ⊗ x, or x ⊗ u."""
    x = [abs(v) for v in x] if absolute else x
    first, second = (x, x) if p.split is None else (x[: p.split], x[p.split :])
    return [a * b for a in first for b in second]


FORMULAS: dict[type[Projection], Formula] = {
    sqlrp.SparseProjection: sparse,
    sqlrp.GaussianProjection: gaussian,
    sqlrp.RandomFourierFeatures: fourier,
    sqlrp.OrthonormalProjection: orthonormal,
    sqlrp.PolynomialKernelProjection: polynomial,
    sqlrp.Degree2KernelProjection: degree2,
    sqlrp.RandomSubspace: subspace,
    sqlrp.HadamardProjection: hadamard,
    sqlrp.SparseEmbedding: embedding,
    sqlrp.RandomMaclaurin: maclaurin,
    sqlrp.TensorSketch: tensor_sketch,
    sqlrp.ExplicitPolynomialProjection: explicit,
    sqlrp.BilinearPooling: pooling,
    sqlrp.MaclaurinPooling: pooled_maclaurin,
    sqlrp.SketchPooling: pooled_sketch,
    sqlrp.FullBilinearPooling: outer,
}
"""The formula of every method that is drawn, for one row, by its class."""


def by_formula(projection: Projection, x: Row, absolute: bool = False) -> list[Fraction]:
    """The k outputs of a row, without the scale."""
    return FORMULAS[type(projection)](projection, x, absolute)
