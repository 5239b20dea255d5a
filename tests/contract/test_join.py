"""Tables projected before they are joined: equal to projecting the joined rows, on every engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cases import DATABASES as ENGINES
from cases import METHODS as EVERY_METHOD
from databases import DOUBLES, FAMILY, Database
from evaluate import evaluate
from helpers import METHODS, assert_one_line, cells, exact, oracle

import sqlrp
from sqlrp import (
    Array,
    Join,
    LimitError,
    Long,
    ParameterError,
    Projection,
    SourceError,
    Standardized,
    UnsupportedError,
    Wide,
)
from sqlrp._core.numbers import DOUBLE, Number
from sqlrp._engines.registry import ENGINES as BY_NAME
from sqlrp._lowering import join
from sqlrp._projections.trained import TrainedProjection

RNG = np.random.default_rng(7)
FACT, BUYERS, GOODS = RNG.normal(size=(10, 2)), RNG.normal(size=(4, 3)), RNG.normal(size=(3, 4))
BUYER, SELLER, GOOD = RNG.integers(0, 4, 10), RNG.integers(0, 4, 10), RNG.integers(0, 3, 10)
JOINED = np.hstack([FACT, BUYERS[BUYER], BUYERS[SELLER], GOODS[GOOD]])
WIDER = [name for name in ENGINES if BY_NAME[name].type_name(Number("int", 80))]
"""The engines that have a type of whole numbers beyond 64 bits."""
WAYS = [("inline", "tables"), ("relational", "tables"), ("auto", "features"), ("inline", "features")]
"""A requested lowering, and what is joined: the sums of tables, or their features."""


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Leave one way to plan a join."""

    def refuse(*_: Any) -> Any:
        raise UnsupportedError("the other way is tested")

    return lambda way: monkeypatch.setattr(join, {"tables": "job_of_join", "features": "_by_table"}[way], refuse)


def make(
    db: Database, kind: str | None = None, tables: Sequence[Any] = (FACT, BUYERS, GOODS), some: Any = None
) -> Join:
    """A fact that refers to buyers twice and to goods once, whose columns have names in capitals and with spaces."""
    fact, buyers, goods = tables
    kind = kind or DOUBLES[db.name]
    whole, text = "BIGINT", {"clickhouse": "String", "mariadb": "VARCHAR(9)"}.get(db.name, "VARCHAR(9)")

    def features(n: int, letter: str) -> list[tuple[str, str]]:
        return [(f"{letter} {j}", kind) for j in range(n)]

    rows = [[i, "abc"[i % 3], int(BUYER[i]), int(SELLER[i]), f"g{GOOD[i]}", *row] for i, row in enumerate(listed(fact))]
    for i, column in some or ():
        rows[i][column] = None
    head = [("id", whole), ("label", text), ("Buyer", whole), ("seller", whole), ("a good", text)]
    return Join(
        Wide(db.make("fact", [*head, *features(len(fact[0]), "v")], rows), keep=["label"]),
        {
            "Buyer": Wide(db.make("buyers", [("no", whole), *features(3, "b")], keyed(buyers, range(9))), key="no"),
            "seller": Wide('"buyers"', key="no"),
            "a good": Wide(
                db.make("goods", [("Sku", text), *features(4, "w")], keyed(goods, [f"g{i}" for i in range(9)])),
                key="Sku",
            ),
        },
    )


def listed(table: Any) -> list[list[Any]]:
    rows = table.tolist() if isinstance(table, np.ndarray) else table
    return [[None if v is None or v != v else v for v in row] for row in rows]


def keyed(table: Any, keys: Any) -> list[list[Any]]:
    return [[key, *row] for key, row in zip(keys, listed(table), strict=False)]


def close(got: dict[Any, list[Any]], want: Any, rtol: float = 1e-9) -> None:
    assert sorted(got) == list(range(len(want)))
    for i, row in got.items():
        np.testing.assert_allclose(np.array(row, dtype=float), want[i], rtol=0, atol=rtol * np.abs(want).max())


