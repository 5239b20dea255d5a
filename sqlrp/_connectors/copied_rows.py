"""Rows of PostgreSQL by COPY, which takes a fraction of the time that Python objects of a cursor take."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyarrow import csv

_BLOCK = 16 << 20
"""The bytes that are parsed at a time."""


def copied(copy: Any, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows of a COPY in the format csv, in batches. `copy`: of psycopg; it gives bytes."""
    kinds = schema.types
    read_as = {field.name: pa.string() if pa.types.is_list(field.type) else field.type for field in schema}
    try:
        reader = csv.open_csv(
            pa.PythonFile(_Blocks(copy), mode="r"),
            csv.ReadOptions(column_names=schema.names, block_size=_BLOCK),
            csv.ParseOptions(newlines_in_values=pa.string() in kinds),
            csv.ConvertOptions(
                column_types=read_as,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                true_values=["t"],
                false_values=["f"],
            ),
        )
    except pa.ArrowInvalid as error:
        if "Empty CSV file" not in str(error):
            raise
        return
    for batch in reader:
        pairs = zip(batch.columns, kinds, strict=True)
        columns = [_listed(column, kind) if pa.types.is_list(kind) else column for column, kind in pairs]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _listed(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    """Lists from texts such as {1,2,NULL}."""
    import pyarrow.compute as pc  # here, as its import takes long and every engine's module is imported

    inner = pc.utf8_slice_codeunits(texts, 1, -1)
    parts = pc.split_pattern(inner, ",")
    elements = pc.if_else(pc.equal(parts.values, "NULL"), None, parts.values)
    empty = pc.equal(elements, "")  # of a list without elements
    lists = pa.ListArray.from_arrays(parts.offsets, pc.if_else(empty, None, elements).cast(kind.value_type))
    whole = pc.and_(pc.is_valid(texts), pc.not_equal(texts, "{}"))
    taken = pc.if_else(whole, pa.array(range(len(texts)), pa.int64()), None)
    return lists.take(taken)


class _Blocks(io.RawIOBase):
    """A COPY as a file."""

    def __init__(self, copy: Any) -> None:
        self.copy, self.rest = copy, b""

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        parts, have = [self.rest], len(self.rest)
        while size is None or size < 0 or have < size:
            block = bytes(self.copy.read())
            if not block:
                break
            parts.append(block)
            have += len(block)
        whole = b"".join(parts)
        if size is None or size < 0:
            self.rest = b""
            return whole
        self.rest = whole[size:]
        return whole[:size]


__all__ = ["copied"]
