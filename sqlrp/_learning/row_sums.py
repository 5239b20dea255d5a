"""Take sums of projected rows: by SQL in the database, by its workers, or of rows that are read in batches."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import LimitError, ParameterError, SourceError, StatementError, UnsupportedError
from sqlrp._core.options import Options
from sqlrp._core.script import Setup
from sqlrp._core.sources import Join, Source
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Column
from sqlrp._engines.registry import PlanTarget
from sqlrp._evaluator.clip import Clip
from sqlrp._evaluator.moments import Matrix, Moments, SketchMoments
from sqlrp._evaluator.row_keys import NO_FOLD
from sqlrp._evaluator.tile_sources import rounded
from sqlrp._learning.ridge import RidgeSolution
from sqlrp._lowering import batches_sql, sums_sql
from sqlrp._lowering.endpoints import temporary_name
from sqlrp._lowering.evaluation import Evaluation
from sqlrp._lowering.job import Job
from sqlrp._lowering.lowerings import AUTO, SQL, requested
from sqlrp._lowering.planner import Plan
from sqlrp._lowering.sums_sql import Labels
from sqlrp._lowering.tallies import (
    Batch,
    ClassTally,
    Crossing,
    FoldTally,
    Keeping,
    Loss,
    MergeTask,
    Models,
    MoveTally,
    NearestTally,
    Taker,
    Taking,
    WorkerTask,
    check_weight,
    feed,
    plain_class,
    take_rows,
)
from sqlrp._projections.projection import Projection
from sqlrp._run.execution import within_doubles
from sqlrp._run.first_rows import prove
from sqlrp._run.row_batches import as_statement, source_rows
from sqlrp._run.table_input import TableInput, table_input

_NOT_FINITE = "a feature, a component or a target is NaN or infinite: clean the rows, or keep them out by a view"
_EXACT = 53
"""The most bits of whole numbers that a double holds exactly."""
_FEW = 40
"""The most components whose sums the database computes by itself sooner than it passes on the components."""
_BATCH = 1 << 22
"""The components of a batch of rows that the database projects."""
_KEPT = 1 << 25
"""The most components that stay in memory until they are needed again: 256 MB of them."""


@dataclass(frozen=True)
class SumRequest:
    """The rows to take sums of."""

    rows: TableInput
    """a table or a join, opened for a session"""
    projection: Projection
    labels: Labels
    classifier: bool
    key: Column | None
    """the column of the key, if there are folds"""
    folds: int
    seed: int
    options: Options
    apart: bool = False
    """whether the sums of classes are kept apart"""
    again: bool = False
    """whether the rows will be needed again, after their sums"""
    clip: Clip | None = None
    """what rows are clipped to; their sums are then of whole steps, without the factor"""

    @staticmethod
    def whole(
        connector: Connector, session: Any, source: Source | Join, projection: Projection, options: Options
    ) -> SumRequest:
        """Of the rows of a source, all in one fold and without targets."""
        rows = table_input(source, PlanTarget.of(connector, session))
        return SumRequest(rows, projection, Labels(None), False, None, 1, 0, options)

    @property
    def connector(self) -> Connector:
        """What runs the statements."""
        assert self.rows.target.connector is not None
        return self.rows.target.connector

    @property
    def session(self) -> Any:
        """The session that they run in."""
        return self.rows.target.connection

    @property
    def source(self) -> Any:
        """Where the rows are: a Source or a Join."""
        return self.rows.source

    @property
    def apart_by(self) -> tuple[str, ...]:
        """What sums are kept apart by: groups "g" and classes "y". The parts are then named by it, or by pairs."""
        if self.labels.group is not None:
            return ("g", "y") if self.classifier else ("g",)
        return ("y",) if self.apart and self.classifier else ()


class RowSums(ABC):
    """The rows, ready to be taken sums of."""

    how: str = ""
    """how the sums are computed, in words"""

    def __init__(self, asked: SumRequest, job: Job, factor: float) -> None:
        """`factor`: what the components have still to be multiplied by."""
        self.asked, self.job, self.factor = asked, job, factor

    @property
    def clip(self) -> Clip | None:
        """What components without the factor are clipped to."""
        return None if self.asked.clip is None else self.asked.clip.of(self.factor)

    @property
    def terms(self) -> int:
        """The additions and multiplications that project one row."""
        return self.job.plain_terms

    @property
    def features(self) -> tuple[str, ...] | int | None:
        """The names of wide rows' features, or the length of arrays; None if the source does not say them."""
        frame = self.job.frame
        if isinstance(self.asked.source, Join) or frame.layout == "long":
            return None
        return frame.names if frame.layout == "wide" else frame.n_features

    @property
    def named(self) -> tuple[Sequence[str] | None, int | None]:
        """The names of the features, and their number; None for what the source does not say."""
        found = self.features
        return (found, len(found)) if isinstance(found, tuple) else (None, found)

    def sums(self) -> list[Moments]:
        """The moments of each fold."""
        m = self.job.k + (0 if self.asked.classifier else len(self.asked.labels.names))
        with within_doubles(_NOT_FINITE):
            found = self._sums(m)
        for part in found:
            _check_finite(part.scatter, part.mean)
        if self.factor == 1 or self.clip is not None:
            return found
        factors = np.full(m, self.factor)
        factors[self.job.k :] = 1
        return [part.scaled(factors) for part in found]

    def crossed(self, weights: Matrix) -> SketchMoments:
        """The sums of the components with a sketch of them, by weights of shape (k, l). Raises SourceError for none."""
        found = self._crossed(weights)
        if found is None:
            raise SourceError("the source has no rows: there is nothing to learn from")
        _check_finite(found.products, found.mean)
        f = self.factor
        return replace(
            found,
            mean=found.mean * f,
            sketched=found.sketched * f,
            variance=found.variance * f * f,
            products=found.products * f * f,
        )

    def _crossed(self, weights: Matrix) -> SketchMoments | None:
        """As `crossed`, without the factor; None for no rows."""
        raise UnsupportedError(
            f"{self.job.dialect.name} adds up no sketch of {self.job.k:,} features of this source: learn from a sample"
        )

    def said(self, names: Sequence[Any], models: Sequence[Sequence[RidgeSolution]], loss: Loss) -> Matrix:
        """What each fold's models say of its rows (a `ClassTally` of `tallies`): (folds, models, classes² + 1)."""
        return self._said(names, self._bare(models), loss)

    def moved(
        self,
        names: Sequence[Any],
        models: Sequence[Sequence[RidgeSolution]],
        shift: Matrix,
        loss: Loss,
        heavy: Sequence[Matrix | None],
    ) -> Matrix:
        """How the targets of another pass differ: Σ m and Σ m·(z - shift) of `sqlrp._lowering.tallies.MoveTally`.

        The last models are those of all rows, and models i before those of all folds but i. The shape is (folds + 1, or
        1 without folds, models, decisions, 1 + k).
        """
        found = self._moved(names, self._bare(models), shift / self.factor, loss, heavy)
        found[..., 1:] *= self.factor
        return found

    def nearest(self, centres: Matrix, shift: Matrix) -> Matrix:
        """What is taken of the rows that are nearest to each centre (`NearestTally`): shape (clusters, k + 2)."""
        with within_doubles(_NOT_FINITE):
            found = self._nearest(centres / self.factor, shift / self.factor)
        _check_finite(found)
        found[:, 1:] *= self.factor
        found[:, -1] *= self.factor
        return found

    def _bare(self, models: Sequence[Sequence[RidgeSolution]]) -> Models:
        """The coefficients and the intercepts for components without the factor."""
        return [[(each.coefficients * self.factor, each.intercepts) for each in fold] for fold in models]

    @abstractmethod
    def _sums(self, m: int) -> list[Moments]:
        """The moments of each fold, without the factor; m entries each."""

    @abstractmethod
    def _nearest(self, centres: Matrix, shift: Matrix) -> Matrix:
        """As `nearest`, without the factor."""

    @abstractmethod
    def _said(self, names: Sequence[Any], models: Models, loss: Loss) -> Matrix:
        """As `said`, without the factor."""

    @abstractmethod
    def _moved(
        self, names: Sequence[Any], models: Models, shift: Matrix, loss: Loss, heavy: Sequence[Matrix | None]
    ) -> Matrix:
        """As `moved`, without the factor."""


