"""The page of `sqlrp.report`: it shows the measures, loads nothing, and escapes all names.

If there is a browser (chromium or google-chrome), it renders the page: wide and narrow, light and dark.
"""

from __future__ import annotations

import itertools
import json
import re
import struct
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from browser import Browser, served
from click.testing import CliRunner
from helpers import assert_one_line, quoted

import sqlrp
from sqlrp import (
    Degree2KernelProjection,
    ParameterError,
    PolynomialKernelProjection,
    RandomSubspace,
    SparseProjection,
    Wide,
)
from sqlrp._cli.app import cli
from sqlrp._core.draw import Purpose, draw_sample, draw_strata, hashes
from sqlrp._core.errors import SourceError
from sqlrp._quality import recall_advice
from sqlrp._quality.advice import advice
from sqlrp._quality.charts import charts
from sqlrp._quality.page import WrittenReport, cleaned

HOSTILE = "</pre></td><script>alert('x')</script><img src=x onerror=alert(1)>\"&'"
SP = SparseProjection(k=16, s=1, seed=3)


class Parsed(HTMLParser):
    """Tags, attributes and text of a page; no tag is left open."""

    VOID = ("meta", "br", "img", "link", "input")

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.raw = path.read_text(encoding="utf-8")
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(self.raw)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


@pytest.fixture(scope="module")
def con() -> Iterator[Any]:
    with duckdb.connect(config={"threads": "1"}) as connection:
        x = np.random.default_rng(5).normal(size=(300, 40))
        columns = ", ".join(f"{quoted(name)} DOUBLE" for name in (HOSTILE, *(f"f{j}" for j in range(1, 40))))
        connection.execute(f"CREATE TABLE {quoted(HOSTILE)} (id INTEGER, label VARCHAR, {columns})")
        rows = [(i, "secret row", *row) for i, row in enumerate(x.tolist())]
        connection.executemany(f"INSERT INTO {quoted(HOSTILE)} VALUES ({', '.join('?' * 42)})", rows)
        yield connection


@pytest.fixture(scope="module")
def written(con: Any, tmp_path_factory: pytest.TempPathFactory) -> WrittenReport:
    path = tmp_path_factory.mktemp("report") / "page.html"
    return sqlrp.report(SP, Wide(quoted(HOSTILE), keep=["label"]), con, path, sample=60, at=3, distortion=0.15)


def test_a_prompt_shows_the_sentence_of_the_page(written: WrittenReport) -> None:
    assert repr(written) == f"{written.path}: {written.verdict}"
    assert f">{written.verdict}</p>" in written.path.read_text(encoding="utf-8")


def test_the_page_says_what_was_measured_and_run(con: Any, written: WrittenReport) -> None:
    page, source = Parsed(written.path), Wide(quoted(HOSTILE), keep=["label"])
    want = sqlrp.diagnose(SP, source, con, sample=60, at=3)
    assert written.report == want
    table = page.texts[page.texts.index("All measures") :]
    for name, value in want.measures().items():
        assert table[table.index(name) + 1] == (f"{value:,}" if isinstance(value, int) else f"{value:.4g}"), name
    explained = sqlrp.explain(SP, source, con, output="auto")
    assert str(explained) in page.texts
    assert explained.text in page.texts
    for advised in written.advice:
        assert f" {advised.text}" in page.texts
        assert {advised.figure, advised.source} <= set(page.texts)
    for words in ("40 → 16", "300", "duckdb", "40 (double)", explained.lowering, repr(SP.seed)):
        assert words in page.texts
    for chart in charts(want, 0.15):
        assert {chart.title, chart.caption, *(mark.name for mark in chart.marks if mark.name)} <= set(page.texts)
    assert page.tags.count("svg") == 4
    assert HOSTILE in page.texts  # the heading, as it is


