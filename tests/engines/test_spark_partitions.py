"""Tables of Parquet on Spark that are kept by partitions: made, refreshed, tracked; what fails leaves them whole."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from altered_records import VALUES, Kept, alterations
from helpers import assert_close, assert_one_line, cells, oracle
from sparks import end_at, needs_spark

import sqlrp
from sqlrp import Array, Long, ParameterError, SourceError, SparseProjection, UnsupportedError, Wide
from sqlrp._core.errors import SqlrpError, StatementError
from sqlrp._core.sources import TableName
from sqlrp._engines.spark.parquet import Parquet
from sqlrp._store.auxiliary_names import old_name, temporary_name
from sqlrp._store.catalogue import keeper
from sqlrp._store.materialize import materialized
from sqlrp._store.table import RECORDED, Catalogue, Row

needs_spark()

P = SparseProjection(k=3, s=1, seed=1)
D = 4
Rows = dict[int, tuple[Any, list[float]]]
"""The partition and the numbers of each row, by its key."""
DAYS = [datetime.date(2026, 1, day) for day in (1, 2, 3)]
TEXTS = ["it's", "a=b/c", 'ü "`\\ %']
NOW = datetime.datetime(2026, 1, 1, 12, 30)
RNG = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def clean(spark: Any, interpreted: None) -> Iterator[None]:
    """Drop all tables and views afterwards."""
    yield
    for name, noun in named(spark).items():
        spark.sql(f"DROP {noun} `{name}`")


def named(spark: Any) -> dict[str, str]:
    """The tables and temporary views."""
    return {row.tableName: "VIEW" if row.isTemporary else "TABLE" for row in spark.sql("SHOW TABLES").collect()}


def some(*parts: Any) -> Rows:
    return {key: (part, RNG.normal(size=D).round(3).tolist()) for key, part in enumerate(parts)}


def put(spark: Any, rows: Rows, layout: str = "wide", kind: str = "BIGINT", by: str = "part", table: str = "t") -> Any:
    """A view of the rows, and the source that reads it."""
    columns = "x ARRAY<DOUBLE>" if layout == "array" else ", ".join(f"f{j} DOUBLE" for j in range(D))
    values = [(key, i, *([x] if layout == "array" else x), part) for i, (key, (part, x)) in enumerate(rows.items())]
    schema = f"id BIGINT, version BIGINT, {columns}, `{by.replace('`', '``')}` {kind}"
    spark.createDataFrame(values, schema).createOrReplaceTempView(table)
    return Array(table, "x") if layout == "array" else Wide(table, features=[f"f{j}" for j in range(D)])


def held(spark: Any, rows: Rows, output: str = "columns", by: str = "part", projection: Any = P) -> None:
    """The table has the oracle's numbers of these rows, each in its partition and in no other."""
    found = spark.table("kept").toArrow()
    parts = dict(zip(found.column("id").to_pylist(), found.column(by).to_pylist(), strict=True))
    assert parts == {key: part for key, (part, _) in rows.items()}
    names = ("id", "component", "value", "z", *(f"z{c}" for c in range(projection.k)))
    of = cells(found.select([name for name in names if name in found.column_names]), output, projection.k)
    want = oracle(projection, np.array([x for _, x in rows.values()]))
    assert_close({i: of[key] for i, key in enumerate(rows)}, want, np.full(len(want), np.abs(want).max()))
    listed = [row.partition for row in spark.sql("SHOW PARTITIONS kept").collect()]
    assert len(listed) == len({part for part, _ in rows.values()})


def files(spark: Any) -> dict[str, float]:
    """The files of the table, with the times at which they were written."""
    where = spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:")
    found = (Path(where) / "kept").rglob("*.parquet")
    return {str(path): path.stat().st_mtime_ns for path in found}


