"""A source in a database: bind, statistics, job, plan, run. `sql` and `explain` stop at the plan."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from sqlrp._core.options import Options
from sqlrp._core.sources import Join, Source, Standardized, as_source
from sqlrp._core.values import dataclass
from sqlrp._engines.registry import connector_of
from sqlrp._lowering.job import Job
from sqlrp._lowering.join import plan_join
from sqlrp._lowering.planner import Plan, plan
from sqlrp._projections.projection import Projection, checked
from sqlrp._run.bind import bind, bind_join, caution, engine_asked
from sqlrp._run.execution import result_of
from sqlrp._run.nulls import naming_rows, warn_of_result
from sqlrp._run.same_bits import warn_of_codes
from sqlrp._run.statistics import plain_table


@dataclass(frozen=True)
class TableInput:
    """A table, a view, a file or a join, with the connection that reads it."""

    source: Source | Standardized | Join | str
    connection: Any

    def project(self, projection: Projection, options: Options) -> Any:
        """The rows of the projection, of the type that the connector returns."""
        connector = connector_of(self.connection)
        with naming_rows(connector, self.connection) as jobs, connector.working(self.connection) as session:
            chosen = planned(projection, self.source, session, options, here=True)
            jobs.append(chosen.job)
            result = result_of(connector, session, chosen)
        warn_of_result(chosen.job, result)
        warn_of_codes(chosen.job, result)
        return result


def planned(
    projection: Projection,
    source: Source | Standardized | Join | str,
    target: Any,
    options: Options,
    quiet: bool = False,
    here: bool = False,
) -> Plan:
    """The plan of a source's projection. `target`: an engine, its name, or a connection. `quiet`: give no warnings.

    `here`: as in `sqlrp._lowering.planner.plan`.
    """
    engine, connector = engine_asked(target)
    if isinstance(source, Join):
        projection = checked(projection)
        with connector.session(target) if connector else nullcontext() as session:
            frames = bind_join(source, engine, connector, session)
        if not quiet:
            caution(projection, *frames, n_features=sum(frame.n_features or 0 for frame in frames))
        return plan_join(projection, source, frames, engine, options)
    job = job_of(projection, source, target, options, quiet)
    if here and connector is not None and connector.is_in_process(target):
        job = replace(job, fetched=True)
    return plan(job, options.lowering, here=here and connector is not None)


def job_of(
    projection: Projection,
    source: Source | Standardized | str,
    target: Any,
    options: Options,
    quiet: bool = False,
) -> Job:
    """The job for the lowerings; `target` and `quiet` as in `planned`."""
    engine, connector = engine_asked(target)
    projection, source = plain_table(checked(projection), source, target if connector else None)
    frame = bind(as_source(source), engine, connector, target, projection.bound_to)
    job = Job.of(projection, frame, engine, options)
    if not quiet:
        caution(projection, frame)
    return job


__all__ = ["TableInput", "job_of", "planned"]
