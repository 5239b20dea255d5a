"""Import of fitted scikit-learn transformers as projections that run in the database."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sqlrp._core.errors import ParameterError, UnsupportedError, shorten, warn
from sqlrp._projections.affine import Affine, columns_of, union_of
from sqlrp._projections.chained import Chained, Scaling
from sqlrp._projections.given import GivenProjection
from sqlrp._projections.given_fourier import GivenFourierFeatures
from sqlrp._projections.given_radial import GivenRadialFeatures
from sqlrp._projections.given_sketch import GivenTensorSketch
from sqlrp._projections.held_arrays import features_of
from sqlrp._projections.nystroem import NystroemProjection
from sqlrp._projections.projection import Projection

_NOISE = 1e-10
"""The part of the median size of components below which one is rounding."""


def from_sklearn(fitted: Any) -> Projection:
    """A projection that computes what the `transform` of a fitted scikit-learn transformer or Pipeline returns.

    Supported are SparseRandomProjection (whose weights become signs and one factor), GaussianRandomProjection, PCA and
    IncrementalPCA (whitened or not), TruncatedSVD, LinearDiscriminantAnalysis, PLSRegression and its siblings,
    PolynomialCountSketch, and Nystroem with the kernel "linear", "polynomial" ("poly") with a whole degree and
    coef0 ≥ 0, "rbf" or "cosine", and RBFSampler. Classes that select features by `get_support` are supported, too, such
    as VarianceThreshold, SelectKBest, SelectFromModel and RFE. The projection is bound to the transformer's
    features: to their names if it was fitted on names, otherwise to their number. A table's columns are then taken by
    their position, with a warning. It no longer needs scikit-learn, and is saved like any other projection. For a
    transformer of `sqlrp.sklearn` the result is its `projection_`.

    A Pipeline of these may also hold StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler and Normalizer. It
    becomes one `Chained` projection. A SimpleImputer of numbers may be its first step, or follow scalers. NULL
    then becomes its statistic, and other values have an error of 10⁻¹⁶ times the statistic. NaN in a table stays NaN. A
    ColumnTransformer or a FeatureUnion of linear transformers, of scalers and "passthrough" is one step. If it was
    fitted on names, the source need not have the columns that it drops. Of a search, such as GridSearchCV, the
    `best_estimator_` is taken.

    Raises ParameterError if the transformer is not fitted, and UnsupportedError for any other class or kernel; the
    message names the step of a pipeline.

        >>> from sklearn.random_projection import SparseRandomProjection
        >>> fitted = SparseRandomProjection(n_components=2, random_state=0).fit(x)
        >>> sqlrp.from_sklearn(fitted).k
        2
    """
    if isinstance(fitted, Projection):
        raise ParameterError(f"{shorten(fitted)} is a projection of sqlrp already: use it as it is")
    if isinstance(fitted, type):
        raise ParameterError(f"{shorten(fitted)} is a class: pass a fitted transformer")
    fitted = best_of(fitted)
    if not is_pipeline(fitted):
        return _first(fitted, _READERS)
    steps = steps_of(fitted)
    if steps and hasattr(steps[-1][1], "predict") and not _reader_of(steps[-1][1], _READERS):
        name, model = steps[-1]
        raise UnsupportedError(
            f"step {name!r} of the pipeline is a model, {shorten(model)}: score the whole by sqlrp.score_sql, or pass "
            "pipeline[:-1]"
        )
    made = chain_of(steps)
    if made is None or isinstance(made, Scaling) or (isinstance(made, Chained) and made.preparation_only):
        raise UnsupportedError(f"the pipeline has no projection: one step must be one of {', '.join(_READERS)}")
    return made


def is_pipeline(value: Any) -> bool:
    """Whether a value is a Pipeline of scikit-learn."""
    return "Pipeline" in _sklearn_names(value)


def best_of(estimator: Any) -> Any:
    """The best estimator of a search; any other estimator as it is."""
    if isinstance(estimator, type) or "BaseSearchCV" not in _sklearn_names(estimator):
        return estimator
    if not hasattr(estimator, "best_estimator_"):
        raise ParameterError(f"{shorten(estimator)} has no best_estimator_: call its fit first, with refit=True")
    return best_of(estimator.best_estimator_)


def steps_of(pipeline: Any, prefix: str = "") -> list[tuple[str, Any]]:
    """The names and estimators of a pipeline's steps. Steps of inner pipelines are included, as "outer.inner"."""
    found: list[tuple[str, Any]] = []
    for name, step in ((name, best_of(step)) for name, step in pipeline.steps):
        if is_pipeline(step):
            found += steps_of(step, f"{prefix}{name}.")
        elif step is not None and not (isinstance(step, str) and step == "passthrough"):
            found.append((f"{prefix}{name}", step))
    return found


