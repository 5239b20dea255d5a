"""The commands that project: project, sql, explain, export, dbt."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, get_args

import click
import duckdb

import sqlrp
from sqlrp.cli.databases import Place, check_names, limit_options, place, reading, shown
from sqlrp.cli.files import Bar, check_file, copy, watched, write
from sqlrp.cli.options import (
    DRAWN,
    JSON,
    SOURCE,
    Command,
    Method,
    Named,
    method_options,
    option,
    shape,
    shape_options,
    source_of,
    source_options,
    taking,
)
from sqlrp.core.options import Options
from sqlrp.core.sources import Array, Source, TableName, Wide
from sqlrp.core.writing import beside, check_place
from sqlrp.dbt import Materialized
from sqlrp.dbt import write as write_dbt
from sqlrp.engines import CONNECTORS, ENGINES, connector_of, meant
from sqlrp.projections.base import Projection
from sqlrp.run.api import planned
from sqlrp.run.bind import caution, look
from sqlrp.run.exporting import Kept
from sqlrp.store.materialize import Keeping

_METHOD = method_options(DRAWN, "rp")
TRACK = (
    "let refreshes find changed and deleted rows: by a column that grows with every change, or rows: by fingerprints"
)


_LAG = option("--lag", metavar="TIME", default="1 hour", help="how old a materialized view may be  [1 hour]")
_WAREHOUSE = option("--warehouse", metavar="NAME", help="the warehouse of Snowflake that refreshes a dynamic table")


@click.command(
    cls=Command,
    examples="""
sqlrp project images.parquet -o small.parquet --method pk -k 256 --degree 2 --keep label
sqlrp project docs.csv -o docs.arrow --array-column embedding -k 128 --output array
sqlrp project counts.parquet -o small.parquet --key doc --long word,n -k 256
sqlrp project shop.duckdb::images -o shop.duckdb::images_pk --method pk
sqlrp project --db postgresql://me@host/shop --table images --into images_pk --method pk
sqlrp project big.parquet -o small.parquet --memory-limit 1GB
""",
)
@SOURCE
@option("-o", "--out", metavar="PATH", help="a .parquet, .csv or .arrow file, or shop.duckdb::table", type=click.Path())
@option("--into", metavar="TABLE", help="a new table in the source's database, which `sqlrp refresh` updates")
@option("--replace", is_flag=True, help="replace a table that sqlrp made before")
@option("--kind", type=click.Choice(get_args(Keeping)), default="table", help="what --into makes  [table]")
@_LAG
@_WAREHOUSE
@option("--track", metavar="COLUMN|rows", help=TRACK)
@JSON
@_METHOD
@source_options
@shape_options
@limit_options
def project(source: str | None, out: str | None, into: str | None, as_json: bool, **values: Any) -> None:
    """Project SOURCE, a file or a table, into a file (-o) or a table of its database (--into).

    SOURCE is a .parquet, .csv or .arrow file, or a table of a DuckDB file, such as shop.duckdb::images. For any
    database, --db and --table name the table instead.

    DuckDB streams files and tables of any size. The result of a server is fetched into memory. A failed command
    leaves no partial file. An existing file of the same name is replaced.
    """
    begun = time.perf_counter()
    where = place(source, values["db"], values["table"])
    asked, method = source_of(where.name, values), Method(values)
    if (out is None) == (into is None):
        raise click.UsageError("give -o FILE or --into TABLE" + (", not both" if out else ""))
    if out is not None and "::" in out:
        path, _, into = out.partition("::")
        rows = _into_duckdb(path, into, where, asked, method, values)
    elif into is not None:
        if where.db is None:
            raise click.UsageError(f"--into {into!r} needs a database: write -o shop.duckdb::{into}")
        with reading(where, writes=True, **_limits(values)) as connection:
            rows = _materialize(connection, asked, into, method.projection(connection), values)
    else:
        rows = _into_file(Path(str(out)), where, asked, method, values)
    seconds = time.perf_counter() - begun
    made = into if out is None else out
    if as_json:
        click.echo(json.dumps({"out": made, "db": where.db and shown(where.db), "rows": rows, "seconds": seconds}))
    else:
        click.echo(f"{made}: {rows:,} rows in {seconds:.1f} s")


def _limits(values: dict[str, Any]) -> dict[str, Any]:
    return {"memory_limit": values["memory_limit"], "threads": values["threads"]}


def _into_file(path: Path, where: Place, source: Source, method: Method, values: dict[str, Any]) -> int:
    """Write the projected rows. Those of a server go through memory, as its driver returns them all at once."""
    check_file(path)
    if values["replace"] or values["kind"] != "table" or values["track"] is not None:
        raise click.UsageError("--replace, --kind and --track are for tables: leave them out with a file")
    with beside(path) as made, reading(where, **_limits(values), **_spill(where, made)) as connection:
        projection = method.projection(connection)
        width = projection.k + len(source.keep) + 1
        if not where.is_server:
            chosen = planned(projection, source, connection, Options(**shape(values)), here=True)
            rows = None if where.arrow else _count(connection, source)
            with Bar("projecting", rows, "rows") as bar:
                return watched(connection, bar, lambda: write(connection, chosen, made, width))
        with Bar("projecting", None, "rows"):
            table = sqlrp.project(projection, source, connection, **shape(values))
        with duckdb.connect() as local:
            local.register("projected", table)
            return copy(local, "SELECT * FROM projected", made, width)


def _spill(where: Place, made: Path) -> dict[str, Any]:
    """DuckDB's folder for data that does not fit in memory: next to the new file, and removed with it."""
    return {} if where.is_server else {"spill": made.parent / "spill"}


