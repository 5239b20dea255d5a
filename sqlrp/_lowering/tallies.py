"""What is taken from evaluated rows to learn from them: their sums, or how many of them a model classifies correctly.

Both are small, can be added, and are computed in batches: in this process, or by the engine's workers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sqlrp._core.draw import Ints
from sqlrp._core.errors import ParameterError
from sqlrp._core.values import dataclass
from sqlrp._evaluator.clip import Clip
from sqlrp._evaluator.moments import Accumulator, Mask, Matrix, Moments, SketchMoments
from sqlrp._evaluator.row_keys import fold_of
from sqlrp._evaluator.tile_sources import codes, rounded
from sqlrp._lowering.evaluation import Evaluation
from sqlrp._lowering.job import Job
from sqlrp._lowering.worker_task import Task

LABEL = "sqlrp_label"
"""The name of the column of labels, if they come from another table."""
WEIGHT = "sqlrp_weight"
"""The name of the column of weights, if they come from another table."""
GROUP = "sqlrp_group"
"""The name of the column of groups, if they come from another table, or are read as text."""
_TOGETHER = 512
"""The rows whose moved targets are added up together, so that they stay in the processor's cache."""
NEGATIVE = "is below 0: a weight says how many rows a row counts as, so it must be 0 or above"


Loss = Literal["squares", "squared_hinge", "logistic"]
"""What a linear model makes small."""
Models = Sequence[Sequence[tuple[Matrix, Matrix]]]
"""For each fold, the coefficients and the intercepts of several models."""
Batch = tuple[Matrix, pa.ChunkedArray | None, pa.ChunkedArray | None, Matrix | None]
"""Components, labels, keys and weights, as `Taking` takes them."""
Taker = Callable[[Matrix, pa.ChunkedArray | None, pa.ChunkedArray | None, Matrix | None], None]
"""A taking, or what passes batches on to one."""


class Taking(ABC):
    """What is taken from rows. `classifier`: whether the labels are classes. `folds`: 1 for no folds."""

    def __init__(self, classifier: bool, folds: int, seed: int) -> None:
        """`seed`: of the folds."""
        self.classifier, self.folds, self.seed = classifier, folds, seed

    def __call__(
        self, z: Matrix, labels: pa.ChunkedArray | None, keys: pa.ChunkedArray | None, weights: Matrix | None = None
    ) -> None:
        """Take a batch: components of shape (rows, k), labels that are not NULL, and keys if there are folds.

        `labels`: None if the components alone are taken. `weights`: of the rows; None if each counts once.
        """
        fold = None if self.folds == 1 or keys is None else fold_of(keys, self.folds, self.seed)
        z = np.asarray(z, dtype=np.float64)
        if labels is None:
            self.take(z, None, (), fold, weights)
        elif pa.types.is_struct(labels.type):
            self._take_groups(z, labels, fold, weights)
        elif self.classifier:
            at, names = codes(labels)
            self.take(z, at, [plain_class(name) for name in names.to_pylist()], fold, weights)
        else:
            self.take(np.column_stack([z, _numbers(labels)]), None, (), fold, weights)

    def _take_groups(self, z: Matrix, labels: pa.ChunkedArray, fold: Ints | None, weights: Matrix | None) -> None:
        """Take rows of groups, whose names take the place of classes; of a classifier, pairs of a group and a class."""
        group, own = (pa.chunked_array([part.field(i) for part in labels.chunks]) for i in (0, 1))
        at, found = codes(group)
        names = [plain_class(name) for name in found.to_pylist()]
        if not self.classifier:
            self.take(np.column_stack([z, _numbers(own)]), at, names, fold, weights)
            return
        place, classes = codes(own)
        pairs, at = np.unique(at * len(classes) + place, return_inverse=True)
        told = [plain_class(name) for name in classes.to_pylist()]
        both = [(names[g], told[c]) for g, c in zip(*np.divmod(pairs, len(told)), strict=True)]
        self.take(z, at, both, fold, weights)

    @abstractmethod
    def take(self, x: Matrix, at: Ints | None, names: Sequence[Any], fold: Ints | None, weights: Matrix | None) -> None:
        """Take rows, whose last entry is the target of a regressor. `at`: the position of each class in `names`."""

    @abstractmethod
    def packed(self) -> Iterator[tuple[int, bytes]]:
        """What was taken, by fold."""

    @staticmethod
    @abstractmethod
    def merged(before: bytes, taken: bytes) -> bytes:
        """What two parts gave for a fold, together."""


