"""The commands that project: project, sql, explain, export, dbt."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click
import duckdb

import sqlrp
from sqlrp.cli.databases import Limits, Place, check_names, limit_options, place, reading
from sqlrp.cli.files import PIPED, Bar, Out, copy, on_screen, out_of, watched, write
from sqlrp.cli.options import (
    DRAWN,
    JSON,
    SOURCE,
    Command,
    Method,
    Named,
    Shape,
    SourceOptions,
    Written,
    gathered,
    method_options,
    option,
    shape_options,
    source_options,
    will_write,
)
from sqlrp.core.options import Options
from sqlrp.core.sources import Array, Source, TableName, Wide
from sqlrp.core.writing import beside, check_place
from sqlrp.dbt import Materialized, places
from sqlrp.dbt import write as write_dbt
from sqlrp.engines import CONNECTORS, ENGINES, RELATIVES, connector_of, dialect_named, meant
from sqlrp.lowering.frame import Frame
from sqlrp.projections.base import Projection
from sqlrp.run.api import job_of, planned
from sqlrp.run.bind import caution, look
from sqlrp.run.connecting import shown
from sqlrp.run.exporting import Kept
from sqlrp.run.nulls import NullRows, null_rows
from sqlrp.store.materialize import Keeping

_METHOD = method_options(DRAWN, "rp")
TRACK = (
    "let refreshes find changed and deleted rows: by a column that grows with every change, or rows: by fingerprints"
)


_LAG = option("--lag", metavar="TIME", default="1 hour", help="how old a materialized view may be  [1 hour]")
_WAREHOUSE = option("--warehouse", metavar="NAME", help="the warehouse of Snowflake that refreshes a dynamic table")


@dataclass(frozen=True)
class _Goal:
    """The options that say what `project` writes."""

    out: str | None
    to: str | None
    into: str | None
    replace: bool
    kind: Keeping
    lag: str
    warehouse: str | None
    track: str | None

    @property
    def table(self) -> dict[str, Any]:
        """The arguments of `sqlrp.materialize`."""
        return {name: getattr(self, name) for name in ("replace", "kind", "track", "lag", "warehouse")}


@click.command(
    cls=Command,
    examples="""
