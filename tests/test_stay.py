"""Functions that stay in a DuckDB file: views over them answer where there is no Python, and in other versions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from helpers import required

import sqlrp
from sqlrp.projections import FUNCTIONS

FEATURES = [f"p{j}" for j in range(6)]
SAVED: dict[str, sqlrp.Projection] = {
    "tuned": sqlrp.DataTunedProjection(k=3, n_iter=20),
    "landmarks": sqlrp.NystroemProjection(k=5, c=1),
    "components": sqlrp.PrincipalComponents(k=3),
    "it's drawn": sqlrp.HadamardProjection(k=3, seed=4),
}
HOWS = ("standard", "minmax", "l2")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[Any]]]:
    """A closed file with a view of every function, and the rows that Python computes for each view."""
    path = tmp_path_factory.mktemp("stay") / "shop.duckdb"
    want: dict[str, list[Any]] = {}
    with duckdb.connect(str(path), config={"storage_compatibility_version": "v1.2.0"}) as con:
        columns = ", ".join(
            f"CAST(hash(i * 100 + {j}) % 97 AS DOUBLE) / 9 AS {name}" for j, name in enumerate(FEATURES)
        )
        con.execute(f"CREATE TABLE images AS SELECT i AS id, {columns}, 'x' || i AS label FROM range(20) t(i)")
        con.execute("CREATE TABLE words AS SELECT i % 7 AS doc, 'w' || i % 11 AS word, i / 2 AS n FROM range(40) t(i)")
        sqlrp.install(con)
        source = sqlrp.Wide("images")
        for function, cls in FUNCTIONS.items():
            key = "group_by := 'id'" if cls.key_argument else "key := 'id'"
            con.execute(f"CREATE VIEW v_{function} AS FROM {function}('images', k := 4, {key}, output := 'array')")
            want[f"v_{function}"] = rows(con, sqlrp.sql(cls(k=4), source, con, output="array"))
        call = "rp_project('words', k := 3, s := 1, key := 'doc', feature := 'word', value := 'n', output := 'array')"
        con.execute(f"CREATE VIEW v_words AS FROM {call}")
        long = sqlrp.Long("words", "doc", "word", "n")
        want["v_words"] = rows(con, sqlrp.sql(sqlrp.SparseProjection(k=3, s=1), long, con, output="array"))
        made = {name: sqlrp.fit(p, source, con) if p.learns else p for name, p in SAVED.items()}
        made |= {how: sqlrp.fit(sqlrp.SparseProjection(k=3), sqlrp.Standardized(source, how), con) for how in HOWS}
        for at, (name, projection) in enumerate(made.items()):
            sqlrp.save(projection, con, name)
            literal = name.replace("'", "''")
            con.execute(f"CREATE VIEW saved_{at} AS FROM project_with('{literal}', 'images', output := 'array')")
            want[f"saved_{at}"] = rows(con, sqlrp.sql(projection, source, con, output="array"))
    return path, want


def rows(con: duckdb.DuckDBPyConnection, query: str) -> list[Any]:
    """The rows (key, array) of a query by key."""
    return [[key, list(z)] for key, z in con.execute(f"FROM ({query}) ORDER BY 1").fetchall()]


def assert_same(got: list[Any], want: list[Any]) -> None:
    """The same keys, and the same numbers up to the order of sums."""
    assert [key for key, _ in got] == [key for key, _ in want]
    np.testing.assert_allclose([z for _, z in got], [z for _, z in want], rtol=1e-9, atol=1e-9)


def test_views_answer_in_a_new_connection_that_only_reads(shop: tuple[Path, dict[str, list[Any]]]) -> None:
    path, want = shop
    with duckdb.connect(str(path), read_only=True) as con:
        for view, numbers in want.items():
            assert_same(rows(con, f'FROM "{view}"'), numbers)


def test_views_answer_in_the_shell(shop: tuple[Path, dict[str, list[Any]]]) -> None:
    path, want = shop
    program = Path(sys.executable).with_name("duckdb")
    assert program.exists(), f"{program} is missing: pip install duckdb-cli"
    for view, numbers in want.items():
        query = f'SELECT k, CAST(z AS DOUBLE[]) AS z FROM "{view}" v(k, z) ORDER BY 1'
        done = subprocess.run(
            [program, "-readonly", "-json", path, "-c", query],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{view}: {done.stderr}"
        assert_same([[row["k"], row["z"]] for row in json.loads(done.stdout)], numbers)


@pytest.mark.parametrize("version", ["1.4", "1.5"])
def test_views_answer_in_an_older_duckdb_without_sqlrp(
    shop: tuple[Path, dict[str, list[Any]]], version: str, tmp_path: Path
) -> None:
    path, want = shop
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", tmp_path, f"duckdb=={version}.*"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode and not required():
        pytest.skip(f"duckdb {version} cannot be installed: {made.stderr.strip()[-200:]}")
    assert made.returncode == 0, made.stderr
    code = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); import duckdb\n"
        "assert duckdb.__version__.startswith(sys.argv[2]), duckdb.__version__\n"
        "con = duckdb.connect(sys.argv[3], read_only=True)\n"
        "get = lambda v: con.execute(f'FROM \"{v}\" ORDER BY 1').fetchall()\n"
        "print(json.dumps({v: [[k, list(z)] for k, z in get(v)] for v in json.loads(sys.argv[4])}))"
    )
    arguments = [tmp_path, version, path, json.dumps(list(want))]
    done = subprocess.run([sys.executable, "-S", "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    for view, numbers in want.items():
        assert_same(got[view], numbers)


def test_a_replaced_projection_is_the_one_that_views_read(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as con:
        con.execute("CREATE TABLE t AS SELECT i AS id, i * 2 AS a, i % 3 AS b FROM range(9) t(i)")
        sqlrp.install(con)
        sqlrp.save(sqlrp.SparseProjection(k=2, s=1), con, "mine")
        con.execute("CREATE VIEW v AS FROM project_with('mine', 't', output := 'array')")
        sqlrp.save(sqlrp.GivenProjection.of([[1, 0], [0, 2]]), con, "mine", replace=True)
        assert rows(con, "FROM v") == [[i, [2.0 * i, 2.0 * (i % 3)]] for i in range(9)]
        con.execute("BEGIN")
        sqlrp.save(sqlrp.GivenProjection.of([[5, 0], [0, 5]]), con, "mine", replace=True)
        con.execute("ROLLBACK")
        assert rows(con, "FROM v") == [[i, [2.0 * i, 2.0 * (i % 3)]] for i in range(9)]