@pytest.mark.parametrize("method", ["linear", "degree3-c"])
@pytest.mark.parametrize(("lowering", "way"), WAYS)
@pytest.mark.parametrize("name", ENGINES)
def test_equal_to_projecting_the_joined_rows(
    db: Database, only: Any, name: str, lowering: str, way: str, method: str
) -> None:
    projection, source = METHODS[method], make(db)
    only(way)
    output = "array" if db.engine.has_arrays and lowering == "inline" else "long" if method == "linear" else "columns"
    result = sqlrp.project(projection, source, db.connection, output=output, lowering=lowering)  # type: ignore[arg-type]
    close(cells(result, output, projection.k), oracle(projection, JOINED))
    assert result.column_names[:2] == ["id", "label"]
    assert set(zip(result["id"].to_pylist(), result["label"].to_pylist(), strict=True)) == {
        (i, "abc"[i % 3]) for i in range(10)
    }


@pytest.mark.parametrize("method", [*METHODS, *(m for m, p in EVERY_METHOD.items() if p.bound_to is None)])
def test_every_method(con: Any, method: str) -> None:
    db = Database("duckdb", con, "main")
    source, projection = make(db), {**METHODS, **EVERY_METHOD}[method]
    if isinstance(projection, TrainedProjection):
        projection = type(projection)(
            **{**projection.parameters(), "bound_to": None, "state": None, "sample": 10, "k": 3}
        ).fit(JOINED)
    close(db.projected(projection, source), oracle(projection, JOINED))


@pytest.mark.parametrize("way", ["tables", "features"])
@pytest.mark.parametrize("name", ENGINES)
def test_missing_rows_are_rows_of_nulls(db: Database, only: Any, name: str, way: str) -> None:
    only(way)
    projection = METHODS["degree3-c"]  # with a constant, which a missing row must not take away
    goods = GOODS.copy()
    goods[1, 2] = np.nan
    # Row 3 refers to no buyer, row 5 to one that is not there (the fact knows four), and goods have a hole.
    source = make(db, tables=(FACT, BUYERS, goods), some=[(3, 2)])
    db.run("INSERT INTO fact SELECT 10, 'a', 99, 0, 'g0', 1.5, 2.5")
    joined = np.hstack([FACT, BUYERS[BUYER], BUYERS[SELLER], goods[GOOD]])
    joined[3, 2:5] = np.nan
    joined = np.vstack([joined, np.concatenate([[1.5, 2.5], [np.nan] * 3, BUYERS[0], goods[0]])])
    absent = np.isnan(joined).any(axis=1)
    assert 2 < absent.sum() < 10
    got = db.projected(projection, source)
    assert [i for i, row in sorted(got.items()) if row == [None] * projection.k] == np.flatnonzero(absent).tolist()
    assert all(None not in got[i] for i in np.flatnonzero(~absent))
    for lowering in ("inline", "relational"):
        close(
            db.projected(projection, source, nulls="zero", lowering=lowering), oracle(projection, np.nan_to_num(joined))
        )
    with pytest.raises(sqlrp.StatementError if name not in FAMILY else sqlrp.SqlrpError):
        sqlrp.project(projection, source, db.connection, nulls="error")


@pytest.mark.parametrize("lowering", ["auto", "inline", "relational", "indexed"])
def test_a_sketch_of_missing_rows_is_a_row_of_nulls(con: Any, lowering: str) -> None:
    """A key that is NULL, and one that refers to no row: what a convolution reads is NULL, and no list with NULLs."""
    db, projection = Database("duckdb", con, "main"), EVERY_METHOD["tensor-sketch-3"]
    source = make(db, some=[(3, 2)])
    db.run("UPDATE fact SET seller = 99 WHERE id = 5")
    got, want = db.projected(projection, source, lowering=lowering), oracle(projection, JOINED)
    for i in range(len(JOINED)):
        if i in (3, 5):
            assert got[i] == [None] * projection.k
        else:
            np.testing.assert_allclose(got[i], want[i], rtol=0, atol=1e-9 * np.abs(want).max())


@pytest.mark.parametrize("way", ["tables", "features"])
@pytest.mark.parametrize("name", ENGINES)
def test_whole_numbers_stay_exact(db: Database, only: Any, name: str, way: str) -> None:
    only(way)
    tables = [RNG.integers(-(2**50), 2**50, t.shape).astype(object).tolist() for t in (FACT, BUYERS, GOODS)]
    f, b, g = tables
    joined = [f[i] + b[BUYER[i]] + b[SELLER[i]] + g[GOOD[i]] for i in range(10)]
    projection = METHODS["linear-s1"]
    got = db.projected(projection, make(db, "BIGINT", tables), scale=False)
    want = oracle(projection, exact(joined), scale=False)
    assert {i: [int(v) for v in row] for i, row in got.items()} == {i: list(row) for i, row in enumerate(want)}  # type: ignore[arg-type]


