"""The cases of the contract: methods, rows, engines and names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import numpy as np
from cover import Cover, alike, factors
from helpers import METHODS as SMALL
from helpers import OUTPUTS, SHAPES
from registered import unnamed
from taking_part import takes_part

import sqlrp
from sqlrp import Projection
from sqlrp._connectors.inspected import InspectedConnector
from sqlrp._core.draw import SEED_BOUND, P
from sqlrp._engines.registry import CONNECTORS, ENGINES
from sqlrp._projections.trained import TrainedProjection
from sqlrp.stages import AppendConstant, Convolved, GivenProducts, Linear, Normalise, ReflectedPick, Rescale, SignedSums

D = 9
X = np.random.default_rng(3).normal(0, 1, (12, D)).round(3)
X[np.random.default_rng(4).random(X.shape) < 0.2] = 0
X[:, 0] += 1  # so that no row vanishes in the long layout

PLAIN: dict[str, Projection] = {
    "gaussian": sqlrp.GaussianProjection(k=5, seed=3),
    "d2pk": sqlrp.Degree2KernelProjection(k=5, m=2, s=3, seed=1),
    "d2pk-one": sqlrp.Degree2KernelProjection(k=3, m=1, s=2, seed=1),
    "d2pk-modified": sqlrp.Degree2KernelProjection(k=5, m=4, s=1.5, modified=True, seed=2),
    "subspace": sqlrp.RandomSubspace(k=4, seed=5),
    "subspace-householder": sqlrp.RandomSubspace(k=9, densify="householder", seed=5),
    "subspace-strata": sqlrp.RandomSubspace(k=4, seed=2, stratified=True),
    "subspace-strata-householder": sqlrp.RandomSubspace(k=3, densify="householder", seed=1, stratified=True),
    "hadamard": sqlrp.HadamardProjection(k=20, seed=1, replacement=True),
    "hadamard-least": sqlrp.HadamardProjection(k=7, seed=2, padding="least", replacement=True),
    "hadamard-whole": sqlrp.HadamardProjection(k=12, seed=3, padding="least", replacement=False),
    "hadamard-twice": sqlrp.HadamardProjection(k=27, seed=4, replacement=False),
    "embedding": sqlrp.SparseEmbedding(k=8, nnz_per_feature=2, seed=1),
    "count-sketch": sqlrp.SparseEmbedding(k=5, nnz_per_feature=1, seed=1),
    "embedding-two-levels": sqlrp.SparseEmbedding(k=12, nnz_per_feature=2, buckets=3, seed=1),
    "maclaurin": sqlrp.RandomMaclaurin(k=5, degree=3, seed=1),
    "tensor-sketch": sqlrp.TensorSketch(k=5, degree=2, seed=1),
    "tensor-sketch-3": sqlrp.TensorSketch(k=4, degree=3, seed=1),
    "tensor-sketch-24": sqlrp.TensorSketch(k=24, degree=3, seed=1),
    "fourier": sqlrp.RandomFourierFeatures(k=5, gamma=0.3, seed=1),
    "explicit": sqlrp.ExplicitPolynomialProjection(k=4, degree=2, s=1, seed=1),
    "explicit-gaussian": sqlrp.ExplicitPolynomialProjection(k=4, degree=2, vectors="gaussian", seed=1),
    "pk-gaussian": sqlrp.PolynomialKernelProjection(k=4, t=2, c=1, vectors="gaussian", seed=1),
}
DRAWN = sqlrp.ExplicitPolynomialProjection(k=4, degree=4, s=5000, seed=1)
"""Of 25 features it has 20,475 monomials, and draws 4 for each component."""
UNWRITTEN = sqlrp.ExplicitPolynomialProjection(k=3, degree=4, vectors="gaussian", seed=1)
"""It gives all of them a weight."""
MANY = np.random.default_rng(5).normal(0, 1, (6, 25)).round(3)
GROUPED: dict[str, Projection] = {
    "pooling": sqlrp.BilinearPooling(k=6, t=2, s=1, seed=1),
    "pooling-sums": sqlrp.BilinearPooling(k=6, t=2, s=3, normalise=False, seed=1),
    "pooling-two": sqlrp.BilinearPooling(k=6, t=2, s=1, normalise=False, split=4, seed=1),
    "pooling-maclaurin": sqlrp.MaclaurinPooling(k=6, seed=1),
    "pooling-maclaurin-two": sqlrp.MaclaurinPooling(k=6, normalise=False, split=2, seed=1),
    "pooling-sketch": sqlrp.SketchPooling(k=6, normalise=False, seed=1),
    "pooling-sketch-two": sqlrp.SketchPooling(k=6, split=4, seed=1),
    "pooling-full": sqlrp.FullBilinearPooling(k=81, normalise=False),
    "pooling-full-two": sqlrp.FullBilinearPooling(k=18, split=3),
}
LISTED = {"pooling", "pooling-sums"}
"""Those of them that hold over index lists where products are no text."""
TRAINED: dict[str, TrainedProjection] = {
    "data-tuned": sqlrp.DataTunedProjection(k=5, s=1, n_iter=30, sample=12, seed=1),
    "nystroem": sqlrp.NystroemProjection(k=5, degree=3, c=1.0, sample=12, seed=1),
    "kg-rp": sqlrp.KernelGaussianProjection(k=5, t=3, sample=12, seed=1),
    "korp": sqlrp.KernelGaussianProjection(k=5, t=3, variant="orthonormal", sample=12, seed=1),
    "kpca-rp": sqlrp.KernelGaussianProjection(k=5, t=3, variant="kpca", sample=12, seed=1),
    "nystroem-rbf": sqlrp.NystroemProjection(k=5, sample=12, seed=1, kernel_name="rbf", gamma=0.2),
    "nystroem-cosine": sqlrp.NystroemProjection(k=5, sample=12, seed=1, kernel_name="cosine"),
    "kg-rbf": sqlrp.KernelGaussianProjection(k=5, t=3, sample=12, seed=1, kernel_name="rbf"),
    "pca": sqlrp.PrincipalComponents(k=4, sample=12, seed=1),
    "whitened": sqlrp.WhitenedComponents(k=4, sample=12, seed=1),
}
FITTED = {name: method.fit(X) for name, method in TRAINED.items()}
_rng = np.random.default_rng(9)
_SUPERVISED = np.random.default_rng(10).normal(size=(D + 1, 3))
GIVEN: dict[str, Projection] = {
    "orthonormal": sqlrp.OrthonormalProjection(k=4, seed=3),
    "given": sqlrp.GivenProjection.of(_rng.normal(size=(D, 3)), offset=[1.0, 0.0, -2.0], scale=0.5),
    "given-whole": sqlrp.GivenProjection.of(_rng.integers(-3, 4, (D, 3))),
    "discriminants": sqlrp.LinearDiscriminants.of(_SUPERVISED[:-1], _SUPERVISED[-1]),
    "canonical": sqlrp.CanonicalCorrelation.of(_SUPERVISED[:-1] * 3, _SUPERVISED[-1]),
    "least-squares": sqlrp.PartialLeastSquares.of(_SUPERVISED[:-1] / 7, _SUPERVISED[-1]),
    "given-sketch": sqlrp.GivenTensorSketch.of(
        _rng.integers(0, 4, (2, D + 1)), _rng.choice([-1, 1], (2, D + 1)), 4, constant=0.5, scale=0.3
    ),
    "given-fourier": sqlrp.GivenFourierFeatures.of(_rng.normal(size=(D, 3)), _rng.uniform(0, 6, 3), 0.5),
    "given-radial": sqlrp.GivenRadialFeatures.of(X[:6], _rng.normal(size=(6, 3)), 0.2),
}
for _name, _method in unnamed({**SMALL, **PLAIN, **GROUPED, **FITTED, **GIVEN}.values(), X).items():
    (GROUPED if any(stage.groups for stage in _method.stages(D)) else PLAIN)[_name] = _method
METHODS: dict[str, Projection] = {**PLAIN, **FITTED, **GIVEN}
EVERY = {**SMALL, **METHODS}
"""Those of `helpers` too."""
OPEN = (
    *("linear", "linear-s1", "degree2", "degree3-c", "d2pk", "d2pk-one", "embedding", "count-sketch"),
    *("embedding-two-levels", "maclaurin", "tensor-sketch", "tensor-sketch-3", "tensor-sketch-24"),
)
"""Those of an open vocabulary."""
NORMED = ("count-sketch", "degree2")
"""Those of them that are tried with rows that are divided by their norms."""


def over_lists(projection: Projection) -> Literal["signs", "weights", "sketch", ""]:
    """Which lists a method's stages are held over: of signs alone, of weights too, or of entries that are convolved."""
    stages = projection.stages(D)
    if any(isinstance(stage, (Rescale, ReflectedPick, GivenProducts, Normalise)) for stage in stages):
        return ""
    if any(isinstance(stage, Convolved) for stage in stages):
        return "sketch"
    n, signs = D, True
    for stage in stages:
        if isinstance(stage, Linear):
            weights = stage.matrix(np.arange(n))
            signs = signs and weights.dtype.kind == "i" and bool(np.abs(weights).max() <= 1)
        n = n + 1 if isinstance(stage, AppendConstant) else stage.n_outputs or n
    return "signs" if signs else "weights"


