"""The contract on the engines other than DuckDB: the numpy oracle, refusals, NULLs, names, types, one connection."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import sqlalchemy as sa
from cases import DRAWN, GROUPED, HOSTILE, MANY, exact_signs, grouped, some_rows
from cases import SERVED as NAMES
from cases import X as ROWS
from cover import Cover, factors, pairwise
from databases import DOUBLES, FAMILY, Database, database
from evaluate import evaluate
from helpers import METHODS, assert_close, assert_one_line, cells, exact, magnitude, oracle

import sqlrp
from sqlrp import (
    Array,
    Long,
    PolynomialKernelProjection,
    Projection,
    SourceError,
    SparseProjection,
    StatementError,
    Wide,
)
from sqlrp._core.draw import hash_name
from sqlrp._core.errors import LimitError, ParameterError, UnsupportedError
from sqlrp._core.sources import TableName
from sqlrp._engines.registry import ENGINES, connector_of
from sqlrp._lowering.job import fewest

ARRAYS = ("postgresql", "clickhouse")
COMBINATIONS = [
    *((name, "wide", lowering) for name in NAMES for lowering in ("inline", "relational")),
    *((name, "long", "relational") for name in NAMES),
    *((name, "array", lowering) for name in ARRAYS for lowering in ("inline", "relational")),
]


def outputs(name: str) -> tuple[str, ...]:
    return ("columns", "long", "array") if name in ARRAYS else ("columns", "long")


LISTED = [("clickhouse", layout, "indexed") for layout in ("wide", "array")]
"""The combinations of an engine that sums lists by dot products with constant ones."""

each = pytest.mark.parametrize("name", NAMES)
everywhere = pytest.mark.parametrize(("name", "layout", "lowering"), COMBINATIONS)


# -- the contract ----------------------------------------------------------------------------------------


def grouped_on(name: str) -> Cover:
    """A long source is grouped already, which every engine's Job refuses: test_methods."""
    layouts = ("wide", "array", "arrays") if name in ARRAYS else ("wide",)
    cover = grouped(layouts, ENGINES[name].lowerings, outputs(name), texts=name == "clickhouse")
    return Cover({"name": [name], **cover.factors}, lambda name, **case: cover.allowed(**case))


@pairwise(*map(grouped_on, NAMES))
def test_groups(db: Database, name: str, method: str, layout: str, lowering: str, output: str) -> None:
    projection = GROUPED[method]
    groups = np.repeat(np.arange(3), 5)[: len(ROWS)]
    at: int = getattr(projection, "split", None) or 0
    source = db.load(layout, ROWS.tolist(), ids=groups.tolist(), at=at)
    want = evaluate(projection.stages(ROWS.shape[1]), ROWS, np.arange(ROWS.shape[1]), groups)
    want = want * projection.factor(ROWS.shape[1])
    if layout == "arrays":
        projection = replace(projection, split=None)  # type: ignore[call-arg]  # the lengths say it
    got = db.projected(projection, source, output, lowering=lowering)
    assert_close(got, want, np.full(3, np.abs(want).max()))


@each
def test_drawn_monomials(db: Database, name: str) -> None:
    source, want = db.load("wide", MANY.tolist()), oracle(DRAWN, MANY)
    for lowering in ENGINES[name].lowerings:
        got = db.projected(DRAWN, source, "columns", lowering=lowering)
        assert_close(got, want, np.full(len(MANY), np.abs(want).max()))


@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_drawn_monomials_by_the_function_of_saved_projections(db: Database, name: str) -> None:
    db.load("wide", MANY.tolist())
    sqlrp.install(db.connection)
    sqlrp.save(DRAWN.bound([f"f{j}" for j in range(MANY.shape[1])]), db.connection, "drawn", source="t")
    output, key = (", output := 'array'", "id") if name == "duckdb" else ("", "CAST(key AS bigint)")
    found = db.run_query(f"SELECT {key} AS id, z FROM project_with('drawn', 't'{output})")
    want = oracle(DRAWN, MANY)
    assert_close({i: list(map(float, z)) for i, z in found}, want, np.full(len(MANY), np.abs(want).max()))


