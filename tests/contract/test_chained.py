"""Chains: steps draw from seeds of their own, and what was stored keeps its numbers."""

from __future__ import annotations

import warnings
from dataclasses import replace

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from helpers import assert_one_line, load
from sklearn.kernel_approximation import PolynomialCountSketch
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sqlrp
import sqlrp.sklearn as own
from sqlrp._projections import Prepared, Projection
from sqlrp._projections.chained import Scaling

X = np.random.default_rng(1).normal(size=(30, 6))
D = X.shape[1]
RP, PK = sqlrp.SparseProjection(k=4, s=1), sqlrp.PolynomialKernelProjection(k=3, s=1)


@pytest.mark.parametrize(
    "steps",
    [
        (RP, PK),
        (RP, replace(PK, seed=1), replace(RP, k=2)),
        (RP, sqlrp.Chained(of=(replace(PK, seed=2), replace(RP, k=2)))),
        (Scaling.of([0.0, 1.0], [1.0, 1.0]), RP, sqlrp.RandomMaclaurin(k=2)),
        (Prepared(of=RP, how="l2"), PK),
    ],
)
def test_steps_of_one_seed_are_refused(steps: tuple[Projection, ...]) -> None:
    with pytest.raises(sqlrp.ParameterError, match="are both drawn from seed = 0") as caught:
        sqlrp.Chained(of=steps)
    assert_one_line(caught, "give each step a seed of its own")


def test_steps_that_draw_nothing_may_have_one_seed() -> None:
    x = np.random.default_rng(0).normal(size=(20, 4))
    learnt = sqlrp.PrincipalComponents(k=3).fitted_on(x, None)
    assert sqlrp.Chained(of=(learnt, replace(RP, k=2))).k == 2


OLD = (
    '{"k": 3, "of": [{"k": 4, "projection": "SparseProjection", "s": 1, "seed": 0}, {"c": 0.0, "degree": 2, "k": 3, '
    '"minimise_repetition": true, "p": null, "projection": "PolynomialKernelProjection", "s": 1, "seed": 0, "t": 4, '
    '"vectors": "sign"}], "projection": "Chained"}'
)
"""A chain that was stored when its steps could have one seed."""


def test_a_stored_chain_of_one_seed_keeps_its_numbers(con: duckdb.DuckDBPyConnection) -> None:
    made = sqlrp.from_json(OLD)
    assert made.to_json() == OLD
    assert made.fingerprint == "72a8775e1f1f66a0"
    assert sqlrp.from_json(made.to_json()) == made
    x = [1.0, 2.0, 4.0, 8.0]
    want = sqlrp.project_vector(PK, sqlrp.project_vector(RP, x))
    assert sqlrp.project_vector(made, x).tolist() == pytest.approx(want.tolist(), rel=1e-12)
    table = load(con, "wide", [x])
    sqlrp.save(made, con, "old")
    with pytest.warns(sqlrp.SqlrpWarning, match="steps 0 and 1 of the chain are both drawn from seed = 0"):
        rows = sqlrp.project(sqlrp.load(con, "old"), table, con)
    assert [rows[f"z{c}"][0].as_py() for c in range(3)] == pytest.approx(want.tolist(), rel=1e-12)
    for other in (made.bound(4), made.over_arrays([4]), made.estimating(), made.unprepared):
        assert other.k == 3
    with pytest.raises(sqlrp.ParameterError, match="no parameter 'shared_seeds'"):
        sqlrp.from_json(OLD.replace('"k": 3, "of"', '"shared_seeds": true, "k": 3, "of"'))


def test_a_fitted_pipeline_of_one_seed_keeps_its_numbers() -> None:
    pipeline = make_pipeline(
        own.SparseProjection(4, s=1, random_state=0), own.PolynomialKernelProjection(3, random_state=0)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline.fit(X)
    made = sqlrp.from_sklearn(pipeline)
    with pytest.warns(sqlrp.SqlrpWarning, match="both drawn from seed = 0"):
        z = sqlrp.project(made, pa.table({f"f{j}": X[:, j] for j in range(D)}), key=None)
    assert np.allclose(np.column_stack(z.columns), pipeline.transform(X))


def test_a_scaler_of_components_that_are_rounding_gives_a_warning() -> None:
    """An entry of a count sketch that no feature is hashed to is 0, but for the rounding of a Fourier transform."""
    pipeline = make_pipeline(PolynomialCountSketch(degree=2, n_components=40, random_state=1), StandardScaler()).fit(X)
    assert pipeline[-1].scale_.min() < 1e-14
    with pytest.warns(sqlrp.SqlrpWarning, match="step 'standardscaler' of the pipeline divides component .* rounding"):
        sqlrp.from_sklearn(pipeline)
    sound = make_pipeline(
        StandardScaler(), PolynomialCountSketch(degree=2, n_components=4, random_state=1), StandardScaler()
    )
    small = make_pipeline(StandardScaler(), own.SparseProjection(3, s=1, random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("error", sqlrp.SqlrpWarning)
        sqlrp.from_sklearn(sound.fit(X))
        sqlrp.from_sklearn(small.fit(X * 10.0 ** np.arange(0, -18, -3)))
