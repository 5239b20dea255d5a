"""Two numbers next to the code of a row, by which a search estimates its distances from the code without bias.

The components are projected without the rounding, and a query around theirs rounds them, so that it reads both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlrp._core.numbers import DOUBLE, WORD
from sqlrp._core.script import Script, Select, Statement
from sqlrp._dialects.dialect import Column, ColumnType, Dialect
from sqlrp._lowering.distances_sql import of_columns
from sqlrp._lowering.endpoints import carried_names, restored, shaped, tree
from sqlrp._lowering.formula_sql import written
from sqlrp._lowering.inner_names import apart_from_columns
from sqlrp._lowering.job import FACTOR, SQUARE, Job, correcting_kind
from sqlrp._lowering.rows_apart import are_arrays, literal, row_distance, row_numbers
from sqlrp._projections.code_fields import NUMBER, UNITS, Field, Fields
from sqlrp._projections.origins import Origin, origin_of
from sqlrp._stages import Rounded
from sqlrp._stages.formulas import Formula

_ALONG, _APART = "sqlrp_along", "sqlrp_apart"
_MOST = 3e38
"""The largest number that is kept, which a float of 32 bits holds."""


def uncorrected(job: Job) -> Job:
    """The job of the components before they are rounded, with the distance of each row from the centre."""
    origin, frame, dialect = origin_for(job), job.frame, job.dialect
    if origin.mean is not None:
        values = origin.mean.tolist()
        column = Column(SQUARE, ColumnType(str(dialect.type_name(DOUBLE)), DOUBLE))
        frame = replace(
            frame,
            keep=(*frame.keep, SQUARE),
            computed=(*frame.computed, (SQUARE, _distance_from(job, values))),
            passing=(*frame.passing, column) if frame.passing else (),
        )
    plain = job.projection.unrounded
    return replace(job, projection=plain, frame=frame, output="columns", dtype="auto", correct=False)


def _distance_from(job: Job, values: Sequence[float]) -> str:
    """How far each row is from a point."""
    if are_arrays(job):
        return row_distance(job, "l2", job.dialect.numbers(values), ())
    return of_columns(job.dialect, "l2", row_numbers(job), [literal(job, v) for v in values])


def origin_for(job: Job) -> Origin:
    """The origin of a job's codes, which are corrected."""
    origin = origin_of(job.projection)
    assert origin is not None
    return origin


def corrected(job: Job) -> Callable[[str], str]:
    """What writes the query of codes with their two numbers around the one of `uncorrected`."""
    origin, dialect = origin_for(job), job.dialect
    x = [f"sqlrp_x{j}" for j in range(job.k)]
    y = [written(formula, dialect, each, DOUBLE) for formula, each in zip(_roundings(job), x, strict=True)]
    shift = f"+{origin.shift!r}" if origin.shift else ""
    z = [f"({each}{shift})" for each in x] if shift else x
    squares = tree([dialect.square(each) for each in z])
    along = tree([f"{each}*({code}{shift})" for each, code in zip(z, y, strict=True)])
    factor = f"coalesce({squares}/NULLIF({along}, 0), 0*{x[0]}) AS {_ALONG}"
    if origin.mean is None:
        apart, kept = f"{squares} AS {_APART}", []
    else:
        square = dialect.square(SQUARE)
        apart, kept = f"{literal(job, origin.unit)}*({square}) AS {_APART}", [SQUARE]
    quote = dialect.quote
    own = [f"{quote(name)} AS {c}" for name, c in zip(job.frame.kept, carried_names(job), strict=True)]
    named = [f"{quote(name)} AS {each}" for name, each in zip(job.projection.outputs, x, strict=True)]
    # An array of NULL is not NULL. Columns are what they are of.
    ok = [f"CASE WHEN {quote(job.projection.outputs[0])} IS NOT NULL THEN 0 END AS ok"] if job.shape == "array" else []
    listed = [quote(name) for name in (*job.frame.kept, *job.code_names)]
    numbers = [f"{_kept(dialect, have)} AS {name}" for have, name in ((_ALONG, FACTOR), (_APART, SQUARE))]
    if job.fields is not None:
        listed, numbers = [quote(name) for name in job.frame.kept], _with_numbers(job, job.fields)

    def around(query: str) -> str:
        first = Select((*own, *kept, *named, *ok), f"({query}) s", dialect.fence)
        if job.fields is not None:
            codes = Select((*restored(job), *_words(job, job.fields, y)), first)
        else:
            shape = shaped(replace(job, correct=False), first, y, guarded=bool(ok))
            assert isinstance(shape, Select)
            codes = shape
        both = replace(codes, columns=(*codes.columns, factor, apart), end=codes.end + dialect.fence)
        text = Select((*listed, *numbers), both).text
        if not dialect.aliases_may_hide:
            return text
        return apart_from_columns(job, Script(Statement(text))).statement.inner

    return around


def _roundings(job: Job) -> list[Formula]:
    """What rounds each component, in steps less the shift."""
    packing = job.projection.fields
    if packing is not None:
        return [Rounded(2 ** (field.width - 1) - 1, even=True).formulas[0] for field in packing.components]
    [formula] = [formula for stage in job.stages[-1:] if isinstance(stage, Rounded) for formula in stage.formulas]
    return [formula] * job.k


def _words(job: Job, fields: Fields, y: Sequence[str]) -> list[str]:
    """The words of the rounded components, without the two numbers."""
    parts: list[list[str]] = [[] for _ in range(fields.words)]
    for each, field in zip(y, fields.components, strict=True):
        parts[field.word].append(_placed(job.dialect, f"{each}+{2 ** (field.width - 1)}", field))
    # A word of the two numbers alone is 0, and NULL in a row of NULL.
    empty = job.dialect.cast(f"0*{y[0]}", WORD)
    return [f"{tree(own) if own else empty} AS {name}" for own, name in zip(parts, job.code_names, strict=True)]


def _with_numbers(job: Job, fields: Fields) -> list[str]:
    """The words with the two numbers."""
    dialect, words = job.dialect, list(job.code_names)
    for name, field, unit in ((_ALONG, fields.factor, 1.0), (_APART, fields.square, fields.square_unit)):
        whole = dialect.floor(f"({name}*{dialect.literal(UNITS / unit, DOUBLE)}+0.5)")
        most = dialect.literal((1 << NUMBER) - 1, DOUBLE)
        words[field.word] += "+" + _placed(dialect, f"CASE WHEN {whole}<={most} THEN {whole} ELSE {most} END", field)
    return [f"{word} AS {name}" for word, name in zip(words, job.code_names, strict=True)]


def _placed(dialect: Dialect, value: str, field: Field) -> str:
    """A whole number at its place in a word."""
    whole = dialect.as_word(value)
    return f"{whole}*{dialect.cast(str(1 << field.at), WORD)}" if field.at else whole


def _kept(dialect: Dialect, name: str) -> str:
    """One of the numbers, in the type that it is kept in."""
    most = dialect.literal(_MOST, DOUBLE)
    within = f"CASE WHEN {name}<={most} THEN {name} WHEN {name} IS NOT NULL THEN {most} END"
    return dialect.cast(within, correcting_kind(dialect))


__all__ = ["corrected", "origin_for", "uncorrected"]
