"""What a user would do without sqlrp: fetch, project with a library, write back. DuckDB by Arrow, both ways."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from sklearn.random_projection import SparseRandomProjection

import sqlrp

Transform = Callable[[Any], Any]
"""A matrix of rows to the matrix of their results."""

warnings.filterwarnings("ignore", message="Arrow output on a DB-API result")


def fitted(transformer: Any, size: int = 100) -> Callable[[], Transform]:
    """A scikit-learn transformer as one that draws its table at the first rows it meets, as the draw is timed too.

    What learns from data learns from the first `size` rows, as sqlrp learns from a sample of as many.
    """

    def fresh() -> Transform:
        ready = False

        def transform(x: Any) -> Any:
            nonlocal ready
            if not ready:
                transformer.fit(x[:size])
                ready = True
            return transformer.transform(x)

        return transform

    return fresh


def numpy_pk(projection: sqlrp.PolynomialKernelProjection, features: int) -> Callable[[], Transform]:
    """The polynomial-kernel projection of degree 2, with the same table, as numpy users would write it."""

    def fresh() -> Transform:
        sums, products = projection.stages(features)
        signs = sp.csr_matrix(sums.matrix(np.arange(features)), dtype=np.float64)  # type: ignore[attr-defined]
        factor = projection.factor(features)

        def transform(x: Any) -> Any:
            k = x @ signs
            table = products.table  # type: ignore[attr-defined]
            z = np.zeros((len(x), projection.k))
            for i in range(table.shape[1]):
                z += k[:, table[:, i, 0]] * k[:, table[:, i, 1]]
            return z * factor

        return transform

    return fresh


def numpy_maclaurin(projection: sqlrp.RandomMaclaurin, features: int) -> Callable[[], Transform]:
    """The random Maclaurin features with the same signs: each is a product of dense sums, as numpy users write it."""

    def fresh() -> Transform:
        sums, _ = projection.stages(features)
        signs = sums.matrix(np.arange(features)).astype(np.float64)  # type: ignore[attr-defined]
        signs = signs.reshape(features, projection.k, projection.degree)
        parts = [np.ascontiguousarray(signs[:, :, i]) for i in range(projection.degree)]
        factor = projection.factor(features)

        def transform(x: Any) -> Any:
            z = x @ parts[0]
            for part in parts[1:]:
                z *= x @ part
            z *= factor
            return z

        return transform

    return fresh


def fetched(
    con: duckdb.DuckDBPyConnection,
    query: str,
    fresh: Callable[[], Transform],
    output: str = "columns",
    batch: int | None = None,
) -> Callable[[], None]:
    """Rows (key, then features or one array) by Arrow, whole or in batches of rows; written as CREATE TABLE out."""

    def call() -> None:
        transform = fresh()
        if batch is None:
            con.register("projected", _projected(con.sql(query).to_arrow_table(), transform, output))
        else:
            reader = con.cursor().sql(query).to_arrow_reader(batch)
            first = _projected(pa.Table.from_batches([reader.read_next_batch()]), transform, output)
            rest = (_projected(pa.Table.from_batches([part]), transform, output) for part in reader)
            parts = (part for tables in ([first], rest) for table in tables for part in table.to_batches())
            con.register("projected", pa.RecordBatchReader.from_batches(first.schema, parts))
        con.execute("CREATE TABLE out AS FROM projected")
        con.unregister("projected")

    return call


def _projected(table: pa.Table, transform: Transform, output: str) -> pa.Table:
    """A column is copied once: it is a row of a matrix whose transpose, in Fortran order, libraries take as it is."""
    if table.num_columns == 2:  # an array column
        arrays = table.column(1).combine_chunks()
        x = arrays.flatten().to_numpy().reshape(len(arrays), -1)
    else:
        columns = np.empty((table.num_columns - 1, table.num_rows))
        for j in range(len(columns)):
            at = 0
            for chunk in table.column(j + 1).chunks:
                columns[j, at : at + len(chunk)] = chunk.to_numpy(zero_copy_only=True)
                at += len(chunk)
        x = columns.T
    return shaped(table.column(0), transform(x), output)


def shaped(keys: Any, z: Any, output: str) -> pa.Table:
    """Results (rows, components) in the shape that sqlrp would write."""
    k = z.shape[1]
    if output == "columns":
        return pa.table([keys, *np.ascontiguousarray(z.T)], names=["id", *(f"z{c}" for c in range(k))])
    flat = np.ascontiguousarray(z).reshape(-1)
    if output == "array":
        return pa.table({"id": keys, "z": pa.FixedSizeListArray.from_arrays(flat, k)})
    component = np.tile(np.arange(k, dtype=np.int64), len(z))
    return pa.table({"id": np.repeat(np.asarray(keys), k), "component": component, "value": flat})


def sparse(con: duckdb.DuckDBPyConnection, table: str, d: int, k: int, output: str) -> Callable[[], None]:
    """Sparse rows (id from 0, feature, value) by Arrow to scipy's CSR, SparseRandomProjection, written back."""

    def call() -> None:
        cells = con.sql(f"SELECT id, feature, value FROM {table}").to_arrow_table()
        ids, features, values = (cells.column(i).to_numpy() for i in range(3))
        del cells
        rows = sp.coo_matrix((values, (ids, features)), shape=(int(ids.max()) + 1, d)).tocsr()
        del ids, features, values
        transformer = SparseRandomProjection(k, density=d**-0.5, dense_output=output != "long", random_state=0)
        z = transformer.fit(rows[:10]).transform(rows)
        if output == "long":  # of which sqlrp leaves out the zeros too
            z = z.tocoo()
            projected = pa.table({"id": z.row, "component": z.col, "value": z.data})
        else:
            projected = shaped(pa.array(np.arange(len(z))), z, output)
        con.register("projected", projected)
        con.execute("CREATE TABLE out AS FROM projected")
        con.unregister("projected")

    return call
