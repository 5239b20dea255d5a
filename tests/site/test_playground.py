"""The playground of the site, in a browser: type a statement, run it, and read the numbers; they are Python's."""

from __future__ import annotations

import base64
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
FLOATS = {"rtol": 1e-6, "atol": 1e-7}
"""Of features of 32 bits: a page without the extension json does not know their type, and computes in 64 bits."""


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
    """The rows are those of sqlrp.project."""
    assert page.value("document.querySelector('#try').dataset.first") == "shown"
    names, rows = shown(page)
    assert "989 rows" in status(page), status(page)
    assert names == ["id", "z0", "z1", "z2", "z3", "z4", "z5", "…"]
    projection = sqlrp.SparseProjection(k=256, seed=7)
    table = sqlrp.project(projection, sqlrp.Array("docstrings", "e", key="id"), con)
    first = {row["id"]: [row[f"z{i}"] for i in range(6)] for row in table.to_pylist()}
    assert len(rows) == 8
    for row in rows:
        np.testing.assert_allclose([float(x) for x in row[1:7]], first[int(row[0])], **FLOATS)


def test_signs_alone_are_measured(page: Page, con: duckdb.DuckDBPyConnection) -> None:
    """Of the true ten nearest, the share among the hundred rows with the most equal signs: numpy finds the same."""
    ran(page, "document.querySelector('#try button[data-set=docstrings]').click()")
    ids, x = zip(*con.execute("SELECT id, e FROM docstrings ORDER BY hash(id)").fetchall(), strict=True)
    z = np.array(x) @ sqlrp.SparseProjection(k=256, seed=7).stages(384)[0].matrix(np.arange(384))  # type: ignore[attr-defined]
    text = page.value("document.querySelector('#try .codes').textContent")
    assert "256 components alone are 32 bytes per row, where 384 floats are 1,536" in text
    assert len(ids) == 989
    shares = []
    for at in (int(i * 989 / 40) for i in range(40)):
        far = ((np.array(x) - x[at]) ** 2).sum(axis=1)
        signs = np.where(z >= 0, 1, -1)
        equal = np.argsort(-(signs @ signs[at]), kind="stable")
        true = [row for row in np.argsort(far) if row != at][:10]
        shares.append(len(set(true) & set([row for row in equal if row != at][:100])) / 10)
    found = float(page.value("document.querySelector('#try .codes').dataset.share"))
    assert found == pytest.approx(np.mean(shares), abs=0.02)
    assert found > 0.95


def test_photographs_open_on_a_picture(page: Page) -> None:
    """Not on the sky, of which the first windows are."""
    for name in ("digits", "photographs"):
        ran(page, f"document.querySelector('#try button[data-set={name}]').click()")
    seen = page.value(
        "(() => { const c = document.querySelector('#try .asked canvas'); const found = "
        "[...c.getContext('2d').getImageData(0, 0, c.width, c.height).data].filter((_, i) => i % 4 === 0);"
        "return Math.max(...found) - Math.min(...found); })()"
    )
    assert seen > 100


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
    typed(page, "SELECT * FROM pk_project('digits', k := 64, degree := 2, t := 4, seed := 7)")
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
    assert page.value("document.querySelectorAll('#try .distortion circle').length") == 5


def test_the_scatter_plot_shows_every_row_by_label(page: Page) -> None:
    ran(page, "document.querySelector('#try button[data-set=digits]').click()")
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
    assert shown(page) == ([], [])
    assert page.value("document.querySelector('#try .legend').childElementCount") == 0
    assert page.value("document.querySelector('#try .neighbours').hidden") is True
    typed(page, "SELECT 6 * 7 AS answer")
    assert shown(page) == (["answer"], [["42"]])


def test_the_blocks_of_the_page_run(page: Page) -> None:
    """Those below the playground, by a click."""
    count = page.value("document.querySelectorAll('.try-it').length")
    assert count >= 5
    for i in range(count):
        ran(page, f"document.querySelectorAll('.try-it')[{i}].click()")
        assert " rows in " in status(page), status(page)


def test_what_is_seen_first_is_what_runs(page: Page, site: Path) -> None:
    """The picture was computed when the site was built: DuckDB in the page gives the same rows."""
    first = json.loads((site / "playground/first.json").read_text(encoding="utf-8"))
    typed(page, first["statement"])
    names, rows = shown(page)
    assert names[:-1] == first["names"][:7]
    np.testing.assert_allclose(np.array([row[:7] for row in rows], float), np.array(first["rows"])[:, :7], **FLOATS)
    assert len(first["points"]) == first["count"] == 989


