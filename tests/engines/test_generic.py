"""The generic engine: real servers with dialects that sqlrp does not know, against the numpy oracle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import sqlalchemy as sa
import sqlglot
from cases import EVERY, HOSTILE, METHODS
from cases import X as ROWS
from contract import assert_contract
from cover import factors, pairwise
from databases import Database, database
from helpers import Cell, assert_close, assert_one_line, cells, exact, load, oracle
from sqlalchemy.dialects.mssql.base import MSDialect
from sqlalchemy.dialects.oracle.base import OracleDialect
from strangers import DIALECTS
from taking_part import need

import sqlrp
from sqlrp import Array, Long, Prepared, SparseProjection, Wide
from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import LimitError, SourceError, StatementError, UnsupportedError
from sqlrp._core.numbers import DOUBLE
from sqlrp._dialects.dialect import Dialect
from sqlrp._engines.generic import asked
from sqlrp._engines.generic.sqlalchemy_dialect import SqlAlchemyDialect
from sqlrp._engines.registry import CONNECTORS, ENGINES, connector_of

LINEAR = SparseProjection(k=4, s=3, seed=1)


SERVERS = ("sqlite", "postgresql", "mariadb")
each = pytest.mark.parametrize("name", SERVERS)
COMBINATIONS = [("wide", "inline"), ("wide", "relational"), ("long", "inline"), ("long", "relational")]


class Unknown(Database):
    """A database that is reached under the name of a dialect that sqlrp does not know."""

    @property
    def engine(self) -> Dialect:
        return connector_of(self.connection).dialect

    @property
    def connector(self) -> Connector:
        return connector_of(self.connection)


@pytest.fixture(scope="module")
def foreign() -> Iterator[dict[str, sa.Connection]]:
    """The connections of `unknown`, opened once."""
    made: dict[str, sa.Connection] = {}
    yield made
    for connection in made.values():
        connection.close()
        connection.engine.dispose()


@pytest.fixture
def unknown(
    name: str,
    databases: dict[str, Any],
    foreign: dict[str, sa.Connection],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Database, Unknown]:
    """The database as it is known, and as it is not."""
    known = database(databases, name, tmp_path_factory)
    if name not in foreign:
        made = known.pool()
        url = made.url.set(drivername=DIALECTS[name].name)
        foreign[name] = sa.create_engine(url, isolation_level="AUTOCOMMIT").connect()
        made.dispose()
    return known, Unknown(name, foreign[name], known.schema)


@pairwise(
    *(
        factors(
            lambda layout, lowering, **_: (layout, lowering) in COMBINATIONS,
            name=[name],
            method=list(EVERY),
            layout=["wide", "long"],
            lowering=["inline", "relational"],
            output=["columns", "long"],
            nulls=["propagate", "zero"],
            scale=[True, False],
        )
        for name in SERVERS
    )
)
def test_every_method(
    unknown: tuple[Database, Unknown],
    name: str,
    method: str,
    layout: str,
    lowering: str,
    output: str,
    nulls: str,
    scale: bool,
) -> None:
    known, db = unknown
    assert isinstance(db.engine, SqlAlchemyDialect)

    def project(holes: bool) -> dict[Any, list[Cell]]:
        source = known.kept(layout, "double", holes)
        return db.projected(EVERY[method], source, output, nulls=nulls, scale=scale, lowering=lowering)  # type: ignore[no-any-return]

    assert_contract({"method": method, "nulls": nulls, "kind": "double", "scale": scale}, project)


@pytest.mark.parametrize(("layout", "lowering"), COMBINATIONS)
@each
def test_numbers(unknown: tuple[Database, Unknown], name: str, layout: str, lowering: str) -> None:
    known, db = unknown
    top = 2**31 - 1
    rows = [[top, top - 1, top], [-top, top, -top], [1, 0, -top], [0, 0, 0]]
    got = db.projected(LINEAR, known.load(layout, rows, "INTEGER"), scale=False, lowering=lowering)
    assert got == {i: list(row) for i, row in enumerate(oracle(LINEAR, exact(rows), scale=False))}
    x = ROWS.copy()
    nulled: list[list[Any]] = x.tolist()
    nulled[1][2] = nulled[3][0] = None
    x[1, 2] = x[3, 0] = 0
    source, want = known.load(layout, nulled), oracle(LINEAR, x)
    bound = np.full(len(x), np.abs(want).max())
    assert_close(db.projected(LINEAR, source, nulls="zero", lowering=lowering), want, bound)
    null = np.isin(np.arange(len(x)), [1, 3])
    assert_close(db.projected(LINEAR, source, lowering=lowering), want, bound, null=null)
    with pytest.raises(UnsupportedError) as caught:
        db.projected(LINEAR, source, nulls="error", lowering=lowering)
    assert_one_line(caught, "nulls = 'error' is not supported", "use 'propagate' or 'zero'")


@each
def test_booleans_and_other_types(unknown: tuple[Database, Unknown], name: str) -> None:
    known, db = unknown
    columns = [("id", "BIGINT"), *((f"f{j}", "BOOLEAN") for j in range(3)), ("d", "DATE"), ("w", "VARCHAR(9)")]
    known.make("t", columns, [[0, True, False, None, "2024-01-31", "1"], [1, False, True, True, None, "x"]])
    for lowering in ("inline", "relational"):
        got = db.projected(LINEAR, Wide("t", keep=["d", "w"]), nulls="zero", scale=False, lowering=lowering)
        assert got == {i: r.tolist() for i, r in enumerate(oracle(LINEAR, exact([[1, 0, 0], [0, 1, 1]]), scale=False))}
    for column in ("d", "w"):
        with pytest.raises(SourceError) as caught:
            db.projected(LINEAR, Wide("t", features=[column]))
        assert_one_line(caught, f"feature '{column}'", "not a number")


@pytest.mark.parametrize("nulls", ["propagate", "zero"])
@each
def test_a_position_out_of_bounds_makes_its_row_null(unknown: tuple[Database, Unknown], name: str, nulls: str) -> None:
    known, db = unknown
    x = ROWS.copy()
    x[2, -1], x[4, -1] = 5.0, 0.0
    source = known.load("long", x.tolist())
    x[:, -1], null = 0, x[:, -1] != 0
    short = replace(source, n_features=x.shape[1] - 1)  # type: ignore[type-var]
    want = oracle(LINEAR, x[:, :-1])
    assert null.any()
    assert not null.all()
    for lowering in ("inline", "relational"):
        got = db.projected(LINEAR, short, nulls=nulls, lowering=lowering)
        assert_close(got, want, np.full(len(x), np.abs(want).max()), null=null)


@pytest.mark.parametrize("method", ["linear-s1", "degree3-c", "embedding-two-levels"])
@each
def test_an_open_vocabulary_is_summed_without_a_join(unknown: tuple[Database, Unknown], name: str, method: str) -> None:
    """With a constant that is appended, a feature that is named twice, a NULL, a position out of bounds, norms."""
    known, db = unknown
    far = 2**31 - 4
    rows = [[0, 5, 1.5], [0, far, -2.0], [0, 5, 0.25], [1, 5, 1.0], [1, 7, None], [2, -1, 1.0], [2, 5, 1.0]]
    known.make("t", [("id", "BIGINT"), ("feature", "BIGINT"), ("value", "DOUBLE PRECISION")], rows)
    source, features = Long("t"), np.array([5, 7, far])
    for projection in (EVERY[method], Prepared(of=EVERY[method], how="l2")):
        for nulls, null in (("propagate", [1, 2]), ("zero", [2])):
            want = oracle(projection, np.array([[1.75, 0, -2.0], [1, 0, 0], [1, 0, 0]]), features=features)
            got = db.projected(projection, source, nulls=nulls, lowering="inline")
            assert_close(got, want, np.full(3, np.abs(want).max()), null=np.isin(np.arange(3), null))


@each
def test_hostile_names(unknown: tuple[Database, Unknown], name: str) -> None:
    known, db = unknown
    # SQLAlchemy's inspector reads a backtick in a name of MariaDB's as two: the name is not found, and that is said.
    hostile = [n for n in HOSTILE if name != "mariadb" or "`" not in n]
    columns = [("key; '", "BIGINT"), *((n, "INTEGER") for n in hostile), ("keep %d\\", "VARCHAR(9)")]
    x = np.arange(2.0 * len(hostile)).reshape(2, -1)
    table = known.make('tab"le `\\%s;', columns, [[i, *map(int, row), f"k{i}"] for i, row in enumerate(x)])
    for lowering in ("inline", "relational"):
        result = sqlrp.project(LINEAR, Wide(table, "key; '", None, ["keep %d\\"]), db.connection, lowering=lowering)
        assert sorted(result.column("keep %d\\").to_pylist()) == ["k0", "k1"]
        assert_close(cells(result, "columns", LINEAR.k, "key; '"), oracle(LINEAR, x), np.full(2, x.max() * 9))
    known.make("t", [("id", "BIGINT"), ("a`b", "INTEGER")], [[0, 1]])
    if name == "mariadb":
        with pytest.raises(SourceError, match="is not a column"):
            db.projected(LINEAR, Wide("t", features=["a`b"]))
    longest = db.connection.dialect.max_identifier_length
    with pytest.raises(SourceError) as caught:
        db.engine.quote("q" * (longest + 1))
    assert_one_line(caught, f"more than the {longest} of")
    with pytest.raises(SourceError) as unread:
        db.projected(LINEAR, "no_such")
    assert_one_line(unread, "no_such", "cannot be read")


@each
def test_rows_without_a_key_stay_whole(unknown: tuple[Database, Unknown], name: str) -> None:
    # Rows are numbered by all their columns, so the numbers are the same each time the engine computes them.
    known, db = unknown
    x = np.random.default_rng(4).integers(0, 2, (60, 4)).astype(float)
    known.make("t", [("label", "INTEGER"), *((f"f{j}", "INTEGER") for j in range(4))], [[1, *map(int, r)] for r in x])
    projection = METHODS["maclaurin"]
    result = sqlrp.project(projection, Wide("t", None, None, ["label"]), db.connection, lowering="relational")
    got = np.array([result.column(f"z{c}").to_pylist() for c in range(projection.k)]).T
    want = oracle(projection, x)
    assert np.allclose(got[np.lexsort(got.T.round(6))], want[np.lexsort(want.T.round(6))])


@each
def test_refusals(unknown: tuple[Database, Unknown], name: str) -> None:
    known, db = unknown
    known.make("words", [("id", "BIGINT"), ("feature", "VARCHAR(9)"), ("value", "INTEGER")], [[0, "cat", 1]])
    wide = known.load("wide", ROWS.tolist())
    for source, options, words in (
        (Long("words"), {}, "no md5"),
        (wide, {"output": "array"}, "no arrays"),
        (wide, {"lowering": "indexed"}, "no indexed lowering"),
        (Array("t", "x"), {}, "no array columns"),
        (Wide("t.parquet"), {}, "reads no files"),
    ):
        with pytest.raises(UnsupportedError) as caught:
            db.projected(LINEAR, source, **options)  # type: ignore[arg-type]
        assert_one_line(caught, words)
    with pytest.raises(UnsupportedError) as unmade:
        sqlrp.materialize(LINEAR, wide, db.connection, into="made")
    assert_one_line(unmade, "this connection of unknown_", "commits each statement", "leave its isolation_level out")
    with pytest.raises(LimitError) as wider:
        sqlrp.project(SparseProjection(k=1000), wide, db.connection)
    assert_one_line(wider, "1000 of a result of unknown_")
    with pytest.raises(SourceError) as parts:
        db.projected(LINEAR, "a.b.c")
    assert_one_line(parts, "more parts than schema.table")


def test_the_engine_s_words_are_told(databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    db = database(databases, "sqlite", tmp_path_factory)
    text = sqlrp.sql(LINEAR, Wide("nowhere", features=["a", "b"]), "generic")
    with pytest.raises(StatementError) as caught:
        connector_of(db.connection).fetch(db.connection, text)
    assert_one_line(caught, "no such table: nowhere")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("layout", "lowering"), COMBINATIONS)
def test_the_standard_s_text_needs_no_connection(
    con: duckdb.DuckDBPyConnection, layout: str, lowering: str, method: str
) -> None:
    projection, d = METHODS[method], ROWS.shape[1]
    load(con, layout, ROWS.tolist())
    source = Wide("t", features=[f"f{j}" for j in range(d)]) if layout == "wide" else Long("t", n_features=d)
    text = sqlrp.sql(projection, source, "generic", lowering=lowering)
    got = cells(CONNECTORS["duckdb"].fetch(con, text), "columns", projection.k)
    want = oracle(projection, ROWS)
    assert_close(got, want, np.full(len(ROWS), np.abs(want).max()))
    parsed = sqlglot.parse(text)
    assert len(parsed) == 1
    assert isinstance(parsed[0], sqlglot.exp.Select)


def test_more_terms_than_a_statement_holds_are_refused() -> None:
    source = Wide("t", features=[f"f{j}" for j in range(120)])
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.sql(sqlrp.GaussianProjection(k=100), source, "generic", lowering="inline")
    assert_one_line(caught, "more than the 10,000 of one statement, and generic has no temporary tables")


def test_names_of_a_dialect_that_folds_to_upper_case() -> None:
    # Oracle's driver is not asked for: only what SQLAlchemy knows of its names and types.
    engine = SqlAlchemyDialect(OracleDialect())
    assert [engine.quote(n) for n in ("id", "Id", "select", 'a"b', "a%b")] == [
        '"ID"', '"Id"', '"select"', '"a""b"', '"a%b"',
    ]  # fmt: skip
    assert engine.remainder("x + 1", 7) == "(mod(x + 1, 7))"
    assert engine.cast("x", DOUBLE) == "CAST(x AS DOUBLE PRECISION)"
    assert SqlAlchemyDialect(MSDialect()).quote("a]b[") == "[a]]b[]"


@pytest.mark.parametrize("text", ["BOOLEAN", "INTEGER", "DOUBLE PRECISION", "NUMERIC(10, 2)", "VARCHAR(9)", "DATE"])
def test_types_by_name(text: str) -> None:
    kind = ENGINES["generic"].read_type(text)
    assert (kind.number is None) == (text in ("VARCHAR(9)", "DATE"))
    assert kind.is_text == (text == "VARCHAR(9)")


@pytest.mark.parametrize("columns", [["id", "ok", "a"], ["x1", "x0", "ok", "c0"], ["c0", "r", "f", "s", "x3", "x2"]])
@pytest.mark.parametrize("lowering", ["inline", "relational"])
def test_no_alias_hides_a_column(
    columns: list[str],
    lowering: str,
    databases: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """ClickHouse reads an alias in place of a column: its dialects of others' making have no setting against that."""
    need("clickhouse")
    monkeypatch.setattr(asked, "_MIXES", "1 = 0")  # ClickHouse has no typeof
    db = database(databases, "clickhouse", tmp_path_factory)
    rows = [[i, *(float((i + j) % 4 + j) for j in range(1, len(columns)))] for i in range(3)]
    db.make("hidden", [(name, "Float64") for name in columns], rows)
    frame = pa.table(dict(zip(columns, zip(*rows, strict=True), strict=True)))
    with sa.create_engine("unknown_sqlite://").begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE hidden ({', '.join(f'{name!r} DOUBLE' for name in columns)})")
        for projection in (SparseProjection(k=2, s=1, seed=3), sqlrp.Degree2KernelProjection(k=2, seed=1)):
            text = sqlrp.sql(projection, Wide("hidden", key=columns[0]), connection, lowering=lowering)
            want = sqlrp.project(projection, frame, key=columns[0])
            assert np.allclose(sorted(db.run_query(text)), np.column_stack([c.to_numpy() for c in want.columns]))


@pytest.mark.parametrize(
    "error",
    [
        NotImplementedError(),
        sa.exc.NoSuchColumnError("Could not locate column in row for column 'column_name'"),
        sa.exc.UnreflectableTableError("t: no rights"),
    ],
)
def test_what_a_dialect_fails_to_reflect_is_told(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr(DIALECTS["sqlite"], "get_columns", failing)
    with pytest.raises(SourceError) as caught:
        sqlrp.project(LINEAR, "t", sa.create_engine("unknown_sqlite://"))
    assert_one_line(caught, "the dialect unknown_sqlite of SQLAlchemy does not say", "pass that")
    assert (str(error) or "NotImplementedError") in str(caught.value)
