"""A fitted linear model on top of a projection, as one query for decisions, class and probabilities."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, overload

import numpy as np
import pyarrow as pa

from sqlrp._connectors.foresight import foreseen
from sqlrp._core.errors import LimitError, ParameterError, SourceError, UnsupportedError, shorten
from sqlrp._core.names import spelled
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.options import Nulls, Options
from sqlrp._core.script import Script
from sqlrp._core.sources import Join, Source
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._engines.registry import connector_of
from sqlrp._evaluator.moments import total
from sqlrp._learning.groups import GroupedModel
from sqlrp._learning.kmeans import KMeans
from sqlrp._learning.linear import PROBABILITIES, LinearDecisions, Matrix, PredictionInterval, read_model
from sqlrp._learning.linear_model import LinearModel, LinearRegressor
from sqlrp._learning.scoring_groups import GroupedCall, first_best, in_doubles
from sqlrp._learning.student import bound_of
from sqlrp._lowering.endpoints import component_names, tree
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import Plan
from sqlrp._lowering.sums_sql import class_literal, greatest, level
from sqlrp._projections.projection import Projection, checked
from sqlrp._projections.sklearn_import import best_of, chain_of, is_pipeline, steps_of
from sqlrp._run.execution import run
from sqlrp._run.first_rows import prove
from sqlrp._run.frames.kinds import is_dataframe
from sqlrp._stages import AppendConstant, Stage, WeightedSums


@overload
def score_sql(
    projection: Projection | None,
    model: Any,
    source: Source | Join | str,
    engine: Any,
    *,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    interval: float | None = None,
) -> str: ...


@overload
def score_sql(
    projection: Any,
    model: Source | Join | str,
    source: Any,
    *,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    interval: float | None = None,
) -> str: ...


def score_sql(
    projection: Any,
    model: Any,
    source: Source | Join | str | Any,
    engine: Any = None,
    *,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    interval: float | None = None,
) -> str:
    """Write the SQL text that projects a source and applies a fitted linear model of scikit-learn to the components.

    There are two forms: `score_sql(projection, model, source, engine)`, where `projection` None applies the model to
    the features themselves, and `score_sql(pipeline, source, engine)` for a fitted Pipeline or a model alone. A model
    of `sqlrp.learn` or `sqlrp.kmeans` alone brings its projection. One with groups (`by`) gives each row the scores of
    its group's model, or NULL if that has none, and the column of the groups. The steps of a pipeline before its model
    are those of `sqlrp.from_sklearn`.

    `model`: what `sqlrp.learn` or `sqlrp.kmeans` returns, or any model that decides by coef_ and intercept_ alone:
    LogisticRegression, LinearSVC, SGDClassifier, RidgeClassifier, Perceptron, LinearRegression, Ridge, Lasso,
    LinearSVR, PLSRegression and more; a CalibratedClassifierCV of such classifiers with method "sigmoid"; or a search,
    such as GridSearchCV, whose best estimator is one of these. The columns, after key and keep, are:

    - classifier: class; decision (two classes), or decision0 … in the order of classes_; probability0 … in the same
      order if the model has predict_proba. If decisions are equal the first class wins, as in scikit-learn. A
      calibrated classifier has no decisions.
    - regressor: prediction, or prediction0 … for several targets; then with `interval` standard_error, lower and upper.

    `interval`: a probability, such as 0.95, for a regressor of `sqlrp.learn` with ridge=0. The mean of the targets at
    these components lies from lower to upper with it, if their errors are normal and of one variance, and the
    components are linear in it. The standard error is σ√(1/n + (z - mean)ᵀ(ZᵀZ)⁻¹(z - mean)), as statsmodels' `mean_se`
    (Seber and Lee, Linear Regression Analysis, 2003, 5.3). A single target differs from its mean by its own error, too.

    All numbers are computed in DOUBLE, but for a Join whose features are all FLOAT. `engine`, `nulls`, `lowering` as in
    `sqlrp.sql`. If the terms are too many for one statement, the text is a script of several.
    Raises ParameterError for a model that is not fitted or has other features than the projection's components,
    SourceError for a source that lacks columns which the model was learnt from, if it knows their names,
    UnsupportedError for a model whose predictions do not follow from coef_ and intercept_, LimitError for more classes
    than the engine has columns. The message names the step of a pipeline.

        >>> model = sqlrp.learn(rp, "points", con)
        >>> con.sql(sqlrp.score_sql(rp, model, "points", con)).columns
        ['id', 'class', 'decision']
    """
    options = Options(nulls=nulls, lowering=lowering)
    call = _called(projection, model, source, engine, interval)
    return call.script(call.plan(call.target, options)).text


@overload
def score(
    projection: Projection | None,
    model: Any,
    source: Source | Join | str,
    connection: Any,
    *,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    interval: float | None = None,
) -> Any: ...


@overload
def score(
    projection: Any,
    model: Source | Join | str,
    source: Any,
    *,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    interval: float | None = None,
) -> Any: ...


@foreseen
def score(
    projection: Any,
    model: Any,
    source: Source | Join | str | Any,
    connection: Any = None,
    *,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    interval: float | None = None,
) -> Any:
    """Run the query of `score_sql`, in the same two forms. Returns a pyarrow.Table; on Spark a DataFrame.

    The columns are key, keep and the scores.

        >>> model = sqlrp.learn(rp, "points", con)
        >>> sqlrp.score(rp, model, "points", con).column_names
        ['id', 'class', 'decision']
    """
    options = Options(nulls=nulls, lowering=lowering)
    call = _called(projection, model, source, connection, interval)
    connector = connector_of(call.target)
    with connector.working(call.target) as session:
        chosen = call.plan(session, options)
        prove(connector, session, chosen)
        frame = chosen.job.frame
        names = [*frame.kept, *call.outputs]
        rows = connector.named(run(connector, session, call.script(chosen)), names)
        return connector.as_shown(rows, frame.passing) if isinstance(rows, pa.Table) else rows


def _called(projection: Any, model: Any, source: Any, target: Any, interval: float | None) -> _ScoreCall | GroupedCall:
    """The call of three arguments or of four, for a model or for one with groups."""
    if isinstance(projection, GroupedModel):
        projection, model, source, target = None, projection, model, source if target is None else target
    if not isinstance(model, GroupedModel):
        return _ScoreCall.of(projection, model, source, target)._with_interval(interval)
    if interval is not None:
        raise ParameterError(f"interval = {interval} is for one model: score the rows of a group by model[group]")
    return GroupedCall.of(projection, model, source, target)


# -- the call ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ScoreCall:
    """What is scored: the projection of the rows, or None, and the linear model of its components."""

    projection: Projection | None
    linear: LinearDecisions
    source: Source | Join | str
    target: Any
    """an engine's name or a connection"""
    features: tuple[str, ...] | int | None = None
    """the features that the model wants, if it knows them"""
    model: Any = None
    """what the linear model was read from"""

    @classmethod
    def of(cls, projection: Any, model: Any, source: Any, target: Any) -> _ScoreCall:
        """Read the arguments of a call, of three or of four."""
        if target is None:
            if projection is None or isinstance(projection, Projection):
                raise ParameterError("an argument is missing: pass projection, model, source and engine")
            alone = projection
            projection, model, source, target = None, alone, model, source
            if isinstance(alone, (LinearModel, KMeans)):
                projection = alone.projection
        model = best_of(model)
        if is_dataframe(source):
            raise ParameterError(
                "a dataframe is scored by scikit-learn: put a transformer of sqlrp.sklearn in a pipeline"
            )
        if projection is not None:
            checked(projection)
        if not is_pipeline(model):
            linear = read_model(model, projection and projection.k)
            return cls(projection, linear, source, target, _own(projection, model), model)
        *steps, (name, last) = steps_of(model) or [("", None)]
        if last is None or not hasattr(last, "predict"):
            raise UnsupportedError(
                f"step {name!r} of the pipeline, {shorten(last)}, is not a model: the last step must be a linear one; "
                "sqlrp.from_sklearn takes a pipeline of transformers"
            )
        projection = chain_of(steps, projection)
        try:
            linear = read_model(last, projection and projection.k)
            return cls(projection, linear, source, target, None if projection is not None else _own(None, last))
        except (ParameterError, UnsupportedError) as error:
            raise type(error)(f"step {name!r} of the pipeline: {error}") from error

    def _with_interval(self, level: float | None) -> _ScoreCall:
        """The call with the decisions of the interval of a mean prediction. Raises ParameterError for another model."""
        if level is None:
            return self
        if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
            raise ParameterError(f"interval = {shorten(level)} must be a probability between 0 and 1, such as 0.95")
        if not isinstance(self.model, LinearRegressor):
            raise ParameterError(
                f"interval = {level} needs the sums of a regressor of sqlrp.learn, and {shorten(self.model)} is none"
            )
        return replace(self, linear=_with_interval(self.linear, self.model, float(level)))

    @property
    def outputs(self) -> list[str]:
        """The columns of the scores, in their order."""
        return _outputs(self.linear)

    def plan(self, target: Any, options: Options) -> Plan:
        """The plan of the decisions. `target`: an engine's name, or a session."""
        linear = self.linear
        scored = _DecisionProjection(
            k=len(linear.intercept),
            bound_to=_bound(self),
            inner=self.projection,
            weights=np.vstack([linear.coefficients, linear.intercept[None, :]]),
        )
        return in_doubles(scored, self.source, target, options)

    def script(self, made: Plan) -> Script:
        """The script of the scores, from the plan of the decisions."""
        return made.script().around(lambda decided: _query(made.job, self.linear, decided))