def chain_of(steps: Sequence[tuple[str, Any]], first: Projection | None = None) -> Projection | None:
    """One projection for the transformers of a pipeline, after the projection `first`; None for no steps.

    Raises ParameterError or UnsupportedError with the name of a step that cannot be read.
    """
    made = [] if first is None else [first]
    named = [""] * len(made)
    for name, step in steps:
        try:
            read = (_read if made else _first)(step, _READERS | _SCALERS)
            # The steps of a step are steps of the chain, bound as it is.
            own = _filling(made, read) if made and read.fills else read.of if isinstance(read, Chained) else (read,)
            made += [own[0].bound(read.bound_to), *own[1:]]
            named += [name] * len(own)
        except (ParameterError, UnsupportedError) as error:
            raise type(error)(f"step {name!r} of the pipeline: {error}") from error
        if not all(isinstance(each, Scaling) for each in made[:-1]):
            _caution_of_noise(name, made[-1])
    for before, after, name in zip(made, made[1:], named[1:], strict=False):
        if features_of(after) != before.k:
            raise ParameterError(
                f"step {name!r} of the pipeline was fitted on {features_of(after)} features, and the step before has "
                f"{before.k} components: they must agree"
            )
    if len(made) < 2:
        return made[0] if made else None
    # Names inside a pipeline are those of the step before, which the columns of a query do not have.
    inner = [step.bound(step.bound_to and features_of(step)) for step in made[1:]]
    return Chained(of=(made[0], *inner), bound_to=made[0].bound_to, shared_seeds=True)


def _filling(made: list[Projection], imputer: Projection) -> tuple[Projection, ...]:
    """The steps of an imputer after scalings, which leave NULL as it is: the first is told what NULL becomes before."""
    first, *rest = imputer.of if isinstance(imputer, Chained) else (imputer,)
    assert isinstance(first, Scaling)
    fill = first.arrays["fill"]
    for step in reversed(made):
        if not isinstance(step, Scaling) or step.fills or step.arrays["norm"]:
            raise UnsupportedError("it must be the first step, or follow scalers alone, as NULL is filled at the start")
        fill = fill / step.arrays["scale"] + step.arrays["offset"]
    begun = made[0]
    assert isinstance(begun, Scaling)
    filling = Scaling.of(begun.arrays["offset"], begun.arrays["scale"], fill=fill)
    made[0] = filling.bound(begun.bound_to)
    return tuple(rest) or (Scaling.of(np.zeros(first.k), np.ones(first.k)).bound(first.k),)


def _caution_of_noise(name: str, step: Projection) -> None:
    """Warn about a scaling of components that vary by rounding only, as an empty entry of a count sketch does."""
    if not isinstance(step, Scaling):
        return
    size = 1 / np.abs(step.arrays["scale"])
    noise = np.flatnonzero(size < _NOISE * np.median(size))
    if noise.size:
        warn(
            f"step {name!r} of the pipeline divides component {noise[0]} of the step before by {size[noise[0]]:.3g}, "
            f"which is rounding: {noise.size} components are always the same, and what scikit-learn makes of their "
            "noise is not that of the SQL; leave out the step, or those components"
        )


def _sklearn_names(value: Any) -> list[str]:
    return [c.__name__ for c in type(value).__mro__ if c.__module__.partition(".")[0] == "sklearn"]


def _reader_of(fitted: Any, readers: Mapping[str, _Reader]) -> str | None:
    return next((n for n in _sklearn_names(fitted) if n in readers), None)


def _read(fitted: Any, readers: Mapping[str, _Reader]) -> Projection:
    """The projection of one transformer, bound to its features."""
    name = _reader_of(fitted, readers)
    own = type(fitted).__module__ == "sqlrp.sklearn"
    if name is None and not own:
        raise UnsupportedError(
            f"{shorten(fitted)} cannot become a projection. These can: {', '.join(readers)}, and the transformers of "
            "sqlrp.sklearn"
        )
    attribute, read = ("projection_", _own) if own or name is None else readers[name]
    if not hasattr(fitted, attribute):
        raise ParameterError(f"{shorten(fitted)} is not fitted: call its fit first")
    made = read(fitted)
    names = getattr(fitted, "feature_names_in_", None)
    return made.bound(int(fitted.n_features_in_) if names is None else tuple(map(str, names)))


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


