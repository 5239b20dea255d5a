"""The scores of ridges by cross-validation: the models of all folds but one, from sums, on the rows of that one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sqlrp.core.errors import SourceError, shorten
from sqlrp.core.options import Nulls
from sqlrp.evaluator.moments import Moments
from sqlrp.projections.base import Projection
from sqlrp.run.ridge import Coding, Problem, Solved

Counted = Callable[[Sequence[Any], Sequence[Sequence[Solved]]], Any]
"""The numbers of correct rows, as `sqlrp.run.summing.Taken.right` gives them."""


@dataclass(frozen=True)
class Score:
    """The score of the model of the other folds on one fold."""

    ridge: float
    fold: int
    rows: int
    error: float
    """the mean squared error of the decisions, or of the predictions; NaN for a discriminant and for several passes"""
    score: float
    """a classifier's accuracy, NaN if it was not counted; a regressor's R²"""


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
    models: Sequence[Sequence[Solved]],
    counted: Counted | None,
) -> list[Score]:
    """The score of every fold and ridge, from the moments of each fold and the models of all folds but it."""
    right = None if counted is None or names is None or not moments else counted(names, models)
    scores = []
    for i, part in enumerate(moments):
        held = Problem.of(part, names, settings.coding)
        for j, ridge in enumerate(settings.ridges):
            squares = held.squares(models[i][j])
            score = float("nan")
            if right is not None:
                score = float(right[i, j]) / part.count
            elif names is None and held.target_scatter[0] > 0:
                score = float(1 - squares[0] / held.target_scatter[0])
            other = names and (settings.coding == "discriminant" or settings.passes > 1)
            error = math.nan if other else float(squares.mean() / part.count)
            scores.append(Score(ridge, i, part.count, error, score))
    return scores


def best_ridge(scores: Sequence[Score], ridges: Sequence[float]) -> float:
    """The ridge with the best mean score, or the least error if scores were not counted; of equal ones the largest."""
    counted = not any(math.isnan(s.score) for s in scores)

    def merit(ridge: float) -> tuple[float, float]:
        own = [s for s in scores if s.ridge == ridge]
        return float(np.mean([s.score if counted else -s.error for s in own])), ridge

    return max(ridges, key=merit)


__all__ = ["Counted", "Score", "Settings", "best_ridge", "check_folds", "classes_of", "scores_of"]
