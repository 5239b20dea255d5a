"""Linear models, solved from the sums of their rows."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Sequence
from dataclasses import asdict, field, fields, replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from sqlrp._core.errors import ParameterError, SourceError, warn
from sqlrp._core.sources import Join, Long, Source, Standardized
from sqlrp._core.values import dataclass
from sqlrp._evaluator.moments import Matrix, Moments, total
from sqlrp._learning.folds import (
    Counted,
    RowMoments,
    Score,
    Settings,
    best_ridge,
    check_folds,
    check_scoring,
    classes_of,
    scores_of,
    scoring_of,
)
from sqlrp._learning.losses import Moved, PassResult, passed
from sqlrp._learning.model_fields import FORMAT
from sqlrp._learning.model_rows import opened_rows
from sqlrp._learning.ridge import Inference, RidgeSolution
from sqlrp._learning.student import two_sided
from sqlrp._learning.target import Task
from sqlrp._learning.thresholds import temperature_of, threshold_of
from sqlrp._lowering.tallies import chosen, shares
from sqlrp._projections.checks import check_bound
from sqlrp._projections.projection import Projection


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A linear model on the components of a projection. `sqlrp.score` and `score_sql` run it in the database.

    `coef_` and `intercept_` have the shapes of scikit-learn's. `moments` are the sums of each fold that it was solved
    from, so that more rows can be added (`refresh`).

        >>> model = sqlrp.learn(rp, "points", con)
        >>> isinstance(model, sqlrp.LinearModel)
        True
        >>> model.coef_.shape
        (1, 2)
    """

    settings: Settings
    moments: tuple[Moments, ...] = field(repr=False)
    coef_: Matrix = field(repr=False)
    """shape (k,) for a regressor; (1, k) for two classes that are coded by signs; otherwise (classes, k)"""
    intercept_: Any
    ridge: float
    """the chosen ridge"""
    scores: tuple[Score, ...] = field(default=(), repr=False)
    """of every fold and ridge; empty without folds"""
    how: str = ""
    """how the sums were computed"""
    terms: int = 0
    """the additions and multiplications that project one row"""
    passes: int = 1
    """the passes over the rows that the model took, but for those that count"""
    change: float = 0.0
    """by how much the last pass changed the decisions, as a part of their deviation; 0 for a model of one pass. Of
    logistic, what the next pass would change if that is more; a deviation above 7 counts as 7."""
    threshold: float = 0.0
    """what the folds chose to subtract from the decision of two classes; `intercept_` is less by it"""
    temperature: float = 1.0
    """what the folds chose to divide decisions by, so that probabilities are calibrated; `coef_` is divided by it"""

    @property
    def measure(self) -> str:
        """The name of the score, as scikit-learn names it."""
        return scoring_of(self.settings.scoring, isinstance(self, LinearClassifier))

    @property
    def converged(self) -> bool:
        """Whether the last pass changed the decisions by less than 1e-5 of their deviation; of logistic, 1e-3.

        The passes of the logistic loss come near faster: its mean over the rows is then within about 1e-5 of the least,
        and within 1e-4 where the classes hardly overlap, so that the least is near 0.
        """
        return PassResult.converged(self.change, self.settings.loss)

    @property
    def projection(self) -> Projection:
        """The projection of the rows."""
        return self.settings.projection

    @property
    def rows(self) -> int:
        """The number of rows that the model was learnt from; of a private model with noise."""
        return sum(part.count for part in self.moments)

    @property
    def folds(self) -> int:
        """The number of folds; 0 without cross-validation."""
        return len(self.moments) if len(self.moments) > 1 else 0

    @property
    def cv_score(self) -> float:
        """The mean score of the folds with the chosen ridge, by `measure`. NaN without folds."""
        own = [s.score for s in self.scores if s.ridge == self.ridge]
        return float(np.mean(own)) if own else math.nan

    def __repr__(self) -> str:
        """The projection, the ridge, and the mean score of the folds."""
        said = [type(self.projection).__name__, f"k={self.projection.k}", f"target={self.settings.target!r}"]
        said += [f"rows={self.rows:,}", f"ridge={self.ridge:g}"]
        if self.settings.privacy is not None:
            said += [f"epsilon={self.settings.privacy.epsilon:g}", f"delta={self.settings.privacy.delta:g}"]
        if self.settings.by_passes:
            said.append(f"passes={self.passes}" + ("" if self.converged else ", not converged"))
        if not math.isnan(self.cv_score):
            said.append(f"{self.measure} of {self.folds} folds={self.cv_score:.4f}")
        return f"{type(self).__name__}({', '.join(said)})"

    def table(self) -> pa.Table:
        """For each ridge the mean score of the folds, its standard deviation, and the mean squared error."""
        rows = []
        for ridge in self.settings.ridges:
            own = [s for s in self.scores if s.ridge == ridge]
            if own:
                values, error = np.array([s.score for s in own]), float(np.mean([s.error for s in own]))
                rows.append((ridge, float(values.mean()), float(values.std()), error, ridge == self.ridge))
        columns = list(zip(*rows, strict=True)) if rows else [()] * 5
        return pa.table(dict(zip(("ridge", self.measure, "deviation", "error", "chosen"), columns, strict=True)))

    def refresh(
        self, source: Source | Standardized | Join | str, connection: Any, *, lowering: str = "auto"
    ) -> LinearModel:
        """The model with the rows of a source added to those that it was learnt from, by their own sums.

        `source` has the new rows only, such as a view of them; it has the same columns. Classes may be new. The ridge
        stays, and so do the folds. Their errors are computed again, but not their accuracies, as that would need the
        earlier rows. Raises as `sqlrp.learn`, and ParameterError for a model of several passes, which needs all rows
        for each.
        """
        if self.settings.by_passes:
            raise ParameterError(
                f"the model was learnt in passes = {self.passes}, and each needs all rows: call sqlrp.learn "
                "with all of them, or learn least squares"
            )
        if self.settings.privacy is not None:
            raise ParameterError(
                "the model is private, and the sums of new rows have no noise: call sqlrp.learn with all rows, which "
                "costs another epsilon"
            )
        if self.settings.by_rows:
            raise ParameterError(
                "the model has a threshold that the folds chose by all rows: call sqlrp.learn with all of them"
            )
        task: Task = "classifier" if isinstance(self, LinearClassifier) else "regressor"
        # A bound projection takes the model's own columns, in whichever order the source has them.
        own = replace(self.settings, projection=self.settings.projection.bound(self.settings.features))
        with opened_rows(own, source, connection, task, len(self.moments), lowering) as rows:
            check_bound(self.settings.features, *rows.named, "model")
            parts = [old + new for old, new in zip(self.moments, rows.sums(), strict=True)]
            return solved(self.settings, rows.asked.classifier, parts, rows, ridge=self.ridge)

    def scored(self, source: Source) -> Source:
        """The source with the target among the columns that pass through: of a wide source it is then no feature."""
        if self.settings.labels is not None or isinstance(source, Long):
            return source
        own = [name for name in (self.settings.target, self.settings.sample_weight) if name is not None]
        return replace(source, keep=[*source.keep, *(name for name in own if name not in source.keep)])

    def _decisions(self, z: Any) -> Matrix:
        """Shape (rows, decisions)."""
        weights = np.atleast_2d(self.coef_)
        return np.asarray(np.asarray(z, dtype=np.float64) @ weights.T + self.intercept_)

    def to_json(self) -> str:
        """The whole model as JSON text, with its sums, for `model_from_json`."""
        s = self.settings
        own = {f.name: getattr(s, f.name) for f in fields(s)} | {"projection": json.loads(s.projection.to_json())}
        if s.privacy is not None:
            own["privacy"] = asdict(s.privacy)
        if isinstance(s.class_weight, dict):  # JSON's keys are text
            own["class_weight"] = list(s.class_weight.items())
        about = {"kind": type(self).__name__, "format": FORMAT, "settings": own, "ridge": self.ridge, "how": self.how}
        if s.by_rows:  # sums of the rows alone do not give it
            about |= {"coefficients": self.coef_.tolist(), "intercepts": self.intercept_.tolist()}
            about |= {"passes": self.passes, "change": self.change if math.isfinite(self.change) else None}
            about |= {"threshold": self.threshold, "temperature": self.temperature}
        return json.dumps({**about, "terms": self.terms, **self.written_sums()})

    def written_sums(self) -> dict[str, list[Any]]:
        """The scores and the sums of the folds, as `to_json` writes them."""
        scores = [
            [None if math.isnan(cell) else cell for cell in (x.ridge, x.fold, x.rows, x.error, x.score)]
            for x in self.scores
        ]
        packed = [base64.b64encode(zlib.compress(part.pack(), 1)).decode() for part in self.moments]
        return {"scores": scores, "moments": packed}