def _centred(fitted: Any, mean: Any, size: Any, weights: Any) -> Projection:
    """(x - mean)/size times weights, where size may be 1."""
    moved = Scaling.of(mean, np.broadcast_to(1 / np.asarray(size, dtype=np.float64), (len(mean),)))
    made = Chained(of=(moved, GivenProjection.of(np.asarray(weights, dtype=np.float64))))
    return made.bound(int(fitted.n_features_in_))


def _discriminants(fitted: Any) -> Projection:
    if fitted.solver == "lsqr":
        raise UnsupportedError(f"{shorten(fitted)} has no transform: use solver='svd' or 'eigen'")
    weights = fitted.scalings_[:, : fitted._max_components]
    if fitted.solver == "eigen":
        return GivenProjection.of(np.asarray(weights, dtype=np.float64))
    return _centred(fitted, fitted.xbar_, 1.0, weights)


def _least_squares(fitted: Any) -> Projection:
    weights = fitted.x_rotations_ if hasattr(fitted, "x_rotations_") else fitted.x_weights_
    return _centred(fitted, fitted._x_mean, fitted._x_std, weights)


def _selected(fitted: Any) -> Projection:
    chosen = np.flatnonzero(fitted.get_support())
    if not chosen.size:
        raise UnsupportedError(f"{shorten(fitted)} selects no feature: there is nothing to compute")
    return _selection(int(fitted.n_features_in_), chosen)


def _columns(fitted: Any) -> Projection:
    return columns_of(fitted, _part)[0].projection()


def _first(fitted: Any, readers: Mapping[str, _Reader]) -> Projection:
    """The projection of a transformer that reads a source: it needs no columns that a ColumnTransformer drops."""
    made = _read(fitted, readers)
    if _reader_of(fitted, readers) != "ColumnTransformer" or isinstance(made.bound_to, int):
        return made
    found, used = columns_of(fitted, _part)
    fill = None if found.fill is None else found.fill[used]
    kept = Affine(found.origin[used], found.weights[used], found.offset, fill)
    return kept.projection().bound(tuple(str(fitted.feature_names_in_[i]) for i in used))


def _union(fitted: Any) -> Projection:
    return union_of(fitted, _part).projection()


def _part(step: Any) -> Projection:
    """One transformer of several that stand next to each other, which may be a pipeline."""
    step = best_of(step)
    if not is_pipeline(step):
        return _read(step, _READERS | _SCALERS)
    steps = steps_of(step)
    return chain_of(steps) or _unchanged(step)


def _unchanged(fitted: Any) -> Projection:
    if getattr(fitted, "func", None) is not None:
        raise UnsupportedError(f"{shorten(fitted)} calls a function of Python, which has no SQL: leave it out")
    return Scaling.of(np.zeros(fitted.n_features_in_), np.ones(fitted.n_features_in_))


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


def _fourier(fitted: Any) -> Projection:
    gamma = fitted.gamma if isinstance(fitted.gamma, (int, float)) else fitted._gamma  # of "scale", which fit computes
    return GivenFourierFeatures.of(fitted.random_weights_, fitted.random_offset_, float(gamma))


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
    if fitted.kernel == "cosine":
        return NystroemProjection(k=weights.shape[1], kernel_name="cosine").with_landmarks(landmarks, weights)
    degree, c = values["degree"], values["coef0"]
    if fitted.kernel not in ("polynomial", "poly") or degree != int(degree) or degree < 1 or c < 0:
        raise UnsupportedError(
            f"kernel = {shorten(fitted.kernel)} with degree = {degree!r} and coef0 = {c!r} cannot be taken: it must be "
            "'linear', 'rbf', 'cosine', or 'polynomial' of a whole degree >= 1 and coef0 >= 0"
        )
    made = NystroemProjection(k=weights.shape[1], degree=int(degree), c=float(c), gamma=gamma)
    return made.with_landmarks(landmarks, weights)


def _standard(fitted: Any) -> Projection:
    return _scaling(fitted, fitted.mean_ if fitted.with_mean else None, fitted.scale_ if fitted.with_std else None)


