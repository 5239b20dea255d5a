"""Learn a linear model from sums that are computed where the rows are."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from types import SimpleNamespace
from typing import Any, ClassVar, Protocol

import numpy as np
import pyarrow as pa

from sqlrp.core.draw import check_seed
from sqlrp.core.errors import ParameterError, SourceError, shorten
from sqlrp.core.options import Nulls, Options
from sqlrp.core.sources import Join, Long, Source, Standardized
from sqlrp.engines import connector_of
from sqlrp.evaluator.moments import Matrix, Moments, total
from sqlrp.lowering.summing import chosen
from sqlrp.projections import from_json
from sqlrp.projections.base import Projection, checked
from sqlrp.run.folds import Counted, Score, Settings, best_ridge, check_folds, classes_of, scores_of
from sqlrp.run.memory import is_dataframe
from sqlrp.run.passes import Moved, passed
from sqlrp.run.preparing import plain
from sqlrp.run.ridge import Coding, Solved, solved
from sqlrp.run.summing import Asked, Taken, taken
from sqlrp.run.target import Target, Task, check, check_passes, ridges_of

_FORMAT = 1


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A linear model on the components of a projection. `sqlrp.score` and `score_sql` run it in the database.

    `coef_` and `intercept_` have the shapes of scikit-learn's. `moments` are the sums of each fold that it was solved
    from, so that more rows can be added (`refresh`).

        >>> model = sqlrp.learn(rp, "points", con)
        >>> isinstance(model, sqlrp.LinearModel)
        True
        >>> model.coef_.shape
        (1, 2)
    """

    settings: Settings
    moments: tuple[Moments, ...] = field(repr=False)
    coef_: Matrix = field(repr=False)
    """shape (k,) for a regressor; (1, k) for two classes that are coded by signs; otherwise (classes, k)"""
    intercept_: Any
    ridge: float
    """the chosen ridge"""
    scores: tuple[Score, ...] = field(default=(), repr=False)
    """of every fold and ridge; empty without folds"""
    how: str = ""
    """how the sums were computed"""
    terms: int = 0
    """the additions and multiplications that project one row"""

    measure: ClassVar[str] = ""
    """the name of `score`"""

    @property
    def projection(self) -> Projection:
        """The projection of the rows."""
        return self.settings.projection

    @property
    def rows(self) -> int:
        """The number of rows that the model was learnt from."""
        return sum(part.count for part in self.moments)

    @property
    def folds(self) -> int:
        """The number of folds; 0 without cross-validation."""
        return len(self.moments) if len(self.moments) > 1 else 0

    @property
    def cv_score(self) -> float:
        """The mean score of the folds with the chosen ridge: accuracy or R². NaN without folds."""
        own = [s.score for s in self.scores if s.ridge == self.ridge]
        return float(np.mean(own)) if own else math.nan

    def __repr__(self) -> str:
        """The projection, the ridge, and the mean score of the folds."""
        said = [type(self.projection).__name__, f"k={self.projection.k}", f"target={self.settings.target!r}"]
        said += [f"rows={self.rows:,}", f"ridge={self.ridge:g}"]
        said += [f"passes={self.settings.passes}"] if self.settings.passes > 1 else []
        if not math.isnan(self.cv_score):
            said.append(f"{self.measure} of {self.folds} folds={self.cv_score:.4f}")
        return f"{type(self).__name__}({', '.join(said)})"

    def table(self) -> pa.Table:
        """For each ridge the mean score of the folds, its standard deviation, and the mean squared error."""
        rows = []
        for ridge in self.settings.ridges:
            own = [s for s in self.scores if s.ridge == ridge]
            if own:
                values, error = np.array([s.score for s in own]), float(np.mean([s.error for s in own]))
                rows.append((ridge, float(values.mean()), float(values.std()), error, ridge == self.ridge))
        columns = list(zip(*rows, strict=True)) if rows else [()] * 5
        return pa.table(dict(zip(("ridge", self.measure, "deviation", "error", "chosen"), columns, strict=True)))

    def refresh(
        self, source: Source | Standardized | Join | str, connection: Any, *, lowering: str = "auto"
    ) -> LinearModel:
        """The model with the rows of a source added to those that it was learnt from, by their own sums.

        `source` has the new rows only, such as a view of them; it has the same columns. Classes may be new. The ridge
        stays, and so do the folds. Their errors are computed again, but not their accuracies, as that would need the
        earlier rows. Raises as `sqlrp.learn`, and ParameterError for a model of several passes, which needs all rows
        for each.
        """
        if self.settings.passes > 1:
            raise ParameterError(
                f"the model was learnt in passes = {self.settings.passes}, and each needs all rows: call sqlrp.learn "
                "with all of them, or learn with passes = 1"
            )
        task: Task = "classifier" if isinstance(self, LinearClassifier) else "regressor"
        with _rows(self.settings, source, connection, task, len(self.moments), lowering) as rows:
            parts = [old + new for old, new in zip(self.moments, rows.sums(), strict=True)]
            return _solve(self.settings, rows.asked.classifier, parts, rows, ridge=self.ridge)

    def scored(self, source: Source) -> Source:
        """The source with the target among the columns that pass through: of a wide source it is then no feature."""
        if self.settings.labels is not None or isinstance(source, Long) or self.settings.target in source.keep:
            return source
        return replace(source, keep=[*source.keep, self.settings.target])

    def _decisions(self, z: Any) -> Matrix:
        """Shape (rows, decisions)."""
        weights = np.atleast_2d(self.coef_)
        return np.asarray(np.asarray(z, dtype=np.float64) @ weights.T + self.intercept_)

    def to_json(self) -> str:
        """The whole model as JSON text, with its sums, for `model_from_json`."""
        s = self.settings
        scores = [
            [None if math.isnan(cell) else cell for cell in (x.ridge, x.fold, x.rows, x.error, x.score)]
            for x in self.scores
        ]
        own = {f.name: getattr(s, f.name) for f in fields(s)} | {"projection": json.loads(s.projection.to_json())}
        packed = [base64.b64encode(zlib.compress(part.pack(), 1)).decode() for part in self.moments]
        about = {"kind": type(self).__name__, "format": _FORMAT, "settings": own, "ridge": self.ridge, "how": self.how}
        if s.passes > 1:  # sums of the rows alone do not give it
            about |= {"coefficients": self.coef_.tolist(), "intercepts": self.intercept_.tolist()}
        return json.dumps({**about, "terms": self.terms, "scores": scores, "moments": packed})