sqlrp project images.parquet -o small.parquet --method pk -k 256 --degree 2 --keep label
sqlrp project docs.csv -o docs.arrow --array-column embedding -k 128 --output array
sqlrp project counts.parquet -o small.parquet --key doc --long word,n -k 256
sqlrp project shop.duckdb::images -o shop.duckdb::images_pk --method pk
sqlrp project --db postgresql://me@host/shop --table images --into images_pk --method pk
sqlrp project big.parquet -o small.parquet --memory-limit 1GB
cat images.csv | sqlrp project - -k 8 -o - | head -3
""",
)
@SOURCE
@gathered(
    "goal",
    _Goal,
    option(
        "-o",
        "--out",
        metavar="PATH",
        help="a .parquet, .csv or .arrow file, shop.duckdb::table, or - for the standard output",
        type=Written(),
    ),
    option("--to", type=click.Choice(PIPED), help=f"the format of -o -; arrow is a stream  [{PIPED[0]}]"),
    option("--into", metavar="TABLE", help="a new table in the source's database, which `sqlrp refresh` updates"),
    option("--replace", is_flag=True, help="replace a table that sqlrp made before"),
    option("--kind", type=click.Choice(get_args(Keeping)), default="table", help="what --into makes  [table]"),
    _LAG,
    _WAREHOUSE,
    option("--track", metavar="COLUMN|rows", help=TRACK),
)
@JSON
@_METHOD
@source_options
@shape_options
@limit_options
def project(
    source: str | None,
    goal: _Goal,
    as_json: bool,
    method: Method,
    rows: SourceOptions,
    shape: Shape,
    limits: Limits,
) -> None:
    """Project SOURCE, a file or a table, into a file (-o) or a table of its database (--into).

    SOURCE is a .parquet, .csv or .arrow file, or a table of a DuckDB file, such as shop.duckdb::images. For any
    database, --db and --table name the table instead. SOURCE - is a pipe of CSV, JSON lines, Parquet or Arrow; its
    first bytes say which. -o - writes to the standard output, and the last line goes to the standard error.

    DuckDB streams files and tables of any size. The result of a server is fetched into memory. A failed command
    leaves no partial file. An existing file of the same name is replaced.
    """
    begun = time.perf_counter()
    where, out, into, piped = place(source, rows.db, rows.table), goal.out, goal.into, False
    task = _Task(where, rows.source(where.name), method, shape, limits)
    if (out is None) == (into is None):
        raise click.UsageError("give -o FILE or --into TABLE" + (", not both" if out else ""))
    if goal.to is not None and (out is None or "::" in out):
        raise click.UsageError("--to is for -o -, the standard output: leave it out with a table")
    if where.piped and (out is None or "::" in out):
        raise click.UsageError(
            "a table remembers its source, for `sqlrp refresh`, and a pipe is gone: name a file as SOURCE, or write a "
            "file"
        )
    if out is not None and "::" in out:
        path, _, into = out.partition("::")
        done = _into_duckdb(task, path, into, goal)
    elif into is not None:
        if where.db is None:
            raise click.UsageError(f"--into {into!r} needs a database: write -o shop.duckdb::{into}")
        with reading(where, writes=True, limits=limits) as connection:
            done = _materialize(task, connection, task.source, into, goal)
    else:
        place_ = out_of(str(out), goal.to)
        piped = place_.path is None
        done = _into_file(task, place_, goal)
    seconds = time.perf_counter() - begun
    made = into if out is None else out
    if as_json:
        found = done.nulls
        nulls = {"null_rows": found.rows, "null_columns": dict(found.columns)}
        taken = {"features": done.frame.n_features, "feature_columns": list(done.frame.names)}
        about = {"out": made, "db": where.db and shown(where.db), "rows": done.rows, **taken, **nulls}
        click.echo(json.dumps(about | {"seconds": seconds}), err=piped)
    else:
        click.echo(f"{made}: {done.said} in {seconds:.1f} s", err=piped)


@dataclass(frozen=True)
class _Task:
    """What `project` projects."""

    where: Place
    source: Source
    method: Method
    shape: Shape
    limits: Limits


@dataclass(frozen=True)
class _Made:
    """What a command wrote."""

    rows: int
    frame: Frame
    nulls: NullRows

    @staticmethod
    def of(rows: int, connection: Any, projection: Projection, source: Source, shape: Shape) -> _Made:
        """Count the rows that became NULL. The projection may be bound to features, which it then names."""
        connector = connector_of(connection)
        with connector.session(connection) as session:
            job = job_of(projection, source, session, Options(**shape.arguments), quiet=True)
            return _Made(rows, job.frame, null_rows(connector, session, job))

    @property
    def said(self) -> str:
        """The rows, the features, and the rows that became NULL."""
        nulls = f"{self.nulls.rows:,} of them NULL{self.nulls.because}" if self.nulls.rows else "none of them NULL"
        return f"{self.rows:,} rows of {self.frame.features_in_words}, {nulls},"


def _into_file(task: _Task, out: Out, goal: _Goal) -> _Made:
    """Write the projected rows. Those of a server go through memory, as its driver returns them all at once."""
    if goal.replace or goal.kind != "table" or goal.track is not None:
        raise click.UsageError("--replace, --kind and --track are for tables: leave them out with a file")
    where, source, arguments = task.where, task.source, task.shape.arguments
    with out.opened() as (made, spill), reading(where, limits=task.limits, spill=_spill(where, spill)) as connection:
        projection = task.method.projection(connection)
        width = projection.k + len(source.keep) + 1
        if not where.is_server:
            chosen = planned(projection, source, connection, Options(**arguments), here=True)
            rows = None if where.arrow or where.piped else _count(connection, source)
            with Bar("projecting", rows, "rows", on_screen(out)) as bar:
                written = watched(connection, bar, lambda: write(connection, chosen, made, width))
            return _Made.of(written, connection, projection, source, task.shape)
        with Bar("projecting", None, "rows"):
            table = sqlrp.project(projection, source, connection, **arguments)
        with duckdb.connect() as local:
            local.register("projected", table)
            written = copy(local, "SELECT * FROM projected", made, width)
        return _Made.of(written, connection, projection, source, task.shape)


def _spill(where: Place, folder: Path) -> Path | None:
    """DuckDB's folder for data that does not fit in memory, which goes when the command ends."""
    return None if where.is_server else folder