def _robust(fitted: Any) -> Projection:
    return _scaling(
        fitted, fitted.center_ if fitted.with_centering else None, fitted.scale_ if fitted.with_scaling else None
    )


def _largest(fitted: Any) -> Projection:
    _check_clip(fitted)
    return _scaling(fitted, None, fitted.scale_)


def _range(fitted: Any) -> Projection:
    _check_clip(fitted)
    return _scaling(fitted, -fitted.min_ / fitted.scale_, 1 / fitted.scale_)


def _imputed(fitted: Any) -> Projection:
    marks = fitted.missing_values
    if not (marks is None or (isinstance(marks, float) and math.isnan(marks)) or type(marks).__name__ == "NAType"):
        raise UnsupportedError(f"missing_values = {shorten(marks)} has no SQL: use NaN, which is NULL in a table")
    if fitted.add_indicator:
        raise UnsupportedError(f"{shorten(fitted)} adds indicators of what is missing: use add_indicator=False")
    try:
        values = np.asarray(fitted.statistics_, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UnsupportedError(f"{shorten(fitted)} imputes text, which is no feature: use it for numbers") from error
    kept, n = np.flatnonzero(~np.isnan(values)), len(values)
    if not kept.size:
        raise UnsupportedError(
            f"{shorten(fitted)} keeps no feature, as all values were missing: fit it on rows with values"
        )
    made = Scaling.of(np.zeros(n), np.ones(n), fill=np.nan_to_num(values, nan=0.0))
    if len(kept) == n:
        return made
    return Chained(of=(made, _selection(n, kept)), bound_to=n)  # a feature without any value is left out


def _selection(n: int, chosen: Any) -> GivenProjection:
    """Some of n features."""
    weights = np.zeros((n, len(chosen)), dtype=np.int8)
    weights[chosen, np.arange(len(chosen))] = 1
    return GivenProjection.of(weights)


def _norm(fitted: Any) -> Projection:
    if fitted.norm != "l2":
        raise UnsupportedError(f"norm = {fitted.norm!r} has no SQL: use Normalizer(norm='l2')")
    return Scaling.of(np.zeros(fitted.n_features_in_), np.ones(fitted.n_features_in_), norm=True)


def _check_clip(fitted: Any) -> None:
    if getattr(fitted, "clip", False):
        raise UnsupportedError(f"{shorten(fitted)} cuts values off, which is not linear: use clip=False")


def _scaling(fitted: Any, offset: Any, size: Any) -> Scaling:
    """(x - offset) / size, where None stands for 0 and 1."""
    n = int(fitted.n_features_in_)
    size = np.ones(n) if size is None else np.asarray(size, dtype=np.float64)
    return Scaling.of(np.zeros(n) if offset is None else offset, 1 / size)


_Reader = tuple[str, Callable[[Any], Projection]]

_READERS: dict[str, _Reader] = {
    "SparseRandomProjection": ("components_", _sparse),
    "GaussianRandomProjection": ("components_", _dense),
    "PCA": ("components_", _pca),
    "IncrementalPCA": ("components_", _pca),
    "TruncatedSVD": ("components_", _dense),
    "LinearDiscriminantAnalysis": ("classes_", _discriminants),
    "_PLS": ("x_rotations_", _least_squares),
    "PLSSVD": ("x_weights_", _least_squares),
    "ColumnTransformer": ("transformers_", _columns),
    "FeatureUnion": ("n_features_in_", _union),
    "PolynomialCountSketch": ("indexHash_", _count_sketch),
    "Nystroem": ("normalization_", _nystroem),
    "RBFSampler": ("random_weights_", _fourier),
    "SelectorMixin": ("n_features_in_", _selected),
}
"""For every supported class: the attribute that fit sets, and the function that reads it."""

_SCALERS: dict[str, _Reader] = {
    "StandardScaler": ("n_features_in_", _standard),
    "MinMaxScaler": ("n_features_in_", _range),
    "MaxAbsScaler": ("n_features_in_", _largest),
    "RobustScaler": ("n_features_in_", _robust),
    "Normalizer": ("n_features_in_", _norm),
    "SimpleImputer": ("statistics_", _imputed),
    "FunctionTransformer": ("n_features_in_", _unchanged),
}
"""The same for the scalers, which are steps of a pipeline."""
