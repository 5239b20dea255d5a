"""The commands for stored projections and tables: fit, install, list, refresh, check."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import click

import sqlrp
from sqlrp._cli.databases import ResourceLimits, existing, is_server, limit_options, opened, place, reading
from sqlrp._cli.files import check_text, watched, write_text
from sqlrp._cli.option_fields import Command, OutputPath, gathered, option, option_field
from sqlrp._cli.screen import Bar, print_table
from sqlrp._cli.shared_options import FITTED, JSON, SOURCE, Method, SourceOptions, method_options, names, source_options
from sqlrp._core.errors import ParameterError, printable
from sqlrp._core.shipped_files import text_of
from sqlrp._core.values import dataclass
from sqlrp._engines.registry import CONNECTORS
from sqlrp._projections import FUNCTIONS
from sqlrp._projections.projection import Projection
from sqlrp._run.database_url import shown
from sqlrp._store.materialize import materialized

URL = click.argument("db", metavar="URL", envvar="SQLRP_DB")


@dataclass(frozen=True)
class _TargetOptions:
    """The options that say what a method learns besides the rows."""

    target: tuple[str, ...] | None = option_field(
        "of methods that learn from it: classes, or numbers", type=names, metavar="COLUMNS"
    )
    labels: str | None = option_field("the table that has the target, joined by the key", metavar="TABLE")

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `sqlrp.fit`. A single column may have classes."""
        single = self.target[0] if self.target is not None and len(self.target) == 1 else self.target
        return {"target": single, "labels": self.labels}


@click.command(
    cls=Command,
    examples="""
sqlrp fit images.parquet -o tuned.json --method data-tuned -k 64 --keep label
sqlrp fit shop.duckdb::images --name images_tuned -k 64
sqlrp fit shop.duckdb::images --name images_lda --method linear-discriminants --target label -k 9
sqlrp project images.parquet -o small.parquet --fitted tuned.json --keep label
sqlrp project shop.duckdb::images -o small.parquet --saved images_tuned
""",
)
@SOURCE
@option("-o", "--out", type=OutputPath(path_type=Path), help="write a JSON file, for --fitted")
@option("--name", help="save it under this name in the source's database, for --saved and project_with")
@option("--replace", is_flag=True, help="replace another projection of that name")
@gathered("told", _TargetOptions)
@JSON
@method_options(FITTED, "data-tuned")
@source_options
def fit(
    source: str | None,
    out: Path | None,
    name: str | None,
    replace: bool,
    told: _TargetOptions,
    as_json: bool,
    method: Method,
    rows: SourceOptions,
) -> None:
    """Fit a method that learns from data: from a sample of SOURCE's rows, drawn in the database.

    Principal components are learnt from all rows, unless --sample says how many, and so are linear discriminants,
    partial least squares and canonical correlation, which need a --target.

    Ctrl-C ends the search of data-tuned and keeps the best table found so far.
    """
    where = place(source, rows.db, rows.table, rows.csv)
    asked = rows.source(where.name)
    if out is None and name is None:
        raise click.UsageError("give -o FILE.json, or --name NAME to keep it in the database")
    if name is not None and where.db is None:
        raise click.UsageError(f"--name {name!r} needs a database: give shop.duckdb::table, or --db and --table")
    piped = check_text(out, {"--json": as_json})
    projection = method.projection()
    steps = projection.iterations or None
    with reading(where, writes=name is not None) as connection:
        with Bar("fitting", steps, "steps") as bar:

            def show(done: int, loss: float) -> bool:
                bar.show(done / (steps or done), f", mean distortion {loss:.4f}")
                return False

            fitted = sqlrp.fit(projection, asked, connection, **told.arguments, progress=show)
        if out is not None:
            write_text(out, fitted.to_json() + "\n")
        if name is not None:
            sqlrp.save(fitted, connection, name, source=asked, replace=replace)
    kept = [place for place in (out and str(out), name) if place]
    if as_json:
        click.echo(json.dumps({"projection": _title(fitted), "fingerprint": fitted.fingerprint, "kept": kept}))
    else:
        click.echo(f"{' and '.join(kept)}: {_title(fitted)}", err=piped)


def _title(projection: Projection) -> str:
    """The method and its parameters, without the fitted state."""
    learnt: dict[str, Any] = {"state": None} if projection.needs_state else {}
    return dataclasses.replace(projection, bound_to=None, **learnt).name


