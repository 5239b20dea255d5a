"""The text of a query that compares groups of rows with a reference whose sums are known."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from sqlrp._core.errors import LimitError, ParameterError, SourceError, UnsupportedError, check_choice, shorten
from sqlrp._core.names import spelled
from sqlrp._core.numbers import DOUBLE, WHOLE
from sqlrp._core.options import Nulls, Options
from sqlrp._core.script import Statement
from sqlrp._core.sources import Join, Long, Source, TableName, Wide, as_source
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._engines.registry import open_target
from sqlrp._evaluator.moments import Matrix, Moments
from sqlrp._learning.discrepancy import bound_of_sum, variances_of
from sqlrp._learning.drift import FEW, Drift, Test, check_alpha, check_current, parts_of
from sqlrp._learning.hotelling import Whitening, chosen, freedom_of, times
from sqlrp._learning.student import bound_of
from sqlrp._learning.target import keeping
from sqlrp._lowering.endpoints import component_names, tree
from sqlrp._lowering.planner import Plan, plan
from sqlrp._lowering.sums_sql import level
from sqlrp._projections.prepared import Prepared
from sqlrp._projections.projection import Projection
from sqlrp._projections.sums_and_products import FAR
from sqlrp._run.table_input import job_of, planned

Sums = Literal["write", "read", "components"]
_SUM = re.compile(r"s\d+")
"""The name of a sum that is kept."""
_NEAR = 16.0
"""How many deviations from 0 a mean may be: so many lose four of the 24 bits of a FLOAT."""
_OUTPUTS = ("compared_rows", "statistic", "bound", "drifted")


def drift_sql(
    reference: Drift,
    current: Source | Join | str,
    engine: Any,
    *,
    by: str | None = None,
    alpha: float = 0.05,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    sums: Sums | None = None,
) -> str:
    """Write the SQL text that compares the rows of `current`, or each group of them, with the reference of a `Drift`.

    The text has the means and the covariance of the reference as constants, so it reads only `current`, and needs no
    Python afterwards: for a view, a scheduled query or a model of dbt. The statistic is that of `drift` with
    pooled=False, and of the same `test`.

    The columns are `by`, if it is given; compared_rows, the rows without NULL; statistic, which is T² or that of "mmd";
    bound, the value that is exceeded with the probability alpha if nothing has drifted; and drifted, which is 1 above
    it, else 0. statistic and drifted are NULL for no more rows than components, and of "mmd" for fewer than 20. Of a
    reference without a projection of its own both are of the part whose T² is the largest share of its bound, which is
    exceeded with the probability alpha/3.
    `alpha` is for one group. Divide it by the number of groups, so that any false alarm has this probability
    (Bonferroni).
    `sums`: "write" writes the query of the sums alone: `by`, compared_rows, and a sum s0, s1, … of each component. A
    table keeps them, so that no row is read twice: insert those of new rows, or let a materialized view of ClickHouse
    do it. "read" writes the query that adds up what was kept and tests it: `current` is the name of that table. Both
    texts must be of the same reference. "components" adds up the columns z0, z1, … of a table: `current` is the name of
    one that `materialize` made with the projection of the reference. With `track` its `refresh` projects only rows that
    are new or changed, and removes those that went away.
    `engine`, `nulls`, `lowering` as in `sqlrp.sql`. If the terms are too many for one statement, the text is a script.
    Raises ParameterError for a parameter out of bounds, SourceError for a column that has the name of a result,
    UnsupportedError for sparse rows with `by`, LimitError for more terms than the engine's statements may have.

        >>> found = sqlrp.drift(rp, "points", "points", con)
        >>> con.sql(sqlrp.drift_sql(found, "points", con, by="label")).columns
        ['label', 'compared_rows', 'statistic', 'bound', 'drifted']
    """
    check_alpha(alpha)
    if not isinstance(reference, Drift):
        raise ParameterError(f"reference = {shorten(reference)} must be what sqlrp.drift returned: its sums are needed")
    check_current(current)
    if sums is not None:
        check_choice("sums", sums, get_args(Sums))
    if by is not None and (spelled(by) in _OUTPUTS or (sums is not None and _SUM.fullmatch(spelled(by)))):
        raise SourceError(f"column {by!r} of the source has the name of a result: rename it")
    parts = list(parts_of(reference, reference.reference.count).values())
    kept = _GroupSums.of(reference.reference, [i for part in parts for i in part], by)
    if sums in ("read", "components"):
        if not isinstance(current, str):
            has = "sums" if sums == "read" else sums
            raise ParameterError(f"current = {shorten(current)} must be the name of the table of {has}")
        dialect, table = open_target(engine).dialect, TableName.parse(current)
        _check_terms(dialect, parts)
        relation = kept.read(dialect, table) if sums == "read" else kept.of_table(dialect, table)
        text = _tested(dialect, relation, kept, _tests(reference, parts, alpha), by)
        return Statement(text, settings=dialect.settings).text
    source = _source(reference, current, by)
    plan = _planned(reference.projection, source, engine, Options(nulls=nulls, lowering=lowering))
    dialect = plan.job.dialect
    if sums == "write":
        return plan.script().around(lambda inner: kept.written(dialect, inner)).text
    _check_terms(dialect, parts)
    tests = _tests(reference, parts, alpha)
    return plan.script().around(lambda inner: _tested(dialect, kept.taken(dialect, inner), kept, tests, by)).text


def _planned(projection: Projection, source: Source | Join, engine: Any, options: Options) -> Plan:
    """The plan of the components: of FLOAT features in FLOAT, which DuckDB computes in half the time.

    That is as exact as the features if their means are not far from 0. Features far from 0, whose sums would lose the
    digits that tell rows apart, are computed in DOUBLE, as those of a Join are.
    """
    if isinstance(source, Join):
        return planned(projection, source, engine, options)
    job, near = job_of(projection, source, engine, options), False
    if isinstance(projection, Prepared) and projection.how == "standard":
        found = projection.statistics
        near = bool((np.abs(found["offset"]) <= _NEAR * found["size"]).all())
    return plan(replace(job, single=near, one_null=True), options.lowering)


def _check_terms(dialect: Dialect, parts: Sequence[Sequence[int]]) -> None:
    """Raise LimitError if the directions of all parts are too many terms for a statement."""
    terms = sum(len(part) ** 2 for part in parts)
    if terms > dialect.limits.terms:
        raise LimitError(
            f"k = {sum(map(len, parts))} components make {terms:,} terms, more than the {dialect.limits.terms:,} of a "
            f"statement of {dialect.name}: lower k"
        )


def _source(reference: Drift, current: Any, by: str | None) -> Any:
    """The source that keeps the column of the groups, with the features of the reference."""
    if isinstance(current, Join):
        return keeping(current, by) if by is not None else current
    source = as_source(current)
    if isinstance(source, Wide) and source.features is None and isinstance(reference.features, tuple):
        source = replace(source, features=reference.features)
    if by is not None and isinstance(source, Long):
        raise UnsupportedError(
            "sparse rows have no column of their own for groups: leave out by, or make rows of columns"
        )
    return source if by is None else keeping(source, by)


@dataclass(frozen=True)
class _PartTest:
    """How a part of the components is compared: the sum of the squares of its means along directions has a bound."""

    components: Sequence[int]
    directions: Matrix
    """the columns"""
    bound: float
    rows: int
    """of the reference"""
    few: int = 0
    """how many rows are too few; 0 for as many as components"""

    @staticmethod
    def of(reference: Moments, components: Sequence[int], alpha: float, test: Test) -> _PartTest:
        """Of "mmd" the directions are the components; of "hotelling" they have variance 1, and are not correlated."""
        own, n = chosen(reference, components), reference.count
        if test == "mmd":
            bound = bound_of_sum(alpha, variances_of(own.scatter, n - 1))
            return _PartTest(components, np.eye(len(components)), bound, n, FEW - 1)
        whitening = Whitening.of(own.scatter, n - 1, abs(own.mean))
        return _PartTest(components, whitening.weights, _bound(whitening.kept, n, alpha), n)

    def sums(self, number: Callable[[float], str]) -> list[str]:
        """The means w along the directions, from those of the components a."""
        return [
            f"{tree([f'{number(weight)}*a{i}' for i, weight in zip(self.components, along, strict=True) if weight])} "
            f"AS w{j}"
            for j, along in zip(self.components, self.directions.T, strict=True)
        ]


def _tests(reference: Drift, parts: Sequence[Sequence[int]], alpha: float) -> list[_PartTest]:
    return [_PartTest.of(reference.reference, part, float(alpha) / len(parts), reference.test) for part in parts]


@dataclass(frozen=True)
class _GroupSums:
    """The sums s0, s1, … of components of a group of rows, and their number m."""

    means: Mapping[int, float]
    """those of the reference, by component"""
    early: Collection[int]
    """the components whose mean is subtracted from each row, as it is far from 0: their sums would lose digits"""
    by: str | None

    @staticmethod
    def of(reference: Moments, components: Sequence[int], by: str | None) -> _GroupSums:
        deviations = np.sqrt(np.maximum(np.diag(reference.scatter), 0) / reference.count)
        means = {i: float(reference.mean[i]) for i in components}
        return _GroupSums(means, {i for i, mean in means.items() if abs(mean) > FAR * deviations[i]}, by)

    @property
    def group(self) -> list[str]:
        """The column of the groups g, if there are any."""
        return [] if self.by is None else ["g"]

    def of_table(self, dialect: Dialect, table: TableName) -> str:
        """The sums of the components that a table has, as text after FROM."""
        columns = component_names(dialect, max(self.means) + 1)
        by = [] if self.by is None else [dialect.quote(self.by)]
        return self.taken(dialect, f"SELECT {', '.join([*by, *columns])} FROM {dialect.table(table)}")

    def taken(self, dialect: Dialect, inner: str) -> str:
        """The sums of the rows of a query, as text after FROM."""
        z = component_names(dialect, max(self.means) + 1)
        carried, there = [], ""
        if self.by is not None:  # no name of the source meets those given here
            carried, there = [f"{dialect.quote(self.by)} AS g"], f" AND {dialect.quote(self.by)} IS NOT NULL"
        for i, mean in self.means.items():
            less = f" - {_number(dialect, mean)}" if i in self.early else ""
            carried.append(f"({dialect.cast(z[i], DOUBLE)}{less}) AS x{i}")
        relation = level(dialect, carried, f"({inner}{dialect.fence}) q WHERE {z[0]} IS NOT NULL{there}")
        return self._added(dialect, "count(*)", relation)

    def _added(self, dialect: Dialect, count: str, relation: str) -> str:
        sums = [f"sum(x{i}) AS s{i}" for i in self.means]  # an average takes DuckDB twice as long
        return level(dialect, [*self.group, f"{count} AS m", *sums], relation + " GROUP BY g" * len(self.group))

    def written(self, dialect: Dialect, inner: str) -> str:
        """The query of the sums of the rows of a query."""
        named = [] if self.by is None else [f"g AS {dialect.quote(self.by)}"]
        columns = ", ".join([*named, "m AS compared_rows", *(f"s{i}" for i in self.means)])
        return f"SELECT {columns}\nFROM {self.taken(dialect, inner)}"

    def read(self, dialect: Dialect, table: TableName) -> str:
        """The sums that such queries kept in a table, added up, as text after FROM."""
        named = [] if self.by is None else [f"{dialect.quote(self.by)} AS g"]
        columns = [*named, "compared_rows AS n", *(f"s{i} AS x{i}" for i in self.means)]
        return self._added(dialect, dialect.cast("sum(n)", WHOLE), level(dialect, columns, dialect.table(table)))

    def centred(self, dialect: Dialect) -> list[str]:
        """The means of the components less those of the reference."""
        return [
            f"{f's{i}/m' if i in self.early else f'(s{i}/m - {_number(dialect, mean)})'} AS a{i}"
            for i, mean in self.means.items()
        ]


def _number(dialect: Dialect, value: float) -> str:
    return f"({dialect.literal(float(value), DOUBLE)})"


def _tested(dialect: Dialect, relation: str, kept: _GroupSums, tests: Sequence[_PartTest], by: str | None) -> str:
    """The query of the statistics, over the sums as text after FROM."""

    def number(value: float) -> str:
        return _number(dialect, value)

    own, n, few = kept.group, number(tests[0].rows), tests[0].few or len(kept.means)
    relation = level(dialect, [*own, "m", *kept.centred(dialect)], relation)
    relation = level(dialect, [*own, "m", *(each for test in tests for each in test.sums(number))], relation)
    share = f"(m*{n}/(m + {n}))"
    squares = [f"{share}*{tree([f'w{j}*w{j}' for j in test.components])}" for test in tests]
    names, bounds = [f"t{i}" for i in range(len(tests))], [number(test.bound) for test in tests]
    names = names if len(tests) > 1 else ["t"]
    found = [f"CASE WHEN m > {few} THEN {each} END AS {name}" for each, name in zip(squares, names, strict=True)]
    relation, bound = level(dialect, [*own, "m", *found], relation), bounds[0]
    if len(tests) > 1:
        chosen_t, chosen_b = (_farthest(names, bounds, each) for each in (names, bounds))
        relation, bound = level(dialect, [*own, "m", f"{chosen_t} AS t", f"{chosen_b} AS b"], relation), "b"
    outputs = [f"g AS {dialect.quote(by)}"] if by is not None else []
    outputs += ["m AS compared_rows", "t AS statistic", f"{bound} AS bound"]
    outputs.append(f"CASE WHEN t > {bound} THEN 1 WHEN t <= {bound} THEN 0 END AS drifted")
    return f"SELECT {', '.join(outputs)}\nFROM {relation}"


def _farthest(names: Sequence[str], bounds: Sequence[str], values: Sequence[str]) -> str:
    """The value of the part whose statistic is the largest share of its bound."""
    shares, cases = [f"{t}/{bound}" for t, bound in zip(names, bounds, strict=True)], []
    for i, value in enumerate(values[:-1]):
        cases.append(f"WHEN {' AND '.join(f'{shares[i]} >= {other}' for other in shares[i + 1 :])} THEN {value}")
    return f"CASE {' '.join(cases)} ELSE {values[-1]} END"


def _bound(kept: int, n: int, alpha: float) -> float:
    """The T² that is exceeded with the probability alpha."""
    if not kept:
        return 1.0
    return bound_of(alpha, kept, freedom_of(kept, n, 0, False)) / times(kept, n, 0, False)


__all__ = ["drift_sql"]
