"""Projections as JSON, their fingerprints and names, and that they are frozen values."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from helpers import METHODS, assert_one_line
from hypothesis import given
from hypothesis import strategies as st

import sqlrp
from sqlrp import (
    ParameterError,
    PolynomialKernelProjection,
    Projection,
    SparseProjection,
)


@st.composite
def any_projection(draw: Any) -> Projection:
    k, seed = draw(st.integers(1, 5000)), draw(st.integers(0, 2**53 - 1))
    s = draw(st.one_of(st.just("sqrt"), st.integers(1, 1000), st.floats(1, 1e6)))
    if draw(st.booleans()):
        return SparseProjection(k=k, s=s, seed=seed)
    degree, t = draw(st.integers(1, 5)), draw(st.integers(1, 40))
    p = draw(st.one_of(st.none(), st.integers(degree * t, degree * t * k)))
    c = draw(st.one_of(st.integers(0, 9), st.floats(0, 1e9)))
    return PolynomialKernelProjection(
        k=k, s=s, seed=seed, degree=degree, t=t, p=p, c=c, minimise_repetition=draw(st.booleans())
    )


@given(projection=any_projection())
def test_json_round_trip(projection: Projection) -> None:
    text = projection.to_json()
    again = sqlrp.from_json(text)
    assert again == projection
    assert type(again) is type(projection)
    assert again.to_json() == text
    assert again.fingerprint == projection.fingerprint
    assert "\n" not in text
    assert json.loads(text)["projection"] == type(projection).__name__


def test_golden_json_and_fingerprints() -> None:
    p = PolynomialKernelProjection(k=8, s=2.5, seed=5, degree=3, t=2, p=20, c=1.5)
    assert p.to_json() == (
        '{"c": 1.5, "degree": 3, "k": 8, "minimise_repetition": true, '
        '"p": 20, "projection": "PolynomialKernelProjection", "s": 2.5, "seed": 5, "t": 2, "vectors": "sign"}'
    )
    assert p.fingerprint == "d5dbf10a22fcb549"
    assert SparseProjection().to_json() == '{"k": 64, "projection": "SparseProjection", "s": "sqrt", "seed": 0}'


def test_equal_projections_have_equal_fingerprints() -> None:
    pairs: list[tuple[Projection, Projection]] = [
        (SparseProjection(k=4, s=3), SparseProjection(k=4, s=3.0)),
        (PolynomialKernelProjection(k=4, c=1), PolynomialKernelProjection(k=4, c=1.0)),
        (PolynomialKernelProjection(k=4, c=0.0), PolynomialKernelProjection(k=4, c=-0.0)),
    ]
    for a, b in pairs:
        assert a == b
        assert hash(a) == hash(b)
        assert a.to_json() == b.to_json()
        assert a.fingerprint == b.fingerprint


def test_other_projections_have_other_fingerprints() -> None:
    base: dict[str, Any] = {"k": 8, "s": 3, "seed": 1, "degree": 2, "t": 2, "p": 10, "c": 0.0}
    changes: list[dict[str, Any]] = [
        {},
        {"k": 9},
        {"s": 4},
        {"s": "sqrt"},
        {"seed": 2},
        {"degree": 3},
        {"t": 3},
        {"p": 11},
        {"p": None},
        {"c": 1.0},
        {"minimise_repetition": False},
    ]
    prints = {PolynomialKernelProjection(**{**base, **change}).fingerprint for change in changes}
    prints.add(SparseProjection(k=8, s=3, seed=1).fingerprint)
    assert len(prints) == len(changes) + 1
    assert all(len(p) == 16 and int(p, 16) >= 0 for p in prints)


def test_the_name_is_python() -> None:
    for projection in METHODS.values():
        again = eval(
            projection.name,
            {"SparseProjection": SparseProjection, "PolynomialKernelProjection": PolynomialKernelProjection},
        )
        assert again == projection


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["''", "not the JSON", "'projection' key"]),
        ("{", ["'{'", "not the JSON"]),
        ("[]", ["'[]'", "not the JSON"]),
        ("5", ["not the JSON"]),
        ("null", ["not the JSON"]),
        ('"SparseProjection"', ["not the JSON"]),
        ("{}", ["'projection' key"]),
        (None, ["None", "not the JSON"]),
        (5, ["5", "not the JSON"]),
        ('{"projection": "SparseProjektion"}', ["'SparseProjektion'", "did you mean 'SparseProjection'?"]),
        (
            '{"projection": "X"}',
            ["'X'", "unknown", "one of SparseProjection, GaussianProjection, OrthonormalProjection"],
        ),
        ('{"projection": null}', ["None", "unknown"]),
        ('{"projection": []}', ["unknown"]),
        ('{"projection": {}}', ["unknown"]),
        ('{"projection": "SparseProjection", "kk": 3}', ["no parameter 'kk'", "did you mean 'k'?", "k, s, seed"]),
        ('{"projection": "SparseProjection", "degree": 3}', ["no parameter 'degree'", "k, s, seed"]),
        ('{"projection": "SparseProjection", "function": "f"}', ["no parameter 'function'"]),
        ('{"projection": "SparseProjection", "k": 0}', ["k = 0", ">= 1"]),
        ('{"projection": "SparseProjection", "k": 3.0}', ["k = 3.0", "whole number"]),
        ('{"projection": "SparseProjection", "k": "3"}', ["k = '3'"]),
        ('{"projection": "SparseProjection", "s": NaN}', ["s = nan"]),
        ('{"projection": "SparseProjection", "s": Infinity}', ["s = inf"]),
        ('{"projection": "SparseProjection", "s": null}', ["s = None"]),
        ('{"projection": "SparseProjection", "s": [3]}', ["s = [3]"]),
        ('{"projection": "SparseProjection", "seed": -1}', ["seed = -1"]),
        ('{"projection": "PolynomialKernelProjection", "c": null}', ["c = None", ">= 0"]),
        ('{"projection": "PolynomialKernelProjection", "k": 2, "p": 1}', ["p = 1", "degree * t = 8"]),
    ],
)
def test_from_json_errors(text: Any, words: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        sqlrp.from_json(text)
    assert_one_line(caught, *words)


def test_projections_are_frozen_values() -> None:
    p = SparseProjection(k=4)
    with pytest.raises(AttributeError):
        p.k = 5  # type: ignore[misc]
    assert {p, SparseProjection(k=4), SparseProjection(k=5)} == {p, SparseProjection(k=5)}
    assert replace(p, k=5) == SparseProjection(k=5)
    assert p.factor(100) == pytest.approx(math.sqrt(10 / 4))
