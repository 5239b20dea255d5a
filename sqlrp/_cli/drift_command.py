"""The command that compares rows with earlier ones: drift."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click

import sqlrp
from sqlrp._cli.databases import ResourceLimits, SourcePlace, ends_in, limit_options, place, reading
from sqlrp._cli.files import check_text, watched, write_text
from sqlrp._cli.option_fields import Command, OutputPath, gathered, option, option_field
from sqlrp._cli.screen import Bar
from sqlrp._cli.shared_options import JSON, SOURCE, SourceOptions, source_options
from sqlrp._core.errors import SourceError
from sqlrp._core.values import dataclass
from sqlrp._learning.drift import Test
from sqlrp._learning.hotelling import Correction


@dataclass(frozen=True)
class _TestOptions:
    """The options that say how rows are compared."""

    by: str | None = option_field("compare the rows of each of its values, such as a day", metavar="COLUMN")
    labels: str | None = option_field("the table that has the column of --by, joined by the key", metavar="TABLE")
    k: int | None = option_field("components  [64, or 128 for mmd]")
    test: Test | None = option_field("mmd: the maximum mean discrepancy  [hotelling]")
    alpha: float = option_field("how often rows that have not drifted may alarm")
    correction: Correction = option_field("of many p values")


@click.command(
    cls=Command,
    examples="""
sqlrp drift today.parquet --reference before.parquet
sqlrp drift shop.duckdb::orders --reference orders_before --by day -o before.json
sqlrp drift --db postgresql://me@host/shop --table orders --reference before.json --by day --json
""",
)
@SOURCE
@option(
    "--reference",
    type=click.Path(),
    required=True,
    metavar="NAME",
    help="the rows before: a file, a table of the same database, or what -o wrote (.json)",
)
@option(
    "-o", "--out", type=OutputPath(path_type=Path), metavar="PATH", help="a JSON file for the sums of the reference"
)
@option("--sql", "as_sql", is_flag=True, help="print the query that compares SOURCE with the reference")
@JSON
@gathered("how", _TestOptions, "Test", sqlrp.drift)
@source_options
@limit_options
def drift(
    source: str | None,
    reference: str,
    out: Path | None,
    as_sql: bool,
    as_json: bool,
    how: _TestOptions,
    rows: SourceOptions,
    limits: ResourceLimits,
) -> None:
    """Test whether the rows of SOURCE are still like earlier ones, from sums of each.

    It sees changes that no single column shows, such as two columns that are no longer correlated.
    """
    where = place(source, rows.db, rows.table, rows.csv)
    piped = check_text(out, {"--json": as_json, "--sql": as_sql})
    before, current = _reference(reference, where, rows), rows.source(where.name)
    query = ""
    with reading(where, limits=limits) as connection, Bar("comparing", None, "") as bar:
        found = watched(connection, bar, lambda: sqlrp.drift(None, before, current, connection, **vars(how)))
        if as_sql:
            query = sqlrp.drift_sql(found, current, connection, by=how.by, alpha=how.alpha)
    if out is not None:
        write_text(out, found.to_json())
    if as_json:
        click.echo(json.dumps({"groups": [_plain(row) for row in found.table().to_pylist()], "sql": query or None}))
    else:
        click.echo(query if as_sql else str(found), err=piped)


def _reference(reference: str, where: SourcePlace, rows: SourceOptions) -> Any:
    """The rows before, or their sums. Raises UsageError for a file of another kind than SOURCE."""
    if ends_in(reference, ".json"):
        try:
            return sqlrp.drift_from_json(Path(reference).read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            raise SourceError(f"{reference!r} is no text: name a file that `sqlrp drift -o` wrote") from error
    if where.db is not None:
        return rows.source(reference)
    if rows.csv:
        raise click.UsageError(
            "--decimal, --thousands, --na and --encoding are for SOURCE alone: give a --reference that -o wrote"
        )
    other = place(reference, None, None, {})
    if other.db is not None or other.arrow or other.piped:
        raise click.UsageError(
            f"--reference {reference!r} is of another kind than SOURCE: name a .parquet or .csv file, or what -o wrote"
        )
    return rows.source(other.name)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Numbers that JSON has."""
    return {name: None if isinstance(cell, float) and not math.isfinite(cell) else cell for name, cell in row.items()}


__all__ = ["drift"]
