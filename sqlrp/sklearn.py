"""Scikit-learn transformers for the methods, fitted on arrays in memory, with the same numbers as the SQL.

Each has the name and the parameters of its projection, with `n_components` instead of k and `random_state` instead of
the seed. An integer `random_state` is the seed itself; None or a RandomState draws a seed. After `fit`, `projection_`
is the projection, bound to its features: `sqlrp.project(transformer.projection_, "table", con)` gives the same numbers
from a table. As in all of scikit-learn, every column of a dataframe is a feature: drop a key first, or make it the
index. A column with the name "id" is taken with a warning. `LinearDiscriminants`, `CanonicalCorrelation` and
`PartialLeastSquares` need y in `fit`, of which they learn by sums alone. Methods that pool have no transformer, as they
return one row for many rows, which a transformer must not.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, field, fields, make_dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import LimitError, ParameterError, SourceError, warn
from sqlrp._core.extras import needs
from sqlrp._core.memory import unmasked
from sqlrp._core.names import spelled
from sqlrp._core.values import dataclass
from sqlrp._evaluator.moments import Accumulator, SketchMoments
from sqlrp._evaluator.sparse_rows import Cells
from sqlrp._projections import REGISTRY, Projection
from sqlrp._projections.bounds import min_k
from sqlrp._projections.principal import PrincipalComponents as _Components
from sqlrp._projections.supervised import SupervisedProjection, TargetSums
from sqlrp._run.frames.dataframes import DEFAULT_KEY, embeddings
from sqlrp._run.frames.matrix import project_array, project_cells
from sqlrp._run.row_sample import chosen_rows

try:
    from scipy import sparse
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils import check_array, check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted
except ImportError as _error:
    raise ImportError(needs("sqlrp.sklearn", "scikit-learn", "sklearn")) from _error
try:
    from sklearn.utils.validation import validate_data
except ImportError:  # it is a method before scikit-learn 1.6

    def validate_data(estimator: Any, X: Any, **options: Any) -> Any:
        """The checked rows."""
        return estimator._validate_data(X, **options)


Matrix = npt.NDArray[Any]
_Method = TypeVar("_Method", bound=Callable[..., Any])
_FLOATS = (np.float64, np.float32)
"""The types of numbers that a transformer keeps: its result has that of its rows."""

_SAMPLE = 1 << 26
"""The largest number of entries of a dense sample of sparse rows."""
_RENAMED = {"k": "n_components", "seed": "random_state"}
_OF_THE_FIT = ("bound_to", "state")
_NAME = re.compile(rf"\b({'|'.join(_RENAMED)})\b(?!')")


def _renamed(message: str) -> str:
    """A message of a projection, with a transformer's names of the parameters."""
    return _NAME.sub(lambda found: _RENAMED[found[1]], message)


@contextmanager
def _own_names() -> Iterator[None]:
    """Name parameters as the transformer does in the errors of its projection."""
    try:
        yield
    except (ParameterError, LimitError, SourceError) as error:
        raise type(error)(_renamed(str(error))) from error


if TYPE_CHECKING:

    class _Estimator:
        """What the base classes of scikit-learn bring, which has no types, and what a transformer is made with."""

        n_features_in_: int

        def __init__(
            self, n_components: int | str | None = 64, *, random_state: Any = None, **parameters: Any
        ) -> None: ...
        def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any: ...
        def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]: ...
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def set_output(self, *, transform: str | None = None) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...

    def available_if(check: Callable[[Any], bool]) -> Callable[[_Method], _Method]: ...

else:
    from sklearn.utils.metaestimators import available_if

    class _Estimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
        """The base classes of scikit-learn."""


def _is_linear(transformer: Transformer) -> bool:
    """Whether rows can be found back. Before `fit` that is not known."""
    projection: Projection | None = getattr(transformer, "projection_", None)
    return projection is None or projection.has_back_map(transformer.n_features_in_)


