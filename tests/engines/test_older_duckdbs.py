"""DuckDB 1.4 and 1.5 from Python: the contract and everything that writes, and files that several versions write."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from databases import macro_copy
from other_duckdbs import OLDER, python_package

import sqlrp
from sqlrp._core.shipped_files import text_of

TESTS = Path(__file__).parents[1]
SELECTED = {
    "contract/test_contract.py": "duckdb",
    "engines/test_drivers.py": "duckdb or transaction",
    "store/test_materialize.py": "duckdb",
    "evaluator/test_streaming.py": "test_",
}
"""The files that an older version runs, and which of their tests: what asks the package for rows, and what the store
asks of a database. Of tests of many cases it runs a part: what they compute is the same with every version.
What the extension gives there, test_extension.py compares."""
P = sqlrp.SparseProjection(k=2, s=1, seed=1)


def run(version: str, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Python with another DuckDB; an empty version is this one."""
    path = {"PYTHONPATH": str(python_package(version))} if version else {}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, env=os.environ | path | more, cwd=TESTS.parent, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("version", OLDER)
def test_the_tests_of_duckdb_pass_on_an_older_version(version: str, tmp_path: Path) -> None:
    said = run(version, "-c", "import duckdb; print(duckdb.__version__)").stdout
    assert said.startswith(f"{version}.")
    asked = " or ".join(f"({Path(file).stem} and ({chosen}))" for file, chosen in SELECTED.items())
    files = [str(TESTS / file) for file in SELECTED]
    plain = ("-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", "--few")
    done = run(version, "-m", "pytest", *plain, "-k", asked, *files, SQLRP_OLDER_DUCKDB=version)
    assert done.returncode == 0, done.stdout[-5000:]
    *_, last = done.stdout.splitlines()
    assert " passed" in last
    assert "skipped" not in last


CALLS = """
import sys, warnings
import duckdb, numpy as np, sqlrp
warnings.simplefilter("ignore")
P = sqlrp.SparseProjection(k=2, s=1, seed=1)
connection = duckdb.connect(sys.argv[1])
if "make" in sys.argv:
    connection.execute("CREATE TABLE points AS SELECT range AS id, range::DOUBLE AS a, 1e0 AS b FROM range(3)")
    connection.execute("CREATE TABLE vectors AS SELECT range AS id, [range, 1]::FLOAT[2] AS x FROM range(3)")
    sqlrp.install(connection)
    sqlrp.save(P, connection, "mine")
    sqlrp.materialize(P, "points", connection, into="small")
    sqlrp.materialize(P, sqlrp.Array("vectors", "x"), connection, into="followed", track="rows")
    connection.execute("CREATE VIEW seen AS FROM rp_project('points', k := 2, s := 1, seed := 1)")
    sqlrp.create_function(P, connection, "points_rp", n_features=2)
else:
    connection.execute("INSERT INTO points SELECT max(id) + 1, 5, 1 FROM points")
    connection.execute("UPDATE vectors SET x = [x[1] + 1, 1]")
    assert sqlrp.refresh(connection, "small") == 1
    assert sqlrp.refresh(connection, "followed").changed == 3
    assert sqlrp.load(connection, "mine") == P
    wrong = [found for found in sqlrp.check(connection) if found.kind != "function"]
    assert wrong == [], wrong
fresh = sqlrp.project(P, "points", connection).sort_by("id").to_pylist()
for table in ("small", "seen", "project_with('mine', 'points')"):
    found = connection.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()
    assert found == [tuple(row.values()) for row in fresh], (table, found, fresh)
fresh = sqlrp.project(P, sqlrp.Array("vectors", "x"), connection, output="array").sort_by("id").column("z").to_pylist()
returned = [list(z) for z, in connection.execute("SELECT points_rp(x) FROM vectors ORDER BY id").fetchall()]
assert np.allclose(returned, fresh, rtol=1e-6), (returned, fresh)
found = connection.execute("SELECT z0, z1 FROM followed ORDER BY id").fetchall()
assert [list(row) for row in found] == fresh, (found, fresh)
"""


