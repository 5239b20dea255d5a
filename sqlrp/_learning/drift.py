"""Whether rows have drifted from others: Hotelling's T² of their components, from sums of each."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from types import NoneType
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._connectors.foresight import foreseen
from sqlrp._core.errors import ParameterError, SourceError, SqlrpError, check_choice, shorten
from sqlrp._core.names import Names
from sqlrp._core.options import Nulls, Options
from sqlrp._core.sources import Array, Join, Long, Source, Standardized, Wide, as_source
from sqlrp._core.values import dataclass
from sqlrp._engines.registry import connector_of
from sqlrp._evaluator.moments import Moments
from sqlrp._learning.discrepancy import discrepancy
from sqlrp._learning.hotelling import Correction, MeanComparison, compare_parts, corrected
from sqlrp._learning.product_weights import Monomials
from sqlrp._learning.row_sums import SumRequest, summing
from sqlrp._learning.target import Target, check_groups, is_read_as_text, with_owner
from sqlrp._lowering.sums_sql import Labels
from sqlrp._projections import from_json
from sqlrp._projections.checks import check_whole
from sqlrp._projections.fourier import RandomFourierFeatures
from sqlrp._projections.held_arrays import pack
from sqlrp._projections.prepared import Prepared
from sqlrp._projections.projection import Projection, checked
from sqlrp._projections.sums_and_products import SumsAndProducts
from sqlrp._run.frames.kinds import is_dataframe
from sqlrp._run.statistics import plain

Test = Literal["hotelling", "mmd"]
FEW = 20
"""The fewest rows whose mean of features is taken as normal, for the maximum mean discrepancy."""
_FEATURES = 128
"""The Fourier features without a projection, unless another number is asked for."""
_K = 64
"""The most components without a projection, unless another number is asked for."""
_ROWS = 10
"""The fewest rows for each component, without a projection."""
_FORMAT = 1
_SHOWN = 10
"""The most groups that are printed."""


@dataclass(frozen=True, eq=False)
class Group:
    """The rows of one group, compared with the reference."""

    name: Any
    """the value of the column `by`; None without one"""
    rows: int
    """the number of its rows without NULL"""
    compared: MeanComparison | None = field(repr=False)
    """None for too few rows"""
    p_corrected: float
    """p, corrected for the number of groups; NaN for too few rows"""

    @property
    def p(self) -> float:
        """The probability of such a T², or a greater one, if nothing has drifted; NaN for too few rows."""
        return math.nan if self.compared is None else self.compared.p


@dataclass(frozen=True, eq=False)
class Drift:
    """The result of `drift`. Prints as a line, and a line for each group that has drifted.

    >>> found = sqlrp.drift(rp, "points", "points", con)
    >>> isinstance(found, sqlrp.Drift)
    True
    >>> print(found)
    no drift: T² = 0 of 2 directions, F(2, 97) = 0, p = 1; 50 rows against 50
    """

    projection: Projection
    """the projection of the rows, with the statistics of the reference if it prepares them"""
    reference: Moments = field(repr=False)
    """the number, the mean and the scatter of the reference's components"""
    groups: tuple[Group, ...] = field(repr=False)
    """in the order of their names; a single one without `by`"""
    by: str | None
    alpha: float
    correction: Correction
    pooled: bool
    sized: bool = field(default=False, repr=False)
    """whether the number of components follows from the number of rows, as no projection was given"""
    features: tuple[str, ...] | int | None = field(default=None, repr=False)
    """the names of wide features, or the length of arrays"""
    test: Test = "hotelling"
    """what is compared: T², or "mmd", the maximum mean discrepancy"""
    how: str = field(default="", repr=False)
    """how the sums were computed"""

    @property
    def drifted(self) -> tuple[Any, ...]:
        """The names of the groups whose corrected p is at most alpha; (None,) or () without `by`."""
        return tuple(group.name for group in self.groups if group.p_corrected <= self.alpha)

    @property
    def statistic(self) -> float:
        """T², or n·m/(n + m) times the squared discrepancy.

        Raises ParameterError for several groups, which `table` has.
        """
        return self._single.statistic

    @property
    def freedom(self) -> tuple[int, int]:
        """The degrees of freedom of F; (0, 0) for "mmd".

        Raises ParameterError for several groups, which `table` has.
        """
        return self._single.freedom

    @property
    def p(self) -> float:
        """The probability of such a T², or a greater one, if nothing has drifted; corrected for several parts.

        Raises ParameterError for several groups, which `table` has.
        """
        return self._single.p

    @property
    def _single(self) -> MeanComparison:
        return self._of(None)

    def table(self) -> pa.Table:
        """A row for each group: rows, T² ("statistic"), F, its degrees of freedom, p, p_corrected, drifted, and a note.

        A group of too few rows has NULL, and "too few rows" as its note. "mmd" has no F. `part` is the part that T² and
        F are of: "sums", "length" or "products" without a projection, else NULL.
        """
        each = [group.compared for group in self.groups]
        tests = {
            "statistic": [None if c is None else c.statistic for c in each],
            "f": [None if c is None or math.isnan(c.f) else c.f for c in each],
            "freedom": [None if c is None or math.isnan(c.f) else c.freedom[0] for c in each],
            "freedom_below": [None if c is None or math.isnan(c.f) else c.freedom[1] for c in each],
            "p": [None if c is None else c.p for c in each],
        }
        return pa.table(
            {
                "group": pa.array([group.name for group in self.groups]),
                "rows": [group.rows for group in self.groups],
                **{
                    name: pa.array(cells, pa.int64() if name.startswith("freedom") else pa.float64())
                    for name, cells in tests.items()
                },
                "p_corrected": pa.array(
                    [None if g.compared is None else g.p_corrected for g in self.groups], pa.float64()
                ),
                "drifted": pa.array(
                    [None if g.compared is None else g.p_corrected <= self.alpha for g in self.groups], pa.bool_()
                ),
                "note": [_note(group) for group in self.groups],
                "part": pa.array([None if c is None else c.part for c in each], pa.string()),
            }
        )

    def to_json(self) -> str:
        """The reference as JSON text, for `drift_from_json`: its projection and its sums, without the groups."""
        packed = base64.b64encode(zlib.compress(self.reference.pack(), 1)).decode()
        about = {"kind": "Drift", "format": _FORMAT, "projection": json.loads(self.projection.to_json())}
        return json.dumps(
            {**about, "sized": self.sized, "test": self.test, "features": self.features, "reference": packed}
        )

    def to_pandas(self) -> Any:
        """`table` as a dataframe of pandas."""
        return self.table().to_pandas()

    def differences(self, group: Any = None) -> pa.Table:
        """For each component the mean of the group less that of the reference, and the same in standard deviations.

        Raises ParameterError for a group that does not exist or has too few rows.
        """
        found = self._of(group)
        names = [f"z{i}" for i in _numbers(found)]
        columns = {"component": names, "difference": found.difference, "standardized": found.standardized}
        return pa.table(columns)

    def changes(self, group: Any = None, n: int = 10) -> pa.Table:
        """The n columns and products of two columns whose change explains most of T².

        `share` is the part of T² that a change of this mean alone explains, and `change` that change, in units of the
        features, which are scaled if the projection prepares them. The columns and products overlap, so the
        shares do not add up to 1. A column alone has NULL as its `second`.

        With z = Σ w_m·m over the columns and products m, and the pooled covariance S of z, a change of the mean of m
        moves the means of z by w_m times it. The generalised least squares of the difference of the means on w_m
        alone gives `change`, and what it explains of T² is `share`.

        Raises ParameterError for a group that does not exist or has too few rows, and for more than 20,000 products;
        UnsupportedError for components that are not of degree 2 or less.
        """
        found, features = self._of(group), self.features
        if features is None:
            raise ParameterError("the features of this source have no order: pass rows of columns, or of an array")
        names: Sequence[Any] = features if isinstance(features, tuple) else range(features)
        terms = Monomials.of(self.projection, len(names))
        weights = found.whitening.weights
        away = weights.T @ found.difference
        along = terms.weights[:, _numbers(found)] @ weights
        length, projected = np.einsum("ij,ij->i", along, along), along @ away
        seen = length > 0
        change = np.divide(projected, length, out=np.zeros_like(length), where=seen)
        share = change * projected / max(float(away @ away), 1e-300)
        order = np.argsort(-share, kind="stable")[: max(n, 0)]
        second = [None if (b := terms.second[i]) is None else names[b] for i in order]
        kind = pa.string() if isinstance(features, tuple) else pa.int64()
        first = pa.array([names[terms.first[i]] for i in order], kind)
        return pa.table(
            {"first": first, "second": pa.array(second, kind), "change": change[order], "share": share[order]}
        )

    def __str__(self) -> str:
        """A line, and a line for each group that drifted, up to ten; without one, for that with the least p."""
        if not self.groups:
            return f"a reference of {self.reference.count:,} rows"
        if self.by is None:
            return f"{'drift' if self.drifted else 'no drift'}: {_said(self._single)}; {self._counts(self.groups[0])}"
        few = sum(group.compared is None for group in self.groups)
        lines = [
            f"{len(self.drifted):,} of {len(self.groups) - few:,} groups of {self.by!r} have drifted from "
            f"{self.reference.count:,} rows (alpha = {self.alpha:g}, correction = {self.correction!r})"
            + (f"; {few:,} more have too few rows" if few else "")
        ]
        shown = min(max(len(self.drifted), 1), _SHOWN)
        for group in sorted((g for g in self.groups if g.compared is not None), key=lambda g: g.p_corrected)[:shown]:
            mark = "drift" if group.p_corrected <= self.alpha else "no drift"
            lines.append(f"  {group.name!r}: {mark}, corrected p {_small(group.p_corrected)}, {group.rows:,} rows")
        return "\n".join(lines)

    def _counts(self, group: Group) -> str:
        return f"{group.rows:,} rows against {self.reference.count:,}"

    def _of(self, name: Any) -> MeanComparison:
        """What was found of a group. Dates and other values are found by their text, too."""
        if self.by is not None and name is None:
            raise ParameterError(f"there are {len(self.groups):,} groups of {self.by!r}: name one, or read table()")
        wanted = (name,) if name is None or isinstance(name, (str, int)) else (name, str(name))
        group = next((group for group in self.groups if group.name in wanted), None)
        if not self.groups:
            raise ParameterError("this is a reference alone: pass it to sqlrp.drift, with rows to compare")
        if group is None:
            raise ParameterError(f"group = {shorten(name)} is not a group of {shorten(self.by)}: table() lists them")
        if group.compared is None:
            raise ParameterError(f"group = {shorten(name)} has {group.rows:,} rows, which are too few: lower k")
        return group.compared


