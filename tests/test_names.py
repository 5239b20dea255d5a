"""Hostile names of tables, schemas and columns: projected or refused cleanly, and never run as SQL."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from cover import factors
from helpers import ASKED, OUTPUTS, Matrix, assert_one_line, cells, oracle, quoted
from hypothesis import given, settings
from hypothesis import strategies as st
from names import NAMES

import sqlrp
from sqlrp import Array, Long, PolynomialKernelProjection, Projection, SourceError, SparseProjection, SqlrpError, Wide
from sqlrp.core.sources import Source

Connection = duckdb.DuckDBPyConnection

PROJECTIONS: list[Projection] = [
    SparseProjection(k=2, s=1, seed=1),
    PolynomialKernelProjection(k=2, s=1, degree=2, t=2, c=1, seed=1),
]
X = np.array([[1.0, 2.0, -3.0], [0.5, 0.0, 4.0]])


@pytest.fixture(scope="module")
def shared() -> Iterator[Connection]:
    """One database for many names."""
    with duckdb.connect(config={"threads": "1"}) as connection:
        yield connection


WAYS = factors(projection=[0, 1], output=OUTPUTS, lowering=ASKED).cases()
LONG_WAYS = factors(projection=[0, 1], output=OUTPUTS, lowering=["relational"]).cases()
WHOLE = {"z", "z0", "z1", "value", "component"}
"""Names that some output takes: all ways are tried with them."""


def assert_projects(con: Connection, source: Source | str, key: str, turn: int | None = None, x: Matrix = X) -> None:
    """The lowerings give the oracle's numbers; only the names of outputs are refused.

    `turn`: of the ways to project the two whose turn it is: by a name's number and what it names, so that every way is
    met by every name of a column and by everything that is named. The linear method's statement has fewer and other
    steps than the other's: its names are numbered otherwise.
    """
    ways, few = (LONG_WAYS, 3) if isinstance(source, Long) else (WAYS, 6)
    for way in ways if turn is None else ways[turn % few :: few]:
        projection, output, lowering = PROJECTIONS[way["projection"]], way["output"], way["lowering"]
        want = oracle(projection, x)
        taken = {"columns": ["z0", "z1"], "array": ["z"], "long": ["component", "value"]}[output]
        if key.casefold() in taken:
            with pytest.raises(SourceError) as caught:
                sqlrp.project(projection, source, con, output=output, lowering=lowering)
            assert_one_line(caught, repr(key), "rename it, or choose another output")
            continue
        result = sqlrp.project(projection, source, con, output=output, lowering=lowering)
        got = cells(result, output, 2, key, sparse=isinstance(source, Long))
        assert sorted(got) == [0, 1]
        for i, row in got.items():
            assert row == pytest.approx(want[i].tolist(), rel=1e-9), way


def turns(name: str) -> Iterator[int]:
    """The turn of each thing that the name names."""
    return itertools.count(NAMES.index(name))


def distinct(name: str, *others: str) -> list[str]:
    """The others, changed where DuckDB would take them for the name (it folds case)."""
    return [f"{other}_" if other.casefold() == name.casefold() else other for other in others]


@pytest.mark.parametrize("name", NAMES)
def test_tables_and_schemas(con: Connection, name: str) -> None:
    rows = "(VALUES (0, 1.0::DOUBLE, 2.0::DOUBLE, -3.0::DOUBLE), (1, 0.5, 0.0, 4.0)) v(id, a, b, c)"
    con.execute(f"CREATE TABLE {quoted(name)} AS FROM {rows}")
    turn = turns(name)
    assert_projects(con, quoted(name), "id", next(turn))
    if "." not in name and '"' not in name and name.strip():
        # Without quotes a name stands for itself, whatever its characters.
        assert_projects(con, name, "id", next(turn))
    con.execute(
        f"CREATE TABLE long AS SELECT id, unnest([0, 1, 2]) AS feature, unnest([a, b, c]) AS value FROM {quoted(name)}"
    )
    con.execute(f"CREATE TABLE arrays AS SELECT id, [a, b, c] AS x FROM {quoted(name)}")
    con.execute(f"DROP TABLE {quoted(name)}; CREATE TABLE {quoted(name)} AS FROM long")
    assert_projects(con, Long(quoted(name), n_features=3), "id", next(turn))
    assert_projects(con, Long(quoted(name)), "id", next(turn))
    con.execute(f"DROP TABLE {quoted(name)}; CREATE TABLE {quoted(name)} AS FROM arrays")
    assert_projects(con, Array(quoted(name), "x"), "id", next(turn))
    if name.casefold() not in ("main", "temp", "information_schema"):
        con.execute(f"CREATE SCHEMA {quoted(name)}; CREATE TABLE {quoted(name)}.{quoted(name)} AS FROM {rows}")
        assert_projects(con, f"{quoted(name)}.{quoted(name)}", "id", next(turn))


@pytest.mark.parametrize("name", NAMES)
def test_columns(con: Connection, name: str) -> None:
    # The name as the key, as a feature, and as a kept column.
    q, turn = quoted(name), turns(name)
    a, b, key = distinct(name, "fa", "fb", "fkey")
    con.execute(
        f"CREATE TABLE keyed AS FROM (VALUES (0, 1.0::DOUBLE, 2.0::DOUBLE, -3.0::DOUBLE), (1, 0.5, 0, 4)) "
        f"v({q}, {a}, {b}, fc)"
    )
    assert_projects(con, Wide("keyed", key=name), name, None if name.casefold() in WHOLE else next(turn))
    con.execute(f"CREATE TABLE featured AS SELECT {q} AS {key}, {a}, {b} AS {q}, fc FROM keyed")
    assert_projects(con, Wide("featured", key=key), key, next(turn))
    assert_projects(con, Wide("featured", key=key, features=[a, name, "fc"]), key, next(turn))
    con.execute(f"CREATE TABLE arrays AS SELECT {key}, [{a}, {q}, fc] AS {q} FROM featured")
    assert_projects(con, Array("arrays", name, key=key), key, next(turn))
    con.execute(f"CREATE TABLE keyed_arrays AS SELECT {key} AS {q}, {q} AS {a} FROM arrays")
    assert_projects(con, Array("keyed_arrays", a, key=name), name, next(turn))
    if name.casefold() not in ("z", "z0", "z1", "value", "component"):
        con.execute(f"CREATE TABLE kept AS SELECT {key}, 'kept ' || {key} AS {q}, {a}, {q} AS {b}, fc FROM featured")
        for way in WAYS[next(turn) % 6 :: 6]:
            source, projection = Wide("kept", key=key, keep=[name]), PROJECTIONS[way["projection"]]
            result = sqlrp.project(projection, source, con, output=way["output"], lowering=way["lowering"])
            assert result.column_names[:2] == [key, name]
            assert result[name].to_pylist() == [f"kept {i}" for i in result[key].to_pylist()]


@pytest.mark.parametrize("name", NAMES)
def test_columns_of_long_rows(con: Connection, name: str) -> None:
    turn = turns(name)
    for role in ("key", "feature", "value"):
        others = distinct(name, "ka", "fb", "vc")
        key, feature, value = [
            name if r == role else o for r, o in zip(("key", "feature", "value"), others, strict=True)
        ]
        con.execute(
            f"CREATE OR REPLACE TABLE cells ({quoted(key)} INTEGER, {quoted(feature)} INTEGER, {quoted(value)} DOUBLE)"
        )
        con.executemany(
            "INSERT INTO cells VALUES (?, ?, ?)",
            [(i, j, float(v)) for i, row in enumerate(X) for j, v in enumerate(row)],
        )
        source = Long("cells", key=key, feature=feature, value=value, n_features=3)
        way = None if role == "key" and name.casefold() in WHOLE else next(turn)
        assert_projects(con, source, key, way)


def test_internal_names_all_at_once(con: Connection) -> None:
    # Every column of the source has the name of another column within the statement.
    con.execute(
        "CREATE TABLE t (c1 INTEGER, c0 INTEGER, x1 DOUBLE, x0 DOUBLE, ok DOUBLE, r DOUBLE, x DOUBLE, s DOUBLE)"
    )
    con.execute("INSERT INTO t VALUES (7, 8, 1, 2, 3, 4, 5, 6), (9, 10, -1, 0, 2, NULL, 1, 1)")
    for lowering in ASKED:
        for output in OUTPUTS:
            source = Wide("t", key="c1", keep=["c0"])
            result = sqlrp.project(PROJECTIONS[1], source, con, output=output, lowering=lowering)  # type: ignore[arg-type]
            assert result.column_names[:2] == ["c1", "c0"]
            got = cells(result, output, 2, "c1")
            want = oracle(PROJECTIONS[1], np.array([[1.0, 2, 3, 4, 5, 6]]))
            assert got[7] == pytest.approx(want[0].tolist(), rel=1e-9)
            assert got[9] == [None, None]
            assert set(zip(result["c1"].to_pylist(), result["c0"].to_pylist(), strict=True)) == {(7, 8), (9, 10)}


def test_names_that_differ_in_case(con: Connection) -> None:
    # DuckDB folds case, and reports the table's own spelling.
    con.execute(
        'CREATE TABLE "Table" AS SELECT 1 AS "Id", 2.0::DOUBLE AS "Alpha", 3.0::DOUBLE AS "BETA", \'k\' AS "Note"'
    )
    want = oracle(PROJECTIONS[0], np.array([[2.0, 3.0]]))[0].tolist()
    for lowering in ASKED:
        source = Wide("tABLE", key="ID", features=["alpha", "beta"], keep=["NOTE"])
        result = sqlrp.project(PROJECTIONS[0], source, con, lowering=lowering)
        assert result.column_names == ["Id", "Note", "z0", "z1"]
        assert result.drop(["Note"]).to_pylist() == [{"Id": 1, "z0": want[0], "z1": want[1]}]
        # Left to find them, it takes neither the key nor the kept column for a feature.
        found = sqlrp.project(PROJECTIONS[0], Wide("table", key="iD", keep=["note"]), con, lowering=lowering)
        assert found.equals(result)
    con.execute('CREATE TABLE "Cells" AS SELECT 1 AS "KEY", 0 AS "Feature", 2.0::DOUBLE AS "VALUE"')
    result = sqlrp.project(PROJECTIONS[0], Long("cells", key="key"), con)
    assert result.column_names == ["KEY", "z0", "z1"]
    con.execute('CREATE TABLE "Lists" AS SELECT 1 AS "ID", [2.0::DOUBLE, 3.0::DOUBLE] AS "Vec"')
    result = sqlrp.project(PROJECTIONS[0], Array("lists", "vEC"), con)
    assert result.to_pylist() == [{"ID": 1, "z0": want[0], "z1": want[1]}]


def test_a_quoted_name_with_a_dot_is_one_name(con: Connection) -> None:
    con.execute("CREATE SCHEMA t; CREATE TABLE t.x AS SELECT 1 AS id, 1.0::DOUBLE AS a")
    con.execute('CREATE TABLE "t.x" AS SELECT 2 AS id, 5.0::DOUBLE AS a')
    p = SparseProjection(k=1, s=1, seed=1)
    assert sqlrp.project(p, "t.x", con)["id"].to_pylist() == [1]
    assert sqlrp.project(p, '"t.x"', con)["id"].to_pylist() == [2]
    assert sqlrp.project(p, '"t"."x"', con)["id"].to_pylist() == [1]


# -- any name ----------------------------------------------------------------------------------------------

ANY_NAME = st.one_of(
    st.text(st.sampled_from("\"'`;-/*()[]{}.,:$?%\\ \n\tab01_Üé日🙂"), min_size=1, max_size=25),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=25),
    st.sampled_from(["; DROP TABLE canary", '"; DROP TABLE canary; --', "' || (DELETE FROM canary) || '", "canary"]),
)


def attempt(con: Connection, p: Projection, source: Source | str, lowering: str) -> tuple[pa.Table | None, str]:
    """The result, or the message of the refusal; any error but sqlrp's own passes."""
    try:
        return sqlrp.project(p, source, con, lowering=lowering), ""
    except SqlrpError as error:
        return None, str(error)


