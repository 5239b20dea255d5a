"""Diagnose: SQL against numpy, what is left out or refused, and the report as text, frame and picture."""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pytest
from evaluate import evaluate
from helpers import LAYOUTS, METHODS, assert_one_line, assert_same, load
from measuring import frame_of, rows, slow_distances

import sqlrp
from sqlrp import Array, Long, ParameterError, PolynomialKernelProjection, Projection, SparseProjection, Wide, quality
from sqlrp._core.draw import Purpose, hashes
from sqlrp._core.errors import SourceError
from sqlrp._quality.charts import KINDS
from sqlrp.kernels import LINEAR, Polynomial


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("sample", [20, 500])
def test_sql_and_numpy_agree(con: duckdb.DuckDBPyConnection, layout: str, method: str, sample: int) -> None:
    x = rows(40, 9)
    x[np.abs(x) < 0.6] = 0  # so that the long layout is sparse
    x[:, 0] += 0.01
    source = load(con, layout, x.tolist())
    by_sql = sqlrp.diagnose(METHODS[method], source, con, sample=sample)
    by_numpy = sqlrp.diagnose(METHODS[method], frame_of(x), sample=sample)
    assert by_sql.sampled.rows == min(sample, 40)
    assert_same(by_sql, by_numpy)


@pytest.mark.parametrize("projection", METHODS.values(), ids=METHODS)
def test_a_report_is_made_of_the_measures(projection: Projection) -> None:
    x = rows(30, 9)
    x = x[np.lexsort((drawn := np.arange(30), of_seed(projection, drawn)))]
    report = sqlrp.diagnose(projection, frame_of(rows(30, 9)), sample=12, at=3)
    x = x[:12]
    z = evaluate(projection.stages(9), x, np.arange(9)) * projection.factor(9)
    kernel = kernel_of(projection)
    true = slow_distances(x, kernel)
    assert report.sampled.pairs == 66
    assert report.distortion.mean == pytest.approx(
        np.mean([abs(g - t) / t for g, t in zip(slow_distances(z), true, strict=True)])
    )
    assert report.ratio.median == pytest.approx(
        np.median([math.sqrt(g / t) for g, t in zip(slow_distances(z), true, strict=True)])
    )
    assert report.recall == pytest.approx(quality.recall(x, z, 3, kernel))
    assert report.q_nx == pytest.approx(tuple(quality.q_nx(x, z, kernel)))
    assert report.auc == quality.auc(report.r_nx)
    assert report.sampled.kernel_error == pytest.approx(quality.kernel_error(z, quality.kernel_matrix(x, kernel)))
    if projection.kernel().linear:
        apart = np.array([a - b for a, b in itertools.combinations(x, 2)])
        for reflect, found in ((False, report.sampled.regularity), (True, report.sampled.reflected)):
            want = quality.Summary.of(quality.regularity(apart, reflect=reflect))
            assert asdict(found) == pytest.approx(asdict(want))
    else:
        assert report.sampled.regularity is report.sampled.reflected is None
    assert sum(n for _, n in report.sampled.ratio_histogram) == 66


