"""The parts that lowerings share: reading the columns of a source, NULLs, and the three shapes of a result."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from sqlrp._core.draw import P
from sqlrp._core.numbers import BOOLEAN, BYTE, DOUBLE, WHOLE, WORD, WORD_BITS, Number
from sqlrp._core.script import Relation, Select, Statement, after_from, named_ahead
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._lowering.formula_sql import written
from sqlrp._lowering.frame import Frame, Part
from sqlrp._lowering.job import NULL_MESSAGE, Job, Step
from sqlrp._stages import Elementwise, Normalise, Stage, SumOverGroup
from sqlrp._stages.forms import Forms

_PLAIN = re.compile(r"[bz]\d+|z|component")
"""The names of components and of codes. They need no quotes, but where the engine changes their case."""

_FLAT = 32
"""Terms joined without parentheses: parsers read a short chain faster than a tree, and a long one slower."""


def tree(terms: Sequence[str], operator: str = "+") -> str:
    """The terms joined by the operator, as a tree of chains of 32: its depth is 32·⌈log32 n⌉ instead of n."""
    level = list(terms)
    while len(level) > 1:
        groups = (level[i : i + _FLAT] for i in range(0, len(level), _FLAT))
        level = [f"({operator.join(group)})" if len(group) > 1 else group[0] for group in groups]
    return level[0]


def carried(job: Job) -> list[str]:
    """The key and the kept columns, renamed to avoid clashes with generated names: `"id" AS c0`."""
    return [f"{column} AS c{i}" for i, column in enumerate(job.frame.carried(job.dialect))]


def carried_names(job: Job) -> list[str]:
    """The new names c0, c1, … of the columns of `carried`."""
    return [f"c{i}" for i in range(len(job.frame.kept))]


def restored(job: Job) -> list[str]:
    """The carried columns under their original names: `c0 AS "id"`."""
    return [f"c{i} AS {job.dialect.quote(name)}" for i, name in enumerate(job.frame.kept)]


def free_name(job: Job, name: str) -> str:
    """The name for a relation of the statement, changed if it would hide the source's table."""
    return f"{name}_" if job.frame.hides(name) else name


def temporary_name(job: Job, number: int) -> str:
    """The name of a temporary table. Different jobs on the same connection have different names."""
    frame = [getattr(job.frame, f.name) for f in fields(job.frame) if f.repr]  # in full: its repr is shortened
    token = hashlib.sha256(f"{job.projection.to_json()} {frame}".encode()).hexdigest()[:12]
    return job.dialect.temporary_name(f"sqlrp_{token}_{number}")


def few_levels(job: Job, relation: Relation) -> tuple[Relation, tuple[str, ...]]:
    """A relation, and its deepest subqueries as common table expressions if the engine bounds their levels."""
    most = job.dialect.limits.levels
    return (relation, ()) if most is None else named_ahead(relation, most, lambda i: free_name(job, f"level{i}"))


def all_of(job: Job, relation: Relation) -> str:
    """The query of all columns of a relation."""
    relation, named = few_levels(job, relation)
    return Statement(f"SELECT * FROM {after_from(relation)}", named).text


def finished_statement(job: Job, relation: Relation, values: Sequence[str], guarded: bool) -> Statement:
    """The statement of `ended` over a relation."""
    relation, named = few_levels(job, relation)
    return Statement(ended(job, relation, values, guarded), named)


def wide_values(job: Job, features: Sequence[str], narrow: Number | None = None) -> list[str]:
    """The expression of each feature, in the kind of the sums and rescaled. With nulls "zero", NULL becomes 0.

    `narrow`: the kind of the sums, if the engine has a narrower type for it than for `job.summing`. The features of
    long rows are of the kind of the sums.
    """
    dialect, frame = job.dialect, job.frame
    kinds = frame.numbers if frame.layout == "wide" else frame.numbers * len(features)
    values = list(features)
    if frame.layout != "long":
        values = [
            (narrow and dialect.narrowed(f, have, narrow)) or dialect.widen(f, have, job.summing)
            for f, have in zip(features, kinds, strict=True)
        ]
    if job.rescale is not None:
        by = zip(*job.rescale.of(job.frame.feature_numbers), strict=True)
        values = [rescaled(job, value, *each) for value, each in zip(values, by, strict=True)]
    if job.nulls == "zero":
        zero = dialect.literal(0, job.summing)
        values = [f"coalesce({v},{zero})" for v in values]
    return values


