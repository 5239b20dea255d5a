"""A source in a database: bind, statistics, job, plan, run. `sql` and `explain` stop at the plan."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from sqlrp._core.errors import warn
from sqlrp._core.options import Options
from sqlrp._core.sources import Join, Source, Standardized, as_rows
from sqlrp._core.values import dataclass
from sqlrp._engines.registry import PlanTarget, open_target
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.job import Job
from sqlrp._lowering.join import job_of_join, plan_join
from sqlrp._lowering.planner import Plan, plan
from sqlrp._projections.projection import Projection, checked
from sqlrp._run.bind import bind, bind_join, cautions
from sqlrp._run.execution import result_of
from sqlrp._run.nulls import naming_rows, nulls_of_result
from sqlrp._run.same_bits import bits_of_result
from sqlrp._run.statistics import plain_table


@dataclass(frozen=True)
class TableInput:
    """A table, a view or a file, and what it is planned for, or the connection that reads it."""

    source: Any
    """a Source or Standardized; of a `JoinInput` the Join"""
    target: PlanTarget

    def project(self, projection: Projection, options: Options) -> Any:
        """The rows of the projection, of the type that the connector returns."""
        connector, connection = self.target.connector, self.target.connection
        assert connector is not None
        with naming_rows(connector, connection) as jobs, connector.working(connection) as session:
            own = replace(self, target=replace(self.target, connection=session))
            chosen = own.plan(projection, options, here=True)
            jobs.append(chosen.job)
            result = result_of(connector, session, chosen)
        warn(*nulls_of_result(chosen.job, result), *bits_of_result(chosen.job, result))
        return result

    def plan(self, projection: Projection, options: Options, quiet: bool = False, here: bool = False) -> Plan:
        """The plan of the projection. `quiet`: give no warnings. `here`: as in `sqlrp._lowering.planner.plan`."""
        job = replace(self.job(projection, options, quiet), fetched=here and self._is_in_process)
        return plan(job, options.lowering, here=here and self.target.connector is not None)

    @property
    def _is_in_process(self) -> bool:
        """Whether the engine runs in this process, and a connection to it was given."""
        connector = self.target.connector
        return connector is not None and connector.is_in_process(self.target.connection)

    def job(self, projection: Projection, options: Options, quiet: bool = False) -> Job:
        """The job for the lowerings; `quiet` as in `plan`."""
        target = self.target
        projection, source, said = plain_table(checked(projection), self.source, target.connector, target.connection)
        frame = bind(source, target, projection.bound_to)
        job = Job.of(projection, frame, target.dialect, options)
        if not quiet:
            warn(*said, *cautions(projection, frame))
        return job


@dataclass(frozen=True)
class JoinInput(TableInput):
    """A join of tables."""

    @cached_property
    def frames(self) -> list[Frame]:
        """The frame of the fact table, then those of the dimensions."""
        return bind_join(self.source, self.target)

    def plan(self, projection: Projection, options: Options, quiet: bool = False, here: bool = False) -> Plan:
        """The plan of the tables' own sums, or of the joined features; the others as in `TableInput.plan`."""
        projection, here = checked(projection), here and self.target.connector is not None
        fetched = here and self._is_in_process
        made = plan_join(projection, self.source, self.frames, self.target.dialect, options, here, fetched)
        if not quiet:
            warn(*cautions(projection, *self.frames))
        return made

    def job(self, projection: Projection, options: Options, quiet: bool = False) -> Job:
        """The job of the joined features. Raises UnsupportedError for arrays."""
        projection = checked(projection)
        made = job_of_join(projection, self.source, self.frames, self.target.dialect, options)
        if not quiet:
            warn(*cautions(projection, *self.frames))
        return made


def table_input(source: object, target: Any) -> TableInput:
    """The input of a table or a join. `target`: a connection, or for a plan alone an engine or its name."""
    opened = open_target(target)
    return JoinInput(source, opened) if isinstance(source, Join) else TableInput(as_rows(source), opened)


def planned(
    projection: Projection,
    source: Source | Standardized | Join | str,
    target: Any,
    options: Options,
    quiet: bool = False,
    here: bool = False,
) -> Plan:
    """The plan of a source's projection. `target` as in `table_input`, and the others as in `TableInput.plan`."""
    return table_input(source, target).plan(projection, options, quiet, here)


def job_of(
    projection: Projection,
    source: Source | Standardized | str,
    target: Any,
    options: Options,
    quiet: bool = False,
) -> Job:
    """The job for the lowerings, with the arguments of `planned`. A join has none."""
    opened = open_target(target)
    return TableInput(as_rows(source), opened).job(projection, options, quiet)


__all__ = ["JoinInput", "TableInput", "job_of", "planned", "table_input"]
