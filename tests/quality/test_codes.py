"""`sqlrp.choose_codes` against the searches of an engine, and `sqlrp.rounded` against numpy."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any, get_args

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cases import ARRAYS, DATABASES
from click.testing import CliRunner
from contract import stored
from contract import values as stored_values
from helpers import assert_one_line, load

import sqlrp
from sqlrp._cli.app import cli
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering.distances_sql import Metric
from sqlrp._projections.rounding import Rounding
from sqlrp._projections.widths import shared
from sqlrp._quality import code_kinds, code_recalls

D = 70
N = 4


def near(n: int, seed: int = 0) -> Any:
    """Rows near a subspace of few dimensions, as embeddings are."""
    rng = np.random.default_rng(seed)
    basis = np.random.default_rng(9).normal(size=(5, D))
    return rng.normal(size=(n, 5)) @ basis + 0.2 * rng.normal(size=(n, D)) + 1


def step_of(codes: Any) -> float:
    """The step of what `sqlrp.rounded` returned."""
    return float(codes.of[-1].arrays["step"][0])


def offset_of(codes: sqlrp.Chained) -> Any:
    """The mean of the sample's components, which is subtracted before the division."""
    return codes.of[-1].arrays["offset"]


@pytest.mark.slow
def test_recall_is_that_of_searches(con: Any) -> None:
    """Every code finds in DuckDB what the measure says, before and after the second ranking."""
    rows, asked = near(150), near(6, 1)
    source = load(con, "array", rows.tolist())
    ties = 0
    for code in code_kinds.codes_of(code_kinds.CodeRows(rows, D, ENGINES["duckdb"], "")):
        options: dict[str, Any] = {"output": code.output, "dtype": code.dtype, "correct": code.correct}
        sqlrp.materialize(code.projection, source, con, "made", replace=True, **options)
        for metric in ("l2", "cosine", "inner"):
            true = np.array([code_recalls.nearest(rows, query, N, metric) for query in asked])
            found = code_recalls.recalls(code, rows, asked, true, N, (N, 20), metric)
            for at, (candidates, ranked) in enumerate(((N, False), (20, True))):
                answers = sqlrp.search(con, "made", asked, N, candidates=candidates, metric=metric, again=ranked)  # type: ignore[arg-type]
                shares = np.zeros(len(asked))
                np.add.at(shares, answers["query"], true[answers["query"], answers["id"]] / N)
                ties += int((~np.isclose(shares, found[:, at])).sum())  # equal codes, in another order
    assert ties <= 12


def test_the_order_of_the_rows_changes_nothing(con: Any) -> None:
    """A database returns its rows in any order: the same ones are queries, on every engine and each time."""
    rows = near(70)
    rows[rows < -2] = 0
    options: dict[str, Any] = {"n": N, "candidates": (20,), "among": 60, "queries": 10, "timed": 0}
    shuffled = np.random.default_rng(3).permutation(rows)
    shuffled[shuffled == 0] = -0.0
    assert not np.array_equal(rows, shuffled)
    sources = [load(con, "array", x.tolist(), table=name) for name, x in (("one", rows), ("other", shuffled))]
    found = [sqlrp.choose_codes(source, con, **options) for source in sources]
    assert found[0].table() == found[1].table()


@pytest.mark.slow
def test_the_advice_is_tested_on_other_queries(con: Any, tmp_path: Path) -> None:
    source = load(con, "array", near(400).tolist())
    found = sqlrp.choose_codes(source, con, n=N, candidates=(20, 60), among=340, queries=60, timed=2, seed=2)
    assert (found.candidates, found.sampled, found.reached) == ((N, 20, 60), 340, True)
    assert "principal components" in found.best.name  # the rows have few dimensions
    smaller = [code for code in found.codes if code.size < found.best.size]
    assert all(max(code.recalls) < found.aim for code in smaller)
    assert max(abs(a - b) for code in found.codes for a, b in zip(code.recalls, code.tested, strict=True)) < 0.2
    assert found.recall == found.best.tested[found.candidates.index(found.best_candidates)]
    assert all(code.milliseconds for code in found.codes)
    table = found.table()
    assert table.num_rows == len(found.codes)
    assert table.column("bytes").to_pylist() == sorted(table.column("bytes").to_pylist())
    assert str(found).splitlines()[-1].startswith(found.best.name)
    assert {tuple(row) for row in con.sql("SELECT table_name FROM duckdb_tables()").fetchall()} == {("t",)}
    found.plot(tmp_path / "codes.svg")
    assert found.best.name in (tmp_path / "codes.svg").read_text()
    sqlrp.materialize(found.best.projection, source, con, "short", output=found.best.output)
    hard = sqlrp.choose_codes(source, con, n=N, candidates=(5,), among=340, queries=60, timed=0, aim=1.0)
    assert hard.reached or "not reached" in hard.advice


