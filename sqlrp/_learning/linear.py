"""Fitted linear models of scikit-learn, as weights, classes and a formula of probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError, UnsupportedError, shorten
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.quiet import hidden
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._projections.sklearn_import import is_fitted

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PredictionInterval:
    """The interval of a mean prediction. Its standard error is √(constant + Σ d²) over all decisions but the first."""

    constant: float
    times: float
    """the standard errors on either side of the prediction"""


@dataclass(frozen=True)
class LinearDecisions:
    """A linear model: decisions = z·coefficients + intercept, with its classes and probabilities."""

    coefficients: Matrix
    """shape (k, decisions)"""
    intercept: Matrix
    classes: tuple[Any, ...] | None
    """None for a regressor"""
    probability: str | None
    """a key of `PROBABILITIES`, or None"""
    members: int = 0
    """the number of calibrated classifiers whose probabilities are averaged; 0 for a model that is not calibrated

    The decisions of a calibrated model, one for each class of each member, are inside its calibration curves: they are
    not shown, and the class is the one with the greatest probability."""

    interval: PredictionInterval | None = None
    """of a regressor with one target, whose further decisions it is made of; None for none"""

    @property
    def names(self) -> list[str]:
        """The columns of the decisions."""
        if self.members:
            return []
        if self.interval is not None:
            return ["prediction", "standard_error", "lower", "upper"]
        name, n = "decision" if self.classes else "prediction", len(self.intercept)
        return [name] if n == 1 else [f"{name}{i}" for i in range(n)]

    def probabilities(self, decisions: Matrix) -> Matrix:
        """The probabilities of all classes, shape (rows, classes), averaged over the members."""
        formula = PROBABILITIES[self.probability or ""]
        parts = np.split(decisions, max(self.members, 1), axis=1)
        return np.asarray(np.mean([formula.of(part) for part in parts], axis=0))


def read_model(model: Any, k: int | None) -> LinearDecisions:
    """The linear model in a fitted estimator; `k` is the number of components that it is applied to, or None.

    Raises ParameterError for a model that is not fitted or has other features, and UnsupportedError for a model that
    is not linear.
    """
    if isinstance(model, type):
        raise ParameterError(f"model {shorten(model)} is a class: pass a fitted model")
    calibrated = getattr(model, "calibrated_classifiers_", None)
    linear = _linear(model) if calibrated is None else _calibrated(model, calibrated)
    if k is not None and k != len(linear.coefficients):
        raise ParameterError(
            f"the model was fitted on {len(linear.coefficients)} features, the projection has k = {k} components: they "
            "must agree"
        )
    return _verified(model, linear)


def _linear(model: Any) -> LinearDecisions:
    if not hasattr(model, "coef_") or not hasattr(model, "intercept_"):
        only = "only a linear model can be scored, such as LogisticRegression or Ridge"
        if not hasattr(model, "fit"):
            raise ParameterError(f"model {shorten(model)} is not a model: {only}")
        if not is_fitted(model):
            raise ParameterError(f"model {shorten(model)} is not fitted: call its fit first; {only}")
        raise UnsupportedError(f"model {shorten(model)} has no coef_ and intercept_: {only}")
    coefficients = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    coefficients = np.atleast_2d(np.asarray(coefficients, dtype=np.float64)).T
    intercept = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), (coefficients.shape[1],))
    if hasattr(model, "x_rotations_") and hasattr(model, "_x_mean"):  # partial least squares: its rows are less a mean
        intercept = intercept - np.asarray(model._x_mean, dtype=np.float64) @ coefficients
    classes = getattr(model, "classes_", None)
    return LinearDecisions(
        coefficients, intercept, None if classes is None else tuple(np.asarray(classes).tolist()), None
    )


def _calibrated(model: Any, members: Any) -> LinearDecisions:
    """A calibrated classifier: the decisions of all members, each put through its calibration line."""
    coefficients, intercepts = [], []
    classes = tuple(np.asarray(model.classes_).tolist())
    for member in members:
        if member.method != "sigmoid":
            raise UnsupportedError(
                f"model {shorten(model)} is calibrated with method = {member.method!r}, which has no SQL: use 'sigmoid'"
            )
        inner = _linear(member.estimator)
        if inner.classes != classes:
            raise UnsupportedError(f"model {shorten(model)} has members that did not see every class: use fewer folds")
        slope, shift = (np.array([getattr(line, name) for line in member.calibrators]) for name in ("a_", "b_"))
        coefficients.append(-inner.coefficients * slope)
        intercepts.append(-inner.intercept * slope - shift)
    return LinearDecisions(
        np.hstack(coefficients), np.concatenate(intercepts), classes, "logistic", members=len(members)
    )


def _verified(model: Any, linear: LinearDecisions) -> LinearDecisions:
    """Compare the model's answers for some rows with ours. They also show the kind of its probabilities."""
    draw = np.random.default_rng(0)
    weights = linear.coefficients
    # Rows near a point where every decision is 0, so that classes differ and probabilities are not all 0 and 1.
    centre = np.linalg.lstsq(weights.T, -linear.intercept, rcond=None)[0]
    size = np.linalg.norm(weights, axis=0).max(initial=0.0) or 1.0
    noise = draw.normal(size=(64, len(weights))) * 10 ** draw.uniform(-1, 1, (64, 1)) / size
    rows = np.asarray(centre + noise, dtype=np.float64)
    decisions = np.asarray(rows @ weights + linear.intercept, dtype=np.float64)
    with hidden("X does not have valid feature names"):
        try:
            agrees = _agrees(model, linear, rows, decisions)
        except (AttributeError, IndexError, ValueError):
            agrees = False
        if not agrees:
            raise UnsupportedError(
                f"model {shorten(model)} does not decide by coef_ and intercept_ alone: use a linear one"
            )
        if linear.members or linear.classes is None or not hasattr(model, "predict_proba"):
            return linear
        wanted = model.predict_proba(rows)
    for name, probability in PROBABILITIES.items():
        if (decisions.shape[1] == 1 or name != "doubled") and np.allclose(probability.of(decisions), wanted):
            return replace(linear, probability=name)
    raise UnsupportedError(
        f"the probabilities of model {shorten(model)} are neither logistic, softmax nor modified Huber of its decisions"
    )


