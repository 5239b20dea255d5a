"""Kernel: the rows pass, as lists, through a Python function over numpy that the connection calls by Arrow.

Not plain SQL: it runs only where this process has registered its functions, so it is never chosen, only asked for.
There is one function for each type of number, whatever the projection: a token in the query says which one is meant.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache, partial
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import SourceError
from sqlrp.core.numbers import FLOAT, Number
from sqlrp.core.script import Script
from sqlrp.lowering.endpoints import CLOSING, ended_array
from sqlrp.lowering.indexed import level, listed_rows
from sqlrp.lowering.job import Job
from sqlrp.stages import Linear, Stage, WeightedSums
from sqlrp.stages.evaluate import FORMS, Matrix, evaluate

_KEPT = 1_000
"""How many written jobs the process remembers: a view may call one long after it was written."""


@dataclass(frozen=True)
class _Written:
    """What the functions need to know of a job, and no more: many are kept."""

    stages: tuple[Stage, ...]
    n_features: int


_WRITTEN: OrderedDict[str, _Written] = OrderedDict()
_LOCK = Lock()

NOTE = "a function of this process over numpy, not plain SQL: the text runs on this connection's database only"


def kernel(job: Job) -> Script:
    """The job as one SELECT that calls a function of this process, which is to be registered by `register`."""
    engine = job.engine
    after = job.kinds[len(job.core)]
    kind = _type(job, after)
    relation, kept, guarded = listed_rows(job)
    token = hashlib.sha256(f"{job.projection.to_json()} {job.frame.n_features} {kind}".encode()).hexdigest()[:16]
    _remember(token, _Written(tuple(step.stage for step in job.core), job.frame.n_features or 0))
    # A row whose array is NULL stays a row: `ok` makes its outputs NULL.
    listed = engine.or_zeros("x", job.frame.n_features or 0, job.summing) if job.frame.layout == "array" else "x"
    value = f"{_name(kind)}({engine.string(token)}, CAST({listed} AS {kind}[]))"
    if kind in ("BIGINT", "VARCHAR"):
        value = engine.cast_array(value, after)
    return Script(ended_array(job, level(relation, kept, value), "x", guarded), kernel=True)


def _remember(token: str, written: _Written) -> None:
    """Keep what was written last; what was written long ago goes."""
    with _LOCK:
        _WRITTEN[token] = written
        _WRITTEN.move_to_end(token)
        while len(_WRITTEN) > _KEPT:
            _WRITTEN.popitem(last=False)


def refusal(job: Job) -> str:
    """Why the lowering does not hold for a job; empty where it does."""
    if not job.engine.has_kernel:
        return f"{job.engine.name} calls no functions of this process"
    if job.frame.layout == "long":
        return "long rows are joined with the signs, which is the relational lowering"
    if job.rescale is not None and job.frame.layout == "array":
        return "an array is not rescaled as it is read"
    grouping = next((step.stage for step in job.core if step.stage.groups), None)
    if grouping is not None:
        return f"{type(grouping).__name__} has no form in a function of single rows, but for the end of a pipeline"
    return FORMS.refusal([step.stage for step in job.core]) or CLOSING.refusal(job.closing)


def register(connector: Connector, connection: Any) -> None:
    """Let the connection's database call the functions. They stay, as another of its connections may be using them."""
    for kind, function in _FUNCTIONS.items():
        connector.add_function(connection, _name(kind), function, ["VARCHAR", f"{kind}[]"], f"{kind}[]")


def _name(kind: str) -> str:
    return f"sqlrp_kernel_{kind.lower()}"


def _type(job: Job, after: Number) -> str:
    """The type in which numbers reach the function and leave it: as text where numpy has none that is exact."""
    if not after.exact:
        return "FLOAT" if after == FLOAT and job.summing == FLOAT else "DOUBLE"
    numbers = job.kinds[: len(job.core) + 1]
    return "BIGINT" if all(n.kind == "int" and n.bits <= 53 for n in numbers) else "VARCHAR"


@lru_cache(maxsize=16)
def _drawn(token: str) -> tuple[tuple[Stage, ...], int]:
    """The stages with their tables drawn, and the number of features."""
    with _LOCK:
        written = _WRITTEN.get(token)
    if written is None:
        raise SourceError(
            f"sqlrp: the kernel {token} is not of the last {_KEPT:,} of this process, or was written in another "
            "process: write the text anew by sqlrp.sql, or use lowering = 'auto'"
        )
    numbers, stages = np.arange(written.n_features, dtype=np.int64), []
    for stage in written.stages:
        stages.append(WeightedSums(stage.matrix(numbers)) if isinstance(stage, Linear) else stage)
        numbers = stage.numbers(numbers)
    return tuple(stages), written.n_features


def _called(to: Callable[[Any], Matrix], back: Callable[[Matrix], pa.Array], tokens: Any, lists: Any) -> Any:
    """Project one list a row; a NULL list stays one, and a NULL within a list is 0, as the query knows such rows."""
    if not len(lists):
        return lists.combine_chunks()
    stages, d = _drawn(tokens[0].as_py())
    rows = lists.combine_chunks()
    there = rows.is_valid().to_numpy(zero_copy_only=False)
    x = to(rows.flatten()).reshape(-1, d)
    z = evaluate(stages, x, np.arange(d, dtype=np.int64))
    ends = np.cumsum(there, dtype=np.int32) * np.int32(z.shape[1])
    offsets = pa.array(np.concatenate([np.zeros(1, dtype=np.int32), ends]))
    return pa.ListArray.from_arrays(offsets, back(z.reshape(-1)), mask=pa.array(~there))


def _plain(values: pa.Array) -> Any:
    values = values if not values.null_count else pc.fill_null(values, 0)
    return values.to_numpy(zero_copy_only=False)


def _from_text(values: pa.Array) -> Matrix:
    """Decimals hold the integers as well, of any size."""
    return np.array([Decimal(v or 0) for v in values.to_pylist()], dtype=object)


def _to_text(z: Matrix) -> pa.Array:
    return pa.array([format(Decimal(v), "f") for v in z], pa.string())


def _exactly(tokens: Any, lists: Any) -> Any:
    with localcontext(prec=1000):
        return _called(_from_text, _to_text, tokens, lists)


_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "FLOAT": partial(_called, _plain, pa.array),
    "DOUBLE": partial(_called, _plain, pa.array),
    "BIGINT": partial(_called, lambda v: _plain(v).astype(np.float64), lambda z: pa.array(z.astype(np.int64))),
    "VARCHAR": _exactly,
}
"""The functions by the type of their numbers."""
