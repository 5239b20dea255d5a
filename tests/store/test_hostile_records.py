"""Every value of every record, altered to what no release writes: a reader refuses it, or it has no effect."""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from altered_records import BITS, FEW, FITTED, FUNCTIONS, READERS, VALUES, WIDE, World, alterations, fill, recorded
from databases import FAMILY, Database, opened

import sqlrp
from sqlrp import ParameterError, SourceError
from sqlrp._store import stored
from sqlrp._store.materialize import materialized
from sqlrp._store.searches import SearchRecord
from sqlrp._store.table import Row

ENGINES = pytest.mark.parametrize("name", ["duckdb", "postgresql"])


@pytest.fixture
def db(name: str, tmp_path: Path) -> Iterator[Database]:
    yield from opened(name, tmp_path)


def test_a_reader_refuses_every_altered_value_in_our_words_or_takes_it_for_what_it_is(tmp_path: Path) -> None:
    """Every part of a record of each kind meets every value. The rest of the calls sees only what is read."""
    for db in opened("duckdb", tmp_path):
        every = fill(db, installs=False)
    rows = {row.kind: row for row in every}
    assert rows.keys() == READERS.keys()
    taken = {kind: {c.field for v in VALUES for c in alterations(row, v) if c.readable} for kind, row in rows.items()}
    for row in every:  # of each layout, as those of cells and arrays take a dataframe in the place of a name
        named = (c for v in VALUES if not isinstance(v, str) for c in alterations(row, v) if c.field == ".source.table")
        assert not [c.row.definition for c in named if c.readable]
    columns = {"column name", "column version"}
    assert taken["search"] == columns | {"column fingerprint", ".table", ".candidates", ".at", ".sure"}
    assert taken["named function"] == columns | {".mark", ".projection.k", ".projection.s", ".projection.seed"}
    assert taken["projection"] == columns | {".k", ".s", ".seed", ".bound_to", ".bound_to[0]"}
    assert not {field for field in taken["model"] if field.startswith((".moments", ".besides", ".kind"))}
    free = {".settings.target", ".settings.labels", ".settings.sample_weight", ".settings.features[0]", ".how"}
    assert free <= taken["model"]  # names of columns, and words
    for text in ("\0", "\ud800"):  # JSON can have it, and no statement
        for kind in ("materialized", "search", "named function"):
            made = [c for c in alterations(rows[kind], text) if not c.field.startswith("column")]
            assert not [c.field for c in made if c.readable]
    for name, value in {
        "candidates": 2**63,
        "metric": "l2; x",
        "mark": "sqlrp_'",
        "table": "",
        "where": "1 = 1; --",
    }.items():
        plain = {"table": "made", "metric": "l2", "candidates": 10, "mark": f"sqlrp_{'0' * 32}"}
        SearchRecord.of(Row("near", stored.sealed(plain)))
        with pytest.raises(SourceError, match=name if value else "empty"):
            SearchRecord.of(Row("near", stored.sealed({**plain, name: value})))


def test_a_projection_is_kept_with_what_it_has_learnt(tmp_path: Path) -> None:
    """Without it, it can be computed nowhere: no reader takes it, of any kind of record, and `check` names it."""
    for db in opened("duckdb", tmp_path):
        fill(db, installs=False)
        sqlrp.create_function(FITTED, db.connection, "rp_fitted", replace=True)
        model = sqlrp.learn(FITTED, WIDE, db.connection, target="part", folds=2)
        sqlrp.save_model(model, db.connection, "of_fitted")
        rows = [row for row in recorded(db) if '"state"' in row.definition]
        assert {row.kind for row in rows} == {"materialized", "projection", "named function", "model"}
        for row in rows:
            gone = [change for change in alterations(row, None) if change.field.endswith(".state")]
            assert gone
            assert not [change.row.definition for change in gone if change.readable]
        sqlrp.install(db.connection)
        db.run("UPDATE sqlrp_catalogue SET definition = replace(definition, '\"state\"', '\"taken\"')")
        for repair in (False, True):
            named = {(finding.kind, finding.name) for finding in sqlrp.check(db.connection, repair=repair)}
            assert named >= {("projection", "fitted"), ("table", "fitted_made")}


