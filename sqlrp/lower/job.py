"""What is to be lowered: a projection's stages over a frame, and the kinds of numbers that flow through them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from sqlrp.engines.base import Engine
from sqlrp.errors import ParameterError, SourceError
from sqlrp.frame import Frame
from sqlrp.layouts import OUTPUTS, Output
from sqlrp.numbers import DOUBLE, FLOAT, Number
from sqlrp.projections.base import Projection
from sqlrp.signs import CONSTANT_FEATURE, Ints, Signs
from sqlrp.stages import AppendConstant, SignedSums, Stage, SumOfProducts

Nulls = Literal["propagate", "zero", "error"]

NULL_MESSAGE = "sqlrp: a feature is NULL and nulls = 'error': clean the row, or use nulls = 'zero' or 'propagate'"


@dataclass(frozen=True)
class Job:
    """A projection of a frame, with the shape of the result."""

    projection: Projection
    frame: Frame
    engine: Engine = field(compare=False)
    output: Output = "columns"
    scale: bool = True
    nulls: Nulls = "propagate"

    def __post_init__(self) -> None:
        """Check output, nulls and the names of the result."""
        if self.output not in OUTPUTS:
            raise ParameterError(f"output = {self.output!r} must be one of {', '.join(OUTPUTS)}")
        if self.nulls not in get_args(Nulls):
            raise ParameterError(f"nulls = {self.nulls!r} must be one of {', '.join(get_args(Nulls))}")
        taken = {name.casefold() for name in self.output_names}
        for name in self.frame.kept:
            if name.casefold() in taken:
                raise SourceError(
                    f"column {name!r} of the source has an output column's name: rename it, or choose another output"
                )

    @property
    def k(self) -> int:
        """How many components the result has."""
        return self.projection.k

    @property
    def output_names(self) -> list[str]:
        """The result's columns besides key and keep."""
        if self.output == "columns":
            return [f"z{c}" for c in range(self.k)]
        return ["z"] if self.output == "array" else ["component", "value"]

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The projection's stages for this frame, without the scale."""
        return self.projection.stages(self.frame.n_features)

    @cached_property
    def factor(self) -> float | None:
        """The scale, delayed to the end; None where the bare sums are wanted."""
        return self.projection.factor(self.frame.n_features) if self.scale else None

    @cached_property
    def kinds(self) -> list[Number]:
        """The kinds of numbers before the first stage, and after each.

        Integers stay integers as long as a type of the engine holds them; where the scale follows anyway,
        only as long as they fit 64 bits and are not multiplied (a DOUBLE is faster then).
        """
        number = self.frame.number
        if self.scale and (number.kind == "decimal" or self._summed(number).bits > 63):
            number = DOUBLE
        if any(isinstance(stage, AppendConstant) and not _is_whole(stage.value) for stage in self.stages):
            number = FLOAT if number == FLOAT else DOUBLE
        if number.exact and self.engine.type_name(self._summed(number)) is None:
            number = DOUBLE
        kinds = [number]
        for stage in self.stages:
            number = self._after(stage, number)
            kinds.append(number)
        return kinds

    def _summed(self, number: Number) -> Number:
        return number.summed((self.frame.n_features or 2**31) + 1)

    @property
    def summing(self) -> Number:
        """The kind in which features are summed: wide enough for every signed sum of them."""
        return self._summed(self.kinds[0])

    def _after(self, stage: Stage, number: Number) -> Number:
        if isinstance(stage, AppendConstant):
            if not number.exact:
                return number
            return replace(number, bits=max(number.bits, int(stage.value * 10**number.digits).bit_length()))
        if isinstance(stage, SignedSums):
            return self._summed(number)
        if not number.exact:
            return number
        product = number.multiplied(stage.degree, stage.t)
        return DOUBLE if self.scale or not self.engine.multiplies(product) else product

    @property
    def result(self) -> Number:
        """The kind of the result's numbers."""
        last = self.kinds[-1]
        return DOUBLE if self.scale and last.exact else last

    @cached_property
    def sums(self) -> list[SignedSums]:
        """The stages of signed sums."""
        return [stage for stage in self.stages if isinstance(stage, SignedSums)]

    def tables(self) -> Iterator[tuple[SignedSums, Signs]]:
        """Each stage of signed sums with its sign table over the frame's features."""
        numbers = self.frame.feature_numbers
        for stage in self.stages:
            if isinstance(stage, AppendConstant):
                numbers = with_constant(numbers)
            if isinstance(stage, SignedSums):
                yield stage, stage.matrix(numbers)
                numbers = np.arange(stage.n_vectors, dtype=np.int64)

    @cached_property
    def terms(self) -> int:
        """About how many terms one row costs: expected non-zero signs, and factors of products."""
        d = self.frame.n_features
        total = 0.0
        for stage in self.stages:
            if isinstance(stage, SignedSums):
                total += (d if d is not None else 0) * stage.n_vectors / stage.s
            if isinstance(stage, SumOfProducts):
                total += stage.k * stage.t * stage.degree
        return math.ceil(total)


def with_constant(numbers: Ints) -> Ints:
    """The feature numbers after a constant was appended."""
    return np.append(numbers, np.int64(CONSTANT_FEATURE))


def _is_whole(value: float) -> bool:
    return float(value).is_integer()