@each
def test_saved_projections_and_samples(db: Database, name: str) -> None:
    source = db.load("wide", ROWS.tolist())
    method = sqlrp.PrincipalComponents(k=3, sample=8, seed=1)
    fitted = sqlrp.fit(method, source, db.connection)
    assert sqlrp.fit(method, source, db.connection) == fitted
    kept = sqlrp.save(fitted, db.connection, "it's \\ mine")
    assert sqlrp.load(db.connection, "it's \\ mine") == kept == fitted
    assert sqlrp.saved(db.connection)["it's \\ mine"] == fitted
    if name in ARRAYS:  # hashed by md5 as in Python, so that the sample is every engine's
        frame = pa.table({"id": range(len(ROWS)), **{f"f{j}": ROWS[:, j] for j in range(ROWS.shape[1])}})
        with duckdb.connect() as con:
            con.register("t", frame)
            assert sqlrp.fit(method, "t", con) == fitted


@pytest.mark.parametrize("kind", ["real", "double precision"])
def test_arrays_of_postgresql(databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, kind: str) -> None:
    db = database(databases, "postgresql", tmp_path_factory)
    x = some_rows()
    source = db.load("array", x.tolist(), kind)
    for projection in METHODS.values():
        for output in outputs("postgresql"):
            got = db.projected(projection, source, output)
            assert_close(got, oracle(projection, x), magnitude(projection, x), 1e-9 if kind != "real" else 1e-4)


@each
def test_the_text_needs_no_connection(db: Database, name: str) -> None:
    x = some_rows()
    db.load("wide", x.tolist())
    source = Wide("t", features=[f"f{j}" for j in range(9)])
    for projection in METHODS.values():
        text = sqlrp.sql(projection, source, name)
        result = db.connector.fetch(db.connection, text)
        assert_close(cells(result, "columns", projection.k), oracle(projection, x), magnitude(projection, x))


@each
def test_drawn_signs_are_numpy_s(db: Database, name: str) -> None:
    d, k = 23, 19
    source = db.load("long", np.eye(d, dtype=int).tolist(), "BIGINT")
    for seed in range(10):
        projection = SparseProjection(k=k, s=3 if seed % 2 else 1, seed=seed * 12345678901)
        got = db.projected(projection, source, scale=False)
        assert np.array_equal(np.array([got[i] for i in range(d)]), exact_signs(projection, d)), seed


# -- numbers ---------------------------------------------------------------------------------------------

WHOLE = {"int32": "INTEGER", "int64": "BIGINT"}


@pairwise(
    factors(
        lambda name, layout, lowering, **_: (name, layout, lowering) in [*COMBINATIONS, *LISTED],
        name=NAMES,
        layout=["wide", "long", "array"],
        lowering=["inline", "relational", "indexed"],
        kind=list(WHOLE),
    )
)
def test_integers_are_exact(db: Database, name: str, layout: str, lowering: str, kind: str) -> None:
    top = 2 ** (31 if kind == "int32" else 63) - 1
    rows = [[top, top - 1, top], [-top, top, -top], [1, 0, -top], [0, 0, 0]]
    source = db.load(layout, rows, WHOLE[kind])
    projections: list[Projection] = [SparseProjection(k=5, s=1, seed=3)]
    if name != "sqlite":
        projections += [PolynomialKernelProjection(k=3, s=1, degree=2, t=2, c=4, seed=1)]
    for projection in projections:
        if lowering == "indexed" and kind == "int64":  # the sums are Decimals, which no dot product adds
            with pytest.raises(UnsupportedError, match="lists of whole numbers"):
                db.projected(projection, source, scale=False, lowering=lowering)
            continue
        want = oracle(projection, exact(rows), scale=False)
        for output in outputs(name):
            if name == "sqlite" and kind == "int64":  # no type holds the sums
                with pytest.raises(StatementError, match="no exact whole number of 64 bits: clean the rows, or"):
                    db.projected(projection, source, output, scale=False, lowering=lowering)
                continue
            got = db.projected(projection, source, output, scale=False, lowering=lowering)
            assert got == {i: list(row) for i, row in enumerate(want)}