def test_of_several_statements_the_last_is_shown(page: Page) -> None:
    """Semicolons in strings, names and comments end nothing; an error names its statement."""
    typed(
        page, "CREATE TEMP TABLE seen AS SELECT 6 AS six; -- a ; here\nSELECT six * 7 AS \"a;b\", ';' AS c FROM seen;"
    )
    assert shown(page) == (["a;b", "c"], [["42", ";"]])
    assert "2 statements" in status(page)
    typed(page, "SELECT 1; FROM absent")
    assert status(page).startswith("Statement 2 of 2: ")
    assert shown(page) == ([], [])


def test_the_controls_follow_the_statement(page: Page) -> None:
    """And a slider changes its own argument only."""
    typed(
        page,
        "SELECT id, z0, z1 FROM pk_project("
        "'words', key := 'id', feature := 'word', value := 'n', k := 8, s := 3, t := 9)",
    )
    said = "[...document.querySelectorAll('#try output')].map(one => one.textContent).join(' ')"
    assert page.value(said) == "8 3 9 2"
    assert page.value("document.querySelector('#try button[data-set=words]').getAttribute('aria-pressed')") == "true"
    assert page.value("document.querySelectorAll('#try .legend li').length") == 14
    colours = (
        "new Set([...document.querySelectorAll('#try .legend li')].map(one => one.style.getPropertyValue('--mark')))"
    )
    assert page.value(f"{colours}.size") == 14
    slide(page, "k", 3)
    text = page.value("document.querySelector('#try .cm-content').textContent")
    assert text.startswith("SELECT id, z0, z1 FROM pk_project('words', key := 'id'")
    assert text.endswith("k := 16, s := 3, t := 9)")


@pytest.mark.parametrize("engine", ["postgresql", "snowflake"])
def test_the_menu_shows_the_text_of_an_engine(page: Page, engine: str) -> None:
    """That of sqlrp.sql; for other settings it says how to write it."""
    typed(page, "SELECT * FROM rp_project('digits', k := 16, seed := 7)")
    page.value("document.querySelector('#try .sql').open = true")
    choose = f"(() => {{ const menu = document.querySelector('#try select'); menu.value = '{engine}';"
    page.value(choose + "menu.dispatchEvent(new Event('change')); })()")
    source = sqlrp.Wide("digits", features=[f"p{j}" for j in range(64)])
    want = json.dumps(sqlrp.sql(sqlrp.SparseProjection(k=16, seed=7), source, engine))
    page.wait(f"document.querySelector('#try .sql code').textContent === {want}")
    slide(page, "s", 1)
    page.wait("document.querySelector('#try .sql code').textContent.startsWith('sqlrp.sql(sqlrp.SparseProjection(')")
    page.value("document.querySelector('#try select').value = 'duckdb'")


def test_duckdbs_text_gives_the_same_rows(page: Page) -> None:
    """The text that is shown is the one that runs."""
    typed(page, "SELECT * FROM rp_project('digits', k := 3, seed := 5)")
    want = shown(page)
    page.value("document.querySelector('#try .sql').open = true")
    page.wait("document.querySelector('#try .sql .note').textContent.startsWith('DuckDB runs this text')")
    typed(page, str(page.value("document.querySelector('#try .sql code').textContent")))
    assert shown(page) == want


def test_the_nearest_rows_are_numpys(page: Page, con: duckdb.DuckDBPyConnection) -> None:
    """Before and after, for a row that is asked for."""
    typed(page, "SELECT * FROM rp_project('digits', k := 16, seed := 7)")
    page.value("document.querySelector('#try .neighbours input').value = '42'")
    page.value("document.querySelector('#try .neighbours form').requestSubmit()")
    x = con.execute("SELECT columns('p[0-9]+') FROM digits ORDER BY id").df().to_numpy(dtype=float)
    projection = sqlrp.SparseProjection(k=16, seed=7)
    z = sqlrp.project(projection, sqlrp.Wide("digits", key="id"), con).sort_by("id").drop(["id"]).to_pandas().to_numpy()
    for name, rows in (("was", x), ("is", z)):
        far = ((rows - rows[42]) ** 2).sum(axis=1)
        titles = f"[...document.querySelectorAll('#try .{name} button')].map(one => one.title.match(/row (.*)/)[1])"
        found = [int(row) for row in page.value(titles)]
        assert len(found) == 10
        assert 42 not in found
        np.testing.assert_allclose(far[found], np.sort(far)[1:11], rtol=1e-9)


def dropped(page: Page, name: str, make: str) -> None:
    """Choose a file that a script makes in the page."""
    before = page.value(RUNS)
    page.value(
        f"(async () => {{ const given = new DataTransfer(); "
        f"given.items.add(new File([await (async () => {{ {make} }})()], '{name}'));"
        "const box = document.querySelector('#try'); box.dispatchEvent("
        "new DragEvent('drop', { dataTransfer: given, bubbles: true, cancelable: true })); })()"
    )
    page.wait(f"{RUNS} > {before} && {STATE} !== 'running'")


