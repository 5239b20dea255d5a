"""Private models: their sums get enough noise for any row, and nothing else of the rows is used."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from databases import Database
from helpers import assert_one_line
from learnt import ENGINES, KEYS, NAMES, PK, D, K, V, X, Y, stored, wide, z
from pages import EXAMPLES, check
from scipy.stats import beta, norm
from sklearn.linear_model import Ridge, RidgeClassifier
from taking_part import need_package

import sqlrp
from sqlrp._evaluator.clip import STEPS, Clip
from sqlrp._learning import privacy

CLIP = float(np.median(np.linalg.norm(z(), axis=1)))
NAMED = sqlrp.Privacy(epsilon=2, delta=1e-6, clip=CLIP, classes=NAMES[:2].tolist())
VALUES = sqlrp.Privacy(epsilon=2, delta=1e-6, clip=CLIP, bounds=(-3.0, 2.5))


class Noise:
    """The numbers that were to get noise, and the length that it was drawn for. It draws none."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.values, self.length = np.empty(0), 0
        monkeypatch.setattr(privacy, "_scale", self._scale)
        monkeypatch.setattr(privacy, "_noisy", self._noisy)

    def _scale(self, epsilon: float, delta: float, length: int) -> float:
        self.length = length
        return 0.0

    def _noisy(self, values: Any, scale: float) -> Any:
        self.values = values
        return values


@pytest.fixture
def noise(monkeypatch: pytest.MonkeyPatch) -> Noise:
    return Noise(monkeypatch)


def clipped(x: Any, length: float) -> Any:
    """Rows in whole steps, one by one, back in the unit of the components."""
    unit = length / (STEPS - math.sqrt(x.shape[1]) / 2 - 1)
    return (
        np.array([[math.floor(cell * min(1, length / np.linalg.norm(row)) / unit + 0.5) for cell in row] for row in x])
        * unit
    )


@pytest.mark.parametrize("way", ["auto", "sql"])
@pytest.mark.parametrize(
    ("name", "layout"),
    [
        (name, layout)
        for name in ENGINES
        for layout in ["wide", "long"] + ["array"] * sqlrp._engines.registry.ENGINES[name].has_arrays
    ],
)
def test_without_noise_it_is_the_model_of_clipped_rows(
    db: Database, name: str, layout: str, way: str, noise: Noise
) -> None:
    rows, labels = stored(db, layout)
    given = {"labels": labels, "lowering": way, "ridge": 2.5}
    model = sqlrp.learn(PK, rows, db.connection, "name", privacy=NAMED, **given)
    mine = Y < 2
    want = RidgeClassifier(alpha=2.5).fit(clipped(z()[mine], CLIP), NAMES[Y[mine]])
    assert np.abs(model.coef_ - want.coef_).max() <= 1e-3 * np.abs(want.coef_).max()  # a rounded step may differ
    assert np.allclose(model.intercept_, want.intercept_, atol=1e-3)
    assert (noise.values == np.rint(noise.values)).all()
    model = sqlrp.learn(PK, rows, db.connection, "v", privacy=VALUES, **given)
    want = Ridge(alpha=2.5).fit(clipped(z(), CLIP), np.clip(V, -3.0, 2.5))
    assert np.abs(model.coef_ - want.coef_).max() <= 1e-3 * np.abs(want.coef_).max()
    assert np.allclose(model.intercept_, want.intercept_, atol=1e-3)
    assert (noise.values == np.rint(noise.values)).all()


# -- one engine: the same code serves all -------------------------------------------------------------------

HOSTILE = [1e300, -1e300, 1e-300, 0.0, 1e150, -7.0, 1.0]
TWO = sqlrp.GivenProjection.of(np.eye(2))


@pytest.fixture
def con() -> Iterator[Any]:
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)]).assign(id=KEYS, label=Y, v=V, name=NAMES[Y])
    with duckdb.connect(config={"threads": "1"}) as own:
        own.register("frame", frame)
        own.execute("CREATE TABLE t AS FROM frame")
        yield own


def of_rows(con: Any, rows: Any, way: str, kind: sqlrp.Privacy, noise: Noise) -> Any:
    """The numbers that are to get noise, of rows of two features and a target."""
    con.register("own", pd.DataFrame({"id": range(len(rows)), "a": rows[:, 0], "b": rows[:, 1], "y": rows[:, 2]}))
    target = "y" if kind.bounds else "c"
    con.execute("CREATE OR REPLACE TABLE few AS SELECT *, if(y > 0, 'up', 'down') AS c FROM own")
    sqlrp.learn(TWO, sqlrp.Wide("few", features=["a", "b"]), con, target, privacy=kind, lowering=way)
    return noise.values


