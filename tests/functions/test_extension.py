"""DuckDB's extension sqlrp: both roads of the functions, in three versions and in shells, and wrong bytes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from duckdb_calls import is_native
from extensions import CALLS, ROOT, compiled, fuzzed, sanitized
from other_duckdbs import python_package
from saved_statements import saved_statements
from sqlrp._shipped import build as sql

import sqlrp
from sqlrp._core.draw import CONSTANT_FEATURE
from sqlrp._engines.duckdb import connector
from sqlrp._stages.sums import NormalSums

POINTS = (
    "CREATE TABLE points AS SELECT range AS id, (range % 5)::INTEGER AS a, (range % 3)::INTEGER AS b FROM range(20)"
)
CALL = "FROM rp_project('points', k := 2, s := 1, seed := 7, scale := false)"
LONG = CALL.replace(")", ", feature := 'a', value := 'b', n_features := 9)")


@pytest.fixture(scope="module")
def extension() -> Path:
    """The file."""
    return compiled()


def ran(*arguments: str, **variables: str) -> str:
    """What a process printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(arguments, env=kept | variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


@pytest.mark.parametrize(("version", "parts", "least"), [("", ("0",), 20), ("1.4", ("1",), 20), ("1.5", ("3",), 20)])
def test_both_roads_give_the_same_numbers(extension: Path, version: str, parts: tuple[str, ...], least: int) -> None:
    """Each version takes a quarter of every call over every source.

    The kernel is the same in all. What differs is how each hands it vectors and takes them back, which every source
    shows. The newest has every method in test_extension_contract.py.
    """
    path = {"PYTHONPATH": str(python_package(version))} if version else {}
    assert int(ran(sys.executable, str(CALLS), str(extension), "parts", *parts, **path)) >= least


@pytest.mark.parametrize("constant", [False, True])
def test_normal_weights_are_those_of_python(extension: Path, constant: bool) -> None:
    """The kernel draws them from the coefficients. A constant that is appended has a number of its own."""
    numbers = np.array([0, 1, 2, CONSTANT_FEATURE if constant else 3])
    weights = NormalSums(5, seed=11).matrix(numbers)
    n, stages = (3, "(append 1.0)(normals 5 11 7)") if constant else (4, "(normals 5 11 7)")
    units = ", ".join(f"CASE WHEN i = {f} THEN 1e0 ELSE 0e0 END" for f in range(n))
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as con:
        con.execute(f"LOAD '{extension}'")
        rows = con.execute(
            f"SELECT sqlrp_kernel_double(sqlrp_program('DOUBLE {n} {stages}', NULL), 1, 'error', {units}) "
            f"FROM range({n + 1}) t(i) ORDER BY i"
        ).fetchall()
    found = np.array([row for (row,) in rows])
    base = found[n:]  # the row of zeros
    np.testing.assert_allclose(np.vstack([found[:n] - base, base])[:4], weights, rtol=1e-13, atol=1e-14)


def test_features_of_a_saved_projection_are_found_in_any_order(extension: Path) -> None:
    """Those that are all numeric columns, in their order, are read as one list; else each is found by its name."""
    rows = [(i, i % 3 + 0.5, i % 5 - 1.5, i % 7 + 0.25) for i in range(30)]
    tables = {"same": "a, b, c", "turned": "c, a, b", "more": "a, b, 1e0 AS other, c", "single": "a::FLOAT AS a, b, c"}
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as con:
        con.execute(f"LOAD '{extension}'")
        con.execute("CREATE TABLE points (id BIGINT, a DOUBLE, b DOUBLE, c DOUBLE)")
        con.executemany("INSERT INTO points VALUES (?, ?, ?, ?)", rows)
        sqlrp.save(sqlrp.fit(sqlrp.NystroemProjection(k=4, seed=2), "points", con), con, "mine")
        for name, columns in tables.items():
            con.execute(f"CREATE TABLE {name} AS SELECT id, {columns} FROM points")
        answers = {
            (name, road): np.array(
                con.execute(f"FROM project_with('mine', '{name}', lowering := '{road}') ORDER BY id").fetchall()
            )
            for name in ("points", *tables)
            for road in ("native", "sql")
        }
    for (name, road), found in answers.items():
        np.testing.assert_allclose(found, answers["points", "sql"], rtol=1e-9, err_msg=f"{name}, {road}")


@pytest.mark.parametrize("version", ["1.4", "1.5"])
def test_a_shell_takes_it(extension: Path, version: str) -> None:
    shell = str(python_package(version) / "bin" / "duckdb")
    native = CALL.replace(")", ", lowering := 'native') ORDER BY id LIMIT 2")
    said = ran(shell, "-unsigned", "-csv", "-c", f"LOAD '{extension}'; {POINTS}; {native};")
    with duckdb.connect() as con:
        con.execute(POINTS)
        rows = (
            sqlrp.project(sqlrp.SparseProjection(k=2, s=1, seed=7), "points", con, scale=False).slice(0, 2).to_pylist()
        )
    assert said.split() == ["id,z0,z1", *(",".join(map(str, row.values())) for row in rows)]


def test_a_view_made_with_it_answers_without_it(
    extension: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "EXTENSION", extension)
    path = str(tmp_path / "points.duckdb")
    with sqlrp.connect(path) as con:
        con.execute(POINTS)
        con.execute(f"CREATE VIEW sums AS {CALL}")
        native = con.execute("FROM sums ORDER BY id").fetchall()
        assert is_native(con, CALL)
        rp = sqlrp.SparseProjection(k=2, s=1, seed=7)
        assert "functions native" in str(sqlrp.explain(rp, "points", con))
        for n in (None, 9):
            source = sqlrp.Long("points", feature="a", value="b", n_features=n)
            assert "functions native" in str(sqlrp.explain(rp, source, con))
        con.execute(f"CREATE VIEW cells AS {LONG}")
        long = con.execute("FROM cells ORDER BY id").fetchall()
        assert is_native(con, LONG)
        sqlrp.install(con)
    with duckdb.connect(path, read_only=True) as con:
        assert con.execute("FROM sums ORDER BY id").fetchall() == native
        assert con.execute("FROM cells ORDER BY id").fetchall() == long
        assert "functions" not in str(sqlrp.explain(rp, "points", con))
        with pytest.raises(duckdb.Error, match="the extension sqlrp is not loaded"):
            con.execute(CALL.replace(")", ", lowering := 'native')"))
    with duckdb.connect(path, read_only=True, config={"allow_unsigned_extensions": "true"}) as con:
        con.execute(f"LOAD '{extension}'")  # nothing is written
        assert con.execute("FROM sums ORDER BY id").fetchall() == native


def test_install_loads_it_where_the_connection_allows(
    extension: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connector, "EXTENSION", extension)
    takes = connector.DuckDBConnector(connector.DuckDB())
    for unsigned in (True, False):
        with duckdb.connect(config={"allow_unsigned_extensions": unsigned}) as con:
            con.execute("BEGIN")
            sqlrp.install(con)
            con.execute("ROLLBACK")
            assert not takes.has_kernel(con)
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                sqlrp.install(con)
            assert takes.has_kernel(con) == unsigned
            assert ["config={'allow_unsigned_extensions': 'true'}" in str(each.message) for each in told] == (
                [] if unsigned else [True]
            )
    wrong = tmp_path / "sqlrp.duckdb_extension"
    wrong.write_bytes(b"nothing")
    monkeypatch.setattr(connector, "EXTENSION", wrong)
    with sqlrp.connect(":memory:") as con:
        assert not takes.has_kernel(con)
    assert "without the extension" in caplog.text


def test_wrong_bytes_are_refused_or_harmless(tmp_path: Path) -> None:
    """Programs and chunks of any kind, with a library that stops at an access beyond its memory."""
    ended, refused = fuzzed(*sanitized(tmp_path), seed=1, count=150)
    assert min(ended, refused) > 20


def test_a_list_of_blobs_is_no_table_of_weights(extension: Path) -> None:
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as con:
        con.execute(f"LOAD '{extension}'")
        program = "sqlrp_program('DOUBLE 3 (signs 2 1.0 7 0)', NULL)"
        with pytest.raises(duckdb.Error, match="cast the others"):
            con.execute(f"SELECT sqlrp_kernel_double({program}, 1, 'zero', [{program}], [1::BIGINT], [1e0])")


def test_nothing_that_is_written_is_shared() -> None:
    """Several databases may load the extension at once: only DuckDB's functions are written, once, behind a flag."""
    written = written_names(subprocess.run(["nm", str(compiled())], capture_output=True, text=True, check=True).stdout)
    assert written == {"duckdb_ext_api", "state"}


def written_names(symbols: str) -> set[str]:
    """The names of variables of C's sources that are zero at first and can be written."""
    found = re.findall(r"^\w+ [bB] (\w+?)(?:\.\d+)?$", symbols, re.MULTILINE)
    return {name for name in found if not name.startswith("_") and not name.startswith("completed")}


def test_several_databases_load_it_at_once() -> None:
    def load(_: int) -> Any:
        other = duckdb.connect(config={"allow_unsigned_extensions": "true"})
        other.execute(f"LOAD '{compiled()}'")
        return other.execute("SELECT octet_length(sqlrp_program('DOUBLE 4', NULL))").fetchone()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(load, range(8))) == [(32,)] * 8


