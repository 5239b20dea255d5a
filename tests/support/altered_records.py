"""Records of every kind, altered to what no release writes, and every call that reads one.

The tests give a sample of the alterations to one call each, in turn; `records.py` gives every one to every call.
"""

from __future__ import annotations

import itertools
import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import sqlalchemy as sa
from databases import FAMILY, Database

import sqlrp
from sqlrp import Long, SparseProjection, Wide
from sqlrp._core.errors import SourceError, SqlrpError
from sqlrp._store import models, named_functions, stored
from sqlrp._store.materialize import materialized
from sqlrp._store.records import Record
from sqlrp._store.searches import SearchRecord
from sqlrp._store.table import Row

BITS, FEW = SparseProjection(k=8, s=1), SparseProjection(k=2, s=1, seed=3)
FITTED = sqlrp.PrincipalComponents(k=2).fit(np.outer(np.arange(9), np.arange(9)) % 5)
INJECTED = "CREATE TABLE injected AS SELECT 1 AS x"
READERS: dict[str, Callable[[Row], object]] = {
    "materialized": Record.of,
    "search": SearchRecord.of,
    "named function": named_functions.read,
    "projection": Row.read,
    "model": models.read,
}
"""What reads the records of each kind."""
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 3, 2**31, 2**63, 10**40, -(10**40), 1.5, -0.0, 1e308, 1e-320),
    *(float("nan"), float("inf"), "", " ", "x", "1", "NULL", "nan", "'", '"', "\\", "--", ";", "\0", "\ud800"),
    *(f"1; {INJECTED}", f"100) AS TABLE SELECT 1; {INJECTED}; --", f"'; {INJECTED}; --", f'"; {INJECTED}; --'),
    *(f"$sqlrp$; {INJECTED}; --", f"*/ {INJECTED} /*", f"x`; {INJECTED}; --", f"\\'; {INJECTED}; --"),
    *("theirs", "made", "mine", "near", "looks", 'other."t".x.y', "é" * 300, "ｍade", "m\u0430de", "MADE", "made "),
    *("images", "sqlrp_catalogue", "a" * 700, "../../etc/passwd", "/dev/zero", "read_csv('/etc/passwd')"),
    *([], [[]], ["a"], [None], {}, {"a": 1}, {"projection": "SparseProjection"}, [[[[[[1]]]]]], [1] * 300),
)
"""Wrong types, numbers out of bounds, SQL for each way of quoting, names of the user's objects, twins of names."""
FUNCTIONS = {
    **dict.fromkeys(
        FAMILY, ("CREATE FUNCTION mine(x DOUBLE) RETURNS DOUBLE DETERMINISTIC RETURN x + 1", "SELECT mine(1)")
    ),
    "duckdb": ("CREATE MACRO mine(x) AS x[1] + 1", "SELECT mine([1.0])"),
    "postgresql": (
        "CREATE FUNCTION mine(x double precision[]) RETURNS double precision LANGUAGE sql AS 'SELECT x[1] + 1'",
        "SELECT mine(ARRAY[1.0]::double precision[])",
    ),
}
"""What makes a function of the user's, and what calls it."""
OBJECTS = {
    "duckdb": (
        "SELECT 'table', schema_name, table_name, sql FROM duckdb_tables() UNION ALL "
        "SELECT 'view', schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal UNION ALL "
        "SELECT 'schema', schema_name, '', '' FROM duckdb_schemas()"
    ),
    "postgresql": (
        "SELECT relkind::text, relnamespace::regnamespace::text, relname::text, coalesce(pg_get_viewdef(oid), '') "
        "FROM pg_class WHERE relkind IN ('r', 'v', 'm', 'S', 'f') AND relnamespace <> 'pg_catalog'::regnamespace "
        "AND relnamespace <> 'information_schema'::regnamespace "
        "UNION ALL SELECT 'function', pronamespace::regnamespace::text, proname::text, prosrc FROM pg_proc "
        "WHERE pronamespace <> 'pg_catalog'::regnamespace AND pronamespace <> 'information_schema'::regnamespace "
        "UNION ALL SELECT 'schema', nspname::text, '', '' FROM pg_namespace "
        "UNION ALL SELECT 'role', rolname::text, rolsuper::text, '' FROM pg_roles WHERE rolname = current_user"
    ),
    **dict.fromkeys(
        FAMILY,
        "SELECT table_type, table_schema, table_name, '' FROM information_schema.tables "
        "WHERE table_schema = DATABASE() UNION ALL SELECT routine_type, routine_schema, routine_name, '' "
        "FROM information_schema.routines WHERE routine_schema = DATABASE()",
    ),
}
"""Every object of the database with its text. DuckDB lists its functions too slowly: `FUNCTIONS` calls the user's."""
OURS = frozenset(
    ("made", "view_made", "tracked", "fitted_made", "long", "another", "sqlrp_catalogue", "near", "rp_one")
)
"""The names that the calls may make, replace and drop."""


