"""Functions that stay in a DuckDB file: views over them answer where there is no Python, and in other versions."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from databases import with_functions
from other_duckdbs import python_package, run_wasm

import sqlrp
from sqlrp._projections import FUNCTIONS

pytestmark = pytest.mark.slow

FEATURES = [f"p{j}" for j in range(6)]
SAVED: dict[str, sqlrp.Projection] = {
    "tuned": sqlrp.DataTunedProjection(k=3, n_iter=20),
    "landmarks": sqlrp.NystroemProjection(k=5, c=1),
    "components": sqlrp.PrincipalComponents(k=3),
    "it's drawn": sqlrp.HadamardProjection(k=3, seed=4),
}
HOWS = ("standard", "minmax", "l2")


@dataclass
class Shop:
    """A closed file with a view of every function."""

    path: Path
    want: dict[str, list[Any]]
    """the rows that Python computes for each view"""
    few: list[str]
    """views that have every stage of the others: a stage is what the text of a function differs in"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """The file in the format of DuckDB 1.2, so that every version reads it."""
    path = tmp_path_factory.mktemp("stay") / "shop.duckdb"
    want: dict[str, list[Any]] = {}
    stages: dict[str, set[str]] = {}
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
            projection = cls(k=size(function, len(FEATURES)))
            call = f"{function}('images', k := {projection.k}, {key}, output := 'array')"
            con.execute(f"CREATE VIEW v_{function} AS FROM {call}")
            want[f"v_{function}"] = rows(con, sqlrp.sql(projection, source, con, output="array"))
            stages[f"v_{function}"] = kinds(projection)
        call = "rp_project('words', k := 3, s := 1, key := 'doc', feature := 'word', value := 'n', output := 'array')"
        con.execute(f"CREATE VIEW v_words AS FROM {call}")
        long = sqlrp.Long("words", "doc", "word", "n")
        want["v_words"] = rows(con, sqlrp.sql(sqlrp.SparseProjection(k=3, s=1), long, con, output="array"))
        stages["v_words"] = {"long"}
        vectors = call.replace("'array'", "'vector'")
        con.execute(f"CREATE VIEW v_vector AS FROM {vectors}")
        want["v_vector"] = rows(con, sqlrp.sql(sqlrp.SparseProjection(k=3, s=1), long, con, output="vector"))
        stages["v_vector"] = {"long", "vector"}
        made = {name: sqlrp.fit(p, source, con) if p.learns else p for name, p in SAVED.items()}
        made |= {how: sqlrp.fit(sqlrp.SparseProjection(k=3), sqlrp.Standardized(source, how), con) for how in HOWS}
        for at, (name, projection) in enumerate(made.items()):
            sqlrp.save(projection, con, name)
            literal = name.replace("'", "''")
            con.execute(f"CREATE VIEW saved_{at} AS FROM project_with('{literal}', 'images', output := 'array')")
            want[f"saved_{at}"] = rows(con, sqlrp.sql(projection, source, con, output="array"))
            stages[f"saved_{at}"] = {"saved", *kinds(projection)}
    few: list[str] = []
    for view in sorted(want, key=lambda v: -len(stages[v])):
        if stages[view] - set().union(*(stages[v] for v in few)):
            few.append(view)
    assert set().union(*(stages[view] for view in few)) == set().union(*stages.values())
    return Shop(path, want, few)


def size(function: str, d: int) -> int:
    """A number of components: of the full bilinear pooling that of all products."""
    return d * d if function == "fbp_project" else 4


def kinds(projection: sqlrp.Projection) -> set[str]:
    """The stages of a projection of the features."""
    return {type(stage).__name__ for stage in projection.stages(len(FEATURES))}


def rows(con: duckdb.DuckDBPyConnection, query: str) -> list[Any]:
    """The rows (key, array) of a query by key."""
    return [[key, list(z)] for key, z in con.execute(f"FROM ({query}) ORDER BY 1").fetchall()]


def assert_same(got: list[Any], want: list[Any]) -> None:
    """The same keys, and the same numbers up to the order of sums."""
    assert [key for key, _ in got] == [key for key, _ in want]
    np.testing.assert_allclose([z for _, z in got], [z for _, z in want], rtol=1e-9, atol=1e-9)


def asked(view: str) -> str:
    """The rows of a view, whose columns have other names in each."""
    return f'SELECT k, CAST(z AS DOUBLE[]) AS z FROM "{view}" v(k, z) ORDER BY 1'


def test_views_answer_in_a_new_connection_that_only_reads(shop: Shop) -> None:
    with duckdb.connect(str(shop.path), read_only=True) as con:
        for view, numbers in shop.want.items():
            assert_same(rows(con, f'FROM "{view}"'), numbers)


def test_views_answer_in_the_shell(shop: Shop) -> None:
    """Every stage; its DuckDB is that of this process, which answers all above."""
    program = Path(sys.executable).with_name("duckdb")
    assert program.exists(), f"{program} is missing: pip install duckdb-cli"
    done = subprocess.run(
        [program, "-readonly", "-json", shop.path, "-c", "; ".join(map(asked, shop.few))],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads("[" + done.stdout.strip().replace("]\n[", "],[") + "]")
    for view, answer in zip(shop.few, answers, strict=True):
        assert_same([[row["k"], row["z"]] for row in answer], shop.want[view])


OLDER = ["1.4", "1.5"]
"""The supported versions besides the one of this process."""


@pytest.mark.parametrize("version", OLDER)
def test_views_answer_in_an_older_duckdb_without_sqlrp(shop: Shop, version: str) -> None:
    """All in the oldest; every stage in the version between that and this process's."""
    views = list(shop.want) if version == OLDER[0] else shop.few
    code = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); import duckdb\n"
        "assert duckdb.__version__.startswith(sys.argv[2]), duckdb.__version__\n"
        "con = duckdb.connect(sys.argv[3], read_only=True)\n"
        "get = lambda v: con.execute(f'FROM \"{v}\" ORDER BY 1').fetchall()\n"
        "print(json.dumps({v: [[k, list(z)] for k, z in get(v)] for v in json.loads(sys.argv[4])}))"
    )
    arguments = [python_package(version), version, shop.path, json.dumps(views)]
    done = subprocess.run([sys.executable, "-S", "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    for view in views:
        assert_same(got[view], shop.want[view])


def test_views_answer_in_duckdb_wasm(shop: Shop) -> None:
    """Every stage; its DuckDB is 1.4, which answers all above."""
    for view, answer in zip(shop.few, run_wasm(map(asked, shop.few), path=shop.path), strict=True):
        assert isinstance(answer, list), f"{view}: {answer}"
        assert_same(answer, shop.want[view])


def test_the_file_runs_in_duckdb_wasm() -> None:
    table = "CREATE TABLE t AS SELECT i AS id, i * 2 AS a, i % 3 AS b, 'x' AS label FROM range(5) t(i)"
    call = "FROM rp_project('t', k := 2, s := 1, seed := 7, keep := ['label'])"
    file = (Path(__file__).parents[2] / "sql" / "duckdb.sql").read_text(encoding="utf-8")
    _, _, (loaded, *_), rows, wrong = run_wasm(
        [
            file,
            table,
            "SELECT version(), (SELECT count(*) FROM duckdb_extensions() WHERE loaded AND extension_name = 'json')",
            call,
            "FROM rp_project('t', k := 2, features := ['label'])",
        ]
    )
    assert loaded[0].startswith("v1.4")
    assert loaded[1] == 0
    with duckdb.connect() as con:
        con.execute(table)
        found = sqlrp.project(sqlrp.SparseProjection(k=2, s=1, seed=7), sqlrp.Wide("t", keep=["label"]), con)
    assert rows == [list(row.values()) for row in found.to_pylist()]
    assert "feature 'label' of \"t\" is VARCHAR, not a number" in wrong


def test_a_replaced_projection_is_the_one_that_views_read(tmp_path: Path) -> None:
    with with_functions(tmp_path / "shop.duckdb") as con:
        con.execute("CREATE TABLE t AS SELECT i AS id, i * 2 AS a, i % 3 AS b FROM range(9) t(i)")
        sqlrp.save(sqlrp.SparseProjection(k=2, s=1), con, "mine")
        con.execute("CREATE VIEW v AS FROM project_with('mine', 't', output := 'array')")
        sqlrp.save(sqlrp.GivenProjection.of([[1, 0], [0, 2]]), con, "mine", replace=True)
        assert rows(con, "FROM v") == [[i, [2.0 * i, 2.0 * (i % 3)]] for i in range(9)]
        con.execute("BEGIN")
        sqlrp.save(sqlrp.GivenProjection.of([[5, 0], [0, 5]]), con, "mine", replace=True)
        con.execute("ROLLBACK")
        assert rows(con, "FROM v") == [[i, [2.0 * i, 2.0 * (i % 3)]] for i in range(9)]


def test_a_view_of_the_text_answers_in_a_new_connection(tmp_path: Path) -> None:
    path = str(tmp_path / "shop.duckdb")
    with with_functions(path) as con:
        con.execute("CREATE TABLE t AS SELECT i AS id, i * 2 AS a, i % 3 AS b FROM range(9) t(i)")
        mine = sqlrp.GivenProjection.of([[1, 0], [0, 2]])
        sqlrp.save(mine, con, "mine")
        made: dict[str, sqlrp.Projection] = {"project_with_sql('mine', 't', output := 'array')": mine}
        for function, cls in FUNCTIONS.items():
            if not cls.key_argument:
                blocks: dict[str, Any] = {"nnz_per_feature": 1} if function == "cw_project" else {}
                given = "".join(f", {name} := {value}" for name, value in blocks.items())
                k = 4 if function == "fbp_project" else 2
                made[f"{function}_sql('t', k := {k}, output := 'array'{given})"] = cls(k=k, **blocks)
        # Both ways to read the types go through the same steps: every function has one of them, these have both.
        both = ("rp_project", "project_with")
        views: dict[str, list[Any]] = {}
        for at, (call, projection) in enumerate(made.items()):
            want = rows(con, sqlrp.sql(projection, "t", con, output="array"))
            for json in (True, False) if call.startswith(both) else (at % 2 == 0,):
                con.execute(f"SET VARIABLE sqlrp_json = {json}")
                (text,) = con.execute(f"SELECT {call}").fetchone() or ("",)
                assert "FROM query(" not in text
                views[f"v{at}_{json}"] = want
                con.execute(f"CREATE VIEW v{at}_{json} AS {text}")
    with duckdb.connect(path, read_only=True) as con:
        for view, want in views.items():
            assert_same(rows(con, f"FROM {view}"), want)


def test_check_finds_and_repair_writes_the_macros_of_a_saved_projection(tmp_path: Path) -> None:
    with with_functions(tmp_path / "shop.duckdb") as con:
        con.execute("CREATE TABLE t AS SELECT i AS id, i * 2 AS a, i % 3 AS b FROM range(9) t(i)")
        sqlrp.save(sqlrp.GivenProjection.of([[1, 0], [0, 2]]), con, "mine")
        want = con.execute("FROM project_with('mine', 't')").fetchall()
        assert sqlrp.check(con) == []
        own = b"mine".hex()
        for broken in (
            f'DROP MACRO "sqlrp_plan {own}"',
            f'DROP MACRO TABLE "sqlrp_table {own} 0"',
            f"CREATE OR REPLACE MACRO \"sqlrp_plan {own}\"() AS {{'text': '', 'names': [''], 'digest': '0a'}}",
        ):
            con.execute(broken)
            (finding,) = sqlrp.check(con, repair=True)
            assert (finding.kind, finding.name, finding.mended) == ("projection", "mine", True)
            assert con.execute("FROM project_with('mine', 't')").fetchall() == want
            con.execute(broken)
            sqlrp.install(con)
            assert sqlrp.check(con) == []
            assert con.execute("FROM project_with('mine', 't')").fetchall() == want


def test_install_leaves_the_macros_of_saved_projections_as_they_are(tmp_path: Path) -> None:
    with with_functions(tmp_path / "shop.duckdb") as con:
        sqlrp.save(sqlrp.SparseProjection(k=2), con, "mine")
        ids = "SELECT function_oid FROM duckdb_functions() WHERE starts_with(function_name, 'sqlrp_plan ')"
        before = con.execute(ids).fetchall()
        sqlrp.install(con)
        assert con.execute(ids).fetchall() == before
