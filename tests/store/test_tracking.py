"""Tables that follow their source (`materialize(…, track=…)`): equal to a fresh projection after any changes."""

from __future__ import annotations

import copy
import pickle
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import DATABASES as NAMES
from databases import DOUBLES, Database, opened
from helpers import cells
from hypothesis import given, settings
from hypothesis import strategies as st

import sqlrp
from sqlrp import Array, Long, ParameterError, SourceError, SparseProjection, StatementError, UnsupportedError, Wide
from sqlrp._core.sources import Source, TableName
from sqlrp._engines.generic.dialect import Generic
from sqlrp._engines.registry import ENGINES
from sqlrp._store.row_changes import COUNTED, FINGERPRINT, Refreshed

RP = SparseProjection(k=3, s=1, seed=5)
D = 4

each = pytest.mark.parametrize("name", NAMES)
transacting = pytest.mark.parametrize("name", [name for name in NAMES if name != "clickhouse"])
ARRAYS = ("duckdb", "postgresql", "clickhouse")
layouts = pytest.mark.parametrize(
    ("name", "layout"), [(n, o) for n in NAMES for o in ("wide", "long", "array") if o != "array" or n in ARRAYS]
)

Row = tuple[Any, ...]
"""A label, then the features."""


@pytest.fixture
def db(name: str, tmp_path: Path) -> Iterator[Database]:
    yield from opened(name, tmp_path)


@dataclass
class Model:
    """A source, the rows that it should have, and a table that follows it."""

    db: Database
    layout: str
    output: str
    rows: dict[int, Row] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    version: int = 0
    table: str = "t"
    seen: dict[int, Row] = field(default_factory=dict)
    """the rows at the last refresh"""

    @property
    def source(self) -> Source:
        if self.layout == "long":
            return Long(self.table, n_features=D)
        if self.layout == "array":
            return Array(self.table, "x", keep=["label"])
        return Wide(self.table, keep=["label"], features=[f"f{j}" for j in range(D)])

    def put(self, key: int, row: Row | None) -> None:
        """Insert, change or delete (None) a row."""
        self.version += 1
        if row is None:
            self.rows.pop(key, None)
            self.versions.pop(key, None)
        elif self.rows.get(key) != row:
            self.rows[key], self.versions[key] = row, self.version

    def store(self) -> None:
        """Write the rows into the source, in the place of those that it has."""
        kind, bigint = DOUBLES[self.db.name], "BIGINT"
        at = [("id", bigint), ("v", bigint)]
        items = [(key, self.versions[key], label, list(x)) for key, (label, *x) in self.rows.items()]
        if self.layout == "long":
            lines = [[i, v, j, value] for i, v, _, x in items for j, value in enumerate(x) if j == 0 or value != 0]
            self.db.make(self.table, [*at, ("feature", "INTEGER"), ("value", kind)], lines)
            return
        text = [("label", "VARCHAR(40)")]
        features = [("x", self.db.array_of(kind))] if self.layout == "array" else [(f"f{j}", kind) for j in range(D)]
        wide = self.layout == "wide"
        self.db.make(self.table, [*at, *text, *features], [[i, v, s, *(x if wide else [x])] for i, v, s, x in items])

    def made(self, into: str) -> Any:
        return self.db.connector.fetch(
            self.db.connection, f"SELECT * FROM {self.db.engine.table(TableName.parse(into))}"
        )

    def cells(self, table: Any) -> dict[Any, Any]:
        return cells(table, self.output, RP.k, sparse=self.layout == "long")

    def check(self, into: str, result: Refreshed | None = None) -> None:
        """The table is that of a fresh projection, and the counts are those of the changes since the last check."""
        made = self.made(into)
        fresh = sqlrp.project(RP, self.source, self.db.connection, output=self.output)  # type: ignore[call-overload]
        found, want = self.cells(made), self.cells(fresh)
        assert found.keys() == want.keys() == self.rows.keys()
        for key, row in want.items():
            assert list(found[key]) == like(row), key
        if self.layout != "long":
            labels = dict(zip(made.column("id").to_pylist(), made.column("label").to_pylist(), strict=True))
            assert labels == {key: row[0] for key, row in self.rows.items()}
        if result is not None:
            shown = (lambda row: row[1:]) if self.layout == "long" else (lambda row: row)
            before, now = self.seen.keys(), self.rows.keys()
            changed = [key for key in before & now if shown(self.seen[key]) != shown(self.rows[key])]
            want_counts = len(now - before), len(changed), len(before - now)
            assert (result.added, result.changed, result.removed) == want_counts
            assert result == len(now - before) + len(changed)
        self.seen = dict(self.rows)


