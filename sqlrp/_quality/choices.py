"""Choose a projection by the cross-validated score of a linear model on its components (thesis, 4.4.4)."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sqlrp._connectors.foresight import foreseen
from sqlrp._core.errors import ParameterError, shorten
from sqlrp._core.extras import needs
from sqlrp._core.options import Nulls
from sqlrp._core.sources import Join, Source, Standardized
from sqlrp._core.values import dataclass
from sqlrp._learning.learn import learn
from sqlrp._learning.linear_model import LinearModel
from sqlrp._learning.ridge import Coding
from sqlrp._learning.target import Task
from sqlrp._projections.projection import Projection, checked
from sqlrp._quality.charts import Chart, Mark

_RIDGES = (1e-6, 1e-4, 1e-2, 1.0)


@dataclass(frozen=True)
class CandidateChoice:
    """A candidate, with the model of its best ridge."""

    name: str
    model: LinearModel
    score: float
    """the mean score of the folds, by `LinearModel.measure`"""
    deviation: float
    """its standard deviation over the folds"""
    terms: int
    """the additions and multiplications that project one row"""
    seconds: float
    """the time that learning took, cross-validation included"""

    @property
    def projection(self) -> Projection:
        """The candidate."""
        return self.model.projection


@dataclass(frozen=True)
class Choices:
    """The result of `choose`. Prints as a table; `plot` draws score against cost.

    >>> chosen = sqlrp.choose(sqlrp.grid(rp, k=[1, 2]), "points", con, folds=2)
    >>> type(chosen).__name__
    'Choices'
    >>> chosen.best.projection.k in (1, 2)
    True
    """

    choices: tuple[CandidateChoice, ...]
    folds: int

    @property
    def best(self) -> CandidateChoice:
        """The candidate with the best mean score; of equal ones that with the fewest terms."""
        return max(self.choices, key=lambda c: (c.score, -c.terms))

    @property
    def cheapest(self) -> CandidateChoice:
        """The candidate with the fewest terms whose mean score is within a standard error of the best one's."""
        least = self.best.score - self.best.deviation / math.sqrt(self.folds)
        return min((c for c in self.choices if c.score >= least), key=lambda c: (c.terms, -c.score))

    def table(self) -> pa.Table:
        """The candidates, the best first."""
        order = sorted(self.choices, key=lambda c: (-c.score, c.terms))
        columns: dict[str, list[Any]] = {
            "candidate": [c.name for c in order],
            "k": [c.projection.k for c in order],
            "ridge": [c.model.ridge for c in order],
            order[0].model.measure: [c.score for c in order],
            "deviation": [c.deviation for c in order],
            "terms": [c.terms for c in order],
            "seconds": [c.seconds for c in order],
        }
        return pa.table(columns)

    def __str__(self) -> str:
        """A line for each candidate, the best first."""
        best, cheapest = self.best, self.cheapest
        width = max(len(c.name) for c in self.choices)
        lines = [f"{best.model.measure} of {self.folds} folds, its deviation, and the terms of a row:"]
        for c in sorted(self.choices, key=lambda c: (-c.score, c.terms)):
            said = "  best" * (c is best) + "  cheapest within a standard error" * (c is cheapest)
            lines.append(f"  {c.name:<{width}}  {c.score:.4f}  {c.deviation:.4f}  {c.terms:>9,}{said}")
        return "\n".join(lines)

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the score against the terms of a row; return the matplotlib Figure. With a path, write it there too.

        Each candidate has its name.

        Raises ImportError without matplotlib.
        """
        try:
            from sqlrp._quality.matplotlib_charts import figure_of, save
        except ImportError as error:
            raise ImportError(needs("Choices.plot", "matplotlib", "plot")) from error
        figure = figure_of([self.chart()], f"{len(self.choices)} candidates, {self.folds} folds")
        for each in self.choices:
            at = (max(each.terms, 1), each.score)
            figure.axes[0].annotate(each.name, at, xytext=(4, 4), textcoords="offset points", fontsize=7)
        if path is not None:
            save(figure, path)
        return figure

    def chart(self) -> Chart:
        """The chart of `plot`: bars of one deviation around each score."""
        best, cheapest = self.best, self.cheapest
        marks = [
            Mark("line", "guide", ((c.terms, c.score - c.deviation), (c.terms, c.score + c.deviation)))
            for c in self.choices
        ]
        marks.append(Mark("dot", "first", tuple((c.terms, c.score) for c in self.choices), "candidates"))
        marks.append(Mark("dot", "second", ((best.terms, best.score),), f"best: {best.name}"))
        if cheapest is not best:
            marks.append(Mark("dot", "wanted", ((cheapest.terms, cheapest.score),), f"cheapest: {cheapest.name}"))
        terms = [max(c.terms, 1) for c in self.choices]
        low = min(c.score - c.deviation for c in self.choices)
        high = max(c.score + c.deviation for c in self.choices)
        room = 0.05 * max(high - low, 1e-6)
        return Chart(
            title="Score against cost",
            x_name="terms of a row",
            y_name=best.model.measure,
            x=(min(terms) / 1.5, max(terms) * 1.5),
            y=(low - room, high + room),
            marks=tuple(marks),
            caption="The mean score of the folds, with one standard deviation, against the work for a row.",
            log=True,
        )


@foreseen
def choose(
    candidates: Sequence[Projection] | Mapping[str, Projection],
    source: Source | Standardized | Join | str,
    connection: Any,
    target: str = "label",
    *,
    ridge: Sequence[float] = _RIDGES,
    folds: int = 5,
    task: Task = "auto",
    coding: Coding = "sign",
    labels: str | None = None,
    passes: int | None = None,
    standardize: bool = False,
    class_weight: str | Mapping[Any, float] | None = None,
    sample_weight: str | None = None,
    scoring: str = "auto",
    seed: int = 0,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
) -> Choices:
    """Compare projections by the cross-validated score of a ridge model on their components, in the database.

    `candidates`: projections, or projections by name; `grid` makes those of several parameters. Each one is learnt by
    `sqlrp.learn` with the same folds. The `ridge` of each is the best of several; they are relative to the mean scatter
    of a component, as components of different degrees differ in size. The other parameters are those of `learn`.

    Returns the scores with their cost. `best` is the best candidate, and `cheapest` the one with the fewest terms that
    is as good within a standard error. The score of the best of many candidates is somewhat too high: measure it on
    rows that took no part. Raises ParameterError for no candidates, and the errors of `learn`.

    Example: `print(sqlrp.choose(sqlrp.grid(pk, k=[64, 256], degree=[2, 3]), "images", con))`

        >>> chosen = sqlrp.choose(sqlrp.grid(rp, k=[1, 2]), "points", con, folds=2)
        >>> len(chosen.choices)
        2
    """
    named = _named(candidates)
    choices = []
    for name, projection in named.items():
        begun = time.perf_counter()
        model = learn(
            projection,
            source,
            connection,
            target,
            ridge=ridge,
            relative=True,
            folds=folds,
            task=task,
            coding=coding,
            labels=labels,
            passes=passes,
            standardize=standardize,
            class_weight=class_weight,
            sample_weight=sample_weight,
            scoring=scoring,
            seed=seed,
            nulls=nulls,
            lowering=lowering,
        )
        own = [s.score for s in model.scores if s.ridge == model.ridge]
        seconds = time.perf_counter() - begun
        choices.append(CandidateChoice(name, model, float(np.mean(own)), float(np.std(own)), model.terms, seconds))
    return Choices(tuple(choices), folds)


def grid(projection: Projection, **values: Sequence[Any]) -> dict[str, Projection]:
    """The projection with all combinations of some parameters, by name: `grid(pk, k=[64, 256], degree=[2, 3])`.

    Raises ParameterError for a parameter that the method does not have, and for a value out of bounds.

        >>> list(sqlrp.grid(rp, k=[4, 8], s=[1, 3]))
        ['k=4, s=1', 'k=4, s=3', 'k=8, s=1', 'k=8, s=3']
    """
    known = {f.name for f in fields(checked(projection)) if f.init}
    found: dict[str, Projection] = {"": projection}
    for name, options in values.items():
        if name not in known:
            raise ParameterError(f"{name!r} is no parameter of {type(projection).__name__}: it has {shorten(known)}")
        if isinstance(options, str) or not isinstance(options, (Sequence, np.ndarray)) or not len(options):
            raise ParameterError(f"{name} = {shorten(options)} must be a list of values")
        found = {
            f"{said}{', ' * bool(said)}{name}={value}": replace(each, **{name: value})
            for said, each in found.items()
            for value in options
        }
    return found


def _named(candidates: object) -> dict[str, Projection]:
    """The candidates by name."""
    if isinstance(candidates, Mapping):
        found = {str(name): checked(each) for name, each in candidates.items()}
    elif isinstance(candidates, Sequence) and not isinstance(candidates, str):
        found = {checked(each).name: each for each in candidates}
    else:
        raise ParameterError(f"candidates = {shorten(candidates)} must be a list of projections, or a dict by name")
    if not found:
        raise ParameterError("candidates is empty: name at least one projection")
    return found


__all__ = ["CandidateChoice", "Choices", "choose", "grid"]