def test_codes_take_the_bytes_that_are_asked_for(con: Any, tmp_path: Path) -> None:
    """Components of every number of bits, corrected and not, whose files have so many bytes a row."""
    source = load(con, "array", near(120).tolist())
    found = sqlrp.choose_codes(source, con, n=N, candidates=(20,), among=100, queries=20, timed=1, sizes=(16, 20))
    for code in found.codes:
        bits = code.projection.code_range
        if code.name.startswith("bits by variance"):
            assert code.size == 16  # whole words, and the two numbers are within them
        elif bits is not None:
            each = (bits[1] - bits[0]).bit_length()
            assert code.size == -(-code.projection.k * each // 8) + 8 * code.correct
            assert 16 <= code.size <= 20
            assert code.milliseconds is not None
    ranged = [c for c in found.codes if c.projection.code_range and not c.name.startswith("bits by variance")]
    made = {(c.name.split(", ")[0], "principal" in c.name, c.correct) for c in ranged}
    each_kind = [f"{n} bits each" for n in (2, 3, 4)] + ["bytes"]
    assert made == {(kind, fitted, fixed) for kind in each_kind for fitted in (True, False) for fixed in (True, False)}
    best = found.best
    sqlrp.materialize(best.projection, source, con, "short", output=best.output, dtype=best.dtype, correct=best.correct)
    for wrong, said in (((), "sizes = ()"), (48, "sizes = 48"), ((2,), "sizes = 2")):
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.choose_codes(source, con, sizes=wrong)  # type: ignore[arg-type]
        assert_one_line(caught, said)


def test_a_frame_needs_no_connection() -> None:
    frame = pd.DataFrame(near(80)[:, :9], columns=[f"f{j}" for j in range(9)]).assign(id=range(80))
    found = sqlrp.choose_codes(frame, n=N, candidates=(20,), among=60, queries=20)
    assert found.sampled == 60
    assert all(code.milliseconds is None for code in found.codes)


@pytest.mark.parametrize("name", DATABASES)
def test_every_engine_times_its_searches(db: Any, name: str) -> None:
    source = db.kept("wide", "double", False)
    found = sqlrp.choose_codes(source, db.connection, n=2, candidates=(3,), among=6, queries=3, timed=1)
    assert [code for code in found.codes if code.output == "bits" and code.milliseconds is None] == []


def test_what_cannot_be_compared_is_refused(con: Any) -> None:
    source = load(con, "array", near(30).tolist())
    for given, words in [
        ({"aim": 2.0}, "aim = 2.0"),
        ({"candidates": ()}, "candidates"),
        ({"n": 0}, "n = 0"),
        ({"metric": "l1"}, "metric = 'l1'"),
        ({"queries": 1}, "queries = 1"),
    ]:
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.choose_codes(source, con, **given)  # type: ignore[arg-type]
        assert_one_line(caught, words)
    with pytest.raises(sqlrp.SourceError) as caught_:
        sqlrp.choose_codes(source, con, queries=29)
    assert_one_line(caught_, "30 complete rows", "29 queries")


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "docs.duckdb"
    with duckdb.connect(path) as con:
        load(con, "wide", near(60)[:, :6].tolist())
    given = ["codes", f"{path}::t", "--nearest", "3", "--candidates", "10", "--among", "40", "--queries", "20"]
    ran = CliRunner().invoke(cli, [*given, "--json"], catch_exceptions=False)
    said = json.loads(ran.stdout)
    assert said["best"] in [code["code"] for code in said["codes"]]
    assert sqlrp.from_json(json.dumps(said["projection"])).k > 0
    assert said["advice"] in CliRunner().invoke(cli, [*given, "--timed", "0"], catch_exceptions=False).stdout
    assert said["correct"] in (True, False)
    assert "must be whole numbers" in CliRunner().invoke(cli, [*given, "--candidates", "a"]).stderr
    sized = json.loads(CliRunner().invoke(cli, [*given, "--json", "--timed", "0", "--sizes", "12"]).stdout)
    assert max(code["bytes"] for code in sized["codes"]) <= 12


# -- bytes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "layout"), [(n, x) for n in DATABASES for x in ("wide", "array") if x == "wide" or n in ARRAYS]
)
def test_components_are_rounded_to_bytes(db: Any, name: str, layout: str) -> None:
    """The same whole numbers by SQL and in this process; large ones end at 127, and NULL stays NULL."""
    source, plain = db.kept(layout, "double", True), sqlrp.SparseProjection(k=5, s=1, seed=3)
    made = sqlrp.rounded(plain, source, db.connection, sample=3)
    step = step_of(made)
    rows = stored("double", True)
    z = (np.stack([sqlrp.project_vector(plain, row) for row in stored_values("double")]) - offset_of(made)) / step
    want = np.floor(np.clip(z, -127, 127) + 0.5)
    assert np.abs(want).max() == 127
    output = "array" if name in ARRAYS else "columns"
    for lowering in ("inline", "relational", *(["native"] if name == "duckdb" else [])):
        found = db.projected(made, source, output, lowering=lowering)
        for i, row in enumerate(rows):
            if None in row:
                assert found[i] == [None] * 5
            else:
                assert np.abs(np.array(found[i], dtype=float) - want[i]).max() <= (np.abs(z[i] % 1 - 0.5) < 1e-9).any()


