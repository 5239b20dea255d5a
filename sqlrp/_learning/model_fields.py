"""Which values the JSON text of a model can have: what another program changed is refused by the name of its field."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, get_args

from sqlrp._core.draw import SEED_BOUND
from sqlrp._core.errors import ParameterError, shorten
from sqlrp._core.options import Nulls
from sqlrp._core.sources import is_text
from sqlrp._learning.folds import CLASSIFIER_SCORES, REGRESSOR_SCORES, Settings
from sqlrp._learning.privacy import Privacy
from sqlrp._learning.ridge import Coding, one_decision
from sqlrp._learning.target import MOST_PASSES
from sqlrp._projections import from_json, method_of
from sqlrp._projections.projection import Projection

KINDS = ("LinearClassifier", "LinearRegressor")
CLUSTERS = "KMeans"
"""The kinds of models, as their texts have them."""
FORMAT = 1
"""The format of the text of a model."""


def _is_number(value: object, low: float = -math.inf) -> bool:
    """Whether it is a finite number from `low`."""
    return type(value) in (int, float) and low <= value < math.inf  # type: ignore[operator]  # a number


def _is_whole(value: object, low: int, high: float = math.inf) -> bool:
    return type(value) is int and low <= value <= high


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value) and is_text(value)


def _is_score(value: object) -> bool:
    """A ridge, a fold and its rows, an error and a score; None stands for NaN."""
    if not isinstance(value, list) or len(value) != 5:
        return False
    ridge, fold, rows, *found = value
    known = all(each is None or type(each) in (int, float) for each in found)
    return _is_number(ridge, 0) and _is_whole(fold, 0) and _is_whole(rows, 0) and known


def _is_class_weight(value: object) -> bool:
    """None, "balanced", or pairs of a class and its weight."""
    if not isinstance(value, list):
        return value is None or value == "balanced"
    pairs = [pair for pair in value if isinstance(pair, list) and len(pair) == 2]
    named = all(isinstance(name, (str, int, float)) and _is_number(weight, 0) for name, weight in pairs)
    return named and len(pairs) == len(value)


def _is_list(of: Callable[[Any], bool], least: int = 1) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and len(value) >= least and all(map(of, value))


_MODEL: dict[str, Callable[[Any], bool]] = {
    "kind": lambda value: value in KINDS,
    "format": lambda value: _is_whole(value, 1),
    "settings": lambda value: isinstance(value, dict),
    "ridge": lambda value: _is_number(value, 0),
    "how": lambda value: isinstance(value, str),
    "terms": lambda value: _is_whole(value, 0),
    "scores": _is_list(_is_score, 0),
    "moments": _is_list(_is_text),
}
_BY_ROWS: dict[str, Callable[[Any], bool]] = {
    "coefficients": _is_list(_is_list(_is_number)),
    "intercepts": _is_list(_is_number),
    "passes": lambda value: _is_whole(value, 1, MOST_PASSES),
    "change": lambda value: value is None or _is_number(value, 0),
    "threshold": _is_number,
    "temperature": lambda value: _is_number(value, 0) and value > 0,
}
"""What a model has besides that the sums of its rows alone do not give."""
_PRIVACY = {each.name for each in fields(Privacy)}
_SETTINGS: dict[str, Callable[[Any], bool]] = {
    "projection": lambda value: isinstance(value, dict),
    "target": _is_text,
    "ridges": _is_list(lambda value: _is_number(value, 0)),
    "coding": lambda value: value in get_args(Coding),
    "intercept": lambda value: isinstance(value, bool),
    "labels": lambda value: value is None or _is_text(value),
    "seed": lambda value: _is_whole(value, 0, SEED_BOUND - 1),
    "nulls": lambda value: value in get_args(Nulls),
    "passes": lambda value: _is_whole(value, 1, MOST_PASSES),
    "standardize": lambda value: isinstance(value, bool),
    "class_weight": _is_class_weight,
    "sample_weight": lambda value: value is None or _is_text(value),
    "scoring": lambda value: value in ("auto", *CLASSIFIER_SCORES, *REGRESSOR_SCORES),
    "threshold": lambda value: value in ("zero", "folds"),
    "calibrate": lambda value: isinstance(value, bool),
    "privacy": lambda value: value is None or (isinstance(value, dict) and set(value) == _PRIVACY),
    "features": lambda value: value is None or _is_whole(value, 1) or _is_list(_is_text)(value),
}
_CLUSTERS: dict[str, Callable[[Any], bool]] = {
    "kind": lambda value: value == CLUSTERS,
    "format": lambda value: _is_whole(value, 1),
    "projection": lambda value: isinstance(value, dict),
    "centers": _is_list(_is_list(_is_number)),
    "rows": _is_list(lambda value: _is_whole(value, 0)),
    "inertia": lambda value: _is_number(value, 0),
    "passes": lambda value: _is_whole(value, 1),
    "converged": lambda value: isinstance(value, bool),
    "how": lambda value: isinstance(value, str),
}
_LATER = {*_BY_ROWS, *(name for name in _SETTINGS if name not in ("projection", "target", "ridges"))}
"""What a text may lack, as it has a value by default."""


def check_written(found: object) -> None:
    """Raise ParameterError unless each value is one that `LinearModel.to_json` can have written."""
    if not isinstance(found, dict):
        raise ParameterError("it is not an object of JSON")
    _check("it", found, _MODEL | _BY_ROWS)
    _check("the object settings", found["settings"], _SETTINGS)


def check_clusters(found: dict[str, Any], k: int) -> None:
    """Raise ParameterError unless `KMeans.to_json` can have written each value. `k`: the components of a centre."""
    _check("it", found, _CLUSTERS)
    if {len(centre) for centre in found["centers"]} != {k} or len(found["rows"]) != len(found["centers"]):
        raise ParameterError(f"its centres are not of {k} components each, with a number of rows each")


def _check(what: str, values: Mapping[str, Any], fits: Mapping[str, Callable[[Any], bool]]) -> None:
    others = [name for name in values if name not in fits]
    missing = [name for name in fits if name not in values and name not in _LATER]
    if others or missing:
        verb = "has no field" if others else "lacks"
        raise ParameterError(f"{what} {verb} {shorten(', '.join(map(str, others or missing)))}")
    for name, value in values.items():
        if not fits[name](value):
            raise ParameterError(f"{what} has {name} = {shorten(value)}, which no release writes")


def check_sizes(settings: Settings, classifier: bool, sizes: Sequence[int]) -> None:
    """Raise ParameterError unless all sums are of rows with the components of the projection, and the target."""
    want = settings.projection.k + (not classifier)
    wrong = [size for size in sizes if size != want]
    if wrong:
        raise ParameterError(f"it has sums of {wrong[0]} numbers a row, and its projection gives {want}")


def check_decisions(settings: Settings, names: Sequence[Any], coefficients: Any, intercepts: Any) -> None:
    """Raise ParameterError unless there are the coefficients of every decision."""
    decisions = 1 if one_decision(names, settings.coding) else len(names)
    want = (decisions, settings.projection.k)
    if coefficients.shape != want or intercepts.shape != want[:1]:
        raise ParameterError(f"it has coefficients of shape {coefficients.shape}, and needs {want}")


def written_projection(plain: object) -> Projection:
    """The projection of a model, from its parsed text. Raises ParameterError if it is not valid, or is not fitted."""
    found = from_json(json.dumps(plain))
    method_of(found).check_fitted()
    return found


__all__ = ["check_decisions", "check_sizes", "check_written", "written_projection"]
