"""The scores of ridges by cross-validation: the models of all folds but one, from sums, on the rows of that one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sqlrp._core.errors import ParameterError, SourceError, shorten
from sqlrp._core.options import Nulls
from sqlrp._core.values import dataclass
from sqlrp._evaluator.moments import Matrix, Moments
from sqlrp._learning.privacy import Privacy
from sqlrp._learning.ridge import Coding, Problem, RidgeSolution, sizes, solved
from sqlrp._lowering.tallies import Loss
from sqlrp._projections.projection import Projection

Counted = Callable[[Sequence[Any], Sequence[Sequence[RidgeSolution]], Loss], Matrix]
"""What models say of the rows of each fold, as `sqlrp._learning.row_sums.RowSums.said` gives it."""


@dataclass(frozen=True)
class Score:
    """The score of the model of the other folds on one fold."""

    ridge: float
    fold: int
    rows: int
    error: float
    """the mean squared error of the decisions, or of the predictions; NaN for a discriminant and for several passes"""
    score: float
    """by `Settings.scoring`; NaN if it was not counted"""


@dataclass(frozen=True)
class Settings:
    """What a model was asked for."""

    projection: Projection
    target: str
    ridges: tuple[float, ...]
    coding: Coding = "sign"
    intercept: bool = True
    labels: str | None = None
    seed: int = 0
    nulls: Nulls = "propagate"
    passes: int = 1
    standardize: bool = False
    class_weight: str | dict[Any, float] | None = None
    sample_weight: str | None = None
    scoring: str = "auto"
    threshold: str = "zero"
    calibrate: bool = False
    features: tuple[str, ...] | int | None = None
    """the names of the features of wide rows, or the length of arrays; None if they are not known"""
    privacy: Privacy | None = None
    """how private the sums are; None for sums without noise"""

    @property
    def loss(self) -> Loss:
        """What the models make small."""
        if self.coding == "logistic":
            return "logistic"
        return "squared_hinge" if self.passes > 1 else "squares"

    @property
    def by_passes(self) -> bool:
        """Whether the model is that of several passes over the rows."""
        return self.loss != "squares"

    @property
    def tuned(self) -> bool:
        """Whether the folds choose a number besides the ridge."""
        return self.threshold == "folds" or self.calibrate

    @property
    def by_rows(self) -> bool:
        """Whether the sums alone do not give the model: all rows are needed several times."""
        return self.by_passes or self.threshold == "folds"


@dataclass(frozen=True)
class RowMoments:
    """The moments of the rows that a model is learnt from, as its class weights and standardization want them."""

    moments: Moments
    unit: Matrix | None
    heavy: Matrix | None
    """the weights of the classes, or None"""

    @staticmethod
    def of(moments: Moments, names: Sequence[Any] | None, settings: Settings) -> RowMoments:
        """The moments with weighted classes, and the sizes of the components."""
        unit = sizes(moments, settings.projection.k) if settings.standardize else None
        if settings.class_weight is None or names is None:
            return RowMoments(moments, unit, None)
        heavy = class_weights(moments, names, settings.class_weight)
        return RowMoments(moments.reweighted(heavy), unit, np.array([heavy[name] for name in names]))

    def solved(self, names: Sequence[Any] | None, settings: Settings, ridges: Sequence[float]) -> list[RidgeSolution]:
        """The model for every ridge."""
        return solved(self.moments, names, settings.coding, ridges, settings.intercept, self.unit)


def class_weights(moments: Moments, names: Sequence[Any], asked: str | Mapping[Any, float]) -> dict[Any, float]:
    """The weight of each class. "balanced": all classes together have the same weight, and the mean of all rows is 1.

    Raises ParameterError for a mapping that names a class that no row has.
    """
    if isinstance(asked, str):
        there = {name: weight for name, (weight, _) in moments.classes.items()}
        return {name: moments.weight / (len(there) * there[name]) if name in there else 1.0 for name in names}
    other = [name for name in asked if name not in names]
    if other:
        raise ParameterError(f"class_weight names the class {other[0]!r}, which no row has: the classes are {names}")
    return {name: float(asked.get(name, 1.0)) for name in names}


def classes_of(moments: Sequence[Moments]) -> list[Any]:
    """All classes in order. Raises SourceError if they have several types, or if there is one class only."""
    names = {name for part in moments for name in part.classes}
    try:
        found = sorted(names)
    except TypeError as error:
        raise SourceError(
            f"the classes {shorten(sorted(map(repr, names)))} have several types: cast the target"
        ) from error
    if len(found) < 2:
        raise SourceError(
            f"the target has {len(found)} class{'es' * (not found)} among the rows without NULL: a classifier needs two"
        )
    return found


def check_folds(moments: Sequence[Moments]) -> None:
    """Raise SourceError if there are folds, and one has no rows."""
    empty = [i for i, part in enumerate(moments) if not part.count]
    if empty and len(moments) > 1:
        raise SourceError(f"fold {empty[0]} of {len(moments)} has no row: ask for fewer folds")


def scores_of(
    settings: Settings,
    names: list[Any] | None,
    moments: Sequence[Moments],
    models: Sequence[Sequence[RidgeSolution]],
    counted: Counted | None,
) -> list[Score]:
    """The score of every fold and ridge, from the moments of each fold and the models of all folds but it."""
    said = None if counted is None or names is None or not moments else counted(names, models, settings.loss)
    scoring = scoring_of(settings.scoring, names is not None)
    scores = []
    for i, part in enumerate(moments):
        held = Problem.of(part, names, _coded(settings.coding))
        for j, ridge in enumerate(settings.ridges):
            squares = held.squares(models[i][j])
            score = float("nan")
            if said is not None:
                score = classifier_score(scoring, said[i, j])
            elif names is None and scoring == "r2":
                score = float(1 - squares[0] / held.target_scatter[0]) if held.target_scatter[0] > 0 else math.nan
            elif names is None:
                score = -float(squares[0] / part.weight)
            other = names and (settings.coding == "discriminant" or settings.by_passes)
            error = math.nan if other else float(squares.mean() / part.weight)
            scores.append(Score(ridge, i, part.count, error, score))
    return scores


def _coded(coding: Coding) -> Coding:
    """The coding of the targets of least squares."""
    return "sign" if coding == "logistic" else coding


CLASSIFIER_SCORES = ("accuracy", "balanced_accuracy", "f1", "f1_macro", "neg_log_loss")
"""The scores of classifiers, by scikit-learn's names."""
REGRESSOR_SCORES = ("r2", "neg_mean_squared_error")
"""The scores of regressors."""


