"""Drift: T² of components is that of numpy and scipy on the projected rows, on every engine, way and group."""

from __future__ import annotations

import base64
import datetime
import json
import math
import zlib
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from databases import DOUBLES, Database
from helpers import assert_one_line
from learnt import ENGINES
from names import HOSTILE
from numpy.typing import NDArray
from scipy import stats

import sqlrp
from sqlrp._evaluator.moments import Moments
from sqlrp._learning.hotelling import compare, compare_parts, corrected
from sqlrp._learning.product_weights import Monomials
from sqlrp._learning.student import above, bound_of
from sqlrp._projections.sums_and_products import SumsAndProducts

RNG = np.random.default_rng(11)
D, K = 5, 4
PK = sqlrp.PolynomialKernelProjection(k=K, degree=2, c=1, s=1, t=2, seed=3)
RP = sqlrp.SparseProjection(k=3, s=1, seed=1)
BEFORE = RNG.normal(size=(40, D)).round(4)
AFTER = RNG.normal(size=(60, D)).round(4) + np.linspace(0, 0.5, D).round(3)
NAMES = tuple(f"f{j}" for j in range(D))
FEW = 3
"""The rows of the smallest group, fewer than components."""
GROUP = np.array([0] * FEW + [1] * 27 + [2] * 30)
DAYS = ["2026-01-09", "2026-01-10", "2026-02-01"]

Rows = NDArray[np.float64]


def z(x: Rows, projection: Any = PK) -> Rows:
    rows = pd.DataFrame(x, columns=[f"f{j}" for j in range(x.shape[1])])
    return np.asarray(sqlrp.project(projection, rows, key=None).to_numpy())


def t2(before: Rows, after: Rows, pooled: bool = True) -> tuple[float, int, float]:
    """T², the degrees of freedom and p, from the rows themselves."""
    (n, k), m = before.shape, len(after)
    both = [before - before.mean(axis=0), after - after.mean(axis=0)] if pooled else [before - before.mean(axis=0)]
    freedom = sum(len(part) - 1 for part in both)
    stacked = np.vstack(both)
    gap = after.mean(axis=0) - before.mean(axis=0)
    found = float(gap @ np.linalg.solve(stacked.T @ stacked / freedom, gap)) * n * m / (n + m)
    below = freedom - k + 1
    return found, below, float(stats.f.sf(found * below / (k * freedom), k, below))


def assert_compared(row: dict[str, Any], before: Rows, after: Rows, pooled: bool = True, rel: float = 1e-8) -> None:
    statistic, below, p = t2(before, after, pooled)
    assert row["rows"] == len(after)
    assert row["statistic"] == pytest.approx(statistic, rel=rel)
    assert (row["freedom"], row["freedom_below"]) == (before.shape[1], below)
    assert row["p"] == pytest.approx(p, rel=1e-6)
    k = before.shape[1]
    assert row["f"] == pytest.approx(statistic * below / (k * (below + k - 1)), rel=1e-6)


def tables(db: Database, more: str = "", kind: str = "", values: list[Any] | None = None) -> tuple[str, str]:
    """The rows before and after; those after with the column `more` of a value for each group."""
    double = DOUBLES[db.name]
    columns = [("id", "BIGINT"), *((name, double) for name in NAMES)]
    before = db.make("before", columns, [[i, *row] for i, row in enumerate(BEFORE.tolist())])
    own = [[values[g]] for g in GROUP] if values else [[] for _ in GROUP]
    rows = [[i, *row, *name] for i, (row, name) in enumerate(zip(AFTER.tolist(), own, strict=True))]
    return before, db.make("after", [*columns, *([(more, kind)] if values else [])], rows)


@pytest.mark.parametrize("lowering", ["auto", "sql", "relational"])
@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_and_way(db: Database, name: str, lowering: str) -> None:
    before, after = tables(db)
    for projection in (PK, RP):
        found = sqlrp.drift(projection, before, after, db.connection, lowering=lowering)
        (row,) = found.table().to_pylist()
        assert_compared(row, z(BEFORE, projection), z(AFTER, projection))
        assert (found.statistic, found.p, found.freedom[0]) == (row["statistic"], row["p"], projection.k)
        difference = z(AFTER, projection).mean(axis=0) - z(BEFORE, projection).mean(axis=0)
        assert np.allclose(found.differences().column("difference"), difference, atol=1e-10)
        both = np.vstack([each - each.mean(axis=0) for each in (z(BEFORE, projection), z(AFTER, projection))])
        sizes = np.sqrt(np.square(both).sum(axis=0) / (len(both) - 2))
        assert np.allclose(found.differences().column("standardized"), difference / sizes, atol=1e-9)


TYPES_OF_GROUPS: dict[str, tuple[str, list[Any], list[Any]]] = {
    "whole": ("BIGINT", [-1, 10, 9], [-1, 9, 10]),
    "text": ("VARCHAR(20)", ["b", "it's a", "c%s"], ["b", "c%s", "it's a"]),
    "date": ("DATE", DAYS, DAYS),
}


@pytest.mark.parametrize("kind", TYPES_OF_GROUPS)
@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("lowering", ["auto", "sql"])
def test_groups(db: Database, name: str, kind: str, lowering: str) -> None:
    """Each is compared with the whole reference; one with too few rows is there, without a result."""
    type_, values, order = TYPES_OF_GROUPS[kind]
    if name == "clickhouse" and kind == "text":
        type_ = "String"
    before, after = tables(db, "part", type_, values)
    found = sqlrp.drift(PK, before, after, db.connection, by="part", lowering=lowering)
    rows = {row["group"]: row for row in found.table().to_pylist()}
    assert list(rows) == order
    assert found.to_pandas().shape == (3, 11)
    for at, value in enumerate(values):
        own = AFTER[at == GROUP]
        if at:
            assert_compared(rows[value], z(BEFORE), z(own))
            assert rows[value]["note"] == ""
        else:
            assert (rows[value]["rows"], rows[value]["note"]) == (FEW, "too few rows")
            assert rows[value]["statistic"] is rows[value]["p_corrected"] is rows[value]["drifted"] is None
    two = sorted((rows[value] for value in values[1:]), key=lambda row: row["p"])
    assert two[0]["p_corrected"] == pytest.approx(min(2 * two[0]["p"], 1))
    assert "1 more have too few rows" in str(found)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("by", [None, "part"])