def _own(projection: Projection | None, model: Any) -> tuple[str, ...] | int | None:
    """The features that a model was fitted on, or those of its projection."""
    if isinstance(model, LinearModel):
        known = projection is not None and projection.bound(None) == model.projection.bound(None)
        return model.settings.features if known else None
    names = getattr(model, "feature_names_in_", None)
    return None if names is None or projection is not None else tuple(map(str, names))


# -- the query ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _DecisionProjection(Projection):
    """A projection followed by the decisions, as one pipeline that every lowering accepts."""

    inner: Projection | None = None
    weights: Matrix = None  # type: ignore[assignment]  # always given

    called: ClassVar[str] = "model"

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The projection's own stages, then weighted sums of its components and a constant."""
        inner = () if self.inner is None else self.inner.stages(n_features)
        if any(stage.groups for stage in inner):
            raise UnsupportedError(
                f"{type(self.inner).__name__} ends in what no linear model can follow in one query: "
                "materialize it, and score its table with projection = None"
            )
        factor = 1.0 if self.inner is None else self.inner.factor(n_features)
        weights = np.vstack([self.weights[:-1] * factor, self.weights[-1:]])
        return *inner, AppendConstant(1.0), WeightedSums(weights)

    @property
    def fills(self) -> bool:
        """Whether the projection does."""
        return self.inner is not None and self.inner.fills

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


