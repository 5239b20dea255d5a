"""A plugin of pytest that runs scikit-learn's own tests on sqlrp's transformers: `-p counterparts`.

Before a test module is imported, each class of scikit-learn that has a counterpart is replaced by it. A parameter gets
the name that the counterpart has for it, and one that it does not have is refused by fit. What became of every test is
written as JSON to the file that SQLRP_COUNTERPARTS names.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.decomposition
import sklearn.kernel_approximation
import sklearn.random_projection
from scipy import sparse

import sqlrp.sklearn as own

COUNTERPARTS: dict[str, tuple[Any, str, dict[str, str], dict[str, Any]]] = {
    "SparseRandomProjection": (
        sklearn.random_projection,
        "SparseProjection",
        {"density": "s"},
        {"n_components": "auto"},
    ),
    "GaussianRandomProjection": (sklearn.random_projection, "GaussianProjection", {}, {"n_components": "auto"}),
    "PolynomialCountSketch": (sklearn.kernel_approximation, "TensorSketch", {}, {"n_components": 100}),
    "RBFSampler": (sklearn.kernel_approximation, "RandomFourierFeatures", {}, {"n_components": 100}),
    "Nystroem": (
        sklearn.kernel_approximation,
        "NystroemProjection",
        {"kernel": "kernel_name", "coef0": "c"},
        {"n_components": 100, "kernel_name": "rbf", "degree": 3, "c": 1.0},
    ),
    "PCA": (sklearn.decomposition, "PrincipalComponents", {}, {}),
}
"""For each class of scikit-learn its module, its counterpart, other names of parameters, and its own defaults."""
HOW = {"svd_solver", "copy", "iterated_power", "n_oversamples", "power_iteration_normalizer", "tol", "dense_output"}
"""Parameters of how a result is computed or kept, which the counterparts do not need."""
MODULES = (
    "sklearn.tests.test_random_projection",
    "sklearn.tests.test_kernel_approximation",
    "sklearn.decomposition.tests.test_pca",
)


def _value(name: str, value: Any) -> Any:
    """A parameter's value as the counterpart says it: a density of 1/s is a sparsity of s."""
    if name == "density":
        return "sqrt" if value == "auto" else 1 / value
    return value


def counterpart(name: str) -> type:
    """The counterpart with the parameters of scikit-learn's class, as a class of that name."""
    _, method, renamed, defaults = COUNTERPARTS[name]
    base: Any = getattr(own, method)
    known = [each for each in inspect.signature(base.__init__).parameters if each != "self"]

    class Counterpart(base):  # type: ignore[misc]  # made at run time
        def __init__(self, *args: Any, **parameters: Any) -> None:
            given = dict(zip(known, args, strict=False))
            given |= {renamed.get(each, each): _value(each, value) for each, value in parameters.items()}
            self._kernel = (given.pop("gamma", 1.0), given.pop("coef0", 0)) if method == "TensorSketch" else (1.0, 0)
            self._refused = sorted(given.keys() - set(known) - HOW)
            super().__init__(**{**defaults, **{each: value for each, value in given.items() if each in known}})

        def fit(self, X: Any, y: Any = None) -> Any:
            if self._refused:  # only now, as test modules make estimators while they are imported
                raise TypeError(f"{method} has no parameter {self._refused[0]!r}")
            return super().fit(self._prepared(X), y)

        def transform(self, X: Any) -> Any:
            return super().transform(self._prepared(X))

        def _prepared(self, X: Any) -> Any:
            """The rows of (γ⟨x, y⟩ + c)^degree: times √γ, and √c as one more feature, as in scikit-learn."""
            gamma, c = self._kernel
            if (gamma, c) == (1.0, 0):
                return X
            parts = [np.sqrt(gamma) * X, np.full((X.shape[0], 1), np.sqrt(c))]
            return sparse.hstack(parts, format="csr") if sparse.issparse(X) else np.hstack(parts)

        def __getattr__(self, name: str) -> Any:
            """What scikit-learn's transformers keep, read from the projection."""
            made = self.__dict__.get("projection_")
            if made is None or name not in ("n_components_", "components_", "mean_"):
                raise AttributeError(f"{method!r} object has no attribute {name!r}")
            if name == "n_components_":
                return made.k
            weights, factor, mean = made.back_map(self.n_features_in_)
            return (
                mean if name == "mean_" else weights / factor if method == "PrincipalComponents" else weights * factor
            )

        @classmethod
        def _get_param_names(cls) -> list[str]:
            return sorted(known)

    Counterpart.__name__ = Counterpart.__qualname__ = method
    Counterpart.__doc__ = base.__doc__
    return Counterpart


SUBJECTS: dict[int, str] = {}
"""The counterparts by their identity."""
FOUND: dict[str, dict[str, str]] = {}
"""By a test's name: the outcome and the last line of its error."""


def pytest_configure(config: pytest.Config) -> None:
    """Replace the classes, before a test module names them."""
    for name, (module, *_) in COUNTERPARTS.items():
        made = counterpart(name)
        SUBJECTS[id(made)] = name
        setattr(module, name, made)


def _reads(function: Callable[..., Any], depth: int = 3) -> Iterator[Any]:
    """The values of a module that a function names, and those that the module's functions among them name."""
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        yield value
        if depth and inspect.isfunction(value) and value.__globals__ is function.__globals__:
            yield from _reads(value, depth - 1)
        if isinstance(value, (list, tuple)):
            yield from value


def pytest_collection_modifyitems(config: pytest.Config, items: list[Any]) -> None:
    """Keep the tests whose subject has a counterpart: it is named in the test, or a parameter of it.

    Of the tests that SQLRP_COUNTERPARTS_ONCE names, only the first parameters are kept.
    """
    kept, left, seen = [], [], set()
    once = os.environ.get("SQLRP_COUNTERPARTS_ONCE", "").split()
    for item in items:
        values = [*getattr(getattr(item, "callspec", None), "params", {}).values(), *_reads(item.function)]
        name = item.originalname
        taken = any(id(value) in SUBJECTS for value in values) and not (name in once and name in seen)
        (kept if taken else left).append(item)
        seen.add(name)
    items[:] = kept
    config.hook.pytest_deselected(items=left)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    """Keep what became of a test."""
    result = yield
    report = result.get_result()  # type: ignore[attr-defined]  # of pluggy
    if report.failed or report.when == "call" or report.skipped:
        said = "" if call.excinfo is None else str(call.excinfo.value).strip().split("\n")[0]
        kind = "" if call.excinfo is None else call.excinfo.type.__name__
        FOUND[item.name] = {"outcome": report.outcome, "said": f"{kind}: {said}"[:160]}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the outcomes."""
    Path(os.environ["SQLRP_COUNTERPARTS"]).write_text(json.dumps(FOUND), encoding="utf-8")
