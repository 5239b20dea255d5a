"""Random projections and polynomial-kernel features as SQL, inside the database that holds the data."""

from importlib import import_module as _import_module

from sqlrp import _starting as _starting  # before what takes time to import
from sqlrp.core import moved as _moved
from sqlrp.core.draw import signs
from sqlrp.core.errors import (
    LimitError,
    ParameterError,
    SourceError,
    SqlrpError,
    SqlrpWarning,
    StatementError,
    UnreachableError,
    UnsupportedError,
)
from sqlrp.core.sources import Array, Join, Long, Standardized, Wide
from sqlrp.projections import (
    BilinearPooling,
    DataTunedProjection,
    Degree2KernelProjection,
    ExplicitPolynomialProjection,
    GaussianProjection,
    GivenProjection,
    GivenRadialFeatures,
    GivenTensorSketch,
    HadamardProjection,
    KernelGaussianProjection,
    NystroemProjection,
    PolynomialKernelProjection,
    Prepared,
    PrincipalComponents,
    Projection,
    RandomMaclaurin,
    RandomSubspace,
    SparseEmbedding,
    SparseProjection,
    TensorSketch,
    from_json,
)
from sqlrp.projections.importing import from_sklearn
from sqlrp.quality import Report, diagnose, min_k
from sqlrp.quality.page import report
from sqlrp.run.api import Explanation, explain, gradient_sql, project, project_vector, sql, vector_sql
from sqlrp.run.back import BackProjectionError, back_project, back_projection_error
from sqlrp.run.exporting import export
from sqlrp.run.fitting import best_of, fit
from sqlrp.run.hashing import hash_sql
from sqlrp.run.scoring import score, score_sql
from sqlrp.store.catalogue import load, save, saved
from sqlrp.store.checking import Finding, check
from sqlrp.store.functions import install, uninstall
from sqlrp.store.materialize import materialize, refresh

__version__ = "0.1.0"

__all__ = [
    "Array",
    "BackProjectionError",
    "BilinearPooling",
    "DataTunedProjection",
    "Degree2KernelProjection",
    "Explanation",
    "ExplicitPolynomialProjection",
    "Finding",
    "GaussianProjection",
    "GivenProjection",
    "GivenRadialFeatures",
    "GivenTensorSketch",
    "HadamardProjection",
    "Join",
    "KernelGaussianProjection",
    "LimitError",
    "Long",
    "NystroemProjection",
    "ParameterError",
    "PolynomialKernelProjection",
    "Prepared",
    "PrincipalComponents",
    "Projection",
    "RandomMaclaurin",
    "RandomSubspace",
    "Report",
    "SourceError",
    "SparseEmbedding",
    "SparseProjection",
    "SqlrpError",
    "SqlrpWarning",
    "Standardized",
    "StatementError",
    "TensorSketch",
    "UnreachableError",
    "UnsupportedError",
    "Wide",
    "back_project",
    "back_projection_error",
    "best_of",
    "check",
    "diagnose",
    "explain",
    "export",
    "fit",
    "from_json",
    "from_sklearn",
    "gradient_sql",
    "hash_sql",
    "install",
    "load",
    "materialize",
    "min_k",
    "project",
    "project_vector",
    "refresh",
    "report",
    "save",
    "saved",
    "score",
    "score_sql",
    "signs",
    "sql",
    "uninstall",
    "vector_sql",
]

_moved.find_old_modules(__name__)


def __getattr__(name: str) -> object:
    """Old modules, which `import sqlrp` made reachable."""
    if f"{__name__}.{name}" in _moved.MODULES:
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
