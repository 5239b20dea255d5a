"""Checks that a call left a complete state: a database and a folder, compared with before and after."""

from __future__ import annotations

import hashlib
import itertools
import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import sqlalchemy as sa
from databases import FAMILY, Database

import sqlrp
from sqlrp._core.errors import SqlrpError
from sqlrp._store.materialize import materialized

Facts = dict[str, Any]

_MACHINERY = re.compile(r"^(table|index|type) sqlrp_|[ /]\.sqlrp_")
"""Names of what no user reads: the catalogue, what stands beside a table or a file for a while."""
_CHECK = re.compile(r'"checksum": "\w+"|\bsqlrp_[0-9a-f]{32}\b|\b[0-9a-f]{16}-[0-9a-f]{32}\b')
"""A checksum of a text with a time in it, random marks, and the digest of functions, which are copied or made."""
_NUMBER = re.compile(r"CAST\(([\d.]+) AS DOUBLE\)|\b(\d[\d.]*e\+?\d+)")
_MARK = re.compile(r"\bsqlrp_[0-9a-f]{32}\b")  # of a table, which is random
_PLACE = re.compile(r"/[^\s\"']*/(clean|run\d+)(?=/)")
_MADE = re.compile(r'^CREATE (?:UNIQUE )?([A-Z]+) ("(?:[^"]|"")+"|[^\s(;]+)', re.MULTILINE)
_KINDS = {"MACRO": "function"}
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(\+00:00)?")

OBJECTS: dict[str, str] = {
    "sqlite": "SELECT type, name, sql FROM sqlite_master",
    "postgresql": """
        SELECT CASE c.relkind WHEN 'r' THEN 'table' WHEN 'm' THEN 'table' WHEN 'v' THEN 'view' ELSE 'index' END,
            c.relname::text, c.relkind::text
            || coalesce(pg_get_viewdef(CASE WHEN c.relkind IN ('m', 'v') THEN c.oid END), '')
            || coalesce(c.relacl::text, '') || coalesce((SELECT string_agg(a.attname || ' ' || format_type(
            a.atttypid, a.atttypmod) || a.attnotnull::text, ', ' ORDER BY a.attnum) FROM pg_attribute a
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), '')
        FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'm', 'v', 'i', 'S')
        UNION ALL SELECT 'function', p.oid::regprocedure::text,
            md5(replace(p.prosrc, current_schema(), '')) || coalesce(p.proconfig::text, '')
        FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
        UNION ALL SELECT 'type', t.typname::text, t.typtype::text FROM pg_type t
        WHERE t.typnamespace = current_schema()::regnamespace AND t.typtype = 'c' AND t.typrelid IN
            (SELECT oid FROM pg_class WHERE relkind = 'c')""",
    **dict.fromkeys(FAMILY, "SHOW FULL TABLES"),
    "clickhouse": """
        SELECT 'table', name, replaceRegexpAll(create_table_query, 'UUID .[^ ]*. ', '') FROM system.tables
        WHERE database = 'default' OR is_temporary""",
}
"""Kind, name and definition of all that stands in a database or schema; of DuckDB see `exported`."""

SETTINGS: dict[str, str] = {
    "duckdb": "SELECT name, value FROM duckdb_settings() UNION ALL "
    "SELECT 'temporary ' || table_name, '' FROM duckdb_tables() WHERE temporary",
    "sqlite": "SELECT 'foreign_keys', foreign_keys FROM pragma_foreign_keys "
    "UNION ALL SELECT 'defer_foreign_keys', defer_foreign_keys FROM pragma_defer_foreign_keys "
    "UNION ALL SELECT 'recursive_triggers', recursive_triggers FROM pragma_recursive_triggers "
    "UNION ALL SELECT 'temporary ' || name, '' FROM sqlite_temp_master",
    "postgresql": "SELECT name, setting FROM pg_settings WHERE source = 'session' "
    "AND setting IS DISTINCT FROM reset_val UNION ALL SELECT 'temporary ' || relname, '' FROM pg_class "
    "WHERE relnamespace = pg_my_temp_schema() UNION ALL SELECT 'lock ' || objid, mode FROM pg_locks "
    "WHERE pid = pg_backend_pid() AND locktype = 'advisory'",
    "mariadb": "SELECT variable_name, variable_value FROM information_schema.session_variables WHERE variable_name IN "
    "('sql_mode', 'foreign_key_checks', 'unique_checks', 'autocommit', 'in_transaction', 'tx_isolation', "
    "'lock_wait_timeout', 'innodb_lock_wait_timeout', 'max_statement_time', 'sql_safe_updates', 'group_concat_max_len')"
    " UNION ALL SELECT 'locks', RELEASE_ALL_LOCKS()",
    "mysql": "SELECT 'sql_mode', @@sql_mode UNION ALL SELECT 'keys', concat(@@foreign_key_checks, @@unique_checks) "
    "UNION ALL SELECT 'autocommit', @@autocommit UNION ALL SELECT 'isolation', @@transaction_isolation UNION ALL "
    "SELECT 'waits', concat_ws(' ', @@lock_wait_timeout, @@innodb_lock_wait_timeout) UNION ALL "
    "SELECT 'safe', @@sql_safe_updates UNION ALL SELECT 'locks', RELEASE_ALL_LOCKS()",
    "clickhouse": "SELECT name, value FROM system.settings WHERE changed AND value <> default "
    "UNION ALL SELECT concat('temporary ', name), '' FROM system.tables WHERE is_temporary",
}
"""What a connection carries: settings, temporary tables, locks."""