def _bound(call: _ScoreCall) -> Sequence[str] | int | None:
    """The features that the source must have."""
    if call.projection is not None and call.projection.bound_to is not None:
        return call.projection.bound_to
    return call.features if call.projection is not None or call.features else len(call.linear.coefficients)


def _outputs(linear: LinearDecisions) -> list[str]:
    """The columns of the scores, in their order."""
    if linear.classes is None:
        return [*linear.names]
    return ["class", *linear.names, *(f"probability{i}" for i in range(len(linear.classes)) if linear.probability)]


def _query(job: Job, linear: LinearDecisions, decided: str) -> str:
    """The query over the decisions z0 …, in levels of subqueries that use only generated names."""
    engine, kept, n = job.dialect, job.frame.kept, len(linear.intercept)
    for name in kept:
        if spelled(name) in _outputs(linear):
            raise SourceError(f"column {name!r} of the source has the name of a score: rename it")
    columns = len(kept) + 2 * n + 2
    if engine.limits.columns is not None and columns > engine.limits.columns:
        raise LimitError(
            f"{n} decisions make {columns} columns, more than the {engine.limits.columns} of {engine.name}: "
            "score fewer classes at a time"
        )
    carried, d = [f"c{i}" for i in range(len(kept))], [f"d{i}" for i in range(n)]
    named = [f"{engine.quote(name)} AS {c}" for name, c in zip(kept, carried, strict=True)]
    own = [f"{c} AS {engine.quote(name)}" for name, c in zip(kept, carried, strict=True)]
    decisions = [f"{z} AS d{i}" for i, z in enumerate(component_names(engine, n))]
    relation = level(engine, [*named, *decisions], f"({decided}) q")
    if linear.interval is not None:
        error = engine.sqrt(tree([engine.literal(linear.interval.constant, DOUBLE), *(f"{x}*{x}" for x in d[1:])]))
        relation = level(engine, [*carried, "d0", f"{error} AS e"], relation)
        away = f"{engine.literal(linear.interval.times, DOUBLE)}*e"
        d = ["d0", "e", f"d0 - {away}", f"d0 + {away}"]
    if linear.classes is None:
        scores = [f"{x} AS {engine.quote(name)}" for name, x in zip(linear.names, d, strict=True)]
        return f"SELECT {', '.join([*own, *scores])}\nFROM {relation}"
    written = _averaged if linear.members else _decided
    chosen, probabilities, relation = written(engine, linear, carried, relation)
    scores = [f"{chosen} AS {engine.quote('class')}"]
    scores += [f"{x} AS {engine.quote(name)}" for name, x in zip(linear.names, d, strict=False)]
    scores += [f"{x} AS {engine.quote(f'probability{i}')}" for i, x in enumerate(probabilities)]
    return f"SELECT {', '.join([*own, *scores])}\nFROM {relation}"


