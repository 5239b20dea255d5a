"""The fold of a row for cross-validation: a hash of its key, the same on every engine and in every run."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sqlrp._core.draw import Ints, P, Purpose, hash_name, hashes
from sqlrp._core.errors import ParameterError
from sqlrp._evaluator.reading import codes

NO_FOLD = "a key is NULL, so that its row is in no fold: leave such rows out, or pass folds = 0"


def fold_of(keys: pa.ChunkedArray, folds: int, seed: int) -> Ints:
    """The fold of each key, 0 … folds - 1. Keys are whole numbers below 2^63, or text.

    Raises ParameterError for a NULL key.
    """
    at, distinct = codes(keys)
    if distinct.null_count:
        raise ParameterError(NO_FOLD)
    if pa.types.is_integer(distinct.type) or pa.types.is_decimal(distinct.type):
        numbers = distinct.cast(pa.int64()).to_numpy(zero_copy_only=False) % P
    else:
        numbers = np.array([hash_name(str(name)) for name in distinct.to_pylist()], dtype=np.int64)
    return np.asarray(hashes(seed, Purpose.FOLDS, np.zeros(1, dtype=np.int64), numbers)[0][at] % folds)


__all__ = ["NO_FOLD", "fold_of"]
