"""Tracked tables see changes that a collation calls equal: keys and marks are compared by their bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from databases import DOUBLES, Database, opened
from taking_part import takes_part

import sqlrp
from sqlrp import Long, SparseProjection, Wide

RP = SparseProjection(k=3, s=1, seed=5)
TYPES = {
    "mariadb": ["VARCHAR(40)", "TEXT", "VARCHAR(40) CHARACTER SET latin1", "CHAR(20)"],
    "mysql": ["VARCHAR(40)", "TEXT"],
    "duckdb": ["VARCHAR", "VARCHAR COLLATE NOCASE", "VARCHAR COLLATE NOACCENT", "VARCHAR COLLATE NOCASE.NOACCENT"],
    "sqlite": ["TEXT", "TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM", "VARCHAR(9) COLLATE NOCASE"],
    "postgresql": ["text", "varchar(40)", "text COLLATE loosely", "varchar COLLATE loosely"],
    "clickhouse": ["String"],
}
"""The types of a text, with collations that take more or fewer texts for equal."""
CASES = [(name, kind) for name, kinds in TYPES.items() for kind in kinds if takes_part(name)]
each = pytest.mark.parametrize(("name", "kind"), CASES)
CHANGES = [("va", "VA"), ("resume", "résumé"), ("last", "last ")]
"""Texts that some collation takes for equal."""


@pytest.fixture
def db(name: str, tmp_path: Path) -> Iterator[Database]:
    for found in opened(name, tmp_path):
        if name == "postgresql":
            icu = "provider = icu, locale = 'und-u-ks-level1', deterministic = false"
            found.run(f"CREATE COLLATION loosely ({icu})")
        yield found


def spaced(name: str, kind: str, text: str) -> bool:
    """Whether a column of the type has no spaces at the end."""
    return kind.startswith("CHAR") and text.endswith(" ")


def loaded(db: Database, columns: dict[str, str], rows: list[list[Any]]) -> None:
    double = DOUBLES[db.name]
    db.make("t", [*columns.items(), *((name, double) for name in "ab")], rows)


def kept(db: Database, column: str) -> list[Any]:
    return sorted(value for (value,) in db.run_query(f"SELECT {column} FROM m"))


def change(db: Database, column: str, old: str, new: str) -> None:
    """The one row that has the old text, as its bytes, has the new one."""
    string = db.engine.string
    alter = f"ALTER TABLE t UPDATE {column} = {string(new)} WHERE" if db.name == "clickhouse" else ""
    alter = alter or f"UPDATE t SET {column} = {string(new)} WHERE"
    (at,) = [number for number, text in db.run_query(f"SELECT number, {column} FROM t") if text == old]
    db.run(f"{alter} number = {at}{' SETTINGS mutations_sync = 2' if db.name == 'clickhouse' else ''}")


@each
@pytest.mark.parametrize("track", ["etag", "rows"])
def test_a_changed_text_is_seen(db: Database, name: str, kind: str, track: str) -> None:
    texts = [old for old, _ in CHANGES]
    loaded(db, {"number": "BIGINT", "etag": kind}, [[i, text, i + 0.5, 2.5] for i, text in enumerate(texts)])
    source = Wide("t", key="number", features=["a", "b"], keep=["etag"])
    sqlrp.materialize(RP, source, db.connection, "m", track=track)
    assert sqlrp.refresh(db.connection, "m") == 0
    for old, new in CHANGES:
        change(db, "etag", old, new)
        wanted = (0, 0, 0) if spaced(name, kind, new) else (0, 1, 0)
        found = sqlrp.refresh(db.connection, "m")
        assert (found.added, found.changed, found.removed) == wanted, (old, new)
        assert kept(db, "etag") == sorted(text for (text,) in db.run_query("SELECT etag FROM t"))
        assert sqlrp.refresh(db.connection, "m") == 0


@each
@pytest.mark.parametrize("track", [None, "etag", "rows"])
def test_a_changed_key_is_another_key(db: Database, name: str, kind: str, track: str | None) -> None:
    loaded(
        db,
        {"number": "BIGINT", "id": kind, "etag": "BIGINT"},
        [[i, text, 7, i + 0.5, 2.5] for i, (text, _) in enumerate(CHANGES)],
    )
    source = Wide("t", features=["a", "b"], keep=["etag"])
    sqlrp.materialize(RP, source, db.connection, "m", track=track)
    wanted = {old for old, _ in CHANGES}
    for old, new in CHANGES:
        if spaced(name, kind, new):
            continue
        change(db, "id", old, new)
        found = sqlrp.refresh(db.connection, "m")
        assert (found.added, found.changed, found.removed) == (1, 0, int(track is not None)), (old, new)
        wanted = wanted - ({old} if track is not None else set()) | {new}
        assert kept(db, "id") == sorted(wanted)
        assert sqlrp.refresh(db.connection, "m") == 0


@pytest.mark.parametrize(("name", "kind"), [case for case in CASES if case[0] != "sqlite"])  # it hashes no words
def test_a_changed_word_of_sparse_rows_is_seen(db: Database, name: str, kind: str) -> None:
    columns = {"number": "BIGINT", "doc": kind, "word": kind}
    loaded(db, columns, [[i, doc, word, 1.5, 2.5] for i, (doc, word) in enumerate([("x", "va"), ("y", "resume")])])
    source = Long("t", key="doc", feature="word", value="a")
    sqlrp.materialize(RP, source, db.connection, "m", track="rows")
    for column, old, new in (("word", "va", "VA"), ("word", "resume", "résumé"), ("doc", "x", "X")):
        change(db, column, old, new)
        found = sqlrp.refresh(db.connection, "m")
        assert (found.added, found.changed, found.removed) == ((0, 1, 0) if column == "word" else (1, 0, 1))
        assert kept(db, "doc") == sorted(doc for (doc,) in db.run_query("SELECT doc FROM t"))
        assert sqlrp.refresh(db.connection, "m") == 0


@pytest.mark.parametrize("name", ["sqlite"])
def test_what_follows_a_nul_character_is_seen(db: Database, name: str) -> None:
    loaded(db, {"number": "BIGINT", "etag": "TEXT"}, [[1, "x", 1.5, 2.5], [2, "y", 1.5, 2.5]])
    db.run("UPDATE t SET etag = 'a' || char(0) || 'b' WHERE number = 1")
    source = Wide("t", key="number", features=["a", "b"], keep=["etag"])
    sqlrp.materialize(RP, source, db.connection, "m", track="rows")
    db.run("UPDATE t SET etag = 'a' || char(0) || 'c' WHERE number = 1")
    assert sqlrp.refresh(db.connection, "m").changed == 1
    assert sqlrp.refresh(db.connection, "m") == 0
    sqlrp.materialize(RP, source, db.connection, "n", track="etag")
    db.run("UPDATE t SET etag = 'a' || char(0) || 'd' WHERE number = 1")
    assert sqlrp.refresh(db.connection, "n").changed == 1


@pytest.mark.parametrize("name", ["duckdb"])
def test_the_collation_of_a_session_changes_nothing(db: Database, name: str) -> None:
    loaded(db, {"number": "BIGINT", "etag": "VARCHAR"}, [[1, "va", 1.5, 2.5], [2, "resume", 1.5, 2.5]])
    source = Wide("t", key="number", features=["a", "b"], keep=["etag"])
    sqlrp.materialize(RP, source, db.connection, "m", track="rows")
    db.run("SET default_collation = 'NOCASE.NOACCENT'")
    assert sqlrp.refresh(db.connection, "m") == 0
    for column, old, new in (("etag", "va", "VA"), ("etag", "resume", "résumé")):
        db.run(f"UPDATE t SET {column} = '{new}' WHERE encode({column}) = encode('{old}')")
        assert sqlrp.refresh(db.connection, "m").changed == 1


@pytest.mark.parametrize("name", ["mariadb"] if takes_part("mariadb") else [])
@pytest.mark.parametrize("kind", ["VARCHAR(20)", "VARCHAR(255)", "TEXT"])
def test_keys_of_any_length_are_joined_by_an_index(db: Database, name: str, kind: str) -> None:
    """Without one, each key of the source would be compared with all keys of the table."""
    for table in "tm":
        db.run(f"CREATE TABLE {table} (id {kind})")
    for table in "tm":
        db.run(f"INSERT INTO {table} SELECT concat('key ', seq) FROM seq_1_to_2000")
    key = "`id`"
    for statement in (
        db.engine.unlike([key], "(SELECT `id` FROM `t`) asked", key, (), "`m`", {key}),
        db.engine.removing("`m`", key, "`t`", {key}),
    ):
        assert "key0" in repr(db.run_query(f"EXPLAIN {statement}")), statement