def like(row: Any) -> list[Any]:
    """What equals the row but for the last digits."""
    return [None if value is None else pytest.approx(value, rel=1e-12, abs=1e-12) for value in row]


def drawn(rng: random.Random) -> Row:
    """A random row; few values, so that a change often keeps some of them."""
    values = [rng.choice([0.0, 1.0, -2.5, 0.1, rng.uniform(-9, 9)]) for _ in range(D)]
    return (rng.choice(["a", "b", "ä,'", None]), *values)


def change(model: Model, rng: random.Random, times: int) -> None:
    """Random changes."""
    for _ in range(times):
        key = rng.randrange(len(model.rows) + len(model.rows) // 4 + 2)
        act = rng.random()
        if act < 0.25 and len(model.rows) > 2:
            model.put(key, None)
        elif act < 0.6 and key in model.rows:
            row = list(model.rows[key])
            at = rng.randrange(1, D + 1)
            row[at] = drawn(rng)[at]
            model.put(key, tuple(row))
        else:
            model.put(key, drawn(rng))


# -- equal to a fresh projection -------------------------------------------------------------------------


@layouts
def test_after_a_thousand_changes_the_table_is_that_of_a_fresh_projection(db: Database, name: str, layout: str) -> None:
    rng = random.Random(f"{name} {layout}")
    outputs = ["columns", "long", *(["array"] if db.engine.has_arrays else [])]
    at = ("wide", "array", "long").index(layout)
    made = [("rows", outputs[at % len(outputs)]), ("v", outputs[(at + 1) % len(outputs)])]
    model = Model(db, layout, "columns")
    for key in range(300):
        model.put(key, drawn(rng))
    model.store()
    for track, output in made:
        options: dict[str, Any] = {"output": output, "track": track}
        assert sqlrp.materialize(RP, model.source, db.connection, track, **options) == 300
    before = dict(model.rows)
    change(model, rng, 1_000)
    model.store()
    for track, output in made:
        model.seen, model.output = before, output
        result = sqlrp.refresh(db.connection, track, removals=1)
        model.check(track, result if track == "rows" else None)  # versions grow where a value changes back, too
        again = sqlrp.refresh(db.connection, track)
        assert (again, again.changed, again.removed) == (0, 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "layout"), [("sqlite", "wide"), ("sqlite", "long"), ("duckdb", "array")])
def test_any_changes_between_refreshes(db: Database, name: str, layout: str) -> None:
    numbers = st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e300, 5e-324])
    rows = st.tuples(st.sampled_from(["a", "", "NULL", "1,2", None]), *[numbers] * D)
    puts = st.lists(st.tuples(st.integers(0, 5), st.none() | rows), max_size=6)

    @settings(max_examples=8)
    @given(first=puts, steps=st.lists(puts, min_size=1, max_size=3), track=st.sampled_from(["rows", "v"]))
    def run(first: Any, steps: Any, track: str) -> None:
        model = Model(db, layout, "columns")
        model.put(9, ("always", 1.0, 1.0, 1.0, 1.0))
        for key, row in first:
            model.put(key, row)
        model.store()
        sqlrp.materialize(RP, model.source, db.connection, "made", track=track, replace=True)
        model.check("made")
        for step in steps:
            for key, row in step:
                model.put(key, row)
            model.store()
            result = sqlrp.refresh(db.connection, "made", removals=1)
            model.check("made", result if track == "rows" else None)

    run()