def facts(db: Database, folder: Path | None = None) -> Facts:
    """All that stands in the database, with every row, and in the folder, with every byte."""
    found: Facts = {}
    for kind, name, definition in _objects(db):
        lines: list[str] = []
        if kind == "table":
            lines = sorted(map(_shown, rows(db, f"SELECT * FROM {db.engine.quote(name)}")))
        if name == "sqlrp_catalogue":
            lines = [line for line in lines if not line.startswith("['format'")]
        if lines or not name.startswith("sqlrp_catalogue"):  # a catalogue that lists nothing is as good as none
            known = "" if db.schema in ("main", "default") else db.schema  # a name of the run's own
            said = definition.replace(known, "SCHEMA") if known else definition
            found[_MARK.sub("MARK", f"{kind} {name}")] = (_MARK.sub("MARK", said or ""), lines)
    empty = "table sqlrp_catalogue" not in found
    found = {key: value for key, value in found.items() if not (empty and key.startswith("index sqlrp_catalogue"))}
    found = {key: value for key, value in found.items() if not (empty and key.startswith("index sqlite_autoindex"))}
    return found | (files(folder) if folder else {})


_asked = itertools.count()


def rows(db: Database, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a query, which is another text each time: psycopg prepares what it has seen, for the old columns."""
    asked = f"{sql} -- {next(_asked)}"
    if db.name == "clickhouse":
        return [tuple(row.values()) for row in db.connector.fetch(db.connection, asked).to_pylist()]
    return db.run_query(asked)


def _objects(db: Database) -> list[tuple[Any, ...]]:
    if db.name == "duckdb":
        return exported(db)
    found = rows(db, OBJECTS[db.name])
    if db.name not in FAMILY:
        return found
    # information_schema.columns takes a tenth of a second.
    kinds = {"BASE TABLE": "table", "VIEW": "view"}
    return [
        (kinds[kind], name, str(rows(db, f"SHOW CREATE TABLE {db.engine.quote(name)}")[0][1])) for name, kind in found
    ]


def exported(db: Database) -> list[tuple[Any, ...]]:
    """The statements that make all that stands in a database of DuckDB.

    duckdb_functions() takes 20 ms, as it lists the thousands of functions of DuckDB first. An export lists none of
    them.
    """
    with tempfile.TemporaryDirectory() as folder:
        rows(db, f"EXPORT DATABASE '{folder}' (FORMAT csv)")
        text = (Path(folder) / "schema.sql").read_text()
    text = as_kept(text)
    made = list(_MADE.finditer(text))
    ends = [*(found.start() for found in made[1:]), *([len(text)] if made else [])]
    return [
        (_KINDS.get(found[1], found[1].lower()), _named(found[2]), text[found.start() : end].strip())
        for found, end in zip(made, ends, strict=True)
    ]


def as_kept(text: str) -> str:
    """The text of macros without what no file of DuckDB keeps: MATERIALIZED, and how a DOUBLE is written."""
    numbered = _NUMBER.sub(lambda found: repr(float(found[1] or found[2])), text)
    return numbered.replace(" AS MATERIALIZED", " AS")


def _named(quoted: str) -> str:
    """A name without the quotes that DuckDB writes around some."""
    return quoted[1:-1].replace('""', '"') if quoted.startswith('"') else quoted


def _shown(row: tuple[Any, ...]) -> str:
    """A row as text without times and places, its numbers to the 9 digits that every lowering agrees on."""
    cells = [f"{value:.9g}" if isinstance(value, float) else str(value) for value in row]
    return _CHECK.sub("", _PLACE.sub("FOLDER", _TIME.sub("TIME", repr(cells))))


def files(folder: Path) -> Facts:
    """Every folder, and every file by its bytes, a database by what stands in it; but not the database of the test."""
    return {
        f"file {path.relative_to(folder)}": "folder" if path.is_dir() else _content(path)
        for path in sorted(folder.rglob("*"))
        if not path.name.startswith("test.db")
    }


def _content(path: Path) -> Any:
    if path.suffix != ".duckdb":
        return hashlib.sha256(path.read_bytes()).hexdigest()
    with duckdb.connect(str(path), read_only=True) as connection:
        return facts(Database("duckdb", connection, "main"))


def public(db: Database, everything: Facts) -> Facts:
    """What a user sees of all: tables and files, what is saved and recorded, what refresh brings; not the machinery."""
    found = {
        key: value for key, value in everything.items() if not (_MACHINERY.search(key) or _unused(key, everything))
    }
    # What project_with reads must be what load does; the records of tables are seen below, by what is done with them.
    found["kept"] = [
        line for line in everything.get("table sqlrp_catalogue", ("", []))[1] if "materializ" not in line[:30]
    ]
    found |= {f"saved {name}": p.fingerprint for name, p in sqlrp.saved(db.connection).items()}
    for name, (projection, source) in materialized(db.connection).items():
        found[f"made {name}"] = (projection.fingerprint, repr(source))
        if db.name != "clickhouse":
            found[f"refresh {name}"] = _refreshed(db, name)
    return found


def _unused(key: str, everything: Facts) -> bool:
    """Whether a file is the macro or the description of a dbt model that is not there."""
    model = re.sub(r"/macros/sqlrp_(\w+)\.sql$|/models/(\w+)\.yml$", r"/models/\1\2.sql", key)
    return model != key and model not in everything


def _refreshed(db: Database, name: str) -> str:
    """How many rows a refresh brings, or why it is refused; taken back again."""
    db.run("BEGIN")
    try:
        return f"{sqlrp.refresh(db.connection, name)} rows"
    except SqlrpError as error:
        return str(error)
    finally:
        with suppress(SqlrpError):
            db.run("ROLLBACK")


def carried(name: str, connection: Any) -> Facts:
    """The settings, temporary tables, locks and the transaction of a connection, or of a pool's."""
    if name == "duckdb":
        found = dict(connection.execute(SETTINGS[name]).fetchall())
        first, second = (connection.execute("SELECT txid_current()").fetchall() for _ in range(2))
        return found | {"transaction": first == second}
    if name == "clickhouse":
        db = Database(name, connection, "default")
        return dict(rows(db, SETTINGS[name]))
    if isinstance(connection, sa.Engine):
        with connection.connect() as opened:
            return carried(name, opened)
    driver: Any = connection.connection.driver_connection
    inside = {
        "sqlite": lambda: driver.in_transaction,
        "postgresql": lambda: driver.info.transaction_status.name,
        **dict.fromkeys(FAMILY, lambda: driver.server_status & 1),  # SERVER_STATUS_IN_TRANS
    }[name]()
    found = dict(map(tuple, connection.exec_driver_sql(SETTINGS[name]).fetchall()))
    if name == "sqlite":
        found["legacy_alter_table"] = connection.exec_driver_sql("PRAGMA legacy_alter_table").scalar()
    return found | {"transaction": inside}


def worse(before: Facts, after: Facts) -> bool:
    """Whether a connection carries more, or something else; a call may clear the tables that an earlier one left."""
    cleared = {key for key in before if key.startswith("temporary ") and key not in after}
    return {key: value for key, value in before.items() if key not in cleared} != after


def difference(a: Facts, b: Facts) -> str:
    """What is gone, come or changed from one to the other, in a line."""
    said = []
    for key in sorted(a.keys() | b.keys()):
        if key not in b:
            said.append(f"{key} gone")
        elif key not in a:
            said.append(f"{key} come")
        elif a[key] != b[key]:
            said.append(f"{key} changed, {_changed(a[key], b[key])}")
    return "; ".join(said)


def _changed(a: Any, b: Any) -> str:
    if isinstance(a, tuple) and isinstance(b, tuple) and a[0] == b[0] and isinstance(a[1], list):
        gone, come = ([row[:90] for row in x if row not in y] for x, y in ((a[1], b[1]), (b[1], a[1])))
        return f"rows gone {gone}, rows come {come}"
    return f"from {str(a)[:200]} to {str(b)[:200]}"


@dataclass(frozen=True)
class Whole:
    """What stands before a call, or after it: all, and what a user sees of it."""

    all: Facts
    public: Facts

    @staticmethod
    def of(db: Database, folder: Path | None = None) -> Whole:
        everything = facts(db, folder)
        return Whole(everything, public(db, everything))


def verdict(old: Whole, new: Whole, db: Database, folder: Path | None = None) -> str:
    """old, new, old+ or new+ (with left-overs that no user sees), lost (what was before and after is gone) or half."""
    now = facts(db, folder)
    for name, whole in (("old", old), ("new", new)):
        if now == whole.all:
            return name
    seen = public(db, now)
    for name, whole in (("old+", old), ("new+", new)):
        if seen == whole.public:
            return name
    return "lost" if (old.public.keys() & new.public.keys()) - seen.keys() else "half"
