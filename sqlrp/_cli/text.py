"""The commands that write SQL instead of running it: sql, explain, export, dbt."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

import sqlrp
from sqlrp._cli.databases import check_names, place, reading
from sqlrp._cli.option_fields import Command, NameChoice, gathered, option, option_field, will_write
from sqlrp._cli.project_command import METHOD, lag_option, track_option, warehouse_option
from sqlrp._cli.shared_options import JSON, SOURCE, Method, ResultOptions, SourceOptions, shape_options, source_options
from sqlrp._core.driver_escapes import DRIVERS
from sqlrp._core.errors import warn
from sqlrp._core.sources import Array, Source, TableName, Wide
from sqlrp._core.values import dataclass
from sqlrp._engines.registry import ENGINES, RELATIVES, connector_of, dialect_named, meant
from sqlrp._projections.projection import Projection
from sqlrp._run.bind import cautions, look
from sqlrp._run.sql_files import Kept
from sqlrp.dbt import Materialized, places
from sqlrp.dbt import write as write_dbt

dialect_option = partial(
    option_field,
    f"write SQL for this engine instead of the source's: {', '.join(ENGINES)}",
    type=NameChoice(
        [*ENGINES, *RELATIVES], lambda name: ("", f"{name!r} is no engine{meant(name)}: one of {', '.join(ENGINES)}")
    ),
    metavar="ENGINE",
)


@dataclass(frozen=True)
class _EngineOptions:
    """The options that say for which engine text is written, and for which table there."""

    dialect: str | None = dialect_option()
    as_table: str | None = option_field(
        "the table's name there  [the source's, or the file's]", "--as", metavar="TABLE"
    )
    relation: str | None = None


_DIALECT_AS = gathered("target", _EngineOptions)


@contextmanager
def _target(
    source: str | None,
    target: _EngineOptions,
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
    where = place(source, rows.db, rows.table, rows.csv)
    if where.passes and table is None and not explaining:
        what = (
            "read the pipe of SOURCE - again"
            if where.piped
            else "read the file by --decimal, --thousands, --na and --encoding"
        )
        raise click.UsageError(f"SQL cannot {what}: name the table in the other database by --dialect and --as")
    asked = rows.source(where.name)
    with reading(where) as connection:
        projection = method.projection(connection)
        if dialect is None and not unconnected:
            yield projection, asked, connection
            return
        connector = connector_of(connection)
        dialect = dialect or connector.dialect.name
        frame = look(connector, connection, asked, bound_to=projection.bound_to)
        warn(*cautions(projection, frame))
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
@option(
    "--driver",
    type=click.Choice([*DRIVERS]),
    metavar="NAME",
    help=f"escape what this driver or template reads in the text: {', '.join(DRIVERS)}",
)
@JSON
@METHOD
@source_options
@shape_options
def sql(
    source: str | None,
    as_json: bool,
    target: _EngineOptions,
    driver: str | None,
    method: Method,
    rows: SourceOptions,
    shape: ResultOptions,
) -> None:
    """Print the SQL that projects SOURCE, for its own database or for another engine (--dialect).

    It is one SELECT, or a script of several statements if there are too many terms for one.
    """
    with _target(source, target, method, rows) as (projection, asked, engine):
        text = sqlrp.sql(projection, asked, engine, **shape.arguments, driver=driver)
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
@METHOD
@source_options
@shape_options
def explain(
    source: str | None, as_json: bool, target: _EngineOptions, method: Method, rows: SourceOptions, shape: ResultOptions
) -> None:
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
class _ExportOptions:
    """The options that say what the statements of `export` make."""

    into: str = option_field("the view or table that the SQL makes", metavar="TABLE")
    kind: Kept = option_field("what the SQL makes")
    lag: str = lag_option()
    warehouse: str | None = warehouse_option()
    cluster: str | None = option_field("the cluster of ClickHouse whose servers all run the statements", metavar="NAME")


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
@gathered("made", _ExportOptions, calls=sqlrp.export)
@JSON
@METHOD
@source_options
@shape_options
def export(
    source: tuple[str, ...],
    folder: str,
    made: _ExportOptions,
    as_json: bool,
    target: _EngineOptions,
    method: Method,
    rows: SourceOptions,
    shape: ResultOptions,
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
class _DbtOptions:
    """The options that say which files `dbt` writes."""

    name: str = option_field("the model's name", required=True)
    relation: str | None = option_field(
        "the relation it reads: a model, a seed or source.table  [the source's name]", metavar="NAME"
    )
    materialized: Materialized = option_field("how dbt keeps the rows; incremental adds new rows by key")
    track: str | None = track_option()
    no_remove: bool = option_field("with --track: keep rows whose key is gone from the source")
    models: str = option_field("where in the project the model goes", metavar="DIR")
    macros: str = option_field("where in the project the macro goes", metavar="DIR")
    replace: bool = option_field("replace existing files")
    dialect: str | None = dialect_option()

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
@gathered("model", _DbtOptions, calls=write_dbt)
@JSON
@METHOD
@source_options
@shape_options
def dbt(
    source: tuple[str, ...],
    folder: str,
    model: _DbtOptions,
    as_json: bool,
    method: Method,
    rows: SourceOptions,
    shape: ResultOptions,
) -> None:
    """Write SOURCE's projection into the dbt project PROJECT: a macro with the SELECT, a model of it, and its tests.

    The SQL is for the columns that SOURCE has now, and dbt runs it without sqlrp. To project other rows, write
    select * from ({{ sqlrp_NAME(ref('...')) }}) z. After you replace the projection of an incremental model, run it
    once with --full-refresh.
    """
    if len(source) > 1:
        raise click.UsageError(f"one SOURCE and one PROJECT, not {len(source) + 1} names")
    will_write(places(Path(folder), model.name, model.models, model.macros))
    target = _EngineOptions(model.dialect, relation=model.relation)
    with _target(source[0] if source else None, target, method, rows) as (projection, asked, engine):
        written = write_dbt(projection, asked, engine, folder, **model.arguments, **shape.arguments)
    if model.replace and model.materialized == "incremental":
        click.echo(f"run: dbt run --full-refresh --select {model.name}, or old rows stay as they were", err=True)
    names = [str(path) for path in written]
    click.echo(json.dumps({"files": names}) if as_json else "\n".join(names))