@ENGINES
@pytest.mark.parametrize("count", [25, pytest.param(80, marks=pytest.mark.slow)])
def test_what_a_reader_takes_has_no_effect_on_what_is_not_ours(db: Database, name: str, count: int) -> None:
    """Some alterations of all, each with one of the calls in turn: `altered_records.py` runs every one of them."""
    world, drawn = World(db, installs=count > 25), random.Random(0)
    changes = world.all_alterations()
    assert len({(change.of, change.field) for change in changes}) > 250
    drawn.shuffle(changes)
    world.sweep(islice((change for change in changes if change.readable), count), each=1)
    world.sweep(changes[: count // 5], each=1)
    assert min(world.seen["refused"], world.seen["done"]) > count / 10


@ENGINES
def test_a_record_with_a_name_that_nothing_can_have_spoils_itself_alone(db: Database, name: str) -> None:
    """Each is named by check, taken away by repair, and no call for another table, search or function meets it."""
    rows, string, c = fill(db, installs=False), db.engine.string, db.connection
    impossible = ["", " ", '"', "..", 'other."t".x.y', "a.b.c.d.e", *(["a" * 700] if name == "postgresql" else ["\0"])]
    possible = ["x", "%s", ":x", "a\\'b", "theirs", "looks", "mine", "x.parquet", "🙂", "MADE", "made "]
    kinds = {row.kind: row for row in rows if row.kind in ("materialized", "search", "named function")}
    assert len(kinds) == 3
    for row in kinds.values():
        for hostile in (*impossible, *possible):
            values = ", ".join(map(string, (row.kind, hostile, row.definition, row.fingerprint, row.version)))
            db.run(f"INSERT INTO sqlrp_catalogue (kind, name, definition, fingerprint, version) VALUES ({values})")
    counted = "SELECT count(*) FROM sqlrp_catalogue WHERE kind IN ('materialized', 'search', 'named function')"
    [(before,)] = db.run_query(counted)
    found = {(finding.kind, finding.name) for finding in sqlrp.check(c)}
    wanted = {(kind, hostile) for kind in ("table", "search", "function") for hostile in (*impossible, *possible)}
    assert found == wanted
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert {"made", "long"} <= materialized(c).keys()
        assert "rp_one" in sqlrp.created_functions(c)
    sqlrp.refresh(c, "tracked")
    sqlrp.search(c, "made", [1.0] * 9, n=1)
    sqlrp.create_search(c, "made", "near", replace=True)
    sqlrp.materialize(FEW, WIDE, c, "another", replace=True)
    gone = {(f.kind, f.name) for f in sqlrp.check(c, repair=True) if f.mended}
    assert {(kind, hostile) for kind, hostile in wanted if hostile in impossible} <= gone
    [(after,)] = db.run_query(counted)
    assert after == before + 1 - len(gone)
    assert {(f.kind, f.name) for f in sqlrp.check(c)} == wanted - gone


@pytest.mark.parametrize("name", FAMILY)
def test_a_source_with_a_name_that_no_table_can_have_stops_no_call(db: Database, name: str) -> None:
    """MariaDB has other errors for such names than for a table that is not there."""
    world = World(db, installs=False)
    [kept] = [row for row in world.rows if row.name == "tracked"]
    for hostile in ("made ", "é" * 300):
        for change in alterations(kept, hostile):
            if change.field == ".source.table":
                world.try_call(change, "check", world.calls(change)["check"])
    assert world.seen == {"done": 2}


@ENGINES
def test_a_record_whose_mark_was_taken_away_is_of_nothing(db: Database, name: str) -> None:
    """What has the name of such a record is never replaced or dropped, as it may be the user's."""
    fill(db, installs=False)
    c = db.connection
    for kind, of in (("materialized", "made"), ("named function", "rp_one")):
        ((text,),) = db.run_query(f"SELECT definition FROM sqlrp_catalogue WHERE kind = '{kind}' AND name = '{of}'")
        plain = {key: value for key, value in json.loads(text).items() if key != "checksum"}
        assert plain["mark"]
        if "columns" in plain:
            plain["columns"] = ["id", "b0"]
        text = db.engine.string(stored.sealed({**plain, "mark": ""}))
        db.run(f"UPDATE sqlrp_catalogue SET definition = {text} WHERE kind = '{kind}' AND name = '{of}'")
    sqlrp.drop_search(c, "near")
    db.run("DROP TABLE made")
    db.run("CREATE TABLE made AS SELECT * FROM theirs")
    db.run(f"DROP {'MACRO' if name == 'duckdb' else 'FUNCTION'} rp_one")
    db.run(FUNCTIONS[name][0].replace("mine", "rp_one"))
    before = db.run_query("SELECT * FROM made"), db.run_query(FUNCTIONS[name][1].replace("mine", "rp_one"))
    with pytest.raises(ParameterError, match="not the table that sqlrp made"):
        sqlrp.materialize(BITS, WIDE, c, "made", output="bits", replace=True)
    with pytest.raises(SourceError, match="not the table that sqlrp made"):
        sqlrp.refresh(c, "made", everything=True)
    with pytest.raises(ParameterError, match="exists already"):
        sqlrp.create_function(FEW, c, "rp_one", n_features=9, replace=True)
    with pytest.raises(SourceError, match="is not the function"):
        sqlrp.drop_function(c, "rp_one")
    assert {"made", "rp_one"} <= {finding.name for finding in sqlrp.check(c, repair=True)}
    after = db.run_query("SELECT * FROM made"), db.run_query(FUNCTIONS[name][1].replace("mine", "rp_one"))
    assert before == after
