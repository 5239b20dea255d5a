"""The sizes at which the code changes its road: at every value of such a constant the numbers are the same.

`constants` finds the module's constants in the sources. Each stands in `ROADS`, with a call that meets it, or in
`OTHERS`, by what it is instead. A call runs with a constant at its own value, and at values that lead it along every
road. That it took another one is seen by the lines that ran: they are others, or ran more or less often.
"""

from __future__ import annotations

import ast
import functools
import importlib
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sqlalchemy as sa
from databases import need_native_library
from scipy import sparse

import sqlrp
import sqlrp.sklearn
from sqlrp._evaluator import backend
from sqlrp._quality.search_recall import search_recall

PACKAGE = Path(sqlrp.__file__).parent
SEARCHED = ("_connectors", "_core", "_evaluator", "_learning", "_lowering", "_projections", "_quality", "_run")
"""The folders whose constants may change a road. Those of the others are words, formats and the screen's."""

DRAWS = np.random.default_rng(11)
ROWS, D = 600, 20
X = DRAWS.integers(-4, 5, (ROWS, D)).astype(float)
X[DRAWS.random(X.shape) < 0.4] = 0
X[:, 0] += 1
Y = DRAWS.integers(0, 3, ROWS)
TABLE = pd.DataFrame(X, columns=[f"p{j}" for j in range(D)]).assign(id=np.arange(ROWS), y=Y, g=Y)
CELLS = pd.DataFrame({"id": np.repeat(np.arange(ROWS), D), "feature": np.tile(np.arange(D), ROWS), "value": X.ravel()})
CELLS = CELLS[CELLS["value"] != 0]
SPARSE = sparse.csr_matrix(X)
METHODS: list[sqlrp.Projection] = [
    sqlrp.SparseProjection(k=17, s=3, seed=1),
    sqlrp.SparseProjection(k=6, s=1, seed=1),
    sqlrp.GaussianProjection(k=6, seed=1),
    sqlrp.PolynomialKernelProjection(k=5, degree=3, c=1, t=4, seed=1),
    sqlrp.Degree2KernelProjection(k=5, m=2, s=3, seed=1),
    sqlrp.HadamardProjection(k=64, seed=1, replacement=True),
    sqlrp.SparseEmbedding(k=8, nnz_per_feature=2, seed=1),
    sqlrp.TensorSketch(k=40, degree=3, seed=1),
    sqlrp.TensorSketch(k=4, degree=2, seed=1),
    sqlrp.RandomFourierFeatures(k=5, gamma=0.01, seed=1),
    sqlrp.ExplicitPolynomialProjection(k=4, degree=2, s=1, seed=1),
    sqlrp.ExplicitPolynomialProjection(k=4, degree=5, s=500, seed=1),
    sqlrp.ExplicitPolynomialProjection(k=4, degree=2, vectors="gaussian", seed=1),
    sqlrp.RandomSubspace(k=9, densify="householder", seed=5),
]
"""One of each kind of stage. Sums of whole numbers are exact, in any order."""

Call = Callable[[], list[Any]]


def of_arrays() -> list[Any]:
    """Rows in memory: arrays of each type of number, and short batches of Arrow."""
    frame = pa.Table.from_pandas(TABLE.drop(columns=["y", "g"]))
    batches = pa.Table.from_batches(frame.to_batches(max_chunksize=5))
    found = [sqlrp.project(p, X.astype(kind)) for p in METHODS for kind in (np.float64, np.float32, np.int64)]
    return [*found, *(sqlrp.project(p, batches) for p in METHODS[::4]), sqlrp.project(METHODS[0], X[:1])]


