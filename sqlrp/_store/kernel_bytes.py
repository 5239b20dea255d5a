"""The stages of a saved projection as bytes that the kernel of DuckDB's extension runs.

They are written once, when the projection is saved, so that a call draws and parses no weight of them. The facts of
each stage, from which the extension finds the types of a call, are a text that native/stated.h reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sqlrp._core.numbers import DOUBLE
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._evaluator.code import (
    APPEND,
    MOST_DEGREE,
    NORM,
    POWER,
    PRODUCTS,
    RESCALE,
    ROOT,
    SUMS,
    WEIGHTED,
    code,
    number,
)
from sqlrp._lowering.formula_sql import written
from sqlrp._stages import AppendConstant, Elementwise, Normalise, Products, Rescale, SignedRoot, Stage, WeightedSums
from sqlrp._stages.forms import Forms

TYPES = {"FLOAT": np.float32, "DOUBLE": np.float64, "BIGINT": np.int64}
"""The types of the kernel's numbers, by the names of the extension."""
MOST_BYTES = 1 << 26
"""The most bytes of a type that are kept. A projection with more is run as it is without the extension."""

_PLUS = re.compile(r"\(@\+([-+.e\d]+)\)")
_TIMES = re.compile(r"@(?:\*@)*")


@dataclass(frozen=True)
class KernelStage:
    """A stage as an operation of the kernel."""

    facts: str
    """its kind, how many entries it leaves (0 if they stay), whether it is exact, its largest weight, the factors of a
    product, and the most products of a sum"""
    outputs: int
    exact: bool
    written: Callable[[Any], bytes]
    """the operation over numbers of a type"""


@dataclass(frozen=True)
class KernelStages:
    """The stages of a projection: those that the kernel runs, and the formulas between and after them."""

    given: tuple[KernelStage, ...]
    text: str
    """all stages in their order, as native/stated.h reads them: the facts of the kernel's, and the others as SQL"""
    alone: bool
    """whether all are the kernel's"""
    n: int
    """how many features they are for; 0 for any number"""
    prepared: bool
    """whether the source is prepared, whose numbers are all DOUBLE"""

    @property
    def keeps(self) -> bool:
        """Whether they leave as many entries as they are given."""
        return not any(stage.outputs for stage in self.given)

    def bytes(self) -> dict[str, bytes] | None:
        """The operations by the type of their numbers; None if they are too many bytes.

        Whole numbers stay whole if all stages are exact.
        """
        types = ["DOUBLE", *(["FLOAT"] if not self.prepared else [])]
        if not self.prepared and all(stage.exact for stage in self.given):
            types.append("BIGINT")
        found = {name: b"".join(stage.written(np.dtype(TYPES[name])) for stage in self.given) for name in types}
        return found if max(map(len, found.values())) <= MOST_BYTES else None


def kernel_stages(stages: Sequence[Stage], n: int | None, prepared: bool, dialect: Dialect) -> KernelStages | None:
    """The stages over n features, or any number.

    None if the extension cannot write the statement: a stage is neither the kernel's nor a formula, or needs a number
    of features that is not known.
    """
    given: list[KernelStage] = []
    text: list[str] = []
    size = n = n or _fitted(stages)
    for stage in stages:
        for part in _formulas(stage, dialect):
            made = _kernel_stage(part, size, dialect)
            if made is not None:
                given.append(made)
                text.append(f"(given {made.facts})")
                size = made.outputs or size
            elif isinstance(part, str):
                text.append(f"(map '{part}')")
            else:
                return None
    if text and not text[0].startswith("(given"):
        return None
    return KernelStages(tuple(given), "".join(text), len(given) == len(text), n, prepared)


def _fitted(stages: Sequence[Stage]) -> int:
    """How many features the first fitted numbers are for; 0 if there are none."""
    appended = 0
    for stage in stages:
        if stage.n_inputs:
            return stage.n_inputs - appended
        if stage.n_outputs is not None:
            return 0
        appended += stage.appends
    return 0


