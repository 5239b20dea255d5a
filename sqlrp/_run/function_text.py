"""The statement that creates a scalar function of a projection, from an array of features."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from sqlrp._core.errors import ParameterError, UnsupportedError, shorten
from sqlrp._core.numbers import DOUBLE, WORD
from sqlrp._core.options import Options
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Dialect
from sqlrp._lowering.expression import expression
from sqlrp._lowering.frame import Frame, Part
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan
from sqlrp._projections.held_arrays import features_of
from sqlrp._projections.projection import Projection

Returns = Literal["array", "vector", "bits"]
"""What a function returns: an array, the type that the engine's vector search takes, or the bits of the components."""
OWN = "made by sqlrp.create_function from "
"""The text before a projection's fingerprint in a function's comment."""
_COLUMN = "features"
_ROWS = 1_000
"""The number of rows that a call is planned for. The engine plans the text at every use, even for one row."""


def statement(
    projection: Projection, dialect: Dialect, name: TableName, n_features: int | None, options: Options, mark: str = ""
) -> str:
    """The statement that creates the function. `mark`: what tells it from others, if a catalogue records it."""
    if not dialect.argument:
        why = f", as {dialect.no_functions}" if dialect.no_functions else ""
        raise UnsupportedError(
            f"{dialect.name} has no functions of sqlrp that take an array{why}: run sqlrp.project, or run the text of "
            "sqlrp.sql"
        )
    if options.output not in get_args(Returns):
        raise ParameterError(f"returns = {options.output!r} must be 'array', 'vector' or 'bits'")
    n = _size(projection, n_features)
    if any(stage.groups for stage in projection.stages(n)):
        raise UnsupportedError(
            f"{type(projection).__name__} sums the rows of a group, and a function sees one row: run sqlrp.project"
        )
    argument = f"SELECT {dialect.argument} AS {dialect.quote(_COLUMN)}"
    frame = Frame.of_arrays(name, None, (), Part(_COLUMN, DOUBLE, n), rows=_ROWS, query=argument)
    bits = options.output == "bits"
    made = replace(options, output="array") if dialect.casts_returned and not bits else options
    job = Job.of(projection, frame, dialect, made)
    if bits and not dialect.functions_hold_queries:
        raise UnsupportedError(
            f"returns = 'bits' is not supported: a function of {dialect.name} holds no query; use output = 'bits' of "
            "sqlrp.sql or materialize"
        )
    body = plan(job, single_statement=True).script().text if dialect.functions_hold_queries else expression(job)
    returns = dialect.array_type(job.result, job.k)
    if options.output == "vector":
        returns = dialect.column_type(job.k, options.output, half=False)
    if bits:
        returns = dialect.array_type(WORD, len(job.output_names))
        body, returns = (body, dialect.code.format(k=job.k)) if job.single_code else (_listed(job, body), returns)
    return dialect.creating_function(name, body, returns, mark or f"{OWN}{projection.fingerprint}")


def _listed(job: Job, query: str) -> str:
    """A query of the words of a code as a query of one array of them, NULL if they are."""
    dialect, words = job.dialect, job.output_names
    listed = dialect.array_or_null(dialect.list_of(words), words[0])
    return f"SELECT {dialect.fixed(listed, WORD, len(words))} AS z\nFROM ({query}) coded"


def _size(projection: Projection, n_features: int | None) -> int:
    """The number of features. Raises ParameterError if it is unknown or not a whole number of at least 1."""
    n = features_of(projection) if n_features is None else n_features
    if n is None:
        raise ParameterError(
            f"n_features = None: {type(projection).__name__} does not know the length of the arrays; pass n_features"
        )
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ParameterError(f"n_features = {shorten(n)} must be a whole number of at least 1")
    return n