def test_a_dropped_csv_of_100_000_rows_is_projected(page: Page) -> None:
    """Its numbers are Python's, and nothing is sent."""
    make = (
        "const lines = ['kind,a,b,c,d']; for (let i = 0; i < 100000; i++)"
        "lines.push([i % 2 ? 'odd' : 'even', i % 7, i % 11, i % 13, i % 17].join()); return lines.join('\\n');"
    )
    dropped(page, "My file.csv", make)
    assert status(page).startswith("100,000 rows"), status(page)
    text = str(page.value("document.querySelector('#try .cm-content').textContent"))
    assert "'my_file', k := 2" in text
    rows = np.array([row[1:3] for row in shown(page)[1]], float)
    x = np.array([[i % 7, i % 11, i % 13, i % 17] for i in range(8)], float)
    np.testing.assert_allclose(rows, np.asarray(sqlrp.project(sqlrp.SparseProjection(k=2, seed=7), x)), rtol=1e-12)
    assert page.value("document.querySelectorAll('#try .legend li').length") == 2


def test_a_dropped_parquet_is_projected(page: Page, con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """An array of it, with a key of its own; and what has no numbers is refused."""
    path = tmp_path / "arrays.parquet"
    con.execute("COPY (SELECT id, label, pixels::FLOAT[] AS e FROM photographs) TO '" + str(path) + "'")
    data = base64.b64encode(path.read_bytes()).decode()
    dropped(page, "arrays.parquet", f"return Uint8Array.from(atob('{data}'), one => one.charCodeAt(0));")
    assert " rows in " in status(page), status(page)
    z = sqlrp.project(sqlrp.SparseProjection(k=16, seed=7), sqlrp.Array("photographs", "pixels", key="id"), con)
    want = {row["id"]: row["z0"] for row in z.to_pylist()}
    for row in shown(page)[1]:
        assert float(row[1]) == pytest.approx(want[int(row[0])], rel=1e-9)
    dropped(page, "words only.csv", "return 'name\\nx\\n';")
    assert "nothing to project" in status(page)
    assert shown(page) == ([], [])


def test_a_column_of_names_is_no_label(page: Page) -> None:
    """The first column of text with at most 12 values has the colours. The same file again is the same table."""
    lines = ["name,kind,a,b,c", *(f"name {i},{'odd' if i % 2 else 'even'},{i % 7},{i % 5},{i % 3}" for i in range(60))]
    for _ in range(2):
        dropped(page, "mine.csv", f"return {json.dumps(chr(10).join(lines))};")
        assert page.value("document.querySelectorAll('#try .legend li').length") == 2
        assert page.value("document.querySelector('#try').dataset.file") == "mine"
    lines = [line.replace(",odd,", ",").replace(",even,", ",").replace(",kind,", ",") for line in lines]
    dropped(page, "names.csv", f"return {json.dumps(chr(10).join(lines))};")
    assert " rows in " in status(page), status(page)
    assert page.value("document.querySelectorAll('#try .legend li').length") == 0


def test_rows_that_became_null_are_counted(page: Page) -> None:
    lines = ["id,a,b,c", *(f"{i},{i % 7},{'' if i % 4 == 0 else i % 5},{i % 3}" for i in range(40))]
    dropped(page, "holes.csv", f"return {json.dumps(chr(10).join(lines))};")
    assert "; 10 of them became NULL" in status(page)
    typed(page, "FROM rp_project('holes', k := 2, nulls := 'zero')")
    assert "NULL" not in status(page)


def test_an_error_leaves_no_chart_of_another_table(page: Page) -> None:
    typed(page, "FROM rp_project('digits', k := 8, seed := 7)")
    assert page.value("document.querySelectorAll('#try .distortion circle').length") >= 1
    typed(page, "FROM rp_project('digits', k := 0)")
    assert page.value("document.querySelectorAll('#try .distortion circle').length") == 0


def test_a_link_opens_the_same_picture(site: Path) -> None:
    """The address holds the statement."""
    picture = "document.querySelector('#try .scatter > canvas').toDataURL()"
    with served(site) as url, Browser.started() as browser:
        seen = []
        for _ in range(2):
            page = browser.page()
            page.open(f"{url}/playground.html" if not seen else str(seen[0][0]))
            page.wait(f"['done', 'failed'].includes({STATE})")
            if not seen:
                typed(page, "SELECT id, z3 AS z0, z4 AS z1 FROM rp_project('digits', k := 5, seed := 3) ORDER BY id")
            page.wait("document.readyState === 'complete'")
            seen.append((page.value("location.href"), page.value(picture), shown(page)))
            assert page.errors == []
        assert seen[0] == seen[1]


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
