"""Learn a linear model from sums that are computed where the rows are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np

from sqlrp._connectors.foresight import foreseen
from sqlrp._core.draw import check_seed
from sqlrp._core.errors import ParameterError, SourceError, shorten, warn
from sqlrp._core.options import Nulls
from sqlrp._core.sources import Join, Source, Standardized
from sqlrp._evaluator.moments import Moments, total
from sqlrp._learning.folds import CLASSIFIER_SCORES, Settings
from sqlrp._learning.groups import GroupedModel, groups_of
from sqlrp._learning.linear_model import LinearModel, solved
from sqlrp._learning.model_rows import opened_rows
from sqlrp._learning.privacy import Privacy
from sqlrp._learning.ridge import Coding
from sqlrp._learning.target import Task, check, check_privacy, class_weight_of, passes_of, ridges_of
from sqlrp._learning.thresholds import check_tuning
from sqlrp._projections.projection import Projection, checked
from sqlrp._projections.supervised import SupervisedProjection


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
    weights, groups, a target in a dimension and rows with NULL: these rows are joined. `LinearModel.how` says which it
    was. `target`, `sample_weight` and `by` are columns of the fact table, or of a dimension by a name such as
    customer_id.income, and are then no features. A row that refers to nothing has NULL for those of a dimension.

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
    with opened_rows(settings, source, connection, task, folds, lowering, again) as rows:
        parts, projection = rows.sums(), rows.asked.projection  # with the statistics of a standardized source
        settings = replace(settings, projection=projection, features=rows.features)
        if relative:
            settings = _times(settings, _unit(settings, total(parts)))
        return solved(settings, rows.asked.classifier, parts, rows, rows.said if accuracy else None, rows.moved)


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
    with opened_rows(replace(settings, privacy=privacy), source, connection, own, 1, lowering) as rows:
        (sums,) = rows.sums()
        settings = replace(settings, projection=rows.asked.projection, features=rows.features, privacy=privacy)
        whole, least = privacy.released(sums, settings.projection.k)
        settings = _times(settings, _unit(settings, whole) if relative else 1.0)
        settings = replace(settings, ridges=tuple(max(each, least) for each in settings.ridges))
        return solved(settings, rows.asked.classifier, [whole], rows)


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
    with opened_rows(settings, source, connection, task, folds, lowering, by=by) as rows:
        whole = rows.sums()
        classifier, labels = rows.asked.classifier, rows.asked.labels
        settings = replace(settings, projection=rows.asked.projection, features=rows.features)
    models, left_out = {}, {}
    for name, parts in groups_of(whole, classifier, settings.class_weight is not None).items():
        own = _times(settings, _unit(settings, total(parts)) if relative else 1.0)
        try:
            models[name] = solved(own, classifier, parts, rows)
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


__all__ = ["learn"]