def test_the_text_gives_the_same(db: Database, name: str, by: str | None) -> None:
    """It takes the covariance of the reference, and the bound is that of scipy."""
    before, after = tables(db, "part", "BIGINT", [1, 2, 3])
    found = sqlrp.drift(PK, before, after, db.connection, by=by, pooled=False)
    text = sqlrp.drift_sql(found, after, db.connection, by=by, alpha=0.2)
    rows = {row[0] if by else None: row[-4:] for row in db.run_query(text)}
    assert len(rows) == (3 if by else 1)
    n = len(BEFORE)
    for row in found.table().to_pylist():
        count, statistic, bound, drifted = rows[row["group"]]
        assert count == row["rows"]
        assert bound == pytest.approx(stats.f.isf(0.2, K, n - K) * K * (n - 1) / (n - K), rel=1e-9)
        if row["statistic"] is None:
            assert statistic is drifted is None
            continue
        own = AFTER if by is None else AFTER[row["group"] - 1 == GROUP]
        assert_compared(row, z(BEFORE), z(own), pooled=False)
        assert statistic == pytest.approx(row["statistic"], rel=1e-8)
        assert drifted == (row["p"] < 0.2)


@pytest.mark.parametrize("name", ENGINES)
def test_hostile_names(db: Database, name: str) -> None:
    """Of tables, features and the column of the groups, whose values are hostile too."""
    double, text = DOUBLES[name], "String" if name == "clickhouse" else "VARCHAR(400)"
    names = ['a"b; drop table x', "'; DROP TABLE canary; --", "select"]
    by, table = "from `x` \\", "x\" y'"
    columns = [("id", "BIGINT"), *((each, double) for each in names), (by, text)]
    values = [each for each in HOSTILE if len(each) < 300 and each.strip() == each and each][:10]
    values = [each for each in values if each.isascii()]
    rows = [[i, *row[:3], values[i % 2]] for i, row in enumerate(AFTER.tolist())]
    made = db.make(table, columns, rows)
    found = sqlrp.drift(RP, made, made, db.connection, by=by)
    assert {group.name for group in found.groups} == set(values[:2])
    assert found.features == tuple(names)
    assert set(found.changes(values[0]).column("first").to_pylist()) == set(names)
    text = sqlrp.drift_sql(found, made, db.connection, by=by)
    assert {row[0] for row in db.run_query(text)} == set(values[:2])


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("by", ["m", "g", "a0", "x0", "t", "w0", "q"])
def test_a_column_that_has_a_name_of_the_text(db: Database, name: str, by: str) -> None:
    before, after = tables(db, by, "BIGINT", [1, 2, 3])
    found = sqlrp.drift(PK, before, after, db.connection, by=by, pooled=False)
    rows = db.run_query(sqlrp.drift_sql(found, after, db.connection, by=by))
    assert sorted(row[:2] for row in rows) == [(1, FEW), (2, 27), (3, 30)]
    for row, want in zip(sorted(rows), found.table().column("statistic").to_pylist(), strict=True):
        assert row[2] == (want and pytest.approx(want, rel=1e-8))


@pytest.mark.parametrize("name", ENGINES)
def test_rows_far_from_zero_and_rows_with_null(db: Database, name: str) -> None:
    before = [[i, *row] for i, row in enumerate((BEFORE + 1e6).tolist())]
    after = [[i, *row] for i, row in enumerate((AFTER + 1e6).tolist())]
    columns = [("id", "BIGINT"), *((each, DOUBLES[name]) for each in NAMES)]
    own = db.make("own", columns, [*before, [99, None, *BEFORE[0, 1:].tolist()]])
    theirs = db.make("theirs", columns, [*after, [99, *BEFORE[0, 1:].tolist(), None]])
    found = sqlrp.drift(RP, own, theirs, db.connection)
    (row,) = found.table().to_pylist()
    assert found.reference.count == len(BEFORE)
    assert_compared(row, z(BEFORE, RP), z(AFTER, RP), rel=1e-6)
    ((count, statistic, *_),) = db.run_query(sqlrp.drift_sql(found, theirs, db.connection))
    assert count == len(AFTER)
    assert statistic == pytest.approx(t2(z(BEFORE, RP), z(AFTER, RP), pooled=False)[0], rel=1e-6)


@pytest.fixture
def made() -> Any:
    """A DuckDB with made rows: six columns in the reference, and later changes of them by day."""
    rng = np.random.default_rng(4)

    def rows(n: int) -> Rows:
        x = rng.normal(size=(n, 6))
        x[:, 1] += x[:, 0]
        return np.asarray(x * [1, 2, 30, 1, 1, 1] + [0, 5, 1000, 0, 0, 0])

    before, after = rows(4000), rows(4000)
    day = np.arange(4000) % 8
    flipped = np.where(day == 3)[0]
    after[flipped, 0] = rng.permutation(after[flipped, 0])
    after[day == 6, 2] += 15
    names = list("abcdef")
    old, new = pd.DataFrame(before, columns=names), pd.DataFrame(after, columns=names).assign(day=day)
    for frame in (old, new):
        frame.insert(0, "id", range(len(frame)))
    with duckdb.connect() as con:
        con.register("old_", old)
        con.register("new_", new)
        con.execute("CREATE TABLE old AS FROM old_")
        con.execute("CREATE TABLE new AS SELECT * REPLACE (DATE '2026-03-01' + day::INTEGER AS day) FROM new_")
        yield con


def test_the_default_finds_the_days_and_what_changed(made: Any) -> None:
    """The day on which two columns lose their correlation, and the one on which the mean of a column moves."""
    found = sqlrp.drift(None, "old", "new", made, by="day")
    assert found.drifted == ("2026-03-04", "2026-03-07")
    first = found.changes(datetime.date(2026, 3, 4), 1).to_pylist()[0]
    assert {first["first"], first["second"]} == {"a", "b"}
    assert first["change"] == pytest.approx(-math.sqrt(0.5), abs=0.15)  # the correlation that is lost
    assert first["share"] > 0.9
    moved = found.changes("2026-03-07", 1).to_pylist()[0]
    assert (moved["first"], moved["second"]) == ("c", None)
    assert moved["change"] == pytest.approx(0.5, abs=0.15)
    lines = str(found).splitlines()
    assert lines[0].startswith("2 of 8 groups of 'day' have drifted from 4,000 rows")
    assert [line.split(":")[0] for line in lines[1:]] == ["  '2026-03-04'", "  '2026-03-07'"]