def _check_finite(*sums: Matrix) -> None:
    """Raise SourceError for sums of numbers that are not finite."""
    if not all(np.isfinite(each).all() for each in sums):
        raise SourceError(_NOT_FINITE)


class _BatchSums(RowSums):
    """Rows that are evaluated in batches, or by workers."""

    def _crossed(self, weights: Matrix) -> SketchMoments | None:
        found = self._take(Crossing(weights))
        return SketchMoments.unpack(found[0]) if found else None

    def _sums(self, m: int) -> list[Moments]:
        asked, exact = self.asked, self.job.result.exact
        found = self._moments(
            FoldTally(asked.classifier, asked.folds, asked.seed, exact, bool(asked.apart_by), self.clip)
        )
        nothing = Moments(0, np.zeros(m), np.zeros((m, m)))
        return [found.get(i, nothing) for i in range(asked.folds)]

    def _said(self, names: Sequence[Any], models: Models, loss: Loss) -> Matrix:
        found = self._take(ClassTally(self.asked.folds, self.asked.seed, names, models, loss))
        shape = (len(models[0]), len(names) ** 2 + 1)
        parts = [found.get(i, np.zeros(shape).tobytes()) for i in range(self.asked.folds)]
        return np.stack([np.frombuffer(part, "<f8").reshape(shape) for part in parts])

    def _moved(
        self, names: Sequence[Any], models: Models, shift: Matrix, loss: Loss, heavy: Sequence[Matrix | None]
    ) -> Matrix:
        decisions, k = models[0][0][0].shape
        found = self._take(MoveTally(self.asked.folds, self.asked.seed, names, models, shift, loss, heavy))
        return np.frombuffer(found[0], "<f8").reshape(len(models), len(models[0]), decisions, k + 1).copy()

    def _nearest(self, centres: Matrix, shift: Matrix) -> Matrix:
        found = self._take(NearestTally(centres, shift))
        own = found.get(0, np.zeros((len(centres), len(shift) + 2)).tobytes())
        return np.frombuffer(own, "<f8").reshape(len(centres), -1).copy()

    def _moments(self, take: FoldTally) -> dict[int, Moments]:
        """The moments of the folds that have rows."""
        return {i: Moments.unpack(part) for i, part in self._take(take).items()}

    @abstractmethod
    def _take(self, take: Taking) -> dict[int, bytes]:
        """What was taken, by fold."""


