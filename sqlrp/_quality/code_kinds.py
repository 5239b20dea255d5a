"""The ways to store the rows of a search that `choose_codes` compares."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from sqlrp._core.numbers import WORD_BITS, WORD_BYTES, words_of
from sqlrp._core.options import Dtype
from sqlrp._core.sources import Output
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._projections import Chained, GivenProjection, HadamardProjection, PrincipalComponents, Projection
from sqlrp._projections.chained import Scaling
from sqlrp._run.rounded_codes import FEWEST_BYTES, packed_on, rounded_on

Floats = npt.NDArray[np.float64]
NUMBERS = 8
"""The bytes of the two numbers that correct the distances of a code."""
_BITS: tuple[Literal[2, 3, 4, 8], ...] = (2, 3, 4, 8)


@dataclass(frozen=True)
class Code:
    """A way to store the rows, with what a search by it finds."""

    name: str
    projection: Projection
    output: Output
    """as in `sqlrp.materialize`"""
    dtype: Dtype
    size: int
    """the bytes of a row, without the key"""
    recalls: tuple[float, ...] = ()
    """for each number of candidates, the recall of the queries that the advice was chosen by"""
    tested: tuple[float, ...] = ()
    """the same of the other queries"""
    milliseconds: float | None = None
    """the median time of a search of the sample in the database; None if it was not measured"""
    correct: bool = False
    """as in `sqlrp.materialize`"""


@dataclass(frozen=True)
class CodeRows:
    """The rows that codes are made of, and where they are stored."""

    rows: Floats
    names: tuple[str, ...] | int
    dialect: Dialect | None
    vectors: str
    """the schema of the engine's vector search, if that is an extension and installed"""

    @property
    def features(self) -> int:
        """How many numbers a row has."""
        return int(self.rows.shape[1])

    @property
    def whole(self) -> int:
        """Their number as a multiple of the bits of a word."""
        return max(self.features // WORD_BITS, 1) * WORD_BITS

    @property
    def few(self) -> int:
        """The bytes of as many bits."""
        return min(max(self.whole // 8, 1), self.features)

    @property
    def rounds(self) -> bool:
        """Whether rounded components take few bits: DuckDB packs them in its file."""
        return self.dialect is None or self.dialect.has_bytes

    def size_of_bits(self, k: int) -> int:
        """The bytes of k bits."""
        single = self.dialect is not None and bool(self.dialect.code)
        return -(-k // 8) if single else words_of(k) * WORD_BYTES


def codes_of(given: CodeRows, sizes: Sequence[int] | None = None) -> Iterator[Code]:
    """The codes to compare. Those that are fitted learn from the rows that are searched.

    `sizes`: the bytes of a row, if not those of the bits of all numbers, half and a quarter of them and what fits.
    """
    d, whole, few = given.features, given.whole, given.few
    if sizes is None:
        ks = [max(whole // part // WORD_BITS, 1) * WORD_BITS for part in (1, 2, 4)]
        floats = [min(max(whole * part // 32, 1), d) for part in (1, 2, 4)]
        wanted = [
            _RoundedCode(_k_of(size, bits, d), bits, correct)
            for size in (few // 2, few)
            for bits in _BITS
            for correct in (False, True)
        ]
    else:
        ks = [8 * size for size in sizes if 8 * size <= whole and given.size_of_bits(8 * size) == size]
        floats = [min(max(size // 4, 1), d) for size in sizes]
        wanted = [
            _RoundedCode(_k_of(size - NUMBERS * correct, bits, d), bits, correct)
            for size in sizes
            for bits in _BITS
            for correct in (False, True)
            if size > NUMBERS * correct
        ]
    yield from _bits(given, sorted(set(ks)))
    floats = sorted(set(floats))
    wanted = sorted(set(wanted), key=lambda each: (each.correct, each.bits, each.k)) if given.rounds else []
    most = max(*floats, *(each.k for each in wanted), 8 * max(sizes or [few]), 1)
    components = PrincipalComponents(k=min(most, d, len(given.rows))).fitted_on(given.rows, given.names)
    for k in floats:
        yield from _floats(f"Hadamard, k = {k:,}", _rotation(k), given)
    for k in [k for k in floats if k <= components.k]:
        yield from _floats(f"principal components, k = {k:,}", _first(components, k, given.rows), given)
    for each in wanted:
        yield from _rounded(each, components, given)
    for size in sorted({few // 2, few} if sizes is None else {*sizes}):
        if size >= FEWEST_BYTES and size % WORD_BYTES == 0:
            yield from _packed(size, components, given)


def _k_of(size: int, bits: int, d: int) -> int:
    """How many components of so many bits take these bytes, at most d."""
    return min(max(8 * size // bits, 1), d)


@dataclass(frozen=True)
class _RoundedCode:
    """Rounded components."""

    k: int
    bits: Literal[2, 3, 4, 8]
    correct: bool

    @property
    def size(self) -> int:
        """The bytes of a row."""
        return -(-self.k * self.bits // 8) + NUMBERS * self.correct


def _rotation(k: int) -> HadamardProjection:
    return HadamardProjection(k=k, seed=7, padding="least")


def _bits(given: CodeRows, ks: Sequence[int]) -> Iterator[Code]:
    """The signs of rotated rows, also without their mean, and of the rows as they are."""
    rows, d, whole = given.rows, given.features, given.whole
    for k in ks:
        yield Code(f"bits, Hadamard, k = {k:,}", _rotation(k), "bits", "auto", given.size_of_bits(k))
    if whole in ks:
        centred = Chained(of=(Scaling.of(rows.mean(axis=0), np.ones(d)), _rotation(whole)))
        yield Code(f"bits, centred, Hadamard, k = {whole:,}", centred, "bits", "auto", given.size_of_bits(whole))
        like = ", as binary_quantize" if given.vectors else ""
        plain = GivenProjection.of(np.eye(d))
        yield Code(f"bits, no rotation{like}", plain, "bits", "auto", given.size_of_bits(d))


def _rounded(wanted: _RoundedCode, components: PrincipalComponents, given: CodeRows) -> Iterator[Code]:
    """Components of a drawn rotation and principal ones, each of so many bits."""
    projections: dict[str, Projection] = {"Hadamard": _rotation(wanted.k)}
    if wanted.k <= components.k:
        projections["principal components"] = _first(components, wanted.k, given.rows)
    said = "bytes" if wanted.bits == 8 else f"{wanted.bits} bits each"
    for name, projection in projections.items():
        yield Code(
            f"{said}, {name}, k = {wanted.k:,}{', corrected' * wanted.correct}",
            rounded_on(projection, given.rows, wanted.bits),
            "vector",
            "auto",
            wanted.size,
            correct=wanted.correct,
        )


def _packed(size: int, components: PrincipalComponents, given: CodeRows) -> Iterator[Code]:
    """Principal components of 1 to 8 bits by their variances, in words."""
    if given.dialect is None or given.dialect.shifts_bits:
        made = packed_on(components, given.rows, size)
        yield Code(f"bits by variance, principal components, k = {made.k:,}", made, "bits", "auto", size, correct=True)


def _floats(name: str, projection: Projection, given: CodeRows) -> Iterator[Code]:
    """Floats of 32 bits, and of 16 bits where the engine has them."""
    dialect, vectors = given.dialect, given.vectors
    known = dialect is None or (bool(dialect.vector) and bool(vectors or not dialect.vectors_query))
    output: Output = "vector" if known else "array" if dialect is not None and dialect.has_arrays else "columns"
    yield Code(f"floats, {name}", projection, output, "float32", 4 * projection.k)
    if dialect is not None and known and dialect.half_vector:
        yield Code(f"half floats, {name}", projection, output, "float16", 2 * projection.k)


def _first(components: PrincipalComponents, k: int, rows: Floats) -> PrincipalComponents:
    """The first k of the components."""
    weights, mean = components.arrays["weights"][:, :k], components.arrays["mean"]
    kept = float((((rows - mean) @ weights[:-1]) ** 2).sum())
    scale = math.sqrt(float(((rows - mean) ** 2).sum()) / max(kept, np.finfo(np.float64).tiny))
    return PrincipalComponents(k=k, bound_to=components.bound_to).with_arrays(
        weights=weights, scale=np.array(scale), mean=mean
    )


__all__ = ["NUMBERS", "Code", "CodeRows", "codes_of"]