def test_the_scale_of_the_default(made: Any) -> None:
    """Each column has its own deviation, and the elements of arrays one together."""
    made.execute("CREATE TABLE oa AS SELECT id, [a, b, c, d, e, f] AS v FROM old")
    x = made.sql("SELECT a, b, c, d, e, f FROM old").df().to_numpy()
    columns, arrays = sqlrp.drift(None, "old", "old", made), sqlrp.drift(None, a := sqlrp.Array("oa", "v"), a, made)
    together = np.sqrt(x.var(axis=0).mean())
    own = SumsAndProducts.of(6, 64)
    for found, size in ((columns, x.std(axis=0)), (arrays, together)):
        assert found.projection.unprepared == own
        want = sqlrp.project(own, (x - x.mean(axis=0)) / size).mean(axis=0)
        assert np.allclose(found.reference.mean, want, atol=1e-9)
    given = sqlrp.drift(own, sqlrp.Standardized(a), a, made)
    assert np.allclose(given.reference.mean, columns.reference.mean, atol=1e-9)


CENTERS = {"a": 0, "b": 5, "c": 1000, "d": 0, "e": 0, "f": 0}
WIDER = ", ".join(f"{at} + ({name} - {at}) * 1.06 AS {name}" for name, at in CENTERS.items())
CHANGES = {"sums": "d + 0.2 AS d, c + 6 AS c", "length": WIDER, "products": "-a AS a"}
"""For each part a change that it sees best."""


@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("part", CHANGES)
def test_the_default_compares_means_lengths_and_products(made: Any, part: str, pooled: bool) -> None:
    """Of 6 columns it has 45 components, which span the columns, their squared length and all 21 products."""
    made.execute("CREATE TABLE half AS FROM old WHERE id % 2 = 0")
    made.execute(f"CREATE TABLE other AS SELECT * REPLACE ({CHANGES[part]}) FROM old WHERE id % 2 = 1")
    first, second = np.triu_indices(6)
    rows = [made.sql(f"SELECT a, b, c, d, e, f FROM {table}").df().to_numpy() for table in ("half", "other")]
    before, after = [(x - rows[0].mean(axis=0)) / rows[0].std(axis=0) for x in rows]
    own = {
        "sums": (before, after),
        "length": tuple((x**2).sum(axis=1)[:, None] for x in (before, after)),
        "products": tuple(x[:, first] * x[:, second] for x in (before, after)),
    }
    want = {name: t2(*both, pooled) for name, both in own.items()}
    found = sqlrp.drift(None, "half", "other", made, pooled=pooled)
    (row,) = found.table().to_pylist()
    assert (row["part"], min(want, key=lambda name: want[name][2])) == (part, part)
    statistic, below, p = want[part]
    assert found.statistic == pytest.approx(statistic, rel=1e-6)
    assert found.freedom == (own[part][0].shape[1], below)
    assert found.p == pytest.approx(3 * p, rel=1e-6)
    assert f"{part}: T² = " in str(found)
    if part == "sums":
        assert {each["first"] for each in found.changes(n=2).to_pylist() if each["second"] is None} == {"c", "d"}