def rescaled(job: Job, value: str, offset: float, scale: float) -> str:
    """(value - offset)·scale."""
    number = job.summing if job.single else DOUBLE
    if offset:
        value = f"({value}{'-' if offset > 0 else '+'}{job.dialect.literal(abs(offset), number)})"
    return value if scale == 1 else f"{value}*{job.dialect.literal(scale, number)}"


def guard(job: Job, complete: str) -> str:
    """The column `ok`: `unit` for a row without NULL, and NULL (or an error) for other rows.

    It makes every output of such a row NULL, even those that do not use the NULL feature. Empty if no feature can be
    NULL or NULL counts as zero.
    """
    if job.nulls == "zero" or not any(job.frame.nullable):
        return ""
    otherwise = f" ELSE {job.dialect.failing(NULL_MESSAGE, complete)}" if job.nulls == "error" else ""
    return f"CASE WHEN {complete} THEN {unit(job)}{otherwise} END"


def unit(job: Job) -> str:
    """The value of `ok` in a row without NULL: the delayed scale, so that one product scales and guards, or 0."""
    return "0" if job.factor is None else job.dialect.literal(job.factor, job.result)


def null_where_not(ok: str) -> str:
    """The text to append to a number to make it NULL if `ok` is NULL."""
    return f"+0*{ok}"


def all_present(job: Job) -> str:
    """The condition that no feature column of a wide row is NULL."""
    frame, dialect = job.frame, job.dialect
    columns = [
        dialect.numbers_only(dialect.quote(name), have)
        for name, have, nullable in zip(frame.names, frame.numbers, frame.nullable, strict=True)
        if nullable
    ]
    return tree([f"{column} IS NOT NULL" for column in columns], " AND ") if columns else ""


def array_read(job: Job, columns: Sequence[str]) -> Select:
    """A subquery of the columns, and of the array of `checked_array` as x."""
    dialect, frame = job.dialect, job.frame
    relation: Relation = frame.relation(dialect)
    names: list[str] = []
    if dialect.rereads_arrays and any(part.ragged for part in frame.parts):
        names = [f"a{i}" for i in range(len(frame.parts))]
        stored = [f"{_stored(dialect, part)} AS {name}" for part, name in zip(frame.parts, names, strict=True)]
        relation = Select((*columns, *stored), relation, dialect.fence, flat=True)
        columns = carried_names(job)
    array = f"{checked_array(dialect, frame, names)} AS x"
    return Select((*columns, array), relation, dialect.fence, flat=True)


def presence(job: Job) -> tuple[str, str]:
    """`ok` of long rows over the columns counted and present, and what is not NULL in a present cell.

    Both are empty without a guard.
    """
    dialect, frame = job.dialect, job.frame
    feature, value = (dialect.quote(name) for name in frame.names)
    # The CASE stands outside the aggregate: inside it, MariaDB evaluates the failing branch for every row.
    ok, present = guard(job, "counted = present"), dialect.numbers_only(value, frame.number)
    if not dialect.can_fail:
        present = f"CASE WHEN {in_bounds(job, feature)} OR {feature} IS NULL THEN {present if ok else '0'} END"
        ok = ok or f"CASE WHEN counted = present THEN {unit(job)} END"
    return ok, present if ok else ""


def counted(job: Job) -> tuple[str, str]:
    """`ok` of long rows over the columns counted and present, and these columns, of each key; empty without a guard."""
    ok, present = presence(job)
    return ok, f", count(*) AS counted, count({present}) AS present" if ok else ""


def in_bounds(job: Job, feature: str) -> str:
    """The condition that a feature of long rows is a position."""
    return f"{feature} BETWEEN 0 AND {last_position(job.frame)}"


def last_position(frame: Frame) -> int:
    """The last position of the features of long rows."""
    return (frame.n_features or P - 2) - 1