REPLACED = """
import runpy, sys
from pathlib import Path
import duckdb
out, write = Path(sys.argv[1]), runpy.run_path(sys.argv[2])["write"]
for _ in range(2):
    write(out, Path(sys.argv[3]).read_bytes())
    con = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    con.execute("SET enable_progress_bar = false")
    con.execute(f"LOAD '{out}'")
    print(con.execute("SELECT octet_length(sqlrp_program('DOUBLE 4', NULL))").fetchone()[0])
"""


def test_a_file_that_is_loaded_can_be_built_again(extension: Path, tmp_path: Path) -> None:
    build, out = ROOT / "sql" / "extension" / "build.py", tmp_path / "sqlrp.duckdb_extension"
    assert ran(sys.executable, "-c", REPLACED, str(out), str(build), str(extension)).split() == ["32", "32"]


def test_a_long_call_is_interrupted(extension: Path) -> None:
    """A sum over rows without end stops, and the connection answers again."""
    read, ended = threading.Event(), threading.Event()

    def seen(x: Any) -> Any:
        read.set()
        return x

    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as con:
        con.execute(f"LOAD '{extension}'")
        con.create_function("seen", seen, ["BIGINT"], "BIGINT", type="arrow")
        con.execute(f"CREATE TEMP VIEW endless AS SELECT seen(range) AS id, {some_columns(50)} FROM range({10**15})")

        def stop() -> None:
            read.wait()
            while not ended.wait(0.05):
                con.interrupt()

        stopping = threading.Thread(target=stop)
        stopping.start()
        try:
            call = "rp_project('endless', k := 300, s := 1, lowering := 'native')"
            with pytest.raises(duckdb.InterruptException):
                con.execute(f"SELECT sum(z0 + z1 + id) FROM {call}")
        finally:
            ended.set()
            read.set()
            stopping.join()
        assert con.execute("SELECT 42").fetchall() == [(42,)]