class _LocalSums(_BatchSums):
    """Rows that this process adds up. If they are needed again, few components stay in memory."""

    kept: Sequence[Batch] | None = None
    """the batches of all rows"""

    def _moments(self, take: FoldTally) -> dict[int, Moments]:
        self._take_all(take)
        return take.moments()

    def _take(self, take: Taking) -> dict[int, bytes]:
        self._take_all(take)
        return dict(take.packed())

    def _take_all(self, take: Taking) -> None:
        if self.kept is not None:
            for batch in self.kept:
                take(*batch)
        elif self.asked.again:
            keeping = Keeping(take, _KEPT)
            self._feed(keeping)
            self.kept = keeping.kept
        else:
            self._feed(take)

    @abstractmethod
    def _feed(self, take: Taker) -> None:
        """Take all rows, from the database."""


class _SourceSums(_LocalSums):
    """The source's rows are read in batches, and this process evaluates them."""

    how = "rows are read in batches and evaluated in this process"

    def _feed(self, take: Taker) -> None:
        asked, evaluation = self.asked, Evaluation(self.job)

        def outer(query: str) -> str:
            return asked.labels.joined(self.job.dialect, query)

        with source_rows(asked.connector, asked.session, self.job, outer) as (_, tables):
            for table in tables:
                with as_statement(self.job):
                    feed(take, evaluation, table, asked.labels.told)


