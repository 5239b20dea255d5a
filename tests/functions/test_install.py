"""Table functions in DuckDB: the same numbers as in Python, in views and tables, from any connection, hostile names."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest
from complete_state import as_kept
from databases import macro_copy, with_functions
from extensions import compiled

import sqlrp
from sqlrp._core import shipped_files
from sqlrp._engines.duckdb import connector
from sqlrp._store import installed
from sqlrp._store.functions import FUNCTIONS

HOSTILE = ['a"b; drop table images', "select", "Zürich ☃", "x'y", "n" * 500, "dotted.name", "images"]


@pytest.fixture
def con(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with with_functions(tmp_path / "shop.duckdb") as connection:
        connection.execute(
            "CREATE TABLE images AS SELECT id, 'label' || id AS label, "
            "id % 7 AS p0, id / 8.0e0 AS p1, CAST(id % 5 AS FLOAT) AS p2 FROM range(40) t(id)"
        )
        connection.execute(
            "CREATE TABLE vectors AS SELECT id, [p0, p1, p2]::DOUBLE[3] AS v, [p0, p1, p2] AS l FROM images"
        )
        connection.execute("CREATE TABLE words AS SELECT id % 9 AS doc, 'w' || id AS word, id AS n FROM images")
        yield connection


def flat(row: tuple[object, ...]) -> list[float]:
    """The numbers of a row, arrays unfolded."""
    values = [v for cell in row for v in (cell if isinstance(cell, (tuple, list)) else [cell])]
    return [float(v) for v in values if isinstance(v, (int, float))]


RP = sqlrp.SparseProjection(k=4, s=1, seed=7)
PK = sqlrp.PolynomialKernelProjection(k=5, degree=2, p=9, t=3, s=2, c=1, seed=7)
CALLS = [
    ("rp_project('images', k := 4, s := 1, seed := 7)", RP, sqlrp.Wide("images")),
    ("rp_project('images', k := 4, s := 1, seed := 7, keep := ['label'])", RP, sqlrp.Wide("images", keep=["label"])),
    (
        "rp_project('images', k := 4, s := 1, seed := 7, features := ['p2', 'p0'])",
        RP,
        sqlrp.Wide("images", features=["p2", "p0"]),
    ),
    ("rp_project('vectors', k := 4, s := 1, seed := 7, array_column := 'v')", RP, sqlrp.Array("vectors", "v")),
    (
        "rp_project('vectors', k := 4, s := 1, seed := 7, array_column := 'l', n_features := 3)",
        RP,
        sqlrp.Array("vectors", "l"),
    ),
    (
        "rp_project('words', k := 4, s := 1, seed := 7, key := 'doc', feature := 'word', value := 'n')",
        RP,
        sqlrp.Long("words", "doc", "word", "n"),
    ),
    (
        "pk_project('images', k := 5, degree := 2, p := 9, t := 3, s := 2, c := 1, seed := 7, key := 'id')",
        PK,
        sqlrp.Wide("images"),
    ),
]


def rows(con: duckdb.DuckDBPyConnection, query: str) -> list[tuple[object, ...]]:
    return con.execute(f"FROM ({query}) ORDER BY ALL").fetchall()


OUTPUTS = ("columns", "array", "long")
ASKED = [(*call, OUTPUTS[i % 3]) for i, call in enumerate(CALLS)] + [(*CALLS[0], output) for output in OUTPUTS[1:]]
"""Every call and every output; test_duckdb_sql has every layout with every output."""


@pytest.mark.parametrize(("call", "projection", "source", "output"), ASKED)
def test_a_call_equals_the_text_of_python(
    con: duckdb.DuckDBPyConnection, call: str, projection: sqlrp.Projection, source: sqlrp.Wide, output: str
) -> None:
    asked = call[:-1] + f", output := '{output}')"
    text = sqlrp.sql(projection, source, con, output=output)  # type: ignore[arg-type]
    found = []
    for query in (f"FROM {asked}", text):  # run each once: to bind a call takes longer than to run it
        result = con.execute(f"FROM ({query}) ORDER BY ALL")
        found.append(([column[:2] for column in result.description], result.fetchall()))
    (columns, got), (wanted, want) = found
    assert columns == wanted
    assert len(got) == len(want) > 0
    for mine, theirs in zip(got, want, strict=True):
        np.testing.assert_allclose(flat(mine), flat(theirs), rtol=1e-12, atol=1e-12)


def test_defaults_are_those_of_python(con: duckdb.DuckDBPyConnection) -> None:
    for call, projection in (
        ("rp_project", sqlrp.SparseProjection()),
        ("pk_project", sqlrp.PolynomialKernelProjection()),
    ):
        want = sqlrp.project(projection, "images", con).to_pandas()
        got = con.execute(f"FROM {call}('images')").df()
        assert list(got) == list(want)
        np.testing.assert_allclose(got.to_numpy(float), want.to_numpy(float), rtol=1e-12)


def test_views_and_tables(con: duckdb.DuckDBPyConnection) -> None:
    call = "FROM pk_project('images', k := 6, degree := 2, seed := 3)"
    con.execute(f"CREATE VIEW images_pk AS {call}")
    con.execute(f"CREATE TABLE images_small AS {call}")
    assert rows(con, "FROM images_pk") == rows(con, "FROM images_small") == rows(con, call)
    assert [c[0] for c in con.execute("DESCRIBE images_pk").fetchall()] == ["id", *(f"z{c}" for c in range(6))]
    con.execute("INSERT INTO images SELECT 99, 'new', 1, 2, 3")
    assert con.execute("SELECT count(*) FROM images_pk").fetchall() == [(41,)]


def test_projections_of_projections(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE VIEW once AS FROM rp_project('images', k := 3)")
    twice = con.execute("FROM pk_project('once', k := 2, s := 1) ORDER BY id").df()
    want = sqlrp.project(sqlrp.PolynomialKernelProjection(k=2, s=1), con.execute("FROM once ORDER BY id").df())
    np.testing.assert_allclose(twice.to_numpy(float), want.to_numpy(float), rtol=1e-9)
    # A limit of DuckDB: no table macro expands within itself, even by way of a view.
    with pytest.raises(duckdb.BinderException, match="infinite recursion"):
        con.execute("FROM rp_project('once', k := 2)")
    con.execute("CREATE TABLE stored AS FROM once")
    assert len(rows(con, "FROM rp_project('stored', k := 2)")) == 40


def test_a_second_connection_that_has_run_install(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    con.execute("CREATE VIEW images_rp AS FROM rp_project('images', k := 3)")
    want = rows(con, "FROM images_rp")
    with duckdb.connect(str(tmp_path / "shop.duckdb"), config={"threads": "1"}) as second:
        sqlrp.install(second)
        assert rows(second, "FROM images_rp") == want
    assert rows(con, "FROM images_rp") == want


@pytest.mark.slow
def test_another_process_sees_the_same_numbers_and_prints_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file.duckdb"
    with duckdb.connect(str(path)) as first:
        first.execute("CREATE TABLE t AS SELECT i AS id, i AS a, i * i AS b FROM range(9) r(i)")
        sqlrp.install(first)
        first.execute("CREATE VIEW v AS FROM rp_project('t', k := 2, s := 1)")
        want = rows(first, "FROM v")
    code = (
        "import sys, duckdb, sqlrp; con = duckdb.connect(sys.argv[1]); sqlrp.install(con); "
        "print(con.execute('FROM v ORDER BY ALL').fetchall())"
    )
    known = ["-W", "ignore:the functions run as plain SQL"]
    done = subprocess.run([sys.executable, *known, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(want)
    assert done.stderr == ""


def test_an_uncommitted_table_and_a_temporary_one_are_seen(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("BEGIN")
    con.execute("CREATE TABLE fresh AS FROM images")
    con.execute("CREATE TEMP TABLE passing AS FROM images")
    want = rows(con, "FROM rp_project('images', k := 3)")
    assert rows(con, "FROM rp_project('fresh', k := 3)") == want
    assert rows(con, "FROM rp_project('passing', k := 3)") == want
    con.execute("ROLLBACK")


def test_install_and_uninstall_repeat_and_follow_the_transaction(con: duckdb.DuckDBPyConnection) -> None:
    sqlrp.install(con)
    listed = con.execute("SELECT name FROM sqlrp_catalogue WHERE kind = 'function'").fetchall()
    assert {name for (name,) in listed} == {*FUNCTIONS, "project_with"}
    sqlrp.uninstall(con)
    sqlrp.uninstall(con)
    with pytest.raises(duckdb.CatalogException, match="rp_project"):
        con.execute("FROM rp_project('images')")
    con.execute("BEGIN")
    sqlrp.install(con)
    assert rows(con, "FROM rp_project('images', k := 1)")
    con.execute("ROLLBACK")
    with pytest.raises(duckdb.CatalogException, match="rp_project"):
        con.execute("FROM rp_project('images')")
    sqlrp.install(con)
    assert rows(con, "FROM rp_project('images', k := 1)")


def test_install_refuses_what_is_no_connection_and_a_read_only_database(
    con: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    with pytest.raises(sqlrp.ParameterError, match="pass a duckdb connection"):
        sqlrp.install("shop.duckdb")
    duckdb.connect(str(tmp_path / "sealed.duckdb")).close()
    with (
        duckdb.connect(str(tmp_path / "sealed.duckdb"), read_only=True) as sealed,
        pytest.raises(sqlrp.StatementError, match="read-only"),
    ):
        sqlrp.install(sealed)


MACROS = """SELECT function_name, function_type, parameters, comment, macro_definition FROM duckdb_functions()
WHERE NOT internal AND (database_name, schema_name) = (current_database(), current_schema()) ORDER BY ALL"""


def macros(con: duckdb.DuckDBPyConnection) -> list[tuple[object, ...]]:
    """All that is said of the functions, but for what no file keeps."""
    return [(*said, as_kept(text)) for *said, text in con.execute(MACROS).fetchall()]


@pytest.fixture(scope="module")
def of_text() -> list[tuple[object, ...]]:
    """What is said of functions that their text makes."""
    with duckdb.connect() as con:
        con.execute(text := shipped_files.text_of("duckdb.sql"))
        con.execute(installed.marking(installed.macros(text)))
        return macros(con)


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that `install` copies; other tests may have none."""
    monkeypatch.setattr(shipped_files, "COPIES", tmp_path)
    return macro_copy(tmp_path, shipped_files.text_of("duckdb.sql"))


