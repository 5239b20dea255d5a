"""DuckDB and ClickHouse by the drivers that people have for them: the contract, and everything that writes.

A server of ClickHouse is the embedded one: clickhouse-connect runs on it, and the HTTP driver of clickhouse-sqlalchemy
asks a small server in front of it. The native driver's client is replaced by one that asks it, so only sqlrp's side of
that driver is tested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import clickhouse_connect  # it sets the level of another package's logger, which a test may not
import pyarrow as pa
import pytest
import sqlalchemy as sa
from cases import EVERY, uses
from clickhouses import Embedded, clickhouse_server
from contract import assert_contract, values
from cover import factors, pairwise
from databases import JIT, Database
from helpers import OUTPUTS, SHAPES, Cell, assert_one_line, cells

import sqlrp
from sqlrp import Array, SourceError, StatementError, UnreachableError, Wide

DUCKDB = ("duckdb-engine", "duckdb-engine's connection")
CLICKHOUSE = ("clickhousedb", "clickhousedb's connection", "clickhouse_connect", "clickhouse+http", "clickhouse+native")
DRIVERS = {**dict.fromkeys(DUCKDB, "duckdb"), **dict.fromkeys(CLICKHOUSE, "clickhouse")}
"""The drivers, each with its engine."""
P = sqlrp.SparseProjection(k=2, s=1, seed=1)

each = pytest.mark.parametrize("driver", DRIVERS)


@contextmanager
def connected(driver: str, folder: Path) -> Iterator[Any]:
    """A connection of the driver to a database of its own."""
    name, _, one = driver.partition("'")
    with ExitStack() as stack:
        if name == "clickhouse_connect":
            client = clickhouse_connect.get_client(interface="chdb", settings=dict.fromkeys(JIT, 0))
            stack.callback(client.close)
            yield client
            return
        if name == "duckdb-engine":
            url = f"duckdb:///{folder / 'test.db'}"
        elif name == "clickhousedb":
            url = "clickhousedb://?interface=chdb"
        else:
            embedded = Embedded()
            stack.callback(embedded.session.close)
            url = f"{name}://127.0.0.1:{stack.enter_context(clickhouse_server(embedded))}/default"
        made = sa.create_engine(url)
        stack.callback(made.dispose)
        if name == "clickhouse+native":
            from clickhouse_sqlalchemy.drivers.native import connector as native

            with patch.object(native.Connection, "transport_cls", embedded):
                made.connect().close()  # the pool keeps the connection
        yield stack.enter_context(made.connect()) if one else made


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Database]]:
    """The database of a driver, opened once."""
    found: dict[str, Database] = {}
    with ExitStack() as stack:

        def get(driver: str) -> Database:
            if driver not in found:
                connection = stack.enter_context(connected(driver, tmp_path_factory.mktemp("driver")))
                found[driver] = Database(DRIVERS[driver], connection, "main")
            return found[driver]

        yield get


@pytest.fixture
def db(driver: str, opened: Callable[[str], Database]) -> Database:
    return opened(driver)


LOWERINGS = ("inline", "indexed", "relational", "native")


@pairwise(
    factors(
        lambda driver, method, layout, lowering, **_: (
            uses(DRIVERS[driver], method, layout, lowering) and (lowering != "native" or driver in DUCKDB)
        ),
        driver=list(DRIVERS),
        method=["linear", "degree2"],
        layout=SHAPES,
        lowering=LOWERINGS,
        output=OUTPUTS,
        nulls=["propagate", "zero", "error"],
    )
)
def test_the_contract(
    opened: Callable[[str], Database], driver: str, method: str, layout: str, lowering: str, output: str, nulls: str
) -> None:
    db, projection = opened(driver), EVERY[method]

    def project(holes: bool) -> dict[Any, list[Cell]]:
        options: Any = {"output": output, "nulls": nulls, "lowering": lowering}
        result = sqlrp.project(projection, db.kept(layout, "double", holes), db.connection, **options)
        assert str(result.schema.field("id").type) == "int64"
        assert "double" in str(result.schema.field(result.num_columns - 1).type)
        return cells(result, output, projection.k, sparse=layout == "long")

    assert_contract({"method": method, "nulls": nulls, "kind": "double", "scale": True}, project)


def points(db: Database) -> Wide:
    """Three rows, one with a hole."""
    kind = {"duckdb": "DOUBLE", "clickhouse": "Float64"}[db.name]
    columns = [("id", "BIGINT"), ("a", kind), ("b", kind), ("c", kind)]
    return Wide(db.make("points", columns, [(1, 1.0, 2.0, 3.0), (2, 4.0, 5.0, 6.0), (3, None, 1.0, 1.0)]))


def kept(db: Database, table: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in db.run_query(f"SELECT id, z0, z1 FROM {table} ORDER BY id")]


def fresh(db: Database, source: Wide) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in sqlrp.project(P, source, db.connection).to_pylist())


@pytest.mark.parametrize(("driver", "track"), list(zip(DRIVERS, [None, "rows"] * 4, strict=False)))
def test_a_table_is_kept(db: Database, track: str | None) -> None:
    source = points(db)
    assert sqlrp.materialize(P, source, db.connection, into="small", track=track) == 3
    assert kept(db, "small") == fresh(db, source)
    db.run("INSERT INTO points VALUES (7, 1.0, 1.0, 1.0)")
    if track:
        db.run("ALTER TABLE points DELETE WHERE id = 1 SETTINGS mutations_sync = 2" if db.name == "clickhouse"
               else "DELETE FROM points WHERE id = 1")  # fmt: skip
    refreshed = sqlrp.refresh(db.connection, "small")
    assert refreshed == 1 if track is None else (refreshed.added, refreshed.removed) == (1, 1)
    assert kept(db, "small") == fresh(db, source)
    sqlrp.save(P, db.connection, "mine", replace=True)
    assert sqlrp.load(db.connection, "mine") == P
    db.run("DROP TABLE small")


@each
def test_one_row_of_the_source_changes_one_row(db: Database) -> None:
    """The other rows are not written again: a row of DuckDB keeps its number, and one of ClickHouse its part."""
    source = points(db)
    view, where = db.name == "clickhouse", "_part" if db.name == "clickhouse" else "rowid"
    db.run("DROP TABLE IF EXISTS followed")
    sqlrp.materialize(
        P, source, db.connection, into="followed", kind="view" if view else "table", track=None if view else "rows"
    )
    before = {tuple(row) for row in db.run_query(f"SELECT {where}, id, z0, z1 FROM followed")}
    db.run("INSERT INTO points VALUES (2, 0.5, 1.5, 2.5)" if view else "UPDATE points SET a = 0.5 WHERE id = 2")
    refreshed = sqlrp.refresh(db.connection, "followed") if not view else None
    after = {tuple(row) for row in db.run_query(f"SELECT {where}, id, z0, z1 FROM followed")}
    assert [row[1] for row in after - before] == [2]
    assert [row[1] for row in before - after] == ([] if view else [2])
    assert refreshed is None or (refreshed.added, refreshed.changed, refreshed.removed) == (0, 1, 0)
    assert sorted(map(repr, kept(db, "followed"))) == sorted(map(repr, fresh(db, source)))
    db.run("DROP TABLE followed")


@each
def test_a_function_is_left(db: Database) -> None:
    source = db.load("array", [[1.0, 2.0, 3.0], [0.5, 0.0, -1.0]], table="vectors")
    sqlrp.create_function(P, db.connection, "points_rp", n_features=3)
    found = [list(z) for (z,) in db.run_query("SELECT points_rp(x) FROM vectors ORDER BY id")]
    want = sqlrp.project(P, source, db.connection, output="array").sort_by("id").column("z").to_pylist()
    assert found == [pytest.approx(z) for z in want]
    sqlrp.drop_function(db.connection, "points_rp")


@each
def test_an_error_is_ours(db: Database) -> None:
    with pytest.raises(SourceError) as caught:
        sqlrp.project(P, "missing", db.connection)
    assert_one_line(caught, "missing")
    points(db)
    with pytest.raises(StatementError, match="a feature is NULL") as caught_:
        sqlrp.project(P, "points", db.connection, nulls="error")
    assert_one_line(caught_)


@pytest.mark.parametrize("url", ["clickhousedb://", "clickhouse+http://", "clickhouse+native://", "duckdb:///"])
def test_a_database_that_cannot_be_reached(url: str) -> None:
    place = "/no folder/x.db" if url.startswith("duckdb") else "someone:hush@127.0.0.1:1/shop"
    with pytest.raises(UnreachableError) as caught:
        sqlrp.project(P, "points", sa.create_engine(url + place))
    assert_one_line(caught, "cannot be reached")
    assert "hush" not in str(caught.value)


# -- DuckDB --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DUCKDB)
def test_rows_of_duckdb_are_arrow(db: Database) -> None:
    db.run("CREATE OR REPLACE TABLE floats AS SELECT 1 AS id, [1, 2, 3]::FLOAT[3] AS x, DATE '2024-01-01' AS day")
    found = sqlrp.project(P, Array("floats", "x", keep=["day"]), db.connection, output="array")
    assert found.schema == pa.schema([("id", pa.int32()), ("day", pa.date32()), ("z", pa.list_(pa.float32(), 2))])


@pytest.mark.parametrize("driver", DUCKDB[:1])
def test_functions_are_installed(db: Database) -> None:
    source = points(db)
    sqlrp.install(db.connection)
    call = "SELECT * FROM rp_project('points', k := 2, s := 1, seed := 1) ORDER BY id"
    assert [tuple(row) for row in db.run_query(call)] == fresh(db, source)
    sqlrp.uninstall(db.connection)
    assert not db.run_query("SELECT 1 FROM duckdb_functions() WHERE function_name = 'rp_project'")


@pytest.mark.parametrize("lowering", ["inline", "native"])
def test_everything_is_in_the_caller_s_transaction(tmp_path: Path, lowering: str) -> None:
    made = sa.create_engine(f"duckdb:///{tmp_path / 'x.db'}")
    with made.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE points AS SELECT range AS id, range::DOUBLE AS a, 1e0 AS b FROM range(3)"
        )
    with made.connect() as connection:
        connection.exec_driver_sql("INSERT INTO points VALUES (9, 1, 2)")
        assert sqlrp.project(P, "points", connection, lowering=lowering).num_rows == 4
        sqlrp.materialize(P, "points", connection, into="small", lowering=lowering)
        sqlrp.install(connection)
        assert connection.in_transaction()
        assert connection.exec_driver_sql("SELECT count(*) FROM small").scalar() == 4
        connection.rollback()
    with made.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM points").scalar() == 3
        found = connection.exec_driver_sql(
            "SELECT table_name FROM duckdb_tables() UNION ALL SELECT function_name FROM duckdb_functions() "
            "WHERE function_name = 'rp_project'"
        )
        assert [name for (name,) in found] == ["points"]
    with made.connect() as connection:  # without one, what sqlrp writes is committed
        sqlrp.materialize(P, "points", connection, into="small", lowering=lowering)
    with made.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM small").scalar() == 3
    made.dispose()


# -- ClickHouse ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", ["clickhouse_connect"])
def test_a_client_searches_by_a_bound_vector(db: Database) -> None:
    """A parameterised view takes the parameters of a client's query, and fails in sqlrp's words."""
    source, client = db.kept("wide", "double", False), db.connection
    projection = sqlrp.SparseProjection(k=64, s=1, seed=1)
    sqlrp.materialize(projection, source, client, "searched", output="bits", search="searching")
    x = values("double")[7]
    text = "SELECT * FROM searching(query = {x:Array(Float64)}, n = {n:UInt64})"
    want = sqlrp.search(client, "searched", x, n=3)
    found = client.query(text, parameters={"x": x.tolist(), "n": 3}).result_rows
    assert [row[0] for row in found] == want.column("id").to_pylist()
    assert found[0] == (7, 0.0)
    with pytest.raises(Exception, match=f"the vector has not {len(x)} elements"):
        client.query(text, parameters={"x": [1.0], "n": 3})
    sqlrp.drop_search(client, "searching")
    client.command("DROP TABLE searched")


@pytest.mark.parametrize("driver", CLICKHOUSE)
def test_a_text_may_be_longer_than_clickhouse_s_default(db: Database) -> None:
    """The settings that bound it go with the statement."""
    longer = f"SELECT 1 AS a{' ' * 300_000} FROM (SELECT 2) s"
    assert db.connector.fetch(db.connection, longer).column_names == ["a"]


@pytest.mark.parametrize("driver", CLICKHOUSE)
def test_the_planner_counts_on_the_threads_that_the_session_has(db: Database) -> None:
    ((said,),) = db.run_query("SELECT value FROM system.settings WHERE name = 'max_threads'")  # "2", or "'auto(2)'"
    explained = sqlrp.explain(P, points(db), db.connection)
    assert explained.plan.job.frame.threads == int(re.sub(r"\D", "", str(said)))


@pytest.mark.parametrize("driver", CLICKHOUSE)
def test_a_materialized_view_sees_what_is_inserted(db: Database, tmp_path: Path) -> None:
    source = points(db)
    db.run("DROP TABLE IF EXISTS seen")
    (path,) = sqlrp.export(P, source, db.connection, tmp_path / "view", into="seen", kind="materialized view")
    db.run(path.read_text().rstrip().rstrip(";"))
    db.run("INSERT INTO points VALUES (7, 1.0, 1.0, 1.0)")
    assert kept(db, "seen") == fresh(db, source)
    db.run("DROP TABLE seen")


def rows_of(table: Any) -> list[dict[str, Any]]:
    return sorted(table.to_pylist(), key=lambda row: int(row["id"]))


@pytest.mark.parametrize("driver", ["http", "native"])
def test_a_user_that_may_make_no_setting_reads(driver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting readonly = 1 forbids settings, so that rows are read plainly and evaluated here."""
    embedded = Embedded()
    with clickhouse_server(embedded) as port:
        made = sa.create_engine(f"clickhouse+{driver}://127.0.0.1:{port}/default")
        if driver == "native":
            from clickhouse_sqlalchemy.drivers.native import connector as native

            monkeypatch.setattr(native.Connection, "transport_cls", embedded)
        db = Database("clickhouse", made, "default")
        source = points(db)
        db.run("INSERT INTO points SELECT number + 9, number % 7, number % 5, number % 3 FROM numbers(9)")
        wanted = rows_of(sqlrp.project(P, source, made)), sqlrp.diagnose(P, source, made).recall
        embedded.session.query("SET readonly = 1")
        assert rows_of(sqlrp.project(P, source, made)) == wanted[0]
        assert sqlrp.diagnose(P, source, made).recall == wanted[1]
        with pytest.raises(sqlrp.StatementError, match="connect as a user without the setting readonly"):
            sqlrp.save(P, made, "new")
        made.dispose()
    embedded.session.close()


