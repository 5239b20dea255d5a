"""scikit-learn transformers of every method: fitted on arrays in memory, with the numbers of the SQL.

Each has the name and the parameters of its projection, but `n_components` for k and `random_state` for the seed. An
integer `random_state` is the seed itself; None, or a RandomState, draws one. After `fit`, `projection_` is the
projection, bound to its features: `sqlrp.project(transformer.projection_, "table", con)` gives the same numbers from
a table. `BilinearPooling` makes one row of many, which no transformer may, so it has none.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp import projections
from sqlrp.core.draw import CONSTANT_FEATURE
from sqlrp.core.errors import LimitError, ParameterError
from sqlrp.core.extras import needs
from sqlrp.projections.base import Projection
from sqlrp.projections.trained import Trained
from sqlrp.quality.bounds import min_k
from sqlrp.run.fitting import chosen_rows
from sqlrp.stages import AppendConstant, Linear, Stage, WeightedSums
from sqlrp.stages.evaluate import evaluate

try:
    from scipy import sparse
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError(needs("sqlrp.sklearn", "scikit-learn", "sklearn")) from error
try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6 a method

    def validate_data(estimator: Any, X: Any, **options: Any) -> Any:
        """The checked rows."""
        return estimator._validate_data(X, **options)


Matrix = npt.NDArray[np.float64]

_ENTRIES = 1 << 24
"""Numbers of an intermediate result, or of weights, that are held at once."""
_SAMPLE = 1 << 26
"""Numbers of a sample that sparse rows may become."""


class Transformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # untyped
    """What all share; a subclass is a dataclass of its parameters, and names its projection as `method`."""

    method: ClassVar[type[Projection]]
    n_components: int | str | None
    random_state: Any

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw, or learn from the rows of X, shape (rows, features); y is ignored."""
        rows = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=self._least_rows)
        n, d = rows.shape
        names = getattr(self, "feature_names_in_", None)
        made = self._projection(n, d).bound(d if names is None else tuple(map(str, names)))
        if isinstance(made, Trained):
            made = made.fit(_sampled(rows, made))
        self._check(made, n, d)
        made.stages(d)  # what does not hold for so many features is refused here
        self.projection_ = made
        self._n_features_out = made.k
        return self

    def transform(self, X: Any) -> Matrix:
        """The rows of X, shape (rows, features), projected: shape (rows, n_components)."""
        check_is_fitted(self)
        rows = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return project_rows(self.projection_, rows)

    _least_rows: ClassVar[int] = 1

    def _projection(self, n: int, d: int) -> Projection:
        k = self._components(n, d)
        return self.method(k=k, seed=_seed(self.random_state), **self._parameters(k))  # type: ignore[call-arg]

    def _components(self, n: int, d: int) -> Any:
        """The number of components for n rows of d features, checked by the projection."""
        return self.n_components

    def _parameters(self, k: Any) -> dict[str, Any]:
        """The projection's other parameters."""
        own = {f.name for f in fields(self.method)} - {"k", "seed"}
        return {name: value for name, value in self.get_params(deep=False).items() if name in own}

    def _check(self, made: Projection, n: int, d: int) -> None:
        """Raise ParameterError for what the projection itself would not refuse."""

    def __sklearn_tags__(self) -> Any:
        """Sparse rows are taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(eq=False, repr=False)
class Drawn(Transformer):
    """A transformer that only draws.

    `n_components` "auto" takes the least number that, by the lemma of Johnson and Lindenstrauss, keeps the squared
    distances of the rows seen by fit within 1 ± `eps` (`sqlrp.min_k`).
    """

    n_components: int | str | None = 64
    _: KW_ONLY
    random_state: Any = None
    eps: float = 0.1

    def _components(self, n: int, d: int) -> Any:
        return min_k(max(n, 2), self.eps) if self.n_components == "auto" else self.n_components

    def _check(self, made: Projection, n: int, d: int) -> None:
        if self.n_components == "auto" and made.kernel().linear and made.k > d:
            raise ParameterError(
                f"n_components = 'auto' with eps = {self.eps!r} and {n} rows is {made.k}, more than the {d} features, "
                "so nothing would be reduced: raise eps, or give a number"
            )


@dataclass(eq=False, repr=False)
class Learnt(Transformer):
    """A transformer that learns from up to `sample` rows, drawn as `sqlrp.fit` draws them of a dataframe."""

    n_components: int | None = 64
    _: KW_ONLY
    random_state: Any = None
    sample: int = 500

    _least_rows: ClassVar[int] = 2


@dataclass(eq=False, repr=False, kw_only=True)
class SparseProjection(Drawn):
    """`sqlrp.SparseProjection`: signed sums of the features (Achlioptas 2003; Li, Hastie and Church 2006)."""

    method = projections.SparseProjection
    s: float | str = "sqrt"


@dataclass(eq=False, repr=False, kw_only=True)
class GaussianProjection(Drawn):
    """`sqlrp.GaussianProjection`: sums weighted with normal numbers."""

    method = projections.GaussianProjection


@dataclass(eq=False, repr=False, kw_only=True)
class PolynomialKernelProjection(Drawn):
    """`sqlrp.PolynomialKernelProjection`: products of signed sums, for (⟨x, y⟩ + c)^degree (thesis, ch. 4)."""

    method = projections.PolynomialKernelProjection
    s: float | str = "sqrt"
    degree: int = 2
    p: int | None = None
    t: int = 4
    c: float = 0.0
    minimise_repetition: bool = True
    vectors: str = "sign"


@dataclass(eq=False, repr=False, kw_only=True)
class Degree2KernelProjection(Drawn):
    """`sqlrp.Degree2KernelProjection`: signed sums of squares, for the kernel ⟨x, y⟩² (thesis, ch. 3)."""

    method = projections.Degree2KernelProjection
    s: float | str = 3
    m: int = 2
    modified: bool = False


@dataclass(eq=False, repr=False, kw_only=True)
class RandomSubspace(Drawn):
    """`sqlrp.RandomSubspace`: a random choice of features, reflected first where asked (Lim and Durrant).

    `n_components` None takes 64, or all features where they are fewer.
    """

    method = projections.RandomSubspace
    n_components: int | str | None = field(default=None, kw_only=False)
    densify: str | None = None

    def _components(self, n: int, d: int) -> Any:
        return min(64, d) if self.n_components is None else super()._components(n, d)


@dataclass(eq=False, repr=False, kw_only=True)
class HadamardProjection(Drawn):
    """`sqlrp.HadamardProjection`: entries of the Walsh-Hadamard transform of ±x."""

    method = projections.HadamardProjection


@dataclass(eq=False, repr=False, kw_only=True)
class SparseEmbedding(Drawn):
    """`sqlrp.SparseEmbedding`: every feature in a few sums only (Clarkson and Woodruff 2013; Kane and Nelson 2014).

    `nnz_per_feature` None takes 4, or 2 or 1 where that does not divide n_components; "auto" takes a multiple of it.
    """

    method = projections.SparseEmbedding
    nnz_per_feature: int | None = None

    def _components(self, n: int, d: int) -> Any:
        k = super()._components(n, d)
        return k + -k % (self.nnz_per_feature or 4) if self.n_components == "auto" else k

    def _parameters(self, k: Any) -> dict[str, Any]:
        own = super()._parameters(k)
        if self.nnz_per_feature is None:
            own["nnz_per_feature"] = math.gcd(4, k) if isinstance(k, int) else 4
        return own


@dataclass(eq=False, repr=False, kw_only=True)
class RandomMaclaurin(Drawn):
    """`sqlrp.RandomMaclaurin`: products of dense signed sums, for the kernel ⟨x, y⟩^degree."""

    method = projections.RandomMaclaurin
    degree: int = 2


@dataclass(eq=False, repr=False, kw_only=True)
class TensorSketch(Drawn):
    """`sqlrp.TensorSketch`: the convolution of count sketches, for the kernel ⟨x, y⟩^degree (Pham and Pagh 2013)."""

    method = projections.TensorSketch
    degree: int = 2


@dataclass(eq=False, repr=False, kw_only=True)
class ExplicitPolynomialProjection(Drawn):
    """`sqlrp.ExplicitPolynomialProjection`: a sparse projection of all monomials of the degree (thesis, ch. 3)."""

    method = projections.ExplicitPolynomialProjection
    s: float | str = "sqrt"
    degree: int = 2


@dataclass(eq=False, repr=False, kw_only=True)
class DataTunedProjection(Learnt):
    """`sqlrp.DataTunedProjection`: signed sums with a table tuned to the rows."""

    method = projections.DataTunedProjection
    s: float | str = "sqrt"
    n_iter: int = 4000


@dataclass(eq=False, repr=False, kw_only=True)
class NystroemProjection(Learnt):
    """`sqlrp.NystroemProjection`: polynomial-kernel values at landmarks (Williams and Seeger 2001).

    `n_components` None takes 64, or as many as rows are learnt from where they are fewer.
    """

    method = projections.NystroemProjection
    n_components: int | None = field(default=None, kw_only=False)
    degree: int = 2
    c: float = 0.0

    def _components(self, n: int, d: int) -> Any:
        return min(64, n, self.sample) if self.n_components is None else self.n_components


@dataclass(eq=False, repr=False, kw_only=True)
class KernelGaussianProjection(Learnt):
    """`sqlrp.KernelGaussianProjection`: random projection in the kernel's feature space (thesis 2.4, 4.3.4)."""

    method = projections.KernelGaussianProjection
    degree: int = 2
    c: float = 0.0
    t: int = 10
    variant: str = "gaussian"