class Transformer(_Estimator):
    """The base class of the transformers. A subclass is a dataclass of parameters; `method` is its projection."""

    method: ClassVar[type[Projection]]
    supervised: ClassVar[bool] = False
    """whether `fit` needs y"""
    n_components: int | str | None
    random_state: Any
    n_components_: int

    _least_rows: ClassVar[int] = 1

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the projection, or learn it from the rows of X, shape (rows, features). y is ignored."""
        return self._fit(self._rows(X, ensure_min_samples=self._least_rows), _learnt)

    def _fit(self, rows: Any, learn: Callable[[Projection, Any, tuple[str, ...] | int], Projection]) -> Self:
        """Take the projection that `learn` makes of the checked rows and the features."""
        n, d = rows.shape
        names = getattr(self, "feature_names_in_", None)
        bound_to = d if names is None else tuple(map(str, names))
        if names is not None and (keys := [name for name in bound_to if spelled(name) == DEFAULT_KEY]):
            warn(f"column {keys[0]!r} becomes a feature, as a transformer takes all columns: drop a key before fit")
        with _own_names():
            made = self._projection(n, d).bound(bound_to)
            made = learn(made, rows, bound_to)
            self._check(made, n, d)
            made.stages(d)  # raises if the method does not support d features
        if said := made.caution(d):
            warn(_renamed(said))
        self.projection_ = made
        self.n_components_ = made.k
        self._n_features_out = made.k
        return self

    def transform(self, X: Any) -> Matrix:
        """Project the rows of X, shape (rows, features); returns shape (rows, n_components).

        The result is float32 for rows of float32, and otherwise float64. It is computed in float64.
        """
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        return project_rows(self.projection_, rows)

    @property
    def components_(self) -> Matrix:
        """The numbers of a linear method, shape (n_components, features): `transform` gives X @ components_.T.

        A method that subtracts means first gives (X - means) @ components_.T. Others have no components.
        """
        check_is_fitted(self)
        if not _is_linear(self):
            raise AttributeError(f"{type(self).__name__} is not linear, so it has no components_")
        d = self.n_features_in_
        origin = project_rows(self.projection_, np.zeros((1, d)))
        return np.ascontiguousarray((project_rows(self.projection_, sparse.identity(d, format="csr")) - origin).T)

    @available_if(_is_linear)
    def inverse_transform(self, X: Any) -> Matrix:
        """Rows that a linear method projects to X, shape (rows, n_components); returns shape (rows, features).

        Of all such rows they are the ones nearest to the means that the method subtracts, or to 0: the product with
        the Moore-Penrose inverse of `components_`. If n_components is greater than the number of features, they are the
        rows whose projection is nearest to X. `sqlrp.back_project` estimates features in a database.
        """
        rows = check_array(X, dtype=_FLOATS, accept_sparse="csr", input_name="X")
        if rows.shape[1] != self.n_components_:
            raise ValueError(
                f"X has {rows.shape[1]} columns, and {type(self).__name__} has {self.n_components_} components"
            )
        weights, factor, means = self.projection_.back_map(self.n_features_in_)
        if means is None:
            return np.asarray(rows @ np.linalg.pinv(weights * factor).T, dtype=rows.dtype)
        # The directions are at right angles, so that the map is the inverse already.
        return np.asarray(rows @ weights * factor + means, dtype=rows.dtype)

    def _rows(self, X: Any, **options: Any) -> Any:
        """The checked rows, an array or a CSR matrix of floats; with y the checked targets too."""
        found = validate_data(self, embeddings(unmasked(X)), accept_sparse="csr", dtype=_FLOATS, **options)
        rows = found[0] if "y" in options else found
        if sparse.issparse(rows):
            Cells.of_matrix(rows)  # raises before scipy multiplies it, which reads what the indices say
        return found

    def _projection(self, n: int, d: int) -> Projection:
        """The projection for n rows of d features, with checked parameters."""
        own = {f.name for f in fields(self.method)}
        values = {name: value for name, value in self.get_params(deep=False).items() if name in own}
        values |= {"k": self._components(values, n), "seed": _seed(self.random_state)}
        return self.method(**self.method.choose(values, n, d))

    def _components(self, values: dict[str, Any], n: int) -> Any:
        return self.n_components

    def _check(self, made: Projection, n: int, d: int) -> None:
        """Raise ParameterError for parameters that the projection itself does not check."""

    def __sklearn_tags__(self) -> Any:
        """The tags, which say that sparse rows are supported and that float32 is kept."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = [np.dtype(kind).name for kind in _FLOATS]
        return tags


