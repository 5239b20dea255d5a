"""Tune a classifier by its folds: the threshold of its decision, and the temperature of its probabilities.

Both change a model by numbers that only rows outside of its own can tell. So the models of all folds but one are tried
on the rows of that one, each with several numbers at once, and the best number is taken for the model of all rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sqlrp._core.errors import ParameterError, check_choice
from sqlrp._evaluator.moments import Matrix, Moments
from sqlrp._learning.folds import Counted, Settings, classifier_score
from sqlrp._learning.ridge import Solved

THRESHOLDS = ("zero", "folds")
"""Where a decision of two classes begins to be the second one: at 0, or where the folds' score is best."""
_TRIED = 17
"""The numbers that are tried in a pass over the rows."""
_PASSES = 3
_DEVIATIONS = 4.0
"""The thresholds that are tried first are so many deviations of the decisions around their mean."""
_HOTTEST = 16.0
"""The greatest temperature that is tried, and the inverse of the least."""


def check_tuning(settings: Settings, folds: int, accuracy: bool) -> None:
    """Raise ParameterError for what the other parameters do not allow."""
    check_choice("threshold", settings.threshold, THRESHOLDS)
    asked = {"threshold = 'folds'": settings.threshold == "folds", "calibrate = True": settings.calibrate}
    for said, given in asked.items():
        if given and folds < 2:
            raise ParameterError(f"{said} needs the rows of folds: pass folds = 5")
        if given and not accuracy:
            raise ParameterError(f"{said} reads the rows of folds: leave out accuracy=False")
    if settings.calibrate and settings.coding != "logistic":
        raise ParameterError("calibrate = True needs probabilities: pass coding = 'logistic'")
    if settings.threshold == "folds" and settings.coding == "logistic":
        raise ParameterError(
            "threshold = 'folds' moves the decision, and so the probabilities of coding = 'logistic': leave it out, "
            "and compare predict_proba with a threshold of your own"
        )
    if settings.threshold == "folds" and settings.coding == "one-hot":
        raise ParameterError("threshold = 'folds' needs one decision: pass another coding than 'one-hot'")


def threshold_of(
    settings: Settings,
    names: Sequence[Any],
    scoring: str,
    models: Sequence[Solved],
    counted: Counted,
    whole: Moments,
) -> float:
    """The decision from which on a row is of the second class, by the mean score of the folds.

    `models`: for each fold that of the others. Of a run of equally good thresholds the middle is taken. Raises
    ParameterError unless there are two classes.
    """
    if len(names) != 2:
        raise ParameterError(f"threshold = 'folds' is for 2 classes, and there are {len(names)}: leave it out")

    def scores(tried: Matrix) -> Matrix:
        moved = [[Solved(each.coefficients, each.intercepts - by) for by in tried] for each in models]
        said = counted(names, moved, settings.loss)
        own = [[classifier_score(scoring, row) for row in fold] for fold in said]
        means: Matrix = np.array(own).mean(axis=0)
        return means

    w = np.mean([each.coefficients[0] for each in models], axis=0)
    middle = float(w @ whole.mean + np.mean([each.intercepts[0] for each in models]))
    spread = _DEVIATIONS * math.sqrt(max(float(w @ whole.scatter @ w), 0.0) / whole.weight)
    return _best(scores, middle - spread, middle + spread)


def temperature_of(settings: Settings, names: Sequence[Any], models: Sequence[Solved], counted: Counted) -> float:
    """The number by which the decisions are divided, so that the log loss of the folds is least (Guo et al. 2017)."""

    def scores(tried: Matrix) -> Matrix:
        by = np.exp(-tried)
        cooled = [[Solved(each.coefficients * b, each.intercepts * b) for b in by] for each in models]
        lost: Matrix = counted(names, cooled, settings.loss)[:, :, -1].sum(axis=0)
        return -lost

    return math.exp(_best(scores, -math.log(_HOTTEST), math.log(_HOTTEST)))


def _best(scores: Callable[[Matrix], Matrix], low: float, high: float) -> float:
    """The number with the best score between two, by ever finer steps."""
    found = (low + high) / 2
    for _ in range(_PASSES):
        tried = np.linspace(low, high, _TRIED)
        of_each = np.nan_to_num(scores(tried), nan=-math.inf)
        best = np.flatnonzero(of_each == of_each.max())
        # The longest run of equal scores, and of several the first.
        runs = np.split(best, np.flatnonzero(np.diff(best) > 1) + 1)
        run = max(runs, key=len)
        found = float(tried[run].mean())
        step = tried[1] - tried[0]
        low, high = float(tried[run[0]] - step), float(tried[run[-1]] + step)
    return found


__all__ = ["THRESHOLDS", "check_tuning", "temperature_of", "threshold_of"]