def _numbers(found: MeanComparison) -> Sequence[int]:
    """The numbers of the components that were compared."""
    return found.components or range(len(found.difference))


def _note(group: Group) -> str:
    if group.compared is None:
        return "too few rows"
    kept, k = group.compared.whitening.kept, len(group.compared.difference)
    return f"{kept} of {k} directions vary" if kept < k else ""


def _said(found: MeanComparison) -> str:
    if math.isnan(found.f):
        return f"squared discrepancy times rows = {found.statistic:.4g}, p {_small(found.p)}"
    k, freedom = found.freedom
    of = "" if found.part is None else f"{found.part}: "
    return f"{of}T² = {found.statistic:.4g} of {k} directions, F({k}, {freedom}) = {found.f:.4g}, p {_small(found.p)}"


def _small(p: float) -> str:
    """A probability; one that no double holds is not 0."""
    return f"= {p:.3g}" if p > 0 else "< 1e-300"


@foreseen
def drift(
    projection: Projection | None,
    reference: Source | Standardized | Join | str | Drift,
    current: Source | Join | str,
    connection: Any,
    *,
    by: str | None = None,
    labels: str | None = None,
    k: int | None = None,
    alpha: float = 0.05,
    correction: Correction = "holm",
    pooled: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    test: Test | None = None,
) -> Drift:
    """Test whether the rows of `current` have drifted from those of `reference`, from sums of their components.

    It sees changes that no single column shows, such as two columns that are no longer correlated. It compares the
    means of the k components by Hotelling's two-sample T² (Hotelling 1931; Seber, Multivariate Observations, 1984,
    3.6.1). Of each side it needs the number of rows, k sums, and k·(k + 1)/2 sums of products. The mean of a component
    of degree 2 is a sum of means of products of two columns, so it changes with their covariances. The mean of a
    linear component changes with the means of columns only.

    `projection` None: signed sums of features that are scaled by the means and the deviations of the reference, as of a
    `Standardized` source; those of an array by one deviation together. It has at most `k` components, 64 unless another
    number is asked for, in three parts: "sums" see changes of means, "length", the sum of the squares of all sums, sees
    wider and narrower rows, and "products" of two sums see changes of the way that columns depend on each other. T² is
    computed of each part. p is the least one times three (Bonferroni), and the other numbers are of that part. If a
    side has n rows, n/10 components of each part are compared at most. More components see smaller changes of many
    columns, and need k² numbers of each group.

    `test`: "hotelling" compares as above. "mmd" is the maximum mean discrepancy (Gretton et al. 2012), the distance of
    the means: it sees any change that the projection's kernel sees, and takes 20 rows. Without a projection it takes
    `RandomFourierFeatures` of the scaled features: a Gaussian kernel with k = 128 and gamma = 1/(2·features). Its p
    follows from the eigenvalues of the covariance, so it needs the same sums and no permutations. Directions of large
    variance weigh most in it, and T² weighs all alike. None: that of the reference, or else "hotelling".

    `reference`: a source, or what an earlier call returned. Its sums are then taken again, and its rows are not read.
    So it may be in another database. `projection` must then be None, or the same.
    `by`: a column of `current`. Each of its values is a group, which is compared with the whole reference. All groups
    need one pass over the rows, after a query that counts the groups. Rows whose value is NULL are left out. Values
    that are no whole numbers, booleans or text are read as text, such as '2026-11-28'. `labels`: the table that has the
    column, if the source has not. It is joined by the source's key, as sparse rows (Long) need it. Text that the
    database takes for equal, as MariaDB does 'a' and 'A', may be one group.
    `correction`: of the p values of many groups. "holm" bounds the probability of any false alarm by alpha (Holm 1979),
    "benjamini-hochberg" the expected share of false alarms among all alarms (1995). "none" leaves them.
    `alpha`: a group has drifted if its corrected p is at most this.
    `pooled` False takes the covariance of the reference alone, as `drift_sql` does.

    p is exact for normal components. It is near for others, because means of many rows are nearly normal. T² needs more
    rows than components. Groups of fewer rows have the note "too few rows". A direction in which no component varies,
    such as a constant column, is no degree of freedom. If it moves, T² gets very large. Rows with NULL are left out if
    `nulls` is "propagate", so a change of the share of NULL alone is not seen.

    `lowering`: as in `sqlrp.learn`. Raises ParameterError for a parameter out of bounds, for no more rows than
    components and for dataframes, LimitError for groups whose k² numbers take more than 2 GB, SourceError for a side
    without rows or with NaN or infinity, and the errors of `sqlrp.project`.

        >>> found = sqlrp.drift(rp, "points", "points", con, by="label")
        >>> found.drifted
        ()
        >>> found.table().column_names[:4]
        ['group', 'rows', 'statistic', 'f']
    """
    check_alpha(alpha)
    check_choice("correction", correction, get_args(Correction))
    if test is not None:
        check_choice("test", test, get_args(Test))
    if any(is_dataframe(side) for side in (reference, current)):
        raise ParameterError("drift reads tables: register the dataframe with DuckDB, and pass its name")
    connector, options = connector_of(connection), Options("columns", True, nulls, lowering)
    with connector.working(connection) as session:
        base = _reference(connector, session, projection, k, reference, by, options, test)
        whole, how = _current(connector, session, base, current, by, labels, options)
    parts = dict(whole.parts) if by is not None else {None: whole}
    each = {name: _compared(base, parts[name], pooled) for name in _ordered(parts)}
    if by is None and each[None] is None:
        raise ParameterError(
            f"current has {whole.count:,} rows without NULL, too few for k = {base.projection.k} components: pass "
            + (f"{FEW} rows or more" if base.test == "mmd" else "more rows than components, or lower k")
        )
    p = corrected([math.nan if found is None else found.p for found in each.values()], correction)
    groups = tuple(Group(name, parts[name].count, found, q) for (name, found), q in zip(each.items(), p, strict=True))
    return replace(base, groups=groups, by=by, alpha=float(alpha), correction=correction, pooled=bool(pooled), how=how)


