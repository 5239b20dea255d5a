"""Rows that become NULL are counted and named, and so is what was taken as features."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from cases import DATABASES
from click.testing import CliRunner
from databases import DOUBLES, Database, database
from helpers import assert_one_line

import sqlrp
from sqlrp import SourceError, StatementError
from sqlrp._cli.app import cli
from sqlrp._store.materialize import materialized

RP = sqlrp.SparseProjection(k=2, s=1)
ROWS = [[1, None, 2.0, 3.0], [2, 1.0, 2.0, None], [3, None, 4.0, None], [4, 1.0, 2.0, 3.0], [5, None, 1.0, 1.0]]
FRAME = pd.DataFrame(ROWS, columns=["id", "a", "b", "c"])


@pytest.fixture
def db(name: str, databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Database:
    """A database with the table."""
    found = database(databases, name, tmp_path_factory)
    found.make("holes", [("id", "INTEGER"), *((c, DOUBLES[name]) for c in "abc")], ROWS)
    return found


@pytest.mark.parametrize("name", DATABASES)
def test_a_table_s_null_rows(db: Database) -> None:
    for lowering in ("sql", "auto"):
        with pytest.warns(sqlrp.SqlrpWarning, match="4 of 5 rows became NULL"):
            sqlrp.project(RP, "holes", db.connection, lowering=lowering)
        with pytest.raises(StatementError, match=r"'(a|c)' of the row with id = \d: clean the row") as caught:
            sqlrp.project(RP, "holes", db.pool(), nulls="error", lowering=lowering)
        assert_one_line(caught)


@pytest.mark.parametrize("name", DATABASES)
def test_a_kept_table_s_null_row_is_named_and_nothing_is_made(db: Database) -> None:
    connection = db.pool()
    with pytest.raises(StatementError, match=r"'(a|c)' of the row with id = \d: clean the row") as caught:
        sqlrp.materialize(RP, "holes", connection, "kept", nulls="error")
    assert_one_line(caught)
    assert materialized(connection) == {}
    db.make("whole", [("id", "INTEGER"), *((c, DOUBLES[db.name]) for c in "abc")], ROWS[3:4])
    assert sqlrp.materialize(RP, "whole", connection, "kept", nulls="error") == 1
    db.run("INSERT INTO whole VALUES (7, 1, NULL, 3)")
    for everything in (False, True):
        with pytest.raises(StatementError, match=r"'b' of the row with id = 7: clean the row"):
            sqlrp.refresh(connection, "kept", everything=everything)
    assert len(db.run_query("SELECT * FROM kept")) == 1


@pytest.mark.parametrize("output", ["columns", "array", "long"])
@pytest.mark.parametrize("kind", [lambda x: x, pl.from_pandas, lambda x: pl.from_pandas(x).to_arrow()])
def test_a_frame_s_null_rows(kind: Any, output: Any) -> None:
    frame = kind(FRAME)
    with pytest.warns(sqlrp.SqlrpWarning, match=r"4 of 5 rows became NULL because of 'a' \(3\), 'c' \(2\)"):
        sqlrp.project(RP, frame, output=output)
    with pytest.raises(SourceError, match="'a' of the row with id = 1") as caught:
        sqlrp.project(RP, frame, output=output, nulls="error")
    assert_one_line(caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error", sqlrp.SqlrpWarning)
        sqlrp.project(RP, frame, output=output, nulls="zero")


def test_a_lazy_result_is_not_read_for_a_warning(con: duckdb.DuckDBPyConnection) -> None:
    relation = con.from_df(FRAME)
    with warnings.catch_warnings():
        warnings.simplefilter("error", sqlrp.SqlrpWarning)
        made = sqlrp.project(RP, relation), sqlrp.project(RP, pl.from_pandas(FRAME).lazy()).collect()
    assert len(made) == 2


def test_materialize_says_how_many_rows_are_null(con: duckdb.DuckDBPyConnection) -> None:
    con.from_df(FRAME).create("t")
    for output in ("columns", "array", "long"):
        with pytest.warns(sqlrp.SqlrpWarning, match="4 of 5 rows became NULL"):
            sqlrp.materialize(RP, "t", con, f"made_{output}", output=output)


SOURCES = {
    "wide": ("FROM t", []),
    "array": ("SELECT id, [a, b, c] AS v FROM t", ["--array-column", "v"]),
    "long": ("SELECT id, n, x FROM t UNPIVOT INCLUDE NULLS (x FOR n IN (a, b, c))", ["--long", "n,x"]),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("out", ["-o out.csv", "-o out.arrow", "-o new.duckdb::made", "--into made"])
def test_the_last_line_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, out: str) -> None:
    monkeypatch.chdir(tmp_path)
    query, options = SOURCES[source]
    with duckdb.connect("shop.duckdb") as con:
        con.from_df(FRAME).create("t")
        con.execute(f"CREATE TABLE s AS {query}")
        con.execute("COPY s TO 's.parquet'")
    name = "shop.duckdb::s" if "into" in out else "s.parquet"
    arguments = ["project", name, *out.split(), *options, "-k", "2", "-s", "1"]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    line = done.stdout.splitlines()[-1]
    because = {"wide": "'a' (3), 'c' (2)", "array": "'v' (4)", "long": "'x' (5)"}[source]
    assert f", 4 of them NULL because of {because}, in " in line
    taken = {"wide": "3 features ('a', 'b', 'c')", "array": "3 features ('v')", "long": "(named in 'n')"}[source]
    assert f"5 rows of {taken}" in line or (source == "long" and taken in line)
    told = json.loads(CliRunner().invoke(cli, [*arguments, "--json", *["--replace"] * ("out." not in out)]).stdout)
    assert told["rows"] == 5
    assert told["null_rows"] == 4


def test_the_last_line_without_null(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("id,a,b,label\n1,2,3,0\n2,3,4,1\n")
    done = CliRunner().invoke(cli, ["project", "t.csv", "-o", "out.csv", "-k", "2"])
    assert "out.csv: 2 rows of 3 features ('a', 'b', 'label'), none of them NULL, in " in done.stdout


def test_explain_lists_the_features(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE t AS SELECT 1 AS id, 2 AS a, 3 AS label")
    assert "\n  features  2 features ('a', 'label')\n" in str(sqlrp.explain(RP, "t", con))


@pytest.mark.parametrize("columns", [["user_id", "a"], ["customer_no", "a"], ["a", "b"]])
def test_a_frame_without_the_key_is_an_error_whatever_its_columns_are_called(columns: list[str]) -> None:
    frame = pd.DataFrame([[1_000_000, 1.0], [2_000_000, 2.0]], columns=columns)
    arrays = pl.DataFrame({"user_id": [1, 2], "v": [[1.0, 2.0], [3.0, 4.0]]})
    for source in (
        *(frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy(), pl.from_pandas(frame).to_arrow()),
        *(sqlrp.Array(arrays, "v"), sqlrp.Array(arrays.lazy(), "v"), sqlrp.Array(arrays.to_pandas(), "v")),
    ):
        with pytest.raises(
            SourceError, match=r"key 'id' is not a column of the frame.*: name the key column, or key None"
        ):
            sqlrp.project(RP, source)


def test_a_named_index_is_the_key() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 5.0]}, index=pd.Index([7, 9], name="user_id"))
    want = sqlrp.project(RP, frame, key=None)
    for found in (sqlrp.project(RP, frame), sqlrp.project(RP, frame, key="user_id")):
        pd.testing.assert_frame_equal(found, want)
    with pytest.raises(SourceError, match="key 'other' is not a column"):
        sqlrp.project(RP, frame, key="other")
    with pytest.raises(SourceError, match="key 'id' is not a column"):
        sqlrp.project(RP, frame.rename_axis(None))
    arrays = pd.DataFrame({"v": [[1.0, 2.0], [3.0, 4.0]]}, index=frame.index)
    assert sqlrp.project(RP, sqlrp.Array(arrays, "v")).index.name == "user_id"
    kept = sqlrp.project(RP, frame.assign(id=[1, 2]))
    assert list(kept.columns) == ["id", "z0", "z1"]
    three = frame.iloc[[0, 1, 1, 0]].assign(a=[1.0, 2.0, 3.0, 4.0])
    assert sqlrp.fit(sqlrp.PrincipalComponents(k=1), three).bound_to == ("a", "b")
    assert sqlrp.diagnose(RP, three, at=1).sampled.rows == 4


def test_a_transformer_warns_about_a_key() -> None:
    from sqlrp import sklearn

    frame = pd.DataFrame({"id": [1, 2], "a": [1.0, 2.0]})
    with pytest.warns(sqlrp.SqlrpWarning, match="column 'id' becomes a feature"):
        sklearn.SparseProjection(n_components=1, random_state=0).fit(frame)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "lazy", "relation"])
def test_a_frame_names_its_key_as_a_table_does(con: duckdb.DuckDBPyConnection, kind: str) -> None:
    frame = FRAME[["b"]].assign(user_id=[1_000_000 + i for i in range(5)], d=1.0)
    made: dict[str, Any] = {
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "arrow": pl.from_pandas(frame).to_arrow(),
        "lazy": pl.from_pandas(frame).lazy(),
        "relation": con.from_df(frame),
    }
    source = made[kind]
    con.from_df(frame).create("t")
    with pytest.raises(SourceError, match=r"key 'id' is not a column of .* key None for a ") as of_table:
        sqlrp.project(RP, "t", con)
    with pytest.raises(SourceError, match="key 'id' is not a column of the frame") as caught:
        sqlrp.project(RP, source)
    said = str(of_table.value).replace('"t"', "the frame").replace("for a table", "for a frame")
    assert str(caught.value) == said
    for key, columns in (("user_id", ["user_id", "z0", "z1"]), (None, ["z0", "z1"])):
        found = sqlrp.project(RP, source, key=key)
        assert (
            list(found.collect_schema().names() if kind == "lazy" else getattr(found, "column_names", found.columns))
            == columns
        )
    if kind in ("pandas", "polars", "arrow"):
        for call in (sqlrp.diagnose, lambda rp, x: sqlrp.fit(sqlrp.PrincipalComponents(k=1), x)):
            with pytest.raises(SourceError, match="key 'id' is not a column of the frame"):
                call(RP, source)
        assert sqlrp.fit(sqlrp.PrincipalComponents(k=1), source, key="user_id").bound_to == ("b", "d")