def of_seed(projection: Projection, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The hashes by which a sample is drawn."""
    seed = projection.parameters()["seed"]
    return hashes(seed, Purpose.SAMPLE, np.zeros(1, dtype=np.int64), numbers)[0]


def kernel_of(projection: Projection) -> tuple[int, float]:
    """Degree and c, as the parameters say."""
    return (projection.degree, projection.c) if isinstance(projection, PolynomialKernelProjection) else (1, 0.0)


def test_kernels_of_the_methods() -> None:
    assert SparseProjection().kernel() == LINEAR
    assert PolynomialKernelProjection(degree=3, c=2).kernel() == Polynomial(3, 2.0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_sample_does_not_know_the_order_of_rows(con: duckdb.DuckDBPyConnection, layout: str) -> None:
    source = load(con, layout, rows(50, 4).tolist())
    p = SparseProjection(k=3, s=1)
    first = sqlrp.diagnose(p, source, con, sample=10)
    con.execute("CREATE OR REPLACE TABLE t AS SELECT * FROM t ORDER BY random()")
    assert_same(sqlrp.diagnose(p, source, con, sample=10), first)
    other = sqlrp.diagnose(SparseProjection(k=3, s=1, seed=1), source, con, sample=10)
    assert other.sampled.regularity != first.sampled.regularity, "another seed, other rows"


def test_rows_without_key_and_with_text_keys(con: duckdb.DuckDBPyConnection) -> None:
    x = rows(50, 4)
    p = SparseProjection(k=3, s=1)
    load(con, "wide", x.tolist())
    bare = sqlrp.diagnose(p, Wide("t", key=None, features=["f0", "f1", "f2", "f3"]), con, sample=10)
    assert_same(bare, sqlrp.diagnose(p, frame_of(x).drop(columns="id"), sample=10, key=None))
    con.execute("CREATE TABLE named AS SELECT 'row ' || id AS name, 'x' AS label, * EXCLUDE (id) FROM t")
    named = sqlrp.diagnose(p, Wide("named", key="name", keep=["label"]), con, sample=10)
    assert_same(named, sqlrp.diagnose(p, con.table("named").to_df(), sample=10, key="name", keep=["label"]))


def test_arrow_and_polars(con: duckdb.DuckDBPyConnection) -> None:
    pl = pytest.importorskip("polars")
    p, frame = SparseProjection(k=3, s=1), frame_of(rows())
    want = sqlrp.diagnose(p, frame)
    assert_same(sqlrp.diagnose(p, pa.Table.from_pandas(frame)), want)
    assert_same(sqlrp.diagnose(p, pl.from_pandas(frame)), want)


@pytest.mark.parametrize("kind", ["FLOAT", "INTEGER", "DECIMAL(9,3)"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_other_kinds_of_numbers(con: duckdb.DuckDBPyConnection, layout: str, kind: str) -> None:
    x = np.round(rows(30, 6) * 1000)
    source = load(con, layout, x.astype(int).tolist(), kind)
    p = PolynomialKernelProjection(k=4, s=1, t=2)
    found, want = sqlrp.diagnose(p, source, con).measures(), sqlrp.diagnose(p, frame_of(x)).measures()
    assert found == pytest.approx(want, rel=1e-4 if kind == "FLOAT" else 1e-9)


def test_names_instead_of_positions(con: duckdb.DuckDBPyConnection) -> None:
    load(con, "long", np.abs(np.round(rows(30, 6) * 2)).tolist())
    con.execute("CREATE TABLE words AS SELECT id, 'w' || feature AS feature, value FROM t")
    report = sqlrp.diagnose(SparseProjection(k=200, s=1), Long("words"), con)
    assert report.sampled.regularity is None
    assert "regularity" not in str(report)
    assert report.recall > 0.6
    assert abs(report.ratio.mean - 1) < 0.1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_with_a_null_are_left_out(con: duckdb.DuckDBPyConnection, layout: str) -> None:
    x = rows(30, 4)
    whole = [list(row) for row in x]
    holed = [[None, *row[1:]] if i % 3 == 0 else row for i, row in enumerate(whole)]
    source = load(con, layout, holed)
    p = SparseProjection(k=3, s=1)
    found = sqlrp.diagnose(p, source, con)
    assert found.sampled.rows == 20
    assert_same(found, sqlrp.diagnose(p, frame_of(x)[[i % 3 != 0 for i in range(30)]]))
    missing = frame_of(x).astype({"f0": "Float64"})
    missing.loc[::3, "f0"] = pd.NA
    assert_same(found, sqlrp.diagnose(p, missing))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_that_are_alike_are_no_pair(con: duckdb.DuckDBPyConnection, layout: str) -> None:
    x = rows(20, 4)
    x[5] = x[6]
    source = load(con, layout, x.tolist())
    report = sqlrp.diagnose(SparseProjection(k=3, s=1), source, con)
    assert report.sampled.pairs == 189
    load(con, layout, np.ones((5, 4)).tolist())
    with pytest.raises(SourceError) as caught:
        sqlrp.diagnose(SparseProjection(k=3, s=1), source, con, at=2)
    assert_one_line(caught, "5 sampled rows", "alike")


@pytest.mark.parametrize("value", [math.inf, math.nan, 1e200])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_row_that_is_not_finite_is_told(con: duckdb.DuckDBPyConnection, layout: str, value: float) -> None:
    x = rows(20, 4)
    x[7, 2] = value
    source = load(con, layout, x.tolist())
    for projection in (SparseProjection(k=3, s=1), PolynomialKernelProjection(k=3, s=1)):
        # Arrow, as pandas' NaN is a NULL.
        frame = pa.table({f"f{j}": x[:, j] for j in range(4)})
        with pytest.raises(SourceError, match="not finite"):
            sqlrp.diagnose(projection, source, con)
        with pytest.raises(SourceError, match="not finite"):
            sqlrp.diagnose(projection, frame, key=None)


def test_no_table_is_left_behind(con: duckdb.DuckDBPyConnection) -> None:
    source = load(con, "wide", rows().tolist())
    con.execute("CREATE TABLE sqlrp_pairs AS SELECT 1 AS mine")
    for left_over in (False, True):
        if left_over:
            con.execute("CREATE TEMPORARY TABLE sqlrp_pairs AS SELECT 1 AS mine")
        sqlrp.diagnose(SparseProjection(k=3), source, con)
        tables = con.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
        assert tables == [("sqlrp_pairs",), ("t",)]
    assert con.execute("FROM sqlrp_pairs").fetchall() == [(1,)], "no temporary table of ours: it stays"


def test_names_that_are_ours(con: duckdb.DuckDBPyConnection) -> None:
    names = ["sqlrp_row", "SQLRP_hash", "sqlrp_number", "part", "r", "f", "x", "z", 'quo"te']
    x = rows()
    con.execute(f"CREATE TABLE dots (id BIGINT, {', '.join(sqlrp_quote(n) + ' DOUBLE' for n in names)})")
    con.executemany(f"INSERT INTO dots VALUES ({', '.join('?' * 10)})", [[i, *row] for i, row in enumerate(x.tolist())])
    p = SparseProjection(k=3, s=1)
    assert_same(sqlrp.diagnose(p, "dots", con), sqlrp.diagnose(p, frame_of(x)))
    con.execute("ALTER TABLE dots RENAME COLUMN id TO sqlrp_hash_")
    assert_same(sqlrp.diagnose(p, Wide("dots", key="sqlrp_hash_"), con), sqlrp.diagnose(p, frame_of(x)))


def sqlrp_quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"projection": "jl"}, ["'jl'", "not a projection"]),
        ({"sample": 2}, ["sample = 2", ">= 3"]),
        ({"sample": True}, ["sample = True"]),
        ({"at": 0}, ["at = 0"]),
        ({"at": 500}, ["at = 500", "499"]),
        ({"at": 24}, ["at = 24", "from 1 to 23"]),
        ({"connection": None}, ["'t'", "needs a connection"]),
        ({"key": "name"}, ["Wide("]),
        ({"key": None}, ["Wide("]),
        ({"source": pd.DataFrame({"a": [1.0, 2, 3]})}, ["dataframe", "no connection"]),
        ({"connection": 5}, ["connection 5"]),
        ({"source": "absent"}, ["absent"]),
        ({"source": "two"}, ["2 rows", "at least 3"]),
        ({"source": "wild"}, ["not finite"]),
        ({"source": pd.DataFrame({"row_id": [1, 2], "a": [1.0, 2]}), "connection": None}, ["'id'", "key None"]),
        ({"source": pd.DataFrame({"a": [1.0, 2]}), "connection": None, "key": None}, ["2 rows", "at least 3"]),
        ({"source": pd.DataFrame({"a": [1.0, 2, math.inf] * 4}), "connection": None, "key": None}, ["not finite"]),
        ({"source": pd.DataFrame({"a": [1.0] * 9}), "connection": None, "key": None}, ["9 sampled rows", "alike"]),
    ],
)
def test_diagnose_refuses(con: duckdb.DuckDBPyConnection, arguments: dict[str, Any], words: list[str]) -> None:
    load(con, "wide", rows().tolist())
    con.execute("CREATE TABLE two AS SELECT * FROM t LIMIT 2")
    con.execute("CREATE TABLE wild AS SELECT id, CASE WHEN id = 4 THEN 'inf'::DOUBLE ELSE id END AS a FROM t")
    given = {"projection": SparseProjection(k=3, s=1), "source": "t", "connection": con, **arguments}
    with pytest.raises((ParameterError, SourceError)) as caught:
        sqlrp.diagnose(given.pop("projection"), given.pop("source"), given.pop("connection"), **given)
    assert_one_line(caught, *words)


# -- the report --------------------------------------------------------------------------------


def test_a_report_prints_as_an_aligned_table() -> None:
    report = sqlrp.diagnose(SparseProjection(k=3, s=1), frame_of(rows()), at=4)
    verdict, first, *lines = str(report).splitlines()
    assert verdict == report.judged().text
    assert first == "SparseProjection(k=3, s=1, seed=0)"
    assert len({len(line) for line in lines}) == 1
    assert lines[0].split() == ["rows", "24"]
    assert any(line.startswith("  recall@4 ") for line in lines)
    assert len(lines) == len(report.measures())


@pytest.mark.parametrize(
    ("mean", "recall", "serves", "begins"),
    [
        (0.05, 0.9, True, "This projection s"),
        (0.05, 0.8, False, "Let a search rank its candidates again"),
        (0.11, 0.9, False, "The aim is close"),
        (0.3, 0.9, False, "Do not rely on the distances yet"),
    ],
)
def test_the_verdict_has_the_figures(mean: float, recall: float, serves: bool, begins: str) -> None:
    """Its sentence repeats the measures, and says what to do only if something is to be changed."""
    found = sqlrp.diagnose(SparseProjection(k=3, s=1), frame_of(rows()), at=4)
    spread = replace(found.sampled.distortion, mean=mean)
    verdict = replace(found, sampled=replace(found.sampled, distortion=spread), recall=recall).judged(remedy="Stop")
    assert verdict.serves == serves
    assert verdict.text.startswith(begins)
    assert f"off by {mean:.0%}" in verdict.text
    assert f"and {recall:.0%} of the nearest" in verdict.text
    assert verdict.text.endswith("Stop.") != serves
    assert "9 numbers per row become 3, 33% of the size" in verdict.text


def test_a_report_as_a_frame() -> None:
    report = sqlrp.diagnose(SparseProjection(k=3, s=1), frame_of(rows()))
    frame = report.to_frame()
    assert list(frame.columns) == ["measure", "value"]
    assert dict(zip(frame["measure"], frame["value"], strict=True)) == report.measures()
    assert frame["value"].notna().all()


def test_a_report_is_drawn(tmp_path: Path) -> None:
    report = sqlrp.diagnose(SparseProjection(k=3, s=1), frame_of(rows()))
    path = tmp_path / "report.png"
    figure = report.plot(path)
    for i, kind in enumerate(KINDS[: len(figure.axes)]):
        (one,) = report.plot(kind=kind).axes
        assert one.get_title(loc="left") == figure.axes[i].get_title(loc="left")
    with pytest.raises(sqlrp.ParameterError, match=r"kind = 'ratio' must be one of .* \(did you mean 'ratios'\?\)"):
        report.plot(kind="ratio")
    assert len(figure.axes) == 4
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert path.stat().st_size > 10_000


@pytest.mark.parametrize(("module", "extra"), [("matplotlib.figure", "plot"), ("sklearn.svm", "sklearn")])
def test_a_missing_library_names_its_extra(module: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    report = sqlrp.diagnose(SparseProjection(k=3, s=1), frame_of(rows()))
    with pytest.raises(ImportError, match=rf"pip install .*\[{extra}\]"):
        report.plot() if extra == "plot" else quality.svm_margin(rows(), np.arange(24) % 2)


def test_an_array_of_lists(con: duckdb.DuckDBPyConnection) -> None:
    x = rows()
    load(con, "array", x.tolist(), ragged=True)
    p = SparseProjection(k=3, s=1)
    assert_same(sqlrp.diagnose(p, Array("t", "x"), con), sqlrp.diagnose(p, frame_of(x)))