def test_principal_components_are_rotated_before() -> None:
    """The distances are the same but for the rounding, which is finer; another projection is not rotated."""
    rows, asked = near(400), near(20, 1)
    plain = sqlrp.PrincipalComponents(k=10).fit(rows)
    made = sqlrp.rounded(plain, pd.DataFrame(rows), key=None)
    turned, step = made.of[0], step_of(made)
    before, after = (np.stack([sqlrp.project_vector(p, row) for row in rows]) for p in (plain, turned))
    gaps = np.linalg.norm(before[:, None] - before[None], axis=2)
    assert np.allclose(np.linalg.norm(after[:, None] - after[None], axis=2), gaps)
    assert step < np.abs(before - before.mean(axis=0)).max() / 127  # one component has most of the variance
    z = np.stack([sqlrp.project_vector(made, row) for row in rows])
    q = np.stack([sqlrp.project_vector(plain, row) for row in asked])
    held = (np.stack([sqlrp.project_vector(turned, row) for row in asked]) - offset_of(made)) / step
    exact = np.linalg.norm(before[None] - q[:, None], axis=2)
    assert np.abs(np.linalg.norm(z[None] - held[:, None], axis=2) * step - exact).max() < step * 10**0.5 / 2 * 1.001
    signs = sqlrp.SparseProjection(k=4, s=1)
    assert sqlrp.rounded(signs, pd.DataFrame(rows), key=None).of[0] == signs


@pytest.mark.parametrize(("bits", "low", "most", "shift"), [(2, -2, 1, 0.5), (3, -4, 3, 0.5), (4, -7, 7, 0.0)])
def test_few_bits(con: Any, tmp_path: Path, bits: Any, low: int, most: int, shift: float) -> None:
    """The whole numbers of numpy, by the step that loses least, in the bytes that they say."""
    rows = np.random.default_rng(0).normal(size=(20_000, 64)) * 3
    frame = pd.DataFrame(rows)
    plain = sqlrp.GivenProjection.of(np.eye(64))
    made = sqlrp.rounded(plain, frame, key=None, bits=bits)
    step = step_of(made)
    z = sqlrp.project(made, rows)
    levels = np.arange(low, most + 1) + shift
    some = (rows - offset_of(made))[:2000]

    def nearest(width: float) -> Any:
        return levels[np.abs(some[:, :, None] / width - levels).argmin(axis=2)]

    assert (z[:2000] + shift == nearest(step)).all()
    assert set(np.unique(z)) == set(range(low, most + 1))
    lost = [((nearest(s) * s - some) ** 2).mean() for s in step * np.arange(0.7, 1.3, 0.04)]
    assert (((z[:2000] + shift) * step - some) ** 2).mean() < 1.01 * min(lost)
    assert (levels == -levels[::-1]).all()
    sizes = []
    for number in (bits, 8):
        own = sqlrp.rounded(plain, frame, key=None, bits=number)
        with duckdb.connect(tmp_path / f"{number}.db") as db:
            db.register(
                "given", pa.table({"id": range(len(rows)), "e": pa.FixedSizeListArray.from_arrays(rows.ravel(), 64)})
            )
            db.execute("CREATE TABLE docs AS FROM given")
            sqlrp.materialize(own, sqlrp.Array("docs", "e"), db, "short", output="vector")
            assert db.sql("DESCRIBE short").fetchall()[-1][:2] == ("z", "TINYINT[64]")
            near = sqlrp.search(db, "short", rows[7], n=1)
            assert near.column("id").to_pylist() == [7]
            db.execute("CHECKPOINT")
            [(blocks,)] = db.sql(
                "SELECT count(DISTINCT block_id) FROM pragma_storage_info('short') WHERE block_id >= 0"
            ).fetchall()
            sizes.append(blocks)
    assert sizes[0] <= sizes[1] * bits / 8 + 1
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.rounded(plain, frame, key=None, bits=5)  # type: ignore[arg-type]
    assert_one_line(caught, "bits = 5", "2, 3, 4 or 8")


