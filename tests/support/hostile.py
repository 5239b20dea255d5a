"""Hostile names and values, and the calls that are tried with them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from databases import DOUBLES, Database
from helpers import OUTPUTS, assert_close, cells, magnitude, oracle, quoted
from hypothesis import strategies as st
from names import NAMES

import sqlrp
from sqlrp import Long, SparseProjection, UnsupportedError, Wide
from sqlrp._core.draw import hash_name
from sqlrp._core.errors import ParameterError, SourceError, SqlrpError

PROJECTION = SparseProjection(k=2, s=1, seed=1)


COMPONENTS = {"columns": {"z0", "z1"}, "array": {"z"}, "long": {"component", "value"}}


ATTACKS = ["; DROP TABLE canary; --", " FROM canary; DELETE FROM canary; --", "; CREATE TABLE more (a INT); --"]


OPENINGS = ["", '"', "'", "`", "]", "\\'", ")'", '"")', '"()', "$$", "*/", "\n", "1", "%s", "''"]


PAYLOADS = [opening + attack for opening in OPENINGS for attack in ATTACKS]


LONGEST = ["x" * 63, "x" * 64, "ö" * 31, "ö" * 32, "x" + "ö" * 31, "日" * 21, "日" * 22, "🙂" * 16, '"' * 63, "q" * 120]


ODD = [
    "",
    "\0",
    "a\0b",
    "\ud800",
    "1e5",
    "-1",
    "0x10",
    "1",
    "NaN",
    "1;",
    ":name",
    "%(a)s",
    "{0}",
    "{a:name}",
    "{n}",
    "{'||'n}",
    "{k}",
    "?",
    "$1",
]


SHORT = st.text(st.sampled_from("\"'`;-/*()[]{}.,:$?%\\ \n\tab01_=|Üßİé日🙂"), min_size=1, max_size=10)


ANY = st.text(st.characters(), min_size=1, max_size=8)


WORD = st.one_of(SHORT, ANY, st.sampled_from(PAYLOADS), st.sampled_from(LONGEST), st.sampled_from([*NAMES, *ODD]))


def folded(name: str) -> str:
    """What two names share that some engine may take for one."""
    return name.upper().casefold()


def literal(value: str) -> str:
    """A string as the SQL standard writes it."""
    return "'" + value.replace("'", "''") + "'"


def storable(text: str) -> bool:
    """Whether it is text: UTF-8 has no lone surrogates, and no engine takes NUL."""
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def holds(db: Database, name: str) -> bool:
    """Whether the engine has a table or a column of that name: what it cuts, and what is no text, it has not."""
    return bool(name) and storable(name) and (db.name != "postgresql" or len(name.encode()) <= 63)


def tables(db: Database) -> list[str]:
    """Every table and view of the test's own schema, and of the session."""
    query = {
        "duckdb": "SELECT table_name FROM duckdb_tables() "
        "UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal",
        "sqlite": "SELECT name FROM sqlite_master WHERE type <> 'index' UNION ALL SELECT name FROM sqlite_temp_master",
        "postgresql": "SELECT relname FROM pg_class WHERE relkind IN ('r', 'v', 'm') "
        "AND relnamespace IN (pg_my_temp_schema(), current_schema()::regnamespace)",
    }[db.name]
    return sorted(row[0] for row in db.run_query(query))


