"""The evaluator, native and by numpy, against `evaluate.evaluate`, which shares no code with it, and SQL."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from cases import EVERY, GROUPED, PLAIN, TYPES, D, X
from contract import assert_contract, stored
from cover import factors, pairwise
from databases import need_native_library
from evaluate import evaluate
from helpers import OUTPUTS, SHAPES, Cell, cells, exact, load, projected

import sqlrp
import sqlrp._evaluator.sparse_rows as cells_module
from sqlrp import Projection, SourceError, SparseProjection, Wide
from sqlrp._core.numbers import Number, common
from sqlrp._core.options import Options
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column
from sqlrp._engines.registry import ENGINES
from sqlrp._evaluator import MatrixRows, backend, native_calls, program, run, tiles
from sqlrp._evaluator.results import listed
from sqlrp._evaluator.sparse_rows import refusal
from sqlrp._evaluator.sum_operations import LinearSums
from sqlrp._lowering.evaluation import Evaluation, feature_rows
from sqlrp._lowering.frame import Frame, Part
from sqlrp._lowering.job import Job
from sqlrp._run.bind import resolve
from sqlrp._run.frames.dataframes import FrameColumns, columns_of
from sqlrp._run.frames.memory_frames import arrow_job
from sqlrp._run.table_input import job_of
from sqlrp.stages import Power, SignedSums, WeightedSums

Connection = duckdb.DuckDBPyConnection
KINDS = ("native", "numpy")


@pytest.fixture(scope="module")
def shared() -> Iterator[Connection]:
    with duckdb.connect() as connection:
        yield connection


def use(monkeypatch: pytest.MonkeyPatch, kind: str, tile: int | None = None) -> None:
    """Take the native library or numpy for everything, with tiles of so many rows."""
    if kind == "native":
        need_native_library()
    monkeypatch.setattr(backend, "native", lambda work: native_calls if kind == "native" else None)
    if tile is not None:
        monkeypatch.setattr(tiles, "_size", lambda *given: tile)


def evaluated(con: Connection, projection: Projection, source: Any, threads: int | None = None, **options: Any) -> Any:
    """The job's result from the whole table as one batch, and the job."""
    job = job_of(projection, source, con, Options(**options))
    assert Evaluation.refusal(job) == ""
    return Evaluation(job, threads=threads)(con.sql(f"FROM {source.table}").to_arrow_table())


@pairwise(
    factors(
        by=list(KINDS),
        method=list(EVERY),
        layout=list(SHAPES),
        output=list(OUTPUTS),
        nulls=["propagate", "zero", "error"],
        kind=list(TYPES["duckdb"]),
        scale=[True, False],
        tile=[None, 1, 5],
        threads=[1, 2],
    )
)
def test_contract(
    shared: Connection,
    monkeypatch: pytest.MonkeyPatch,
    by: str,
    method: str,
    layout: str,
    output: str,
    nulls: str,
    kind: str,
    scale: bool,
    tile: int | None,
    threads: int,
) -> None:
    use(monkeypatch, by, tile)
    projection = EVERY[method]
    case = {"method": method, "nulls": nulls, "kind": kind, "scale": scale}

    def project(holes: bool) -> dict[Any, list[Cell]]:
        source = load(shared, layout, stored(kind, holes), TYPES["duckdb"][kind])
        options: dict[str, Any] = {"output": output, "nulls": nulls, "scale": scale}
        result = evaluated(shared, projection, source, threads, **options)
        if nulls != "error":
            by_sql = sqlrp.project(projection, source, shared, **options)
            assert result.column_names == by_sql.column_names
            for a, b in zip(result.schema.types, by_sql.schema.types, strict=True):
                # The digits before the point depend on the way in which SQL adds.
                assert a == b or (kind == "decimal" and "decimal" in str(a) and "decimal" in str(b))
        return cells(result, output, projection.k, sparse=layout == "long")

    assert_contract(case, project)


# -- one source in many forms ------------------------------------------------------------------------------


def forms(x: Any) -> dict[str, pa.Table]:
    """The same rows as Arrow tables that lie in memory in different ways."""
    d = x.shape[1]
    plain = pa.table({"id": np.arange(len(x)), **{f"f{j}": x[:, j].copy() for j in range(d)}})
    around = pa.concat_tables([plain.slice(0, 3), plain, plain.slice(1, 2)]).combine_chunks()
    uneven = [pa.chunked_array([c.slice(0, j).combine_chunks(), c.slice(j).combine_chunks()]) for j, c in
              enumerate(plain.columns)]  # fmt: skip
    encoded = plain.set_column(1, "f0", plain.column("f0").dictionary_encode())
    return {
        "plain": plain,
        "sliced": around.slice(3, len(x)),
        "chunked": pa.concat_tables([plain.slice(0, 2), plain.slice(2, 0), plain.slice(2)]),
        "uneven": pa.table(uneven, names=plain.column_names),
        "encoded": encoded,
    }


