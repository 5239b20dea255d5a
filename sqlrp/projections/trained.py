"""Methods that need a sample: a tuned ±1/0 table (DT-RP), and the papers' baselines with landmarks or components.

`sqlrp.fit` draws the sample inside the database and returns the fitted projection, which holds what it learnt as
text: so it is saved, compared and applied like any other. Applying is SQL, with nothing of the sample but this.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp.core.draw import (
    Purpose,
    Signs,
    check_s,
    draw_normals,
    draw_permutation,
    draw_signs,
    hashes,
    real,
    resolve_s,
    thresholds,
)
from sqlrp.core.errors import ParameterError, SourceError
from sqlrp.kernels import Elsewhere, Kernel, Polynomial
from sqlrp.projections.base import Drawn, check_whole, shortest
from sqlrp.projections.holding import Holding, Shapes
from sqlrp.projections.sparse import SparseProjection
from sqlrp.stages import AppendConstant, Power, Stage, WeightedSums

Matrix = npt.NDArray[np.float64]
Progress = Callable[[int, float], bool]
"""Called with the iterations done and the loss; a true answer stops."""


@dataclass(frozen=True)
class Trained(Holding, Drawn):
    """A projection whose arrays `fit` learns from a sample."""

    sample: int = 500

    missing: ClassVar[str] = "learns from data and is not fitted: use sqlrp.fit(projection, source, con)"

    def check(self) -> None:
        """Check sample and state, then what the method adds."""
        check_whole("sample", self.sample, 2)
        super().check()
        self.check_own()

    @abstractmethod
    def check_own(self) -> None:
        """Check the parameters that the method adds."""

    @abstractmethod
    def fit(self, x: Matrix, progress: Progress | None = None) -> Self:
        """The projection fitted on the rows of x, shape (rows, features)."""


def check_rows(x: Matrix, needed: int, what: str) -> None:
    """Raise SourceError for a sample with too few rows or numbers that are not finite."""
    if len(x) < needed:
        raise SourceError(
            f"the sample has {len(x)} rows, {what} needs at least {needed}: take a larger sample or source"
        )
    if not np.isfinite(x).all():
        raise SourceError("the sample holds NULL, NaN or infinity, which nothing can be learnt from: clean those rows")


@dataclass(frozen=True)
class DataTunedProjection(Trained):
    """Signed sums with a ±1/0 table tuned to data by a guided random search (DT-RP; Algorithm 1).

    `n_iter` times one of the k vectors is replaced by a new one, and kept if the mean distortion of the
    sample's squared distances falls (eq. 7), at O(nd + n²) an iteration (eq. 11). The table stays sparse and
    integer. `seed` fixes the table for a given sample.

    Raises ParameterError for k < 1, s < 1, n_iter < 0, sample < 2 or a seed outside 0 … 2⁵³-1.
    """

    s: float | str = "sqrt"
    n_iter: int = 4000

    def check_own(self) -> None:
        """Check s and n_iter."""
        check_s(self.s)
        object.__setattr__(self, "s", shortest(self.s))
        check_whole("n_iter", self.n_iter, 0)

    def best_of(self, n: int, x: Matrix) -> SparseProjection:
        """The best of n drawn tables (section 4.2): the seed of seed … seed + n - 1 with the least distortion of x."""
        check_whole("n", n, 1)
        check_rows(x, 2, "a comparison")
        s = resolve_s(self.s, x.shape[1])
        losses = [Search(x, self.k, s, self.seed + i).loss for i in range(n)]
        return SparseProjection(k=self.k, s=self.s, seed=self.seed + int(np.argmin(losses)))

    def fit(self, x: Matrix, progress: Progress | None = None) -> Self:
        """Tune on the rows of x; KeyboardInterrupt, or a true answer of `progress`, ends it with the best so far."""
        check_rows(x, 2, "tuning")
        search = Search(x, self.k, resolve_s(self.s, x.shape[1]), self.seed, self.n_iter)
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
        """The table."""
        return {"signs": (self.rows(), self.k)}

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One stage of signed sums over the tuned table."""
        return (WeightedSums(self.arrays["signs"]),)

    def factor(self, n_features: int | None) -> float:
        """√(s/k)."""
        return math.sqrt(resolve_s(self.s, len(self.arrays["signs"])) / self.k)


_PAIRS = 1 << 15  # pairs measured at once: in the processor's cache, and too few for BLAS to wake its threads
_DRAWN = 1 << 16  # entries of new vectors drawn at once