@pytest.mark.parametrize("name", ENGINES)
def test_the_text_of_the_default_gives_the_same(db: Database, name: str) -> None:
    """Of the part whose T² is the largest share of its bound: a change for each part, and none."""
    rng, double = np.random.default_rng(8), DOUBLES[name]
    x = rng.normal(size=(900, D)).round(4)
    parts = np.repeat(np.arange(4), 75)
    y = x[: len(parts)].copy()
    y[parts == 1, 3] += 0.6
    y[parts == 2] *= 1.3
    y[parts == 3, 1] = y[parts == 3, 0]
    columns = [("id", "BIGINT"), *((each, double) for each in NAMES)]
    before = db.make("before", columns, [[i, *row] for i, row in enumerate(x.tolist())])
    rows = [[i, *row, int(g)] for i, (row, g) in enumerate(zip(y.tolist(), parts, strict=True))]
    after = db.make("after", [*columns, ("part", "BIGINT")], rows)
    found = sqlrp.drift(None, before, after, db.connection, by="part", pooled=False)
    rows = sorted(db.run_query(sqlrp.drift_sql(found, after, db.connection, by="part", alpha=0.01)))
    told = found.table().to_pylist()
    assert [row["part"] for row in told[1:]] == ["sums", "length", "products"]
    for (group, count, statistic, bound, drifted), row in zip(rows, told, strict=True):
        assert (group, count) == (row["group"], row["rows"])
        assert drifted == (group > 0) == (row["p"] <= 0.01)
        shares, n, start = {}, len(x), 0
        for size in found.projection.unprepared.parts.values():
            sides = [z((side - x.mean(axis=0)) / x.std(axis=0), found.projection.unprepared) for side in (x, y)]
            own = sides[0][:, start : start + size], sides[1][parts == group, start : start + size]
            start += size
            k = min(np.linalg.matrix_rank(own[0] - own[0].mean(axis=0)), [D, 1, D * (D + 1) // 2][len(shares)])
            away = np.linalg.pinv(np.cov(own[0].T).reshape(size, size), rcond=1e-9)
            gap = own[1].mean(axis=0) - own[0].mean(axis=0)
            t, most = gap @ away @ gap * n * 75 / (n + 75), stats.f.isf(0.01 / 3, k, n - k) * k * (n - 1) / (n - k)
            shares[t / most] = (t, most)
        assert (statistic, bound) == pytest.approx(shares[max(shares)], rel=1e-6)


@pytest.mark.parametrize(("level", "kind"), [(15.0, "FLOAT"), (17.0, "DOUBLE")])
@pytest.mark.parametrize("d", [5, 40])
def test_floats_near_zero_are_computed_in_float(own: Any, d: int, level: float, kind: str) -> None:
    """The statistic is that of the same rows in DOUBLE. A row with NULL in any column is left out."""
    rng = np.random.default_rng(5)
    for name, n, more in (("before", 900, 0.0), ("after", 700, 0.2)):
        x = (rng.normal(size=(n, d)) + more + level * np.arange(d) / (d - 1)).astype(np.float32)
        own.register(
            "made", pd.DataFrame(x, columns=[f"f{j}" for j in range(d)]).assign(id=range(n), day=np.arange(n) % 3)
        )
        own.execute(f"CREATE TABLE {name} AS FROM made")
    own.execute(f"UPDATE after SET f{d - 1} = NULL WHERE id < 9")
    features = ", ".join(f"f{j}::DOUBLE AS f{j}" for j in range(d))
    own.execute(f"CREATE TABLE wide AS SELECT id, day, {features} FROM after")
    found = sqlrp.drift(None, sqlrp.Wide("before", keep=["day"]), "after", own, by="day", pooled=False, k=16)
    for nulls in ("propagate", "zero"):
        text, wider = (sqlrp.drift_sql(found, table, own, by="day", nulls=nulls) for table in ("after", "wide"))
        assert ("e0 AS FLOAT)" in text) == ('CAST("f1" AS FLOAT)' in text) == (kind == "FLOAT")
        assert "FLOAT" not in wider
        for mine, theirs in zip(*(sorted(own.execute(each).fetchall()) for each in (text, wider)), strict=True):
            assert mine == (*theirs[:2], pytest.approx(theirs[2], rel=1e-3), *theirs[3:])
    rows = dict(
        own.execute(f"SELECT day, compared_rows FROM ({sqlrp.drift_sql(found, 'after', own, by='day')})").fetchall()
    )
    assert rows == {group.name: group.rows for group in found.groups} == {0: 231, 1: 230, 2: 230}


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("by", [None, "part"])
@pytest.mark.parametrize("test", ["hotelling", "mmd"])
def test_sums_are_kept_and_added_up(db: Database, name: str, by: str | None, test: Any) -> None:
    """Those of two batches that share a group are those of all rows; the test of them reads no row."""
    before, after = tables(db, "part", "BIGINT", [1, 2, 3])
    found = sqlrp.drift(None, before, after, db.connection, by=by, k=9, test=test)
    whole = sorted(db.run_query(sqlrp.drift_sql(found, after, db.connection, by=by)))
    given = [[i, *row, int(g) + 1] for i, (row, g) in enumerate(zip(AFTER.tolist(), GROUP, strict=True))]
    columns, rows = [("id", "BIGINT"), *((each, DOUBLES[name]) for each in NAMES), ("part", "BIGINT")], []
    for i, batch in enumerate((given[:20], given[20:])):
        text = sqlrp.drift_sql(found, db.make(f"batch{i}", columns, batch), db.connection, by=by, sums="write")
        rows += [list(row) for row in db.run_query(text)]
    parts = ["part"] if by else []
    numbers = [f"s{i}" for i in range(len(rows[0]) - 1 - len(parts))]
    kept = [(each, "BIGINT") for each in [*parts, "compared_rows"]] + [(each, DOUBLES[name]) for each in numbers]
    text = sqlrp.drift_sql(found, db.make("kept_sums", kept, rows), db.connection, by=by, sums="read")
    again = sorted(db.run_query(text))
    assert len(again) == len(whole) == (3 if by else 1)
    for row, want in zip(again, whole, strict=True):
        assert list(row) == [each if each is None else pytest.approx(each, rel=1e-9) for each in want]


@pytest.mark.parametrize("name", [name for name in ENGINES if name != "clickhouse"])  # whose views keep sums
@pytest.mark.parametrize("test", ["hotelling", "mmd"])
def test_components_follow_rows_that_change_and_go_away(db: Database, name: str, test: Any) -> None:
    """The test of a table of components is that of the rows after each refresh, which projects few of them."""
    part = 'the "part" %s'
    before, after = tables(db, part, "BIGINT", [1, 2, 3])
    quote, source = db.engine.quote, sqlrp.Wide(after, features=NAMES, keep=[part])
    found = sqlrp.drift(None, sqlrp.Wide(before, features=NAMES), source, db.connection, by=part, k=9, test=test)
    sqlrp.materialize(found.projection, source, db.connection, into='"of components"', track="rows", replace=True)
    text = sqlrp.drift_sql(found, '"of components"', db.connection, by=part, sums="components")
    assert "f0" not in text
    table = quote(after.strip('"'))
    changes = {
        f"UPDATE {table} SET f0 = f0 + 2, f1 = NULL WHERE id = 7": (0, 1, 0),
        f"UPDATE {table} SET f2 = f2 - 3, f1 = 0 WHERE id IN (7, 50)": (0, 2, 0),
        f"DELETE FROM {table} WHERE id IN (1, 59)": (0, 0, 2),
        f"INSERT INTO {table} SELECT id + 100, {', '.join(NAMES)}, {quote(part)} FROM {table} WHERE id < 6": (5, 0, 0),
    }
    for change, rows in changes.items():
        db.run(change)
        told = sqlrp.refresh(db.connection, '"of components"')
        assert isinstance(told, sqlrp.Refreshed)
        assert (told.added, told.changed, told.removed) == rows
        again, want = (
            sorted(db.run_query(each)) for each in (text, sqlrp.drift_sql(found, source, db.connection, by=part))
        )
        for row, own in zip(again, want, strict=True):
            assert list(row) == [each if each is None else pytest.approx(each, rel=1e-9) for each in own]


@pytest.mark.parametrize("name", ["clickhouse"])
def test_a_view_of_clickhouse_keeps_sums(db: Database, name: str) -> None:
    """Each insert adds the sums of its rows, and their test is that of all rows."""
    before, after = tables(db, "part", "BIGINT", [1, 2, 3])
    found = sqlrp.drift(None, before, after, db.connection, by="part", k=9)
    want = sorted(db.run_query(sqlrp.drift_sql(found, after, db.connection, by="part")))
    db.run(f"CREATE TABLE arriving AS {after} ENGINE = MergeTree ORDER BY tuple()")
    text = sqlrp.drift_sql(found, "arriving", db.connection, by="part", sums="write")
    sums = ", ".join(f"s{i} Float64" for i in range(9))
    db.run(
        f"CREATE TABLE kept_by_view (part Int64, compared_rows Int64, {sums}) ENGINE = SummingMergeTree ORDER BY part"
    )
    db.run(f"CREATE MATERIALIZED VIEW keeping TO kept_by_view AS {text}")
    for batch in ("id < 20", "id >= 20"):
        db.run(f"INSERT INTO arriving SELECT * FROM {after} WHERE {batch}")
    again = sorted(db.run_query(sqlrp.drift_sql(found, "kept_by_view", db.connection, by="part", sums="read")))
    for table in ("keeping", "kept_by_view", "arriving"):
        db.run(f"DROP TABLE {table}")
    assert [row[0] for row in again] == [1, 2, 3]
    for row, own in zip(again, want, strict=True):
        assert list(row) == [each if each is None else pytest.approx(each, rel=1e-9) for each in own]


@pytest.mark.parametrize("lowering", ["auto", "relational"])
@pytest.mark.parametrize("name", ENGINES)
def test_more_columns_than_sums(db: Database, name: str, lowering: str) -> None:
    """Columns share sums, before which those far from 0 lose their mean; a row with one NULL is left out."""
    rng, double, d = np.random.default_rng(12), DOUBLES[name], 35
    at, size = np.zeros(d), np.ones(d)
    at[[3, 34]], size[3], at[5], size[5] = 1e7, 0.5, 100, 20
    before, after = ((rng.normal(size=(n, d)) * size + at).round(4) for n in (300, 220))
    columns = [("id", "BIGINT"), *((f"f{j}", double) for j in range(d))]
    tables = []
    for table, x in (("before", before), ("after", after)):
        rows = [[i, *row] for i, row in enumerate(x.tolist())]
        rows[7][1 + 33] = None
        tables.append(db.make(table, columns, rows))
    known = sqlrp.drift(None, tables[0], tables[1], db.connection, k=12, pooled=False, lowering=lowering)
    text = sqlrp.drift_sql(known, tables[1], db.connection)
    ((count, statistic, *_),) = db.run_query(text)
    assert count == known.groups[0].rows == len(after) - 1
    first, second = (np.delete(x, 7, axis=0) for x in (before, after))
    scaled, method = known.projection.statistics, known.projection.unprepared
    projected, start, found = [z((x - scaled["offset"]) / scaled["size"], method) for x in (first, second)], 0, []
    for part in method.parts.values():
        found.append(t2(*(each[:, start : start + part] for each in projected), pooled=False)[0])
        start += part
    assert any(known.statistic == pytest.approx(each, rel=1e-6) for each in found)
    assert any(statistic == pytest.approx(each, rel=1e-6) for each in found)


@pytest.mark.parametrize(("d", "most"), [(1, 1), (1, 64), (2, 2), (3, 8), (6, 64), (20, 64), (70, 64), (9, 300)])
def test_sums_and_products(d: int, most: int) -> None:
    """The sums are ±1 and orthogonal, the length is theirs, and the products are different products of two of them."""
    method = SumsAndProducts.of(d, most, seed=3)
    assert sqlrp.from_json(method.to_json()) == method
    parts, p = method.parts, method.p
    assert sum(parts.values()) == method.k <= most
    x = np.random.default_rng(2).normal(size=(400, d))
    all_sums = np.asarray(sqlrp.project(SumsAndProducts(k=p, p=p, sums=p, seed=3), np.eye(d)))
    assert (np.abs(all_sums) == 1).all()
    assert np.array_equal(all_sums @ all_sums.T != 0, np.arange(d)[:, None] % p == np.arange(d) % p)
    own, z = x @ all_sums, np.asarray(sqlrp.project(method, x))
    pairs = np.stack([own[:, i] * own[:, j] for i in range(p) for j in range(i, p)], axis=1)
    assert np.allclose(z[:, : parts["sums"]], own[:, : parts["sums"]])
    if "length" in parts:
        assert np.allclose(z[:, parts["sums"]], (own**2).sum(axis=1))
    apart = z[:, parts["sums"] + 1 :]
    which = [int(np.abs(pairs - apart[:, [i]]).sum(axis=0).argmin()) for i in range(apart.shape[1])]
    assert len(set(which)) == apart.shape[1]
    assert np.allclose(pairs[:, which], apart)
    if 1 < d <= p and apart.shape[1]:
        weights = Monomials.of(method, d).weights
        assert weights[2 * d :, parts["sums"] + 1 :].any(axis=1).all()  # every pair of columns is in a product


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"k": 4, "p": 3, "sums": 2}, "p = 3 must be a power of 2: use 4"),
        ({"k": 7, "p": 2, "sums": 2}, "k = 7 is more than the 6 components of p = 2 sums"),
        ({"k": 4, "p": 2, "sums": 3}, "sums = 3 must be a whole number from 1 to 2"),
    ],
)
def test_sums_and_products_that_are_none(given: dict[str, int], said: str) -> None:
    with pytest.raises(sqlrp.ParameterError) as caught:
        SumsAndProducts(**given)
    assert_one_line(caught, said)