def scoring_of(asked: str, classifier: bool) -> str:
    """The name of the score. Raises ParameterError for a score of the other kind of model."""
    if asked == "auto":
        return "accuracy" if classifier else "r2"
    known = CLASSIFIER_SCORES if classifier else REGRESSOR_SCORES
    if asked not in known:
        kind = "classes" if classifier else "values"
        raise ParameterError(f"scoring = {asked!r} is no score of {kind}: pass one of {', '.join(known)}")
    return asked


def check_scoring(settings: Settings, names: Sequence[Any] | None) -> None:
    """Raise ParameterError for a score that the model does not have."""
    scoring = scoring_of(settings.scoring, names is not None)
    if scoring == "f1" and names is not None and len(names) != 2:
        raise ParameterError(f"scoring = 'f1' is for 2 classes, and there are {len(names)}: pass 'f1_macro'")
    if scoring == "neg_log_loss" and settings.loss != "logistic":
        raise ParameterError("scoring = 'neg_log_loss' needs probabilities: pass coding = 'logistic'")


def classifier_score(scoring: str, said: Matrix) -> float:
    """The score of what a model says (`sqlrp._lowering.tallies.ClassTally`), as scikit-learn computes it.

    "f1" is of the second class. A class without rows has no part in the balanced accuracy.
    """
    n = math.isqrt(len(said) - 1)
    counts = said[:-1].reshape(n, n)
    weight, right = float(counts.sum()), np.diag(counts)
    if not weight:
        return math.nan
    if scoring == "accuracy":
        return float(right.sum() / weight)
    if scoring == "neg_log_loss":
        return -float(said[-1] / weight)
    own, given = counts.sum(axis=1), counts.sum(axis=0)
    if scoring == "balanced_accuracy":
        return float(np.mean(right[own > 0] / own[own > 0]))
    both = own + given
    f1 = np.divide(2 * right, both, out=np.zeros(n), where=both > 0)
    return float(f1[1]) if scoring == "f1" else float(np.mean(f1[both > 0]))


def best_ridge(scores: Sequence[Score], ridges: Sequence[float]) -> float:
    """The ridge with the best mean score, or the least error if scores were not counted; of equal ones the largest."""
    counted = not any(math.isnan(s.score) for s in scores)

    def merit(ridge: float) -> tuple[float, float]:
        own = [s for s in scores if s.ridge == ridge]
        return float(np.mean([s.score if counted else -s.error for s in own])), ridge

    return max(ridges, key=merit)


__all__ = [
    "CLASSIFIER_SCORES",
    "REGRESSOR_SCORES",
    "Counted",
    "RowMoments",
    "Score",
    "Settings",
    "best_ridge",
    "check_folds",
    "check_scoring",
    "classes_of",
    "classifier_score",
    "scores_of",
    "scoring_of",
]
