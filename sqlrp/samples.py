"""Real rows to try sqlrp with, which come with the package: no download."""

from __future__ import annotations

import argparse
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["docstrings"]


def docstrings() -> pa.Table:
    """Embeddings of 4,000 docstrings of Python's standard library: columns id, name and e.

    `e` has 384 numbers of 32 bits, of length 1: the vector that the model all-MiniLM-L6-v2 makes of a text such as
    "math.sqrt: Return the square root of x.". `name` is the module, class, function or method. To be small, the file of
    the package keeps each number as a byte. The docstrings are those of Python 3.11, by the Python Software Foundation,
    under Python's license; the model's license is Apache-2.0. `tests/support/make_docstrings.py` makes the file.

    `python -m sqlrp.samples docs.parquet` writes the same rows to a file.

        >>> docs = sqlrp.samples.docstrings()
        >>> docs.column_names, docs.num_rows
        (['id', 'name', 'e'], 4000)
    """
    import pyarrow as pa

    with resources.files("sqlrp").joinpath("docstrings.npz").open("rb") as file, np.load(file) as stored:
        names, e = bytes(stored["names"]).decode().split("\n"), stored["e"].astype(np.float32)
    e /= np.linalg.norm(e, axis=1, keepdims=True)
    return pa.table(
        {
            "id": np.arange(len(e), dtype=np.int32),
            "name": names,
            "e": pa.FixedSizeListArray.from_arrays(pa.array(e.ravel()), e.shape[1]),
        }
    )


def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m sqlrp.samples", description="Write the sample rows to a file.")
    parser.add_argument("path", help="a Parquet file to write")
    from pyarrow import parquet

    parquet.write_table(docstrings(), parser.parse_args().path)


if __name__ == "__main__":
    _main()
