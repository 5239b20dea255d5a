"""Bits that are the same in nearly all rows, as those of rows far from 0 are: a search by them finds few neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.numbers import WORD_BITS, WORD_BYTES
from sqlrp._core.sources import TableName
from sqlrp._lowering.job import Job

ROWS = 1_000  # that are looked at
FEW = 20  # rows below which nothing can be said yet
_SAME = 0.95  # the share of rows with one bit, from which on the bit tells little


def bits_of_table(connector: Connector, session: Any, place: TableName, job: Job) -> list[str]:
    """What to warn of if bits in a table of results tell few rows apart. It reads the first rows."""
    if job.output != "bits" or job.fields is not None:
        return []
    columns = ", ".join(map(job.dialect.quote, job.output_names))
    query = job.dialect.limited(f"SELECT {columns} FROM {job.dialect.table(place)}", ROWS)
    return _cautions(_bits([list(row) for row in connector.rows(session, query)], job.k))


def bits_of_result(job: Job, result: Any) -> list[str]:
    """The same of bits in a result in memory; a result that is computed later is not looked at."""
    if job.output != "bits" or not isinstance(result, pa.Table):
        return []
    first = result.select(job.output_names).slice(0, ROWS)
    return _cautions(_bits([list(row.values()) for row in first.to_pylist()], job.k))


def _cautions(rows: npt.NDArray[np.uint8]) -> list[str]:
    """What to warn of if bits tell few rows apart. `rows`: shape (rows, k), of 0 and 1."""
    if len(rows) < FEW:
        return []
    ones = rows.mean(axis=0)
    same = int((np.maximum(ones, 1 - ones) >= _SAME).sum())
    said = (
        f"{same:,} of {rows.shape[1]:,} bits are the same in nearly all of {len(rows):,} rows, as the rows lie far "
        "from 0: a search by them finds few of the nearest rows; project the rows without their mean, as the "
        "centred codes of sqlrp.choose_codes, principal components and sqlrp.Standardized do"
    )
    return [said] if 2 * same > rows.shape[1] else []


def _bits(rows: list[list[Any]], k: int) -> npt.NDArray[np.uint8]:
    """The bits of rows, shape (rows, k), each of words or of one text of bits. Rows of NULL are left out."""
    there = [row for row in rows if None not in row]
    if not there:
        return np.zeros((0, k), dtype=np.uint8)
    if isinstance(there[0][0], int):
        words = np.array([[word % (1 << WORD_BITS) for word in row] for row in there], dtype=f">u{WORD_BYTES}")
        return np.unpackbits(words.view(np.uint8), axis=1)[:, :k]
    return np.array([[bit == "1" for bit in str(row[0])] for row in there], dtype=np.uint8)


__all__ = ["FEW", "ROWS", "bits_of_result", "bits_of_table"]