LISTS = {name: over_lists(method) for name, method in EVERY.items()}
INDEXED = {name for name, lists in LISTS.items() if lists == "signs"}
"""The methods that hold over index lists: signs, and nothing else."""
WEIGHTED = {name for name, lists in LISTS.items() if lists == "weights"}
"""The methods whose forms hold for lists of weights."""
SKETCHES = {name for name, lists in LISTS.items() if lists == "sketch"}
"""Those that convolve, which DuckDB does over lists of DOUBLE."""


def some_rows(d: int = 9, n: int = 8) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Rows with zeros, so that the long layout leaves some out, and one row of zeros only."""
    rng = np.random.default_rng(d)
    x = rng.normal(0, 4, (n, d)) * (rng.random((n, d)) < 0.7)
    x[n // 2] = 0
    return np.asarray(x)


def exact_signs(projection: Projection, d: int) -> Any:
    stage = projection.stages(d)[0]
    assert isinstance(stage, SignedSums)
    return stage.matrix(np.arange(d, dtype=np.int64))


SEEDS = [0, 1, 2, 3, 42, P - 1, P, P + 1, 2**32, SEED_BOUND - 1]
"""Seeds about the bounds of the draw."""

HOSTILE = [
    'a"b',
    "a`b",
    "a'b",
    "; DROP TABLE t; --",
    "back\\slash",
    "%s %(x)s :y",
    "schön Ω",
    "select",
    "[x]",
    "a b",
    "$1 ?",
]
"""Names of columns that need their quotes."""


def grouped(layouts: Sequence[str], lowerings: Sequence[str], outputs: Sequence[str], texts: bool = False) -> Cover:
    """Every pooling method with every layout, lowering and output. `texts`: products over index lists are text.

    Two array columns are two descriptors.
    """
    return factors(
        lambda method, lowering, layout, **_: (
            (lowering != "indexed" or texts or method in LISTED) and (layout != "arrays" or method.endswith("-two"))
        ),
        method=list(GROUPED),
        layout=layouts,
        lowering=lowerings,
        output=outputs,
    )


# -- the contract ------------------------------------------------------------------------------------------

DATABASES = tuple(
    name
    for name, connector in CONNECTORS.items()
    if name != "spark" and not isinstance(connector, InspectedConnector) and takes_part(name)
)
"""The engines that `databases` opens: those of the run and the registry, but Spark, whose results are lazy."""
SERVED = tuple(name for name in DATABASES if name != "duckdb")
"""Those but DuckDB, whose results are of another shape."""
ARRAYS = ("duckdb", "postgresql", "clickhouse", "spark")
"""Those with arrays."""
TYPES = {
    "duckdb": {"double": "DOUBLE", "float": "FLOAT", "integer": "INTEGER", "decimal": "DECIMAL(9,3)"},
    "postgresql": {"double": "double precision", "float": "real", "integer": "INTEGER", "decimal": "DECIMAL(9,3)"},
    "sqlite": {"double": "REAL", "integer": "INTEGER"},
    "mariadb": {"double": "DOUBLE", "float": "FLOAT", "integer": "INTEGER", "decimal": "DECIMAL(9,3)"},
    "mysql": {"double": "DOUBLE", "float": "FLOAT", "integer": "INTEGER", "decimal": "DECIMAL(9,3)"},
    "clickhouse": {"double": "Float64", "float": "Float32", "integer": "Int32", "decimal": "Decimal(9,3)"},
    "spark": {"double": "double", "float": "float", "integer": "int32", "decimal": "decimal128(9, 3)"},
}


@cache
def uses(engine: str, method: str, layout: str, lowering: str) -> bool:
    """Whether the lowering is usable, by rules that are written apart from the planner's."""
    lists = method in INDEXED
    if engine == "spark":
        first = next(s for s in EVERY[method].stages(D) if not isinstance(s, AppendConstant))
        if lowering == "indexed":
            return lists and (layout != "long" or isinstance(first, SignedSums))
    elif lowering == "indexed" and engine == "clickhouse":
        return layout != "long" and not method.endswith(
            ("householder", "cosine")
        )  # products are text, sums are dot products
    elif lowering == "indexed" and not lists and method not in WEIGHTED:
        return engine == "duckdb" and layout != "long" and method in SKETCHES
    return layout != "long" or lowering in ("relational", "native")