@dataclass(eq=False, repr=False)
class _DrawnTransformer(Transformer):
    """A transformer that is drawn and learns nothing from the rows."""

    n_components: int | str | None = 64
    _: KW_ONLY
    random_state: Any = None
    eps: float = 0.1

    def _components(self, values: dict[str, Any], n: int) -> Any:
        if self.n_components != "auto":
            return self.n_components
        return self.method.components_from(min_k(max(n, 2), self.eps), values)

    def _check(self, made: Projection, n: int, d: int) -> None:
        if self.n_components == "auto" and made.kernel().linear and made.k > d:
            raise ParameterError(
                f"n_components = 'auto' with eps = {self.eps!r} and {n} rows is {made.k}, more than the {d} features, "
                "so nothing would be reduced: raise eps, or give a number"
            )


@dataclass(eq=False, repr=False)
class _FittedTransformer(Transformer):
    """A transformer that learns from all rows, or from up to `sample` rows, drawn as in `sqlrp.fit` on a dataframe."""

    n_components: int | None = 64
    _: KW_ONLY
    random_state: Any = None

    _least_rows: ClassVar[int] = 2


@dataclass(eq=False, repr=False)
class _SupervisedTransformer(Transformer):
    """A transformer that learns from all rows and their targets."""

    n_components: int | None = None

    method: ClassVar[type[SupervisedProjection]]
    supervised: ClassVar[bool] = True
    _least_rows: ClassVar[int] = 2

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the rows of X, shape (rows, features), and y: classes, shape (rows,), or numbers.

        Numbers have the shape (rows,) or (rows, targets).
        """
        numbers = not self.method.of_classes
        rows, y = self._rows(X, y=y, ensure_min_samples=self._least_rows, multi_output=numbers, y_numeric=numbers)
        n, d = rows.shape
        if sparse.issparse(rows) and n * d > _SAMPLE:
            raise _too_large(n, d, "reduce the features first")
        x, added = _dense(rows), Accumulator()
        if numbers:
            targets = np.asarray(y, dtype=np.float64).reshape(n, -1)
            added.add(np.hstack([x, targets]))
            most = min(2, targets.shape[1])
        else:
            check_classification_targets(y)
            classes, codes = np.unique(y, return_inverse=True)
            added.add(x, codes, classes.tolist())
            most = len(classes) - 1
        (sums,) = added.moments(d)
        k = max(1, min(most, d)) if self.n_components is None else self.n_components

        def learn(made: Projection, _: Any, bound_to: tuple[str, ...] | int) -> Projection:
            return cast(SupervisedProjection, replace(made, k=k)).fit_sums(TargetSums.of(sums, d), bound_to)

        return self._fit(rows, learn)

    def _projection(self, n: int, d: int) -> Projection:
        return self.method()

    def __sklearn_tags__(self) -> Any:
        """The tags, which say that y is needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.one_d_labels = self.method.of_classes
        tags.target_tags.multi_output = not self.method.of_classes
        return tags


def _base_of(
    method: type[Projection],
) -> type[_DrawnTransformer] | type[_FittedTransformer] | type[_SupervisedTransformer]:
    if issubclass(method, SupervisedProjection):
        return _SupervisedTransformer
    return _FittedTransformer if method.learns else _DrawnTransformer


def transformer_of(method: type[Projection]) -> type[Transformer]:
    """The transformer of a method: a dataclass of its parameters. None means that the rows determine a parameter."""
    base = _base_of(method)
    inherited = {f.name for f in fields(base)}
    parameters: list[tuple[str, Any, Any]] = []
    for own in fields(method):
        name = _RENAMED.get(own.name, own.name)
        if own.name in method.chosen:
            kind = base.__annotations__["n_components"] if own.name == "k" else f"{own.type} | None"
            parameters.append((name, kind, field(default=None, kw_only=own.name != "k")))
        elif name not in inherited and name not in _OF_THE_FIT:
            parameters.append((name, own.type, field(default=own.default, kw_only=True)))
    namespace = {"method": method, "__doc__": _documentation(method, base), "__module__": __name__}
    return make_dataclass(method.__name__, parameters, bases=(base,), namespace=namespace, eq=False, repr=False)


_AUTO = "'auto': the least that, by the lemma of Johnson and Lindenstrauss, keeps the squared distances of the rows "
_AUTO += "seen by fit within 1 ± eps (`sqlrp.min_k`)"