def in_sql(*queries: str) -> Callable[[Any, str], object]:
    """A call of functions of the database; that may fail in the words of the database."""

    def call(connection: Any, _: str) -> None:
        for query in queries:
            try:
                if isinstance(connection, duckdb.DuckDBPyConnection):
                    connection.execute(query).fetchall()
                else:
                    with connection.begin_nested():
                        connection.exec_driver_sql(query).fetchall()
            except (duckdb.Error, sa.exc.DBAPIError) as error:
                raise SqlrpError(str(error)[:200]) from error

    return call


SEARCHED = {
    "duckdb": "FROM near([1.0, 2, 3, 4, 5, 6, 7, 8, 9], n := 1)",
    "postgresql": "SELECT * FROM near(ARRAY[1.0, 2, 3, 4, 5, 6, 7, 8, 9]::double precision[], n => 1)",
}
WITH = {
    "duckdb": ["FROM project_with('saved', 'images')", "FROM project_with('fitted', 'images')"],
    "postgresql": ["SELECT * FROM project_with('saved', 'images')", "SELECT * FROM project_with('fitted', 'images')"],
}


WIDE = Wide("images", features=[f"f{i}" for i in range(9)])
Call = Callable[[Any, str], object]
"""A call with a connection and the name of the altered record."""
OF_TABLES: dict[str, Call] = {
    "materialize": lambda c, of: sqlrp.materialize(BITS, WIDE, c, of, output="bits", replace=True),
    "materialize a view": lambda c, of: sqlrp.materialize(FEW, WIDE, c, of, replace=True, kind="view"),
    "materialize new": lambda c, of: sqlrp.materialize(BITS, WIDE, c, "another", search="another_search"),
    "materialized": lambda c, of: materialized(c),
    "refresh": sqlrp.refresh,
    "refresh everything": lambda c, of: sqlrp.refresh(c, of, everything=True),
    "refresh another": lambda c, of: sqlrp.refresh(c, "made" if of != "made" else "tracked"),
    "search": lambda c, of: sqlrp.search(c, of, [1.0] * 9, n=1),
    "create_search": lambda c, of: sqlrp.create_search(c, of, "near", replace=True),
    "drop_search": lambda c, of: sqlrp.drop_search(c, "near"),
}
OF_SEARCHES = frozenset(("materialize a view", "create_search", "drop_search"))
"""What MariaDB and MySQL do not have."""
OF_ALL: dict[str, Call] = {
    "check": lambda c, of: sqlrp.check(c),
    "repair": lambda c, of: sqlrp.check(c, repair=True),
}
OF_FUNCTIONS: dict[str, Call] = {
    "install": lambda c, of: sqlrp.install(c),
    "uninstall": lambda c, of: sqlrp.uninstall(c),
}


