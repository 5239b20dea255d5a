"""A linear support vector machine from sums: least squares whose targets move with the decisions, pass by pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlrp.evaluator.moments import Matrix, Moments
from sqlrp.run.folds import Settings
from sqlrp.run.ridge import Problem, Solved

Moved = Callable[[Sequence[Any], Sequence[Sequence[Solved]], Matrix], Matrix]
"""How targets differ, as `sqlrp.run.summing.Taken.moved` gives it."""


def passed(
    settings: Settings, names: Sequence[Any], moments: Sequence[Moments], whole: Moments, moved: Moved
) -> list[list[Solved]]:
    """The models of every ridge after all passes, for the rows of all folds but each one, and last for those of all.

    The squared hinge loss of a decision f with the target y = ±1 is the least (f - t)² over all targets t that are y or
    beyond it. So the targets and the model are improved in turn. The next targets are those of a model that goes on in
    the direction of the last step, which needs far fewer passes (Nesterov 1983).
    """
    left = [whole - part for part in moments] if len(moments) > 1 else []
    problems = [Problem.of(each, names, settings.coding) for each in (*left, whole)]
    models = [problem.solved(settings.ridges, settings.intercept) for problem in problems]
    ahead = models
    for done in range(1, settings.passes):
        sums = moved(names, ahead, whole.mean)
        found = [
            [
                problem.moved(own, whole.mean).solved([ridge], settings.intercept)[0]
                for ridge, own in zip(settings.ridges, of_ridges, strict=True)
            ]
            for problem, of_ridges in zip(problems, sums, strict=True)
        ]
        ahead = [
            [_further(new, old, done / (done + 3)) for new, old in zip(*pair, strict=True)]
            for pair in zip(found, models, strict=True)
        ]
        models = found
    return models


def _further(new: Solved, old: Solved, by: float) -> Solved:
    return Solved(
        new.coefficients + by * (new.coefficients - old.coefficients),
        new.intercepts + by * (new.intercepts - old.intercepts),
    )


__all__ = ["Moved", "passed"]
