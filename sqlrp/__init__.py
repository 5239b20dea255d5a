"""Random projections and polynomial-kernel features as SQL, inside the database that holds the data."""

from sqlrp import _starting as _starting  # before what takes time to import
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
from sqlrp.projections import REGISTRY as _REGISTRY
from sqlrp.projections import Prepared, Projection, from_json
from sqlrp.projections.importing import from_sklearn
from sqlrp.projections.registry import *  # noqa: F403  # every method
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
    "Explanation",
    "Finding",
    "Join",
    "LimitError",
    "Long",
    "ParameterError",
    "Prepared",
    "Projection",
    "Report",
    "SourceError",
    "SqlrpError",
    "SqlrpWarning",
    "Standardized",
    "StatementError",
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
__all__.extend(cls.__name__ for cls in _REGISTRY)
