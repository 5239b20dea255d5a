"""Models of other losses than squares, from sums: least squares whose targets move with the decisions, pass by pass."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlrp.evaluator.moments import Matrix, Moments
from sqlrp.learning.folds import Rows, Settings
from sqlrp.learning.ridge import Coding, Problem, Solved
from sqlrp.lowering.summing import Loss, curvature

Moved = Callable[[Sequence[Any], Sequence[Sequence[Solved]], Matrix, Loss, Sequence[Matrix | None]], Matrix]
"""How targets differ, as `sqlrp.learning.row_sums.RowSums.moved` gives it."""

_STILL = 1e-5
"""The change of the decisions by a pass, as a part of their deviation, from which on a model has converged."""


@dataclass(frozen=True)
class Passed:
    """The models after some passes."""

    models: list[list[Solved]]
    """of every ridge, for the rows of all folds but each one, and last for those of all"""
    passes: int
    """the passes over the rows, with that of the sums"""
    change: list[list[float]]
    """by how much the last pass changed the decisions of each model, as a part of their deviation"""

    @staticmethod
    def converged(change: float) -> bool:
        """Whether a model with that change has converged."""
        return change <= _STILL


def passed(
    settings: Settings, names: Sequence[Any], moments: Sequence[Moments], whole: Moments, moved: Moved
) -> Passed:
    """The models after as many passes as were asked for, or as are needed.

    The squared hinge loss of a decision f with the target y = ±1 is the least (f - t)² over all targets t that are y or
    beyond it. The logistic loss lies below a square that touches it at f. So the targets and the model are improved in
    turn. The next targets are those of a model that goes on in the direction of the last step, which needs far fewer
    passes (Nesterov 1983). If a step turns back, that starts again (O'Donoghue and Candès 2015).
    """
    left = [whole - part for part in moments] if len(moments) > 1 else []
    parts = [Rows.of(each, names, settings) for each in (*left, whole)]
    problems = [_problem(each, names, settings) for each in parts]
    heavy = [each.heavy for each in parts]
    runs = [[_Run(problem, ridge, settings) for ridge in settings.ridges] for problem in problems]
    done = 1
    while done < settings.passes and not all(run.still for own in runs for run in own):
        sums = moved(names, [[run.ahead for run in own] for own in runs], whole.mean, settings.loss, heavy)
        for own, found in zip(runs, sums, strict=True):
            for run, each in zip(own, found, strict=True):
                run.step(each, whole.mean)
        done += 1
    return Passed([[run.model for run in own] for own in runs], done, [[run.change for run in own] for own in runs])


def _problem(rows: Rows, names: Sequence[Any], settings: Settings) -> Problem:
    """Least squares of the codes: 1 and -1, or 1 and 0 for the logistic loss."""
    if settings.loss != "logistic":
        return Problem.of(rows.moments, names, settings.coding, rows.unit)
    coding: Coding = "one-hot"
    found = Problem.of(rows.moments, names, coding, rows.unit)
    return found.second if len(names) == 2 else found


class _Run:
    """The passes of one model."""

    def __init__(self, problem: Problem, ridge: float, settings: Settings) -> None:
        """The first model is that of least squares; of the logistic loss, that of one step from decisions of 0."""
        self.problem, self.intercept, self.logistic = problem, settings.intercept, settings.loss == "logistic"
        decisions = problem.products.shape[1]
        self.ridge = ridge / curvature(decisions) if self.logistic else ridge
        first = problem
        if self.logistic:
            first = problem.less(1 / 2 if decisions == 1 else 1 / decisions, 1 / curvature(decisions))
        self.model = first.solved([self.ridge], self.intercept)[0]
        self.ahead, self.inertia, self.change = self.model, 0, math.inf

    @property
    def still(self) -> bool:
        """Whether it has converged."""
        return Passed.converged(self.change)

    def step(self, sums: Matrix, shift: Matrix) -> None:
        """The model of the moved targets, and the one whose targets are asked for next."""
        if self.still:
            return
        new = self.problem.moved(sums, shift).solved([self.ridge], self.intercept)[0]
        turned = self.problem.along(new, self.model, self.ahead) < 0
        self.change = self.problem.apart(new, self.model)
        self.inertia = 0 if turned else self.inertia + 1
        by = self.inertia / (self.inertia + 3)
        old, self.model = self.model, new
        self.ahead = Solved(
            new.coefficients + by * (new.coefficients - old.coefficients),
            new.intercepts + by * (new.intercepts - old.intercepts),
        )


__all__ = ["Moved", "Passed", "passed"]