@settings(max_examples=50)
@given(table=ANY_NAME, key=ANY_NAME, feature=ANY_NAME, word=ANY_NAME)
def test_any_names(shared: Connection, table: str, key: str, feature: str, word: str) -> None:
    con = shared
    con.execute("CREATE SCHEMA IF NOT EXISTS safe; CREATE OR REPLACE TABLE safe.canary AS SELECT 42 AS alive")
    con.execute(
        "DROP SCHEMA IF EXISTS work CASCADE; CREATE SCHEMA work; USE work; CREATE TABLE canary AS SELECT 42 AS alive"
    )
    p = SparseProjection(k=2, s=1, seed=1)
    name = f"work.{quoted(table)}"
    folded = [key.casefold(), feature.casefold()]
    try:
        if table.casefold() != "canary" and len(set(folded)) == 2:
            con.execute(f"CREATE TABLE {name} ({quoted(key)} INTEGER, {quoted(feature)} DOUBLE)")
            con.execute(f"INSERT INTO {name} VALUES (5, 2.5)")
            made = True
        else:
            made = False
    except duckdb.Error:
        made = False  # not a name that DuckDB takes, or two that it takes for one
    want = oracle(p, np.array([[2.5]]))[0].tolist()
    for lowering in ASKED:
        for source in (Wide(name, key=key), quoted(table), table):
            result, refusal = attempt(con, p, source, lowering)
            if isinstance(source, Wide) and made:
                taken = {"z0", "z1"} & {key.casefold()}
                assert (result is None) == bool(taken), refusal
                if result is not None:
                    assert result.to_pylist() == [{key: 5, "z0": want[0], "z1": want[1]}]
            assert len(refusal.splitlines()) <= 1
    if made:
        con.execute(
            f"DROP TABLE {name}; CREATE TABLE {name} AS SELECT 5 AS {quoted(key)}, ? AS {quoted(feature)}, 1.0 AS v_v",
            [word],
        )
        long = Long(name, key=key, feature=feature, value="v_v")
        if not {"v_v", "z0", "z1"} & set(folded):
            assert sqlrp.project(p, long, con)[key].to_pylist() == [5]
    for canary in ("safe.canary", "work.canary"):
        assert con.execute(f"FROM {canary}").fetchall() == [(42,)]
    tables = con.execute("SELECT count(*) FROM duckdb_tables()").fetchall()[0][0]
    assert tables == 2 + made