@each
def test_small_differences_are_changes(db: Database, name: str) -> None:
    pairs: list[tuple[Row, Row]] = [
        (("a", 1.0, None, 0.0, 0.0), ("a", None, 1.0, 0.0, 0.0)),
        (("a", 1.0, 2.0, 0.0, 0.0), ("a", 2.0, 1.0, 0.0, 0.0)),
        (("a", 12.0, 3.0, 0.0, 0.0), ("a", 1.0, 23.0, 0.0, 0.0)),
        (("a", 0.1, 0.0, 0.0, 0.0), ("a", float(np.nextafter(0.1, 1)), 0.0, 0.0, 0.0)),
        (("a", 1e300, 0.0, 0.0, 0.0), ("a", float(np.nextafter(1e300, 1)), 0.0, 0.0, 0.0)),
        (("a", 1.0, None, None, None), (None, 1.0, None, None, None)),
        (("", 1.0, 1.0, 1.0, 1.0), (None, 1.0, 1.0, 1.0, 1.0)),
        (("NULL", 1.0, 1.0, 1.0, 1.0), (None, 1.0, 1.0, 1.0, 1.0)),
        (("-", 1.0, 1.0, 1.0, 1.0), (None, 1.0, 1.0, 1.0, 1.0)),
        (("a", 1.0, 1.0, 1.0, 1.0), ("a ", 1.0, 1.0, 1.0, 1.0)),
        (("a", 1.0, 1.0, 1.0, 1.0), ("A", 1.0, 1.0, 1.0, 1.0)),
        (("a'", 0.0, 0.0, 0.0, 0.0), ("a''", 0.0, 0.0, 0.0, 0.0)),
        ((None, None, None, None, None), (None, 0.0, 0.0, 0.0, 0.0)),
    ]
    model = Model(db, "wide", "columns")
    for key, (old, _) in enumerate(pairs):
        model.put(key, old)
    model.store()
    sqlrp.materialize(RP, model.source, db.connection, "made", track="rows")
    model.check("made")
    for key, (_, new) in enumerate(pairs):
        model.put(key, new)
    model.store()
    model.check("made", sqlrp.refresh(db.connection, "made"))


@each
def test_narrow_floats_and_features_of_every_kind_are_followed(db: Database, name: str) -> None:
    kinds = {"postgresql": "real", "sqlite": "REAL", "clickhouse": "Float32"}
    a = float(np.float32(0.1))
    b = float(np.nextafter(np.float32(0.1), np.float32(1)))
    columns = [
        ("id", "BIGINT"),
        ("f0", kinds.get(name, "FLOAT")),
        ("f1", "INTEGER"),
        ("f2", "DECIMAL(9,3)"),
        ("f3", "BOOLEAN"),
    ]
    before = [
        [1, a, 1, 0.5, True],
        [2, a, 1, 0.5, True],
        [3, a, 1, 0.5, True],
        [4, a, 1, 0.5, True],
        [5, a, 1, 1, True],
    ]
    after = [[1, b, 1, 0.5, True], [2, a, 2, 0.5, True], [3, a, 1, 0.501, True], [4, a, 1, 0.5, False], before[4]]
    db.make("t", columns, before)
    sqlrp.materialize(RP, "t", db.connection, "made", track="rows")
    db.make("t", columns, after)
    result = sqlrp.refresh(db.connection, "made")
    assert (result.added, result.changed, result.removed) == (0, 4, 0)


@each
def test_many_features(db: Database, name: str) -> None:
    rng = np.random.default_rng(2)
    d = 900 if name == "sqlite" else 90  # more than a chain of operators may have in SQLite
    x = rng.normal(size=(3, d)).round(3)
    source = db.load("wide", x.tolist())
    sqlrp.materialize(RP, source, db.connection, "made", track="rows")
    x[1, d - 1] += 1
    db.load("wide", x[1:].tolist(), ids=[1, 2])
    result = sqlrp.refresh(db.connection, "made")
    assert (result.added, result.changed, result.removed) == (0, 1, 1)
    found = cells(db.connector.fetch(db.connection, "SELECT * FROM made"), "columns", RP.k)
    assert found == {key: like(row) for key, row in db.projected(RP, source).items()}


