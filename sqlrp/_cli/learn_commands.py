"""The commands that learn: learn, choose, kmeans."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

import sqlrp
from sqlrp._cli.databases import ResourceLimits, SourcePlace, limit_options, place, reading
from sqlrp._cli.files import check_picture, check_text, watched, write_text
from sqlrp._cli.option_fields import Command, flag, gathered, option_field
from sqlrp._cli.screen import Bar
from sqlrp._cli.shared_options import (
    DRAWN,
    JSON,
    SOURCE,
    Method,
    SourceOptions,
    Way,
    method_options,
    number_or_text,
    source_options,
)
from sqlrp._core.options import Nulls
from sqlrp._core.values import dataclass
from sqlrp._learning.folds import CLASSIFIER_SCORES, REGRESSOR_SCORES
from sqlrp._learning.ridge import Coding
from sqlrp._learning.target import Task
from sqlrp._learning.thresholds import THRESHOLDS
from sqlrp._learning.written_models import Model


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise click.BadParameter(f"{text!r} must be numbers, separated by commas") from error


def _bounds(text: str) -> tuple[float, float]:
    """The least and the greatest value."""
    found = _numbers(text)
    if len(found) != 2:
        raise click.BadParameter(f"{text!r} must be two numbers, such as 0,100")
    return found[0], found[1]


def _classes(text: str) -> list[Any]:
    return [number_or_text(part) for part in text.split(",")]


def _weights(text: str) -> str | dict[Any, float]:
    """A name, or classes and their weights."""
    if "=" not in text:
        return text
    found = {}
    for part in text.split(","):
        name, _, weight = part.rpartition("=")
        (found[number_or_text(name)],) = _numbers(weight)
    return found


@dataclass(frozen=True)
class _ModelOptions:
    """The options that say what is learnt and how."""

    target: str = option_field("the column to predict", metavar="COLUMN")
    labels: str | None = option_field("the table that has the target, joined by the key", metavar="TABLE")
    ridge: list[float] = option_field(
        "several, relative to the mean scatter of a component  [1e-6,1e-4,1e-2,1]", type=_numbers, metavar="NUMBERS"
    )
    folds: int = option_field("folds of the cross-validation")
    task: Task = option_field("what to learn")
    coding: Coding = option_field("how classes become decisions; logistic: with probabilities")
    passes: int | None = option_field("8 learn a support vector machine from as many passes over the rows  [1: ridge]")
    standardize: bool = option_field("the ridge is of components of variance 1")
    class_weight: str | dict[Any, float] | None = option_field(
        "balanced, or weights of classes: 0=1,1=5  [1 for each]", type=_weights, metavar="WEIGHTS"
    )
    sample_weight: str | None = option_field("how many rows each row counts as  [1]", metavar="COLUMN")
    scoring: str = option_field(
        "the score of the folds  [accuracy, or r2]",
        type=click.Choice(["auto", *CLASSIFIER_SCORES, *REGRESSOR_SCORES]),
    )
    nulls: Nulls = option_field("a row with a NULL feature is left out, its NULL is read as zero, or is an error")
    lowering: Way = option_field("sql: the database adds up, so that only sums leave it")


@dataclass(frozen=True)
class _TunedModelOptions(_ModelOptions):
    """The same, what the folds choose besides the ridge, and the column of groups."""

    ridge: list[float] = option_field("one or several", type=_numbers, metavar="NUMBERS")
    folds: int = option_field("folds of the cross-validation  [none]")
    threshold: str = option_field(
        "folds: where two classes part by the best score of the folds", type=click.Choice(THRESHOLDS)
    )
    calibrate: bool = option_field("probabilities with the least log loss of the folds")
    by: str | None = option_field("a model for each of its values, all from one pass", metavar="COLUMN")


@dataclass(frozen=True)
class _PrivacyOptions:
    """The options of `sqlrp.Privacy`."""

    epsilon: float | None = option_field("how much the model may tell of a row: 1 is a strong promise")
    delta: float | None = option_field("far below 1 over the number of rows: 1e-6")
    clip: float | None = option_field("the greatest length of a row of components")
    classes: list[Any] | None = option_field("the classes of a classifier: 0,1", type=_classes, metavar="NAMES")
    bounds: tuple[float, float] | None = option_field(
        "the least and the greatest target of a regressor: 0,100", type=_bounds, metavar="NUMBERS"
    )

    def privacy(self) -> sqlrp.Privacy | None:
        """What the options ask for; None without any."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        if not given:
            return None
        missing = [flag(name) for name in ("epsilon", "delta", "clip") if name not in given]
        if missing:
            raise click.UsageError(
                f"a private model needs {' and '.join(missing)}, too: state what you know of the rows"
            )
        return sqlrp.Privacy(**given)


@dataclass(frozen=True)
class _ClusterOptions:
    """The options of `sqlrp.kmeans`."""

    clusters: int = option_field("how many clusters")
    sample_rows: int = option_field("rows of the sample in which the first centres are found")
    passes: int = option_field("passes over the rows at most")
    nulls: Nulls = option_field("a row with a NULL feature is left out, or its NULL is read as zero")
    lowering: Way = option_field("sql: the database adds up, so that only sums leave it")


