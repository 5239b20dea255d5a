"""Objects of other users in a database run no code with the rights of the user of sqlrp (SECURITY.md)."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Callable, Iterator

import pytest
import sqlalchemy as sa
from databases import Database as AnyDatabase
from databases import psql, server
from pages import ROOT
from postgresql_functions import FILE, METHODS, Database, opened, with_images
from roles import as_role, is_plain, stranger

import sqlrp
from sqlrp._core.errors import SourceError, SqlrpError, StatementError
from sqlrp._store.materialize import materialized

PROJECTION = sqlrp.SparseProjection(k=3, s=1)


@pytest.fixture
def fresh() -> Iterator[Database]:
    with with_images() as db:
        yield db


CATALOGUE = (
    "CREATE TABLE sqlrp_catalogue (kind TEXT NOT NULL, name TEXT NOT NULL, definition TEXT{default}, fingerprint TEXT, "
    "version TEXT, PRIMARY KEY (kind, name))"
)
PLAIN = CATALOGUE.format(default="")
TRAPS: dict[str, tuple[str, ...]] = {
    "table": (PLAIN,),
    "trigger": (PLAIN, "CREATE TRIGGER t BEFORE INSERT ON sqlrp_catalogue EXECUTE FUNCTION {role}.rise_trigger()"),
    "rule": (PLAIN, "CREATE RULE r AS ON INSERT TO sqlrp_catalogue DO ALSO SELECT {role}.rise()"),
    "view": (
        "CREATE VIEW sqlrp_catalogue AS SELECT CAST('projection' AS text) AS kind, {role}.rise() AS name, "
        "CAST(NULL AS text) AS definition, CAST(NULL AS text) AS fingerprint, CAST(NULL AS text) AS version",
    ),
    "row security": (
        PLAIN,
        "CREATE POLICY p ON sqlrp_catalogue USING ({role}.rise() = '')",
        "ALTER TABLE sqlrp_catalogue ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE sqlrp_catalogue FORCE ROW LEVEL SECURITY",
    ),
    "default": (PLAIN, "ALTER TABLE sqlrp_catalogue ALTER fingerprint SET DEFAULT {role}.rise()"),
    "check": (PLAIN, "ALTER TABLE sqlrp_catalogue ADD CHECK ({role}.rise() = '')"),
    "index": (
        PLAIN,
        "CREATE FUNCTION {role}.sure() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT {role}.rise() $$",
        "CREATE INDEX ON sqlrp_catalogue ((name || {role}.sure()))",
    ),
    "child": (PLAIN, "CREATE TABLE {role}.child () INHERITS (sqlrp_catalogue)"),
    "domain": (
        "CREATE DOMAIN {role}.words AS text CHECK ({role}.rise() = '')",
        "CREATE TABLE sqlrp_catalogue (kind TEXT, name TEXT, definition {role}.words, fingerprint TEXT, version TEXT)",
    ),
}


def through_psql(db: Database) -> None:
    url = server("postgresql")
    host = str(url.host or url.query.get("host", "127.0.0.1"))
    command = [psql(), "-X", "-q", "-h", host, "-p", str(url.port or 5432), "-U", str(url.username), str(url.database)]
    script = f"SET search_path = {db.schema};\n\\i {FILE}\n"
    done = subprocess.run(command, input=script, capture_output=True, text=True, check=False)
    if "ERROR" in done.stderr:
        raise StatementError("", done.stderr)


USES: dict[str, Callable[[Database], object]] = {
    "install": lambda db: sqlrp.install(db.connection),
    "install, trusting": lambda db: sqlrp.install(db.connection, trust_schema=True),
    "psql": through_psql,
    "uninstall": lambda db: sqlrp.uninstall(db.connection),
    "save": lambda db: sqlrp.save(PROJECTION, db.connection, "mine", source="images"),
    "load": lambda db: sqlrp.load(db.connection, "mine"),
    "saved": lambda db: sqlrp.saved(db.connection),
    "materialize": lambda db: sqlrp.materialize(PROJECTION, "images", db.connection, "made"),
    "refresh": lambda db: sqlrp.refresh(db.connection, "made"),
    "materialized": lambda db: materialized(db.connection),
}


@pytest.mark.filterwarnings("ignore:others may create objects")
@pytest.mark.parametrize("trap", TRAPS)
def test_a_catalogue_of_another_role_is_refused(fresh: Database, trap: str) -> None:
    """Neither its text nor its trigger, rule, policy, default, check, index, child or domain is taken over."""
    with stranger(fresh) as name:
        as_role(fresh, name, *(statement.format(role=name) for statement in TRAPS[trap]))
        for use, call in USES.items():
            with pytest.raises(SqlrpError) as caught:
                call(fresh)
            assert "sqlrp_catalogue" in str(caught.value) or "others may create" in str(caught.value), use
            assert is_plain(fresh, name), use
        assert fresh.run(f"SELECT 1 FROM pg_proc WHERE pronamespace = '{fresh.schema}'::regnamespace") == []


def test_what_is_put_on_our_own_catalogue_is_refused(fresh: Database) -> None:
    """A role with the right to make triggers on our table."""
    sqlrp.save(PROJECTION, fresh.connection, "mine", source="images")
    with stranger(fresh) as name:
        fresh.run(f"GRANT TRIGGER ON sqlrp_catalogue TO {name}")
        as_role(fresh, name, TRAPS["trigger"][1].format(role=name))
        for call in USES.values():
            with pytest.raises(SqlrpError):
                call(fresh)
            assert is_plain(fresh, name)


def test_a_schema_where_others_may_create_is_refused(fresh: Database) -> None:
    with stranger(fresh) as name:
        for install in (USES["install"], USES["psql"]):
            with pytest.raises(StatementError, match=rf"others may create objects in schema .* \({name}\)"):
                install(fresh)
        assert (
            fresh.run(
                "SELECT 1 FROM pg_class WHERE relname = 'sqlrp_catalogue' "
                f"AND relnamespace = '{fresh.schema}'::regnamespace"
            )
            == []
        )
        with pytest.warns(sqlrp.SqlrpWarning, match=name):
            sqlrp.install(fresh.connection, trust_schema=True)
        assert len(fresh.z("rp_project('images', k => 2)")) == 9
        assert fresh.run("SELECT current_setting('sqlrp.trust_schema', true)") in (
            [("",)],
            [("off",)],
        )  # a setting of a transaction leaves an empty one
    fresh.run(f"GRANT CREATE ON SCHEMA {fresh.schema} TO PUBLIC")
    with pytest.raises(StatementError, match=r"\(PUBLIC\).*REVOKE CREATE ON SCHEMA .* FROM PUBLIC"):
        sqlrp.install(fresh.connection)


def test_the_owner_of_the_database_and_members_of_the_role_are_no_others(fresh: Database) -> None:
    """Whoever may act as the role that installs gains nothing."""
    with stranger(fresh, creates=False) as owner, stranger(fresh, creates=False) as member:
        fresh.run(f"GRANT {owner} TO {member}; ALTER SCHEMA {fresh.schema} OWNER TO {owner}")
        fresh.run(f"GRANT CREATE ON SCHEMA {fresh.schema} TO {member}")
        fresh.run(f"SET ROLE {owner}")
        sqlrp.install(fresh.connection)
        sqlrp.uninstall(fresh.connection)
        fresh.run(f"SET ROLE {member}")
        with pytest.raises(StatementError, match=owner):
            sqlrp.install(fresh.connection)
        fresh.run(f"RESET ROLE; ALTER SCHEMA {fresh.schema} OWNER TO CURRENT_USER")


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        (
            "function",
            "CREATE FUNCTION sqlrp_whole(text, bigint, integer) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'",
        ),
        ("function", "CREATE FUNCTION rp_project(text, integer) RETURNS text LANGUAGE sql AS 'SELECT ''x'''"),
        ("type", "CREATE TYPE sqlrp_projected AS (key text, kept jsonb, z double precision[])"),
    ],
)
def test_functions_and_types_of_another_role_are_refused(fresh: Database, kind: str, made: str) -> None:
    with stranger(fresh) as name:
        as_role(fresh, name, made)
        fresh.run(f"REVOKE CREATE ON SCHEMA {fresh.schema} FROM {name}")
        with pytest.raises(StatementError, match=f"(relation|{kind}) .* belongs to role {name}"):
            sqlrp.install(fresh.connection)


OPERATORS = [
    ("+", "double precision", "integer"),
    ("*", "double precision", "integer"),
    ("*", "bigint", "integer"),
    ("+", "bigint", "integer"),
    ("%", "bigint", "integer"),
    ("/", "double precision", "bigint"),
    ("<", "bigint", "numeric"),
    ("||", "text", "text"),
]


@pytest.mark.filterwarnings("ignore:others may create objects")
def test_operators_of_another_role_are_not_found(fresh: Database) -> None:
    """One for the very types of the arguments would be preferred to pg_catalog's, wherever on the search_path it is."""
    sqlrp.install(fresh.connection)
    calls = [call.format("'images'") for call, _ in METHODS.values()]
    want = [fresh.z(call) for call in calls]
    with stranger(fresh) as name:
        traps = []
        for i, (operator, left, right) in enumerate(OPERATORS):
            traps.append(
                f"CREATE FUNCTION trap{i}(a {left}, b {right}) RETURNS {left} LANGUAGE plpgsql AS "
                f"$$ BEGIN PERFORM {name}.rise(); RETURN a; END $$"
            )
            traps.append(f"CREATE OPERATOR {operator} (LEFTARG = {left}, RIGHTARG = {right}, FUNCTION = trap{i})")
        traps.append(
            "CREATE FUNCTION format(text, bigint) RETURNS text LANGUAGE plpgsql AS "
            f"$$ BEGIN PERFORM {name}.rise(); RETURN ''; END $$"
        )
        as_role(fresh, name, *traps)
        sqlrp.install(fresh.connection, trust_schema=True)
        assert is_plain(fresh, name)
        for path in (fresh.schema, f"{fresh.schema}, pg_catalog"):
            fresh.run(f"SET search_path = {path}")
            for call, expected in zip(calls, want, strict=True):
                assert {k: z.tolist() for k, z in fresh.z(call).items()} == {k: z.tolist() for k, z in expected.items()}
            assert is_plain(fresh, name)
            for call in (
                lambda: sqlrp.project(PROJECTION, "images", fresh.connection),
                lambda: sqlrp.materialize(PROJECTION, "images", fresh.connection, "made"),
            ):
                with pytest.raises(SourceError, match=f"of role {name} in schema .* PostgreSQL's own"):
                    call()
            assert is_plain(fresh, name)
            assert fresh.run("SHOW search_path") == [(path,)]


