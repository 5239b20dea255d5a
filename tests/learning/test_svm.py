"""Support vector machines on kernels against scikit-learn's on the rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from evaluate import evaluate
from helpers import assert_one_line
from measuring import rows, slow_distances
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC, SVR

from sqlrp import ParameterError, SparseProjection, quality


def test_margin_and_radius_of_a_square() -> None:
    x = np.array([[0, 0], [0, 2], [2, 0], [2, 2]] * 3, dtype=float)
    found = quality.svm_margin(x, x[:, 0], C=1000, folds=3)
    assert found.margin == pytest.approx(1, rel=1e-3)
    assert found.radius == pytest.approx(math.sqrt(2), rel=1e-6)
    assert found.error_in == found.error_out == 0


def test_errors_of_labels_without_rule() -> None:
    found = quality.svm_margin(rows(200, 5), np.arange(200) % 2)
    assert 0.3 < found.error_in <= 0.5
    assert 0.35 < found.error_out < 0.65


def test_folds_are_those_of_an_svm_on_the_rows() -> None:
    x, y = rows(40, 6), np.arange(40) % 2
    found = quality.svm_margin(x, y, C=2, folds=4, seed=3, repeats=2)
    margins, errors = [], []
    for seed in (3, 4):
        for train, test in StratifiedKFold(4, shuffle=True, random_state=seed).split(x, y):
            svm = SVC(kernel="linear", C=2).fit(x[train], y[train])
            margins.append(1 / np.linalg.norm(svm.coef_))
            errors.append(1 - svm.score(x[test], y[test]))
    assert found.fold_margin == pytest.approx(np.mean(margins), rel=1e-3)
    assert found.error_out == pytest.approx(np.mean(errors))
    assert found.margin == pytest.approx(1 / np.linalg.norm(SVC(kernel="linear", C=2).fit(x, y).coef_), rel=1e-3)


def test_three_classes_have_errors_and_no_margin() -> None:
    x = np.repeat([[0.0, 0], [9, 0], [0, 9]], 8, axis=0) + rows(24, 2) / 20
    found = quality.svm_margin(x, np.repeat(list("abc"), 8), folds=4)
    assert math.isnan(found.margin)
    assert math.isnan(found.fold_margin)
    assert found.error_in == found.error_out == 0


def test_regression_is_that_of_an_svr_on_the_rows() -> None:
    x = rows(40, 6)
    y = x @ np.arange(6) + np.sin(np.arange(40))
    found = quality.svr_margin(x, y, C=3, folds=5, seed=1, epsilon=0.2)
    svr = SVR(kernel="linear", C=3, epsilon=0.2)
    margins, errors = [], []
    for train, test in KFold(5, shuffle=True, random_state=1).split(x):
        svr.fit(x[train], y[train])
        margins.append(1 / np.linalg.norm(svr.coef_))
        errors.append(np.mean((svr.predict(x[test]) - y[test]) ** 2))
    assert (found.fold_margin, found.mse_out) == pytest.approx((np.mean(margins), np.mean(errors)), rel=0.01)
    fitted = svr.fit(x, y).predict(x)
    own = (1 / np.linalg.norm(svr.coef_), np.mean((fitted - y) ** 2), np.corrcoef(fitted, y)[0, 1] ** 2)
    assert (found.margin, found.mse_in, found.correlation_in) == pytest.approx(own, rel=0.01)
    assert math.isnan(quality.svr_margin(x, np.ones(40), folds=2).correlation_in)
    for bad, words in (({"folds": 41}, "folds = 41"), ({"repeats": 0}, "repeats = 0")):
        with pytest.raises(ParameterError, match=words):
            quality.svr_margin(x, y, **bad)
    with pytest.raises(ParameterError, match="not finite"):
        quality.svr_margin(x, [math.nan, *y[1:]])


def test_enclosing_radius() -> None:
    angles = np.linspace(0, 2 * math.pi, 17)[:-1]
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1) * 3 + 100
    inside = rows(30, 2, seed=2) / 10 + 100
    assert quality.enclosing_radius(np.concatenate([inside, ring])) == pytest.approx(3, rel=1e-6)
    assert quality.enclosing_radius([[0.0, 0], [3, 4]]) == pytest.approx(2.5)
    assert quality.enclosing_radius([[1.0, 1], [1, 1]]) == 0
    obtuse = [[0.0, 0], [4, 0], [1, 0.5]]
    assert quality.enclosing_radius(obtuse) == pytest.approx(2, rel=1e-6)


def test_radius_lies_between_its_bounds() -> None:
    x = rows(60, 10)
    diameter = math.sqrt(max(slow_distances(x)))
    radius = quality.enclosing_radius(x)
    assert diameter / 2 <= radius * (1 + 1e-6)
    assert radius <= diameter / math.sqrt(2) * (1 + 1e-6), "Jung's theorem"


def test_a_projection_nearly_keeps_an_svm() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 400)) + np.where(np.arange(120) % 2, 0.3, -0.3)[:, None]
    p = SparseProjection(k=200, s=3, seed=1)
    z = evaluate(p.stages(400), x, np.arange(400)) * p.factor(400)
    before, after = (quality.svm_margin(v, np.arange(120) % 2) for v in (x, z))
    assert after.margin == pytest.approx(before.margin, rel=0.25)
    assert after.radius == pytest.approx(before.radius, rel=0.15)
    assert after.error_out <= before.error_out + 0.05


@pytest.mark.parametrize(
    ("y", "folds", "words"),
    [
        ([0] * 24, 3, ["1 class ", "at least 2"]),
        ([0, 1] * 12, 13, ["folds = 13", "from 2 to 12"]),
        ([0, 1], 2, ["(2,)", "(24, 9)"]),
    ],
)
def test_svm_refuses(y: list[int], folds: int, words: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        quality.svm_margin(rows(), y, folds=folds)
    assert_one_line(caught, *words)
