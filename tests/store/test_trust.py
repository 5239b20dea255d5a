"""Whom a call trusts: who may write the catalogue, or create objects where a function is made (SECURITY.md)."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cases import DATABASES as NAMES
from databases import Database as AnyDatabase
from databases import opened
from postgresql_functions import Database, with_images
from roles import as_role, is_plain, stranger

import sqlrp
from sqlrp import SourceError, SparseProjection
from sqlrp._core.errors import SqlrpError
from sqlrp._store import stored
from sqlrp._store.materialize import materialized

PROJECTION = SparseProjection(k=3, s=1)

CALLS: dict[str, Callable[[Any], object]] = {
    "check": sqlrp.check,
    "create_function": lambda c: sqlrp.create_function(PROJECTION, c, "rp_two", n_features=2),
    "created_functions": sqlrp.created_functions,
    "drop_function": lambda c: sqlrp.drop_function(c, "rp_one"),
    "load": lambda c: sqlrp.load(c, "mine"),
    "load_model": lambda c: sqlrp.load_model(c, "learnt"),
    "materialize": lambda c: sqlrp.materialize(PROJECTION, "images", c, "made", replace=True),
    "materialized": materialized,
    "refresh": lambda c: sqlrp.refresh(c, "made"),
    "save": lambda c: sqlrp.save(PROJECTION, c, "mine", source="images"),
    "save_model": lambda c: sqlrp.save_model(sqlrp.learn(PROJECTION, "images", c, target="a"), c, "learnt"),
    "saved": sqlrp.saved,
    "saved_models": sqlrp.saved_models,
    "search": lambda c: sqlrp.search(c, "made", [1.0, 2.0]),
    "open_search": lambda c: sqlrp.open_search(c, "made")([1.0, 2.0]),
    "search_sql": lambda c: sqlrp.search_sql(c, "made", [1.0, 2.0]),
    "neighbours_sql": lambda c: sqlrp.neighbours_sql(c, "made"),
    "create_search": lambda c: sqlrp.create_search(c, "made", "made_search"),
    "drop_search": lambda c: sqlrp.drop_search(c, "made_search"),
    "uninstall": sqlrp.uninstall,
}
"""Every call that reads or writes the catalogue; `install` makes one, and reads no row of PostgreSQL's."""


@pytest.fixture
def kept() -> Iterator[Database]:
    """A schema with something of every kind in its catalogue."""
    with with_images() as db:
        c = db.connection
        sqlrp.install(c)
        sqlrp.save(PROJECTION, c, "mine", source="images")
        sqlrp.materialize(PROJECTION, "images", c, "made")
        sqlrp.create_function(PROJECTION, c, "rp_one", n_features=2)
        CALLS["save_model"](c)
        yield db


def test_every_call_that_uses_the_catalogue_is_listed() -> None:
    """A new one is asked about here."""
    known = {
        name
        for name in sqlrp.__all__
        for made in [getattr(sqlrp, name)]
        if inspect.isfunction(made) and made.__module__.startswith("sqlrp._store")
        if "connection" in inspect.signature(made).parameters
    }
    assert known - {"install"} <= CALLS.keys()


@pytest.mark.parametrize("granted", ["UPDATE", "INSERT", "UPDATE (definition)"])
def test_a_catalogue_that_others_may_write_is_refused_by_every_call(kept: Database, granted: str) -> None:
    with stranger(kept, creates=False) as name:
        kept.run(f"GRANT SELECT, {granted} ON sqlrp_catalogue TO {name}")
        for call, run in CALLS.items():
            with pytest.raises(SqlrpError) as caught:
                run(kept.connection)
            assert f"may be written by {name}" in str(caught.value), call
            assert f"FROM {name}, or, if you trust them, SET sqlrp.trust_schema = on" in str(caught.value), call
        said = kept.refused("project_with('mine', 'images')")
        assert f"{name} may write it" in said.message_primary


def test_roles_that_the_caller_trusts_may_write_the_catalogue(kept: Database) -> None:
    """By a setting, or as they may act as the caller, or as the owner of the schema."""
    with stranger(kept, creates=False) as name, stranger(kept, creates=False) as owner:
        kept.run(f"GRANT INSERT, UPDATE ON sqlrp_catalogue TO {name}; SET sqlrp.trust_schema = on")
        assert sqlrp.check(kept.connection) == []
        kept.run("RESET sqlrp.trust_schema")
        with pytest.raises(SourceError, match=name):
            sqlrp.check(kept.connection)
        kept.run(f"GRANT {owner} TO {name}; ALTER SCHEMA {kept.schema} OWNER TO {owner}")
        assert sqlrp.check(kept.connection) == []
        kept.run("GRANT INSERT ON sqlrp_catalogue TO PUBLIC")
        with pytest.raises(SourceError, match="may be written by PUBLIC"):
            sqlrp.check(kept.connection)
        kept.run(f"ALTER SCHEMA {kept.schema} OWNER TO CURRENT_USER")


