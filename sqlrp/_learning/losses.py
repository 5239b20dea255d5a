"""Models of other losses than squares, from sums: least squares whose targets move with the decisions, pass by pass."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sqlrp._core.values import dataclass
from sqlrp._evaluator.moments import Matrix, Moments
from sqlrp._learning.folds import RowMoments, Settings
from sqlrp._learning.ridge import Coding, Problem, RidgeSolution
from sqlrp._lowering.tallies import Loss, curvature

Moved = Callable[[Sequence[Any], Sequence[Sequence[RidgeSolution]], Matrix, Loss, Sequence[Matrix | None]], Matrix]
"""How targets differ, as `sqlrp._learning.row_sums.RowSums.moved` gives it."""

_STILL = {"squares": 0.0, "squared_hinge": 1e-5, "logistic": 1e-3}
"""The change of the decisions by a pass, as a part of their deviation, from which on a model has converged.

The steps of the logistic loss become short quickly: its models are then nearer than this.
"""
_WIDEST = 7.0
"""The greatest deviation of logistic decisions that counts.

Where the classes hardly overlap, a decision f has no bound, and the loss is about exp(-f): a change of f by 0.01
changes the loss by 1%, however small a part of the deviation it is.
"""
_PAIRS = 10
"""The steps that say how the loss bends."""
_RISE = 0.5
"""A step is too long if the loss rises at its end by more than this part of its fall at the start."""


@dataclass(frozen=True)
class PassResult:
    """The models after some passes."""

    models: list[list[RidgeSolution]]
    """of every ridge, for the rows of all folds but each one, and last for those of all"""
    passes: int
    """the passes over the rows, with that of the sums"""
    change: list[list[float]]
    """by how much the last pass changed the decisions of each model, as a part of their deviation"""

    @staticmethod
    def converged(change: float, loss: Loss) -> bool:
        """Whether a model with that change has converged."""
        return change <= _STILL[loss]


def passed(
    settings: Settings, names: Sequence[Any], moments: Sequence[Moments], whole: Moments, moved: Moved
) -> PassResult:
    """The models after as many passes as were asked for, or as are needed.

    A pass gives for each model the sums of its moved targets, and so the next model (`_SquaredHinge`, `_Logistic`).
    """
    left = [whole - part for part in moments] if len(moments) > 1 else []
    parts = [RowMoments.of(each, names, settings) for each in (*left, whole)]
    problems = [_problem(each, names, settings) for each in parts]
    heavy = [each.heavy for each in parts]
    runs, done = _runs(problems, settings), 1
    while done < settings.passes and not all(run.still for own in runs for run in own):
        sums = moved(names, [[run.ahead for run in own] for own in runs], whole.mean, settings.loss, heavy)
        for own, found in zip(runs, sums, strict=True):
            for run, each in zip(own, found, strict=True):
                if not run.still:
                    run.step(each, whole.mean)
        done += 1
    return PassResult([[run.model for run in own] for own in runs], done, [[run.change for run in own] for own in runs])


def _problem(rows: RowMoments, names: Sequence[Any], settings: Settings) -> Problem:
    """Least squares of the codes: 1 and -1, or 1 and 0 for the logistic loss."""
    if settings.loss != "logistic":
        return Problem.of(rows.moments, names, settings.coding, rows.unit)
    coding: Coding = "one-hot"
    found = Problem.of(rows.moments, names, coding, rows.unit)
    return found.second if len(names) == 2 else found


def _runs(problems: Sequence[Problem], settings: Settings) -> Sequence[Sequence[_Run]]:
    """The passes of the model of every ridge, for each problem; the last one is that of all rows."""
    ridges, intercept = settings.ridges, settings.intercept
    if settings.loss != "logistic":
        return [[_SquaredHinge(problem, ridge, intercept) for ridge in ridges] for problem in problems]
    flat = _flat(problems[-1].products.shape[1])
    inverses = [problems[-1].inverse(ridge / flat, intercept) / flat for ridge in ridges]
    pairs = list(zip(ridges, inverses, strict=True))
    return [[_Logistic(problem, *pair, intercept) for pair in pairs] for problem in problems]


def _flat(decisions: int) -> float:
    """The second derivative of the logistic loss where all decisions are 0."""
    return curvature(1) if decisions == 1 else 1 / decisions


class _Run(ABC):
    """The passes of one model."""

    model: RidgeSolution
    """the best one so far"""
    ahead: RidgeSolution
    """the one whose moved targets are asked for next"""
    loss: Loss
    change = math.inf
    """by how much the last pass changed the decisions, or the next one will if that is more"""

    @property
    def still(self) -> bool:
        """Whether it has converged."""
        return PassResult.converged(self.change, self.loss)

    @abstractmethod
    def step(self, sums: Matrix, shift: Matrix) -> None:
        """The next model, from the sums of the moved targets (`sqlrp._learning.row_sums.RowSums.moved`)."""


class _SquaredHinge(_Run):
    """A support vector machine: least squares whose targets move with the decisions.

    The squared hinge loss of a decision f with the target y = ±1 is the least (f - t)² over all targets t that are y or
    beyond it. So the targets and the model are improved in turn. The next targets are those of a model that goes on in
    the direction of the last step, which needs far fewer passes (Nesterov 1983). If a step turns back, that starts
    again (O'Donoghue and Candès 2015).
    """

    loss = "squared_hinge"

    def __init__(self, problem: Problem, ridge: float, intercept: bool) -> None:
        """The first model is that of least squares."""
        self.problem, self.ridge, self.intercept = problem, ridge, intercept
        (self.model,) = problem.solved([ridge], self.intercept)
        self.ahead, self.inertia = self.model, 0

    def step(self, sums: Matrix, shift: Matrix) -> None:
        """The model of the moved targets."""
        (new,) = self.problem.moved(sums, shift).solved([self.ridge], self.intercept)
        turned = self.problem.along(new, self.model, self.ahead) < 0
        self.change = self.problem.apart(new, self.model)
        self.inertia = 0 if turned else self.inertia + 1
        by = self.inertia / (self.inertia + 3)
        old, self.model = self.model, new
        self.ahead = RidgeSolution(
            new.coefficients + by * (new.coefficients - old.coefficients),
            new.intercepts + by * (new.intercepts - old.intercepts),
        )


class _Logistic(_Run):
    """Logistic regression, by the slopes of its loss (L-BFGS: Nocedal and Wright 2006, algorithm 7.4).

    Squares of moved targets touch the loss at a model (Böhning 1992), so their slope there is that of the loss. A step
    goes down squares that are as steep as the loss is at 0, and the slopes at earlier models say where the loss is
    flatter. A model is a matrix: for each decision the coefficients, and the decision of the mean row if there is an
    intercept.
    """

    loss = "logistic"

    def __init__(self, problem: Problem, ridge: float, inverse: Matrix, intercept: bool) -> None:
        """The first model is a step from decisions of 0. `inverse`: of the squares of all rows, so that it is one."""
        self.problem, self.inverse, self.intercept = problem, inverse, intercept
        self.k, decisions = problem.products.shape
        self.steep, self.flat = curvature(decisions), _flat(decisions)
        self.penalty = ridge * (np.ones(self.k) if problem.unit is None else problem.unit**2)
        self.at = np.zeros((decisions, self.k + intercept))
        self.slope = self._slope(problem.less(1 / max(decisions, 2), 1 / self.steep), self.at)
        self.by = -self._fall(self.slope)
        self.pairs: deque[tuple[Matrix, Matrix, float]] = deque(maxlen=_PAIRS)
        """steps, the changes of the slope by each, and the products of both"""
        self.tried = self.at + self.by
        self.model = self.ahead = self._solved(self.tried)

    def _slope(self, problem: Problem, at: Matrix) -> Matrix:
        """The slope, at a model, of the squares of a problem."""
        w = at[:, : self.k]
        level = at[:, -1] if self.intercept else w @ problem.mean
        slope = self.steep * (w @ problem.scatter - problem.products.T) + w * self.penalty
        off = self.steep * problem.count * (level - problem.target_mean)
        return np.column_stack([slope, off]) if self.intercept else slope + np.outer(off, problem.mean)

    def _fall(self, slope: Matrix) -> Matrix:
        """How far the least of squares with a slope is below a model."""
        fall = slope[:, : self.k] @ self.inverse.T
        return np.column_stack([fall, slope[:, -1] / (self.flat * self.problem.count)]) if self.intercept else fall

    def _solved(self, at: Matrix) -> RidgeSolution:
        w = at[:, : self.k]
        return RidgeSolution(w, at[:, -1] - w @ self.problem.mean if self.intercept else np.zeros(len(w)))

    def step(self, sums: Matrix, shift: Matrix) -> None:
        """Take the step that was tried, and choose the next; or shorten it, if the loss rises at its end."""
        slope = self._slope(self.problem.moved(sums, shift), self.tried)
        begun, ended = float(np.vdot(self.slope, self.by)), float(np.vdot(slope, self.by))
        if ended > -_RISE * begun:
            moved, self.by = self.change, self.by * (begun / (begun - ended))
        else:
            if (bent := ended - begun) > 0:
                self.pairs.append((self.by, slope - self.slope, bent))
            moved = self._apart(self._solved(self.at))
            self.at, self.slope, self.model = self.tried, slope, self.ahead
            self.by = self._next()
        self.tried = self.at + self.by
        self.ahead = self._solved(self.tried)
        self.change = max(moved, self._apart(self.model))

    def _apart(self, old: RidgeSolution) -> float:
        """By how much the decisions of the model ahead differ from those of another one."""
        return self.problem.apart(self.ahead, old, _WIDEST)

    def _next(self) -> Matrix:
        """The step to the model that the slope and the last steps foretell."""
        slope, used = self.slope, []
        for by, bends, bent in reversed(self.pairs):
            used.append(np.vdot(by, slope) / bent)
            slope = slope - used[-1] * bends
        fall = self._fall(slope)
        if self.pairs:
            _, bends, bent = self.pairs[-1]
            fall *= bent / np.vdot(bends, self._fall(bends))
        for by, bends, bent in self.pairs:
            fall += (used.pop() - np.vdot(bends, fall) / bent) * by
        return np.asarray(-fall)


__all__ = ["Moved", "PassResult", "passed"]