@pytest.mark.parametrize("name", ["postgresql", *FAMILY, "clickhouse"])
def test_decimals_are_exact(db: Database, name: str) -> None:
    rows = [[Decimal("12345678.91"), Decimal("-0.07")], [Decimal("0.00"), Decimal("99999999.99")]]
    projections: list[Projection] = [SparseProjection(k=4, s=1, seed=3)]
    if name != "clickhouse":  # whose products are taken in DOUBLE
        projections += [PolynomialKernelProjection(k=3, s=1, degree=2, t=2, seed=1)]
    for projection in projections:
        want = oracle(projection, exact(rows), scale=False)
        for layout, lowering in (("wide", "inline"), ("wide", "relational"), ("long", "relational")):
            source = db.load(layout, rows, "DECIMAL(10,2)")
            got = db.projected(projection, source, scale=False, lowering=lowering)
            assert got == {i: list(row) for i, row in enumerate(want)}, (layout, lowering)


@pytest.mark.parametrize("name", ["postgresql", *FAMILY, "clickhouse"])
def test_small_and_unsigned_integers_do_not_overflow(db: Database, name: str) -> None:
    unsigned = ["TINYINT", "TINYINT UNSIGNED", "INT UNSIGNED", "BIGINT UNSIGNED"]
    kinds = {"postgresql": ["SMALLINT"], **dict.fromkeys(FAMILY, unsigned), "clickhouse": [*unsigned, "SMALLINT"]}
    tops = {"SMALLINT": 32767, "TINYINT": 127, "TINYINT UNSIGNED": 255, "INT UNSIGNED": 2**32 - 1}
    for kind in kinds[name]:
        top = tops.get(kind, 2**64 - 1)
        rows = [[top] * 4, [0, top, 0, top]]
        projection = SparseProjection(k=6, s=1, seed=2)
        listed = [("wide", "indexed")] if name == "clickhouse" and top < 2**63 else []
        for layout, lowering in (("wide", "inline"), ("wide", "relational"), ("long", "relational"), *listed):
            got = db.projected(projection, db.load(layout, rows, kind), scale=False, lowering=lowering)
            want = oracle(projection, exact(rows), scale=False)
            assert got == {i: list(row) for i, row in enumerate(want)}, (kind, layout, lowering)


@each
def test_booleans_are_numbers(db: Database, name: str) -> None:
    rows = [[True, False, True], [False, False, True]]
    db.make("t", [("id", "BIGINT"), *((f"f{j}", "BOOLEAN") for j in range(3))], [[i, *r] for i, r in enumerate(rows)])
    projection = SparseProjection(k=4, s=1, seed=2)
    want = oracle(projection, exact(np.array(rows, dtype=int).tolist()), scale=False)
    for lowering in ("inline", "relational", *(["indexed"] if name == "clickhouse" else [])):
        got = db.projected(projection, "t", scale=False, lowering=lowering)
        assert got == {i: list(row) for i, row in enumerate(want)}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("method", METHODS)
def test_nan_and_infinity(
    databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, name: str, method: str
) -> None:
    """A feature whose sign is 0 leaves a sum finite, also where an engine multiplies by zeros."""
    db = database(databases, name, tmp_path_factory)
    projection = METHODS[method]
    x = np.array([[np.inf, 1.0, 0], [1.0, np.nan, 2], [-np.inf, np.inf, 1], [1.0, 2.0, 3]])
    with np.errstate(all="ignore"):
        want, row_scale = oracle(projection, x), magnitude(projection, x)
    for layout, lowering in (
        ("wide", "inline"),
        ("wide", "relational"),
        ("long", "relational"),
        ("array", "relational"),
        *((layout, lowering) for engine, layout, lowering in LISTED if engine == name),
    ):
        got = db.projected(projection, db.load(layout, x.tolist()), lowering=lowering)
        assert_close(got, want, row_scale)


RUNS_OVER = {
    "postgresql": "value out of range: overflow",
    **dict.fromkeys(FAMILY, "DOUBLE value is out of range"),
}
RUNS_UNDER = {"postgresql": "value out of range: underflow"}
"""What a server says where others give an infinity, or a zero."""


@pytest.mark.parametrize("lowering", ["inline", "relational"])
@pytest.mark.parametrize("name", [*NAMES, "duckdb"])
def test_products_of_floats_beyond_their_range(db: Database, name: str, lowering: str) -> None:
    """The engine decides: PostgreSQL fails on both sides, MariaDB above; the others go on as IEEE 754 has it."""
    projection = PolynomialKernelProjection(k=3, s=1, t=1, degree=2, seed=1)
    for value, refusals, expected in ((1e200, RUNS_OVER, np.inf), (1e-200, RUNS_UNDER, 0.0)):
        source = db.load("wide", [[value, 0.0, 0.0]])
        if name in refusals:
            with pytest.raises(StatementError, match=refusals[name]):
                db.projected(projection, source, lowering=lowering)
        else:
            got = db.projected(projection, source, lowering=lowering)
            assert [abs(z) for z in got[0]] == [expected] * 3