@click.command(
    cls=Command,
    examples="""
sqlrp install shop.duckdb
sqlrp install postgresql://me@host/shop --schema public
""",
)
@URL
@option("--schema", help="PostgreSQL: the schema to install into  [the current one]")
@option("--trust-schema", is_flag=True, help="PostgreSQL: allow a schema in which others may create objects")
@JSON
def install(db: str, schema: str | None, trust_schema: bool, as_json: bool) -> None:
    """Install rp_project, pk_project and others into a DuckDB file or PostgreSQL. They need no Python afterwards."""
    if schema is not None and not is_server(db):
        raise ParameterError(f"schema = {schema!r} is for PostgreSQL: in a DuckDB file it is main")
    if trust_schema and not is_server(db):
        raise ParameterError("--trust-schema is for PostgreSQL: for a DuckDB file, leave it out")
    with opened(existing(db), writes=True) as connection:
        if is_server(db):
            sqlrp.install(connection, schema, trust_schema=trust_schema)
            names = tuple(FUNCTIONS)
        else:  # the functions of sqlrp.install would need the Python process that registered them
            text = text_of("duckdb.sql")
            connector = CONNECTORS["duckdb"]
            with connector.transaction(connection, "", makes=True) as session:
                connector.execute(session, text)
            names = tuple(dict.fromkeys(re.findall(r"^CREATE OR REPLACE MACRO (\w+_project)\(", text, re.MULTILINE)))
    click.echo(json.dumps({"db": shown(db), "functions": names}) if as_json else f"{shown(db)}: {', '.join(names)}")


@click.command(
    "list",
    cls=Command,
    examples="""
sqlrp list shop.duckdb
sqlrp list postgresql://me@host/shop --json
""",
)
@URL
@JSON
def list_(db: str, as_json: bool) -> None:
    """List the saved projections and models of a database, and the tables that --into made."""
    with opened(existing(db)) as connection:
        saved, made, learnt = sqlrp.saved(connection), materialized(connection), sqlrp.saved_models(connection)
    projections = [{"name": name, "projection": _title(p), "fingerprint": p.fingerprint} for name, p in saved.items()]
    models = [{"name": name, "model": repr(model)} for name, model in learnt.items()]
    tables = [{"name": n, "source": s.table, "projection": _title(p)} for n, (p, s) in made.items()]
    if as_json:
        click.echo(json.dumps({"projections": projections, "models": models, "tables": tables}))
        return
    print_table("Projections", projections)
    print_table("Models", models)
    print_table("Tables", tables)
    if not projections and not models and not tables:
        click.echo(
            f"{shown(db)} keeps nothing of sqlrp: `sqlrp fit --name`, `sqlrp learn --name` and `sqlrp project --into` "
            "do"
        )


@click.command(
    cls=Command,
    examples="""
sqlrp refresh shop.duckdb images_pk
sqlrp refresh postgresql://me@host/shop images_pk --everything
""",
)
@URL
@click.argument("name")
@option("--everything", is_flag=True, help="project all rows again, and swap the new table in")
@option("--no-remove", is_flag=True, help="keep rows whose key is gone from the source (made with --track)")
@option("--removals", type=click.FloatRange(0, 1), help="the share of the rows that it may remove; 0.5 unless given")
@JSON
@limit_options
def refresh(
    db: str, name: str, everything: bool, no_remove: bool, removals: float | None, as_json: bool, limits: ResourceLimits
) -> None:
    """Add the source's new rows, found by their key, to the table NAME that --into made.

    If it was made with --track, replace changed rows too, and remove those whose key is gone.
    """
    with opened(existing(db), writes=True, limits=limits) as connection, Bar("projecting", None, "rows") as bar:
        options: dict[str, Any] = {"everything": everything, "remove": not no_remove, "removals": removals}
        rows = watched(connection, bar, lambda: sqlrp.refresh(connection, name, **options))
    counts = {"added": rows.added, "changed": rows.changed, "removed": rows.removed}
    if as_json:
        click.echo(json.dumps({"db": shown(db), "table": name, "rows": rows, **counts}))
    elif rows.changed or rows.removed:
        click.echo(f"{name}: {rows.added:,} new, {rows.changed:,} changed, {rows.removed:,} removed rows")
    else:
        click.echo(f"{name}: {rows:,} {'rows' if everything else 'new rows'}")


@click.command(
    cls=Command,
    examples="""
sqlrp check shop.duckdb
sqlrp check postgresql://me@host/shop --repair
""",
)
@URL
@option("--repair", is_flag=True, help="repair what can be repaired without losing data")
@JSON
def check(db: str, repair: bool, as_json: bool) -> None:
    """Compare a database's saved projections, functions and tables. The exit code is 1 if anything is wrong."""
    with opened(existing(db), writes=repair) as connection:
        findings = sqlrp.check(connection, repair)
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(finding) for finding in findings]))
    else:
        for finding in findings:
            click.echo(printable(str(finding)))
        if not findings:
            click.echo(f"{shown(db)}: nothing is wrong")
    if not all(finding.mended for finding in findings):
        raise click.exceptions.Exit(1)
