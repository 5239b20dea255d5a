"""Random projections and polynomial-kernel features as SQL, inside the database that holds the data."""

from sqlrp import _starting as _starting  # before what takes time to import
from sqlrp.api import Explanation, explain, gradient_sql, project, project_vector, sql, vector_sql
from sqlrp.back import BackProjectionError, back_project, back_projection_error
from sqlrp.catalogue import load, save, saved
from sqlrp.checking import Finding, check
from sqlrp.errors import (
    LimitError,
    ParameterError,
    SourceError,
    SqlrpError,
    SqlrpWarning,
    StatementError,
    UnreachableError,
    UnsupportedError,
)
from sqlrp.exporting import export
from sqlrp.fitting import best_of, fit
from sqlrp.functions import install, uninstall
from sqlrp.hashing import hash_sql
from sqlrp.importing import from_sklearn
from sqlrp.layouts import Array, Join, Long, Standardized, Wide
from sqlrp.materialize import materialize, refresh
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
from sqlrp.quality import Report, diagnose, min_k
from sqlrp.quality.page import report
from sqlrp.scoring import score, score_sql
from sqlrp.signs import signs

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