class Search:
    """The state of the guided random search: the table, and the distances' errors on the sample.

    Pairs are held once: blocks of rows, each with the columns from its first row on, small enough for the
    processor's cache. What lies below the diagonal has weight 0.
    """

    def __init__(self, x: Matrix, k: int, s: float, seed: int, most: int = _DRAWN) -> None:
        """Draw the first table and measure it; `most` steps are expected."""
        x = np.asarray(x, dtype=np.float64)
        self.x, self.k, self.s, self.seed = x - x.mean(axis=0), k, s, seed  # small numbers: distances are the same
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
        """Try one new vector; whether it was kept."""
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
        """The next vectors and their places in the table."""
        at = np.arange(self.done, self.done + self._batch, dtype=np.int64)
        self._places = hashes(self.seed, Purpose.SEARCH, np.zeros(1, dtype=np.int64), at)[0] % self.k
        # The vectors beyond the first k of the same table: independent of them and of one another.
        h = hashes(self.seed, Purpose.SIGNS, self.k + at, self.features).T
        low, high = thresholds(self.s)
        self._vectors: Signs = np.where(h < low, 1, np.where(h < high, -1, 0)).astype(np.int8)
        self._columns = self._project(self._vectors)

    def _project(self, signs: Signs) -> Matrix:
        return np.asarray(self.x @ signs.astype(np.float64)) * math.sqrt(self.s / self.k)

    def _blocks(self, pairs: Matrix) -> list[Matrix]:
        return [np.ascontiguousarray(pairs[rows, rows.start :]) for rows in self._rows]

    def _loss(self, errors: Matrix, weights: Matrix) -> float:
        """A block's part of the mean distortion (eq. 7)."""
        sizes = np.abs(errors, out=self._spare[: errors.size].reshape(errors.shape))
        return float(np.einsum("i,i->", sizes.reshape(-1), weights.reshape(-1)))


def squared_distances(x: Matrix) -> Matrix:
    """‖x_i - x_j‖² of all rows: shape (rows, rows), zeros on the diagonal."""
    gram = x @ x.T
    own = np.diag(gram)
    out = np.maximum(own[:, None] + own[None, :] - 2 * gram, 0.0)
    np.fill_diagonal(out, 0.0)
    return np.asarray(out)


@dataclass(frozen=True)
class KernelProjection(Trained):
    """The kernel (⟨x, l⟩ + c)^degree with landmarks l, then weighted sums of those values."""

    degree: int = 2
    c: float = 0.0

    optional: ClassVar[str] = "gamma"

    def check_own(self) -> None:
        """Check degree and c."""
        check_whole("degree", self.degree, 1)
        if not 0 <= real(self.c) < math.inf:
            raise ParameterError(f"c = {self.c!r} must be a finite number >= 0: the kernel is (<x, y> + c)^degree")
        object.__setattr__(self, "c", float(self.c) + 0.0)

    def kernel_of(self, x: Matrix, y: Matrix) -> Matrix:
        """The kernel's values between the rows of x and of y."""
        return np.asarray((x @ y.T + self.c) ** self.degree)

    @property
    def shapes(self) -> Shapes:
        """A column for each landmark, the weights of their kernel values, and scikit-learn's gamma."""
        return {"landmarks": (self.rows(), "landmarks"), "weights": ("landmarks", self.k), "gamma": ()}

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """Inner products with the landmarks, their powers, the weighted sums."""
        arrays = self.arrays
        return (WeightedSums(arrays["landmarks"]), Power(self.c, self.degree), WeightedSums(arrays["weights"]))

    def factor(self, n_features: int | None) -> float:
        """1: the weights hold it."""
        return 1.0

    def kernel(self) -> Kernel:
        """(γ⟨x, y⟩ + c)^degree, γ the gamma of the state where there is one, else 1."""
        gamma = float(self.arrays.get("gamma", 1.0))
        return Polynomial(self.degree, self.c / gamma, gamma**self.degree)

    def _fitted(self, landmarks: Matrix, weights: Matrix) -> Self:
        return self.with_arrays(landmarks=np.ascontiguousarray(landmarks.T), weights=weights)


@dataclass(frozen=True)
class NystroemProjection(KernelProjection):
    """The kernel's values at k landmarks of the sample, times W^{-1/2} of the landmarks' own kernel matrix W.

    Inner products approximate the kernel (Williams and Seeger 2001; thesis, ch. 4, baseline).
    Raises ParameterError for k or degree < 1, c < 0; SourceError for a sample of fewer than k rows.
    """

    def fit(self, x: Matrix, progress: Progress | None = None) -> Self:
        """Take k rows of x as landmarks."""
        check_rows(x, self.k, "a landmark for each component")
        landmarks = x[draw_permutation(len(x), self.seed, Purpose.SAMPLE)[: self.k]]
        return self._fitted(landmarks, inverse_root(self.kernel_of(landmarks, landmarks)))