def long_read(job: Job, columns: Sequence[str]) -> tuple[Select, list[str], str]:
    """A subquery of long rows as wide ones, with the columns; the names of its features; and `ok` over it, as `guard`.

    A feature is the sum of its cells, which is NULL where a row has no number among them.
    """
    dialect, frame = job.dialect, job.frame
    feature, value = (dialect.quote(name) for name in frame.names)
    x, zero = dialect.widen(value, frame.number, job.summing), dialect.literal(0, job.summing)
    cells = (f"CASE WHEN {feature} = {j} THEN {x} ELSE {zero} END" for j in range(frame.width))
    totals = (dialect.narrow(dialect.total(cell, job.summing, job.summing), job.summing) for cell in cells)
    names = [f"f{j}" for j in range(frame.width)]
    ok, counts = counted(job)
    read = (*columns, *(f"{total} AS {name}" for total, name in zip(totals, names, strict=True)))
    ends = f" GROUP BY {dialect.quote(frame.key or '')}"
    return Select((*read, *([counts.removeprefix(", ")] if ok else [])), frame.relation(dialect), ends), names, ok


def checked_array(dialect: Dialect, frame: Frame, names: Sequence[str] = ()) -> str:
    """The array column, or the array columns as one array. In a list column, a row of another length is an error.

    `names`: those of the columns in a subquery that has read them.
    """
    columns = names or [_stored(dialect, part) for part in frame.parts]
    arrays = [_checked(dialect, part, column) for part, column in zip(frame.parts, columns, strict=True)]
    if len(arrays) == 1:
        return arrays[0]
    number = frame.number if dialect.type_name(frame.number) is not None else DOUBLE
    if len({part.number for part in frame.parts}) > 1 or (number == DOUBLE and not dialect.joins_numbers):
        whole = [_whole(dialect, part, array, number) for part, array in zip(frame.parts, arrays, strict=True)]
        arrays = [dialect.cast_array(array, number) for array in whole]
    return dialect.concatenated(arrays, names or [dialect.quote(name) for name in frame.names])


def _whole(dialect: Dialect, part: Part, array: str, number: Number) -> str:
    """Booleans as integers where the widest integers take none."""
    return (
        dialect.cast_array(array, Number("int", 31)) if part.number == BOOLEAN and number.bits > WHOLE.bits else array
    )


def _stored(dialect: Dialect, part: Part) -> str:
    return dialect.stored_array(dialect.quote(part.name), part.cast)


def _checked(dialect: Dialect, part: Part, column: str) -> str:
    if not part.ragged:
        return column
    return dialect.checked(f"{dialect.length(column)} <> {part.size}", wrong_length(part), column)


def wrong_length(part: Part) -> str:
    """The message for a list of another length."""
    return f"sqlrp: a list in {part.name!r} has not the {part.size} elements of the others: pad it, or set it to NULL"


def finished(job: Job, values: Sequence[str], guarded: bool) -> list[str]:
    """The outputs of the last stage times the delayed scale. If they are guarded, they are NULL where `ok` is NULL."""
    if job.factor is None:
        end = (1 if job.one_null else len(values)) if guarded else 0
        return [*(f"{value}+ok" for value in values[:end]), *values[end:]]
    factor = "ok" if guarded else unit(job)
    return [f"{factor}*{value}" for value in values]


@dataclass
class Closing:
    """The outputs during the closing stages: one expression per component over `relation`."""

    job: Job
    relation: Relation
    values: list[str]
    names: list[str]
    carry: list[str]
    guarded: bool

    def name(self) -> None:
        """Name the expressions in one more level of subquery."""
        named = [f"{v} AS {n}" for v, n in zip(self.values, self.names, strict=True)]
        self.relation = Select((*self.carry, *named), self.relation, self.job.dialect.fence)
        self.values = self.names

    def group(self, _: Stage) -> None:
        """Sum the rows of each key into one row."""
        step = next(step for step in self.job.steps if step.stage.groups)
        self.relation = grouped(self.job, self.relation, self.values, self.names, self.guarded, step)
        self.values = self.names

    def map(self, stage: Elementwise) -> None:
        """Apply the formulas of a stage."""
        for formula in stage.formulas:
            self.name()
            self.values = [written(formula, self.job.dialect, n, DOUBLE) for n in self.names]

    def normalise(self, _: Stage) -> None:
        """Divide by the norm."""
        self.name()
        norm = f"{self.job.dialect.sqrt(tree([f'{n}*{n}' for n in self.names]))} AS n"
        self.relation = Select((*self.carry, *self.names, norm), self.relation, self.job.dialect.fence)
        self.values = [normalised(n, "n") for n in self.names]


CLOSING: Forms[Callable[[Closing, Any], None]] = Forms(
    "at the end of a pipeline",
    {SumOverGroup: Closing.group, Elementwise: Closing.map, Normalise: Closing.normalise},
)
"""The forms of the closing stages, which act on finished outputs."""