def test_parameters_are_those_in_force(con: Any, tmp_path: Path) -> None:
    """s and p as numbers, in the line at the top and in the table."""
    projection = PolynomialKernelProjection(k=256, seed=1)
    x = pd.DataFrame(np.random.default_rng(1).normal(size=(40, 121)))
    sqlrp.report(projection, x, None, tmp_path / "page.html", sample=20, key=None)
    texts = Parsed(tmp_path / "page.html").texts
    assert "k=256, s=11, seed=1, degree=2, p=512, t=4" in next(
        t for t in texts if t.startswith("PolynomialKernelProjection(")
    )
    assert {"11 ('sqrt')", "512"} <= set(texts)
    assert "None" not in texts
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(40, 9)))
    fitted = sqlrp.fit(SparseProjection(k=2), sqlrp.Standardized(frame, "standard"), key=None)
    assert fitted.resolved_name(9) == "Prepared(SparseProjection(k=2, s=3, seed=0), how='standard')"
    chain = sqlrp.Chained(of=(SparseProjection(k=4), SparseProjection(k=2, seed=1)))
    assert chain.resolved_name(16) == "Chained(SparseProjection(k=4, s=4, seed=0), SparseProjection(k=2, s=2, seed=1))"
    assert sqlrp.BilinearPooling(k=8).resolved(16)["p"] == 16
    assert SparseProjection(k=2).resolved(None)["s"] == "sqrt"


def verdict(path: Path) -> tuple[str, str]:
    found = re.search(r'<p class="verdict (\w+)">(.*?)</p>', path.read_text(encoding="utf-8"))
    assert found
    return found[1], found[2]


def test_the_sentence_at_the_top(tmp_path: Path) -> None:
    """Good, close, and in two ways not good enough yet. Each row is near the five others of its group."""
    rng, path = np.random.default_rng(0), tmp_path / "page.html"
    groups = pd.DataFrame(np.repeat(rng.normal(0, 9, size=(40, 200)), 6, axis=0) + rng.normal(0, 0.9, size=(240, 200)))
    cloud = pd.DataFrame(rng.normal(size=(240, 200)))
    for x, k, wanted, kind, words in (
        (groups, 100, 0.3, "keep", "This projection serves: 200 numbers per row become 100, 50% of the size; "),
        (
            cloud,
            20,
            0.5,
            "change",
            "Let a search rank its candidates again by the whole rows: 200 numbers per row become 20, 10% ",
        ),
        (
            groups,
            10,
            0.1,
            "change",
            "Do not rely on the distances yet: 200 numbers per row become 10, 5% of the size; ",
        ),
        (groups, 100, 0.105, "change", "The aim is close: "),
    ):
        found = sqlrp.report(SparseProjection(k=k, s=1), x, None, path, sample=240, distortion=wanted, key=None)
        got, text = verdict(path)
        assert (got, text.startswith(words)) == (kind, True), (text, found.report.distortion.mean, found.report.recall)
        assert f"{found.report.recall:.0%} of the nearest neighbours stay the nearest" in text
        tile = re.search(r'<div class="tile (\w*)"><span>Recall@5', path.read_text(encoding="utf-8"))
        assert tile
        assert tile[1] == ("change" if found.report.recall < 0.5 else "")


def brute_recall(true: Any, near: Any, at: int, reach: int) -> float:
    """By sorting lists."""
    hits = 0
    for i in range(len(true)):
        others = [j for j in range(len(true)) if j != i]
        wanted = sorted(others, key=lambda j, i=i: true[i][j])[:at]
        seen = sorted(others, key=lambda j, i=i: near[i][j])[:reach]
        hits += len({*wanted} & {*seen})
    return hits / at / len(true)


def between(x: Any) -> Any:
    return ((x[:, None] - x[None]) ** 2).sum(axis=2)


