"""Hadamard transforms whose length is Paley's block times a power of two."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from databases import Database
from evaluate import evaluate
from formulas import by_formula, least, paley, sylvester
from helpers import LAYOUTS, LOWERINGS, assert_one_line
from scipy.linalg import hadamard

import sqlrp
from sqlrp import HadamardProjection, ParameterError
from sqlrp._cli.app import cli
from sqlrp._core.draw import CONSTANT_FEATURE
from sqlrp._core.paley import PRIMES, least_length
from sqlrp._core.paley import paley as built
from sqlrp._core.script import Select
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering.butterflies import butterflies
from sqlrp._lowering.lists_of_parts import parted, summed_parts, terms_of_parts
from sqlrp._lowering.partial_sums import SharedRounds
from sqlrp._run.frames.matrix import project_array
from sqlrp._store import stored
from sqlrp.sklearn import TRANSFORMERS
from sqlrp.stages import Butterfly

SERVED = ("duckdb", "postgresql", "sqlite", "mariadb", "mysql", "clickhouse")
SIZES = (1, 2, 3, 11, 12, 13, 24, 37, 40, 50, 56, 57, 70, 72, 100, 144, 150)


def stage_of(d: int, k: int, **parameters: Any) -> Butterfly:
    (stage,) = HadamardProjection(k=k, **parameters).stages(d)
    assert isinstance(stage, Butterfly)
    return stage


# -- the matrices -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", PRIMES)
def test_paley_s_rows_are_orthogonal(order: int) -> None:
    h = built(order).astype(int)
    assert (np.abs(h) == 1).all()
    assert np.array_equal(h @ h.T, order * np.eye(order))
    assert np.array_equal(h, paley(order))


def test_the_length_is_the_least() -> None:
    reached = sorted(block << b for block in (1, 12, 20, 28, 36) for b in range(13))
    for n in range(1, 4097):
        length, block = least_length(n)
        assert length == next(value for value in reached if value >= n)
        assert (length // block).bit_count() == 1
    for d in (768, 1152, 1536, 3072):
        assert HadamardProjection(padding="least").padded(d) == d


@pytest.mark.parametrize("d", SIZES)
def test_the_signs_are_those_of_the_dense_matrix(d: int) -> None:
    stage = stage_of(d, 5 * d, padding="least", replacement=False, seed=d)
    h = np.kron(paley(stage.block), hadamard(stage.part))
    assert np.array_equal(h, least(d))
    features = np.arange(d)
    want = h[list(stage.sample), :d].T * stage.flips(features)[:, None]
    assert np.array_equal(stage.matrix(features), want)


def by_rounds(shared: SharedRounds, x: Any) -> Any:
    """The sums that the rounds make, of rows of integers."""
    for entries in shared.rounds:
        left, right = (np.where(side >= 0, x[:, side], 0) for side in (entries.left, entries.right))
        x = left + np.where(entries.left < 0, 1, entries.sign) * right  # the sign of a lone entry is kept for later
    return (np.where(shared.choice >= 0, x[:, shared.choice], 0) * shared.sign).sum(axis=1)


@pytest.mark.parametrize("most", [None, 160])
@pytest.mark.parametrize("padding", ["power_of_two", "least"])
@pytest.mark.parametrize("d", SIZES)
def test_the_layers_add_up_to_the_signs(d: int, padding: str, most: int | None) -> None:
    x = np.random.default_rng(d).integers(-9, 10, (3, d))
    for k, replacement in itertools.product((1, 3, d, 2 * d + 1), (True, False)):
        stage = stage_of(d, k, padding=padding, replacement=replacement, seed=k)
        if most is not None and most < stage.padded:
            continue
        shared = butterflies(stage, np.arange(d), most)
        assert np.array_equal(by_rounds(shared, x), x @ stage.matrix(np.arange(d)).astype(int))
        assert all(len(entries.left) <= (most or 4 * stage.padded) for entries in shared.rounds)


@pytest.mark.parametrize("d", [768, 1152, 1536, 3072])
def test_no_padding_takes_fewer_terms(d: int) -> None:
    def additions(padding: str) -> int:
        stage = stage_of(d, d, padding=padding, replacement=False)
        return butterflies(stage, np.arange(d)).terms - d

    assert additions("least") < additions("power_of_two")
    whole = stage_of(d, d, padding="least", replacement=False)
    assert additions("least") <= whole.terms(d)


# -- what it keeps ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [12, 16, 40, 56, 72, 768])
def test_the_whole_transform_rotates_integers_exactly(d: int) -> None:
    projection = HadamardProjection(k=d, padding="least", replacement=False, seed=d)
    assert projection.padded(d) == d
    x = np.random.default_rng(d).integers(-99, 100, (6, d))
    z = evaluate(projection.stages(d), x.astype(object), np.arange(d))
    assert np.array_equal(z @ z.T, d * (x @ x.T))
    assert np.allclose(project_array(projection, x.astype(float)) @ project_array(projection, np.eye(d)).T, x)
    assert projection.caution(d) == ""
    assert "does not reduce" in HadamardProjection(k=d, padding="least", replacement=True).caution(d)
    assert "without padding" in projection.remark(d)


def test_padded_rows_keep_their_inner_products() -> None:
    x = np.random.default_rng(1).normal(size=(4, 50))
    for padding, length in (("least", 56), ("power_of_two", 64)):
        for k in (length, 3 * length):
            z = project_array(HadamardProjection(k=k, padding=padding, replacement=False), x)
            np.testing.assert_allclose(z @ z.T, x @ x.T)


@pytest.mark.parametrize("k", [1, 5, 11, 12, 13, 24, 30])
@pytest.mark.parametrize("d", [1, 9, 12])
def test_the_error_of_going_back_is_that_of_all_samples(d: int, k: int) -> None:
    """The mean over samples, from the pairs of draws: their numbers and not their places matter."""
    h = least(d)[:, :d]
    gram, found = h @ h.T, []
    x = np.random.default_rng(k).normal(size=d)
    for seed in range(400):
        stage = stage_of(d, k, padding="least", replacement=False, seed=seed)
        rows = h[list(stage.sample)]
        found.append(((rows.T @ (rows @ x) / k - x) ** 2).sum() / (x @ x))
    assert gram.trace() == d * len(h)
    expected = HadamardProjection(k=k, padding="least", replacement=False).back_error(d)
    assert expected is not None
    spread = 5 * np.std(found) / 20 + 1e-9
    assert abs(np.mean(found) - expected) <= spread


def test_fewer_components_are_advised_without_replacement() -> None:
    again = HadamardProjection(k=128, padding="least", replacement=True).components_for(4, 768)
    once = HadamardProjection(k=128, padding="least", replacement=False).components_for(4, 768)
    assert again == 512
    # k/(1-(k-1)/D) must be four times as large.
    assert abs(once / (1 - (once - 1) / 768) - 4 * 128 / (1 - 127 / 768)) < 10
    whole = HadamardProjection(k=2000, padding="least", replacement=False)
    assert whole.components_for(4, 768) == 768


# -- the engines ------------------------------------------------------------------------------------------------


def usable() -> list[tuple[str, str, str]]:
    """The engines, layouts and lowerings that go together."""
    return [
        (name, layout, lowering)
        for name, layout, lowering in itertools.product(SERVED, LAYOUTS, (*LOWERINGS, "native"))
        if lowering in ENGINES[name].lowerings or (name == "duckdb" and lowering == "native")
        if (layout != "array" or ENGINES[name].has_arrays) and (layout != "long" or lowering == "relational")
    ]


@pytest.mark.parametrize(("name", "layout", "lowering"), usable())
def test_every_engine_rotates_exactly(db: Database, name: str, layout: str, lowering: str) -> None:
    d = 56  # 28 times 2
    x = np.random.default_rng(5).integers(-50, 51, (4, d))
    x[:, 0] = 1
    kind = "Int32" if name == "clickhouse" else "INTEGER"
    source = db.load(layout, x.tolist(), kind, table="whole")
    projection = HadamardProjection(k=d, padding="least", replacement=False, seed=6)
    found = sqlrp.project(projection, source, db.connection, output="long", scale=False, lowering=lowering)
    frame = found.to_pandas()
    z = np.zeros((4, d), dtype=object)
    for i, c, value in zip(frame["id"], frame["component"], frame["value"], strict=True):
        z[i, c] = int(value)
    assert z.tolist() == [[int(v) for v in by_formula(projection, row)] for row in x.tolist()]
    assert np.array_equal(z @ z.T, d * (x.astype(object) @ x.T))


@pytest.mark.parametrize("d", [33, 200, 1000])
def test_the_terms_of_parts_count_the_levels_that_are_written(d: int) -> None:
    stage = stage_of(d, 150, padding="power_of_two", seed=4)
    made, _ = summed_parts(stage, stage.padded // 32, Select(("x",), "t"), (), ["x"] * (stage.padded // 32))
    levels = 0
    while isinstance(made.relation, Select):
        made, levels = made.relation, levels + 1
    # The first level reads the parts, and the last one names the sums.
    assert terms_of_parts(stage) == 150 * 32 + 8 * stage.padded * (levels - 2)


@pytest.mark.parametrize("name", ["clickhouse"])
@pytest.mark.parametrize(("d", "padding", "layout"), [(200, "power_of_two", "array"), (384, "least", "wide")])
def test_parts_of_lists_are_summed_in_clickhouse(db: Database, name: str, d: int, padding: str, layout: str) -> None:
    projection, numbers = HadamardProjection(k=150, padding=padding, seed=4), np.arange(d)
    stage = stage_of(d, 150, padding=padding, seed=4)
    assert parted(stage, numbers)
    assert not parted(stage, np.append(numbers[:-1], CONSTANT_FEATURE))
    assert not parted(stage_of(d, 2, padding=padding), numbers)
    signs = stage.matrix(numbers).astype(int)
    whole = np.random.default_rng(d).integers(-50, 51, (4, d))
    options: dict[str, Any] = {"output": "array", "lowering": "indexed"}
    source = db.load(layout, whole.tolist(), "Int32", table="parts")
    assert "arraySlice(x, 33, 32)" in sqlrp.sql(projection, source, db.connection, **options)
    found = sqlrp.project(projection, source, db.connection, scale=False, **options).sort_by("id")
    assert found["z"].to_pylist() == (whole @ signs).tolist()
    x = np.random.default_rng(d).normal(size=(4, d))
    x[1, 5], x[2, 7], x[2, 40] = np.inf, np.inf, np.nan
    rows: list[list[float | None]] = x.tolist()
    rows[3][100] = None
    source = db.load(layout, rows, table="parts")
    found = sqlrp.project(projection, source, db.connection, **options).sort_by("id")["z"].to_pylist()
    expected = x @ signs * projection.factor(d)
    np.testing.assert_allclose(np.array(found[:3], dtype=float), expected[:3], rtol=1e-12, atol=1e-12)
    assert found[3] is None or set(found[3]) == {None}


@pytest.mark.parametrize("name", ["duckdb"])
def test_the_function_in_duckdb(db: Database, name: str) -> None:
    x = np.random.default_rng(3).normal(size=(4, 24))
    db.load("array", x.tolist(), table="rows")
    sqlrp.install(db.connection)
    projection = HadamardProjection(k=24, padding="least", replacement=False)
    given = "array_column := 'x', n_features := 24, padding := 'least', replacement := false"
    found = np.array([row[1:] for row in db.run_query(f"FROM fht_project('rows', k := 24, {given}) ORDER BY id")])
    np.testing.assert_allclose(found, project_array(projection, x))
    np.testing.assert_allclose(found @ found.T, x @ x.T)


@pytest.mark.parametrize("name", ["postgresql"])
def test_a_rotation_in_postgresql_gives_no_warning(db: Database, name: str) -> None:
    sqlrp.install(db.connection)
    db.load("array", [[1] * 12], "INTEGER", table="rows")
    driver, said = db.connection.connection.driver_connection, list[str]()
    driver.add_notice_handler(lambda notice: said.append(notice.message_primary))
    for replacement in (True, False):
        call = f"'rows', 12, array_column => 'x', padding => 'least', replacement => {replacement}"
        db.run_query(f"SELECT z FROM fht_project({call})")
        assert [("k = 12 is not below" in words) for words in said] == [True]


@pytest.mark.parametrize("name", ["postgresql"])
@pytest.mark.parametrize("d", [9, 24, 50, 70])
def test_the_function_in_postgresql(db: Database, name: str, d: int) -> None:
    sqlrp.install(db.connection)
    x = np.random.default_rng(d).integers(-50, 51, (3, d)).tolist()
    db.load("array", x, "INTEGER", table="rows")
    for k, replacement, lowering in itertools.product((3, 2 * d), (True, False), ("inline", "relational")):
        projection = HadamardProjection(k=k, seed=d, padding="least", replacement=replacement)
        call = f"'rows', array_column => 'x', k => {k}, seed => {d}, padding => 'least', replacement => {replacement}"
        rows = db.run_query(
            f"SELECT z FROM fht_project({call}, scale => false, lowering => '{lowering}') ORDER BY CAST(key AS bigint)"
        )
        assert [list(map(int, z)) for (z,) in rows] == [[int(v) for v in by_formula(projection, row)] for row in x]


@pytest.mark.parametrize("name", ["postgresql"])
def test_the_function_of_an_older_release_is_replaced(db: Database, name: str) -> None:
    sqlrp.install(db.connection)
    db.run("CREATE TABLE two AS SELECT 1 AS id, 2 AS a, 3 AS b")
    want = db.run_query("SELECT key, z FROM fht_project('two', 3, 4)")
    for function in ("fht_project", "fht_project_sql"):
        old = f"CREATE FUNCTION {function}(source regclass, k bigint DEFAULT 64, seed bigint DEFAULT 0) RETURNS text "
        own = "SET search_path = pg_catalog, pg_temp SET jit = off SET extra_float_digits = 1"  # as all of sqlrp's have
        db.run(f"{old} LANGUAGE sql {own} AS 'SELECT NULL::text'")
    sqlrp.install(db.connection)
    assert db.run_query("SELECT key, z FROM fht_project('two', 3, 4)") == want


# -- parameters -------------------------------------------------------------------------------------------------


def test_a_catalogue_s_definition_is_complete_and_one_by_hand_need_not_be() -> None:
    old = '{"k": 3, "projection": "HadamardProjection", "seed": 5}'
    want = HadamardProjection(k=3, seed=5, padding="power_of_two", replacement=False)
    assert sqlrp.from_json(old) == want == HadamardProjection(3, 5)
    with pytest.raises(sqlrp.SourceError, match="lacks padding, replacement"):
        stored.read(old, stored.digest(old))
    assert set(json.loads(want.to_json())) == {"k", "padding", "projection", "replacement", "seed"}


@pytest.mark.parametrize("value", ["", "none", None, 1, ["least"]])
def test_another_padding_is_refused(value: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        HadamardProjection(k=3, padding=value)
    assert_one_line(caught, f"padding = {value!r} must be one of power_of_two, least")


@pytest.mark.parametrize("value", [None, 0, "yes"])
def test_another_replacement_is_refused(value: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        HadamardProjection(k=3, replacement=value)
    assert_one_line(caught, f"replacement = {value!r} must be true or false")


def test_the_transformer_and_the_command_line_take_them(tmp_path: Path) -> None:
    x = np.random.default_rng(2).normal(size=(8, 24))
    (transformer,) = (cls for cls in TRANSFORMERS if cls.method is HadamardProjection)
    made = transformer(24, random_state=3, padding="least", replacement=False).fit(x)
    want = HadamardProjection(k=24, seed=3, padding="least", replacement=False)
    assert np.array_equal(made.transform(x), project_array(want, x))
    source, out = tmp_path / "rows.csv", tmp_path / "out.csv"
    pd.DataFrame(x, columns=[f"f{j}" for j in range(24)]).assign(id=range(8)).to_csv(source, index=False)
    options = ["--method", "fht", "-k", "24", "--seed", "3", "--padding", "least", "--no-replacement"]
    done = CliRunner().invoke(cli, ["project", str(source), "-o", str(out), *options])
    assert done.exit_code == 0, done.output
    found = pd.read_csv(out).sort_values("id").filter(regex="^z").to_numpy()
    np.testing.assert_allclose(found, project_array(want, x))


def test_sylvester_s_matrix_is_scipy_s() -> None:
    assert np.array_equal(sylvester(64), hadamard(64))