OLD = (
    '{"k": 3, "of": [{"k": 3, "projection": "SparseProjection", "s": 1, "seed": 2}, '
    '{"bound_to": 3, "k": 3, "projection": "Rounding", "state": "'
    "eNoL8GZm0WWAAEWGeKXTq/9DAQeDCENxSWqBXl5BJSODAMMMqCoYPdkv1DcgkpGhjKFaPSW1OLlI3UpB3SbNQl1HQT0tv6ik"
    "KDEvPr8oJRUk7paYU5wKFC/OSCxIBfI1jHU0dRRqFSgAXBBX/LBHpwNQfKT4J0AZ2Ue5+cUlMB91QFV1UMNHlPoH7qMPaD6I"
    "snu2C+YDLqAP8tPSilNLBnesPIDGxof9EPoC0E+MTLrMqCltBtTdHAwI0MAIImHpDl0XKDY7oDGGqusSkITFLbouUAjC7OJC"
    "0TUFaBsiPAO8WdlA4sxAuARIZzCBeAA8XKWF"
    '"}], "projection": "Chained"}'
)
"""Three levels, as `to_json` wrote them before two bits had four."""


def test_codes_of_three_levels_keep_their_numbers() -> None:
    x = [[0.2, -0.2, 1.2, 0.2], [-1.0, 0.8, 2.6, 1.8], [-1.4, -2.6, -1.2, 0.0], [-4.6, -0.4, -2.4, -1.4]]
    old = sqlrp.from_json(OLD)
    assert sqlrp.project(old, np.array(x)).tolist() == [[0, 1, -1], [-1, 0, -1], [0, 1, -1], [-1, -1, -1]]
    assert (old.code_range, old.code_shift) == ((-1, 1), 0)
    assert old.to_json() == OLD


@pytest.mark.parametrize("metric", ["l2", "cosine", "inner"])
@pytest.mark.parametrize("name", DATABASES)
def test_a_code_stands_for_the_number_half_a_step_above(db: Any, name: str, metric: Any) -> None:
    """The distances of four levels are those of -1.5, -0.5, 0.5 and 1.5 steps, in every output of every engine."""
    x, asked = near(60)[:, :6], near(4, 1)[:, :6]
    kind, whole = {"clickhouse": ("Float64", "Int64")}.get(name, ("DOUBLE PRECISION", "BIGINT"))
    if name == "spark":
        kind = "DOUBLE"
    db.make(
        "spread", [("id", whole), *((f"f{j}", kind) for j in range(6))], [[i, *r] for i, r in enumerate(x.tolist())]
    )
    step, offset = 1.5, np.array([0.5, -0.25, 0.0, 1.0, 2.0])
    plain = sqlrp.SparseProjection(k=5, s=1, seed=3)
    made = sqlrp.Chained(of=(plain, Rounding.of(5, step, 1, offset, even=True)))
    z, v = (((sqlrp.project(plain, rows) - offset) / step) for rows in (x, asked))
    levels = np.array([-1.5, -0.5, 0.5, 1.5])
    stands = levels[np.abs(z[:, :, None] - levels).argmin(axis=2)]
    want = {
        "l2": np.linalg.norm(stands[None] - v[:, None], axis=2),
        "inner": -v @ stands.T,
        "cosine": 1 - v @ stands.T / np.linalg.norm(v, axis=1)[:, None] / np.linalg.norm(stands, axis=1),
    }[metric]
    outputs = ["columns", *(["array"] if name in ARRAYS else []), *(["vector"] if name == "duckdb" else [])]
    for output in outputs:
        sqlrp.materialize(made, "spread", db.connection, "codes_even", output=output, replace=True)  # type: ignore[arg-type]
        found = sqlrp.search(db.connection, "codes_even", asked, n=60, metric=metric, again=False)
        got = np.full(want.shape, np.nan)
        got[found["query"].to_numpy(), found["id"].to_numpy()] = found["distance"].to_numpy()
        assert np.allclose(got, want, rtol=1e-5, atol=1e-5), output
    frame = pa.table({"id": range(60), **{f"f{j}": x[:, j] for j in range(6)}})
    found = sqlrp.search(None, sqlrp.project(made, frame), asked, n=60, metric=metric, again=False, projection=made)
    assert np.allclose(found["distance"].to_numpy(), np.sort(want, axis=1).ravel())