class _WorkerSums(_BatchSums):
    """The engine's workers evaluate the rows, each a part."""

    how = "the engine's workers add up their parts of the rows"

    def _take(self, take: Taking) -> dict[int, bytes]:
        asked, job = self.asked, self.job
        key, dialect = batches_sql.together(job), job.dialect
        end = "" if key is None else dialect.gathered_by(dialect.quote(key))
        query = asked.labels.joined(dialect, batches_sql.reading(job).removesuffix(end), end)
        task = WorkerTask(job, key, take, asked.labels.told)
        found: dict[int, bytes] = {}
        for fold, taken in asked.connector.reduced(asked.session, query, task, MergeTask(type(take))):
            found[fold] = take.merged(found[fold], taken) if fold in found else taken
        return found


class _ComponentSums(_LocalSums):
    """The database projects the rows, and this process reads the components in batches."""

    how = "the database projects the rows; their components are read in batches"

    def __init__(self, asked: SumRequest, job: Job, factor: float, query: str) -> None:
        """`query`: of the projected rows."""
        super().__init__(asked, job, factor)
        self.query = query

    def _feed(self, take: Taker) -> None:
        asked, k = self.asked, self.job.k
        query = asked.labels.joined(self.job.dialect, self.query)
        with asked.connector.stream(asked.session, query, max(_BATCH // k, 1)) as read:
            for batch in read.each:
                table = pa.Table.from_batches([batch])
                columns = [table.column(f"z{i}") for i in range(k)]
                missing = pc.is_null(columns[0]).to_numpy()
                z = np.column_stack([pc.fill_null(rounded(c), 0.0).to_numpy() for c in columns])
                keys = None if asked.key is None else table.column(asked.key.name)
                weight = asked.labels.weight_name
                weights = None if weight is None else table.column(weight)
                take_rows(take, z, asked.labels.told.labels(table), keys, missing, weights)


class _DatabaseSums(RowSums):
    """The database adds up, and only sums leave it."""

    how = "the database adds up; only the sums leave it"

    def __init__(self, asked: SumRequest, job: Job, factor: float, relation: str, steps: Sequence[Setup] = ()) -> None:
        """`relation`: the rows of `sums_sql.rows_text`, as text after FROM. `steps`: make it, with the first query."""
        super().__init__(asked, job, factor)
        self.relation, self.steps = relation, steps

    def _sums(self, m: int) -> list[Moments]:
        dialect, relation, folds, clip = self.job.dialect, self.relation, self.asked.folds, self.clip
        if clip is not None:
            relation = sums_sql.clipped_text(dialect, relation, clip)
        means: list[float] = []
        for query in sums_sql.mean_queries(dialect, relation, m):
            means += [0.0 if value is None else float(value) for value in self._rows(query)[0][1:]]
        shift = np.array(means)
        if self.job.result.exact or clip is not None:
            whole = self.job.k if clip is None else m
            shift[:whole] = np.rint(shift[:whole])
        if self.weighted:
            check_weight(float(self._rows(sums_sql.least_weight_query(relation))[0][0] or 0.0))
        apart = self.asked.apart_by
        found: dict[tuple[int, Any], list[float]] = {}
        for query in sums_sql.product_queries(dialect, relation, shift, self.weighted, apart):
            for fold, *row in self._rows(query):
                if fold is None:
                    raise ParameterError(NO_FOLD)
                names = tuple(plain_class(row.pop(0)) for _ in apart)
                name = names if len(names) > 1 else names[0] if names else None
                sums = [math.nan if value is None else float(value) for value in row]  # SQLite's NaN is NULL
                found.setdefault((int(fold), name), sums[:2]).extend(sums[2:])
        classes: list[dict[Any, tuple[float, Matrix]]] = [{} for _ in range(folds)]
        if self.asked.classifier and not apart:
            self._add_classes(classes, relation, shift)
        nothing, parts = Moments(0, shift, np.zeros((m, m))), []
        for i in range(folds):
            own = {
                name: self._moments(shift, sums, {} if apart else classes[i])
                for (fold, name), sums in found.items()
                if fold == i
            }
            parts.append(Moments.of_parts(own) if apart and own else own.get(None, nothing))
        return parts

    @property
    def weighted(self) -> bool:
        """Whether the rows have weights."""
        return self.asked.labels.weight is not None

    @property
    def components(self) -> sums_sql.Components:
        """The rows, for queries."""
        return sums_sql.Components(self.job.dialect, self.relation, self.weighted)

    @staticmethod
    def _moments(shift: Matrix, found: Sequence[float], classes: Mapping[Any, Any]) -> Moments:
        """The moments of the number of rows, their weight, Σ x_i, and Σ x_i x_j for i ≤ j."""
        m = len(shift)
        values = np.array(found[2:])
        products, (upper, other) = np.empty((m, m)), np.triu_indices(m)
        products[upper, other] = products[other, upper] = values[m:]
        return Moments.shifted(shift, int(found[0]), values[:m], products, classes, found[1])

    def _add_classes(self, classes: list[dict[Any, tuple[float, Matrix]]], relation: str, shift: Matrix) -> None:
        parts: dict[tuple[int, Any], tuple[float, list[float]]] = {}
        for query in sums_sql.class_queries(self.job.dialect, relation, shift, self.weighted):
            for fold, name, weight, *values in self._rows(query):
                _, sums = parts.setdefault((int(fold), plain_class(name)), (float(weight), []))
                sums += [float(value) for value in values]
        for (fold, name), (weight, sums) in parts.items():
            classes[fold][name] = (weight, np.array(sums))

    def _said(self, names: Sequence[Any], models: Models, loss: Loss) -> Matrix:
        n, at = len(names), {name: i for i, name in enumerate(names)}
        found = np.zeros((len(models), len(models[0]), n * n + 1))
        for i, fold in enumerate(models):
            for j, model in enumerate(fold):
                query = sums_sql.said_query(self.components, i, names, model, loss)
                for name, said, weight, lost in self._rows(query):
                    found[i, j, at[plain_class(name)] * n + int(said)] += float(weight)
                    found[i, j, -1] += float(lost)
        return found

    def _moved(
        self, names: Sequence[Any], models: Models, shift: Matrix, loss: Loss, heavy: Sequence[Matrix | None]
    ) -> Matrix:
        n, k = models[0][0][0].shape
        found = np.zeros((len(models), len(models[0]), n, k + 1))
        for i, fold in enumerate(models):
            left_out = i if i < len(models) - 1 else None
            for j, model in enumerate(fold):
                values: list[Any] = []
                for query in sums_sql.moved_queries(self.components, left_out, names, model, shift, loss, heavy[i]):
                    values += self._rows(query)[0]
                found[i, j] = np.array([value or 0.0 for value in values], dtype=np.float64).reshape(k + 1, n).T
        return found

    def _nearest(self, centres: Matrix, shift: Matrix) -> Matrix:
        found: dict[int, list[float]] = {}
        for query in sums_sql.nearest_queries(self.job.dialect, self.relation, centres, shift):
            for at, *sums in self._rows(query):
                if at is None:
                    raise SourceError(_NOT_FINITE)
                found.setdefault(int(at), []).extend(math.nan if each is None else float(each) for each in sums)
        taken = np.zeros((len(centres), len(shift) + 2))
        for i, (count, squares, *own) in found.items():
            taken[i] = [count, *own, squares]
        return taken

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        steps, self.steps = self.steps, ()
        return self.asked.connector.store_and_ask(self.asked.session, steps, query + self.job.dialect.settings)


@contextmanager
def summing(asked: SumRequest) -> Iterator[RowSums]:
    """The rows, ready to be taken sums of in the fastest way, or in the one that the options ask for.

    Raises UnsupportedError if that is not possible.
    """
    lowering, said, job = requested(asked.options.lowering), asked.options.lowering, None
    by_sql = said == SQL or (lowering is not None and lowering.plain)
    scale, factor, refused = True, 1.0, "the tables of this Join are projected before they are joined"
    if _as_one_table(asked):
        job = _job(asked)
        if not job.scale:
            scale, factor = False, asked.projection.factor(job.frame.n_features)
        refused = _unread(job)
        if not refused and not by_sql:
            if job.dialect.has_workers:
                yield _WorkerSums(asked, job, factor)
                return
            if job.dialect.streams or job.k > _FEW or lowering is not None:
                yield _SourceSums(asked, job, factor)
                return
    lacks = asked.connector.restricted(asked.session)
    if lacks and job is not None and not by_sql and not batches_sql.unread(job):
        yield _SourceSums(asked, replace(job, dialect=job.dialect.reading()), factor)
        return
    if lowering is not None and not by_sql:
        raise UnsupportedError(f"lowering = {said!r} is not supported here: {refused}; use lowering = 'auto'")
    options = Options("columns", scale, asked.options.nulls, said if lowering is not None else SQL)
    plan = asked.rows.plan(asked.projection, options, quiet=job is not None)
    yield from _in_database(asked, plan, factor, lacks)


def _as_one_table(asked: SumRequest) -> bool:
    """Whether the rows are those of one table, or of a join whose features are joined before they are projected."""
    if not isinstance(asked.source, Join):
        return True
    options = Options("auto", True, asked.options.nulls, asked.options.lowering)
    return not asked.rows.plan(asked.projection, options, quiet=True, here=True).parts


def _job(asked: SumRequest) -> Job:
    """The job of the bare outputs if they are whole numbers that a double holds; otherwise of the scaled ones."""
    nulls = asked.options.nulls
    job = asked.rows.job(asked.projection, Options("array", False, nulls))
    if job.result.kind == "int" and job.result.bits <= _EXACT:
        return job
    return Job.of(job.projection, job.frame, job.dialect, Options("array", True, nulls))


def _in_database(asked: SumRequest, plan: Plan, factor: float, lacks: str) -> Iterator[RowSums]:
    """The rows, projected by SQL. `lacks`: why the session may make no temporary table, or empty."""
    prove(asked.connector, asked.session, plan)
    script, job, dialect = plan.script(), plan.job, plan.job.dialect
    fetched = job.k > _FEW and asked.options.lowering == AUTO and not dialect.has_workers
    if not fetched:
        _check_row(job)
    if lacks and (script.steps or dialect.settings):
        raise StatementError("", lacks)
    with asked.connector.set_up(asked.session, script.steps):
        if fetched:
            yield _ComponentSums(asked, job, factor, script.query)
            return
        fold = None if asked.key is None else (asked.key, asked.folds, asked.seed)
        rows = sums_sql.rows_text(dialect, script.statement.inner, job.k, asked.labels, asked.classifier, fold)
        name, bounds = dialect.quote(temporary_name(job, -2)), (dialect.limits.stored, dialect.limits.columns)
        columns = job.k + 3 + max(len(asked.labels.names), 1) + (asked.labels.group is not None)
        if lacks or not dialect.has_temporary or any(most is not None and columns > most for most in bounds):
            yield _DatabaseSums(asked, job, factor, f"({rows}{dialect.fence}) r")
            return
        steps = [dialect.temporary_table(name, rows, numbered=False)]
        with asked.connector.set_up(asked.session, steps, later=True):
            yield _DatabaseSums(asked, job, factor, name, steps)


def _check_row(job: Job) -> None:
    """Check that the engine keeps a row of the components, their fold and their label in a subquery."""
    dialect, columns = job.dialect, job.k + len(job.frame.kept) + 4
    held = job.held_of(job.result)
    if held is not None and columns > held:
        raise LimitError(
            f"a subquery would have {columns:,} columns, more than the {held:,} that {dialect.name} holds: "
            "lower k, or use lowering = 'auto'"
        )


def _unread(job: Job) -> str:
    """Why the source's rows cannot be read in batches and evaluated; empty if they can."""
    refused = batches_sql.unread(job)
    if refused or job.dialect.streams:
        return refused
    if batches_sql.together(job) is not None:
        return f"{job.dialect.name} does not read rows of the same key together"
    cast = next((part.name for part in job.frame.parts if part.cast), None)
    if cast is not None:
        return f"the array column {cast!r} has to be cast"
    return ""


__all__ = ["RowSums", "SumRequest", "summing"]