def _documentation(method: type[Projection], base: type[Transformer]) -> str:
    """The docstring of a transformer: the method's first paragraph, a help text for each parameter, an example."""
    words = method.help_by_parameter()
    told = {"n_components": words["k"], "random_state": "an integer is the seed itself; None draws one"}
    if base is _DrawnTransformer:
        told |= {"n_components": f"{words['k']}; {_AUTO}", "eps": "the error that n_components = 'auto' allows"}
    if issubclass(method, SupervisedProjection):
        most = "one less than there are classes" if method.of_classes else "2, or 1 for y of one column"
        told = {"n_components": f"{words['k']}; None: {most}"}
    told |= {own.name: words.get(own.name, "") for own in fields(method) if own.name not in (*_RENAMED, *_OF_THE_FIT)}
    for name in method.chosen:
        told[_RENAMED.get(name, name)] += "; None: chosen by the rows seen by fit"
    about = (inspect.getdoc(method) or "").split("\n\n")[0]
    lines = [f"`sqlrp.{method.__name__}`: {about}", "", "Parameters", "----------"]
    for name, text in told.items():
        lines += [name, textwrap.fill(text, 100, initial_indent="    ", subsequent_indent="    ")]
    lines += ["", "Examples", "--------", f">>> from sqlrp.sklearn import {method.__name__}"]
    given = "n_components=1).fit_transform(np.eye(12), [0, 1, 1] * 4"
    given = given if base is _SupervisedTransformer else "n_components=1, random_state=0).fit_transform(np.eye(12)"
    lines += [f">>> {method.__name__}({given}).shape", "(12, 1)"]
    return "\n".join(lines) + "\n"


TRANSFORMERS: tuple[type[Transformer], ...] = tuple(transformer_of(cls) for cls in REGISTRY if cls.transforms)
"""Every transformer, in the order of the projections."""

globals().update({cls.__name__: cls for cls in TRANSFORMERS})

if TYPE_CHECKING:

    def __getattr__(name: str) -> type[Transformer]:
        """The transformer with the name of a projection."""


def project_rows(projection: Projection, rows: Any) -> Matrix:
    """Project rows, dense or CSR, of shape (rows, features); returns shape (rows, k), of their type, with the scale."""
    d, kind = rows.shape[1], rows.dtype
    if not sparse.issparse(rows):
        return project_array(projection, rows, kind)
    return project_cells(projection, Cells.of_matrix(rows), d, kind)


def _learnt(projection: Projection, rows: Any, bound_to: tuple[str, ...] | int) -> Projection:
    """The projection, fitted if it learns. A sample is made dense. Sums of all sparse rows need no dense ones."""
    if not projection.learns:
        return projection
    n, d = rows.shape
    size = projection.sample_size or n
    large = sparse.issparse(rows) and min(size, n) * d > _SAMPLE
    if large and isinstance(projection, _Components) and projection.sample is None:
        return replace(projection, bound_to=bound_to).fit_sketch(lambda weights: _crossed(rows, weights), d)
    if large:
        raise _too_large(min(size, n), d, f"lower sample = {size}, or reduce the features first")
    # In the order of a sample, as a dataframe without a key gives them.
    chosen = rows[chosen_rows(n, size, projection.sampling_seed)] if projection.sample_size else rows
    return projection.fitted_on(np.ascontiguousarray(_dense(chosen)), bound_to)


def _too_large(n: int, d: int, remedy: str) -> LimitError:
    return LimitError(
        f"{n} sparse rows of {d:,} features are more than the {_SAMPLE:,} numbers that are made dense to learn from: "
        f"{remedy}"
    )


def _crossed(rows: Any, weights: Matrix) -> SketchMoments:
    """The sums of sparse rows with their sketch. They are not centred first, which would make them dense."""
    n, sketches = rows.shape[0], rows @ weights
    mean, sketched = np.asarray(rows.mean(axis=0)).reshape(-1), sketches.mean(axis=0)
    variance = float(rows.multiply(rows).sum() - n * (mean @ mean))
    return SketchMoments(n, mean, sketched, variance, rows.T @ sketches - n * np.outer(mean, sketched))


def _dense(rows: Any) -> Matrix:
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)


def _seed(random_state: Any) -> int:
    """The seed: `random_state` if it is an integer, otherwise a drawn one."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


__all__ = ["Transformer"]
globals()["__all__"] += [cls.__name__ for cls in TRANSFORMERS]  # a type checker knows these by __getattr__
