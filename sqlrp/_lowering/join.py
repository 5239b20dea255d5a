"""A join, projected in the faster of two ways: its tables before they are joined, or the joined features.

A sum over the features of several tables is the sum of the sums over each table. So the dimensions, which are small,
are summed once per row, and the join carries sums instead of features. The stages after the first act on the
added sums. Where the sums are many more than the features, the features are joined, and are a wide table like others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import LimitError, SqlrpError, UnsupportedError, shorten
from sqlrp._core.names import Names, spelled
from sqlrp._core.numbers import DOUBLE, FLOAT, Number, common
from sqlrp._core.options import Nulls, Options
from sqlrp._core.script import Setup
from sqlrp._core.sources import Join
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._lowering.endpoints import temporary_name
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.job import Job
from sqlrp._lowering.lowering import ASSUMED_ROWS
from sqlrp._lowering.planner import Plan, plan
from sqlrp._projections.projection import Projection
from sqlrp._stages import Stage, WeightedSums, Weights

_SUM = "sqlrp_"  # the prefix of the names of sums; no column of a user has it
_CARRIED = 2.0
"""How many terms of an inline sum take as long as to carry a column of a row through a join: `tests/bench/join.py`."""


def plan_join(
    projection: Projection,
    source: Join,
    frames: Sequence[Frame],
    dialect: Dialect,
    options: Options,
    here: bool = False,
    fetched: bool = False,
) -> Plan:
    """The faster of the plans that can be used, by the estimates. `here`: as in `planner.plan`; `fetched`: of the job.

    Raises the error of the tables' own plans if there is none, and UnsupportedError for a kept column that
    cannot be named.
    """
    dotted = [name for i, _, name in shown_columns(source, frames) if i]
    if dotted and not dialect.has_dotted_names:
        raise UnsupportedError(
            f"{dialect.name} takes no dot in the name of a column, such as {shorten(dotted[0])} of a dimension: "
            "project a view of the join"
        )

    def of_features() -> tuple[float, Plan]:
        job = replace(job_of_join(projection, source, frames, dialect, options), fetched=fetched)
        made = plan(job, options.lowering, here=here)
        return made.chosen.seconds + _carried(job, sum(frame.width for frame in frames[1:])), made

    found: list[tuple[float, Plan]] = []
    refused: list[SqlrpError] = []
    for way in (partial(_by_table, projection, source, frames, dialect, options), of_features):
        try:
            found.append(way())
        except (LimitError, UnsupportedError) as error:
            refused.append(error)
    if not found:
        raise refused[0]
    return replace(min(found, key=lambda way: way[0])[1], tables=tuple(frames))


def job_of_join(
    projection: Projection, source: Join, frames: Sequence[Frame], dialect: Dialect, options: Options
) -> Job:
    """The job of the joined features, as those of one wide table. Raises UnsupportedError for arrays."""
    projection.check_features(names_of_join(source, frames), sum(frame.width for frame in frames))
    return Job.of(replace(projection, bound_to=None), _joined_frame(source, frames, dialect), dialect, options)


def _carried(job: Job, columns: int) -> float:
    """The seconds to carry so many columns of each row through a join."""
    rows = ASSUMED_ROWS if job.frame.rows is None else job.frame.rows
    return rows * columns * _CARRIED * job.dialect.costs.run["inline"]


def _joined_frame(source: Join, frames: Sequence[Frame], dialect: Dialect) -> Frame:
    """The joined features as a wide table. A feature keeps its name if no other column has it."""
    if any(frame.layout != "wide" for frame in frames):
        raise UnsupportedError("features in array columns are not joined as columns: project a view of the join")
    shown, quote = _shown(source, frames), dialect.quote
    given = [(i, name) for i, frame in enumerate(frames) for name in frame.names]
    count = Counter(map(spelled, [*shown.kept, *(name for _, name in given)]))
    names = [name if count[spelled(name)] == 1 else f"{_SUM}{at}" for at, (_, name) in enumerate(given)]
    columns = _passing(source, frames, dialect)
    columns += [f"t{i}.{quote(own)} AS {quote(name)}" for (i, own), name in zip(given, names, strict=True)]
    dimensions = {i: dialect.table(frame.table) for i, frame in enumerate(frames) if i}
    relations = _left_joins(source, frames, dialect.table(shown.table), dimensions, dialect)
    doubles = {name for (i, own), name in zip(given, names, strict=True) if own in frames[i].doubles}
    return replace(
        shown,
        names=tuple(names),
        numbers=tuple(number for frame in frames for number in frame.numbers),
        nullable=(*shown.nullable, *[True] * (len(names) - len(shown.nullable))),
        n_features=len(names),
        query=f"SELECT {', '.join(columns)}\nFROM {relations}",
        doubles=frozenset(doubles),
        whole=True,
    )


def shown_columns(source: Join, frames: Sequence[Frame]) -> list[tuple[int, str, str]]:
    """The columns that pass through: the number of their table, their name there, and that in the result.

    Those that the fact keeps only to refer to dimensions do not.
    """
    fact = replace(frames[0], keep=frames[0].keep[: len(source.fact.keep)])
    of_dimensions = enumerate(zip(source.dimensions, frames[1:], strict=True), 1)
    named = [(i, name, f"{column}.{name}") for i, (column, frame) in of_dimensions for name in frame.keep]
    return [*((0, name, name) for name in fact.kept), *named]


def _shown(source: Join, frames: Sequence[Frame]) -> Frame:
    """The frame of the fact with the columns that pass through."""
    columns = shown_columns(source, frames)
    names = [name for *_, name in columns]
    known = {(i, column.name): column for i, frame in enumerate(frames) for column in frame.passing}
    passing = tuple(replace(known[i, own], name=name) for i, own, name in columns if (i, own) in known)
    return replace(frames[0], keep=tuple(names[frames[0].key is not None :]), passing=passing)


def _passing(source: Join, frames: Sequence[Frame], dialect: Dialect) -> list[str]:
    """The columns that pass through, in a SELECT of `_left_joins`."""
    quote = dialect.quote
    return [f"t{i}.{quote(own)} AS {quote(name)}" for i, own, name in shown_columns(source, frames)]


def _left_joins(
    source: Join, frames: Sequence[Frame], fact: str, relations: Mapping[int, str], dialect: Dialect
) -> str:
    """The fact t0 with the relations of dimensions, each as text after FROM."""
    foreign, quote = Names(frames[0].kept, dialect.folding), dialect.quote
    text = f"{fact} t0"
    for i, (column, frame) in enumerate(zip(source.dimensions, frames[1:], strict=True), 1):
        if i in relations:
            own = foreign.find(column) or column
            text += f"\nLEFT JOIN {relations[i]} t{i} ON t{i}.{quote(frame.key or '')} = t0.{quote(own)}"
    return text


def _by_table(
    projection: Projection, source: Join, frames: Sequence[Frame], dialect: Dialect, options: Options
) -> tuple[float, Plan]:
    """The plan of the joined sums and the later stages, with those of the tables' own sums, and its seconds.

    The requested lowering applies to the parts, which have the signs. Raises UnsupportedError if the first stage is
    not a sum, LimitError for more sums than the engine can join.
    """
    d = sum(frame.width for frame in frames)
    floats = options.scale and projection.factor(d) != 1 and not dialect.has_types
    frames = _alike(frames, floats)
    projection.check_features(names_of_join(source, frames), d)
    constant, weights, rest = _split(projection, d)
    shown = _shown(source, frames)
    columns, bound = weights.shape[1] + len(shown.kept) + 2, dialect.limits.columns
    if bound is not None and columns > bound:
        raise LimitError(
            f"{weights.shape[1]:,} sums are joined as columns, {columns:,} with key and keep, more than the {bound:,} "
            f"that {dialect.name} holds: lower k or p, or project a view of the join"
        )
    token = f"{projection.to_json()} {frames}"
    parts, at = [], 0
    for i, frame in enumerate(frames):
        own = np.ascontiguousarray(weights[at : at + frame.width])
        at += frame.width
        if len(own):
            sums = _StageProjection(
                weights.shape[1], whole=projection, run=(WeightedSums(own),), token=f"{token} {i}", part=True
            )
            job = Job(sums, frame, dialect, "columns", False, "zero" if options.nulls == "zero" else "propagate")
            parts.append((i, plan(job, options.lowering)))
    query, number, stored = _joined(source, frames, parts, constant, dialect, options.nulls)
    joined = replace(
        shown,
        layout="wide",
        names=_sums(weights.shape[1]),
        numbers=(number,) * weights.shape[1],
        # The sums of a row are all NULL or none is, so one of them stands for all.
        nullable=(options.nulls != "zero", *[False] * (weights.shape[1] - 1)),
        n_features=weights.shape[1],
        parts=(),
        query=query,
    )
    after = _StageProjection(
        projection.k, whole=projection, run=rest, token=token, scaled=projection.factor(d), n_features=d
    )
    job = Job.of(after, joined, dialect, options)
    made = replace(plan(job), parts=tuple(part for _, part in parts), stored=stored)
    seconds = made.chosen.seconds + sum(part.chosen.seconds for part in made.parts)
    return seconds + _carried(job, len(parts) * weights.shape[1]), made


def names_of_join(source: Join, frames: Sequence[Frame]) -> list[str] | None:
    """The names of all features; None if a table has arrays."""
    if not all(frame.layout == "wide" for frame in frames):
        return None
    prefixes = ["", *(f"{column}." for column in source.dimensions)]
    return [prefix + name for prefix, frame in zip(prefixes, frames, strict=True) for name in frame.names]


def weights_of_join(
    projection: Projection, source: Join, frames: Sequence[Frame]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None:
    """The weights of all features, shape (d, k), and the constants of a projection that is sums alone.

    None for one that does more. Raises ParameterError for features that it does not fit.
    """
    d = sum(frame.width for frame in frames)
    projection.check_features(names_of_join(source, frames), d)
    stages = projection.stages(d)
    own = stages[1:] if stages and stages[0].appends else stages
    if len(own) != 1 or not own[0].sums:
        return None
    constant, weights, _ = _split(projection, d)
    factor = projection.factor(d)
    added = np.zeros(weights.shape[1]) if constant is None else np.asarray(constant, dtype=np.float64)
    return np.asarray(weights, dtype=np.float64) * factor, added * factor


def _alike(frames: Sequence[Frame], floats: bool) -> list[Frame]:
    """Sum FLOAT columns as DOUBLE if another table has DOUBLE, as a projection of the whole join would.

    `floats`: sum all columns as DOUBLE.
    """
    if floats:
        return [replace(f, numbers=(DOUBLE,) * len(f.numbers)) for f in frames]
    if common(frame.number for frame in frames if frame.numbers) != DOUBLE:
        return list(frames)
    return [replace(f, numbers=tuple(DOUBLE if n == FLOAT else n for n in f.numbers)) for f in frames]


def _split(projection: Projection, d: int) -> tuple[Weights | None, Weights, tuple[Stage, ...]]:
    """The constants added to the first sums, the weights of these sums, and the later stages."""
    stages = projection.stages(d)
    numbers, constant = np.arange(d, dtype=np.int64), None
    if stages[0].appends:
        constant, numbers, stages = stages[0].appended, stages[0].numbers(numbers), stages[1:]
    if not stages or not stages[0].sums:
        raise UnsupportedError(
            f"{type(projection).__name__} does not begin with sums of the features, which could be taken table by "
            "table: project a view of the join instead"
        )
    weights = stages[0].matrix(numbers)
    added = None if constant is None else weights[-1] * constant
    return added, weights[:d], stages[1:]


def _joined(
    source: Join,
    frames: Sequence[Frame],
    parts: Sequence[tuple[int, Plan]],
    constant: Weights | None,
    dialect: Dialect,
    nulls: Nulls,
) -> tuple[str, Number, tuple[Setup, ...]]:
    """A SELECT of the fact's columns and the added sums, their kind, and the parts stored in temporary tables."""
    scripts = {i: part.bare().query for i, part in parts}
    # Too many terms for one statement are cut into steps, as in the inline lowering.
    stored: dict[int, Setup] = {}
    terms = sum(part.lowering.written(part.job) for _, part in parts)
    if terms > dialect.limits.terms and dialect.has_temporary:
        names = {i: dialect.quote(temporary_name(part.job, -1)) for i, part in parts}
        stored = {i: dialect.temporary_table(names[i], scripts[i], numbered=False) for i in names}
    relations = {i: stored[i].name if i in stored else f"({scripts[i]}{dialect.fence})" for i in scripts}
    for i, frame in enumerate(frames):
        if frame.keep:  # of a table without features
            relations.setdefault(i, dialect.table(frame.table))
    number = _kind(dialect, [part.job.result for _, part in parts], constant)
    fact, n = frames[0], parts[0][1].job.k
    quote = dialect.quote
    zero = dialect.literal(0, number)
    sums = []
    for c in range(n):
        terms_ = []
        for i, _ in parts:
            value = dialect.cast(f"t{i}.{quote(f'{_SUM}{c}')}", number)
            terms_.append(f"coalesce({value},{zero})" if i and nulls == "zero" else value)
        if constant is not None and constant[c]:
            terms_.append(dialect.literal(constant[c].item(), number))
        sums.append(f"{'+'.join(terms_)} AS {quote(f'{_SUM}{c}')}")
    columns = ", ".join([*_passing(source, frames, dialect), *sums])
    joins = _left_joins(source, frames, relations.get(0, dialect.table(fact.table)), relations, dialect)
    return f"SELECT {columns}\nFROM {joins}", number, tuple(stored.values())