def _decided(
    engine: Dialect, linear: LinearDecisions, kept: Sequence[str], relation: str
) -> tuple[str, list[str], str]:
    """The class and the probabilities of decisions d0 …, as expressions over the returned relation."""
    values = [class_literal(engine, value) for value in linear.classes or ()]
    n = len(linear.intercept)
    d = [f"d{i}" for i in range(n)]
    carried = [*kept, *d]
    if n == 1:
        chosen = f"CASE WHEN d0 > 0 THEN {values[1]} WHEN d0 <= 0 THEN {values[0]} END"
    else:
        relation = level(engine, [*carried, f"{greatest(engine, d)} AS best"], relation)
        carried.append("best")
        chosen = first_best(d, values)
    if linear.probability is None:
        return chosen, [], relation
    written = PROBABILITIES[linear.probability].sql
    at = [f"({x}-best)" for x in d] if linear.probability == "softmax" else d
    p = [f"p{i}" for i in range(n)]
    written_at = [f"{written(engine, x)} AS {name}" for x, name in zip(at, p, strict=True)]
    relation = level(engine, [*carried, *written_at], relation)
    if n == 1:
        return chosen, ["1-p0", "p0"], relation
    relation = level(engine, [*carried, *p, f"{tree(p)} AS total"], relation)
    return chosen, [_share(engine, x, "total", n) for x in p], relation


def _averaged(
    engine: Dialect, linear: LinearDecisions, kept: Sequence[str], relation: str
) -> tuple[str, list[str], str]:
    """The same for a calibrated model: the probabilities are means over the members, and the greatest one decides."""
    values = [class_literal(engine, value) for value in linear.classes or ()]
    members, k = linear.members, len(linear.intercept) // linear.members
    p = [f"p{i}" for i in range(len(linear.intercept))]
    logistic = PROBABILITIES["logistic"].sql
    relation = level(engine, [*kept, *(f"{logistic(engine, f'd{i}')} AS {x}" for i, x in enumerate(p))], relation)
    count = engine.literal(members, DOUBLE)
    if k == 1:
        relation = level(engine, [*kept, f"({tree(p)})/{count} AS q"], relation)
        return f"CASE WHEN q > 1-q THEN {values[1]} WHEN q <= 1-q THEN {values[0]} END", ["1-q", "q"], relation
    totals = [f"{tree(p[m * k : m * k + k])} AS t{m}" for m in range(members)]
    relation = level(engine, [*kept, *p, *totals], relation)
    q = [f"q{i}" for i in range(k)]
    means = [tree([_share(engine, p[m * k + i], f"t{m}", k) for m in range(members)]) for i in range(k)]
    relation = level(engine, [*kept, *(f"({mean})/{count} AS {x}" for mean, x in zip(means, q, strict=True))], relation)
    relation = level(engine, [*kept, *q, f"{greatest(engine, q)} AS best"], relation)
    return first_best(q, values), q, relation


def _share(engine: Dialect, part: str, total: str, n: int) -> str:
    """The part of a total of n parts; 1/n if the total is 0."""
    return f"CASE WHEN {total} = 0 THEN {engine.literal(1 / n, DOUBLE)} ELSE {part}/{total} END"


def _with_interval(linear: LinearDecisions, model: LinearRegressor, level: float) -> LinearDecisions:
    """The linear model with directions v as further decisions, so that Σ v² is the variance of a mean prediction.

    It is σ²(1/n + (z - mean)ᵀ(ZᵀZ)⁻¹(z - mean)), and the directions are a root of σ²(ZᵀZ)⁻¹. Raises ParameterError as
    `LinearRegressor.inference`.
    """
    found, whole = model.inferred(), total(model.moments)
    k = len(found.inverse)
    root = np.linalg.cholesky(found.inverse) * math.sqrt(found.variance)
    own = model.settings.intercept
    level_of = -whole.mean[:k] @ root if own else np.zeros(k)
    times = math.sqrt(bound_of(1 - level, 1, found.freedom))
    return replace(
        linear,
        coefficients=np.hstack([linear.coefficients, root]),
        intercept=np.concatenate([linear.intercept, level_of]),
        interval=PredictionInterval(found.variance / whole.weight if own else 0.0, times),
    )
