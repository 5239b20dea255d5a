"""Tests of the method from the guide; `test_new_method.py` runs them on a copy of the package with this method."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from databases import opened
from helpers import LAYOUTS, OUTPUTS, assert_close, cells, load
from sklearn.base import clone

import sqlrp
import sqlrp.sklearn
from sqlrp import Array, Long, Wide
from sqlrp.cli.app import cli
from sqlrp.projections import REGISTRY
from sqlrp.run.memory import project_array

Floats = npt.NDArray[np.float64]
D = 6
X: Floats = np.random.default_rng(2).integers(-4, 5, (12, D)).astype(float)
X[:, 0] = np.arange(1, 13)  # no row vanishes in the long layout
NAMES = [f"f{j}" for j in range(D)]
Method: Any = sqlrp.LinearAndQuadratic  # type: ignore[attr-defined]
METHOD = Method(k=4, s=2, seed=7)


def formula(x: Floats, k: int, s: float, seed: int) -> Floats:
    """The guide's formula, over the signs of `sqlrp.signs`."""
    half = k // 2
    table = sqlrp.signs(n_features=x.shape[1], n_vectors=3 * half, s=s, seed=seed)
    sums = x @ table["sign"].to_numpy().reshape(3 * half, -1).T
    pairs = sums[:, half:].reshape(len(x), half, 2)
    return np.column_stack([sums[:, :half] * np.sqrt(s / half), pairs.prod(axis=2) * s / np.sqrt(half)])


WANT = formula(X, 4, 2, 7)
SCALE = np.abs(WANT).max(axis=1) + 1


def test_names() -> None:
    assert REGISTRY[-1] is Method
    assert "LinearAndQuadratic" in sqlrp.__all__
    assert sqlrp.from_json(METHOD.to_json()) == METHOD
    assert sqlrp.sklearn.LinearAndQuadratic in sqlrp.sklearn.TRANSFORMERS


def test_every_layout_and_output_in_duckdb() -> None:
    sources = {"wide": Wide("wide"), "array": Array("array", "x"), "long": Long("long", n_features=D)}
    with duckdb.connect() as con:
        for layout in LAYOUTS:
            load(con, layout, X.tolist(), table=layout)
            for output in OUTPUTS:
                for lowering in ("inline", "relational"):
                    if layout == "long" and lowering == "inline":
                        continue
                    got = sqlrp.project(METHOD, sources[layout], con, output=output, lowering=lowering)
                    assert_close(cells(got, output, 4, sparse=layout == "long"), WANT, SCALE)
    frame = pd.DataFrame(X, columns=NAMES)
    assert np.allclose(sqlrp.project(METHOD, frame).filter(like="z"), WANT)
    assert np.allclose(project_array(METHOD, X), WANT)


def test_sqlite() -> None:
    engine = sa.create_engine("sqlite://")
    with engine.begin() as con:
        pd.DataFrame(X, columns=NAMES).assign(id=range(len(X))).to_sql("t", con, index=False)
        for lowering in ("inline", "relational"):
            got = sqlrp.project(METHOD, Wide("t", features=NAMES), con, lowering=lowering)
            assert_close(cells(got, "columns", 4), WANT, SCALE)


def test_table_function_of_duckdb() -> None:
    with duckdb.connect() as con:
        load(con, "wide", X.tolist(), table="t")
        sqlrp.install(con)
        got = con.execute("FROM lq_project('t', k := 4, s := 2, seed := 7) ORDER BY id").fetchall()
        assert_close({i: list(z) for i, *z in got}, WANT, SCALE)
        with pytest.raises(duckdb.Error, match="k = 3 must be even"):
            con.execute("FROM lq_project('t', k := 3)")


def test_saved_and_loaded() -> None:
    with duckdb.connect() as con:
        load(con, "wide", X.tolist(), table="t")
        sqlrp.install(con)
        kept = sqlrp.save(METHOD, con, "mine", "t")
        assert sqlrp.load(con, "mine") == kept
        got = con.execute("FROM project_with('mine', 't') ORDER BY id").fetchall()
        assert_close({i: list(z) for i, *z in got}, WANT, SCALE)
        sqlrp.materialize(METHOD, "t", con, into="small")
        got = con.execute("FROM small ORDER BY id").fetchall()
        assert_close({i: list(z) for i, *z in got}, WANT, SCALE)


def test_functions_in_postgresql() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for database in opened("postgresql", Path(folder)):
            columns = [("id", "BIGINT"), *((name, "double precision") for name in NAMES)]
            database.make("t", columns, [[i, *row] for i, row in enumerate(X.tolist())])
            sqlrp.install(database.connection, trust_schema=True)
            sqlrp.save(METHOD, database.connection, "mine", "t")
            for call in ("project_with('mine', 't')", "lq_project('t', k => 4, s => 2, seed => 7)"):
                found = database.connection.exec_driver_sql(f"SELECT key, z FROM {call}")
                assert_close({int(key): list(z) for key, z in found}, WANT, SCALE)
            with pytest.raises(sa.exc.DBAPIError, match=r"k = 3 must be even, .* use 4"):
                database.connection.exec_driver_sql("SELECT key, z FROM lq_project('t', k => 3)")


def test_transformer() -> None:
    made = clone(sqlrp.sklearn.LinearAndQuadratic(4, s=2, random_state=7))
    assert made.get_params() == {"n_components": 4, "random_state": 7, "eps": 0.1, "s": 2}
    assert "components of the result" in (type(made).__doc__ or "")
    fitted = made.fit(pd.DataFrame(X, columns=NAMES))
    assert fitted.projection_ == METHOD.bound(NAMES)
    assert np.allclose(fitted.transform(pd.DataFrame(X, columns=NAMES)), WANT)
    assert sqlrp.from_sklearn(fitted) == METHOD.bound(NAMES)


def test_command_line() -> None:
    run = lambda *words: CliRunner().invoke(cli, [*map(str, words)], catch_exceptions=False)  # noqa: E731
    told = run("methods", "lq").output
    assert told.startswith("lq: LinearAndQuadratic")
    assert "components of the result" in told
    with tempfile.TemporaryDirectory() as folder:
        rows, small = Path(folder, "rows.parquet"), Path(folder, "small.parquet")
        pd.DataFrame(X, columns=NAMES).assign(id=range(len(X))).to_parquet(rows)
        done = run("project", rows, "-o", small, "--method", "lq", "-k", 4, "-s", 2, "--seed", 7)
        assert done.exit_code == 0, done.output
        assert np.allclose(pd.read_parquet(small).sort_values("id").filter(like="z"), WANT)


def test_back_projection() -> None:
    with pytest.raises(sqlrp.UnsupportedError, match="LinearAndQuadratic is not linear"):
        sqlrp.back_project(METHOD, pd.DataFrame(WANT, columns=["z0", "z1", "z2", "z3"]), features=NAMES)