@pytest.mark.parametrize("bits", [2, 3, 4, 8])
def test_a_large_mean_costs_no_neighbours(con: Any, bits: Any) -> None:
    """The codes are those of centred rows, to the last bit of the step: a mean moves no distance."""
    rows = np.random.default_rng(4).normal(size=(600, 24)).round(2)
    rp, found = sqlrp.SparseProjection(k=16, s=1, seed=2), []
    for mean in (0.0, 10.0, 1000.0, 1e6):
        source = load(con, "wide", (rows + mean).tolist())
        made = sqlrp.rounded(rp, source, con, bits=bits)
        sqlrp.materialize(made, source, con, "codes", output="vector", replace=True)
        near_ones = sqlrp.search(con, "codes", rows[:30] + mean, n=5, candidates=25).column("id").to_pylist()
        found.append([near_ones[5 * i : 5 * i + 5] for i in range(30)])
        step = step_of(made)
        if mean == 0:
            first = step
        assert step == pytest.approx(first, rel=1e-6)
    same = [np.mean([len({*a} & {*b}) / 5 for a, b in zip(found[0], other, strict=True)]) for other in found[1:]]
    assert min(same) > 0.99


NAN = ["duckdb", "postgresql", "clickhouse"]
"""The engines that hold NaN and infinity, and give NaN for a sum of both infinities."""


@pytest.mark.parametrize("output", ["columns", "array", "long"])
@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize("name", NAN)
def test_nan_and_infinity_have_one_code_everywhere(db: Any, name: str, output: Any, even: bool) -> None:
    """NaN, which engines sort above all numbers, is the largest code; NULL stays NULL."""
    inf, nan = np.inf, np.nan
    rows = [[1.0, 2.0], [nan, 1.0], [inf, inf], [-inf, -inf], [inf, -inf], [None, 1.0], [-500.0, 0.0], [7.4, -7.4]]
    kind = {"postgresql": "double precision", "clickhouse": "Float64"}.get(name, "DOUBLE")
    whole = "Int64" if name == "clickhouse" else "BIGINT"
    db.make("odd", [("id", whole), ("a", kind), ("b", kind)], [[i, *row] for i, row in enumerate(rows)])
    rounding = Rounding.of(2, 1.0, 7, [0.25, -0.25], even=even)
    made = sqlrp.Chained(of=(sqlrp.GivenProjection.of([[1, 1], [1, -1]]), rounding))
    want: list[list[int | None]] = [[3, -1], [7, 7], [7, 7], [-7, 7], [7, 7], [None, None], [-7, -7], [0, 7]]
    if even:  # the whole number below
        want = [[2, -1], [7, 7], [7, 7], [-8, 7], [7, 7], [None, None], [-8, -8], [-1, 7]]
    if output == "array" and name == "duckdb":
        output = "vector"
    got: dict[str, Any] = {}
    for lowering in ("inline", "relational", *(["native"] if name == "duckdb" else [])):
        got[lowering] = sqlrp.project(made, "odd", db.connection, output=output, lowering=lowering)  # type: ignore[arg-type]
    frame = pa.table({"id": range(len(rows)), "a": [r[0] for r in rows], "b": [r[1] for r in rows]})
    got["frame"] = sqlrp.project(made, frame, output=output)
    if name == "duckdb":
        sqlrp.install(db.connection)
        sqlrp.save(made, db.connection, "odd codes", source="odd", replace=True)
        got["function"] = db.connection.execute(
            f"FROM project_with('odd codes', 'odd', output := '{output}')"
        ).to_arrow_table()
    for road, result in got.items():
        assert _codes(result, output) == want, road