def _kind(dialect: Dialect, numbers: Sequence[Number], constant: Weights | None) -> Number:
    """The kind for the sum of the parts."""
    if constant is not None and not all(float(c).is_integer() for c in constant):
        return DOUBLE
    largest = 0 if constant is None else int(np.abs(constant).max(initial=0))
    held = [*numbers, *([Number("int", largest.bit_length())] if largest else [])]
    total = dialect.bounded(common(held).summed(len(held)))
    return total if dialect.type_name(total) else DOUBLE


def _sums(n: int) -> tuple[str, ...]:
    return tuple(f"{_SUM}{c}" for c in range(n))


@dataclass(frozen=True)
class _StageProjection(Projection):
    """Some stages of a whole projection, as a separate projection."""

    whole: Projection | None = None
    run: tuple[Stage, ...] = ()
    token: str = ""
    """distinguishes it from others in the names of temporary tables"""
    scaled: float = 1.0
    n_features: int | None = None
    part: bool = field(default=False)

    function: ClassVar[str] = ""

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the components. The sums of a part have names that no column has."""
        return _sums(self.k) if self.part else super().outputs

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The given stages."""
        return self.run

    def factor(self, n_features: int | None) -> float:
        """The given scale."""
        return self.scaled

    def remark(self, n_features: int | None) -> str:
        """The remark of the whole projection."""
        return "" if self.whole is None else self.whole.remark(self.n_features)

    def caution(self, n_features: int | None) -> str:
        """The warning of the whole projection."""
        return "" if self.whole is None else self.whole.caution(self.n_features)

    def to_json(self) -> str:
        """The token."""
        return self.token

    @property
    def name(self) -> str:
        """The name of the whole projection."""
        return "" if self.whole is None else self.whole.name


__all__ = ["job_of_join", "names_of_join", "plan_join", "shown_columns", "weights_of_join"]
