"""ClickHouse on a cluster: sources that are Distributed over two shards, and the text for all of its servers.

The embedded engine reads a configuration with two shards, both of which are in this process. A view that asks for the
number of its shard gives each of them rows of its own. The process has no Keeper, which ON CLUSTER and the replicas of
a table need. So those two words are read, and left out where statements run.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlglot
from databases import JIT, Database
from helpers import METHODS, OUTPUTS, Cell, assert_close, assert_one_line, cells, magnitude, oracle
from taking_part import missing

import sqlrp
from sqlrp import Array, Long, ParameterError, UnsupportedError, Wide
from sqlrp._core.sources import Source

SHARD = "<shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>"
CONFIGURATION = f"""<clickhouse><tcp_port>9000</tcp_port>
<remote_servers><two_shards>{2 * SHARD}</two_shards></remote_servers></clickhouse>"""
"""A shard is in this process if its port is that of the configuration; nothing listens there."""
D = 4
X = np.random.default_rng(7).normal(size=(9, D)).round(3)
P = METHODS["linear"]
SOURCES: dict[str, Source] = {
    "wide": Wide("wide"),
    "array": Array("array", "x", n_features=D),
    "long": Long("long", n_features=D),
}
COLUMNS = {
    "wide": "id Int64, f0 Float64, f1 Float64, f2 Float64, f3 Float64",
    "array": "id Int64, x Array(Float64)",
    "long": "id Int64, feature Int32, value Float64",
}
SETTING = "SETTINGS parallel_distributed_insert_select = 2"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "config.xml").write_text(CONFIGURATION)
    try:
        from chdb.session import Session
    except ImportError as error:
        missing("clickhouse", error)
    with Session(f"{folder / 'data'}?config-file={folder / 'config.xml'}") as session:
        session.query(f"SET {', '.join(f'{setting} = 0' for setting in JIT)}")
        found = Database("clickhouse", session, "default")
        assert found.run_query("SELECT count(), min(is_local) FROM system.clusters WHERE cluster = 'two_shards'") == [
            (2, 1)
        ]
        for layout, columns in COLUMNS.items():
            found.run(f"CREATE TABLE {layout}_all ({columns}) ENGINE = MergeTree ORDER BY id")
            found.run(f"CREATE VIEW {layout}_local AS SELECT * FROM {layout}_all WHERE id % 2 = shardNum() - 1")
            spread = f"Distributed('two_shards', currentDatabase(), '{layout}_local')"
            found.run(f"CREATE TABLE {layout} ({columns}) ENGINE = {spread}")
        yield found


@pytest.fixture(autouse=True)
def rows(db: Database) -> None:
    """The rows, on both shards."""
    for layout in COLUMNS:
        db.run(f"TRUNCATE TABLE {layout}_all")
        add(db, layout, dict(enumerate(X)))
    assert db.run_query("SELECT DISTINCT _shard_num FROM wide ORDER BY 1") == [(1,), (2,)]


def add(db: Database, layout: str, found: dict[int, Any]) -> None:
    lines = []
    for key, row in found.items():
        values = row.tolist()
        if layout == "long":
            lines += [f"({key}, {j}, {value})" for j, value in enumerate(values)]
        else:
            lines.append(f"({key}, {values if layout == 'array' else str(values)[1:-1]})")
    db.run(f"INSERT INTO {layout}_all VALUES {', '.join(lines)}")


def assert_rows(found: dict[Any, list[Cell]], want: dict[int, Any]) -> None:
    x = np.array([want[key] for key in sorted(want)])
    assert sorted(found) == sorted(want)
    numbered = {i: found[key] for i, key in enumerate(sorted(want))}
    assert_close(numbered, oracle(P, x), magnitude(P, x))


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("layout", SOURCES)
def test_rows_of_all_shards_are_projected(db: Database, layout: str, output: str) -> None:
    for lowering in ("relational",) if layout == "long" else ("inline", "indexed", "relational"):
        assert_rows(db.projected(P, SOURCES[layout], output, lowering=lowering), dict(enumerate(X)))


@pytest.mark.parametrize("layout", SOURCES)
@pytest.mark.parametrize("track", [None, "rows"])
def test_a_table_of_this_server_follows_them(db: Database, layout: str, track: str | None) -> None:
    assert sqlrp.materialize(P, SOURCES[layout], db.connection, "kept", track=track, replace=True) == len(X)
    want = dict(enumerate(X))
    add(db, layout, {20: X[0], 21: X[1]})
    want |= {20: X[0], 21: X[1]}
    if track:
        for key in (2, 5):
            db.run(f"ALTER TABLE {layout}_all DELETE WHERE id = {key} SETTINGS mutations_sync = 2")
        add(db, layout, {5: X[7]})
        del want[2]
        want[5] = X[7]
    done = sqlrp.refresh(db.connection, "kept")
    assert (done.added, done.changed, done.removed) == ((2, 1, 1) if track else (2, 0, 0))
    found = db.connector.fetch(db.connection, "SELECT * FROM kept")
    extra = [name for name in found.column_names if name.startswith("sqlrp_")]
    assert_rows(cells(found.drop_columns(extra), "columns", P.k), want)


def written(folder: Path, db: Any, source: Any, **options: Any) -> dict[str, str]:
    """The text of each file, by what it does."""
    made = sqlrp.export(P, source, db, folder / "made", into="docs_rp", cluster="two_shards", **options)
    return {path.stem[3:]: path.read_text(encoding="utf-8").rstrip(";\n") for path in made}


def run(db: Database, statements: dict[str, str], first: str = "") -> None:
    """The statements from one on, on the only server, without replicas."""
    names = list(statements)
    for name in names[names.index(first) if first else 0 :]:
        text = statements[name].replace(" ON CLUSTER 'two_shards'", "").replace("Replicated", "")
        db.run(text.replace(SETTING, "SETTINGS parallel_distributed_insert_select = 0"))


@pytest.mark.parametrize("layout", ["wide", "array"])
@pytest.mark.parametrize("kind", ["table", "materialized view"])
def test_every_shard_keeps_its_rows_and_what_is_inserted(db: Database, layout: str, kind: str, tmp_path: Path) -> None:
    """A view sees what is inserted into a table and not into a view, so the local table is the one with all rows."""
    statements = written(tmp_path, db.connection, SOURCES[layout], kind=kind)
    assert list(statements) == ["rows", "local", "table", "fill", *(["view"] if "view" in kind else []), "cleanup"]
    everywhere = {name for name, text in statements.items() if " ON CLUSTER 'two_shards'" in text}
    assert everywhere == set(statements) - {"fill"}
    assert "ENGINE = ReplicatedMergeTree ORDER BY tuple() EMPTY AS" in statements["local"]
    assert SETTING in statements["fill"]
    assert f"`default`.`{layout}_local`" in statements["rows"]
    for text in statements.values():
        assert sqlglot.parse_one(text, read="clickhouse") is not None
    if "view" in statements:
        statements["view"] = statements["view"].replace(f"{layout}_local", f"{layout}_all")
    try:
        run(db, statements)
        db.run(f"ALTER TABLE {layout}_all DELETE WHERE id < 0 SETTINGS mutations_sync = 2")
        want = dict(enumerate(X))
        if "view" in kind:
            add(db, layout, {30: X[3]})
            want[30] = X[3]
        found = db.connector.fetch(db.connection, "SELECT * FROM docs_rp_local")
        assert found.num_rows == len(want)
        assert_rows(cells(found, "columns", P.k), want)
        # Both shards are this server, and the Distributed table reads the part of each.
        assert db.run_query("SELECT count() FROM docs_rp") == [(2 * len(want),)]
    finally:
        for name in ("docs_rp", "docs_rp_inserts", "docs_rp_local", "docs_rp_rows"):
            db.run(f"DROP TABLE IF EXISTS {name}")


def test_every_shard_projects_its_own_rows(db: Database, tmp_path: Path) -> None:
    """With the setting as it is written, each shard inserts what its own view gives."""
    statements = written(tmp_path, "clickhouse", Wide("wide_all", features=[f"f{j}" for j in range(D)]), kind="table")
    fill = statements.pop("fill")
    cleanup = {"cleanup": statements.pop("cleanup")}
    run(db, statements)
    db.run(fill)
    run(db, cleanup)
    assert db.run_query("SELECT id, count() FROM docs_rp_local GROUP BY id ORDER BY id") == [
        (i, 2) for i in range(len(X))
    ]
    for name in ("docs_rp", "docs_rp_local"):
        db.run(f"DROP TABLE {name}")


def test_a_view_and_a_function_on_every_server(db: Database, tmp_path: Path) -> None:
    statements = written(tmp_path / "v", db.connection, "wide", kind="view")
    assert list(statements) == ["view"]
    assert statements["view"].startswith("CREATE VIEW `docs_rp` ON CLUSTER 'two_shards' AS\n")
    run(db, statements)
    assert_rows(cells(db.connector.fetch(db.connection, "SELECT * FROM docs_rp"), "columns", P.k), dict(enumerate(X)))
    db.run("DROP VIEW docs_rp")
    made = written(tmp_path / "f", db.connection, SOURCES["array"], kind="function")["function"]
    assert made == sqlrp.function_sql(P, "clickhouse", "docs_rp", n_features=D, cluster="two_shards")
    assert made.startswith("CREATE OR REPLACE FUNCTION `docs_rp` ON CLUSTER 'two_shards' AS (")


def test_a_function_is_made_and_dropped_on_every_server(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    execute, seen = type(db.connector).execute, list[str]()

    def alone(self: Any, connection: Any, sql: str) -> None:
        seen.append(sql)
        execute(self, connection, sql.replace(" ON CLUSTER 'two_shards'", ""))

    monkeypatch.setattr(type(db.connector), "execute", alone)
    sqlrp.create_function(P, db.connection, "spread_rp", n_features=D, cluster="two_shards")
    found = db.run_query("SELECT id, spread_rp(x) FROM array_all ORDER BY id")
    with pytest.raises(sqlrp.StatementError, match="not supported with remote tables"):  # the guide says so
        db.run_query("SELECT spread_rp(x) FROM array")
    assert_rows({key: list(z) for key, z in found}, dict(enumerate(X)))
    sqlrp.drop_function(db.connection, "spread_rp", cluster="two_shards")
    everywhere = [sql for sql in seen if "ON CLUSTER 'two_shards'" in sql]
    assert [sql.split(" `")[0] for sql in everywhere] == ["CREATE OR REPLACE FUNCTION", "DROP FUNCTION"]


def test_what_would_miss_rows_is_refused(db: Database, tmp_path: Path) -> None:
    for call in (
        lambda: sqlrp.materialize(P, "wide", db.connection, "seen", kind="view"),
        lambda: sqlrp.export(P, "wide", db.connection, tmp_path / "x", kind="materialized view"),
    ):
        with pytest.raises(UnsupportedError) as caught:
            call()
        assert_one_line(caught, "Distributed over the cluster two_shards", "cluster='two_shards'")
    for source, projection in ((SOURCES["long"], P), (Wide("wide"), sqlrp.BilinearPooling(k=3))):
        with pytest.raises(UnsupportedError, match="may lie on several servers of a cluster: use kind = 'view'"):
            sqlrp.export(projection, source, db.connection, tmp_path / "x", kind="table", cluster="two_shards")
    with pytest.raises(ParameterError, match="cluster = 'c' is for ClickHouse: for duckdb, leave it out"):
        sqlrp.export(P, Wide("t", features=["a"]), "duckdb", tmp_path / "x", cluster="c")