# -- what else may happen --------------------------------------------------------------------------------


@each
def test_what_is_gone_can_stay(db: Database, name: str) -> None:
    model = Model(db, "wide", "columns")
    for key in range(5):
        model.put(key, ("a", *[float(key)] * D))
    model.store()
    sqlrp.materialize(RP, model.source, db.connection, "made", track="rows")
    model.put(0, None)
    model.put(1, ("b", *[9.0] * D))
    model.store()
    result = sqlrp.refresh(db.connection, "made", remove=False)
    assert (result.added, result.changed, result.removed) == (0, 1, 0)
    assert set(model.cells(model.made("made"))) == {0, 1, 2, 3, 4}
    with pytest.raises(ParameterError, match="everything=True"):
        sqlrp.refresh(db.connection, "made", everything=True, remove=False)
    result = sqlrp.refresh(db.connection, "made")
    assert (result.added, result.changed, result.removed) == (0, 0, 1)
    model.check("made")
    for key in range(5):
        model.put(key, None)
    model.store()
    result = sqlrp.refresh(db.connection, "made", removals=1)  # a table may become empty, and fill again
    assert (result.added, result.changed, result.removed) == (0, 0, 4)
    model.check("made")
    model.put(7, ("c", *[1.0] * D))
    model.store()
    assert sqlrp.refresh(db.connection, "made").added == 1
    result = sqlrp.refresh(db.connection, "made", everything=True)
    assert (result, result.added, result.changed, result.removed) == (1, 1, 0, 0)
    model.check("made")


@each
def test_a_table_left_by_a_user_is_mended(db: Database, name: str) -> None:
    model = Model(db, "wide", "columns")
    for key in range(4):
        model.put(key, ("a", *[float(key)] * D))
    model.store()
    sqlrp.materialize(RP, model.source, db.connection, "made", track="rows")
    db.run("DELETE FROM made WHERE id = 2")
    result = sqlrp.refresh(db.connection, "made")
    assert (result.added, result.changed, result.removed) == (1, 0, 0)
    model.check("made")
    # A copy of a row has a known mark, and one row more and one less leave their number as it was.
    db.run("INSERT INTO t SELECT * FROM t WHERE id = 1")
    db.run(f"DELETE FROM t WHERE id = 3{' SETTINGS mutations_sync = 1' if name == 'clickhouse' else ''}")
    for remove in (True, False):
        with pytest.raises(SourceError, match="comes more than once: 1"):
            sqlrp.refresh(db.connection, "made", remove=remove)
    assert set(model.cells(model.made("made"))) == {0, 1, 2, 3}


def test_prepared_and_text_features(con: Any) -> None:
    con.execute(
        "CREATE TABLE words AS SELECT i // 3 AS doc, 'w' || (i % 7) AS word, i % 5 + 1 AS n FROM range(60) r(i)"
    )
    source = sqlrp.Standardized(Long("words", "doc", "word", "n"), "l2")
    sqlrp.materialize(RP, source, con, "made", track="rows", output="array")
    con.execute("UPDATE words SET n = 9 WHERE doc = 3 AND word = 'w2'")
    con.execute("DELETE FROM words WHERE doc = 4")
    con.execute("INSERT INTO words VALUES (99, 'new', 1)")
    result = sqlrp.refresh(con, "made")
    assert (result.added, result.changed, result.removed) == (1, 1, 1)
    fresh = cells(sqlrp.project(RP, source, con, output="array"), "array", RP.k, key="doc")
    made = cells(con.sql("FROM made").to_arrow_table(), "array", RP.k, key="doc")
    assert made == {key: like(row) for key, row in fresh.items()}


