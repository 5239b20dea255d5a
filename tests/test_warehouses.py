"""SQL for warehouses: parsed in its dialect, translated and run in DuckDB, refused where unsupported, exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
import sqlalchemy as sa
import sqlglot
from cases import GROUPED, METHODS, X
from cover import factors, pairwise
from helpers import assert_close, assert_one_line, cells, load, oracle
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

import sqlrp
from sqlrp import (
    Array,
    LimitError,
    Long,
    ParameterError,
    PolynomialKernelProjection,
    Projection,
    SourceError,
    SparseProjection,
    UnsupportedError,
    Wide,
)
from sqlrp.connectors.inspected import _column_type as column_type
from sqlrp.core.numbers import DOUBLE, Number
from sqlrp.core.options import Options
from sqlrp.core.sources import Source
from sqlrp.dialects.base import ColumnType
from sqlrp.engines import ENGINES
from sqlrp.run.api import planned

WAREHOUSES = ("snowflake", "bigquery", "redshift", "databricks", "trino")
D = X.shape[1]
SOURCES: dict[str, Source] = {
    "wide": Wide("t", features=[f"f{j}" for j in range(D)]),
    "array": Array("t", "x", n_features=D),
    "long": Long("t", n_features=D),
}
LINEAR = SparseProjection(k=4, s=3, seed=1)
COMBINATIONS = [("wide", "inline"), ("wide", "relational"), ("array", "inline"), ("array", "relational")]
COMBINATIONS += [("long", "relational")]

SPARK = {"MONOTONICALLY_INCREASING_ID()": "row_number() OVER ()", "RAISE_ERROR(": "error("}
"""What sqlglot does not translate."""

each = pytest.mark.parametrize("name", WAREHOUSES)


def parsed(text: str, name: str) -> list[Any]:
    """The statements, none of which the parser took for a command it does not know."""
    found = sqlglot.parse(text, read=name)
    assert found
    assert all(s is not None and not isinstance(s, sqlglot.exp.Command) for s in found)
    return found


def usable(layout: str, lowering: str, **_: Any) -> bool:
    return (layout, lowering) in COMBINATIONS


@pairwise(
    *(
        factors(
            usable,
            name=[name],
            method=list(METHODS),
            layout=list(SOURCES),
            lowering=["inline", "relational"],
            output=["columns", "array", "long"],
            scale=[True, False],
            nulls=["error", "zero", "propagate"],
        )
        for name in WAREHOUSES
    )
)
def test_the_text_parses(
    name: str, method: str, layout: str, lowering: str, output: str, scale: bool, nulls: str
) -> None:
    text = sqlrp.sql(
        METHODS[method],
        SOURCES[layout],
        name,
        output=output,  # type: ignore[arg-type]
        scale=scale,
        nulls=nulls,  # type: ignore[arg-type]
        lowering=lowering,
    )
    assert len(parsed(text, name)) == (3 if layout != "long" and lowering == "relational" else 1)


def in_duckdb(
    con: duckdb.DuckDBPyConnection, name: str, projection: Projection, source: Source, output: str, lowering: str
) -> Any:
    """The result of the text, as sqlglot translates it."""
    script = planned(projection, source, name, Options(output, lowering=lowering)).script()  # type: ignore[arg-type]

    def run(statement: str) -> duckdb.DuckDBPyConnection:
        (translated,) = sqlglot.transpile(statement, read=name, write="duckdb")
        for spark, duck in SPARK.items():
            translated = translated.replace(spark, duck)
        return con.execute(translated)

    for step in script.setup:
        run(step)
    table = run(script.query).to_arrow_table()
    for drop in script.cleanup:
        run(drop)
    return table.rename_columns([c.lower() for c in table.column_names])


@pairwise(
    *(
        factors(
            usable,
            name=[name],
            method=list(METHODS),
            layout=list(SOURCES),
            lowering=["inline", "relational"],
            output=["columns", "array", "long"],
        )
        for name in WAREHOUSES
    )
)
def test_translated_to_duckdb_it_gives_numpy_s_numbers(
    con: duckdb.DuckDBPyConnection, name: str, method: str, layout: str, lowering: str, output: str
) -> None:
    projection = METHODS[method]
    load(con, layout, X.tolist())
    con.execute("CREATE MACRO IF NOT EXISTS get_array_length(x) AS len(x)")  # of Redshift
    con.execute("SET lambda_syntax = 'ENABLE_SINGLE_ARROW'")  # which sqlglot writes
    want = oracle(projection, X)
    table = in_duckdb(con, name, projection, SOURCES[layout], output, lowering)
    assert_close(cells(table, output, projection.k, sparse=layout == "long"), want, np.full(len(X), np.abs(want).max()))


@pytest.mark.parametrize("method", GROUPED)
@each
def test_groups(con: duckdb.DuckDBPyConnection, name: str, method: str) -> None:
    load(con, "wide", X.tolist())
    con.execute("UPDATE t SET id = id // 5")
    for lowering in ("inline", "relational"):
        table = in_duckdb(con, name, GROUPED[method], SOURCES["wide"], "columns", lowering)
        want = cells(sqlrp.project(GROUPED[method], "t", con), "columns", GROUPED[method].k)
        got = cells(table, "columns", GROUPED[method].k)
        assert got.keys() == want.keys()
        assert all(np.allclose(got[i], want[i]) for i in want)


@each
def test_features_by_name(name: str) -> None:
    text = sqlrp.sql(LINEAR, Long("t", "id", "word", "value"), name)
    parsed(text, name)
    assert "md5" in text.lower()


@pytest.mark.parametrize("projection", [LINEAR, PolynomialKernelProjection(k=5, s=1, t=3, degree=2, c=1, seed=11)])
def test_snowflake_s_text_runs_on_fakesnow(projection: Projection) -> None:
    import fakesnow
    from snowflake import connector

    with fakesnow.patch():
        cursor = connector.connect(database="d", schema="s").cursor()
        columns = ", ".join(f'"f{j}" DOUBLE' for j in range(D))
        cursor.execute(f'CREATE TABLE "t" ("id" BIGINT, {columns})')
        rows = ", ".join(f"({i}, {', '.join(map(repr, row))})" for i, row in enumerate(X.tolist()))
        cursor.execute(f'INSERT INTO "t" VALUES {rows}')
        for lowering in ("inline", "relational"):
            script = planned(projection, SOURCES["wide"], "snowflake", Options(lowering=lowering)).script()
            for step in script.setup:
                cursor.execute(step)
            got = {row[0]: list(row[1:]) for row in cursor.execute(script.query).fetchall()}
            for drop in script.cleanup:
                cursor.execute(drop)
            want = oracle(projection, X)
            assert_close(got, want, np.full(len(X), np.abs(want).max()))


HOSTILE = ['a"b', "a`b", "a'b", "; DROP TABLE t; --", "back\\slash", "schön Ω", "select", "a b"]


@each
def test_hostile_names(name: str) -> None:
    taken = [n for n in [*HOSTILE, "key; '", "keep %d\\", "t`1"] if name != "bigquery" or not {"`", "\\"} & set(n)]
    for refused in {*HOSTILE} - {*taken}:
        with pytest.raises(SourceError) as caught:
            sqlrp.sql(LINEAR, Wide("t", features=[refused]), name)
        assert_one_line(caught, "backtick or a backslash", "rename")
    features = [n for n in HOSTILE if n in taken]
    keep = [n for n in taken if n not in features and n != "key; '"]
    source = Wide("t", key="key; '", features=features, keep=keep)
    for lowering in ("inline", "relational"):
        statements = parsed(sqlrp.sql(LINEAR, source, name, lowering=lowering, nulls="error"), name)
        named = {i.name for s in statements for i in s.find_all(sqlglot.exp.Identifier)}
        assert {*taken} <= named
    (statement,) = parsed(sqlrp.sql(LINEAR, Wide('"pro""ject"."data set".t', features=["a"]), name), name)
    found = next(statement.find_all(sqlglot.exp.Table))
    assert [part.name for part in found.parts] == ['pro"ject', "data set", "t"]


@each
def test_refusals(name: str) -> None:
    engine = ENGINES[name]
    for call in (
        lambda: sqlrp.project(LINEAR, "t", name),
        lambda: sqlrp.materialize(LINEAR, "t", name, into="made"),
        lambda: sqlrp.save(LINEAR, name, "kept"),
        lambda: sqlrp.load(name, "kept"),
    ):
        with pytest.raises(ParameterError) as caught:
            call()
        assert_one_line(caught, name, "sqlrp.sql", "sqlrp.export", "pass a connection")
    with pytest.raises(ParameterError, match="or n_features"):
        sqlrp.sql(LINEAR, Array("t", "x"), name)
    with pytest.raises(ParameterError, match="does not name features"):
        sqlrp.sql(LINEAR, "t", name)
    bound = engine.limits.columns
    if bound is not None:
        with pytest.raises(LimitError, match="output = 'long'"):
            sqlrp.sql(SparseProjection(k=bound), SOURCES["wide"], name)
    assert engine.limits.source
    assert engine.costs.source


@each
def test_export(name: str, tmp_path: Path) -> None:
    made = sqlrp.export(LINEAR, SOURCES["wide"], name, tmp_path / "sub" / "one", into="s.images_pk")
    assert [p.name for p in made] == ["01_query.sql"]
    (statement,) = parsed(made[0].read_text(encoding="utf-8"), name)
    assert isinstance(statement, sqlglot.exp.Create)
    assert statement.kind == "VIEW"
    made = sqlrp.export(LINEAR, SOURCES["wide"], name, tmp_path / "two", lowering="relational")
    assert [p.name for p in made] == ["01_step.sql", "02_query.sql", "03_cleanup.sql"]
    kinds = [parsed(p.read_text(encoding="utf-8"), name)[0] for p in made]
    assert [type(k) for k in kinds] == [sqlglot.exp.Create, sqlglot.exp.Create, sqlglot.exp.Drop]
    assert kinds[1].kind == "TABLE"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["sub", "two"]


def test_an_export_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    for folder in ("full", "full/mine.txt"):
        with pytest.raises(ParameterError) as caught:
            sqlrp.export(LINEAR, SOURCES["wide"], "trino", tmp_path / folder)
        assert_one_line(caught, "holds something already")
    (tmp_path / "empty").mkdir()
    sqlrp.export(LINEAR, SOURCES["wide"], "trino", tmp_path / "empty")
    write, written = Path.write_text, 0

    def failing(self: Path, *arguments: Any, **options: Any) -> int:
        nonlocal written
        written += 1
        if written == 2:
            raise OSError("no space left")
        return write(self, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", failing)
    with pytest.raises(SourceError, match="half' cannot be written: no space"):
        sqlrp.export(LINEAR, SOURCES["wide"], "trino", tmp_path / "half", lowering="relational")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty", "full"]


# -- connections of SQLAlchemy's dialects of these names: here SQLite answers under the name ---------------------


class Named(SQLiteDialect_pysqlite):
    """SQLite, which spells names in lower case where the warehouse has them in upper case."""

    supports_statement_cache = True

    def get_columns(self, connection: Any, table_name: str, schema: str | None = None, **options: Any) -> Any:
        found = super().get_columns(connection, table_name, schema, **options)
        return [column | {"name": self.normalize_name(column["name"])} for column in found]


@pytest.mark.parametrize(
    ("kind", "text", "want"),
    [
        (sa.ARRAY(sa.Float()), "ARRAY<FLOAT64>", ColumnType("ARRAY<FLOAT64>", DOUBLE, is_array=True)),
        (sa.ARRAY(sa.Integer()), "x", ColumnType("x", Number("int", 32), is_array=True)),
        (sa.ARRAY(sa.String()), "x", ColumnType("x", None, is_array=True)),
        (sa.types.NullType(), "SUPER", ColumnType("SUPER", DOUBLE, is_array=True)),
        (sa.types.NullType(), "ARRAY", ColumnType("ARRAY", DOUBLE, is_array=True)),
        (
            sa.types.NullType(),
            "VECTOR(FLOAT, 768)",
            ColumnType("VECTOR(FLOAT, 768)", DOUBLE, is_array=True, size=768, cast="ARRAY"),
        ),
        (sa.types.NullType(), "ARRAYS", ColumnType("ARRAYS")),
    ],
)
def test_array_types_of_warehouses_are_read(kind: Any, text: str, want: ColumnType) -> None:
    assert column_type(kind, text) == want


@each
def test_a_connection_has_the_text_of_its_warehouse(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upper = name == "snowflake"
    kind = type(name, (Named,), {"name": name, "requires_name_normalize": upper, "supports_statement_cache": True})
    monkeypatch.setattr(registry, "impls", {f"{name}.pysqlite": lambda: kind})
    made = sa.create_engine(f"{name}+pysqlite://", poolclass=sa.pool.StaticPool)
    x = np.random.default_rng(2).normal(size=(4, 3))
    with made.connect() as connection:
        table = "t (id BIGINT, f0 DOUBLE, f1 DOUBLE, f2 DOUBLE)"
        connection.exec_driver_sql(f"CREATE TABLE {table.upper() if upper else table}")
        for i, row in enumerate(x.tolist()):
            connection.exec_driver_sql("INSERT INTO t VALUES (?, ?, ?, ?)", (i, *row))
        text = sqlrp.sql(LINEAR, "t", connection)
        features = ["F0", "F1", "F2"] if upper else ["f0", "f1", "f2"]
        source = Wide("T" if upper else "t", key="ID" if upper else "id", features=features)
        assert text == sqlrp.sql(LINEAR, source, name)
        assert_close(
            cells(sqlrp.project(LINEAR, "t", connection), "columns", LINEAR.k),
            oracle(LINEAR, x),
            np.full(len(x), np.abs(x).max() * 9),
        )
        with pytest.raises(UnsupportedError) as caught:
            sqlrp.materialize(LINEAR, "t", connection, into="made")
        assert_one_line(caught, f"{name} has no transactions")
    made.dispose()


@pytest.mark.parametrize("n", [1, 16_384, 16_385, 40_000])
def test_snowflake_s_values_have_at_most_16_384_rows(n: int) -> None:
    # Snowflake's documentation of VALUES: one clause holds up to 16,384 rows.
    text = ENGINES["snowflake"].literal_table({"f": np.arange(n), "w": np.arange(n) % 7})
    clauses = list(sqlglot.parse_one(text, read="snowflake").find_all(sqlglot.exp.Values))
    sizes = [len(clause.expressions) for clause in clauses]
    assert max(sizes) <= 16_384
    assert len(sizes) == -(-n // 16_384)
    rows = [tuple(int(v.this) for v in row.expressions) for clause in clauses for row in clause.expressions]
    assert sorted(rows) == [(i, i % 7) for i in range(n)]
