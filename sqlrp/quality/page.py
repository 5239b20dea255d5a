"""`sqlrp.report`: a projection, its SQL and its measures as one self-contained HTML page.

`_text` escapes everything that comes from the data or the caller. The page allows no script and loads nothing.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from sqlrp.core.draw import real
from sqlrp.core.errors import ParameterError, printable, shorten
from sqlrp.core.passwords import without_passwords
from sqlrp.core.sources import Source, Standardized
from sqlrp.core.version import VERSION
from sqlrp.core.writing import beside, check_place
from sqlrp.lowering.frame import Frame
from sqlrp.projections import Projection
from sqlrp.projections.advising import Advice
from sqlrp.projections.base import checked
from sqlrp.quality.advice import advice
from sqlrp.quality.diagnosis import diagnose
from sqlrp.quality.drawing import plots
from sqlrp.quality.report import Report
from sqlrp.run.api import explain
from sqlrp.run.explaining import Explanation
from sqlrp.run.lazy import check_not_lazy
from sqlrp.run.memory import is_dataframe, resolve_dataframe
from sqlrp.run.preparing import plain

_NAMES = 24  # names of features to show
_SQL = 200_000  # characters of SQL on a page, which a phone can still open

_UNITS = {"wide": "one column per feature", "array": "an array column", "long": "sparse rows"}


@dataclass(frozen=True)
class Written:
    """The result of `sqlrp.report`."""

    path: Path
    report: Report
    advice: tuple[Advice, ...]


def report(
    projection: Projection,
    source: Source | Standardized | str | Any,
    connection: Any,
    path: str | Path,
    *,
    sample: int = 500,
    at: int = 5,
    distortion: float = 0.1,
    key: str | None = None,
    keep: Sequence[str] = (),
) -> Written:
    """Write one HTML page on a projection of a source: parameters, lowering, SQL, measures with plots, and advice.

    The page loads nothing and follows the reader's light or dark colours. After an error there is no partial file.
    `source`, `connection` (None for a dataframe), `sample`, `at`, `key` and `keep` are those of `sqlrp.diagnose`. The
    advice aims for a mean relative error of squared distances of `distortion`, above 0 and below 1. The page contains
    no row of the source and no password.

    Raises ParameterError for another `distortion`, SourceError if `path` cannot be written, and the errors of
    `sqlrp.diagnose` and `sqlrp.explain`.
    """
    projection, path = checked(projection), Path(path)
    if not 0 < real(distortion) < 1:
        raise ParameterError(
            f"distortion = {shorten(distortion)} must be a number above 0 and below 1: the mean error that is wanted"
        )
    check_place(path)
    check_not_lazy(source)
    projection, source = plain(projection, source, connection, key or "id", keep)
    if is_dataframe(source):
        explained, (_, frame) = None, resolve_dataframe(source, key or "id", keep, projection.bound_to)
        rows: int | None = len(source)
    else:
        explained = explain(projection, source, connection, output="auto")
        frame = explained.plan.job.frame
        rows = frame.rows
    found = diagnose(projection, source, connection, sample=sample, at=at, key=key, keep=keep)
    advised = tuple(advice(found, frame.n_features, rows, real(distortion)))
    text = _Page(found, frame, rows, explained, advised, real(distortion)).html()
    with beside(path) as made:
        made.write_text(text, encoding="utf-8", newline="\n")
    return Written(path, found, advised)


def _text(value: object) -> str:
    """Any text as HTML: escaped line by line, without users and passwords of addresses."""
    lines = re.sub(r"(?<=://)[^/\s@'\"]*@", "***@", without_passwords(str(value))).split("\n")
    return "\n".join(escape(printable(line)) for line in lines)


def _table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    """An HTML table; the first cell of each row is its head."""
    top = f"<thead><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr></thead>" if head else ""
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>' for first, *rest in rows
    )
    return f'<div class="wide"><table>{top}<tbody>{body}</tbody></table></div>'


@dataclass(frozen=True)
class _Page:
    report: Report
    frame: Frame
    rows: int | None
    explained: Explanation | None
    advised: Sequence[Advice]
    wanted: float

    def html(self) -> str:
        """The page."""
        title = f"{self._method} of {self._source}"
        return _FRAME.format(
            title=_text(title),
            style=_STYLE,
            heading=_text(self._source),
            lead=f"{_text(self._about)}<br><code>{_text(self.report.projection.name)}</code>",
            tiles=self._tiles(),
            advice=self._advice(),
            figures=self._figures(),
            measures=_table((_text(n), _measure(v)) for n, v in self.report.measures().items()),
            what=self._what(),
            parameters=self._parameters(),
            lowering=self._lowering(),
            foot=_text(self._foot()),
        )

    @property
    def _inner(self) -> Projection:
        return self.report.projection.unprepared

    @property
    def _method(self) -> str:
        return type(self._inner).__name__

    @property
    def _about(self) -> str:
        return (inspect.getdoc(type(self._inner)) or "").split("\n\n")[0].replace("\n", " ").replace("`", "")

    @property
    def _source(self) -> str:
        return "a dataframe" if self.explained is None else ".".join(self.frame.table.parts)

    @property
    def _features(self) -> str:
        return "open" if self.frame.n_features is None else f"{self.frame.n_features:,}"

    def _tiles(self) -> str:
        found = self.report
        good = found.distortion.mean <= self.wanted
        tiles = [
            ("Features → components", f"{self._features} → {found.projection.k:,}", "", ""),
            (
                "Mean distortion",
                f"{found.distortion.mean:.3f}",
                f"wanted {self.wanted:.3g}, expected {found.expected_distortion:.3f}",
                "keep" if good else "change",
            ),
            (f"Recall@{found.at}", f"{found.recall:.1%}", "nearest neighbours kept", ""),
            ("R_NX AUC", f"{found.auc:.3f}", "0 is chance, 1 perfect", ""),
        ]
        return "".join(
            f'<div class="tile {css}"><span>{name}</span><b>{value}</b><small>{more}</small></div>'
            for name, value, more, css in tiles
        )

    def _advice(self) -> str:
        items = "".join(
            f'<li class="{a.kind}"><p><b>{a.kind.capitalize()}</b> {_text(a.text)}'
            f"</p><p><small>{_text(a.figure)}<br>{_text(a.source)}</small></p></li>"
            for a in self.advised
        )
        return f'<ul class="advice">{items}</ul>'

    def _figures(self) -> str:
        drawn = plots(self.report, self.wanted, self.frame.n_features)
        return "".join(f"<figure>{svg}<figcaption>{_text(said)}</figcaption></figure>" for svg, said in drawn)

    def _what(self) -> str:
        frame = self.frame
        rows = [
            ("Source", _text(self._source)),
            ("Engine", _text(self.explained.plan.job.dialect.name if self.explained else "none: numpy, in memory")),
            ("Rows", "not known" if self.rows is None else f"{self.rows:,}"),
            ("Layout", f"{frame.layout}, {_UNITS[frame.layout]}"),
            ("Features", f"{self._features} ({_text(frame.number.kind)})"),
            ("Columns", _listed(frame.names)),
            ("Key", "none" if frame.key is None else f"<code>{_text(frame.key)}</code>"),
            ("Kept", _listed(frame.keep) if frame.keep else "none"),
        ]
        return _table(rows)

    def _parameters(self) -> str:
        outer, inner = self.report.projection, self._inner
        values = inner.parameters() | {n: v for n, v in outer.parameters().items() if n in outer.parameter_help}
        words = inner.help_by_parameter() | outer.help_by_parameter()
        rows = [
            (f"<code>{_text(name)}</code>", f"<code>{_text(shorten(value))}</code>", _text(words.get(name, "")))
            for name, value in values.items()
            if name not in ("state", "bound_to")
        ]
        return _table(rows, ("parameter", "value", "what it does"))

    def _lowering(self) -> str:
        if self.explained is None:
            return "<p>A dataframe is projected in memory: no SQL runs.</p>"
        text = self.explained.text
        cut = f"\n… {len(text) - _SQL:,} characters more: sqlrp.sql prints them all" if len(text) > _SQL else ""
        plan = self.explained.plan
        why = "as asked for" if plan.asked else "the fastest estimate among the usable lowerings"
        rows = [
            (
                e.lowering,
                *(
                    ("not supported", "", _text(e.refusal))
                    if e.refusal
                    else (f"{e.plan_seconds:.3g} s", f"{e.run_seconds:.3g} s", "chosen" if e == plan.chosen else "")
                ),
            )
            for e in plan.estimates
        ]
        sql = f"The SQL, {len(text):,} characters"
        return (
            f"<p>The lowering is <b>{self.explained.lowering}</b>: {why}.</p>"
            f"{_table(rows, ('lowering', 'to plan', 'to run', ''))}"
            f"{_folded('Output of sqlrp.explain', str(self.explained))}{_folded(sql, text[:_SQL] + cut)}"
        )

    def _foot(self) -> str:
        sampled = self.report.sampled
        return (
            f"Measured on {sampled.rows:,} sampled rows, {sampled.pairs:,} pairs of them, by sqlrp {VERSION} on "
            f"{datetime.now(UTC):%Y-%m-%d}."
        )


def _folded(summary: str, text: str) -> str:
    return f"<details><summary>{summary}</summary><pre>{_text(text)}</pre></details>"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"<code>{_text(name)}</code>" for name in names[:_NAMES])
    more = len(names) - _NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _measure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


_FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<header><h1>{heading}</h1><p>{lead}</p></header>
<section class="tiles">{tiles}</section>
<section><h2>Advice</h2>{advice}</section>
<section><h2>Quality</h2><div class="plots">{figures}</div>
<details><summary>All measures</summary>{measures}</details></section>
<section><h2>Data</h2>{what}</section>
<section><h2>Parameters</h2>{parameters}</section>
<section><h2>SQL</h2>{lowering}</section>
<footer>{foot}</footer>
</main>
</body>
</html>
"""

