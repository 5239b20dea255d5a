"""SQL as files, to run by other means: one statement per file, numbered in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

from sqlrp._core.errors import ParameterError, UnsupportedError, check_choice, shorten
from sqlrp._core.options import Dtype, Nulls, Options
from sqlrp._core.script import Script
from sqlrp._core.sources import Array, Join, Output, Source, Standardized, TableName, as_rows, as_source
from sqlrp._core.whole_files import beside, cannot_write, resolved
from sqlrp._dialects.dialect import Dialect
from sqlrp._engines.registry import PlanTarget
from sqlrp._lowering.planner import plan
from sqlrp._projections.projection import Projection
from sqlrp._run.bind import text_target
from sqlrp._run.function_text import statement
from sqlrp._run.table_input import job_of, planned
from sqlrp._run.views import LAG, check_inserts, view_script, view_statement

Kept = Literal["view", "table", "materialized view", "function"]
"""What `export` makes of a projection."""


def export(
    projection: Projection,
    source: Source | Standardized | Join | str,
    engine: Any,
    folder: str | Path,
    *,
    into: str = "projected",
    kind: Kept = "view",
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
    lag: str = LAG,
    warehouse: str | None = None,
    cluster: str | None = None,
) -> list[Path]:
    """Write the statements that project a source to files 01_step.sql …, NN_query.sql, NN_cleanup.sql ….

    Returns the paths of the files. `engine`: as in `sqlrp.sql`.
    The query makes the view `into`. If there are steps before it, it makes a table, because the cleanup drops the
    steps' tables; so it does if the query is longer than that of a view may be. Run the files in one session, because
    temporary tables belong to it. All files are written or none: `folder` is made by one rename and must be new or
    empty.

    `kind` "table" always makes a table, and "function" the scalar function of `sqlrp.create_function`, for an array
    source. "materialized view" makes what the engine has: a materialized view of PostgreSQL, Redshift, BigQuery or
    Databricks, or a dynamic table of Snowflake, which `warehouse` refreshes. BigQuery's and Snowflake's follow their
    source within `lag`, such as "1 hour"; the others wait for REFRESH. That of ClickHouse computes rows when they are
    inserted, and sees no change or removal of rows, nor rows that are inserted while it is made. A materialized view is
    one statement.

    `cluster` names a cluster of ClickHouse: its servers run the statements (ON CLUSTER). Name the table that every
    server has as the source; with a connection, a Distributed table stands for it. "table" then makes the part
    `into`_local on every server, as a ReplicatedMergeTree, and the Distributed table `into` that reads all parts. Every
    shard projects its own rows. "materialized view" makes both, and the view `into`_inserts, which adds what is
    inserted on its server. "view" makes a view of the source as it is named, on every server.

    Raises SourceError if the files cannot be written, UnsupportedError if the engine cannot keep the projection so, and
    the errors of `sqlrp.sql`.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print([path.name for path in sqlrp.export(rp, "points", con, folder)])
        ['01_query.sql']
    """
    check_choice("kind", kind, get_args(Kept))
    target, name = text_target(engine, source), TableName.parse(into)
    chosen = target.dialect
    options = Options(output, scale, nulls, lowering, dtype)
    if cluster is not None:
        chosen = chosen.of_cluster(cluster)
    if kind == "function":
        return _written(folder, [("function", _function(projection, source, target, name, options, chosen))])
    if cluster is not None:
        query = _on_each_server(projection, source, target, kind, options)
        return _written(folder, chosen.kept_everywhere(name, query, kind))
    if kind == "materialized view":
        script = _one_statement(projection, source, target, options)
        return _written(folder, [("view", view_statement(chosen, name, script.query, lag, warehouse))])
    script = planned(projection, source, target, options).script()
    most = chosen.limits.view
    table = kind == "table" or bool(script.setup) or (most is not None and len(script.query) > most)
    query = f"CREATE {'TABLE' if table else 'VIEW'} {chosen.table(name)} AS\n{script.query}"
    if table:
        query = chosen.create_table(chosen.table(name), script.query)
    statements = [
        *(("step", step) for step in script.setup),
        ("query", query),
        *(("cleanup", drop) for drop in script.cleanup),
    ]
    return _written(folder, statements)


def _one_statement(
    projection: Projection, source: Source | Standardized | Join | str, target: PlanTarget, options: Options
) -> Script:
    """The script of a materialized view. Raises UnsupportedError for one that the engine cannot keep up to date."""
    dialect, connector = target.dialect, target.connector
    if not (dialect.keeping_view and dialect.stores_views):
        raise UnsupportedError(f"sqlrp knows no materialized views of {dialect.name}: use kind = 'table' or 'view'")
    if isinstance(source, Join):
        raise UnsupportedError("a join is not written as a materialized view: use kind = 'table'")
    if connector is not None:
        with connector.session(target.connection) as session:
            check_inserts(connector, session, TableName.parse(_table(source)))
    return view_script(job_of(projection, source, target, options), options.lowering)


def _on_each_server(
    projection: Projection,
    source: Source | Standardized | Join | str,
    target: PlanTarget,
    kind: str,
    options: Options,
) -> str:
    """The query that every server of a cluster runs. Raises UnsupportedError for rows that lie on several of them."""
    if isinstance(source, Join):
        raise UnsupportedError("a join is not written for a cluster: name a view of it as the source")
    if kind != "view":
        source = _of_each_server(source, target)
    job = job_of(projection, source, target, options)
    if kind != "view" and (job.grouped or job.frame.layout == "long"):
        raise UnsupportedError(
            "this projection adds up several rows, which may lie on several servers of a cluster: use kind = 'view', "
            "with the Distributed table as the source"
        )
    return plan(job, options.lowering, single_statement=True).script().query


def _of_each_server(source: Source | Standardized | str, target: PlanTarget) -> Source | Standardized:
    """The source with the table of each server in the place of a Distributed table."""
    given, connector = as_rows(source), target.connector
    if connector is not None:
        with connector.session(target.connection) as session:
            spread = connector.spread(session, TableName.parse(_table(source)))
        if spread is not None:
            name = str(spread[1])
            if isinstance(given, Standardized):
                return replace(given, source=replace(given.source, table=name))
            return replace(given, table=name)
    return given


def _table(source: Source | Standardized | str) -> str:
    return as_source(source.source if isinstance(source, Standardized) else source).table


def _function(
    projection: Projection,
    source: Source | Standardized | Join | str,
    target: PlanTarget,
    name: TableName,
    options: Options,
    dialect: Dialect,
) -> str:
    """The statement of a scalar function."""
    if not isinstance(source, Array):
        raise ParameterError("kind = 'function' takes an array of features: pass Array(table, column) as the source")
    if len(source.columns) > 1:
        raise UnsupportedError(
            "a function takes one array of features: name one array column, and call the function with joined arrays"
        )
    job = job_of(projection, source, target, options)
    shape: Output = options.output if options.output in ("vector", "bits") else "array"
    own = Options(shape, options.scale, options.nulls, options.lowering)
    return statement(projection, dialect, name, job.frame.n_features, own)


def _written(folder: str | Path, statements: Sequence[tuple[str, str]]) -> list[Path]:
    """Write one file for each statement."""
    digits = max(2, len(str(len(statements))))
    names = [f"{i:0{digits}}_{what}.sql" for i, (what, _) in enumerate(statements, 1)]
    target = resolved(Path(folder))
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ParameterError(f"folder = {shorten(str(folder))} holds something already: name a new or an empty one")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with beside(target) as made:
            made.mkdir()
            for name, (_, text) in zip(names, statements, strict=True):
                (made / name).write_text(f"{text};\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise cannot_write(Path(folder), error) from error
    return [Path(folder).absolute() / name for name in names]
