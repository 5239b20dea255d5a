"""Sums of rows by class and fold, against the rows themselves."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from learnt import KEYS, PK, D, X, Y, wide

import sqlrp
from sqlrp._evaluator import moments as of_rows
from sqlrp._evaluator.moments import Accumulator, Moments, total

M, FOLDS, NAMES = 4, 3, ["b", "a", "c", "d"]


def rows(n: int = 500) -> tuple[Any, Any, Any, Any]:
    """Rows far from 0, their classes, folds and weights."""
    draw = np.random.default_rng(3)
    at = draw.integers(0, len(NAMES), n)
    return draw.normal(size=(n, M)) + at[:, None] + 1000, at, draw.integers(0, FOLDS, n), draw.uniform(0, 2, n)


def assert_moments(found: Moments, x: Any, weights: Any) -> None:
    mean = np.average(x, axis=0, weights=weights)
    assert found.count == len(x)
    assert found.weight == pytest.approx(weights.sum())
    assert np.allclose(found.mean, mean, rtol=1e-12)
    assert np.allclose(found.scatter, ((x - mean) * weights[:, None]).T @ (x - mean), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("most", [1, 700, 1 << 23])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_classes_in_batches(monkeypatch: pytest.MonkeyPatch, most: int, weighted: bool) -> None:
    """Batches name their classes in their own order, and few or many rows wait before they are added."""
    monkeypatch.setattr(of_rows, "_WAITING", most)
    x, at, fold, heavy = rows()
    heavy = heavy if weighted else np.ones(len(x))
    into = Accumulator(FOLDS, apart=True)
    for start in range(0, len(x), 37):
        part = slice(start, start + 37)
        there, codes = np.unique(at[part], return_inverse=True)
        names = [NAMES[i] for i in there]
        into.add(x[part], codes, names, fold[part], heavy[part] if weighted else None)
    found = into.moments(M)
    for i, own in enumerate(found):
        assert_moments(own, x[fold == i], heavy[fold == i])
        for j, name in enumerate(NAMES):
            mine = (fold == i) & (at == j)
            assert_moments(own.parts[name], x[mine], heavy[mine])
    whole, times = total(found), dict(zip(NAMES, (0.0, 1.0, 2.5, 7.0), strict=True))
    assert_moments(whole, x, heavy)
    assert_moments(whole - found[1], x[fold != 1], heavy[fold != 1])
    more = heavy * np.array([times[name] for name in NAMES])[at]
    assert_moments(whole.reweighted(times), x, more)
    assert list(whole.reweighted(times).classes) == ["a", "c", "d"]  # "b" has no weight


def test_a_class_of_rows_without_weight_is_none() -> None:
    """The model is that of the other rows."""
    with duckdb.connect(config={"threads": "1"}) as con:
        frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(D)])
        con.register("loaded", frame.assign(id=KEYS, label=Y, heavy=(Y != 1) * 1.0))
        con.execute("CREATE TABLE t AS FROM loaded")
        con.execute("CREATE VIEW fewer AS FROM t WHERE heavy > 0")
        asked: dict[str, Any] = {"class_weight": "balanced", "sample_weight": "heavy"}
        for lowering in ("sql", "native"):
            model = sqlrp.learn(PK, wide(), con, lowering=lowering, **asked)
            want = sqlrp.learn(PK, wide("fewer"), con, lowering=lowering, **asked)
            assert model.classes_.tolist() == [0, 2]
            assert np.allclose(model.coef_, want.coef_, rtol=1e-8)
