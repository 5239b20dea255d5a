"""What is taken from evaluated rows to learn from them: their sums, or how many of them a model classifies correctly.

Both are small, can be added, and are computed in batches: in this process, or by the engine's workers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sqlrp.core.draw import Ints
from sqlrp.core.errors import ParameterError
from sqlrp.evaluator.folding import fold_of
from sqlrp.evaluator.moments import Accumulator, Mask, Matrix, Moments
from sqlrp.evaluator.reading import codes
from sqlrp.lowering.evaluation import Evaluation
from sqlrp.lowering.job import Job
from sqlrp.lowering.travelling import Task

LABEL = "sqlrp_label"
"""The name of the column of labels, if they come from another table."""


class Taking(ABC):
    """What is taken from rows. `classifier`: whether the labels are classes. `folds`: 1 for no folds."""

    def __init__(self, classifier: bool, folds: int, seed: int) -> None:
        """`seed`: of the folds."""
        self.classifier, self.folds, self.seed = classifier, folds, seed

    def __call__(self, z: Matrix, labels: pa.ChunkedArray, keys: pa.ChunkedArray | None) -> None:
        """Take a batch: components of shape (rows, k), labels that are not NULL, and keys if there are folds."""
        fold = None if self.folds == 1 or keys is None else fold_of(keys, self.folds, self.seed)
        z = np.asarray(z, dtype=np.float64)
        if self.classifier:
            at, names = codes(labels)
            self.take(z, at, [plain_class(name) for name in names.to_pylist()], fold)
        else:
            y = labels.cast(pa.float64()).to_numpy()
            self.take(np.column_stack([z, y]), None, (), fold)

    @abstractmethod
    def take(self, x: Matrix, at: Ints | None, names: Sequence[Any], fold: Ints | None) -> None:
        """Take rows, whose last entry is the target of a regressor. `at`: the position of each class in `names`."""

    @abstractmethod
    def taken(self) -> Iterator[tuple[int, bytes]]:
        """What was taken, by fold."""

    @staticmethod
    @abstractmethod
    def merged(before: bytes, taken: bytes) -> bytes:
        """What two parts gave for a fold, together."""


class Sums(Taking):
    """The moments of each fold."""

    def __init__(self, classifier: bool, folds: int, seed: int, exact: bool) -> None:
        """`exact`: whether all components are whole numbers."""
        super().__init__(classifier, folds, seed)
        self.into = Accumulator(folds, exact and classifier)

    def take(self, x: Matrix, at: Ints | None, names: Sequence[Any], fold: Ints | None) -> None:
        """Add up."""
        self.into.add(x, at, names, fold)

    def taken(self) -> Iterator[tuple[int, bytes]]:
        """The moments of the folds that have rows."""
        yield from ((i, part.pack()) for i, part in enumerate(self.into.moments(0)) if part.count)

    @staticmethod
    def merged(before: bytes, taken: bytes) -> bytes:
        """The moments of both."""
        return (Moments.unpack(before) + Moments.unpack(taken)).pack()


class Right(Taking):
    """For each fold and each of several models of it, the number of rows that it classifies correctly."""

    def __init__(
        self, folds: int, seed: int, names: Sequence[Any], models: Sequence[Sequence[tuple[Matrix, Matrix]]]
    ) -> None:
        """`models`: for each fold, the coefficients (decisions, k) and the intercepts. `names`: of the classes."""
        super().__init__(True, folds, seed)
        self.names, self.models = {name: i for i, name in enumerate(names)}, models
        self.counts = np.zeros((folds, len(models[0])), dtype=np.int64)

    def take(self, x: Matrix, at: Ints | None, names: Sequence[Any], fold: Ints | None) -> None:
        """Count."""
        truth = np.array([self.names.get(name, -1) for name in names], dtype=np.int64)[at]
        for i, models in enumerate(self.models):
            mine = slice(None) if fold is None else np.flatnonzero(fold == i)
            own, said = x[mine], truth[mine]
            for j, (coefficients, intercepts) in enumerate(models):
                self.counts[i, j] += int((chosen(own @ coefficients.T + intercepts) == said).sum())

    def taken(self) -> Iterator[tuple[int, bytes]]:
        """The counts of every fold."""
        yield from ((i, row.astype("<i8").tobytes()) for i, row in enumerate(self.counts))

    @staticmethod
    def merged(before: bytes, taken: bytes) -> bytes:
        """The sums of the counts."""
        return bytes(np.frombuffer(before, "<i8") + np.frombuffer(taken, "<i8"))


class Moved(Taking):
    """For each model, the sums by which the targets of another pass differ from 1 and -1.

    A decision beyond its target, on the right side, becomes the target. m is the difference, and the sums are Σ m and
    Σ m·(x - shift), for each decision.
    """

    def __init__(
        self,
        folds: int,
        seed: int,
        names: Sequence[Any],
        models: Sequence[Sequence[tuple[Matrix, Matrix]]],
        shift: Matrix,
    ) -> None:
        """`models`: as in `Right`, but those of entry i take the rows of all folds but i, and the last those of all."""
        super().__init__(True, folds, seed)
        self.names, self.models, self.shift = {name: i for i, name in enumerate(names)}, models, shift
        decisions, k = models[0][0][0].shape
        self.sums = np.zeros((len(models), len(models[0]), decisions, k + 1))

    def take(self, x: Matrix, at: Ints | None, names: Sequence[Any], fold: Ints | None) -> None:
        """Add up."""
        truth = np.array([self.names.get(name, -1) for name in names], dtype=np.int64)[at]
        decisions = self.sums.shape[2]
        own = truth[:, None] == (np.arange(decisions) if decisions > 1 else [1])
        away = x - self.shift
        for i, models in enumerate(self.models):
            for j, (coefficients, intercepts) in enumerate(models):
                m = beyond(x @ coefficients.T + intercepts, own)
                if fold is not None:
                    m[fold == i] = 0  # no row is in the fold of the last models
                self.sums[i, j, :, 0] += m.sum(axis=0)
                self.sums[i, j, :, 1:] += m.T @ away

    def taken(self) -> Iterator[tuple[int, bytes]]:
        """All sums, once."""
        yield 0, self.sums.astype("<f8").tobytes()

    @staticmethod
    def merged(before: bytes, taken: bytes) -> bytes:
        """The sums of both."""
        return bytes(np.frombuffer(before, "<f8") + np.frombuffer(taken, "<f8"))


def beyond(decisions: Matrix, own: Mask) -> Matrix:
    """How far decisions are beyond their target: 1 where `own`, else -1. 0 for those that are not."""
    return np.asarray(np.where(own, np.maximum(decisions - 1, 0), np.minimum(decisions + 1, 0)))


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


def feed(take: Taking, evaluation: Evaluation, part: pa.Table, target: str) -> None:
    """Evaluate source rows, and take those without NULL. `target`: the column of labels, or `LABEL`."""
    joined = None
    if target == LABEL:
        joined = part.column(LABEL)
        part = part.drop_columns([LABEL])
    kept, z, missing = evaluation.rows(part)
    frame = evaluation.job.frame
    if joined is None:
        labels = kept.column(target)
    elif evaluation.job.grouped or frame.layout == "long":  # a row for each key: its first label
        first = np.unique(codes(part.column(str(frame.key)))[0], return_index=True)[1]
        labels = joined.take(pa.array(first))
    else:
        labels = joined
    take_rows(take, z, labels, None if frame.key is None else kept.column(frame.key), missing)


def take_rows(take: Taking, z: Matrix, labels: pa.ChunkedArray, keys: pa.ChunkedArray | None, missing: Any) -> None:
    """Take the rows that have a label and no NULL. `missing`: which rows have one; None if no row has."""
    there = pc.is_valid(labels).to_numpy()
    if missing is not None:
        there = there & ~missing
    if not there.all():
        mask = pa.array(there)
        z, labels = z[there], labels.filter(mask)
        keys = None if keys is None else keys.filter(mask)
    if len(z):
        take(z, labels, keys)


class WorkerTask(Task):
    """A task that gives what is taken of a part of the rows: the columns `fold` and `taken`."""

    def __init__(self, job: Job, key: str | None, take: Taking, target: str) -> None:
        """`target`: as in `feed`."""
        super().__init__(job, key)
        self.take, self.target = take, target

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A row for each fold, at the end."""
        more, take = [LABEL] if self.target == LABEL else [], deepcopy(self.take)  # a worker calls it for each part
        for part in self.parts(batches, more):
            feed(take, self.evaluation, part, self.target)
        yield from _batches(take.taken())


class Merging:
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


__all__ = ["LABEL", "Merging", "Moved", "Right", "Sums", "Taking", "WorkerTask", "chosen", "feed", "take_rows"]