class Tries:
    """One engine under attack: every string is tried in its role once it was projected with, or refused."""

    def __init__(self, db: Database, functions: bool = False) -> None:
        """`functions`: those of sqlrp are installed, and tried too."""
        self.db, self.functions = db, functions
        self.done: set[tuple[str, str]] = set()
        self.turn = 0

    def refused(self, role: str, word: str, *kinds: type[SqlrpError], by: Callable[[], object]) -> None:
        """The call is refused in one line."""
        with pytest.raises(kinds) as caught:
            by()
        assert len(str(caught.value).splitlines()) == 1
        self.done.add((role, word))

    def project(self, source: Wide | Long, output: str = "columns", lowering: str = "auto") -> Any:
        return sqlrp.project(PROJECTION, source, self.db.connection, output=output, lowering=lowering)  # type: ignore[arg-type]

    def names(self, words: list[str], values: list[str]) -> None:
        """A table whose name and columns all are hostile: key, kept columns, features."""
        good = list({folded(w): w for w in words if holds(self.db, w)}.values())
        for word in set(words) - set(good):
            if not holds(self.db, word) and ("table", word) not in self.done:  # once: the same calls on the same table
                self.refused(
                    "feature",
                    word,
                    SourceError,
                    ParameterError,
                    by=lambda w=word: self.project(Wide("base", None, [w])),
                )
                self.refused("key", word, SourceError, ParameterError, by=lambda w=word: self.project(Wide("base", w)))
                self.refused("table", word, SourceError, by=lambda w=word: self.project(Wide(quoted(w))))
        if len(good) < 6:
            return
        table, key, kept, *features = good
        if folded(table) in (folded(t) for t in tables(self.db)) or table.lower().startswith("sqlite_"):
            table += "_"
        x = np.arange(1.0, len(features) + 1) / 4
        columns = [
            f"{quoted(key)} TEXT",
            f"{quoted(kept)} TEXT",
            *(f"{quoted(f)} {DOUBLES[self.db.name]}" for f in features),
        ]
        self.db.run(f"CREATE TABLE {quoted(table)} ({', '.join(columns)})")
        try:
            for i, value in enumerate(values):
                row = ", ".join([literal(value), literal(value), *(repr(float(v) * (i + 1)) for v in x)])
                self.db.run(f"INSERT INTO {quoted(table)} VALUES ({row})")
            self._project_all(table, key, kept, features, values, x)
            if self.functions and self.turn % 4 == 1:
                self._bound(table, key, features, x)
            self._raw(table)
        finally:
            self.db.run(f"DROP TABLE {quoted(table)}")

    def _project_all(self, table: str, key: str, kept: str, features: list[str], values: list[str], x: Any) -> None:
        self.turn += 1
        outputs = [o for o in OUTPUTS if o != "array" or self.db.engine.has_arrays]
        output = outputs[self.turn % len(outputs)]
        rows = np.outer(np.arange(1, len(values) + 1), x)
        for lowering in ("inline", "relational"):
            source = Wide(quoted(table), key, features if self.turn % 2 else None, [kept])
            if COMPONENTS[output] & {key.casefold(), kept.casefold()}:
                self.refused("taken", key, SourceError, by=lambda s=source, w=lowering: self.project(s, output, w))
                continue
            result = self.project(source, output, lowering)
            assert result.column_names[:2] == [key, kept]
            assert result.column(kept).to_pylist() == result.column(key).to_pylist()
            got = cells(result, output, 2, key)
            want, bound = oracle(PROJECTION, rows), magnitude(PROJECTION, rows)
            assert_close({values.index(k): row for k, row in got.items()}, want, bound)
        self.done |= {("table", table), ("key", key), ("kept", kept), *(("feature", f) for f in features)}
        self.done |= {("value", v) for v in values}
        text = Wide(quoted(table), None, [kept])
        self.refused("text for a number", kept, SourceError, by=lambda: self.project(text))

    def _bound(self, table: str, key: str, features: list[str], x: Any) -> None:
        """Saved for the features, then used by the functions of the database."""
        own = replace(PROJECTION, bound_to=tuple(features))
        source = {"source": Wide(quoted(table), key)} if self.db.engine.keeps_text else {}
        sqlrp.save(own, self.db.connection, "bound", replace=True, **source)
        assert sqlrp.load(self.db.connection, "bound") == own
        output = f", output := 'array', key := {literal(key)}" if self.db.name == "duckdb" else ""
        found = self.db.run_query(f"SELECT z FROM project_with('bound', {literal(quoted(table))}{output})")
        want = np.outer(np.arange(1, len(found) + 1), oracle(PROJECTION, x[None, :])[0])
        got = np.array(sorted(([float(v) for v in z] for (z,) in found), key=lambda z: sum(map(abs, z))))
        assert np.abs(got - want).max() <= 1e-9 * max(np.abs(want).max(), 1)

    def _raw(self, name: str) -> None:
        """The name as it is, without quotes, in the place of a table."""
        with suppress(SqlrpError):
            self.project(Wide(name, None))
        self.done.add(("raw table", name))

    def words(self, words: list[str]) -> None:
        """Text features, hashed in the query; without md5 they are refused."""
        found = sorted(set(filter(storable, words)))
        self.db.run(f"CREATE TABLE words (id INTEGER, feature TEXT, value {DOUBLES[self.db.name]})")
        try:
            if not found:
                return
            self.db.run("INSERT INTO words VALUES " + ", ".join(f"(0, {literal(w)}, 1.5)" for w in found))
            if self.db.engine.has_md5:
                numbers = np.array([hash_name(w) for w in found], dtype=np.int64)
                x = np.full((1, len(found)), 1.5)
                got = cells(self.project(Long("words")), "columns", 2)
                assert_close(got, oracle(PROJECTION, x, features=numbers), magnitude(PROJECTION, x, features=numbers))
                self.done |= {("word", w) for w in found}
            else:
                self.refused("word", found[0], UnsupportedError, by=lambda: self.project(Long("words")))
        finally:
            self.db.run("DROP TABLE words")

    def saved(self, name: str) -> None:
        """A projection kept by a hostile name."""
        if not name.strip() or len(name) > 200 or not storable(name):
            self.refused(
                "projection", name, ParameterError, by=lambda: sqlrp.save(PROJECTION, self.db.connection, name)
            )
            return
        sqlrp.save(PROJECTION, self.db.connection, name)
        assert sqlrp.load(self.db.connection, name) == PROJECTION
        assert name in sqlrp.saved(self.db.connection)
        self.done.add(("projection", name))


def attacks() -> st.SearchStrategy[dict[str, Any]]:
    """Names for a table and its columns, values for its rows, and a name for a saved projection."""
    value = WORD.filter(lambda w: "\0" not in w and w.isprintable())
    words = st.lists(WORD, min_size=40, max_size=55, unique=True)
    return st.fixed_dictionaries(
        {"words": words, "values": st.lists(value, min_size=2, max_size=4, unique=True), "kept": WORD}
    )
