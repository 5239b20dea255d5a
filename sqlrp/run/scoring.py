"""A fitted linear model on top of a projection, as one query for decisions, class and probabilities."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp.core.errors import LimitError, ParameterError, SourceError, UnsupportedError, shorten
from sqlrp.core.numbers import DOUBLE, FLOAT, Number
from sqlrp.core.options import Nulls, Options
from sqlrp.core.script import Script
from sqlrp.core.sources import Source, is_text
from sqlrp.dialects.base import Dialect
from sqlrp.engines import connector_of
from sqlrp.lowering.endpoints import tree
from sqlrp.lowering.job import Job
from sqlrp.lowering.planner import plan
from sqlrp.projections.base import Projection, checked
from sqlrp.projections.importing import is_fitted
from sqlrp.run.api import job_of
from sqlrp.run.memory import is_dataframe
from sqlrp.run.running import run
from sqlrp.stages import AppendConstant, Stage, WeightedSums

Matrix = npt.NDArray[np.float64]


def score_sql(
    projection: Projection | None,
    model: Any,
    source: Source | str,
    engine: Any,
    *,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
) -> str:
    """Write the SQL text that projects a source and applies a fitted linear model of scikit-learn to the components.

    `model`: any model that decides by coef_ and intercept_ alone: LogisticRegression, LinearSVC, SGDClassifier,
    RidgeClassifier, Perceptron, LinearRegression, Ridge, Lasso, LinearSVR and more. `projection` None applies it to
    the features themselves. The columns, after key and keep, are:

    - classifier: class; decision (two classes), or decision0 … in the order of classes_; probability0 … in the same
      order if the model has predict_proba. If decisions are equal the first class wins, as in scikit-learn.
    - regressor: prediction, or prediction0 … for several targets.

    All numbers are computed in DOUBLE. `engine`, `nulls`, `lowering` as in `sqlrp.sql`. If the terms are too many for
    one statement, the text is a script of several.
    Raises ParameterError for a model that is not fitted or has other features than the projection's components,
    UnsupportedError for a model whose predictions do not follow from coef_ and intercept_, LimitError for more classes
    than the engine has columns.
    """
    options = Options(nulls=nulls, lowering=lowering)
    return _script(_read(model, projection), projection, source, engine, options).text


def score(
    projection: Projection | None,
    model: Any,
    source: Source | str,
    connection: Any,
    *,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
) -> Any:
    """Run the query of `score_sql`. Returns a pyarrow.Table of key, keep and scores; on Spark a DataFrame."""
    if is_dataframe(source):
        raise ParameterError("a dataframe is scored by scikit-learn: put a transformer of sqlrp.sklearn in a pipeline")
    options = Options(nulls=nulls, lowering=lowering)
    linear, connector = _read(model, projection), connector_of(connection)
    with connector.session(connection) as session:
        return run(connector, session, _script(linear, projection, source, session, options))


# -- the model -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Linear:
    """A linear model: decisions = z·coefficients + intercept, with its classes and probabilities."""

    coefficients: Matrix
    """shape (k, decisions)"""
    intercept: Matrix
    classes: tuple[Any, ...] | None
    """None for a regressor"""
    probability: str | None
    """a key of `_PROBABILITIES`, or None"""

    @property
    def names(self) -> list[str]:
        """The columns of the decisions."""
        name, n = "decision" if self.classes else "prediction", len(self.intercept)
        return [name] if n == 1 else [f"{name}{i}" for i in range(n)]


def _read(model: Any, projection: Projection | None) -> _Linear:
    if isinstance(model, type):
        raise ParameterError(f"model {shorten(model)} is a class: pass a fitted model")
    if not hasattr(model, "coef_") or not hasattr(model, "intercept_"):
        only = "only a linear model can be scored, such as LogisticRegression or Ridge"
        if not hasattr(model, "fit"):
            raise ParameterError(f"model {shorten(model)} is not a model: {only}")
        if not is_fitted(model):
            raise ParameterError(f"model {shorten(model)} is not fitted: call its fit first; {only}")
        raise UnsupportedError(f"model {shorten(model)} has no coef_ and intercept_: {only}")
    coefficients = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    coefficients = np.atleast_2d(np.asarray(coefficients, dtype=np.float64)).T
    k, n = coefficients.shape
    if projection is not None and checked(projection).k != k:
        raise ParameterError(
            f"the model was fitted on {k} features, the projection has k = {projection.k} components: they must agree"
        )
    intercept = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), (n,))
    classes = getattr(model, "classes_", None)
    linear = _Linear(coefficients, intercept, None if classes is None else tuple(np.asarray(classes).tolist()), None)
    return _verified(model, linear)


def _verified(model: Any, linear: _Linear) -> _Linear:
    """Compare the model's answers for some rows with ours. They also show the kind of its probabilities."""
    draw = np.random.default_rng(0)
    weights = linear.coefficients
    # Rows near a point where every decision is 0, so that classes differ and probabilities are not all 0 and 1.
    centre = np.linalg.lstsq(weights.T, -linear.intercept, rcond=None)[0]
    size = np.linalg.norm(weights, axis=0).max(initial=0.0) or 1.0
    rows = centre + draw.normal(size=(64, len(weights))) * 10 ** draw.uniform(-1, 1, (64, 1)) / size
    decisions = rows @ weights + linear.intercept
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        try:
            if linear.classes is None:
                agrees = _near(model.predict(rows), decisions)
            else:
                best = (decisions[:, 0] > 0).astype(int) if decisions.shape[1] == 1 else decisions.argmax(axis=1)
                said = np.asarray(model.predict(rows)).tolist()
                agrees = _near(model.decision_function(rows), decisions)
                agrees = agrees and said == [linear.classes[i] for i in best]
        except (AttributeError, IndexError, ValueError):
            agrees = False
        if not agrees:
            raise UnsupportedError(
                f"model {shorten(model)} does not decide by coef_ and intercept_ alone: use a linear one"
            )
        if linear.classes is None or not hasattr(model, "predict_proba"):
            return linear
        wanted = model.predict_proba(rows)
    for name, probability in _PROBABILITIES.items():
        if (decisions.shape[1] == 1 or name != "doubled") and np.allclose(probability.of(decisions), wanted):
            return replace(linear, probability=name)
    raise UnsupportedError(
        f"the probabilities of model {shorten(model)} are neither logistic, softmax nor modified Huber of its decisions"
    )


