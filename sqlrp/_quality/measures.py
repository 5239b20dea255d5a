"""Measures of how well a projection keeps distances and neighbours, for arrays.

Rows are compared in the feature space of a kernel of `sqlrp.kernels`; a pair (degree, c) means (⟨x, y⟩ + c)^degree.
Pairs of rows are always in the order of numpy.triu_indices(n, 1).

Neighbours with the same distance are in random order. A measure that depends on their order is an expected value: all
orders of tied neighbours are equally likely, and the orders before and after the projection are independent. So the
order of the rows does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError
from sqlrp._core.values import dataclass
from sqlrp._quality.apart import EXACT, Apart, RoundingBound, apart
from sqlrp.kernels import LINEAR, Kernel, as_kernel

Floats = npt.NDArray[np.float64]
Rows = npt.ArrayLike

_OF_GRAM = 1e-12
"""A squared distance below this fraction of K(x,x)+K(y,y), whose difference it is, counts as 0."""
EDGE = 1e-9
"""A value below an edge by this fraction of a bin is on the edge, so that rounding does not separate equal values."""


@dataclass(frozen=True)
class Summary:
    """The mean of some values, their 5th, 50th and 95th percentiles (interpolated linearly), and the largest.

    >>> sqlrp._quality.Summary.of([1, 2, 3, 4]).median
    2.5
    """

    mean: float
    q05: float
    median: float
    q95: float
    most: float

    @staticmethod
    def of(values: npt.ArrayLike) -> Summary:
        """Summarise values; raises ParameterError if there are none."""
        v = np.asarray(values, dtype=np.float64)
        if not v.size:
            raise ParameterError("values = [] hold nothing to sum up: pass at least one")
        return Summary(float(v.mean()), *(float(q) for q in np.quantile(v, [0.05, 0.5, 0.95, 1])))


@dataclass(frozen=True)
class Interval:
    """An interval around a mean over pairs, for the choice of the rows."""

    low: float
    high: float
    level: float = 0.95
    """the share of samples whose interval contains the mean of all rows, if the rows are many"""

    @property
    def width(self) -> float:
        """From low to high."""
        return self.high - self.low


_NORMAL = 1.959963984540054
"""95% of a normal distribution are within so many standard deviations."""


def interval(counts: npt.ArrayLike, sums: npt.ArrayLike) -> Interval:
    """The 95% interval of a mean over pairs of sampled rows, by the jackknife over rows.

    `counts`, `sums`: for each row the number of its pairs and the sum of their values, shape (n,). A pair counts for
    both of its rows. Two pairs with a row in common are not independent, so that the deviation of the pairs says little
    about that of their mean. The jackknife leaves out one row with all of its pairs at a time, which needs the sums of
    the rows alone. NaN for fewer than 3 rows.

    Both ends are shifted by the skewness of what each row contributes (Hall 1992, section 3.3). It matters where few
    rows are unlike the others, such as landmarks, which their method keeps almost exactly: a sample with few of them
    has too large a mean, and too small a deviation. The shift makes both ends miss as often. A sample without a
    landmark cannot know of any: the intervals of 36 of 100 such samples contain the mean, and 95 to 98 of 100 others
    (`tests/bench/landmark_intervals.py`).
    """
    n, total = np.asarray(counts, dtype=np.float64), np.asarray(sums, dtype=np.float64)
    rest = n.sum() / 2 - n
    if len(n) < 3 or (rest <= 0).any():
        return Interval(np.nan, np.nan)
    mean, without = total.sum() / n.sum(), (total.sum() / 2 - total) / rest
    away = without.mean() - without
    deviation = float(np.sqrt((away**2).sum() * (len(n) - 1) / len(n)))
    spread = float(np.sqrt((away**2).mean()))
    skewness = float(((away / spread) ** 3).mean()) if spread else 0.0
    shift = skewness * (2 * _NORMAL**2 + 1) / (6 * float(np.sqrt(len(n)))) * deviation
    return Interval(float(mean - _NORMAL * deviation + shift), float(mean + _NORMAL * deviation + shift))


def by_row(n: int, apart: npt.NDArray[np.bool_], *values: Floats) -> tuple[tuple[float, ...], ...]:
    """For each of n rows with pairs the number of its pairs, and the sum of each of the values of its pairs.

    `apart`: which pairs have values, in the order of `squared_distances`.
    """
    ends = np.concatenate([end[apart] for end in np.triu_indices(n, 1)])
    counts = np.bincount(ends, minlength=n)
    sums = [np.bincount(ends, weights=np.tile(each, 2), minlength=n)[counts > 0].tolist() for each in values]
    return tuple(zip(counts[counts > 0].tolist(), *sums, strict=True))


def kernel_matrix(x: Rows, kernel: Kernel | tuple[int, float] = LINEAR) -> Floats:
    """K(x, y) of all rows with all rows.

    `x`: shape (n, d). `kernel`: one of `sqlrp.kernels`, or (degree, c) for (⟨x, y⟩ + c)^degree. Returns shape (n, n).
    Raises ParameterError if x is not a matrix or `kernel` not a kernel.

        >>> sqlrp._quality.kernel_matrix(x[:2], (2, 1.0))
        array([[  36.,  196.],
               [ 196., 1225.]])
    """
    return as_kernel(kernel).matrix(_matrix("x", x))


def squared_distances(gram: Rows) -> Floats:
    """‖φ(x)-φ(y)‖² = K(x,x) + K(y,y) - 2·K(x,y) of all pairs (thesis eq. 4.19, where a sign is missing).

    `gram`: the kernel matrix, shape (n, n); for plain distances x @ x.T. Returns shape (n·(n-1)/2,), in squared
    units of x to the degree. A value that may be due to rounding is 0. Rows far from 0 lose their digits in a gram:
    subtract their mean before, where the kernel is linear. Raises ParameterError unless gram is square.

        >>> sqlrp._quality.squared_distances(x @ x.T)
        array([13., 13.,  2., 26., 25., 17.])
    """
    k = _matrix("gram", gram)
    if k.shape[0] != k.shape[1]:
        raise ParameterError(f"gram of shape {k.shape} must be square: pass x @ x.T, or kernel_matrix(x)")
    pairs = np.triu_indices(len(k), 1)
    own = np.diag(k)
    scale = (own[:, None] + own[None, :])[pairs]
    squared = scale - 2 * k[pairs]
    return np.where(squared <= _OF_GRAM * scale, 0.0, squared)


def distortion(z: Rows, true_sq: Rows) -> Floats:
    """| ‖f(x)-f(y)‖² - ‖φ(x)-φ(y)‖² | / ‖φ(x)-φ(y)‖² of every pair (thesis eq. 4.18).

    `z`: projected rows, shape (n, k); `true_sq`: the true squared distances, as `squared_distances` gives them.
    Returns one number without unit per pair, except for pairs at distance 0.

        >>> sqlrp._quality.distortion(2 * x, sqlrp._quality.squared_distances(x @ x.T))
        array([3., 3., 3., 3., 3., 3.])
    """
    got, true = _both(z, true_sq)
    return np.abs(got - true) / true


def to_scale(z: Floats, true_sq: Floats) -> Floats:
    """The projected rows times one factor, with which their squared distances have the sum of the true ones."""
    got = float(apart(LINEAR, z).pairs.sum())
    return z if got == 0 else z * np.sqrt(float(true_sq.sum()) / got)


def mean_distortion(z: Rows, true_sq: Rows) -> float:
    """The mean of `distortion`: near 2/√(πk) for a Gaussian projection.

    >>> sqlrp._quality.mean_distortion(2 * x, sqlrp._quality.squared_distances(x @ x.T))
    3.0
    """
    return Summary.of(distortion(z, true_sq)).mean


def ratios(z: Rows, true_sq: Rows) -> Floats:
    """‖f(x)-f(y)‖ / ‖φ(x)-φ(y)‖ of every pair (random subspace paper, 4.2). The arguments are those of `distortion`.

    >>> sqlrp._quality.ratios(2 * x, sqlrp._quality.squared_distances(x @ x.T))
    array([2., 2., 2., 2., 2., 2.])
    """
    got, true = _both(z, true_sq)
    return np.sqrt(got / true)


def kernel_error(z: Rows, kernel: Rows) -> float:
    """‖ZZᵀ - K‖ / ‖K‖ in the Frobenius norm: the error of the inner products of `z`.

    `z`: shape (n, k); `kernel`: shape (n, n), as `kernel_matrix` gives it.

        >>> sqlrp._quality.kernel_error(x, sqlrp._quality.kernel_matrix(x))
        0.0
    """
    rows, k = _matrix("z", z), _matrix("kernel", kernel)
    if k.shape != (len(rows), len(rows)):
        raise ParameterError(f"kernel of shape {k.shape} must have a row and a column for each of the {len(rows)} of z")
    return float(np.linalg.norm(rows @ rows.T - k) / np.linalg.norm(k))


def recall(x: Rows, z: Rows, at: int = 5, kernel: Kernel | tuple[int, float] = LINEAR) -> float:
    """The share of the `at` nearest neighbours in `x` that are among the `at` nearest in `z` (data-tuned RP, eq. 12).

    Each row is a query, and all the others are the database. With ties it is the expected value.
    Raises ParameterError unless 1 ≤ at ≤ n-1.

        >>> sqlrp._quality.recall(x, x[:, :1], at=2)
        0.5625
    """
    return recall_of(q_nx(x, z, kernel), at)


def recall_of(q: Rows, at: int) -> float:
    """The recall for one number of neighbours, from Q_NX for all numbers."""
    found = np.asarray(q, dtype=np.float64)
    if isinstance(at, bool) or not isinstance(at, (int, np.integer)) or not 1 <= at <= len(found):
        raise ParameterError(f"at = {at!r} must be a whole number from 1 to {len(found)}, the other rows: lower it")
    return float(found[at - 1])


def q_nx(x: Rows, z: Rows, kernel: Kernel | tuple[int, float] = LINEAR) -> Floats:
    """Q_NX(K), the recall at K averaged over all rows, for K = 1 … n-1 (data-tuned RP, eq. 13).

    `x`: shape (n, d); `z`: shape (n, k). With ties it is the expected value. So even z = x gives a value below 1 if K
    splits a tie, as the two orders are independent.

        >>> sqlrp._quality.q_nx(x, x[:, :1])
        array([0.5   , 0.5625, 1.    ])
    """
    rows, z = _matrix("x", x), _matrix("z", z)
    if len(z) != len(rows):
        raise ParameterError(f"z has {len(z)} rows and must have {len(rows)}, one for each that was projected")
    return q_nx_of(shared_ranks(apart(as_kernel(kernel), rows), apart(LINEAR, z)))


def shared_ranks(true: Apart, got: Apart, rounding: RoundingBound = EXACT) -> Floats:
    """The increase of shared neighbours with K: entry K-1 is the expected number for K minus that for K-1.

    Q_NX follows from the running sum. `true` and `got`: the distances before and after, shape (n, n). `rounding`: that
    of the projected rows. Returns shape (n-1,).
    """
    nearer, tied = _places(true, EXACT.relative)
    nearer_after, tied_after = _places(got, rounding.relative)
    places = [p.reshape(-1) for p in (nearer, tied, nearer_after, tied_after)]
    return shared_of(places, np.ones(nearer.size), len(true.squared) - 1)


def shared_of(places: Sequence[npt.NDArray[np.int64]], counts: Floats, others: int) -> Floats:
    """`shared_ranks` from the ranks of neighbours, and the number of neighbours with each combination of ranks.

    `places`: the numbers of nearer and of tied neighbours before, and the same after: four arrays of equal length.

    A neighbour with l nearer and t tied ones, including itself, is among the K nearest with probability (K-l)/t, cut to
    0 … 1. It is shared with the product of its two probabilities. From K = max(l, l') on this product grows by
    (2K+1-l-l')/(tt') per step. Once one probability is 1, it grows by one over the other's t, until that is 1 too.
    """
    l1, t1, l2, t2 = places
    start, both = np.maximum(l1, l2), np.minimum(l1 + t1, l2 + t2)
    both, end = np.maximum(both, start), np.maximum(l1 + t1, l2 + t2)
    later = np.where(l1 + t1 > l2 + t2, t1, t2)
    product = t1.astype(np.float64) * t2
    first, last = (2 * start + 1 - l1 - l2) / product, (2 * both - 1 - l1 - l2) / product
    grows, alone = both > start, end > both
    steps, slopes = np.zeros(others + 2), np.zeros(others + 2)

    def add(to: Floats, at: npt.NDArray[np.int64], values: Floats, where: npt.NDArray[np.bool_]) -> None:
        to += np.bincount(at[where], (values * counts)[where], minlength=others + 2)

    add(steps, start, first, grows)
    add(slopes, start + 1, 2 / product, grows & (both > start + 1))
    add(slopes, both, -2 / product, grows & (both > start + 1))
    add(steps, both, -last, grows)
    add(steps, both, 1 / later, alone)
    add(steps, end, -1 / later, alone)
    return np.asarray((np.cumsum(steps) + np.cumsum(np.cumsum(slopes)))[:others])


def q_nx_of(shared: npt.ArrayLike) -> Floats:
    """Q_NX(K) for K = 1 … n-1 from the result of `shared_ranks`, cut to 1 in case of rounding."""
    total = np.cumsum(np.asarray(shared, dtype=np.float64))
    others = len(total)
    return np.clip(total / ((others + 1) * np.arange(1, others + 1)), 0.0, 1.0)


def r_nx(q: Rows) -> Floats:
    """R_NX(K) = ((n-1)·Q_NX(K) - K) / (n-1-K) for K = 1 … n-2 (data-tuned RP, eq. 14): 1 is perfect, 0 is chance.

    `q`: the result of `q_nx`. Raises ParameterError for fewer than three rows.

        >>> sqlrp._quality.r_nx([0.5, 0.7, 0.8, 1.0]).round(3)
        array([0.333, 0.4  , 0.2  ])
    """
    found = np.asarray(q, dtype=np.float64)
    others = len(found)
    if others < 2:
        raise ParameterError(f"q = {found.tolist()} is of {others + 1} rows, and R_NX needs at least 3: pass more rows")
    sizes = np.arange(1, others)
    return (others * found[:-1] - sizes) / (others - sizes)


def auc(r: Rows) -> float:
    """Σ R_NX(K)/K / Σ 1/K (data-tuned RP, eq. 15): the area under R_NX over log K, from -1 to 1.

    `r`: the result of `r_nx`.

        >>> round(sqlrp._quality.auc([0.4, 0.6, 0.8]), 3)
        0.527
    """
    found = np.asarray(r, dtype=np.float64)
    weights = 1 / np.arange(1, len(found) + 1)
    return float(found @ weights / weights.sum())


def regularity(x: Rows, reflect: bool = False) -> Floats:
    """c = d·max_j x_j² / ‖x‖² of every row: 1 if all entries have the same size, d for a single nonzero entry.

    With `reflect` it is the paper's c': c after the Householder reflection x_j - 2·Σx/d (random subspace paper,
    Theorems 1 and 3). Bounds on distances need c of the differences of rows (proof, A.1). Pass these for a guarantee.
    `x`: shape (n, d). Returns shape (n,); NaN for rows of zeros.

        >>> sqlrp._quality.regularity(x).round(3)
        array([1.6  , 1.471, 2.   , 2.   ])
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


def _both(z: Rows, true_sq: Rows) -> tuple[Floats, Floats]:
    rows, true = _matrix("z", z), np.asarray(true_sq, dtype=np.float64)
    got = apart(LINEAR, rows).pairs
    if true.shape != got.shape:
        raise ParameterError(
            f"true_sq of shape {true.shape} must hold the {got.size} pairs of the {len(rows)} rows of z: "
            "pass squared_distances(x @ x.T)"
        )
    different = true != 0
    return got[different], true[different]


def _places(found: Apart, rounding: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each neighbour of each row, how many neighbours are nearer and how many tied: both of shape (n, n-1)."""
    n = len(found.squared)
    others = ~np.eye(n, dtype=bool)
    squared, scale = (values[others].reshape(n, n - 1) for values in (found.squared, found.by))
    order = squared.argsort(axis=1, kind="stable")
    sorted_, by = (np.take_along_axis(values, order, axis=1) for values in (squared, scale))
    begins = np.ones(order.shape, dtype=bool)
    begins[:, 1:] = np.diff(sorted_, axis=1) > rounding * by[:, 1:]
    at = np.arange(n - 1)
    first = np.maximum.accumulate(np.where(begins, at, 0), axis=1)
    ends = np.concatenate([np.where(begins, at, n - 1)[:, 1:], np.full((n, 1), n - 1)], axis=1)
    after = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    nearer, tied = np.empty_like(order), np.empty_like(order)
    np.put_along_axis(nearer, order, first, axis=1)
    np.put_along_axis(tied, order, after - first, axis=1)
    return nearer, tied


def pair_regularity(x: Rows, inner: bool = False) -> tuple[Floats, Floats]:
    """`regularity` c and c' of the differences of all pairs of different rows, as bounds on distances need them.

    `x`: shape (n, d). Returns two arrays with one entry per pair of different rows; the largest is the c of `min_k`.
    `inner`: of the differences and the sums of rows divided by their lengths, which bounds on inner products need
    (random subspace paper, Corollary 1). Rows of zeros are left out of these.

        >>> c, reflected = sqlrp._quality.pair_regularity(x)
        >>> print(c.max().round(3), reflected.max().round(3))
        1.923 1.923
    """
    rows = _matrix("x", x)
    if inner:
        rows = rows[rows.any(axis=1)]
        rows = rows / np.abs(rows).max(axis=1, keepdims=True)
        rows = rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    found: list[tuple[Floats, Floats]] = [(np.zeros(0), np.zeros(0))]
    for i in range(len(rows) - 1):
        apart = rows[i] - rows[i + 1 :]
        if inner:
            apart = np.concatenate([apart, rows[i] + rows[i + 1 :]])
        apart = apart[apart.any(axis=1)]
        if len(apart):
            apart /= np.abs(apart).max(axis=1, keepdims=True)  # so that no square is too small or too large
            found.append((regularity(apart), regularity(apart, reflect=True)))
    c, reflected = zip(*found, strict=True)
    return np.concatenate(c), np.concatenate(reflected)


def bin_width(k: int) -> float:
    """1/(8√k): a Gaussian projection's ratios have a standard deviation near 1/√(2k), nearly six bins."""
    return float(1 / (8 * np.sqrt(k)))


def histogram(values: Rows, width: float) -> Sequence[tuple[float, int]]:
    """The lower edges and counts of the bins with values. The bins are `width` wide and begin at 0."""
    bins, counts = np.unique(np.floor(np.asarray(values, dtype=np.float64) / width + EDGE), return_counts=True)
    return tuple((float(b) * width, int(n)) for b, n in zip(bins, counts, strict=True))
