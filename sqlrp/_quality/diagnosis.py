"""`sqlrp.diagnose`, which measures a projection on its data and returns a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
import pyarrow as pa

from sqlrp._connectors.foresight import foreseen
from sqlrp._core.draw import Ints
from sqlrp._core.errors import ParameterError, SourceError, shorten, warn
from sqlrp._core.options import Options
from sqlrp._core.sources import Source, as_source
from sqlrp._evaluator.tile_sources import codes
from sqlrp._projections.checks import check_whole
from sqlrp._projections.projection import Projection, checked
from sqlrp._quality import sample_measures
from sqlrp._quality.here import measured
from sqlrp._quality.kept_search import SearchReport, diagnosed
from sqlrp._quality.report import Report, SampleMeasures, check_kernel
from sqlrp._run.bind import cautions
from sqlrp._run.frames.arrow import arrow_of
from sqlrp._run.frames.dataframes import FrameColumns, key_of
from sqlrp._run.frames.kinds import is_dataframe, without_connection
from sqlrp._run.frames.lazy import rows_of
from sqlrp._run.frames.memory_frames import arrow_job
from sqlrp._run.row_sample import keys_of, sampled_rows
from sqlrp._run.statistics import plain


@overload
def diagnose(
    projection: str, source: Any, connection: None = None, *, sample: int = 500, at: int = 5
) -> SearchReport: ...


@overload
def diagnose(
    projection: Projection,
    source: Source | str | Any,
    connection: Any = None,
    *,
    sample: int = 500,
    at: int = 5,
    seeds: int = 1,
    key: str | None = "id",
    keep: Sequence[str] = (),
) -> Report: ...


@foreseen
def diagnose(
    projection: Projection | str,
    source: Source | str | Any,
    connection: Any = None,
    *,
    sample: int = 500,
    at: int = 5,
    seeds: int = 1,
    key: str | None = "id",
    keep: Sequence[str] = (),
) -> Report | SearchReport:
    """Measure how well a projection keeps the distances and neighbours of a sample of rows, or what a search finds.

    `sqlrp.diagnose("docs_codes", con)` takes a table that `materialize` made, or a function that `create_search` made,
    by its name, and the connection in the place of the source. It searches for `sample` rows of the table as `search`
    does, and compares the `at` rows found with the nearest of all rows, which the database reads once for each of them:
    lower `sample` for a large table. The `SearchReport` has the recall by the number of candidates, each with an
    interval of 95%, and says which number finds 95% and 99%. The candidates are those with the smallest estimated
    distances, for a function with `sure`, too.

    With a connection, the database draws, projects and compares the sample in temporary tables, and drops them again.
    Only the measures leave it. Without a connection, `source` is a dataframe, and numpy compares the rows. The columns
    `key` ("id" by default; None for a frame without one) and `keep` are not features.

    The sample consists of the rows whose keys have the smallest hashes under the projection's seed, as in `sqlrp.fit`.
    Without a key, row numbers are used. Every engine and a dataframe give the same sample. Rows with
    a NULL are left out. For a method that learns it is another sample than the one it learnt from. The time grows with
    sample² times the features that two rows share: 500 rows of 784 features take a few seconds in DuckDB.

    The distances before are those of the projection's `kernel`, which the report names. For a method that sums groups,
    such as `BilinearPooling`, the sample is of groups, and the measures are of the plain sums, before the signed root
    and the norm. If a method names no kernel (`sqlrp.kernels.Unknown`), the distances before are those of the rows, and
    those after are first multiplied by one factor, as their scale is not known. If two neighbours have the same
    distance, either may be the nearer one: recall and Q_NX are expected values.

    `seeds`: 2 or more also draws the projection from the next seeds, and measures each on the same rows.
    `Report.by_seed` has their mean distortions: the sample's interval says nothing of another draw of the projection.

    For a `Standardized` source, or a projection that `sqlrp.fit` made from one, the distances before are those of the
    scaled rows.

    Raises ParameterError unless sample ≥ 3, 1 ≤ at ≤ rows - 1 and seeds ≥ 1, for more seeds of a method that learns or
    is given, or for groups whose kernel is not known. Raises
    SourceError for fewer than 3 rows without NULL, rows that are all equal, or distances that are not finite. Also
    raises the errors of `sqlrp.project`.

        >>> found = sqlrp.diagnose(rp, "points", con)
        >>> round(found.distortion.mean, 2), round(found.recall, 2)
        (0.26, 0.59)
    """
    if isinstance(projection, str):
        check_whole("sample", sample, 3)
        check_whole("at", at, 1)
        if connection is not None or seeds != 1 or key != "id" or keep:
            raise ParameterError(
                f"{shorten(projection)} is not a projection; a kept table needs its name and a connection alone: "
                "sqlrp.diagnose('docs_codes', con)"
            )
        return diagnosed(projection, source, sample, at)
    projection = checked(projection)
    check_whole("sample", sample, 3)
    check_whole("at", at, 1, sample - 1, why=", the other rows of the sample")
    check_whole("seeds", seeds, 1)
    source = rows_of(source)
    projection, source = plain(projection, source, connection, FrameColumns(key, keep))
    first = projection.unprepared.sampling_seed
    drawn = [projection, *(projection.reseeded(first + i) for i in range(1, seeds))]
    seed, all_drawn = projection.measuring_seed, [each.estimating() for each in drawn]
    if is_dataframe(source):
        if connection is not None:
            raise ParameterError("a dataframe needs no connection: leave it out, or pass a table's name")
        with np.errstate(over="ignore", invalid="ignore"):  # NaN and infinity raise an error below
            table, asked = arrow_of(source), key
            key = key_of(source, key)
            keys = keys_of(source, table, None, asked)
            found = [_measure(each, table, sample, seed, key, keep, keys) for each in all_drawn]
    elif key != "id" or keep:
        raise ParameterError("key and keep are for dataframes; a table's stand in its source: Wide(table, key, keep=…)")
    elif connection is None:
        raise without_connection(source)
    else:
        found = [sample_measures.measure(each, as_source(source), connection, sample, seed) for each in all_drawn]
    if not found[0].pairs:
        raise SourceError(f"the {found[0].rows} sampled rows are all alike: there is no distance to keep; raise sample")
    projection = projection.over_arrays(found[0].sizes)
    return Report.of(projection, found[0], at, tuple(each.distortion.mean for each in found))


def _measure(
    projection: Projection,
    table: pa.Table,
    sample: int,
    seed: int,
    key: str | None,
    keep: Sequence[str],
    keys: pa.ChunkedArray | None,
) -> SampleMeasures:
    """The measures of a table in memory, the same as those of `sample_measures.measure` in a database."""
    job = arrow_job(projection, table, Options(output="array"), FrameColumns(key, keep))
    projection = job.projection
    warn(*cautions(projection, job.frame))
    check_kernel(projection, job.grouped)
    if job.frame.key is not None:
        keys = table.column(job.frame.key)
    at, groups = _drawn(table, keys, sample, seed, job.grouped)
    return measured(job, table.take(pa.array(at)), groups)


def _drawn(table: pa.Table, keys: pa.ChunkedArray | None, sample: int, seed: int, grouped: bool) -> tuple[Ints, Ints]:
    """The numbers of the sampled rows, by (hash, number) as `pairs` orders them, and the group of each.

    If not `grouped`, every row is a group. Otherwise the sample is of groups.
    """
    at = sampled_rows(table.num_rows, keys, sample, seed, grouped)
    if not grouped or keys is None:
        return at, np.arange(len(at), dtype=np.int64)
    first, of = np.unique(codes(keys)[0][at], return_index=True, return_inverse=True)[1:]
    return at, np.argsort(np.argsort(first))[of]
