"""The commands that measure: diagnose, report, codes."""

from __future__ import annotations

import json
import math
from contextlib import nullcontext
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import click

import sqlrp
from sqlrp._cli.databases import ResourceLimits, limit_options, place, reading
from sqlrp._cli.files import check_picture, check_text, watched, write_text
from sqlrp._cli.option_fields import Command, OutputPath, gathered, option, option_field
from sqlrp._cli.pipes import temporary_folder
from sqlrp._cli.screen import Bar
from sqlrp._cli.shared_options import DRAWN, JSON, SOURCE, Method, SourceOptions, method_options, source_options
from sqlrp._core.errors import ParameterError
from sqlrp._core.values import dataclass
from sqlrp._lowering.distances_sql import Metric
from sqlrp._projections.method_advice import Advice
from sqlrp._quality import Report

_METHOD = method_options(DRAWN, "rp")


@dataclass(frozen=True)
class _SampleOptions:
    """The options that say what is compared."""

    sample: int = option_field("rows to compare")
    at: int = option_field("number of neighbours for recall")


@dataclass(frozen=True)
class _MeasureOptions:
    """The options that say what is measured of it."""

    search: bool = option_field("SOURCE is a kept table, or its search: measure what a search finds")
    seeds: int = option_field("draw the projection from so many seeds, on the same rows")


_SAMPLE = gathered("drawn", _SampleOptions, calls=sqlrp.diagnose)
_PAGES = (".html", ".htm")


@dataclass(frozen=True)
class _PageOptions:
    """The options that say where a page goes, and what it aims for."""

    out: Path = option_field("an .html file, or -", "-o", "--out", metavar="PATH", required=True)
    distortion: float = option_field("the mean error of squared distances to aim for")


@click.command(
    cls=Command,
    examples="""
sqlrp diagnose images.parquet --method pk -k 256 --keep label --plot out.png
sqlrp diagnose shop.duckdb::images -k 128 --sample 1000 --at 10 --json
sqlrp diagnose shop.duckdb::docs_codes --search --at 10
""",
)
@SOURCE
@_SAMPLE
@gathered("of", _MeasureOptions, calls=sqlrp.diagnose)
@option("--plot", type=OutputPath(path_type=Path), help="draw the measures into a .png, .svg or .pdf file")
@JSON
@_METHOD
@source_options
@limit_options
def diagnose(
    source: str | None,
    drawn: _SampleOptions,
    of: _MeasureOptions,
    plot: Path | None,
    as_json: bool,
    method: Method,
    rows: SourceOptions,
    limits: ResourceLimits,
) -> None:
    """Compare distances and neighbours of a sample of SOURCE's rows before and after the projection.

    The database draws and compares the sample. Only the measures leave it. For a kept table --search searches for a
    sample of its rows, and shows the recall by the number of candidates.
    """
    where = place(source, rows.db, rows.table, rows.csv)
    if of.search:
        with reading(where, limits=limits) as connection:
            near = sqlrp.diagnose(where.name, connection, sample=drawn.sample, at=drawn.at)
        click.echo(json.dumps({"table": near.table, "measures": near.measures()}) if as_json else str(near))
        return
    asked = rows.source(where.name)
    if plot is not None:
        check_picture(plot)
    with reading(where, limits=limits) as connection, Bar("measuring", None, "") as bar:
        projection = method.projection(connection)
        report = watched(
            connection, bar, lambda: sqlrp.diagnose(projection, asked, connection, **asdict(drawn), seeds=of.seeds)
        )
    if plot is not None:
        report.plot(plot)
    click.echo(json.dumps(_document(report)) if as_json else str(report))


def _document(report: Report) -> dict[str, Any]:
    measures = {name: value if math.isfinite(value) else None for name, value in report.measures().items()}
    return {"projection": report.projection.name, "measures": measures}


def _advised(advice: Advice) -> dict[str, Any]:
    """One piece of advice, with the projection as the JSON that `sqlrp.from_json` reads."""
    named = advice.projection
    values = {each.name: getattr(advice, each.name) for each in fields(advice)}
    return values | {"projection": None if named is None else json.loads(named.to_json())}