def closed(job: Job, relation: Relation, values: Sequence[str], guarded: bool) -> tuple[Relation, list[str]]:
    """Apply the closing stages to one expression per component. Each names its inputs in one more level."""
    carry = [*carried_names(job), *(["ok"] if guarded else [])]
    outputs = Closing(job, relation, list(values), [f"y{c}" for c in range(len(values))], carry, guarded)
    for stage in job.closing:
        CLOSING.of(stage)(outputs, stage)
        outputs.names = [f"{n}_" for n in outputs.names]
    return outputs.relation, outputs.values


def grouped(
    job: Job,
    relation: Relation,
    values: Sequence[str],
    names: Sequence[str],
    guarded: bool,
    step: Step,
    extra: Sequence[str] = (),
) -> Select:
    """One row per key: the sums of the values under new names, and `ok`, which is NULL if it is NULL in any row."""
    dialect = job.dialect
    ok = [f"CASE WHEN count(ok) = count(*) THEN {unit(job)} END AS ok"] if guarded else []
    totals = (dialect.narrow(dialect.total(value, step.before, step.after), step.after) for value in values)
    sums = [f"{total} AS {n}" for total, n in zip(totals, names, strict=True)]
    return Select(("c0", *ok, *extra, *sums), relation, " GROUP BY c0")


def normalised(x: str, norm: str) -> str:
    """x divided by the norm, or x itself if the norm is 0."""
    return f"{x}/CASE WHEN {norm} = 0 THEN 1 ELSE {norm} END"


def ended(job: Job, relation: Relation, values: Sequence[str], guarded: bool) -> Select | str:
    """Apply the closing stages, then shape the result with `shaped`."""
    return shaped(job, *closed(job, relation, values, guarded), guarded)


def ended_array(job: Job, relation: Relation, array: str, guarded: bool) -> Select | str:
    """Apply the closing stages, then shape the result with `shaped_array`."""
    if job.closing:
        return ended(job, relation, [job.dialect.element(array, c) for c in range(job.k)], guarded)
    return shaped_array(job, relation, array, guarded)


def shaped(job: Job, relation: Relation, values: Sequence[str], guarded: bool) -> Select | str:
    """The result from one expression per component over `relation`, with the column `ok` of `guard`."""
    dialect, own = job.dialect, restored(job)
    if job.output == "bits":
        return Select((*own, *coded(job, values, guarded)), relation)
    if job.shape == "array":
        values = finished(job, values, guarded=False)
        first = DOUBLE if job.written == DOUBLE != job.result else dialect.between(job.result, job.written)
        if first is not None:
            values = [dialect.cast(value, first) for value in values]
        return Select((*own, f"{_column(job, dialect.array_of(values, job.written), guarded)} AS z"), relation)
    values = [as_written(job, value) for value in finished(job, values, guarded)]
    if job.output == "columns":
        named = [f"{value} AS {output_name(dialect, n)}" for n, value in zip(job.output_names, values, strict=True)]
        return Select((*own, *named), relation)
    if not dialect.has_lists:
        named = [f"{value} AS z{c}" for c, value in enumerate(values)]
        rows = Select((*carried_names(job), *named), relation, dialect.fence)
        component, value = output_name(dialect, "component"), dialect.value_name()
        cells = dialect.cells_of_row(after_from(rows), own, [f"z{c}" for c in range(job.k)], component, value)
        if not job.sparse_result:
            return cells
        return f"SELECT * FROM ({cells}) s\nWHERE {component} = 0 OR {value} <> 0 OR {value} IS NULL"
    rows = Select((*carried_names(job), f"{dialect.list_of(values)} AS z"), relation)
    return dialect.unnest(after_from(rows), own, "z", "component", "value", filled=True)


def coded(job: Job, values: Sequence[str], guarded: bool) -> list[str]:
    """The columns of the bits of the components, NULL where `ok` is NULL: words, or one column of an own type.

    Component c is bit c of the row, counted from the highest bit of the first word, as in numpy.packbits. The last word
    ends with zeros.
    """
    words = []
    for first in range(0, len(values), WORD_BITS):
        bits = [
            job.dialect.bit(value, whole_literal(_value(at)))
            for at, value in enumerate(values[first : first + WORD_BITS])
        ]
        words.append(job.dialect.cast(tree(bits), WORD))
    return _codes(job, words, guarded)


