"""Learn a linear model from sums that are computed where the rows are."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, field, fields, replace
from types import SimpleNamespace
from typing import Any, Literal, Protocol, overload

import numpy as np
import pyarrow as pa

from sqlrp._connectors.foresight import foreseen
from sqlrp._core.draw import check_seed
from sqlrp._core.errors import ParameterError, SourceError, SqlrpError, shorten, warn
from sqlrp._core.options import Nulls, Options
from sqlrp._core.sources import Join, Long, Source, Standardized
from sqlrp._core.values import dataclass
from sqlrp._engines.registry import PlanTarget, connector_of
from sqlrp._evaluator.moments import Matrix, Moments, total
from sqlrp._learning.folds import (
    CLASSIFIER_SCORES,
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
from sqlrp._learning.groups import KIND, GroupedModel, fields_of, groups_of
from sqlrp._learning.join_sums import sums_by_key
from sqlrp._learning.kmeans import KMeans, clusters_of
from sqlrp._learning.losses import Moved, PassResult, passed
from sqlrp._learning.model_fields import (
    CLUSTERS,
    FORMAT,
    check_decisions,
    check_sizes,
    check_written,
    written_projection,
)
from sqlrp._learning.privacy import Privacy
from sqlrp._learning.ridge import Coding, Inference, RidgeSolution
from sqlrp._learning.row_sums import RowSums, SumRequest, summing
from sqlrp._learning.star import JoinSums
from sqlrp._learning.student import two_sided
from sqlrp._learning.target import Target, Task, check, check_privacy, check_task, class_weight_of, passes_of, ridges_of
from sqlrp._learning.thresholds import check_tuning, temperature_of, threshold_of
from sqlrp._lowering.tallies import chosen, shares
from sqlrp._projections.checks import check_bound
from sqlrp._projections.projection import Projection, checked
from sqlrp._projections.supervised import SupervisedProjection
from sqlrp._run.frames.kinds import is_dataframe
from sqlrp._run.statistics import plain
from sqlrp._run.table_input import table_input


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
        with _rows(own, source, connection, task, len(self.moments), lowering) as rows:
            check_bound(self.settings.features, *rows.named, "model")
            parts = [old + new for old, new in zip(self.moments, rows.sums(), strict=True)]
            return _solve(self.settings, rows.asked.classifier, parts, rows, ridge=self.ridge)

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


@overload
def learn(
    projection: Projection,
    source: Source | Standardized | Join | str,
    connection: Any,
    target: str = "label",
    *,
    ridge: float | Sequence[float] = 1.0,
    relative: bool = False,
    folds: int = 0,
    task: Task = "auto",
    coding: Coding = "sign",
    intercept: bool = True,
    labels: str | None = None,
    accuracy: bool = True,
    passes: int | None = None,
    standardize: bool = False,
    class_weight: str | Mapping[Any, float] | None = None,
    sample_weight: str | None = None,
    scoring: str = "auto",
    threshold: Literal["zero", "folds"] = "zero",
    calibrate: bool = False,
    seed: int = 0,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    by: None = None,
    privacy: Privacy | None = None,
) -> LinearModel: ...


@overload
def learn(
    projection: Projection,
    source: Source | Standardized | Join | str,
    connection: Any,
    target: str = "label",
    *,
    ridge: float = 1.0,
    relative: bool = False,
    task: Task = "auto",
    coding: Coding = "sign",
    intercept: bool = True,
    labels: str | None = None,
    standardize: bool = False,
    class_weight: str | Mapping[Any, float] | None = None,
    sample_weight: str | None = None,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    by: str,
) -> GroupedModel: ...


@foreseen
def learn(
    projection: Projection,
    source: Source | Standardized | Join | str,
    connection: Any,
    target: str = "label",
    *,
    ridge: float | Sequence[float] = 1.0,
    relative: bool = False,
    folds: int = 0,
    task: Task = "auto",
    coding: Coding = "sign",
    intercept: bool = True,
    labels: str | None = None,
    accuracy: bool = True,
    passes: int | None = None,
    standardize: bool = False,
    class_weight: str | Mapping[Any, float] | None = None,
    sample_weight: str | None = None,
    scoring: str = "auto",
    threshold: Literal["zero", "folds"] = "zero",
    calibrate: bool = False,
    seed: int = 0,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    by: str | None = None,
    privacy: Privacy | None = None,
) -> LinearModel | GroupedModel:
    """Fit a linear classifier or regressor to the components of a source's rows, from sums of the rows.

    The model is that of scikit-learn's RidgeClassifier or Ridge on the projected rows, with alpha = `ridge`; 0 gives
    the least squares, and of several that are equally good the one whose coefficients have the least norm. (An
    eigenvalue of the correlations of k components counts as 0 up to 8·k·2⁻⁵² of the largest.) It needs only ZᵀZ and
    Zᵀy, which are k·(k + 1)/2 + k·classes sums for any number of rows. Pass the model to `sqlrp.score` and
    `sqlrp.score_sql` with the same projection.

    `target`: the column to predict. Text, booleans and whole numbers are classes, and other numbers are values;
    `task` "classifier" or "regressor" says otherwise. `labels`: the table that has the target, if it is not a column
    of the source. It is joined by the source's key, as sparse rows (Long) and grouped rows need it.

    `relative`: the ridges are multiplied by the mean scatter of a component, Σ (z - mean)², so that the same ones suit
    components of any size.

    `folds`: 2 or more for cross-validation. The fold of a row is a hash of its key (a whole number or text) and the
    `seed`, the same on every engine. The model of the other folds follows by subtraction, so all folds and ridges
    need the rows once. Of several ridges the best one is taken: by the mean score of the folds. Counting correct rows
    reads the rows a second time; `accuracy` False leaves it out, and the mean squared error decides.
    `LinearModel.scores` has the score of every fold and ridge.
    `scoring`: "accuracy", "balanced_accuracy", "f1" (of the second of two classes), "f1_macro" or "neg_log_loss" for
    classes, and "r2" or "neg_mean_squared_error" for values, as scikit-learn names them. "auto": accuracy, or r2.

    `standardize`: the ridge is of components with mean 0 and variance 1. The sums have what this needs, so it costs
    nothing. The coefficients are those of the components as they are. The result is that of scikit-learn's
    StandardScaler before the model; the statistics are those of the rows that the model is learnt from.
    `class_weight`: "balanced" gives all classes the same weight together, which finds more rows of rare classes. A
    mapping gives a weight to each class, and 1 to the others. The sums of the classes are then kept apart, as
    classes·k² numbers. "balanced" takes the rows that a model is learnt from, so each fold has weights of its own.
    `sample_weight`: a column of numbers that are 0 or above. A row of weight 2 counts as two rows, in scores too.

    `coding`: the targets of a classifier are 1 for the row's class and -1 ("sign") or 0 ("one-hot") for the others. Of
    more than two classes each gets a decision against the rest, all from the same sums.
    "discriminant" solves the linear discriminant from the same sums, as scikit-learn's LinearDiscriminantAnalysis
    does; the ridge is added to the scatter within the classes. It is often more accurate with many classes.
    "logistic" is logistic regression, scikit-learn's LogisticRegression with C = 1/ridge. It has probabilities, in
    `predict_proba` and in SQL.
    `passes`: for a linear support vector machine, which is often the most accurate, the most passes, from 2. From the
    second pass on, a decision beyond its target, on the right side, is no error. Many passes give the model of the
    squared hinge loss, Σ max(0, 1 - y·f)² + ridge·|w|² for each decision f: scikit-learn's LinearSVC with
    C = 1/(2·ridge), but for its penalty of the intercept. 8 passes often come near. Each reads the rows once more, and
    needs k·classes sums more. The rows of every fold are left out of all passes of its models. With coding "logistic"
    the most passes are 100 by default. Passes end when the models have converged. `LinearModel.converged` is False, and
    a warning says so, if the passes were too few: `LinearModel.change` says how far the last one still moved.
    `threshold`: of two classes, the second one is decided above it. "folds" takes the threshold with the best mean
    score of the folds, as scikit-learn's TunedThresholdClassifierCV does, and moves the intercept by it. Rare classes
    gain most. `calibrate`: the folds choose a temperature, by which the decisions of "logistic" are divided, so that
    the log loss of their rows is least (Guo et al. 2017). It reads the rows three times more, and `threshold` four
    times, or up to nine where few decisions are far from all others. The scores of the folds are those before.
    `intercept` False fits no constant. Rows whose target is NULL, or a feature with `nulls` "propagate", are left out.

    `by`: a column whose values are groups. Each group gets a model of its own, all in one pass, after a query that
    counts the groups. The result is a `GroupedModel`. If the database adds up, one GROUP BY has the products of all.
    Values that are no whole numbers, booleans or text are read as text. Rows whose group is NULL are left out. A group
    of a single class gets no model (`left_out`). Differences from the mean of all rows are summed, so groups whose
    means differ by much more than their deviations lose digits. With `labels`, that table has the column. With `folds`
    each group gets the best of several ridges: of classes by the mean squared error, as correct rows are not counted. A
    group without rows in a fold gets no model. `by` takes no passes.

    `privacy`: adds noise to the sums, so that nothing that follows tells whether any one row was there: see `Privacy`.
    It needs OpenDP, which the extra `private` installs. A row is one of the source, and with `labels` each key must
    have one label. `ridge` is at least what the noise asks for. It takes one ridge, and neither folds, passes, weights,
    `standardize`, `by` nor a Join. Not protected are the names of columns, errors and warnings, the time that the call
    takes, the text of its SQL, and what was learnt from the rows before, such as a fitted projection.

    A `Join` is added up by key, as `sqlrp.fit` does, if the projection is sums of the features alone, such as principal
    components or sparse signs, and their products are no more than those of the components. The sums of the components
    follow from these, so that the joined rows are never made. This holds for ridge, least squares and the discriminant.
    More passes, such as those of "logistic", need the components of each row, and so do counts of correct rows,
    weights, groups and rows with NULL: these rows are joined. `LinearModel.how` says which it was.

    `lowering`: "auto" takes the fastest way. "sql", or a kind of SQL, lets the database add up: only sums leave it.
    "native" reads the source's rows in batches and evaluates them in this process; on Spark its workers do. Where this
    process needs the rows several times, it reads them once and keeps their components, up to 256 MB of them.
    `LinearModel.how` says which way was taken.

    Raises ParameterError for a parameter out of bounds, SourceError for rows without a target, with only one class, or
    with NaN or infinity, and the errors of `sqlrp.project`.

        >>> model = sqlrp.learn(rp, "points", con, target="label", folds=5, ridge=[0.1, 1.0])
        >>> model.ridge in (0.1, 1.0), len(model.scores)
        (True, 10)
    """
    settings = Settings(
        checked(projection),
        target,
        ridges_of(ridge),
        coding,
        intercept,
        labels,
        seed,
        nulls,
        passes_of(passes, coding),
        bool(standardize),
        class_weight_of(class_weight),
        sample_weight,
        scoring,
        threshold,
        bool(calibrate),
    )
    check(settings, folds, task, accuracy)
    check_tuning(settings, folds, accuracy)
    check_seed(seed)
    if privacy is not None:
        check_privacy(privacy, settings, source, folds, by)
        return _private(settings, source, connection, task, lowering, relative, privacy)
    if by is not None:
        own = _checked_by(by, settings)
        return _by_group(settings, source, connection, task, max(folds, 1), lowering, relative, own)
    return _learnt(settings, source, connection, task, max(folds, 1), accuracy, lowering, relative)


def _learnt(
    settings: Settings,
    source: Source | Standardized | Join | str,
    connection: Any,
    task: Task,
    folds: int,
    accuracy: bool,
    lowering: str,
    relative: bool,
) -> LinearModel:
    again = settings.by_rows or (folds > 1 and accuracy)
    with _rows(settings, source, connection, task, folds, lowering, again) as rows:
        parts, projection = rows.sums(), rows.asked.projection  # with the statistics of a standardized source
        settings = replace(settings, projection=projection, features=rows.features)
        if relative:
            settings = _times(settings, _unit(settings, total(parts)))
        return _solve(settings, rows.asked.classifier, parts, rows, rows.said if accuracy else None, rows.moved)


def _private(
    settings: Settings,
    source: Source | Standardized | Join | str,
    connection: Any,
    task: Task,
    lowering: str,
    relative: bool,
    privacy: Privacy,
) -> LinearModel:
    """A model of sums with noise. Nothing after these has seen a row."""
    own: Task = "classifier" if privacy.classes else "regressor"
    if task not in ("auto", own):
        raise ParameterError(f"task = {task!r}, and privacy names what a {own} needs: leave out one of them")
    learnt = settings.projection.unprepared
    if learnt.learns or isinstance(learnt, SupervisedProjection) or learnt is not settings.projection:
        warn(
            f"{type(settings.projection).__name__} was learnt from rows, which privacy does not protect: learn it from "
            "others, or draw one"
        )
    with _rows(replace(settings, privacy=privacy), source, connection, own, 1, lowering) as rows:
        (sums,) = rows.sums()
        settings = replace(settings, projection=rows.asked.projection, features=rows.features, privacy=privacy)
        whole, least = privacy.released(sums, settings.projection.k)
        settings = _times(settings, _unit(settings, whole) if relative else 1.0)
        settings = replace(settings, ridges=tuple(max(each, least) for each in settings.ridges))
        return _solve(settings, rows.asked.classifier, [whole], rows)


def _checked_by(by: object, settings: Settings) -> str:
    """The column of the groups. Raises ParameterError for what groups cannot have."""
    if not isinstance(by, str) or not by:
        raise ParameterError(f"by = {shorten(by)} must be the name of a column")
    if by == settings.target:
        raise ParameterError(f"by = {by!r} is the target: each group would have one value of it; name another column")
    given = {
        "coding = 'logistic'": settings.coding == "logistic",
        f"passes = {settings.passes}": settings.passes > 1,
        "threshold = 'folds'": settings.tuned,
        f"scoring = {settings.scoring!r}": settings.scoring in CLASSIFIER_SCORES,
    }
    for said, is_given in given.items():
        if is_given:
            raise ParameterError(
                f"{said} needs the rows of each group again, and by = {by!r} reads all once: leave out one"
            )
    return by


def _by_group(
    settings: Settings,
    source: Source | Standardized | Join | str,
    connection: Any,
    task: Task,
    folds: int,
    lowering: str,
    relative: bool,
    by: str,
) -> GroupedModel:
    """A model for each group, from the sums of one pass."""
    with _rows(settings, source, connection, task, folds, lowering, by=by) as rows:
        whole = rows.sums()
        classifier, labels = rows.asked.classifier, rows.asked.labels
        settings = replace(settings, projection=rows.asked.projection, features=rows.features)
    models, left_out = {}, {}
    for name, parts in groups_of(whole, classifier, settings.class_weight is not None).items():
        own = _times(settings, _unit(settings, total(parts)) if relative else 1.0)
        try:
            models[name] = _solve(own, classifier, parts, rows)
        except SourceError as error:
            left_out[name] = str(error)
    if not models:
        reason = next(iter(left_out.values()), "no row has a target, a group and no NULL")
        raise SourceError(f"no group of {by!r} gives a model: {reason}")
    return GroupedModel(str(labels.group), models, left_out, labels.group_text, rows.how)


def _unit(settings: Settings, whole: Moments) -> float:
    """The mean scatter of a component."""
    return whole.weight if settings.standardize else float(np.diag(whole.scatter)[: settings.projection.k].mean())


def _times(settings: Settings, unit: float) -> Settings:
    return replace(settings, ridges=tuple(each * unit for each in settings.ridges))


def _tuned(model: LinearModel, names: Sequence[Any], held: Sequence[RidgeSolution], counted: Counted) -> LinearModel:
    """The model with the threshold or the temperature that it was asked for. `held`: the models without each fold."""
    settings = model.settings
    if settings.calibrate:
        t = temperature_of(settings, names, held, counted)
        return replace(model, coef_=model.coef_ / t, intercept_=model.intercept_ / t, temperature=t)
    by = threshold_of(settings, names, model.measure, held, counted, total(model.moments))
    return replace(model, intercept_=model.intercept_ - by, threshold=by)


@contextmanager
def _rows(
    settings: Settings,
    source: Source | Standardized | Join | str,
    connection: Any,
    task: Task,
    folds: int,
    lowering: str,
    again: bool = False,
    by: str | None = None,
) -> Iterator[RowSums | JoinSums]:
    """The rows to learn from. `again`: whether they are needed again, after their sums. `by`: the column of groups."""
    if is_dataframe(source):
        raise ParameterError("scikit-learn learns from dataframes: put a transformer of sqlrp.sklearn in a pipeline")
    connector = connector_of(connection)
    with connector.working(connection) as session:
        found = Target.of(connector, session, source, settings.target, settings.labels, folds, settings.sample_weight)
        if by is not None:
            found = found.grouped(connector, session, by, settings.projection.k, folds)
        projection, plain_source = plain(settings.projection, found.source, session)
        classifier = found.is_class if task == "auto" else task == "classifier"
        options = Options("columns", True, settings.nulls, lowering)
        asked = SumRequest(
            table_input(plain_source, PlanTarget.of(connector, session)),
            projection,
            found.labels,
            classifier,
            found.key,
            folds,
            settings.seed,
            options,
            classifier and settings.class_weight is not None,
            again,
            None if settings.privacy is None else settings.privacy.clipping(projection.k),
        )
        check_task(settings, classifier)
        if settings.privacy is not None and classifier:
            settings.privacy.check_type(found.column)
        of_join = sums_by_key(asked)
        if of_join is not None:
            yield of_join
            return
        with summing(asked) as rows:
            yield rows


class _Computation(Protocol):
    """How the sums were computed, and the terms of a row."""

    @property
    def how(self) -> str: ...

    @property
    def terms(self) -> int: ...


def _solve(
    settings: Settings,
    classifier: bool,
    moments: Sequence[Moments],
    rows: _Computation,
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
        model = _made(settings, classifier, moments, best, ridge, scores, rows)
    else:
        at = settings.ridges.index(ridge)
        model = _made(settings, classifier, moments, of_all[at], ridge, scores, rows)
        model = replace(model, passes=took.passes, change=took.change[-1][at])
        if not model.converged:
            warn(
                f"the last of {took.passes} passes changed the decisions by {model.change:.2g} of their deviation, so "
                "the model has not converged: raise passes, or the ridge"
            )
    if names is None or counted is None or not settings.tuned:
        return model
    return _tuned(model, names, [own[settings.ridges.index(ridge)] for own in models], counted)


def _made(
    settings: Settings,
    classifier: bool,
    moments: Sequence[Moments],
    best: RidgeSolution,
    ridge: float,
    scores: Sequence[Score],
    told: _Computation,
) -> LinearModel:
    w, b = best.coefficients, best.intercepts
    if classifier:
        return LinearClassifier(settings, tuple(moments), w, b, ridge, tuple(scores), told.how, told.terms)
    return LinearRegressor(settings, tuple(moments), w[0], float(b[0]), ridge, tuple(scores), told.how, told.terms)


Model = LinearModel | GroupedModel | KMeans
"""What a text of JSON and the catalogue of a database can hold."""


def model_from_json(text: str) -> Model:
    """Read the text of the `to_json` of a model of `learn` or `kmeans`. Raises ParameterError for another text.

    >>> model = sqlrp.learn(rp, "points", con)
    >>> again = sqlrp.model_from_json(model.to_json())
    >>> bool((again.coef_ == model.coef_).all())
    True
    """
    try:
        found = json.loads(text)
        if isinstance(found, dict) and type(found.get("format")) is int and found["format"] > FORMAT:
            raise ParameterError(f"it is of format {found['format']}, not {FORMAT}: install a newer release")
        if isinstance(found, dict) and found.get("kind") == KIND:
            models = {name: _model_of(own) for name, own in fields_of(found)}
            left_out = {name: str(reason) for name, reason in found["left_out"]}
            return GroupedModel(found["by"], models, left_out, found["by_text"], found["how"])
        if isinstance(found, dict) and found.get("kind") == CLUSTERS:
            return clusters_of(found)
        return _model_of(found)
    except SqlrpError as error:
        raise ParameterError(f"{shorten(text, 40)} cannot be read as a model of sqlrp: {error}") from error
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, zlib.error) as error:
        raise ParameterError(f"{shorten(text, 40)} cannot be read as a model of sqlrp") from error


def _model_of(found: Any) -> LinearModel:
    """The model of a parsed text, whose fields are checked."""
    check_written(found)
    with np.errstate(all="ignore"):  # sums that give no model are refused below
        model = _read(found)
    if not (np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()):
        raise ParameterError("its sums give none")
    return model


def _read(found: dict[str, Any]) -> LinearModel:
    """The model of a parsed text whose fields have been checked."""
    own = dict(found["settings"])
    own |= {"projection": written_projection(own["projection"]), "ridges": tuple(own["ridges"])}
    if isinstance(own.get("features"), list):
        own["features"] = tuple(own["features"])
    if own.get("privacy") is not None:
        own["privacy"] = Privacy(**own["privacy"])
    if isinstance(own.get("class_weight"), list):
        own["class_weight"] = dict(own["class_weight"])
    settings, ridge, classifier = Settings(**own), found["ridge"], found["kind"] == LinearClassifier.__name__
    check_task(settings, classifier)
    moments = [Moments.unpack(zlib.decompress(base64.b64decode(part))) for part in found["moments"]]
    check_sizes(settings, classifier, [len(part.mean) for part in moments])
    cells: Any = ([math.nan if cell is None else cell for cell in row] for row in found["scores"])
    scores = tuple(Score(ridge, fold, rows, error, score) for ridge, fold, rows, error, score in cells)
    told = SimpleNamespace(how=found["how"], terms=found["terms"])
    if not settings.by_rows:
        return replace(_solve(settings, classifier, moments, told, ridge=ridge), scores=scores)
    best = RidgeSolution(np.array(found["coefficients"], dtype=float), np.array(found["intercepts"], dtype=float))
    names = classes_of(moments)
    check_scoring(settings, names)
    check_decisions(settings, names, best.coefficients, best.intercepts)
    change = found.get("change", 0.0)
    return replace(
        _made(settings, classifier, moments, best, ridge, scores, told),
        passes=found.get("passes", settings.passes),
        change=math.inf if change is None else change,
        threshold=found.get("threshold", 0.0),
        temperature=found.get("temperature", 1.0),
    )


__all__ = ["GroupedModel", "LinearClassifier", "LinearModel", "LinearRegressor", "Model", "learn", "model_from_json"]