def is_copied(caplog: pytest.LogCaptureFixture) -> bool:
    """Whether the macros were copied since the last question, rather than made from their text."""
    found = not any("-- sqlrp for DuckDB" in line for line in caplog.messages)
    caplog.clear()
    return found


def beside(con: duckdb.DuckDBPyConnection) -> set[str]:
    """The databases that are attached."""
    return {
        name for (name,) in con.execute("SELECT database_name FROM duckdb_databases() WHERE NOT internal").fetchall()
    }


def test_copied_functions_are_those_of_the_text(
    copied: Path, of_text: list[tuple[object, ...]], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "sqlrp")
    name = tmp_path / 'it\'s a "file".db'
    with duckdb.connect(name) as con:
        con.execute("CREATE TABLE points AS SELECT range AS id, range * 1.5e0 AS a, 1e0 AS b FROM range(3)")
        for again in range(3):  # over none, over its own, and over the functions of another text
            if again == 2:
                con.execute(
                    "CREATE OR REPLACE MACRO sqlrp_horner(a, x) AS 0; COMMENT ON MACRO sqlrp_horner IS 'sqlrp 0'"
                )
            sqlrp.install(con)
            assert is_copied(caplog)
            assert macros(con) == of_text
            assert len(beside(con)) == 1
        want = con.execute("FROM rp_project('points', k := 2)").fetchall()
    with duckdb.connect(name, read_only=True) as con:
        assert len(macros(con)) == len(of_text)  # a file that was opened again writes some otherwise
        assert con.execute("FROM rp_project('points', k := 2)").fetchall() == want
        with pytest.raises(sqlrp.StatementError, match="read-only"):
            sqlrp.install(con)
        assert len(beside(con)) == 1
    assert macro_copy(tmp_path, shipped_files.text_of("duckdb.sql")).read_bytes() == copied.read_bytes()