@pytest.mark.parametrize("way", ["tables", "features"])
@pytest.mark.parametrize("name", WIDER)
def test_whole_numbers_of_64_bits_stay_exact_in_every_table(db: Database, only: Any, name: str, way: str) -> None:
    """A table's own sums are exact too: as floats they would lose the last digits of numbers beyond 2^53."""
    only(way)
    tables = [RNG.integers(-(2**62), 2**62, t.shape).astype(object).tolist() for t in (FACT, BUYERS, GOODS)]
    f, b, g = tables
    joined = [f[i] + b[BUYER[i]] + b[SELLER[i]] + g[GOOD[i]] for i in range(10)]
    projection = METHODS["linear-s1"]
    for lowering in ("inline", "relational"):
        got = db.projected(projection, make(db, "BIGINT", tables), scale=False, lowering=lowering)
        want = oracle(projection, exact(joined), scale=False)
        assert {i: [int(v) for v in row] for i, row in got.items()} == {i: list(row) for i, row in enumerate(want)}  # type: ignore[arg-type]


def test_a_fact_of_keys_and_an_embedding_column(con: Any) -> None:
    con.execute("CREATE TABLE fact AS SELECT range AS id, range % 3 AS doc, 'x' AS z FROM range(7)")
    con.execute("CREATE TABLE docs AS SELECT range AS id, [range * 1.5, 2, 3 - range]::FLOAT[3] AS e FROM range(3)")
    x = np.array([[i % 3 * 1.5, 2, 3 - i % 3] for i in range(7)])
    for lowering in ("inline", "indexed", "relational"):
        for method in ("linear", "degree3-c"):
            source = Join(Wide("fact"), {"doc": Array("docs", "e")})
            got = cells(sqlrp.project(METHODS[method], source, con, lowering=lowering), "columns", METHODS[method].k)
            close(got, oracle(METHODS[method], x), 1e-6)  # FLOAT
    con.execute("CREATE TABLE one AS SELECT 7 AS id, CAST(2 AS FLOAT) AS a, CAST(0.1 AS DOUBLE) AS b, 1 AS doc")
    got = cells(
        sqlrp.project(METHODS["linear"], Join(Wide("one"), {"doc": Array("docs", "e")}), con), "columns", 7, "id"
    )
    want = oracle(METHODS["linear"], np.array([[2, 0.1, 1.5, 2, 2]]))
    np.testing.assert_allclose(got[7], want[0], atol=1e-12)  # type: ignore[arg-type]  # in DOUBLE, as one column is