@dataclass(eq=False, repr=False, kw_only=True)
class PrincipalComponents(Learnt):
    """`sqlrp.PrincipalComponents`: principal components, scaled so that distances keep their mean.

    `n_components` None takes 64, or as many as there are features, or rows learnt from, where those are fewer.
    """

    method = projections.PrincipalComponents
    n_components: int | None = field(default=None, kw_only=False)

    def _components(self, n: int, d: int) -> Any:
        return min(64, n, d, self.sample) if self.n_components is None else self.n_components


TRANSFORMERS: tuple[type[Transformer], ...] = (
    SparseProjection,
    GaussianProjection,
    PolynomialKernelProjection,
    Degree2KernelProjection,
    RandomSubspace,
    HadamardProjection,
    SparseEmbedding,
    RandomMaclaurin,
    TensorSketch,
    ExplicitPolynomialProjection,
    DataTunedProjection,
    NystroemProjection,
    KernelGaussianProjection,
    PrincipalComponents,
)
"""Every transformer, in the order of the projections."""


def project_rows(projection: Projection, rows: Any) -> Matrix:
    """Rows, dense or CSR, of shape (rows, features), projected: shape (rows, k), scale included.

    Sparse rows stay sparse up to the first sums, where a method begins with sums; else, and after them, rows are
    taken in batches that hold at most 2²⁴ numbers, or one row.
    """
    stages = projection.stages(rows.shape[1])
    head = next((i for i, stage in enumerate(stages) if not isinstance(stage, AppendConstant)), 0)
    first = stages[head]
    numbers = np.arange(rows.shape[1], dtype=np.int64)
    factor = projection.factor(rows.shape[1])
    if sparse.issparse(rows) and isinstance(first, Linear):
        rows = _sparse_sums(rows, stages[:head], first)
        stages, numbers = stages[head + 1 :], np.arange(first.n_outputs, dtype=np.int64)
    step = max(_ENTRIES // max(rows.shape[1], *(stage.n_outputs or 1 for stage in (first, *stages))), 1)
    parts = (_dense(rows[at : at + step]) for at in range(0, rows.shape[0], step))
    return np.concatenate([evaluate(stages, part, numbers) * factor for part in parts])


def _sparse_sums(rows: Any, constants: tuple[Stage, ...], first: Linear) -> Matrix:
    """The first sums of sparse rows, of which only the features that occur are drawn, block by block."""
    present = np.unique(rows.indices).astype(np.int64)
    columns = rows.tocsc()
    sums = np.zeros((rows.shape[0], first.n_outputs))
    width = max(_ENTRIES // first.n_outputs, 1)
    for at in range(0, len(present), width):
        features = present[at : at + width]
        sums += columns[:, features] @ _weights(first, features)
    for constant in constants:
        assert isinstance(constant, AppendConstant)
        sums += constant.value * _weights(first, np.array([CONSTANT_FEATURE]))
    return sums


def _weights(stage: Linear, features: npt.NDArray[np.int64]) -> Matrix:
    if isinstance(stage, WeightedSums):  # which holds all, the constant last
        weights = stage.weights[np.where(features == CONSTANT_FEATURE, -1, features)]
    else:
        weights = stage.matrix(features)
    return np.asarray(weights, dtype=np.float64)


def _sampled(rows: Any, projection: Trained) -> Matrix:
    """The rows that are learnt from, dense."""
    chosen = chosen_rows(rows.shape[0], projection.sample, projection.seed)
    if sparse.issparse(rows) and len(chosen) * rows.shape[1] > _SAMPLE:
        raise LimitError(
            f"{len(chosen)} sparse rows of {rows.shape[1]:,} features are more than the {_SAMPLE:,} numbers that are "
            f"made dense to learn from: lower sample = {projection.sample}, or reduce the features first"
        )
    return _dense(rows[chosen])


def _dense(rows: Any) -> Matrix:
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows)


def _seed(random_state: Any) -> int:
    """The seed: an integer itself, else one drawn."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