def _count(connection: Any, source: Source) -> int | None:
    return connector_of(connection).count(connection, TableName.parse(source.table))


def _into_duckdb(path: str, into: str, where: Place, source: Source, method: Method, values: dict[str, Any]) -> int:
    """Materialize in a DuckDB file. A new file appears completely or not at all."""
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
        connection = stack.enter_context(reading(place_, writes=True, **_limits(values)))
        rows = _materialize(connection, source, into, method.projection(connection), values)
        if made != path:  # closing silently would leave data in a log file that is not moved
            CONNECTORS["duckdb"].execute(connection, "CHECKPOINT")
        return rows


def _materialize(connection: Any, source: Source, into: str, projection: Projection, values: dict[str, Any]) -> int:
    options = shape(values) | {name: values[name] for name in ("replace", "kind", "track", "lag", "warehouse")}
    with Bar("projecting", None, "rows") as bar:
        return watched(connection, bar, lambda: sqlrp.materialize(projection, source, connection, into, **options))


# -- text ------------------------------------------------------------------------------------------------

_DIALECT = option(
    "--dialect",
    type=Named(ENGINES, lambda name: ("", f"{name!r} is no engine{meant(name)}: one of {', '.join(ENGINES)}")),
    metavar="ENGINE",
    help=f"write SQL for this engine instead of the source's: {', '.join(ENGINES)}",
)
_DIALECT_AS = taking(
    _DIALECT,
    option("--as", "as_table", metavar="TABLE", help="the table's name there  [the source's, or the file's]"),
)