def drift_from_json(text: str) -> Drift:
    """Read the text of `Drift.to_json`: a reference to pass to `drift` or `drift_sql`. It has no groups.

    Raises ParameterError for another text.

        >>> known = sqlrp.drift_from_json(sqlrp.drift(rp, "points", "points", con).to_json())
        >>> print(known)
        a reference of 50 rows
        >>> sqlrp.drift(None, known, "points", con).p
        1.0
    """
    try:
        found = json.loads(text)
        if isinstance(found, dict) and type(found.get("format")) is int and found["format"] > _FORMAT:
            raise ParameterError(f"it is of format {found['format']}, not {_FORMAT}: install a newer release")
        return _read(found)
    except SqlrpError as error:
        raise ParameterError(f"{shorten(text, 40)} cannot be read as a Drift: {error}") from error
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, zlib.error) as error:
        raise ParameterError(f"{shorten(text, 40)} cannot be read as a Drift: pass what to_json wrote") from error


def _read(found: dict[str, Any]) -> Drift:
    """The reference of a parsed text. Raises ParameterError for sums that no rows have."""
    projection, features = from_json(json.dumps(found["projection"])), found["features"]
    sums = Moments.unpack(zlib.decompress(base64.b64decode(found["reference"])))
    features = tuple(features) if isinstance(features, list) else features
    named = isinstance(features, tuple) and all(isinstance(name, str) for name in features)
    check_choice("test", found["test"], get_args(Test))
    if found["kind"] != "Drift" or type(found["sized"]) is not bool or not (named or type(features) in (int, NoneType)):
        raise ParameterError("it is of another kind: pass what to_json wrote")
    whole = type(sums.count) is int and len(sums.mean) == projection.k
    if not whole or not all(np.isfinite(each).all() for each in (sums.mean, sums.scatter)):
        raise ParameterError(f"its sums are not those of k = {projection.k} components: pass what to_json wrote")
    known = Drift(projection, sums, (), None, 0.05, "holm", True, found["sized"], features, found["test"])
    if not parts_of(known, sums.count) or (np.diag(sums.scatter) < 0).any():
        raise ParameterError(f"its sums are of {sums.count:,} rows, which are too few: pass what to_json wrote")
    return known