def _near(got: Any, want: Matrix) -> bool:
    got = np.asarray(got, dtype=np.float64)
    return bool(got.size == want.size and np.allclose(got.reshape(want.shape), want, rtol=1e-6, atol=1e-6))


# -- probabilities: in numpy to recognise those of a model, and in SQL -----------------------------------------------


@dataclass(frozen=True)
class _Probability:
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


_PROBABILITIES: dict[str, _Probability] = {
    "logistic": _Probability(_logistic, _logistic_sql),
    # For more than two classes; the greatest decision is subtracted from all decisions first.
    "softmax": _Probability(lambda d: np.exp(d - d.max(axis=1, keepdims=True)), lambda engine, d: engine.exp(d)),
    # The softmax of (-d, d): a multinomial LogisticRegression of two classes uses it before scikit-learn 1.7.
    "doubled": _Probability(lambda d: _logistic(2 * d), lambda engine, d: _logistic_sql(engine, f"(2*{d})")),
    "huber": _Probability(lambda d: np.clip(d, -1, 1) / 2 + 0.5, _huber_sql),
}


# -- the query ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Scored(Projection):
    """A projection followed by the decisions, as one pipeline that every lowering accepts."""

    inner: Projection | None = None
    weights: Matrix = None  # type: ignore[assignment]  # always given

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The projection's own stages, then weighted sums of its components and a constant."""
        inner = () if self.inner is None else self.inner.stages(n_features)
        if any(stage.closes for stage in inner):
            raise UnsupportedError(
                f"{type(self.inner).__name__} ends in what no linear model can follow in one query: "
                "materialize it, and score its table with projection = None"
            )
        factor = 1.0 if self.inner is None else self.inner.factor(n_features)
        weights = np.vstack([self.weights[:-1] * factor, self.weights[-1:]])
        return *inner, AppendConstant(1.0), WeightedSums(weights)

    def factor(self, n_features: int | None) -> float:
        """1, because the weights include the scale."""
        return 1.0

    def caution(self, n_features: int | None) -> str:
        """The warning of the projection."""
        return "" if self.inner is None else self.inner.caution(n_features)

    def to_json(self) -> str:
        """A distinct text for the names of temporary tables. It is never read back."""
        inner = None if self.inner is None else self.inner.to_json()
        return json.dumps({"inner": inner, "weights": hashlib.sha256(self.weights.tobytes()).hexdigest()})


