"""Random projections and polynomial-kernel features as SQL, inside the database that holds the data."""

from sqlrp.api import Explanation, explain, project, sql
from sqlrp.errors import (
    LimitError,
    ParameterError,
    SourceError,
    SqlrpError,
    StatementError,
    UnsupportedError,
)
from sqlrp.functions import install, uninstall
from sqlrp.layouts import Array, Long, Wide
from sqlrp.projections import PolynomialKernelProjection, Projection, SparseProjection, from_json
from sqlrp.quality import Report, diagnose, min_k
from sqlrp.signs import signs

__version__ = "0.1.0"

__all__ = [
    "Array",
    "Explanation",
    "LimitError",
    "Long",
    "ParameterError",
    "PolynomialKernelProjection",
    "Projection",
    "Report",
    "SourceError",
    "SparseProjection",
    "SqlrpError",
    "StatementError",
    "UnsupportedError",
    "Wide",
    "diagnose",
    "explain",
    "from_json",
    "install",
    "min_k",
    "project",
    "signs",
    "sql",
    "uninstall",
]
