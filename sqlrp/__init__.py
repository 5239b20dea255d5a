"""Random projections and polynomial-kernel features as SQL, inside the database that holds the data."""

from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING

from sqlrp import _startup as _startup  # first, before the slow imports
from sqlrp._core.version import VERSION as _VERSION

if TYPE_CHECKING:
    # isort: off
    from sqlrp._core.draw import signs as signs
    from sqlrp._core.errors import LimitError as LimitError, ParameterError as ParameterError
    from sqlrp._core.errors import SourceError as SourceError, SqlrpError as SqlrpError, SqlrpWarning as SqlrpWarning
    from sqlrp._core.errors import StatementError as StatementError, UnreachableError as UnreachableError
    from sqlrp._core.errors import UnsupportedError as UnsupportedError
    from sqlrp._core.sources import Array as Array, Join as Join, Long as Long, Standardized as Standardized
    from sqlrp._core.sources import Wide as Wide
    from sqlrp._projections import Chained as Chained, Prepared as Prepared, Projection as Projection
    from sqlrp._projections import from_json as from_json
    from sqlrp._projections.methods import *  # noqa: F403  # every method
    from sqlrp._projections.sklearn_import import from_sklearn as from_sklearn
    from sqlrp._quality import Report as Report, diagnose as diagnose, min_k as min_k
    from sqlrp._quality.choices import Choices as Choices, choose as choose, grid as grid
    from sqlrp._quality.codes import Codes as Codes, choose_codes as choose_codes
    from sqlrp._quality.page import report as report
    from sqlrp._run.api import explain as explain, gradient_sql as gradient_sql, project as project, sql as sql
    from sqlrp._run.back import BackProjectionError as BackProjectionError, back_project as back_project
    from sqlrp._run.back import back_projection_error as back_projection_error
    from sqlrp._run.clusters import clusters as clusters
    from sqlrp._run.database_url import connect as connect
    from sqlrp._run.explanation import Explanation as Explanation
    from sqlrp._run.sql_files import export as export
    from sqlrp._learning.drift import Drift as Drift, drift as drift, drift_from_json as drift_from_json
    from sqlrp._learning.drift_sql import drift_sql as drift_sql
    from sqlrp._learning.fits import best_of as best_of, fit as fit
    from sqlrp._run.hashes import hash_sql as hash_sql, pairs_recall as pairs_recall, pairs_sql as pairs_sql
    from sqlrp._learning.groups import GroupedModel as GroupedModel
    from sqlrp._learning.kmeans import KMeans as KMeans, kmeans as kmeans
    from sqlrp._learning.learn import learn as learn
    from sqlrp._learning.linear_model import LinearModel as LinearModel
    from sqlrp._learning.privacy import Privacy as Privacy
    from sqlrp._learning.score_query import score as score, score_sql as score_sql
    from sqlrp._learning.written_models import model_from_json as model_from_json
    from sqlrp._run.rounded_codes import rounded as rounded
    from sqlrp._run.vectors import project_vector as project_vector, vector_sql as vector_sql
    from sqlrp._store.catalogue import load as load, save as save, saved as saved
    from sqlrp._store.findings import Finding as Finding, check as check
    from sqlrp._store.row_changes import Refreshed as Refreshed
    from sqlrp._store.functions import install as install, uninstall as uninstall
    from sqlrp._store.named_functions import create_function as create_function, drop_function as drop_function
    from sqlrp._store.named_functions import function_sql as function_sql, created_functions as created_functions
    from sqlrp._store.materialize import materialize as materialize, refresh as refresh
    from sqlrp._store.opened_search import OpenedSearch as OpenedSearch, open_search as open_search
    from sqlrp._store.searches import create_search as create_search, drop_search as drop_search
    from sqlrp._store.table_search import (
        neighbours_sql as neighbours_sql,
        search as search,
        search_sql as search_sql,
    )
    from sqlrp._store.models import load_model as load_model, save_model as save_model, saved_models as saved_models
    # isort: on

_NAMES = {
    "sqlrp._core.draw": "signs",
    "sqlrp._core.errors": (
        "LimitError ParameterError SourceError SqlrpError SqlrpWarning StatementError UnreachableError UnsupportedError"
    ),
    "sqlrp._core.sources": "Array Join Long Standardized Wide",
    "sqlrp._projections": "Chained Prepared Projection from_json",
    "sqlrp._projections.sklearn_import": "from_sklearn",
    "sqlrp._quality": "Report diagnose min_k",
    "sqlrp._quality.choices": "Choices choose grid",
    "sqlrp._quality.codes": "Codes choose_codes",
    "sqlrp._quality.page": "report",
    "sqlrp._run.api": "explain gradient_sql project sql",
    "sqlrp._run.clusters": "clusters",
    "sqlrp._run.database_url": "connect",
    "sqlrp._run.explanation": "Explanation",
    "sqlrp._run.back": "BackProjectionError back_project back_projection_error",
    "sqlrp._run.sql_files": "export",
    "sqlrp._learning.drift": "Drift drift drift_from_json",
    "sqlrp._learning.drift_sql": "drift_sql",
    "sqlrp._learning.fits": "best_of fit",
    "sqlrp._run.hashes": "hash_sql pairs_recall pairs_sql",
    "sqlrp._learning.groups": "GroupedModel",
    "sqlrp._learning.kmeans": "KMeans kmeans",
    "sqlrp._learning.learn": "learn",
    "sqlrp._learning.linear_model": "LinearModel",
    "sqlrp._learning.privacy": "Privacy",
    "sqlrp._learning.score_query": "score score_sql",
    "sqlrp._learning.written_models": "model_from_json",
    "sqlrp._run.rounded_codes": "rounded",
    "sqlrp._run.vectors": "project_vector vector_sql",
    "sqlrp._store.catalogue": "load save saved",
    "sqlrp._store.findings": "Finding check",
    "sqlrp._store.row_changes": "Refreshed",
    "sqlrp._store.functions": "install uninstall",
    "sqlrp._store.materialize": "materialize refresh",
    "sqlrp._store.models": "load_model save_model saved_models",
    "sqlrp._store.opened_search": "OpenedSearch open_search",
    "sqlrp._store.searches": "create_search drop_search",
    "sqlrp._store.table_search": "neighbours_sql search search_sql",
    "sqlrp._store.named_functions": "create_function created_functions drop_function function_sql",
}
"""The public names by module. A module is imported when one of its names is first used."""


_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__version__ = _VERSION


def _public() -> list[str]:
    """All public names: those of the table above, and the methods of the registry."""
    return sorted([*_HOMES, *(cls.__name__ for cls in _import_module("sqlrp._projections").REGISTRY)])


def __getattr__(name: str) -> object:
    """Import a public name, or a module of the package, when it is first used."""
    value: object
    if name in _HOMES:
        value = getattr(_import_module(_HOMES[name]), name)
    elif name == "__all__":
        value = _public()
    elif not name.startswith("_") and _find_spec(f"{__name__}.{name}") is not None:
        value = _import_module(f"{__name__}.{name}")
    elif not name.startswith("_") and name in _public():
        value = getattr(_import_module("sqlrp._projections"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return [*_public(), "__version__"]