def test_a_file_goes_from_version_to_version(tmp_path: Path) -> None:
    """Newer versions read and write the file of an older one, and the older one does afterwards."""
    path = tmp_path / "x.db"
    for version, what in (("1.4", "make"), ("1.5", ""), ("", ""), ("1.4", ""), ("", "")):
        done = run(version, "-c", CALLS, str(path), what)
        assert done.returncode == 0, (version, done.stderr[-2000:])


COPIED = """
import sys
from pathlib import Path
import duckdb, sqlrp
from sqlrp._core import shipped_files
from sqlrp._store.functions import FUNCTIONS
shipped_files.COPIES, text = Path(sys.argv[1]), shipped_files.text_of("duckdb.sql")
assert shipped_files.copy_of(text).is_file()
made, copied = duckdb.connect(), duckdb.connect(sys.argv[2])
made.execute(text)
sqlrp.install(copied)
copied.close()
copied = duckdb.connect(sys.argv[2])
def answer(connection, query):
    try:
        return connection.execute(query).fetchall()
    except duckdb.Error as error:
        return str(error)
ran, called = 0, list(FUNCTIONS)[int(sys.argv[3])::3]
for connection in (made, copied):
    made_of = "range AS id, range::DOUBLE AS a, 1e0 AS b, 3 AS c, 4e0 AS d"
    connection.execute(f"CREATE TABLE points AS SELECT {made_of} FROM range(3)")
names = "SELECT function_name, function_type, parameters FROM duckdb_functions() WHERE NOT internal ORDER BY ALL"
want, got = made.execute(names).fetchall(), copied.execute(names).fetchall()
assert want == got, (want, got)
assert len(want) > 20 * len(FUNCTIONS), len(want)
for function in called:
    for query in (
        f"FROM {function}('points', k := 4)",
        f"FROM {function}('points', k := 4, output := 'array', nulls := 'zero', lowering := 'indexed')",
        f"SELECT {function}_sql('points', k := 4)",
        f"SELECT {function.removesuffix('_project')}_vector([1e0, 2, 3, 4], k := 4)",
    ):
        want, got = answer(made, query), answer(copied, query)
        assert want == got, (query, want, got)
        ran += not isinstance(got, str)
assert ran > 2 * len(called), ran
"""


@pytest.mark.parametrize(("version", "part"), [("", 0), ("1.4", 1), ("1.5", 2)])
def test_functions_that_are_copied_from_the_file_of_this_version_answer_as_their_text(
    version: str, part: int, tmp_path: Path
) -> None:
    """Each version has every function, and calls a third of them: to bind a call takes a tenth of a second."""
    macro_copy(tmp_path, text_of("duckdb.sql"))
    done = run(version, "-c", COPIED, str(tmp_path), str(tmp_path / "x.db"), str(part))
    assert done.returncode == 0, done.stderr[-2000:]


RELATION = """
import duckdb, sqlrp, sys
connection = duckdb.connect(sys.argv[1])
connection.execute("CREATE TABLE points AS SELECT range AS id, range::DOUBLE AS a, 1e0 AS b, 2e0 AS c FROM range(3)")
try:
    print(sqlrp.project(sqlrp.SparseProjection(k=2, s=1), connection.sql("FROM points")).fetchall())
except sqlrp.UnsupportedError as error:
    print(error)
connection.close()
print(duckdb.connect(sys.argv[1]).execute("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall())
"""


@pytest.mark.parametrize(("version", "said"), [("1.4", "use DuckDB 1.5"), ("1.5", "[(0, ")])
def test_a_relation_leaves_no_view_behind(version: str, said: str, tmp_path: Path) -> None:
    done = run(version, "-c", RELATION, str(tmp_path / "x.db"))
    assert done.returncode == 0, done.stderr[-2000:]
    assert said in done.stdout
    assert done.stdout.endswith("[(0,)]\n")