@pytest.mark.parametrize("way", ["auto", "sql"])
@pytest.mark.parametrize("kind", [{"classes": ["up", "down"]}, {"bounds": (-1e-3, 1e8)}])
def test_no_row_moves_the_numbers_by_more_than_the_noise_is_for(con: Any, way: str, kind: Any, noise: Noise) -> None:
    rows = np.array([(a, b, y) for a in HOSTILE for b in HOSTILE[:4] for y in (1e9, -1e300, 0.5)])
    asked = sqlrp.Privacy(epsilon=1, delta=1e-6, clip=1.5, **kind)
    whole, most = of_rows(con, rows, way, asked, noise), 0.0
    for i in range(0, len(rows), 4):
        without = of_rows(con, np.delete(rows, i, axis=0), way, asked, noise)
        most = max(most, float(np.linalg.norm(whole - without)))
    assert 0.9 * noise.length < most <= noise.length  # the bound is met, and nearly reached


def test_clipped_rows_are_no_longer_than_the_steps() -> None:
    rng = np.random.default_rng(3)
    for k in (1, 2, 7, 100):
        rows = rng.normal(size=(500, k)) * 10.0 ** rng.integers(-160, 160, (500, 1))
        rows[0] = np.finfo(float).max
        for length in (1e-9, 1.0, 1e20):
            steps = Clip(length, k, (0, 1)).rows(rows)
            assert (steps == np.rint(steps)).all()
            assert np.sqrt((steps**2).sum(axis=1)).max() <= STEPS


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1, 1e-6), (1, 1e-9), (8, 1e-5), (50, 1e-3)])
def test_the_noise_is_what_the_exact_formula_asks_for(epsilon: float, delta: float) -> None:
    """The exact δ of Gaussian noise (Balle and Wang 2018, theorem 8) is below the stated one, but not far below."""
    need_package("opendp")

    def exact(scale: float) -> float:
        away = 1 / scale
        return float(norm.cdf(away / 2 - epsilon / away) - math.exp(epsilon) * norm.cdf(-away / 2 - epsilon / away))

    length = 1 << 24
    scale = privacy._scale(epsilon, delta, length) / length
    assert exact(scale) <= delta < exact(scale * 0.8)
    drawn = privacy._noisy(np.full(2_000, 12.0), 1e6) - 12
    assert abs(drawn.std() / 1e6 - 1) < 0.1
    assert abs(drawn.mean()) < 2e5


def lower_bound(inside: Any, outside: Any, delta: float) -> float:
    """A bound of ε that the attack proves: that of its best threshold on half of the draws, on the others (99.9%)."""
    half, best = len(inside) // 2, (-math.inf, 0.0)
    for t in np.quantile(np.r_[inside[:half], outside[:half]], np.linspace(0.02, 0.98, 49)):
        hit, false = (inside[:half] > t).mean(), (outside[:half] > t).mean()
        best = max(best, (math.log(max(hit - delta, 1e-9) / max(false, 5 / half)), float(t)))
    n, hits, wrong = half, int((inside[half:] > best[1]).sum()), int((outside[half:] > best[1]).sum())
    least, most = beta.ppf(0.001, hits, n - hits + 1), beta.ppf(0.999, wrong + 1, n - wrong)
    return math.log(max(least - delta, 1e-9) / most)


