"""Fitted scikit-learn estimators that sqlrp supports."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.kernel_approximation import Nystroem, PolynomialCountSketch, RBFSampler
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

D = 9


X = np.random.default_rng(2).normal(0, 2, (20, D)).round(2)
X.setflags(write=False)  # several modules read it


TAKEN: dict[str, Any] = {
    "sparse": SparseRandomProjection(5, density=0.4, random_state=0),
    "sparse-dense": SparseRandomProjection(5, density=1.0, random_state=0),
    "gaussian": GaussianRandomProjection(5, random_state=0),
    "pca": PCA(4),
    "pca-whitened": PCA(4, whiten=True),
    "svd": TruncatedSVD(4, random_state=0),
    "count-sketch": PolynomialCountSketch(n_components=5, random_state=0),
    "count-sketch-3": PolynomialCountSketch(n_components=4, degree=3, gamma=0.3, coef0=2, random_state=0),
    "nystroem-rbf": Nystroem(n_components=6, random_state=0),
    "nystroem-rbf-gamma": Nystroem(gamma=2.0, n_components=6, random_state=0),
    "nystroem-cosine": Nystroem(kernel="cosine", n_components=6, random_state=0),
    "nystroem-poly": Nystroem(kernel="poly", n_components=6, random_state=0),
    "nystroem-poly-2": Nystroem(kernel="polynomial", degree=2, gamma=0.5, coef0=0, n_components=6, random_state=0),
    "nystroem-params": Nystroem(kernel="poly", kernel_params={"degree": 2, "coef0": 3}, n_components=6, random_state=0),
    "fourier": RBFSampler(gamma=0.2, n_components=6, random_state=0),
    "fourier-scale": RBFSampler(gamma="scale", n_components=6, random_state=0),
    "nystroem-linear": Nystroem(kernel="linear", n_components=6, random_state=0),
}
for _transformer in TAKEN.values():
    _transformer.fit(X)
