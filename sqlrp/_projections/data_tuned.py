"""Data-tuned projection (DT-RP): a ±1/0 table improved by a guided random search on a sample."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from sqlrp._core.draw import Purpose, Signs, check_s, draw_signs, hashes, resolve_s, thresholds
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_whole, shortest
from sqlrp._projections.held_arrays import Shapes
from sqlrp._projections.sparse import SparseProjection
from sqlrp._projections.trained import Matrix, Progress, TrainedProjection, check_rows
from sqlrp._stages import Stage, WeightedSums


@dataclass(frozen=True)
class DataTunedProjection(TrainedProjection):
    """Signed sums with a ±1/0 table tuned to data by a guided random search (data-tuned paper, Algorithm 1).

    Each of `n_iter` iterations replaces one of the k vectors by a new one, and keeps it if the mean distortion of the
    sample's squared distances decreases (eq. 7). An iteration costs O(nd + n²) (eq. 11). The table stays sparse and
    integer. The same `seed` and sample give the same table.

    Raises ParameterError for k < 1, s < 1, n_iter < 0, sample < 2 or a seed outside 0 … 2⁵³-1.

        >>> tuned = sqlrp.fit(sqlrp.DataTunedProjection(k=2, s=1, n_iter=100), "points", con)
        >>> sqlrp.project(tuned, "points", con).num_rows
        50
    """

    use: ClassVar[str] = "distances of rows like the sample, with a smaller error"

    s: float | str = "sqrt"
    n_iter: int = 4000

    also: ClassVar[tuple[str, ...]] = ("dt-rp",)
    parameter_help: ClassVar[Mapping[str, str]] = {
        "s": SparseProjection.help_by_parameter()["s"],
        "n_iter": "steps of the search",
    }

    def check_own(self) -> None:
        check_s(self.s)
        object.__setattr__(self, "s", shortest(self.s))
        check_whole("n_iter", self.n_iter, 0)

    def best_of(self, n: int, x: Matrix) -> SparseProjection:
        """The best of n drawn tables (section 4.2), with seeds seed … seed + n - 1: the one that distorts x least."""
        check_whole("n", n, 1)
        check_rows(x, 2, "a comparison")
        s = resolve_s(self.s, x.shape[1])
        losses = [GuidedSearch(x, self.k, s, self.seed + i).loss for i in range(n)]
        return SparseProjection(k=self.k, s=self.s, seed=self.seed + int(np.argmin(losses)))

    def fit(self, x: Matrix, progress: Progress | None = None) -> Self:
        """Tune on the rows of x. KeyboardInterrupt or True from `progress` stops with the best table so far."""
        check_rows(x, 2, "tuning")
        search = GuidedSearch(x, self.k, resolve_s(self.s, x.shape[1]), self.seed, self.n_iter)
        try:
            for i in range(self.n_iter):
                search.step()
                if progress is not None and progress(i + 1, search.loss):
                    break
        except KeyboardInterrupt:
            pass
        return self.with_arrays(signs=search.signs)

    @property
    def shapes(self) -> Shapes:
        return {"signs": (self.rows(), self.k)}

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One stage of signed sums over the tuned table."""
        return (WeightedSums(self.arrays["signs"]),)

    def factor(self, n_features: int | None) -> float:
        return math.sqrt(resolve_s(self.s, len(self.arrays["signs"])) / self.k)

    @property
    def iterations(self) -> int:
        return self.n_iter

    def shrinking_error(self, n_features: int) -> float | None:
        """The error of the drawn table before tuning."""
        return SparseProjection(self.k, s=self.s).back_error(n_features)


_PAIRS = 1 << 15  # pairs measured at once: they fit in the cache, and are too few for BLAS to use threads
_DRAWN = 1 << 16  # entries of new vectors drawn at once


