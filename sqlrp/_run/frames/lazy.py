"""Frames whose rows are not computed yet: DuckDB relations, frames of polars, Dask and Daft, and ibis tables.

Results are lazy too. Of the rows only the first are computed at once: for the length of a list, and for a warning about
text that is left out and reads as numbers. A relation and an ibis table become one query in their own database. The
others are projected by the evaluator when they are computed: a LazyFrame whole, or batch by batch if polars streams,
the others part by part.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pyarrow as pa

from sqlrp._core.errors import ParameterError, SourceError, UnsupportedError, nearest, one_line, shorten, warn
from sqlrp._core.options import Options
from sqlrp._core.sources import Array, Standardized
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Column, Dialect
from sqlrp._engines.duckdb.connector import VERSION
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering.job import Job
from sqlrp._lowering.left_out import SAMPLE
from sqlrp._lowering.planner import plan
from sqlrp._projections.projection import Projection
from sqlrp._run.bind import cautions, resolve
from sqlrp._run.frames.arrow import arrow_of, held
from sqlrp._run.frames.dataframes import FrameColumns, columns_of, key_of, of_arrays, peeked, source_of, tuples
from sqlrp._run.frames.kinds import is_dataframe, lazy_kind
from sqlrp._run.frames.memory_frames import arrow_job, project_dataframe, without_lowering
from sqlrp._run.frames.parts import project_daft, project_dask

_NAME = "sqlrp_{}"
"""The frame's name in the query. It is new each time, because DuckDB prefers a table of the same name."""

_BACKENDS = {
    "duckdb": "duckdb",
    "postgres": "postgresql",
    "sqlite": "sqlite",
    "mysql": "mysql",
    "pyspark": "spark",
    "snowflake": "snowflake",
    "bigquery": "bigquery",
    "databricks": "databricks",
    "trino": "trino",
}
"""The engine of each supported backend of ibis."""


def rows_of(source: Any) -> Any:
    """A source whose rows are needed now; an Array of a dataframe as a table of its key, as "id", and its arrays.

    Raises ParameterError for a lazy frame. Its repr is not shown, as it would compute rows.
    """
    if isinstance(source, Standardized):
        return replace(source, source=rows_of(source.source))
    kind = lazy_kind(source.table if isinstance(source, Array) else source)
    if kind is not None:
        more = "table.get_backend() as the connection too" if "ibis" in kind else "a view and a connection"
        raise ParameterError(f"{kind} is taken by sqlrp.project alone: pass its rows as a pyarrow.Table, or {more}")
    if not isinstance(source, Array) or not is_dataframe(source.table):
        return held(source)
    table = arrow_of(source.table)
    for name in source.columns:
        if name not in table.column_names:
            near = nearest(name, table.column_names)
            raise SourceError(f"array column {name!r} is not a column of the dataframe{near}")
    key = key_of(source.table, source.key)
    if key is not None and key not in table.column_names:
        near = nearest(key, table.column_names)
        raise SourceError(
            f"key {shorten(key)} is not a column of the frame{near}: name the key column, or key None for a "
            "frame without one"
        )
    # An array column "id" would be the key.
    arrays = {name if name != "id" else _free("array", source.columns): table[name] for name in source.columns}
    own = {} if key is None else {"id": table[key]}
    return of_arrays(pa.table(own | arrays), list(arrays))


@dataclass(frozen=True)
class _Look:
    """What is read of a query's result before it is projected, if it is needed."""

    length: Callable[[str], int | None]
    """the length of the first list of a column, if neither its type nor the caller says it"""
    rows: Callable[[Sequence[str]], Iterable[Sequence[object]]]
    """the first rows of columns of text that are left out, which may hold numbers"""


@dataclass(frozen=True)
class LazyInput:
    """A lazy frame with what its columns are."""

    frame: Any
    kind: str
    """as `lazy_kind` says it"""
    columns: FrameColumns

    def project(self, projection: Projection, options: Options) -> Any:
        """A lazy frame of the same kind with the projected rows, which are computed when they are read.

        Raises LimitError if the query is too large for one statement, UnsupportedError for a backend of ibis without a
        known engine.
        """
        if self.kind in _IN_BATCHES:
            without_lowering(options.lowering, self.kind)
        return (_IN_BATCHES | _BY_QUERIES)[self.kind](projection, self.frame, options, self.columns)


def _relation(projection: Projection, frame: Any, options: Options, asked: FrameColumns) -> Any:
    if VERSION < (1, 5):
        raise UnsupportedError(
            "DuckDB 1.4 leaves a view in the database for a query over a relation: pass a table's name and the "
            "connection, or use DuckDB 1.5"
        )
    engine = ENGINES["duckdb"]
    types = zip(frame.columns, frame.types, strict=True)
    columns = [Column(name, engine.read_type(str(kind))) for name, kind in types]
    look = _Look(lambda name: _first_of(frame, name), lambda names: _rows_of(frame, names))
    job = _job(projection, engine, columns, options, asked, look)
    return frame.query(job.frame.table.parts[0], plan(job, options.lowering, single_statement=True).script().query)


def _ray(*_: Any) -> Any:
    raise UnsupportedError(
        "a Ray dataset is not taken: write dataset.map_batches(lambda rows: sqlrp.project(projection, rows), "
        "batch_format='pyarrow'), which is lazy too, with sqlrp on the workers; the rows of a group may be in "
        "several batches, so for a method of groups pass a pyarrow.Table"
    )