# -- NULL ------------------------------------------------------------------------------------------------


@each
def test_a_null_key_is_a_key(db: Database, name: str) -> None:
    x = some_rows(3, 3)
    projection = METHODS["degree2"]
    want = oracle(projection, x)
    rows = [[None if i == 1 else i, j, float(x[i, j])] for i in range(3) for j in range(3)]
    db.make("t", [("id", "BIGINT"), ("feature", "INTEGER"), ("value", DOUBLES[name])], rows)
    got = db.projected(projection, Long("t", n_features=3))
    assert_close({1 if key is None else key: row for key, row in got.items()}, want, magnitude(projection, x))


# -- names, sources --------------------------------------------------------------------------------------


@each
def test_hostile_names(db: Database, name: str) -> None:
    x = some_rows(len(HOSTILE), 4)
    kinds = [("key; '", "BIGINT"), *((n, DOUBLES[name]) for n in HOSTILE), ("keep %d\\", "VARCHAR(9)")]
    table = db.make('tab"le `\\%s;', kinds, [[i, *row, f"k{i}"] for i, row in enumerate(x.tolist())])
    source = Wide(table, key="key; '", keep=["keep %d\\"])
    for projection in (METHODS["linear"], METHODS["degree3-c"]):
        for lowering in ("inline", "relational"):
            for output in outputs(name):
                result = sqlrp.project(projection, source, db.connection, lowering=lowering, output=output)  # type: ignore[arg-type]
                assert_close(
                    cells(result, output, projection.k, "key; '"), oracle(projection, x), magnitude(projection, x)
                )
                ids = result.column("key; '").to_pylist()
                assert result.column("keep %d\\").to_pylist() == [f"k{i}" for i in ids]
    nulled = [[0, None, *[1.0] * (len(HOSTILE) - 1), "k"]]
    db.make('tab"le `\\%s;', kinds, nulled)
    with pytest.raises(StatementError, match="nulls = 'error'"):
        sqlrp.project(METHODS["linear"], source, db.connection, nulls="error")


@each
def test_a_misspelt_feature_is_no_string(db: Database, name: str) -> None:
    db.load("wide", some_rows().tolist())
    with pytest.raises(SourceError) as caught:
        db.projected(METHODS["linear"], Wide("t", features=["f0", "nope"]))
    assert_one_line(caught, "'nope'")
    text = sqlrp.sql(METHODS["linear"], Wide("t", features=["f0", "nope"]), name)
    with pytest.raises(StatementError) as failed:
        db.connector.fetch(db.connection, text)
    assert_one_line(failed, "nope")


@each
def test_views_and_schemas_and_missing_tables(db: Database, name: str) -> None:
    x = some_rows()
    db.load("wide", x.tolist())
    projection = METHODS["linear"]
    db.run("DROP VIEW IF EXISTS v")
    db.run(f"CREATE VIEW v AS SELECT id, {', '.join(f'f{j} * 1.0e0 AS f{j}' for j in range(9))} FROM t")
    for source in ("v", f"{db.schema}.t", f"{db.schema}.v"):
        for lowering in ("auto", "inline", "relational"):
            got = db.projected(projection, source, lowering=lowering)
            assert_close(got, oracle(projection, x), magnitude(projection, x))
    db.run("DROP VIEW v")
    for missing in ("no_such", "no_such.t"):
        with pytest.raises(SourceError) as caught:
            db.projected(projection, missing)
        assert_one_line(caught, "no_such", "cannot be read")


@each
def test_rows_without_a_key_stay_whole(db: Database, name: str) -> None:
    # An index over the kept column alone must not give the rows another order in another place of the query.
    rng = np.random.default_rng(4)
    x = rng.normal(size=(300, 4))
    label = rng.permutation(300)
    columns = [("label", "BIGINT"), *((f"f{j}", DOUBLES[name]) for j in range(4))]
    db.make("t", columns, [[int(i), *row] for i, row in zip(label, x.tolist(), strict=True)])
    if name != "clickhouse":
        db.run("CREATE INDEX by_label ON t (label)")
    want = x[np.argsort(label)]
    for projection in (METHODS["linear"], METHODS["degree2"]):
        for lowering in ("inline", "relational"):
            source = Wide("t", key=None, keep=["label"])
            result = sqlrp.project(projection, source, db.connection, lowering=lowering)
            got = cells(result, "columns", projection.k, "label")
            assert_close(got, oracle(projection, want), magnitude(projection, want))