class GuidedSearch:
    """The state of the guided random search: the table, and the distances' errors on the sample.

    Each pair is stored once, in blocks of rows that are small enough for the processor's cache. A block has the columns
    from its first row on. Entries below the diagonal have weight 0.
    """

    def __init__(self, x: Matrix, k: int, s: float, seed: int, most: int = _DRAWN) -> None:
        """Draw the first table and measure it. `most`: the expected number of steps."""
        x = np.asarray(x, dtype=np.float64)
        self.x, self.k, self.s, self.seed = x - x.mean(axis=0), k, s, seed  # smaller numbers, with the same distances
        self.features = np.arange(x.shape[1], dtype=np.int64)
        self.signs: Signs = draw_signs(self.features, k, s, seed).copy()
        self.projected = self._project(self.signs)
        true = squared_distances(self.x)
        weight = np.triu(np.divide(1, true, out=np.zeros_like(true), where=true > 0))
        weight /= max(np.count_nonzero(weight), 1)
        height = max(_PAIRS // len(x), 1)
        self._rows = [slice(i, min(i + height, len(x))) for i in range(0, len(x), height)]
        self._weights = self._blocks(weight)
        self._errors = self._blocks(squared_distances(self.projected) - true)
        self._tried = [np.empty_like(block) for block in self._errors]
        self._spare = np.empty(max(block.size for block in self._errors))
        self.loss = sum(map(self._loss, self._errors, self._weights))
        self.done = 0
        self._batch = max(min(_DRAWN // self.features.size, most), 1)  # new vectors drawn at once

    def step(self) -> bool:
        """Try one new vector; returns whether it was kept."""
        at = self.done % self._batch
        if not at:
            self._draw()
        self.done += 1
        c, column = int(self._places[at]), self._columns[:, at]
        old = self.projected[:, c]
        # (new_i - new_j)² - (old_i - old_j)² of all pairs, as a product of two narrow matrices.
        own, one = column**2 - old**2, np.ones_like(old)
        left = np.column_stack([own, one, column, old])
        right = np.stack([one, own, -2 * column, 2 * old])
        loss = 0.0
        for rows, errors, weights, tried in zip(self._rows, self._errors, self._weights, self._tried, strict=True):
            np.matmul(left[rows], right[:, rows.start :], out=tried)
            np.add(tried, errors, out=tried)
            loss += self._loss(tried, weights)
        if loss >= self.loss:
            return False
        self.loss, self._errors, self._tried = loss, self._tried, self._errors
        self.projected[:, c] = column
        self.signs[:, c] = self._vectors[:, at]
        return True

    def _draw(self) -> None:
        """Draw the next vectors and their places in the table."""
        at = np.arange(self.done, self.done + self._batch, dtype=np.int64)
        self._places = hashes(self.seed, Purpose.SEARCH, np.zeros(1, dtype=np.int64), at)[0] % self.k
        # These vectors follow the first k of the same table, so all are independent.
        h = hashes(self.seed, Purpose.SIGNS, self.k + at, self.features).T
        low, high = thresholds(self.s)
        self._vectors: Signs = np.where(h < low, 1, np.where(h < high, -1, 0)).astype(np.int8)
        self._columns = self._project(self._vectors)

    def _project(self, signs: Signs) -> Matrix:
        return np.asarray(self.x @ signs.astype(np.float64)) * math.sqrt(self.s / self.k)

    def _blocks(self, pairs: Matrix) -> list[Matrix]:
        return [np.ascontiguousarray(pairs[rows, rows.start :]) for rows in self._rows]

    def _loss(self, errors: Matrix, weights: Matrix) -> float:
        """The contribution of a block to the mean distortion (eq. 7)."""
        sizes = np.abs(errors, out=self._spare[: errors.size].reshape(errors.shape))
        return float(np.einsum("i,i->", sizes.reshape(-1), weights.reshape(-1)))


def squared_distances(x: Matrix) -> Matrix:
    """‖x_i - x_j‖² for all pairs of rows: shape (rows, rows), zeros on the diagonal."""
    gram = x @ x.T
    own = np.diag(gram)
    out = np.maximum(own[:, None] + own[None, :] - 2 * gram, 0.0)
    np.fill_diagonal(out, 0.0)
    return np.asarray(out)