def _codes(result: pa.Table, output: str) -> list[list[int | None]]:
    """The components by rows."""
    rows = result.to_pandas().sort_values(result.column_names[:1], kind="stable")
    if output == "long":
        table = rows.pivot(index="id", columns="component", values="value").reindex(range(8))
        values = table.to_numpy()
    elif "z" in rows:
        values = [[None] * 2 if z is None or z is pd.NA else list(z) for z in rows["z"]]
    else:
        values = rows[["z0", "z1"]].to_numpy()
    return [[None if v is None or v != v else int(v) for v in row] for row in values]


@pytest.mark.parametrize("again", [True, False])
def test_the_vector_of_a_search_is_not_rounded(con: Any, again: bool) -> None:
    """Its distance is that of the rounded rows from its own components, in steps."""
    rows, asked = near(100), near(1, 1)[0]
    source = load(con, "array", rows.tolist())
    made = sqlrp.rounded(sqlrp.SparseProjection(k=6, s=1, seed=2), source, con)
    step = step_of(made)
    z = np.stack([sqlrp.project_vector(made, row) for row in rows])
    own = np.float32((sqlrp.project_vector(made.of[0], asked) - offset_of(made)) / step)
    apart = np.linalg.norm(z - own, axis=1)
    sqlrp.materialize(made, source, con, "short", output="vector")
    frame = pd.DataFrame(rows)
    given: dict[str, Any] = {"n": 5, "candidates": 5, "again": again}
    found = sqlrp.search(con, "short", asked, **given)
    codes = sqlrp.project(made, frame, key=None)
    same = sqlrp.search(None, codes, asked, projection=made, source=frame if again else None, key=None, **given)
    for ids, distances in (found.columns, (same["id"], same["distance"])):
        assert set(ids.to_pylist() if hasattr(ids, "to_pylist") else ids) == set(np.argsort(apart)[:5].tolist())
        assert again or np.allclose(distances, np.sort(apart)[:5], rtol=1e-5)


@pytest.mark.slow
def test_bytes_are_stored_and_searched(con: Any) -> None:
    rows, asked = near(300), near(5, 1)
    source = load(con, "array", rows.tolist())
    made = sqlrp.rounded(sqlrp.fit(sqlrp.PrincipalComponents(k=20), source, con), source, con)
    assert sqlrp.from_json(made.to_json()) == made
    want = None
    for lowering in ("inline", "native"):
        sqlrp.materialize(made, source, con, "short", output="vector", lowering=lowering, search="near", replace=True)
        assert con.sql("DESCRIBE short").fetchall()[1][:2] == ("z", "TINYINT[20]")
        z = con.sql("SELECT z FROM short ORDER BY id").fetchall()
        assert want is None or np.abs(np.array(z, dtype=float) - want).max() <= 1
        want = np.array(z, dtype=float)
    for query in asked:
        true = np.argsort(np.linalg.norm(rows - query, axis=1))[:3].tolist()
        assert sqlrp.search(con, "short", query, n=3).column("id").to_pylist() == true
        assert [row[0] for row in con.execute("FROM near($1, n := 3)", [query.tolist()]).fetchall()] == true
    con.execute("INSERT INTO t SELECT 1000, x FROM t WHERE id = 7")
    sqlrp.refresh(con, "short")
    assert con.sql("SELECT count(DISTINCT z), count(*) FROM short WHERE id IN (7, 1000)").fetchall() == [(1, 2)]
    with pytest.raises(sqlrp.SourceError, match="no two of"):
        sqlrp.rounded(sqlrp.SparseProjection(k=2), pd.DataFrame({"a": [0.0, np.nan], "b": [0.0, 1.0]}), key=None)


