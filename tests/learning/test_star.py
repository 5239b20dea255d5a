"""Projections that are fitted on a star join: those of the joined rows, which are added up by key on every engine."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from databases import FAMILY, Database
from learnt import ENGINES
from sklearn.cross_decomposition import CCA, PLSRegression
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import sqlrp
from sqlrp import (
    CanonicalCorrelation,
    LinearDiscriminants,
    PartialLeastSquares,
    PrincipalComponents,
    WhitenedComponents,
)
from sqlrp._learning import star as star_module
from sqlrp._learning.star import Star

WINE = load_wine()
N, FACT, ONE, TWO = 120, 3, 4, 2
DRAW = np.random.default_rng(3)
ROWS = WINE.data[:N, :FACT] + 50
CULTIVARS = WINE.target[:N]
GRAPES, SOILS = WINE.data[150:157, 3 : 3 + ONE], WINE.data[160:165, 7 : 7 + TWO] * 100
GRAPE, SOIL = DRAW.integers(0, 6, N), DRAW.integers(0, 4, N)
"""The last grape and the last soil are those of no row."""
JOINED = np.hstack([ROWS, GRAPES[GRAPE], SOILS[SOIL]])
Y = WINE.data[:N, 9:11]
NAMES = (
    *(f"f{j}" for j in range(FACT)),
    *(f"grape.g{j}" for j in range(ONE)),
    *(f"soil.s{j}" for j in range(TWO)),
)


def loaded(db: Database, text_keys: bool = False) -> sqlrp.Join:
    """The star; the keys of one dimension are text, or whole numbers."""
    double, text = {"clickhouse": ("Float64", "String"), **dict.fromkeys(FAMILY, ("DOUBLE", "VARCHAR(20)"))}.get(
        db.name, ("DOUBLE PRECISION", "VARCHAR")
    )
    kind, key = (text, "grape {}".format) if text_keys else ("BIGINT", int)
    columns = [("id", "BIGINT"), ("grape", kind), ("soil", "BIGINT"), ("c", "BIGINT"), ("y0", double), ("y1", double)]
    columns += [(f"f{j}", double) for j in range(FACT)]
    fact = [[i, key(GRAPE[i]), int(SOIL[i]), int(CULTIVARS[i]), *Y[i].tolist(), *ROWS[i].tolist()] for i in range(N)]
    grapes = [[key(i), *row] for i, row in enumerate(GRAPES.tolist())]
    soils = [[i, *row] for i, row in enumerate(SOILS.tolist())]
    table = db.make("fact", columns, fact)
    one = db.make("grapes", [("id", kind), *((f"g{j}", double) for j in range(ONE))], grapes)
    two = db.make("soils", [("number", "BIGINT"), *((f"s{j}", double) for j in range(TWO))], soils)
    features = [f"f{j}" for j in range(FACT)]
    return sqlrp.Join(
        sqlrp.Wide(table, features=features), {"grape": sqlrp.Wide(one), "soil": sqlrp.Wide(two, key="number")}
    )


def assert_same(z: Any, want: Any, rtol: float = 1e-8) -> None:
    """The same components, up to their signs."""
    sign = np.sign((z * want).sum(axis=0))
    assert np.abs(z * sign - want).max() <= rtol * np.abs(want).max()


def components(fitted: sqlrp.Projection, join: sqlrp.Join, con: Any) -> Any:
    found = sqlrp.project(fitted, join, con).to_pandas().sort_values("id")
    return found[list(fitted.outputs)].to_numpy(dtype=np.float64)


@pytest.fixture
def by_key(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of rows that were added up by key."""
    told: list[int] = []
    moments = Star.moments

    def counted(self: Star) -> Any:
        found = moments(self)
        told.append(found.count)
        return found

    monkeypatch.setattr(Star, "moments", counted)
    return told


