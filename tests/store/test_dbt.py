"""The files of `sqlrp.dbt`, run by dbt: twice, with new rows in between, on DuckDB and on PostgreSQL."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner
from databases import Database, opened
from forking import Forks
from helpers import assert_one_line
from taking_part import missing

import sqlrp
from sqlrp import Array, Long, ParameterError, PolynomialKernelProjection, SparseProjection, UnsupportedError, Wide
from sqlrp._cli.app import cli
from sqlrp._core.errors import LimitError, SourceError
from sqlrp.dbt import write

pytestmark = pytest.mark.slow

KEY, TEXT = "i'd {{ k }}{% k %}{# {\r\n%s \\\n", "{{ this }} {"
QUOTED, FEATURES = '"{% raw %}" {{', ("}} {#", "größe \U0001f600{{", "{", "a{\rb", "{\n")
HOSTILE = Wide('"hostile {{ t }}"', key=KEY, keep=[TEXT], features=FEATURES)
LEARNT = sqlrp.PrincipalComponents(k=2, sample=100, seed=0)


Written = tuple[sqlrp.Projection, Any, dict[str, Any]]


def written(db: Database) -> dict[str, Written]:
    """What is written and run: projection, source and options by the model's name."""
    rp = SparseProjection(k=3, s=1, seed=7)
    return {
        "images_rp": (rp, Wide("images", keep=["label"]), {"relation": "arrived"}),
        "images_pk": (
            PolynomialKernelProjection(k=4, t=2, c=1, seed=2),
            Wide("images", keep=["label"]),
            {"relation": "shop.images", "output": "array", "nulls": "zero"},
        ),
        "arrays_rp": (rp, Array("arrays", "x"), {"relation": "shop.arrays", "lowering": "relational"}),
        "followed_rp": (rp, Wide("images", keep=["label"]), {"relation": "shop.images", "track": "rows"}),
        "versioned_rp": (
            rp,
            Wide("images", features=["p1", "p2"], keep=["label", "p0"]),
            {"relation": "shop.images", "output": "array", "track": "p0"},
        ),
        "counted_rp": (
            rp,
            Long("words", "doc", "word", "n"),
            {"relation": "shop.words", "output": "long", "track": "rows"},
        ),
        "words_rp": (rp, Long("words", "doc", "word", "n"), {"relation": "shop.words", "output": "long"}),
        "hostile_rp": (rp, HOSTILE, {"relation": f"shop.{HOSTILE.table}", "scale": False}),
        "quoted_rp": (
            rp,
            replace(HOSTILE, key=QUOTED),
            {"relation": f"shop.{HOSTILE.table}", "materialized": "table"},
        ),
        "arrays_pca": (
            sqlrp.fit(LEARNT, Array("arrays", "x"), db.connection),
            Array("arrays", "x"),
            {"relation": "shop.arrays", "materialized": "table"},
        ),
    }


@contextmanager
def released(db: Database, folder: Path) -> Iterator[None]:
    """DuckDB's file is left to another process meanwhile."""
    if db.name != "duckdb":
        yield
        return
    db.connection.close()
    yield
    db.connection = duckdb.connect(folder / "test.db", config={"threads": "1"})


def load(db: Database, first: int, last: int) -> None:
    """Rows of the ids from first up to last, in four tables."""
    number = "BIGINT" if db.name == "duckdb" else "bigint"
    double, text = ("DOUBLE", "VARCHAR") if db.name == "duckdb" else ("double precision", "text")
    ids = range(first, last)
    tables: dict[str, tuple[list[tuple[str, str]], list[list[Any]]]] = {
        "images": (
            [("id", number), ("label", text), ("p0", number), ("p1", double), ("p2", double)],
            [[i, f"l{i}", i % 7, None if i % 5 == 4 else i / 4, (i * 5) % 17] for i in ids],
        ),
        "arrays": ([("id", number), ("x", f"{double}[]")], [[i, [i % 3, i % 5, i / 2]] for i in ids]),
        "words": (
            [("doc", number), ("word", text), ("n", number)],
            [[i, word, i % 4 + 1] for i in ids for word in ("a", f"b{i % 9}")],
        ),
        "hostile {{ t }}": (
            [(KEY, number), (TEXT, text), (QUOTED, number), *((name, number) for name in FEATURES)],
            [[i, "{{ text }}", i, i % 3, i % 5, i % 7, i % 2, i % 4] for i in ids],
        ),
    }
    for table, (columns, rows) in tables.items():
        if first == 0:
            db.make(table, columns, rows)
        else:
            lines = ", ".join(f"({', '.join(map(db.cell, row))})" for row in rows)
            db.run(f"INSERT INTO {db.engine.quote(table)} VALUES {lines}")