def lost(deviations: Any, step: float, widths: Any) -> float:
    """The mean squared error of normal numbers in so many bits, by a sum over a fine grid."""
    at = np.linspace(-8, 8, 40_001)
    mass = np.exp(-(at**2) / 2) / np.exp(-(at**2) / 2).sum()
    total = 0.0
    for deviation, width in zip(deviations, widths, strict=True):
        ends, v = 2.0 ** (width - 1), deviation * at
        level = step * (np.clip(np.floor(v / step), -ends, ends - 1) + 0.5) if width else 0.0
        total += float(((v - level) ** 2 * mass).sum())
    return total


@pytest.mark.parametrize("least", [0, 1])
def test_bits_by_variance_lose_least(least: int) -> None:
    """Of all ways to share 7 bits among 4 components, at many steps."""
    deviations = np.array([5.0, 2.0, 1.0, 0.3])
    step, widths = shared(deviations, 7, least)
    ways = [way for way in itertools.product(range(least, 6), repeat=4) if sum(way) == 7]
    best = min(lost(deviations, s, way) for s in np.geomspace(0.5, 8, 25) for way in ways)
    assert widths.sum() == 7
    assert widths.min() >= least
    assert lost(deviations, step, widths) < 1.01 * best


def test_rows_of_so_many_bytes(con: Any) -> None:
    """They find more than any other code of as many, and the sample of `choose_codes` says what the table finds."""
    rng = np.random.default_rng(0)
    x = (rng.normal(size=(1500, 32)) * np.geomspace(4, 0.2, 32)) @ np.linalg.qr(rng.normal(size=(32, 32)))[0] + 1
    frame = pd.DataFrame({"id": range(len(x)), "e": list(x)})
    con.register("given", pa.table({"id": frame.id, "e": pa.FixedSizeListArray.from_arrays(x.ravel(), 32)}))
    con.execute("CREATE TABLE docs AS FROM given")
    source = sqlrp.Array("docs", "e")
    chosen = sqlrp.choose_codes(source, con, sizes=(16, 24), candidates=(20,), among=1200, queries=200, timed=1)
    [packed] = [code for code in chosen.codes if code.size == 16 and "variance" in code.name]
    others = [code for code in chosen.codes if code.size <= 16 and "variance" not in code.name]
    assert packed.tested[0] > max(code.tested[0] for code in others) + 0.02
    assert packed.milliseconds is not None
    sqlrp.materialize(packed.projection, source, con, "short", output=packed.output)
    columns = [name for name, *_ in con.sql("DESCRIBE short").fetchall()]
    assert columns == ["id", "b0", "b1"]
    near = sqlrp.search(con, "short", x[:200], n=11, again=False)["id"].to_numpy().reshape(200, 11)[:, 1:]
    true = np.argsort(((x[:200, None] - x[None]) ** 2).sum(axis=2), axis=1)[:, 1:11]
    share = np.mean([len({*a} & {*b}) for a, b in zip(near, true, strict=True)]) / 10
    assert abs(share - np.mean(packed.recalls[:1] + packed.tested[:1])) < 0.05
    for metric in get_args(Metric):  # sums are looked up for one vector, and each component is a term for several
        many = sqlrp.search(con, "short", x[:2], n=1500, metric=metric, again=False)["distance"].to_numpy()
        one = [sqlrp.search(con, "short", each, n=1500, metric=metric, again=False)["distance"] for each in x[:2]]
        assert np.allclose(np.concatenate([each.to_numpy() for each in one]), many, rtol=1e-9, atol=1e-6)
    for make, words in (
        (lambda: sqlrp.rounded(packed.projection.of[0], source, con, bytes=20), "multiple of 8"),
        (lambda: sqlrp.rounded(packed.projection.of[0], source, con, bytes=8), "bytes = 8"),
        (lambda: sqlrp.rounded(packed.projection.of[0], source, con, bits=2, bytes=16), "pass one"),
        (lambda: sqlrp.rounded(sqlrp.GaussianProjection(k=99), source, con, bytes=16), "lower k"),
        (lambda: sqlrp.materialize(packed.projection, source, con, "b", output="bits", correct=False), "correct"),
        (lambda: sqlrp.project(packed.projection, x, output="bits"), "sqlrp.materialize"),
        (lambda: sqlrp.project(packed.projection, source, con, output="bits"), "sqlrp.materialize"),
    ):
        with pytest.raises(sqlrp.ParameterError) as caught:
            make()
        assert_one_line(caught, words)