@pytest.mark.parametrize("text_keys", [False, True])
@pytest.mark.parametrize("name", ENGINES)
def test_every_engine(db: Database, name: str, text_keys: bool, by_key: list[int]) -> None:
    join, con = loaded(db, text_keys), db.connection
    fitted = sqlrp.fit(PrincipalComponents(k=3), join, con)
    assert fitted.bound_to == NAMES
    want = PCA(3, svd_solver="full").fit(JOINED)
    assert np.allclose(fitted.arrays["weights"][:-1], want.components_.T, atol=1e-9)
    assert np.allclose(fitted.arrays["mean"], want.mean_, rtol=1e-12)
    assert_same(components(fitted, join, con) / fitted.factor(9), want.transform(JOINED))
    whitened = sqlrp.fit(WhitenedComponents(k=9), join, con)
    assert_same(components(whitened, join, con), PCA(9, whiten=True, svd_solver="full").fit(JOINED).transform(JOINED))
    converged: dict[str, Any] = {"tol": 1e-28, "max_iter": 100_000}
    least = sqlrp.fit(PartialLeastSquares(k=2), join, con, target=["y0", "y1"])
    assert_same(components(least, join, con), PLSRegression(2, **converged).fit(JOINED, Y).transform(JOINED))
    canonical = sqlrp.fit(CanonicalCorrelation(k=2), join, con, target=["y0", "y1"])
    assert_same(components(canonical, join, con), CCA(2, **converged).fit(JOINED, Y).transform(JOINED))
    assert by_key == [N] * 4
    apart = sqlrp.fit(LinearDiscriminants(k=1), join, con, target="c")  # its classes need the joined rows
    z = LinearDiscriminantAnalysis(solver="eigen").fit(JOINED, CULTIVARS).transform(JOINED)[:, :1]
    assert_same(components(apart, join, con), z - z.mean(axis=0))
    assert by_key == [N] * 4


# -- one engine: the same code serves all -------------------------------------------------------------------


@pytest.fixture
def own() -> Any:
    frame = pd.DataFrame(ROWS, columns=[f"f{j}" for j in range(FACT)]).assign(id=range(N), grape=GRAPE, soil=SOIL)
    frame[["y0", "y1"]] = Y
    with duckdb.connect(config={"threads": "1"}) as con:
        for name, table in (
            ("fact", frame),
            ("grapes", pd.DataFrame(GRAPES, columns=[f"g{j}" for j in range(ONE)]).assign(id=range(7))),
            ("soils", pd.DataFrame(SOILS, columns=[f"s{j}" for j in range(TWO)]).assign(number=range(5))),
        ):
            con.register("made", table)
            con.execute(f"CREATE TABLE {name} AS FROM made")
        yield con


def star(**more: Any) -> sqlrp.Join:
    fact = sqlrp.Wide("fact", features=[f"f{j}" for j in range(FACT)])
    return sqlrp.Join(fact, {"grape": sqlrp.Wide("grapes"), "soil": sqlrp.Wide("soils", key="number"), **more})