def test_a_reference_that_is_known_is_not_read(made: Any) -> None:
    first = sqlrp.drift(None, "old", "new", made)
    made.execute("DROP TABLE old")
    again = sqlrp.drift(None, first, "new", made, by="day")
    assert again.reference is first.reference
    assert len(again.drifted) == 2
    assert sqlrp.drift(first.projection, first, "new", made).statistic == first.statistic
    with pytest.raises(sqlrp.ParameterError, match="is not that of the reference") as caught:
        sqlrp.drift(RP, first, "new", made)
    assert_one_line(caught)


@pytest.mark.parametrize("projection", [None, RP], ids=["default", "given"])
def test_a_reference_as_text(made: Any, projection: Any) -> None:
    first = sqlrp.drift(projection, "old", "new", made)
    known = sqlrp.drift_from_json(first.to_json())
    assert str(known) == "a reference of 4,000 rows"
    again = sqlrp.drift(None, known, "new", made, by="day")
    assert again.table() == sqlrp.drift(None, first, "new", made, by="day").table()
    assert again.features == first.features
    assert sqlrp.drift_sql(known, "new", made, by="day") == sqlrp.drift_sql(first, "new", made, by="day")
    with pytest.raises(sqlrp.ParameterError, match="this is a reference alone: pass it to"):
        _ = known.p
    assert known.drifted == ()
    assert known.table().num_rows == 0


