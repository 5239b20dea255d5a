"""Dataframes in memory: pandas, polars and pyarrow frames give frames of the same kind, without a database."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._core.errors import ParameterError, warn
from sqlrp._core.options import Options
from sqlrp._core.sources import How
from sqlrp._core.values import dataclass
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering.evaluation import Evaluation
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.job import Job
from sqlrp._projections.projection import Projection
from sqlrp._run.bind import cautions
from sqlrp._run.frames.arrow import arrow_of, held, is_simple, named, with_own
from sqlrp._run.frames.dataframes import DEFAULT_COLUMNS, FrameColumns, resolved, with_key
from sqlrp._run.frames.kinds import is_pandas, is_polars
from sqlrp._run.nulls import cautions_of_nulls, nulls_of_result
from sqlrp._run.same_bits import bits_of_result
from sqlrp._run.statistics import plain_frame

Mask = npt.NDArray[np.bool_]
Matrix = npt.NDArray[Any]


def without_lowering(lowering: str, what: str) -> None:
    """Raise ParameterError if a lowering was requested: data in memory is projected without SQL."""
    if lowering != "auto":
        raise ParameterError(f"lowering = {lowering!r} is for tables; {what} is projected in memory: leave it out")


@dataclass(frozen=True)
class FrameInput:
    """A dataframe with what its columns are, and how its features are scaled first, if they are."""

    frame: Any
    columns: FrameColumns = DEFAULT_COLUMNS
    how: How | None = None

    def project(self, projection: Projection, options: Options) -> Any:
        """A frame of the same kind with the projected rows."""
        without_lowering(options.lowering, "a dataframe")
        own = replace(self, frame=held(self.frame))
        said: list[str] = []
        if self.how is not None:
            projection, said = plain_frame(projection, own.frame, self.how, self.columns)
        table = arrow_of(own.frame)
        job = own.job(projection, table, options)
        warn(*said, *cautions(projection, job.frame))
        result, said = own.rows(job, table)
        warn(*said)
        return result

    def job(self, projection: Projection, table: pa.Table, options: Options) -> Job:
        """The job of the frame, which is `table` as Arrow has it."""
        return arrow_job(projection, table, options, with_key(self.frame, self.columns))

    def rows(self, job: Job, table: pa.Table, quiet: bool = False) -> tuple[Any, list[str]]:
        """The result of the job, and what to warn of unless it is `quiet`; key and keep pass through."""
        frame, said = self.frame, list[str]()
        if is_pandas(frame) and job.output == "columns" and not job.grouped and not job.result.exact:
            z, missing = Evaluation(job).rows(table)[1:]
            if not quiet and missing is not None:
                said = cautions_of_nulls(int(missing.sum()), len(frame), _nulls(table, job.frame))
            return _beside(frame, z, missing, job), said
        result = Evaluation(job)(_without_types(table, job))
        if not quiet:
            said = [*nulls_of_result(job, result, _nulls(table, job.frame)), *bits_of_result(job, result)]
        kept = [name for name in result.column_names if name in job.frame.kept]
        if not job.grouped:
            repeats = job.k if job.output == "long" else 1
            return with_own(frame, kept, result.drop_columns(kept), repeats, _whole(job, result)), said
        if is_pandas(frame):  # one row for each group
            return result.to_pandas(types_mapper=_whole(job, result)), said
        return sys.modules["polars"].from_arrow(result) if is_polars(frame) else result, said


def project_dataframe(projection: Projection, frame: Any, options: Options, columns: FrameColumns) -> Any:
    """Project a part of a lazy frame, without a warning."""
    part, table = FrameInput(frame, columns), arrow_of(frame)
    return part.rows(part.job(projection, table, options), table, quiet=True)[0]


def _without_types(table: pa.Table, job: Job) -> pa.Table:
    """The table, with numbers of rows in kept columns of types that Arrow computes little with.

    The columns of the result come from the frame. A group's key does not.
    """
    if job.grouped:
        return table
    for at, name in enumerate(table.column_names):
        if name in job.frame.kept and not is_simple(table.column(at).type):
            table = table.set_column(at, name, pa.array(np.arange(len(table))))
    return table


def _nulls(table: pa.Table, frame: Frame) -> dict[str, int]:
    """The number of NULLs in each column of features that has some."""
    return {name: n for name in frame.names if (n := table.column(name).null_count)}


def _whole(job: Job, result: pa.Table) -> Any:
    """How pandas holds words of bits of which some are NULL: floats would lose their last bits."""
    if job.output != "bits" or not result.column(job.output_names[0]).null_count:
        return None
    return {pa.int64(): sys.modules["pandas"].Int64Dtype()}.get


def _beside(frame: Any, z: Matrix, missing: Mask | None, job: Job) -> Any:
    """The kept columns of a pandas frame and the outputs, shape (k, rows), which are not copied."""
    if missing is not None:
        z[:, missing] = np.nan
    pandas, frame = sys.modules["pandas"], named(frame)
    values = pandas.DataFrame(z.T, columns=job.output_names, index=frame.index, copy=False)
    return pandas.concat([frame[list(job.frame.kept)], values], axis=1)


def arrow_job(
    projection: Projection, table: pa.Table, options: Options, columns: FrameColumns = DEFAULT_COLUMNS
) -> Job:
    """The job of projecting a pyarrow.Table, as the lowerings would see it."""
    frame = resolved(table, columns, projection.bound_to)
    return Job.of(projection, frame, ENGINES["duckdb"], options)


__all__ = ["FrameInput", "arrow_job", "project_dataframe", "without_lowering"]