MEMORY = """
import resource, sys
import duckdb
con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "2"})
con.execute(f"LOAD '{sys.argv[1]}'")
con.execute("SET enable_progress_bar = false")
con.execute("CREATE VIEW points AS " + sys.argv[2])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(con.execute("SELECT count(z0), sum(z1) FROM rp_project('points', k := 64, lowering := 'native')").fetchone()[0])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_does_not_grow_with_the_rows(extension: Path) -> None:
    """300,000 rows of 1.2 GB pass through some chunks."""
    view = f"SELECT range AS id, {some_columns(500)} FROM range(300_000)"
    rows, kilobytes = map(int, ran(sys.executable, "-c", MEMORY, str(extension), view).split()[-2:])
    assert rows == 300_000
    assert kilobytes < 400_000


def some_columns(n: int) -> str:
    """Columns of numbers as SQL."""
    return ", ".join(f"CAST(range % {j + 2} AS DOUBLE) AS f{j}" for j in range(n))


def test_the_community_repository_is_whole(extension: Path, tmp_path: Path) -> None:
    sql.extension(tmp_path)
    description = (tmp_path / "description.yml").read_text(encoding="utf-8")
    assert f"version: {sqlrp.__version__}" in description
    assert "language: C\n" in description
    sources = {path.name for path in (tmp_path / "src").iterdir()}
    assert sources == {path.name for path in (ROOT / "native").iterdir()} | {"sqlrp_macros.h", "sqlrp_methods.h"}
    assert {path.name for path in (tmp_path / "duckdb_capi").iterdir()} == {"duckdb.h", "duckdb_extension.h"}
    blocks = (tmp_path / "test" / "sql" / "sqlrp.test").read_text(encoding="utf-8").split("\n\n")
    checked = 0
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as con:
        con.execute(f"LOAD '{extension}'")
        for block in blocks:
            first, *rest = block.strip().split("\n")
            if first.startswith("statement ok"):
                con.execute("\n".join(rest))
            elif first.startswith("query"):
                query, want = "\n".join(rest).split("\n----\n")
                checked += shown(con.execute(query).fetchall()) == [line.split("\t") for line in want.split("\n")]
    assert checked == 2


def shown(rows: list[tuple[Any, ...]]) -> list[list[str]]:
    """Rows as the test's file writes them."""
    return [[str(list(value)) if isinstance(value, tuple) else str(value) for value in row] for row in rows]


UNSIGNED = {"allow_unsigned_extensions": "true"}