def test_functions_find_nothing_but_pg_catalog(fresh: Database) -> None:
    """Every function that is installed, so that a new one cannot be forgotten."""
    sqlrp.install(fresh.connection)
    paths = fresh.run(
        "SELECT DISTINCT (SELECT c FROM unnest(proconfig) c WHERE c LIKE 'search_path=%') FROM pg_proc "
        f"WHERE pronamespace = '{fresh.schema}'::regnamespace"
    )
    assert paths == [("search_path=pg_catalog, pg_temp",)]


def test_the_path_is_put_back_and_new_tables_go_where_they_went(fresh: Database) -> None:
    fresh.run(f"SET search_path = {fresh.schema}, pg_catalog")
    sqlrp.materialize(PROJECTION, "images", fresh.connection, "made")
    assert fresh.run(f"SELECT count(*) FROM {fresh.schema}.made") == [(9,)]
    assert fresh.run("SHOW search_path") == [(f"{fresh.schema}, pg_catalog",)]


def test_project_with_runs_no_text_that_others_may_write(fresh: Database) -> None:
    sqlrp.install(fresh.connection)
    sqlrp.save(PROJECTION, fresh.connection, "mine", source="images")
    assert len(fresh.z("project_with('mine', 'images')")) == 9
    with stranger(fresh, creates=False) as name:
        for granted in ("UPDATE", "INSERT", "UPDATE (definition)"):
            fresh.run(f"GRANT SELECT, {granted} ON sqlrp_catalogue TO {name}")
            said = fresh.refused("project_with('mine', 'images')")
            assert f"and {name} may write it: REVOKE INSERT, UPDATE" in said.message_primary
            with pytest.raises(sa.exc.SQLAlchemyError):
                fresh.run("SELECT project_with_sql('mine', 'images')")
            fresh.run("SET sqlrp.trust_schema = on")
            assert len(fresh.z("project_with('mine', 'images')")) == 9
            fresh.run(f"SET sqlrp.trust_schema = off; REVOKE ALL ON sqlrp_catalogue FROM {name}")
        assert len(fresh.z("project_with('mine', 'images')")) == 9
        fresh.run(f"GRANT SELECT ON images TO {name}")
        as_role(fresh, name, "SELECT * FROM project_with('mine', 'images')")


