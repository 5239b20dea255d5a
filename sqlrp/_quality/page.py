"""`sqlrp.report`: a projection, its SQL and its measures as one self-contained HTML page.

Its template escapes every value. The page allows no script and loads nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlrp._connectors.foresight import foreseen
from sqlrp._core.draw import real
from sqlrp._core.errors import ParameterError, printable, shorten
from sqlrp._core.extras import needs
from sqlrp._core.passwords import anonymous
from sqlrp._core.sources import Source, Standardized
from sqlrp._core.values import dataclass
from sqlrp._core.version import VERSION
from sqlrp._core.whole_files import beside, check_apart, check_place
from sqlrp._lowering.frame import Frame
from sqlrp._projections import Projection
from sqlrp._projections.method_advice import Advice
from sqlrp._projections.projection import checked
from sqlrp._quality.advice import advice
from sqlrp._quality.charts import charts
from sqlrp._quality.diagnosis import diagnose
from sqlrp._quality.recall_advice import raising_recall, sampled_rows
from sqlrp._quality.report import LOW, Report, Verdict
from sqlrp._quality.svg import Picture
from sqlrp._run.api import explain
from sqlrp._run.explanation import Explanation
from sqlrp._run.files_read import files_read
from sqlrp._run.frames.dataframes import FrameColumns, resolve_dataframe
from sqlrp._run.frames.kinds import is_dataframe
from sqlrp._run.frames.lazy import rows_of
from sqlrp._run.statistics import plain, prepared_rows

_NAMES = 24  # names of features to show
_SQL = 200_000  # characters of SQL on a page, which a phone can still open

_UNITS = {"wide": "one column per feature", "array": "an array column", "long": "sparse rows"}


@dataclass(frozen=True)
class WrittenReport:
    """The result of `sqlrp.report`. At a prompt it prints the sentence at the top of the page."""

    path: Path
    report: Report
    advice: tuple[Advice, ...]
    verdict: str

    def __repr__(self) -> str:
        """Where the page is, and its first sentence."""
        return f"{self.path}: {self.verdict}"


@foreseen
def report(
    projection: Projection,
    source: Source | Standardized | str | Any,
    connection: Any,
    path: str | Path,
    *,
    sample: int = 500,
    at: int = 5,
    distortion: float = 0.1,
    key: str | None = "id",
    keep: Sequence[str] = (),
) -> WrittenReport:
    """Write one HTML page on a projection of a source: parameters, lowering, SQL, measures with plots, and advice.

    The page begins with a sentence on whether the projection serves. It loads nothing and follows the reader's light or
    dark colours. After an error there is no partial file.
    `source`, `connection` (None for a dataframe), `sample`, `at`, `key` and `keep` are those of `sqlrp.diagnose`. The
    advice aims for a mean relative error of squared distances of `distortion`, above 0 and below 1. If it is not
    reached, sampled rows are fetched, and the advice names the k, and p and t or s, that reach it: half of the rows
    choose them, and a projection drawn with them is measured on the other half. If fewer than half of the nearest
    neighbours are kept, the advice says what would keep more of them: a larger k, a table tuned to the data, or ranking
    more neighbours again by the original rows. The page contains no
    row of the source and no password.

    Raises ImportError without jinja2, ParameterError for another `distortion`, SourceError if `path` cannot be
    written, and the errors of `sqlrp.diagnose` and `sqlrp.explain`.

        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = sqlrp.report(rp, "points", con, pathlib.Path(folder) / "points.html")
        ...     (pathlib.Path(folder) / "points.html").is_file()
        True
    """
    projection, path = checked(projection), Path(path)
    if not 0 < real(distortion) < 1:
        raise ParameterError(
            f"distortion = {shorten(distortion)} must be a number above 0 and below 1: the mean error that is wanted"
        )
    template = _template()
    check_place(path)
    check_apart(path, files_read(connection, source))
    source = rows_of(source)
    projection, source = plain(projection, source, connection, FrameColumns(key, keep))
    if is_dataframe(source):
        explained, (_, frame) = None, resolve_dataframe(source, FrameColumns(key, keep), projection.bound_to)
        rows: int | None = len(source)
    else:
        explained = explain(projection, source, connection, output="auto")
        frame = explained.plan.job.frame
        rows = frame.rows
    found = diagnose(projection, source, connection, sample=sample, at=at, key=key, keep=keep)
    drawn = None
    if found.recall < LOW or found.distortion.mean > distortion:
        drawn = sampled_rows(projection, source, connection, frame, sample, keep, key)
    prepared = None if drawn is None else prepared_rows(projection, drawn)
    advised = advice(found, frame.n_features, rows, real(distortion), prepared)
    if found.recall < LOW and drawn is not None:
        advised = [*raising_recall(projection, drawn, at), *advised]
    page = _Page(found, frame, rows, explained, tuple(advised), real(distortion))
    text = template.render(page.values())
    with beside(path) as made:
        made.write_text(text, encoding="utf-8", newline="\n")
    return WrittenReport(path, found, tuple(advised), page.verdict.text)


def _template() -> Any:
    """The template of the page; raises ImportError without jinja2."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise ImportError(needs("sqlrp.report", "jinja2", "report")) from error
    loader = PackageLoader("sqlrp._quality", ".")
    made = Environment(
        autoescape=True, finalize=cleaned, undefined=StrictUndefined, loader=loader, keep_trailing_newline=True
    )
    return made.get_template("report.html.jinja")


