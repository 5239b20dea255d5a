"""Methods with landmarks, in numpy: scikit-learn's kernels, exact at the landmarks, orthonormal directions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cases import TRAINED, D, X
from helpers import assert_one_line, z_of
from sklearn.metrics.pairwise import cosine_similarity, polynomial_kernel, rbf_kernel

import sqlrp
from sqlrp._core.draw import Purpose, draw_permutation, hashes
from sqlrp.kernels import Radial


def test_nystroem_is_exact_at_its_landmarks() -> None:
    method = replace(TRAINED["nystroem"], k=12).fit(X)
    z = z_of(method, X)
    assert np.allclose(z @ z.T, (X @ X.T + 1) ** 3, rtol=1e-6)


KERNELS: dict[str, Callable[..., Any]] = {
    "polynomial": lambda x, y: polynomial_kernel(x, y, degree=3, gamma=0.5, coef0=1),
    "rbf": lambda x, y: rbf_kernel(x, y, gamma=0.5),
    "cosine": cosine_similarity,
}
"""Scikit-learn's kernels, of the degree 3, c = 1 and γ = 1/2."""


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("variant", ["nystroem", "gaussian", "orthonormal", "kpca"])
def test_landmarks_take_scikit_learn_s_kernels(name: str, variant: str) -> None:
    options: dict[str, Any] = {"degree": 3, "c": 1.0, "kernel_name": name, "gamma": 0.5, "sample": 12, "seed": 3}
    if variant == "nystroem":
        method: Any = sqlrp.NystroemProjection(k=12, **options)
    else:
        k = 11 if variant == "orthonormal" else 12
        method = sqlrp.KernelGaussianProjection(k=k, t=3, variant=variant, **options)
    fitted, others = method.fit(X), np.random.default_rng(2).normal(size=(7, D))
    kernel = KERNELS[name]
    landmarks = X[draw_permutation(len(X), 3, Purpose.SAMPLE)] if variant == "nystroem" else X
    z = z_of(fitted, others)
    np.testing.assert_allclose(z, kernel(others, landmarks) @ fitted.arrays["weights"], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(fitted.kernel().matrix(others), kernel(others, others), rtol=1e-9, atol=1e-12)
    if variant in ("nystroem", "orthonormal"):  # with a direction for each landmark, all distances are kept
        at = z_of(fitted, X)
        np.testing.assert_allclose(apart(at @ at.T), apart(kernel(X, X)), rtol=1e-5, atol=1e-8)


def apart(inner: Any) -> Any:
    """The squared distances for a matrix of inner products."""
    return np.diag(inner)[:, None] + np.diag(inner) - 2 * inner


def test_the_default_of_gamma_is_scikit_learn_s() -> None:
    wide = sqlrp.NystroemProjection(k=3, kernel_name="rbf", sample=12).fit(X)
    assert np.allclose(wide.kernel().matrix(X), rbf_kernel(X))
    assert np.allclose(replace(TRAINED["nystroem"], c=0.0).fit(X).kernel().matrix(X), (X @ X.T) ** 3)
    narrow = sqlrp.NystroemProjection(k=2, kernel_name="rbf").fit(X[:, :1])
    assert narrow.kernel() == Radial(1.0)
    assert replace(wide, gamma=1 / D).kernel() == wide.kernel()
    with pytest.raises(
        sqlrp.ParameterError, match=r"gamma = 2.0 must be 0.111\d*, with which it was fitted: fit it again"
    ):
        replace(wide, gamma=2.0)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kernel_name": "tanh"}, "kernel_name = 'tanh' must be one of polynomial, rbf, cosine"),
        ({"gamma": 0}, "gamma = 0 must be a finite number > 0, or None for the default"),
        ({"gamma": math.inf}, "gamma = inf must be a finite number > 0"),
        ({"gamma": True}, "gamma = True"),
    ],
)
def test_other_kernels_are_refused(values: dict[str, Any], words: str) -> None:
    for method in (sqlrp.NystroemProjection, sqlrp.KernelGaussianProjection):
        with pytest.raises(sqlrp.ParameterError) as caught:
            method(**values)
        assert_one_line(caught, words)


def test_kernel_directions_are_orthonormal() -> None:
    method = replace(TRAINED["korp"], k=5).fit(X)
    w = method.arrays["weights"] * math.sqrt(5 / 11)
    assert np.allclose(w.sum(axis=0), 0, atol=1e-8)
    assert np.allclose(w.T @ ((X @ X.T) ** 2) @ w, np.eye(5), atol=1e-8)


def test_kernel_directions_are_those_of_kulis_and_grauman() -> None:
    """Section 3 of their paper, with the monomials written out: whitened means of t rows minus the mean of all."""
    fitted = sqlrp.KernelGaussianProjection(k=4, t=3, sample=12, seed=5).fit(X)
    numbers = hashes(5, Purpose.INDEX, np.arange(4, dtype=np.int64), np.arange(12, dtype=np.int64))
    rows = np.einsum("ni,nj->nij", X, X).reshape(12, -1)  # degree 2 without a constant
    about = rows - rows.mean(axis=0)
    values, vectors = np.linalg.eigh(about.T @ about / 11)
    kept = values > 1e-9 * values.max()
    whitening = vectors[:, kept] / np.sqrt(values[kept]) @ vectors[:, kept].T
    directions = [
        math.sqrt(3) * (rows[np.argsort(of_component)[:3]].mean(axis=0) - rows.mean(axis=0)) @ whitening
        for of_component in numbers
    ]
    assert np.allclose(z_of(fitted, X), rows @ np.array(directions).T / math.sqrt(4))


def test_a_projection_that_was_fitted_without_centring_stays() -> None:
    fitted = TRAINED["kg-rp"].fit(X)
    kept = {name: array for name, array in fitted.arrays.items() if name != "centred"}
    before = sqlrp.from_json(fitted.with_arrays(**kept).to_json())
    assert before.kernel().placed
    assert not fitted.kernel().placed
    assert np.array_equal(z_of(before, X), z_of(fitted, X))
