"""The SQL around `Evaluation`: the query that reads the rows of a job, and the query that shapes what is written."""

from __future__ import annotations

import pyarrow as pa

from sqlrp._core.numbers import BOOLEAN, BYTE, DOUBLE, Number
from sqlrp._lowering import worker_task
from sqlrp._lowering.evaluation import Evaluation
from sqlrp._lowering.job import FACTOR, SQUARE, Job, correcting_kind
from sqlrp._lowering.lowering import CELLS_OF_ROW

_INTEGER, _DECIMAL = 63, 126
"""The most bits of Arrow's integers, and of its decimals, which hold greater integers too."""
_WHOLE = Number("int", _INTEGER)
_ARROW = {"DOUBLE": pa.float64(), "FLOAT": pa.float32(), "INTEGER": pa.int32(), "BIGINT": pa.int64()}
"""Arrow's types of columns that need no cast to the engine's."""
SHARE = 4
"""Results wait in at most this part of the engine's memory, and then in a file, until the source is read. If rows have
to be evaluated together, those of one part and their results fit it, too."""
_CELL = 72
"""The bytes of a cell: its key, feature and value, as they are read, numbered and sorted."""


def refusal(job: Job) -> str:
    """Why the rows of a job cannot be evaluated in batches, without SQL; empty if they can."""
    if job.dialect.streams:
        return unread(job)
    if not job.fetched:
        return f"{job.dialect.name} does not pass rows to this process in batches"
    if together(job) is not None:
        return f"{job.dialect.name} passes rows in batches, of which each is evaluated alone"
    if job.written.kind == "decimal":
        return f"only {job.dialect.name} itself says how many digits the decimals of its results have"
    return unread(job)


def unread(job: Job) -> str:
    """The same for any engine, whose connection can pass rows in batches."""
    dialect, frame = job.dialect, job.frame
    if frame.place or frame.in_memory:
        return "only the rows of tables and files are read in batches"
    most = _INTEGER if dialect.has_workers else _DECIMAL
    bits = max((number.bits for number in job.kinds if number.exact), default=0)
    if bits > most:
        return f"exact numbers of {bits} bits, more than {most}, are not evaluated in batches"
    changed = next((column for column in frame.passing if not dialect.passes(column.type)), None)
    if changed is not None:
        return f"the column {changed.name!r} is {changed.type.text}, which does not pass through Arrow unchanged"
    return (worker_task.refusal(job) if dialect.has_workers else "") or Evaluation.refusal(job)


def together(job: Job) -> str | None:
    """The column whose rows with the same value have to be evaluated together; None if every row stands alone."""
    return job.frame.key if job.grouped or job.frame.layout == "long" else None


def reading(job: Job, where: str = "") -> str:
    """The query of the columns that `Evaluation` reads. `where`: a condition on the rows."""
    dialect, frame = job.dialect, job.frame
    columns = frame.selected(dialect)
    if frame.layout == "long":
        columns.append(dialect.quote(frame.names[0]))
    stored, casts = len(columns), {part.name: part.cast for part in frame.parts}
    for name, number in frame.read:
        quoted, kind = dialect.quote(name), _read_as(number, job.kinds[0])
        made = dialect.stored_array(quoted, casts[name]) if casts.get(name) else quoted
        made = made if frame.layout == "array" else dialect.numbers_only(made, number)
        if (kind == DOUBLE and name in frame.doubles) or not dialect.has_types:
            kind = None  # a cast would read a text as 0
        cast = dialect.cast_array if frame.layout == "array" else dialect.cast
        stored += kind is None and made == quoted
        value = made if kind is None else cast(made, kind)
        columns.append(value if value == quoted else f"{value} AS {quoted}")
    if frame.whole and not frame.computed and stored == len(columns):
        columns = ["*"]  # which is planned in a third of the time of hundreds of names
    return f"SELECT {', '.join(columns)}\nFROM {frame.relation(dialect)}{where and f' WHERE {where}'}{_end(job)}"


def buckets(job: Job, count: int) -> list[str]:
    """The queries that read the rows in so many parts. All rows with the same value of `together` are in one part."""
    if count <= 1:
        return [reading(job)]
    column = job.dialect.quote(together(job) or "")
    return [reading(job, job.dialect.bucket(column, count, at)) for at in range(count)]


def parts(job: Job, rows: int, keys: int, memory: int) -> int:
    """The number of parts in which rows that are evaluated together are read, so that each fits its share of memory.

    `keys`: the number of values of the column `together`. `memory`: the bytes that the engine may use.
    """
    read = _CELL if job.frame.layout == "long" else 16 * job.frame.width
    made = job.k * (48 if job.output == "long" else 16)
    return -(-(rows * read + keys * made) // (memory // SHARE))


def expected_parts(job: Job) -> int:
    """The same by what is known before the rows are counted."""
    frame = job.frame
    rows = frame.cells if frame.layout == "long" else frame.rows
    if together(job) is None or rows is None or frame.memory is None:
        return 1
    return parts(job, rows, rows // CELLS_OF_ROW, frame.memory)


def measuring(job: Job) -> str:
    """The query of the number of rows, and of about how many values the column `together` has."""
    column = job.dialect.quote(together(job) or "")
    return f"SELECT count(*), {job.dialect.about_distinct(column)} FROM {job.frame.relation(job.dialect)}"


def _end(job: Job) -> str:
    """The end of the query that brings rows together, if workers evaluate them."""
    column = together(job)
    return "" if column is None or not job.dialect.has_workers else job.dialect.gathered_by(job.dialect.quote(column))


def _read_as(number: Number, before: Number) -> Number | None:
    """The kind to cast a feature to; None if Arrow reads the column as it is. `before`: the kind of the first sums."""
    if number == BOOLEAN and before.kind == "decimal":
        return _WHOLE
    narrow = number != DOUBLE and number.kind != "decimal" and number.bits <= _INTEGER
    return None if before != DOUBLE or narrow else DOUBLE


def writing(job: Job, relation: str, schema: pa.Schema) -> str:
    """The query of a relation of results with this schema, with the types that plain SQL gives to its columns."""
    dialect = job.dialect
    kept = {column.name: column.type.text for column in job.frame.passing}
    columns, casts = [], False
    for name, kind in (kept | types(job)).items():
        quoted, same = dialect.quote(name), _ARROW.get(kind) == schema.field(name).type
        casts = casts or not same
        columns.append(quoted if same else f"CAST({quoted} AS {kind}) AS {quoted}")
    return f"SELECT {', '.join(columns) if casts else '*'}\nFROM {relation}"


def types(job: Job) -> dict[str, str]:
    """The types that plain SQL gives to the outputs, by name."""
    dialect = job.dialect
    made = str(dialect.type_name(job.written))
    if job.output == "vector" and job.written != BYTE:
        made = dialect.column_type(job.k, job.output, half=False)
    elif job.shape == "array":
        made = dialect.array_type(job.written, job.k)
    whole = str(dialect.type_name(_WHOLE))
    numbers = {FACTOR, SQUARE} & {*job.output_names}
    number = str(dialect.type_name(correcting_kind(dialect)))
    return {n: whole if n == "component" else number if n in numbers else made for n in job.output_names}


__all__ = [
    "SHARE",
    "buckets",
    "expected_parts",
    "measuring",
    "parts",
    "reading",
    "refusal",
    "together",
    "types",
    "writing",
]
