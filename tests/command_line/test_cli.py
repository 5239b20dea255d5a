"""The command line: the same numbers as in Python, complete files or none, errors of one line."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest
from commands import read, run, shop, url_of
from databases import Database
from pages import EXAMPLES

import sqlrp
from sqlrp._cli.option_fields import flag
from sqlrp._cli.shared_options import DRAWN, FITTED, METHODS, parameters
from sqlrp._projections import FUNCTIONS, REGISTRY
from sqlrp._projections.held_arrays import Holding
from sqlrp._projections.supervised import SupervisedProjection
from sqlrp._projections.trained import TrainedProjection
from sqlrp._store.materialize import materialized

SERVERS = ("postgresql", "mariadb", "mysql", "sqlite")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder with the shop's files."""
    return shop(tmp_path, monkeypatch)


def in_python(projection: sqlrp.Projection, source: Any, **options: Any) -> pa.Table:
    with duckdb.connect(config={"threads": "1"}) as con:
        return sqlrp.project(projection, source, con, **options)


def assert_same(got: pa.Table, want: pa.Table) -> None:
    assert got.column_names == want.column_names
    assert got.num_rows == want.num_rows > 0
    for name in want.column_names:
        mine, others = got.column(name), want.column(name)
        if pa.types.is_floating(others.type):  # threads add in an order of their own
            np.testing.assert_allclose(mine, others, rtol=1e-9, atol=1e-9)
        else:
            assert mine.to_pylist() == others.to_pylist(), name


# -- project ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".csv.gz", ".tsv", ".jsonl", ".arrow", ".feather", ".ipc"])
def test_a_file_of_every_format_holds_what_python_gives(folder: Path, ending: str) -> None:
    out = f"small{ending}"
    said = run("project", "images.parquet", "-o", out, "--method", "pk", "-k", 16, "--seed", 7, "--keep", "label")
    want = in_python(sqlrp.PolynomialKernelProjection(k=16, seed=7), sqlrp.Wide("images.parquet", keep=["label"]))
    if ending == ".csv.gz":
        assert gzip.decompress(Path(out).read_bytes()).startswith(b"id,label,z0")
    assert_same(read(out), want)
    assert re.fullmatch(
        rf"small{ending}: 1,000 rows of \d+ features \(.*\), none of them NULL, in \d+\.\d s\n", said.stdout
    )
    assert said.stderr == ""
    assert not list(folder.glob(".sqlrp_*"))


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".arrow"])
def test_a_file_of_every_format_is_a_source(folder: Path, ending: str) -> None:
    images = read("images.parquet")
    if ending == ".arrow":
        pa.feather.write_feather(images, "in.arrow")
    else:
        duckdb.connect().execute(f"COPY (FROM 'images.parquet') TO 'in{ending}'")
    run("project", f"in{ending}", "-o", "small.parquet", "-k", 3, "--keep", "label")
    assert_same(
        read("small.parquet"), in_python(sqlrp.SparseProjection(k=3), sqlrp.Wide("images.parquet", keep=["label"]))
    )


@pytest.mark.parametrize("output", ["columns", "array", "long"])
@pytest.mark.parametrize(
    ("given", "source"),
    [
        (["arrays.parquet", "--array-column", "x"], sqlrp.Array("arrays.parquet", "x")),
        (["words.parquet", "--key", "doc", "--long", "word,n"], sqlrp.Long("words.parquet", "doc", "word", "n")),
        (
            ["words.parquet", "--key", "doc", "--feature", "word", "--value", "n"],
            sqlrp.Long("words.parquet", "doc", "word", "n"),
        ),
        (
            ["images.parquet", "--no-key", "--features", "p0", "--features", "p2,p1"],
            sqlrp.Wide("images.parquet", None, ["p0", "p2", "p1"]),
        ),
        (["shop.duckdb::images", "--keep", "label"], None),
        (["--db", "shop.duckdb", "--table", "images", "--keep", "label"], None),
        (["images", "--db", "shop.duckdb", "--keep", "label"], None),
    ],
)
def test_every_layout_and_output(folder: Path, given: list[str], source: Any, output: str) -> None:
    run("project", *given, "-o", "small.arrow", "-k", 5, "-s", 1, "--output", output)
    source = source or sqlrp.Wide("images.parquet", keep=["label"])
    want = in_python(sqlrp.SparseProjection(k=5, s=1), source, output=output)
    got = read("small.arrow")
    order = [(name, "ascending") for name in want.column_names if name in ("doc", "id", "component")]
    assert_same(got.sort_by(order) if order else got, want.sort_by(order) if order else want)


