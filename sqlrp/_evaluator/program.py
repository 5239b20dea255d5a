"""Programs: the stages of a projection for given features, as operations on tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import Ints
from sqlrp._core.values import dataclass
from sqlrp._evaluator import native_calls
from sqlrp._evaluator.code import MOST_DEGREE, NORM, POWER, RESCALE, ROOT, Codes, code, number
from sqlrp._evaluator.operations import (
    ConstantEntry,
    Convolution,
    GroupSum,
    InPlace,
    Operation,
    ProductSums,
    Tile,
    TileFunction,
)
from sqlrp._evaluator.sum_operations import Butterflies, LinearSums, MonomialOperation, Reflection
from sqlrp._stages import (
    AppendConstant,
    Butterfly,
    Convolved,
    Elementwise,
    Linear,
    MonomialSums,
    Normalise,
    Products,
    ReflectedPick,
    Rescale,
    Stage,
    SumOverGroup,
)
from sqlrp._stages.forms import Forms
from sqlrp._stages.formulas import Formula

_KEPT = 1 << 20
"""The largest number of weights of a table that is kept between calls."""

_MOST = 32
"""The most operations that the native library runs in one call. It takes twice as many, as some have two parts."""

Make = Callable[[Any, Ints], Operation]
"""Makes the operation of a stage from the feature numbers of the entries before it."""


def mapped(
    change: Callable[[Any, Tile], Tile], codes: Callable[[Any, Any], Codes | None] = lambda stage, dtype: None
) -> Make:
    """The form of a stage that maps every row of a tile by itself. `codes`: of the stage on entries of a type."""

    def make(stage: Stage, numbers: Ints) -> Operation:
        def replace(x: Tile) -> None:
            x[...] = change(stage, x)

        return InPlace(len(numbers), replace, lambda dtype: codes(stage, dtype))

    return make


def _append(stage: AppendConstant, numbers: Ints) -> Operation:
    return ConstantEntry(len(numbers), stage.value)


def _rescale(stage: Rescale, numbers: Ints) -> Operation:
    offset, scale = (np.asarray(a)[:, None] for a in stage.of(numbers))

    def change(x: Tile) -> None:
        x -= offset.astype(x.dtype)
        x *= scale.astype(x.dtype)

    return InPlace(len(numbers), change, lambda t: [code(RESCALE, offset.astype(t), scale.astype(t))])


def _sum(stage: Linear, numbers: Ints) -> Operation:
    if len(numbers) * stage.n_outputs > _KEPT:
        return LinearSums(stage.matrix(numbers))
    return LinearSums(_weights(stage, numbers.tobytes()))


@lru_cache(maxsize=16)
def _weights(stage: Linear, numbers: bytes) -> npt.NDArray[Any]:
    """The weights of a stage, kept for the next batch of few rows, such as a vector."""
    return stage.matrix(np.frombuffer(numbers, dtype=np.int64))


def _butterfly(stage: Butterfly, numbers: Ints) -> Operation:
    places = numbers // stage.part % stage.block * stage.part + (numbers & (stage.part - 1))
    sample = np.array(stage.sample, dtype=np.int64)
    return Butterflies(places, stage.flips(numbers), stage.signs_of_parts, stage.part, sample)


def _reflect(stage: ReflectedPick, numbers: Ints) -> Operation:
    return Reflection(stage.n_features, np.array(stage.picked, dtype=np.int64), len(numbers))


def _multiply(stage: Products, numbers: Ints) -> Operation:
    return ProductSums(stage.n_outputs, stage.components, stage.factors, stage.weights)


def _sum_monomials(stage: MonomialSums, numbers: Ints) -> Operation:
    return MonomialOperation(stage.n, stage.n_outputs, stage.part)


def _convolve(stage: Convolved, numbers: Ints) -> Operation:
    return Convolution(stage.size, stage.vectors)


def _group(_: SumOverGroup, numbers: Ints) -> Operation:
    return GroupSum(len(numbers))


def _map(stage: Elementwise, x: Tile) -> Tile:
    for formula in stage.formulas:
        x = formula.at(x)
    return x


def _map_codes(stage: Elementwise, dtype: Any) -> Codes | None:
    """The codes of the formulas; None if the native library has no operation for them."""
    match stage.formulas:
        case (
            Formula("plus", Formula("x"), float() | int() as add),
            Formula("power", Formula("x"), float() | int() as degree),
        ) if degree <= MOST_DEGREE:
            return [code(POWER, number(add, dtype), int(degree))]
        case (Formula("odd", Formula("sqrt", Formula("x"))),) if dtype.kind == "f":
            return [code(ROOT)]
    return None


def _normalise(_: Normalise, x: Tile) -> Tile:
    norm = np.sqrt((x * x).sum(axis=0))
    return np.asarray(x / np.where(norm == 0, x.dtype.type(1), norm))


FORMS: Forms[Make] = Forms(
    "in the evaluator",
    {
        AppendConstant: _append,
        Rescale: _rescale,
        Linear: _sum,
        Butterfly: _butterfly,
        ReflectedPick: _reflect,
        Products: _multiply,
        Convolved: _convolve,
        MonomialSums: _sum_monomials,
        Elementwise: mapped(_map, _map_codes),
        SumOverGroup: _group,
        Normalise: mapped(_normalise, lambda _, dtype: [code(NORM)]),
    },
)
"""The operation of each stage."""


def _cast(n: int, dtype: Any) -> Operation:
    return TileFunction(n, lambda x: x.astype(dtype), dtype)


class NativeOperations(Operation):
    """Operations that the native library runs one after another."""

    def __init__(self, n: int, dtype: Any, operations: Sequence[Operation], codes: Codes) -> None:
        """The operations with their codes, and the number and the type of the entries before them."""
        self.n_outputs, self.terms = operations[-1].n_outputs, sum(o.terms for o in operations)
        self.program = native_calls.NativeProgram(n, dtype, codes)

    def apply(self, x: Tile, n: int, out: Tile, at: int, native: Any) -> None:
        """Run the program once."""
        native.apply(self.program, native.lies(x), 0, n, out[:, at : at + n])

    def ready(self, rows: int) -> Callable[..., None]:
        """Run the program for so many rows at a time, in memory that each thread must ask for."""
        return self.program.ready(rows)


@dataclass(frozen=True)
class Program:
    """Operations, and the type of the numbers before the first and after each of them."""

    operations: tuple[Operation, ...]
    dtypes: tuple[Any, ...]
    n_features: int
    factor: float | None = None
    """what the entries after the last operation are multiplied by, if anything"""

    @property
    def n_outputs(self) -> int:
        """The number of entries of the result."""
        return self.operations[-1].n_outputs if self.operations else self.n_features

    @property
    def widest(self) -> int:
        """The largest number of entries before or after an operation."""
        return max(self.n_features, *(o.n_outputs for o in self.operations), 1)

    @property
    def terms(self) -> float:
        """The approximate number of additions and multiplications for one row."""
        return self.n_features + sum(o.terms for o in self.operations)

    @cached_property
    def coded(self) -> Program:
        """The same program, in which the native library runs as many operations as it can."""
        dtypes, begin = [self.dtypes[0]], 0
        operations: list[Operation] = []
        codes = [o.codes(t) for o, t in zip(self.operations, self.dtypes, strict=False)]
        while begin < len(codes):
            end = begin
            while end < min(len(codes), begin + _MOST) and codes[end] is not None:
                end += 1
            run = self.operations[begin:end]
            if run and (begin == 0 or not all(o.in_place for o in run)):  # changed where they lie is faster else
                n = operations[-1].n_outputs if operations else self.n_features
                operations.append(
                    NativeOperations(n, dtypes[-1], run, [c for part in codes[begin:end] for c in part or ()])
                )
                begin = end
            else:
                end = max(end, begin + 1)
                operations += self.operations[begin:end]
                dtypes += self.dtypes[begin + 1 : end]
                begin = end
            dtypes.append(self.dtypes[end])
        return Program(tuple(operations), tuple(dtypes), self.n_features, self.factor)

    @cached_property
    def segments(self) -> list[Program]:
        """The parts between sums over groups; each but the last ends with such a sum."""
        parts, begin, n = [], 0, self.n_features
        for i, operation in enumerate(self.operations):
            if operation.groups or i == len(self.operations) - 1:
                parts.append(Program(self.operations[begin : i + 1], self.dtypes[begin : i + 2], n))
                begin, n = i + 1, operation.n_outputs
        if not parts or self.operations[-1].groups:
            parts.append(Program((), self.dtypes[-1:], n))
        return parts


def program(
    stages: Sequence[Stage],
    numbers: Ints,
    dtypes: Sequence[npt.DTypeLike],
    whole: Sequence[bool] = (),
    factor: float | None = None,
) -> Program:
    """The program of stages over features with the given numbers.

    `dtypes`: the type of the entries before the first stage and after each. Where a stage turns exact numbers into
    floats, they are cast before it. `whole`: whether the entries after each stage are whole numbers, which stay exact.
    `factor`: what the results are multiplied by. Raises UnsupportedError for a stage without a form.
    """
    makers = [(stage, FORMS.of(stage)) for stage in stages]  # raises before anything is drawn
    operations: list[Operation] = []
    types, n = [np.dtype(dtypes[0])], len(numbers)
    for i, ((stage, make), dtype) in enumerate(zip(makers, dtypes[1:], strict=True)):
        if np.dtype(dtype) != types[-1]:
            operations.append(_cast(len(numbers), np.dtype(dtype)))
            types.append(np.dtype(dtype))
        operations.append(make(stage, numbers))
        operations[-1].exact = bool(whole) and whole[i]
        types.append(np.dtype(dtype))
        numbers = stage.numbers(numbers)
    i = 0
    while i + 1 < len(operations):  # a constant before sums is where the sums start
        constant, sums = operations[i : i + 2]
        if isinstance(constant, ConstantEntry) and isinstance(sums, LinearSums) and types[i] == types[i + 2]:
            operations[i : i + 2] = [sums.started(constant.value)]
            del types[i + 1]
            i = max(i - 1, 0)
        else:
            i += 1
    if operations and factor is not None and isinstance(operations[-1], LinearSums):
        scaled = operations[-1].scaled(factor)  # once for the weights, not once for each row
        if scaled is not None:
            operations[-1], factor = scaled, None
    return Program(tuple(operations), tuple(types), n, factor)