@pytest.mark.parametrize(
    ("layout", "output", "track"),
    [
        ("wide", "columns", "rows"),
        ("wide", "columns", "version"),
        ("wide", "columns", None),
        ("array", "array", "rows"),
        ("wide", "long", None),
    ],
)
def test_partitions_that_differ_are_overwritten(spark: Any, layout: str, output: Any, track: str | None) -> None:
    rows = some(1, 1, 2, 2, 3, 3, 4)
    source = put(spark, rows, layout)
    options: dict[str, Any] = {"partition_by": "part", "track": track, "output": output}
    assert sqlrp.materialize(P, source, spark, "kept", **options) == 7
    held(spark, rows, output)
    before = files(spark)
    assert repr(sqlrp.refresh(spark, "kept")) == "Refreshed(added=0, changed=0, removed=0)"
    assert files(spark) == before
    del rows[6]  # partition 4 is empty now
    rows |= {3: (5, rows[3][1]), 9: (1, RNG.normal(size=D).round(3).tolist())}  # 3 moves from partition 2 to 5
    put(spark, rows, layout)
    done = sqlrp.refresh(spark, "kept")
    assert (done, done.added, done.changed, done.removed) == (5, 1, 4, 1)
    held(spark, rows, output)
    third = [path for path in before if "part=3" in path]
    assert third
    assert {path: files(spark).get(path) for path in third} == {path: before[path] for path in third}
    changed = rows | {4: (3, RNG.normal(size=D).round(3).tolist())}
    put(spark, changed, layout)
    done = sqlrp.refresh(spark, "kept")
    if track is None:  # no key is new
        assert done == 0
        held(spark, rows, output)
        assert sqlrp.refresh(spark, "kept", partitions=[3]) == 2
    elif track == "rows":
        assert (done.added, done.changed, done.removed) == (0, 2, 0)
    if track != "version":  # the view counts its rows again, so other versions grew as well
        held(spark, changed, output)
    assert sqlrp.refresh(spark, "kept", everything=True) == 7
    held(spark, changed, output)
    assert spark.conf.get("spark.sql.sources.partitionOverwriteMode", "static").lower() == "static"
    assert sqlrp.check(spark) == []


@pytest.mark.parametrize(
    ("kind", "values", "named"),
    [("STRING", TEXTS, TEXTS[1]), ("DATE", DAYS, "2026-01-02"), ("BOOLEAN", [True, False], False)],
)
def test_partitions_of_other_types(spark: Any, kind: str, values: list[Any], named: Any) -> None:
    by = 'Tag "`é'
    rows = some(*values)
    source = put(spark, rows, kind=kind, by=by)
    sqlrp.materialize(P, source, spark, "kept", partition_by=by.upper(), track="rows")
    held(spark, rows, by=by)
    rows |= {1: (values[1], [1.0, 2.0, 3.0, 4.0]), 20: (values[0], [0.0, 1.0, 0.0, 1.0])}
    put(spark, rows, kind=kind, by=by)
    assert sqlrp.refresh(spark, "kept", partitions=[named]) == 1
    assert sqlrp.refresh(spark, "kept") == 2
    held(spark, rows, by=by)
    del rows[1]
    put(spark, rows, kind=kind, by=by)
    assert sqlrp.refresh(spark, "kept").removed == 1
    held(spark, rows, by=by)


def test_named_partitions_alone_are_read(spark: Any) -> None:
    rows = some(1, 1, 2, 2)
    sqlrp.materialize(P, put(spark, rows), spark, "kept", partition_by="part", track="rows")
    other = rows | {0: (1, [9.0, 9.0, 9.0, 9.0]), 2: (2, [8.0, 8.0, 8.0, 8.0])}
    put(spark, other)
    done = sqlrp.refresh(spark, "kept", partitions=[np.int64(2), 2])
    assert (done.added, done.changed, done.removed) == (0, 2, 0)
    held(spark, rows | {2: other[2]})
    del other[2], other[3]
    put(spark, other)
    assert sqlrp.refresh(spark, "kept", partitions=[2]).removed == 2
    held(spark, {0: rows[0], 1: rows[1]})
    assert sqlrp.refresh(spark, "kept", partitions=[7]) == 0
    moved = {0: rows[0], 1: (3, rows[1][1])}
    put(spark, moved)
    with pytest.raises(SourceError) as caught:
        sqlrp.refresh(spark, "kept", partitions=[3])
    assert_one_line(caught, "1 (from 1)", "name those partitions too")
    held(spark, {0: rows[0], 1: rows[1]})
    assert sqlrp.refresh(spark, "kept", partitions=[3, 1]) == 2
    held(spark, moved)