OTHER = {
    "k": 4, "s": 2.5, "seed": 9, "degree": 3, "p": 20, "t": 3, "c": 1.5, "m": 4, "sample": 90, "n_iter": 7,
    "minimise_repetition": False, "vectors": "gaussian", "modified": True, "normalise": False, "densify": "householder",
    "nnz_per_feature": 2, "variant": "kpca", "padding": "least", "replacement": False, "split": 2,
    "stratified": True, "buckets": 2, "kernel_name": "rbf", "gamma": 0.5,
}  # fmt: skip


@pytest.mark.parametrize("method", [name for name, cls in METHODS.items() if not issubclass(cls, SupervisedProjection)])
def test_every_parameter_of_every_method_is_an_option(folder: Path, method: str) -> None:
    cls = METHODS[method]
    values = {name: OTHER[name] for name in parameters(cls)}
    options: list[str] = []
    for name, value in values.items():
        options += [f"--no-{flag(name)[2:]}" if value is False else flag(name)]
        options += [] if isinstance(value, bool) else [str(value)]
    if method in FITTED:
        run("fit", "images.parquet", "--method", method, "-o", "fitted.json", "--keep", "label", *options)
        with duckdb.connect() as con:
            want = sqlrp.fit(cls(**values), sqlrp.Wide("images.parquet", keep=["label"]), con)
        assert sqlrp.from_json(Path("fitted.json").read_text()).parameters() == want.parameters()
        options = ["--fitted", "fitted.json"]
    else:
        want = cls(**values)
        options += ["--method", method]
    run("project", "images.parquet", "-o", "small.parquet", "--features", "p0,p1,p2,p3", *options)
    source = sqlrp.Wide("images.parquet", features=["p0", "p1", "p2", "p3"])
    assert_same(read("small.parquet").sort_by("id"), in_python(want, source).sort_by("id"))


def test_the_methods_are_the_registry_s_and_every_parameter_has_a_help() -> None:
    given = {
        cls
        for cls in REGISTRY
        if issubclass(cls, Holding) and not issubclass(cls, (TrainedProjection, SupervisedProjection))
    }
    assert set(METHODS.values()) == set(REGISTRY) - given
    assert DRAWN | FITTED == METHODS
    for cls in METHODS.values():
        words = cls.help_by_parameter()
        assert all(words.get(name) for name in parameters(cls)), cls
    listed = run("methods").stdout.splitlines()
    assert [line.split("\t")[:2] for line in listed] == [[n, cls.__name__] for n, cls in METHODS.items()]
    for method, cls in METHODS.items():
        told = run("methods", method).stdout
        assert all(re.search(rf"^  {flag(name)} ", told, re.MULTILINE) for name in parameters(cls))
    assert [m["method"] for m in json.loads(run("methods", "--json").stdout)] == list(METHODS)


def test_options_of_the_result(folder: Path) -> None:
    with duckdb.connect("shop.duckdb") as con:
        con.execute(
            "CREATE TABLE large AS SELECT id, 9e18::BIGINT - id AS a, if(id = 1, NULL, 8e18::BIGINT) AS b "
            "FROM range(1, 9) t(id)"
        )
    given = ["shop.duckdb::large", "-o", "sums.parquet", "-k", 2, "-s", 1, "--lowering", "relational"]
    run("project", *given, "--no-scale", "--nulls", "zero")
    with duckdb.connect("shop.duckdb") as con:
        want = sqlrp.project(sqlrp.SparseProjection(k=2, s=1), "large", con, scale=False, nulls="zero")
    got = read("sums.parquet").sort_by("id")
    assert got.to_pylist() == want.sort_by("id").to_pylist()  # beyond 2^53, where Parquet's DOUBLE would round
    assert max(abs(int(row["z0"])) for row in got.to_pylist()) > 2**53
    failed = run("project", *given, "--nulls", "error", code=1)
    assert "NULL" in failed.stderr
    assert_same(read("sums.parquet").sort_by("id"), got)  # the failed run left the file as it was