def start(folder: Path, profile: dict[str, Any], schema: str) -> None:
    """A dbt project with the tables as sources, a model of one's own, and one that calls the macro."""
    (folder / "models").mkdir(parents=True)
    (folder / "dbt_project.yml").write_text('name: shop\nversion: "1.0"\nprofile: shop\n')
    (folder / "profiles.yml").write_text(json.dumps({"shop": {"target": "t", "outputs": {"t": profile}}}))
    tables = [{"name": n} for n in ("images", "arrays", "words")]
    tables.append({"name": "hostile {{ '{{' }} t }}"})
    sources = {"version": 2, "sources": [{"name": "shop", "schema": schema, "tables": tables}]}
    (folder / "models" / "sources.yml").write_text(json.dumps(sources))
    (folder / "models" / "arrived.sql").write_text("select * from {{ source('shop', 'images') }}")
    late = "select * from {{ source('shop', 'images') }} where id > 10"
    (folder / "models" / "late.sql").write_text(
        f"{{% set late %}}({late}) late{{% endset %}}\nselect * from ({{{{ sqlrp_images_rp(late) }}}}) z"
    )


def build(dbt: Forks, folder: Path) -> dict[str, str]:
    """Run dbt; the status of every model and test by its name."""
    given = ["build", "--profiles-dir", str(folder), "--project-dir", str(folder)]
    settings = {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "NO_COLOR": "1"}
    done = dbt.run(folder, "-c", "from dbt.cli.main import cli; cli()", *given, **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((folder / "target" / "run_results.json").read_text())["results"]
    return {result["unique_id"]: result["status"] for result in results}


@pytest.fixture(scope="module")
def dbt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    """Processes of dbt. It is not imported here: that takes 2 s, as long as a run."""
    modules = ("dbt.cli.main", "dbt.adapters.duckdb", "dbt.adapters.postgres")
    for name in modules:
        try:
            found = find_spec(name)
        except ModuleNotFoundError:
            found = None
        if found is None:
            missing("dbt", ModuleNotFoundError(f"No module named {name!r}"))
    process = Forks(tmp_path_factory.mktemp("dbt"), modules)
    yield process
    process.close()


def profile_of(db: Database, path: Path) -> dict[str, Any]:
    if db.name == "duckdb":
        return {"type": "duckdb", "path": str(path), "threads": 1}
    url = db.connection.engine.url
    return {
        "type": "postgres",
        "host": url.query.get("host", url.host),
        "port": int(url.query.get("port", url.port or 5432)),
        "user": url.username,
        "password": url.password or "none",
        "dbname": url.database,
        "schema": db.schema,
        "threads": 1,
    }


def by_key(table: pa.Table) -> dict[Any, list[dict[str, Any]]]:
    """The rows of each key, which comes first, without marks; of the long output many."""
    found: dict[Any, list[dict[str, Any]]] = {}
    table = table.drop_columns([name for name in table.column_names if name.startswith("sqlrp_")])
    for row in sorted(table.to_pylist(), key=lambda row: row.get("component", 0)):
        found.setdefault(next(iter(row.values())), []).append(row)
    return found


def projected(db: Database, written: Written) -> dict[Any, list[dict[str, Any]]]:
    projection, source, options = written
    shape = {n: v for n, v in options.items() if n in ("output", "scale", "nulls", "lowering")}
    return by_key(sqlrp.project(projection, source, db.connection, **shape))


def made(db: Database, model: str) -> dict[Any, list[dict[str, Any]]]:
    return by_key(db.connector.fetch(db.connection, f"SELECT * FROM {model}"))


@pytest.fixture(params=["duckdb", "postgresql"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    with contextmanager(opened)(request.param, tmp_path) as database:
        yield database
        if request.param == "duckdb":
            database.connection.close()


def test_dbt_runs_what_is_written(dbt: Forks, db: Database, tmp_path: Path) -> None:
    """The models are what sqlrp.project gives: at first, and for the rows that are new in a second run."""
    folder = tmp_path / "project"
    load(db, 0, 20)
    start(folder, profile_of(db, tmp_path / "test.db"), db.schema)
    models = written(db)
    for model, (projection, source, options) in models.items():
        write(projection, source, db.connection, folder, model, **options)
    with released(db, tmp_path):
        statuses = build(dbt, folder)
    # Of each model but those of one's own the key is not NULL, and unique but in long rows.
    kinds = Counter((name.split(".")[0], status) for name, status in statuses.items())
    assert kinds == {("model", "success"): len(models) + 2, ("test", "pass"): 2 * len(models) - 2}
    before = {model: projected(db, parts) for model, parts in models.items()}
    assert {model: made(db, model) for model in models} == before
    assert all(len(rows) == 20 for rows in before.values())
    assert made(db, "late") == {key: row for key, row in before["images_rp"].items() if key > 10}
    descriptions(folder, models)

    load(db, 20, 30)
    db.run("UPDATE images SET p2 = p2 + 1, p0 = p0 + 100 WHERE id = 3")
    db.run("DELETE FROM images WHERE id = 4")
    db.run("UPDATE words SET n = 0 WHERE doc = 5 AND word = 'a'")
    db.run("DELETE FROM words WHERE doc = 6 OR (doc = 7 AND word = 'a')")
    with released(db, tmp_path):
        assert build(dbt, folder) == statuses
    after = {model: projected(db, parts) for model, parts in models.items()}
    assert after["images_rp"][3] != before["images_rp"][3]
    followed = {model for model, (_, _, options) in models.items() if "track" in options}
    assert {len(after[model]) for model in followed} == {29}
    want = {model: after[model] if model in followed else after[model] | before[model] for model in models}
    assert {model: made(db, model) for model in models} == want


def descriptions(folder: Path, models: dict[str, Written]) -> None:
    """dbt reads names and descriptions as they were meant; the macro's comment is the projection."""
    nodes = json.loads((folder / "target" / "manifest.json").read_text())["nodes"]
    for model, (projection, source, options) in models.items():
        node = nodes[f"model.shop.{model}"]
        assert f"the macro sqlrp_{model} " in node["description"]
        assert node["config"]["materialized"] == options.get("materialized", "incremental")
        assert len(node["columns"]) == 1
        assert next(iter(node["columns"])) == ('"""{% raw %}"" {{"' if source.key == QUOTED else source.key)
        first = (folder / "macros" / f"sqlrp_{model}.sql").read_text(encoding="utf-8").splitlines()[0]
        assert sqlrp.from_json(first[2:-2]) == projection


# -- what is refused ---------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dbt_project.yml").write_text("name: shop")
    return tmp_path


RP = SparseProjection(k=2, s=1, seed=7)
SOURCE = Wide("images", features=["p0", "p1"])


def files(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"name": "1; drop"}, ParameterError, ["'1; drop'", "letters, digits and _"]),
        ({"project": "nowhere"}, ParameterError, ["nowhere", "dbt_project.yml"]),
        ({"materialized": "snapshot"}, ParameterError, ["'snapshot'", "incremental, table, view, ephemeral"]),
        ({"relation": "a.b.c"}, ParameterError, ['"a"."b"."c"', "source.table"]),
        ({"source": Wide("x.parquet", features=["p0"]), "engine": "duckdb"}, ParameterError, ["x.parquet", "relation"]),
        ({"source": Wide("images", key=None, features=["p0"])}, ParameterError, ["no key", "'table' or 'view'"]),
        ({"source": replace(SOURCE, key='a"b')}, SourceError, ["""'a"b'""", "quote", "'table'"]),
        ({"projection": sqlrp.BilinearPooling(k=2)}, ParameterError, ["groups", "'table' or 'view'"]),
        ({"source": "images"}, ParameterError, ["does not name features", "pass a connection"]),
        ({"engine": "snowflake", "lowering": "relational"}, UnsupportedError, ["snowflake", "temporary tables"]),
        (
            {"projection": SparseProjection(k=60_000, s=1), "engine": "bigquery", "output": "long"},
            LimitError,
            ["60,003 columns", "temporary tables"],
        ),
        ({"track": "rows", "materialized": "view"}, ParameterError, ["'rows'", "incremental"]),
        ({"track": "rows", "engine": "trino"}, UnsupportedError, ["trino", "hash", "track a column"]),
        ({"track": "v", "engine": "bigquery", "output": "long"}, ParameterError, ["merge", "'array'"]),
        ({"models": "dbt_project.yml"}, SourceError, ["dbt_project.yml", "cannot be written"]),
    ],
    ids=lambda value: "" if not isinstance(value, dict) else next(iter(value)),
)
def test_refusals(folder: Path, change: dict[str, Any], error: type[Exception], words: list[str]) -> None:
    before = files(folder)
    given: dict[str, Any] = {"projection": RP, "source": SOURCE, "engine": "postgresql", "project": folder} | change
    with pytest.raises(error) as caught:
        write(**({"name": "images_rp"} | given))
    assert_one_line(caught, *words)
    assert files(folder) == before