@dataclass(frozen=True)
class _ModelPlace:
    """Where a model is kept: a file, a name in the database, or both."""

    out: Path | None = option_field("a JSON file for the model", "-o", "--out", metavar="PATH")
    name: str | None = option_field("save the model under this name in the source's database")
    replace: bool = option_field("replace another model of that name")

    def check(self, where: SourcePlace, shown: Mapping[str, bool]) -> bool:
        """Check both, before anything is read; whether the file is the standard output. `shown`: what prints there."""
        if self.name is not None and where.db is None:
            raise click.UsageError(
                f"--name {self.name!r} needs a database: give shop.duckdb::table, or --db and --table"
            )
        if self.replace and self.name is None:
            raise click.UsageError("--replace is for --name: give it too")
        return check_text(self.out, shown)

    def keep(self, model: Model, connection: Any) -> None:
        """Save the model, and write the file."""
        if self.name is not None:
            sqlrp.save_model(model, connection, self.name, replace=self.replace)
        if self.out is not None:
            write_text(self.out, model.to_json())


@dataclass(frozen=True)
class _PrintOptions:
    """What is printed of a model."""

    as_sql: bool = option_field("print the query that scores SOURCE with the model", "--sql")
    as_json: bool = option_field("print one JSON document", "--json")

    @property
    def given(self) -> dict[str, bool]:
        """The options, and whether each is given."""
        return {"--json": self.as_json, "--sql": self.as_sql}


@dataclass(frozen=True)
class _OpenSource:
    """A command that learns, with its source open."""

    source: Any
    connection: Any
    projection: sqlrp.Projection
    watched: Callable[[Callable[..., Any], Any], Any]
    """calls `sqlrp.learn`, `choose` or `kmeans` with a projection, or several, and all that the options say"""
    piped: bool
    """whether the model goes to the standard output, so that what is said of it does not"""


@contextmanager
def _started(
    source: str | None,
    title: str,
    kept: _ModelPlace,
    how: _ModelOptions | _ClusterOptions,
    method: Method,
    rows: SourceOptions,
    limits: ResourceLimits,
    shown: Mapping[str, bool],
) -> Iterator[_OpenSource]:
    """Check where the model goes, and open the source. `shown`: the options that print, and whether they are given."""
    where = place(source, rows.db, rows.table, rows.csv)
    piped = kept.check(where, shown)
    asked = rows.source(where.name)
    with reading(where, writes=kept.name is not None, limits=limits) as connection, Bar(title, None, "") as bar:
        projection = method.projection(connection)

        def call(function: Callable[..., Any], of: Any) -> Any:
            return watched(connection, bar, lambda: function(of, asked, connection, **vars(how)))

        yield _OpenSource(asked, connection, projection, call, piped)


@click.command(
    cls=Command,
    examples="""
sqlrp learn images.parquet --target label --method pk -k 256 --ridge 1,100,10000 --folds 5 -o model.json
sqlrp learn shop.duckdb::images --target label --method pk -k 256 --name digits
sqlrp learn --db postgresql://me@host/shop --table images --target price -k 32 --lowering sql --sql
sqlrp learn shop.duckdb::homes --target price --by town -k 32 --name prices
sqlrp learn people.parquet --target ill -k 32 --epsilon 1 --delta 1e-6 --clip 5 --classes 0,1 -o model.json
""",
)
@SOURCE
@gathered("kept", _ModelPlace)
@gathered("shown", _PrintOptions)
@gathered("how", _TunedModelOptions, "Learning", sqlrp.learn)
@gathered("private", _PrivacyOptions, "A private model")
@method_options(DRAWN, "rp")
@source_options
@limit_options
def learn(
    source: str | None,
    kept: _ModelPlace,
    shown: _PrintOptions,
    how: _TunedModelOptions,
    private: _PrivacyOptions,
    method: Method,
    rows: SourceOptions,
    limits: ResourceLimits,
) -> None:
    """Learn a ridge classifier or regressor of a column of SOURCE from the projected rows.

    The model needs only sums of the rows, which the database can compute. Cross-validation chooses the best of several
    ridges. --passes 8 learns a support vector machine, which is more accurate.
    """
    query, privacy = "", private.privacy()
    with _started(source, "learning", kept, how, method, rows, limits, shown.given) as begun:
        model = begun.watched(partial(sqlrp.learn, privacy=privacy), begun.projection)
        if shown.as_sql:
            scored = model.scored(begun.source)
            query = sqlrp.score_sql(model.projection, model, scored, begun.connection, nulls=how.nulls)
        kept.keep(model, begun.connection)
    grouped = isinstance(model, sqlrp.GroupedModel)
    if shown.as_json:
        table = [
            {n: None if isinstance(v, float) and math.isnan(v) else v for n, v in row.items()}
            for row in model.table().to_pylist()
        ]
        said = {"groups" if grouped else "ridges": table, "sql": query or None}
        click.echo(json.dumps({"model": repr(model), "rows": model.rows, **said}))
    elif shown.as_sql:
        click.echo(query)
    else:
        click.echo(repr(model), err=begun.piped)
        for row in model.table().to_pylist() if len(how.ridge) > 1 else []:
            scores = "".join(f"  {name} {value:.4g}" for name, value in row.items() if name != "chosen")
            click.echo(f"{scores}{'  chosen' if row['chosen'] else ''}", err=begun.piped)