def _coded_array(job: Job, array: str, guarded: bool) -> list[str] | None:
    """The same of the components of one row, which are an array; None where the engine has no shorter text for it."""
    words = [
        job.dialect.word_of_list(array, first, [_value(at) for at in range(min(WORD_BITS, job.k - first))])
        for first in range(0, job.k, WORD_BITS)
    ]
    found = [word for word in words if word is not None]
    return _codes(job, found, guarded) if len(found) == len(words) else None


def _codes(job: Job, words: Sequence[str], guarded: bool) -> list[str]:
    """The words as the columns of the result."""
    dialect = job.dialect
    codes = [dialect.code_of(words, job.k)] if job.single_code else words
    if guarded:
        codes = [f"CASE WHEN ok=0 THEN {code} END" for code in codes]  # ClickHouse does not compute ok for IS NULL
        if job.single_code:  # a CASE without ELSE has no length
            codes = [f"CAST({code} AS {dialect.code.format(k=job.k)})" for code in codes]
    return [f"{code} AS {output_name(dialect, name)}" for code, name in zip(codes, job.output_names, strict=True)]


def _value(at: int) -> int:
    """The value of a bit of a word with a sign."""
    return 1 << (WORD_BITS - 1 - at) if at else -(1 << (WORD_BITS - 1))


def whole_literal(word: int) -> str:
    """A word with a sign. No engine reads the lowest number as one literal."""
    return str(word) if word >= 0 else f"({word})" if word > -(1 << (WORD_BITS - 1)) else f"({word + 1}-1)"


def as_written(job: Job, value: str) -> str:
    """A component, cast to the type that the caller asks for unless it has that type; a name where it is `checked`."""
    dialect = job.dialect
    if job.checked:
        value = dialect.exact_whole(value)
    if job.written == job.result or dialect.type_name(job.written) == dialect.type_name(job.result):
        return value
    first = dialect.between(job.result, job.written)
    return dialect.cast(value if first is None else dialect.cast(value, first), job.written)


def _column(job: Job, array: str, guarded: bool) -> str:
    """The column z: an array that is NULL where `ok` is NULL, of the type that the caller asks for."""
    z = job.dialect.array_or_null(array, "ok") if guarded else array
    z = job.dialect.fixed(z, job.written, job.k)
    if job.written == BYTE or (job.output == "array" and job.written == job.result):
        return z
    return job.dialect.typed(z, job.k, job.output, job.dtype == "float16")


def component_names(dialect: Dialect, k: int) -> list[str]:
    """The columns of k components, as the queries of results write and read them."""
    return [output_name(dialect, f"z{i}") for i in range(k)]


def output_name(dialect: Dialect, name: str) -> str:
    """The name of a column of a result, as the queries of results write and read it."""
    return name if _PLAIN.fullmatch(name) and not dialect.folds_names else dialect.quote(name)


def shaped_array(job: Job, relation: Relation, array: str, guarded: bool) -> Select | str:
    """The result from one list column of `relation`, with the column `ok` of `guard`."""
    dialect, own = job.dialect, restored(job)
    if job.output == "bits" and job.frame.rows == 1:
        codes = _coded_array(job, array, guarded)
        if codes is not None:
            return Select((*own, *codes), relation)
    if job.shape == "columns":
        return shaped(job, relation, [dialect.element(array, c) for c in range(job.k)], guarded)
    factor = None if job.factor is None else dialect.literal(job.factor, job.result)
    if job.shape == "array":
        first = dialect.between(job.result, job.written)
        array = array if first is None else dialect.cast_array(array, first)
        z = dialect.scaled(array, factor, job.written, job.k)
        return Select((*own, f"{_column(job, z, guarded)} AS z"), relation)
    z = dialect.fixed(dialect.scaled(array, factor, job.result, job.k), job.result, job.k)
    carry = [*carried_names(job), *(["ok"] if guarded else [])]
    rows = Select((*carried_names(job), f"{z} AS z", *(["ok"] if guarded else [])), relation)
    unnested = dialect.unnest(after_from(rows), carry, "z", "component", "value", filled=True)
    value = as_written(job, f"value{null_where_not('ok')}" if guarded else "value") + " AS value"
    kept = f"\nWHERE component = 0 OR value <> 0{' OR ok IS NULL' if guarded else ''}" if job.sparse_result else ""
    return Select((*own, "component", value), f"({unnested}) s", kept)