def test_files_are_overwritten_when_asked_only(folder: Path) -> None:
    paths = write(RP, SOURCE, "duckdb", folder, "images_rp")
    assert [str(p.relative_to(folder)) for p in paths] == [
        "macros/sqlrp_images_rp.sql",
        "models/images_rp.sql",
        "models/images_rp.yml",
    ]
    before = files(folder)
    other = SparseProjection(k=3, s=1, seed=8)
    with pytest.raises(ParameterError) as caught:
        write(other, SOURCE, "duckdb", folder, "images_rp")
    assert_one_line(caught, "sqlrp_images_rp.sql", "is there already", "--replace")
    assert files(folder) == before
    paths[0].unlink()
    (folder / "models" / "images_rp.yml").unlink()
    (folder / "models" / "images_rp.yml").mkdir()  # the last of the three cannot be put in its place
    before = files(folder)
    with pytest.raises(SourceError):
        write(other, SOURCE, "duckdb", folder, "images_rp", replace=True)
    assert files(folder) == before
    (folder / "models" / "images_rp.yml").rmdir()
    write(other, SOURCE, "duckdb", folder, "images_rp", replace=True)
    assert other.to_json() in files(folder)["macros/sqlrp_images_rp.sql"]


def test_rows_that_are_gone_may_stay(folder: Path) -> None:
    write(RP, SOURCE, "duckdb", folder, "images_rp", track="v")
    assert "post_hook='DELETE FROM" in files(folder)["models/images_rp.sql"]
    write(RP, SOURCE, "duckdb", folder, "images_rp", track="v", remove=False, replace=True)
    assert "post_hook" not in files(folder)["models/images_rp.sql"]


