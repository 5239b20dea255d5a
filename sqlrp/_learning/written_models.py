"""Models as JSON text, read again."""

from __future__ import annotations

import base64
import json
import math
import zlib
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from sqlrp._core.errors import ParameterError, SqlrpError, shorten
from sqlrp._evaluator.moments import Moments
from sqlrp._learning.folds import Score, Settings, check_scoring, classes_of
from sqlrp._learning.groups import KIND, GroupedModel, fields_of
from sqlrp._learning.kmeans import KMeans, clusters_of
from sqlrp._learning.linear_model import LinearClassifier, LinearModel, made, solved
from sqlrp._learning.model_fields import (
    CLUSTERS,
    FORMAT,
    check_decisions,
    check_sizes,
    check_written,
    written_projection,
)
from sqlrp._learning.privacy import Privacy
from sqlrp._learning.ridge import RidgeSolution
from sqlrp._learning.target import check_task

Model = LinearModel | GroupedModel | KMeans
"""What a text of JSON and the catalogue of a database can hold."""


def model_from_json(text: str) -> Model:
    """Read the text of the `to_json` of a model of `learn` or `kmeans`. Raises ParameterError for another text.

    >>> model = sqlrp.learn(rp, "points", con)
    >>> again = sqlrp.model_from_json(model.to_json())
    >>> bool((again.coef_ == model.coef_).all())
    True
    """
    try:
        found = json.loads(text)
        if isinstance(found, dict) and type(found.get("format")) is int and found["format"] > FORMAT:
            raise ParameterError(f"it is of format {found['format']}, not {FORMAT}: install a newer release")
        if isinstance(found, dict) and found.get("kind") == KIND:
            models = {name: _model_of(own) for name, own in fields_of(found)}
            left_out = {name: str(reason) for name, reason in found["left_out"]}
            return GroupedModel(found["by"], models, left_out, found["by_text"], found["how"])
        if isinstance(found, dict) and found.get("kind") == CLUSTERS:
            return clusters_of(found)
        return _model_of(found)
    except SqlrpError as error:
        raise ParameterError(f"{shorten(text, 40)} cannot be read as a model of sqlrp: {error}") from error
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, zlib.error) as error:
        raise ParameterError(f"{shorten(text, 40)} cannot be read as a model of sqlrp") from error


def _model_of(found: Any) -> LinearModel:
    """The model of a parsed text, whose fields are checked."""
    check_written(found)
    with np.errstate(all="ignore"):  # sums that give no model are refused below
        model = _read(found)
    if not (np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()):
        raise ParameterError("its sums give none")
    return model


def _read(found: dict[str, Any]) -> LinearModel:
    """The model of a parsed text whose fields have been checked."""
    own = dict(found["settings"])
    own |= {"projection": written_projection(own["projection"]), "ridges": tuple(own["ridges"])}
    if isinstance(own.get("features"), list):
        own["features"] = tuple(own["features"])
    if own.get("privacy") is not None:
        own["privacy"] = Privacy(**own["privacy"])
    if isinstance(own.get("class_weight"), list):
        own["class_weight"] = dict(own["class_weight"])
    settings, ridge, classifier = Settings(**own), found["ridge"], found["kind"] == LinearClassifier.__name__
    check_task(settings, classifier)
    moments = [Moments.unpack(zlib.decompress(base64.b64decode(part))) for part in found["moments"]]
    check_sizes(settings, classifier, [len(part.mean) for part in moments])
    cells: Any = ([math.nan if cell is None else cell for cell in row] for row in found["scores"])
    scores = tuple(Score(ridge, fold, rows, error, score) for ridge, fold, rows, error, score in cells)
    told = SimpleNamespace(how=found["how"], terms=found["terms"])
    if not settings.by_rows:
        return replace(solved(settings, classifier, moments, told, ridge=ridge), scores=scores)
    best = RidgeSolution(np.array(found["coefficients"], dtype=float), np.array(found["intercepts"], dtype=float))
    names = classes_of(moments)
    check_scoring(settings, names)
    check_decisions(settings, names, best.coefficients, best.intercepts)
    change = found.get("change", 0.0)
    return replace(
        made(settings, classifier, moments, best, ridge, scores, told),
        passes=found.get("passes", settings.passes),
        change=math.inf if change is None else change,
        threshold=found.get("threshold", 0.0),
        temperature=found.get("temperature", 1.0),
    )


__all__ = ["Model", "model_from_json"]
