"""Tune a classifier by its folds: the threshold of its decision, and the temperature of its probabilities.

Both change a model by numbers that only rows outside of its own can tell. So the models of all folds but one are tried
on the rows of that one, each with several numbers at once, and the best number is taken for the model of all rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sqlrp._core.errors import ParameterError, check_choice
from sqlrp._evaluator.moments import Matrix, Moments
from sqlrp._learning.folds import Counted, Settings, classifier_score
from sqlrp._learning.ridge import RidgeSolution

THRESHOLDS = ("zero", "folds")
"""Where a decision of two classes begins to be the second one: at 0, or where the folds' score is best."""
_TRIED = 17
"""The numbers that are tried in a pass over the rows."""
_PASSES = 3
_FARTHEST = 4.0
"""The first thresholds are up to this many deviations of the decisions from their mean."""
_NEAREST = 1e-6
"""The nearest of the first thresholds, as a part of the deviation: a few far rows may make nearly all of that."""
_LOOKS = 6
"""The largest number of passes that look where the rows are."""
_PART = 0.3
"""These passes end when no more than this part of the rows lies between two thresholds."""
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
    models: Sequence[RidgeSolution],
    counted: Counted,
    whole: Moments,
) -> float:
    """The decision from which on a row is of the second class, by the mean score of the folds.

    `models`: for each fold that of the others. Of a run of equally good thresholds the middle is taken. Raises
    ParameterError unless there are two classes.
    """
    if len(names) != 2:
        raise ParameterError(f"threshold = 'folds' is for 2 classes, and there are {len(names)}: leave it out")

    below: dict[float, float] = {}
    """the weight of the rows whose decision is at most a threshold that was tried"""

    def scores(tried: Matrix) -> Matrix:
        moved = [[RidgeSolution(each.coefficients, each.intercepts - by) for by in tried] for each in models]
        said = counted(names, moved, settings.loss)
        below.update(zip(tried.tolist(), (said[:, :, 0] + said[:, :, 2]).sum(axis=0).tolist(), strict=True))
        own = [[classifier_score(scoring, row) for row in fold] for fold in said]
        means: Matrix = np.array(own).mean(axis=0)
        return means

    w = np.mean([each.coefficients[0] for each in models], axis=0)
    middle = float(w @ whole.mean + np.mean([each.intercepts[0] for each in models]))
    deviation = math.sqrt(max(float(w @ whole.scatter @ w), 0.0) / whole.weight)
    half = np.geomspace(_NEAREST, _FARTHEST, _TRIED // 2) * deviation
    tried = middle + np.concatenate([-half[::-1], [0.0], half])
    for _ in range(_LOOKS):
        scores(tried)  # only where the rows are
        tried, largest = _shares(below)
        if largest <= _PART:
            break
    return _best(scores, tried)


def _shares(below: Mapping[float, float]) -> tuple[Matrix, float]:
    """Thresholds that part the rows into parts of about one weight, from the weight at or below some thresholds.

    Between two of these the rows count as spread evenly. Also returns the largest part between two of them.
    """
    known = np.array(sorted(below))
    weights = np.maximum.accumulate([below[each] for each in known.tolist()])
    if weights[-1] == weights[0]:
        return np.linspace(known[0], known[-1], _TRIED), 0.0
    rising = weights + np.arange(len(known)) * (weights[-1] - weights[0]) * 1e-9  # over a stretch without rows, too
    found: Matrix = np.interp(np.linspace(rising[0], rising[-1], _TRIED), rising, known)
    return found, float(np.diff(weights).max() / (weights[-1] - weights[0]))


def temperature_of(
    settings: Settings, names: Sequence[Any], models: Sequence[RidgeSolution], counted: Counted
) -> float:
    """The number by which the decisions are divided, so that the log loss of the folds is least (Guo et al. 2017)."""

    def scores(tried: Matrix) -> Matrix:
        by = np.exp(-tried)
        cooled = [[RidgeSolution(each.coefficients * b, each.intercepts * b) for b in by] for each in models]
        lost: Matrix = counted(names, cooled, settings.loss)[:, :, -1].sum(axis=0)
        return -lost

    return math.exp(_best(scores, np.linspace(-math.log(_HOTTEST), math.log(_HOTTEST), _TRIED)))


def _best(scores: Callable[[Matrix], Matrix], tried: Matrix) -> float:
    """The number with the best score, by ever finer steps from those that are tried first."""
    found = 0.0
    for _ in range(_PASSES):
        of_each = np.nan_to_num(scores(tried), nan=-math.inf)
        best = np.flatnonzero(of_each == of_each.max())
        # The longest run of equal scores, and of several the first.
        runs = np.split(best, np.flatnonzero(np.diff(best) > 1) + 1)
        run = max(runs, key=len)
        found = float(tried[run].mean())
        low, high = float(tried[max(run[0] - 1, 0)]), float(tried[min(run[-1] + 1, len(tried) - 1)])
        tried = np.linspace(low, high, _TRIED)
    return found


__all__ = ["THRESHOLDS", "check_tuning", "temperature_of", "threshold_of"]