def test_json_is_one_document(folder: Path) -> None:
    run("fit", "shop.duckdb::images", "--name", "tuned", "-k", 2, "--n-iter", 3, "--keep", "label")
    for arguments in (
        ["project", "images.parquet", "-o", "a.csv", "--keep", "label"],
        ["project", "shop.duckdb::images", "--into", "small", "--keep", "label"],
        ["refresh", "shop.duckdb", "small"],
        ["list", "shop.duckdb"],
        ["fit", "images.parquet", "-o", "t.json", "--n-iter", "3", "--keep", "label"],
        ["explain", "images.parquet"],
        ["sql", "images.parquet"],
        ["diagnose", "images.parquet", "--sample", "20"],
        ["export", "images.parquet", "sql"],
        ["install", "shop.duckdb"],
        ["methods"],
    ):
        said = run(*arguments, "--json")
        assert isinstance(json.loads(said.stdout), dict if arguments != ["methods"] else list)
        assert said.stdout.count("\n") == 1
        assert all(line.startswith("sqlrp: warning: -k ") for line in said.stderr.splitlines())


# -- databases -------------------------------------------------------------------------------------------


def test_a_table_of_a_duckdb_file_is_made_listed_and_refreshed(folder: Path) -> None:
    given = ["-k", 4, "--keep", "label"]
    run("project", "images.parquet", "-o", "new.duckdb::small", *given)
    run("project", "shop.duckdb::images", "-o", "shop.duckdb::small", *given)
    want = in_python(sqlrp.SparseProjection(k=4), sqlrp.Wide("images.parquet", keep=["label"]))
    for db in ("new.duckdb", "shop.duckdb"):
        with duckdb.connect(db) as con:
            assert_same(con.sql("FROM small ORDER BY id").to_arrow_table(), want)
    assert run("refresh", "shop.duckdb", "small").stdout == "small: 0 new rows\n"
    with duckdb.connect("shop.duckdb") as con:
        con.execute("INSERT INTO images SELECT id + 1000, label, p0, p1, p2, p3 FROM images LIMIT 5")
    assert run("refresh", "shop.duckdb", "small").stdout == "small: 5 new rows\n"
    assert run("refresh", "shop.duckdb", "small", "--everything").stdout == "small: 1,005 rows\n"
    run("project", "shop.duckdb::images", "--into", "followed", *given, "--track", "rows")
    with duckdb.connect("shop.duckdb") as con:
        con.execute("UPDATE images SET p0 = 50 WHERE id = 3")
        con.execute("DELETE FROM images WHERE id IN (4, 5)")
        con.execute("INSERT INTO images SELECT id + 2000, label, p0, p1, p2, p3 FROM images LIMIT 3")
    counts = {"rows": 4, "added": 3, "changed": 1, "removed": 0}
    kept = json.loads(run("refresh", "shop.duckdb", "followed", "--no-remove", "--json").stdout)
    assert {name: kept[name] for name in counts} == counts
    assert run("refresh", "shop.duckdb", "followed").stdout == "followed: 0 new, 0 changed, 2 removed rows\n"
    with duckdb.connect("shop.duckdb") as con:  # as it was, for what follows
        con.execute("DELETE FROM images WHERE id > 2000")
        con.execute("INSERT INTO images SELECT id + 2000, label, p0, p1, p2, p3 FROM images LIMIT 2")
        con.execute("DROP TABLE followed")
        con.execute("DELETE FROM sqlrp_catalogue WHERE name = 'followed'")
    again = ["project", "shop.duckdb::images", "--into", "small", "-k", 3, "--keep", "label"]
    assert "replace" in run(*again, code=2).stderr
    assert run(*again, "--replace").stdout.startswith("small: 1,005 rows")
    assert run("list", "shop.duckdb").stdout == "small\timages\tSparseProjection(k=3, s='sqrt', seed=0)\n"
    with duckdb.connect("new.duckdb") as con:  # found from any folder
        assert materialized(con)["small"][1].table == str(folder / "images.parquet")
    hostile = '"[red]a\n\x1b[2Jb"'
    run("project", "shop.duckdb::images", "--into", hostile, "-k", 3, "--keep", "label")
    assert "\n[red]a" not in (listed := run("list", "shop.duckdb").stdout)
    assert '"[red]a\\n\\x1b[2Jb"\timages' in listed
    failed = run("project", "images.parquet", "-o", "never.duckdb::small", "--key", "nokey", code=1)
    assert "nokey" in failed.stderr
    assert sorted(p.name for p in folder.iterdir() if "never" in p.name or p.name.startswith(".")) == []