@contextmanager
def _target(
    source: str | None, values: dict[str, Any], unconnected: bool = False
) -> Iterator[tuple[Projection, Source, Any]]:
    """The projection, the source, and the connection or the engine's name to write for.

    With a dialect, a source that names its features is not opened; otherwise its column names are read.
    `unconnected`: use the engine's name instead of the connection, even without a dialect.
    """
    method, dialect, table = Method(values), values["dialect"], values.get("as_table")
    check_names(
        ("SOURCE", source), ("--table", values["table"]), ("--as", table), ("--relation", values.get("relation"))
    )
    if table is not None and dialect is None:
        raise click.UsageError("--as goes with --dialect, as the source has its own name in its own database")
    known = values["features"] or values["long"] or values["feature"] or values["value"]
    if dialect is not None and known and not values["db"] and not values["saved"] and "::" not in (source or ""):
        name = table or source or values["table"]
        if name is None:
            raise click.UsageError("no table: name it as SOURCE")
        yield method.projection(), source_of(name, values), dialect
        return
    where = place(source, values["db"], values["table"])
    asked = source_of(where.name, values)
    with reading(where) as connection:
        projection = method.projection(connection)
        if dialect is None and not unconnected:
            yield projection, asked, connection
            return
        connector = connector_of(connection)
        dialect = dialect or connector.dialect.name
        frame = look(connector, connection, asked, bound_to=projection.bound_to)
        caution(projection, frame)
        if table is None and where.db is None and not ENGINES[dialect].reads_files:
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
def sql(source: str | None, as_json: bool, **values: Any) -> None:
    """Print the SQL that projects SOURCE, for its own database or for another engine (--dialect).

    It is one SELECT, or a script of several statements if there are too many terms for one.
    """
    with _target(source, values) as (projection, asked, target):
        text = sqlrp.sql(projection, asked, target, **shape(values))
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
def explain(source: str | None, as_json: bool, **values: Any) -> None:
    """Show which lowering would project SOURCE and why, with estimated times of all lowerings. Nothing is projected."""
    with _target(source, values) as (projection, asked, target):
        found = sqlrp.explain(projection, asked, target, **shape(values))
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
@option("--into", metavar="TABLE", default="projected", help="the view or table that the SQL makes  [projected]")
@option("--kind", type=click.Choice(get_args(Kept)), default="view", help="what the SQL makes  [view]")
@_LAG
@_WAREHOUSE
@JSON
@_METHOD
@source_options
@shape_options
def export(source: tuple[str, ...], folder: str, into: str, as_json: bool, **values: Any) -> None:
    """Write the statements that project SOURCE as numbered .sql files into DIR, which must be new or empty."""
    if len(source) > 1:
        raise click.UsageError(f"one SOURCE and one DIR, not {len(source) + 1} names")
    with _target(source[0] if source else None, values, unconnected=True) as (projection, asked, target):
        own = {n: values[n] for n in ("kind", "lag", "warehouse")}
        written = sqlrp.export(projection, asked, target, folder, into=into, **own, **shape(values))
    names = [str(path) for path in written]
    click.echo(json.dumps({"files": names}) if as_json else "\n".join(names))


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
@option("--name", required=True, help="the model's name")
@option(
    "--relation", metavar="NAME", help="the relation it reads: a model, a seed or source.table  [the source's name]"
)
@option(
    "--materialized",
    type=click.Choice(get_args(Materialized)),
    default="incremental",
    help="how dbt keeps the rows; incremental adds new rows by key  [incremental]",
)
@option("--track", metavar="COLUMN|rows", help=TRACK)
@option("--no-remove", is_flag=True, help="with --track: keep rows whose key is gone from the source")
@option("--models", metavar="DIR", default="models", help="where in the project the model goes  [models]")
@option("--macros", metavar="DIR", default="macros", help="where in the project the macro goes  [macros]")
@option("--replace", is_flag=True, help="replace existing files")
@_DIALECT
@JSON
@_METHOD
@source_options
@shape_options
def dbt(source: tuple[str, ...], folder: str, as_json: bool, **values: Any) -> None:
    """Write SOURCE's projection into the dbt project PROJECT: a macro with the SELECT, a model of it, and its tests.

    The SQL is for the columns that SOURCE has now, and dbt runs it without sqlrp. To project other rows, write
    select * from ({{ sqlrp_NAME(ref('...')) }}) z. After you replace the projection of an incremental model, run it
    once with --full-refresh.
    """
    if len(source) > 1:
        raise click.UsageError(f"one SOURCE and one PROJECT, not {len(source) + 1} names")
    own = {n: values[n] for n in ("relation", "materialized", "models", "macros", "replace", "track")}
    with _target(source[0] if source else None, values) as (projection, asked, target):
        written = write_dbt(
            projection, asked, target, folder, values["name"], remove=not values["no_remove"], **own, **shape(values)
        )
    if values["replace"] and values["materialized"] == "incremental":
        click.echo(f"run: dbt run --full-refresh --select {values['name']}, or old rows stay as they were", err=True)
    names = [str(path) for path in written]
    click.echo(json.dumps({"files": names}) if as_json else "\n".join(names))