def _count(connection: Any, source: Source) -> int | None:
    return connector_of(connection).count(connection, TableName.parse(source.table))


def _into_duckdb(task: _Task, path: str, into: str, goal: _Goal) -> _Made:
    """Materialize in a DuckDB file. A new file appears completely or not at all."""
    where, source = task.where, task.source
    if where.db is not None and (where.is_server or os.path.realpath(where.db) != os.path.realpath(path)):
        raise click.UsageError(
            f"-o {path}::{into} is not in the database of the source, {shown(where.db)}: write a file, or use --into"
        )
    if where.db is None and where.arrow is None and "://" not in source.table:
        source = dataclasses.replace(source, table=os.path.abspath(source.table))  # for refresh, from any folder
    with ExitStack() as stack:
        if Path(path).exists():
            place_, made = dataclasses.replace(where, db=path), path
        else:
            check_place(Path(path))
            made = str(stack.enter_context(beside(Path(path))))
            with duckdb.connect(made):
                pass
            place_ = dataclasses.replace(where, db=made)
        connection = stack.enter_context(reading(place_, writes=True, limits=task.limits))
        rows = _materialize(task, connection, source, into, goal)
        if made != path:  # closing silently would leave data in a log file that is not moved
            CONNECTORS["duckdb"].execute(connection, "CHECKPOINT")
        return rows


def _materialize(task: _Task, connection: Any, source: Source, into: str, goal: _Goal) -> _Made:
    projection, options = task.method.projection(connection), task.shape.arguments | goal.table
    with Bar("projecting", None, "rows") as bar:
        rows = watched(connection, bar, lambda: sqlrp.materialize(projection, source, connection, into, **options))
    return _Made.of(rows, connection, projection, source, task.shape)


# -- text ------------------------------------------------------------------------------------------------

_DIALECT = option(
    "--dialect",
    type=Named(
        [*ENGINES, *RELATIVES], lambda name: ("", f"{name!r} is no engine{meant(name)}: one of {', '.join(ENGINES)}")
    ),
    metavar="ENGINE",
    help=f"write SQL for this engine instead of the source's: {', '.join(ENGINES)}",
)


@dataclass(frozen=True)
class _For:
    """The options that say for which engine text is written, and for which table there."""

    dialect: str | None
    as_table: str | None = None
    relation: str | None = None


_DIALECT_AS = gathered(
    "target",
    _For,
    _DIALECT,
    option("--as", "as_table", metavar="TABLE", help="the table's name there  [the source's, or the file's]"),
)


