"""The evaluation of a job in other processes: a task that reads record batches and gives record batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from sqlrp._core import native_library
from sqlrp._evaluator.tile_sources import codes
from sqlrp._lowering.evaluation import Evaluation
from sqlrp._lowering.job import Job
from sqlrp._projections.fixed_stages import FixedStages
from sqlrp._stages import Stage

_PACKAGE = __name__.partition(".")[0]
_ENTRIES = 1 << 22
"""The most features or components of the rows that are evaluated at a time: 32 MB of them."""
_CELLS = 1 << 18
"""The number of cells that are read before their rows are evaluated."""


def refusal(job: Job) -> str:
    """Why another process cannot evaluate the job; empty if it can."""
    foreign = next((stage for stage in _stages(job) if not _own(stage)), None)
    return "" if foreign is None else f"the workers do not know the stage {type(foreign).__name__}"


def portable(job: Job) -> Job:
    """The same job, without its dialect and the class of its method: their modules need not travel."""
    fixed = FixedStages(job.k, made=_stages(job), constant=job.projection.factor(job.frame.n_features))
    found = replace(job, projection=fixed, frame=replace(job.frame, passing=(), left_out=()))
    # What depends on the dialect is computed already.
    found.__dict__.update(
        kinds=job.kinds, factor=job.factor, written=job.written, single_code=job.single_code, dialect=None
    )
    return found


def _stages(job: Job) -> tuple[Stage, ...]:
    """The stages. Weights are drawn if their stage is not one of this package's."""
    numbers, stages = job.frame.feature_numbers, []
    for stage in job.stages:
        stages.append(stage if _own(stage) else stage.drawn(numbers))
        numbers = stage.numbers(numbers)
    return tuple(stages)


def _own(stage: Stage) -> bool:
    return type(stage).__module__.partition(".")[0] == _PACKAGE


class Task:
    """Call it with an iterator of record batches of the source; it gives the record batches of the result.

    The columns are the key, the kept ones and those of the features, under any names. If rows with the same key belong
    together, the batches must be sorted by the key.
    """

    def __init__(self, job: Job, key: str | None) -> None:
        """Take the job, and the key. The tables are drawn in the process that evaluates the first batch."""
        self.evaluation = Evaluation(portable(job), threads=1)  # the engine starts one process for each core
        self.key = key
        self.library = native_library.copy()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Use the native library that travelled, if it runs in this process."""
        self.__dict__.update(state)
        native_library.receive(self.library)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The projected rows, computed as they are asked for."""
        for part in self.parts(batches):
            yield from _plain(self.evaluation(part), len(self.evaluation.job.frame.kept)).to_batches()

    def parts(self, batches: Iterable[pa.RecordBatch], more: Sequence[str] = ()) -> Iterator[pa.Table]:
        """The source's rows in tables of a bearable size. `more`: the columns that follow those of the features."""
        job = self.evaluation.job
        width = max(job.frame.width if job.frame.layout != "long" else 1, job.k)
        most = max(_ENTRIES // width, 1)
        names = [*job.frame.kept, *job.frame.names, *more]
        tables = (pa.Table.from_batches([batch]).rename_columns(names) for batch in batches)
        read = _CELLS if job.frame.layout == "long" else most
        yield from _pieces(tables, most) if self.key is None else _keys(tables, self.key, read, most)


def _pieces(tables: Iterable[pa.Table], most: int) -> Iterator[pa.Table]:
    """The rows in tables of at most `most` rows."""
    for table in tables:
        for at in range(0, table.num_rows, most):
            yield table.slice(at, most)


def _keys(tables: Iterable[pa.Table], key: str, read: int, most: int) -> Iterator[pa.Table]:
    """The rows in tables that end where a key ends, of about `read` rows and at most `most` keys."""
    waiting: list[pa.Table] = []
    enough = read
    for table in tables:
        waiting.append(table)
        if sum(part.num_rows for part in waiting) < enough:
            continue
        whole = pa.concat_tables(waiting)
        numbers = _numbers(whole, key)
        end = int(np.searchsorted(numbers, numbers[-1]))
        yield from _split(whole.slice(0, end), numbers[:end], most)
        waiting = [whole.slice(end)]
        enough = read if end else 2 * whole.num_rows  # one key with many rows is not read again for every batch
    if waiting:
        whole = pa.concat_tables(waiting)
        yield from _split(whole, _numbers(whole, key), most)


def _numbers(table: pa.Table, key: str) -> Any:
    """The number of each row's key, ascending from 0, as the rows are sorted."""
    return codes(table.column(key))[0]


def _split(table: pa.Table, numbers: Any, most: int) -> Iterator[pa.Table]:
    """Parts of at most `most` keys."""
    if not table.num_rows:
        return
    starts = np.searchsorted(numbers, np.arange(0, int(numbers[-1]) + 1, most)).tolist()
    for start, end in zip(starts, [*starts[1:], table.num_rows], strict=True):
        yield table.slice(start, end - start)


def _plain(table: pa.Table, kept: int) -> pa.Table:
    """The outputs, after the first `kept` columns, as the types that engines read: lists of any size, 38 digits."""
    fields = [(f.name, f.type if i < kept else _plain_type(f.type)) for i, f in enumerate(table.schema)]
    return table.cast(pa.schema(fields))


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    return pa.decimal128(38, kind.scale) if pa.types.is_decimal(kind) else kind