class _GridValues(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.2 on
    """A parameter and its values: k=64,256."""

    name = "values"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name and the list of values."""
        parameter, equals, listed = str(value).partition("=")
        if not parameter or not equals or not listed:
            self.fail(f"{value!r} must be a parameter and its values, such as k=64,256", param, ctx)
        words = {"true": True, "false": False, "none": None}
        return parameter.replace("-", "_"), [words.get(v.lower(), number_or_text(v)) for v in listed.split(",")]


@dataclass(frozen=True)
class _GridOptions:
    """The options that say which projections are compared, and what is done with the result."""

    grid: tuple[tuple[str, list[Any]], ...] = option_field(
        "k=64,256; may be repeated", type=_GridValues(), multiple=True, required=True, metavar="PARAMETER=VALUES"
    )
    cheapest: bool = option_field("keep the cheapest candidate within a standard error, not the best one")
    plot: Path | None = option_field("draw score against cost into a .png, .svg or .pdf file")


@click.command(
    cls=Command,
    examples="""
sqlrp choose images.parquet --target label --method pk --grid k=64,256 --grid degree=2,3 --plot scores.png
sqlrp choose shop.duckdb::images --target label --method pk --grid t=1,4,10 -k 256 --name digits
""",
)
@SOURCE
@gathered("asked", _GridOptions)
@gathered("kept", _ModelPlace)
@JSON
@gathered("how", _ModelOptions, "Learning", sqlrp.choose)
@method_options(DRAWN, "rp")
@source_options
@limit_options
def choose(
    source: str | None,
    asked: _GridOptions,
    as_json: bool,
    kept: _ModelPlace,
    how: _ModelOptions,
    method: Method,
    rows: SourceOptions,
    limits: ResourceLimits,
) -> None:
    """Compare projections of SOURCE by the cross-validated score of a linear model of a column on their components.

    The candidates are the method with all combinations of the values in --grid. Each needs the rows once.
    """
    if asked.plot is not None:
        check_picture(asked.plot)
    with _started(source, "choosing", kept, how, method, rows, limits, {"--json": as_json}) as begun:
        found = begun.watched(sqlrp.choose, sqlrp.grid(begun.projection, **dict(asked.grid)))
        kept.keep((found.cheapest if asked.cheapest else found.best).model, begun.connection)
    if asked.plot is not None:
        found.plot(asked.plot)
    if as_json:
        best, least = found.best.name, found.cheapest.name
        click.echo(json.dumps({"best": best, "cheapest": least, "candidates": found.table().to_pylist()}))
    else:
        click.echo(str(found), err=begun.piped)


@click.command(
    cls=Command,
    examples="""
sqlrp kmeans images.parquet --clusters 10 -k 32 -o clusters.json
sqlrp kmeans shop.duckdb::docs --array-column e --method fht -k 64 --clusters 20 --name topics
sqlrp kmeans shop.duckdb::docs --array-column e --method fht -k 64 --sql | duckdb shop.duckdb
""",
)
@SOURCE
@gathered("kept", _ModelPlace)
@gathered("shown", _PrintOptions)
@gathered("how", _ClusterOptions, "Clusters", sqlrp.kmeans)
@method_options(DRAWN, "rp")
@source_options
@limit_options
def kmeans(
    source: str | None,
    kept: _ModelPlace,
    shown: _PrintOptions,
    how: _ClusterOptions,
    method: Method,
    rows: SourceOptions,
    limits: ResourceLimits,
) -> None:
    """Find clusters of the rows of SOURCE by k-means on their components.

    Each pass over the rows needs only the number and the sums of the rows of each cluster.
    """
    query = ""
    with _started(source, "clustering", kept, how, method, rows, limits, shown.given) as begun:
        model = begun.watched(sqlrp.kmeans, begun.projection)
        if shown.as_sql:
            query = sqlrp.score_sql(model.projection, model, begun.source, begun.connection, nulls=how.nulls)
        kept.keep(model, begun.connection)
    sizes = model.rows.tolist()
    if shown.as_json:
        said = {"clusters": sizes, "inertia": model.inertia_, "passes": model.passes, "converged": model.converged}
        click.echo(json.dumps({**said, "sql": query or None}))
    elif shown.as_sql:
        click.echo(query)
    else:
        click.echo(repr(model), err=begun.piped)
        click.echo(f"rows of each cluster: {', '.join(f'{size:,}' for size in sizes)}", err=begun.piped)
