"""Bits of components: the same ones on every engine, in every lowering and layout, and in frames."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pytest
from cases import SERVED, D, X, contract
from contract import ERROR, blank, stored, values
from cover import Cover, pairwise
from databases import database
from helpers import ASKED, assert_one_line, load, oracle

import sqlrp
from sqlrp import Projection
from sqlrp._projections.fixed_stages import FixedStages
from sqlrp.stages import Absolute, Exponential, Power

CODED: dict[str, Projection] = {
    "linear": sqlrp.SparseProjection(k=130, s=2, seed=3),  # two words and two bits
    "gaussian": sqlrp.GaussianProjection(k=5, seed=3),
    "hadamard": sqlrp.HadamardProjection(k=64, seed=1),
    "tensor-sketch": sqlrp.TensorSketch(k=5, degree=2, seed=1),
    "nystroem": sqlrp.NystroemProjection(k=5, degree=3, c=1.0, sample=12, seed=1).fit(X),
    "fourier": sqlrp.RandomFourierFeatures(k=65, gamma=0.3, seed=1),
}
"""By the name of a method of `cases.EVERY` that holds in the same lowerings."""


def coded(engine: str) -> Cover:
    """The contract of an engine, for bits."""
    whole = contract(engine)
    return Cover({**whole.factors, "method": list(CODED), "output": ["bits"], "scale": [True]}, whole.allowed)


def bits_of(result: pa.Table, k: int) -> dict[Any, list[int] | None]:
    """The k bits of every key, of words or of one column of text; None for a row that is NULL."""
    names = [name for name in result.column_names if name != "id"]
    if names == ["z"]:
        rows = [None if z is None else str(z) for z in result.column("z").to_pylist()]
    else:
        assert names == [f"b{w}" for w in range(-(-k // 64))]
        words = zip(*(result.column(name).to_pylist() for name in names), strict=True)
        rows = [None if None in row else "".join(f"{word % 2**64:064b}" for word in row) for row in words]
        assert all(row is None or "1" not in row[k:] for row in rows)
        rows = [row and row[:k] for row in rows]
    assert all(row is None or len(row) == k for row in rows)
    return {i: row and list(map(int, row)) for i, row in zip(result.column("id").to_pylist(), rows, strict=True)}


def assert_bits(found: dict[Any, list[int] | None], z: npt.NDArray[Any], null: npt.NDArray[np.bool_]) -> None:
    """The bits are the signs of z, except where z is so near 0 that a sum in another order may be on the other side."""
    sure = np.abs(z) > 1e-6 * np.abs(z).max()
    assert sure.mean() > 0.5
    for i, row in enumerate(z):
        if null[i]:
            assert found[i] is None
        else:
            assert (np.array(found[i])[sure[i]] == (row > 0)[sure[i]]).all()


@pairwise(*(coded(name) for name in ("duckdb", *SERVED)))
def test_bits_are_the_signs_of_the_components(
    databases: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
    engine: str,
    method: str,
    lowering: str,
    layout: str,
    output: str,
    nulls: str,
    kind: str,
    scale: bool,
) -> None:
    db, projection, holes = database(databases, engine, tmp_path_factory), CODED[method], nulls != "error"

    def project(holes: bool) -> pa.Table:
        source = db.kept(layout, kind, holes)
        return sqlrp.project(projection, source, db.connection, output="bits", nulls=nulls, lowering=lowering)  # type: ignore[arg-type]

    if nulls == "error":
        with pytest.raises(Exception, match=ERROR):
            project(True)
    x = np.array([[v or 0 for v in row] for row in stored(kind, holes)], dtype=np.float64)
    null = blank() if nulls == "propagate" else np.zeros(len(x), dtype=bool)
    found = bits_of(project(holes), projection.k)
    assert_bits(found, oracle(projection, x), null)
    if kind == "integer" and method in ("linear", "hadamard"):  # whole numbers: ties are 0 everywhere
        exact = oracle(projection, values(kind), scale=False) > 0
        kept = [i for i in range(len(x)) if not holes or i not in np.flatnonzero(blank())]
        assert [found[i] for i in kept] == exact[kept].astype(int).tolist()


SIGNED = (-2.0, 0.5)
"""Factors of given projections: one that turns every sign round."""


def given(scale: float) -> list[Projection]:
    rng = np.random.default_rng(5)
    whole = rng.integers(-1, 2, size=(D, 70)).astype(np.int8)
    places, signs = rng.integers(0, 9, size=(3, D + 1)), rng.choice([-1, 1], size=(3, D + 1))
    return [
        sqlrp.GivenProjection.of(whole, scale=scale),
        sqlrp.GivenProjection.of(whole.astype(np.uint8) % 2, offset=rng.normal(size=70).round(3), scale=scale),
        sqlrp.GivenTensorSketch.of(places, signs, 9, constant=0.5, scale=scale),
    ]


@pytest.mark.parametrize("scale", SIGNED)
@pytest.mark.parametrize("name", ["duckdb", "sqlite", "postgresql", "mariadb", "clickhouse"])
def test_a_negative_scale_turns_the_bits_round(
    databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, name: str, scale: float
) -> None:
    db = database(databases, name, tmp_path_factory)
    source = db.kept("wide", "double", False)
    x = np.array([[v or 0 for v in row] for row in stored("double", False)], dtype=np.float64)
    for projection, straight in zip(given(scale), given(1.0), strict=True):
        z = scale * oracle(straight, x)
        for lowering in ("inline", "relational", "native") if name == "duckdb" else ("inline", "relational"):
            result = sqlrp.project(projection, source, db.connection, output="bits", lowering=lowering)
            assert_bits(bits_of(result, projection.k), z, np.zeros(len(x), dtype=bool))


@pytest.mark.parametrize("scale", SIGNED)
def test_a_negative_scale_turns_the_bits_of_functions_and_frames_round(con: Any, scale: float) -> None:
    x = np.random.default_rng(2).normal(size=(20, D)).round(3)
    load(con, "wide", x.tolist())
    sqlrp.install(con)
    for i, (projection, straight) in enumerate(zip(given(scale), given(1.0), strict=True)):
        z = scale * oracle(straight, x)
        sqlrp.save(projection, con, f"p{i}", source="t")
        functions = con.execute(f"FROM project_with('p{i}', 't', output := 'bits')").to_arrow_table()
        frame = sqlrp.project(projection, con.sql("FROM t").to_arrow_table(), output="bits")
        for result in (functions, frame):
            assert_bits(bits_of(result, projection.k), z, np.zeros(len(x), dtype=bool))
        numbers = con.execute(f"FROM project_with('p{i}', 't', output := 'array') ORDER BY id").fetchall()
        np.testing.assert_allclose(np.array([row[1] for row in numbers]), z, rtol=1e-9, atol=1e-9)
    with pytest.raises(sqlrp.ParameterError, match="scale = 0 must be a finite number other than 0"):
        given(0)


@pytest.mark.parametrize("lowering", ASKED)
def test_nan_and_infinity_have_one_bit_everywhere(con: Any, lowering: str) -> None:
    x = np.zeros((4, D))
    x[:, 0] = [np.nan, np.inf, -np.inf, 0]
    p = sqlrp.GivenProjection.of(np.eye(D)[:, :2])
    load(con, "wide", x.tolist())
    found = bits_of(
        sqlrp.project(p, "t", con, output="bits", lowering=lowering if lowering != "indexed" else "auto"), 2
    )
    frame = bits_of(sqlrp.project(p, con.sql("FROM t").to_arrow_table(), output="bits"), 2)
    assert frame == found
    assert [row and row[0] for row in found.values()] == [1, 1, 0, 0]


def test_bits_of_frames(con: Any) -> None:
    p = CODED["linear"]
    rows = [[float(v) for v in row] for row in X]
    rows[3][2] = None  # type: ignore[call-overload]
    source = load(con, "wide", rows)
    want = bits_of(sqlrp.project(p, source, con, output="bits", lowering="inline"), p.k)
    assert want[3] is None
    table = con.sql("FROM t ORDER BY id").to_arrow_table()
    with pytest.warns(sqlrp.SqlrpWarning, match="1 of 12 rows became NULL"):
        made = sqlrp.project(p, table.to_pandas(), output="bits")
    assert isinstance(made, pd.DataFrame)
    assert str(made["b0"].dtype) == "Int64"  # floats would lose the last bits beside a NULL
    assert bits_of(pa.Table.from_pandas(made), p.k) == want
    lazy = sqlrp.project(p, con.sql("FROM t"), output="bits")
    assert bits_of(lazy.to_arrow_table(), p.k) == want


@pytest.mark.parametrize("p", CODED.values(), ids=CODED)
def test_bits_of_arrays_are_packed(con: Any, p: Projection) -> None:
    """Bytes, in the order of numpy.packbits: the same bits as of a table."""
    load(con, "wide", X.tolist())
    packed = sqlrp.project(p, np.array(X, dtype=np.float64), output="bits")
    assert packed.dtype == np.uint8
    assert packed.shape == (len(X), -(-p.k // 8))
    want = bits_of(sqlrp.project(p, "t", con, output="bits", lowering="native"), p.k)
    assert np.unpackbits(packed, axis=1, count=p.k).tolist() == [want[i] for i in range(len(X))]


def test_arrays_without_bits_are_refused() -> None:
    p, x = sqlrp.SparseProjection(k=3, s=1), np.array(X, dtype=np.float64)
    positive = FixedStages(3, made=(*p.stages(D), Absolute()), constant=1.0)
    for given, words in (
        ({"projection": positive}, "are never negative"),
        ({"dtype": "float32"}, "leave dtype out"),
        ({"source": np.where(x == x[4, 1], np.nan, x)}, "has NaN, and bits have no NULL"),
    ):
        with pytest.raises((sqlrp.ParameterError, sqlrp.SourceError), match=words):
            sqlrp.project(**{"projection": p, "source": x, "output": "bits", **given})
    holes = np.where(np.arange(D) == 1, np.nan, x)
    zeros = np.where(np.arange(D) == 1, 0.0, x)
    given = sqlrp.project(p, holes, output="bits", nulls="zero")
    assert given.tolist() == sqlrp.project(p, zeros, output="bits").tolist()


def test_bits_of_tables_follow_their_source(con: Any) -> None:
    p = CODED["hadamard"]
    source = load(con, "array", X.tolist())
    assert sqlrp.materialize(p, source, con, "made", output="bits", track="rows") == len(X)
    con.execute("UPDATE t SET x = list_transform(x, lambda v: -v) WHERE id = 2")
    con.execute("DELETE FROM t WHERE id = 5")
    assert str(sqlrp.refresh(con, "made")) == str(sqlrp.Refreshed(0, 1, 1))
    fresh = sqlrp.project(p, source, con, output="bits")
    made = con.sql("SELECT id, b0 FROM made").to_arrow_table()
    assert bits_of(made, p.k) == bits_of(fresh, p.k)
    assert con.sql("SELECT typeof(b0) FROM made LIMIT 1").fetchall() == [("BIGINT",)]


def test_what_has_no_bits_is_refused(con: Any) -> None:
    load(con, "wide", X.tolist())
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.project(sqlrp.SparseProjection(k=3), "t", con, output="bits", dtype="float32")
    assert_one_line(caught, "dtype = 'float32'", "leave dtype out")
    for stage in (Absolute(), Exponential(), Power(1.0, 2)):
        positive = FixedStages(3, made=(*sqlrp.SparseProjection(k=3, seed=1).stages(D), stage), constant=1.0)
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.project(positive, "t", con, output="bits")
        assert_one_line(caught, "output = 'bits'", "never negative", "'columns'")


@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_functions_return_bits(db: Any, name: str) -> None:
    p = CODED["linear"]
    source = db.kept("array", "double", True)
    fresh = bits_of(sqlrp.project(p, source, db.connection, output="bits"), p.k)
    sqlrp.create_function(
        p,
        db.connection,
        "coded",
        n_features=D,
        returns="bits",
        replace=True,
        **({"trust_schema": True} if name == "postgresql" else {}),
    )
    column = source.columns[0]
    rows = db.run_query(f"SELECT id, coded({db.engine.quote(column)}) FROM {source.table}")
    sqlrp.drop_function(db.connection, "coded")
    texts = {
        int(i): z if z is None or isinstance(z, str) else "".join(f"{word % 2**64:064b}" for word in z) for i, z in rows
    }
    found = {i: z and list(map(int, z[: p.k])) for i, z in texts.items()}
    assert found == fresh


def test_a_function_without_a_query_has_no_bits() -> None:
    with pytest.raises(sqlrp.UnsupportedError) as caught:
        sqlrp.function_sql(CODED["linear"], "trino", "coded", n_features=D, returns="bits")
    assert_one_line(caught, "returns = 'bits'", "trino")


@pytest.mark.parametrize("name", ["postgresql"])
@pytest.mark.parametrize("holes", [False, True])
def test_the_column_of_bits_has_their_number(db: Any, name: str, holes: bool) -> None:
    """pgvector indexes no column without one."""
    sqlrp.materialize(CODED["linear"], db.kept("wide", "double", holes), db.connection, "made", output="bits")
    rows = db.run_query(
        "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attname = 'z' "
        "AND attrelid = to_regclass('made')"
    )
    db.run("DROP TABLE made")
    assert rows == [("bit(130)",)]


SHORT_WORDS = """
import sqlrp._core.numbers as numbers
numbers.WORD_BITS, numbers.WORD_BYTES, numbers.WORD = 32, 4, numbers.Number("int", 31)
import duckdb, numpy as np, sqlrp
con = duckdb.connect()
con.execute("CREATE TABLE t AS SELECT i AS id, (i * 7 % 11 - 5.0) AS a, (i * 3 % 13 - 6.5) AS b FROM range(20) r(i)")
p = sqlrp.SparseProjection(k=70, s=1, seed=3)
rows = con.sql("SELECT a, b FROM t ORDER BY id").fetchnumpy()
packed = sqlrp.project(p, np.column_stack([rows["a"], rows["b"]]).astype(float), output="bits")
for lowering in ("inline", "relational", "native"):
    found = sqlrp.project(p, "t", con, output="bits", lowering=lowering).sort_by("id").drop_columns(["id"])
    assert found.column_names == ["b0", "b1", "b2"], found.column_names
    words = np.column_stack(found.columns).astype(">i4")
    assert (np.ascontiguousarray(words).view(np.uint8)[:, :9] == packed).all(), lowering
"""


def test_the_bits_of_a_word_are_said_once() -> None:
    """Words of 32 bits take one change: nothing else in Python says how many bits a word has."""
    command = [sys.executable, "-W", "ignore", "-c", SHORT_WORDS]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