def test_a_new_database_gets_the_functions_by_a_copy(
    copied: Path,
    of_text: list[tuple[object, ...]],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the extension is at hand: loading it writes them else, in three times the time."""
    monkeypatch.setattr(connector, "EXTENSION", compiled())
    caplog.set_level("DEBUG", "sqlrp")
    for path in (":memory:", str(tmp_path / 'a "new".duckdb')):
        caplog.clear()
        with sqlrp.connect(path) as con:
            assert any(line.startswith("duckdb: COPY FROM DATABASE") for line in caplog.messages)
            assert macros(con) == of_text
            assert len(beside(con)) == 1
    caplog.clear()
    with sqlrp.connect(path) as con:  # which is no new one
        assert not any("COPY" in line for line in caplog.messages)
        assert len(macros(con)) == len(of_text)


CHANGES = {
    "": False,
    "CREATE TABLE other AS SELECT 1 AS a; CREATE MACRO mine(x) AS x": False,
    "DROP MACRO sqlrp_horner": True,
    "CREATE OR REPLACE MACRO sqlrp_horner(a, x) AS 0; COMMENT ON MACRO sqlrp_horner IS 'sqlrp 0.1.0'": True,
    "COMMENT ON MACRO sqlrp_horner IS 'sqlrp 0'": True,
    "DELETE FROM sqlrp_catalogue WHERE kind = 'function' AND name = 'rp_project'": True,
    "UPDATE sqlrp_catalogue SET fingerprint = NULL WHERE name = 'rp_project'": True,
    "UPDATE sqlrp_catalogue SET version = '0' WHERE kind = 'function'": True,
    "UPDATE sqlrp_catalogue SET fingerprint = 'x' WHERE kind = 'function'": True,
}
"""What another program does to an installation, and whether install then writes it again."""


def test_an_installation_that_no_one_changed_is_not_written_again(
    copied: Path, of_text: list[tuple[object, ...]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "sqlrp")
    with duckdb.connect() as con:
        sqlrp.install(con)
        for change, writes in CHANGES.items():
            if change:
                con.execute(change)
            caplog.clear()
            sqlrp.install(con)
            assert any("DROP MACRO" in line for line in caplog.messages) == writes, change
            assert [found for found in macros(con) if found[0] != "mine"] == of_text, change
            assert not list(sqlrp.check(con)), change
            assert beside(con) == {"memory"}


def test_copying_is_part_of_an_open_transaction(
    copied: Path, of_text: list[tuple[object, ...]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "sqlrp")
    with duckdb.connect() as con:
        for end in ("ROLLBACK", "COMMIT"):
            con.execute("BEGIN; CREATE TABLE mine AS SELECT 1 AS a")
            sqlrp.install(con)
            assert is_copied(caplog)
            assert macros(con) == of_text
            with con.cursor() as other:
                assert macros(other) == []
            con.execute("INSERT INTO mine VALUES (2)")
            con.execute(end)
            assert macros(con) == (of_text if end == "COMMIT" else [])
        assert con.execute("FROM mine").fetchall() == [(1,), (2,)]
        assert beside(con) == {"memory"}


@pytest.mark.parametrize(
    ("before", "copies"),
    [
        ('ATTACH \':memory:\' AS "a""; DROP b"; USE "a""; DROP b"', True),
        ("SET default_collation = 'NOCASE'", True),
        ("CREATE MACRO mine(x) AS x; CREATE TABLE sqlrp_horner AS SELECT 1", True),
        ("CREATE SCHEMA other; USE other", False),
        ("SET enable_external_access = false", False),
        ("SET disabled_filesystems = 'LocalFileSystem'", False),
        ("ATTACH '{copied}' AS theirs", False),
    ],
)
def test_what_a_session_has_set_keeps_the_functions_the_same(
    before: str, copies: bool, copied: Path, of_text: list[tuple[object, ...]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "sqlrp")
    with duckdb.connect() as con:
        con.execute(before.format(copied=copied))
        there, own = beside(con), macros(con)
        sqlrp.install(con)
        assert is_copied(caplog) == copies
        assert [row for row in macros(con) if row not in own] == of_text
        assert beside(con) == there
        sqlrp.uninstall(con)
        assert macros(con) == own


@pytest.mark.parametrize("macro", ["rp_project(a) AS TABLE SELECT a", "SQLRP_horner(a, x) AS a"])
def test_a_macro_of_someone_else_is_refused_before_any_is_copied(copied: Path, macro: str) -> None:
    with duckdb.connect() as con:
        con.execute(f"CREATE MACRO {macro}")
        there = macros(con)
        with pytest.raises(sqlrp.ParameterError, match="it is never replaced"):
            sqlrp.install(con)
        assert macros(con) == there
        assert beside(con) == {"memory"}


def test_a_file_of_another_text_or_of_wrong_bytes_is_not_copied(
    copied: Path, of_text: list[tuple[object, ...]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "sqlrp")
    for wrong in (b"nothing", copied.read_bytes()[:20_000]):
        copied.write_bytes(wrong)
        with duckdb.connect() as con:
            sqlrp.install(con)
            assert macros(con) == of_text
        assert not is_copied(caplog)
    assert shipped_files.copy_of("CREATE OR REPLACE MACRO sqlrp_other() AS 1;") != copied


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_quoted(con: duckdb.DuckDBPyConnection, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    schema = '"sch""ema; --"'
    con.execute(f"CREATE SCHEMA {schema}")
    con.execute(f'CREATE TABLE {schema}.{quoted} AS SELECT id AS {quoted}, p0 AS "it\'s", p1 AS "a""; b" FROM images')
    literal = f"{schema}.{quoted}".replace("'", "''")
    key = name.replace("'", "''")
    got = con.execute(f"FROM rp_project('{literal}', k := 2, key := '{key}') ORDER BY ALL").fetchall()
    want = sqlrp.project(sqlrp.SparseProjection(k=2), sqlrp.Wide(f"{schema}.{quoted}", key=name), con).to_pandas()
    np.testing.assert_allclose(np.array(got, dtype=float), want.sort_values(name).to_numpy(float))
    assert con.execute("SELECT count(*) FROM images").fetchall() == [(40,)]


@pytest.mark.parametrize(
    ("call", "words"),
    [  # an error of every step of a call; test_duckdb_sql has every error
        ("rp_project(NULL)", "table name NULL is empty"),
        ("rp_project('images', k := 0)", "k = 0 must be a whole number >= 1"),
        ("rp_project('images', key := 'idd')", "key 'idd' is not a column of \"images\" (did you mean 'id'?)"),
        (
            "rp_project('words', key := 'doc', feature := 'word', value := 'n')",
            's = "sqrt" needs the number of features',
        ),
        ("rp_project('vectors', s := 1, array_column := 'l')", "pass n_features := n in SQL"),
        ("pk_project('images', k := 4, p := 3)", "p = 3 must be at least degree * t = 8"),
    ],
)
def test_errors_are_those_of_python_on_one_line(con: duckdb.DuckDBPyConnection, call: str, words: str) -> None:
    with pytest.raises(duckdb.Error) as caught:
        con.execute(f"CREATE VIEW broken AS FROM {call}")  # no view is made of a call that fails
    assert words in str(caught.value).splitlines()[0]