def contract(engine: str) -> Cover:
    """Every method with every lowering, layout, output, treatment of NULL, type and scale of an engine."""
    shapes = [shape for shape in SHAPES if not shape.startswith("array") or engine in ARRAYS]
    return factors(
        lambda engine, method, layout, lowering, kind, scale, **_: (
            uses(engine, method, layout, lowering)
            # arrayDotProduct has no Decimals
            and not (engine == "clickhouse" and lowering == "indexed" and kind == "decimal" and not scale)
            and not (engine == "duckdb" and lowering == "indexed" and method in SKETCHES and kind != "double")
        ),
        engine=[engine],
        method=list(EVERY),
        lowering=ENGINES[engine].lowerings + (("native",) if engine == "duckdb" else ()),
        layout=shapes,
        output=[output for output in OUTPUTS if output != "array" or engine in ARRAYS],
        nulls=["propagate", "zero", "error"],
        kind=list(TYPES[engine]),
        scale=[True, False],
        cost=planning if engine == "spark" else alike,
    )


def planning(lowering: str, layout: str, nulls: str, **_: Any) -> float:
    """What a case costs on Spark, most of which is to plan: a table for each stage, and the rows of 'error' twice.

    Long rows have no other lowering for most methods, so relational cases are first of all theirs.
    """
    return {"relational": 6 if layout == "long" else 9}.get(lowering, 1) * (2 if nulls == "error" else 1)