@contextmanager
def _target(
    source: str | None,
    target: _For,
    method: Method,
    rows: SourceOptions,
    unconnected: bool = False,
    explaining: bool = False,
) -> Iterator[tuple[Projection, Source, Any]]:
    """The projection, the source, and the connection or the engine's name to write for.

    With a dialect, a source that names its features is not opened; otherwise its column names are read.
    `unconnected`: use the engine's name instead of the connection, even without a dialect. `explaining`: the SQL is not
    kept, so it may read a pipe.
    """
    dialect, table = target.dialect, target.as_table
    check_names(("SOURCE", source), ("--table", rows.table), ("--as", table), ("--relation", target.relation))
    if table is not None and dialect is None:
        raise click.UsageError("--as goes with --dialect, as the source has its own name in its own database")
    looks = rows.db or method.saved or "::" in (source or "") or not rows.names_features
    if dialect is not None and not looks:
        name = table or source or rows.table
        if name is None:
            raise click.UsageError("no table: name it as SOURCE")
        yield method.projection(), rows.source(name), dialect
        return
    where = place(source, rows.db, rows.table)
    if where.piped and table is None and not explaining:
        raise click.UsageError(
            "SQL cannot read the pipe of SOURCE - again: name the table in the other database by --dialect and --as"
        )
    asked = rows.source(where.name)
    with reading(where) as connection:
        projection = method.projection(connection)
        if dialect is None and not unconnected:
            yield projection, asked, connection
            return
        connector = connector_of(connection)
        dialect = dialect or connector.dialect.name
        frame = look(connector, connection, asked, bound_to=projection.bound_to)
        caution(projection, frame)
        if table is None and where.db is None and not dialect_named(dialect).reads_files:
            table = str(TableName((Path(str(source)).name.split(".")[0],)))
        table = table or where.name
        if frame.layout == "wide":
            asked = Wide(table, frame.key, frame.names, frame.keep)
        elif isinstance(asked, Array):
            asked = dataclasses.replace(asked, n_features=frame.sizes)
        yield projection, dataclasses.replace(asked, table=table), dialect


@click.command(
    cls=Command,
    examples="""
sqlrp sql images.parquet -k 2
sqlrp sql images --features p0,p1 -k 2 --dialect snowflake
sqlrp sql images.parquet -k 2 --dialect bigquery --as shop.images
sqlrp sql --db postgresql://me@host/shop --table images --method pk -k 64 | psql shop
""",
)
@SOURCE
@_DIALECT_AS
@JSON
@_METHOD
@source_options
@shape_options
def sql(source: str | None, as_json: bool, target: _For, method: Method, rows: SourceOptions, shape: Shape) -> None:
    """Print the SQL that projects SOURCE, for its own database or for another engine (--dialect).

    It is one SELECT, or a script of several statements if there are too many terms for one.
    """
    with _target(source, target, method, rows) as (projection, asked, engine):
        text = sqlrp.sql(projection, asked, engine, **shape.arguments)
    click.echo(json.dumps({"sql": text}) if as_json else text)


@click.command(
    cls=Command,
    examples="""
sqlrp explain images.parquet --method pk -k 256
sqlrp explain --db postgresql://me@host/shop --table images -k 256
""",
)
@SOURCE
@_DIALECT_AS
@JSON
@_METHOD
@source_options
@shape_options
def explain(source: str | None, as_json: bool, target: _For, method: Method, rows: SourceOptions, shape: Shape) -> None:
    """Show which lowering would project SOURCE and why, with estimated times of all lowerings. Nothing is projected."""
    with _target(source, target, method, rows, explaining=True) as (projection, asked, engine):
        found = sqlrp.explain(projection, asked, engine, **shape.arguments)
    if not as_json:
        click.echo(str(found))
        return
    job = found.plan.job
    document = {
        "projection": projection.name,
        "lowering": found.lowering,
        "features": job.frame.n_features,
        "components": job.k,
        "rows": job.frame.rows,
        "terms": job.terms,
        "characters": len(found.text),
        "left_out": [column.name for column in job.frame.left_out],
        "estimates": {e.lowering: e.refusal or e.seconds for e in found.plan.estimates},
    }
    click.echo(json.dumps(document))


@dataclass(frozen=True)
class _View:
    """The options that say what the statements of `export` make."""

    into: str
    kind: Kept
    lag: str
    warehouse: str | None