@pytest.mark.slow
def test_a_low_recall_says_what_would_raise_it_on_this_sample(con: Any, tmp_path: Path) -> None:
    x = np.random.default_rng(2).normal(size=(80, 60)) * np.random.default_rng(3).gamma(0.5, size=60)
    columns = [f"f{j}" for j in range(60)]
    con.from_df(pd.DataFrame(x, columns=columns).assign(id=range(80))).create("low")
    rp = SparseProjection(k=8, s=1, seed=1)
    found = sqlrp.report(rp, "low", con, tmp_path / "low.html", sample=80, at=4)
    assert found.report.recall < 0.5
    first = found.advice[0]
    assert first.kind == "change"
    base = brute_recall(between(x), between(sqlrp.project(rp, pd.DataFrame(x), key=None).to_numpy()), 4, 4)
    assert first.text.startswith(
        f"Only {base:.1%} of the 4 nearest neighbours are kept. On this sample more are found by "
    )
    assert base == pytest.approx(found.report.recall)
    for k in (16, 32):
        z = sqlrp.project(SparseProjection(k=k, s=1, seed=1), pd.DataFrame(x), key=None).to_numpy()
        assert f"k = {k} ({brute_recall(between(x), between(z), 4, 4):.1%})" in first.text
    assert "k = 64" not in first.text, "no more components than features"
    near = between(sqlrp.project(rp, pd.DataFrame(x), key=None).to_numpy())
    again = brute_recall(between(x), near, 4, 40)
    assert f"looking at the 40 nearest and ranking these again by the original rows ({again:.1%}), " in first.text
    frame = sqlrp.report(
        rp, pd.DataFrame(x, columns=columns).assign(id=range(80)), None, tmp_path / "f.html", sample=80, at=4
    )
    assert f"k = 16 ({brute_recall(between(x), between(z16(x)), 4, 4):.1%})" in frame.advice[0].text
    prepared = sqlrp.fit(rp, sqlrp.Standardized("low"), con)
    told = sqlrp.report(prepared, "low", con, tmp_path / "p.html", sample=80, at=4).advice[0].text
    scaled = (x - x.mean(axis=0)) / x.std(axis=0)
    base = brute_recall(between(scaled), between(sqlrp.project(rp, pd.DataFrame(scaled), key=None).to_numpy()), 4, 4)
    assert told.startswith(f"Only {base:.1%} ")


def z16(x: Any) -> Any:
    return sqlrp.project(SparseProjection(k=16, s=1, seed=1), pd.DataFrame(x), key=None).to_numpy()