@pytest.mark.parametrize("name", ["duckdb", "clickhouse"])
def test_vectors_follow_their_source(db: Database, name: str) -> None:
    model = Model(db, "array", "array")
    for key in range(4):
        model.put(key, ("a", *[float(key)] * D))
    model.store()
    sqlrp.materialize(RP, model.source, db.connection, "made", track="rows", output="vector")
    model.put(1, ("a", 5.0, 6.0, 7.0, 8.0))
    model.put(2, None)
    model.store()
    result = sqlrp.refresh(db.connection, "made")
    assert (result.added, result.changed, result.removed) == (0, 1, 1)
    fresh = sqlrp.project(RP, model.source, db.connection, output="vector")
    assert model.cells(model.made("made")) == model.cells(fresh)


def test_every_lowering_of_duckdb_keeps_the_marks(con: Any) -> None:
    con.execute(
        "CREATE TABLE t AS SELECT id, id % 7 AS a, id % 5 AS b, id % 3 AS c, 'x' || id AS s FROM range(50) r(id)"
    )
    marks: set[Any] = set()
    for lowering in ("inline", "indexed", "relational", "native", "auto"):
        sqlrp.materialize(RP, Wide("t", keep=["s"]), con, lowering, track="rows", lowering=lowering)
        marks.add(tuple(con.execute(f"SELECT id, s, {FINGERPRINT} FROM {lowering} ORDER BY id").fetchall()))
        con.execute("UPDATE t SET a = a + 1 WHERE id < 3")
        assert sqlrp.refresh(con, lowering).changed == 3
        con.execute("UPDATE t SET a = a - 1 WHERE id < 3")
    assert len(marks) == 1


@transacting
def test_changes_are_found_in_an_open_transaction(db: Database, name: str) -> None:
    model = Model(db, "wide", "columns")
    for key in range(4):
        model.put(key, ("a", *[float(key)] * D))
    model.store()
    sqlrp.materialize(RP, model.source, db.connection, "made", track="rows")
    before = sorted(model.made("made").to_pylist(), key=lambda row: row["id"])
    db.run("BEGIN")
    db.run("UPDATE t SET f0 = 5 WHERE id = 1")
    db.run("DELETE FROM t WHERE id = 2")
    result = sqlrp.refresh(db.connection, "made")
    assert (result.changed, result.removed) == (1, 1)
    db.run("ROLLBACK")
    assert sorted(model.made("made").to_pylist(), key=lambda row: row["id"]) == before
    assert sqlrp.refresh(db.connection, "made") == 0