def test_a_record_that_another_role_wrote_is_not_refreshed(kept: Database) -> None:
    """It points the record at a view of its own, whose function runs with the rights of the caller."""
    with stranger(kept, creates=False) as name:
        kept.run(f"GRANT SELECT, UPDATE ON sqlrp_catalogue TO {name}; GRANT SELECT ON images TO {name}")
        rows = f"SELECT id, a, b, label || {name}.rise() AS label FROM {kept.schema}.images"
        view = f"CREATE VIEW {name}.images AS {rows}"
        as_role(kept, name, view, f"GRANT SELECT ON {name}.images TO PUBLIC")
        ((text,),) = kept.run("SELECT definition FROM sqlrp_catalogue WHERE kind = 'materialized'")
        values = {key: value for key, value in json.loads(text).items() if key != "checksum"}
        values["source"]["table"] = f"{name}.images"
        values["source"]["keep"] = ["label"]
        changed = stored.sealed(values).replace("'", "''")
        as_role(kept, name, f"UPDATE sqlrp_catalogue SET definition = '{changed}' WHERE kind = 'materialized'")
        for run in (
            lambda: sqlrp.refresh(kept.connection, "made"),
            lambda: sqlrp.refresh(kept.connection, "made", everything=True),
            lambda: sqlrp.check(kept.connection, repair=True),
        ):
            with pytest.raises(SourceError, match=f"may be written by {name}"):
                run()
            assert is_plain(kept, name)


# -- what tells that a row was changed -------------------------------------------------------------------


