"""Evaluation of a job in this process: Arrow rows in, Arrow rows out, without SQL."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sqlrp.core.draw import Ints
from sqlrp.core.errors import SourceError
from sqlrp.core.numbers import DOUBLE, FLOAT, Number
from sqlrp.lowering.job import NULL_MESSAGE, Job
from sqlrp.stages.evaluate import Matrix, evaluate

Mask = npt.NDArray[np.bool_]


class Evaluation:
    """A job, ready to be evaluated on batches of its source's rows.

    Call it with a batch, which holds the key, the kept columns and the features of a wide source. It returns the key,
    the kept columns and the outputs of the batch, in the same order. A job that sums groups needs all rows of a group
    in one batch.
    """

    def __init__(self, job: Job) -> None:
        """Take the job, whose tables are drawn when the first batch comes."""
        self.job = job

    def __call__(self, batch: pa.Table) -> pa.Table:
        """The projected rows of a batch."""
        job = self.job
        x, missing = matrix(batch, job)
        groups = None
        if job.grouped:
            batch, groups, missing = _groups(batch, str(job.frame.key), missing)
        z = evaluate(job.stages, x, job.frame.feature_numbers, groups)
        if job.factor is not None:
            z = z.astype(np.float64 if job.result == DOUBLE else np.float32) * z.dtype.type(job.factor)
            z = z.astype(np.float32) if job.result == FLOAT else z
        return _shape(job, batch, z, missing if job.nulls == "propagate" else np.zeros(len(z), dtype=bool))


def _groups(table: pa.Table, key: str, missing: Mask) -> tuple[pa.Table, Ints, Mask]:
    """The values of the key in order of appearance, the group of each row, and which groups contain a NULL."""
    encoded = table.column(key).combine_chunks().dictionary_encode(null_encoding="encode")
    groups = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    gone = np.zeros(len(encoded.dictionary), dtype=bool)
    gone[groups[missing]] = True
    return pa.table({key: encoded.dictionary}), groups, gone


def matrix(table: pa.Table, job: Job) -> tuple[Matrix, Mask]:
    """The features as one array of the job's kind of numbers, and which rows contain a NULL."""
    base = job.kinds[0]
    names = job.frame.names
    missing = np.zeros(table.num_rows, dtype=bool)
    x = np.zeros((table.num_rows, len(names)), dtype=_dtype(job, base))
    for j, name in enumerate(names):
        column = table.column(name)
        absent = None
        if column.null_count:
            absent = pc.is_null(column).to_numpy(zero_copy_only=False)
            missing |= absent
            column = pc.fill_null(column, False if pa.types.is_boolean(column.type) else 0)
        if x.dtype == object:
            x[:, j] = [int(v) for v in column.to_pylist()]
        else:
            x[:, j] = (
                column.cast(pa.float64()).to_numpy()
                if pa.types.is_decimal(column.type)
                else column.to_numpy(zero_copy_only=False)
            )
        if absent is not None and job.rescale is not None:
            x[absent, j] = job.rescale.offset[j]  # 0 after rescaling
    if missing.any() and job.nulls == "error":
        raise SourceError(NULL_MESSAGE)
    return x, missing


def _dtype(job: Job, base: Number) -> Any:
    if base.exact:
        return np.float64 if base.kind == "decimal" or all(n.bits <= 53 for n in job.kinds if n.exact) else object
    return np.float32 if base == FLOAT else np.float64


def _shape(job: Job, table: pa.Table, z: Matrix, missing: Mask) -> pa.Table:
    kind = _arrow_type(job)
    out = {name: table.column(name) for name in job.frame.kept}
    mask = missing if missing.any() else None
    if job.output == "columns":
        values = [_column(z[:, c], kind, mask) for c in range(job.k)]
        return pa.table({**out, **dict(zip(job.output_names, values, strict=True))})
    if job.output == "array":
        flat = _column(z.reshape(-1), kind, None)
        array = pa.FixedSizeListArray.from_arrays(flat, job.k, mask=None if mask is None else pa.array(mask))
        return pa.table({**out, "z": array})
    rows = np.repeat(np.arange(len(z)), job.k)
    out = {name: column.take(pa.array(rows)) for name, column in out.items()}
    component = pa.array(np.tile(np.arange(job.k, dtype=np.int64), len(z)))
    value = _column(z.reshape(-1), kind, None if mask is None else np.repeat(mask, job.k))
    return pa.table({**out, "component": component, "value": value})


def _column(values: Matrix, kind: pa.DataType, mask: Any) -> pa.Array:
    if pa.types.is_integer(kind) and values.dtype != object:
        values = values.astype(np.int64)
    if pa.types.is_decimal(kind):
        return pa.array([None if mask is not None and mask[i] else int(v) for i, v in enumerate(values)], type=kind)
    return pa.array(values, type=kind, mask=mask)


def _arrow_type(job: Job) -> pa.DataType:
    number = job.result
    if not number.exact or number.kind == "decimal":
        return pa.float32() if number == FLOAT else pa.float64()
    if number.bits <= 63:
        return pa.int32() if number.bits <= 31 else pa.int64()
    return pa.decimal128(38, 0) if number.bits <= 126 else pa.decimal256(76, 0)
