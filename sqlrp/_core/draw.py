"""The portable draw: one seed gives the same ±1/0 table in numpy and in every SQL engine.

Every draw is a pure function of (seed, purpose, component, feature), computed with exact 64-bit
integers as polynomials of degree 7 over the prime field of P = 2³¹-1, nested in three levels::

    A[i][j] = g(seed, 64·purpose + 8i + j)           64 coefficients of the seed
    b[i](c) = Σ_j A[i][j]·c^j  mod P                  8 coefficients of a component
    h(c, f) = Σ_i b[i](c)·f^i  mod P                  the entry

Any eight entries of one table are independent over the choice of A (the variances in the papers
need four). The seed passes through two nested polynomials before an index is added to it, so that
seeds that differ by a constant do not give shifted copies of one another.

The sign is +1 where h < ⌊P/2s⌋, -1 where ⌊P/2s⌋ ≤ h < ⌊P/s⌋, and 0 elsewhere (Achlioptas 2003 for
s = 1 and 3; Li, Hastie and Church 2006 for s = √d).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._core import native_library
from sqlrp._core.errors import LimitError, ParameterError, shorten
from sqlrp._core.memory import passed
from sqlrp._core.symbols import Symbol, stated_call, stated_check

P = 2**31 - 1
SEED_BOUND = 2**53
"""Seeds are in 0 … 2⁵³-1, which every engine, JSON and a float64 represent exactly."""

CONSTANT_FEATURE = P - 1
"""The feature number of an appended constant. No position and no hashed name has this number, so a new
column never changes the constant's signs."""

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

MOST_BYTES = 1 << 31
"""The most bytes of a table that is drawn in this process."""

_BLOCK = 1 << 16  # entries drawn at once, so that the working arrays stay in the processor's cache
_NATIVE = 1 << 10  # entries from which the native library takes less time than numpy


def check_drawn(vectors: int, features: int, kind: npt.DTypeLike) -> None:
    """Raise LimitError if a table of so many vectors, over so many features, takes more than `MOST_BYTES`."""
    size = vectors * features * np.dtype(kind).itemsize
    if size > MOST_BYTES:
        raise LimitError(
            f"a table of {vectors:,} vectors over {features:,} features has {size:,} bytes, more than {MOST_BYTES:,}: "
            "lower k, or take fewer features"
        )


class Purpose(IntEnum):
    """What is drawn. Each purpose has its own coefficients. `purpose_of` gives those of further draws of a method."""

    SIGNS = 0
    INDEX = 1
    SUBSPACE = 2
    FLIPS = 3
    SAMPLE = 4
    BLOCKS = 5
    SEARCH = 6
    NORMALS = 7
    FOLDS = 8
    PHASES = 9


_FIRST_PURPOSE = 1 << 10
"""The first purpose of further draws. Those of `Purpose` are below it."""
_PURPOSES = 1 << 24
"""The bound of purposes: 64 times a purpose stays below P, so that no two purposes share coefficients."""


def purpose_of(name: str, number: int) -> int:
    """The purpose of draw number 1, 2, … of the method with this name: `_FIRST_PURPOSE` … `_PURPOSES` - 1.

    It follows from both alone, so that a method with several draws needs no entry in `Purpose`.
    """
    digest = hashlib.sha256(f"{name} {number}".encode()).digest()
    return _FIRST_PURPOSE + int.from_bytes(digest[:8], "big") % (_PURPOSES - _FIRST_PURPOSE)


def _primes() -> Iterator[int]:
    n = 2
    while True:
        if all(n % q for q in range(2, math.isqrt(n) + 1)):
            yield n
        n += 1


def _constants(count: int) -> list[int]:
    """The first 31 bits of the fractional part of the square roots of the first primes."""
    primes = _primes()
    return [math.isqrt(next(primes) << 62) & P for _ in range(count)]


CONSTANTS = _constants(32)
"""Four fixed polynomials of eight coefficients each, lowest power first."""


def _horner(coefficients: list[int], x: int) -> int:
    h = 0
    for a in reversed(coefficients):
        h = (h * x + a) % P
    return h