def test_a_fitted_projection_is_kept_by_name(folder: Path) -> None:
    run("fit", "shop.duckdb::images", "--name", "tuned", "-k", 2, "-s", 1, "--n-iter", 20, "--keep", "label")
    with duckdb.connect("shop.duckdb") as con:
        tuned = sqlrp.load(con, "tuned")
        want = sqlrp.fit(sqlrp.DataTunedProjection(k=2, s=1, n_iter=20), sqlrp.Wide("images", keep=["label"]), con)
        assert tuned.parameters() == want.parameters()
        rows = sqlrp.project(tuned, sqlrp.Wide("images", keep=["label"]), con)
    run("project", "shop.duckdb::images", "--saved", "tuned", "-o", "small.parquet", "--keep", "label")
    assert_same(read("small.parquet"), rows)
    listed = run("list", "shop.duckdb").stdout
    assert listed.split("\t")[:2] == ["tuned", "DataTunedProjection(k=2, seed=0, sample=500, s=1, n_iter=20)"]


def test_install_leaves_functions_that_need_no_python(folder: Path) -> None:
    assert run("install", "shop.duckdb").stdout == f"shop.duckdb: {', '.join(FUNCTIONS)}\n"
    code = (
        "import duckdb; con = duckdb.connect('shop.duckdb', read_only=True); "
        "print(con.execute(\"FROM rp_project('images', k := 2, s := 1, keep := ['label'])\").fetchall()[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    want = in_python(sqlrp.SparseProjection(k=2, s=1), sqlrp.Wide("images.parquet", keep=["label"]))
    assert done.stdout.strip() == str(tuple(want.slice(0, 1).to_pylist()[0].values()))


@pytest.mark.parametrize("name", SERVERS)
def test_a_server(name: str, db: Database, folder: Path) -> None:
    rows = [[i, "x" if i % 2 else "y", i % 7, i % 11, i % 5] for i in range(60)]
    kinds = [("id", "BIGINT"), ("label", "VARCHAR(9)"), ("p0", "INTEGER"), ("p1", "INTEGER"), ("p2", "INTEGER")]
    db.make("images", kinds, rows)
    db.run("DROP TABLE IF EXISTS images_rp")
    url, given = url_of(db), ["--table", "images", "-k", "3", "-s", "1", "--keep", "label"]
    want = sqlrp.project(sqlrp.SparseProjection(k=3, s=1), sqlrp.Wide("images", keep=["label"]), db.connection)
    run("project", "--db", url, *given, "-o", "small.parquet")
    assert_same(read("small.parquet").sort_by("id"), want.sort_by("id"))
    said = run("project", *given, "--into", "images_rp", env={"SQLRP_DB": url})
    assert said.stdout.startswith("images_rp: 60 rows")
    db.run("INSERT INTO images VALUES (100, 'z', 1, 2, 3)")
    assert run("refresh", url, "images_rp").stdout == "images_rp: 1 new rows\n"
    run("fit", "--db", url, "--table", "images", "--keep", "label", "-k", 2, "--n-iter", 3, "--name", "tuned")
    assert {line.split("\t")[0] for line in run("list", url).stdout.splitlines()} == {"tuned", "images_rp"}
    assert "inline" in run("explain", "--db", url, *given).stdout
    if db.name == "postgresql":
        assert "recall@5" in run("diagnose", "--db", url, *given, "--sample", "20").stdout
        assert "rp_project" in run("install", url, "--schema", db.schema).stdout
        query = "SELECT count(*) FROM rp_project('images', keep => ARRAY['label'])"
        [(count,)] = db.connector.rows(db.connection, query)
        assert count == 61
    else:
        assert "no functions" in run("install", url, code=1).stderr


# -- text ------------------------------------------------------------------------------------------------


def test_sql_and_export_for_other_engines(folder: Path) -> None:
    p = sqlrp.SparseProjection(k=2, s=1)
    named = sqlrp.Wide("images", features=["p0", "p1"])
    got = run("sql", "images", "--features", "p0,p1", "-k", 2, "-s", 1, "--dialect", "snowflake").stdout
    assert got == sqlrp.sql(p, named, "snowflake") + "\n"
    whole = sqlrp.Wide("shop.images", features=["p0", "p1", "p2", "p3"], keep=["label"])
    given = ["images.parquet", "-k", 2, "-s", 1, "--keep", "label", "--dialect", "bigquery"]
    assert run("sql", *given, "--as", "shop.images").stdout == sqlrp.sql(p, whole, "bigquery") + "\n"
    text = run("sql", "images.parquet", "-k", 2, "-s", 1, "--keep", "label").stdout
    assert_same(read_query(text), in_python(p, sqlrp.Wide("images.parquet", keep=["label"])))
    said = run("export", *given[:-1], "trino", "folder", "--into", "small").stdout
    assert said == str(folder / "folder" / "01_query.sql") + "\n"
    assert Path("folder/01_query.sql").read_text().startswith('CREATE VIEW "small" AS\nSELECT')
    run("export", "--db", "shop.duckdb", "--table", "images", "own", "--keep", "label", "-k", 2, "-s", 1)
    with duckdb.connect("shop.duckdb") as con:
        con.execute(Path("own/01_query.sql").read_text())
        assert_same(
            con.sql("FROM projected").to_arrow_table(),
            in_python(p, sqlrp.Wide("images.parquet", keep=["label"])),
        )
    assert "holds something" in run("export", "images.parquet", "own", code=2).stderr


def read_query(text: str) -> pa.Table:
    with duckdb.connect() as con:
        return con.sql(text).to_arrow_table()


def test_explain_and_diagnose_say_what_python_says(folder: Path) -> None:
    pk, source = sqlrp.PolynomialKernelProjection(k=8), sqlrp.Wide("images.parquet", keep=["label"])
    given = ["images.parquet", "--method", "pk", "-k", 8, "--keep", "label"]
    with duckdb.connect() as con:
        assert run("explain", *given).stdout == f"{sqlrp.explain(pk, source, con)}\n"
        report = sqlrp.diagnose(pk, source, con, sample=30, at=3)
    said = run("diagnose", *given, "--sample", 30, "--at", 3, "--plot", "out.png")
    assert said.stdout == f"{report}\n"
    assert Path("out.png").read_bytes().startswith(b"\x89PNG")
    measures = json.loads(run("diagnose", *given, "--sample", 30, "--at", 3, "--json").stdout)["measures"]
    assert measures == pytest.approx(report.measures())


def test_diagnose_says_what_a_search_of_a_kept_table_finds(folder: Path) -> None:
    with duckdb.connect("kept.duckdb") as con:
        con.execute("CREATE TABLE images AS FROM 'images.parquet'")
        source = sqlrp.Wide("images", keep=["label"])
        sqlrp.materialize(sqlrp.HadamardProjection(k=8), source, con, "codes", output="bits")
        report = sqlrp.diagnose("codes", con, sample=30, at=3)
    given = ["kept.duckdb::codes", "--search", "--sample", 30, "--at", 3]
    assert run("diagnose", *given).stdout == f"{report}\n"
    assert json.loads(run("diagnose", *given, "--json").stdout) == {"table": "codes", "measures": report.measures()}


def test_neighbours_and_clusters_are_those_of_python(folder: Path) -> None:
    with duckdb.connect("kept.duckdb") as con:
        con.execute("CREATE TABLE images AS FROM 'images.parquet' WHERE id <= 60")
        source = sqlrp.Wide("images", keep=["label"])
        sqlrp.materialize(sqlrp.HadamardProjection(k=8), source, con, "codes", output="bits")
        near = con.sql(sqlrp.neighbours_sql(con, "codes", n=2, where="label = 'cat'")).to_arrow_table()
        con.register("near", near)
        groups = sqlrp.clusters(con, "near", within=2)
    said = run("neighbours", "kept.duckdb::codes", "-n", 2, "--where", "label = 'cat'", "-o", "near.parquet")
    assert said.stdout == "near.parquet: 60 neighbours\n"
    assert read("near.parquet").num_rows == near.num_rows == 60
    assert read("near.parquet").column("distance").to_pylist() == near.column("distance").to_pylist()
    con = duckdb.connect()
    con.execute("CREATE TABLE of_python AS FROM near").execute("COPY of_python TO 'near.parquet'")
    con.close()
    told = run("clusters", "near.parquet", "--within", 2)
    assert len(told.stdout.splitlines()) == groups.num_rows + 1
    assert f"{groups.num_rows} rows in {len(groups.column('cluster').unique())} clusters" in told.stderr


# -- errors ----------------------------------------------------------------------------------------------

OUT = ["-o", "a.parquet"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["project", "images.parquet", *OUT, "--degree", "3"], 2, "--degree is no parameter of rp: it takes -k, -s,"),
        (["project", "images.parquet", *OUT, "--method", "data-tuned"], 2, "'data-tuned' learns from data: run"),
        (["project", "images.parquet", *OUT, "-k", "0"], 2, "-k 0 must be a whole number >= 1"),
        (["project", "images.parquet", *OUT, "-s", "often"], 2, "-s often must be a number"),
        (["project", "images.parquet"], 2, "give -o FILE or --into TABLE"),
        (["project", "images.parquet", *OUT, "--into", "t"], 2, "not both"),
        (["project", "images.parquet", "--into", "t"], 2, "--into 't' needs a database"),
        (["project", "images", *OUT], 2, "'images' is no file that is known by its ending"),
        (["project", *OUT], 2, "no SOURCE"),
        (["project", "--db", "shop.duckdb", *OUT], 2, "--db without a table"),
        (["project", "shop.duckdb::images", "--db", "shop.duckdb", *OUT], 2, "names a database, and so does --db"),
        (["project", "images", "--table", "images", "--db", "shop.duckdb", *OUT], 2, "both name a table"),
        (["project", "shop.duckdb::images", "-o", "else.duckdb::t"], 2, "is not in the database of the source"),
        (["project", "images.parquet", "-o", "a.xlsx"], 2, "must end in one of .parquet"),
        (["project", "images.parquet", "-o", "none/a.parquet"], 1, "there is no folder"),
        (["project", "images.parquet", *OUT, "--memory-limit", "lots"], 2, "--memory-limit lots is refused"),
        (["project", "images.parquet", *OUT, "--replace"], 2, "--replace, --kind and --track are for tables"),
        (["project", "images.parquet", *OUT, "--long", "a"], 2, "--long takes two columns"),
        (["project", "images.parquet", *OUT, "--long", "a,b", "--array-column", "x"], 2, "are different layouts"),
        (["project", "images.parquet", *OUT, "--long", "a,b", "--keep", "label"], 2, "--keep does not go with sparse"),
        (["project", "images.parquet", *OUT, "--n-features", "9"], 2, "--n-features is for sparse rows"),
        (["project", "images.parquet", *OUT, "--key", "id", "--no-key"], 2, "--no-key does not go with --key"),
        (["project", "images.parquet", *OUT, "--saved", "x", "-k", "2"], 2, "leave out -k"),
        (["project", "images.parquet", *OUT, "--fitted", "images.parquet"], 1, "is not a fitted projection"),
        (["project", "images.parquet", *OUT, "--saved", "x"], 1, "no projection 'x' is saved here"),
        (["project", "none.parquet", *OUT], 1, "none.parquet cannot be read"),
        (["project", "words.parquet", *OUT], 1, "key 'id' is not a column"),
        (["project", "broken.arrow", *OUT], 1, "broken.arrow cannot be read"),
        (["project", "none.duckdb::t", *OUT], 1, "there is no DuckDB file 'none.duckdb'"),
        (["project", "images.parquet::t", *OUT], 1, "images.parquet cannot be opened"),
        (["sql", "images", "--dialect", "db2", "--features", "a"], 2, "'db2' is no engine: one of duckdb"),
        (["sql", "images.parquet", "--as", "t"], 2, "--as goes with --dialect"),
        (["export", "images.parquet", "b", "c"], 2, "one SOURCE and one DIR"),
        (["diagnose", "images.parquet", "--plot", "a.doc"], 2, "must end in one of .png"),
        (["diagnose", "images.parquet", "--sample", "2"], 2, "--sample 2 must be"),
        (["fit", "images.parquet"], 2, "give -o FILE.json, or --name NAME"),
        (["fit", "images.parquet", "--name", "t"], 2, "--name 't' needs a database"),
        (["refresh", "shop.duckdb", "images"], 1, "was not made by `sqlrp project --into`"),
        (["install", "shop.duckdb", "--schema", "s"], 2, "--schema s is for PostgreSQL"),
        (["list", "none.duckdb"], 1, "there is no DuckDB file 'none.duckdb'"),
        (["list", "sqlite:///none/x.db"], 1, "cannot be reached: unable to open database file"),
        (["list", "sqlite:///x.db", "--memory-limit", "1GB"], 2, "No such option"),
        (["project", "--db", "sqlite:///x.db", "--table", "t", *OUT, "--threads", "1"], 2, "are for DuckDB"),
        (["list", "carrier://host/x"], 2, "carrier"),
        (["prject"], 2, "'prject' is no command (did you mean 'project'?)"),
    ],
)  # fmt: skip
def test_an_error_is_one_line(folder: Path, arguments: list[str], code: int, words: str) -> None:
    Path("broken.arrow").write_text("not Arrow")
    before = sorted(folder.iterdir())
    result = run(*arguments, code=code)
    assert result.stdout == ""
    assert result.stderr.startswith("sqlrp: ")
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1
    assert words in result.stderr
    assert [p for p in sorted(folder.iterdir()) if p.name != "x.db"] == before


