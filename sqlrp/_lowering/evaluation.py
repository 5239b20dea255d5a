"""Evaluation of a job in this process: Arrow rows in, Arrow rows out, without SQL."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._core.draw import Ints, P, hash_name
from sqlrp._core.errors import SourceError
from sqlrp._core.numbers import BYTE, FLOAT, Number
from sqlrp._evaluator import FORMS, MatrixRows, Program, Source, TableColumns, program, run
from sqlrp._evaluator.results import array, arrays, listed, numpy_type, words
from sqlrp._evaluator.sparse_rows import Cells, FilledCells, FirstSums, first_sums, refusal
from sqlrp._evaluator.tile_sources import Prepare, codes, float_read, list_rows, numbers, rounded, unit_read, whole_read
from sqlrp._lowering.endpoints import wrong_length
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.job import NULL_MESSAGE, Job, null_message
from sqlrp._stages import AppendConstant, Stage

Mask = npt.NDArray[np.bool_]
Matrix = npt.NDArray[Any]


class Evaluation:
    """A job, ready to be evaluated on batches of its source's rows.

    Call it with a batch, which holds the key, the kept columns and the columns of the features: wide features, an
    array, or the feature and the value of cells. It returns the key, the kept columns and the outputs of the batch.
    Rows keep their order; cells give one row for each key, in the order of appearance. If the job sums groups, or reads
    cells, a batch must hold all rows of a key. It can be called from several threads, and pickled.
    """

    def __init__(self, job: Job, threads: int | None = None) -> None:
        """Take the job, whose tables are drawn when the first batch comes. `threads`: all cores by default."""
        self.job, self.threads = job, threads

    def __getstate__(self) -> dict[str, Any]:
        """The job without what was drawn for it."""
        return {"job": self.job, "threads": self.threads}

    @staticmethod
    def refusal(job: Job) -> str:
        """Why a job cannot be evaluated; empty if it can."""
        frame = job.frame
        reason = FORMS.refusal(job.stages)
        if not reason and frame.layout == "long":
            reason = refusal(job.stages, frame.n_features, frame.text_features)
        return reason

    def __call__(self, batch: pa.Table) -> pa.Table:
        """The projected rows of a batch."""
        batch, z, missing = self.rows(batch)
        return _shaped(self.job, batch, z, missing)

    def rows(self, batch: pa.Table) -> tuple[pa.Table, Matrix, Mask | None]:
        """The key and the kept columns of the result's rows, their outputs, and which rows are NULL (None: none).

        The outputs have the shape (k, rows) if the job's output is "columns", otherwise (rows, k).
        """
        job = self.job
        if job.frame.layout == "long":
            return self._cells(batch)
        source, missing = self._wide(batch) if job.frame.layout == "wide" else self._arrays(batch)
        groups = None
        kept = batch.select(list(job.frame.kept))
        if job.grouped:
            groups, keys = codes(batch.column(str(job.frame.key)))
            kept = pa.table({str(job.frame.key): keys})
        z = self._run(source, groups)
        gone = missing()
        if job.nulls == "error" and gone.any():
            raise SourceError(self._first_null(batch))
        if groups is not None:
            rows, gone = gone, np.zeros(kept.num_rows, dtype=bool)
            gone[groups[rows]] = True
        return kept, z, gone if job.nulls == "propagate" and gone.any() else None

    def schema(self, batch: pa.Schema) -> pa.Schema:
        """The schema of the result for batches of a schema."""
        none = [pa.nulls(0, field.type) for field in batch]  # Schema.empty_table would import pandas, which takes long
        return self(pa.Table.from_arrays(none, schema=batch)).schema

    def _first_null(self, batch: pa.Table) -> str:
        """The message for the first NULL of a batch, column by column."""
        frame = self.job.frame
        for name in frame.names if frame.layout != "long" else frame.names[1:]:
            column = batch.column(name)
            gone = column.is_null()
            if frame.layout == "array" and not column.null_count:
                cells = pa.chunked_array([chunk.flatten().is_null() for chunk in column.chunks], pa.bool_())
                # The floor of a negative number is negative too: -1 stands for no NULL.
                at = cells.index(True).as_py() // max(len(cells) // max(len(column), 1), 1)
            else:
                at = gone.index(True).as_py()
            if at >= 0:
                return null_message(name, frame.key, frame.key and batch.column(frame.key)[at].as_py())
        return NULL_MESSAGE

    # -- the parts ---------------------------------------------------------------------------

    @cached_property
    def dtypes(self) -> list[Any]:
        """The type of the entries before the first stage and after each.

        Whole numbers are floats as long as floats hold them exactly, then 64-bit integers, then Python's.
        """
        bits = max((n.bits for n in self.job.kinds if n.exact), default=0)
        exact = next((t for most, t in ((24, np.float32), (53, np.float64), (63, np.int64)) if bits <= most), object)
        whole = [n.kind == "int" or (n.exact and self._in_units) for n in self.job.kinds]
        kinds = zip(self.job.kinds, whole, strict=True)
        return [exact if w else np.float32 if n == FLOAT else np.float64 for n, w in kinds]

    @property
    def _in_units(self) -> bool:
        """Whether decimals are computed as whole numbers of units of their last digit: if the result is a decimal."""
        return self.job.kinds[-1].kind == "decimal"

    @cached_property
    def _stages(self) -> tuple[Stage, ...]:
        """The stages, with constants in units."""
        if not self._in_units:
            return self.job.stages
        unit = 10 ** self.job.kinds[0].digits
        return tuple(AppendConstant(s.appended * unit) if s.appends else s for s in self.job.stages)

    @cached_property
    def _prepare(self) -> Prepare:
        """How columns of features are read."""
        if self._in_units:
            return unit_read(self.job.kinds[0].digits, self.job.kinds[0].bits)
        return whole_read if self.dtypes[0] is object else float_read

    @cached_property
    def program(self) -> Program:
        """The program over wide rows and arrays."""
        whole = [n.exact for n in self.job.kinds[1:]]
        return program(self._stages, self.job.frame.feature_numbers, self.dtypes, whole, self.job.factor)

    def _run(self, source: Source, groups: Ints | None = None, program: Program | None = None) -> Matrix:
        job = self.job
        by_rows = job.output != "columns"  # bits are packed row by row
        kind = _computed(job).arrow_type
        dtype = np.dtype(np.int64) if pa.types.is_decimal(kind) else numpy_type(kind)  # of decimals the units
        return run(program or self.program, source, by_rows, dtype, groups, self.threads)

    def _wide(self, batch: pa.Table) -> tuple[TableColumns, Any]:
        job = self.job
        rescale = job.rescale
        fill = None if rescale is None else rescale.of(job.frame.feature_numbers)[0]  # 0 after rescaling
        source = TableColumns(batch, job.frame.names, fill, self._prepare)
        if job.nulls == "error" and source.has_null:
            raise SourceError(self._first_null(batch))
        return source, lambda: source.missing

    def _arrays(self, batch: pa.Table) -> tuple[MatrixRows, Any]:
        job = self.job
        x, absent, gone = array_rows(batch, job.frame, self._prepare)
        if absent is not None and job.rescale is not None:
            x = np.where(absent, job.rescale.of(job.frame.feature_numbers)[0], x)
        return MatrixRows(x), lambda: gone

    def _cells(self, batch: pa.Table) -> tuple[pa.Table, Matrix, Mask | None]:
        job, frame = self.job, self.job.frame
        feature, value = frame.names
        places, keys = codes(batch.column(str(frame.key)))
        values, absent = self._values(batch.column(value))
        cells = Cells.of(places, len(keys), self._numbers(batch.column(feature)), values)
        gone = np.zeros(len(keys), dtype=bool)
        if absent is not None:
            if job.nulls == "error":
                raise SourceError(self._first_null(batch))
            gone[places[absent]] = True
        source, rest = self._first(cells)
        z = self._run(source, program=rest)
        return pa.table({str(frame.key): keys}), z, gone if job.nulls == "propagate" and gone.any() else None

    @cached_property
    def _first_sums(self) -> tuple[FirstSums, Program] | None:
        """The first sums, and the program after them; None if no stage sums cells."""
        job, frame, at = self.job, self.job.frame, first_sums(self.job.stages)
        if at is None:
            return None
        done, numbers = at + 1, job.stages[at].numbers(np.zeros(0, dtype=np.int64))
        whole = [n.exact for n in job.kinds[done + 1 :]]
        rest = program(self._stages[done:], numbers, self.dtypes[done:], whole, job.factor)
        return FirstSums(self._stages[:done], frame.n_features, frame.text_features), rest

    def _first(self, cells: Cells) -> tuple[Source, Program]:
        """The cells up to the first sums, and the program after them."""
        if self._first_sums is None:
            return FilledCells(cells, self.job.frame.width), self.program
        sums, rest = self._first_sums
        return sums.source(cells), rest

    def _values(self, column: pa.ChunkedArray) -> tuple[Matrix, Mask | None]:
        """The values of cells, 0 for NULL, and which are NULL (None: none)."""
        absent = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
        if absent is not None:
            column = column.fill_null(False if pa.types.is_boolean(column.type) else 0)
        values = numbers(self._prepare(column))
        kept = self.dtypes[0] if self.dtypes[0] in (object, np.int64) else np.float64
        return values.astype(kept, copy=False), absent

    def _numbers(self, column: pa.ChunkedArray) -> Ints:
        """The feature number of each cell; -1 for NULL."""
        import pyarrow.compute as pc  # here, as its import takes long and only long rows need it

        frame = self.job.frame
        if frame.text_features:
            at, names = codes(column)
            hashed = [-1 if name is None else hash_name(name) for name in names.to_pylist()]
            return np.array(hashed, dtype=np.int64)[at] if hashed else np.zeros(0, dtype=np.int64)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        last = (frame.n_features or P - 2) - 1
        bounds = pc.min_max(column).as_py()
        if bounds["min"] is not None and not 0 <= bounds["min"] <= bounds["max"] <= last:
            said = f"sqlrp: a feature in {frame.names[0]!r} is outside 0 ... {last}"
            raise SourceError(f"{said}: positions count from 0; raise n_features")
        return np.asarray(column.cast(pa.int64()).fill_null(-1).to_numpy(), dtype=np.int64)


def array_rows(table: pa.Table, frame: Frame, prepare: Prepare = float_read) -> tuple[Matrix, Mask | None, Mask]:
    """The elements of the array columns, shape (rows, features), 0 for NULL; which are NULL (None: none), by row too.

    Raises SourceError for a list of another length.
    """
    columns = [table.column(part.name) for part in frame.parts]
    if len(columns) > 1 and any(column.null_count for column in columns):
        # One array that is NULL makes the array of all columns NULL.
        null = np.logical_or.reduce([column.is_null().to_numpy() for column in columns])
        columns = [column.take(pa.array(np.arange(len(null)), mask=null)) for column in columns]
    read = [
        list_rows(column, part.size, wrong_length(part), prepare)
        for column, part in zip(columns, frame.parts, strict=True)
    ]
    if len(read) == 1:
        return read[0]
    x, gone = np.concatenate([x for x, _, _ in read], axis=1), np.logical_or.reduce([rows for _, _, rows in read])
    if all(absent is None for _, absent, _ in read):
        return x, None, gone
    return (
        x,
        np.concatenate([np.zeros(x.shape, bool) if cells is None else cells for x, cells, _ in read], axis=1),
        gone,
    )


def feature_rows(table: pa.Table, job: Job) -> tuple[npt.NDArray[np.float64], Mask]:
    """The features as float64, shape (rows, features), 0 for NULL, and which rows have a NULL; not of cells.

    For a projection that fills NULL, NULL is what it becomes, and no row has one.
    """
    fill = job.rescale.of(job.frame.feature_numbers)[0] if job.projection.fills and job.rescale is not None else None
    if job.frame.layout == "array":
        x, absent, gone = array_rows(table, job.frame)
        if fill is not None and absent is not None:
            x, gone = np.where(absent, fill, x), np.zeros(len(x), dtype=bool)
        return np.asarray(x, dtype=np.float64), gone
    source = TableColumns(table, job.frame.names, fill)
    tile = np.empty((source.features, source.rows))
    for at, n in source.pieces(max(source.rows, 1)):
        part = np.empty((source.features, n))
        source.read(at, n, part, None)
        tile[:, at : at + n] = part
    return np.ascontiguousarray(tile.T), source.missing if fill is None else np.zeros(source.rows, dtype=bool)


def _computed(job: Job) -> Number:
    """The kind of the outputs until they are shaped: exact numbers stay exact."""
    return job.result if job.result.exact or job.output == "bits" or job.written == BYTE else job.written


def _shaped(job: Job, kept: pa.Table, z: Matrix, missing: Mask | None) -> pa.Table:
    """The result from the outputs, in the shape that the job asks for."""
    kind, written = _computed(job).arrow_type, job.written.arrow_type
    out = {name: kept.column(name) for name in job.frame.kept}
    if job.output == "columns":
        columns = arrays(z, kind, missing)
        columns = columns if kind == written else [rounded(column, written) for column in columns]
        return pa.table({**out, **dict(zip(job.output_names, columns, strict=True))})
    if job.output == "bits":
        return pa.table({**out, **dict(zip(job.output_names, arrays(words(z), written, missing), strict=True))})
    if job.shape == "array":
        flat = rounded(array(z.reshape(-1), kind), written)
        mask = None if missing is None else pa.array(missing)
        return pa.table({**out, "z": pa.FixedSizeListArray.from_arrays(flat, job.k, mask=mask)})
    rows, component, values, absent = listed(z, missing, job.sparse_result)
    out = {name: column.take(pa.array(rows)) for name, column in out.items()}
    value = rounded(array(values, kind, absent), written)
    return pa.table({**out, "component": pa.array(component), "value": value})