def calls_of(kind: str, engine: str, installs: bool) -> dict[str, Call]:
    """Every call that reads records of a kind."""
    tables = {name: call for name, call in OF_TABLES.items() if engine not in FAMILY or name not in OF_SEARCHES}
    if engine in FAMILY:
        tables["materialize new"] = lambda c, of: sqlrp.materialize(BITS, WIDE, c, "another")
    own: dict[str, dict[str, Call]] = {
        "search": {**tables, "search in SQL": in_sql(*SEARCHED.get(engine, ()))},
        "named function": {
            "create_function": lambda c, of: sqlrp.create_function(FEW, c, of, n_features=9, replace=True),
            "created_functions": lambda c, of: sqlrp.created_functions(c),
            "drop_function": sqlrp.drop_function,
        },
        "projection": {
            "save": lambda c, of: sqlrp.save(FEW, c, of, replace=True, source=WIDE),
            "save the same": lambda c, of: sqlrp.save(BITS, c, of, source=WIDE),
            "saved": lambda c, of: sqlrp.saved(c),
            "project": lambda c, of: sqlrp.project(sqlrp.load(c, of), WIDE, c),
            "diagnose": lambda c, of: sqlrp.diagnose(sqlrp.load(c, of), WIDE, c, sample=3),
            "materialize": lambda c, of: sqlrp.materialize(sqlrp.load(c, of), WIDE, c, "another"),
        },
        "model": {
            "save_model": lambda c, of: sqlrp.save_model(sqlrp.load_model(c, of), c, "other", replace=True),
            "saved_models": lambda c, of: sqlrp.saved_models(c),
            "score": lambda c, of: sqlrp.score(sqlrp.load_model(c, of), WIDE, c),
            "predict": lambda c, of: sqlrp.load_model(c, of).predict(np.ones((2, 8))),
        },
    }
    own["text"] = own["projection"]  # a text that PostgreSQL keeps next to its projection
    found = {**own.get(kind, tables), **OF_ALL}
    if installs:
        found |= {**OF_FUNCTIONS, "project_with": in_sql(*WITH[engine])}
    return found


@dataclass(frozen=True)
class Kept:
    """A row of the catalogue."""

    kind: str
    name: str
    definition: str
    fingerprint: str
    version: str


@dataclass(frozen=True)
class Alteration:
    """A row of the catalogue as another program left it."""

    of: Kept
    field: str
    row: Kept

    @property
    def readable(self) -> bool:
        """Whether a reader takes it."""
        try:
            READERS[self.row.kind](Row(self.row.name, self.row.definition, self.row.fingerprint, self.row.version))
        except (SourceError, KeyError):
            return False
        return True


def fill(db: Database, installs: bool) -> list[Kept]:
    """The user's own objects, and a record of every kind. The rows of the catalogue that are to be altered."""
    c = db.connection
    features = ", ".join(f"{i}.5 + g * {i + 1} AS f{i}" for i in range(9))
    rows = "(SELECT 0 AS g UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) r"
    db.run(f"CREATE TABLE images AS SELECT g AS id, g % 2 AS part, g AS changed, {features} FROM {rows}")
    db.run(f"CREATE TABLE cells AS SELECT g AS id, g % 3 AS feature, g + 0.5 AS value FROM {rows}")
    db.run("CREATE TABLE theirs AS SELECT 7 AS id, 8 AS b0")
    db.run("CREATE VIEW looks AS SELECT id FROM theirs")
    db.run(FUNCTIONS[db.name][0])
    if installs:
        sqlrp.install(c)
    sqlrp.materialize(BITS, WIDE, c, "made", output="bits")
    if db.name == "duckdb":
        sqlrp.materialize(FEW, WIDE, c, "view_made", kind="view")
    sqlrp.materialize(FEW, WIDE, c, "tracked", track="changed")
    sqlrp.materialize(FITTED, Wide("images", features=WIDE.features, keep=["part"]), c, "fitted_made", track="rows")
    sqlrp.materialize(FEW, Long("cells", n_features=3), c, "long", output="long")
    if db.name not in FAMILY:
        sqlrp.create_search(c, "made", "near")
        sqlrp.create_function(BITS, c, "rp_one", n_features=9)
    sqlrp.save(BITS, c, "saved", source=WIDE)
    sqlrp.save(FITTED, c, "fitted", source=WIDE)
    sqlrp.save_model(sqlrp.learn(BITS, WIDE, c, target="part", folds=2), c, "learnt")
    return recorded(db)


COLUMNS = ("kind", "name", "definition", "fingerprint", "version")