@pytest.mark.parametrize(
    ("name", "call"),
    [("rp_vector", "SELECT {}(1)"), ("RP_PROJECT", "FROM {}(1)"), ("sqlrp_join", "SELECT {}(1)")],
)
def test_a_macro_of_the_user_s_is_never_replaced(extension: Path, tmp_path: Path, name: str, call: str) -> None:
    table = "TABLE SELECT" if call.startswith("FROM") else ""
    with duckdb.connect(str(tmp_path / "a.db"), config=UNSIGNED) as con:
        con.execute(f"CREATE MACRO {name}(x) AS {table} 'mine'")
        with pytest.raises(duckdb.Error, match=f"a macro {name} exists already, and sqlrp did not make it"):
            con.execute(f"LOAD '{extension}'")
        assert con.execute(call.format(name)).fetchall() == [("mine",)]
        assert con.execute("SELECT count(*) FROM duckdb_functions() WHERE NOT internal").fetchall()[0][0] < 50
        con.execute(f"DROP MACRO {'TABLE ' if table else ''}{name}")
        con.execute(f"LOAD '{extension}'")
        con.execute(POINTS)
        assert len(con.execute(CALL).fetchall()) == 20


@pytest.mark.parametrize("read_only", [False, True])
def test_other_databases_find_the_functions_by_the_search_path(
    extension: Path, tmp_path: Path, read_only: bool
) -> None:
    """DuckDB's C interface makes macros in the default database alone, as sql/extension/README.md says."""
    with duckdb.connect(str(tmp_path / "a.db")) as con:
        con.execute(POINTS)
    with duckdb.connect(config=UNSIGNED) as con:
        con.execute(f"LOAD '{extension}'")
        con.execute(f"ATTACH '{tmp_path / 'a.db'}' AS a {'(READ_ONLY)' if read_only else ''}; USE a")
        with pytest.raises(duckdb.Error, match="rp_project does not exist"):
            con.execute(CALL)
        con.execute("SET search_path = 'a,memory'")
        found = con.execute(CALL).fetchall()
        native = CALL.replace("scale := false", "scale := false, lowering := 'native'")
        assert con.execute(native).fetchall() == found
        con.execute("USE memory")
        assert con.execute(CALL.replace("'points'", "'a.points'")).fetchall() == found
        if not read_only:
            con.execute("USE a")
            sqlrp.install(con)
            assert con.execute(CALL).fetchall() == found


SAVED = [
    sqlrp.SparseProjection(k=3, s=1.5, seed=2**40),
    sqlrp.SparseProjection(k=2, s="sqrt", seed=7),
    sqlrp.PolynomialKernelProjection(k=3, degree=3, t=2, c=2.25, seed=5),
    sqlrp.HadamardProjection(k=2, seed=1, padding="least"),
    sqlrp.RandomFourierFeatures(k=3, gamma=0.25, seed=1),
    sqlrp.GaussianProjection(k=2, seed=4),
]


def test_the_extension_writes_the_statement_of_a_saved_projection_that_is_drawn(extension: Path) -> None:
    """Bound to its features or not. It has the words of the macros where a column is missing."""
    columns = 'sin(range) AS "b""", range % 3 AS "a\'|", nullif(cos(range), 1) AS "C c"'
    bound = sqlrp.Wide("rows", features=['b"', "a'|", "C c"], keep=["other"])
    call = "FROM project_with({}, 'rows', keep := ['other'], nulls := 'zero'{}) ORDER BY id"
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as con:
        con.execute(f"LOAD '{extension}'")
        sqlrp.install(con)
        con.execute(f"CREATE TABLE rows AS SELECT range AS id, 7 AS other, {columns} FROM range(6)")
        for saved in SAVED:
            sqlrp.save(saved, con, "it's", source=bound, replace=True)
            sqlrp.save(saved, con, "free", replace=True)
            want = sqlrp.project(saved, bound, con, nulls="zero", lowering="inline").sort_by("id")
            listed = ", features := ['b\"', 'a''|', 'C c']"
            for text in (call.format("'it''s'", ""), call.format("'free'", listed)):
                found = con.sql(text).to_arrow_table()
                assert found.column_names == want.column_names
                for column in want.column_names:
                    assert found.column(column).to_pylist() == pytest.approx(want.column(column).to_pylist(), rel=1e-12)
            assert "sqlrp_kernel_" in saved_statements(con, "it's", "rows")[0]
        con.execute('ALTER TABLE rows DROP "C c"')
        with pytest.raises(duckdb.Error, match="C c"):
            con.execute("FROM project_with('it''s', 'rows')")