class LinearClassifier(LinearModel):
    """A ridge classifier: the class of a row is that of its greatest decision, or of the sign of its only one."""

    measure: ClassVar[str] = "accuracy"

    @property
    def classes_(self) -> Any:
        """The classes in order, as an array."""
        names = classes_of(self.moments)
        return np.array(names, dtype=None if len({type(name) for name in names}) == 1 else object)

    def decision_function(self, z: Any) -> Matrix:
        """The decisions of components: shape (rows,) if there is one decision, otherwise (rows, classes)."""
        found = self._decisions(z)
        return found[:, 0] if found.shape[1] == 1 else found

    def predict(self, z: Any) -> Any:
        """The classes of components, which have the shape (rows, k)."""
        return self.classes_[chosen(self._decisions(z))]


class LinearRegressor(LinearModel):
    """A ridge regressor."""

    measure: ClassVar[str] = "r2"

    def predict(self, z: Any) -> Matrix:
        """The predictions of components, which have the shape (rows, k)."""
        return self._decisions(z)[:, 0]


def learn(
    projection: Projection,
    source: Source | Standardized | Join | str,
    connection: Any,
    target: str = "label",
    *,
    ridge: float | Sequence[float] = 1.0,
    relative: bool = False,
    folds: int = 0,
    task: Task = "auto",
    coding: Coding = "sign",
    intercept: bool = True,
    labels: str | None = None,
    accuracy: bool = True,
    passes: int = 1,
    seed: int = 0,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
) -> LinearModel:
    """Fit a ridge classifier or regressor to the components of a source's rows, from sums of the rows.

    The model is that of scikit-learn's RidgeClassifier or Ridge on the projected rows, with alpha = `ridge`; 0 gives
    the least squares, and of several that are equally good the smallest. It needs only ZᵀZ and Zᵀy, which are
    k·(k + 1)/2 + k·classes sums for any number of rows. Pass the model to `sqlrp.score` and `sqlrp.score_sql` with the
    same projection.

    `target`: the column to predict. Text, booleans and whole numbers are classes, and other numbers are values;
    `task` "classifier" or "regressor" says otherwise. `labels`: the table that has the target, if it is not a column
    of the source. It is joined by the source's key, as sparse rows (Long) and grouped rows need it.

    `relative`: the ridges are multiplied by the mean scatter of a component, Σ (z - mean)², so that the same ones suit
    components of any size.

    `folds`: 2 or more for cross-validation. The fold of a row is a hash of its key (a whole number or text) and the
    `seed`, the same on every engine. The model of the other folds follows by subtraction, so all folds and ridges
    need the rows once. Of several ridges the best one is taken: by the mean accuracy of the folds for a classifier,
    otherwise by the mean squared error. Counting correct rows reads the rows a second time; `accuracy` False leaves it
    out. `LinearModel.scores` has the score of every fold and ridge.

    `coding`: the targets of a classifier are 1 for the row's class and -1 ("sign") or 0 ("one-hot") for the others.
    "discriminant" solves the linear discriminant from the same sums, as scikit-learn's LinearDiscriminantAnalysis
    does; the ridge is added to the scatter within the classes. It is often more accurate with many classes.
    `passes`: 2 or more for a linear support vector machine, which is often the most accurate. From the
    second pass on, a decision beyond its target, on the right side, is no error. Many passes give the model of the
    squared hinge loss, Σ max(0, 1 - y·f)² + ridge·|w|² for each decision f: scikit-learn's LinearSVC with
    C = 1/(2·ridge), but for its penalty of the intercept. 8 passes come near. Each reads the rows once more, and needs
    k·classes sums more. The rows of every fold are left out of all passes of its models.
    `intercept` False fits no constant. Rows whose target is NULL, or a feature with `nulls` "propagate", are left out.

    `lowering`: "auto" takes the fastest way. "sql", or a kind of SQL, lets the database add up: only sums leave it.
    "compiled" reads the source's rows in batches and evaluates them in this process; on Spark its workers do.
    `LinearModel.how` says which way was taken.

    Raises ParameterError for a parameter out of bounds, SourceError for rows without a target, with only one class, or
    with NaN or infinity, and the errors of `sqlrp.project`.

        >>> model = sqlrp.learn(rp, "points", con, target="label", folds=5, ridge=[0.1, 1.0])
        >>> model.ridge in (0.1, 1.0), len(model.scores)
        (True, 10)
    """
    ridges = ridges_of(ridge)
    check(folds, task, coding, len(ridges), intercept, accuracy, passes)
    check_seed(seed)
    settings = Settings(checked(projection), target, ridges, coding, intercept, labels, seed, nulls, passes)
    return _learnt(settings, source, connection, task, max(folds, 1), accuracy, lowering, relative)