_STYLE = """
:root {
  color-scheme: light dark;
  --back: #f6f7f9; --card: #ffffff; --ink: #1b2129; --faint: #59636f; --rule: #dde2e8;
  --first: #1f66b0; --other: #b4531a; --good: #1f7a45; --warn: #a85b00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #12161b; --card: #1b2128; --ink: #e7eaee; --faint: #9ba6b2; --rule: #323a44;
    --first: #6fb1f5; --other: #f0a267; --good: #63c88d; --warn: #eab04f;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 24px 16px 40px; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .7rem; }
header p { color: var(--faint); margin: 0; }
code, pre { font: .86em/1.5 ui-monospace, monospace; }
.tiles { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); margin-top: 1.3rem; }
.tile, figure, .advice li, details, .wide {
  background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
}
.tile { padding: 12px 14px; display: flex; flex-direction: column; }
.tile b { font-size: 1.5rem; line-height: 1.35; font-weight: 600; }
.tile span, small { color: var(--faint); font-size: .84rem; }
.tile.keep b, li.keep b { color: var(--good); }
.tile.change b, li.change b { color: var(--warn); }
.advice { list-style: none; margin: 0; padding: 0; display: grid; gap: 10px; }
.advice li { padding: 10px 14px; border-left: 4px solid var(--faint); }
.advice li.keep { border-left-color: var(--good); }
.advice li.change { border-left-color: var(--warn); }
.advice p { margin: 0; }
.plots { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); }
figure { margin: 0; padding: 10px 12px 12px; }
figcaption { color: var(--faint); font-size: .88rem; }
svg { display: block; width: 100%; height: auto; font: 11px system-ui, sans-serif; }
svg text { fill: var(--faint); stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; paint-order: stroke; }
svg .title { fill: var(--ink); font-size: 13px; font-weight: 600; }
svg line, svg polyline { fill: none; stroke: var(--first); stroke-width: 2; }
svg .second { stroke: var(--other); }
svg .guide { stroke: var(--faint); stroke-width: 1.5; }
svg .dashed { stroke: var(--warn); stroke-width: 1.2; stroke-dasharray: 5 4; }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .axis { stroke: var(--faint); stroke-width: 1; }
svg .bar { fill: var(--first); opacity: .75; }
svg .dot { fill: var(--first); stroke: none; }
svg .dot.second { fill: var(--other); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: 7px 12px; border-top: 1px solid var(--rule); }
tr:first-child > * { border-top: 0; }
thead + tbody tr:first-child > * { border-top: 1px solid var(--rule); }
th { font-weight: 500; color: var(--faint); overflow-wrap: normal; white-space: nowrap; }
tbody th { width: 9.5rem; }
details { margin-top: 12px; padding: 0 14px; }
details .wide { border: 0; margin-bottom: 10px; }
summary { cursor: pointer; padding: 9px 0; color: var(--first); }
pre { overflow-x: auto; margin: 0 0 12px; max-height: 28rem; overflow-wrap: normal; }
footer { margin-top: 2rem; color: var(--faint); font-size: .85rem; }
@media (max-width: 520px) { tbody th { width: auto; } th, td { padding: 6px 8px; } }
"""
