"""The playground of the site, in a browser: type a statement, run it, and read the numbers; they are Python's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from browser import Browser, Page, served
from sites import built

import sqlrp

RUNS = "Number(document.querySelector('#try').dataset.runs ?? 0)"
STATE = "document.querySelector('#try').dataset.state"


@pytest.fixture(scope="module")
def site() -> Path:
    return built()


@pytest.fixture(scope="module")
def page(site: Path) -> Iterator[Page]:
    """The playground after its first statement. One page serves all tests: starting DuckDB takes seconds."""
    with served(site) as url, Browser.started() as browser:
        found = browser.page()
        found.open(f"{url}/playground.html")
        found.wait(f"['done', 'failed'].includes({STATE})")
        yield found
        assert (found.outside, found.failed, found.errors) == ([], [], [])


@pytest.fixture(scope="module")
def con(site: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The same tables in Python."""
    with duckdb.connect(config={"threads": "1"}) as made:
        for path in sorted((site / "playground").glob("*.arrow")):
            made.register("loaded", pa.ipc.open_stream(path).read_all())
            made.execute(f"CREATE TABLE {path.stem} AS FROM loaded")
        yield made


def ran(page: Page, act: str) -> None:
    """Do something in the page that runs a statement, and wait for its end."""
    before = page.value(RUNS)
    page.value(act)
    page.wait(f"{RUNS} > {before} && {STATE} !== 'running'")


def typed(page: Page, text: str) -> None:
    """Type a statement over the one that is there, and press Ctrl and Enter."""
    before = page.value(RUNS)
    page.value("document.querySelector('#try .cm-content').focus()")
    page.press("a", control=True)
    page.type(text)
    page.press("Enter", control=True)
    page.wait(f"{RUNS} > {before} && {STATE} !== 'running'")


def status(page: Page) -> str:
    return str(page.value("document.querySelector('#try .status').textContent"))


def shown(page: Page) -> tuple[list[str], list[list[str]]]:
    """The names and the full values of the rows that the page shows."""
    text = page.value(
        "JSON.stringify([[...document.querySelectorAll('#try .rows th')].map(cell => cell.textContent),"
        "[...document.querySelectorAll('#try .rows tbody tr')].map(row => [...row.cells].map(cell => cell.title))])"
    )
    names, rows = json.loads(text)
    return names, rows


def slide(page: Page, name: str, value: int) -> None:
    """Move a slider."""
    ran(
        page,
        f"(() => {{ const slider = document.querySelector('#try input[name={name}]'); slider.value = {value};"
        "slider.dispatchEvent(new Event('input')); })()",
    )


def test_the_first_statement_has_run(page: Page, con: duckdb.DuckDBPyConnection) -> None:
    """The rows of `pk_project('digits', k := 64)` are those of sqlrp.project."""
    names, rows = shown(page)
    assert "1,797 rows" in status(page), status(page)
    assert names == ["id", "z0", "z1", "z2", "z3", "z4", "z5", "…"]
    projection = sqlrp.PolynomialKernelProjection(k=64, degree=2, t=4, seed=7)
    table = sqlrp.project(projection, sqlrp.Wide("digits", key="id"), con)
    first = {row["id"]: [row[f"z{i}"] for i in range(6)] for row in table.to_pylist()}
    assert len(rows) == 8
    for row in rows:
        np.testing.assert_allclose([float(x) for x in row[1:7]], first[int(row[0])], rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "projection", "source"),
    [
        ("rp_project('digits', k := 5, s := 3, seed := 11", sqlrp.SparseProjection(k=5, s=3, seed=11), "digits"),
        (
            "pk_project('photographs', array_column := 'pixels', k := 5, seed := 3",
            sqlrp.PolynomialKernelProjection(k=5, seed=3),
            sqlrp.Array("photographs", "pixels", key="id"),
        ),
        (
            "rp_project('words', key := 'id', feature := 'word', value := 'n', k := 5, s := 1, seed := 3",
            sqlrp.SparseProjection(k=5, s=1, seed=3),
            sqlrp.Long("words", key="id", feature="word", value="n"),
        ),
    ],
    ids=["wide", "array", "words"],
)
def test_a_typed_statement_gives_pythons_numbers(
    page: Page, con: duckdb.DuckDBPyConnection, call: str, projection: sqlrp.Projection, source: sqlrp.Wide | str
) -> None:
    """Every layout, and two methods. A mark of what was measured stands under the chart."""
    typed(page, f"SELECT * FROM {call}) ORDER BY id")
    table = sqlrp.project(projection, source, con).sort_by("id")
    names, rows = shown(page)
    assert status(page).startswith(f"{table.num_rows:,} rows"), status(page)
    assert names == table.column_names
    want = [list(row.values()) for row in table.slice(0, len(rows)).to_pylist()]
    np.testing.assert_allclose(np.array(rows, dtype=float), np.array(want, dtype=float), rtol=1e-12)
    assert "theory for Gaussian weights: 50%" in page.value("document.querySelector('#try .measured').textContent")