VARIANTS = ("gaussian", "orthonormal", "kpca")


@dataclass(frozen=True)
class KernelGaussianProjection(KernelProjection):
    """Random projection in the kernel's feature space, its vectors made of p landmarks (KG-RP; thesis 2.4, 4.3.4).

    `variant` "gaussian": w = √((p-1)/t)·K^{-1/2}·e_S, e_S one at t of the p landmarks less t/p, as Kulis and
    Grauman; "orthonormal" (KORP): orthonormal vectors K^{-1/2}·Q times √(p/k); "kpca" (KPCA-RP): normal combinations
    of the kernel's principal directions. p = `sample`. Times 1/√k.
    Raises ParameterError for k, t or degree < 1, t > p, k > p where orthonormal, another variant.
    """

    t: int = 10
    variant: str = "gaussian"

    def check_own(self) -> None:
        """Check t and variant, then degree and c."""
        super().check_own()
        check_whole("t", self.t, 1, self.sample, ", the landmarks (sample)")
        if self.variant not in VARIANTS:
            raise ParameterError(f"variant = {self.variant!r} must be one of {', '.join(VARIANTS)}")
        if self.variant == "orthonormal" and self.k > self.sample:
            raise ParameterError(
                f"k = {self.k} orthonormal vectors need as many landmarks: raise sample = {self.sample}"
            )

    def fit(self, x: Matrix, progress: Progress | None = None) -> Self:
        """Take all rows of x as landmarks."""
        check_rows(x, max(2, self.t, self.k if self.variant == "orthonormal" else 0), "this variant")
        p = len(x)
        root = inverse_root(self.kernel_of(x, x))
        numbers = np.arange(p, dtype=np.int64)
        if self.variant == "gaussian":
            order = np.argsort(hashes(self.seed, Purpose.INDEX, np.arange(self.k, dtype=np.int64), numbers), axis=1)
            chosen = np.full((p, self.k), -self.t / p)
            chosen[order[:, : self.t].T, np.arange(self.k)] += 1
            weights = root @ chosen * math.sqrt((p - 1) / self.t)
        else:
            normals = draw_normals(numbers, self.k, self.seed)
            if self.variant == "orthonormal":
                normals = np.linalg.qr(normals)[0] * math.sqrt(p)
            weights = root @ normals
        return self._fitted(x, weights / math.sqrt(self.k))


def inverse_root(kernel: Matrix) -> Matrix:
    """K^{-1/2}, directions with no variance left out."""
    values, vectors = np.linalg.eigh(kernel)
    kept = values > max(values.max(), 0) * len(values) * np.finfo(np.float64).eps
    return np.asarray((vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T)


@dataclass(frozen=True)
class PrincipalComponents(Trained):
    """The k principal components of the sample, scaled by √(tr Σ / tr Σ_{1:k}) so that distances keep their mean.

    Raises ParameterError for k < 1; SourceError for k over the number of features or of the sample's rows.
    """

    def check_own(self) -> None:
        """Nothing more."""

    def fit(self, x: Matrix, progress: Progress | None = None) -> Self:
        """The eigenvectors of the sample's covariance; the mean is subtracted by a constant feature."""
        check_rows(x, self.k, "a row for each component")
        if self.k > x.shape[1]:
            raise SourceError(f"k = {self.k} must be at most the number of features = {x.shape[1]}: lower k")
        mean = x.mean(axis=0)
        _, sizes, directions = np.linalg.svd(x - mean, full_matrices=False)
        directions = directions[: self.k] * np.sign(directions[: self.k, :1] + 0.5)  # one sign on every machine
        variance = sizes**2
        scale = math.sqrt(variance.sum() / max(variance[: self.k].sum(), np.finfo(np.float64).tiny))
        weights = np.vstack([directions.T, -(directions @ mean)[None, :]])
        return replace(self, bound_to=self.bound_to or x.shape[1]).with_arrays(
            weights=weights, scale=np.array(scale), mean=mean
        )

    @property
    def shapes(self) -> Shapes:
        """The components, the constant's row last; the mean is kept for back projections."""
        return {"weights": (self.rows(1), self.k), "scale": (), "mean": (self.rows(),)}

    def caution(self, n_features: int | None) -> str:
        """Nothing: as many components as features are a rotation, which may be what is wanted."""
        return ""

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """A constant for the mean, weighted sums."""
        return AppendConstant(1.0), WeightedSums(self.arrays["weights"])

    def factor(self, n_features: int | None) -> float:
        """√(tr Σ / tr Σ_{1:k})."""
        return float(self.arrays["scale"])

    def kernel(self) -> Kernel:
        """⟨x, y⟩ about the sample's mean: its distances."""
        return Elsewhere()
