"""Models of groups of rows, one a group, that are learnt from the sums of each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from sqlrp._core.errors import ParameterError
from sqlrp._core.sources import Source
from sqlrp._core.values import dataclass
from sqlrp._evaluator.moments import Moments
from sqlrp._learning.linear_model import LinearModel
from sqlrp._learning.model_fields import FORMAT
from sqlrp._learning.ridge import one_decision
from sqlrp._projections.projection import Projection

KIND = "GroupedModel"


@dataclass(frozen=True, eq=False)
class GroupedModel:
    """A linear model for each group of rows, learnt in one pass: `sqlrp.learn(…, by=column)` makes it.

    `model[group]` is the model of a group. `sqlrp.score` and `score_sql` give each row the prediction of its group's.

        >>> model = sqlrp.learn(rp, "points", con, "a", task="regressor", by="label")
        >>> isinstance(model, sqlrp.GroupedModel), len(model)
        (True, 2)
        >>> sum(model[group].rows for group in model)
        50
    """

    by: str
    """the column of the groups"""
    models: Mapping[Any, LinearModel] = field(repr=False)
    """by group, in the order of their names"""
    left_out: Mapping[Any, str] = field(default_factory=dict, repr=False)
    """groups that have no model, such as those of a single class, and why"""
    by_text: bool = False
    """whether the groups are read as text, such as dates are"""
    how: str = field(default="", repr=False)
    """how the sums were computed"""

    @property
    def groups(self) -> tuple[Any, ...]:
        """The groups that have a model."""
        return tuple(self.models)

    @property
    def projection(self) -> Projection:
        """The projection of the rows, the same for all groups."""
        return self._first.projection

    @property
    def rows(self) -> int:
        """The number of rows that the models were learnt from."""
        return sum(model.rows for model in self.models.values())

    def scored(self, source: Source) -> Source:
        """The source with the target among the columns that pass through: of a wide source it is then no feature."""
        return self._first.scored(source)

    @property
    def classes(self) -> list[Any] | None:
        """The classes of all groups in order; None for regressors."""
        own = [_classes_of(model) for model in self.models.values()]
        return None if None in own else sorted({name for names in own for name in names or ()})

    @property
    def _first(self) -> LinearModel:
        return next(iter(self.models.values()))

    def __getitem__(self, group: Any) -> LinearModel:
        """The model of a group. Raises KeyError for one that has none."""
        return self.models[group]

    def __len__(self) -> int:
        """The number of groups that have a model."""
        return len(self.models)

    def __iter__(self) -> Iterator[Any]:
        """The groups that have a model."""
        return iter(self.models)

    def __repr__(self) -> str:
        """The number of groups, and the model of the first one."""
        return f"GroupedModel(by={self.by!r}, groups={len(self):,}, rows={self.rows:,}, first={self._first!r})"

    def table(self) -> pa.Table:
        """A row for each group, and of more than two classes for each class: rows, class, intercept, z0 and so on.

        The coefficients are those of the decision for this class; of two classes the second one. Regressors have no
        column "class". With folds there are also the chosen ridge and the mean score, which classifiers lack.
        """
        found: list[dict[str, Any]] = []
        for name, model in self.models.items():
            weights, classes = np.atleast_2d(model.coef_), self._decided(model)
            of_group = {"group": name, "rows": model.rows} | ({"ridge": model.ridge} if model.folds else {})
            of_group |= {model.measure: model.cv_score} if model.folds and classes is None else {}
            for i, (w, b) in enumerate(zip(weights, np.atleast_1d(model.intercept_), strict=True)):
                row = of_group | ({} if classes is None else {"class": classes[i]}) | {"intercept": float(b)}
                found.append(row | {f"z{j}": value for j, value in enumerate(w.tolist())})
        return pa.table({name: pa.array([row[name] for row in found]) for name in found[0]})

    @staticmethod
    def _decided(model: LinearModel) -> list[Any] | None:
        """The class of each decision of a model; None for a regressor."""
        names = _classes_of(model)
        return names[1:] if names and one_decision(names, model.settings.coding) else names

    def decisions(self) -> tuple[list[Any] | None, dict[Any, tuple[Any, Any]]]:
        """The classes, and the coefficients and intercepts of each group in the order of all classes.

        Of two classes in all there is one decision. Otherwise a group of two classes has the decisions -d and d, and a
        class that a group does not have the intercept -inf.
        """
        classes, found = self.classes, {}
        for name, model in self.models.items():
            w, b = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
            if classes is not None and not (len(classes) == 2 and len(w) == 1):
                if len(w) == 1:
                    w, b = np.concatenate([-w, w]), np.concatenate([-b, b])
                at = [classes.index(each) for each in _classes_of(model) or ()]
                every, levels = np.zeros((len(classes), w.shape[1])), np.full(len(classes), -np.inf)
                every[at], levels[at] = w, b
                w, b = every, levels
            found[name] = (w, b)
        return classes, found

    def to_json(self) -> str:
        """All models as JSON text, with their sums, for `model_from_json`."""
        whole = json.loads(self._first.to_json())
        del whole["moments"], whole["scores"]
        groups = []
        for name, model in self.models.items():
            own = model.written_sums()
            groups.append([name, model.ridge, *([own["scores"]] if own["scores"] else []), *own["moments"]])
        about = {"kind": KIND, "format": FORMAT, "by": self.by, "by_text": self.by_text, "how": self.how}
        left_out = [list(item) for item in self.left_out.items()]
        return json.dumps({**about, "model": whole, "groups": groups, "left_out": left_out})


def _classes_of(model: LinearModel) -> list[Any] | None:
    """The classes of a classifier; None for a regressor."""
    names = getattr(model, "classes_", None)
    return None if names is None else list(names.tolist())


def groups_of(whole: Sequence[Moments], classifier: bool, apart: bool) -> dict[Any, list[Moments]]:
    """The moments of each group by fold, in the order of their names. `whole`: those of each fold.

    `apart`: whether they keep those of their classes.
    """
    folds = [_parts_of(part, classifier, apart) for part in whole]
    nothing = Moments(0, np.zeros_like(whole[0].mean), np.zeros_like(whole[0].scatter))
    every = _ordered({name for fold in folds for name in fold})
    return {name: [fold.get(name, nothing) for fold in folds] for name in every}


def _parts_of(whole: Moments, classifier: bool, apart: bool) -> dict[Any, Moments]:
    """The moments of each group of a fold."""
    if not classifier:
        return dict(whole.parts)
    each: dict[Any, dict[Any, Moments]] = {}
    for (group, name), part in whole.parts.items():
        each.setdefault(group, {})[name] = part
    found = {group: Moments.of_parts(own) for group, own in each.items()}
    return found if apart else {group: replace(part, parts={}) for group, part in found.items()}


def _ordered(names: Iterable[Any]) -> list[Any]:
    return sorted(names, key=lambda name: (isinstance(name, str), name))


def fields_of(found: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The groups of a parsed text, and the fields of each one's model, as its own text has them.

    Raises ParameterError for what no release writes.
    """
    groups, whole = found.get("groups"), found.get("model")
    wanted = {"kind", "format", "by", "by_text", "how", "model", "groups", "left_out"}
    fits = isinstance(groups, list) and groups and isinstance(whole, dict) and found.keys() == wanted
    pairs = [found.get("left_out"), groups] if fits else []
    fits = fits and all(isinstance(each, list) for own in pairs for each in (own if isinstance(own, list) else [0]))
    fits = (
        fits and isinstance(found["by"], str) and isinstance(found["by_text"], bool) and isinstance(found["how"], str)
    )
    if not fits:
        raise ParameterError("it lacks the groups, or has other fields")
    for name, ridge, *rest in groups or ():
        if not isinstance(name, (str, int)):
            raise ParameterError("a group is neither a whole number nor text nor a boolean")
        scores: Any = [] if not rest or isinstance(rest[0], str) else rest.pop(0)  # a model without folds has none
        yield name, {**(whole or {}), "ridge": ridge, "scores": scores, "moments": rest}


__all__ = ["KIND", "GroupedModel", "fields_of", "groups_of"]
