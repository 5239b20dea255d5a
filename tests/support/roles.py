"""Roles of PostgreSQL that are not the user of sqlrp, for the tests of rights."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from postgresql_functions import Database


@contextmanager
def stranger(db: Database, *, creates: bool = True) -> Iterator[str]:
    """A plain role that may create objects in the schema, with a function of its own that makes it a superuser."""
    name = f"sqlrp_role_{uuid.uuid4().hex[:12]}"
    db.run(f"CREATE ROLE {name}")
    try:
        db.run(f"GRANT USAGE {', CREATE' if creates else ''} ON SCHEMA {db.schema} TO {name}")
        db.run(f"CREATE SCHEMA {name} AUTHORIZATION {name}")
        db.run(f"GRANT USAGE ON SCHEMA {name} TO PUBLIC")
        as_role(
            db,
            name,
            f"CREATE FUNCTION {name}.rise() RETURNS text LANGUAGE plpgsql AS $$ BEGIN "
            f"IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN "
            f"EXECUTE 'ALTER ROLE {name} SUPERUSER'; END IF; RETURN ''; END $$",
            f"CREATE FUNCTION {name}.rise_trigger() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN PERFORM {name}.rise(); RETURN NEW; END $$",
        )
        yield name
    finally:
        db.run(f"RESET ROLE; DROP OWNED BY {name} CASCADE; DROP ROLE {name}")


def as_role(db: Database, name: str, *statements: str) -> None:
    db.run(f"SET ROLE {name}")
    try:
        for statement in statements:
            db.run(statement)
    finally:
        db.run("RESET ROLE")


def is_plain(db: Database, name: str) -> bool:
    (rises,) = db.run(f"SELECT rolsuper FROM pg_roles WHERE rolname = '{name}'")[0]
    return not rises
