"""A job to lower: the stages of a projection over a frame, and the kinds of numbers between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from sqlrp._core.draw import Ints
from sqlrp._core.errors import ParameterError, SourceError, shorten
from sqlrp._core.names import spelled
from sqlrp._core.numbers import BYTE, DOUBLE, FLOAT, SINGLE, WORD, Number, words_of
from sqlrp._core.options import Dtype, Nulls, Options
from sqlrp._core.reprs import short_repr
from sqlrp._core.sources import Output
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._lowering.convolutions import operations, splits
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.partial_sums import DENSE, SharedRounds, share
from sqlrp._projections.code_fields import Fields
from sqlrp._projections.projection import Projection
from sqlrp._stages import Convolved, Linear, Rescale, Stage, Weights
from sqlrp._stages.forms import Forms

READ: Forms[Callable[[Any], Rescale]] = Forms("where features are read", {Rescale: lambda stage: stage})
"""The stages that are applied when features are read, each as a rescaling."""

FACTOR, SQUARE = "sqlrp_factor", "sqlrp_square"
"""The columns by which a search corrects the distances of codes."""


def correcting_kind(dialect: Dialect) -> Number:
    """The kind of their numbers."""
    return SINGLE if dialect.single else DOUBLE


NULL_SAID = "sqlrp: a feature is NULL and nulls = 'error'"
"""How every message begins that refuses a NULL."""
NULL_MESSAGE = f"{NULL_SAID}: clean the row, or use nulls = 'zero' or 'propagate'"


def check_signed(projection: Projection, stages: Sequence[Stage]) -> None:
    """Raise ParameterError for a method whose components have no bits, as none is below 0, or that need two numbers."""
    if projection.fields is not None:
        raise ParameterError(
            "output = 'bits' packs these components with two numbers that correct their distances, which "
            "sqlrp.materialize writes: use it without correct = False, or output = 'columns'"
        )
    if stages and not stages[-1].signed:
        raise ParameterError(
            f"output = 'bits' needs components of both signs: those of {type(projection).__name__} are never negative; "
            "use 'columns', or a linear method"
        )


def null_message(column: str, key: str | None, value: object) -> str:
    """`NULL_MESSAGE` with the column, and with the key of a row and its value; the key None: the rows have none."""
    row = "" if key is None else f" of the row with {key} = {shorten(value, 30)}"
    said, clean, remedy = NULL_MESSAGE.partition(": clean")
    return f"{said}: {column!r}{row}{clean}{remedy}"


@dataclass(frozen=True)
class Job:
    """A projection of a frame and the shape of the result."""

    __repr__ = short_repr

    projection: Projection
    frame: Frame
    dialect: Dialect = field(compare=False)
    output: Output = "columns"
    scale: bool = True
    nulls: Nulls = "propagate"
    dtype: Dtype = "auto"
    correct: bool = False
    """whether the columns `FACTOR` and `SQUARE` stand next to the code of a row"""
    fetched: bool = False
    """whether the result comes to this process from an engine in it, so that the features may come in its place"""
    fitted: bool = False
    """whether the caller asked for the output "auto"; `output` is then the chosen shape"""
    single: bool = False
    """whether FLOAT features that are rescaled stay FLOAT, if the engine computes in it"""
    one_null: bool = False
    """whether it is enough that the first output of a row is NULL, for who leaves such rows out"""

    def __post_init__(self) -> None:
        """Choose the output for "auto", and check the names and the size of the result."""
        object.__setattr__(self, "projection", self.projection.over_arrays(self.frame.sizes))
        if self.projection.fills and self.nulls == "propagate":
            object.__setattr__(self, "nulls", "zero")  # after the first stage, which subtracts what NULL becomes
        if self.output == "auto":
            object.__setattr__(self, "output", self._fitting())
            object.__setattr__(self, "fitted", True)
        if self.output == "bits":
            object.__setattr__(self, "scale", False)  # it changes no sign, and whole numbers stay exact
            if not self.correct:
                check_signed(self.projection, self.stages)
        if self.correct and self.uncorrectable:
            raise ParameterError(f"correct = True is not for these rows: {self.uncorrectable}; leave correct out")
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
        taken = {spelled(name) for name in self.output_names}
        for name in self.frame.kept:
            if spelled(name) in taken:
                raise SourceError(
                    f"column {name!r} of the source has an output column's name: rename it, or choose another output"
                )

    @property
    def uncorrectable(self) -> str:
        """Why no numbers that correct distances stand next to a row's code; empty if they may."""
        if self.projection.code_range is None:
            return "their components are not rounded, as those of sqlrp.rounded are"
        if (
            (self.output == "bits" and self.fields is None)
            or self.output == "long"
            or self.frame.layout == "long"
            or self.frame.key is None
            or self.grouped
        ):
            return "they need a key, and one row of components for each"
        if self.bound is not None and self.columns + 3 > self.bound:
            return f"their {self.columns + 3:,} columns are more than the {self.bound:,} of {self.dialect.name}"
        return ""

    @classmethod
    def of(cls, projection: Projection, frame: Frame, dialect: Dialect, options: Options) -> Job:
        """The job for the options of a call."""
        o = options
        return cls(projection, frame, dialect, o.output, o.scale, o.nulls, o.dtype, o.correct)

    def _fitting(self) -> Output:
        """Columns if they fit into a result and a stored row of the engine; otherwise an array, or long rows."""
        if self.bound is None or self.columns <= self.bound:
            return "columns"
        return "array" if self.dialect.has_arrays else "long"

    @property
    def bound(self) -> int | None:
        """The most columns that fit both a result and a stored row of the engine; None without a stated limit."""
        limits = self.dialect.limits
        return fewest(limits.columns, limits.stored, self.held)

    @property
    def columns(self) -> int:
        """The number of columns of a result with output "columns", including key and keep."""
        return self.k + len(self.frame.kept)

    @property
    def k(self) -> int:
        """The number of components of the result."""
        return self.projection.k

    @property
    def output_names(self) -> list[str]:
        """The columns of the result without key and keep."""
        return [*self.code_names, FACTOR, SQUARE] if self.correct and self.fields is None else self.code_names

    @property
    def code_names(self) -> list[str]:
        """The same without the numbers that correct distances."""
        if self.output == "columns":
            return list(self.projection.outputs)
        if self.output == "bits" and not self.single_code:
            return [f"b{w}" for w in range(words_of(self.k) if self.fields is None else self.fields.words)]
        return ["component", "value"] if self.output == "long" else ["z"]

    @property
    def shape(self) -> Output:
        """The output without regard to the types: a vector is an array too, and the words of bits are columns."""
        same: dict[Output, Output] = {"vector": "array", "bits": "columns"}
        return same.get(self.output, self.output)

    @cached_property
    def single_code(self) -> bool:
        """Whether the bits of a row are one column of the engine, not columns of words."""
        return bool(self.dialect.code) and self.fields is None

    @cached_property
    def fields(self) -> Fields | None:
        """The places of the components in words, if they are packed; None for the output "bits" of others, too."""
        return self.projection.fields if self.output == "bits" else None

    @property
    def entries(self) -> int | None:
        """The number of entries after the stages; None if it is the size of an open vocabulary."""
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
        """The scale, delayed to the end; None if there is none or the caller wants the bare sums."""
        factor = self.projection.factor(self.frame.n_features)
        return factor if self.scale and factor != 1 else None

    @cached_property
    def kinds(self) -> list[Number]:
        """The kinds of numbers before the first stage and after each stage.

        Integers stay integers as long as every stage keeps them and the engine has a type for them. If the
        scale follows, they must also fit 64 bits and not be multiplied (otherwise a DOUBLE is faster).
        """
        number = self.frame.number
        summed = number.summed((self.frame.n_features or 2**31) + 1)
        floats = not all(stage.exact for stage in self.stages) or (
            self.factor is not None and not self.dialect.has_types
        )
        wide = self.scale and (number.kind == "decimal" or summed.bits > 63)
        summed = self.dialect.bounded(summed)
        prepared = self.projection.preparation and not (self.single and number == FLOAT)
        if prepared or (number.exact and (floats or wide or self.dialect.type_name(summed) is None)):
            number = DOUBLE
        kinds, size = [number], self.frame.n_features or 2**31
        for stage in self.stages:
            number = self._after(stage, number, size)
            if number.exact and self.dialect.type_name(number) is None:
                number = DOUBLE
            kinds.append(number)
            size = stage.n_outputs or size + 1
        if not self.dialect.has_types and not number.exact:
            return [DOUBLE] * len(kinds)  # no sum of integers runs over on the way to floats
        return kinds

    @property
    def summing(self) -> Number:
        """The kind in which features are read: wide enough for the sums that follow."""
        for stage, before, after in zip(self.stages, self.kinds, self.kinds[1:], strict=False):
            if stage.sums:
                return after
            if not stage.appends:
                return before
        return self.kinds[-1]

    @cached_property
    def narrow(self) -> Number | None:
        """The integers that hold all partial sums of drawn signs, if the engine has a narrower type just for them.

        `summing` allows for a sum of all features; here only the features count whose signs are not 0.
        """
        first = next((step for step in self.core if not step.stage.appends), None)
        largest = [number.bits for number in self.frame.numbers]
        if self.summing.kind != "int" or first is None or not first.stage.signs or max(largest) > 63:
            return None
        features = largest if self.frame.layout == "wide" else largest * self.frame.width
        constants = [abs(int(step.stage.appended)) for step in self.core if step.stage.appends]
        values = np.array([*(2.0**bits for bits in features), *constants][: len(first.numbers)])
        bound = float((values @ np.abs(first.matrix, dtype=np.float64)).max(initial=0))
        narrow = Number("int", math.ceil(bound).bit_length())
        return narrow if self.dialect.narrowed("", narrow, narrow) else None

    def _after(self, stage: Stage, number: Number, size: int) -> Number:
        if not number.exact:
            return number
        if stage.products and self.scale:
            return DOUBLE
        after = stage.result_type(number, size)
        after = self.dialect.bounded(after) if stage.sums else after
        return after if not stage.multiplies or self.dialect.multiplies(after) else DOUBLE

    def widest(self, bits: int) -> int:
        """The most bits of the whole numbers between the stages, if those of the features have so many."""
        number, size, most = Number("int", bits), self.frame.n_features or 2**31, 0
        for stage, before, after in zip(self.stages, self.kinds, self.kinds[1:], strict=False):
            if not (before.exact and after.exact):
                break
            number = stage.result_type(number, size)
            most, size = max(most, number.bits), stage.n_outputs or size + 1
        return most

    @property
    def result(self) -> Number:
        """The kind of the result's numbers: integers are doubles once they are scaled."""
        last = self.kinds[-1]
        return DOUBLE if self.factor is not None and last.exact else last

    @property
    def checked(self) -> bool:
        """Whether the query checks that the result is exact."""
        return self.result.exact and not self.dialect.has_types and self.output != "bits"

    @cached_property
    def written(self) -> Number:
        """The kind of the result's numbers as they are written, if `dtype` or a vector asks for another one."""
        if self.output == "bits":
            return WORD
        if self.output == "vector" and self.dtype == "auto" and self.factor is None and self._bytes_each:
            return BYTE
        if self.dtype != "auto" or (self.output == "vector" and self.dialect.vectors_are_single):
            return SINGLE
        return DOUBLE if self.output == "vector" else self.result

    @property
    def _bytes_each(self) -> bool:
        """Whether each component fits a byte, and the engine's vectors may have bytes."""
        return self.dialect.has_bytes and bool(self.stages) and self.stages[-1].bytes_each

    @property
    def rescale(self) -> Rescale | None:
        """The statistics for rescaling features when they are read; None if there is nothing to rescale."""
        first = self.stages[0] if self.stages else None
        return READ.of(first)(first) if first is not None and READ.has(first) else None

    @cached_property
    def steps(self) -> list[Step]:
        """The stages without the one that is applied when features are read."""
        return list(self._steps)[self.rescale is not None :]

    @property
    def core(self) -> list[Step]:
        """The steps without the closing stages."""
        return self.steps[: len(self.steps) - len(self.closing)]

    @property
    def closing(self) -> list[Stage]:
        """The stages that act on finished outputs."""
        reversed_ = takewhile(lambda stage: stage.closes, reversed(self.stages))
        return list(reversed_)[::-1]

    @property
    def grouped(self) -> bool:
        """Whether the rows of one key become one row."""
        return any(stage.groups for stage in self.stages)

    @property
    def sparse_result(self) -> bool:
        """Whether zeros are left out of the result, because sparse rows become sparse rows."""
        return self.output == "long" and self.frame.layout == "long" and not self.closing

    @cached_property
    def held(self) -> int | None:
        """The most numbers in a row of a subquery, if the engine bounds its bytes."""
        return self.held_of(self.summing, *self.kinds, self.result)

    def held_of(self, *kinds: Number) -> int | None:
        """The same for numbers of the given kinds."""
        row = self.dialect.limits.row
        return None if row is None else row // max(map(self.dialect.bytes_of, kinds))

    @property
    def _steps(self) -> Iterator[Step]:
        numbers, limits = self.frame.feature_numbers, self.dialect.limits
        columns = fewest(limits.within if limits.columns is None else limits.columns, self.held)
        most = None if columns is None else columns - len(self.frame.kept) - 2  # for ok and r
        for stage, before, after in zip(self.stages, self.kinds, self.kinds[1:], strict=False):
            yield Step(stage, numbers, before, after, most)
            numbers = stage.numbers(numbers)

    @cached_property
    def inline_terms(self) -> int:
        """The number of terms that the inline lowering writes; signs share sums, convolutions products."""
        return max(self.terms - math.floor(sum(saved.terms for saved in self._saved)), 0)

    @property
    def inline_products(self) -> int:
        """The part of `inline_terms` that multiplies entries pair by pair."""
        return self.factors - sum(saved.products for saved in self._saved)

    @cached_property
    def _saved(self) -> list[Saving]:
        """What each stage saves in the inline lowering."""
        found, size = [], self.frame.width
        for step in self.core:
            if SAVED.has(step.stage):
                found.append(SAVED.of(step.stage)(step.stage, step, self.dialect, size))
            size = step.stage.n_outputs or size
        return found

    @cached_property
    def terms(self) -> int:
        """The approximate number of terms for one row: expected non-zero weights and factors of products."""
        return self.total(lambda stage, size: stage.terms(size))

    @cached_property
    def plain_terms(self) -> int:
        """The number of terms for one row in a lowering that shares no partial sums."""
        return self.total(lambda stage, size: stage.plain_terms(size))

    @cached_property
    def evaluated_terms(self) -> int:
        """The number of terms for one row in the evaluator, which adds the cells of sparse rows one by one."""
        if self.frame.layout == "long":
            return self.plain_terms
        return self.total(lambda stage, size: stage.evaluated_terms(size))

    @cached_property
    def weights(self) -> int:
        """The number of weights (including zeros) and factors that are stated once for all rows."""
        return self.total(lambda stage, size: stage.stated(size))

    @cached_property
    def full_terms(self) -> int:
        """The terms of stages whose weights are real numbers and never 0: a dot product of two lists sums them."""
        return self.total(lambda stage, size: stage.terms(size) if stage.full and not stage.exact else 0.0)

    @cached_property
    def plain_sums(self) -> int:
        """The part of `plain_terms` that is of sums."""
        return self.total(lambda stage, size: stage.plain_terms(size) if stage.sums else 0.0)

    @cached_property
    def factors(self) -> int:
        """The factors of products."""
        return self.total(lambda stage, size: stage.terms(size) if stage.products else 0.0)

    def total(self, of: Callable[[Stage, int], float]) -> int:
        """The sum of a count over the stages; `of` gives it for a stage and its number of entries."""
        size, total = self.frame.width, 0.0
        for stage in self.stages:
            total += of(stage, size)
            size = stage.n_outputs or size
        return math.ceil(total)