@click.command(
    cls=Command,
    examples="""
sqlrp export images.parquet sql/ --method pk -k 256 --dialect snowflake --into images_pk
sqlrp export --db shop.duckdb --table images sql/ -k 64 --dialect postgresql
""",
)
@click.argument("source", nargs=-1, metavar="[SOURCE]", type=click.Path())
@click.argument("folder", metavar="DIR", type=click.Path())
@_DIALECT_AS
@gathered(
    "made",
    _View,
    option("--into", metavar="TABLE", default="projected", help="the view or table that the SQL makes  [projected]"),
    option("--kind", type=click.Choice(get_args(Kept)), default="view", help="what the SQL makes  [view]"),
    _LAG,
    _WAREHOUSE,
)
@JSON
@_METHOD
@source_options
@shape_options
def export(
    source: tuple[str, ...],
    folder: str,
    made: _View,
    as_json: bool,
    target: _For,
    method: Method,
    rows: SourceOptions,
    shape: Shape,
) -> None:
    """Write the statements that project SOURCE as numbered .sql files into DIR, which must be new or empty."""
    if len(source) > 1:
        raise click.UsageError(f"one SOURCE and one DIR, not {len(source) + 1} names")
    given = source[0] if source else None
    with _target(given, target, method, rows, unconnected=True) as (projection, asked, engine):
        written = sqlrp.export(projection, asked, engine, folder, **vars(made), **shape.arguments)
    names = [str(path) for path in written]
    click.echo(json.dumps({"files": names}) if as_json else "\n".join(names))


@dataclass(frozen=True)
class _Model:
    """The options that say which files `dbt` writes."""

    name: str
    relation: str | None
    materialized: Materialized
    track: str | None
    no_remove: bool
    models: str
    macros: str
    replace: bool
    dialect: str | None

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `sqlrp.dbt.write`."""
        own = ("name", "relation", "materialized", "track", "models", "macros", "replace")
        return {"remove": not self.no_remove} | {name: getattr(self, name) for name in own}


@click.command(
    cls=Command,
    examples="""
sqlrp dbt shop.duckdb::images my_project --name images_pk --method pk -k 256
sqlrp dbt --db postgresql://me@host/shop --table images my_project --name images_rp --relation shop.images
dbt build --project-dir my_project --select images_pk
""",
)
@click.argument("source", nargs=-1, metavar="[SOURCE]", type=click.Path())
@click.argument("folder", metavar="PROJECT", type=click.Path())
@gathered(
    "model",
    _Model,
    option("--name", required=True, help="the model's name"),
    option(
        "--relation", metavar="NAME", help="the relation it reads: a model, a seed or source.table  [the source's name]"
    ),
    option(
        "--materialized",
        type=click.Choice(get_args(Materialized)),
        default="incremental",
        help="how dbt keeps the rows; incremental adds new rows by key  [incremental]",
    ),
    option("--track", metavar="COLUMN|rows", help=TRACK),
    option("--no-remove", is_flag=True, help="with --track: keep rows whose key is gone from the source"),
    option("--models", metavar="DIR", default="models", help="where in the project the model goes  [models]"),
    option("--macros", metavar="DIR", default="macros", help="where in the project the macro goes  [macros]"),
    option("--replace", is_flag=True, help="replace existing files"),
    _DIALECT,
)
@JSON
@_METHOD
@source_options
@shape_options
def dbt(
    source: tuple[str, ...],
    folder: str,
    model: _Model,
    as_json: bool,
    method: Method,
    rows: SourceOptions,
    shape: Shape,
) -> None:
    """Write SOURCE's projection into the dbt project PROJECT: a macro with the SELECT, a model of it, and its tests.

    The SQL is for the columns that SOURCE has now, and dbt runs it without sqlrp. To project other rows, write
    select * from ({{ sqlrp_NAME(ref('...')) }}) z. After you replace the projection of an incremental model, run it
    once with --full-refresh.
    """
    if len(source) > 1:
        raise click.UsageError(f"one SOURCE and one PROJECT, not {len(source) + 1} names")
    will_write(places(Path(folder), model.name, model.models, model.macros))
    target = _For(model.dialect, relation=model.relation)
    with _target(source[0] if source else None, target, method, rows) as (projection, asked, engine):
        written = write_dbt(projection, asked, engine, folder, **model.arguments, **shape.arguments)
    if model.replace and model.materialized == "incremental":
        click.echo(f"run: dbt run --full-refresh --select {model.name}, or old rows stay as they were", err=True)
    names = [str(path) for path in written]
    click.echo(json.dumps({"files": names}) if as_json else "\n".join(names))