def test_names_that_belong_elsewhere(folder: Path) -> None:
    """A method that learns points to fit, a name of a relative to the engine, a missing key to --no-key."""
    told = run("project", "images.parquet", "-o", "x.parquet", "--method", "pca", code=2).stderr
    assert "`sqlrp fit SOURCE -o pca.json --method pca`" in told
    assert "--fitted pca.json" in told
    run("fit", "images.parquet", "-o", "pca.json", "--method", "pca", "-k", 2, "--keep", "label")
    run("project", "images.parquet", "-o", "small.parquet", "--fitted", "pca.json", "--keep", "label")
    for cls in METHODS.values():
        for name in cls.also:
            assert f"--method {name}`" in run("sql", "images", "--method", name, code=2).stderr
    assert "`sqlrp project --method rp`" in run("fit", "images.parquet", "-o", "x", "--method", "rp", code=2).stderr
    assert "did you mean" not in run("project", "images.parquet", "-o", "x", "--method", "zz", code=2).stderr
    told = run("sql", "images", "--features", "p0", "--dialect", "postgres", code=2).stderr
    assert "(did you mean 'postgresql'?)" in told
    with pytest.raises(sqlrp.ParameterError, match=r"'postgres' is unknown \(did you mean 'postgresql'\?\)"):
        sqlrp.sql(sqlrp.SparseProjection(k=2), sqlrp.Wide("t", features=["a"]), "postgres")
    duckdb.sql("COPY (SELECT range / 7 AS a, range % 5 AS b, range % 3 AS c FROM range(9)) TO 'bare.parquet'")
    told = run("project", "bare.parquet", "-o", "small.parquet", "-k", 2, code=1).stderr
    assert "give --no-key for a table without one" in told
    run("project", "bare.parquet", "-o", "small.parquet", "-k", 2, "--no-key")
    assert read("small.parquet").column_names == ["z0", "z1"]


@pytest.mark.slow
def test_the_guide_s_lines_print_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page makes the files that it uses: it begins in an empty folder."""
    monkeypatch.chdir(tmp_path)
    text = (EXAMPLES / "command_line.md").read_text(encoding="utf-8")
    (made,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    exec(made, {})
    lines = re.findall(r"^(sqlrp .*)\n# (.*)$", text, re.MULTILINE)
    assert len(lines) >= 5
    for line, said in lines:
        printed = run(*shlex.split(line)[1:]).stdout.splitlines()[0]
        assert re.sub(r"\d+\.\d s", "0.1 s", " ".join(printed.split())) == re.sub(r"\d+\.\d s", "0.1 s", said)