@pytest.fixture
def db(name: str, tmp_path: Path) -> Iterator[AnyDatabase]:
    yield from opened(name, tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_rows_without_a_format_or_a_checksum_are_refused(db: AnyDatabase, name: str) -> None:
    """Neither stands for an older release: every release wrote both."""
    source = db.load("wide", [[1.0, 2.0], [3.0, 5.0]])
    sqlrp.materialize(PROJECTION, source, db.connection, "made")
    sqlrp.save(PROJECTION, db.connection, "mine")
    found = db.connector.fetch(db.connection, "SELECT definition FROM sqlrp_catalogue WHERE kind = 'materialized'")
    values = json.loads(found.column(0)[0].as_py())
    del values["checksum"]
    text = db.engine.string(json.dumps(values | {"nulls": "zero"}))
    db.run("DELETE FROM sqlrp_catalogue WHERE kind = 'format'")
    db.run(db.engine.updating("sqlrp_catalogue", f"definition = {text}", "kind = 'materialized'"))
    for run in (
        lambda: sqlrp.refresh(db.connection, "made"),
        lambda: sqlrp.load(db.connection, "mine"),
        lambda: sqlrp.save(PROJECTION, db.connection, "other"),
        lambda: materialized(db.connection),
    ):
        with pytest.raises(SourceError, match="rows and no format"):
            run()
    assert [finding.kind for finding in sqlrp.check(db.connection)] == ["format", "table"]
    sqlrp.check(db.connection, repair=True)
    assert sqlrp.load(db.connection, "mine") == PROJECTION
    with pytest.raises(SourceError, match="was changed in the catalogue"):
        sqlrp.refresh(db.connection, "made")


def test_a_text_without_a_digest_is_not_run(kept: Database) -> None:
    ((text,),) = kept.run("SELECT definition FROM sqlrp_catalogue WHERE kind = 'text'")
    values = json.loads(text)
    del values["digest"]
    changed = json.dumps(values).replace("'", "''")
    kept.run(f"UPDATE sqlrp_catalogue SET definition = '{changed}' WHERE kind = 'text'")
    assert kept.refused("project_with('mine', 'images')").sqlstate == "XX001"
    assert [finding.kind for finding in sqlrp.check(kept.connection)] == ["projection"]


# -- functions of PostgreSQL -----------------------------------------------------------------------------


def test_a_function_is_not_made_where_others_may_create_one(kept: Database) -> None:
    """A function for the very type of an argument would be called in its place."""
    c = kept.connection
    with stranger(kept) as name:
        for named in ("docs_rp", f"{kept.schema}.docs_rp"):
            with pytest.raises(SourceError, match=rf"others may create objects in schema .* \({name}\).*trust_schema"):
                sqlrp.create_function(PROJECTION, c, named, n_features=2)
        with pytest.warns(sqlrp.SqlrpWarning, match=name):
            sqlrp.create_function(PROJECTION, c, "trusting", n_features=2, trust_schema=True)
        kept.run("SET sqlrp.trust_schema = on")
        with pytest.warns(sqlrp.SqlrpWarning, match=name):
            sqlrp.create_function(PROJECTION, c, "set_to_trust", n_features=2)
        kept.run("RESET sqlrp.trust_schema")
        trap = f"RETURNS text LANGUAGE sql AS 'SELECT {name}.rise()'"
        as_role(kept, name, f"CREATE FUNCTION {kept.schema}.docs_rp(numeric[]) {trap}")
        kept.run(f"REVOKE CREATE ON SCHEMA {kept.schema} FROM {name}")
        with pytest.raises(SourceError, match=rf"docs_rp\(numeric\[\]\) belongs to role {name}"):
            sqlrp.create_function(PROJECTION, c, "docs_rp", n_features=2)
        kept.run(f"GRANT CREATE ON SCHEMA {kept.schema} TO PUBLIC")
        with pytest.raises(SourceError, match=r"\(PUBLIC\)"):
            sqlrp.create_function(PROJECTION, c, "other", n_features=2)
        assert set(sqlrp.created_functions(c)) == {"rp_one", "trusting", "set_to_trust"}
        assert is_plain(kept, name)


def test_a_function_finds_no_operator_of_another_role(kept: Database) -> None:
    """An operator for the very types of a product would be preferred to pg_catalog's, wherever on the search_path."""
    want = kept.run("SELECT rp_one(ARRAY[1, 2])")
    with stranger(kept) as name:
        for left, operator, right in (
            ("double precision", "*", "double precision"),
            ("double precision[]", "<>", "integer"),
            ("text", "||", "text"),
            ("integer", "<>", "integer"),
            ("integer", ">", "integer"),
        ):
            trap = f"{name}.trap"
            body = f"$$ BEGIN PERFORM {name}.rise(); RETURN NULL; END $$"
            as_role(
                kept,
                name,
                f"CREATE OR REPLACE FUNCTION {trap}({left}, {right}) RETURNS boolean LANGUAGE plpgsql AS {body}",
                f"CREATE OPERATOR {name}.{operator} (LEFTARG = {left}, RIGHTARG = {right}, FUNCTION = {trap})",
            )
        for function in ("array_position", "cardinality", "array_ndims", "clock_timestamp"):
            arguments = {"array_position": "double precision[], double precision", "clock_timestamp": ""}
            given = arguments.get(function, "double precision[]")
            body = f"$$ BEGIN PERFORM {name}.rise(); RETURN 1; END $$"
            as_role(
                kept, name, f"CREATE FUNCTION {name}.{function}({given}) RETURNS integer LANGUAGE plpgsql AS {body}"
            )
        kept.run(f"SET search_path = {name}, pg_catalog, {kept.schema}")
        assert kept.run("SELECT rp_one(ARRAY[1, 2])") == want
        assert is_plain(kept, name)
        kept.run(f"SET search_path = {kept.schema}")


def test_trust_in_a_schema_is_for_postgresql(tmp_path: Path) -> None:
    for db in opened("duckdb", tmp_path):
        with pytest.raises(sqlrp.ParameterError, match="trust_schema = True is for PostgreSQL"):
            sqlrp.create_function(PROJECTION, db.connection, "rp", n_features=2, trust_schema=True)


def test_what_the_server_lets_a_role_do_counts_and_not_only_grants(kept: Database) -> None:
    """The roles are made in a transaction that is rolled back: others on this server would refuse them, too."""
    c = kept.connection
    member, caller = (f"sqlrp_{what}_{kept.schema[-12:]}" for what in ("member", "caller"))
    for granted in (
        f"GRANT pg_write_all_data TO {member}",
        f"ALTER ROLE {member} NOINHERIT; GRANT pg_write_all_data TO {member}",
        f"CREATE ROLE {member}_group; GRANT INSERT ON sqlrp_catalogue TO {member}_group; "
        f"GRANT {member}_group TO {member}",
        f"GRANT UPDATE ON sqlrp_catalogue TO pg_monitor; GRANT pg_monitor TO {member}",
        f"ALTER TABLE sqlrp_catalogue OWNER TO {member}; REVOKE ALL ON sqlrp_catalogue FROM {member}",
    ):
        kept.run(
            f"BEGIN; CREATE ROLE {member} LOGIN; CREATE ROLE {caller}; GRANT USAGE ON SCHEMA {kept.schema} TO {caller}"
        )
        kept.run(f"GRANT SELECT ON images TO {caller}; {granted}")
        try:
            with pytest.raises(SourceError, match=f"{member}|belongs to another role"):
                sqlrp.saved(c)
            kept.run(f"SAVEPOINT asked; SET ROLE {caller}")
            assert member in kept.refused("project_with('mine', 'images')").message_primary, granted
        finally:
            kept.run("ROLLBACK")
    for granted in (f"GRANT pg_monitor TO {member}", f"ALTER SCHEMA {kept.schema} OWNER TO {member}"):
        kept.run(f"BEGIN; CREATE ROLE {member} LOGIN NOINHERIT; GRANT CREATE ON SCHEMA {kept.schema} TO pg_monitor")
        kept.run(granted)
        try:
            for made in (
                lambda: sqlrp.create_function(PROJECTION, c, "rp_two", n_features=2),
                lambda: sqlrp.install(c),
            ):
                with pytest.raises(SqlrpError, match=rf"others may create objects in schema .*\({member}\)"):
                    made()
        finally:
            kept.run("ROLLBACK")
    assert sqlrp.check(c) == []
    assert len(kept.z("project_with('mine', 'images')")) == 9
