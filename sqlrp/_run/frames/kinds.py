"""Which kind of frame a value is. The libraries of frames are never imported: a frame's library is there already."""

from __future__ import annotations

import sys

import duckdb
import pyarrow as pa

from sqlrp._core.errors import ParameterError, shorten


def is_dataframe(value: object) -> bool:
    """Whether `value` is rows in memory: a pandas or polars DataFrame, or what gives a stream of Arrow.

    That is a pyarrow.Table, a RecordBatch, a reader or a dataset, and any object with `__arrow_c_stream__` or
    `__arrow_c_array__` whose rows are not computed only when they are read.
    """
    if isinstance(value, type):
        return False
    return is_pandas(value) or is_polars(value) or (gives_arrow(value) and lazy_kind(value) is None)


def is_of(value: object, module: str, *names: str) -> bool:
    """Whether `value` is of one of the classes of a module, which is not imported for this.

    While another thread imports the module, it has no such class yet, and there is no value of one.
    """
    kinds = (getattr(sys.modules.get(module), name, None) for name in names)
    return isinstance(value, tuple(kind for kind in kinds if kind is not None))


def is_pandas(value: object) -> bool:
    """Whether `value` is a pandas DataFrame, which pandas must have been imported for."""
    return is_of(value, "pandas", "DataFrame")


def is_polars(value: object) -> bool:
    """Whether `value` is a polars DataFrame, which polars must have been imported for."""
    return is_of(value, "polars", "DataFrame")


def gives_arrow(value: object) -> bool:
    """Whether `value` is a table of Arrow or gives one."""
    if isinstance(value, (pa.Array, pa.ChunkedArray)):  # one column has no name
        return False
    if isinstance(value, (pa.Table, pa.RecordBatch)) or is_of(value, "pyarrow.dataset", "Dataset", "Scanner"):
        return True
    return hasattr(value, "__arrow_c_stream__") and not is_series(value)


def is_series(value: object) -> bool:
    """Whether `value` is one column of pandas or polars."""
    return is_of(value, "pandas", "Series") or is_of(value, "polars", "Series")


def is_sparse(value: object) -> bool:
    """Whether `value` is a sparse matrix or array of scipy, which scipy must have been imported for."""
    asked = getattr(sys.modules.get("scipy.sparse"), "issparse", None)  # not there while another thread imports scipy
    return asked is not None and bool(asked(value))


def lazy_kind(value: object) -> str | None:
    """The kind of a lazy frame in words; None for any other value. Nothing is computed."""
    if isinstance(value, duckdb.DuckDBPyRelation):
        return "a DuckDB relation"
    for module, name, words in (
        ("polars", "LazyFrame", "a polars LazyFrame"),
        ("ibis.expr.types.relations", "Table", "an ibis table"),
        ("dask.dataframe", "DataFrame", "a Dask frame"),
        ("daft", "DataFrame", "a Daft frame"),
        ("ray.data", "Dataset", "a Ray dataset"),
    ):
        if is_of(value, module, name):
            return words
    return None


def without_connection(source: object) -> ParameterError:
    """The error for a source that needs a connection, or rows in memory in place of a lazy frame in it."""
    held = getattr(source, "source", source)
    kind = lazy_kind(getattr(held, "table", held))
    if kind is None:
        return ParameterError(f"source {shorten(source)} needs a connection: pass one, or pass a dataframe")
    called = type(source).__name__
    named = "table.get_name() with table.get_backend().con" if "ibis" in kind else "a table's name with a connection"
    return ParameterError(
        f"source {called}(…) holds {kind}, which is projected only as it is: pass {called}(…) of its rows as a "
        f"pyarrow.Table, or of {named}"
    )


__all__ = [
    "gives_arrow",
    "is_dataframe",
    "is_of",
    "is_pandas",
    "is_polars",
    "is_series",
    "is_sparse",
    "lazy_kind",
    "without_connection",
]
