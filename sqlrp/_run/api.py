"""The public calls that project, write SQL, and explain. `project` opens what is given, which projects itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from sqlrp._connectors.foresight import foreseen
from sqlrp._core.driver_escapes import for_driver
from sqlrp._core.errors import ParameterError
from sqlrp._core.options import Dtype, Nulls, Options
from sqlrp._core.sources import Join, Output, Source, Standardized, TableName
from sqlrp._engines.registry import open_target
from sqlrp._lowering.gradient import gradient
from sqlrp._lowering.planner import plan
from sqlrp._projections import BilinearPooling
from sqlrp._projections.projection import Projection, checked
from sqlrp._run.bind import text_target
from sqlrp._run.explanation import Explanation
from sqlrp._run.frames.dataframes import FrameColumns
from sqlrp._run.inputs import open_input
from sqlrp._run.table_input import job_of, planned

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import sqlalchemy as sa
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

Frame = TypeVar("Frame", "pd.DataFrame", "pl.DataFrame", "pl.LazyFrame", "pa.Table", "DuckDBPyRelation")
"""A frame, whose projection is a frame of the same type."""


@foreseen
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
    driver: str | None = None,
) -> str:
    """Write the SQL text that projects a source.

    `engine` is a connection, or, if the source names its features (a long one its `n_features`), an engine, its name
    such as "duckdb", or an engine or a dialect object of SQLAlchemy, which is not connected. All numbers are then taken
    for DOUBLE, whereas a connection tells the types of the columns. The text is one SELECT, or a script of several
    statements if the terms are too many for one. The first line of a script is a comment that counts them.

    `driver` names what reads the text: "duckdb", "sqlite3", "asyncpg", "psycopg", "psycopg2", "pymysql", "mysqlclient",
    "sqlalchemy" (its `text`), "jinja" or "dbt". What it would take for a parameter or a block is then escaped. A text
    for psycopg, psycopg2, PyMySQL or mysqlclient is for `execute(text, parameters)` and for SQLAlchemy's
    `exec_driver_sql`; for `execute(text)` alone, leave `driver` out.
    Raises ParameterError, SourceError, UnsupportedError or LimitError before anything runs.

        >>> print(sqlrp.sql(rp, sqlrp.Wide("points", features=["a", "b"]), "postgresql").splitlines()[0])
        SELECT c0 AS "id", ok*(x0+x1) AS z0, ok*(x0-x1) AS z1
    """
    write = for_driver(driver)
    target = text_target(engine, source)
    text = planned(projection, source, target, Options(output, scale, nulls, lowering, dtype)).script().text
    return write(text if target.connector is None else target.connector.as_taken(target.connection, text))


@foreseen
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

    If it is "native", the rows are computed in this process, without SQL. `text` is then what `sql` writes.

        >>> print(str(sqlrp.explain(rp, "points", con)).splitlines()[1])
          source    "points" (wide): 3 features -> 2 components, 50 rows
    """
    target = open_target(engine)
    chosen = planned(projection, source, target, Options(output, scale, nulls, lowering, dtype), quiet=True, here=True)
    return Explanation(chosen, target.connector is not None and target.connector.has_kernel(target.connection))


@overload
def project(
    projection: Projection,
    source: Frame,
    connection: None = None,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
    key: str | None = "id",
    keep: Sequence[str] = (),
    array_column: str | Sequence[str] | None = None,
) -> Frame: ...


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
    source: Source | Standardized | Join | str | Any,
    connection: Any = None,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
    key: str | None = "id",
    keep: Sequence[str] = (),
    array_column: str | Sequence[str] | None = None,
) -> Any: ...


@foreseen
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
    key: str | None = "id",
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
    "bits" is one bit per component, 1 if it is above 0: z of the type bit(k) in PostgreSQL, and elsewhere columns
    b0, b1, … of 64 bits each, which hold whole numbers with a sign. Component 0 is the highest bit of b0, and the last
    column ends with zeros, as in numpy.packbits. The scale changes no bit. One seed gives the same bits everywhere, but
    for components of floats that are so near 0 that another order of the sum changes their sign. Bits are good for
    rows around 0: rows with a large mean have most bits in common, so subtract the mean first (`Standardized`).
    From a `Long` source the "long" output is sparse too: components that are 0 are absent, except component 0,
    which every row has.

    Without a connection, `source` is a pandas or polars DataFrame or a pyarrow.Table, and the result has the same type.
    Rows keep their order, and pandas its index. `Long(frame, key, feature, value)` takes sparse rows of a frame, and
    gives one row per key, in the order in which the keys come first. A numpy array of shape (rows, features) gives an
    array of shape (rows, k), in which NaN counts as NULL. Its "bits" are bytes, as of numpy.packbits: uint8 of shape
    (rows, ⌈k/8⌉). For a DuckDB relation, a polars LazyFrame, a Dask or Daft
    frame or an ibis table the result is lazy too: nothing is computed until it is read. The columns of `key` and
    `keep` pass through; every other numeric or boolean column is a feature. As for a table, `key` is "id" unless
    you name another column, None says that there is no key, and a key that is not there is an error. The key of a
    pandas frame may be its index, as after `set_index("user_id")`: one with a name is the key if there is no column
    "id". `array_column` names a column of arrays instead, such as an embedding: lists, arrays of one length, or
    numpy arrays in a pandas column. It is found without a name if no other column holds numbers. `Array(frame,
    "embedding")` says the same. A list of names reads several array columns as one.

    `lowering`: "auto" takes the fastest way. "sql" takes plain SQL only, and "native" computes the rows in this
    process, in batches, which "auto" may also do. The others are kinds of SQL: "inline", "indexed" and "relational".

    For a `Standardized` source the statistics are computed first, in one more query.
    `scale` False returns the bare signed sums (exact for integers). `nulls`: a NULL feature makes the row's
    outputs NULL ("propagate"), counts as 0 ("zero") or raises an error ("error").

        >>> points = sqlrp.Wide("points", keep=["label"])
        >>> sqlrp.project(rp, points, con, scale=False).slice(0, 2).to_pylist()
        [{'id': 1, 'label': 'odd', 'z0': 1, 'z1': -1}, {'id': 2, 'label': 'even', 'z0': 2, 'z1': -2}]
        >>> frame = con.sql("SELECT a, b, c FROM points LIMIT 2").df()
        >>> sqlrp.project(rp, frame, scale=False, key=None)
           z0  z1
        0   1  -1
        1   2  -2
        >>> sqlrp.project(rp, frame.to_numpy(), scale=False)
        array([[ 1., -1.],
               [ 2., -2.]])
    """
    projection, options = checked(projection), Options(output, scale, nulls, lowering, dtype)
    return open_input(source, connection, FrameColumns(key, keep, array_column)).project(projection, options)


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
    target, options = text_target(engine, source), Options(output="long")
    job = plan(job_of(checked(pooling).gradient_sums(), source, target, options), "relational").job
    if job.frame.key is None or job.frame.layout == "long":
        raise ParameterError("the gradient is taken of the rows of groups: name the group's column as key")
    return gradient(job, TableName.parse(upstream), pooling.estimating().factor(job.frame.n_features)).text