def test_sliders_write_the_statement_and_measure_it(page: Page, con: duckdb.DuckDBPyConnection) -> None:
    """The mean distortion of the sample is the same when numpy computes it."""
    ran(page, "document.querySelector('#try button[data-set=digits]').click()")
    slide(page, "degree", 3)
    slide(page, "t", 9)
    slide(page, "k", 3)
    text = page.value("document.querySelector('#try .cm-content').textContent")
    assert text.endswith("pk_project('digits', k := 16, degree := 3, t := 9, seed := 7)")
    z = sqlrp.project(
        sqlrp.PolynomialKernelProjection(k=16, degree=3, t=9, seed=7), sqlrp.Wide("digits", key="id"), con
    )
    ids = [int(i * 1797 / 120) for i in range(120)]
    after = z.sort_by("id").drop(["id"]).to_pandas().to_numpy()[ids]
    before = con.execute("SELECT columns('p[0-9]+') FROM digits ORDER BY id").df().to_numpy(dtype=float)[ids]
    kernel = (before @ before.T) ** 3
    pairs = np.triu_indices(120, 1)
    was = (kernel.diagonal()[:, None] + kernel.diagonal() - 2 * kernel)[pairs]
    found = ((after[:, None] - after) ** 2).sum(axis=2)[pairs]
    mean = float(page.value("document.querySelector('#try .measured').dataset.mean"))
    assert mean == pytest.approx(np.mean(np.abs(found - was) / was), rel=1e-9)
    assert page.value("document.querySelectorAll('#try .distortion circle').length") == 4


def test_the_scatter_plot_shows_every_row_by_label(page: Page) -> None:
    ran(page, "document.querySelector('#try button[data-method=rp]').click()")
    legend = page.value("[...document.querySelectorAll('#try .legend li')].map(item => item.textContent).join('')")
    assert legend == "0123456789"
    colours = page.value(
        "(() => { const c = document.querySelector('#try .scatter > canvas'); const found = new Set();"
        "const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 180) found.add(data.slice(i, i + 3).join());"
        "return found.size; })()"
    )
    assert colours >= 10


def test_a_wrong_statement_says_what_is_wrong(page: Page) -> None:
    """The error is DuckDB's or sqlrp's, and the page goes on."""
    typed(page, "FROM rp_project('digits', k := 0)")
    assert "k = 0" in status(page)
    typed(page, "SELECT 6 * 7 AS answer")
    assert shown(page) == (["answer"], [["42"]])


def test_the_blocks_of_the_page_run(page: Page) -> None:
    """Those below the playground, by a click."""
    count = page.value("document.querySelectorAll('.try-it').length")
    assert count >= 5
    for i in range(count):
        ran(page, f"document.querySelectorAll('.try-it')[{i}].click()")
        assert " rows in " in status(page), status(page)


def test_the_licences_are_served(site: Path) -> None:
    """Of what is bundled, with the names of the packages."""
    text = (site / "playground/licences.txt").read_text(encoding="utf-8")
    for name in ("@duckdb/duckdb-wasm 1", "apache-arrow 1", "@codemirror/view 6"):
        assert name in text
    assert "Permission is hereby granted" in text


def test_the_page_can_be_read_wide_and_narrow(page: Page) -> None:
    for dark in (False, True):
        page.dark(dark)
        for width in (390, 1280):
            page.resize(width)
            page.wait("document.documentElement.scrollWidth <= window.innerWidth", 10)
