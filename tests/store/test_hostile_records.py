"""Every value of every record, altered to what no release writes: a reader refuses it, or it has no effect."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from databases import Database, opened

import sqlrp
from sqlrp import SourceError, SparseProjection
from sqlrp._core.errors import SqlrpError
from sqlrp._store import models, named_functions, stored
from sqlrp._store.records import Record
from sqlrp._store.searches import Recorded
from sqlrp._store.table import Row

BITS = SparseProjection(k=8, s=1)
INJECTED = "CREATE TABLE injected AS SELECT 1 AS x"
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 3, 2**31, 2**63, 10**40, -(10**40), 1.5, -0.0, 1e308, 1e-320),
    *(float("nan"), float("inf"), "", " ", "x", "1", "NULL", "nan", "'", '"', "\\", "--", ";", "\0", "\ud800"),
    *(f"1; {INJECTED}", f"100) AS TABLE SELECT 1; {INJECTED}; --", f"'; {INJECTED}; --", f'"; {INJECTED}; --'),
    *(f"$sqlrp$; {INJECTED}; --", f"*/ {INJECTED} /*", "theirs", "made", "mine", 'other."t".x.y', "é" * 300),
    *([], [[]], ["a"], [None], {}, {"a": 1}, {"projection": "SparseProjection"}, [[[[[[1]]]]]]),
)
READERS: dict[str, Callable[[Row], object]] = {
    "materialized": Record.of,
    "search": Recorded.of,
    "named function": named_functions.read,
    "projection": Row.read,
    "model": models.read,
}
"""What reads the records of each kind."""
CALLS: tuple[Callable[[Any], object], ...] = (
    lambda c: sqlrp.materialize(BITS, "images", c, "made", output="bits", replace=True),
    lambda c: sqlrp.check(c, repair=True),
    lambda c: sqlrp.refresh(c, "made", everything=True),
    lambda c: sqlrp.search(c, "made", [1.0] * 9, n=1),
    lambda c: sqlrp.create_search(c, "made", "near", replace=True),
    lambda c: sqlrp.drop_search(c, "near"),
    lambda c: sqlrp.materialize(BITS, "images", c, "another"),
)
FUNCTIONS = {
    "duckdb": ("CREATE MACRO mine(x) AS x[1] + 1", "SELECT mine([1.0])"),
    "postgresql": (
        "CREATE FUNCTION mine(x double precision[]) RETURNS double precision LANGUAGE sql AS 'SELECT x[1] + 1'",
        "SELECT mine(ARRAY[1.0]::double precision[])",
    ),
}


@pytest.fixture
def db(name: str, tmp_path: Path) -> Iterator[Database]:
    yield from opened(name, tmp_path)


def kept(db: Database) -> list[tuple[Any, ...]]:
    """The rows of a catalogue with a record of every kind."""
    c = db.connection
    features = ", ".join(f"{i}.5 AS f{i}" for i in range(9))
    db.run(f"CREATE TABLE images AS SELECT 1 AS id, {features}")
    db.run("CREATE TABLE theirs AS SELECT 7 AS id, 8 AS b0")
    db.run(FUNCTIONS[db.name][0])
    sqlrp.materialize(BITS, "images", c, "made", output="bits")
    sqlrp.create_search(c, "made", "near")
    sqlrp.create_function(BITS, c, "rp_one", n_features=9)
    sqlrp.save(BITS, c, "saved")
    sqlrp.save_model(sqlrp.learn(BITS, "images", c, target="f0"), c, "learnt")
    rows = "SELECT kind, name, definition, fingerprint FROM sqlrp_catalogue WHERE kind <> 'format' ORDER BY kind"
    return db.run_query(rows)


def altered(value: Any, new: Any) -> Iterator[Any]:
    """The value, with each part of it in turn replaced by another."""
    yield new
    if isinstance(value, dict):
        for name in value:
            yield from ({**value, name: part} for part in altered(value[name], new))
        yield {**value, "besides": new}
    if isinstance(value, list) and value:
        yield from ([part, *value[1:]] for part in altered(value[0], new))


def rewritten(definition: str, fingerprint: str, new: Any) -> Iterator[tuple[str, str]]:
    """A definition and a fingerprint with one part altered, and with the checksum that its new values have."""
    values = json.loads(definition)
    plain = {name: value for name, value in values.items() if name != "checksum"}
    for own in altered(plain, new):
        text = stored.sealed(own) if "checksum" in values and isinstance(own, dict) else json.dumps(own)
        projection = own.get("projection") if isinstance(own, dict) else None
        whole = json.dumps(projection, sort_keys=True) if "checksum" in values and projection else text
        yield text, fingerprint if values.get("mark") and "table" in values else stored.digest(whole)


def test_a_reader_refuses_every_altered_value_in_our_words_or_takes_it_for_what_it_is(tmp_path: Path) -> None:
    """Every part of every record meets every value: some 4,000 texts. The rest of the calls sees only what is read."""
    for db in opened("duckdb", tmp_path):
        rows = kept(db)
    assert {kind for kind, *_ in rows} == READERS.keys()
    refused = 0
    for kind, name, definition, fingerprint in rows:
        for value in VALUES:
            for text, own in rewritten(definition, fingerprint, value):
                try:
                    READERS[kind](Row(name, text, own))
                except SourceError:
                    refused += 1
    assert refused > 2_000
    for name, value in {"candidates": 2**63, "metric": "l2; x", "mark": "sqlrp_'", "table": ""}.items():
        plain = {"table": "made", "metric": "l2", "candidates": 10, "mark": f"sqlrp_{'0' * 32}"}
        Recorded.of(Row("near", stored.sealed(plain)))
        with pytest.raises(SourceError, match=name if value else "empty"):
            Recorded.of(Row("near", stored.sealed({**plain, name: value})))


@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_what_a_reader_takes_has_no_effect_on_what_is_not_ours(db: Database, name: str) -> None:
    """Names of others and SQL in the place of every name of a table's record and a search's, in turn by every call."""
    rows = {kind: (definition, fingerprint) for kind, _, definition, fingerprint in kept(db)}
    hostile = [f"'; {INJECTED}; --", f'"; {INJECTED}; --', "theirs"]
    texts = [
        (kind, text)
        for kind in ("materialized", "search")
        for value in hostile
        for text, own in rewritten(*rows[kind], value)
        if _reads(kind, text, own)
    ]
    before = seen(db)
    assert len(texts) > 20
    for i, (kind, text) in enumerate(texts):
        db.run("BEGIN")
        db.run(f"UPDATE sqlrp_catalogue SET definition = {db.engine.string(text)} WHERE kind = '{kind}'")
        try:
            CALLS[i % len(CALLS)](db.connection)
        except SqlrpError:
            if name == "duckdb":  # an error of DuckDB may have ended the transaction
                db.run("ROLLBACK")
                db.run("BEGIN")
        assert seen(db) == before, text
        db.run("ROLLBACK")


def _reads(kind: str, text: str, fingerprint: str) -> bool:
    try:
        READERS[kind](Row("made", text, fingerprint))
    except SourceError:
        return False
    return True


def seen(db: Database) -> list[Any]:
    """What is the user's."""
    tables = "SELECT table_name FROM information_schema.tables WHERE table_name = 'injected'"
    asked = (tables, "SELECT * FROM theirs", "SELECT * FROM images", FUNCTIONS[db.name][1])
    return [sorted(map(repr, db.run_query(query))) for query in asked]