@click.command(
    cls=Command,
    examples="""
sqlrp report images.parquet -o report.html --method pk -k 256 --keep label
sqlrp report --db postgresql://me@host/shop --table images -o report.html -k 128 --distortion 0.05
""",
)
@SOURCE
@gathered("page", _PageOptions, calls=sqlrp.report)
@_SAMPLE
@JSON
@_METHOD
@source_options
@limit_options
def report(
    source: str | None,
    page: _PageOptions,
    drawn: _SampleOptions,
    as_json: bool,
    method: Method,
    rows: SourceOptions,
    limits: ResourceLimits,
) -> None:
    """Write an HTML page on the projection of SOURCE: parameters, lowering, SQL, measures with plots, and advice.

    The page needs no other file, and contains no row of SOURCE.
    """
    where = place(source, rows.db, rows.table, rows.csv)
    asked, out = rows.source(where.name), page.out
    piped = check_text(out, {"--json": as_json})
    if not piped and out.suffix.lower() not in _PAGES:
        raise ParameterError(f"--out {str(out)!r} must end in one of {', '.join(_PAGES)}, or be -, the standard output")
    with (
        reading(where, limits=limits) as connection,
        Bar("measuring", None, "") as bar,
        temporary_folder("the page") if piped else nullcontext(out.parent) as folder,
    ):
        path = folder / "report.html" if piped else out
        projection = method.projection(connection)
        written = watched(
            connection,
            bar,
            lambda: sqlrp.report(projection, asked, connection, path, **asdict(drawn), distortion=page.distortion),
        )
        if piped:
            write_text(out, path.read_text(encoding="utf-8"))
    if as_json:
        advised = [_advised(a) for a in written.advice]
        click.echo(json.dumps({"file": str(out), **_document(written.report), "advice": advised}))
        return
    found, changes = written.report, [a.text for a in written.advice if a.kind == "change"]
    click.echo(f"{out}: mean distortion {found.distortion.mean:.3f}, recall@{drawn.at} {found.recall:.3f}", err=piped)
    for text in changes:
        click.echo(f"  {text}", err=piped)


def _counts(_: click.Context, parameter: click.Parameter, text: str | None) -> tuple[int, ...] | None:
    """Whole numbers, by commas."""
    if text is None:
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ParameterError(f"--{parameter.name} {text!r} must be whole numbers, such as 100,300") from None


@dataclass(frozen=True)
class _CodeOptions:
    """The options of `sqlrp.choose_codes`."""

    n: int = option_field("the number of nearest rows to find", "--nearest")
    candidates: tuple[int, ...] = option_field("rows to rank again", callback=_counts)
    aim: float = option_field("the recall to reach")
    metric: Metric = option_field("what is near")
    sizes: tuple[int, ...] | None = option_field(
        "bytes of a row, such as 48,56  [those that fit the rows]", callback=_counts
    )
    among: int = option_field("rows to search")
    queries: int = option_field("other rows to search for")
    timed: int = option_field("searches of each code to time; 0 makes no table")


@click.command(
    cls=Command,
    examples="""
sqlrp codes shop.duckdb::docs --array-column e --among 20000 --plot codes.png
sqlrp codes shop.duckdb::docs --array-column e --sizes 48,56
sqlrp codes --db postgresql://me@host/shop --table docs --array-column e --aim 0.95 --json
""",
)
@SOURCE
@gathered("searched", _CodeOptions, calls=sqlrp.choose_codes)
@option("--plot", type=OutputPath(path_type=Path), help="draw recall against bytes into a .png, .svg or .pdf file")
@JSON
@source_options
@limit_options
def codes(
    source: str | None,
    searched: _CodeOptions,
    plot: Path | None,
    as_json: bool,
    rows: SourceOptions,
    limits: ResourceLimits,
) -> None:
    """Compare bits, bytes and floats of SOURCE's rows by size, recall and time of a search, and advise one.

    Half of the queries choose the code, and the other half tests it.
    """
    where = place(source, rows.db, rows.table, rows.csv)
    asked = rows.source(where.name)
    if plot is not None:
        check_picture(plot)
    with reading(where, limits=limits) as connection, Bar("searching", None, "") as bar:
        given = {each.name: getattr(searched, each.name) for each in fields(searched)}
        found = watched(connection, bar, lambda: sqlrp.choose_codes(asked, connection, **given))
    if plot is not None:
        found.plot(plot)
    if not as_json:
        click.echo(str(found))
        return
    best = found.best
    document = {"best": best.name, "output": best.output, "dtype": best.dtype, "candidates": found.best_candidates}
    document |= {"correct": best.correct, "recall": found.recall, "projection": json.loads(best.projection.to_json())}
    click.echo(json.dumps({**document, "advice": found.advice, "codes": found.table().to_pylist()}))