def seed_coefficients(seed: int, purpose: int) -> list[list[int]]:
    """The 8 × 8 coefficients A[i][j] of a seed, for one purpose.

    Raises ParameterError unless 0 ≤ seed < 2⁵³.
    """
    check_seed(seed)
    return [list(row) for row in _coefficients(int(seed), int(purpose))]


@lru_cache(maxsize=1024)  # one projection asks for its own several times
def _coefficients(seed: int, purpose: int) -> tuple[tuple[int, ...], ...]:
    polynomials = [CONSTANTS[8 * i : 8 * i + 8] for i in range(4)]
    low, high = seed % P, seed // P
    mixed = [_horner(q, (_horner(q, low) + high) % P) for q in polynomials[:2]]
    total = np.zeros(64, dtype=np.int64)
    for q, m in zip(polynomials[2:], mixed, strict=True):
        x = (np.arange(64, dtype=np.int64) + (m + 64 * purpose) % P) % P
        h = np.zeros(64, dtype=np.int64)
        for a in reversed(q):
            h = (h * x + a) % P  # below 2⁶²
        total += h
    return tuple(map(tuple, (total % P).reshape(8, 8).tolist()))


@stated_check
def check_seed(seed: int) -> None:
    """Raise ParameterError unless `seed` is an integer in 0 … 2⁵³-1."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < SEED_BOUND:
        raise ParameterError(
            f"seed = {shorten(seed)} must be a whole number from 0 to 2^53 - 1: choose one in that range"
        )


def thresholds(s: float) -> tuple[int, int]:
    """⌊P/2s⌋ and ⌊P/s⌋, computed in float64 as every engine does."""
    return math.floor(P / (2.0 * s)), math.floor(P / s)


def _reduce(h: Ints, spare: Ints) -> None:
    """h mod P in place, for 0 ≤ h < 2⁶² + 2³¹ (up to P itself, which counts as 0 in the next step)."""
    for _ in range(2):
        np.right_shift(h, 31, out=spare)
        np.bitwise_and(h, P, out=h)
        np.add(h, spare, out=h)


def component_coefficients(seed: int, purpose: int, components: Ints) -> Ints:
    """b[i](c) for each component: shape (8, number of components)."""
    a = np.array(seed_coefficients(seed, purpose), dtype=np.int64)
    c = components[None, :] % P
    b = np.zeros((8, components.size), dtype=np.int64)
    for j in range(7, -1, -1):
        b = (b * c + a[:, j, None]) % P
    return b


def hashes(seed: int, purpose: int, components: Ints, features: Ints) -> Ints:
    """h(c, f) in 0 … P-1: shape (number of components, number of features), int64."""
    check_drawn(components.size, features.size, np.int64)
    b = component_coefficients(seed, purpose, components)
    out = np.empty((components.size, features.size), dtype=np.int64)
    _fill(b, features % P, out, np.empty_like(out))
    return out


def _fill(b: Ints, f: Ints, h: Ints, spare: Ints) -> None:
    """Write h(c, f) for every component's b and every f into `h`."""
    h[...] = b[7][:, None]
    for i in range(6, -1, -1):
        np.multiply(h, f[None, :], out=h)
        np.add(h, b[i][:, None], out=h)
        _reduce(h, spare)
    h[h == P] = 0


