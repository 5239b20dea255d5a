"""Random projections and polynomial-kernel features as SQL, inside the database that holds the data."""

from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING

from sqlrp import _starting as _starting  # before what takes time to import
from sqlrp.core.moved import find_old_modules as _find_old_modules
from sqlrp.core.version import VERSION as _VERSION

if TYPE_CHECKING:
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
    from sqlrp.run.api import explain, gradient_sql, project, sql
    from sqlrp.run.back import BackProjectionError, back_project, back_projection_error
    from sqlrp.run.explaining import Explanation
    from sqlrp.run.exporting import export
    from sqlrp.run.fitting import best_of, fit
    from sqlrp.run.hashing import hash_sql
    from sqlrp.run.scoring import score, score_sql
    from sqlrp.run.vectors import project_vector, vector_sql
    from sqlrp.store.catalogue import load, save, saved
    from sqlrp.store.checking import Finding, check
    from sqlrp.store.functions import install, uninstall
    from sqlrp.store.materialize import materialize, refresh

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

_NAMES = {
    "sqlrp.core.draw": "signs",
    "sqlrp.core.errors": (
        "LimitError ParameterError SourceError SqlrpError SqlrpWarning StatementError UnreachableError UnsupportedError"
    ),
    "sqlrp.core.sources": "Array Join Long Standardized Wide",
    "sqlrp.projections": (
        "BilinearPooling DataTunedProjection Degree2KernelProjection ExplicitPolynomialProjection "
        "GaussianProjection GivenProjection GivenRadialFeatures GivenTensorSketch HadamardProjection "
        "KernelGaussianProjection NystroemProjection PolynomialKernelProjection Prepared PrincipalComponents "
        "Projection RandomMaclaurin RandomSubspace SparseEmbedding SparseProjection TensorSketch from_json"
    ),
    "sqlrp.projections.importing": "from_sklearn",
    "sqlrp.quality": "Report diagnose min_k",
    "sqlrp.quality.page": "report",
    "sqlrp.run.api": "explain gradient_sql project sql",
    "sqlrp.run.explaining": "Explanation",
    "sqlrp.run.back": "BackProjectionError back_project back_projection_error",
    "sqlrp.run.exporting": "export",
    "sqlrp.run.fitting": "best_of fit",
    "sqlrp.run.hashing": "hash_sql",
    "sqlrp.run.scoring": "score score_sql",
    "sqlrp.run.vectors": "project_vector vector_sql",
    "sqlrp.store.catalogue": "load save saved",
    "sqlrp.store.checking": "Finding check",
    "sqlrp.store.functions": "install uninstall",
    "sqlrp.store.materialize": "materialize refresh",
}
"""The public names by the modules that define them. A module is imported when one of its names is first used."""

_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__version__ = _VERSION

_find_old_modules(__name__)


def __getattr__(name: str) -> object:
    """A public name, or a module of the package, that has not been used yet."""
    if name in _HOMES:
        value = getattr(_import_module(_HOMES[name]), name)
    elif name.startswith("_") or _find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        value = _import_module(f"{__name__}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*__all__, "__version__"])
