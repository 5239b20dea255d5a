"""The commands that measure: diagnose, report, codes."""

from __future__ import annotations

import json
import math
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import click

import sqlrp
from sqlrp._cli.databases import Limits, limit_options, place, reading
from sqlrp._cli.files import check_picture, check_text, watched, write_text
from sqlrp._cli.pipes import temporary_folder
from sqlrp._cli.screen import Bar
from sqlrp._cli.shared_options import (
    DRAWN,
    JSON,
    SOURCE,
    Command,
    Method,
    SourceOptions,
    Written,
    gathered,
    method_options,
    option,
    source_options,
)
from sqlrp._core.errors import ParameterError
from sqlrp._projections.method_advice import Advice
from sqlrp._quality import Report

_METHOD = method_options(DRAWN, "rp")


@dataclass(frozen=True)
class _Sample:
    """The options that say what is compared."""

    sample: int
    at: int


@dataclass(frozen=True)
class _Measured:
    """The options that say what is measured of it."""

    search: bool
    seeds: int


_SAMPLE = gathered(
    "drawn",
    _Sample,
    option("--sample", type=int, default=500, help="rows to compare  [500]"),
    option("--at", type=int, default=5, help="number of neighbours for recall  [5]"),
)
_PAGES = (".html", ".htm")


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
@gathered(
    "of",
    _Measured,
    option("--search", is_flag=True, help="SOURCE is a kept table, or its search: measure what a search finds"),
    option("--seeds", type=int, default=1, help="draw the projection from so many seeds, on the same rows  [1]"),
)
@option("--plot", type=Written(path_type=Path), help="draw the measures into a .png, .svg or .pdf file")
@JSON
@_METHOD
@source_options
@limit_options
def diagnose(
    source: str | None,
    drawn: _Sample,
    of: _Measured,
    plot: Path | None,
    as_json: bool,
    method: Method,
    rows: SourceOptions,
    limits: Limits,
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
@option("-o", "--out", type=Written(path_type=Path), metavar="PATH", required=True, help="an .html file, or -")
@option("--distortion", type=float, default=0.1, help="the mean error of squared distances to aim for  [0.1]")
@_SAMPLE
@JSON
@_METHOD
@source_options
@limit_options
def report(
    source: str | None,
    out: Path,
    distortion: float,
    drawn: _Sample,
    as_json: bool,
    method: Method,
    rows: SourceOptions,
    limits: Limits,
) -> None:
    """Write an HTML page on the projection of SOURCE: parameters, lowering, SQL, measures with plots, and advice.

    The page needs no other file, and contains no row of SOURCE.
    """
    where = place(source, rows.db, rows.table, rows.csv)
    asked = rows.source(where.name)
    piped = check_text(out, {"--json": as_json})
    if not piped and out.suffix.lower() not in _PAGES:
        raise ParameterError(f"--out {str(out)!r} must end in one of {', '.join(_PAGES)}, or be -, the standard output")
    with (
        reading(where, limits=limits) as connection,
        Bar("measuring", None, "") as bar,
        temporary_folder("the page") if piped else nullcontext(out.parent) as folder,
    ):
        page = folder / "report.html" if piped else out
        projection = method.projection(connection)
        written = watched(
            connection,
            bar,
            lambda: sqlrp.report(projection, asked, connection, page, **asdict(drawn), distortion=distortion),
        )
        if piped:
            write_text(out, page.read_text(encoding="utf-8"))
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
class _Searched:
    """The options of `sqlrp.choose_codes`."""

    n: int
    candidates: tuple[int, ...]
    aim: float
    metric: Any
    sizes: tuple[int, ...] | None
    among: int
    queries: int
    timed: int


@click.command(
    cls=Command,
    examples="""
sqlrp codes shop.duckdb::docs --array-column e --among 20000 --plot codes.png
sqlrp codes shop.duckdb::docs --array-column e --sizes 48,56
sqlrp codes --db postgresql://me@host/shop --table docs --array-column e --aim 0.95 --json
""",
)
@SOURCE
@gathered(
    "searched",
    _Searched,
    option("--nearest", "n", type=int, default=10, help="the number of nearest rows to find  [10]"),
    option("--candidates", callback=_counts, default="100,300,1000", help="rows to rank again  [100,300,1000]"),
    option("--aim", type=float, default=0.98, help="the recall to reach  [0.98]"),
    option("--metric", type=click.Choice(["l2", "cosine", "inner"]), default="l2", help="what is near  [l2]"),
    option("--sizes", callback=_counts, default=None, help="bytes of a row, such as 48,56  [those that fit the rows]"),
    option("--among", type=int, default=5000, help="rows to search  [5000]"),
    option("--queries", type=int, default=100, help="other rows to search for  [100]"),
    option("--timed", type=int, default=9, help="searches of each code to time; 0 makes no table  [9]"),
)
@option("--plot", type=Written(path_type=Path), help="draw recall against bytes into a .png, .svg or .pdf file")
@JSON
@source_options
@limit_options
def codes(
    source: str | None,
    searched: _Searched,
    plot: Path | None,
    as_json: bool,
    rows: SourceOptions,
    limits: Limits,
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
