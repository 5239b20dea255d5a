"""Compiled: `sqlrp.lowering.evaluation` computes the rows in this process, without SQL.

Where nothing but the result outlives the call, the rows are read, evaluated and written in batches (`unstreamed` says
where this does not work), and the planner may choose it. Text that is asked for sends the rows as lists through a
Python function that the connection calls by Arrow. It runs only if this process has registered its functions. There
is one function for each type of number. A token in the query names the function's job.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
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
from sqlrp.core.script import Call, Script, Statement
from sqlrp.evaluator.backend import has_numba, loads
from sqlrp.lowering import streaming
from sqlrp.lowering.base import JOINED, Lowering
from sqlrp.lowering.endpoints import CLOSING, ended_array
from sqlrp.lowering.evaluation import Evaluation
from sqlrp.lowering.indexed import level, listed_rows
from sqlrp.lowering.job import Job
from sqlrp.stages import Stage
from sqlrp.stages.evaluate import FORMS, Matrix, evaluate

_INTEGER = 63
"""The most bits of an integer that is not one of Python's."""
_PYTHON, _NUMPY = 100, 4
"""How many times as long a term takes in Python's integers, and in numpy without numba, about."""
_PASSING = 1.4
"""How many times as fast as one thread two of them read: one scans, and one turns the rows into Arrow, about."""
_KEPT = 1_000
"""The number of jobs that the process remembers: a view may call one long after it was written."""

_CALLED: OrderedDict[str, Call] = OrderedDict()
"""The jobs by their tokens, at most `_KEPT` of them, the most recently registered last."""
_LOCK = Lock()


class Compiled(Lowering):
    """One SELECT that calls a function of this process; `register` adds the function to a connection."""

    name = "compiled"
    plain = False
    note = "a function of this process over numpy, not plain SQL: the text runs on this connection's database only"
    forms = FORMS

    def refusal(self, job: Job) -> str:
        """Why it cannot write the job as text; empty if it can."""
        if not job.dialect.has_callbacks:
            return f"{job.dialect.name} calls no functions of this process"
        return self.unwritten(job)

    def unwritten(self, job: Job) -> str:
        """Why the layout or a stage has no form; empty if all have one."""
        if job.frame.layout == "long":
            return JOINED
        if job.rescale is not None and job.frame.layout == "array":
            return "an array is not rescaled as it is read"
        grouping = next((step.stage for step in job.core if step.stage.groups), None)
        if grouping is not None:
            return f"{type(grouping).__name__} has no form in a function of single rows, but for the end of a pipeline"
        return FORMS.refusal([step.stage for step in job.core]) or CLOSING.refusal(job.closing)

    def unstreamed(self, job: Job) -> str:
        """Why it cannot evaluate the rows in this process in batches; empty if it can."""
        return streaming.refusal(job)

    def dots(self, job: Job) -> int:
        """The terms of stages whose weights are real numbers and never 0, which are matrix products."""
        return job.full_terms

    def shared(self, job: Job, part: str) -> float:
        """All threads evaluate any number of rows, and two of them bring the rows here."""
        threads = float(job.frame.threads or 1)
        if part in ("run", "dot"):
            return threads
        return min(threads, _PASSING) if part == "read" else super().shared(job, part)

    def _all_work(self, job: Job) -> dict[tuple[str, ...], float]:
        """As for every lowering, whether numba has to be loaded, and the rows that each part passes over."""
        work, layout = super()._all_work(job), job.frame.layout
        parts = streaming.expected_parts(job)
        return {
            **work,
            ("load",): float(loads(Evaluation.additions(job, job.frame.rows or 0))),
            **({("skip", layout): (parts - 1) * work["read", layout]} if parts > 1 else {}),
        }

    def terms(self, job: Job) -> int:
        """The number of terms for one row, more of them where they are not compiled."""
        great = any(number.exact and number.bits > _INTEGER for number in job.kinds)
        return job.evaluated_terms * (_PYTHON if great else 1 if has_numba() else _NUMPY)

    def lower(self, job: Job) -> Script:
        """The job as one SELECT, with the call to register before it runs."""
        dialect, n = job.dialect, job.frame.width
        after = job.kinds[len(job.core)]
        kind = _type(job, after)
        relation, kept, guarded = listed_rows(job)
        token = hashlib.sha256(f"{job.projection.to_json()} {job.frame.n_features} {kind}".encode()).hexdigest()[:16]
        # A row with a NULL array stays in the result: `ok` makes its outputs NULL.
        listed = dialect.or_zeros("x", n, job.summing) if job.frame.layout == "array" else "x"
        value = f"{_name(kind)}({dialect.string(token)}, CAST({listed} AS {kind}[]))"
        if kind in ("BIGINT", "VARCHAR"):
            value = dialect.cast_array(value, after)
        call = Call(token, tuple(step.stage for step in job.core), n)
        return Script(Statement(ended_array(job, level(relation, kept, value), "x", guarded)), calls=(call,))


def register(connector: Connector, connection: Any, calls: Sequence[Call] = ()) -> None:
    """Let the connection's database call the functions, and let the functions find the jobs of the calls.

    If there are too many jobs, the oldest are forgotten. The functions stay registered, because another connection of
    the database may be using them.
    """
    with _LOCK:
        for call in calls:
            _CALLED[call.token] = call
            _CALLED.move_to_end(call.token)
        while len(_CALLED) > _KEPT:
            _CALLED.popitem(last=False)
    functions = {
        _name(kind): (function, ["VARCHAR", f"{kind}[]"], f"{kind}[]") for kind, function in _FUNCTIONS.items()
    }
    connector.add_functions(connection, functions)


def _name(kind: str) -> str:
    return f"sqlrp_compiled_{kind.lower()}"


def _type(job: Job, after: Number) -> str:
    """The type of numbers that enter and leave the function: text if numpy has no exact type for them."""
    if not after.exact:
        return "FLOAT" if after == FLOAT and job.summing == FLOAT else "DOUBLE"
    numbers = job.kinds[: len(job.core) + 1]
    return "BIGINT" if all(n.kind == "int" and n.bits <= 53 for n in numbers) else "VARCHAR"


@lru_cache(maxsize=16)
def _drawn(token: str) -> tuple[tuple[Stage, ...], int]:
    """The stages with their tables drawn, and the number of features."""
    with _LOCK:
        call = _CALLED.get(token)
    if call is None:
        raise SourceError(
            f"sqlrp: the compiled job {token} is not of the last {_KEPT:,} of this process, or was written in another "
            "process: write the text again with sqlrp.sql, or use lowering = 'auto'"
        )
    numbers, stages = np.arange(call.n_features, dtype=np.int64), []
    for stage in call.stages:
        stages.append(stage.drawn(numbers))
        numbers = stage.numbers(numbers)
    return tuple(stages), call.n_features


def _called(to: Callable[[Any], Matrix], back: Callable[[Matrix], pa.Array], tokens: Any, lists: Any) -> Any:
    """Project one list per row. A NULL list stays NULL. A NULL in a list counts as 0; the query finds such rows."""
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
    """Read the texts as decimals, which hold integers of any size too."""
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
"""The functions by their type of number."""