@transacting
def test_concurrent_writers(db: Database, name: str) -> None:
    """Others change the source while it is refreshed; once they stop, one refresh makes the table equal."""
    model = Model(db, "wide", "columns")
    for key in range(30):
        model.put(key, ("a", *[float(key)] * D))
    model.store()
    pool = db.pool()
    sqlrp.materialize(RP, model.source, pool, "made", track="rows")
    wrong: list[BaseException] = []

    def write(seed: int) -> None:
        rng, own = random.Random(seed), db.pool()
        try:
            for step in range(15):
                key = rng.randrange(40)
                texts = [
                    f"UPDATE t SET f{rng.randrange(D)} = {rng.choice([0.5, 1.5])} WHERE id = {key}",
                    f"DELETE FROM t WHERE id = {key}",
                    f"INSERT INTO t VALUES ({100 * seed + step}, 1, 'n', 1, 2, 3, {step})",
                ]
                try:
                    db.connector.execute(own, rng.choice(texts))
                except StatementError as error:  # a deadlock, a lock or a conflict: its changes are undone
                    if not any(word in error.words.lower() for word in ("lock", "conflict")):
                        raise
        except BaseException as error:
            wrong.append(error)
        finally:
            (own.close if name == "duckdb" else own.dispose)()

    writers = [threading.Thread(target=write, args=(seed,)) for seed in (1, 2)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        time.sleep(0.02)  # so that the writers get the lock of SQLite's file
        try:
            sqlrp.refresh(pool, "made")
        except StatementError as error:  # one of two transactions that wait for each other is refused
            if not any(word in error.words.lower() for word in ("deadlock", "locked", "conflict")):
                raise
    for writer in writers:
        writer.join()
    assert not wrong, wrong
    sqlrp.refresh(pool, "made")
    fresh = model.cells(sqlrp.project(RP, model.source, db.connection))
    made = model.cells(model.made("made"))
    assert made == {key: like(row) for key, row in fresh.items()}
    (pool.close if name == "duckdb" else pool.dispose)()


# -- what is refused -------------------------------------------------------------------------------------


def test_refusals(con: Any) -> None:
    con.execute("CREATE TABLE t AS SELECT id, id % 7 AS a, id % 5 AS b, id AS v, 1 AS grp FROM range(20) r(id)")
    with pytest.raises(SourceError, match="'w' is no column of t"):
        sqlrp.materialize(RP, "t", con, "made", track="w")
    with pytest.raises(ParameterError, match="is the key"):
        sqlrp.materialize(RP, "t", con, "made", track="id")
    with pytest.raises(ParameterError, match="track = 3 must be"):
        sqlrp.materialize(RP, "t", con, "made", track=3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="has no key"):
        sqlrp.materialize(RP, Wide("t", key=None), con, "made", track="rows")
    with pytest.raises(ParameterError, match="sums groups"):
        sqlrp.materialize(sqlrp.BilinearPooling(k=4, t=1), Wide("t", key="grp"), con, "made", track="rows")
    con.execute("UPDATE t SET v = NULL WHERE id < 3")
    with pytest.raises(SourceError, match="'v' of \"t\" is NULL in 3 rows"):
        sqlrp.materialize(RP, "t", con, "made", track="v")
    con.execute(f"CREATE TABLE own AS SELECT id, a AS {FINGERPRINT} FROM t")
    with pytest.raises(SourceError, match="the name of a mark"):
        sqlrp.materialize(RP, "own", con, "made", track="rows")
    con.execute(f"CREATE TABLE cells AS SELECT id, 0 AS {COUNTED}, 1.0 AS value, 1 AS v FROM t")
    with pytest.raises(SourceError, match="the name of a mark"):
        sqlrp.materialize(RP, Long("cells", feature=COUNTED, n_features=3), con, "made", track="v")
    assert con.execute("SELECT count(*) FROM information_schema.tables WHERE table_name = 'made'").fetchone() == (0,)
    with pytest.raises(UnsupportedError, match="track a column that grows"):
        Generic().row_hash([])


@pytest.mark.parametrize("name", ["postgresql"])
def test_a_view_is_not_tracked(db: Database, name: str) -> None:
    with pytest.raises(ParameterError, match="a view is recomputed"):
        sqlrp.materialize(RP, "t", db.connection, "made", kind="view", track="rows")


@each
def test_a_changed_schema_is_refused(db: Database, name: str) -> None:
    model = Model(db, "wide", "columns")
    for key in range(3):
        model.put(key, ("a", *[float(key)] * D))
    model.store()
    sqlrp.materialize(RP, model.source, db.connection, "made", track="v")
    before = sorted(model.made("made").to_pylist(), key=lambda row: row["id"])
    kind = DOUBLES[name]
    for columns in (
        [("id", "BIGINT"), ("label", "VARCHAR(40)"), *((f"f{j}", kind) for j in range(D))],  # no version
        [("id", "BIGINT"), ("v", "VARCHAR(9)"), ("label", "VARCHAR(40)"), *((f"f{j}", kind) for j in range(D))],
        [("id", "BIGINT"), ("v", "BIGINT"), ("label", "VARCHAR(40)"), *((f"f{j}", kind) for j in range(D - 1))],
    ):
        db.make("t", columns, [])
        with pytest.raises(SourceError):
            sqlrp.refresh(db.connection, "made")
        assert sorted(model.made("made").to_pylist(), key=lambda row: row["id"]) == before
    model.store()
    db.run("ALTER TABLE t ADD COLUMN more INTEGER")  # a new column is no feature of the table
    assert sqlrp.refresh(db.connection, "made") == 0


@each
def test_sums_of_hashes_are_those_of_every_version(db: Database, name: str) -> None:
    # Tables keep them: with other sums, a refresh after an update would take every row as changed.
    hashes = [2**60 - 1, 2**59 + 12_345_678_901, 2**31, 2**30 - 1, *(2**60 - 3**i for i in range(30)), 1]
    db.make("hashes", [("h", "Int64" if name == "clickhouse" else "BIGINT")], [[h] for h in hashes])
    ((got,),) = db.run_query(f"SELECT {db.engine.sum_of_hashes('h')} FROM hashes")
    low, high = (sum(part) % 2**30 for part in ([h % 2**30 for h in hashes], [h >> 30 for h in hashes]))
    want = {"sqlite": (high << 30) + low, "clickhouse": (sum(hashes) + 2**63) % 2**64 - 2**63}
    assert int(got) == want.get(name, sum(hashes) % (2**61 - 1))
    for other in ("spark", "databricks", "bigquery", "snowflake"):
        assert f" {2**61 - 1}" in ENGINES[other].sum_of_hashes("h")


def test_the_counts_are_a_whole_number() -> None:
    result = Refreshed(2, 3, 4)
    assert result == 5
    assert repr(result) == "Refreshed(added=2, changed=3, removed=4)"
    assert f"{result:,} {result}" == "5 5"
    for other in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert (other, other.added, other.changed, other.removed) == (5, 2, 3, 4)


def test_replace_may_change_the_tracking(con: Any) -> None:
    con.execute("CREATE TABLE t AS SELECT id, id % 7 AS a, id % 5 AS b, id AS v FROM range(20) r(id)")
    source = replace(Wide("t"), features=["a", "b"])
    sqlrp.materialize(RP, source, con, "made")
    con.execute("UPDATE t SET a = 8 WHERE id = 1")
    assert sqlrp.refresh(con, "made") == 0
    sqlrp.materialize(RP, source, con, "made", track="v", replace=True)
    con.execute("UPDATE t SET a = 9, v = 100 WHERE id = 1")
    assert sqlrp.refresh(con, "made").changed == 1
    assert [d[0] for d in con.execute("FROM made").description] == ["id", "v", "z0", "z1", "z2"]


@each
def test_one_statement_of_a_refresh_reads_the_features(
    db: Database, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others read at most the keys of the source: `tests/bench/follow.py` measures what that costs."""
    rng = random.Random(name)
    model = Model(db, "wide", "columns")
    for key in range(30):
        model.put(key, drawn(rng))
    model.store()
    sqlrp.materialize(RP, model.source, db.connection, "made", track="rows")
    model.put(3, drawn(rng))
    model.put(4, None)
    model.put(99, drawn(rng))
    model.store()
    statements: list[str] = []

    def watched(run: Any) -> Any:
        def call(connection: Any, sql: str, *more: Any) -> Any:
            statements.append(sql)
            return run(connection, sql, *more)

        return call

    store_and_ask = db.connector.store_and_ask

    def stored(connection: Any, steps: Any, query: str) -> Any:
        statements.extend([*(step.text for step in steps), query])
        return store_and_ask(connection, steps, query)

    monkeypatch.setattr(db.connector, "store_and_ask", stored)
    for called in ("execute", "fetch", "cells"):
        monkeypatch.setattr(db.connector, called, watched(getattr(db.connector, called)))
    assert sqlrp.refresh(db.connection, "made").removed == 1
    quoted = db.engine.quote("t")
    different = dict.fromkeys(statements)  # one method may call the other
    reading = [sql for sql in different if f"FROM {quoted}" in sql or f"JOIN {quoted}" in sql]
    assert sum(db.engine.quote("f0") in sql for sql in reading) == 1
    assert sum(sql.count(quoted) for sql in reading) == 3  # also the number of keys, and the keys that are gone