def _agrees(model: Any, linear: LinearDecisions, rows: Matrix, decisions: Matrix) -> bool:
    """Whether the model's own answers for the rows are those of the linear one."""
    if linear.classes is None:
        return _near(model.predict(rows), decisions)
    said = np.asarray(model.predict(rows)).tolist()
    if linear.members:
        chances = linear.probabilities(decisions)
        return _near(model.predict_proba(rows), chances) and said == [linear.classes[i] for i in chances.argmax(axis=1)]
    best = (decisions[:, 0] > 0).astype(int) if decisions.shape[1] == 1 else decisions.argmax(axis=1)
    return _near(model.decision_function(rows), decisions) and said == [linear.classes[i] for i in best]


def _near(got: Any, want: Matrix) -> bool:
    got = np.asarray(got, dtype=np.float64)
    return bool(got.size == want.size and np.allclose(got.reshape(want.shape), want, rtol=1e-6, atol=1e-6))


# -- probabilities: in numpy to recognise those of a model, and in SQL -----------------------------------------------


@dataclass(frozen=True)
class Probability:
    """A number for each decision. For two classes it is the second one's probability; for more, divide by the sum."""

    numpy: Callable[[Matrix], Matrix]
    sql: Callable[[Dialect, str], str]

    def of(self, decisions: Matrix) -> Matrix:
        """The probabilities of all classes."""
        p = self.numpy(decisions)
        if p.shape[1] == 1:
            return np.hstack([1 - p, p])
        total = p.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total == 0, 1 / p.shape[1], p / np.where(total == 0, 1, total)))


def _logistic(d: Matrix) -> Matrix:
    return np.asarray(1 / (1 + np.exp(-d)))


def _logistic_sql(engine: Dialect, d: str) -> str:
    # No exponent is above 0, so nothing overflows.
    below, above = (f"({engine.exp(x)})" for x in (d, f"(-{d})"))
    return f"CASE WHEN {d} >= 0 THEN 1/(1+{above}) ELSE {below}/(1+{below}) END"


def _huber_sql(engine: Dialect, d: str) -> str:
    zero, one = engine.literal(0, DOUBLE), engine.literal(1, DOUBLE)
    return f"CASE WHEN {d} <= -1 THEN {zero} WHEN {d} >= 1 THEN {one} ELSE ({d}+1)/2 END"


PROBABILITIES: dict[str, Probability] = {
    "logistic": Probability(_logistic, _logistic_sql),
    # For more than two classes; the greatest decision is subtracted from all decisions first.
    "softmax": Probability(lambda d: np.exp(d - d.max(axis=1, keepdims=True)), lambda engine, d: engine.exp(d)),
    # The softmax of (-d, d): a multinomial LogisticRegression of two classes uses it before scikit-learn 1.7.
    "doubled": Probability(lambda d: _logistic(2 * d), lambda engine, d: _logistic_sql(engine, f"(2*{d})")),
    "huber": Probability(lambda d: np.clip(d, -1, 1) / 2 + 0.5, _huber_sql),
}
