"""The door for arrays: what holds numbers in rows without names, as an array of numpy or as cells."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError, shorten
from sqlrp._core.memory import unmasked
from sqlrp._core.sources import Array
from sqlrp._run.frames.kinds import is_series

Matrix = npt.NDArray[Any]


def is_sparse(value: object) -> bool:
    """Whether `value` is a sparse matrix or array of scipy, which scipy must have been imported for."""
    asked = getattr(sys.modules.get("scipy.sparse"), "issparse", None)  # not there while another thread imports scipy
    return asked is not None and bool(asked(value))


def opened(source: Any) -> Any:
    """Rows without a frame, as one that the calls take: an array for a list of rows, a frame for a column of lists.

    Anything else is returned as it is. Raises ParameterError for a list that is not one of rows of numbers.
    """
    if is_series(source):
        name = str(source.name if source.name else "embedding")
        return Array(source.rename(name).to_frame(), name, key=None)
    if isinstance(source, np.ma.MaskedArray):
        return unmasked(source)
    if isinstance(source, memoryview):
        return np.asarray(source)
    if not isinstance(source, Sequence) or isinstance(source, (str, bytes, tuple)) or not source:
        return source
    return _of_lists(source)


def _of_lists(source: Sequence[Any]) -> Matrix:
    try:
        x = np.array([np.asarray(unmasked(row), dtype=np.float64) for row in source])
    except (TypeError, ValueError):
        x = np.empty(0)
    if x.ndim != 2:
        raise ParameterError(
            f"source {shorten(source)} is a list: pass rows of as many numbers each, a dataframe, or the name of a "
            "table with its connection"
        )
    return x


__all__ = ["is_sparse", "opened"]