def test_a_reference_of_earlier_components(made: Any) -> None:
    """A text of an earlier release has one part, of which the first n/10 components are compared."""
    first = replace(sqlrp.drift(PK, sqlrp.Standardized("old"), "new", made, by="day"), sized=True)
    known = sqlrp.drift_from_json(first.to_json())
    made.execute("CREATE VIEW few AS FROM new WHERE id < 25")
    found = sqlrp.drift(None, known, sqlrp.Wide("few", features=list("abcdef")), made)
    assert found.freedom == (2, 4000 + 25 - 2 - 1)
    assert found.table().column("part").to_pylist() == [None]
    assert found.differences().column("component").to_pylist() == ["z0", "z1"]


def test_texts_that_are_no_reference(made: Any) -> None:
    text = sqlrp.drift(RP, "old", "new", made).to_json()
    parts = json.loads(text)
    packed = [moments(RNG.normal(size=shape)).pack() for shape in ((40, 2), (2, 3))]
    sums = [base64.b64encode(zlib.compress(each)).decode() for each in packed]
    bad: dict[str, list[Any]] = {
        "kind": ["LinearClassifier", None],
        "format": [2],
        "projection": [None, {}, json.loads(PK.to_json()), []],
        "sized": [1, None],
        "test": ["ks", None],
        "features": [{}, [1], 1.5, True],
        "reference": ["", "?", 3, None, *sums],
    }
    for text_ in ("", "[]", "3", "null", text[:-9], *(json.dumps({**parts, key: v}) for key in bad for v in bad[key])):
        with pytest.raises(sqlrp.ParameterError, match="cannot be read as a Drift") as caught:
            sqlrp.drift_from_json(text_)
        assert_one_line(caught)
    for key in parts.keys() - {"format"}:
        with pytest.raises(sqlrp.ParameterError, match="cannot be read as a Drift"):
            sqlrp.drift_from_json(json.dumps({name: value for name, value in parts.items() if name != key}))


def test_a_column_of_groups_is_no_feature_of_the_reference(made: Any) -> None:
    made.execute("ALTER TABLE old ADD COLUMN part INTEGER DEFAULT 3")
    made.execute("ALTER TABLE new ADD COLUMN part INTEGER DEFAULT 4")
    made.execute("ALTER TABLE new DROP COLUMN day")
    assert sqlrp.drift(None, "old", "new", made, by="PART").features == tuple("abcdef")
    assert sqlrp.drift(None, "old", "new", made).features == (*"abcdef", "part")


def test_the_default_takes_a_component_for_ten_rows(made: Any) -> None:
    made.execute("CREATE VIEW few AS FROM old WHERE id < 45")
    found = sqlrp.drift(None, "old", "few", made)
    assert found.differences().column("component").to_pylist() == [f"z{i}" for i in [*range(4), *range(8, 13)]]
    assert found.freedom in ((4, 4000 + 45 - 4 - 1), (1, 4000 + 45 - 1 - 1))
    assert len(sqlrp.drift(None, "old", "few", made, k=3).differences()) == 3
    assert sqlrp.drift(None, "old", "old", made, k=40).projection.k == 40
    made.execute("CREATE VIEW fewer AS FROM old WHERE id < 9")
    with pytest.raises(sqlrp.ParameterError, match=r"current has 9 rows without NULL, too few") as caught:
        sqlrp.drift(None, "old", "fewer", made)
    assert_one_line(caught)
    with pytest.raises(sqlrp.ParameterError, match=r"the reference has 9 rows without NULL, and .* need 10") as caught:
        sqlrp.drift(None, "fewer", "old", made)
    assert_one_line(caught)


def test_directions_without_variance(made: Any) -> None:
    """They are no degrees of freedom, and an alarm if they move: a constant column, and a sum of others."""
    made.execute("CREATE TABLE c AS SELECT id, a, b, a + b AS s, 7e9 AS g FROM old")
    projection = sqlrp.RandomSubspace(k=4)
    same = sqlrp.drift(projection, "c", "c", made)
    assert same.freedom[0] == 2
    assert same.statistic == pytest.approx(0, abs=1e-9)
    assert same.table().column("note").to_pylist() == ["2 of 4 directions vary"]
    made.execute("CREATE TABLE half AS FROM c WHERE id % 2 = 0")
    plain = sqlrp.drift(sqlrp.RandomSubspace(k=2), sqlrp.Wide("c", features=["a", "b"]), "half", made)
    for change in ("", "g + 1", "s + 0.1"):
        column = change[:1] or "s"
        made.execute(f"CREATE OR REPLACE TABLE d AS SELECT * REPLACE ({change or 's'} AS {column}) FROM half")
        for pooled in (True, False):
            found = sqlrp.drift(projection, "c", "d", made, pooled=pooled)
            text = sqlrp.drift_sql(found, "d", made)
            assert bool(found.drifted) == bool(change)
            assert made.execute(text).fetchone()[-1] == bool(change)
        if not change:
            assert sqlrp.drift(projection, "c", "d", made).statistic == pytest.approx(plain.statistic, rel=1e-4)
    made.execute("CREATE TABLE constant AS SELECT id, 5.0 AS a, 0.0 AS b FROM range(50) t(id)")
    made.execute("CREATE TABLE other AS SELECT id, 5.0 AS a, 1.0 AS b FROM range(50) t(id)")
    two = sqlrp.RandomSubspace(k=2)
    assert sqlrp.drift(two, "constant", "constant", made).p == 1
    assert sqlrp.drift(two, "constant", "other", made).p == 0


