"""The effect of a projection on linear SVMs, for classes and for numbers: margin, radius and errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError
from sqlrp._core.extras import needs
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_whole
from sqlrp._quality.measures import Rows


@dataclass(frozen=True)
class SvmMeasures:
    """The measures of a linear SVM on some rows. The ratio radius/margin bounds its generalisation error.

    >>> sqlrp._quality.SvmMeasures(margin=0.5, radius=2.0, error_in=0.0, error_out=0.1).radius
    2.0
    """

    margin: float
    """γ = 1/‖w‖, in units of the rows; NaN for more than two classes, which have no single margin"""
    radius: float
    """B, the radius of the smallest ball around all rows, in units of the rows"""
    error_in: float
    """the share of rows that the SVM misclassifies when it is trained on all rows"""
    error_out: float
    """the share of rows that the SVM misclassifies when it is trained without their fold"""
    fold_margin: float = math.nan
    """the mean of γ over the folds, each time of the SVM that is trained without the fold"""


@dataclass(frozen=True)
class SvrMeasures:
    """The measures of a linear support vector regression on some rows.

    >>> sqlrp._quality.SvrMeasures(margin=0.5, mse_in=0.01, correlation_in=1.0, mse_out=0.2, fold_margin=0.6).margin
    0.5
    """

    margin: float
    """γ = 1/‖w‖, in units of the rows per unit of the target"""
    mse_in: float
    """the mean squared error on the rows, when all are trained on"""
    correlation_in: float
    """β, the squared correlation of the targets and what is predicted for the rows; NaN if one of them is constant"""
    mse_out: float
    """the mean squared error on each fold, when the others are trained on"""
    fold_margin: float
    """the mean of γ over the folds, each time of the SVM that is trained without the fold"""


def svm_margin(
    x: Rows, y: npt.ArrayLike, C: float = 1.0, folds: int = 10, seed: int = 0, repeats: int = 1
) -> SvmMeasures:
    """The margin, radius and errors of a linear SVM (LIBSVM's; SVM paper, sections 1 and 4).

    Call it with the rows and with the projected rows: a good projection keeps all of them. `x`: shape (n, d); `y`: two
    or more classes, shape (n,). With more than two, LIBSVM trains an SVM for each pair of classes, and the rows vote.
    `folds`: the number of random parts of the cross-validation for `error_out` and `fold_margin`, drawn from `seed`.
    `repeats`: the number of times that the rows are divided into folds. The measures are means over all folds.
    Raises ParameterError unless y has two classes or more with at least `folds` rows each, or for repeats < 1;
    ImportError without scikit-learn.

        >>> found = sqlrp._quality.svm_margin(x, [0, 0, 1, 1], folds=2)
        >>> found.error_in
        0.0
    """
    svc = _lib("svm_margin").SVC(kernel="precomputed", C=C)
    rows, labels = _checked(x, y, "class", folds, repeats)
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        raise ParameterError(f"y has {len(classes)} class and must have at least 2: a margin lies between two")
    if not 2 <= folds <= counts.min():
        raise ParameterError(f"folds = {folds} must be from 2 to {counts.min()}, the rows of the smallest class")
    parts = _parts("StratifiedKFold", folds, repeats, seed, labels)
    margin, fitted, fold_margin, error_out = _measured(svc, rows, labels, parts, lambda found, y: np.mean(found != y))
    return SvmMeasures(
        margin=margin,
        radius=enclosing_radius(rows),
        error_in=float(np.mean(fitted != labels)),
        error_out=error_out,
        fold_margin=fold_margin,
    )


def svr_margin(
    x: Rows,
    y: npt.ArrayLike,
    C: float = 1.0,
    folds: int = 10,
    seed: int = 0,
    repeats: int = 1,
    epsilon: float = 0.1,
) -> SvrMeasures:
    """The margin and errors of a linear support vector regression (LIBSVM's; SVM paper, 1.1.2 and 4.3).

    Call it with the rows and with the projected rows: a good projection keeps all measures (Theorem 3.6). `x`: shape
    (n, d); `y`: one finite number per row, shape (n,). `epsilon`: the error of a row that costs nothing, in units of y.
    `folds`, `seed` and `repeats` are those of `svm_margin`. Raises ParameterError for y of another shape or with a
    number that is not finite, folds outside 2 … n, or repeats < 1; ImportError without scikit-learn.

        >>> found = sqlrp._quality.svr_margin(x, x @ [0.0, 1.0], C=100, folds=2)
        >>> round(found.mse_in, 3), round(found.margin, 2)
        (0.008, 1.04)
    """
    svr = _lib("svr_margin").SVR(kernel="precomputed", C=C, epsilon=epsilon)
    rows, targets = _checked(x, np.asarray(y, dtype=np.float64), "number", folds, repeats)
    if not np.isfinite(targets).all():
        raise ParameterError("y holds a number that is not finite: leave out its row")
    if not 2 <= folds <= len(rows):
        raise ParameterError(f"folds = {folds} must be from 2 to {len(rows)}, the number of rows")
    parts = _parts("KFold", folds, repeats, seed, targets)
    margin, fitted, fold_margin, mse_out = _measured(
        svr, rows, targets, parts, lambda found, y: np.mean((found - y) ** 2)
    )
    constant = fitted.std() == 0 or targets.std() == 0
    return SvrMeasures(
        margin=margin,
        mse_in=float(np.mean((fitted - targets) ** 2)),
        correlation_in=math.nan if constant else float(np.corrcoef(fitted, targets)[0, 1] ** 2),
        mse_out=mse_out,
        fold_margin=fold_margin,
    )


def _lib(what: str) -> Any:
    """scikit-learn's module of LIBSVM."""
    try:
        import sklearn.svm
    except ImportError as error:
        raise ImportError(needs(what, "scikit-learn", "sklearn")) from error
    return sklearn.svm


def _checked(x: Rows, y: npt.ArrayLike, what: str, folds: int, repeats: int) -> tuple[Any, Any]:
    rows, labels = np.asarray(x, dtype=np.float64), np.asarray(y)
    if rows.ndim != 2 or labels.shape != (len(rows),):
        raise ParameterError(f"y of shape {labels.shape} must hold one {what} for each row of x, of shape {rows.shape}")
    check_whole("folds", folds, 2)
    check_whole("repeats", repeats, 1)
    return rows, labels


def _parts(kind: str, folds: int, repeats: int, seed: int, y: Any) -> Iterator[tuple[Any, Any]]:
    """The numbers of the rows to train on, and of the rows to test on, for each fold of each division."""
    import sklearn.model_selection

    for repeat in range(repeats):
        parts = getattr(sklearn.model_selection, kind)(folds, shuffle=True, random_state=seed + repeat)
        yield from parts.split(y, y)


def _measured(
    svm: Any, rows: Any, y: Any, parts: Iterator[tuple[Any, Any]], error: Callable[[Any, Any], Any]
) -> tuple[float, Any, float, float]:
    """The margin and the predictions of an SVM of all rows; over the folds, the mean margin and the mean error."""
    every = np.arange(len(rows))
    gram = rows @ rows.T
    margin, fitted = _trained(svm, gram, y, every, every)
    margins, errors = [], []
    for train, test in parts:
        apart, found = _trained(svm, gram, y, train, test)
        margins.append(apart)
        errors.append(error(found, y[test]))
    return margin, fitted, float(np.mean(margins)), float(np.mean(errors))


def _trained(svm: Any, gram: Any, y: Any, train: Any, test: Any) -> tuple[float, Any]:
    """The margin of an SVM that is trained on some rows, and what it says of others.

    It is trained on inner products, as LIBSVM takes much longer for rows of many features.
    """
    svm.fit(gram[np.ix_(train, train)], y[train])
    weights = svm.dual_coef_
    squared = float(weights[0] @ gram[np.ix_(train, train)][np.ix_(svm.support_, svm.support_)] @ weights[0])
    margin = 1 / math.sqrt(squared) if len(weights) == 1 and squared > 0 else math.nan
    return margin, svm.predict(gram[np.ix_(test, train)])


def enclosing_radius(x: Rows, tolerance: float = 1e-6) -> float:
    """B, the minimum over centres of the largest distance to a row, to a relative `tolerance`.

    The centre is a mean of rows with weights u that maximise Σ u_i‖x_i‖² - ‖Σ u_i x_i‖² = B². Each step moves
    weight to the farthest row, or away from the nearest row with weight, by the best amount (Yıldırım 2008, Algorithm
    4.1). `x`: shape (n, d). The memory grows with n².

        >>> round(sqlrp._quality.enclosing_radius(x), 3)
        2.766
    """
    rows = np.asarray(x, dtype=np.float64)
    rows = rows - rows.mean(axis=0)
    gram = rows @ rows.T
    own = np.diag(gram)
    u = np.full(len(rows), 1 / len(rows))
    while True:
        product = gram @ u
        squared = own - 2 * product + u @ product
        lower = float(u @ own - u @ product)
        far = int(squared.argmax())
        near = int(np.where(u > 0, squared, math.inf).argmin())
        if squared[far] <= lower * (1 + tolerance) or lower <= 0:
            return math.sqrt(max(float(squared[far]), 0.0))
        up, down = squared[far] / lower - 1, 1 - squared[near] / lower
        if up > down:
            step = up / (2 * (1 + up))
            u *= 1 - step
            u[far] += step
        else:
            most = u[near] / (1 - u[near])
            best = down / (2 * (1 - down)) if down < 1 else math.inf
            step = min(best, most)
            u *= 1 + step
            u[near] = 0.0 if step == most else u[near] - step
