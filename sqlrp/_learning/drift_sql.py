"""The text of a query that compares groups of rows with a reference whose sums are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sqlrp._core.errors import LimitError, ParameterError, SourceError, UnsupportedError, shorten
from sqlrp._core.names import spelled
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.options import Nulls, Options
from sqlrp._core.sources import Join, Long, Source, Wide, as_source
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._evaluator.moments import Matrix, Moments
from sqlrp._learning.discrepancy import bound_of_sum, variances_of
from sqlrp._learning.drift import FEW, Drift, Test, check_alpha, check_current, parts_of
from sqlrp._learning.hotelling import Whitening, chosen, freedom_of, times
from sqlrp._learning.student import bound_of
from sqlrp._lowering.endpoints import component_names, tree
from sqlrp._lowering.sums_sql import level
from sqlrp._run.table_input import planned

_FAR = 1000.0
"""How many deviations from 0 a mean is far."""
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
    it, else 0. statistic and drifted are NULL for no more rows than components, and of "mmd" for fewer than 20. Of a
    reference without a projection of its own both are of the part whose T² is the largest share of its bound, which is
    exceeded with the probability alpha/3.
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
    dialect, parts = plan.job.dialect, list(parts_of(reference, reference.reference.count).values())
    terms = sum(len(part) ** 2 for part in parts)
    if terms > dialect.limits.terms:
        raise LimitError(
            f"k = {sum(map(len, parts))} components make {terms:,} terms, more than the {dialect.limits.terms:,} of a "
            f"statement of {dialect.name}: lower k"
        )
    tests = [_PartTest.of(reference.reference, part, float(alpha) / len(parts), reference.test) for part in parts]
    few = FEW - 1 if reference.test == "mmd" else sum(map(len, parts))
    return plan.script().around(lambda inner: _query(dialect, inner, reference.reference, tests, few, by)).text


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


@dataclass(frozen=True)
class _PartTest:
    """How a part of the components is compared: the sum of the squares of its means along directions has a bound."""

    components: Sequence[int]
    directions: Matrix
    """the columns"""
    bound: float

    @staticmethod
    def of(reference: Moments, components: Sequence[int], alpha: float, test: Test) -> _PartTest:
        """Of "mmd" the directions are the components; of "hotelling" they have variance 1, and are not correlated."""
        own, n = chosen(reference, components), reference.count
        if test == "mmd":
            bound = bound_of_sum(alpha, variances_of(own.scatter, n - 1))
            return _PartTest(components, np.eye(len(components)), bound)
        whitening = Whitening.of(own.scatter, n - 1, abs(own.mean))
        return _PartTest(components, whitening.weights, _bound(whitening.kept, n, alpha))

    def sums(self, number: Callable[[float], str]) -> list[str]:
        """The means w along the directions, from those of the components a."""
        return [
            f"{tree([f'{number(weight)}*a{i}' for i, weight in zip(self.components, along, strict=True) if weight])} "
            f"AS w{j}"
            for j, along in zip(self.components, self.directions.T, strict=True)
        ]


def _query(
    dialect: Dialect, inner: str, reference: Moments, tests: Sequence[_PartTest], few: int, by: str | None
) -> str:
    """The query over the components z0 …: their means, those along the directions of each part, and the statistics.

    `few`: how many rows are too few.
    """

    def number(value: float) -> str:
        return f"({dialect.literal(float(value), DOUBLE)})"

    own, there = ([], "") if by is None else (["g"], f" AND {dialect.quote(by)} IS NOT NULL")
    carried = [f"{dialect.quote(by)} AS g"] if by is not None else []  # no name of the source meets those given here
    z, used = component_names(dialect, len(reference.mean)), [i for test in tests for i in test.components]
    deviations = np.sqrt(np.maximum(np.diag(reference.scatter), 0) / reference.count)
    # A mean far from 0 is subtracted from each row, as its sum would lose digits; another one from the sum.
    early = {i: number(reference.mean[i]) for i in used if abs(reference.mean[i]) > _FAR * deviations[i]}
    carried += [f"({dialect.cast(z[i], DOUBLE)}{f' - {early[i]}' if i in early else ''}) AS x{i}" for i in used]
    relation = level(dialect, carried, f"({inner}{dialect.fence}) q WHERE {z[0]} IS NOT NULL{there}")
    sums = [f"sum(x{i}) AS s{i}" for i in used]  # an average takes DuckDB twice as long
    relation = level(dialect, [*own, "count(*) AS m", *sums], relation + " GROUP BY g" * len(own))
    means = [f"{f's{i}/m' if i in early else f'(s{i}/m - {number(reference.mean[i])})'} AS a{i}" for i in used]
    relation = level(dialect, [*own, "m", *means], relation)
    relation = level(dialect, [*own, "m", *(each for test in tests for each in test.sums(number))], relation)
    share = f"(m*{number(reference.count)}/(m + {number(reference.count)}))"
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
