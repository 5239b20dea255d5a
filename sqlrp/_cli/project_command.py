"""The command that projects, and the options that it shares with those that write text."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click
import duckdb

import sqlrp
from sqlrp._cli.databases import ResourceLimits, SourcePlace, limit_options, place, reading
from sqlrp._cli.files import PIPED, Out, copy, on_screen, out_of, watched, write
from sqlrp._cli.option_fields import Command, OutputPath, gathered, option_field
from sqlrp._cli.screen import Bar
from sqlrp._cli.shared_options import (
    DRAWN,
    JSON,
    SOURCE,
    Method,
    ResultOptions,
    SourceOptions,
    method_options,
    shape_options,
    source_options,
)
from sqlrp._core.options import Options
from sqlrp._core.sources import Source
from sqlrp._core.values import dataclass
from sqlrp._core.whole_files import beside, check_place
from sqlrp._engines.registry import CONNECTORS, connector_of
from sqlrp._lowering.frame import Frame
from sqlrp._projections.projection import Projection
from sqlrp._run.database_url import shown
from sqlrp._run.nulls import NullRows, null_rows
from sqlrp._run.table_input import job_of, planned
from sqlrp._store.materialize import Keeping

METHOD = method_options(DRAWN, "rp")


lag_option = partial(option_field, "how old a materialized view may be", metavar="TIME")
warehouse_option = partial(option_field, "the warehouse of Snowflake that refreshes a dynamic table", metavar="NAME")
track_option = partial(
    option_field,
    "let refreshes find changed and deleted rows: by a column that grows with every change, or rows: by fingerprints",
    metavar="COLUMN|rows",
)


@dataclass(frozen=True)
class _GoalOptions:
    """The options that say what `project` writes."""

    out: str | None = option_field(
        "a .parquet, .csv or .arrow file, shop.duckdb::table, or - for the standard output",
        "-o",
        "--out",
        metavar="PATH",
        type=OutputPath(),
    )
    to: str | None = option_field(f"the format of -o -; arrow is a stream  [{PIPED[0]}]", type=click.Choice(PIPED))
    into: str | None = option_field(
        "a new table in the source's database, which `sqlrp refresh` updates", metavar="TABLE"
    )
    replace: bool = option_field("replace a table that sqlrp made before")
    kind: Keeping = option_field("what --into makes")
    lag: str = lag_option()
    warehouse: str | None = warehouse_option()
    track: str | None = track_option()

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
@gathered("goal", _GoalOptions, calls=sqlrp.materialize)
@JSON
@METHOD
@source_options
@shape_options
@limit_options
def project(
    source: str | None,
    goal: _GoalOptions,
    as_json: bool,
    method: Method,
    rows: SourceOptions,
    shape: ResultOptions,
    limits: ResourceLimits,
) -> None:
    """Project SOURCE, a file or a table, into a file (-o) or a table of its database (--into).

    SOURCE is a .parquet, .csv or .arrow file, a folder of Parquet, or a table of a DuckDB file, such as
    shop.duckdb::images. For any database, --db and --table name the table instead. SOURCE - is a pipe of CSV, JSON
    lines, Parquet or Arrow; its first bytes say which. -o - writes to the standard output, and the last line goes to
    the standard error.

    DuckDB streams files and tables of any size. The result of a server is fetched into memory. A failed command
    leaves no partial file. An existing file of the same name is replaced.
    """
    begun = time.perf_counter()
    where, out, into, piped = place(source, rows.db, rows.table, rows.csv), goal.out, goal.into, False
    task = _Task(where, rows.source(where.name), method, shape, limits)
    if (out is None) == (into is None):
        raise click.UsageError("give -o FILE or --into TABLE" + (", not both" if out else ""))
    if goal.to is not None and (out is None or "::" in out):
        raise click.UsageError("--to is for -o -, the standard output: leave it out with a table")
    if where.passes and (out is None or "::" in out):
        gone = "a pipe is gone" if where.piped else "reads the file without --decimal, --thousands, --na and --encoding"
        raise click.UsageError(
            f"a table remembers its source, for `sqlrp refresh`, and {gone}: name a plain file as SOURCE, or write a "
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

    where: SourcePlace
    source: Source
    method: Method
    shape: ResultOptions
    limits: ResourceLimits


@dataclass(frozen=True)
class _Outcome:
    """What a command wrote."""

    rows: int
    frame: Frame
    nulls: NullRows

    @staticmethod
    def of(rows: int, connection: Any, projection: Projection, source: Source, shape: ResultOptions) -> _Outcome:
        """Count the rows that became NULL. The projection may be bound to features, which it then names."""
        connector = connector_of(connection)
        with connector.working(connection) as session:
            job = job_of(projection, source, session, Options(**shape.arguments), quiet=True)
            return _Outcome(rows, job.frame, null_rows(connector, session, job))

    @property
    def said(self) -> str:
        """The rows, the features, the columns that are left out, and the rows that became NULL."""
        nulls = f"{self.nulls.rows:,} of them NULL{self.nulls.because}" if self.nulls.rows else "none of them NULL"
        out = f"; left out: {self.frame.passed_over};" if self.frame.left_out else ","
        return f"{self.rows:,} rows of {self.frame.features_in_words}{out} {nulls},"


def _into_file(task: _Task, out: Out, goal: _GoalOptions) -> _Outcome:
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
            return _Outcome.of(written, connection, projection, source, task.shape)
        with Bar("projecting", None, "rows"):
            table = sqlrp.project(projection, source, connection, **arguments)
        with duckdb.connect() as local:
            local.register("projected", table)
            written = copy(local, "SELECT * FROM projected", made, width)
        return _Outcome.of(written, connection, projection, source, task.shape)


def _spill(where: SourcePlace, folder: Path | None) -> Path | None:
    """DuckDB's folder for data that does not fit in memory, which goes when the command ends."""
    return None if where.is_server else folder


def _count(connection: Any, source: Source) -> int | None:
    return connector_of(connection).count(connection, source.table_name)


def _into_duckdb(task: _Task, path: str, into: str, goal: _GoalOptions) -> _Outcome:
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


def _materialize(task: _Task, connection: Any, source: Source, into: str, goal: _GoalOptions) -> _Outcome:
    projection, options = task.method.projection(connection), task.shape.arguments | goal.table
    with Bar("projecting", None, "rows") as bar:
        rows = watched(connection, bar, lambda: sqlrp.materialize(projection, source, connection, into, **options))
    return _Outcome.of(rows, connection, projection, source, task.shape)
