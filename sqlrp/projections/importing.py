"""Import of fitted scikit-learn transformers as projections that run in the database."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sqlrp.core.errors import ParameterError, UnsupportedError, shorten
from sqlrp.projections.base import Projection
from sqlrp.projections.given import GivenProjection
from sqlrp.projections.given_radial import GivenRadialFeatures
from sqlrp.projections.given_sketch import GivenTensorSketch
from sqlrp.projections.nystroem import NystroemProjection


def from_sklearn(fitted: Any) -> Projection:
    """A projection that computes what the `transform` of a fitted scikit-learn transformer returns.

    Supported are SparseRandomProjection (whose weights become signs and one factor), GaussianRandomProjection, PCA
    (whitened or not), TruncatedSVD, PolynomialCountSketch, and Nystroem with the kernel "linear", "polynomial" ("poly")
    with a whole degree and coef0 ≥ 0, or "rbf". The projection is bound to the transformer's features: to their names
    if it was fitted on names, otherwise to their number. It no longer needs scikit-learn, and is saved like any other
    projection. For a transformer of `sqlrp.sklearn` the result is its `projection_`.

    Raises ParameterError if the transformer is not fitted, and UnsupportedError for any other class or kernel.
    """
    if isinstance(fitted, Projection):
        raise ParameterError(f"{shorten(fitted)} is a projection of sqlrp already: use it as it is")
    if isinstance(fitted, type):
        raise ParameterError(f"{shorten(fitted)} is a class: pass a fitted transformer")
    known = [c.__name__ for c in type(fitted).__mro__ if c.__module__.partition(".")[0] == "sklearn"]
    name = next((n for n in known if n in _READERS), None)
    own = type(fitted).__module__ == "sqlrp.sklearn"
    if name is None and not own:
        raise UnsupportedError(
            f"{shorten(fitted)} cannot become a projection. These can: {', '.join(_READERS)}, and the transformers of "
            "sqlrp.sklearn"
        )
    attribute, read = ("projection_", _own) if own or name is None else _READERS[name]
    if not hasattr(fitted, attribute):
        raise ParameterError(f"{shorten(fitted)} is not fitted: call its fit first")
    names = getattr(fitted, "feature_names_in_", None)
    return read(fitted).bound(int(fitted.n_features_in_) if names is None else tuple(map(str, names)))


def is_fitted(estimator: Any) -> bool:
    """Whether an estimator reports that it is fitted, or has attributes set by fit, which end in an underscore."""
    says = getattr(estimator, "__sklearn_is_fitted__", None)
    if callable(says):
        return bool(says())
    return any(name.endswith("_") and not name.startswith("_") for name in getattr(estimator, "__dict__", ()))


def _own(fitted: Any) -> Projection:
    projection: Projection = fitted.projection_
    return projection


def _sparse(fitted: Any) -> Projection:
    from scipy import sparse

    components = sparse.coo_array(fitted.components_)
    signs = np.zeros(components.shape[::-1], dtype=np.int8)
    signs[components.col, components.row] = np.sign(components.data)
    return GivenProjection.of(signs, scale=float(np.abs(components.data).max(initial=0.0)))


def _dense(fitted: Any) -> Projection:
    return GivenProjection.of(np.asarray(fitted.components_, dtype=np.float64).T)


def _pca(fitted: Any) -> Projection:
    components = np.asarray(fitted.components_, dtype=np.float64)
    if fitted.whiten:
        size = np.sqrt(np.asarray(fitted.explained_variance_))
        components = components / np.maximum(size, np.finfo(size.dtype).eps)[:, None]
    return GivenProjection.of(components.T, offset=-(components @ np.asarray(fitted.mean_, dtype=np.float64)))


def _count_sketch(fitted: Any) -> Projection:
    gamma = float(fitted.gamma)
    if not gamma > 0:
        raise UnsupportedError(f"gamma = {gamma!r} leaves nothing of the features: it must be above 0")
    # (γ⟨x, y⟩ + c)^g = γ^g·(⟨x, y⟩ + c/γ)^g, so that the tables contain only signs.
    return GivenTensorSketch.of(
        fitted.indexHash_,
        fitted.bitHash_,
        int(fitted.n_components),
        math.sqrt(fitted.coef0 / gamma),
        gamma ** (fitted.degree / 2),
    )


def _nystroem(fitted: Any) -> Projection:
    landmarks = fitted.components_
    landmarks = np.asarray(landmarks.toarray() if hasattr(landmarks, "toarray") else landmarks, dtype=np.float64)
    weights = np.asarray(fitted.normalization_, dtype=np.float64).T
    # The kernel function sets what is None; parameters override kernel_params, as in its _get_kernel_params.
    own = {name: getattr(fitted, name) for name in ("gamma", "coef0", "degree")}
    values = {"gamma": None, "coef0": 1.0, "degree": 3, **(fitted.kernel_params or {})}
    values |= {name: value for name, value in own.items() if value is not None}
    gamma = 1 / landmarks.shape[1] if values["gamma"] is None else float(values["gamma"])
    if fitted.kernel == "rbf":
        return GivenRadialFeatures.of(landmarks, weights, gamma)
    if fitted.kernel == "linear":
        return GivenProjection.of(landmarks.T @ weights)
    degree, c = values["degree"], values["coef0"]
    if fitted.kernel not in ("polynomial", "poly") or degree != int(degree) or degree < 1 or c < 0:
        raise UnsupportedError(
            f"kernel = {shorten(fitted.kernel)} with degree = {degree!r} and coef0 = {c!r} cannot be taken: it must be "
            "'linear', 'rbf', or 'polynomial' of a whole degree >= 1 and coef0 >= 0"
        )
    made = NystroemProjection(k=weights.shape[1], degree=int(degree), c=float(c))
    return made.with_arrays(landmarks=gamma * landmarks.T, weights=weights, gamma=np.array(gamma))


_READERS: dict[str, tuple[str, Callable[[Any], Projection]]] = {
    "SparseRandomProjection": ("components_", _sparse),
    "GaussianRandomProjection": ("components_", _dense),
    "PCA": ("components_", _pca),
    "TruncatedSVD": ("components_", _dense),
    "PolynomialCountSketch": ("indexHash_", _count_sketch),
    "Nystroem": ("normalization_", _nystroem),
}
"""For every supported class: the attribute that fit sets, and the function that reads it."""
