"""The SQL around `Evaluation`: the query that reads the rows of a job, and the query that shapes what is written."""

from __future__ import annotations

from collections.abc import Sequence

from sqlrp.core.numbers import DOUBLE, Number
from sqlrp.lowering import travelling
from sqlrp.lowering.evaluation import Evaluation
from sqlrp.lowering.job import Job
from sqlrp.stages.evaluate import FORMS

_EXACT = 53
"""The most bits of whole numbers that a sum of float64 represents exactly."""


def refusal(job: Job) -> str:
    """Why the rows of a job cannot be evaluated in this process, in batches; empty if they can."""
    dialect, frame = job.dialect, job.frame
    if not dialect.streams:
        return f"{dialect.name} does not pass rows to this process in batches"
    if frame.query or frame.place or frame.in_memory:
        return "only the rows of a table or a file are read in batches"
    if not dialect.has_workers and frame.layout != "wide":
        return f"{frame.layout} rows are not evaluated in batches"
    most = 63 if dialect.has_workers else _EXACT
    decimals = () if dialect.has_workers else ("decimal",)
    if any(number.exact and (number.kind in decimals or number.bits > most) for number in job.kinds):
        said = ", and decimals," if decimals else ""
        return f"exact numbers of more than {most} bits{said} are not evaluated in batches"
    changed = next((column for column in frame.passing if not dialect.passes(column.type)), None)
    if changed is not None:
        return f"the column {changed.name!r} is {changed.type.text}, which does not pass through Arrow unchanged"
    return travelling.refusal(job) or Evaluation.refusal(job) if dialect.has_workers else FORMS.refusal(job.stages)


def together(job: Job) -> str | None:
    """The column whose rows with the same value have to be evaluated together; None if every row stands alone."""
    return job.frame.key if job.grouped or job.frame.layout == "long" else None


def reading(job: Job, where: str = "") -> str:
    """The query of the columns that `Evaluation` reads. `where`: a condition on the rows."""
    dialect, frame = job.dialect, job.frame
    columns = [dialect.quote(name) for name in frame.kept]
    of_feature: Sequence[Number | None] = [None] if frame.layout == "long" else []
    numbers = [*of_feature, *frame.numbers]
    for name, number in zip(frame.names, numbers, strict=True):
        quoted = dialect.quote(name)
        if number is not None and job.kinds[0] == DOUBLE and not _arrow_reads(number):
            cast = dialect.cast_array if frame.layout == "array" else dialect.cast
            columns.append(f"{cast(quoted, DOUBLE)} AS {quoted}")
        else:
            columns.append(quoted)
    return f"SELECT {', '.join(columns)}\nFROM {frame.relation(dialect)}{where and f' WHERE {where}'}{_end(job)}"


def _end(job: Job) -> str:
    """The end of the query that brings rows together, if workers evaluate them."""
    column = together(job)
    return "" if column is None or not job.dialect.has_workers else job.dialect.gathered_by(job.dialect.quote(column))


def _arrow_reads(number: Number) -> bool:
    """Whether Arrow has a type of its own for the numbers, so that it represents every one of them."""
    return number != DOUBLE and number.kind != "decimal" and number.bits <= 63


def writing(job: Job, relation: str) -> str:
    """The query of a relation of results, with the types that plain SQL gives to its columns."""
    dialect = job.dialect
    kept = {column.name: column.type.text for column in job.frame.passing}
    cast = {dialect.quote(name): kind for name, kind in (kept | types(job)).items()}
    columns = (f"CAST({name} AS {kind}) AS {name}" for name, kind in cast.items())
    return f"SELECT {', '.join(columns)}\nFROM {relation}"


def types(job: Job) -> dict[str, str]:
    """The types that plain SQL gives to the outputs, by name."""
    dialect = job.dialect
    number = str(dialect.type_name(job.result))
    made = {"columns": number, "array": dialect.array_type(job.result, job.k), "long": number}[job.output]
    whole = str(dialect.type_name(Number("int", 63)))
    return {name: whole if name == "component" else made for name in job.output_names}


__all__ = ["reading", "refusal", "together", "types", "writing"]