def cleaned(value: object) -> object:
    """A value for the page: text line by line, without control characters, and without users and passwords of URLs."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return "\n".join(map(printable, anonymous(value).split("\n")))


@dataclass(frozen=True)
class _Tile:
    """A figure at the top of the page."""

    name: str
    value: str
    more: str = ""
    kind: str = ""


@dataclass(frozen=True)
class _NameList:
    """Names as the page lists them: some, and the number of the others."""

    shown: tuple[str, ...]
    more: str

    @classmethod
    def of(cls, names: Sequence[str]) -> _NameList:
        more = len(names) - _NAMES
        return cls(tuple(names[:_NAMES]), f"{more:,}" if more > 0 else "")


@dataclass(frozen=True)
class _Page:
    """The values of the template."""

    report: Report
    frame: Frame
    rows: int | None
    explained: Explanation | None
    advised: Sequence[Advice]
    wanted: float

    def values(self) -> dict[str, Any]:
        """All values by name."""
        projection, d = self.report.projection, self.frame.n_features
        return {
            "method": type(self._inner).__name__,
            "source": self._source,
            "verdict": self.verdict,
            "about": (inspect.getdoc(type(self._inner)) or "").split("\n\n")[0].replace("\n", " ").replace("`", ""),
            "name": projection.resolved_name(d),
            "tiles": self._tiles(),
            "advice": self.advised,
            "pictures": [Picture(chart) for chart in charts(self.report, self.wanted)],
            "measures": [(name, _measure(value)) for name, value in self.report.measures().items()],
            "data": self._data(),
            "parameters": self._parameters(),
            "lowering": self._lowering(),
            "foot": self._foot(),
        }

    @property
    def _inner(self) -> Projection:
        return self.report.projection.unprepared

    @property
    def _source(self) -> str:
        return "a dataframe" if self.explained is None else ".".join(self.frame.table.parts)

    @property
    def _features(self) -> str:
        return "open" if self.frame.n_features is None else f"{self.frame.n_features:,}"

    @property
    def verdict(self) -> Verdict:
        """The sentence at the top."""
        return self.report.judged(self.wanted, "The advice below says what to change")

    @property
    def _exact(self) -> bool:
        return self.report.distortion.mean <= self.wanted

    def _tiles(self) -> list[_Tile]:
        found = self.report
        expected = f"of squared distances; wanted {self.wanted:.3g}, expected {found.expected_distortion:.3f}"
        return [
            _Tile("Features → components", f"{self._features} → {found.projection.k:,}"),
            _Tile("Mean distortion", f"{found.distortion.mean:.3f}", expected, "keep" if self._exact else "change"),
            _Tile(
                f"Recall@{found.at}",
                f"{found.recall:.1%}",
                "nearest neighbours kept",
                "change" if found.recall < LOW else "",
            ),
            _Tile("R_NX AUC", f"{found.auc:.3f}", "neighbours of every K, near ones first: 0 is chance, 1 perfect"),
        ]

    def _data(self) -> list[tuple[str, object]]:
        frame = self.frame
        return [
            ("Source", self._source),
            ("Engine", self.explained.plan.job.dialect.name if self.explained else "none: numpy, in memory"),
            ("Rows", "not known" if self.rows is None else f"{self.rows:,}"),
            ("Layout", f"{frame.layout}, {_UNITS[frame.layout]}"),
            ("Features", f"{self._features} ({frame.number.kind})"),
            ("Columns", _NameList.of(frame.names)),
            ("Key", _NameList.of([] if frame.key is None else [frame.key])),
            ("Kept", _NameList.of(frame.keep)),
        ]

    def _parameters(self) -> list[tuple[str, str, str]]:
        outer, inner = self.report.projection, self._inner
        given = inner.parameters() | {n: v for n, v in outer.parameters().items() if n in outer.parameter_help}
        used = given | inner.resolved(self.frame.n_features)
        words = inner.help_by_parameter() | outer.help_by_parameter()
        return [
            (name, _used(given[name], used[name]), words.get(name, ""))
            for name in given
            if name not in ("state", "bound_to")
        ]

    def _lowering(self) -> dict[str, Any] | None:
        if self.explained is None:
            return None
        text, plan = self.explained.text, self.explained.plan
        cut = f"\n… {len(text) - _SQL:,} characters more: sqlrp.sql prints them all" if len(text) > _SQL else ""
        rows = [
            (e.lowering, "not supported", "", e.refusal)
            if e.refusal
            else (
                e.lowering,
                f"{e.plan_seconds:.3g} s",
                f"{e.run_seconds:.3g} s",
                "chosen" if e == plan.chosen else "",
            )
            for e in plan.estimates
        ]
        return {
            "name": self.explained.lowering,
            "why": "as asked for" if plan.asked else "the fastest estimate among the usable lowerings",
            "rows": rows,
            "explained": str(self.explained),
            "summary": f"The SQL, {len(text):,} characters",
            "sql": text[:_SQL] + cut,
        }

    def _foot(self) -> str:
        sampled, compared = self.report.sampled, self.report.compared
        return (
            f"Measured on {sampled.rows:,} sampled rows, {sampled.pairs:,} pairs of them, "
            f"{f'{compared}, ' if compared else ''}by sqlrp {VERSION} on {datetime.now(UTC):%Y-%m-%d}."
        )


def _used(given: object, used: object) -> str:
    """The value of a parameter that is used, with the given one if that is another."""
    text = f"{used:.4g}" if isinstance(used, float) else shorten(used)
    return text if given == used or given is None else f"{text} ({shorten(given)})"


def _measure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