@pytest.mark.parametrize("by", KINDS)
@pytest.mark.parametrize("form", ["plain", "sliced", "chunked", "uneven", "encoded"])
def test_columns_lie_anywhere(monkeypatch: pytest.MonkeyPatch, by: str, form: str) -> None:
    use(monkeypatch, by, 3)
    x = np.random.default_rng(1).normal(size=(11, 5)).round(2)
    projection = sqlrp.SparseProjection(k=4, s=2, seed=1)
    for rows in (11, 1, 0):
        table = forms(x)[form].slice(0, rows)
        got = Evaluation(arrow_job(projection, forms(x)["plain"], Options()))(table)
        want = evaluate(projection.stages(5), x[:rows], np.arange(5)) * projection.factor(5)
        assert got.column_names == ["id", "z0", "z1", "z2", "z3"]
        assert got["id"].to_pylist() == list(range(rows))
        assert np.allclose(np.array(got.columns[1:], dtype=float).reshape(4, rows).T, want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("by", KINDS)
@pytest.mark.parametrize("rows", [0, 1, 3, 8, 9, 70])
def test_booleans_and_nulls_with_offsets(monkeypatch: pytest.MonkeyPatch, by: str, rows: int) -> None:
    use(monkeypatch, by, 16)
    generator = np.random.default_rng(rows)
    x, holes = generator.integers(0, 2, (rows + 7, 3)), generator.random((rows + 7, 3)) < 0.2
    projection = sqlrp.SparseProjection(k=3, s=1, seed=1)
    for kind in (pa.bool_(), pa.int8(), pa.uint16(), pa.int64(), pa.float32(), pa.decimal128(21, 1)):
        typed = (
            pa.array(x[:, j]).cast(kind) if not pa.types.is_boolean(kind) else pa.array(x[:, j] == 1) for j in range(3)
        )
        columns = [pc.if_else(pa.array(holes[:, j]), pa.scalar(None, kind), c) for j, c in enumerate(typed)]
        table = pa.table(columns, names=list("abc")).slice(5, rows)
        want = evaluate(projection.stages(3), np.where(holes, 0, x)[5 : 5 + rows].astype(float), np.arange(3))
        gone = holes[5 : 5 + rows].any(axis=1)
        for nulls in ("zero", "propagate"):
            got = sqlrp.project(projection, table, key=None, scale=False, nulls=nulls)
            for c, column in enumerate(got.columns):
                blank = gone if nulls == "propagate" else np.zeros(rows, dtype=bool)
                assert column.is_null().to_pylist() == blank.tolist()
                assert [v for v in column.to_pylist() if v is not None] == want[~blank, c].tolist()
        if gone.any():
            with pytest.raises(SourceError, match="a feature is NULL"):
                sqlrp.project(projection, table, key=None, nulls="error")


# -- numbers that are not finite, and large integers -------------------------------------------------------


@pytest.mark.parametrize("by", KINDS)
@pytest.mark.parametrize("name", [name for name, p in PLAIN.items() if "gaussian" not in name])
def test_infinities_and_nan_reach_the_sums_they_are_in(monkeypatch: pytest.MonkeyPatch, by: str, name: str) -> None:
    use(monkeypatch, by, 4)
    projection, x = PLAIN[name], X.copy()
    x[1, 3], x[2, 5], x[3, 0], x[6, 2] = np.inf, -np.inf, np.nan, 1e308
    stages = projection.stages(D)
    with np.errstate(all="ignore"):
        want = evaluate(stages, x, np.arange(D))
    got = run(program(stages, np.arange(D), [np.float64] * (len(stages) + 1)), MatrixRows(x), by_rows=True)
    assert np.array_equal(np.isnan(got), np.isnan(want))
    finite = np.isfinite(want)
    assert np.array_equal(got[~finite], want[~finite], equal_nan=True)
    assert np.allclose(got[finite], want[finite], rtol=1e-9, atol=1e-9)


WHOLE = [name for name, method in EVERY.items() if all(stage.exact for stage in method.stages(D))]


def whole_job(projection: Projection, bits: int) -> Job:
    names = tuple(f"f{j}" for j in range(D))
    frame = Frame("wide", TableName(("t",)), None, (), names, (Number("int", bits),) * D, (True,) * D, D)
    return Job(projection, frame, ENGINES["duckdb"], scale=False)


@pytest.mark.parametrize("by", KINDS)
@pytest.mark.parametrize(
    ("bits", "name"),
    [(b, n) for b in (7, 15, 24, 40, 62, 90) for n in WHOLE if whole_job(EVERY[n], b).result.exact],
)
def test_whole_numbers_are_exact(monkeypatch: pytest.MonkeyPatch, by: str, bits: int, name: str) -> None:
    use(monkeypatch, by, 3)
    projection, job = EVERY[name], whole_job(EVERY[name], bits)
    paired = np.random.default_rng(bits).integers(0, 2**30, (8, D, 2)).tolist()
    rows = [[(a * 2**70 + b * 2**35 + a) % 2 ** (bits + 1) - 2**bits + 1 for a, b in pairs] for pairs in paired]
    kind = pa.decimal128(38, 0) if bits > 63 else pa.int64()
    table = pa.table({f"f{j}": pa.array([row[j] for row in rows], kind) for j in range(D)})
    got = Evaluation(job)(table)
    want = evaluate(projection.stages(D), exact(rows), np.arange(D))
    assert [[int(v) for v in column.to_pylist()] for column in got.columns] == want.T.tolist()


# -- sparse cells ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", KINDS)
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(
    "projection",
    [
        sqlrp.SparseProjection(k=5, s=2, seed=3),
        sqlrp.PolynomialKernelProjection(k=4, s=1, c=2.0, t=2, seed=1),
        sqlrp.SparseEmbedding(k=8, nnz_per_feature=2, seed=1),
        sqlrp.TensorSketch(k=5, seed=1),
    ],
    ids=lambda p: type(p).__name__,
)
def test_open_vocabularies_batch_by_batch(
    con: Connection, monkeypatch: pytest.MonkeyPatch, by: str, output: str, projection: Projection
) -> None:
    # Features are hashed words, some NULL; keys in any order, one NULL; a word twice in a row; a row of NULL.
    use(monkeypatch, by, 2)
    con.execute(
        "CREATE TABLE t AS SELECT (range * 7) % 13 AS id, 'w' || (range * range % 31) AS feature, "
        "CASE WHEN range <> 40 THEN range - 20.5 END AS value FROM range(90)"
    )
    con.execute("INSERT INTO t VALUES (NULL, 'w1', 2), (NULL, 'ü', 3), (14, NULL, 5), (15, 'w2', 1), (15, 'w2', 4)")
    source, options = sqlrp.Long("t"), {"output": output}
    job = job_of(projection, source, con, Options(**options))
    evaluation, parts = Evaluation(job), []
    for keys in ("id < 5", "id >= 5 AND id <> 15", "id IS NULL OR id = 15"):
        parts.append(evaluation(con.sql(f"FROM t WHERE {keys}").to_arrow_table()))
    got = cells(pa.concat_tables(parts), output, projection.k, sparse=True)
    want = projected(con, projection, source, output)
    assert got.keys() == want.keys()
    for key, row in want.items():
        assert (None in row) == (None in got[key])
        assert None in row or np.allclose(np.array(got[key], float), np.array(row, float), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("by", KINDS)
def test_positions_in_order_or_not(con: Connection, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    use(monkeypatch, by, 7)
    con.execute(
        "CREATE TABLE t AS SELECT range // 3 AS id, range * 7 % 10 AS feature, range + 0.5 AS value FROM range(99)"
    )
    projection, source = sqlrp.SparseProjection(k=4, s=1, seed=2), sqlrp.Long("t", n_features=10)
    want = projected(con, projection, source)
    job = job_of(projection, source, con, Options())
    for order in ("id", "hash(value)"):
        got = cells(Evaluation(job)(con.sql(f"FROM t ORDER BY {order}").to_arrow_table()), "columns", 4)
        assert got.keys() == want.keys()
        assert all(np.allclose(got[key], want[key], rtol=1e-12, atol=1e-12) for key in want)
    wrong = con.sql("SELECT 1 AS id, 10 AS feature, 1.0 AS value").to_arrow_table()
    with pytest.raises(SourceError, match=r"outside 0 \.\.\. 9: positions count from 0; raise n_features"):
        Evaluation(job)(wrong)


def test_weights_are_forgotten_when_they_become_many(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells_module, "_HELD", 60)
    con.execute("CREATE TABLE t AS SELECT range AS id, 'w' || range AS feature, 1.0 AS value FROM range(40)")
    projection, source = sqlrp.SparseProjection(k=4, s=1, seed=2), sqlrp.Long("t")
    want = projected(con, projection, source)
    evaluation = Evaluation(job_of(projection, source, con, Options()))
    for first in range(0, 40, 8):
        part = con.sql(f"FROM t WHERE id BETWEEN {first} AND {first + 7}").to_arrow_table()
        got = cells(evaluation(part), "columns", 4)
        assert all(np.allclose(got[key], want[key], rtol=1e-12) for key in range(first, first + 8))


def test_what_cells_cannot_do_is_refused_by_name(con: Connection) -> None:
    con.execute("CREATE TABLE t AS SELECT range AS id, 'w' || range AS feature, 1.0 AS value FROM range(4)")
    job = job_of(sqlrp.SparseProjection(k=2, s=1), sqlrp.Long("t"), con, Options())
    assert Evaluation.refusal(job) == ""
    table = WeightedSums(np.ones((4, 2)))
    assert "WeightedSums has no form over the features of an open vocabulary" in refusal((table,), None, True)
    assert "an open vocabulary are summed first" in refusal((Power(1.0, 2), SignedSums(2, 1, 1)), None, True)
    assert refusal((Power(1.0, 2), SignedSums(2, 1, 1)), 4, False) == ""


# -- lists -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", KINDS)
@pytest.mark.parametrize("kind", [pa.list_, pa.large_list, lambda v: pa.list_(v, 3)], ids=["list", "large", "fixed"])
@pytest.mark.parametrize("element", [pa.float64(), pa.float32(), pa.int16(), pa.bool_()], ids=str)
def test_lists_with_nulls_and_offsets(
    monkeypatch: pytest.MonkeyPatch, by: str, kind: Any, element: pa.DataType
) -> None:
    use(monkeypatch, by, 2)
    lists = [[9, 9, 9], [1, 0, 1], None, [1, None, 0], [0, 1, 1], [9, 9, 9]]
    typed = [None if r is None else [None if v is None else element_of(element, v) for v in r] for r in lists]
    table = pa.table({"id": range(6), "x": pa.array(typed, kind(element))}).slice(1, 4)
    number = common([columns_of(pa.schema([("v", element)]))[0].type.number])
    frame = Frame.of_arrays(TableName(("t",)), "id", (), Part("x", number, 3))
    projection = sqlrp.SparseProjection(k=2, s=1, seed=1)
    want = evaluate(projection.stages(3), np.array([[1, 0, 1], [0, 0, 0], [1, 0, 0], [0, 1, 1.0]]), np.arange(3))
    for nulls, blank in (("zero", []), ("propagate", [1, 2])):
        job = Job(projection, frame, ENGINES["duckdb"], scale=False, nulls=nulls)
        rows = list(zip(*(c.to_pylist() for c in Evaluation(job)(table).columns[1:]), strict=True))
        assert rows == [(None, None) if i in blank else tuple(row) for i, row in enumerate(want.tolist())]
    with pytest.raises(SourceError, match="a feature is NULL"):
        Evaluation(replace(job, nulls="error"))(table)
    if kind is not pa.list_ and kind is not pa.large_list:
        return
    for wrong in ([1, 2], [], [1, 2, 3, 4]):
        bad = pa.table({"id": [0], "x": pa.array([[element_of(element, v) for v in wrong]], kind(element))})
        with pytest.raises(SourceError, match="has not the 3 elements of the others"):
            Evaluation(job)(bad)


def element_of(kind: pa.DataType, value: int) -> Any:
    return bool(value) if pa.types.is_boolean(kind) else value


# -- groups, threads, copies -------------------------------------------------------------------------------


@pytest.mark.parametrize("by", KINDS)
@pytest.mark.parametrize("name", GROUPED)
def test_groups(monkeypatch: pytest.MonkeyPatch, by: str, name: str) -> None:
    projection, groups = GROUPED[name], np.array([2, 0, 1, 2, 2, 0, 5, 1, 1, 2, 2, 0])
    want = evaluate(projection.stages(D), X, np.arange(D), np.unique(groups, return_inverse=True)[1])
    want *= projection.factor(D)
    table = pa.table({"g": groups, **{f"f{j}": X[:, j] for j in range(D)}})
    found = []
    for tile, threads, held in ((2, 1, 7), (2, 2, 7), (100, 2, 1 << 24)):
        use(monkeypatch, by, tile)
        monkeypatch.setattr(tiles, "_HELD", held)
        job = arrow_job(projection, table, Options(), FrameColumns("g"))
        got = Evaluation(job, threads=threads)(table).to_pandas().sort_values("g")
        assert got["g"].tolist() == [0, 1, 2, 5]
        found.append(got.drop(columns="g").to_numpy())
        assert np.allclose(found[-1], want, rtol=1e-12, atol=1e-12)
    assert np.array_equal(found[0], found[1])


@pytest.mark.parametrize("by", KINDS)
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, object])
def test_entries_are_listed(monkeypatch: pytest.MonkeyPatch, by: str, sparse: bool, dtype: Any) -> None:
    use(monkeypatch, by)
    z = np.array([[0, 2, 0], [0, 0, 0], [5, 0, -1], [0, 0, 0]]).astype(dtype)
    for missing in (None, np.array([False, False, False, True])):
        want = [
            (r, c, z[r, c], missing is not None and missing[r])
            for r in range(4)
            for c in range(3)
            if not sparse or c == 0 or z[r, c] != 0 or (missing is not None and missing[r])
        ]
        rows, components, values, absent = listed(z, missing, sparse)
        assert values.dtype == z.dtype
        gone = [False] * len(rows) if absent is None else absent.tolist()
        assert list(zip(rows, components, values, gone, strict=True)) == want
    assert all(len(part) == 0 for part in listed(z[:0], None, sparse)[:3])


def test_a_copy_of_it_gives_the_same_numbers() -> None:
    table = forms(X)["plain"]
    job = arrow_job(EVERY["degree2"], table, Options())
    evaluation = Evaluation(job)
    want = evaluation(table)
    again = pickle.loads(pickle.dumps(evaluation))
    assert again(table).equals(want)
    assert "program" not in again.__getstate__()
    assert evaluation.schema(table.schema) == want.schema
    with ThreadPoolExecutor(4) as pool:
        assert all(done.equals(want) for done in pool.map(Evaluation(job), [table] * 8))


@pytest.mark.slow
def test_without_the_native_library_and_threadpoolctl() -> None:
    code = (
        "import sys\n"
        "sys.modules['threadpoolctl'] = None\n"
        "import numpy as np, pyarrow as pa, sqlrp\n"
        "from pathlib import Path\n"
        "from sqlrp._core import native_library\n"
        "from sqlrp._evaluator import backend\n"
        "from evaluate import evaluate\n"
        "native_library.PATH = Path('no library')\n"
        "assert backend.native(1e12) is None and not backend.has_single_blas()\n"
        "x = np.random.default_rng(0).normal(size=(3000, 90))\n"
        "table = pa.table({f'f{j}': x[:, j] for j in range(90)})\n"
        "for p in (sqlrp.SparseProjection(k=70), sqlrp.GaussianProjection(k=70), sqlrp.HadamardProjection(k=64)):\n"
        "    want = evaluate(p.stages(90), x, np.arange(90)) * p.factor(90)\n"
        "    got = np.column_stack(sqlrp.project(p, table, key=None).columns)\n"
        "    assert np.allclose(got, want, rtol=1e-12, atol=1e-12), p\n"
    )
    tests = str(Path(__file__).parents[1] / "support")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tests)
    assert done.returncode == 0, done.stderr