def test_keys_are_read_in_batches(own: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    want = sqlrp.fit(PrincipalComponents(k=3), star(), own)
    monkeypatch.setattr(star_module, "_BATCH", 1)
    found = sqlrp.fit(PrincipalComponents(k=3), star(), own)
    assert np.allclose(found.arrays["weights"], want.arrays["weights"], atol=1e-11)  # type: ignore[attr-defined]


def test_rows_far_from_zero_and_two_columns_of_one_dimension(own: Any, by_key: list[int]) -> None:
    own.execute("UPDATE fact SET f0 = f0 + 1e6, f1 = f1 - 1e7")
    own.execute("UPDATE grapes SET g1 = g1 + 1e6")
    own.execute("ALTER TABLE fact ADD COLUMN other BIGINT")
    own.execute("UPDATE fact SET other = (id * 5) % 7")
    fitted = sqlrp.fit(PrincipalComponents(k=4), star(other=sqlrp.Wide("grapes")), own)
    moved = GRAPES + np.array([0, 1e6, 0, 0])
    x = np.hstack([ROWS + np.array([1e6, -1e7, 0]), moved[GRAPE], SOILS[SOIL], moved[np.arange(N) * 5 % 7]])
    assert np.allclose(fitted.arrays["weights"][:-1], PCA(4, svd_solver="full").fit(x).components_.T, atol=1e-7)
    assert by_key == [N]


def test_columns_of_other_types(own: Any, by_key: list[int]) -> None:
    own.execute("ALTER TABLE fact ALTER f1 TYPE DECIMAL(9, 3)")
    own.execute("ALTER TABLE grapes ALTER g0 TYPE FLOAT")
    own.execute("CREATE TABLE kinds AS SELECT number, number > 2 AS late, number * number AS squared FROM soils")
    features = [f"f{j}" for j in range(FACT)]
    join = star(soil=sqlrp.Wide("kinds", key="number"))
    fitted = sqlrp.fit(PrincipalComponents(k=3), join, own)
    own.execute(
        "CREATE TABLE joined AS SELECT f.id AS id, f0, f1, f2, g0, g1, g2, g3, late, squared "
        "FROM fact f JOIN grapes g ON g.id = grape JOIN kinds k ON k.number = soil"
    )
    names = [*features, "g0", "g1", "g2", "g3", "late", "squared"]
    want = sqlrp.fit(PrincipalComponents(k=3), sqlrp.Wide("joined", features=names), own)
    assert np.allclose(fitted.arrays["weights"], want.arrays["weights"], atol=1e-9)
    assert by_key == [N]


def test_rows_without_a_target_are_left_out(own: Any) -> None:
    own.execute("UPDATE fact SET y1 = NULL WHERE id % 3 = 0")
    fitted = sqlrp.fit(PartialLeastSquares(k=2), star(), own, target=["y0", "y1"])
    keep = np.arange(N) % 3 != 0
    peer = PLSRegression(2, tol=1e-28, max_iter=100_000).fit(JOINED[keep], Y[keep])
    assert_same(components(fitted, star(), own), peer.transform(JOINED))


def test_arrays_and_a_fact_without_features_are_joined(own: Any, by_key: list[int]) -> None:
    own.execute("CREATE TABLE lists AS SELECT number, [s0, s1]::DOUBLE[2] AS v FROM soils")
    own.execute("CREATE TABLE bare AS SELECT id, grape, soil FROM fact")
    arrays = star(soil=sqlrp.Array("lists", "v", key="number"))
    bare = sqlrp.Join("bare", dict(star().dimensions))
    for join, x in ((arrays, JOINED), (bare, JOINED[:, FACT:])):
        fitted = sqlrp.fit(PrincipalComponents(k=3), join, own)
        assert np.allclose(fitted.arrays["weights"][:-1], PCA(3, svd_solver="full").fit(x).components_.T, atol=1e-9)
    assert by_key == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE fact SET grape = 99 WHERE id = 5",
        "UPDATE fact SET soil = NULL WHERE id = 5",
        "UPDATE grapes SET g2 = NULL WHERE id = 1",
        "UPDATE fact SET f1 = NULL WHERE id = 5",
    ],
)
def test_rows_that_refer_to_nothing_or_hold_null(own: Any, change: str) -> None:
    own.execute("UPDATE grapes SET g2 = NULL WHERE id = 6")  # of no row
    sqlrp.fit(PrincipalComponents(k=3), star(), own)
    own.execute(change)
    with pytest.raises(sqlrp.SourceError, match="holds NULL, which nothing can be learnt from: clean such rows"):
        sqlrp.fit(PrincipalComponents(k=3), star(), own)


def test_what_cannot_be_learnt_from(own: Any) -> None:
    own.execute("CREATE TABLE twice AS FROM soils UNION ALL FROM soils")
    with pytest.raises(sqlrp.SourceError, match="comes more than once"):
        sqlrp.fit(PrincipalComponents(k=3), star(soil=sqlrp.Wide("twice", key="number")), own)
    own.execute("UPDATE grapes SET g2 = 'nan' WHERE id = 1")
    with pytest.raises(sqlrp.SourceError, match="NaN or infinite"):
        sqlrp.fit(PrincipalComponents(k=3), star(), own)
    own.execute("DELETE FROM fact")
    with pytest.raises(sqlrp.SourceError, match="0 rows are fewer than the 3 components"):
        sqlrp.fit(PrincipalComponents(k=3), star(), own)
    with pytest.raises(sqlrp.SourceError, match="no row has a target"):
        sqlrp.fit(PartialLeastSquares(k=2), star(), own, target="y0")
    with pytest.raises(sqlrp.ParameterError, match="Join"):
        sqlrp.fit(sqlrp.NystroemProjection(k=2), star(), own)
    with pytest.raises(sqlrp.ParameterError, match="Join"):
        sqlrp.fit(PrincipalComponents(k=2, sample=20), star(), own)
