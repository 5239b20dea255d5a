"""SQL for warehouses: parsed in its dialect, translated and run in DuckDB, refused where unsupported, exported."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
import sqlglot
from cases import METHODS, X
from cover import factors, pairwise
from helpers import AT, assert_one_line
from standins import DATABASES, WAREHOUSES
from translating import parsed, refused

import sqlrp
from sqlrp import (
    Array,
    LimitError,
    Long,
    ParameterError,
    SourceError,
    SparseProjection,
    Wide,
)
from sqlrp._connectors.inspected import _column_type as column_type
from sqlrp._core.numbers import BOOLEAN, DOUBLE, Number
from sqlrp._core.options import Options
from sqlrp._core.sources import Source, TableName
from sqlrp._dialects.dialect import Column, ColumnType
from sqlrp._engines.registry import ENGINES
from sqlrp._run.table_input import planned

D = X.shape[1]
SOURCES: dict[str, Source] = {
    "wide": Wide("t", features=[f"f{j}" for j in range(D)]),
    "array": Array("t", "x", n_features=D),
    "arrays": Array("t", ["a", "b"], n_features=[AT, D - AT]),
    "long": Long("t", n_features=D),
}
LINEAR = SparseProjection(k=4, s=3, seed=1)
COMBINATIONS = [(layout, lowering) for layout in ("wide", "array", "arrays") for lowering in ("inline", "relational")]
COMBINATIONS += [("long", "relational")]
COVERED: list[tuple[str, str, Any]] = [
    ("wide", "inline", "columns"),
    ("wide", "relational", "long"),
    ("array", "inline", "vector"),
    ("long", "relational", "array"),
]

each = pytest.mark.parametrize("name", WAREHOUSES)


def usable(layout: str, lowering: str, **_: Any) -> bool:
    return (layout, lowering) in COMBINATIONS


@pairwise(
    factors(
        usable,
        name=list(WAREHOUSES),
        method=list(METHODS),
        layout=list(SOURCES),
        lowering=["inline", "relational"],
        output=["columns", "array", "long"],
        scale=[True, False],
        nulls=["error", "zero", "propagate"],
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
    steps = 2 if name == "bigquery" else 3  # whose temporary tables expire, as its result is that of the last statement
    found = len(parsed(text, name))
    assert name not in DATABASES or refused(text, name) == []
    if name == "sqlserver" and lowering == "relational":  # each relation is a table
        assert found % 2
        assert found > 3
    else:
        assert found == (steps if layout != "long" and lowering == "relational" else 1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("oracle", "SELECT a FROM t AS s"),
        ("oracle", "SELECT a FROM (SELECT 1 AS a FROM dual) AS s"),
        ("oracle", "SELECT 1"),
        ("oracle", "SELECT a FROM t LIMIT 3"),
        ("oracle", "SELECT MOD(a % 3, 2) FROM t"),
        ("oracle", f"SELECT '{'a' * 4000}' FROM dual"),
        ("oracle", "SELECT row_number() OVER () FROM t"),
        ("oracle", "CREATE PRIVATE TEMPORARY TABLE t ON COMMIT PRESERVE DEFINITION AS SELECT 1 AS a FROM dual"),
        ("sqlserver", "SELECT a FROM (SELECT 1 AS a)"),
        ("sqlserver", "SELECT a FROM t LIMIT 3"),
        ("sqlserver", "SELECT a FROM t JOIN u USING (a)"),
        ("sqlserver", "SELECT a FROM (WITH x AS (SELECT 1 AS a) SELECT a FROM x) s"),
        ("sqlserver", "CREATE TABLE t AS SELECT 1 AS a"),
        ("sqlserver", "CREATE TABLE IF NOT EXISTS t (a INT)"),
        ("sqlserver", "SELECT a || 'b' FROM t"),
    ],
)
def test_what_the_two_databases_refuse_is_found(name: str, text: str) -> None:
    """The check of this file and of test_connected does fail."""
    assert refused(text, name)


@pytest.mark.parametrize("name", DATABASES)
def test_a_second_grammar_reads_the_text(name: str) -> None:
    """sqlfluff's, which lacks Oracle's literals of BINARY_DOUBLE and RETURNING; it takes half a second a statement."""
    from sqlfluff.core import Linter

    linter = Linter(dialect={"sqlserver": "tsql"}.get(name, name))
    for layout, lowering, output in COVERED:
        if layout == "array" and name == "oracle":
            continue
        text = sqlrp.sql(METHODS["d2pk"], SOURCES[layout], name, output=output, lowering=lowering)
        known = re.sub(r"(?<=\d)d\b", "", text) if name == "oracle" else text
        assert [found.desc() for found in linter.parse_string(known).violations] == []
    assert linter.parse_string("SELECT a FROM t LIMIT 3 4").violations


@pytest.mark.parametrize("name", sorted({*WAREHOUSES} - {"redshift"}))
def test_a_second_grammar_reads_what_a_refresh_runs(name: str) -> None:
    from sqlfluff.core import Linter

    engine, linter = ENGINES[name], Linter(dialect={"sqlserver": "tsql"}.get(name, name))
    columns = [Column(f"c{j}", ColumnType("", DOUBLE)) for j in range(300)] + [Column("d", ColumnType("date"))]
    hashed = "0" if name == "trino" else engine.sum_of_hashes(engine.row_hash(columns))
    query = f"SELECT 1 AS id, {hashed} AS mark, 2 AS z0 FROM t"
    names, table, helper = [*map(engine.quote, ("id", "mark", "z0"))], TableName(("t",)), TableName(("new",))
    script = engine.replacing(table, names, ["gone", "changed"], query, helper)
    assert script.query.startswith("MERGE INTO")
    for text in (*script.setup, script.query):
        parsed(text, name)
        assert name not in DATABASES or refused(text, name) == []
        assert [found.desc() for found in linter.parse_string(text).violations] == []


@each
def test_features_by_name(name: str) -> None:
    text = sqlrp.sql(LINEAR, Long("t", "id", "word", "value"), name)
    parsed(text, name)
    assert "md5" in text.lower()


HOSTILE = ['a"b', "a`b", "a'b", "; DROP TABLE t; --", "back\\slash", "schön Ω", "select", "a b"]


@each
def test_hostile_names(name: str) -> None:
    refuses = {"bigquery": {"`", "\\"}, "oracle": {'"'}}.get(name, set())
    taken = [n for n in [*HOSTILE, "key; '", "keep %d\\", "t`1"] if not refuses & set(n)]
    for other in {*HOSTILE} - {*taken}:
        with pytest.raises(SourceError) as caught:
            sqlrp.sql(LINEAR, Wide("t", features=[other]), name)
        assert_one_line(
            caught, "holds a", "backtick or a backslash" if name == "bigquery" else "double quote", "rename"
        )
    features = [n for n in HOSTILE if n in taken]
    keep = [n for n in taken if n not in features and n != "key; '"]
    source = Wide("t", key="key; '", features=features, keep=keep)
    for lowering in ("inline", "relational"):
        statements = parsed(sqlrp.sql(LINEAR, source, name, lowering=lowering, nulls="error"), name)
        named = {i.name for s in statements for i in s.find_all(sqlglot.exp.Identifier)}
        assert {*taken} <= named
    project = "pro ject" if name == "oracle" else 'pro"ject'
    quoted = project.replace('"', '""')
    (statement,) = parsed(sqlrp.sql(LINEAR, Wide(f'"{quoted}"."data set".t', features=["a"]), name), name)
    found = next(statement.find_all(sqlglot.exp.Table))
    assert [part.name for part in found.parts] == [project, "data set", "t"]


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
    kinds = [parsed(p.read_text(encoding="utf-8"), name)[0] for p in made]
    if name == "sqlserver":  # each relation is a table, made by SELECT … INTO
        steps = len(made) // 2
        assert [p.stem[3:] for p in made] == ["step"] * steps + ["query"] + ["cleanup"] * steps
        assert all(k.args["into"] for k in kinds[: steps + 1])
        assert all(isinstance(k, sqlglot.exp.Drop) for k in kinds[steps + 1 :])
    else:
        drops = [] if name == "bigquery" else ["03_cleanup.sql"]
        assert [p.name for p in made] == ["01_step.sql", "02_query.sql", *drops]
        assert [type(k) for k in kinds] == [sqlglot.exp.Create, sqlglot.exp.Create, sqlglot.exp.Drop][: len(made)]
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
            ColumnType("VECTOR(FLOAT, 768)", DOUBLE, is_array=True, size=768, cast="CAST({column} AS ARRAY)"),
        ),
        (sa.types.NullType(), "ARRAYS", ColumnType("ARRAYS")),
    ],
)
def test_array_types_of_warehouses_are_read(kind: Any, text: str, want: ColumnType) -> None:
    assert column_type(kind, text) == want


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


PIXELS = Wide("images", features=[f"p{j}" for j in range(784)])


@each
def test_no_statement_is_longer_than_the_warehouse_reads(name: str) -> None:
    limits = ENGINES[name].limits
    if limits.characters is None:
        assert name in ("databricks", "oracle", "sqlserver")  # whose documentation states none, or more than is written
        return
    for projection in (SparseProjection(k=488, s=3, seed=1), sqlrp.HadamardProjection(k=488, seed=1)):
        script = planned(projection, PIXELS, name, Options(lowering="inline")).script()
        assert max(map(len, (*script.setup, script.query))) <= limits.characters


@each
def test_a_longer_statement_is_refused_before_it_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    few = replace(ENGINES[name].limits, characters=20_000)
    monkeypatch.setattr(type(ENGINES[name]), "limits", few)
    dense = sqlrp.GaussianProjection(k=4, seed=1)
    with pytest.raises(LimitError) as caught:
        sqlrp.sql(dense, PIXELS, name, lowering="relational")
    assert_one_line(caught, f"more than the 20,000 that {name} reads", "lower k", "lowering = 'inline'")
    assert "no text" in str(sqlrp.explain(dense, PIXELS, name, lowering="relational"))


@each
def test_a_subquery_has_no_more_columns_than_are_known_to_work(name: str) -> None:
    limits = ENGINES[name].limits
    most = limits.columns or limits.within
    assert most is not None
    script = planned(SparseProjection(k=488, s=3, seed=1), PIXELS, name, Options(lowering="inline")).script()
    for statement in (*script.setup, script.query):
        for select in statement.split("SELECT ")[1:]:
            assert select.count(" AS ") - select.count("CAST(") <= most


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("bigquery", "CAST(CAST(`b` AS INT64) AS FLOAT64)"),
        ("snowflake", 'CAST(CAST("b" AS BIGINT) AS DOUBLE)'),
        ("redshift", 'CAST(CAST("b" AS BIGINT) AS DOUBLE PRECISION)'),
        ("databricks", "CAST(`b` AS DOUBLE)"),
        ("trino", 'CAST("b" AS DOUBLE)'),
    ],
)
def test_a_boolean_becomes_a_float_by_way_of_a_whole_number(name: str, want: str) -> None:
    # BigQuery's conversion rules, and those of Snowflake and Redshift, have no cast from a boolean to a float.
    dialect = ENGINES[name]
    assert dialect.widen(dialect.quote("b"), Number("int", 1), DOUBLE) == want


@pytest.mark.parametrize("name", ["snowflake", "redshift", "databricks", "trino", "bigquery"])
def test_no_text_keeps_a_view_from_incremental_refresh(name: str) -> None:
    """A function that is not deterministic would. A guard fails, though, and only in the row that is wrong."""
    sources = [Array("t", "x", n_features=3), Wide("t", features=["a", "b"]), Long("t", n_features=3)]
    for source in sources:
        for nulls in ("propagate", "error"):
            text = sqlrp.sql(sqlrp.SparseProjection(k=2, s=1), source, name, nulls=nulls, lowering="auto")  # type: ignore[arg-type]
            assert "sqlrp: " in text or nulls == "propagate"
            assert not re.search(r"\b(random|rand|uuid|newid|now)\(", text, re.IGNORECASE)


@pytest.mark.parametrize("lowering", ["inline", "relational"])
@pytest.mark.parametrize("layout", ["wide", "array"])
def test_no_array_of_trino_has_more_elements_than_it_takes(layout: str, lowering: str) -> None:
    projection = sqlrp.SparseProjection(k=450, s=1, seed=1)
    text = sqlrp.sql(projection, SOURCES[layout], "trino", output="array", lowering=lowering)
    lists = [len(found.expressions) for part in parsed(text, "trino") for found in part.find_all(sqlglot.exp.Array)]
    assert max(lists, default=0) <= 254
    assert lowering == "relational" or sum(lists) == 450


def test_snowflake_keeps_grants() -> None:
    engine = ENGINES["snowflake"]
    swap = engine.swapping(TableName(("new",)), TableName(("made",)), "TABLE", "TABLE")
    assert swap.statements[0].startswith('CREATE OR REPLACE TABLE "made" COPY GRANTS AS SELECT')
    assert "(sqlrp_argument ARRAY) COPY GRANTS RETURNS" in sqlrp.function_sql(
        sqlrp.SparseProjection(k=2, s=1), "snowflake", "f", n_features=3
    )


def test_redshift_reads_no_literal_as_a_decimal() -> None:
    # Its numeric literals with a point or an exponent are DECIMAL, whose digits run out in a UNION or a product.
    for projection in (sqlrp.GaussianProjection(k=3, seed=1), SparseProjection(k=3, s=1, seed=1)):
        for lowering in ("inline", "relational"):
            text = sqlrp.sql(projection, SOURCES["wide"], "redshift", lowering=lowering)
            bare = re.sub(r"CAST\('[^']*' AS DOUBLE PRECISION\)|sqlrp_[0-9a-f]+", "", text)
            assert not re.search(r"\d\.\d|\d[eE][-+]?\d", bare)


@pytest.mark.parametrize("output", ["columns", "array"])
def test_bigquery_s_script_ends_with_its_query(output: Any) -> None:
    # The result of a script is that of its last statement.
    text = sqlrp.sql(LINEAR, SOURCES["wide"], "bigquery", lowering="relational", output=output)
    assert isinstance(parsed(text, "bigquery")[-1], sqlglot.exp.Select)
    assert "DROP" not in text


def test_bigquery_s_long_views_are_tables(tmp_path: Path) -> None:
    source = Wide("images", features=[f"p{j}" for j in range(300)])
    for k, kind in ((5, "VIEW"), (60, "TABLE")):
        projection = sqlrp.GaussianProjection(k=k, seed=1)
        (made,) = sqlrp.export(projection, source, "bigquery", tmp_path / str(k), lowering="inline")
        text = made.read_text(encoding="utf-8")
        assert text.startswith(f"CREATE {kind} ")
        assert (len(text) > 256_000) == (kind == "TABLE")


def test_sql_server_s_temporary_tables_and_kept_ones() -> None:
    dialect = ENGINES["sqlserver"]
    text = sqlrp.sql(LINEAR, SOURCES["long"], "sqlserver")
    made = re.findall(r"INTO (\S+)", text)
    assert made
    assert all(name.startswith("#sqlrp_") for name in made)
    assert text.count("DROP TABLE IF EXISTS") == len(made)
    # A join keeps the new key from being an IDENTITY.
    kept = dialect.create_table("[kept]", "SELECT [id] FROM [t]")
    assert kept.startswith("SELECT s.* INTO [kept]")
    assert " JOIN " in kept


@pytest.mark.parametrize(
    ("name", "text", "want"),
    [
        ("sqlserver", "a'b", "'a''b'"),
        ("sqlserver", "schön", "N'schön'"),
        ("sqlserver", "a\\\nb", "('a\\' + '\nb')"),
        ("sqlserver", "ö\\\nb", "(N'ö\\' + N'\nb')"),
        ("oracle", "a\\b", "'a\\b'"),
        ("oracle", "a" * 1_001, f"TO_CLOB('{'a' * 1_000}') || TO_CLOB('a')"),
    ],
)
def test_strings_of_the_two_databases(name: str, text: str, want: str) -> None:
    assert ENGINES[name].string(text) == want


def test_an_engine_of_sqlalchemy_speaks_its_own_dialect() -> None:
    # BIT is no condition in SQL Server, and a DOUBLE PRECISION is decimal in Oracle.
    source = Wide("t", features=["a", "b"])
    urls = {"mssql+pyodbc": "sqlserver", "mssql+pymssql": "sqlserver", "oracle+oracledb": "oracle"}
    for url, name in urls.items():
        text = sqlrp.sql(SparseProjection(k=2, s=1), source, sa.make_url(f"{url}://").get_dialect()())
        spelled = {"ID": "id", "T": "t", "A": "a", "B": "b"} if name == "oracle" else {}
        for stored, own in spelled.items():
            text = text.replace(f'"{stored}"', f'"{own}"')
        assert text == sqlrp.sql(SparseProjection(k=2, s=1), source, name)
    assert ENGINES["sqlserver"].widen("[b]", BOOLEAN, DOUBLE) == "CAST([b] AS FLOAT)"
    assert "CASE WHEN b THEN 1 WHEN NOT b THEN 0 END" in ENGINES["oracle"].widen("b", BOOLEAN, DOUBLE)
    assert ENGINES["oracle"].literal(0.5, DOUBLE) == "CAST(0.5e0 AS BINARY_DOUBLE)"
    assert ENGINES["oracle"].literal(0, DOUBLE) == "CAST(0.0e0 AS BINARY_DOUBLE)"
    assert [ENGINES["oracle"].literal(x, DOUBLE) for x in (1e126, -1e-200)] == ["1e+126d", "-1e-200d"]
    words = sqlrp.sql(LINEAR, Long("t", "id", "word", "value"), "oracle")
    assert 'CASE WHEN "word" IS NOT NULL THEN MOD(' in words  # an empty word is NULL


@pytest.mark.parametrize("columns", [1, 2, 62, 63, 124, 125, 126, 400])
def test_a_hash_of_a_row_joins_all_columns_in_calls_that_sql_server_takes(columns: int) -> None:
    """CONCAT takes from 2 to 254 arguments there."""
    engine = ENGINES["sqlserver"]
    names = [f"c{j}" for j in range(columns)]
    text = engine.row_hash([Column(name, engine.read_type("int")) for name in names])
    tree = sqlglot.parse_one(f"SELECT {text}", dialect="tsql")
    calls = [len(call.expressions) for call in tree.find_all(sqlglot.exp.Concat)]
    assert calls
    assert 2 <= min(calls) <= max(calls) <= 254
    found = [column.name for column in tree.find_all(sqlglot.exp.Column)]
    assert sorted(found) == sorted(names)  # each of them once: what is written again tells no rows apart