class LinearClassifier(LinearModel):
    """A linear classifier: the class of a row is that of its greatest decision, or of the sign of its only one."""

    @property
    def classes_(self) -> Any:
        """The classes in order, as an array."""
        names = classes_of(self.moments)
        return np.array(names, dtype=None if len({type(name) for name in names}) == 1 else object)

    def decision_function(self, z: Any) -> Matrix:
        """The decisions of components: shape (rows,) if there is one decision, otherwise (rows, classes)."""
        found = self._decisions(z)
        return found[:, 0] if found.shape[1] == 1 else found

    def predict(self, z: Any) -> Any:
        """The classes of components, which have the shape (rows, k)."""
        return self.classes_[chosen(self._decisions(z))]

    def __getattr__(self, name: str) -> Any:
        """`predict_proba(z)` of a logistic model: the probabilities of the classes, shape (rows, classes)."""
        if name == "predict_proba" and self.settings.loss == "logistic":
            return self._probabilities
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _probabilities(self, z: Any) -> Matrix:
        p = shares(self._decisions(z))
        return np.column_stack([1 - p, p]) if p.shape[1] == 1 else p


class LinearRegressor(LinearModel):
    """A ridge regressor."""

    def predict(self, z: Any) -> Matrix:
        """The predictions of components, which have the shape (rows, k)."""
        return self._decisions(z)[:, 0]

    def inference(self) -> pa.Table:
        """For each coefficient of least squares its standard error, t, and p: the probability of such a t if it is 0.

        The last row is the intercept. The variance of a coefficient is that of σ²(ZᵀZ)⁻¹, with σ² the squares over the
        degrees of freedom, as statsmodels' OLS computes it, and with `sample_weight` its WLS. p is two-sided, by the
        t distribution. Raises ParameterError for a ridge above 0, components that are not independent, and too few
        rows.

            >>> model = sqlrp.learn(rp, "points", con, "a", task="regressor", ridge=0)
            >>> model.inference().column_names
            ['coefficient', 'value', 'standard_error', 't', 'p']
        """
        own, found = self.settings.intercept, self.inferred()
        values = np.append(self.coef_, self.intercept_) if own else self.coef_
        with np.errstate(divide="ignore", invalid="ignore"):
            t = values / found.standard_errors
        names = [f"z{i}" for i in range(len(self.coef_))] + ["intercept"] * own
        p = [two_sided(float(each), found.freedom) for each in t]
        columns = [names, values, found.standard_errors, t, p]
        return pa.table(dict(zip(("coefficient", "value", "standard_error", "t", "p"), columns, strict=True)))

    def inferred(self) -> Inference:
        """What `inference` is made of. Raises as it does."""
        if self.ridge > 0:
            raise ParameterError(
                f"ridge = {self.ridge:g} draws coefficients to 0, so that they have no standard errors: "
                "learn with ridge=0"
            )
        if self.settings.privacy is not None:
            raise ParameterError("a private model has no standard errors: its noise is larger than they would say")
        model = RidgeSolution(self.coef_[None, :], np.array([self.intercept_]))
        return Inference.of(total(self.moments), model, self.settings.intercept)


