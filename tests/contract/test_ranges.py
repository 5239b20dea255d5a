"""The largest numbers of each type, 32-bit floats, sums beyond 64 bits, and queries that are too deep."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cover import Cover, factors, pairwise
from databases import DOUBLES, Database, database
from fuzz_numbers import KINDS, NATIVE, SINGLE, VECTORS, check_numbers, largest_of
from helpers import assert_one_line, oracle
from hostile import literal
from scores import assert_scores
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import sqlrp
from sqlrp import Array, Join, Projection, StatementError, UnsupportedError, Wide
from sqlrp._run.frames.matrix import project_array

ARRAYS = ("duckdb", "postgresql", "clickhouse")
METHODS: dict[str, Projection] = {
    "sparse": sqlrp.SparseProjection(k=3, s=1, seed=1),
    "embedding": sqlrp.SparseEmbedding(k=3, nnz_per_feature=1, seed=1),
    "maclaurin": sqlrp.RandomMaclaurin(k=30, seed=1),
    "sketch": sqlrp.TensorSketch(k=5, degree=2, seed=1),
    "gaussian": sqlrp.GaussianProjection(k=2, seed=1),
}


def edges(name: str) -> Cover:
    arrays = name in ARRAYS
    return factors(
        lambda kind, layout, **_: layout != "array" or kind != "UHUGEINT",
        name=[name],
        kind=list(KINDS[name]),
        layout=["wide", "long", *(["array"] if arrays else [])],
        lowering=["inline", "relational", "auto", "indexed", *(["native"] if name in NATIVE else [])],
        output=["columns", "long", *(["array"] if arrays else []), *(["vector"] if name in VECTORS else [])],
        dtype=["auto", "float32"] if name in SINGLE else ["auto"],
        method=list(METHODS),
        scale=[True, False],
    )


@pairwise(*map(edges, DOUBLES))
def test_the_largest_numbers(
    db: Database,
    name: str,
    kind: str,
    layout: str,
    lowering: str,
    output: str,
    dtype: str,
    method: str,
    scale: bool,
) -> None:
    """As the formulas say, or refused by rule; see `fuzz_numbers.may_fail`."""
    cells = largest_of(kind, KINDS[name][kind])
    rows = [[cells[(i + j) % len(cells)] for j in range(3)] for i in range(0, len(cells), 2)]
    zero = "0.00" if isinstance(cells[0], str) else 0
    rows += [[cells[0]] * 3, [None, cells[-1], cells[0]], [zero, zero, zero]]
    call = {
        "projection": METHODS[method].to_json(),
        "output": output,
        "lowering": lowering,
        "scale": scale,
        "nulls": "propagate",
        "dtype": dtype,
    }
    for part in [[row] for row in rows] if name == "sqlite" else [rows]:  # which refuses sums of the largest
        case = {"engine": name, "layout": layout, "kind": kind, "rows": part, "calls": [call]}
        seen: Counter[str] = Counter()
        check_numbers(db, case, seen)
        assert seen.total() == 1


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name in DOUBLES for kind in KINDS[name]])
def test_bare_sums_of_every_type(db: Database, name: str, kind: str) -> None:
    cells = largest_of(kind, KINDS[name][kind])
    call: dict[str, Any] = {"projection": METHODS["sparse"].to_json(), "output": "columns", "lowering": "auto"}
    call |= {"nulls": "propagate", "scale": False}
    for layout in ("wide", "long"):
        case = {"engine": name, "layout": layout, "kind": kind, "rows": [cells[:3]], "calls": [call]}
        check_numbers(db, case, Counter())


# -- 32-bit floats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", ["columns", "long", "array", "vector"])
@pytest.mark.parametrize("lowering", ["auto", "inline", "relational", "native"])
def test_the_scale_comes_before_32_bits(con: Any, lowering: str, output: Any) -> None:
    """A product of two of the largest UBIGINT is beyond 32-bit floats, and the scaled component is not."""
    con.execute(f"CREATE TABLE t AS SELECT 0 AS id, {2**64 - 1}::UBIGINT AS a, {2**64 - 1}::UBIGINT AS b")
    projection = METHODS["maclaurin"]
    (want,) = oracle(projection, np.full((1, 2), 2.0**64))
    assert 1e38 < np.abs(want).max() < 3e38
    result = sqlrp.project(projection, "t", con, lowering=lowering, output=output, dtype="float32")
    got = np.array(result.drop(["id", *(["component"] if output == "long" else [])]).to_pandas().to_numpy().tolist())
    assert np.allclose(got.ravel().tolist(), want, rtol=1e-6)
    frame = pa.table({"id": [0], "a": pa.array([2**64 - 1], pa.uint64()), "b": pa.array([2**64 - 1], pa.uint64())})
    if lowering == "auto" and output == "columns":
        by_frame = sqlrp.project(projection, frame, key="id", dtype="float32")
        assert np.allclose([column[0].as_py() for column in by_frame.columns[1:]], want, rtol=1e-6)


@pytest.mark.parametrize("output", ["columns", "long", "array", "vector"])
@pytest.mark.parametrize("lowering", ["auto", "inline", "relational", "indexed", "native"])
@pytest.mark.parametrize(("kind", "value"), [("INTEGER[2]", 20_000_001), ("HUGEINT[2]", 2**120 + 1)])
def test_whole_numbers_that_no_float_has(con: Any, kind: str, value: int, lowering: str, output: Any) -> None:
    con.execute(f"CREATE TABLE t AS SELECT 0 AS id, CAST(['{value}', '{-value}'] AS {kind}) AS x")
    projection = sqlrp.SparseEmbedding(k=3, nnz_per_feature=1, seed=0)
    want = oracle(projection, np.array([[float(value), -float(value)]]), scale=False)[0]
    if lowering == "native" and kind == "HUGEINT[2]":
        with pytest.raises(UnsupportedError, match="exact numbers of 129 bits"):
            sqlrp.project(projection, Array("t", "x"), con, lowering=lowering, dtype="float32", scale=False)
        return
    result = sqlrp.project(
        projection, Array("t", "x"), con, lowering=lowering, output=output, dtype="float32", scale=False
    )
    got = result.column(result.column_names[-1]).to_pylist()
    row = [result.column(f"z{c}")[0].as_py() for c in range(3)] if output == "columns" else got
    assert np.float32(row).ravel().tolist() == np.float32(want).tolist()


FLOATS = [1234567.0, 16777215.0, float(np.float32(0.1)), -float(np.float32(3.4e38)), float(np.float32(1e-30)), None]


@pytest.mark.parametrize("name", [name for name in DOUBLES if name in SINGLE])
def test_32_bit_floats_are_read_with_all_digits(db: Database, name: str) -> None:
    """However they are read: as kept columns, as results, as batches, as labels, or as samples to fit on."""
    columns = [("id", "BIGINT"), ("a", SINGLE[name]), ("b", DOUBLES[name])]
    db.make("digits", columns, [[i, value, 1.0] for i, value in enumerate(FLOATS)])
    kept = sqlrp.project(METHODS["sparse"], Wide("digits", features=["b"], keep=["a"]), db.connection)
    assert dict(zip(kept["id"].to_pylist(), kept["a"].to_pylist(), strict=True)) == dict(enumerate(FLOATS))
    query = "SELECT a, id FROM digits ORDER BY id"
    read = [row[0] for row in db.connector.rows(db.connection, query)]
    assert [value if value is None else float(np.float32(value)) for value in read] == FLOATS
    assert db.connector.fetch(db.connection, query).column("a").to_pylist() == FLOATS
    with db.connector.stream(db.connection, query, 2) as batches:
        assert [value for batch in batches.each for value in batch.column(0).to_pylist()] == FLOATS
    x = np.float32(np.random.default_rng(1).normal(1e6, 1, (30, 2))).astype(float)
    db.make(
        "sample",
        [("id", "BIGINT"), ("a", SINGLE[name]), ("b", SINGLE[name])],
        [[i, *r] for i, r in enumerate(x.tolist())],
    )
    fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=1, sample=30), "sample", db.connection)
    assert np.allclose(project_array(fitted, x), project_array(sqlrp.PrincipalComponents(k=1, sample=30).fit(x), x))


@pytest.mark.parametrize("output", ["columns", "long"])
@pytest.mark.parametrize("lowering", ["inline", "relational"])
def test_mariadb_does_not_cut_off_what_is_beyond_float(request: Any, lowering: str, output: str) -> None:
    db = request.getfixturevalue("mariadb")
    for value, beyond in ((3e38, False), (-3.4028234663852886e38, False), (3.5e38, True), (-1e300, True)):
        source = db.load("wide", [[value]])
        if beyond:
            with pytest.raises(StatementError) as caught:
                db.projected(METHODS["sparse"], source, output, scale=False, lowering=lowering, dtype="float32")
            assert_one_line(caught, "out of range", "32-bit floats end at 3.4e38", "use dtype = 'auto'")
        else:
            got = db.projected(METHODS["sparse"], source, output, scale=False, lowering=lowering, dtype="float32")
            assert [abs(v) for v in got[0]] == [float(np.float32(abs(value)))] * 3


def test_whole_numbers_beyond_53_bits_in_frames() -> None:
    """Where rows are read as floats, such numbers are rounded, and are no error of Arrow's."""
    a = [2**53 + 1, 2**62 + 1, -(2**63), 5]
    frame = pd.DataFrame({"a": a, "b": [1.0, 2.0, 3.0, 4.0]})
    x = frame.to_numpy(dtype=float)
    fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=1), frame, key=None)
    assert np.allclose(project_array(fitted, x), project_array(sqlrp.PrincipalComponents(k=1).fit(x), x))