def _learnt(
    settings: Settings,
    source: Source | Standardized | Join | str,
    connection: Any,
    task: Task,
    folds: int,
    accuracy: bool,
    lowering: str,
    relative: bool,
) -> LinearModel:
    with _rows(settings, source, connection, task, folds, lowering) as rows:
        parts, projection = rows.sums(), rows.asked.projection  # with the statistics of a standardized source
        unit = float(np.trace(total(parts).scatter[: projection.k, : projection.k])) / projection.k if relative else 1.0
        settings = replace(settings, projection=projection, ridges=tuple(each * unit for each in settings.ridges))
        return _solve(settings, rows.asked.classifier, parts, rows, rows.right if accuracy else None, rows.moved)


@contextmanager
def _rows(
    settings: Settings,
    source: Source | Standardized | Join | str,
    connection: Any,
    task: Task,
    folds: int,
    lowering: str,
) -> Iterator[Taken]:
    """The rows to learn from."""
    if is_dataframe(source):
        raise ParameterError("scikit-learn learns from dataframes: put a transformer of sqlrp.sklearn in a pipeline")
    connector = connector_of(connection)
    with connector.session(connection) as session:
        found = Target.of(connector, session, source, settings.target, settings.labels, folds)
        projection, plain_source = plain(settings.projection, found.source, session)
        classifier = found.is_class if task == "auto" else task == "classifier"
        options = Options("columns", True, settings.nulls, lowering)
        asked = Asked(
            connector,
            session,
            projection,
            plain_source,
            found.labels,
            classifier,
            found.key,
            folds,
            settings.seed,
            options,
        )
        check_passes(settings.passes, classifier, settings.target)
        with taken(asked) as rows:
            yield rows