def test_a_tuned_table_is_named_where_it_serves() -> None:
    """Few features carry the distances: a table that is tuned to them finds more neighbours."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 40)) * np.where(np.arange(40) < 3, 10.0, 0.3)
    (told,) = recall_advice.raising_recall(SparseProjection(k=3, s=3, seed=4), x, 5)
    assert "DataTunedProjection of the same k (" in told.text
    assert list(recall_advice.raising_recall(SparseProjection(k=400, s=1), x, 5)) == []
    assert list(recall_advice.raising_recall(sqlrp.BilinearPooling(k=4, s=1), x, 5)) == []
    assert list(recall_advice.raising_recall(SparseProjection(k=3, s=1), x[:2], 5)) == []
    kernel = PolynomialKernelProjection(k=8, s=1, seed=1)
    (told,) = recall_advice.raising_recall(kernel, rng.normal(size=(80, 12)), 5)
    assert "k = 16 (" in told.text
    assert "DataTuned" not in told.text


def test_the_pictures_of_plot_are_those_of_the_page(written: WrittenReport) -> None:
    """Every value is in a legend, and no legend reaches into its chart, the title or the next legend."""
    figure = written.report.plot()
    drawn = charts(written.report)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [chart.title for chart in drawn]
    figure.canvas.draw()
    inner = [axes.get_window_extent() for axes in figure.axes]
    legends = [axes.get_legend().get_window_extent() for axes in figure.axes]
    for axes, chart, box, legend in zip(figure.axes, drawn, inner, legends, strict=True):
        said = {text.get_text() for text in axes.get_legend().get_texts()}
        assert said == {mark.name for mark in chart.marks if mark.name}
        assert legend.y0 >= box.y1 - 1
        assert not axes._left_title.get_window_extent().overlaps(legend)
        assert not axes.texts
    for a, b in itertools.combinations(legends, 2):
        assert not a.overlaps(b)
    assert figure.get_suptitle() == "SparseProjection(k=16, s=1, seed=3) on 60 rows"


def test_without_jinja2_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"sqlrp.report needs jinja2: pip install "):
        sqlrp.report(SP, pd.DataFrame(np.eye(9)), None, tmp_path / "page.html", key=None)
    assert list(tmp_path.iterdir()) == []


def test_no_name_breaks_out_of_the_text(written: WrittenReport) -> None:
    page = Parsed(written.path)
    assert {"script", "img", "link", "iframe", "object"}.isdisjoint(page.tags)
    assert "<script" not in page.raw
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "secret row" not in page.raw


def test_nothing_is_fetched(written: WrittenReport) -> None:
    page = Parsed(written.path)
    assert not re.search(r"https?:|//|url\(|@import", page.raw.replace(HOSTILE, ""))
    assert {"src", "href", "xlink:href", "action"}.isdisjoint(name for name, _ in page.attributes)
    policy = dict(page.attributes)["content"]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"


def test_passwords_of_addresses_are_hidden(tmp_path: Path) -> None:
    assert cleaned("FROM 's3://me:hunter2@host/x.parquet' a@b\x07") == "FROM 's3://***@host/x.parquet' a@b\\x07"
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(50, 3)), columns=["a", "b", "s3://me:hunter2@host/x"])
    sqlrp.report(SparseProjection(k=2, s=1), frame, None, tmp_path / "page.html", sample=20, key=None)
    page = Parsed(tmp_path / "page.html")
    assert "hunter2" not in page.raw
    assert "s3://***@host/x" in page.texts


def test_a_dataframe_and_a_standardized_source(tmp_path: Path) -> None:
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(50, 6)), columns=list("abcdef"))
    found = sqlrp.report(SP, frame, None, tmp_path / "frame.html", sample=20, key=None)
    assert found.report == sqlrp.diagnose(SP, frame, sample=20, key=None)
    page = Parsed(tmp_path / "frame.html")
    assert "A dataframe is projected in memory: no SQL runs." in page.texts
    found = sqlrp.report(SP, sqlrp.Standardized(frame), None, tmp_path / "standard.html", sample=20, key=None)
    assert found.report == sqlrp.diagnose(SP, sqlrp.Standardized(frame), sample=20, key=None)
    assert "how the features are scaled first" in Parsed(tmp_path / "standard.html").texts


def test_sparse_rows_with_an_open_vocabulary_have_no_regularity(con: Any, tmp_path: Path) -> None:
    con.execute(
        "CREATE OR REPLACE TABLE words AS SELECT i AS id, 'w' || (i * j % 23) AS feature, j::DOUBLE AS value "
        "FROM range(40) a(i), range(1, 6) b(j)"
    )
    sqlrp.report(SP, sqlrp.Long("words"), con, tmp_path / "words.html", sample=20)
    page = Parsed(tmp_path / "words.html")
    assert page.tags.count("svg") == 3
    assert "open → 16" in page.texts


def test_a_failed_page_leaves_nothing_and_an_old_one_stays(con: Any, tmp_path: Path) -> None:
    old = tmp_path / "old.html"
    old.write_text("old")
    for path, source, options, words in [
        (old, "nowhere", {}, "nowhere"),
        (old, quoted(HOSTILE), {"sample": 2}, "sample = 2"),
        (old, quoted(HOSTILE), {"distortion": 1.0}, "distortion = 1.0"),
        (old, quoted(HOSTILE), {"distortion": "0.1"}, "distortion = '0.1'"),
        (tmp_path / "none" / "x.html", quoted(HOSTILE), {}, "there is no folder"),
        (tmp_path, quoted(HOSTILE), {}, "is a folder"),
    ]:
        with pytest.raises((ParameterError, SourceError)) as caught:
            sqlrp.report(SP, source, con, path, **options)  # type: ignore[arg-type]
        assert_one_line(caught, words)
    assert old.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["old.html"]


def test_the_command(con: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    con.execute(f"COPY (SELECT * FROM {quoted(HOSTILE)}) TO '{tmp_path / 'in.parquet'}'")
    arguments = ["in.parquet", "-k", "16", "-s", "1", "--seed", "3", "--keep", "label", "--sample", "60", "--at", "3"]
    result = CliRunner().invoke(cli, ["report", *arguments, "-o", "page.html", "--distortion", "0.15"])
    assert result.exit_code == 0, result.stderr
    want = sqlrp.diagnose(SP, Wide(quoted(HOSTILE), keep=["label"]), con, sample=60, at=3)
    first, *changes = result.stdout.splitlines()
    assert first == f"page.html: mean distortion {want.distortion.mean:.3f}, recall@3 {want.recall:.3f}"
    told = advice(want, 40, 300, 0.15)
    if want.recall < recall_advice.LOW:
        source = Wide(quoted(HOSTILE), keep=["label"])
        told = [*sqlrp.report(SP, source, con, tmp_path / "three.html", sample=60, at=3, distortion=0.15).advice]
    assert changes == [f"  {a.text}" for a in told if a.kind == "change"]
    Parsed(tmp_path / "page.html")
    as_json = CliRunner().invoke(cli, ["report", *arguments, "-o", "two.html", "--distortion", "0.15", "--json"])
    document = json.loads(as_json.stdout)
    assert document["measures"] == want.measures()
    assert [a["text"] for a in document["advice"]] == [a.text for a in told]
    refused = CliRunner().invoke(cli, ["report", *arguments, "-o", "page.pdf"])
    assert refused.exit_code == 2
    assert "must end in one of .html, .htm" in refused.stderr


# -- advice ----------------------------------------------------------------------------------------------


def advised(projection: sqlrp.Projection, x: Any, wanted: float = 0.1) -> dict[str, str]:
    """The texts and figures of the advice on rows, by kind; the figures with them."""
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])])
    report = sqlrp.diagnose(projection, frame, sample=200, key=None)
    found: dict[str, str] = {"change": "", "keep": "", "note": ""}
    for a in advice(report, x.shape[1], len(x), wanted):
        assert a.figure
        assert a.source
        found[a.kind] += f"{a.text} [{a.figure}] "
    return found


@pytest.mark.slow
def test_k_too_small_names_the_k_that_serves() -> None:
    x = np.random.default_rng(0).normal(size=(300, 2000))
    said = advised(SparseProjection(k=32, s=1), x)["change"]
    k = int(re.findall(r"use about ([\d,]+)", said)[0].replace(",", ""))
    assert "0.1 at k = 128" in said  # ⌈4/(π·0.1²)⌉
    again = advised(SparseProjection(k=round(1.1 * k), s=1), x)
    assert "is enough for the distortion" in again["keep"]
    assert again["change"] == ""
    assert f"from k = {sqlrp.min_k(300, 0.1, delta=0.05):,} on" in again["note"]
    assert "with a chance of 95%" in again["note"]


def test_heavy_tails_ask_for_a_smaller_s() -> None:
    rng = np.random.default_rng(0)
    heavy, light = rng.standard_cauchy(size=(300, 400)), rng.normal(size=(300, 400))
    assert "heavy tails for s = √d = 20: use s = 3" in advised(SparseProjection(k=100), heavy)["change"]
    assert "heavy tails" not in advised(SparseProjection(k=100, s=3), heavy)["change"]
    assert "light enough" in advised(SparseProjection(k=100), light)["keep"]


def test_few_features_ask_for_signs_that_are_not_zero() -> None:
    x = np.random.default_rng(0).normal(size=(100, 4))
    said = advised(SparseProjection(k=64), x)["change"]
    assert "With 4 features s = √d = 2 leaves sums without any feature: use s = 1. " in said
    assert f"{0.5**4:.1%}" in said
    drawn = sqlrp.signs(n_features=4, n_vectors=20_000).column("sign").to_numpy().reshape(-1, 4)
    assert (drawn == 0).all(axis=1).mean() == pytest.approx(0.5**4, abs=0.01)
    assert "without any feature" not in advised(SparseProjection(k=64, s=1), x)["change"]


def test_irregular_rows_ask_for_the_reflection() -> None:
    # Differences are multiples of one binary row with d/4 ones: c = d/s = 4, c' = 1 (Theorem 3).
    x = np.outer(np.arange(200.0), np.arange(400) % 4 == 0)
    said = advised(RandomSubspace(k=100), x, 0.3)["change"]
    plain, turned = (sqlrp.min_k(200, 0.3, 0.05, "rs", c, 400) for c in (4, 1))
    assert 'densify = "householder"' in said
    assert f"asks for k = {turned} to keep every distance between the sampled rows, rather than {plain}." in said
    reflecting = advised(RandomSubspace(k=100, densify="householder"), x, 0.3)
    assert (
        f"The reflection serves these rows: theory asks for k = {turned}, and otherwise for {plain}."
        in (reflecting["keep"])
    )
    # Entries of one size and sign: the reflection has nothing to add.
    even = np.outer(np.arange(200.0), np.ones(400))
    assert "The reflection changes little" in advised(RandomSubspace(k=100), even, 0.3)["keep"]
    # The rows are sparse, and their differences have no common sign: the reflection does not serve distances.
    sparse = (np.random.default_rng(0).random((200, 400)) < 0.15) * 1.0
    assert "densify" not in advised(RandomSubspace(k=100), sparse, 0.3)["change"]


def data_sets() -> Iterator[npt.NDArray[np.float64]]:
    """Rows whose differences are regular, or hidden in rows that look regular, or in one pair of many."""
    diagonal = np.full((30, 200), 10.0)
    diagonal[np.arange(30), np.arange(30)] += 5
    yield diagonal
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x = rng.choice([-1.0, 1.0], (20, 300))
        yield x
        yield x + 100
        near = x.copy()
        near[1] = near[0]
        near[1, seed] += 3  # one pair of 190 differs in one feature
        yield near
        yield rng.standard_t(2, (20, 300))
        yield (rng.random((20, 300)) < 0.1) * 1.0
        yield np.outer(np.arange(20.0), np.arange(300) % 4 == 0) + rng.normal(size=300)


@pytest.mark.slow
def test_what_is_said_of_every_distance_holds() -> None:
    failed = drawn = below = 0
    ways = ((None, False), ("householder", False), (None, True))
    for x, (densify, strata), (wanted, sample) in itertools.product(data_sets(), ways, ((0.3, 500), (0.9, 12))):
        d = x.shape[1]
        projection = RandomSubspace(k=5, densify=densify, stratified=strata)
        report = sqlrp.diagnose(projection, pd.DataFrame(x), sample=sample, at=1, key=None)
        note = next(a.text for a in advice(report, d, len(x), wanted) if a.kind == "note")
        found = re.search(r"every squared distance between the (\d+) sampled rows is kept .* from k = (\d+) on", note)
        assert found, note
        assert int(found[1]) == min(sample, len(x))
        rows = x[drawn_rows(len(x), sample)]
        turned = rows - 2 * rows.mean(axis=1, keepdims=True) if densify else rows
        k, apart = int(found[2]), np.triu_indices(len(rows), 1)
        below += k < d
        squares = (turned[apart[0]] - turned[apart[1]]) ** 2
        true = squares.sum(axis=1)
        for seed in range(20):
            picked = draw_strata(d, k, seed) if strata else draw_sample(d, k, seed, replace=False)
            got = squares[:, picked].sum(axis=1) * d / k
            failed += bool((np.abs(got - true) > wanted * true + 1e-9).any())
            drawn += 1
    assert drawn == 114 * 20
    assert below > 15, "where all features are asked for nothing is promised"
    assert failed <= 0.05 * drawn


def drawn_rows(n: int, sample: int) -> npt.NDArray[np.int64]:
    """The sample of seed 0 of rows without a key."""
    h = hashes(0, Purpose.SAMPLE, np.zeros(1, dtype=np.int64), np.arange(n))[0]
    return np.lexsort((np.arange(n), h))[:sample]


def test_s_is_named_where_it_is_the_cause() -> None:
    x = np.random.default_rng(0).normal(size=(60, 400)) * (np.random.default_rng(1).random((60, 400)) < 0.02)
    x[:, 0] = 1
    said = advised(Degree2KernelProjection(k=400, s="sqrt", m=2), x)["change"]
    assert "+8.5·⟨x², y²⟩: use s = 3" in said
    three = advised(Degree2KernelProjection(k=400, m=2), x)
    assert "bias" not in three["change"]
    assert "use m = 2, or more" in advised(Degree2KernelProjection(k=400, m=1), x)["change"]
    assert "bias" not in advised(Degree2KernelProjection(k=400, m=1, s="sqrt", modified=True), x)["change"]


def test_products_ask_for_more_of_them() -> None:
    x = np.random.default_rng(0).normal(size=(200, 30))
    poor = advised(PolynomialKernelProjection(k=200, p=24, t=4, s=1, c=1), x, wanted=0.08)["change"]
    assert "raise t from 4 towards 30" in poor
    assert "Raise p from 24 to 800" in poor
    rich = advised(PolynomialKernelProjection(k=200, p=6000, t=30, s=1, c=1), x, wanted=0.2)
    assert "t = 30 and p = 6,000 are enough" in rich["keep"]


# -- in a browser ----------------------------------------------------------------------------------------

_PROBE = """<script>
const wrong = [];
window.addEventListener("error", (event) => wrong.push(String(event.message)));
window.addEventListener("load", () => {
  document.querySelectorAll("details").forEach((part) => { part.open = true; });
  const inside = (element) => element.closest("pre, .wide") === null;
  const out = [...document.querySelectorAll("body *")].filter(
    (element) => inside(element) && element.getBoundingClientRect().right > window.innerWidth + 0.5);
  const colour = getComputedStyle(document.body).backgroundColor;
  const drawn = [...document.querySelectorAll("svg")].map((svg) => svg.getBoundingClientRect().height);
  const box = (element) => element.getBoundingClientRect();
  const left = (a, b) => a.right <= b.left + 0.5 || a.bottom <= b.top + 1;
  const apart = (a, b) => left(a, b) || left(b, a);
  const over = [];
  const sizes = [];
  document.querySelectorAll("figure").forEach((figure) => {
    const texts = [...figure.querySelectorAll("svg text")];
    const shapes = [...figure.querySelectorAll("svg polyline, svg rect.bar, svg circle")];
    texts.forEach((text, i) => {
      texts.slice(i + 1).filter((other) => !apart(box(text), box(other))).forEach((other) =>
        over.push(text.textContent + " / " + other.textContent));
      shapes.filter((shape) => !apart(box(text), box(shape))).forEach((shape) =>
        over.push(text.textContent + " / " + shape.getAttribute("class")));
    });
    const svg = figure.querySelector("svg");
    const scale = box(svg).width / svg.viewBox.baseVal.width;
    const chart = parseFloat(getComputedStyle(texts[1]).fontSize) * scale;
    sizes.push([chart, parseFloat(getComputedStyle(figure.querySelector("figcaption")).fontSize)]);
  });
  document.body.setAttribute("data-probe", JSON.stringify({ over: over, sizes: sizes,
    wide: document.documentElement.scrollWidth, window: window.innerWidth, out: out.map((e) => e.tagName),
    background: colour, drawn: drawn, wrong: wrong}));
});
</script>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser.started() as started:
        yield started


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_in_a_browser(browser: Browser, written: WrittenReport, tmp_path: Path, width: int, dark: bool) -> None:
    # A window is never as narrow as a phone, but a frame is; its page measures itself by a script.
    text = re.sub(r"<meta http-equiv[^>]*>", "", written.path.read_text(encoding="utf-8"))
    (tmp_path / "page.html").write_text(text.replace("</head>", f"{_PROBE}</head>"), encoding="utf-8")
    (tmp_path / "frame.html").write_text(
        f'<!DOCTYPE html><link rel="icon" href="data:,"><body style="margin:0"><iframe id="f" src="page.html" '
        f'style="border:0" width="{width}" height="2400"></iframe></body>'
    )
    picture = tmp_path / "page.png"
    with served(tmp_path) as address:
        page = browser.page(1300, 2400)
        page.dark(dark)
        page.open(f"{address}/frame.html")
        probe = json.loads(page.value('document.getElementById("f").contentDocument.body.getAttribute("data-probe")'))
        page.picture(picture)
    assert page.told == page.outside == page.failed == []
    assert probe["wrong"] == []
    assert probe["out"] == []
    assert len(probe["sizes"]) == 4
    assert probe["over"] == [], "texts of a chart touch one another, or what is drawn"
    assert all(9 <= chart <= caption for chart, caption in probe["sizes"]), (
        "captions are not smaller than charts' texts"
    )
    assert probe["wide"] <= probe["window"] == width
    assert probe["background"] == ("rgb(18, 22, 27)" if dark else "rgb(246, 247, 249)")
    assert len(probe["drawn"]) == 4
    assert min(probe["drawn"]) > 200
    assert struct.unpack(">II", picture.read_bytes()[16:24]) == (1300, 2400)
