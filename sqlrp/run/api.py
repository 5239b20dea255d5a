"""The road from a projection to rows: sql, explain, project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp.connectors.base import Connector
from sqlrp.core.errors import ParameterError, StatementError, UnsupportedError, shorten
from sqlrp.core.numbers import DOUBLE
from sqlrp.core.script import Script
from sqlrp.core.sources import Join, Output, Source, Standardized, TableName, Wide, as_source
from sqlrp.engines import connector_of, dialect_named
from sqlrp.lowering import compiled
from sqlrp.lowering.gradient import gradient
from sqlrp.lowering.job import Job, Nulls
from sqlrp.lowering.join import frames_of, plan_join
from sqlrp.lowering.planner import Plan, plan
from sqlrp.lowering.registry import find
from sqlrp.projections import BilinearPooling
from sqlrp.projections.base import Projection, checked
from sqlrp.run.bind import caution, look, refuse, resolve
from sqlrp.run.lazy import lazy_kind, project_lazy
from sqlrp.run.memory import is_dataframe, project_array, project_dataframe, without_lowering
from sqlrp.run.preparing import plain

_SHOWN = 1_000  # characters of SQL that a notebook shows


def sql(
    projection: Projection,
    source: Source | Standardized | Join | str,
    engine: Any,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
) -> str:
    """The SQL text that projects a source.

    `engine` is an engine's name such as "duckdb", where the source names its features, or a connection. The
    text is one SELECT; where one statement cannot hold the terms it is a script of several.
    Raises ParameterError, SourceError, UnsupportedError or LimitError, all before anything runs.
    """
    return scripted(projection, source, engine, output, scale, nulls, lowering).text


def explain(
    projection: Projection,
    source: Source | Standardized | Join | str,
    engine: Any,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
) -> Explanation:
    """Which lowering would be used and why, with the estimates of the others; prints as a few lines."""
    chosen = _plan(projection, source, engine, output, scale, nulls, lowering, quiet=True)
    return Explanation(chosen, chosen.script())


def project(
    projection: Projection,
    source: Source | str | Any,
    connection: Any = None,
    *,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    key: str | None = None,
    keep: Sequence[str] = (),
) -> Any:
    """Project a table in its database, a dataframe in memory, or a lazy frame when it is read.

    With a connection: `source` is a table's name or a source; returns a pyarrow.Table of key, keep and
    z0 … z{k-1} (output "columns"), z ("array"), or component and value ("long"); "auto" is the first of these that
    the engine holds, and `explain` says which; from Spark a DataFrame of them,
    of which nothing is computed before it is read.
    From a `Long` source the "long" output is sparse too: components that are 0 are absent, but for component 0,
    which every row has.

    Without one: `source` is a pandas or polars DataFrame or a pyarrow.Table, and so is what comes back; rows
    keep their order and pandas its index. Of a DuckDB relation, a polars LazyFrame or an ibis table what comes back is
    lazy too: nothing is computed before it is read. Columns named by `key` ("id" unless given, where there is one) and
    `keep` pass through; every other numeric or boolean column is a feature.

    A `Standardized` source is projected by statistics that are computed first, in one query more.
    `scale` False leaves the bare signed sums (exact for integers). `nulls`: a NULL feature makes the row's
    outputs NULL ("propagate"), counts as 0 ("zero") or raises ("error").
    """
    projection = checked(projection)
    if isinstance(source, Standardized) and is_dataframe(source.source):
        projection, source = plain(projection, source, connection, key or "id", keep)
    lazy = lazy_kind(source)
    if (lazy or is_dataframe(source)) and connection is not None:
        raise ParameterError(f"{lazy or 'a dataframe'} needs no connection: leave it out, or pass a table's name")
    if lazy:
        return project_lazy(projection, source, output, scale, nulls, lowering, key, keep)
    if is_dataframe(source):
        without_lowering(lowering, "a dataframe")
        return project_dataframe(projection, source, output, scale, nulls, key or "id", keep)
    if key is not None or keep:
        named = f"key = {key!r}" if key is not None else f"keep = {shorten(keep)}"
        raise ParameterError(f"{named} is for dataframes; a table's stand in its source: pass Wide(table, key, keep=…)")
    if connection is None:
        raise ParameterError(f"source {shorten(source)} needs a connection: pass one, or pass a dataframe")
    connector = connector_of(connection)
    with connector.session(connection) as session:
        chosen = _plan(projection, source, session, output, scale, nulls, lowering)
        return run(connector, session, chosen.script())


def project_vector(projection: Projection, values: Sequence[float] | Mapping[str, float]) -> npt.NDArray[np.float64]:
    """One vector, such as a search's query, projected by the same signs as the rows: shape (k,), scale included.

    `values`: one number a feature, in the features' order; or by name, where the projection is bound to names.
    Raises SourceError for other features than the projection is bound to.
    """
    projection = checked(projection)
    return np.asarray(project_array(projection, _vector(projection, values)[None, :])[0])


def vector_sql(projection: Projection, values: Sequence[float] | Mapping[str, float], engine: str) -> str:
    """The SELECT of one row that projects a vector in the engine: `project_vector` as SQL, with columns z0 … z{k-1}."""
    x = _vector(checked(projection), values)
    names = [f"f{j}" for j in range(len(x))]
    job = Job(
        replace(projection, bound_to=None),
        resolve(Wide("sqlrp_vector", key=None, features=names), None, dialect_named(engine)),
        dialect_named(engine),
    )
    numbers = ", ".join(
        f"{job.engine.literal(v, DOUBLE)} AS {job.engine.quote(n)}" for v, n in zip(x, names, strict=True)
    )
    return f"WITH sqlrp_vector AS (SELECT {numbers})\n{plan(job, 'inline').script().text}"


def _vector(projection: Projection, values: Sequence[float] | Mapping[str, float]) -> npt.NDArray[np.float64]:
    if isinstance(values, Mapping):
        names = projection.bound_to if isinstance(projection.bound_to, tuple) else None
        if names is None:
            raise ParameterError("values by name need a projection that is bound to names: pass them in their order")
        projection.check_features(
            [n for n in names if n in values] + [n for n in values if n not in names], len(values)
        )
        values = [values[n] for n in names]
    try:
        x = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        x = np.empty(0)
    if x.ndim != 1 or not x.size:
        raise ParameterError(f"values = {shorten(values)} must be a sequence of numbers, one a feature")
    projection.check_features(None, len(x))
    return x


def gradient_sql(pooling: BilinearPooling, source: Source | str, upstream: str, engine: Any) -> str:
    """The SELECT of ∂L/∂x for every descriptor of a source: key, kept columns, feature (from 0) and value.

    `upstream`: a table (the source's key, component, value) of ∂L/∂y, the gradient with respect to each group's
    pooled sums (`normalise` False, scale included). Thesis, app. B, eq. B.6-7; `BilinearPooling.gradient` in SQL.
    `engine`: an engine's name, or a connection. Raises ParameterError for another method or a source without key.
    """
    job = _plan(checked(pooling).gradient_sums(), source, engine, "long", True, "propagate", "relational").job
    if job.frame.key is None or job.frame.layout == "long":
        raise ParameterError("the gradient is taken of the rows of groups: name the group's column as key")
    return gradient(job, TableName.parse(upstream), pooling.estimating().factor(job.frame.n_features)).text


def run(connector: Connector, connection: Any, script: Script) -> Any:
    """Run a script's steps, take the result of its query, and drop what the steps made, whatever happens."""
    with prepared(connector, connection, script):
        return connector.result(connection, script.query)


@contextmanager
def prepared(connector: Connector, connection: Any, script: Script) -> Iterator[None]:
    """Run a script's steps; afterwards drop what they made, and before what an earlier failure left of it."""
    if script.calls:
        compiled.register(connector, connection, script.calls)
    clear(connector, connection, script)
    try:
        for step in script.steps:
            connector.execute(connection, step)
        yield
    except BaseException:
        # The first error is the one to tell; where it broke a transaction, its rollback drops the tables.
        with suppress(StatementError):
            clear(connector, connection, script)
        raise
    clear(connector, connection, script)


def clear(connector: Connector, connection: Any, script: Script) -> None:
    """Drop whatever a script's steps make and is there; where one drop fails, the others run nevertheless."""
    with ExitStack() as drops:
        for statement in reversed(script.cleanup):
            drops.callback(connector.execute, connection, statement)


def scripted(
    projection: Projection,
    source: Source | Standardized | Join | str,
    engine: Any,
    output: Output,
    scale: bool,
    nulls: Nulls,
    lowering: str,
) -> Script:
    """The statements that `sql` writes as one text, on a connection that has the functions they call."""
    chosen = _plan(projection, source, engine, output, scale, nulls, lowering)
    script = chosen.script()
    if script.calls:
        compiled.register(connector_of(engine), engine, script.calls)
    return script


def _plan(
    projection: Projection,
    source: Source | Standardized | Join | str,
    target: Any,
    output: Output,
    scale: bool,
    nulls: Nulls,
    lowering: str,
    quiet: bool = False,
) -> Plan:
    if isinstance(target, str) and lowering != "auto" and not find(lowering).plain:
        raise UnsupportedError(
            f"lowering = {lowering!r} calls a function of this process: pass a connection instead of {target!r}, "
            "or use lowering = 'auto'"
        )
    if isinstance(source, Join):
        projection = checked(projection)
        connector = None if isinstance(target, str) else connector_of(target)
        engine = connector.dialect if connector else dialect_named(target)
        with connector.session(target) if connector else nullcontext() as session:
            frames = frames_of(source, engine, connector, session)
        if not quiet:
            caution(projection, *frames, n_features=sum(frame.n_features or 0 for frame in frames))
        return plan_join(projection, source, frames, engine, output, scale, nulls, lowering)
    return plan(job_of(projection, source, target, output, scale, nulls, quiet), lowering)


def job_of(
    projection: Projection,
    source: Source | Standardized | str,
    target: Any,
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    quiet: bool = False,
) -> Job:
    """The projection of a source as the lowerings see it; `target`: an engine's name, or a connection.

    `quiet`: without warnings.
    """
    projection, source = plain(checked(projection), source, target)
    connector = None if isinstance(target, str) else connector_of(target)
    engine = connector.dialect if connector else dialect_named(target)
    source = as_source(source)
    refuse(source, engine)
    if connector is None:
        frame = resolve(source, None, engine)
    else:
        with connector.session(target) as session:
            frame = look(connector, session, source, bound_to=projection.bound_to)
    job = Job(projection, frame, engine, output, scale, nulls)
    if not quiet:
        caution(projection, frame)
    return job


@dataclass(frozen=True)
class Explanation:
    """What `explain` says; `str` prints it."""

    plan: Plan
    script: Script

    @property
    def lowering(self) -> str:
        """The chosen lowering."""
        return self.plan.chosen.lowering

    @property
    def text(self) -> str:
        """The SQL."""
        return self.script.text

    def __repr__(self) -> str:
        """The choice alone: `print` tells the rest."""
        job, size = self.plan.job, f"{len(self.text):,} characters"
        return f"Explanation({job.projection.name} of {shorten(str(job.frame.table))}: {self.lowering}, {size})"

    def _repr_html_(self) -> str:
        """The lines of `print` and the beginning of the SQL, for notebooks."""
        sql = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}…"
        return (
            f"<pre>{escape(str(self))}</pre><details><summary>SQL, {len(self.text):,} characters</summary>"
            f"<pre>{escape(sql)}</pre></details>"
        )

    def __str__(self) -> str:
        """A few lines: the job, the choice and its reason, the others, the text's size."""
        job = self.plan.job
        d, rows = job.frame.n_features, job.frame.rows
        size = f"{'an open vocabulary of' if d is None else f'{d:,}'} features -> {job.k:,} components"
        count = "row count unknown, 100,000 assumed" if rows is None else f"{rows:,} rows"
        why = "as asked" if self.plan.asked else "the fastest estimate among the usable lowerings"
        lines = [
            job.projection.name,
            f"  source    {job.frame.table} ({job.frame.layout}): {size}, {count}",
            f"  lowering  {self.lowering}: {why}",
        ]
        for e in self.plan.estimates:
            said = e.refusal or f"about {e.seconds:.3g} s ({e.plan_seconds:.3g} to plan, {e.run_seconds:.3g} to run)"
            lines.append(f"    {e.lowering:<11}{said}")
        for part in self.plan.parts:
            sums = f"{part.job.frame.n_features:,} features -> {part.job.k:,} sums"
            lines.append(
                f"  table     {part.job.frame.table} ({part.job.frame.layout}): {sums}, {part.chosen.lowering}"
            )
        steps = len(self.script.steps) + 1
        lines.append(
            f"  terms     {job.terms:,} a row; text {len(self.text):,} characters in "
            + ("one statement" if steps == 1 else f"{steps} steps (at most {job.engine.limits.terms:,} terms in one)")
        )
        if job.fitted:
            held = "no limit is stated" if job.bound is None else f"{job.bound:,} are held"
            lines.append(f"  output    {job.output}: {job.columns:,} columns, {held}")
        for frame in {f.table: f for f in (job.frame, *(part.job.frame for part in self.plan.parts))}.values():
            lines += [f"  left out  of {frame.called}: {frame.passed_over}"] if frame.left_out else []
        for remark in (
            job.projection.caution(d),
            job.projection.remark(d),
            self.plan.lowering.note,
        ):
            lines += [f"  note      {remark}"] if remark else []
        lines.append(f"  numbers   {job.frame.number.kind} features, {job.result.kind} results, nulls {job.nulls}")
        return "\n".join(lines)