class Computation(Protocol):
    """How the sums were computed, and the terms of a row."""

    @property
    def how(self) -> str: ...

    @property
    def terms(self) -> int: ...


def solved(
    settings: Settings,
    classifier: bool,
    moments: Sequence[Moments],
    rows: Computation,
    counted: Counted | None = None,
    moved: Moved | None = None,
    ridge: float | None = None,
) -> LinearModel:
    """The model of the sums of each fold. `counted` counts correct rows. `ridge`: the ridge to take, if it is known.

    `rows`: what is told of the rows. `moved` gives the sums of another pass.

    Raises SourceError if there are no rows.
    """
    whole = total(moments)
    if not whole.weight:
        raise SourceError("no row has a target and no NULL: there is nothing to learn from")
    names = classes_of(moments) if classifier else None
    check_folds(moments)
    check_scoring(settings, names)
    folds, of_all, took = moments if len(moments) > 1 else (), None, None
    if names is not None and moved is not None and settings.by_passes:
        took = passed(settings, names, moments, whole, moved)
        *models, of_all = took.models
    else:
        left = [RowMoments.of(whole - part, names, settings) for part in folds]
        models = [rows_.solved(names, settings, settings.ridges) for rows_ in left]
    scores = scores_of(settings, names, folds, models, counted)
    if ridge is None:
        ridge = best_ridge(scores, settings.ridges) if folds else settings.ridges[0]
    if of_all is None or took is None:
        (best,) = RowMoments.of(whole, names, settings).solved(names, settings, [ridge])
        model = made(settings, classifier, moments, best, ridge, scores, rows)
    else:
        at = settings.ridges.index(ridge)
        model = made(settings, classifier, moments, of_all[at], ridge, scores, rows)
        model = replace(model, passes=took.passes, change=took.change[-1][at])
        if not model.converged:
            warn(
                f"the last of {took.passes} passes changed the decisions by {model.change:.2g} of their deviation, so "
                "the model has not converged: raise passes, or the ridge"
            )
    if names is None or counted is None or not settings.tuned:
        return model
    return _tuned(model, names, [own[settings.ridges.index(ridge)] for own in models], counted)


def made(
    settings: Settings,
    classifier: bool,
    moments: Sequence[Moments],
    best: RidgeSolution,
    ridge: float,
    scores: Sequence[Score],
    told: Computation,
) -> LinearModel:
    w, b = best.coefficients, best.intercepts
    if classifier:
        return LinearClassifier(settings, tuple(moments), w, b, ridge, tuple(scores), told.how, told.terms)
    return LinearRegressor(settings, tuple(moments), w[0], float(b[0]), ridge, tuple(scores), told.how, told.terms)


def _tuned(model: LinearModel, names: Sequence[Any], held: Sequence[RidgeSolution], counted: Counted) -> LinearModel:
    """The model with the threshold or the temperature that it was asked for. `held`: the models without each fold."""
    settings = model.settings
    if settings.calibrate:
        t = temperature_of(settings, names, held, counted)
        return replace(model, coef_=model.coef_ / t, intercept_=model.intercept_ / t, temperature=t)
    by = threshold_of(settings, names, model.measure, held, counted, total(model.moments))
    return replace(model, intercept_=model.intercept_ - by, threshold=by)


__all__ = ["Computation", "LinearClassifier", "LinearModel", "LinearRegressor", "made", "solved"]
