"""The effect of a projection on a linear SVM: margin, radius and errors, before and after."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp.core.errors import ParameterError
from sqlrp.core.extras import needs
from sqlrp.quality.measures import Rows


@dataclass(frozen=True)
class SvmMeasures:
    """The measures of a linear SVM on some rows. The ratio radius/margin bounds its generalisation error.

    >>> sqlrp.quality.SvmMeasures(margin=0.5, radius=2.0, error_in=0.0, error_out=0.1).radius
    2.0
    """

    margin: float
    """γ = 1/‖w‖, in units of the rows"""
    radius: float
    """B, the radius of the smallest ball around all rows, in units of the rows"""
    error_in: float
    """the share of rows that the SVM misclassifies when it is trained on all rows"""
    error_out: float
    """the share of rows that the SVM misclassifies when it is trained without their fold"""


def svm_margin(x: Rows, y: npt.ArrayLike, C: float = 1.0, folds: int = 10, seed: int = 0) -> SvmMeasures:
    """The margin, radius and errors of a linear SVM (LIBSVM's; SVM paper, sections 1 and 4).

    Call it with the rows and with the projected rows: a good projection keeps all four. `x`: shape (n, d); `y`: two
    classes, shape (n,). `folds`: the number of random parts of the cross-validation for `error_out`, drawn from `seed`.
    Raises ParameterError unless y has two classes with at least `folds` rows each; ImportError without scikit-learn.

        >>> found = sqlrp.quality.svm_margin(x, [0, 0, 1, 1], folds=2)
        >>> found.error_in
        0.0
    """
    try:
        from sklearn.model_selection import StratifiedKFold, cross_val_score
        from sklearn.svm import SVC
    except ImportError as error:
        raise ImportError(needs("svm_margin", "scikit-learn", "sklearn")) from error
    rows, labels = np.asarray(x, dtype=np.float64), np.asarray(y)
    classes, counts = np.unique(labels, return_counts=True)
    if rows.ndim != 2 or labels.shape != (len(rows),):
        raise ParameterError(f"y of shape {labels.shape} must hold one class for each row of x, of shape {rows.shape}")
    if len(classes) != 2:
        raise ParameterError(f"y has {len(classes)} classes and must have 2: a margin lies between two")
    if not 2 <= folds <= counts.min():
        raise ParameterError(f"folds = {folds} must be from 2 to {counts.min()}, the rows of the smaller class")
    svm: Any = SVC(kernel="linear", C=C)
    parts = StratifiedKFold(folds, shuffle=True, random_state=seed)
    out = cross_val_score(svm, rows, labels, cv=parts)
    svm.fit(rows, labels)
    return SvmMeasures(
        margin=1 / float(np.linalg.norm(svm.coef_)),
        radius=enclosing_radius(rows),
        error_in=1 - float(svm.score(rows, labels)),
        error_out=1 - float(out.mean()),
    )


def enclosing_radius(x: Rows, tolerance: float = 1e-6) -> float:
    """B, the minimum over centres of the largest distance to a row, to a relative `tolerance`.

    The centre is a mean of rows with weights u that maximise Σ u_i‖x_i‖² - ‖Σ u_i x_i‖² = B². Each step moves
    weight to the farthest row, or away from the nearest row with weight, by the best amount (Yıldırım 2008, Algorithm
    4.1). `x`: shape (n, d). The memory grows with n².

        >>> round(sqlrp.quality.enclosing_radius(x), 3)
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
