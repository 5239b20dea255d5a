"""What is to be lowered: a projection's stages over a frame, and the kinds of numbers that flow through them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Any

import numpy as np

from sqlrp.core.brief import brief
from sqlrp.core.draw import Ints
from sqlrp.core.errors import ParameterError, SourceError
from sqlrp.core.numbers import DOUBLE, Number
from sqlrp.core.options import Nulls, Options
from sqlrp.core.sources import Output
from sqlrp.dialects.base import Dialect
from sqlrp.lowering.frame import Frame
from sqlrp.lowering.partial_sums import DENSE, Shared, share
from sqlrp.projections.base import Projection
from sqlrp.stages import Rescale, Stage, Weights
from sqlrp.stages.forms import Forms

READ: Forms[Callable[[Any], Rescale]] = Forms("where features are read", {Rescale: lambda stage: stage})
"""The stages that are applied where features are read, each as the rescaling that it amounts to."""

NULL_MESSAGE = "sqlrp: a feature is NULL and nulls = 'error': clean the row, or use nulls = 'zero' or 'propagate'"


@dataclass(frozen=True)
class Job:
    """A projection of a frame, with the shape of the result."""

    __repr__ = brief

    projection: Projection
    frame: Frame
    engine: Dialect = field(compare=False)
    output: Output = "columns"
    scale: bool = True
    nulls: Nulls = "propagate"
    fitted: bool = field(default=False, init=False)
    """whether the output was asked for as auto; `output` is then what auto comes to"""

    def __post_init__(self) -> None:
        """Settle the output that "auto" comes to, and check the result's names and size."""
        if self.output == "auto":
            object.__setattr__(self, "output", self._fitting())
            object.__setattr__(self, "fitted", True)
        names = self.frame.names if self.frame.layout == "wide" else None
        self.projection.check_features(names, self.frame.n_features)
        if self.grouped and (self.frame.key is None or self.frame.keep or self.frame.layout == "long"):
            raise ParameterError(
                f"{type(self.projection).__name__} sums the rows of a group: name the group's column as key, keep no "
                f"other, one row of features each; got key = {self.frame.key!r}, keep = {list(self.frame.keep)!r} and "
                f"{self.frame.layout} rows"
            )
        rescale = self.rescale
        if self.frame.layout == "long" and rescale is not None and rescale.offset.any():
            raise ParameterError(
                f"{type(self.projection).__name__} shifts every feature, which makes sparse rows dense: "
                "use how = 'tfidf' or 'l2', or wide rows"
            )
        if self.entries not in (None, self.k):
            raise ParameterError(
                f"the stages of {type(self.projection).__name__} give {self.entries:,} entries of "
                f"{self.frame.n_features:,} features, and k = {self.k}: k must be their number"
            )
        taken = {name.casefold() for name in self.output_names}
        for name in self.frame.kept:
            if name.casefold() in taken:
                raise SourceError(
                    f"column {name!r} of the source has an output column's name: rename it, or choose another output"
                )

    @classmethod
    def of(cls, projection: Projection, frame: Frame, engine: Dialect, options: Options) -> Job:
        """The job that the options of a call ask for."""
        return cls(projection, frame, engine, options.output, options.scale, options.nulls)

    def _fitting(self) -> Output:
        """Columns where a result and a stored row of the engine hold them; else an array, or long rows."""
        if self.bound is None or self.columns <= self.bound:
            return "columns"
        return "array" if self.engine.has_arrays else "long"

    @property
    def bound(self) -> int | None:
        """How many columns both a result and a stored row of the engine hold; None where no limit is stated."""
        limits = self.engine.limits
        return min((n for n in (limits.columns, limits.stored) if n is not None), default=None)

    @property
    def columns(self) -> int:
        """How many columns the result has as columns, with key and keep."""
        return self.k + len(self.frame.kept)

    @property
    def k(self) -> int:
        """How many components the result has."""
        return self.projection.k

    @property
    def output_names(self) -> list[str]:
        """The result's columns besides key and keep."""
        if self.output == "columns":
            return list(self.projection.outputs)
        return ["z"] if self.output == "array" else ["component", "value"]

    @property
    def entries(self) -> int | None:
        """How many entries the stages give; None where they give as many as an open vocabulary has."""
        size = self.frame.n_features
        for stage in self.stages:
            size = stage.n_outputs if stage.n_outputs is not None else None if size is None else size + stage.appends
        return size

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The projection's stages for this frame, without the scale."""
        return self.projection.stages(self.frame.n_features)

    @cached_property
    def factor(self) -> float | None:
        """The scale, delayed to the end; None where there is none, or the bare sums are wanted."""
        factor = self.projection.factor(self.frame.n_features)
        return factor if self.scale and factor != 1 else None

    @cached_property
    def kinds(self) -> list[Number]:
        """The kinds of numbers before the first stage, and after each.

        Integers stay integers as long as every stage keeps them and a type of the engine holds them; where the
        scale follows anyway, only as long as they fit 64 bits and are not multiplied (a DOUBLE is faster then).
        """
        number = self.frame.number
        summed = number.summed((self.frame.n_features or 2**31) + 1)
        floats = not all(stage.exact for stage in self.stages)
        wide = self.scale and (number.kind == "decimal" or summed.bits > 63)
        if self.projection.preparation or (number.exact and (floats or wide or self.engine.type_name(summed) is None)):
            number = DOUBLE
        kinds, size = [number], self.frame.n_features or 2**31
        for stage in self.stages:
            number = self._after(stage, number, size)
            if number.exact and self.engine.type_name(number) is None:
                number = DOUBLE
            kinds.append(number)
            size = stage.n_outputs or size + 1
        return kinds

    @property
    def summing(self) -> Number:
        """The kind in which features are read: wide enough for the sums of them that follow."""
        for stage, before, after in zip(self.stages, self.kinds, self.kinds[1:], strict=False):
            if stage.sums:
                return after
            if not stage.appends:
                return before
        return self.kinds[-1]

    def _after(self, stage: Stage, number: Number, size: int) -> Number:
        if not number.exact:
            return number
        if stage.products and self.scale:
            return DOUBLE
        after = stage.result_type(number, size)
        return after if not stage.multiplies or self.engine.multiplies(after) else DOUBLE

    @property
    def result(self) -> Number:
        """The kind of the result's numbers."""
        last = self.kinds[-1]
        return DOUBLE if self.scale and last.exact else last

    @property
    def rescale(self) -> Rescale | None:
        """The statistics by which features are rescaled where they are read."""
        first = self.stages[0] if self.stages else None
        return READ.of(first)(first) if first is not None and READ.has(first) else None

    @cached_property
    def steps(self) -> list[Step]:
        """The stages but the one that reading applies."""
        return list(self._steps)[self.rescale is not None :]

    @property
    def core(self) -> list[Step]:
        """Those but the closing ones."""
        return self.steps[: len(self.steps) - len(self.closing)]

    @property
    def closing(self) -> list[Stage]:
        """The stages that act on finished outputs."""
        reversed_ = takewhile(lambda stage: stage.closes, reversed(self.stages))
        return list(reversed_)[::-1]

    @property
    def grouped(self) -> bool:
        """Whether rows with one key become one row."""
        return any(stage.groups for stage in self.stages)

    @property
    def sparse_result(self) -> bool:
        """Whether zeros are left out of the result: sparse rows from sparse rows."""
        return self.output == "long" and self.frame.layout == "long" and not self.closing

    @property
    def _steps(self) -> Iterator[Step]:
        numbers, columns = self.frame.feature_numbers, self.engine.limits.columns
        most = None if columns is None else columns - len(self.frame.kept) - 2  # for ok and r
        for stage, before, after in zip(self.stages, self.kinds, self.kinds[1:], strict=False):
            yield Step(stage, numbers, before, after, most)
            numbers = stage.numbers(numbers)

    @cached_property
    def inline_terms(self) -> int:
        """The terms that the inline lowering writes: dense signs share partial sums."""
        saved = 0.0
        size = self.frame.n_features or 0
        for step in self.core:
            stage = step.stage
            if stage.shareable and stage.stated(size) * DENSE <= stage.terms(size):
                saved += np.count_nonzero(step.matrix) - step.shared.terms
            size = stage.n_outputs or size
        return max(self.terms - math.floor(saved), 0)

    @cached_property
    def terms(self) -> int:
        """About how many terms one row costs: expected weights that are not 0, and factors of products."""
        return self._total(lambda stage, size: stage.terms(size))

    @cached_property
    def plain_terms(self) -> int:
        """Those of a lowering that shares no partial sums."""
        return self._total(lambda stage, size: stage.plain_terms(size))

    @cached_property
    def weights(self) -> int:
        """How many weights, those that are 0 included, and factors are stated once for all rows."""
        return self._total(lambda stage, size: stage.stated(size))

    @cached_property
    def full_terms(self) -> int:
        """Those of the stages whose weights are numbers and never 0, which a function over two lists sums."""
        return self._total(lambda stage, size: stage.terms(size) if stage.full and not stage.exact else 0.0)

    def _total(self, of: Callable[[Stage, int], float]) -> int:
        """The sum over the stages of what each takes of so many entries."""
        size, total = self.frame.n_features or 0, 0.0
        for stage in self.stages:
            total += of(stage, size)
            size = stage.n_outputs or size
        return math.ceil(total)


@dataclass(frozen=True)
class Step:
    """A stage with the feature numbers it meets, and the kinds of numbers before and after."""

    __repr__ = brief

    stage: Stage
    numbers: Ints
    before: Number
    after: Number
    most: int | None
    """how many columns a subquery may have for entries"""

    @cached_property
    def matrix(self) -> Weights:
        """The weights of a stage that sums."""
        return self.stage.matrix(self.numbers)

    @cached_property
    def shared(self) -> Shared:
        """The partial sums of a stage that is `shareable`."""
        return share(self.matrix, self.most)