def test_an_http_session_keeps_temporary_tables(tmp_path: Path) -> None:
    """All statements of a call name one session, and the session of another call is another one."""
    embedded = Embedded()
    with clickhouse_server(embedded) as port:
        made = sa.create_engine(f"clickhouse+http://127.0.0.1:{port}/default")
        db = Database("clickhouse", made, "default")
        source = points(db)
        embedded.asked.clear()
        for _ in range(2):
            sqlrp.project(P, source, made, lowering="relational")
        sessions = [settings["session_id"] for settings in embedded.asked]
        assert len(sessions) > 4
        assert len(set(sessions)) == 2
        assert all(int(settings["max_query_size"]) > 262_144 for settings in embedded.asked)
        made.dispose()
    embedded.session.close()


@pytest.mark.parametrize(
    ("url", "package"),
    [("clickhousedb://h/x", "clickhouse-connect"), ("clickhouse+http://h/x", "clickhouse-sqlalchemy")],
)
def test_a_missing_driver_is_named(url: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise sa.exc.NoSuchModuleError("Can't load plugin")

    monkeypatch.setattr(sa, "create_engine", lambda _: missing(""))
    with pytest.raises(ImportError, match=f"needs the package {package}: pip install .*clickhouse"):
        sqlrp.connect(url)