class _Told(Protocol):
    """How the sums were computed, and the terms of a row."""

    @property
    def how(self) -> str: ...

    @property
    def terms(self) -> int: ...


def _solve(
    settings: Settings,
    classifier: bool,
    moments: Sequence[Moments],
    rows: _Told,
    counted: Counted | None = None,
    moved: Moved | None = None,
    ridge: float | None = None,
) -> LinearModel:
    """The model of the sums of each fold. `counted` counts correct rows. `ridge`: the ridge to take, if it is known.

    `rows`: what is told of the rows. `moved` gives the sums of another pass.

    Raises SourceError if there are no rows.
    """
    whole = total(moments)
    if not whole.count:
        raise SourceError("no row has a target and no NULL: there is nothing to learn from")
    names = classes_of(moments) if classifier else None
    check_folds(moments)
    folds = moments if len(moments) > 1 else ()
    of_all = None
    if names is not None and moved is not None and settings.passes > 1:
        *models, of_all = passed(settings, names, moments, whole, moved)
    else:
        models = [solved(whole - part, names, settings.coding, settings.ridges, settings.intercept) for part in folds]
    scores = scores_of(settings, names, folds, models, counted)
    if ridge is None:
        ridge = best_ridge(scores, settings.ridges) if folds else settings.ridges[0]
    if of_all is not None:
        best = of_all[settings.ridges.index(ridge)]
    else:
        (best,) = solved(whole, names, settings.coding, [ridge], settings.intercept)
    return _made(settings, classifier, moments, best, ridge, scores, rows)


def _made(
    settings: Settings,
    classifier: bool,
    moments: Sequence[Moments],
    best: Solved,
    ridge: float,
    scores: Sequence[Score],
    told: _Told,
) -> LinearModel:
    w, b = best.coefficients, best.intercepts
    if classifier:
        return LinearClassifier(settings, tuple(moments), w, b, ridge, tuple(scores), told.how, told.terms)
    return LinearRegressor(settings, tuple(moments), w[0], float(b[0]), ridge, tuple(scores), told.how, told.terms)


def model_from_json(text: str) -> LinearModel:
    """Read the text of `LinearModel.to_json`. Raises ParameterError for another text.

    >>> model = sqlrp.learn(rp, "points", con)
    >>> again = sqlrp.model_from_json(model.to_json())
    >>> bool((again.coef_ == model.coef_).all())
    True
    """
    try:
        found = json.loads(text)
        if found["format"] > _FORMAT:
            raise ParameterError(f"the model is of format {found['format']}, not {_FORMAT}: install a newer release")
        own = found["settings"]
        own |= {"projection": from_json(json.dumps(own["projection"])), "ridges": tuple(own["ridges"])}
        moments = [Moments.unpack(zlib.decompress(base64.b64decode(part))) for part in found["moments"]]
        cells: Any = ([math.nan if cell is None else cell for cell in row] for row in found["scores"])
        scores = tuple(Score(ridge, fold, rows, error, score) for ridge, fold, rows, error, score in cells)
        classifier = found["kind"] == LinearClassifier.__name__
        told = SimpleNamespace(how=found["how"], terms=found["terms"])
        settings, ridge = Settings(**own), found["ridge"]
        if settings.passes > 1:
            best = Solved(np.array(found["coefficients"]), np.array(found["intercepts"]))
            return _made(settings, classifier, moments, best, ridge, scores, told)
        model = _solve(settings, classifier, moments, told, ridge=ridge)
    except ParameterError:
        raise
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise ParameterError(f"{shorten(text, 40)} is not a model that LinearModel.to_json wrote") from error
    return replace(model, scores=scores)


__all__ = ["LinearClassifier", "LinearModel", "LinearRegressor", "learn", "model_from_json"]
