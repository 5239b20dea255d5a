"""The steps from a projection to rows: bind, statistics, request, plan, run.

`project` takes all steps; `sql` and `explain` stop at the plan. Only this module calls the code for dataframes and
lazy frames (`sqlrp.run.frames`), joins (`sqlrp.run.joining`) and statistics (`sqlrp.run.preparing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from sqlrp.core.errors import ParameterError, UnsupportedError, shorten
from sqlrp.core.options import Dtype, Nulls, Options
from sqlrp.core.sources import Join, Output, Source, Standardized, TableName, as_source
from sqlrp.engines import connector_of
from sqlrp.lowering import compiled
from sqlrp.lowering.gradient import gradient
from sqlrp.lowering.job import Job
from sqlrp.lowering.planner import Plan, plan
from sqlrp.lowering.registry import requested
from sqlrp.projections import BilinearPooling
from sqlrp.projections.base import Projection, checked
from sqlrp.run.bind import bind, caution, engine_asked
from sqlrp.run.explaining import Explanation
from sqlrp.run.frames import is_frame, project_frame
from sqlrp.run.joining import planned_join
from sqlrp.run.preparing import plain
from sqlrp.run.running import result_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import sqlalchemy as sa
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def sql(
    projection: Projection,
    source: Source | Standardized | Join | str,
    engine: Any,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
) -> str:
    """Write the SQL text that projects a source.

    `engine` is a connection, or an engine or its name such as "duckdb" if the source names its features. The
    text is one SELECT, or a script of several statements if the terms are too many for one. It is plain SQL, unless
    `lowering` is "compiled": the text then calls functions that are registered on the connection.
    Raises ParameterError, SourceError, UnsupportedError or LimitError before anything runs.

        >>> print(sqlrp.sql(rp, sqlrp.Wide("points", features=["a", "b"]), "postgresql").splitlines()[0])
        SELECT c0 AS "id", ok*(x0+x1) AS z0, ok*(x0-x1) AS z1
    """
    script = planned(projection, source, engine, Options(output, scale, nulls, lowering, dtype)).script()
    if script.calls:
        compiled.register(connector_of(engine), engine, script.calls)
    return script.text


def explain(
    projection: Projection,
    source: Source | Standardized | Join | str,
    engine: Any,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
) -> Explanation:
    """Explain which lowering `project` would use and why, with the estimates of the others. Prints as a few lines.

    If it is "compiled", the rows are computed in this process, without SQL. `text` is then what `sql` writes.

        >>> print(str(sqlrp.explain(rp, "points", con)).splitlines()[1])
          source    "points" (wide): 3 features -> 2 components, 50 rows
    """
    chosen = planned(projection, source, engine, Options(output, scale, nulls, lowering, dtype), quiet=True, here=True)
    return Explanation(chosen)


@overload
def project(
    projection: Projection,
    source: pd.DataFrame,
    connection: None = None,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
    key: str | None = None,
    keep: Sequence[str] = (),
    array_column: str | Sequence[str] | None = None,
) -> pd.DataFrame: ...


@overload
def project(
    projection: Projection,
    source: pl.DataFrame,
    connection: None = None,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
    key: str | None = None,
    keep: Sequence[str] = (),
    array_column: str | Sequence[str] | None = None,
) -> pl.DataFrame: ...


@overload
def project(
    projection: Projection,
    source: pl.LazyFrame,
    connection: None = None,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
    key: str | None = None,
    keep: Sequence[str] = (),
    array_column: str | Sequence[str] | None = None,
) -> pl.LazyFrame: ...


@overload
def project(
    projection: Projection,
    source: DuckDBPyRelation,
    connection: None = None,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
    key: str | None = None,
    keep: Sequence[str] = (),
    array_column: str | Sequence[str] | None = None,
) -> DuckDBPyRelation: ...


@overload
def project(
    projection: Projection,
    source: Source | Standardized | Join | str,
    connection: DuckDBPyConnection | sa.Engine | sa.Connection,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
) -> pa.Table: ...


@overload
def project(
    projection: Projection,
    source: pa.Table,
    connection: None = None,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
    key: str | None = None,
    keep: Sequence[str] = (),
    array_column: str | Sequence[str] | None = None,
) -> pa.Table: ...


@overload
def project(
    projection: Projection,
    source: Source | Standardized | Join | str | Any,
    connection: Any = None,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
    key: str | None = None,
    keep: Sequence[str] = (),
    array_column: str | Sequence[str] | None = None,
) -> Any: ...


def project(
    projection: Projection,
    source: Source | Standardized | Join | str | Any,
    connection: Any = None,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
    key: str | None = None,
    keep: Sequence[str] = (),
    array_column: str | Sequence[str] | None = None,
) -> Any:
    """Project a table in its database, a dataframe in memory, or a lazy frame when it is read.

    With a connection, `source` is a table's name or a source. Returns a pyarrow.Table with key, keep and
    z0 … z{k-1} (output "columns"), z ("array"), or component and value ("long"). "auto" is the first of these that
    the engine supports; `explain` shows which one. "vector" is z in the type that the engine's vector search takes:
    FLOAT[k] in DuckDB, vector(k) of pgvector, VECTOR(FLOAT, k) in Snowflake, Array(Float32) in ClickHouse,
    `ARRAY<FLOAT>` in Spark and Databricks, VECTOR in MariaDB from 11.7 on. `dtype` "float32" makes the numbers of any
    output 32-bit floats, and "float16" those of a vector halfvec(k) of pgvector. On Spark the result is a DataFrame,
    and nothing is computed until it is read.
    From a `Long` source the "long" output is sparse too: components that are 0 are absent, except component 0,
    which every row has.

    Without a connection, `source` is a pandas or polars DataFrame or a pyarrow.Table, and the result has the same
    type. Rows keep their order, and pandas its index. For a DuckDB relation, a polars LazyFrame or an ibis table the
    result is lazy too: nothing is computed until it is read. The columns of `key` (by default "id", if it exists) and
    `keep` pass through; every other numeric or boolean column is a feature. `array_column` names a column of arrays
    instead, such as an embedding: lists, arrays of one length, or numpy arrays in a pandas column. It is found without
    a name if no other column holds numbers. `Array(frame, "embedding")` says the same. A list of names reads several
    array columns as one.

    `lowering`: "auto" takes the fastest way. "sql" takes plain SQL only, and "compiled" computes the rows in this
    process, in batches, which "auto" may also do. The others are kinds of SQL: "inline", "indexed" and "relational".

    For a `Standardized` source the statistics are computed first, in one more query.
    `scale` False returns the bare signed sums (exact for integers). `nulls`: a NULL feature makes the row's
    outputs NULL ("propagate"), counts as 0 ("zero") or raises an error ("error").

        >>> points = sqlrp.Wide("points", keep=["label"])
        >>> sqlrp.project(rp, points, con, scale=False).slice(0, 2).to_pylist()
        [{'id': 1, 'label': 'odd', 'z0': 1, 'z1': -1}, {'id': 2, 'label': 'even', 'z0': 2, 'z1': -2}]
        >>> frame = con.sql("SELECT a, b, c FROM points LIMIT 2").df()
        >>> sqlrp.project(rp, frame, scale=False)
           z0  z1
        0   1  -1
        1   2  -2
    """
    projection, options = checked(projection), Options(output, scale, nulls, lowering, dtype)
    if is_frame(source):
        return project_frame(projection, source, connection, options, key, keep, array_column)
    if array_column is not None:
        raise ParameterError(
            f"array_column = {shorten(array_column)} is for dataframes: pass Array(table, {shorten(array_column)})"
        )
    if key is not None or keep:
        named = f"key = {key!r}" if key is not None else f"keep = {shorten(keep)}"
        raise ParameterError(f"{named} is for dataframes; a table's stand in its source: pass Wide(table, key, keep=…)")
    if connection is None:
        raise ParameterError(f"source {shorten(source)} needs a connection: pass one, or pass a dataframe")
    connector = connector_of(connection)
    with connector.session(connection) as session:
        return result_of(connector, session, planned(projection, source, session, options, here=True))


def gradient_sql(pooling: BilinearPooling, source: Source | str, upstream: str, engine: Any) -> str:
    """Write the SELECT of ∂L/∂x for every descriptor of a source: key, kept columns, feature (from 0) and value.

    `upstream`: a table (the source's key, component, value) of ∂L/∂y, the gradient with respect to each group's
    pooled sums (`normalise` False, scale included). This is `BilinearPooling.gradient` in SQL (thesis, app. B,
    eq. B.6-7). `engine`: an engine, its name, or a connection.
    Raises ParameterError for another method or a source without a key.

        >>> pooling = sqlrp.BilinearPooling(k=4, s=1, seed=7)
        >>> points = sqlrp.Wide("points", features=["a", "b"])
        >>> sqlrp.gradient_sql(pooling, points, "upstream", "duckdb").split()[0]
        'WITH'
    """
    job = plan(job_of(checked(pooling).gradient_sums(), source, engine, Options(output="long")), "relational").job
    if job.frame.key is None or job.frame.layout == "long":
        raise ParameterError("the gradient is taken of the rows of groups: name the group's column as key")
    return gradient(job, TableName.parse(upstream), pooling.estimating().factor(job.frame.n_features)).text


def planned(
    projection: Projection,
    source: Source | Standardized | Join | str,
    target: Any,
    options: Options,
    quiet: bool = False,
    here: bool = False,
) -> Plan:
    """The plan of a source's projection. `target`: an engine, its name, or a connection. `quiet`: give no warnings.

    `here`: as in `sqlrp.lowering.planner.plan`.
    """
    engine, connector = engine_asked(target)
    asked = requested(options.lowering)
    if connector is None and asked is not None and not asked.plain:
        raise UnsupportedError(
            f"lowering = {options.lowering!r} calls a function of this process: pass a connection instead of "
            f"{engine.name!r}, or use lowering = 'auto'"
        )
    if isinstance(source, Join):
        return planned_join(checked(projection), source, engine, connector, target, options, quiet)
    job = job_of(projection, source, target, options, quiet)
    return plan(job, options.lowering, here=here and connector is not None)


def job_of(
    projection: Projection,
    source: Source | Standardized | str,
    target: Any,
    options: Options,
    quiet: bool = False,
) -> Job:
    """The job for the lowerings; `target` and `quiet` as in `planned`."""
    engine, connector = engine_asked(target)
    projection, source = plain(checked(projection), source, target if connector else None)
    frame = bind(as_source(source), engine, connector, target, projection.bound_to)
    job = Job.of(projection, frame, engine, options)
    if not quiet:
        caution(projection, frame)
    return job