def _job(
    projection: Projection,
    engine: Dialect,
    columns: Sequence[Column],
    options: Options,
    asked: FrameColumns,
    look: _Look,
) -> Job:
    """The projection of the numeric columns, or of the arrays, of a query's result."""
    types = {column.name: column.type for column in columns}
    source = source_of(_NAME.format(uuid4().hex), columns, asked, projection.bound_to)
    lengths = None
    if isinstance(source, Array):
        lists = {name for name, kind in types.items() if kind.size is None}
        sizes = zip(source.columns, source.lengths, strict=True)
        lengths = [look.length(name) if n is None and name in lists else n for name, n in sizes]
    frame = resolve(source, columns, engine, lengths, bound_to=projection.bound_to, in_memory=True)
    job = Job.of(projection, frame, engine, options)
    warn(*cautions(projection, peeked(frame, look.rows)))
    return job


def _rows_of(frame: Any, names: Sequence[str]) -> list[Any]:
    """The first rows of some columns of a DuckDB relation; none of one over Arrow, as a stream is read only once."""
    if "ARROW_SCAN" in frame.explain():
        return []
    rows: list[Any] = frame.project(", ".join(map(ENGINES["duckdb"].quote, names))).limit(SAMPLE).fetchall()
    return rows


def _first_of(frame: Any, name: str) -> int | None:
    """The length of the first list of a DuckDB relation."""
    quoted = ENGINES["duckdb"].quote(name)
    found = frame.filter(f"{quoted} IS NOT NULL").limit(1).project(f"len({quoted})").fetchall()
    return int(found[0][0]) if found else None


def _first_of_polars(frame: Any, schema: Any, name: str) -> int | None:
    """The length of a LazyFrame's arrays, or of its first list; None if there is none."""
    if hasattr(schema[name], "size"):
        return int(schema[name].size)
    first = frame.select(name).drop_nulls().head(1).collect().to_series()
    return len(first[0]) if len(first) else None


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _polars(projection: Projection, frame: Any, options: Options, asked: FrameColumns) -> Any:
    try:
        schema = frame.collect_schema()
    except sys.modules["polars"].exceptions.PolarsError as error:
        raise SourceError(f"the lazy frame cannot be read: {one_line(str(error))}") from error
    empty = schema.to_frame()
    found = arrow_of(empty)
    source = source_of("frame", columns_of(found.schema), asked, projection.bound_to)
    if isinstance(source, Array) and set(source.columns) <= set(schema.names()):
        sizes = zip(source.columns, source.lengths, strict=True)
        lengths = [n or _first_of_polars(frame, schema, name) for name, n in sizes]
        known = [n for n in lengths if n is not None]
        asked = replace(asked, arrays=source.column, n_features=known if len(known) == len(lengths) else None)
    job = arrow_job(projection, found, options, asked)
    warn(*cautions(projection, peeked(job.frame, lambda names: frame.select(names).head(SAMPLE).collect().rows())))

    def project(part: Any) -> Any:
        return project_dataframe(projection, part, options, asked)

    return frame.map_batches(
        project,
        schema=project(empty).schema,
        # Polars would move filters before the projection, but they name columns that exist only after it.
        predicate_pushdown=False,
        projection_pushdown=False,
        slice_pushdown=False,
        streamable=not job.grouped,
    )


def _ibis(projection: Projection, table: Any, options: Options, asked: FrameColumns) -> Any:
    """The query as a node of ibis with its known schema, so that the database need not be asked for it."""
    from ibis.common.exceptions import IbisError
    from ibis.expr import datatypes as dt
    from ibis.expr import operations as ops
    from ibis.expr import schema as ibis_schema

    try:
        backend = table.get_backend()
    except IbisError as error:
        raise SourceError(f"the ibis table belongs to no database: {one_line(str(error))}") from error
    name = _BACKENDS.get(backend.name)
    if name == "mysql" and "mariadb" in str(backend.con.get_server_info()).lower():
        name = "mariadb"
    if name is None:
        raise UnsupportedError(
            f"ibis's backend {backend.name} is none whose engine is known ({', '.join(_BACKENDS)}): pass "
            "table.to_pyarrow(), or a polars or pandas DataFrame of it"
        )
    engine, mapper = ENGINES[name], backend.compiler.type_mapper
    columns = columns_of(table.schema().to_pyarrow())
    look = _Look(lambda _: None, lambda names: tuples(table.select(*names).limit(SAMPLE).to_pyarrow()))
    job = _job(projection, engine, columns, options, asked, look)
    if job.output == "vector":
        raise UnsupportedError("ibis knows no type of vectors: use output = 'array', with dtype = 'float32'")
    number = mapper.from_string(str(engine.type_name(job.written)))
    made = dt.Array(number) if job.output == "array" else number
    results = {n: dt.int64 if n == "component" else made for n in job.output_names}
    kept = {n: table.schema()[n] for n in job.frame.kept}
    query = plan(job, options.lowering, single_statement=True).script().query
    view = table.alias(job.frame.table.parts[0])
    return ops.SQLStringView(view.op(), query, ibis_schema.Schema(kept | results)).to_expr()


_IN_BATCHES: dict[str, Callable[..., Any]] = {
    "a polars LazyFrame": _polars,
    "a Dask frame": project_dask,
    "a Daft frame": project_daft,
}
"""The frames that the evaluator projects in batches."""
_BY_QUERIES: dict[str, Callable[..., Any]] = {
    "a DuckDB relation": _relation,
    "an ibis table": _ibis,
    "a Ray dataset": _ray,
}
"""The others; of these, Ray's are refused."""
