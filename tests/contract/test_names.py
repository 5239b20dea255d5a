"""Hostile names of tables, schemas and columns: projected or refused cleanly, and never run as SQL."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from cover import factors
from helpers import ASKED, OUTPUTS, assert_one_line, cells, oracle, quoted
from hypothesis import given, settings
from hypothesis import strategies as st
from names import NAMES

import sqlrp
from sqlrp import Array, Long, PolynomialKernelProjection, Projection, SourceError, SparseProjection, SqlrpError, Wide
from sqlrp._core.sources import Source

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


WANT = [oracle(projection, X) for projection in PROJECTIONS]
TAKEN = {"columns": {"z0", "z1"}, "array": {"z"}, "long": {"component", "value"}}
ROWS = "(VALUES (0, 1.0::DOUBLE, 2.0::DOUBLE, -3.0::DOUBLE), (1, 0.5, 0.0, 4.0)) v(id, a, b, c)"


@dataclass(frozen=True)
class Named:
    """The names of a table, and of three of its columns; the key is a number, and the kept column is text."""

    table: str
    key: str
    kept: str
    feature: str


def named(at: int) -> Named:
    """The table has the name of that number, the columns have names further on: every name has every role once."""
    return Named(*(NAMES[(at + shift) % len(NAMES)] for shift in (0, 5, 10, 15)))


def make(con: Connection, table: str, layout: str, names: Named) -> None:
    """A table of the rows with the names' columns, in the place of an earlier one."""
    key, kept, feature = quoted(names.key), quoted(names.kept), quoted(names.feature)
    columns = {
        "wide": f"id AS {key}, 'kept ' || id AS {kept}, a AS fa, b AS {feature}, c AS fc",
        "array": f"id AS {key}, 'kept ' || id AS {kept}, [a, b, c] AS {feature}",
        "long": f"id AS {key}, unnest([0, 1, 2]) AS {kept}, unnest([a, b, c]) AS {feature}",
    }
    con.execute(f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} AS SELECT {columns[layout]} FROM {ROWS}")


def source_of(layout: str, table: str, names: Named, every: bool) -> Source:
    """What reads it. `every`: the features are named, or the number of them is."""
    if layout == "wide":
        return Wide(table, names.key, ["fa", names.feature, "fc"] if every else None, [names.kept])
    if layout == "array":
        return Array(table, names.feature, names.key, [names.kept])
    number = {"n_features": 3} if every else {}
    return Long(table, key=names.key, feature=names.kept, value=names.feature, **number)


def calls(at: int) -> Iterator[tuple[str, str, bool, list[dict[str, Any]]]]:
    """For the names of a number: layout, form of the table's name, whether `every`, and the ways to project.

    All ways are tried with a key of a name that some output takes. The linear method's statement has fewer and other
    steps than the other's: its names are numbered otherwise.
    """
    plain, other, arrays = (WAYS[(at + turn) % 6 :: 6] for turn in (0, 2, 4))
    yield "wide", "quoted", False, WAYS if named(at).key in WHOLE else plain[:1]
    yield "wide", "as it is", False, plain[1:]
    yield "wide", "in a schema", True, other
    yield "array", "quoted", True, arrays
    yield "long", "quoted", True, LONG_WAYS if named(at).key in WHOLE else LONG_WAYS[at % 3 :: 3]
    yield "long", "quoted", False, LONG_WAYS[(at + 1) % 3 :: 3]


def assert_projects(
    con: Connection, table: str, stored: str, layout: str, names: Named, every: bool, way: dict[str, Any]
) -> Named:
    """The lowering gives the oracle's numbers; only the names of outputs are refused, and others are tried instead.

    Returns the names that the table has then.
    """
    output, options = way["output"], {"output": way["output"], "lowering": way["lowering"]}
    kept_too = layout != "long"
    for role in ("key", "kept") if kept_too else ("key",):
        name = getattr(names, role)
        if name.casefold() in TAKEN[output]:
            with pytest.raises(SourceError) as caught:
                sqlrp.project(PROJECTIONS[way["projection"]], source_of(layout, table, names, every), con, **options)
            assert_one_line(caught, repr(name), "rename it, or choose another output")
            names = replace(names, **{role: f"f{role}"})
            make(con, stored, layout, names)
    result = sqlrp.project(PROJECTIONS[way["projection"]], source_of(layout, table, names, every), con, **options)
    got = cells(result, output, 2, names.key, sparse=layout == "long")
    assert sorted(got) == [0, 1]
    for i, row in got.items():
        assert row == pytest.approx(WANT[way["projection"]][i].tolist(), rel=1e-9)
    if kept_too:
        assert result.column_names[:2] == [names.key, names.kept]
        assert result[names.kept].to_pylist() == [f"kept {i}" for i in result[names.key].to_pylist()]
    return names


@pytest.mark.parametrize("at", range(len(NAMES)), ids=lambda at: NAMES[at])
def test_tables_schemas_and_columns(con: Connection, at: int) -> None:
    names = named(at)
    for layout, form, every, ways in calls(at):
        table = stored = quoted(names.table)
        if form == "in a schema" and names.table.casefold() not in ("main", "temp", "information_schema"):
            con.execute(f"CREATE SCHEMA {table}")
            table = stored = f"{table}.{table}"
        elif form == "as it is" and "." not in names.table and '"' not in names.table and names.table.strip():
            table = names.table  # an unquoted name is taken as it is
        there = None
        for way in ways:
            if there != names:
                make(con, stored, layout, names)
            try:
                there = assert_projects(con, table, stored, layout, names, every, way)
            except BaseException as error:
                error.add_note(f"{names}, {layout}, {form}, {way}")
                raise


def test_every_name_has_every_role_and_way() -> None:
    roles: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    ways: dict[tuple[str, str], set[tuple[Any, ...]]] = defaultdict(set)
    for at in range(len(NAMES)):
        names = asdict(named(at))
        assert len({name.casefold() for role, name in names.items() if role != "table"} | {"fa", "fc"}) == 5
        for layout, form, every, found in calls(at):
            for way, (role, name) in itertools.product(found, names.items()):
                roles[name].add((layout, form, str(every), role))
                statement = "long" if layout == "long" else "rows"
                ways[statement, role].add(tuple(way.values()))
                if role != "table":
                    ways[statement, f"the column {name}"].add(tuple(way.values()))
                if name in WHOLE and role == "key":
                    ways[statement, f"the key {name}"].add(tuple(way.values()))
    for name in NAMES:
        assert len(roles[name]) == 6 * 4, name
    for (statement, what), found_ways in ways.items():
        every_way = LONG_WAYS if statement == "long" else WAYS
        assert found_ways == {tuple(way.values()) for way in every_way}, what


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


@pytest.mark.slow
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