@pytest.mark.parametrize("name", ["postgresql", *FAMILY, "clickhouse"])
def test_text_features_are_hashed(db: Database, name: str) -> None:
    words = ["cat", "Cat", "dög", "", " ", "x" * 60]
    x = some_rows(len(words), 5)
    rows = [[i, w, float(x[i, j])] for i in range(5) for j, w in enumerate(words)]
    db.make("t", [("id", "BIGINT"), ("feature", "VARCHAR(99)"), ("value", DOUBLES[name])], rows)
    numbers = np.array([hash_name(w) for w in words], dtype=np.int64)
    for projection in (METHODS["linear"], METHODS["degree3-c"]):
        got = db.projected(projection, Long("t"))
        assert_close(got, oracle(projection, x, features=numbers), magnitude(projection, x, features=numbers))


def test_text_features_of_sqlite_are_refused(
    databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    db = database(databases, "sqlite", tmp_path_factory)
    db.make("t", [("id", "BIGINT"), ("feature", "TEXT"), ("value", "REAL")], [[0, "a", 1.0]])
    with pytest.raises(UnsupportedError) as caught:
        db.projected(METHODS["linear"], Long("t"))
    assert_one_line(caught, "sqlite has no md5", "number them")


@each
def test_a_feature_out_of_bounds_fails_with_its_words(db: Database, name: str) -> None:
    source = db.load("long", some_rows().tolist())
    with pytest.raises(StatementError) as caught:
        db.projected(METHODS["linear"], replace(source, n_features=8))  # type: ignore[type-var]
    own = "sqlrp: a feature in 'feature' is outside 0 ... 7: positions count from 0; raise n_features"
    assert_one_line(caught, own)
    assert str(caught.value).partition(" [in: ")[0] == own  # without the engine's words and quotes around it


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_of_another_length_fails(db: Database, name: str) -> None:
    columns = [("id", "BIGINT"), ("x", db.array_of("real"))]
    source = Array(db.make("t", columns, [[0, [1.0, 2.0]], [1, [1.0]]]), "x")
    with pytest.raises(StatementError) as caught:
        db.projected(METHODS["linear"], source)
    assert_one_line(caught, "sqlrp: a list in 'x' has not the 2 elements of the others")


# -- refusals and limits ---------------------------------------------------------------------------------


@each
def test_refusals(db: Database, name: str) -> None:
    wide, long = db.load("wide", some_rows().tolist()), db.load("long", some_rows().tolist(), table="l")
    projection = METHODS["linear"]
    for source, options, words in (
        *([] if name == "clickhouse" else [(wide, {"lowering": "indexed"}, [f"{name} has no indexed lowering"])]),
        (long, {"lowering": "inline"}, ["long rows"]),
        *([] if db.engine.reads_files else [(Wide("t.parquet"), {}, [f"{name} reads no files"])]),
        *(
            (
                (wide, {"output": "array"}, ["output = 'array'", "no arrays"]),
                (Array("t", "x"), {}, ["no array columns"]),
            )
            if name not in ARRAYS
            else ()
        ),
    ):
        with pytest.raises(UnsupportedError) as caught:
            db.projected(projection, source, **options)
        assert_one_line(caught, *words)


@pytest.mark.parametrize("name", [name for name in NAMES if ENGINES[name].limits.columns is not None])
def test_more_columns_than_a_result_holds(db: Database, name: str) -> None:
    source = db.load("wide", [[1.0, 2.0]])
    bound = db.engine.limits.columns
    assert bound is not None
    for k, holds in ((bound - 1, True), (bound, False)):
        projection = SparseProjection(k=k, s=1, seed=1)
        if holds:
            result = sqlrp.project(projection, source, db.connection)
            assert result.num_columns == bound
            continue
        with pytest.raises(LimitError) as caught:
            sqlrp.project(projection, source, db.connection)
        assert_one_line(caught, f"k = {k}", str(bound), "output = 'long'")
    for output in outputs(name)[1:]:
        assert len(db.projected(projection, source, output)[0]) == bound


@pytest.mark.parametrize("name", [name for name in NAMES if (ENGINES[name].limits.columns or 10_000) < 4_200])
def test_vectors_that_no_subquery_holds(db: Database, name: str) -> None:
    x = some_rows(4, 2)
    source = db.load("wide", x.tolist())
    projection = PolynomialKernelProjection(k=1100, s=1, p=4200, degree=2, t=2, seed=1)
    with pytest.raises(UnsupportedError) as caught:
        db.projected(projection, source, lowering="inline")
    limits = db.engine.limits
    bound = fewest(limits.columns, limits.row and limits.row // 8)
    assert_one_line(caught, "a subquery would have 4,203 columns", f"{bound:,}")
    if bound is not None and bound < 1100:
        with pytest.raises(LimitError, match=f"would have 1,103 columns, more than the {bound:,}"):
            db.projected(projection, source)
        return
    assert_close(db.projected(projection, source), oracle(projection, x), magnitude(projection, x))


@each
def test_steps_run_on_one_connection(db: Database, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(db.engine), "limits", replace(db.engine.limits, terms=40))
    x = some_rows()
    rows: list[list[Any]] = [*x.tolist(), [None, *[1.0] * 8]]
    x = np.vstack([x, [0.0, *[1.0] * 8]])
    source = db.load("wide", rows)
    whole = replace(source, table=f"{db.schema}.t")
    pool = db.connection if name == "clickhouse" else db.connection.engine
    if name in FAMILY:  # a temporary table needs a database
        pool = sa.create_engine(pool.url.set(database=db.schema))
    for projection in (SparseProjection(k=30, s=1, seed=5), PolynomialKernelProjection(k=20, s=1, t=3, seed=11)):
        for output in outputs(name):
            assert len(sqlrp.explain(projection, source, db.connection, lowering="inline").script.setup) > 2
            got = db.projected(projection, source, output, lowering="inline")
            null = np.arange(9) == 8
            assert_close(got, oracle(projection, x), magnitude(projection, x), null=null)
        if name != "clickhouse":
            db.connection.commit()
        for lowering in ("inline", "relational"):
            result = sqlrp.project(projection, whole, pool, lowering=lowering, nulls="zero")
            assert_close(cells(result, "columns", projection.k), oracle(projection, x), magnitude(projection, x))


@each
def test_a_failing_step_leaves_nothing(db: Database, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(db.engine), "limits", replace(db.engine.limits, terms=40))
    source = db.load("wide", [[None, 1.0], [1.0, 2.0]])
    projection = SparseProjection(k=30, s=1, seed=5)
    for _ in range(2):  # the second meets what the first left
        with pytest.raises(StatementError) as caught:
            db.projected(projection, source, lowering="inline", nulls="error")
        assert_one_line(caught, "nulls = 'error'")


# -- odds and ends ---------------------------------------------------------------------------------------


@each
def test_kept_columns_keep_their_types(db: Database, name: str) -> None:
    columns = [("id", "VARCHAR(9)"), ("d", "DATE"), ("n", "INTEGER"), ("a", DOUBLES[name]), ("b", DOUBLES[name])]
    db.make("t", columns, [["x", "2024-01-31", 7, 1.0, 2.0], ["y", None, None, 3.0, 4.0]])
    for lowering in ("inline", "relational"):
        source = Wide("t", keep=["d", "n"])
        result = sqlrp.project(SparseProjection(k=2, seed=1), source, db.connection, lowering=lowering)
        result = result.sort_by("id")
        assert result.column_names == ["id", "d", "n", "z0", "z1"]
        assert result.column("id").to_pylist() == ["x", "y"]
        assert [None if d is None else str(d) for d in result.column("d").to_pylist()] == ["2024-01-31", None]
        assert result.column("n").to_pylist() == [7, None]


@pytest.mark.parametrize("output", ["columns", "array", "long"])
@pytest.mark.parametrize("lowering", ["inline", "relational"])
def test_a_type_that_cannot_be_compared_is_kept(
    databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, lowering: str, output: str
) -> None:
    """PostgreSQL's json has no equality, so that no GROUP BY may name it."""
    db = database(databases, "postgresql", tmp_path_factory)
    columns = [("id", "BIGINT"), ("j", "json"), ("a", DOUBLES["postgresql"]), ("b", DOUBLES["postgresql"])]
    db.make("t", columns, [[0, '{"b": 1}', 1.0, 2.0], [1, None, None, 3.0], [2, "[]", 4.0, 5.0]])
    source = Wide("t", keep=["j"])
    result = sqlrp.project(SparseProjection(k=2), source, db.connection, lowering=lowering, output=output)  # type: ignore[arg-type]
    kept = {(row["id"], str(row["j"])) for row in result.to_pylist()}
    assert kept == {(0, "{'b': 1}"), (1, "None"), (2, "[]")}
    assert len(result) == (6 if output == "long" else 3)


@each
def test_an_empty_table(db: Database, name: str) -> None:
    db.make("t", [("id", "BIGINT"), ("a", DOUBLES[name]), ("b", DOUBLES[name])], [])
    for lowering in ("inline", "relational"):
        for output in outputs(name):
            result = sqlrp.project(METHODS["degree2"], "t", db.connection, lowering=lowering, output=output)  # type: ignore[arg-type]
            assert result.num_rows == 0
            assert result.column_names[0] == "id"


@each
def test_the_cost_of_a_count_is_no_scan(db: Database, name: str) -> None:
    db.load("wide", some_rows().tolist())
    if name not in ("sqlite", "clickhouse"):
        db.run("ANALYZE t" if name == "postgresql" else "ANALYZE TABLE t")
    assert sqlrp.explain(METHODS["linear"], "t", db.connection).plan.job.frame.rows == 8


@pytest.mark.parametrize("transaction", [False, True])
def test_jit_is_as_before(
    databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, transaction: bool
) -> None:
    db = database(databases, "postgresql", tmp_path_factory)
    source = db.load("wide", [[None, 1.0]])
    url = db.connection.engine.url
    made = sa.create_engine(url, isolation_level=None if transaction else "AUTOCOMMIT")
    with made.connect() as connection:
        connection.exec_driver_sql(f"SET search_path TO {db.schema}")
        connection.exec_driver_sql("SET jit = on")
        connection.commit()
        sqlrp.project(METHODS["linear"], source, connection)
        assert connection.exec_driver_sql("SHOW jit").scalar() == "on"
        with pytest.raises(StatementError, match="nulls = 'error'"):
            sqlrp.project(METHODS["linear"], source, connection, nulls="error")
        connection.rollback()
        assert connection.exec_driver_sql("SHOW jit").scalar() == "on"
    made.dispose()


def test_names_that_postgresql_would_cut() -> None:
    with pytest.raises(SourceError) as caught:
        sqlrp.sql(METHODS["linear"], Wide("t", features=["ö" * 32]), "postgresql")
    assert_one_line(caught, "64 bytes", "63 of PostgreSQL")


def test_what_only_writes_text_is_no_connection() -> None:
    connection = sa.create_mock_engine("mssql+pyodbc://", lambda *_: None)
    with pytest.raises(ParameterError) as caught:
        sqlrp.project(METHODS["linear"], "t", connection)
    assert_one_line(caught, "MockConnection", "a SQLAlchemy engine or connection")


@each
def test_limits_and_costs_have_a_source(name: str) -> None:
    engine = ENGINES[name]
    assert engine.limits.source
    assert engine.costs.source
    lowerings = {*engine.lowerings, *(["native"] if engine.costs.fetch else [])}
    assert set(engine.costs.run) == set(engine.costs.start) == lowerings
    assert set(engine.costs.fetch) in (set(), set(engine.lowerings))


def test_sqlite_counts_no_rows_where_there_are_no_rowids_only() -> None:
    with sa.create_engine("sqlite://").connect() as connection:
        connection.exec_driver_sql("CREATE TABLE numbered (id INTEGER)")
        connection.exec_driver_sql("INSERT INTO numbered VALUES (7), (8)")
        connection.exec_driver_sql("CREATE TABLE bare (id INTEGER PRIMARY KEY) WITHOUT ROWID")
        connector = connector_of(connection)
        assert connector.count(connection, TableName(("numbered",))) == 2
        assert connector.count(connection, TableName(("bare",))) is None
        with pytest.raises(StatementError, match="no such table"):
            connector.count(connection, TableName(("gone",)))
