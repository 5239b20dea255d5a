"""Scikit-learn's own tests of random projections, kernel approximations and PCA, with sqlrp's transformers in them.

Its package brings the tests. Each name that they import stands for a class of ours with their parameters; what has no
counterpart here is left out by name, and the reason is said.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import sklearn
import sklearn.decomposition
import sklearn.kernel_approximation
import sklearn.random_projection

import sqlrp
import sqlrp.sklearn as ours
from sqlrp.sklearn import Transformer

pytestmark = pytest.mark.slow
THEIRS = Path(sklearn.__file__).parent


class Standing(ABC):
    """A class with their parameters, which takes the projection of ours."""

    @abstractmethod
    def _ours(self) -> Transformer:
        """Our transformer with these parameters."""

    def _projection(self, n: int, d: int) -> sqlrp.Projection:
        return self._ours()._projection(n, d)

    def _check(self, made: sqlrp.Projection, n: int, d: int) -> None:
        self._ours()._check(made, n, d)


class SparseRandomProjection(Standing, Transformer):
    method = sqlrp.SparseProjection

    def __init__(
        self,
        n_components: Any = "auto",
        *,
        density: Any = "auto",
        eps: float = 0.1,
        compute_inverse_components: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_components, self.density, self.eps = n_components, density, eps
        self.compute_inverse_components, self.random_state = compute_inverse_components, random_state

    def _ours(self) -> Transformer:
        s = "sqrt" if self.density == "auto" else 1 / self.density
        return ours.SparseProjection(self.n_components, eps=self.eps, s=s, random_state=self.random_state)

    @property
    def density_(self) -> float:
        return float(1 / self.projection_.sparsity(self.n_features_in_))


class GaussianRandomProjection(Standing, Transformer):
    method = sqlrp.GaussianProjection

    def __init__(
        self,
        n_components: Any = "auto",
        *,
        eps: float = 0.1,
        compute_inverse_components: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_components, self.eps = n_components, eps
        self.compute_inverse_components, self.random_state = compute_inverse_components, random_state

    def _ours(self) -> Transformer:
        return ours.GaussianProjection(self.n_components, eps=self.eps, random_state=self.random_state)


class RBFSampler(Standing, Transformer):
    method = sqlrp.RandomFourierFeatures

    def __init__(self, *, gamma: float = 1.0, n_components: int = 100, random_state: Any = None) -> None:
        self.gamma, self.n_components, self.random_state = gamma, n_components, random_state

    def _ours(self) -> Transformer:
        return ours.RandomFourierFeatures(self.n_components, gamma=self.gamma, random_state=drawn(self.random_state))


class PolynomialCountSketch(Standing, Transformer):
    """Ours has neither gamma nor coef0: the rows are multiplied, and get a constant feature, as theirs do inside."""

    method = sqlrp.TensorSketch

    def __init__(
        self,
        *,
        gamma: float = 1.0,
        degree: int = 2,
        coef0: float = 0,
        n_components: int = 100,
        random_state: Any = None,
    ) -> None:
        self.gamma, self.degree, self.coef0 = gamma, degree, coef0
        self.n_components, self.random_state = n_components, random_state

    def _ours(self) -> Transformer:
        return ours.TensorSketch(self.n_components, degree=self.degree, random_state=drawn(self.random_state))

    def _rows(self, X: Any, **options: Any) -> Any:
        rows = super()._rows(X, **options)
        rows = rows.toarray() if hasattr(rows, "toarray") else rows
        return np.hstack([np.sqrt(self.gamma) * rows, np.full((len(rows), 1), np.sqrt(self.coef0))])


class Nystroem(Standing, Transformer):
    method = sqlrp.NystroemProjection

    def __init__(
        self,
        kernel: str = "rbf",
        *,
        gamma: float | None = None,
        coef0: float | None = None,
        degree: int | None = None,
        kernel_params: Any = None,
        n_components: int = 100,
        random_state: Any = None,
    ) -> None:
        self.kernel, self.gamma, self.coef0, self.kernel_params = kernel, gamma, coef0, kernel_params
        self.n_components, self.random_state, self.degree = n_components, random_state, degree

    def _ours(self) -> Transformer:
        given = {"kernel_name": self.kernel, "gamma": self.gamma, "degree": self.degree, "c": self.coef0}
        given = {name: value for name, value in given.items() if value is not None}
        return ours.NystroemProjection(
            self.n_components, sample=self.n_components, random_state=self.random_state, **given
        )


class PCA(Standing, Transformer):
    """How the components are computed is no parameter of ours."""

    method = sqlrp.PrincipalComponents

    def __init__(
        self,
        n_components: Any = None,
        *,
        whiten: bool = False,
        svd_solver: str = "auto",
        power_iteration_normalizer: str = "auto",
        n_oversamples: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_components, self.whiten, self.svd_solver = n_components, whiten, svd_solver
        self.power_iteration_normalizer, self.n_oversamples = power_iteration_normalizer, n_oversamples
        self.random_state = random_state

    def _ours(self) -> Transformer:
        return ours.PrincipalComponents(self.n_components, random_state=drawn(self.random_state))


def drawn(seed: Any) -> Any:
    """A seed whose draw keeps to their bounds, which are those of one draw: some of theirs do not, either."""
    return seed + 2 if isinstance(seed, int) else seed


OURS = {
    sklearn.random_projection: (SparseRandomProjection, GaussianRandomProjection),
    sklearn.kernel_approximation: (RBFSampler, PolynomialCountSketch, Nystroem),
    sklearn.decomposition: (PCA,),
}
FILES = (
    "tests/test_random_projection.py",
    "tests/test_kernel_approximation.py",
    "decomposition/tests/test_pca.py",
)


@contextmanager
def ours_in_their_place() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module, classes in OURS.items():
            for cls in classes:
                patch.setattr(module, cls.__name__, cls)
        yield


def their(name: str) -> ModuleType:
    """A file of their tests, in which the names are of our classes."""
    spec = importlib.util.spec_from_file_location(f"of_scikit_learn_{Path(name).stem}", THEIRS / name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with ours_in_their_place():
        spec.loader.exec_module(module)
    return module


VARIANCES = "a projection keeps directions, and no variances of them"
WHITENED = "there is no whitening: a ridge on scaled components, or from_sklearn of a PCA, does it"
SHARE = "the number of components is a whole number, and is not chosen by explained variance"
ARRAYS = "arrays are numpy's"
LEFT_OUT = {
    "test_pca": VARIANCES,
    "test_pca_sparse": VARIANCES,
    "test_pca_sparse_fit_transform": VARIANCES,
    "test_sparse_pca_auto_arpack_singular_values_consistency": VARIANCES,
    "test_pca_explained_variance_empirical": VARIANCES,
    "test_pca_singular_values_consistency": VARIANCES,
    "test_pca_singular_values": VARIANCES,
    "test_pca_score": VARIANCES,
    "test_pca_score3": VARIANCES,
    "test_pca_sanity_noise_variance": VARIANCES,
    "test_pca_score_consistency_solvers": VARIANCES,
    "test_pca_zero_noise_variance_edge_cases": VARIANCES,
    "test_pca_n_components_mostly_explained_variance_ratio": VARIANCES,
    "test_variance_correctness": VARIANCES,
    "test_whitening": WHITENED,
    "test_pca_solver_equivalence": WHITENED,
    "test_pca_inverse": WHITENED,
    "test_n_components_mle": SHARE,
    "test_n_components_mle_error": SHARE,
    "test_pca_dim": SHARE,
    "test_infer_dim_by_explained_variance": SHARE,
    "test_infer_dim_1": VARIANCES,
    "test_infer_dim_2": VARIANCES,
    "test_infer_dim_3": VARIANCES,
    "test_mle_redundant_data": SHARE,
    "test_fit_mle_too_few_samples": SHARE,
    "test_mle_simple_case": SHARE,
    "test_pca_array_api_compliance": ARRAYS,
    "test_pca_mle_array_api_compliance": ARRAYS,
    "test_array_api_error_and_warnings_on_unsupported_params": ARRAYS,
    "test_pca_svd_solver_auto": "there is no choice of a solver",
    "test_sparse_pca_solver_error": "every way of computing takes sparse rows",
    "test_pca_validation": "our error has other words",
    "test_feature_names_out": "a component is named by the class of the transformer",
    "test_correct_RandomProjection_dimensions_embedding": "'auto' takes Achlioptas' bound, which is greater",
    "test_too_many_samples_to_find_a_safe_embedding": "our error has other words",
    "test_SparseRandomProj_output_representation": "sparse rows become dense ones, as dense_output=True has it",
    "test_warning_n_components_greater_than_n_features": "our warning is of another class",
    "test_random_projection_numerical_consistency": "it draws 16 million normal numbers: our own test takes fewer",
    "test_random_projection_dtype_match": "components_ always have 64 bits",
    "test_rbf_sampler_fitted_attributes_dtype": "a projection holds its seed, and no arrays",
    "test_rbf_sampler_dtype_equivalence": "a projection holds its seed, and no arrays",
    "test_rbf_sampler_gamma_scale": "gamma is a number",
    "test_nystroem_approximation_array_api": ARRAYS,
    "test_nystroem_poly_kernel_params": "degrees are whole numbers",
    "test_nystroem_approximation": "kernels are named",
    "test_nystroem_default_parameters": "there is no chi2 kernel",
    "test_nystroem_callable": "kernels are named",
    "test_nystroem_precomputed_kernel": "kernels are named",
    "test_nystroem_component_indices": "the landmarks are kept, not their places",
}
"""What of theirs has no counterpart, and why."""
FEWER = {
    "compute_inverse_components": [False],
    "n_features": [11, 1000],
    "solver, n_components_": [("full", 4), ("randomized", 4)],
}
"""Parameters of theirs of which some values are tried. No inverse is computed before, and five sizes are many. There is
one way to compute components, and one of theirs finds one less."""
ABOUT = re.compile(
    rf"\b({'|'.join(cls.__name__ for classes in OURS.values() for cls in classes)})\(|RandomProjection\b"
)


def about_ours(function: Any) -> bool:
    """Whether a test is of a class that ours stand for: it names it, or has it as a parameter."""
    marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
    values = [value for mark in marks for value in mark.args[1]]
    return bool(ABOUT.search(inspect.getsource(function))) or any(
        inspect.isclass(v) and Standing in v.__mro__ for v in values
    )


def with_fewer(function: Any) -> Any:
    """A test with fewer values of some parameters."""
    marks = getattr(function, "pytestmark", [])
    function.pytestmark = [
        pytest.mark.parametrize(mark.args[0], FEWER[mark.args[0]]).mark if mark.args[0] in FEWER else mark
        for mark in marks
    ]
    return function


FOUND = {
    name: function
    for file in FILES
    for name, function in vars(their(file)).items()
    if name.startswith("test_") and about_ours(function)
}
globals().update({name: with_fewer(function) for name, function in FOUND.items() if name not in LEFT_OUT})


@pytest.fixture
def global_random_seed() -> int:
    """The seed of their tests, which their own conftest.py draws."""
    return 42


def test_what_is_left_out_is_theirs() -> None:
    assert set(LEFT_OUT) <= set(FOUND)
    assert len(FOUND) - len(LEFT_OUT) >= 10