def of_numpy() -> list[Any]:
    """The same without the native library."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "native", lambda _: None)
        return of_arrays()


def of_sparse_rows() -> list[Any]:
    components = sqlrp.sklearn.PrincipalComponents(n_components=2, random_state=0)
    return [*(sqlrp.project(p, SPARSE) for p in METHODS), np.abs(components.fit_transform(SPARSE))]


def database() -> duckdb.DuckDBPyConnection:
    """Tables of one column a feature, of an array, of sparse rows, and of groups."""
    con = duckdb.connect(config={"threads": "1"})
    for name, frame in {
        "t": TABLE.drop(columns="g"),
        "cells": CELLS,
        "grouped": TABLE.drop(columns=["id", "y"]),
    }.items():
        con.register("given", frame)
        con.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        con.unregister("given")
    features = ", ".join(f"p{j}" for j in range(D))
    con.execute(f"CREATE TABLE a AS SELECT id, [{features}]::DOUBLE[{D}] AS e FROM t")
    return con


WRITTEN = [METHODS[i] for i in (0, 5, 7)]
"""Those whose text has a form for each road."""
WIDE = sqlrp.Wide("t", features=[f"p{j}" for j in range(D)])
SOURCES = {
    "wide": WIDE,
    "array": sqlrp.Array("a", "e"),
    "long": sqlrp.Long("cells"),
    "groups": sqlrp.Wide("grouped", key="g"),
}


def of_tables(
    *layouts: str, lowerings: tuple[str, ...] = ("auto", "inline", "indexed", "relational", "native")
) -> Call:
    """Tables of DuckDB, by the lowerings that a method has."""

    def call() -> list[Any]:
        found = []
        with database() as con:
            for layout in layouts:
                for p in WRITTEN if layout != "groups" else [sqlrp.BilinearPooling(k=6, t=2, s=1, seed=1)]:
                    for lowering in lowerings:
                        try:
                            made = sqlrp.project(p, SOURCES[layout], con, lowering=lowering)
                        except sqlrp.SqlrpError:  # no such form
                            continue
                        found.append(made)
        return found

    return call


def of_joins() -> list[Any]:
    """A star of few features in its fact table and many in its dimension, to more and to fewer sums."""
    with database() as con:
        con.execute("CREATE TABLE fact AS SELECT id, p1, p2, id AS d FROM t")
        dimension = sqlrp.Wide("t", features=[f"p{j}" for j in range(3, D)])
        star = sqlrp.Join(sqlrp.Wide("fact", features=["p1", "p2"]), {"d": dimension})
        return [sqlrp.project(p, star, con) for p in METHODS[:2]]


def of_learning() -> list[Any]:
    """Models, in which a class has more than two values and folds choose, and components of a table and of a star."""
    p, found = sqlrp.SparseProjection(k=5, s=3, seed=1), []
    with database() as con:
        con.execute("CREATE TABLE fact AS SELECT id, y, p1, p2, y AS d FROM t")
        con.execute("CREATE TABLE dimension AS SELECT * FROM (VALUES (0, 1.0), (1, 5.0), (2, -3.0)) v(id, w)")
        star = sqlrp.Join(sqlrp.Wide("fact", features=["p1", "p2"]), {"d": sqlrp.Wide("dimension")})
        for task, coding in (("regressor", "sign"), ("classifier", "logistic")):
            for lowering in ("auto", "inline"):
                given = {"task": task, "coding": coding, "folds": 3, "ridge": [0.1, 10.0], "lowering": lowering}
                model = sqlrp.learn(p, WIDE, con, "y", **given)
                found += [model.coef_, model.intercept_]
        for source in (WIDE, star):
            fitted = sqlrp.fit(sqlrp.PrincipalComponents(k=2), source, con)
            found.append(np.abs(numbers([sqlrp.project(fitted, source, con)])[0]))
    with sa.create_engine("sqlite://").connect() as other:
        TABLE.drop(columns="g").to_sql("t", other, index=False)
        found.append(sqlrp.learn(p, WIDE, other, "y", task="classifier", coding="logistic").coef_)
    return found


def of_fits() -> list[Any]:
    """Projections that are fitted, kept as text and read again, and tables without NULLs, by DuckDB and by SQLite."""
    frame, found = TABLE.drop(columns=["y", "g"]), []
    for method in (sqlrp.DataTunedProjection(k=4, s=1, n_iter=20, seed=1), sqlrp.PrincipalComponents(k=2)):
        kept = sqlrp.from_json(sqlrp.fit(method, frame).to_json())
        found.append(np.abs(np.asarray(sqlrp.project(kept, frame))[:, 1:]))
    sqlite = sa.create_engine("sqlite://")
    frame.to_sql("t", sqlite, index=False)
    with database() as con, sqlite.connect() as other:
        found.append(sqlrp.project(METHODS[0], sqlrp.Standardized(WIDE), con))
        con.execute("UPDATE t SET p9 = NULL WHERE id = 7")
        with pytest.raises(sqlrp.StatementError, match="p9") as refused:
            sqlrp.project(METHODS[0], WIDE, con, nulls="error", lowering="inline")
        found.append([len(str(refused.value))])
        con.execute("UPDATE t SET p9 = 0 WHERE id = 7")
        found.append(sqlrp.project(METHODS[0], WIDE, other, lowering="inline"))
        classes = sqlrp.fit(sqlrp.LinearDiscriminants(k=2), WIDE, con, target="y")
        found.append(np.abs(numbers([sqlrp.project(classes, WIDE, con)])[0]))
    return found


MANY = 20_000


def of_many_rows() -> list[Any]:
    """A table that is read in several batches, and written while it is read."""
    p = sqlrp.SparseProjection(k=3, s=1, seed=1)
    with database() as con:
        con.execute(f"CREATE TABLE many AS SELECT i AS id, i % 7 AS p, i % 5 AS q FROM range({MANY}) r(i)")
        sqlrp.materialize(p, "many", con, "kept", lowering="native")
        return [sqlrp.project(p, "many", con, lowering="native"), con.table("kept").arrow().read_all()]


def of_searches() -> list[Any]:
    """Vectors that are searched for by codes of one and of two bits, and rows that are near each other."""
    with database() as con:
        plain = sqlrp.SparseProjection(k=70, s=1, seed=1)
        sqlrp.materialize(plain, WIDE, con, "bits", output="bits")
        sqlrp.materialize(sqlrp.rounded(plain, WIDE, con, bytes=40), WIDE, con, "packed")
        found = [sqlrp.search(con, name, x, n=4, again=False) for name in ("bits", "packed") for x in (X[0], X[:3])]
        query = sqlrp.pairs_sql(sqlrp.SparseProjection(k=32, s=1, seed=1), WIDE, con, within=0.02)
        return [*found, np.array(sorted(row[:2] for row in con.execute(query).fetchall()))]


def of_wide_searches() -> list[Any]:
    """Rows of columns that are ranked again, and all of them."""
    with database() as con:
        sqlrp.materialize(sqlrp.SparseProjection(k=70, s=1, seed=1), WIDE, con, "bits", output="bits")
        found = [sqlrp.search(con, "bits", X[0], n=4, metric=metric) for metric in ("l2", "cosine", "inner")]
        text = sqlrp.neighbours_sql(con, "bits", n=1, candidates=40)
        return [*found, np.array([row[2] for row in con.execute(text).fetchall()])]


def of_quality() -> list[Any]:
    """What is measured of rows: distances, recalls and the shares of empty components."""
    with database() as con:
        report = sqlrp.diagnose(METHODS[0], WIDE, con, sample=40)
    near = search_recall(X[:9], X[9:], X[:9, :4], X[9:, :4])
    return [near, report.recall, report.auc, report.q_nx, report.r_nx, report.distortion.mean]


def numbers(results: list[Any]) -> list[np.ndarray[Any, Any]]:
    """The results as arrays of floats; rows of a table in the order of their keys."""
    return [np.asarray(_cells(result) if isinstance(result, pa.Table) else result, dtype=float) for result in results]


def _cells(table: pa.Table) -> list[Any]:
    frame = table.to_pandas()
    return frame.sort_values(list(frame.columns[:1]), kind="stable").to_numpy().tolist()


class Road(NamedTuple):
    """A constant, the values that lead along its roads, and a call that meets it."""

    module: str
    name: str
    values: tuple[float, ...]
    call: Call


BIG = 1 << 40
ROADS = [
    Road("_evaluator.backend", "_WORK", (0.0, 1e300), of_arrays),
    Road("_evaluator.operations", "_FEW", (1, BIG), of_numpy),
    Road("_evaluator.operations", "_CHUNK", (64,), of_numpy),
    Road("_evaluator.program", "_KEPT", (1,), of_arrays),
    Road("_evaluator.program", "_MOST", (1,), of_arrays),
    Road("_evaluator.sparse_rows", "_DRAWN", (1, 64), of_sparse_rows),
    Road("_evaluator.sparse_rows", "_WHOLE", (0,), of_sparse_rows),
    Road("_evaluator.sparse_rows", "_DENSE", (0.0, 2.0), of_sparse_rows),
    Road("_evaluator.sum_operations", "_DENSE", (0.0, 2.0), of_arrays),
    Road("_evaluator.sum_operations", "_ROWS", (BIG,), of_numpy),
    Road("_evaluator.sum_operations", "_FULL", (2.0,), of_numpy),
    Road("_evaluator.tile_sources", "_SHORT", (1,), of_arrays),
    Road("_evaluator.tiles", "_NEAR", (1,), of_arrays),
    Road("_evaluator.tiles", "_FAR", (1,), of_numpy),
    Road("_evaluator.tiles", "_PRODUCT", (1,), of_arrays),
    Road("_evaluator.tiles", "_SHARED_PRODUCT", (1,), of_arrays),
    Road("_evaluator.tiles", "_SHARED", (0.0, 1e300), of_arrays),
    Road("_evaluator.tiles", "_PIECE", (1, 7), of_arrays),
    Road("_evaluator.tiles", "_HELD", (1, 50), of_tables("groups", lowerings=("native",))),
    Road("_lowering.join", "_CARRIED", (1e9,), of_joins),
    Road("_core.draw", "_BLOCK", (1, 16), of_arrays),
    Road("_core.draw", "_NATIVE", (1,), of_arrays),
    Road("_core.monomials", "_DRAWN", (1, 50), of_arrays),
    Road("_core.differences", "_AT_ONCE", (1, 100), of_quality),
    Road("_core.differences", "_NEAR", (0.0, 1e6), of_quality),
    Road("_connectors.sqlalchemy", "_BATCH", (1, 7), of_fits),
    Road("_connectors.driver_rows", "_SIDE_BY_SIDE", (1_000,), of_fits),
    Road("_projections.data_tuned", "_PAIRS", (1, 100), of_fits),
    Road("_projections.data_tuned", "_DRAWN", (1, 100), of_fits),
    Road("_projections.held_arrays", "_PIECE", (1, 100), of_fits),
    Road("_projections.principal", "_TALL", (100,), of_fits),
    Road("_quality.search_recall", "_AT_ONCE", (1, 100), of_quality),
    Road("_run.nulls", "_BATCH", (1, 7), of_fits),
    Road("_run.statistics", "_BATCH", (1, 7), of_fits),
    Road("_lowering.convolutions", "_PAIRS", (2, 8), of_tables("wide", lowerings=("inline",))),
    Road("_lowering.convolutions", "_WORTH", (0.0,), of_tables("wide", lowerings=("inline",))),
    Road("_lowering.endpoints", "_FLAT", (2, 100), of_tables("wide", lowerings=("inline",))),
    Road("_lowering.partial_sums", "DENSE", (0.0, 2.0), of_tables("wide", lowerings=("inline",))),
    Road("_lowering.partial_sums", "_WORTH", (0.0, 100.0), of_tables("wide", lowerings=("inline",))),
    Road("_lowering.rows_apart", "_LISTED", (1_000,), of_wide_searches),
    Road("_lowering.search", "_AT_ONCE", (2,), of_searches),
    Road("_lowering.search", "_TEXT", (1,), of_searches),
    Road("_run.hashes", "_MOST_MATCHES", (1e-12,), of_searches),
    Road("_lowering.sums_sql", "_BLOCK", (7,), of_learning),
    Road("_lowering.sums_sql", "_GROUP", (2,), of_learning),
    Road("_lowering.tallies", "_TOGETHER", (1, 7), of_learning),
    Road("_learning.row_sums", "_FEW", (1,), of_learning),
    Road("_learning.row_sums", "_KEPT", (1,), of_learning),
    Road("_learning.star", "_BATCH", (1,), of_learning),
    Road("_run.frames.matrix", "_KEPT", (1,), of_arrays),
    Road("_run.row_batches", "_BATCH", (1,), of_many_rows),
    Road("_run.row_batches", "_LEAST", (5_000,), of_many_rows),
    Road("_run.row_batches", "_MOST", (2_048,), of_many_rows),
    Road("_run.row_batches", "_SEVERAL", (1, 50), of_many_rows),
    Road("_run.row_batches", "_OVERLAPPED", (0,), of_many_rows),
]


OTHERS = {
    "a part of what another test varies": """
        _connectors.copied_rows._BLOCK _evaluator.moments._WAITING _evaluator.sparse_rows._HELD
        _evaluator.sum_operations._PART _lowering.lists_of_parts._LENGTH _learning.components.MOST
        _learning.row_sums._BATCH _learning.scoring_groups._CHUNK _lowering.convolutions._STATEMENTS
        _lowering.hashed_sums._TERMS _lowering.left_out._MOST _lowering.long_rows._SPREAD
        _lowering.relational._MOST_RELATIONS _lowering.search._OF_TABLE _lowering.search._ROW _lowering.sum_lists._BITS
        _lowering.worker_task._CELLS _lowering.worker_task._ENTRIES _lowering.batches_sql._CELL
        _lowering.batches_sql.SHARE _projections.given_radial._MOST _projections.principal._MOST _run.row_batches._FAR
        _run.row_batches._HELD_BITS _run.row_batches._WAITING""",
    "a bound above which a call is refused, or asks less": """
        _core.draw.MOST_BYTES _core.draw.SEED_BOUND _evaluator.clip.STEPS _evaluator.code.MOST_DEGREE
        _learning.privacy._MOST _learning.product_weights.MOST _learning.target.HELD _learning.target.MANY
        _learning.target.MOST_FOLDS _learning.target.MOST_PASSES _projections.checks.MOST_DEGREE
        _projections.checks.MOST_STATED _projections.explicit.EXACT_DEGREE _projections.explicit.MOST_MONOMIALS
        _projections.explicit.MOST_TERMS _projections.explicit.MOST_WEIGHTS _projections.held_arrays._MOST
        _projections.rounding.MOST _projections.widths.MOST _quality.apart._LONGEST _quality.distortion_search.LEAST
        _quality.distortion_search._MOST _quality.recall_advice._MOST _run.hashes._BITS
        _projections.rotations.TURNS _run.rounded_codes.FEWEST_BYTES""",
    "a number that the result is defined by": """
        _core.draw.P _core.draw._FIRST_PURPOSE _core.draw._PURPOSES _core.native_library.FORMAT
        _core.numbers.WORD_BITS _evaluator.code.UNITS _evaluator.row_keys.FINE _evaluator.row_keys.LARGE
        _learning.drift.FEW
        _learning.drift._FEATURES _learning.drift._FORMAT _learning.drift._K _learning.drift._ROWS
        _learning.model_fields.FORMAT _learning.privacy._STEADY _lowering.batches_sql._DECIMAL
        _lowering.batches_sql._INTEGER _lowering.corrections._MOST _lowering.native._INTEGER
        _learning.row_sums._EXACT _lowering.least_distances.CHANCE _projections.code_fields.NUMBER
        _projections.code_fields.REACH
        _projections.polynomial.DISTANCES _projections.rounding._INSIDE _quality.code_kinds.NUMBERS
        _quality.code_kinds._BITS _quality.measures._NORMAL _run.rounded_codes._EVEN _run.rounded_codes._SEED
        _core.memory._LINE _lowering.least_distances._NONE""",
    "a tolerance of rounding": """
        _evaluator.moments._NOTHING _learning.discrepancy._NEAR _learning.hotelling._CLEAR
        _learning.hotelling._CONSTANT _learning.hotelling._FLOOR _learning.hotelling._LEAST _learning.hotelling._UNIT
        _learning.join_sums._LOST
        _learning.drift_sql._NEAR
        _learning.product_weights._TOLERANCE _learning.ridge._NEVER _learning.ridge._SMALL
        _learning.scoring_groups._ABSENT _learning.student._TINY _lowering.convolutions._SAFE
        _lowering.least_distances._ROUNDED _lowering.near_pairs._ROUNDING
        _projections.discriminants._BETWEEN _projections.discriminants._WITHIN
        _projections.landmarks._LOST _projections.sklearn_import._NOISE _quality.code_recalls._NEAR
        _quality.kept_search._TIED _quality.measures.EDGE _quality.measures._OF_GRAM _run.first_rows._NEAR
        _run.first_rows._NEAR_SINGLE _run.first_rows._SHIFT
        _projections.sums_and_products.FAR""",
    "how long something is looked for, how many are drawn or tried": """
        _connectors.foresight._HELD _learning.discrepancy._STEPS _learning.kmeans._ENOUGH _learning.kmeans._STARTS
        _learning.losses._PAIRS _learning.losses._RISE _learning.losses._WIDEST _learning.student._HALVINGS
        _learning.student._STEPS _learning.thresholds._FARTHEST _learning.thresholds._HOTTEST
        _learning.thresholds._LOOKS _learning.thresholds._NEAREST _learning.thresholds._PART
        _learning.thresholds._PASSES _learning.thresholds._TRIED _lowering.left_out.SAMPLE _projections.degree2._MANY
        _projections.given_radial._FAR _projections.given_radial._NEARER _projections.polynomial._SHARES
        _projections.polynomial._TRIED _projections.principal._MORE _projections.widths._STEPS
        _quality.choices._RIDGES _quality.distortion_search._CLOSE _quality.distortion_search._DRAWS
        _quality.distortion_search._LOWER _quality.distortion_search._SEEDS _quality.kept_search._CANDIDATES
        _quality.kept_search._COUNTS _quality.recall_advice._AGAIN _quality.recall_advice._FOLDS
        _quality.recall_advice._STEPS _quality.sample_measures.QUANTILES _run.first_rows.ROWS _run.first_rows._DRAWS
        _run.first_rows._TRIES _run.same_bits.FEW _run.same_bits.ROWS _run.same_bits._SAME""",
    "a size that the library in C is given, a cost or an assumed number, by which a plan is chosen": """
        _evaluator.native_calls._TILE _evaluator.sum_operations._FUSED
        _lowering.left_out.SMALL_EMBEDDING _lowering.lists_of_parts._ADDED _lowering.lowering.ASSUMED_ROWS
        _lowering.lowering.CELLS_OF_ROW _lowering.native._NUMPY _lowering.native._PASSING _lowering.native._PYTHON
        _run.function_text._ROWS""",
    "what is said or drawn": """
        _core.errors._LONGEST _core.errors._SCANNED _core.logs._LONGEST _core.passwords._LONGEST
        _learning.drift._SHOWN _lowering.frame._SHOWN _projections.checks._ALIKE _projections.method_advice.ABOVE
        _projections.method_advice.CHANCE _quality.advice.EMPTY _quality.charts._POINTS
        _quality.matplotlib_charts._EACH _quality.page._NAMES _quality.page._SQL _quality.recall_advice._GAIN
        _quality.report.LOW _quality.report._CLOSE _quality.report._SMALL _quality.svg.HEIGHT _quality.svg.WIDTH
        _quality.svg._BOTTOM _quality.svg._GAP _quality.svg._KEY _quality.svg._LEFT _quality.svg._LEGEND
        _quality.svg._LETTER _quality.svg._LINE _quality.svg._RIGHT _run.explanation._BITS _run.explanation._SHOWN
        _run.first_rows._SHOWN _run.nulls._SHOWN""",
}
"""The constants that change no road, by what they are."""


def test_every_constant_is_known() -> None:
    roads = [f"{road.module}.{road.name}" for road in ROADS]
    others = [name for names in OTHERS.values() for name in names.split()]
    assert sorted([*roads, *others]) == sorted(constants())


@functools.cache
def usual(call: Call) -> tuple[list[Any], Counter[tuple[str, int]]]:
    call()  # what a process does once, such as an import, is no road
    return traced(call)


def traced(call: Call) -> tuple[list[Any], Counter[tuple[str, int]]]:
    """The numbers of a call, and how often it ran each line of the package, with nothing remembered from others."""
    for name, module in list(sys.modules.items()):
        if name.startswith("sqlrp."):
            for value in vars(module).values():
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()
    lines: Counter[tuple[str, int]] = Counter()

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            lines[frame.f_code.co_filename, frame.f_lineno] += 1
        return line

    def entered(frame: FrameType, *_: Any) -> Any:
        return line if frame.f_code.co_filename.startswith(str(PACKAGE)) else None

    before: tuple[Any, Any] = sys.gettrace(), threading.gettrace()
    threading.settrace(entered)
    sys.settrace(entered)
    try:
        return numbers(call()), lines
    finally:
        sys.settrace(before[0])
        threading.settrace(before[1])


@pytest.mark.slow
@pytest.mark.parametrize("road", ROADS, ids=lambda road: f"{road.module}.{road.name}")
def test_numbers_are_the_same_on_every_road(road: Road, monkeypatch: pytest.MonkeyPatch) -> None:
    need_native_library()
    expected, lines = usual(road.call)
    module = importlib.import_module(f"sqlrp.{road.module}")
    users = [module, *importers(module.__name__, road.name)]
    others = 0
    for value in road.values:
        for user in users:
            monkeypatch.setattr(user, road.name, value)
        found, passed = traced(road.call)
        others += passed != lines
        for i, (one, other) in enumerate(zip(found, expected, strict=True)):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9, err_msg=f"{road.name} = {value}, result {i}")
    assert others == len(road.values), f"{others} of {len(road.values)} values changed which lines ran"


def importers(module: str, name: str) -> Iterator[Any]:
    """The modules that import a constant by its name."""
    for path in PACKAGE.rglob("*.py"):
        if re.search(rf"^from {re.escape(module)} import .*\b{name}\b", path.read_text(encoding="utf-8"), re.MULTILINE):
            yield importlib.import_module("sqlrp." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts))


def constants() -> Iterator[str]:
    """The numbers that the modules of the package name in capitals, as `folder.module.NAME`."""
    for path in sorted(path for folder in SEARCHED for path in (PACKAGE / folder).rglob("*.py")):
        place = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.AnnAssign | ast.Assign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    names = target.elts if isinstance(target, ast.Tuple) else [target]
                    for name in names:
                        if isinstance(name, ast.Name) and name.id.strip("_").isupper() and _is_number(node.value):
                            yield f"{place}.{name.id}"


def _is_number(node: ast.expr) -> bool:
    kinds = ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Tuple, ast.Load
    if isinstance(node, ast.Call):  # float(1 << 20)
        return isinstance(node.func, ast.Name) and node.func.id == "float" and all(map(_is_number, node.args))
    inner = list(ast.walk(node))
    return all(isinstance(part, kinds) for part in inner) and all(
        isinstance(part.value, int | float) and not isinstance(part.value, bool)
        for part in inner
        if isinstance(part, ast.Constant)
    )