def test_project_with_runs_no_catalogue_that_took_the_place_of_ours(fresh: Database) -> None:
    """Its owner dropped ours, or it came after uninstall."""
    sqlrp.install(fresh.connection)
    with stranger(fresh) as name:
        for trap in ("table", "view", "row security", "child"):
            fresh.run("DROP TABLE sqlrp_catalogue")
            as_role(fresh, name, *(statement.format(role=name) for statement in TRAPS[trap]))
            said = fresh.refused("project_with('mine', 'images')")
            assert said.sqlstate == "42501", trap
            assert is_plain(fresh, name)
            fresh.run(f"DROP {'VIEW' if trap == 'view' else 'TABLE'} sqlrp_catalogue CASCADE")
            fresh.run(PLAIN)


def test_a_reader_may_load_what_the_owner_of_the_schema_saved(fresh: Database) -> None:
    sqlrp.install(fresh.connection)
    sqlrp.save(PROJECTION, fresh.connection, "mine", source="images")
    with stranger(fresh, creates=False) as name:
        fresh.run(f"SET ROLE {name}")
        assert sqlrp.load(fresh.connection, "mine").k == PROJECTION.k
        fresh.run("RESET ROLE")


def test_an_error_has_one_line_of_context(fresh: Database) -> None:
    """psql prints one line for each function that an error went through, and the statement that it was in."""
    sqlrp.install(fresh.connection)
    fresh.run("CREATE TABLE ragged AS SELECT 1 AS id, ARRAY[1, 2] AS x UNION ALL SELECT 2, ARRAY[1]")
    fresh.run("CREATE VIEW failing AS SELECT id, 1 / (a - a) AS a FROM images")
    for call in (
        "rp_project('images', k => 0)",
        "rp_project_sql('images', k => 0)",
        "rp_project('images', s => 'many')",
        "pk_project('images', p => 1)",
        "rp_project('ragged', array_column => 'x')",
        "rp_project('failing')",
        "project_with('nope', 'images')",
        "project_with_sql('nope', 'images')",
    ):
        said = fresh.refused(call)
        assert len((said.context or "").splitlines()) <= 1, call


