"""Measure sampled rows in this process: those of a dataframe, or those that a session fetches that may only read."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.draw import Ints
from sqlrp._core.errors import SourceError, StatementError
from sqlrp._core.numbers import WHOLE
from sqlrp._dialects.dialect import Column, ColumnType
from sqlrp._lowering import batches_sql
from sqlrp._lowering.evaluation import Evaluation, feature_rows
from sqlrp._lowering.job import Job
from sqlrp._projections.projection import Projection
from sqlrp._quality.apart import apart
from sqlrp._quality.measures import (
    Floats,
    Summary,
    bin_width,
    by_row,
    distortion,
    histogram,
    kernel_error,
    pair_regularity,
    ratios,
    shared_ranks,
    to_scale,
)
from sqlrp._quality.report import NOT_FINITE, SampleMeasures, rounding_of, too_few
from sqlrp._run.row_sample import Sample
from sqlrp._run.statistics import prepared_rows
from sqlrp.kernels import LINEAR

Mask = npt.NDArray[np.bool_]


def measured(job: Job, part: pa.Table, groups: Ints) -> SampleMeasures:
    """The measures of sampled rows, the same as those of `pairs.measure` in a database.

    `groups`: the group of each row, or its number if rows stand alone, in ascending order. Of cells: of each cell.
    """
    projection = job.projection
    x, missing, groups = _dense(job, part, groups) if job.frame.layout == "long" else (*feature_rows(part, job), groups)
    # A group with a NULL is left out, as its sums are NULL.
    whole = ~np.isin(groups, groups[missing])
    rows = prepared_rows(projection, x[whole])
    kept, groups = np.unique(groups[whole], return_inverse=True)
    if len(kept) < 3:
        raise SourceError(too_few(len(kept), job.grouped))
    values = Evaluation(job)(part).column("z").combine_chunks().flatten()
    z = values.to_numpy(zero_copy_only=False).astype(np.float64).reshape(len(kept), projection.k)
    estimated = projection.kernel()
    kernel = estimated.matrix(rows, groups) if job.grouped else estimated.matrix(rows)
    if not np.isfinite(np.diag(kernel) + (z * z).sum(axis=1)).all():
        raise SourceError(NOT_FINITE)
    before, rounding = apart(estimated, rows, groups=groups if job.grouped else None), rounding_of(job)
    true = before.pairs
    z = z if estimated.known else to_scale(z, true)
    c, reflected = pair_regularity(rows) if estimated.linear else (np.zeros(0), np.zeros(0))
    ratio, lost = ratios(z, true), distortion(z, true)
    return SampleMeasures(
        rows=len(kept),
        pairs=len(ratio),
        distortion=_summary(lost),
        ratio=_summary(ratio),
        kernel_error=kernel_error(z, kernel) if estimated.placed else None,
        shared_ranks=tuple(shared_ranks(before, apart(LINEAR, z, rounding=rounding), rounding).tolist()),
        ratio_histogram=histogram(ratio, bin_width(projection.k)),
        regularity=Summary.of(c) if c.size else None,
        reflected=Summary.of(reflected) if c.size else None,
        n_features=job.frame.n_features,
        by_row=by_row(len(kept), true > 0, lost, ratio),
        sizes=job.frame.sizes,
    )


def fetched(connector: Connector, session: Any, projection: Projection, drawn: Sample, lacks: str) -> SampleMeasures:
    """The measures of a sample that is fetched, as the session may make no temporary table. `lacks`: why."""
    engine, frame = drawn.engine, drawn.frame
    if frame.layout == "long" and frame.is_open:
        raise StatementError("", f"an open vocabulary is measured in temporary tables: {lacks}")
    query = drawn.query()
    if any(part.cast for part in frame.parts):  # a driver passes some types of vectors as text
        arrays = (f"{engine.stored_array(engine.quote(p.name), p.cast)} AS {engine.quote(p.name)}" for p in frame.parts)
        query = f"SELECT {drawn.row}, {', '.join(arrays)} FROM ({query}) drawn"
    number = Column(drawn.row, ColumnType(str(engine.type_name(WHOLE)), WHOLE))
    parts = tuple(replace(part, cast=None) for part in frame.parts)
    own = replace(frame, key=drawn.row, keep=(), passing=(number,), query=query, parts=parts, computed=(), whole=False)
    job = Job(projection, own, engine.reading(), "array")
    rows = connector.fetch(session, batches_sql.reading(job)).sort_by(drawn.row)
    return measured(job, rows, rows.column(drawn.row).to_numpy().astype(np.int64))


def _dense(job: Job, cells: pa.Table, rows: Ints) -> tuple[Floats, Mask, Ints]:
    """The cells of rows as rows, those with a NULL, and the rows' numbers."""
    feature, value = (cells.column(name) for name in job.frame.names)
    kept, at = np.unique(rows, return_inverse=True)
    x, d = np.zeros((len(kept), job.frame.width)), job.frame.width
    missing = np.zeros(len(kept), dtype=np.bool_)
    missing[at[value.is_null().to_numpy()]] = True
    numbers = feature.to_numpy().astype(np.int64)
    inside = (numbers >= 0) & (numbers < d)
    values = value.fill_null(0).to_numpy(zero_copy_only=False).astype(np.float64)
    np.add.at(x, (at[inside], numbers[inside]), values[inside])
    return x, missing, kept


def _summary(values: Floats) -> Summary:
    return Summary.of(values) if values.size else Summary(*[math.nan] * 5)


__all__ = ["fetched", "measured"]
