"""How well a projection keeps distances and neighbours: arrays in, numbers out.

Rows are compared in the feature space of a kernel (⟨x, y⟩ + c)^degree, given as (degree, c); (1, 0.0) is the space
of the rows themselves. Every function that takes pairs has them in the order of numpy.triu_indices(n, 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sqlrp.errors import ParameterError

Floats = npt.NDArray[np.float64]
Rows = npt.ArrayLike

LINEAR = (1, 0.0)
"""The kernel whose feature space is that of the rows."""

ROUNDING = 1e-12
"""A squared distance below this part of K(x,x)+K(y,y) cannot be told from rounding, and counts as 0."""


@dataclass(frozen=True)
class Summary:
    """The mean of some values, and their 5th, 50th and 95th percentiles (between values: linear)."""

    mean: float
    q05: float
    median: float
    q95: float

    @staticmethod
    def of(values: npt.ArrayLike) -> Summary:
        """Sum up values; raises ParameterError where there are none."""
        v = np.asarray(values, dtype=np.float64)
        if not v.size:
            raise ParameterError("values = [] hold nothing to sum up: pass at least one")
        return Summary(float(v.mean()), *(float(q) for q in np.quantile(v, [0.05, 0.5, 0.95])))


def kernel_matrix(x: Rows, kernel: tuple[int, float] = LINEAR) -> Floats:
    """K(x, y) = (⟨x, y⟩ + c)^degree of all rows with all rows.

    `x`: shape (n, d). Returns shape (n, n). Raises ParameterError unless x is a matrix.
    """
    rows = _matrix("x", x)
    degree, c = kernel
    return np.asarray((rows @ rows.T + c) ** degree)


def squared_distances(gram: Rows) -> Floats:
    """‖φ(x)-φ(y)‖² = K(x,x) + K(y,y) - 2·K(x,y) of all pairs (thesis eq. 4.19, whose print lost a sign).

    `gram`: the kernel matrix, shape (n, n); for plain distances x @ x.T. Returns shape (n·(n-1)/2,), in squared
    units of x to the degree; what rounding alone may have left is 0. Raises ParameterError unless gram is square.
    """
    k = _matrix("gram", gram)
    if k.shape[0] != k.shape[1]:
        raise ParameterError(f"gram of shape {k.shape} must be square: pass x @ x.T, or kernel_matrix(x)")
    pairs = np.triu_indices(len(k), 1)
    own = np.diag(k)
    scale = (own[:, None] + own[None, :])[pairs]
    squared = scale - 2 * k[pairs]
    return np.where(squared <= ROUNDING * scale, 0.0, squared)


def distortion(z: Rows, true_sq: Rows) -> Floats:
    """| ‖f(x)-f(y)‖² - ‖φ(x)-φ(y)‖² | / ‖φ(x)-φ(y)‖² of every pair (thesis eq. 4.18).

    `z`: projected rows, shape (n, k); `true_sq`: the true squared distances, as `squared_distances` gives them.
    Returns a number without unit for every pair apart; pairs at distance 0 have none.
    """
    got, true = _apart(z, true_sq)
    return np.abs(got - true) / true


def mean_distortion(z: Rows, true_sq: Rows) -> float:
    """The mean of `distortion`: near 2/√(πk) for a Gaussian projection."""
    return Summary.of(distortion(z, true_sq)).mean


def ratios(z: Rows, true_sq: Rows) -> Floats:
    """‖f(x)-f(y)‖ / ‖φ(x)-φ(y)‖ of every pair apart (random subspace paper, 4.2); arguments as in `distortion`."""
    got, true = _apart(z, true_sq)
    return np.sqrt(got / true)


def kernel_error(z: Rows, kernel: Rows) -> float:
    """‖ZZᵀ - K‖ / ‖K‖ in the Frobenius norm: how far the inner products of `z` are from the kernel's values.

    `z`: shape (n, k); `kernel`: shape (n, n), as `kernel_matrix` gives it.
    """
    rows, k = _matrix("z", z), _matrix("kernel", kernel)
    if k.shape != (len(rows), len(rows)):
        raise ParameterError(f"kernel of shape {k.shape} must have a row and a column for each of the {len(rows)} of z")
    return float(np.linalg.norm(rows @ rows.T - k) / np.linalg.norm(k))


def recall(x: Rows, z: Rows, at: int = 5, kernel: tuple[int, float] = LINEAR) -> float:
    """The part of the `at` nearest neighbours in `x` that are among the `at` nearest in `z` (data-tuned RP, eq. 12).

    Each row is a query, and all the others are the database. Raises ParameterError unless 1 ≤ at ≤ n-1.
    """
    return recall_of(q_nx(x, z, kernel), at)


def recall_of(q: Rows, at: int) -> float:
    """The recall at one size of neighbourhood, from Q_NX of all."""
    found = np.asarray(q, dtype=np.float64)
    if isinstance(at, bool) or not isinstance(at, (int, np.integer)) or not 1 <= at <= len(found):
        raise ParameterError(f"at = {at!r} must be a whole number from 1 to {len(found)}, the other rows: lower it")
    return float(found[at - 1])


def q_nx(x: Rows, z: Rows, kernel: tuple[int, float] = LINEAR) -> Floats:
    """Q_NX(K), the recall at K averaged over all rows, for K = 1 … n-1 (data-tuned RP, eq. 13).

    `x`: shape (n, d); `z`: shape (n, k). Of neighbours at one distance the first row counts as nearer.
    """
    return q_nx_of(shared_ranks(squared_distances(kernel_matrix(x, kernel)), _squared(z, len(_matrix("x", x)))))


def shared_ranks(true_sq: Floats, got_sq: Floats) -> npt.NDArray[np.int64]:
    """How many neighbours come to be shared as K grows: entry K-1 counts those whose worse rank of the two is K.

    A row's neighbour is in both sets of K nearest once K reaches the worse of its ranks, so the running sum is all
    that Q_NX needs. Arguments: squared distances of the pairs. Returns shape (n-1,).
    """
    worse = np.maximum(_ranks(true_sq), _ranks(got_sq))
    return np.bincount(worse.reshape(-1), minlength=worse.shape[1] + 1)[1:]


def q_nx_of(counts: npt.ArrayLike) -> Floats:
    """Q_NX(K) for K = 1 … n-1 from the counts of `shared_ranks`."""
    shared = np.cumsum(np.asarray(counts, dtype=np.int64))
    others = len(shared)
    return np.asarray(shared / ((others + 1) * np.arange(1, others + 1)))


def r_nx(q: Rows) -> Floats:
    """R_NX(K) = ((n-1)·Q_NX(K) - K) / (n-1-K) for K = 1 … n-2 (data-tuned RP, eq. 14): 1 is perfect, 0 is chance.

    `q`: what `q_nx` gives. Raises ParameterError for fewer than three rows.
    """
    found = np.asarray(q, dtype=np.float64)
    others = len(found)
    if others < 2:
        raise ParameterError(f"q = {found.tolist()} is of {others + 1} rows, and R_NX needs at least 3: pass more rows")
    sizes = np.arange(1, others)
    return (others * found[:-1] - sizes) / (others - sizes)


def auc(r: Rows) -> float:
    """Σ R_NX(K)/K / Σ 1/K (data-tuned RP, eq. 15): the area under R_NX over log K, from -1 to 1.

    `r`: what `r_nx` gives.
    """
    found = np.asarray(r, dtype=np.float64)
    weights = 1 / np.arange(1, len(found) + 1)
    return float(found @ weights / weights.sum())


def regularity(x: Rows, reflect: bool = False) -> Floats:
    """c = d·max_j x_j² / ‖x‖² of every row: 1 for a row of equal sizes, d for a single entry.

    With `reflect` the paper's c', which is c of the row after the Householder reflection x_j - 2·Σx/d (random
    subspace paper, Theorems 1 and 3). The bounds on distances need c of the differences of rows (proof, A.1): pass
    those for a guarantee. `x`: shape (n, d). Returns shape (n,); NaN for rows of zeros.
    """
    rows = _matrix("x", x)
    if reflect:
        rows = rows - 2 * rows.mean(axis=1, keepdims=True)
    squares = rows**2
    with np.errstate(invalid="ignore"):
        return np.asarray(rows.shape[1] * squares.max(axis=1) / squares.sum(axis=1))


def _matrix(name: str, value: Rows) -> Floats:
    matrix = np.asarray(value, dtype=np.float64)
    if matrix.ndim != 2 or not matrix.size:
        raise ParameterError(f"{name} of shape {matrix.shape} must be a matrix with rows and columns")
    return matrix


def _squared(z: Rows, n: int) -> Floats:
    rows = _matrix("z", z)
    if len(rows) != n:
        raise ParameterError(f"z has {len(rows)} rows and must have {n}, one for each that was projected")
    return squared_distances(rows @ rows.T)


def _apart(z: Rows, true_sq: Rows) -> tuple[Floats, Floats]:
    rows, true = _matrix("z", z), np.asarray(true_sq, dtype=np.float64)
    got = squared_distances(rows @ rows.T)
    if true.shape != got.shape:
        raise ParameterError(
            f"true_sq of shape {true.shape} must hold the {got.size} pairs of the {len(rows)} rows of z: "
            "pass squared_distances(x @ x.T)"
        )
    apart = true != 0
    return got[apart], true[apart]


def _ranks(squared: Floats) -> npt.NDArray[np.int64]:
    """The rank (from 1) of every other row among a row's neighbours: shape (n, n-1)."""
    n = (1 + round((1 + 8 * len(squared)) ** 0.5)) // 2
    full = np.zeros((n, n))
    full[np.triu_indices(n, 1)] = squared
    full += full.T
    others = full[~np.eye(n, dtype=bool)].reshape(n, n - 1)
    return np.asarray(others.argsort(axis=1, kind="stable").argsort(axis=1) + 1)


def histogram(values: Rows, width: float) -> Sequence[tuple[float, int]]:
    """The lower edges and counts of the bins, `width` wide and counted from 0, that hold any value."""
    bins, counts = np.unique(np.floor(np.asarray(values, dtype=np.float64) / width), return_counts=True)
    return tuple((float(b) * width, int(n)) for b, n in zip(bins, counts, strict=True))
