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
    "arrays": Array("t", ["a", "b"], n_features=[AT, D - AT]),
    "long": Long("t", n_features=D),
}
LINEAR = SparseProjection(k=4, s=3, seed=1)
COMBINATIONS = [(layout, lowering) for layout in ("wide", "array", "arrays") for lowering in ("inline", "relational")]
COMBINATIONS += [("long", "relational")]

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
    steps = 2 if name == "bigquery" else 3  # whose temporary tables expire, as its result is that of the last statement
    assert len(parsed(text, name)) == (steps if layout != "long" and lowering == "relational" else 1)


@each
def test_features_by_name(name: str) -> None:
    text = sqlrp.sql(LINEAR, Long("t", "id", "word", "value"), name)
    parsed(text, name)
    assert "md5" in text.lower()


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
    drops = [] if name == "bigquery" else ["03_cleanup.sql"]
    assert [p.name for p in made] == ["01_step.sql", "02_query.sql", *drops]
    kinds = [parsed(p.read_text(encoding="utf-8"), name)[0] for p in made]
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
            ColumnType("VECTOR(FLOAT, 768)", DOUBLE, is_array=True, size=768, cast="ARRAY"),
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
        assert name == "databricks"  # whose documentation states none
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
            assert select.count(" AS ") <= most


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