def draw_signs(features: Ints, n_vectors: int, s: float, seed: int, purpose: int = Purpose.SIGNS) -> Signs:
    """The ±1/0 matrix of `n_vectors` sign vectors over the given feature numbers.

    Returns int8 of shape (number of features, n_vectors); needs little more memory than the result.
    """
    check_drawn(n_vectors, features.size, np.int8)
    low, high = thresholds(s)
    b = component_coefficients(seed, purpose, np.arange(n_vectors, dtype=np.int64))
    f = features % P
    out = np.empty((n_vectors, f.size), dtype=np.int8)
    if out.size >= _NATIVE and native_library.library() is not None:
        _native_signs(b, f, low, high, out)
        return out.T
    width = min(max(f.size, 1), _BLOCK)
    height = max(_BLOCK // width, 1)
    h, spare = np.empty((2, height, width), dtype=np.int64)
    for c in range(0, n_vectors, height):
        for j in range(0, f.size, width):
            block = out[c : c + height, j : j + width]
            rows, columns = block.shape
            view = h[:rows, :columns]
            _fill(b[:, c : c + rows], f[j : j + columns], view, spare[:rows, :columns])
            np.subtract((view < low).astype(np.int8), ((view >= low) & (view < high)).astype(np.int8), out=block)
    return out.T


def _native_signs(b: Ints, f: Ints, low: int, high: int, out: Signs) -> None:
    """Write the signs of the entries h(c, f) for every component's b and every f."""
    m, n = b.shape[1], len(f)
    coefficients = passed("coefficients", np.ascontiguousarray(b, dtype=np.int64), np.int64, (8, m))
    features = passed("features", np.ascontiguousarray(f, dtype=np.int64), np.int64, (n,))
    written = passed("signs", out, np.int8, (m, n), written=True)
    native_library.library().sqlrp_signs(coefficients, m, features, n, low, high, written)


def draw_normals(features: Ints, n_vectors: int, seed: int, purpose: int = Purpose.NORMALS) -> npt.NDArray[np.float64]:
    """Standard normal weights of `n_vectors` vectors: float64 of shape (number of features, n_vectors).

    Box and Muller's transform of two entries, 2·component and 2·component + 1. The uniforms are exact. The
    logarithm and cosine are the platform's, so the last bit may differ between machines.
    """
    h = hashes(seed, purpose, np.arange(2 * n_vectors, dtype=np.int64), features)
    u = (h.astype(np.float64) + 0.5) / P
    return np.ascontiguousarray((np.sqrt(-2 * np.log(u[::2])) * np.cos(2 * np.pi * u[1::2])).T)


def draw_phases(n_vectors: int, seed: int) -> npt.NDArray[np.float64]:
    """One angle between 0 and 2π for each of `n_vectors` vectors: float64 of shape (n_vectors,)."""
    h = hashes(seed, Purpose.PHASES, np.arange(n_vectors, dtype=np.int64), np.zeros(1, dtype=np.int64))[:, 0]
    return np.asarray((h.astype(np.float64) + 0.5) / P * (2 * np.pi))


def draw_sample(n: int, size: int, seed: int, replace: bool) -> Ints:
    """`size` numbers from 0 … n-1: the first of a permutation, or with replacement hashes mod n."""
    if not replace:
        return draw_permutation(n, seed, Purpose.SUBSPACE)[:size]
    h = hashes(seed, Purpose.SAMPLE, np.zeros(1, dtype=np.int64), np.arange(size, dtype=np.int64))[0]
    return np.asarray(h % n, dtype=np.int64)


def draw_strata(n: int, size: int, seed: int) -> Ints:
    """One number from each of `size` equal parts of 0 … n-1: ⌊(i·n + ⌊h(0, i)·n/P⌋)/size⌋ for i = 0 … size-1.

    Each number is drawn size/n times in expectation. Where n is no multiple of size, two parts share the number at
    their border, which may be drawn twice.
    """
    i = np.arange(size, dtype=np.int64)
    h = hashes(seed, Purpose.SUBSPACE, np.zeros(1, dtype=np.int64), i)[0]
    return np.asarray((i * n + h * n // P) // size, dtype=np.int64)


def draw_permutation(n: int, seed: int, purpose: int, component: int = 0) -> Ints:
    """0 … n-1 in random order: sorted by (h(component, index), index)."""
    h = hashes(seed, purpose, np.array([component], dtype=np.int64), np.arange(n, dtype=np.int64))[0]
    return np.argsort(h, kind="stable").astype(np.int64)


def draw_index_table(p: int, size: int, k: int, seed: int, minimise_repetition: bool = True) -> Ints:
    """The index table I of the polynomial kernel (thesis app. A): `size` distinct vectors for each of k.

    `size` is degree·t.

    Without repetition minimisation every component takes the first `size` of its own permutation of
    the p vectors. With it (thesis 4.4.5) the components take vectors from whole permutations of the p
    vectors, one after another. So every vector is used ⌊size·k/p⌋ times or once more. If a component
    needs two permutations, it takes from the second one the first vectors that it does not have yet.
    (The thesis takes the remaining ones from the first vectors. Taking them in random order is the
    same draw, as the vectors are exchangeable, and a component never gets a vector twice.)

    Returns int64 of shape (k, size), entries in 0 … p-1. Raises ParameterError if size > p.
    """
    if size > p:
        raise ParameterError(f"p = {p} vectors are fewer than degree * t = {size}: raise p or lower t")
    if not minimise_repetition:
        numbers = np.arange(p, dtype=np.int64)
        step = max(_BLOCK // p, 1)
        parts = [
            np.argsort(
                hashes(seed, Purpose.INDEX, np.arange(c, min(c + step, k), dtype=np.int64), numbers),
                axis=1,
                kind="stable",
            )[:, :size]
            for c in range(0, k, step)
        ]
        return np.concatenate(parts).astype(np.int64)
    dealt = np.empty(0, dtype=np.int64)
    rounds: list[Ints] = []
    total = 0
    while total < size * k:
        order = draw_permutation(p, seed, Purpose.INDEX, len(rounds))
        held = total % size
        if held:
            mine = np.isin(order, dealt[-held:])
            head = order[~mine][: size - held]
            order = np.concatenate([head, order[~np.isin(order, head)]])
        rounds.append(order)
        dealt = order
        total += p
    return np.concatenate(rounds)[: size * k].reshape(k, size)


def hash_name(name: str) -> int:
    """The feature number of a text feature: the first 60 bits of md5 of its UTF-8 bytes, mod (P-1)."""
    return int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()[:15], 16) % (P - 1)


@stated_call(float)
def resolve_s(s: float | str, n_features: int | None) -> float:
    """The value of `s` as a number: √n_features for "sqrt" (Li, Hastie and Church 2006)."""
    if s != "sqrt":
        return float(s)
    if n_features is None:
        raise ParameterError(
            's = "sqrt" needs the number of features, which an open vocabulary does not have: '
            "pass n_features, or a number such as s = 3"
        )
    return math.sqrt(n_features)


def signs(n_features: int, n_vectors: int, s: float | str = "sqrt", seed: int = 0, zeros: bool = True) -> pa.Table:
    """The ±1/0 table that `seed` gives, as every engine draws it.

    Columns: component (int32, 0 … n_vectors-1), feature (int32, 0 … n_features-1), sign (int8), ordered
    by component and feature; n_features·n_vectors rows, or only the non-zero ones with zeros=False.
    Raises ParameterError for n_features < 1, n_vectors < 1, s < 1 or a seed outside 0 … 2⁵³-1.

        >>> sqlrp.signs(n_features=3, n_vectors=2, s=1, seed=7).to_pydict()
        {'component': [0, 0, 0, 1, 1, 1], 'feature': [0, 1, 2, 0, 1, 2], 'sign': [1, 1, -1, 1, -1, -1]}
    """
    for name, value in (("n_features", n_features), ("n_vectors", n_vectors)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value < P - 1:
            raise ParameterError(f"{name} = {value!r} must be a whole number from 1 to 2^31 - 3")
    check_s(s)
    matrix = draw_signs(np.arange(n_features, dtype=np.int64), n_vectors, resolve_s(s, n_features), seed).T
    if zeros:
        component = np.repeat(np.arange(n_vectors, dtype=np.int32), n_features)
        feature = np.tile(np.arange(n_features, dtype=np.int32), n_vectors)
        sign = matrix.reshape(-1)
    else:
        where = np.nonzero(matrix)
        component, feature, sign = where[0].astype(np.int32), where[1].astype(np.int32), matrix[where]
    columns = {"component": pa.array(component), "feature": pa.array(feature), "sign": pa.array(sign)}
    return pa.table(columns)


def real(value: object) -> float:
    """A Python or numpy number as a float; NaN for other values, and for numbers too large for a float."""
    if isinstance(value, Symbol):
        return value  # type: ignore[return-value]  # it stands for a number
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


@stated_check
def check_s(s: float | str) -> None:
    """Raise ParameterError unless s is "sqrt" or a finite number ≥ 1."""
    if isinstance(s, str) and s == "sqrt":
        return
    if not 1 <= real(s) < math.inf:
        raise ParameterError(
            f's = {shorten(s)} must be a number >= 1, or "sqrt" for the square root of the number of features'
        )
