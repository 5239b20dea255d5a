"""The command that learns: learn."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, get_args

import click

import sqlrp
from sqlrp.cli.databases import limit_options, place, reading
from sqlrp.cli.files import Bar, watched
from sqlrp.cli.options import DRAWN, JSON, SOURCE, Command, Method, method_options, option, source_of, source_options
from sqlrp.core.options import Nulls
from sqlrp.core.writing import beside, check_place
from sqlrp.run.ridge import Coding
from sqlrp.run.target import Task


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise click.BadParameter(f"{text!r} must be numbers, separated by commas") from error


@click.command(
    cls=Command,
    examples="""
sqlrp learn images.parquet --target label --method pk -k 256 --ridge 1,100,10000 --folds 5 -o model.json
sqlrp learn --db postgresql://me@host/shop --table images --target price -k 32 --lowering sql --sql
""",
)
@SOURCE
@option("-o", "--out", type=click.Path(path_type=Path), metavar="PATH", help="a JSON file for the model and its sums")
@option("--sql", "as_sql", is_flag=True, help="print the query that scores SOURCE with the model")
@JSON
@option("--target", default="label", section="Learning", metavar="COLUMN", help="the column to predict  [label]")
@option("--labels", section="Learning", metavar="TABLE", help="the table that has the target, joined by the key")
@option("--ridge", type=_numbers, default="1", section="Learning", metavar="NUMBERS", help="one or several  [1]")
@option("--folds", type=int, default=0, section="Learning", help="folds of the cross-validation  [none]")
@option("--task", type=click.Choice(get_args(Task)), default="auto", section="Learning", help="what to learn  [auto]")
@option(
    "--coding",
    type=click.Choice(get_args(Coding)),
    default="sign",
    section="Learning",
    help="the targets of other classes are -1 or 0  [sign]",
)
@option(
    "--nulls",
    type=click.Choice(get_args(Nulls)),
    default="propagate",
    section="Learning",
    help="a row with a NULL feature is left out, its NULL is read as zero, or is an error  [propagate]",
)
@option(
    "--lowering",
    type=click.Choice(["auto", "sql", "inline", "indexed", "relational", "compiled"]),
    default="auto",
    section="Learning",
    help="sql: the database adds up, so that only sums leave it  [auto]",
)
@method_options(DRAWN, "rp")
@source_options
@limit_options
def learn(
    source: str | None,
    out: Path | None,
    as_sql: bool,
    as_json: bool,
    target: str,
    labels: str | None,
    ridge: list[float],
    folds: int,
    task: Task,
    coding: Coding,
    nulls: Nulls,
    lowering: str,
    memory_limit: str | None,
    threads: int | None,
    **values: Any,
) -> None:
    """Learn a ridge classifier or regressor of a column of SOURCE from the projected rows.

    The model needs only sums of the rows, which the database can compute. Cross-validation chooses the best of several
    ridges.
    """
    where = place(source, values["db"], values["table"])
    asked = source_of(where.name, values)
    if out is not None:
        check_place(out)
    query = ""
    with reading(where, memory_limit=memory_limit, threads=threads) as connection, Bar("learning", None, "") as bar:
        projection = Method(values).projection(connection)

        def learnt() -> sqlrp.LinearModel:
            return sqlrp.learn(
                projection,
                asked,
                connection,
                target,
                ridge=ridge,
                folds=folds,
                task=task,
                coding=coding,
                labels=labels,
                nulls=nulls,
                lowering=lowering,
            )

        model = watched(connection, bar, learnt)
        if as_sql:
            query = sqlrp.score_sql(model.projection, model, model.scored(asked), connection, nulls=nulls)
    if out is not None:
        with beside(out) as path:
            path.write_text(model.to_json(), encoding="utf-8")
    if as_json:
        rows = [
            {n: None if isinstance(v, float) and math.isnan(v) else v for n, v in row.items()}
            for row in model.table().to_pylist()
        ]
        click.echo(json.dumps({"model": repr(model), "rows": model.rows, "ridges": rows, "sql": query or None}))
    elif as_sql:
        click.echo(query)
    else:
        click.echo(repr(model))
        for row in model.table().to_pylist() if len(ridge) > 1 else []:
            said = "".join(f"  {name} {value:.4g}" for name, value in row.items() if name != "chosen")
            click.echo(f"{said}{'  chosen' if row['chosen'] else ''}")