def _formulas(stage: Stage, dialect: Dialect) -> list[Stage | str]:
    """The stage, or its formulas over @."""
    if not isinstance(stage, Elementwise):
        return [stage]
    return [written(formula, dialect, "@", DOUBLE) for formula in stage.formulas]


def _kernel_stage(part: Stage | str, n: int, dialect: Dialect) -> KernelStage | None:
    """A stage over n entries, or a formula, as an operation; None if there is none."""
    if isinstance(part, str):
        return _map(part, written(SignedRoot.formulas[0], dialect, "@", DOUBLE))
    return FORMS.of(part)(part, n)


def _map(formula: str, signed_root: str) -> KernelStage | None:
    """The signed root, a sum with a constant, or a power."""
    if formula == signed_root:
        return KernelStage("weights 0 0 1 1 1", 0, False, lambda _: code(ROOT))
    if plus := _PLUS.fullmatch(formula):
        return _power(float(plus[1]), 1)
    return _power(0.0, formula.count("@")) if _TIMES.fullmatch(formula) and len(formula) < 2 * MOST_DEGREE else None


def _power(add: float, degree: int) -> KernelStage:
    return KernelStage("weights 0 0 1 1 1", 0, False, lambda t: code(POWER, number(add, t), degree))


def _append(stage: AppendConstant, n: int) -> KernelStage:
    value = float(stage.value)
    return KernelStage(f"append {value!r}", n + 1, value.is_integer(), lambda t: code(APPEND, number(value, t)))


def _sums(stage: WeightedSums, _: int) -> KernelStage:
    k = stage.n_outputs
    kind, largest = "sums" if stage.signs else "weights", stage.largest if stage.exact else 1
    sums, entries = np.nonzero(stage.weights.T)
    weights = stage.weights.T[sums, entries]
    start = np.searchsorted(sums, np.arange(k + 1)).astype(np.int64)

    def operation(t: Any) -> bytes:
        base = np.zeros(k, dtype=t)
        if not stage.signs:
            return code(WEIGHTED, k, len(sums), start, base, weights.astype(t), entries.astype(np.int32))
        order = np.argsort(2 * sums + (weights < 0), kind="stable")  # those that are added stand first
        turn = start[:-1] + np.bincount(sums[weights > 0], minlength=k)
        return code(SUMS, k, len(sums), start, turn.astype(np.int64), base, entries[order].astype(np.int32))

    return KernelStage(f"{kind} {k} {int(stage.exact)} {largest} 1 1", k, stage.exact, operation)


def _products(stage: Products, _: int) -> KernelStage:
    k, weights = stage.n_outputs, stage.weights
    start = np.searchsorted(stage.components, np.arange(k + 1)).astype(np.int64)

    def operation(t: Any) -> bytes:
        tables = [] if weights is None else [weights.astype(t)]
        head = stage.factors.shape[1], int(weights is not None), k, len(stage.components)
        return code(PRODUCTS, *head, start, *tables, stage.factors.astype(np.int32))

    facts = f"products {k} {int(stage.exact)} 1 {stage.n_factors} {stage.most_terms}"
    return KernelStage(facts, k, stage.exact, operation)


def _rescale(stage: Rescale, n: int) -> KernelStage | None:
    if not n:
        return None
    offset, scale = stage.of(np.arange(n))
    return KernelStage("weights 0 0 1 1 1", 0, False, lambda t: code(RESCALE, offset.astype(t), scale.astype(t)))


def _normalise(_: Normalise, __: int) -> KernelStage:
    return KernelStage("weights 0 0 1 1 1", 0, False, lambda _: code(NORM))


FORMS: Forms[Callable[[Any, int], KernelStage | None]] = Forms(
    "in the kernel of DuckDB's extension",
    {
        AppendConstant: _append,
        WeightedSums: _sums,
        Products: _products,
        Rescale: _rescale,
        Normalise: _normalise,
    },
)
"""The stages of fitted and given projections as operations."""