@pytest.mark.parametrize("name", ENGINES)
def test_too_many_groups(db: Database, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their sums would not fit into memory, so nothing is read."""
    before, after = tables(db, 'a`b"c', "BIGINT", [1, 2, 3])
    monkeypatch.setattr("sqlrp._learning.target.HELD", 3 * K * K - 1)
    with pytest.raises(
        sqlrp.LimitError, match=r"has 3 groups, and k = 4 components need 16 numbers for each"
    ) as caught:
        sqlrp.drift(PK, before, after, db.connection, by='a`b"c')
    assert_one_line(caught)
    monkeypatch.setattr("sqlrp._learning.target.HELD", 3 * K * K)
    assert len(sqlrp.drift(PK, before, after, db.connection, by='a`b"c').groups) == 3


def test_layouts(made: Any) -> None:
    """The components of sparse rows and of arrays are those of columns."""
    made.execute("CREATE TABLE oa AS SELECT id, [a, b, c, d, e, f] AS v FROM old")
    made.execute("CREATE TABLE na AS SELECT id, [a, b, c, d, e, f] AS v, day FROM new")
    cells = "SELECT id, unnest([0, 1, 2, 3, 4, 5]) AS feature, unnest(v) AS value FROM"
    made.execute(f"CREATE TABLE ol AS {cells} oa")
    made.execute(f"CREATE TABLE nl AS {cells} na")
    want = sqlrp.drift(PK, "old", sqlrp.Wide("new", features=list("abcdef")), made, by="day").table()
    arrays = sqlrp.drift(PK, sqlrp.Array("oa", "v"), sqlrp.Array("na", "v"), made, by="day")
    assert np.allclose(arrays.table().column("statistic"), want.column("statistic"), rtol=1e-6)
    assert arrays.changes("2026-03-04").column("first").type == "int64"
    old, new = (sqlrp.Long(name, key="id", n_features=6) for name in ("ol", "nl"))
    sparse = sqlrp.drift(PK, old, new, made, by="day", labels="na")
    assert np.allclose(sparse.table().column("statistic"), want.column("statistic"), rtol=1e-6)
    with pytest.raises(sqlrp.ParameterError, match="pass a projection"):
        sqlrp.drift(None, old, new, made)
    with pytest.raises(sqlrp.UnsupportedError, match="no column of their own for groups"):
        sqlrp.drift_sql(sparse, new, made, by="day")
    with pytest.raises(sqlrp.ParameterError, match="have no order"):
        sparse.changes("2026-03-04")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda c: sqlrp.drift_sql(sqlrp.drift(RP, "old", "old", c), "new", c, sums="keep"),
            "sums = 'keep' must be one of",
        ),
        (
            lambda c: sqlrp.drift_sql(sqlrp.drift(RP, "old", "old", c), sqlrp.Wide("new"), c, sums="read"),
            "must be the name of the table of sums",
        ),
        (
            lambda c: sqlrp.drift_sql(sqlrp.drift(RP, "old", "old", c), sqlrp.Wide("new"), c, sums="components"),
            "must be the name of the table of components",
        ),
        (
            lambda c: sqlrp.drift_sql(sqlrp.drift(RP, "old", "old", c), "new", c, by="S3", sums="write"),
            "'S3' of the source has the name of a",
        ),
        (lambda c: sqlrp.drift(RP, "old", "new", c, alpha=0), "alpha = 0 must be above 0 and below 1"),
        (lambda c: sqlrp.drift(RP, "old", "new", c, alpha=True), "alpha = True must be"),
        (lambda c: sqlrp.drift(RP, "old", "new", c, correction="bonferroni"), "correction = 'bonferroni' must be one"),
        (lambda c: sqlrp.drift(RP, "old", pd.DataFrame({"a": [1.0]}), c), "register the dataframe with DuckDB"),
        (lambda c: sqlrp.drift(RP, "old", sqlrp.Standardized("new"), c), "pass current as a plain source"),
        (lambda c: sqlrp.drift(None, "old", "new", c, k=0), "k = 0 must be a whole number >= 1"),
        (lambda c: sqlrp.drift(RP, "old", "new", c, k=5), "k = 5 is for calls without a projection"),
        (lambda c: sqlrp.drift(RP, "old", "new", c, labels="x"), "pass by, the column's name"),
        (
            lambda c: sqlrp.drift(RP, "old", "new", c, by="dya"),
            r"'dya' is not a column of new \(did you mean 'day'\?\)",
        ),
        (lambda c: sqlrp.drift(RP, "none", "new", c), "the reference has no row without NULL"),
        (lambda c: sqlrp.drift(RP, "old", "none", c), "current has no row without NULL"),
        (
            lambda c: sqlrp.drift(RP, "three", "new", c),
            "the reference has 3 rows without NULL, and k = 3 components need 4",
        ),
        (lambda c: sqlrp.drift(RP, "old", "three", c), "current has 3 rows without NULL, too few for k = 3 components"),
        (lambda c: sqlrp.drift(RP, "old", "new", c, by="day").p, "there are 8 groups of 'day': name one"),
        (lambda c: sqlrp.drift(RP, "old", "new", c, by="day").changes("x"), "group = 'x' is not a group of 'day'"),
        (lambda c: sqlrp.drift_sql("old", "new", c), "reference = 'old' must be what sqlrp.drift returned"),
        (
            lambda c: sqlrp.drift_sql(sqlrp.drift(RP, "old", "new", c), "new", c, by="Drifted"),
            "has the name of a result",
        ),
        (
            lambda c: sqlrp.drift(sqlrp.RandomFourierFeatures(k=2, gamma=1), "old", "new", c).changes(),
            "are no sums of columns and of products of two",
        ),
        (lambda c: Monomials.of(RP, 200), "200 features have 20,100 products, more than the 20,000"),
    ],
)
def test_what_is_refused(made: Any, call: Any, said: str) -> None:
    made.execute("CREATE VIEW none AS FROM old WHERE id < 0")
    made.execute("CREATE VIEW three AS FROM old WHERE id < 3")
    with pytest.raises(sqlrp.SqlrpError, match=said) as caught:
        call(made)
    assert_one_line(caught)


def test_the_text_needs_no_connection(made: Any) -> None:
    """The features are those of the reference, by name; a column that is not read may be missing."""
    found = sqlrp.drift(None, "old", "new", made)
    text = sqlrp.drift_sql(found, "new", "duckdb", by="day")
    assert text == sqlrp.drift_sql(found, "new", made, by="day")
    rows = made.sql(text).fetchall()
    assert [row[0] for row in sorted(rows) if row[-1]] == [datetime.date(2026, 3, 4), datetime.date(2026, 3, 7)]
    for engine in ("snowflake", "bigquery", "trino"):
        assert "AS drifted" in sqlrp.drift_sql(found, "new", engine, by="day")


# -- the statistics ---------------------------------------------------------------------------------------------------


def moments(x: Rows) -> Moments:
    away = x - x.mean(axis=0)
    return Moments(len(x), x.mean(axis=0), away.T @ away)


@pytest.mark.parametrize(("rows", "pooled"), [((1000, 1000), True), ((3000, 300), True), ((3000, 300), False)])
def test_false_alarms_are_as_many_as_alpha(rows: tuple[int, int], pooled: bool) -> None:
    """1,000 draws of components of degree 2, of which nothing has drifted: 4 to 6% alarm at 5%."""
    rng = np.random.default_rng(0)
    projection = sqlrp.PolynomialKernelProjection(k=10, degree=2, c=1, s=1, seed=0)
    pool = np.asarray(sqlrp.project(projection, rng.normal(size=(200_000, 8))))
    n, alarms = rows[0], 0
    for _ in range(1000):
        components = pool[rng.integers(0, len(pool), sum(rows))]
        alarms += compare(moments(components[:n]), moments(components[n:]), pooled).p <= 0.05
    assert 40 <= alarms <= 60


@pytest.mark.parametrize(("rows", "pooled"), [((1000, 1000), True), ((2000, 500), True), ((4000, 500), False)])
def test_false_alarms_of_three_parts_are_as_many_as_alpha(rows: tuple[int, int], pooled: bool) -> None:
    """1,000 draws of correlated columns, of which nothing has drifted: 4 to 6% alarm at 5%."""
    rng, method = np.random.default_rng(0), SumsAndProducts.of(12, 26)
    x = rng.normal(size=(200_000, 12)) + rng.normal(size=(200_000, 2)) @ rng.normal(size=(2, 12))
    pool, alarms = np.asarray(sqlrp.project(method, x)), 0
    ends = np.cumsum(list(method.parts.values())).tolist()
    parts = {name: range(start, end) for name, start, end in zip(method.parts, [0, *ends], ends, strict=False)}
    for _ in range(1000):
        z = pool[rng.integers(0, len(pool), sum(rows))]
        alarms += compare_parts(moments(z[: rows[0]]), moments(z[rows[0] :]), parts, pooled).p <= 0.05
    assert 40 <= alarms <= 60


def test_power_where_no_column_changes() -> None:
    """Halves of rows are exchanged: all columns have the same values as before, so tests of them see nothing."""
    rng = np.random.default_rng(1)
    mixed = np.random.default_rng(2).normal(size=(6, 48))
    projection = sqlrp.PolynomialKernelProjection(k=64, degree=2, c=1, s=1, seed=0)
    linear = sqlrp.SparseProjection(k=32, s=1, seed=0)
    found = {"products": 0, "columns": 0, "linear": 0}

    def images(n: int) -> Rows:
        return np.asarray(np.maximum(rng.normal(size=(n, 6)) @ mixed + rng.normal(size=(n, 48)), 0))

    def project(method: Any, x: Rows) -> Rows:
        return np.asarray(sqlrp.project(method, x))

    for _ in range(10):
        before, after = images(1500), images(1500)
        after[:500, :24] = rng.permutation(after[:500, :24])
        center, size = before.mean(axis=0), before.std(axis=0)
        before, after = (before - center) / size, (after - center) / size
        found["products"] += compare(*(moments(project(projection, x)) for x in (before, after))).p < 0.05
        found["linear"] += compare(*(moments(project(linear, x)) for x in (before, after))).p < 0.05
        p = [stats.ks_2samp(before[:, j], after[:, j]).pvalue for j in range(48)]
        found["columns"] += min(p) < 0.05 / 48
    assert found["products"] == 10
    assert found["linear"] <= 2
    assert found["columns"] <= 2


@pytest.mark.parametrize("k", [1, 2, 7, 64])
@pytest.mark.parametrize("freedom", [1, 5, 300, 10**6])
def test_probabilities_of_f(k: int, freedom: int) -> None:
    for p in (0.999, 0.5, 0.05, 1e-6, 1e-60):
        f = stats.f.isf(p, k, freedom)
        if 0 < f < 1e300:
            assert above(f, k, freedom) == pytest.approx(stats.f.sf(f, k, freedom), rel=1e-8)
        if p > 1e-9:
            assert bound_of(p, k, freedom) == pytest.approx(f, rel=1e-8)
    assert above(0, k, freedom) == 1
    assert above(math.inf, k, freedom) == 0
    assert math.isnan(above(math.nan, k, freedom))


def test_corrections() -> None:
    """Those of scipy, and of Holm's definition; NaN is no test."""
    rng = np.random.default_rng(3)
    for n in (1, 2, 9, 40):
        p = rng.random(n) ** 3
        assert np.allclose(corrected(p.tolist(), "benjamini-hochberg"), stats.false_discovery_control(p))
        holm = [max(min((n - (p < q).sum()) * q, 1) for q in p[p <= own]) for own in p]
        assert np.allclose(corrected(p.tolist(), "holm"), holm)
        assert corrected(p.tolist(), "none") == p.tolist()
        assert np.allclose(corrected([math.nan, *p.tolist()], "holm")[1:], holm)
        assert math.isnan(corrected([math.nan, *p.tolist()], "holm")[0])


@pytest.mark.parametrize(
    "projection",
    [RP, PK, sqlrp.Degree2KernelProjection(k=3, seed=4), sqlrp.TensorSketch(k=4, seed=1)],
    ids=lambda projection: type(projection).__name__,
)
def test_weights_of_products(projection: Any) -> None:
    """They give the components of other rows."""
    found, x = Monomials.of(projection, D), RNG.normal(size=(20, D))
    values = [x[:, a] * (1 if b is None else x[:, b]) for a, b in zip(found.first, found.second, strict=True)]
    zero = z(np.zeros((1, D)), projection)
    assert np.allclose(np.column_stack(values) @ found.weights + zero, z(x, projection))