def recorded(db: Database) -> list[Kept]:
    """The rows of the catalogue but those of formats and installed functions."""
    found = db.run_query(
        f"SELECT {', '.join(COLUMNS)} FROM sqlrp_catalogue "
        "WHERE kind NOT IN ('format', 'function') ORDER BY kind ASC, name ASC"
    )
    return [Kept(*map(str, row)) for row in found]


def altered(value: Any, new: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """The value with each part of it in turn replaced by another, and where that part is."""
    yield at, new
    if isinstance(value, dict):
        for name in value:
            for where, part in altered(value[name], new, f"{at}.{name}"):
                yield where, {**value, name: part}
        yield f"{at}.besides", {**value, "besides": new}
    if isinstance(value, list) and value:
        for where, part in altered(value[0], new, f"{at}[0]"):
            yield where, [part, *value[1:]]


def alterations(kept: Kept, new: Any) -> Iterator[Alteration]:
    """The row with one part altered, and with the checksum and the fingerprint that its new values have."""
    values = json.loads(kept.definition)
    sealed = "checksum" in values
    digested = "digest" in values
    plain = {name: value for name, value in values.items() if name not in ("checksum", "digest")}
    for field, own in altered(plain, new):
        whole = isinstance(own, dict)
        if digested:
            texts = {**own, "digest": stored.digest(own["text"])} if whole and isinstance(own.get("text"), str) else own
            yield Alteration(kept, field, Kept(kept.kind, kept.name, json.dumps(texts), kept.fingerprint, kept.version))
            continue
        text = stored.sealed(own) if sealed and whole else json.dumps(own)
        fingerprint = kept.fingerprint
        if kept.kind != "search":
            projection = own.get("projection") if sealed and whole else None
            fingerprint = stored.digest(json.dumps(projection, sort_keys=True) if projection else text)
        yield Alteration(kept, field, Kept(kept.kind, kept.name, text, fingerprint, kept.version))
    if isinstance(new, str) and len(new) < 1_000:
        for column in ("kind", "name", "fingerprint", "version"):
            yield Alteration(kept, f"column {column}", Kept(**{**kept.__dict__, column: new}))


def said(since: Sequence[tuple[Alteration, str]]) -> str:
    """The calls, and what was altered."""
    return "\n".join(
        f"{name}: {change.of.kind} {change.of.name}, {change.field}: {change.row.definition[:2_000]}"
        for change, name in since
    )


class World:
    """A database with records of every kind, whose rows are altered one at a time."""

    def __init__(self, db: Database, installs: bool = True) -> None:
        self.db, self.installs = db, installs
        self.rows = self._filled()
        self.before = self.census()
        self.seen: Counter[str] = Counter()
        self.turn = 0
        self.refusal = ""

    def census(self) -> list[Any]:
        """What is the user's: every object that is not one of sqlrp's, the rows of tables, what functions give."""
        installed = {name for (name,) in self.db.run_query("SELECT name FROM sqlrp_catalogue WHERE kind = 'function'")}
        found = [
            row
            for row in map(tuple, self.db.run_query(OBJECTS[self.db.name]))
            if row[2] not in OURS
            and row[2] not in installed
            and (row[0] != "function" or row[2] in ("mine", "injected"))
        ]
        asked = ("SELECT * FROM theirs", "SELECT * FROM images", "SELECT * FROM cells", "SELECT * FROM looks")
        contents = [sorted(map(repr, self.db.run_query(query))) for query in (*asked, FUNCTIONS[self.db.name][1])]
        return [sorted(map(repr, found)), contents]

    def _filled(self) -> list[Kept]:
        """The records. Where they are made again, they have the same marks."""
        if self.db.engine.transactional:
            return fill(self.db, self.installs)
        marks = (sha256(str(turn).encode()).hexdigest()[:32] for turn in itertools.count())
        with patch("secrets.token_hex", lambda _: next(marks)):
            return fill(self.db, self.installs)

    @contextmanager
    def written(self, *changes: Alteration, more: Sequence[Kept] = ()) -> Iterator[bool]:
        """The altered rows in the catalogue, and `more` rows, all of which is taken back. False: the engine refuses it.

        What a call has made is taken back, too; where the engine has no transactions, all is made again.
        """
        string = self.db.engine.string
        self.begin()
        try:
            try:
                for change in changes:
                    texts = ", ".join(f"{column} = {string(getattr(change.row, column))}" for column in COLUMNS)
                    where = f"kind = {string(change.of.kind)} AND name = {string(change.of.name)}"
                    self.db.run(f"UPDATE sqlrp_catalogue SET {texts} WHERE {where}")
                self._insert(more)
            except (SqlrpError, UnicodeError):  # such as text that is not UTF-8
                yield False
            else:
                yield True
        finally:
            self._take_back({change.of: change.row for change in changes}, more)

    def _insert(self, rows: Sequence[Kept]) -> None:
        string = self.db.engine.string
        values = ", ".join(f"({', '.join(string(getattr(row, column)) for column in COLUMNS)})" for row in rows)
        if values:
            self.db.run(f"INSERT INTO sqlrp_catalogue ({', '.join(COLUMNS)}) VALUES {values}")

    def begin(self) -> None:
        """Begin the transaction of one or more calls."""
        if self.db.engine.transactional:
            self.db.run("BEGIN")

    def _take_back(self, altered: Mapping[Kept, Kept], more: Sequence[Kept]) -> None:
        """All as it was before these rows were altered, and those added."""
        if self.db.engine.transactional:
            self.db.run("ROLLBACK")
            return
        if set(recorded(self.db)) not in (set(self.rows), {*(altered.get(row, row) for row in self.rows), *more}):
            schema = self.db.schema
            for statement in (f"DROP DATABASE {schema}", f"CREATE DATABASE {schema}", f"USE {schema}"):
                self.db.run(statement)
            self._filled()
        self.db.run("DELETE FROM sqlrp_catalogue WHERE kind NOT IN ('format', 'function')")
        self._insert(self.rows)  # the same but for the time

    def calls(self, change: Alteration) -> dict[str, Call]:
        """Every call that reads the record."""
        return calls_of(change.of.kind, self.db.name, self.installs)

    def try_call(self, change: Alteration, name: str, call: Call) -> None:
        """Run a call where a row is altered: it gives a result or an error of sqlrp, and the user's objects stay."""
        with self.written(change) as possible:
            if possible:
                self.attempt(change, name, call)
                self.look([(change, name)])
            else:
                self.seen["refused by the engine"] += 1

    def attempt(self, change: Alteration, name: str, call: Call) -> bool:
        """Whether a call does anything. False: it raises an error of sqlrp."""
        about = said([(change, name)])
        # A search is found by the table that it searches.
        of = "made" if change.of.kind == "search" and name in OF_TABLES else change.of.name
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                call(self.db.connection, of)
        except SqlrpError as error:
            self.seen["refused"] += 1
            self.refusal = str(error)
            if name in OF_ALL:  # one bad record spoils nothing but itself
                raise AssertionError(f"{error}\n{about}") from error
            return False
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error}\n{about}") from error
        self.seen["done"] += 1
        return True

    def look(self, since: Sequence[tuple[Alteration, str]]) -> None:
        """Raise AssertionError if something of the user's is not as before these calls."""
        if self.lives():
            assert self.census() == self.before, said(since)

    def lives(self) -> bool:
        """Whether an error has left the transaction open."""
        try:
            return bool(self.db.run_query("SELECT 1"))
        except SqlrpError:
            return False

    def all_alterations(self) -> list[Alteration]:
        """Every field of every record with every value."""
        return [change for row in self.rows for value in VALUES for change in alterations(row, value)]

    def sweep(self, changes: Iterable[Alteration], each: int | None) -> None:
        """Give alterations to `each` of their calls in turn, all by default.

        What no reader takes is given to one call, as all calls read records by the same readers.
        """
        for change in changes:
            calls = list(self.calls(change).items())
            few = len(calls) if each is None else each if change.readable else 1
            for _ in range(few):
                self.turn += 1
                self.try_call(change, *calls[self.turn % len(calls)])