def check_alpha(alpha: object) -> None:
    """Raise ParameterError unless it is a number between 0 and 1."""
    number = isinstance(alpha, (int, float, np.number)) and not isinstance(alpha, bool)
    if not number or not 0 < float(alpha) < 1:  # type: ignore[arg-type]  # a number
        raise ParameterError(f"alpha = {shorten(alpha)} must be above 0 and below 1: it is the rate of false alarms")


def check_current(current: object) -> None:
    """Raise ParameterError for a source with statistics of its own."""
    if isinstance(current, Standardized):
        raise ParameterError("the features are scaled as those of the reference: pass current as a plain source")


def parts_of(found: Drift, rows: int) -> dict[str, list[int]]:
    """The components of each part that are compared with `rows` rows; nothing if these are too few."""
    k, least, own = found.projection.k, min(rows, found.reference.count), found.projection.unprepared
    if found.test == "mmd":
        return {"": list(range(k))} if least >= FEW else {}
    parts, start = {}, 0
    for name, size in (own.parts if isinstance(own, SumsAndProducts) else {"": k}).items():
        parts[name] = list(range(start, start + (min(size, least // _ROWS) if found.sized else size)))
        start += size
    return parts if all(parts.values()) and (found.sized or least > k) else {}


def _compared(base: Drift, current: Moments, pooled: bool) -> MeanComparison | None:
    parts = parts_of(base, current.count)
    if parts and base.test == "mmd":
        return discrepancy(base.reference, current, pooled)
    return compare_parts(base.reference, current, parts, pooled) if parts else None


def _ordered(parts: Mapping[Any, Moments]) -> list[Any]:
    """The names in order: numbers, then text."""
    return sorted(parts, key=lambda name: (isinstance(name, str), 0 if name is None else name))


def _reference(
    connector: Connector,
    session: Any,
    projection: Projection | None,
    k: int | None,
    reference: Any,
    by: str | None,
    options: Options,
    test: Test | None,
) -> Drift:
    """The projection and the sums of the reference, without groups."""
    if k is not None:
        check_whole("k", k, 1)
        if projection is not None or isinstance(reference, Drift):
            raise ParameterError(f"k = {k} is for calls without a projection, which has a k of its own: leave it out")
    if isinstance(reference, Drift):
        if projection is not None and projection not in (reference.projection, reference.projection.unprepared):
            raise ParameterError(
                f"projection {shorten(projection)} is not that of the reference: pass None, or the reference's source"
            )
        return reference if test is None else replace(reference, test=test)
    default, source = projection is None, _without(connector, session, reference, by)
    sized, most = default and test != "mmd", _K if k is None else k
    if projection is None:
        if test == "mmd":
            projection = RandomFourierFeatures(k=_FEATURES if k is None else k, seed=0)
        else:
            projection = SumsAndProducts.of(most, most)
        if isinstance(source, Long):
            raise ParameterError("sparse rows are not scaled, which the default needs: pass a projection")
        source = source if isinstance(source, Standardized) else Standardized(source)
    projection, source = plain(checked(projection), source, session)
    if default and isinstance(projection, Prepared) and projection.how == "standard":
        projection = _suited(projection, isinstance(source, Array), most)
    with summing(SumRequest.whole(connector, session, source, projection, options)) as rows:
        (sums,) = rows.sums()
        features = rows.features
    projection = projection.bound(features)
    found = Drift(projection, sums, (), by, 0.05, "holm", True, sized, features, test or "hotelling", rows.how)
    if not sums.count:
        raise SourceError("the reference has no row without NULL: there is nothing to compare with")
    if not parts_of(found, sums.count):
        least = FEW if test == "mmd" else _ROWS if sized else projection.k + 1
        raise ParameterError(
            f"the reference has {sums.count:,} rows without NULL, and k = {projection.k} components need {least:,}: "
            "pass more rows, or a smaller k"
        )
    return found


def _suited(prepared: Prepared, together: bool, most: int) -> Prepared:
    """The default projection of scaled features. `together`: whether they have one deviation together.

    The mean square of the difference of two rows is twice their number of features, and gamma is 1 over it. `most`:
    the most components that are compared by T².
    """
    found = prepared.statistics
    offset, size = found["offset"], found["size"]
    if together:  # elements of arrays are in the same unit, and a rare one would outweigh the others
        size = np.full_like(size, np.sqrt(np.square(size).mean()))
    n, of = len(offset), prepared.of
    if isinstance(of, RandomFourierFeatures):
        own: Projection = replace(of, gamma=0.5 / n)
    else:
        own = SumsAndProducts.of(n, most)
    return replace(prepared, of=own, state=pack(offset=offset, size=size))


def _without(connector: Connector, session: Any, source: Any, by: str | None) -> Any:
    """The source without the column `by` among its features."""
    if by is None:
        return source
    if isinstance(source, Standardized):
        return replace(source, source=_without(connector, session, source.source, by))
    if isinstance(source, Join):
        return with_owner(source, by, partial(_without, connector, session))
    table = as_source(source)
    if not isinstance(table, Wide) or table.features is not None:
        return table
    columns = connector.columns(session, table.table_name)
    name = Names({column.name: column for column in columns}, connector.dialect.folding).find(by)
    return table if name is None or name in (table.key, *table.keep) else replace(table, keep=[*table.keep, name])


def _current(
    connector: Connector,
    session: Any,
    base: Drift,
    current: Any,
    by: str | None,
    labels: str | None,
    options: Options,
) -> tuple[Moments, str]:
    """The sums of the rows, with those of each group apart, and how they were computed."""
    check_current(current)
    source, own = current, Labels(None)
    if by is not None:
        found = Target.of(connector, session, current, by, labels, 1)
        source, own = found.source, replace(found.labels, text=is_read_as_text(connector, found.column.type))
        k, remedy = base.projection.k, "use sqlrp.drift_sql"
        check_groups(connector, session, found.table, found.column.name, k, remedy)
    elif labels is not None:
        raise ParameterError(f"labels = {shorten(labels)} has the column of groups: pass by, the column's name")
    apart = by is not None
    asked = SumRequest.whole(connector, session, source, base.projection, options)
    with summing(replace(asked, labels=own, classifier=apart, apart=apart)) as rows:
        (sums,) = rows.sums()
    if not sums.count:
        raise SourceError("current has no row without NULL: there is nothing to compare")
    return sums, rows.how


__all__ = ["FEW", "Drift", "Test", "check_alpha", "check_current", "drift", "drift_from_json", "parts_of"]