def fewest(*bounds: int | None) -> int | None:
    """The least of the bounds that there are."""
    return min((bound for bound in bounds if bound is not None), default=None)


class Saving(NamedTuple):
    """What the inline lowering saves in a stage."""

    terms: float
    products: int
    """the factors of products that it writes as sums and differences"""


def _by_sharing(stage: Linear, step: Step, _: Dialect, size: int) -> Saving:
    if not stage.shareable or stage.stated(size) * DENSE > stage.terms(size):
        return Saving(0.0, 0)
    return Saving(float(np.count_nonzero(step.matrix) - step.shared.terms), 0)


def _by_splitting(stage: Convolved, step: Step, dialect: Dialect, _: int) -> Saving:
    if not splits(stage, step.after, dialect, step.most):
        return Saving(0.0, 0)
    products = 2 * stage.size**2
    return Saving(float(products - operations(stage.size)), products)


SAVED: Forms[Callable[[Any, Step, Dialect, int], Saving]] = Forms(
    "with fewer terms", {Linear: _by_sharing, Convolved: _by_splitting}
)
"""What the inline lowering saves in a stage of so many entries; nothing in a stage that is not here."""


@dataclass(frozen=True)
class Step:
    """A stage with the feature numbers of its entries and the kinds of numbers before and after it."""

    __repr__ = short_repr

    stage: Stage
    numbers: Ints
    before: Number
    after: Number
    most: int | None
    """the most columns that a subquery may have for entries"""

    @cached_property
    def matrix(self) -> Weights:
        """The weights of a summing stage."""
        return self.stage.matrix(self.numbers)

    @cached_property
    def shared(self) -> SharedRounds:
        """The partial sums of a stage that is `shareable`."""
        return share(self.matrix, self.most)
