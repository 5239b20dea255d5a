"""The text of a query that compares groups of rows with a reference whose sums are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sqlrp._core.errors import LimitError, ParameterError, SourceError, UnsupportedError, shorten
from sqlrp._core.names import spelled
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.options import Nulls, Options
from sqlrp._core.sources import Join, Long, Source, Wide, as_source
from sqlrp._dialects.dialect import Dialect
from sqlrp._evaluator.moments import Matrix, Moments
from sqlrp._learning.discrepancy import bound_of_sum, variances_of
from sqlrp._learning.drift import FEW, Drift, Test, check_alpha, check_current, components_of
from sqlrp._learning.hotelling import Whitening, freedom_of, leading, times
from sqlrp._learning.student import bound_of
from sqlrp._lowering.endpoints import component_names, tree
from sqlrp._lowering.sums_sql import level
from sqlrp._run.table_input import planned

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
) -> str:
    """Write the SQL text that compares the rows of `current`, or each group of them, with the reference of a `Drift`.

    The text has the means and the covariance of the reference as constants, so it reads only `current`, and needs no
    Python afterwards: for a view, a scheduled query or a model of dbt. The statistic is that of `drift` with
    pooled=False, and of the same `test`.

    The columns are `by`, if it is given; compared_rows, the rows without NULL; statistic, which is T² or that of "mmd";
    bound, the value that is exceeded with the probability alpha if nothing has drifted; and drifted, which is 1 above
    it, else 0. statistic and drifted are NULL for no more rows than components, and of "mmd" for fewer than 20.
    `alpha` is for one group. Divide it by the number of groups, so that any false alarm has this probability
    (Bonferroni).
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
    if by is not None and spelled(by) in _OUTPUTS:
        raise SourceError(f"column {by!r} of the source has the name of a result: rename it")
    source = _source(reference, current, by)
    plan = planned(reference.projection, source, engine, Options(nulls=nulls, lowering=lowering))
    k = components_of(reference, reference.reference.count)
    dialect, sums = plan.job.dialect, leading(reference.reference, k)
    if k * k > dialect.limits.terms:
        raise LimitError(
            f"k = {k} components make {k * k:,} terms, more than the {dialect.limits.terms:,} of a statement of "
            f"{dialect.name}: lower k"
        )
    return plan.script().around(lambda inner: _query(dialect, inner, sums, by, float(alpha), reference.test)).text


def _source(reference: Drift, current: Any, by: str | None) -> Any:
    """The source that keeps the column of the groups, with the features of the reference."""
    if isinstance(current, Join):
        return replace(current, fact=_source(reference, current.fact, by)) if by is not None else current
    source = as_source(current)
    if isinstance(source, Wide) and source.features is None and isinstance(reference.features, tuple):
        source = replace(source, features=reference.features)
    if by is None or by in (source.key, *source.keep):
        return source
    if isinstance(source, Long):
        raise UnsupportedError(
            "sparse rows have no column of their own for groups: leave out by, or make rows of columns"
        )
    return replace(source, keep=[*source.keep, by])


def _query(dialect: Dialect, inner: str, reference: Moments, by: str | None, alpha: float, test: Test) -> str:
    """The query over the components z0 …: their means, the directions w0 … of variance 1, and T².

    For "mmd" the directions are the components, and the statistic the discrepancy.
    """

    def number(value: float) -> str:
        return f"({dialect.literal(float(value), DOUBLE)})"

    n, k = reference.count, len(reference.mean)
    directions, limit, most = _directions(reference, alpha, test)
    own, there = ([], "") if by is None else (["g"], f" AND {dialect.quote(by)} IS NOT NULL")
    carried = [f"{dialect.quote(by)} AS g"] if by is not None else []  # no name of the source meets those given here
    z = component_names(dialect, k)
    carried += [
        f"({dialect.cast(x, DOUBLE)} - {number(at)}) AS x{i}"
        for i, (x, at) in enumerate(zip(z, reference.mean, strict=True))
    ]
    relation = level(dialect, carried, f"({inner}{dialect.fence}) q WHERE {z[0]} IS NOT NULL{there}")
    means = [f"avg(x{i}) AS a{i}" for i in range(k)]
    relation = level(dialect, [*own, "count(*) AS m", *means], relation + " GROUP BY g" * len(own))
    sums = [f"{_sum(number, along)} AS w{j}" for j, along in enumerate(directions.T)]
    relation = level(dialect, [*own, "m", *sums], relation)
    share = f"(m*{number(n)}/(m + {number(n)}))"
    squares = f"{share}*{tree([f'w{j}*w{j}' for j in range(k)])}"
    relation = level(dialect, [*own, "m", f"CASE WHEN m > {most} THEN {squares} END AS t"], relation)
    bound = number(limit)
    outputs = [f"g AS {dialect.quote(by)}"] if by is not None else []
    outputs += ["m AS compared_rows", "t AS statistic", f"{bound} AS bound"]
    outputs.append(f"CASE WHEN t > {bound} THEN 1 WHEN t <= {bound} THEN 0 END AS drifted")
    return f"SELECT {', '.join(outputs)}\nFROM {relation}"


def _directions(reference: Moments, alpha: float, test: Test) -> tuple[Matrix, float, int]:
    """The directions of the components as columns, the bound of their squares, and how many rows are too few."""
    n, k = reference.count, len(reference.mean)
    if test == "mmd":
        return np.eye(k), bound_of_sum(alpha, variances_of(reference.scatter, n - 1)), FEW - 1
    whitening = Whitening.of(reference.scatter, n - 1, abs(reference.mean))
    return whitening.weights, _bound(whitening.kept, n, alpha), k


def _sum(number: Any, weights: Matrix) -> str:
    return tree([f"{number(weight)}*a{i}" for i, weight in enumerate(weights) if weight])


def _bound(kept: int, n: int, alpha: float) -> float:
    """The T² that is exceeded with the probability alpha."""
    if not kept:
        return 1.0
    return bound_of(alpha, kept, freedom_of(kept, n, 0, False)) / times(kept, n, 0, False)


__all__ = ["drift_sql"]