def _script(
    linear: _Linear, projection: Projection | None, source: Source | str, target: Any, options: Options
) -> Script:
    scored = _Scored(
        k=len(linear.intercept),
        bound_to=len(linear.coefficients) if projection is None else projection.bound_to,
        inner=projection,
        weights=np.vstack([linear.coefficients, linear.intercept[None, :]]),
    )
    job = job_of(scored, source, target, options)
    numbers = tuple(DOUBLE if number == FLOAT else number for number in job.frame.numbers)
    job = replace(job, frame=replace(job.frame, numbers=numbers))
    return plan(job, options.lowering).script().around(lambda decided: _query(job, linear, decided))


def _query(job: Job, linear: _Linear, decided: str) -> str:
    """The query over the decisions z0 …, in levels of subqueries that use only generated names."""
    engine, kept, n = job.dialect, job.frame.kept, len(linear.intercept)
    outputs = [*linear.names]
    if linear.classes is not None:
        outputs += ["class", *(f"probability{i}" for i in range(len(linear.classes)) if linear.probability)]
    for name in kept:
        if name.casefold() in outputs:
            raise SourceError(f"column {name!r} of the source has the name of a score: rename it")
    columns = len(kept) + 2 * n + 2
    if engine.limits.columns is not None and columns > engine.limits.columns:
        raise LimitError(
            f"{n} decisions make {columns} columns, more than the {engine.limits.columns} of {engine.name}: "
            "score fewer classes at a time"
        )
    carried, d = [f"c{i}" for i in range(len(kept))], [f"d{i}" for i in range(n)]
    named = [f"{engine.quote(name)} AS {c}" for name, c in zip(kept, carried, strict=True)]
    relation = _level(engine, [*named, *(f"z{i} AS d{i}" for i in range(n))], f"({decided}) q")
    own = [f"{c} AS {engine.quote(name)}" for name, c in zip(kept, carried, strict=True)]
    scores = [f"{x} AS {engine.quote(name)}" for name, x in zip(linear.names, d, strict=True)]
    if linear.classes is None:
        return f"SELECT {', '.join([*own, *scores])}\nFROM {relation}"
    values = [_literal(engine, value) for value in linear.classes]
    carried += d
    if n == 1:
        chosen = f"CASE WHEN d0 > 0 THEN {values[1]} WHEN d0 <= 0 THEN {values[0]} END"
    else:
        relation = _level(engine, [*carried, f"{_greatest(engine, d)} AS best"], relation)
        carried.append("best")
        chosen = f"CASE {' '.join(f'WHEN {x} = best THEN {v}' for x, v in zip(d, values, strict=True))} END"
    probabilities: list[str] = []
    if linear.probability is not None:
        written = _PROBABILITIES[linear.probability].sql
        at = [f"({x}-best)" for x in d] if linear.probability == "softmax" else d
        p = [f"p{i}" for i in range(n)]
        relation = _level(
            engine, [*carried, *(f"{written(engine, x)} AS {name}" for x, name in zip(at, p, strict=True))], relation
        )
        probabilities = ["1-p0", "p0"]
        if n > 1:
            relation = _level(engine, [*carried, *p, f"{tree(p)} AS total"], relation)
            uniform = engine.literal(1 / n, DOUBLE)
            probabilities = [f"CASE WHEN total = 0 THEN {uniform} ELSE {x}/total END" for x in p]
    scores = [f"{chosen} AS {engine.quote('class')}", *scores]
    scores += [f"{x} AS {engine.quote(f'probability{i}')}" for i, x in enumerate(probabilities)]
    return f"SELECT {', '.join([*own, *scores])}\nFROM {relation}"


def _level(engine: Dialect, columns: Sequence[str], relation: str) -> str:
    return f"(SELECT {', '.join(columns)}\nFROM {relation}{engine.fence}) s"


def _greatest(engine: Dialect, expressions: Sequence[str]) -> str:
    """The greatest of several expressions, in groups of 32, because functions have a limited number of arguments."""
    level = list(expressions)
    while len(level) > 1:
        groups = [level[i : i + 32] for i in range(0, len(level), 32)]
        level = [engine.greatest(group) if len(group) > 1 else group[0] for group in groups]
    return level[0]


def _literal(engine: Dialect, value: object) -> str:
    """A class as a literal."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int) and abs(value) < 2**63:
        return engine.cast(str(value), Number("int", 63))
    if isinstance(value, float) and np.isfinite(value):
        return engine.literal(value, DOUBLE)
    if isinstance(value, str) and is_text(value):
        return engine.string(value)
    raise ParameterError(f"class {shorten(value)} cannot stand in SQL: classes must be whole numbers, text or booleans")