# -- sums beyond 64 bits in SQLite -----------------------------------------------------------------------

TOP = 2**63 - 1
ADDED = sqlrp.GivenProjection.of(np.array([[2], [1]]))
WORDS = "which is no exact whole number of 64 bits: clean the rows, or project a view that casts the features to REAL"


@pytest.fixture
def sqlite(databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Database:
    return database(databases, "sqlite", tmp_path_factory)


@pytest.fixture
def mariadb(databases: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Database:
    return database(databases, "mariadb", tmp_path_factory)


@pytest.mark.parametrize("output", ["columns", "long"])
@pytest.mark.parametrize(("layout", "lowering"), [("wide", "inline"), ("wide", "relational"), ("long", "relational")])
@pytest.mark.parametrize("kind", ["INTEGER", "BIGINT", "SMALLINT"])
def test_exact_sums_of_sqlite_are_exact_or_refused(
    sqlite: Database, kind: str, layout: str, lowering: str, output: str
) -> None:
    """The declared type does not bound the values; a sum that becomes REAL on the way is found."""
    projections = [
        ADDED,
        sqlrp.GivenProjection.of(np.array([[1], [1]])),
        sqlrp.GivenProjection.of(np.array([[1], [-1]])),
    ]
    rows = [[TOP, 0], [TOP - 5, -4], [-TOP, -TOP], [TOP, -TOP], [2**61 + 1, 3], [2**53 + 1, -1], [-(2**63), 1]]
    for projection in projections:
        for row in rows:
            weights = projection.stages(2)[0].matrix(np.arange(2))[:, 0].tolist()
            want = sum(w * v for w, v in zip(weights, row, strict=True))
            source = sqlite.load(layout, [row], kind)
            every = [want, *(w * v for w, v in zip(weights, row, strict=True))]
            if not all(-TOP - 1 <= v <= TOP for v in every):
                with pytest.raises(StatementError, match=WORDS):
                    sqlite.projected(projection, source, output, lowering=lowering, scale=False)
            else:
                got = sqlite.projected(projection, source, output, lowering=lowering, scale=False)
                assert got == {0: [want]}
            scaled = sqlite.projected(METHODS["sparse"], source, output, lowering=lowering)
            most = sum(map(abs, row))
            assert np.allclose(scaled[0], oracle(METHODS["sparse"], np.array([row], float))[0], atol=1e-12 * most)


@pytest.mark.parametrize("scale", [True, False])
def test_other_sums_of_sqlite(sqlite: Database, scale: bool) -> None:
    """Sums of groups and of joined tables, and values that are not whole in a column of INTEGER."""
    rows = [[TOP, TOP], [TOP, TOP]]
    grouped = sqlrp.BilinearPooling(k=2, t=1, s=1, normalise=False, seed=1)
    source = sqlite.load("wide", rows, "TINYINT", ids=[0, 0])
    if scale:
        got = sqlite.projected(grouped, source)
        assert all(abs(v) in (0.0, pytest.approx(8 * 2.0**126 * grouped.factor(2))) for v in got[0])
    else:
        with pytest.raises(StatementError) as caught:
            sqlite.projected(grouped, source, scale=False)
        assert_one_line(caught, WORDS)

    sqlite.make("fact", [("id", "BIGINT"), ("d", "BIGINT"), ("a", "INTEGER")], [[0, 0, TOP]])
    sqlite.make("dim", [("id", "BIGINT"), ("b", "INTEGER")], [[0, TOP]])
    joined = Join(Wide("fact", features=["a"]), {"d": Wide("dim")})
    projection = sqlrp.SparseProjection(k=4, s=1, seed=1)
    signs = oracle(projection, np.eye(2), scale=False)
    exact = [int(a) * TOP + int(b) * TOP for a, b in signs.T]
    assert max(map(abs, exact)) > TOP
    if scale:
        got = sqlite.projected(projection, joined)
        assert np.allclose(got[0], np.array(exact, float) * projection.factor(2), atol=1e4)
    else:
        with pytest.raises(StatementError) as caught:
            sqlite.projected(projection, joined, scale=False)
        assert_one_line(caught, WORDS)

    source = sqlite.load("wide", [[2.5, 1]], "INTEGER")
    if scale:
        assert sqlite.projected(METHODS["sparse"], source)[0][0] != 0
    else:
        for lowering in ("inline", "relational"):
            with pytest.raises(StatementError) as caught:
                sqlite.projected(METHODS["sparse"], source, scale=False, lowering=lowering)
            assert_one_line(caught, WORDS)


# -- deep queries ----------------------------------------------------------------------------------------

RNG = np.random.default_rng(1)
X = RNG.normal(size=(60, 4))


def chained(kernel: str, steps: int) -> Projection:
    """Landmark projections one after another, each fitted on what the one before gives."""
    z, made = X, []
    for i in range(steps):  # of degree 1, as powers of powers leave the floats
        step = sqlrp.NystroemProjection(
            k=3, sample=8, seed=i, kernel_name=kernel, gamma=0.2 if kernel == "rbf" else None, degree=1
        )
        made.append(step.fit(z))
        z = np.asarray(project_array(made[-1], z))
    return sqlrp.Chained(of=tuple(made))


MODELS = {
    "regressor": Ridge(),
    "two classes": LogisticRegression(),
    "calibrated": CalibratedClassifierCV(LinearSVC(random_state=0), cv=2),
}


@pytest.mark.parametrize("steps", [2, 5, 16])
@pytest.mark.parametrize("kernel", ["polynomial", "rbf", "cosine"])
@pytest.mark.parametrize("name", ["sqlite", "mariadb", "mysql"])
def test_many_steps_fit_the_parser(db: Database, name: str, kernel: str, steps: int) -> None:
    """A parser's stack, or a count of nested queries, is bounded: deep subqueries are named before the query."""
    projection = chained(kernel, steps)
    source = db.load("wide", X[:10].tolist())
    z = np.asarray(project_array(projection, X))
    if name == "mysql" and steps == 16 and kernel != "cosine":
        with pytest.raises(StatementError, match="use fewer steps, or keep what the first ones give"):
            db.projected(projection, source, lowering="inline")
        return
    for output in ("columns", "long"):
        got = db.projected(projection, source, output, lowering="inline")
        assert np.allclose([got[i] for i in range(10)], z[:10], atol=1e-6 * np.abs(z).max())
    classes = np.arange(60) % 3
    for model in (*MODELS.values(), LogisticRegression()):
        y = classes if model is not MODELS["two classes"] else classes > 0
        model.fit(z, X[:, 0] if model is MODELS["regressor"] else y)
        scored = sqlrp.score(projection, model, source, db.connection, lowering="inline")
        assert scored.num_rows == 10


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_scores_of_several_steps_are_scikit_learn_s(sqlite: Database, steps: int) -> None:
    from sklearn.kernel_approximation import Nystroem

    kernels = [Nystroem("rbf", gamma=0.2, n_components=4, random_state=i) for i in range(steps)]
    pipeline = make_pipeline(*kernels, LogisticRegression()).fit(X, np.arange(60) % 3)
    source = sqlite.load("wide", X[:10].tolist())
    scored = sqlrp.score(pipeline, source, sqlite.connection).to_pandas().sort_values("id")
    assert_scores(scored, pipeline, X[:10])


def test_mariadb_refuses_too_many_tables(mariadb: Database) -> None:
    source = mariadb.load("wide", X[:5].tolist())
    with pytest.raises(UnsupportedError, match="common table expressions are more than the 64 of a statement"):
        mariadb.projected(chained("rbf", 9), source, lowering="relational")


# -- joined rows without sums ----------------------------------------------------------------------------


@pairwise(
    factors(
        name=list(DOUBLES),
        projection=[sqlrp.TensorSketch(k=k, degree=d) for k, d in ((4, 2), (40, 2), (5, 3))],
        output=["columns", "long", "array"],
    )
)
def test_joined_rows_without_sums(db: Database, name: str, projection: Projection, output: str) -> None:
    """A NULL feature, a NULL key and a key that refers to no row make a row NULL; with nulls = 'zero' they are 0."""
    if output == "array" and not db.engine.has_arrays:
        output = "columns"
    if name != "duckdb" and projection.k > 10:  # which takes long elsewhere, and is written alike
        projection = replace(projection, k=6)
    number = DOUBLES[name]
    rows = [[0, 1, 1.0, 2.0], [1, None, 3.0, 4.0], [2, 9, 5.0, 6.0], [3, 1, None, 1.0]]
    db.make("facts", [("id", "BIGINT"), ("d", "BIGINT"), ("a", number), ("b", number)], rows)
    db.make("dims", [("id", "BIGINT"), ("u", number)], [[1, 1.5]])
    source = Join(Wide("facts", features=["a", "b"]), {"d": Wide("dims")})
    x = np.array([[1.0, 2.0, 1.5], [3.0, 4.0, 0.0], [5.0, 6.0, 0.0], [0.0, 1.0, 1.5]])
    want = oracle(projection, x)
    for lowering in ("auto", "inline", "relational", *(["indexed"] if name == "duckdb" else [])):
        got = db.projected(projection, source, output, lowering=lowering)
        assert np.allclose(got[0], want[0], rtol=1e-9)
        assert [got[i] for i in (1, 2, 3)] == [[None] * projection.k] * 3
        got = db.projected(projection, source, output, lowering=lowering, nulls="zero")
        assert np.allclose([got[i] for i in range(4)], want, rtol=1e-9, atol=1e-9)


# -- names that look like placeholders -------------------------------------------------------------------

PLACES = [
    "{n}",
    "{{n}}",
    "{'||'n}",
    "'{n}'",
    "{k}",
    "{seed}",
    "{s}",
    "{factor}",
    "{length}",
    "@",
    "{{relation}}",
    "%1$s",
]
PLACES += ["%s", "$1", "\\1", "sqlrp_source", "{n:name}", "?", ":n", "${n}", "a''{n}", '"{n}"']


@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_names_that_look_like_placeholders(db: Database, name: str) -> None:
    """Saved with their names, and then used by the database's own functions."""
    db.install()
    x = [float(j + 1) for j in range(len(PLACES))]
    table = db.make("places", [("id", "BIGINT"), *((place, DOUBLES[name]) for place in PLACES)], [[0, *x]])
    fitted = sqlrp.PrincipalComponents(k=2, bound_to=tuple(PLACES)).fit(RNG.normal(size=(30, len(PLACES))))
    output = ", output := 'array'" if name == "duckdb" else ""
    for bound in (sqlrp.SparseProjection(k=2, s=1, bound_to=tuple(PLACES)), fitted):
        (want,) = sqlrp.project(bound, Wide(table), db.connection, output="array")["z"].to_pylist()
        source = Wide(table) if name == "postgresql" else None
        sqlrp.save(bound, db.connection, PLACES[0], source=source, replace=True)
        ((got,),) = db.run_query(f"SELECT z FROM project_with({literal(PLACES[0])}, 'places'{output})")
        assert np.allclose(got, want, rtol=1e-9)