def test_an_attack_does_not_prove_a_larger_epsilon(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who knows all other rows asks whether one more was there. Noise that is too small would be found."""
    need_package("opendp")
    asked = sqlrp.Privacy(epsilon=2, delta=1e-5, clip=1.0, classes=[0, 1])
    rows = np.random.default_rng(0).normal(size=(40, 2))
    con.register("own", pd.DataFrame({"id": range(40), "a": rows[:, 0], "b": rows[:, 1], "c": [0, 1] * 20}))
    con.execute("CREATE TABLE few AS FROM own UNION ALL SELECT 40, 5.0, 5.0, 1")
    source, seen, scales = sqlrp.Wide("few", features=["a", "b"]), [], []
    draw = privacy._noisy
    monkeypatch.setattr(privacy, "_noisy", lambda values, scale: seen.append(values) or scales.append(scale) or values)
    sqlrp.learn(TWO, source, con, "c", privacy=asked)
    con.execute("DELETE FROM few WHERE id = 40")
    sqlrp.learn(TWO, source, con, "c", privacy=asked)
    row = (seen[0] - seen[1]) / np.linalg.norm(seen[0] - seen[1])
    found = []
    for scale in (scales[0], scales[0] / 10):
        draws = [np.stack([draw(values, scale) for _ in range(800)]) @ row for values in seen]
        found.append(lower_bound(*draws, asked.delta))
    assert found[0] < asked.epsilon < found[1]


def test_a_private_model_is_kept_and_scored_but_tells_no_more(con: Any) -> None:
    need_package("opendp")
    asked = sqlrp.Privacy(epsilon=1, delta=1e-6, clip=CLIP, classes=[0, 1, 2])
    model = sqlrp.learn(PK, wide(), con, "label", privacy=asked)
    again = sqlrp.model_from_json(model.to_json())
    assert again.to_json() == model.to_json()
    assert again.settings.privacy == asked
    assert "epsilon=1, delta=1e-06" in repr(again)
    assert set(sqlrp.score(again, wide(), con).to_pandas()["class"]) <= {0, 1, 2}
    with pytest.raises(sqlrp.ParameterError) as caught:
        model.refresh(wide(), con)
    assert_one_line(caught, "the model is private", "another epsilon")
    value = sqlrp.learn(PK, wide(), con, "v", ridge=0, privacy=VALUES)
    assert value.ridge > 0
    with pytest.raises(sqlrp.ParameterError) as caught:
        value.inference()
    assert_one_line(caught, "standard errors")
    changed = json.loads(model.to_json())
    changed["settings"]["privacy"]["epsilon"] = -1
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.model_from_json(json.dumps(changed))
    assert_one_line(caught, "epsilon = -1", "from 0.001 to 50")


def test_rows_that_nobody_has_give_a_model_of_noise(con: Any) -> None:
    """Whether there is a row of a class is a secret, too."""
    need_package("opendp")
    con.execute("DELETE FROM t WHERE label < 2")
    for way in ("auto", "sql"):
        asked = sqlrp.Privacy(epsilon=1, delta=1e-6, clip=CLIP, classes=[0, 1])
        assert sqlrp.learn(PK, wide(), con, "label", privacy=asked, lowering=way).coef_.shape == (1, K)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"folds": 3}, "folds = 3"),
        ({"coding": "logistic"}, "passes = 100"),
        ({"coding": "discriminant"}, "coding = 'discriminant'"),
        ({"class_weight": "balanced"}, "class_weight"),
        ({"sample_weight": "v"}, "sample_weight"),
        ({"standardize": True}, "standardize"),
        ({"by": "name"}, "by = 'name'"),
        ({"task": "regressor"}, "task = 'regressor'"),
        ({"privacy": 1.0}, "privacy = 1.0 must be a sqlrp.Privacy"),
        ({"target": "name"}, "classes = [0, 1], and 'name' is VARCHAR"),
        ({"source": sqlrp.Standardized(wide())}, "how = 'standard'"),
    ],
)
def test_what_a_private_model_cannot_have(con: Any, given: dict[str, Any], said: str) -> None:
    own: dict[str, Any] = {"source": wide(), "target": "label"}
    own |= {"privacy": sqlrp.Privacy(epsilon=1, delta=1e-6, clip=1.0, classes=[0, 1])} | given
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.learn(PK, own.pop("source"), con, own.pop("target"), **own)
    assert_one_line(caught, said)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"epsilon": 0}, "epsilon = 0 must be a number from 0.001 to 50"),
        ({"epsilon": float("nan")}, "epsilon = nan"),
        ({"delta": 1}, "delta = 1 "),
        ({"delta": "x"}, "delta = 'x'"),
        ({"clip": math.inf}, "clip = inf"),
        ({"clip": True}, "clip = True"),
        ({"classes": "ab"}, "classes = 'ab' must be a list"),
        ({"classes": [1]}, "two or more"),
        ({"classes": [1, 1.0, 2]}, "each once"),
        ({"classes": [1, "b"]}, "all be text"),
        ({"classes": [1.5, 2]}, "class 1.5"),
        ({"classes": []}, "the classes of a classifier, or the bounds"),
        ({"bounds": (0, 1)}, "the classes of a classifier, or the bounds"),
        ({"classes": (), "bounds": (1, 1)}, "bounds = (1, 1)"),
        ({"classes": (), "bounds": [0, math.inf]}, "bounds = [0, inf]"),
        ({"classes": (), "bounds": 3}, "bounds = 3"),
    ],
)
def test_bad_values(given: dict[str, Any], said: str) -> None:
    with pytest.raises(sqlrp.ParameterError) as caught:
        sqlrp.Privacy(**({"epsilon": 1, "delta": 1e-6, "clip": 1.0, "classes": [0, 1]} | given))
    assert_one_line(caught, said)


def test_a_fitted_projection_is_warned_of(con: Any, noise: Noise) -> None:
    for fitted in (
        sqlrp.fit(sqlrp.PrincipalComponents(k=2), wide(), con),
        sqlrp.fit(sqlrp.PartialLeastSquares(k=2), wide(), con, target="v"),
        sqlrp.fit(PK, sqlrp.Standardized(wide()), con),
    ):
        with pytest.warns(sqlrp.SqlrpWarning, match=f"{type(fitted).__name__} was learnt from rows"):
            sqlrp.learn(fitted, wide(), con, "label", privacy=sqlrp.Privacy(1, 1e-6, 1.0, [0, 1]))


def test_the_page_prints_what_it_shows(tmp_path: Path) -> None:
    need_package("opendp")
    check(EXAMPLES / "private.md", tmp_path)