def test_more_terms_than_a_statement_holds(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    db = Database("duckdb", con, "main")
    source = make(db)
    engine = type(BY_NAME["duckdb"])
    for terms in (4, 12):  # every table's sums in several steps; or each in a table of its own
        monkeypatch.setattr(engine, "limits", replace(engine.limits, terms=terms))
        for method in ("linear", "degree3-c"):
            close(db.projected(METHODS[method], source, lowering="inline"), oracle(METHODS[method], JOINED))
            text = sqlrp.sql(METHODS[method], source, con, lowering="inline")
            assert "CREATE TEMPORARY TABLE" in text
    assert con.execute("SELECT count(*) FROM duckdb_tables() WHERE temporary").fetchall() == [(0,)]


def test_text_without_a_connection_and_explained(con: Any, only: Any) -> None:
    db = Database("duckdb", con, "main")
    make(db)
    fact = Wide("fact", features=["v 0", "v 1"])
    source = Join(fact, {"Buyer": Wide("buyers", key="no", features=["b 0", "b 1", "b 2"])})
    text = sqlrp.sql(METHODS["linear"], source, "duckdb")
    want = oracle(METHODS["linear"], np.hstack([FACT, BUYERS[BUYER]]))
    close(cells(con.sql(text).to_arrow_table(), "columns", 7), want)
    said = str(sqlrp.explain(METHODS["linear"], source, con))
    assert "its features are joined before they are projected" in said
    only("tables")
    said = str(sqlrp.explain(METHODS["linear"], source, con))
    assert '"buyers" (wide): 3 features -> 7 sums' in said
    assert "before they are projected" not in said
    assert METHODS["linear"].name in said


@pytest.mark.parametrize("keep", [["a", "A"], ["A", "a"]])
@pytest.mark.parametrize("column", ["a", "A"])
def test_a_foreign_key_beside_a_column_in_another_case(column: str, keep: list[str]) -> None:
    fact = Wide("fact", features=["x"], keep=keep)
    source = Join(fact, {column: Wide("buyers", key="no", features=["y"])})
    assert f'."no" = t0."{column}"' in sqlrp.sql(METHODS["linear"], source, "postgresql")


def test_groups(con: Any) -> None:
    db = Database("duckdb", con, "main")
    source = make(db)
    con.execute("UPDATE fact SET id = id % 3")
    projection = sqlrp.BilinearPooling(k=5, s=1, seed=2)
    groups = np.arange(10) % 3
    want = evaluate(projection.stages(12), JOINED, np.arange(12), groups) * projection.factor(12)
    for lowering in ("inline", "relational"):
        close(db.projected(projection, replace(source, fact=Wide("fact")), lowering=lowering), want)


def test_more_sums_than_columns() -> None:
    source = Join(Wide("f", features=["a"]), {"b": Array("d", "c", n_features=2)})
    with pytest.raises(LimitError) as caught:
        sqlrp.sql(sqlrp.PolynomialKernelProjection(k=900, s=1), source, "postgresql", output="array")
    assert_one_line(caught, "1,800 sums", "1,664", "lower k or p")


def test_bound_names_and_refusals(con: Any) -> None:
    db = Database("duckdb", con, "main")
    source = make(db)
    linear: Projection = METHODS["linear"]
    names = ["v 0", "v 1", *(f"{c}.b {j}" for c in ("Buyer", "seller") for j in range(3))]
    names += [f"a good.w {j}" for j in range(4)]
    close(db.projected(linear.bound(names), source), oracle(linear, JOINED))
    con.execute("CREATE TABLE twice AS SELECT * FROM buyers UNION ALL SELECT * FROM buyers WHERE no = 2")
    told = {
        "missing: ['other']": lambda: sqlrp.project(linear.bound([*names[:-1], "other"]), source, con),
        "key 'no' of \"twice\" comes more than once: 2": lambda: sqlrp.project(
            linear, Join(source.fact, {"Buyer": Wide("twice", key="no")}), con
        ),
        "'nobody' is not a column": lambda: sqlrp.project(
            linear, Join(source.fact, {"nobody": Wide("buyers", key="no")}), con
        ),
        "no numeric column": lambda: sqlrp.project(
            linear, Join(source.fact, {"Buyer": Wide("nothing", key="no")}), con
        ),
    }
    con.execute("CREATE TABLE nothing AS SELECT 1 AS no, 'a' AS b")
    for words, call in told.items():
        with pytest.raises(SourceError) as caught:
            call()
        assert_one_line(caught, words)
    wrong: dict[str, Any] = {
        "must map columns": lambda: Join(Wide("fact"), {}),
        "must be a table's name, Wide(…) or Array(…)": lambda: Join(Wide("f"), {"a": Long("l")}),  # type: ignore[dict-item]
        "name the key that it is joined by": lambda: Join(Wide("f"), {"a": Wide("d", key=None)}),
        "make a view of the join": lambda: sqlrp.materialize(linear, source, con, into="made"),  # type: ignore[arg-type]
        "Join(…) serves": lambda: sqlrp.project(linear, Standardized(source), con),
    }
    for words, call in wrong.items():
        with pytest.raises(ParameterError) as refused:
            call()
        assert_one_line(refused, words)


@pytest.mark.parametrize("parts", range(1, 10))
@pytest.mark.parametrize("bits", [8, 15, 31, 60])
def test_the_sum_of_the_parts_has_the_narrowest_type(bits: int, parts: int) -> None:
    kind = join._kind(BY_NAME["duckdb"], [Number("int", bits)] * parts, None)
    assert kind == Number("int", (parts * (2**bits - 1)).bit_length())
    for constant in (1, -3, 2**bits):
        wider = join._kind(BY_NAME["duckdb"], [Number("int", bits)] * parts, np.array([0, constant]))
        assert wider.kind == "int"
        assert wider.bits >= (parts * (2**bits - 1) + abs(constant)).bit_length()
    half = join._kind(BY_NAME["duckdb"], [Number("int", bits)] * parts, np.array([0.5]))
    assert half == DOUBLE


@pytest.mark.parametrize(("other", "total"), [("DOUBLE", 2**24 + 1), ("FLOAT", 2**24)])
def test_floats_are_summed_as_doubles_beside_doubles(con: Any, other: str, total: int) -> None:
    con.execute("CREATE TABLE sales AS SELECT 0 AS id, 0 AS buyer, 16777216::FLOAT AS a, 1::FLOAT AS b")
    con.execute(f"CREATE TABLE buyers AS SELECT 0 AS id, 0::{other} AS c")
    source = Join(Wide("sales", features=["a", "b"]), {"buyer": Wide("buyers", features=["c"])})
    found = sqlrp.project(sqlrp.SparseProjection(k=9, s=1, seed=1), source, con, scale=False, lowering="inline")
    assert max(abs(column[0].as_py()) for column in found.columns[1:]) == total


CITY, NOTE = 'the "city" %s', "it's; --"
"""The names of columns that dimensions keep."""


def keeping(db: Database) -> tuple[Join, Wide]:
    """A star whose dimensions keep columns, one of them no other; and a table of its joined rows."""
    text = {"clickhouse": "String", "mariadb": "VARCHAR(9)"}.get(db.name, "VARCHAR(9)")
    kind, cities, notes = DOUBLES[db.name], ["Rome", "50%", None, "it's"], ["x", "y", "z"]
    buyers: list[Any] = [BUYER[i] for i in range(10)]
    buyers[3], buyers[5] = None, 99  # refers to nothing
    facts = [
        [i, "abc"[i % 3], None if b is None else int(b), int(GOOD[i]), *row]
        for i, (b, row) in enumerate(zip(buyers, listed(FACT), strict=True))
    ]
    columns = [("id", "BIGINT"), ("label", text), ("a buyer", "BIGINT"), ("good", "BIGINT"), ("v", kind), ("w", kind)]
    fact = db.make("kept facts", columns, facts)
    first = [[i, city, *row] for i, (city, row) in enumerate(zip(cities, listed(BUYERS), strict=True))]
    one = db.make("kept buyers", [("no", "BIGINT"), (CITY, text), *((f"b{j}", kind) for j in range(3))], first)
    two = db.make("kept goods", [("id", "BIGINT"), (NOTE, text)], [[i, note] for i, note in enumerate(notes)])
    join = Join(
        Wide(fact, keep=["label"], features=["v", "w"]),
        {"a buyer": Wide(one, key="no", keep=[CITY, "b1"]), "good": Wide(two, keep=[NOTE])},
    )
    found = [None if b in (None, 99) else int(b) for b in buyers]
    none: list[Any] = [None] * 3
    dimension = [none if b is None else listed(BUYERS)[b] for b in found]
    passing = [
        [None if b is None else cities[b], own[1], notes[GOOD[i]]]
        for i, (b, own) in enumerate(zip(found, dimension, strict=True))
    ]
    names = [f"a buyer.{CITY}", "a buyer.b1", f"good.{NOTE}"]
    x = [[*listed(FACT)[i], own[0], own[2]] for i, own in enumerate(dimension)]
    rows = [[i, "abc"[i % 3], *passing[i], *x[i]] for i in range(10)]
    of_names = [("id", "BIGINT"), ("label", text), (names[0], text), (names[1], kind), (names[2], text)]
    features = [(f"x{j}", kind) for j in range(4)]
    table = db.make("kept joined", [*of_names, *features], rows)
    return join, Wide(table, keep=["label", *names])


@pytest.mark.parametrize(
    ("lowering", "way", "output"),
    [
        ("inline", "tables", "columns"),
        ("inline", "tables", "array"),
        ("relational", "tables", "long"),
        ("auto", "features", "array"),
        ("inline", "features", "bits"),
        ("relational", "features", "columns"),
        ("native", "features", "columns"),
        ("native", "features", "long"),
    ],
)
@pytest.mark.parametrize("name", ENGINES)
def test_columns_that_dimensions_keep(db: Database, only: Any, name: str, lowering: str, way: str, output: Any) -> None:
    if (output == "array" and not db.engine.has_arrays) or (lowering == "native" and not db.engine.streams):
        return
    only(way)
    projection, (join, joined) = METHODS["linear"], keeping(db)
    found, want = (
        sqlrp.project(projection, source, db.connection, lowering=how, output=output, nulls="zero").to_pylist()
        for source, how in ((join, lowering), (joined, "auto"))
    )
    assert list(found[0]) == list(want[0])
    assert list(found[0])[:5] == ["id", "label", f"a buyer.{CITY}", "a buyer.b1", f"good.{NOTE}"]
    order = ("id", "component") if output == "long" else ("id",)
    found, want = (sorted(rows, key=lambda row: [row[name] for name in order]) for rows in (found, want))
    for mine, theirs in zip(found, want, strict=True):
        for each, value in mine.items():
            assert value == theirs[each] or np.allclose(value, theirs[each], rtol=1e-9, atol=1e-12), each


def test_kept_columns_in_texts_and_explained(con: Any, only: Any) -> None:
    db = Database("duckdb", con, "main")
    join, joined = keeping(db)
    want = db.projected(METHODS["linear"], joined, nulls="zero")
    names = sqlrp.project(METHODS["linear"], joined, con, nulls="zero").column_names
    for way, said in (
        ("features", "4 features -> 7 components"),
        ("tables", '"kept buyers" (wide): 2 features -> 7 sums'),
    ):
        if way == "tables":
            only(way)
        made = con.sql(sqlrp.sql(METHODS["linear"], join, con, nulls="zero"))
        assert made.columns == names
        close(cells(made.to_arrow_table(), "columns", 7), [want[i] for i in range(10)])
        assert said in str(sqlrp.explain(METHODS["linear"], join, con))
    fact = Wide("kept facts", features=["v"])
    for features in (["b0"], []):
        source = Join(fact, {"a buyer": Wide("kept buyers", key="no", features=features, keep=["b1"])})
        text = sqlrp.sql(METHODS["linear"], source, "postgresql")
        assert 't1."b1" AS "a buyer.b1"' in text
        assert ("b0" in text) == bool(features)
        found = sqlrp.project(METHODS["linear"], source, con)
        assert found.column_names[:2] == ["id", "a buyer.b1"]


def test_kept_columns_of_one_name(con: Any) -> None:
    con.execute('CREATE TABLE f AS SELECT 1 AS id, 2.0 AS x, 1 AS a, 1 AS "a.b", 3 AS "a.B.c"')
    con.execute("CREATE TABLE d AS SELECT 1 AS id, 7 AS c, 8 AS \"b.c\", 't' AS t")
    linear, fact = METHODS["linear"], Wide("f", features=["x"])
    both = Join(fact, {"a": Wide("d", features=["c"], keep=["b.c"]), "a.b": Wide("d", features=["b.c"], keep=["c"])})
    of_fact = Join(replace(fact, keep=["a.B.c"]), {"a.b": Wide("d", features=["b.c"], keep=["c"])})
    for source in (both, of_fact):
        with pytest.raises(SourceError) as caught:
            sqlrp.project(linear, source, con)
        assert_one_line(caught, "two columns of the join are", "keep one of them, or rename it")
    bare = Join(Wide("f", keep=["x", "a.b", "a.B.c"]), {"a": Wide("d", keep=["c", "b.c", "t"])})
    with pytest.raises(SourceError) as caught:
        sqlrp.project(linear, bare, con)
    assert_one_line(caught, "have no numeric column besides keys and keep")
    with pytest.raises(SourceError) as caught:
        sqlrp.project(linear, Join(fact, {"a": Wide("d", keep=["nothing"])}), con)
    assert_one_line(caught, "keep column 'nothing' is not a column of")


def test_an_engine_without_dots_in_names_refuses_columns_that_dimensions_keep() -> None:
    fact, shops = Wide("sales", features=["a"]), Wide("shops", features=["b"])
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.sql(METHODS["linear"], Join(fact, {"shop": replace(shops, keep=["it's"])}), "bigquery")
    assert_one_line(caught, '"shop.it\'s" of a dimension: project a view of the join')
    assert sqlrp.sql(METHODS["linear"], Join(fact, {"shop": shops}), "bigquery")