def together(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray | None:
    """Columns of targets as one: several as lists of numbers, NULL where one of them is; None for no columns."""
    if len(columns) < 2:
        return columns[0] if columns else None
    there = np.logical_and.reduce([pc.is_valid(column).to_numpy() for column in columns])
    y = np.column_stack([pc.fill_null(rounded(column), 0.0).to_numpy() for column in columns])
    lists = pa.FixedSizeListArray.from_arrays(pa.array(y.reshape(-1)), len(columns), mask=pa.array(~there))
    return pa.chunked_array([lists])


def _numbers(labels: pa.ChunkedArray) -> Matrix:
    """Labels as numbers: of shape (rows,), or of several columns that are `together` (rows, columns)."""
    if not pa.types.is_fixed_size_list(labels.type):
        return np.asarray(rounded(labels).to_numpy())
    width = labels.type.list_size
    return np.concatenate([part.flatten().to_numpy(zero_copy_only=False) for part in labels.chunks]).reshape(-1, width)


def grouped(labels: pa.ChunkedArray, groups: pa.ChunkedArray) -> pa.ChunkedArray:
    """Labels with the group of each row, as pairs; NULL where one of them is."""
    there = np.logical_and(pc.is_valid(labels).to_numpy(), pc.is_valid(groups).to_numpy())
    parts = [column.combine_chunks() for column in (groups, labels)]
    return pa.chunked_array([pa.StructArray.from_arrays(parts, names=["group", "label"], mask=pa.array(~there))])


class Keeping:
    """Passes batches on to a taking, and keeps copies of them while they are few enough."""

    def __init__(self, take: Taking, most: int) -> None:
        """`most`: the most numbers of components that are kept."""
        self.take, self.left = take, most
        self.kept: list[Batch] | None = []

    def __call__(
        self, z: Matrix, labels: pa.ChunkedArray | None, keys: pa.ChunkedArray | None, weights: Matrix | None = None
    ) -> None:
        """Take a batch, and keep it. Once there are too many, none are kept."""
        self.left -= z.size
        if self.left < 0:
            self.kept = None
        if self.kept is not None:
            z, rows = np.array(z, dtype=np.float64), pa.array(np.arange(len(z)))
            labels, keys = (None if column is None else column.take(rows) for column in (labels, keys))
            self.kept.append((z, labels, keys, weights))
        self.take(z, labels, keys, weights)


class FoldTally(Taking):
    """The moments of each fold."""

    def __init__(
        self, classifier: bool, folds: int, seed: int, exact: bool, apart: bool = False, clip: Clip | None = None
    ) -> None:
        """`exact`: whether all components are whole numbers. `apart`: whether classes are kept apart."""
        super().__init__(classifier, folds, seed)
        self.clip, self.into = clip, Accumulator(folds, clip is not None or (exact and classifier), apart)

    def take(self, x: Matrix, at: Ints | None, names: Sequence[Any], fold: Ints | None, weights: Matrix | None) -> None:
        """Add up, clipped."""
        if self.clip is not None:
            x = self.clip.rows(x)
            if at is not None:
                mine = self.clip.named(at, names)
                x, at = x[mine], at[mine]
        self.into.add(x, at, names, fold, weights)

    def moments(self) -> dict[int, Moments]:
        """The moments of the folds that have rows."""
        return {i: part for i, part in enumerate(self.into.moments(0)) if part.count}

    def packed(self) -> Iterator[tuple[int, bytes]]:
        """The moments of the folds that have rows, as bytes."""
        yield from ((i, part.pack()) for i, part in self.moments().items())

    @staticmethod
    def merged(before: bytes, taken: bytes) -> bytes:
        """The moments of both."""
        return (Moments.unpack(before) + Moments.unpack(taken)).pack()


class Crossing(Taking):
    """The sums of the components with a sketch of them."""

    def __init__(self, weights: Matrix) -> None:
        """`weights`: of the sketch, shape (k, l)."""
        super().__init__(False, 1, 0)
        self.weights, self.into = weights, None

    into: SketchMoments | None

    def take(self, x: Matrix, at: Ints | None, names: Sequence[Any], fold: Ints | None, weights: Matrix | None) -> None:
        """Add up."""
        part = SketchMoments.of(x, self.weights)
        self.into = part if self.into is None else self.into + part

    def packed(self) -> Iterator[tuple[int, bytes]]:
        """The sums, if there were rows."""
        if self.into is not None:
            yield 0, self.into.pack()

    @staticmethod
    def merged(before: bytes, taken: bytes) -> bytes:
        """The sums of both."""
        return (SketchMoments.unpack(before) + SketchMoments.unpack(taken)).pack()


class NearestTally(Taking):
    """For each of several centres c the rows z that are nearest to it: how many, and Σ (z - shift).

    The last number of each is Σ |z - shift|².
    """

    def __init__(self, centres: Matrix, shift: Matrix) -> None:
        """`centres`: shape (clusters, k)."""
        super().__init__(False, 1, 0)
        self.shift, self.model = shift, decisions_of(centres - shift)
        self.sums = np.zeros((len(centres), centres.shape[1] + 2))

    def take(self, x: Matrix, at: Ints | None, names: Sequence[Any], fold: Ints | None, weights: Matrix | None) -> None:
        """Add up."""
        coefficients, intercepts = self.model
        for start in range(0, len(x), _TOGETHER):
            away = x[start : start + _TOGETHER] - self.shift
            own = np.eye(len(self.sums))[(away @ coefficients.T + intercepts).argmax(axis=1)]
            self.sums[:, 0] += own.sum(axis=0)
            self.sums[:, 1:-1] += own.T @ away
            self.sums[:, -1] += own.T @ np.einsum("ij,ij->i", away, away)

    def packed(self) -> Iterator[tuple[int, bytes]]:
        """All sums, once."""
        yield 0, self.sums.astype("<f8").tobytes()

    @staticmethod
    def merged(before: bytes, taken: bytes) -> bytes:
        """The sums of both."""
        return bytes(np.frombuffer(before, "<f8") + np.frombuffer(taken, "<f8"))


def decisions_of(centres: Matrix) -> tuple[Matrix, Matrix]:
    """The linear model whose greatest decision, z·c - |c|²/2, is that of the nearest centre."""
    return centres, -0.5 * np.einsum("ij,ij->i", centres, centres)


class ClassTally(Taking):
    """For each fold and each of several models of it, the weight of the rows of each class that get each class.

    The last number of a model is the sum of -log(p), where p is the probability that a logistic model gives a row's
    own class; 0 for other models.
    """

    def __init__(self, folds: int, seed: int, names: Sequence[Any], models: Models, loss: Loss = "squares") -> None:
        """`models`: for each fold, the coefficients (decisions, k) and the intercepts. `names`: of the classes."""
        super().__init__(True, folds, seed)
        self.names, self.models, self.loss = {name: i for i, name in enumerate(names)}, models, loss
        self.found = np.zeros((folds, len(models[0]), len(names) ** 2 + 1))

    def take(self, x: Matrix, at: Ints | None, names: Sequence[Any], fold: Ints | None, weights: Matrix | None) -> None:
        """Count."""
        truth, n = np.array([self.names.get(name, -1) for name in names], dtype=np.int64)[at], len(self.names)
        for i, models in enumerate(self.models):
            mine = np.flatnonzero((truth >= 0) & (True if fold is None else fold == i))
            own, real, heavy = x[mine], truth[mine], None if weights is None else weights[mine]
            for j, (coefficients, intercepts) in enumerate(models):
                decisions = own @ coefficients.T + intercepts
                cells = real * n + chosen(decisions)
                self.found[i, j, :-1] += np.bincount(cells, heavy, minlength=n * n)
                if self.loss == "logistic":
                    lost = log_losses(decisions, real)
                    self.found[i, j, -1] += lost.sum() if heavy is None else lost @ heavy

    def packed(self) -> Iterator[tuple[int, bytes]]:
        """The sums of every fold."""
        yield from ((i, part.astype("<f8").tobytes()) for i, part in enumerate(self.found))

    @staticmethod
    def merged(before: bytes, taken: bytes) -> bytes:
        """The sums of both."""
        return bytes(np.frombuffer(before, "<f8") + np.frombuffer(taken, "<f8"))


class MoveTally(Taking):
    """For each model, the sums by which the targets of another pass differ from their codes (`moves`).

    m is the difference times the weight of the row, and the sums are Σ m and Σ m·(x - shift), for each decision.
    """

    def __init__(
        self,
        folds: int,
        seed: int,
        names: Sequence[Any],
        models: Models,
        shift: Matrix,
        loss: Loss,
        heavy: Sequence[Matrix | None],
    ) -> None:
        """`models`: as in `ClassTally`, but those of entry i take the rows of all folds but i, and the last all rows.

        `heavy`: for each entry the weights of the classes, or None.
        """
        super().__init__(True, folds, seed)
        self.names, self.models, self.shift = {name: i for i, name in enumerate(names)}, models, shift
        self.loss, self.heavy = loss, heavy
        decisions, k = models[0][0][0].shape
        self.sums = np.zeros((len(models), len(models[0]), decisions, k + 1))
        every = [model for own in models for model in own]
        self.coefficients = np.concatenate([w for w, _ in every])
        self.levels = np.concatenate([b + w @ shift for w, b in every])

    def take(self, x: Matrix, at: Ints | None, names: Sequence[Any], fold: Ints | None, weights: Matrix | None) -> None:
        """Add up."""
        truth = np.array([self.names.get(name, -1) for name in names], dtype=np.int64)[at]
        rows = np.empty((len(x), len(self.models)))
        for i, heavy in enumerate(self.heavy):
            rows[:, i] = 1 if weights is None else weights
            rows[:, i] *= truth >= 0
            if heavy is not None:
                rows[:, i] *= heavy[truth]
            if fold is not None:
                rows[fold == i, i] = 0  # no row is in the fold of the last models
        for start in range(0, len(x), _TOGETHER):
            part = slice(start, start + _TOGETHER)
            self._add(x[part] - self.shift, truth[part], rows[part])

    def _add(self, away: Matrix, truth: Ints, rows: Matrix) -> None:
        """Add up a few rows, less the shift. `rows`: their weights in each entry."""
        entries, ridges, decisions, width = self.sums.shape
        own = truth[:, None] == (np.arange(decisions) if decisions > 1 else [1])
        said = away @ self.coefficients.T + self.levels
        m = moves(self.loss, said.reshape(-1, entries, ridges, decisions), own[:, None, None, :])
        m = (m * rows[:, :, None, None]).reshape(said.shape)
        sums = self.sums.reshape(-1, width)
        sums[:, 0] += m.sum(axis=0)
        sums[:, 1:] += m.T @ away

    def packed(self) -> Iterator[tuple[int, bytes]]:
        """All sums, once."""
        yield 0, self.sums.astype("<f8").tobytes()

    @staticmethod
    def merged(before: bytes, taken: bytes) -> bytes:
        """The sums of both."""
        return bytes(np.frombuffer(before, "<f8") + np.frombuffer(taken, "<f8"))


def moves(loss: Loss, decisions: Matrix, own: Mask) -> Matrix:
    """How far the targets of another pass are from their codes, which are 1 where `own`.

    Squared hinge: the other codes are -1, and a decision beyond its code, on the right side, is its own target.
    Logistic: the other codes are 0. The target is the decision less the slope of the loss over its greatest curvature,
    so that the squares around it lie above the loss (Böhning 1992).
    """
    if loss == "logistic":
        return np.asarray(decisions - (shares(decisions) - own) / curvature(decisions.shape[-1]) - own)
    return np.asarray(np.where(own, np.maximum(decisions - 1, 0), np.minimum(decisions + 1, 0)))


def curvature(decisions: int) -> float:
    """The greatest second derivative of the logistic loss, of one decision or of several that share 1."""
    return 0.25 if decisions == 1 else 0.5


def shares(decisions: Matrix) -> Matrix:
    """The probabilities of a logistic model: of the second class, or of all that have a decision."""
    if decisions.shape[-1] == 1:
        return np.asarray(0.5 * (1 + np.tanh(0.5 * decisions)))
    grown = np.exp(decisions - decisions.max(axis=-1, keepdims=True))
    return np.asarray(grown / grown.sum(axis=-1, keepdims=True))


def log_losses(decisions: Matrix, real: Ints) -> Matrix:
    """-log(p) of each row's own class, whose position is `real`."""
    if decisions.shape[1] == 1:
        return np.asarray(np.logaddexp(0, np.where(real == 1, -1, 1) * decisions[:, 0]))
    best = decisions.max(axis=1)
    own = decisions[np.arange(len(real)), real]
    return np.asarray(best + np.log(np.exp(decisions - best[:, None]).sum(axis=1)) - own)


def chosen(decisions: Matrix) -> Ints:
    """The position of the class of each row: of the greatest decision; the first one if several are equal."""
    if decisions.shape[1] == 1:
        return (decisions[:, 0] > 0).astype(np.int64)
    return np.asarray(decisions.argmax(axis=1))


def plain_class(name: Any) -> Any:
    """A class as a Python value that JSON can write. Raises ParameterError for a value of another type."""
    if isinstance(name, (bool, int, str)):
        return name
    if hasattr(name, "as_integer_ratio") and math.isfinite(name) and name == int(name):
        return int(name)
    raise ParameterError(
        f"class {name!r} must be a whole number, text or a boolean: cast the target to text, or pass task='regressor'"
    )


def labelled(table: pa.Table, targets: Sequence[str], group: str | None) -> pa.ChunkedArray | None:
    """The labels of rows: of several columns of targets together, and with their groups; None for none."""
    labels = together([table.column(name) for name in targets])
    return labels if labels is None or group is None else grouped(labels, table.column(group))


@dataclass(frozen=True)
class RowColumns:
    """The columns of what is told of rows besides their features, by their names among the rows."""

    targets: Sequence[str] = ()
    """`LABEL` and others, if they are joined to the rows"""
    weight: str | None = None
    """`WEIGHT`, if it is joined; None if there are no weights"""
    group: str | None = None
    """`GROUP`, if it is joined; None if there are no groups"""

    @property
    def joined(self) -> list[str]:
        """The columns that are joined to the rows."""
        if LABEL not in self.targets:
            return []
        return [*self.targets, *(name for name in (self.weight, self.group) if name is not None)]

    def labels(self, table: pa.Table) -> pa.ChunkedArray | None:
        """The labels of rows."""
        return labelled(table, self.targets, self.group)


def feed(take: Taker, evaluation: Evaluation, part: pa.Table, told: RowColumns) -> None:
    """Evaluate source rows, and take those without NULL."""
    joined, weights, weight = None, None, told.weight
    if told.joined:
        joined = told.labels(part)
        weights = None if weight is None else part.column(weight)
        part = part.drop_columns(told.joined)
    kept, z, missing = evaluation.rows(part)
    frame = evaluation.job.frame
    if joined is None:
        labels = told.labels(kept)
        weights = None if weight is None else kept.column(weight)
    elif evaluation.job.grouped or frame.layout == "long":  # a row for each key: its first label
        first = np.unique(codes(part.column(str(frame.key)))[0], return_index=True)[1]
        labels = joined.take(pa.array(first))
        weights = None if weights is None else weights.take(pa.array(first))
    else:
        labels = joined
    take_rows(take, z, labels, None if frame.key is None else kept.column(frame.key), missing, weights)


def take_rows(
    take: Taker,
    z: Matrix,
    labels: pa.ChunkedArray | None,
    keys: pa.ChunkedArray | None,
    missing: Any,
    weights: pa.ChunkedArray | None = None,
) -> None:
    """Take the rows that have a label, a weight and no NULL. `missing`: which have one; None if no row has."""
    there = np.ones(len(z), dtype=bool) if labels is None else pc.is_valid(labels).to_numpy()
    heavy = None
    if weights is not None:
        there = there & pc.is_valid(weights).to_numpy()
        heavy = pc.fill_null(rounded(weights), 0.0).to_numpy()
        check_weight(float(heavy[there].min(initial=0.0)))
    if missing is not None:
        there = there & ~missing
    if not there.all():
        mask = pa.array(there)
        z, labels = z[there], None if labels is None else labels.filter(mask)
        keys = None if keys is None else keys.filter(mask)
        heavy = None if heavy is None else heavy[there]
    if len(z):
        take(z, labels, keys, heavy)


def check_weight(least: float) -> None:
    """Raise ParameterError if the least weight is below 0."""
    if least < 0:
        raise ParameterError(f"a weight of {least:g} {NEGATIVE}")


class WorkerTask(Task):
    """A task that gives what is taken of a part of the rows: the columns `fold` and `taken`."""

    def __init__(self, job: Job, key: str | None, take: Taking, told: RowColumns) -> None:
        """`told`: as in `feed`."""
        super().__init__(job, key)
        self.take, self.told = take, told

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A row for each fold, at the end."""
        take = deepcopy(self.take)  # a worker calls it for each part
        for part in self.parts(batches, self.told.joined):
            feed(take, self.evaluation, part, self.told)
        yield from _batches(take.packed())


class MergeTask:
    """A second task of the workers, which adds what several parts gave, so that less of it reaches the caller."""

    def __init__(self, of: type[Taking]) -> None:
        """`of`: what was taken."""
        self.of = of

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A row for each fold, at the end."""
        found: dict[int, bytes] = {}
        for batch in batches:
            for fold, taken in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                found[fold] = self.of.merged(found[fold], taken) if fold in found else taken
        yield from _batches(found.items())


def _batches(parts: Iterable[tuple[int, bytes]]) -> Iterator[pa.RecordBatch]:
    """A batch of one row for each fold."""
    for fold, taken in parts:
        columns = [pa.array([fold], pa.int64()), pa.array([taken], pa.binary())]
        yield pa.RecordBatch.from_arrays(columns, ["fold", "taken"])


__all__ = [
    "GROUP",
    "LABEL",
    "WEIGHT",
    "ClassTally",
    "FoldTally",
    "Loss",
    "MergeTask",
    "Models",
    "MoveTally",
    "NearestTally",
    "RowColumns",
    "Taking",
    "WorkerTask",
    "check_weight",
    "chosen",
    "curvature",
    "decisions_of",
    "feed",
    "take_rows",
]
