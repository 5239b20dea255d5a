"""What a row's key says: its number, its place in a sample, its fold. The same on every engine and in every run."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sqlrp._core.draw import Ints, P, Purpose, hash_name, hashes
from sqlrp._core.errors import ParameterError
from sqlrp._evaluator.tile_sources import codes

FINE = 1024
"""The parts of 1 that the number of a key with a fraction counts: by a power of 2, it is exact on every engine."""
LARGE = 1 << 52
"""The numbers with a fraction at and above which keys have the number 0."""
NO_FOLD = "a key is NULL, so that its row is in no fold: leave such rows out, or pass folds = 0"


def key_number(key: object) -> int:
    """A whole number mod P, or the number of the key's text, as `sqlrp._lowering.key_numbers` has them in SQL."""
    return int(key) % P if isinstance(key, int) else hash_name(str(key))


def fold_of(keys: pa.ChunkedArray, folds: int, seed: int) -> Ints:
    """The fold of each key, 0 … folds - 1. Keys are whole numbers, or text.

    Raises ParameterError for a NULL key.
    """
    at, distinct = codes(keys)
    if distinct.null_count:
        raise ParameterError(NO_FOLD)
    return np.asarray(_hashes(_numbers(distinct), seed, Purpose.FOLDS)[at] % folds)


def places_of(keys: pa.ChunkedArray, seed: int) -> Ints:
    """The place of each row's key among all keys, by the hash of the seed and the key; -1 for NULL.

    Keys of equal hashes are ordered by their numbers, then by themselves.
    """
    at, distinct = codes(keys)
    present = np.flatnonzero(distinct.is_valid().to_numpy(zero_copy_only=False))
    numbers = _numbers(distinct.take(pa.array(present)))
    order = np.lexsort((numbers, _hashes(numbers, seed, Purpose.SAMPLE)))
    if len(np.unique(numbers)) < len(numbers):  # keys that only their own order tells apart
        values, h = [distinct[int(i)].as_py() for i in present], _hashes(numbers, seed, Purpose.SAMPLE)
        order = np.array(sorted(range(len(values)), key=lambda i: (h[i], numbers[i], values[i])), dtype=np.int64)
    places = np.full(len(distinct), -1, dtype=np.int64)
    places[present[order]] = np.arange(len(order))
    return np.asarray(places[at])


def _numbers(distinct: pa.Array) -> Ints:
    """The number of each key."""
    kind = distinct.type
    if pa.types.is_boolean(kind):
        distinct = distinct.cast(pa.int8())
    elif pa.types.is_decimal(kind) and kind.scale == 0:
        return np.array([int(key) % P for key in distinct.to_pylist()], dtype=np.int64)
    elif pa.types.is_decimal(kind) or pa.types.is_floating(kind):
        x = np.array([float(key) for key in distinct.to_pylist()], dtype=np.float64)
        small = np.abs(x) < LARGE
        x = np.where(small, x, 0.0)
        return np.asarray(np.floor(np.where(x == np.floor(x), x, x * FINE)).astype(np.int64) % P)
    if pa.types.is_integer(distinct.type):
        return np.asarray(distinct.to_numpy(zero_copy_only=False) % P, dtype=np.int64)
    return np.array([hash_name(str(key)) for key in distinct.to_pylist()], dtype=np.int64)


def _hashes(numbers: Ints, seed: int, purpose: Purpose) -> Ints:
    return np.asarray(hashes(seed, purpose, np.zeros(1, dtype=np.int64), numbers)[0])


__all__ = ["NO_FOLD", "fold_of", "key_number", "places_of"]