def test_fingerprints_of_warehouses(folder: Path) -> None:
    hashes = {"snowflake": "HASH(", "bigquery": "FARM_FINGERPRINT(", "databricks": "xxhash64(", "spark": "xxhash64("}
    for engine, function in hashes.items():
        write(RP, SOURCE, engine, folder, "images_rp", track="rows", replace=True)
        model, macro = files(folder)["models/images_rp.sql"], files(folder)["macros/sqlrp_images_rp.sql"]
        assert function in model
        assert function in macro
        assert "unique_key=" in model
        assert "DELETE FROM" in model
    with pytest.raises(UnsupportedError, match="track a column that grows"):
        write(RP, SOURCE, "trino", folder, "images_rp", track="rows", replace=True)


@pytest.mark.parametrize("output", ["columns", "long"])
def test_what_is_written_for_an_engine_by_name(folder: Path, output: Any) -> None:
    write(RP, SOURCE, "bigquery", folder, "images_rp", relation="shop.images", output=output)
    found = files(folder)
    unique = "'`id`'" if output == "columns" else "['`id`', 'component']"
    assert f"unique_key={unique}" in found["models/images_rp.sql"]
    assert "source('shop', 'images')" in found["models/images_rp.sql"]
    assert "FROM {{ relation }}" in found["macros/sqlrp_images_rp.sql"]


def test_the_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with duckdb.connect("shop.duckdb") as con:
        con.execute("CREATE TABLE images AS SELECT range AS id, range % 3 AS p0, range % 5 AS p1 FROM range(9)")
    arguments = ["dbt", "shop.duckdb::images", ".", "--name", "images_rp", "-k", "2", "-s", "1", "--seed", "7"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.stderr
    by_command = files_of(folder)
    with duckdb.connect("shop.duckdb") as con:
        write(RP, "images", con, folder, "images_rp", replace=True)
    assert by_command == files_of(folder)
    assert CliRunner().invoke(cli, arguments).exit_code == 2
    again = CliRunner().invoke(cli, [*arguments, "--replace", "--materialized", "view", "--json"])
    assert [Path(p).name for p in json.loads(again.stdout)["files"]] == [
        "sqlrp_images_rp.sql",
        "images_rp.sql",
        "images_rp.yml",
    ]
    assert again.stderr.startswith("sqlrp: warning: -k 2 is not below")
    assert again.stderr.count("\n") == 1
    assert "--full-refresh --select images_rp" in CliRunner().invoke(cli, [*arguments, "--replace"]).stderr
    write(RP, SOURCE, "duckdb", folder, "images_rp", materialized="view", replace=True)
    assert "materialized='view'" in (folder / "models" / "images_rp.sql").read_text()


def test_another_projection_is_one_file_and_the_macro_changes_last(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(RP, SOURCE, "duckdb", folder, "images_rp")
    replaced: list[str] = []

    def put(made: Path, target: Path) -> None:
        replaced.append(target.name)
        made.replace(target)

    monkeypatch.setattr("sqlrp.dbt.put_in_place", put)
    other = SparseProjection(k=3, s=1, seed=8)
    write(other, SOURCE, "duckdb", folder, "images_rp", replace=True)
    assert replaced == ["sqlrp_images_rp.sql"]
    replaced.clear()
    write(RP, SOURCE, "duckdb", folder, "images_rp", replace=True, materialized="view")
    assert replaced == ["images_rp.sql", "sqlrp_images_rp.sql"]
    replaced.clear()
    write(RP, SOURCE, "duckdb", folder, "images_rp", replace=True, materialized="view")
    assert replaced == []


def files_of(folder: Path) -> dict[str, str]:
    return {str(p): p.read_text() for place in ("models", "macros") for p in (folder / place).iterdir()}