def test_small_frames_and_duckdb_leave_scipy_and_sqlalchemy_out() -> None:
    code = (
        "import sys, duckdb, pyarrow as pa, sqlrp, sqlrp._cli.app\n"
        "rp, rows = sqlrp.SparseProjection(k=2, s=1), pa.table({'id': [1, 2], 'a': [1.0, 2.0], 'b': [1.0, 2.0]})\n"
        "sqlrp.project(rp, rows)\n"
        "con = duckdb.connect()\n"
        "con.execute('CREATE TABLE t AS FROM rows')\n"
        "sqlrp.materialize(rp, 't', con, 'small')\n"
        "sqlrp.save(rp, con, 'kept', source='t')\n"
        "assert not {'numba', 'scipy', 'sqlalchemy'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_features_of_no_rows_are_an_empty_array() -> None:
    columns = [Column(name, ENGINES["duckdb"].read_type("DOUBLE")) for name in "abc"]
    job = Job(SparseProjection(k=2), resolve(Wide("t", key=None), columns, ENGINES["duckdb"]), ENGINES["duckdb"])
    nothing = pa.table({name: pa.array([], pa.float64()) for name in "abc"})
    x, missing = feature_rows(nothing, job)
    assert x.shape == (0, 3)
    assert missing is None or not len(missing)


def test_a_large_constant_before_signs_is_added_in_floats() -> None:
    """A whole constant beyond 127 is no number of the signs' type."""
    sums = LinearSums(np.array([[1, -1], [1, -1]], dtype=np.int8)).started(10_000)
    assert sums.base.tolist() == [10_000, -10_000]