def test_rows_without_a_key_are_refreshed_by_name(spark: Any) -> None:
    rows = some(1, 2)
    source = put(spark, rows)
    sqlrp.materialize(P, Wide("t", key=None, features=source.features), spark, "kept", partition_by="part")
    with pytest.raises(ParameterError, match="name partitions, or pass everything=True"):
        sqlrp.refresh(spark, "kept")
    put(spark, rows | {2: (2, [1.0, 1.0, 1.0, 1.0])})
    assert sqlrp.refresh(spark, "kept", partitions=[2]) == 2
    assert sorted(spark.table("kept").toArrow().column("part").to_pylist()) == [1, 2, 2]


def test_what_fails_leaves_the_old_partitions(spark: Any) -> None:
    rows = some(1, 1, 2)
    sqlrp.materialize(P, put(spark, rows), spark, "kept", partition_by="part", track="rows", nulls="error")
    before = files(spark)
    bad: Any = [None, 1.0, 1.0, 1.0]
    put(spark, rows | {3: (1, [1.0, 1.0, 1.0, 1.0]), 4: (2, bad)})
    with pytest.raises(StatementError, match="NULL"):
        sqlrp.refresh(spark, "kept")
    assert files(spark) == before
    held(spark, rows)
    put(spark, {0: (None, rows[0][1])})
    for everything in (False, True):
        with pytest.raises(SourceError, match="is NULL or empty in 1 rows"):
            sqlrp.refresh(spark, "kept", everything=everything)
    held(spark, rows)


