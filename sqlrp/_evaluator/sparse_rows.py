"""Sparse rows: cells of a row, a feature and a value. The first sums add only what is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import CONSTANT_FEATURE, Ints
from sqlrp._core.errors import SourceError
from sqlrp._core.memory import bounds, passed
from sqlrp._core.values import dataclass
from sqlrp._evaluator import native_calls
from sqlrp._evaluator.code import TILES
from sqlrp._evaluator.operations import Tile
from sqlrp._evaluator.tile_sources import Source
from sqlrp._stages import (
    AppendConstant,
    BlockSums,
    Elementwise,
    Linear,
    Normalise,
    NormalSums,
    Rescale,
    SignedSums,
    Stage,
)
from sqlrp._stages.forms import Forms

_DRAWN = 1 << 22
"""The largest number of weights that are drawn at once."""
_HELD = 1 << 27
"""The largest number of weights that are kept for the next batch."""
_WHOLE = 1 << 26
"""The largest table of weights that is drawn for all features, whether they occur or not."""
_DENSE = 0.3
"""The share of weights other than 0 from which they are kept as a matrix."""


@dataclass(frozen=True)
class Cells:
    """Cells, sorted by row. Row r has the cells starts[r] … starts[r + 1] - 1."""

    starts: Ints
    numbers: Ints
    """the feature number of each cell; -1 if its feature is NULL"""
    values: npt.NDArray[Any]

    def __post_init__(self) -> None:
        """Whoever makes cells has converted their arrays: this refuses all others, before C reads them."""
        n = len(self.values)
        passed("starts", self.starts, np.int64, (max(len(self.starts), 1),))
        passed("features", self.numbers, np.int64, (n,))
        bounds("starts", self.starts, n)
        if self.starts[0] or self.starts[-1] != n:
            raise ValueError("the rows do not begin where the rows before them end")

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.starts) - 1

    @property
    def places(self) -> Ints:
        """The row of each cell."""
        return np.repeat(np.arange(self.rows), np.diff(self.starts))

    @classmethod
    def of_matrix(cls, matrix: Any) -> Cells:
        """The cells of a sparse matrix of scipy, of any format, type of number and type of indices.

        Raises SourceError for one whose indices are not those of its rows and columns.
        """
        rows = matrix.tocsr()
        try:
            rows.check_format(full_check=True)
        except ValueError as error:
            raise SourceError(f"the sparse matrix of shape {matrix.shape} is damaged: {error}") from error
        starts, numbers = (np.ascontiguousarray(part, dtype=np.int64) for part in (rows.indptr, rows.indices))
        end = int(starts[-1])  # there may be room for more
        return cls(starts, numbers[:end], np.ascontiguousarray(rows.data[:end]))

    @classmethod
    def of(cls, places: Ints, rows: int, numbers: Ints, values: npt.NDArray[Any]) -> Cells:
        """Cells in any order, with the row of each."""
        if len(places) and (np.diff(places) < 0).any():
            order = np.argsort(places, kind="stable")
            places, numbers, values = places[order], numbers[order], values[order]
        starts = np.zeros(rows + 1, dtype=np.int64)
        np.cumsum(np.bincount(places, minlength=rows), out=starts[1:])
        return cls(starts, numbers, values)

    def added_up(self) -> Cells:
        """One cell for each row and feature; cells whose feature is NULL are left out."""
        places, there = self.places, self.numbers >= 0
        order = np.lexsort((self.numbers[there], places[there]))
        r, f, v = places[there][order], self.numbers[there][order], self.values[there][order]
        new = np.ones(len(r), dtype=bool)
        new[1:] = (np.diff(r) != 0) | (np.diff(f) != 0)
        first = np.flatnonzero(new)
        return Cells.of(r[first], self.rows, f[first], np.add.reduceat(v, first) if len(first) else v)


def _append(stage: AppendConstant, cells: Cells) -> Cells:
    rows = np.arange(cells.rows)
    numbers = np.append(cells.numbers, np.full(cells.rows, CONSTANT_FEATURE))
    constant = int(stage.value) if cells.values.dtype.kind in "iO" else stage.value
    values = np.append(cells.values, np.full(cells.rows, constant, dtype=cells.values.dtype))
    return Cells.of(np.append(cells.places, rows), cells.rows, numbers, values)


def _rescale(stage: Rescale, cells: Cells) -> Cells:
    """Features that are absent stay 0, as no offset is applied to sparse rows."""
    known, at = np.unique(cells.numbers, return_inverse=True)
    if stage.features is None:
        offset, scale = stage.offset, stage.scale
        offset, scale = (np.append(a, 0.0)[known] for a in (offset, scale))
    else:
        offset, scale = stage.of(known)
    return replace(cells, values=(cells.values - offset[at]) * scale[at])


def _map(stage: Elementwise, cells: Cells) -> Cells:
    cells = cells.added_up()
    for formula in stage.formulas:
        cells = replace(cells, values=formula.at(cells.values))
    return cells


def _normalise(_: Normalise, cells: Cells) -> Cells:
    cells = cells.added_up()
    places = cells.places
    norm = np.sqrt(np.bincount(places, cells.values * cells.values, minlength=cells.rows))
    norm[norm == 0] = 1
    return replace(cells, values=cells.values / norm[places])


FORMS: Forms[Any] = Forms(
    "over sparse rows",
    {AppendConstant: _append, Rescale: _rescale, Elementwise: _map, Normalise: _normalise},
)
"""The stages that keep cells sparse, before the first sums."""
DRAWN: Forms[bool] = Forms(
    "over the features of an open vocabulary", {SignedSums: True, BlockSums: True, NormalSums: True}
)
"""The sums whose weights are drawn from any feature numbers, so that features need no positions."""


def first_sums(stages: Sequence[Stage]) -> int | None:
    """The place of the first sums, if all stages before it keep cells sparse; otherwise None."""
    at = next((i for i, stage in enumerate(stages) if not (FORMS.has(stage) and stage.keeps_zero)), None)
    return at if at is not None and isinstance(stages[at], Linear) else None


def refusal(stages: Sequence[Stage], n_features: int | None, names: bool) -> str:
    """Why stages cannot be applied to cells; empty if they can. `names`: features are names, which are hashed."""
    at = first_sums(stages)
    if n_features is not None and not names:
        return ""
    if at is None:
        return "the features of an open vocabulary are summed first, after constants, scales, roots and norms alone"
    return DRAWN.refusal(stages[at : at + 1])


class FirstSums:
    """The first sums over cells. Weights are drawn for the features that occur, and kept for the next batch."""

    def __init__(self, stages: Sequence[Stage], n_features: int | None, names: bool) -> None:
        """`stages`: those up to the first sums. `n_features`: None if features have no positions."""
        *self.before, last = stages
        assert isinstance(last, Linear)
        self.stage: Linear = last
        positions = n_features is not None and not names
        constants = any(stage.appends for stage in self.before)
        self.positions = n_features if positions and n_features is not None else 0
        every = np.arange(self.positions, dtype=np.int64)
        self.all = np.append(every, CONSTANT_FEATURE) if constants else every
        self.whole = positions and (not DRAWN.has(last) or len(self.all) * last.n_outputs <= _WHOLE)
        self._known = np.zeros(0, dtype=np.int64)
        self._weights = _Weights.of(np.zeros((0, last.n_outputs)))
        self._lock = Lock()

    def source(self, cells: Cells) -> SummedCells:
        """The sums of cells, to be read as tiles."""
        for stage in self.before:
            cells = FORMS.of(stage)(stage, cells)
        slots, weights = self._slots(cells.numbers)
        return SummedCells(cells, slots, weights, self.stage.n_outputs)

    def _slots(self, numbers: Ints) -> tuple[npt.NDArray[np.int64], _Weights]:
        """For each cell the place of its feature in the weights, and the weights."""
        with self._lock:
            if self.whole:
                if not self._weights.slots:
                    self._weights = self._drawn(self.all)
                return np.where(numbers == CONSTANT_FEATURE, self.positions, numbers), self._weights
            distinct, at = np.unique(numbers, return_inverse=True)
            new = np.setdiff1d(distinct[distinct >= 0], self._known, assume_unique=True)
            if len(new):
                if (len(self._known) + len(new)) * self.stage.n_outputs > _HELD:
                    self._known, self._weights = np.zeros(0, dtype=np.int64), _Weights.of(self._weights.none)
                    new = distinct[distinct >= 0]
                self._known = np.append(self._known, new)
                self._weights = self._weights.joined(self._drawn(new))
            order = np.argsort(self._known, kind="stable")
            slots = np.full(len(distinct), -1, dtype=np.int64)
            there = distinct >= 0
            slots[there] = order[np.searchsorted(self._known, distinct[there], sorter=order)]
            return slots[at], self._weights

    def _drawn(self, numbers: Ints) -> _Weights:
        if not DRAWN.has(self.stage):
            return _Weights.of(self.stage.matrix(numbers))
        step = max(_DRAWN // self.stage.n_outputs, 1)
        parts = [_Weights.of(self.stage.matrix(numbers[i : i + step])) for i in range(0, len(numbers), step)]
        return _Weights.all(parts, self._weights)


@dataclass(frozen=True)
class _Weights:
    """The weights of features: lists of the weights other than 0, or a matrix of shape (features, sums)."""

    entry: Ints
    component: npt.NDArray[np.int32]
    weight: npt.NDArray[Any]
    matrix: npt.NDArray[Any] | None
    outputs: int

    @property
    def slots(self) -> int:
        return len(self.entry) - 1 if self.matrix is None else len(self.matrix)

    @cached_property
    def native(self) -> Any:
        """The same for the native library."""
        weight = self.weight if self.matrix is None else self.matrix
        weight = np.ascontiguousarray(weight, dtype=np.int8 if weight.dtype == np.int8 else np.float64)
        lists = (self.entry, self.component) if self.matrix is None else ()
        return native_calls.SlotWeights(weight, self.outputs, *lists)

    @property
    def none(self) -> npt.NDArray[Any]:
        return np.zeros((0, self.outputs))

    @classmethod
    def of(cls, matrix: npt.NDArray[Any]) -> _Weights:
        n, m = matrix.shape
        if matrix.size and np.count_nonzero(matrix) >= _DENSE * matrix.size:
            empty = np.zeros(0, dtype=np.int64)
            return cls(empty, empty.astype(np.int32), np.zeros(0), np.ascontiguousarray(matrix), m)
        feature, component = np.nonzero(matrix)
        entry = np.searchsorted(feature, np.arange(n + 1)).astype(np.int64)
        return cls(entry, component.astype(np.int32), matrix[feature, component], None, m)

    @classmethod
    def all(cls, parts: Sequence[_Weights], empty: _Weights) -> _Weights:
        whole = parts[0] if parts else _Weights.of(empty.none)
        if len(parts) < 2:
            return whole
        if any(part.matrix is not None for part in parts):
            return cls.of(np.concatenate([part.dense() for part in parts]))
        ends = np.cumsum([0, *(part.entry[-1] for part in parts)])
        entry = [part.entry[(i > 0) :] + end for i, (part, end) in enumerate(zip(parts, ends, strict=False))]
        component, weight = (np.concatenate([getattr(p, name) for p in parts]) for name in ("component", "weight"))
        return cls(np.concatenate(entry), component, weight, None, whole.outputs)

    def joined(self, other: _Weights) -> _Weights:
        return other if not self.slots else _Weights.all([self, other], self)

    def dense(self) -> npt.NDArray[Any]:
        if self.matrix is not None:
            return self.matrix
        out = np.zeros((self.slots, self.outputs), dtype=self.weight.dtype)
        out[np.repeat(np.arange(self.slots), np.diff(self.entry)), self.component] = self.weight
        return out


class SummedCells(Source):
    """The first sums of cells, as a source of tiles."""

    def __init__(self, cells: Cells, slots: npt.NDArray[np.int64], weights: _Weights, outputs: int) -> None:
        """`slots`: for each cell the place of its feature in the weights, or -1."""
        self.cells = replace(cells, values=np.ascontiguousarray(cells.values))
        self.slots, self.weights = np.ascontiguousarray(slots, dtype=np.int64), weights
        self.rows, self.features = cells.rows, outputs
        if len(slots) and not -1 <= slots.min() <= slots.max() < weights.slots:
            raise ValueError("a cell has a feature that has no weights")

    def read(self, first: int, n: int, out: Tile, native: Any) -> None:
        """Sum the cells of n rows."""
        rows = np.zeros((n, self.features), dtype=self.cells.values.dtype)
        self.add(first, rows, native)
        if native is not None and rows.dtype in TILES and out.dtype in TILES:
            native.copy(native.lies(rows, 1), 0, n, out[:, :n])
        else:
            out[:, :n] = rows.T

    def write(self, first: int, out: Tile, native: Any) -> bool:
        """Sum the cells into the rows."""
        if out.dtype != self.cells.values.dtype:
            return False
        out[...] = 0
        self.add(first, out, native)
        return True

    def add(self, first: int, out: Tile, native: Any) -> None:
        """Add the cells of rows to their sums. Shape of `out`: (rows, sums)."""
        starts, values, w, n = self.cells.starts, self.cells.values, self.weights, len(out)
        if native is not None and out.dtype in TILES and out.flags.c_contiguous:
            native.add_cells(starts[first : first + n + 1], self.slots, values, w.native, out)
            return
        begin, end = starts[first], starts[first + n]
        there = self.slots[begin:end] >= 0
        slots, v = self.slots[begin:end][there], values[begin:end][there]
        rows = np.repeat(np.arange(n), np.diff(starts[first : first + n + 1]))[there]
        if w.matrix is not None:
            step = max(_DRAWN // self.features, 1)
            for at in range(0, len(slots), step):
                weight = w.matrix[slots[at : at + step]].astype(out.dtype)
                np.add.at(out, rows[at : at + step], np.where(weight == 0, 0, weight * v[at : at + step, None]))
            return
        counts = w.entry[slots + 1] - w.entry[slots]
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        entry = np.arange(total) + np.repeat(w.entry[slots] - (ends - counts), counts)
        place = np.repeat(rows, counts) * self.features + w.component[entry]
        terms = np.repeat(v, counts) * w.weight[entry].astype(out.dtype)
        if out.dtype.kind == "f":
            out += np.bincount(place, terms, minlength=out.size).reshape(out.shape)
        else:
            np.add.at(out.reshape(-1), place, terms)


class FilledCells(Source):
    """Cells as dense rows of all features, for stages that need every entry."""

    def __init__(self, cells: Cells, n_features: int) -> None:
        """Cells whose numbers are positions."""
        self.cells, self.rows, self.features = cells, cells.rows, n_features

    def read(self, first: int, n: int, out: Tile, native: Any) -> None:
        """Add the values of n rows to zeros."""
        starts = self.cells.starts
        begin, end = starts[first], starts[first + n]
        there = self.cells.numbers[begin:end] >= 0
        rows = np.repeat(np.arange(n), np.diff(starts[first : first + n + 1]))[there]
        out[:, :n] = 0
        np.add.at(out, (self.cells.numbers[begin:end][there], rows), self.cells.values[begin:end][there])
