"""Bounds from theory: how many components are needed, and how much distortion to expect."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import check_s, real
from sqlrp._core.errors import ParameterError, shorten
from sqlrp._projections.checks import check_whole


def min_k(
    n: int,
    eps: float,
    delta: float | None = None,
    method: str = "jl",
    c: float | None = None,
    d: int | None = None,
    rank: int | None = None,
    inner: bool = False,
) -> int:
    """The smallest k for which theory keeps all squared distances of n rows within 1 ± eps, or an SVM's B²/γ².

    "jl" is for signed sums with s = 1 or 3 and any data: k ≥ (4 + 2β)·ln n / (ε²/2 - ε³/3), with probability at least
    1 - n^{-β} (Achlioptas 2003, Theorem 1.1). `delta` is n^{-β}. Without it β = 0, as in scikit-learn's
    johnson_lindenstrauss_min_dim, which rounds down where this function rounds up. That formula guarantees no
    probability, so pass `delta` for a guarantee.

    "rs" is for a random subspace of features: k ≥ c²/(2ε²)·ln(n²/δ) (random subspace paper, Theorem 1), where c is the
    largest `regularity` of the differences of two rows. With the number of features `d`, k/(1-(k-1)/d) must be at least
    the same bound (Theorem 2), and k is at most d. `inner` is for inner products of all pairs, kept within
    ± eps·‖x‖·‖y‖: the chance δ is that of 2·δ/2 (Corollary 1), and c is that of `pair_regularity` with `inner`.

    "svm" is for a linear SVM on signed sums with s = 1 or 3: with probability at least 1 - δ, the square of the margin
    keeps 1 - eps of its value, and B²/γ² grows by at most (1 + eps)/(1 - eps) (SVM paper, Theorem 1.1). `rank` is that
    of the matrix of rows, at most n, which is the default. The paper's r (eqs. 7 to 9) has no constants. This bound has
    them: k ≥ 2(rank·ln 9 + ln(2/δ))/(e²/2 - e³/3), with e = eps/2. It is Achlioptas' bound for each of 9^rank
    directions, which are near enough to all others. It holds for every C, with an intercept, and for regression. The
    paper's proof takes Σα = ‖w‖² (eq. 17), which needs rows that a hyperplane separates and a C that is large enough.

    The proofs behind "jl" and "svm" take independent signs. Any eight entries of the portable draw are independent, and
    its tails were measured to be those of independent signs (tests/bench/results/tails.md).

    Raises ParameterError for n < 2, eps or delta outside their bounds, or a c, d or rank
    that is missing, needless or impossible.

        >>> sqlrp.min_k(n=1000, eps=0.5)
        332
        >>> sqlrp.min_k(n=1000, eps=0.5, delta=0.01)
        443
        >>> sqlrp.min_k(n=1000, eps=0.5, delta=0.01, method="svm", rank=10)
        2095
    """
    check_whole("n", n, 2)
    if inner and method != "rs":
        raise ParameterError(f"inner = {inner!r} is for method = 'rs': leave it out")
    if rank is not None and method != "svm":
        raise ParameterError(f"rank = {rank!r} is for method = 'svm': leave it out")
    if method == "svm":
        return _for_svm(n, eps, delta, c, d, n if rank is None else rank)
    if method == "jl":
        if c is not None or d is not None:
            raise ParameterError(f"c = {c!r} and d = {d!r} are for method = 'rs': leave them out")
        e = _part("eps", eps, "a number above 0 and below 1", closed=False)
        chance = 1.0 if delta is None else _part("delta", delta, "a number above 0 and at most 1, or None")
        return math.ceil((4 * math.log(n) - 2 * math.log(chance)) / (e**2 / 2 - e**3 / 3))
    if method != "rs":
        raise ParameterError(f"method = {shorten(method)} must be 'jl', 'rs' or 'svm'")
    e = _part("eps", eps, "a number above 0 and at most 1")
    chance = _part("delta", delta, "a number above 0 and at most 1: the chance that a distance fails")
    if d is not None:
        check_whole("d", d, 1)
    high = math.inf if d is None else d
    if not 1 <= real(c) <= high or math.isinf(real(c)):
        bound = "a number >= 1" if d is None else f"a number from 1 to d = {d}"
        raise ParameterError(f"c = {shorten(c)} must be {bound}: the regularity of the data")
    need = real(c) ** 2 / (2 * e**2) * (2 * math.log(n) - math.log(chance / 2 if inner else chance))
    if d is None:
        return math.ceil(need)
    # k/(1-(k-1)/d) >= need, solved for k. All d features keep every distance, so k is at most d.
    return min(math.ceil(need * (d + 1) / (d + need)), d)


def _for_svm(n: int, eps: float, delta: float | None, c: float | None, d: int | None, rank: int) -> int:
    """Enough that ‖E‖ ≤ eps for E = I - VᵀRRᵀV, with the rows' right singular vectors V.

    The norm is at most twice its largest value at the points of a net with distances of 1/4 on the sphere of V's
    coordinates, which has at most 9^rank points.

    The SVM is the v that minimises |v|²/2 + L(v), with a convex L of its losses. On projected rows the same v costs
    vᵀMv/2 + L(v), with M = (I - E)⁻¹; let u be the best one. As the subgradients of L are monotone,
    (Mu - v)·(u - v) ≤ 0. So with s = M^½u, |s|² + |v|² ≤ vᵀ(M^½ + M^-½)s ≤ (√m + 1/√m)|s||v|, where m = 1/(1 - eps)
    is the greatest eigenvalue that M may have, and |s|² ≤ m|v|². These are the two margins: 1/γ² is |v|² and |s|². The
    centre of the ball is a mean of rows, so its radius follows with the same rank (eq. 21).
    """
    if c is not None or d is not None:
        raise ParameterError(f"c = {c!r} and d = {d!r} are for method = 'rs': leave them out")
    check_whole("rank", rank, 1, n, ", the number of rows n")
    e = _part("eps", eps, "a number above 0 and below 1", closed=False)
    chance = _part("delta", delta, "a number above 0 and at most 1: the chance that the bound fails")
    e = e / 2
    return math.ceil(2 * (rank * math.log(9) + math.log(2 / chance)) / (e**2 / 2 - e**3 / 3))


def _part(name: str, value: object, bound: str, closed: bool = True) -> float:
    number = real(value)
    if not (0 < number < 1 or (closed and number == 1)):
        raise ParameterError(f"{name} = {shorten(value)} must be {bound}")
    return number


def expected_distortion(k: int) -> float:
    """2/√(πk): the mean distortion of a Gaussian projection to k components (and of s = 1 and 3, nearly).

    >>> round(sqlrp._quality.expected_distortion(64), 4)
    0.141
    """
    check_whole("k", k, 1)
    return 2 / math.sqrt(math.pi * k)


def distortion_variance(x: npt.ArrayLike, k: int, s: float) -> npt.NDArray[np.float64]:
    """(2 + (s-3)·Σx⁴/‖x‖⁴) / k: the variance of ‖f(x)‖²/‖x‖² for k signed sums of sparsity s, exactly.

    It is above a Gaussian projection's 2/k if s > 3 and the row has few large entries. `x`: rows, or differences of
    rows, shape (n, d). Returns shape (n,); NaN for rows of zeros.

        >>> sqlrp._quality.distortion_variance(x, k=64, s=3).round(4)
        array([0.0312, 0.0312, 0.0312, 0.0312])
    """
    check_whole("k", k, 1)
    check_s(s)
    if isinstance(s, str):
        raise ParameterError(f"s = {s!r} must be a number here: pass the square root of the number of features")
    squares = np.asarray(x, dtype=np.float64) ** 2
    with np.errstate(invalid="ignore"):
        return np.asarray((2 + (s - 3) * (squares**2).sum(axis=-1) / squares.sum(axis=-1) ** 2) / k)