@pytest.mark.parametrize("at", ["INSERT INTO", "sqlrp.part", "RENAME TO `sqlrp", "RENAME TO `kept`", "DROP TABLE"])
def test_a_replacement_that_ends_anywhere_leaves_a_whole_table(
    spark: Any, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """As if the process ended there: no later statement of the call runs."""
    rows = some(1, 2, 2)
    source = put(spark, rows)
    sqlrp.materialize(P, source, spark, "kept", partition_by="part", track="rows")
    other = SparseProjection(k=2, s=1, seed=9)
    end_at(monkeypatch, at)
    with pytest.raises(StatementError, match="ended"):
        sqlrp.materialize(other, source, spark, "kept", partition_by="part", replace=True)
    monkeypatch.undo()
    whole = other if at == "DROP TABLE" else P  # the old table goes when the new one has its name
    assert sqlrp.refresh(spark, "kept") == 0
    held(spark, rows, projection=whole)
    assert sqlrp.refresh(spark, "kept", everything=True) == 3
    held(spark, rows, projection=whole)
    assert [name for name, noun in named(spark).items() if noun == "TABLE"] == ["kept"]


def test_left_overs_are_found_and_others_are_kept(spark: Any) -> None:
    source = put(spark, some(1, 2))
    left = temporary_name(TableName(("kept",)))
    for statement in Parquet().making_partitions(left, "SELECT 1 AS id, 1 AS part", f"sqlrp_{'0' * 32}", "part"):
        spark.sql(statement)
    assert [(finding.kind, finding.name) for finding in sqlrp.check(spark)] == [("left-over", left.parts[0])]
    sqlrp.materialize(P, source, spark, "kept", partition_by="part")
    assert sqlrp.check(spark) == []
    aside = old_name(TableName(("kept",))).parts[0]
    spark.sql(f"CREATE TABLE {aside} USING PARQUET AS SELECT 1 AS theirs")
    with pytest.raises(SourceError, match="is in the way of making"):
        sqlrp.materialize(P, source, spark, "kept", partition_by="part", replace=True)
    assert spark.table(aside).columns == ["theirs"]


def test_what_is_there_is_kept(spark: Any) -> None:
    rows = some(1, 2)
    source = put(spark, rows)
    spark.sql("CREATE TABLE kept USING PARQUET AS SELECT 1 AS theirs")
    for replace in (False, True):
        with pytest.raises(ParameterError, match="sqlrp did not make it"):
            sqlrp.materialize(P, source, spark, "kept", partition_by="part", replace=replace)
    with pytest.raises(SourceError, match="was not made by"):
        sqlrp.refresh(spark, "kept")
    spark.sql("DROP TABLE kept")
    sqlrp.materialize(P, source, spark, "kept", partition_by="part")
    with pytest.raises(ParameterError, match="made by the same projection"):
        sqlrp.materialize(P, source, spark, "kept", partition_by="part")
    other = SparseProjection(k=5, s=1, seed=3)
    assert sqlrp.materialize(other, source, spark, "kept", partition_by="part", replace=True) == 2
    held(spark, rows, projection=other)
    spark.sql("ALTER TABLE kept ADD COLUMN more INT")
    with pytest.raises(SourceError, match="columns of"):
        sqlrp.refresh(spark, "kept")


def test_a_record_goes_with_its_table(spark: Any) -> None:
    """A fitted projection is longer than one property of a table, and the table's new name has it, too."""
    rows = some(*([1] * 30))
    source = put(spark, rows)
    words = [f"a feature with a long name, number {i}" for i in range(200)]
    spark.createDataFrame([(0, 1, *range(200))], ["id", "part", *words]).createOrReplaceTempView("broad")
    broad = Wide("broad", features=words)
    sqlrp.materialize(SparseProjection(k=2, s=1, seed=1), broad, spark, "first", partition_by="part")
    assert len(spark.sql("SHOW TBLPROPERTIES first").collect()) > 5
    sqlrp.materialize(P, source, spark, "kept", partition_by="part", track="rows")
    assert {name: of for name, (of, _) in materialized(spark).items()} == {
        "first": SparseProjection(k=2, s=1, seed=1),
        "kept": P,
    }
    spark.sql("ALTER TABLE first RENAME TO second")
    spark.sql("MSCK REPAIR TABLE second SYNC PARTITIONS")  # a session without Hive loses its partitions otherwise
    assert sorted(materialized(spark)) == ["kept", "second"]
    assert sqlrp.refresh(spark, "second") == 0
    found = sqlrp.search(spark, "kept", rows[4][1], n=1)
    assert found.to_pylist() == [{"id": 4, "distance": 0.0}]


REFUSED: list[tuple[type[Exception], str, Callable[[Any], object]]] = [
    (ParameterError, "is the key", lambda spark: make(spark, partition_by="id")),
    (SourceError, "is no column of t", lambda spark: make(spark, partition_by="parts")),
    (ParameterError, "must be the name of one column", lambda spark: make(spark, partition_by=["part"])),
    (ParameterError, "is a column of double", lambda spark: make(spark, "DOUBLE", 1.5, partition_by="part")),
    (ParameterError, "is a column of timestamp", lambda spark: make(spark, "TIMESTAMP", NOW, partition_by="part")),
    (SourceError, "is NULL or empty in 1 rows", lambda spark: make(spark, "STRING", "", partition_by="part")),
    (ParameterError, "as a view is recomputed", lambda spark: make(spark, partition_by="part", kind="view")),
    (
        ParameterError,
        "sparse rows keep no column but the key",
        lambda spark: sqlrp.materialize(P, Long("cells"), spark, "kept", partition_by="part"),
    ),
    (ParameterError, "leave remove = False out", lambda spark: again(spark, remove=False)),
    (ParameterError, "leave partitions out", lambda spark: again(spark, everything=True, partitions=[1])),
    (ParameterError, "must be a list of values of 'part'", lambda spark: again(spark, partitions="1")),
    (ParameterError, "'1' is no value of 'part', which is a column of bigint", lambda s: again(s, partitions=["1"])),
    (ParameterError, "True is no value of 'part'", lambda spark: again(spark, partitions=[True])),
]


def make(spark: Any, of: str = "BIGINT", part: Any = 1, **options: Any) -> object:
    return sqlrp.materialize(P, put(spark, some(part), kind=of), spark, "kept", **options)


def again(spark: Any, **options: Any) -> object:
    make(spark, partition_by="part")
    return sqlrp.refresh(spark, "kept", **options)


@pytest.mark.parametrize(("error", "words", "call"), REFUSED, ids=[words for _, words, _ in REFUSED])
def test_what_cannot_be_done_is_refused(
    spark: Any, error: type[Exception], words: str, call: Callable[[Any], object]
) -> None:
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW cells AS SELECT 1 AS id, 1 AS part, 0 AS feature, 1 AS value")
    with pytest.raises(error) as caught:
        call(spark)
    assert_one_line(caught, words)


def test_partitions_are_for_spark(con: Any) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, 1 AS part, 2.0 AS f0")
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.materialize(P, Wide("t"), con, "kept", partition_by="part")
    assert_one_line(caught, "partition_by", "Spark")
    sqlrp.materialize(SparseProjection(k=1, s=1, seed=1), Wide("t"), con, "kept")
    with pytest.raises(ParameterError, match="made without partition_by"):
        sqlrp.refresh(con, "kept", partitions=[1])


@pytest.mark.slow
def test_an_altered_record_has_no_effect_on_what_is_not_ours(spark: Any) -> None:
    """Every second part of the record in turn has one of the values, and one of the calls meets it."""
    rows = some(1, 2, 2)
    source = put(spark, rows)
    spark.sql("CREATE TABLE theirs USING parquet AS SELECT 7 AS id, 8 AS b0")
    connector = keeper(spark)
    catalogue = Catalogue.looked_up(connector, spark)

    def made() -> Row:
        spark.sql("DROP TABLE IF EXISTS kept")
        sqlrp.materialize(P, source, spark, "kept", partition_by="part", track="version")
        row = catalogue.find(RECORDED, "kept")
        assert row is not None
        return row

    row, done = made(), Counter[str]()
    fields = dict.fromkeys(change.field for change in alterations(_record(row), 0))
    calls: list[Callable[[], object]] = [
        lambda: sqlrp.check(spark),
        lambda: sqlrp.search(spark, "kept", [1.0] * D, n=1),
        lambda: sqlrp.refresh(spark, "kept"),
        lambda: sqlrp.materialize(P, source, spark, "kept", partition_by="part", replace=True),
    ]
    values = [value for value in VALUES if not isinstance(value, str) or ("\0" not in value and "\ud800" not in value)]
    for at, field in enumerate(list(fields)[::2]):
        new = next(c for c in alterations(_record(row), values[at * 7 % len(values)]) if c.field == field).row
        connector.execute(spark, catalogue.putting(RECORDED, "kept", new.definition, new.fingerprint))
        try:
            calls[at % len(calls)]()
            done["done"] += 1
        except SqlrpError:
            done["refused"] += 1
        assert spark.sql("SELECT * FROM theirs").collect() == [(7, 8)], (field, new)
        tables = {name for name, noun in named(spark).items() if noun == "TABLE"}
        assert tables == {"kept", "theirs"}, (field, new)
        if catalogue.find(RECORDED, "kept") == Row("kept", new.definition, new.fingerprint, row.version):
            connector.execute(spark, catalogue.putting(RECORDED, "kept", row.definition, row.fingerprint))
        else:
            row = made()
    assert min(done["done"], done["refused"]) > 3, done
    assert sqlrp.refresh(spark, "kept", everything=True) == len(rows)
    held(spark, rows)


def _record(row: Row) -> Kept:
    return Kept(RECORDED, row.name, row.definition, str(row.fingerprint), str(row.version))
