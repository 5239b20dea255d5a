"""The commands for near rows: neighbours, clusters."""

from __future__ import annotations

from typing import Any

import click
import duckdb

import sqlrp
from sqlrp._cli.databases import ResourceLimits, limit_options, place, reading
from sqlrp._cli.files import PIPED, Out, copy, on_screen, out_of, watched
from sqlrp._cli.option_fields import Command, OutputPath, gathered, option, option_field
from sqlrp._cli.screen import Bar
from sqlrp._cli.shared_options import SOURCE, TableOptions, table_options
from sqlrp._core.values import dataclass
from sqlrp._engines.registry import connector_of
from sqlrp._lowering.distances_sql import Metric


@dataclass(frozen=True)
class _OutOptions:
    """The options that say where rows go."""

    out: str = option_field(
        "a .parquet, .csv or .arrow file, or - for the standard output",
        "-o",
        "--out",
        default="-",
        metavar="PATH",
        type=OutputPath(),
    )
    to: str | None = option_field(f"the format of -o -  [{PIPED[0]}]", type=click.Choice(PIPED))

    @property
    def place(self) -> Out:
        """The file, or the standard output."""
        return out_of(self.out, self.to)


@dataclass(frozen=True)
class _NeighbourOptions:
    """The options of `sqlrp.neighbours_sql`."""

    n: int = option_field("the number of neighbours of each row")
    where: str | None = option_field("a condition on columns of the source, which chooses both rows", metavar="SQL")
    candidates: int = option_field("rows to rank again for each")
    metric: Metric = option_field("what is near")


_OUT = gathered("goal", _OutOptions)


def _write(goal: Out, rows: Any) -> int:
    """Write rows in memory; return their number."""
    with goal.opened() as (made, _), duckdb.connect() as local:
        local.register("found", rows)
        return copy(local, "FROM found", made, rows.num_columns)


def _said(out: Out, rows: int, what: str) -> None:
    """Say how many rows were written; on the standard error if the rows went to the standard output."""
    click.echo(f"{out.path or 'the standard output'}: {rows:,} {what}", err=out.path is None)


@click.command(
    cls=Command,
    examples="""
sqlrp neighbours shop.duckdb::docs_bits -n 10 -o near.parquet
sqlrp neighbours shop.duckdb::docs_bits -n 3 --where "lang = 'en'" | head -4
sqlrp neighbours --db postgresql://me@host/shop --table docs_bits --metric cosine -o near.csv
""",
)
@SOURCE
@_OUT
@gathered("asked", _NeighbourOptions, calls=sqlrp.neighbours_sql)
@table_options
@limit_options
def neighbours(
    source: str | None, goal: _OutOptions, asked: _NeighbourOptions, at: TableOptions, limits: ResourceLimits
) -> None:
    """Write the rows that are nearest to each row of SOURCE, a table that --into made: key, neighbour, distance."""
    where, out = place(source, at.db, at.table, {}), goal.place
    with reading(where, limits=limits) as connection:
        text = sqlrp.neighbours_sql(connection, where.name, **vars(asked))
        with Bar("searching", None, "", on_screen(out)) as bar:
            if not where.is_server:
                with out.opened() as (made, _):
                    rows = watched(connection, bar, lambda: copy(connection, text, made, 3))
            else:
                rows = _write(out, connector_of(connection).fetch(connection, text))
    _said(out, rows, "neighbours")


@click.command(
    cls=Command,
    examples="""
sqlrp clusters near.parquet --within 0.3 -o groups.csv
sqlrp clusters shop.duckdb::near --within 0.3 | head -4
sqlrp clusters --db postgresql://me@host/shop --table near --within 0.05 -o groups.parquet
""",
)
@SOURCE
@option("--within", type=float, required=True, help="the greatest distance of near rows")
@_OUT
@table_options
@limit_options
def clusters(source: str | None, within: float, goal: _OutOptions, at: TableOptions, limits: ResourceLimits) -> None:
    """Group rows by the near pairs of SOURCE, what `sqlrp neighbours` wrote: key, cluster, distance.

    The rows of a cluster are joined by pairs that are at most --within apart. `cluster` is its least key, and the
    distance that to the nearest row of it; it is NULL for a row that is alone.
    """
    where, out = place(source, at.db, at.table, {}), goal.place
    with reading(where, limits=limits) as connection, Bar("grouping", None, "", on_screen(out)) as bar:
        found = watched(connection, bar, lambda: sqlrp.clusters(connection, where.name, within=within))
    rows = _write(out, found)
    groups = len(found.column("cluster").unique())
    _said(out, rows, f"rows in {groups:,} clusters")


__all__ = ["clusters", "neighbours"]
