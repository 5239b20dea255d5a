"""Arrays of numpy and sparse matrices of scipy: rows of numbers give rows of floats, or of bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError, SourceError, shorten, warn
from sqlrp._core.memory import unmasked
from sqlrp._core.options import Options
from sqlrp._core.values import dataclass
from sqlrp._evaluator import MatrixRows, Program, program, run
from sqlrp._evaluator.results import packed
from sqlrp._evaluator.sparse_rows import Cells, FilledCells, FirstSums, first_sums
from sqlrp._lowering.job import check_signed
from sqlrp._projections.projection import Projection
from sqlrp._run.frames.kinds import is_sparse
from sqlrp._run.frames.memory_frames import without_lowering
from sqlrp._stages import Rescale, Stage

Matrix = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]


_KEPT = 1 << 22
"""The largest table of weights that is kept between calls, for vectors that come one by one."""


def project_array(projection: Projection, x: Matrix, dtype: npt.DTypeLike = np.float64) -> Matrix:
    """Project rows of floats, shape (rows, features), in float64. Returns shape (rows, k) of `dtype`, scaled."""
    d = x.shape[1]
    rows = MatrixRows(np.ascontiguousarray(filled(projection, x)))
    return run(program_of(projection, d), rows, by_rows=True, dtype=dtype)


def filled(projection: Projection, x: Matrix) -> Matrix:
    """Rows of floats, shape (rows, features), with what NULL becomes in place of NaN, if the projection fills NULL."""
    if not projection.fills:
        return x
    return np.where(np.isnan(x), _filling(projection.stages(x.shape[1]), x.shape[1]), x)


def is_matrix(value: object) -> bool:
    """Whether `value` holds rows without names: an array, a sparse matrix, or a list that is not empty."""
    if isinstance(value, (np.ndarray, memoryview)) or is_sparse(value):
        return True
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, tuple)) and len(value) > 0


def matrix_of(value: Any) -> Any:
    """Rows without names as an array of numpy, NaN where it is masked; a sparse matrix as it is.

    Raises ParameterError for a list that is not one of rows of numbers.
    """
    if isinstance(value, memoryview):
        return np.asarray(value)
    if not isinstance(value, Sequence):
        return unmasked(value)
    try:
        x = np.array([np.asarray(unmasked(row), dtype=np.float64) for row in value])
    except (TypeError, ValueError):
        x = np.empty(0)
    if x.ndim != 2:
        raise ParameterError(
            f"source {shorten(value)} is a list: pass rows of as many numbers each, a dataframe, or the name of a "
            "table with its connection"
        )
    return x


@dataclass(frozen=True)
class ArrayInput:
    """An array of numpy or a sparse matrix of scipy, and whether more was given than an array has a use for."""

    x: Any
    others: bool = False
    """whether there is a connection, or a column is named"""

    def project(self, projection: Projection, options: Options) -> Matrix:
        """Project an array or a sparse matrix of shape (rows, features) into an array (rows, k). NaN counts as NULL.

        The output "bits" gives bytes of eight bits each: uint8 of shape (rows, ⌈k/8⌉), as of numpy.packbits.

        Raises ParameterError for what an array has no use for, and for another shape or type.
        """
        self._check(options)
        d, bits = self.x.shape[1], options.output == "bits"
        projection.check_features(None, d)
        stages = projection.stages(d)
        if any(stage.groups for stage in stages):
            raise ParameterError(f"{type(projection).__name__} adds up groups of rows: pass a dataframe with a key")
        if bits:
            check_signed(projection, stages)
        if said := projection.caution(d):
            warn(said)
        if projection.fills and options.nulls == "propagate":
            options = replace(options, nulls="zero")
        rows, missing = (_cells if is_sparse(self.x) else _dense)(self.x, options, _filling(stages, d))
        if bits and missing.any():
            raise SourceError(
                f"row {int(missing.argmax())} of the array has NaN, and bits have no NULL: leave such rows out, or use "
                "nulls = 'zero'"
            )
        scale = options.scale and not bits
        kind = np.float32 if options.dtype == "float32" else np.float64
        if isinstance(rows, Cells):
            z = project_cells(projection, rows, d, kind, scale)
        else:
            z = run(program_of(projection, d, scale), MatrixRows(rows), by_rows=True, dtype=kind)
        if bits:
            return packed(z)
        if missing.any():
            z[missing] = np.nan
        return z

    def _check(self, options: Options) -> None:
        said = f"array of shape {self.x.shape} and type {self.x.dtype}"
        if self.x.ndim != 2 or not self.x.shape[1] or self.x.dtype.kind not in "biuf":
            remedy = "; sqlrp.project_vector takes one row" if self.x.ndim == 1 else ""
            raise ParameterError(f"{said} must have the shape (rows, features) and numbers{remedy}")
        if self.others or options.output not in ("columns", "array", "auto", "bits"):
            raise ParameterError(
                f"{said} gives an array of shape (rows, k), or of bits: leave out a connection, key, keep, "
                "array_column and output"
            )
        without_lowering(options.lowering, "an array")


def project_cells(
    projection: Projection, cells: Cells, n_features: int, dtype: npt.DTypeLike = np.float64, scale: bool = True
) -> Matrix:
    """Project rows of cells. Returns shape (rows, k) of `dtype`.

    If a method begins with sums, only the cells that are there are read.
    """
    stages = projection.stages(n_features)
    at = first_sums(stages)
    if at is None:
        filled = FilledCells(cells, n_features)
        return run(program_of(projection, n_features, scale), filled, by_rows=True, dtype=dtype)
    sums = FirstSums(stages[: at + 1], n_features, names=False).source(cells)
    rest = stages[at + 1 :]
    numbers, kinds = np.arange(sums.features, dtype=np.int64), [np.float64] * (len(rest) + 1)
    factor = projection.factor(n_features) if scale else None
    return run(program(rest, numbers, kinds, factor=factor), sums, by_rows=True, dtype=dtype)


def _filling(stages: Sequence[Stage], n_features: int) -> Matrix:
    """What NaN becomes with nulls "zero", as NULL in a table: 0, after the features are rescaled."""
    first = stages[0] if stages else None
    if not isinstance(first, Rescale):
        return np.zeros(n_features)
    return first.of(np.arange(n_features, dtype=np.int64))[0]


def _dense(x: Matrix, options: Options, filling: Matrix) -> tuple[Matrix, Mask]:
    """Rows of floats, and which of them have NaN."""
    x = np.asarray(unmasked(x), dtype=np.float64)
    missing = np.asarray(np.isnan(x).any(axis=1))
    _check_missing(missing, options)
    if options.nulls == "zero":
        x, missing = np.where(np.isnan(x), filling, x), missing[:0]
    return np.ascontiguousarray(x), missing


def _cells(x: Any, options: Options, filling: Matrix) -> tuple[Cells, Mask]:
    """The cells of a sparse matrix, and which rows have NaN."""
    cells = Cells.of_matrix(x.astype(np.float64))
    gone = np.isnan(cells.values)
    missing = np.bincount(cells.places[gone], minlength=cells.rows) > 0
    _check_missing(missing, options)
    if options.nulls == "zero":
        missing = missing[:0]
    return (
        replace(cells, values=np.where(gone, filling[cells.numbers], cells.values)) if gone.any() else cells
    ), missing


def _check_missing(missing: Mask, options: Options) -> None:
    if missing.any() and options.nulls == "error":
        raise SourceError(f"row {int(missing.argmax())} of the array has NaN, which counts as NULL: nulls = 'error'")


def program_of(projection: Projection, n_features: int, scale: bool = True) -> Program:
    """The program of a projection over float64, kept for the next call if its tables are small."""
    return (_kept if _is_small(projection, n_features) else _drawn)(projection, n_features, scale)


@lru_cache(maxsize=64)
def _is_small(projection: Projection, n_features: int) -> bool:
    widest = max((stage.n_outputs or 1 for stage in projection.stages(n_features)), default=1)
    return n_features * widest <= _KEPT


def _drawn(projection: Projection, n_features: int, scale: bool = True) -> Program:
    stages, factor = projection.stages(n_features), projection.factor(n_features) if scale else None
    numbers = np.arange(n_features, dtype=np.int64)
    return program(stages, numbers, [np.float64] * (len(stages) + 1), factor=factor)


_kept = lru_cache(maxsize=16)(_drawn)


__all__ = ["ArrayInput", "filled", "is_matrix", "matrix_of", "program_of", "project_array", "project_cells"]