def test_functions_run_in_a_statement_that_workers_share(fresh: Database) -> None:
    sqlrp.install(fresh.connection)
    fresh.run("CREATE TABLE big AS SELECT CAST(i AS text) AS i FROM generate_series(1, 20000) i")
    for setting in ("parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size"):
        fresh.run(f"SET {setting} = 0")
    assert fresh.run("SELECT count(*) FROM big JOIN rp_project('images', k => 1) p ON p.key = big.i") == [(9,)]


def test_several_install_at_once() -> None:
    failed: list[BaseException] = []
    with opened() as db:
        engine = sa.create_engine(server("postgresql"))

        def work() -> None:
            try:
                for _ in range(5):
                    sqlrp.install(engine, db.schema)
                    sqlrp.uninstall(engine, db.schema)
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        engine.dispose()
        assert failed == []
        assert db.run(f"SELECT 1 FROM pg_class WHERE relnamespace = '{db.schema}'::regnamespace") == []


def test_only_the_task_of_a_worker_is_unpickled() -> None:
    """By what sends it. No other module has a way to unpickle."""
    unpickles = re.compile(r"pickle\.loads?\b|Unpickler|allow_pickle=True|joblib|read_pickle|marshal|shelve|dill")
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "sqlrp").rglob("*.py")
        if unpickles.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"sqlrp/_core/shipped_code.py"}


ELSEWHERE = {
    "sqlite": ["TRIGGER", "VIEW"],
    "mariadb": ["TRIGGER", "VIEW"],
    "mysql": ["TRIGGER", "VIEW"],
    "duckdb": ["VIEW"],
    "clickhouse": ["VIEW"],
}


@pytest.mark.parametrize(("name", "trap"), [(name, trap) for name, traps in ELSEWHERE.items() for trap in traps])
def test_a_catalogue_that_runs_code_is_refused_on_other_engines(db: AnyDatabase, name: str, trap: str) -> None:
    db.run("DROP TABLE IF EXISTS sqlrp_catalogue")
    source = db.load("wide", [[1.0, 2.0], [3.0, 5.0]])
    if trap == "VIEW":
        columns = "kind VARCHAR(9), name VARCHAR(9), definition TEXT, fingerprint TEXT, version TEXT"
        db.run(f"CREATE TABLE theirs ({columns}){' ENGINE = Memory' if name == 'clickhouse' else ''}")
        db.run("CREATE VIEW sqlrp_catalogue AS SELECT * FROM theirs")
    else:
        sqlrp.save(PROJECTION, db.connection, "mine")
        db.run("CREATE TABLE theirs (n INTEGER)")
        body = {"sqlite": "BEGIN INSERT INTO theirs VALUES (1); END"}.get(name, "INSERT INTO theirs VALUES (1)")
        each = {"sqlite": ""}.get(name, "FOR EACH ROW ")
        db.run(f"CREATE TRIGGER sqlrp_trap AFTER INSERT ON sqlrp_catalogue {each}{body}")
    try:
        for call in (
            lambda: sqlrp.save(PROJECTION, db.connection, "mine"),
            lambda: sqlrp.load(db.connection, "mine"),
            lambda: sqlrp.saved(db.connection),
            lambda: sqlrp.materialize(PROJECTION, source, db.connection, "made"),
            lambda: sqlrp.refresh(db.connection, "made"),
        ):
            with pytest.raises(SourceError, match=r"sqlrp_catalogue (is no plain table|has a trigger): drop it"):
                call()
        assert db.connector.fetch(db.connection, "SELECT count(*) FROM theirs").column(0).to_pylist() == [0]
    finally:
        db.run(f"DROP {'VIEW' if trap == 'VIEW' else 'TABLE'} sqlrp_catalogue")
        db.run("DROP TABLE theirs")
