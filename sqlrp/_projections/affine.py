"""Steps that are linear up to a constant, as one table of weights: so the parts of a ColumnTransformer become one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError, UnsupportedError, shorten
from sqlrp._core.values import dataclass
from sqlrp._projections.chained import Chained, Scaling
from sqlrp._projections.given import GivenProjection
from sqlrp._projections.projection import Projection
from sqlrp._stages import AppendConstant, Linear, Rescale

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Affine:
    """z = (x - origin)·weights + offset. The origin is subtracted first, so that rows far from 0 keep their digits."""

    origin: Floats
    """shape (features,)"""
    weights: Floats
    """shape (features, components)"""
    offset: Floats
    """shape (components,)"""
    fill: Floats | None = None
    """what NULL becomes, shape (features,), NaN where it stays NULL; None if it does everywhere"""

    @staticmethod
    def identity(n: int) -> Affine:
        """z = x."""
        return Affine(np.zeros(n), np.eye(n), np.zeros(n))

    @staticmethod
    def of(projection: Projection, n_features: int) -> Affine | None:
        """What a projection computes of rows of `n_features` features; None if that is not linear."""
        found = Affine.identity(n_features)
        numbers, constant = np.arange(n_features, dtype=np.int64), 0.0
        for stage in projection.stages(n_features):
            if isinstance(stage, Rescale) and not constant:
                found = found.rescaled(*stage.of(numbers))
            elif isinstance(stage, AppendConstant) and not constant:
                constant = stage.value
            elif isinstance(stage, Linear):
                weights = np.asarray(stage.matrix(_numbers_with(numbers, constant)), dtype=np.float64)
                added = constant * weights[-1] if constant else 0.0
                found = found.summed(weights[:-1] if constant else weights, added)
                constant = 0.0
            else:
                return None
            if not constant:
                numbers = np.arange(len(found.offset), dtype=np.int64)
        factor, step = (
            projection.factor(n_features),
            projection.of[0] if isinstance(projection, Chained) else projection,
        )
        fill = step.arrays["fill"] if isinstance(step, Scaling) and step.fills else None
        return None if constant else Affine(found.origin, found.weights * factor, found.offset * factor, fill)

    def rescaled(self, offset: Floats, scale: Floats) -> Affine:
        """The components less an offset, times a scale."""
        one = (self.weights != 0).sum(axis=0) == 1
        if one.all() and not self.offset.any() and (self.weights.max(axis=0) == 1).all():
            at = self.weights.argmax(axis=0)  # of features that were only chosen: the origin keeps their digits
            if len(set(at.tolist())) == len(at) and not self.origin[at].any():
                origin = self.origin.copy()
                origin[at] = offset
                return Affine(origin, self.weights * scale, self.offset)
        return Affine(self.origin, self.weights * scale, (self.offset - offset) * scale)

    def summed(self, weights: Floats, added: Floats | float) -> Affine:
        """Sums of the components with weights, and a constant."""
        return Affine(self.origin, self.weights @ weights, self.offset @ weights + added)

    def times(self, weight: float) -> Affine:
        """Every component times a number."""
        return replace(self, weights=self.weights * weight, offset=self.offset * weight)

    def placed(self, columns: Sequence[int], n_features: int) -> Affine:
        """The same of the columns of rows with more features."""
        origin, weights = np.zeros(n_features), np.zeros((n_features, self.weights.shape[1]))
        offset = self.offset
        for own, at in enumerate(columns):
            if weights[at].any():  # a column that is named twice
                offset = offset + (origin[at] - self.origin[own]) * self.weights[own]
            else:
                origin[at] = self.origin[own]
            weights[at] += self.weights[own]
        fill = None
        if self.fill is not None:
            fill = np.full(n_features, np.nan)
            fill[list(columns)] = self.fill
        return Affine(origin, weights, offset, fill)

    def projection(self) -> Projection:
        """One projection that computes it: the origin is a step of its own."""
        whole = np.array_equal(self.weights, np.rint(self.weights)) and np.abs(self.weights).max(initial=0) < 128
        weights = self.weights.astype(np.int8) if whole else self.weights
        sums = GivenProjection.of(weights, offset=self.offset if self.offset.any() else None)
        if not self.origin.any() and self.fill is None:
            return sums
        moved = Scaling.of(self.origin, np.ones(len(self.origin)), fill=self.fill)
        return Chained(of=(moved, sums), bound_to=len(self.origin))


def _numbers_with(numbers: npt.NDArray[np.int64], constant: float) -> npt.NDArray[np.int64]:
    """The numbers of the entries that a stage of sums reads: with that of the constant, if there is one."""
    return AppendConstant(constant).numbers(numbers) if constant else numbers


def _together(parts: Sequence[Affine]) -> Affine:
    """The components of all parts in order. A feature has the origin of the first part that reads it."""
    origin = np.zeros(len(parts[0].origin))
    free = np.ones(len(origin), dtype=bool)
    for part in parts:
        used = part.weights.any(axis=1) & free
        origin[used], free = part.origin[used], free & ~used
    offsets = [part.offset + (origin - part.origin) @ part.weights for part in parts]
    weights = np.hstack([part.weights for part in parts])
    return Affine(origin, weights, np.concatenate(offsets), _filled(parts))


def _filled(parts: Sequence[Affine]) -> Floats | None:
    """What NULL becomes in every feature, 0 in those that no part reads. Raises UnsupportedError if it stays in one."""
    if all(part.fill is None for part in parts):
        return None
    n = len(parts[0].origin)
    found = np.zeros(n)
    for j in range(n):
        reading = [part.fill for part in parts if part.weights[j].any()]
        own = {np.nan if fill is None else float(fill[j]) for fill in reading}
        if len(own) > 1 or any(math.isnan(value) for value in own):
            raise UnsupportedError(
                f"column {j} keeps NULL or gets two numbers for it, while another column is imputed: one query has one "
                "number for each column that it reads; impute all columns first"
            )
        found[j] = own.pop() if own else 0.0
    return found


Read = Callable[[Any], Projection]


def columns_of(fitted: Any, read: Read) -> tuple[Affine, list[int]]:
    """A fitted ColumnTransformer: what it computes, and the positions of the columns that it reads.

    `read`: of one transformer. Raises UnsupportedError for a part that is not linear, with its name.
    """
    n, names = int(fitted.n_features_in_), getattr(fitted, "feature_names_in_", None)
    weights = fitted.transformer_weights or {}
    parts, used = [], set()
    for name, step, columns in fitted.transformers_:
        at = list(_positions(columns, n, None if names is None else list(names)))
        if not at or (isinstance(step, str) and step == "drop"):
            continue
        part = _part(name, step, len(at), read, "ColumnTransformer").times(weights.get(name, 1.0))
        parts.append(part.placed(at, n))
        used.update(at)
    if not parts:
        raise UnsupportedError("the ColumnTransformer keeps no column: there is nothing to compute")
    return _together(parts), sorted(used)


def union_of(fitted: Any, read: Read) -> Affine:
    """A fitted FeatureUnion: what it computes. Raises UnsupportedError as `columns_of`."""
    n = int(fitted.n_features_in_)
    weights = fitted.transformer_weights or {}
    kept = [each for each in fitted.transformer_list if not (isinstance(each[1], str) and each[1] == "drop")]
    if not kept:
        raise UnsupportedError("the FeatureUnion keeps no column: there is nothing to compute")
    return _together([_part(name, step, n, read, "FeatureUnion").times(weights.get(name, 1.0)) for name, step in kept])


def _part(name: str, step: Any, n: int, read: Read, of: str) -> Affine:
    if isinstance(step, str) and step == "passthrough":
        return Affine.identity(n)
    try:
        found = Affine.of(read(step), n)
        if found is None:
            raise UnsupportedError(
                f"{shorten(step)} is not linear, so that it cannot stand next to others in one query: make it a "
                "pipeline of its own"
            )
    except (ParameterError, UnsupportedError) as error:
        raise type(error)(f"part {name!r} of the {of}: {error}") from error
    return found


def _positions(columns: Any, n: int, names: list[Any] | None) -> Iterator[int]:
    """The positions of columns that a name, a number, several of them, a slice or a mask names."""
    if isinstance(columns, slice):
        ends = [None if end is None else _position(end, n, names) for end in (columns.start, columns.stop)]
        last = ends[1] + 1 if ends[1] is not None and isinstance(columns.stop, str) else ends[1]
        if isinstance(columns.start, str) or isinstance(columns.stop, str):  # of names, whose last one is included
            yield from range(n)[ends[0] : last : columns.step]
        else:
            yield from range(n)[columns]
        return
    if isinstance(columns, (str, int, np.integer)):
        columns = [columns]
    found = list(columns)
    if found and all(isinstance(each, (bool, np.bool_)) for each in found):
        yield from np.flatnonzero(found).tolist()
        return
    for each in found:
        yield _position(each, n, names)


def _position(column: Any, n: int, names: list[Any] | None) -> int:
    if isinstance(column, str):
        if names is None or column not in names:
            raise ParameterError(f"the ColumnTransformer names column {column!r}, which it was not fitted on")
        return names.index(column)
    return range(n)[int(column)]


__all__ = ["Affine", "columns_of", "union_of"]
